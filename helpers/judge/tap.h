/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tap.h -- a connection of our own to a peer, and what passes on it, for the decoder: a capture that is made as it is heard. */
#ifndef HELPERS_JUDGE_TAP_H
#define HELPERS_JUDGE_TAP_H

#include "helpers/capture/decode.h"
#include "helpers/judge/peer.h"
#include "llp/mpa.h"

enum { TAP_US, TAP_PEER, TAP_START_MAX = 4096 };

struct tap {
    const struct judge_peer *peer;
    struct decoder *decoder;
    uint64_t frame;
    uint32_t seq[2];
    uint8_t start[TAP_START_MAX]; /* the first octets of the peer */
    uint32_t start_len;
    enum mpa_frame_is is;    /* they, and ... */
    struct mpa_frame theirs; /* ... its start-up frame */
    bool framed;             /* all of that has come, or what can be none */
    bool ended;              /* the peer has said its last octet */
    struct mpa_tx tx;        /* of our FPDUs, once tap_begin() was called */
};

/* `peer` is open; `caller`: who connects. `sink` must outlive it. False: out of memory. */
bool tap_open(struct tap *t, const struct judge_peer *peer, const struct decode_sink *sink, int caller);
/* A TCP segment of side `from`, at a time of its own: a millisecond behind the last. */
void tap_hear(struct tap *t, int from, uint8_t flags, const uint8_t *octets, uint32_t len);
/* Octets for the peer, in one segment. */
void tap_send(struct tap *t, const uint8_t *octets, uint32_t len);
/* What the peer says first within `ms`: octets, FIN or RST. False: nothing. */
bool tap_listen(struct tap *t, unsigned ms);
/* Start-up is over: our FPDUs are as our frame and theirs want them. */
void tap_begin(struct tap *t, const struct mpa_frame *ours);
/* Octets behind the `*have` that are at `to`, as many as `most` leaves room for. */
void tap_keep(uint8_t *to, uint32_t *have, uint32_t most, const uint8_t *octets, uint32_t len);
/* The decoder tells its summary. */
void tap_close(struct tap *t);

#endif
