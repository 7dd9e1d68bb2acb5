/* SPDX-License-Identifier: GPL-2.0-or-later */
/* narrate.c -- an event by its row of the table of sentences, and how it ended (narrate.h). */
#include "helpers/story/narrate.h"

#include <inttypes.h>
#include <string.h>

#include "helpers/story/telling.h"

#define OF(kind) ((uint64_t)1 << TRACE_##kind)

/* What kinds are about; one that is in none, about placement. */
static const uint64_t abouts[ABOUTS] = {
    [ABOUT_POST] = OF(STARTUP) | OF(REGION) | OF(REBIND) | OF(INVALIDATE) | OF(RECV) | OF(POST),
    [ABOUT_SEND] = OF(SENT) | OF(LEFT) | OF(RESENT) | OF(LOST) | OF(TIMEOUT) | OF(SPURIOUS) | OF(UNDONE) |
                   OF(STALLED) | OF(PROBED),
    [ABOUT_DELIVER] = OF(DELIVERED) | OF(EDGE) | OF(DONE) | OF(LOOKED),
    [ABOUT_WINDOW] = OF(WINDOW) | OF(ACK) | OF(HEARD),
    [ABOUT_ERROR] = OF(TERMINATE_SENT) | OF(TERMINATE_RECEIVED) | OF(HALF_CLOSED) | OF(FATAL) | OF(CLOSED) |
                    OF(NO_BUFFER) | OF(CLOSES) | OF(VIOLATION)};

enum story_about story_about_of(enum trace_kind kind)
{
    for (enum story_about a = ABOUT_POST; a < ABOUTS; a++)
        if (abouts[a] >> kind & 1)
            return a;
    return ABOUT_PLACE;
}

/* ---- a sentence ---- */

struct telling telling_of(const struct story *s, int event, struct narration *out)
{
    const struct story_event *e = &s->event[event];
    struct telling t = {.s = s, .at = event, .e = e, .out = out};
    t.g = e->segment >= 0 ? &s->segment[e->segment] : NULL;
    int message = t.g ? t.g->message : STORY_NOBODY;
    t.m = message >= 0 ? &s->message[message] : NULL;
    story_segment_name(s, e->segment, t.name);
    return t;
}

static bool has_row(const struct story_sentence *rows, int n, enum trace_kind kind)
{
    while (n && rows[n - 1].kind != kind)
        n--;
    return n;
}

/* A kind without a row is told by its word. */
const struct story_sentence *sentence_of(const struct story_sentence *rows, int n, const struct telling *t)
{
    enum trace_kind kind = has_row(rows, n, t->e->kind) ? t->e->kind : TRACE_OTHER;
    for (const struct story_sentence *row = rows; row < rows + n; row++) {
        bool of_reason = !row->reason || row->reason == t->e->said.reason;
        if (row->kind == kind && of_reason && (!row->when || row->when(t)))
            return row->words ? row : NULL;
    }
    return NULL;
}

static const char *section_of(const struct story_sentence *row, const struct telling *t)
{
    enum story_layer layer = t->s->packet ? LAYER_PACKET : t->s->sctp ? LAYER_SCTP : LAYER_TCP;
    if (t->s->capture && row->source[LAYER_CAPTURE])
        layer = LAYER_CAPTURE;
    return row->section ? row->section(t) : source_sections[row->source[layer]];
}

void sentence_tell(const struct story_sentence *row, struct telling *t)
{
    *t->out = (struct narration){.mood = row->mood, .section = section_of(row, t)};
    for (const char *p = row->words; *p;) {
        size_t plain = strcspn(p, "{");
        say(t->out, "%.*s", (int)plain, p);
        p += plain;
        size_t field = strcspn(p, "}");
        if (!*p)
            break;
        field_say(t, p + 1, field - 1);
        p += field + 1;
    }
    if (row->kind == TRACE_SENT || row->kind == TRACE_LEFT)
        field_header(t);
}

bool narrate_event(const struct story *s, int event, struct narration *out)
{
    struct telling t = telling_of(s, event, out);
    const struct story_sentence *row = sentence_of(sentences, sentences_count, &t);
    *out = (struct narration){.mood = MOOD_PLAIN};
    if (row)
        sentence_tell(row, &t);
    return row;
}

