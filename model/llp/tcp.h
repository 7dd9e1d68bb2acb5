/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp.h -- one end of a TCP connection (RFC 9293), as an RNIC terminates it.
 *
 *      ULP   tcp_append    -> +------------+ -> tcp_transmit  packets, pulled by the port
 *            tcp_close     -> |            |
 *      IP    tcp_peek      -> | connection | -> struct tcp_segment: the payload at its stream offset
 *            tcp_accept    -> |            |
 *      host  tcp_credit    -> |            | -> tcp_event     up, fin, down, reset, retransmitted and why ...
 *      time  tcp_expire    -> +------------+ -> tcp_deadline
 *
 * Sans-I/O: no clock, no randomness, no allocation, integers only; time is picoseconds and always an argument. Everything
 * lives in one block of memory that the caller owns, and nothing need be destroyed. Its tables begin in the block and the
 * owner may move them into larger memory at any time: an idle connection costs TCP_IDLE_OCTETS.
 *
 * Records. What is sent is appended as whole records (FPDUs); each leaves as one segment, the first time and every time
 * after. A stream offset counts the octets of one direction from 0, the one behind the SYN, and never wraps.
 *
 *     acked <= sent for the first time <= appended        tcp_acked() <= tcp_sent() <= tcp_appended()
 *
 * Received octets are handed up at once at their stream offset, in order or not. Arrival has two steps, because an adapter
 * may refuse a packet before anything of it is acknowledged: tcp_peek() looks, tcp_accept() takes.
 *
 * Without octets (`note_max`): a record is a length and a note of at most `note_max` octets. Each segment of it carries,
 * behind its TCP header, two octets "octets of the record before this segment" and the note; ip_packet.size still says
 * what the link is charged, and the checksum is 0. Both ends must be configured alike.
 *
 *   RFC 9293 TCP   7323 window scale, timestamps   6298 RTO   5681, 6582, 3465 newreno   2018, 2883, 6675 SACK
 *   8985 RACK-TLP  6937 PRR   5682 F-RTO   9406 HyStart++   9438 CUBIC   3168, 8257 ECN, DCTCP   5961 blind attacks
 *
 * Left out: urgent data (the URG bit is ignored, its octets stay in line), path MTU discovery, keep-alives.
 */
#ifndef IW_LLP_TCP_H
#define IW_LLP_TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/iw.h"
#include "engine/wire.h"
#include "llp/ip_packet.h"
#include "llp/tcp_kinds.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCP_HEAD = 20,
    TCP_HEAD_MAX = 60,
    TCP_OPTION_TIMESTAMPS = 12, /* in every segment, padding included (RFC 7323 appendix A) */
    TCP_NOTE_MAX = 80,
    TCP_MTU_MIN = 576,
    TCP_MTU_MAX = 65535,
    TCP_SHIFT_MAX = 14,        /* RFC 7323 2.3 */
    TCP_IDLE_OCTETS = 1024,    /* of tcp_size() with empty tables, at most */
    TCP_RECORD_OCTETS_MAX = 64 /* of a record beside its note, at most */
};
#define TCP_CWND_MAX ((uint32_t)1 << 30)

/* What an end may do without. */
enum {
    TCP_WITHOUT_SACK = 1,  /* neither offered nor taken */
    TCP_WITHOUT_SCALE = 2, /* the same of the window scale */
    TCP_WITHOUT_TLP = 4,   /* RACK alone (RFC 8985 section 4) */
    TCP_WITHOUT_FRTO = 8,  /* a timeout is believed (RFC 5682) */
    TCP_WITHOUT_USAGE = 16 /* what is reduced is cwnd, in use or not (RFC 9438 4.6 allows it) */
};

struct tcp_conf {
    const struct tcp_detection *detection;
    uint32_t local_address, remote_address; /* IPv4, for the checksum */
    uint32_t initial_window;                /* segments; 0: RFC 6928 */
    uint32_t fixed_window;                  /* octets, of a congestion control with `fixed` */
    uint32_t records;                       /* entries of the tables in the block: 0 or a power of two */
    uint32_t store;
    uint32_t ranges;
    uint32_t repeats;
    iw_time granularity; /* G, the least that 4 RTTVAR count for (RFC 6298 2.3) */
    iw_time initial_rto, min_rto, max_rto;
    iw_time msl; /* TIME-WAIT lasts two of them */

