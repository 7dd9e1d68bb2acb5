/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.h -- what a network is: its topology, its links and its switches, and what a user can set of them.
 *
 * A topology is a row of FABRIC_TOPOLOGY_TABLE and a file topology_NAME.c, which defines its struct fabric_topology; nobody else
 * asks which one a network has.
 */
#ifndef IW_FABRIC_CONF_H
#define IW_FABRIC_CONF_H

#include "channel/channel.h"
#include "engine/iw.h"
#include "parameter.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- topologies ---- */

/* The value, fabric_topology_NAME, and the word for it below `topology.kind`. */
#define FABRIC_TOPOLOGY_TABLE(X)         \
    X(LINK, link, "link")                \
    X(STAR, star, "star")                \
    X(FAT_TREE, fat_tree, "fat_tree")    \
    X(CLUSTER, star, "cluster")          \
    X(DRAGONFLY, dragonfly, "dragonfly") \
    X(PLANES, planes, "planes")          \
    X(FILE, file, "file")                \
    X(PLATFORM, platform, "platform")
/* Those that are as large as `topology.hosts` says. */
#define FABRIC_OF_HOSTS "star cluster planes"

#define FABRIC_KIND(value, name, word)        FABRIC_##value,
#define FABRIC_TOPOLOGY_IS(value, name, word) extern const struct fabric_topology fabric_topology_##name;
enum fabric_kind { FABRIC_TOPOLOGY_TABLE(FABRIC_KIND) FABRIC_KINDS };

/* Links by what they join: hosts to switches; switches of hosts to others; those to others still. */
#define FABRIC_OF_CORES  "fat_tree dragonfly"      /* those that have all */
#define FABRIC_OF_LEVELS FABRIC_OF_CORES " planes" /* those that have more than the first */
enum fabric_level { FABRIC_OF_HOST, FABRIC_OF_LEAF, FABRIC_OF_CORE, FABRIC_LEVELS };
struct fabric_pace {
    uint64_t rate; /* bits per second */
    iw_time delay;
};

/* How large everything is. */
struct fabric_extent {
    uint32_t hosts, switches, ports, lines;
    uint32_t host_ports; /* of each host, among those, or the most of any; 0: one */
    uint32_t host_links; /* of all hosts; 0: each has as many */
};

struct fabric;
struct fabric_conf;
struct fabric_node;
struct fabric_topology {
    uint32_t farthest;   /* links of the longest path; 0: as many as from host 0 to the last */
    bool described : 1;  /* each of its lines is given: fabric_conf.file */
    bool of_flows : 1;   /* SimGrid's: no packet travels there */
    bool in_circles : 1; /* its routes may lead round in a circle */
    bool of_planes : 1;  /* what leaves by a port of a host comes by the same port of another */
    struct fabric_extent (*extent)(const struct fabric_conf *conf);
    /* NULL from here on: as said. What is wrong with a configuration, as fabric_network_error(); nothing is. */
    const char *(*error)(const struct fabric_conf *conf, const char **keys);
    /* Links between two hosts, or the fewest there may be; `farthest`. */
    uint32_t (*hops)(const struct fabric_conf *conf, uint32_t a, uint32_t b);
    /* The level of the i-th of so many links between two hosts; FABRIC_LEVELS: the better of leaf and core. All are as
     * those of hosts. */
    enum fabric_level (*level)(uint32_t hops, uint32_t i);
    /* What is made of what the keys say of a level; nothing. */
    struct fabric_pace (*pace)(const struct fabric_conf *conf, enum fabric_level level,
                               struct fabric_pace said);
    /* In a world whose memory is as the extent says. False: it is not connected, or a host has two lines. */
    bool (*build)(struct fabric *f);
    /* How many links lead on from a switch to a host, and the i-th of them; nobody asks. */
    uint32_t (*ways)(const struct fabric *f, uint32_t node, uint32_t to);
    uint32_t (*way)(const struct fabric *f, uint32_t node, uint32_t to, uint32_t i);
    /* The tier of switch i, its number there, and its group; a switch like all others, and a group of its own. */
    struct fabric_node (*place)(const struct fabric_conf *conf, uint32_t i);
};
FABRIC_TOPOLOGY_TABLE(FABRIC_TOPOLOGY_IS)
extern const struct fabric_topology *const fabric_topologies[FABRIC_KINDS];
const struct fabric_topology *fabric_topology_of(const struct fabric_conf *conf);
uint32_t fabric_switches_of(const struct fabric_conf *conf);
/* Of each host, or the most of any; of this one. */
uint32_t fabric_ports_of(const struct fabric_conf *conf);
uint32_t fabric_ports_at(const struct fabric_conf *conf, uint32_t host);
/* As the row says, or what it says where it leaves them out. */
uint32_t fabric_hops(const struct fabric_conf *conf, uint32_t a, uint32_t b);
uint32_t fabric_farthest(const struct fabric_conf *conf);
/* Of links of a level: where its keys say nothing, as of those of hosts. */
struct fabric_pace fabric_pace(const struct fabric_conf *conf, enum fabric_level level);
/* Of the i-th of so many links between two hosts. */
struct fabric_pace fabric_along(const struct fabric_conf *conf, uint32_t hops, uint32_t i);

