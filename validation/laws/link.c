/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link.h"

#include "law.h"

enum {
    REGIONS_TABLE = REGIONS + 2,
    CQ_ENTRIES = 256,
    WINDOW_PACKETS_MIN = 2,
    WINDOW_PACKETS_MAX = 40,
    MULPDU_MIN = 128,
    CUTS_MAX = 10,
    WINDOW_PACKETS_CUT = 4,
    ADAPTERS_TAKE = 200 /* microseconds: both ways, stalls and all */
};
#define US       1000000u /* picoseconds */
#define PS_PER_S 1000000000000u
#define PASSES   100000000000u /* a pause of 100 ms: only an engine's deadline waits so long */

struct link {
    struct world world; /* first: the world is the link */
    struct link_conf conf;
    struct pair *pair;
    struct draw d;
};

static struct link *link_of(struct world *w)
{
    return (struct link *)w;
}

struct pair *link_pair(struct world *w)
{
    return link_of(w)->pair;
}

/* ---- the world's calls ---- */

static iw_time now_of(const struct world *w)
{
    return pair_now(((const struct link *)w)->pair);
}

static void vary_mulpdu(struct link *l)
{
    if (!l->conf.vary_mulpdu || !draw_chance(&l->d, 5))
        return;
    int side = (int)draw_below(&l->d, 2);
    uint32_t high = mpa_mulpdu(l->conf.pair.mtu, l->conf.pair.markers[side]),
             mulpdu = draw_from(&l->d, MULPDU_MIN, high);
    l->world.mulpdu[side] = mulpdu;
    law(iw_set_mulpdu(l->world.ep[side], mulpdu) == IW_OK, "MULPDU %u was refused", mulpdu);
}

static bool step(struct world *w)
{
    struct link *l = link_of(w);
    iw_time next = pair_next(l->pair);
    if (next == IW_NEVER || next - pair_now(l->pair) >= PASSES)
        return false;
    vary_mulpdu(l);
    return pair_step(l->pair);
}

static bool expire(struct world *w)
{
    return pair_step(link_of(w)->pair);
}

static int post(struct world *w, int side, const struct iw_work *work)
{
    return pair_post(link_of(w)->pair, side, work);
}

static bool poll(struct world *w, int side, struct iw_done *done)
{
    return pair_poll(link_of(w)->pair, side, done);
}

static void kick(struct world *w, int side)
{
    pair_again(link_of(w)->pair, side); /* a receive may have been posted */
    pair_kick(link_of(w)->pair, side);
}

static void cut(struct world *w)
{
    pair_cut(link_of(w)->pair);
}

/* Packets, for the replay of one seed; segments and messages are traced in watch.c. */
static void trace(const struct pair_event *e)
{
    static const char *const words[] = {
        [PAIR_SENT] = "sends",         [PAIR_LOST] = "loses",        [PAIR_ARRIVED] = "gets",
        [PAIR_REFUSED] = "refuses",    [PAIR_SNAPSHOT] = "has read", [PAIR_STAGED] = "stages",
        [PAIR_DROPPED] = "drops",      [PAIR_TAKEN] = "takes up",    [PAIR_WINDOW] = "acknowledges",
        [PAIR_COMPLETED] = "completes"};
    if (e->what == PAIR_CLOSED)
        law_trace("%12llu side %d sends %s", (unsigned long long)e->t, e->side,
                  e->term == IW_LLP_SEND_RST ? "RST" : "FIN");
    else
        law_trace("%12llu side %d %s octets %llu + %u, time %u%s", (unsigned long long)e->t, e->side,
                  words[e->what], (unsigned long long)e->offset, e->len, e->sends,
                  e->corrupted ? ", altered" : "");
}

static enum heard_what heard_of(enum pair_what what)
{
    switch (what) {
    case PAIR_PULLED: return HEARD_SENT;
    case PAIR_PLACED: return HEARD_PLACED;
    case PAIR_KEPT: return HEARD_KEPT;
    case PAIR_DELIVERED: return HEARD_DELIVERED;
    case PAIR_FAULT: return HEARD_FAULT;
    default: return HEARD_STEP;
    }
}

static void hear(void *user, const struct pair_event *e)
{
    struct link *l = user;
    struct heard h = {.what = heard_of(e->what), .side = e->side, .place = e->place, .message = e->message};
    h.term = e->what == PAIR_FAULT ? e->term : (int)e->what;
    if (h.what == HEARD_STEP) {
        h.key = e->offset ^ (uint64_t)e->len << 40 ^ e->edge << 20;
        if (law_verbose)
            trace(e);
    } else {
        h.seg = e->seg;
    }
    world_tell(&l->world, h);
}

/* ---- draws ---- */

