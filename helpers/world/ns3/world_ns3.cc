/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3.cc -- a trial on ns-3: its devices, queues and IP carry packets between the hosts of hosts.h. */
#include "helpers/world/ns3/world_ns3.h"

#include "helpers/world/hosts.h"
#include "helpers/world/network_conf.h"
#include "helpers/world/ns3/world_ranks.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/iwarp-port.h"
#include "ns3/iwarp-scheduler.h"
#include "ns3/iwarp-switch.h"
#include "ns3/iwarp-topology.h"
#include "ns3/object-factory.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/ppp-header.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t CHECKS_PER_LIMIT = 16;
constexpr uint64_t FIRST_LOOK = 1000000; // ps, until it is looked again what is left; then twice as long
constexpr uint32_t NOBODY = UINT32_MAX;  // the node of events that are the world's own

class World
{
  public:
    World(const scenario_point &point, trial *t, const IwarpTopology::Configuration &network);
    ~World();
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    /// Makes hosts and connections. False: trial_refuse() said why.
    bool Prepare();
    void Run();

  private:
    struct Host {
        World *world;
        uint32_t number;
    };
    static uint64_t Now();
    static bool Transmit(void *host, iw_time now, ip_packet *out);
    static void Arrive(void *host, iw_time now, const ip_packet *in);
    static iw_time Deadline(const void *host);
    static void Expire(void *host, iw_time now);
    static const fabric_host TABLE;

    void InstallPorts();
    void EnableCapture();
    void TraceTheWay();
    void Lost(Ptr<const Packet> packet);
    void Overflowed(Ptr<const Packet> packet);
    void TellLost(const Ptr<Packet> &packet, const char *why);
    void Kick(uint32_t host);
    void Halt(uint32_t host);
    void Started();
    void Wake(uint64_t at);
    void Woken(uint64_t at);
    void StopWhenOver();
    void Check();
    void CheckLeftover();
    void Count();
    void RunRanks();
    uint64_t CountEvents() const;

    const scenario_point &m_point;
    trial *m_trial;
    IwarpTopology m_topology;
    hosts *m_hosts{nullptr};
    std::vector<Host> m_host;
    std::vector<Ptr<IwarpPort>> m_port;
    uint64_t m_wake{IW_NEVER};
    uint64_t m_last{0};  //!< when a host was last concerned
    uint64_t m_kicks{0}; //!< of hosts upon which the workload did not act
    bool m_stopping{false};
    std::unique_ptr<WorldRanks> m_ranks; //!< several processes; else none
};

const fabric_host World::TABLE = {Transmit, Arrive, Deadline, Expire};

World::World(const scenario_point &point, trial *t, const IwarpTopology::Configuration &network)
    : m_point(point), m_trial(t), m_topology(network)
{
    if (network.ranks > 1)
        m_ranks = std::make_unique<WorldRanks>(t, IwarpTopology::GetLookahead(network));
}

World::~World()
{
    hosts_free(m_hosts);
}

uint64_t World::Now()
{
    return static_cast<uint64_t>(Simulator::Now().GetTimeStep());
}

// ---- a host, as ns-3 sees it ------------------------------------------------------------------------------

bool World::Transmit(void *host, iw_time now, ip_packet *out)
{
    const Host *h = static_cast<Host *>(host);
    h->world->m_last = now;
    return hosts_transmit(h->world->m_hosts, h->number, now, out);
}

void World::Arrive(void *host, iw_time now, const ip_packet *in)
{
    const Host *h = static_cast<Host *>(host);
    h->world->m_last = now;
    hosts_arrive(h->world->m_hosts, h->number, now, in);
    h->world->StopWhenOver();
}

iw_time World::Deadline(const void *host)
{
    const Host *h = static_cast<const Host *>(host);
    return hosts_deadline(h->world->m_hosts, h->number);
}

void World::Expire(void *host, iw_time now)
{
    const Host *h = static_cast<Host *>(host);
    h->world->m_last = now;
    hosts_expire(h->world->m_hosts, h->number, now);
    h->world->StopWhenOver();
}

// ---- the clock of the workload ----------------------------------------------------------------------------

void World::Kick(uint32_t host)
{
    if (!m_ranks)
        m_port[host]->Kick();
    else if (m_ranks->MayAct())
        m_port[host]->Kick(m_ranks->GetNow());
}

void World::Halt(uint32_t host)
{
    m_port[host]->Hold();
    m_ranks->Halt(host);
}

void World::Started()
{
    m_topology.StartImpairment(m_ranks ? m_ranks->GetNow() : Now());
}

void World::Wake(uint64_t at)
{
    if (m_ranks) {
        m_ranks->Wake(at);
        return;
    }
    const uint64_t now = Now();
    m_wake = at == IW_NEVER ? at : std::max(at, now);
    if (at != IW_NEVER)
        IwarpEvent::Schedule(IwarpEvent::WORKLOAD, NOBODY, TimeStep(m_wake - now),
                             [this, wake = m_wake]() { Woken(wake); });
}

