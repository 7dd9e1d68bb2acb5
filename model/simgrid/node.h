/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node.h -- one host of a cluster: its adapter, its ends of connections, and what arrives there.
 *
 *   sender     grid_cut: engine -> segments of one chunk, the first through the adapter's stages -> a flow
 *   receiver   flow's end -> grid_land: expanded, merged -> grid_receive, up to the horizon:
 *              staging -> acceptance -> place | hold | discard | copy -> delivery -> completions
 *
 * Rates are the flow simulator's: the flow already went at the rate that link, PCIe, memory and window allow, so the
 * transmit side costs the first segment of a chunk its way through the adapter and nothing more, and the receive side
 * sees segments no faster than its stages take them. Plain C without libc; the world owns all memory and all time.
 *
 * Law: at one node the adapter sees segments in the order they arrive, as far as the horizon tells (merge.h); what a
 * segment causes (placement, completion) carries the segment's own time, which may lie before the world's now by the
 * time of one chunk, or after it by the depth of the adapter.
 */
#ifndef IW_SIMGRID_NODE_H
#define IW_SIMGRID_NODE_H

#include "node/event.h"
#include "node/step.h"
#include "rnic/rnic.h"
#include "rnic/window.h"
#include "simgrid/expand.h"
#include "simgrid/merge.h"
#include "simgrid/rates.h"

