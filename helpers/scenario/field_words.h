/* SPDX-License-Identifier: GPL-2.0-or-later */
/* field_words.h -- words that people in the field write and that are called otherwise here. */
#ifndef HELPERS_SCENARIO_FIELD_WORDS_H
#define HELPERS_SCENARIO_FIELD_WORDS_H

#include <stddef.h>

/* What stands for a value of a key, or, with NULL, for the last part of a key: "fat_tree" for topology.kind "clos", "topology.rate"
 * for "bandwidth". Blanks, - and capitals do not count. NULL: nothing is known. */
const char *field_word(const char *key, const char *word);

/* All rows; words are separated by blanks, and what is meant may end with advice behind a comma. */
struct field_row {
    const char *key, *words, *means;
};
extern const struct field_row field_rows[];
extern const size_t field_rows_count;

#endif
