/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-host-routing.h -- the routing of a host: what goes out does so by the port that is asked for, what comes in is for us. */
#ifndef IWARP_HOST_ROUTING_H
#define IWARP_HOST_ROUTING_H

#include "iwarp-version.h"

#include "ns3/ipv4-routing-helper.h"
#include "ns3/ipv4-routing-protocol.h"

#include <vector>

namespace ns3
{

/// \brief One route for each interface, for whatever goes there. From 1 on they are the ports, with one address each; 1 is whoever asks for none.
class IwarpHostRouting : public Ipv4RoutingProtocol
{
  public:
    static TypeId GetTypeId();
    Ptr<Ipv4Route> RouteOutput(Ptr<Packet> packet, const Ipv4Header &header, Ptr<NetDevice> device,
                               Socket::SocketErrno &error) override;
    bool RouteInput(Ptr<const Packet> packet, const Ipv4Header &header, Ptr<const NetDevice> device,
                    IwarpRouteCallbacks::UnicastForward forward,
                    IwarpRouteCallbacks::MulticastForward multicast,
                    IwarpRouteCallbacks::LocalDeliver deliver, IwarpRouteCallbacks::Failed error) override;
    void NotifyInterfaceUp(uint32_t interface) override;
    void NotifyInterfaceDown(uint32_t interface) override;
    void NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void SetIpv4(Ptr<Ipv4> ipv4) override;
    void PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit unit) const override;

  private:
    void DoDispose() override;
    Ptr<Ipv4> m_ipv4;
    uint32_t InterfaceOf(const Ptr<const NetDevice> &device) const;
    std::vector<Ptr<Ipv4Route>> m_routes;
};

class IwarpHostRoutingHelper : public Ipv4RoutingHelper
{
  public:
    IwarpHostRoutingHelper *Copy() const override;
    Ptr<Ipv4RoutingProtocol> Create(Ptr<Node> node) const override;
};

} // namespace ns3

#endif
