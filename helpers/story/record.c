/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.c -- what a record shows up to an event and at its time, for who checks sentences: read from the lines alone, not
 * from what story.c made of them (telling.h). */
#include <string.h>

#include "helpers/story/telling.h"

/* ---- looking ---- */

/* Lines of one instant stand in the order in which a world told them: at that time, they all are. */
static bool is_by_now(const struct telling *t, const struct story_event *e)
{
    return e->t <= t->e->t && e->conn == t->e->conn;
}

typedef bool line_is(const struct telling *t, const struct story_event *e);

static unsigned count(const struct telling *t, enum trace_kind kind, int side, line_is *is)
{
    unsigned n = 0;
    for (int i = 0; i < t->s->events; i++) {
        const struct story_event *e = &t->s->event[i];
        n += e->kind == kind && e->side == side && is_by_now(t, e) && (!is || is(t, e));
    }
    return n;
}

static bool is_earlier_line(const struct telling *t, const struct story_event *e)
{
    return e < t->e;
}

/* About octets, or a number, of a segment: not of the start-up before it, nor with numbers that cannot be trusted. */
static bool is_of(const struct telling *t, const struct story_event *e, const struct story_segment *g)
{
    bool packet = e->kind == TRACE_LOST || e->kind == TRACE_LANDED || e->kind == TRACE_REFUSED;
    bool known = e->frame || (e - t->s->event >= g->sent && !(packet && e->end == STORY_NONE));
    return known && e->conn == g->conn && e->key != STORY_NONE && e->key >= g->key &&
           (g->end == STORY_NONE || e->key < g->end);
}

static bool is_of_segment(const struct telling *t, const struct story_event *e)
{
    return t->g && is_of(t, e, t->g);
}

static bool is_of_segment_before(const struct telling *t, const struct story_event *e)
{
    return is_earlier_line(t, e) && is_of_segment(t, e);
}

/* ---- memory ---- */

static bool is_of_stag(const struct story_event *e, const struct story_event *of)
{
    bool region = e->kind == TRACE_REGION || e->kind == TRACE_REBIND || e->kind == TRACE_INVALIDATE;
    return region && e->node == of->node && e->stag == of->stag;
}

/* What the STag was before: the kind of the last line about it; TRACE_OTHER: nothing. */
static enum trace_kind stag_before(const struct telling *t)
{
    for (int i = t->at - 1; i >= 0; i--)
        if (is_of_stag(&t->s->event[i], t->e))
            return t->s->event[i].kind;
    return TRACE_OTHER;
}

bool shows_first_region(const struct telling *t)
{
    enum trace_kind was = stag_before(t);
    return was == TRACE_OTHER || was == TRACE_INVALIDATE;
}

bool shows_region(const struct telling *t)
{
    return stag_before(t) != TRACE_OTHER;
}

/* ---- leaving ---- */

/* In a capture nobody saw when. */
static unsigned times_left(const struct telling *t, line_is *is)
{
    return count(t, TRACE_LEFT, t->g->side, is) + count(t, TRACE_RESENT, t->g->side, is) +
           (t->s->capture ? count(t, TRACE_SENT, t->g->side, is) : 0);
}

bool shows_first_leaving(const struct telling *t)
{
    return !times_left(t, is_of_segment_before);
}

bool shows_left(const struct telling *t)
{
    return !t->g || times_left(t, is_of_segment_before);
}

/* Of what left, something has neither come nor been lost before; where the network doubles packets, who knows. */
bool shows_copy_under_way(const struct telling *t)
{
    unsigned left = !t->g ? 1 : times_left(t, is_of_segment_before);
    if (!t->g || strstr(t->s->faults, "duplication"))
        return left;
    return left > count(t, TRACE_LOST, t->g->side, is_of_segment_before) +
                      count(t, TRACE_LANDED, !t->g->side, is_of_segment_before);
}

bool shows_timeout_before(const struct telling *t)
{
    return count(t, TRACE_TIMEOUT, t->e->side, is_earlier_line);
}

/* ---- being there ---- */

/* A packet of SCTP has several segments and lands under the first one's number: that the others are there is known when they
 * arrive. Of what landed, what was refused then is not there. */
static bool is_there(const struct telling *t, const struct story_segment *g, enum trace_kind kind,
                     bool before)
{
    int landed = 0, found = 0;
    for (int i = 0; i < (before ? t->at : t->s->events); i++) {
        const struct story_event *e = &t->s->event[i];
        if (e->t > t->e->t || e->side == g->side || !is_of(t, e, g))
            continue;
        landed += e->kind == TRACE_LANDED;
        landed -= e->kind == TRACE_REFUSED || e->kind == TRACE_DROPPED;
        found += e->kind == (kind == TRACE_LANDED ? TRACE_ARRIVED : kind);
    }
    return found || (kind == TRACE_LANDED && landed > 0);
}

