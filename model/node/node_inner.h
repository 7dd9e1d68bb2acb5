/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_inner.h -- a node from inside, for its own files:
 *
 *   node.c       configuration, memory, connections, the workload's calls, time
 *   agenda.c     what ends when: one heap; cells of memory for what is under way
 *   transmit.c   doorbell -> fetch -> iw_transmit -> DMA read -> llp -> pipeline -> port
 *   receive.c    staging -> pipeline -> llp accepts -> units -> segments; delivery
 *   path.c       place | hold | discard | copy: one row each
 *   complete.c   completions: the steps of done.h
 *   tenant.c     what local ULPs may have, where there are several
 *   window.c     what the ULP has consumed, what the receiver offers
 *   settle.c     after anything: what the lower layer says, what the endpoints want, the end of a stream
 *
 * Where a stage takes no time the next one follows in the same call; the agenda holds only what waits.
 */
#ifndef IW_NODE_INNER_H
#define IW_NODE_INNER_H

#include "engine/ask.h"
#include "engine/law.h"
#include "node/done.h"
#include "node/node.h"
#include "node/step.h"
#include "rnic/window.h"

/* ---- the agenda ---- */

enum node_agenda_kind {
    AGENDA_HEARD,    /* stream: a doorbell; octets of its request */
    AGENDA_KNOWN,    /* stream: a request was fetched */
    AGENDA_READ,     /* departure: its octets were read from memory */
    AGENDA_REREAD,   /* outgoing: its octets were read once more, where that takes time */
    AGENDA_OUT,      /* outgoing: it came through the transmit pipeline */
    AGENDA_RECEIVED, /* landing: it came through the receive pipeline */
    AGENDA_PLACED,   /* placement: its octets are in memory */
    AGENDA_KERNEL,   /* landing: it is in the kernel's buffer */
    AGENDA_READER,   /* connection: the CPU has done its step of reading (receive: copy) */
    AGENDA_CONSUMED, /* stream: the ULP has consumed a piece */
    AGENDA_VISIBLE,  /* the first completion that is being written is in host memory */
    AGENDA_LOOK,     /* the host looks for completions */
    AGENDA_SHOWN,    /* the ULP may take completions */
    AGENDA_OVERFLOW, /* a completion queue is full, and an entry was lost */
    AGENDA_TIMER,    /* connection: its lower layer or an endpoint wants to run */
    AGENDA_KINDS
};

struct node_agenda_item {
    iw_time at;
    uint64_t order; /* of making: ties are settled by it */
    union {
        void *cell;
        uint64_t value;
    } what;
    uint32_t number; /* of a stream or connection */
    enum node_agenda_kind kind;
};
struct node_agenda {
    iw_time first; /* when the first of them ends; IW_NEVER: there is none */
    struct node_agenda_item *heap;
    uint32_t count, room;
    uint64_t made;
};

/* Cells of memory for what is under way, in sizes of powers of two; free ones are kept for their size. */
enum { CELL_MIN = 6 /* 64 octets */, CELL_SIZES = 12 };
struct node_cells {
    struct llp_memory memory;
    void *spare[CELL_SIZES];
    uint64_t taken; /* now; 0 when nothing is under way */
};

/* ---- what is under way ---- */

/* A segment on its way to the lower layer. */
struct node_departure {
    struct node_departure *next; /* of those injected; read_order any: of those that are being read */
    struct iw_seg seg;
    uint64_t end; /* its key, and the next one's: seg.key .. end */
    uint32_t stream, octets;
    uint8_t *snapshot; /* read_order any: its octets, once they were read; NULL: they are not kept here */
    enum llp_wrong wrong;
    bool in_memory; /* its payload is read from there */
    bool was_read, injected;
    uint8_t ulpdu[]; /* of one that was injected */
};

/* A packet with data in the adapter: sent by the lower layer, and not at the port yet. */
struct node_outgoing {
    struct node_outgoing *next;
    uint32_t connection, data; /* data: octets of segments */
    struct ip_packet packet;
    uint8_t octets[];
};

