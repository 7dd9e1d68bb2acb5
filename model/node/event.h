/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.h -- what happens at a node, as one flat record: a node tells it, trials measure and trace it, stories and ns-3's
 * trace sources give it on. Nothing in it points anywhere, so it can be kept, compared and sent as it is.
 *
 *     node --> world --> trial --> trace --> story --> explain, play, notes
 *       \----> ns-3's trace sources
 *
 * A row of the table for each kind: value; kind and word in traces and stories ("": it has no line there); ns-3's trace
 * source and what it says, the members that the kind has behind the colon; when it is told, and who cares.
 *
 * States of an octet at its receiver, each with its event and time: WRITTEN, it is on its way to memory, without any effect;
 * PLACED, it is visible in memory, and the CPU may see it; DELIVERED, the ULP may rely on it (RFC 5040 5.5).
 *
 * Law: of the members in the union a kind has at most the one that its row names; all else is 0.
 */
#ifndef IW_NODE_EVENT_H
#define IW_NODE_EVENT_H

#include "engine/iw.h"
#include "llp/llp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When, in a world that has a workload: at once, in the middle of a node's step, or when the node has returned. */
enum node_event_trait {
    NODE_NOW = 1,
    NODE_AFTER = 2,
    NODE_ACTED = 4,  /* the workload may do something about it */
    NODE_COUNTED = 8 /* results need it; all others are for traces alone */
};

#define NODE_EVENT_TABLE(X)                                                                                  \
    X(PULLED, SENT, "sent", "SegmentPulled", "The engine made a DDP segment: seg, key .. end.",              \
      NODE_NOW | NODE_COUNTED)                                                                               \
    X(SNAPSHOT, READ, "read", "SegmentRead", "Its octets have left host memory: key .. end.", NODE_NOW)      \
    X(SENT, LEFT, "left", "SegmentSent",                                                                     \
      "Octets were sent for the first time, into the transmit pipeline: key .. end.", NODE_NOW)              \
    X(RETRANSMITTED, RESENT, "resent", "SegmentRetransmitted",                                               \
      "Octets were retransmitted: key .. end, reason.", NODE_NOW | NODE_COUNTED)                             \
    X(SPURIOUS, SPURIOUS, "spurious", "SpuriousRetransmission",                                              \
      "A retransmission proved unnecessary: key .. end.", NODE_NOW | NODE_COUNTED)                           \
    X(UNDONE, UNDONE, "undone", "Undone",                                                                    \
      "A reduction of the congestion window was needless, and was undone.", NODE_NOW)                        \
    X(TIMEOUT, TIMEOUT, "timeout", "Timeout", "The retransmission timer expired: spurious or not.",          \
      NODE_NOW)                                                                                              \
    X(STALLED, STALLED, "stalled", "Stall",                                                                  \
      "Nothing could leave for a whole timeout although nothing was lost.", NODE_NOW)                        \
    X(PROBED, PROBED, "probed", "WindowProbe", "A closed window was probed.", NODE_NOW)                      \
    X(ACKED, ACK, "ack", "AcknowledgementSent",                                                              \
      "A packet without data leaves: everything below key is here, and ack.run behind what is missing.",     \
      NODE_NOW)                                                                                              \
    X(HEARD, HEARD, "heard", "AcknowledgementArrived",                                                       \
      "A packet without data was taken: its ack.number; the peer has everything below key.", NODE_NOW)       \
    X(ARRIVED, LANDED, "landed", "PacketArrived", "A packet is at the adapter: key .. end, len; altered.",   \
      NODE_NOW)                                                                                              \
    X(DROPPED, REFUSED, "refused", "Drop",                                                                   \
      "The adapter dropped a packet, as if lost: why is staging, order, hold, crc or room.", NODE_NOW)       \
    X(TAKEN, ARRIVED, "arrived", "SegmentTaken", "The lower layer hands up a segment: seg, in_order, late.", \
      NODE_NOW | NODE_COUNTED)                                                                               \
    X(HELD, HELD, "", "SegmentHeld", "Octets wait in NIC memory: key .. end.", NODE_NOW)                     \
    X(WRITTEN, WRITTEN, "written", "SegmentWritten",                                                         \
      "The adapter has issued the write of a payload, which is not yet seen: place, in_order.", NODE_NOW)    \
    X(PLACED, PLACED, "placed", "SegmentPlaced", "The payload of a segment is in memory: place, in_order.",  \
      NODE_AFTER | NODE_COUNTED)                                                                             \
    X(KEPT, KEPT, "kept", "SegmentKept", "A segment waits for its turn or for a buffer: seg.", NODE_NOW)     \
    X(DELIVERED, DELIVERED, "delivered", "MessageDelivered", "A message is complete, in order: message.",    \
      NODE_AFTER | NODE_COUNTED | NODE_ACTED)                                                                \
    X(EDGE, EDGE, "edge", "Edge", "Everything below key is delivered.", NODE_AFTER | NODE_COUNTED)           \
    X(WINDOW, WINDOW, "window", "Window",                                                                    \
      "An acknowledgement of everything below key leaves: edge of the window.", NODE_NOW | NODE_COUNTED)     \
    X(COMPLETED, DONE, "done", "Completion", "The ULP has taken a completion: done.",                        \
      NODE_AFTER | NODE_COUNTED | NODE_ACTED)                                                                \
    X(FAULT, FAULT, "", "Fault", "The stream ended here: term.", NODE_NOW)                                   \
    X(CLOSED, CLOSES, "closes", "Closed", "The endpoint requested FIN or RST: term is an iw_llp_want.",      \
      NODE_AFTER | NODE_COUNTED | NODE_ACTED)                                                                \
    X(UP, UP, "", "Connected", "The stream carries DDP.", NODE_AFTER | NODE_COUNTED | NODE_ACTED)            \
    X(FAILED, FAILED, "", "Failed", "The connection could not be set up: term.",                             \
      NODE_AFTER | NODE_COUNTED | NODE_ACTED)                                                                \
    X(ENDPOINT, ENDPOINT, "", "Event", "Terminate, half closed, closed, fatal: event.",                      \
      NODE_AFTER | NODE_COUNTED | NODE_ACTED)                                                                \
    X(BOUND, BOUND, "", "Bound", "What holds the next octet of the stream back has changed: bound.",         \
      NODE_NOW | NODE_COUNTED)

