/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/run_options.h"
#include "helpers/base/arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/quote.h"
#include "helpers/campaign/parallel.h"
#include "helpers/scenario/scenario.h"

static const char run_help[] =
    "usage: iwarpsim run FILE [--set KEY=VALUE]... [--out DIR] [--jobs N] [--threads N] [--ranks N]\n"
    "                    [--messages] [--flows] [--links] [--trace] [--columns] [--series INTERVAL] "
    "[--pcap]\n"
    "                    [--uncertain] [--until-enough]\n"
    "       iwarpsim run FILE ... --shard I/N      a part of the runs, for many machines\n"
    "       iwarpsim run FILE [--set KEY=VALUE]... --point P [--repeat R] [--out DIR] ...\n"
    "       iwarpsim run FILE [--set KEY=VALUE]... --point P [--repeat R] --at T --state\n"
    "\n"
    "Runs every point of a scenario, each repeat in a process of its own, and writes DIR/results.csv.\n"
    "\n"
    "  --set KEY=VALUE   override a key of the file; a list, KEY=[A, B], sweeps the key, a single value\n"
    "                    takes it out of the sweep\n"
    "  --out DIR         folder for the results (results/NAME). The same scenario resumes where it stopped;\n"
    "                    another one is refused\n"
    "  --jobs N          points to run at a time (all processors)\n"
    "  --threads N       threads of each run (1; world: fabric): pods, groups or switches of a network run "
    "in\n"
    "                    parallel, and results are the same for any N. It pays from a few hundred hosts on;\n"
    "                    --jobs is then all processors / N. A trace is written by one thread\n"
    "  --ranks N         processes of each run (1; world: ns3, payload: none), by mpirun, on one machine or "
    "several,\n"
    "                    each with its share of the memory; results are the same for any N. Needs an ns-3 "
    "with "
    "MPI\n"
    "                    (validation/packages/ns3_mpi.py)\n"
    "  --shard I/N       only the Ith of N parts, I from 1, into DIR/shard-I-of-N; `iwarpsim merge DIR` "
    "makes\n"
    "                    one result of all parts, the same as without --shard\n"
    "  --sshloginfile F  run on the machines that this file of GNU parallel names, --jobs on each; they "
    "must\n"
    "                    see the same folders and have iwarpsim in the same place\n"
    "  --mixed           add to rows that other versions of iwarpsim or its simulators made, and say so in\n"
    "                    manifest.json\n"
    "  --uncertain       sweep rnic.draw over 0..20: the adapter with its likely numbers, and 20 with "
    "numbers drawn\n"
    "                    from their ranges (`iwarpsim list ADAPTER`); band.csv and figures show what they "
    "leave open\n"
    "  --until-enough    run a point whose results would be marked as too short again, so many times as long "
    "as is\n"
    "                    enough, until it is not, or limit.sim or limit.wall forbids it: "
    "measure.until_enough "
    "(`keys`)\n"
    "  --plot SIZE       also draw the results: column (of a paper), page or slide; see `iwarpsim plot`\n"
    "  --messages        messages.csv: times of every message\n"
    "  --flows           flows.csv: of every connection its links, octets, goodput, retransmissions and "
    "losses\n"
    "  --links           links.csv: what every link carried, dropped, marked, and its queue (world: fabric)\n"
    "  --trace           trace/: one line per event\n"
    "  --columns         trace and messages as columns, a tenth as large: trace/*.cols, messages.cols\n"
    "  --series INTERVAL series/: goodput, sending rate, windows, holes, queues ... of every INTERVAL (10us) "
    "of\n"
    "                    simulated time (world: fabric, ns3); one thread runs it, and `iwarpsim plot DIR "
    "--series`\n"
    "                    draws it\n"
    "  --series-of WHAT  only of flow, link or host (all)\n"
    "  --pcap            pcap/: captures (payload: real)\n"
    "  --notes           write the captures as pcapng, too, with a comment on every iWARP packet: where it "
    "is\n"
    "                    placed, which frame it waits for; helpers/wireshark has a profile that shows them\n"
    "  --point P         run only this point and print its results; P is its name in results.csv or its "
    "number\n"
    "  --repeat R        the repeat of that point to run (0)\n"
    "  --at T --state    run that point until T (120us) and print how everything stands then as JSON: "
    "queues, "
    "windows\n"
    "                    and their edges, holes, staging, regions (world: fabric, ns3); writes nothing\n"
    "\n"
    "Exit: 0 done, provoked Terminates included; 1 a law of the protocol was broken; 2 the input is wrong;\n"
    "3 a point crashed or hit a limit, or a tool is missing; 130 interrupted.\n";

