/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-switch.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/ppp-header.h"
#include "ns3/queue.h"
#include "ns3/trace-source-accessor.h"

#include <utility>

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
                                            "ns3::IwarpSwitch::DropTracedCallback")
                            .AddTraceSource("Lose", "A link is down, and no way leads on.",
                                            MakeTraceSourceAccessor(&IwarpSwitch::m_lose),
                                            "ns3::IwarpSwitch::DropTracedCallback");
    return tid;
}

void IwarpSwitch::Install(const Route &route)
{
    Ptr<Node> node = GetObject<Node>();
    m_route = route;
    for (uint32_t i = 0; i < node->GetNDevices(); i++)
        m_ports.push_back(DynamicCast<PointToPointNetDevice>(node->GetDevice(i)));
    m_kept.resize(m_ports.size());
    node->RegisterProtocolHandler(MakeCallback(&IwarpSwitch::Receive, this), Ipv4L3Protocol::PROT_NUMBER,
                                  nullptr);
}

void IwarpSwitch::SetQueues(uint64_t buffer, uint64_t ecnThreshold)
{
    m_buffer = buffer;
    m_threshold = ecnThreshold;
}

uint64_t IwarpSwitch::GetDrops() const
{
    return m_drops;
}

namespace
{

constexpr uint32_t PPP = 2; // octets that a device puts before IP, also in its queue

uint32_t Word(const uint8_t *octets)
{
    return static_cast<uint32_t>(octets[0]) << 24 | static_cast<uint32_t>(octets[1]) << 16 |
           static_cast<uint32_t>(octets[2]) << 8 | octets[3];
}

/// Addresses and ports, mixed.
uint32_t FlowOf(const uint8_t *ip)
{
    uint64_t x = static_cast<uint64_t>(Word(ip + 12)) << 32 ^ Word(ip + 16);
    x = (x ^ Word(ip + 20)) * 0x9e3779b97f4a7c15u;
    return static_cast<uint32_t>(x >> 32);
}

} // namespace

void IwarpSwitch::SetMarks(bool atDequeue, const std::vector<bool> &spared)
{
    m_spared = spared;
    m_atDequeue = atDequeue && m_threshold;
    for (uint32_t i = 0; m_atDequeue && i < m_ports.size(); i++)
        m_ports[i]->GetQueue()->TraceConnectWithoutContext(
            "Dequeue", MakeBoundCallback(&IwarpSwitch::MarkLeaving, this, i));
}

bool IwarpSwitch::Marks(uint32_t port, uint64_t waiting) const
{
    const bool spared = port < m_spared.size() && m_spared[port];
    return m_threshold && waiting >= m_threshold && !spared;
}

/// The queue has let go of it, and the device has not sent it yet: what is told of is what will be sent.
void IwarpSwitch::MarkLeaving(const IwarpSwitch *forwarding, uint32_t port, Ptr<const Packet> packet)
{
    if (forwarding->m_kept[port].down || !forwarding->Marks(port, forwarding->GetWaiting(port)))
        return; // a link that is down takes back what waited for it
    const Ptr<Packet> leaving = ConstCast<Packet>(packet);
    PppHeader link;
    leaving->RemoveHeader(link);
    forwarding->Mark(leaving);
    leaving->AddHeader(link);
}

void IwarpSwitch::Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t protocol, const Address &,
                          const Address &, NetDevice::PacketType)
{
    uint8_t head[24]; // IPv4 without options, and TCP's ports
    if (packet->CopyData(head, sizeof head) != sizeof head)
        return;
    IwarpPacketTag tag;
    if (!packet->PeekPacketTag(tag)) {
        tag.connection = FlowOf(head);
        tag.number = m_others++;
    }
    const uint32_t number = m_route(Ipv4Address(Word(head + 16)), tag);
    Ptr<Packet> out = ConstCast<Packet>(packet); // the device keeps a copy for its traces; this one is ours
    if (number == NO_WAY) {
        Lose(out);
        return;
    }
    const Ptr<PointToPointNetDevice> &port = m_ports.at(number);
    const uint64_t waiting = GetWaiting(number);
    if (waiting + packet->GetSize() > m_buffer) {
        m_drops++;
        m_drop(out);
        return;
    }
    if (!m_atDequeue && Marks(number, waiting))
        Mark(out);
    if (m_kept[number].down)
        Keep(&m_kept[number], out);
    else
        port->Send(out, port->GetBroadcast(), protocol);
}

void IwarpSwitch::Keep(Kept *kept, const Ptr<Packet> &packet)
{
    kept->octets += packet->GetSize();
    kept->packets.push_back(packet);
}

uint64_t IwarpSwitch::GetWaiting(uint32_t port) const
{
    const Ptr<Queue<Packet>> queue = m_ports[port]->GetQueue();
    return m_kept[port].octets + queue->GetNBytes() - static_cast<uint64_t>(PPP) * queue->GetNPackets();
}

// ---- a link that is down --------------------------------------------------------------------------------

void IwarpSwitch::SetLinkUp(uint32_t port, bool up)
{
    Kept &kept = m_kept[port];
    kept.down = !up;
    for (Ptr<Packet> p; !up && (p = m_ports[port]->GetQueue()->Dequeue());) {
        PppHeader link;
        p->RemoveHeader(link);
        Keep(&kept, p);
    }
    while (up && !kept.packets.empty()) {
        const Ptr<Packet> next = kept.packets.front();
        kept.packets.pop_front();
        kept.octets -= next->GetSize();
        m_ports[port]->Send(next, m_ports[port]->GetBroadcast(), Ipv4L3Protocol::PROT_NUMBER);
    }
}

void IwarpSwitch::Flush(uint32_t port)
{
    Kept kept;
    kept.down = true;
    std::swap(kept, m_kept[port]);
    for (const Ptr<Packet> &p : kept.packets)
        Lose(p);
}

void IwarpSwitch::Lose(const Ptr<Packet> &packet)
{
    m_failed++;
    m_lose(packet);
}

uint64_t IwarpSwitch::GetFailed() const
{
    return m_failed;
}

uint64_t IwarpSwitch::GetKeptOctets(uint32_t port) const
{
    return m_kept.at(port).octets;
}

uint64_t IwarpSwitch::GetKeptPackets(uint32_t port) const
{
    return m_kept.at(port).packets.size();
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
