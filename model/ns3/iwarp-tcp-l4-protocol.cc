/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-tcp-l4-protocol.h"

#include "iwarp-tcp-socket.h"

#include "ns3/arp-l3-protocol.h"
#include "ns3/icmpv4-l4-protocol.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-interface.h"
#include "ns3/node.h"
#include "ns3/tcp-header.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-l4-protocol.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpTcpL4Protocol);

TypeId IwarpTcpL4Protocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpTcpL4Protocol")
                            .SetParent<TcpL4Protocol>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpTcpL4Protocol>();
    return tid;
}

void IwarpTcpL4Protocol::Install(const NodeContainer &nodes, const Ipv4RoutingHelper &routing)
{
    for (auto i = nodes.Begin(); i != nodes.End(); ++i) {
        const Ptr<Node> &node = *i;
        NS_ABORT_MSG_IF(node->GetObject<Ipv4>(), "IwarpTcpL4Protocol: the node has an IPv4 stack already");
        Ptr<ArpL3Protocol> arp = CreateObject<ArpL3Protocol>();
        Ptr<Ipv4L3Protocol> ipv4 = CreateObject<Ipv4L3Protocol>();
        Ptr<TrafficControlLayer> trafficControl = CreateObject<TrafficControlLayer>();
        node->AggregateObject(arp);
        node->AggregateObject(ipv4);
        node->AggregateObject(CreateObject<Icmpv4L4Protocol>());
        ipv4->SetRoutingProtocol(routing.Create(node));
        node->AggregateObject(trafficControl);
        node->AggregateObject(CreateObject<UdpL4Protocol>());
        node->AggregateObject(CreateObject<IwarpTcpL4Protocol>());
        arp->SetTrafficControl(trafficControl);
    }
}

IwarpTcpL4Protocol::Key IwarpTcpL4Protocol::MakeKey(Ipv4Address local, uint16_t localPort, Ipv4Address peer,
                                                    uint16_t peerPort)
{
    return {static_cast<uint64_t>(local.Get()) << 32 | peer.Get(),
            static_cast<uint32_t>(localPort) << 16 | peerPort};
}

size_t IwarpTcpL4Protocol::Hash::operator()(const Key &key) const
{
    uint64_t x = key.addresses ^ key.ports * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

void IwarpTcpL4Protocol::Register(const Key &key, IwarpTcpSocket *socket)
{
    m_sockets[key] = socket;
}

void IwarpTcpL4Protocol::Deregister(const Key &key, const IwarpTcpSocket *socket)
{
    auto found = m_sockets.find(key);
    if (found != m_sockets.end() && found->second == socket)
        m_sockets.erase(found);
}

IpL4Protocol::RxStatus IwarpTcpL4Protocol::Receive(Ptr<Packet> packet, const Ipv4Header &header,
                                                   Ptr<Ipv4Interface> interface)
{
    uint8_t ports[4];
    if (packet->CopyData(ports, sizeof ports) != sizeof ports)
        return IpL4Protocol::RX_CSUM_FAILED;
    const uint16_t from = static_cast<uint16_t>(ports[0] << 8 | ports[1]);
    const uint16_t to = static_cast<uint16_t>(ports[2] << 8 | ports[3]);
    auto found = m_sockets.find(MakeKey(header.GetDestination(), to, header.GetSource(), from));
    if (found == m_sockets.end() || !found->second->m_endPoint)
        return TcpL4Protocol::Receive(packet, header, interface);
    found->second->Warm();
    if (Node::ChecksumEnabled()) {
        TcpHeader tcp;
        IpL4Protocol::RxStatus status =
            PacketReceived(packet, tcp, header.GetSource(), header.GetDestination());
        if (status != IpL4Protocol::RX_OK)
            return status;
    }
    Ptr<IwarpTcpSocket> socket(found->second);
    socket->Arrive(packet, header, from, interface);
    return IpL4Protocol::RX_OK;
}

IpL4Protocol::RxStatus IwarpTcpL4Protocol::Receive(Ptr<Packet> packet, const Ipv6Header &header,
                                                   Ptr<Ipv6Interface> interface)
{
    return TcpL4Protocol::Receive(packet, header, interface);
}

} // namespace ns3