bool shows_landed(const struct telling *t)
{
    return !t->g || count(t, TRACE_LANDED, !t->g->side, is_of_segment);
}

bool shows_there_before(const struct telling *t)
{
    return is_there(t, t->g, TRACE_LANDED, true);
}

bool shows_repeated_and_there(const struct telling *t)
{
    return !t->g || (count(t, TRACE_RESENT, t->g->side, is_of_segment_before) &&
                     is_there(t, t->g, TRACE_LANDED, true));
}

/* A packet without numbers may be it. */
static bool may_be_of_segment(const struct telling *t, const struct story_event *e)
{
    return is_earlier_line(t, e) && (e->end == STORY_NONE || is_of_segment(t, e));
}

bool shows_there_twice(const struct telling *t)
{
    return shows_there_before(t) &&
           (t->s->sctp || count(t, TRACE_LANDED, !t->g->side, may_be_of_segment) > 1);
}

/* A segment of the same stream before it that is not there, of which nothing came. */
static bool lacks(const struct telling *t, enum trace_kind kind)
{
    for (int i = 0; i < t->s->segments; i++) {
        const struct story_segment *g = &t->s->segment[i];
        bool before = g->conn == t->g->conn && g->side == t->g->side && g->key < t->g->key;
        if (before && !is_there(t, g, kind, true))
            return true;
    }
    return false;
}

bool shows_hole(const struct telling *t)
{
    int named = t->g->waits_for;
    return lacks(t, TRACE_LANDED) && (named < 0 || t->e->kind == TRACE_REFUSED ||
                                      !is_there(t, &t->s->segment[named], TRACE_LANDED, true));
}

/* As the lower layer saw it when it handed the segment up: what it names then was not accepted. */
bool shows_early_arrival(const struct telling *t)
{
    int named = t->g->waits_for;
    struct telling then = *t;
    while (then.at > 0 &&
           !(then.e->kind == TRACE_ARRIVED && then.e->side != t->g->side && is_of(t, then.e, t->g)))
        then.e = &t->s->event[--then.at];
    return lacks(&then, TRACE_ARRIVED) &&
           (named < 0 || !is_there(&then, &t->s->segment[named], TRACE_ARRIVED, true));
}

bool shows_arrived(const struct telling *t)
{
    return !t->g || is_there(t, t->g, TRACE_ARRIVED, false);
}

bool shows_arrived_in_turn(const struct telling *t)
{
    return shows_arrived(t) && !lacks(t, TRACE_ARRIVED);
}

/* ---- delivery ---- */

/* RDMAP keeps what it reads itself, and Immediate Data go with the completion. */
static bool goes_to_memory(const struct story_segment *g)
{
    bool immediate = g->ctl.opcode == RDMAP_IMMEDIATE || g->ctl.opcode == RDMAP_IMMEDIATE_SE;
    return g->readable && g->length && (g->head.tagged || (g->head.qn == RDMAP_QN_SEND && !immediate));
}

/* Nothing of it may be used before: its own octets and those before it. */
bool shows_all_in_place(const struct telling *t)
{
    for (int i = 0; i < t->s->segments; i++) {
        const struct story_segment *g = &t->s->segment[i];
        bool mine = g->conn == t->e->conn && g->side != t->e->side && g->key <= t->e->key;
        if (mine && !is_there(t, g, goes_to_memory(g) ? TRACE_PLACED : TRACE_ARRIVED, false))
            return false;
    }
    return true;
}

/* Octets of its message of which no line says that they are in place. */
static uint64_t octets_missing(const struct telling *t)
{
    uint64_t octets = 0;
    for (int i = 0; i < t->s->segments; i++) {
        const struct story_segment *g = &t->s->segment[i];
        bool mine = g->message == t->g->message && g->length;
        octets += mine && !is_there(t, g, TRACE_PLACED, false) ? g->length : 0;
    }
    return octets;
}

/* As many as are told. */
bool shows_octets_missing(const struct telling *t)
{
    uint64_t octets = octets_missing(t);
    return octets && octets == story_missing(t->s, t->e->message, t->e->t);
}

bool shows_message_in_place(const struct telling *t)
{
    return !octets_missing(t);
}

static bool is_same_operation(const struct telling *t, const struct story_event *e)
{
    return e->said.op == t->e->said.op;
}

/* As many of these as of those, and one at least. */
static bool covers(unsigned given, unsigned taken)
{
    return given && given >= taken;
}

bool shows_post(const struct telling *t)
{
    return covers(count(t, TRACE_POST, t->e->side, is_same_operation),
                  count(t, TRACE_DONE, t->e->side, is_same_operation));
}