/* A packet that arrived: in staging, in the kernel's buffer, or kept because a placement reads from it. */
struct node_landing {
    uint32_t connection;
    uint32_t staged;  /* octets of staging that are still its own */
    uint32_t waiting; /* placements whose octets came with it */
    uint64_t number;  /* receive: copy: how many packets went into the kernel before it */
    struct ip_packet packet;
    uint8_t octets[];
};

/* A segment between check and commit. */
struct node_placement {
    struct iw_seg seg;
    struct iw_place place;
    struct node_placement
        *next; /* receive: copy: what the CPU reads next; order: any: another one of the stream */
    struct node_landing *landing; /* NULL: its octets are its own, or came before */
    uint64_t edge;                /* what may be delivered when it is in place; 0: nothing new */
    uint64_t kernel; /* receive: copy: packets that must be in the kernel before it can be read */
    uint32_t stream;
    bool in_order;
    uint8_t octets[];
};

/* A unit that waits in NIC memory (receive: hold). Law: by stream and key, of one connection. */
struct node_held {
    struct node_held *next;
    uint64_t key;
    uint32_t octets;
    uint16_t stream;
};

/* ---- one stream ---- */

struct node_stream {
    struct iw_ep *ep;
    uint64_t user;
    uint32_t number, connection; /* of the node */
    uint16_t llp_stream;
    bool up, down;
    bool ended;               /* the endpoint, by an error */
    bool ending;              /* the lower layer has ended; down when what came before is in place */
    bool fin_asked, fin_sent; /* by the endpoint; by the lower layer */
    bool fin_told;            /* the peer's, to the endpoint */
    bool in_turn;             /* it waits for its turn to pull */
    bool kept, deaf;          /* in: a segment waits for its time; nothing more is taken */
    uint16_t open;            /* a bit for each opcode: the last segment was not its message's last */

    /* out */
    uint64_t next_key;
    uint32_t hearing, fetching;      /* requests whose doorbell, whose descriptor is on its way */
    uint64_t pulled;                 /* messages of requests that were pulled */
    struct node_departure *unheard;  /* pulled before the adapter knew of its request */
    struct node_departure *injected; /* to be sent as soon as there is room */
    uint32_t reading;                /* segments pulled that the lower layer does not have yet */
    enum node_bound bound;
    uint64_t acked;

    /* in */
    uint32_t placing; /* placements under way */
    int failure;      /* of the inbound half, told to the endpoint when what came before is in place */
    uint64_t edge;    /* delivered */

    /* consumption, in octets as the lower layer counts them */
    uint64_t in_place, consumed;

    /* the rest */
    uint32_t consuming;
    uint32_t pipeline; /* of the adapter, that what it sends goes through */
    uint32_t tenant;   /* 0: nobody's */
    uint64_t known;    /* requests that the adapter knows */
    iw_time last_heard, last_known;
    struct node_departure *injected_last;
};

/* ---- one connection ---- */

/* Where connections take turns: at the port with packets without data, or with all where the adapter takes no time; at
 * their transmit pipeline with packets with data. */
enum node_queue_place { AT_PORT, AT_PIPE, PLACES };

enum node_reader { READER_ASLEEP, READER_ENTERING, READER_COPYING };

/* Where tenants that trust each other complete, and the receives that they share. */
struct node_cq {
    struct iw_cq *cq;
    struct iw_srq *srq; /* NULL: each stream has its own receives */
    struct node_completions done;
    uint32_t room; /* entries of `cq`, which grows with the ring and with what may be posted */
    bool lost;     /* an entry; its streams end (RDMAP-8.1.1-10) */
};

struct node_connection {
    const struct llp *llp;
    struct iw_cq *completed; /* of `cq` */
    void *l;
    uint32_t number, world_number;
    uint32_t first, streams; /* of the node's streams */
    uint32_t turn;           /* the stream behind the one that pulled last; from 0 */
    uint32_t packets;        /* sent */
    bool news;               /* of its streams: something came since they were looked at */
    bool asked; /* the lower layer was, to end a stream: what it says of that was not heard yet */
    bool initiator, up, gone, failed, waits[PLACES]; /* up: a stream of it is, or was */
    bool altered;                                    /* octets that were altered on the way were taken */
    bool offered;                                    /* a window */
    bool
        freed; /* what the window rests on has changed otherwise than by a packet that is to be acknowledged */
    uint8_t lane; /* of the node: where it waits for a port */
    struct node_connection *next[PLACES];

