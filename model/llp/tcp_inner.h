/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_inner.h -- the inside of a connection, shared by the tcp_*.c files, and by llp_tcp.c, which looks at it for every packet.
 *
 *   tcp.c           configuration, tables, states, timers, events
 *   tcp_header.c    octets <-> segments, checksum
 *   tcp_rx.c        arrival: acceptance, ranges, when to acknowledge, SACK and D-SACK
 *   tcp_tx.c        records, what leaves next
 *   tcp_ack.c       what an acknowledgement says of each record
 *   tcp_rack.c      which records are lost, by time; tail loss probe
 *   tcp_dupack.c    which records are lost, by count; going back
 *   tcp_recovery.c  reductions, PRR, timeouts, F-RTO
 *   tcp_undo.c      what left again, as long as a D-SACK may speak of it; reductions that were for nothing
 *   tcp_rtt.c       round trips and what follows from them
 *   tcp_congestion.c tcp_hystart.c    how cwnd grows; tcp_cubic.c ... each control (tcp_kinds.h)
 */
#ifndef IW_LLP_TCP_INNER_H
#define IW_LLP_TCP_INNER_H

#include "engine/least.h"
#include "llp/tcp.h"

enum {
    FLAG_FIN = 1,
    FLAG_SYN = 2,
    FLAG_RST = 4,
    FLAG_PSH = 8,
    FLAG_ACK = 16,
    FLAG_URG = 32,
    FLAG_ECE = 64,
    FLAG_CWR = 128
};

#define TCP_STAMP_TICK ((iw_time)1000000)

/* Is an offset before another? Of their low halves. */
static inline bool is_below(uint64_t a, uint64_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b) < 0;
}
/* now + wait, IW_NEVER where that is later than all time. */
static inline iw_time later(iw_time now, iw_time wait)
{
    return wait > IW_NEVER - now ? IW_NEVER : now + wait;
}

/* ---- a segment as it is on the wire ---- */

/* False: cut short, or no TCP. The checksum is not looked at. */
bool tcp_wire_get(const struct ip_packet *in, uint32_t note_max, struct tcp_wire *w);
bool tcp_checksum_is_good(const struct tcp *t, const struct ip_packet *in);

/* ---- records ---- */

/* SACKED, LOST: of a record that was sent; neither: it is in flight. FIN: the octet is the FIN's. CHARGED: the reduction `of`
 * was for nothing only if all that was sent of this record proves to have arrived. */
enum { SACKED = 1, LOST = 2, FIN_RECORD = 4, CHARGED = 8 };
enum { SENDS_MAX = 15, CUT_NUMBERS = 32 };

struct tcp_record {
    uint64_t offset;
    iw_time sent; /* when it last left */
    /* Neighbours in `flying` or `lost`; of a SACKED one `next` is where to look for one that is not. */
    uint32_t prev, next;
    uint16_t len;
    uint16_t before; /* octets of the record as appended that were cut off before this piece */
    uint8_t flags;
    uint8_t sends : 4; /* how often it left, and */
    uint8_t owed : 4;  /* repetitions of which no D-SACK spoke; both stay at SENDS_MAX */
    uint8_t why : 3;   /* enum tcp_why: of its last repetition */
    uint8_t of : 5;    /* CHARGED: number of a reduction */
    uint8_t note_len;
};

/* A record that is acknowledged, and of which more may have arrived than was needed: RFC 2883 lets the peer say so. */
struct tcp_repeat {
    uint64_t offset;
    uint32_t sent; /* 2^24 ps */
    uint8_t owed, why, of;
    bool charged;
};

/* In the order of offsets, a ring. Used: what is kept, and `out` records of those sent that are owed a D-SACK. */
struct tcp_repeats {
    struct tcp_repeat *at;
    uint32_t entries, first, end, out;
};

/* Records by their index, linked; head and tail mean nothing when count is 0. */
struct tcp_chain {
    uint32_t head, tail, count;
};

/* Indices:  | acknowledged | first ... sent ... | next ... unsent ... | end      of the ring `record`
 * Offsets:                   una                  nxt                   end_offset
 *
 * Laws: each record of [first, next) is SACKED, or LOST and in `lost`, or in `flying`; stats.flight is the sum of `len` over
 * `flying`; `flying` is in the order of `sent`, `lost` in the order of offsets. */
