/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link.h"

#include "law.h"
#include "llp/mpa.h"

enum {
    REGIONS_TABLE = REGIONS + 2,
    CQ_ENTRIES = 256,
    WINDOW_PACKETS_MIN = 2,
    WINDOW_PACKETS_MAX = 40,
    MULPDU_MIN = 128,
    CUTS_MAX = 10,
    WINDOW_PACKETS_CUT = 4,
    ADAPTERS_TAKE = 200, /* microseconds: both ways, stalls and all */
    HEADS = 40,          /* of IP, and of the ideal stream or TCP */
    SCTP_TAKES = 24,     /* more than those: chunk and session headers */
    TCP_MTU = 576,
    TRANSPORT_TAKES = 100, /* as long as the ideal stream, under the same losses */
    EVENTS = 16
};
#define US       1000000u /* picoseconds */
#define PS_PER_S 1000000000000u
#define PASSES   100000000000u /* a pause of 100 ms: only an engine's deadline waits so long */
#define HOUR     ((iw_time)3600 * PS_PER_S)
#define HOLDS    ((uint64_t)1 << 30)

struct link {
    struct world world; /* first: the world is the link */
    struct link_conf conf;
    struct two_nodes *nodes;
    struct draw d;
    struct iw_event event[2][EVENTS];
    uint32_t event_get[2], event_put[2];
    iw_time heard[2];
    uint64_t edge[2];
    bool reset[2], closed[2], lost;
};

static struct link *link_of(struct world *w)
{
    return (struct link *)w;
}

/* ---- the world's calls ---- */

static iw_time now_of(const struct world *w)
{
    return two_nodes_now(((const struct link *)w)->nodes);
}

static uint32_t mulpdu_of(struct link *l, int side)
{
    void *object;
    const struct llp *llp = two_nodes_llp(l->nodes, side, &object);
    return llp->mulpdu(object, 0);
}

static void vary_mulpdu(struct link *l)
{
    if (!l->conf.vary_mulpdu || !draw_chance(&l->d, 5))
        return;
    int side = (int)draw_below(&l->d, 2);
    uint32_t high = mulpdu_of(l, side),
             mulpdu = high > MULPDU_MIN ? draw_from(&l->d, MULPDU_MIN, high) : high;
    if (!high)
        return;
    l->world.mulpdu[side] = mulpdu;
    law(iw_set_mulpdu(l->world.ep[side], mulpdu) == IW_OK, "MULPDU %u was refused", mulpdu);
}

static bool step(struct world *w)
{
    struct link *l = link_of(w);
    iw_time next = two_nodes_deadline(l->nodes);
    if (next == IW_NEVER || next - now_of(w) >= PASSES)
        return false;
    vary_mulpdu(l);
    return two_nodes_step(l->nodes);
}

/* A reset that the channel took leaves the peer half open: its patience ends that, not the protocol. */
static bool is_half_open(const struct link *l)
{
    return (l->reset[0] || l->reset[1]) && !(l->closed[0] && l->closed[1]) && !l->lost;
}

static bool expire(struct world *w)
{
    struct link *l = link_of(w);
    if (two_nodes_step(l->nodes))
        return true;
    if (!is_half_open(l))
        return false;
    l->lost = true;
    two_nodes_lose(l->nodes);
    return true;
}

static int post(struct world *w, int side, const struct iw_work *work)
{
    return two_nodes_post(link_of(w)->nodes, side, 0, work);
}

static bool poll(struct world *w, int side, struct iw_done *done)
{
    return node_poll(two_nodes_node(link_of(w)->nodes, side), done);
}

static bool event(struct world *w, int side, struct iw_event *e)
{
    struct link *l = link_of(w);
    if (l->event_get[side] == l->event_put[side])
        return false;
    *e = l->event[side][l->event_get[side]++ % EVENTS];
    return true;
}

static int close_stream(struct world *w, int side, enum iw_close_how how)
{
    return two_nodes_close(link_of(w)->nodes, side, 0, how);
}

static int terminate(struct world *w, int side, int term)
{
    return two_nodes_terminate(link_of(w)->nodes, side, 0, term);
}

