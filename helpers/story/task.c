/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.c -- a table of tasks; each knows which stories it fits, and judges another one (task.h). */
#include "helpers/story/task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "channel/channel.h"

/* ---- what is found in a story ---- */

/* The first event of a kind from `from` on; STORY_NOBODY. */
static int next_event(const struct story *s, enum story_kind kind, int from)
{
    for (int i = from; i < s->events; i++)
        if (s->event[i].kind == kind)
            return i;
    return STORY_NOBODY;
}

static bool has_event(const struct story *s, enum story_kind kind)
{
    return next_event(s, kind, 0) >= 0;
}

static uint64_t count_early(const struct story *s)
{
    uint64_t n = 0;
    for (int i = 0; i < s->events; i++)
        n += s->event[i].kind == STORY_PLACED && s->event[i].ooo;
    return n;
}

/* From the first post until the last message is complete; 0: none is. */
static uint64_t whole_time(const struct story *s)
{
    int post = next_event(s, STORY_POST, 0), last = STORY_NOBODY;
    for (int i = 0; i < s->events; i++)
        last = s->event[i].kind == STORY_DELIVERED ? i : last;
    return post >= 0 && last >= 0 && s->event[last].t > s->event[post].t ? s->event[last].t - s->event[post].t
                                                                         : 0;
}

/* What the last Atomic brought back; false: there is none. */
static bool last_original(const struct story *s, uint64_t *was)
{
    bool any = false;
    for (int i = 0; i < s->events; i++) {
        const char *text = s->event[i].kind == STORY_DONE ? strstr(s->event[i].text, "it was ") : NULL;
        if (text)
            *was = strtoull(text + strlen("it was "), NULL, 10);
        any |= text != NULL;
    }
    return any;
}

static bool is_send(const struct story_message *m)
{
    return m->side == 0 && m->opcode >= RDMAP_SEND && m->opcode <= RDMAP_SEND_SE_INV;
}

/* The first message of A that is a Send, or is of this opcode; STORY_NOBODY. */
static int first_send(const struct story *s)
{
    for (int i = 0; i < s->messages; i++)
        if (is_send(&s->message[i]))
            return i;
    return STORY_NOBODY;
}

static int first_of(const struct story *s, uint8_t opcode)
{
    for (int i = 0; i < s->messages; i++)
        if (s->message[i].opcode == opcode)
            return i;
    return STORY_NOBODY;
}

/* The instants at which B's program learns of receives, and how many it learns of. */
static uint64_t instants(const struct story *s, uint64_t *receives)
{
    uint64_t n = 0, before = STORY_NONE;
    *receives = 0;
    for (int i = 0; i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        if (e->kind != STORY_DONE || e->side != 1 || strncmp(e->text, "receive", 7) != 0)
            continue;
        n += e->t != before;
        before = e->t;
        ++*receives;
    }
    return n;
}

static bool is_script(const struct scenario_point *p)
{
    return p->workload.kind == WORKLOAD_script;
}

/* Segments that leave A before it can have heard the first acknowledgement of one. */
static uint64_t first_burst(const struct story *s)
{
    uint64_t heard = STORY_NONE, n = 0;
    for (int i = 0; i < s->events && heard == STORY_NONE; i++) {
        const struct story_event *e = &s->event[i];
        bool acknowledges = e->kind == STORY_WINDOW && e->side == 1 && e->key != STORY_NONE && e->key > 0;
        heard = acknowledges ? e->t + s->delay : STORY_NONE;
    }
    for (int i = 0; i < s->events; i++)
        n += s->event[i].kind == STORY_LEFT && s->event[i].side == 0 && s->event[i].t < heard;
    return n;
}

/* ---- the tasks ---- */

static const char *const codes[] = {"1/1/00", "1/1/01", "1/1/02", "1/2/02", "1/2/05", "0/1/02"};
enum { CODES = sizeof codes / sizeof *codes };

static bool fits_terminate(const struct story *s, const struct scenario_point *p)
{
    return is_script(p) && has_event(s, STORY_TERMINATE_SENT);
}

