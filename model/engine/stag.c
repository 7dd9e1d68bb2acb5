/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "engine/stag.h"

#include "engine/law.h"

#define NOBODY UINT32_MAX
enum { REGIONS_LIMIT = 1 << 24, KEY_BITS = 8 };
enum slot_state { SLOT_FREE, SLOT_VALID, SLOT_INVALID, SLOT_DRAINING, SLOT_CANCELLED };

/* One cache line, and the only one a check touches. */
struct stag_slot {
    uint8_t *base;
    uint64_t to, len;
    uint32_t reuse; /* how often the slot was freed; part of the STag */
    uint32_t pd;
    uint32_t stream[IW_REGION_STREAMS];
    uint32_t in_flight; /* placements checked and not committed */
    uint32_t owner;
    uint32_t next_free;
    uint8_t rights, state;
    bool shared;
};

/* A bijection of 32-bit values: xor and odd multipliers from the seed. It scatters STags and hides their order from
 * someone who sees a few of them; it is no cipher. */
struct permutation {
    uint32_t before, after, odd[2], inverse[2];
};

struct iw_stags {
    uint32_t max, count;
    uint32_t fresh;                 /* slots from here on were never used */
    uint32_t first_free, last_free; /* a queue, so that a slot rests as long as it can */
    uint32_t index_bits;
    struct permutation permutation;
    bool plain;
    uint8_t line[11]; /* slots lie in lines of cache where the table does */
    struct stag_slot slot[];
};

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t odd_inverse(uint32_t odd)
{
    uint32_t x = odd; /* right in 3 bits; each Newton step doubles them */
    for (int bits = 3; bits < 32; bits *= 2)
        x *= 2 - odd * x;
    LAW(x * odd == 1);
    return x;
}

static struct permutation permutation_of(uint64_t seed)
{
    struct permutation p = {.before = (uint32_t)splitmix(&seed), .after = (uint32_t)splitmix(&seed)};
    for (int i = 0; i < 2; i++) {
        p.odd[i] = (uint32_t)splitmix(&seed) | 1;
        p.inverse[i] = odd_inverse(p.odd[i]);
    }
    return p;
}

static uint32_t permute(const struct permutation *p, uint32_t x)
{
    x = (x ^ p->before) * p->odd[0];
    x = (x ^ x >> 15) * p->odd[1];
    return (x ^ x >> 16) ^ p->after;
}

static inline uint32_t unpermute(const struct permutation *p, uint32_t x)
{
    x ^= p->after;
    x = (x ^ x >> 16) * p->inverse[1];
    x = (x ^ x >> 15 ^ x >> 30) * p->inverse[0];
    return x ^ p->before;
}

/* The STag of a slot: its index and as many low bits of `reuse` as fit beside it. */
static iw_stag name_of_slot(const struct iw_stags *t, uint32_t index)
{
    uint32_t reuse = t->slot[index].reuse;
    if (t->plain)
        return (index + 1) << KEY_BITS | (reuse & ((1u << KEY_BITS) - 1));
    return permute(&t->permutation, reuse << t->index_bits | index);
}

/* The slot that bears this name, whatever its state; NULL when none does. */
static inline struct stag_slot *slot_named(const struct iw_stags *t, iw_stag stag)
{
    uint32_t index, reuse;
    if (t->plain) {
        index = (stag >> KEY_BITS) - 1;
        reuse = stag;
    } else {
        uint32_t code = unpermute(&t->permutation, stag);
        index = code & ((1u << t->index_bits) - 1);
        reuse = code >> t->index_bits;
    }
    if (index >= t->fresh)
        return NULL;
    struct stag_slot *s = (struct stag_slot *)&t->slot[index];
    return (s->reuse ^ reuse) << t->index_bits ? NULL : s;
}

static inline struct stag_slot *find(const struct iw_stags *t, iw_stag stag)
{
    struct stag_slot *s = slot_named(t, stag);
    return s && (s->state == SLOT_VALID || s->state == SLOT_INVALID) ? s : NULL;
}

size_t iw_stags_size(uint32_t regions_max)
{
    if (regions_max < 1 || regions_max > REGIONS_LIMIT - 1)
        return 0;
    return sizeof(struct iw_stags) + regions_max * sizeof(struct stag_slot);
}

