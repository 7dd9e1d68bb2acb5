/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric.h -- the packet world: links, output queues, switches, routes and impairments below the hosts, and its clock.
 *
 *      workload     fabric_kick, fabric_at            fabric_run           event, tap -> trace, story, pcap
 *   +-----v-----------------+   transmit / arrive    +------------------------------------------------------+
 *   | host: a table of four | <--------------------> | port -> wire -> switch: route -> queue -> wire -> port |
 *   +-----------------------+   deadline / expire    +------------------------------------------------------+
 *
 * Plain C, one block of memory and chunks that the caller gives. Nothing here knows what the octets mean, save where
 * user data begins, which the impairments ask.
 *
 * Nodes are numbered: hosts from 0, then switches. A host has one port, or several, all hosts as many. A *link* is one direction of a
 * line, named by the port that sends on it; ports are numbered by (node, port of the node), so of hosts with one port link h is
 * the one from host h.
 *
 * The laws of a link
 *   serialization = floor(8e12 x (size + framing) / rate) ps for each packet, and it arrives `delay` later;
 *   a queue's octets are the IP octets that wait, the packet on the wire excluded;
 *   dropped (or trimmed) when waiting + size > buffer, else marked when waiting >= ecn_threshold, and then queued (ecn.at_dequeue:
 *   marked by what waits behind it as its first bit leaves);
 *   a host has no queue here: its port asks it for a packet whenever it is free.
 *
 * The order of events is content, so that ties never depend on the order of insertion, and any engine that sorts so
 * gives the same rows:
 *
 *   time | kind: departure < arrival < timer < workload | node | port | connection | packet number
 *
 *   departure  a port is free again: a switch takes the head of its queue, a host is asked; node and port send
 *   arrival    the last bit of a packet, or of a pause frame (before any packet), is there; node and port receive
 *   timer      fabric_host.expire of a node
 *   workload   fabric_conf.timer; the timer's number stands for the node
 *
 * What a host does in an event (a packet transmitted at once, a kick) belongs to that event. Kicks wait until the
 * event's own calls have returned.
 *
 * Law of conservation, at any time between two events:
 *   sent + duplicated = delivered + dropped + lost + failed + in_flight.
 *
 * A link that is down (failures.c) sends nothing: what was on the wire is lost, and what waits goes on waiting, the port of a
 * host included, until the link is up. When `reroute_after` has passed before that, the queue is lost, and switches avoid
 * the link: a packet whose way does not lead to its host any more takes another one of the fewest links; where there is none
 * it is lost. All other packets keep their ways. A change comes after all other events of its instant.
 */
#ifndef IW_FABRIC_H
#define IW_FABRIC_H

#include "engine/iw.h"
#include "fabric/conf.h"
#include "llp/ip_packet.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a host, as the world sees it ---- */

struct fabric_host {
    /* The port out->port is free: the next packet for it, or false. out->octets stay valid until the next call into the host.
     * All of *out is set then; the world finds the receiver. */
    bool (*transmit)(void *host, iw_time now, struct ip_packet *out);
    /* A packet is there. `in` and its octets are the host's until it returns. */
    void (*arrive)(void *host, iw_time now, const struct ip_packet *in);
    /* When expire() is wanted; IW_NEVER: not unless something happens. Asked after each call above and below. */
    iw_time (*deadline)(const void *host);
    void (*expire)(void *host, iw_time now);
};

/* ---- what it tells ---- */

enum fabric_event_kind {
    FABRIC_ENQUEUED, /* a switch's queue took it, or its free port did */
    FABRIC_MARKED,   /* told before ENQUEUED */
    FABRIC_TRIMMED,  /* told before ENQUEUED or DROPPED; the packet as it was */
    FABRIC_DROPPED,  /* by a switch's queue */
    FABRIC_LOST,     /* by the channel, as the following four; told when it would have arrived */
    FABRIC_DELAYED,
    FABRIC_DUPLICATED,
    FABRIC_ALTERED,
    FABRIC_PAUSED, /* a pause frame stopped the link's sender */
    FABRIC_RESUMED,
    FABRIC_FAILED, /* the packet is lost, as its link is down, or none leads on; on a wire, told as LOST is */
    FABRIC_DOWN,   /* the link, as the following three */
    FABRIC_UP,     /* extra: how long it was down */
    FABRIC_RATE,   /* it has another one: fabric_link() */
    FABRIC_AVOIDED, /* its queue is lost, and routes avoid it */
    FABRIC_EVENTS
};
struct fabric_event {
    enum fabric_event_kind kind;
    iw_time at;
    uint32_t link;
    uint64_t waiting;               /* octets that waited in the link's queue before this packet */
    iw_time extra;                  /* DELAYED: by how much; RESUMED: how long it stood */
    const struct ip_packet *packet; /* NULL: PAUSED, RESUMED, and what happens to a link */
};

