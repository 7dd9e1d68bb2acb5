/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.c -- the table of scenario keys (keys.h). */
#include "helpers/scenario/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/world.h"

/* ---- the table ---- */

#define WORKLOAD_NAME(name, what) #name,
static const char *const detections[] = {"rack", "dupack", NULL};
static const char *const ecns[] = {"auto", "on", "off", NULL};
static const char *const topologies[] = {"link",      "star", "fat_tree", "cluster",
                                         "dragonfly", "file", "platform", NULL};
static const char *const routings[] = {"flow_hash", "spray", NULL};
static const char *const sharings[] = {"port", "shared", NULL};
static const char *const flow_controls[] = {"none", "pfc", NULL};
static const char *const framings[] = {"ethernet", "ppp", NULL};
static const char *const llps[] = {"mpa", "sctp", "ideal", "packet", NULL};
static const char *const crc_errors[] = {"terminate", "drop", NULL};
static const char *const congestions[] = {"cubic", "dctcp", "newreno", "fixed:", "dcqcn", NULL};
static const char *const recoveries[] = {"go_back_n", "irn", "rud", NULL};
static const char *const directions[] = {"data", "acks", "both", NULL};
static const char *const securities[] = {"none", "esp", "tls", NULL};
static const char *const clocks[] = {"order", "time", NULL};
static const char *const workloads[] = {WORKLOAD_TABLE(WORKLOAD_NAME) NULL};
static const char *const ops[] = {"send", "write", "read", "fetch_add", "cmp_swap", NULL};
static const char *const transports[] = {"reliable_ordered", "reliable_unordered", "unreliable_ordered",
                                         "unreliable_unordered", NULL};
static const char *const arrivals[] = {"closed", "poisson", "every", NULL};
static const char *const scales[] = {"auto", "true", "false", NULL};
static const char *const payloads[] = {"real", "none", NULL};

#define WHERE(of, in, member)      of, offsetof(struct in, member), sizeof(((struct in *)0)->member), 0, NULL, 0
#define CONF(member)               WHERE(KEY_SCENARIO, scenario_conf, member), NULL, NULL
#define POINT(member)              POINT_OR(member, NULL, NULL)
#define POINT_OR(member, also, is) WHERE(KEY_POINT, scenario_point, member), also, is
#define WORDS(list)                             \
    {                                           \
        .type = VALUE_CHOICE, .choices = (list) \
    }
#define SWITCH             \
    {                      \
        .type = VALUE_BOOL \
    }
#define TEXT               \
    {                      \
        .type = VALUE_TEXT \
    }
#define COUNT(low, high)                                 \
    {                                                    \
        .type = VALUE_COUNT, .min = (low), .max = (high) \
    }
#define OCTETS(low, high)                                 \
    {                                                     \
        .type = VALUE_OCTETS, .min = (low), .max = (high) \
    }
#define RATE(low, high)                                 \
    {                                                   \
        .type = VALUE_RATE, .min = (low), .max = (high) \
    }
#define TIME(low, high)                                 \
    {                                                   \
        .type = VALUE_TIME, .min = (low), .max = (high) \
    }
#define REAL(low, high)                                 \
    {                                                   \
        .type = VALUE_REAL, .min = (low), .max = (high) \
    }
#define OR_ZERO(type_, high, word_)                                 \
    {                                                               \
        .type = (type_), .min = "1", .max = (high), .word = (word_) \
    }

#define MOVERS \
    "pingpong stream incast permutation shuffle" /* kinds that move messages one operation at a time */