void World::Woken(uint64_t at)
{
    if (at != m_wake)
        return; // it was put off
    m_wake = IW_NEVER;
    m_last = at;
    hosts_wake(m_hosts);
    StopWhenOver();
}

// What the event under way has started at other hosts goes before.
void World::StopWhenOver()
{
    if (m_ranks || m_stopping || !trial_over(m_trial, Now()))
        return;
    m_stopping = true;
    IwarpEvent::Schedule(IwarpEvent::STOP, NOBODY, Time(0), []() { Simulator::Stop(); });
}

// Limits are looked at in between too, and the last event of all is noticed.
void World::Check()
{
    const uint64_t shortest = std::min(m_point.limit.idle, m_point.limit.sim);
    if (trial_over(m_trial, Now()) || m_stopping)
        Simulator::Stop();
    else if (Simulator::IsFinished()) {
        trial_stalled(m_trial, m_last);
        Simulator::Stop();
    } else
        IwarpEvent::Schedule(IwarpEvent::CHECK, NOBODY, TimeStep(shortest / CHECKS_PER_LIMIT + 1),
                             [this]() { Check(); });
}

// ---- building ---------------------------------------------------------------------------------------------

void World::InstallPorts()
{
    const NodeContainer &nodes = m_topology.GetHosts();
    m_host.resize(nodes.GetN());
    for (uint32_t i = 0; i < nodes.GetN(); i++) {
        m_host[i] = {this, i};
        m_port.push_back(m_topology.IsHere(i)
                             ? IwarpPort::Install(nodes.Get(i), m_topology.GetDevice(i), &TABLE, &m_host[i])
                             : nullptr);
    }
    for (uint32_t i = 0; i < hosts_connections(m_hosts); i++) {
        const struct hosts_connection c = hosts_connection(m_hosts, i);
        for (const auto &[host, peer] : {std::make_pair(c.from, c.to), std::make_pair(c.to, c.from)})
            if (m_port[host])
                m_port[host]->Connect(i, m_topology.GetAddress(peer));
    }
}

void World::EnableCapture()
{
    PointToPointHelper helper;
    for (uint32_t i = 0; i < m_port.size(); i++)
        helper.EnablePcap(std::string(trial_pcap(m_trial)) + "-h" + std::to_string(i) + ".pcap",
                          m_topology.GetDevice(i), true, true);
}

void World::TraceTheWay()
{
    for (const Ptr<IwarpLinkChannel> &link : m_topology.GetHostLinks())
        link->TraceConnectWithoutContext("Drop", MakeCallback(&World::Lost, this));
    for (uint32_t i = 0; i < m_topology.GetSwitches().GetN(); i++)
        m_topology.GetSwitches().Get(i)->GetObject<IwarpSwitch>()->TraceConnectWithoutContext(
            "Drop", MakeCallback(&World::Overflowed, this));
}

void World::Lost(Ptr<const Packet> packet)
{
    Ptr<Packet> copy = packet->Copy();
    PppHeader link;
    copy->RemoveHeader(link);
    TellLost(copy, nullptr);
}

void World::Overflowed(Ptr<const Packet> packet)
{
    TellLost(packet->Copy(), "a switch's queue is full");
}

void World::TellLost(const Ptr<Packet> &packet, const char *why)
{
    Ipv4Header ip;
    IwarpPacketTag tag;
    packet->RemoveHeader(ip);
    if (!packet->PeekPacketTag(tag))
        return;
    const IwarpPacketView lost(packet, ip, tag);
    hosts_lost(m_hosts, Now(), &lost.packet, why);
}

bool World::Prepare()
{
    hosts_world offers = {};
    offers.context = this;
    offers.now = [](void *w) {
        return static_cast<World *>(w)->m_ranks ? static_cast<World *>(w)->m_ranks->GetNow() : Now();
    };
    offers.kick = [](void *w, uint32_t host) { static_cast<World *>(w)->Kick(host); };
    offers.wake = [](void *w, uint64_t at) { static_cast<World *>(w)->Wake(at); };
    offers.started = [](void *w) { static_cast<World *>(w)->Started(); };
    if (m_ranks) {
        offers.key = [](void *w, uint32_t) { return static_cast<World *>(w)->m_ranks->GetKey(); };
        offers.halt = [](void *w, uint32_t host) { static_cast<World *>(w)->Halt(host); };
        offers.here = [](void *w, uint32_t host) { return static_cast<World *>(w)->m_topology.IsHere(host); };
        offers.ranks = WorldRanks::GetCount();
        offers.rank = WorldRanks::GetRank();
    }
    m_hosts = hosts_new(&m_point, m_trial, &offers);
    if (!m_hosts)
        return false;
    if (m_ranks)
        m_ranks->SetHosts(m_hosts);
    InstallPorts();
    if (trial_tracing(m_trial))
        TraceTheWay();
    if (trial_pcap(m_trial))
        EnableCapture();
    return hosts_start(m_hosts) == 0;
}

