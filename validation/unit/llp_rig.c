/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "validation/unit/llp_rig.h"

#include <stdlib.h>
#include <string.h>

#include "llp/packet.h"
#include "validation/support/test.h"

enum { STREAMS_MAX = 4, PS_PER_OCTET = 800, FRAMING = 38, STEPS_MAX = 4000000 };

/* A segment, at both ends. */
struct said {
    uint64_t key, end;
    uint32_t len; /* of the ULPDU */
    uint8_t head_len;
    bool arrived, late, taken, kept;
};

struct way {
    struct said *said;
    uint32_t count, max;
    uint32_t first; /* of those not taken yet, at the receiver */
    uint64_t sent;
    uint64_t edge;
    bool finished, open, down;
    enum llp_end ended; /* of the peer's, as the receiver hears it */
};

struct flight {
    struct flight *next;
    iw_time at;
    struct ip_packet packet;
    uint8_t octets[];
};

struct end {
    void *l;
    struct way out[STREAMS_MAX]; /* said here, taken by the other */
    struct flight *coming;
    iw_time port_free, again_at, data_at,
        open_at; /* data_at: until then packets without data alone are asked for */
    uint64_t packets, told, opened;
    struct ip_packet leaving; /* the last, until something arrives: lent */
    uint8_t left[65536];      /* its octets as they were */
    void **block;
    size_t blocks, octets;
    struct rig_count count;
};

struct rig {
    const struct llp *t;
    const struct script *s;
    struct llp_conf conf[2];
    struct packet_conf packet;
    struct end end[2];
    struct end victim;
    uint64_t mangled;
    iw_time now;
    uint64_t random;
    bool ending;
};

/* ---- chance ---- */

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Per mille, of packet `number` that end `side` sends. */
static bool chance(const struct rig *r, int side, uint64_t number, unsigned which, uint32_t permille)
{
    bool spared = r->s->one_way && side == 1 && which < 4;
    return !spared && mix(r->s->seed ^ mix(number * 16 + which * 2 + (unsigned)side)) % 1000 < permille;
}

static uint8_t octet_of(const struct rig *r, int side, unsigned stream, uint32_t segment, uint32_t i)
{
    return (uint8_t)(mix(r->s->seed + segment * 8 + stream * 2 + (unsigned)side) + i * 7);
}

/* ---- memory ---- */

static void *more(void *user, size_t octets)
{
    struct end *e = user;
    e->block = realloc(e->block, (e->blocks + 1) * sizeof *e->block);
    e->octets += octets;
    e->block[e->blocks] = malloc(octets);
    memset(e->block[e->blocks], 0xa5, octets); /* nobody may count on zeros */
    return e->block[e->blocks++];
}

/* ---- what the hosts say ---- */

static struct way *way_from(struct rig *r, int side, uint16_t stream)
{
    assert_true(stream < STREAMS_MAX);
    return &r->end[side].out[stream];
}

static uint32_t ulpdu_of(const struct rig *r, int side, uint16_t stream, uint32_t n, uint32_t mulpdu)
{
    uint64_t x = mix(r->s->seed * 3 + n * 8 + stream * 2 + (unsigned)side);
    uint32_t most = r->s->small && mulpdu > 300 ? 300 : mulpdu;
    return x % 4 ? most : IW_HEAD_MAX + (uint32_t)(x / 4 % (most - IW_HEAD_MAX));
}

static void make_segment(const struct rig *r, int side, uint16_t stream, uint32_t n, uint32_t len,
                         struct iw_seg *seg, uint8_t *room)
{
    bool tagged = n % 2;
    uint32_t head = tagged ? IW_HEAD_TAGGED : IW_HEAD_UNTAGGED;
    for (uint32_t i = 0; i < len; i++)
        room[i] = octet_of(r, side, stream, n, i);
    room[0] = (uint8_t)(tagged ? 0x81 : 0x01);
    *seg = (struct iw_seg){.payload_len = len - head, .head_len = (uint8_t)head, .frags = 1};
    memcpy(seg->head, room, head);
    bool carried = r->s->real || seg->payload_len <= 28;
    seg->frag[0] = (struct iw_frag){carried ? room + head : NULL, seg->payload_len};
}

/* Whoever has the packet may still read it. */
static void check_lent(const struct end *e)
{
    assert_memory_equal(e->leaving.octets, e->left, e->leaving.head);
}

