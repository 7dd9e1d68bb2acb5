/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise.c -- a table of questions; each knows whether it has an answer in a story (exercise.h). */
#include "helpers/story/exercise.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "channel/channel.h"
#include "helpers/story/narrate.h"

/* ---- finding what to ask about ---- */

static const char *op_of(const struct story_message *m)
{
    return m->opcode < RDMAP_OPCODES ? rdmap_rules[m->opcode].name : "message";
}

/* The message with most segments; STORY_NOBODY when none has two. */
static int longest(const struct story *s)
{
    int best = STORY_NOBODY;
    for (int i = 0; i < s->messages; i++)
        if (s->message[i].segments > 1 && (best < 0 || s->message[i].segments > s->message[best].segments))
            best = i;
    return best;
}

/* The last delivered message that had to wait for a segment other than its own last. */
static int latecomer(const struct story *s)
{
    for (int i = s->messages - 1; i >= 0; i--) {
        const struct story_message *m = &s->message[i];
        if (m->delivered >= 0 && m->brought_by >= 0 && m->brought_by != m->last)
            return i;
    }
    return STORY_NOBODY;
}

/* What is asked, and the key to it. */
__attribute__((format(printf, 2, 3))) static void ask(struct exercise *x, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(x->question, sizeof x->question, format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 2, 3))) static bool answer(struct exercise *x, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(x->answer, sizeof x->answer, format, arguments);
    va_end(arguments);
    return true;
}

/* ---- what its fields are ---- */

void exercise_want(struct exercise *x, struct reply_field f)
{
    if (x->fields < REPLY_FIELDS)
        x->field[x->fields++] = f;
}

void exercise_want_code(struct exercise *x, int term)
{
    uint64_t code = (uint64_t)IW_TERM_LAYER(term) << 16 | (uint64_t)IW_TERM_ETYPE(term) << 8 |
                    (uint64_t)IW_TERM_CODE(term);
    exercise_want(x, (struct reply_field){REPLY_CODE, "layer/type/code", NULL, NULL, code, code, ""});
}

static void want_number(struct exercise *x, const char *label, const char *unit, uint64_t n)
{
    exercise_want(x, (struct reply_field){REPLY_NUMBER, label, unit, NULL, n, n, ""});
}

static void want_segment(struct exercise *x, const char *label, const char *cue, const struct story *s,
                         int segment)
{
    char name[STORY_NAME_MAX];
    struct reply_field f = {.kind = REPLY_SEGMENT, .label = label, .cue = cue};
    snprintf(f.text, sizeof f.text, "%.*s", REPLY_WORD_MAX - 1, story_segment_name(s, segment, name));
    exercise_want(x, f);
}

static void want_time(struct exercise *x, const char *label, uint64_t from, uint64_t to)
{
    exercise_want(x, (struct reply_field){REPLY_TIME, label, NULL, NULL, from, to, ""});
}

static const char early_cue[] = "early earlier first ahead",
                  hole_cue[] = "missing lost absent hole gap late waited waits waiting overtaken";

/* ---- the questions ---- */

static bool ask_segments(const struct story *s, struct exercise *x)
{
    char name[STORY_NAME_MAX];
    int i = longest(s);
    if (i < 0)
        return false;
    const struct story_message *m = &s->message[i];
    ask(x,
        "Into how many segments is the %s of %u octets cut, and how many octets of payload has the last one?",
        op_of(m), m->length);
    want_number(x, "segments", "segments", m->segments);
    want_number(x, "octets of the last one", "octets", s->segment[m->last].length);
    return answer(x, "%u segments; the last one, %s, has %u octets", m->segments,
                  story_segment_name(s, m->last, name), s->segment[m->last].length);
}

static bool ask_field(const struct story *s, struct exercise *x)
{
    char name[STORY_NAME_MAX];
    int i = longest(s);
    if (i < 0)
        return false;
    const struct story_segment *g = &s->segment[s->message[i].last];
    story_segment_name(s, s->message[i].last, name);
    if (g->head.tagged)
        ask(x, "The %s begins at TO %" PRIu64 ". Which TO does the header of %s carry?",
            op_of(&s->message[i]), s->segment[s->message[i].first].head.to, name);
    else
        ask(x, "Which MSN and which MO does the header of %s carry?", name);
    if (g->head.tagged) {
        want_number(x, "TO", "TO", g->head.to);
        return answer(x, "TO %" PRIu64, g->head.to);
    }
    want_number(x, "MSN", "MSN", g->head.msn);
    want_number(x, "MO", "MO", g->head.mo);
    return answer(x, "MSN %u, MO %u", g->head.msn, g->head.mo);
}

