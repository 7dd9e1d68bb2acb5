/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-switch.h -- a switch that costs little: no IP stack, arithmetic in place of routing tables. */
#ifndef IWARP_SWITCH_H
#define IWARP_SWITCH_H

#include "ns3/net-device.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <vector>

namespace ns3
{

/**
 * \brief Forwards IPv4 packets between the point-to-point devices of its node.
 *
 * Output queues belong to the devices: their limit is the buffer. Law: packets of one flow keep one path unless the
 * switch sprays.
 */
class IwarpSwitch : public Object
{
  public:
    static TypeId GetTypeId();

    /// The output port for a packet to `address`; `choice` is a hash of the flow, or of the packet when spraying.
    typedef std::function<uint32_t(Ipv4Address address, uint64_t choice)> Route;

    /// All devices of the aggregated node become ports, numbered in the order they were added.
    void Install(const Route &route);
    /// Octets waiting in an output queue from which ECN-capable packets are marked; 0: never.
    void SetEcnThreshold(uint64_t octets);
    /// A path per packet, drawn with `key`; else a path per flow, `key` salting its hash.
    void SetSpray(bool spray, uint64_t key);
    uint64_t GetDrops() const;

    typedef void (*DropTracedCallback)(Ptr<const Packet> packet);

  private:
    void Receive(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t protocol, const Address &from,
                 const Address &to, NetDevice::PacketType type);
    void Mark(const Ptr<Packet> &packet) const;

    std::vector<Ptr<PointToPointNetDevice>> m_ports;
    Route m_route;
    uint64_t m_threshold{0}, m_key{0}, m_packets{0}, m_drops{0};
    bool m_spray{false};
    TracedCallback<Ptr<const Packet>> m_drop;
};

} // namespace ns3

#endif
