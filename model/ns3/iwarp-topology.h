/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-topology.h -- link, star and fat tree: nodes, devices, addresses and routing, in milliseconds of set-up. */
#ifndef IWARP_TOPOLOGY_H
#define IWARP_TOPOLOGY_H

#include "iwarp-channel.h"
#include "iwarp-switch.h"

#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-net-device.h"

#include <vector>

namespace ns3
{

/**
 * \brief A network of hosts with an IP stack (IwarpTcpL4Protocol) and switches without.
 *
 * link: host 0 -- host 1. star: each host on a port of one switch. fat_tree: k pods of k/2 edge and k/2 aggregation
 * switches, (k/2)^2 cores, k^3/4 hosts (Al-Fares 2008); hosts are numbered pod by pod, edge by edge.
 */
class IwarpTopology
{
  public:
    enum Kind { LINK, STAR, FAT_TREE };

    struct Configuration {
        Kind kind{LINK};
        uint32_t hosts{2}; //!< star
        uint32_t k{4};     //!< fat tree: ports of a switch, even
        bool spray{false};
        double oversubscription{1}; //!< links above the edge run at rate / this
        uint64_t rate{100000000000};
        Time delay{MicroSeconds(1)}; //!< one way, of every link
        uint16_t mtu{9000};
        uint64_t buffer{1 << 20};                     //!< octets of each output queue of a switch
        uint64_t ecnThreshold{0};                     //!< octets; 0: packets are not marked
        uint32_t framing{IwarpLinkChannel::ETHERNET}; //!< octets around IP
        IwarpLinkChannel::Impairment impairment{};    //!< of the last link before each host
        bool impaired{false};
        bool stockTcp{false}; //!< TcpL4Protocol in place of IwarpTcpL4Protocol
        uint64_t seed{1};
        uint32_t repeat{0};
    };
    explicit IwarpTopology(const Configuration &configuration);

    const NodeContainer &GetHosts() const;
    const NodeContainer &GetSwitches() const;
    Ptr<PointToPointNetDevice> GetDevice(uint32_t host) const;
    Ipv4Address GetAddress(uint32_t host) const;
    /// Connections are set up: the channel impairs from now on.
    void StartImpairment();
    uint64_t GetChannelDrops() const;
    uint64_t GetSwitchDrops() const;
    /// Packets on all links together: packet-hops.
    uint64_t GetPacketHops() const;
    const std::vector<Ptr<IwarpLinkChannel>> &GetHostLinks() const;

  private:
    void MakeLink();
    void MakeStar();
    void MakeFatTree();
    void Join(const Ptr<Node> &lower, const Ptr<Node> &upper, uint64_t rate);
    Ptr<PointToPointNetDevice> MakeDevice(const Ptr<Node> &node, uint64_t rate, bool host) const;
    void InstallStacks();
    void InstallSwitch(uint32_t index, const IwarpSwitch::Route &route);
    void Impair();
    bool IsHost(const Ptr<Node> &node) const;

    Configuration m_configuration;
    NodeContainer m_hosts, m_switches;
    std::vector<Ptr<PointToPointNetDevice>> m_devices; //!< of the hosts
    std::vector<Ptr<IwarpLinkChannel>> m_links, m_hostLinks;
};

} // namespace ns3

#endif
