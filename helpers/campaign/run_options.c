/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/run_options.h"
#include "helpers/base/arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/campaign/parallel.h"

const char run_help[] =
    "usage: iwarpsim run FILE [--set KEY=VALUE]... [--out DIR] [--jobs N] [--threads N] [--ranks N]\n"
    "                    [--messages] [--links] [--trace] [--pcap] [--uncertain]\n"
    "       iwarpsim run FILE ... --shard I/N      a part of the runs, for many machines\n"
    "       iwarpsim run FILE [--set KEY=VALUE]... --point P [--repeat R] [--out DIR] ...\n"
    "\n"
    "Runs every point of a scenario, each repeat in a process of its own, and writes DIR/results.csv.\n"
    "\n"
    "  --set KEY=VALUE   override a key of the file; a list, KEY=[A, B], sweeps the key, a single value\n"
    "                    takes it out of the sweep\n"
    "  --out DIR         folder for the results (results/NAME). The same scenario resumes where it stopped;\n"
    "                    another one is refused\n"
    "  --jobs N          points to run at a time (all processors); more than one by GNU parallel\n"
    "  --threads N       threads of each run (1; world: fabric): pods, groups or switches of a network run "
    "in\n"
    "                    parallel, and results are the same for any N. It pays from a few hundred hosts on;\n"
    "                    --jobs is then all processors / N. A trace is written by one thread\n"
    "  --ranks N         processes of each run (1; world: ns3, payload: none), by mpirun: pods, groups or "
    "switches\n"
    "                    of a network run in parallel, on one machine or several, each with its share of "
    "the\n"
    "                    memory, and results are the same for any N. Needs an ns-3 with MPI\n"
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
    "  --plot SIZE       also draw the results: column (of a paper), page or slide; see `iwarpsim plot`\n"
    "  --messages        messages.csv: times of every message\n"
    "  --links           links.csv: what every link carried, dropped, marked, and its queue (world: fabric)\n"
    "  --trace           trace/: one line per event\n"
    "  --pcap            pcap/: captures (payload: real)\n"
    "  --notes           write the captures as pcapng, too, with a comment on every iWARP packet: where it "
    "is\n"
    "                    placed, which frame it waits for; helpers/wireshark has a profile that shows them\n"
    "  --point P         run only this point and print its results; P is its name in results.csv or its "
    "number\n"
    "  --repeat R        the repeat of that point to run (0)\n"
    "\n"
    "Exit: 0 done, provoked Terminates included; 1 a law of the protocol was broken; 2 the input is wrong;\n"
    "3 a point crashed or hit a limit, or a tool is missing; 130 interrupted.\n";

enum {
    SET = 's',
    OUT = 'o',
    JOBS = 'j',
    PIECE = 'k',
    POINT = 'p',
    REPEAT = 'r',
    PCAP = 'c',
    NOTES = 'n',
    TRACE = 't',
    MESSAGES = 'm',
    LINKS = 'l',
    JOB = 'J',
    BATCH = 'b',
    MIXED = 'x',
    SHARD = 'S',
    SSHLOGINFILE = 'L',
    PLOT = 'P',
    UNCERTAIN = 'u',
    HELP = 'h',
    PARALLEL = 256 /* and enum parallel_way */
};

static const struct option long_options[] = {
    {"set", required_argument, NULL, SET},
    {"out", required_argument, NULL, OUT},
    {"jobs", required_argument, NULL, JOBS},
    {"threads", required_argument, NULL, PARALLEL + PARALLEL_THREADS},
    {"ranks", required_argument, NULL, PARALLEL + PARALLEL_RANKS},
    {"rank", no_argument, NULL, PIECE},
    {"point", required_argument, NULL, POINT},
    {"repeat", required_argument, NULL, REPEAT},
    {"pcap", no_argument, NULL, PCAP},
    {"notes", no_argument, NULL, NOTES},
    {"trace", no_argument, NULL, TRACE},
    {"messages", no_argument, NULL, MESSAGES},
    {"links", no_argument, NULL, LINKS},
    {"job", no_argument, NULL, JOB},
    {"batch", required_argument, NULL, BATCH},
    {"mixed", no_argument, NULL, MIXED},
    {"plot", required_argument, NULL, PLOT},
    {"uncertain", no_argument, NULL, UNCERTAIN},
    {"shard", required_argument, NULL, SHARD},
    {"sshloginfile", required_argument, NULL, SSHLOGINFILE},
    {"help", no_argument, NULL, HELP},
    {0},
};

static const char *command = "run"; /* argv[0] */

static int wrong(const char *what, const char *value)
{
    return argument_wrong(command, what, value);
}

static bool set_parallel(struct run_options *o, int way, int *status)
{
    uint64_t n;
    char needs[64];
    if (argument_number(optarg, parallels[way].most, &n) && n) {
        o->parallel[way] = (unsigned)n;
        return true;
    }
    snprintf(needs, sizeof needs, "--%s needs a number from 1 to %u, not", parallels[way].option,
             parallels[way].most);
    *status = wrong(needs, optarg);
    return false;
}