struct tcp_tx {
    struct tcp_record *record;
    uint8_t *store; /* payload none: conf.note_room octets for each record, behind the records */
    uint32_t mask, first, next, end;
    uint64_t una, nxt, end_offset;
    struct tcp_chain flying, lost;
    uint32_t window_max; /* largest window it ever told */
    uint32_t wl1,
        wl2; /* low halves: of the segment that told the window, its offset, its acknowledgement (RFC 9293 3.10.7.4) */
    uint16_t mss;   /* EMSS */
    uint8_t shift;  /* of the peer's window field */
    bool fin : 1;   /* the FIN is the last record */
    bool cut : 1;   /* the next record may be cut where the window ends */
    bool force : 1; /* one record may leave whatever cwnd says */
    bool probe : 1; /* a window probe is due */
    bool tlp : 1;   /* a tail loss probe is due */
    bool cwr : 1;   /* tell CWR with the next new record */
    uint32_t store_size;
    uint32_t finger; /* in `lost`: the last to come */
};

/* ---- receiving ---- */

struct tcp_range {
    uint64_t from, to;
};
enum { RECENT = 4, DSACKS = 4 };

/* Offsets:  | all here | nxt ... ranges ... | told
 * Laws: nxt < range[0].from, range[i].to < range[i + 1].from; told never gets smaller. */
struct tcp_rx {
    uint64_t nxt; /* the FIN's octet counts */
    uint64_t edge, advertised;
    uint64_t fin_at; /* IW_NEVER: not known */
    uint32_t irs;
    uint8_t shift;
    uint8_t unacked;     /* data segments since the last acknowledgement */
    bool ack;            /* due now */
    bool pure;           /* and not as a passenger of data: SACK, D-SACK, duplicates */
    bool ece;            /* RFC 3168: until CWR; DCTCP: the last packet had CE */
    bool before_ce;      /* DCTCP: acknowledge what came before the change of CE, with the old ECE */
    uint32_t before_len; /* octets that came since */
    iw_time ack_at;
    uint32_t owed;     /* without SACK: one acknowledgement for each segment out of order */
    uint32_t last_ack; /* RFC 7323 */
    uint8_t recents, dsacks;
    /* what is out of order */
    uint32_t head, count, mask, entries; /* of `range`, a ring */
    struct tcp_range *range;
    uint32_t recent[RECENT]; /* an octet of each range that a segment came for, newest first: low halves */
    uint32_t dsack[DSACKS], dsack_len[DSACKS];
    uint32_t ts_recent; /* RFC 7323 */
};

/* ---- congestion ---- */

enum { HYSTART_OFF, HYSTART_SLOW_START, HYSTART_CSS };
struct tcp_hystart {
    uint64_t end; /* the round ends when this is acknowledged */
    iw_time last, now, base;
    uint8_t samples, rounds;
};
/* A control's own structure, of its own file. */
enum { TCP_OWN_OCTETS = 72 };
#define TCP_OWN(type)                                                         \
    _Static_assert(sizeof(type) <= TCP_OWN_OCTETS, "it fits in struct cong"); \
    static inline type *own(struct tcp *t)                                    \
    {                                                                         \
        return (type *)(void *)t->cong.of.own;                                \
    }

struct tcp_cong {
    uint32_t counted; /* octets towards the next segment of growth */
    uint32_t flight_max;
    union { /* HyStart++ until slow start first ends, then what the control keeps, as TCP_OWN() says; DCTCP from the start */
        struct tcp_hystart hystart;
        uint8_t own[TCP_OWN_OCTETS];
    } of;
    uint8_t start;      /* HYSTART_ */
    bool limited;       /* the flight filled cwnd since usage_end was last set */
    uint32_t usage_end; /* low half */
};

enum tcp_phase { OPEN, CWR, RECOVERY, LOSS };

/* A reduction. It is undone when all that left again because of it proves to have arrived before, or when nothing had to. */
struct tcp_cut {
    uint32_t prior_cwnd, prior_ssthresh;
    uint32_t repeated; /* records that left again because of it, and were needed as far as is known */
    uint16_t left;     /* of cwnd: 2^-15 */
    bool may_undo : 1, undone : 1;
    bool within : 1;    /* in a recovery that went on */
    bool timed_out : 1; /* a timeout's */
    bool again : 1;     /* something left again since, or what was lost then had before */
};
enum { CUTS = 8 }; /* before the table of repetitions; without that table the last alone */

struct tcp_repair {
    uint8_t phase;
    uint8_t last; /* number of the last reduction; cut[number % cuts] */
    uint8_t frto; /* RFC 5682: 0 off, 1 the first was repeated, 2 `frto_new` new records may leave */
    uint8_t frto_new, cuts;
    uint32_t prr_out, prr_delivered;
    uint64_t recover; /* offset: all sent when the phase began */
    struct tcp_cut *cut, one;
    uint32_t prr_flight;
};

