/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-helper.h -- RNICs for nodes of your own script. */
#ifndef IWARP_HELPER_H
#define IWARP_HELPER_H

#include "iwarp-rnic.h"

#include "ns3/node-container.h"
#include "ns3/trace-helper.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \brief Puts an IwarpRnic on nodes that have an IPv4 stack, and connects them.
 *
 *     Time::SetResolution(Time::PS);
 *     InternetStackHelper().Install(nodes);
 *     Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
 *     IwarpHelper iwarp;
 *     iwarp.Set("rnic.preset", StringValue("t6"));
 *     iwarp.Set("llp.congestion", StringValue("dctcp"));
 *     iwarp.Install(nodes);
 *     iwarp.EnablePcapAll("run"); // run-0-0.pcap ...
 *
 * Captures and ascii traces have the adapters' packets alone, from their IP headers on; of devices without an adapter there is none.
 */
class IwarpHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    /// An attribute of every adapter from now on. They are set in the order of these calls, so a preset comes first.
    void Set(const std::string &name, const AttributeValue &value);
    /// An adapter on each node, which sends by the node's first device with an address.
    std::vector<Ptr<IwarpRnic>> Install(const NodeContainer &nodes) const;
    /// A connection between two adapters, opened now, or when simulated time starts: the two ends, `from` initiates. They may
    /// be given receives at once; the trace source Connected tells when Writes and Sends may be posted.
    std::pair<Ptr<IwarpConnection>, Ptr<IwarpConnection>> Connect(const Ptr<IwarpRnic> &from,
                                                                  const Ptr<IwarpRnic> &to,
                                                                  uint16_t port = 4791, uint16_t streams = 1);

    /// Draws of the adapters (jitter of stalls, values of STags) from the key `stream` on, one each: as AssignStreams() of other
    /// helpers; how many were taken. Before they register memory or connect.
    static int64_t AssignStreams(const std::vector<Ptr<IwarpRnic>> &adapters, int64_t stream);

  private:
    void EnablePcapInternal(std::string prefix, Ptr<NetDevice> device, bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream, std::string prefix, Ptr<NetDevice> device,
                             bool explicitFilename) override;

    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_attributes;
    uint32_t m_number{0};
};

} // namespace ns3

#endif
