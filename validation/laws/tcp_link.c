/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tcp_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "law.h"

enum { EV_ARRIVE, EV_QUEUE, EV_FREE, EV_TIMER };

struct event {
    iw_time at;
    uint64_t order;
    uint8_t kind, side;
    uint32_t connection;
    struct ip_packet packet; /* octets owned */
};

struct end {
    struct tcp *t;
    void *table[TCP_TABLES];
    iw_time busy, timer;
    uint64_t window, consumed;
    uint32_t lose;
    bool up;
    struct channel channel;
    struct tcp_link_count count;
    bool watched;
    uint32_t edge_told; /* sequence number */
    uint8_t shift;      /* of its window field, from its SYN */
    uint32_t mtu;
};

struct tcp_link {
    struct tcp_link_conf conf;
    struct tcp_link_user user;
    struct end (*end)[2];
    struct event **heap;
    size_t events, room;
    uint64_t order;
    iw_time now;
    bool impaired;
    uint8_t *octets;
    iw_time queue_free;
    double queue_area;
    iw_time queue_since, queue_from;
};

/* ---- the agenda ---- */

static bool earlier(const struct event *a, const struct event *b)
{
    return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void push(struct tcp_link *l, struct event e)
{
    struct event *copy = malloc(sizeof *copy);
    if (l->events == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->heap = realloc(l->heap, l->room * sizeof *l->heap);
    }
    *copy = e;
    copy->order = l->order++;
    size_t i = l->events++;
    for (; i && earlier(copy, l->heap[(i - 1) / 2]); i = (i - 1) / 2)
        l->heap[i] = l->heap[(i - 1) / 2];
    l->heap[i] = copy;
}

static struct event *pop(struct tcp_link *l)
{
    struct event *first = l->heap[0], *last = l->heap[--l->events];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= l->events)
            break;
        if (child + 1 < l->events && earlier(l->heap[child + 1], l->heap[child]))
            child++;
        if (!earlier(l->heap[child], last))
            break;
        l->heap[i] = l->heap[child];
        i = child;
    }
    l->heap[i] = last;
    return first;
}

/* ---- what the wire must keep ---- */

static void watch(struct tcp_link *l, uint32_t c, int side, const struct ip_packet *p)
{
    struct end *e = &l->end[c][side];
    const uint8_t *h = p->octets;
    uint8_t flags = h[13];
    uint32_t ack = (uint32_t)h[8] << 24 | (uint32_t)h[9] << 16 | (uint32_t)h[10] << 8 | h[11];
    uint32_t field = (uint32_t)h[14] << 8 | h[15];
    if (flags & 2) {
        e->shift = 0;
        for (uint32_t i = 20; i + 2 < (uint32_t)(h[12] >> 4) * 4 && h[i];)
            if (h[i] == 1) {
                i++;
            } else {
                if (h[i] == 3)
                    e->shift = h[i + 2];
                i += h[i + 1];
            }
    }
    if (!(flags & 16) || flags & 4)
        return;
    uint32_t edge = ack + (field << (flags & 2 ? 0 : e->shift));
    law(!e->watched || (int32_t)(edge - e->edge_told) >= 0, "connection %u side %d: right edge %u after %u",
        c, side, edge, e->edge_told);
    e->edge_told = edge;
    e->watched = true;
}

static uint32_t payload_of(const struct ip_packet *p)
{
    return p->size - IP_HEAD - (uint32_t)(p->octets[12] >> 4) * 4;
}

/* ---- packets on their way ---- */

static iw_time serialization(const struct tcp_link *l, uint32_t size)
{
    return (iw_time)((double)(size + TCP_LINK_FRAMING) * 8e12 / (double)l->conf.rate);
}

static void carry(struct tcp_link *l, int kind, uint32_t c, int side, const struct ip_packet *p, iw_time at)
{
    struct event e = {.at = at, .kind = (uint8_t)kind, .side = (uint8_t)side, .connection = c, .packet = *p};
    e.packet.octets = malloc(p->head);
    memcpy(e.packet.octets, p->octets, p->head);
    push(l, e);
}

static uint64_t queue_waiting(const struct tcp_link *l, iw_time now)
{
    return l->queue_free > now ? (uint64_t)((double)(l->queue_free - now) * (double)l->conf.rate / 8e12) : 0;
}

/* The area under the queue between two instants: it falls at the line's rate, to 0. */
static void queue_pass(struct tcp_link *l, iw_time now)
{
    double from = (double)queue_waiting(l, l->queue_since), to = (double)queue_waiting(l, now);
    double span = (double)(now - l->queue_since);
    double busy = l->queue_free > now              ? span
                  : l->queue_free > l->queue_since ? (double)(l->queue_free - l->queue_since)
                                                   : 0;
    l->queue_area += (from + to) / 2 * busy;
    l->queue_since = now;
}