/* clang-format off */
static const struct key table[] = {
    {"title", TEXT, CONF(title), "", "What the scenario shows, in one line.", NULL, NULL, NULL, NULL},
    {"claim", TEXT, CONF(claim), "", "What its results should show, in one sentence.", NULL, NULL, NULL, NULL},
    {"world", {.type = VALUE_CHOICE}, POINT(world), "fabric",
     "Where it runs: fabric (packets, in C), ns3 (packets, on ns-3's devices), simgrid (clusters, as flows).", NULL, NULL, NULL, NULL},
    {"seed", COUNT("0", "18446744073709551615"), POINT(seed), "1",
     "Seed of every random draw, together with the repeat's number; swept keys do not change the draws.", NULL, NULL, NULL, NULL},
    {"repeat", COUNT("1", "100000"), CONF(repeat), "1", "Runs per point; or, instead of a number, {until, of, most}.", "runs per point", NULL, NULL, NULL},
    {"repeat.until", {.type = VALUE_REAL, .share = true, .min = "0", .max = "1"}, CONF(until), "0", "Instead of a fixed number: add repeats, at least 6, until half of the 95 % interval of the mean is at most this share of the mean; write 2 % as 0.02.", NULL, NULL, NULL, NULL},
    {"repeat.of", TEXT, CONF(until_of), "steady_gbps", "The column of results.csv whose mean repeat.until judges.", NULL, NULL, NULL, NULL},
    {"repeat.most", COUNT("6", "100000"), CONF(most), "100", "The most repeats to run.", "runs per point", NULL, NULL, NULL},
    {"payload", WORDS(payloads), POINT(payload), "real",
     "real: packets carry octets, which are placed, and compared at delivery. none: packets carry lengths only; CRC and corruption become marks.", NULL, NULL, NULL, NULL},

    {"topology.kind", WORDS(topologies), POINT(topology.kind), "link",
     "link: two hosts. star: hosts around one switch. fat_tree: k*k*k/4 hosts, three levels of switches. cluster: a star of any size. dragonfly: groups of routers, each router linked to all others of its group, each group to all others. file: as topology.file describes it. platform: a platform file of SimGrid.", NULL, NULL, NULL, NULL},
    {"topology.file", TEXT, POINT(topology.file), "", "A file that describes the network: hosts, switches, links with rate and delay (NAME.yaml), or a SimGrid platform (NAME.xml). It is in the scenario's folder, or one of those that are shipped (`iwarpsim list`).", NULL, NULL, "topology.kind", "file platform"},
    {"topology.hosts", COUNT("2", "131072"), POINT(topology.hosts), "2", "Hosts of a star or cluster.", "hosts", NULL, "topology.kind", "star cluster"},
    {"topology.groups", COUNT("1", "1024"), POINT(topology.groups), "2", "Groups of a dragonfly.", "groups", NULL, "topology.kind", "dragonfly"},
    {"topology.routers", COUNT("1", "1024"), POINT(topology.routers), "2", "Routers of each group of a dragonfly.", "routers", NULL, "topology.kind", "dragonfly"},
    {"topology.nodes", COUNT("1", "1024"), POINT(topology.nodes), "2", "Hosts of each router of a dragonfly.", "hosts", NULL, "topology.kind", "dragonfly"},
    {"topology.k", COUNT("2", "64"), POINT(topology.k), "4", "Ports of each switch of a fat tree; even.", "ports", NULL, "topology.kind", "fat_tree"},
    {"topology.routing", WORDS(routings), POINT(topology.routing), "flow_hash",
     "Which of several equal paths a packet takes: one per connection, or one drawn for each packet.", NULL, "every switch", "topology.kind", "fat_tree dragonfly file"},
    {"topology.oversubscription", REAL("1", "64"), POINT(topology.oversubscription), "1",
     "Links between switches run at the rate divided by this.", NULL, "links above the edge", "topology.kind", "fat_tree"},
    {"topology.rate", RATE("1Mbps", "1000Gbps"), POINT(topology.rate), "100Gbps", "Rate of a link; with topology.file, of each link whose rate the file leaves out.", "bits on the wire, framing included", "every link, each direction", NULL, NULL},
    {"topology.delay", TIME("0ps", "1s"), POINT(topology.delay), "1us", "Propagation delay of a link, one way; a path over one switch has two. With topology.file: of each link whose delay the file leaves out.", NULL, "every link", NULL, NULL},
    {"topology.mtu", {.type = VALUE_OCTETS, .bare = true, .min = "256B", .max = "65535B"}, POINT(topology.mtu), "1500", "Largest IP packet.", "octets of the IP packet, headers included", "every link", NULL, NULL},
    {"topology.buffer", OCTETS("16KiB", "1GiB"), POINT(topology.buffer), "1MiB", "Size of an output queue; a packet that finds it full is dropped.", "octets of packets", "each port of each switch", NULL, NULL},
    {"topology.ecn_threshold", {.type = VALUE_OCTETS, .min = "1B", .max = "1GiB", .word = "never"}, POINT(topology.ecn_threshold), "never",
     "Queue length at and above which packets are marked Congestion Experienced.", "octets of packets", "each port of each switch", NULL, NULL},
    {"topology.ecn.kmin", {.type = VALUE_OCTETS, .min = "1B", .max = "1GiB", .word = "never"}, POINT(topology.ecn_kmin), "never", "Instead of topology.ecn_threshold: above this queue length packets are marked with a probability that rises to pmax at kmax.", "octets of waiting packets", "each port of each switch", NULL, NULL},
    {"topology.ecn.kmax", {.type = VALUE_OCTETS, .min = "1B", .max = "1GiB", .word = "never"}, POINT(topology.ecn_kmax), "never", "Queue length at and above which every packet is marked.", "octets of waiting packets", "each port of each switch", NULL, NULL},
    {"topology.ecn.pmax", REAL("0", "1"), POINT(topology.ecn_pmax), "1", "Probability of a mark just below topology.ecn.kmax.", NULL, "each port of each switch", NULL, NULL},
    {"topology.buffer_sharing", WORDS(sharings), POINT(topology.sharing), "port", "port: each output queue has topology.buffer for itself; shared: the queues of a switch share the sum.", NULL, "every switch", NULL, NULL},
    {"topology.buffer_alpha", REAL("0.001", "64"), POINT(topology.alpha), "1", "A queue may hold this many times the free part of the shared buffer (dynamic threshold).", NULL, "every switch", "topology.buffer_sharing", "shared"},
    {"topology.flow_control", WORDS(flow_controls), POINT(topology.flow_control), "none", "pfc: a switch pauses a link that brings too many octets, and drops nothing (IEEE 802.1Qbb).", NULL, "every link of a switch", NULL, NULL},
    {"topology.trim", SWITCH, POINT(topology.trim), "false", "A packet of llp.kind packet that finds an output queue full is trimmed to its header. Headers and answers wait in a queue of their own, as large as topology.buffer, which goes first but for one packet after ten headers in a row; the receiver answers a header that comes alone with a NAK of its packet, which is retransmitted at once (NDP, UET).", NULL, "each port of each switch", "llp.kind", "packet"},
    {"topology.pfc.xoff", OCTETS("1KiB", "1GiB"), POINT(topology.pfc_xoff), "256KiB", "Waiting octets that came by one link, at and above which the switch pauses it.", "octets of packets", "each port of each switch", "topology.flow_control", "pfc"},
    {"topology.pfc.xon", OCTETS("1B", "1GiB"), POINT(topology.pfc_xon), "128KiB", "Waiting octets that came by one link, at and below which the switch resumes it.", "octets of packets", "each port of each switch", "topology.flow_control", "pfc"},
    {"topology.pfc.headroom", {.type = VALUE_OCTETS, .min = "1KiB", .max = "1GiB", .word = "auto"}, POINT(topology.pfc_headroom), "auto", "Room above xoff for the octets in flight when a pause is sent; auto: what the link needs.", "octets of packets", "each port of each switch", "topology.flow_control", "pfc"},
    {"topology.globals", OR_ZERO(VALUE_COUNT, "1024", "auto"), POINT(topology.globals), "auto", "Global links of each router of a dragonfly; auto: the fewest that link all groups evenly.", "links", NULL, "topology.kind", "dragonfly"},
    {"topology.framing", WORDS(framings), POINT(topology.framing), "ethernet", "Octets on the wire in addition to the IP packet: Ethernet 38 (header, FCS, preamble, gap), PPP 2.", NULL, "every link", NULL, NULL},

    {"llp.kind", WORDS(llps), POINT(llp.kind), "mpa",
     "mpa: MPA over TCP. sctp: the adaptation of RFC 5043. ideal: MPA over an ideal byte stream without congestion control, for closed forms. packet: one packet for each segment and no stream below, as llp.recovery says.", NULL, NULL, NULL, NULL},
    {"llp.markers", SWITCH, POINT(llp.markers), "false", "MPA markers every 512 octets, both directions.", NULL, NULL, "llp.kind", "mpa ideal"},
    {"llp.crc", SWITCH, POINT(llp.crc), "true", "MPA CRC32c, generated and checked.", NULL, NULL, "llp.kind", "mpa ideal"},
    {"llp.crc_error", WORDS(crc_errors), POINT(llp.crc_error), "terminate",
     "A CRC mismatch ends the stream (RFC 5044 8), or the adapter drops the packet before TCP accepts it, and the sender retransmits it.", NULL, "receiver", "llp.crc", "true"},
    {"llp.trust_alignment", SWITCH, POINT(llp.trust_alignment), "false",
     "Without CRC: assume that every out-of-order packet starts with an FPDU.", NULL, "receiver", "llp.crc", "false"},
    {"llp.congestion", WORDS(congestions), KEY_POINT, offsetof(struct scenario_point, llp.congestion), sizeof(enum llp_congestion),
     offsetof(struct scenario_point, llp.congestion_window), NULL, 0, "llp.congestion", "dcqcn", "cubic", "Congestion control of TCP; fixed: a window that never changes, to study the receiver alone. dcqcn: for llp.kind packet, which has no congestion control otherwise.", "fixed: octets per connection", "sender", "llp.kind", "mpa"},
    {"llp.security", WORDS(securities), POINT(llp.security), "none", "What protects the packets (RFC 5042 5.4), counted in octets and in the adapter's rnic.crypto times. esp: IPsec in transport mode, AES-GCM, 34 to 37 octets in every packet, which is checked by itself. tls: a record for each TCP segment with octets, 22 octets, checked in the stream's order alone, so that nothing can be placed out of order.", NULL, "both ends", NULL, NULL},
    {"llp.recovery", WORDS(recoveries), POINT(llp.recovery), "go_back_n", "How a packet transport repairs a loss. go_back_n (RoCEv2): the receiver drops packets that are out of order, and the sender retransmits everything from the first missing packet on. irn (IRN): out-of-order packets are placed, and only the missing ones are retransmitted. rud (UET, SRD): each packet is acknowledged by itself, and is lost once packets that left later are acknowledged; topology.routing: spray gives each packet a path of its own.", NULL, "both ends", "llp.kind", "packet"},
    {"llp.flight", OR_ZERO(VALUE_COUNT, "16384", "auto"), POINT(llp.flight), "auto", "Most packets in flight (IRN's flow control): go_back_n counts all from the first unacknowledged packet on, irn and rud count the unacknowledged ones; auto: what the path holds without load, adapters included.", "packets per connection", "sender", "llp.kind", "packet"},
    {"llp.track", OR_ZERO(VALUE_COUNT, "16000", "auto"), POINT(llp.track), "auto", "How many packets from the first missing one on a receiver of irn or rud keeps track of, with a bit for each; packets beyond are not sent. auto: twice llp.flight, since a retransmission takes a second round trip.", "bits per connection", "both ends", "llp.recovery", "irn rud"},
    {"llp.initial_window", COUNT("1", "16384"), POINT(llp.initial_window), "10", "Initial congestion window.", "segments per connection", "sender", "llp.kind", "mpa"},
    {"llp.min_rto", TIME("1us", "60s"), POINT(llp.min_rto), "1ms", "Shortest retransmission timeout.", NULL, "sender", NULL, NULL},
    {"llp.max_rto", {.type = VALUE_TIME, .min = "1us", .max = "60s", .word = "auto"}, POINT(llp.max_rto), "auto", "Longest retransmission timeout, after any number of doublings; auto: 100 x llp.min_rto, at least llp.initial_rto and twice a round trip through full queues.", NULL, "sender", "llp.kind", "mpa sctp packet"},
    {"llp.delayed_ack", COUNT("1", "64"), POINT_OR(llp.delayed_ack, "llp.recovery", "go_back_n irn"), "2", "In-order segments (SCTP: data packets) per acknowledgement; rud acknowledges each packet.", "segments", "receiver", "llp.kind", "mpa sctp ideal"},
    {"llp.delayed_ack_timeout", TIME("1us", "1s"), POINT_OR(llp.delayed_ack_timeout, "llp.recovery", "go_back_n irn"), "50us", "Longest delay of an acknowledgement.", NULL, "receiver", "llp.kind", "mpa sctp ideal"},
    {"llp.dupack_threshold", OR_ZERO(VALUE_COUNT, "100000", "adaptive"), POINT(llp.dupack_threshold), "3",
     "Duplicate acknowledgements after which a segment counts as lost; a number alone selects loss_detection: dupack, adaptive selects rack.", "acknowledgements", "sender", "llp.loss_detection", "dupack"},
    {"llp.loss_detection", WORDS(detections), POINT(llp.detection), "rack", "How TCP finds a loss: rack waits for a fraction of the round trip (RFC 8985); dupack counts duplicate acknowledgements (RFC 6675).", NULL, "sender", "llp.kind", "mpa"},
    {"llp.ecn", WORDS(ecns), POINT(llp.ecn), "auto", "Explicit Congestion Notification (RFC 3168); auto: only with dctcp.", NULL, "both ends", "llp.kind", "mpa"},
    {"llp.initial_rto", TIME("10us", "60s"), POINT(llp.initial_rto), "10ms", "Retransmission timeout, including that of the SYN, until a round trip has been measured.", NULL, "both ends", "llp.kind", "mpa"},
    {"llp.timestamps", SWITCH, POINT(llp.timestamps), "false", "TCP timestamps (RFC 7323), 12 octets in every packet.", NULL, "both ends", "llp.kind", "mpa"},
    {"llp.pacing", SWITCH, POINT(llp.pacing), "false", "Spread the packets of a window over the round trip.", NULL, "sender", "llp.kind", "mpa"},
    {"llp.idle_restart", SWITCH, POINT(llp.idle_restart), "false", "Restart from the initial congestion window after one idle retransmission timeout (RFC 5681 4.1).", NULL, "sender", "llp.kind", "mpa"},
    {"llp.msl", TIME("1us", "120s"), POINT(llp.msl), "1ms", "Maximum segment lifetime; TIME-WAIT lasts two of them.", NULL, "both ends", "llp.kind", "mpa"},
    {"llp.send_buffer", {.type = VALUE_OCTETS, .min = "16KiB", .max = "1GiB", .word = "auto"}, POINT(llp.send_buffer), "auto", "Room for octets not yet acknowledged; auto: enough that it never limits (workload transport_classes: 4 MiB).", "octets per connection", "sender", NULL, NULL},
    {"llp.ord", COUNT("0", "16383"), POINT(llp.ord), "16", "RDMA Reads that a host may have outstanding (ORD).", "Reads per connection", "requester", NULL, NULL},
    {"llp.ird", COUNT("0", "16383"), POINT(llp.ird), "16", "Outstanding RDMA Reads that a host accepts (IRD).", "Reads per connection", "responder", NULL, NULL},
    {"llp.streams", COUNT("1", "4096"), POINT(llp.streams), "1", "DDP streams per SCTP association: this many connections of a pair of hosts share one.", "streams per association", NULL, "llp.kind", "sctp"},

    {"rnic.preset", {.type = VALUE_CHOICE}, POINT(preset), "ideal", "A named adapter; other rnic. keys override single values of it.", NULL, "every host", NULL, NULL},

    {"rnic.draw", COUNT("0", "100000"), POINT(draw), "0", "Numbers of the preset within their ranges (`iwarpsim list ADAPTER`): 0, the likely ones; any other, each number at its low, its likely or its high value, drawn by the seed. `run --uncertain` sweeps it.", NULL, "every host", NULL, NULL},

    {"rnic.srq", OR_ZERO(VALUE_COUNT, "16777216", "off"), POINT(workload.shared_receives), "off", "Receive buffers that all connections of a host share, instead of workload.recv_depth for each: a shared receive queue (RFC 5042 6.4.3.1). A Send takes one when its first segment arrives, in order or not; a Send that finds none in its turn ends its stream.", "buffers per host", "receiver", "workload.op", "send"},

    {"channel.loss", REAL("0", "1"), POINT(channel.loss), "0", "Probability that a packet is lost.", "per packet", "last link before each host", NULL, NULL},
    {"channel.burst.p", REAL("0", "1"), POINT(channel.burst.p), "0", "Gilbert-Elliott: probability of going from the good state to the bad.", "per packet", "last link before each host", NULL, NULL},
    {"channel.burst.r", REAL("0", "1"), POINT(channel.burst.r), "0", "Gilbert-Elliott: probability of going from the bad state to the good.", "per packet", "last link before each host", NULL, NULL},
    {"channel.burst.loss_good", REAL("0", "1"), POINT(channel.burst.loss_good), "0", "Gilbert-Elliott: loss in the good state.", "per packet", "last link before each host", NULL, NULL},
    {"channel.burst.loss_bad", REAL("0", "1"), POINT(channel.burst.loss_bad), "0", "Gilbert-Elliott: loss in the bad state.", "per packet", "last link before each host", NULL, NULL},
    {"channel.corrupt", REAL("0", "1"), POINT(channel.corrupt), "0", "Probability that a packet is corrupted in a way that TCP's checksum misses.", "per packet", "last link before each host", NULL, NULL},
    {"channel.duplicate", REAL("0", "1"), POINT(channel.duplicate), "0", "Probability that a packet arrives twice.", "per packet", "last link before each host", NULL, NULL},
    {"channel.reorder.probability", REAL("0", "1"), POINT(channel.reorder.probability), "0", "Probability that a packet is delayed.", "per packet", "last link before each host", NULL, NULL},
    {"channel.reorder.delay", TIME("0ps", "10s"), POINT(channel.reorder.delay), "0ps", "How long such a packet is delayed.", "extra delay", "last link before each host", NULL, NULL},
    {"channel.reorder.displacement", COUNT("0", "1000000"), POINT(channel.reorder.displacement), "0", "How long such a packet is delayed, as a number of packets of its size.", "serialization times", "last link before each host", NULL, NULL},
    {"channel.jitter", TIME("0ps", "10s"), POINT(channel.jitter), "0ps", "Extra delay of every packet, uniform from 0 to this.", NULL, "last link before each host", NULL, NULL},
    {"channel.trace.file", TEXT, POINT(trace_file), "", "Instead of draws: what packets met on a path (lost, late, twice), one after the other and again from the first; each host's link replays it for itself. The file is beside the scenario or shipped (`iwarpsim list`); `iwarpsim fates` makes one from captures. It does not react to the new load.", NULL, "last link before each host", NULL, NULL},
    {"channel.trace.by", WORDS(clocks), POINT(channel.trace.by_time), "order", "A late packet of the trace is late by as many packets of its size as overtook it there (order), or by the same time.", NULL, "last link before each host", "channel.trace.file", NULL},
    {"channel.trace.start", OR_ZERO(VALUE_COUNT, "4194304", "drawn"), POINT(channel.trace.first), "drawn", "The packet of the trace with which the replay begins; drawn: another one in each repeat and at each host.", "packets of the trace, from 1", "last link before each host", "channel.trace.file", NULL},
    {"channel.direction", WORDS(directions), POINT(channel_direction), "data", "Which packets the channel impairs: those with data, those without, or both.", NULL, "last link before each host", NULL, NULL},

    {"workload.kind", WORDS(workloads), POINT(workload.kind), "stream", "What the hosts do: see `iwarpsim list`.", NULL, NULL, NULL, NULL},
    {"workload.op", WORDS(ops), POINT(workload.op), "write", "The RDMA operation of each message. fetch_add and cmp_swap (RFC 7306) change an 8-octet number in the peer's memory, one per connection, and return its previous value.", NULL, NULL, "workload.kind", MOVERS},
    {"workload.size", OCTETS("0B", "1GiB"), POINT(workload.size), "64KiB", "Size of a message.", "ULP octets", NULL, "workload.kind", MOVERS " ring storage transport_classes"},
    {"workload.size.cdf", TEXT, POINT(size_cdf), "", "Draw message sizes from this file of `octets share` lines instead. It is in the scenario's folder, or one of those that are shipped: web-search.cdf, data-mining.cdf.", "ULP octets", NULL, "workload.kind", MOVERS},
    {"workload.count", COUNT("1", "1000000000"), POINT(workload.count), "1000", "Messages; ring: allreduces; storage: blocks.", "per connection", NULL, "workload.kind", MOVERS " ring storage transport_classes"},
    {"workload.steps", OR_ZERO(VALUE_COUNT, "1000000", "all"), POINT(workload.steps), "all", "Steps to run of each allreduce; all: 2(N-1).", "per connection", NULL, "workload.kind", "ring"},
    {"workload.class", WORDS(transports), POINT(workload.transport), "reliable_ordered", "Transport class: messages are retransmitted until acknowledged, or never; delivered in order, or as they arrive.", NULL, "association", "workload.kind", "transport_classes"},
    {"workload.connections", COUNT("1", "65536"), POINT(workload.connections), "1", "Connections between each pair of communicating hosts.", "connections", NULL, "workload.kind", MOVERS " storage"},
    {"workload.stags", COUNT("1", "1000000"), POINT(workload.stags), "1", "Registered regions that the messages use in turn.", "per connection and side", NULL, "workload.kind", MOVERS},
    {"workload.depth", COUNT("1", "16384"), POINT(workload.depth), "16", "Messages outstanding: posted, and not yet both completed and in place.", "per connection", "sender", "workload.kind", "stream incast permutation shuffle storage transport_classes goal"},
    {"workload.solicited", OR_ZERO(VALUE_COUNT, "65535", "never"), POINT(workload.solicited), "never",
     "Every Nth Send of a connection, and its last, carries a Solicited Event; see rnic.completion.arm.", "messages", "sender", "workload.op", "send"},
    {"workload.recv_depth", OR_ZERO(VALUE_COUNT, "65535", "auto"), POINT(workload.recv_depth), "auto",
     "Receive buffers posted; iWARP has no `receiver not ready`: a Send that finds none ends the stream. auto: as many as the workload can need.", "per connection", "receiver", NULL, NULL},
    {"workload.script", TEXT, POINT(workload.script), "",
     "The operations, step by step: `write 9000; send 2000; wait; peer send 100`. Operations: send, send_inv, send_se, send_se_inv, write, read, each with its octets (9000, 64KiB, 1MB); fetch_add N, cmp_swap OLD NEW (RFC 7306); wait: until all are complete. An operation may be followed by fence; to nothing, readable, writable, foreign; beyond; into OCTETS; unexpected.", NULL, NULL, "workload.kind", "script"},
    {"workload.file", TEXT, POINT(goal_file), "", "The GOAL schedule to run, in the text format of LogGOPSim and ATLAHS; rank r is host r. The file lies beside the scenario or is shipped (`iwarpsim list`).", NULL, NULL, "workload.kind", "goal"},
    {"workload.consume_rate", {.type = VALUE_RATE, .min = "1Kbps", .max = "10000Gbps", .word = "unlimited"}, POINT(consume_rate), "unlimited", "Rate at which the ULP reads in-order octets.", "per connection", "receiver", NULL, NULL},
    {"workload.start_jitter", TIME("0ps", "10s"), POINT(workload.start_jitter), "0ps", "Each connection starts after a random delay of at most this.", NULL, "sender", "workload.kind", MOVERS " ring storage"},
    {"workload.arrival", WORDS(arrivals), POINT(workload.arrival), "closed", "closed: post the next message when one completes. poisson, every: post by the clock, whether or not others have completed.", NULL, "sender", "workload.kind", "stream incast permutation shuffle"},
    {"workload.load", REAL("0.001", "10"), POINT(load), "0.5", "Offered load of poisson and every.", "share of the receiver's link, payload octets", "sender", "workload.arrival", "poisson every"},

    {"workload.hosts", TEXT, POINT(hosts), "all", "Hosts that take part, in this order: all, or numbers and ranges, `0 4-7`. A kind numbers them from 0 in this order: with `5 0`, stream sends from host 5 to host 0.", NULL, NULL, NULL, NULL},
    {"workload.start", TIME("0ps", "1000s"), POINT(start), "0ps", "When it begins, after the start of the run.", NULL, "sender", NULL, NULL},

    {"simgrid.chunk", OCTETS("1KiB", "64MiB"), POINT(simgrid_chunk), "64KiB",
     "Octets that travel as one SimGrid flow; the sender and other connections learn what happened to them when the flow ends.", "octets of FPDUs", "world simgrid", "world", "simgrid"},

    {"limit.sim", TIME("1us", "1000000s"), POINT(limit.sim), "60s", "Stop a run after this much simulated time.", NULL, NULL, NULL, NULL},
    {"limit.wall", TIME("1ms", "1000000s"), POINT(limit.wall), "600s", "Stop a run after this much real time.", NULL, NULL, NULL, NULL},
    {"limit.idle", TIME("1us", "1000000s"), POINT(limit.idle), "5s", "Stop a run when nothing is placed and nothing completes for this much simulated time.", NULL, NULL, NULL, NULL},

    {"plot.x", TEXT, CONF(plot.x), "", "Column on the x axis; default: the first key of the sweep that is a number, else its first.", NULL, "iwarpsim plot", NULL, NULL},
    {"plot.y", TEXT, CONF(plot.y), "", "Columns on the y axis, separated by blanks or commas; columns of one unit share a panel; default: steady_gbps. line_gbps, window_gbps, rtt_us and bdp_bytes follow from the keys.", NULL, "iwarpsim plot", NULL, NULL},
    {"plot.by", TEXT, CONF(plot.by), "", "One curve for each value of this column; default: the first swept key other than x.", NULL, "iwarpsim plot", NULL, NULL},
    {"plot.title", TEXT, CONF(plot.title), "", "Title above the figure; default: the scenario's title.", NULL, "iwarpsim plot", NULL, NULL},
    {"plot.panels", TEXT, CONF(plot.panels), "", "One panel for each value of this column.", NULL, "iwarpsim plot", NULL, NULL},
    {"plot.table", TEXT, CONF(plot.table), "", "A table other than results.csv, such as dist/slowdown.csv; x and y may be its columns.", NULL, "iwarpsim plot", NULL, NULL},
    {"plot.logx", WORDS(scales), CONF(plot.logx), "auto", "Logarithmic x axis; auto: when the sweep spans decades.", NULL, "iwarpsim plot", NULL, NULL},
    {"plot.logy", SWITCH, CONF(plot.logy), "false", "Logarithmic y axis.", NULL, "iwarpsim plot", NULL, NULL},
};
/* clang-format on */

