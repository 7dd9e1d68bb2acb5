/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.c -- what a user can set below `workload.`, and of it below `rnic.`: the tables of struct workload_conf. */
#include "parameter_rows.h"
#include "scenarios/workloads/workload.h"

#define KIND(name, traits)                [WORKLOAD_##name] = traits,
#define KIND_WORD(name, traits)           [WORKLOAD_##name] = #name,
#define TRAITS(name, word, traits)        [WORKLOAD_##name] = traits,
#define WORD(name, word, traits)          [WORKLOAD_##name] = #word,
#define OP_TRAITS(name, word, op, traits) [WORKLOAD_##name] = traits,
#define OP_WORD(name, word, op, traits)   [WORKLOAD_##name] = #word,
#define OP(name, word, op, traits)        [WORKLOAD_##name] = op,

#define MARK_TRAITS(name, word, op, traits) [WORKLOAD_##name] = traits,

const uint32_t workload_traits[] = {WORKLOAD_TABLE(KIND)};
const uint32_t workload_op_traits[] = {WORKLOAD_OP_TABLE(OP_TRAITS)};
const uint32_t workload_transport_traits[] = {WORKLOAD_TRANSPORT_TABLE(TRAITS)};
const enum iw_op workload_requests[] = {WORKLOAD_OP_TABLE(OP)};
#define FAULT_WORD(name, word) [WORKLOAD_##name] = #word,

const char *const workload_fault_words[] = {WORKLOAD_FAULT_TABLE(FAULT_WORD)};
const uint8_t workload_mark_traits[] = {WORKLOAD_NOTIFY_TABLE(MARK_TRAITS)};
const enum iw_op workload_marks[] = {WORKLOAD_NOTIFY_TABLE(OP)};
const char *const workload_notify_words[] = {WORKLOAD_NOTIFY_TABLE(OP_WORD)};
static const char *const kinds[] = {WORKLOAD_TABLE(KIND_WORD)};
static const char *const ops[] = {WORKLOAD_OP_TABLE(OP_WORD)};
static const char *const ways[] = {WORKLOAD_WAY_TABLE(FAULT_WORD)};
static const char *const transports[] = {WORKLOAD_TRANSPORT_TABLE(WORD)};
static const char *const arrivals[] = {
    [WORKLOAD_CLOSED] = "closed", [WORKLOAD_POISSON] = "poisson", [WORKLOAD_EVERY] = "every"};
_Static_assert(sizeof arrivals / sizeof *arrivals == WORKLOAD_ARRIVALS, "each arrival has its word");

const char *workload_kind_name(enum workload_kind kind)
{
    return kinds[kind];
}

#define PARAMETER_OF struct workload_conf
/* Goes with the kinds that have this trait. */
#define FOR(is) .with = "workload.kind", .trait = WORKLOAD_##is

