/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* endpoint.h -- the inside of one endpoint, shared by endpoint.c, transmit.c and receive.c only.
 *
 *   enabled --+--> TX_OPEN --close--> TX_DRAINING --FIN--> TX_ENDED      RX_OPEN --FIN--> RX_FINISHED
 *             |       \----fault----> TX_TERMINATE --sent----^              \---fault---> RX_DROPPING
 *
 * `why` is the first error (or IW_FLUSHED for an end without one) and never changes again (RDMAP-7.1-4).
 */
#ifndef IW_ENGINE_ENDPOINT_H
#define IW_ENGINE_ENDPOINT_H

#include "engine/ddp.h"
#include "engine/iw.h"
#include "engine/rdmap.h"
#include "engine/srq.h"

enum ep_tx_state { TX_OPEN, TX_DRAINING, TX_TERMINATE, TX_ENDED };
enum ep_rx_state { RX_OPEN, RX_FINISHED, RX_DROPPING };
enum ep_tx_turn { TURN_NONE, TURN_SEND_QUEUE, TURN_RESPONSE }; /* whose message is half sent */

/* One request of the send queue. Law: sent <= len; `sge` and `sge_used` say where octet `sent` lies. */
struct ep_send_entry {
    struct iw_work work;
    uint64_t end_key; /* of its last segment, once that was made */
    uint32_t len, sent;
    uint32_t msn, sge_used;
    uint8_t sge, counter;           /* `counter`: that gives the MSN when the first segment is cut */
    bool responded;                 /* a Read or Atomic: its Response was delivered */
    uint8_t body[IW_READ_REQ_SIZE]; /* Read Request header, Immediate Data */
};

/* A Read or Atomic of ours that waits for its Response. */
struct ep_read_out {
    struct rdmap_read_req req; /* a Read */
    uint32_t entry;            /* index in the send queue; an Atomic: its Request Identifier too */
    uint32_t left;             /* octets still to come */
    bool atomic;
};

/* A Read or Atomic Request of the peer, by MSN. Of two with the same MSN the one sent first stays. */
struct ep_read_in {
    union {
        struct rdmap_read_req req;
        struct rdmap_atomic_req atomic;
    };
    uint64_t key;
    bool used, is_atomic;
    uint32_t sent;
    uint8_t head[IW_HEAD_UNTAGGED];
    uint8_t response
        [IW_ATOMIC_RESP_SIZE]; /* the LLP's until the peer, which must have had it first, asks again here */
};

/* An Atomic Response of the peer that waits for its turn, by MSN. The same holds for two of one MSN. */
struct ep_atomic_in {
    struct rdmap_atomic_resp resp;
    uint64_t key;
    bool used;
};

struct ep_msn_counter {
    uint32_t qn, next;
};

struct iw_ep {
    struct iw_stats stats;
    /* what each segment asks for */
    uint64_t edge; /* everything below is delivered */
    struct ddp_log log;
    uint32_t pd, stream;
    unsigned profile;
    uint8_t rx, tx, turn, version, queues, runs;
    bool enabled, waiting_first;
    struct iw_stags *stags;
    int why;
    bool final_message_allowed; /* DDP alone: one message may still follow the error (DDP-7.1-E4) */
    bool fin_wanted, rst_wanted, closed;
    bool lingers; /* IW_CLOSE: the peer's end is awaited for `linger` after our FIN */
    bool response_next;
    uint32_t event_get, event_put; /* counts */
    iw_time give_up;
    uint64_t accepted, acked;
    struct ep_send_entry *sq;
    uint32_t sq_mask, sq_get, sq_cut, sq_put; /* oldest incomplete, being cut, next free */
    uint32_t mulpdu;
    struct ep_read_in *read_in; /* by MSN & mask of queue[RDMAP_QN_READ]; NULL: none came */

    /* receive */
    struct ddp_queue *queue; /* RDMAP: indexed by QN */
    struct ddp_run
        *run; /* IW_STRICT: of tagged messages, and of each queue: they may interleave; else there is none */
    uint16_t ord_max, ird_max;