struct tcp_rack {
    iw_time sent, rtt;
    uint64_t end, fack, round; /* round: ends the round trip of the last D-SACK */
    uint64_t tlp_end;          /* IW_NEVER: none outstanding */
    uint8_t mult, persist;
    bool reordering, dsack_seen, tlp_repeat;
};

struct tcp_dupack {
    uint32_t edge;  /* index: all before it that is not SACKED is lost */
    uint32_t above; /* SACKED records from there on */
    uint32_t dups;  /* without SACK */
    uint32_t dup_octets;
    uint32_t expected; /* go-back-N: duplicates that records sent before going back account for */
};

/* An event that waits, packed. */
struct tcp_queued_event {
    uint64_t offset;
    uint32_t len;
    uint8_t kind, why;
};

enum { MUST_SYN = 1, MUST_RST = 2, MUST_RST_ACK = 4 };

/* What was answered in the second that began at answered_at: RFC 5961 section 7, RFC 9293 3.10.7.4. */
enum tcp_answered { CHALLENGED, REMINDED, ANSWERED };

/* What each packet asks for, received or sent, and then what its acknowledgement does lies together. */
struct tcp {
    struct tcp_conf conf;
    uint8_t state;
    bool passive, used, sack, stamps, ecn_on;
    uint8_t must;  /* MUST_ */
    uint8_t tries; /* timeouts in a row */
    uint16_t remote_port;
    uint16_t life; /* events: bits of those that come once */
    uint8_t event_get, event_count;
    uint8_t backoff, probe_backoff;
    struct tcp_tx tx;
    /* times */
    iw_time rto_at, pto_at, reo_at, pace_at;
    iw_time other_at; /* by state: the SYN's, TIME-WAIT, else the persist timer */
    struct tcp_rx rx;
    struct tcp_stats
        stats; /* cwnd, ssthresh, flight, sacked, right_edge, srtt, rttvar and min_rtt are kept here alone */
    const struct tcp_detection *detection; /* as agreed: the one asked for, or who serves without SACK */
    union {                                /* its own */
        struct tcp_rack rack;
        struct tcp_dupack dupack;
    };
    iw_time last_sent;
    iw_time rto;         /* before the back-off */
    uint32_t min_rtt_at; /* 2^32 ps */
    uint32_t rtt_end;    /* low half; the next sample for SRTT when this is acknowledged */
    struct tcp_cong cong;
    struct tcp_repair repair;
    /* the rest */
    struct tcp_repeats repeats;
    bool syn_again;
    uint8_t answered[ANSWERED];
    uint32_t rst_seq, rst_ack;
    uint32_t answered_at; /* 2^32 ps */
    struct tcp_queued_event event[TCP_EVENTS];
};

static inline bool offers_sack(const struct tcp *t)
{
    return !t->conf.go_back_n && !(t->conf.without & TCP_WITHOUT_SACK);
}
static inline bool offers_scale(const struct tcp *t)
{
    return !(t->conf.without & TCP_WITHOUT_SCALE);
}
static inline struct tcp_record *record_at(const struct tcp *t, uint32_t i)
{
    return &t->tx.record[i & t->tx.mask];
}
static inline uint64_t record_end(const struct tcp_record *r)
{
    return r->offset + r->len;
}
static inline bool synchronized(const struct tcp *t)
{
    return t->state >= TCP_ESTABLISHED;
}
/* May data leave, or come? */
static inline bool sends(const struct tcp *t)
{
    enum {
        SENDS = 1 << TCP_ESTABLISHED | 1 << TCP_CLOSE_WAIT | 1 << TCP_FIN_WAIT_1 | 1 << TCP_CLOSING |
                1 << TCP_LAST_ACK
    };
    return SENDS >> t->state & 1;
}
/* The sequence number of an octet of ours, of the peer's. */
static inline uint32_t seq_of(const struct tcp *t, uint64_t offset)
{
    return t->conf.iss + 1 + (uint32_t)offset;
}
static inline uint32_t ack_of(const struct tcp *t, uint64_t offset)
{
    return t->rx.irs + 1 + (uint32_t)offset;
}
/* The octet of ours, of the peer's, that a sequence number means: the one next to where we are. Below 0: before the SYN. */
static inline int64_t offset_of_ack(const struct tcp *t, uint32_t ack)
{
    return (int64_t)t->tx.una + (int32_t)(ack - seq_of(t, t->tx.una));
}
static inline int64_t offset_of_seq(const struct tcp *t, uint32_t seq)
{
    return (int64_t)t->rx.nxt + (int32_t)(seq - ack_of(t, t->rx.nxt));
}

