/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/capture/flow.h"

#include <stdlib.h>
#include <string.h>

/* A tree, not a table: a stranger who chooses addresses chooses the places of a table. A flow's key is its hash or, where
 * others have that, the next free number: none is taken out but for another between the same ends. */
struct flow_table {
    struct tree_node *root;
    size_t size; /* of what a flow is part of */
};

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
    return h ? h : 1;
}

struct flow_table *flow_table_new(size_t size)
{
    struct flow_table *t = calloc(1, sizeof *t);
    if (t)
        t->size = size;
    return t;
}

void flow_table_free(struct flow_table *t, void (*gone)(void *context, struct flow *f), void *context)
{
    for (struct flow *f; gone && (f = (struct flow *)t->root);) {
        tree_remove(&t->root, &f->node);
        gone(context, f);
    }
    free(t);
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

/* The flow of a segment; NULL: there is none, and `*key` is free. */
static struct flow *look_up(const struct flow_table *t, const struct capture_segment *s, int *side,
                            uint64_t *key)
{
    for (*key = hash_of(&s->source, &s->target);; ++*key) {
        struct flow *f = (struct flow *)tree_above(t->root, *key - 1);
        if (!f || f->node.key != *key)
            return NULL;
        *side = side_of(f, s);
        if (*side >= 0)
            return f;
    }
}

static struct flow *add_flow(struct flow_table *t, const struct capture_segment *s, uint64_t key)
{
    struct flow *f = calloc(1, t->size);
    if (!f)
        return NULL;
    f->node.key = key;
    f->end[0] = s->source;
    f->end[1] = s->target;
    tree_insert(&t->root, &f->node);
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
    uint64_t key;
    struct flow *f = look_up(t, s, side, &key);
    *replaced = NULL;
    if (f && starts_anew(f, s, *side)) {
        *replaced = f;
        tree_remove(&t->root, &f->node);
        f = NULL;
    }
    if (!f) {
        *side = 0;
        f = add_flow(t, s, key);
    }
    if (f)
        note_flags(f, s, *side);
    return f;
}

struct flow *flow_known(struct flow_table *t, const struct capture_segment *s, int *side)
{
    uint64_t key;
    return look_up(t, s, side, &key);
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