static bool ask_early(const struct story *s, struct exercise *x)
{
    char name[STORY_NAME_MAX], hole[STORY_NAME_MAX];
    int i = story_next(s, TRACE_PLACED, 0);
    while (i >= 0 && !s->event[i].ooo)
        i = story_next(s, TRACE_PLACED, i + 1);
    int segment = i < 0 ? STORY_NOBODY : s->event[i].segment;
    if (segment < 0 || s->segment[segment].waits_for < 0)
        return false;
    ask(x, "Which segment is the first to be placed early, and which one was missing then?");
    want_segment(x, "placed early", early_cue, s, segment);
    want_segment(x, "missing", hole_cue, s, s->segment[segment].waits_for);
    return answer(x, "%s; %s was missing", story_segment_name(s, segment, name),
                  story_segment_name(s, s->segment[segment].waits_for, hole));
}

static bool ask_count_early(const struct story *s, struct exercise *x)
{
    uint64_t octets;
    unsigned n = story_early(s, &octets);
    if (!n)
        return false;
    ask(x,
        "How many segments are placed while an earlier one is missing, and how many octets do they carry?");
    want_number(x, "segments", "segments", n);
    want_number(x, "octets", "octets", octets);
    return answer(x, "%u segment%s, %" PRIu64 " octets", n, n == 1 ? "" : "s", octets);
}

static bool ask_latecomer(const struct story *s, struct exercise *x)
{
    char name[STORY_NAME_MAX], time[STORY_NAME_MAX];
    int i = latecomer(s);
    if (i < 0)
        return false;
    const struct story_message *m = &s->message[i];
    ask(x, "When is the %s of %u octets%s delivered, and which segment was the last that it had to wait for?",
        op_of(m), m->length, i == s->messages - 1 ? " (the last message)" : "");
    want_time(x, "delivered at", s->event[m->delivered].t, s->event[m->delivered].t);
    want_segment(x, "waited for", NULL, s, m->brought_by);
    return answer(x, "at %s us, when %s had arrived", story_time(s->event[m->delivered].t, time),
                  story_segment_name(s, m->brought_by, name));
}

/* In the middle of the time that a latecomer waited. */
static bool ask_waiting(const struct story *s, struct exercise *x)
{
    char time[STORY_NAME_MAX];
    int late = latecomer(s);
    if (late < 0 || s->segment[s->message[late].last].placed < 0)
        return false;
    const struct story_message *m = &s->message[late];
    uint64_t from = s->event[s->segment[m->last].placed].t, to = s->event[m->delivered].t;
    uint64_t when = (from + (to - from) / 2) / 1000 * 1000, octets = 0;
    if (to - from < 10000)
        return false;
    for (int i = 0; i < s->segments; i++) {
        const struct story_segment *g = &s->segment[i];
        int end = g->message < 0 ? STORY_NOBODY : s->message[g->message].delivered;
        bool in_place = g->side == m->side && g->placed >= 0 && s->event[g->placed].t <= when;
        bool usable = end >= 0 && s->event[end].t <= when;
        octets += in_place && !usable ? g->length : 0;
    }
    ask(x, "How many octets that %c sent are in place at %s us but may not be used yet?",
        story_side_name(m->side), story_time(when, time));
    want_number(x, "octets", "octets", octets);
    return answer(x, "%" PRIu64 " octets", octets);
}

static bool ask_lost(const struct story *s, struct exercise *x)
{
    char name[STORY_NAME_MAX];
    int i = story_next(s, TRACE_LOST, 0);
    if (i < 0 || s->event[i].segment < 0)
        return false;
    const struct story_segment *g = &s->segment[s->event[i].segment];
    story_segment_name(s, s->event[i].segment, name);
    ask(x, "Which segment is lost first, and which %s does it carry?",
        s->packet ? "PSN"
        : s->sctp ? "DDP-SSN"
                  : "octets of the stream");
    const char *counted = s->packet ? "PSN" : "DDP-SSN";
    want_segment(x, "lost first", NULL, s, s->event[i].segment);
    if (s->sctp) {
        want_number(x, counted, counted, g->key);
        return answer(x, "%s, %s %" PRIu64, name, counted, g->key);
    }
    exercise_want(x, (struct reply_field){REPLY_OCTETS, "octets", NULL, NULL, g->key, g->end - 1, ""});
    return answer(x, "%s, octets %" PRIu64 " .. %" PRIu64, name, g->key, g->end - 1);
}

