/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pair_inner.h -- the parts of the pair world. Inside the room only.
 *
 *   flights.c      what is under way: a heap of flights, earliest first
 *   departures.c   doorbell -> engine -> DMA read -> MPA -> transmit pipeline -> ideal sender -> port -> channel
 *   arrivals.c     staging -> receive pipeline -> acceptance, ACK -> place | hold | discard | copy -> delivery
 *   answers.c      acknowledgements: at once, delayed, with data
 *   credit.c       what the ULP has consumed, what the receiver advertises
 *   completions.c  from the engine's queue into host memory, to the ULP
 *   pair.c         configuration, memory, time, the end of a stream
 *
 * Where a stage takes no time the next one follows in the same call; a flight is only launched to wait.
 */
#ifndef IW_PAIR_INNER_H
#define IW_PAIR_INNER_H

#include "pair/pair.h"
#include "rnic/window.h"

enum flight_kind {
    FLIGHT_FREE,
    FLIGHT_READ,   /* a segment whose octets are read from memory */
    FLIGHT_SEND,   /* its FPDU, in the transmit pipeline */
    FLIGHT_REREAD, /* a packet to be sent again, that is read from memory once more */
    FLIGHT_RESEND, /* and in the pipeline */
    FLIGHT_QUEUED, /* an FPDU or packet that waits for the port or the window: in a queue, not in the heap */
    FLIGHT_DATA,   /* a packet on the link */
    FLIGHT_STAGED, /* in the receive pipeline */
    FLIGHT_ACK,    /* an acknowledgement on the link */
    FLIGHT_ACKED,  /* and in the receive pipeline */
    FLIGHT_RST,
    FLIGHT_KERNEL, /* a packet that is written to the kernel's buffer */
    FLIGHT_COMMIT  /* a segment that is written to memory */
};

/* What travels, or waits for the end of a stage. */
struct flight {
    enum flight_kind kind;
    int side; /* where it arrives */
    iw_time at;
    uint64_t order; /* of making: ties are settled by it */
    struct ideal_packet packet;
    bool corrupted;
    uint32_t staged; /* octets of staging that are free when it is in place */
    uint64_t acked;  /* ACK, DATA: the sender of this has everything below; 0: it says nothing */
    uint64_t edge;   /* COMMIT, KERNEL: what is in place then; ACK, DATA: the window's right edge, 0: none */
    bool in_memory;  /* READ: the payload is read from there */
    bool injected;   /* READ: by pair_inject(), and how it is to be */
    enum pair_wrong wrong;
    struct iw_seg seg; /* READ, COMMIT */
    struct iw_place place;
    uint32_t next;   /* QUEUED */
    uint8_t *octets; /* its own room for a packet */
};

enum { WRONGS_MAX = 4 }; /* injected and not yet framed */

#define NO_FLIGHT UINT32_MAX
struct queue {
    uint32_t first, last;
};

/* A request that was posted: until `at` the doorbell is on its way, then its descriptor is. */
struct bell {
    iw_time at;
    uint32_t octets;
};

struct departures {
    uint64_t next_key;
    uint32_t ahead;                 /* octets that are pulled ahead of the port, to keep it busy; 0: none */
    uint32_t pulled;                /* octets between the engine and the sender */
    uint32_t reading, sending;      /* of them: in those stages */
    iw_time last_read;              /* when the last DMA read ends */
    bool open[16];                  /* by opcode: the last segment was not its message's last */
    uint64_t messages;              /* of the send queue, pulled */
    uint64_t rung, fetching, known; /* posted, heard, fetched */
    iw_time last_known;
    struct bell *bell;
    uint32_t bells;
    uint32_t unheard; /* a segment that was pulled before the adapter knew of its request */
    uint64_t unheard_message;
    struct queue fpdus; /* ready for the sender */
    struct queue again; /* ready for the port */
    iw_time port_free;
    uint64_t cuts;             /* drawn */
    uint64_t injected, spoilt; /* ULPDUs that were injected, and of them those that are FPDUs by now */
    uint8_t wrong[WRONGS_MAX][PAIR_WRONG_MAX];
};

/* A segment that waits in NIC memory (receive: hold). */
struct held {
    uint64_t offset;
    uint32_t octets;
};

enum reading { ASLEEP, ENTERING, COPYING };

struct arrivals {
    struct ideal_in *in;
    uint32_t staged;    /* packets in the receive pipeline */
    uint32_t commits;   /* DMA writes under way */
    iw_time last_place; /* when the last one ends */
    uint64_t backlog;   /* octets accepted that are still in staging */
    uint64_t held_octets;
    uint32_t helds, helds_max;
    struct held *held; /* by offset */
    uint64_t *late; /* offsets of packets that came while an earlier octet was missing, in order; helds_max */
    uint32_t lates;
    uint64_t kernel; /* receive: copy: the kernel's buffer is filled up to here */
    enum reading reading;
    iw_time read_at; /* when that ends */
    bool again;      /* a receive was posted: what waits may go on */
    bool blocked;    /* what was read waits for a receive buffer */
    int failure;     /* MPA's, told to the engine when what came before is in place */
    bool deaf;       /* MPA has failed: what arrives is acknowledged and not read */
};

/* Packets in order that are not answered yet, and when they are at the latest. */
struct answers {
    uint32_t owed;
    iw_time due;
};

struct credit {
    struct rnic_window window;
    uint64_t told; /* the right edge on the wire */
    bool moved;    /* what the window rests on has changed since it was looked at */
    uint64_t in_place, consumed;
    uint32_t consuming; /* octets */
    iw_time consumed_at;
};