/* ---- what tcp.h says of a connection, for who asks for every packet ---- */

static inline uint64_t appended_of(const struct tcp *t)
{
    return t->tx.end_offset - t->tx.fin;
}
static inline uint64_t sent_of(const struct tcp *t)
{
    return least(t->tx.nxt, appended_of(t));
}
static inline uint64_t acked_of(const struct tcp *t)
{
    return least(t->tx.una, appended_of(t));
}
/* The peer's FIN is here, and everything before it. */
static inline bool has_fin(const struct tcp *t)
{
    return t->rx.nxt > t->rx.fin_at;
}
static inline uint64_t received_of(const struct tcp *t)
{
    return has_fin(t) ? t->rx.fin_at : t->rx.nxt;
}
static inline bool has_unsent(const struct tcp *t)
{
    return t->tx.next != t->tx.end;
}
static inline bool wants_control(const struct tcp *t)
{
    return t->must || t->rx.ack || t->rx.before_ce || t->tx.probe;
}
/* Is there data that may want to leave? */
static inline bool has_to_send(const struct tcp *t)
{
    return t->tx.tlp || has_unsent(t) || t->tx.lost.count;
}
static inline iw_time deadline_of(const struct tcp *t)
{
    iw_time at = least(least(t->rto_at, t->pto_at), least(t->reo_at, t->other_at));
    return least(at, least(t->rx.ack_at, t->pace_at));
}

/* ---- what one acknowledgement did ---- */

struct tcp_news {
    iw_time now;
    uint64_t una_before;
    uint32_t acked, delivered; /* octets: cumulatively; and those SACKed first now */
    uint32_t records;          /* retired */
    uint32_t flight_before;
    uint32_t sacked; /* records */
    bool duplicate;  /* RFC 5681 section 2 */
    bool marked;     /* ECE */
    bool dsack;
    struct tcp_range dsack_range;
    bool original;   /* a record never repeated, of those that were out at the timeout, was acknowledged */
    bool lost_again; /* a repetition was found lost */
    bool stamped;    /* it echoes a timestamp of ours: */
    uint32_t echo;
    iw_time rtt; /* IW_NEVER: none */
};

/* ---- tcp.c ---- */

void tcp_tell(struct tcp *t, enum tcp_event_kind kind, enum tcp_why why, uint64_t offset, uint32_t len);
void tcp_end(struct tcp *t, enum tcp_event_kind kind);
void tcp_established(struct tcp *t, iw_time now);
/* Both ends take SACK, or not: so losses are detected. */
void tcp_sack_agreed(struct tcp *t, bool sack);
/* Our FIN is acknowledged; the peer's has come in its turn. */
void tcp_fin_acked(struct tcp *t, iw_time now);
void tcp_fin_came(struct tcp *t, iw_time now);
void tcp_syn_timer(struct tcp *t, iw_time now);

/* ---- tcp_header.c ---- */

/* The timestamp of a moment: microseconds, beginning anywhere (RFC 7323 5.4). */
uint32_t tcp_stamp(const struct tcp *t, iw_time at);
/* Write a header with its options at `at` (TCP_HEAD_MAX octets); its octets. `sacks`: with SACK blocks. */
uint32_t tcp_head_put(struct tcp *t, iw_time now, uint8_t *at, uint32_t seq, uint32_t ack, uint8_t flags,
                      bool sacks);
/* A header of `head` octets and `written` behind it stand at out->octets; `len` octets of payload are meant. */
void tcp_head_renew(struct tcp *t, const struct ip_packet *packet, uint32_t ack, uint8_t echo);
void tcp_packet_end(struct tcp *t, struct ip_packet *out, uint32_t head, uint32_t len, uint32_t written);

/* ---- tcp_rx.c ---- */

void tcp_rx_init(struct tcp *t);
/* The window field, and what it tells from now on. */
uint16_t tcp_window_field(struct tcp *t, bool syn);
/* An acknowledgement is in the packet that leaves. `alone`: without data. */
void tcp_acked_now(struct tcp *t, bool alone);
void tcp_ack_soon(struct tcp *t, bool pure);
/* At most `max` blocks to tell, a D-SACK first (RFC 2018, 2883); how many. The D-SACK is told then. */
uint32_t tcp_sack_blocks(struct tcp *t, struct tcp_range *block, uint32_t max);

/* ---- tcp_tx.c ---- */

