/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-packet.h -- the IP packets of a node (llp/ip_packet.h) as packets of ns-3, and back. */
#ifndef IWARP_PACKET_H
#define IWARP_PACKET_H

#include "llp/ip_packet.h"

#include "ns3/ipv4-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/tag.h"

#include <vector>

namespace ns3
{

/// What ip_packet says beside octets: not on the wire. A packet that has it is an RNIC's.
class IwarpPacketTag : public Tag
{
  public:
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream &os) const override;

    uint32_t connection{0}, number{0};
    uint16_t head{0};    //!< octets behind the IP header that are real
    uint16_t sealed{0};  //!< octets that a security service added
    uint16_t entropy{0}; //!< the path value that the sender chose
    uint8_t direction{0};
    bool altered{false}, trimmed{false};
    bool copy{false}; //!< the channel's duplicate
};

/// The packet behind its IP header. What has no octets takes no memory.
Ptr<Packet> IwarpMakePacket(const ip_packet &packet);
Ipv4Header IwarpMakeHeader(const ip_packet &packet, Ipv4Address from, Ipv4Address to);

/// A packet, behind its IP header, as a node takes it; its octets are kept here.
class IwarpPacketView
{
  public:
    IwarpPacketView(const Ptr<const Packet> &payload, const Ipv4Header &header, const IwarpPacketTag &tag);
    ip_packet packet;

  private:
    std::vector<uint8_t> m_octets;
};

} // namespace ns3

#endif
