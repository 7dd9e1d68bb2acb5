/* SPDX-License-Identifier: GPL-2.0-or-later */
/* link.h -- the pair world as the laws use it: MPA, packets cut as the seed has it, a channel, simulated
 * time. */
#ifndef IW_LAWS_LINK_H
#define IW_LAWS_LINK_H

#include "pair/pair.h"
#include "plan.h"
#include "world.h"

struct link_conf {
    struct pair_conf pair; /* but ep, which the plan fills in, and rnic */
    bool adapters;         /* the sides have one each: */
    struct rnic_conf adapter[2];
    uint64_t seed;
    bool vary_mulpdu;
};

/* A link of the seed: markers, CRC, cut, loss, duplication, reordering, jitter, impaired acknowledgements,
 * DMA, window, ranges: all drawn, and no alteration. `mtu` (EMSS, octets) is drawn too, and the largest
 * MULPDU that goes with it comes back. */
struct link_conf link_draw(uint64_t seed, uint32_t *mulpdu);
/* Adapters with small buffers at both ends: receive path, window policy, staging, completion ... drawn. */
void link_draw_adapters(struct link_conf *conf, uint64_t seed);
/* The same endpoints and MPA, another channel: loss, order and time change, and nothing else may. */
void link_redraw_channel(struct link_conf *conf, uint64_t seed);
struct world *link_open(const struct link_conf *conf, const struct plan *plan);
struct pair *link_pair(struct world *w);

#endif
