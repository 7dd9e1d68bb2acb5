/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* iw.h -- one iWARP endpoint: RDMAP (RFC 5040) over DDP (RFC 5041), or DDP alone for a ULP of its own.
 *
 * Sans-I/O. The engine reads no clock, draws no random number, allocates nothing and calls nobody. All that
 * happens crosses this header, so a host traces here.
 *
 *        ULP        iw_post     -> +----------+ -> iw_poll      completions, from a completion queue
 *                   iw_close    -> |          | -> iw_event     the stream's life: Terminate, closed, fatal
 *     from the LLP  iw_check    -> |          |
 *                   iw_commit   -> | endpoint |
 *                   iw_deliver  -> |          | -> iw_transmit  segments, pulled by the LLP
 *                   iw_accepted -> |          | -> iw_llp_request   FIN or RST, please
 *                   iw_note_acked    -> |          |
 *        time       iw_expire   -> +----------+ -> iw_deadline
 *
 * Placement and delivery are separate: iw_check() says where the octets of a segment go, in any order of arrival;
 * iw_commit() puts them there; iw_deliver() completes whole messages once everything before them is in place.
 * On the way out, acceptance (the LLP has the octets) and acknowledgement (the peer has them) are separate too.
 */
#ifndef IW_ENGINE_IW_H
#define IW_ENGINE_IW_H

#include "engine/stag.h"
#include "engine/term.h"
#include "engine/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of these headers, and of the library that runs: they are of one make where both say the same. */
#define IW_VERSION "1.0.0"
const char *iw_version(void);

typedef uint64_t iw_time; /* picoseconds since an epoch of the host's choice; never goes back */
#define IW_NEVER UINT64_MAX

/* ---- work in, completions out ---- */

/* clang-format off */
enum iw_op {
    IW_SEND, IW_SEND_INV, IW_SEND_SE, IW_SEND_SE_INV, /* RFC 5040 5.3 */
    IW_WRITE, IW_READ,                                /* RFC 5040 5.1, 5.2 */
    IW_IMMEDIATE, IW_IMMEDIATE_SE,                    /* RFC 7306 section 6; profile IW_RFC7306 */
    IW_FETCH_ADD, IW_CMP_SWAP,                        /* RFC 7306 section 5; profile IW_RFC7306 */
    IW_DDP_TAGGED, IW_DDP_UNTAGGED,                   /* a ULP that uses DDP without RDMAP; profile IW_DDP_ONLY */
    IW_RECV,                                          /* a receive buffer */
    IW_OPS
};
/* clang-format on */

enum { IW_SGE_MAX = 4 };

/* Local memory: `len` octets at `to` of `stag`. */
struct iw_sge {
    iw_stag stag;
    uint32_t len;
    uint64_t to;
};

/* What an Atomic does to the 64 bits at remote_to of remote_stag, whose address must be a multiple of 8 and which the peer
 * may read and write. FETCH_ADD: adds `data`; each bit set in `mask` ends a field, no carry passes it. CMP_SWAP: where
 * `compare` equals what is there in the bits of `compare_mask`, the bits of `mask` become those of `data`. The octets
 * are a number in the byte order of the peer's memory. */
struct iw_atomic {
    uint64_t data, mask;
    uint64_t compare, compare_mask; /* CMP_SWAP */
};

enum {
    IW_FENCE = 1,      /* start only after all earlier Reads and Atomics are complete */
    IW_UNSIGNALLED = 2 /* no completion when it succeeds; always one when it fails */
};

/* One request. The structure is copied; the memory behind the list is the caller's until the completion. */
struct iw_work {
    uint64_t id; /* handed back in iw_done, never read */
    enum iw_op op;
    uint8_t flags; /* IW_FENCE | IW_UNSIGNALLED */
    uint8_t sges;  /* 0 .. IW_SGE_MAX; IW_READ and IW_RECV: 0 or 1; Atomics: 0 */
    union {
        struct iw_sge sge[IW_SGE_MAX]; /* gathered in this order; IW_READ: the Data Sink buffer */
        struct iw_atomic atomic;       /* FETCH_ADD, CMP_SWAP */
    };
    iw_stag
        remote_stag; /* WRITE, READ, Atomics, DDP_TAGGED: the peer's buffer; *_INV: the STag to invalidate */
    uint64_t remote_to;
    uint32_t qn;      /* DDP_UNTAGGED, and RECV on a stream without RDMAP */
    uint64_t rsvdulp; /* DDP_*: 8 bits tagged, 40 bits untagged; IMMEDIATE: the 8 data octets */
};

