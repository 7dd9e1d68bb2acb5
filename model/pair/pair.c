/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair/pair.h"

#include <string.h>

enum { EMSS_MIN = 140, EMSS_MAX = 65495, RETRY_ROUND_TRIPS = 2, ACK_OCTETS = 40 };
#define PS_PER_S 1000000000000u

/* What travels, or waits for the end of its DMA. */
enum flight_kind { FLIGHT_FREE, FLIGHT_DATA, FLIGHT_ACK, FLIGHT_RST, FLIGHT_COMMIT };
struct flight {
    enum flight_kind kind;
    int side; /* where it arrives */
    iw_time at;
    uint64_t order; /* of making: ties are settled by it */
    struct ideal_packet packet;
    bool corrupted;
    struct iw_seg seg; /* FLIGHT_COMMIT */
    struct iw_place place;
    uint64_t edge;
    uint8_t *octets; /* its own room for a packet */
};

struct side {
    struct iw_ep *ep;
    struct iw_cq *cq;
    struct iw_stags *stags;
    struct mpa_tx tx;
    struct mpa_rx *rx;
    struct ideal *out;
    struct channel channel;
    iw_time port_free;
    uint64_t cuts;    /* drawn */
    uint32_t commits; /* DMA under way */
    bool deaf; /* MPA has failed: what arrives is acknowledged and not read */
    bool peer_fin, told_fin, finished;
    bool down; /* nothing is sent any more but acknowledgements, as in TCP's TIME-WAIT */
    bool gone; /* reset or cut: not even those */
};

struct pair {
    struct pair_conf conf;
    struct side side[2];
    iw_time now;
    uint64_t order;
    void (*trace)(void *, const struct pair_event *);
    void *user;
    uint8_t *fpdu; /* room to frame one */
    uint32_t flights, spares; /* in the heap, free; one that just landed is in neither */
    struct flight *flight;
    uint32_t *heap; /* the flights, earliest first */
    uint32_t *spare;
};

/* ---- memory ---- */

static uint32_t packet_octets(const struct pair_conf *c)
{
    return c->cut > c->mtu ? c->cut : c->mtu;
}

/* At most so many packets are unacknowledged: windows hold small packets when they are cut or messages are small. */
static uint32_t packets_max(const struct pair_conf *c)
{
    uint32_t n = c->window / 64;
    return n < 16 ? 16 : n > 1024 ? 1024 : n;
}

static uint32_t flights_of(const struct pair_conf *c)
{
    return packets_max(c) * 4 + 64; /* each way: a packet, its copy, and the commits they cause */
}

static struct ideal_conf ideal_conf_of(const struct pair_conf *c)
{
    uint64_t full = (uint64_t)(packet_octets(c) + c->framing) * 8 * PS_PER_S / c->rate;
    iw_time round_trip = 2 * (c->delay + full) + c->dma;
    return (struct ideal_conf){c->window, packets_max(c), c->timeout ? c->timeout : RETRY_ROUND_TRIPS * round_trip, c->length_only};
}

static unsigned mpa_flags(const struct pair_conf *c, int sender)
{
    return (c->markers[sender] ? MPA_MARKERS : 0u) | (c->crc ? MPA_CRC : 0u) | (c->crc_drop ? MPA_CRC_DROP : 0u) |
           (c->trust_alignment ? MPA_TRUST_ALIGNMENT : 0u) | (c->in_order ? MPA_IN_ORDER : 0u);
}

static struct mpa_rx_conf mpa_conf_of(const struct pair_conf *c, int side)
{
    return (struct mpa_rx_conf){.flags = mpa_flags(c, !side), .store = c->window + packet_octets(c) + MPA_FPDU_MAX,
                                .ranges = c->ranges, .fpdus = c->length_only ? packets_max(c) * 2 : 0};
}

