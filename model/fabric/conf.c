/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.c -- what a user can set below `topology.`, the table of struct fabric_conf; and what cannot be built, and why. */
#include "fabric/fabric_inner.h"
#include "parameter_rows.h"

enum { MTU_MAX = 65535, CHANGES_MAX = 1 << 20 };
static const uint64_t BUFFER_MAX = UINT64_C(1) << 31, RATE_MAX = UINT64_C(100000000000000);
#define RATE_OF_KEYS (3200 * 1000 * MBPS)
static const iw_time DELAY_MAX = UINT64_C(100000000000000); /* 100 s */

/* ---- the table ---- */

#define WORD(value, name, word) word,
static const char *const topologies[] = {FABRIC_TOPOLOGY_TABLE(WORD)};
#define ROUTING_WORD(value, word, several) word,
static const char *const routings[] = {FABRIC_ROUTING_TABLE(ROUTING_WORD)};
static const char *const sharings[] = {[false] = "port", [true] = "shared"};
static const char *const flow_controls[] = {[false] = "none", [true] = "pfc"};
static const char *const framings[] = {
    [FABRIC_BARE] = "none", [FABRIC_PPP] = "ppp", [FABRIC_ETHERNET] = "ethernet"};
static const char *const marked_at[] = {[false] = "enqueue", [true] = "dequeue"};
static const char *const last_hops[] = {[false] = "mark", [true] = "spare"};
static const char *const slow_queues[] = {[false] = "whole", [true] = "scaled"};
static const char *const trimmed_from[] = {[false] = "arrival", [true] = "coin"};

#define PARAMETER_OF struct fabric_conf