struct iw_stags *iw_stags_init(void *memory, uint32_t regions_max, uint64_t seed)
{
    struct iw_stags *t = memory;
    *t = (struct iw_stags){.max = regions_max, .first_free = NOBODY, .last_free = NOBODY, .plain = !seed};
    if (seed) {
        while (regions_max >> t->index_bits)
            t->index_bits++;
        t->permutation = permutation_of(seed);
    } else {
        t->index_bits = 32 - KEY_BITS;
    }
    return t;
}

/* The queue of free slots has two ends or none; count <= fresh <= max. */
static bool is_whole(const struct iw_stags *t)
{
    bool ends = (t->first_free == NOBODY) == (t->last_free == NOBODY);
    return ends && t->count <= t->fresh && t->fresh <= t->max;
}

static uint32_t take_slot(struct iw_stags *t)
{
    if (t->fresh < t->max) {
        t->slot[t->fresh] = (struct stag_slot){.state = SLOT_FREE};
        return t->fresh++;
    }
    uint32_t index = t->first_free;
    if (index == NOBODY)
        return NOBODY;
    t->first_free = t->slot[index].next_free;
    if (t->first_free == NOBODY)
        t->last_free = NOBODY;
    LAW(is_whole(t) && t->slot[index].state == SLOT_FREE);
    return index;
}

static void free_slot(struct iw_stags *t, struct stag_slot *s)
{
    uint32_t index = (uint32_t)(s - t->slot);
    LAW(s->state != SLOT_FREE && !s->in_flight); /* never written after iw_revoke() has completed */
    s->state = SLOT_FREE;
    s->reuse++;
    s->next_free = NOBODY;
    if (t->last_free == NOBODY)
        t->first_free = index;
    else
        t->slot[t->last_free].next_free = index;
    t->last_free = index;
    t->count--;
    LAW(is_whole(t));
}

static uint32_t streams_of(const struct iw_region *r)
{
    uint32_t n = 0;
    while (n < IW_REGION_STREAMS && r->stream[n])
        n++;
    return n;
}

static bool sensible(const struct iw_region *r)
{
    unsigned known = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE;
    bool fits = r->len == 0 || r->to <= UINT64_MAX - (r->len - 1);
    return fits && !(r->rights & ~known) && (r->pd || streams_of(r));
}

static void bind(struct stag_slot *s, const struct iw_region *r)
{
    s->base = r->base;
    s->to = r->to;
    s->len = r->len;
    s->rights = (uint8_t)r->rights;
    s->pd = r->pd;
    for (int i = 0; i < IW_REGION_STREAMS; i++)
        s->stream[i] = r->stream[i];
    s->owner = r->owner;
    s->shared = r->shared || streams_of(r) > 1;
    s->state = SLOT_VALID;
}

int iw_register(struct iw_stags *t, const struct iw_region *region, iw_stag *stag)
{
    if (!sensible(region))
        return IW_EINVAL;
    uint32_t index = take_slot(t);
    if (index == NOBODY)
        return IW_EFULL;
    struct stag_slot *s = &t->slot[index];
    if (name_of_slot(t, index) == 0)
        s->reuse++; /* 0 reads as "none" in too many places */
    s->in_flight = 0;
    bind(s, region);
    t->count++;
    *stag = name_of_slot(t, index);
    LAW(*stag && find(t, *stag) == s && t->count <= t->fresh);
    return IW_OK;
}

int iw_rebind(struct iw_stags *t, iw_stag stag, const struct iw_region *region)
{
    struct stag_slot *s = find(t, stag);
    if (!s || !sensible(region))
        return IW_EINVAL;
    if (s->in_flight)
        return IW_EBUSY;
    bind(s, region);
    return IW_OK;
}

