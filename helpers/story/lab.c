/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lab.c -- one table of labs (lab.h). */
#include "helpers/story/lab.h"
#include "helpers/story/challenge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/scenario.h"
#include "helpers/story/story_load.h"

enum { SEGMENTS_MAX = 2000, SET_LONG = 80, SETS_MOST = LAB_SETS + 12, PERCENT = 100 };
enum { ROUNDED = 10000 }; /* ps: what a time that is read off a table may be off */

/* ---- what is measured ---- */

static uint64_t count_segments(const struct story *s)
{
    uint64_t n = 0;
    for (int i = 0; i < s->segments; i++)
        n += s->segment[i].side == 0;
    return n;
}

static uint64_t count_placed(const struct story *s)
{
    uint64_t n = 0;
    for (int i = 0; i < s->events; i++)
        n += s->event[i].kind == TRACE_PLACED && s->event[i].side == 1;
    return n;
}

static uint64_t last_delivery(const struct story *s)
{
    int i = story_last(s, TRACE_DELIVERED);
    return i < 0 ? 0 : s->event[i].t;
}

static uint64_t count_instants(const struct story *s)
{
    uint64_t n = 0, last = STORY_NONE;
    for (int i = 0; i < s->events; i++)
        if (s->event[i].kind == TRACE_DONE && s->event[i].side == 1 && s->event[i].t != last) {
            last = s->event[i].t;
            n++;
        }
    return n;
}

static uint64_t stream_end(const struct story *s)
{
    uint64_t end = 0;
    for (int i = 0; i < s->segments; i++)
        if (s->segment[i].side == 0 && s->segment[i].end > end)
            end = s->segment[i].end;
    return end;
}

static const struct lab_measure segments = {"segments", "segments", count_segments},
                                placed = {"segments placed", "segments", count_placed},
                                delivered = {"delivered at (us)", "time", last_delivery},
                                instants = {"instants", NULL, count_instants},
                                stream = {"octets of the stream", "octets", stream_end};

/* ---- what is asked ---- */

enum asked {
    ASK_VALUE,      /* of {x} and {by} */
    ASK_DIFFERENCE, /* at {x}, between the two columns */
    ASK_PART,       /* the first x at which the two columns differ */
    ASK_ENOUGH      /* the first x from which on the column stays as it ends, to 1 % */
};

struct lab_question {
    enum asked asked;
    const char *text;    /* {x} and {by} */
    const char *drawn;   /* the rows that {x} may be, a digit each */
    unsigned by, beside; /* columns */
    unsigned off;        /* percent that count */
};

/* ---- the table ---- */

