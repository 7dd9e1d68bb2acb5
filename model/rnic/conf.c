/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rnic/conf.h"

#include "parameter_rows.h"
#include "rnic/window.h"

#define RATE_MIN     (10 * MBPS)
#define RATE_MAX     (100000000 * MBPS)
#define SIZE_LARGEST (1024 * GIB)

#define WORD(name, word, is)  #word,
#define TRAIT(name, word, is) is,
static const char *const receive_words[] = {RNIC_RECEIVE_TABLE(WORD)};
static const char *const policy_words[] = {RNIC_POLICY_TABLE(WORD)};
const uint8_t rnic_path_traits[] = {RNIC_RECEIVE_TABLE(TRAIT)};

static const char *const retransmit_words[] = {"nic", "host"};
static const char *const order_words[] = {"arrival", "stream", "any"};
static const char *const read_order_words[] = {"one_by_one", "any"};
static const char *const arm_words[] = {"all", "solicited"};
static const char *const ordering_words[] = {"strict", "relaxed"};
static const char *const full_words[] = {"drop", "nak"};
static const char *const completion_words[] = {"poll", "interrupt"};

#define UNLIMITED                   .word = "unlimited", .means = RNIC_UNLIMITED
#define SECURE                      .with = "llp.security", .is = "esp tls"
#define WINDOW                      .with = "llp.kind", .is = "mpa sctp ideal" /* a packet transport has no receive window */
#define PARAMETER_OF                struct rnic_conf
#define DURATION(name, member, ...) TIME(name, member, 0, S, 0, __VA_ARGS__)
#define SPEED(name, member, ...) \
    RATE(name, member, RATE_MIN, RATE_MAX, RNIC_UNLIMITED, __VA_ARGS__, UNLIMITED)
#define MEMORY(name, member, min, ideal, ...) \
    OCTETS(name, member, min, SIZE_LARGEST, ideal, __VA_ARGS__, UNLIMITED)
#define ENTRIES(name, member, ...) COUNT(name, member, 1, 1 << 24, RNIC_UNLIMITED, __VA_ARGS__, UNLIMITED)

