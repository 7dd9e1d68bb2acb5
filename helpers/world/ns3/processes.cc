/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/ns3/processes.h"

#include <algorithm>
#include <time.h>
#include <vector>

#ifdef IWARP_RANKS
#include "ns3/mpi-interface.h"
#endif

namespace
{

uint32_t g_rank = 0, g_count = 1;

double Seconds(clockid_t clock)
{
    constexpr double NANO = 1e-9;
    timespec now;
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + NANO * static_cast<double>(now.tv_nsec);
}

} // namespace

namespace Processes
{

#ifdef IWARP_RANKS

void Enter(int *argc, char ***argv)
{
    ns3::MpiInterface::Enable(argc, argv);
    g_rank = ns3::MpiInterface::GetSystemId();
    g_count = ns3::MpiInterface::GetSize();
}

void Leave()
{
    if (ns3::MpiInterface::IsEnabled())
        ns3::MpiInterface::Disable();
}

void GatherEach(const void *mine, int size, void *all)
{
    MPI_Allgather(mine, size, MPI_BYTE, all, size, MPI_BYTE, ns3::MpiInterface::GetCommunicator());
}

void GatherAll(const void *mine, int size, void *all, const int *sizes, const int *places)
{
    MPI_Allgatherv(mine, size, MPI_BYTE, all, sizes, places, MPI_BYTE, ns3::MpiInterface::GetCommunicator());
}

#else

void Enter(int *, char ***) {}

void Leave() {}

void GatherEach(const void *, int, void *) {}

void GatherAll(const void *, int, void *, const int *, const int *) {}

#endif

uint32_t GetRank()
{
    return g_rank;
}

uint32_t GetCount()
{
    return g_count;
}

double CpuSeconds()
{
    return Seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double GetExchangeSeconds()
{
    constexpr int RUNS = 100, EACH = 50, SIZE = 16;
    std::vector<char> all(SIZE * g_count);
    const char mine[SIZE] = {};
    double least = RUNS;
    for (int i = 0; i < RUNS; i++) {
        const double since = Seconds(CLOCK_MONOTONIC);
        for (int j = 0; j < EACH; j++)
            GatherEach(mine, SIZE, all.data());
        least = std::min(least, (Seconds(CLOCK_MONOTONIC) - since) / EACH);
    }
    return least;
}

} // namespace Processes