bool iw_region_of(const struct iw_stags *t, iw_stag stag, struct iw_region *region, bool *valid)
{
    const struct stag_slot *s = find(t, stag);
    if (!s)
        return false;
    *region = (struct iw_region){.base = s->base,
                                 .to = s->to,
                                 .len = s->len,
                                 .rights = s->rights,
                                 .pd = s->pd,
                                 .owner = s->owner,
                                 .shared = s->shared};
    for (int i = 0; i < IW_REGION_STREAMS; i++)
        region->stream[i] = s->stream[i];
    if (valid)
        *valid = s->state == SLOT_VALID;
    return true;
}

int iw_invalidate(struct iw_stags *t, iw_stag stag)
{
    struct stag_slot *s = find(t, stag);
    if (!s)
        return IW_EINVAL;
    s->state = SLOT_INVALID;
    return IW_OK;
}

int iw_revoke(struct iw_stags *t, iw_stag stag, enum iw_revoke_how how)
{
    struct stag_slot *s = find(t, stag);
    if (!s)
        return IW_EINVAL;
    if (!s->in_flight) {
        free_slot(t, s);
        return IW_OK;
    }
    s->state = how == IW_DRAIN && s->state == SLOT_VALID ? SLOT_DRAINING : SLOT_CANCELLED;
    return IW_EBUSY;
}

bool iw_revoked(const struct iw_stags *t, iw_stag stag)
{
    const struct stag_slot *s = slot_named(t, stag);
    return !s || s->state == SLOT_FREE;
}

bool iw_region_next(const struct iw_stags *t, uint32_t *at, iw_stag *stag)
{
    while (*at < t->fresh) {
        *stag = name_of_slot(t, (*at)++);
        if (find(t, *stag))
            return true;
    }
    return false;
}

uint32_t iw_stags_count(const struct iw_stags *t)
{
    return t->count;
}

static inline bool associated(const struct stag_slot *s, uint32_t pd, uint32_t stream)
{
    if (s->pd && s->pd == pd)
        return true;
    for (int i = 0; i < IW_REGION_STREAMS && s->stream[i]; i++)
        if (s->stream[i] == stream)
            return true;
    return false;
}

enum stag_fault stag_check(struct iw_stags *t, iw_stag stag, uint32_t pd, uint32_t stream, uint64_t to,
                           uint64_t len, unsigned rights, struct stag_slot **slot)
{
    struct stag_slot *s = slot_named(t, stag);
    if (!s || s->state != SLOT_VALID)
        return STAG_INVALID;
    if (!associated(s, pd, stream))
        return STAG_ASSOCIATION;
    if ((s->rights & rights) != rights)
        return STAG_RIGHTS;
    if (to > UINT64_MAX - (len - 1))
        return STAG_WRAP;
    if (to < s->to || to - s->to > s->len || len > s->len - (to - s->to))
        return STAG_BOUNDS;
    LAW(to - s->to + len <= s->len && to + (len - 1) >= to);
    *slot = s;
    return STAG_OK;
}

uint8_t *stag_address(const struct stag_slot *slot, uint64_t to)
{
    return slot->base ? slot->base + (to - slot->to) : NULL;
}

bool stag_aligned(const struct stag_slot *slot, uint64_t to, uint32_t octets)
{
    return ((uintptr_t)slot->base + (to - slot->to)) % octets == 0;
}

void stag_hold(struct stag_slot *slot)
{
    LAW(slot->state ==
        SLOT_VALID); /* octets are written only between a check that succeeded and the end of the commit */
    slot->in_flight++;
}

bool stag_commit(struct iw_stags *t, struct stag_slot *s)
{
    if (!s->in_flight)
        return false;
    bool allowed = s->state == SLOT_VALID || s->state == SLOT_DRAINING;
    LAW(s->state != SLOT_FREE);
    if (--s->in_flight == 0 && (s->state == SLOT_DRAINING || s->state == SLOT_CANCELLED))
        free_slot(t, s);
    return allowed;
}

enum stag_fault stag_remote_invalidate(struct iw_stags *t, iw_stag stag, uint32_t pd, uint32_t stream)
{
    struct stag_slot *s = find(t, stag);
    if (!s || s->state != SLOT_VALID)
        return STAG_INVALID;
    if (!associated(s, pd, stream))
        return STAG_ASSOCIATION;
    if (s->shared)
        return STAG_INVALID;
    s->state = SLOT_INVALID;
    return STAG_OK;
}
