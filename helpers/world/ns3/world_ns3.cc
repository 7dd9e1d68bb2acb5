/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3.cc -- a trial on ns-3: its devices, queues and IP carry packets between the hosts of hosts.h. */
#include "helpers/world/ns3/world_ns3.h"

#include "helpers/world/network_conf.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/iwarp-scheduler.h"
#include "ns3/iwarp-switch.h"
#include "ns3/object-factory.h"
#include "ns3/ppp-header.h"
#include "ns3/simulator.h"
#include "ns3/trace-helper.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

using namespace ns3;

World::World(const scenario_point &point, trial *t, const IwarpTopology::Configuration &network)
    : m_point(point), m_trial(t), m_topology(network)
{
}

World::~World()
{
    hosts_free(m_hosts);
}

// ---- building ---------------------------------------------------------------------------------------------

void World::InstallPorts()
{
    const NodeContainer &nodes = m_topology.GetHosts();
    for (uint32_t i = 0; i < nodes.GetN(); i++)
        m_port.push_back(m_topology.IsHere(i) ? IwarpPort::Install(nodes.Get(i), m_topology.GetDevices(i),
                                                                   &hosts_table, hosts_object(m_hosts, i))
                                              : nullptr);
    for (uint32_t i = 0; i < hosts_connections(m_hosts); i++) {
        const struct hosts_connection c = hosts_connection(m_hosts, i);
        for (const auto &[host, peer] : {std::make_pair(c.from, c.to), std::make_pair(c.to, c.from)})
            if (m_port[host])
                m_port[host]->Connect(i, m_topology.GetAddress(peer));
    }
}

// One file for all ports of a host.
void World::EnableCapture()
{
    PcapHelper helper;
    for (uint32_t i = 0; i < m_port.size(); i++) {
        const NetDeviceContainer devices = m_topology.GetDevices(i);
        Ptr<PcapFileWrapper> file =
            helper.CreateFile(std::string(trial_pcap(m_trial)) + "-h" + std::to_string(i) + ".pcap",
                              std::ios::out, PcapHelper::DLT_PPP);
        for (uint32_t port = 0; port < devices.GetN(); port++)
            helper.HookDefaultSink<PointToPointNetDevice>(
                DynamicCast<PointToPointNetDevice>(devices.Get(port)), "PromiscSniffer", file);
    }
}

void World::TraceTheWay()
{
    for (const Ptr<IwarpLinkChannel> &link : m_topology.GetHostLinks())
        link->TraceConnectWithoutContext("Drop", MakeCallback(&World::Lost, this));
    for (const Ptr<IwarpLinkChannel> &link : m_topology.GetAllLinks())
        link->TraceConnectWithoutContext("Fail", MakeCallback(&World::Severed, this));
    for (uint32_t i = 0; i < m_topology.GetSwitches().GetN(); i++) {
        Ptr<IwarpSwitch> forwarding = m_topology.GetSwitches().Get(i)->GetObject<IwarpSwitch>();
        forwarding->TraceConnectWithoutContext("Drop", MakeCallback(&World::Overflowed, this));
        forwarding->TraceConnectWithoutContext("Trim", MakeCallback(&World::Trimmed, this));
        forwarding->TraceConnectWithoutContext("Lose", MakeCallback(&World::Stranded, this));
    }
}

void World::LinkChanged(fabric_event_kind kind, uint32_t link)
{
    if (kind != FABRIC_PAUSED && kind != FABRIC_RESUMED) {
        network_tell_change(&m_point, m_topology.GetMap(), m_trial, GetNow(), kind, link);
        return;
    }
    const uint32_t from = m_topology.GetLinkState(link).from;
    if (from < m_port.size())
        hosts_paused(m_hosts, GetNow(), from, kind == FABRIC_PAUSED);
}

void World::Lost(Ptr<const Packet> packet)
{
    Ptr<Packet> copy = packet->Copy();
    PppHeader link;
    copy->RemoveHeader(link);
    TellLost(copy, nullptr);
}

void World::Severed(Ptr<const Packet> packet)
{
    Ptr<Packet> copy = packet->Copy();
    PppHeader link;
    copy->RemoveHeader(link);
    TellLost(copy, NETWORK_LINK_DOWN);
}

void World::Stranded(Ptr<const Packet> packet)
{
    TellLost(packet->Copy(), NETWORK_LINK_DOWN);
}

void World::Overflowed(Ptr<const Packet> packet)
{
    TellLost(packet->Copy(), "a switch's queue is full");
}