/* The Terminate number `n` of those whose cause is a field; STORY_NOBODY. `*count`: how many there are before it. */
static int nth_terminate(const struct story *s, uint64_t n, struct narration_cause *cause, uint64_t *count)
{
    *count = 0;
    for (int i = 0; i < s->events; i++)
        if (s->event[i].kind == TRACE_TERMINATE_SENT && narrate_cause(s, i, cause) && cause->field &&
            (*count)++ == n)
            return i;
    return STORY_NOBODY;
}

/* One of them, drawn; STORY_NOBODY: there is none. */
static int drawn_terminate(const struct story *s, uint64_t draw, struct narration_cause *cause)
{
    uint64_t count;
    nth_terminate(s, UINT64_MAX, cause, &count);
    return count ? nth_terminate(s, draw % count, cause, &count) : STORY_NOBODY;
}

static bool ask_terminate(const struct story *s, uint64_t draw, struct exercise *x)
{
    struct narration_cause c;
    char name[STORY_NAME_MAX], stream[STORY_NAME_MAX] = "the stream";
    struct reply_field choice = {.kind = REPLY_CHOICE, .label = "field"};
    int i = drawn_terminate(s, draw, &c);
    if (i < 0)
        return false;
    snprintf(choice.text, sizeof choice.text, "%s", c.field);
    if (s->several)
        snprintf(stream, sizeof stream, "connection c%d", s->event[i].conn);
    ask(x, "With which layer, type and code does %s end, and which field of which segment is the cause?",
        stream);
    exercise_want_code(x, s->event[i].said.term);
    exercise_want(x, choice);
    want_segment(x, "of segment", NULL, s, c.segment);
    return answer(x, "%s; %s of %s, at octet %" PRIu64 " of the stream", s->event[i].text, c.field,
                  story_segment_name(s, c.segment, name), c.at);
}

static bool ask_untold(const struct story *s, struct exercise *x)
{
    unsigned told = 0, whole = 0;
    for (int i = 0; i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        told += e->kind == TRACE_DONE && e->said.op == IW_RECV && !trace_said_failed(&e->said);
        whole += e->kind == TRACE_DELIVERED && e->said.opcode != RDMAP_TERMINATE;
    }
    if (!whole)
        return false;
    ask(x, "How many messages are complete at their receivers, and how many receives do their programs "
           "see completed?");
    want_number(x, "messages", "messages", whole);
    want_number(x, "receives", "receives", told);
    return answer(x, "%u message%s, %u receive%s", whole, whole == 1 ? "" : "s", told, told == 1 ? "" : "s");
}

/* ---- questions of single lessons ---- */

/* A prediction that a run then judges: a time `t`, to a tenth of what has passed since `since`. */
static bool predict(uint64_t since, uint64_t t, struct exercise *x)
{
    char at[STORY_NAME_MAX], from[STORY_NAME_MAX], to[STORY_NAME_MAX];
    uint64_t off = (t - since) / 10;
    answer(x, "at %s us; %s to %s us counts", story_time(t, at), story_time(t - off, from),
           story_time(t + off, to));
    want_time(x, "at", t - off, t + off);
    return true;
}

/* Of the same Terminate that ask_terminate() is about, where streams end one after the other. */
static bool ask_heard(const struct story *s, uint64_t draw, struct exercise *x)
{
    struct narration_cause c;
    char left[STORY_NAME_MAX];
    int sent = s->several ? drawn_terminate(s, draw, &c) : STORY_NOBODY, heard = sent;
    if (sent < 0 || c.segment < 0 || s->segment[c.segment].left < 0)
        return false;
    while (heard < s->events &&
           (s->event[heard].kind != TRACE_TERMINATE_RECEIVED || s->event[heard].conn != s->event[sent].conn))
        heard++;
    if (heard == s->events)
        return false;
    const struct story_event *e = &s->event[s->segment[c.segment].left];
    ask(x,
        "Predict before you run it: the segment of connection c%d that breaks a rule leaves %c at %s "
        "us; when does %c learn "
        "that its peer has terminated the stream? An answer counts if it is right to a tenth of the "
        "time between.",
        e->conn, story_side_name(e->side), story_time(e->t, left), story_side_name(e->side));
    return predict(e->t, s->event[heard].t, x);
}

