/* SPDX-License-Identifier: GPL-2.0-or-later */
/* play.c -- a story as JSON (play.h). Numbers are those of the trace; what passes 2^53 is a string. */
#include "helpers/story/play.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/quote.h"
#include "helpers/capture/fields.h"
#include "helpers/story/narrate.h"

/* ---- JSON ---- */

static void put_member(FILE *out, const char *name, const char *text)
{
    fprintf(out, ",\"%s\":", name);
    quote_json(out, text, true);
}

static void put_number(FILE *out, const char *name, uint64_t n)
{
    if (n == STORY_NONE)
        return;
    if (n >> 53)
        fprintf(out, ",\"%s\":\"%" PRIu64 "\"", name, n);
    else
        fprintf(out, ",\"%s\":%" PRIu64, name, n);
}

static void put_index(FILE *out, const char *name, int index)
{
    if (index != STORY_NOBODY)
        fprintf(out, ",\"%s\":%d", name, index);
}

/* ---- fields: each definition once ---- */

struct definitions {
    struct field known[2 * FIELDS_MAX];
    int count;
};

static int define(struct definitions *d, const struct field *f)
{
    for (int i = 0; i < d->count; i++)
        if (d->known[i].meaning == f->meaning)
            return i;
    if (d->count == 2 * FIELDS_MAX)
        return 0;
    d->known[d->count] = *f;
    return d->count++;
}

static void put_fields(FILE *out, struct definitions *d, const struct story_event *e)
{
    struct field f[FIELDS_MAX];
    char text[FIELD_TEXT_MAX];
    int n = fields_of(e->head, e->head_len, f);
    fputs(",\"fields\":[", out);
    for (int i = 0; i < n; i++) {
        fprintf(out, "%s[%d,%d,%d,", i ? "," : "", define(d, &f[i]), f[i].bit, f[i].bits);
        quote_json(out, field_text(&f[i], e->head, text), true);
        putc(']', out);
    }
    putc(']', out);
}

static void put_definitions(FILE *out, const struct definitions *d)
{
    fputs(",\"definitions\":[", out);
    for (int i = 0; i < d->count; i++) {
        fputs(i ? ",{\"x\":0" : "{\"x\":0", out);
        put_member(out, "name", d->known[i].name);
        put_member(out, "section", d->known[i].section);
        put_member(out, "meaning", d->known[i].meaning);
        putc('}', out);
    }
    putc(']', out);
}

/* ---- the parts of a story ---- */

static void put_event_octets(FILE *out, const struct story_event *e)
{
    fputs(",\"hex\":\"", out);
    for (int i = 0; i < e->head_len; i++)
        fprintf(out, "%02x", e->head[i]);
    putc('"', out);
}

static void put_segment(FILE *out, const struct story *s, int i, struct definitions *d)
{
    const struct story_segment *g = &s->segment[i];
    char name[STORY_NAME_MAX];
    fprintf(out, "{\"name\":\"%s\",\"side\":%d,\"conn\":%d,\"length\":%u", story_segment_name(s, i, name),
            g->side, g->conn, g->length);
    put_number(out, "key", g->key);
    put_number(out, "end", g->end);
    put_index(out, "message", g->message);
    put_index(out, "waits", g->waits_for);
    put_index(out, "sent", g->left >= 0 ? g->left : g->sent);
    put_index(out, "arrived", g->landed >= 0 ? g->landed : g->arrived);
    put_index(out, "placed", g->placed);
    fprintf(out, ",\"sends\":%u,\"early\":%d,\"last\":%d,\"buffer\":%d", g->sends, g->early, g->head.last,
            g->readable && g->length && (g->head.tagged || g->head.qn == RDMAP_QN_SEND));
    put_member(out, "op",
               g->readable && g->ctl.opcode < RDMAP_OPCODES ? rdmap_rules[g->ctl.opcode].name : "unknown");
    put_event_octets(out, &s->event[g->sent]);
    put_fields(out, d, &s->event[g->sent]);
    putc('}', out);
}

static void put_message(FILE *out, const struct story *s, int i)
{
    const struct story_message *m = &s->message[i];
    fprintf(out, "{\"side\":%d,\"conn\":%d,\"first\":%d,\"last\":%d,\"length\":%u,\"segments\":%u", m->side,
            m->conn, m->first, m->last, m->length, m->segments);
    put_index(out, "delivered", m->delivered);
    put_index(out, "brought", m->brought_by);
    put_member(out, "op", m->opcode < RDMAP_OPCODES ? rdmap_rules[m->opcode].name : "unknown");
    if (!m->head.tagged)
        fprintf(out, ",\"msn\":%u", m->head.msn);
    putc('}', out);
}