/* clang-format off */
static const struct parameter rows[] = {
    CHOICE("receive", receive, receive_words, RNIC_PLACE, "What the adapter does with an out-of-order segment (sctp: out of order in its stream; no discard).", .label = "Receive path"),
    CHOICE("order", order, order_words, RNIC_ARRIVAL, "In which order what arrives becomes visible in memory. arrival: as it comes. stream: all of a connection in the order sent, with the memory and the time of receive hold. any: as it comes, but that the next write overtakes one whose look-up misses (rnic.iommu.miss, rnic.pcie.ordering relaxed).", .with = "rnic.receive", .is = "place", .label = "Order of visibility"),
    CHOICE("read_order", read_order, read_order_words, RNIC_READS_ONE_BY_ONE, "In which order the memory of Responses to RDMA Reads, and of all else that is sent, is read. one_by_one: as it is sent, each read waiting for the look-ups of those before it. any: reads go on while one waits for its look-up (rnic.iommu.read_miss); segments leave in order all the same.", .label = "Order of reads of memory"),
    MEMORY("staging_bytes", staging_bytes, 0, RNIC_UNLIMITED, "Staging buffer of the adapter; a segment that finds it full is dropped before acceptance.", .label = "Staging buffer"),
    MEMORY("hold_bytes", hold_bytes, 0, 1024 * KIB, "receive hold: memory of the adapter for segments out of order; full: refused before acceptance.", .label = "Memory for out-of-order segments"),
    COUNT("track.pool", track.pool, 1, UINT64_C(1) << 40, RNIC_UNLIMITED, "Bits that all connections of an adapter share to remember what is placed or held with something before it missing, by the layout of llp.tracking. A segment for which none is left is refused; the first missing one of a connection needs none.", .counts = "bits per adapter", .with = "llp.tracking", .is = "ranges bitmap counter", .word = "unlimited", .means = RNIC_UNLIMITED, .label = "Tracking pool"),
    CHOICE("track.full", track.full, full_words, RNIC_TRACK_DROP, "What becomes of a segment that cannot be remembered (rnic.track.pool, llp.tracking). drop: it counts as lost, and is found missing as what is lost. nak: the receiver asks for it again at once, as for a trimmed one.", .with = "llp.recovery", .is = "irn rud", .label = "When tracking is full"),
    CHOICE("retransmit", retransmit, retransmit_words, RNIC_FROM_NIC, "Source of a retransmission's octets: the adapter's snapshot, or host memory."),
    OCTETS("inline_bytes", inline_bytes, 0, 4 * KIB, 0, "Messages up to this size travel with the doorbell: no descriptor fetch, no DMA read."),

    CHOICE("window.policy", window.policy, policy_words, RNIC_PLACED, "What the advertised receive window counts (RFC 5041 Appendix A); if not set, buffer where receive is copy.", WINDOW, .label = "Window policy"),
    MEMORY("window.bytes", window.bytes, 1, 1024 * KIB, "Receive window of a connection (sctp: of an association, which its streams share); policy bdp: the largest window it may find; unlimited, if not set: 8 times what the line needs, at least 4 MiB.", WINDOW, .label = "Receive window"),
    RATIO("window.headroom", window.headroom, 1000, 16000, 2000, "bdp: window over measured rate x measured round trip.", WINDOW),
    OCTETS("window.mark", window.mark, 0, SIZE_LARGEST, 64 * KIB, "retire: octets in staging above which the peer is slowed.", WINDOW),
    RATIO("window.drain", window.drain, 0, 1000, 750, "retire: how fast the edge moves above the mark, as a share of the retire rate.", WINDOW),

    DURATION("stall.every", stall.every, "Retirement stalls once per this interval; 0: never.", .label = "Time between stalls"),
    DURATION("stall.for", stall.for_, "Duration of each stall: an IOMMU miss, a busy bus.", .label = "Length of a stall"),
    DURATION("stall.jitter", stall.jitter, "Each stall starts later by a random time of at most this."),

    DURATION("tx.doorbell", tx.doorbell, "Time from the CPU's store until the adapter sees it."),
    OCTETS("tx.descriptor", tx.descriptor, 0, 4 * KIB, 64, "Size of a work request, fetched over PCIe."),
    COUNT("tx.queues", tx.queues, 1, 64, 1, "Transmit pipelines side by side, each as rnic.tx and rnic.crypto say. Connections are dealt out to them in turn; one connection uses one."),
    COUNT("tx.burst", tx.burst, 1, 64, 1, "Segments of one connection that leave in a row while it has some: tx.segment is spent once for all of them, and other connections wait (segmentation offload)."),
    DURATION("tx.segment", tx.segment, "Transmit pipeline: time busy per segment."),
    SPEED("tx.rate", tx.rate, "Transmit pipeline: rate for octets, on top of the time per segment."),
    DURATION("tx.latency", tx.latency, "Transmit pipeline: latency of its depth; delays, does not occupy."),
    SPEED("tx.connection_rate", tx.connection_rate, "The most that one connection can send."),
    COUNT("rx.queues", rx.queues, 1, 64, 1, "Receive pipelines side by side, each as rnic.rx and rnic.crypto say, the CRC included. Connections are dealt out to them in turn; one connection uses one."),
    COUNT("rx.coalesce", rx.coalesce, 1, 64, 1, "Segments of one connection in a row that are taken as one while they wait: rx.segment is spent once for all of them (receive coalescing)."),
    DURATION("rx.segment", rx.segment, "Receive pipeline: time busy per segment."),
    SPEED("rx.rate", rx.rate, "Receive pipeline: rate for octets, on top of the time per segment."),
    DURATION("rx.latency", rx.latency, "Receive pipeline: latency of its depth; delays, does not occupy."),
    SPEED("rx.crc_rate", rx.crc_rate, "CRC check after the receive pipeline."),
    SPEED("crypto.rate", crypto.rate, "llp.security: rate at which octets are encrypted, and, beside it, decrypted and checked.", SECURE),
    DURATION("crypto.latency", crypto.latency, "llp.security: latency of encryption, and of decryption; delays, does not occupy.", SECURE),

    COUNT("pcie.generation", pcie.generation, 0, 5, 0, "PCI Express generation, 1 .. 5; 0: crossing takes no wire time."),
    COUNT("pcie.lanes", pcie.lanes, 1, 32, 16, "PCIe lanes: 1, 2, 4, 8, 16 or 32."),
    OCTETS("pcie.payload", pcie.payload, 64, 4 * KIB, 256, "Most octets in one PCIe packet (MPS); a power of two."),
    OCTETS("pcie.request", pcie.request, 64, 4 * KIB, 512, "Most octets of one read request (MRRS); a power of two."),
    OCTETS("pcie.overhead", pcie.overhead, 0, 64, 24, "Framing, sequence, header and digest octets of a PCIe packet."),
    DURATION("pcie.read", pcie.read, "Round trip of a DMA read: request until its first octet."),
    DURATION("pcie.write", pcie.write, "DMA write: last octet sent until it is visible in memory."),
    COUNT("pcie.reads", pcie.reads, 1, 1024, 32, "DMA read requests outstanding."),
    COUNT("pcie.credits", pcie.credits, 1, 1024, 64, "DMA write packets without a returned credit."),
    CHOICE("pcie.ordering", pcie.ordering, ordering_words, RNIC_STRICT, "Whether writes wait behind one that waits for its address (rnic.iommu). strict: they do; relaxed: they go on, and only the reports of them keep order."),
    RATIO("iommu.miss", iommu.miss, 0, 1000, 0, "Share of the writes, each 4 KiB begun counting as one, whose address the IOMMU must look up in memory; 0: none."),
    RATIO("iommu.read_miss", iommu.read_miss, 0, 1000, 0, "Share of the reads of what is sent whose address the IOMMU must look up, likewise; 0: none."),
    DURATION("iommu.walk", iommu.walk, "Mean time of such a look-up: half of them take up to two thirds of it, half of the others up to four thirds, and so on."),
    SPEED("bus.rate", bus.rate, "Main memory bandwidth that adapter and CPU share."),
    RATE("bus.background", bus.background, 0, RATE_MAX, 0, "Memory bandwidth that other devices and programs use."),

    ENTRIES("cache.stags", cache.stags, "STag contexts on the adapter; a miss costs a PCIe read."),
    ENTRIES("cache.connections", cache.connections, "Connection contexts on the adapter."),
    OCTETS("cache.context", cache.context, 1, 4 * KIB, 256, "Octets fetched at a miss."),
    COUNT("cache.misses", cache.misses, 1, 1024, 4, "Misses served at the same time."),

    CHOICE("completion.mode", completion.mode, completion_words, RNIC_POLL, "The host polls for completions, or is interrupted."),
    OCTETS("completion.entry", completion.entry, 0, 4 * KIB, 64, "Size of a completion queue entry, written over PCIe."),
    COUNT("completion.count", completion.count, 1, 1 << 20, 1, "interrupt: raised after this many completions."),
    DURATION("completion.interval", completion.interval, "interrupt: or raised this long after the first completion."),
    DURATION("completion.latency", completion.latency, "interrupt: time from raising it until its handler runs."),
    CHOICE("completion.arm", completion.arm, arm_words, RNIC_ARM_ALL, "interrupt: raised for every receive, or only for receives with a Solicited Event (workload.solicited)."),

    COUNT("cpu.cores", cpu.cores, 1, 64, 1, "Cores that post, poll, enter the kernel and copy: the first free one takes the next piece of work."),
    DURATION("cpu.post", cpu.post, "CPU time to post a work request."),
    DURATION("cpu.poll", cpu.poll, "CPU time to take a completion."),
    DURATION("cpu.wakeup", cpu.wakeup, "CPU time to wake a thread."),
    DURATION("cpu.syscall", cpu.syscall, "CPU time of a system call."),
    DURATION("cpu.segment", cpu.segment, "receive copy: CPU time of the transport for one segment."),
    SPEED("cpu.copy_rate", cpu.copy_rate, "receive copy: rate at which the CPU copies."),
};
/* clang-format on */
const struct parameter_table rnic_parameters = TABLE("rnic", "adapter of every host", rows);

