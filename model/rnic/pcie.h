/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcie.h -- the bus between adapter and memory: packets with framing, both directions at once, and the stalls of
 * retirement. Inside the room only.
 *
 * A transfer of n octets is ceil(n / payload) packets, each with `overhead` octets around it. Reads ask in requests of
 * at most `request` octets, `reads` of them at a time; writes need a credit, `credits` at a time; either is free again
 * after `read`, the round trip. So per request, or packet written, the bus is busy for read / reads (read / credits)
 * at least.
 *
 * A write to a page whose translation misses waits for the walk. Strict: so do those behind it. Relaxed: the bus goes on with
 * them. Either way writes are visible in their order. Reads of memory likewise: those behind one that misses wait for its walk,
 * or go on, and are each done at their own time. */
#ifndef IW_RNIC_PCIE_H
#define IW_RNIC_PCIE_H

#include "rnic/stage.h"

/* Stall number k = 1, 2, ... starts at k x every + (0 .. jitter). */
struct rnic_stall {
    iw_time every, length, jitter;
    uint64_t key;
    iw_time start, end; /* the one that `now` is in or before */
};

struct rnic_pcie {
    struct rnic_stage up, down; /* writes and read requests; read completions */
    uint64_t octet;             /* femtoseconds */
    uint32_t overhead;
    unsigned payload_bits, request_bits;
    uint64_t reads, credits;
    iw_time read, write;         /* latencies */
    iw_time read_gap, write_gap; /* between two requests, two packets written */
    struct rnic_stall stall;
    uint64_t stalled; /* stalls that held writes up */
    bool relaxed;
    bool overtakes;                /* reports of writes keep no order (rnic.order any), */
    bool reads_overtake;           /* nor do reads of memory (rnic.read_order any) */
    uint64_t miss, read_miss;      /* thousandths of the pages */
    iw_time half;                  /* half of the walks take at most this */
    uint64_t key;                  /* of the draws */
    uint64_t pages, pages_to_read; /* drawn for so far */
};

void pcie_init(struct rnic_pcie *p, const struct rnic_conf *conf, uint64_t key);
/* It takes no time, and nothing stalls it. */
bool pcie_is_instant(const struct rnic_pcie *p);
iw_time pcie_read(struct rnic_pcie *p, iw_time now, uint32_t octets);
/* The same of memory that a ULP has named: its pages are translated. */
iw_time pcie_gather(struct rnic_pcie *p, iw_time now, uint32_t octets);
iw_time pcie_write(struct rnic_pcie *p, iw_time now, iw_time known, uint32_t octets);
/* A write right behind one that has arrived at `now`: the latency of both is the same and has passed. */
iw_time pcie_follow(struct rnic_pcie *p, iw_time now, uint32_t octets);
/* On an idle bus. */
iw_time pcie_read_time(const struct rnic_pcie *p, uint32_t octets);
iw_time pcie_write_time(const struct rnic_pcie *p, uint32_t octets);
iw_time pcie_follow_time(const struct rnic_pcie *p, uint32_t octets);

#endif
