/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/goal_keys.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"

enum { SLOTS_FIRST = 1024 };
#define FREE UINT32_MAX

/* The finalizer of MurmurHash3. */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

static bool same_goal_key(const struct goal_key *a, const struct goal_key *b)
{
    return a->from == b->from && a->to == b->to && a->tag == b->tag;
}

/* Where it is, or would be. */
static uint32_t *slot_of(const struct goal_keys *k, const struct goal_key *key)
{
    uint64_t at = mixed(mixed((uint64_t)key->from << 32 | key->to) ^ key->tag);
    while (k->slot[at & (k->slots - 1)] != FREE && !same_goal_key(&k->key[k->slot[at & (k->slots - 1)]], key))
        at++;
    return &k->slot[at & (k->slots - 1)];
}

static void grow_keys(struct goal_keys *k)
{
    k->slots = k->slots ? 2 * k->slots : SLOTS_FIRST;
    k->key = need(realloc(k->key, k->slots / 2 * sizeof *k->key));
    k->slot = need(realloc(k->slot, k->slots * sizeof *k->slot));
    memset(k->slot, 0xff, k->slots * sizeof *k->slot);
    for (uint32_t i = 0; i < k->count; i++)
        *slot_of(k, &k->key[i]) = i;
}

uint32_t goal_keys_add(struct goal_keys *k, struct goal_key key)
{
    if (2 * k->count >= k->slots)
        grow_keys(k);
    uint32_t *slot = slot_of(k, &key);
    if (*slot == FREE) {
        k->key[k->count] = key;
        *slot = k->count++;
    }
    return *slot;
}

void goal_keys_free(struct goal_keys *k)
{
    free(k->key);
    free(k->slot);
}
