/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid.h -- the world of SimGrid: a trial_world. One point per process: SimGrid is one.
 *
 *   world_simgrid.c         what happens, and what is told of it
 *   world_simgrid_events.c  what will happen, earliest first
 *   world_simgrid_flows.c   chunks, and the flows that carry them
 *   world_simgrid_offers.c  what the workload may ask for
 *   world_simgrid_hosts.c   hosts and the ends of connections, and their memory
 *   world_simgrid_paths.c   links, and which of them the flows of each end take
 *   world_simgrid_done.c    completions: from the engine's queue into host memory, to the ULP
 *   world_simgrid_conf.c    what follows from a point: platform, rates, paths
 *   world_simgrid_routes.c  what SimGrid routes in a platform, for `check`
 *   world_simgrid_main.c    the program: iwarpsim-simgrid
 */
#ifndef HELPERS_WORLD_SIMGRID_WORLD_SIMGRID_H
#define HELPERS_WORLD_SIMGRID_WORLD_SIMGRID_H

#include "engine/least.h"
#include "helpers/scenario/scenario.h"
#include "helpers/trial/trial.h"
#include "helpers/world/message_memory.h"
#include "node/done.h"
#include "simgrid/links.h"
#include "simgrid/node.h"
#include "simgrid/ports.h"
#include "simgrid/rates.h"
#include "simgrid/shim.h"

trial_world world_simgrid;

/* One line: links and latency there and back of the longest path, what the links carry together when all connections of a point,
 * whose network is a platform, send at once and share them fairly, the least of one, and how many get less than their links have
 * because of what their sender may have under way. False: `why` holds what SimGrid says. */
bool world_simgrid_routes(const struct scenario_point *p, FILE *out, char *why, size_t size);

/* ---- what follows from a point ---- */

struct cluster_conf {
    struct grid_conf grid;
    double pipeline; /* of one of the adapter's, where it has several; octets per second, 0: no bound */
    double up, down,
        bus;             /* octets per second of a host's port each way, and of its memory bus; 0: no bound */
    uint32_t ack;        /* octets of an acknowledgement on the wire */
    iw_time heard;       /* and in the receive side of the adapter that it comes to */
    iw_time rtt_more;    /* of a window's round trip: the slowest link, and the receive side of the adapter */
    uint32_t fpdu, wire; /* of a full packet */
    uint32_t mulpdu;
    struct iw_conf ep;     /* of every endpoint, but for what is its own */
    double line;           /* bits per second of the fastest link */
    uint64_t window_most;  /* send buffer, fixed congestion window */
    uint64_t ramp;         /* slow start: octets of the first round trip; 0: there is none */
    iw_time serialization; /* of a full packet on a host's link */
    enum tcp_response response;
    double loss;      /* probability that the sender believes a packet lost */
    double rate_most; /* of one connection, bits per second; 0: no bound */
    uint32_t room;    /* packets in a chunk */
};

/* False: out of memory. */
bool cluster_conf_fill(struct cluster_conf *c, const struct scenario_point *p);
/* Octets that `e` may have under way. */
uint64_t cluster_window(const struct cluster_conf *c, const struct grid_end *e);
/* A round trip of a full packet without load. */
iw_time cluster_rtt(const struct cluster_conf *c, const struct grid_end *e);
/* The most that a flow with such a window and round trip gets, bits per second on the wire; that a flow of `e` gets now. 0: the
 * line's. */
double cluster_window_rate(const struct cluster_conf *c, uint64_t window, iw_time rtt);
double cluster_rate(const struct cluster_conf *c, const struct grid_end *e);

/* ---- completions of one host ---- */

/* Of the engine's queue, in a ring that grows (node/done.h). */
void dones_init(struct node_completions *d, const struct rnic_conf *conf, struct iw_cq *cq);
/* The engine has made `done` at `at`. False: out of memory. */
bool dones_put(struct node_completions *d, iw_time at, const struct iw_done *done);
/* The adapter writes what the engine has made by `now`. */
void dones_write(struct node_completions *d, const struct grid_node *n, iw_time now);
/* When there is something to write; IW_NEVER. */
iw_time dones_due(const struct node_completions *d);
/* What the ULP has by `now`: the next one, or false. */
bool dones_get(struct node_completions *d, const struct grid_node *n, iw_time now, struct iw_done *done);