/* Define one. What is in no table above does not compile. */
#define FABRIC_TOPOLOGY(name)                                                                      \
    _Static_assert(sizeof fabric_topology_##name == sizeof(struct fabric_topology), "a topology"); \
    const struct fabric_topology fabric_topology_##name

/* ---- routing: which of several equal paths a packet takes ---- */

/* The value, its word below `topology.routing`, and: may packets of one flow take several paths? */
#define FABRIC_ROUTING_TABLE(X)      \
    X(FLOW_HASH, "flow_hash", false) \
    X(ENTROPY, "entropy", true)      \
    X(SPRAY, "spray", true)          \
    X(ADAPTIVE, "adaptive", true)

#define FABRIC_ROUTING_VALUE(value, word, several) FABRIC_##value,
enum fabric_routing { FABRIC_ROUTING_TABLE(FABRIC_ROUTING_VALUE) FABRIC_ROUTINGS };
/* Packets of a flow may overtake each other on their paths. */
bool fabric_overtakes(const struct fabric_conf *conf);

/* ---- configuration ---- */

/* A line of a described topology: two links, one each way. Nodes: hosts from 0, then switches. */
struct fabric_line {
    uint32_t a, b;
    uint64_t rate; /* bits per second */
    iw_time delay;
};

/* What happens to a link, or one direction of a line: it stops or starts to carry packets, or has another rate from its next packet
 * on. */
enum fabric_change_kind { FABRIC_GOES_DOWN, FABRIC_GOES_UP, FABRIC_GETS_RATE };
struct fabric_change {
    iw_time at;
    uint32_t link;
    enum fabric_change_kind kind;
    uint64_t rate; /* bits per second */
};

static const uint64_t FABRIC_NOT_STICKY = UINT64_MAX;

enum { FABRIC_PORTS_MAX = 8 }; /* of a host */
/* Framing: header 14, check sequence 4, preamble 8, gap 12; protocol; nothing, as in simulators that count IP packets alone. */
enum { FABRIC_ETHERNET = 38, FABRIC_PPP = 2, FABRIC_BARE = 0 };
enum { FABRIC_PAUSE = 84 }; /* octets of a pause frame on the wire: 64, preamble, gap */

/* What a link has still to send: octets that wait, and how long the packet on the wire still takes. */
struct fabric_backlog {
    uint64_t waiting;
    iw_time busy;
};

struct fabric_event;
struct ip_packet;
typedef void fabric_listener(void *user, const struct fabric_event *e);

enum { FABRIC_TRIM_SHARE = 10 }; /* in a row, as in NDP's switches */
#define FABRIC_TRIM_STRICT UINT32_MAX

enum fabric_side { FABRIC_LEAVES, FABRIC_ARRIVES };
/* A tapped link carries a packet: `at` the start of its first bit (LEAVES; may be told ahead of time, in order) or the
 * end of its last (ARRIVES; after the impairments). The times of one side of one link never go back. */
typedef void fabric_tapper(void *user, uint32_t link, enum fabric_side side, iw_time at,
                           const struct ip_packet *packet);

static const uint32_t FABRIC_ANY = UINT32_MAX; /* connection */

struct fabric_conf {
    enum fabric_kind kind;
    uint32_t hosts; /* star, cluster, planes */
    uint32_t ports; /* of each host of a star, cluster or fat tree; 0: one */
    struct {
        uint32_t k;              /* ports of a switch, even, 2 .. 64: k^3/4 hosts (Al-Fares 2008) */
        double oversubscription; /* links above the edge run at rate / this; 1 or more */
    } fat_tree;
    struct {
        uint32_t count; /* networks, each with a port of each host, 1 .. FABRIC_PORTS_MAX */
        uint32_t
            radix; /* ports of a switch, even: of one for all hosts; else half of them go up from each leaf */
    } planes;
    struct {
        uint32_t groups, routers; /* routers of a group, all joined */
        uint32_t hosts,
            globals; /* of a router; routers x globals is a multiple of groups - 1 (Kim 2008); 0: the fewest
                                   * that are */
    } dragonfly;
    struct {
        uint32_t hosts, switches, lines; /* connected; shortest paths count hops */
        uint32_t ports;                  /* of each host, each on a line, or the most of any; 0: one */
        const uint8_t *own_ports;       /* by host, where they differ; borrowed likewise; NULL: they do not */
        const struct fabric_line *line; /* borrowed until fabric_init() returns */
    } file;

    uint64_t rate; /* bits per second; not of a file */
    iw_time delay; /* one way, of each link; not of a file */
    struct {
        uint64_t leaf, core; /* of that level; 0: rate */
    } rates;
    struct {
        iw_time leaf, core; /* 0: delay */
    } delays;
    uint32_t mtu;     /* IP octets: larger packets are a host's mistake */
    uint32_t framing; /* octets around each IP packet on the wire */
    enum fabric_routing routing;
    struct {
        uint64_t quantum; /* what ports have still to send counts in steps of so many octets; 1 or more */
        uint64_t sticky;  /* a flow stays where no more than so many octets more are to be sent than at the
                           * shortest; FABRIC_NOT_STICKY: each packet takes the shortest */
    } adaptive;

    uint64_t buffer;        /* octets of each output port, at most 2^31 */
    bool shared;            /* the ports of a switch share what they have together, and a port may hold */
    double alpha;           /* alpha x what is free of it (Choudhury and Hahne 1998); above 0, at most 64 */
    uint64_t ecn_threshold; /* 0: off */
    struct {
        uint64_t kmin, kmax; /* marked never below, always from here on; kmax 0: off, else no ecn_threshold */
        double pmax;         /* just below kmax */
    } red;
    struct {
        bool at_dequeue;  /* what decides is the queue that a packet leaves behind as its first bit leaves */
        bool spares_last; /* ports to hosts mark nothing */
    } ecn;
    struct {
        bool on;
        uint64_t xoff; /* octets that came by one port and wait from which its sender is paused; above 0 */
        uint64_t xon;  /* and down to which it is resumed; below xoff */
        uint64_t
            headroom; /* octets above xoff: fabric_headroom() or more; 0: that; xoff + headroom <= buffer */
    } pfc;            /* not with shared: no switch drops, and memory is what arrives by each port */
    /* A packet of IP_PROTOCOL_EXPERIMENT without room goes on as so many octets, IP's header included, in a queue of its own
     * that goes first, with packets that are no larger, but for a packet behind `share` of them while some wait; else it is dropped. */
    bool trim;
    struct {
        bool coin; /* a drawn half of them takes the place of the last that waits, which is trimmed instead */
        uint64_t headers; /* octets of that queue; 0: as many as `buffer` */
        uint32_t share;   /* so many headers for a packet; 0: FABRIC_TRIM_SHARE */
    } trimming;
    uint32_t trimmed;
    uint32_t packet_head; /* octets of its transport's header, of which trimming leaves all; data has more */

    const struct fabric_change *change; /* by time; borrowed until fabric_init() returns */
    uint32_t changes;
    bool
        slow_shrinks; /* a link below the rate that it was built with has as much less of buffer, headers and marks; not shared */
    struct {
        iw_time mtbf,
            mttr; /* of each line, both ways at once: mean time up, and down; mtbf 0: lines do not fail */
    } failures;
    iw_time
        reroute_after; /* from a link's failure: its queue is lost, and routes avoid it; IW_NEVER: they do not */

    struct channel_conf channel; /* on the last link before each host, from fabric_impair() on */
    bool data, acks;             /* which packets meet it: with user data, without */

    uint64_t seed;
    uint32_t repeat;
    uint32_t connections; /* numbered from 0, at most 2^31 */
    uint32_t timers;      /* of the workload, numbered from 0 */

    void *user; /* of the calls below */
    /* Memory for packets, aligned as malloc does, kept for good; NULL ends the run. */
    void *(*more)(void *user, size_t octets);
    void (*timer)(void *user, iw_time now, uint32_t timer);
    /* A packet will reach the host soon, of that connection or of FABRIC_ANY: it may ask for its memory. NULL: of no interest. */
    void (*expect)(void *user, uint32_t host, uint32_t connection);
    /* Adaptive routing by other queues than this world's; NULL: its own. */
    struct fabric_backlog (*backlog)(void *user, uint32_t link);
    fabric_listener *event; /* NULL: nothing is told and nothing is spent */
    fabric_tapper *tap;
};

/* NULL, or what is wrong with a network, whatever runs on it; `keys`: those at fault. */
const char *fabric_network_error(const struct fabric_conf *conf, const char **keys);
/* NULL, or what is wrong with it in words. */
const char *fabric_conf_error(const struct fabric_conf *conf);
/* Octets above xoff that a lossless queue needs for one line. */
uint64_t fabric_headroom(uint64_t rate, iw_time delay, uint32_t mtu, uint32_t framing);
uint64_t fabric_headroom_of(const struct fabric_conf *conf); /* what every line has enough of */
/* floor(8e12 x octets / rate) ps; octets at most 2^21. */
iw_time fabric_serialization(uint32_t octets, uint64_t rate);

extern const struct parameter_table fabric_parameters; /* of struct fabric_conf: `topology.` */

#ifdef __cplusplus
}
#endif
#endif
