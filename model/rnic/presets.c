/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The named adapters. Most of what a simulator needs was never published: such a number says so (guess), or is chosen so
 * that a published whole comes out (fitted; validation/unit/rnic_stage_test.c checks that it does). */
#include "rnic/conf.h"

#define NS   UINT64_C(1000)
#define US   (1000 * NS)
#define GBPS UINT64_C(1000000000)
#define KIB  UINT64_C(1024)

#define PCIE_BENCH                                                                                           \
    "Neugebauer et al., Understanding PCIe performance for end host networking, SIGCOMM 2018: 64 octets by " \
    "DMA read, median on a Haswell Xeon (another adapter)"
#define PCIE_SPEC \
    "PCI Express: 4 framing and sequence + 16 header (64-bit address) + 4 LCRC; without acknowledgements"
#define HALF_READ  "about half of a read's round trip"
#define USUAL      "usual setting of servers of its time"
#define NOT_PUBLIC "not published"
#define T4_DRIVER                                                                                       \
    "Linux driver iw_cxgb4: one 64-octet entry less fw_ri_send_wr (32) and fw_ri_immd (8) goes with a " \
    "write-combined doorbell"
#define ENTRY_64 "entries of 64 octets in the Linux driver"

static const struct rnic_fact none[] = {{NULL, 0, RNIC_GUESS, NULL}};

/* clang-format off */

/* A server around 2014 - 2018. */
#define HOST \
    {"pcie.payload", 256, RNIC_GUESS, USUAL}, \
    {"pcie.request", 512, RNIC_GUESS, USUAL}, \
    {"pcie.overhead", 24, RNIC_VENDOR, PCIE_SPEC}, \
    {"pcie.read", 547 * NS, RNIC_MEASURED, PCIE_BENCH}, \
    {"pcie.write", 250 * NS, RNIC_GUESS, HALF_READ}, \
    {"pcie.reads", 32, RNIC_GUESS, "tags of a PCI Express function without the extended tag field"}, \
    {"pcie.credits", 64, RNIC_GUESS, NOT_PUBLIC}, \
    {"tx.doorbell", 150 * NS, RNIC_GUESS, "an uncached store crosses PCIe one way"}, \
    {"cpu.post", 50 * NS, RNIC_GUESS, "some 150 instructions"}, \
    {"cpu.poll", 50 * NS, RNIC_GUESS, "some 150 instructions"}, \
    {"cpu.wakeup", 3 * US, RNIC_GUESS, "a thread woken on an idle core"}, \
    {"cpu.syscall", 200 * NS, RNIC_GUESS, "entry, exit and the mitigations of the time"}, \
    {"cpu.copy_rate", 80 * GBPS, RNIC_GUESS, "10 GB/s by one core out of memory"}, \
    {"completion.latency", 2 * US, RNIC_GUESS, "message-signalled interrupt until the handler runs"}

static const struct rnic_fact t5[] = {
    HOST,
    {"cpu.segment", 1 * US, RNIC_GUESS, "kernel TCP for one packet"},
    {"pcie.generation", 3, RNIC_VENDOR, "Chelsio Terminator 5 product brief: PCI Express 3.0 x8"},
    {"pcie.lanes", 8, RNIC_VENDOR, "Chelsio Terminator 5 product brief: PCI Express 3.0 x8"},
    {"bus.rate", 546 * GBPS, RNIC_GUESS, "peak of four channels DDR4-2133, the host's and not the adapter's"},
    {"tx.rate", 40 * GBPS, RNIC_VENDOR, "Chelsio Terminator 5 product brief: line rate at 40 Gb/s"},
    {"rx.rate", 40 * GBPS, RNIC_VENDOR, "Chelsio Terminator 5 product brief: line rate at 40 Gb/s"},
    {"tx.segment", 30 * NS, RNIC_GUESS, NOT_PUBLIC},
    {"rx.segment", 30 * NS, RNIC_GUESS, NOT_PUBLIC},
    {"tx.latency", 440 * NS, RNIC_FITTED, "chelsio.com/nic/rdma-iwarp: end-to-end RDMA latency of about 1.5 us; what is left, shared equally"},
    {"rx.latency", 440 * NS, RNIC_FITTED, "chelsio.com/nic/rdma-iwarp: end-to-end RDMA latency of about 1.5 us; what is left, shared equally"},
    {"inline_bytes", 24, RNIC_VENDOR, T4_DRIVER},
    {"tx.descriptor", 64, RNIC_VENDOR, ENTRY_64},
    {"completion.entry", 64, RNIC_GUESS, NOT_PUBLIC},
    {"window.bytes", 256 * KIB, RNIC_VENDOR, "Linux driver iw_cxgb4: rcv_win, default 256 KiB"},
    {"staging_bytes", 512 * KIB, RNIC_GUESS, NOT_PUBLIC},
    {"cache.stags", 4096, RNIC_GUESS, NOT_PUBLIC},
    {"cache.connections", 1024, RNIC_GUESS, NOT_PUBLIC},
    {"cache.misses", 4, RNIC_GUESS, NOT_PUBLIC},
    {NULL, 0, RNIC_GUESS, NULL},
};

