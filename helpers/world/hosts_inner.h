/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_inner.h -- what the files behind hosts.h share.
 *
 *   hosts.c        what the workload asks of nodes, a world's calls, the start and the end
 *   hosts_make.c   nodes and connections, made from a point
 *   hosts_tell.c   what nodes tell, told to the trial at once or behind the call
 *   hosts_ahead.c  the same, kept until the trial hears it in the order of events (hosts_ear.h)
 *   hosts_ranks.c  the same, from hosts that are in several processes
 */
#ifndef HELPERS_WORLD_HOSTS_INNER_H
#define HELPERS_WORLD_HOSTS_INNER_H

#include "helpers/base/arena.h"
#include "helpers/scenario/scenario.h"
#include "helpers/world/hosts_ear.h"
#include "helpers/world/message_memory.h"

struct end {
    uint32_t host, connection; /* of the world */
    uint32_t stream;           /* of the node */
};

struct wire {
    uint32_t host[2];
    uint32_t local[2];       /* number of the connection at either node */
    uint32_t first, streams; /* of the list of the workload's connections */
};

struct pocket {
    struct hosts *hosts;
    uint32_t part;
};

struct hosts {
    const struct scenario_point *point;
    struct trial *trial;
    struct hosts_world world;
    uint32_t count;
    struct node **node;     /* NULL: elsewhere */
    struct iw_stags **tags; /* of each host; of one that is elsewhere a table like its own */
    uint32_t connections;   /* of the workload */
    struct end *end;        /* 2 x connection + side */
    uint32_t wires;
    struct wire *wire;
    uint32_t *carried; /* connections of the workload, in the order of the wires that carry them */
    uint32_t up;       /* ends that are */
    enum { SETTING_UP, ABOUT_TO_START, RUNNING } state;
    bool failed, finished, no_memory;
    struct told *told;
    size_t told_count, told_room;
    struct pocket *pocket;      /* by host: where its memory comes from */
    struct memory_arena *nodes; /* by part */
    struct hosts_ear *ear;      /* by part */
    uint32_t parts, witness;
    bool ahead;
    uint32_t *hanging,
        hangs;            /* split: connections that hung when they completed something, and may no longer */
    bool *listed;         /* by connection: in `hanging` */
    struct octets packed; /* several processes: what the others are told */
    uint64_t others_ready;
    uint32_t ends_here, up_here;
    bool parted; /* a node refused what was asked of it: others do not know */
    struct message_memory memory;
    uint64_t *receives; /* by host: octets of the buffers posted */
};

static inline struct end *end_of(const struct hosts *h, uint32_t conn, int side)
{
    return &h->end[2 * (size_t)conn + (size_t)side];
}

static inline bool is_here(const struct hosts *h, uint32_t host)
{
    return h->node[host] != NULL;
}

static inline uint32_t conn_of(const struct node_event *e)
{
    return (uint32_t)(e->user / 2);
}

static inline int side_of(const struct node_event *e)
{
    return (int)(e->user % 2);
}

/* Of every node, whose user is the hosts. */
node_listener hosts_listen;
/* The trial hears what a node told. */
void hosts_tell(struct hosts *h, struct told *t);
/* Ahead: keep it for the trial. */
void hosts_keep(struct hosts *h, const struct node_event *e);
/* A call into the nodes of a part has returned: what was told, and what the workload does when it hears makes more to be told.
 * Ahead: the completions that it told of are fetched, for those who hear of them have no queue. */
void hosts_after(struct hosts *h, uint32_t part);
/* When the CPUs here are free, and those elsewhere that are known. */
uint64_t hosts_ready_from(const struct hosts *h, uint64_t now);

#endif
