/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* sctp.h -- one end of an SCTP association (RFC 9260), with partial reliability (RFC 3758).
 *
 *      ULP   sctp_send     -> +-------------+ -> sctp_transmit  packets, pulled by IP
 *            sctp_shutdown -> |             |
 *      IP    sctp_receive  -> | association | -> sctp_take      messages, one after the other
 *      time  sctp_expire   -> |             | -> sctp_deadline
 *                             +-------------+ -> sctp_event     up, down, aborted, lost
 *
 * Sans-I/O: no clock, no randomness, no allocation; time is picoseconds and always an argument. Everything
 * lives in one block of memory that the caller owns, and nothing need be destroyed.
 *
 * One message is one DATA chunk: no fragmentation in either direction (RFC 5043 section 9 forbids it where IP
 * does not fragment). One address on each side. Left out, and refused in a way that the protocol knows:
 * further addresses (those in INIT are ignored; send from one), restart and collision (an INIT that meets an
 * association is answered with ABORT), fragmented messages (ABORT, Protocol Violation). Not offered in INIT,
 * and so not used by the peer: authentication chunks, address reconfiguration, stream reset, interleaving,
 * ECN.
 *
 * Without octets (`head_max`): what sctp_transmit() writes is a packet whose DATA chunks carry at most
 * `head_max` octets of user data, whatever their Length says; the checksum is that of what is there. Both ends must be configured
 * alike.
 */
#ifndef IW_LLP_SCTP_H
#define IW_LLP_SCTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/iw.h"
#include "engine/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SCTP_PROTOCOL = 132, /* of IP */
    SCTP_HEAD = 12,      /* common header: ports, verification tag, checksum */
    SCTP_DATA_HEAD = 16, /* of a DATA chunk */
    SCTP_SACK_HEAD = 16, /* of a SACK without gap reports: all of it */
    SCTP_OVERHEAD = SCTP_HEAD + SCTP_DATA_HEAD,
    SCTP_MTU_MIN = 576, /* RFC 5043 section 9: 512 octets of private data in one piece */
    SCTP_MTU_MAX = 65515,
    SCTP_CHUNKS_MIN = 64,
    SCTP_CHUNKS_MAX = 16384, /* half of what a 16-bit SSN or DDP-SSN can order */
    SCTP_RELIABLE = 255      /* sctp_out.retransmits */
};

struct sctp_conf {
    uint16_t local_port, remote_port;
    uint32_t mtu;     /* largest SCTP packet: that of IP without the IP header */
    uint16_t streams; /* each way */
    uint16_t chunks;  /* messages queued or outstanding, and how far ahead TSNs are taken; a power of two */
    uint32_t store;   /* octets of messages queued or outstanding; at least two packets */
    uint16_t hold;    /* ordered messages remembered ahead of their turn */
    uint32_t rwnd;    /* a_rwnd at the start, octets; sctp_credit() changes it */
    bool adapts;      /* send an Adaptation Layer Indication (RFC 5061) */
    uint32_t adaptation;
    bool partial;       /* offer FORWARD-TSN (RFC 3758) */
    uint16_t head_max;  /* 0: octets; else without, but for so many of each message, a multiple of 4 */
    uint64_t secret[2]; /* for tags, initial TSNs and cookies: another for each association and run */
    iw_time rto_initial, rto_min, rto_max;
    iw_time sack_delay;  /* longest wait of an acknowledgement */
    uint32_t sack_every; /* packets with data that one acknowledgement answers */
    iw_time heartbeat;   /* idle time until the path is probed; 0: never */
    iw_time cookie_life;
    uint32_t initial_window; /* octets of congestion window at the start; 0: RFC 9260 7.2.1 */
    uint32_t burst;          /* packets that one arrival or timeout may release at a time; 0: no limit */
    uint32_t retries;        /* Association.Max.Retrans */
    uint32_t init_retries;   /* Max.Init.Retransmits */
};

/* What RFC 9260 section 16 recommends where a data centre leaves it alone; ports, mtu, secret and sizes are
 * 0. */
void sctp_defaults(struct sctp_conf *conf);
/* What is wrong with a configuration, in words; NULL when nothing is. */
const char *sctp_conf_error(const struct sctp_conf *conf);

struct sctp;
/* Octets of the block (0: refused); then the association in it, closed, aligned as malloc does. */
size_t sctp_size(const struct sctp_conf *conf);
struct sctp *sctp_init(void *memory, const struct sctp_conf *conf);

/* ---- life ---- */

