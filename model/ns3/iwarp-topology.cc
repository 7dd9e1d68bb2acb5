/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-topology.h"

#include "iwarp-host-routing.h"
#include "iwarp-tcp-l4-protocol.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/mac48-address.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

constexpr uint32_t FIRST_ADDRESS = 0x0a000001; // 10.0.0.1/8 is host 0
constexpr uint32_t HOST_QUEUE = 1u << 31;      // octets: a host's window bounds what it queues for its port

uint32_t HostOf(Ipv4Address address)
{
    return address.Get() - FIRST_ADDRESS;
}

} // namespace

IwarpTopology::IwarpTopology(const Configuration &configuration) : m_configuration(configuration)
{
    switch (configuration.kind) {
    case LINK: MakeLink(); break;
    case STAR: MakeStar(); break;
    case FAT_TREE: MakeFatTree(); break;
    }
    InstallStacks();
    if (configuration.impaired)
        Impair();
}

bool IwarpTopology::IsHost(const Ptr<Node> &node) const
{
    return node->GetId() >= m_hosts.Get(0)->GetId() &&
           node->GetId() <= m_hosts.Get(m_hosts.GetN() - 1)->GetId();
}

Ptr<PointToPointNetDevice> IwarpTopology::MakeDevice(const Ptr<Node> &node, uint64_t rate, bool host) const
{
    Ptr<PointToPointNetDevice> device = CreateObject<PointToPointNetDevice>();
    Ptr<DropTailQueue<Packet>> queue = CreateObject<DropTailQueue<Packet>>();
    const uint64_t limit = host ? HOST_QUEUE : std::min<uint64_t>(m_configuration.buffer, HOST_QUEUE);
    queue->SetMaxSize(QueueSize(QueueSizeUnit::BYTES, static_cast<uint32_t>(limit)));
    device->SetAddress(Mac48Address::Allocate());
    device->SetDataRate(DataRate(rate));
    device->SetMtu(m_configuration.mtu);
    device->SetQueue(queue);
    const uint32_t gap = m_configuration.framing - IwarpLinkChannel::PPP;
    device->SetInterframeGap(DataRate(rate).CalculateBytesTxTime(gap));
    node->AddDevice(device);
    return device;
}

// The port of `lower` is made first: ports of a switch are numbered from below.
void IwarpTopology::Join(const Ptr<Node> &lower, const Ptr<Node> &upper, uint64_t rate)
{
    Ptr<IwarpLinkChannel> channel = CreateObject<IwarpLinkChannel>();
    channel->SetAttribute("Delay", TimeValue(m_configuration.delay));
    channel->SetFraming(DataRate(rate).CalculateBytesTxTime(m_configuration.framing - IwarpLinkChannel::PPP));
    for (const Ptr<Node> &node : {lower, upper}) {
        Ptr<PointToPointNetDevice> device = MakeDevice(node, rate, IsHost(node));
        device->Attach(channel);
        if (IsHost(node))
            m_devices.push_back(device);
    }
    m_links.push_back(channel);
    if (IsHost(lower))
        m_hostLinks.push_back(channel);
}

void IwarpTopology::InstallSwitch(uint32_t index, const IwarpSwitch::Route &route)
{
    Ptr<IwarpSwitch> forwarding = CreateObject<IwarpSwitch>();
    m_switches.Get(index)->AggregateObject(forwarding);
    forwarding->Install(route);
    forwarding->SetEcnThreshold(m_configuration.ecnThreshold);
    const uint64_t key = channel_key(m_configuration.seed, m_configuration.repeat, index, 1u << 31);
    forwarding->SetSpray(m_configuration.spray, key);
}

void IwarpTopology::MakeLink()
{
    m_hosts.Create(2);
    Join(m_hosts.Get(0), m_hosts.Get(1), m_configuration.rate);
}

void IwarpTopology::MakeStar()
{
    m_hosts.Create(m_configuration.hosts);
    m_switches.Create(1);
    for (uint32_t i = 0; i < m_configuration.hosts; i++)
        Join(m_hosts.Get(i), m_switches.Get(0), m_configuration.rate);
    InstallSwitch(0, [](Ipv4Address to, uint64_t) { return HostOf(to); });
}

