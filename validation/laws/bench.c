/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench.h"

#include <string.h>

#include "law.h"

enum {
    SEGMENTS_MAX = 2048,
    PENDING_MAX = 256,
    REGIONS_TABLE = REGIONS + 2,
    CQ_ENTRIES = 256,
    KEY_GAP = 9,
    COPIES_MAX = 3
};
enum segment_state { AWAY, KEPT, TAKEN };

/* One direction, named after its sender. */
struct line {
    struct bench_segment segment[SEGMENTS_MAX];
    uint32_t count, edge; /* sent; delivered by the receiver */
    uint64_t next_key;
    uint32_t accepted, acked; /* segments */
    bool fin, fin_told;
};

struct pending {
    struct iw_seg seg;
    struct iw_place place;
    uint32_t segment;
};

struct bench {
    struct world world; /* first: the world is the bench */
    struct bench_conf conf;
    struct draw d;
    struct iw_cq *cq[2];
    iw_time now;
    struct line line[2];
    struct pending pending[2][PENDING_MAX];
    uint32_t pendings[2];
    bool down[2], reset[2]; /* over; RST is on its way to it */
};

static struct bench *bench_of(struct world *w)
{
    return (struct bench *)w;
}

static iw_time now_of(const struct world *w)
{
    return ((const struct bench *)w)->now;
}

static void tell(struct bench *b, enum heard_what what, int side, const struct iw_seg *seg)
{
    world_tell(&b->world, (struct heard){.what = what, .side = side, .seg = seg});
}

static void tell_fault(struct bench *b, int side, int term)
{
    world_tell(&b->world, (struct heard){.what = HEARD_FAULT, .side = side, .term = term});
}

/* ---- transmit ---- */

static void store(struct bench *b, int side, const struct iw_seg *seg)
{
    struct line *l = &b->line[side];
    law(l->count < SEGMENTS_MAX, "side %d sent %u segments", side, l->count);
    struct bench_segment *s = &l->segment[l->count++];
    *s = (struct bench_segment){.key = seg->key,
                                .end = seg->key + 1 + draw_below(&b->d, KEY_GAP),
                                .len = seg->head_len + seg->payload_len};
    uint8_t *p = s->octets = law_memory(s->len);
    memcpy(p, seg->head, seg->head_len);
    p += seg->head_len;
    for (int i = 0; i < seg->frags; i++) {
        if (seg->frag[i].octets)
            memcpy(p, seg->frag[i].octets, seg->frag[i].len);
        else
            memset(p, 0, seg->frag[i].len);
        p += seg->frag[i].len;
    }
    l->next_key = s->end;
}

static bool transmit(struct bench *b, int side)
{
    struct line *l = &b->line[side];
    struct iw_seg seg;
    if (b->down[side] || l->fin || l->count - l->edge >= b->conf.flight)
        return false;
    bool work = iw_has_work(b->world.ep[side]);
    if (!iw_transmit(b->world.ep[side], b->now, l->next_key, &seg))
        return false;
    law(work, "side %d said that it has no work, and sent", side);
    law(seg.key == l->next_key, "side %d sent key %llu, not %llu", side, (unsigned long long)seg.key,
        (unsigned long long)l->next_key);
    tell(b, HEARD_SENT, side, &seg);
    store(b, side, &seg);
    return true;
}

/* ---- arrive ---- */

/* Some cut of the payload into fragments: it lies where it lies, in pieces that may be empty. */
static void view(struct bench *b, const struct bench_segment *s, struct iw_seg *seg)
{
    iw_seg_view(seg, s->key, s->octets, s->len);
    if (!seg->frags || draw_chance(&b->d, 50)) {
        if (b->conf.length_only && seg->payload_len > IW_TERM_MAX)
            for (int i = 0; i < seg->frags; i++)
                seg->frag[i].octets = NULL;
        return;
    }
    const uint8_t *octets = seg->frag[0].octets;
    uint32_t left = seg->payload_len;
    seg->frags = (uint8_t)draw_from(&b->d, 1, IW_FRAGS_MAX);
    for (int i = 0; i < seg->frags; i++) {
        uint32_t len = i + 1 == seg->frags ? left : draw_below(&b->d, left + 1);
        seg->frag[i] = (struct iw_frag){octets, len};
        octets += len;
        left -= len;
    }
}

static void keep_pending(struct bench *b, int side, const struct iw_seg *seg, const struct iw_place *place,
                         uint32_t segment)
{
    law(b->pendings[side] < PENDING_MAX, "side %d has %u placements in flight", side, b->pendings[side]);
    b->pending[side][b->pendings[side]++] = (struct pending){*seg, *place, segment};
    b->line[!side].segment[segment].in_flight++;
}

