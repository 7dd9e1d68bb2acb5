/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "two_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "llp/packet.h"
#include "llp/tcp.h"
#include "node/node_inner.h"

enum { IDEAL_HEAD = LLP_IDEAL_HEAD, STREAMS_MAX = 64, PACKET_MAX = 65536, PORT = 4791 };
enum { DRAWS_OF_CUTS = 1 << 28 };
/* The head of an ideal packet, as llp_ideal.c draws it. */
enum { AT_ACKED = 4, AT_FLAGS = 16, FLAG_SAYS = 1, FLAG_NAMED = 2 };

/* Octets of the stream behind the head of the packet that brought them last. */
struct knife {
    struct ip_packet packet, waiting;
    bool has, waits;
    uint32_t start, len;
    uint64_t drawn;
    uint32_t number;
    uint8_t octets[PACKET_MAX], next[PACKET_MAX], piece[PACKET_MAX];
};

struct end {
    struct two_nodes *world;
    int side;
    struct node *node;
    uint32_t connection, stream;
    uint32_t up;
    bool mute;
    struct knife *knife;
};

struct block {
    struct block *next;
    max_align_t memory[];
};

struct two_nodes {
    struct two_nodes_conf conf;
    struct fabric *fabric;
    struct end end[2];
    struct tcp_conf tcp;
    two_nodes_listener *hear;
    void *user;
    uint16_t streams;
    struct block *block;
    const char *mistake;
};

/* ---- memory ---- */

static void *more(void *user, size_t octets)
{
    struct two_nodes *t = user;
    if (t->conf.memory.more)
        return t->conf.memory.more(t->conf.memory.user, octets);
    struct block *b = malloc(sizeof *b + octets);
    if (!b)
        return NULL;
    b->next = t->block;
    t->block = b;
    return b->memory;
}

static void free_blocks(struct two_nodes *t)
{
    for (struct block *b; (b = t->block);) {
        t->block = b->next;
        free(b);
    }
}

/* ---- the middlebox ---- */

static uint32_t offset_of(const struct ip_packet *p)
{
    uint32_t offset;
    iw_get32(p->octets, &offset);
    return offset;
}

static uint32_t data_of(const struct ip_packet *p)
{
    return p->size - IP_HEAD - IDEAL_HEAD;
}

/* A name says that one packet came; of a piece it would say more than is true. */
static void hide_name(const struct ip_packet *p)
{
    p->octets[AT_FLAGS] &= (uint8_t)~FLAG_NAMED;
}

static bool listen_for_next(struct end *e, iw_time now)
{
    struct knife *k = e->knife;
    if (k->waits)
        return true;
    k->waits = node_transmit(e->node, now, &k->waiting);
    if (!k->waits)
        return false;
    memcpy(k->next, k->waiting.octets, k->waiting.head);
    k->waiting.octets = k->next;
    hide_name(&k->waiting);
    return true;
}

static bool take(struct end *e, iw_time now)
{
    struct knife *k = e->knife;
    if (!listen_for_next(e, now))
        return false;
    k->waits = false;
    k->packet = k->waiting;
    memcpy(k->octets, k->next, k->waiting.head);
    k->start = offset_of(&k->waiting);
    k->len = data_of(&k->waiting);
    return k->has = true;
}

/* What follows in the stream, behind what is there. */
static bool join(struct end *e, iw_time now)
{
    struct knife *k = e->knife;
    if (!listen_for_next(e, now))
        return false;
    uint32_t len = data_of(&k->waiting);
    bool follows = len && offset_of(&k->waiting) == k->start + k->len;
    if (!follows || IDEAL_HEAD + k->len + len > PACKET_MAX)
        return false;
    uint8_t said = k->octets[AT_FLAGS] & FLAG_SAYS;
    memcpy(k->octets + IDEAL_HEAD + k->len, k->next + IDEAL_HEAD, len);
    memcpy(k->octets + AT_ACKED, k->next + AT_ACKED, IDEAL_HEAD - AT_ACKED);
    k->octets[AT_FLAGS] |= said;
    k->len += len;
    k->waits = false;
    return true;
}

static void cut_off(struct knife *k, uint32_t len, struct ip_packet *out)
{
    memcpy(k->piece, k->octets, IDEAL_HEAD);
    iw_put32(k->piece, k->start);
    memcpy(k->piece + IDEAL_HEAD, k->octets + IDEAL_HEAD, len);
    memmove(k->octets + IDEAL_HEAD, k->octets + IDEAL_HEAD + len, k->len - len);
    k->start += len;
    k->len -= len;
    k->has = k->len > 0;
    *out = k->packet;
    out->size = IP_HEAD + IDEAL_HEAD + len;
    out->head = (uint16_t)(IDEAL_HEAD + len);
    out->octets = k->piece;
}

static bool cut_transmit(struct end *e, iw_time now, struct ip_packet *out)
{
    struct knife *k = e->knife;
    if (!k->has && !take(e, now))
        return false;
    uint64_t key = e->world->conf.fabric.seed ^ (DRAWS_OF_CUTS + (unsigned)e->side);
    uint32_t len = k->len ? 1 + (uint32_t)(channel_draw(key, k->drawn++) % e->world->conf.cut) : 0;
    while (k->len < len && join(e, now))
        ;
    cut_off(k, k->len < len ? k->len : len, out);
    out->number = k->number++;
    return true;
}

