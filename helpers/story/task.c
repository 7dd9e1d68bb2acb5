/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.c -- a table of tasks; each knows which stories it fits, and judges another one (task.h). */
#include "helpers/story/task.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "channel/channel.h"
#include "helpers/capture/decode_rules.h"
#include "helpers/scenario/link_events.h"

/* What a function of the table looks at. */
struct look {
    const struct story *s;
    const struct scenario_point *p;
    uint64_t draw; /* for ask(): of the number that is wanted */
    struct task *t;
    char *said; /* for a judge */
};

/* What is wanted, in words. */
__attribute__((format(printf, 2, 3))) static void want(const struct look *x, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(x->t->text, sizeof x->t->text, format, arguments);
    va_end(arguments);
}

/* What is, in words; `good`: it is what is wanted. */
__attribute__((format(printf, 3, 4))) static bool say(const struct look *x, bool good, const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(x->said, TASK_TEXT_MAX, format, arguments);
    va_end(arguments);
    return good;
}

/* ---- what is found in a story ---- */

static bool has_event(const struct story *s, enum trace_kind kind)
{
    return story_next(s, kind, 0) >= 0;
}

/* From the first post until the last message is complete; 0: none is. */
static uint64_t whole_time(const struct story *s)
{
    int post = story_next(s, TRACE_POST, 0), last = story_last(s, TRACE_DELIVERED);
    return post >= 0 && last >= 0 && s->event[last].t > s->event[post].t ? s->event[last].t - s->event[post].t
                                                                         : 0;
}

static bool is_send(const struct story_message *m)
{
    return m->side == 0 && m->opcode >= RDMAP_SEND && m->opcode <= RDMAP_SEND_SE_INV;
}

/* The first message of A that is a Send; STORY_NOBODY. */
static int first_send(const struct story *s)
{
    for (int i = 0; i < s->messages; i++)
        if (is_send(&s->message[i]))
            return i;
    return STORY_NOBODY;
}

static unsigned undelivered(const struct story *s)
{
    unsigned n = 0;
    for (int i = 0; i < s->messages; i++)
        n += s->message[i].delivered < 0;
    return n;
}

/* The instants at which B's program learns of receives, and how many it learns of. */
static uint64_t instants(const struct story *s, uint64_t *receives)
{
    uint64_t n = 0, before = STORY_NONE;
    *receives = 0;
    for (int i = 0; i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        if (e->kind != TRACE_DONE || e->side != 1 || e->said.op != IW_RECV)
            continue;
        n += e->t != before;
        before = e->t;
        ++*receives;
    }
    return n;
}

static bool is_script(const struct look *x)
{
    return x->p->workload.kind == WORKLOAD_script;
}

/* Segments that leave A before it can have heard the first acknowledgement of one. */
static uint64_t first_burst(const struct story *s)
{
    uint64_t heard = STORY_NONE, n = 0;
    for (int i = 0; i < s->events && heard == STORY_NONE; i++) {
        const struct story_event *e = &s->event[i];
        bool acknowledges = e->kind == TRACE_WINDOW && e->side == 1 && e->key != STORY_NONE && e->key > 0;
        heard = acknowledges ? e->t + s->delay : STORY_NONE;
    }
    for (int i = 0; i < s->events; i++)
        n += s->event[i].kind == TRACE_LEFT && s->event[i].side == 0 && s->event[i].t < heard;
    return n;
}

/* ---- the tasks ---- */

static const int codes[] = {IW_TERM(1, 1, 0), IW_TERM(1, 1, 1), IW_TERM(1, 1, 2),
                            IW_TERM(1, 2, 2), IW_TERM(1, 2, 5), IW_TERM(0, 1, 2)};
enum { CODES = sizeof codes / sizeof *codes };

/* Of the first; 0: there is none. */
static int terminate_of(const struct story *s)
{
    int i = story_next(s, TRACE_TERMINATE_SENT, 0);
    return i < 0 ? 0 : s->event[i].said.term;
}

