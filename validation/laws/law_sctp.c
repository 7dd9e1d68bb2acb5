/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law_sctp.c -- SCTP under loss, reordering, duplication and corruption: each of the four classes keeps its
 * promise, DDP streams share an association and harm one another in nothing, DDPP's ordering rules hold for
 * every event. */
#include <string.h>

#include "law.h"
#include "llp/sctp_ddp.h"
#include "node/ddpp_host.h"
#include "validation/support/sctp_link.h"
#include "validation/support/two_nodes.h"

#define US   ((iw_time)1000000)
#define HOUR (3600000000u * US)
enum { STREAMS_MAX = 4, MESSAGES_MAX = 200 };

/* ---- what a seed draws ---- */

static struct channel_conf draw_channel(struct draw *d)
{
    static const double rates[] = {0, 0, 0.01, 0.05, 0.2};
    struct channel_conf c = {.loss = rates[draw_below(d, 5)],
                             .corrupt = rates[draw_below(d, 4)],
                             .duplicate = rates[draw_below(d, 4)]};
    c.reorder.probability = rates[draw_below(d, 5)];
    c.reorder.delay = draw_from(d, 1, 40) * US;
    c.jitter = draw_chance(d, 20) ? draw_from(d, 1, 5) * US : 0;
    return c;
}

static struct sctp_link_conf draw_link(struct draw *d, uint64_t seed)
{
    struct sctp_link_conf l = {
        .rate = 10000000000, .delay = draw_from(d, 1, 20) * US, .framing = 58, .seed = seed, .flights = 1024};
    bool headers = draw_chance(d, 30);
    uint32_t mtu = 4 * draw_from(d, 576 / 4, 2000 / 4);
    l.channel = draw_channel(d);
    for (int i = 0; i < 2; i++) {
        struct sctp_conf *c = &l.end[i];
        sctp_defaults(c);
        c->local_port = (uint16_t)(100 + i);
        c->remote_port = (uint16_t)(101 - i);
        c->mtu = mtu;
        c->streams = (uint16_t)draw_from(d, 1, STREAMS_MAX);
        c->chunks = (uint16_t)(64u << draw_below(d, 3));
        c->head_max = headers ? SCTP_DDP_HEAD_MAX : 0;
        c->store = draw_chance(d, 30) ? 3 * mtu : 64 * mtu;
        c->hold = (uint16_t)draw_below(d, 80);
        c->rwnd = mtu * draw_from(d, 2, 100);
        c->secret[0] = draw_bits(d); /* TSNs begin anywhere */
        c->rto_min = draw_from(d, 20, 200) * US;
        c->rto_initial = 1000 * US;
        c->sack_delay = draw_from(d, 1, 20) * US;
        c->sack_every = draw_from(d, 1, 4);
        c->burst = draw_below(d, 6);
        c->retries = 100; /* one in five is lost: patience is not what is tested */
        c->init_retries = 100;
        c->heartbeat = draw_chance(d, 30) ? 500 * US : 0;
    }
    return l;
}

/* ---- the four classes, both ways at once ---- */

struct way {
    struct draw lot;
    uint32_t total, sent, got;
    uint32_t len[MESSAGES_MAX];
    uint8_t stream[MESSAGES_MAX];
    bool ordered[MESSAGES_MAX], reliable[MESSAGES_MAX], seen[MESSAGES_MAX];
    int last[STREAMS_MAX]; /* ordered message that came last */
};

struct talk {
    struct sctp_link *link;
    struct way way[2]; /* by sender */
    struct draw lot;
    uint16_t streams;
    bool refuses;
    bool slow;                  /* what came is read later, and a_rwnd counts it until then */
    uint32_t window, unread[2]; /* octets; by receiver */
    iw_time reads_at[2];        /* IW_NEVER: nothing to read */
};

static struct talk talk;

static uint8_t octet_of(uint32_t number, uint32_t i)
{
    return (uint8_t)(number * 31 + i);
}

