/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ear.h -- what passes on a connection of our own, for the decoder: a capture that is made as it is heard. */
#ifndef HELPERS_JUDGE_EAR_H
#define HELPERS_JUDGE_EAR_H

#include "helpers/capture/decode.h"
#include "helpers/judge/peer.h"

enum { EAR_US, EAR_PEER };

struct ear {
    struct decoder *decoder;
    uint64_t frame;
    uint32_t seq[2];
};

/* `caller`: who connects. `sink` must outlive it. False: out of memory. */
bool ear_open(struct ear *e, const struct decode_sink *sink, int caller);
/* A TCP segment of side `from`, at a time of its own: a millisecond behind the last. */
void ear_take(struct ear *e, int from, uint8_t flags, const uint8_t *octets, uint32_t len);
/* What judge_peer.hear() gave: octets, FIN or RST; no segment for PEER_NOTHING. */
void ear_hear_peer(struct ear *e, const uint8_t *octets, int got);
/* The decoder tells its summary. */
void ear_close(struct ear *e);

#endif
