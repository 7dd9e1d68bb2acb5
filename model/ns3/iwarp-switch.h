/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-switch.h -- a switch that costs little: no IP stack, arithmetic in place of routing tables. */
#ifndef IWARP_SWITCH_H
#define IWARP_SWITCH_H

#include "iwarp-packet.h"

#include "ns3/net-device.h"
#include "ns3/object.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <vector>

namespace ns3
{

/**
 * \brief Forwards IPv4 packets between the point-to-point devices of its node.
 *
 * Laws of each output port (fabric/fabric.h): a queue's octets are the IP octets that wait, the packet on the wire excluded;
 * a packet is dropped when they and it are more than the buffer, else marked when they have reached the threshold: those that
 * it finds, or those that it leaves behind.
 */
class IwarpSwitch : public Object
{
  public:
    static TypeId GetTypeId();

    /// The output port for a packet to `address`. A packet that is no RNIC's has its flow for its connection.
    typedef std::function<uint32_t(Ipv4Address address, const IwarpPacketTag &packet)> Route;

    /// All devices of the aggregated node become ports, numbered in the order they were added.
    void Install(const Route &route);
    /// Octets of each output queue; and octets waiting in one from which ECN-capable packets are marked, 0: never.
    void SetQueues(uint64_t buffer, uint64_t ecnThreshold);
    /// Ports mark by the queue that a packet leaves behind; a port in `spared` marks nothing. After SetQueues().
    void SetMarks(bool atDequeue, const std::vector<bool> &spared);
    uint64_t GetDrops() const;

    typedef void (*DropTracedCallback)(Ptr<const Packet> packet);

  private:
    void Receive(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t protocol, const Address &from,
                 const Address &to, NetDevice::PacketType type);
    void Mark(const Ptr<Packet> &packet) const;
    bool Marks(uint32_t port, uint64_t waiting) const;
    static void MarkLeaving(const IwarpSwitch *forwarding, uint32_t port, Ptr<const Packet> packet);

    std::vector<Ptr<PointToPointNetDevice>> m_ports;
    Route m_route;
    std::vector<bool> m_spared; //!< empty: none is
    bool m_atDequeue{false};
    uint64_t m_buffer{UINT64_MAX}, m_threshold{0}, m_drops{0};
    uint32_t m_others{0}; //!< packets that were no RNIC's
    TracedCallback<Ptr<const Packet>> m_drop;
};

} // namespace ns3

#endif