static bool talk_take(void *user, int side, iw_time now, const struct sctp_in *in)
{
    struct talk *t = user;
    struct way *w = &t->way[!side];
    uint32_t n = in->ppid;
    (void)now;
    law(n < w->total, "message %u was never sent", n);
    law(in->stream == w->stream[n] && in->len == w->len[n] && in->unordered == !w->ordered[n],
        "message %u changed", n);
    law(!w->seen[n], "message %u came twice", n);
    for (uint32_t i = 0; i < in->kept; i++)
        law(in->octets[i] == octet_of(n, i), "octet %u of message %u changed", i, n);
    if (in->fresh && t->refuses && draw_chance(&t->lot, 10)) {
        law_trace("side %d refuses %u", side, n);
        return false;
    }
    law(!w->ordered[n] || (int)n > w->last[in->stream], "message %u overtaken by %d", n, w->last[in->stream]);
    if (w->ordered[n])
        w->last[in->stream] = (int)n;
    w->seen[n] = true;
    w->got++;
    t->unread[side] += in->len;
    law_trace("side %d: message %u, TSN %u", side, n, in->tsn);
    return true;
}

static void talk_pull(void *user, int side, iw_time now)
{
    struct talk *t = user;
    struct way *w = &t->way[side];
    static uint8_t octets[2048];
    for (; w->sent < w->total; w->sent++) {
        uint32_t n = w->sent;
        struct iw_frag frag = {octets, w->len[n]};
        struct sctp_out out = {.ppid = n,
                               .stream = w->stream[n],
                               .unordered = !w->ordered[n],
                               .retransmits = w->reliable[n] ? SCTP_RELIABLE : (uint8_t)(n % 3),
                               .frags = 1,
                               .frag = &frag};
        for (uint32_t i = 0; i < w->len[n]; i++)
            octets[i] = octet_of(n, i);
        if (sctp_send(sctp_link_end(t->link, side), now, &out) != IW_OK)
            return;
    }
}

/* A slow reader: now and then it reads some of what is there. The window is what is left of it. */
static void talk_read(void *user, int side, iw_time now)
{
    struct talk *t = user;
    if (!t->slow)
        return;
    if (t->reads_at[side] <= now) {
        t->unread[side] -= draw_from(&t->lot, 1, t->unread[side]);
        t->reads_at[side] = IW_NEVER;
    }
    if (t->unread[side] && t->reads_at[side] == IW_NEVER)
        t->reads_at[side] = now + draw_from(&t->lot, 1, draw_chance(&t->lot, 10) ? 5000 : 50) * US;
    sctp_credit(sctp_link_end(t->link, side), now,
                t->unread[side] < t->window ? t->window - t->unread[side] : 0);
}

static iw_time talk_reads_at(void *user, int side)
{
    struct talk *t = user;
    return t->reads_at[side];
}

static void draw_way(struct draw *d, struct way *w, uint16_t streams, uint32_t most)
{
    *w = (struct way){.lot = *d, .total = draw_from(d, 1, MESSAGES_MAX)};
    unsigned class = draw_below(d, 5); /* 4: mixed */
    for (uint32_t i = 0; i < w->total; i++) {
        unsigned own = class < 4 ? class : draw_below(d, 4);
        w->ordered[i] = own & 1;
        w->reliable[i] = own & 2;
        w->stream[i] = (uint8_t)draw_below(d, streams);
        w->len[i] = draw_chance(d, 50) ? most : draw_from(d, 1, most);
    }
    for (int i = 0; i < STREAMS_MAX; i++)
        w->last[i] = -1;
}

static bool talk_is_over(struct talk *t)
{
    for (int side = 0; side < 2; side++) {
        const struct sctp_stats *s = sctp_statistics(sctp_link_end(t->link, side));
        if (t->way[side].sent < t->way[side].total || s->outstanding ||
            sctp_unsent(sctp_link_end(t->link, side)))
            return false;
    }
    return true;
}

static void step(struct sctp_link *link, iw_time limit)
{
    bool more = sctp_link_step(link);
    law(more && sctp_link_now(link) < limit, "nothing happens any more at %llu us",
        (unsigned long long)(sctp_link_now(link) / US));
}

