/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rnic/pcie.h"

#include "engine/least.h"

/* Femtoseconds per octet of one lane: 2.5 and 5 GT/s with 8b/10b, 8, 16 and 32 GT/s with 128b/130b. */
static const uint64_t lane_octet[] = {0, 4000000, 2000000, 1015625, 507813, 253907};

static unsigned bits_of(uint64_t power_of_two)
{
    unsigned bits = 0;
    while (power_of_two >> bits > 1)
        bits++;
    return bits;
}

static uint64_t share(uint64_t whole, uint64_t parts)
{
    return (whole + parts - 1) / parts;
}

void pcie_init(struct rnic_pcie *p, const struct rnic_conf *conf, uint64_t key)
{
    *p = (struct rnic_pcie){
        .octet = share(lane_octet[conf->pcie.generation], conf->pcie.lanes),
        .overhead = (uint32_t)conf->pcie.overhead,
        .payload_bits = bits_of(conf->pcie.payload),
        .request_bits = bits_of(conf->pcie.request),
        .reads = conf->pcie.reads,
        .credits = conf->pcie.credits,
        .read = conf->pcie.read,
        .write = conf->pcie.write,
        .read_gap = share(conf->pcie.read, conf->pcie.reads),
        .write_gap = share(conf->pcie.read, conf->pcie.credits),
        .relaxed = conf->pcie.ordering == RNIC_RELAXED,
        .overtakes = conf->order == RNIC_ANY,
        .reads_overtake = conf->read_order == RNIC_READS_IN_ANY_ORDER,
        .miss = conf->iommu.miss,
        .read_miss = conf->iommu.read_miss,
        .half = conf->iommu.walk * 2 / 3,
        .key = key,
        .stall = {conf->stall.every, conf->stall.for_, conf->stall.jitter, key, 0, 0},
    };
}

bool pcie_is_instant(const struct rnic_pcie *p)
{
    bool stalls = p->stall.length && p->stall.every;
    return !p->octet && !(p->read | p->write | p->read_gap | p->write_gap) && !(p->miss | p->read_miss) &&
           !stalls;
}

/* ---- stalls ---- */

