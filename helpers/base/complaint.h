/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complaint.h -- one sentence about what is wrong in a text, and where. */
#ifndef HELPERS_BASE_COMPLAINT_H
#define HELPERS_BASE_COMPLAINT_H

#include <stdbool.h>
#include <stddef.h>

/* "FILE:LINE:COLUMN: ...", without a column (0) "FILE:LINE: ...", without a file (NULL), as what an option says, "--set: ...": plain text
 * (quote.h) in `error`, which has `room` octets. Always false. */
__attribute__((format(printf, 6, 7))) bool complaint(char *error, size_t room, const char *file,
                                                     unsigned line, unsigned column, const char *format, ...);

#endif
