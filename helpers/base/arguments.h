/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arguments.h -- what the subcommands' arguments have in common: a table of options, and what is said of wrong ones. */
#ifndef HELPERS_BASE_ARGUMENTS_H
#define HELPERS_BASE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An option, and the member of a command's structure that it sets. */
struct argument {
    const char *name;
    size_t into;                                 /* where the member begins */
    bool (*read)(const char *value, void *into); /* false: refused; NULL: a number, least .. most */
    uint64_t least, most;
    const char *words; /* "auto, true or false": it is one of these; then without `read` */
    const char *
        refusal; /* then said, and the value behind it; NULL: that it is none of the words, or no number of the range */
    bool bare;   /* it takes no value */
    char letter; /* "-o" is the same; 0: none */
    bool again;  /* it may be given more than once */
    bool quiet;  /* the refusal shows no value */
};

/* Offset of a member, which must be of this type. */
#define ARGUMENT_AT(type, of, member) _Generic(((of *)0)->member, type : offsetof(of, member))
#define ARGUMENT_FLAG(word, of, member)                                                            \
    {                                                                                              \
        .name = (word), .into = ARGUMENT_AT(bool, of, member), .read = argument_flag, .bare = true \
    }
#define ARGUMENT_TEXT(word, of, member)                                                      \
    {                                                                                        \
        .name = (word), .into = ARGUMENT_AT(const char *, of, member), .read = argument_text \
    }
#define ARGUMENT_NUMBER(word, of, member, from, to, says)                                         \
    {                                                                                             \
        .name = (word), .into = ARGUMENT_AT(uint32_t, of, member), .least = (from), .most = (to), \
        .refusal = (says)                                                                         \
    }
#define ARGUMENT_WORD(word, of, member, among)                                          \
    {                                                                                   \
        .name = (word), .into = ARGUMENT_AT(const char *, of, member), .words = (among) \
    }
/* By a function, which gets the member; a row without `into`: the whole structure. */
#define ARGUMENT_READ(word, of, member, function, says)                                     \
    {                                                                                       \
        .name = (word), .into = offsetof(of, member), .read = (function), .refusal = (says) \
    }

bool argument_flag(const char *value, void *into);  /* a bool */
bool argument_text(const char *value, void *into);  /* a const char * */
bool argument_given(const char *value, void *into); /* the same, not empty */

/* All options of a command, by its rows (the last has no name), into its structure, or `help` where it is asked for. -1: go on,
 * the words behind them begin at argv[optind]; else what to exit with, which was said. */
int arguments_read(int argc, char **argv, const char *command, const char *help, const struct argument *rows,
                   void *into);

/* Says on stderr what is wrong with an argument, and where help is; `value` NULL: none to show. Returns EXIT_INPUT. */
int argument_wrong(const char *command, const char *what, const char *value);

/* Whether all are text_is_plain(), so that every message may show them; else says on stderr which is not. For main(). */
bool arguments_are_plain(int argc, char **argv);

/* A whole number in decimal digits, at most `most`, and nothing behind it. */
bool argument_number(const char *text, uint64_t most, uint64_t *n);

#endif
