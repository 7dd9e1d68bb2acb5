/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/capture/reassembly.h"

#include <stdlib.h>
#include <string.h>

static uint64_t end_of(const struct reassembly_piece *p)
{
    return p->at + p->len;
}

/* Index of the first piece that ends beyond `at`. */
static uint32_t find(const struct reassembly *s, uint64_t at)
{
    uint32_t low = 0, high = s->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (end_of(reassembly_piece(s, middle)) > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Room for one more piece: the space in front first, then more memory. */
static bool make_room(struct reassembly *s)
{
    if (s->first + s->count < s->room)
        return true;
    if (s->piece && s->first > s->count) {
        memcpy(s->piece, s->piece + s->first, s->count * sizeof *s->piece);
        s->first = 0;
        return true;
    }
    uint32_t room = s->room ? s->room * 2 : 4;
    struct reassembly_piece *piece = realloc(s->piece, room * sizeof *piece);
    if (!piece)
        return false;
    s->piece = piece;
    s->room = room;
    return true;
}

static bool insert(struct reassembly *s, uint32_t i, const struct reassembly_piece *p)
{
    if (!make_room(s) || !s->piece)
        return false;
    struct reassembly_piece *at = s->piece + s->first + i;
    memmove(at + 1, at, (s->count - i) * sizeof *at);
    *at = *p;
    s->count++;
    s->borrowed += p->octets && !p->memory;
    s->octets += p->len;
    return true;
}

/* Take `n` octets off the front. */
static void advance(struct reassembly_piece *p, uint32_t n)
{
    p->at += n;
    p->len -= n;
    if (p->octets)
        p->octets += n;
}

bool reassembly_add(struct reassembly *s, const struct reassembly_piece *p)
{
    struct reassembly_piece rest = *p;
    uint32_t i = find(s, rest.at);
    while (rest.len) {
        const struct reassembly_piece *next = i < s->count ? reassembly_piece(s, i) : NULL;
        struct reassembly_piece part = rest;
        if (next && next->at < end_of(&rest))
            part.len = next->at > rest.at ? (uint32_t)(next->at - rest.at) : 0;
        if (part.len && !insert(s, i++, &part))
            return false;
        advance(&rest, part.len);
        next = rest.len ? reassembly_piece(s, i++) : NULL;
        if (next) {
            uint64_t known = end_of(next) - rest.at;
            advance(&rest, known < rest.len ? (uint32_t)known : rest.len);
        }
    }
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
    for (uint32_t i = s->count; i-- && s->borrowed;) { /* new pieces mostly stand at the end */
        struct reassembly_piece *p = s->piece + s->first + i;
        if (!p->octets || p->memory)
            continue;
        own(p);
        s->borrowed--;
    }
}

bool reassembly_full(const struct reassembly *s)
{
    return s->count >= REASSEMBLY_PIECES_MAX || s->octets >= REASSEMBLY_OCTETS_MAX;
}

static void drop_first(struct reassembly *s)
{
    struct reassembly_piece *p = &s->piece[s->first++];
    s->borrowed -= p->octets && !p->memory;
    s->octets -= p->len;
    s->count--;
    free(p->memory);
}

uint64_t reassembly_drop(struct reassembly *s, uint64_t at)
{
    uint64_t forgotten = 0;
    while (s->count && reassembly_piece(s, 0)->at < at) {
        struct reassembly_piece *p = &s->piece[s->first];
        uint64_t below = at - p->at;
        if (p->octets)
            forgotten += below < p->len ? below : p->len;
        if (below >= p->len) {
            drop_first(s);
            continue;
        }
        s->octets -= below;
        advance(p, (uint32_t)below);
    }
    if (!s->count)
        s->first = 0;
    return forgotten;
}

void reassembly_free(struct reassembly *s)
{
    while (s->count)
        drop_first(s);
    free(s->piece);
    *s = (struct reassembly){0};
}

uint32_t reassembly_copy(const struct reassembly *s, uint64_t at, uint8_t *out, uint32_t len)
{
    uint32_t done = 0;
    for (uint32_t i = find(s, at); i < s->count && done < len; i++) {
        const struct reassembly_piece *p = reassembly_piece(s, i);
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
    *lost = false;
    for (uint32_t i = find(s, at); i < s->count && reassembly_piece(s, i)->at <= at; i++) {
        *lost = !reassembly_piece(s, i)->octets;
        if (*lost)
            break;
        at = end_of(reassembly_piece(s, i));
    }
    return at;
}

uint64_t reassembly_end(const struct reassembly *s)
{
    return s->count ? end_of(reassembly_piece(s, s->count - 1)) : 0;
}

bool reassembly_when(const struct reassembly *s, uint64_t from, uint64_t to, struct reassembly_span *span)
{
    bool any = false;
    for (uint32_t i = find(s, from); i < s->count && reassembly_piece(s, i)->at < to; i++) {
        const struct reassembly_piece *p = reassembly_piece(s, i);
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
