/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demo_command.c -- iwarpsim demo: a small transfer told step by step, a capture of real traffic, the main job (scenarios
 * and their figures), and one scenario in three worlds. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/campaign/program.h"
#include "helpers/command.h"
#include "helpers/scenario/world.h"

/* Say a command, and run it. */
static int say_and_run(int (*command)(int argc, char **argv), const char **words)
{
    int count = 0;
    fputs("iwarpsim", stdout);
    while (words[count])
        printf(" %s", words[count++]);
    putchar('\n');
    fflush(stdout);
    return command(count, (char **)words);
}

static int demo_story(void)
{
    char lesson[PATH_LONG];
    static const char name[] = "scenarios/lessons/03-placement-is-not-delivery/lesson.yaml";
    if (!shipped_path(lesson, name, name))
        return complain(EXIT_FAILED, "demo", "the lessons are missing; run it in the project's folder.");
    printf("A Write and Sends over a link that loses a packet, step by step (iwarpsim explain %s):\n\n",
           lesson);
    fflush(stdout);
    char *argv[] = {"explain", lesson, "--only", "place,deliver", NULL};
    return command_explain(4, argv);
}

static int demo_decode(void)
{
    char capture[PATH_LONG];
    if (!shipped_path(capture, "validation/interop/d1-good.pcap", "d1-good.pcap"))
        return complain(EXIT_FAILED, "demo",
                        "the capture d1-good.pcap is missing; run it in the project's folder.");
    printf("\nReal traffic of Linux's software iWARP, decoded by the same engine (iwarpsim decode %s):\n\n",
           capture);
    char *argv[] = {"decode", capture, NULL};
    return command_decode(2, argv);
}

/* Scenarios that ship, and where their results go. */
static const struct figure {
    const char *scenario, *out;
} figures[] = {
    {"scenarios/message-size-latency.yaml", "results/demo/message-size-latency"},
    {"scenarios/message-size-throughput.yaml", "results/demo/message-size-throughput"},
    {"scenarios/reordering.yaml", "results/demo/reordering"},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static int demo_figure(const struct figure *f)
{
    char scenario[PATH_LONG];
    const char *run[] = {"run", scenario, "--out", f->out, "--jobs", "2", NULL};
    const char *plot[] = {"plot", f->out, NULL};
    shipped_path(scenario, f->scenario, f->scenario);
    putchar('\n');
    int status = say_and_run(command_run, run);
    return status ? status : say_and_run(command_plot, plot);
}

static int demo_figures(void)
{
    puts("\nThe main job: scenarios and their figures.");
    for (int i = 0; i < FIGURES; i++) {
        int status = demo_figure(&figures[i]);
        if (status)
            return status;
    }
    puts("\nThe figures are the .svg, .png and .pdf files in results/demo/; the numbers are in results.csv "
         "beside them.");
    return EXIT_DONE;
}

/* Worlds beside the fabric: the same scenario, and how far its goodput is from the fabric's. */
static const struct other_world {
    enum point_world world;
    const char *set, *says, *packages, *out, *compared;
} others[] = {
    {WORLD_NS3, "world=ns3", "ns-3 checks it: the rows are the same, so each difference is 0.",
     "g++ libns3-dev", "results/demo/worlds-ns3", "results/demo/fabric-ns3"},
    {WORLD_SIMGRID, "world=simgrid", "SimGrid: flows instead of packets, for clusters.", "g++ libsimgrid-dev",
     "results/demo/worlds-simgrid", "results/demo/fabric-simgrid"},
};
enum { OTHERS = sizeof others / sizeof *others };
static const char fabric_out[] = "results/demo/worlds-fabric";

static int demo_world(const char *scenario, const char *set, const char *out)
{
    const char *run[] = {"run", scenario, "--set", set, "--out", out, "--jobs", "2", NULL};
    return say_and_run(command_run, run);
}

static int demo_other(const char *scenario, const struct other_world *w)
{
    char program[PATH_LONG];
    const char *compare[] = {"compare", fabric_out, w->out, "--out", w->compared, NULL};
    if (!world_program(w->world, program)) {
        printf("\nNot compared: world %s, which is not built (Debian: %s).\n", worlds[w->world].name,
               w->packages);
        return EXIT_DONE;
    }
    printf("\n%s\n", w->says);
    int status = demo_world(scenario, w->set, w->out);
    return status ? status : say_and_run(command_compare, compare);
}

static int demo_nothing_else(void)
{
    puts("\nNot compared, because of --small (`iwarpsim demo` compares what is built):");
    for (int i = 0; i < OTHERS; i++)
        printf("  world %-8s Debian: %s\n", worlds[others[i].world].name, others[i].packages);
    return EXIT_DONE;
}

static int demo_worlds(void)
{
    char scenario[PATH_LONG];
    static const char name[] = "scenarios/worlds.yaml";
    if (!shipped_path(scenario, name, name))
        return EXIT_DONE;
    puts("\nOne scenario in three worlds: goodput by message size, eight hosts, all at once.");
    int status = demo_world(scenario, "world=fabric", fabric_out);
    for (int i = 0; i < OTHERS && !status; i++)
        status = demo_other(scenario, &others[i]);
    return status;
}

static const char help[] = "usage: iwarpsim demo [--small]\n\n"
                           "Tells one small transfer over a link that loses and reorders, reads a capture of "
                           "real traffic, runs three\n"
                           "scenarios and draws their figures below results/demo/, and runs one scenario in "
                           "each world that is built.\n"
                           "  --small   use only the packet world\n";

int command_demo(int argc, char **argv)
{
    char scenario[PATH_LONG];
    const bool small = argc == 2 && strcmp(argv[1], "--small") == 0;
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    if (argc > 1 && !small)
        return argument_wrong("demo", "--small, or nothing at all, not", argv[argc - 1]);
    int status = demo_story();
    if (!status)
        status = demo_decode();
    if (status || !shipped_path(scenario, figures[0].scenario, figures[0].scenario))
        return status;
    status = demo_figures();
    if (status)
        return status;
    return small ? demo_nothing_else() : demo_worlds();
}
