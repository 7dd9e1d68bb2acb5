/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law_sctp.c -- SCTP under loss, reordering, duplication and corruption: each of the four classes keeps its
 * promise, DDP streams share an association and harm one another in nothing, DDPP's ordering rules hold for
 * every event. */
#include <string.h>

#include "law.h"
#include "pair/ddpp_pair.h"
#include "pair/sctp_pair.h"

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
    struct sctp_pair *p;
    iw_stag stag[2];
    uint8_t *memory[2];
    uint32_t posted[STREAMS_MAX], done[STREAMS_MAX], received[STREAMS_MAX], delivered[STREAMS_MAX];
    uint64_t key[STREAMS_MAX];
    uint16_t ended; /* a stream that a wrong Write ends; STREAMS_MAX: none */
};
static struct streams streams;

static void on_stream(void *user, uint16_t stream, const struct pair_event *e)
{
    struct streams *s = user;
    if (e->what == PAIR_FAULT)
        law(stream == s->ended, "stream %u failed: %05x", stream, (unsigned)e->term);
    if (e->what != PAIR_DELIVERED || e->side != 1)
        return;
    law(e->message->key > s->key[stream], "key %llu after %llu", (unsigned long long)e->message->key,
        (unsigned long long)s->key[stream]);
    s->key[stream] = e->message->key;
    s->delivered[stream]++;
    law_trace("stream %u: delivered up to key %llu", stream, (unsigned long long)e->message->key);
}

static struct sctp_pair_conf draw_pair(struct draw *d, uint64_t seed)
{
    struct sctp_pair_conf c = {.link = draw_link(d, seed), .regions_max = 4, .cq_entries = 512};
    c.ddp = (struct sctp_ddp_conf){.streams = (uint16_t)draw_from(d, 1, STREAMS_MAX),
                                   .reorder = (uint16_t)(64u << draw_below(d, 3)),
                                   .keep = (uint16_t)draw_from(d, 1, 20),
                                   .pending = STREAMS_MAX,
                                   .reserve = (uint16_t)(4 * draw_below(d, 8)),
                                   .shut_down = true};
    c.in_order = draw_chance(d, 20);
    for (int i = 0; i < 2; i++)
        c.ep[i] = (struct iw_conf){.pd = PD,
                                   .stream = 1,
                                   .complete_on = draw_chance(d, 50) ? IW_ON_ACK : IW_ON_ACCEPT,
                                   .sq_max = 32,
                                   .rq_max = 32,
                                   .ord = 4,
                                   .ird = 4,
                                   .reorder_max = (uint16_t)draw_from(d, 2, 256),
                                   .linger = 1000000 * US};
    return c;
}

/* A Write, a Send or a Read of part of the stream's share. */
static void post_one(struct streams *s, struct draw *d, uint16_t stream, uint32_t *at)
{
    struct iw_ep *ep = sctp_pair_ep(s->p, 0, stream);
    uint32_t len = draw_from(d, 0, SHARE / 8);
    uint64_t to = (uint64_t)stream * SHARE + *at;
    enum iw_op op = draw_chance(d, 50) ? IW_WRITE : IW_SEND;
    struct iw_work recv = {.op = IW_RECV, .sges = 1, .sge = {{s->stag[1], len, to}}};
    struct iw_work work = {.op = op, .sges = 1, .sge = {{s->stag[0], len, to}}};
    if (op == IW_WRITE) {
        work.remote_stag = s->stag[1];
        work.remote_to = to;
    } else {
        law(iw_post(sctp_pair_ep(s->p, 1, stream), sctp_pair_now(s->p), &recv) == IW_OK,
            "no room for a receive");
    }
    *at += len;
    s->posted[stream]++;
    law(iw_post(ep, sctp_pair_now(s->p), &work) == IW_OK, "no room for a request");
}

