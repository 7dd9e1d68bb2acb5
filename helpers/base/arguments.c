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

bool argument_flag(const char *value, void *into)
{
    (void)value;
    return *(bool *)into = true;
}

bool argument_text(const char *value, void *into)
{
    *(const char **)into = value;
    return true;
}

bool argument_given(const char *value, void *into)
{
    return argument_text(value, into) && *value;
}

/* "auto, true or false" */
static bool is_among(const char *words, const char *text)
{
    size_t len = strlen(text);
    for (size_t word; *words; words += word, words += strspn(words, ", ")) {
        word = strcspn(words, ", ");
        if (word == len && memcmp(words, text, len) == 0)
            return strcmp(text, "or") != 0;
    }
    return false;
}

static bool take_value(const struct argument *a, void *into)
{
    uint64_t n;
    if (a->words)
        return argument_text(optarg, into) && is_among(a->words, optarg);
    if (a->read)
        return a->read(optarg, into);
    bool good = argument_number(optarg, a->most, &n) && n >= a->least;
    *(uint32_t *)into = good ? (uint32_t)n : 0;
    return good;
}

/* -1: go on. But for some, none counts again. */
static int take_option(const struct argument *a, uint64_t *seen, uint64_t bit, const char *command,
                       void *into)
{
    char name[64], range[128];
    snprintf(name, sizeof name, "--%s", a->name);
    if (a->words)
        snprintf(range, sizeof range, "%s takes %s, not", name, a->words);
    else
        snprintf(range, sizeof range, "%s needs a number from %llu to %llu, not", name,
                 (unsigned long long)a->least, (unsigned long long)a->most);
    if (*seen & bit && !a->again)
        return argument_wrong(command, "an option is given twice", name);
    *seen |= bit;
    return take_value(a, (char *)into + a->into)
               ? -1
               : argument_wrong(command, a->refusal ? a->refusal : range, a->quiet ? NULL : optarg);
}

enum { ROWS_MAX = 40 };

/* The rows as getopt_long() wants them, and their letters; how many. */
static size_t describe_options(const struct argument *rows, struct option *options, char *letters)
{
    size_t i = 0;
    *letters++ = 'h';
    for (; rows[i].name; i++) {
        int number = rows[i].letter ? rows[i].letter : UINT8_MAX + 1 + (int)i;
        options[i] =
            (struct option){rows[i].name, rows[i].bare ? no_argument : required_argument, NULL, number};
        if (rows[i].letter)
            letters += sprintf(letters, rows[i].bare ? "%c" : "%c:", rows[i].letter);
    }
    options[i] = (struct option){"help", no_argument, NULL, 'h'};
    *letters = 0;
    return i;
}

int arguments_read(int argc, char **argv, const char *command, const char *help, const struct argument *rows,
                   void *into)
{
    struct option options[ROWS_MAX + 2] = {{0}};
    char letters[2 * ROWS_MAX + 2];
    uint64_t seen = 0;
    size_t count = describe_options(rows, options, letters);
    int option, status = -1;
    optind = 1;
    opterr = 0;
    while (status < 0 && (option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
        size_t i = 0;
        if (option == '?')
            return argument_wrong(command, "unknown option, or its value is missing", at_fault(argv));
        while (options[i].val != option)
            i++;
        if (i == count) {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        status = take_option(&rows[i], &seen, UINT64_C(1) << i, command, into);
    }
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
