/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_play.h -- cases, each played in a process of its own, several at once where they only wait; what is heard of them comes in their
 * order, and a peer that is gone ends all. */
#ifndef HELPERS_COMMAND_JUDGE_PLAY_H
#define HELPERS_COMMAND_JUDGE_PLAY_H

#include <stddef.h>

#include "helpers/judge/trial.h"

enum { PLAY_AT_ONCE = 32 };

struct judge_play {
    const struct judge_case *cases;
    size_t count;
    const struct judge_peer *peer;
    bool calls; /* it is the judge that connects: who cannot be reached any more has died of a case */
    unsigned gap_ms;
    const struct case_memory *memory; /* NULL: what the peer tells */
    unsigned at_once;                 /* 1 to PLAY_AT_ONCE */
    const char *captures;             /* a folder for those of cases that are not right; NULL: none */
    const char *restart;              /* a command of sh that starts the peer again; NULL: none */

    void (*told)(void *context, size_t i); /* trials[i] is there, and so are those before it */
    void *context;
    struct judge_trial *trials; /* `count`, the caller's */
};

enum judge_played {
    PLAYED,      /* all of them */
    PLAYED_GONE, /* the peer was gone before the end: the trials say since when */
    PLAYED_NOT   /* a process or a file could not be made, and that is told */
};
enum judge_played judge_play(const struct judge_play *p);

/* Where a capture of this case stands in a folder. */
void judge_play_capture(const char *folder, const struct judge_case *c, char *path, size_t room);

#endif
