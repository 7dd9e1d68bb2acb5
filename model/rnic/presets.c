/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The named adapters. Most of what a simulator needs was never published: such a number says so (guess), or is chosen so
 * that a published whole comes out (fitted; validation/unit/rnic_stage_test.c checks that it does).
 * A row is {name, low, likely, high, grade, source}. */
#include "rnic/conf.h"

#define NS   UINT64_C(1000)
#define US   (1000 * NS)
#define MBPS UINT64_C(1000000)
#define GBPS (1000 * MBPS)
#define KIB  UINT64_C(1024)

#define PCIE_BENCH                                                                                           \
    "Neugebauer et al., Understanding PCIe performance for end host networking, SIGCOMM 2018: 64 octets by " \
    "DMA read, median on a Haswell Xeon (another adapter, so the range is half to twice)"
#define PCIE_TLP                                                                                     \
    "Intel 683541, Protocol Overhead: framing and sequence 4, header 12 or 16, LCRC 4, and 4 of an " \
    "optional "                                                                                      \
    "ECRC; without acknowledgements"
#define HALF_READ  "about half of a read's round trip"
#define USUAL      "usual setting of servers of its time"
#define NOT_PUBLIC "not published"
#define T4_DRIVER                                                                                       \
    "Linux driver iw_cxgb4: one 64-octet entry less fw_ri_send_wr (32) and fw_ri_immd (8) goes with a " \
    "write-combined doorbell"
#define ENTRY_64 "entries of 64 octets in the Linux driver"

/* Published as it stands; and what nobody says how far off it is: half to twice. */
#define EXACT(name, value, grade, source)              \
    {                                                  \
        name, (value), (value), (value), grade, source \
    }
#define WIDE(name, value, source)                                   \
    {                                                               \
        name, (value) / 2, (value), 2 * (value), RNIC_GUESS, source \
    }

static const struct rnic_fact none[] = {{NULL, 0, 0, 0, RNIC_GUESS, NULL}};

/* clang-format off */

/* A server around 2014 - 2018. */
#define HOST \
    WIDE("pcie.payload", 256, USUAL), \
    WIDE("pcie.request", 512, USUAL), \
    {"pcie.overhead", 20, 24, 28, RNIC_DERIVED, PCIE_TLP}, \
    {"pcie.read", 273 * NS, 547 * NS, 2 * 547 * NS, RNIC_OTHERS, PCIE_BENCH}, \
    {"pcie.write", 125 * NS, 250 * NS, 500 * NS, RNIC_DERIVED, HALF_READ}, \
    WIDE("pcie.reads", 32, "tags of a PCI Express function without the extended tag field"), \
    WIDE("pcie.credits", 64, NOT_PUBLIC), \
    WIDE("tx.doorbell", 150 * NS, "an uncached store crosses PCIe one way"), \
    WIDE("cpu.post", 50 * NS, "some 150 instructions"), \
    WIDE("cpu.poll", 50 * NS, "some 150 instructions"), \
    WIDE("cpu.wakeup", 3 * US, "a thread woken on an idle core"), \
    WIDE("cpu.syscall", 200 * NS, "entry, exit and the mitigations of the time"), \
    WIDE("cpu.copy_rate", 80 * GBPS, "10 GB/s by one core out of memory"), \
    WIDE("completion.latency", 2 * US, "message-signalled interrupt until the handler runs")

#define T5_LATENCY                                                                                            \
    "chelsio.com/nic/rdma-iwarp: end-to-end RDMA latency of about 1.5 us, taken as 1.4 to 1.6; what is left, " \
    "shared equally"