uint64_t tcp_link_queue(struct tcp_link *l, double *mean)
{
    queue_pass(l, l->now);
    if (mean)
        *mean = l->now > l->queue_from ? l->queue_area / (double)(l->now - l->queue_from) : 0;
    l->queue_area = 0;
    l->queue_from = l->now;
    return queue_waiting(l, l->now);
}

/* The queue takes a packet that reaches it now; false: dropped. */
static bool enqueue(struct tcp_link *l, struct ip_packet *p)
{
    queue_pass(l, l->now);
    uint64_t waiting = queue_waiting(l, l->now);
    if (l->conf.buffer && waiting + p->size > l->conf.buffer)
        return false;
    if (l->conf.mark_above && waiting >= l->conf.mark_above && p->ecn != IP_NOT_ECT)
        p->ecn = IP_CE;
    l->queue_free = (l->queue_free > l->now ? l->queue_free : l->now) + serialization(l, p->size);
    return true;
}

static void lost(struct tcp_link *l, uint32_t c, int side, const struct ip_packet *p)
{
    struct end *e = &l->end[c][side];
    e->count.lost++;
    e->count.data_lost += payload_of(p) > 0;
    law_trace("%llu side %d: lost", (unsigned long long)l->now / 1000, side);
}

static void queued(struct tcp_link *l, uint32_t c, int side, struct ip_packet *p)
{
    if (!enqueue(l, p)) {
        lost(l, c, side, p);
        return;
    }
    l->end[c][side].count.marked += p->ecn == IP_CE;
    carry(l, EV_ARRIVE, c, !side, p, l->queue_free + l->conf.delay);
}

static void depart(struct tcp_link *l, uint32_t c, int side, const struct ip_packet *p, iw_time at)
{
    struct end *e = &l->end[c][side];
    struct channel_fate fate = {0};
    bool shared = side == 0 && l->conf.connections > 1;
    e->count.sent++;
    e->count.data_sent += payload_of(p) > 0;
    if (l->impaired)
        fate = channel_take(&e->channel, serialization(l, p->size));
    if (e->lose) {
        e->lose--;
        fate.lost = true;
    }
    if (fate.lost) {
        lost(l, c, side, p);
        return;
    }
    e->count.duplicated += fate.duplicated;
    for (int copy = 0; copy <= fate.duplicated; copy++)
        if (shared)
            carry(l, EV_QUEUE, c, side, p, at + fate.delay + (iw_time)copy);
        else
            carry(l, EV_ARRIVE, c, !side, p, at + l->conf.delay + fate.delay + (iw_time)copy);
}

/* ---- ends ---- */

static void events(struct tcp_link *l, uint32_t c, int side)
{
    struct tcp_event e;
    while (tcp_event(l->end[c][side].t, &e)) {
        l->end[c][side].up |= e.kind == TCP_EV_UP;
        law_trace("%llu conn %u side %d: event %d why %d offset %llu len %u",
                  (unsigned long long)l->now / 1000, c, side, e.kind, e.why, (unsigned long long)e.offset,
                  e.len);
        if (l->user.event)
            l->user.event(l->user.user, l, c, side, l->now, &e);
    }
}

static void show(struct tcp_link *l, int side, const struct ip_packet *p, const char *what)
{
    const uint8_t *h = p->octets;
    if (!law_verbose)
        return;
    uint32_t seq = (uint32_t)h[4] << 24 | (uint32_t)h[5] << 16 | (uint32_t)h[6] << 8 | h[7];
    uint32_t ack = (uint32_t)h[8] << 24 | (uint32_t)h[9] << 16 | (uint32_t)h[10] << 8 | h[11];
    law_trace("%llu side %d %s: seq %u len %u ack %u flags %02x win %u opt %u",
              (unsigned long long)l->now / 1000, side, what, seq, payload_of(p), ack, h[13],
              (unsigned)h[14] << 8 | h[15], (h[12] >> 4) * 4u - 20);
}

static void timer(struct tcp_link *l, uint32_t c, int side)
{
    struct end *e = &l->end[c][side];
    iw_time at = tcp_deadline(e->t);
    if (at >= e->timer)
        return;
    e->timer = at > l->now ? at : l->now;
    push(l, (struct event){.at = e->timer, .kind = EV_TIMER, .side = (uint8_t)side, .connection = c});
}

static void grow(struct end *e, enum tcp_table table)
{
    uint32_t entries = 2 * tcp_table_entries(e->t, table);
    void *old, *memory;
    entries = entries ? entries : 4096;
    memory = malloc(tcp_table_octets(e->t, table, entries));
    law(tcp_table_move(e->t, table, memory, entries, &old) == IW_OK, "table %d cannot move", table);
    free(old);
    e->table[table] = memory;
}

