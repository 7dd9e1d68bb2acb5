/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-helper.h -- RNICs for nodes of your own script. */
#ifndef IWARP_HELPER_H
#define IWARP_HELPER_H

#include "iwarp-rnic.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \brief Puts an IwarpRnic on nodes that have an IPv4 stack, and connects them.
 *
 *     Time::SetResolution(Time::PS);
 *     IwarpTcpL4Protocol::Install(nodes, Ipv4StaticRoutingHelper()); // finds connections by hash; InternetStackHelper works too
 *     IwarpHelper iwarp;
 *     iwarp.Set("rnic.preset", StringValue("t6"));
 *     iwarp.Set("llp.congestion", StringValue("dctcp"));
 *     iwarp.Install(nodes);
 */
class IwarpHelper
{
  public:
    /// An attribute of every adapter from now on. They are set in the order of these calls, so a preset comes first.
    void Set(const std::string &name, const AttributeValue &value);
    /// An adapter on each node. The first point-to-point device of the node becomes its port; without one the adapter
    /// sends as fast as TCP takes it, and Mtu must be set.
    std::vector<Ptr<IwarpRnic>> Install(const NodeContainer &nodes) const;
    /// A connection between two adapters, ready when simulated time starts, or now: the two ends, `from` being the MPA
    /// initiator. They may be given receives at once; the trace source Connected tells when Writes and Sends may be
    /// posted. `to` listens on `port` from the first call with that port on.
    std::pair<Ptr<IwarpConnection>, Ptr<IwarpConnection>> Connect(const Ptr<IwarpRnic> &from,
                                                                  const Ptr<IwarpRnic> &to,
                                                                  uint16_t port = 4791);

  private:
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_attributes;
    std::vector<std::pair<Ptr<IwarpRnic>, uint16_t>> m_listening;
    uint16_t m_localPort{20000};
};

} // namespace ns3

#endif