static const struct rnic_fact t5[] = {
    HOST,
    WIDE("cpu.segment", 1 * US, "kernel TCP for one packet"),
    EXACT("pcie.generation", 3, RNIC_MAKER, "Chelsio Terminator 5 product brief: PCI Express 3.0 x8"),
    EXACT("pcie.lanes", 8, RNIC_MAKER, "Chelsio Terminator 5 product brief: PCI Express 3.0 x8"),
    WIDE("bus.rate", 546 * GBPS, "peak of four channels DDR4-2133, the host's and not the adapter's"),
    EXACT("tx.rate", 40 * GBPS, RNIC_MAKER, "Chelsio Terminator 5 product brief: line rate at 40 Gb/s"),
    EXACT("rx.rate", 40 * GBPS, RNIC_MAKER, "Chelsio Terminator 5 product brief: line rate at 40 Gb/s"),
    WIDE("tx.segment", 30 * NS, NOT_PUBLIC),
    WIDE("rx.segment", 30 * NS, NOT_PUBLIC),
    {"tx.latency", 390 * NS, 440 * NS, 490 * NS, RNIC_FITTED, T5_LATENCY},
    {"rx.latency", 390 * NS, 440 * NS, 490 * NS, RNIC_FITTED, T5_LATENCY},
    EXACT("inline_bytes", 24, RNIC_MAKER, T4_DRIVER),
    EXACT("tx.descriptor", 64, RNIC_MAKER, ENTRY_64),
    WIDE("completion.entry", 64, NOT_PUBLIC),
    EXACT("window.bytes", 256 * KIB, RNIC_MAKER, "Linux driver iw_cxgb4: rcv_win, default 256 KiB"),
    WIDE("staging_bytes", 512 * KIB, NOT_PUBLIC),
    WIDE("cache.stags", 4096, NOT_PUBLIC),
    WIDE("cache.connections", 1024, NOT_PUBLIC),
    WIDE("cache.misses", 4, NOT_PUBLIC),
    {NULL, 0, 0, 0, RNIC_GUESS, NULL},
};

static const struct rnic_fact t6[] = {
    HOST,
    WIDE("cpu.segment", 1 * US, "kernel TCP for one packet"),
    EXACT("pcie.generation", 3, RNIC_MAKER, "Chelsio T62100 product brief: PCI Express 3.0 x16"),
    EXACT("pcie.lanes", 16, RNIC_MAKER, "Chelsio T62100 product brief: PCI Express 3.0 x16"),
    WIDE("bus.rate", 614 * GBPS, "peak of four channels DDR4-2400, the host's and not the adapter's"),
    EXACT("tx.rate", 100 * GBPS, RNIC_MAKER, "Chelsio T62100 product brief: line rate at 100 Gb/s"),
    EXACT("rx.rate", 100 * GBPS, RNIC_MAKER, "Chelsio T62100 product brief: line rate at 100 Gb/s"),
    WIDE("tx.segment", 15 * NS, "half of t5's guess"),
    WIDE("rx.segment", 15 * NS, "half of t5's guess"),
    {"tx.latency", 160 * NS, 310 * NS, 460 * NS, RNIC_GUESS, "a small Send in 1.2 us, 0.9 to 1.5: below t5's 1.5 us; chelsio.com/terminator-6-asic says sub 1 us through hardware"},
    {"rx.latency", 160 * NS, 310 * NS, 460 * NS, RNIC_GUESS, "as tx.latency"},
    EXACT("inline_bytes", 24, RNIC_MAKER, T4_DRIVER),
    EXACT("tx.descriptor", 64, RNIC_MAKER, ENTRY_64),
    WIDE("completion.entry", 64, NOT_PUBLIC),
    EXACT("window.bytes", 256 * KIB, RNIC_MAKER, "Linux driver iw_cxgb4: rcv_win, default 256 KiB"),
    WIDE("staging_bytes", 1024 * KIB, NOT_PUBLIC),
    WIDE("cache.stags", 8192, NOT_PUBLIC),
    WIDE("cache.connections", 2048, NOT_PUBLIC),
    WIDE("cache.misses", 8, NOT_PUBLIC),
    {NULL, 0, 0, 0, RNIC_GUESS, NULL},
};

#define INTEL "Intel article 000059783 (E810-CQDA2, ib_send_bw): 49 Gb/s with one connection, 88 with two, 91 with three"

