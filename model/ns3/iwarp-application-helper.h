/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-application-helper.h -- clients and servers for the nodes of a script. */
#ifndef IWARP_APPLICATION_HELPER_H
#define IWARP_APPLICATION_HELPER_H

#include "ns3/address.h"
#include "ns3/application-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <string>

namespace ns3
{

/**
 * \ingroup iwarp
 * \brief What the helpers of clients and servers have in common.
 *
 *     IwarpHelper().Install(nodes);
 *     ApplicationContainer server = IwarpServerHelper(4791).Install(nodes.Get(1));
 *     IwarpClientHelper client(InetSocketAddress(addresses.GetAddress(1), 4791));
 *     client.SetAttribute("Operation", StringValue("Read"));
 *     client.Install(nodes.Get(0)).Start(MilliSeconds(1));
 */
class IwarpApplicationHelper
{
  public:
    /// \param name an attribute of every application from now on; one that does not exist, or a wrong value, ends the program
    /// \param value its value
    void SetAttribute(const std::string &name, const AttributeValue &value);
    /// \param nodes where an application is put
    /// \return the applications
    ApplicationContainer Install(const NodeContainer &nodes) const;
    /// \param node the one node
    /// \return its application
    ApplicationContainer Install(const Ptr<Node> &node) const;
    /// \param nodeName the node's name, by ns3::Names
    /// \return its application
    ApplicationContainer Install(const std::string &nodeName) const;

  protected:
    /// \param type of the applications
    explicit IwarpApplicationHelper(TypeId type);

  private:
    ObjectFactory m_factory;
};

/// \ingroup iwarp
class IwarpClientHelper : public IwarpApplicationHelper
{
  public:
    /// \param remote where a server listens
    explicit IwarpClientHelper(const Address &remote);
};

/// \ingroup iwarp
class IwarpServerHelper : public IwarpApplicationHelper
{
  public:
    /// \param port on which the servers listen
    explicit IwarpServerHelper(uint16_t port);
};

} // namespace ns3

#endif