/* ---- what another network needs to be impaired alike ---- */

static const uint32_t FABRIC_NO_DATA = UINT32_MAX;
/* Where user data begins behind the IP header; FABRIC_NO_DATA: there is none. `packet_head`: as configured. */
uint32_t fabric_user_data(const struct ip_packet *packet, uint32_t packet_head);
/* Flips the bit that the entropy names, and the same bit where it is the other way round a multiple of 16 bits further:
 * TCP's checksum does not see it, CRC32c does (any two bits). `length` is not 0. */
void fabric_alter(uint8_t *octets, uint32_t length, uint64_t entropy);

struct fabric;
/* Both queues of a port, which trims: is it a header's turn? At least one of them has something; `in_a_row` is the port's, 0 at first. */
bool fabric_is_headers_turn(const struct fabric_conf *conf, bool headers, bool packets, uint32_t *in_a_row);
/* A switch has no room for a packet: does it take the place of the last that waits (trimming.coin)? That one must be of
 * IP_PROTOCOL_EXPERIMENT, too, and no smaller. */
bool fabric_coin(const struct fabric *f, uint32_t node, const struct ip_packet *packet);
/* Does random early detection (red.kmax) mark a packet for which so many octets wait? */
bool fabric_red_marks(const struct fabric *f, uint32_t node, const struct ip_packet *packet,
                      uint64_t waiting);
/* Shared memory of which so much is free: may a port for which `waiting` octets wait take so many more? */
bool fabric_fits_share(const struct fabric *f, uint64_t free, uint64_t waiting, uint32_t size);

/* ---- the world ---- */

/* One block for what is known at the start; 0 when the configuration is wrong. */
size_t fabric_size(const struct fabric_conf *conf);
/* In memory of that size, aligned as malloc does. NULL when the configuration is wrong, or a described network
 * is not connected or gives a host two lines. */
struct fabric *fabric_init(void *memory, const struct fabric_conf *conf);

/* All hosts are attached before the first fabric_run(); `table` must outlive the world. */
void fabric_attach(struct fabric *f, uint32_t host, const struct fabric_host *table, void *object);
/* Both ends of a connection; any order, at any time before its first packet. Direction 0 goes from `from` to `to`.
 * 0; -1: a number out of range, both ends the same, or the connection is known. */
int fabric_connect(struct fabric *f, uint32_t connection, uint32_t from, uint32_t to);
/* Something happened to the host outside of the world's calls: its port and its deadline are asked again. */
void fabric_kick(struct fabric *f, uint32_t host);
/* Workload timer: at that time (now, when it is past); IW_NEVER: not. Each has one time. */
void fabric_at(struct fabric *f, uint32_t timer, iw_time at);
/* Packets whose transmission on the last link starts now or later meet the channel. */
void fabric_impair(struct fabric *f);
void fabric_tap(struct fabric *f, uint32_t link, bool on);

enum fabric_end {
    FABRIC_UNTIL,    /* what was due is done; the clock stands at `until` */
    FABRIC_IDLE,     /* there are no events left; the clock stands at the last one */
    FABRIC_STOPPED,  /* fabric_stop() */
    FABRIC_DEADLOCK, /* paused links wait for each other for ever: fabric_deadlock() */
    FABRIC_MEMORY,   /* `more` gave none; the world cannot go on */
    FABRIC_MISTAKE, /* a host gave a packet that nobody can carry: fabric_mistake(); the world cannot go on */
};
/* All events up to and including `until`. Not from within a call of the world's. */
enum fabric_end fabric_run(struct fabric *f, iw_time until);
/* fabric_run() returns after the event under way. */
void fabric_stop(struct fabric *f);
/* The time of the event under way; between runs, of the last one, or what fabric_run() was asked to reach. */
iw_time fabric_now(const struct fabric *f);
/* Of the next event; IW_NEVER: none. */
iw_time fabric_deadline(struct fabric *f);
/* FABRIC_MISTAKE in words. */
const char *fabric_mistake(const struct fabric *f);

