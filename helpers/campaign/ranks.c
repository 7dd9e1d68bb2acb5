/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/ranks.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/base/built.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/process.h"

const char *ranks_error(const struct scenario_point *point)
{
    if (!built_ranks)
        return "an ns-3 with MPI: validation/packages/ns3_mpi.py PREFIX builds one, ./waf "
               "configure --ns3=PREFIX "
               "takes it";
    if (point->payload == PAYLOAD_REAL)
        return "payload: none: packets cross between processes as their headers";
    if (point->tenants)
        return "no tenants: what one is refused the other processes would not know";
    if (point->measure.span || point->measure.share > 0)
        return "no window (measure): processes hear of each other too late to begin and end one";
    if (point->measure.until_enough)
        return "no measure.until_enough (--until-enough): processes that share a run do not begin it again";
    return NULL;
}

/* It ends when this process does. */
static void become(const char **words)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (geteuid() == 0) { /* mpirun asks for both */
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    }
    execvp(words[0], (char *const *)(uintptr_t)words);
    _exit(errno == ENOENT ? complain(EXIT_FAILED, "", "--ranks needs mpirun (Debian: openmpi-bin)")
                          : complain(EXIT_FAILED, "", "mpirun: %s", strerror(errno)));
}

int ranks_run(const struct run_options *o, size_t index)
{
    char program[PATH_LONG], ranks[16], point[24];
    const char *const front[] = {"mpirun",
                                 "--quiet",
                                 "--oversubscribe",
                                 "--bind-to",
                                 "none",
                                 "--mca",
                                 "mpi_yield_when_idle",
                                 "1",
                                 "-n",
                                 ranks,
                                 program};
    const struct run_options piece = {.file = o->file,
                                      .sets = o->sets,
                                      .sets_count = o->sets_count,
                                      .out = o->out,
                                      .piece = true,
                                      .point = point,
                                      .repeat = o->repeat,
                                      .messages = o->messages,
                                      .job = o->job};
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    if (len <= 0)
        return EXIT_FAILED;
    program[len] = 0;
    snprintf(ranks, sizeof ranks, "%u", o->parallel[PARALLEL_RANKS]);
    snprintf(point, sizeof point, "%zu", index);
    const char **words = run_options_words(&piece, front, sizeof front / sizeof *front);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become(words);
    int status = process_wait(child);
    free(words);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}