enum sctp_state {              /* RFC 9260 section 4 */
                  SCTP_CLOSED, /* and listening: a good COOKIE ECHO establishes it */
                  SCTP_COOKIE_WAIT,
                  SCTP_COOKIE_ECHOED,
                  SCTP_ESTABLISHED,
                  SCTP_SHUTDOWN_PENDING,
                  SCTP_SHUTDOWN_SENT,
                  SCTP_SHUTDOWN_RECEIVED,
                  SCTP_SHUTDOWN_ACK_SENT,
                  SCTP_STATES
};
enum sctp_state sctp_state(const struct sctp *a);
/* Start the handshake. IW_ESTATE: not closed, or closed for good. */
int sctp_connect(struct sctp *a, iw_time now);
/* Refuse all associations, or take them again (at first: taken). */
void sctp_listen(struct sctp *a, bool on);
/* End gracefully once everything is acknowledged. Nothing more can be sent. IW_ESTATE. */
int sctp_shutdown(struct sctp *a, iw_time now);
/* ABORT, User-Initiated. */
void sctp_abort(struct sctp *a, iw_time now);

enum sctp_event_kind {
    SCTP_EV_NONE,
    SCTP_EV_UP,       /* established */
    SCTP_EV_SHUTDOWN, /* the peer sends nothing new; nor do we from here on */
    SCTP_EV_DOWN,     /* gone, gracefully */
    SCTP_EV_ABORTED,  /* gone, by the peer's ABORT: `cause` */
    SCTP_EV_LOST,     /* gone, no answer */
    SCTP_EV_REFUSED,  /* gone: we aborted; `cause` */
    SCTP_EV_KINDS
};
struct sctp_event {
    enum sctp_event_kind kind;
    uint16_t cause; /* RFC 9260 3.3.10; 0: none given */
};
/* Take the oldest event; false when there is none. Each kind comes at most once. */
bool sctp_event(struct sctp *a, struct sctp_event *event);
/* A message that left again for nothing, for the peer reports its TSN as a duplicate (RFC 9260 3.3.4, RFC 3708); false:
 * none. Each such time counts once in sctp_stats.spurious; of the TSNs the first 16 are kept: take them after each packet. */
bool sctp_spurious(struct sctp *a, uint32_t *tsn);
/* What the peer indicated in INIT or INIT ACK; false: nothing. */
bool sctp_adaptation(const struct sctp *a, uint32_t *indication);
/* Streams that both sides have, each way; 0 before SCTP_EV_UP. */
uint16_t sctp_streams(const struct sctp *a);

/* ---- sending ---- */

/* A message. The fragments are copied: where one has no octets zeros are sent. */
struct sctp_out {
    uint32_t ppid;
    uint16_t stream;
    bool unordered;
    uint8_t retransmits; /* at most so often, then given up; SCTP_RELIABLE: until acknowledged */
    uint8_t frags;
    const struct iw_frag *frag;
    bool at_once; /* the I bit: acknowledge without delay (RFC 7053) */
};
/* Queue it. IW_EFULL: no room now; IW_EINVAL: larger than a packet, no such stream, empty, or given up after
 * some time though the peer knows no FORWARD-TSN; IW_ESTATE: not established, or shutting down. */
int sctp_send(struct sctp *a, iw_time now, const struct sctp_out *out);
/* Largest message: what the mtu leaves. */
uint32_t sctp_message_max(const struct sctp *a);
/* Would a message of the largest size find room? */
bool sctp_has_room(const struct sctp *a);
/* Would so many messages, of `octets` together, find room, and one of the largest size behind them? */
bool sctp_has_room_behind(const struct sctp *a, uint32_t messages, uint64_t octets);
/* Octets of messages queued and not yet sent for the first time. */
uint32_t sctp_unsent(const struct sctp *a);
/* Messages of this stream that the peer has acknowledged with all before them, or that were given up. */
uint64_t sctp_acked(const struct sctp *a, uint16_t stream);
/* Messages queued since the start. */
uint64_t sctp_queued(const struct sctp *a, uint16_t stream);

/* Write the next packet at `out` (mtu octets): the octets written; 0: nothing to send now. `wire`: octets of
 * the packet on the wire (more than written when payload is left out); may be NULL. Call until it returns 0,
 * or whenever IP has room: what is due is decided now. A SACK that is due goes along with DATA. _control: packets without
 * DATA or FORWARD-TSN alone; _data: those with, which take no SACK along: what waits behind others must not say what is old. */
uint32_t sctp_transmit(struct sctp *a, iw_time now, uint8_t *out, uint32_t *wire);
uint32_t sctp_transmit_control(struct sctp *a, iw_time now, uint8_t *out, uint32_t *wire);
uint32_t sctp_transmit_data(struct sctp *a, iw_time now, uint8_t *out, uint32_t *wire);
/* Have they something to write? A hint: they decide. */
bool sctp_wants_control(const struct sctp *a);
bool sctp_wants_data(const struct sctp *a);

/* ---- receiving ---- */

/* A packet of `len` octets arrived. IW_OK: call sctp_take() until it gives nothing; `octets` are borrowed
 * until then. IW_EINVAL: no packet of this association (length, checksum, port or verification tag): dropped.
 * IW_ESTATE: the packet before is still being read. */
int sctp_receive(struct sctp *a, iw_time now, const uint8_t *octets, uint32_t len);

