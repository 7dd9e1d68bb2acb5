/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-topology.h"

#include "iwarp-host-routing.h"
#include "iwarp-port.h"
#include "iwarp-scheduler.h"
#include "iwarp-switch.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/mac48-address.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpTopology");

namespace
{

constexpr uint32_t FIRST_ADDRESS = 0x0a000001; // 10.0.0.1/8 is host 0
constexpr uint32_t QUEUE = 1u << 31; // octets: the switch keeps the law of its buffers, a host has no queue

void *NoMore(void *, size_t)
{
    return nullptr;
}

/// What draws ask for.
ip_packet SaidOf(const IwarpPacketTag &packet)
{
    ip_packet said{};
    said.connection = packet.connection;
    said.direction = packet.direction;
    said.number = packet.number;
    said.entropy = packet.entropy;
    return said;
}

} // namespace

IwarpTopology::Configuration::Configuration() : fabric_conf{}
{
    parameter_defaults(static_cast<fabric_conf *>(this), &fabric_parameters);
    mtu = 9000;
    seed = 1;
    more = NoMore;
}

IwarpTopology::Configuration::Configuration(const fabric_conf &conf) : fabric_conf(conf)
{
    connections = timers = 0;
    more = NoMore;
}

const char *IwarpTopology::GetError(const Configuration &c)
{
    return c.pfc.on && c.ranks > 1 ? "pauses do not go from one process to another" : fabric_conf_error(&c);
}

uint32_t IwarpTopology::GetRanksMax(const Configuration &configuration)
{
    IwarpBlock memory;
    const fabric *map = fabric_init(memory.Allocate(fabric_size(&configuration)), &configuration);
    return map ? fabric_parts_max(map) : 0;
}

iw_time IwarpTopology::GetLookahead(const Configuration &configuration)
{
    IwarpBlock memory;
    const fabric *map = fabric_init(memory.Allocate(fabric_size(&configuration)), &configuration);
    iw_time least = IW_NEVER;
    for (uint32_t i = 0; map && i < fabric_links(map); i++) {
        const struct fabric_link link = fabric_link(map, i);
        if (fabric_part_among(map, link.from, configuration.ranks) !=
            fabric_part_among(map, link.to, configuration.ranks))
            least = std::min(least, link.delay);
    }
    return least;
}

IwarpTopology::IwarpTopology(const Configuration &configuration) : m_configuration(configuration)
{
    const char *error = GetError(m_configuration);
    NS_ABORT_MSG_IF(error, "IwarpTopology: " << error);
    m_configuration.user = this;
    m_configuration.backlog = GetBacklog;
    if (m_configuration.pfc.on && !m_configuration.pfc.headroom)
        m_configuration.pfc.headroom = fabric_headroom_of(&m_configuration);
    m_map = fabric_init(m_memory.Allocate(fabric_size(&m_configuration)), &m_configuration);
    NS_ABORT_MSG_UNLESS(m_map, "IwarpTopology: the network is not connected, or a host has two links");
    for (uint32_t i = 0; i < fabric_nodes(m_map); i++)
        (i < fabric_hosts(m_map) ? m_hosts : m_switches).Add(CreateObject<Node>(GetRank(i)));
    m_frames.resize(fabric_links(m_map));
    m_pausedSince.resize(fabric_links(m_map), IW_NEVER);
    MakeDevices();
    MakeLinks();
    for (uint32_t i = fabric_hosts(m_map); i < fabric_nodes(m_map); i++)
        if (IsHere(i))
            MakeSwitch(i);
    InstallStacks();
    AwaitChange();
}

Ptr<Node> IwarpTopology::GetNode(uint32_t number) const
{
    const uint32_t hosts = m_hosts.GetN();
    return number < hosts ? m_hosts.Get(number) : m_switches.Get(number - hosts);
}

uint32_t IwarpTopology::GetRank(uint32_t node) const
{
    return fabric_part_among(m_map, node, m_configuration.ranks);
}

bool IwarpTopology::IsHere(uint32_t node) const
{
    return GetRank(node) == m_configuration.rank;
}

// One of its ends is here.
bool IwarpTopology::IsNear(uint32_t link) const
{
    const struct fabric_link l = fabric_link(m_map, link);
    return IsHere(l.from) || IsHere(l.to);
}