/* The next segment, if the table has room for it. */
static bool say(struct rig *r, int side, uint16_t stream)
{
    struct end *e = &r->end[side];
    struct way *w = way_from(r, side, stream);
    uint8_t room[65536];
    struct iw_seg seg;
    uint32_t octets;
    if (!w->open || w->count == r->s->count[side] || !r->t->has_room(e->l, stream, 0, 0))
        return false;
    uint32_t most = r->t->mulpdu(e->l, stream);
    bool wrong = r->s->wrong && side == 0 && w->count == r->s->count[0] / 2;
    uint32_t len = wrong ? most : ulpdu_of(r, side, stream, w->count, most);
    uint64_t key = r->t->key(e->l, stream), end = r->t->key_after(e->l, stream, key, len, &octets);
    make_segment(r, side, stream, w->count, len, &seg, room);
    seg.key = key;
    assert_true(end > key && octets >= len);
    int result = r->t->send(e->l, r->now, stream, &seg, wrong ? r->s->wrong : LLP_RIGHT);
    if (result == IW_EFULL)
        return false;
    assert_int_equal(result, IW_OK);
    check_lent(e);
    memset(room, 0xee, len); /* the octets were copied */
    if (w->count)
        assert_int_equal(w->said[w->count - 1].end, key);
    w->said[w->count++] = (struct said){.key = key, .end = end, .len = len, .head_len = seg.head_len};
    e->count.sent++;
    if (e->data_at <= r->now && chance(r, side, w->count, 5, 60))
        e->data_at = r->now + US;
    return true;
}

/* ---- what the hosts hear ---- */

