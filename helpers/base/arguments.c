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

const char *argument_at_fault(char **argv)
{
    const char *next = argv[optind];
    bool inside = optopt && next && next[0] == '-' && next[1] != '-' && strchr(next + 1, optopt);
    return inside ? next : argv[optind - 1];
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