static struct iw_conf ep_conf_of(const struct pair_conf *c, int side)
{
    struct iw_conf e = c->ep[side];
    e.mulpdu = mpa_mulpdu(c->mtu, c->markers[side]);
    e.llp = c->crc ? IW_LLP_ALL : IW_LLP_ALL & ~(unsigned)IW_LLP_DIGEST;
    if (!c->crc) e.profile |= IW_NO_DIGEST;
    if (!e.stream) e.stream = 1;
    return e;
}

struct carve {
    uint8_t *memory;
    size_t used;
};

static void *carve(struct carve *c, size_t octets)
{
    void *p = c->memory ? c->memory + c->used : NULL;
    c->used += (octets + 63) & ~(size_t)63;
    return p;
}

/* One walk serves both to size the block and to fill it. */
static void make_side(struct pair *p, struct carve *c, int side)
{
    const struct pair_conf *conf = &p->conf;
    struct side *s = &p->side[side];
    struct ideal_conf ideal = ideal_conf_of(conf);
    struct mpa_rx_conf mpa = mpa_conf_of(conf, side);
    struct iw_conf ep = ep_conf_of(conf, side);
    void *stags = carve(c, iw_stags_size(conf->regions_max)), *cq = carve(c, iw_cq_size(conf->cq_entries));
    void *rx = carve(c, mpa_rx_size(&mpa)), *out = carve(c, ideal_size(&ideal)), *block = carve(c, iw_ep_size(&ep));
    if (!c->memory) return;
    s->stags = ep.stags = iw_stags_init(stags, conf->regions_max, conf->seed ? conf->seed * 2 + (unsigned)side : 0);
    s->cq = ep.send_cq = ep.recv_cq = iw_cq_init(cq, conf->cq_entries, ep.trust);
    s->rx = mpa_rx_init(rx, &mpa);
    s->out = ideal_init(out, &ideal);
    s->ep = iw_ep_init(block, &ep);
    mpa_tx_init(&s->tx, mpa_flags(conf, side), conf->mtu);
    channel_init(&s->channel, &conf->channel, conf->seed, conf->repeat, 0, (uint32_t)side);
}

static void lay_out(struct pair *p, struct carve *c)
{
    const struct pair_conf *conf = &p->conf;
    uint32_t n = flights_of(conf), room = conf->length_only ? 0 : packet_octets(conf);
    for (int i = 0; i < 2; i++) make_side(p, c, i);
    uint8_t *fpdu = carve(c, MPA_FPDU_MAX);
    struct flight *flight = carve(c, n * sizeof(struct flight));
    uint32_t *heap = carve(c, n * sizeof(uint32_t)), *spare = carve(c, n * sizeof(uint32_t));
    uint8_t *octets = carve(c, (size_t)n * room);
    if (!c->memory) return;
    p->fpdu = fpdu;
    p->spares = n;
    p->flight = flight;
    p->heap = heap;
    p->spare = spare;
    for (uint32_t i = 0; i < n; i++) {
        flight[i].octets = octets + (size_t)i * room;
        spare[i] = n - 1 - i;
    }
}

const char *pair_conf_error(const struct pair_conf *c)
{
    if (!c->rate) return "rate must not be 0";
    if (c->mtu < EMSS_MIN || c->mtu > EMSS_MAX) return "mtu (EMSS) must be 140 .. 65495";
    if (c->window < 2 * packet_octets(c)) return "window below two packets";
    if (c->cut && c->length_only) return "packets without octets cannot be cut anywhere";
    if (c->crc_drop && !c->crc) return "crc_drop needs crc";
    if (!c->regions_max || !iw_stags_size(c->regions_max)) return "regions_max out of range";
    if (!c->cq_entries) return "cq_entries must not be 0";
    for (int side = 0; side < 2; side++) {
        struct iw_conf ep = ep_conf_of(c, side);
        struct mpa_rx_conf mpa = mpa_conf_of(c, side);
        if (mpa_rx_conf_error(&mpa)) return mpa_rx_conf_error(&mpa);
        if (!iw_ep_size(&ep)) return "an endpoint's configuration is refused: see iw_conf_error()";
    }
    return channel_conf_error(&c->channel);
}

