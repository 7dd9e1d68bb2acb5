/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.h -- a table with millions of rows, written as CSV or as columns. From a file of columns the CSV is made again, octet for
 * octet.
 *
 *     "iwcols 1\n"
 *     "n:t_ps,w:event,...\n"     kind and name of each column
 *     blocks of 1 .. 4096 rows   three numbers of 32 bits: rows, size as stored, size of the columns; then what is stored: a
 *                                zstd frame, or, where both sizes are equal, the columns themselves
 *     a block of 0 rows, 0, 0    the end
 *
 * A column of a block is its size, 32 bits, and a value for each row:
 *     n x u    LEB128 of zigzag of the difference to the row before, the first one to 0, modulo 2^64, of the number and 1: 0 is no number
 *     t w h    LEB128 of the number of a text of this block; 0: a new text follows, LEB128 of its length and its octets, and has the next
 *              number. Number 1 is the empty text.
 * Numbers of 32 bits have their lowest octet first. helpers/python/iwarpsim.py reads it, too.
 *
 * Law: a value that does not fill its column exactly, and a file that does not end with its last block, are damaged.
 */
#ifndef HELPERS_BASE_COLUMNS_H
#define HELPERS_BASE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum columns_kind {
    CELL_NUMBER = 'n', /* decimal */
    CELL_STAG = 'x',   /* 0x and eight hexadecimal digits */
    CELL_MICRO = 'u',  /* millionths: picoseconds as microseconds */
    CELL_TEXT = 't',   /* as csv_cell() writes it */
    CELL_WORD = 'w',   /* as it is: no comma, quote or line end is in it */
    CELL_HEX = 'h'     /* octets in hexadecimal */
};
struct column_head {
    enum columns_kind kind;
    const char *name;
};

/* ---- writing ---- */

struct columns_out;
enum { COLUMNS_WRITTEN = 31 }; /* the most of a table */

/* The columns are borrowed, the file stays the caller's. NULL: out of memory. */
struct columns_out *columns_begin(FILE *out, const struct column_head *head, unsigned count, bool csv);
/* What stands before the first row, and behind the last: parts of a file are joined without them. */
void columns_start(FILE *out, const struct column_head *head, unsigned count, bool csv);
void columns_end(FILE *out, bool csv);
/* A cell for each column: a number, or CELL_EMPTY; of a text or octets the length, and where they are. */
void columns_row(struct columns_out *c, const uint64_t *cell, const void *const *octets);
/* Rows that are not yet in the file go there, or nowhere. */
void columns_flush(struct columns_out *c);
void columns_forget(struct columns_out *c);
void columns_free(struct columns_out *c);

/* ---- reading, from anybody ---- */

enum { COLUMNS_ERROR_MAX = 512 };
/* Does a file that begins so hold columns? */
bool columns_are(const void *octets, size_t size);
/* The CSV of a file of columns to `out`; of `wanted`, a list up to a NULL, these alone and in the order of the file; NULL: all. No more
 * than `rows_most` rows, in whole blocks. False: `error` says why in one sentence. */
bool columns_csv(FILE *in, const char *name, const char *const *wanted, size_t rows_most, FILE *out,
                 char error[COLUMNS_ERROR_MAX]);

#endif
