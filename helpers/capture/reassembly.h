/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reassembly.h -- octets of one direction of a TCP connection that nobody has finished with, and which frame brought them.
 *
 * Law: pieces are sorted by offset and do not overlap; of octets that come twice the first win. A piece more, or less, takes time
 * by the logarithm of how many there are, in whatever order they come.
 */
#ifndef HELPERS_CAPTURE_REASSEMBLY_H
#define HELPERS_CAPTURE_REASSEMBLY_H

#include <stdbool.h>
#include <stdint.h>

#include "helpers/base/tree.h"

struct reassembly_piece {
    struct tree_node node; /* its key is the offset behind its last octet */
    uint64_t at;           /* stream offset of its first octet */
    uint32_t len;
    const uint8_t *octets; /* NULL: the capture does not have them and never will */
    void *memory;          /* the copy that `octets` points into; NULL: borrowed or lost */
    uint64_t frame;        /* that brought them, and when */
    int64_t time_ns;
};

enum { REASSEMBLY_PIECES_MAX = 16384, REASSEMBLY_OCTETS_MAX = 16 << 20 };

struct reassembly {
    struct tree_node *root;      /* of its pieces */
    uint32_t count, borrowed;    /* pieces */
    uint64_t octets;             /* in all pieces */
    uint64_t lent_from, lent_to; /* where the borrowed ones stand */
    uint64_t edge;               /* all below was dropped last */
    struct reassembly_piece
        *run; /* the last one that is reached from the edge without a gap or loss; NULL: none */
};

/* When octets arrived. */
struct reassembly_span {
    uint64_t frame_first, frame_last;
    int64_t t_first_ns, t_last_ns;
};

/* The first piece that ends beyond `at`, so beyond 0 the first and beyond the end of one the next. NULL: there is none. */
static inline struct reassembly_piece *reassembly_beyond(const struct reassembly *s, uint64_t at)
{
    return (struct reassembly_piece *)tree_above(s->root, at);
}

static inline uint64_t reassembly_end_of(const struct reassembly_piece *p)
{
    return p->at + p->len;
}

/* Add what is new of `p`, whose octets are borrowed until reassembly_own(). False: out of memory. */
bool reassembly_add(struct reassembly *s, const struct reassembly_piece *p);
/* Copy what is borrowed: the capture's buffer is about to change. Without memory the octets become lost. */
void reassembly_own(struct reassembly *s);
/* More than is reasonable to keep? */
bool reassembly_full(const struct reassembly *s);
/* Forget everything below `at`; the octets forgotten, lost ones not counted. */
uint64_t reassembly_drop(struct reassembly *s, uint64_t at);
void reassembly_free(struct reassembly *s);

/* Copy octets from `at` on; how many stand there without a gap, at most `len`. */
uint32_t reassembly_copy(const struct reassembly *s, uint64_t at, uint8_t *out, uint32_t len);
/* The first offset from `at` on that is not there; `*lost`: a piece without octets is in the way, not a gap. */
uint64_t reassembly_reach(const struct reassembly *s, uint64_t at, bool *lost);
/* The offset behind the last piece; 0 without pieces. */
uint64_t reassembly_end(const struct reassembly *s);
/* Which frames brought [from, to); false when none did. */
bool reassembly_when(const struct reassembly *s, uint64_t from, uint64_t to, struct reassembly_span *span);

#endif