    /* out */
    uint32_t inside;        /* packets on the whole way from the lower layer to the port */
    uint32_t pulled;        /* segments, */
    uint64_t pulled_octets; /* that the lower layer does not have yet */

    /* in */
    uint32_t placing; /* placements under way */
    uint32_t
        room; /* octets: the connection, its lower layer, its streams, their endpoints; or the most that are asked for */
    iw_time timer; /* of the agenda's entry; IW_NEVER: none */
    struct node_intake intake;
    struct node_held *held;
    iw_time last_placed;

    /* window */
    uint64_t consumed;             /* by its streams */
    struct rnic_window_state said; /* when the window was last offered */
    struct rnic_window window;

    /* the rest: */
    struct node_cq *cq;
    /* stages that take time: out, */
    uint32_t reading;            /* departures in that stage */
    uint32_t rereading, sending; /* packets in those stages */
    enum node_reader reader;
    iw_time last_reread, last_out;
    struct node_departure *departing; /* read_order any: those being read, as they will leave; */
    union {
        struct node_departure *departing_last;
        iw_time last_read; /* one_by_one: when the last of them was read */
    };
    /* and in */
    uint64_t into_kernel, in_kernel;           /* packets */
    struct node_placement *reads, *reads_last; /* order: any: those on their way to memory, of all streams */
};

struct node_queue {
    struct node_connection *first, *last;
};

/* What waits for a port: for whichever is free, or, where a node has several, for one. */
struct node_lane {
    struct node_queue queue;
    struct node_outgoing *out, *out_last; /* they came through their pipeline */
};
enum { LANE_ANY, LANES = NODE_PORTS_MAX + 1 }; /* behind the first, one for each port */

/* A transmit pipeline. Law: `octets` are those of segments pulled and of packets in the adapter; a segment or packet enters
 * while they are fewer than node.ahead. */
struct node_pipe {
    uint64_t octets;
    struct node_queue queue; /* of connections whose lower layer has data to send */
};

struct node {
    struct node_conf conf; /* what each packet asks for is last in it, and first behind it */
    struct rnic *nic;
    const struct node_path *path;
    struct node_stream **stream;
    struct node_connection **connection;
    iw_time now;
    struct node_agenda agenda;
    uint32_t ahead; /* octets that a transmit pipeline holds to keep the port busy; 0: it takes no time */
    uint32_t pipelines, turns; /* turns: streams that wait for theirs */
    uint32_t staged;           /* packets in the receive pipeline */
    bool waits;                /* a stream has IW_RECOVER: it may wait for a receive buffer */
    bool straight; /* octets go in and out in no time: no segment, no packet waits on the adapter */
    bool no_memory;
    struct node_pipe *pipe;
    struct node_outgoing *leaving; /* whose octets the world borrows */
    struct node_octets octets;     /* of the event that is being told */
    struct node_counts counts;     /* `inside` is summed up when it is asked for */
    struct node_lane lane[LANES];

    /* the rest */
    struct node_cq *cq; /* conf.tenants and one: the first is of who is nobody's */
    struct iw_stags *stags;
    struct iw_prm *prm; /* NULL: no tenants */
    uint32_t streams, connections;
    struct llp_pacer pacer;           /* of what all connections grant */
    struct llp_track_pool track_pool; /* of what they all remember out of order */
    struct node_cells cells;
};

/* ---- node.c ---- */

static inline void node_moves_to(struct node *n, iw_time now)
{
    if (now > n->now)
        n->now = now;
}
static inline struct node_connection *connection_of(const struct node *n, const struct node_stream *s)
{
    return n->connection[s->connection];
}
/* What happened; time and stream are filled in. The same of a segment, whose header the record then has; and of one that is in
 * memory. */
void node_tell(const struct node *n, const struct node_stream *s, struct node_event *e);
void node_tell_segment(struct node *n, const struct node_stream *s, struct node_event *e,
                       const struct iw_seg *seg);
