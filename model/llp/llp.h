/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* llp.h -- what a node asks of a lower layer protocol. Each has one const table: MPA over TCP (llp_tcp), MPA over an ideal
 * byte stream (llp_ideal), DDP streams on SCTP (llp_sctp), packets that are segments (llp_packet).
 *
 *       segments   send --> +-----------+ --> transmit   packets, when the port is free
 *                  next <-- |    llp    | <-- arrive     packets, when the adapter has received them
 *                  keep --> |           |
 *       window   credit --> +-----------+ --> event      up, retransmitted, timed out, down
 *
 * One object is one end of a TCP connection or an SCTP association with everything above it up to DDP. It carries one
 * or several DDP streams, numbered from 0. Sans-I/O: time is an argument, the next deadline an answer.
 *
 * A packet that arrives is accepted piece by piece, a unit at a time: a TCP segment, or each DATA chunk of an SCTP
 * packet. The node says before each how many octets it can hold out of order, so what it cannot hold is never
 * acknowledged. After a unit was taken the segments that it lets through are there to be taken with next().
 *
 * Laws: a segment is handed up once, and once more for each keep(); what was acknowledged was taken; keys of a stream
 * increase in the order sent, and edge() never goes back.
 */
#ifndef IW_LLP_LLP_H
#define IW_LLP_LLP_H

#include <stddef.h>

#include "engine/iw.h"
#include "llp/ip_packet.h"
#include "llp/llp_track.h"
#include "llp/sizes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory beyond an object's own block: asked for when a peak grows, kept until the end. NULL: there is none left. */
struct llp_memory {
    void *(*more)(void *user, size_t octets); /* aligned as malloc does */
    void *user;
};

/* What a table can do: scenarios are checked against it. */
enum llp_has {
    LLP_STREAMS = 1,    /* several DDP streams */
    LLP_SACK = 2,       /* it can acknowledge what is out of order */
    LLP_GO_BACK = 4,    /* it can do without: receive: discard */
    LLP_MARKERS = 8,    /* MPA framing */
    LLP_HANDSHAKE = 16, /* it is not up at once */
    LLP_PACKETS =
        32 /* keys count packets, and there is no receive window: what it is granted means nothing */
};

/* When the next connection of a host may grant octets to its sender. */
struct llp_pacer {
    iw_time free_at;
};

struct carve;
struct tcp_conf;
struct sctp_conf;
struct packet_conf;

/* One configuration for all tables; each reads what concerns it. */
struct llp_conf {
    struct llp_track_conf track;
    uint16_t streams;
    uint32_t source, destination; /* IPv4 addresses, for checksums and captures */
    uint16_t local_port, remote_port;
    uint64_t secret;   /* initial sequence numbers and tags: another for each connection and run */
    uint16_t ord, ird; /* MPA start-up (RFC 6581) */
    iw_time start_timeout;
    iw_time delayed_ack_timeout, min_rto, max_rto; /* 0: the transport's own */
    uint32_t delayed_ack;
    uint32_t reorder; /* segments, or runs of octets, remembered out of order */
    uint32_t ports;   /* packets: of its host, which share its path values; 0: one */
    iw_time timeout;  /* ideal: until a packet is sent again */
    iw_time late; /* ideal: how much later than one that left after it a packet may come; 0: nobody knows */
    const struct tcp_conf *tcp;       /* what is TCP's alone; borrowed during init */
    const struct sctp_conf *sctp;     /* what is SCTP's alone; borrowed during init */
    const struct packet_conf *packet; /* and a packet transport's */
    struct llp_pacer
        *pacer; /* shared by a host's connections, borrowed for as long as they live; NULL: its own */
    struct llp_memory memory;
    uint64_t window; /* most octets that the window policy will grant */

