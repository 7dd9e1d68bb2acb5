/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-switch.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/ppp-header.h"
#include "ns3/queue.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpSwitch");
NS_OBJECT_ENSURE_REGISTERED(IwarpSwitch);

TypeId IwarpSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpSwitch")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpSwitch>()
            .AddTraceSource("Drop", "An output queue was full.",
                            MakeTraceSourceAccessor(&IwarpSwitch::m_drop),
                            "ns3::IwarpSwitch::DropTracedCallback")
            .AddTraceSource("Trim", "An output queue was full, and the header of the packet goes on.",
                            MakeTraceSourceAccessor(&IwarpSwitch::m_trim),
                            "ns3::IwarpSwitch::DropTracedCallback")
            .AddTraceSource("Lose", "A link is down, and no way leads on.",
                            MakeTraceSourceAccessor(&IwarpSwitch::m_lose),
                            "ns3::IwarpSwitch::DropTracedCallback");
    return tid;
}

IwarpSwitch::IwarpSwitch()
{
    m_conf.buffer = UINT64_MAX;
}

void IwarpSwitch::DoDispose()
{
    m_ports.clear();
    Object::DoDispose();
}

void IwarpSwitch::Install(const Route &route)
{
    Ptr<Node> node = GetObject<Node>();
    m_route = route;
    m_ports.resize(node->GetNDevices());
    for (uint32_t i = 0; i < node->GetNDevices(); i++) {
        m_ports[i].device = DynamicCast<PointToPointNetDevice>(node->GetDevice(i));
        m_ports[i].device->TraceConnectWithoutContext("PhyTxEnd",
                                                      MakeBoundCallback(&IwarpSwitch::Sent, this, i));
    }
    node->RegisterProtocolHandler(MakeCallback(&IwarpSwitch::Receive, this), Ipv4L3Protocol::PROT_NUMBER,
                                  nullptr);
}

void IwarpSwitch::SetQueues(const fabric_conf &conf)
{
    m_conf = conf;
}

void IwarpSwitch::SetCoin(const Coin &coin)
{
    m_coin = coin;
}

void IwarpSwitch::Spare(uint32_t port)
{
    m_ports.at(port).spared = true;
}

void IwarpSwitch::SetShare(uint32_t port, uint32_t share)
{
    m_ports.at(port).share = share;
}

uint64_t IwarpSwitch::GetDrops() const
{
    return m_drops;
}

uint64_t IwarpSwitch::GetTrims() const
{
    return m_trims;
}

uint64_t IwarpSwitch::GetFailed() const
{
    return m_failed;
}

uint64_t IwarpSwitch::GetWaitingOctets(uint32_t port) const
{
    return m_ports.at(port).data.octets + m_ports.at(port).headers.octets;
}

uint64_t IwarpSwitch::GetWaitingPackets(uint32_t port) const
{
    return m_ports.at(port).data.packets.size() + m_ports.at(port).headers.packets.size();
}

// ---- packets ----------------------------------------------------------------------------------------------

namespace
{

constexpr uint32_t HEAD = 24; // octets: IPv4 without options, and TCP's ports
constexpr uint16_t PPP_IPV4 = 0x0021;
constexpr uint8_t TRIMMED = 43; // the DSCP: xxxx11, for experimental or local use (RFC 2474 section 6)

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

bool IsOfPackets(const Ptr<const Packet> &packet)
{
    uint8_t head[HEAD];
    packet->CopyData(head, HEAD);
    return head[9] == IP_PROTOCOL_EXPERIMENT;
}

void PutHeader(const Ptr<Packet> &packet, Ipv4Header *header)
{
    if (Node::ChecksumEnabled())
        header->EnableChecksum();
    packet->AddHeader(*header);
}

} // namespace

void IwarpSwitch::Fifo::Put(const Ptr<Packet> &packet)
{
    packets.push_back(packet);
    octets += packet->GetSize();
}

Ptr<Packet> IwarpSwitch::Fifo::Take()
{
    const Ptr<Packet> packet = packets.front();
    packets.pop_front();
    octets -= packet->GetSize();
    return packet;
}

Ptr<Packet> IwarpSwitch::Fifo::TakeLast()
{
    const Ptr<Packet> packet = packets.back();
    packets.pop_back();
    octets -= packet->GetSize();
    return packet;
}

/// Headers and answers.
bool IwarpSwitch::IsShort(const Ptr<const Packet> &packet) const
{
    return m_conf.trim && packet->GetSize() <= m_conf.trimmed && IsOfPackets(packet);
}

/// What trimming leaves of it; its octets are cut off.
Ptr<Packet> IwarpSwitch::HeaderOf(const Ptr<Packet> &packet) const
{
    Ipv4Header ip;
    IwarpPacketTag tag;
    packet->RemoveHeader(ip);
    packet->RemoveAtEnd(packet->GetSize() - (m_conf.trimmed - IP_HEAD));
    ip.SetPayloadSize(static_cast<uint16_t>(m_conf.trimmed - IP_HEAD));
    ip.SetDscp(static_cast<Ipv4Header::DscpType>(TRIMMED));
    if (packet->RemovePacketTag(tag)) {
        tag.trimmed = true;
        tag.sealed = 0;
        tag.head = static_cast<uint16_t>(std::min<uint32_t>(tag.head, m_conf.packet_head));
        packet->AddPacketTag(tag);
    }
    PutHeader(packet, &ip);
    return packet;
}