void node_tell_place(struct node *n, const struct node_stream *s, enum node_event_kind kind, bool in_order,
                     const struct iw_seg *seg, const struct iw_place *place);
/* Nothing is made that nobody hears of. */
static inline bool node_hears(const struct node *n, enum node_event_kind kind)
{
    return !(n->conf.unheard >> kind & 1);
}

/* Room for one entry more in a table of the endpoint, which began small: how many it is to have now, 0: it had room. Without memory
 * it is as full as it is. */
uint32_t node_make_room(struct node *n, struct iw_ep *ep, enum iw_table table);

/* ---- laws.c ---- */

/* Law: an octet that arrived is staged, held, in the kernel's buffer, placed or refused, never two of them: what connections
 * count as accepted or held is no more than the adapter has. */
bool node_octets_agree(const struct node *n);
/* And a bit of the pool is some connection's. */
bool node_pool_agrees(const struct node *n);
/* The same of one connection: units in NIC memory are in order, and together what it counts as held. */
bool node_held_agrees(const struct node_connection *c);
/* What is on its way out of a connection is that of its streams together. */
bool node_way_out_agrees(const struct node *n, const struct node_connection *c);
/* And what is being placed. */
bool node_placing_agrees(const struct node *n, const struct node_connection *c);
/* A queue has a last one where it has a first one, and both wait. */
bool node_queue_agrees(const struct node_queue *q, enum node_queue_place place);

/* ---- agenda.c ---- */

static inline iw_time agenda_deadline(const struct node_agenda *a)
{
    LAW(a->first == (a->count ? a->heap[0].at : IW_NEVER));
    return a->first;
}
/* Without memory nothing is noted, and node_no_memory() says so for good. */
void agenda_put(struct node *n, iw_time at, enum node_agenda_kind kind, uint32_t number, void *cell);
void agenda_put_value(struct node *n, iw_time at, enum node_agenda_kind kind, uint32_t number,
                      uint64_t value);
bool agenda_take(struct node *n, struct node_agenda_item *item);
/* NULL: no memory. */
void *node_cell_take(struct node_cells *c, size_t octets);
void node_cell_free(struct node_cells *c, void *cell, size_t octets);

/* ---- transmit.c ---- */

void transmit_post(struct node *n, struct node_stream *s, uint32_t octets);
void transmit_heard(struct node *n, struct node_stream *s, uint32_t octets);
void transmit_known(struct node *n, struct node_stream *s);
void transmit_read(struct node *n, struct node_departure *d);
void transmit_reread(struct node *n, struct node_outgoing *o);
void transmit_out(struct node *n, struct node_outgoing *o);
int transmit_inject(struct node *n, struct node_stream *s, enum llp_wrong how, const uint8_t *ulpdu,
                    uint32_t len);
/* It may have something to say: then it takes its turn. */
void transmit_turn(struct node *n, struct node_stream *s);
static inline void transmit_ready(struct node *n, struct node_stream *s)
{
    if (!s->in_turn && s->up && !s->down && !s->unheard)
        transmit_turn(n, s);
}
/* Its lower layer may have something to say: it takes its turn; with data apart, where a pipeline is before the port. */
void transmit_line_up(struct node *n, struct node_connection *c);
void transmit_line_up_apart(struct node *n, struct node_connection *c);
static inline void transmit_wants(struct node *n, struct node_connection *c)
{
    if (c->gone)
        return;
    if (n->ahead)
        transmit_line_up_apart(n, c);
    else if (!c->waits[AT_PORT] && c->llp->wants(c->l, n->now, LLP_ANY))
        transmit_line_up(n, c);
}
/* The transmit pipelines take what they have room for. */
void transmit_pump(struct node *n);
/* The stream is gone: nothing of it waits to be sent. */
void transmit_forget(struct node *n, struct node_stream *s);

/* ---- receive.c ---- */

