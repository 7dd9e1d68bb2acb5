/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cells.h -- numbers as text, for the rows of traces and series, which are many: eight digits at a time, in place. */
#ifndef HELPERS_BASE_CELLS_H
#define HELPERS_BASE_CELLS_H

#include <stdint.h>

/* Of a number that is not there: its cell is empty. */
#define CELL_EMPTY UINT64_MAX
enum { CELL_MOST = 21 }; /* octets that any of these writes, a comma among them */

/* The number at `p`; what comes behind it. */
char *cells_number(char *p, uint64_t n);
/* A comma and the number, or a comma alone: CELL_EMPTY. */
char *cells_put(char *p, uint64_t n);
/* Millionths as ones: at most six decimals, none of them a 0 at the end. */
char *cells_decimal(char *p, uint64_t millionths);
/* A comma and that. */
char *cells_millionths(char *p, double millionths);

#endif
