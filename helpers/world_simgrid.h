/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid.h -- the world of SimGrid: a trial_world. One point per process: SimGrid is one.
 *
 *   world_simgrid.c         what the workload asks for, flows and events
 *   world_simgrid_hosts.c   hosts and the ends of connections, and their memory
 *   world_simgrid_done.c    completions: from the engine's queue into host memory, to the ULP
 *   world_simgrid_conf.c    what follows from a point: platform, rates, paths
 *   world_simgrid_main.c    the program: iwarpsim-simgrid
 */
#ifndef HELPERS_WORLD_SIMGRID_H
#define HELPERS_WORLD_SIMGRID_H

#include "helpers/scenario.h"
#include "helpers/trial.h"
#include "simgrid/node.h"
#include "simgrid/ports.h"
#include "simgrid/rates.h"
#include "simgrid/shim.h"

trial_world world_simgrid;

/* ---- what follows from a point ---- */

struct cluster_conf {
    struct grid_conf grid;
    struct grid_platform platform;
    iw_time latency
        [2]; /* one way: what every link adds; what a full packet takes once more on every link but one */
    iw_time acknowledge;  /* what an acknowledgement takes on each link, without its delay */
    iw_time heard;        /* and in the receive side of the adapter that it comes to */
    iw_time rtt_more;     /* of a window's round trip: the first link, and the receive side of the adapter */
    uint32_t fpdu, wire;  /* of a full packet */
    uint64_t window_most; /* send buffer, fixed congestion window */
    enum grid_congestion congestion;
    double loss;      /* probability that the sender believes a packet lost */
    double rate_most; /* of one connection, bits per second; 0: no bound */
    uint32_t room;    /* packets in a chunk */
};

/* False: out of memory. */
bool cluster_conf_fill(struct cluster_conf *c, const struct scenario_point *p);
/* Links between two hosts. */
uint32_t cluster_hops(const struct scenario_point *p, uint32_t a, uint32_t b);
/* Octets that `e` may have under way. */
uint64_t cluster_window(const struct cluster_conf *c, const struct grid_end *e);
/* The most that a flow of `e` gets now, bits per second on the wire. */
double cluster_rate(const struct cluster_conf *c, const struct scenario_point *p, const struct grid_end *e);

/* ---- completions of one host ---- */

/* Oldest first. Law: get <= shown <= taking <= visible <= written <= put. */
struct dones {
    struct seen {
        struct iw_done done;
        iw_time at;
    } * ring;
    uint32_t room; /* a power of two */
    uint32_t get, shown, taking, visible, written, put;
    iw_time look; /* interrupt: when the host looks; IW_NEVER */
};

void dones_init(struct dones *d);
/* The engine has made `done` at `at`. False: out of memory. */
bool dones_put(struct dones *d, iw_time at, const struct iw_done *done);
/* The adapter writes what the engine has made by `now`. */
void dones_write(struct dones *d, const struct grid_node *n, iw_time now);
/* When there is something to write; IW_NEVER. */
iw_time dones_due(const struct dones *d);
/* What the ULP has by `now`: the next one, or false. */
bool dones_get(struct dones *d, const struct grid_node *n, iw_time now, struct iw_done *done);
/* When to ask again; IW_NEVER. */
iw_time dones_next(const struct dones *d);

/* ---- all of it ---- */

struct event;

/* A host: what the model knows of it, and what only this world does. */
struct host {
    struct grid_node node;
    struct iw_stags *stags;
    struct dones dones;
    iw_time receives_at, dones_at; /* when an event will come; IW_NEVER */
};

struct cluster {
    const struct scenario_point *point;
    struct trial *trial;
    struct cluster_conf conf;
    struct grid_ears ears;
    struct grid_ports *ports;
    struct host *host;
    uint32_t connections;
    struct grid_end *end; /* two per connection */
    struct event *event;  /* a heap, earliest first */
    size_t events, event_room;
    uint64_t order, happened;
    iw_time now, wake, latest;
    struct grid_chunk *spare;
    uint64_t flying, spared; /* flows; packets that the expander let through at last */
    uint8_t **memory;        /* of the workload */
    size_t memories;
    bool over, no_memory;
};

/* Hosts and ends, as conf says. False: out of memory; cluster_free() gives back what there is. */
bool cluster_make(struct cluster *c);
void cluster_free(struct cluster *c);

static inline struct host *host_of(const struct grid_end *e)
{
    return (struct host *)(void *)e->node; /* its first member */
}

#endif
