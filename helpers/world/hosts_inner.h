/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_inner.h -- what the files behind hosts.h share.
 *
 *   hosts.c        what the workload asks of nodes, a world's calls, the start and the end
 *   hosts_make.c   nodes and connections, made from a point
 *   hosts_tell.c   what nodes tell, told to the trial at once or behind the call
 *   hosts_ahead.c  the same, kept until the trial takes it in the order of all parts (event_log.h)
 *   hosts_state.c  how everything stands at an instant
 *   hosts_ranks.c  the same, from hosts that are in several processes
 */
#ifndef HELPERS_WORLD_HOSTS_INNER_H
#define HELPERS_WORLD_HOSTS_INNER_H

#include "helpers/base/arena.h"
#include "helpers/scenario/scenario.h"
#include "helpers/world/event_log.h"
#include "helpers/world/message_memory.h"
#include "helpers/world/placed_list.h"

struct host {
    struct hosts *hosts;
    struct node *node;     /* NULL: elsewhere */
    struct iw_stags *tags; /* of one that is elsewhere a table like its own */
    const char *refused;   /* why it, or a connection of it, was not made; NULL: nothing was refused */
    uint32_t part;         /* where its memory comes from, and who runs it */
    uint32_t streams, connections; /* that end here */
    uint64_t receives;             /* octets of the buffers posted */
};

/* Of a connection of the workload, at either host. */
struct hosts_end {
    uint32_t host, connection; /* of the world */
    uint32_t stream;           /* of the node */
    uint32_t tenant;           /* 0: nobody in particular */
    bool up;
};

struct hosts_wire {
    uint32_t host[2];
    uint32_t local[2];       /* number of the connection at either node */
    uint32_t first, streams; /* of `carried` */
    uint32_t tenant;
};
struct hosts_wires {
    uint32_t count;
    struct hosts_wire *at;
    uint32_t *carried; /* connections of the workload, in the order of the wires that carry them */
};

struct hosts_setup {
    enum { SETTING_UP, ABOUT_TO_START, RUNNING } state;
    uint32_t up, up_here, ends_here; /* ends that are up, and how many there are */
    bool failed;
};

/* Parts that run ahead of the trial; one, if they never do. */
struct hosts_ahead {
    bool on;
    uint32_t parts;
    struct memory_arena *nodes; /* by part */
    struct event_log *log;      /* by part */
    struct placed_list *placed; /* by part; NULL: octets never wait */
    uint64_t waits_until;       /* the last of those that wait; 0: none do */
    uint32_t watched;           /* the connection that is asked first */
    uint32_t rests; /* none had far to go: not to be asked so many times, unless something is posted */
    uint32_t *deferred,
        deferrals; /* connections that hung when they completed something, and may no longer */
    bool *listed;  /* by connection: in `deferred` */
};

/* Several processes. */
struct hosts_ranks {
    struct log_octets packed; /* what the others are told */
    uint64_t others_ready;
    bool parted; /* a node refused what was asked of it: others do not know */
};

/* By the node's call under way. */
struct hosts_reported {
    struct event_list events;
    struct iw_seg *
        pulled; /* with a trace: the segments of those that are PULLED, whose octets are shown as they leave */
    size_t segments;
};

struct hosts {
    const struct scenario_point *point;
    uint32_t packet_head; /* octets before user data, where IP's protocol does not say it */
    struct trial *trial;
    struct hosts_world world;
    uint32_t count;
    struct host *host;
    uint32_t connections;  /* of the workload */
    struct hosts_end *end; /* 2 x connection + side */
    struct hosts_wires wires;
    struct hosts_setup set_up;
    struct hosts_reported reported;
    struct hosts_ahead ahead;
    struct hosts_ranks ranks;
    struct message_memory memory;
    bool finished, no_memory, counts_sent;
};

static inline struct hosts_end *end_of(const struct hosts *h, uint32_t conn, int side)
{
    return &h->end[2 * (size_t)conn + (size_t)side];
}

static inline struct node *node_of(const struct hosts *h, uint32_t host)
{
    return h->host[host].node;
}

static inline bool is_here(const struct hosts *h, uint32_t host)
{
    return h->host[host].node != NULL;
}

static inline uint32_t conn_of(const struct node_event *e)
{
    return (uint32_t)(e->user / 2);
}

static inline uint32_t host_of(const struct hosts *h, const struct node_event *e)
{
    return h->end[e->user].host;
}

/* Nodes, and both ends of each connection; false: trial_refuse() said why. */
bool hosts_make(struct hosts *h);
/* Of every node, whose user is the hosts. */
node_listener hosts_listen;
/* The trial is told what a node told: by trial_event(), or by trial_tallied() of what a part has counted. */
void hosts_tell(struct hosts *h, const struct node_event *e,
                void tell(struct trial *t, const struct node_event *e));
/* The completions of which the events from `from` on tell are taken: who is told of them has no queue. */
void hosts_poll(struct hosts *h, const struct event_list *events, size_t from);
/* Ahead: keep it for the trial. */
void hosts_keep(struct hosts *h, const struct node_event *e);
/* Octets that are placed while those of a window wait, which is not over, do so, too: true. Else nothing waits any more. */
bool hosts_keep_octets(struct hosts *h, const struct node_event *e);
void hosts_hear_octets(struct hosts *h);
/* A call into the nodes of a part has returned: what was told, and what the workload then does makes more to be told. */
void hosts_after(struct hosts *h, uint32_t part);
/* When the CPUs here are free, and those elsewhere that are known. */
uint64_t hosts_ready_from(const struct hosts *h, uint64_t now);

#endif