/* checks: CORE-3.1-1 CORE-3.1-2 CORE-3.2-1 CORE-3.3-1 CORE-3.3-2 DDP-3-4 */
static void each_class_keeps_its_promise(uint64_t seed)
{
    struct draw d = draw_start(seed, 0x5c7);
    struct sctp_link_conf conf = draw_link(&d, seed);
    struct sctp_link_user user = {
        .user = &talk, .take = talk_take, .pull = talk_pull, .changed = talk_read, .deadline = talk_reads_at};
    talk = (struct talk){
        .lot = draw_start(seed, 1), .refuses = draw_chance(&d, 30), .slow = draw_chance(&d, 30)};
    talk.reads_at[0] = talk.reads_at[1] = IW_NEVER;
    if (talk.slow)
        conf.end[0].rwnd = conf.end[1].rwnd = conf.end[0].mtu * draw_from(&d, 1, 6);
    talk.window = conf.end[0].rwnd;
    law(!sctp_link_conf_error(&conf), "%s", sctp_link_conf_error(&conf));
    talk.link = sctp_link_init(law_memory(sctp_link_size(&conf)), &conf, &user);
    bool early = draw_chance(&d, 30); /* the handshake meets the channel too */
    for (int side = 0; side < 2; side++)
        sctp_link_impair(talk.link, side, early);
    law(sctp_link_connect(talk.link, 1000000 * 1000 * US), "no association");
    talk.streams = sctp_streams(sctp_link_end(talk.link, 0));
    law(talk.streams == sctp_streams(sctp_link_end(talk.link, 1)), "the ends disagree about streams");
    for (int side = 0; side < 2; side++) {
        draw_way(&d, &talk.way[side], talk.streams, conf.end[0].mtu - 28);
        sctp_link_impair(talk.link, side, true);
        sctp_link_kick(talk.link, side);
    }
    iw_time limit = HOUR;
    while (!talk_is_over(&talk))
        step(talk.link, limit);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < talk.way[side].total; i++)
            law(talk.way[side].seen[i] || !talk.way[side].reliable[i], "message %u of side %d is lost", i,
                side);
    sctp_shutdown(sctp_link_end(talk.link, 0), sctp_link_now(talk.link));
    sctp_link_kick(talk.link, 0);
    while (sctp_state(sctp_link_end(talk.link, 0)) || sctp_state(sctp_link_end(talk.link, 1)))
        step(talk.link, limit);
}

/* ---- DDP streams ---- */

enum { SHARE = 30000, PD = 1 };

struct streams {
    struct two_nodes *nodes;
    struct rnic_conf rnic[2];
    struct sctp_conf sctp[2];
    iw_stag stag[2];
    uint8_t *memory[2];
    uint32_t posted[STREAMS_MAX], done[STREAMS_MAX], received[STREAMS_MAX], delivered[STREAMS_MAX];
    uint64_t key[STREAMS_MAX];
    bool down[2][STREAMS_MAX];
    uint16_t ended; /* a stream that a wrong Write ends; STREAMS_MAX: none */
};
static struct streams streams;

static void on_stream(void *user, int side, const struct node_event *e)
{
    struct streams *s = user;
    uint16_t stream = (uint16_t)e->user;
    if (e->kind == NODE_FAULT)
        law(stream == s->ended, "stream %u failed: %05x", stream, (unsigned)e->term);
    if (e->kind == NODE_ENDPOINT)
        s->down[side][stream] |= e->event.kind == IW_EV_CLOSED;
    if (e->kind != NODE_DELIVERED || side != 1)
        return;
    law(e->message.key > s->key[stream] || !s->delivered[stream], "key %llu after %llu",
        (unsigned long long)e->message.key, (unsigned long long)s->key[stream]);
    s->key[stream] = e->message.key;
    s->delivered[stream]++;
    law_trace("stream %u: delivered up to key %llu", stream, (unsigned long long)e->message.key);
}

static void *more(void *user, size_t octets)
{
    (void)user;
    return law_memory(octets);
}

static void draw_receiver(struct rnic_conf *r, struct draw *d, uint32_t mtu)
{
    rnic_preset_load(r, &rnic_presets[draw_chance(d, 50) ? 0 : draw_below(d, rnic_presets_count)]);
    r->receive = draw_chance(d, 60) ? RNIC_PLACE : draw_chance(d, 50) ? RNIC_HOLD : RNIC_COPY;
    r->window.policy = r->receive == RNIC_COPY ? RNIC_BUFFER : RNIC_PLACED;
    r->window.bytes = (uint64_t)mtu * draw_from(d, 2, 100);
    r->hold_bytes = (uint64_t)mtu * draw_from(d, 1, 40);
    const char *error = rnic_conf_error(r, mtu, NULL);
    law(!error, "the adapter is refused: %s", error);
}

