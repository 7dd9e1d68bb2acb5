/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* sizes.h -- what a lower layer makes of a packet: asked before there is one object, so whoever plans asks the same.
 *
 *   | IP, transport | head | ULPDU | up to a multiple of `pad` |   and `marker` octets in each `every` of what is behind
 *   |<-- before --->|                                              `before`
 */
#ifndef IW_LLP_SIZES_H
#define IW_LLP_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a packet transport repairs a loss (packet.h). */
enum packet_recovery { PACKET_GO_BACK_N = 1, PACKET_IRN, PACKET_RUD };
enum { PACKET_RTO_LOW = 100, PACKET_RTO_HIGH = 320 }; /* microseconds: IRN's timeouts; LOW: of few packets */
enum { PACKET_RECOVERIES = PACKET_RUD + 1 };

/* What sizes follow from. */
struct llp_form {
    uint32_t mtu;                  /* octets of the largest IP packet */
    bool markers;                  /* MPA */
    bool timestamps;               /* TCP */
    enum packet_recovery recovery; /* packet */
};

struct llp_sizes {
    uint32_t before, head, pad; /* octets, as above */
    uint32_t marker, every;     /* marker 0: there are none */
    uint32_t mss;    /* of a full packet, behind IP's header; of TCP's and the ideal stream behind theirs */
    uint32_t mulpdu; /* the largest segment that fits at any phase of markers */
    uint32_t full;   /* what it takes of a packet (MPA: its FPDU): what windows are measured with */
    uint32_t packet; /* the IP packet that it fills */
    uint32_t answer; /* the IP packet of an acknowledgement */
};

typedef void llp_sizing(const struct llp_form *form, struct llp_sizes *sizes);
extern llp_sizing llp_tcp_sizes, llp_ideal_sizes, llp_sctp_sizes, llp_packet_sizes;

/* Those of SCTP without DDP streams: a message is all that a chunk has, and its packet keeps nothing free (DDPP core). */
void llp_sctp_bare(struct llp_sizes *sizes);

/* The IP packet of one segment, without markers. */
static inline uint32_t llp_packet_octets(const struct llp_sizes *s, uint32_t ulpdu)
{
    return s->before + (s->head + ulpdu + s->pad - 1) / s->pad * s->pad;
}

#ifdef __cplusplus
}
#endif
#endif
