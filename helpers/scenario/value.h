/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value.h -- the values a scenario speaks in: numbers with units, choices, words.
 *
 * Whole quantities are exact: "1.5GiB" is 1610612736 octets, "0.5ps" is an error and not 0 or 1. Nothing here depends
 * on the locale.
 */
#ifndef HELPERS_SCENARIO_VALUE_H
#define HELPERS_SCENARIO_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parameter.h"

struct value {
    enum value_type type;
    uint64_t n;                /* all but REAL and TEXT */
    double real;               /* REAL */
    uint64_t argument;         /* CHOICE "fixed:1MiB": octets */
    char text[VALUE_TEXT_MAX]; /* TEXT */
};

/* What may stand for a value beside its type. */
struct value_rules {
    enum value_type type;
    bool bare;        /* OCTETS: the unit may be left out */
    bool share;       /* REAL: 2% is 0.02 */
    const char *word; /* stands for the number `means`: "never", "unlimited"; NULL: none */
    uint64_t means;
    const char *most;      /* a word that stands for `max`; NULL: none */
    const char *min, *max; /* written as values; NULL: no bound */
    const char *const *
        choices; /* CHOICE, by value; NULL: no such value. A word that ends with ':' takes an argument in octets */
    size_t choices_end; /* entries of `choices` */
};

enum { VALUE_WHY_MAX = 256 };

/* Read `text`. False: `why` (VALUE_WHY_MAX octets) says what is wrong, without the value's own text. */
bool value_read(struct value *v, const struct value_rules *rules, const char *text, char *why);
/* What is allowed, in words: "a size from 1B to 1GiB (units B KiB MiB GiB kB MB GB)". */
void value_allowed(const struct value_rules *rules, char *out, size_t size);
/* Words with blanks between them as a sentence has them: "a, b or c". */
void value_alternatives(const char *words, char *out, size_t size);

/* Write so that value_read() gives the same again: "64KiB", "10us". */
void value_write(const struct value *v, const struct value_rules *rules, char *out, size_t size);
/* The bare number of a table: octets, Gbps, us, counts, 0.001; words for choices; true and false. */
void value_bare(const struct value *v, const struct value_rules *rules, char *out, size_t size);
/* "octets", "Gbps", "us" or "". */
const char *value_unit(enum value_type type);

/* n / 10^digits as a decimal without trailing zeros; at least `size` 40. */
void value_decimal(uint64_t n, unsigned digits, char *out, size_t size);

bool value_equal(const struct value *a, const struct value *b);

/* ---- ranges ---- */

/* "A..B" steps by 1 (B in B, us in microseconds: by one of A's unit), "A..B by STEP" adds, "A..B x FACTOR" multiplies; both ends
 * count. Only quantities and numbers have ranges. */
struct value_range {
    const struct value_rules *rules;
    struct value first, last, step;
    double factor; /* 0: step */
    unsigned count;
};
/* Is a value of this kind meant as a range? Texts and words never are. */
bool value_is_range(const struct value_rules *rules, const char *text);
/* False: `why` (VALUE_WHY_MAX octets) says what is wrong. */
bool value_range_read(struct value_range *range, const struct value_rules *rules, const char *text,
                      char *why);
bool value_range_has(const struct value_range *range, const struct value *v);
struct value value_range_next(struct value_range *range, const struct value *v);

#endif