/* An FPDU that MPA must find wrong: it names an STag that nobody registers. */
static const uint8_t wrong[IW_HEAD_TAGGED + 20] = {0xc1, 0x40, 0xff, 0xff, 0xff, 0xff, 0x77};

static bool is_wrong(const struct node_seg *seg)
{
    bool same = seg->head_len == IW_HEAD_TAGGED;
    for (int i = 0; same && i < IW_HEAD_TAGGED; i++)
        same = seg->head[i] == wrong[i];
    return same;
}

static bool fail(struct world *w, int side, int term)
{
    struct link *l = link_of(w);
    bool marker = term == IW_T_LLP_MARKER;
    if (l->conf.llp->protocol == IP_PROTOCOL_SCTP || l->conf.crc_drop || (!marker && !l->conf.crc))
        return false;
    enum llp_wrong how = marker ? LLP_WRONG_MARKER : LLP_WRONG_CRC;
    return two_nodes_inject(l->nodes, !side, 0, how, wrong, sizeof wrong) == IW_OK;
}

static void cut(struct world *w)
{
    two_nodes_lose(link_of(w)->nodes);
}

/* Nothing happens any more: nothing is left in either node. */
static void end(struct world *w)
{
    struct link *l = link_of(w);
    law(!two_nodes_error(l->nodes), "%s", two_nodes_error(l->nodes));
    for (int side = 0; side < 2; side++) {
        const char *left = node_leftover(two_nodes_node(l->nodes, side));
        law(!left, "side %d: %s", side, left);
        law(!two_nodes_under_way(l->nodes, side), "side %d: %llu cells are taken and nothing is under way",
            side, (unsigned long long)two_nodes_under_way(l->nodes, side));
    }
}

/* ---- what is heard ---- */

/* Packets, for the replay of one seed; segments and messages are traced in watch.c. */
static void trace(int side, const struct node_event *e)
{
    static const char *const words[NODE_EVENTS] = {[NODE_SNAPSHOT] = "has read",
                                                   [NODE_SENT] = "sends",
                                                   [NODE_RETRANSMITTED] = "sends again",
                                                   [NODE_SPURIOUS] = "sent in vain",
                                                   [NODE_TIMEOUT] = "times out",
                                                   [NODE_UNDONE] = "undoes a cut",
                                                   [NODE_STALLED] = "stalls",
                                                   [NODE_PROBED] = "probes",
                                                   [NODE_ARRIVED] = "gets",
                                                   [NODE_DROPPED] = "refuses",
                                                   [NODE_TAKEN] = "takes up",
                                                   [NODE_HELD] = "holds",
                                                   [NODE_EDGE] = "delivers to",
                                                   [NODE_WINDOW] = "acknowledges",
                                                   [NODE_COMPLETED] = "completes",
                                                   [NODE_UP] = "is up",
                                                   [NODE_FAILED] = "fails",
                                                   [NODE_BOUND] = "is bound"};
    if (e->kind == NODE_CLOSED)
        law_trace("%12llu side %d sends %s", (unsigned long long)e->t, side,
                  e->term == IW_LLP_SEND_RST ? "RST" : "FIN");
    else if (words[e->kind])
        law_trace("%12llu side %d %s key %llu .. %llu, %u octets%s%s", (unsigned long long)e->t, side,
                  words[e->kind], (unsigned long long)e->key, (unsigned long long)e->end, e->len,
                  e->altered ? ", altered" : "", e->kind == NODE_DROPPED ? node_drop_names[e->why] : "");
}

static enum heard_what heard_of(const struct node_event *e)
{
    switch (e->kind) {
    case NODE_PULLED: return is_wrong(&e->seg) ? HEARD_STEP : HEARD_SENT;
    case NODE_PLACED: return HEARD_PLACED;
    case NODE_KEPT: return HEARD_KEPT;
    case NODE_DELIVERED: return HEARD_DELIVERED;
    case NODE_FAULT: return HEARD_FAULT;
    default: return HEARD_STEP;
    }
}

