/* SPDX-License-Identifier: GPL-2.0-or-later */
/* laws.c -- what holds of a node in sums over its connections and streams. Asked where laws are: engine/law.h. */
#include "node/node_inner.h"

enum { SUMMED = 64 }; /* connections, streams or units that are summed; more: not at each packet */

bool node_octets_agree(const struct node *n)
{
    const struct rnic_stats *stats = rnic_statistics(n->nic);
    uint64_t staged = 0, held = 0;
    for (uint32_t i = 0; n->connections <= SUMMED && i < n->connections; i++) {
        staged += n->connection[i]->intake.staged;
        held += n->connection[i]->intake.held;
    }
    return n->connections > SUMMED || (staged <= stats->staging && held == stats->held);
}

bool node_pool_agrees(const struct node *n)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; n->streams <= SUMMED && i < n->streams; i++) {
        const struct llp_track *t = node_track(n, i);
        bits += t ? t->bits : 0;
    }
    return n->streams > SUMMED || bits == n->track_pool.used;
}

/* Two with one key are one that was cut elsewhere when it was sent again. */
static bool is_followed_by(const struct node_held *a, const struct node_held *b)
{
    return a->stream != b->stream ? a->stream < b->stream : a->key <= b->key;
}

bool node_held_agrees(const struct node_connection *c)
{
    uint64_t octets = 0;
    uint32_t n = 0;
    const struct node_held *h = c->held;
    for (; h && n < SUMMED && (!h->next || is_followed_by(h, h->next)); h = h->next, n++)
        octets += h->octets;
    return n == SUMMED || (!h && octets == c->intake.held);
}

bool node_way_out_agrees(const struct node *n, const struct node_connection *c)
{
    uint64_t pulled = 0;
    for (uint32_t i = c->first; c->streams <= SUMMED && i < c->first + c->streams; i++)
        pulled += n->stream[i]->reading;
    return c->streams > SUMMED ||
           (pulled == c->pulled && c->reading <= c->pulled && !c->pulled == !c->pulled_octets);
}

bool node_placing_agrees(const struct node *n, const struct node_connection *c)
{
    uint64_t placing = 0;
    for (uint32_t i = c->first; c->streams <= SUMMED && i < c->first + c->streams; i++)
        placing += n->stream[i]->placing;
    return c->streams > SUMMED || placing >= c->placing;
}

bool node_queue_agrees(const struct node_queue *q, enum node_queue_place place)
{
    return !q->first || (q->first->waits[place] && q->last->waits[place] && !q->last->next[place]);
}
