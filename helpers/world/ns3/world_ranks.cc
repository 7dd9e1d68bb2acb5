/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/ns3/world_ranks.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>
#include <sys/time.h>

#ifdef IWARP_RANKS
#include "ns3/mpi-interface.h"
#endif

using ns3::IwarpEvent;
using ns3::IwarpScheduler;
using ns3::Simulator;

namespace
{

constexpr uint32_t NOBODY = UINT32_MAX;

bool Equals(const WorldRanks::Key &a, const WorldRanks::Key &b)
{
    return !(a < b) && !(b < a);
}

uint64_t Clock()
{
    return static_cast<uint64_t>(Simulator::Now().GetTimeStep());
}

} // namespace

// ---- the processes ----------------------------------------------------------------------------------------

#ifdef IWARP_RANKS

namespace
{

bool g_joined = false;

MPI_Comm All()
{
    return ns3::MpiInterface::GetCommunicator();
}

// Octets of every rank, one behind the other.
void GatherAll(const void *mine, int size, void *all, const int *sizes, const int *places)
{
    MPI_Allgatherv(mine, size, MPI_BYTE, all, sizes, places, MPI_BYTE, All());
}

void GatherEach(const void *mine, int size, void *all)
{
    MPI_Allgather(mine, size, MPI_BYTE, all, size, MPI_BYTE, All());
}

} // namespace

void WorldRanks::Join(int *argc, char ***argv)
{
    ns3::MpiInterface::Enable(argc, argv);
    g_joined = true;
}

void WorldRanks::Leave()
{
    if (g_joined)
        ns3::MpiInterface::Disable();
    g_joined = false;
}

bool WorldRanks::HasJoined()
{
    return g_joined;
}

uint32_t WorldRanks::GetRank()
{
    return ns3::MpiInterface::GetSystemId();
}

uint32_t WorldRanks::GetCount()
{
    return ns3::MpiInterface::GetSize();
}

#else

namespace
{

void GatherAll(const void *, int, void *, const int *, const int *) {}

void GatherEach(const void *, int, void *) {}

} // namespace

void WorldRanks::Join(int *, char ***) {}

void WorldRanks::Leave() {}

bool WorldRanks::HasJoined()
{
    return false;
}

uint32_t WorldRanks::GetRank()
{
    return 0;
}

uint32_t WorldRanks::GetCount()
{
    return 1;
}

#endif

WorldRanks::WorldRanks(trial *t, uint64_t lookahead)
    : m_trial(t), m_lookahead(lookahead), m_all(GetCount()), m_sizes(GetCount()), m_places(GetCount())
{
}

void WorldRanks::SetHosts(hosts *h)
{
    m_hosts = h;
}

// ---- what hosts ask for -----------------------------------------------------------------------------------

uint64_t WorldRanks::GetNow() const
{
    return m_now.at;
}

void WorldRanks::Wake(uint64_t at)
{
    m_wake = at == IW_NEVER ? IwarpScheduler::NEVER
                            : IwarpScheduler::MakeKey(std::max(at, m_now.at), IwarpEvent::WORKLOAD, NOBODY);
    if (at == IW_NEVER)
        return;
    const auto past =
        std::partition(m_wakes.begin(), m_wakes.end(), [this](uint64_t wake) { return wake >= m_now.at; });
    m_wakesPast += static_cast<uint64_t>(m_wakes.end() - past);
    m_wakes.erase(past, m_wakes.end());
    m_wakes.push_back(m_wake.at);
}

uint64_t WorldRanks::GetWakes() const
{
    const auto before = [this](uint64_t wake) {
        return !(m_now < IwarpScheduler::MakeKey(wake, IwarpEvent::WORKLOAD, NOBODY));
    };
    return m_wakesPast + static_cast<uint64_t>(std::count_if(m_wakes.begin(), m_wakes.end(), before));
}

// This rank goes no further until that was heard.
void WorldRanks::Halt(uint32_t)
{
    IwarpScheduler::SetEnd(IwarpScheduler::GetCurrent());
}

hosts_key WorldRanks::GetKey() const
{
    const Key key = IwarpScheduler::GetCurrent();
    return {key.at, key.order, key.kick};
}

bool WorldRanks::MayAct()
{
    const Key current = IwarpScheduler::GetCurrent();
    if (m_now < current || m_now.at < Clock()) {
        m_parted = true;
        return false;
    }
    IwarpScheduler::SetCurrent(m_now);
    return true;
}

// ---- exchange ---------------------------------------------------------------------------------------------

void WorldRanks::Exchange(bool wants)
{
    size_t octets = 0;
    const void *told = hosts_told(m_hosts, &octets);
    Header mine{};
    mine.next = IwarpScheduler::GetNext();
    mine.current = IwarpScheduler::GetCurrent();
    mine.ready = hosts_ready(m_hosts);
    mine.octets = octets;
    mine.parted = m_parted || hosts_have_parted(m_hosts);
    mine.stops = m_stops;
    mine.wants = wants;
    GatherEach(&mine, sizeof mine, m_all.data());
    m_rounds++;
    m_octets += octets;
    TellOthers(told);
    for (const Header &other : m_all)
        hosts_others_ready(m_hosts, other.ready);
}

void WorldRanks::TellOthers(const void *octets)
{
    int total = 0;
    for (size_t i = 0; i < m_all.size(); i++) {
        m_sizes[i] = static_cast<int>(m_all[i].octets);
        m_places[i] = total;
        total += m_sizes[i];
    }
    if (!total)
        return;
    m_told.resize(static_cast<size_t>(total));
    GatherAll(octets, m_sizes[GetRank()], m_told.data(), m_sizes.data(), m_places.data());
    for (uint32_t i = 0; i < m_all.size(); i++)
        if (i != GetRank() &&
            !hosts_told_of(m_hosts, i, m_told.data() + m_places[i], static_cast<size_t>(m_sizes[i])))
            m_parted = true;
}

