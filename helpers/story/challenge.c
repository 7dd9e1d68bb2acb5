/* SPDX-License-Identifier: GPL-2.0-or-later */
/* challenge.c -- one table of tasks, each with its settings, its question and its judge (challenge.h). */
#include "helpers/story/challenge_inner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rdmap.h"
#include "helpers/capture/decode_rules.h"
#include "helpers/scenario/scenario.h"
#include "helpers/story/code.h"
#include "helpers/story/story_load.h"
#include "llp/mpa.h"

enum { SEGMENTS_MAX = 2000, SET_LONG = 64 };
enum { PICOSECONDS = 1000000 }; /* in a microsecond */

/* ---- what is asked in a story ---- */

static unsigned count_resent(const struct story *s, enum llp_reason reason)
{
    unsigned n = 0;
    for (int i = 0; i < s->events; i++)
        n += s->event[i].kind == TRACE_RESENT && s->event[i].said.reason == reason;
    return n;
}

static bool is_terminated(const struct story *s, int term)
{
    for (int i = 0; i < s->events; i++)
        if (s->event[i].kind == TRACE_TERMINATE_SENT && s->event[i].said.term == term)
            return true;
    return false;
}

static uint64_t last_delivery(const struct story *s)
{
    int i = story_last(s, TRACE_DELIVERED);
    return i < 0 ? 0 : s->event[i].t;
}

static uint8_t opcode_of(const struct story *s, const struct story_event *e)
{
    return e->message >= 0 ? s->message[e->message].opcode : RDMAP_OPCODES;
}

static int delivery_of(const struct story *s, uint8_t opcode)
{
    for (int i = 0; i < s->events; i++)
        if (s->event[i].kind == TRACE_DELIVERED && opcode_of(s, &s->event[i]) == opcode)
            return i;
    return STORY_NOBODY;
}

static int post_of(const struct story *s, enum iw_op first, enum iw_op last)
{
    for (int i = 0; i < s->events; i++)
        if (s->event[i].kind == TRACE_POST && s->event[i].said.op >= first && s->event[i].said.op <= last)
            return i;
    return STORY_NOBODY;
}

/* ---- running ---- */

/* The story of it, with `more` behind the solution's settings; NULL: `out` says why. */
static struct story *play_challenge(const struct challenge *c, const char *more, char *out)
{
    const struct story_request r = {.file = "challenge", .segments_max = SEGMENTS_MAX};
    int status;
    struct scenario *s = challenge_scenario(c, more, out);
    struct story *story = s ? story_run(s, 0, &r, out, &status) : NULL;
    scenario_free(s);
    return story;
}

/* ---- the judges ---- */

/* How long the run takes with another window. */
static uint64_t time_with(const struct challenge *c, uint64_t window)
{
    char set[SET_LONG], why[CHALLENGE_TEXT_MAX];
    snprintf(set, sizeof set, "rnic.window.bytes=%" PRIu64 "B", window);
    struct story *s = play_challenge(c, set, why);
    uint64_t t = s ? last_delivery(s) : UINT64_MAX;
    story_free(s);
    return t;
}

static bool judge_window(const struct challenge *c, const struct story *s, char *out)
{
    enum { FPDU = 1460, WIDE = 1 << 20 };
    uint64_t window = 0, mine = last_delivery(s), best = time_with(c, WIDE);
    char a[STORY_NAME_MAX], b[STORY_NAME_MAX];
    for (int i = 0; i < s->events && !window; i++)
        window = s->event[i].kind == TRACE_WINDOW ? s->event[i].window_edge - s->event[i].key : 0;
    if (mine > best + best / 100)
        return challenge_says(
            out,
            "With %" PRIu64
            " octets the Write takes until %s us; with a window that never binds until %s us.",
            window, story_time(mine, a), story_time(best, b));
    uint64_t less = window > FPDU ? time_with(c, window - FPDU) : UINT64_MAX;
    if (less <= best + best / 100)
        return challenge_says(out, "It is large enough; a window one FPDU smaller is, too.");
    challenge_says(out, "%" PRIu64 " octets fill the link, and one FPDU less does not.", window);
    return true;
}