static const struct lab table[LABS] = {
    {"Into how many segments is a message cut?",
     "A Write's header has 14 octets and a Send's 18: why do the two curves part so seldom?",
     {"workload.script={by} {x}"},
     "octets",
     "octets",
     {"1000", "2000", "2880", "4000", "5000", "5760", "7000", "8000", "8640"},
     "message",
     {"write", "send"},
     &segments,
     (const struct lab_question[]){
         {ASK_VALUE, "Predict: into how many segments is a Write of {x} octets cut?", "345678", 0, 0, 0},
         {ASK_PART, "Of how many octets is the shortest message of which a Send needs more segments?", "0", 1,
          0, 0},
         {ASK_VALUE, "Into how many segments is a Send of {x} octets cut?", "258", 1, 0, 0}}},
    {"Four receive paths and one late packet",
     "Which path pays for lateness, and with what: time, or memory?",
     {"workload.script=write 30000; send 100", "channel.reorder.probability=0.2",
      "channel.reorder.displacement={x}", "rnic.receive={by}", "seed=5"},
     "packets late",
     NULL,
     {"1", "2", "3", "4", "5", "6"},
     "receive path",
     {"place", "hold", "discard"},
     &delivered,
     (const struct lab_question[]){
         {ASK_VALUE,
          "Predict: where packets come {x} places late, when is the last message delivered with {by}?",
          "012345", 0, 0, 10},
         {ASK_DIFFERENCE, "How much later is it delivered with discard, where they come {x} places late?",
          "2345", 2, 0, 1},
         {ASK_DIFFERENCE,
          "How much later is it delivered with hold than with place, where they come {x} places late?",
          "2345", 1, 0, 1}}},
    {"The window that fills a path",
     "Compare the window from which on more does not help with rate times round trip.",
     {"workload.script=write 100000", "rnic.window.bytes={x}", "topology.delay={by}"},
     "window",
     "octets",
     {"4KiB", "8KiB", "12KiB", "16KiB", "24KiB", "32KiB", "48KiB", "64KiB"},
     "delay one way",
     {"5us", "10us"},
     &delivered,
     (const struct lab_question[]){
         {ASK_VALUE,
          "Predict: with a window of {x} and {by} each way, when is a Write of 100000 octets delivered?",
          "0123", 1, 0, 10},
         {ASK_ENOUGH, "From which window on does more not help at {by} each way, to 1 %?", "0", 0, 0, 0},
         {ASK_DIFFERENCE,
          "With a window of {x}, how much longer does it take at 10 us each way than at 5 us?", "0123", 1, 0,
          1}}},
    {"What is placed before an error is found",
     "Which octets of the wrong message are in memory?",
     {"workload.script=write {x}; {by}"},
     "octets before it",
     "octets",
     {"1000", "3000", "5000", "7000", "9000"},
     "what is wrong",
     {"write 100 to nothing", "send 5000 into 4000"},
     &placed,
     (const struct lab_question[]){
         {ASK_VALUE,
          "Predict: of a good Write of {x} octets and a Write to an STag that is not there, how many "
          "segments are placed?",
          "1234", 0, 0, 0},
         {ASK_DIFFERENCE, "How many segments are placed of a Send of 5000 octets whose buffer has 4000?",
          "1234", 1, 0, 0},
         {ASK_VALUE, "How many segments are placed of a good Write of {x} octets and that Send together?",
          "1234", 1, 0, 0}}},
    {"How often the program is told",
     "What does a program wait for longer when it is told more seldom?",
     {"workload.kind=stream", "workload.op=send", "workload.size=1000B", "workload.count=16",
      "rnic.completion.mode=interrupt", "rnic.completion.count={x}", "rnic.completion.interval=20us",
      "topology.rate={by}"},
     "completions an interrupt",
     NULL,
     {"1", "2", "4", "8", "16"},
     "rate",
     {"10Gbps", "40Gbps"},
     &instants,
     (const struct lab_question[]){
         {ASK_VALUE,
          "Predict: with {x} completions an interrupt at 10 Gb/s, at how many instants does B's program "
          "learn of sixteen Sends?",
          "234", 0, 0, 34},
         {ASK_VALUE, "At how many with {x} completions an interrupt at 40 Gb/s?", "0123", 1, 0, 0},
         {ASK_DIFFERENCE,
          "With {x} completions an interrupt, how many instants more are there at 10 Gb/s than at 40?", "012",
          1, 0, 0}}},
    {"What markers cost",
     "Every 512 octets stand four of a marker: does the difference of the curves say so?",
     {"workload.script=write {x}", "llp.markers={by}"},
     "octets",
     "octets",
     {"1000", "2000", "4000", "8000", "16000", "32000"},
     "markers",
     {"false", "true"},
     &stream,
     (const struct lab_question[]){
         {ASK_VALUE,
          "Predict: without markers, how many octets of TCP's stream does a Write of {x} octets take?",
          "12345", 0, 0, 1},
         {ASK_DIFFERENCE, "How many octets of the stream more does a Write of {x} octets take with markers?",
          "2345", 1, 0, 0},
         {ASK_VALUE, "How many octets of the stream does a Write of {x} octets take with markers?", "1234", 1,
          0, 0}}},
    {"What a loss holds up",
     "How was each loss found: by acknowledgements, or by a timer?",
     {"workload.kind=stream", "workload.op=send", "workload.size=2000B", "workload.count=12", "llp.kind={by}",
      "channel.loss={x}", "seed=3"},
     "share of packets lost",
     NULL,
     {"0", "0.02", "0.05", "0.1", "0.15"},
     "lower layer",
     {"mpa", "sctp"},
     &delivered,
     (const struct lab_question[]){
         {ASK_VALUE,
          "Predict: without a loss, when is the last of twelve Sends of 2000 octets delivered over TCP?", "0",
          0, 0, 10},
         {ASK_VALUE, "When is it where {x} of the packets are lost, over SCTP?", "1234", 1, 0, 1},
         {ASK_DIFFERENCE, "How far apart are TCP and SCTP where {x} of the packets are lost?", "1234", 1, 0,
          1}}},
    {"Many senders, one receiver",
     "Which hosts' packets were lost in the short queue, and how long did they wait for it to be noticed?",
     {"topology.kind=star", "topology.hosts={x}", "workload.kind=incast", "workload.op=write",
      "workload.size=16KiB", "workload.count=1", "topology.buffer={by}"},
     "hosts",
     "hosts",
     {"2", "3", "4", "5", "6", "8"},
     "queue",
     {"16KiB", "256KiB"},
     &delivered,
     (const struct lab_question[]){
         {ASK_VALUE,
          "Predict: with {x} hosts and a queue of {by}, when is the last Write of 16 KiB delivered?", "12345",
          1, 0, 10},
         {ASK_PART, "From how many hosts on is the short queue too short?", "0", 0, 1, 0},
         {ASK_DIFFERENCE, "With {x} hosts, how much does the short queue cost?", "345", 0, 1, 1}}},
};