/* More than any packet and its acknowledgement take, so that nothing is sent again in vain. */
static iw_time timeout_of(const struct pair_conf *p)
{
    iw_time packet = (uint64_t)(p->mtu + p->framing) * 8 * PS_PER_S / p->rate;
    iw_time extra = p->channel.reorder.delay + p->channel.jitter + p->channel.reorder.displacement * packet;
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
static void draw_adapter(struct rnic_conf *r, struct draw *d, uint32_t fpdu)
{
    rnic_preset_load(r, &rnic_presets[draw_below(d, rnic_presets_count)]);
    r->receive = draw_below(d, 4);
    if (draw_chance(d, 60))
        r->staging_bytes = (uint64_t)fpdu * draw_from(d, 1, 12);
    if (draw_chance(d, 60))
        r->hold_bytes = (uint64_t)fpdu * draw_from(d, 1, 8);
    r->window.policy = r->receive == RNIC_COPY ? RNIC_BUFFER : draw_below(d, RNIC_RETIRE + 1);
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
    struct pair_conf *p = &l->pair;
    uint32_t fpdu = mpa_fpdu_size(0, mpa_mulpdu(p->mtu, false), true);
    l->adapters = true;
    for (int i = 0; i < 2; i++)
        draw_adapter(&l->adapter[i], &d, fpdu);
    p->consume_rate = draw_chance(&d, 50) ? 0 : 1000000000ull * draw_from(&d, 1, 100);
    p->timeout += ADAPTERS_TAKE * (iw_time)US;
}

struct link_conf link_draw(uint64_t seed, uint32_t *mulpdu)
{
    struct draw d = draw_start(seed, 7);
    struct link_conf l = {.seed = draw_bits(&d), .vary_mulpdu = draw_chance(&d, 40)};
    struct pair_conf *p = &l.pair;
    p->rate = 1000000000ull * draw_from(&d, 1, 100);
    p->delay = draw_from(&d, 0, 30) * (iw_time)US;
    p->mtu = draw_mtu(&d);
    p->framing = draw_chance(&d, 50) ? 78 : 0;
    p->crc = draw_chance(&d, 75);
    p->crc_drop = p->crc;
    for (int i = 0; i < 2; i++)
        p->markers[i] = draw_chance(&d, 40);
    p->in_order = draw_chance(&d, 20);
    p->cut = draw_chance(&d, 50) ? draw_from(&d, p->mtu / CUTS_MAX + 1,
                                             draw_chance(&d, 50) ? 100 + p->mtu / CUTS_MAX : p->mtu)
                                 : 0;
    p->trust_alignment = !p->crc && !p->cut && draw_chance(&d, 50);
    p->window = p->mtu * draw_from(&d, WINDOW_PACKETS_MIN, p->cut ? WINDOW_PACKETS_CUT : WINDOW_PACKETS_MAX);
    p->ranges = draw_chance(&d, 50) ? draw_below(&d, 8) : 256;
    p->dma = draw_chance(&d, 50) ? draw_below(&d, 10) * (iw_time)US : 0;
    p->impair_acks = draw_chance(&d, 40);
    p->regions_max = REGIONS_TABLE;
    p->cq_entries = CQ_ENTRIES;
    p->seed = draw_bits(&d) | 1;
    draw_channel(&p->channel, &d);
    p->timeout = timeout_of(p);
    uint32_t both[2] = {mpa_mulpdu(p->mtu, p->markers[0]), mpa_mulpdu(p->mtu, p->markers[1])};
    *mulpdu = both[0] > both[1] ? both[0] : both[1];
    return l;
}

void link_redraw_channel(struct link_conf *conf, uint64_t seed)
{
    struct draw d = draw_start(seed, 8);
    struct pair_conf *p = &conf->pair;
    draw_channel(&p->channel, &d);
    p->rate = 1000000000ull * draw_from(&d, 1, 100);
    p->delay = draw_from(&d, 0, 30) * (iw_time)US;
    p->in_order = draw_chance(&d, 30);
    p->dma = draw_chance(&d, 50) ? draw_below(&d, 10) * (iw_time)US : 0;
    p->repeat++;
    p->timeout = timeout_of(p) + (conf->adapters ? ADAPTERS_TAKE * (iw_time)US : 0);
}

static void trace_link(const struct link_conf *c)
{
    const struct pair_conf *p = &c->pair;
    law_trace("link: EMSS %u, cut %u, markers %d %d, CRC %d%s, trust %d, in order %d, window %u, ranges %u, "
              "DMA %llu ps, %s",
              p->mtu, p->cut, p->markers[0], p->markers[1], p->crc, p->crc_drop ? " drop" : "",
              p->trust_alignment, p->in_order, p->window, p->ranges, (unsigned long long)p->dma,
              p->length_only ? "length only" : "octets");
    for (int i = 0; i < 2 && c->adapters; i++) {
        const struct rnic_conf *r = &c->adapter[i];
        law_trace("side %d adapter: receive %llu, staging %llu, hold %llu, window policy %llu of %llu, "
                  "completion %llu",
                  i, (unsigned long long)r->receive, (unsigned long long)r->staging_bytes,
                  (unsigned long long)r->hold_bytes, (unsigned long long)r->window.policy,
                  (unsigned long long)r->window.bytes, (unsigned long long)r->completion.mode);
    }
}

struct world *link_open(const struct link_conf *conf, const struct plan *plan)
{
    struct link *l = law_memory(sizeof *l);
    struct world *w = &l->world;
    trace_link(conf);
    l->conf = *conf;
    l->d = draw_start(conf->seed, 9);
    for (int i = 0; i < 2; i++) {
        l->conf.pair.ep[i] = plan->side[i].conf;
        l->conf.pair.rnic[i] = conf->adapters ? &l->conf.adapter[i] : NULL;
    }
    law(!pair_conf_error(&l->conf.pair), "the pair world refuses: %s", pair_conf_error(&l->conf.pair));
    *w = (struct world){.length_only = conf->pair.length_only,
                        .now = now_of,
                        .step = step,
                        .expire = expire,
                        .post = post,
                        .poll = poll,
                        .kick = kick,
                        .cut = cut};
    l->pair = pair_init(law_memory(pair_size(&l->conf.pair)), &l->conf.pair, hear, l);
    law(l->pair, "no pair world");
    for (int i = 0; i < 2; i++) {
        w->ep[i] = pair_ep(l->pair, i);
        w->stags[i] = pair_stags(l->pair, i);
        w->mulpdu[i] = mpa_mulpdu(conf->pair.mtu, conf->pair.markers[i]);
    }
    return w;
}
