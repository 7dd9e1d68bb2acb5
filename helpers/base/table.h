/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h -- a CSV file in memory, or the CSV of a file of columns (columns.h). */
#ifndef HELPERS_BASE_TABLE_H
#define HELPERS_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct table {
    char *text;           /* of the file, cut into cells */
    size_t columns, rows; /* the head is not a row */
    char **cell;          /* the head, then row after row */
};

enum { TABLE_ERROR_MAX = 512 };

/* False: `error` says why in one sentence. Quoted cells (RFC 4180) are understood; every row has as many cells as the
 * head. */
bool table_read(struct table *t, const char *path, char *error);
/* The same of these columns alone, a list up to a NULL; one that is not there is left out. */
bool table_read_columns(struct table *t, const char *path, const char *const *wanted, char *error);
/* Its head and first row, whatever stands behind them. */
bool table_read_head(struct table *t, const char *path, char *error);
/* The same from a text of `size` octets and a 0 behind them, malloc()ed; the table's from now on. */
bool table_parse(struct table *t, const char *path, char *text, size_t size, char *error);
void table_free(struct table *t);
/* Number of the column, `columns` when there is none. */
size_t table_column(const struct table *t, const char *name);
const char *table_cell(const struct table *t, size_t row, size_t column);
/* A cell behind others: ",1.5"; of NaN a comma alone. */
void csv_number(FILE *out, double number);
/* A decimal number, "-1.5e-3", and nothing else; false when it is none. */
bool text_number(const char *text, double *number);
/* The cell as one. */
bool table_number(const struct table *t, size_t row, size_t column, double *number);

#endif
