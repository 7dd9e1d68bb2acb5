/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* parameter_rows.h -- how a table of parameters (parameter.h) is written, for the file that has it and for no other.
 *
 *     #define PARAMETER_OF struct rnic_conf
 *     static const struct parameter rows[] = {
 *         TIME("tx.segment", tx.segment, 0, S, 0, "Transmit pipeline: time busy per segment.", .acts = "sender"),
 *
 * Name, member, the least and the most that is allowed, the default, the text; then what else there is to say, by name.
 */
#include "parameter.h"

#define KIB  UINT64_C(1024)
#define MIB  (1024 * KIB)
#define GIB  (1024 * MIB)
#define MBPS UINT64_C(1000000)
#define NS   UINT64_C(1000)
#define US   UINT64_C(1000000)
#define MS   (1000 * US)
#define S    (1000 * MS)

#define ROW(name_, type_, member_, min_, max_, initial_, ...)                                              \
    {                                                                                                      \
        .name = (name_), .type = (type_), .offset = offsetof(PARAMETER_OF, member_),                       \
        .size = sizeof(((PARAMETER_OF *)0)->member_), .min = (min_), .max = (max_), .initial = (initial_), \
        .what = __VA_ARGS__                                                                                \
    }
#define SWITCH(name, member, initial, ...) ROW(name, VALUE_BOOL, member, 0, 1, initial, __VA_ARGS__)
#define COUNT(name, member, min, max, initial, ...) \
    ROW(name, VALUE_COUNT, member, min, max, initial, __VA_ARGS__)
#define OCTETS(name, member, min, max, initial, ...) \
    ROW(name, VALUE_OCTETS, member, min, max, initial, __VA_ARGS__)
#define RATE(name, member, min, max, initial, ...) \
    ROW(name, VALUE_RATE, member, min, max, initial, __VA_ARGS__)
#define TIME(name, member, min, max, initial, ...) \
    ROW(name, VALUE_TIME, member, min, max, initial, __VA_ARGS__)
#define RATIO(name, member, min, max, initial, ...) \
    ROW(name, VALUE_RATIO, member, min, max, initial, __VA_ARGS__)
#define TEXT(name, member, ...) ROW(name, VALUE_TEXT, member, 0, 0, 0, __VA_ARGS__)
/* Bounds and default in thousandths. */
#define REAL(name, member, min, max, initial, ...) \
    ROW(name, VALUE_REAL, member, min, max, initial, __VA_ARGS__)
/* `words`: an array, by value. */
#define CHOICE(name, member, words_, initial, ...)                                                \
    ROW(name, VALUE_CHOICE, member, 0, sizeof(words_) / sizeof *(words_)-1, initial, __VA_ARGS__, \
        .words = (words_), .words_end = sizeof(words_) / sizeof *(words_))
#define TABLE(group, acts, rows)                      \
    {                                                 \
        group, acts, rows, sizeof rows / sizeof *rows \
    }