static const char *term_text(int term, char out[STORY_NAME_MAX])
{
    if (!term)
        return "no Terminate is sent";
    snprintf(out, STORY_NAME_MAX, TERM_TEXT, TERM_PARTS(term));
    return out;
}

static bool fits_terminate(const struct look *x)
{
    return is_script(x) && terminate_of(x->s);
}

/* One that this story does not end with. */
static void ask_terminate(const struct look *x)
{
    char text[STORY_NAME_MAX];
    x->t->wanted = x->draw % CODES;
    if (terminate_of(x->s) == codes[x->t->wanted])
        x->t->wanted = (x->t->wanted + 1) % CODES;
    want(x, "that the stream ends with the Terminate %s", term_text(codes[x->t->wanted], text));
}

static bool judge_terminate(const struct look *x)
{
    char text[STORY_NAME_MAX];
    int is = terminate_of(x->s);
    return say(x, is == codes[x->t->wanted], "%s", term_text(is, text));
}

static bool fits_original(const struct look *x)
{
    return is_script(x) && story_original(x->s) != STORY_NONE;
}

static void ask_original(const struct look *x)
{
    x->t->wanted = 20 + x->draw % 900;
    want(x, "that the last Atomic brings back %" PRIu64, x->t->wanted);
}

static bool judge_original(const struct look *x)
{
    uint64_t was = story_original(x->s);
    return was != STORY_NONE ? say(x, was == x->t->wanted, "the last Atomic brings back %" PRIu64, was)
                             : say(x, false, "there is no Atomic");
}

static bool fits_window(const struct look *x)
{
    const struct story *s = x->s;
    return !is_script(x) && !s->sctp && !s->several && first_burst(s) < 8 && s->segments > 16 && s->delay;
}

static void ask_window(const struct look *x)
{
    x->t->wanted = 3 + x->draw % 7;
    x->t->wanted += x->t->wanted == first_burst(x->s);
    want(x, "that exactly %" PRIu64 " segments leave A before it can have heard the first acknowledgement",
         x->t->wanted);
}

static bool judge_window(const struct look *x)
{
    uint64_t n = first_burst(x->s);
    return say(x, n == x->t->wanted, "%" PRIu64 " segments leave before it", n);
}

static bool fits_told(const struct look *x)
{
    uint64_t receives;
    return !is_script(x) && !x->s->several && !has_event(x->s, TRACE_LOST) && instants(x->s, &receives) >= 4;
}

static void ask_told(const struct look *x)
{
    x->t->wanted = 1 + x->draw % 2;
    want(x, "that B's program learns of all its receives in %s",
         x->t->wanted == 1 ? "one instant" : "two instants");
}

static bool judge_told(const struct look *x)
{
    uint64_t receives, n = instants(x->s, &receives);
    return say(x, receives >= 4 && n == x->t->wanted,
               "it learns of %" PRIu64 " receives in %" PRIu64 " instants", receives, n);
}

static bool fits_lost(const struct look *x)
{
    return has_event(x->s, TRACE_LOST) && x->s->segments >= 4;
}

static void ask_lost(const struct look *x)
{
    const struct story *s = x->s;
    uint64_t most = 0;
    for (int i = 0; i < s->segments; i++)
        most = s->segment[i].side == 0 && s->segment[i].number > most ? s->segment[i].number : most;
    x->t->wanted = 2 + x->draw % ((most < 8 ? most : 8) - 1);
    want(x,
         "that the first segment to be lost is number %" PRIu64 " of A's%s, and every message is delivered",
         x->t->wanted, s->several ? ", on whichever connection" : "");
}

static bool judge_lost(const struct look *x)
{
    char name[STORY_NAME_MAX];
    const struct story *s = x->s;
    int i = story_next(s, TRACE_LOST, 0), segment = i < 0 ? STORY_NOBODY : s->event[i].segment;
    if (segment < 0)
        return say(x, false, "no segment is lost");
    const struct story_segment *g = &s->segment[segment];
    return say(x, g->side == 0 && g->number == x->t->wanted && !undelivered(s),
               "%s is lost first, %u messages are not delivered", story_segment_name(s, segment, name),
               undelivered(s));
}