static bool is_answer(const struct telling *t, const struct story_event *e)
{
    return e->said.opcode == (t->e->said.op == IW_READ ? RDMAP_READ_RESP : RDMAP_ATOMIC_RESP);
}

static bool is_done_well(const struct telling *t, const struct story_event *e)
{
    bool read = t->e->said.op == IW_READ;
    return !trace_said_failed(&e->said) &&
           (read ? e->said.op == IW_READ : e->said.op == IW_FETCH_ADD || e->said.op == IW_CMP_SWAP);
}

bool shows_response(const struct telling *t)
{
    return covers(count(t, TRACE_DELIVERED, t->e->side, is_answer),
                  count(t, TRACE_DONE, t->e->side, is_done_well));
}

static bool is_for_receive(const struct telling *t, const struct story_event *e)
{
    (void)t;
    return (e->said.opcode >= RDMAP_SEND && e->said.opcode <= RDMAP_SEND_SE_INV) ||
           e->said.opcode == RDMAP_IMMEDIATE || e->said.opcode == RDMAP_IMMEDIATE_SE;
}

static bool is_good_receive(const struct telling *t, const struct story_event *e)
{
    (void)t;
    return e->said.op == IW_RECV && !trace_said_failed(&e->said);
}

bool shows_receive(const struct telling *t)
{
    return covers(count(t, TRACE_DELIVERED, t->e->side, is_for_receive),
                  count(t, TRACE_DONE, t->e->side, is_good_receive));
}

static bool is_more_than_sent(const struct telling *t, const struct story_event *e)
{
    (void)t;
    return e->untagged && e->qn == RDMAP_QN_SEND && e->mo == 0;
}

bool shows_no_buffer(const struct telling *t)
{
    return count(t, TRACE_RECV, t->e->side, NULL) <= count(t, TRACE_SENT, !t->e->side, is_more_than_sent);
}

/* ---- acknowledgements ---- */

/* TCP's number: nothing below it is missing. */
bool shows_below_key(const struct telling *t)
{
    for (int i = 0; i < t->s->segments; i++) {
        const struct story_segment *g = &t->s->segment[i];
        bool below =
            g->conn == t->e->conn && g->side != t->e->side && g->end != STORY_NONE && g->end <= t->e->key;
        if (below && !is_there(t, g, TRACE_LANDED, false))
            return false;
    }
    return true;
}

static bool is_there_within(const struct telling *t, uint64_t from, uint64_t to)
{
    for (int i = 0; i < t->s->segments; i++) {
        const struct story_segment *g = &t->s->segment[i];
        bool within = g->conn == t->e->conn && g->side != t->e->side && g->key >= from && g->key <= to;
        if (within && !is_there(t, g, TRACE_LANDED, false))
            return false;
    }
    return true;
}

/* "packet 4; behind 1460 .. 2919 and 5840 .. 7299": all that begins in these octets is there. */
bool shows_behind(const struct telling *t)
{
    unsigned long long from, to;
    unsigned runs = 0;
    for (const char *text = strpbrk(t->e->text, ";"); text; text = strstr(text + 1, " and "), runs++)
        if (sscanf(text + strcspn(text, "0123456789"), "%llu .. %llu", &from, &to) != 2 ||
            !is_there_within(t, from, to))
            return false;
    return runs && shows_below_key(t);
}

bool shows_as_many_octets(const struct telling *t)
{
    uint64_t octets = 0;
    for (int i = 0; i < t->s->events; i++) {
        const struct story_event *e = &t->s->event[i];
        octets += e->kind == TRACE_LANDED && e->side == t->e->side && is_by_now(t, e) ? e->length : 0;
    }
    return t->e->key <= octets;
}

/* ---- ends ---- */

static bool has_same_code(const struct telling *t, const struct story_event *e)
{
    return e->said.term == t->e->said.term;
}

bool shows_terminate_of_peer(const struct telling *t)
{
    return count(t, TRACE_TERMINATE_SENT, !t->e->side, has_same_code);
}

bool shows_no_end_before(const struct telling *t)
{
    return !count(t, TRACE_TERMINATE_SENT, t->e->side, is_earlier_line);
}

bool shows_peer_closed(const struct telling *t)
{
    return count(t, TRACE_CLOSES, !t->e->side, NULL);
}

/* Something ended the stream at this end, or the operation itself failed. */
bool shows_end(const struct telling *t)
{
    static const enum trace_kind ends[] = {TRACE_TERMINATE_SENT, TRACE_TERMINATE_RECEIVED,
                                           TRACE_FATAL,          TRACE_CLOSED,
                                           TRACE_CLOSES,         TRACE_HALF_CLOSED};
    unsigned n = t->e->said.term != 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        n += count(t, ends[i], t->e->side, NULL);
    return n;
}
