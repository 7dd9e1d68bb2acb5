/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/worker.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/process.h"
#include "helpers/campaign/campaign.h"
#include "helpers/scenario/world.h"

enum { GRACE = 10 }; /* seconds beyond limit.wall, after which a process is beyond help */

bool batch_read(struct worker_batch *b, const char *text)
{
    const char *colon = strchr(text, ':');
    int world = WORLD_FIRST, end = 0;
    while (world < WORLDS && (!colon || strncmp(worlds[world].name, text, (size_t)(colon - text)) ||
                              worlds[world].name[colon - text]))
        world++;
    if (world == WORLDS || sscanf(colon + 1, "%zu-%zu%n", &b->first, &b->last, &end) != 2)
        return false;
    b->world = (enum point_world)world;
    return colon[1 + end] == 0;
}

/* In a process of its own, which ends with it. */
static int run_forked(const struct run_options *o, const struct scenario *s, size_t run, trial_world *world,
                      point_annotate *annotate)
{
    struct scenario_point point;
    char error[SCENARIO_ERROR_MAX];
    struct run_options mine = *o;
    uint32_t repeats = s->conf.repeat;
    mine.repeat = (uint32_t)(run % repeats);
    if (!scenario_point(s, run / repeats, mine.repeat, &point, error)) {
        fprintf(stderr, "%s\n", error);
        return EXIT_INPUT;
    }
    alarm((unsigned)(point.limit.wall / 1000000000000u) + GRACE);
    return run_in_process(&mine, s, run / repeats, &point, world, annotate);
}

static int fork_run(const struct run_options *o, const struct scenario *s, size_t run, trial_world *world,
                    point_annotate *annotate)
{
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return process_wait(child);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int status = getppid() == parent ? run_forked(o, s, run, world, annotate) : EXIT_FAILED;
    fflush(NULL);
    _exit(status);
}

static void say_how(const struct campaign *c, size_t run, int how)
{
    char path[PATH_LONG];
    struct whole_file f;
    campaign_part_path(c, run, ".how", path);
    if (!file_begin(&f, path))
        return;
    fprintf(f.out, "%d\n", how);
    file_commit(&f, false);
}

/* A finished run need not run again: another process may have done it. */
static bool is_done(const struct campaign *c, size_t run)
{
    struct row r;
    bool done = campaign_row(c, run, &r) == ROW_WHOLE;
    row_free(&r);
    return done;
}

int worker_run(const struct run_options *o, const struct scenario *s, const struct worker_batch *b,
               trial_world *world, point_annotate *annotate)
{
    static struct campaign c; /* the folder alone */
    c.s = s;
    c.o = o;
    snprintf(c.dir, sizeof c.dir, "%s", o->out);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t run = b->first; run <= b->last && run < s->points * s->conf.repeat; run++) {
        if (!campaign_is_mine(&c, run) || scenario_world(s, run / s->conf.repeat) != b->world ||
            is_done(&c, run))
            continue;
        int how = fork_run(o, s, run, world, annotate);
        if (WIFEXITED(how) && WEXITSTATUS(how) == EXIT_DISK)
            return EXIT_DISK;
        if (!is_done(&c, run))
            say_how(&c, run, how);
    }
    return EXIT_DONE;
}
