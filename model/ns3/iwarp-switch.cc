/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-switch.h"

#include "channel/channel.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/queue.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpSwitch");
NS_OBJECT_ENSURE_REGISTERED(IwarpSwitch);

TypeId IwarpSwitch::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpSwitch")
                            .SetParent<Object>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpSwitch>()
                            .AddTraceSource("Drop", "An output queue was full.",
                                            MakeTraceSourceAccessor(&IwarpSwitch::m_drop),
                                            "ns3::IwarpSwitch::DropTracedCallback");
    return tid;
}

void IwarpSwitch::Install(const Route &route)
{
    Ptr<Node> node = GetObject<Node>();
    m_route = route;
    for (uint32_t i = 0; i < node->GetNDevices(); i++)
        m_ports.push_back(DynamicCast<PointToPointNetDevice>(node->GetDevice(i)));
    node->RegisterProtocolHandler(MakeCallback(&IwarpSwitch::Receive, this), Ipv4L3Protocol::PROT_NUMBER,
                                  nullptr);
}

void IwarpSwitch::SetEcnThreshold(uint64_t octets)
{
    m_threshold = octets;
}

void IwarpSwitch::SetSpray(bool spray, uint64_t key)
{
    m_spray = spray;
    m_key = key;
}

uint64_t IwarpSwitch::GetDrops() const
{
    return m_drops;
}

void IwarpSwitch::Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t protocol, const Address &,
                          const Address &, NetDevice::PacketType)
{
    uint8_t head[24]; // IPv4 without options, and TCP's ports
    if (packet->CopyData(head, sizeof head) != sizeof head)
        return;
    const auto word = [&head](uint32_t at) {
        return static_cast<uint32_t>(head[at]) << 24 | static_cast<uint32_t>(head[at + 1]) << 16 |
               static_cast<uint32_t>(head[at + 2]) << 8 | head[at + 3];
    };
    const uint64_t flow =
        static_cast<uint64_t>(word(12)) << 32 ^ static_cast<uint64_t>(word(16)) << 16 ^ word(20);
    const uint64_t choice = channel_draw(m_key, m_spray ? m_packets : flow);
    const Ptr<PointToPointNetDevice> &port = m_ports.at(m_route(Ipv4Address(word(16)), choice));
    Ptr<Packet> out = ConstCast<Packet>(packet); // the device keeps a copy for its traces; this one is ours
    m_packets++;
    if (m_threshold && port->GetQueue()->GetNBytes() >= m_threshold)
        Mark(out);
    if (port->Send(out, port->GetBroadcast(), protocol))
        return;
    m_drops++;
    m_drop(out);
}

void IwarpSwitch::Mark(const Ptr<Packet> &packet) const
{
    Ipv4Header header;
    packet->RemoveHeader(header);
    if (header.GetEcn() != Ipv4Header::ECN_NotECT)
        header.SetEcn(Ipv4Header::ECN_CE);
    if (Node::ChecksumEnabled())
        header.EnableChecksum();
    packet->AddHeader(header);
}

} // namespace ns3
