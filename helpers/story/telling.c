/* SPDX-License-Identifier: GPL-2.0-or-later */
/* telling.c -- what stands for each {field} of a sentence: one table (telling.h). */
#include "helpers/story/telling.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "engine/term.h"
#include "helpers/capture/fields.h"
#include "llp/mpa.h"

void say(struct narration *out, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(out->text);
    va_start(arguments, format);
    vsnprintf(out->text + used, sizeof out->text - used, format, arguments);
    va_end(arguments);
}

const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void say_octets(struct telling *t, uint64_t n)
{
    say(t->out, "%" PRIu64 " octet%s", n, plural(n));
}

static void say_name(struct telling *t, int segment)
{
    char name[STORY_NAME_MAX];
    say(t->out, "%s", story_segment_name(t->s, segment, name));
}

/* Of the operation, in its words: what is before, and from its first ";" on. */
static int name_length(const struct telling *t)
{
    return (int)strcspn(t->e->text, ";");
}

/* ---- of the line itself ---- */

static void put_event(struct telling *t)
{
    say(t->out, "%s", t->e->kind == TRACE_OTHER ? t->e->text : trace_words[t->e->kind]);
    if (t->e->length)
        say(t->out, ", %u octets", t->e->length);
}

static void put_text(struct telling *t)
{
    say(t->out, "%s", t->e->text);
}

static void put_more_text(struct telling *t)
{
    say(t->out, "%s%s", *t->e->text ? "; " : "", t->e->text);
}

static void put_octets(struct telling *t)
{
    say_octets(t, t->e->length);
}

static void put_key(struct telling *t)
{
    say(t->out, "%" PRIu64, t->e->key);
}

static void put_count(struct telling *t)
{
    say(t->out, "%" PRIu64, t->e->key + 1);
}

static void put_to(struct telling *t)
{
    say(t->out, "%" PRIu64, t->e->to);
}

static void put_stag(struct telling *t)
{
    say(t->out, "0x%08x", t->e->stag);
}

static void put_range(struct telling *t)
{
    if (t->e->length)
        say(t->out, ", TO %" PRIu64 " .. %" PRIu64, t->e->to, t->e->to + t->e->length - 1);
}

static void put_edge(struct telling *t)
{
    say_octets(t, t->e->window_edge);
}

static void put_room(struct telling *t)
{
    if (t->e->window_edge == STORY_NONE)
        return;
    say(t->out, "; the window is ");
    say_octets(t, t->e->window_edge - t->e->key);
}

static void put_up_to(struct telling *t)
{
    if (t->e->window_edge != STORY_NONE)
        say(t->out, ", up to %" PRIu64, t->e->window_edge);
}

/* How often the same was acknowledged: TCP counts three duplicates, SCTP three reports. */
static void put_times(struct telling *t)
{
    unsigned times = 1;
    bool same = true;
    for (int i = t->at - 1; i >= 0 && same; i--) {
        const struct story_event *e = &t->s->event[i];
        if (e->kind != TRACE_ACK || e->conn != t->e->conn || e->side != t->e->side)
            continue;
        same = t->s->sctp ? e->said.behind : e->key == t->e->key;
        times += same;
    }
    bool teens = times / 10 % 10 == 1;
    static const char *const ending[] = {"th", "st", "nd", "rd"};
    if (times > 1)
        say(t->out, " for the %u%s time", times, ending[teens || times % 10 > 3 ? 0 : times % 10]);
}

static void put_behind(struct telling *t)
{
    const char *runs = strstr(t->e->text, "behind ");
    say(t->out, "%s", runs ? runs + strlen("behind ") : "");
}

static void put_code(struct telling *t)
{
    const struct iw_term_entry *entry = iw_term_entry(t->e->said.term);
    say(t->out, "%s%s%s", t->e->text, entry ? ", " : "", entry ? entry->meaning : "");
}

/* ---- of an operation ---- */

/* One that has a name; else it has an article of its own. */
static void put_article(struct telling *t)
{
    say(t->out, "%s%s", t->e->said.op < IW_OPS ? "a " : "", t->e->said.fenced ? "fenced " : "");
}

static void put_name(struct telling *t)
{
    say(t->out, "%.*s", name_length(t), t->e->text);
}

