/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-port.h"

#include "iwarp-scheduler.h"

#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpPort");

// ---- below IP ---------------------------------------------------------------------------------------------

/// One IP protocol of one interface. What is not an RNIC's goes to the node's own protocol of that number.
class IwarpProtocol : public IpL4Protocol
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::IwarpProtocol").SetParent<IpL4Protocol>().SetGroupName("Iwarp");
        return tid;
    }

    IwarpProtocol(const Ptr<IwarpPort> &host, uint32_t port, uint8_t number)
        : m_host(host), m_port(port), m_number(number)
    {
    }

    int GetProtocolNumber() const override
    {
        return m_number;
    }

    RxStatus Receive(Ptr<Packet> packet, const Ipv4Header &header, Ptr<Ipv4Interface> interface) override
    {
        IwarpPacketTag tag;
        if (packet->PeekPacketTag(tag)) {
            m_host->Arrive(m_port, packet, header, tag);
            return RX_OK;
        }
        Ptr<IpL4Protocol> stock = m_host->m_ipv4->GetProtocol(m_number);
        return stock ? stock->Receive(packet, header, interface) : RX_ENDPOINT_UNREACH;
    }

    RxStatus Receive(Ptr<Packet>, const Ipv6Header &, Ptr<Ipv6Interface>) override
    {
        return RX_ENDPOINT_UNREACH;
    }

    void SetDownTarget(DownTargetCallback) override {}

    void SetDownTarget6(DownTargetCallback6) override {}

    DownTargetCallback GetDownTarget() const override
    {
        return DownTargetCallback();
    }

    DownTargetCallback6 GetDownTarget6() const override
    {
        return DownTargetCallback6();
    }

  protected:
    void DoDispose() override
    {
        m_host = nullptr;
        IpL4Protocol::DoDispose();
    }

  private:
    Ptr<IwarpPort> m_host;
    uint32_t m_port;
    uint8_t m_number;
};

// ---- making it --------------------------------------------------------------------------------------------

NS_OBJECT_ENSURE_REGISTERED(IwarpPort);

TypeId IwarpPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpPort")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpPort>()
            .AddTraceSource("Tx", "A packet of the adapter leaves, with its IP header.",
                            MakeTraceSourceAccessor(&IwarpPort::m_tx), "ns3::Packet::TracedCallback")
            .AddTraceSource("Rx", "A packet for the adapter is here, with its IP header.",
                            MakeTraceSourceAccessor(&IwarpPort::m_rx), "ns3::Packet::TracedCallback");
    return tid;
}

Ptr<IwarpPort> IwarpPort::Install(const Ptr<Node> &node, const NetDeviceContainer &devices,
                                  const fabric_host *table, void *host)
{
    Ptr<IwarpPort> p = CreateObject<IwarpPort>();
    p->m_table = table;
    p->m_host = host;
    p->m_node = node;
    p->m_ipv4 = node->GetObject<Ipv4>();
    NS_ABORT_MSG_UNLESS(p->m_ipv4, "IwarpPort: the node has no IPv4 stack");
    for (uint32_t i = 0; i < devices.GetN(); i++)
        p->AddPort(devices.Get(i));
    node->AggregateObject(p);
    return p;
}

void IwarpPort::AddPort(const Ptr<NetDevice> &device)
{
    const uint32_t port = static_cast<uint32_t>(m_ports.size());
    const int32_t interface = m_ipv4->GetInterfaceForDevice(device);
    NS_ABORT_MSG_IF(interface < 0 || !m_ipv4->GetNAddresses(static_cast<uint32_t>(interface)),
                    "IwarpPort: the device has no IPv4 address");
    m_address = m_ipv4->GetAddress(static_cast<uint32_t>(interface), 0).GetLocal();
    for (uint8_t number : {IP_PROTOCOL_TCP, IP_PROTOCOL_SCTP, IP_PROTOCOL_EXPERIMENT})
        m_ipv4->Insert(CreateObject<IwarpProtocol>(this, port, number), static_cast<uint32_t>(interface));
    Port p;
    p.device = device;
    p.paced =
        device->TraceConnectWithoutContext("PhyTxBegin",
                                           MakeBoundCallback(&IwarpPort::TxBegin, this, port)) &&
        device->TraceConnectWithoutContext("PhyTxEnd", MakeBoundCallback(&IwarpPort::TxEnd, this, port));
    m_ports.push_back(p);
}

void IwarpPort::DoDispose()
{
    m_node = nullptr;
    m_ports.clear();
    m_ipv4 = nullptr;
    Object::DoDispose();
}

bool IwarpPort::Has(const Ptr<NetDevice> &device) const
{
    return std::any_of(m_ports.begin(), m_ports.end(),
                       [&device](const Port &port) { return port.device == device; });
}

void IwarpPort::Connect(uint32_t connection, Ipv4Address peer)
{
    m_peers[connection] = peer;
}

void IwarpPort::SetStranger(const Stranger &stranger)
{
    m_stranger = stranger;
}

Ipv4Address IwarpPort::GetAddress() const
{
    return m_address;
}

// ---- what happens -----------------------------------------------------------------------------------------

namespace
{

iw_time Clock()
{
    return static_cast<iw_time>(Simulator::Now().GetTimeStep());
}

} // namespace

void IwarpPort::Kick()
{
    Kick(Clock());
}

void IwarpPort::Kick(iw_time at)
{
    if (m_kicked)
        return;
    m_kicked = true;
    IwarpEvent::Schedule(IwarpEvent::KICK, m_node->GetId(), TimeStep(at - Clock()), [this]() {
        m_kicked = m_held = false;
        m_node->Initialize(); // at the start of all, it may not have come to that yet
        Touch();
    });
}

