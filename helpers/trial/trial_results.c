/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_results.c -- what is made of a trial's measures: its row and its distributions. */
#include <math.h>
#include <string.h>

#include "helpers/base/stats.h"
#include "helpers/trial/trial_inner.h"

void trial_undefine(struct point_results *r)
{
    memset(r, 0, sizeof *r);
    r->flow_mean_gbps = r->flow_p1_gbps = r->flow_jain = r->host_mean_gbps = r->link_share = NAN;
    r->goodput_gbps = r->steady_gbps = r->steady_within = r->flow_min_gbps = r->messages_per_s =
        r->latency_mean_us = NAN;
    r->fct_slowdown_p50 = r->fct_slowdown_p99 = r->bus_bytes_per_byte = r->model_cpu_ns_per_byte = NAN;
    r->completion_ps = r->sender_ps = r->fair_ps = r->latency_p50_ps = r->latency_p99_ps =
        r->latency_p999_ps = r->latency_max_ps = UNDEFINED;
    r->early_p50_ps = r->early_p99_ps = r->staging_peak = r->staging_p999 = r->held_peak = r->ooo_state_peak =
        UNDEFINED;
    r->reads_early = r->fence_us = NAN;
    r->octets_stale = r->early_hole_p50_ps = r->early_hole_p99_ps = UNDEFINED;
    r->notify_p50_ps = r->notify_p99_ps = UNDEFINED;
    r->window_min = r->window_max = r->recv_octets = r->shared_peak = UNDEFINED;
    r->naks = r->track_peak = r->track_pool_peak = r->nic_state = r->path_values = r->retired = r->probes =
        r->credits = UNDEFINED;
    r->counted.trims = r->counted.pauses = r->counted.paused_ps = UNDEFINED;
    for (int i = 0; i < NODE_BOUNDS; i++)
        r->bound[i] = NAN;
}

/* ---- the row ---- */

double gbps(uint64_t octets, uint64_t from, uint64_t to)
{
    return from != IW_NEVER && to != IW_NEVER && to > from ? (double)octets * 8e3 / (double)(to - from) : NAN;
}

static double slowest_flow(const struct trial *t, uint32_t number)
{
    double least = NAN;
    for (uint32_t c = 0; c < t->connections; c++) {
        const struct trial_flow *f = &t->flow[c];
        double g = flow_rate(t, flow_bytes(f), f->first_post, flow_last_placed(f));
        bool counts = (number == EVERY_LOAD || f->load == number) && workload_carries(&t->point->workload, c);
        if (counts && (isnan(least) || g < least))
            least = g;
    }
    return least;
}

static void fill_latency(struct point_results *r, struct samples *s, struct samples *slowdown)
{
    r->latency_n = s->count;
    if (!s->count)
        return;
    r->latency_mean_us = samples_mean(s) / 1e6;
    r->latency_p50_ps = samples_percentile(s, 50, 100);
    r->latency_p99_ps = samples_percentile(s, 99, 100);
    r->latency_p999_ps = samples_percentile(s, 999, 1000);
    r->latency_max_ps = samples_percentile(s, 1, 1);
    if (!slowdown->count)
        return;
    r->fct_slowdown_p50 = (double)samples_percentile(slowdown, 50, 100) / 1e6;
    r->fct_slowdown_p99 = (double)samples_percentile(slowdown, 99, 100) / 1e6;
}

void loads_fill(const struct trial *t, struct trial_load *load, uint32_t number)
{
    load->r->goodput_gbps = flow_rate(t, load->r->bytes, load->first_post, load->last_placed);
    load->r->flow_min_gbps = slowest_flow(t, number);
    fill_latency(load->r, &load->latency, &load->slowdown);
}

static uint64_t or_none(uint64_t n)
{
    return n == UNDEFINED ? 0 : n;
}

/* What an adapter keeps for what came out of order: octets themselves, segments; a list beside packets' bits, another layout
 * instead of them. */
static void fill_state(struct trial *t)
{
    enum { BITS = 8 };
    struct point_results *r = &t->r;
    uint64_t bits = t->point->llp.tracking == TRACK_LIST ? or_none(r->track_peak) : 0;
    if (r->ooo_state_peak != UNDEFINED)
        r->nic_state = r->ooo_state_peak + or_none(r->held_peak) + (bits + BITS - 1) / BITS;
}

enum { MILLION = 1000000 };

/* A world that tells no bound leaves them empty. They add up to 1. */
static void fill_bounds(struct trial *t)
{
    const uint64_t *ps = t->tally->bound_ps;
    uint64_t all = 0;
    for (int i = 0; i < NODE_BOUNDS; i++)
        all += ps[i];
    int most = 0, left = MILLION; /* as many decimals as a cell has; what rounding leaves is the largest's */
    for (int i = 0; all && i < NODE_BOUNDS; i++) {
        int share = (int)((double)ps[i] / (double)all * MILLION + 0.5);
        left -= share;
        most = ps[i] > ps[most] ? i : most;
        t->r.bound[i] = (double)share / MILLION;
    }
    if (all)
        t->r.bound[most] += (double)left / MILLION;
}