/* A well mixed draw from a key and a counter (splitmix64's finalizer). */
static uint64_t draw_mixed(uint64_t key, uint64_t counter)
{
    uint64_t x = key + counter * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static void next_stall(struct rnic_stall *s, uint64_t number)
{
    s->start = number * s->every + draw_mixed(s->key, number) % (s->jitter + 1);
    s->end = s->start + s->length;
    LAW(number && s->start >= number * s->every && s->start <= number * s->every + s->jitter);
}

/* The end of the stall that `t` falls into, else `t`. Stall k ends before (k + 1) x every. */
static iw_time after_stall(struct rnic_stall *s, iw_time t)
{
    if (s->length == 0 || s->every == 0)
        return t;
    if (t >= s->end) {
        uint64_t number = t / s->every;
        next_stall(s, number ? number : 1);
    }
    if (t >= s->end)
        next_stall(s, t / s->every + 1);
    LAW(t < s->end); /* the one that `t` is in or before */
    return t < s->start ? t : s->end;
}

/* ---- transfers ---- */

static uint64_t pieces(uint32_t octets, unsigned bits)
{
    return ((uint64_t)octets + (1u << bits) - 1) >> bits;
}

static iw_time wire_time(const struct rnic_pcie *p, uint32_t octets)
{
    return octets_time(octets + pieces(octets, p->payload_bits) * p->overhead, p->octet);
}

/* One transfer: how long it keeps its direction, and how long it takes besides the latency: what does not fit into
 * what may be outstanding waits. */
struct transfer {
    iw_time busy, takes;
};

static struct transfer transfer(iw_time wire, uint64_t units, iw_time gap, uint64_t outstanding)
{
    iw_time waits = units > outstanding ? (units - outstanding) * gap : 0;
    LAW(waits <= units * gap); /* it takes no longer than it keeps its direction, besides the latency */
    return (struct transfer){most(wire, units * gap), most(wire, waits)};
}

static struct transfer reading(const struct rnic_pcie *p, uint32_t octets)
{
    return transfer(wire_time(p, octets), pieces(octets, p->request_bits), p->read_gap, p->reads);
}

static struct transfer writing(const struct rnic_pcie *p, uint32_t octets)
{
    return transfer(wire_time(p, octets), pieces(octets, p->payload_bits), p->write_gap, p->credits);
}

iw_time pcie_read_time(const struct rnic_pcie *p, uint32_t octets)
{
    return octets ? p->read + reading(p, octets).takes : 0;
}

iw_time pcie_write_time(const struct rnic_pcie *p, uint32_t octets)
{
    return octets ? p->write + writing(p, octets).takes : 0;
}

/* The requests go up between the writes: they take their room, nobody waits for them. */
static void request(struct rnic_pcie *p, iw_time now, uint32_t octets)
{
    p->up.free = most(p->up.free, now) + octets_time(pieces(octets, p->request_bits) * p->overhead, p->octet);
}

iw_time pcie_follow_time(const struct rnic_pcie *p, uint32_t octets)
{
    return wire_time(p, octets);
}

iw_time pcie_follow(struct rnic_pcie *p, iw_time now, uint32_t octets)
{
    p->up.free = most(p->up.free, now) + writing(p, octets).busy;
    return now + wire_time(p, octets);
}

iw_time pcie_read(struct rnic_pcie *p, iw_time now, uint32_t octets)
{
    request(p, now, octets);
    return stage_pass(&p->down, now, now, reading(p, octets).busy, pcie_read_time(p, octets));
}

/* A walk lasts from k to k + 1 halves with probability 2^-(k+1), each time between them as likely: `half` x 3/2 in the mean. */
static iw_time walk_time(iw_time half, uint64_t random)
{
    iw_time before = 0;
    for (uint64_t bits = random >> 32; bits & 1; bits >>= 1)
        before += half;
    return before + ((half * (random & 0xffff)) >> 16);
}

/* How long the pages of a transfer wait for their translations, one after the other; `pages`: those drawn for with `key` before. */
static iw_time translation(iw_time half, uint64_t miss, uint64_t key, uint64_t *pages, uint32_t octets)
{
    enum { PAGE = 4096 };
    iw_time sum = 0;
    for (uint32_t page = 0; miss && page < (octets + PAGE - 1) / PAGE; page++) {
        uint64_t random = draw_mixed(key, (*pages)++);
        if (random % 1000 < miss)
            sum += walk_time(half, draw_mixed(random, *pages));
    }
    return sum;
}

iw_time pcie_gather(struct rnic_pcie *p, iw_time now, uint32_t octets)
{
    request(p, now, octets);
    iw_time walk = translation(p->half, p->read_miss, p->key + 1, &p->pages_to_read, octets);
    iw_time busy = reading(p, octets).busy, takes = pcie_read_time(p, octets) + walk;
    return p->reads_overtake ? stage_overtake(&p->down, now, now, busy, takes)
                             : stage_pass(&p->down, now, now, busy + walk, takes);
}

iw_time pcie_write(struct rnic_pcie *p, iw_time now, iw_time known, uint32_t octets)
{
    iw_time start = most(p->up.free, now), walk = translation(p->half, p->miss, ~p->key, &p->pages, octets);
    p->up.free = after_stall(&p->stall, start);
    LAW(p->up.free >= start && start >= now);
    p->stalled += p->up.free != start;
    struct transfer w = writing(p, octets);
    iw_time busy = w.busy + (p->relaxed ? 0 : walk);
    iw_time takes = octets ? p->write + w.takes + walk : 0;
    return p->overtakes ? stage_overtake(&p->up, now, known, busy, takes)
                        : stage_pass(&p->up, now, known, busy, takes);
}