/* ---- the end ---- */

static uint64_t longest_wait(const struct story *s, int *segment)
{
    uint64_t longest = 0;
    *segment = STORY_NOBODY;
    for (int i = 0; i < s->segments; i++) {
        const struct story_segment *g = &s->segment[i];
        int m = g->message, end = m >= 0 ? s->message[m].delivered : STORY_NOBODY;
        if (g->placed < 0 || end < 0 || s->event[end].t < s->event[g->placed].t)
            continue;
        uint64_t wait = s->event[end].t - s->event[g->placed].t;
        if (wait > longest && g->early) {
            longest = wait;
            *segment = i;
        }
    }
    return longest;
}

static uint64_t crossings_of(const struct story *s, uint64_t *placed)
{
    uint64_t last[2] = {0, 0};
    *placed = 0;
    for (int i = 0; i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        if (e->kind == TRACE_PLACED)
            *placed += e->length;
        if (e->crossings != STORY_NONE && e->conn >= 0)
            last[e->side] = e->crossings;
    }
    return last[0] + last[1];
}

/* Messages whose segments nobody saw. */
static void write_decorated(const struct story *s, FILE *out)
{
    unsigned posted = story_count(s, TRACE_POST), again = story_count(s, TRACE_RESENT);
    fprintf(out, "%u message%s posted, %u delivered", posted, plural(posted),
            story_count(s, TRACE_DELIVERED));
    if (again)
        fprintf(out, "; %u packet%s retransmitted", again, plural(again));
    fprintf(out, ".\n");
}

/* Of programs that look at memory, or are told. */
static void write_reads(const struct story *s, FILE *out)
{
    unsigned reads = story_count(s, TRACE_LOOKED), soon = 0;
    uint64_t octets = 0;
    for (int i = 0; i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        bool known = e->kind == TRACE_LOOKED && e->message >= 0;
        uint64_t missing = known ? story_missing(s, e->message, e->t) : 0;
        soon += missing > 0;
        octets += missing;
    }
    if (reads)
        fprintf(out, "%u of %u read%s came too soon", soon, reads, plural(reads));
    if (soon)
        fprintf(out, ": %" PRIu64 " octet%s had not come", octets, plural(octets));
    if (reads)
        fprintf(out, ".\n");
}

static void write_summary(const struct story *s, FILE *out)
{
    if (s->decorated) {
        write_decorated(s, out);
        return;
    }
    unsigned again = story_count(s, TRACE_RESENT), terminates = story_count(s, TRACE_TERMINATE_SENT);
    uint64_t early_octets, placed;
    unsigned early = story_early(s, &early_octets);
    char time[STORY_NAME_MAX], name[STORY_NAME_MAX];
    int waited;
    uint64_t wait = longest_wait(s, &waited), crossings = crossings_of(s, &placed);
    fprintf(out, "%d segment%s in %d message%s, %u delivered", s->segments, plural((uint64_t)s->segments),
            s->messages, plural((uint64_t)s->messages), story_count(s, TRACE_DELIVERED));
    if (story_count(s, TRACE_LEFT)) /* else nobody saw what was lost */
        fprintf(out, "; %u lost, %u retransmitted", story_count(s, TRACE_LOST), again);
    else if (again)
        fprintf(out, "; %u retransmitted", again);
    fprintf(out, ".\n");
    fprintf(out, "%u segment%s (%" PRIu64 " octets) placed early", early, plural(early), early_octets);
    if (waited >= 0)
        fprintf(out, "; the longest waited %s us for delivery of its message (%s)", story_time(wait, time),
                story_segment_name(s, waited, name));
    fprintf(out, ".\n");
    write_reads(s, out);
    if (crossings && placed && !s->several)
        fprintf(out, "Each placed octet crossed memory %.2f times.\n", (double)crossings / (double)placed);
    if (terminates)
        fprintf(out, "%u Terminate%s.\n", terminates, plural(terminates));
}

char *narrate_summary(const struct story *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    write_summary(s, out);
    fclose(out);
    return text;
}
