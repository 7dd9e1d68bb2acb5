/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair/sctp_pair.h"

#include <string.h>

#include "engine/carve.h"

/* One DDP stream at one side. */
struct lane {
    struct iw_ep *ep;
    bool told_fin, finished, down, up;
    uint64_t acked, edge; /* told to the engine */
};

struct side {
    struct iw_stags *stags;
    struct iw_cq *cq;
    struct sctp_ddp *ddp;
    struct lane *lane;
    uint16_t turn; /* whose turn it is to send */
    bool lost;
};

struct sctp_pair {
    struct sctp_pair_conf conf;
    struct sctp_link *link;
    struct side side[2];
    void (*trace)(void *, uint16_t, const struct pair_event *);
    void *user;
};

/* ---- configuration ---- */

static struct sctp_link_conf link_conf_of(const struct sctp_pair_conf *conf)
{
    struct sctp_link_conf c = conf->link;
    for (int i = 0; i < 2; i++) {
        c.end[i].adapts = true;
        c.end[i].adaptation = SCTP_DDP_INDICATION;
        c.end[i].streams = conf->ddp.streams;
    }
    return c;
}

/* The MULPDU depends on the adaptation alone: it is asked before there is one. */
static uint32_t mulpdu_of(const struct sctp_pair_conf *conf, int side)
{
    uint32_t most = conf->link.end[side].mtu - SCTP_OVERHEAD - SCTP_DDP_HEAD, less = conf->ddp.reserve;
    return most > SCTP_DDP_MULPDU_MIN + less ? most - less : SCTP_DDP_MULPDU_MIN;
}

static struct iw_conf ep_conf_of(const struct sctp_pair_conf *conf, int side, uint16_t stream)
{
    struct iw_conf c = conf->ep[side];
    c.mulpdu = mulpdu_of(conf, side);
    c.llp = IW_LLP_ALL;
    c.user = stream;
    c.stream += stream;
    return c;
}

const char *sctp_pair_conf_error(const struct sctp_pair_conf *conf)
{
    struct sctp_link_conf link = link_conf_of(conf);
    if (sctp_ddp_conf_error(&conf->ddp))
        return sctp_ddp_conf_error(&conf->ddp);
    if (sctp_link_conf_error(&link))
        return sctp_link_conf_error(&link);
    if (!conf->regions_max || !iw_stags_size(conf->regions_max))
        return "regions_max out of range";
    if (!conf->cq_entries)
        return "cq_entries must not be 0";
    for (int side = 0; side < 2; side++) {
        struct iw_conf ep = ep_conf_of(conf, side, 0);
        if (!iw_ep_size(&ep))
            return "an endpoint's configuration is refused: see iw_conf_error()";
    }
    return NULL;
}

/* ---- memory ---- */

static void make_endpoint(struct sctp_pair *p, int side, uint16_t stream, void *block)
{
    struct side *s = &p->side[side];
    struct iw_conf ep = ep_conf_of(&p->conf, side, stream);
    ep.stags = s->stags;
    ep.send_cq = ep.recv_cq = s->cq;
    s->lane[stream] = (struct lane){.ep = iw_ep_init(block, &ep)};
}

static void make_side(struct sctp_pair *p, struct carve *c, int side)
{
    const struct sctp_pair_conf *conf = &p->conf;
    struct side *s = &p->side[side];
    struct sctp_link_conf link = link_conf_of(conf);
    struct iw_conf ep = ep_conf_of(conf, side, 0);
    void *stags = carve(c, iw_stags_size(conf->regions_max)), *cq = carve(c, iw_cq_size(conf->cq_entries));
    void *ddp = carve(c, sctp_ddp_size(&conf->ddp, &link.end[side]));
    s->lane = carve(c, conf->ddp.streams * sizeof(struct lane));
    if (c->memory) {
        s->stags = iw_stags_init(stags, conf->regions_max, link.seed ? link.seed * 2 + (unsigned)side : 0);
        s->cq = iw_cq_init(cq, conf->cq_entries, ep.trust);
        s->ddp = sctp_ddp_init(ddp, &conf->ddp, &link.end[side], sctp_link_end(p->link, side));
    }
    for (uint16_t i = 0; i < conf->ddp.streams; i++) {
        void *block = carve(c, iw_ep_size(&ep));
        if (c->memory)
            make_endpoint(p, side, i, block);
    }
}

