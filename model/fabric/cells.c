/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cells.c -- memory of packets under way: cells of one size, blocks of octets in classes, both used again. */
#include "fabric/fabric_inner.h"

#include <string.h>

/* Chunks grow with what was taken: few large ones are kinder to the address translation than many small ones. */
enum { CHUNK_MIN = 1 << 16, CHUNK_MAX = 1 << 24, ROOM_MIN = 256 /* of a list */ };

static size_t chunk(struct fabric_arena *a, size_t octets)
{
    size_t size = a->taken / 2;
    size = size < CHUNK_MIN ? CHUNK_MIN : size > CHUNK_MAX ? CHUNK_MAX : size;
    size = size < octets ? octets : size;
    a->taken += size;
    return size;
}

/* `octets`: a multiple of 32. Cells start on a line of cache. */
static void *take_memory(struct fabric *f, size_t octets, size_t align)
{
    struct fabric_arena *a = &f->arena;
    size_t skip = a->at ? (size_t)(-(uintptr_t)a->at) & (align - 1) : 0;
    if (!a->at || (size_t)(a->end - a->at) < octets + skip) {
        size_t want = chunk(a, octets + align);
        a->at = f->conf.more ? f->conf.more(f->conf.user, want) : NULL;
        if (!a->at) {
            a->end = NULL;
            fabric_end_with(f, FABRIC_MEMORY, "not enough memory for packets in flight");
            return NULL;
        }
        a->end = a->at + want;
        skip = (size_t)(-(uintptr_t)a->at) & (align - 1);
    }
    void *p = a->at + skip;
    a->at += skip + octets;
    LAW(a->at <= a->end);
    return p;
}

static unsigned class_of(uint32_t octets)
{
    unsigned class = 0;
    while ((uint32_t)BLOCK_MIN << class < octets)
        class ++;
    LAW(class < BLOCK_CLASSES && octets <= (uint32_t)BLOCK_MIN << class);
    return class;
}

static uint8_t *block_new(struct fabric *f, unsigned class)
{
    struct fabric_block *b = f->arena.blocks[class];
    if (!b)
        return take_memory(f, (size_t)BLOCK_MIN << class, BLOCK_MIN);
    f->arena.blocks[class] = b->next;
    return (uint8_t *)b;
}

static void block_free(struct fabric *f, uint8_t *p, unsigned class)
{
    struct fabric_block *b = (void *)p;
    b->next = f->arena.blocks[class];
    f->arena.blocks[class] = b;
}

void *fabric_line_new(struct fabric *f)
{
    struct fabric_cell *c = f->arena.cells;
    if (!c)
        return take_memory(f, CELL, CELL);
    f->arena.cells = c->next;
    return c;
}

void fabric_line_free(struct fabric *f, void *line)
{
    struct fabric_cell *c = line;
    c->next = f->arena.cells;
    f->arena.cells = c;
}

struct fabric_cell *fabric_cell_new(struct fabric *f, uint32_t head)
{
    struct fabric_cell *c;
    uint8_t *octets = NULL;
    unsigned class = class_of(head);
    if (head && !(octets = block_new(f, class)))
        return NULL;
    if (!(c = fabric_line_new(f)))
        return NULL;
    f->arena.out++;
    *c = (struct fabric_cell){.octets = octets, .head = (uint16_t)head, .block = (uint8_t) class};
    return c;
}

struct fabric_cell *fabric_cell_copy(struct fabric *f, const struct fabric_cell *c)
{
    struct fabric_cell *copy = fabric_cell_new(f, c->head);
    if (!copy)
        return NULL;
    uint8_t *octets = copy->octets, block = copy->block;
    *copy = *c;
    copy->octets = octets;
    copy->block = block;
    if (c->head)
        memcpy(octets, c->octets, c->head);
    return copy;
}

void fabric_cell_free(struct fabric *f, struct fabric_cell *c)
{
    LAW(f->parts || f->arena.out > 0);
    LAW(!c->octets || c->head <= (uint32_t)BLOCK_MIN << c->block);
    f->arena.out--;
    if (c->octets)
        block_free(f, c->octets, c->block);
    fabric_line_free(f, c);
}

struct ip_packet fabric_cell_packet(const struct fabric_cell *c)
{
    return (struct ip_packet){
        .size = c->size,
        .connection = c->connection,
        .direction = c->direction,
        .protocol = c->protocol,
        .ecn = c->ecn,
        .altered = c->flags & CELL_ALTERED,
        .trimmed = c->flags & CELL_TRIMMED,
        .copied = c->flags & CELL_COPIED,
        .head = c->head,
        .sealed = c->sealed,
        .entropy = c->entropy,
        .number = c->number,
        .octets = c->octets,
    };
}

/* ---- out of the order of a wire ---- */

static void *grown(struct fabric *f, const void *old, size_t used, size_t room)
{
    void *p = f->conf.more ? f->conf.more(f->conf.user, room) : NULL;
    if (!p)
        fabric_end_with(f, FABRIC_MEMORY, "not enough memory for packets in flight");
    else if (used)
        memcpy(p, old, used);
    return p;
}

void *fabric_grown(struct fabric *f, const void *list, uint32_t *room, size_t each)
{
    uint32_t want = *room ? 2 * *room : ROOM_MIN;
    void *p = grown(f, list, *room * each, want * each);
    *room = p ? want : *room;
    return p;
}

/* Room for an index more, and for its event beside those of the links. */
static bool late_grow(struct fabric *f)
{
    struct events *e = &f->events;
    uint32_t room = f->late_room;
    union fabric_late *late = fabric_grown(f, f->late, &room, sizeof *late);
    uint32_t more = room - f->late_room;
    if (!late)
        return false;
    struct event *heap = grown(f, NULL, 0, (e->room + more) * sizeof *heap);
    struct event *waiting = grown(f, NULL, 0, (e->room + more) * sizeof *waiting);
    if (!heap || !waiting)
        return false;
    f->late = late;
    f->late_room = room;
    fabric_events_grow(e, heap, waiting, more);
    return true;
}

bool fabric_late_add(struct fabric *f, struct fabric_cell *c, iw_time at, uint32_t port)
{
    uint32_t slot = f->late_free;
    if (slot != NONE) {
        f->late_free = f->late[slot].next;
    } else {
        if (f->late_used == f->late_room && !late_grow(f))
            return false;
        slot = f->late_used++;
    }
    LAW(slot < f->late_used && f->late_used <= f->late_room && at >= f->now);
    f->late[slot].cell = c;
    fabric_push(f, EVENT_ARRIVAL, at, port, LATE | slot, fabric_sender(f, port));
    return true;
}

struct fabric_cell *fabric_late_take(struct fabric *f, uint32_t slot)
{
    struct fabric_cell *c = f->late[slot].cell;
    LAW(slot < f->late_used && f->late_free != slot);
    f->late[slot].next = f->late_free;
    f->late_free = slot;
    return c;
}

static const struct fabric_cell *cell_of(const struct fabric *f, uint32_t item)
{
    return item & LATE ? f->late[item & ~LATE].cell : f->port[item].head;
}

/* A port of a host sees one direction of a connection; a copy comes later than what it is of. */
bool fabric_arrives_earlier(const void *world, uint32_t a, uint32_t b)
{
    const struct fabric_cell *x = cell_of(world, a), *y = cell_of(world, b);
    if (x->connection != y->connection)
        return x->connection + 1 < y->connection + 1; /* pause frames, NONE, come first */
    return x->number < y->number;
}