/* clang-format off */
static const struct parameter rows[] = {
    CHOICE("kind", kind, topologies, FABRIC_LINK, "link: two hosts. star: hosts around one switch. fat_tree: k*k*k/4 hosts, three levels of switches. cluster: a star of any size. dragonfly: groups of routers, each router linked to all others of its group, each group to all others. planes: several networks, each with a port of each host, of one switch or two tiers of switches. file: as topology.file describes it. platform: a platform file of SimGrid."),
    COUNT("hosts", hosts, 2, 131072, 2, "Hosts of a star, a cluster or planes.", .counts = "hosts", .with = "topology.kind", .is = FABRIC_OF_HOSTS, .label = "Hosts"),
    COUNT("ports", ports, 1, FABRIC_PORTS_MAX, 1, "Ports of each host of a star or fat tree, each with a link of its own to the host's switch. TCP, SCTP and go_back_n keep a connection on one port, drawn for each direction; irn and rud deal packets to the ports that are free. With llp.paths each value is one port's, and acknowledgements leave by the port by which their data came.", .counts = "ports of a host", .acts = "every host", .with = "topology.kind", .is = "star cluster fat_tree", .label = "Ports of a host"),
    COUNT("planes", planes.count, 1, FABRIC_PORTS_MAX, 2, "Planes: networks that share nothing but hosts, which have a port in each. What leaves by a port comes by the same port of another host. TCP, SCTP and go_back_n keep a connection in one plane, drawn for it; irn and rud deal packets to all, as topology.ports has it.", .counts = "planes", .acts = "every host", .with = "topology.kind", .is = "planes", .label = "Planes"),
    COUNT("radix", planes.radix, 2, 1024, 64, "Ports of each switch of a plane; even. So many hosts are on one switch in each plane; more have two tiers, half of a leaf's ports down and half up, for at most radix*radix/2 hosts.", .counts = "ports", .with = "topology.kind", .is = "planes", .label = "Ports of a switch"),
    COUNT("groups", dragonfly.groups, 1, 1024, 2, "Groups of a dragonfly.", .counts = "groups", .with = "topology.kind", .is = "dragonfly"),
    COUNT("routers", dragonfly.routers, 1, 1024, 2, "Routers of each group of a dragonfly.", .counts = "routers", .with = "topology.kind", .is = "dragonfly"),
    COUNT("nodes", dragonfly.hosts, 1, 1024, 2, "Hosts of each router of a dragonfly.", .counts = "hosts", .with = "topology.kind", .is = "dragonfly"),
    COUNT("k", fat_tree.k, 2, 64, 4, "Ports of each switch of a fat tree; even.", .counts = "ports", .with = "topology.kind", .is = "fat_tree", .label = "Ports of a switch"),
    CHOICE("routing", routing, routings, FABRIC_FLOW_HASH, "Which of several equal paths a packet takes. flow_hash: one per connection and direction. entropy: the same hash with the value that the packet's sender put in it, so that each value is a path. spray: one drawn for each packet. adaptive: the one whose port has the fewest octets still to send.", .acts = "every switch", .with = "topology.kind", .is = "fat_tree dragonfly file " FABRIC_OF_HOSTS, .label = "Routing"),
    OCTETS("adaptive.quantum", adaptive.quantum, 1, GIB, 1, "Octets still to send are compared in steps of so many; among equals one is drawn for each packet.", .counts = "octets that wait, and those of the packet on the wire, with its framing", .acts = "every switch", .with = "topology.routing", .is = "adaptive"),
    OCTETS("adaptive.sticky", adaptive.sticky, 0, GIB, UINT64_MAX, "A flow stays on the path of its last packet where no more than so many octets more are to be sent than on the shortest.", .counts = "octets, in steps of topology.adaptive.quantum", .acts = "every switch", .with = "topology.routing", .is = "adaptive", .word = "off", .means = UINT64_MAX),
    REAL("oversubscription", fat_tree.oversubscription, 1000, 64000, 1000, "Links between switches run at the rate divided by this.", .acts = "links above the edge", .with = "topology.kind", .is = "fat_tree", .label = "Oversubscription"),
    RATE("rate", rate, MBPS, RATE_OF_KEYS, 100 * 1000 * MBPS, "Rate of a link; with topology.file, of each link whose rate the file leaves out.", .counts = "bits on the wire, framing included", .acts = "every link, each direction", .label = "Link rate"),
    TIME("delay", delay, 0, S, US, "Propagation delay of a link, one way; a path over one switch has two. With topology.file: of each link whose delay the file leaves out.", .acts = "every link", .label = "Link delay"),
    RATE("rates.leaf", rates.leaf, MBPS, RATE_OF_KEYS, 0, "Rate of the links from the switches of hosts to other switches: from edge to aggregation in a fat tree, within a group in a dragonfly, from leaf to spine in planes; auto: topology.rate, in a fat tree divided by topology.oversubscription.", .counts = "bits on the wire, framing included", .acts = "those links, each direction", .with = "topology.kind", .is = FABRIC_OF_LEVELS, .word = "auto"),
    RATE("rates.core", rates.core, MBPS, RATE_OF_KEYS, 0, "Rate of the links beyond those: from aggregation to core in a fat tree, between groups in a dragonfly; auto: likewise.", .counts = "bits on the wire, framing included", .acts = "those links, each direction", .with = "topology.kind", .is = FABRIC_OF_CORES, .word = "auto"),
    TIME("delays.leaf", delays.leaf, 1, S, 0, "Propagation delay of the links from the switches of hosts to other switches; auto: topology.delay.", .acts = "those links", .with = "topology.kind", .is = FABRIC_OF_LEVELS, .word = "auto"),
    TIME("delays.core", delays.core, 1, S, 0, "Propagation delay of the links beyond those; auto: topology.delay.", .acts = "those links", .with = "topology.kind", .is = FABRIC_OF_CORES, .word = "auto"),
    OCTETS("mtu", mtu, 256, 65535, 1500, "Largest IP packet.", .counts = "octets of the IP packet, headers included", .acts = "every link", .bare = true, .label = "MTU"),
    OCTETS("buffer", buffer, 16 * KIB, GIB, MIB, "Size of an output queue; a packet that finds it full is dropped.", .counts = "octets of packets", .acts = "each port of each switch", .label = "Switch buffer"),
    OCTETS("ecn_threshold", ecn_threshold, 1, GIB, 0, "Queue length at and above which packets are marked Congestion Experienced.", .counts = "octets of packets", .acts = "each port of each switch", .word = "never", .label = "ECN threshold"),
    OCTETS("ecn.kmin", red.kmin, 1, GIB, 0, "Instead of topology.ecn_threshold: above this queue length packets are marked with a probability that rises to pmax at kmax.", .counts = "octets of waiting packets", .acts = "each port of each switch", .word = "never"),
    OCTETS("ecn.kmax", red.kmax, 1, GIB, 0, "Queue length at and above which every packet is marked.", .counts = "octets of waiting packets", .acts = "each port of each switch", .word = "never"),
    REAL("ecn.pmax", red.pmax, 0, 1000, 1000, "Probability of a mark just below topology.ecn.kmax.", .acts = "each port of each switch"),
    CHOICE("ecn.at", ecn.at_dequeue, marked_at, false, "Which queue decides on a mark. enqueue: the one that a packet finds. dequeue: the one that it leaves behind as its first bit leaves.", .acts = "each port of each switch"),
    CHOICE("ecn.last_hop", ecn.spares_last, last_hops, false, "mark: ports to hosts mark as all others do. spare: they mark nothing, as where receivers give credit for that link.", .acts = "each port of a switch to a host"),
    CHOICE("buffer_sharing", shared, sharings, false, "port: each output queue has topology.buffer for itself; shared: the queues of a switch share the sum.", .acts = "every switch"),
    REAL("buffer_alpha", alpha, 1, 64000, 1000, "A queue may hold this many times the free part of the shared buffer (dynamic threshold).", .acts = "every switch", .with = "topology.buffer_sharing", .is = "shared"),
    CHOICE("flow_control", pfc.on, flow_controls, false, "pfc: a switch pauses a link that brings too many octets, and drops nothing (IEEE 802.1Qbb).", .acts = "every link of a switch"),
    SWITCH("trim", trim, false, "A packet of llp.kind packet that finds an output queue full is trimmed to its header. Headers and answers wait in a queue of their own (topology.trim.headers), which goes first but for topology.trim.share; the receiver answers a header that comes alone with a NAK of its packet, which is retransmitted at once (NDP, UET).", .acts = "each port of each switch", .with = "llp.kind", .is = "packet"),
    CHOICE("trim.from", trimming.coin, trimmed_from, false, "arrival: the packet that finds no room is trimmed. coin: in half of the cases, drawn, it takes the place of the last that waits, unless that is shorter, and that one is trimmed.", .acts = "each port of each switch", .with = "topology.trim", .is = "true"),
    OCTETS("trim.headers", trimming.headers, 64, GIB, 0, "Size of the queue of headers and answers; one that finds it full is dropped. auto: as topology.buffer.", .counts = "octets of packets", .acts = "each port of each switch", .with = "topology.trim", .is = "true", .word = "auto"),
    COUNT("trim.share", trimming.share, 1, 1000000, FABRIC_TRIM_SHARE, "While headers and packets wait, a packet leaves behind so many headers in a row; strict: behind all of them.", .counts = "headers", .acts = "each port of each switch", .with = "topology.trim", .is = "true", .word = "strict", .means = FABRIC_TRIM_STRICT),
    OCTETS("pfc.xoff", pfc.xoff, KIB, GIB, 256 * KIB, "Waiting octets that came by one link, at and above which the switch pauses it.", .counts = "octets of packets", .acts = "each port of each switch", .with = "topology.flow_control", .is = "pfc"),
    OCTETS("pfc.xon", pfc.xon, 1, GIB, 128 * KIB, "Waiting octets that came by one link, at and below which the switch resumes it.", .counts = "octets of packets", .acts = "each port of each switch", .with = "topology.flow_control", .is = "pfc"),
    OCTETS("pfc.headroom", pfc.headroom, KIB, GIB, 0, "Room above xoff for the octets in flight when a pause is sent; auto: what the link needs.", .counts = "octets of packets", .acts = "each port of each switch", .with = "topology.flow_control", .is = "pfc", .word = "auto"),
    TIME("failures.mtbf", failures.mtbf, US, 1000000 * S, 0, "Each line fails, both ways at once, after times up with this mean, drawn from an exponential distribution by (seed, repeat, line).", .acts = "every line", .word = "never", .label = "Mean time between failures"),
    TIME("failures.mttr", failures.mttr, NS, 1000000 * S, MS, "And it is down for times with this mean.", .acts = "every line", .with = "topology.failures.mtbf", .label = "Mean time to repair"),
    TIME("reroute_after", reroute_after, 0, 1000000 * S, IW_NEVER, "A link that has been down for so long is avoided by routes until it is up, and what waits for it is lost. never: packets wait for it, or are dropped where the queue is full.", .acts = "every link of a switch", .word = "never", .means = IW_NEVER, .label = "Time until routes change"),
    CHOICE("slow_queues", slow_shrinks, slow_queues, false, "What a link below its own rate (topology.events, topology.degrade) has of topology.buffer, topology.trim.headers and the lengths at which packets are marked. whole: all of it. scaled: as much as of its rate.", .acts = "each port of each switch", .label = "Queues of slow links"),
    COUNT("globals", dragonfly.globals, 1, 1024, 0, "Global links of each router of a dragonfly; auto: the fewest that link all groups evenly.", .counts = "links", .with = "topology.kind", .is = "dragonfly", .word = "auto"),
    CHOICE("framing", framing, framings, FABRIC_ETHERNET, "Octets on the wire in addition to the IP packet: Ethernet 38 (header, FCS, preamble, gap), PPP 2, none 0, as simulators count that know packets only.", .acts = "every link"),
};
/* clang-format on */
const struct parameter_table fabric_parameters = TABLE("topology", NULL, rows);

