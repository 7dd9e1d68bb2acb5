/* SPDX-License-Identifier: GPL-2.0-or-later */
/* talk.c -- who talks to whom (talk.h). */
#include "scenarios/workloads/talk.h"

#include "scenarios/workloads/kind.h"

uint32_t talks_one(const struct workload_conf *conf)
{
    (void)conf;
    return 1;
}

struct workload_pair talk_one(const struct workload_conf *conf, uint32_t pair)
{
    (void)conf;
    (void)pair;
    return (struct workload_pair){0, 1};
}

uint32_t talks_spokes(const struct workload_conf *conf)
{
    return conf->hosts - 1;
}

struct workload_pair talk_to_hub(const struct workload_conf *conf, uint32_t pair)
{
    (void)conf;
    return (struct workload_pair){pair + 1, 0};
}

struct workload_pair talk_from_hub(const struct workload_conf *conf, uint32_t pair)
{
    (void)conf;
    return (struct workload_pair){0, pair + 1};
}

uint32_t talks_each(const struct workload_conf *conf)
{
    return conf->hosts;
}

struct workload_pair talk_next(const struct workload_conf *conf, uint32_t pair)
{
    return (struct workload_pair){pair, (pair + 1) % conf->hosts};
}

uint32_t talks_all(const struct workload_conf *conf)
{
    uint64_t pairs = (uint64_t)conf->hosts * (conf->hosts - 1);
    return pairs > UINT32_MAX ? UINT32_MAX : (uint32_t)pairs;
}

struct workload_pair talk_of_all(const struct workload_conf *conf, uint32_t pair)
{
    uint32_t from = pair / (conf->hosts - 1), to = pair % (conf->hosts - 1);
    LAW(from < conf->hosts && to + (to >= from) < conf->hosts && to + (to >= from) != from);
    return (struct workload_pair){from, to + (to >= from)};
}

/* ---- a permutation without a table: a Feistel network over 2 x half bits, walked until it stays below hosts ---- */

enum { ROUNDS = 4 };

static unsigned half_bits(uint32_t hosts)
{
    unsigned half = 1;
    while ((uint64_t)1 << 2 * half < hosts)
        half++;
    return half;
}

static uint32_t round_of(const struct workload_conf *conf, uint32_t round, uint32_t x, uint32_t mask)
{
    return (uint32_t)(workload_draw(conf, DRAW_PAIR, round, x) >> 32) & mask;
}

/* All rounds, or `back` from their end to their start: then halves and rounds are the other way round. */
static uint32_t walk(const struct workload_conf *conf, uint32_t x, bool back)
{
    unsigned half = half_bits(conf->hosts);
    uint32_t mask = ((uint32_t)1 << half) - 1, high = x >> half, low = x & mask;
    uint32_t left = back ? low : high, right = back ? high : low;
    for (uint32_t r = 0; r < ROUNDS; r++) {
        uint32_t mixed = left ^ round_of(conf, back ? ROUNDS - 1 - r : r, right, mask);
        left = right;
        right = mixed;
    }
    uint32_t to = back ? right << half | left : left << half | right;
    LAW(back || walk(conf, to, true) == x); /* the way back leads back: so it is a permutation */
    return to;
}

struct workload_pair talk_drawn(const struct workload_conf *conf, uint32_t pair)
{
    uint32_t place = pair;
    do
        place = walk(conf, place, true);
    while (place >= conf->hosts);
    uint32_t to = (place + 1) % conf->hosts;
    do
        to = walk(conf, to, false);
    while (to >= conf->hosts);
    LAW(to != pair); /* a host's place and the next one are two */
    return (struct workload_pair){pair, to};
}