struct iw_done {
    uint64_t user; /* iw_conf.user of the endpoint */
    uint64_t id;
    enum iw_op op;
    int status;          /* IW_OK; IW_FLUSHED; above zero: the IW_TERM value that ended the stream */
    uint32_t len;        /* octets sent, read or received */
    iw_stag invalidated; /* RECV: the STag that the peer's Send invalidated, else 0 */
    bool solicited;      /* RECV: of a Send with Solicited Event */
    bool immediate;      /* RECV: consumed by Immediate Data, found in rsvdulp (RFC 7306) */
    uint32_t qn, msn;    /* RECV: which untagged message */
    uint64_t
        rsvdulp; /* RECV without RDMAP: of the segment with the L bit (DDP-4.3-6); Atomics: what was there */
};

/* A completion queue: a ring in one block, shared by endpoints that trust each other (the same `trust` group).
 * When it is full the next completion is lost, the queue is marked and every stream that completes into it ends with
 * IW_T_RDMA_CATASTROPHIC; streams on other queues are untouched (RDMAP-8.1.1-10). */
struct iw_cq;
size_t iw_cq_size(uint32_t entries_max);
struct iw_cq *iw_cq_init(void *memory, uint32_t entries_max, uint32_t trust);
/* Its entries from now on, in memory of iw_cq_size() of no fewer than before. What iw_cq_init() was given stays. */
void iw_cq_move(struct iw_cq *cq, void *memory, uint32_t entries_max);
/* Take the oldest completion; false when there is none. */
bool iw_poll(struct iw_cq *cq, struct iw_done *done);
bool iw_cq_is_empty(const struct iw_cq *cq);
bool iw_cq_overflowed(const struct iw_cq *cq);
/* Ask for one event: at the next completion, or only at the next solicited (or failed) one (RDMAP-5.3-6); IW_ARM_OWN: or at that
 * of a request of this side, as if Sends completed into a queue of their own that is armed for all. */
enum iw_arm { IW_ARM_NONE, IW_ARM_SOLICITED, IW_ARM_ALL, IW_ARM_OWN, IW_ARMS };
void iw_cq_arm(struct iw_cq *cq, enum iw_arm arm);
/* For an adapter that takes completions by iw_poll() and needs time to write them where the ULP looks: an event comes not
 * when the endpoint completes, but when iw_cq_written() says that the ULP can see this one. */
void iw_cq_defer_events(struct iw_cq *cq);
void iw_cq_written(struct iw_cq *cq, const struct iw_done *done);
/* True once for each armed event that has come. */
bool iw_cq_event(struct iw_cq *cq);

/* A shared receive queue: receive buffers that the endpoints of one protection domain and `trust` group have in common (RFC
 * 6581 section 2, RFC 5042 6.4.3.1). A Send takes the oldest buffer when the first of its segments to arrive is checked, in
 * order or not, and keeps it until it is delivered or the stream ends; both give a completion, behind which the buffer may be
 * posted again. So messages that cannot be complete yet may empty the queue. What finds it empty finds no buffer: in its turn
 * IW_T_DDP_NO_BUFFER, or IW_LATER with IW_RECOVER. */
struct iw_srq;
struct iw_srq_conf {
    struct iw_stags *stags;
    uint32_t buffers_max; /* posted at a time */
    uint32_t pd, trust;   /* those of every endpoint that shares them */
};
/* 0: none, or above 2^24. */
size_t iw_srq_size(uint32_t buffers_max);
struct iw_srq *iw_srq_init(void *memory, const struct iw_srq_conf *conf);
/* IW_RECV. IW_EFULL; IW_EINVAL: not a receive, or memory that is not writable for the whole protection domain. */
int iw_srq_post(struct iw_srq *srq, const struct iw_work *work);
uint32_t iw_srq_left(const struct iw_srq *srq);
/* The most that were out at a time, taken and not posted again. */
uint32_t iw_srq_peak(const struct iw_srq *srq);
/* The low-water notification of RFC 5042: one event when fewer than `low` are left behind a message that takes one; 0: none.
 * Which stream takes them is in iw_stats.buffers_held. */
