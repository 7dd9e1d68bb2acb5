/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_ear.h -- what nodes tell while they run ahead of the trial (hosts.h), kept until the trial hears it in the order
 * of events. One ear for each part of the network, so that each has one thread at a time.
 *
 *     event  key, host that was halted in it
 *            what was told in it, in order: most of it small; `whole` for the few kinds that are not
 */
#ifndef HELPERS_WORLD_HOSTS_EAR_H
#define HELPERS_WORLD_HOSTS_EAR_H

#include "helpers/world/hosts.h"

/* When the trial hears of an event. */
enum told_when {
    TOLD_TRACED = 1, /* only for the trace */
    TOLD_COUNTED,    /* at once */
    TOLD_LATER,      /* when the node has returned */
    TOLD_ACTED_UPON  /* and the workload may do something about it */
};
enum told_when told_when(enum node_event_kind kind);

/* A copy of what a node told, with what its pointers led to. */
struct told {
    struct node_event e; /* its pointers are those to the copies below, or nothing */
    struct iw_place place;
    struct iw_message message;
    struct iw_event event;
    struct iw_seg seg;
    struct iw_done done; /* of a completion that was fetched when it was told */
    bool fetched;
};
static inline void told_copy(struct told *t, const struct node_event *e)
{
    t->e = *e;
    t->fetched = false;
    if (e->place)
        t->place = *e->place;
    if (e->message)
        t->message = *e->message;
    if (e->event)
        t->event = *e->event;
    if (e->seg)
        t->seg = *e->seg;
}

struct heard {
    uint64_t t, user, key, end; /* end: of a place the MSN */
    uint32_t len;
    uint32_t number; /* STag of a place; of what is kept whole */
    uint64_t to;
    uint8_t kind, how, head_len; /* how: reason or bound, or whether a port stands still */
    bool whole, in_order, late;
    uint8_t head[IW_HEAD_MAX];
};

struct heard_event {
    struct hosts_key key;
    uint32_t first, count; /* of `heard` */
    uint32_t halted;       /* a host, or HOSTS_NONE */
};

struct hosts_ear {
    struct heard *heard;
    struct heard_event *event;
    struct told *whole;
    size_t heard_count, heard_room, event_count, event_room, whole_count, whole_room;
    size_t next;  /* event to be taken */
    size_t sent;  /* events that other processes know */
    size_t asked; /* of what is kept whole, whose completions were fetched */
    bool no_memory;
};

/* In the event `key`; false: not kept for lack of memory, which the ear remembers. */
bool hosts_ear_hear(struct hosts_ear *r, struct hosts_key key, const struct node_event *e);
/* The port of a host was stopped by flow control, or goes on. */
enum { HEARD_PAUSED = NODE_EVENTS };
bool hosts_ear_hear_pause(struct hosts_ear *r, struct hosts_key key, uint64_t now, uint32_t host,
                          bool stopped);
void hosts_ear_halted(struct hosts_ear *r, uint32_t host);
/* The trial hears it behind the rest of its event. */
static inline bool heard_later(const struct heard *x)
{
    return told_when((enum node_event_kind)x->kind) >= TOLD_LATER;
}
/* What was kept, as it was told. */
void hosts_ear_open(const struct hosts_ear *r, const struct heard *x, struct told *t);
/* Events that are not sent yet, as octets in `buffer`, which grows; and such octets at the end of another ear. False: no memory. */
struct octets {
    uint8_t *at;
    size_t size, room;
};
bool hosts_ear_pack(struct hosts_ear *r, struct octets *buffer);
bool hosts_ear_unpack(struct hosts_ear *r, const void *octets, size_t size);
void hosts_ear_clear(struct hosts_ear *r);
void hosts_ear_free(struct hosts_ear *r);

#endif
