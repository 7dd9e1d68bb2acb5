/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* llp_track.h -- what a receiver remembers of what is here with something before it missing, by the layout of its memory.
 *
 *   layout    octets                     what it cannot remember, and refuses
 *   LIST      an entry a segment         (the engine's own: iw_ooo_state_octets(), reorder_max)
 *   RANGES    16 a range: from, to       one range too many
 *   BITMAP    a bit a key, from the      what ends farther from the edge than it has bits
 *             edge to the last that came
 *   COUNTER   12: where the one range    what does not begin where that range ends: of the others it cannot tell
 *             ends, octets in it         whether they are new
 *
 *   edge          from      to            keys: octets of a stream, chunks of SCTP, packets
 *    |  missing    |  here  |  missing ...
 *
 * A bit stands for one key; of a byte stream for 4 octets, since FPDUs are of any multiple of 4 (RFC 5044 4.1), and a limit
 * counts full segments there. What the connections of an adapter remember together may be bounded, too: they share a pool.
 */
#ifndef IW_LLP_LLP_TRACK_H
#define IW_LLP_LLP_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum llp_tracking { TRACK_LIST = 1, TRACK_RANGES, TRACK_BITMAP, TRACK_COUNTER, LLP_TRACKINGS };

/* `used`: what those that share it remember now. Law: no more bits are used than there are. */
struct llp_track_pool {
    uint64_t bits, used, peak;
};

struct llp_track_conf {
    enum llp_tracking layout;
    uint32_t reach;  /* BITMAP: full segments from the edge on; 0: as many as come */
    uint32_t ranges; /* RANGES: most of them; 0: as many as it takes */
    bool naks;       /* a packet transport tells its peer what it could not remember */
    struct llp_track_pool
        *pool; /* borrowed for as long as a connection lives; NULL: none. LIST takes nothing of it */
};

struct llp_object;
/* Law: ranges are apart and in order, no more than the layout may have. */
struct llp_track {
    struct llp_track_conf conf;
    uint32_t unit, grain; /* keys of a full segment, of a bit */
    uint64_t edge;        /* all below are here */
    struct llp_track_range {
        uint64_t from, to;
    } * range;
    uint32_t ranges, slots;
    uint32_t bits;    /* now; LIST: 0 */
    uint32_t peak;    /* octets; LIST: 0 */
    uint64_t refused; /* units */
};

/* Bits of the least that a layout remembers of packets, one that overtook another; LIST: 0. */
uint32_t llp_track_least(enum llp_tracking layout);
/* Of keys that a full segment has `unit` of, a bit for each `grain`. */
void llp_track_init(struct llp_track *t, const struct llp_track_conf *conf, uint32_t unit, uint32_t grain);
/* All below `edge` are here; can [key, end) be remembered beyond it? If not, it is counted. */
bool llp_track_may(struct llp_track *t, const struct llp_object *o, uint64_t edge, uint64_t key,
                   uint64_t end);
/* It was taken, after llp_track_may(). */
void llp_track_took(struct llp_track *t, uint64_t key, uint64_t end);
void llp_track_forget(struct llp_track *t, uint64_t edge);
/* All below `edge` are here now, and remembered no longer. */
static inline void llp_track_passed(struct llp_track *t, uint64_t edge)
{
    if (t->ranges)
        llp_track_forget(t, edge);
}
/* The connection is gone, and all of its bits are free. */
void llp_track_end(struct llp_track *t);

#ifdef __cplusplus
}
#endif

#endif