const struct lab *lab_of(unsigned number)
{
    return number && number <= LABS ? &table[number - 1] : NULL;
}

/* ---- a point ---- */

/* The text with {x} and {by} filled in. */
static void fill(char *out, size_t size, const char *text, const char *x, const char *by)
{
    size_t used = 0;
    *out = 0;
    while (*text && used < size - 1) {
        const char *is = strncmp(text, "{x}", 3) == 0 ? x : strncmp(text, "{by}", 4) == 0 ? by : NULL;
        int n =
            is ? snprintf(out + used, size - used, "%s", is) : snprintf(out + used, size - used, "%c", *text);
        used += (size_t)n;
        text += is ? strcspn(text, "}") + 1 : 1;
    }
}

bool lab_run(const struct lab *l, size_t x, size_t by, uint64_t *value, char *why)
{
    const struct story_request r = {.file = "lab", .segments_max = SEGMENTS_MAX};
    char own[LAB_SETS][SET_LONG];
    const char *sets[SETS_MOST] = {"seed=1"};
    size_t n = 1;
    int status;
    for (const char *const *p = challenge_pair; *p; p++)
        sets[n++] = *p;
    for (size_t i = 0; l->sets[i]; i++) {
        fill(own[i], sizeof own[i], l->sets[i], l->x[x], l->by[by]);
        sets[n++] = own[i];
    }
    struct scenario *s = scenario_from("lab", NULL, 0, sets, n, why);
    struct story *story = s ? story_run(s, 0, &r, why, &status) : NULL;
    if (story)
        *value = l->measure->of(story);
    bool good = story != NULL;
    story_free(story);
    scenario_free(s);
    return good;
}

bool lab_run_all(const struct lab *l, struct lab_table *t, char *why)
{
    for (size_t i = 0; l->x[i]; i++)
        for (size_t k = 0; l->by[k]; k++)
            if (!lab_run(l, i, k, &t->value[i][k], why))
                return false;
    return true;
}

/* ---- what is right ---- */

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* The row that answers a question about rows. */
static size_t row_of(const struct lab *l, const struct lab_question *q, const struct lab_table *t)
{
    size_t last = 0, i = 0;
    while (l->x[last + 1])
        last++;
    if (q->asked == ASK_PART)
        while (i < last && t->value[i][q->by] == t->value[i][q->beside])
            i++;
    else
        for (i = last;
             i && apart(t->value[i - 1][q->by], t->value[last][q->by]) <= t->value[last][q->by] / PERCENT;)
            i--;
    return i;
}

/* "24KiB" in octets, "6" as it is. */
static uint64_t number_said(const char *x)
{
    char *end;
    uint64_t n = strtoull(x, &end, 10);
    return strcmp(end, "KiB") == 0 ? n * 1024 : n;
}

static struct reply_field field_of(const struct lab *l, const struct lab_question *q, size_t drawn,
                                   const struct lab_table *t)
{
    bool row = q->asked >= ASK_PART, time = !row && l->measure->unit && strcmp(l->measure->unit, "time") == 0;
    const uint64_t *in = t->value[drawn];
    uint64_t is = row                     ? number_said(l->x[row_of(l, q, t)])
                  : q->asked == ASK_VALUE ? in[q->by]
                                          : apart(in[q->by], in[q->beside]);
    uint64_t off = is * q->off / PERCENT;
    if (time && off < ROUNDED)
        off = ROUNDED;
    return (struct reply_field){.kind = time ? REPLY_TIME : REPLY_NUMBER,
                                .label = row    ? l->x_name
                                         : time ? "time"
                                                : l->measure->name,
                                .unit = row    ? l->x_unit
                                        : time ? NULL
                                               : l->measure->unit,
                                .from = is > off ? is - off : 0,
                                .to = is + off};
}

void lab_ask(const struct lab *l, uint64_t student, const struct lab_table *t,
             struct exercise out[LAB_QUESTIONS])
{
    static const struct lab_table nothing;
    for (size_t i = 0; i < LAB_QUESTIONS; i++) {
        const struct lab_question *q = &l->question[i];
        size_t drawn = (size_t)(q->drawn[(student + i) % strlen(q->drawn)] - '0');
        memset(&out[i], 0, sizeof out[i]);
        fill(out[i].question, sizeof out[i].question, q->text, l->x[drawn], l->by[q->by]);
        exercise_want(&out[i], field_of(l, q, drawn, t ? t : &nothing));
    }
}