enum { JOBS_MAX = 4096 };

static bool read_set(const char *text, void *options)
{
    struct run_options *o = options;
    o->sets[o->sets_count++] = text;
    return true;
}

/* "I/N", 1 <= I <= N. */
static bool read_shard(const char *text, void *options)
{
    uint64_t part = 0, parts = 0;
    char first[16] = "";
    struct run_options *o = options;
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : sizeof first;
    if (len < sizeof first)
        memcpy(first, text, len);
    bool good = slash && argument_number(first, 1000000, &part) &&
                argument_number(slash + 1, 1000000, &parts) && part >= 1 && part <= parts;
    o->shard = (unsigned)part;
    o->shards = (unsigned)parts;
    return good;
}

static bool read_uncertain(const char *text, void *options)
{
    struct run_options *o = options;
    (void)text;
    o->uncertain = true;
    return read_set("rnic.draw=0..20", o);
}

static bool read_until_enough(const char *text, void *options)
{
    (void)text;
    return read_set("measure.until_enough=true", options);
}

static bool read_notes(const char *text, void *options)
{
    struct run_options *o = options;
    (void)text;
    return o->notes = o->pcap = true;
}

static bool read_repeat(const char *text, void *options)
{
    uint64_t n;
    struct run_options *o = options;
    o->has_repeat = argument_number(text, UINT32_MAX, &n);
    o->repeat = (uint32_t)n;
    return o->has_repeat;
}

#define SERIES_MOST 10000000000000 /* 10s */

static bool read_time(const char *text, uint64_t *ps)
{
    const struct value_rules rules = {.type = VALUE_TIME};
    char why[VALUE_WHY_MAX];
    struct value v;
    bool good = value_read(&v, &rules, text, why);
    *ps = good ? v.n : 0;
    return good && *ps;
}

static bool read_series(const char *text, void *options)
{
    struct run_options *o = options;
    o->series = text;
    return read_time(text, &o->interval) && o->interval <= SERIES_MOST;
}

static bool read_at(const char *text, void *options)
{
    struct run_options *o = options;
    o->at = text;
    return read_time(text, &o->state_at);
}

static const struct argument own_rows[] = {
    {.name = "set", .read = read_set, .again = true},
    {.name = "out",
     .into = offsetof(struct run_options, out),
     .read = argument_given,
     .refusal = "--out needs a folder",
     .quiet = true},
    ARGUMENT_NUMBER("jobs", struct run_options, jobs, 1, JOBS_MAX, NULL),
    ARGUMENT_FLAG("rank", struct run_options, piece),
    ARGUMENT_TEXT("point", struct run_options, point),
    {.name = "repeat", .read = read_repeat, .refusal = "--repeat needs a number, not"},
    ARGUMENT_FLAG("pcap", struct run_options, pcap),
    {.name = "notes", .read = read_notes, .bare = true},
    ARGUMENT_FLAG("trace", struct run_options, trace),
    ARGUMENT_FLAG("messages", struct run_options, messages),
    ARGUMENT_FLAG("columns", struct run_options, columns),
    ARGUMENT_FLAG("flows", struct run_options, flows),
    ARGUMENT_FLAG("links", struct run_options, links),
    {.name = "series",
     .read = read_series,
     .refusal = "--series needs an interval above 0 and up to 10s, such as 10us, not"},
    ARGUMENT_WORD("series-of", struct run_options, series_of, "all, flow, link or host"),
    {.name = "at", .read = read_at, .refusal = "--at needs a time above 0, such as 120us, not"},
    ARGUMENT_FLAG("state", struct run_options, state),
    ARGUMENT_FLAG("worker", struct run_options, job),
    ARGUMENT_TEXT("batch", struct run_options, batch),
    ARGUMENT_FLAG("mixed", struct run_options, mixed),
    ARGUMENT_WORD("plot", struct run_options, plot, "column, page or slide"),
    {.name = "uncertain", .read = read_uncertain, .bare = true},
    {.name = "until-enough", .read = read_until_enough, .bare = true},
    {.name = "shard", .read = read_shard, .refusal = "--shard needs I/N with I from 1 to N, not"},
    ARGUMENT_TEXT("sshloginfile", struct run_options, sshloginfile),
};
enum { OWN_ROWS = sizeof own_rows / sizeof *own_rows };

