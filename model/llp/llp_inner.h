/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* llp_inner.h -- what every object of a lower layer begins with, and the rows of its table that several share.
 *
 *   open -> up      ... events, the oldest dropped when nobody asks ...      failed | lost | down
 */
#ifndef IW_LLP_LLP_INNER_H
#define IW_LLP_LLP_INNER_H

#include "llp/llp.h"

/* The first member of an object. */
struct llp_object {
    struct llp_face face;
    struct llp_event *event; /* by count % events */
    uint32_t events, event_get, event_put;
    int term; /* told with FAILED */
    struct llp_conf
        conf;          /* without what was borrowed; what each packet asks for begins with its last members */
    bool open;         /* segments may be sent */
    bool finish, gone; /* our end was asked for; reset, whoever did */
    bool up, failed, lost; /* to be told */
    bool told_down, rst, wait_first;
    uint16_t ord, ird; /* told with UP */
};

/* `events`, a power of two, of them are remembered at `event`. */
void llp_object_init(struct llp_object *o, const struct llp_conf *conf, struct llp_event *event,
                     uint32_t events);
void llp_tell(struct llp_object *o, struct llp_event e);
/* The next thing to tell, all but DOWN; asked for after every call. */
bool llp_told_next(struct llp_object *o, struct llp_event *e);
static inline bool llp_told(struct llp_object *o, struct llp_event *e)
{
    bool some = o->event_get != o->event_put || o->up || o->failed || o->lost;
    return some && llp_told_next(o, e);
}
/* DOWN, which is told once. */
bool llp_told_down(struct llp_object *o, struct llp_event *e);

static inline bool llp_may_send(const struct llp_object *o)
{
    return o->open && !o->gone && !o->finish;
}

/* The smallest shift with which a window field of 16 bits can say `window`. */
uint8_t llp_window_shift(uint64_t window);

/* ---- memory ---- */

static inline void *llp_more(const struct llp_object *o, size_t octets)
{
    return o->conf.memory.more ? o->conf.memory.more(o->conf.memory.user, octets) : NULL;
}

/* Entries by count % slots, a power of two. */
struct llp_ring {
    void *at;
    uint32_t slots;
};
/* Twice as many of `each` octets; those from `get` on stay, the others are 0. */
bool llp_ring_grow(const struct llp_object *o, struct llp_ring *ring, size_t each, uint64_t get,
                   uint32_t count);

/* Room for packets, all of one size: made many at a time, given back and taken again. */
struct llp_blocks {
    struct llp_block *spare;
    uint32_t made, octets;
};
bool llp_blocks_ready(const struct llp_object *o, struct llp_blocks *b);
void *llp_block_take(struct llp_blocks *b);
void llp_block_give(struct llp_blocks *b, void *block);

/* ---- rows ---- */

/* Up at once; the end is a packet of its own. */
void llp_open_at_once(void *l, iw_time now);
void llp_close_by_packet(void *l, iw_time now, uint16_t stream, enum iw_llp_want how);
/* That of conf.window. */
uint8_t llp_shift(const void *l);

#endif
