/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-sctp-protocol.h"

#include "llp/sctp.h"

#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-route.h"
#include "ns3/node.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpSctpProtocol);

TypeId IwarpSctpProtocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpSctpProtocol")
                            .SetParent<IpL4Protocol>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpSctpProtocol>();
    return tid;
}

Ptr<IwarpSctpProtocol> IwarpSctpProtocol::Of(const Ptr<Node> &node)
{
    Ptr<IwarpSctpProtocol> protocol = node->GetObject<IwarpSctpProtocol>();
    if (!protocol) {
        protocol = CreateObject<IwarpSctpProtocol>();
        node->AggregateObject(protocol);
    }
    return protocol;
}

void IwarpSctpProtocol::NotifyNewAggregate()
{
    Ptr<Ipv4> ipv4 = GetObject<Ipv4>();
    if (m_down.IsNull() && GetObject<Node>() && ipv4) {
        ipv4->Insert(this);
        SetDownTarget(MakeCallback(&Ipv4::Send, ipv4));
    }
    IpL4Protocol::NotifyNewAggregate();
}

void IwarpSctpProtocol::DoDispose()
{
    m_bound.clear();
    m_down.Nullify();
    m_down6.Nullify();
    IpL4Protocol::DoDispose();
}

void IwarpSctpProtocol::Bind(Ipv4Address peer, uint16_t peerPort, uint16_t port, const Handler &handler)
{
    m_bound[Key(peer.Get(), peerPort, port)] = handler;
}

void IwarpSctpProtocol::Send(const Ptr<Packet> &packet, Ipv4Address from, Ipv4Address to)
{
    m_down(packet, from, to, SCTP_PROTOCOL, nullptr);
}

uint64_t IwarpSctpProtocol::GetStrangers() const
{
    return m_strangers;
}

int IwarpSctpProtocol::GetProtocolNumber() const
{
    return SCTP_PROTOCOL;
}

IpL4Protocol::RxStatus IwarpSctpProtocol::Receive(Ptr<Packet> packet, const Ipv4Header &header,
                                                  Ptr<Ipv4Interface>)
{
    uint8_t ports[4];
    if (packet->CopyData(ports, sizeof ports) != sizeof ports)
        return RX_ENDPOINT_UNREACH;
    const uint16_t from = static_cast<uint16_t>(ports[0] << 8 | ports[1]);
    const uint16_t to = static_cast<uint16_t>(ports[2] << 8 | ports[3]);
    auto found = m_bound.find(Key(header.GetSource().Get(), from, to));
    if (found == m_bound.end()) {
        m_strangers++;
        return RX_OK; // nobody would answer an ICMP message here
    }
    found->second(packet);
    return RX_OK;
}

IpL4Protocol::RxStatus IwarpSctpProtocol::Receive(Ptr<Packet>, const Ipv6Header &, Ptr<Ipv6Interface>)
{
    return RX_ENDPOINT_UNREACH;
}

void IwarpSctpProtocol::SetDownTarget(DownTargetCallback callback)
{
    m_down = callback;
}

void IwarpSctpProtocol::SetDownTarget6(DownTargetCallback6 callback)
{
    m_down6 = callback;
}

IpL4Protocol::DownTargetCallback IwarpSctpProtocol::GetDownTarget() const
{
    return m_down;
}

IpL4Protocol::DownTargetCallback6 IwarpSctpProtocol::GetDownTarget6() const
{
    return m_down6;
}

} // namespace ns3