static bool fits_early(const struct look *x)
{
    return story_early(x->s, NULL) > 0;
}

static void ask_early(const struct look *x)
{
    x->t->wanted = 1 + x->draw % 4;
    x->t->wanted += x->t->wanted == story_early(x->s, NULL);
    want(x, "that exactly %" PRIu64 " segment%s placed early", x->t->wanted,
         x->t->wanted == 1 ? " is" : "s are");
}

static bool judge_early(const struct look *x)
{
    unsigned n = story_early(x->s, NULL);
    return say(x, n == x->t->wanted, "%u segments are placed early", n);
}

static bool fits_fence(const struct look *x)
{
    return is_script(x) && first_send(x->s) >= 0 && story_message_of(x->s, RDMAP_READ_REQ) >= 0;
}

static void ask_fence(const struct look *x)
{
    x->t->wanted = 2 + x->draw % 7;
    want(x,
         "that A first reads, that its first Send leaves only when the answer has been delivered, and that "
         "this "
         "answer has exactly %" PRIu64 " segments",
         x->t->wanted);
}

static bool judge_fence(const struct look *x)
{
    const struct story *s = x->s;
    int send = first_send(s), answer = story_message_of(s, RDMAP_READ_RESP),
        request = story_message_of(s, RDMAP_READ_REQ);
    if (send < 0 || answer < 0 || request < 0 || s->message[answer].delivered < 0 ||
        s->segment[s->message[send].first].left < 0)
        return say(x, false, "a Send of A, a Read or its answer is missing");
    bool later =
        s->event[s->segment[s->message[send].first].left].t >= s->event[s->message[answer].delivered].t;
    return say(x, later && request < send && s->message[answer].segments == x->t->wanted,
               "the first Send leaves %s the answer, which has %u segments", later ? "after" : "before",
               s->message[answer].segments);
}

static bool fits_segments(const struct look *x)
{
    const struct story_message *m = x->s->message;
    return is_script(x) && x->s->messages && m->side == 0 && m->segments &&
           (m->opcode == RDMAP_WRITE || is_send(m)) && !has_event(x->s, TRACE_LOST);
}

static void ask_segments(const struct look *x)
{
    x->t->wanted = 3 + x->draw % 7;
    x->t->wanted += x->t->wanted == x->s->message[0].segments;
    want(x,
         "that A's first message is cut into exactly %" PRIu64
         " segments, and that the last one is as long as the others",
         x->t->wanted);
}

static bool judge_segments(const struct look *x)
{
    const struct story_message *m = x->s->messages ? &x->s->message[0] : NULL;
    uint32_t first = m ? x->s->segment[m->first].length : 0, last = m ? x->s->segment[m->last].length : 0;
    return say(x, m && m->side == 0 && m->segments == x->t->wanted && first == last,
               "the first message has %u segments, the first of %u octets and the last of %u",
               m ? m->segments : 0, first, last);
}

/* ---- tasks of lessons with other workloads than a script ---- */

static uint64_t microseconds(double us)
{
    return (uint64_t)(us * 1e6);
}

static bool fits_errors(const struct look *x)
{
    return x->p->workload.kind == WORKLOAD_errors && terminate_of(x->s);
}

/* A code, and how many good messages come before it: wanted = good * CODES + code. */
static void ask_errors(const struct look *x)
{
    uint64_t code = x->draw % CODES, good = 1 + x->draw / CODES % 4;
    char text[STORY_NAME_MAX];
    x->t->wanted = good * CODES + code;
    want(x,
         "that the workload is a script, exactly %" PRIu64
         " of A's Writes and Sends %s complete at B, and then the stream ends with the Terminate %s",
         good, good == 1 ? "is" : "are", term_text(codes[code], text));
}