void World::Trimmed(Ptr<const Packet> packet)
{
    TellLost(packet->Copy(), "a switch's queue is full, and its header goes on");
}

void World::TellLost(const Ptr<Packet> &packet, const char *why)
{
    Ipv4Header ip;
    IwarpPacketTag tag;
    packet->RemoveHeader(ip);
    if (!packet->PeekPacketTag(tag))
        return;
    const IwarpPacketView lost(packet, ip, tag);
    hosts_lost(m_hosts, GetNow(), &lost.packet, why);
}

bool World::Prepare()
{
    hosts_world offers = {};
    offers.context = this;
    offers.now = [](void *w) { return static_cast<World *>(w)->GetNow(); };
    offers.kick = [](void *w, uint32_t host) { static_cast<World *>(w)->Kick(host); };
    offers.wake = [](void *w, uint64_t at) { static_cast<World *>(w)->Wake(at); };
    offers.started = [](void *w) {
        World *world = static_cast<World *>(w);
        world->m_topology.StartImpairment(world->GetNow());
    };
    offers.called = [](void *w, uint64_t now, bool heard) {
        World *world = static_cast<World *>(w);
        world->m_last = now;
        if (heard)
            world->Acted();
    };
    Offer(&offers);
    m_hosts = hosts_new(&m_point, m_trial, &offers);
    if (!m_hosts)
        return false;
    InstallPorts();
    const bool told = trial_tracing(m_trial) || trial_asks_for_flows(m_trial);
    if (told || m_point.topology.pfc.on)
        m_topology.SetChangeListener(
            [this](fabric_event_kind kind, uint32_t link) { LinkChanged(kind, link); });
    if (told)
        TraceTheWay();
    if (trial_pcap(m_trial))
        EnableCapture();
    return hosts_start(m_hosts) == 0;
}

void World::Count(uint64_t events)
{
    struct point_counters *c = trial_counters(m_trial);
    hosts_finish(m_hosts);
    c->drops_channel = m_topology.GetChannelDrops();
    c->drops_switch = m_topology.GetSwitchDrops();
    c->trims = m_topology.GetTrims();
    c->lost_on_failed_links = m_topology.GetFailed();
    c->reroutes = m_topology.GetRerouted();
    c->pauses = m_topology.GetPauses();
    c->paused_ps = m_topology.GetPaused();
    c->under_way = UINT64_MAX;
    c->events = events;
    c->packet_hops = m_topology.GetPacketHops();
}

// ---- in one process ---------------------------------------------------------------------------------------

namespace
{

constexpr uint64_t FIRST_LOOK = 1000000; // ps, until it is looked again what is left; then twice as long
constexpr uint32_t NOBODY = UINT32_MAX;  // the node of events that are the world's own

class OneProcess : public World
{
  public:
    using World::World;
    static std::unique_ptr<World> Make(const scenario_point &point, trial *t,
                                       const IwarpTopology::Configuration &network)
    {
        return std::make_unique<OneProcess>(point, t, network);
    }
    void Run() override;

  protected:
    uint64_t GetNow() const override;
    void Kick(uint32_t host) override;
    void Wake(uint64_t at) override;
    void Acted() override;

  private:
    void Woken(uint64_t at);
    void CheckLater();
    void Check();
    void Look();
    void CheckLeftover();
    static void NameLink(void *world, uint32_t link, char name[TRIAL_NAME]);
    static trial_link_now GetLink(void *world, uint32_t link);
    static void ShowLink(void *world, uint32_t link, hosts_link *l);