enum { TABLE = sizeof table / sizeof *table };

/* ---- the rows of the adapter ---- */

enum { BOUND_MAX = 40 };

static const struct {
    enum value_type type;
} rnic_types[] = {
    [RNIC_OCTETS] = {VALUE_OCTETS}, [RNIC_TIME] = {VALUE_TIME},         [RNIC_RATE] = {VALUE_RATE},
    [RNIC_COUNT] = {VALUE_COUNT},   [RNIC_THOUSANDTHS] = {VALUE_RATIO}, [RNIC_CHOICE] = {VALUE_CHOICE},
};

static void *need(void *memory)
{
    if (!memory) {
        fputs("iwarpsim: out of memory\n", stderr);
        exit(3);
    }
    return memory;
}

static const char *written(const struct value_rules *rules, uint64_t n)
{
    char *text = need(malloc(BOUND_MAX));
    struct value v = {.type = rules->type, .n = n};
    value_write(&v, rules, text, BOUND_MAX);
    return text;
}

/* What some groups of them mean something with. */
static const struct {
    const char *group, *with, *is;
} rnic_groups[] = {
    {"crypto.", "llp.security", "esp tls"},
    {"window.", "llp.kind", "mpa sctp ideal"}, /* a packet transport has no receive window */
};

static struct key rnic_key(const struct rnic_parameter *p)
{
    struct key key = {
        .of = KEY_POINT, .what = p->what, .acts = "adapter of every host", .size = sizeof(uint64_t)};
    char *name = need(malloc(strlen(p->name) + sizeof "rnic."));
    sprintf(name, "rnic.%s", p->name);
    key.name = name;
    key.offset = offsetof(struct scenario_point, rnic) + p->offset;
    key.rules.type = rnic_types[p->unit].type;
    key.rules.choices = p->words;
    if (p->unit != RNIC_CHOICE) {
        key.rules.min = written(&key.rules, p->min);
        key.rules.max = written(&key.rules, p->max);
    }
    if (p->unlimited) {
        key.rules.word = "unlimited";
        key.rules.means = RNIC_UNLIMITED;
    }
    for (size_t i = 0; i < sizeof rnic_groups / sizeof *rnic_groups; i++)
        if (strncmp(p->name, rnic_groups[i].group, strlen(rnic_groups[i].group)) == 0) {
            key.with = rnic_groups[i].with;
            key.is = rnic_groups[i].is;
        }
    struct rnic_conf ideal;
    rnic_preset_load(&ideal, &rnic_presets[0]);
    key.initial = written(&key.rules, rnic_get(&ideal, p));
    return key;
}

