/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp_scene.h -- an association in a state of choice, the laws it must keep, and packets made for it. */
#ifndef FUZZ_SCTP_SCENE_H
#define FUZZ_SCTP_SCENE_H

#include "llp/sctp_inner.h"

enum { SCENE_PORT = 7, SCENE_PEER_PORT = 9, SCENE_PEER_TAG = 0x01020304, SCENE_PEER_TSN = 500 };

struct scene {
    struct sctp *a;
    iw_time now;
    bool sent; /* sctp_transmit() wrote something */
    uint8_t out[2048];
    uint32_t out_len;
};

/* Flags: 1 without payload, 2 without partial reliability, 4 no room to hold, 8 we connect, 16 heartbeats. */
void scene_open(struct scene *s, unsigned flags, enum sctp_state state);
void scene_close(struct scene *s);
/* Chunks under `tag`, with a good checksum; messages are read, the n-th refused where the bit n of `refuse`
 * is set. */
void scene_deliver(struct scene *s, uint32_t tag, const uint8_t *chunks, uint32_t len, uint8_t refuse);
void scene_transmit(struct scene *s);
void scene_check(const struct scene *s);

#endif
