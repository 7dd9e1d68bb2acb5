/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-switch.h -- a switch that costs little: no IP stack, arithmetic in place of routing tables. */
#ifndef IWARP_SWITCH_H
#define IWARP_SWITCH_H

#include "fabric/fabric.h"
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
 * a packet is dropped or trimmed when they and it are more than the buffer, or than the port's share of the memory of all, else marked when
 * they have reached the threshold, or as a draw says (RED): those that it finds, or those that it leaves behind. With pauses the
 * sender at a port is told to stop when too many octets wait that came by it, and nothing is dropped. Packets wait here, not in the queues
 * of devices, which have one at a time.
 */
class IwarpSwitch : public Object
{
  public:
    static TypeId GetTypeId();
    IwarpSwitch();

    /// The output port for a packet to `address`; NO_WAY: none leads there. A packet that is no RNIC's has its flow for its connection.
    static constexpr uint32_t NO_WAY = UINT32_MAX;
    typedef std::function<uint32_t(Ipv4Address address, const IwarpPacketTag &packet)> Route;

    /// All devices of the aggregated node become ports, numbered in the order they were added.
    void Install(const Route &route);
    /// Of `conf`: buffer, shared, ecn_threshold, red.kmax, ecn.at_dequeue, pfc, and what is said of trimming. Without, there is room for all,
    /// and no marks.
    void SetQueues(const fabric_conf &conf);
    /// shared: may a port for which `waiting` octets wait take so many more, where so many are free?
    typedef std::function<bool(uint64_t free, uint64_t waiting, uint32_t size)> Sharing;
    void SetSharing(const Sharing &sharing);
    /// red.kmax: is a packet marked for which so many octets wait?
    typedef std::function<bool(const IwarpPacketTag &packet, uint64_t waiting)> EarlyMark;
    void SetEarlyMark(const EarlyMark &mark);
    /// pfc: tells whoever sends to a port to stop, or takes that back.
    typedef std::function<void(uint32_t port, bool stops)> Pauser;
    void SetPauser(const Pauser &pauser);
    /// A pause frame came by a port, or one that takes it back.
    void SetPaused(uint32_t port, bool paused);
    /// Does a packet without room take the place of the last that waits?
    typedef std::function<bool(const IwarpPacketTag &packet)> Coin;
    void SetCoin(const Coin &coin);
    /// A port marks nothing.
    void Spare(uint32_t port);
    /// A port's queues and its marks have shrunk to a share of FABRIC_WHOLE.
    void SetShare(uint32_t port, uint32_t share);
    uint64_t GetDrops() const;
    uint64_t GetTrims() const;
    /// The link of a port is down: what waits goes on waiting until it is up, and what comes waits behind it.
    void SetLinkUp(uint32_t port, bool up);
    /// What waits for a link that is down is lost.
    void Flush(uint32_t port);
    /// Packets that were lost so, or for which no way led on.
    uint64_t GetFailed() const;
    /// IP octets and packets that wait.
    uint64_t GetWaitingOctets(uint32_t port) const;
    uint64_t GetWaitingPackets(uint32_t port) const;

    typedef void (*DropTracedCallback)(Ptr<const Packet> packet);

  protected:
    void DoDispose() override;

  private:
    void Receive(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t protocol, const Address &from,
                 const Address &to, NetDevice::PacketType type);
    struct Held {
        Ptr<Packet> packet;
        uint32_t ingress; //!< the port by which it came
    };
    struct Fifo {
        std::deque<Held> packets;
        uint64_t octets{0};
        void Put(const Held &held);
        Held Take();
        Held TakeLast();
    };
    struct Port {
        Ptr<PointToPointNetDevice> device;
        Fifo data, headers;
        uint32_t inARow{0}, share{FABRIC_WHOLE};
        uint64_t ingress{0}; //!< octets that wait here and came by this port
        bool busy{false}, down{false}, spared{false};
        bool paused{false}, pausing{false}; //!< told to stop; told who sends to it
    };
    IwarpPacketTag TagOf(const Ptr<const Packet> &packet);
    void Take(Port *port, Held held);
    bool Fits(const Port &port, const Held &held) const;
    bool FitsHeaders(const Port &port, uint32_t size) const;
    uint64_t GetFree() const;
    Held Trim(Port *port, Held held);
    void Admit(Port *port, Fifo *fifo, const Held &held);
    void Wait(Fifo *fifo, const Held &held);
    void Go(Port *port);
    bool IsShort(const Ptr<const Packet> &packet) const;
    bool TakesPlace(const Port &port, const Ptr<const Packet> &packet) const;
    Ptr<Packet> HeaderOf(const Ptr<Packet> &packet) const;
    static uint64_t Amount(const Port &port, uint64_t octets);
    bool IsMarked(const Ptr<const Packet> &packet, uint64_t waiting);
    void Mark(const Port &port, const Ptr<Packet> &packet, uint64_t waiting);
    Ptr<Packet> Next(Port *port);
    Ptr<Packet> Leave(Port *port);
    static void Send(Port *port, const Ptr<Packet> &packet);
    static void Sent(IwarpSwitch *forwarding, uint32_t port, Ptr<const Packet> packet);
    void Lose(const Ptr<Packet> &packet);

    fabric_conf m_conf{};
    std::vector<Port> m_ports;
    Route m_route;
    Coin m_coin;
    Sharing m_sharing;
    EarlyMark m_early;
    Pauser m_pauser;
    uint64_t m_used{0}; //!< octets that wait at all ports
    uint64_t m_drops{0}, m_trims{0}, m_failed{0};
    uint32_t m_others{0}; //!< packets that were no RNIC's
    TracedCallback<Ptr<const Packet>> m_drop, m_trim, m_lose;
};

} // namespace ns3

#endif
