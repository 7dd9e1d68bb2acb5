/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts.h -- the hosts of a trial: nodes made from a point, and what happens at them told to the trial (trial.h). The same
 * for every world of packets; a world carries packets between them and keeps the clock.
 *
 *     hosts_new       which connections there are
 *     hosts_split     in parts, each of which a thread may have (below)
 *     hosts_start     makes a node for each host and both ends of each connection, registers memory, posts receives,
 *                     opens connections; the trial starts when all are up
 *     hosts_table     what a network calls: the node's calls; what they caused is told behind each
 *     hosts_finish    counters and statistics into the results
 *
 * Law: the trial, and with it the workload, is never called from inside a node.
 */
#ifndef HELPERS_WORLD_HOSTS_H
#define HELPERS_WORLD_HOSTS_H

#include "fabric/fabric.h"
#include "helpers/trial/trial.h"
#include "node/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Orders the events of all hosts. */
struct hosts_key {
    uint64_t at;
    uint32_t order, kick; /* kick: 0, or of a host that the event kicked, in their order */
};

/* What a world offers. */
struct hosts_world {
    void *context;
    uint64_t (*now)(void *context);
    /* The workload did something at `host`: its port and deadline are to be asked again. */
    void (*kick)(void *context, uint32_t host);
    /* Call hosts_wake() at `at`; a new call replaces the old one; IW_NEVER: do not. */
    void (*wake)(void *context, uint64_t at);
    /* Every connection is up: the channel impairs from now on. May be NULL. */
    void (*started)(void *context);
    /* A host was called at `now`; `heard`: not for its next packet, so that the trial may be over. */
    void (*called)(void *context, uint64_t now, bool heard);
    /* While hosts run ahead; NULL: they never do. The event under way in a part, and: this host does nothing more. */
    struct hosts_key (*key)(void *context, uint32_t part);
    void (*halt)(void *context, uint32_t host);
    /* Where hosts are split: `work` of each part, on several threads or one after the other. */
    void (*together)(void *context, uint32_t parts, void (*work)(void *of, uint32_t part), void *of);
    /* Hosts that are in several processes (ranks): how many, which one this is, and which hosts are here; parts 0: all are. */
    uint32_t parts, part;
    bool (*here)(void *context, uint32_t host);
};

struct hosts;
/* NULL: trial_refuse() said why. Everything is borrowed but `world`. */
struct hosts *hosts_new(const struct scenario_point *point, struct trial *trial,
                        const struct hosts_world *world);
void hosts_free(struct hosts *h);

/* Connections as a world sees them: TCP connections or SCTP associations, with the hosts at both ends. */
struct hosts_connection {
    uint32_t from, to;
};
uint32_t hosts_connections(const struct hosts *h);
struct hosts_connection hosts_connection(const struct hosts *h, uint32_t connection);
/* The one that carries a connection of the workload. */
uint32_t hosts_carrier(const struct hosts *h, uint32_t conn);
/* Of a host, and the ports of a connection's ends: what addresses on the wire are made of. */
uint32_t hosts_address(uint32_t host);

/* 0; -1: refused. */
int hosts_start(struct hosts *h);
void hosts_wake(struct hosts *h);

/* A host as a network calls it, by this object. */
extern const struct fabric_host hosts_table;
void *hosts_object(const struct hosts *h, uint32_t host);

/* A packet will be there soon, of the connection, or of FABRIC_ANY. */
void hosts_expect(const struct hosts *h, uint32_t host, uint32_t connection);
/* A packet was lost on the way; `why`: NULL, or what the numbers do not say. For the trace, and for flows.csv. */
void hosts_lost(struct hosts *h, uint64_t now, const struct ip_packet *packet, const char *why);
/* Flow control stopped the port of a host, or lets it go on. */
void hosts_paused(struct hosts *h, uint64_t now, uint32_t host, bool stopped);

/* ---- hosts that run ahead of the trial, each part on a thread of its own, for a window in which none hears of another ----
 *
 *     hosts_split                        once
 *     hosts_may_run_ahead                before each window
 *     hosts_begin_ahead  ...calls by hosts_table, of the hosts of each part on one thread...  hosts_end_ahead
 *     hosts_heard  hosts_replay          what they told, event by event, in the order of all parts
 *
 * The workload hears nothing until then. A host of which it may hear something that makes it act there is halted: what
 * that host does later in the window comes when the workload has heard. So does a host whose workload waits for nothing
 * but the other side. */
static const uint32_t HOSTS_NONE = UINT32_MAX;
/* False: no memory. `part` is asked once for each host. */
bool hosts_split(struct hosts *h, uint32_t parts, uint32_t (*part)(void *context, uint32_t host));
/* False: the run could end before any octet that is to be sent now arrives, or the workload could start. */
bool hosts_may_run_ahead(struct hosts *h);
/* All connections were set up; the workload has started. */
bool hosts_are_set_up(const struct hosts *h);
bool hosts_have_started(const struct hosts *h);
void hosts_begin_ahead(struct hosts *h);
/* Of each part, on any thread, when its window is over; then of all. */
void hosts_settle_ahead(struct hosts *h, uint32_t part);
void hosts_end_ahead(struct hosts *h);
/* The first event of all parts in which something was told; false: there is none. */
bool hosts_heard(const struct hosts *h, uint32_t *part, struct hosts_key *key);
/* The trial hears of it. The host that was halted in it, or HOSTS_NONE. */
uint32_t hosts_replay(struct hosts *h, uint32_t part);

/* ---- hosts that are in several processes (ranks) ----
 *
 * Each process has a trial and a workload that hear everything, and so do the same, and the nodes of its own hosts, which run
 * ahead for good; a part is what one process has.
 *
 *     hosts_told     what nodes here told since the last time, as octets for the others
 *     hosts_told_of  what those of another process told
 *     hosts_heard  hosts_replay      as above, in every process alike, of events that lie behind all of them */
const void *hosts_told(struct hosts *h, size_t *octets);
/* False: no memory. */
bool hosts_told_of(struct hosts *h, uint32_t part, const void *octets, size_t size);
/* A host here has told something that the workload has not heard, and waits for it; when it told that. */
bool hosts_wait(const struct hosts *h, struct hosts_key *reported);
/* The run does not end, or start, before a host here tells something that it waits for then. */
bool hosts_owe(struct hosts *h);
/* What others tell may make the workload act at a host here, at once. */
bool hosts_depend(const struct hosts *h);
/* When the CPUs here are free; and when those elsewhere are. */
uint64_t hosts_ready(const struct hosts *h);
void hosts_others_ready(struct hosts *h, uint64_t at);
/* Something was done in one process that was not in the others. */
bool hosts_have_parted(const struct hosts *h);

/* How everything stands now, as JSON; of `links` links the world says it. */
struct hosts_link {
    char from[TRIAL_NAME], to[TRIAL_NAME];                       /* nodes */
    uint64_t queue_octets, queue_packets, octets, drops, pauses; /* IW_NEVER: not known */
    bool paused;
};
void hosts_state(const struct hosts *h, FILE *out, uint64_t now, uint32_t links,
                 void (*link)(void *context, uint32_t link, struct hosts_link *l));

void hosts_finish(struct hosts *h);
/* The law of conservation that a node does not keep now, in words, and at which host; NULL: all do. What is still under way
 * is accounted for when it has come to its end: a world lets time pass. After hosts_finish(), when nothing is told. */
const char *hosts_leftover(const struct hosts *h, uint32_t *host);

#ifdef __cplusplus
}
#endif
#endif
