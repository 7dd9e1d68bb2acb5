/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c -- iwarpsim: the command. Each subcommand is a function that takes its own arguments. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/built.h"
#include "helpers/base/environment.h"
#include "helpers/base/exit.h"
#include "helpers/base/word.h"
#include "helpers/command.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} commands[] = {
    {"run", command_run, "run a scenario, point by point, into results.csv"},
    {"merge", command_merge, "join the shards that ran on many machines into one result"},
    {"rerun", command_rerun, "repeat a run and check that its result is identical"},
    {"compare", command_compare, "compare two results point by point: the difference and its interval"},
    {"verify", command_verify, "check that nothing in a folder of results has changed"},
    {"plot", command_plot, "draw results: svg, png, pdf, and the script that makes them"},
    {"size", command_size, "find the smallest window, buffer ... with which a scenario meets a condition"},
    {"explain", command_explain,
     "tell a small run or a capture step by step, with the RFC section for each step"},
    {"play", command_play, "show it as one page for a browser, to play and step through"},
    {"stages", command_stages, "show where the time of one small message goes"},
    {"exercise", command_exercise, "write a variant of a lesson for each student, and its key"},
    {"course", command_course, "write a course as a folder of pages that need nothing but a browser"},
    {"check", command_check, "show what a scenario means: round trip, window, segments"},
    {"keys", command_keys, "list every key of a scenario: unit, range, default"},
    {"list", command_list, "list workloads, worlds, adapters, scenarios"},
    {"decode", command_decode, "read real iWARP traffic from a capture file"},
    {"fates", command_fates, "find what a path did to packets in captures of it, for channel.trace"},
    {"judge", command_judge, "find what either end of real iWARP traffic does against the RFCs"},
    {"serve", command_serve, "be a live iWARP peer on the network: memory to write, read, send to"},
    {"connect", command_connect, "play a script against a live iWARP peer, told as `explain` does"},
    {"replay", command_replay, "play the initiator's side of a capture to a live peer"},
    {"demo", command_demo, "watch one small transfer, and real traffic"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void usage(FILE *f)
{
    fputs("usage: iwarpsim COMMAND [ARGUMENT]...\n\n", f);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].what);
    fputs("\n`iwarpsim help COMMAND` describes each command.\n", f);
    fputs("Exit: 0 done, 1 a law of the protocol was broken, 2 the input is wrong,\n", f);
    fputs("3 something failed or is missing, 130 interrupted.\n", f);
}

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

/* The command that was meant; NULL: none is near. */
static const char *nearest(const char *wrong)
{
    const char *near = NULL;
    size_t best = WORD_FAR;
    for (int i = 0; i < COMMANDS; i++) {
        size_t d = word_distance(wrong, commands[i].name);
        if (d < best) {
            best = d;
            near = commands[i].name;
        }
    }
    return near;
}

static bool is_scenario(const char *name)
{
    size_t len = strlen(name);
    return len > 5 && (strcmp(name + len - 5, ".yaml") == 0 || strcmp(name + len - 4, ".yml") == 0);
}

static int refuse(const char *name)
{
    const char *near = nearest(name);
    if (!*name)
        usage(stderr);
    else if (is_scenario(name))
        fprintf(stderr, "iwarpsim: %s is no command; `iwarpsim run %s` runs it\n", name, name);
    else if (near)
        fprintf(stderr,
                "iwarpsim: there is no command \"%s\" (did you mean %s?); `iwarpsim --help` lists them.\n",
                name, near);
    else
        fprintf(stderr, "iwarpsim: there is no command \"%s\"; `iwarpsim --help` lists them.\n", name);
    return EXIT_INPUT;
}

/* `iwarpsim help COMMAND` is `iwarpsim COMMAND --help`. */
static int help_with(const char *name)
{
    char words[2][16] = {"", "--help"};
    char *argv[] = {words[0], words[1], NULL};
    const struct command *c = find_command(name);
    if (!c)
        return refuse(name);
    snprintf(words[0], sizeof words[0], "%s", c->name);
    return c->run(2, argv);
}

static int run_command(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    environment_clean();
    if (!arguments_are_plain(argc, argv))
        return EXIT_INPUT;
    if (strcmp(name, "help") == 0 && argc > 2)
        return help_with(argv[2]);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        puts("iwarpsim " IWARPSIM_VERSION);
        return EXIT_DONE;
    }
    const struct command *c = find_command(name);
    return c ? c->run(argc - 1, argv + 1) : refuse(name);
}

/* What was printed may still wait, or have met a full disk: nothing partial looks finished. */
static int close_output(int status)
{
    const bool failed = ferror(stdout), late = fclose(stdout) != 0;
    if (status != EXIT_DONE || (!failed && !late))
        return status;
    fputs("iwarpsim: the output cannot be written (is the disk full?)\n", stderr);
    return EXIT_FAILED;
}

int main(int argc, char **argv)
{
    return close_output(run_command(argc, argv));
}
