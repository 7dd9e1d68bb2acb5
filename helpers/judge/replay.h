/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h -- what the initiator of a capture said, said again to a live peer; and what the peer answers beside what the
 * capture's responder answered.
 *
 * STags and addresses of the responder's memory become those of the peer's, sinks of its Reads those it asks for now;
 * everything else goes out octet for octet, the Request included. An FPDU waits until the peer has said as many messages as
 * the responder had said before it in the capture. Octets are compared, too, with
 * STags and addresses substituted; those of a Read Response where the initiator had written them: memory may hold others.
 */
#ifndef HELPERS_JUDGE_REPLAY_H
#define HELPERS_JUDGE_REPLAY_H

#include "helpers/capture/decode.h"
#include "helpers/judge/case.h"
#include "helpers/judge/peer.h"

enum { REPLAY_TEXT_MAX = 512 };

/* One connection of a capture. */
struct replay;
/* Read connection `conn` (0: the first that is MPA); ended by replay_free(). NULL: `why` (REPLAY_TEXT_MAX octets) is one
 * sentence. */
struct replay *replay_read(struct capture *capture, int conn, char *why);
void replay_free(struct replay *r);

struct replay_result {
    int conn;
    size_t sent, answers;       /* FPDUs; messages that the peer said */
    char note[REPLAY_TEXT_MAX]; /* why not all of the capture could be sent; empty: it was */
    bool differs;
    char first[REPLAY_TEXT_MAX]; /* the first difference */
    char elsewhere
        [REPLAY_TEXT_MAX]; /* octets that are no difference, for they were in memory before; or empty */
};

/* `memory`: what the user says of the peer's, or NULL: what its Reply says. False: it cannot be played; `why` as above. */
bool replay_play(const struct replay *r, const struct judge_peer *peer, unsigned gap_ms,
                 const struct case_memory *memory, struct replay_result *out, char *why);

#endif
