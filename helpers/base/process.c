/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/process.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/base/exit.h"

pid_t process_start(const char *const words[], const char *dir, int out)
{
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILED);
    if (chdir(dir) == 0 && (out < 0 || dup2(out, STDOUT_FILENO) >= 0))
        execvp(words[0], (char *const *)(uintptr_t)words);
    complain(0, "", "%s cannot be started: %s", words[0], strerror(errno));
    _exit(PROCESS_MISSING);
}

FILE *process_hear(const char *const words[], pid_t *child)
{
    int ends[2];
    *child = -1;
    if (pipe(ends) != 0)
        return NULL;
    *child = process_start(words, ".", ends[1]);
    close(ends[1]);
    return fdopen(ends[0], "r");
}

int process_wait(pid_t child)
{
    int status = PROCESS_MISSING << 8;
    while (child > 0 && waitpid(child, &status, 0) != child && errno == EINTR)
        ;
    return status;
}
