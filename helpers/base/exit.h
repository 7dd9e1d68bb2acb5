/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exit.h -- what the programs exit with, and say then. */
#ifndef HELPERS_BASE_EXIT_H
#define HELPERS_BASE_EXIT_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    EXIT_DONE = 0,   /* errors that the peers provoked included */
    EXIT_LAW = 1,    /* a law of the protocol was broken */
    EXIT_INPUT = 2,  /* file, arguments or scenario are wrong */
    EXIT_FAILED = 3, /* crashed, hit a limit, a tool is missing */
    EXIT_INTERRUPTED = 130
};

/* A line on stderr that begins with "iwarpsim COMMAND: ", of an empty command with "iwarpsim: ". Returns `status`: one of these, or
 * false. */
__attribute__((format(printf, 3, 4))) int complain(int status, const char *command, const char *format, ...);
/* "... cannot be read: ..." with what errno says. */
int cannot_read(int status, const char *command, const char *path);
int cannot_write(int status, const char *command, const char *path);
/* The memory, or the end of the program. */
void *need(void *memory);

#ifdef __cplusplus
}
#endif

#endif
