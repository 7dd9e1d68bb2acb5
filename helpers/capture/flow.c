/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/capture/flow.h"

#include <stdlib.h>
#include <string.h>

/* Law: as many buckets as a power of two, at most one flow per bucket on average. */
struct flow_table {
    struct flow **bucket;
    size_t buckets, flows;
};

enum { BUCKETS_FIRST = 256 };

/* FNV-1a over both ends, the smaller first, so that both directions meet. */
static uint64_t hash_end(uint64_t h, const struct capture_end *e)
{
    const uint8_t *p = (const uint8_t *)e;
    for (size_t i = 0; i < sizeof *e; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

static uint64_t hash_of(const struct capture_end *a, const struct capture_end *b)
{
    bool swap = memcmp(a, b, sizeof *a) > 0;
    uint64_t h = hash_end(hash_end(0xcbf29ce484222325u, swap ? b : a), swap ? a : b);
    return h ^ h >> 32;
}

struct flow_table *flow_table_new(void)
{
    struct flow_table *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->buckets = BUCKETS_FIRST;
    t->bucket = calloc(t->buckets, sizeof *t->bucket);
    if (t->bucket)
        return t;
    free(t);
    return NULL;
}

void flow_table_free(struct flow_table *t, void (*gone)(void *context, struct flow *f), void *context)
{
    for (size_t i = 0; i < t->buckets; i++)
        for (struct flow *f = t->bucket[i], *next; f; f = next) {
            next = f->next;
            gone(context, f);
            flow_drop(f);
        }
    free(t->bucket);
    free(t);
}

static struct flow **bucket_of(struct flow_table *t, const struct capture_end *a, const struct capture_end *b)
{
    return &t->bucket[hash_of(a, b) & (t->buckets - 1)];
}

/* Twice the buckets; stays as it is when there is no memory. */
static void grow(struct flow_table *t)
{
    struct flow_table larger = {calloc(t->buckets * 2, sizeof *t->bucket), t->buckets * 2, t->flows};
    if (!larger.bucket)
        return;
    for (size_t i = 0; i < t->buckets; i++)
        for (struct flow *f = t->bucket[i], *next; f; f = next) {
            next = f->next;
            struct flow **to = bucket_of(&larger, &f->end[0], &f->end[1]);
            f->next = *to;
            *to = f;
        }
    free(t->bucket);
    *t = larger;
}

static bool same_end(const struct capture_end *a, const struct capture_end *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Which end of `f` sent the segment, -1: neither. */
static int side_of(const struct flow *f, const struct capture_segment *s)
{
    for (int i = 0; i < 2; i++)
        if (same_end(&f->end[i], &s->source) && same_end(&f->end[1 - i], &s->target))
            return i;
    return -1;
}

/* Where the flow hangs, for taking it out. */
static struct flow **look_up(struct flow_table *t, const struct capture_segment *s, int *side)
{
    struct flow **at = bucket_of(t, &s->source, &s->target);
    while (*at && (*side = side_of(*at, s)) < 0)
        at = &(*at)->next;
    return at;
}

static struct flow *add(struct flow_table *t, const struct capture_segment *s)
{
    if (t->flows >= t->buckets)
        grow(t);
    struct flow *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->end[0] = s->source;
    f->end[1] = s->target;
    struct flow **at = bucket_of(t, &s->source, &s->target);
    f->next = *at;
    *at = f;
    t->flows++;
    return f;
}

/* Does this SYN begin another connection than the one we know? A repeated SYN has the number it had before. */
static bool starts_anew(const struct flow *f, const struct capture_segment *s, int side)
{
    const struct flow_half *half = &f->half[side];
    if (!(s->flags & TCP_SYN))
        return false;
    if (half->syn)
        return half->base != s->seq + 1;
    return half->based || half->data || f->half[1 - side].data; /* an older connection's */
}

static void note_fin(struct flow_half *half, const struct capture_segment *s)
{
    int64_t end = half->based ? flow_offset(half, s->seq) + s->len + s->missing : -1;
    if (end < 0 || half->fin)
        return;
    half->fin = true;
    half->fin_at = (uint64_t)end;
}

static void note_flags(struct flow *f, const struct capture_segment *s, int side)
{
    struct flow_half *half = &f->half[side];
    if (s->flags & TCP_SYN && !half->syn) {
        flow_base(half, s->seq + 1);
        half->syn = true;
    }
    if (s->flags & TCP_FIN)
        note_fin(half, s);
    f->reset |= (s->flags & TCP_RST) != 0;
    half->data |= s->len > 0;
}

struct flow *flow_find(struct flow_table *t, const struct capture_segment *s, int *side,
                       struct flow **replaced)
{
    struct flow **at = look_up(t, s, side), *f = *at;
    *replaced = NULL;
    if (f && starts_anew(f, s, *side)) {
        *replaced = f;
        *at = f->next;
        t->flows--;
        f = NULL;
    }
    if (!f) {
        *side = 0;
        f = add(t, s);
    }
    if (f)
        note_flags(f, s, *side);
    return f;
}

struct flow *flow_known(struct flow_table *t, const struct capture_segment *s, int *side)
{
    return *look_up(t, s, side);
}

void flow_drop(struct flow *f)
{
    free(f);
}

void flow_base(struct flow_half *half, uint32_t seq)
{
    *half = (struct flow_half){.based = true, .base = seq, .syn = half->syn};
}

int64_t flow_offset(const struct flow_half *half, uint32_t seq)
{
    uint32_t near = half->base + (uint32_t)half->edge;
    return (int64_t)half->edge + (int32_t)(seq - near);
}
