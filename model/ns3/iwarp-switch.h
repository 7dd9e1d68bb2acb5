/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-switch.h -- a switch that costs little: no IP stack, arithmetic in place of routing tables. */
#ifndef IWARP_SWITCH_H
#define IWARP_SWITCH_H

#include "iwarp-packet.h"

#include "ns3/net-device.h"
#include "ns3/object.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/traced-callback.h"

#include <deque>
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

    /// The output port for a packet to `address`; NO_WAY: none leads there. A packet that is no RNIC's has its flow for its connection.
    static constexpr uint32_t NO_WAY = UINT32_MAX;
    typedef std::function<uint32_t(Ipv4Address address, const IwarpPacketTag &packet)> Route;

    /// All devices of the aggregated node become ports, numbered in the order they were added.
    void Install(const Route &route);
    /// Octets of each output queue; and octets waiting in one from which ECN-capable packets are marked, 0: never.
    void SetQueues(uint64_t buffer, uint64_t ecnThreshold);
    /// Ports mark by the queue that a packet leaves behind; a port in `spared` marks nothing. After SetQueues().
    void SetMarks(bool atDequeue, const std::vector<bool> &spared);
    uint64_t GetDrops() const;
    /// The link of a port is down: what waits goes on waiting until it is up, and what comes waits behind it.
    void SetLinkUp(uint32_t port, bool up);
    /// What waits for a link that is down is lost.
    void Flush(uint32_t port);
    /// Packets that were lost so, or for which no way led on.
    uint64_t GetFailed() const;
    /// IP octets and packets that wait for a link that is down; 0: it is up, and the device has them.
    uint64_t GetKeptOctets(uint32_t port) const;
    uint64_t GetKeptPackets(uint32_t port) const;

    typedef void (*DropTracedCallback)(Ptr<const Packet> packet);

  private:
    void Receive(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t protocol, const Address &from,
                 const Address &to, NetDevice::PacketType type);
    void Mark(const Ptr<Packet> &packet) const;
    bool Marks(uint32_t port, uint64_t waiting) const;
    static void MarkLeaving(const IwarpSwitch *forwarding, uint32_t port, Ptr<const Packet> packet);

    struct Kept {
        bool down{false};
        uint64_t octets{0};
        std::deque<Ptr<Packet>> packets;
    };
    static void Keep(Kept *kept, const Ptr<Packet> &packet);
    void Lose(const Ptr<Packet> &packet);
    uint64_t GetWaiting(uint32_t port) const;

    std::vector<Ptr<PointToPointNetDevice>> m_ports;
    std::vector<Kept> m_kept; //!< by port: what a device would send at once
    Route m_route;
    std::vector<bool> m_spared; //!< empty: none is
    bool m_atDequeue{false};
    uint64_t m_buffer{UINT64_MAX}, m_threshold{0}, m_drops{0}, m_failed{0};
    uint32_t m_others{0}; //!< packets that were no RNIC's
    TracedCallback<Ptr<const Packet>> m_drop, m_lose;
};

} // namespace ns3

#endif