/* Laws of the node itself: time and the right edge of a window never go back. */
static void check(struct link *l, int side, const struct node_event *e)
{
    law(e->t >= l->heard[side], "side %d: time goes back", side);
    l->heard[side] = e->t;
    if (e->kind != NODE_WINDOW)
        return;
    law(e->edge >= l->edge[side], "side %d: the right edge goes from %llu to %llu", side,
        (unsigned long long)l->edge[side], (unsigned long long)e->edge);
    l->edge[side] = e->edge;
}

static const struct iw_place *place_of(struct iw_place *place, const struct node_event *e,
                                       const uint8_t *address)
{
    if (e->kind != NODE_PLACED)
        return NULL;
    *place = (struct iw_place){.address = (uint8_t *)(uintptr_t)address,
                               .len = e->place.len,
                               .stag = e->place.stag,
                               .msn = e->place.msn,
                               .to = e->place.to};
    return place;
}

static const struct iw_message *message_of(struct iw_message *message, const struct node_event *e)
{
    const struct node_message *m = &e->message;
    if (e->kind != NODE_DELIVERED)
        return NULL;
    *message = (struct iw_message){
        .first_key = m->key,
        .key = m->key,
        .head = {.tagged = m->tagged, .last = m->last, .stag = m->stag, .qn = m->qn, .msn = m->msn},
        .ctl = {.opcode = m->opcode},
        .to = m->to,
        .length = m->length};
    return message;
}

static void hear(void *user, int side, const struct node_event *e)
{
    struct link *l = user;
    struct iw_place place;
    struct iw_message message;
    struct heard h = {.what = heard_of(e), .side = side};
    check(l, side, e);
    if (e->kind == NODE_ENDPOINT)
        l->event[side][l->event_put[side]++ % EVENTS] = (struct iw_event){
            .kind = e->event.kind, .valid = e->event.valid, .terminate = {.term = e->event.term}};
    l->closed[side] |= e->kind == NODE_ENDPOINT && e->event.kind == IW_EV_CLOSED;
    l->reset[side] |= e->kind == NODE_CLOSED && e->term == IW_LLP_SEND_RST;
    h.term = e->kind == NODE_FAULT ? e->term : (int)e->kind;
    if (h.what == HEARD_STEP) {
        h.key = e->key ^ (uint64_t)e->len << 40 ^ (e->kind == NODE_WINDOW ? e->edge << 20 : 0);
        if (law_verbose)
            trace(side, e);
    } else {
        struct node_octets octets = node_told_octets(two_nodes_node(l->nodes, side));
        h.seg = octets.seg;
        h.place = place_of(&place, e, octets.address);
        h.message = message_of(&message, e);
    }
    world_tell(&l->world, h);
}

/* ---- draws ---- */

/* More than any packet and its acknowledgement take, so that nothing is sent again in vain. */
static iw_time timeout_of(const struct link_conf *p)
{
    iw_time packet = (uint64_t)(p->mtu + HEADS + p->framing) * 8 * PS_PER_S / p->rate;
    iw_time extra = p->channel.reorder.delay + p->channel.jitter + p->channel.reorder.displacement * packet;
    extra += p->adapters ? ADAPTERS_TAKE * (iw_time)US : 0;
    return 2 * (p->delay + extra) + 4 * (iw_time)p->window * 8 * PS_PER_S / p->rate + 100 * packet;
}

static void draw_channel(struct channel_conf *c, struct draw *d)
{
    *c = (struct channel_conf){0};
    if (draw_chance(d, 60))
        c->loss = draw_below(d, 150) / 1000.0;
    if (draw_chance(d, 15))
        c->burst.p = 0.02, c->burst.r = 0.2, c->burst.loss_bad = 0.6;
    if (draw_chance(d, 40))
        c->duplicate = draw_below(d, 200) / 1000.0;
    if (draw_chance(d, 60))
        c->reorder.probability = draw_below(d, 500) / 1000.0;
    c->reorder.displacement = draw_from(d, 1, 20);
    c->reorder.delay = draw_chance(d, 50) ? draw_below(d, 50) * (uint64_t)US : 0;
    c->jitter = draw_chance(d, 40) ? draw_below(d, 20) * (uint64_t)US : 0;
}