    /* what each packet asks for */
    uint64_t send_buffer; /* octets; 0: as many as needed */
    uint32_t mtu;         /* octets of the largest IP packet */
    bool initiator;
    bool real;     /* octets; else headers and marks (payload: none) */
    bool in_order; /* hand nothing up ahead of its turn (receive: hold, copy), for transports of octets */
    bool go_back;  /* nothing out of order is ever taken: do without SACK (receive: discard) */
    bool quiet;    /* nobody hears of LLP_EV_SENT */
    bool markers;  /* MPA: our receiver wants markers */
    bool rdmac;    /* MPA: start by revision 0 (RFC 5044 appendix C) */
    bool crc, crc_drop, trust_alignment;
};

/* What the sizes of such an object follow from. */
struct llp_form llp_form_of(const struct llp_conf *conf);

/* ---- out ---- */

/* What a node asks transmit() for: packets without data pass the adapter's pipeline, those with data (a FIN is data) go through it. */
enum llp_part { LLP_CONTROL = 1, LLP_DATA = 2, LLP_ANY = LLP_CONTROL | LLP_DATA };

/* What a packet is that transmit() gave. */
struct llp_sent {
    bool data, again; /* again: it repeats data */
    bool
        answer; /* no more than what has arrived: nothing else has changed but timers, and what it wants. A hint */
    uint32_t octets; /* of segments in it, as key_after() counts them */
};

/* Wrong on purpose, for lessons and tests. */
enum llp_wrong {
    LLP_RIGHT,
    LLP_WRONG_CRC,    /* the CRC does not match */
    LLP_WRONG_MARKER, /* the first marker points elsewhere, under a CRC that matches */
};

/* What holds the next segment back. */
enum llp_bound {
    LLP_FREE,
    LLP_BY_WINDOW,
    LLP_BY_CONGESTION,
    LLP_BY_SEND_BUFFER,
    LLP_BY_PACING,
    LLP_BY_FLIGHT,
    LLP_BY_TRACK,
    LLP_IDLE
};

/* ---- in ---- */

enum { LLP_MULPDU_LEAST = 128 }; /* RFC 5044 section 3 */

enum llp_verdict {
    LLP_END,       /* the packet is read */
    LLP_NOTHING,   /* no data: an acknowledgement, control */
    LLP_TAKEN,     /* new octets, accepted */
    LLP_DUPLICATE, /* all of it was here before */
    LLP_REFUSED,   /* out of order, and no room for it: it counts as not received */
    LLP_BAD        /* altered on the way, and dropped: it counts as not received */
};

/* Why a sound packet is refused. */
enum llp_refusal { LLP_FOR_ROOM, LLP_FOR_ORDER, LLP_FOR_TRACK };

struct llp_unit {
    enum llp_verdict verdict;
    uint16_t stream;
    bool in_order;        /* nothing before it was missing */
    bool last;            /* unit() need not be asked again */
    uint32_t octets;      /* of the staging that the packet takes */
    uint64_t key, end;    /* where it stands in its stream; end of a chunk: key + 1 */
    enum llp_refusal why; /* REFUSED */
};

struct llp_segment {
    struct iw_seg seg; /* borrowed until the next call that takes a packet or a segment */
    uint16_t stream;
    bool in_order; /* everything before it was handed up and taken */
    bool again;    /* it was kept before */
    bool late;     /* it is handed up in its turn, yet arrived while something before it was missing */
    bool last;     /* once it is taken there is no next one now */
};

/* ---- what happens ---- */