void iw_srq_arm(struct iw_srq *srq, uint32_t low);
/* True once for each armed event that has come. */
bool iw_srq_event(struct iw_srq *srq);

/* ---- the endpoint ---- */

/* What the LLP below promises (RFC 5041 section 3). DDP takes no LLP that lacks one of them (DDP-3-0). */
enum {
    IW_LLP_RELIABLE = 1,   /* accepted means it arrives or a failure is reported */
    IW_LLP_ORDERED = 2,    /* it can say in which order segments were sent */
    IW_LLP_BOUNDARIES = 4, /* segments keep their ends and lengths */
    IW_LLP_DIGEST = 8,     /* CRC32c or stronger; without it: IW_NO_DIGEST must be chosen on purpose */
    IW_LLP_MULPDU = 16,    /* it reports its MULPDU and every change */
    IW_LLP_TEARDOWN = 32,  /* it can end gracefully and says when the peer did */
    IW_LLP_ALL = 63
};

enum {
    IW_DDP_ONLY = 1,   /* no RDMAP: any QN, any RsvdULP; the ULP answers errors itself */
    IW_RDMAC = 2,      /* DV = RV = 0 */
    IW_DRAFT00 = 4,    /* draft-ietf-rddp-ddp-00: no recovery from a missing buffer */
    IW_RFC7306 = 8,    /* Immediate Data and Atomics; a QN 3 for the Responses */
    IW_STRICT = 16,    /* checks the RFC leaves to the sink: MO and TO contiguous, header fields constant */
    IW_RECOVER = 32,   /* a missing receive buffer is IW_LATER, not an error (DDP-7.1-U2b) */
    IW_NO_DIGEST = 64, /* the ULP accepts an LLP without IW_LLP_DIGEST */
    /* listen to others' traffic: any STag, unlimited receives, nothing sent; implies STRICT. Errors are reported and not
     * latched: the next segment is read as if nothing had been */
    IW_DECODER = 128
};

enum iw_complete_on { IW_ON_ACCEPT, IW_ON_ACK }; /* when a Send or Write is complete (conformance.md R7) */

/* Receive queues of a ULP that uses DDP without RDMAP: one entry per QN. */
struct iw_queue_conf {
    uint32_t qn;
    uint16_t max; /* buffers posted at a time */
};
enum { IW_QUEUES_MAX = 8 };

struct iw_conf {
    struct iw_stags *stags; /* of the RNIC, shared by its endpoints */
    struct iw_cq *send_cq, *recv_cq;
    struct iw_srq *srq;  /* receive buffers for QN 0; NULL: the stream's own, by iw_post() */
    uint64_t user;       /* handed back in every iw_done */
    uint32_t trust;      /* the trust group; both queues must be of it (RDMAP-8.1.1-9) */
    uint32_t pd, stream; /* who this stream is for STag checks; stream is not 0 */
    uint32_t mulpdu;     /* largest segment the LLP takes now, octets; at least 128 (MPA-4.5-2) */
    unsigned llp;        /* IW_LLP_* */
    unsigned profile;    /* IW_DDP_ONLY ... */
    enum iw_complete_on complete_on;
    uint16_t sq_max,
        rq_max;        /* requests outstanding; rq_max: QN 0; with `srq` the buffers it may hold at a time */
    uint16_t ord, ird; /* RDMA Reads and Atomics outstanding, together: out, in */
    uint16_t reorder_max; /* segments remembered beyond the delivered edge; when it is full: IW_LATER */
    uint16_t
        at_first; /* entries of tables that grow (enum iw_table), and no receives and Reads; 0: all that there may be */
    uint8_t queues; /* IW_DDP_ONLY */
    struct iw_queue_conf queue[IW_QUEUES_MAX];
    iw_time linger;     /* from Terminate or FIN sent until the engine asks for RST, picoseconds */
    uint32_t first_msn; /* of every QN, both ways; 0: 1, as RFC 5041 4.3 says. Else for tests of the wrap */
};

