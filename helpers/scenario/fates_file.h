/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fates_file.h -- what packets met on a path, one line for each or for several alike (`channel.trace.file`).
 *
 *     # comment
 *     [COUNT] ok                            arrived in its turn
 *     [COUNT] lost
 *     [COUNT] late PACKETS TIME             so many packets that were sent after it came before it; so long after its turn
 *     [COUNT] twice                         also behind late PACKETS TIME, and behind lost: then the copy alone arrives
 *
 * In the order sent. A file is named by its file's name: looked for beside the scenario, then among those that ship
 * (scenarios/paths). `iwarpsim fates` writes them.
 */
#ifndef HELPERS_SCENARIO_FATES_FILE_H
#define HELPERS_SCENARIO_FATES_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "channel/channel.h"
#include "helpers/scenario/named_file.h"

enum { FATES_FILE_ERROR_MAX = 256, FATES_FILE_MOST = 1 << 22 };

struct fates_count {
    uint32_t packets, lost, late, twice;
    uint32_t furthest; /* packets */
    uint64_t latest;   /* picoseconds */
};

struct fates_file {
    struct named_file file;
    struct fates_count count;
    struct channel_seen *seen;
};

/* `beside`: the scenario's file. Read once, never freed. NULL: `error` (FATES_FILE_ERROR_MAX octets) says why. */
const struct fates_file *fates_file_find(const char *beside, const char *name, char *error);

/* Add one to what was counted. */
void fates_count_add(struct fates_count *c, const struct channel_seen *seen);
/* "1000 packets: 12 lost (1.2 %), 3 late (by up to 5 packets, 12 us), 0 twice" */
void fates_count_write(const struct fates_count *c, FILE *out);
/* The lines of so many fates. */
void fates_write(const struct channel_seen *seen, size_t count, FILE *out);

#endif
