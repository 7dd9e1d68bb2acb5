/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/capture/reassembly.h"

#include <stdlib.h>
#include <string.h>

static struct reassembly_piece *next_of(const struct reassembly *s, const struct reassembly_piece *p)
{
    return reassembly_beyond(s, reassembly_end_of(p));
}

/* Where the octets from the edge on are without a gap, each piece is passed over once. */
static void extend_run(struct reassembly *s)
{
    struct reassembly_piece *next = s->run ? next_of(s, s->run) : reassembly_beyond(s, 0);
    uint64_t reach = s->run ? reassembly_end_of(s->run) : s->edge;
    for (; next && next->at <= reach && next->octets; next = next_of(s, next)) {
        s->run = next;
        reach = reassembly_end_of(next);
    }
}

static bool insert_piece(struct reassembly *s, const struct reassembly_piece *p)
{
    struct reassembly_piece *piece = malloc(sizeof *piece);
    if (!piece)
        return false;
    *piece = *p;
    piece->node.key = reassembly_end_of(p);
    tree_insert(&s->root, &piece->node);
    s->count++;
    s->octets += p->len;
    if (!p->octets || p->memory)
        return true;
    s->lent_from = s->borrowed && s->lent_from < p->at ? s->lent_from : p->at;
    s->lent_to = s->borrowed && s->lent_to > piece->node.key ? s->lent_to : piece->node.key;
    s->borrowed++;
    return true;
}

/* Take `n` octets off the front. */
static void trim_front(struct reassembly_piece *p, uint32_t n)
{
    p->at += n;
    p->len -= n;
    if (p->octets)
        p->octets += n;
}

bool reassembly_add(struct reassembly *s, const struct reassembly_piece *p)
{
    struct reassembly_piece rest = *p;
    const struct reassembly_piece *next = reassembly_beyond(s, rest.at);
    while (rest.len) {
        struct reassembly_piece part = rest;
        if (next && next->at < reassembly_end_of(&rest))
            part.len = next->at > rest.at ? (uint32_t)(next->at - rest.at) : 0;
        if (part.len && !insert_piece(s, &part))
            return false;
        trim_front(&rest, part.len);
        if (rest.len && next) {
            uint64_t known = reassembly_end_of(next) - rest.at;
            trim_front(&rest, known < rest.len ? (uint32_t)known : rest.len);
            next = next_of(s, next);
        }
    }
    extend_run(s);
    return true;
}

static void own(struct reassembly_piece *p)
{
    p->memory = malloc(p->len);
    if (p->memory)
        memcpy(p->memory, p->octets, p->len);
    p->octets = p->memory;
}

void reassembly_own(struct reassembly *s)
{
    struct reassembly_piece *p = s->borrowed ? reassembly_beyond(s, s->lent_from) : NULL;
    for (; p && p->at < s->lent_to; p = next_of(s, p)) {
        if (!p->octets || p->memory)
            continue;
        own(p);
        if (!p->octets) /* what was reached through it */
            s->run = NULL;
        s->borrowed--;
    }
}

bool reassembly_full(const struct reassembly *s)
{
    return s->count >= REASSEMBLY_PIECES_MAX || s->octets >= REASSEMBLY_OCTETS_MAX;
}

static void drop_piece(struct reassembly *s, struct reassembly_piece *p)
{
    tree_remove(&s->root, &p->node);
    s->run = s->run == p ? NULL : s->run;
    s->borrowed -= p->octets && !p->memory;
    s->octets -= p->len;
    s->count--;
    free(p->memory);
    free(p);
}

uint64_t reassembly_drop(struct reassembly *s, uint64_t at)
{
    uint64_t forgotten = 0;
    struct reassembly_piece *p;
    while ((p = reassembly_beyond(s, 0)) && p->at < at) {
        uint64_t below = at - p->at;
        if (p->octets)
            forgotten += below < p->len ? below : p->len;
        if (below >= p->len) {
            drop_piece(s, p);
            continue;
        }
        s->octets -= below;
        trim_front(p, (uint32_t)below);
    }
    s->run = at < s->edge ? NULL : s->run;
    s->edge = at;
    extend_run(s);
    return forgotten;
}

void reassembly_free(struct reassembly *s)
{
    while (s->count)
        drop_piece(s, reassembly_beyond(s, 0));
    *s = (struct reassembly){0};
}

uint32_t reassembly_copy(const struct reassembly *s, uint64_t at, uint8_t *out, uint32_t len)
{
    uint32_t done = 0;
    for (const struct reassembly_piece *p = reassembly_beyond(s, at); p && done < len; p = next_of(s, p)) {
        if (p->at > at + done || !p->octets)
            break;
        uint32_t skip = (uint32_t)(at + done - p->at), n = p->len - skip;
        if (n > len - done)
            n = len - done;
        memcpy(out + done, p->octets + skip, n);
        done += n;
    }
    return done;
}

uint64_t reassembly_reach(const struct reassembly *s, uint64_t at, bool *lost)
{
    bool in_run = s->run && s->edge <= at && at <= reassembly_end_of(s->run);
    at = in_run ? reassembly_end_of(s->run) : at;
    *lost = false;
    for (const struct reassembly_piece *p = reassembly_beyond(s, at); p && p->at <= at; p = next_of(s, p)) {
        *lost = !p->octets;
        if (*lost)
            break;
        at = reassembly_end_of(p);
    }
    return at;
}

uint64_t reassembly_end(const struct reassembly *s)
{
    const struct tree_node *last = tree_last(s->root);
    return last ? last->key : 0;
}

bool reassembly_when(const struct reassembly *s, uint64_t from, uint64_t to, struct reassembly_span *span)
{
    bool any = false;
    for (const struct reassembly_piece *p = reassembly_beyond(s, from); p && p->at < to; p = next_of(s, p)) {
        if (!any || p->frame < span->frame_first) {
            span->frame_first = p->frame;
            span->t_first_ns = p->time_ns;
        }
        if (!any || p->frame > span->frame_last) {
            span->frame_last = p->frame;
            span->t_last_ns = p->time_ns;
        }
        any = true;
    }
    return any;
}
