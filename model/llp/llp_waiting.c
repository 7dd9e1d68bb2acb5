/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "llp/llp_waiting.h"

#include <string.h>

#include "engine/law.h"

/* Without payload the fragment says how long it is and has its first octets: nobody stores it. */
static void view(struct iw_seg *seg, uint64_t key, const uint8_t *octets, uint32_t ulpdu, uint32_t carried)
{
    iw_seg_view(seg, key, octets, carried);
    uint32_t more = ulpdu - carried;
    seg->payload_len += more;
    if (!more)
        return;
    seg->frag[0].octets = NULL;
    seg->frag[0].len += more;
}

/* ---- what is kept ---- */

static struct llp_kept *cell(const struct llp_object *o, struct llp_cells *cells)
{
    struct llp_kept *k = cells->free;
    if (k)
        cells->free = k->next;
    else if (cells->left && (k = llp_more(o, sizeof *k + cells->octets)))
        cells->left--;
    return k;
}

/* Mostly at the end. */
static void link_kept(struct llp_waiting *w, struct llp_kept *k)
{
    bool last = !w->last || w->last->key < k->key;
    struct llp_kept **at = last && w->last ? &w->last->next : &w->first;
    while (*at && (*at)->key < k->key)
        at = &(*at)->next;
    k->next = *at;
    *at = k;
    if (last)
        w->last = k;
    /* A segment is handed up once, and once more for each keep(): kept in the order of keys, each once. */
    LAW(!k->next || k->key < k->next->key);
    LAW(!w->last->next && w->first->key <= k->key && k->key <= w->last->key);
}

bool llp_waiting_put(const struct llp_object *o, struct llp_waiting *w, struct llp_cells *cells, bool silent)
{
    const struct llp_came *c = &w->came;
    struct llp_kept *k = cell(o, cells);
    if (!k)
        return false;
    *k = (struct llp_kept){.key = c->key,
                           .ulpdu = c->ulpdu,
                           .carried = c->carried,
                           .due = silent || !c->in_order,
                           .silent = silent,
                           .late = c->late};
    LAW(c->carried <= c->ulpdu && c->carried <= cells->octets);
    memcpy(k->octets, c->octets, c->carried);
    link_kept(w, k);
    return true;
}

static void forget_first(struct llp_waiting *w, struct llp_cells *cells)
{
    struct llp_kept *k = w->first;
    w->first = k->next;
    LAW(!w->first == (k == w->last) && (!w->first || k->key < w->first->key));
    w->last = w->first ? w->last : NULL;
    k->next = cells->free;
    cells->free = k;
}

/* ---- what is handed up ---- */

void llp_waiting_settle(struct llp_waiting *w, struct llp_cells *cells)
{
    if (w->given && !w->given_came)
        forget_first(w, cells);
    w->given = false;
}

static void give_came(struct llp_waiting *w, struct llp_segment *out)
{
    const struct llp_came *c = &w->came;
    w->has_came = false;
    out->in_order = c->in_order;
    out->again = out->late = false;
    view(&out->seg, c->key, c->octets, c->ulpdu, c->carried);
}

static void give_kept(struct llp_kept *k, struct llp_segment *out)
{
    out->in_order = true;
    out->again = !k->silent;
    out->late = k->silent && k->late;
    k->silent = false;
    view(&out->seg, k->key, k->octets, k->ulpdu, k->carried);
}

int llp_waiting_next(struct llp_waiting *w, struct llp_cells *cells, uint64_t turn, struct llp_segment *out)
{
    llp_waiting_settle(w, cells);
    w->given_came = w->has_came;
    LAW(llp_waiting_first(w) >= turn); /* what has its turn is the first that is kept */
    w->given = w->has_came || (llp_waiting_first(w) == turn && w->first->due);
    if (!w->given)
        return 0;
    out->stream = 0;
    out->last = false;
    if (w->given_came)
        give_came(w, out);
    else
        give_kept(w->first, out);
    return 1;
}

int llp_waiting_keep(const struct llp_object *o, struct llp_waiting *w, struct llp_cells *cells)
{
    if (!w->given)
        return IW_ESTATE;
    w->given = false;
    if (w->given_came)
        return llp_waiting_put(o, w, cells, false) ? IW_OK : IW_EFULL;
    w->first->due = false;
    return IW_OK;
}

void llp_waiting_again(struct llp_waiting *w)
{
    for (struct llp_kept *k = w->first; k; k = k->next)
        k->due = true;
}

void llp_waiting_drop(struct llp_waiting *w, struct llp_cells *cells)
{
    while (w->first)
        forget_first(w, cells);
    w->given = w->has_came = false;
}
