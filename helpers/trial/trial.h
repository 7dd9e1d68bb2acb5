/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial.h -- the seam between worlds, workloads and results: one point, run once.
 *
 * A world is one function: it builds the point's network, runs it until trial_over(), and tells the trial what happens.
 * The trial drives the workload, measures, writes messages and trace; a world counts only what it alone can see.
 *
 *     int my_world_run(const struct scenario_point *point, struct trial *t)
 *         build hosts, endpoints (workload_needs), connections (workload_pair), switches
 *         trial_prepare(t, &offers)                          memory and receives; before iw_enable()
 *         start MPA; when every connection is up:            trial_start(t, now)
 *         for each event while (!trial_over(t, now)):
 *             a timer asked for with offers.wake             trial_wake(t, now)
 *             something happened at a host                   trial_event(t, &event)
 *             no event is left                      trial_stalled, then leave
 *         counters of its own                                trial_counters(t)->drops_channel ...
 *         at the end                                         trial_adapter, trial_endpoint
 *
 * The channel impairs from trial_start() on.
 * Everything a world draws is keyed by (seed, repeat, link or connection, direction, number).
 */
#ifndef HELPERS_TRIAL_TRIAL_H
#define HELPERS_TRIAL_TRIAL_H

#include <stdio.h>

#include "helpers/scenario/counters.h"
#include "helpers/scenario/point.h"
#include "helpers/trial/trace_kinds.h"
#include "llp/llp.h"
#include "llp/packet.h"
#include "rnic/rnic.h"