void World::Run()
{
    if (m_ranks) {
        RunRanks();
        return;
    }
    const uint64_t shortest = std::min(m_point.limit.idle, m_point.limit.sim);
    IwarpEvent::Schedule(IwarpEvent::CHECK, NOBODY, TimeStep(shortest / CHECKS_PER_LIMIT + 1),
                         [this]() { Check(); });
    Simulator::Run();
    Count();
    if (trial_went_well(m_trial))
        CheckLeftover();
}

void World::Count()
{
    struct trial_counters *c = trial_counters(m_trial);
    hosts_finish(m_hosts);
    c->drops_channel = m_topology.GetChannelDrops();
    c->drops_switch = m_topology.GetSwitchDrops();
    c->events = m_ranks ? CountEvents() : Simulator::GetEventCount();
    c->packet_hops = m_topology.GetPacketHops();
}

/// Together as many as in one process, which alone has events of the workload, of checks, and of the end.
uint64_t World::CountEvents() const
{
    // Nodes and ports begin with one each.
    const uint64_t here =
        Simulator::GetEventCount() - m_topology.GetCrossed() - m_topology.GetStandIns() - m_kicks;
    const uint64_t nodes = m_topology.GetHosts().GetN() + m_topology.GetSwitches().GetN();
    if (WorldRanks::GetRank())
        return here - nodes;
    const uint64_t shortest = std::min(m_point.limit.idle, m_point.limit.sim);
    return here + m_ranks->GetWakes() + (m_ranks->GetNow() - 1) / (shortest / CHECKS_PER_LIMIT + 1) + 1;
}

/// In several processes. What does not go well is run again by one.
void World::RunRanks()
{
    const auto kick = [this](uint32_t host) {
        m_kicks += !m_port[host]->IsKicked();
        Kick(host);
    };
    if (!m_ranks->Run(kick, [this](uint32_t host) { return m_topology.IsHere(host); })) {
        trial_run_again(m_trial);
        return;
    }
    trial_begin_share(m_trial);
    Count();
    m_ranks->ShareCounts();
    m_ranks->WriteCost(m_topology.GetCrossed());
    const auto left = [this]() {
        uint32_t host = 0;
        return hosts_leftover(m_hosts, &host) != nullptr;
    };
    if (m_ranks->GoOnWhile(left, m_ranks->GetNow() + m_point.limit.idle))
        trial_run_again(m_trial);
}

/// The sums of every node are 0 when what was under way at the last event has come to its end.
void World::CheckLeftover()
{
    const uint64_t end = Now() + m_point.limit.idle;
    uint32_t host = 0;
    const char *left = nullptr;
    for (uint64_t more = FIRST_LOOK; (left = hosts_leftover(m_hosts, &host)) && Now() < end; more *= 2) {
        Simulator::Stop(TimeStep(std::min(more, end - Now())));
        Simulator::Run();
    }
    if (left)
        trial_broken(m_trial, Now(), "broken law: every arrival is placed or refused: host %u: %s", host,
                     left);
}

} // namespace

// NULL, or why this point is not cut into so many parts.
static const char *RanksError(const scenario_point &point, const IwarpTopology::Configuration &network)
{
    if (network.ranks < 2)
        return nullptr;
    if (!workload_runs_ahead(&point.workload))
        return "--ranks: in this workload, what arrives at one host makes another act at once";
    if (IwarpTopology::GetRanksMax(network) < network.ranks)
        return "--ranks: the network has fewer pods, groups or switches";
    return IwarpTopology::GetLookahead(network)
               ? nullptr
               : "--ranks: a link between two parts has no delay, so they cannot run in parallel";
}

int world_ns3(const struct scenario_point *point, struct trial *t)
{
    Time::SetResolution(Time::PS);
    ObjectFactory scheduler("ns3::IwarpScheduler");
    Simulator::SetScheduler(scheduler);
    if (trial_pcap(t)) {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    }
    IwarpTopology::Configuration network(network_conf_of(point));
    network.ranks = WorldRanks::GetCount();
    network.rank = WorldRanks::GetRank();
    const char *error = IwarpTopology::GetError(network);
    if (error) {
        trial_refuse(t, "ns-3 refuses: %s", error);
        return -1;
    }
    error = RanksError(*point, network);
    if (error) {
        trial_refuse(t, "%s", error);
        return -1;
    }
    std::unique_ptr<World> world = std::make_unique<World>(*point, t, network);
    const bool prepared = world->Prepare();
    if (prepared)
        world->Run();
    Simulator::Destroy();
    world.reset();
    return prepared ? 0 : -1;
}