/* One in five is lost: patience is not what is tested. */
static void draw_patience(struct sctp_conf *c, struct draw *d)
{
    sctp_defaults(c);
    c->rto_initial = 1000 * US;
    c->burst = draw_below(d, 6);
    c->retries = 100;
    c->init_retries = 100;
    c->heartbeat = draw_chance(d, 30) ? 500 * US : 0;
}

static struct two_nodes_conf draw_nodes(struct streams *s, struct draw *d, uint64_t seed)
{
    struct two_nodes_conf c = {.llp = &llp_sctp, .from_start = draw_chance(d, 70), .memory = {more, NULL}};
    bool real = draw_chance(d, 70);
    uint16_t wanted = (uint16_t)draw_from(d, 1, STREAMS_MAX);
    uint64_t secret = draw_bits(d); /* TSNs begin anywhere */
    c.fabric = (struct fabric_conf){.rate = 10000000000,
                                    .delay = draw_from(d, 1, 20) * US,
                                    .mtu = 20 + 4 * draw_from(d, 580 / 4, 2000 / 4),
                                    .framing = 38,
                                    .channel = draw_channel(d),
                                    .data = true,
                                    .acks = true,
                                    .seed = seed};
    for (int i = 0; i < 2; i++) {
        draw_receiver(&s->rnic[i], d, c.fabric.mtu);
        draw_patience(&s->sctp[i], d);
        c.node[i] = (struct node_conf){
            .rnic = &s->rnic[i], .regions_max = 4, .cq_entries = 512, .stall_key = seed, .profile = 0};
        c.conf[i] = (struct llp_conf){.real = real,
                                      .window = s->rnic[i].window.bytes,
                                      .reorder = 64,
                                      .streams = wanted,
                                      .secret = secret,
                                      .crc = true,
                                      .ord = 4,
                                      .ird = 4,
                                      .delayed_ack_timeout = draw_from(d, 1, 20) * US,
                                      .min_rto = draw_from(d, 20, 200) * US,
                                      .delayed_ack = draw_from(d, 1, 4),
                                      .sctp = &s->sctp[i]};
        c.ep[i] = (struct iw_conf){.pd = PD,
                                   .stream = 1,
                                   .complete_on = draw_chance(d, 50) ? IW_ON_ACK : IW_ON_ACCEPT,
                                   .sq_max = 32,
                                   .rq_max = 32,
                                   .ord = 4,
                                   .ird = 4,
                                   .reorder_max = (uint16_t)draw_from(d, 2, 256),
                                   .linger = 1000000 * US};
    }
    return c;
}

/* A Write or a Send of part of the stream's share. */
static void post_one(struct streams *s, struct draw *d, uint16_t stream, uint32_t *at)
{
    uint32_t len = draw_from(d, 0, SHARE / 8);
    uint64_t to = (uint64_t)stream * SHARE + *at;
    enum iw_op op = draw_chance(d, 50) ? IW_WRITE : IW_SEND;
    struct iw_work recv = {.op = IW_RECV, .sges = 1, .sge = {{s->stag[1], len, to}}};
    struct iw_work work = {.op = op, .sges = 1, .sge = {{s->stag[0], len, to}}};
    if (op == IW_WRITE) {
        work.remote_stag = s->stag[1];
        work.remote_to = to;
    } else {
        law(two_nodes_post(s->nodes, 1, stream, &recv) == IW_OK, "no room for a receive");
    }
    *at += len;
    s->posted[stream]++;
    law(two_nodes_post(s->nodes, 0, stream, &work) == IW_OK, "no room for a request");
}

static void hear_streams(struct streams *s)
{
    struct iw_done done;
    for (int side = 0; side < 2; side++)
        while (node_poll(two_nodes_node(s->nodes, side), &done)) {
            if (done.user == s->ended)
                continue;
            law(done.status == IW_OK, "stream %u: status %d", (unsigned)done.user, done.status);
            s->done[done.user] += side == 0;
            s->received[done.user] += side == 1;
        }
}

static bool all_done(const struct streams *s, uint16_t n)
{
    for (uint16_t i = 0; i < n; i++)
        if (i != s->ended && (s->done[i] != s->posted[i] || s->delivered[i] != s->posted[i]))
            return false;
    return true;
}