static bool judge_errors(const struct look *x)
{
    char text[STORY_NAME_MAX];
    int is = terminate_of(x->s);
    uint64_t good = 0;
    for (int k = 0; k < x->s->messages; k++) {
        const struct story_message *m = &x->s->message[k];
        good += m->delivered >= 0 && (is_send(m) || (m->side == 0 && m->opcode == RDMAP_WRITE));
    }
    return say(x, is_script(x) && good == x->t->wanted / CODES && is == codes[x->t->wanted % CODES],
               "%" PRIu64 " Writes and Sends are complete; %s", good, term_text(is, text));
}

static bool fits_cluster(const struct look *x)
{
    return x->p->workload.kind == WORKLOAD_incast && x->p->topology.kind == FABRIC_STAR &&
           has_event(x->s, TRACE_PLACED) && x->s->messages && x->s->message[0].segments > 1;
}

/* One sender more takes the time that the first segment's place has before the last one's, shared by all senders. */
static uint64_t time_of_a_sender(const struct story *s)
{
    uint64_t whole = whole_time(s),
             first = s->event[story_next(s, TRACE_PLACED, 0)].t - s->event[story_next(s, TRACE_POST, 0)].t;
    uint32_t segments = s->message[0].segments;
    return (whole - first) * segments / (segments - 1) / (uint64_t)s->messages;
}

/* Is a time as wanted, but for what may be off? */
static bool is_in_time(const struct task *t, uint64_t took)
{
    return took + t->off >= t->wanted && took <= t->wanted + t->off;
}

static void ask_cluster(const struct look *x)
{
    char from[STORY_NAME_MAX], to[STORY_NAME_MAX];
    uint64_t step = time_of_a_sender(x->s), more = 2 + x->draw % 4;
    x->t->wanted = whole_time(x->s) + more * step;
    x->t->off = step * 2 / 5;
    want(x,
         "that the last message is complete at its receiver between %s and %s us after the first was posted",
         story_time(x->t->wanted - x->t->off, from), story_time(x->t->wanted + x->t->off, to));
}

static bool judge_cluster(const struct look *x)
{
    char time[STORY_NAME_MAX];
    uint64_t took = whole_time(x->s);
    return say(x, is_in_time(x->t, took), "with %u hosts it is complete after %s us", x->p->topology.hosts,
               story_time(took, time));
}

static bool fits_copied(const struct look *x)
{
    const struct workload_conf *w = &x->p->workload;
    return w->kind == WORKLOAD_stream && w->op == WORKLOAD_READ && w->count == 1 && !x->s->several &&
           strcmp(x->s->receive, "copy") != 0 && whole_time(x->s);
}

/* From the first post until A's program learns that its request is complete; 0: it does not. */
static uint64_t learned_after(const struct story *s)
{
    int post = story_next(s, TRACE_POST, 0), done = STORY_NOBODY;
    for (int i = 0; i < s->events; i++)
        done = s->event[i].kind == TRACE_DONE && s->event[i].side == 0 ? i : done;
    return post >= 0 && done >= 0 ? s->event[done].t - s->event[post].t : 0;
}

static void ask_copied(const struct look *x)
{
    char time[STORY_NAME_MAX];
    x->t->wanted = learned_after(x->s) + microseconds(8) + x->draw % microseconds(12);
    x->t->off = x->t->wanted / 100;
    want(x,
         "that A's CPU copies the answer, each octet of which then crosses memory three times, and A's "
         "program learns of it %s us after it posted the Read, to a hundredth of that time",
         story_time(x->t->wanted, time));
}

static bool judge_copied(const struct look *x)
{
    char time[STORY_NAME_MAX];
    uint64_t took = learned_after(x->s), crossed = 0, placed = 0;
    for (int i = 0; i < x->s->events; i++) {
        const struct story_event *e = &x->s->event[i];
        placed += e->kind == TRACE_PLACED && e->side == 0 ? e->length : 0;
        crossed =
            e->crossings != STORY_NONE && e->side == 0 && e->crossings > crossed ? e->crossings : crossed;
    }
    bool thrice = placed && crossed >= 3 * placed;
    return say(x, thrice && is_in_time(x->t, took),
               "receive is %s: the octets of the answer cross memory %s, and A learns of it after %s us",
               x->s->receive, thrice ? "three times" : "less often", story_time(took, time));
}

