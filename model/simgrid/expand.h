/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expand.h -- from one flow to the arrival of each of its segments.
 *
 * A flow-level simulator knows when a flow began and when it ended. In between its octets left at a constant rate, and
 * what the channel did to each packet is drawn here: loss with the delay of its retransmission, reordering, jitter,
 * duplication, corruption. Draws are those of model/channel, counted by the packets of the connection's direction, so
 * they depend on (seed, repeat, connection, direction, packet) and on nothing of the schedule.
 *
 *     start |--- packet 0 ---|--- packet 1 ---| ... |--- packet n-1 ---| end        departures, by octets on the wire
 *            + latency + delay of the channel + recovery of what was lost            arrivals
 */
#ifndef IW_SIMGRID_EXPAND_H
#define IW_SIMGRID_EXPAND_H

#include "channel/channel.h"
#include "engine/iw.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GRID_DUPLICATED = 1, /* a copy follows at once */
    GRID_CORRUPTED = 2,  /* altered so that only a CRC sees it */
    GRID_LATE = 4,       /* was lost and sent again, or held up */
    GRID_MARKER = 8,     /* a marker in it points elsewhere */
    GRID_HELD = 16,      /* receiver: in NIC memory */
    GRID_PLACED = 32,    /* receiver: its octets are in memory, or it has none that matter */
    GRID_RELEASED = 64,  /* receiver: it has left staging and NIC memory */
    GRID_PASSED = 128    /* receiver: its turn has come and gone */
};

enum {
    GRID_RETRIES = 64 /* times that a packet sent again may be lost */
};

struct grid_chunk;

/* One segment in its FPDU, on its way. Payload by reference: `octets` NULL, nobody stores it. */
struct grid_packet {
    iw_time at;               /* when it arrives; then: when it leaves staging */
    uint64_t key;             /* stream offset of its FPDU */
    struct grid_packet *next; /* the next to arrive; then: to leave staging */
    struct grid_packet *late; /* receiver: the next ahead of its turn */
    struct grid_chunk *chunk; /* what it came in */
    const uint8_t *octets;
    uint32_t size; /* octets of the FPDU */
    uint16_t payload_len;
    uint8_t head_len, flags;
    uint8_t head[IW_HEAD_MAX];
    uint8_t resends;  /* times it was sent again */
    uint8_t bit;      /* corrupted: which one */
    uint32_t corrupt; /* corrupted: and which octet, modulo the payload */
};

/* What is the same for all flows of a connection. Times in picoseconds. */
struct grid_path {
    uint32_t framing; /* octets on the wire around each FPDU */
    uint64_t octet;   /* femtoseconds that one takes on a link */
    iw_time
        recovery; /* a loss that `dupacks` packets behind it tell: how much later than they the packet arrives */
    iw_time timeout;  /* one that only a timeout tells: how much later it arrives */
    iw_time patience; /* a packet that is later than this comes too late for anybody */
    uint32_t dupacks;
    bool go_back; /* the receiver takes nothing ahead of its turn: after a hole all of it comes again */
};

/* What one direction of a connection remembers from flow to flow. */
struct grid_loss_process {
    struct channel channel;
    uint64_t retry;  /* key of the draws for packets that were sent again */
    uint64_t unkept; /* go_back: packets behind the last hole that will have been sent twice */
};
void grid_weather_init(struct grid_loss_process *w, const struct channel_conf *conf, uint64_t seed,
                       uint32_t repeat, uint32_t connection, uint32_t direction);

struct grid_flow {
    iw_time start, end;
    iw_time latency;         /* from the departure of a packet's last octet to its arrival, and what */
    uint64_t again;          /* each octet of it takes on all links but the slowest, in femtoseconds; */
    uint64_t narrow, behind; /* on the last of the slowest, and on those behind that */
    bool tail;               /* the sender has nothing more to send: a loss at the end is told by nobody */
    iw_time before;          /* when the packet ahead of it arrives on a clear channel; 0: there is none */
    uint64_t before_octets;  /* and what that is on the wire */
    uint32_t n;
    struct grid_packet *packet; /* by key; afterwards by arrival, ties by key, linked by `next` */
};

struct grid_expanded {
    iw_time last;  /* when the last packet arrives */
    iw_time clear; /* and when it would on a clear channel */
    iw_time
        stall; /* go_back: by how much the sender fell behind its flow: the next one starts so much later */
    uint32_t lost, resends; /* packets lost; sent again, those that the receiver did not keep included */
    uint32_t timeouts;
};

/* What is sent again meets the channel's uniform loss, and no burst: those are over by then.
 *
 * The arrival of every packet of `flow`. `loss_process` NULL: a clear channel. Law: no packet arrives before its departure
 * plus the flow's latency, nor before the one ahead of it on a clear channel; with go_back they arrive in the order of their keys, unless reordered within. */
struct grid_expanded grid_expand(const struct grid_path *path, struct grid_loss_process *loss_process,
                                 struct grid_flow *flow);

/* What a packet takes on a link. */
static inline iw_time grid_link_time(const struct grid_path *path, const struct grid_packet *p)
{
    return (uint64_t)(p->size + path->framing) * path->octet / 1000;
}

/* Octets on the wire of all packets: what the flow carries. */
uint64_t grid_flow_octets(const struct grid_path *path, const struct grid_flow *flow);

#ifdef __cplusplus
}
#endif
#endif
