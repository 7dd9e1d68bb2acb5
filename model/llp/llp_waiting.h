/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* llp_waiting.h -- segments of a stream between the packet that brought them and whoever takes them.
 *
 *   came --> handed up --> taken         the next call after it
 *     |          | keep
 *     +--> kept, in the order of keys --> handed up in its turn, once it is due
 *
 * What is handed up and kept is due again in its turn if it came ahead of it, and with again(). */
#ifndef IW_LLP_LLP_WAITING_H
#define IW_LLP_LLP_WAITING_H

#include "llp/llp_inner.h"

struct llp_kept {
    struct llp_kept *next;
    uint64_t key;
    uint32_t ulpdu, carried;
    bool due, silent, late; /* silent: never handed up */
    uint8_t octets[];
};

/* Room for what is kept: `octets` of each segment, for `left` segments more than were ever kept. */
struct llp_cells {
    struct llp_kept *free;
    uint32_t octets, left;
};

/* A segment as a packet brings it: `carried` octets of a ULPDU. */
struct llp_came {
    const uint8_t *octets;
    uint64_t key;
    uint32_t ulpdu, carried;
    bool in_order, late; /* late: something before it was missing */
};

struct llp_waiting {
    struct llp_kept *first, *last;
    struct llp_came came;
    bool has_came;          /* and is still to be handed up */
    bool given, given_came; /* handed up, and not yet taken: that which came, else the first that is kept */
};

/* The segment that was handed up last was taken. */
void llp_waiting_settle(struct llp_waiting *w, struct llp_cells *cells);
/* Key of the first that is kept; IW_NEVER: none is. */
static inline uint64_t llp_waiting_first(const struct llp_waiting *w)
{
    return w->first ? w->first->key : IW_NEVER;
}
/* Keep what came: silently, before it was handed up. False: there is no room. */
bool llp_waiting_put(const struct llp_object *o, struct llp_waiting *w, struct llp_cells *cells, bool silent);
/* What came, else what is kept of the key whose `turn` it is; as llp.next(), but for the stream. */
int llp_waiting_next(struct llp_waiting *w, struct llp_cells *cells, uint64_t turn, struct llp_segment *out);
/* As llp.keep() and llp.again(). */
int llp_waiting_keep(const struct llp_object *o, struct llp_waiting *w, struct llp_cells *cells);
void llp_waiting_again(struct llp_waiting *w);
/* Nothing is kept, nothing came. */
void llp_waiting_drop(struct llp_waiting *w, struct llp_cells *cells);

#endif
