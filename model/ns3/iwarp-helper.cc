/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-helper.h"

#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpHelper");

namespace
{

constexpr uint16_t FIRST_PORT = 10000, PORTS = 50000;

Ptr<NetDevice> PortOf(const Ptr<Node> &node)
{
    Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
    for (uint32_t i = 1; ipv4 && i < ipv4->GetNInterfaces(); i++) // 0 is the loopback
        if (ipv4->GetNAddresses(i))
            return ipv4->GetNetDevice(i);
    NS_FATAL_ERROR("IwarpHelper: the node has no device with an IPv4 address");
    return nullptr;
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
        NS_LOG_INFO("an adapter on node " << (*node)->GetId());
        (*node)->AggregateObject(rnic);
        rnic->SetPort(PortOf(*node));
        adapters.push_back(rnic);
    }
    return adapters;
}

int64_t IwarpHelper::AssignStreams(const std::vector<Ptr<IwarpRnic>> &adapters, int64_t stream)
{
    for (const Ptr<IwarpRnic> &rnic : adapters)
        rnic->SetAttribute("DrawKey", UintegerValue(static_cast<uint64_t>(stream++)));
    return static_cast<int64_t>(adapters.size());
}

std::pair<Ptr<IwarpConnection>, Ptr<IwarpConnection>> IwarpHelper::Connect(const Ptr<IwarpRnic> &from,
                                                                           const Ptr<IwarpRnic> &to,
                                                                           uint16_t port, uint16_t streams)
{
    const uint16_t local = static_cast<uint16_t>(FIRST_PORT + m_number % PORTS);
    const uint32_t name = 1 + m_number * 4096; // STags carry the names of their streams
    NS_LOG_INFO("a connection from " << from->GetAddress() << " to " << to->GetAddress() << ":" << port);
    const IwarpRnic::End initiates = {m_number, true, to->GetAddress(), local, port, streams, name};
    const IwarpRnic::End listens = {m_number, false, from->GetAddress(), port, local, streams, name};
    m_number++;
    Ptr<IwarpConnection> initiator = from->CreateConnection(initiates);
    Ptr<IwarpConnection> responder = to->CreateConnection(listens);
    responder->Open();
    initiator->Open();
    return {initiator, responder};
}

} // namespace ns3
