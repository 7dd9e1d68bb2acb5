/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_engine.h -- what an endpoint (IW_DECODER) makes of the FPDUs of one direction: messages and violations.
 *
 * FPDUs have their turn in the order of the stream; one that comes ahead of it is shown to the endpoint at once and
 * once more, if it said IW_LATER, in its turn. An error that rests on something that was not heard is not told.
 */
#ifndef HELPERS_CAPTURE_DECODE_ENGINE_H
#define HELPERS_CAPTURE_DECODE_ENGINE_H

#include "helpers/capture/decode_direction.h"

/* One FPDU: what must be kept of it until its turn. */
struct decode_heard {
    struct decode_segment s; /* its octets are these: */
    uint8_t octets[IW_HEAD_UNTAGGED + IW_TERM_MAX];
    bool committed; /* the engine has it */
};

/* A message under way: what its segments were, seen from the capture. */
struct decode_tally {
    bool open;
    bool refused;                /* a segment of it, by MPA or the engine */
    struct decode_segment first; /* its frames and times are those of all */
    uint64_t length;
    uint32_t fpdus, ahead;
};

enum {
    DECODE_TALLIES = 8, /* messages under way at the same time */
    DECODE_BROKEN = 8   /* kinds of violations to remember, for the Terminate that answers one */
};

struct decode_engine {
    struct decode_direction_conf conf;
    const struct decode_report *report;
    struct decode_engine
        *other; /* of the other direction: they know of each other's Reads; NULL: it is gone */
    struct iw_ep *ep;
    struct decode_tally tally[DECODE_TALLIES];
    int broken[DECODE_BROKEN]; /* what was violated here, IW_TERM values, told or in doubt; the last ones */
    unsigned breaks;
    unsigned doubt; /* DOUBT_*: what was not heard in full, so that errors that rest on it mean nothing */
    bool spoke;
};

/* False: out of memory. */
bool decode_engine_init(struct decode_engine *j, const struct decode_direction_conf *conf,
                        const struct decode_report *report);
void decode_engine_free(struct decode_engine *j);

/* An FPDU was heard for the first time; `there` octets of its ULPDU are at `ulpdu`, borrowed. */
void decode_engine_count(struct decode_engine *j, const struct decode_heard *h, const uint8_t *ulpdu,
                         uint32_t there);
/* It is ahead of its turn. */
void decode_engine_early(struct decode_engine *j, struct decode_heard *h);
/* It is its turn. `fault`: MPA has refused it, so the endpoint never sees it; 0: none. */
void decode_engine_turn(struct decode_engine *j, struct decode_heard *h, int fault);
/* Nothing more will come. */
void decode_engine_end(struct decode_engine *j);
/* Something was not heard here. */
void decode_engine_missed(struct decode_engine *j);
/* DDP and RDMAP version in use. */
uint8_t decode_engine_version(const struct decode_engine *j);

#endif
