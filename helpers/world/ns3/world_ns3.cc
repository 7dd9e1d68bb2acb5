/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3.cc -- a trial on ns-3: its devices, queues and IP carry packets between the hosts of hosts.h. */
#include "helpers/world/ns3/world_ns3.h"

#include "helpers/world/hosts.h"
#include "helpers/world/network_conf.h"

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
    void Wake(uint64_t at);
    void Woken(uint64_t at);
    void StopWhenOver();
    void Check();
    void CheckLeftover();

    const scenario_point &m_point;
    trial *m_trial;
    IwarpTopology m_topology;
    hosts *m_hosts{nullptr};
    std::vector<Host> m_host;
    std::vector<Ptr<IwarpPort>> m_port;
    uint64_t m_wake{IW_NEVER};
    uint64_t m_last{0}; //!< when a host was last concerned
    bool m_stopping{false};
};

const fabric_host World::TABLE = {Transmit, Arrive, Deadline, Expire};

World::World(const scenario_point &point, trial *t, const IwarpTopology::Configuration &network)
    : m_point(point), m_trial(t), m_topology(network)
{
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

void World::Wake(uint64_t at)
{
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
    if (m_stopping || !trial_over(m_trial, Now()))
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
        m_port.push_back(IwarpPort::Install(nodes.Get(i), m_topology.GetDevice(i), &TABLE, &m_host[i]));
    }
    for (uint32_t i = 0; i < hosts_connections(m_hosts); i++) {
        const struct hosts_connection c = hosts_connection(m_hosts, i);
        m_port[c.from]->Connect(i, m_topology.GetAddress(c.to));
        m_port[c.to]->Connect(i, m_topology.GetAddress(c.from));
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
    const hosts_world offers = {this,
                                [](void *) { return Now(); },
                                [](void *w, uint32_t host) { static_cast<World *>(w)->m_port[host]->Kick(); },
                                [](void *w, uint64_t at) { static_cast<World *>(w)->Wake(at); },
                                [](void *w) { static_cast<World *>(w)->m_topology.StartImpairment(); },
                                nullptr,
                                nullptr};
    m_hosts = hosts_new(&m_point, m_trial, &offers);
    if (!m_hosts)
        return false;
    InstallPorts();
    if (trial_tracing(m_trial))
        TraceTheWay();
    if (trial_pcap(m_trial))
        EnableCapture();
    return hosts_start(m_hosts) == 0;
}

void World::Run()
{
    const uint64_t shortest = std::min(m_point.limit.idle, m_point.limit.sim);
    IwarpEvent::Schedule(IwarpEvent::CHECK, NOBODY, TimeStep(shortest / CHECKS_PER_LIMIT + 1),
                         [this]() { Check(); });
    Simulator::Run();
    struct trial_counters *c = trial_counters(m_trial);
    hosts_finish(m_hosts);
    c->drops_channel = m_topology.GetChannelDrops();
    c->drops_switch = m_topology.GetSwitchDrops();
    c->events = Simulator::GetEventCount();
    c->packet_hops = m_topology.GetPacketHops();
    if (trial_went_well(m_trial))
        CheckLeftover();
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

int world_ns3(const struct scenario_point *point, struct trial *t)
{
    Time::SetResolution(Time::PS);
    ObjectFactory scheduler("ns3::IwarpScheduler");
    Simulator::SetScheduler(scheduler);
    if (trial_pcap(t)) {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    }
    const IwarpTopology::Configuration network(network_conf_of(point));
    const char *error = IwarpTopology::GetError(network);
    if (error) {
        trial_refuse(t, "ns-3 refuses: %s", error);
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
