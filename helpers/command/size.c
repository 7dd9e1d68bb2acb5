/* SPDX-License-Identifier: GPL-2.0-or-later */
/* size.c -- iwarpsim size: what is asked for; size_search.c and size_atlas.c find it. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/command.h"
#include "helpers/command/size.h"

static const char help[] =
    "usage: iwarpsim size FILE --find KEY --until 'CONDITION' [--from VALUE] [--to VALUE] [--within "
    "PERCENT]\n"
    "                     [--set KEY=VALUE]... [--jobs N] [--out FILE.tsv]\n"
    "       iwarpsim size FILE --atlas [--until 'CONDITION'] [--within PERCENT] [--set KEY=VALUE]... [--jobs "
    "N]\n"
    "                     [--out FILE.tsv]\n"
    "\n"
    "Finds the smallest value of KEY with which a scenario meets the condition in all of its repeats, at "
    "each point\n"
    "of the rest of its sweep, and prints every value tried and, where there is one, the closed form.\n"
    "\n"
    "  --find KEY        a key that is a number: rnic.window.bytes, rnic.staging_bytes, llp.send_buffer ...\n"
    "  --until 'COND'    COLUMN >=|<=|>|<|==|!= NUMBER or FACTOR*line, joined by `and`; columns and units "
    "are\n"
    "                    those of results.csv, `line` is the payload line rate in Gbps:\n"
    "                    'steady_gbps >= 0.95*line and drops_staging == 0'\n"
    "  --from, --to      bounds of the search (those of the key)\n"
    "  --within PERCENT  how far above the smallest the result may be (0.1); 0: exact\n"
    "  --atlas           at each point of the sweep the smallest receive window of TCP (RFC 5041 Appendix "
    "A), "
    "the\n"
    "                    fewest tracking bits of rud, and the least memory to hold what is out of order, "
    "each "
    "with\n"
    "                    its closed form; until steady_gbps >= 0.95*line, within 1 %;\n"
    "                    a terminal is told each number as it is found; the table comes at the end\n"
    "  --set KEY=VALUE   as in `iwarpsim run`; --set repeat=N for more repeats\n"
    "  --jobs N          repeats to run at a time (all processors)\n"
    "  --out FILE.tsv    the results as a table\n"
    "\n"
    "Exit: 0 found; 1 a law of the protocol was broken; 2 the input is wrong, or no value meets the "
    "condition;\n"
    "3 a run crashed.\n";

static int wrong(const char *what)
{
    return complain(EXIT_INPUT, "size", "%s", what);
}

/* ---- arguments ---- */

static bool read_limit(const char *text, double most, double *n)
{
    char *end;
    bool digit = (*text >= '0' && *text <= '9') || *text == '.';
    *n = digit ? strtod(text, &end) : -1;
    return digit && !*end && *n >= 0 && *n <= most;
}

static bool read_percent(const char *text, void *share)
{
    double n;
    bool good = read_limit(text, 50, &n);
    *(double *)share = n / 100;
    return good;
}

static bool read_jobs(const char *text, void *jobs)
{
    double n;
    bool good = read_limit(text, 4096, &n) && n >= 1 && !(n > floor(n));
    *(unsigned *)jobs = good ? (unsigned)n : 0;
    return good;
}

static bool read_set(const char *text, void *arguments)
{
    struct size_arguments *a = arguments;
    a->sets[a->sets_count++] = text;
    return true;
}

static const struct argument rows[] = {
    ARGUMENT_TEXT("find", struct size_arguments, find),
    ARGUMENT_TEXT("until", struct size_arguments, until),
    ARGUMENT_TEXT("from", struct size_arguments, from),
    ARGUMENT_TEXT("to", struct size_arguments, to),
    ARGUMENT_READ("within", struct size_arguments, within, read_percent,
                  "--within needs a percentage from 0 to 50, not"),
    {.name = "set", .read = read_set, .again = true},
    ARGUMENT_FLAG("atlas", struct size_arguments, atlas),
    ARGUMENT_READ("jobs", struct size_arguments, jobs, read_jobs,
                  "--jobs needs a number from 1 to 4096, not"),
    ARGUMENT_TEXT("out", struct size_arguments, out),
    {0},
};

static int read_and_size(struct size_arguments *a, int argc, char **argv)
{
    int status = arguments_read(argc, argv, "size", help, rows, a);
    if (status >= 0)
        return status;
    if (optind + 1 != argc)
        return wrong(optind < argc ? "one scenario at a time"
                                   : "no scenario is named. Try `iwarpsim size --help`");
    a->file = argv[optind];
    if (a->within < 0)
        a->within = a->atlas ? 0.01 : 0.001;
    a->sets[a->sets_count] = a->set;
    if (a->atlas)
        return a->find || a->from || a->to
                   ? wrong("--atlas finds what it finds; give it no --find, --from or --to")
                   : size_atlas(a);
    if (!a->find || !a->until)
        return wrong("--find KEY and --until 'CONDITION' are required");
    return size_search(a);
}

int command_size(int argc, char **argv)
{
    char set[SIZE_SET_MAX];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct size_arguments a = {.jobs = processors > 0 ? (unsigned)processors : 1,
                               .within = -1,
                               .sets = calloc((size_t)argc + 1, sizeof *a.sets),
                               .set = set};
    int status = a.sets ? read_and_size(&a, argc, argv) : EXIT_FAILED;
    free(a.sets);
    return status;
}
