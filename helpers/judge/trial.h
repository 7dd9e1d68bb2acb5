/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial.h -- one case, played at a peer. What passes is heard by the decoder and the passive judge, as a capture would be:
 * there is one reading of octets. */
#ifndef HELPERS_JUDGE_TRIAL_H
#define HELPERS_JUDGE_TRIAL_H

#include "helpers/judge/case.h"
#include "helpers/judge/judge.h"
#include "helpers/judge/peer.h"

enum trial_result {
    TRIAL_RIGHT,   /* its reading is among those accepted, and nothing else is wrong with it */
    TRIAL_FAULTY,  /* its reading is; something else it did is against the RFCs: `fault` */
    TRIAL_WRONG,   /* its reading is none of them */
    TRIAL_SKIPPED, /* the peer lacks something that the case needs: `fault` says what */
    TRIAL_RESULTS
};

enum { TRIAL_FAULTS = 6 };

struct judge_trial {
    enum trial_result result;
    bool unreached;   /* skipped since there was no connection to be had */
    bool last;        /* the peer may have been gone because of it */
    char reading[64]; /* "1/1/00 MD", "open", "closed", "rejected", "silent" */
    uint32_t faults;
    char fault[TRIAL_FAULTS][ACCUSATION_MAX + 64];
};

/* `gap_ms`: how long to wait for a peer that may answer; `memory`: what the user says of the peer's memory, or NULL: what its
 * Reply says, if that is the block of siwtest and `iwarpsim serve`. */
void trial_play(const struct judge_case *c, const struct judge_peer *peer, unsigned gap_ms,
                const struct case_memory *memory, struct judge_trial *out);

/* On a new connection, which stays open: what is heard after an MPA Request, octets of an answer or PEER_*. PEER_ABSENT: there was
 * no connection to be had. */
int trial_asks(const struct judge_peer *peer, unsigned gap_ms);

const char *trial_result_text(enum trial_result r);

#endif