static void put_rest(struct telling *t)
{
    say(t->out, "%s", t->e->text + name_length(t));
}

static void put_of(struct telling *t)
{
    if (!t->e->length)
        return;
    say(t->out, " of ");
    say_octets(t, t->e->length);
}

/* What it does with the peer's memory. */
static void put_target(struct telling *t)
{
    static const char *const does[IW_OPS + 1] = {[IW_READ] = " from",
                                                 [IW_WRITE] = " to",
                                                 [IW_FETCH_ADD] = " on the number at",
                                                 [IW_CMP_SWAP] = " on the number at"};
    const char *how = does[t->e->said.op];
    if (!t->e->tagged)
        return;
    say(t->out, "%s the peer's STag 0x%08x", how ? how : ", to invalidate", t->e->stag);
    if (how)
        say(t->out, ", TO %" PRIu64, t->e->to);
}

static void put_receives(struct telling *t)
{
    const struct story_event *e = t->e, *end = t->s->event + t->s->events, *b = e;
    while (b < end && b->kind == TRACE_RECV && b->t == e->t && b->conn == e->conn && b->side == e->side &&
           b->length == e->length)
        b++;
    say(t->out, "%td receive buffer%s", b - e, plural((uint64_t)(b - e)));
}

/* ---- of a segment ---- */

static void put_segment(struct telling *t)
{
    say(t->out, "%s", t->name);
}

static void say_kind(struct telling *t, const struct story_segment *g)
{
    bool known = g->readable && g->ctl.opcode < RDMAP_OPCODES;
    say(t->out, "%s", known ? rdmap_rules[g->ctl.opcode].name : "unknown message");
}

static void put_kind(struct telling *t)
{
    say_kind(t, t->g);
}

static void put_payload(struct telling *t)
{
    say_octets(t, t->g->length);
}

/* "TO 10000 .. 11439", "MSN 1, MO 0 .. 1435"; one octet or none has no range. */
static void put_where(struct telling *t)
{
    const struct story_segment *g = t->g;
    uint64_t first = g->head.tagged ? g->head.to : g->head.mo;
    if (!g->readable) {
        say(t->out, "nowhere: its header is incomplete");
        return;
    }
    if (!g->head.tagged)
        say(t->out, "MSN %u, ", g->head.msn);
    say(t->out, "%s %" PRIu64, g->head.tagged ? "TO" : "MO", first);
    if (g->length > 1)
        say(t->out, " .. %" PRIu64, first + g->length - 1);
}

/* Of those messages that may need more than one segment. */
static void put_for(struct telling *t)
{
    const unsigned in_one =
        1 << RDMAP_READ_REQ | 1 << RDMAP_TERMINATE | 1 << RDMAP_ATOMIC_REQ | 1 << RDMAP_ATOMIC_RESP;
    if (!t->g->readable || in_one >> t->g->ctl.opcode & 1 || !t->g->length)
        return;
    say(t->out, " for ");
    put_where(t);
}

static void put_last(struct telling *t)
{
    if (t->g->readable && t->g->head.last && t->m && t->m->segments > 1)
        say(t->out, "; the last of %u", t->m->segments);
}

/* In a capture: was one that follows it in the stream seen before it? */
static void put_late(struct telling *t)
{
    const struct story_segment *g = t->g, *next = g + 1;
    bool has_next = next < t->s->segment + t->s->segments && next->conn == g->conn && next->side == g->side;
    if (t->s->capture && has_next && next->sent < g->sent)
        say(t->out, ". Captured late: it was lost or overtaken before the capture point");
}

static void put_numbers(struct telling *t)
{
    if (t->s->sctp)
        say(t->out, "%s %" PRIu64, t->s->packet ? "PSN" : "DDP-SSN", t->e->key);
    else
        say(t->out, "octets %" PRIu64 " .. %" PRIu64 " of the stream", t->e->key,
            t->e->end == STORY_NONE ? t->e->key : t->e->end - 1);
}

static void put_hole(struct telling *t)
{
    if (t->g->waits_for >= 0)
        say_name(t, t->g->waits_for);
    else
        say(t->out, "earlier octets");
    say(t->out, t->g->waits_for >= 0 ? " is missing" : " are missing");
}

