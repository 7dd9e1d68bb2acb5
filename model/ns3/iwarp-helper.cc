/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-helper.h"

#include "ns3/ipv4.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

Ipv4Address AddressOf(const Ptr<IwarpRnic> &rnic)
{
    Ptr<Ipv4> ipv4 = rnic->GetObject<Ipv4>();
    NS_ABORT_MSG_UNLESS(ipv4 && ipv4->GetNInterfaces() > 1, "IwarpHelper: the node has no IPv4 address");
    return ipv4->GetAddress(1, 0).GetLocal();
}

} // namespace

void IwarpHelper::Set(const std::string &name, const AttributeValue &value)
{
    m_attributes.emplace_back(name, value.Copy());
}

std::vector<Ptr<IwarpRnic>> IwarpHelper::Install(const NodeContainer &nodes) const
{
    std::vector<Ptr<IwarpRnic>> adapters;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node) {
        Ptr<IwarpRnic> rnic = CreateObject<IwarpRnic>();
        for (const auto &[name, value] : m_attributes)
            rnic->SetAttribute(name, *value);
        (*node)->AggregateObject(rnic);
        Ptr<PointToPointNetDevice> port;
        for (uint32_t i = 0; i < (*node)->GetNDevices() && !port; i++)
            port = DynamicCast<PointToPointNetDevice>((*node)->GetDevice(i));
        if (port)
            rnic->SetPort(port);
        adapters.push_back(rnic);
    }
    return adapters;
}

std::pair<Ptr<IwarpConnection>, Ptr<IwarpConnection>> IwarpHelper::Connect(const Ptr<IwarpRnic> &from,
                                                                           const Ptr<IwarpRnic> &to,
                                                                           uint16_t port)
{
    const std::pair<Ptr<IwarpRnic>, uint16_t> listener(to, port);
    if (std::find(m_listening.begin(), m_listening.end(), listener) == m_listening.end()) {
        to->Listen(port);
        m_listening.push_back(listener);
    }
    Ptr<IwarpConnection> initiator = from->CreateConnection(), responder = to->CreateConnection();
    const uint16_t local = m_localPort++;
    to->Expect(AddressOf(from), local, responder);
    Simulator::ScheduleWithContext(from->GetObject<Node>()->GetId(), Time(0), &IwarpRnic::Connect, from,
                                   initiator, AddressOf(to), port, local);
    return {initiator, responder};
}

} // namespace ns3