static const char *const *preset_names(void)
{
    const char **names = need(calloc(rnic_presets_count + 1, sizeof *names));
    for (unsigned i = 0; i < rnic_presets_count; i++)
        names[i] = rnic_presets[i].name;
    return names;
}

static const char *const *names_of_worlds(void)
{
    const char **names = need(calloc(WORLDS + 1, sizeof *names));
    for (unsigned i = WORLD_FIRST; i < WORLDS; i++)
        names[i] = worlds[i].name;
    return names;
}

static struct {
    struct key *rows;
    size_t count;
} all;

static void build(void)
{
    all.rows = need(calloc(TABLE + rnic_parameters_count, sizeof *all.rows));
    for (size_t i = 0; i < TABLE; i++) {
        all.rows[all.count++] = table[i];
        if (strcmp(table[i].name, "world") == 0)
            all.rows[all.count - 1].rules.choices = names_of_worlds();
        if (strcmp(table[i].name, "rnic.preset") != 0)
            continue;
        all.rows[all.count - 1].rules.choices = preset_names();
        for (unsigned p = 0; p < rnic_parameters_count; p++)
            all.rows[all.count++] = rnic_key(&rnic_parameters[p]);
    }
}

const struct key *keys_all(size_t *count)
{
    if (!all.rows)
        build();
    *count = all.count;
    return all.rows;
}

