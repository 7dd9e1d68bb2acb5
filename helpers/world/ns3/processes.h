/* SPDX-License-Identifier: GPL-2.0-or-later */
/* processes.h -- the processes that mpirun started (ranks), and what they exchange: by MPI, in an iwarpsim-ns3 that has it. */
#ifndef HELPERS_WORLD_NS3_PROCESSES_H
#define HELPERS_WORLD_NS3_PROCESSES_H

#include <cstdint>

namespace Processes
{

/// Before anything of ns-3 is used; until then, and without MPI, this is the only one.
void Enter(int *argc, char ***argv);
/// If it entered.
void Leave();
uint32_t GetRank();
uint32_t GetCount();

/// Octets of every rank, by rank; each has as many as the others.
void GatherEach(const void *mine, int size, void *all);
/// Or `sizes` by rank, that of a rank from `places` on.
void GatherAll(const void *mine, int size, void *all, const int *sizes, const int *places);

/// Of this process so far.
double CpuSeconds();
/// Seconds on the clock of one exchange: one of the shortest run of several, in which no rank is far ahead.
double GetExchangeSeconds();

} // namespace Processes

#endif
