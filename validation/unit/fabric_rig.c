/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fabric_rig.h"

static void *grow(void *p, size_t n, size_t size)
{
    if (n & (n - 1)) /* a power of two, or nothing yet, is full */
        return p;
    p = realloc(p, (n ? 2 * n : 1) * size);
    assert_non_null(p);
    return p;
}

/* ---- toy hosts ---- */

static bool transmit(void *host, iw_time now, struct ip_packet *out)
{
    struct toy *t = host;
    if (t->given == t->offers || t->offer[t->given].at > now)
        return false;
    struct offer *o = &t->offer[t->given++];
    *out = (struct ip_packet){.size = o->size,
                              .connection = o->connection,
                              .direction = o->direction,
                              .protocol = o->protocol,
                              .ecn = o->ecn,
                              .head = o->head,
                              .entropy = o->entropy,
                              .number = o->number,
                              .octets = o->octets};
    return true;
}

static void arrive(void *host, iw_time now, const struct ip_packet *in)
{
    struct toy *t = host;
    struct net *r = t->rig;
    r->seen = grow(r->seen, r->seens, sizeof *r->seen);
    struct seen *s = &r->seen[r->seens++];
    memset(s, 0, sizeof *s);
    s->at = now;
    s->host = t->self;
    s->connection = in->connection;
    s->number = in->number;
    s->size = in->size;
    s->direction = in->direction;
    s->ecn = in->ecn;
    s->port = in->port;
    s->altered = in->altered;
    s->trimmed = in->trimmed;
    s->head = in->head;
    assert_true(in->head <= sizeof s->octets);
    if (in->head)
        memcpy(s->octets, in->octets, in->head);
}

static iw_time deadline(const void *host)
{
    const struct toy *t = host;
    if (t->overdue)
        return 0;
    if (t->given == t->offers)
        return IW_NEVER;
    return t->offer[t->given].at > fabric_now(t->rig->f) ? t->offer[t->given].at : IW_NEVER;
}

static void expire(void *host, iw_time now)
{
    struct toy *t = host;
    t->expired = now;
    t->overdue = false;
}

static const struct fabric_host toys = {transmit, arrive, deadline, expire};

/* ---- what the world calls ---- */

static void *more(void *user, size_t octets)
{
    struct net *r = user;
    if (r->refuse && r->chunks >= r->refuse)
        return NULL;
    r->chunk = grow(r->chunk, r->chunks, sizeof *r->chunk);
    return r->chunk[r->chunks++] = malloc(octets);
}

static void event(void *user, const struct fabric_event *e)
{
    struct net *r = user;
    r->told = grow(r->told, r->tolds, sizeof *r->told);
    struct told *t = &r->told[r->tolds++];
    memset(t, 0, sizeof *t);
    t->kind = e->kind;
    t->at = e->at;
    t->extra = e->extra;
    t->link = e->link;
    t->waiting = e->waiting;
    if (e->packet) {
        t->connection = e->packet->connection;
        t->number = e->packet->number;
        t->size = e->packet->size;
    }
}

static void tap(void *user, uint32_t link, enum fabric_side side, iw_time at, const struct ip_packet *packet)
{
    struct net *r = user;
    r->taps = grow(r->taps, r->tappeds, sizeof *r->taps);
    r->taps[r->tappeds++] = (struct tapped){link, packet->connection, packet->number, side, at, packet->ecn};
}

static void timer(void *user, iw_time now, uint32_t number)
{
    struct net *r = user;
    r->fired = grow(r->fired, r->fires, sizeof *r->fired);
    r->fired[r->fires++] = (struct fired){now, number};
    if (r->on_timer)
        r->on_timer(r, now, number);
}

/* ---- the rig ---- */

struct fabric_conf fabric_conf_of(enum fabric_kind kind)
{
    return (struct fabric_conf){.kind = kind,
                                .hosts = 8,
                                .fat_tree = {4, 1},
                                .dragonfly = {5, 2, 2, 2},
                                .planes = {2, 4},
                                .rate = 100 * GBPS,
                                .delay = US,
                                .mtu = 9000,
                                .adaptive = {1, FABRIC_NOT_STICKY},
                                .buffer = 1 << 20,
                                .data = true,
                                .acks = true,
                                .seed = 1,
                                .connections = 16};
}

struct net *net_make(const struct fabric_conf *conf)
{
    struct net *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->conf = *conf;
    r->conf.user = r;
    r->conf.more = more;
    r->conf.event = event;
    r->conf.tap = tap;
    r->conf.timer = timer;
    const char *wrong = fabric_conf_error(&r->conf);
    if (wrong)
        fail_msg("%s", wrong);
    r->memory = malloc(fabric_size(&r->conf));
    r->f = fabric_init(r->memory, &r->conf);
    assert_non_null(r->f);
    r->toy = calloc(fabric_hosts(r->f), sizeof *r->toy);
    r->ends = calloc(conf->connections, sizeof *r->ends);
    for (uint32_t h = 0; h < fabric_hosts(r->f); h++) {
        r->toy[h].rig = r;
        r->toy[h].self = h;
        fabric_attach(r->f, h, &toys, &r->toy[h]);
    }
    return r;
}

void net_free(struct net *r)
{
    for (uint32_t h = 0; h < fabric_hosts(r->f); h++)
        free(r->toy[h].offer);
    for (size_t i = 0; i < r->chunks; i++)
        free(r->chunk[i]);
    free(r->chunk);
    free(r->toy);
    free(r->ends);
    free(r->seen);
    free(r->told);
    free(r->taps);
    free(r->fired);
    free(r->memory);
    free(r);
}

void net_connect(struct net *r, uint32_t connection, uint32_t from, uint32_t to)
{
    assert_int_equal(fabric_connect(r->f, connection, from, to), 0);
    r->ends[connection].from = from;
    r->ends[connection].to = to;
}

struct offer *net_offer(struct net *r, iw_time at, uint32_t connection, uint8_t direction, uint32_t size)
{
    struct ends *e = &r->ends[connection];
    struct toy *t = &r->toy[direction ? e->to : e->from];
    t->offer = grow(t->offer, t->offers, sizeof *t->offer);
    struct offer *o = &t->offer[t->offers++];
    *o = (struct offer){.at = at,
                        .connection = connection,
                        .size = size,
                        .number = e->numbers[direction]++,
                        .direction = direction,
                        .protocol = IP_PROTOCOL_TCP,
                        .ecn = IP_ECT_0};
    return o;
}

enum fabric_end net_run(struct net *r)
{
    for (uint32_t h = 0; h < fabric_hosts(r->f); h++)
        fabric_kick(r->f, h);
    return fabric_run(r->f, IW_NEVER);
}

size_t net_count(const struct net *r, enum fabric_event_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < r->tolds; i++)
        n += r->told[i].kind == kind;
    return n;
}

void assert_conserved(const struct fabric *f)
{
    struct fabric_counts c = fabric_counts(f);
    assert_int_equal(c.sent + c.duplicated, c.delivered + c.dropped + c.lost + c.failed + c.in_flight);
}