static const int codes[] = {IW_TERM(1, 2, 4), IW_TERM(0, 1, 2), IW_TERM(1, 2, 5), IW_TERM(0, 1, 1)};

static bool judge_terminate(const struct challenge *c, const struct story *s, char *out)
{
    int wanted = codes[c->student % 4];
    if (is_terminated(s, wanted)) {
        challenge_says(out, "The stream ends with " TERM_TEXT ".", TERM_PARTS(wanted));
        return true;
    }
    int i = story_next(s, TRACE_TERMINATE_SENT, 0);
    return i < 0 ? challenge_says(out, "No stream is terminated.")
                 : challenge_says(out, "It ends with %s.", s->event[i].text);
}

static bool lost_one(const struct story *s, char *out)
{
    unsigned lost = story_count(s, TRACE_LOST);
    if (lost != 1)
        challenge_says(out, "%u packets are lost; the challenge requires one.", lost);
    return lost == 1;
}

static uint64_t wait_wanted(uint64_t student)
{
    return 10 + student % 3;
}

static bool judge_wait(const struct challenge *c, const struct story *s, char *out)
{
    char time[STORY_NAME_MAX];
    uint64_t longest = 0;
    if (!lost_one(s, out))
        return false;
    for (int i = 0; i < s->messages; i++) {
        const struct story_message *m = &s->message[i];
        const struct story_segment *last = &s->segment[m->last];
        if (m->head.tagged || m->head.qn != RDMAP_QN_SEND || m->head.msn != 2 || m->delivered < 0 ||
            last->placed < 0 || m->brought_by == m->last)
            continue;
        uint64_t wait = s->event[m->delivered].t - s->event[last->placed].t;
        longest = wait > longest ? wait : longest;
    }
    challenge_says(out, "The Send with MSN 2 was in place for %s us before it was delivered.",
                   story_time(longest, time));
    return longest >= wait_wanted(c->student) * PICOSECONDS;
}

static bool judge_discard(const struct challenge *c, const struct story *s, char *out)
{
    char a[STORY_NAME_MAX], b[STORY_NAME_MAX], why[CHALLENGE_TEXT_MAX];
    unsigned early = story_early(s, NULL);
    if (early < 2)
        return challenge_says(out, "%u segments arrive early with place; the challenge requires two.", early);
    struct story *other = play_challenge(c, "rnic.receive=discard", why);
    uint64_t mine = last_delivery(s), theirs = other ? last_delivery(other) : UINT64_MAX;
    unsigned done = story_count(s, TRACE_DELIVERED), all = other ? story_count(other, TRACE_DELIVERED) : 0;
    story_free(other);
    if (all != done)
        return challenge_says(out, "discard delivers a different number of messages");
    challenge_says(out, "place is done at %s us, discard at %s us.", story_time(mine, a),
                   story_time(theirs, b));
    return theirs <= mine;
}

static bool judge_share(const struct challenge *c, const struct story *s, char *out)
{
    uint64_t early, all = 0;
    (void)c;
    if (!lost_one(s, out))
        return false;
    story_early(s, &early);
    for (int i = 0; i < s->events; i++)
        all += s->event[i].kind == TRACE_PLACED ? s->event[i].length : 0;
    challenge_says(out, "%" PRIu64 " of %" PRIu64 " octets are placed early.", early, all);
    return all >= 20000 && early * 10 >= all * 8;
}

static bool judge_response(const struct challenge *c, const struct story *s, char *out)
{
    (void)c;
    for (int i = 0; i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        if (e->kind == TRACE_PLACED && e->ooo && opcode_of(s, e) == RDMAP_READ_RESP) {
            challenge_says(out, "A part of a Read Response is placed early.");
            return true;
        }
    }
    return challenge_says(out, "No part of a Read Response is placed early.");
}