static uint32_t draw_mtu(struct draw *d)
{
    switch (draw_below(d, 6)) {
    case 0: return draw_from(d, 140, 9000);
    case 1: return draw_from(d, 500, 1500);
    default: return draw_from(d, 140, 420);
    }
}

/* An adapter with small buffers, so that they fill. */
static void draw_adapter(struct rnic_conf *r, struct draw *d, uint32_t fpdu, unsigned has)
{
    rnic_preset_load(r, &rnic_presets[draw_below(d, rnic_presets_count)]);
    r->receive = draw_below(d, 4);
    if (r->receive == RNIC_DISCARD && !(has & LLP_GO_BACK))
        r->receive = RNIC_PLACE;
    if (draw_chance(d, 60))
        r->staging_bytes = (uint64_t)fpdu * draw_from(d, 1, 12);
    if (draw_chance(d, 60))
        r->hold_bytes = (uint64_t)fpdu * draw_from(d, 1, 8);
    r->window.policy = r->receive == RNIC_COPY ? RNIC_BUFFER : draw_below(d, RNIC_POLICIES);
    r->window.bytes = (uint64_t)fpdu * draw_from(d, 2, 24);
    if (r->staging_bytes != RNIC_UNLIMITED)
        r->window.mark = r->staging_bytes / 2;
    r->retransmit = draw_below(d, 2);
    r->inline_bytes = draw_chance(d, 50) ? 0 : 64;
    r->completion.mode = draw_below(d, 2);
    r->completion.count = draw_from(d, 1, 8);
    if (draw_chance(d, 40))
        r->stall.every = 20 * US, r->stall.for_ = draw_from(d, 1, 10) * (iw_time)US;
    const char *error = rnic_conf_error(r, fpdu, NULL);
    law(!error, "the adapter is refused: %s", error);
}

void link_draw_adapters(struct link_conf *l, uint64_t seed)
{
    struct draw d = draw_start(seed, 12);
    uint32_t fpdu = l->mtu + (l->llp == &llp_sctp ? HEADS : 0); /* what staging must take */
    l->adapters = true;
    for (int i = 0; i < 2; i++)
        draw_adapter(&l->adapter[i], &d, fpdu, l->llp->has);
    l->consume_rate = draw_chance(&d, 50) ? 0 : 1000000000ull * draw_from(&d, 1, 100);
    l->timeout = timeout_of(l);
}

/* Adapters that take no time but for the write to memory. */
static void plain_adapters(struct link_conf *l)
{
    for (int i = 0; i < 2; i++) {
        struct rnic_conf *r = &l->adapter[i];
        rnic_preset_load(r, &rnic_presets[0]);
        r->receive = l->in_order ? RNIC_HOLD : RNIC_PLACE;
        r->hold_bytes = HOLDS;
        r->window.policy = RNIC_CONSTANT;
        r->window.bytes = l->window > 2 * l->mtu ? l->window : 2 * l->mtu;
        r->pcie.write = l->dma;
    }
}

struct link_conf link_draw(uint64_t seed, uint32_t *mulpdu)
{
    struct draw d = draw_start(seed, 7);
    struct link_conf l = {.llp = &llp_ideal, .vary_mulpdu = draw_chance(&d, 40)};
    l.rate = 1000000000ull * draw_from(&d, 1, 100);
    l.delay = draw_from(&d, 0, 30) * (iw_time)US;
    l.mtu = draw_mtu(&d);
    l.framing = draw_chance(&d, 50) ? 38 : 0;
    l.crc = draw_chance(&d, 75);
    l.markers[0] = l.markers[1] = draw_chance(&d, 40);
    l.in_order = draw_chance(&d, 20);
    l.cut = draw_chance(&d, 50)
                ? draw_from(&d, l.mtu / CUTS_MAX + 1, draw_chance(&d, 50) ? 100 + l.mtu / CUTS_MAX : l.mtu)
                : 0;
    l.crc_drop = l.crc && !l.cut;
    l.trust_alignment = !l.crc && !l.cut && draw_chance(&d, 50);
    l.window = l.mtu * draw_from(&d, WINDOW_PACKETS_MIN, l.cut ? WINDOW_PACKETS_CUT : WINDOW_PACKETS_MAX);
    l.ranges = draw_chance(&d, 50) ? draw_below(&d, 8) : 256;
    l.dma = draw_chance(&d, 50) ? draw_below(&d, 10) * (iw_time)US : 0;
    l.impair_acks = draw_chance(&d, 40);
    l.delayed_ack = draw_chance(&d, 70) ? 0 : draw_from(&d, 1, 4);
    l.seed = draw_bits(&d) | 1;
    draw_channel(&l.channel, &d);
    l.timeout = timeout_of(&l);
    *mulpdu = mpa_mulpdu(l.mtu, l.markers[0]);
    return l;
}