/* One that this story does not end with. */
static void ask_terminate(const struct story *s, uint64_t draw, struct task *t)
{
    const struct story_event *e = &s->event[next_event(s, STORY_TERMINATE_SENT, 0)];
    t->wanted = draw % CODES;
    if (strncmp(e->text, codes[t->wanted], strlen(codes[0])) == 0)
        t->wanted = (t->wanted + 1) % CODES;
    snprintf(t->text, sizeof t->text, "that the stream ends with the Terminate %s", codes[t->wanted]);
}

static bool judge_terminate(const struct task *t, const struct story *s, const struct scenario_point *p,
                            char *said)
{
    (void)p;
    int i = next_event(s, STORY_TERMINATE_SENT, 0);
    snprintf(said, TASK_TEXT_MAX, "%s", i < 0 ? "no Terminate is sent" : s->event[i].text);
    return i >= 0 && strncmp(s->event[i].text, codes[t->wanted], strlen(codes[0])) == 0;
}

static bool fits_original(const struct story *s, const struct scenario_point *p)
{
    uint64_t was;
    return is_script(p) && last_original(s, &was);
}

static void ask_original(const struct story *s, uint64_t draw, struct task *t)
{
    (void)s;
    t->wanted = 20 + draw % 900;
    snprintf(t->text, sizeof t->text, "that the last Atomic brings back %" PRIu64, t->wanted);
}

static bool judge_original(const struct task *t, const struct story *s, const struct scenario_point *p,
                           char *said)
{
    (void)p;
    uint64_t was = 0;
    bool any = last_original(s, &was);
    snprintf(said, TASK_TEXT_MAX, any ? "the last Atomic brings back %" PRIu64 : "there is no Atomic", was);
    return any && was == t->wanted;
}

static bool fits_window(const struct story *s, const struct scenario_point *p)
{
    return !is_script(p) && !s->sctp && !s->several && first_burst(s) < 8 && s->segments > 16 && s->delay;
}

static void ask_window(const struct story *s, uint64_t draw, struct task *t)
{
    uint64_t now = first_burst(s);
    t->wanted = 3 + draw % 7;
    t->wanted += t->wanted == now;
    snprintf(t->text, sizeof t->text,
             "that exactly %" PRIu64 " segments leave A before it can have heard the first acknowledgement",
             t->wanted);
}

static bool judge_window(const struct task *t, const struct story *s, const struct scenario_point *p,
                         char *said)
{
    (void)p;
    uint64_t n = first_burst(s);
    snprintf(said, TASK_TEXT_MAX, "%" PRIu64 " segments leave before it", n);
    return n == t->wanted;
}

static bool fits_told(const struct story *s, const struct scenario_point *p)
{
    uint64_t receives;
    return !is_script(p) && !s->several && !has_event(s, STORY_LOST) && instants(s, &receives) >= 4;
}

static void ask_told(const struct story *s, uint64_t draw, struct task *t)
{
    (void)s;
    t->wanted = 1 + draw % 2;
    snprintf(t->text, sizeof t->text, "that B's program learns of all its receives in %s",
             t->wanted == 1 ? "one instant" : "two instants");
}

static bool judge_told(const struct task *t, const struct story *s, const struct scenario_point *p,
                       char *said)
{
    (void)p;
    uint64_t receives, n = instants(s, &receives);
    snprintf(said, TASK_TEXT_MAX, "it learns of %" PRIu64 " receives in %" PRIu64 " instants", receives, n);
    return receives >= 4 && n == t->wanted;
}

static bool fits_lost(const struct story *s, const struct scenario_point *p)
{
    (void)p;
    return has_event(s, STORY_LOST) && s->segments >= 4;
}

static void ask_lost(const struct story *s, uint64_t draw, struct task *t)
{
    uint64_t most = 0;
    for (int i = 0; i < s->segments; i++)
        most = s->segment[i].side == 0 && s->segment[i].number > most ? s->segment[i].number : most;
    t->wanted = 2 + draw % ((most < 8 ? most : 8) - 1);
    snprintf(t->text, sizeof t->text,
             "that the first segment to be lost is number %" PRIu64
             " of A's%s, and every message is delivered",
             t->wanted, s->several ? ", on whichever connection" : "");
}