static void transmit(struct tcp_link *l, uint32_t c, int side)
{
    struct end *e = &l->end[c][side];
    struct ip_packet p = {.connection = c, .direction = (uint8_t)side, .octets = l->octets};
    if (e->busy <= l->now) {
        tcp_credit(e->t, l->now, e->consumed + e->window, false);
        if (l->user.pull)
            l->user.pull(l->user.user, l, c, side, l->now);
        if (tcp_transmit(e->t, l->now, &p)) {
            if (tcp_table_used(e->t, TCP_REPEATS) >= tcp_table_entries(e->t, TCP_REPEATS))
                grow(e, TCP_REPEATS);
            law(p.head <= tcp_packet_max(e->t) && p.size <= e->mtu, "packet of %u octets", p.size);
            show(l, side, &p, "sends");
            watch(l, c, side, &p);
            e->busy = l->now + serialization(l, p.size);
            push(l, (struct event){.at = e->busy, .kind = EV_FREE, .side = (uint8_t)side, .connection = c});
            depart(l, c, side, &p, e->busy);
        }
    }
    events(l, c, side);
    timer(l, c, side);
}

void tcp_link_kick(struct tcp_link *l, uint32_t c, int side)
{
    transmit(l, c, side);
}

static void check_payload(uint32_t c, int side, const struct tcp_segment *s)
{
    for (uint32_t i = 0; s->octets && i < s->len; i++)
        law(s->octets[i] == tcp_link_octet(c, !side, s->offset + i), "octet %llu of side %d changed",
            (unsigned long long)(s->offset + i), !side);
    if (s->octets || !s->note_len)
        return;
    uint64_t start = s->offset - s->before;
    law(s->note_len == 8 && !memcmp(s->note, &start, 8), "note of offset %llu",
        (unsigned long long)s->offset);
}

static void arrive(struct tcp_link *l, uint32_t c, int side, const struct ip_packet *p)
{
    struct end *e = &l->end[c][side];
    struct tcp_segment s;
    show(l, side, p, "hears");
    enum tcp_verdict verdict = tcp_peek(e->t, p, &s);
    bool was = verdict == TCP_TAKEN;
    if (verdict == TCP_TAKEN && l->user.take && !l->user.take(l->user.user, l, c, side, l->now, &s)) {
        e->count.refused++;
        law_trace("%llu side %d: refused", (unsigned long long)l->now / 1000, side);
        return;
    }
    uint64_t before = tcp_received(e->t);
    bool had = was && tcp_has(e->t, s.offset, s.len);
    law(!had, "segment at %llu taken twice", (unsigned long long)s.offset);
    verdict = tcp_accept(e->t, l->now, p, &s);
    law(was == (verdict == TCP_TAKEN), "peek and accept differ");
    if (verdict == TCP_REFUSED)
        e->count.refused++;
    if (verdict == TCP_TAKEN) {
        law(tcp_has(e->t, s.offset, s.len), "taken, and not here");
        check_payload(c, side, &s);
    }
    law(tcp_received(e->t) >= before, "what arrived went back");
    if (tcp_table_used(e->t, TCP_RANGES) == tcp_table_entries(e->t, TCP_RANGES) && !l->conf.small_ranges)
        grow(e, TCP_RANGES);
    e->count.octets = tcp_received(e->t);
    e->consumed = tcp_received(e->t);
    transmit(l, c, side);
}

/* ---- the whole ---- */

bool tcp_link_step(struct tcp_link *l)
{
    if (!l->events)
        return false;
    struct event *e = pop(l);
    law(e->at >= l->now, "time went back");
    l->now = e->at;
    if (e->kind == EV_ARRIVE) {
        arrive(l, e->connection, e->side, &e->packet);
        free(e->packet.octets);
    } else if (e->kind == EV_QUEUE) {
        queued(l, e->connection, e->side, &e->packet);
        free(e->packet.octets);
    } else {
        if (e->kind == EV_TIMER) {
            l->end[e->connection][e->side].timer = IW_NEVER;
            tcp_expire(l->end[e->connection][e->side].t, l->now);
        }
        transmit(l, e->connection, e->side);
    }
    free(e);
    return true;
}

void tcp_link_run(struct tcp_link *l, iw_time at)
{
    while (l->events && l->heap[0]->at <= at)
        tcp_link_step(l);
}

