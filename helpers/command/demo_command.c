/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demo_command.c -- iwarpsim demo: a small transfer told step by step, a capture of real traffic, then the main job:
 * scenarios and their figures. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/command.h"

static int demo_story(void)
{
    char lesson[PATH_LONG];
    static const char name[] = "scenarios/lessons/03-placement-is-not-delivery/lesson.yaml";
    if (!shipped_path(lesson, name, name)) {
        fputs("iwarpsim demo: the lessons are not here; run it in the project's folder.\n", stderr);
        return EXIT_FAILED;
    }
    printf("A Write and Sends over a link that loses a packet, told as it happens (iwarpsim explain %s):\n\n",
           lesson);
    fflush(stdout);
    char *argv[] = {"explain", lesson, "--only", "place,deliver", NULL};
    return command_explain(4, argv);
}

static int demo_decode(void)
{
    char capture[PATH_LONG];
    if (!shipped_path(capture, "validation/interop/d1-good.pcap", "d1-good.pcap")) {
        fputs("iwarpsim demo: the capture d1-good.pcap is not here; run it in the project's folder.\n",
              stderr);
        return EXIT_FAILED;
    }
    printf("\nReal traffic of Linux's software iWARP, read by the same engine (iwarpsim decode %s):\n\n",
           capture);
    char *argv[] = {"decode", capture, NULL};
    return command_decode(2, argv);
}

/* Scenarios that ship, and where their results go. */
static const struct figure {
    const char *scenario;
    char *out;
} figures[] = {
    {"scenarios/message-size-latency.yaml", "results/demo/message-size-latency"},
    {"scenarios/message-size-throughput.yaml", "results/demo/message-size-throughput"},
    {"scenarios/reordering.yaml", "results/demo/reordering"},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static int demo_figure(const struct figure *f)
{
    char scenario[PATH_LONG];
    shipped_path(scenario, f->scenario, f->scenario);
    char *run[] = {"run", scenario, "--out", f->out, "--jobs", "2", NULL};
    char *plot[] = {"plot", f->out, NULL};
    printf("\niwarpsim run %s --out %s --jobs 2\n", scenario, f->out);
    fflush(stdout);
    int status = command_run(6, run);
    if (status)
        return status;
    printf("iwarpsim plot %s\n", f->out);
    fflush(stdout);
    return command_plot(2, plot);
}

static int demo_figures(void)
{
    puts("\nThe main job: scenarios on ns-3, two points at a time, and their figures.");
    for (int i = 0; i < FIGURES; i++) {
        int status = demo_figure(&figures[i]);
        if (status)
            return status;
    }
    puts("\nThe figures are the .svg, .png and .pdf files in results/demo/; the numbers are in results.csv "
         "beside them.");
    return EXIT_DONE;
}

/* The ns-3 world is a program beside this one; core alone does without. */
static bool has_ns3(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof "-ns3");
    if (n <= 0)
        return false;
    memcpy(path + n, "-ns3", sizeof "-ns3");
    return access(path, X_OK) == 0;
}

static const char help[] =
    "usage: iwarpsim demo\n\n"
    "Tells one small transfer over a link that loses and reorders, reads a capture of real "
    "traffic, and, where\n"
    "ns-3 is built, runs three scenarios and draws their figures below results/demo/.\n";

int command_demo(int argc, char **argv)
{
    char scenario[PATH_LONG];
    if (argc > 1) {
        bool asked = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
        fputs(help, asked ? stdout : stderr);
        return asked ? EXIT_DONE : EXIT_INPUT;
    }
    int status = demo_story();
    if (!status)
        status = demo_decode();
    if (status || !shipped_path(scenario, figures[0].scenario, figures[0].scenario))
        return status;
    if (has_ns3())
        return demo_figures();
    puts("\nWithout ns-3 (Debian: g++ libns3-dev gnuplot-nox parallel) this is all; with it, scenarios and "
         "their figures follow.");
    return EXIT_DONE;
}
