/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts.h -- the hosts of a trial: nodes made from a point, and what happens at them told to the trial (trial.h). The same
 * for every world of packets; a world carries packets between them and keeps the clock.
 *
 *     hosts_new       a node for each host, both ends of each connection
 *     hosts_start     registers memory, posts receives, opens connections; the trial starts when all are up
 *     hosts_arrive    hosts_transmit  hosts_expire   the node's calls; what they caused is told behind each
 *     hosts_finish    counters and statistics into the results
 *
 * Law: the trial, and with it the workload, is never called from inside a node.
 */
#ifndef HELPERS_WORLD_HOSTS_H
#define HELPERS_WORLD_HOSTS_H

#include "helpers/trial/trial.h"
#include "node/node.h"

#ifdef __cplusplus
extern "C" {
#endif

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
/* Of a host, and the ports of a connection's ends: what addresses on the wire are made of. */
uint32_t hosts_address(uint32_t host);

/* 0; -1: refused. */
int hosts_start(struct hosts *h);
void hosts_wake(struct hosts *h);

bool hosts_transmit(struct hosts *h, uint32_t host, uint64_t now, struct ip_packet *packet);
void hosts_arrive(struct hosts *h, uint32_t host, uint64_t now, const struct ip_packet *packet);
uint64_t hosts_deadline(const struct hosts *h, uint32_t host);
void hosts_expire(struct hosts *h, uint32_t host, uint64_t now);

/* A packet was lost on the way; `why`: NULL, or what the numbers do not say. For the trace. */
void hosts_lost(struct hosts *h, uint64_t now, const struct ip_packet *packet, const char *why);
void hosts_finish(struct hosts *h);
/* The law of conservation that a node does not keep now, in words, and at which host; NULL: all do. What is still under way
 * is accounted for when it has come to its end: a world lets time pass. After hosts_finish(), when nothing is told. */
const char *hosts_leftover(const struct hosts *h, uint32_t *host);

#ifdef __cplusplus
}
#endif
#endif