static const struct rnic_fact t6[] = {
    HOST,
    {"cpu.segment", 1 * US, RNIC_GUESS, "kernel TCP for one packet"},
    {"pcie.generation", 3, RNIC_VENDOR, "Chelsio T62100 product brief: PCI Express 3.0 x16"},
    {"pcie.lanes", 16, RNIC_VENDOR, "Chelsio T62100 product brief: PCI Express 3.0 x16"},
    {"bus.rate", 614 * GBPS, RNIC_GUESS, "peak of four channels DDR4-2400, the host's and not the adapter's"},
    {"tx.rate", 100 * GBPS, RNIC_VENDOR, "Chelsio T62100 product brief: line rate at 100 Gb/s"},
    {"rx.rate", 100 * GBPS, RNIC_VENDOR, "Chelsio T62100 product brief: line rate at 100 Gb/s"},
    {"tx.segment", 15 * NS, RNIC_GUESS, "half of t5's guess"},
    {"rx.segment", 15 * NS, RNIC_GUESS, "half of t5's guess"},
    {"tx.latency", 310 * NS, RNIC_GUESS, "a small Send in 1.2 us: below t5's 1.5 us, above the sub-microsecond that Chelsio states without TCP"},
    {"rx.latency", 310 * NS, RNIC_GUESS, "as tx.latency"},
    {"inline_bytes", 24, RNIC_VENDOR, T4_DRIVER},
    {"tx.descriptor", 64, RNIC_VENDOR, ENTRY_64},
    {"completion.entry", 64, RNIC_GUESS, NOT_PUBLIC},
    {"window.bytes", 256 * KIB, RNIC_VENDOR, "Linux driver iw_cxgb4: rcv_win, default 256 KiB"},
    {"staging_bytes", 1024 * KIB, RNIC_GUESS, NOT_PUBLIC},
    {"cache.stags", 8192, RNIC_GUESS, NOT_PUBLIC},
    {"cache.connections", 2048, RNIC_GUESS, NOT_PUBLIC},
    {"cache.misses", 8, RNIC_GUESS, NOT_PUBLIC},
    {NULL, 0, RNIC_GUESS, NULL},
};

#define INTEL "Intel article 000059783 (E810-CQDA2, ib_send_bw): 49 Gb/s with one connection, 88 with two, 91 with three"

static const struct rnic_fact e810[] = {
    HOST,
    {"cpu.segment", 1 * US, RNIC_GUESS, "kernel TCP for one packet"},
    {"pcie.generation", 4, RNIC_VENDOR, "Intel E810-CQDA2 product brief: PCI Express 4.0 x16"},
    {"pcie.lanes", 16, RNIC_VENDOR, "Intel E810-CQDA2 product brief: PCI Express 4.0 x16"},
    {"bus.rate", 1638 * GBPS, RNIC_GUESS, "peak of eight channels DDR4-3200, the host's and not the adapter's"},
    {"tx.connection_rate", 49 * GBPS, RNIC_FITTED, INTEL},
    {"tx.rate", 91 * GBPS, RNIC_FITTED, INTEL "; two connections come to 91 here, 3 % above"},
    {"rx.rate", 100 * GBPS, RNIC_VENDOR, "Intel E810-CQDA2 product brief: 100 Gb/s"},
    {"tx.segment", 0, RNIC_FITTED, "the per-octet rate alone gives " INTEL},
    {"rx.segment", 10 * NS, RNIC_GUESS, NOT_PUBLIC},
    {"tx.latency", 500 * NS, RNIC_GUESS, NOT_PUBLIC},
    {"rx.latency", 500 * NS, RNIC_GUESS, NOT_PUBLIC},
    {"inline_bytes", 0, RNIC_VENDOR, "Linux driver irdma: push mode is off for this generation, so the request is fetched"},
    {"tx.descriptor", 64, RNIC_GUESS, NOT_PUBLIC},
    {"completion.entry", 64, RNIC_GUESS, NOT_PUBLIC},
    {"window.bytes", 0x3FFFC, RNIC_VENDOR, "Linux driver irdma: IRDMA_CM_DEFAULT_RCV_WND_SCALED"},
    {"staging_bytes", 1024 * KIB, RNIC_GUESS, NOT_PUBLIC},
    {"cache.stags", 8192, RNIC_GUESS, NOT_PUBLIC},
    {"cache.connections", 2048, RNIC_GUESS, NOT_PUBLIC},
    {"cache.misses", 8, RNIC_GUESS, NOT_PUBLIC},
    {NULL, 0, RNIC_GUESS, NULL},
};

#define RASHTI "Rashti and Afsahi, 10-Gigabit iWARP Ethernet, CAC 2007: 87 % of the available bandwidth"

