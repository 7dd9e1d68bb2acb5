/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream.h -- octets of one direction of a TCP connection that nobody has finished with, and which frame brought them.
 *
 * Law: pieces are sorted by offset and do not overlap; of octets that come twice the first win.
 */
#ifndef HELPERS_CAPTURE_STREAM_H
#define HELPERS_CAPTURE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

struct stream_piece {
    uint64_t at; /* stream offset of its first octet */
    uint32_t len;
    const uint8_t *octets; /* NULL: the capture does not have them and never will */
    void *memory;          /* the copy that `octets` points into; NULL: borrowed or lost */
    uint64_t frame;        /* that brought them, and when */
    int64_t time_ns;
};

enum { STREAM_PIECES_MAX = 16384, STREAM_OCTETS_MAX = 16 << 20 };

struct stream {
    struct stream_piece *piece;
    uint32_t first, count, room; /* piece[first .. first + count) */
    uint32_t borrowed;           /* pieces */
    uint64_t octets;             /* in all pieces */
};

/* When octets arrived. */
struct stream_span {
    uint64_t frame_first, frame_last;
    int64_t t_first_ns, t_last_ns;
};

static inline const struct stream_piece *stream_piece(const struct stream *s, uint32_t i)
{
    return &s->piece[s->first + i];
}

/* Add what is new of `p`, whose octets are borrowed until stream_own(). False: out of memory. */
bool stream_add(struct stream *s, const struct stream_piece *p);
/* Copy what is borrowed: the capture's buffer is about to change. Without memory the octets become lost. */
void stream_own(struct stream *s);
/* More than is reasonable to keep? */
bool stream_full(const struct stream *s);
/* Forget everything below `at`; the octets forgotten, lost ones not counted. */
uint64_t stream_drop(struct stream *s, uint64_t at);
void stream_free(struct stream *s);

/* Copy octets from `at` on; how many stand there without a gap, at most `len`. */
uint32_t stream_copy(const struct stream *s, uint64_t at, uint8_t *out, uint32_t len);
/* The first offset from `at` on that is not there; `*lost`: a piece without octets is in the way, not a gap. */
uint64_t stream_reach(const struct stream *s, uint64_t at, bool *lost);
/* The offset behind the last piece; 0 without pieces. */
uint64_t stream_end(const struct stream *s);
/* Which frames brought [from, to); false when none did. */
bool stream_when(const struct stream *s, uint64_t from, uint64_t to, struct stream_span *span);

#endif
