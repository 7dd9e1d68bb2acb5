/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* sctp_inner.h -- the inside of an association, shared by the sctp_*.c files only.
 *
 *   sctp.c         configuration, packets in and out, timers, the end
 *   sctp_chunk.c   octets <-> chunks and parameters; bitmaps of TSNs
 *   sctp_start.c   INIT, INIT ACK, COOKIE ECHO, COOKIE ACK; the cookie and its seal
 *   sctp_tx.c      messages -> DATA; SACK -> what is lost, what may be sent; T3; FORWARD-TSN
 *   sctp_rx.c      DATA -> messages; what SACK says
 */
#ifndef IW_LLP_SCTP_INNER_H
#define IW_LLP_SCTP_INNER_H

#include "llp/sctp.h"

/* ---- serial numbers (RFC 1982) ---- */

static inline bool before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}
static inline bool before16(uint16_t a, uint16_t b)
{
    return (int16_t)(uint16_t)(a - b) < 0;
}

/* ---- chunks ---- */

enum { CHUNK_HEAD = 4, PARAM_HEAD = 4, INIT_HEAD = 20, FORWARD_HEAD = 8 };
enum { DATA_END = 1, DATA_BEGIN = 2, DATA_UNORDERED = 4, DATA_AT_ONCE = 8 };
enum { TAG_REFLECTED = 1 }; /* the T bit of ABORT and SHUTDOWN COMPLETE */

static inline uint32_t padded(uint32_t len)
{
    return (len + 3) & ~3u;
}

/* One chunk or parameter in what arrived: `len` octets stand at `at`, its head included. */
struct sctp_tlv {
    const uint8_t *at;
    uint16_t type; /* of a chunk: 8 bits */
    uint8_t flags; /* of a chunk */
    uint32_t len;
    uint32_t full; /* DATA without payload: what Length says; else len */
};
/* The next of them in `len` octets at `p`, and the octets it and its padding take; 0: none, or it is cut. */
uint32_t chunk_get(const uint8_t *p, uint32_t len, uint32_t head_max, struct sctp_tlv *chunk);
uint32_t param_get(const uint8_t *p, uint32_t len, struct sctp_tlv *param);
/* Write the head of a chunk or parameter of `len` octets; the place of its value. */
uint8_t *chunk_put(uint8_t *out, uint8_t type, uint8_t flags, uint32_t len);
uint8_t *param_put(uint8_t *out, uint16_t type, uint32_t len);

/* ---- sets of TSNs: a ring of bits, as many as `chunks` ---- */

struct sctp_bits {
    uint64_t *word;
    uint32_t mask; /* bits - 1 */
};
static inline bool bit_is(const struct sctp_bits *b, uint32_t tsn)
{
    return b->word[(tsn & b->mask) / 64] >> (tsn & 63) & 1;
}
static inline void bit_set(const struct sctp_bits *b, uint32_t tsn)
{
    b->word[(tsn & b->mask) / 64] |= (uint64_t)1 << (tsn & 63);
}
static inline void bit_clear(const struct sctp_bits *b, uint32_t tsn)
{
    b->word[(tsn & b->mask) / 64] &= ~((uint64_t)1 << (tsn & 63));
}
/* The first TSN in [from, to) that is in the set, or is not; `to` when there is none. */
uint32_t bit_find(const struct sctp_bits *b, uint32_t from, uint32_t to, bool set);

/* ---- sending ---- */

enum { TWICE = 16 };

/* A message queued or outstanding: 32 octets. */
struct sctp_sent {
    iw_time at; /* when it last left */
    uint32_t ppid;
    uint32_t store; /* where its octets stand, or would with payload */
    uint32_t len;
    uint16_t stream, ssn;
    uint8_t flags;  /* of the DATA chunk */
    uint8_t sends;  /* how often it left; stays at 255; once acknowledged: less those that were for nothing */
    uint8_t missed; /* SACKs that reported it missing */
    uint8_t retransmits;
    uint32_t kept; /* octets in the store */
};

/* TSNs:  | acknowledged | una ... outstanding ... | next ... queued ... | end
 *
 * Law: flight is the sum of `len` over the outstanding chunks that are in none of gap, again, gone; a chunk
 * is in at most one of again and gone; the octets of [una, end) lie in the store one after the other, up to
 * one wrap. Without payload they would, so that room is the same; what is kept of each stands by its TSN. */
