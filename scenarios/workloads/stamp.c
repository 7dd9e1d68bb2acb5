/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stamp.c -- payload that tells which message it belongs to, cheap enough to be checked in every run. */
#include <string.h>

#include "channel/channel.h"
#include "scenarios/workloads/kind.h"

enum { EVERY = 256, MARK = 8 };

uint64_t stamp_key(uint32_t conn, uint32_t lane, uint64_t index)
{
    return channel_draw((uint64_t)conn << 8 | lane, index);
}

/* The octets of the mark at `offset`. */
static uint64_t mark(uint64_t key, uint32_t offset)
{
    uint64_t x = (key ^ offset) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
}

static uint32_t mark_size(uint32_t len, uint32_t offset)
{
    return len - offset < MARK ? len - offset : MARK;
}

/* Where the mark after the one at `offset` starts; `len`: it was the last. The last one ends with the message. */
static uint32_t next_mark(uint32_t len, uint32_t offset)
{
    uint32_t tail = len > MARK ? len - MARK : 0;
    if (offset >= tail)
        return len;
    return tail - offset > EVERY ? offset + EVERY : tail;
}

static void put_mark(uint8_t *memory, uint32_t len, uint64_t key, uint32_t offset)
{
    uint64_t m = mark(key, offset);
    memcpy(memory + offset, &m, mark_size(len, offset));
}

void stamp_put(uint8_t *memory, uint32_t len, uint64_t key)
{
    for (uint32_t o = 0; o < len; o = next_mark(len, o))
        put_mark(memory, len, key, o);
    LAW(stamp_check(memory, len, key) == len);
}

void stamp_fill(uint8_t *memory, uint32_t len, uint64_t key)
{
    for (uint32_t o = 0; o < len; o += MARK)
        put_mark(memory, len, key, o);
    LAW(stamp_wrong(memory, len, key) == 0);
}

uint32_t stamp_check(const uint8_t *memory, uint32_t len, uint64_t key)
{
    for (uint32_t o = 0, next; o < len; o = next) {
        uint64_t m = mark(key, o);
        next = next_mark(len, o);
        uint32_t covered =
            next - o < MARK ? next - o : mark_size(len, o); /* the next mark overwrote the rest */
        if (memcmp(memory + o, &m, covered))
            return o;
    }
    return len;
}

uint32_t stamp_wrong(const uint8_t *memory, uint32_t len, uint64_t key)
{
    uint32_t wrong = 0;
    for (uint32_t o = 0; o < len; o += MARK) {
        uint64_t m = mark(key, o);
        const uint8_t *right = (const uint8_t *)&m;
        for (uint32_t i = 0; i < mark_size(len, o); i++)
            wrong += memory[o + i] != right[i];
    }
    return wrong;
}