#define NODE_EVENT_VALUE(kind, traced, word, source, says, traits) NODE_##kind,
enum node_event_kind { NODE_NO_EVENT, NODE_EVENT_TABLE(NODE_EVENT_VALUE) NODE_EVENTS };
#undef NODE_EVENT_VALUE

/* Of each kind: an or of node_event_trait, and the word in traces. */
extern const uint8_t node_event_traits[NODE_EVENTS];
/* The kinds that have one of these traits, a bit each. */
uint32_t node_kinds_of(unsigned traits);
extern const char *const node_event_words[NODE_EVENTS];

/* What holds the next octet of a stream back; when two do, the first in this order. Results have the shares of the time from
 * first post to last acknowledgement. */
enum node_bound {
    NODE_BY_WINDOW,      /* the peer's receive window */
    NODE_BY_CONGESTION,  /* the congestion window, or pacing */
    NODE_BY_SEND_BUFFER, /* room for octets not yet acknowledged */
    NODE_BY_DEPTH,       /* all requests were sent, and the ULP waits for their end before it posts more */
    NODE_BY_ORD,         /* RDMA Reads outstanding */
    NODE_BY_FLIGHT,      /* packets under way (llp.flight) */
    NODE_BY_TRACK,       /* what the peer tells apart (llp.track) */
    NODE_BY_PAUSE,       /* flow control stopped the port; the network tells it, no node */
    NODE_BY_ADAPTER,     /* stages of the adapter: doorbell, fetch, DMA read, pipeline */
    NODE_BY_LINE,        /* the port: another packet is being sent */
    NODE_BY_NOTHING,     /* idle: no request is outstanding */
    NODE_BOUNDS
};