static bool judge_lost(const struct task *t, const struct story *s, const struct scenario_point *p,
                       char *said)
{
    (void)p;
    char name[STORY_NAME_MAX];
    int i = next_event(s, STORY_LOST, 0), undelivered = 0;
    for (int k = 0; k < s->messages; k++)
        undelivered += s->message[k].delivered < 0;
    int segment = i < 0 ? STORY_NOBODY : s->event[i].segment;
    if (segment < 0)
        snprintf(said, TASK_TEXT_MAX, "no segment is lost");
    else
        snprintf(said, TASK_TEXT_MAX, "%s is lost first, %d messages are not delivered",
                 story_segment_name(s, segment, name), undelivered);
    return segment >= 0 && s->segment[segment].side == 0 && s->segment[segment].number == t->wanted &&
           !undelivered;
}

static bool fits_early(const struct story *s, const struct scenario_point *p)
{
    (void)p;
    return count_early(s) > 0;
}

static void ask_early(const struct story *s, uint64_t draw, struct task *t)
{
    t->wanted = 1 + draw % 4;
    t->wanted += t->wanted == count_early(s);
    snprintf(t->text, sizeof t->text, "that exactly %" PRIu64 " segment%s placed early", t->wanted,
             t->wanted == 1 ? " is" : "s are");
}

static bool judge_early(const struct task *t, const struct story *s, const struct scenario_point *p,
                        char *said)
{
    (void)p;
    uint64_t n = count_early(s);
    snprintf(said, TASK_TEXT_MAX, "%" PRIu64 " segments are placed early", n);
    return n == t->wanted;
}

static bool fits_fence(const struct story *s, const struct scenario_point *p)
{
    return is_script(p) && first_send(s) >= 0 && first_of(s, RDMAP_READ_REQ) >= 0;
}

static void ask_fence(const struct story *s, uint64_t draw, struct task *t)
{
    (void)s;
    t->wanted = 2 + draw % 7;
    snprintf(t->text, sizeof t->text,
             "that A first reads, that its first Send leaves only when the answer has been delivered, and "
             "that this answer has exactly "
             "%" PRIu64 " segments",
             t->wanted);
}

static bool judge_fence(const struct task *t, const struct story *s, const struct scenario_point *p,
                        char *said)
{
    (void)p;
    int send = first_send(s), answer = first_of(s, RDMAP_READ_RESP), request = first_of(s, RDMAP_READ_REQ);
    if (send < 0 || answer < 0 || request < 0 || s->message[answer].delivered < 0 ||
        s->segment[s->message[send].first].left < 0) {
        snprintf(said, TASK_TEXT_MAX, "a Send of A, a Read or its answer is missing");
        return false;
    }
    bool later =
        s->event[s->segment[s->message[send].first].left].t >= s->event[s->message[answer].delivered].t;
    snprintf(said, TASK_TEXT_MAX, "the first Send leaves %s the answer, which has %u segments",
             later ? "after" : "before", s->message[answer].segments);
    return later && request < send && s->message[answer].segments == t->wanted;
}

static bool fits_segments(const struct story *s, const struct scenario_point *p)
{
    return is_script(p) && s->messages && s->message[0].side == 0 && s->message[0].segments &&
           (s->message[0].opcode == RDMAP_WRITE || is_send(&s->message[0])) && !has_event(s, STORY_LOST);
}

static void ask_segments(const struct story *s, uint64_t draw, struct task *t)
{
    t->wanted = 3 + draw % 7;
    t->wanted += t->wanted == s->message[0].segments;
    snprintf(t->text, sizeof t->text,
             "that A's first message is cut into exactly %" PRIu64
             " segments, and that the last one is as long as the others",
             t->wanted);
}

static bool judge_segments(const struct task *t, const struct story *s, const struct scenario_point *p,
                           char *said)
{
    (void)p;
    const struct story_message *m = s->messages ? &s->message[0] : NULL;
    uint32_t first = m ? s->segment[m->first].length : 0, last = m ? s->segment[m->last].length : 0;
    snprintf(said, TASK_TEXT_MAX,
             "the first message has %u segments, the first of %u octets and the last of %u",
             m ? m->segments : 0, first, last);
    return m && m->side == 0 && m->segments == t->wanted && first == last;
}

/* ---- tasks of lessons with other workloads than a script ---- */

static uint64_t microseconds(double us)
{
    return (uint64_t)(us * 1e6);
}

static bool fits_errors(const struct story *s, const struct scenario_point *p)
{
    return p->workload.kind == WORKLOAD_errors && has_event(s, STORY_TERMINATE_SENT);
}

