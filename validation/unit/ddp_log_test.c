/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log of what is placed and not delivered (RFC 5041 5.3, 5.4) beside an array that is sorted anew each time. */
#include <stdlib.h>
#include <string.h>

#include "engine/ddp.h"
#include "validation/support/test.h"

enum { MAX = 30, RING = 32, STEPS = 400, SEEDS = 2000 };

static struct ddp_landed slot[RING];
static uint16_t order[RING];
static struct ddp_log entries;
static uint64_t naive[MAX + 1], edge, rng;
static uint32_t count;

static uint32_t draw(uint32_t n)
{
    rng = rng * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(rng >> 33) % n;
}

static void begin(uint64_t seed)
{
    rng = seed;
    edge = count = 0;
    entries = (struct ddp_log){.slot = slot, .order = order, .mask = RING - 1, .max = MAX};
    ddp_log_init(&entries);
    entries.get = entries.put = UINT32_MAX - draw(100); /* counts, which wrap */
}

static bool naive_add(uint64_t key)
{
    uint32_t at = 0;
    while (at < count && naive[at] < key)
        at++;
    if (at < count && naive[at] == key)
        return false;
    memmove(naive + at + 1, naive + at, (count++ - at) * sizeof *naive);
    naive[at] = key;
    return true;
}

static void add(uint64_t key)
{
    struct ddp_landed *landed = ddp_log_add(&entries, key);
    assert_int_equal(landed != NULL, naive_add(key));
    if (landed)
        *landed = (struct ddp_landed){.key = key, .payload_len = (uint32_t)key * 3};
}

static void take_up_to(uint64_t key)
{
    const struct ddp_landed *landed;
    uint32_t n = 0;
    while ((landed = ddp_log_take(&entries, key))) {
        assert_true(n < count);
        assert_true(landed->key == naive[n++]);
        assert_int_equal(landed->payload_len, (uint32_t)landed->key * 3);
    }
    assert_true(n == count || naive[n] >= key);
    count -= n;
    memmove(naive, naive + n, count * sizeof *naive);
    edge = key;
}

/* To memory for as many or twice as many entries, by turns. */
static void move(void)
{
    static uint64_t memory[2][2 * RING * DDP_LOG_OCTETS / sizeof(uint64_t)];
    bool second = (void *)entries.slot == memory[0];
    assert_true(sizeof memory[0] == 2 * RING * DDP_LOG_OCTETS);
    memset(memory[second], 0xa5, sizeof memory[0]);
    ddp_log_move(&entries, memory[second], second ? 2 * RING : RING);
}

static void one(uint64_t seed)
{
    begin(seed);
    for (int step = 0; step < STEPS; step++) {
        if (!draw(20))
            move();
        if (count <= MAX && draw(5))
            add(edge + draw(draw(4) ? 40 : 400)); /* the same one again, now and then */
        else
            take_up_to(edge + draw(60));
        assert_int_equal(ddp_log_count(&entries), count);
    }
    take_up_to(UINT64_MAX);
    assert_int_equal(ddp_log_count(&entries), 0);
}

/* checks: DDP-5.3-6 DDP-5.4-5 */
TEST(what_was_placed_comes_out_in_the_order_sent)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        one(seed);
}