// In the order of links, which is that of ports at each node.
void IwarpTopology::MakeDevices()
{
    m_devices.resize(fabric_links(m_map));
    for (uint32_t i = 0; i < fabric_links(m_map); i++) {
        if (!IsNear(i))
            continue;
        Ptr<PointToPointNetDevice> device = CreateObject<PointToPointNetDevice>();
        Ptr<DropTailQueue<Packet>> queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize(QueueSizeUnit::BYTES, QUEUE));
        device->SetAddress(Mac48Address::Allocate());
        device->SetMtu(static_cast<uint16_t>(m_configuration.mtu));
        device->SetQueue(queue);
        GetNode(fabric_link(m_map, i).from)->AddDevice(device);
        m_devices[i] = device;
    }
}

void IwarpTopology::MakeLinks()
{
    for (uint32_t i = 0; i < fabric_links(m_map); i++) {
        const struct fabric_link link = fabric_link(m_map, i);
        if (link.reverse < i || !IsNear(i))
            continue;
        Ptr<IwarpLinkChannel> channel = CreateObject<IwarpLinkChannel>();
        channel->SetAttribute("Delay", TimeValue(TimeStep(link.delay)));
        m_devices[i]->Attach(channel);
        m_devices[link.reverse]->Attach(channel);
        channel->SetFraming(link.rate, m_configuration.framing);
        m_links.push_back(channel);
        if (!IsHere(link.from))
            channel->SetElsewhere(0, link.from_port);
        if (!IsHere(link.to))
            channel->SetElsewhere(1, link.to_port);
        channel->SetChannel(m_configuration.channel, m_configuration.data, m_configuration.acks);
        channel->SetDraws(m_configuration.seed, m_configuration.repeat);
        channel->SetPacketHead(m_configuration.packet_head);
        ImpairHost(i);
        ImpairHost(link.reverse);
        if (std::min(link.from, link.to) < m_hosts.GetN())
            m_hostLinks.push_back(channel);
    }
}

// What comes to the sender of this link, a host, meets the channel of that port.
void IwarpTopology::ImpairHost(uint32_t link)
{
    const uint32_t host = fabric_link(m_map, link).from;
    if (host < m_hosts.GetN() && IsHere(host))
        DynamicCast<IwarpLinkChannel>(m_devices[link]->GetChannel())->Impair(m_devices[link], link);
}

void IwarpTopology::MakeSwitch(uint32_t number)
{
    NS_LOG_FUNCTION(this << number);
    const uint32_t first = fabric_node(m_map, number).first_link;
    Ptr<IwarpSwitch> forwarding = CreateObject<IwarpSwitch>();
    GetNode(number)->AggregateObject(forwarding);
    forwarding->Install([map = m_map, number, first](Ipv4Address to, const IwarpPacketTag &packet) {
        const ip_packet said = SaidOf(packet);
        const uint32_t link = fabric_route(map, number, to.Get() - FIRST_ADDRESS, &said);
        return link == FABRIC_NO_LINK ? IwarpSwitch::NO_WAY : link - first;
    });
    forwarding->SetQueues(m_configuration);
    forwarding->SetCoin([map = m_map, number](const IwarpPacketTag &packet) {
        const ip_packet said = SaidOf(packet);
        return fabric_coin(map, number, &said);
    });
    forwarding->SetEarlyMark([map = m_map, number](const IwarpPacketTag &packet, uint64_t waiting) {
        const ip_packet said = SaidOf(packet);
        return fabric_red_marks(map, number, &said, waiting);
    });
    forwarding->SetSharing([map = m_map](uint64_t free, uint64_t waiting, uint32_t size) {
        return fabric_fits_share(map, free, waiting, size);
    });
    forwarding->SetPauser([this, first](uint32_t port, bool stops) { SendPause(first + port, stops); });
    for (uint32_t i = 0; i < GetNode(number)->GetNDevices() && m_configuration.ecn.spares_last; i++)
        if (fabric_link(m_map, first + i).to < m_hosts.GetN())
            forwarding->Spare(i);
}

void IwarpTopology::InstallStacks()
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(IwarpHostRoutingHelper());
    for (uint32_t i = 0; i < m_hosts.GetN(); i++) {
        if (!IsHere(i))
            continue;
        stack.Install(m_hosts.Get(i));
        InstallStack(i);
    }
}

void IwarpTopology::InstallStack(uint32_t host)
{
    const NetDeviceContainer devices = GetDevices(host);
    Ptr<Ipv4> ipv4 = m_hosts.Get(host)->GetObject<Ipv4>();
    for (uint32_t i = 0; i < devices.GetN(); i++) {
        const uint32_t interface = ipv4->AddInterface(devices.Get(i));
        ipv4->AddAddress(interface, Ipv4InterfaceAddress(GetAddress(host), Ipv4Mask("255.0.0.0")));
        ipv4->SetUp(interface);
    }
}

