/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign.h -- the folder of a campaign: whose it is, what is done, and what it becomes at the end.
 *
 *     claim -> points/ID.row one by one -> results.csv, columns.tsv, summary.csv, paired.csv, messages.csv, dist/,
 *              results.partial.csv             manifest.json; points/ and the partial file go
 *
 *     DIR/points/ID.row        a finished point: its row and its parts of the files beside results.csv (row.h); written last
 *     DIR/points/ID.messages   its messages
 *     DIR/points/ID.how        how its process ended, where it left no row
 *     DIR/points/jobs.tsv, joblog.tsv                          what GNU parallel is to run on other machines, and has run
 *
 * ID is the point's label and "-r" with the repeat. '/' becomes '_'; where another character does, 12 digits of the label's
 * SHA-256 follow.
 *
 * Law: a file with one of the final names is whole. What is not finished has other names.
 */
#ifndef HELPERS_CAMPAIGN_CAMPAIGN_H
#define HELPERS_CAMPAIGN_CAMPAIGN_H

#include "helpers/campaign/row.h"
#include "helpers/campaign/run_options.h"
#include "helpers/scenario/scenario.h"

enum { ID_MAX = SCENARIO_LABEL_MAX + 32 };
void point_id(char id[ID_MAX], const char *label, uint32_t repeat);

/* What made rows: most campaigns have one. */
enum { VERSIONS_MAX = 16 };
struct campaign_version {
    char commit[ROW_FACT_MAX], simulator[ROW_FACT_MAX];
    enum point_world world;
    size_t rows;
};

struct campaign {
    const struct scenario *s;
    const struct run_options *o;
    char dir[4096];
    size_t runs; /* points x repeats; run i is point i / repeat, repeat i % repeat */
    bool *done;
    uint8_t *status;               /* enum point_status of those that are done */
    size_t mine, done_count;       /* runs of this shard, and how many of those are done */
    struct enough *enough;         /* repeats that each point takes (enough.h); NULL: all */
    struct short_runs *short_runs; /* points that are marked */
    struct campaign_version version[VERSIONS_MAX];
    size_t versions;
    size_t unread;    /* a run whose row could not be read when campaign_update() looked last, */
    int unread_why;   /* and errno; 0: each was read that is there */
    double wall;      /* seconds of this session */
    const char *tool; /* what ran the points */
};

/* Room for what is known of each run of `s`; campaign_free(). */
void campaign_init(struct campaign *c, const struct scenario *s, const struct run_options *o);
void campaign_free(struct campaign *c);

/* DIR belongs to this scenario and these options from now on, or did already. False: it holds another one, or cannot be
 * written; the reason was printed. */
bool campaign_claim(const struct scenario *s, const struct run_options *o);

/* What a folder must say to be continued: version, name, options, scenario. malloc()ed. */
char *campaign_claim_text(const struct scenario *s, const struct run_options *o);

/* Call `use` for each file that some point names, message sizes and networks; false as soon as it is. */
struct named_file;
bool campaign_files(const struct scenario *s, bool (*use)(const struct named_file *, void *), void *context);

/* The name of the scenario that was claimed by this file; malloc()ed. NULL: errno says why it cannot be read, 0: it is no
 * such file. */
char *campaign_name(const char *scenario);
/* That scenario, under that name. NULL: `error` (SCENARIO_ERROR_MAX octets) says why. */
struct scenario *campaign_open(const char *scenario, char *error);
/* Are two claims the same but for what no result depends on? If not, the first difference is printed. */
bool campaign_same_claim(const char *dir, const char *have, const char *want);
/* Remove a finished campaign: its files, its folders, and the folder if nothing else is in it. */
void campaign_remove(const char *dir);
/* What it was claimed with: --messages, --trace, --pcap. False: errno says why it cannot be read. */
bool campaign_flags(const char *scenario, struct run_options *o);
/* Row file, or another file of one run: ".row", ".messages", ".how". */
void campaign_part_path(const struct campaign *c, size_t run, const char *ending, char path[4096]);
/* One campaign at a time in a folder; held until this process ends. False: the reason was printed. */
bool campaign_lock(const char *dir);

/* Which runs are done. `*complete`: results.csv is there, whole: nothing is left to do. A row that is damaged, or of another
 * run, is named and removed: it will be run again. False: what is there cannot be read now; the reason was printed. */
bool campaign_survey(struct campaign *c, bool *complete);
/* Read a run's row. With --messages a row without its messages is missing. `r` is to be freed in any case. */
enum row_state campaign_row(const struct campaign *c, size_t run, struct row *r);
/* Are all rows of one version, that of this program and its simulators? If not, they are listed, and it is an error unless
 * the options say --mixed. */
bool campaign_same_version(const struct campaign *c);
/* Does a run belong to the shard that the options name, and is it one that its point takes? */
bool campaign_is_mine(const struct campaign *c, size_t run);
/* Count again what is `mine`, and how much of it is done. */
void campaign_count(struct campaign *c);
/* Look again: newly finished runs are marked and their rows appended to results.partial.csv. */
void campaign_update(struct campaign *c);
/* Could it read each row that is there? False: the reason was printed. */
bool campaign_was_read(const struct campaign *c);
/* Write everything that is final. `clean`: remove what was kept for going on. False: the reason was printed. */
bool campaign_finish(struct campaign *c, bool clean);
/* points/, and what a process that was killed had begun to write. False: the reason was printed. */
bool campaign_remove_leftovers(const struct campaign *c);

void campaign_label(const struct campaign *c, size_t run, char label[SCENARIO_LABEL_MAX], uint32_t *repeat);

#endif
