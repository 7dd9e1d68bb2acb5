/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.h -- what an endpoint (IW_DECODER) makes of the FPDUs of one direction: messages and violations.
 *
 * FPDUs have their turn in the order of the stream; one that comes ahead of it is shown to the endpoint at once and
 * once more, if it said IW_LATER, in its turn. An error that rests on something that was not heard is not told.
 */
#ifndef HELPERS_CAPTURE_JUDGE_H
#define HELPERS_CAPTURE_JUDGE_H

#include "helpers/capture/listener.h"

/* One FPDU: what must be kept of it until its turn. */
struct heard {
    uint64_t key, end; /* stream offsets */
    struct stream_span when;
    enum decode_crc crc;
    bool ahead;     /* it arrived while an earlier octet was missing */
    bool committed; /* the engine has it */
    uint32_t ulpdu_len;
    uint8_t octets_len; /* of the ULPDU, at `octets` */
    uint8_t octets[IW_HEAD_UNTAGGED + IW_TERM_MAX];
};

struct judge;

/* NULL: out of memory. */
struct judge *judge_new(const struct listener_conf *conf, const struct listener_report *report);
void judge_free(struct judge *j);
/* The two directions of a connection know of each other's Reads. */
void judge_pair(struct judge *a, struct judge *b);

/* An FPDU was heard for the first time. */
void judge_count(struct judge *j, const struct heard *h);
/* It is ahead of its turn. */
void judge_early(struct judge *j, struct heard *h);
/* It is its turn. `fault`: MPA has refused it, so the endpoint never sees it; 0: none. */
void judge_turn(struct judge *j, struct heard *h, int fault);
/* Nothing more will come. */
void judge_end(struct judge *j);
/* Something was not heard here. */
void judge_missed(struct judge *j);
/* DDP and RDMAP version in use. */
uint8_t judge_version(const struct judge *j);

#endif