static bool judge_spurious(const struct challenge *c, const struct story *s, char *out)
{
    unsigned again = story_count(s, TRACE_RESENT);
    (void)c;
    challenge_says(out, "%u segments are retransmitted, and %u are lost.", again, story_count(s, TRACE_LOST));
    return again && !story_count(s, TRACE_LOST);
}

static bool judge_probe(const struct challenge *c, const struct story *s, char *out)
{
    (void)c;
    if (!lost_one(s, out))
        return false;
    challenge_says(out, "%u retransmissions by a probe (TLP), %u by a timeout.", count_resent(s, LLP_WHY_TLP),
                   count_resent(s, LLP_WHY_RTO));
    return count_resent(s, LLP_WHY_TLP) && !count_resent(s, LLP_WHY_RTO);
}

/* The Read is posted first and the Send before the Read is answered; `*ahead`: the Send is delivered before that. */
static bool read_and_send(const struct story *s, bool *ahead, char *out)
{
    int read = post_of(s, IW_READ, IW_READ), send = post_of(s, IW_SEND, IW_SEND_SE_INV),
        told = delivery_of(s, RDMAP_SEND), answered = delivery_of(s, RDMAP_READ_RESP);
    if (read < 0 || send < 0 || told < 0 || answered < 0)
        return challenge_says(out, "The challenge requires a Read and a Send, both delivered.");
    if (read > send || s->event[send].t >= s->event[answered].t)
        return challenge_says(out,
                              "The Read must be posted first, and the Send before the Read is answered.");
    *ahead = s->event[told].t < s->event[answered].t;
    challenge_says(out, "The Send is delivered %s the Read is answered.", *ahead ? "before" : "after");
    return true;
}

static bool judge_ahead(const struct challenge *c, const struct story *s, char *out)
{
    bool ahead = false;
    (void)c;
    return read_and_send(s, &ahead, out) && ahead;
}

static bool judge_fence(const struct challenge *c, const struct story *s, char *out)
{
    bool ahead = true;
    (void)c;
    return read_and_send(s, &ahead, out) && !ahead;
}

static bool judge_unmarked(const struct challenge *c, const struct story *s, char *out)
{
    char name[STORY_NAME_MAX];
    (void)c;
    for (int i = 0; i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        const struct story_segment *g = e->segment >= 0 ? &s->segment[e->segment] : NULL;
        bool early = e->kind == TRACE_PLACED && e->ooo && g && g->end != STORY_NONE;
        if (!early || (g->key + MPA_MARKER_EVERY - 1) / MPA_MARKER_EVERY * MPA_MARKER_EVERY < g->end)
            continue;
        challenge_says(out, "%s is placed early and contains no marker.",
                       story_segment_name(s, e->segment, name));
        return true;
    }
    return challenge_says(out, "Every segment that is placed early has a marker.");
}

static uint64_t window_wanted(uint64_t student)
{
    return (44 - student % 4) * 1024;
}

static bool judge_shrunk(const struct challenge *c, const struct story *s, char *out)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        bool mine = e->kind == TRACE_WINDOW && e->side == 1;
        least = mine && e->window_edge - e->key < least ? e->window_edge - e->key : least;
    }
    challenge_says(out, "B's smallest window is %" PRIu64 " octets.", least);
    return least < window_wanted(c->student);
}

/* ---- the table ---- */

#define SCRIPT  "seed channel.loss workload.script"
#define CHANNEL "seed channel.loss channel.reorder.probability channel.reorder.displacement workload.script"

