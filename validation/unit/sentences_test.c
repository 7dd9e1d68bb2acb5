/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sentences_test.c -- every line that a story tells is true of its record: drawn scenarios over all lower layers and
 * receive paths, and the same lines with rows of the table changed, which must be noticed.
 *
 *   IWARPSIM_DRAWS=N build/unit/sentences_test     N scenarios instead of 1,000; with IWARPSIM_NIGHTLY 10,000 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel/channel.h"
#include "helpers/story/story_load.h"
#include "helpers/story/telling.h"
#include "scenario_rig.h"

enum {
    FEW = 1000,
    NIGHTLY = 10000,
    KEPT = 100,
    ROWS_MAX = 120,
    ROWS_TOLD = 40,
    SETS_MAX = 32,
    SET_LONG = 160
};

/* ---- scenarios ---- */

struct draw {
    uint64_t seed, drawn;
    char set[SETS_MAX][SET_LONG];
    const char *sets[SETS_MAX];
    size_t count;
};

static uint64_t below(struct draw *d, uint64_t n)
{
    return channel_draw(d->seed, d->drawn++) % n;
}

static const char *one_of(struct draw *d, const char *const *words)
{
    size_t n = 0;
    while (words[n])
        n++;
    return words[below(d, n)];
}
#define ONE_OF(d, ...) one_of(d, (const char *const[]){__VA_ARGS__, NULL})

__attribute__((format(printf, 2, 3))) static void set(struct draw *d, const char *format, ...)
{
    assert_true(d->count < SETS_MAX);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(d->set[d->count], SET_LONG, format, arguments);
    va_end(arguments);
    d->sets[d->count] = d->set[d->count];
    d->count++;
}

static void draw_script(struct draw *d)
{
    char script[SET_LONG] = "";
    for (uint64_t n = 1 + below(d, 4); n; n--)
        snprintf(script + strlen(script), sizeof script - strlen(script), "%s %d; ",
                 ONE_OF(d, "write", "write", "send", "send", "send_se", "send_se_inv", "read", "read",
                        "fetch_add"),
                 (int)(1 + below(d, 9000)));
    set(d, "workload.kind=script");
    set(d, "workload.script=%s%s", script,
        ONE_OF(d, "wait", "wait", "write 100 to foreign", "send 100 unexpected", "wait; write 100"));
}

/* A program that reads what was written, by one of the ways to learn of it; writes that take time. */
static void draw_reader(struct draw *d)
{
    set(d, "workload.notify=%s",
        ONE_OF(d, "send", "send_waits", "immediate", "immediate_count", "atomic", "read_back", "last_octet",
               "flag", "flag_other", "flag_other_waits", "atomic_other"));
    set(d, "workload.notify_poll=%s", ONE_OF(d, "0ns", "0ns", "3us"));
    set(d, "rnic.pcie.generation=%s", ONE_OF(d, "0", "4"));
}

/* Over a star; an Atomic has 8 octets. */
static void draw_many(struct draw *d)
{
    const char *op = ONE_OF(d, "write", "send", "read", "fetch_add");
    const char *kind = ONE_OF(d, "stream", "stream", "incast", "incast", "storage");
    set(d, "workload.kind=%s", kind);
    set(d, "topology.kind=star");
    set(d, "topology.hosts=3");
    if (strcmp(kind, "storage") != 0)
        set(d, "workload.op=%s", op);
    set(d, "workload.size=%d%s", strcmp(op, "fetch_add") ? (int)(1 + below(d, 6)) : 8,
        strcmp(op, "fetch_add") ? "KiB" : "B");
    set(d, "workload.count=%d", (int)(1 + below(d, 4)));
    if (strcmp(op, "write") == 0 && strcmp(kind, "storage") != 0)
        draw_reader(d);
}

/* Messages of DDPP core, without adapters. */
static void draw_core(struct draw *d)
{
    set(d, "llp.kind=sctp");
    set(d, "workload.kind=transport_classes");
    set(d, "workload.class=%s",
        ONE_OF(d, "reliable_ordered", "reliable_unordered", "unreliable_ordered", "unreliable_unordered"));
    set(d, "workload.size=1KiB");
    set(d, "workload.count=%d", (int)(1 + below(d, 9)));
}