enum llp_event_kind {
    LLP_EV_UP,               /* `stream` carries DDP from here on, both ways; `ord` and `ird` are agreed */
    LLP_EV_FAILED,           /* start-up failed: `term`, or 0 */
    LLP_EV_DOWN,             /* `stream` has ended in both directions, gracefully */
    LLP_EV_LOST,             /* reset, aborted or timed out */
    LLP_EV_SENT,             /* `key` .. `end` left for the first time */
    LLP_EV_RETRANSMITTED,    /* `key` .. `end` left again, for `reason` */
    LLP_EV_SPURIOUS,         /* a retransmission of `key` .. `end` proved unnecessary */
    LLP_EV_UNDONE,           /* a reduction of the congestion window was undone */
    LLP_EV_TIMEOUT,          /* the retransmission timer expired and something was lost */
    LLP_EV_TIMEOUT_SPURIOUS, /* it expired though nothing was lost */
    LLP_EV_STALLED,          /* nothing could be sent for a whole timeout though nothing was lost */
    LLP_EV_PROBE,            /* a closed window was probed */
    LLP_EV_CONGESTION,       /* the congestion window or threshold was set after a loss or mark */
    LLP_EV_KINDS
};
enum llp_reason {
    LLP_WHY_NONE,
    LLP_WHY_DUPACK,
    LLP_WHY_RACK,
    LLP_WHY_TLP,
    LLP_WHY_RTO,
    LLP_WHY_GO_BACK,
    LLP_WHY_NAK,
    LLP_WHY_PASSED,
    LLP_WHY_TRIMMED,
    LLP_WHY_FULL,
    LLP_REASONS
};
extern const char *const llp_reason_names
    []; /* "dupack", "RACK", "TLP", "RTO", "go-back-N", "NAK", "passed", "trimmed", "not remembered" */
struct llp_event {
    uint64_t key, end;
    enum llp_event_kind kind;
    enum llp_reason reason;
    int term;
    uint16_t stream;
    uint16_t ord, ird; /* UP */
    bool
        wait_first; /* UP: an MPA responder is silent until the first segment arrived (RFC 5044 7.1.2 rule 4) */
};

enum llp_end { LLP_OPEN, LLP_FIN, LLP_CUT }; /* CUT: the peer's end stands inside a segment */

struct llp_stats {
    uint64_t segments, retransmits, retransmits_spurious, timeouts, timeouts_spurious, stalls, crc_errors,
        ecn_marks;
    uint64_t cwnd, ssthresh; /* octets now; IW_NEVER: none */
    uint64_t flight; /* what is under way now: octets, with LLP_PACKETS packets; IW_NEVER: not known */
    iw_time srtt;
};

/* What every object begins with, for its owner to look at. */
struct llp_face {
    bool told; /* event() may have something to say */
};

/* ---- the table ---- */

struct llp {
    const char *name;
    unsigned has;     /* enum llp_has */
    uint8_t protocol; /* IP_PROTOCOL_* */
    llp_sizing *sizes;
    const char *(*conf_error)(const struct llp_conf *conf);
    /* One walk serves both to count the octets of an object, NULL, and to fill it. */
    void *(*lay_out)(struct carve *c, const struct llp_conf *conf);

    /* Set up. The listening end does nothing until a packet comes. */
    void (*open)(void *l, iw_time now);
    /* End `stream`: gracefully behind everything sent (IW_LLP_SEND_FIN), or at once. */
    void (*close)(void *l, iw_time now, uint16_t stream, enum iw_llp_want how);

    /* -- out -- */
    /* Largest segment, 0 before LLP_EV_UP. */
    uint32_t (*mulpdu)(const void *l, uint16_t stream);
    bool (*markers)(const void *l); /* of what is sent; NULL: none */
    /* May the engine make the next segment of this stream: open, less than one full packet that has not left, and room
     * behind `pulled` segments of `octets` that were made and not yet given to send()? */
    bool (*has_room)(const void *l, uint16_t stream, uint32_t pulled, uint64_t octets);
    /* The key of the first segment to be sent next, when none is pulled. */
    uint64_t (*key)(const void *l, uint16_t stream);
    /* The key behind a segment of `ulpdu` octets at `key`; `octets`: what it takes of a packet. */
    uint64_t (*key_after)(const void *l, uint16_t stream, uint64_t key, uint32_t ulpdu, uint32_t *octets);
    /* The snapshot is taken: the octets are copied, and iw_accepted() may follow. IW_EFULL. */
    int (*send)(void *l, iw_time now, uint16_t stream, const struct iw_seg *seg, enum llp_wrong how);
    /* Has transmit() something to say now of these parts (enum llp_part)? A hint: it decides. */
    bool (*wants)(const void *l, iw_time now, unsigned parts);
    /* The next packet of these parts for out->port, of a host with several, or with IP_ANY_PORT for the one that will be free when it
     * leaves; false: none. It is sent now: windows, timers and round trips count from here, however long the adapter takes. Octets are borrowed, and stay until the next transmit(), arrive() or expire(). */
    bool (*transmit)(void *l, iw_time now, unsigned parts, struct ip_packet *out, struct llp_sent *sent);
    /* A packet with data leaves the port, behind others that did not wait in the adapter: it says what the receiving side knows
     * now, so that an acknowledgement or a right edge on the wire never goes back. NULL: it says nothing of that. */
    void (*renew)(void *l, iw_time now, struct ip_packet *packet);
    /* May data leave by this port of several? NULL: by any. */
    bool (*leads)(const void *l, uint8_t port);
    /* The peer has all below. */
    uint64_t (*acked)(const void *l, uint16_t stream);
    enum llp_bound (*bound)(const void *l, iw_time now);