struct sctp_tx {
    struct sctp_sent *sent;
    uint32_t una, next, end;
    uint32_t twice[TWICE]; /* sent again for nothing, and not yet told */
    uint32_t twices;
    struct sctp_bits gap;   /* acknowledged by a gap report: kept until the cumulative TSN passes them */
    struct sctp_bits again; /* to be sent again */
    struct sctp_bits fast;  /* was sent again for three reports, which happens once */
    struct sctp_bits gone;  /* given up */
    uint32_t agains;        /* in `again` */
    uint8_t *store;
    uint32_t store_size, put, unsent;
    uint32_t cwnd, ssthresh, partial_acked, flight, peer_rwnd;
    bool recovering, over_window; /* fast recovery; its first packet does not ask the window */
    uint32_t recover;
    uint32_t advanced, told; /* Advanced.Peer.Ack.Point; the last one sent */
    bool forward;            /* FORWARD-TSN is due */
    bool timing;             /* the round trip of `timed` is being measured */
    uint32_t timed;
    uint32_t burst; /* packets that may still leave at this instant */
    iw_time last;   /* when data last left */
    bool heard;     /* a SACK came since T3 was last set */
    bool closed;    /* the peer's window is, and nothing is outstanding: T3 says when to probe it */
    bool probe;     /* one chunk may leave in spite of the window */
    bool probed;    /* it has, and is all that is outstanding */
    iw_time t3;
};

/* ---- receiving ---- */

enum { DUPLICATES = 16, NONE16 = 0xffff, NO_STREAM = 0xffff };

struct sctp_held {
    uint32_t ppid, tsn, len, kept;
    uint16_t ssn, next;
};

struct sctp_stream_state {
    uint64_t queued, acked;
    uint16_t ssn_out, ssn_in;
    uint16_t first; /* held, by SSN */
    uint16_t ready; /* the next stream that may have held messages to give */
    uint16_t skip;  /* a FORWARD-TSN moved ssn_in to here once what is held before it is given */
    bool is_ready, skips;
};

/* TSNs:  | all here | cum | ... some in `got` ... | high |
 * Law: cum + 1 is not in `got`; nothing in `got` is at or below cum, or above high. */
struct sctp_rx {
    uint32_t cum, high;
    struct sctp_bits got;
    struct sctp_held *held;
    uint8_t *octets; /* of the held */
    uint16_t free;   /* slots */
    uint16_t lent;   /* the slot that the ULP looks at */
    uint16_t ready;  /* first stream of those that may have something to give */
    uint32_t held_octets;
    uint32_t credit, told; /* what the host allows; the a_rwnd last sent */
    uint32_t duplicate[DUPLICATES];
    uint32_t duplicates;
    uint32_t unacked; /* packets with data since the last SACK */
    bool sack, data;  /* a SACK is due now; this packet brought data */
    iw_time sack_at;
    /* the packet being read */
    const uint8_t *at;
    uint32_t left;
    bool reading;
    /* the message that was given last */
    bool fresh;
    uint32_t fresh_tsn;
    uint16_t fresh_stream;
    bool fresh_ordered;
    uint32_t fresh_len;
};

enum {
    COOKIE_OCTETS = 52,
    COOKIE_MAX = 512,
    REPORTED_MAX = 128, /* octets of unknown parameters that the peer is told of */
    REPLY_MAX = 600,
    EVENTS = SCTP_EV_KINDS
};

struct sctp_peer {
    uint32_t tag, tsn, rwnd;
    uint16_t out, in;
    bool adapts, partial;
    uint32_t adaptation;
};

enum { WANT_INIT = 1, WANT_COOKIE = 2, WANT_SHUTDOWN = 4, WANT_SHUTDOWN_ACK = 8, WANT_HEARTBEAT = 16 };