static void lay_out(struct sctp_pair *p, struct carve *c, const struct sctp_link_user *user)
{
    struct sctp_link_conf link = link_conf_of(&p->conf);
    void *block = carve(c, sctp_link_size(&link));
    if (c->memory)
        p->link = sctp_link_init(block, &link, user);
    make_side(p, c, 0);
    make_side(p, c, 1);
}

size_t sctp_pair_size(const struct sctp_pair_conf *conf)
{
    struct sctp_pair p = {.conf = *conf};
    struct carve c = {0};
    if (sctp_pair_conf_error(conf))
        return 0;
    carve(&c, sizeof p);
    lay_out(&p, &c, NULL);
    return c.used;
}

/* ---- telling ---- */

static void tell(const struct sctp_pair *p, uint16_t stream, struct pair_event e)
{
    e.t = sctp_link_now(p->link);
    if (p->trace)
        p->trace(p->user, stream, &e);
}

/* ---- segments in ---- */

static void deliver(struct sctp_pair *p, int side, uint16_t stream)
{
    struct side *s = &p->side[side];
    struct lane *l = &s->lane[stream];
    struct iw_message message;
    iw_time now = sctp_link_now(p->link);
    uint64_t edge = sctp_ddp_edge(s->ddp, stream);
    int result = 0;
    while (l->edge != edge && (result = iw_deliver(l->ep, now, edge, &message)) == 1)
        tell(p, stream, (struct pair_event){.what = PAIR_DELIVERED, .side = side, .message = &message});
    l->edge = edge;
    if (result > 1)
        tell(p, stream, (struct pair_event){.what = PAIR_FAULT, .side = side, .term = result});
    if (!l->told_fin && sctp_ddp_peer_ended(s->ddp, stream)) {
        l->told_fin = true;
        iw_llp(l->ep, now, IW_LLP_FIN);
    }
}

/* One segment into memory, or kept. False: neither, it must come again. */
static bool place(struct sctp_pair *p, int side, uint16_t stream, const struct sctp_ddp_segment *in)
{
    struct side *s = &p->side[side];
    struct iw_ep *ep = s->lane[stream].ep;
    iw_time now = sctp_link_now(p->link);
    struct iw_place at;
    struct pair_event e = {.side = side,
                           .offset = in->seg.key,
                           .len = in->seg.payload_len,
                           .in_order = in->in_order,
                           .seg = &in->seg,
                           .place = &at};
    int result = p->conf.in_order && !in->in_order ? IW_LATER : iw_check(ep, now, &in->seg, &at);
    if (result == IW_LATER) {
        e.what = PAIR_KEPT;
        e.place = NULL;
        tell(p, stream, e);
        return sctp_ddp_keep(s->ddp, stream) == IW_OK;
    }
    if (result == IW_OK)
        result = iw_commit(ep, now, &in->seg, &at);
    e.what = result == IW_OK ? PAIR_PLACED : PAIR_FAULT;
    e.term = result;
    if (result >= IW_OK)
        tell(p, stream, e);
    return true;
}

static bool place_all(struct sctp_pair *p, int side, uint16_t stream)
{
    struct sctp_ddp_segment in;
    bool taken = true;
    while (taken && sctp_ddp_next(p->side[side].ddp, stream, &in)) {
        taken = place(p, side, stream, &in);
        deliver(p, side, stream); /* before the next: it may be in order for the engine only then */
    }
    deliver(p, side, stream);
    return taken;
}

static bool take(void *user, int side, iw_time now, const struct sctp_in *in)
{
    struct sctp_pair *p = user;
    struct side *s = &p->side[side];
    struct sctp_ddp_told told;
    if (in->stream >= p->conf.ddp.streams)
        return true;
    struct lane *l = &s->lane[in->stream];
    switch (sctp_ddp_receive(s->ddp, now, in, &told)) {
    case SCTP_DDP_REFUSED: return false;
    case SCTP_DDP_INITIATED:
        if (l->up || sctp_ddp_accept(s->ddp, now, in->stream, told.private_data, told.private_len) != IW_OK) {
            sctp_ddp_reject(s->ddp, now, in->stream, NULL, 0); /* the endpoint has had its session */
            return true;
        }
        break;
    case SCTP_DDP_ACCEPTED: break;
    default: return place_all(p, side, in->stream);
    }
    l->up = true;
    iw_enable(l->ep, now, 0);
    return place_all(p, side, in->stream);
}