    /* the Reads */
    struct ep_read_out *read_out;   /* by count & read_out_mask; NULL: none was posted */
    struct ep_atomic_in *atomic_in; /* by MSN & mask of queue[RDMAP_QN_ATOMIC_RESP]; NULL without RFC 7306 */
    uint32_t read_out_mask, read_out_get, read_out_put;
    uint32_t answer_msn; /* the Read or Atomic Request whose Response comes next */
    uint32_t atomic_msn; /* of the next Atomic Response */
    uint64_t counted;    /* the Response segments below this key are counted in read_out.left */
    uint16_t ord, ird;

    /* transmit */
    uint32_t sq_max, sq_most, log_most; /* sq_max: as the table is now; sq_most: as it may be */
    uint8_t counters;
    struct ep_msn_counter counter[IW_QUEUES_MAX];

    /* the rest of life */
    uint8_t event_seen, event[IW_EV_KINDS];
    bool term_in_any;
    uint32_t term_out_len, term_in_len;
    uint64_t term_in_key;
    uint8_t term_out_octets[IW_TERM_MAX], term_in_octets[IW_TERM_MAX];
    struct rdmap_terminate term_out;
    struct iw_cq *send_cq, *recv_cq;
    struct iw_srq *srq;
    uint64_t user;
    iw_time linger;
    enum iw_complete_on complete_on;
    uint32_t first_msn; /* of every QN */
};

/* Requests that the peer answers: they share ORD, QN 1 and the order of their answers (RFC 7306 5.2). */
static inline bool is_asked(enum iw_op op)
{
    return op == IW_READ || op == IW_FETCH_ADD || op == IW_CMP_SWAP;
}

static inline bool is_atomic(enum iw_op op)
{
    return op == IW_FETCH_ADD || op == IW_CMP_SWAP;
}

/* The Atomic Request header of an entry lies where others have the list that they gather, once it is posted. */
static inline uint8_t *atomic_body(struct ep_send_entry *e)
{
    _Static_assert(sizeof e->work.sge >= IW_ATOMIC_REQ_SIZE, "the header fits");
    return (uint8_t *)e->work.sge;
}

/* The laws of endpoint.c that transmit.c and receive.c rely upon. Requests: oldest <= being cut <= next free, at most sq_max.
 * Reads of the peer: of those answered, delivered and allowed none is more than IRD ahead. */
bool ep_sends_in_order(const struct iw_ep *ep);
bool ep_reads_fit(const struct iw_ep *ep);

/* What a fault was found on: a segment's header, its payload length, and the Read Request in it. A fault in a
 * Terminate stays at home: it is never answered with one (conformance.md F15). */
struct ep_fault_cause {
    const uint8_t *head;
    uint32_t head_len, payload_len;
    const uint8_t *read_req;
    bool in_terminate;
};

static inline bool ep_is(const struct iw_ep *ep, unsigned profile)
{
    return ep->profile & profile;
}

/* The stream ends for `term`, unless an earlier error ended it: latch, flush, prepare the Terminate. `cause` NULL: no
 * segment is to blame. Returns `term`, for the caller to pass on. */
int ep_fault(struct iw_ep *ep, iw_time now, int term, const struct ep_fault_cause *cause);
/* May the peer's Atomic be done? Then where; `*address` is NULL in a length-only region. The error as RFC 7306 8.2 names
 * it. */
int ep_check_atomic(struct iw_ep *ep, const struct rdmap_atomic_req *r, uint8_t **address);
/* Complete every request with an error: each gets exactly one completion (DDP-6.2.2-4, RDMAP-6.2.1-2). */
void ep_flush(struct iw_ep *ep, iw_time now);
/* A message of QN 0 needs its buffer no longer. */
void ep_release(struct iw_ep *ep, struct ddp_queue *q, uint32_t msn);
/* The peer's Terminate was delivered. */
void ep_terminated(struct iw_ep *ep, iw_time now);
/* One completion into `cq`; a full queue ends the stream. */
void ep_complete(struct iw_ep *ep, iw_time now, struct iw_cq *cq, struct iw_done *done);
/* Complete what is complete at the head of the send queue, in order. */
void ep_retire(struct iw_ep *ep, iw_time now);
void ep_raise(struct iw_ep *ep, enum iw_event_kind kind);
/* A stream that is closing asks for FIN once all was sent. */
void ep_settle(struct iw_ep *ep, iw_time now);

/* cq.c: false when the queue is full or was before. */
bool iw_cq_push(struct iw_cq *cq, const struct iw_done *done);
uint32_t iw_cq_trust(const struct iw_cq *cq);

#endif