static bool all_down(const struct streams *s, uint16_t n)
{
    for (uint16_t i = 0; i < n; i++)
        if (!s->down[0][i] || !s->down[1][i])
            return false;
    return true;
}

static void step_nodes(struct streams *s, iw_time limit)
{
    bool some = two_nodes_step(s->nodes);
    law(some && two_nodes_now(s->nodes) < limit, "nothing happens any more at %llu us",
        (unsigned long long)(two_nodes_now(s->nodes) / US));
    hear_streams(s);
}

static void open_streams(struct streams *s, const struct two_nodes_conf *conf, struct draw *d)
{
    const char *why;
    s->ended = STREAMS_MAX;
    s->nodes = two_nodes_new(conf, on_stream, s, &why);
    law(s->nodes, "%s", why);
    for (int side = 0; side < 2; side++) {
        s->memory[side] = law_memory(STREAMS_MAX * SHARE);
        for (uint32_t i = 0; i < STREAMS_MAX * SHARE; i++)
            s->memory[side][i] = side ? 0 : (uint8_t)draw_bits(d);
        struct iw_region region = {.base = conf->conf[0].real ? s->memory[side] : NULL,
                                   .len = STREAMS_MAX * SHARE,
                                   .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
                                   .pd = PD};
        iw_register(node_stags(two_nodes_node(s->nodes, side)), &region, &s->stag[side]);
    }
    law(two_nodes_connect(s->nodes, HOUR), "the sessions do not open");
}

/* Nothing is left in either node when nothing is under way. */
static void check_leftover(struct streams *s)
{
    law(!two_nodes_error(s->nodes), "%s", two_nodes_error(s->nodes));
    for (int side = 0; side < 2; side++) {
        const char *left = node_leftover(two_nodes_node(s->nodes, side));
        law(!left, "side %d: %s", side, left);
        law(!two_nodes_under_way(s->nodes, side), "side %d: cells are taken", side);
    }
}

/* One of the streams may end for a Write that is out of bounds; the others go on; then all close.
 * checks: DDP-3-4 DDP-3-8a DDP-3-10 RDMAP-7-1a RDMAP-7-2 SCTP-10-2 SCTP-11.3-3 */
static void streams_share_an_association(uint64_t seed)
{
    struct draw d = draw_start(seed, 0xddb);
    struct streams *s = &streams;
    *s = (struct streams){.ended = STREAMS_MAX};
    struct two_nodes_conf conf = draw_nodes(s, &d, seed);
    uint32_t at[STREAMS_MAX] = {0};
    uint16_t n = conf.conf[0].streams;
    open_streams(s, &conf, &d);
    for (uint32_t i = draw_from(&d, 1, 24); i; i--) {
        uint16_t stream = (uint16_t)draw_below(&d, n);
        if (s->posted[stream] < 7)
            post_one(s, &d, stream, &at[stream]);
    }
    if (n > 1 && draw_chance(&d, 30)) {
        struct iw_work wrong = {.op = IW_WRITE,
                                .sges = 1,
                                .sge = {{s->stag[0], 8, 0}},
                                .remote_stag = s->stag[1],
                                .remote_to = STREAMS_MAX * SHARE - 4};
        s->ended = (uint16_t)draw_below(&d, n);
        law(two_nodes_post(s->nodes, 0, s->ended, &wrong) == IW_OK, "no room");
    }
    iw_time limit = two_nodes_now(s->nodes) + HOUR;
    while (!all_done(s, n))
        step_nodes(s, limit);
    for (uint32_t i = 0; i < n * SHARE && conf.conf[0].real; i++)
        if (i / SHARE != s->ended)
            law(s->memory[1][i] == (i % SHARE < at[i / SHARE] ? s->memory[0][i] : 0), "octet %u of stream %u",
                i % SHARE, i / SHARE);
    for (uint16_t i = 0; i < n; i++)
        for (int side = 0; side < 2; side++)
            two_nodes_close(s->nodes, side, i, IW_CLOSE);
    while (!all_down(s, n))
        step_nodes(s, limit);
    while (two_nodes_deadline(s->nodes) < limit && two_nodes_step(s->nodes))
        hear_streams(s);
    check_leftover(s);
}

/* ---- DDPP core ---- */