    uint64_t m_wake{IW_NEVER}, m_check{0}, m_looks{0};
    bool m_stopping{false};
};

uint64_t OneProcess::GetNow() const
{
    return static_cast<uint64_t>(Simulator::Now().GetTimeStep());
}

void OneProcess::Kick(uint32_t host)
{
    m_port[host]->Kick();
}

void OneProcess::Wake(uint64_t at)
{
    const uint64_t now = GetNow();
    m_wake = at == IW_NEVER ? at : std::max(at, now);
    if (at != IW_NEVER)
        IwarpEvent::Schedule(IwarpEvent::WORKLOAD, NOBODY, TimeStep(m_wake - now),
                             [this, wake = m_wake]() { Woken(wake); });
}

void OneProcess::Woken(uint64_t at)
{
    if (at != m_wake)
        return; // it was put off
    m_wake = IW_NEVER;
    m_last = at;
    hosts_wake(m_hosts);
    Acted();
}

// What the event under way has started at other hosts goes before.
void OneProcess::Acted()
{
    if (m_stopping || !trial_over(m_trial, GetNow()))
        return;
    m_stopping = true;
    IwarpEvent::Schedule(IwarpEvent::STOP, NOBODY, Time(0), []() { Simulator::Stop(); });
}

void OneProcess::NameLink(void *world, uint32_t link, char name[TRIAL_NAME])
{
    const OneProcess *w = static_cast<OneProcess *>(world);
    network_link_name(&w->m_point, w->m_topology.GetMap(), link, name, TRIAL_NAME);
}

trial_link_now OneProcess::GetLink(void *world, uint32_t link)
{
    const IwarpTopology::LinkState now = static_cast<OneProcess *>(world)->m_topology.GetLinkState(link);
    return {now.octets, now.waiting};
}

void OneProcess::ShowLink(void *world, uint32_t link, hosts_link *l)
{
    const OneProcess *w = static_cast<OneProcess *>(static_cast<World *>(world));
    const fabric *map = w->m_topology.GetMap();
    const IwarpTopology::LinkState now = w->m_topology.GetLinkState(link);
    char name[NETWORK_NAME];
    snprintf(l->from, sizeof l->from, "%s", network_node_name(&w->m_point, map, now.from, name));
    snprintf(l->to, sizeof l->to, "%s", network_node_name(&w->m_point, map, now.to, name));
    l->queue_octets = now.waiting;
    l->queue_packets = now.packets;
    l->octets = now.octets;
}

// All that happens at this instant has happened.
void OneProcess::Look()
{
    const uint64_t now = GetNow();
    const trial_network network = {this, m_topology.GetLinks(), NameLink, GetLink};
    if (trial_next_look(m_trial) != now)
        return;
    if (FILE *state = trial_state(m_trial, now))
        hosts_state(m_hosts, state, now, network.links, ShowLink);
    trial_look(m_trial, now, &network);
}

// Limits are looked at in between too, and the last event of all is noticed.
void OneProcess::Check()
{
    m_looks += GetNow() != m_check;
    if (!m_stopping)
        Look();
    if (trial_over(m_trial, GetNow()) || m_stopping)
        Simulator::Stop();
    else if (Simulator::IsFinished()) {
        trial_stalled(m_trial, m_last);
        Simulator::Stop();
    } else
        CheckLater();
}

void OneProcess::CheckLater()
{
    const uint64_t now = GetNow();
    if (now == m_check)
        m_check += network_check_interval(&m_point);
    const uint64_t next = std::min(m_check, trial_next_look(m_trial));
    IwarpEvent::Schedule(IwarpEvent::CHECK, NOBODY, TimeStep(next - now), [this]() { Check(); });
}

void OneProcess::Run()
{
    CheckLater();
    Simulator::Run();
    Count(Simulator::GetEventCount() - m_looks);
    if (trial_went_well(m_trial))
        CheckLeftover();
}

/// The sums of every node are 0 when what was under way at the last event has come to its end.
void OneProcess::CheckLeftover()
{
    const uint64_t end = GetNow() + m_point.limit.idle;
    uint32_t host = 0;
    const char *left = nullptr;
    for (uint64_t more = FIRST_LOOK; (left = hosts_leftover(m_hosts, &host)) && GetNow() < end; more *= 2) {
        Simulator::Stop(TimeStep(std::min(more, end - GetNow())));
        Simulator::Run();
    }
    if (left)
        trial_broken(m_trial, GetNow(), "broken law: every arrival is placed or refused: host %u: %s", host,
                     left);
}

const char *InOnePiece(const scenario_point &, IwarpTopology::Configuration *)
{
    return nullptr;
}

WorldWay g_way = {InOnePiece, OneProcess::Make};

int Refuse(trial *t, const char *who, const char *why)
{
    trial_refuse(t, "%s%s", who, why);
    return -1;
}

} // namespace

void SetWorldWay(const WorldWay &way)
{
    g_way = way;
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
    const char *error = IwarpTopology::GetError(network);
    if (error)
        return Refuse(t, "ns-3 refuses: ", error);
    error = g_way.Cut(*point, &network);
    if (error)
        return Refuse(t, "", error);
    std::unique_ptr<World> world = g_way.Make(*point, t, network);
    const bool prepared = world->Prepare();
    if (prepared)
        world->Run();
    Simulator::Destroy();
    world.reset();
    return prepared ? 0 : -1;
}