/* The endpoint lives in one block the caller owns: iw_ep_size() octets, aligned as malloc does. It owns nothing, so
 * there is nothing to destroy. Size 0, or init NULL: the configuration is refused; iw_conf_error() says why. The size
 * depends on the numbers alone: stags and queues may still be NULL. */
struct iw_ep;
size_t iw_ep_size(const struct iw_conf *conf);
struct iw_ep *iw_ep_init(void *memory, const struct iw_conf *conf);
/* What is wrong with a configuration, in words; NULL when nothing is. */
const char *iw_conf_error(const struct iw_conf *conf);

/* Tables that began small (iw_conf.at_first) are moved by who has memory, before a call that needs room: iw_post() of
 * a request to send, of a receive, of a Read or an Atomic; iw_check() of what is out of order, of a Read Request or an Atomic Request. */
enum iw_table {
    IW_TABLE_SENDS,
    IW_TABLE_RECEIVES,
    IW_TABLE_READS_OUT,
    IW_TABLE_REORDER,
    IW_TABLE_READS_IN,
    IW_TABLES
};
/* Entries that a full table may have instead; 0: it has room, or is as large as it may be. */
uint32_t iw_table_wants(const struct iw_ep *ep, enum iw_table table);
size_t iw_table_octets(enum iw_table table, uint32_t entries);
/* Into memory of so many octets, aligned as malloc does. The old one must stay: headers in it may be the LLP's still. */
void iw_table_move(struct iw_ep *ep, enum iw_table table, void *memory, uint32_t entries);

/* From here on the stream carries DDP, both ways at once (DDP-6.1-1). IW_WAIT_FIRST: the MPA responder, silent until
 * the first segment arrived (RFC 5044 7.1.2 rule 4). IW_ESTATE when it was enabled before. */
enum { IW_WAIT_FIRST = 1 };
int iw_enable(struct iw_ep *ep, iw_time now, unsigned flags);
/* What start-up settled after iw_ep_init(), which may have been told IW_LLP_ALL: what the LLP now promises (IW_LLP_*; a digest
 * or none) and the version of DDP and RDMAP (1; 0 with RDMAC, MPA-3-6). IW_ESTATE once enabled; IW_EINVAL where iw_conf
 * would be refused. */
int iw_settle(struct iw_ep *ep, unsigned llp, uint8_t version);
/* The depths that start-up agreed on; at most those of iw_conf. IW_EINVAL above them. */
int iw_set_read_depth(struct iw_ep *ep, uint16_t ord, uint16_t ird);
/* The LLP's MULPDU has changed: from the next segment on (DDP-3-1, DDP-3-2). IW_EINVAL below 128. */
int iw_set_mulpdu(struct iw_ep *ep, uint32_t mulpdu);

/* Queue a request. IW_EFULL: no room; IW_EINVAL: memory, rights or arguments; IW_ESTATE: closing or ended.
 * Requests complete in the order posted, Reads included (RDMAP-5.5-15). Receives may be posted before iw_enable(). */
int iw_post(struct iw_ep *ep, iw_time now, const struct iw_work *work);

/* ---- transmit: the LLP pulls ---- */

/* Make the next segment, to be known as `key`, above all keys before; false when there is nothing to send. Call only
 * when the LLP has room for it: nothing is cut ahead of need. */
bool iw_transmit(struct iw_ep *ep, iw_time now, uint64_t key, struct iw_seg *seg);
/* The LLP holds its own copy of every segment below `key`: their memory is free for re-use by the engine's rules. */
void iw_accepted(struct iw_ep *ep, iw_time now, uint64_t key);
/* The peer has every segment below `key`. */
void iw_note_acked(struct iw_ep *ep, iw_time now, uint64_t key);

/* ---- receive: placement in any order, delivery in order ---- */

/* Where the octets of one segment go. Belongs to the segment between iw_check() and iw_commit(). */
struct iw_place {
    uint8_t *address; /* NULL: nothing to write (zero length, length-only memory, a header RDMAP keeps) */
    uint32_t len;     /* payload octets that this placement accounts for */
    iw_stag stag;     /* the registered memory it belongs to, and where in it */
    uint32_t msn;     /* of the untagged message */
    uint64_t to;
    struct stag_slot *slot; /* the engine's */
};