static void draw_tcp(struct draw *d)
{
    set(d, "llp.markers=%s", ONE_OF(d, "true", "false"));
    set(d, "llp.loss_detection=%s", ONE_OF(d, "rack", "dupack"));
    set(d, "llp.congestion=%s", ONE_OF(d, "cubic", "newreno"));
    set(d, "llp.crc_error=%s", ONE_OF(d, "terminate", "drop"));
    set(d, "llp.delayed_ack=%s", ONE_OF(d, "1", "2"));
    if (strstr(d->set[d->count - 1], "=1"))
        set(d, "llp.min_rto=%s", ONE_OF(d, "1ms", "30us", "12us"));
}

/* What waits where: the window is the receiver's memory, where there is one. */
static void draw_receiver(struct draw *d, bool windows, bool discards)
{
    const char *receive = ONE_OF(d, "place", "place", "hold", "copy", "discard");
    if (!discards && strcmp(receive, "discard") == 0)
        receive = "place";
    set(d, "rnic.receive=%s", receive);
    if (strcmp(receive, "copy") == 0) {
        if (windows)
            set(d, "rnic.window.policy=buffer");
        set(d, "rnic.cpu.copy_rate=%s", ONE_OF(d, "300Mbps", "1Gbps", "10Gbps"));
    }
    if (windows)
        set(d, "rnic.window.bytes=%s", ONE_OF(d, "64KiB", "16KiB", "4KiB"));
    if (!below(d, 6))
        set(d, "rnic.staging_bytes=%s", ONE_OF(d, "2KiB", "4KiB"));
}

static void draw_layer(struct draw *d)
{
    const char *kind = ONE_OF(d, "mpa", "mpa", "sctp", "packet", "ideal");
    bool packet = strcmp(kind, "packet") == 0;
    set(d, "llp.kind=%s", kind);
    if (strcmp(kind, "mpa") == 0)
        draw_tcp(d);
    if (packet)
        set(d, "llp.recovery=%s", ONE_OF(d, "go_back_n", "irn", "rud"));
    draw_receiver(d, !packet, strcmp(kind, "sctp") != 0);
}

static void draw_channel(struct draw *d)
{
    set(d, "channel.loss=%s", ONE_OF(d, "0", "0", "0.05", "0.1", "0.2"));
    set(d, "channel.corrupt=%s", ONE_OF(d, "0", "0", "0.05"));
    set(d, "channel.duplicate=%s", ONE_OF(d, "0", "0", "0.1"));
    set(d, "channel.reorder.probability=%s", ONE_OF(d, "0", "0", "0.2"));
    set(d, "channel.reorder.displacement=3");
}

static void draw_scenario(struct draw *d, uint64_t number)
{
    *d = (struct draw){.seed = number};
    set(d, "world=fabric");
    set(d, "seed=%d", (int)number);
    set(d, "topology.rate=10Gbps");
    set(d, "topology.delay=5us");
    draw_channel(d);
    if (!below(d, 12)) {
        draw_core(d);
        return;
    }
    draw_layer(d);
    if (!below(d, 20))
        set(d, "workload.kind=errors");
    else if (below(d, 3))
        draw_script(d);
    else
        draw_many(d);
}

/* NULL: such a scenario is refused. */
static struct story *story_of(struct draw *d)
{
    char error[STORY_ERROR_MAX] = "";
    int status;
    struct scenario *s = scenario_from("drawn", NULL, 0, d->sets, d->count, error);
    const struct story_request r = {.file = "drawn", .segments_max = 2000};
    struct story *story = s && s->points == 1 ? story_run(s, 0, &r, error, &status) : NULL;
    scenario_free(s);
    return story;
}

static uint64_t draws(void)
{
    const char *asked = getenv("IWARPSIM_DRAWS");
    return asked ? strtoull(asked, NULL, 10) : getenv("IWARPSIM_NIGHTLY") ? NIGHTLY : FEW;
}

/* ---- what words claim, whichever row they stand in ---- */

/* That the peer has what a request of this end said. */
static bool shows_peer_has_them(const struct telling *t)
{
    uint64_t octets = 0, placed = 0;
    for (int i = 0; i < t->s->events; i++) {
        const struct story_event *e = &t->s->event[i];
        bool here = e->conn == t->e->conn && e->t <= t->e->t;
        bool done = e->kind == TRACE_DONE && e->side == t->e->side && e->said.op != IW_READ &&
                    e->said.op != IW_RECV && e <= t->e;
        octets += here && done ? e->length : 0;
        placed += here && e->kind == TRACE_PLACED && e->side != t->e->side ? e->length : 0;
    }
    return placed >= octets;
}

