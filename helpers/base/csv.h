/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv.h -- cells of CSV that are text. */
#ifndef HELPERS_BASE_CSV_H
#define HELPERS_BASE_CSV_H

#include <stdio.h>

/* Quoted if it must be; one that begins with = + - or @ gets a ' before it, for the sake of spreadsheets. */
void csv_cell(FILE *out, const char *text);
/* The same at `p`: at most three octets more than twice its length. What comes behind it. */
char *csv_put(char *p, const char *text);
/* The same, in quotes whatever it holds. */
void csv_quoted(FILE *out, const char *text);

#endif