/* ---- all of it ---- */

enum cluster_event_kind {
    EVENT_RECEIVE,
    EVENT_HEARD,
    EVENT_SEND,
    EVENT_FLY,
    EVENT_LAND,
    EVENT_ACK,
    EVENT_DONES,
    EVENT_AGAIN,
    EVENT_FIN,
    EVENT_RST
};

struct cluster_event {
    iw_time at;
    uint64_t order;
    enum cluster_event_kind kind;
    void *of; /* a host: RECEIVE, DONES; a chunk: FLY; else an end */
    uint64_t key,
        window; /* ACK: as grid_note_acked(); HEARD: octets, and whether nothing else was to be sent; LAND: when
                             its flow began */
};

/* A host: what the model knows of it, and what only this world does. */
struct cluster_host {
    struct grid_node node;
    struct iw_stags *stags;
    struct node_completions dones;
    iw_time receives_at, dones_at; /* when an event will come; IW_NEVER */
};

struct cluster {
    const struct scenario_point *point;
    struct trial *trial;
    struct cluster_conf conf;
    struct grid_observer observer;
    struct grid_ports *ports;
    struct cluster_host *host;
    uint32_t connections;
    struct grid_end *end;        /* two per connection */
    struct cluster_event *event; /* a heap, earliest first */
    size_t events;
    uint64_t order, happened;
    iw_time now, wake, latest;
    struct grid_chunk *spare;
    struct grid_link *link;
    uint32_t *hop;           /* links of the paths of all ends */
    struct grid_chunk **met; /* room for one path */
    uint32_t links;
    uint64_t flying, aloft; /* flows; those that SimGrid has or will have */
    iw_time
        bound; /* SimGrid's clock, or what it is to be set to: nothing beyond happens while a flow is aloft */
    struct message_memory memory;
    bool over, no_memory, refused; /* refused: and said why */
};

/* ---- events ---- */

/* `e.at` in the past: now. Events of one time happen in the order of these calls. */
void cluster_schedule(struct cluster *c, struct cluster_event e);
/* The earliest; there is one. */
struct cluster_event cluster_next_event(struct cluster *c);
/* Unless the host does so earlier: receive at `at` (IW_NEVER: not at all), look at its completions. */
void cluster_receive_at(struct cluster *c, struct cluster_host *h, iw_time at);
void cluster_dones_at(struct cluster *c, struct cluster_host *h);
/* Ask the engine for more, unless a flow of this end is under way: then its end asks. */
void cluster_send_at(struct cluster *c, struct grid_end *e, iw_time at);
void cluster_heard(struct cluster *c, const struct cluster_event *e);
void cluster_stop(struct cluster *c);
void cluster_out_of_memory(void *context);

/* ---- flows ---- */

/* NULL: out of memory. */
struct grid_chunk *cluster_take_chunk(struct cluster *c);
/* The first segment is ready for the port at `at`; cluster_fly: now. */
void cluster_fly_at(struct cluster *c, struct grid_chunk *chunk, iw_time at);
void cluster_fly(struct cluster *c, struct grid_chunk *chunk);
/* Its flow has ended; a flow that was alone ends now, unless it no longer is. */
void cluster_landed(struct cluster *c, struct grid_chunk *chunk);
void cluster_land(struct cluster *c, const struct cluster_event *e);
/* What the engine has to say; what waits for the port, or that. */
void cluster_send(struct cluster *c, struct grid_end *e);
void cluster_go_on(struct cluster *c, struct grid_end *e);
/* The observer (node.h) that these files are: `context` is the cluster. */
void cluster_look(void *context, iw_time at, struct grid_end *e);
void cluster_done(void *context, struct grid_chunk *chunk);

/* ---- what the workload may ask for ---- */

struct workload_world cluster_offers(struct cluster *c);

/* Links and the paths of all ends; hosts and ends, as conf says. False: out of memory; cluster_free() gives back what there
 * is. */
bool cluster_make(struct cluster *c);
bool cluster_make_paths(struct cluster *c);
void cluster_free(struct cluster *c);

static inline struct cluster_host *host_of(const struct grid_end *e)
{
    return (struct cluster_host *)(void *)e->node; /* its first member */
}

#endif
