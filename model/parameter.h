/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* parameter.h -- what a user can set, as one row of a table in the room that acts on it (rnic/conf.c, llp/conf.c ...).
 *
 * A row is all that anybody knows of a parameter. Its key in scenarios, what is refused there, `iwarpsim keys`, the manual, the
 * schema, completion and the attribute of ns-3 are made from it. Values stay in the room's own structure: a row says
 * where.
 *
 * Whole values are held in base units: octets, picoseconds, bits per second, thousandths, the number of a word.
 */
#ifndef IW_PARAMETER_H
#define IW_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum value_type {
    VALUE_BOOL = 1, /* true | false */
    VALUE_COUNT,    /* whole, no unit */
    VALUE_OCTETS,   /* B KiB MiB GiB kB MB GB */
    VALUE_RATE,     /* bps Kbps Mbps Gbps; held in bits per second */
    VALUE_TIME,     /* ps ns us ms s; held in picoseconds */
    VALUE_RATIO,    /* decimal with up to three places, no unit; held in thousandths */
    VALUE_REAL,     /* decimal, no unit */
    VALUE_CHOICE,   /* one word of a list; held as its place there */
    VALUE_TEXT,     /* anything */
    VALUE_TYPES
};
enum { VALUE_TEXT_MAX = 256 };

struct parameter {
    const char *name; /* below the group of its table: "min_rto" */
    enum value_type type;
    size_t offset, size; /* of its member, in the structure of the table. Text: VALUE_TEXT_MAX octets */
    size_t argument;     /* CHOICE: of the uint64_t that takes the size in "fixed:64KiB"; 0: none */
    bool bare;           /* OCTETS: the unit may be left out */
    bool share;          /* REAL: 2% is 0.02 */
    uint64_t min, max;   /* REAL: in thousandths */
    const char *
        word; /* stands for the value `means`, which need not lie between min and max: "never"; TEXT: the default */
    uint64_t means;   /* of `word` */
    const char *most; /* a word that stands for `max`: "unlimited"; NULL: none */
    const char *const
        *words;       /* CHOICE: by value; NULL: no such value. One that ends with ':' takes an argument */
    size_t words_end; /* entries of `words` */
    const uint32_t *traits; /* CHOICE: by value, what is true of each word; NULL: not said */
    uint64_t initial;       /* default. REAL: in thousandths */
    const char *label;      /* what an axis says: "Link rate"; NULL: the last part of the name */
    const char *what;       /* a sentence or two */
    const char *counts;     /* what it counts: "octets per connection"; NULL: nothing */
    const char *acts;       /* where it acts: "sender"; NULL: as the table says */
    const char *with,
        *is; /* it means something only when key `with` has one of these values (`is` NULL: any value at */
             /* all); NULL: as the table says */
    uint32_t
        trait; /* instead of `is`: one of the values of `with`, of the same table, that have one of these traits */
    const char *also, *also_is; /* or when this one has */
};

/* The parameters of a room, or of one of its transports. */
struct parameter_table {
    const char *group; /* "rnic" */
    const char *acts;  /* of rows that say nothing of it; NULL: nothing is said */
    const struct parameter *rows;
    unsigned count;
};

/* A whole value in a structure; and write it there, cut to the size of its member. */
uint64_t parameter_get(const void *structure, const struct parameter *parameter);
void parameter_set(void *structure, const struct parameter *parameter, uint64_t value);
/* Every member at its default. */
void parameter_defaults(void *structure, const struct parameter_table *table);
/* The row of that name; NULL: there is none. */
const struct parameter *parameter_find(const struct parameter_table *table, const char *name);
/* The first value that its row does not allow, in words, and the row; NULL: all are allowed. */
const char *parameter_error(const void *structure, const struct parameter_table *table,
                            const struct parameter **which);

#ifdef __cplusplus
}
#endif
#endif
