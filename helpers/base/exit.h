/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exit.h -- what the programs exit with. */
#ifndef HELPERS_BASE_EXIT_H
#define HELPERS_BASE_EXIT_H

enum {
    EXIT_DONE = 0,   /* errors that the peers provoked included */
    EXIT_LAW = 1,    /* a law of the protocol was broken */
    EXIT_INPUT = 2,  /* file, arguments or scenario are wrong */
    EXIT_FAILED = 3, /* crashed, hit a limit, a tool is missing */
    EXIT_INTERRUPTED = 130
};

#endif
