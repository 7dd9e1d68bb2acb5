/* SPDX-License-Identifier: GPL-2.0-or-later */
/* queue.c -- output queues of switches: taken, marked, trimmed or dropped.
 *
 * A queue that nothing but its own port can hold up needs no events of its own: the departure of a packet is known when
 * it comes, and it is put on the wire in advance. Where buffers are shared, links are paused, headers overtake or marks look back, the
 * departure of what waits is an event (struct fabric_queue). Both obey the same law, to the picosecond and the octet. */
#include "engine/queue.h"
#include "fabric/fabric_inner.h"

static void drop_cell(struct fabric *f, uint32_t link, struct fabric_cell *c, uint64_t waiting)
{
    LAW(!f->conf.pfc.on); /* octets that wait of one ingress <= xoff + headroom; so no switch drops */
    f->counts.dropped++;
    f->tally[link].drops++;
    fabric_tell(f, FABRIC_DROPPED, link, c, waiting, 0);
    fabric_cell_free(f, c);
}

/* What octets amount to in a queue that has shrunk with its link's rate: as many more. */
static uint64_t amount(const struct fabric *f, uint32_t link, uint64_t octets)
{
    const struct fabric_port *p = &f->port[link];
    return p->changed ? octets * FABRIC_WHOLE / f->line[p->line].share : octets;
}

/* ---- marks ---- */

static uint64_t counter_of(uint8_t direction, uint32_t connection, uint32_t number)
{
    return (uint64_t)direction << 63 | (uint64_t)connection << 32 | number;
}

/* A line from 0 at kmin to pmax at kmax, then 1; drawn as a spray is, with a key of its own. */
static bool red_marks(const struct fabric *f, const struct fabric_switch *s, uint64_t counter,
                      uint64_t waiting)
{
    uint64_t kmin = f->conf.red.kmin;
    if (waiting < kmin)
        return false;
    if (waiting >= f->conf.red.kmax)
        return true;
    return channel_draw(~s->key, counter) < f->red_slope * (waiting - kmin);
}

bool fabric_red_marks(const struct fabric *f, uint32_t node, const struct ip_packet *p, uint64_t waiting)
{
    return red_marks(f, &f->fswitch[node - f->extent.hosts],
                     counter_of(p->direction, p->connection, p->number), waiting);
}

static void mark(struct fabric *f, uint32_t link, const struct fabric_switch *s, struct fabric_cell *c,
                 uint64_t waiting)
{
    if (f->conf.ecn.spares_last && f->port[link].peer_node < f->extent.hosts)
        return;
    uint64_t amounts = amount(f, link, waiting);
    uint64_t counter = counter_of(c->direction, c->connection, c->number);
    bool due = f->conf.red.kmax ? red_marks(f, s, counter, amounts)
                                : f->conf.ecn_threshold && amounts >= f->conf.ecn_threshold;
    if (!due || c->ecn == IP_NOT_ECT || c->ecn == IP_CE)
        return;
    c->ecn = IP_CE;
    f->counts.marked++;
    f->tally[link].marks++;
    fabric_tell(f, FABRIC_MARKED, link, c, waiting, 0);
}

/* By the queue that it finds. */
static void mark_arrival(struct fabric *f, uint32_t link, const struct fabric_switch *s,
                         struct fabric_cell *c, uint64_t waiting)
{
    if (!f->conf.ecn.at_dequeue)
        mark(f, link, s, c, waiting);
}

/* ---- departures known in advance ---- */

/* The first line, from which nothing waits any more. */
static void drop_line(struct fabric *f, struct fabric_port *p)
{
    struct fabric_waits *w = p->waits;
    if ((p->waits = w->next))
        p->waits->last = w->last;
    fabric_line_free(f, w);
}

/* What has started since the last look waits no longer. */
static void look(struct fabric *f, struct fabric_port *p)
{
    for (struct fabric_waits *w; (w = p->waits) && w->start[w->first] <= f->now;) {
        LAW(p->waiting >= w->size[w->first]);
        p->waiting -= w->size[w->first];
        if (++w->first == w->end)
            drop_line(f, p);
    }
    LAW(fabric_port_agrees(p));
}

/* The last line with room for one more. NULL: no memory, the run is over. */
static struct fabric_waits *last_line(struct fabric *f, struct fabric_port *p)
{
    struct fabric_waits *first = p->waits, *w = first ? first->last : NULL;
    if (w && w->end < WAITS)
        return w;
    w = fabric_line_new(f);
    if (!w)
        return NULL;
    *w = (struct fabric_waits){.last = w};
    if (first) {
        first->last->next = w;
        first->last = w;
    } else {
        p->waits = w;
    }
    return w;
}

