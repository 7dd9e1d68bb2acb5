/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rnic/rnic.h"

#include <string.h>

#include "engine/law.h"
#include "engine/least.h"
#include "rnic/pcie.h"
#include "rnic/stage.h"

enum { INLINE_PAYLOAD = 64 /* octets that a CPU writes at a time, write-combined */ };

struct interrupt {
    bool pending;
    iw_time due;    /* when the handler starts */
    uint64_t count; /* completions since the first that somebody waits for */
};

struct run {
    uint32_t connection, left; /* more segments of it that belong to the same run */
};

/* The transmit or receive pipeline of some connections. */
struct pipeline {
    uint32_t *turns, first, ready; /* transmit: a ring of connection numbers */
    struct run turns_of, run;
    struct rnic_stage work, check, cipher;
};

struct rnic {
    struct pipeline *out, *in;
    bool *queued;
    iw_time *lane_free;          /* per connection */
    uint32_t connections, turns; /* turns: most connections of a transmit pipeline */
    bool instant;                /* octets come in and go out in no time: no stage, bus or cache keeps them */
    struct rnic_conf conf;
    struct rnic_pcie pcie;
    struct rnic_stage misses;
    iw_time *core, cpu_last; /* when each core is free; when the last piece of work was done */
    iw_time bus_free;
    uint64_t tx_octet, lane_octet, rx_octet, crc_octet, crypto_octet, bus_octet,
        copy_octet; /* femtoseconds */
    struct interrupt interrupt;
    struct rnic_cache stags, contexts;
    struct rnic_stats stats;
    struct rnic_histogram staging;
};

/* ---- the block ---- */

static size_t cache_bytes(uint64_t entries)
{
    return entries == RNIC_UNLIMITED ? 0 : rnic_cache_bytes((uint32_t)entries);
}

/* Most connections of a transmit pipeline. */
static uint32_t ring_of(const struct rnic_conf *conf, uint32_t connections)
{
    return (uint32_t)((connections + conf->tx.queues - 1) / conf->tx.queues);
}

/* Octets of whose turn it is, and of who waits for one. */
static size_t turns_bytes(const struct rnic_conf *conf, uint32_t connections)
{
    size_t octets =
        conf->tx.queues * ring_of(conf, connections) * sizeof(uint32_t) + connections * sizeof(bool);
    return (octets + sizeof(iw_time) - 1) & ~(sizeof(iw_time) - 1);
}

size_t rnic_size(const struct rnic_conf *conf, uint32_t connections)
{
    return sizeof(struct rnic) + turns_bytes(conf, connections) +
           (conf->tx.queues + conf->rx.queues) * sizeof(struct pipeline) + conf->cpu.cores * sizeof(iw_time) +
           connections * sizeof(iw_time) + cache_bytes(conf->cache.stags) +
           cache_bytes(conf->cache.connections);
}

static void *make_cache(struct rnic_cache *cache, void *memory, uint64_t entries)
{
    if (entries != RNIC_UNLIMITED)
        rnic_cache_init(cache, memory, (uint32_t)entries);
    return (uint8_t *)memory + cache_bytes(entries);
}

/* The turns lie beside the pipelines that take them. */
static void share_out(struct rnic *r, uint8_t *memory)
{
    uint8_t *turns = memory;
    memory += turns_bytes(&r->conf, r->connections);
    r->out = (struct pipeline *)(void *)memory;
    r->in = r->out + r->conf.tx.queues;
    memory = (uint8_t *)(r->in + r->conf.rx.queues);
    r->core = (iw_time *)(void *)memory;
    memory += r->conf.cpu.cores * sizeof(iw_time);
    r->lane_free = (iw_time *)(void *)memory;
    memory += r->connections * sizeof(iw_time);
    memory = make_cache(&r->stags, memory, r->conf.cache.stags);
    memory = make_cache(&r->contexts, memory, r->conf.cache.connections);
    LAW(memory == (uint8_t *)r + rnic_size(&r->conf, r->connections));
    for (uint64_t i = 0; i < r->conf.tx.queues; i++, turns += r->turns * sizeof(uint32_t))
        r->out[i].turns = (uint32_t *)(void *)turns;
    r->queued = (bool *)(void *)turns;
}

static void set_rates(struct rnic *r)
{
    const struct rnic_conf *c = &r->conf;
    r->tx_octet = per_octet(c->tx.rate);
    r->lane_octet = per_octet(c->tx.connection_rate);
    r->rx_octet = per_octet(c->rx.rate);
    r->crc_octet = per_octet(c->rx.crc_rate);
    r->crypto_octet = per_octet(c->crypto.rate);
    r->copy_octet = per_octet(c->cpu.copy_rate);
    r->bus_octet = c->bus.rate == RNIC_UNLIMITED ? 0 : per_octet(c->bus.rate - c->bus.background);
}