static const struct rnic_fact ne010[] = {
    {"pcie.generation", 1, RNIC_GUESS, "PCI Express x8 of 2006; the product brief was not available"},
    {"pcie.lanes", 8, RNIC_GUESS, "PCI Express x8 of 2006; the product brief was not available"},
    {"pcie.payload", 128, RNIC_GUESS, USUAL},
    {"pcie.request", 512, RNIC_GUESS, USUAL},
    {"pcie.overhead", 24, RNIC_VENDOR, PCIE_SPEC},
    {"pcie.read", 1 * US, RNIC_GUESS, "twice that of the hosts of 2014"},
    {"pcie.write", 500 * NS, RNIC_GUESS, HALF_READ},
    {"pcie.reads", 16, RNIC_GUESS, NOT_PUBLIC},
    {"pcie.credits", 32, RNIC_GUESS, NOT_PUBLIC},
    {"bus.rate", 85 * GBPS, RNIC_GUESS, "a front-side bus of 1333 MT/s x 8 octets, the host's and not the adapter's"},
    {"tx.rate", 8700 * GBPS / 1000, RNIC_FITTED, RASHTI},
    {"rx.rate", 10 * GBPS, RNIC_VENDOR, "a 10 Gb/s port"},
    {"tx.segment", 0, RNIC_FITTED, "the per-octet rate alone gives " RASHTI},
    {"rx.segment", 200 * NS, RNIC_GUESS, NOT_PUBLIC},
    {"tx.latency", 2500 * NS, RNIC_GUESS, "a small Send in some 9 us, the order that papers of the time report"},
    {"rx.latency", 2500 * NS, RNIC_GUESS, "as tx.latency"},
    {"tx.doorbell", 300 * NS, RNIC_GUESS, "twice that of the hosts of 2014"},
    {"inline_bytes", 0, RNIC_GUESS, NOT_PUBLIC},
    {"tx.descriptor", 128, RNIC_GUESS, NOT_PUBLIC},
    {"completion.entry", 32, RNIC_GUESS, NOT_PUBLIC},
    {"window.bytes", 256 * KIB, RNIC_GUESS, NOT_PUBLIC},
    {"staging_bytes", 256 * KIB, RNIC_GUESS, NOT_PUBLIC},
    {"cache.stags", 1024, RNIC_GUESS, NOT_PUBLIC},
    {"cache.connections", 256, RNIC_GUESS, NOT_PUBLIC},
    {"cache.misses", 1, RNIC_GUESS, NOT_PUBLIC},
    {"cpu.post", 200 * NS, RNIC_GUESS, "four times that of the hosts of 2014"},
    {"cpu.poll", 200 * NS, RNIC_GUESS, "four times that of the hosts of 2014"},
    {"cpu.wakeup", 5 * US, RNIC_GUESS, "a thread woken on an idle core"},
    {"cpu.syscall", 200 * NS, RNIC_GUESS, "entry and exit"},
    {"cpu.segment", 2 * US, RNIC_GUESS, "kernel TCP for one packet"},
    {"cpu.copy_rate", 16 * GBPS, RNIC_GUESS, "2 GB/s by one core out of memory"},
    {"completion.latency", 4 * US, RNIC_GUESS, "interrupt until the handler runs"},
    {NULL, 0, RNIC_GUESS, NULL},
};

static const struct rnic_fact siw[] = {
    HOST,
    {"receive", RNIC_COPY, RNIC_VENDOR, "Linux driver siw: kernel TCP, then skb_copy_bits() into the ULP's memory"},
    {"window.policy", RNIC_BUFFER, RNIC_VENDOR, "Linux TCP: what is not read counts"},
    {"window.bytes", 6 * 1024 * KIB, RNIC_VENDOR, "Linux net.ipv4.tcp_rmem: the default maximum"},
    {"completion.mode", RNIC_INTERRUPT, RNIC_GUESS, "the network adapter below interrupts"},
    {"completion.interval", 0, RNIC_GUESS, "adaptive moderation at low load"},
    {"pcie.generation", 3, RNIC_GUESS, "some network adapter, PCI Express 3.0 x8"},
    {"pcie.lanes", 8, RNIC_GUESS, "some network adapter, PCI Express 3.0 x8"},
    {"bus.rate", 546 * GBPS, RNIC_GUESS, "peak of four channels DDR4-2133"},
    {"tx.segment", 1 * US, RNIC_GUESS, "kernel TCP for one packet"},
    {"tx.latency", 1 * US, RNIC_GUESS, "the kernel thread that sends"},
    {"tx.descriptor", 0, RNIC_VENDOR, "Linux driver siw: the queue is in host memory"},
    {"completion.entry", 0, RNIC_VENDOR, "Linux driver siw: the CPU writes it"},
    {"cpu.segment", 2200 * NS, RNIC_FITTED, "Neeser, Metzler and Frey, SoftRDMA, IBM J. Res. Dev. 54:1, 2010: over 5 Gb/s by one core, CRC off; at 1448 octets"},
    {"rx.crc_rate", 100 * GBPS, RNIC_GUESS, "CRC32 instruction of one core, with the rest of the work"},
    {"staging_bytes", 512 * KIB, RNIC_GUESS, "receive rings of the network adapter"},
    {NULL, 0, RNIC_GUESS, NULL},
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