static const struct rnic_fact e810[] = {
    HOST,
    WIDE("cpu.segment", 1 * US, "kernel TCP for one packet"),
    EXACT("pcie.generation", 4, RNIC_MAKER, "Intel E810-CQDA2 product brief: PCI Express 4.0 x16"),
    EXACT("pcie.lanes", 16, RNIC_MAKER, "Intel E810-CQDA2 product brief: PCI Express 4.0 x16"),
    WIDE("bus.rate", 1638 * GBPS, "peak of eight channels DDR4-3200, the host's and not the adapter's"),
    {"tx.connection_rate", 48500 * MBPS, 49 * GBPS, 49500 * MBPS, RNIC_FITTED, INTEL},
    {"tx.rate", 88 * GBPS, 91 * GBPS, 91500 * MBPS, RNIC_FITTED, INTEL "; two connections come to 91 here, 3 % above"},
    EXACT("rx.rate", 100 * GBPS, RNIC_MAKER, "Intel E810-CQDA2 product brief: 100 Gb/s"),
    {"tx.segment", 0, 0, 10 * NS, RNIC_FITTED, "the per-octet rate alone gives " INTEL},
    WIDE("rx.segment", 10 * NS, NOT_PUBLIC),
    WIDE("tx.latency", 500 * NS, NOT_PUBLIC),
    WIDE("rx.latency", 500 * NS, NOT_PUBLIC),
    EXACT("inline_bytes", 0, RNIC_MAKER, "Linux driver irdma: push mode is off for this generation, so the request is fetched"),
    WIDE("tx.descriptor", 64, NOT_PUBLIC),
    WIDE("completion.entry", 64, NOT_PUBLIC),
    EXACT("window.bytes", 0x3FFFC, RNIC_MAKER, "Linux driver irdma: IRDMA_CM_DEFAULT_RCV_WND_SCALED"),
    WIDE("staging_bytes", 1024 * KIB, NOT_PUBLIC),
    WIDE("cache.stags", 8192, NOT_PUBLIC),
    WIDE("cache.connections", 2048, NOT_PUBLIC),
    WIDE("cache.misses", 8, NOT_PUBLIC),
    {NULL, 0, 0, 0, RNIC_GUESS, NULL},
};

#define RASHTI "Rashti and Afsahi, 10-Gigabit iWARP Ethernet, CAC 2007: 87 % of the available bandwidth"

static const struct rnic_fact ne010[] = {
    EXACT("pcie.generation", 1, RNIC_GUESS, "PCI Express x8 of 2006; the product brief was not available"),
    EXACT("pcie.lanes", 8, RNIC_GUESS, "PCI Express x8 of 2006; the product brief was not available"),
    WIDE("pcie.payload", 128, USUAL),
    WIDE("pcie.request", 512, USUAL),
    {"pcie.overhead", 20, 24, 28, RNIC_DERIVED, PCIE_TLP},
    WIDE("pcie.read", 1 * US, "twice that of the hosts of 2014"),
    {"pcie.write", 250 * NS, 500 * NS, 1 * US, RNIC_DERIVED, HALF_READ},
    WIDE("pcie.reads", 16, NOT_PUBLIC),
    WIDE("pcie.credits", 32, NOT_PUBLIC),
    WIDE("bus.rate", 85 * GBPS, "a front-side bus of 1333 MT/s x 8 octets, the host's and not the adapter's"),
    {"tx.rate", 8650 * MBPS, 8700 * MBPS, 8750 * MBPS, RNIC_FITTED, RASHTI},
    EXACT("rx.rate", 10 * GBPS, RNIC_MAKER, "a 10 Gb/s port"),
    {"tx.segment", 0, 0, 100 * NS, RNIC_FITTED, "the per-octet rate alone gives " RASHTI},
    WIDE("rx.segment", 200 * NS, NOT_PUBLIC),
    WIDE("tx.latency", 2500 * NS, "a small Send in some 9 us, the order that papers of the time report"),
    WIDE("rx.latency", 2500 * NS, "as tx.latency"),
    WIDE("tx.doorbell", 300 * NS, "twice that of the hosts of 2014"),
    {"inline_bytes", 0, 0, 64, RNIC_GUESS, NOT_PUBLIC},
    WIDE("tx.descriptor", 128, NOT_PUBLIC),
    WIDE("completion.entry", 32, NOT_PUBLIC),
    WIDE("window.bytes", 256 * KIB, NOT_PUBLIC),
    WIDE("staging_bytes", 256 * KIB, NOT_PUBLIC),
    WIDE("cache.stags", 1024, NOT_PUBLIC),
    WIDE("cache.connections", 256, NOT_PUBLIC),
    {"cache.misses", 1, 1, 2, RNIC_GUESS, NOT_PUBLIC},
    WIDE("cpu.post", 200 * NS, "four times that of the hosts of 2014"),
    WIDE("cpu.poll", 200 * NS, "four times that of the hosts of 2014"),
    WIDE("cpu.wakeup", 5 * US, "a thread woken on an idle core"),
    WIDE("cpu.syscall", 200 * NS, "entry and exit"),
    WIDE("cpu.segment", 2 * US, "kernel TCP for one packet"),
    WIDE("cpu.copy_rate", 16 * GBPS, "2 GB/s by one core out of memory"),
    WIDE("completion.latency", 4 * US, "interrupt until the handler runs"),
    {NULL, 0, 0, 0, RNIC_GUESS, NULL},
};