static void wait_in_advance(struct fabric *f, uint32_t link, struct fabric_cell *c)
{
    struct fabric_port *p = &f->port[link];
    struct fabric_tally *t = &f->tally[link];
    struct fabric_waits *w = last_line(f, p);
    if (!w)
        return;
    w->start[w->end] = p->free_at;
    w->size[w->end++] = (uint16_t)c->size;
    p->waiting += c->size;
    LAW(p->waiting <= f->conf.buffer && p->free_at > f->now);
    t->area += (double)c->size * (double)(p->free_at - f->now);
    if (p->waiting > t->peak)
        t->peak = p->waiting;
    fabric_wire_start(f, link, c, p->free_at);
}

static void take_in_advance(struct fabric *f, uint32_t link, const struct fabric_switch *s,
                            struct fabric_cell *c)
{
    struct fabric_port *p = &f->port[link];
    look(f, p);
    uint32_t waiting = p->waiting;
    if ((uint64_t)waiting + c->size > f->conf.buffer) {
        drop_cell(f, link, c, waiting);
        return;
    }
    mark_arrival(f, link, s, c, waiting);
    fabric_tell(f, FABRIC_ENQUEUED, link, c, waiting, 0);
    if (p->free_at > f->now)
        wait_in_advance(f, link, c);
    else
        fabric_wire_start(f, link, c, f->now);
}

/* ---- departures as events ---- */

static void fifo_put(struct fabric_fifo *q, struct fabric_cell *c)
{
    QUEUE_PUT(q->head, q->tail, c, next);
    q->octets += c->size;
    LAW(fabric_fifo_agrees(q));
}

static struct fabric_cell *fifo_take(struct fabric_fifo *q)
{
    struct fabric_cell *c = q->head;
    if (!c)
        return NULL;
    LAW(q->octets >= c->size);
    q->head = c->next;
    q->octets -= c->size;
    LAW(fabric_fifo_agrees(q));
    return c;
}

static uint64_t total(const struct fabric *f, const struct fabric_switch *s)
{
    return f->conf.buffer * s->ports;
}

/* Dynamic threshold: a port may hold alpha times what is free of the switch's memory. */
bool fabric_fits_share(const struct fabric *f, uint64_t free, uint64_t waiting, uint32_t size)
{
    uint64_t share = (free >> 16) * f->alpha + ((free & 0xffff) * f->alpha >> 16);
    return size <= free && waiting + size <= share;
}

static bool fits(const struct fabric *f, const struct fabric_switch *s, uint32_t link,
                 const struct fabric_cell *c)
{
    if (f->conf.shared)
        return fabric_fits_share(f, total(f, s) - s->used, f->queue[link].data.octets, c->size);
    if (f->conf.pfc.on)
        return f->queue[f->port[c->ingress].peer].ingress + c->size <=
               f->conf.pfc.xoff + f->conf.pfc.headroom;
    return amount(f, link, f->queue[link].data.octets + c->size) <= f->conf.buffer;
}

/* Headers and answers (csg-htsim, sim/compositequeue.cpp: packets of headers alone wait in the queue that goes first). */
static bool is_short(const struct fabric *f, const struct fabric_cell *c)
{
    return f->conf.trim && c->protocol == IP_PROTOCOL_EXPERIMENT && c->size <= f->conf.trimmed;
}

static void trim(struct fabric *f, uint32_t link, struct fabric_cell *c, uint64_t waiting)
{
    f->counts.trimmed++;
    f->tally[link].trims++;
    fabric_tell(f, FABRIC_TRIMMED, link, c, waiting, 0);
    c->flags |= CELL_TRIMMED;
    c->size = f->conf.trimmed;
    c->sealed = 0;
    if (c->head > f->conf.packet_head)
        c->head = (uint16_t)f->conf.packet_head;
}

static bool fits_headers(const struct fabric *f, const struct fabric_switch *s, uint32_t link, uint32_t size)
{
    bool free = !f->conf.shared || s->used + size <= total(f, s);
    uint64_t most = f->conf.trimming.headers ? f->conf.trimming.headers : f->conf.buffer;
    return free && amount(f, link, f->queue[link].headers.octets + size) <= most;
}