/* ---- segments out ---- */

/* One segment of this stream. False: it has none, or may not send. */
static bool pull_one(struct sctp_pair *p, int side, iw_time now, uint16_t stream)
{
    struct side *s = &p->side[side];
    struct iw_ep *ep = s->lane[stream].ep;
    struct iw_seg seg;
    if (!iw_has_work(ep) || !sctp_ddp_can_send(s->ddp, stream))
        return false;
    uint64_t key = sctp_ddp_key(s->ddp, stream);
    if (!iw_transmit(ep, now, key, &seg))
        return false;
    tell(p, stream,
         (struct pair_event){
             .what = PAIR_PULLED, .side = side, .offset = key, .len = seg.payload_len, .seg = &seg});
    sctp_ddp_send(s->ddp, now, stream, &seg);
    iw_accepted(ep, now, key + 1);
    return true;
}

static void finish(struct sctp_pair *p, int side, iw_time now, uint16_t stream)
{
    struct side *s = &p->side[side];
    struct lane *l = &s->lane[stream];
    enum iw_llp_want want = iw_llp_request(l->ep);
    if (want == IW_LLP_NOTHING)
        return;
    tell(p, stream, (struct pair_event){.what = PAIR_CLOSED, .side = side, .term = (int)want});
    l->finished = true;
    sctp_ddp_terminate(s->ddp, now, stream);
}

static void pull(void *user, int side, iw_time now)
{
    struct sctp_pair *p = user;
    struct side *s = &p->side[side];
    struct sctp *a = sctp_link_end(p->link, side);
    uint16_t idle = 0, n = p->conf.ddp.streams;
    while (idle < n && sctp_unsent(a) < p->conf.link.end[side].mtu) {
        idle = pull_one(p, side, now, s->turn) ? 0 : (uint16_t)(idle + 1);
        s->turn = (uint16_t)(s->turn + 1 < n ? s->turn + 1 : 0);
    }
    for (uint16_t i = 0; i < n; i++)
        finish(p, side, now, i);
}

/* ---- what changed ---- */

static void lose_all(struct sctp_pair *p, int side, iw_time now)
{
    struct side *s = &p->side[side];
    s->lost = true;
    for (uint16_t i = 0; i < p->conf.ddp.streams; i++) {
        struct lane *l = &s->lane[i];
        if (l->down)
            continue;
        l->down = true;
        iw_llp(l->ep, now, l->told_fin && l->finished ? IW_LLP_DOWN : IW_LLP_LOST);
    }
}

static void hear_association(struct sctp_pair *p, int side, iw_time now)
{
    struct sctp_event e;
    struct side *s = &p->side[side];
    while (sctp_event(sctp_link_end(p->link, side), &e)) {
        if (e.kind == SCTP_EV_UP && sctp_ddp_usable(s->ddp, now) && side == 0)
            for (uint16_t i = 0; i < p->conf.ddp.streams; i++)
                sctp_ddp_initiate(s->ddp, now, i, NULL, 0);
        if (e.kind >= SCTP_EV_DOWN)
            lose_all(p, side, now);
    }
}

static void update(struct sctp_pair *p, int side, iw_time now, uint16_t stream)
{
    struct side *s = &p->side[side];
    struct lane *l = &s->lane[stream];
    if (l->down || !l->up)
        return;
    uint64_t acked = sctp_ddp_acked(s->ddp, stream);
    if (acked != l->acked)
        iw_acked(l->ep, now, l->acked = acked);
    if (iw_deadline(l->ep) <= now)
        iw_expire(l->ep, now);
    if (sctp_ddp_state(s->ddp, stream) == SCTP_DDP_CLOSED) {
        l->down = true;
        iw_llp(l->ep, now, IW_LLP_DOWN);
    }
}

static void changed(void *user, int side, iw_time now)
{
    struct sctp_pair *p = user;
    struct side *s = &p->side[side];
    hear_association(p, side, now);
    sctp_ddp_poll(s->ddp, now);
    for (uint16_t i = 0; i < p->conf.ddp.streams; i++)
        update(p, side, now, i);
}