static const struct rnic_fact siw[] = {
    HOST,
    EXACT("receive", RNIC_COPY, RNIC_MAKER, "Linux driver siw: kernel TCP, then skb_copy_bits() into the ULP's memory"),
    EXACT("window.policy", RNIC_BUFFER, RNIC_MAKER, "Linux TCP: what is not read counts"),
    EXACT("window.bytes", 6 * 1024 * KIB, RNIC_MAKER, "Linux net.ipv4.tcp_rmem: the default maximum"),
    EXACT("completion.mode", RNIC_INTERRUPT, RNIC_GUESS, "the network adapter below interrupts"),
    {"completion.interval", 0, 0, 20 * US, RNIC_GUESS, "adaptive moderation at low load"},
    EXACT("pcie.generation", 3, RNIC_GUESS, "some network adapter, PCI Express 3.0 x8"),
    WIDE("pcie.lanes", 8, "some network adapter, PCI Express 3.0 x8"),
    WIDE("bus.rate", 546 * GBPS, "peak of four channels DDR4-2133"),
    WIDE("tx.segment", 1 * US, "kernel TCP for one packet"),
    WIDE("tx.latency", 1 * US, "the kernel thread that sends"),
    EXACT("tx.descriptor", 0, RNIC_MAKER, "Linux driver siw: the queue is in host memory"),
    EXACT("completion.entry", 0, RNIC_MAKER, "Linux driver siw: the CPU writes it"),
    {"cpu.segment", 1800 * NS, 2200 * NS, 2300 * NS, RNIC_FITTED, "Neeser, Metzler and Frey, SoftRDMA, IBM J. Res. Dev. 54:1, 2010: over 5 Gb/s by one core, CRC off, taken as 5 to 6; at 1448 octets"},
    WIDE("rx.crc_rate", 100 * GBPS, "CRC32 instruction of one core, with the rest of the work"),
    WIDE("staging_bytes", 512 * KIB, "receive rings of the network adapter"),
    {NULL, 0, 0, 0, RNIC_GUESS, NULL},
};
/* clang-format on */

const struct rnic_preset rnic_presets[] = {
    {"ideal", "Nothing takes time and nothing fills up.", none},
    {"t5", "Chelsio Terminator 5, 40 Gb/s, about 2014.", t5},
    {"t6", "Chelsio Terminator 6, 100 Gb/s, about 2016.", t6},
    {"e810", "Intel E810-CQDA2, 100 Gb/s, 2020, fitted to its throughput by connections.", e810},
    {"ne010", "NetEffect NE010, 10 Gb/s, 2006: the first of its kind.", ne010},
    {"siw", "Software iWARP over kernel TCP on an ordinary network adapter.", siw},
};
const unsigned rnic_presets_count = sizeof rnic_presets / sizeof *rnic_presets;