/* clang-format off */
static const struct parameter rows[] = {
    CHOICE("kind", kind, kinds, WORKLOAD_stream, "What the hosts do: see `iwarpsim list`.", .traits = workload_traits, .label = "Workload"),
    CHOICE("op", op, ops, WORKLOAD_WRITE, "The RDMA operation of each message. fetch_add and cmp_swap (RFC 7306) change an 8-octet number in the peer's memory, one per connection, and return its previous value. kind ddp: write is a tagged message, send an untagged one of queue 0. kind collective: allreduce, all_gather, reduce_scatter, all_to_all or broadcast, in Sends.", FOR(MOVES | WORKLOAD_JOINT), .label = "Operation"),
    CHOICE("by", by, ways, WORKLOAD_BY_RING, "How a collective operation goes (scenarios/schedules/README.md). ring: part by part round all hosts; all but all_to_all. tree: whole, along a binomial tree; allreduce, broadcast. halving: exchanges with ever nearer hosts of ever less, or the other way round; 2, 4, 8 ... hosts; allreduce, all_gather, reduce_scatter. direct: each host to all others at once; any operation.", FOR(JOINT), .label = "Way of the operation"),
    OCTETS("size", size, 0, GIB, 64 * KIB, "Size of a message; ring, collective: of what all hosts have together at the end, or each at the start, of which a part is an N-th.", .counts = "ULP octets", FOR(MOVES | WORKLOAD_SIZED), .label = "Message size"),
    TEXT("size.cdf", size_cdf, "Draw message sizes from this file of `octets share` lines instead. It is in the scenario's folder, or one of those that are shipped: web-search.cdf, data-mining.cdf.", .counts = "ULP octets", FOR(MOVES), .label = "Message sizes"),
    COUNT("count", count, 1, 1000000000, 1000, "Messages; ring: allreduces; collective: operations, one after the other at each host; storage: blocks. unlimited: until the window of measure.for ends.", .counts = "per connection", FOR(MOVES | WORKLOAD_SIZED), .word = "unlimited", .means = WORKLOAD_UNLIMITED, .label = "Messages of a connection"),
    COUNT("steps", steps, 1, 1000000, 0, "Steps to run of each allreduce; all: 2(N-1).", .counts = "per connection", FOR(ROUND), .word = "all"),
    CHOICE("class", transport, transports, WORKLOAD_RELIABLE_ORDERED, "Transport class: messages are retransmitted until acknowledged, or never; delivered in order, or as they arrive.", .acts = "association", FOR(BARE), .label = "Transport class"),
    TIME("reuse", reuse, 0, S, 0, "So often the receiving program unregisters its buffer and at once registers another one under the same STag (DDPP core 3.4): what is under way lands in the wrong buffer, which messages_wrong and octets_wrong count. 0: never.", .acts = "receiver", .with = "workload.class", .is = "unreliable_unordered", .label = "Time between reuses of an STag"),
    TIME("quarantine", quarantine, 0, S, 0, "After each reuse nothing is placed under that STag for so long, and the sender waits as long: where no message lives longer (MDL), nothing lands in the wrong buffer. 0: none.", .acts = "both ends", .with = "workload.class", .is = "unreliable_unordered", .label = "Quarantine of an STag"),
    COUNT("connections", connections, 1, 65536, 1, "Connections between each pair of communicating hosts.", .counts = "connections", FOR(MOVES | WORKLOAD_CONNECTED), .label = "Connections"),
    COUNT("stags", stags, 1, 1000000, 1, "Registered regions that the messages use in turn.", .counts = "per connection and side", FOR(MOVES)),
    COUNT("depth", depth, 1, 16384, 16, "Messages outstanding: posted, and not yet both completed and in place.", .counts = "per connection", .acts = "sender", FOR(DEEP), .label = "Messages outstanding"),
    COUNT("solicited", solicited, 1, 65535, 0, "Every Nth Send of a connection, and its last, carries a Solicited Event; see rnic.completion.arm.", .counts = "messages", .acts = "sender", .with = "workload.op", .is = "send", .word = "never", .label = "Sends per Solicited Event"),
    COUNT("recv_depth", recv_depth, 1, 65535, 0, "Receive buffers posted; iWARP has no `receiver not ready`: a Send that finds none ends the stream. auto: as many as the workload can need.", .counts = "per connection", .acts = "receiver", .word = "auto", .label = "Receive buffers"),
    TEXT("script", script, "The operations, step by step: `write 9000; send 2000; wait; peer send 100`. Operations: send, send_inv, send_se, send_se_inv, write, read, each with its octets (9000, 64KiB, 1MB); fetch_add N, cmp_swap OLD NEW (RFC 7306); wait: until all are complete. An operation may be followed by fence; to nothing, readable, writable, foreign; beyond; into OCTETS; unexpected.", .with = "workload.kind", .is = "script"),
    TEXT("file", goal_file, "The GOAL schedule to run, in the text format of LogGOPSim and ATLAHS; rank r is host r. The file lies beside the scenario or is shipped (`iwarpsim list`).", FOR(PLAYS)),
    TEXT("matrix", matrix_file, "The connection matrix to run, in the text format of htsim and of UET's simulator: `0->13 start 0 size 2000000`, each flow one Write, `start` in microseconds, and triggers. Host h is host h. The file lies beside the scenario or is shipped (`iwarpsim list`).", FOR(LISTED)),
    RATE("consume_rate", consume_rate, MBPS / 1000, 10000 * 1000 * MBPS, 0, "Rate at which the ULP reads in-order octets.", .counts = "per connection", .acts = "receiver", .word = "unlimited", .label = "Consumer rate"),
    TIME("start_jitter", start_jitter, 0, 10 * S, 0, "Each connection starts after a random delay of at most this.", .acts = "sender", FOR(MOVES | WORKLOAD_JITTERED)),
    CHOICE("arrival", arrival, arrivals, WORKLOAD_CLOSED, "closed: post the next message when one completes. poisson, every: post by the clock, whether or not others have completed.", .acts = "sender", FOR(OPEN), .label = "Arrivals"),
    REAL("load", load, 1, 10000, 500, "Offered load of poisson and every.", .counts = "share of the receiver's link, payload octets", .acts = "sender", .with = "workload.arrival", .is = "poisson every", .label = "Offered load"),
    CHOICE("notify", notify, workload_notify_words, WORKLOAD_UNTOLD, "How the receiving program learns of each Write. Never early (RFC 5040 5.5, RFC 7306): send (a Send behind the Write), send_waits (posted when the Write has completed at its sender), immediate (Immediate Data behind the Write), immediate_count (depth messages at once, when as many came), atomic (a fetch_add behind the Write), read_back (one octet is read back, then a flag is written). May be early: last_octet (the last octet of the Write itself), flag (8 octets by a second Write behind it), flag_other, flag_other_waits, atomic_other (the same on another connection; waits: when the Write has completed). none: no program is told.", .counts = "per message", FOR(OPEN | WORKLOAD_ROUND), .label = "How the program is told"),
    TIME("notify_poll", notify_poll, 0, S, 0, "The program looks for its mark at multiples of this time; 0: always. It takes what it saw in memory after rnic.cpu.poll.", .acts = "receiver", .with = "workload.notify", .is = "send send_waits immediate immediate_count atomic read_back last_octet flag flag_other flag_other_waits atomic_other", .label = "Time between two looks"),
    TEXT("hosts", host_list, "Hosts that take part, in this order: all, or numbers and ranges, `0 4-7`. A kind numbers them from 0 in this order: with `5 0`, stream sends from host 5 to host 0. pack N: the first N hosts that no workload above it names, next to each other as far as may be; spread N: N of those at even distances, so behind as many switches as may be.", .label = "Hosts that take part", .word = "all"),
    TEXT("tenant", of_tenant, "The tenant that does this, one of those below tenants: a local ULP on each host, which gets what is scarce from the privileged resource manager (RFC 5041 8.3.2, RFC 5042 2).", .label = "Tenant"),
    TIME("start", start, 0, 1000 * S, 0, "When it begins, after the start of the run.", .acts = "sender", .label = "Start"),
};

static const struct parameter rnic_rows[] = {
    COUNT("srq", shared_receives, 1, 16777216, 0, "Receive buffers that all connections of a host share, instead of workload.recv_depth for each: a shared receive queue (RFC 5042 6.4.3.1). A Send takes one when its first segment arrives, in order or not; a Send that finds none in its turn ends its stream.", .counts = "buffers per host", .acts = "receiver", .with = "workload.op", .is = "send", .word = "off"),
};
/* clang-format on */

const struct parameter_table workload_parameters = TABLE("workload", NULL, rows);
const struct parameter_table workload_rnic_parameters = TABLE("rnic", NULL, rnic_rows);