/* ---- finding ---- */

const struct key *key_find(const char *name)
{
    size_t count;
    const struct key *keys = keys_all(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

/* ---- of one workload of several ---- */

static const char loads[] = "workloads.", load[] = "workload", hosts[] = "hosts.";

bool key_names_load(const char *name, char word[KEY_LOAD_NAME_MAX])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (strncmp(name, loads, sizeof loads - 1) != 0)
        return false;
    name += sizeof loads - 1;
    size_t len = strspn(name, others);
    if (len == 0 || len >= KEY_LOAD_NAME_MAX || !strchr(letters, *name) || (name[len] && name[len] != '.'))
        return false;
    memcpy(word, name, len);
    word[len] = 0;
    return true;
}

bool key_is_shared(const struct key *key)
{
    return strcmp(key->name, "workload.consume_rate") == 0;
}

bool key_names_hosts(const char *name, char list[KEY_LOAD_NAME_MAX])
{
    enum { DIGITS_MAX = 7 };
    if (strncmp(name, hosts, sizeof hosts - 1) != 0)
        return false;
    name += sizeof hosts - 1;
    size_t first = strspn(name, "0123456789"), len = first, last = 1;
    if (name[len] == '-') {
        last = strspn(name + len + 1, "0123456789");
        len += 1 + last;
    }
    if (first == 0 || first > DIGITS_MAX || last == 0 || last > DIGITS_MAX || (name[len] && name[len] != '.'))
        return false;
    memcpy(list, name, len);
    list[len] = 0;
    return true;
}

const char *key_not_of_hosts(const struct key *key)
{
    static const char *const shared[] = {"rnic.receive", "rnic.retransmit"};
    bool of_adapter = key->offset >= offsetof(struct scenario_point, rnic) &&
                      key->offset < offsetof(struct scenario_point, rnic) + sizeof(struct rnic_conf);
    if (strncmp(key->name, "rnic.", 5) == 0 && !of_adapter)
        return "is the same for all hosts: it stands for many keys";
    if (!of_adapter)
        return "is the same for all hosts: only keys of rnic can differ from host to host";
    if (strncmp(key->name, "rnic.window.", 12) == 0)
        return "is the same for all hosts: a window belongs to a connection";
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strcmp(key->name, shared[i]) == 0)
            return "is the same for all hosts";
    return NULL;
}

