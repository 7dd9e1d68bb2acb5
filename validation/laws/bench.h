/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench.h -- the world without a lower layer: what happens next is drawn by lot from all that iw.h allows.
 *
 * Segments lie on a line in the order sent. Each step does one of: take a segment from an engine, present one
 * that lies on the line (any of the next `span`, again too, in any cut of fragments), end one placement in
 * flight, deliver a part of what is in place, accept, acknowledge, change the MULPDU, carry FIN or RST. So
 * arrival, DMA and delivery are as far apart as the lot has it. */
#ifndef IW_LAWS_BENCH_H
#define IW_LAWS_BENCH_H

#include "plan.h"
#include "world.h"

enum bench_step {
    STEP_TRANSMIT,
    STEP_ARRIVE,
    STEP_COMMIT,
    STEP_DELIVER,
    STEP_ACCEPT,
    STEP_ACK,
    STEP_MULPDU,
    STEP_END,
    STEPS
};

struct bench_conf {
    uint64_t seed;    /* of the lot */
    bool in_order[2]; /* a receiver's LLP hands up in order only */
    bool wait_first;  /* side 1 is silent until it was spoken to */
    bool length_only;
    uint32_t cq_entries; /* 0: more than are ever needed */
    uint32_t span;       /* how far ahead of its turn a segment may arrive */
    uint32_t flight;     /* segments that a side may have on the line */
    uint32_t duplicates; /* percent of arrivals that repeat one before its delivery */
    uint32_t mulpdu_low, mulpdu_high;
    uint32_t weight[STEPS];
};

/* The usual lot of a seed: every field drawn. */
struct bench_conf bench_draw(uint64_t seed, uint32_t mulpdu);
/* The world, with the endpoints that the plan configures, enabled. */
struct world *bench_open(const struct bench_conf *conf, const struct plan *plan);

/* For laws that play a part of the host themselves. */
/* Change a segment on its way: a hostile peer. The line must hold it and it must not have arrived. */
struct bench_segment {
    uint64_t key, end; /* its key and that of the next */
    uint32_t len;      /* of the ULPDU */
    uint8_t *octets;
    uint8_t state;
    uint32_t arrivals;
    uint32_t in_flight;
};
/* Segments that `side` sent and that have not arrived: how many; the i-th of them. */
uint32_t bench_away(struct world *w, int side);
struct bench_segment *bench_away_at(struct world *w, int side, uint32_t i);
/* Its completion queue lost one. */
bool bench_overflowed(const struct world *w, int side);
/* Placements of `side` that are in flight. */
uint32_t bench_in_flight(const struct world *w, int side);

#endif
