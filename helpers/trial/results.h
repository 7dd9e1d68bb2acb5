/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results.h -- what a run gives: one row of results.csv, and the files beside it.
 *
 *     DIR/results.csv        a row per point and repeat          DIR/messages.csv   a row per message (--messages)
 *     DIR/columns.tsv        name, unit, definition              DIR/trace/         a line per event (--trace)
 *     DIR/links.csv          a row per link (--links)     DIR/workloads.csv  a row for each of several workloads
 *     with --columns DIR/messages.cols, and trace/ID.cols (columns.h)
 *     DIR/flows.csv          a row per connection (--flows)
 *     DIR/series/            tables over time (--series)
 *     DIR/scenario.yaml      the scenario as it was run          DIR/pcap/          captures (--pcap)
 *     DIR/summary.csv        repeats together (summary.h)        DIR/paired.csv     differences between points
 *     DIR/manifest.json      what made it                        DIR/dist/          latency, early, staging: bins
 *
 * Numbers are bare and in base units (octets, Gbps, us) with fixed formats; what is not defined is an empty cell.
 */
#ifndef HELPERS_TRIAL_RESULTS_H
#define HELPERS_TRIAL_RESULTS_H

#include <stdio.h>

#include "helpers/base/columns.h"
#include "helpers/base/csv.h"
#include "helpers/base/samples.h"
#include "helpers/scenario/column.h"
#include "helpers/scenario/scenario.h"

extern const char *const status_names[STATUSES];
/* The exit code that a status asks for. */
int status_exit(enum point_status status);

/* Column marked: fewer losses, and a rate known less well, as a share of it, are too few. */
enum { LOSSES_ENOUGH = 1000 };
#define WELL_KNOWN 0.02
/* How many times as long a marked run would be long enough, a whole number from 2 on: it meets LOSSES_ENOUGH or, where less
 * will do, its steady_within, which falls with the square root of the length, comes to WELL_KNOWN. 10: neither is known. */
double enough_times(double losses, double within);

/* What a percentile should rest on. */
struct trial_percentile_needs {
    const char *column, *count; /* the column that says on how many values it rests */
    double least;
    const char *words; /* when there are fewer */
};
/* NULL: the column is no percentile of that kind. */
const struct trial_percentile_needs *percentile_needs(const char *column);

/* The head of results.csv, and one row; both end with a new line. `results` NULL: the point crashed. */
void results_write_head(FILE *out, const struct scenario *s);
void results_write_row(FILE *out, const struct scenario *s, size_t index, uint32_t repeat,
                       const struct point_results *results);
/* A comma and the value of each column of `head` behind the one called `after`, as results.csv has it. */
void results_write_cells(FILE *out, const char *head, const char *after, const struct point_results *results);
/* A comma and the name, or the bare value, for each key of the sweep. */
void results_write_swept_head(FILE *out, const struct scenario *s);
void results_write_swept(FILE *out, const struct scenario *s, size_t index);
/* columns.tsv for this scenario. */
void results_write_columns(FILE *out, const struct scenario *s);
/* messages.csv, or messages.cols: its columns, and a row. */
enum { MESSAGE_COLUMNS = 17 };
extern const struct column_head results_message_columns[MESSAGE_COLUMNS];
void results_write_message(struct columns_out *out, const char *label, uint32_t repeat,
                           const struct workload_message *m);

#endif