/* Asked when all rates are set. */
static bool is_instant(const struct rnic *r)
{
    const struct rnic_conf *c = &r->conf;
    uint64_t octet =
        r->tx_octet | r->lane_octet | r->rx_octet | r->crc_octet | r->crypto_octet | r->bus_octet;
    iw_time segment = c->tx.segment | c->tx.latency | c->rx.segment | c->rx.latency | c->crypto.latency;
    bool caches = r->stags.entry || r->contexts.entry;
    return !octet && !segment && !caches && pcie_is_instant(&r->pcie);
}

struct rnic *rnic_init(void *memory, const struct rnic_conf *conf, uint32_t connections, uint64_t key)
{
    struct rnic *r = memory;
    memset(r, 0, rnic_size(conf, connections));
    r->conf = *conf;
    r->connections = connections;
    r->turns = ring_of(conf, connections);
    share_out(r, (uint8_t *)(r + 1));
    set_rates(r);
    pcie_init(&r->pcie, conf, key);
    r->instant = is_instant(r);
    return r;
}

bool rnic_is_instant(const struct rnic *r)
{
    return r->instant;
}

const struct rnic_conf *rnic_configuration(const struct rnic *r)
{
    return &r->conf;
}

/* ---- what several stages share ---- */

/* `octets` cross main memory while they cross something else, which is done at `done`. */
static iw_time cross_memory(struct rnic *r, iw_time now, uint64_t octets, iw_time done)
{
    r->bus_free = most(r->bus_free, now) + octets_time(octets, r->bus_octet);
    LAW(r->bus_free >= now && done >= now); /* the slower of the two decides, each is busy for its own part */
    return most(done, r->bus_free);
}

/* The core that is free first. */
static iw_time *next_core(const struct rnic *r)
{
    iw_time *core = r->core;
    for (uint64_t i = 1; i < r->conf.cpu.cores; i++)
        core = r->core[i] < *core ? &r->core[i] : core;
    return core;
}

/* Cores work side by side; what they have done is seen in the order in which it was given to them. */
static iw_time cpu(struct rnic *r, iw_time now, iw_time work)
{
    iw_time *core = next_core(r);
    r->stats.cpu += work;
    *core = most(*core, now) + work;
    LAW(*core >= now + work && *next_core(r) <= *core);
    r->cpu_last = most(r->cpu_last, *core);
    return r->cpu_last;
}

static inline struct pipeline *pipeline_of(struct pipeline *all, uint64_t queues, uint32_t connection)
{
    return queues == 1 ? all : &all[connection % queues];
}

/* Does this segment belong to the run of the one before? A run has at most `most`; `at_once`: nothing has come between. */
static inline bool goes_on(struct run *run, uint32_t connection, uint64_t most, bool at_once)
{
    if (most == 1)
        return false;
    bool same = at_once && run->left && run->connection == connection;
    LAW(!run->left || run->left < most); /* a run has at most `most` */
    *run = (struct run){connection, same ? run->left - 1 : (uint32_t)most - 1};
    return same;
}

/* When the context `key` is on the adapter. */
static iw_time context(struct rnic *r, struct rnic_cache *cache, iw_time now, uint32_t key)
{
    if (!cache->entry || rnic_cache_use(cache, key))
        return now;
    iw_time busy = r->conf.pcie.read / r->conf.cache.misses;
    iw_time fetch = pcie_read_time(&r->pcie, (uint32_t)r->conf.cache.context);
    return stage_pass(&r->misses, now, now, busy, fetch);
}

void rnic_connected(struct rnic *r, uint32_t connection)
{
    if (r->contexts.entry)
        rnic_cache_use(&r->contexts, connection);
}

/* ---- transmit ---- */

bool rnic_inlined(const struct rnic *r, uint32_t octets)
{
    return r->conf.inline_bytes &&
           octets <= r->conf.inline_bytes; /* 0: every request is fetched, a Read's too */
}

static iw_time doorbell_time(const struct rnic *r, uint32_t octets)
{
    uint32_t carried = rnic_inlined(r, octets) ? octets : 0;
    uint64_t stores = (carried + INLINE_PAYLOAD - 1) / INLINE_PAYLOAD;
    return r->conf.tx.doorbell + octets_time(carried + stores * r->conf.pcie.overhead, r->pcie.octet);
}

