/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simgrid/links.h"

#include "engine/law.h"

/* ---- ports: the first link of a path, and the last ---- */

static struct grid_link *port(struct grid_link *links, const struct grid_end *e, bool last)
{
    return &links[e->link[last ? e->links - 1 : 0]];
}

static bool is_single(const struct grid_chunk *chunk)
{
    return chunk->flow.n == 1;
}

static bool is_full(const struct grid_link *l, const struct grid_chunk *chunk)
{
    return l->flows >= GRID_TURNS || (is_single(chunk) && l->singles >= GRID_SINGLES);
}

static struct grid_link *full_port(struct grid_link *links, const struct grid_chunk *chunk)
{
    for (int last = 0; last < 2; last++)
        if (is_full(port(links, chunk->from, last), chunk))
            return port(links, chunk->from, last);
    return NULL;
}

/* In the order of their asking, whichever port they waited for before. */
static void wait_for_port(struct grid_link *l, struct grid_chunk *chunk)
{
    struct grid_chunk **at = &l->waiting;
    if (l->waiting && l->last->began <= chunk->began)
        at = &l->last->next;
    while (*at && (*at)->began <= chunk->began)
        at = &(*at)->next;
    chunk->next = *at;
    *at = chunk;
    if (!chunk->next)
        l->last = chunk;
    LAW(!l->last->next && l->waiting->began <= l->last->began); /* oldest first */
}

/* Law: a flow is on all of its links or on none: on each as one of its flows, alone on all or on none. */
static bool is_on_all(const struct grid_link *links, const struct grid_chunk *chunk)
{
    bool all = true;
    for (uint32_t i = 0; i < chunk->from->links; i++) {
        const struct grid_link *l = &links[chunk->from->link[i]];
        bool single = !is_single(chunk) || l->singles, counted = l->apart || l->flows;
        all &= single && counted && (l->apart || (l->alone == chunk) == chunk->alone);
    }
    return all;
}

struct grid_chunk *grid_links_turn(struct grid_link *links, const struct grid_end *left)
{
    for (int last = 0; last < 2; last++) {
        struct grid_link *l = port(links, left, last);
        struct grid_chunk *chunk = l->waiting;
        if (!chunk || is_full(l, chunk))
            continue;
        l->waiting = chunk->next;
        return chunk;
    }
    return NULL;
}

/* ---- alone ---- */

static iw_time time_of(const struct grid_chunk *chunk, double rate)
{
    return (iw_time)((double)chunk->octets * 1e12 / rate);
}

/* Its rate in octets per second; 0: nothing bounds it. */
static double rate_alone(const struct grid_link *links, const struct grid_chunk *chunk)
{
    double rate = chunk->rate / 8;
    for (uint32_t i = 0; i < chunk->from->links; i++) {
        double l = links[chunk->from->link[i]].rate;
        rate = l > 0 && (rate <= 0 || l < rate) ? l : rate;
    }
    return rate;
}

static double weight_of(const struct grid_link *links, const struct grid_end *e)
{
    uint32_t shared = 0;
    for (uint32_t i = 0; i < e->links; i++)
        shared += links[e->link[i]].flows > 1;
    return shared ? shared : 1;
}

/* Somebody else is on one of its links from now on. */
static void meet(struct grid_link *links, struct grid_chunk *chunk, iw_time now)
{
    const struct grid_end *e = chunk->from;
    for (uint32_t i = 0; i < e->links; i++)
        links[e->link[i]].alone = NULL;
    iw_time left = chunk->began + chunk->lasts > now ? chunk->began + chunk->lasts - now : 0;
    double rest = chunk->lasts ? (double)chunk->octets * ((double)left / (double)chunk->lasts) : 0;
    chunk->octets = (uint64_t)rest + ((double)(uint64_t)rest < rest); /* whole ones, rounded up */
    LAW(left <= chunk->lasts);
    chunk->alone = false;
    chunk->weight = weight_of(links, e);
}

bool grid_links_join(struct grid_link *links, struct grid_chunk *chunk, iw_time now, struct grid_chunk **met,
                     uint32_t *count)
{
    const struct grid_end *e = chunk->from;
    struct grid_link *full = full_port(links, chunk);
    *count = 0;
    LAW(!chunk->alone); /* what waits is on none */
    if (full) {
        wait_for_port(full, chunk);
        return false;
    }
    chunk->alone = true;
    for (uint32_t i = 0; i < e->links; i++) {
        struct grid_link *l = &links[e->link[i]];
        chunk->alone &= !l->flows || l->apart;
        LAW(!l->alone || l->flows == 1); /* who meets nobody is the only one */
        if (l->alone) {
            met[*count] = l->alone;
            meet(links, met[(*count)++], now);
        }
        l->flows += !l->apart;
        l->singles += is_single(chunk);
    }
    chunk->weight = weight_of(links, e);
    double rate = rate_alone(links, chunk);
    chunk->began = now;
    chunk->alone &= rate > 0;
    chunk->lasts = chunk->alone ? time_of(chunk, rate) : 0;
    for (uint32_t i = 0; chunk->alone && i < e->links; i++)
        if (!links[e->link[i]].apart)
            links[e->link[i]].alone = chunk;
    LAW(is_on_all(links, chunk)); /* a flow is on all of its links or on none */
    return true;
}

void grid_links_leave(struct grid_link *links, struct grid_chunk *chunk)
{
    const struct grid_end *e = chunk->from;
    LAW(is_on_all(links, chunk)); /* a flow is on all of its links or on none */
    for (uint32_t i = 0; i < e->links; i++) {
        struct grid_link *l = &links[e->link[i]];
        l->flows -= !l->apart;
        l->singles -= is_single(chunk);
        if (l->alone == chunk)
            l->alone = NULL;
    }
    chunk->alone = false;
}