#ifdef __cplusplus
extern "C" {
#endif

struct trial;

/* ---- what a world calls ---- */

/* The host at this side of a connection. */
uint32_t trial_host(const struct trial *t, uint32_t conn, int side);
/* Error of the world's own offers: IW_OK or below zero, then the world returns. */
int trial_prepare(struct trial *t, const struct workload_world *offers);
void trial_start(struct trial *t, uint64_t now);
void trial_wake(struct trial *t, uint64_t now);
/* What happened at a host: all that results and trace are made of, and what the workload may act upon (node/event.h). Of a
 * record a world fills in what it knows; who: trial_user(). The order at one receiver is TAKEN, PLACED, DELIVERED, EDGE,
 * COMPLETED. */
void trial_event(struct trial *t, const struct node_event *e);
/* The same in two steps, for a world of several parts, each on one thread at a time, which trial_in_parts() says first (false:
 * out of memory): what needs no order is counted at once, by the part of the host. What is left is told in the order of all
 * parts: octets by their number alone, the rest as it is. No trace. */
enum trial_left { TRIAL_OCTETS = 1, TRIAL_REST = 2 };
bool trial_in_parts(struct trial *t, uint32_t parts);
unsigned trial_tally(struct trial *t, uint32_t part, const struct node_event *e);
void trial_octets(struct trial *t, uint64_t now, uint64_t octets);
void trial_tallied(struct trial *t, const struct node_event *e);
/* Fewer octets than that have no order: they may be told as a sum, when the last of them was placed. */
uint64_t trial_octets_to_part(const struct trial *t);
/* Parts run ahead in a window; one is past it (on any thread); all are. */
void trial_begin_window(struct trial *t);
void trial_settle_window(struct trial *t, uint32_t part);
void trial_end_window(struct trial *t);
static inline uint64_t trial_user(uint32_t conn, int side)
{
    return 2 * (uint64_t)conn + (unsigned)side;
}

/* At the end, once for each host and each endpoint: their own statistics go into the results. */
void trial_adapter(struct trial *t, uint32_t host, const struct rnic *adapter);
void trial_endpoint(struct trial *t, uint32_t conn, int side, const struct iw_ep *ep,
                    const struct llp_track *track);
void trial_track_pool(struct trial *t, const struct llp_track_pool *pool);

/* Octets of the receive buffers that a host has posted when it starts; the most buffers of its shared receive queue that messages
 * had at a time, IW_NEVER: it has none. */
void trial_receives(struct trial *t, uint64_t octets, uint64_t shared_peak);

/* What a tenant had on a host at most, and how often it was refused something. */
struct trial_tenant {
    uint32_t peak[IW_PRM_RESOURCES];
    uint64_t refused;
};
void trial_tenant(struct trial *t, uint32_t tenant, const struct trial_tenant *had);

/* Flow control stopped the port of a host of this part, or lets it go on. */
void trial_paused(struct trial *t, uint32_t part, uint64_t now, uint32_t host, bool paused);

/* What only a world can count; sums over all connections and hosts. Retransmits: trial_event(). */
struct point_counters *trial_counters(struct trial *t);
/* What one end of a packet transport has counted. */
void trial_packets(struct trial *t, const struct packet_stats *stats);

/* Does a side of this connection wait for nothing but what happens at the other (workload_hangs)? */
bool trial_hangs(const struct trial *t, uint32_t conn);
/* Does the workload wait for something that this side of a connection will tell (workload_owes)? */
bool trial_owes(const struct trial *t, uint32_t conn, int side);
/* Until then neither a limit of simulated time nor the end of a window can be reached, whatever happens or does not. */
uint64_t trial_limit(const struct trial *t);
/* The end of the window that is measured; IW_NEVER: there is none, or it is not known yet. */
uint64_t trial_window_end(const struct trial *t);
/* On how many threads a world may run; 0: on its own, and its network in one piece, so that no trial is void. */
unsigned trial_threads(const struct trial *t);
/* Of several processes that run the point together, each tells its own hosts, adapters and endpoints and counts what it alone
 * sees between trial_begin_share() and trial_end_share(), which fills `share`; one of them adds those of the others. */
enum { TRIAL_MOST = 9, TRIAL_SUM = 7 };
struct trial_share {
    struct point_counters counters;
    uint64_t staging[RNIC_BINS], most[TRIAL_MOST], sum[TRIAL_SUM];
};
void trial_begin_share(struct trial *t);
void trial_end_share(struct trial *t, struct trial_share *share);
void trial_add_share(struct trial *t, const struct trial_share *share);
/* It ran beyond its end and is to be run again, on one thread: nothing of it counts. */
void trial_run_again(struct trial *t);
bool trial_is_void(const struct trial *t);
/* True: stop now. The workload is done, the window has ended, a law was broken, a limit was reached. Cheap; call it for every event. */
bool trial_over(struct trial *t, uint64_t now);
/* The workload is done, and nothing had stopped it before. */
bool trial_went_well(const struct trial *t);
/* No event is left although the workload waits: the point's status becomes "stalled". */
void trial_stalled(struct trial *t, uint64_t now);
/* At the end, of a side that has taken altered octets and knows of no error (node_is_misled): a stall is theirs, "ended". */
void trial_misled(struct trial *t, uint32_t conn, int side);
/* Links wait for each other for ever: the status becomes "deadlock". `links` names them. */
void trial_deadlock(struct trial *t, const char *links);
/* A law that the world checks itself was broken (the window's right edge moved left ...): exit 1. printf-like. */
void trial_broken(struct trial *t, uint64_t now, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The world cannot run this point: one sentence that names the key. The world returns -1 after it. */
void trial_refuse(struct trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What is worth knowing though nothing is wrong: one sentence on stderr. printf-like. */
void trial_remark(const struct trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The machine has too little memory for this point: it is run again elsewhere, or another day. */
void trial_no_memory(struct trial *t);

/* --pcap: the prefix of the capture files, "DIR/pcap/64KiB_1us-r0"; NULL: not asked for. */
const char *trial_pcap(const struct trial *t);
/* --links: what a link did, one line of links.csv. */
struct trial_link {
    uint32_t link;
    const char *from, *to; /* nodes */
    unsigned parallel;     /* among those that join the two, from 1 */
    double rate;           /* bits per second */
    uint64_t packets, octets, drops, marks, trims, lost, queue_peak, pauses, failed;
    double queue_mean, paused; /* octets; picoseconds */
};
extern const char trial_link_columns[]; /* of links.csv, with the line's end */
bool trial_asks_for_links(const struct trial *t);
/* Something happens to the link of this name; `host`: one that it belongs to, or any. */
enum trial_link_change { TRIAL_LINK_DOWN, TRIAL_LINK_UP, TRIAL_LINK_RATE, TRIAL_LINK_AVOIDED };
void trial_link_changes(struct trial *t, uint64_t now, uint32_t host, const char *name,
                        enum trial_link_change change, double gbps);
void trial_link(struct trial *t, const struct trial_link *link);

/* --flows: which links the octets of one side take, by their numbers ("3 17 42"), "*": any; a packet with octets of a connection was
 * lost on the way. The latter from any thread. */
bool trial_asks_for_flows(const struct trial *t);
void trial_path(struct trial *t, uint32_t conn, int side, const char *links);
void trial_lost(struct trial *t, uint32_t conn);
extern const char trial_flow_columns[]; /* of flows.csv, with the line's end */
/* --series, --state: what one sees at an instant (trial_series.c). A world that is asked for it runs in one piece, and stops at
 * each look when all that happens until then has happened. */
enum { TRIAL_NAME = 96 };
struct trial_link_now {
    uint64_t octets, waiting; /* IP octets whose first bit has left; that wait in its queue */
};
struct trial_network {
    void *context;
    uint32_t links;
    void (*name)(void *context, uint32_t link, char name[TRIAL_NAME]); /* "host0>switch0" */
    struct trial_link_now (*link)(void *context, uint32_t link);
};
/* When the next look is due; IW_NEVER: none is. */
uint64_t trial_next_look(const struct trial *t);
/* What happens then. */
void trial_look(struct trial *t, uint64_t now, const struct trial_network *n);
/* A packet of so many IP octets was given to the port; only where they are counted. */
bool trial_counts_sent(const struct trial *t);
void trial_sent(struct trial *t, uint32_t conn, int side, uint32_t octets);
/* The right edge that a side ever offered; up to where all was delivered there; octets of a flow's payload that were placed. */
uint64_t trial_window_edge(const struct trial *t, uint32_t conn, int side);
uint64_t trial_delivered(const struct trial *t, uint32_t conn, int side);
uint64_t trial_placed(const struct trial *t, uint32_t conn);
/* Where the state at `now` is to be written, with which the run ends; NULL: it is not due. */
FILE *trial_state(struct trial *t, uint64_t now);

extern const char trial_load_columns[]; /* of workloads.csv, with the line's end */

/* --trace: one line, from which `explain`, `play`, pictures and notes are made (story.h). trial_event() writes its own; trace_line()
 * makes one of which all is empty but when, where and what. */
struct trial_line {
    const struct trial *trial;
    uint64_t t;
    uint32_t node;
    int64_t conn; /* -1: none */
    int side;     /* of `conn` */
    enum trace_kind kind;
    const char *other; /* TRACE_OTHER: its word */
    uint64_t key;      /* IW_NEVER: none */
    uint32_t length;
    const struct node_seg *seg; /* NULL: no header to show */
    struct node_seg own;        /* where `seg` may be */
    uint64_t window_edge,
        staging; /* IW_NEVER: not known here; staging: filled in where an adapter is watched */
    bool ooo;
    uint64_t end;                   /* stream offset behind the FPDU or packet; 0: not known here */
    const struct node_place *place; /* NULL: none */
    char text[120];                 /* what the numbers do not say, without commas */
};
void trace_line(struct trial_line *line, const struct trial *t, uint64_t now, uint32_t conn, int side,
                enum trace_kind kind);
/* From here on lines of this side say what its adapter holds, and the windows and round trip of its lower layer `l`. Both are
 * borrowed for the rest of the run. */
void trial_watch(struct trial *t, uint32_t conn, int side, const struct rnic *adapter, const struct llp *llp,
                 const void *l);
bool trial_tracing(const struct trial *t);
void trial_trace(struct trial *t, const struct trial_line *line);

/* ---- what a world is ---- */

/* 0: the point ran (whatever its status); -1: refused or failed, trial_refuse() said why. */
typedef int trial_world(const struct scenario_point *point, struct trial *t);

#ifdef __cplusplus
}
#endif
#endif