bool IwarpPort::IsKicked() const
{
    return m_kicked;
}

void IwarpPort::SetLinkUp(uint32_t device, bool up)
{
    NS_LOG_FUNCTION(this << device << up);
    Port &port = m_ports.at(device);
    port.down = !up;
    if (up && !port.busy)
        Kick();
}

void IwarpPort::SetPaused(uint32_t device, bool paused)
{
    NS_LOG_FUNCTION(this << device << paused);
    m_ports.at(device).paused = paused;
    if (!paused)
        Kick();
}

// IP's own trace sources have the packets as they are on the wire.
void IwarpPort::SetTraced(bool traced)
{
    if (traced && !m_traced) {
        m_ipv4->TraceConnectWithoutContext("Tx", MakeBoundCallback(&IwarpPort::Sent, this));
        m_ipv4->TraceConnectWithoutContext("Rx", MakeBoundCallback(&IwarpPort::Received, this));
    }
    m_traced = traced;
}

namespace
{

bool IsOurs(const Ptr<const Packet> &packet)
{
    IwarpPacketTag tag;
    return packet->PeekPacketTag(tag);
}

} // namespace

void IwarpPort::Sent(const IwarpPort *port, Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t)
{
    if (port->m_traced && !port->m_tx.IsEmpty() && IsOurs(packet))
        port->m_tx(packet);
}

void IwarpPort::Received(const IwarpPort *port, Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t)
{
    if (port->m_traced && !port->m_rx.IsEmpty() && IsOurs(packet))
        port->m_rx(packet);
}

void IwarpPort::Hold()
{
    m_held = true;
}

void IwarpPort::Arrive(uint32_t port, const Ptr<const Packet> &payload, const Ipv4Header &header,
                       const IwarpPacketTag &tag)
{
    NS_LOG_FUNCTION(this << port << payload << header);
    IwarpPacketView in(payload, header, tag);
    in.packet.port = static_cast<uint8_t>(port);
    if (m_stranger && !m_peers.count(tag.connection))
        m_stranger(in.packet, header.GetSource());
    m_table->arrive(m_host, Clock(), &in.packet);
    Touch();
}

void IwarpPort::TxBegin(IwarpPort *p, uint32_t port, Ptr<const Packet> packet)
{
    Port &o = p->m_ports[port];
    o.busy++;
    o.waiting = o.waiting && !IsOurs(packet);
}

// The device is not done with itself here.
void IwarpPort::TxEnd(IwarpPort *p, uint32_t port, Ptr<const Packet>)
{
    IwarpEvent::ScheduleAt(IwarpEvent::DEPARTURE, p->m_node->GetId(), port, Time(0), [p, port]() {
        p->m_ports[port].busy--;
        p->Touch(port);
    });
}

void IwarpPort::Expire(iw_time at)
{
    if (at != m_timerAt)
        return;
    m_timerAt = IW_NEVER;
    if (m_table->deadline(m_host) > at) {
        SetTimer(); // it had moved to a later time
        return;
    }
    m_table->expire(m_host, at);
    Touch();
}

void IwarpPort::Touch(uint32_t departed)
{
    if (m_held)
        return;
    const uint32_t turn = m_turn, ports = static_cast<uint32_t>(m_ports.size());
    for (uint32_t i = turn; i < turn + ports; i++) {
        const uint32_t port = i < ports ? i : i - ports;
        Ask(port, port == departed);
    }
    SetTimer();
}

// What else the node sends may have the device already: one of ours waits behind it.
void IwarpPort::Ask(uint32_t port, bool departed)
{
    const Port &p = m_ports[port];
    if (p.waiting || p.down || p.paused || (p.busy && !departed))
        return;
    while (Pull(port) && !p.paced) {
    }
}

void IwarpPort::SetTimer()
{
    if (m_held)
        return;
    const iw_time now = Clock(), deadline = m_table->deadline(m_host), at = deadline < now ? now : deadline;
    if (at >= m_timerAt)
        return;
    m_timerAt = at;
    IwarpEvent::Schedule(IwarpEvent::TIMER, m_node->GetId(), TimeStep(at - now),
                         [this, at]() { Expire(at); });
}

// ---- out --------------------------------------------------------------------------------------------------

bool IwarpPort::Pull(uint32_t port)
{
    ip_packet out{};
    out.port = static_cast<uint8_t>(port);
    if (!m_table->transmit(m_host, Clock(), &out))
        return false;
    m_turn = port + 1;
    Send(out);
    return true;
}

void IwarpPort::Send(const ip_packet &out)
{
    const auto peer = m_peers.find(out.connection);
    NS_ABORT_MSG_IF(peer == m_peers.end(), "IwarpPort: a packet of an unknown connection");
    const Ipv4Header header = IwarpMakeHeader(out, m_address, peer->second);
    Ptr<Packet> packet = IwarpMakePacket(out);
    Socket::SocketErrno error = Socket::ERROR_NOTERROR;
    Port &port = m_ports[out.port];
    Ptr<Ipv4Route> route = m_ipv4->GetRoutingProtocol()->RouteOutput(packet, header, port.device, error);
    NS_ABORT_MSG_UNLESS(route, "IwarpPort: no route to " << peer->second);
    port.waiting = port.paced;
    NS_LOG_FUNCTION(this << packet << header);
    if (m_traced) {
        SocketIpTosTag tos; // all that Send() asks
        tos.SetTos(header.GetTos());
        packet->AddPacketTag(tos);
        m_ipv4->Send(packet, m_address, peer->second, out.protocol, route);
    } else
        m_ipv4->SendWithHeader(packet, header, route);
}

} // namespace ns3