static bool ask_complete(const struct story *s, struct exercise *x)
{
    char at[STORY_NAME_MAX];
    int last = story_last(s, TRACE_DELIVERED), post = story_next(s, TRACE_POST, 0);
    if (last < 0 || post < 0 || s->event[last].t <= s->event[post].t)
        return false;
    ask(x,
        "Predict before you run it: the first message is posted at %s us; when are the last one and all "
        "before it complete at the receiver? An answer counts if it is right to a tenth of the time between.",
        story_time(s->event[post].t, at));
    return predict(s->event[post].t, s->event[last].t, x);
}

/* The first window that a receiver offers, where it is less than what it is sent. */
static int tight_window(const struct story *s, uint64_t *fpdu)
{
    int i = story_next(s, TRACE_WINDOW, 0);
    for (; i >= 0 && i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        uint64_t octets = 0;
        *fpdu = 0;
        for (int k = 0; k < s->segments; k++) {
            const struct story_segment *g = &s->segment[k];
            bool mine = g->conn == e->conn && g->side != e->side && g->end != STORY_NONE;
            octets += mine ? g->end - g->key : 0;
            *fpdu = mine && g->end - g->key > *fpdu ? g->end - g->key : *fpdu;
        }
        if (e->kind == TRACE_WINDOW && *fpdu && e->window_edge - e->key < octets)
            return i;
    }
    return STORY_NOBODY;
}

static bool ask_window(const struct story *s, struct exercise *x)
{
    uint64_t fpdu;
    int i = s->sctp ? STORY_NOBODY : tight_window(s, &fpdu);
    if (i < 0)
        return false;
    uint64_t window = s->event[i].window_edge - s->event[i].key;
    ask(x,
        "%c advertises a window of %" PRIu64 " octets, and a full FPDU takes %" PRIu64
        ". How many full FPDUs can be in flight at once, and how many octets of the window are then "
        "unused?",
        story_side_name(s->event[i].side), window, fpdu);
    want_number(x, "full FPDUs", "FPDUs", window / fpdu);
    want_number(x, "octets unused", "octets", window % fpdu);
    return answer(x, "%" PRIu64 " FPDUs; %" PRIu64 " octets", window / fpdu, window % fpdu);
}

/* In the segment of the stream that has most markers. */
static bool ask_markers(const struct story *s, struct exercise *x)
{
    enum { EVERY = 512 };
    char name[STORY_NAME_MAX];
    int best = STORY_NOBODY;
    for (int i = 0; s->markers && i < s->segments; i++)
        if (s->segment[i].end != STORY_NONE && s->segment[i].end - s->segment[i].key > EVERY)
            best = i;
    if (best < 0)
        return false;
    const struct story_segment *g = &s->segment[best];
    ask(x,
        "The FPDU of %s takes octets %" PRIu64 " .. %" PRIu64
        " of its stream. At which octets does it contain markers, and how far back does the first one point?",
        story_segment_name(s, best, name), g->key, g->end - 1);
    uint64_t first = (g->key + EVERY - 1) / EVERY * EVERY;
    size_t used = (size_t)snprintf(x->answer, sizeof x->answer, "at");
    for (uint64_t at = first; at < g->end && x->fields < REPLY_FIELDS - 1; at += EVERY) {
        want_number(x, "a marker at octet", "octets", at);
        used += (size_t)snprintf(x->answer + used, sizeof x->answer - used, " %" PRIu64, at);
    }
    want_number(x, "octets back", "octets", first - g->key);
    snprintf(x->answer + used, sizeof x->answer - used, "; %" PRIu64 " octets", first - g->key);
    return true;
}

/* A delivery while another stream of the association waits for a loss. */
static bool ask_streams(const struct story *s, struct exercise *x)
{
    int late = s->sctp && s->several ? latecomer(s) : STORY_NOBODY;
    if (late < 0)
        return false;
    const struct story_message *m = &s->message[late];
    const struct story_segment *last = &s->segment[m->last];
    unsigned others = 0;
    for (int i = 0; last->placed >= 0 && i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        bool meanwhile = e->t > s->event[last->placed].t && e->t < s->event[m->delivered].t;
        others += e->kind == TRACE_DELIVERED && e->conn != m->conn && meanwhile;
    }
    ask(x,
        "While the %s of stream c%d is in place and waits, how many messages of other streams are delivered, "
        "and how many would be over one TCP connection?",
        op_of(m), m->conn);
    want_number(x, "messages of other streams", "messages", others);
    return answer(x, "%u; over one TCP connection only those sent before the lost segment", others);
}