iw_time rnic_post(struct rnic *r, iw_time now, uint32_t octets)
{
    return cpu(r, now, r->conf.cpu.post) + doorbell_time(r, octets);
}

iw_time rnic_post_recv(struct rnic *r, iw_time now)
{
    return cpu(r, now, r->conf.cpu.post);
}

iw_time rnic_fetch(struct rnic *r, iw_time now, uint32_t octets)
{
    return rnic_inlined(r, octets) ? now : pcie_read(&r->pcie, now, (uint32_t)r->conf.tx.descriptor);
}

iw_time rnic_read(struct rnic *r, iw_time now, uint32_t octets)
{
    r->stats.read += octets;
    if (r->instant)
        return now;
    bool walks = r->conf.iommu.read_miss;
    iw_time read = walks ? pcie_gather(&r->pcie, now, octets) : pcie_read(&r->pcie, now, octets);
    return cross_memory(r, now, octets, read);
}

/* `octets` of a segment, ready for it at `from`. */
static iw_time crypto(struct rnic *r, struct rnic_stage *stage, iw_time from, uint32_t octets)
{
    iw_time busy = octets_time(octets, r->crypto_octet), all = busy + r->conf.crypto.latency;
    return octets && all ? stage_pass(stage, from, from, busy, all) : from;
}

iw_time rnic_send(struct rnic *r, iw_time now, uint32_t connection, uint32_t octets)
{
    if (r->instant)
        return now;
    struct pipeline *p = pipeline_of(r->out, r->conf.tx.queues, connection);
    iw_time known = context(r, &r->contexts, now, connection);
    bool same = goes_on(&p->run, connection, r->conf.tx.burst, now <= p->work.free);
    iw_time busy = (same ? 0 : r->conf.tx.segment) + octets_time(octets, r->tx_octet);
    iw_time done = stage_pass(&p->work, now, known, busy, busy + r->conf.tx.latency);
    iw_time *lane = &r->lane_free[connection];
    LAW(done == p->work.last && done >= known); /* a stage is left in the order it was entered */
    *lane = most(*lane, now) + octets_time(octets, r->lane_octet);
    return most(crypto(r, &p->cipher, done, octets), *lane);
}

iw_time rnic_resend(struct rnic *r, iw_time now, uint32_t octets)
{
    return r->conf.retransmit == RNIC_FROM_HOST ? rnic_read(r, now, octets) : now;
}

void rnic_ready(struct rnic *r, uint32_t connection)
{
    if (r->queued[connection])
        return;
    r->queued[connection] = true;
    struct pipeline *p = pipeline_of(r->out, r->conf.tx.queues, connection);
    LAW(p->ready < r->turns);
    if (p->turns_of.left && p->turns_of.connection == connection) {
        p->first = (p->first ? p->first : r->turns) - 1;
        p->turns[p->first] = connection;
        p->ready++;
    } else
        p->turns[(p->first + p->ready++) % r->turns] = connection;
}

bool rnic_turn(struct rnic *r, uint32_t pipeline, uint32_t *connection)
{
    struct pipeline *p = &r->out[pipeline];
    if (p->ready == 0)
        return false;
    *connection = p->turns[p->first];
    LAW(r->queued[*connection] && pipeline_of(r->out, r->conf.tx.queues, *connection) == p);
    r->queued[*connection] = false;
    p->first = (p->first + 1) % r->turns;
    p->ready--;
    goes_on(&p->turns_of, *connection, r->conf.tx.burst, true);
    return true;
}

/* ---- receive ---- */

static bool stage_octets(struct rnic *r, uint32_t octets)
{
    struct rnic_stats *s = &r->stats;
    LAW(s->staging <= r->conf.staging_bytes && s->staging <= s->staging_peak);
    if (!octets)
        return true;
    s->arrived++;
    if (octets > r->conf.staging_bytes - s->staging) {
        s->dropped++;
        s->dropped_octets += octets;
        return false;
    }
    s->staging += octets;
    s->staging_peak = most(s->staging_peak, s->staging);
    rnic_histogram_add(&r->staging, s->staging);
    LAW(r->staging.count + s->dropped == s->arrived && r->staging.max == s->staging_peak);
    return true;
}

