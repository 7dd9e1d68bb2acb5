/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sctp_link.h"

#include <string.h>

#include "engine/carve.h"

#define PS_PER_S 1000000000000u

#define NO_FLIGHT UINT32_MAX

/* A packet under way. */
struct flight {
    iw_time at;
    uint64_t order;
    int to;
    bool bad;
    uint32_t len;
    uint32_t before, after; /* to the same side, or (after) spare; NO_FLIGHT */
    uint8_t *octets;
};

struct side {
    struct sctp *end;
    uint32_t first, last; /* packets under way to it, earliest first; NO_FLIGHT */
    struct channel channel;
    iw_time port_free, narrow_free;
    bool impaired;
    struct sctp_link_stats stats;
};

struct sctp_link {
    struct sctp_link_conf conf;
    struct sctp_link_user ulp;
    struct side side[2];
    iw_time now;
    uint64_t order;
    uint32_t room, spare; /* the first of the spare flights; NO_FLIGHT */
    struct flight *flight;
    uint8_t *packet; /* being made */
};

/* ---- configuration ---- */

const char *sctp_link_conf_error(const struct sctp_link_conf *c)
{
    if (!c->rate)
        return "rate must not be 0";
    if (!c->flights)
        return "flights must not be 0";
    if (c->narrow_rate && !c->narrow_buffer)
        return "narrow_buffer must not be 0";
    for (int side = 0; side < 2; side++)
        if (sctp_conf_error(&c->end[side]))
            return sctp_conf_error(&c->end[side]);
    if (c->end[0].head_max != c->end[1].head_max)
        return "head_max must be the same at both ends";
    return channel_conf_error(&c->channel);
}

static uint32_t packet_max(const struct sctp_link_conf *c)
{
    return c->end[0].mtu > c->end[1].mtu ? c->end[0].mtu : c->end[1].mtu;
}

static void lay_out(struct sctp_link *l, struct carve *c)
{
    const struct sctp_link_conf *conf = &l->conf;
    l->room = packet_max(conf);
    l->flight = carve(c, conf->flights * sizeof(struct flight));
    l->packet = carve(c, l->room);
    uint8_t *octets = carve(c, (size_t)conf->flights * l->room);
    for (int side = 0; side < 2; side++) {
        void *block = carve(c, sctp_size(&conf->end[side]));
        l->side[side].end = block ? sctp_init(block, &conf->end[side]) : NULL;
    }
    if (!c->memory)
        return;
    for (uint32_t i = 0; i < conf->flights; i++) {
        l->flight[i].octets = octets + (size_t)i * l->room;
        l->flight[i].after = i + 1 < conf->flights ? i + 1 : NO_FLIGHT;
    }
    for (int side = 0; side < 2; side++)
        l->side[side].first = l->side[side].last = NO_FLIGHT;
    l->spare = 0;
}

size_t sctp_link_size(const struct sctp_link_conf *conf)
{
    struct sctp_link l = {.conf = *conf};
    struct carve c = {0};
    if (sctp_link_conf_error(conf))
        return 0;
    carve(&c, sizeof l);
    lay_out(&l, &c);
    return c.used;
}

struct sctp_link *sctp_link_init(void *memory, const struct sctp_link_conf *conf,
                                 const struct sctp_link_user *user)
{
    struct sctp_link *l = memory;
    struct carve c = {.memory = memory};
    if (sctp_link_conf_error(conf))
        return NULL;
    *l = (struct sctp_link){.conf = *conf, .ulp = *user};
    carve(&c, sizeof *l);
    lay_out(l, &c);
    for (uint32_t side = 0; side < 2; side++)
        channel_init(&l->side[side].channel, &conf->channel, conf->seed, conf->repeat, 0, side);
    return l;
}

struct sctp *sctp_link_end(struct sctp_link *l, int side)
{
    return l->side[side].end;
}

iw_time sctp_link_now(const struct sctp_link *l)
{
    return l->now;
}

const struct sctp_link_stats *sctp_link_statistics(const struct sctp_link *l, int side)
{
    return &l->side[side].stats;
}

void sctp_link_impair(struct sctp_link *l, int side, bool on)
{
    l->side[side].impaired = on;
}

/* ---- what is under way: two lists, earliest first ---- */

static void launch(struct sctp_link *l, const struct flight *what, const uint8_t *octets)
{
    struct side *s = &l->side[what->to];
    uint32_t me = l->spare, before = s->last;
    if (me == NO_FLIGHT)
        return;
    struct flight *f = &l->flight[me];
    uint8_t *room = f->octets;
    l->spare = f->after;
    *f = *what;
    f->octets = room;
    f->order = l->order++;
    memcpy(room, octets, what->len);
    while (before != NO_FLIGHT && l->flight[before].at > f->at) /* mostly it is the last */
        before = l->flight[before].before;
    uint32_t *link = before == NO_FLIGHT ? &s->first : &l->flight[before].after;
    f->before = before;
    f->after = *link;
    *link = me;
    *(f->after == NO_FLIGHT ? &s->last : &l->flight[f->after].before) = me;
}

/* The side where something arrives next; -1: nothing is under way. */
static int next_landing(const struct sctp_link *l)
{
    uint32_t first[2] = {l->side[0].first, l->side[1].first};
    if (first[0] == NO_FLIGHT || first[1] == NO_FLIGHT)
        return first[0] != NO_FLIGHT ? 0 : first[1] != NO_FLIGHT ? 1 : -1;
    const struct flight *x = &l->flight[first[0]], *y = &l->flight[first[1]];
    return x->at != y->at ? y->at < x->at : y->order < x->order;
}