size_t pair_size(const struct pair_conf *conf)
{
    struct pair p = {.conf = *conf};
    struct carve c = {0};
    if (pair_conf_error(conf)) return 0;
    carve(&c, sizeof p);
    lay_out(&p, &c);
    return c.used;
}

struct pair *pair_init(void *memory, const struct pair_conf *conf, void (*trace)(void *user, const struct pair_event *),
                       void *user)
{
    struct pair *p = memory;
    struct carve c = {.memory = memory};
    if (pair_conf_error(conf)) return NULL;
    *p = (struct pair){.conf = *conf, .trace = trace, .user = user};
    carve(&c, sizeof *p);
    lay_out(p, &c);
    iw_enable(p->side[0].ep, 0, 0);
    iw_enable(p->side[1].ep, 0, IW_WAIT_FIRST);
    return p;
}

struct iw_ep *pair_ep(struct pair *p, int side)
{
    return p->side[side].ep;
}
struct iw_cq *pair_cq(struct pair *p, int side)
{
    return p->side[side].cq;
}
struct iw_stags *pair_stags(struct pair *p, int side)
{
    return p->side[side].stags;
}
const struct mpa_rx *pair_mpa(const struct pair *p, int side)
{
    return p->side[side].rx;
}
iw_time pair_now(const struct pair *p)
{
    return p->now;
}

static void tell(const struct pair *p, struct pair_event e)
{
    e.t = p->now;
    if (p->trace) p->trace(p->user, &e);
}

/* ---- the flights: a heap by (at, order) ---- */

static bool sooner(const struct pair *p, uint32_t a, uint32_t b)
{
    const struct flight *x = &p->flight[a], *y = &p->flight[b];
    return x->at != y->at ? x->at < y->at : x->order < y->order;
}

/* A free flight; NULL when all are used: the packet is lost then, and sent again. */
static struct flight *take_flight(struct pair *p)
{
    return p->spares ? &p->flight[p->spare[--p->spares]] : NULL;
}

static void free_flight(struct pair *p, struct flight *f)
{
    p->spare[p->spares++] = (uint32_t)(f - p->flight);
}

static void launch(struct pair *p, struct flight *f, enum flight_kind kind, int side, iw_time at)
{
    uint32_t i = p->flights++, me = (uint32_t)(f - p->flight);
    f->kind = kind;
    f->side = side;
    f->at = at;
    f->order = p->order++;
    for (; i && sooner(p, me, p->heap[(i - 1) / 2]); i = (i - 1) / 2) p->heap[i] = p->heap[(i - 1) / 2];
    p->heap[i] = me;
}

static struct flight *land(struct pair *p)
{
    uint32_t first = p->heap[0], last = p->heap[--p->flights], i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= p->flights) break;
        if (child + 1 < p->flights && sooner(p, p->heap[child + 1], p->heap[child])) child++;
        if (!sooner(p, p->heap[child], last)) break;
        p->heap[i] = p->heap[child];
        i = child;
    }
    if (p->flights) p->heap[i] = last;
    return &p->flight[first];
}

/* ---- sending ---- */

static iw_time serialization(const struct pair *p, uint32_t octets)
{
    return (uint64_t)octets * 8 * PS_PER_S / p->conf.rate;
}

static void fly(struct pair *p, int to, const struct ideal_packet *packet, iw_time at, const struct channel_fate *fate)
{
    struct flight *f = take_flight(p);
    if (!f) return;
    f->packet = *packet;
    f->corrupted = fate->corrupted;
    if (!p->conf.length_only && packet->len) {
        ideal_octets(p->side[!to].out, packet, f->octets);
        if (fate->corrupted) f->octets[fate->entropy / 8 % packet->len] ^= (uint8_t)(1u << fate->entropy % 8);
    }
    launch(p, f, FLIGHT_DATA, to, at);
}