static bool shows_tcp(const struct telling *t)
{
    return !t->s->sctp;
}

static bool shows_network(const struct telling *t)
{
    return t->e->kind == TRACE_LOST;
}

static const struct {
    const char *words;
    bool (*holds)(const struct telling *);
} claims[] = {{"the peer has them", shows_peer_has_them},
              {"everything below", shows_below_key},
              {"duplicate acknowledgements", shows_tcp},
              {"the network LOSES", shows_network},
              {"EARLY", shows_early_arrival},
              {" early: ", shows_hole},
              {"again", shows_there_before},
              {"registers", shows_first_region},
              {"DELIVERS", shows_all_in_place},
              {"everything before it", shows_all_in_place}};

static bool is_true(const struct story_sentence *row, const struct telling *t)
{
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        if (strstr(row->words, claims[i].words) && t->g && !claims[i].holds(t))
            return false;
    return !row->holds || row->holds(t);
}

/* ---- the check ---- */

/* How many lines of a story are false; they are printed with its settings when those are given. */
static unsigned false_lines(const struct story *s, const struct story_sentence *rows, int n,
                            const struct draw *d)
{
    unsigned wrong = 0;
    struct narration told;
    for (int i = 0; i < s->events; i++) {
        struct telling t = telling_of(s, i, &told);
        const struct story_sentence *row = sentence_of(rows, n, &t);
        if (!row || is_true(row, &t))
            continue;
        sentence_tell(row, &t);
        if (d && !wrong)
            for (size_t k = 0; k < d->count; k++)
                printf(" --set '%s'", d->sets[k]);
        if (d)
            printf("\nat %llu ps, %c: %s\n", (unsigned long long)t.e->t, story_side_name(t.e->side),
                   told.text);
        wrong++;
    }
    return wrong;
}

/* Which rows were told. */
static unsigned mark_told(const struct story *s, bool told[ROWS_MAX])
{
    unsigned n = 0;
    for (int i = 0; i < s->events; i++) {
        struct telling t = telling_of(s, i, NULL);
        const struct story_sentence *row = sentence_of(sentences, sentences_count, &t);
        if (row)
            told[row - sentences] = true;
    }
    for (int i = 0; i < sentences_count; i++)
        n += told[i];
    return n;
}

TEST(every_line_told_is_true)
{
    struct draw d;
    bool told[ROWS_MAX] = {false};
    unsigned wrong = 0, run = 0, rows = 0;
    for (uint64_t i = 0; i < draws(); i++) {
        draw_scenario(&d, i);
        struct story *s = story_of(&d);
        if (!s)
            continue;
        wrong += false_lines(s, sentences, sentences_count, &d);
        rows = mark_told(s, told);
        run++;
        story_free(s);
    }
    assert_true(run > draws() / 2);
    assert_int_equal(wrong, 0);
    assert_true(rows >= ROWS_TOLD);
}

/* ---- planted falsehoods ---- */

static bool always(const struct telling *t)
{
    return t->g != NULL;
}

/* One row of the table changed: which, by its kind and the beginning of its words; told of another kind of event, in other
 * states, or in other words. */