    /* what each packet asks for */
    const struct tcp_congestion *congestion;
    uint32_t iss; /* sequence number of the SYN: another for each connection and run */
    uint16_t local_port;
    uint16_t remote_port; /* 0: of whoever connects */
    uint16_t mtu;         /* octets of the largest IP packet, 576 .. 65535 */
    uint16_t
        late_ticks; /* of the peer's timestamps, by which one that was overtaken may be older and is not stale (PAWS) */
    uint16_t dupack_threshold; /* of dupack and of going back (there 3) */
    uint8_t note_max;          /* 0: payload real; else none, but for so many octets of each record */
    uint8_t note_room;         /* for so many of them records have room at first; 0: for all */
    uint8_t window_shift;      /* offered in the SYN, 0 .. 14 */
    /* Go-back-N: what is out of order is refused and answered with a duplicate acknowledgement, SACK is neither offered
     * nor taken, and losses are repaired by going back. Both ends alike. */
    bool go_back_n;
    bool whole; /* the peer takes whole records only: at the window's edge none is cut, it is probed */
    bool ecn;   /* offer and take ECN (RFC 3168 6.1.1) */
    bool timestamps;
    bool pacing;
    uint8_t without;          /* TCP_WITHOUT_ bits */
    bool idle_restart;        /* cwnd falls back after an idle RTO (RFC 5681 4.1) */
    uint8_t delayed_ack;      /* data segments that one acknowledgement answers, 1 .. 255 */
    uint8_t retries;          /* timeouts in a row until the connection is lost (R2) */
    uint8_t syn_retries;      /* the same for SYN and SYN+ACK */
    uint8_t slow_start_limit; /* segments that an acknowledgement adds to cwnd; 0: L of RFC 3465, 9406 */
    iw_time delayed_ack_timeout;
    iw_time max_ack_delay; /* the peer's, for a lone record's probe (RFC 8985 7.2); 0: the one above */
};

/* A data centre's: newreno, RACK, delayed_ack 2 and 50 us, min_rto 1 ms, initial_rto 10 ms, msl 1 ms, IW 10, late_ticks 1 as
 * Linux has it, 16 records,
 * 64 KiB of store, 16 ranges, 16 repeats; addresses, ports, mtu, iss and fixed_window are 0. */
void tcp_defaults(struct tcp_conf *conf);
/* What is wrong with a configuration, in words; NULL when nothing is. */
const char *tcp_conf_error(const struct tcp_conf *conf);

struct tcp;
/* Octets of the block (0: refused); then the connection in it, closed, aligned as malloc does. */
size_t tcp_size(const struct tcp_conf *conf);
struct tcp *tcp_init(void *memory, const struct tcp_conf *conf);

/* ---- tables ---- */

enum tcp_table {
    TCP_RECORDS, /* records appended and not acknowledged, with their notes */
    TCP_STORE,   /* their octets; payload none: empty */
    TCP_RANGES,  /* runs of octets that arrived ahead of a hole; a full table refuses a new one */
    TCP_REPEATS, /* records that left again, until D-SACK can speak of them no more; a full table forgets the oldest */
    TCP_TABLES
};
/* Octets of memory that a table of so many entries takes. */
size_t tcp_table_octets(const struct tcp *t, enum tcp_table table, uint32_t entries);
uint32_t tcp_table_entries(const struct tcp *t, enum tcp_table table);
uint32_t tcp_table_used(const struct tcp *t, enum tcp_table table);
/* Go on in `memory` with `entries` entries, a power of two. `old`: the memory used before, the owner's again; NULL when it
 * was the block's. IW_EINVAL: no power of two; IW_EFULL: fewer than are in use (TCP_RECORDS: and two). */
int tcp_table_move(struct tcp *t, enum tcp_table table, void *memory, uint32_t entries, void **old);

/* Records have room for notes of so many octets; go on in `memory`, of as many records with room for note_max. What was used
 * before is the owner's again, where it was not the block's. */
uint32_t tcp_note_room(const struct tcp *t);
size_t tcp_widen_octets(const struct tcp *t);
void tcp_widen(struct tcp *t, void *memory);