/* Those, and one for each way to share a run among processors. */
static void make_rows(struct argument rows[OWN_ROWS + PARALLELS + 1])
{
    memcpy(rows, own_rows, sizeof own_rows);
    for (int w = 0; w < PARALLELS; w++) {
        struct argument row =
            ARGUMENT_NUMBER(parallels[w].option, struct run_options, parallel[0], 1, parallels[w].most, NULL);
        row.into += (size_t)w * sizeof((struct run_options *)0)->parallel[0];
        rows[OWN_ROWS + w] = row;
    }
    rows[OWN_ROWS + PARALLELS] = (struct argument){0};
}

enum { WHY_MAX = 80 };

static bool writes(const struct run_options *o)
{
    return o->pcap || o->trace || o->messages || o->links || o->series;
}

/* What does not go together; NULL: all does. */
static const char *contradiction(const struct run_options *o, char why[WHY_MAX])
{
    const struct parallel *way = parallel_elsewhere(o);
    if (o->job != (o->batch != NULL) && !o->piece)
        return "--worker and --batch need each other";
    if (o->has_repeat && !o->point)
        return "--repeat says which repeat of a --point; --set repeat=N runs each point N times";
    if (o->state != (o->at != NULL))
        return "--at and --state need each other";
    if (o->state && !o->point)
        return "--state needs --point";
    if (o->state && (o->out || writes(o)))
        return "--state writes nothing but JSON: it goes with --set, --point and --repeat alone";
    if (o->columns && !o->trace && !o->messages)
        return "--columns needs --trace or --messages";
    if (o->series_of && !o->series)
        return "--series-of needs --series";
    if (o->point && !o->out && writes(o))
        return "--messages, --flows, --links, --trace, --series and --pcap of a single point need --out DIR";
    if (o->point && (o->shards || o->sshloginfile || o->plot || o->uncertain))
        return "--shard, --sshloginfile, --plot and --uncertain do not go with --point";
    if (way && (o->trace || o->pcap || o->links || o->flows || o->series || o->state)) {
        snprintf(why, WHY_MAX, "--trace, --pcap, --links, --flows, --series and --state do not go with --%s",
                 way->option);
        return why;
    }
    if (o->shards && o->plot)
        return "--plot needs all points: `iwarpsim merge`, then `iwarpsim plot`";
    return NULL;
}

bool run_options_parse(struct run_options *o, int argc, char **argv, const char *help, int *status)
{
    const char *command = strchr(argv[0], '/') ? "run" : argv[0];
    struct argument rows[OWN_ROWS + PARALLELS + 1];
    char text[WHY_MAX];
    make_rows(rows);
    *o = (struct run_options){.sets = need(calloc((size_t)argc + 1, sizeof *o->sets))};
    *status = arguments_read(argc, argv, command, help ? help : run_help, rows, o);
    if (*status >= 0)
        return false;
    o->file = argv[optind];
    const char *why = optind + 1 == argc ? contradiction(o, text)
                      : optind < argc    ? "one scenario at a time"
                                         : "no scenario is named";
    if (why)
        *status = argument_wrong(command, why, NULL);
    return !why;
}

struct scenario *run_options_scenario(const struct run_options *o)
{
    char error[SCENARIO_ERROR_MAX];
    struct scenario *s = scenario_load(o->file, o->sets, o->sets_count, error);
    if (!s)
        fprintf(stderr, "%s\n", error);
    return s;
}

const char *run_options_look_error(const struct run_options *o, const struct scenario_point *point,
                                   char error[LOOK_ERROR_MAX])
{
    const char *option = o->state ? "state" : "series";
    char names[64];
    worlds_that_have(offsetof(struct world, looks), names, sizeof names);
    *error = 0;
    if (!o->series && !o->state)
        return NULL;
    if (!worlds[point->world].looks)
        snprintf(error, LOOK_ERROR_MAX, "--%s needs world: %s", option, names);
    else if (workload_is(point->workload.kind, WORKLOAD_BARE))
        snprintf(error, LOOK_ERROR_MAX, "--%s needs adapters, and workload.kind: transport_classes has none",
                 option);
    else if (o->series && o->interval > point->limit.sim)
        snprintf(error, LOOK_ERROR_MAX, "--series %s is longer than limit.sim allows a run to be", o->series);
    else if (o->state && o->state_at > point->limit.sim)
        snprintf(error, LOOK_ERROR_MAX, "--at %s is beyond limit.sim, which ends the run", o->at);
    return *error ? error : NULL;
}