static void send_packet(struct pair *p, int side, const struct ideal_packet *packet)
{
    struct side *s = &p->side[side];
    iw_time time = serialization(p, packet->len + p->conf.framing);
    struct channel_fate fate = channel_next(&s->channel, time);
    struct pair_event e = {.what = PAIR_SENT, .side = side, .offset = packet->offset, .len = packet->len, .sends = packet->sends};
    s->port_free = p->now + time;
    iw_time at = s->port_free + p->conf.delay + fate.delay;
    tell(p, e);
    if (fate.lost) {
        e.what = PAIR_LOST;
        tell(p, e);
        return;
    }
    fly(p, !side, packet, at, &fate);
    if (fate.duplicated) fly(p, !side, packet, at, &fate);
}

/* Pull FPDUs from the engine until `wanted` octets wait, the sender is full, or the engine has nothing to say. */
static void pull(struct pair *p, int side, uint32_t wanted)
{
    struct side *s = &p->side[side];
    struct iw_seg seg;
    struct mpa_mark mark = {0};
    while (ideal_unsent(s->out) < wanted && ideal_room(s->out) >= p->conf.mtu) {
        if (!iw_transmit(s->ep, p->now, mpa_key(&s->tx), &seg)) break;
        uint32_t len = p->conf.length_only ? mpa_advance(&s->tx, &seg, &mark) : mpa_put(&s->tx, &seg, p->fpdu);
        ideal_append(s->out, p->fpdu, len, &mark);
        iw_accepted(s->ep, p->now, mpa_key(&s->tx));
    }
}

static void finish(struct pair *p, int side, enum iw_llp_want want);

/* Send what can be sent now: one packet, when the port is free. */
static void transmit(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    struct ideal_packet packet;
    if (s->down || s->port_free > p->now) return;
    uint32_t cut = p->conf.mtu;
    if (p->conf.cut) cut = 1 + (uint32_t)(channel_draw(p->conf.seed ^ 0xc07u, s->cuts * 2 + (unsigned)side) % p->conf.cut);
    pull(p, side, p->conf.cut ? cut : 1);
    finish(p, side, iw_llp_request(s->ep));
    if (s->down || !ideal_next(s->out, p->now, cut, &packet)) return;
    if (packet.sends == 1) s->cuts++;
    send_packet(p, side, &packet);
}

/* ---- the end ---- */

static void reset(struct pair *p, int side)
{
    struct flight *f = take_flight(p);
    p->side[side].down = p->side[side].gone = true;
    if (!f) return;
    f->packet = (struct ideal_packet){0};
    launch(p, f, FLIGHT_RST, !side, p->now + serialization(p, ACK_OCTETS) + p->conf.delay);
}

static void finish(struct pair *p, int side, enum iw_llp_want want)
{
    struct side *s = &p->side[side];
    if (want == IW_LLP_NOTHING) return;
    tell(p, (struct pair_event){.what = PAIR_CLOSED, .side = side, .term = (int)want});
    if (want == IW_LLP_SEND_RST) {
        reset(p, side);
        return;
    }
    s->finished = true;
    ideal_finish(s->out);
}

static void fault(struct pair *p, int side, int term)
{
    tell(p, (struct pair_event){.what = PAIR_FAULT, .side = side, .term = term});
}

/* TCP's view of the end: our FIN acknowledged and the peer's read. */
static void check_end(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    if (s->down || !s->peer_fin) return;
    enum mpa_end end = mpa_ended(s->rx);
    if (s->commits) return;
    if (!s->told_fin && (end != MPA_OPEN || s->deaf)) {
        s->told_fin = true;
        if (end == MPA_CUT) {
            iw_llp(s->ep, p->now, IW_LLP_LOST);
            fault(p, side, IW_T_LLP_LOST);
        } else {
            iw_llp(s->ep, p->now, IW_LLP_FIN);
        }
    }
    if (s->told_fin && s->finished && ideal_finished(s->out)) {
        s->down = true;
        iw_llp(s->ep, p->now, IW_LLP_DOWN);
    }
}