// ---- links that change ------------------------------------------------------------------------------------

void IwarpTopology::AwaitChange()
{
    const iw_time next = fabric_next_change(m_map),
                  now = static_cast<iw_time>(Simulator::Now().GetTimeStep());
    if (next != IW_NEVER)
        IwarpEvent::Schedule(IwarpEvent::CHANGE, UINT32_MAX, TimeStep(next - now),
                             [this]() { ChangeLinks(); });
}

void IwarpTopology::ChangeLinks()
{
    uint32_t link = 0;
    const iw_time now = static_cast<iw_time>(Simulator::Now().GetTimeStep());
    for (fabric_event_kind kind; (kind = fabric_take_change(m_map, now, &link)) != FABRIC_EVENTS;) {
        if (m_listener)
            m_listener(kind, link);
        Change(kind, link);
    }
    AwaitChange();
}

void IwarpTopology::Change(fabric_event_kind kind, uint32_t link)
{
    const struct fabric_link l = fabric_link(m_map, link);
    const Ptr<PointToPointNetDevice> &device = m_devices[link];
    const Ptr<IwarpLinkChannel> channel = DynamicCast<IwarpLinkChannel>(device->GetChannel());
    const Ptr<IwarpSwitch> forwarding = GetNode(l.from)->GetObject<IwarpSwitch>();
    if (kind == FABRIC_RATE)
        channel->SetRate(device, l.rate);
    if (kind == FABRIC_RATE && forwarding)
        forwarding->SetShare(l.from_port, l.share);
    if (kind == FABRIC_DOWN)
        channel->Fail(device);
    if (kind == FABRIC_AVOIDED && forwarding)
        forwarding->Flush(l.from_port);
    if (kind != FABRIC_DOWN && kind != FABRIC_UP)
        return;
    if (forwarding)
        forwarding->SetLinkUp(l.from_port, kind == FABRIC_UP);
    else
        GetNode(l.from)->GetObject<IwarpPort>()->SetLinkUp(l.from_port, kind == FABRIC_UP);
}

// ---- pauses -----------------------------------------------------------------------------------------------

// To the other end of a link, on which the frame takes no room.
void IwarpTopology::SendPause(uint32_t link, bool stops)
{
    const struct fabric_link l = fabric_link(m_map, link);
    IwarpPacketTag frame;
    frame.connection = IwarpEvent::PAUSE;
    frame.number = m_frames[link]++;
    const iw_time way = fabric_serialization(FABRIC_PAUSE, l.rate) + l.delay;
    IwarpEvent::ScheduleArrival(GetNode(l.to)->GetId(), l.to_port, frame, TimeStep(way),
                                [this, back = l.reverse, stops]() { Pause(back, stops); });
}

// Whoever sends on the link.
void IwarpTopology::Pause(uint32_t link, bool paused)
{
    NS_LOG_FUNCTION(this << link << paused);
    const struct fabric_link l = fabric_link(m_map, link);
    const iw_time now = static_cast<iw_time>(Simulator::Now().GetTimeStep());
    m_pauses += paused;
    m_paused += paused ? 0 : now - m_pausedSince[link];
    m_pausedSince[link] = paused ? now : IW_NEVER;
    if (m_listener)
        m_listener(paused ? FABRIC_PAUSED : FABRIC_RESUMED, link);
    if (const Ptr<IwarpSwitch> forwarding = GetNode(l.from)->GetObject<IwarpSwitch>())
        forwarding->SetPaused(l.from_port, paused);
    else
        GetNode(l.from)->GetObject<IwarpPort>()->SetPaused(l.from_port, paused);
}

uint64_t IwarpTopology::GetPauses() const
{
    return m_pauses;
}

iw_time IwarpTopology::GetPaused() const
{
    const iw_time now = static_cast<iw_time>(Simulator::Now().GetTimeStep());
    iw_time paused = m_paused;
    for (const iw_time since : m_pausedSince)
        paused += since == IW_NEVER ? 0 : now - since;
    return paused;
}

void IwarpTopology::SetChangeListener(const ChangeListener &listener)
{
    m_listener = listener;
}

