/* SPDX-License-Identifier: GPL-2.0-or-later */
/* word.h -- how near a wrong word is to one that would be right. */
#ifndef HELPERS_BASE_WORD_H
#define HELPERS_BASE_WORD_H

#include <stddef.h>

enum { WORD_FAR = 80 }; /* longer words are near to nothing */

/* Edits (insert, delete, replace, swap of neighbours) from `wrong` to `right`; WORD_FAR when they are not few for a word of its
 * length: one, and one more for each four letters. */
size_t word_distance(const char *wrong, const char *right);

#endif