#ifdef __cplusplus
extern "C" {
#endif

struct grid_node;
struct grid_end;

/* Segments that travel as one flow. The world's memory; handed back when the last packet is done with. */
struct grid_chunk {
    struct grid_flow flow;
    struct grid_end *from, *to;
    uint32_t left, room;  /* packets not done with; that fit */
    uint64_t octets;      /* on the wire */
    double rate;          /* bits per second that the flow may have at most; 0: no bound of its own */
    iw_time began, lasts; /* links.h: asked for its links, then: got them; alone on them */
    bool alone;
    double weight;
    struct grid_run run, retry;
    struct grid_packet *retry_last;
    struct grid_chunk *before, *after; /* flows under way to the same node, by start */
    struct grid_chunk *next;           /* the world's */
    uint8_t *raw;                      /* the world's: octets of something injected */
    struct grid_packet packet[];
};

/* What is the same at all nodes. */
struct grid_conf {
    struct grid_path path;
    uint64_t receive; /* enum rnic_receive */
    bool crc, crc_drop, markers;
    struct grid_acks acks;
    bool exact; /* nothing at a node takes time or is shared by connections: no horizon is needed */
    iw_time latency_least; /* of all paths: no flow that starts later arrives earlier than this */
    uint64_t consume_rate; /* bits per second; 0: at once */
    iw_time pipeline;      /* of the transmit side: what it is ahead of the port */
    uint64_t chunk;        /* octets of FPDUs in one flow */
    uint32_t messages;     /* and messages that end in it: of many that are under way only some */
    bool shows;            /* octets of payload are told, too: node_seg_show() */
};

/* Whom a node tells. `at`, and the time of an event, may lie before now (see above). */
struct grid_observer {
    void *context;
    /* PULLED, RETRANSMITTED (at the sender), TAKEN, PLACED, DELIVERED, EDGE, DROPPED, WINDOW; user: 2 * conn + side. */
    void (*told)(void *context, struct grid_end *end, const struct node_event *e);
    /* The engines of the node may have completions or events. */
    void (*look)(void *context, iw_time at, struct grid_end *end);
    /* The adapter goes on to `at`: what it has to do before (node->due) comes first. */
    void (*catch_up)(void *context, iw_time at, struct grid_node *node);
    /* An acknowledgement leaves `end` for its peer: everything below `key` is here, `window` octets may follow. */
    void (*acknowledge)(void *context, iw_time at, struct grid_end *end, uint64_t key, uint64_t window);
    void (*done)(void *context, struct grid_chunk *chunk);
};

/* One end of a connection. Law: `placed_at` never gets smaller; late packets are in the order of their keys. */
struct grid_end {
    struct grid_node *node;
    struct grid_end *peer;
    struct iw_ep *ep;
    uint32_t conn, lane; /* the workload's number, the adapter's */
    int side;
    iw_time latency,
        back; /* one way: of a packet that leaves here, without what switches add; of an acknowledgement */
    uint64_t again;          /* femtoseconds that switches add for each octet of a packet; */
    uint64_t narrow, behind; /* on the last of the slowest links, and behind it */
    const uint32_t *link;    /* that its flows take: the world's memory */
    uint32_t links;

    /* sender */
    uint64_t next_key;
    uint64_t window; /* octets the peer lets it have under way */
    iw_time known;   /* when the adapter knows the request that is next */
    iw_time resume;  /* go_back: when the stream goes on */
    iw_time follows; /* when its last flow ended: what is next was prepared meanwhile */
    /* Slow start (RFC 5681 3.1): so many octets in each round trip; 0: over. */
    uint64_t ramp, ramp_left; /* of them, what this round may still send */
    iw_time round, round_end; /* a round trip; when the acknowledgements of this one begin to come */
    iw_time arrived;          /* its last packet, on a clear channel, */
    uint64_t arrived_octets;  /* and what that is on the wire */
    bool flying;              /* a flow of its is under way */
    bool stopped;             /* what waits is beyond its window, behind a hole */
    uint32_t preparing;       /* chunks in the adapter's stages */
    struct grid_chunk *waiting, *waiting_last; /* for the port, while another flow is there */
    bool fin_sent, rst_sent;
    uint16_t open; /* a bit for each opcode: the last segment was not its message's last */
    struct grid_loss_process *loss_process; /* NULL: clear */

    /* receiver */
    uint64_t next; /* RCV.NXT: everything below is accepted */
    struct grid_packet *late_first, *late_last;
    iw_time placed_at, read_until;
    struct node_intake intake;
    uint64_t consumed;
    iw_time consumed_at;
    uint32_t unacked;
    uint64_t ack_edge; /* to be acknowledged, and when */
    iw_time ack_at, accepted_at;
    bool touched, blocked, deaf, peer_fin;
    struct grid_end *touched_next;
    struct rnic_window advertised;
};

struct grid_node {
    uint32_t number;
    const struct grid_conf *conf;
    const struct grid_observer *observer;
    struct rnic *nic; /* the adapter's receive side */
    struct rnic
        *tx; /* its transmit side: what arrives is seen a chunk late, so each keeps stages of its own; the
                         same as `nic` where no stage takes time */
    struct iw_cq *cq;
    struct grid_merge merge;
    struct grid_chunk *under_way, *under_way_last;
    struct grid_packet *leaving, *leaving_last; /* staging, in the order they leave */
    struct grid_end *touched;
    iw_time port; /* when the last packet came out of the link */
    uint64_t crc_errors;
    struct node_intake waiting; /* octets of all ends that wait for their turn: grid_end_leftover() */
    iw_time due;                /* the world's: when it wants to be told that the adapter goes on; IW_NEVER */
};

/* ---- sender ---- */

/* The host posts `work`, which the engine has taken: when the adapter hears of it; a receive: at once. */
iw_time grid_post(struct grid_end *e, iw_time at, const struct iw_work *work);
/* It has heard of it: when it knows the request. `idle`: the engine had nothing to send before, so nothing leaves until
 * then. */
iw_time grid_heard(struct grid_end *e, iw_time at, uint32_t octets, bool idle);
/* Cut what is to be sent next into `chunk` (its `room` is set), at most conf->chunk octets. When its first octet may
 * leave; IW_NEVER: the engine has nothing to say, and the chunk is as it was. */
iw_time grid_cut(struct grid_end *e, iw_time now, struct grid_chunk *chunk);
/* When it may send more in slow start; `now`, or later. */
iw_time grid_ramp(struct grid_end *e, iw_time now);
/* The same for one segment that is not the engine's: raw octets, in their place in the stream. */
iw_time grid_inject(struct grid_end *e, iw_time now, struct grid_chunk *chunk, const struct iw_seg *seg);
/* May a chunk not leave yet? Its peer misses something, and all that the window lets follow that has left. What comes
 * in order needs no such question: there the window is a rate. */
bool grid_beyond(const struct grid_chunk *chunk, uint64_t window);
/* The peer has everything below `key`. */
void grid_note_acked(struct grid_end *e, iw_time now, uint64_t key, uint64_t window);

/* ---- receiver ---- */

/* The chunk's flow has started; it has ended: when its last packet arrives. */
void grid_started(struct grid_chunk *chunk, iw_time now);
struct grid_expanded grid_land(struct grid_chunk *chunk, iw_time now);
/* Take what has arrived by `now`, as far as the horizon lets. */
void grid_receive(struct grid_node *n, iw_time now);
/* When to call it again if no flow ends before; IW_NEVER: not without that. */
iw_time grid_receive_deadline(const struct grid_node *n);
/* A receive was posted: what waited for one may go on. */
void grid_again(struct grid_end *e, iw_time now);
/* Staging as it is at `now`: by itself behind each arrival, and for the statistics at the end. */
void grid_settle(struct grid_node *n, iw_time now);
/* The law of conservation, once a node is settled: what arrived was placed or refused, or waits for its turn. First all
 * ends, which add up what waits; then the nodes. NULL; or what does not hold, in words. */
const char *grid_end_leftover(const struct grid_end *e);
const char *grid_node_leftover(const struct grid_node *n);

#ifdef __cplusplus
}
#endif
#endif
