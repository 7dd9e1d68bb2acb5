/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-sctp-protocol.h -- SCTP packets between IPv4 and the associations of a node. */
#ifndef IWARP_SCTP_PROTOCOL_H
#define IWARP_SCTP_PROTOCOL_H

#include "ns3/ip-l4-protocol.h"
#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/packet.h"

#include <functional>
#include <map>
#include <tuple>

namespace ns3
{

/**
 * \brief IP protocol 132. Finds the association by the peer's address and both ports; the checksum is the association's.
 */
class IwarpSctpProtocol : public IpL4Protocol
{
  public:
    static TypeId GetTypeId();

    /// The protocol of a node with an IPv4 stack; made when it has none yet.
    static Ptr<IwarpSctpProtocol> Of(const Ptr<Node> &node);

    typedef std::function<void(const Ptr<const Packet> &packet)> Handler;
    void Bind(Ipv4Address peer, uint16_t peerPort, uint16_t port, const Handler &handler);
    void Send(const Ptr<Packet> &packet, Ipv4Address from, Ipv4Address to);
    /// Packets that no association asked for.
    uint64_t GetStrangers() const;

    int GetProtocolNumber() const override;
    RxStatus Receive(Ptr<Packet> packet, const Ipv4Header &header, Ptr<Ipv4Interface> interface) override;
    RxStatus Receive(Ptr<Packet> packet, const Ipv6Header &header, Ptr<Ipv6Interface> interface) override;
    void SetDownTarget(DownTargetCallback callback) override;
    void SetDownTarget6(DownTargetCallback6 callback) override;
    DownTargetCallback GetDownTarget() const override;
    DownTargetCallback6 GetDownTarget6() const override;

  protected:
    void DoDispose() override;
    void NotifyNewAggregate() override;

  private:
    typedef std::tuple<uint32_t, uint16_t, uint16_t> Key; //!< peer, its port, ours
    std::map<Key, Handler> m_bound;
    DownTargetCallback m_down;
    DownTargetCallback6 m_down6;
    uint64_t m_strangers{0};
};

} // namespace ns3

#endif
