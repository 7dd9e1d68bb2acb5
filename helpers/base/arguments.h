/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arguments.h -- what the subcommands' arguments have in common. */
#ifndef HELPERS_BASE_ARGUMENTS_H
#define HELPERS_BASE_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Says on stderr what is wrong with an argument, and where help is; `value` NULL: none to show. Returns EXIT_INPUT. */
int argument_wrong(const char *command, const char *what, const char *value);

struct option;
/* getopt_long(), and '?' as well for an option that stands there twice: but for --set and --label none counts again. */
int argument_option(int argc, char **argv, const char *letters, const struct option *options);

/* All options, one by one, to `take`, which reads optarg and answers -1: go on; else what to exit with, which is the result. -1:
 * all were taken, and the words behind them begin at argv[optind]. */
int arguments_take(int argc, char **argv, const char *command, const struct option *options,
                   int take(int option, void *context), void *context);

/* Says on stderr why the last answer was '?'. Returns EXIT_INPUT. */
int argument_refused(const char *command, char **argv);

/* Whether all are text_is_plain(), so that every message may show them; else says on stderr which is not. For main(). */
bool arguments_are_plain(int argc, char **argv);

/* A whole number in decimal digits, at most `most`, and nothing behind it. */
bool argument_number(const char *text, uint64_t most, uint64_t *n);

#endif