static struct said *said_with(struct way *w, uint64_t key)
{
    for (uint32_t low = 0, high = w->count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (w->said[middle].key == key)
            return &w->said[middle];
        if (w->said[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static void check_octets(const struct rig *r, int from, const struct llp_segment *in, const struct said *said,
                         uint32_t n)
{
    uint8_t first = n % 2 ? 0x81 : 0x01;
    assert_int_equal(in->seg.head_len, said->head_len);
    assert_int_equal(in->seg.head_len + in->seg.payload_len, said->len);
    assert_int_equal(in->seg.head[0], first);
    for (uint32_t i = 1; i < said->head_len; i++)
        assert_int_equal(in->seg.head[i], octet_of(r, from, in->stream, n, i));
    bool carried = in->seg.payload_len && (r->s->real || in->seg.payload_len <= 28);
    uint32_t at = said->head_len;
    for (uint8_t f = 0; carried && f < in->seg.frags; f++) {
        const uint8_t *octets = in->seg.frag[f].octets;
        assert_non_null(octets);
        for (uint32_t i = 0; i < in->seg.frag[f].len; i++)
            assert_int_equal(octets[i], octet_of(r, from, in->stream, n, at++));
    }
    assert_true(!carried || at == said->len);
}

static void note(struct rig_count *c, uint64_t what)
{
    c->log = mix(c->log ^ what);
}

/* One segment, handed up. */
static void take(struct rig *r, int side, const struct llp_segment *in)
{
    struct end *e = &r->end[side];
    struct way *w = way_from(r, !side, in->stream);
    struct said *said = said_with(w, in->seg.key);
    assert_non_null(said);
    uint32_t n = (uint32_t)(said - w->said);
    assert_true(said->arrived); /* what was not taken is not handed up */
    assert_false(said->taken);
    assert_int_equal(in->again, said->kept);
    assert_int_equal(in->in_order, n == w->first);
    assert_true(in->in_order || !r->s->in_order);
    if (in->in_order && !in->again)
        assert_int_equal(in->late, said->late);
    check_octets(r, !side, in, said, n);
    note(&e->count, in->seg.key * 8 + in->stream * 2u + in->in_order);
    e->count.octets += in->seg.payload_len;
    e->count.ahead += !in->in_order;
    e->count.late += in->late;
    if (!said->kept && chance(r, side, n, 6, r->s->keep)) {
        if (r->t->keep(e->l, in->stream) == IW_EFULL) {
            said->arrived = false;
            return;
        }
        said->kept = true;
        e->again_at = r->now + 3 * US;
        e->count.kept++;
        note(&e->count, 1);
        return;
    }
    said->taken = true;
    while (w->first < w->count && w->said[w->first].taken)
        w->first++;
}

/* Law: the edge stands at the first segment that was not taken. */
static void check_edge(struct rig *r, int side, uint16_t stream)
{
    struct way *w = way_from(r, !side, stream);
    uint64_t edge = r->t->edge(r->end[side].l, stream);
    assert_true(edge >= w->edge);
    w->edge = edge;
    if (w->first < w->count && r->end[side].out[stream].open)
        assert_int_equal(edge, w->said[w->first].key);
    else if (w->first < w->count)
        assert_true(edge <= w->said[w->first].key);
    else if (w->count) /* behind it there may be what ends the stream */
        assert_true(edge == w->said[w->count - 1].end || edge == w->said[w->count - 1].end + w->ended);
}

static void take_all(struct rig *r, int side, uint16_t stream)
{
    struct end *e = &r->end[side];
    struct llp_segment in;
    int result;
    while ((result = r->t->next(e->l, stream, &in)) == 1) {
        assert_int_equal(in.stream, stream);
        take(r, side, &in);
    }
    if (result > 1 && !e->count.failed)
        e->count.failed = result;
    enum llp_end ended = r->t->ended(e->l, stream);
    assert_true(ended >= way_from(r, !side, stream)->ended);
    way_from(r, !side, stream)->ended = ended;
    if (!result)
        check_edge(r, side, stream);
}

/* ---- the window ---- */

static void credit(struct rig *r, int side)
{
    struct end *e = &r->end[side];
    uint64_t at = r->t->received(e->l), window = r->conf[side].window;
    if (r->s->slow && r->now < e->open_at && at + window > e->opened)
        window = e->opened > at ? e->opened - at : 0;
    bool opened = at + window > e->told && window && e->told <= at;
    if (r->s->slow && r->now >= e->open_at) {
        e->opened = at + window;
        e->open_at = r->now + r->s->slow * US;
    }
    e->told = at + window > e->told ? at + window : e->told;
    if (r->t->credit)
        r->t->credit(e->l, r->now, e->told - at, opened);
}

/* ---- packets ---- */

static void launch(struct rig *r, int to, const struct ip_packet *packet, iw_time at, bool altered)
{
    struct flight *f = malloc(sizeof *f + packet->head), **link = &r->end[to].coming;
    f->at = at;
    f->packet = *packet;
    f->packet.octets = f->octets;
    f->packet.altered = altered;
    memcpy(f->octets, packet->octets, packet->head);
    while (*link && (*link)->at <= at)
        link = &(*link)->next;
    f->next = *link;
    *link = f;
}

static bool leave(struct rig *r, int side)
{
    struct end *e = &r->end[side];
    struct ip_packet packet;
    unsigned parts = r->now < e->data_at ? LLP_CONTROL : LLP_ANY;
    struct llp_sent sent;
    if (!r->t->transmit(e->l, r->now, parts, &packet, &sent))
        return false;
    assert_true(parts & LLP_DATA || (!sent.data && !sent.again && !sent.octets));
    assert_true(packet.size <= r->conf[side].mtu);
    assert_true(packet.head + (uint32_t)IP_HEAD <= packet.size);
    assert_int_equal(packet.protocol, r->t->protocol);
    assert_int_equal(packet.direction, side);
    uint64_t n = e->packets++;
    e->port_free = r->now + (packet.size + FRAMING) * (iw_time)PS_PER_OCTET;
    bool altered = chance(r, side, n, 3, r->s->alter) && packet.size > 100;
    if (altered && r->s->real)
        packet.octets[packet.head - 1 - mix(n) % 50] ^= 4;
    iw_time at = e->port_free + 10 * US;
    if (chance(r, side, n, 1, r->s->delay))
        at += mix(n) % (40 * US);
    if (!chance(r, side, n, 0, r->s->lose))
        launch(r, !side, &packet, at, altered && !r->s->real);
    if (chance(r, side, n, 2, r->s->repeat))
        launch(r, !side, &packet, at + US, altered && !r->s->real);
    if (altered && r->s->real)
        packet.octets[packet.head - 1 - mix(n) % 50] ^= 4; /* what is kept for another time was not altered */
    e->leaving = packet;
    memcpy(e->left, packet.octets, packet.head);
    return true;
}

static void count_unit(struct rig *r, int side, const struct llp_unit *u)
{
    struct rig_count *c = &r->end[side].count;
    struct said *said;
    c->taken += u->verdict == LLP_TAKEN;
    c->refused += u->verdict == LLP_REFUSED;
    c->bad += u->verdict == LLP_BAD;
    c->duplicate += u->verdict == LLP_DUPLICATE;
    if (u->verdict != LLP_TAKEN || c->failed)
        return;
    assert_true(u->in_order || !(r->s->no_room || r->s->go_back));
    if ((said = said_with(way_from(r, !side, u->stream), u->key))) {
        assert_false(said->arrived);
        said->arrived = true;
        said->late = !u->in_order;
    }
}

/* ---- a third end, that hears what nobody said: the sanitizers judge ---- */

static void mangle(struct rig *r, struct ip_packet *packet, uint8_t *octets)
{
    uint64_t x = mix(r->s->seed + ++r->mangled);
    memcpy(octets, packet->octets, packet->head);
    packet->octets = octets;
    for (uint64_t n = x % 4; n < 4; n++) {
        x = mix(x);
        octets[x % 8 ? x / 8 % 44 % packet->head : x / 8 % packet->head] = (uint8_t)(x >> 32);
    }
    if (x % 5 == 0)
        packet->head = (uint16_t)(x / 5 % (packet->head + 1u));
    if (x % 7 == 0)
        packet->size = IP_HEAD + packet->head + (uint32_t)(x / 7 % 2000);
}

static void torment_with(struct rig *r, const struct ip_packet *packet)
{
    void *l = r->victim.l;
    struct llp_segment in;
    struct llp_unit u;
    r->t->peek(l, packet, &u);
    r->t->arrive(l, r->now, packet);
    while (r->t->unit(l, r->now, mix(r->mangled) % 3 ? UINT64_MAX : 0, &u) != LLP_END)
        for (uint16_t i = 0; i < r->conf[1].streams; i++) {
            for (uint64_t n = 0; r->t->next(l, i, &in) == 1; n++)
                if (mix(r->mangled + n) % 8 == 0)
                    r->t->keep(l, i);
            uint64_t edge = r->t->edge(l, i);
            if (r->t->octets_below)
                r->t->octets_below(l, i, edge);
            r->t->ended(l, i);
        }
}

static void torment(struct rig *r, const struct ip_packet *packet)
{
    struct ip_packet out, bad = *packet;
    struct llp_event ev;
    struct llp_stats stats;
    void *l = r->victim.l;
    struct llp_sent sent;
    uint8_t *octets = malloc(packet->head + 1u);
    if (!chance(r, 1, r->mangled++, 7, r->s->mangle)) {
        torment_with(r, packet);
    } else {
        mangle(r, &bad, octets);
        torment_with(r, &bad);
    }
    free(octets);
    r->t->again(l, 0);
    if (r->t->credit)
        r->t->credit(l, r->now, r->conf[1].window, false);
    if (r->t->deadline(l) <= r->now)
        r->t->expire(l, r->now);
    for (int n = 0; n < 8 && r->t->transmit(l, r->now, LLP_ANY, &out, &sent); n++)
        assert_true(out.head + (uint32_t)IP_HEAD <= out.size && out.size <= r->conf[1].mtu);
    while (r->t->event(l, &ev))
        ;
    r->t->statistics(l, &stats);
    r->t->bound(l, r->now);
}

static void arrive(struct rig *r, int side)
{
    struct end *e = &r->end[side];
    struct flight *f = e->coming;
    struct llp_unit first, u;
    e->coming = f->next;
    if (side == 1 && r->s->mangle)
        torment(r, &f->packet);
    r->t->peek(e->l, &f->packet, &first);
    assert_true(first.octets <= f->packet.size);
    r->t->arrive(e->l, r->now, &f->packet);
    while (r->t->unit(e->l, r->now, r->s->no_room ? 0 : UINT64_MAX, &u) != LLP_END) {
        count_unit(r, side, &u);
        take_all(r, side, u.stream);
    }
    free(f);
}

/* ---- what happens ---- */

/* Law: nothing is acknowledged that was not taken. */
static void check_acked(struct rig *r, int side)
{
    for (uint16_t i = 0; i < r->conf[0].streams; i++) {
        struct way *w = way_from(r, side, i);
        uint64_t acked = r->t->acked(r->end[side].l, i);
        for (uint32_t n = 0; n < w->count && w->said[n].end <= acked && !r->end[!side].count.failed; n++)
            assert_true(w->said[n].arrived);
    }
}

/* Laws: what leaves for the first time follows what left before, and lies in the peer's window. */
static void check_sent(struct rig *r, int side, const struct llp_event *ev)
{
    struct way *w = way_from(r, side, ev->stream);
    assert_true(!w->sent || ev->key == w->sent);
    assert_true(ev->end <= w->said[w->count - 1].end);
    if (r->t->has & LLP_MARKERS) /* a key is an octet of the stream */
        assert_true(ev->end <= r->end[!side].told);
    w->sent = ev->end;
}

static void hear(struct rig *r, int side, const struct llp_event *ev)
{
    struct rig_count *c = &r->end[side].count;
    switch (ev->kind) {
    case LLP_EV_UP:
        assert_false(way_from(r, side, ev->stream)->open);
        assert_int_equal(ev->ord, r->conf[side].ord);
        way_from(r, side, ev->stream)->open = true;
        c->up = true;
        break;
    case LLP_EV_DOWN:
        assert_false(way_from(r, side, ev->stream)->down);
        way_from(r, side, ev->stream)->down = true;
        c->down = true;
        for (uint16_t i = 0; i < r->conf[0].streams; i++)
            c->down &= way_from(r, side, i)->down;
        break;
    case LLP_EV_LOST: c->lost = true; break;
    case LLP_EV_FAILED: fail_msg("start-up failed");
    case LLP_EV_SENT: check_sent(r, side, ev); break;
    case LLP_EV_RETRANSMITTED:
        assert_true(ev->end <= way_from(r, side, ev->stream)->sent);
        c->retransmitted++;
        break;
    case LLP_EV_SPURIOUS: c->spurious++; break;
    case LLP_EV_PROBE: c->probes++; break;
    default: break;
    }
}

static bool all_said(const struct rig *r, int side)
{
    for (uint16_t i = 0; i < r->conf[0].streams; i++)
        if (r->end[side].out[i].count < r->s->count[side])
            return false;
    return true;
}

/* When everything was said: the end, of each stream. */
static void finish(struct rig *r, int side)
{
    struct end *e = &r->end[side];
    bool cut = r->s->cut && side == 0;
    if (!all_said(r, side) || e->data_at > r->now || !e->count.up)
        return;
    for (uint16_t i = 0; i < r->conf[0].streams; i++) {
        struct way *w = &e->out[i];
        if (!w->finished && w->open)
            r->t->close(e->l, r->now, i, cut ? IW_LLP_SEND_RST : IW_LLP_SEND_FIN);
        w->finished |= w->open;
    }
}

static void settle(struct rig *r, int side)
{
    struct end *e = &r->end[side];
    struct llp_event ev;
    bool more_to_say = true;
    credit(r, side);
    while (more_to_say) {
        more_to_say = false;
        for (uint16_t i = 0; i < r->conf[0].streams; i++)
            more_to_say |= say(r, side, i);
    }
    finish(r, side);
    while (e->port_free <= r->now && leave(r, side))
        ;
    while (r->t->event(e->l, &ev))
        hear(r, side, &ev);
    check_acked(r, side);
}

static iw_time sooner(iw_time a, iw_time b)
{
    return a < b ? a : b;
}

static iw_time next_of(const struct rig *r, int side)
{
    const struct end *e = &r->end[side];
    iw_time next = e->coming ? e->coming->at : IW_NEVER;
    next = sooner(sooner(next, e->again_at), r->t->deadline(e->l));
    if (e->data_at > r->now)
        next = sooner(next, e->data_at);
    if (r->s->slow && e->open_at > r->now && !e->count.down)
        next = sooner(next, e->open_at);
    if (e->port_free > r->now && r->t->wants(e->l, r->now, r->now < e->data_at ? LLP_CONTROL : LLP_ANY))
        next = sooner(next, e->port_free);
    return next > r->now ? next : r->now;
}

static void act(struct rig *r, int side)
{
    struct end *e = &r->end[side];
    while (e->coming && e->coming->at <= r->now)
        arrive(r, side);
    if (r->t->deadline(e->l) <= r->now)
        r->t->expire(e->l, r->now);
    if (e->again_at <= r->now) {
        e->again_at = IW_NEVER;
        for (uint16_t i = 0; i < r->conf[0].streams; i++) {
            r->t->again(e->l, i);
            take_all(r, side, i);
        }
    }
    settle(r, side);
}

static bool is_over(const struct rig *r)
{
    const struct rig_count *a = &r->end[0].count, *b = &r->end[1].count;
    return (a->down && b->down) || b->lost || a->failed || b->failed;
}

/* ---- the whole ---- */

/* Seeds take turns at what places out of order. */
static struct packet_conf packet_conf_of(const struct script *s)
{
    enum packet_recovery recovery = s->go_back ? PACKET_GO_BACK_N : s->seed % 2 ? PACKET_IRN : PACKET_RUD;
    return (struct packet_conf){.recovery = recovery, .flight = 64, .track = 200};
}

static void configure(const struct rig *r, int side, struct llp_conf *c)
{
    const struct script *s = r->s;
    *c = (struct llp_conf){.initiator = side == 0,
                           .real = s->real,
                           .in_order = s->in_order,
                           .go_back = s->go_back,
                           .mtu = s->mtu ? s->mtu : 1500,
                           .window = s->window ? s->window : 65536,
                           .reorder = 256,
                           .streams = s->streams ? s->streams : 1,
                           .source = 0x0a000001u + (unsigned)side,
                           .destination = 0x0a000002u - (unsigned)side,
                           .local_port = (uint16_t)(5001 + side),
                           .remote_port = (uint16_t)(5002 - side),
                           .secret = mix(s->seed) + (unsigned)side,
                           .markers = s->markers,
                           .crc = s->crc,
                           .crc_drop = s->crc_drop,
                           .ord = 4,
                           .ird = 4,
                           .start_timeout = 1000000 * US,
                           .delayed_ack_timeout = 50 * US,
                           .min_rto = 200 * US,
                           .delayed_ack = s->delayed_ack ? s->delayed_ack : 1,
                           .timeout = 100 * US,
                           .late = s->late * US,
                           .packet = &r->packet};
}

static void make(struct rig *r, int side)
{
    struct end *e = &r->end[side];
    struct llp_conf *c = &r->conf[side];
    configure(r, side, c);
    c->memory = (struct llp_memory){more, e};
    assert_null(r->t->conf_error(c));
    e->l = llp_init(r->t, more(e, llp_size(r->t, c)), c);
    assert_non_null(e->l);
    e->again_at = IW_NEVER;
    for (uint16_t i = 0; i < c->streams; i++)
        e->out[i].said = calloc(r->s->count[side] + 1, sizeof(struct said));
    assert_int_equal(r->t->mulpdu(e->l, 0), 0);
    credit(r, side);
}

static void destroy(struct end *e)
{
    for (size_t i = 0; i < e->blocks; i++)
        free(e->block[i]);
    free(e->block);
    for (int i = 0; i < STREAMS_MAX; i++)
        free(e->out[i].said);
    while (e->coming) {
        struct flight *f = e->coming;
        e->coming = f->next;
        free(f);
    }
}

static void make_victim(struct rig *r)
{
    struct llp_conf c = r->conf[1];
    c.memory.user = &r->victim;
    r->victim.l = llp_init(r->t, more(&r->victim, llp_size(r->t, &c)), &c);
    if (r->t->credit)
        r->t->credit(r->victim.l, 0, c.window, false);
    r->t->open(r->victim.l, 0);
}

void rig_run(const struct llp *t, const struct script *script, struct rig_count count[2])
{
    struct rig *r = calloc(1, sizeof *r);
    r->t = t;
    r->s = script;
    r->packet = packet_conf_of(script);
    make(r, 0);
    make(r, 1);
    if (script->mangle)
        make_victim(r);
    t->open(r->end[1].l, 0);
    t->open(r->end[0].l, 0);
    for (int i = 0; i < 2; i++) { /* up at once, and nothing else wakes them */
        settle(r, 1);
        settle(r, 0);
    }
    for (uint32_t steps = 0; !is_over(r); steps++) {
        iw_time next = sooner(next_of(r, 0), next_of(r, 1));
        assert_true(next != IW_NEVER);
        assert_true(steps < STEPS_MAX);
        r->now = next;
        act(r, 0);
        act(r, 1);
    }
    for (int side = 0; side < 2; side++) {
        count[side] = r->end[side].count;
        count[side].end = r->now;
        t->statistics(r->end[side].l, &count[side].stats);
        count[side].ended = LLP_FIN;
        for (uint16_t i = 0; i < r->conf[0].streams; i++)
            if (r->end[!side].out[i].ended != LLP_FIN)
                count[side].ended = r->end[!side].out[i].ended;
        destroy(&r->end[side]);
    }
    destroy(&r->victim);
    free(r);
}

size_t rig_idle_octets(const struct llp *t)
{
    static const struct script quiet;
    struct rig r = {.t = t, .s = &quiet, .packet = packet_conf_of(&quiet)};
    make(&r, 0);
    size_t octets = r.end[0].octets;
    destroy(&r.end[0]);
    return octets;
}
