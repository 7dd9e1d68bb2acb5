/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters.h -- what a world counts in a run, beside what it tells of each message: columns of results.csv (column.h). */
#ifndef HELPERS_SCENARIO_COUNTERS_H
#define HELPERS_SCENARIO_COUNTERS_H

#include <stdint.h>

/* Sums over all connections, hosts and links. A member here and its row in column.c are a column. */
struct point_counters {
    uint64_t retransmits_spurious, retransmits_needless, timeouts, timeouts_spurious, stalls;
    uint64_t refused;   /* packets with data that adapters dropped before acceptance */
    uint64_t under_way; /* packets at the end, in the network and in adapters; UINT64_MAX: not known */
    uint64_t lost_on_failed_links, reroutes;
    uint64_t drops_channel, drops_switch, drops_track, trims, crc_errors, ecn_marks;
    uint64_t segments_late;     /* handed up in turn, and told as in order, but early when they came */
    uint64_t pauses, paused_ps; /* of all links */
    uint64_t events;            /* of the simulator */
    uint64_t packet_hops;       /* packets that crossed a link, 0: not known; a cost and no result */
};

#endif
