/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rnic/window.h"

#include <string.h>

#include "engine/law.h"
#include "engine/least.h"

enum {
    FIELD_MAX = 65535,
    SHIFT_MAX = 14,
    START = 10, /* FPDUs that bdp and retire advertise first, as a sender starts (RFC 6928) */
    FLOOR = 2   /* FPDUs that retire leaves the peer in any case */
};

#define TRAIT(name, word, is) is,
const uint8_t rnic_policy_traits[] = {RNIC_POLICY_TABLE(TRAIT)};

/* ---- what makes sense ---- */

unsigned rnic_window_shift(uint64_t bytes)
{
    unsigned shift = 0;
    while (shift < SHIFT_MAX && bytes > (uint64_t)FIELD_MAX << shift)
        shift++;
    return shift;
}

const char *rnic_window_error(const struct rnic_window_conf *conf, uint32_t fpdu)
{
    if (conf->bytes < 2 * (uint64_t)fpdu)
        return "a window must hold two full segments, or the sender waits for every acknowledgement";
    if (conf->bytes > RNIC_WINDOW_MAX)
        return "TCP cannot advertise more than 1073725440 octets (65535 << 14)";
    if (rnic_policy_is(conf->policy, RNIC_BUFFERED) && fpdu >> rnic_window_shift(conf->bytes) == 0)
        return "so large a window is advertised in units above a segment, and would never close on the wire";
    return NULL;
}

void rnic_window_init(struct rnic_window *w, const struct rnic_window_conf *conf, uint32_t fpdu,
                      unsigned shift)
{
    memset(w, 0, sizeof *w);
    w->conf = *conf;
    w->fpdu = fpdu;
    w->shift = (uint8_t)shift;
    w->bdp.rtt = IW_NEVER;
}

/* ---- R* ---- */