/* ---- on several cores ----
 *
 * A network can be cut into parts that run by themselves for a *window*. Within the smallest delay of any link no node hears of
 * what another one did; within two of them no host hears of what another host did, where switches are between. So in a window of
 * two delays the nodes of a part have their turns one after the other, hosts once and switches twice. fabric_run() of a cut
 * network is the same as before, event by event; in between, windows may be run ahead:
 *
 *     fabric_begin_ahead(f, end)
 *         fabric_ahead(f, i, FABRIC_SWITCHES)   for each part, on any thread: as far as the smallest delay, or to the end
 *         fabric_ahead(f, i, FABRIC_HOSTS)      for each part, when all are there: to the end
 *                                               fabric_halt() from within a host's call: it does nothing more in this window
 *     fabric_hear_ahead(f)
 *     fabric_run_before, fabric_resume          what hosts left undone, in the order of content among what the caller replays
 *     fabric_go_ahead(f)
 *         fabric_ahead(f, i, FABRIC_FOLLOW)     for each part: switches to the end
 *         fabric_ahead(f, i, FABRIC_SETTLE)     for each part, when all are there
 *     fabric_end_ahead(f)
 *
 * Law: a caller that lets a host stand still before it acts on that host gets the events of fabric_run(), and no others. */

/* Orders all events but those of one port at one time: `order` holds kind, node and port. */
struct fabric_key {
    iw_time at;
    uint32_t order;
};

/* The smallest delay of any link, 50 us at most. Where it is 0, there are no windows. */
iw_time fabric_lookahead(const struct fabric *f);
/* How long a window may be. */
iw_time fabric_window_max(const struct fabric *f);
/* How many parts there can be at most: pods, groups, switches of a file, the two hosts of a link. 1: it cannot be cut. */
uint32_t fabric_parts_max(const struct fabric *f);
/* Before anything happened; `user`: one for each part, for its calls of `more`, `event` and `tap`. -1: no memory, or the
 * network cannot be cut so. */
int fabric_cut(struct fabric *f, uint32_t parts, void *const *user);
uint32_t fabric_part_of(const struct fabric *f, uint32_t host);
/* Where a node is when the network is cut into so many parts. */
uint32_t fabric_part_among(const struct fabric *f, uint32_t node, uint32_t parts);
/* The earliest workload timer or watch; IW_NEVER: none. No window goes beyond it, and one that reaches it is no longer than
 * the smallest delay: all nodes are at that time then. */
iw_time fabric_next_of_all(struct fabric *f);
enum fabric_turns { FABRIC_SWITCHES, FABRIC_HOSTS, FABRIC_FOLLOW, FABRIC_SETTLE };
void fabric_begin_ahead(struct fabric *f, iw_time end);
void fabric_ahead(struct fabric *f, uint32_t part, enum fabric_turns turns);
void fabric_hear_ahead(struct fabric *f);
void fabric_go_ahead(struct fabric *f);
void fabric_end_ahead(struct fabric *f);
bool fabric_is_ahead(const struct fabric *f);
void fabric_halt(struct fabric *f, uint32_t host);
/* Of the event under way in a part. */
struct fabric_key fabric_key(const struct fabric *f, uint32_t part);
/* All events before `key`; as fabric_run(): FABRIC_UNTIL, or why it ended. */
enum fabric_end fabric_run_before(struct fabric *f, struct fabric_key key);
/* The end of the event `key`, in which this host was halted; FABRIC_HOST_NONE: of one that halted none. */
static const uint32_t FABRIC_NO_HOST = UINT32_MAX;
void fabric_resume(struct fabric *f, struct fabric_key key, uint32_t host);

/* ---- routes ---- */

static const uint32_t FABRIC_NO_LINK = UINT32_MAX;
/* The link on which `node` sends a packet to host `to` as links are now, FABRIC_NO_LINK: none leads there; choices are drawn by (seed, repeat, switch, connection,
 * direction) and what the routing adds: spray the packet's number, entropy its value, flow_hash nothing. Adaptive looks at
 * queues as they are now, and remembers the answer if it is sticky. */
