/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tap.h -- what passes on a connection of our own, for the decoder: a capture that is made as it is heard. */
#ifndef HELPERS_JUDGE_TAP_H
#define HELPERS_JUDGE_TAP_H

#include "helpers/capture/decode.h"
#include "helpers/judge/peer.h"

enum { TAP_US, TAP_PEER };

struct tap {
    struct decoder *decoder;
    uint64_t frame;
    uint32_t seq[2];
};

/* `caller`: who connects. `sink` must outlive it. False: out of memory. */
bool tap_open(struct tap *t, const struct decode_sink *sink, int caller);
/* A TCP segment of side `from`, at a time of its own: a millisecond behind the last. */
void tap_hear(struct tap *t, int from, uint8_t flags, const uint8_t *octets, uint32_t len);
/* What judge_peer.hear() gave: octets, FIN or RST; no segment for PEER_NOTHING. */
void tap_hear_peer(struct tap *t, const uint8_t *octets, int got);
/* Octets behind the `*have` that are at `to`, as many as `most` leaves room for. */
void tap_keep(uint8_t *to, uint32_t *have, uint32_t most, const uint8_t *octets, uint32_t len);
/* The decoder tells its summary. */
void tap_close(struct tap *t);

#endif
