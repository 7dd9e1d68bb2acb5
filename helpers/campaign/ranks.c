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

const char *ranks_error(const struct scenario_point *point)
{
    if (!built_ranks)
        return "an ns-3 with MPI: validation/packages/ns3_mpi.py PREFIX builds one, ./waf "
               "configure --ns3=PREFIX "
               "takes it";
    if (point->payload == PAYLOAD_REAL)
        return "payload: none: packets cross between processes as their headers";
    return NULL;
}

enum { WORDS = 28 };

/* mpirun -n N PROGRAM FILE ... --rank */
static size_t words_of(const struct run_options *o, const char *program, const char *ranks, const char *point,
                       const char *repeat, const char **words)
{
    const char *const first[] = {"mpirun",
                                 "--quiet",
                                 "--oversubscribe",
                                 "--bind-to",
                                 "none",
                                 "--mca",
                                 "mpi_yield_when_idle",
                                 "1",
                                 "-n",
                                 ranks,
                                 program,
                                 o->file,
                                 "--rank",
                                 "--point",
                                 point,
                                 "--repeat",
                                 repeat};
    size_t n = sizeof first / sizeof *first;
    memcpy(words, first, sizeof first);
    for (size_t i = 0; i < o->sets_count; i++) {
        words[n++] = "--set";
        words[n++] = o->sets[i];
    }
    if (o->out) {
        words[n++] = "--out";
        words[n++] = o->out;
    }
    if (o->messages)
        words[n++] = "--messages";
    if (o->job)
        words[n++] = "--job";
    words[n] = NULL;
    return n;
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
    fprintf(stderr,
            errno == ENOENT ? "iwarpsim: --ranks needs mpirun (Debian: openmpi-bin)\n"
                            : "iwarpsim: mpirun: %s\n",
            strerror(errno));
    _exit(EXIT_FAILED);
}

int ranks_run(const struct run_options *o, size_t index)
{
    char program[PATH_LONG], ranks[16], point[24], repeat[16];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    int status = 127 << 8;
    const char **words = len > 0 ? calloc(WORDS + 2 * o->sets_count, sizeof *words) : NULL;
    if (!words)
        return EXIT_FAILED;
    program[len] = 0;
    snprintf(ranks, sizeof ranks, "%u", o->parallel[PARALLEL_RANKS]);
    snprintf(point, sizeof point, "%zu", index);
    snprintf(repeat, sizeof repeat, "%u", o->repeat);
    words_of(o, program, ranks, point, repeat, words);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become(words);
    if (child > 0)
        while (waitpid(child, &status, 0) != child && errno == EINTR)
            ;
    free(words);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}