static iw_time deadline(void *user, int side)
{
    const struct sctp_pair *p = user;
    iw_time next = IW_NEVER;
    for (uint16_t i = 0; i < p->conf.ddp.streams; i++) {
        const struct lane *l = &p->side[side].lane[i];
        if (!l->down && l->up && iw_deadline(l->ep) < next)
            next = iw_deadline(l->ep);
    }
    return next;
}

static void left(void *user, int side, iw_time now, const uint8_t *packet, uint32_t len, uint32_t wire,
                 const struct channel_fate *fate, bool dropped)
{
    struct sctp_pair *p = user;
    struct pair_event e = {.what = PAIR_SENT, .side = side, .len = wire, .corrupted = fate->corrupted};
    (void)now, (void)packet, (void)len;
    tell(p, 0, e);
    e.what = PAIR_LOST;
    if (fate->lost || dropped)
        tell(p, 0, e);
}

/* ---- life ---- */

struct sctp_pair *sctp_pair_init(void *memory, const struct sctp_pair_conf *conf,
                                 void (*trace)(void *user, uint16_t stream, const struct pair_event *),
                                 void *user)
{
    struct sctp_pair *p = memory;
    struct carve c = {.memory = memory};
    if (sctp_pair_conf_error(conf))
        return NULL;
    memset(p, 0, sizeof *p);
    memcpy(&p->conf, conf, sizeof p->conf);
    p->trace = trace;
    p->user = user;
    struct sctp_link_user ulp = {
        .user = p, .take = take, .pull = pull, .changed = changed, .left = left, .deadline = deadline};
    carve(&c, sizeof *p);
    lay_out(p, &c, &ulp);
    return p;
}

static bool all_up(const struct sctp_pair *p)
{
    for (int side = 0; side < 2; side++)
        for (uint16_t i = 0; i < p->conf.ddp.streams; i++)
            if (!p->side[side].lane[i].up)
                return false;
    return true;
}

bool sctp_pair_start(struct sctp_pair *p, iw_time limit)
{
    sctp_connect(sctp_link_end(p->link, 0), sctp_link_now(p->link));
    sctp_link_kick(p->link, 0);
    while (!all_up(p) && sctp_link_next(p->link) <= limit && sctp_link_step(p->link))
        ;
    return all_up(p);
}

int sctp_pair_reopen(struct sctp_pair *p, uint16_t stream)
{
    for (int side = 0; side < 2; side++)
        if (!p->side[side].lane[stream].down || sctp_ddp_state(p->side[side].ddp, stream) != SCTP_DDP_CLOSED)
            return IW_ESTATE;
    make_endpoint(p, 0, stream, p->side[0].lane[stream].ep);
    make_endpoint(p, 1, stream, p->side[1].lane[stream].ep);
    int result = sctp_ddp_initiate(p->side[0].ddp, sctp_link_now(p->link), stream, NULL, 0);
    sctp_link_kick(p->link, 0);
    return result;
}

struct iw_ep *sctp_pair_ep(struct sctp_pair *p, int side, uint16_t stream)
{
    return p->side[side].lane[stream].ep;
}

struct iw_cq *sctp_pair_cq(struct sctp_pair *p, int side)
{
    return p->side[side].cq;
}

struct iw_stags *sctp_pair_stags(struct sctp_pair *p, int side)
{
    return p->side[side].stags;
}

struct sctp_ddp *sctp_pair_ddp(struct sctp_pair *p, int side)
{
    return p->side[side].ddp;
}

struct sctp_link *sctp_pair_link(struct sctp_pair *p)
{
    return p->link;
}

bool sctp_pair_is_down(const struct sctp_pair *p, int side, uint16_t stream)
{
    return p->side[side].lane[stream].down;
}

iw_time sctp_pair_now(const struct sctp_pair *p)
{
    return sctp_link_now(p->link);
}

void sctp_pair_kick(struct sctp_pair *p, int side)
{
    changed(p, side, sctp_link_now(p->link));
    sctp_link_kick(p->link, side);
}

void sctp_pair_again(struct sctp_pair *p, int side, uint16_t stream)
{
    sctp_ddp_again(p->side[side].ddp, stream);
    place_all(p, side, stream);
}

iw_time sctp_pair_next(const struct sctp_pair *p)
{
    return sctp_link_next(p->link);
}

bool sctp_pair_step(struct sctp_pair *p)
{
    return sctp_link_step(p->link);
}

void sctp_pair_wait(struct sctp_pair *p, iw_time t)
{
    sctp_link_wait(p->link, t);
}
