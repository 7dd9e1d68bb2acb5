/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_options.h -- the arguments of `iwarpsim run`, shared with the programs that are a world of their own. */
#ifndef HELPERS_CAMPAIGN_RUN_OPTIONS_H
#define HELPERS_CAMPAIGN_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    bool pcap, trace, messages, links;
    bool notes;               /* on the captures; then `pcap` too */
    unsigned shard, shards;   /* only this part of the runs, from 1; shards 0: all */
    const char *sshloginfile; /* of GNU parallel; NULL: this machine */
    const char *plot;         /* draw the results at this size; NULL: no */
    bool quiet;               /* no word on stdout */
    bool mixed;               /* rows of other versions are accepted */
    bool uncertain;           /* rnic.draw is swept */
    bool job;                 /* a worker of a campaign: quiet, writes below `out` */
    const char *batch;        /* of a worker: "WORLD:FIRST-LAST", runs */
};

/* True: go on. False: exit with `*status`; the reason was printed. run_options_free() in both cases. */
bool run_options_parse(struct run_options *o, int argc, char **argv, int *status);
void run_options_free(struct run_options *o);
extern const char run_help[];

#endif