/* ---- hosts of the packet world: it stops after each call, so that a step is one thing ---- */

/* What the fabric would say, were it not told to stop. */
static void check_packet(struct two_nodes *t, const struct ip_packet *p)
{
    if (p->size > t->conf.fabric.mtu)
        t->mistake = "a packet larger than the MTU";
    if (p->size < IP_HEAD || p->head > p->size - IP_HEAD)
        t->mistake = "a packet with more octets than its size";
}

static bool transmit(void *host, iw_time now, struct ip_packet *out)
{
    struct end *e = host;
    bool some = e->knife ? cut_transmit(e, now, out) : node_transmit(e->node, now, out);
    if (some)
        check_packet(e->world, out);
    fabric_stop(e->world->fabric);
    return some;
}

static void arrive(void *host, iw_time now, const struct ip_packet *in)
{
    struct end *e = host;
    if (!e->world->end[!e->side].mute)
        node_arrive(e->node, now, e->connection, in);
    fabric_stop(e->world->fabric);
}

static iw_time deadline(const void *host)
{
    return node_deadline(((const struct end *)host)->node);
}

static void expire(void *host, iw_time now)
{
    struct end *e = host;
    node_expire(e->node, now);
    fabric_stop(e->world->fabric);
}

static const struct fabric_host table = {transmit, arrive, deadline, expire};

static void hear(void *user, const struct node_event *event)
{
    struct end *e = user;
    e->up += event->kind == NODE_UP;
    if (e->world->hear)
        e->world->hear(e->world->user, e->side, event);
}

/* ---- making ---- */

static const char *make_network(struct two_nodes *t)
{
    struct fabric_conf *c = &t->conf.fabric;
    c->kind = FABRIC_LINK;
    c->connections = 1;
    c->packet_head = t->conf.llp == &llp_packet ? (uint32_t)PACKET_HEAD : (uint32_t)IDEAL_HEAD;
    c->user = t;
    c->more = more;
    const char *why = fabric_conf_error(c);
    if (why)
        return why;
    void *block = more(t, fabric_size(c));
    t->fabric = block ? fabric_init(block, c) : NULL;
    if (!t->fabric)
        return "no memory for the network";
    for (uint32_t side = 0; side < 2; side++)
        fabric_attach(t->fabric, side, &table, &t->end[side]);
    fabric_connect(t->fabric, 0, 0, 1);
    return NULL;
}

static struct llp_conf llp_conf_of(struct two_nodes *t, int side)
{
    struct llp_conf c = t->conf.conf[side];
    bool sctp = t->conf.llp->protocol == IP_PROTOCOL_SCTP;
    uint16_t port[2] = {sctp ? PORT : PORT + 1, PORT};
    c.initiator = side == 0;
    c.streams = t->streams;
    c.mtu = t->conf.fabric.mtu;
    c.source = 0x0a000001u + (unsigned)side;
    c.destination = 0x0a000002u - (unsigned)side;
    c.local_port = port[side];
    c.remote_port = port[!side];
    c.tcp = c.tcp ? c.tcp : &t->tcp;
    return c;
}

static const char *make_node(struct two_nodes *t, int side)
{
    struct end *e = &t->end[side];
    struct node_conf *n = &t->conf.node[side];
    uint64_t user[STREAMS_MAX];
    const char *why;
    n->streams = t->streams;
    n->connections = 1;
    n->line_rate = t->conf.fabric.rate;
    n->mtu = t->conf.fabric.mtu;
    n->memory = (struct llp_memory){more, t};
    n->listener = hear;
    n->unheard = (t->hear ? t->conf.unheard : UINT32_MAX) & ~(1u << NODE_UP);
    n->user = e;
    if ((why = node_conf_error(n)))
        return why;
    void *block = more(t, node_size(n));
    e->node = block ? node_init(block, n) : NULL;
    if (!e->node)
        return "no memory for a node";
    for (uint64_t i = 0; i < t->streams; i++)
        user[i] = i;
    struct node_connection_conf c = {
        .llp = t->conf.llp, .conf = llp_conf_of(t, side), .ep = t->conf.ep[side], .user = user};
    return node_connect(e->node, &c, &e->connection, &e->stream, &why) == IW_OK ? NULL : why;
}

static const char *make_knife(struct two_nodes *t, int side)
{
    if (!t->conf.cut)
        return NULL;
    if (t->conf.llp != &llp_ideal || !t->conf.conf[side].real)
        return "only octets of the ideal stream can be cut anew";
    if (t->conf.cut > t->conf.fabric.mtu - IP_HEAD - IDEAL_HEAD)
        return "pieces larger than a packet";
    t->end[side].knife = more(t, sizeof(struct knife));
    if (!t->end[side].knife)
        return "no memory for a middlebox";
    memset(t->end[side].knife, 0, sizeof(struct knife));
    return NULL;
}

