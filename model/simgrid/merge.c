/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simgrid/merge.h"

#include "engine/law.h"

static bool sooner(const struct grid_run *a, const struct grid_run *b)
{
    return a->first->at != b->first->at ? a->first->at < b->first->at : a->order < b->order;
}

static struct grid_run *meld(struct grid_run *a, struct grid_run *b)
{
    if (!a || !b)
        return a ? a : b;
    struct grid_run *top = sooner(a, b) ? a : b, *below = top == a ? b : a;
    LAW(!sooner(below, top) && !a->sibling && !b->sibling);
    below->sibling = top->child;
    top->child = below;
    return top;
}

/* The two passes of a pairing heap: siblings in pairs, then all of them from the last. */
static struct grid_run *meld_all(struct grid_run *first)
{
    struct grid_run *pairs = NULL, *all = NULL;
    while (first) {
        struct grid_run *a = first, *b = a->sibling;
        first = b ? b->sibling : NULL;
        a->sibling = NULL;
        if (b)
            b->sibling = NULL;
        struct grid_run *pair = meld(a, b);
        pair->sibling = pairs;
        pairs = pair;
    }
    while (pairs) {
        struct grid_run *next = pairs->sibling;
        pairs->sibling = NULL;
        all = meld(all, pairs);
        pairs = next;
    }
    return all;
}

void grid_merge_add(struct grid_merge *m, struct grid_run *run)
{
    run->order = m->runs++;
    run->child = run->sibling = NULL;
    m->root = meld(m->root, run);
}

iw_time grid_merge_deadline(const struct grid_merge *m)
{
    return m->root ? m->root->first->at : IW_NEVER;
}

struct grid_packet *grid_merge_take(struct grid_merge *m, iw_time horizon)
{
    struct grid_run *top = m->root;
    if (!top || top->first->at > horizon)
        return NULL;
    struct grid_packet *packet = top->first;
    LAW(packet->at <= horizon &&
        (!packet->next || packet->next->at >= packet->at)); /* at or below the horizon, in order */
    top->first = packet->next;
    packet->next = NULL;
    if (top->first && !top->child)
        return packet;
    m->root = meld_all(top->child);
    top->child = NULL;
    if (top->first)
        m->root = meld(m->root, top);
    LAW(!m->root || m->root->first->at >= packet->at); /* they come out in the order of arrival */
    return packet;
}
