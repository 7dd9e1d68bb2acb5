/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns_inner.h -- what writing and reading columns share (columns.h). */
#ifndef HELPERS_BASE_COLUMNS_INNER_H
#define HELPERS_BASE_COLUMNS_INNER_H

#include "helpers/base/columns.h"

#define COLUMNS_MAGIC "iwcols 1\n"
enum { COLUMNS_ROWS = 4096, COLUMNS_BLOCK_HEAD = 12 };
enum { COLUMNS_TEXT = 256 }; /* octets of a text */

bool columns_is_text(enum columns_kind kind);
uint32_t columns_get32(const uint8_t *p);
/* A number of a kind that is no text, as CSV has it; an octet as two digits. What comes behind it. */
char *columns_show(char *p, enum columns_kind kind, uint64_t n);
char *columns_hex(char *p, uint32_t octet);

#endif