static void arm(struct fabric *f, uint32_t link)
{
    struct fabric_port *p = &f->port[link];
    if (p->armed || fabric_is_held(p))
        return;
    p->armed = 1;
    LAW(p->free_at >= f->now);
    fabric_push(f, EVENT_DEPARTURE, p->free_at, link, link, fabric_sender(f, link));
}

static void wait_for_departure(struct fabric *f, uint32_t link, struct fabric_switch *s,
                               struct fabric_fifo *fifo, struct fabric_cell *c)
{
    struct fabric_tally *t = &f->tally[link];
    c->start = f->now;
    fifo_put(fifo, c);
    s->used += c->size;
    if (fifo->octets > t->peak)
        t->peak = fifo->octets;
    if (f->conf.pfc.on)
        fabric_pfc_waits(f, c);
    LAW(fabric_octets_agree(f, s));
    LAW(!f->conf.shared || s->used <= total(f, s));
    arm(f, link);
}

static void admit(struct fabric *f, uint32_t link, struct fabric_switch *s, struct fabric_fifo *fifo,
                  struct fabric_cell *c)
{
    const struct fabric_port *p = &f->port[link];
    LAW(!fifo->head || p->free_at > f->now || fabric_is_held(p) || p->armed); /* nobody overtakes */
    fabric_tell(f, FABRIC_ENQUEUED, link, c, fifo->octets, 0);
    if (p->free_at > f->now || fabric_is_held(p) || p->armed)
        wait_for_departure(f, link, s, fifo, c);
    else
        fabric_wire_start(f, link, c, f->now);
}

/* Half of those that find no room, drawn by a key of their own, take the place of the last that waits. */
bool fabric_coin(const struct fabric *f, uint32_t node, const struct ip_packet *p)
{
    const uint64_t coin = UINT64_C(0x636f696e), key = f->fswitch[node - f->extent.hosts].key;
    uint64_t counter = counter_of(p->direction, p->connection, p->number);
    return f->conf.trimming.coin && channel_draw(key ^ coin, counter) >> 63;
}

static bool takes_place(const struct fabric *f, uint32_t link, const struct fabric_queue *q,
                        const struct fabric_cell *c)
{
    const struct fabric_cell *last = q->data.tail;
    const struct ip_packet packet = fabric_cell_packet(c);
    return q->data.head && last->protocol == IP_PROTOCOL_EXPERIMENT && last->size >= c->size &&
           fabric_coin(f, fabric_sender(f, link), &packet);
}

/* The two change places: `c` is the one that was last from then on. */
static void take_place(struct fabric *f, uint32_t link, struct fabric_switch *s, struct fabric_cell *c)
{
    struct fabric_queue *q = &f->queue[link];
    struct fabric_cell *tail = q->data.tail, last = *tail;
    LAW(!last.next && last.start <= f->now);
    f->tally[link].area += (double)last.size * (double)(f->now - last.start);
    *tail = *c;
    *c = last;
    tail->next = NULL;
    tail->start = f->now;
    q->data.octets -= c->size;
    s->used -= c->size;
    mark_arrival(f, link, s, tail, q->data.octets);
    fabric_tell(f, FABRIC_ENQUEUED, link, tail, q->data.octets, 0);
    q->data.octets += tail->size;
    s->used += tail->size;
}

static void take_for_departure(struct fabric *f, uint32_t link, struct fabric_switch *s,
                               struct fabric_cell *c)
{
    struct fabric_queue *q = &f->queue[link];
    uint64_t waiting = q->data.octets;
    if (!is_short(f, c) && fits(f, s, link, c)) {
        mark_arrival(f, link, s, c, waiting);
        admit(f, link, s, &q->data, c);
        return;
    }
    if (f->conf.trim && c->protocol == IP_PROTOCOL_EXPERIMENT && !is_short(f, c)) {
        if (takes_place(f, link, q, c))
            take_place(f, link, s, c);
        trim(f, link, c, waiting);
    }
    if (is_short(f, c) && fits_headers(f, s, link, c->size))
        admit(f, link, s, &q->headers, c);
    else
        drop_cell(f, link, c, waiting);
}

/* Headers go first, but not for ever: behind `share` in a row a packet that waits has its turn, as in NDP's switches. Read in
 * htsim's for it (github.com/ht-gong/Ripple-sim, src/optiroute/compositequeue.cpp: 640 octets, "10 64B headers", to
 * "1 1500B packet"). Without, many senders' headers alone would fill a link. */
