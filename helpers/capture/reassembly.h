/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reassembly.h -- octets of one direction of a TCP connection that nobody has finished with, and which frame brought them.
 *
 * Law: pieces are sorted by offset and do not overlap; of octets that come twice the first win.
 */
#ifndef HELPERS_CAPTURE_REASSEMBLY_H
#define HELPERS_CAPTURE_REASSEMBLY_H

#include <stdbool.h>
#include <stdint.h>

struct reassembly_piece {
    uint64_t at; /* stream offset of its first octet */
    uint32_t len;
    const uint8_t *octets; /* NULL: the capture does not have them and never will */
    void *memory;          /* the copy that `octets` points into; NULL: borrowed or lost */
    uint64_t frame;        /* that brought them, and when */
    int64_t time_ns;
};

enum { REASSEMBLY_PIECES_MAX = 16384, REASSEMBLY_OCTETS_MAX = 16 << 20 };

struct reassembly {
    struct reassembly_piece *piece;
    uint32_t first, count, room; /* piece[first .. first + count) */
    uint32_t borrowed;           /* pieces */
    uint64_t octets;             /* in all pieces */
};

/* When octets arrived. */
struct reassembly_span {
    uint64_t frame_first, frame_last;
    int64_t t_first_ns, t_last_ns;
};

static inline const struct reassembly_piece *reassembly_piece(const struct reassembly *s, uint32_t i)
{
    return &s->piece[s->first + i];
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
