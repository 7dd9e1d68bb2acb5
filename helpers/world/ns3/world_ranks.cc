/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/ns3/world_ranks.h"

#include "helpers/world/network_conf.h"
#include "helpers/world/ns3/processes.h"
#include "helpers/world/ns3/world_ns3.h"

#include "ns3/iwarp-scheduler.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/resource.h>

using ns3::IwarpEvent;
using ns3::IwarpScheduler;
using ns3::IwarpTopology;
using ns3::Simulator;

namespace
{

constexpr uint32_t NOBODY = UINT32_MAX;

class WorldRanks : public World
{
  public:
    WorldRanks(const scenario_point &point, trial *t, const IwarpTopology::Configuration &network);
    static const char *Cut(const scenario_point &point, IwarpTopology::Configuration *network);
    static std::unique_ptr<World> Make(const scenario_point &point, trial *t,
                                       const IwarpTopology::Configuration &network);
    void Run() override;

    typedef IwarpScheduler::Key Key;

  protected:
    uint64_t GetNow() const override;
    void Kick(uint32_t host) override;
    void Wake(uint64_t at) override;
    void Offer(hosts_world *offers) override;

  private:
    struct Header {
        Key next, current;
        Key waits; //!< of what it waits for being heard; else `next`
        uint64_t ready, octets;
        double work; //!< seconds of CPU since the last exchange
        bool parted, stops, wants;
    };
    hosts_key GetKey() const;
    void Halt(uint32_t host);
    void Exchange(bool wants);
    void TellOthers(const void *octets);
    bool HearUntil(const Key &end);
    void Judge(const Key &key);
    Key FirstOfAll() const;
    void RunTo(const Key &end);
    void Round();
    bool RunRounds();
    Key EndOfRound() const;
    bool Any(bool Header::*what) const;
    bool IsBeyond(const Key &key) const;
    uint64_t GetWakes() const;
    uint64_t CountEvents() const;
    void ShareCounts() const;
    bool IsLeft() const;
    bool GoOn(uint64_t end);
    void WriteCost() const;