static void present(struct bench *b, int side, uint32_t index)
{
    struct line *l = &b->line[!side];
    struct bench_segment *s = &l->segment[index];
    struct iw_seg seg;
    struct iw_place place;
    view(b, s, &seg);
    s->arrivals++;
    int verdict = iw_check(b->world.ep[side], b->now, &seg, &place);
    law(verdict != IW_EINVAL, "side %d: key %llu is behind the edge", side, (unsigned long long)seg.key);
    law(verdict == IW_OK || verdict == IW_LATER || verdict == IW_ESTATE || verdict > 0, "side %d: verdict %d",
        side, verdict);
    if (verdict == IW_LATER) {
        if (s->state == AWAY)
            s->state = KEPT;
        tell(b, HEARD_KEPT, side, &seg);
        return;
    }
    s->state = TAKEN;
    if (verdict == IW_OK)
        keep_pending(b, side, &seg, &place, index);
    if (verdict > 0) {
        law(index == l->edge, "side %d: a verdict on a segment out of order", side);
        tell_fault(b, side, verdict);
    }
}

/* May the segment at `index` come now? One that is kept comes when it is its turn; one that is taken, as a
 * duplicate. */
static bool may_arrive(struct bench *b, int side, uint32_t index)
{
    const struct line *l = &b->line[!side];
    const struct bench_segment *s = &l->segment[index];
    if (s->state == AWAY)
        return !b->conf.in_order[side] || index == l->edge;
    if (s->state == KEPT)
        return index == l->edge;
    return !b->conf.in_order[side] && s->arrivals < COPIES_MAX && draw_chance(&b->d, b->conf.duplicates);
}

static bool arrive(struct bench *b, int side)
{
    struct line *l = &b->line[!side];
    uint32_t reach = l->count - l->edge < b->conf.span ? l->count - l->edge : b->conf.span;
    if (b->down[side] || !reach || b->pendings[side] == PENDING_MAX)
        return false;
    uint32_t first = draw_below(&b->d, reach);
    for (uint32_t i = 0; i < reach; i++) {
        uint32_t index = l->edge + (first + i) % reach;
        uint8_t before = l->segment[index].state;
        if (!may_arrive(b, side, index))
            continue;
        present(b, side, index);
        return before != KEPT || l->segment[index].state != KEPT; /* a segment that waits on is no progress */
    }
    return false;
}

static bool commit(struct bench *b, int side)
{
    if (!b->pendings[side])
        return false;
    uint32_t i = draw_below(&b->d, b->pendings[side]);
    struct pending p = b->pending[side][i];
    b->pending[side][i] = b->pending[side][--b->pendings[side]];
    b->line[!side].segment[p.segment].in_flight--;
    int result = iw_commit(b->world.ep[side], b->now, &p.seg, &p.place);
    if (result > 0)
        tell_fault(b, side, result);
    else if (result == IW_OK)
        world_tell(&b->world,
                   (struct heard){.what = HEARD_PLACED, .side = side, .seg = &p.seg, .place = &p.place});
    return true;
}

/* ---- deliver, accept, acknowledge ---- */

static void deliver_below(struct bench *b, int side, uint64_t key)
{
    struct iw_message m;
    int result;
    while ((result = iw_deliver(b->world.ep[side], b->now, key, &m)) == 1)
        world_tell(&b->world, (struct heard){.what = HEARD_DELIVERED, .side = side, .message = &m});
    if (result > 0)
        tell_fault(b, side, result);
}

static bool deliver(struct bench *b, int side)
{
    struct line *l = &b->line[!side];
    uint32_t ready = 0;
    while (l->edge + ready < l->count && l->segment[l->edge + ready].state == TAKEN &&
           !l->segment[l->edge + ready].in_flight)
        ready++;
    if (!ready)
        return false;
    l->edge += draw_from(&b->d, 1, ready);
    if (!b->down[side])
        deliver_below(b, side, l->segment[l->edge - 1].end);
    return true;
}

static bool accept(struct bench *b, int side)
{
    struct line *l = &b->line[side];
    if (b->down[side] || l->accepted == l->count)
        return false;
    l->accepted += draw_from(&b->d, 1, l->count - l->accepted);
    b->world.accepted[side] = l->segment[l->accepted - 1].end;
    iw_accepted(b->world.ep[side], b->now, b->world.accepted[side]);
    return true;
}

static bool acknowledge(struct bench *b, int side)
{
    struct line *l = &b->line[side];
    uint32_t arrived = l->edge;
    while (arrived < l->count && l->segment[arrived].state != AWAY)
        arrived++;
    if (b->down[side] || l->acked >= arrived)
        return false;
    l->acked += draw_from(&b->d, 1, arrived - l->acked);
    if (l->accepted < l->acked)
        l->accepted = l->acked;
    b->world.acked[side] = l->segment[l->acked - 1].end;
    if (b->world.accepted[side] < b->world.acked[side])
        b->world.accepted[side] = b->world.acked[side];
    iw_note_acked(b->world.ep[side], b->now, b->world.acked[side]);
    return true;
}

