/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process.h -- other programs, started and heard. */
#ifndef HELPERS_BASE_PROCESS_H
#define HELPERS_BASE_PROCESS_H

#include <stdio.h>
#include <sys/types.h>

enum { PROCESS_MISSING = 127 }; /* what a process exits with whose program could not be started */

/* Start words[0] (NULL ends them) in a folder, found as a shell finds it; it dies with this process, and prints to the file `out`, -1:
 * where this one does. -1: errno says why. */
pid_t process_start(const char *const words[], const char *dir, int out);
/* The same in this folder; what it prints as a stream. NULL: it could not be started. */
FILE *process_hear(const char *const words[], pid_t *child);
/* What waitpid() says of it; as if it were missing where there is no such process. */
int process_wait(pid_t child);

#endif