/* ---- what makes no sense ---- */

static bool power_of_two(uint64_t n)
{
    return n && (n & (n - 1)) == 0;
}

static const char *staging_error(const struct rnic_conf *c, uint32_t fpdu)
{
    return c->staging_bytes < fpdu ? "staging smaller than a full segment drops every full segment" : NULL;
}

static const char *hold_error(const struct rnic_conf *c, uint32_t fpdu)
{
    bool small = rnic_path_is(rnic_path_of(c), RNIC_HOLDS) && c->hold_bytes < fpdu;
    return small ? "receive: hold needs memory for at least one full segment" : NULL;
}

static const char *policy_error(const struct rnic_conf *c, uint32_t fpdu)
{
    (void)fpdu;
    bool wrong = rnic_path_is(c->receive, RNIC_BY_CPU) && !rnic_policy_is(c->window.policy, RNIC_CONSUMED);
    return wrong ? "receive: copy buffers everything until the ULP reads it, so its only policy is buffer"
                 : NULL;
}

static const char *window_error(const struct rnic_conf *c, uint32_t fpdu)
{
    return rnic_window_error(&c->window, fpdu);
}

static const char *mark_error(const struct rnic_conf *c, uint32_t fpdu)
{
    (void)fpdu;
    bool never = rnic_policy_is(c->window.policy, RNIC_SLOWS) && c->window.mark >= c->staging_bytes;
    return never ? "policy retire: the mark is above the size of staging" : NULL;
}

static const char *every_error(const struct rnic_conf *c, uint32_t fpdu)
{
    (void)fpdu;
    if (c->stall.for_ == 0 || c->stall.every == 0)
        return NULL;
    return c->stall.for_ + c->stall.jitter < c->stall.every
               ? NULL
               : "stalls overlap: stall.every must be more than stall.for + stall.jitter";
}

