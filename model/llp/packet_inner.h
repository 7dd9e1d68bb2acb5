/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_inner.h -- one end of a packet transport from inside, for its own files:
 *
 *   packet.c           configuration, memory, the table llp_packet
 *   packet_rx.c        what is taken, what is kept, what is answered
 *   packet_tx.c        records of what was sent, the peer's answers, what leaves next
 *   packet_recovery.c  go-back-N, IRN, RUD: one row each, with what the wire is charged
 *   packet_path.c      which value a packet carries
 *   packet_end.c       which packets are here, what is to be sent again, which answers wait
 *   packet_dcqcn.c     congestion controls, a row of packet_kinds.h each
 *   packet_nscc.c  packet_rccc.c  packet_nscc_rccc.c  packet_swift.c
 *   packet_credit.c    octets that the receiver allows
 *   packet_head.c      the header
 *
 * A file calls those below it alone; what was sent asks the recovery by its row.
 *
 *   acknowledged | sent, not all acknowledged | taken from the engine |
 *                get                          sent                  put       PSNs
 */
#ifndef IW_LLP_PACKET_INNER_H
#define IW_LLP_PACKET_INNER_H

#include "llp/llp_waiting.h"
#include "llp/mpa.h"
#include "llp/packet.h"

enum { PACKET_RESENT = 64, PACKET_EVENTS = 16, PACKET_NOTE_MAX = MPA_HEAD_MAX };

/* A packet of data. */
struct packet_record {
    iw_time first_sent, sent; /* sent: last */
    uint8_t *octets;          /* its header and `carried` behind it */
    uint32_t ulpdu;           /* octets; charged whether carried or not */
    uint16_t carried;
    uint8_t sends, more;       /* more: PACKET_BAD */
    uint8_t reason;            /* enum llp_reason; due */
    uint16_t path, first_path; /* the value that it carried last, and first */
    bool acked, due;
    bool last;  /* of a message */
    bool tried; /* irn: sent again for a NAK, or a timeout, or because it was trimmed */
};

/* A packet that was sent again: should both have come, the second was for nothing. */
struct packet_resent {
    uint64_t end; /* its PSN and 1; 0: none */
    iw_time left; /* for the first time */
    uint16_t path;
};

/* An answer that has not left. */
struct packet_answer {
    uint32_t named;
    uint16_t entropy; /* of what it answers */
    uint8_t flags, more, sends;
    uint8_t port; /* by which that came, and this leaves */
};

/* A packet that asks what is here, from behind the tail. */
struct packet_probe {
    bool due, waits; /* waits: it left, and has no answer */
    uint8_t number;
    uint16_t path;
    iw_time sent;
};

/* DCQCN (packet_dcqcn.c): the sender's rate. */
struct packet_dcqcn {
    struct packet_dcqcn_conf conf;
    uint64_t now, target; /* bits per second */
    uint64_t alpha;       /* of PACKET_ALPHA_ONE */
    uint32_t steps;       /* since the last cut */
    iw_time first;        /* CNP; IW_NEVER: none came */
    iw_time alpha_at;     /* alpha is as it was then */
    bool told;            /* of marks since alpha_at */
    iw_time cut_at;       /* IW_NEVER: no CNP since the last cut */
    iw_time step_at;      /* IW_NEVER: at the line's rate */
    iw_time free_at;      /* the next packet may leave; 0: now */
};
#define PACKET_ALPHA_ONE (UINT64_C(1) << 30)

/* NSCC (packet_nscc.c): the sender's window. Octets are those of IP packets. */
struct packet_nscc {
    uint64_t window, most;
    iw_time base, average;  /* the least round trip seen; the mean delay beyond it */
    uint64_t increase;      /* octets squared, since the last adjustment */
    uint64_t received;      /* answered since then */
    uint64_t swift;         /* answered without delay */
    bool rises;             /* fast increase */
    iw_time adjusted, cut;  /* the last time of each */
    iw_time look;           /* of quick adapt: the next; 0: not armed */
    uint64_t achieved;      /* answered since the last look */
    uint64_t skip, skipped; /* octets whose marks say nothing new */
    bool trimmed;
};

/* Swift (packet_swift.c). Octets are those of IP packets. */
struct packet_swift {
    uint64_t window;
    iw_time base, last; /* round trips: the least, the last */
    iw_time cut;        /* the last time */
    iw_time free_at;    /* the next packet may leave; 0: now */
};