/* ---- the steady rate, and how well it is known ---- */

enum { HALF = PARTS / 2, EIGHTH = PARTS / 8, RTTS_MANY = 8 };

/* A world that tells octets in another order has them by time. */
static void order_parts(struct trial *t)
{
    for (unsigned n = 0; t->unordered && n < t->parts; n++)
        t->end[n] = (struct trial_part_end){t->started + timeline_find(&t->placed, part_octets(t, n)),
                                            part_octets(t, n)};
}

/* Between the ends of two parts. */
static double rate_between(const struct trial *t, unsigned from, unsigned to)
{
    return gbps(t->end[to].octets - t->end[from].octets, t->end[from].at, t->end[to].at);
}

/* Half of the 95 % interval of the rates of the parts from `first` on, as a share of their mean. */
static double batch_interval(const struct trial *t, unsigned first)
{
    double rate[PARTS];
    struct stats s;
    for (unsigned n = first; n < PARTS; n++)
        if (isnan(rate[n - first] = rate_between(t, n, n + 1)))
            return NAN;
    stats_of(rate, PARTS - first, &s);
    return s.kind == STATS_SAME ? 0 : (s.mean_high - s.mean_low) / 2 / s.mean;
}

/* Losses, and what they cause, come by chance: then two eighths differ by chance, too. */
static bool has_chance(const struct trial *t, uint64_t *losses)
{
    const struct point_counters *c = &t->r.counted;
    *losses =
        c->drops_channel + c->drops_switch + c->lost_on_failed_links + t->r.drops_staging + c->crc_errors;
    return *losses || t->r.retransmits || c->timeouts || c->timeouts_spurious;
}

/* By how much the times of two parts differ though octets come evenly, a window in each round trip: one of them, where there
 * are many. */
static double slack_of(const struct trial *t, double before, double last)
{
    double rtt = (double)t->derived.rtt;
    return before >= RTTS_MANY * rtt && last >= RTTS_MANY * rtt ? rtt : 0;
}

/* Nothing happened by chance, and yet the last two eighths of the octets came at two rates. */
static void judge_steady(struct trial *t)
{
    const struct trial_part_end *from = &t->end[PARTS - 2 * EIGHTH], *middle = &t->end[PARTS - EIGHTH];
    double before = rate_between(t, PARTS - 2 * EIGHTH, PARTS - EIGHTH);
    double last = rate_between(t, PARTS - EIGHTH, PARTS);
    double slack = slack_of(t, (double)(middle->at - from->at), (double)(t->end[PARTS].at - middle->at));
    double took = (double)(t->end[PARTS].octets - middle->octets) * 8e3; /* over Gbps: picoseconds */
    if (fabs(took / before - took / last) <= WELL_KNOWN * took / last + slack)
        return;
    t->r.steady_gbps = NAN;
    trial_set_note(
        t,
        "steady_gbps is left out: of the last two eighths of the octets one came at %.4g and one at "
        "%.4g Gbps; a longer run may be steady",
        before, last);
}

/* A schedule begins before its first message, and has no rate that would go on. */
static bool plays_alone(const struct trial *t)
{
    return t->point->workload.goal && !t->point->workload.parts;
}

static void fill_slices(struct trial *t)
{
    uint64_t octets = 0, span = t->until - t->from;
    for (unsigned n = 0; n <= PARTS; octets += n < PARTS ? t->tally->slice[n] : 0, n++)
        t->end[n] = (struct trial_part_end){t->from + span / PARTS * n, octets};
    t->end[PARTS].at = t->until;
    t->parts = PARTS + 1;
}

static void fill_mark(struct trial *t, bool chance, uint64_t losses)
{
    struct point_results *r = &t->r;
    r->marked = chance && losses < LOSSES_ENOUGH && !(r->steady_within <= WELL_KNOWN);
    r->enough = r->marked ? enough_times((double)losses, r->steady_within) : 1;
}

/* Whoever chose a window says that the rate is steady in it. Parts of a time are equal times, of a share equal octets. */
static void fill_window(struct trial *t)
{
    struct point_results *r = &t->r;
    uint64_t losses;
    bool chance = has_chance(t, &losses);
    if (!has_share(t))
        fill_slices(t);
    t->slope = NAN;
    r->steady_gbps = r->goodput_gbps;
    r->steady_within = t->parts > PARTS ? batch_interval(t, 0) : NAN;
    fill_mark(t, chance, losses);
}

static void fill_steady(struct trial *t)
{
    struct point_results *r = &t->r;
    uint64_t losses;
    bool chance = has_chance(t, &losses), whole = t->parts > PARTS;
    order_parts(t);
    t->slope =
        t->parts > HALF ? gbps(r->bytes - t->end[HALF].octets, t->end[HALF].at, t->all.last_placed) : NAN;
    r->steady_gbps = t->slope;
    r->steady_within = whole ? batch_interval(t, HALF) : NAN;
    fill_mark(t, chance, losses);
    if (plays_alone(t))
        r->steady_gbps = NAN;
    else if (whole && !chance)
        judge_steady(t);
}