enum { CELL = 2000, CELLS = 60 };

struct client {
    struct ddpp_host *host[2];
    struct fabric *fabric;
    struct ddpp_conf conf;
    struct draw lot;
    iw_stag stag;
    uint8_t *memory, *source;
    uint32_t total, next; /* client messages */
    bool undecorated[CELLS];
    uint32_t len[CELLS], seen[CELLS];
    int last;
    bool stored;
};
static struct client client;

static void client_more(void *user, iw_time now)
{
    struct client *c = user;
    uint32_t n = c->next;
    if (n == c->total)
        return;
    uint8_t text[4];
    iw_put32(text, n);
    struct ddpp_send what = {.stag = c->stag,
                             .offset = (uint64_t)n * CELL,
                             .len = c->len[n],
                             .notify = true,
                             .id = n,
                             .backwards = n & 1};
    int result = c->undecorated[n] ? ddpp_host_send_undecorated(c->host[0], now, text, 4)
                                   : ddpp_host_send(c->host[0], &what, c->source + n * CELL);
    c->next += result == IW_OK;
}

/* Everything of the message is there, if the class says so. */
static void check_cell(const struct client *c, uint32_t n)
{
    bool whole = c->conf.reliable && c->conf.ordered;
    for (uint32_t i = 0; i < c->len[n] && whole && c->stored; i++)
        law(c->memory[n * CELL + i] == c->source[n * CELL + i], "octet %u of message %u is not there", i, n);
}

static void client_told(void *user, iw_time now, const struct ddpp_event *e)
{
    struct client *c = user;
    uint32_t n = e->id;
    (void)now;
    if (!e->indication && c->stored) {
        iw_get32(e->octets, &n);
    } else if (!e->indication) {
        return;
    }
    law(n < c->total && c->undecorated[n] == !e->indication, "told of message %u", n);
    law(!c->seen[n]++, "told twice of message %u", n);
    law(!c->conf.ordered || (int)n > c->last, "message %u after %d", n, c->last);
    c->last = (int)n;
    law_trace("told of message %u", n);
    if (!c->conf.reliable || !c->conf.ordered)
        return;
    for (uint32_t i = 0; i <= n; i++) /* it stands for all before it (section 3.1) */
        if (!c->undecorated[i])
            check_cell(c, i);
}

/* ---- two hosts of the packet world ---- */

static bool host_transmits(void *host, iw_time now, struct ip_packet *out)
{
    return ddpp_host_transmit(*(struct ddpp_host **)host, now, out);
}

static void host_hears(void *host, iw_time now, const struct ip_packet *in)
{
    ddpp_host_arrive(*(struct ddpp_host **)host, now, in);
}

static iw_time host_deadline(const void *host)
{
    return ddpp_host_deadline(*(struct ddpp_host *const *)host);
}

static void host_expires(void *host, iw_time now)
{
    ddpp_host_expire(*(struct ddpp_host **)host, now);
}

static void make_network(struct client *c, const struct sctp_link_conf *l)
{
    static const struct fabric_host table = {host_transmits, host_hears, host_deadline, host_expires};
    struct fabric_conf conf = {.kind = FABRIC_LINK,
                               .rate = l->rate,
                               .delay = l->delay,
                               .mtu = IP_HEAD + l->end[0].mtu,
                               .framing = l->framing - IP_HEAD,
                               .channel = l->channel,
                               .data = true,
                               .acks = true,
                               .seed = l->seed,
                               .connections = 1,
                               .more = more};
    law(!fabric_conf_error(&conf), "%s", fabric_conf_error(&conf));
    c->fabric = fabric_init(law_memory(fabric_size(&conf)), &conf);
    for (uint32_t side = 0; side < 2; side++)
        fabric_attach(c->fabric, side, &table, &c->host[side]);
    fabric_connect(c->fabric, 0, 0, 1);
}

/* One instant. */
static void step_hosts(struct client *c, iw_time limit)
{
    iw_time next = fabric_deadline(c->fabric);
    law(next < limit, "nothing happens any more at %llu us",
        (unsigned long long)(fabric_now(c->fabric) / US));
    fabric_run(c->fabric, next);
    law(!fabric_mistake(c->fabric), "%s", fabric_mistake(c->fabric));
}

