/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-host-routing.h"

#include "ns3/ipv4-route.h"
#include "ns3/ipv4.h"
#include "ns3/net-device.h"
#include "ns3/output-stream-wrapper.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpHostRouting);

TypeId IwarpHostRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpHostRouting")
                            .SetParent<Ipv4RoutingProtocol>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpHostRouting>();
    return tid;
}

Ptr<Ipv4Route> IwarpHostRouting::RouteOutput(Ptr<Packet>, const Ipv4Header &, Ptr<NetDevice> device,
                                             Socket::SocketErrno &error)
{
    const uint32_t interface = device ? InterfaceOf(device) : 1;
    error = Socket::ERROR_NOTERROR;
    m_routes.resize(m_ipv4->GetNInterfaces());
    Ptr<Ipv4Route> &route = m_routes[interface];
    if (!route) {
        route = Create<Ipv4Route>();
        route->SetOutputDevice(m_ipv4->GetNetDevice(interface));
        route->SetGateway(Ipv4Address::GetZero());
        route->SetSource(m_ipv4->GetAddress(interface, 0).GetLocal());
    }
    return route;
}

uint32_t IwarpHostRouting::InterfaceOf(const Ptr<const NetDevice> &device) const
{
    return static_cast<uint32_t>(m_ipv4->GetInterfaceForDevice(device));
}

bool IwarpHostRouting::RouteInput(Ptr<const Packet> packet, const Ipv4Header &header,
                                  Ptr<const NetDevice> device, IwarpRouteCallbacks::UnicastForward,
                                  IwarpRouteCallbacks::MulticastForward,
                                  IwarpRouteCallbacks::LocalDeliver deliver, IwarpRouteCallbacks::Failed)
{
    deliver(packet, header, InterfaceOf(device));
    return true;
}

void IwarpHostRouting::NotifyInterfaceUp(uint32_t) {}

void IwarpHostRouting::NotifyInterfaceDown(uint32_t) {}

void IwarpHostRouting::NotifyAddAddress(uint32_t, Ipv4InterfaceAddress) {}

void IwarpHostRouting::NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress) {}

void IwarpHostRouting::SetIpv4(Ptr<Ipv4> ipv4)
{
    m_ipv4 = ipv4;
}

void IwarpHostRouting::PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit) const
{
    *stream->GetStream() << "everything to the interface that is asked for, or 1\n";
}

void IwarpHostRouting::DoDispose()
{
    m_ipv4 = nullptr;
    m_routes.clear();
    Ipv4RoutingProtocol::DoDispose();
}

IwarpHostRoutingHelper *IwarpHostRoutingHelper::Copy() const
{
    return new IwarpHostRoutingHelper(*this);
}

Ptr<Ipv4RoutingProtocol> IwarpHostRoutingHelper::Create(Ptr<Node>) const
{
    return CreateObject<IwarpHostRouting>();
}

} // namespace ns3