/* Check one arrived segment. A segment is *in order* when iw_deliver() was called with exactly its key (at first 0),
 * out of order above that.
 *   IW_OK        `place` is valid; iw_commit() must follow once, sooner or later.
 *   IW_LATER     keep the octets and present the segment again when it is in order: an error seen out of order, no
 *                room to remember it, or (IW_RECOVER) no receive buffer yet. Nothing changed, but that the message may have
 *                taken its buffer from a shared queue.
 *   IW_ESTATE    not enabled, or ended: dropped silently (DDP-7.1-E3).
 *   IW_EINVAL    below the delivered edge: a duplicate the LLP should have kept (DDP-3-11). Dropped.
 *   IW_TERM(..)  the first error of the stream: latched, requests flushed, a Terminate waits in iw_transmit().
 * Bound: whatever a peer sends, beyond reading it, at most one octet is moved per segment remembered (reorder_max), and an
 * out-of-order Read Response is compared with each Read outstanding (ord). */
int iw_check(struct iw_ep *ep, iw_time now, const struct iw_seg *seg, struct iw_place *place);
/* The octets have reached memory: copies them (the DMA ends here) and ends the hold on the region.
 * IW_OK; IW_ESTATE: the stream ended meanwhile, nothing was written; IW_TERM: the region was revoked meanwhile, nothing
 * was written, and the stream has ended for it. */
int iw_commit(struct iw_ep *ep, iw_time now, const struct iw_seg *seg, const struct iw_place *place);
/* iw_check() and iw_commit() in a row: the in-order LLP without timing. */
int iw_receive(struct iw_ep *ep, iw_time now, const struct iw_seg *seg);

/* A message that was delivered, as the peer sent it: for traces, decoders and the DDP ULP (DDP-4.2-9). */
struct iw_message {
    uint64_t first_key, key; /* of its first (IW_STRICT only, else equal) and last segment */
    struct ddp_head head;    /* of its last segment */
    struct rdmap_ctl ctl;    /* RDMAP only */
    uint64_t to;             /* tagged: TO of the first octet (IW_STRICT), else of the last segment */
    uint32_t length; /* untagged: ULP message length; tagged: octets (IW_STRICT), else of the last segment */
    uint32_t segments, segments_ooo; /* IW_STRICT, else 1 */
};
/* Every segment below `key` has arrived and was committed. Delivers, in order, the messages that this completes.
 *   1         one was delivered and `message` tells which: call again
 *   0         nothing more below `key`; the delivered edge is now `key`
 *   IW_ESTATE not enabled, or ended
 *   IW_TERM   as iw_check(); `message` tells what it was found on
 * With `message` NULL all are delivered in one call; 1: there were some. */
int iw_deliver(struct iw_ep *ep, iw_time now, uint64_t key, struct iw_message *message);

/* ---- the end of a stream ---- */

enum iw_close_how {
    IW_CLOSE,      /* graceful: all posted work first, then FIN (DDP-6.2.1-1) */
    IW_HALF_CLOSE, /* the same for sending; reception stays open (DDP-6.2.1-6) */
    IW_ABORT       /* RST now, everything flushed */
};
int iw_close(struct iw_ep *ep, iw_time now, enum iw_close_how how);
/* The ULP or host reports an error of its own: Terminate with type and code only (RDMAP-7.1-1). `term` is an IW_TERM. */
int iw_terminate(struct iw_ep *ep, iw_time now, int term);