bool WorldRanks::Any(bool Header::*what) const
{
    return std::any_of(m_all.begin(), m_all.end(), [what](const Header &h) { return h.*what; });
}

WorldRanks::Key WorldRanks::FirstOfAll() const
{
    Key first = m_wake;
    for (const Header &h : m_all)
        first = std::min(first, h.next);
    return first;
}

bool WorldRanks::IsBeyond(const Key &key) const
{
    return std::any_of(m_all.begin(), m_all.end(), [&key](const Header &h) { return key < h.current; });
}

// ---- hearing ----------------------------------------------------------------------------------------------

// One process would have looked now. What ends a run otherwise than well is left to one process.
void WorldRanks::Judge(const Key &key)
{
    constexpr uint32_t KIND = 28;
    if (!trial_over(m_trial, key.at))
        return;
    const uint32_t kind = key.order >> KIND;
    const bool looks = !key.kick && (kind == IwarpEvent::ARRIVAL || kind == IwarpEvent::TIMER ||
                                     kind == IwarpEvent::WORKLOAD);
    m_over = trial_went_well(m_trial) && looks;
    m_stops = !m_over;
}

// Up to the first event upon which the workload may have acted: that host goes on before anything later is heard.
bool WorldRanks::HearUntil(const Key &end)
{
    hosts_key told;
    uint32_t rank;
    while (!m_over && !m_stops && hosts_heard(m_hosts, &rank, &told)) {
        const Key key = {told.at, told.order, told.kick};
        if (!(key < end))
            return false;
        m_now = key;
        const uint32_t halted = hosts_replay(m_hosts, rank);
        if (halted != HOSTS_NONE && m_isHere(halted))
            m_kick(halted);
        Judge(key);
        if (halted != HOSTS_NONE)
            return true;
    }
    return m_over || m_stops;
}

// ---- rounds -----------------------------------------------------------------------------------------------

void WorldRanks::RunTo(const Key &end)
{
    IwarpScheduler::SetEnd(end);
    Simulator::Run();
}

// Not before this rank's own next event, if no other one is to come first.
WorldRanks::Key WorldRanks::EndOfRound() const
{
    Key first = IwarpScheduler::NEVER, others = IwarpScheduler::NEVER;
    for (uint32_t i = 0; i < m_all.size(); i++) {
        first = std::min(first, m_all[i].next);
        if (i != GetRank())
            others = std::min(others, m_all[i].next);
    }
    const Key end = std::min(Key{first.at + m_lookahead, 0, 0}, m_wake);
    const bool leads = hosts_owe(m_hosts) && !hosts_depend(m_hosts);
    if (hosts_wait(m_hosts))
        return {0, 0, 0};
    return leads ? end : std::min(end, others);
}

void WorldRanks::Round()
{
    const Key first = FirstOfAll();
    if (HearUntil(first))
        return;
    if (first.at == IW_NEVER || first.at + m_lookahead > trial_limit(m_trial)) {
        m_stops = true;
        return;
    }
    if (Equals(first, m_wake)) {
        m_now = first;
        hosts_wake(m_hosts);
        Judge(first);
        return;
    }
    RunTo(EndOfRound());
}

bool WorldRanks::Run(const std::function<void(uint32_t host)> &kick,
                     const std::function<bool(uint32_t host)> &isHere)
{
    m_kick = kick;
    m_isHere = isHere;
    for (;;) {
        Exchange(false);
        if (Any(&Header::stops) || Any(&Header::parted))
            break;
        if (m_over) { // what the last event kicked goes before
            if (IsBeyond({m_now.at, m_now.order, UINT32_MAX}))
                break;
            RunTo({m_now.at, m_now.order, UINT32_MAX});
            m_over = false;
            Exchange(false);
            while (HearUntil(IwarpScheduler::NEVER) && !m_stops)
                m_over = false;
            return true;
        }
        Round();
    }
    return false;
}

// ---- the end ----------------------------------------------------------------------------------------------

void WorldRanks::ShareCounts() const
{
    std::vector<trial_share> all(m_all.size());
    trial_share mine;
    trial_end_share(m_trial, &mine);
    GatherEach(&mine, sizeof mine, all.data());
    for (uint32_t i = 0; GetRank() == 0 && i < all.size(); i++)
        if (i != 0)
            trial_add_share(m_trial, &all[i]);
}

bool WorldRanks::GoOnWhile(const std::function<bool()> &wanted, uint64_t end)
{
    m_wake = IwarpScheduler::NEVER;
    for (Exchange(wanted()); Any(&Header::wants) && FirstOfAll().at < end; Exchange(wanted()))
        RunTo({FirstOfAll().at + m_lookahead, 0, 0});
    return Any(&Header::wants);
}

// For the bench: a line for each rank, in files of its own.
void WorldRanks::WriteCost(uint64_t crossed) const
{
    const char *prefix = std::getenv("OMPI_IWARPSIM_COST");
    std::FILE *out =
        prefix ? std::fopen((std::string(prefix) + "-" + std::to_string(GetRank())).c_str(), "w") : nullptr;
    if (!out)
        return;
    constexpr double MILLION = 1e6;
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    const double cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / MILLION;
    std::fprintf(out, "rank %u cpu %.3f rss %ld events %llu rounds %llu crossed %llu told %llu\n", GetRank(),
                 cpu, used.ru_maxrss, static_cast<unsigned long long>(Simulator::GetEventCount()),
                 static_cast<unsigned long long>(m_rounds), static_cast<unsigned long long>(crossed),
                 static_cast<unsigned long long>(m_octets));
    std::fclose(out);
}