static const struct challenge_task tasks[CHALLENGES_OF_PAIR] = {
    {"The smallest window that fills the link",
     "rnic.window.bytes",
     "A sends one Write of 200,000 octets. Find the smallest receive window with which it completes as soon "
     "as "
     "with any larger "
     "one, to one FPDU of 1460 octets.",
     {"workload.script=write 200000", "llp.congestion=fixed:1MiB"},
     {"topology.delay=5us", "topology.delay=6us", "topology.delay=7us", "topology.delay=8us"},
     .judge = judge_window},
    {"A Terminate of your choice",
     "workload.script",
     "Write a script that makes the peer end the stream with the code %s.",
     {NULL},
     .judge = judge_terminate},
    {"In place, but not yet usable",
     SCRIPT,
     "With exactly one lost packet, let the Send with MSN 2 lie complete in its buffer for at least %s us "
     "before it is delivered.",
     {NULL},
     .judge = judge_wait},
    {"Discarding is no worse",
     CHANNEL,
     "Let at least two segments arrive early, and a receiver that discards early segments finish no later "
     "than "
     "one that places them.",
     {NULL},
     .judge = judge_discard},
    {"Nearly all octets early",
     SCRIPT,
     "With exactly one lost packet and 20,000 octets or more, let four of every five octets be placed early.",
     {NULL},
     .judge = judge_share},
    {"An answer out of order",
     CHANNEL,
     "Let a part of a Read Response be placed early.",
     {NULL},
     .judge = judge_response},
    {"A needless retransmission",
     "seed channel.reorder.probability channel.reorder.displacement llp.loss_detection workload.script",
     "Without any loss, make TCP retransmit something.",
     {NULL},
     .judge = judge_spurious},
    {"Nothing behind it",
     SCRIPT,
     "Let exactly one packet be lost, and let a probe (TLP) retransmit it, not a timeout.",
     {NULL},
     .judge = judge_probe},
    {"The Send overtakes the Read",
     "workload.script",
     "A posts a Read, and a Send before the Read is answered. Let the Send be delivered before the answer.",
     {NULL},
     .judge = judge_ahead},
    {"And now it does not",
     "workload.script",
     "A posts a Read, and a Send before the Read is answered. Let the Send be delivered after the answer.",
     {NULL},
     .judge = judge_fence},
    {"Found without a marker",
     CHANNEL,
     "Markers are on. Let a segment be placed early that contains no marker.",
     {"llp.markers=true"},
     .judge = judge_unmarked},
    {"The window that shrinks",
     SCRIPT,
     "B copies. Let the window that it advertises, of 64 KiB, become smaller than %s octets.",
     {"rnic.receive=copy", "rnic.window.policy=buffer"},
     .judge = judge_shrunk},
};

static const struct challenge_task *task_of(unsigned number)
{
    return number > CHALLENGES_OF_PAIR ? &challenge_cluster_tasks[number - CHALLENGES_OF_PAIR - 1]
                                       : &tasks[number - 1];
}

const char *challenge_title(unsigned number)
{
    return task_of(number)->title;
}

const char *challenge_keys(unsigned number)
{
    return task_of(number)->keys;
}

void challenge_text(unsigned number, uint64_t student, char out[CHALLENGE_TEXT_MAX])
{
    char value[STORY_NAME_MAX] = "";
    const struct challenge_task *t = task_of(number);
    if (t->judge == judge_terminate)
        snprintf(value, sizeof value, TERM_TEXT, TERM_PARTS(codes[student % 4]));
    if (t->judge == judge_wait)
        snprintf(value, sizeof value, "%" PRIu64, wait_wanted(student));
    if (t->judge == judge_shrunk)
        snprintf(value, sizeof value, "%" PRIu64, window_wanted(student));
    const char *hole = strstr(t->text, "%s");
    snprintf(out, CHALLENGE_TEXT_MAX, "%.*s%s%s", hole ? (int)(hole - t->text) : (int)strlen(t->text),
             t->text, value, hole ? hole + 2 : "");
}

const char *const challenge_pair[] = {"world=fabric",
                                      "topology.rate=10Gbps",
                                      "topology.delay=5us",
                                      "topology.mtu=1500",
                                      "llp.delayed_ack=1",
                                      "rnic.preset=t6",
                                      "rnic.window.bytes=64KiB",
                                      "workload.kind=script",
                                      NULL};