iw_time rnic_arrive(struct rnic *r, iw_time now, uint32_t connection, uint32_t octets)
{
    if (!stage_octets(r, octets))
        return IW_NEVER;
    if (r->instant)
        return now;
    struct pipeline *p = pipeline_of(r->in, r->conf.rx.queues, connection);
    now = crypto(r, &p->cipher, now, octets);
    iw_time known = context(r, &r->contexts, now, connection);
    bool same = goes_on(&p->run, connection, r->conf.rx.coalesce, now <= p->work.free);
    iw_time busy = (same ? 0 : r->conf.rx.segment) + octets_time(octets, r->rx_octet);
    iw_time received = stage_pass(&p->work, now, known, busy, busy + r->conf.rx.latency);
    iw_time check = octets_time(octets, r->crc_octet);
    return stage_pass(&p->check, received, received, check, check);
}

void rnic_release(struct rnic *r, uint32_t octets)
{
    LAW(r->stats.staging >= octets);
    r->stats.staging -= octets;
}

bool rnic_hold(struct rnic *r, uint32_t octets)
{
    struct rnic_stats *s = &r->stats;
    if (octets > r->conf.hold_bytes - s->held) {
        s->refused++;
        return false;
    }
    LAW(s->staging >= octets && s->held <= r->conf.hold_bytes);
    s->staging -= octets;
    s->held += octets;
    s->held_peak = most(s->held_peak, s->held);
    return true;
}

void rnic_unhold(struct rnic *r, uint32_t octets)
{
    LAW(r->stats.held >= octets && r->stats.held <= r->stats.held_peak);
    r->stats.held -= octets;
}

iw_time rnic_place(struct rnic *r, iw_time now, uint32_t stag, uint32_t octets)
{
    r->stats.placed += octets;
    r->stats.crossings += octets;
    if (r->instant)
        return now;
    iw_time known = stag ? context(r, &r->stags, now, stag) : now;
    iw_time written = pcie_write(&r->pcie, now, known, octets);
    r->stats.stalls = r->pcie.stalled;
    LAW(r->stats.crossings ==
        r->stats.placed + 2 * r->stats.copied); /* octets that crossed memory on the receive side */
    return cross_memory(r, now, octets, written);
}

iw_time rnic_syscall(struct rnic *r, iw_time now)
{
    return cpu(r, now, r->conf.cpu.syscall);
}

static iw_time copy_work(const struct rnic *r, uint32_t octets)
{
    return r->conf.cpu.segment + octets_time(octets, r->copy_octet);
}

/* The CPU waits for memory: it is busy until both are done. */
iw_time rnic_copy(struct rnic *r, iw_time now, uint32_t octets)
{
    iw_time start = most(now, *next_core(r));
    iw_time done = cross_memory(r, now, 2 * (uint64_t)octets, start + copy_work(r, octets));
    r->stats.copied += octets;
    r->stats.crossings += 2 * (uint64_t)octets;
    LAW(r->stats.crossings == r->stats.placed + 2 * r->stats.copied && done - start >= copy_work(r, octets));
    return cpu(r, now, done - start);
}

/* ---- completion ---- */

iw_time rnic_complete(struct rnic *r, iw_time now)
{
    r->stats.completions++;
    return pcie_follow(&r->pcie, now, (uint32_t)r->conf.completion.entry);
}

/* The first completion that somebody waits for: the interval begins. */
static void begin_interrupt(struct interrupt *i, const struct rnic_conf *conf, iw_time now)
{
    *i = (struct interrupt){.pending = true,
                            .due = now + conf->completion.interval + conf->completion.latency};
}

/* One completion more: with enough of them the interrupt is raised now. */
static iw_time gather_completion(struct interrupt *i, const struct rnic_conf *conf, iw_time now)
{
    iw_time at_once = now + conf->completion.latency;
    if (++i->count == conf->completion.count && at_once < i->due)
        i->due = at_once;
    LAW(i->due <= at_once + conf->completion.interval);
    return i->due;
}

iw_time rnic_notify(struct rnic *r, iw_time now, bool event)
{
    if (r->conf.completion.mode == RNIC_POLL)
        return now;
    if (!r->interrupt.pending && !event)
        return IW_NEVER;
    if (!r->interrupt.pending)
        begin_interrupt(&r->interrupt, &r->conf, now);
    return gather_completion(&r->interrupt, &r->conf, now);
}

static bool take_interrupt(struct rnic *r, iw_time now)
{
    if (!r->interrupt.pending || now < r->interrupt.due)
        return false;
    r->interrupt.pending = false;
    r->stats.interrupts++;
    LAW(now >= r->interrupt.due && r->interrupt.count); /* each gathers one at least */
    return true;
}

iw_time rnic_wakeup(struct rnic *r, iw_time now, uint32_t entries)
{
    iw_time work = entries * r->conf.cpu.poll;
    if (r->conf.completion.mode == RNIC_POLL)
        return cpu(r, now, work);
    return take_interrupt(r, now) ? cpu(r, now, r->conf.cpu.wakeup + work) : IW_NEVER;
}