static void draw_tcp(struct tcp_conf *t, struct draw *d)
{
    tcp_defaults(t);
    t->congestion = tcp_congestions[draw_below(d, TCP_CONGESTIONS)];
    t->fixed_window = draw_from(d, 10, 300) * 1000;
    t->detection = tcp_detections[draw_below(d, TCP_DETECTIONS)];
    t->timestamps = draw_chance(d, 30);
    t->pacing = draw_chance(d, 20);
    t->initial_window = draw_below(d, 12);
    t->initial_rto = 2000 * (iw_time)US;
    t->max_rto = 50000 * (iw_time)US;
    t->msl = 1000000 * (iw_time)US;
    t->retries = t->syn_retries = 200;
}

/* Without heartbeats, so that nothing happens when nothing is under way. */
static void draw_sctp(struct sctp_conf *c, struct draw *d)
{
    sctp_defaults(c);
    c->rto_initial = 1000 * (iw_time)US;
    c->burst = draw_below(d, 6);
    c->retries = c->init_retries = 200;
    c->heartbeat = 0;
}

void link_draw_transport(struct link_conf *l, uint64_t seed, const struct llp *llp, uint32_t *mulpdu)
{
    struct draw d = draw_start(seed, 13);
    bool sctp = llp->protocol == IP_PROTOCOL_SCTP;
    l->llp = llp;
    l->cut = 0;
    l->mtu = l->mtu < TCP_MTU + SCTP_TAKES ? TCP_MTU + SCTP_TAKES : l->mtu;
    l->window = l->mtu * draw_from(&d, WINDOW_PACKETS_MIN, WINDOW_PACKETS_MAX);
    l->crc_drop = l->trust_alignment = false; /* TCP cuts a record where it probes a closed window */
    l->ranges = l->ranges < 8 ? 8 : l->ranges;
    l->from_start = draw_chance(&d, 70);
    for (int i = 0; i < 2; i++)
        l->markers[i] = !sctp && draw_chance(&d, 40);
    draw_tcp(&l->tcp, &d);
    draw_sctp(&l->sctp, &d);
    l->timeout = timeout_of(l);
    *mulpdu = mpa_mulpdu(l->mtu - (sctp ? SCTP_TAKES : 0), l->markers[0] || l->markers[1]);
}

void link_redraw_channel(struct link_conf *l, uint64_t seed)
{
    struct draw d = draw_start(seed, 8);
    draw_channel(&l->channel, &d);
    l->rate = 1000000000ull * draw_from(&d, 1, 100);
    l->delay = draw_from(&d, 0, 30) * (iw_time)US;
    l->in_order = draw_chance(&d, 30);
    l->dma = draw_chance(&d, 50) ? draw_below(&d, 10) * (iw_time)US : 0;
    l->repeat++;
    l->timeout = timeout_of(l);
}

/* ---- making ---- */

static void trace_link(const struct link_conf *c)
{
    law_trace(
        "link: %s, MTU %u, cut %u, markers %d %d, CRC %d%s, trust %d, in order %d, window %u, ranges %u, "
        "timeout %llu ps, DMA %llu ps, %s",
        c->llp->name, c->mtu, c->cut, c->markers[0], c->markers[1], c->crc, c->crc_drop ? " drop" : "",
        c->trust_alignment, c->in_order, c->window, c->ranges, (unsigned long long)c->timeout,
        (unsigned long long)c->dma, c->length_only ? "length only" : "octets");
    for (int i = 0; i < 2 && c->adapters; i++) {
        const struct rnic_conf *r = &c->adapter[i];
        law_trace("side %d adapter: receive %llu, staging %llu, hold %llu, window policy %llu of %llu, "
                  "completion %llu",
                  i, (unsigned long long)r->receive, (unsigned long long)r->staging_bytes,
                  (unsigned long long)r->hold_bytes, (unsigned long long)r->window.policy,
                  (unsigned long long)r->window.bytes, (unsigned long long)r->completion.mode);
    }
}