void trial_fill(struct trial *t)
{
    struct point_results *r = &t->r;
    r->count = scenario_counted(t->point) ? t->point->workload.count : UNDEFINED;
    r->span_ps = t->point->measure.span ? t->point->measure.span : UNDEFINED;
    tally_fill(t);
    loads_fill(t, &t->all, EVERY_LOAD);
    (has_window(t) ? fill_window : fill_steady)(t);
    flows_fill(t);
    series_fill(t);
    iw_time began = plays_alone(t) ? t->started : t->all.first_post;
    if (t->over_at != IW_NEVER && t->all.first_post != IW_NEVER && began <= t->over_at)
        r->completion_ps = t->over_at - began; /* a window may end before the first post */
    if (r->completion_ps != UNDEFINED && r->completion_ps && (!has_window(t) || window_is_over(t)))
        r->messages_per_s =
            (double)r->messages * 1e12 / (double)(has_window(t) ? t->until - t->from : r->completion_ps);
    if (t->tally->early.count) {
        r->early_p50_ps = bins_percentile(&t->tally->early, 50, 100);
        r->early_p99_ps = bins_percentile(&t->tally->early, 99, 100);
    }
    if (r->bytes && r->staging_peak != UNDEFINED) {
        r->bus_bytes_per_byte = (double)t->crossings / (double)t->octets;
        r->model_cpu_ns_per_byte = (double)t->cpu / 1e3 / (double)t->octets;
    }
    notify_measure_fill(t);
    r->segments_ooo += r->counted.segments_late;
    fill_state(t);
    fill_bounds(t);
}

/* ---- distributions: coarser bins, 1/16 of an octave ---- */

enum { COARSE = BIN_BITS - 4 };

static void write_bins(FILE *out, const struct trial *t, const struct samples_bins *b)
{
    for (size_t i = 0, seen = 0; out && seen < b->count;) {
        size_t from = i, end = i < (size_t)1 << BIN_BITS ? i + 1 : i + ((size_t)1 << COARSE);
        uint64_t n = 0;
        char low[40], high[40];
        for (; i < end; i++)
            n += b->bin[i];
        seen += n;
        if (n == 0)
            continue;
        value_decimal(bin_floor(from), 6, low, sizeof low);
        value_decimal(end < BINS ? bin_floor(end) : UINT64_MAX, 6, high, sizeof high);
        csv_cell(out, t->files.label);
        fprintf(out, ",%u,%s,%s,%llu\n", t->point->repeat, low, high, (unsigned long long)n);
    }
}

static void write_staging(FILE *out, const struct trial *t)
{
    for (uint32_t i = 0; out && i < RNIC_BINS; i++) {
        if (!t->staging[i])
            continue;
        csv_cell(out, t->files.label);
        fprintf(out, ",%u,%llu,%llu,%llu\n", t->point->repeat, (unsigned long long)rnic_histogram_floor(i),
                (unsigned long long)rnic_histogram_floor(i + 1), (unsigned long long)t->staging[i]);
    }
}

enum { P50_NEEDS = 10, P99_NEEDS = 100 }; /* messages of a size */

static void write_percentile(FILE *out, struct samples *s, uint32_t n, uint64_t needs)
{
    putc(',', out);
    if (s->count >= needs)
        fprintf(out, "%.6f", (double)samples_percentile(s, n, 100) / 1e6);
}

static void write_sizes(FILE *out, const struct trial *t, const char *load, struct samples *of)
{
    for (unsigned bits = 0; bits < SIZE_CLASSES; bits++) {
        struct samples *s = &of[bits];
        uint64_t from = bits ? (uint64_t)1 << (bits - 1) : 0, to = (uint64_t)1 << bits;
        if (s->count == 0)
            continue;
        csv_cell(out, t->files.label);
        fprintf(out, ",%u,%s,%llu,%llu,%llu,%.6f", t->point->repeat, load, (unsigned long long)from,
                (unsigned long long)to, (unsigned long long)s->count, samples_mean(s) / 1e6);
        write_percentile(out, s, 50, P50_NEEDS);
        write_percentile(out, s, 99, P99_NEEDS);
        putc('\n', out);
    }
}

/* Slowdown by workload and size of message, an octave each; percentiles that rest on too little are left out. */
static void write_slowdown(FILE *out, struct trial *t)
{
    for (uint32_t i = 0; out && t->load && i < t->point->loads; i++)
        write_sizes(out, t, t->point->workload.part[i].name, t->load[i].slowdown_of);
    if (out && !t->load)
        write_sizes(out, t, "", t->all.slowdown_of);
}

void trial_distributions(struct trial *t)
{
    struct samples_bins latency = {0};
    t->no_memory |= !samples_bin(&t->all.latency, &latency);
    write_bins(t->files.latency, t, &latency);
    write_bins(t->files.early, t, &t->tally->early);
    write_staging(t->files.staging, t);
    write_slowdown(t->files.slowdown, t);
    bins_free(&latency);
}