/* ---- looking on ---- */

const struct rnic_stats *rnic_statistics(const struct rnic *r)
{
    return &r->stats;
}

const struct rnic_histogram *rnic_staging_histogram(const struct rnic *r)
{
    return &r->staging;
}

const struct rnic_cache *rnic_stag_cache(const struct rnic *r)
{
    return r->stags.entry ? &r->stags : NULL;
}

const struct rnic_cache *rnic_connection_cache(const struct rnic *r)
{
    return r->contexts.entry ? &r->contexts : NULL;
}

iw_time rnic_cpu_free(const struct rnic *r)
{
    return r->cpu_last;
}

const char *const rnic_step_names[RNIC_STEPS] = {"post",  "fetch", "read",     "send",  "arrive",
                                                 "place", "copy",  "complete", "notify"};

static iw_time post_time(const struct rnic *r, uint32_t octets)
{
    return r->conf.cpu.post + doorbell_time(r, octets);
}

static iw_time fetch_time(const struct rnic *r, uint32_t octets)
{
    return rnic_inlined(r, octets) ? 0 : pcie_read_time(&r->pcie, (uint32_t)r->conf.tx.descriptor);
}

static iw_time read_time(const struct rnic *r, uint32_t octets)
{
    return most(pcie_read_time(&r->pcie, octets), octets_time(octets, r->bus_octet));
}

static iw_time crypto_time(const struct rnic *r, uint32_t octets)
{
    return octets ? octets_time(octets, r->crypto_octet) + r->conf.crypto.latency : 0;
}

static iw_time send_time(const struct rnic *r, uint32_t octets)
{
    iw_time pipeline = r->conf.tx.segment + octets_time(octets, r->tx_octet) + r->conf.tx.latency;
    return most(pipeline + crypto_time(r, octets), octets_time(octets, r->lane_octet));
}

static iw_time arrive_time(const struct rnic *r, uint32_t octets)
{
    iw_time pipeline = r->conf.rx.segment + octets_time(octets, r->rx_octet) + r->conf.rx.latency;
    return crypto_time(r, octets) + pipeline + octets_time(octets, r->crc_octet);
}

static iw_time place_time(const struct rnic *r, uint32_t octets)
{
    return most(pcie_write_time(&r->pcie, octets), octets_time(octets, r->bus_octet));
}

static iw_time copy_time(const struct rnic *r, uint32_t octets)
{
    bool copies = rnic_path_is(r->conf.receive, RNIC_BY_CPU);
    return copies ? most(copy_work(r, octets), octets_time(2 * (uint64_t)octets, r->bus_octet)) : 0;
}

static iw_time complete_time(const struct rnic *r, uint32_t octets)
{
    (void)octets;
    return pcie_follow_time(&r->pcie, (uint32_t)r->conf.completion.entry);
}

static iw_time notify_time(const struct rnic *r, uint32_t octets)
{
    (void)octets;
    const struct rnic_conf *c = &r->conf;
    if (c->completion.mode == RNIC_POLL)
        return c->cpu.poll;
    iw_time wait = c->completion.count > 1 ? c->completion.interval : 0;
    return wait + c->completion.latency + c->cpu.wakeup + c->cpu.poll;
}

iw_time rnic_step_time(const struct rnic *r, enum rnic_step step, uint32_t octets)
{
    typedef iw_time step_time(const struct rnic *r, uint32_t octets);
    static step_time *const times[RNIC_STEPS] = {
        [RNIC_STEP_POST] = post_time, [RNIC_STEP_FETCH] = fetch_time,       [RNIC_STEP_READ] = read_time,
        [RNIC_STEP_SEND] = send_time, [RNIC_STEP_ARRIVE] = arrive_time,     [RNIC_STEP_PLACE] = place_time,
        [RNIC_STEP_COPY] = copy_time, [RNIC_STEP_COMPLETE] = complete_time, [RNIC_STEP_NOTIFY] = notify_time,
    };
    return times[step](r, octets);
}

uint32_t rnic_ahead(const struct rnic *r, uint64_t line_rate, uint32_t largest)
{
    iw_time walk = r->conf.iommu.read_miss ? r->conf.iommu.walk : 0;
    iw_time depth = read_time(r, largest) + walk + send_time(r, largest);
    uint64_t rate = line_rate / 8000000; /* octets per microsecond */
    return depth ? largest + (uint32_t)(depth * rate / 1000000) : 0;
}