static bool set_number(struct run_options *o, int option, int *status)
{
    uint64_t n;
    bool jobs = option == JOBS;
    if (!argument_number(optarg, jobs ? 4096 : UINT32_MAX, &n) || (jobs && n == 0)) {
        *status = wrong(jobs ? "--jobs needs a number from 1 to 4096, not" : "--repeat needs a number, not",
                        optarg);
        return false;
    }
    if (jobs)
        o->jobs = (unsigned)n;
    else {
        o->repeat = (uint32_t)n;
        o->has_repeat = true;
    }
    return true;
}

/* "I/N", 1 <= I <= N. */
static bool set_shard(struct run_options *o, int *status)
{
    uint64_t part = 0, parts = 0;
    char first[16] = "";
    const char *slash = strchr(optarg, '/');
    size_t len = slash ? (size_t)(slash - optarg) : sizeof first;
    if (len < sizeof first)
        memcpy(first, optarg, len);
    if (slash && argument_number(first, 1000000, &part) && argument_number(slash + 1, 1000000, &parts) &&
        part >= 1 && part <= parts) {
        o->shard = (unsigned)part;
        o->shards = (unsigned)parts;
        return true;
    }
    *status = wrong("--shard needs I/N with I from 1 to N, not", optarg);
    return false;
}

static bool set_plot(struct run_options *o, int *status)
{
    o->plot = optarg;
    if (strcmp(optarg, "column") == 0 || strcmp(optarg, "page") == 0 || strcmp(optarg, "slide") == 0)
        return true;
    *status = wrong("--plot takes column, page or slide, not", optarg);
    return false;
}

static bool set_out(struct run_options *o, int *status)
{
    o->out = optarg;
    if (*optarg)
        return true;
    *status = wrong("--out needs a folder", NULL);
    return false;
}

static bool take(struct run_options *o, int option, char **argv, int *status)
{
    switch (option) {
    case SET: o->sets[o->sets_count++] = optarg; return true;
    case OUT: return set_out(o, status);
    case POINT: o->point = optarg; return true;
    case PCAP: o->pcap = true; return true;
    case NOTES: o->notes = o->pcap = true; return true;
    case TRACE: o->trace = true; return true;
    case MESSAGES: o->messages = true; return true;
    case LINKS: o->links = true; return true;
    case JOB: o->job = true; return true;
    case MIXED: o->mixed = true; return true;
    case UNCERTAIN:
        o->uncertain = true;
        o->sets[o->sets_count++] = "rnic.draw=0..20";
        return true;
    case BATCH: o->batch = optarg; return true;
    case SHARD: return set_shard(o, status);
    case PLOT: return set_plot(o, status);
    case SSHLOGINFILE: o->sshloginfile = optarg; return true;
    case PARALLEL + PARALLEL_THREADS:
    case PARALLEL + PARALLEL_RANKS: return set_parallel(o, option - PARALLEL, status);
    case PIECE: o->piece = true; return true;
    case JOBS:
    case REPEAT: return set_number(o, option, status);
    case HELP:
        fputs(run_help, stdout);
        *status = EXIT_DONE;
        return false;
    default: *status = argument_refused(command, argv); return false;
    }
}

static void refuse_elsewhere(const struct parallel *way)
{
    char what[96];
    snprintf(what, sizeof what, "--trace, --pcap and --links do not go with --%s", way->option);
    wrong(what, NULL);
}

bool run_options_parse(struct run_options *o, int argc, char **argv, int *status)
{
    int option;
    command = strchr(argv[0], '/') ? "run" : argv[0];
    *o = (struct run_options){.sets = calloc((size_t)argc, sizeof *o->sets)};
    *status = EXIT_FAILED;
    optind = 1;
    opterr = 0;
    while (o->sets && (option = argument_option(argc, argv, "h", long_options)) != -1)
        if (!take(o, option, argv, status))
            return false;
    *status = EXIT_INPUT;
    if (!o->sets || optind + 1 != argc) {
        wrong(optind < argc ? "one scenario at a time" : "no scenario is named", NULL);
        return false;
    }
    o->file = argv[optind];
    if (o->job != (o->batch != NULL) && !o->piece)
        wrong("--job and --batch need each other", NULL);
    else if (o->has_repeat && !o->point)
        wrong("--repeat needs --point", NULL);
    else if (o->point && !o->out && (o->pcap || o->trace || o->messages || o->links))
        wrong("--messages, --links, --trace and --pcap of a single point need --out DIR", NULL);
    else if (o->point && (o->shards || o->sshloginfile || o->plot || o->uncertain))
        wrong("--shard, --sshloginfile, --plot and --uncertain do not go with --point", NULL);
    else if ((o->trace || o->pcap || o->links) && parallel_elsewhere(o))
        refuse_elsewhere(parallel_elsewhere(o));
    else if (o->shards && o->plot)
        wrong("--plot needs all points: `iwarpsim merge`, then `iwarpsim plot`", NULL);
    else
        return true;
    return false;
}

void run_options_free(struct run_options *o)
{
    free(o->sets);
}