/* "workloads.incast.load" as "workload.load", "hosts.3.rnic.stall.for" as "rnic.stall.for"; empty: it is no such name. */
static void plain_name(const char *name, char plain[KEY_NAME_MAX])
{
    char word[KEY_LOAD_NAME_MAX];
    *plain = 0;
    if (key_names_load(name, word))
        snprintf(plain, KEY_NAME_MAX, "%s%s", load, name + sizeof loads - 1 + strlen(word));
    else if (key_names_hosts(name, word) && name[sizeof hosts - 1 + strlen(word)])
        snprintf(plain, KEY_NAME_MAX, "%s", name + sizeof hosts + strlen(word));
}

const struct key *key_like(const char *name)
{
    char plain[KEY_NAME_MAX];
    const struct key *key = key_find(name);
    plain_name(name, plain);
    if (key || !*plain)
        return key;
    key = key_find(plain);
    bool shared = key && (strncmp(name, hosts, sizeof hosts - 1) == 0 ? key_not_of_hosts(key) != NULL
                                                                      : key_is_shared(key));
    return shared ? NULL : key;
}

struct key key_of_load(const struct key *row, unsigned number)
{
#define MEMBER(of, in)                                                             \
    offsetof(struct scenario_point, of), sizeof(((struct scenario_point *)0)->of), \
        offsetof(struct point_load, in)
    static const struct {
        size_t from, size, to;
    } members[] = {{MEMBER(workload, workload)}, {MEMBER(size_cdf, size_cdf)}, {MEMBER(goal_file, goal_file)},
                   {MEMBER(hosts, hosts)},       {MEMBER(load, load)},         {MEMBER(start, start)}};
#undef MEMBER
    struct key key = *row;
    size_t i = 0;
    while (row->offset < members[i].from || row->offset >= members[i].from + members[i].size)
        i++;
    key.like = row;
    key.load = number;
    key.offset = offsetof(struct scenario_point, load_of) + number * sizeof(struct point_load) +
                 members[i].to + (row->offset - members[i].from);
    return key;
}

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