void receive_accept(struct node *n, struct node_landing *l);
void receive_deliver(struct node *n, struct node_stream *s, uint64_t edge);
/* What the endpoint wanted later: now it may be in order, or its buffer is there. */
void receive_again(struct node *n, struct node_stream *s);
/* Octets leave staging; the landing is freed when nothing waits for it. */
void receive_release(struct node *n, struct node_landing *l);
void receive_let_go(struct node *n, struct node_landing *l);

/* ---- path.c ---- */

void path_placed(struct node *n, struct node_placement *p);
void path_in_kernel(struct node *n, struct node_landing *l);
void path_read(struct node *n, struct node_connection *c);
void path_reader(struct node *n, struct node_connection *c);
void path_unhold(struct node *n, struct node_connection *c, const struct node_stream *s, uint64_t edge);

/* ---- complete.c ---- */

/* The engine's queue has so many entries, or as many as there may be. */
void complete_expect(struct node *n, struct node_cq *q, uint32_t entries);
void complete_all(struct node *n, struct node_cq *q);
static inline void complete_collect(struct node *n, const struct node_connection *c)
{
    if (!iw_cq_is_empty(c->completed))
        complete_all(n, c->cq);
}
void complete_visible(struct node *n, struct node_cq *q);
void complete_look(struct node *n, struct node_cq *q, iw_time at);
void complete_shown(struct node *n, struct node_cq *q);

/* ---- tenant.c ---- */

/* All streams of a queue that has lost an entry end: what it had for them nobody knows. */
void tenants_overflow(struct node *n, const struct node_cq *q);

/* NULL, or what is wrong with a configuration's tenants. */
const char *tenants_error(const struct node_conf *conf);
/* Octets of the resource manager; then the manager, of which nobody has anything, in `prm`, and the tenants in `tenants`. */
size_t tenants_size(const struct node_conf *conf);
void tenants_init(struct node *n, void *tenants, void *prm);
/* The protection domain of a group; of 0, nobody's, that of the host. */
uint32_t tenants_pd(const struct node_conf *conf, uint32_t group);
/* Where a tenant completes, or nobody (0). */
struct node_cq *tenant_cq(const struct node *n, uint32_t tenant);
/* IW_OK, IW_EQUOTA; nobody may have anything. */
int tenant_take(struct node *n, uint32_t tenant, enum iw_resource what, uint32_t count);
void tenant_give(struct node *n, uint32_t tenant, enum iw_resource what, uint32_t count);

/* ---- window.c ---- */

void window_init(struct node *n, struct node_connection *c, uint32_t fpdu);
void window_up(struct node *n, struct node_stream *s);
/* Offer it with the packet that leaves now. */
void window_offer(struct node *n, struct node_connection *c);
/* An update of its own, if one is due. */
void window_update(struct node *n, struct node_connection *c);
static inline void window_open(struct node *n, struct node_connection *c)
{
    if (c->freed)
        window_update(n, c);
}
/* Everything below `edge` is in place. */
void window_in_place(struct node *n, struct node_stream *s, uint64_t edge);
void window_consumed(struct node *n, struct node_stream *s);

/* ---- settle.c ---- */

/* Something came: a packet, time, a wish of the ULP. */
void node_settle(struct node *n, struct node_connection *c);
/* A packet has left: of streams the lower layer alone may know something new. `pump`: the pipelines take what they have room for. */
void settle_now(struct node *n, struct node_connection *c, bool pump);
/* An answer alone has left: no stream knows anything new. */
void settle_answer(struct node *n, struct node_connection *c);
/* The lower layer's events; it keeps a few only. */
void settle_hear(struct node *n, struct node_connection *c);
void settle_timer(struct node *n, struct node_connection *c);
/* It was asked for a segment: what it has found then. */
void settle_endpoint(struct node *n, struct node_stream *s);
void settle_all_bounds(struct node *n, const struct node_connection *c);
static inline void settle_bounds(struct node *n, const struct node_connection *c)
{
    if (node_hears(n, NODE_BOUND))
        settle_all_bounds(n, c);
}
void settle_expire(struct node *n, struct node_connection *c);
/* The lower layer has nothing more for the stream, or is lost. */
void settle_fault(struct node *n, struct node_stream *s, int term);
void settle_lost(struct node *n, struct node_connection *c);

#endif
