/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_measure.c -- what is measured while a trial runs: by flow, by time, by adapter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/least.h"
#include "helpers/trial/trial_inner.h"

bool measure_start(struct trial *t)
{
    t->connections = workload_connections(&t->point->workload);
    t->flow = calloc(t->connections, sizeof *t->flow);
    t->host_state = calloc(t->point->workload.hosts, sizeof *t->host_state);
    t->host_placed = calloc(t->point->workload.hosts, sizeof *t->host_placed);
    t->host_paused = calloc(t->point->workload.hosts, sizeof *t->host_paused);
    scenario_derive(t->point, &t->derived);
    for (uint32_t c = 0; t->flow && c < t->connections; c++) {
        struct trial_flow *f = &t->flow[c];
        f->pair = workload_pair(&t->point->workload, c);
        f->load = workload_part_of(&t->point->workload, c);
        f->first_post = f->side[0].last_placed = f->side[1].last_placed = IW_NEVER;
        bounds_start(f);
    }
    t->placed.width = 1000;
    t->counted_at = IW_NEVER;
    t->windows = 2; /* what never was is in window 0, and nothing in the one before */
    return t->flow && t->host_state && t->host_placed && t->host_paused && loads_start(t) && tally_start(t);
}

void measure_end(struct trial *t)
{
    tally_end(t);
    loads_end(t);
    flows_end(t);
    notify_measure_end(t);
    free(t->flow);
    free(t->host_state);
    free(t->host_placed);
    free(t->host_paused);
}

/* ---- messages ---- */

static unsigned bits_of(uint32_t n)
{
    return n ? 32 - (unsigned)__builtin_clz(n) : 0;
}

static bool add_slowdown(struct trial *t, struct trial_load *load, uint64_t millionths, uint32_t length)
{
    bool by_size = load != &t->all || !t->load;
    return samples_add(&load->slowdown, millionths) &&
           (!by_size || samples_add(&load->slowdown_of[bits_of(length)], millionths));
}

static void measure_slowdown(struct trial *t, const struct workload_message *m)
{
    if (workload_is(t->point->workload.kind, WORKLOAD_IN_TURN | WORKLOAD_BARE))
        return;
    double alone = referee_alone(t, m);
    referee_latency(t, m, alone);
    if (alone <= 0)
        return;
    uint64_t millionths = (uint64_t)((double)m->latency / alone * 1e6 + 0.5);
    for (struct trial_load *l = NULL; (l = loads_next(t, m->conn, l));)
        t->no_memory |= !add_slowdown(t, l, millionths, m->length);
}

void measure_message(struct trial *t, uint64_t now, const struct workload_message *m)
{
    bool has_latency = m->latency != IW_NEVER;
    measure_progress(t, now);
    if (!in_window(t, now))
        return;
    for (struct trial_load *l = NULL; (l = loads_next(t, m->conn, l));) {
        l->r->messages_posted++;
        l->r->messages += m->status == 0;
        l->last_over = now;
        t->no_memory |= has_latency && !samples_add(&l->latency, m->latency);
    }
    if (m->t_taken != IW_NEVER && m->status == 0)
        notify_measure_message(t, m);
    if (has_latency)
        measure_slowdown(t, m);
}

void measure_post(struct trial *t, uint64_t now, uint32_t conn)
{
    t->flow[conn].first_post = least(t->flow[conn].first_post, now);
    for (struct trial_load *l = NULL; (l = loads_next(t, conn, l));)
        l->first_post = least(l->first_post, now);
}

/* ---- octets by time: bins that double in width as time goes on ---- */

static void timeline_add(struct trial_timeline *line, uint64_t at, uint64_t octets)
{
    for (; at / line->width >= TIMES; line->width *= 2)
        for (size_t i = 0; i < TIMES; i++)
            line->bin[i] = i < TIMES / 2 ? line->bin[2 * i] + line->bin[2 * i + 1] : 0;
    line->bin[at / line->width] += octets;
}

/* When `octets` were placed, to a part of a bin. */
uint64_t timeline_find(const struct trial_timeline *line, uint64_t octets)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < TIMES; sum += line->bin[i++])
        if (sum + line->bin[i] >= octets && line->bin[i])
            return i * line->width +
                   (uint64_t)((double)(octets - sum) / (double)line->bin[i] * (double)line->width);
    return IW_NEVER;
}

/* So many octets end the first n parts. */
uint64_t part_octets(const struct trial *t, unsigned n)
{
    return t->expected / PARTS * n + t->expected % PARTS * n / PARTS;
}

/* The octets that complete the share in front of it are not in it. */
static void open_share(struct trial *t, uint64_t now)
{
    if (has_share(t) && t->from == IW_NEVER && t->octets >= t->before)
        t->from = now;
}

uint64_t trial_octets_to_part(const struct trial *t)
{
    return t->expected && t->parts <= PARTS ? part_octets(t, t->parts) - t->counted : UINT64_MAX;
}