static uint64_t first_marker(const struct story_segment *g)
{
    return (g->key + MPA_MARKER_EVERY - 1) / MPA_MARKER_EVERY * MPA_MARKER_EVERY;
}

bool has_marker(const struct story *s, const struct story_segment *g)
{
    return s->markers && g->end != STORY_NONE && first_marker(g) < g->end;
}

static void put_marker(struct telling *t)
{
    say(t->out, "%" PRIu64, first_marker(t->g));
}

static void put_back(struct telling *t)
{
    say(t->out, "%" PRIu64, first_marker(t->g) - t->g->key);
}

/* ---- of congestion ---- */

/* The slow-start threshold that this end had before; STORY_NONE: none yet. */
static uint64_t threshold_before(const struct telling *t)
{
    for (int i = t->at - 1; i >= 0; i--) {
        const struct story_event *e = &t->s->event[i];
        bool heard = e->kind == TRACE_HEARD; /* what it made of it is told by what it did then */
        if (!heard && e->conn == t->e->conn && e->side == t->e->side && e->cwnd != STORY_NONE)
            return e->ssthresh;
    }
    return STORY_NONE;
}

/* A loss is also news about the network (RFC 5681 3.1). */
static void put_reduction(struct telling *t)
{
    const struct story_event *e = t->e;
    if (e->cwnd == STORY_NONE || e->ssthresh == STORY_NONE || e->ssthresh == threshold_before(t))
        return;
    say(t->out, ". The congestion window is now %" PRIu64 " octets, the slow-start threshold %" PRIu64,
        e->cwnd, e->ssthresh);
}

/* ---- of a message ---- */

static void put_message(struct telling *t)
{
    say_octets(t, t->m->length);
}

static void put_type(struct telling *t)
{
    say_kind(t, &t->s->segment[t->m->first]);
}

static void put_msn(struct telling *t)
{
    say(t->out, "%u", t->m->head.msn);
}

/* What came last, and how long the rest had been there. */
static void put_why_now(struct telling *t)
{
    char time[STORY_NAME_MAX];
    const struct story_segment *last = &t->s->segment[t->m->last];
    int by = t->m->brought_by;
    if (by < 0 || by == t->m->last || last->arrived < 0)
        return;
    const struct story_segment *g = &t->s->segment[by];
    say(t->out, " Only now: ");
    say_name(t, by);
    say(t->out, "%s had to arrive first%s", g->message == t->e->message ? ", a part of it," : "",
        g->sends > 1 ? " (retransmitted)" : "");
    uint64_t since = t->s->event[last->placed >= 0 ? last->placed : last->arrived].t;
    if (since < t->e->t) {
        say(t->out, "; ");
        say_name(t, t->m->last);
        say(t->out, " had been %s for %s us", last->placed >= 0 ? "in place" : "there",
            story_time(t->e->t - since, time));
    }
    say(t->out, ".");
}

static void put_missing(struct telling *t)
{
    say_octets(t, story_missing(t->s, t->e->message, t->e->t));
}

/* ---- of a Terminate ---- */

static void say_value(struct telling *t, const struct story_event *sent, const char *name)
{
    struct field f[FIELDS_MAX];
    char text[FIELD_TEXT_MAX];
    int n = fields_of(sent->head, sent->head_len, f);
    for (int i = 0; i < n; i++)
        if (strcmp(f[i].name, name) == 0)
            say(t->out, "=%s", field_text(&f[i], sent->head, text));
}

/* The ULP of the node learned that a Send had this effect. */
static bool is_invalidated(const struct telling *t, uint32_t stag, int since)
{
    for (int i = since; i < t->at; i++) {
        const struct story_event *e = &t->s->event[i];
        if (e->kind == TRACE_DONE && e->node == t->e->node && stag && e->said.invalidated == stag)
            return true;
    }
    return false;
}