struct sctp {
    struct sctp_conf conf;
    enum sctp_state state;
    bool deaf;     /* takes no association */
    bool finished; /* was established, or failed: not to be used again */
    uint32_t tag;  /* ours */
    uint32_t first_tsn;
    struct sctp_peer peer;
    uint16_t streams;
    struct sctp_stream_state *stream;
    struct sctp_tx tx;
    struct sctp_rx rx;
    unsigned want;
    uint16_t remote_port;
    iw_time srtt, rttvar, rto;
    bool measured;
    uint32_t errors, tries;
    iw_time control_at; /* T1, T2 */
    iw_time heartbeat_at;
    bool heartbeat_out;
    uint8_t event[EVENTS];
    uint16_t cause;
    uint32_t events_get, events_put;
    uint32_t cookie_len;
    uint8_t cookie[COOKIE_MAX];
    uint32_t
        report_len; /* of the cause Unrecognized Parameters, its head included, that goes with COOKIE ECHO; 0: none */
    uint8_t report[PARAM_HEAD + REPORTED_MAX];
    iw_time now;        /* of the packet being read */
    uint32_t reply_len; /* a packet that answers one, and is not remembered */
    uint8_t reply[REPLY_MAX];
    struct sctp_stats stats;
};

static inline bool established(const struct sctp *a)
{
    return a->state >= SCTP_ESTABLISHED;
}
static inline bool without_payload(const struct sctp *a)
{
    return a->conf.head_max != 0;
}

/* ---- sctp.c ---- */

void sctp_tell(struct sctp *a, enum sctp_event_kind kind, uint16_t cause);
/* The association is no more, `kind` says why, and the peer hears ABORT with `cause`. */
void sctp_fail(struct sctp *a, enum sctp_event_kind kind, uint16_t cause);
/* Add a chunk to the reply; the place of its value, NULL when it does not fit. */
uint8_t *sctp_reply(struct sctp *a, uint32_t tag, uint8_t type, uint8_t flags, uint32_t value_len);
void sctp_round_trip(struct sctp *a, iw_time took);
void sctp_back_off(struct sctp *a);
/* One more answer is missing. False: that was the last one, the association is lost. */
bool sctp_missed(struct sctp *a);

/* ---- sctp_start.c ---- */

void start_transmit_init(struct sctp *a, uint8_t *out, uint32_t *len);
void start_transmit_cookie(struct sctp *a, uint8_t *out, uint32_t *len);
void start_init(struct sctp *a, iw_time now, const struct sctp_tlv *chunk);
void start_init_ack(struct sctp *a, iw_time now, const struct sctp_tlv *chunk);
void start_cookie_echo(struct sctp *a, iw_time now, const struct sctp_tlv *chunk, uint32_t tag);
void start_cookie_ack(struct sctp *a, iw_time now);
/* SipHash-2-4. */
uint64_t sctp_seal(const uint64_t key[2], const uint8_t *octets, uint32_t len);

/* ---- sctp_tx.c ---- */

void tx_start(struct sctp *a, iw_time now);
bool tx_wants(const struct sctp *a, iw_time now);
/* FORWARD-TSN and DATA into the packet at `out`, which has `len` octets (`wire` of them on the wire); tx_wants() is
 * true. */
void tx_fill(struct sctp *a, iw_time now, uint8_t *out, uint32_t *len, uint32_t *wire);
void tx_sack(struct sctp *a, iw_time now, const struct sctp_tlv *chunk);
void tx_cumulative(struct sctp *a, iw_time now, uint32_t cum);
void tx_expire(struct sctp *a, iw_time now);
static inline void tx_refill_burst(struct sctp *a)
{
    a->tx.burst = a->conf.burst ? a->conf.burst : UINT32_MAX;
}
static inline bool tx_empty(const struct sctp *a)
{
    return a->tx.una == a->tx.end;
}

/* ---- sctp_rx.c ---- */

void rx_start(struct sctp *a);
/* A DATA chunk. True: `in` is a message for the ULP. */
bool rx_data(struct sctp *a, const struct sctp_tlv *chunk, struct sctp_in *in);
void rx_forward(struct sctp *a, const struct sctp_tlv *chunk);
/* What is held and has its turn. */
bool rx_drain(struct sctp *a, struct sctp_in *in);
/* The message given last was taken. */
void rx_settle(struct sctp *a);
void rx_packet_end(struct sctp *a, iw_time now);
void rx_put_sack(struct sctp *a, uint8_t *out, uint32_t *len);

#endif
