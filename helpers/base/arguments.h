/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arguments.h -- what the subcommands' arguments have in common. */
#ifndef HELPERS_BASE_ARGUMENTS_H
#define HELPERS_BASE_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Says on stderr what is wrong with an argument, and where help is; `value` NULL: none to show. Returns EXIT_INPUT. */
int argument_wrong(const char *command, const char *what, const char *value);

/* The word that getopt_long() has just refused: "-x.yaml" is refused while it is read, other words behind them. */
const char *argument_at_fault(char **argv);

/* Whether all are text_is_plain(), so that every message may show them; else says on stderr which is not. For main(). */
bool arguments_are_plain(int argc, char **argv);

/* A whole number in decimal digits, at most `most`, and nothing behind it. */
bool argument_number(const char *text, uint64_t most, uint64_t *n);

#endif
