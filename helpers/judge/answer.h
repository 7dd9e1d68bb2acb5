/* SPDX-License-Identifier: GPL-2.0-or-later */
/* answer.h -- which Terminates may answer which segment. */
#ifndef HELPERS_JUDGE_ANSWER_H
#define HELPERS_JUDGE_ANSWER_H

#include "engine/wire.h"

/* What a capture shows of a segment, for its answer. */
struct judge_answered {
    bool readable; /* the header is there */
    bool tagged, last;
    uint8_t opcode;
    uint32_t mo;
    bool mine; /* segments of the same message came before it, and were taken */
};

/* May `term` answer a segment in which octets alone show the error `called` (0: none; then only memory and receive buffers can
 * be at fault)? What our engine says is always among the answers. */
bool answer_fits(int term, int called, const struct judge_answered *s);

/* Can octets alone show the error `term`, so that a claim of it can be false? */
bool answer_is_visible(int term);

/* The requirement behind answering with `term`: an ID. */
const char *answer_requirement(int term);

/* Is it among those that an end may give without a message of the peer's, of its own accord (RDMAP-7.1-1)? */
bool answer_is_own(int term);

/* Does figure 10 of RFC 5040 give this error's Terminate the length and DDP header of the segment? Local errors: no. */
bool answer_has_header(int term);

#endif
