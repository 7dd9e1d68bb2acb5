/* SPDX-License-Identifier: GPL-2.0-or-later */
/* column.h -- what a point gives, in names: the columns of results.csv, and what a figure may draw beside them.
 *
 * point.h is what goes into a trial, struct point_results is what comes out. The names are here, below the rooms that
 * fill in and draw the values, because a scenario's plot.x and plot.y are checked against them.
 */
#ifndef HELPERS_SCENARIO_COLUMN_H
#define HELPERS_SCENARIO_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/scenario/counters.h"
#include "helpers/scenario/scenario.h"

enum point_status {
    STATUS_OK,
    STATUS_BROKEN, /* a law of the protocol, of physics or of conservation */
    STATUS_ENDED,  /* streams ended before every message was done */
    STATUS_LIMIT_SIM,
    STATUS_LIMIT_WALL,
    STATUS_LIMIT_IDLE,
    STATUS_STALLED,  /* no event was left, yet the workload waited */
    STATUS_DEADLOCK, /* links that pause each other wait in a circle */
    STATUS_REFUSED,  /* by the world */
    STATUS_CRASHED,
    STATUSES
};

#define UNDEFINED UINT64_MAX /* a whole number that has no value; for a double it is NaN */

struct point_results {
    enum point_status status;
    char note[512]; /* what there is to say about the status, one sentence; may be empty */
    double goodput_gbps, steady_gbps, flow_min_gbps, steady_within;
    double flow_mean_gbps, flow_p1_gbps, flow_jain, host_mean_gbps, link_share;
    uint64_t completion_ps, sender_ps, fair_ps, marked;
    uint64_t count,
        span_ps;   /* workload.count and measure.for, as they were run; UNDEFINED: neither ends it */
    double enough; /* times as long would be long enough (results.h); 1: it was */
    uint64_t messages, messages_posted;
    double messages_per_s;
    uint64_t bytes;
    uint64_t latency_n;
    double latency_mean_us;
    uint64_t latency_p50_ps, latency_p99_ps, latency_p999_ps, latency_max_ps;
    double fct_slowdown_p50, fct_slowdown_p99;
    uint64_t segments, segments_ooo, placed_ooo_bytes;
    uint64_t early_p50_ps, early_p99_ps;
    struct point_counters counted;
    uint64_t retransmits, drops_staging;
    uint64_t staging_peak, staging_p999, held_peak, ooo_state_peak;
    uint64_t window_min, window_max;
    uint64_t recv_octets, shared_peak;
    uint64_t naks, track_peak, track_pool_peak, nic_state, path_values, retired, probes, credits;
    double bus_bytes_per_byte, model_cpu_ns_per_byte;
    double reads_early, fence_us;
    uint64_t octets_stale;
    uint64_t early_hole_p50_ps, early_hole_p99_ps, notify_p50_ps, notify_p99_ps;
    uint64_t messages_wrong, octets_wrong;
    uint64_t terminates;
    double bound[11]; /* enum trial_bound */
};

enum column_kind { COLUMN_COUNT, COLUMN_PS_AS_US, COLUMN_DOUBLE };

struct column {
    const char *name, *label, *unit, *definition; /* label: what an axis says */
    enum column_kind kind;
    size_t offset; /* in struct point_results, or struct scenario_derived */
};
extern const struct column result_columns[];
extern const size_t result_columns_count;
const struct column *result_column(const char *name);
/* The column that a wrong name is a part of, "goodput", NULL: none. */
const char *result_suggest(const char *wrong);

/* A number that follows from the keys of a point: a closed form to draw beside what was measured. */
const struct column *derived_column(const char *name);
double derived_number(const struct column *column, const struct scenario_derived *d);

/* A key, a column of results.csv, or a number that follows from the keys ("line_gbps"). */
bool column_is_known(const char *column);

#endif
