/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/placed_list.h"

#include <stdlib.h>

#include "helpers/world/event_log.h"

enum { ROOM_LEAST = 256, PIECES = 64 };

static bool has_room(struct placed_list *l)
{
    size_t room = l->count < l->room ? l->room : l->room ? 2 * l->room : ROOM_LEAST;
    struct placed *more = room == l->room ? l->at : realloc(l->at, room * sizeof *more);
    if (!more)
        return false;
    l->at = more;
    l->room = room;
    return true;
}

void placed_add(struct placed_list *l, struct hosts_key key, uint32_t octets)
{
    if (!has_room(l)) {
        l->no_memory = true;
        return;
    }
    l->first = l->count && l->first < key.at ? l->first : key.at;
    l->last = l->count && l->last > key.at ? l->last : key.at;
    l->octets += octets;
    l->at[l->count] = (struct placed){key, octets, (uint32_t)l->count};
    l->count++;
}

/* Of several lists those of one of PIECES equal times. */
struct piece {
    uint64_t last, octets;
    size_t count;
};

static struct placed_list sum_of(const struct placed_list *list, uint32_t lists)
{
    struct placed_list sum = {.first = UINT64_MAX};
    for (uint32_t i = 0; i < lists; i++) {
        const struct placed_list *l = &list[i];
        sum.no_memory |= l->no_memory;
        if (!l->count)
            continue;
        sum.first = l->first < sum.first ? l->first : sum.first;
        sum.last = l->last > sum.last ? l->last : sum.last;
        sum.octets += l->octets;
        sum.count += l->count;
    }
    return sum;
}

static unsigned piece_of(const struct placed_list *sum, const struct placed *p)
{
    return (unsigned)((p->key.at - sum->first) * PIECES / (sum->last - sum->first + 1));
}

static void cut(const struct placed_list *list, uint32_t lists, const struct placed_list *sum,
                struct piece piece[PIECES])
{
    for (uint32_t i = 0; i < lists; i++)
        for (size_t j = 0; j < list[i].count; j++) {
            const struct placed *p = &list[i].at[j];
            struct piece *in = &piece[piece_of(sum, p)];
            in->last = p->key.at > in->last ? p->key.at : in->last;
            in->octets += p->octets;
            in->count++;
        }
}

static int by_key(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (hosts_key_before(&x->key, &y->key))
        return -1;
    return hosts_key_before(&y->key, &x->key) || x->number > y->number ? 1 : -1;
}

static bool hear_each(const struct placed_list *list, uint32_t lists, const struct placed_list *sum,
                      unsigned number, size_t count, struct trial *t)
{
    struct placed *all = malloc(count * sizeof *all);
    size_t n = 0;
    for (uint32_t i = 0; all && i < lists; i++)
        for (size_t j = 0; j < list[i].count; j++)
            if (piece_of(sum, &list[i].at[j]) == number)
                all[n++] = list[i].at[j];
    if (all)
        qsort(all, n, sizeof *all, by_key);
    for (size_t i = 0; i < n; i++)
        trial_octets(t, all[i].key.at, all[i].octets);
    free(all);
    return all;
}

static bool hear_pieces(const struct placed_list *list, uint32_t lists, const struct placed_list *sum,
                        struct trial *t)
{
    struct piece piece[PIECES] = {{0}};
    bool good = true;
    cut(list, lists, sum, piece);
    for (unsigned i = 0; i < PIECES; i++)
        if (piece[i].octets && piece[i].octets < trial_octets_to_part(t))
            trial_octets(t, piece[i].last, piece[i].octets);
        else if (piece[i].count)
            good &= hear_each(list, lists, sum, i, piece[i].count, t);
    return good;
}

bool placed_hear(struct placed_list *list, uint32_t lists, struct trial *t)
{
    struct placed_list sum = sum_of(list, lists);
    bool good = !sum.no_memory;
    if (sum.count && sum.octets < trial_octets_to_part(t))
        trial_octets(t, sum.last, sum.octets);
    else if (sum.count)
        good &= hear_pieces(list, lists, &sum, t);
    for (uint32_t i = 0; i < lists; i++)
        list[i].count = list[i].octets = 0;
    return good;
}
