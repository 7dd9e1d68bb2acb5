/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-tcp-l4-protocol.h -- TCP demultiplexing in constant time: stock ns-3 looks at every end point of the node for
 * every packet. */
#ifndef IWARP_TCP_L4_PROTOCOL_H
#define IWARP_TCP_L4_PROTOCOL_H

#include "ns3/ipv4-routing-helper.h"
#include "ns3/node-container.h"
#include "ns3/tcp-l4-protocol.h"

#include <unordered_map>

namespace ns3
{

class IwarpTcpSocket;

/**
 * \brief TcpL4Protocol that finds connected IwarpTcpSockets by hash; all others as stock does.
 *
 * Law: a socket in the table is alive: it takes itself out before it dies.
 */
class IwarpTcpL4Protocol : public TcpL4Protocol
{
  public:
    static TypeId GetTypeId();

    /// IPv4 with this TCP on nodes that have no stack yet. InternetStackHelper::SetTcp("ns3::IwarpTcpL4Protocol") does
    /// the same in the ns-3 versions that have it.
    static void Install(const NodeContainer &nodes, const Ipv4RoutingHelper &routing);

    /// The four numbers that name a connection, seen from here.
    struct Key {
        uint64_t addresses; //!< local, peer
        uint32_t ports;
        bool operator==(const Key &other) const
        {
            return addresses == other.addresses && ports == other.ports;
        }
    };
    static Key MakeKey(Ipv4Address local, uint16_t localPort, Ipv4Address peer, uint16_t peerPort);

    void Register(const Key &key, IwarpTcpSocket *socket);
    /// Only if it is still `socket` that has the key.
    void Deregister(const Key &key, const IwarpTcpSocket *socket);

    IpL4Protocol::RxStatus Receive(Ptr<Packet> packet, const Ipv4Header &header,
                                   Ptr<Ipv4Interface> interface) override;
    IpL4Protocol::RxStatus Receive(Ptr<Packet> packet, const Ipv6Header &header,
                                   Ptr<Ipv6Interface> interface) override;

  private:
    struct Hash {
        size_t operator()(const Key &key) const;
    };
    std::unordered_map<Key, IwarpTcpSocket *, Hash> m_sockets;
};

} // namespace ns3

#endif