/* ---- topologies ---- */

#define TOPOLOGY(value, name, word) &fabric_topology_##name,
const struct fabric_topology *const fabric_topologies[] = {FABRIC_TOPOLOGY_TABLE(TOPOLOGY)};

const struct fabric_topology *fabric_topology_of(const struct fabric_conf *c)
{
    return fabric_topologies[c->kind];
}

uint32_t fabric_switches_of(const struct fabric_conf *c)
{
    return fabric_topology_of(c)->extent(c).switches;
}

uint32_t fabric_ports_of(const struct fabric_conf *c)
{
    uint32_t ports = fabric_topology_of(c)->extent(c).host_ports;
    return ports ? ports : 1;
}

uint32_t fabric_ports_at(const struct fabric_conf *c, uint32_t host)
{
    const uint8_t *own = fabric_topology_of(c)->described ? c->file.own_ports : NULL;
    return own ? own[host] : fabric_ports_of(c);
}

uint32_t fabric_hops(const struct fabric_conf *c, uint32_t a, uint32_t b)
{
    const struct fabric_topology *t = fabric_topology_of(c);
    return t->hops ? t->hops(c, a, b) : t->farthest;
}

uint32_t fabric_farthest(const struct fabric_conf *c)
{
    const struct fabric_topology *t = fabric_topology_of(c);
    return t->farthest ? t->farthest : t->hops(c, 0, t->extent(c).hosts - 1);
}

