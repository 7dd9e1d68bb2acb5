/* SPDX-License-Identifier: GPL-2.0-or-later */
/* credit.c -- what the ULP has consumed, and the window that the receiver advertises. */
#include "pair/pair_inner.h"

static struct rnic_window_state state_of(const struct pair *p, int side)
{
    const struct side *s = &p->side[side];
    return (struct rnic_window_state){.next = ideal_in_next(s->a.in),
                                      .backlog = s->a.backlog,
                                      .held = s->a.held_octets,
                                      .consumed = s->credit.consumed,
                                      .staging = rnic_statistics(s->nic)->staging};
}

uint64_t credit_advertise(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    if (!s->timed)
        return 0;
    struct rnic_window_state state = state_of(p, side);
    s->credit.told =
        state.next + (rnic_window_advertise(&s->credit.window, p->now, &state) << s->credit.window.shift);
    pair_tell_stage(p, (struct pair_event){
                           .what = PAIR_WINDOW, .side = side, .offset = state.next, .edge = s->credit.told});
    return s->credit.told;
}

void credit_init(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    s->credit.consumed_at = IW_NEVER;
    if (!s->timed)
        return;
    const struct rnic_window_conf *window = &rnic_configuration(s->nic)->window;
    rnic_window_init(&s->credit.window, window, pair_fpdu(&p->conf, !side), rnic_window_shift(window->bytes));
    ideal_limit(p->side[!side].out, credit_advertise(p, side));
}

/* ---- the ULP reads at its own pace ---- */

static void begin(struct pair *p, struct credit *c)
{
    uint64_t left = c->in_place - c->consumed;
    c->consuming = left < p->conf.mtu ? (uint32_t)left : p->conf.mtu;
    c->consumed_at = p->now + (uint64_t)c->consuming * 8 * PS_PER_S / p->conf.consume_rate;
}

void credit_in_place(struct pair *p, int side, uint64_t edge)
{
    struct credit *c = &p->side[side].credit;
    if (edge > c->in_place)
        c->in_place = edge;
    if (!p->conf.consume_rate)
        c->consumed = c->in_place;
    else if (c->consumed_at == IW_NEVER && c->consumed != c->in_place)
        begin(p, c);
}

void credit_consume(struct pair *p, int side)
{
    struct credit *c = &p->side[side].credit;
    if (c->consumed_at > p->now)
        return;
    c->consumed += c->consuming;
    c->moved = true;
    c->consumed_at = IW_NEVER;
    if (c->consumed != c->in_place)
        begin(p, c);
}

void credit_open(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    if (!s->timed || s->gone || !s->credit.moved)
        return;
    struct rnic_window_state state = state_of(p, side);
    s->credit.moved = rnic_window_opened(&s->credit.window, &state) && !answers_window(p, side);
}