static bool fits_registered(const struct look *x)
{
    return x->p->workload.stags > 1 && !x->s->several && x->p->workload.count > 2 &&
           !has_event(x->s, TRACE_LOST);
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

static void ask_registered(const struct look *x)
{
    uint64_t most = (uint64_t)x->s->messages - 1;
    x->t->wanted = 1 + x->draw % most;
    want(x,
         "that exactly %" PRIu64
         " of the %d Writes wait%s until B's adapter has fetched what it knows of the STag",
         x->t->wanted, x->s->messages, x->t->wanted == 1 ? "s" : "");
}

static bool judge_registered(const struct look *x)
{
    uint64_t n = missed(x->s);
    return say(x, n == x->t->wanted && x->s->messages,
               "buffers in turn: %u, room for: %" PRIu64 "; %" PRIu64 " of %d Writes wait",
               x->p->workload.stags, x->p->rnic.cache.stags, n, x->s->messages);
}

static bool fits_incast(const struct look *x)
{
    return x->p->workload.kind == WORKLOAD_permutation && x->p->topology.kind == FABRIC_FAT_TREE;
}

/* A queue that holds two to five full packets of each sender, where a window holds two at least. */
static void ask_incast(const struct look *x)
{
    x->t->wanted = (uint64_t)x->s->nodes * (3500 + x->draw % 4000) / 1024;
    want(
        x,
        "that all hosts but one send to that one (incast), no packet is lost, every message is complete, and "
        "topology.buffer is at most %" PRIu64 "KiB",
        x->t->wanted);
}

static bool judge_incast(const struct look *x)
{
    unsigned lost = story_count(x->s, TRACE_LOST), missing = undelivered(x->s);
    bool incast = x->p->workload.kind == WORKLOAD_incast;
    return say(x, incast && x->p->topology.buffer <= x->t->wanted * 1024 && !lost && !missing,
               "it is %s incast; with queues of %" PRIu64
               " octets %u packets are lost and %u messages are not complete",
               incast ? "an" : "no", x->p->topology.buffer, lost, missing);
}

static bool fits_paths(const struct look *x)
{
    return x->p->topology.routing == FABRIC_ENTROPY && link_events_some(x->p);
}

/* A sixth to a third of what it takes while nobody avoids the links that are down. */
static void ask_paths(const struct look *x)
{
    char time[STORY_NAME_MAX];
    x->t->wanted = whole_time(x->s) / 100 * (16 + x->draw % 18);
    want(x, "that the last message is complete at its receiver within %s us, though the links stay down",
         story_time(x->t->wanted, time));
}

static bool judge_paths(const struct look *x)
{
    char time[STORY_NAME_MAX];
    uint64_t took = whole_time(x->s);
    return say(x, took && took <= x->t->wanted && !undelivered(x->s), "it is complete after %s us",
               story_time(took, time));
}

static uint64_t count_waiting(const struct story *s)
{
    uint64_t n = 0;
    for (int i = 0; i < s->segments; i++)
        n += s->segment[i].side == 0 && s->segment[i].waits_for >= 0;
    return n;
}

enum { SEALED_LEAST = 4 };

static bool fits_sealed(const struct look *x)
{
    return x->p->llp.security == SECURITY_ESP && x->p->llp.kind == LLP_MPA && has_event(x->s, TRACE_LOST) &&
           x->s->segments >= SEALED_LEAST;
}

static void ask_sealed(const struct look *x)
{
    uint64_t most = (uint64_t)x->s->segments - 2;
    x->t->wanted = 2 + x->draw % ((most < 5 ? most : 5) - 1);
    want(x,
         "that TLS protects the packets, that exactly %" PRIu64
         " of A's segments arrive early, and that none of them is placed before its turn",
         x->t->wanted);
}

static bool judge_sealed(const struct look *x)
{
    static const char *const names[SECURITIES] = {"nothing protects", "ESP protects", "TLS protects"};
    uint64_t waiting = count_waiting(x->s);
    unsigned early = story_early(x->s, NULL);
    return say(x, x->p->llp.security == SECURITY_TLS && waiting == x->t->wanted && !early,
               "%s the packets; %" PRIu64 " segments arrive early, %u are placed early",
               names[x->p->llp.security], waiting, early);
}

static bool peeks(const struct story_event *e)
{
    return strchr(e->text, ';');
}

/* Reads of programs that look at memory (`peeks`), and those of which octets had not come. */
static unsigned count_reads(const struct story *s, unsigned *peeking, unsigned *soon)
{
    unsigned n = *peeking = *soon = 0;
    for (int i = story_next(s, TRACE_LOOKED, 0); i >= 0; i = story_next(s, TRACE_LOOKED, i + 1), n++) {
        const struct story_event *e = &s->event[i];
        *peeking += peeks(e);
        *soon += e->message < 0 || story_missing(s, e->message, e->t) > 0;
    }
    return n;
}

static bool fits_reads(const struct look *x)
{
    unsigned peeking, soon;
    return count_reads(x->s, &peeking, &soon) && peeking && !x->s->several;
}

static void ask_reads(const struct look *x)
{
    x->t->wanted = 1 + x->draw % 4;
    want(x,
         "that B's program learns of each Write by a way that is never early, and all the same exactly "
         "%" PRIu64 " segment%s placed early",
         x->t->wanted, x->t->wanted == 1 ? " is" : "s are");
}

static bool judge_reads(const struct look *x)
{
    unsigned peeking, soon, early = story_early(x->s, NULL), n = count_reads(x->s, &peeking, &soon);
    return say(x, n && !peeking && !soon && early == x->t->wanted,
               "of %u reads %u look at memory and %u come too soon; %u segments are placed early", n, peeking,
               soon, early);
}

static bool fits_all(const struct look *x)
{
    (void)x;
    return true;
}

static void ask_delay(const struct look *x)
{
    char time[STORY_NAME_MAX];
    x->t->wanted = whole_time(x->s) / 100 * (130 + x->draw % 120);
    x->t->off = x->t->wanted / 100;
    want(x,
         "that the last message is complete at its receiver %s us after the first was posted, to a hundredth "
         "of "
         "that time",
         story_time(x->t->wanted, time));
}

static bool judge_delay(const struct look *x)
{
    char time[STORY_NAME_MAX];
    uint64_t took = whole_time(x->s);
    return say(x, took && is_in_time(x->t, took), "it is complete after %s us", story_time(took, time));
}

/* The first that fits is asked. */
static const struct {
    const char *keys;
    bool (*fits)(const struct look *);
    void (*ask)(const struct look *);
    bool (*judge)(const struct look *);
} tasks[] = {{"topology.hosts", fits_cluster, ask_cluster, judge_cluster},
             {"topology.reroute_after, llp.path_choice", fits_paths, ask_paths, judge_paths},
             {"workload.script", fits_terminate, ask_terminate, judge_terminate},
             {"workload.script", fits_original, ask_original, judge_original},
             {"llp.security, rnic.receive, seed", fits_sealed, ask_sealed, judge_sealed},
             {"workload.notify, seed", fits_reads, ask_reads, judge_reads},
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
    const struct look x = {.s = s, .p = p, .draw = channel_draw(draw, 0), .t = t};
    *t = (struct task){0};
    while (!tasks[t->kind].fits(&x))
        t->kind++;
    t->keys = tasks[t->kind].keys;
    tasks[t->kind].ask(&x);
}

bool task_judge(const struct task *t, const struct story *s, const struct scenario_point *p,
                char said[TASK_TEXT_MAX])
{
    struct task own = *t;
    return tasks[t->kind].judge(&(struct look){.s = s, .p = p, .t = &own, .said = said});
}