uint32_t fabric_route(struct fabric *f, uint32_t node, uint32_t to, const struct ip_packet *packet);
/* Could links that pause each other ever wait in a circle on these routes? The number of links in one such circle, the
 * first `max` of them in `links`; 0: none. Asks every route; needs PFC. */
uint32_t fabric_cycle(struct fabric *f, uint32_t *links, uint32_t max);
/* The links that wait for each other, after FABRIC_DEADLOCK; 0: none do. */
uint32_t fabric_deadlock(struct fabric *f, uint32_t *links, uint32_t max);

/* ---- links that change, for another network that has the same ---- */

/* Of the next change, be it listed, drawn, or due since a link failed; IW_NEVER: none comes. */
iw_time fabric_next_change(const struct fabric *f);
/* Takes one that is due at `now`: routes are as it says. DOWN, UP, RATE, AVOIDED: what it was, of `link`; FABRIC_EVENTS: no more are
 * due. For a network in which nothing runs. */
enum fabric_event_kind fabric_take_change(struct fabric *f, iw_time now, uint32_t *link);

/* ---- what there is, and what happened ---- */

enum fabric_tier {
    FABRIC_HOST,
    FABRIC_SWITCH,
    FABRIC_EDGE,
    FABRIC_AGGREGATION,
    FABRIC_CORE,
    FABRIC_ROUTER,
    FABRIC_LEAF,
    FABRIC_SPINE,
    FABRIC_TIERS
};
struct fabric_node {
    enum fabric_tier tier;
    uint32_t index; /* within its tier */
    uint32_t group; /* of what is not cut asunder: a host goes with its switch */
    uint32_t first_link, links;
    uint32_t plane; /* of a leaf or a spine */
};
uint32_t fabric_hosts(const struct fabric *f);
uint32_t fabric_nodes(const struct fabric *f);
uint32_t fabric_host_links(const struct fabric *f); /* the first links of all */
struct fabric_node fabric_node(const struct fabric *f, uint32_t node);

enum { FABRIC_WHOLE = 1 << 16 };
struct fabric_link {
    uint32_t from, from_port, to, to_port;
    uint32_t reverse; /* the link the other way: fabric_link(f, host).reverse is the last one before a host */
    uint64_t rate;
    iw_time delay;
    uint32_t share; /* of its queue, and its marks: of FABRIC_WHOLE, never 0 (slow_shrinks) */
};
uint32_t fabric_links(const struct fabric *f);
struct fabric_link fabric_link(const struct fabric *f, uint32_t link);

struct fabric_link_stats {
    uint64_t packets, octets; /* IP octets; whose first bit has left */
    uint64_t drops, marks, trims, lost;
    uint64_t failed;     /* lost because the link was down */
    uint64_t queue_peak; /* octets */
    double queue_mean;   /* octets, over the time from 0 to fabric_now() */
    uint64_t pauses;     /* of this link's sender */
    iw_time paused;
    uint64_t ingress_peak; /* PFC: octets that came by this link and waited in its switch */
};
struct fabric_link_stats fabric_link_stats(const struct fabric *f, uint32_t link);

/* The same in a moment, of a network in one piece: what is cheap to ask for again and again. */
struct fabric_link_now {
    uint64_t octets;  /* as above */
    uint64_t waiting; /* octets in the queue */
    uint64_t pauses;
    bool paused;
};
struct fabric_link_now fabric_link_now(struct fabric *f, uint32_t link);
/* Packets in the queue: they are counted. */
uint64_t fabric_link_queue(struct fabric *f, uint32_t link);

struct fabric_counts {
    uint64_t sent, delivered, dropped, lost, failed, duplicated, in_flight;
    uint64_t marked, trimmed, altered, delayed, pauses;
    uint64_t rerouted; /* packets that a switch sent another way than their own */
    uint64_t hops;     /* packets on links: host to host through one switch is two */
    uint64_t events;
};
struct fabric_counts fabric_counts(const struct fabric *f);
/* Its `events` alone: looks at no link. */
uint64_t fabric_happened(const struct fabric *f);

#ifdef __cplusplus
}
#endif
#endif