/* ---- life ---- */

enum tcp_state { /* RFC 9293 3.3.2 */
                 TCP_CLOSED,
                 TCP_LISTEN,
                 TCP_SYN_SENT,
                 TCP_SYN_RECEIVED,
                 TCP_ESTABLISHED,
                 TCP_FIN_WAIT_1,
                 TCP_FIN_WAIT_2,
                 TCP_CLOSE_WAIT,
                 TCP_CLOSING,
                 TCP_LAST_ACK,
                 TCP_TIME_WAIT,
                 TCP_STATES
};
enum tcp_state tcp_state(const struct tcp *t);
/* Active open; passive open. IW_ESTATE: not closed, or used before. */
int tcp_connect(struct tcp *t, iw_time now);
int tcp_listen(struct tcp *t);
/* FIN behind the last record. Nothing more can be appended. IW_ESTATE: not open, or closed already. */
int tcp_close(struct tcp *t, iw_time now);
/* RST, and closed. */
void tcp_abort(struct tcp *t, iw_time now);

enum tcp_event_kind {
    TCP_EV_NONE,
    /* life: each comes at most once */
    TCP_EV_UP,      /* established */
    TCP_EV_FIN,     /* the peer sends nothing more, and all it sent has arrived */
    TCP_EV_DOWN,    /* closed in both directions, all acknowledged (TIME-WAIT included) */
    TCP_EV_REFUSED, /* the SYN was answered with RST */
    TCP_EV_RESET,   /* gone, by the peer's RST */
    TCP_EV_LOST,    /* gone, no answer */
    /* what happens to records */
    TCP_EV_RETRANSMITTED, /* offset, len, why */
    TCP_EV_SPURIOUS, /* offset, len, why: that retransmission was not needed: the peer says so (RFC 2883) */
    TCP_EV_TIMEOUT, /* RTO: offset of the record that waits; repeated for nothing: TIMEOUT_SPURIOUS follows */
    TCP_EV_TIMEOUT_SPURIOUS,
    TCP_EV_REDUCED, /* cwnd was cut: why */
    TCP_EV_UNDONE,  /* the last cut was for nothing, and was taken back */
    TCP_EV_STALLED, /* the window was too small for the next record for an RTO */
    TCP_EV_PROBED,  /* a window probe left */
    TCP_EV_KINDS
};
enum tcp_why {
    TCP_WHY_NONE,
    TCP_WHY_DUPACK,
    TCP_WHY_RACK,
    TCP_WHY_TLP,
    TCP_WHY_RTO,
    TCP_WHY_GO_BACK,
    TCP_WHY_ECN,
    TCP_WHYS
};
struct tcp_event {
    enum tcp_event_kind kind;
    enum tcp_why why;
    uint32_t len;
    uint64_t offset;
};
/* Take the oldest event; false when there is none. Only the last TCP_EVENTS of those that are no life are kept: take them after
 * each call that changes something. */
enum { TCP_EVENTS = 4 };
bool tcp_event(struct tcp *t, struct tcp_event *event);
bool tcp_has_event(const struct tcp *t);

/* ---- sending ---- */

/* Octets of the largest segment: what both MSS leave, options deducted. Before TCP_EV_UP: what our own leaves. */
uint32_t tcp_mss(const struct tcp *t);
/* Would a record of `len` octets find room? If not, larger tables help, or waiting. */
bool tcp_room(const struct tcp *t, uint32_t len);
/* Append one record of the octets in the fragments (where one has no octets zeros are sent), copied. A record above
 * tcp_mss() is cut into several. IW_EFULL: no room; IW_EINVAL: empty, or payload none; IW_ESTATE: closed. */
int tcp_append(struct tcp *t, iw_time now, const struct iw_frag *frag, uint32_t frags);
/* The same with payload none: `len` octets, and a note of `note_len` <= note_max octets, copied. IW_EFULL: above tcp_note_room(), too. */
int tcp_append_note(struct tcp *t, iw_time now, uint32_t len, const void *note, uint32_t note_len);
/* Stream offsets: the end of what was appended, of what left at least once, of what is acknowledged with all before it. */
uint64_t tcp_appended(const struct tcp *t);
uint64_t tcp_sent(const struct tcp *t);
uint64_t tcp_acked(const struct tcp *t);
/* Octets appended that have not left yet. */
uint64_t tcp_unsent(const struct tcp *t);

