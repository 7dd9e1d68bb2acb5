/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete.c -- a completion that an endpoint makes is written to host memory; the ULP finds it by polling, or is woken by
 * an interrupt: the steps of done.h, on the agenda. */
#include "node/node_inner.h"

static uint32_t number_of(const struct node *n, const struct node_cq *q)
{
    return (uint32_t)(q - n->cq);
}

void complete_expect(struct node *n, struct node_cq *q, uint32_t entries)
{
    entries = entries < n->conf.cq_entries ? entries : n->conf.cq_entries;
    void *memory = entries > q->room ? n->conf.memory.more(n->conf.memory.user, iw_cq_size(entries)) : NULL;
    n->no_memory |= entries > q->room && !memory;
    if (!memory)
        return;
    iw_cq_move(q->cq, memory, entries);
    q->room = entries;
}

/* For one more: the ring grows as far as there may be entries, and what it does not take waits. */
static bool has_room(struct node *n, struct node_cq *q)
{
    struct node_completions *c = &q->done;
    uint32_t most = n->conf.cq_entries, room = 2 * c->room < most ? 2 * c->room : most;
    if (!completions_full(c) || c->room == most)
        return !completions_full(c);
    struct node_completion *ring = n->conf.memory.more(n->conf.memory.user, room * sizeof *ring);
    n->no_memory |= !ring;
    if (ring)
        completions_move(c, ring, room);
    complete_expect(n, q, room);
    return ring;
}

void complete_all(struct node *n, struct node_cq *q)
{
    struct node_completions *c = &q->done;
    struct iw_done done;
    while (has_room(n, q) && iw_poll(q->cq, &done)) {
        completions_put(c, n->now, &done);
        iw_time at = completions_write(c, n->nic);
        if (at <= n->now && c->visible + 1 == c->written)
            complete_visible(n, q);
        else
            agenda_put(n, at, AGENDA_VISIBLE, number_of(n, q), NULL);
    }
    LAW(n->no_memory || !iw_cq_overflowed(q->cq) || q->room == n->conf.cq_entries);
    if (completions_full(c) && !q->lost && iw_cq_overflowed(q->cq)) {
        q->lost = true;
        agenda_put(n, n->now, AGENDA_OVERFLOW, number_of(n, q), NULL);
    }
}

void complete_visible(struct node *n, struct node_cq *q)
{
    iw_time at = completions_see(&q->done, n->nic, n->now);
    if (at == IW_NEVER)
        return;
    if (at <= n->now)
        complete_look(n, q, at);
    else
        agenda_put_value(n, at, AGENDA_LOOK, number_of(n, q), at);
}

/* An entry that was replaced by an earlier one is stale. */
void complete_look(struct node *n, struct node_cq *q, iw_time at)
{
    if (at != q->done.look)
        return;
    iw_time taken = completions_look(&q->done, n->nic, n->now);
    if (taken == IW_NEVER)
        return;
    if (taken <= n->now)
        complete_shown(n, q);
    else
        agenda_put(n, taken, AGENDA_SHOWN, number_of(n, q), NULL);
}

void complete_shown(struct node *n, struct node_cq *q)
{
    const struct iw_done *done;
    while ((done = completions_show(&q->done, n->now)))
        if (node_hears(n, NODE_COMPLETED))
            node_tell(n, NULL, &(struct node_event){.kind = NODE_COMPLETED, .done = *done});
}

static bool take_oldest(struct node *n, struct node_cq *q, struct iw_done *done)
{
    if (!completions_get(&q->done, done))
        return false;
    if (!iw_cq_is_empty(q->cq))
        complete_all(n, q);
    return true;
}

bool node_poll(struct node *n, struct iw_done *done)
{
    return take_oldest(n, n->cq, done);
}

/* A receive that is shared has no entry of its own in the account: there is room for all of them. */
bool node_poll_of(struct node *n, uint32_t stream, struct iw_done *done)
{
    const struct node_stream *s = n->stream[stream];
    struct node_cq *q = connection_of(n, s)->cq;
    if (!take_oldest(n, q, done))
        return false;
    bool shared = done->op == IW_RECV && q->srq;
    if (!shared)
        tenant_give(n, s->tenant, IW_PRM_CQ_ENTRIES, 1);
    else if (tenant_take(n, s->tenant, IW_PRM_RECV_BUFFERS, 1) != IW_OK)
        node_terminate(n, n->now, stream, IW_T_DDP_NO_BUFFER);
    return true;
}

void node_arm(struct node *n, enum iw_arm arm)
{
    for (uint32_t i = 0; i <= n->conf.tenants; i++)
        completions_arm(&n->cq[i].done, arm);
}
