/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agenda.c -- what ends when, and cells of memory for what is under way. */
#include <string.h>

#include "engine/least.h"
#include "node/node_inner.h"

/* ---- cells ---- */

static unsigned size_class(size_t octets)
{
    size_t above = (octets - 1) >> CELL_MIN;
    return above ? 64 - (unsigned)__builtin_clzll(above) : 0;
}

void *node_cell_take(struct node_cells *c, size_t octets)
{
    unsigned i = size_class(octets);
    if (i >= CELL_SIZES)
        return NULL;
    void *cell = c->spare[i];
    if (cell)
        memcpy(&c->spare[i], cell, sizeof(void *));
    else
        cell = c->memory.more(c->memory.user, (size_t)1 << (CELL_MIN + i));
    c->taken += cell != NULL;
    return cell;
}

void node_cell_free(struct node_cells *c, void *cell, size_t octets)
{
    unsigned i = size_class(octets);
    LAW(i < CELL_SIZES && c->taken);
    memcpy(cell, &c->spare[i], sizeof(void *));
    c->spare[i] = cell;
    c->taken--;
}

/* ---- a binary heap by (time, order of making) ---- */

static bool before(const struct node_agenda_item *a, const struct node_agenda_item *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

/* No item comes before the one it is below. */
static bool is_in_heap_order(const struct node_agenda *a, uint32_t i)
{
    uint32_t child = 2 * i + 1;
    bool above = !i || before(&a->heap[(i - 1) / 2], &a->heap[i]);
    return above && (child >= a->count || before(&a->heap[i], &a->heap[child])) &&
           (child + 1 >= a->count || before(&a->heap[i], &a->heap[child + 1]));
}

static void up(struct node_agenda *a, uint32_t i, const struct node_agenda_item *item)
{
    for (; i && before(item, &a->heap[(i - 1) / 2]); i = (i - 1) / 2)
        a->heap[i] = a->heap[(i - 1) / 2];
    a->heap[i] = *item;
    LAW(is_in_heap_order(a, i));
}

static void down(struct node_agenda *a, const struct node_agenda_item *item)
{
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child + 1 < a->count && before(&a->heap[child + 1], &a->heap[child]))
            child++;
        if (child >= a->count || !before(&a->heap[child], item))
            break;
        a->heap[i] = a->heap[child];
        i = child;
    }
    a->heap[i] = *item;
    LAW(is_in_heap_order(a, i));
}

/* The old room stays unused: all of them together are smaller than the new one. */
static bool grow_agenda(struct node *n)
{
    struct node_agenda *a = &n->agenda;
    uint32_t room = a->room ? 2 * a->room : 8;
    struct node_agenda_item *heap = n->conf.memory.more(n->conf.memory.user, room * sizeof *heap);
    if (!heap)
        return false;
    if (a->count)
        memcpy(heap, a->heap, a->count * sizeof *heap);
    a->heap = heap;
    a->room = room;
    return true;
}

static void put_item(struct node *n, struct node_agenda_item item)
{
    struct node_agenda *a = &n->agenda;
    if (a->count == a->room && !grow_agenda(n)) {
        n->no_memory = true;
        return;
    }
    LAW(a->count < a->room && a->count <= a->made);
    item.order = a->made++;
    up(a, a->count++, &item);
    a->first = least(a->first, item.at);
}

void agenda_put(struct node *n, iw_time at, enum node_agenda_kind kind, uint32_t number, void *cell)
{
    put_item(n, (struct node_agenda_item){.at = at, .kind = kind, .number = number, .what.cell = cell});
}

void agenda_put_value(struct node *n, iw_time at, enum node_agenda_kind kind, uint32_t number, uint64_t value)
{
    put_item(n, (struct node_agenda_item){.at = at, .kind = kind, .number = number, .what.value = value});
}

bool agenda_take(struct node *n, struct node_agenda_item *item)
{
    struct node_agenda *a = &n->agenda;
    if (a->first > n->now || !a->count)
        return false;
    *item = a->heap[0];
    struct node_agenda_item last = a->heap[--a->count];
    if (a->count)
        down(a, &last);
    a->first = a->count ? a->heap[0].at : IW_NEVER;
    return true;
}