/* What the LLP says. */
enum iw_llp_says {
    IW_LLP_FIN,  /* the peer will send no more; everything before it is delivered (graceful half close) */
    IW_LLP_LOST, /* reset, timed out: nobody can send (2/0/01) */
    IW_LLP_DOWN  /* our own FIN or RST is done and so is the peer's */
};
void iw_llp(struct iw_ep *ep, iw_time now, enum iw_llp_says what);
/* The LLP cannot make sense of the inbound half (IW_T_LLP_CRC, IW_T_LLP_MARKER, IW_T_LLP_IRD ...). */
void iw_llp_failed(struct iw_ep *ep, iw_time now, int term);
/* What the engine wants of the LLP, each answer once; FIN comes after the last segment was pulled. */
enum iw_llp_want { IW_LLP_NOTHING, IW_LLP_SEND_FIN, IW_LLP_SEND_RST };
enum iw_llp_want iw_llp_request(struct iw_ep *ep);
/* Would iw_llp_request() or iw_event() say something now? */
bool iw_has_news(const struct iw_ep *ep);

enum iw_event_kind {
    IW_EV_TERMINATE_SENT,     /* handed to the LLP; `terminate` is what it says */
    IW_EV_TERMINATE_RECEIVED, /* `terminate` is the peer's; `valid` false when it was cut short */
    IW_EV_HALF_CLOSED,        /* the peer sends no more, we may (DDP-6.2.1-4) */
    IW_EV_FATAL,              /* an error ended the stream; `terminate.term` says which (DDP-6.2.2-1 .. -3) */
    IW_EV_CLOSED,             /* stream and connection are gone, gracefully or not */
    IW_EV_NO_BUFFER,          /* IW_RECOVER: a segment waited for a receive buffer (DDP-7.1-U2a) */
    IW_EV_KINDS
};
struct iw_event {
    enum iw_event_kind kind;
    bool valid;
    struct rdmap_terminate terminate;
};
/* Take the oldest event; false when there is none. Each kind comes at most once in a stream's life. */
bool iw_event(struct iw_ep *ep, struct iw_event *event);

/* When to call iw_expire() if nothing else happens first; early calls do nothing, late ones only act late. */
iw_time iw_deadline(const struct iw_ep *ep);
void iw_expire(struct iw_ep *ep, iw_time now);

/* ---- looking on ---- */

struct iw_stats {
    uint64_t later, dropped, duplicates;      /* IW_LATER answers; after the end; below the delivered edge */
    uint64_t no_buffer;                       /* missing receive buffers (DDP-7.1-U2a) */
    uint64_t messages_rx;                     /* delivered, Writes and Read Requests included */
    uint32_t buffers_held, buffers_held_peak; /* of a shared receive queue */
    /* what each segment changes */
    uint64_t segments_tx, octets_tx;      /* octets: payload */
    uint64_t segments_rx, octets_rx;      /* checked and taken */
    uint64_t segments_ooo, octets_ooo;    /* of those: out of order */
    uint32_t remembered, remembered_peak; /* segments beyond the delivered edge */
};
const struct iw_stats *iw_statistics(const struct iw_ep *ep);
/* Receive buffers of QN 0 that are posted and not delivered; of a shared queue see iw_srq_left(). */
uint32_t iw_receives(const struct iw_ep *ep);
/* Octets the engine spends on remembering one segment beyond the delivered edge (design: ooo_state). */
uint32_t iw_ooo_state_octets(void);
/* The delivered edge: the key that is in order now. */
uint64_t iw_delivered_edge(const struct iw_ep *ep);
/* Has the engine something for iw_transmit()? A hint for schedulers; iw_transmit() decides. */
bool iw_has_work(const struct iw_ep *ep);
/* What requests wait for while there is nothing to send. */
enum iw_waits {
    IW_WAITS_NOTHING, /* none is outstanding */
    IW_WAITS_ORD,     /* the next one is a Read above ORD (RDMAP-6.1-5), or fenced behind Reads */
    IW_WAITS_PEER     /* all of them were sent */
};
enum iw_waits iw_waits(const struct iw_ep *ep);

/* IW_DECODER: the other direction was seen to ask for `size` octets by RDMA Read, to be answered here; or to have
 * answered the oldest Read Request heard here (which frees its IRD slot). IW_EFULL above ord. */
int iw_heard_read_req(struct iw_ep *ep, const struct rdmap_read_req *req);
void iw_heard_read_resp(struct iw_ep *ep);
/* IW_DECODER, after iw_deliver() gave a Read Request or Terminate: its body. */
const struct rdmap_read_req *iw_last_read_req(const struct iw_ep *ep);

#ifdef __cplusplus
}
#endif
#endif