static uint64_t minus(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t fpdus(const struct rnic_window *w, uint32_t count)
{
    return least(w->conf.bytes, (uint64_t)count * w->fpdu);
}

/* headroom x rate x RTT, within 10 FPDUs .. conf.bytes. */
static uint64_t found(const struct rnic_window *w)
{
    uint64_t start = fpdus(w, START);
    if (w->bdp.rtt == IW_NEVER)
        return start;
    double product = w->bdp.rate * (double)w->bdp.rtt;
    double bytes = product * (double)w->conf.headroom / 1000;
    return bytes < (double)w->conf.bytes ? most(start, (uint64_t)bytes) : w->conf.bytes;
}

uint64_t rnic_window_bytes(const struct rnic_window *w)
{
    return rnic_policy_is(w->conf.policy, RNIC_FINDS) ? found(w) : w->conf.bytes;
}

static uint64_t constant(const struct rnic_window *w, const struct rnic_window_state *s)
{
    return s->next + w->conf.bytes;
}

static uint64_t placed(const struct rnic_window *w, const struct rnic_window_state *s)
{
    return minus(s->next + w->conf.bytes, s->backlog);
}

static uint64_t held(const struct rnic_window *w, const struct rnic_window_state *s)
{
    return minus(s->next + w->conf.bytes, s->backlog + s->held);
}

static uint64_t buffer(const struct rnic_window *w, const struct rnic_window_state *s)
{
    return s->consumed + w->conf.bytes;
}

static uint64_t bdp(const struct rnic_window *w, const struct rnic_window_state *s)
{
    return minus(s->next + found(w), s->backlog);
}

/* What the edge may gain for `octets` that left staging. */
static uint64_t gain(const struct rnic_window *w, const struct rnic_window_state *s, uint64_t octets)
{
    if (s->staging > w->conf.mark)
        return octets * w->conf.drain / 1000;
    return w->retire.slowed ? octets + octets / 8 : 2 * octets;
}

static uint64_t retire(const struct rnic_window *w, const struct rnic_window_state *s)
{
    uint64_t retired = minus(s->next, s->backlog);
    uint64_t gained = most(w->edge, fpdus(w, START)) + gain(w, s, minus(retired, w->retire.retired));
    return least(placed(w, s), most(gained, retired + fpdus(w, FLOOR)));
}

typedef uint64_t policy_edge(const struct rnic_window *w, const struct rnic_window_state *s);
#define EDGE(name, word, is) word,
static policy_edge *const edges[] = {RNIC_POLICY_TABLE(EDGE)};

/* ---- the wire ---- */

/* The field for an edge, never below what was told before. */
static uint64_t field_for(const struct rnic_window *w, uint64_t edge, uint64_t next)
{
    uint64_t last = ((uint64_t)1 << w->shift) - 1;
    uint64_t wanted = minus(edge, next) + (rnic_policy_is(w->conf.policy, RNIC_BUFFERED) ? 0 : last);
    uint64_t owed = minus(w->advertised, next) + last;
    LAW(most(wanted, owed) >=
        minus(w->advertised, next)); /* a field that would fall short of what was told is one more */
    return most(wanted, owed) >> w->shift;
}

static uint64_t told_by(const struct rnic_window *w, uint64_t edge, uint64_t next)
{
    return next + (field_for(w, edge, next) << w->shift);
}

/* ---- bdp: what the receiver can measure ---- */

/* Octets beyond `to` can only have been sent after an edge beyond `to` was heard: the time between is a round trip, or
 * more when the peer was not waiting for it. The smallest counts, and so does the highest rate. */
static void measure(struct rnic_window *w, iw_time now, uint64_t next)
{
    LAW(next > w->bdp.from && w->bdp.to >= w->bdp.from);
    double rate = (double)(next - w->bdp.from) / (double)(now - w->bdp.since);
    if (rate > w->bdp.rate)
        w->bdp.rate = rate;
    w->bdp.rtt = least(w->bdp.rtt, most(now - w->bdp.opened, w->bdp.rtt_least));
}

/* The first epoch measures nothing: what the handshake let the peer send is not known here. */
static void end_epoch(struct rnic_window *w, iw_time now, uint64_t next)
{
    if (w->bdp.to)
        measure(w, now, next);
    w->bdp.from = next;
    w->bdp.since = now;
    w->bdp.to = most(w->advertised, next); /* the peer may have gone beyond what it was told */
    w->bdp.open = false;
}

static void arrived(struct rnic_window *w, iw_time now, uint64_t next)
{
    if (w->bdp.open && next > w->bdp.to && now > w->bdp.opened)
        end_epoch(w, now, next);
}

static void opened(struct rnic_window *w, iw_time now)
{
    if (w->bdp.open || w->advertised <= w->bdp.to)
        return;
    w->bdp.open = true;
    w->bdp.opened = now;
}

/* ---- calls ---- */

static void remember(struct rnic_window *w, iw_time now, const struct rnic_window_state *s)
{
    opened(w, now);
    w->retire.retired = most(w->retire.retired, minus(s->next, s->backlog));
    w->retire.slowed |= s->staging > w->conf.mark;
}

uint64_t rnic_window_advertise(struct rnic_window *w, iw_time now, const struct rnic_window_state *state)
{
    arrived(w, now, state->next);
    uint64_t wanted = edges[w->conf.policy](w, state);
    w->edge = most(w->edge, wanted);
    uint64_t field = field_for(w, w->edge, state->next);
    LAW(state->next + (field << w->shift) >= w->advertised); /* what was advertised stays advertised */
    w->advertised = state->next + (field << w->shift);
    w->excess = most(w->excess, minus(w->advertised, wanted));
    remember(w, now, state);
    return field;
}

bool rnic_window_opened(const struct rnic_window *w, const struct rnic_window_state *state)
{
    uint64_t edge = most(w->edge, edges[w->conf.policy](w, state));
    uint64_t advertised = told_by(w, edge, state->next);
    LAW(advertised >= w->advertised); /* never gets smaller from one call to the next */
    if (minus(w->advertised, state->next) < w->fpdu && advertised - state->next >= w->fpdu)
        return true;
    uint64_t enough = state->backlog == 0 ? w->fpdu : least(2 * (uint64_t)w->fpdu, rnic_window_bytes(w) / 2);
    return advertised - w->advertised >= enough;
}

bool rnic_window_counts_consumed(const struct rnic_window *w)
{
    return rnic_policy_is(w->conf.policy, RNIC_CONSUMED);
}