static struct fabric_pace said(const struct fabric_conf *c, enum fabric_level level)
{
    const uint64_t rate[FABRIC_LEVELS] = {c->rate, c->rates.leaf, c->rates.core};
    const iw_time delay[FABRIC_LEVELS] = {c->delay, c->delays.leaf, c->delays.core};
    return (struct fabric_pace){rate[level] ? rate[level] : c->rate, delay[level] ? delay[level] : c->delay};
}

struct fabric_pace fabric_pace(const struct fabric_conf *c, enum fabric_level level)
{
    const struct fabric_topology *t = fabric_topology_of(c);
    struct fabric_pace p = said(c, t->level ? level : FABRIC_OF_HOST);
    return t->pace ? t->pace(c, level, p) : p;
}

static struct fabric_pace better(struct fabric_pace a, struct fabric_pace b)
{
    return (struct fabric_pace){a.rate > b.rate ? a.rate : b.rate, a.delay < b.delay ? a.delay : b.delay};
}

struct fabric_pace fabric_along(const struct fabric_conf *c, uint32_t hops, uint32_t i)
{
    const struct fabric_topology *t = fabric_topology_of(c);
    enum fabric_level level = t->level && i && i + 1 < hops ? t->level(hops, i) : FABRIC_OF_HOST;
    return level < FABRIC_LEVELS ? fabric_pace(c, level)
                                 : better(fabric_pace(c, FABRIC_OF_LEAF), fabric_pace(c, FABRIC_OF_CORE));
}

