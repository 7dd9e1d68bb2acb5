/* SPDX-License-Identifier: GPL-2.0-or-later */
/* player.h -- one side of a script, played at one end of a live connection.
 *
 * The other end plays the other side when it has the script, too, which the initiator's private data carries behind the block
 * of memory.h: then its steps (`peer ...`) are waited for, receive buffers are those of the script, and what arrives is
 * compared with what was sent. Else a few receive buffers of 64 KiB wait for whatever comes.
 * `wait`, and the end of a script, need of this side's steps that they are complete and acknowledged by the peer's TCP,
 * and of the other's that their messages were delivered here.
 */
#ifndef HELPERS_WORLD_SOCKET_PLAYER_H
#define HELPERS_WORLD_SOCKET_PLAYER_H

#include "helpers/world/socket/memory.h"

enum { PLAYER_WHY_MAX = 256, PLAYER_TEXT_MAX = 440, PLAYER_PRIVATE_MAX = TOLD_OCTETS + 9 + PLAYER_TEXT_MAX };

struct live_player {
    struct live_memory *m;
    struct script script;
    int side;       /* 0: the initiator's */
    bool both;      /* the other end plays the script, too */
    bool rtr;       /* the first message to come is none of the script */
    bool failed;    /* the stream has ended before the script */
    uint32_t limit; /* octets of memory that its side of the script may take */
    struct live_told peer;
    struct iw_ep *ep;
    uint64_t user; /* of iw_done */
    uint32_t next, heard, completed;
    bool done[SCRIPT_STEPS_MAX];
    uint64_t own_at[SCRIPT_STEPS_MAX], there[SCRIPT_STEPS_MAX];
    uint64_t written[SCRIPT_STEPS_MAX]; /* octets of the peer's home known when the step was posted */
    uint8_t *own, *recv, *mirror;       /* mirror: what this side has written at the peer's home */
    uint64_t own_len, recv_len, mirror_len;
    uint32_t receives; /* without the script: buffers in turn */
    iw_stag own_stag, recv_stag;
    struct player_note { /* who listens; may be NULL */
        void (*posted)(void *context, const struct live_player *p, const struct iw_work *work);
        void (*over)(void *context, const struct live_player *p, const struct iw_done *done);
        void *context;
    } note;
    char broken[PLAYER_WHY_MAX]; /* what came otherwise than it was sent; empty: nothing */
};

/* Lay out, and register, what the script needs; `script` NULL: receive buffers only. False: `why` is a sentence. The player is
 * then as if player_free() had been called. */
bool player_init(struct live_player *p, struct live_memory *m, const struct script *script, int side,
                 char *why);
void player_free(struct live_player *p);

/* Before start-up: receive buffers. */
void player_listen(struct live_player *p, struct iw_ep *ep, iw_time now);
/* After start-up, with what the peer has told; NULL: nothing. False: the script needs more than that; `why`. */
bool player_begin(struct live_player *p, const struct live_told *peer, bool both, char *why);
/* Post what may be posted now; `quiet`: the peer's TCP has acknowledged everything. */
void player_go_on(struct live_player *p, iw_time now, bool quiet);
void player_done(struct live_player *p, iw_time now, const struct iw_done *done);
void player_heard(struct live_player *p, const struct iw_message *message);
bool player_over(const struct live_player *p, bool quiet);
/* The step it waits for, from 1; 0: none. */
uint32_t player_waits_for(const struct live_player *p);

/* The private data of an end: what it registered, and the script or (responder) that it plays it. Its octets. */
uint16_t player_private_put(const struct live_memory *m, const char *script, uint8_t out[PLAYER_PRIVATE_MAX]);
/* False: not of such an end. `script` NULL, or PLAYER_TEXT_MAX + 1 octets: empty when there is none. */
bool player_private_get(const uint8_t *octets, uint32_t len, struct live_told *told, char *script,
                        bool *plays);

#endif