/* A code, and how many good messages come before it: wanted = good * CODES + code. */
static void ask_errors(const struct story *s, uint64_t draw, struct task *t)
{
    (void)s;
    uint64_t code = draw % CODES, good = 1 + draw / CODES % 4;
    t->wanted = good * CODES + code;
    snprintf(t->text, sizeof t->text,
             "that the workload is a script, exactly %" PRIu64
             " of A's Writes and Sends %s complete at B, and then the stream ends with the Terminate %s",
             good, good == 1 ? "is" : "are", codes[code]);
}

static bool judge_errors(const struct task *t, const struct story *s, const struct scenario_point *p,
                         char *said)
{
    int i = next_event(s, STORY_TERMINATE_SENT, 0);
    uint64_t good = 0;
    for (int k = 0; k < s->messages; k++) {
        const struct story_message *m = &s->message[k];
        good += m->delivered >= 0 && (is_send(m) || (m->side == 0 && m->opcode == RDMAP_WRITE));
    }
    snprintf(said, TASK_TEXT_MAX, "%" PRIu64 " Writes and Sends are complete; %.200s", good,
             i < 0 ? "no Terminate is sent" : s->event[i].text);
    return is_script(p) && i >= 0 && good == t->wanted / CODES &&
           strncmp(s->event[i].text, codes[t->wanted % CODES], strlen(codes[0])) == 0;
}

static bool fits_cluster(const struct story *s, const struct scenario_point *p)
{
    return p->workload.kind == WORKLOAD_incast && p->topology.kind == TOPOLOGY_STAR &&
           has_event(s, STORY_PLACED) && s->messages && s->message[0].segments > 1;
}

/* One sender more takes the time that the first segment's place has before the last one's, shared by all senders. */
static uint64_t time_of_a_sender(const struct story *s)
{
    uint64_t whole = whole_time(s),
             first = s->event[next_event(s, STORY_PLACED, 0)].t - s->event[next_event(s, STORY_POST, 0)].t;
    uint32_t segments = s->message[0].segments;
    return (whole - first) * segments / (segments - 1) / (uint64_t)s->messages;
}

static void ask_cluster(const struct story *s, uint64_t draw, struct task *t)
{
    char from[STORY_NAME_MAX], to[STORY_NAME_MAX];
    uint64_t step = time_of_a_sender(s), more = 2 + draw % 4;
    t->wanted = whole_time(s) + more * step;
    t->off = step * 2 / 5;
    snprintf(t->text, sizeof t->text,
             "that the last message is complete at its receiver between %s and %s us after the first was "
             "posted",
             story_time(t->wanted - t->off, from), story_time(t->wanted + t->off, to));
}

static bool judge_cluster(const struct task *t, const struct story *s, const struct scenario_point *p,
                          char *said)
{
    char time[STORY_NAME_MAX];
    uint64_t took = whole_time(s);
    snprintf(said, TASK_TEXT_MAX, "with %u hosts it is complete after %s us", p->topology.hosts,
             story_time(took, time));
    return took + t->off >= t->wanted && took <= t->wanted + t->off;
}

static bool fits_copied(const struct story *s, const struct scenario_point *p)
{
    return p->workload.kind == WORKLOAD_stream && p->workload.op == WORKLOAD_READ && p->workload.count == 1 &&
           !s->several && strcmp(s->receive, "copy") != 0 && whole_time(s);
}

/* From the first post until A's program learns that its request is complete; 0: it does not. */
static uint64_t learned_after(const struct story *s)
{
    int post = next_event(s, STORY_POST, 0), done = STORY_NOBODY;
    for (int i = 0; i < s->events; i++)
        done = s->event[i].kind == STORY_DONE && s->event[i].side == 0 ? i : done;
    return post >= 0 && done >= 0 ? s->event[done].t - s->event[post].t : 0;
}

static void ask_copied(const struct story *s, uint64_t draw, struct task *t)
{
    char time[STORY_NAME_MAX];
    t->wanted = learned_after(s) + microseconds(8) + draw % microseconds(12);
    t->off = t->wanted / 100;
    snprintf(t->text, sizeof t->text,
             "that A's CPU copies the answer, each octet of which then crosses memory three times, and A's "
             "program learns of it %s us after it posted the Read, to a hundredth of that time",
             story_time(t->wanted, time));
}