static struct flight *land(struct sctp_link *l, int side)
{
    struct side *s = &l->side[side];
    uint32_t me = s->first;
    struct flight *f = &l->flight[me];
    s->first = f->after;
    *(s->first == NO_FLIGHT ? &s->last : &l->flight[s->first].before) = NO_FLIGHT;
    f->after = l->spare; /* not taken again before the caller has read it */
    l->spare = me;
    return f;
}

/* ---- a packet leaves ---- */

static iw_time time_on(uint64_t rate, uint64_t octets)
{
    return octets * 8 * PS_PER_S / rate;
}

/* When it has passed the narrow place; IW_NEVER: there was no room. */
static iw_time through(const struct sctp_link *l, struct side *s, uint32_t wire)
{
    if (!l->conf.narrow_rate)
        return s->port_free;
    iw_time free = s->narrow_free > s->port_free ? s->narrow_free : s->port_free;
    uint64_t queued = (free - s->port_free) / 8 * l->conf.narrow_rate / PS_PER_S;
    if (queued + wire > l->conf.narrow_buffer)
        return IW_NEVER;
    s->narrow_free = free + time_on(l->conf.narrow_rate, wire);
    return s->narrow_free;
}

static void damage(const struct sctp_link *l, struct flight *f, uint64_t entropy)
{
    f->bad = true;
    if (!l->conf.end[0].head_max)
        l->packet[entropy / 8 % f->len] ^= (uint8_t)(1u << entropy % 8);
}

static void leave(struct sctp_link *l, int side, uint32_t len, uint32_t wire)
{
    struct side *s = &l->side[side];
    struct channel_fate fate = {0};
    struct flight f = {.to = !side, .len = len};
    iw_time time = time_on(l->conf.rate, wire);
    s->port_free = l->now + time;
    s->stats.packets++;
    s->stats.octets += wire;
    iw_time out = through(l, s, wire);
    if (out != IW_NEVER && s->impaired)
        fate = channel_take(&s->channel, time);
    if (l->ulp.left)
        l->ulp.left(l->ulp.user, side, l->now, l->packet, len, wire, &fate, out == IW_NEVER);
    s->stats.dropped += out == IW_NEVER;
    s->stats.lost += fate.lost;
    if (out == IW_NEVER || fate.lost)
        return;
    f.at = out + l->conf.delay + fate.delay;
    if (fate.corrupted)
        damage(l, &f, fate.entropy);
    s->stats.corrupted += fate.corrupted;
    s->stats.duplicated += fate.duplicated;
    launch(l, &f, l->packet);
    if (fate.duplicated)
        launch(l, &f, l->packet);
}

static void transmit(struct sctp_link *l, int side)
{
    struct side *s = &l->side[side];
    uint32_t wire;
    if (s->port_free > l->now)
        return;
    if (l->ulp.pull)
        l->ulp.pull(l->ulp.user, side, l->now);
    uint32_t len = sctp_transmit(s->end, l->now, l->packet, &wire);
    if (len)
        leave(l, side, len, wire + l->conf.framing);
}

void sctp_link_kick(struct sctp_link *l, int side)
{
    transmit(l, side);
}

/* ---- a packet arrives ---- */

static void arrive(struct sctp_link *l, const struct flight *f)
{
    struct sctp *end = l->side[f->to].end;
    struct sctp_in in;
    if (f->bad && l->conf.end[0].head_max)
        return; /* its checksum would not match */
    if (sctp_receive(end, l->now, f->octets, f->len) != IW_OK)
        return;
    while (sctp_take(end, &in))
        if (l->ulp.take && !l->ulp.take(l->ulp.user, f->to, l->now, &in))
            sctp_refuse(end);
}

/* ---- time ---- */

static iw_time side_next(const struct sctp_link *l, int side)
{
    const struct side *s = &l->side[side];
    iw_time next = sctp_deadline(s->end);
    if (l->ulp.deadline && l->ulp.deadline(l->ulp.user, side) < next)
        next = l->ulp.deadline(l->ulp.user, side);
    if (s->port_free > l->now && s->port_free < next)
        next = s->port_free; /* it may have more to carry */
    return next < l->now ? l->now : next;
}

iw_time sctp_link_next(const struct sctp_link *l)
{
    int to = next_landing(l);
    iw_time next = to >= 0 ? l->flight[l->side[to].first].at : IW_NEVER;
    for (int side = 0; side < 2; side++)
        if (side_next(l, side) < next)
            next = side_next(l, side);
    return next;
}

bool sctp_link_step(struct sctp_link *l)
{
    iw_time next = sctp_link_next(l);
    if (next == IW_NEVER)
        return false;
    l->now = next;
    int to = next_landing(l);
    if (to >= 0 && l->flight[l->side[to].first].at <= next)
        arrive(l, land(l, to));
    for (int side = 0; side < 2; side++) {
        if (sctp_deadline(l->side[side].end) <= next)
            sctp_expire(l->side[side].end, next);
        if (l->ulp.changed)
            l->ulp.changed(l->ulp.user, side, next);
        transmit(l, side);
    }
    return true;
}

bool sctp_link_connect(struct sctp_link *l, iw_time limit)
{
    struct sctp *a = l->side[0].end, *b = l->side[1].end;
    sctp_connect(a, l->now);
    sctp_link_kick(l, 0);
    while (sctp_link_next(l) <= limit && sctp_link_step(l))
        if (sctp_state(a) == SCTP_ESTABLISHED && sctp_state(b) == SCTP_ESTABLISHED)
            return true;
    return false;
}