static void end_new(struct tcp_link *l, uint32_t c, int side)
{
    struct end *e = &l->end[c][side];
    struct tcp_conf conf = l->conf.end[side];
    conf.local_address = 0x0a000001u + (uint32_t)side;
    conf.remote_address = 0x0a000002u - (uint32_t)side;
    if (!conf.local_port)
        conf.local_port = (uint16_t)(1024 + 2 * c + (uint32_t)side);
    if (!conf.remote_port)
        conf.remote_port = (uint16_t)(1024 + 2 * c + (uint32_t)!side);
    law(!tcp_conf_error(&conf), "%s", tcp_conf_error(&conf));
    e->t = tcp_init(malloc(tcp_size(&conf)), &conf);
    e->timer = IW_NEVER;
    e->window = 1 << 20;
    e->mtu = conf.mtu;
    channel_init(&e->channel, &l->conf.channel[side], l->conf.seed, 0, c, (uint32_t)side);
}

struct tcp_link *tcp_link_new(const struct tcp_link_conf *conf, const struct tcp_link_user *user)
{
    struct tcp_link *l = calloc(1, sizeof *l);
    l->conf = *conf;
    l->user = *user;
    l->end = calloc(conf->connections, sizeof *l->end);
    l->octets = malloc(65536);
    for (uint32_t c = 0; c < conf->connections; c++)
        for (int side = 0; side < 2; side++)
            end_new(l, c, side);
    return l;
}

void tcp_link_free(struct tcp_link *l)
{
    for (uint32_t c = 0; c < l->conf.connections; c++)
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < TCP_TABLES; k++)
                free(l->end[c][side].table[k]);
            free(l->end[c][side].t);
        }
    while (l->events) {
        struct event *e = pop(l);
        if (e->kind == EV_ARRIVE || e->kind == EV_QUEUE)
            free(e->packet.octets);
        free(e);
    }
    free(l->heap);
    free(l->end);
    free(l->octets);
    free(l);
}

struct tcp *tcp_link_end(struct tcp_link *l, uint32_t c, int side)
{
    return l->end[c][side].t;
}

const struct tcp_link_count *tcp_link_count(const struct tcp_link *l, uint32_t c, int side)
{
    return &l->end[c][side].count;
}

void tcp_link_window(struct tcp_link *l, uint32_t c, int side, uint64_t window)
{
    l->end[c][side].window = window;
}

void tcp_link_impair(struct tcp_link *l, bool on)
{
    l->impaired = on;
}

void tcp_link_lose(struct tcp_link *l, uint32_t c, int side, uint32_t packets)
{
    l->end[c][side].lose = packets;
}

void tcp_link_inject(struct tcp_link *l, uint32_t c, int side, const struct ip_packet *p)
{
    carry(l, EV_ARRIVE, c, side, p, l->now);
}

iw_time tcp_link_now(const struct tcp_link *l)
{
    return l->now;
}

bool tcp_link_connect(struct tcp_link *l, iw_time patience)
{
    l->impaired = l->conf.from_start;
    for (uint32_t c = 0; c < l->conf.connections; c++) {
        tcp_listen(l->end[c][1].t);
        tcp_connect(l->end[c][0].t, l->now);
        tcp_link_kick(l, c, 0);
    }
    for (uint32_t c = 0; c < l->conf.connections;) {
        if (l->end[c][0].up && l->end[c][1].up)
            c++;
        else if (l->now > patience || !tcp_link_step(l))
            return false;
    }
    l->impaired = true;
    return true;
}

/* ---- octets ---- */

uint8_t tcp_link_octet(uint32_t connection, int side, uint64_t offset)
{
    return (uint8_t)(offset * 31 + (offset >> 8) * 7 + connection + (uint64_t)side * 101);
}

bool tcp_link_append(struct tcp_link *l, uint32_t c, int side, uint32_t len)
{
    struct end *e = &l->end[c][side];
    static uint8_t octets[65536];
    uint64_t start = tcp_appended(e->t);
    bool notes = l->conf.end[side].note_max;
    for (uint32_t i = 0; i < len && !notes; i++)
        octets[i] = tcp_link_octet(c, side, start + i);
    for (;;) {
        struct iw_frag frag = {octets, len};
        int result =
            notes ? tcp_append_note(e->t, l->now, len, &start, 8) : tcp_append(e->t, l->now, &frag, 1);
        if (result == IW_OK)
            return true;
        if (result != IW_EFULL || tcp_table_entries(e->t, TCP_RECORDS) > 1 << 20)
            return false;
        if (tcp_table_used(e->t, TCP_RECORDS) + len / tcp_mss(e->t) + 3 >
            tcp_table_entries(e->t, TCP_RECORDS))
            grow(e, TCP_RECORDS);
        else
            grow(e, notes ? TCP_RECORDS : TCP_STORE);
    }
}
