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

void IwarpSwitch::SetSharing(const Sharing &sharing)
{
    m_sharing = sharing;
}

void IwarpSwitch::SetEarlyMark(const EarlyMark &mark)
{
    m_early = mark;
}

void IwarpSwitch::SetPauser(const Pauser &pauser)
{
    m_pauser = pauser;
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

void IwarpSwitch::Fifo::Put(const Held &held)
{
    packets.push_back(held);
    octets += held.packet->GetSize();
}

IwarpSwitch::Held IwarpSwitch::Fifo::Take()
{
    const Held held = packets.front();
    packets.pop_front();
    octets -= held.packet->GetSize();
    return held;
}

IwarpSwitch::Held IwarpSwitch::Fifo::TakeLast()
{
    const Held held = packets.back();
    packets.pop_back();
    octets -= held.packet->GetSize();
    return held;
}

/// One that is no RNIC's has its flow for its connection.
IwarpPacketTag IwarpSwitch::TagOf(const Ptr<const Packet> &packet)
{
    uint8_t head[HEAD];
    IwarpPacketTag tag;
    if (packet->PeekPacketTag(tag))
        return tag;
    packet->CopyData(head, sizeof head);
    tag.connection = FlowOf(head);
    tag.number = m_others++;
    return tag;
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

bool IwarpSwitch::IsMarked(const Ptr<const Packet> &packet, uint64_t waiting)
{
    return m_conf.red.kmax ? m_early && m_early(TagOf(packet), waiting)
                           : m_conf.ecn_threshold && waiting >= m_conf.ecn_threshold;
}

void IwarpSwitch::Mark(const Port &port, const Ptr<Packet> &packet, uint64_t waiting)
{
    Ipv4Header header;
    if (port.spared || !IsMarked(packet, Amount(port, waiting)))
        return;
    packet->RemoveHeader(header);
    if (header.GetEcn() != Ipv4Header::ECN_NotECT)
        header.SetEcn(Ipv4Header::ECN_CE);
    PutHeader(packet, &header);
}

// ---- in ---------------------------------------------------------------------------------------------------

void IwarpSwitch::Receive(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t, const Address &,
                          const Address &, NetDevice::PacketType)
{
    uint8_t head[HEAD];
    if (packet->CopyData(head, sizeof head) != sizeof head)
        return;
    const uint32_t number = m_route(Ipv4Address(Word(head + 16)), TagOf(packet));
    Ptr<Packet> out = ConstCast<Packet>(packet); // the device keeps a copy for its traces; this one is ours
    if (number == NO_WAY)
        Lose(out);
    else
        Take(&m_ports.at(number), {out, device->GetIfIndex()});
}

uint64_t IwarpSwitch::GetFree() const
{
    return m_conf.buffer * m_ports.size() - m_used;
}

bool IwarpSwitch::Fits(const Port &port, const Held &held) const
{
    const uint32_t size = held.packet->GetSize();
    if (m_conf.shared)
        return m_sharing(GetFree(), port.data.octets, size);
    if (m_conf.pfc.on)
        return m_ports[held.ingress].ingress + size <= m_conf.pfc.xoff + m_conf.pfc.headroom;
    return Amount(port, port.data.octets + size) <= m_conf.buffer;
}

bool IwarpSwitch::FitsHeaders(const Port &port, uint32_t size) const
{
    const uint64_t most = m_conf.trimming.headers ? m_conf.trimming.headers : m_conf.buffer;
    return (!m_conf.shared || size <= GetFree()) && Amount(port, port.headers.octets + size) <= most;
}

void IwarpSwitch::Take(Port *port, Held held)
{
    const bool isShort = IsShort(held.packet);
    if (!isShort && Fits(*port, held)) {
        if (!m_conf.ecn.at_dequeue)
            Mark(*port, held.packet, port->data.octets);
        Admit(port, &port->data, held);
        return;
    }
    const bool trims = m_conf.trim && !isShort && IsOfPackets(held.packet);
    if (trims)
        held = Trim(port, held);
    if ((isShort || trims) && FitsHeaders(*port, held.packet->GetSize())) {
        Admit(port, &port->headers, held);
        return;
    }
    m_drops++;
    m_drop(held.packet);
}

/// The header of a packet without room, or of the one that gives it its place.
IwarpSwitch::Held IwarpSwitch::Trim(Port *port, Held held)
{
    if (TakesPlace(*port, held.packet)) {
        const Held last = port->data.TakeLast();
        if (!m_conf.ecn.at_dequeue)
            Mark(*port, held.packet, port->data.octets);
        port->data.Put(held);
        m_used += held.packet->GetSize();
        m_used -= last.packet->GetSize();
        held = last;
    }
    m_trims++;
    m_trim(held.packet);
    return {HeaderOf(held.packet), held.ingress};
}

bool IwarpSwitch::TakesPlace(const Port &port, const Ptr<const Packet> &packet) const
{
    IwarpPacketTag tag;
    const auto &waiting = port.data.packets;
    return m_coin && !waiting.empty() && IsOfPackets(waiting.back().packet) &&
           waiting.back().packet->GetSize() >= packet->GetSize() && packet->PeekPacketTag(tag) && m_coin(tag);
}

void IwarpSwitch::Admit(Port *port, Fifo *fifo, const Held &held)
{
    if (port->busy || port->down || port->paused)
        Wait(fifo, held);
    else
        Send(port, held.packet);
}

void IwarpSwitch::Wait(Fifo *fifo, const Held &held)
{
    fifo->Put(held);
    m_used += held.packet->GetSize();
    Port &by = m_ports[held.ingress];
    by.ingress += held.packet->GetSize();
    if (!m_conf.pfc.on || by.pausing || by.ingress < m_conf.pfc.xoff)
        return;
    by.pausing = true;
    m_pauser(held.ingress, true);
}

// ---- out --------------------------------------------------------------------------------------------------

Ptr<Packet> IwarpSwitch::Next(Port *port)
{
    const bool data = !port->data.packets.empty();
    const bool header = fabric_is_headers_turn(&m_conf, !port->headers.packets.empty(), data, &port->inARow);
    if (!header && !data)
        return nullptr;
    const Held held = (header ? port->headers : port->data).Take();
    m_used -= held.packet->GetSize();
    Port &by = m_ports[held.ingress];
    by.ingress -= held.packet->GetSize();
    if (by.pausing && by.ingress <= m_conf.pfc.xon) {
        by.pausing = false;
        m_pauser(held.ingress, false);
    }
    return held.packet;
}

/// The first bit of what waited leaves: it may be marked by what waits behind it.
Ptr<Packet> IwarpSwitch::Leave(Port *port)
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
    const Ptr<Packet> next = port.down || port.paused ? nullptr : forwarding->Leave(&port);
    port.busy = static_cast<bool>(next);
    if (!next)
        return;
    PppHeader link;
    link.SetProtocol(PPP_IPV4);
    next->AddHeader(link);
    port.device->GetQueue()->Enqueue(next);
}

// ---- a link that is down, or paused ----------------------------------------------------------------------------------

void IwarpSwitch::SetLinkUp(uint32_t number, bool up)
{
    m_ports.at(number).down = !up;
    Go(&m_ports[number]);
}

void IwarpSwitch::SetPaused(uint32_t number, bool paused)
{
    m_ports.at(number).paused = paused;
    Go(&m_ports[number]);
}

/// On, if nothing holds it up.
void IwarpSwitch::Go(Port *port)
{
    const Ptr<Packet> next = port->busy || port->down || port->paused ? nullptr : Leave(port);
    if (next)
        Send(port, next);
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