/* What holds the next new record back. */
enum tcp_bound {
    TCP_BOUND_NOTHING,    /* nothing does: pull */
    TCP_BOUND_IDLE,       /* nothing to send */
    TCP_BOUND_WINDOW,     /* the peer's */
    TCP_BOUND_CONGESTION, /* cwnd */
    TCP_BOUND_PACING,
    TCP_BOUND_CLOSED, /* not established yet, or no more */
    TCP_BOUNDS
};
enum tcp_bound tcp_bound(const struct tcp *t, iw_time now);

/* Is it the FIN's record, whatever it carries? */
bool tcp_is_fin(const struct ip_packet *packet);
/* Octets that tcp_transmit() may write. */
uint32_t tcp_packet_max(const struct tcp *t);
/* The next packet; false: nothing to send now. `out->octets` is the caller's, room for tcp_packet_max(); octets, head,
 * size, ecn, protocol and the marks are filled, the rest is the caller's. ACKs go before data. What is due is decided
 * now: the round trip of a record begins with this call. Call it again after every append, arrival and expiry until it
 * gives nothing, or whenever the port has room. `control`: packets without a record; `data`: with one. */
bool tcp_transmit_of(struct tcp *t, iw_time now, bool control, bool data, struct ip_packet *out);
static inline bool tcp_transmit(struct tcp *t, iw_time now, struct ip_packet *out)
{
    return tcp_transmit_of(t, now, true, true, out);
}
/* A packet with a record leaves the port only now: it acknowledges what is here now, and tells the edge of now. */
void tcp_renew(struct tcp *t, struct ip_packet *packet);
/* Has control, has data something to write? Exact, but for pacing and a cwnd that an idle time cuts. */
bool tcp_wants_control(const struct tcp *t);
bool tcp_wants_data(const struct tcp *t, iw_time now);
bool tcp_wants(const struct tcp *t, iw_time now); /* either */
/* Is an acknowledgement due (a delayed one is not, before its time)? Give credit before it is pulled. */
bool tcp_ack_due(const struct tcp *t);

/* ---- receiving ---- */

enum tcp_verdict {
    TCP_TAKEN,     /* payload that was missing: hand it up */
    TCP_CONTROL,   /* no payload: acknowledgement, SYN, FIN, RST */
    TCP_DUPLICATE, /* all payload had arrived before */
    TCP_REFUSED, /* as if it had never arrived: outside the window, out of order with go_back_n, no room for a range */
    TCP_BAD /* no segment of this connection: length, checksum, ports, no acknowledgement where there must be one */
};
struct tcp_segment {
    uint64_t offset; /* of the first octet of payload in the peer's stream */
    uint32_t len;    /* octets of payload; of those beyond the window nothing is said here */
    bool in_order;   /* nothing before it is missing */
    bool fin;
    const uint8_t *octets; /* the payload, borrowed from the packet; NULL: payload none */
    uint32_t before;       /* payload none: octets of the record before this segment */
    const uint8_t *note;   /* payload none: the note */
    uint32_t note_len;
};
/* A segment's header, read once; octets are borrowed from the packet. */
struct tcp_wire {
    uint16_t from, to, window, mss; /* mss: 0, not said */
    uint32_t seq, ack, len;
    uint8_t flags, head, shift, sacks, ecn;
    bool scaled, sack_ok, stamped;
    uint32_t ts_val, ts_ecr;
    const uint8_t *sack; /* `sacks` blocks of 8 octets */
    const uint8_t *octets, *note;
    uint32_t before, note_len;
};
/* Read it. False: no segment of this connection (TCP_BAD): length, checksum, ports. */
bool tcp_read(const struct tcp *t, const struct ip_packet *in, struct tcp_wire *w);
/* What would tcp_take() make of it now? Changes nothing; fills `segment` where the verdict is TAKEN or DUPLICATE. */
enum tcp_verdict tcp_judge(const struct tcp *t, const struct tcp_wire *w, struct tcp_segment *segment);
/* Take it: what it acknowledges is, and its payload will be. Law: what was acknowledged, SACK included, was given with
 * TCP_TAKEN and never reneged on. An owner that refuses a packet does not call this. NULL: of what could not be read. */