/* Why a packet was dropped. */
enum node_drop {
    NODE_NOT_DROPPED,
    NODE_FOR_STAGING, /* the staging buffer was full */
    NODE_FOR_ORDER,   /* nothing is taken out of order */
    NODE_FOR_TRACK,   /* it is beyond what is kept track of */
    NODE_FOR_HOLD,    /* NIC memory was full */
    NODE_FOR_CRC,
    NODE_FOR_ROOM, /* the lower layer had none */
    NODE_FOR_ICV,  /* ESP: it was altered (RFC 4303 3.4.4) */
    NODE_DROPS
};
extern const char
    *const node_drop_names[NODE_DROPS]; /* "staging", "order", "track", "hold", "crc", "room", "icv" */

/* The first octets of a segment: its header, and behind it what node_seg_show() adds where octets are real: all payload that
 * RDMAP itself reads, or the first of the ULP's. */
enum { NODE_SHOWN = 16, NODE_HEAD_MAX = IW_HEAD_MAX + IW_TERM_MAX };
struct node_seg {
    uint8_t head_len; /* of the DDP header: 14, 18, or less where the segment is shorter */
    uint8_t len;      /* in all */
    uint8_t head[NODE_HEAD_MAX];
};

/* Where a payload went; of which untagged message. */
struct node_place {
    uint64_t to;
    iw_stag stag;
    uint32_t len, msn;
};

struct node_message {
    uint64_t key; /* of its last segment */
    uint64_t to;  /* tagged: of the first octet that is known (iw_message.to) */
    uint32_t length;
    uint32_t stag; /* tagged */
    uint32_t qn, msn;
    uint8_t opcode;
    bool tagged, last;
};

/* A packet without data: the how manieth of its direction it is, and the first runs that are here behind something missing:
 * octets, over SCTP chunks, counted from key. */
enum { NODE_RUNS = 3 };
struct node_ack {
    uint32_t number, runs;
    uint32_t run[NODE_RUNS][2];
};

/* iw_event(), without what only its peer needs. */
struct node_endpoint_event {
    enum iw_event_kind kind;
    int term;      /* of a Terminate: IW_TERM(...) */
    bool valid;    /* it was not cut short: */
    bool has_len;  /* it carries the length of a segment, */
    bool has_head; /* the segment's DDP header */
    uint8_t head_len;
    uint16_t segment_len;
    uint8_t head[IW_HEAD_MAX];
};

struct node_event {
    iw_time t;
    uint64_t user; /* of the stream */
    uint64_t key, end;
    uint32_t stream; /* of the node; COMPLETED: the stream that `user` names */
    uint32_t len;    /* octets of payload, or of a packet's data */
    enum node_event_kind kind;
    bool in_order, late, altered, spurious;
    union {
        struct node_seg seg;              /* PULLED, TAKEN, KEPT */
        struct node_place place;          /* WRITTEN, PLACED */
        struct node_ack ack;              /* ACKED, HEARD */
        struct node_message message;      /* DELIVERED */
        struct iw_done done;              /* COMPLETED */
        struct node_endpoint_event event; /* ENDPOINT */
        int term;                         /* FAULT, FAILED, CLOSED */
        uint64_t edge;                    /* WINDOW: the right edge of the window */
        enum llp_reason reason;           /* RETRANSMITTED */
        enum node_bound bound;            /* BOUND */
        enum node_drop why;               /* DROPPED */
    };
};

/* Members, from what the engine says. */
void node_seg_of(struct node_seg *out, const struct iw_seg *seg);
/* The first octets of the payload as they are now, which is not when they leave: what is in host memory may change until then. */
void node_seg_show(struct node_seg *out, const struct iw_seg *seg);
struct node_place node_place_of(const struct iw_place *place);
struct node_message node_message_of(const struct iw_message *message);
void node_endpoint_of(struct node_endpoint_event *out, const struct iw_event *event);

#ifdef __cplusplus
}
#endif
#endif