static void *more(void *user, size_t octets)
{
    (void)user;
    return law_memory(octets);
}

static struct llp_conf llp_conf_of(const struct link_conf *l, int side, const struct iw_conf *ep)
{
    return (struct llp_conf){.real = !l->length_only,
                             .window = l->adapter[side].window.bytes,
                             .reorder = l->ranges,
                             .secret = l->seed + (unsigned)side,
                             .markers = l->markers[side],
                             .crc = l->crc,
                             .crc_drop = l->crc_drop,
                             .trust_alignment = l->trust_alignment,
                             .ord = ep->ord,
                             .ird = ep->ird,
                             .start_timeout = HOUR,
                             .min_rto = 200 * (iw_time)US,
                             .delayed_ack = l->delayed_ack,
                             .delayed_ack_timeout = 5 * (iw_time)US,
                             .send_buffer = l->window + 2 * (uint64_t)HEADS,
                             .timeout = l->timeout,
                             .tcp = &l->tcp,
                             .sctp = l->llp == &llp_sctp ? &l->sctp : NULL};
}

static struct two_nodes_conf nodes_conf_of(const struct link_conf *l, const struct plan *plan)
{
    struct two_nodes_conf t = {
        .llp = l->llp, .cut = l->cut, .from_start = l->from_start, .memory = {more, NULL}};
    t.fabric = (struct fabric_conf){.rate = l->rate,
                                    .delay = l->delay,
                                    .mtu = l->mtu + HEADS,
                                    .framing = l->framing,
                                    .channel = l->channel,
                                    .data = true,
                                    .acks = l->impair_acks,
                                    .seed = l->seed,
                                    .repeat = l->repeat};
    for (int side = 0; side < 2; side++) {
        t.ep[side] = plan->side[side].conf;
        t.ep[side].linger *= l->llp == &llp_ideal ? 1 : TRANSPORT_TAKES;
        t.conf[side] = llp_conf_of(l, side, &t.ep[side]);
        t.node[side] = (struct node_conf){.rnic = &l->adapter[side],
                                          .regions_max = REGIONS_TABLE,
                                          .cq_entries = CQ_ENTRIES,
                                          .stall_key = l->seed,
                                          .consume_rate = l->consume_rate,
                                          .profile = plan->side[side].conf.profile};
    }
    return t;
}

struct world *link_open(const struct link_conf *conf, const struct plan *plan)
{
    struct link *l = law_memory(sizeof *l);
    struct world *w = &l->world;
    const char *why;
    *l = (struct link){.conf = *conf, .d = draw_start(conf->seed, 9)};
    if (!conf->adapters)
        plain_adapters(&l->conf);
    trace_link(&l->conf);
    struct two_nodes_conf c = nodes_conf_of(&l->conf, plan);
    *w = (struct world){.length_only = conf->length_only,
                        .now = now_of,
                        .step = step,
                        .expire = expire,
                        .post = post,
                        .poll = poll,
                        .event = event,
                        .close = close_stream,
                        .terminate = terminate,
                        .fail = fail,
                        .cut = cut,
                        .end = end};
    l->nodes = two_nodes_new(&c, hear, l, &why);
    law(l->nodes, "two nodes are refused: %s", why);
    law(two_nodes_connect(l->nodes, HOUR), "the connection does not come up");
    for (int i = 0; i < 2; i++) {
        w->ep[i] = two_nodes_endpoint(l->nodes, i, 0);
        w->stags[i] = node_stags(two_nodes_node(l->nodes, i));
        w->mulpdu[i] = mulpdu_of(l, i);
    }
    return w;
}