/* ---- receiving ---- */

static void deliver(struct pair *p, int side, uint64_t edge)
{
    struct side *s = &p->side[side];
    struct iw_message message;
    int result;
    while ((result = iw_deliver(s->ep, p->now, edge, &message)) == 1)
        tell(p, (struct pair_event){.what = PAIR_DELIVERED, .side = side, .message = &message});
    if (result > 1) fault(p, side, result);
}

static void commit(struct pair *p, int side, const struct iw_seg *seg, const struct iw_place *place, uint64_t edge)
{
    struct side *s = &p->side[side];
    bool in_order = seg->key == iw_delivered_edge(s->ep);
    int result = iw_commit(s->ep, p->now, seg, place);
    if (result > 0) fault(p, side, result);
    if (result == IW_OK)
        tell(p, (struct pair_event){.what = PAIR_PLACED, .side = side, .offset = seg->key, .len = seg->payload_len,
                                    .in_order = in_order, .seg = seg, .place = place});
    deliver(p, side, edge);
}

/* The octets wait in the flight for the end of their DMA. */
static void begin_dma(struct pair *p, int side, const struct iw_seg *seg, const struct iw_place *place)
{
    struct flight *f = take_flight(p);
    p->side[side].commits++;
    f->seg = *seg;
    f->place = *place;
    f->edge = mpa_edge(p->side[side].rx);
    if (seg->frags && seg->frag[0].octets && !p->conf.length_only) {
        memcpy(f->octets, seg->frag[0].octets, seg->payload_len);
        f->seg.frag[0].octets = f->octets;
    }
    launch(p, f, FLIGHT_COMMIT, side, p->now + p->conf.dma);
}

static void receive(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    struct mpa_fpdu fpdu;
    struct iw_seg seg;
    struct iw_place place;
    int more;
    while ((more = mpa_next(s->rx, &fpdu)) == 1) {
        mpa_seg(&fpdu, &seg);
        bool no_room = p->conf.dma && !p->spares; /* for one more DMA: it waits until one has ended */
        int verdict = no_room ? IW_LATER : iw_check(s->ep, p->now, &seg, &place);
        if (verdict == IW_LATER) {
            mpa_keep(s->rx);
            tell(p, (struct pair_event){.what = PAIR_KEPT, .side = side, .offset = seg.key, .seg = &seg});
        } else if (verdict > 0) {
            fault(p, side, verdict);
        } else if (verdict == IW_OK && p->conf.dma) {
            begin_dma(p, side, &seg, &place);
        } else if (verdict == IW_OK) {
            commit(p, side, &seg, &place, mpa_edge(s->rx));
        }
    }
    if (more > 1 && !s->deaf) {
        s->deaf = true;
        iw_llp_failed(s->ep, p->now, more);
        fault(p, side, more);
    }
    if (!p->conf.dma) deliver(p, side, mpa_edge(s->rx));
}

static void acknowledge(struct pair *p, int side, const struct ideal_packet *packet)
{
    struct side *s = &p->side[side];
    struct channel_fate fate = {0};
    iw_time time = serialization(p, ACK_OCTETS);
    if (p->conf.impair_acks) fate = channel_next(&s->channel, time);
    struct flight *f = fate.lost || fate.corrupted ? NULL : take_flight(p);
    if (!f) return;
    f->packet = *packet;
    launch(p, f, FLIGHT_ACK, !side, p->now + time + p->conf.delay + fate.delay);
}

static void data_arrived(struct pair *p, struct flight *f)
{
    struct side *s = &p->side[f->side];
    struct pair_event e = {.what = PAIR_ARRIVED, .side = f->side, .offset = f->packet.offset, .len = f->packet.len,
                           .sends = f->packet.sends, .corrupted = f->corrupted};
    struct mpa_mark mark = f->packet.mark;
    mark.bad = f->corrupted;
    struct mpa_arrival in = {.offset = f->packet.offset, .len = f->packet.len, .octets = f->octets, .marks = p->conf.length_only, .mark = &mark};
    tell(p, e);
    if (f->packet.fin) {
        s->peer_fin = true;
        mpa_fin(s->rx, f->packet.offset);
        acknowledge(p, f->side, &f->packet);
        return;
    }
    if (mpa_arrive(s->rx, &in) == in.len) {
        acknowledge(p, f->side, &f->packet);
    } else {
        e.what = PAIR_REFUSED;
        tell(p, e);
    }
    receive(p, f->side);
}