/* Completions, oldest first: those the ULP may take, is taking, may see, and those that are being written. */
struct completions {
    struct completion {
        struct iw_done done;
        iw_time at;
    } * ring;
    uint32_t max;
    uint64_t get, shown, taking, visible, put;
    iw_time look; /* when the host looks */
    enum iw_arm arm;
};

struct side {
    struct iw_ep *ep;
    struct iw_cq *cq;
    struct iw_stags *stags;
    struct rnic *nic;
    bool timed; /* it has an adapter of its own, and so a window */
    enum rnic_receive path;
    struct mpa_tx tx;
    struct mpa_rx *rx;
    struct ideal *out;
    struct channel channel;
    struct departures d;
    struct arrivals a;
    struct answers answers;
    struct credit credit;
    struct completions done;
    bool peer_fin, told_fin, finished;
    bool down; /* nothing is sent any more but acknowledgements, as in TCP's TIME-WAIT */
    bool gone; /* reset or cut: not even those */
};

struct pair {
    struct pair_conf conf;
    struct side side[2];
    iw_time now, timeout;
    uint64_t order;
    void (*trace)(void *, const struct pair_event *);
    void *user;
    uint32_t room;            /* octets that a flight holds */
    uint32_t flights, spares; /* in the heap, free */
    struct flight *flight;
    uint32_t *heap; /* the flights, earliest first */
    uint32_t *spare;
};

enum { RESERVE = 16 /* flights that packets leave to what cannot be lost */ };
#define PS_PER_S 1000000000000u

static inline iw_time serialization(const struct pair *p, uint32_t octets)
{
    return (uint64_t)octets * 8 * PS_PER_S / p->conf.rate;
}
/* A packet without data. */
static inline iw_time bare_serialization(const struct pair *p)
{
    return serialization(p, p->conf.framing);
}
static inline bool is_timed(const struct pair *p, int side)
{
    return p->side[side].timed;
}

/* ---- pair.c ---- */

void pair_tell(const struct pair *p, struct pair_event e);
/* Only of a side with an adapter: the stages. */
void pair_tell_stage(const struct pair *p, struct pair_event e);
void pair_fault(struct pair *p, int side, int term);
void pair_finish(struct pair *p, int side, enum iw_llp_want want);

/* ---- flights.c ---- */

/* A free flight; NULL when all but `spared` are used. */
struct flight *flight_take(struct pair *p, uint32_t spared);
void flight_free(struct pair *p, struct flight *f);
void flight_launch(struct pair *p, struct flight *f, enum flight_kind kind, int side, iw_time at);
/* The earliest; it is FLIGHT_FREE, and freed by its lander unless it is launched or queued again. */
struct flight *flight_land(struct pair *p, enum flight_kind *kind);
iw_time flight_next(const struct pair *p);

void queue_put(struct pair *p, struct queue *q, struct flight *f);
struct flight *queue_first(const struct pair *p, const struct queue *q);
/* The first, taken out and FLIGHT_FREE; NULL when there is none. */
struct flight *queue_get(struct pair *p, struct queue *q);

/* ---- departures.c ---- */

void departures_init(struct pair *p, int side);
void departures_bells(struct pair *p, int side);
iw_time departures_next(const struct pair *p, int side);
void departure_read(struct pair *p, struct flight *f);
void departure_sent(struct pair *p, struct flight *f);
void departure_reread(struct pair *p, struct flight *f);
void departure_resent(struct pair *p, struct flight *f);
void departures_transmit(struct pair *p, int side);

/* ---- arrivals.c ---- */

void arrival_landed(struct pair *p, struct flight *f);
void arrival_staged(struct pair *p, struct flight *f);
void arrival_in_kernel(struct pair *p, const struct flight *f);
void arrival_placed(struct pair *p, struct flight *f);
/* A packet that nobody is there for any more. */
void arrival_forgotten(struct pair *p, const struct flight *f);
void arrivals_read(struct pair *p, int side);  /* receive: copy: what the CPU does next */
void arrivals_check(struct pair *p, int side); /* MPA's failure, when its turn has come */

/* ---- answers.c ---- */

void answers_init(struct pair *p, int side);
/* An acknowledgement that names this packet leaves now. */
void answers_acknowledge(struct pair *p, int side, const struct ideal_packet *packet);
/* This packet was accepted; `known`: it had been before. */
void answers_taken(struct pair *p, int side, const struct ideal_packet *packet, bool known);
/* What is owed has waited long enough? */
void answers_expire(struct pair *p, int side);
/* A packet of data leaves and takes what is owed along. */
void answers_with_data(struct pair *p, int side, struct flight *f);
/* Nothing but the window. False: not now. */
bool answers_window(struct pair *p, int side);
/* What a packet of data that has come through the receive pipeline says of ours. */
void answers_heard(struct pair *p, const struct flight *f);
void answer_landed(struct pair *p, struct flight *f);
void answer_staged(struct pair *p, struct flight *f);

/* ---- credit.c ---- */

void credit_init(struct pair *p, int side);
uint64_t credit_advertise(struct pair *p, int side);
void credit_in_place(struct pair *p, int side, uint64_t edge);
void credit_consume(struct pair *p, int side);
/* An acknowledgement that only opens the window, if one is due. */
void credit_open(struct pair *p, int side);

/* ---- completions.c ---- */

void completions_collect(struct pair *p, int side);
iw_time completions_next(const struct pair *p, int side);

#endif
