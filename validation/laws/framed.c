/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "framed.h"

#include <string.h>

#include "llp/mpa.h"

enum { ULPDU_MAX = 1500, STORE = 1 << 16 };

/* ---- the stream ---- */

static void alter_one(struct framed *f, struct draw *d, const uint64_t *key, uint32_t keys)
{
    uint64_t at = key[draw_below(d, keys)]; /* of the marker, when one leads */
    uint64_t length = at + (f->flags & MPA_MARKERS && at % MPA_MARKER_EVERY == 0 ? MPA_MARKER : 0);
    at = draw_chance(d, 70) ? length + draw_below(d, 2) : draw_below(d, f->len);
    f->octets[at] ^= (uint8_t)(1 << draw_below(d, 8));
    law_trace("octet %llu altered", (unsigned long long)at);
}

void framed_draw(struct framed *f, const struct stream *s, uint64_t seed, bool alter)
{
    struct draw d = draw_start(seed, 24);
    uint64_t key[STREAM_MAX];
    uint32_t keys = 0;
    struct mpa_tx tx;
    *f = (struct framed){.flags = MPA_CRC | (draw_chance(&d, 60) ? MPA_MARKERS : 0)};
    mpa_tx_init(&tx, f->flags, 1460);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct stream_segment *g = &s->segment[i];
        struct iw_seg seg;
        if (!g->len)
            continue; /* no FPDU is empty */
        key[keys++] = mpa_key(&tx);
        iw_seg_view(&seg, mpa_key(&tx), g->octets, g->len);
        f->len += mpa_put(&tx, &seg, f->octets + f->len);
    }
    for (uint32_t n = alter && keys ? draw_from(&d, 1, 3) : 0; n; n--)
        alter_one(f, &d, key, keys);
}

/* ---- hearing it ---- */

struct listener {
    struct victim *v;
    const struct framed *f;
    struct mpa_rx *rx;
    struct outcome *o;
    bool failed;
};

static void take_fpdus(struct listener *l)
{
    struct mpa_fpdu f;
    struct iw_seg seg;
    int more;
    while ((more = mpa_take(l->rx, &f)) == 1) {
        mpa_seg(&f, &seg);
        int verdict = iw_receive(l->v->ep, 0, &seg);
        law(verdict <= 0 || f.in_order, "a verdict ahead of its turn: %05x", (unsigned)verdict);
        outcome_fault(l->o, verdict);
        if (verdict == IW_LATER)
            mpa_keep(l->rx);
        else
            victim_deliver(l->v, mpa_edge(l->rx), l->o);
    }
    victim_deliver(l->v, mpa_edge(l->rx), l->o);
    if (more <= 0 || l->failed)
        return;
    l->failed = true;
    outcome_fault(l->o, more);
    iw_llp_failed(l->v->ep, 0, more);
}

/* How many of these octets it took. The piece is a copy, gone afterwards. */
static uint32_t arrive(struct listener *l, uint32_t at, uint32_t len)
{
    static uint8_t piece[FRAMED_OCTETS];
    if (len > l->f->len - at)
        len = l->f->len - at;
    memcpy(piece, l->f->octets + at, len);
    uint32_t taken = mpa_receive(l->rx, at, piece, len);
    take_fpdus(l);
    memset(piece, 0xee, len);
    return taken;
}

static void arrive_out_of_order(struct listener *l, struct draw *d)
{
    for (uint32_t n = draw_below(d, 60); n && l->f->len; n--)
        arrive(l, draw_below(d, l->f->len), draw_from(d, 1, draw_chance(d, 50) ? 40 : 1500));
}

static void arrive_in_order(struct listener *l, struct draw *d)
{
    for (uint32_t at = (uint32_t)mpa_edge(l->rx), taken = 1; at < l->f->len && taken; at += taken)
        taken = arrive(l, at, draw_from(d, 1, 700));
}

bool framed_hear(struct victim *v, const struct framed *f, const struct presentation *p, struct outcome *o)
{
    struct draw d = draw_start(p->seed, p->in_order ? 25 : 26);
    struct mpa_rx_conf conf = {
        .flags = f->flags, .ulpdu_max = ULPDU_MAX, .store = STORE, .ranges = draw_chance(&d, 30) ? 4 : 200};
    conf.flags |= p->in_order ? MPA_IN_ORDER : draw_chance(&d, 50) ? MPA_TRUST_ALIGNMENT : 0;
    struct listener l = {.v = v, .f = f, .rx = mpa_rx_init(law_memory(mpa_rx_size(&conf)), &conf), .o = o};
    *o = (struct outcome){0};
    law_trace("hears it %s", p->in_order ? "in order" : "out of order");
    if (!p->in_order)
        arrive_out_of_order(&l, &d);
    arrive_in_order(&l, &d);
    victim_end(v, o);
    return o->fault || mpa_edge(l.rx) == f->len;
}
