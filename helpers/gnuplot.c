/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/gnuplot.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/command.h"
#include "helpers/files.h"

enum { NOT_THERE = 127, NOT_RUN = 126 };

int gnuplot_draw(const char *command, const char *dir, const char *name)
{
    char script[PATH_LONG];
    int got = 0;
    snprintf(script, sizeof script, "%s.gp", name);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(dir) == 0)
            execlp("gnuplot", "gnuplot", script, (char *)NULL);
        _exit(errno == ENOENT ? NOT_THERE : NOT_RUN);
    }
    bool ended = child > 0 && waitpid(child, &got, 0) == child && WIFEXITED(got);
    if (ended && WEXITSTATUS(got) == 0)
        return EXIT_DONE;
    fprintf(stderr, "iwarpsim %s: %s; the script is %s/%s\n", command,
            ended && WEXITSTATUS(got) == NOT_THERE ? "gnuplot is missing (Debian: gnuplot-nox)"
                                                   : "gnuplot failed",
            dir, script);
    return EXIT_FAILED;
}