static void ack_arrived(struct pair *p, const struct flight *f)
{
    struct side *s = &p->side[f->side];
    ideal_ack(s->out, f->packet.offset, f->packet.fin);
    iw_acked(s->ep, p->now, ideal_acked(s->out));
}

static void happen(struct pair *p, struct flight *f)
{
    struct side *s = &p->side[f->side];
    if (s->down && f->kind == FLIGHT_DATA && !s->gone) acknowledge(p, f->side, &f->packet);
    if (s->down && f->kind != FLIGHT_COMMIT) return;
    switch (f->kind) {
    case FLIGHT_DATA: data_arrived(p, f); break;
    case FLIGHT_ACK: ack_arrived(p, f); break;
    case FLIGHT_RST:
        s->down = s->gone = true;
        iw_llp(s->ep, p->now, IW_LLP_LOST);
        break;
    case FLIGHT_COMMIT:
        s->commits--;
        commit(p, f->side, &f->seg, &f->place, f->edge);
        pair_again(p, f->side);
        break;
    default: break;
    }
}

/* ---- time ---- */

void pair_kick(struct pair *p, int side)
{
    transmit(p, side);
    check_end(p, side);
    finish(p, side, iw_llp_request(p->side[side].ep));
}

void pair_again(struct pair *p, int side)
{
    mpa_again(p->side[side].rx);
    receive(p, side);
}

/* When a side wants to run for a reason of its own: its port, a timeout, the engine's deadline. */
static iw_time side_next(const struct pair *p, int side)
{
    const struct side *s = &p->side[side];
    iw_time due = s->down ? IW_NEVER : iw_deadline(s->ep), resend = s->down ? IW_NEVER : ideal_deadline(s->out);
    bool waits = !s->down && (ideal_unsent(s->out) || (iw_has_work(s->ep) && ideal_room(s->out) >= p->conf.mtu));
    if (waits && s->port_free > p->now && s->port_free < due) due = s->port_free;
    if (resend < s->port_free) resend = s->port_free;
    return resend < due ? resend : due;
}

iw_time pair_next(const struct pair *p)
{
    iw_time next = p->flights ? p->flight[p->heap[0]].at : IW_NEVER;
    for (int side = 0; side < 2; side++)
        if (side_next(p, side) < next) next = side_next(p, side);
    return next < p->now ? p->now : next;
}

bool pair_step(struct pair *p)
{
    iw_time next = pair_next(p);
    if (next == IW_NEVER) return false;
    p->now = next;
    if (p->flights && p->flight[p->heap[0]].at <= next) {
        struct flight *f = land(p);
        happen(p, f);
        free_flight(p, f);
    }
    for (int side = 0; side < 2; side++) {
        struct side *s = &p->side[side];
        if (!s->down && iw_deadline(s->ep) <= next) iw_expire(s->ep, next);
        pair_kick(p, side);
    }
    return true;
}

void pair_wait(struct pair *p, iw_time t)
{
    if (t > p->now && t <= pair_next(p)) p->now = t;
}

void pair_cut(struct pair *p)
{
    while (p->flights) {
        struct flight *f = land(p);
        if (f->kind == FLIGHT_COMMIT) happen(p, f);
        free_flight(p, f);
    }
    for (int side = 0; side < 2; side++) {
        if (p->side[side].down) continue;
        p->side[side].down = p->side[side].gone = true;
        iw_llp(p->side[side].ep, p->now, IW_LLP_LOST);
    }
}