static const char *order_error(const struct rnic_conf *c, uint32_t fpdu)
{
    (void)fpdu;
    bool waits = c->iommu.miss && c->pcie.ordering == RNIC_RELAXED;
    return c->order == RNIC_ANY && !waits
               ? "any lets the next write overtake one whose look-up misses, and none "
                 "does: give rnic.iommu.miss, and rnic.pcie.ordering: relaxed"
               : NULL;
}

static const char *read_order_error(const struct rnic_conf *c, uint32_t fpdu)
{
    (void)fpdu;
    return c->read_order == RNIC_READS_IN_ANY_ORDER && !c->iommu.read_miss
               ? "any lets reads go on while one waits for its look-up, and none does: give "
                 "rnic.iommu.read_miss"
               : NULL;
}

static const char *lanes_error(const struct rnic_conf *c, uint32_t fpdu)
{
    (void)fpdu;
    return power_of_two(c->pcie.lanes) ? NULL : "PCIe lanes must be 1, 2, 4, 8, 16 or 32";
}

static const char *payload_error(const struct rnic_conf *c, uint32_t fpdu)
{
    (void)fpdu;
    return power_of_two(c->pcie.payload) ? NULL : "the PCIe payload size must be a power of two";
}

static const char *request_error(const struct rnic_conf *c, uint32_t fpdu)
{
    (void)fpdu;
    return power_of_two(c->pcie.request) ? NULL : "the PCIe read request size must be a power of two";
}

static const char *background_error(const struct rnic_conf *c, uint32_t fpdu)
{
    (void)fpdu;
    bool left = c->bus.rate == RNIC_UNLIMITED ||
                (c->bus.background < c->bus.rate && c->bus.rate - c->bus.background >= RATE_MIN);
    return left ? NULL : "the background load leaves nothing (less than 10 Mb/s) of the memory bus";
}

/* Rules that look at more than one number: the parameter that is named, and the rule. */
static const struct {
    const char *name;
    const char *(*error)(const struct rnic_conf *, uint32_t fpdu);
} rules[] = {
    {"staging_bytes", staging_error},     {"hold_bytes", hold_error},      {"window.policy", policy_error},
    {"window.bytes", window_error},       {"window.mark", mark_error},     {"stall.every", every_error},
    {"pcie.lanes", lanes_error},          {"pcie.payload", payload_error}, {"pcie.request", request_error},
    {"bus.background", background_error}, {"order", order_error},          {"read_order", read_order_error},
};

static const char *rule_error(const struct rnic_conf *conf, uint32_t fpdu, const struct parameter **which)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        *which = parameter_find(&rnic_parameters, rules[i].name);
        const char *error = rules[i].error(conf, fpdu);
        if (error)
            return error;
    }
    return NULL;
}

const char *rnic_conf_error(const struct rnic_conf *conf, uint32_t fpdu, const struct parameter **which)
{
    const struct parameter *nobody;
    which = which ? which : &nobody;
    const char *error = parameter_error(conf, &rnic_parameters, which);
    return error ? error : rule_error(conf, fpdu, which);
}

/* ---- presets ---- */

static void set(struct rnic_conf *conf, const char *name, uint64_t value)
{
    parameter_set(conf, parameter_find(&rnic_parameters, name), value);
}

static bool same_word(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

void rnic_preset_load(struct rnic_conf *conf, const struct rnic_preset *preset)
{
    parameter_defaults(conf, &rnic_parameters);
    for (const struct rnic_fact *fact = preset->facts; fact->name; fact++)
        set(conf, fact->name, fact->value);
}

const struct rnic_fact *rnic_preset_fact(const struct rnic_preset *preset, const char *name)
{
    for (const struct rnic_fact *fact = preset->facts; fact->name; fact++)
        if (same_word(fact->name, name))
            return fact;
    return NULL;
}

/* The finalizer of SplitMix64. */
static uint64_t mixed(uint64_t n)
{
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
    return n ^ n >> 31;
}

static uint64_t drawn(const struct rnic_fact *fact, uint64_t seed, uint32_t draw)
{
    uint64_t n = mixed(mixed(seed) + draw);
    for (const char *c = fact->name; *c; c++)
        n = mixed(n + (unsigned char)*c);
    return n % 3 == 0 ? fact->low : n % 3 == 1 ? fact->value : fact->high;
}

void rnic_preset_draw(struct rnic_conf *conf, const struct rnic_preset *preset, uint64_t seed, uint32_t draw)
{
    rnic_preset_load(conf, preset);
    for (const struct rnic_fact *fact = preset->facts; draw && fact->name; fact++)
        set(conf, fact->name, drawn(fact, seed, draw));
}

const char *rnic_grade_name(enum rnic_grade grade)
{
    static const char *const names[] = {"maker", "others", "derived", "fitted", "guess"};
    return names[grade];
}