const char *key_label(const struct key *key)
{
    static const struct {
        const char *name, *label;
    } labels[] = {
        {"world", "World"},
        {"seed", "Seed"},
        {"topology.rate", "Link rate"},
        {"topology.delay", "Link delay"},
        {"topology.mtu", "MTU"},
        {"topology.hosts", "Hosts"},
        {"topology.k", "Ports of a switch"},
        {"topology.buffer", "Switch buffer"},
        {"topology.ecn_threshold", "ECN threshold"},
        {"topology.routing", "Routing"},
        {"topology.oversubscription", "Oversubscription"},
        {"llp.kind", "Lower layer"},
        {"llp.recovery", "Recovery"},
        {"llp.security", "Security"},
        {"llp.flight", "Packets in flight"},
        {"llp.track", "Tracking bits"},
        {"llp.markers", "Markers"},
        {"llp.streams", "Streams"},
        {"llp.ord", "Reads outstanding (ORD)"},
        {"llp.ird", "Inbound reads (IRD)"},
        {"llp.min_rto", "Shortest retransmission timeout"},
        {"llp.max_rto", "Longest retransmission timeout"},
        {"llp.initial_window", "Initial window"},
        {"llp.send_buffer", "Send buffer"},
        {"llp.crc_error", "CRC error handling"},
        {"llp.congestion", "Congestion control"},
        {"llp.dupack_threshold", "Duplicate ACK threshold"},
        {"llp.loss_detection", "Loss detection"},
        {"rnic.window.bytes", "Receive window"},
        {"rnic.window.policy", "Window policy"},
        {"rnic.receive", "Receive path"},
        {"rnic.staging_bytes", "Staging buffer"},
        {"rnic.stall.every", "Time between stalls"},
        {"rnic.stall.for", "Length of a stall"},
        {"rnic.hold_bytes", "Memory for out-of-order segments"},
        {"rnic.preset", "Adapter"},
        {"rnic.draw", "Draw of the adapter's numbers"},
        {"channel.loss", "Loss probability"},
        {"channel.burst.p", "Probability that a burst of losses begins"},
        {"channel.burst.r", "Probability that a burst of losses ends"},
        {"channel.corrupt", "Probability of corruption"},
        {"channel.duplicate", "Probability of duplication"},
        {"channel.jitter", "Jitter"},
        {"channel.trace.file", "Path"},
        {"channel.trace.by", "Late by"},
        {"channel.trace.start", "First packet of the trace"},
        {"channel.reorder.probability", "Share of packets reordered"},
        {"channel.reorder.delay", "Extra delay of reordered packets"},
        {"channel.reorder.displacement", "Reordering depth"},
        {"workload.kind", "Workload"},
        {"workload.op", "Operation"},
        {"workload.class", "Transport class"},
        {"workload.size", "Message size"},
        {"workload.size.cdf", "Message sizes"},
        {"workload.arrival", "Arrivals"},
        {"workload.count", "Messages of a connection"},
        {"workload.connections", "Connections"},
        {"workload.depth", "Messages outstanding"},
        {"workload.recv_depth", "Receive buffers"},
        {"workload.solicited", "Sends per Solicited Event"},
        {"workload.load", "Offered load"},
        {"workload.hosts", "Hosts that take part"},
        {"workload.start", "Start"},
        {"workload.consume_rate", "Consumer rate"},
    };
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(labels[i].name, key->like ? key->like->name : key->name) == 0)
            return labels[i].label;
    return last_part(key->name);
}

bool key_is_group(const char *prefix)
{
    char plain[KEY_NAME_MAX];
    plain_name(prefix, plain);
    char list[KEY_LOAD_NAME_MAX];
    if (*plain)
        return key_is_group(plain);
    if (strcmp(prefix, "workloads") == 0 || strcmp(prefix, "hosts") == 0 || key_names_hosts(prefix, list))
        return true;
    size_t count, len = strlen(prefix);
    const struct key *keys = keys_all(&count);
    for (size_t i = 0; i < count; i++)
        if (strncmp(keys[i].name, prefix, len) == 0 && keys[i].name[len] == '.')
            return true;
    return false;
}

enum { WORD_MAX = 80 };

/* So many edits are few for a word of this length. */
static size_t few_edits(size_t length)
{
    return 1 + length / 4;
}