// Ports of edge and aggregation: half of them down, in order, then half of them up; of a core: one to each pod.
void IwarpTopology::MakeFatTree()
{
    const uint32_t k = m_configuration.k, half = k / 2, pods = k, edges = k * half, perPod = half * half;
    const uint64_t above =
        static_cast<uint64_t>(static_cast<double>(m_configuration.rate) / m_configuration.oversubscription);
    m_hosts.Create(edges * half);
    m_switches.Create(2 * edges + perPod);
    const auto edge = [this](uint32_t i) { return m_switches.Get(i); };
    const auto aggregation = [this, edges](uint32_t i) { return m_switches.Get(edges + i); };
    const auto core = [this, edges](uint32_t i) { return m_switches.Get(2 * edges + i); };
    for (uint32_t h = 0; h < edges * half; h++)
        Join(m_hosts.Get(h), edge(h / half), m_configuration.rate);
    for (uint32_t e = 0; e < edges; e++)
        for (uint32_t up = 0; up < half; up++)
            Join(edge(e), aggregation(e / half * half + up), above);
    for (uint32_t a = 0; a < edges; a++)
        for (uint32_t up = 0; up < half; up++)
            Join(aggregation(a), core(a % half * half + up), above);

    for (uint32_t i = 0; i < edges; i++) {
        InstallSwitch(i, [i, half](Ipv4Address to, uint64_t choice) {
            const uint32_t host = HostOf(to);
            return host / half == i ? host % half : half + static_cast<uint32_t>(choice % half);
        });
        InstallSwitch(edges + i, [pod = i / half, half, perPod](Ipv4Address to, uint64_t choice) {
            const uint32_t host = HostOf(to);
            return host / perPod == pod ? host / half % half : half + static_cast<uint32_t>(choice % half);
        });
    }
    for (uint32_t i = 0; i < perPod; i++)
        InstallSwitch(2 * edges + i, [perPod](Ipv4Address to, uint64_t) { return HostOf(to) / perPod; });
    NS_ABORT_MSG_UNLESS(m_devices.size() == pods * perPod, "a fat tree has k^3/4 hosts");
}

void IwarpTopology::InstallStacks()
{
    if (m_configuration.stockTcp) {
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.SetRoutingHelper(IwarpHostRoutingHelper());
        stack.Install(m_hosts);
    } else {
        IwarpTcpL4Protocol::Install(m_hosts, IwarpHostRoutingHelper());
    }
    for (uint32_t i = 0; i < m_hosts.GetN(); i++) {
        Ptr<Ipv4> ipv4 = m_hosts.Get(i)->GetObject<Ipv4>();
        const uint32_t interface = ipv4->AddInterface(m_devices[i]);
        ipv4->AddAddress(interface, Ipv4InterfaceAddress(GetAddress(i), Ipv4Mask("255.0.0.0")));
        ipv4->SetUp(interface);
    }
}

void IwarpTopology::Impair()
{
    for (uint32_t i = 0; i < m_devices.size(); i++) {
        const Ptr<IwarpLinkChannel> &last = m_hostLinks[std::min<size_t>(i, m_hostLinks.size() - 1)];
        last->SetImpairment(m_devices[i], m_configuration.impairment, m_configuration.seed,
                            m_configuration.repeat, i);
    }
}

void IwarpTopology::StartImpairment()
{
    for (const Ptr<IwarpLinkChannel> &link : m_hostLinks)
        link->Start();
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
    return m_devices.at(host);
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
        drops += m_switches.Get(i)->GetObject<IwarpSwitch>()->GetDrops();
    return drops;
}

uint64_t IwarpTopology::GetPacketHops() const
{
    uint64_t packets = 0;
    for (const Ptr<IwarpLinkChannel> &link : m_links)
        packets += link->GetPackets();
    return packets;
}

} // namespace ns3