/* Acknowledgements are matched by their packet; a region has its name, its first octet, and its rights and domain in words. */
static void put_own(FILE *out, const struct story_event *e)
{
    char stag[16];
    bool region = e->kind == TRACE_REGION || e->kind == TRACE_REBIND || e->kind == TRACE_INVALIDATE;
    if (e->kind == TRACE_ACK || e->kind == TRACE_HEARD)
        put_number(out, "packet", e->said.packet);
    snprintf(stag, sizeof stag, "0x%08x", e->stag);
    if (region) {
        put_member(out, "stag", stag);
        put_number(out, "to", e->to);
        put_member(out, "text", e->text);
    }
}

static void put_event(FILE *out, const struct story *s, int i)
{
    const struct story_event *e = &s->event[i];
    struct narration told;
    bool is_told = narrate_event(s, i, &told);
    fprintf(out, "{\"kind\":\"%s\",\"side\":%d,\"conn\":%d",
            e->kind == TRACE_OTHER ? "other" : trace_words[e->kind], e->side, e->conn);
    put_number(out, "t", e->t);
    if (e->conn == STORY_NOBODY)
        put_number(out, "node", e->node);
    put_number(out, "key", e->key);
    put_number(out, "end", e->end);
    put_number(out, "edge", e->window_edge);
    put_number(out, "staging", e->staging);
    put_number(out, "held", e->held);
    put_number(out, "cwnd", e->cwnd);
    put_number(out, "ssthresh", e->ssthresh);
    put_number(out, "crossings", e->crossings);
    fprintf(out, ",\"length\":%u,\"ooo\":%d", e->length, e->ooo);
    put_index(out, "segment", e->segment);
    put_index(out, "message", e->message);
    put_own(out, e);
    if (e->frame)
        put_number(out, "frame", e->frame);
    if (is_told) {
        put_member(out, "say", told.text);
        put_member(out, "rfc", told.section ? told.section : "");
        fprintf(out, ",\"mood\":%d", told.mood);
    }
    putc('}', out);
}

static void put_summary(FILE *out, const struct story *s)
{
    char *text = narrate_summary(s);
    put_member(out, "summary", text ? text : "");
    free(text);
}

static void put_story(FILE *out, const struct story *s, const char *name)
{
    struct definitions d = {.count = 0};
    fputs("{\"x\":0", out);
    put_member(out, "name", name);
    put_member(out, "title", s->title);
    put_member(out, "setting", s->setting);
    put_member(out, "faults", s->faults);
    put_member(out, "receive", s->receive);
    fprintf(out, ",\"capture\":%d", s->capture);
    if (s->markers)
        fprintf(out, ",\"markers\":1");
    if (s->sctp)
        fprintf(out, ",\"sctp\":1");
    if (s->packet)
        fprintf(out, ",\"packet\":1");
    put_summary(out, s);
    fputs(",\"segments\":[", out);
    for (int i = 0; i < s->segments; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_segment(out, s, i, &d);
    }
    fputs("],\"messages\":[", out);
    for (int i = 0; i < s->messages; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_message(out, s, i);
    }
    fputs("],\"events\":[", out);
    for (int i = 0; i < s->events; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_event(out, s, i);
    }
    putc(']', out);
    put_definitions(out, &d);
    fputs("}\n", out);
}

void play_stories(FILE *out, struct story *const *stories, int count)
{
    putc('[', out);
    for (int i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        put_story(out, stories[i], stories[i]->receive);
    }
    putc(']', out);
}

/* ---- a second one beside the first ---- */

const char *play_beside(const char *receive, const char *wanted)
{
    if (*wanted)
        return strcmp(wanted, "none") == 0 || strcmp(wanted, PLAY_CLUSTER) == 0 ? "" : wanted;
    return strcmp(receive, "place") == 0 ? "copy" : "";
}

bool play_beside_sets(const char *receive, const char *sets[PLAY_BESIDE_SETS])
{
    static const struct {
        const char *receive, *sets[PLAY_BESIDE_SETS];
    } paths[] = {{"place", {"rnic.receive=place", "rnic.window.policy=placed"}},
                 {"hold", {"rnic.receive=hold", "rnic.window.policy=placed"}},
                 {"discard", {"rnic.receive=discard", "rnic.window.policy=placed"}},
                 {"copy", {"rnic.receive=copy", "rnic.window.policy=buffer"}}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (strcmp(paths[i].receive, receive) == 0) {
            memcpy(sets, paths[i].sets, sizeof paths[i].sets);
            return true;
        }
    return false;
}