static void make_hosts(struct client *c, const struct sctp_link_conf *l)
{
    struct ddpp_host_user user = {.user = c, .more = client_more, .told = client_told};
    for (int side = 0; side < 2; side++) {
        struct ddpp_host_conf conf = {
            .client = side == 0, .sctp = l->end[side], .ddpp = c->conf, .regions_max = 1};
        conf.sctp.partial = !c->conf.reliable;
        law(!ddpp_host_conf_error(&conf), "%s", ddpp_host_conf_error(&conf));
        c->host[side] = ddpp_host_init(law_memory(ddpp_host_size(&conf)), &conf, &user);
    }
}

static void open_client(struct client *c, struct draw *d, uint64_t seed)
{
    struct sctp_link_conf link = draw_link(d, seed);
    *c = (struct client){.last = -1, .stored = !link.end[0].head_max};
    c->conf = (struct ddpp_conf){.pd = PD,
                                 .stream = 1,
                                 .reliable = draw_chance(d, 50),
                                 .ordered = draw_chance(d, 50),
                                 .remember = (uint16_t)(2u << draw_below(d, 8)),
                                 .keep = (uint16_t)draw_from(d, 1, 8)};
    c->total = draw_from(d, 1, CELLS);
    make_hosts(c, &link);
    make_network(c, &link);
    c->memory = law_memory(CELLS * CELL);
    c->source = law_memory(CELLS * CELL);
    memset(c->memory, 0, CELLS * CELL);
    for (uint32_t i = 0; i < CELLS * CELL; i++)
        c->source[i] = (uint8_t)(1 + i % 255);
    struct iw_region region = {
        .base = c->stored ? c->memory : NULL, .len = CELLS * CELL, .rights = IW_REMOTE_WRITE, .pd = PD};
    iw_register(ddpp_host_stags(c->host[1]), &region, &c->stag);
    for (uint32_t i = 0; i < c->total; i++) {
        c->undecorated[i] = draw_chance(d, 20);
        c->len[i] = c->undecorated[i] ? 0 : draw_from(d, 0, CELL);
    }
}

static bool is_up(const struct client *c)
{
    return ddpp_host_is_up(c->host[0]) && ddpp_host_is_up(c->host[1]);
}

/* checks: CORE-3-1 CORE-3-4 CORE-3.1-1 CORE-3.1-2 CORE-3.1-4 CORE-3.1-5 CORE-3.1-6 CORE-3.2-1 CORE-3.2-2
 * CORE-3.3-1 CORE-3.3-2 checks: CORE-3.3-3 CORE-3.3-4 */
static void ddpp_follows_its_rules(uint64_t seed)
{
    struct draw d = draw_start(seed, 0xdd99);
    struct client *c = &client;
    open_client(c, &d, seed);
    struct sctp *a = ddpp_host_sctp(c->host[0]);
    ddpp_host_open(c->host[0], 0);
    fabric_kick(c->fabric, 0);
    while (!is_up(c))
        step_hosts(c, HOUR);
    fabric_impair(c->fabric);
    while (c->next < c->total || !ddpp_host_is_idle(c->host[0]) || sctp_unsent(a) ||
           sctp_statistics(a)->outstanding)
        step_hosts(c, HOUR);
    for (uint32_t i = 0; i < c->total && c->conf.reliable; i++) {
        law(c->seen[i] || (c->undecorated[i] && !c->stored), "nobody was told of message %u", i);
        for (uint32_t k = 0; k < c->len[i] && c->stored; k++)
            law(c->memory[i * CELL + k] == c->source[i * CELL + k], "octet %u of message %u", k, i);
    }
    for (uint32_t i = 0; i < CELLS * CELL; i++) {
        bool meant = i / CELL < c->total && i % CELL < c->len[i / CELL];
        law(c->memory[i] == 0 || (meant && c->memory[i] == c->source[i]), "octet %u is nobody's", i);
    }
}

int main(int argc, char **argv)
{
    static const struct law laws[] = {
        {"each_class_keeps_its_promise", each_class_keeps_its_promise, 2000, 1},
        {"streams_share_an_association", streams_share_an_association, 1500, 1},
        {"ddpp_follows_its_rules", ddpp_follows_its_rules, 2000, 1},
    };
    return law_main(argc, argv, laws, sizeof laws / sizeof laws[0]);
}
