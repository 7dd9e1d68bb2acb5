/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_options.h -- the arguments of `iwarpsim run`, shared with the programs that are a world of their own. */
#ifndef HELPERS_CAMPAIGN_RUN_OPTIONS_H
#define HELPERS_CAMPAIGN_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct scenario;
struct scenario_point;

/* How one run is shared among processors (parallel.h). */
enum parallel_way { PARALLEL_THREADS, PARALLEL_RANKS, PARALLELS };

struct run_options {
    const char *file;
    const char **sets; /* KEY=VALUE, in the order given; the strings are argv's */
    size_t sets_count;
    const char *out;              /* NULL: results/NAME */
    unsigned jobs;                /* 0: as many as there are processors, for as many threads each */
    unsigned parallel[PARALLELS]; /* of each run; 0 or 1: one */
    bool piece;                   /* of a run that another process has begun and answers for */
    const char *point;            /* label or number; NULL: all */
    bool has_repeat;
    uint32_t repeat;
    bool pcap, trace, messages, links, flows;
    bool columns;                   /* trace and messages as columns (columns.h), not as CSV */
    bool notes;                     /* on the captures; then `pcap` too */
    const char *series, *series_of; /* an interval; of what, NULL: of all; NULL: no series */
    uint64_t interval;              /* picoseconds */
    const char *at;                 /* the state of that instant, and nothing else */
    uint64_t state_at;              /* picoseconds */
    bool state;
    char kept[2][24];         /* where series and series_of may be */
    unsigned shard, shards;   /* only this part of the runs, from 1; shards 0: all */
    const char *sshloginfile; /* of GNU parallel; NULL: this machine */
    const char *plot;         /* draw the results at this size; NULL: no */
    bool quiet;               /* no word on stdout */
    bool mixed;               /* rows of other versions are accepted */
    bool uncertain;           /* rnic.draw is swept */
    bool job;                 /* a worker of a campaign: quiet, writes below `out` */
    const char *batch;        /* of a worker: "WORLD:FIRST-LAST", runs */
};

/* True: go on. False: exit with `*status`; the reason was printed. run_options_free() in both cases. `help`: of the command that
 * takes them, too; NULL: of run. */
bool run_options_parse(struct run_options *o, int argc, char **argv, const char *help, int *status);
/* Can a point be looked at as --series and --state ask? NULL, or why not; `error` holds it. */
enum { LOOK_ERROR_MAX = 256 };
const char *run_options_look_error(const struct run_options *o, const struct scenario_point *point,
                                   char error[LOOK_ERROR_MAX]);
void run_options_free(struct run_options *o);
/* The scenario that they name. NULL: the reason was printed. */
struct scenario *run_options_scenario(const struct run_options *o);
/* The words of a process that takes the same: `fronts` of them to begin with, then the file and each option; a NULL ends them. malloc()ed
 * in one piece. */
const char **run_options_words(const struct run_options *o, const char *const *front, size_t fronts);
/* What it writes beside results.csv, as options with a blank before each; and those that are in a line of these. */
void run_options_outputs(const struct run_options *o, FILE *out);
void run_options_take_outputs(struct run_options *o, const char *line);
/* "iwarpsim run FILE --set ..." as a shell takes it, --point and --out left out. */
void run_options_command(const struct run_options *o, FILE *out);

#endif