/* What the receiver allows (packet_credit.c). Octets are those of IP packets, sums count from 0. */
struct packet_credit {
    int64_t left;
    bool trusted;         /* nobody has granted it: how a sender begins */
    uint64_t told, heard; /* the last target said, the sum granted */
    iw_time quiet, gap;   /* since then no grant came; what lay between the last two */
};
/* Law: no more is granted than the target, but for one that was taken back. */
struct packet_grants {
    uint64_t target, granted;
    uint64_t newest; /* packets that had been sent when the target was said */
    iw_time turn;    /* IW_NEVER: none */
    uint32_t octets; /* of that turn */
    bool due;        /* `granted` is to be said */
    struct llp_pacer own;
};

/* What answers said since the congestion control heard the last. */
struct packet_news {
    iw_time rtt;     /* of the packet that is named; IW_NEVER: not known */
    uint64_t octets; /* of IP packets that are answered now */
    bool marked;
};

struct packet_scheme {
    struct packet_charge charge;
    bool in_order; /* what is out of order is dropped */
    bool by_count; /* flight: packets without an answer; else from the first without */
    bool answers;  /* every packet by itself */
    /* NAK: everything below edge is acknowledged, and so is `named` where it is said to be here. */
    void (*nak)(struct packet_end *e, iw_time now);
    void (*answered)(struct packet_end *e, iw_time now);
    void (*timeout)(struct packet_end *e, iw_time now);
    iw_time (*rto)(const struct packet_end *e);
};
/* NULL: there is no such recovery. */
const struct packet_scheme *packet_scheme_of(enum packet_recovery recovery);

struct packet_end {
    struct llp_object o;
    struct packet_conf packet;
    const struct packet_scheme *scheme;
    uint32_t data_head, answer_head; /* charged */
    /* out */
    struct llp_ring records; /* by PSN */
    uint64_t get, sent, put;
    uint64_t under_way; /* of [get, sent) without an answer */
    uint64_t stored;    /* octets of [get, put) */
    struct llp_blocks blocks;
    uint64_t due, due_from;
    uint64_t highest;     /* PSN behind the last that was answered */
    iw_time latest_acked; /* rud: the last time at which a packet that was answered had left */
    iw_time *latest;      /* the same by path value; NULL: there is one */
    iw_time late;         /* rud: how much earlier than that, of its value, one had left that came later */
    iw_time late_any;     /* and of any value */
    struct packet_paths paths;
    struct packet_probe tail;
    struct packet_resent resent[PACKET_RESENT]; /* by PSN */
    iw_time progress;                           /* the last time that something new was answered */
    iw_time told;                               /* the last time that anything was */
    uint32_t backoff;
    uint64_t octets_out; /* of IP packets: sent, not answered, not due */
    const struct packet_congestion *congestion;
    struct packet_news news;
    union {
        struct packet_dcqcn dcqcn;
        struct packet_nscc nscc;
        struct packet_swift swift;
    } own; /* the congestion control's */
    struct packet_credit credit;
    struct packet_grants grants;
    bool fin_sent, fin_heard;
    iw_time fin_due;
    uint8_t control[PACKET_HEAD];
    /* in */
    uint64_t edge;   /* all below is here */
    uint64_t beyond; /* behind the last that is here */
    uint64_t *bits;  /* by PSN % track */
    uint32_t track;  /* a power of two, not below packet.track */
    struct llp_track tracked;
    struct llp_waiting waiting;
    struct llp_cells cells;
    const struct ip_packet *in;
    struct packet_head head; /* of it */
    bool whole;
    bool naked;           /* go-back-N: the NAK of `edge` was sent */
    uint64_t end;         /* the peer's last PSN and 1; IW_NEVER: not known */
    uint32_t owed;        /* packets that an answer answers together */
    uint32_t owed_octets; /* the same, with packet.answer_octets */
    bool heard, asked;    /* a packet was taken; an answer is wanted once nothing is missing */
    iw_time answer_at;
    struct llp_ring answers; /* by count */
    uint32_t answer_get, answer_put;
    uint8_t came_by; /* the port of the last packet that came */
    /* what happened */
    struct llp_event event[PACKET_EVENTS];
    struct llp_stats stats;
    struct packet_stats packets;
};

/* ---- packet_end.c ---- */

static inline struct packet_record *packet_record_at(const struct packet_end *e, uint64_t psn)
{
    return (struct packet_record *)e->records.at + (psn & (e->records.slots - 1));
}
static inline struct packet_answer *packet_answer_at(const struct packet_end *e, uint32_t n)
{
    return (struct packet_answer *)e->answers.at + (n & (e->answers.slots - 1));
}
static inline iw_time *packet_latest(struct packet_end *e, uint16_t path)
{
    return e->latest ? &e->latest[path] : &e->latest_acked;
}
/* What a packet has room for, behind IP's header. */
static inline uint32_t packet_full(const struct packet_end *e)
{
    return e->o.conf.mtu - IP_HEAD;
}
/* The IP packet of a record. */
static inline uint32_t packet_octets(const struct packet_end *e, const struct packet_record *r)
{
    return IP_HEAD + e->data_head + r->ulpdu;
}
/* get <= sent <= put in the ring; each of [get, sent) without an answer is under way, and what is due is
 * among them; octets_out are those of the others. */