struct sctp_in {
    uint32_t ppid, tsn;
    uint16_t stream, ssn;
    bool unordered;
    bool fresh;            /* of the packet that arrived now, not held before */
    uint32_t len;          /* of the message */
    uint32_t kept;         /* octets at `octets`; less than `len` only without payload */
    const uint8_t *octets; /* borrowed until the next call */
};
/* The next message: unordered ones at once, ordered ones in their turn. False: the packet is read. */
bool sctp_take(struct sctp *a, struct sctp_in *in);
/* The message that sctp_take() gave last was not taken, for want of room: as if it had been lost. Only a
 * fresh one; IW_ESTATE else. Law: what was acknowledged was taken; nothing is reneged on. */
int sctp_refuse(struct sctp *a);
/* Octets that may arrive from now on, beside what is held here: the policy's window. An update goes out when
 * it opens by half or by two packets. A chunk behind all others that does not find room in it is refused: as
 * if it had been lost. */
void sctp_credit(struct sctp *a, iw_time now, uint32_t octets);
/* The first TSN of the peer: messages of all streams are numbered from it on. */
uint32_t sctp_first_tsn(const struct sctp *a);
/* Was the whole of the peer's sending, up to the last TSN known, received? */
bool sctp_in_order(const struct sctp *a);
/* The a_rwnd last sent. */
uint32_t sctp_rwnd(const struct sctp *a);

/* ---- time ---- */

/* When to call sctp_expire() if nothing else happens first; early calls do nothing, late ones only act
 * late. */
iw_time sctp_deadline(const struct sctp *a);
void sctp_expire(struct sctp *a, iw_time now);

/* ---- looking on ---- */

struct sctp_stats {
    uint64_t packets_tx, packets_rx;
    uint64_t dropped;                       /* packets: length, checksum, port, tag, out of the blue */
    uint64_t chunks_tx, chunks_rx;          /* DATA, the first time; taken */
    uint64_t octets_tx, octets_rx;          /* their user data */
    uint64_t retransmits, fast_retransmits; /* DATA chunks sent again; of those after three reports */
    uint64_t spurious;  /* of those not needed: the peer reports them as duplicates (RFC 3708) */
    uint64_t timeouts;  /* T3 */
    uint64_t probes;    /* DATA chunks sent into a closed window */
    uint64_t abandoned; /* given up */
    uint64_t forwards_tx, forwards_rx; /* FORWARD-TSN */
    uint64_t sacks_tx, sacks_rx;
    uint64_t duplicates; /* DATA chunks that had arrived before */
    uint64_t refused;    /* DATA chunks not taken */
    uint64_t ahead;      /* DATA chunks that arrived while an earlier TSN was missing */
    uint32_t gaps_peak;  /* gap reports in one SACK */
    uint32_t cwnd, ssthresh, flight, peer_rwnd; /* octets, now */
    uint32_t outstanding, outstanding_peak;     /* chunks */
    uint32_t held;                              /* octets of ordered messages that wait */
    iw_time srtt, rttvar, rto;
};
const struct sctp_stats *sctp_statistics(struct sctp *a);
/* The same, where only counters are looked at: what the association keeps elsewhere is as it was asked for last. */
const struct sctp_stats *sctp_counters(const struct sctp *a);
/* How many runs of chunks are here beyond the cumulative TSN; the first `max`, [from, to), counted from the first that is missing. */
uint32_t sctp_runs(const struct sctp *a, uint64_t (*run)[2], uint32_t max);
/* Octets that each message queued or outstanding costs beside its own. */
uint32_t sctp_chunk_octets(void);

/* Chunk types and error causes, for decoders and tests. */
enum sctp_chunk_type {
    SCTP_DATA,
    SCTP_INIT,
    SCTP_INIT_ACK,
    SCTP_SACK,
    SCTP_HEARTBEAT,
    SCTP_HEARTBEAT_ACK,
    SCTP_ABORT,
    SCTP_SHUTDOWN,
    SCTP_SHUTDOWN_ACK,
    SCTP_ERROR,
    SCTP_COOKIE_ECHO,
    SCTP_COOKIE_ACK,
    SCTP_SHUTDOWN_COMPLETE = 14,
    SCTP_FORWARD_TSN = 192
};
enum sctp_cause {
    SCTP_CAUSE_STREAM = 1,
    SCTP_CAUSE_MISSING = 2,
    SCTP_CAUSE_STALE_COOKIE = 3,
    SCTP_CAUSE_RESOURCE = 4,
    SCTP_CAUSE_CHUNK = 6,
    SCTP_CAUSE_PARAMETER = 7,  /* Invalid Mandatory Parameter */
    SCTP_CAUSE_PARAMETERS = 8, /* Unrecognized Parameters */
    SCTP_CAUSE_NO_DATA = 9,
    SCTP_CAUSE_USER = 12,
    SCTP_CAUSE_PROTOCOL = 13
};

#ifdef __cplusplus
}
#endif
#endif
