/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.h -- points/ID.row: what one run of a point left, and the proof that it is that run's.
 *
 *     iwarpsim row 1
 *     identity   SHA-256 of what was asked (scenario_identity())
 *     commit     of the program that ran it
 *     simulator  below it, with its version
 *     status     as in the row
 *     line 311   so many octets follow: the row of results.csv
 *     latency, early, staging, slowdown, links, flows, workloads, cost: as long as they say, the parts of the files beside it
 *     sha256     of all octets before this line
 *
 * Hashes find what was damaged, cut or put in the wrong place. They do not prove who made a row: whoever can write the file
 * can write the hash.
 */
#ifndef HELPERS_CAMPAIGN_ROW_H
#define HELPERS_CAMPAIGN_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "helpers/base/sha256.h"

enum row_section {
    ROW_LINE,
    ROW_LATENCY,
    ROW_EARLY,
    ROW_STAGING,
    ROW_SLOWDOWN,
    ROW_LINKS,
    ROW_FLOWS,
    ROW_WORKLOADS,
    ROW_COST,
    ROW_SECTIONS
};

enum { ROW_FACT_MAX = 1024 };
struct row {
    char identity[SHA256_TEXT];
    char commit[ROW_FACT_MAX], simulator[ROW_FACT_MAX], status[ROW_FACT_MAX];
    struct {
        const char *octets;
        size_t size;
    } section[ROW_SECTIONS];
    char *text; /* of the file that was read; row_free() */
};

/* Unreadable: it may be whole, but nobody can say now; errno says why. */
enum row_state { ROW_WHOLE, ROW_MISSING, ROW_DAMAGED, ROW_FOREIGN, ROW_UNREADABLE };
/* Read it and compare its sum; whose it is, the reader does not know. `r` is to be freed in any case. */
enum row_state row_read(struct row *r, const char *path);
void row_free(struct row *r);
/* Write it with its sum; sections without octets are left out. False: errno says why. */
bool row_write(const struct row *r, FILE *out);

#endif
