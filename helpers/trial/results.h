/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results.h -- what a run gives: one row of results.csv, and the files beside it.
 *
 *     DIR/results.csv        a row per point and repeat          DIR/messages.csv   a row per message (--messages)
 *     DIR/columns.tsv        name, unit, definition              DIR/trace/         a line per event (--trace)
 *     DIR/scenario.yaml      the scenario as it was run          DIR/pcap/          captures (--pcap)
 *     DIR/summary.csv        repeats together (summary.h)        DIR/paired.csv     differences between points
 *     DIR/manifest.json      what made it                        DIR/dist/          latency, early, staging: bins
 *
 * Numbers are bare and in base units (octets, Gbps, us) with fixed formats; what is not defined is an empty cell.
 */
#ifndef HELPERS_TRIAL_RESULTS_H
#define HELPERS_TRIAL_RESULTS_H

#include <stdio.h>

#include "helpers/base/samples.h"
#include "helpers/scenario/scenario.h"

enum point_status {
    STATUS_OK,
    STATUS_BROKEN, /* a law of the protocol */
    STATUS_LIMIT_SIM,
    STATUS_LIMIT_WALL,
    STATUS_LIMIT_IDLE,
    STATUS_STALLED, /* no event was left, yet the workload waited */
    STATUS_REFUSED, /* by the world */
    STATUS_CRASHED,
    STATUSES
};
extern const char *const status_names[STATUSES];
/* The exit code that a status asks for. */
int status_exit(enum point_status status);

#define UNDEFINED UINT64_MAX /* a whole number that has no value; for a double it is NaN */

struct point_results {
    enum point_status status;
    char note[512]; /* what there is to say about the status, one sentence; may be empty */
    double goodput_gbps, steady_gbps, flow_min_gbps;
    uint64_t completion_ps;
    uint64_t messages, messages_posted;
    double messages_per_s;
    uint64_t bytes;
    uint64_t latency_n;
    double latency_mean_us;
    uint64_t latency_p50_ps, latency_p99_ps, latency_p999_ps, latency_max_ps;
    double fct_slowdown_p50, fct_slowdown_p99;
    uint64_t segments, segments_ooo, placed_ooo_bytes;
    uint64_t early_p50_ps, early_p99_ps;
    uint64_t retransmits, retransmits_spurious, timeouts;
    uint64_t drops_channel, drops_switch, drops_staging, crc_errors, ecn_marks;
    uint64_t staging_peak, staging_p999, held_peak, ooo_state_peak;
    uint64_t window_min, window_max;
    double bus_bytes_per_byte, model_cpu_ns_per_byte;
    uint64_t terminates, events;
};

enum column_kind { COLUMN_COUNT, COLUMN_PS_AS_US, COLUMN_DOUBLE };

struct column {
    const char *name, *label, *unit, *definition; /* label: what an axis says */
    enum column_kind kind;
    size_t offset; /* in struct point_results */
};
extern const struct column result_columns[];
extern const size_t result_columns_count;
const struct column *result_column(const char *name);
/* The column that a wrong name is a part of, "goodput", NULL: none. */
const char *result_suggest(const char *wrong);

/* What a percentile should rest on. */
struct percentile_needs {
    const char *column, *count; /* the column that says on how many values it rests */
    double least;
    const char *words; /* when there are fewer */
};
/* NULL: the column is no percentile of that kind. */
const struct percentile_needs *percentile_needs(const char *column);

/* The head of results.csv, and one row; both end with a new line. `results` NULL: the point crashed. */
void results_write_head(FILE *out, const struct scenario *s);
void results_write_row(FILE *out, const struct scenario *s, size_t index, uint32_t repeat,
                       const struct point_results *results);
/* A comma and the bare value, for each key of the sweep. */
void results_write_swept(FILE *out, const struct scenario *s, size_t index);
/* columns.tsv for this scenario. */
void results_write_columns(FILE *out, const struct scenario *s);
/* messages.csv. */
void results_write_message_head(FILE *out);
void results_write_message(FILE *out, const char *label, uint32_t repeat, const struct workload_message *m);

/* A cell of a CSV file, quoted if it must be. */
void csv_cell(FILE *out, const char *text);

#endif