enum tcp_verdict tcp_take(struct tcp *t, iw_time now, struct tcp_wire *w, struct tcp_segment *segment);
/* The same of what tcp_judge() has just called TAKEN, with its segment. */
void tcp_take_judged(struct tcp *t, iw_time now, const struct tcp_wire *w, const struct tcp_segment *segment);
/* The same of a packet that is read for it. */
enum tcp_verdict tcp_peek(const struct tcp *t, const struct ip_packet *in, struct tcp_segment *segment);
enum tcp_verdict tcp_accept(struct tcp *t, iw_time now, const struct ip_packet *in,
                            struct tcp_segment *segment);
/* RCV.NXT as a stream offset: all before it has arrived. A FIN is not counted. */
uint64_t tcp_received(const struct tcp *t);
/* How many ranges are here beyond that; the first `max`, [from, to), counted from RCV.NXT. */
uint32_t tcp_ranges(const struct tcp *t, uint64_t (*range)[2], uint32_t max);
/* Is [offset, offset + len) here already? */
bool tcp_has(const struct tcp *t, uint64_t offset, uint32_t len);
/* The stream offset below which the peer may send. It moves right only: a smaller one is ignored, and on the wire it is
 * rounded up to the unit of the window scale where it has been told. `say_so`: an acknowledgement tells the peer at once.
 * At first 0: call this before the SYN leaves. */
void tcp_credit(struct tcp *t, iw_time now, uint64_t right_edge, bool say_so);
/* The right edge on the wire. */
uint64_t tcp_told(const struct tcp *t);
/* The answer to a packet that belongs to no connection (RFC 9293 3.10.7.1); false: none. `out` as in tcp_transmit(). */
bool tcp_answer_stray(const struct ip_packet *in, struct ip_packet *out);

/* ---- time ---- */

/* When to call tcp_expire() if nothing else happens first; early calls do nothing, late ones only act late. It may move
 * later unannounced. */
iw_time tcp_deadline(const struct tcp *t);
void tcp_expire(struct tcp *t, iw_time now);

/* ---- looking on ---- */

struct tcp_stats {
    uint64_t retransmits;        /* data segments sent again, and */
    uint32_t why[TCP_WHYS];      /* of those by reason */
    uint32_t spurious;           /* of those, not needed (D-SACK, RFC 2883) */
    uint32_t timeouts;           /* RTO */
    uint32_t timeouts_spurious;  /* beside those: when nothing was lost */
    uint32_t reductions, undone; /* cwnd cut; taken back */
    uint32_t stalls;             /* an RTO without room for the next record in the window */
    uint32_t probes;             /* of a closed window */
    uint32_t records_cut;
    uint32_t gone_back;  /* times */
    uint32_t dropped;    /* packets that were no segment of this connection */
    uint32_t refused;    /* data segments not taken */
    uint32_t duplicates; /* data segments that had arrived before */
    uint32_t ahead;      /* data segments that arrived while an earlier octet was missing */
    uint32_t challenges; /* challenge ACKs (RFC 5961) */
    uint32_t reneged;    /* times the peer dropped what it had SACKed */
    uint32_t ranges_peak;

    /* what each packet changes */
    uint32_t cwnd, ssthresh, flight; /* octets, now */
    uint32_t sacked;                 /* records, now */
    uint32_t flight_peak;
    uint32_t marks;      /* packets with CE */
    uint64_t right_edge; /* the peer's, stream offset */
    iw_time srtt, min_rtt;
    uint64_t packets_tx, packets_rx;
    uint64_t segments_tx, octets_tx; /* data, the first time */
    uint64_t segments_rx, octets_rx; /* data that was missing */
    uint64_t acks_tx, acks_rx;       /* without data */
    uint32_t echoes;                 /* acknowledgements with ECE */
    uint32_t lost;                   /* records, now */
    iw_time rttvar, rto;
};
/* Brought up to date by this call. */
const struct tcp_stats *tcp_statistics(struct tcp *t);

#ifdef __cplusplus
}
#endif
#endif
