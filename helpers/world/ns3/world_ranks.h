/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ranks.h -- a simulation in several processes, by ns-3's distributed simulator.
 *
 *     rank 0: trial, workload, hosts of its pods     rank 1: trial, workload, hosts of its pods     ...
 *             |  what its hosts told  <---------------->  what its hosts told  |
 *             |  packets over links that are cut  <---->  (ns-3)               |
 *
 * Every rank hears everything, in the order of one process, and so every trial and every workload does the same; what a
 * workload does to a host is done where that host is. A round: ranks exchange what was told, hear what lies behind all of
 * them, and go on; not beyond the first event of all by the shortest delay of a link that is cut, and
 *
 *     a rank that has told what the workload may act upon stops there until that was heard;
 *     a rank at which others may make the workload act at once, or of which the workload waits for nothing any more
 *     (the run may end, or start, at any event elsewhere), follows behind the others.
 *
 * So nothing comes too late, and at the end no rank is beyond it. */
#ifndef HELPERS_WORLD_NS3_WORLD_RANKS_H
#define HELPERS_WORLD_NS3_WORLD_RANKS_H

/// Before anything of ns-3 is used: is this process, by the word `--rank`, one of those that mpirun started? Then world_ns3()
/// runs its part. True: another one writes and prints.
bool JoinRanks(int *argc, char ***argv);
void LeaveRanks();

#endif
