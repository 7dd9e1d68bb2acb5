/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/placed_list.h"

#include <stdlib.h>

#include "helpers/base/list.h"
#include "helpers/world/event_log.h"

enum { PIECES = 64 };

void placed_add(struct placed_list *l, struct hosts_key key, uint32_t octets)
{
    struct placed *more = list_room(l->at, &l->room, l->count + 1, sizeof *more);
    l->no_memory |= !more;
    if (!more)
        return;
    l->at = more;
    l->at[l->count] = (struct placed){key, octets, (uint32_t)l->count};
    l->first = l->count && l->first < key.at ? l->first : key.at;
    l->last = l->count++ && l->last > key.at ? l->last : key.at;
    l->octets += octets;
}

/* All lists together, and what they have in one of equal times. */
struct whole {
    const struct placed_list *list;
    uint32_t lists;
    uint64_t first, last, octets;
};
struct piece {
    uint64_t last, octets;
    size_t count;
};

static struct whole whole_of(const struct placed_list *list, uint32_t lists)
{
    struct whole w = {list, lists, UINT64_MAX, 0, 0};
    for (const struct placed_list *l = list; l < list + lists; l++) {
        w.first = l->count && l->first < w.first ? l->first : w.first;
        w.last = l->count && l->last > w.last ? l->last : w.last;
        w.octets += l->octets;
    }
    return w;
}

static unsigned piece_of(const struct whole *w, const struct placed *p)
{
    return (unsigned)((p->key.at - w->first) * PIECES / (w->last - w->first + 1));
}

static void cut(const struct whole *w, struct piece piece[PIECES])
{
    for (uint32_t i = 0; i < w->lists; i++)
        for (size_t j = 0; j < w->list[i].count; j++) {
            const struct placed *p = &w->list[i].at[j];
            struct piece *in = &piece[piece_of(w, p)];
            in->last = p->key.at > in->last ? p->key.at : in->last;
            in->octets += p->octets;
            in->count++;
        }
}

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (hosts_key_before(&x->key, &y->key))
        return -1;
    return hosts_key_before(&y->key, &x->key) || x->number > y->number ? 1 : -1;
}

static bool hear_each(const struct whole *w, unsigned piece, size_t count, struct trial *t)
{
    struct placed *all = malloc(count * sizeof *all);
    size_t n = 0;
    for (uint32_t i = 0; all && i < w->lists; i++)
        for (size_t j = 0; j < w->list[i].count; j++)
            if (piece_of(w, &w->list[i].at[j]) == piece)
                all[n++] = w->list[i].at[j];
    if (all)
        qsort(all, n, sizeof *all, compare_placed);
    for (size_t i = 0; i < n; i++)
        trial_octets(t, all[i].key.at, all[i].octets);
    free(all);
    return n == count;
}

static bool hear_pieces(const struct whole *w, struct trial *t)
{
    struct piece piece[PIECES] = {{0}};
    bool good = true;
    cut(w, piece);
    for (unsigned i = 0; i < PIECES; i++)
        if (piece[i].count && piece[i].octets < trial_octets_to_part(t))
            trial_octets(t, piece[i].last, piece[i].octets);
        else if (piece[i].count)
            good &= hear_each(w, i, piece[i].count, t);
    return good;
}

bool placed_hear(struct placed_list *list, uint32_t lists, struct trial *t)
{
    struct whole w = whole_of(list, lists);
    bool whole = w.octets < trial_octets_to_part(t), good = true;
    if (whole && w.octets)
        trial_octets(t, w.last, w.octets);
    else if (!whole)
        good = hear_pieces(&w, t);
    for (uint32_t i = 0; i < lists; i++) {
        good &= !list[i].no_memory;
        list[i].count = list[i].octets = 0;
    }
    return good;
}