bool fabric_is_headers_turn(const struct fabric_conf *conf, bool headers, bool packets, uint32_t *in_a_row)
{
    uint32_t most = conf->trimming.share ? conf->trimming.share : FABRIC_TRIM_SHARE;
    LAW(*in_a_row <= most);
    bool header = headers && !(packets && *in_a_row == most);
    *in_a_row = header && packets && most != FABRIC_TRIM_STRICT ? *in_a_row + 1 : 0;
    return header;
}

static struct fabric_cell *take_next(const struct fabric *f, struct fabric_queue *q)
{
    bool header = fabric_is_headers_turn(&f->conf, q->headers.head, q->data.head, &q->in_a_row);
    return fifo_take(header ? &q->headers : &q->data);
}

/* The next of those that wait, which does not any more. */
static struct fabric_cell *leaves_queue(struct fabric *f, uint32_t link)
{
    struct fabric_cell *c = take_next(f, &f->queue[link]);
    struct fabric_switch *s = &f->fswitch[fabric_sender(f, link) - f->extent.hosts];
    LAW(s->used >= c->size && c->start <= f->now);
    s->used -= c->size;
    f->tally[link].area += (double)c->size * (double)(f->now - c->start);
    if (f->conf.pfc.on)
        fabric_pfc_leaves(f, c);
    LAW(fabric_octets_agree(f, s));
    return c;
}

void fabric_queue_departs(struct fabric *f, uint32_t link)
{
    struct fabric_port *p = &f->port[link];
    struct fabric_queue *q = &f->queue[link];
    if (fabric_is_held(p) || !(q->headers.head || q->data.head))
        return;
    if (p->free_at > f->now) { /* it may go on while the packet before is still leaving */
        arm(f, link);
        return;
    }
    bool marks = f->conf.ecn.at_dequeue && q->data.head;
    struct fabric_cell *c = leaves_queue(f, link);
    if (marks && !is_short(f, c))
        mark(f, link, &f->fswitch[fabric_sender(f, link) - f->extent.hosts], c, q->data.octets);
    fabric_wire_start(f, link, c, f->now);
    if (q->headers.head || q->data.head)
        arm(f, link);
}

void fabric_queue_flush(struct fabric *f, uint32_t link)
{
    const struct fabric_queue *q = &f->queue[link];
    while (q->headers.head || q->data.head)
        fabric_failures_lose(f, link, leaves_queue(f, link));
}

/* ---- both ---- */

void fabric_queue_arrives(struct fabric *f, uint32_t node, uint32_t ingress, uint32_t way,
                          struct fabric_cell *c)
{
    struct fabric_switch *s = &f->fswitch[node - f->extent.hosts];
    uint32_t link = way == NONE ? fabric_forward(f, node, c) : way;
    c->ingress = ingress;
    if (link == NONE) {
        fabric_failures_lose(f, f->topology->way(f, node, c->to, 0), c);
        return;
    }
    LAW(link - s->first < s->ports && fabric_is_own(f, node));
    if (f->queues)
        take_for_departure(f, link, s, c);
    else
        take_in_advance(f, link, s, c);
}

/* ---- looking on ---- */

struct fabric_backlog fabric_backlog(struct fabric *f, uint32_t link)
{
    struct fabric_port *p = &f->port[link];
    look(f, p);
    uint64_t waiting = f->queues ? f->queue[link].data.octets + f->queue[link].headers.octets : p->waiting;
    iw_time end = p->waits ? p->waits->start[p->waits->first] : p->free_at;
    return (struct fabric_backlog){waiting, end > f->now ? end - f->now : 0};
}

struct fabric_link_now fabric_link_now(struct fabric *f, uint32_t link)
{
    struct fabric_port *p = &f->port[link];
    struct fabric_link_now l = {.pauses = f->tally[link].pauses, .paused = p->paused};
    look(f, p);
    l.octets = p->octets - p->waiting;
    l.waiting = f->queues ? f->queue[link].data.octets + f->queue[link].headers.octets : p->waiting;
    return l;
}

static uint64_t count(const struct fabric_cell *c)
{
    uint64_t n = 0;
    for (; c; c = c->next)
        n++;
    return n;
}

uint64_t fabric_link_queue(struct fabric *f, uint32_t link)
{
    struct fabric_port *p = &f->port[link];
    uint64_t n = 0;
    if (f->queues)
        return count(f->queue[link].data.head) + count(f->queue[link].headers.head);
    look(f, p);
    for (const struct fabric_waits *w = p->waits; w; w = w->next)
        n += (uint64_t)(w->end - w->first);
    return n;
}
