/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sentences_test.c -- every line that a story tells is true of its record: drawn scenarios over all lower layers and
 * receive paths, and the same lines with rows of the table changed, which must be noticed.
 *
 *   IWARPSIM_DRAWS=N build/unit/sentences_test     N scenarios instead of 300; with IWARPSIM_NIGHTLY 10,000 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel/channel.h"
#include "helpers/story/story_load.h"
#include "helpers/story/telling.h"
#include "scenario_rig.h"

enum { FEW = 300, NIGHTLY = 10000, KEPT = 100, ROWS_MAX = 120, SETS_MAX = 24, SET_LONG = 160 };

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
                 ONE_OF(d, "write", "send", "send_se", "read"), (int)(1 + below(d, 9000)));
    set(d, "workload.kind=script");
    set(d, "workload.script=%s%s", script,
        ONE_OF(d, "wait", "wait", "write 100 to foreign", "send 100 unexpected", "send 10; wait"));
}

static void draw_workload(struct draw *d)
{
    static const char *const ops[] = {"write", "send", "read", "fetch_add", NULL};
    if (below(d, 4)) {
        draw_script(d);
        return;
    }
    set(d, "workload.kind=%s", ONE_OF(d, "stream", "incast"));
    set(d, "topology.kind=star");
    set(d, "topology.hosts=3");
    set(d, "workload.op=%s", one_of(d, ops));
    set(d, "workload.size=%d%s", (int)(1 + below(d, 6)), strstr(d->set[d->count - 1], "fetch") ? "B" : "KiB");
    set(d, "workload.count=%d", (int)(1 + below(d, 4)));
}

static void draw_layer(struct draw *d)
{
    const char *kind = ONE_OF(d, "mpa", "mpa", "sctp", "packet", "ideal");
    bool tcp = strcmp(kind, "mpa") == 0;
    set(d, "llp.kind=%s", kind);
    if (tcp) {
        set(d, "llp.markers=%s", ONE_OF(d, "true", "false"));
        set(d, "llp.loss_detection=%s", ONE_OF(d, "rack", "dupack"));
    }
    if (strcmp(kind, "packet") == 0)
        set(d, "llp.recovery=%s", ONE_OF(d, "go_back_n", "irn", "rud"));
    set(d, "rnic.receive=%s", ONE_OF(d, "place", "place", "hold", "copy", "discard"));
    if (strstr(d->set[d->count - 1], "copy")) {
        set(d, "rnic.window.policy=buffer");
        set(d, "rnic.cpu.copy_rate=%s", ONE_OF(d, "300Mbps", "1Gbps", "10Gbps"));
    }
    set(d, "rnic.window.bytes=%s", ONE_OF(d, "64KiB", "16KiB", "4KiB"));
}

static void draw_scenario(struct draw *d, uint64_t number)
{
    *d = (struct draw){.seed = number};
    set(d, "world=fabric");
    set(d, "seed=%d", (int)number);
    set(d, "topology.rate=10Gbps");
    set(d, "topology.delay=5us");
    draw_layer(d);
    draw_workload(d);
    set(d, "channel.loss=%s", ONE_OF(d, "0", "0", "0.05", "0.1", "0.2"));
    set(d, "channel.corrupt=%s", ONE_OF(d, "0", "0", "0.05"));
    set(d, "channel.duplicate=%s", ONE_OF(d, "0", "0", "0.1"));
    if (!below(d, 3)) {
        set(d, "channel.reorder.probability=0.2");
        set(d, "channel.reorder.displacement=3");
    }
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

static bool shows_nothing(const struct telling *t)
{
    (void)t;
    return false;
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

static bool is_true(const struct sentence *row, const struct telling *t)
{
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        if (strstr(row->words, claims[i].words) && t->g && !claims[i].holds(t))
            return false;
    return !row->holds || row->holds(t);
}

/* ---- the check ---- */

/* How many lines of a story are false; the first of them is printed when `name` is there. */
static unsigned false_lines(const struct story *s, const struct sentence *rows, int n, const struct draw *d)
{
    unsigned wrong = 0;
    struct narration told;
    for (int i = 0; i < s->events; i++) {
        struct telling t = telling_of(s, i, &told);
        const struct sentence *row = sentence_of(rows, n, &t);
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

static unsigned lines_told[ROWS_MAX];

static void count_lines(const struct story *s)
{
    for (int i = 0; i < s->events; i++) {
        struct telling t = telling_of(s, i, NULL);
        const struct sentence *row = sentence_of(sentences, sentences_count, &t);
        if (row)
            lines_told[row - sentences]++;
    }
}

TEST(every_line_told_is_true)
{
    struct draw d;
    unsigned wrong = 0, run = 0;
    for (uint64_t i = 0; i < draws(); i++) {
        draw_scenario(&d, i);
        struct story *s = story_of(&d);
        if (!s)
            continue;
        wrong += false_lines(s, sentences, sentences_count, &d);
        count_lines(s);
        run++;
        story_free(s);
    }
    assert_true(run > draws() / 2);
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    int failed = test_run();
    for (int i = 0; getenv("ROWS") && i < sentences_count; i++)
        printf("%6u %s\n", lines_told[i], sentences[i].words ? sentences[i].words : "-");
    (void)argc, (void)argv, (void)shows_nothing;
    return failed;
}
