/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/quote.h"

int argument_wrong(const char *command, const char *what, const char *value)
{
    fprintf(stderr, "iwarpsim %s: %s%s%s. Try `iwarpsim %s --help`.\n", command, what, value ? ": " : "",
            value ? value : "", command);
    return EXIT_INPUT;
}

/* The word that was just refused: "-x.yaml" is refused while it is read, other words behind them. */
static const char *at_fault(char **argv)
{
    const char *next = argv[optind];
    bool inside = optopt && next && next[0] == '-' && next[1] != '-' && strchr(next + 1, optopt);
    return inside ? next : argv[optind - 1];
}

static const char *twice; /* an option that was given again, or NULL */

static bool counts_again(const char *name)
{
    return strcmp(name, "set") == 0 || strcmp(name, "label") == 0;
}

int argument_option(int argc, char **argv, const char *letters, const struct option *options)
{
    static uint64_t seen;
    if (optind < 2)
        seen = 0;
    twice = NULL;
    int option = getopt_long(argc, argv, letters, options, NULL);
    for (unsigned i = 0; options[i].name && option != '?'; i++) {
        if (options[i].val != option || counts_again(options[i].name))
            continue;
        if (seen >> i & 1)
            twice = options[i].name;
        seen |= UINT64_C(1) << i;
    }
    return twice ? '?' : option;
}

int argument_refused(const char *command, char **argv)
{
    if (!twice)
        return argument_wrong(command, "unknown option, or its value is missing", at_fault(argv));
    char name[64];
    snprintf(name, sizeof name, "--%s", twice);
    return argument_wrong(command, "an option is given twice", name);
}

int arguments_take(int argc, char **argv, const char *command, const struct option *options,
                   int take(int option, void *context), void *context)
{
    int option, status = -1;
    optind = 1;
    opterr = 0;
    while (status < 0 && (option = argument_option(argc, argv, "h", options)) != -1)
        status = option == '?' ? argument_refused(command, argv) : take(option, context);
    return status;
}

bool argument_number(const char *text, uint64_t most, uint64_t *n)
{
    const char *p = text;
    for (*n = 0; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (digit > most || *n > (most - digit) / 10)
            return false;
        *n = *n * 10 + digit;
    }
    return p > text && !*p;
}

bool arguments_are_plain(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (text_is_plain(argv[i]))
            continue;
        fputs("iwarpsim: an argument is refused: " TEXT_PLAIN_RULE ": ", stderr);
        quote_terminal(stderr, argv[i]);
        putc('\n', stderr);
        return false;
    }
    return true;
}