static const char *make(struct two_nodes *t)
{
    const char *why = make_network(t);
    for (int side = 0; !why && side < 2; side++) {
        t->end[side] = (struct end){.world = t, .side = side};
        why = make_knife(t, side);
        why = why ? why : make_node(t, side);
    }
    return why;
}

struct two_nodes *two_nodes_new(const struct two_nodes_conf *conf, two_nodes_listener *listener, void *user,
                                const char **why)
{
    bool own = conf->memory.more;
    struct two_nodes *t = own ? conf->memory.more(conf->memory.user, sizeof *t) : malloc(sizeof *t);
    *why = "no memory";
    if (!t)
        return NULL;
    *t = (struct two_nodes){.conf = *conf, .hear = listener, .user = user, .streams = conf->conf[0].streams};
    t->streams = t->streams ? t->streams : 1;
    tcp_defaults(&t->tcp);
    if ((*why = make(t))) {
        two_nodes_free(t);
        return NULL;
    }
    if (conf->from_start)
        fabric_impair(t->fabric);
    for (int side = 1; side >= 0; side--) {
        node_open(t->end[side].node, 0, t->end[side].connection);
        fabric_kick(t->fabric, (uint32_t)side);
    }
    return t;
}

void two_nodes_free(struct two_nodes *t)
{
    if (t->conf.memory.more)
        return;
    free_blocks(t);
    free(t);
}

bool two_nodes_connect(struct two_nodes *t, iw_time limit)
{
    while (t->end[0].up < t->streams || t->end[1].up < t->streams)
        if (two_nodes_deadline(t) > limit || !two_nodes_step(t))
            return false;
    fabric_impair(t->fabric);
    return true;
}

/* ---- looking on ---- */

struct node *two_nodes_node(struct two_nodes *t, int side)
{
    return t->end[side].node;
}

struct fabric *two_nodes_fabric(struct two_nodes *t)
{
    return t->fabric;
}

struct iw_ep *two_nodes_endpoint(struct two_nodes *t, int side, uint16_t stream)
{
    return node_endpoint(t->end[side].node, t->end[side].stream + stream);
}

const struct llp *two_nodes_llp(struct two_nodes *t, int side, void **l)
{
    return node_llp(t->end[side].node, t->end[side].connection, l);
}

iw_time two_nodes_now(const struct two_nodes *t)
{
    return fabric_now(t->fabric);
}

uint64_t two_nodes_under_way(struct two_nodes *t, int side)
{
    return t->end[side].node->cells.taken;
}

/* ---- what the ULP does ---- */

static void kick(struct two_nodes *t, int side)
{
    fabric_kick(t->fabric, (uint32_t)side);
}

/* What was refused has no effect. */
static int kicked(struct two_nodes *t, int side, int result)
{
    if (result == IW_OK)
        kick(t, side);
    return result;
}

int two_nodes_post(struct two_nodes *t, int side, uint16_t stream, const struct iw_work *work)
{
    int result = node_post(t->end[side].node, two_nodes_now(t), t->end[side].stream + stream, work);
    return kicked(t, side, result);
}

int two_nodes_close(struct two_nodes *t, int side, uint16_t stream, enum iw_close_how how)
{
    int result = node_close(t->end[side].node, two_nodes_now(t), t->end[side].stream + stream, how);
    return kicked(t, side, result);
}

int two_nodes_terminate(struct two_nodes *t, int side, uint16_t stream, int term)
{
    int result = node_terminate(t->end[side].node, two_nodes_now(t), t->end[side].stream + stream, term);
    return kicked(t, side, result);
}

int two_nodes_inject(struct two_nodes *t, int side, uint16_t stream, enum llp_wrong how, const uint8_t *ulpdu,
                     uint32_t len)
{
    struct end *e = &t->end[side];
    int result = node_inject(e->node, two_nodes_now(t), e->stream + stream, how, ulpdu, len);
    return kicked(t, side, result);
}

void two_nodes_lose(struct two_nodes *t)
{
    for (int side = 0; side < 2; side++) {
        node_lose(t->end[side].node, two_nodes_now(t), t->end[side].connection);
        kick(t, side);
    }
}

void two_nodes_cut_wire(struct two_nodes *t, int side, bool on)
{
    t->end[side].mute = on;
}

/* ---- time ---- */

iw_time two_nodes_deadline(struct two_nodes *t)
{
    return fabric_deadline(t->fabric);
}

bool two_nodes_step(struct two_nodes *t)
{
    enum fabric_end end = fabric_run(t->fabric, IW_NEVER);
    return end == FABRIC_STOPPED || end == FABRIC_UNTIL;
}

void two_nodes_run(struct two_nodes *t, iw_time until)
{
    while (fabric_run(t->fabric, until) == FABRIC_STOPPED)
        ;
}

const char *two_nodes_error(const struct two_nodes *t)
{
    if (t->mistake)
        return t->mistake;
    bool refused = node_no_memory(t->end[0].node) || node_no_memory(t->end[1].node);
    return refused ? "memory was refused" : NULL;
}