uint64_t IwarpTopology::GetFailed() const
{
    uint64_t packets = 0;
    for (const Ptr<IwarpLinkChannel> &link : m_links)
        packets += link->GetFailed();
    for (uint32_t i = 0; i < m_switches.GetN(); i++)
        if (IsHere(m_hosts.GetN() + i))
            packets += m_switches.Get(i)->GetObject<IwarpSwitch>()->GetFailed();
    return packets;
}

uint64_t IwarpTopology::GetRerouted() const
{
    return fabric_counts(m_map).rerouted;
}

const std::vector<Ptr<IwarpLinkChannel>> &IwarpTopology::GetAllLinks() const
{
    return m_links;
}

void IwarpTopology::StartImpairment()
{
    StartImpairment(static_cast<iw_time>(Simulator::Now().GetTimeStep()));
}

void IwarpTopology::StartImpairment(iw_time at)
{
    for (const Ptr<IwarpLinkChannel> &link : m_hostLinks)
        link->Start(at);
}

const NodeContainer &IwarpTopology::GetHosts() const
{
    return m_hosts;
}

const NodeContainer &IwarpTopology::GetSwitches() const
{
    return m_switches;
}

Ptr<PointToPointNetDevice> IwarpTopology::GetDevice(uint32_t host) const
{
    return m_devices.at(fabric_node(m_map, host).first_link);
}

NetDeviceContainer IwarpTopology::GetDevices(uint32_t host) const
{
    const struct fabric_node node = fabric_node(m_map, host);
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < node.links; i++)
        devices.Add(m_devices.at(node.first_link + i));
    return devices;
}

Ipv4Address IwarpTopology::GetAddress(uint32_t host) const
{
    return Ipv4Address(FIRST_ADDRESS + host);
}

const std::vector<Ptr<IwarpLinkChannel>> &IwarpTopology::GetHostLinks() const
{
    return m_hostLinks;
}

uint64_t IwarpTopology::GetChannelDrops() const
{
    uint64_t drops = 0;
    for (const Ptr<IwarpLinkChannel> &link : m_hostLinks)
        drops += link->GetDrops();
    return drops;
}

uint64_t IwarpTopology::GetSwitchDrops() const
{
    uint64_t drops = 0;
    for (uint32_t i = 0; i < m_switches.GetN(); i++)
        if (IsHere(m_hosts.GetN() + i))
            drops += m_switches.Get(i)->GetObject<IwarpSwitch>()->GetDrops();
    return drops;
}

uint64_t IwarpTopology::GetTrims() const
{
    uint64_t trims = 0;
    for (uint32_t i = 0; i < m_switches.GetN(); i++)
        if (IsHere(m_hosts.GetN() + i))
            trims += m_switches.Get(i)->GetObject<IwarpSwitch>()->GetTrims();
    return trims;
}

const fabric *IwarpTopology::GetMap() const
{
    return m_map;
}

uint32_t IwarpTopology::GetLinks() const
{
    return fabric_links(m_map);
}

fabric_backlog IwarpTopology::GetBacklog(void *topology, uint32_t link)
{
    const auto *t = static_cast<IwarpTopology *>(topology);
    const Ptr<PointToPointNetDevice> &device = t->m_devices.at(link);
    return {t->GetLinkState(link).waiting,
            DynamicCast<IwarpLinkChannel>(device->GetChannel())->GetBusy(device)};
}

// A host has no queue.
IwarpTopology::LinkState IwarpTopology::GetLinkState(uint32_t link) const
{
    const Ptr<PointToPointNetDevice> &device = m_devices.at(link);
    const struct fabric_link ends = fabric_link(m_map, link);
    const Ptr<IwarpSwitch> forwarding = GetNode(ends.from)->GetObject<IwarpSwitch>();
    return {ends.from, ends.to, DynamicCast<IwarpLinkChannel>(device->GetChannel())->GetOctets(device),
            forwarding ? forwarding->GetWaitingOctets(ends.from_port) : 0,
            forwarding ? forwarding->GetWaitingPackets(ends.from_port) : 0};
}

uint64_t IwarpTopology::GetPacketHops() const
{
    uint64_t packets = 0;
    for (const Ptr<IwarpLinkChannel> &link : m_links)
        packets += link->GetPackets();
    return packets;
}

uint32_t IwarpTopology::GetStandIns() const
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m_devices.size(); i++)
        count += m_devices[i] && !IsHere(fabric_link(m_map, i).from);
    return count;
}

uint64_t IwarpTopology::GetCrossed() const
{
    uint64_t packets = 0;
    for (const Ptr<IwarpLinkChannel> &link : m_links)
        packets += link->GetCrossed();
    return packets;
}

} // namespace ns3
