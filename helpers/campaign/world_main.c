/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_main.c -- the arguments of one point, or of a worker's batch, taken by the program of its world (world_main.h). */
#include "helpers/campaign/world_main.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/arguments.h"
#include "helpers/base/environment.h"
#include "helpers/base/exit.h"
#include "helpers/base/quote.h"
#include "helpers/campaign/campaign.h"
#include "helpers/campaign/parallel.h"
#include "helpers/campaign/program.h"
#include "helpers/campaign/worker.h"
#include "helpers/scenario/world.h"

static bool is_ours(enum point_world asked, enum point_world ours)
{
    return asked == ours || (strcmp(worlds[asked].program, worlds[ours].program) == 0);
}

static int run_there(const struct run_options *o, enum point_world world)
{
    char program[PATH_LONG];
    struct run_options there = *o;
    for (int w = 0; w < PARALLELS; w++)
        if (!parallels[w].run)
            there.parallel[w] = 0; /* this world has none of them */
    if (!world_program(world, program))
        return complain(
            EXIT_FAILED, "",
            "the program of world %s is missing: Debian's package %s has it; in a clone ./waf build "
            "makes it where the simulator is installed",
            worlds[world].name, worlds[world].program);
    const char *const front[] = {program, "run"}; /* the command itself needs its name */
    const char **words = run_options_words(&there, front, worlds[world].inside ? 2 : 1);
    fflush(NULL);
    execv(program, (char *const *)(uintptr_t)words);
    free(words);
    return complain(EXIT_FAILED, "", "%s cannot be started: %s", program, strerror(errno));
}

static struct scenario *open_scenario(const struct run_options *o)
{
    char error[SCENARIO_ERROR_MAX];
    struct scenario *s = scenario_open(o->file, o->sets, o->sets_count, error);
    if (!s)
        fprintf(stderr, "%s\n", error);
    char *name = s && o->job ? campaign_name(o->file) : NULL;
    if (s && o->job && !name && errno) {
        cannot_read(0, "", o->file);
        scenario_free(s);
        return NULL;
    }
    if (name && name_is_safe(name)) {
        free(s->name);
        s->name = name;
    } else
        free(name);
    return s;
}

static bool pick(const struct run_options *o, const struct scenario *s, size_t *index,
                 struct scenario_point *point)
{
    char error[SCENARIO_ERROR_MAX], names[64];
    *index = scenario_find(s, o->point);
    if (*index == s->points)
        return complain(false, "", "%s has no point '%s'; `iwarpsim check` lists its points", o->file,
                        o->point);
    if (!scenario_point(s, *index, o->repeat, point, error)) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    if (o->pcap && (!worlds[point->world].carries_pcap || point->payload != PAYLOAD_REAL)) {
        worlds_that_have(offsetof(struct world, carries_pcap), names, sizeof names);
        return complain(false, "", "--pcap needs world: %s, and payload: real", names);
    }
    if (o->pcap && point->llp.security != SECURITY_NONE)
        return complain(false, "", "--pcap needs llp.security: none: other captures would show no octet");
    for (enum parallel_way w = 0; w < PARALLELS; w++)
        if (o->parallel[w] > 1 && parallel_refuses(w, point, error))
            return complain(false, "", "%s", error);
    if (o->links && !worlds[point->world].knows_links) {
        worlds_that_have(offsetof(struct world, knows_links), names, sizeof names);
        return complain(false, "", "--links needs world: %s", names);
    }
    if (run_options_look_error(o, point, error))
        return complain(false, "", "%s", error);
    return true;
}

static int run_single(const struct run_options *o, const struct scenario *s, enum point_world world,
                      trial_world *run, point_annotate *annotate)
{
    struct scenario_point point;
    size_t index;
    if (!pick(o, s, &index, &point))
        return EXIT_INPUT;
    return is_ours(point.world, world) ? run_in_process(o, s, index, &point, run, annotate)
                                       : run_there(o, point.world);
}

/* The batch of a worker; in the program of its world. */
static int run_batch(const struct run_options *o, const struct scenario *s, enum point_world world,
                     trial_world *run, point_annotate *annotate)
{
    struct worker_batch b;
    if (!batch_read(&b, o->batch))
        return complain(EXIT_INPUT, "", "--batch: '%s' is not WORLD:FIRST-LAST", o->batch);
    return is_ours(b.world, world) ? worker_run(o, s, &b, run, annotate) : run_there(o, b.world);
}

int run_point(const struct run_options *o, enum point_world world, trial_world *run, point_annotate *annotate)
{
    int status = EXIT_INPUT;
    struct scenario *s = open_scenario(o);
    if (s)
        status = o->job && !o->piece ? run_batch(o, s, world, run, annotate)
                                     : run_single(o, s, world, run, annotate);
    scenario_free(s);
    return status;
}

int world_main(int argc, char **argv, enum point_world world, trial_world *run, point_annotate *annotate)
{
    struct run_options o;
    int status;
    environment_clean();
    if (!arguments_are_plain(argc, argv))
        return EXIT_INPUT;
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts(world_simulator(NULL));
        return EXIT_DONE;
    }
    if (run_options_parse(&o, argc, argv, NULL, &status)) {
        if (o.point || o.job)
            status = run_point(&o, world, run, annotate);
        else {
            fprintf(stderr, "%s: runs one point, --point P; use `iwarpsim run` for campaigns\n", argv[0]);
            status = EXIT_INPUT;
        }
    }
    run_options_free(&o);
    return status;
}
