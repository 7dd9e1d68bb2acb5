/* SPDX-License-Identifier: GPL-2.0-or-later */
/* goal_keys.h -- numbers from 0 for (from, to, tag), in the order in which they were met. */
#ifndef HELPERS_SCENARIO_GOAL_KEYS_H
#define HELPERS_SCENARIO_GOAL_KEYS_H

#include <stdint.h>

struct goal_key {
    uint32_t from, to, tag;
};

struct goal_keys {
    struct goal_key *key;
    uint32_t count, *slot;
    uint32_t slots; /* a power of two, more than twice `count`; 0 at first */
};

/* The number of a key. */
uint32_t goal_keys_add(struct goal_keys *k, struct goal_key key);
void goal_keys_free(struct goal_keys *k);

#endif
