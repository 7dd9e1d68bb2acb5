/* SPDX-License-Identifier: GPL-2.0-or-later */
/* link.h -- two nodes on a link of the packet world as the laws use them: an ideal stream, TCP or SCTP, packets cut as the
 * seed has it, a channel, simulated time. */
#ifndef IW_LAWS_LINK_H
#define IW_LAWS_LINK_H

#include "llp/sctp.h"
#include "llp/tcp.h"
#include "plan.h"
#include "validation/support/two_nodes.h"
#include "world.h"

struct link_conf {
    const struct llp *llp;
    uint64_t rate; /* bits per second */
    iw_time delay;
    uint32_t mtu; /* octets of the largest packet without IP and the ideal stream's or TCP's header */
    uint32_t framing;
    struct channel_conf channel;
    bool impair_acks, from_start;
    uint32_t repeat;
    bool markers[2]; /* in what side i receives; the ideal stream: both alike */
    bool crc, crc_drop, trust_alignment;
    bool in_order;   /* hand nothing up ahead of its turn */
    uint32_t cut;    /* two_nodes.h */
    uint32_t window; /* the sender's buffer and the receiver's window, octets */
    uint32_t ranges; /* remembered out of order */
    iw_time timeout;
    uint32_t delayed_ack;
    iw_time dma; /* between check and commit, where adapters take no time */
    uint64_t consume_rate;
    bool length_only;
    bool adapters; /* the sides have one each: */
    struct rnic_conf adapter[2];
    struct tcp_conf tcp;
    struct sctp_conf sctp;
    uint64_t seed;
    bool vary_mulpdu;
};

/* A link of the seed with the ideal stream: markers, CRC, cut, loss, duplication, reordering, jitter, impaired
 * acknowledgements, DMA, window, ranges: all drawn, and no alteration. `mtu` is drawn too, and the largest MULPDU that
 * goes with it comes back. */
struct link_conf link_draw(uint64_t seed, uint32_t *mulpdu);
/* Adapters with small buffers at both ends: receive path, window policy, staging, completion ... drawn. */
void link_draw_adapters(struct link_conf *conf, uint64_t seed);
/* TCP with MPA's start-up, or SCTP with the adaptation of RFC 5043, in the place of the ideal stream; before adapters. */
void link_draw_transport(struct link_conf *conf, uint64_t seed, const struct llp *llp, uint32_t *mulpdu);
/* The same endpoints and MPA, another channel: loss, order and time change, and nothing else may. */
void link_redraw_channel(struct link_conf *conf, uint64_t seed);
struct world *link_open(const struct link_conf *conf, const struct plan *plan);

#endif