/* What the buffer is, where the error is about a buffer. */
static void say_buffer(struct telling *t, const struct story_segment *g)
{
    bool tagged = g->readable && g->head.tagged;
    int region = tagged ? story_region_of(t->s, t->e->node, g->head.stag, t->at) : STORY_NOBODY;
    const struct story_event *r = &t->s->event[region < 0 ? 0 : region];
    if (region < 0)
        return;
    if (is_invalidated(t, g->head.stag, region))
        say(t->out, " A Send with Invalidate invalidated this STag.");
    else if (r->kind == TRACE_INVALIDATE)
        say(t->out, " The STag had been invalidated.");
    else if (r->length)
        say(t->out, " The buffer is TO %" PRIu64 " .. %" PRIu64 " (%s).", r->to, r->to + r->length - 1,
            r->text);
}

static void put_cause(struct telling *t)
{
    struct narration_cause c;
    if (!narrate_cause(t->s, t->at, &c))
        return;
    const struct story_segment *g = &t->s->segment[c.segment];
    say(t->out, " The cause is ");
    say_name(t, c.segment);
    if (!c.field) {
        say(t->out, ", from octet %" PRIu64 " of %c's stream on.", g->key, story_side_name(g->side));
        return;
    }
    say(t->out, ", %s", c.field);
    say_value(t, &t->s->event[g->sent], c.field);
    say(t->out, ": %s. It is at octet%s %" PRIu64, c.why, plural(c.octets), c.at);
    if (c.octets > 1)
        say(t->out, " .. %" PRIu64, c.at + c.octets - 1);
    if (t->s->sctp)
        say(t->out, " of the segment.");
    else
        say(t->out, " of %c's stream.", story_side_name(g->side));
    say_buffer(t, g);
}

/* ---- the table ---- */

static const struct {
    const char *name;
    void (*put)(struct telling *);
} fields[] = {
    {"event", put_event},
    {"text", put_text},
    {"; text", put_more_text},
    {"octets", put_octets},
    {"key", put_key},
    {"count", put_count},
    {"to", put_to},
    {"stag", put_stag},
    {"range", put_range},
    {"edge", put_edge},
    {"room", put_room},
    {"up to", put_up_to},
    {"times", put_times},
    {"behind", put_behind},
    {"code", put_code},
    {"a", put_article},
    {"request", put_name},
    {"name", put_name},
    {"rest", put_rest},
    {"of", put_of},
    {"target", put_target},
    {"receives", put_receives},
    {"segment", put_segment},
    {"kind", put_kind},
    {"payload", put_payload},
    {"where", put_where},
    {"for", put_for},
    {"last", put_last},
    {"late", put_late},
    {"numbers", put_numbers},
    {"hole", put_hole},
    {"marker", put_marker},
    {"back", put_back},
    {"reduction", put_reduction},
    {"message", put_message},
    {"type", put_type},
    {"msn", put_msn},
    {"why now", put_why_now},
    {"missing", put_missing},
    {"cause", put_cause},
};

void field_say(struct telling *t, const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strncmp(fields[i].name, name, len) == 0 && !fields[i].name[len])
            fields[i].put(t);
}

/* ---- the header ---- */

static bool is_shown(const struct field *f, const uint8_t *head)
{
    bool reserved = strncmp(f->name, "Rsv", 3) == 0 || strcmp(f->name, "InvSTag") == 0;
    return !reserved || field_value(f, head);
}

static void say_markers(struct telling *t)
{
    struct narration *out = t->out;
    size_t used = strlen(out->fields);
    used += (size_t)snprintf(out->fields + used, sizeof out->fields - used, " markers at");
    for (uint64_t at = first_marker(t->g); at < t->g->end && used < sizeof out->fields - 32;
         at += MPA_MARKER_EVERY)
        used += (size_t)snprintf(out->fields + used, sizeof out->fields - used, " %" PRIu64, at);
}

void field_header(struct telling *t)
{
    struct field f[FIELDS_MAX];
    char text[FIELD_TEXT_MAX];
    struct narration *out = t->out;
    const struct story_event *e = &t->s->event[t->g->sent];
    int n = fields_of(e->head, e->head_len, f);
    for (int i = 0; i < n; i++) {
        size_t used = strlen(out->fields);
        if (is_shown(&f[i], e->head))
            snprintf(out->fields + used, sizeof out->fields - used, "%s%s=%s", used ? " " : "", f[i].name,
                     field_text(&f[i], e->head, text));
    }
    if (has_marker(t->s, t->g))
        say_markers(t);
}