static bool judge_copied(const struct task *t, const struct story *s, const struct scenario_point *p,
                         char *said)
{
    (void)p;
    char time[STORY_NAME_MAX];
    uint64_t took = learned_after(s), crossed = 0, placed = 0;
    for (int i = 0; i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        placed += e->kind == STORY_PLACED && e->side == 0 ? e->length : 0;
        crossed =
            e->crossings != STORY_NONE && e->side == 0 && e->crossings > crossed ? e->crossings : crossed;
    }
    bool thrice = placed && crossed >= 3 * placed;
    snprintf(said, TASK_TEXT_MAX,
             "receive is %s: the octets of the answer cross memory %s, and A learns of it after %s us",
             s->receive, thrice ? "three times" : "less often", story_time(took, time));
    return thrice && took + t->off >= t->wanted && took <= t->wanted + t->off;
}

static bool fits_registered(const struct story *s, const struct scenario_point *p)
{
    return p->workload.stags > 1 && !s->several && p->workload.count > 2 && !has_event(s, STORY_LOST);
}

/* Writes that B's adapter places as late after their arrival as the first, which never finds its entry in the cache. */
static uint64_t missed(const struct story *s)
{
    uint64_t first = 0, n = 0;
    for (int i = 0; i < s->segments; i++) {
        const struct story_segment *g = &s->segment[i];
        if (g->side != 0 || g->arrived < 0 || g->placed < 0)
            continue;
        uint64_t took = s->event[g->placed].t - s->event[g->arrived].t;
        first = first ? first : took;
        n += took >= first;
    }
    return n;
}

static void ask_registered(const struct story *s, uint64_t draw, struct task *t)
{
    uint64_t most = (uint64_t)s->messages - 1;
    t->wanted = 1 + draw % most;
    snprintf(t->text, sizeof t->text,
             "that exactly %" PRIu64
             " of the %d Writes wait%s until B's adapter has fetched what it knows of "
             "the STag",
             t->wanted, s->messages, t->wanted == 1 ? "s" : "");
}

static bool judge_registered(const struct task *t, const struct story *s, const struct scenario_point *p,
                             char *said)
{
    uint64_t n = missed(s);
    snprintf(said, TASK_TEXT_MAX, "buffers in turn: %u, room for: %" PRIu64 "; %" PRIu64 " of %d Writes wait",
             p->workload.stags, p->rnic.cache.stags, n, s->messages);
    return n == t->wanted && s->messages;
}

static bool fits_incast(const struct story *s, const struct scenario_point *p)
{
    (void)s;
    return p->workload.kind == WORKLOAD_permutation && p->topology.kind == TOPOLOGY_FAT_TREE;
}

/* A queue that holds two to five full packets of each sender, where a window holds two at least. */
static void ask_incast(const struct story *s, uint64_t draw, struct task *t)
{
    t->wanted = (uint64_t)s->nodes * (3500 + draw % 4000) / 1024;
    snprintf(
        t->text, sizeof t->text,
        "that all hosts but one send to that one (incast), no packet is lost, every message is complete, and "
        "topology.buffer is at most %" PRIu64 "KiB",
        t->wanted);
}

static bool judge_incast(const struct task *t, const struct story *s, const struct scenario_point *p,
                         char *said)
{
    uint64_t lost = 0, undelivered = 0;
    for (int i = 0; i < s->events; i++)
        lost += s->event[i].kind == STORY_LOST;
    for (int k = 0; k < s->messages; k++)
        undelivered += s->message[k].delivered < 0;
    bool incast = p->workload.kind == WORKLOAD_incast;
    snprintf(said, TASK_TEXT_MAX,
             "it is %s incast; with queues of %" PRIu64 " octets %" PRIu64 " packets are lost and %" PRIu64
             " messages are not complete",
             incast ? "an" : "no", p->topology.buffer, lost, undelivered);
    return incast && p->topology.buffer <= t->wanted * 1024 && !lost && !undelivered;
}

static uint64_t count_waiting(const struct story *s)
{
    uint64_t n = 0;
    for (int i = 0; i < s->segments; i++)
        n += s->segment[i].side == 0 && s->segment[i].waits_for >= 0;
    return n;
}

enum { SEALED_LEAST = 4 };

