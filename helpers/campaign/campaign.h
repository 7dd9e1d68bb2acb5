/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign.h -- the folder of a campaign: whose it is, what is done, and what it becomes at the end.
 *
 *     claim -> points/ID.row one by one -> results.csv, columns.tsv, summary.csv, paired.csv, messages.csv, dist/,
 *              results.partial.csv             manifest.json; points/ and the partial file go
 *
 *     DIR/points/ID.row        a finished point: its row; written last
 *     DIR/points/ID.messages, .latency, .early, .staging, .slowdown   its parts of the files beside results.csv
 *     DIR/points/jobs.tsv, joblog.tsv                          what GNU parallel is to run, and has run
 *
 * ID is the point's label, '/' turned into '_', and "-r" with the repeat.
 *
 * Law: a file with one of the final names is whole. What is not finished has other names.
 */
#ifndef HELPERS_CAMPAIGN_CAMPAIGN_H
#define HELPERS_CAMPAIGN_CAMPAIGN_H

#include "helpers/campaign/run_options.h"
#include "helpers/scenario/scenario.h"

enum { ID_MAX = SCENARIO_LABEL_MAX + 16 };
void point_id(char id[ID_MAX], const char *label, uint32_t repeat);

struct campaign {
    const struct scenario *s;
    const struct run_options *o;
    char dir[4096];
    size_t runs; /* points x repeats; run i is point i / repeat, repeat i % repeat */
    bool *done;
    size_t mine, done_count; /* runs of this shard, and how many of those are done */
    double wall;             /* seconds of this session */
    const char *tool;        /* what ran the points */
};

/* DIR belongs to this scenario and these options from now on, or did already. False: it holds another one, or cannot be
 * written; the reason was printed. */
bool campaign_claim(const struct scenario *s, const struct run_options *o);

/* The name of the scenario that was claimed by this file; malloc()ed, NULL when it is no such file. */
char *campaign_name(const char *scenario);
/* That scenario, under that name. NULL: `error` (SCENARIO_ERROR_MAX octets) says why. */
struct scenario *campaign_open(const char *scenario, char *error);
/* A claim without what no result depends on: title, claim, plot. malloc()ed; NULL: no memory. */
char *campaign_essence(const char *text);
/* Are two claims the same but for that? If not, the first difference is printed. */
bool campaign_same_claim(const char *dir, const char *have, const char *want);
/* Remove a finished campaign: its files, its folders, and the folder if nothing else is in it. */
void campaign_remove(const char *dir);
/* What it was claimed with: --messages, --trace, --pcap. */
void campaign_flags(const char *scenario, struct run_options *o);
/* One campaign at a time in a folder; held until this process ends. False: the reason was printed. */
bool campaign_lock(const char *dir);

/* Which runs are done. True when results.csv is there, whole: nothing is left to do. */
bool campaign_survey(struct campaign *c);
/* Does a run belong to the shard that the options name? Without one all do. */
bool campaign_is_mine(const struct campaign *c, size_t run);
/* Look for one run's row: it is marked and appended to results.partial.csv when it is there. */
void campaign_look(struct campaign *c, size_t run);
/* Look again: newly finished runs are marked and their rows appended to results.partial.csv. */
void campaign_update(struct campaign *c);
/* Write everything that is final. `clean`: remove what was kept for going on. False: the reason was printed. */
bool campaign_finish(struct campaign *c, bool clean);

void campaign_label(const struct campaign *c, size_t run, char label[SCENARIO_LABEL_MAX], uint32_t *repeat);
void campaign_row_path(const struct campaign *c, size_t run, char path[4096]);

#endif