    /* -- in -- */
    /* Look at a packet that has arrived: octets of staging that it takes (0: an acknowledgement, control), and where its
     * data stands. Changes nothing. */
    void (*peek)(const void *l, const struct ip_packet *in, struct llp_unit *first);
    /* The octets of staging alone. NULL: peek() costs no more. */
    uint32_t (*staged)(const struct ip_packet *in);
    /* A packet, borrowed until unit() says LLP_END. */
    void (*arrive)(void *l, iw_time now, const struct ip_packet *in);
    /* The next unit of it; `room`: octets that can be held out of order. */
    enum llp_verdict (*unit)(void *l, iw_time now, uint64_t room, struct llp_unit *unit);
    /* The next segment of a stream: 1; 0: none now; IW_TERM(..): its inbound half has failed. */
    int (*next)(void *l, uint16_t stream, struct llp_segment *out);
    /* Give back the segment that next() gave last: it is given again in its turn, or after again(). IW_EFULL: no room, and
     * it counts as not received. */
    int (*keep)(void *l, uint16_t stream);
    void (*again)(void *l, uint16_t stream);
    /* Everything below was handed up and taken: what iw_deliver() takes. */
    uint64_t (*edge)(void *l, uint16_t stream);
    /* Where the peer's half of the stream ends, when all before was handed up and taken. */
    enum llp_end (*ended)(void *l, uint16_t stream);

    /* -- window: counted in octets as the transport counts them -- */
    uint8_t (*shift)(const void *l);     /* of the window field; NULL: 0 */
    uint64_t (*received)(const void *l); /* what the window counts from: RCV.NXT, or octets received */
    /* Octets of everything in this stream below `key`, an edge() of now or before, and not below one that was asked for
     * before: ask for every edge, what lies before it is forgotten then. NULL: keys count octets. */
    uint64_t (*octets_below)(void *l, uint16_t stream, uint64_t key);
    /* The window that the receiver offers beyond received(); `say_so`: an update is due. NULL: there is none. */
    void (*credit)(void *l, iw_time now, uint64_t window, bool say_so);

    /* -- time, looking on -- */
    iw_time (*deadline)(const void *l);
    void (*expire)(void *l, iw_time now);
    bool (*event)(void *l, struct llp_event *e);
    void (*statistics)(const void *l, struct llp_stats *stats);
    /* How many runs are here with something missing before them; the first `max`, [from, to), counted from the first octet
     * that is missing; packets with LLP_PACKETS, chunks of SCTP. */
    uint32_t (*beyond)(const void *l, uint64_t (*run)[2], uint32_t max);
    /* What `stream` remembers of what is out of order. */
    struct llp_track *(*track)(void *l, uint16_t stream);
};

/* Octets of an object, 0: refused; then the object in as many, aligned as malloc does; NULL: refused. */
size_t llp_size(const struct llp *table, const struct llp_conf *conf);
void *llp_init(const struct llp *table, void *memory, const struct llp_conf *conf);

/* Octets of the ideal stream's own header: what channels leave alone, and what an acknowledgement is. */
enum { LLP_IDEAL_HEAD = 20 };
extern const struct llp llp_tcp, llp_ideal, llp_sctp, llp_packet;

#ifdef __cplusplus
}
#endif
#endif