static void hear_streams(struct streams *s)
{
    struct iw_done done;
    for (int side = 0; side < 2; side++)
        while (iw_poll(sctp_pair_cq(s->p, side), &done)) {
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

static void open_streams(struct streams *s, const struct sctp_pair_conf *conf, struct draw *d)
{
    law(!sctp_pair_conf_error(conf), "%s", sctp_pair_conf_error(conf));
    *s = (struct streams){.ended = STREAMS_MAX};
    s->p = sctp_pair_init(law_memory(sctp_pair_size(conf)), conf, on_stream, s);
    for (int side = 0; side < 2; side++) {
        bool stored = !conf->link.end[0].head_max;
        s->memory[side] = law_memory(STREAMS_MAX * SHARE);
        for (uint32_t i = 0; i < STREAMS_MAX * SHARE; i++)
            s->memory[side][i] = side ? 0 : (uint8_t)draw_bits(d);
        struct iw_region region = {.base = stored ? s->memory[side] : NULL,
                                   .len = STREAMS_MAX * SHARE,
                                   .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
                                   .pd = PD};
        iw_register(sctp_pair_stags(s->p, side), &region, &s->stag[side]);
    }
    for (int side = 0; side < 2; side++)
        sctp_link_impair(sctp_pair_link(s->p), side, true);
    law(sctp_pair_start(s->p, HOUR), "the sessions do not open");
}

/* One of the streams may end for a Write that is out of bounds; the others go on; then all close.
 * checks: DDP-3-4 DDP-3-8a DDP-3-10 RDMAP-7-1a RDMAP-7-2 SCTP-10-2 SCTP-11.3-3 */
static void streams_share_an_association(uint64_t seed)
{
    struct draw d = draw_start(seed, 0xddb);
    struct sctp_pair_conf conf = draw_pair(&d, seed);
    struct streams *s = &streams;
    uint32_t at[STREAMS_MAX] = {0};
    open_streams(s, &conf, &d);
    uint16_t n = sctp_streams(sctp_link_end(sctp_pair_link(s->p), 0));
    n = n < conf.ddp.streams ? n : conf.ddp.streams;
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
        law(iw_post(sctp_pair_ep(s->p, 0, s->ended), sctp_pair_now(s->p), &wrong) == IW_OK, "no room");
    }
    iw_time limit = sctp_pair_now(s->p) + HOUR;
    sctp_pair_kick(s->p, 0);
    sctp_pair_kick(s->p, 1);
    while (!all_done(s, n)) {
        step(sctp_pair_link(s->p), limit);
        hear_streams(s);
    }
    for (uint32_t i = 0; i < n * SHARE && !conf.link.end[0].head_max; i++)
        if (i / SHARE != s->ended)
            law(s->memory[1][i] == (i % SHARE < at[i / SHARE] ? s->memory[0][i] : 0), "octet %u of stream %u",
                i % SHARE, i / SHARE);
    for (uint16_t i = 0; i < n; i++)
        for (int side = 0; side < 2; side++)
            iw_close(sctp_pair_ep(s->p, side, i), sctp_pair_now(s->p), IW_CLOSE);
    sctp_pair_kick(s->p, 0);
    sctp_pair_kick(s->p, 1);
    while (sctp_state(sctp_link_end(sctp_pair_link(s->p), 0)) ||
           sctp_state(sctp_link_end(sctp_pair_link(s->p), 1)))
        step(sctp_pair_link(s->p), limit);
    for (uint16_t i = 0; i < n; i++)
        law(sctp_pair_is_down(s->p, 0, i) && sctp_pair_is_down(s->p, 1, i), "stream %u is not down", i);
}

/* ---- DDPP core ---- */

enum { CELL = 2000, CELLS = 60 };

struct client {
    struct ddpp_pair *p;
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
    (void)now;
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
    int result = c->undecorated[n] ? ddpp_pair_send_undecorated(c->p, text, 4)
                                   : ddpp_pair_send(c->p, &what, c->source + n * CELL);
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

static void open_client(struct client *c, struct draw *d, uint64_t seed)
{
    struct ddpp_pair_conf conf = {.link = draw_link(d, seed), .regions_max = 1};
    struct ddpp_pair_user user = {.user = c, .more = client_more, .told = client_told};
    conf.ddpp = (struct ddpp_conf){.pd = PD,
                                   .stream = 1,
                                   .reliable = draw_chance(d, 50),
                                   .ordered = draw_chance(d, 50),
                                   .remember = (uint16_t)(2u << draw_below(d, 8)),
                                   .keep = (uint16_t)draw_from(d, 1, 8)};
    law(!ddpp_pair_conf_error(&conf), "%s", ddpp_pair_conf_error(&conf));
    *c = (struct client){
        .conf = conf.ddpp, .total = draw_from(d, 1, CELLS), .last = -1, .stored = !conf.link.end[0].head_max};
    c->p = ddpp_pair_init(law_memory(ddpp_pair_size(&conf)), &conf, &user);
    c->memory = law_memory(CELLS * CELL);
    c->source = law_memory(CELLS * CELL);
    memset(c->memory, 0, CELLS * CELL);
    for (uint32_t i = 0; i < CELLS * CELL; i++)
        c->source[i] = (uint8_t)(1 + i % 255);
    struct iw_region region = {
        .base = c->stored ? c->memory : NULL, .len = CELLS * CELL, .rights = IW_REMOTE_WRITE, .pd = PD};
    iw_register(ddpp_pair_stags(c->p), &region, &c->stag);
    for (uint32_t i = 0; i < c->total; i++) {
        c->undecorated[i] = draw_chance(d, 20);
        c->len[i] = c->undecorated[i] ? 0 : draw_from(d, 0, CELL);
    }
}

/* checks: CORE-3-1 CORE-3-4 CORE-3.1-1 CORE-3.1-2 CORE-3.1-4 CORE-3.1-5 CORE-3.1-6 CORE-3.2-1 CORE-3.2-2
 * CORE-3.3-1 CORE-3.3-2 checks: CORE-3.3-3 CORE-3.3-4 */
static void ddpp_follows_its_rules(uint64_t seed)
{
    struct draw d = draw_start(seed, 0xdd99);
    struct client *c = &client;
    open_client(c, &d, seed);
    struct sctp_link *link = ddpp_pair_link(c->p);
    struct sctp *a = sctp_link_end(link, 0);
    law(sctp_link_connect(link, 1000000 * US), "no association");
    for (int side = 0; side < 2; side++)
        sctp_link_impair(link, side, true);
    sctp_link_kick(link, 0);
    while (c->next < c->total || !ddpp_pair_is_idle(c->p) || sctp_unsent(a) ||
           sctp_statistics(a)->outstanding)
        step(link, HOUR);
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