static bool fits_sealed(const struct story *s, const struct scenario_point *p)
{
    return p->llp.security == SECURITY_ESP && p->llp.kind == LLP_MPA && has_event(s, STORY_LOST) &&
           s->segments >= SEALED_LEAST;
}

static void ask_sealed(const struct story *s, uint64_t draw, struct task *t)
{
    uint64_t most = (uint64_t)s->segments - 2;
    t->wanted = 2 + draw % ((most < 5 ? most : 5) - 1);
    snprintf(t->text, sizeof t->text,
             "that TLS protects the packets, that exactly %" PRIu64
             " of A's segments arrive early, and that none of them is placed before its turn",
             t->wanted);
}

static bool judge_sealed(const struct task *t, const struct story *s, const struct scenario_point *p,
                         char *said)
{
    static const char *const names[SECURITIES] = {"nothing protects", "ESP protects", "TLS protects"};
    uint64_t waiting = count_waiting(s), early = count_early(s);
    snprintf(said, TASK_TEXT_MAX,
             "%s the packets; %" PRIu64 " segments arrive early, %" PRIu64 " are placed early",
             names[p->llp.security], waiting, early);
    return p->llp.security == SECURITY_TLS && waiting == t->wanted && !early;
}

static bool fits_all(const struct story *s, const struct scenario_point *p)
{
    (void)s;
    (void)p;
    return true;
}

static void ask_delay(const struct story *s, uint64_t draw, struct task *t)
{
    char time[STORY_NAME_MAX];
    t->wanted = whole_time(s) / 100 * (130 + draw % 120);
    snprintf(t->text, sizeof t->text,
             "that the last message is complete at its receiver %s us after the first was posted, to a "
             "hundredth of that time",
             story_time(t->wanted, time));
}

static bool judge_delay(const struct task *t, const struct story *s, const struct scenario_point *p,
                        char *said)
{
    (void)p;
    char time[STORY_NAME_MAX];
    uint64_t took = whole_time(s), off = took > t->wanted ? took - t->wanted : t->wanted - took;
    snprintf(said, TASK_TEXT_MAX, "it is complete after %s us", story_time(took, time));
    return took && off <= t->wanted / 100;
}

/* The first that fits is asked. */
static const struct {
    const char *keys;
    bool (*fits)(const struct story *, const struct scenario_point *);
    void (*ask)(const struct story *, uint64_t draw, struct task *);
    bool (*judge)(const struct task *, const struct story *, const struct scenario_point *, char *said);
} tasks[] = {{"topology.hosts", fits_cluster, ask_cluster, judge_cluster},
             {"workload.script", fits_terminate, ask_terminate, judge_terminate},
             {"workload.script", fits_original, ask_original, judge_original},
             {"llp.security, rnic.receive, seed", fits_sealed, ask_sealed, judge_sealed},
             {"seed", fits_lost, ask_lost, judge_lost},
             {"seed", fits_early, ask_early, judge_early},
             {"rnic.window.bytes", fits_window, ask_window, judge_window},
             {"workload.script", fits_fence, ask_fence, judge_fence},
             {"workload.script", fits_segments, ask_segments, judge_segments},
             {"rnic.completion.mode, rnic.completion.count, rnic.completion.interval, rnic.completion.arm, "
              "workload.solicited",
              fits_told, ask_told, judge_told},
             {"workload.kind, workload.script", fits_errors, ask_errors, judge_errors},
             {"rnic.receive, rnic.window.policy, rnic.cpu.copy_rate", fits_copied, ask_copied, judge_copied},
             {"workload.stags, rnic.cache.stags", fits_registered, ask_registered, judge_registered},
             {"workload.kind, rnic.window.bytes, topology.buffer", fits_incast, ask_incast, judge_incast},
             {"topology.delay", fits_all, ask_delay, judge_delay}};

void task_make(const struct story *s, const struct scenario_point *p, uint64_t draw, struct task *t)
{
    *t = (struct task){0};
    while (!tasks[t->kind].fits(s, p))
        t->kind++;
    t->keys = tasks[t->kind].keys;
    tasks[t->kind].ask(s, channel_draw(draw, 0), t);
}

bool task_judge(const struct task *t, const struct story *s, const struct scenario_point *p,
                char said[TASK_TEXT_MAX])
{
    return tasks[t->kind].judge(t, s, p, said);
}
