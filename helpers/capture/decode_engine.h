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
    uint64_t key, end; /* stream offsets */
    struct reassembly_span when;
    enum decode_crc crc;
    bool ahead;     /* it arrived while an earlier octet was missing */
    bool committed; /* the engine has it */
    bool pad_used;  /* octets of its pad are not zero */
    uint32_t ulpdu_len;
    uint8_t octets_len; /* of the ULPDU, at `octets` */
    uint8_t octets[IW_HEAD_UNTAGGED + IW_TERM_MAX];
};

struct decode_engine;

/* NULL: out of memory. */
struct decode_engine *decode_engine_new(const struct decode_direction_conf *conf,
                                        const struct decode_report *report);
void decode_engine_free(struct decode_engine *j);
/* The two directions of a connection know of each other's Reads. */
void decode_engine_pair(struct decode_engine *a, struct decode_engine *b);

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