static const char *const script[] = {"workload.script=write 9000; send 2000; send 1000", NULL};

/* Adds those of a list to `all`. */
static void add_sets(const char **all, size_t *n, const char *const *list)
{
    while (*list)
        all[(*n)++] = *list++;
}

const char *const *challenge_base(unsigned number, uint64_t student, size_t *n)
{
    static const char *all[CHALLENGE_RUN_SETS];
    const struct challenge_task *t = task_of(number);
    *n = 0;
    add_sets(all, n, t->judge ? challenge_pair : challenge_cluster_common);
    if (t->judge)
        add_sets(all, n, script);
    add_sets(all, n, t->more);
    if (t->own[student % CHALLENGE_STUDENTS])
        all[(*n)++] = t->own[student % CHALLENGE_STUDENTS];
    return all;
}

/* ---- judging ---- */

static bool may_set(const char *keys, const char *set)
{
    size_t len = strcspn(set, "=");
    for (const char *p = keys; *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (strcspn(p, " ") == len && strncmp(p, set, len) == 0)
            return true;
    return false;
}

static bool judge_story(const struct challenge_task *t, const struct challenge *c, char *out, bool *wrong)
{
    struct story *s = play_challenge(c, NULL, out);
    *wrong = !s;
    bool good = s && t->judge(c, s, out);
    story_free(s);
    return good;
}

bool challenge_judge(const struct challenge *c, char out[CHALLENGE_TEXT_MAX], bool *wrong)
{
    const struct challenge_task *t = task_of(c->number);
    struct challenge own = *c;
    *wrong = true;
    for (size_t i = 0; i < c->count; i++)
        if (!may_set(t->keys, c->sets[i]))
            return challenge_says(out, "%.*s is fixed in this challenge; you may change: %s",
                                  (int)strcspn(c->sets[i], "="), c->sets[i], t->keys);
    own.base = challenge_base(c->number, c->student, &own.base_count);
    return t->judge ? judge_story(t, &own, out, wrong) : t->judge_cluster(&own, out, wrong);
}

/* ---- codes ---- */

static bool is_number(const char *text, uint64_t most, uint64_t *n)
{
    char *end;
    *n = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && *n <= most;
}

static bool take_word(struct challenge *c, const char *word, char out[CHALLENGE_TEXT_MAX])
{
    uint64_t n = 0;
    bool number = strncmp(word, "challenge=", 10) == 0, student = strncmp(word, "student=", 8) == 0;
    if (number && (!is_number(word + 10, CHALLENGES, &n) || !n))
        return challenge_says(out, "challenge=%.20s: there are challenges 1 to %d", word + 10, CHALLENGES);
    if (student && !is_number(word + 8, INT64_MAX, &c->student))
        return challenge_says(out, "student=%.20s: must be a whole number", word + 8);
    if (number)
        c->number = (unsigned)n;
    if (!number && !student && c->count == CHALLENGE_SETS_MAX)
        return challenge_says(out, "more than %d settings", CHALLENGE_SETS_MAX);
    if (!number && !student)
        c->sets[c->count++] = word;
    return true;
}

bool challenge_read(const char *code, struct challenge *c, char *room, char out[CHALLENGE_TEXT_MAX])
{
    memset(c, 0, sizeof *c);
    if (strlen(code) >= CHALLENGE_CODE_MAX / 2)
        return challenge_says(out, "a code has at most %d octets", CHALLENGE_CODE_MAX / 2 - 1);
    while (*code) {
        size_t len = strcspn(code, "&");
        if (len && !take_word(c, code_word(code, len, &room), out))
            return false;
        code += len + (code[len] == '&');
    }
    return c->number || challenge_says(out, "a code must begin with challenge=N, N from 1 to %d", CHALLENGES);
}
