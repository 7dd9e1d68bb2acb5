/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-port.h -- a host of fabric/fabric.h (packets in, packets out, a deadline) on a node of ns-3. */
#ifndef IWARP_PORT_H
#define IWARP_PORT_H

#include "fabric/fabric.h"
#include "iwarp-packet.h"

#include "ns3/ip-l4-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/net-device-container.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \brief Carries packets between a host and the IPv4 stack of its node, for IP protocols 6, 132 and 253, by one device or several, which
 * are the ports of the host.
 *
 * The host is asked for a packet whenever a device is free and something happened, first for the device behind the last that
 * sent; a device without the trace sources PhyTxBegin and PhyTxEnd is given all there is. Packets of RNICs are known by IwarpPacketTag; any other packet is
 * for the node's own protocols, so stock TCP runs beside it. At most one packet waits in a device's queue.
 */
class IwarpPort : public Object
{
  public:
    static TypeId GetTypeId();

    /// On `node`, which has an IPv4 stack, and devices with an address, the same one. `table` and `host` must outlive the simulation.
    static Ptr<IwarpPort> Install(const Ptr<Node> &node, const NetDeviceContainer &devices,
                                  const fabric_host *table, void *host);
    /// Where packets of a connection go.
    void Connect(uint32_t connection, Ipv4Address peer);
    /// Told of a packet of a connection that Connect() does not know, before the host has it.
    typedef std::function<void(const ip_packet &packet, Ipv4Address from)> Stranger;
    void SetStranger(const Stranger &stranger);
    /// Something happened to the host outside of its table's calls.
    void Kick();
    /// The same, to be done at `at`.
    void Kick(iw_time at);
    bool IsKicked() const;
    /// Packets leave by Ipv4::Send(), whose trace sources FlowMonitor hears; its header has a number and flags of ns-3. Otherwise by
    /// SendWithHeader(), with a header of the host's, which is faster, and the trace sources Tx and Rx are silent.
    void SetTraced(bool traced);
    /// The link of a device is down: nothing is sent by it until it is up.
    void SetLinkUp(uint32_t device, bool up);
    /// A pause frame came by that device, or one that takes it back.
    void SetPaused(uint32_t device, bool paused);
    /// Within a call of the table: no device is asked for until the next Kick().
    void Hold();
    Ipv4Address GetAddress() const;
    /// It sends by this device.
    bool Has(const Ptr<NetDevice> &device) const;

  protected:
    void DoDispose() override;

  private:
    friend class IwarpProtocol;
    struct Port {
        Ptr<NetDevice> device;
        uint32_t busy{0};    //!< packets whose departure has not had its turn
        bool paced{false};   //!< the device tells when it is free
        bool waiting{false}; //!< one of ours is in the device's queue
        bool down{false}, paused{false};
    };
    static constexpr uint32_t NONE = UINT32_MAX;
    void AddPort(const Ptr<NetDevice> &device);
    void Arrive(uint32_t port, const Ptr<const Packet> &payload, const Ipv4Header &header,
                const IwarpPacketTag &tag);
    static void Sent(const IwarpPort *port, Ptr<const Packet> packet, Ptr<Ipv4> ipv4, uint32_t interface);
    static void Received(const IwarpPort *port, Ptr<const Packet> packet, Ptr<Ipv4> ipv4, uint32_t interface);
    static void TxBegin(IwarpPort *p, uint32_t port, Ptr<const Packet> packet);
    static void TxEnd(IwarpPort *p, uint32_t port, Ptr<const Packet> packet);
    void Expire(iw_time at);
    void Touch(uint32_t departed = NONE);
    void Ask(uint32_t port, bool departed);
    void SetTimer();
    bool Pull(uint32_t port);
    void Send(const ip_packet &packet);

    const fabric_host *m_table{nullptr};
    void *m_host{nullptr};
    Ptr<Node> m_node;
    std::vector<Port> m_ports;
    uint32_t m_turn{0}; //!< whose device is asked for first
    Ptr<Ipv4> m_ipv4;
    Ipv4Address m_address;
    Stranger m_stranger;
    std::unordered_map<uint32_t, Ipv4Address> m_peers; //!< by connection
    iw_time m_timerAt{IW_NEVER};                       //!< the event that counts; others are stale
    TracedCallback<Ptr<const Packet>> m_tx, m_rx;
    bool m_kicked{false}, m_held{false}, m_traced{false};
};

} // namespace ns3

#endif