/* Edits (insert, delete, replace, swap of neighbours) from a to b; WORD_MAX when one is too long to try, or as soon as it
 * is plain that they are not few for `a`. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), row[3][WORD_MAX + 1], least[2] = {0, 0};
    if (n > WORD_MAX || m > WORD_MAX || m > n + few_edits(n) || n > m + few_edits(n))
        return WORD_MAX;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = least[i % 2] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
            least[i % 2] = best < least[i % 2] ? best : least[i % 2];
        }
        if (least[0] > few_edits(n) && least[1] > few_edits(n)) /* a swap goes back two rows */
            return WORD_MAX;
    }
    return row[n % 3][m];
}

/* Is `d` edits few for a word of this length? */
static bool is_close(size_t d, const char *word)
{
    return d <= few_edits(strlen(word));
}

/* Twice the edits from a wrong name to a known one, or one more than those from its last part to the last part of the
 * known one: in another group. WORD_MAX: far away. */
static size_t closeness(const char *wrong, const char *known)
{
    size_t whole = distance(wrong, known), part = distance(last_part(wrong), last_part(known));
    size_t near = is_close(whole, wrong) ? 2 * whole : WORD_MAX;
    size_t elsewhere = is_close(part, last_part(wrong)) ? 2 * part + 1 : WORD_MAX;
    return near < elsewhere ? near : elsewhere;
}

static const char *suggest_own(const char *wrong, const char *plain)
{
    static char found[KEY_NAME_MAX];
    char word[KEY_LOAD_NAME_MAX];
    const char *near = key_suggest(plain);
    if (near && key_names_load(wrong, word) && strncmp(near, "workload.", 9) == 0)
        snprintf(found, sizeof found, "%s%s%s", loads, word, near + sizeof load - 1);
    else if (near && key_names_hosts(wrong, word))
        snprintf(found, sizeof found, "%s%s.%s", hosts, word, near);
    else
        return NULL;
    return found;
}

const char *key_suggest(const char *wrong)
{
    static char found[WORD_MAX];
    char plain[KEY_NAME_MAX];
    plain_name(wrong, plain);
    if (*plain)
        return suggest_own(wrong, plain);
    size_t count, best = WORD_MAX;
    const struct key *keys = keys_all(&count);
    for (size_t i = 0; i < count; i++)
        for (const char *end = keys[i].name; end;
             end = strchr(end + 1, '.')) { /* its groups, then the key itself */
            char known[WORD_MAX];
            const char *dot = strchr(end + 1, '.');
            snprintf(known, sizeof known, "%.*s", dot ? (int)(dot - keys[i].name) : WORD_MAX, keys[i].name);
            size_t d = closeness(wrong, known);
            if (d < best) {
                best = d;
                memcpy(found, known, sizeof found);
            }
        }
    return best < WORD_MAX ? found : NULL;
}

const char *key_suggest_choice(const struct key *key, const char *wrong)
{
    static char found[WORD_MAX];
    size_t best = WORD_MAX;
    for (size_t i = 0; key->rules.choices && key->rules.choices[i]; i++) {
        const char *word = key->rules.choices[i];
        size_t d = distance(wrong, word);
        if (d < best && is_close(d, wrong)) {
            best = d;
            snprintf(found, sizeof found, "%s%s", word, word[strlen(word) - 1] == ':' ? "SIZE" : "");
        }
    }
    return best < WORD_MAX ? found : NULL;
}

/* ---- members ---- */

static void store_whole(void *member, size_t size, uint64_t n)
{
    if (size == sizeof(uint64_t))
        memcpy(member, &n, size);
    else if (size == sizeof(uint32_t))
        memcpy(member, &(uint32_t){(uint32_t)n}, size);
    else if (size == sizeof(uint16_t))
        memcpy(member, &(uint16_t){(uint16_t)n}, size);
    else
        memcpy(member, &(uint8_t){(uint8_t)n}, size);
}

static uint64_t load_whole(const void *member, size_t size)
{
    uint64_t n8 = 0;
    uint32_t n4 = 0;
    uint16_t n2 = 0;
    uint8_t n1 = 0;
    void *into = size == 8 ? (void *)&n8 : size == 4 ? (void *)&n4 : size == 2 ? (void *)&n2 : (void *)&n1;
    memcpy(into, member, size);
    return size == 8 ? n8 : size == 4 ? n4 : size == 2 ? n2 : n1;
}

void key_store(const struct key *key, const struct value *v, void *base)
{
    char *member = (char *)base + key->offset;
    if (v->type == VALUE_REAL)
        memcpy(member, &v->real, sizeof v->real);
    else if (v->type == VALUE_TEXT)
        memcpy(member, v->text, key->size);
    else
        store_whole(member, key->size, v->n);
    if (key->argument)
        memcpy((char *)base + key->argument, &v->argument, sizeof v->argument);
}

void key_load(const struct key *key, const void *base, struct value *v)
{
    const char *member = (const char *)base + key->offset;
    *v = (struct value){.type = key->rules.type};
    if (v->type == VALUE_REAL)
        memcpy(&v->real, member, sizeof v->real);
    else if (v->type == VALUE_TEXT)
        memcpy(v->text, member, key->size);
    else
        v->n = load_whole(member, key->size);
    if (key->argument)
        memcpy(&v->argument, (const char *)base + key->argument, sizeof v->argument);
}

void keys_preset(struct scenario_point *point, const char *preset)
{
    for (unsigned i = 0; i < rnic_presets_count; i++)
        if (strcmp(rnic_presets[i].name, preset) == 0) {
            point->preset = i;
            rnic_preset_draw(&point->rnic, &rnic_presets[i], point->seed, point->draw);
        }
}

static void read_defaults(struct scenario_point *point, struct scenario_conf *conf)
{
    size_t count;
    const struct key *keys = keys_all(&count);
    for (size_t i = 0; i < count; i++) {
        struct value v;
        char why[VALUE_WHY_MAX];
        if (value_read(&v, &keys[i].rules, keys[i].initial, why))
            key_store(&keys[i], &v, keys[i].of == KEY_POINT ? (void *)point : (void *)conf);
    }
}

/* Read once: a campaign asks for them at each of its points. */
void keys_defaults(struct scenario_point *point, struct scenario_conf *conf)
{
    static struct scenario_point initial;
    static struct scenario_conf conf_initial;
    static bool read;
    if (!read)
        read_defaults(&initial, &conf_initial);
    read = true;
    *point = initial;
    *conf = conf_initial;
}