/// What octets amount to in a queue that has shrunk: as many more.
uint64_t IwarpSwitch::Amount(const Port &port, uint64_t octets)
{
    return port.share == FABRIC_WHOLE ? octets : octets * FABRIC_WHOLE / port.share;
}

void IwarpSwitch::Mark(const Port &port, const Ptr<Packet> &packet, uint64_t waiting) const
{
    Ipv4Header header;
    if (port.spared || !m_conf.ecn_threshold || Amount(port, waiting) < m_conf.ecn_threshold)
        return;
    packet->RemoveHeader(header);
    if (header.GetEcn() != Ipv4Header::ECN_NotECT)
        header.SetEcn(Ipv4Header::ECN_CE);
    PutHeader(packet, &header);
}

// ---- in ---------------------------------------------------------------------------------------------------

void IwarpSwitch::Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address &,
                          const Address &, NetDevice::PacketType)
{
    uint8_t head[HEAD];
    if (packet->CopyData(head, sizeof head) != sizeof head)
        return;
    IwarpPacketTag tag;
    if (!packet->PeekPacketTag(tag)) {
        tag.connection = FlowOf(head);
        tag.number = m_others++;
    }
    const uint32_t number = m_route(Ipv4Address(Word(head + 16)), tag);
    Ptr<Packet> out = ConstCast<Packet>(packet); // the device keeps a copy for its traces; this one is ours
    if (number == NO_WAY)
        Lose(out);
    else
        Take(&m_ports.at(number), out);
}

void IwarpSwitch::Take(Port *port, Ptr<Packet> packet)
{
    const bool isShort = IsShort(packet);
    if (!isShort && Amount(*port, port->data.octets + packet->GetSize()) <= m_conf.buffer) {
        if (!m_conf.ecn.at_dequeue)
            Mark(*port, packet, port->data.octets);
        Admit(port, &port->data, packet);
        return;
    }
    const uint64_t most = m_conf.trimming.headers ? m_conf.trimming.headers : m_conf.buffer;
    const bool trims = m_conf.trim && !isShort && IsOfPackets(packet);
    if (trims)
        packet = Trim(port, packet);
    if ((isShort || trims) && Amount(*port, port->headers.octets + packet->GetSize()) <= most) {
        Admit(port, &port->headers, packet);
        return;
    }
    m_drops++;
    m_drop(packet);
}

/// The header of a packet without room, or of the one that gives it its place.
Ptr<Packet> IwarpSwitch::Trim(Port *port, Ptr<Packet> packet)
{
    if (TakesPlace(*port, packet)) {
        const Ptr<Packet> last = port->data.TakeLast();
        if (!m_conf.ecn.at_dequeue)
            Mark(*port, packet, port->data.octets);
        port->data.Put(packet);
        packet = last;
    }
    m_trims++;
    m_trim(packet);
    return HeaderOf(packet);
}

bool IwarpSwitch::TakesPlace(const Port &port, const Ptr<const Packet> &packet) const
{
    IwarpPacketTag tag;
    const auto &waiting = port.data.packets;
    return m_coin && !waiting.empty() && IsOfPackets(waiting.back()) &&
           waiting.back()->GetSize() >= packet->GetSize() && packet->PeekPacketTag(tag) && m_coin(tag);
}

void IwarpSwitch::Admit(Port *port, Fifo *fifo, const Ptr<Packet> &packet)
{
    if (port->busy || port->down)
        fifo->Put(packet);
    else
        Send(port, packet);
}

// ---- out --------------------------------------------------------------------------------------------------

Ptr<Packet> IwarpSwitch::Next(Port *port) const
{
    const bool data = !port->data.packets.empty();
    if (fabric_is_headers_turn(&m_conf, !port->headers.packets.empty(), data, &port->inARow))
        return port->headers.Take();
    return data ? port->data.Take() : nullptr;
}

/// The first bit of what waited leaves: it may be marked by what waits behind it.
Ptr<Packet> IwarpSwitch::Leave(Port *port) const
{
    const uint64_t before = port->data.octets;
    const Ptr<Packet> next = Next(port);
    if (m_conf.ecn.at_dequeue && port->data.octets < before)
        Mark(*port, next, port->data.octets);
    return next;
}

void IwarpSwitch::Send(Port *port, const Ptr<Packet> &packet)
{
    port->busy = true;
    port->device->Send(packet, port->device->GetBroadcast(), Ipv4L3Protocol::PROT_NUMBER);
}

/// The device takes what is in its queue when it is done with itself.
void IwarpSwitch::Sent(IwarpSwitch *forwarding, uint32_t number, Ptr<const Packet>)
{
    Port &port = forwarding->m_ports[number];
    const Ptr<Packet> next = port.down ? nullptr : forwarding->Leave(&port);
    port.busy = static_cast<bool>(next);
    if (!next)
        return;
    PppHeader link;
    link.SetProtocol(PPP_IPV4);
    next->AddHeader(link);
    port.device->GetQueue()->Enqueue(next);
}

// ---- a link that is down ----------------------------------------------------------------------------------

void IwarpSwitch::SetLinkUp(uint32_t number, bool up)
{
    Port &port = m_ports.at(number);
    port.down = !up;
    const Ptr<Packet> next = up && !port.busy ? Leave(&port) : nullptr;
    if (next)
        Send(&port, next);
}

void IwarpSwitch::Flush(uint32_t number)
{
    for (Ptr<Packet> p; (p = Next(&m_ports.at(number)));)
        Lose(p);
}

void IwarpSwitch::Lose(const Ptr<Packet> &packet)
{
    m_failed++;
    m_lose(packet);
}

} // namespace ns3