/* No progress by itself: true only now and then. */
static bool change_mulpdu(struct bench *b, int side)
{
    if (b->down[side] || b->conf.mulpdu_low == b->conf.mulpdu_high || !iw_has_work(b->world.ep[side]))
        return false;
    b->world.mulpdu[side] = draw_from(&b->d, b->conf.mulpdu_low, b->conf.mulpdu_high);
    int result = iw_set_mulpdu(b->world.ep[side], b->world.mulpdu[side]);
    law(result == IW_OK, "MULPDU %u was refused", b->world.mulpdu[side]);
    return false;
}

/* ---- the end ---- */

static void lose(struct bench *b, int side, enum iw_llp_says what)
{
    b->down[side] = true;
    iw_llp(b->world.ep[side], b->now, what);
}

static bool carry_request(struct bench *b, int side)
{
    enum iw_llp_want want = iw_llp_request(b->world.ep[side]);
    if (want == IW_LLP_NOTHING)
        return false;
    world_tell(&b->world, (struct heard){.what = HEARD_STEP, .side = side, .term = (int)want});
    if (want == IW_LLP_SEND_RST)
        law_trace("side %d sends RST", side);
    if (want == IW_LLP_SEND_FIN) {
        law_trace("side %d sends FIN", side);
        law(!b->line[side].fin, "side %d asks for a second FIN", side);
        b->line[side].fin = true;
        return true;
    }
    b->down[side] = true;
    if (!b->down[!side])
        b->reset[!side] = true;
    return true;
}

static bool carry_end(struct bench *b, int side)
{
    struct line *in = &b->line[!side], *out = &b->line[side];
    if (carry_request(b, side))
        return true;
    if (b->down[side])
        return false;
    if (b->reset[side]) {
        lose(b, side, IW_LLP_LOST);
        return true;
    }
    if (in->fin && !in->fin_told && in->edge == in->count) {
        in->fin_told = true;
        iw_llp(b->world.ep[side], b->now, IW_LLP_FIN);
        return true;
    }
    if (!in->fin_told || !out->fin || out->acked < out->count)
        return false;
    lose(b, side, IW_LLP_DOWN);
    return true;
}

static void cut(struct world *w)
{
    struct bench *b = bench_of(w);
    for (int side = 0; side < 2; side++)
        if (!b->down[side])
            b->reset[side] = true;
}

/* Nothing else can happen: let time pass until an engine acts. */
static bool expire(struct world *w)
{
    struct bench *b = bench_of(w);
    iw_time due = IW_NEVER;
    for (int side = 0; side < 2; side++)
        if (!b->down[side] && iw_deadline(b->world.ep[side]) < due)
            due = iw_deadline(b->world.ep[side]);
    if (due == IW_NEVER)
        return false;
    if (due > b->now)
        b->now = due;
    for (int side = 0; side < 2; side++)
        if (!b->down[side])
            iw_expire(b->world.ep[side], b->now);
    return true;
}

/* ---- the lot ---- */

static bool (*const steps[STEPS])(struct bench *, int) = {
    [STEP_TRANSMIT] = transmit,    [STEP_ARRIVE] = arrive, [STEP_COMMIT] = commit,
    [STEP_DELIVER] = deliver,      [STEP_ACCEPT] = accept, [STEP_ACK] = acknowledge,
    [STEP_MULPDU] = change_mulpdu, [STEP_END] = carry_end,
};

static uint32_t choose(struct bench *b)
{
    uint32_t sum = 0, i = 0;
    for (int n = 0; n < STEPS; n++)
        sum += b->conf.weight[n];
    uint32_t at = draw_below(&b->d, 2 * sum);
    int side = at >= sum;
    for (at -= side ? sum : 0; at >= b->conf.weight[i]; i++)
        at -= b->conf.weight[i];
    return (uint32_t)side * STEPS + i;
}

static bool step(struct world *w)
{
    struct bench *b = bench_of(w);
    uint32_t first = choose(b);
    b->now += draw_below(&b->d, 1000);
    for (uint32_t i = 0; i < 4 * STEPS; i++) { /* twice round: one that did nothing may have ended a stream */
        uint32_t n = (first + i) % (2 * STEPS);
        if (steps[n % STEPS](b, (int)(n / STEPS)))
            return true;
    }
    return false;
}

static int post(struct world *w, int side, const struct iw_work *work)
{
    return iw_post(w->ep[side], bench_of(w)->now, work);
}