static const struct plant {
    enum trace_kind kind;
    const char *words;
    enum trace_kind instead;
    bool (*when)(const struct telling *);
    const char *says;
} plants[] = {
    {TRACE_DONE, "tells the ULP that its {name} is complete: {octets}; it", TRACE_DONE, NULL,
     "its {name} is complete: {octets}; the peer has them"},
    {TRACE_WINDOW, "acknowledges everything", TRACE_WINDOW, NULL, NULL},
    {TRACE_RESENT, "retransmits {segment}: duplicate", TRACE_RESENT, NULL, NULL},
    {TRACE_LOST, "the network LOSES {segment}", TRACE_REFUSED, always, NULL},
    {TRACE_LOST, "the network LOSES {segment}", TRACE_LANDED, always, NULL},
    {TRACE_PLACED, "places {segment}: {payload} at {where}. EARLY", TRACE_PLACED, always, NULL},
    {TRACE_PLACED, "places {segment}: {payload} at {where}", TRACE_PLACED, always, NULL},
    {TRACE_PLACED, "places {segment}: {payload} at {where}", TRACE_LANDED, always, NULL},
    {TRACE_LANDED, "receives {segment} again", TRACE_LANDED, always, NULL},
    {TRACE_LANDED, "receives {segment} early", TRACE_LANDED, always, NULL},
    {TRACE_LANDED, "puts {segment} into the kernel's buffer; ", TRACE_LANDED, always, NULL},
    {TRACE_ARRIVED, "receives {segment} early: {hole}", TRACE_ARRIVED, always, NULL},
    {TRACE_REFUSED, "refuses {segment}; to its sender it is lost (", TRACE_LANDED, always, NULL},
    {TRACE_KEPT, "keeps", TRACE_LEFT, always, NULL},
    {TRACE_DELIVERED, "DELIVERS the {type}, MSN", TRACE_PLACED, always, NULL},
    {TRACE_DELIVERED, "has the Write", TRACE_ARRIVED, always, NULL},
    {TRACE_LOOKED, "its program ({name}) reads the Write of {message}; all had come", TRACE_LOOKED, always,
     NULL},
    {TRACE_LOOKED, "its program ({name}) reads the Write of {message}: {m", TRACE_LOOKED, always, NULL},
    {TRACE_WRITTEN, "issues the write", TRACE_LEFT, always, NULL},
    {TRACE_SENT, "sends", TRACE_RESENT, always, NULL},
    {TRACE_LEFT, "sends", TRACE_LANDED, always, NULL},
    {TRACE_RESENT, "retransmits {segment}: no", TRACE_LEFT, always, NULL},
    {TRACE_TIMEOUT, "learns that its timeout was spurious", TRACE_TIMEOUT, NULL, NULL},
    {TRACE_TIMEOUT, "times out", TRACE_SENT, NULL, NULL},
    {TRACE_SPURIOUS, "learns that it retransmitted", TRACE_RESENT, always, NULL},
    {TRACE_SPURIOUS, "learns that {segment} came twice", TRACE_LEFT, always, NULL},
    {TRACE_DONE, "tells the ULP of a receive", TRACE_RECV, NULL, NULL},
    {TRACE_DONE, "tells the ULP that its {name} is complete: {octets}{rest}", TRACE_POST, NULL, NULL},
    {TRACE_DONE, "returns", TRACE_DONE, NULL, NULL},
    {TRACE_TERMINATE_RECEIVED, "learns", TRACE_TERMINATE_SENT, NULL, NULL},
};

/* The table with the changed row first, and with others of its kind that would be told instead behind it. */
static int planted(struct story_sentence out[ROWS_MAX], const struct plant *p)
{
    int found = 0;
    while (sentences[found].kind != p->kind || !sentences[found].words ||
           strncmp(sentences[found].words, p->words, strlen(p->words)) != 0)
        found++;
    assert_true(found < sentences_count && sentences_count < ROWS_MAX);
    out[0] = sentences[found];
    out[0].kind = p->instead;
    out[0].when = p->when;
    out[0].reason = LLP_WHY_NONE;
    out[0].words = p->says ? p->says : out[0].words;
    memcpy(out + 1, sentences, (size_t)sentences_count * sizeof *sentences);
    return sentences_count + 1;
}

TEST(planted_falsehoods_are_noticed)
{
    struct story *kept[KEPT] = {NULL};
    struct story_sentence rows[ROWS_MAX];
    struct draw d;
    int n = 0;
    for (uint64_t i = 0; n < KEPT; i++) {
        draw_scenario(&d, i);
        kept[n] = story_of(&d);
        n += kept[n] != NULL;
    }
    for (const struct plant *p = plants; p < plants + sizeof plants / sizeof *plants; p++) {
        unsigned noticed = 0;
        int count = planted(rows, p);
        for (int i = 0; i < n && !noticed; i++)
            noticed = false_lines(kept[i], rows, count, NULL);
        if (!noticed)
            fail_msg("not noticed: '%s' of %s", rows[0].words, trace_words[p->instead]);
    }
    for (int i = 0; i < n; i++)
        story_free(kept[i]);
}
