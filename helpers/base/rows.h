/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows.h -- a results.csv of a whole campaign on disk, read a point at a time: what is held in memory does not grow with
 * the rows, but for where each point starts, 8 octets.
 *
 * Law: rows stand point by point; those of point i are the octets start[i] .. start[i + 1] of the file, its head is the
 * octets 0 .. start[0].
 */
#ifndef HELPERS_BASE_ROWS_H
#define HELPERS_BASE_ROWS_H

#include <stdint.h>
#include <stdio.h>

#include "helpers/base/table.h"

struct rows {
    FILE *file; /* the caller's; read and written */
    size_t points, noted;
    int why; /* errno of a place that could not be told */
    uint64_t *start;
    char *head;
};

/* Room for that many points. */
void rows_init(struct rows *r, FILE *file, size_t points);
void rows_free(struct rows *r);

/* While the file is written: the next point's rows start where it stands; called once more behind the last. */
void rows_note(struct rows *r);
/* When it is written: nothing more will be. False: errno says why. */
bool rows_written(struct rows *r);
/* The head and all rows of a point, to be freed. False: `error` (TABLE_ERROR_MAX octets) says why. */
bool rows_of(struct rows *r, size_t point, struct table *t, char *error);

#endif
