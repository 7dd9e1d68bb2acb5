/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-application-helper.h"

#include "iwarp-client.h"
#include "iwarp-server.h"

#include "ns3/application.h"
#include "ns3/names.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

namespace ns3
{

IwarpApplicationHelper::IwarpApplicationHelper(TypeId type)
{
    m_factory.SetTypeId(type);
}

void IwarpApplicationHelper::SetAttribute(const std::string &name, const AttributeValue &value)
{
    m_factory.Set(name, value);
}

ApplicationContainer IwarpApplicationHelper::Install(const NodeContainer &nodes) const
{
    ApplicationContainer applications;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node) {
        Ptr<Application> application = m_factory.Create<Application>();
        (*node)->AddApplication(application);
        applications.Add(application);
    }
    return applications;
}

ApplicationContainer IwarpApplicationHelper::Install(const Ptr<Node> &node) const
{
    return Install(NodeContainer(node));
}

ApplicationContainer IwarpApplicationHelper::Install(const std::string &nodeName) const
{
    return Install(NodeContainer(nodeName));
}

IwarpClientHelper::IwarpClientHelper(const Address &remote) : IwarpApplicationHelper(IwarpClient::GetTypeId())
{
    SetAttribute("Remote", AddressValue(remote));
}

IwarpServerHelper::IwarpServerHelper(uint16_t port) : IwarpApplicationHelper(IwarpServer::GetTypeId())
{
    SetAttribute("Port", UintegerValue(port));
}

} // namespace ns3