bool packet_is_in_order(const struct packet_end *e);
bool packet_is_here(const struct packet_end *e, uint64_t psn);
void packet_note_here(struct packet_end *e, uint64_t psn);
/* A bit for each of 64 packets from `from` on. */
uint64_t packet_sack(const struct packet_end *e, uint64_t from);
/* An answer leaves as soon as the port is free. */
void packet_say(struct packet_end *e, struct packet_answer answer);
/* Send it again, for `reason`, unless it was answered; the congestion control hears of it. */
void packet_again(struct packet_end *e, iw_time now, uint64_t psn, enum llp_reason reason);

/* What flight and track allow. */
bool packet_is_tracked(const struct packet_end *e);
bool packet_is_in_flight(const struct packet_end *e);
/* There is one that has not left; and it may, or one is due: but for window, credit and rate. */
bool packet_has_new(const struct packet_end *e);
bool packet_may_leave(const struct packet_end *e);
bool packet_has_some(const struct packet_end *e);

/* ---- packet_tx.c ---- */

/* When the retransmission timer expires; IW_NEVER: nothing is under way. */
iw_time packet_timer(const struct packet_end *e);
/* When a packet may leave that could but for the rate; IW_NEVER: there is none. */
iw_time packet_paced_until(const struct packet_end *e);
/* When the tail is to be probed, and a value that was retired; IW_NEVER: not. */
iw_time packet_probe_at(const struct packet_end *e);
iw_time packet_test_at(const struct packet_end *e);
void packet_probe(struct packet_end *e, iw_time now);
void packet_hear(struct packet_end *e, iw_time now);

/* ---- rows of the table ---- */
bool packet_has_room(const void *l, uint16_t stream, uint32_t pulled, uint64_t octets);
int packet_send(void *l, iw_time now, uint16_t stream, const struct iw_seg *seg, enum llp_wrong how);
bool packet_wants(const void *l, iw_time now, unsigned parts);
bool packet_transmit(void *l, iw_time now, unsigned parts, struct ip_packet *out, struct llp_sent *sent);
bool packet_leads(const void *l, uint8_t port);
void packet_renew(void *l, iw_time now, struct ip_packet *packet);
enum llp_bound packet_bound(const void *l, iw_time now);
void packet_peek(const void *l, const struct ip_packet *in, struct llp_unit *first);
void packet_arrive(void *l, iw_time now, const struct ip_packet *in);
enum llp_verdict packet_unit(void *l, iw_time now, uint64_t room, struct llp_unit *u);
int packet_next(void *l, uint16_t stream, struct llp_segment *out);
int packet_keep(void *l, uint16_t stream);
void packet_all_due(void *l, uint16_t stream);
uint64_t packet_edge(void *l, uint16_t stream);

/* ---- packet_nscc.c: beside its row ---- */
const char *packet_span_error(const struct packet_conf *conf);
/* What the line carries in so long. */
uint64_t packet_span_octets(const struct packet_end *e, iw_time time);

/* ---- packet_swift.c: beside its row ---- */
iw_time packet_swift_goal(const struct packet_end *e);

/* ---- packet_credit.c ---- */
void packet_credit_start(struct packet_end *e);
bool packet_credit_holds(const struct packet_end *e);
void packet_credit_spend(struct packet_end *e, uint32_t octets);
void packet_credit_answered(struct packet_end *e);
/* What a packet that leaves now says. */
uint64_t packet_credit_target(struct packet_end *e);
bool packet_credit_is_short(const struct packet_end *e);
/* A packet was trimmed: its receiver hears. */
void packet_credit_trimmed_here(struct packet_end *e, iw_time now);
void packet_credit_hear(struct packet_end *e, iw_time now);
iw_time packet_credit_deadline(const struct packet_end *e);
void packet_credit_expire(struct packet_end *e, iw_time now);

/* ---- packet_dcqcn.c: beside its row ---- */
void packet_dcqcn_init(struct packet_dcqcn *d, const struct packet_dcqcn_conf *conf);
/* A CNP came. */
void packet_dcqcn_notified(struct packet_dcqcn *d, iw_time now);
/* A packet of so many octets leaves. */
void packet_dcqcn_sent(struct packet_dcqcn *d, iw_time now, uint32_t octets);
/* At cut_at, and at step_at. Law: least <= rate <= target <= line. */
void packet_dcqcn_cut(struct packet_dcqcn *d, iw_time now);
void packet_dcqcn_step(struct packet_dcqcn *d, iw_time now);

#endif
