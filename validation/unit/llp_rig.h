/* SPDX-License-Identifier: GPL-2.0-or-later */
/* llp_rig.h -- two ends of any table of llp.h on a link that loses, delays, repeats and alters packets, and a host above
 * each that checks the laws of llp.h at every step. The same seed, the same run. */
#ifndef UNIT_LLP_RIG_H
#define UNIT_LLP_RIG_H

#include "llp/llp.h"

#define US ((iw_time)1000000)

/* What happens. Chances are per mille. */
struct script {
    uint64_t seed;
    uint32_t count[2];                   /* segments that each end sends on each stream */
    uint32_t lose, delay, repeat, alter; /* packets, on either way */
    uint32_t keep;                       /* segments given back once */
    bool real, markers, crc, crc_drop, in_order, go_back;
    bool one_way;     /* nothing happens to the packets of end 1 */
    bool no_room;     /* nothing can be held out of order */
    bool small;       /* segments of at most 300 octets */
    uint16_t streams; /* 0: one */
    uint32_t mtu;     /* 0: 1500 */
    uint64_t window;  /* 0: 64 KiB */
    uint32_t slow;    /* above 0: the window closes, and opens so many microseconds later */
    uint32_t delayed_ack;
    uint32_t late;        /* ideal: microseconds by which a packet may be late; 0: the ends do not know */
    enum llp_wrong wrong; /* of one segment of end 0 in the middle */
    bool cut;             /* end 0 resets instead of ending gracefully */
    uint32_t
        mangle; /* packets to a third end, which hears all that end 1 hears, with octets that are not the peer's */
};

struct rig_count {
    uint64_t sent, retransmitted, refused, bad, duplicate, taken, ahead, late, kept, probes, spurious, octets;
    struct llp_stats stats;
    uint64_t log; /* of everything handed up, in order */
    int failed;   /* what next() said */
    bool up, down, lost;
    enum llp_end ended;
    iw_time end;
};

/* Run it to the end, checking; what each end saw. */
void rig_run(const struct llp *t, const struct script *script, struct rig_count count[2]);
/* Octets of memory that one end takes when it is up and nothing was sent. */
size_t rig_idle_octets(const struct llp *t);

#endif