static bool poll(struct world *w, int side, struct iw_done *done)
{
    return iw_poll(bench_of(w)->cq[side], done);
}

static bool event(struct world *w, int side, struct iw_event *e)
{
    return iw_event(w->ep[side], e);
}

static int close_stream(struct world *w, int side, enum iw_close_how how)
{
    return iw_close(w->ep[side], bench_of(w)->now, how);
}

static int terminate(struct world *w, int side, int term)
{
    return iw_terminate(w->ep[side], bench_of(w)->now, term);
}

static bool fail(struct world *w, int side, int term)
{
    iw_llp_failed(w->ep[side], bench_of(w)->now, term);
    return true;
}

/* ---- making one ---- */

struct bench_conf bench_draw(uint64_t seed, uint32_t mulpdu)
{
    static const uint32_t weights[] = {1, 1, 4, 16};
    struct draw d = draw_start(seed, 4);
    struct bench_conf c = {.seed = draw_bits(&d), .mulpdu_low = mulpdu, .mulpdu_high = mulpdu};
    for (int i = 0; i < 2; i++)
        c.in_order[i] = draw_chance(&d, 15);
    c.wait_first = draw_chance(&d, 50);
    c.span = draw_chance(&d, 30) ? draw_from(&d, 1, 4) : draw_from(&d, 4, 100);
    c.flight = draw_chance(&d, 30) ? draw_from(&d, 1, 8) : draw_from(&d, 8, 200);
    c.duplicates = draw_chance(&d, 40) ? draw_below(&d, 40) : 0;
    if (draw_chance(&d, 40))
        c.mulpdu_low = 128;
    for (int i = 0; i < STEPS; i++)
        c.weight[i] = weights[draw_below(&d, 4)];
    return c;
}

static struct iw_conf conf_of(const struct bench *b, const struct plan *plan, int side)
{
    struct iw_conf c = plan->side[side].conf;
    c.mulpdu = b->world.mulpdu[side];
    c.llp = IW_LLP_ALL;
    return c;
}

static void make_side(struct bench *b, const struct plan *plan, int side)
{
    struct iw_conf c = conf_of(b, plan, side);
    struct world *w = &b->world;
    w->stags[side] = c.stags = iw_stags_init(law_memory(iw_stags_size(REGIONS_TABLE)), REGIONS_TABLE,
                                             plan->seed * 2 + (unsigned)side);
    uint32_t entries = b->conf.cq_entries ? b->conf.cq_entries : CQ_ENTRIES;
    b->cq[side] = c.send_cq = c.recv_cq = iw_cq_init(law_memory(iw_cq_size(entries)), entries, c.trust);
    law(!iw_conf_error(&c), "side %d: %s", side, iw_conf_error(&c));
    w->ep[side] = iw_ep_init(law_memory(iw_ep_size(&c)), &c);
    iw_enable(w->ep[side], 0, side && b->conf.wait_first ? IW_WAIT_FIRST : 0);
}

struct world *bench_open(const struct bench_conf *conf, const struct plan *plan)
{
    struct bench *b = law_memory(sizeof *b);
    b->world = (struct world){.knows_acks = true,
                              .length_only = conf->length_only,
                              .now = now_of,
                              .step = step,
                              .expire = expire,
                              .post = post,
                              .poll = poll,
                              .event = event,
                              .close = close_stream,
                              .terminate = terminate,
                              .fail = fail,
                              .cut = cut};
    b->conf = *conf;
    b->d = draw_start(conf->seed, 5);
    b->now = 0;
    for (int i = 0; i < 2; i++) {
        struct line *l = &b->line[i];
        l->count = l->edge = l->accepted = l->acked = b->pendings[i] = 0;
        l->next_key = 0;
        l->fin = l->fin_told = b->down[i] = b->reset[i] = false;
        b->world.mulpdu[i] = conf->mulpdu_high;
        make_side(b, plan, i);
    }
    return &b->world;
}

/* ---- for laws that play a part of the host themselves ---- */

uint32_t bench_away(struct world *w, int side)
{
    const struct line *l = &bench_of(w)->line[side];
    uint32_t n = 0;
    for (uint32_t i = l->edge; i < l->count; i++)
        n += l->segment[i].state == AWAY;
    return n;
}

struct bench_segment *bench_away_at(struct world *w, int side, uint32_t i)
{
    struct line *l = &bench_of(w)->line[side];
    for (uint32_t n = l->edge; n < l->count; n++)
        if (l->segment[n].state == AWAY && i-- == 0)
            return &l->segment[n];
    return NULL;
}

uint32_t bench_in_flight(const struct world *w, int side)
{
    return ((const struct bench *)w)->pendings[side];
}

bool bench_overflowed(const struct world *w, int side)
{
    return iw_cq_overflowed(((const struct bench *)w)->cq[side]);
}