#define SEVERAL(value, word, several) [FABRIC_##value] = several,
static const bool several_paths[] = {FABRIC_ROUTING_TABLE(SEVERAL)};

bool fabric_overtakes(const struct fabric_conf *c)
{
    return several_paths[c->routing];
}

static const char *fault(const char **keys, const char *at_fault, const char *what)
{
    *keys = at_fault;
    return what;
}

static const char *line_error(uint64_t rate, iw_time delay)
{
    if (!rate || rate > RATE_MAX)
        return "a rate must be 1 bit per second to 100 Tbps";
    return delay > DELAY_MAX ? "a delay must be at most 100 s" : NULL;
}

static const char *lines_error(const struct fabric_conf *c)
{
    const char *wrong = NULL;
    for (int l = FABRIC_OF_HOST; l < FABRIC_LEVELS && !fabric_topology_of(c)->described && !wrong; l++) {
        struct fabric_pace pace = fabric_pace(c, (enum fabric_level)l);
        wrong = line_error(pace.rate, pace.delay);
    }
    if (!fabric_topology_of(c)->described)
        return wrong;
    for (uint32_t i = 0; i < c->file.lines && !wrong; i++)
        wrong = line_error(c->file.line[i].rate, c->file.line[i].delay);
    return wrong;
}

static const char *topology_error(const struct fabric_conf *c, const char **keys)
{
    *keys = "topology.kind";
    if ((unsigned)c->kind >= FABRIC_KINDS)
        return "no such topology exists";
    const struct fabric_topology *t = fabric_topology_of(c);
    const char *wrong = t->error ? t->error(c, keys) : NULL;
    return wrong ? wrong : lines_error(c);
}

/* ---- queues ---- */

iw_time fabric_serialization(uint32_t octets, uint64_t rate)
{
    return octets * UINT64_C(8000000000000) / rate;
}

uint64_t fabric_headroom(uint64_t rate, iw_time delay, uint32_t mtu, uint32_t framing)
{
    double window = 2 * (double)delay + (double)fabric_serialization(FABRIC_PAUSE, rate);
    uint64_t on_the_way = (uint64_t)(window * (double)rate / 8e12) + 1;
    return on_the_way + 2 * ((uint64_t)mtu + framing) +
           mtu; /* one cut by either end of the window, one above xoff */
}

static void need(uint64_t *most, const struct fabric_conf *c, uint64_t rate, iw_time delay)
{
    uint64_t needed = fabric_headroom(rate, delay, c->mtu, c->framing);
    *most = needed > *most ? needed : *most;
}

uint64_t fabric_headroom_of(const struct fabric_conf *c)
{
    uint64_t most = 0;
    bool described = fabric_topology_of(c)->described;
    for (uint32_t i = 0; described && i < c->file.lines; i++)
        need(&most, c, c->file.line[i].rate, c->file.line[i].delay);
    for (int l = FABRIC_OF_HOST; l < FABRIC_LEVELS && !described; l++) {
        struct fabric_pace pace = fabric_pace(c, (enum fabric_level)l);
        need(&most, c, pace.rate, pace.delay);
    }
    return most;
}

static const char *pfc_error(const struct fabric_conf *c, const char **keys)
{
    uint64_t needed = fabric_headroom_of(c), headroom = c->pfc.headroom ? c->pfc.headroom : needed;
    if (c->pfc.xon >= c->pfc.xoff)
        return fault(keys, "topology.pfc.xon topology.pfc.xoff", "must be below topology.pfc.xoff");
    if (c->shared)
        return fault(keys, "topology.buffer_sharing topology.flow_control",
                     "topology.flow_control: pfc reserves memory per input port and shares none: use port");
    if (headroom < needed)
        return fault(
            keys, "topology.pfc.headroom topology.delay topology.rate topology.mtu topology.flow_control",
            "does not hold the octets in flight when a pause takes effect; give more, or auto, which is "
            "enough");
    if (c->pfc.xoff > c->buffer || headroom > c->buffer - c->pfc.xoff)
        return fault(keys,
                     "topology.pfc.xoff topology.pfc.headroom topology.buffer topology.delay topology.rate "
                     "topology.flow_control",
                     "with topology.pfc.headroom (auto: what the link needs) is more than topology.buffer");
    return c->trim ? fault(keys, "topology.trim topology.flow_control",
                           "has no effect with pfc, as no queue overflows: use one of them")
                   : NULL;
}

