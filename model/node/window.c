/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window.c -- what the ULP has consumed, and the window that the receiver offers. */
#include "node/node_inner.h"

#define PS_PER_S UINT64_C(1000000000000)

void window_init(struct node *n, struct node_connection *c, uint32_t fpdu)
{
    const struct rnic_window_conf *conf = &rnic_configuration(n->nic)->window;
    rnic_window_init(&c->window, conf, fpdu, c->llp->shift ? c->llp->shift(c->l) : 0);
}

static inline struct rnic_window_state state_of_window(const struct node *n, const struct node_connection *c)
{
    uint64_t next = c->llp->received(c->l);
    return (struct rnic_window_state){.next = next,
                                      .backlog = c->intake.staged,
                                      .held = c->intake.held,
                                      .consumed = c->up ? c->consumed : next,
                                      .staging = rnic_statistics(n->nic)->staging};
}

static bool is_as_said(const struct rnic_window_state *a, const struct rnic_window_state *b)
{
    return a->next == b->next && a->backlog == b->backlog && a->held == b->held &&
           a->consumed == b->consumed && a->staging == b->staging;
}

/* What was offered last. */
static void credit(const struct node *n, const struct node_connection *c, bool say_so)
{
    c->llp->credit(c->l, n->now, c->window.advertised - c->said.next, say_so);
}

void window_offer(struct node *n, struct node_connection *c)
{
    if (c->llp->has & LLP_PACKETS)
        return;
    struct rnic_window_state state = state_of_window(n, c);
    if (c->offered && is_as_said(&state, &c->said))
        return;
    uint64_t told = c->window.advertised;
    c->said = state;
    c->offered = true;
    rnic_window_advertise(&c->window, n->now, &state);
    LAW(c->window.advertised >= told); /* the right edge of a window never moves left */
    credit(n, c, false);
    if (node_hears(n, NODE_WINDOW))
        node_tell(n, n->stream[c->first],
                  &(struct node_event){.kind = NODE_WINDOW, .key = state.next, .edge = c->window.advertised});
}

/* Nothing has been told that could be updated before the stream is up. */
void window_update(struct node *n, struct node_connection *c)
{
    c->freed = false;
    if (!c->offered || !n->stream[c->first]->up)
        return;
    struct rnic_window_state state = state_of_window(n, c);
    if (!rnic_window_opened(&c->window, &state))
        return;
    window_offer(n, c);
    credit(n, c, true);
}

/* ---- the ULP reads at its own pace ---- */

static void begin_consuming(struct node *n, struct node_stream *s)
{
    uint64_t left = s->in_place - s->consumed;
    LAW(s->consumed < s->in_place && !s->consuming);
    s->consuming = left < n->conf.mtu ? (uint32_t)left : n->conf.mtu;
    iw_time at = n->now + (uint64_t)s->consuming * 8 * PS_PER_S / n->conf.consume_rate;
    agenda_put(n, at, AGENDA_CONSUMED, s->number, NULL);
}

static uint64_t octets_below(struct node *n, struct node_stream *s, uint64_t key)
{
    const struct node_connection *c = connection_of(n, s);
    return c->llp->octets_below ? c->llp->octets_below(c->l, s->llp_stream, key) : key;
}

static void consume(struct node *n, struct node_stream *s, uint64_t octets)
{
    s->consumed += octets;
    connection_of(n, s)->consumed += octets;
}

void window_up(struct node *n, struct node_stream *s)
{
    s->in_place = octets_below(n, s, s->edge);
    consume(n, s, s->in_place - s->consumed);
}

void window_in_place(struct node *n, struct node_stream *s, uint64_t edge)
{
    LAW(octets_below(n, s, edge) >= s->in_place);
    s->in_place = octets_below(n, s, edge);
    if (!n->conf.consume_rate)
        consume(n, s, s->in_place - s->consumed);
    else if (!s->consuming && s->consumed != s->in_place)
        begin_consuming(n, s);
}

void window_consumed(struct node *n, struct node_stream *s)
{
    struct node_connection *c = connection_of(n, s);
    consume(n, s, s->consuming);
    LAW(s->consumed <= s->in_place);
    s->consuming = 0;
    c->freed |= rnic_window_counts_consumed(&c->window);
    if (s->consumed != s->in_place)
        begin_consuming(n, s);
    node_settle(n, c);
}