    uint64_t m_lookahead;      //!< the shortest delay of a link that is cut, not 0
    std::vector<Header> m_all; //!< by rank
    std::vector<uint8_t> m_told;
    std::vector<int> m_sizes, m_places;
    Key m_now{0, 0, 0}, m_wake{IwarpScheduler::NEVER};
    bool m_over{false}, m_stops{false}, m_parted{false};
    std::vector<uint64_t> m_wakes; //!< those not behind the last event
    uint64_t m_wakesPast{0}, m_rounds{0}, m_runs{0}, m_octets{0};
    uint64_t m_kicks{0}; //!< of hosts upon which the workload did not act
    double m_work{0}, m_longest{0},
        m_hearing{0}; //!< seconds of CPU: events here, of the busiest rank of each round, and hearing
};

WorldRanks::Key KeyOf(const hosts_key &k)
{
    return {k.at, k.order, k.kick};
}

bool Equals(const WorldRanks::Key &a, const WorldRanks::Key &b)
{
    return !(a < b) && !(b < a);
}

WorldRanks::WorldRanks(const scenario_point &point, trial *t, const IwarpTopology::Configuration &network)
    : World(point, t, network), m_lookahead(IwarpTopology::GetLookahead(network)),
      m_all(Processes::GetCount()), m_sizes(Processes::GetCount()), m_places(Processes::GetCount())
{
}

std::unique_ptr<World> WorldRanks::Make(const scenario_point &point, trial *t,
                                        const IwarpTopology::Configuration &network)
{
    return std::make_unique<WorldRanks>(point, t, network);
}

const char *WorldRanks::Cut(const scenario_point &point, IwarpTopology::Configuration *network)
{
    network->ranks = Processes::GetCount();
    network->rank = Processes::GetRank();
    if (!workload_runs_ahead(&point.workload))
        return "--ranks: in this workload, what arrives at one host makes another act at once";
    if (network->changes || network->failures.mtbf)
        return "--ranks: links that change (topology.events, topology.failures) are for one process";
    if (network->pfc.on)
        return "--ranks: pauses (topology.flow_control: pfc) are for one process";
    if (IwarpTopology::GetRanksMax(*network) < Processes::GetCount())
        return "--ranks: the network has fewer pods, groups or switches";
    return IwarpTopology::GetLookahead(*network)
               ? nullptr
               : "--ranks: a link between two parts has no delay, so they cannot run in parallel";
}

// ---- what hosts ask for -----------------------------------------------------------------------------------

void WorldRanks::Offer(hosts_world *offers)
{
    offers->key = [](void *w, uint32_t) {
        return static_cast<WorldRanks *>(static_cast<World *>(w))->GetKey();
    };
    offers->halt = [](void *w, uint32_t host) {
        static_cast<WorldRanks *>(static_cast<World *>(w))->Halt(host);
    };
    offers->here = [](void *w, uint32_t host) {
        return static_cast<WorldRanks *>(static_cast<World *>(w))->m_topology.IsHere(host);
    };
    offers->parts = Processes::GetCount();
    offers->part = Processes::GetRank();
}

uint64_t WorldRanks::GetNow() const
{
    return m_now.at;
}

/// The workload did something at a host that is here; or it is too late, and nothing counts.
void WorldRanks::Kick(uint32_t host)
{
    const Key current = IwarpScheduler::GetCurrent();
    if (m_now < current || m_now.at < static_cast<uint64_t>(Simulator::Now().GetTimeStep())) {
        m_parted = true;
        return;
    }
    IwarpScheduler::SetCurrent(m_now);
    m_port[host]->Kick(m_now.at);
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

/// Wakes of the workload until the end: events that one process has and ranks have not.
uint64_t WorldRanks::GetWakes() const
{
    const auto before = [this](uint64_t wake) {
        return !(m_now < IwarpScheduler::MakeKey(wake, IwarpEvent::WORKLOAD, NOBODY));
    };
    return m_wakesPast + static_cast<uint64_t>(std::count_if(m_wakes.begin(), m_wakes.end(), before));
}

// This rank goes no further until that was heard.
void WorldRanks::Halt(uint32_t host)
{
    m_port[host]->Hold();
    IwarpScheduler::SetEnd(IwarpScheduler::GetCurrent());
}

hosts_key WorldRanks::GetKey() const
{
    const Key key = IwarpScheduler::GetCurrent();
    return {key.at, key.order, key.kick};
}

// ---- exchange ---------------------------------------------------------------------------------------------

void WorldRanks::Exchange(bool wants)
{
    size_t octets = 0;
    const void *told = hosts_told(m_hosts, &octets);
    Header mine{};
    mine.next = IwarpScheduler::GetNext();
    mine.current = IwarpScheduler::GetCurrent();
    hosts_key unheard;
    mine.waits = hosts_wait(m_hosts, &unheard) ? KeyOf(unheard) : mine.next;
    mine.ready = hosts_ready(m_hosts);
    mine.octets = octets;
    mine.parted = m_parted || hosts_have_parted(m_hosts);
    mine.stops = m_stops;
    mine.wants = wants;
    mine.work = IwarpScheduler::TakeWork();
    m_work += mine.work;
    Processes::GatherEach(&mine, sizeof mine, m_all.data());
    m_rounds++;
    m_longest += std::max_element(m_all.begin(), m_all.end(), [](const Header &a, const Header &b) {
                     return a.work < b.work;
                 })->work;
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
    Processes::GatherAll(octets, m_sizes[Processes::GetRank()], m_told.data(), m_sizes.data(),
                         m_places.data());
    for (uint32_t i = 0; i < m_all.size(); i++)
        if (i != Processes::GetRank() &&
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
        const Key key = KeyOf(told);
        if (!(key < end))
            return false;
        m_now = key;
        const uint32_t halted = hosts_replay(m_hosts, rank);
        if (halted != HOSTS_NONE && m_port[halted]) {
            m_kicks += !m_port[halted]->IsKicked();
            Kick(halted);
        }
        Judge(key);
        if (halted != HOSTS_NONE)
            return true;
    }
    return m_over || m_stops;
}

// ---- rounds -----------------------------------------------------------------------------------------------

void WorldRanks::RunTo(const Key &end)
{
    m_runs++;
    IwarpScheduler::SetEnd(end);
    Simulator::Run();
}

// A rank that follows does not pass what another one has told and nobody has heard.
WorldRanks::Key WorldRanks::EndOfRound() const
{
    Key first = IwarpScheduler::NEVER, others = IwarpScheduler::NEVER;
    for (uint32_t i = 0; i < m_all.size(); i++) {
        first = std::min(first, m_all[i].next);
        if (i != Processes::GetRank())
            others = std::min(others, m_all[i].waits);
    }
    hosts_key unheard;
    if (hosts_wait(m_hosts, &unheard))
        return {0, 0, 0};
    const Key end = std::min(Key{first.at + m_lookahead, 0, 0}, m_wake);
    const bool leads = hosts_owe(m_hosts) && !hosts_depend(m_hosts);
    return leads ? end : std::min(end, others);
}

void WorldRanks::Round()
{
    const Key first = FirstOfAll();
    const double since = Processes::CpuSeconds();
    const bool acted = HearUntil(first);
    m_hearing += Processes::CpuSeconds() - since;
    if (acted)
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

// False: the run was void, or rank 0 ended it.
bool WorldRanks::RunRounds()
{
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

/// Together as many as in one process, which alone has events of the workload, of checks, and of the end.
uint64_t WorldRanks::CountEvents() const
{
    // Nodes and ports begin with one each.
    const uint64_t here =
        Simulator::GetEventCount() - m_topology.GetCrossed() - m_topology.GetStandIns() - m_kicks;
    const uint64_t nodes = m_topology.GetHosts().GetN() + m_topology.GetSwitches().GetN();
    return Processes::GetRank() ? here - nodes
                                : here + GetWakes() + (GetNow() - 1) / network_check_interval(&m_point) + 1;
}

/// What each rank alone sees, since trial_begin_share(): rank 0 has the sum.
void WorldRanks::ShareCounts() const
{
    std::vector<trial_share> all(m_all.size());
    trial_share mine;
    trial_end_share(m_trial, &mine);
    Processes::GatherEach(&mine, sizeof mine, all.data());
    for (uint32_t i = 1; Processes::GetRank() == 0 && i < all.size(); i++)
        trial_add_share(m_trial, &all[i]);
}

bool WorldRanks::IsLeft() const
{
    uint32_t host = 0;
    return hosts_leftover(m_hosts, &host) != nullptr;
}

/// All ranks go on together, at most until `end`, while something is left at one of them. True: something still is.
bool WorldRanks::GoOn(uint64_t end)
{
    m_wake = IwarpScheduler::NEVER;
    for (Exchange(IsLeft()); Any(&Header::wants) && FirstOfAll().at < end; Exchange(IsLeft()))
        RunTo({FirstOfAll().at + m_lookahead, 0, 0});
    return Any(&Header::wants);
}

// For the bench: a line for each rank, in files of its own.
void WorldRanks::WriteCost() const
{
    const char *prefix = std::getenv("IWARPSIM_RANKS_COST");
    const double together = prefix ? Processes::GetExchangeSeconds() : 0;
    std::FILE *out =
        prefix ? std::fopen((std::string(prefix) + "-" + std::to_string(Processes::GetRank())).c_str(), "w")
               : nullptr;
    if (!out)
        return;
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    std::fprintf(out,
                 "rss %ld\ncpu %.6f\nwork %.6f\nlongest %.6f\nhearing %.6f\ntogether %.9f\nevents "
                 "%llu\nexchanges %llu\nruns %llu\ncrossed %llu\ntold %llu\n",
                 used.ru_maxrss, Processes::CpuSeconds(), m_work, m_longest, m_hearing, together,
                 static_cast<unsigned long long>(Simulator::GetEventCount()),
                 static_cast<unsigned long long>(m_rounds), static_cast<unsigned long long>(m_runs),
                 static_cast<unsigned long long>(m_topology.GetCrossed()),
                 static_cast<unsigned long long>(m_octets));
    std::fclose(out);
}

/// What does not go well is run again by one process.
void WorldRanks::Run()
{
    if (!RunRounds()) {
        trial_run_again(m_trial);
        return;
    }
    trial_begin_share(m_trial);
    Count(CountEvents());
    ShareCounts();
    WriteCost();
    if (GoOn(GetNow() + m_point.limit.idle))
        trial_run_again(m_trial);
}

} // namespace

bool JoinRanks(int *argc, char ***argv)
{
    const bool asked =
        std::any_of(*argv, *argv + *argc, [](const char *word) { return std::strcmp(word, "--rank") == 0; });
    if (!asked)
        return false;
    Processes::Enter(argc, argv);
    if (Processes::GetCount() > 1)
        SetWorldWay({WorldRanks::Cut, WorldRanks::Make});
    return Processes::GetRank() != 0;
}

void LeaveRanks()
{
    Processes::Leave();
}