void trial_octets(struct trial *t, uint64_t now, uint64_t len)
{
    t->octets += len;
    measure_progress(t, now);
    if (!in_window(t, now)) {
        open_share(t, now);
        return;
    }
    t->unordered |= t->counted_at != IW_NEVER && now < t->counted_at;
    t->counted_at = later(t->counted_at, now);
    timeline_add(&t->placed, now - t->started, len);
    t->counted += len;
    while (t->expected && t->parts <= PARTS && t->counted >= part_octets(t, t->parts))
        t->end[t->parts++] = (struct trial_part_end){now, t->counted};
    if (has_share(t) && t->parts > PARTS)
        t->until = now;
}

/* ---- adapters, endpoints ---- */

static void raise(uint64_t *most, uint64_t value)
{
    if (*most == UNDEFINED || value > *most)
        *most = value;
}

void trial_adapter(struct trial *t, uint32_t host, const struct rnic *adapter)
{
    const struct rnic_stats *s = rnic_statistics(adapter);
    const struct rnic_histogram *h = rnic_staging_histogram(adapter);
    (void)host;
    raise(&t->r.staging_peak, s->staging_peak);
    raise(&t->r.held_peak, s->held_peak);
    if (h->count)
        raise(&t->r.staging_p999, rnic_histogram_quantile(h, 999, 1000));
    for (uint64_t i = 0, left = h->count; left && i < RNIC_BINS; left -= h->bin[i++])
        t->staging[i] += h->bin[i];
    t->r.drops_staging += s->dropped;
    t->crossings += s->crossings;
    t->cpu += s->cpu;
}

void trial_receives(struct trial *t, uint64_t octets, uint64_t shared_peak)
{
    raise(&t->r.recv_octets, octets);
    if (shared_peak != IW_NEVER)
        raise(&t->r.shared_peak, shared_peak);
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a == UNDEFINED ? b : b == UNDEFINED ? a : a + b;
}

void trial_packets(struct trial *t, const struct packet_stats *stats)
{
    t->r.naks = sum(t->r.naks, stats->naks);
    t->r.probes = sum(t->r.probes, stats->probes);
    t->r.credits = sum(t->r.credits, stats->credits);
    t->r.retired = sum(t->r.retired, stats->retired);
    raise(&t->r.track_peak, stats->track_peak);
    raise(&t->r.path_values, stats->path_values);
}

void trial_endpoint(struct trial *t, uint32_t conn, int side, const struct iw_ep *ep,
                    const struct llp_track *track)
{
    const struct iw_stats *s = iw_statistics(ep);
    uint64_t *state = &t->host_state[trial_host(t, conn, side)];
    bool list = t->point->llp.tracking == TRACK_LIST;
    *state += list ? (uint64_t)s->remembered_peak * iw_ooo_state_octets() : track ? track->peak : 0;
    t->r.counted.drops_track += track ? track->refused : 0;
    raise(&t->r.ooo_state_peak, *state);
}

void trial_track_pool(struct trial *t, const struct llp_track_pool *pool)
{
    if (t->point->llp.tracking != TRACK_LIST)
        raise(&t->r.track_pool_peak, pool->peak);
}

/* ---- shares of a run in several processes ---- */

enum { MOST = TRIAL_MOST, SUM = TRIAL_SUM, COUNTERS = sizeof(struct point_counters) / sizeof(uint64_t) };

static uint64_t *most_of(struct trial *t, int i)
{
    struct point_results *r = &t->r;
    uint64_t *most[MOST] = {&r->staging_peak, &r->held_peak,      &r->staging_p999,
                            &r->track_peak,   &r->ooo_state_peak, &r->recv_octets,
                            &r->shared_peak,  &r->path_values,    &r->track_pool_peak};
    return most[i];
}

static uint64_t *sum_of(struct trial *t, int i)
{
    uint64_t *sum[SUM] = {&t->r.drops_staging, &t->crossings, &t->cpu,      &t->r.naks,
                          &t->r.probes,        &t->r.retired, &t->r.credits};
    return sum[i];
}

/* What is counted by then has been heard of in every process. */
void trial_begin_share(struct trial *t)
{
    t->heard = t->r.counted;
}

void trial_end_share(struct trial *t, struct trial_share *share)
{
    const uint64_t *all = (const uint64_t *)&t->r.counted, *heard = (const uint64_t *)&t->heard;
    uint64_t *own = (uint64_t *)&share->counters;
    for (int i = 0; i < COUNTERS; i++)
        own[i] = all[i] - heard[i];
    memcpy(share->staging, t->staging, sizeof share->staging);
    for (int i = 0; i < MOST; i++)
        share->most[i] = *most_of(t, i);
    for (int i = 0; i < SUM; i++)
        share->sum[i] = *sum_of(t, i);
}

void trial_add_share(struct trial *t, const struct trial_share *share)
{
    uint64_t *all = (uint64_t *)&t->r.counted;
    const uint64_t *own = (const uint64_t *)&share->counters;
    for (int i = 0; i < COUNTERS; i++)
        all[i] += own[i];
    for (uint32_t i = 0; i < RNIC_BINS; i++)
        t->staging[i] += share->staging[i];
    for (int i = 0; i < MOST; i++)
        if (share->most[i] != UNDEFINED)
            raise(most_of(t, i), share->most[i]);
    for (int i = 0; i < SUM; i++)
        *sum_of(t, i) = sum(*sum_of(t, i), share->sum[i]);
}