static const char *red_error(const struct fabric_conf *c, const char **keys)
{
    if (c->red.kmin > c->red.kmax)
        return fault(keys, "topology.ecn.kmin topology.ecn.kmax", "is above topology.ecn.kmax");
    if (c->ecn_threshold)
        return fault(keys, "topology.ecn_threshold topology.ecn.kmax",
                     "and topology.ecn.kmax are two ways to mark packets: give one of them");
    *keys = "topology.ecn.pmax";
    return c->red.pmax >= 0 && c->red.pmax <= 1 ? NULL : "must be 0 .. 1";
}

static const char *shared_error(const struct fabric_conf *c, const char **keys)
{
    if (!(c->alpha > 0 && c->alpha <= 64))
        return fault(keys, "topology.buffer_alpha", "must be above 0 and at most 64");
    return c->slow_shrinks
               ? fault(keys, "topology.slow_queues topology.buffer_sharing",
                       "scaled is of queues that ports have for themselves: with shared use whole")
               : NULL;
}

static const char *queue_error(const struct fabric_conf *c, const char **keys)
{
    *keys = "topology.buffer";
    if (c->buffer > BUFFER_MAX || c->red.kmax > BUFFER_MAX)
        return "a buffer must be at most 2^31 octets, and so must a mark";
    const char *wrong = c->shared ? shared_error(c, keys) : NULL;
    wrong = wrong || !c->pfc.on ? wrong : pfc_error(c, keys);
    return wrong || !c->red.kmax ? wrong : red_error(c, keys);
}

const char *fabric_network_error(const struct fabric_conf *c, const char **keys)
{
    const char *wrong = topology_error(c, keys);
    return wrong || !fabric_switches_of(c) ? wrong : queue_error(c, keys);
}

/* By time, of links that there are. */
static const char *changes_error(const struct fabric_conf *c)
{
    struct fabric_extent x = fabric_topology_of(c)->extent(c);
    if (c->pfc.on && fabric_fails(c))
        return "links that change have no pauses (pfc)";
    if (c->changes > CHANGES_MAX || (c->changes && (!c->change || x.lines + c->changes > LINES_MAX)))
        return "at most 2^20 changes of links are allowed, and 2^24 rates";
    for (uint32_t i = 0; i < c->changes; i++) {
        const struct fabric_change *of = &c->change[i];
        if (of->link >= x.ports || (i && of->at < of[-1].at))
            return "changes of links must be of links that there are, in the order of time";
        if (of->kind == FABRIC_GETS_RATE && (!of->rate || of->rate > RATE_MAX))
            return "a rate must be 1 bit per second to 100 Tbps";
    }
    return NULL;
}

const char *fabric_conf_error(const struct fabric_conf *c)
{
    const char *keys;
    if (c->mtu <= IP_HEAD || c->mtu > MTU_MAX || c->framing > MTU_MAX || c->packet_head > MTU_MAX - IP_HEAD)
        return "an MTU must be 21 to 65535 octets, and framing and packet_head below it";
    if (c->connections > UINT32_C(1) << 31 || c->timers > EVENT_PLACES - OWN_TIMERS)
        return "at most 2^31 connections and 2^30 - 2 timers are allowed";
    if ((unsigned)c->routing >= FABRIC_ROUTINGS || (c->routing == FABRIC_ADAPTIVE && !c->adaptive.quantum))
        return "no such routing exists, or adaptive routing compares in steps of no octets";
    if (!c->more || (c->timers && !c->timer))
        return "a call is missing: more, or timer (with timers)";
    if (c->trim && (c->trimmed < IP_HEAD + c->packet_head || c->trimmed > c->mtu))
        return "a trimmed packet must have IP's header and packet_head, and no more than the MTU";
    const char *wrong = fabric_network_error(c, &keys);
    wrong = wrong ? wrong : changes_error(c);
    return wrong ? wrong : channel_conf_error(&c->channel);
}