/* una <= nxt <= end_offset; first <= next <= end, as many as the ring has at most. */
bool tcp_is_in_order(const struct tcp *t);
/* Each record of [first, next) is SACKED, or LOST and in `lost`, or in `flying`; stats.flight is the sum of `len` over
 * `flying`. */
bool tcp_accounts(const struct tcp *t);
void tcp_lose(struct tcp *t, uint32_t i, enum tcp_why why);
void tcp_chain_remove(struct tcp *t, struct tcp_chain *c, uint32_t i);
void tcp_chain_push(struct tcp *t, struct tcp_chain *c, uint32_t i); /* at the head */
/* Octets in flight, less those that duplicates without SACK account for. */
uint32_t tcp_pipe(const struct tcp *t);
void tcp_arm_persist(struct tcp *t, iw_time now);
void tcp_persist(struct tcp *t, iw_time now);

/* ---- tcp_ack.c ---- */

/* The first record of those sent that begins at or behind `offset`. */
uint32_t tcp_record_from(const struct tcp *t, uint64_t offset);
void tcp_ack_came(struct tcp *t, iw_time now, const struct tcp_wire *w, uint64_t offset);

/* ---- tcp_rack.c ---- */

/* Its probe is due; it left, `again` or for the first time. */
void tcp_tlp_fire(struct tcp *t, iw_time now);
void tcp_tlp_sent(struct tcp *t, iw_time now, bool again);

/* ---- tcp_recovery.c ---- */

void tcp_recovery_heard(struct tcp *t, struct tcp_news *n, bool lost);
void tcp_recovery_sent(struct tcp *t, struct tcp_record *r, bool again);
void tcp_recovery_lost(struct tcp *t, iw_time now);
void tcp_timeout(struct tcp *t, iw_time now);
void tcp_reduce(struct tcp *t, iw_time now, enum tcp_why why);

/* ---- tcp_undo.c ---- */

/* cwnd is about to be cut; what it was is kept. */
struct tcp_cut *tcp_cut_begin(struct tcp *t, bool may_undo);
struct tcp_cut *tcp_cut_last(struct tcp *t);
/* The last was for nothing. */
void tcp_undo_last(struct tcp *t);
/* An acknowledgement was read: was all that is held for lost only late? */
void tcp_undo_late(struct tcp *t);
/* A record left again. One that more may be heard of is acknowledged, and about to be forgotten. */
void tcp_repeated(struct tcp *t, struct tcp_record *r);
void tcp_repeat_keep(struct tcp *t, const struct tcp_record *r);
void tcp_dsack_came(struct tcp *t, struct tcp_news *n);
/* How many entries the memory of repetitions needs. */
uint32_t tcp_repeats_used(const struct tcp *t);
size_t tcp_repeats_octets(uint32_t entries);
/* The table in its block; NULL where it has no entries. A table moves. */
void tcp_repeats_place(struct tcp *t, void *memory, uint32_t entries);
void tcp_repeats_move(struct tcp *t, void *memory, uint32_t entries);

/* ---- tcp_rtt.c ---- */

void tcp_round_trip(struct tcp *t, iw_time now, iw_time took, bool sample);
void tcp_back_off(struct tcp *t);
/* The RTO as it is now, backed off. */
iw_time tcp_rto_now(const struct tcp *t);
void tcp_arm_rto(struct tcp *t, iw_time now);

/* ---- tcp_congestion.c ---- */

void tcp_cong_init(struct tcp *t);
void tcp_cong_up(struct tcp *t);
void tcp_cwnd_set(struct tcp *t, uint64_t octets);
/* Grow by `acked` octets, at most `l` segments, not beyond ssthresh; what was not used. */
uint32_t tcp_slow_start(struct tcp *t, uint32_t octets);
void tcp_grow_reno(struct tcp *t, uint32_t octets);
/* cwnd, or the flight where the sender did not use it all; at least two segments. */
uint32_t tcp_in_use(const struct tcp *t);
uint32_t tcp_floor(const struct tcp *t, uint64_t octets);
/* RFC 5681 4.1: after an RTO without sending cwnd is at most the initial one. */
void tcp_idle_restart(struct tcp *t, iw_time now);
/* A record left: is cwnd in full use? */
void tcp_usage(struct tcp *t);
bool tcp_is_limited(const struct tcp *t);

/* ---- tcp_hystart.c ---- */

void tcp_hystart_init(struct tcp *t);
/* A round trip was seen; `una` has moved. */
void tcp_hystart_heard(struct tcp *t, iw_time rtt);
void tcp_hystart_end(struct tcp *t);

#endif