static bool ask_invalidated(const struct story *s, struct exercise *x)
{
    for (int i = 0; i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        char time[STORY_NAME_MAX];
        if (!e->said.invalidated)
            continue;
        ask(x,
            "Which STag can no longer be used after the first invalidation, and when does the program that "
            "registered it learn of this?");
        want_number(x, "STag", "STag", e->said.invalidated);
        want_time(x, "learned at", e->t, e->t);
        answer(x, "STag 0x%08x; at %s us", e->said.invalidated, story_time(e->t, time));
        return true;
    }
    return false;
}

/* Of the last Atomic. */
static bool ask_original(const struct story *s, struct exercise *x)
{
    uint64_t was = story_original(s);
    unsigned n = 0;
    for (int i = 0; i < s->events; i++)
        n += s->event[i].said.original != TRACE_NO_NUMBER;
    if (was == STORY_NONE)
        return false;
    ask(x, "A posts %u Atomics on a number that is 0 at first. What value does the last one return?", n);
    want_number(x, "value", NULL, was);
    return answer(x, "%" PRIu64, was);
}

/* Of the first program that looks at memory. */
static bool ask_peek(const struct story *s, struct exercise *x)
{
    int i = story_next(s, TRACE_LOOKED, 0);
    if (i < 0 || s->event[i].message < 0)
        return false;
    const struct story_event *e = &s->event[i];
    char at[STORY_NAME_MAX];
    ask(x, "%c's program reads the first Write at %s us. How many of its %u octets have not come by then?",
        story_side_name(e->side), story_time(e->t, at), e->length);
    want_number(x, "octets", "octets", story_missing(s, e->message, e->t));
    return answer(x, "%" PRIu64, story_missing(s, e->message, e->t));
}

static bool (*const asks[])(const struct story *, struct exercise *) = {
    ask_peek,        ask_window,    ask_markers, ask_streams, ask_invalidated, ask_original, ask_early,
    ask_count_early, ask_latecomer, ask_waiting, ask_lost,    ask_segments,    ask_field,    ask_untold};

int exercise_make(const struct story *s, uint64_t draw, struct exercise *out, int max)
{
    memset(out, 0, (size_t)max * sizeof *out);
    int n = max && (ask_heard(s, draw, out) || ask_complete(s, out));
    n += n < max && ask_terminate(s, draw, &out[n]);
    for (size_t i = 0; i < sizeof asks / sizeof *asks && n < max; i++)
        n += asks[i](s, &out[n]);
    return n;
}

/* ---- an answer that was handed in ---- */

bool exercise_is_right(const struct exercise *x, const char *answer)
{
    return reply_is_right(x->field, x->fields, x->question, answer);
}

/* ---- a number of one's own ---- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Steps that have no divisor in common with the spread meet each number once before one comes again. */
uint64_t exercise_own(uint64_t least, uint64_t spread, uint64_t key, uint64_t student)
{
    uint64_t step = spread / 8 * 5 + 1;
    while (common_divisor(step, spread) != 1)
        step++;
    return least + (channel_draw(key, 0) % spread + student % spread * step) % spread;
}

/* ---- another script ---- */

enum { LEAST = 100 }; /* smaller numbers stay */

uint64_t exercise_vary_octets(uint64_t octets, uint64_t key, uint64_t number)
{
    uint64_t spread = octets / 2 + 1;
    return octets < LEAST ? octets : octets - octets / 4 + channel_draw(key, number) % spread;
}

/* A summand of an Atomic: from 1 to twice what it was. */
static bool is_summand(const char *script, size_t before)
{
    static const char word[] = "fetch_add ";
    enum { LONG = sizeof word - 1 };
    return before >= LONG && memcmp(script - LONG, word, LONG) == 0;
}

static uint64_t vary(const char *at, size_t before, uint64_t n, uint64_t key, uint64_t number)
{
    return is_summand(at, before) && n ? 1 + channel_draw(key, number) % (2 * n)
                                       : exercise_vary_octets(n, key, number);
}

bool exercise_vary_script(const char *script, uint64_t key, char *out, size_t size)
{
    size_t used = 0;
    const char *start = script;
    for (uint64_t number = 0; *script; number++) {
        size_t digits = strspn(script, "0123456789"), words = strcspn(script, "0123456789");
        uint64_t octets = 0;
        for (size_t i = 0; i < digits; i++)
            octets = octets * 10 + (uint64_t)(script[i] - '0');
        int n = digits ? snprintf(out + used, size - used, "%" PRIu64,
                                  vary(script, (size_t)(script - start), octets, key, number))
                       : snprintf(out + used, size - used, "%.*s", (int)words, script);
        if (n < 0 || (size_t)n >= size - used)
            return false;
        used += (size_t)n;
        script += digits ? digits : words;
    }
    return true;
}