void run_options_free(struct run_options *o)
{
    free(o->sets);
}

/* ---- words ---- */

/* Options without a value that a process of the same run takes; the first of them say what is written beside results.csv. */
static const struct {
    const char *option;
    size_t flag;
} flags[] = {
    {"--messages", offsetof(struct run_options, messages)}, {"--links", offsetof(struct run_options, links)},
    {"--flows", offsetof(struct run_options, flows)},       {"--trace", offsetof(struct run_options, trace)},
    {"--pcap", offsetof(struct run_options, pcap)},         {"--notes", offsetof(struct run_options, notes)},
    {"--columns", offsetof(struct run_options, columns)},   {"--worker", offsetof(struct run_options, job)},
    {"--rank", offsetof(struct run_options, piece)},        {"--state", offsetof(struct run_options, state)},
};
enum { OUTPUTS = 7, FLAGS = sizeof flags / sizeof *flags };

static bool is_set(const struct run_options *o, int flag)
{
    return *(const bool *)((const char *)o + flags[flag].flag);
}

void run_options_outputs(const struct run_options *o, FILE *out)
{
    for (int i = 0; i < OUTPUTS; i++)
        if (is_set(o, i))
            fprintf(out, " %s", flags[i].option);
    if (o->series)
        fprintf(out, " --series %s", o->series);
    if (o->series_of)
        fprintf(out, " --series-of %s", o->series_of);
}

/* The word behind an option of a line; NULL: it is not there. */
static const char *word_behind(const char *line, const char *option, char kept[24])
{
    const char *at = strstr(line, option);
    if (!at)
        return NULL;
    at += strlen(option);
    snprintf(kept, 24, "%.*s", (int)strcspn(at, " "), at);
    return kept;
}

void run_options_take_outputs(struct run_options *o, const char *line)
{
    for (int i = 0; i < OUTPUTS; i++)
        *(bool *)((char *)o + flags[i].flag) = strstr(line, flags[i].option);
    o->series = word_behind(line, "--series ", o->kept[0]);
    o->series_of = word_behind(line, "--series-of ", o->kept[1]);
    if (o->series && !read_series(o->series, o))
        o->series = NULL;
}

const char **run_options_words(const struct run_options *o, const char *const *front, size_t fronts)
{
    enum { PAIRS = 8, LONG = 24 };
    size_t n = fronts, room = fronts + 1 + 2 * (o->sets_count + PAIRS) + PARALLELS + FLAGS + 1;
    const char **words = need(calloc(1, room * sizeof *words + (2 + PARALLELS) * LONG));
    char *repeat = (char *)(words + room), *shard = repeat + LONG, *share = shard + LONG;
    snprintf(repeat, LONG, "%u", o->repeat);
    snprintf(shard, LONG, "%u/%u", o->shard, o->shards);
    memcpy(words, front, fronts * sizeof *words);
    words[n++] = o->file;
    for (size_t i = 0; i < o->sets_count; i++) {
        words[n++] = "--set";
        words[n++] = o->sets[i];
    }
    const char *const pairs[PAIRS][2] = {{"--point", o->point},
                                         {"--repeat", o->point ? repeat : NULL},
                                         {"--batch", o->batch},
                                         {"--shard", o->shards ? shard : NULL},
                                         {"--out", o->out},
                                         {"--series", o->series},
                                         {"--series-of", o->series_of},
                                         {"--at", o->at}};
    for (int i = 0; i < PAIRS; i++)
        if (pairs[i][1]) {
            words[n++] = pairs[i][0];
            words[n++] = pairs[i][1];
        }
    for (int w = 0; w < PARALLELS; w++, share += LONG)
        if (o->parallel[w] > 1) {
            snprintf(share, LONG, "--%s=%u", parallels[w].option, o->parallel[w]);
            words[n++] = share;
        }
    for (int i = 0; i < FLAGS; i++)
        if (is_set(o, i))
            words[n++] = flags[i].option;
    return words;
}

void run_options_command(const struct run_options *o, FILE *out)
{
    fputs("iwarpsim run ", out);
    quote_shell(out, o->file);
    for (size_t i = 0; i < o->sets_count; i++) {
        fputs(" --set ", out);
        quote_shell(out, o->sets[i]);
    }
}
