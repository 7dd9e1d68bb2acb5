/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-topology.h -- networks for RNICs on ns-3's devices: those of fabric/fabric.h, with its routes and its draws. */
#ifndef IWARP_TOPOLOGY_H
#define IWARP_TOPOLOGY_H

#include "fabric/fabric.h"
#include "iwarp-block.h"
#include "iwarp-channel.h"
#include "iwarp-packet.h"

#include "ns3/ipv4-address.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-net-device.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * \brief Hosts with an IPv4 stack and as many ports each, joined by links and IwarpSwitches.
 *
 * Hosts and switches are numbered as in fabric.h, and so are their ports. Host i is 10.0.0.1 + i at each of its ports.
 */
class IwarpTopology
{
  public:
    /// A fabric_conf (rates in bits per second, times in picoseconds) whose defaults are two hosts on a link of 100 Gb/s and 1 us.
    struct Configuration : fabric_conf {
        Configuration();
        explicit Configuration(const fabric_conf &conf);
        /// Processes that have a part of the network each (pods, groups, switches: fabric.h), and which of them this is. Of what is
        /// elsewhere there are bare nodes, and stand-ins for the ports at the other end of links that are cut.
        uint32_t ranks{1}, rank{0};
    };
    explicit IwarpTopology(const Configuration &configuration);
    IwarpTopology(const IwarpTopology &) = delete;
    IwarpTopology &operator=(const IwarpTopology &) = delete;
    /// NULL, or what is wrong with a configuration in words.
    static const char *GetError(const Configuration &configuration);

    const NodeContainer &GetHosts() const;
    const NodeContainer &GetSwitches() const;
    /// Of a host that is here: its ports, in order; the first of them.
    NetDeviceContainer GetDevices(uint32_t host) const;
    Ptr<PointToPointNetDevice> GetDevice(uint32_t host) const;
    bool IsHere(uint32_t node) const;
    /// How many ranks a network can have, and the shortest delay of a link that is cut; IW_NEVER: none is.
    static uint32_t GetRanksMax(const Configuration &configuration);
    static iw_time GetLookahead(const Configuration &configuration);
    Ipv4Address GetAddress(uint32_t host) const;
    /// Connections are set up: the channel impairs from now on; from `at` on, of which nothing has arrived yet.
    void StartImpairment();
    void StartImpairment(iw_time at);
    uint64_t GetChannelDrops() const;
    uint64_t GetSwitchDrops() const;
    uint64_t GetTrims() const;
    /// Packets that were lost because links were down, and that switches sent another way.
    uint64_t GetFailed() const;
    uint64_t GetRerouted() const;
    /// How often links were paused together, and for how long (ps) until now.
    uint64_t GetPauses() const;
    iw_time GetPaused() const;
    /// Told of what happens to links, as fabric.h has it: DOWN, UP, RATE, AVOIDED; and to their senders: PAUSED, RESUMED.
    typedef std::function<void(fabric_event_kind kind, uint32_t link)> ChangeListener;
    void SetChangeListener(const ChangeListener &listener);
    const std::vector<Ptr<IwarpLinkChannel>> &GetAllLinks() const;
    /// Where everything is, with links by their numbers.
    const fabric *GetMap() const;
    uint32_t GetLinks() const;
    /// How a link here stands: IP octets that have begun to leave; octets and packets that wait in its queue.
    struct LinkState {
        uint32_t from, to; //!< nodes
        uint64_t octets, waiting, packets;
    };
    LinkState GetLinkState(uint32_t link) const;
    /// Packets on all links together: packet-hops.
    uint64_t GetPacketHops() const;
    /// Ports of other ranks' nodes that have a stand-in here.
    uint32_t GetStandIns() const;
    /// Packets that came here from other ranks.
    uint64_t GetCrossed() const;
    const std::vector<Ptr<IwarpLinkChannel>> &GetHostLinks() const;

  private:
    uint32_t GetRank(uint32_t node) const;
    bool IsNear(uint32_t link) const;
    Ptr<Node> GetNode(uint32_t number) const;
    void MakeDevices();
    void MakeLinks();
    void ImpairHost(uint32_t link);
    void MakeSwitch(uint32_t number);
    void InstallStacks();
    void InstallStack(uint32_t host);
    static fabric_backlog GetBacklog(void *topology, uint32_t link);
    void AwaitChange();
    void ChangeLinks();
    void Change(fabric_event_kind kind, uint32_t link);
    void SendPause(uint32_t link, bool stops);
    void Pause(uint32_t link, bool paused);

    Configuration m_configuration;
    IwarpBlock m_memory;
    fabric *m_map; //!< where everything is, and how links are; nothing moves in it
    ChangeListener m_listener;
    std::vector<uint32_t> m_frames;     //!< pause frames sent, by link
    std::vector<iw_time> m_pausedSince; //!< of its sender; IW_NEVER: it is not
    uint64_t m_pauses{0};
    iw_time m_paused{0}; //!< of those that ended
    NodeContainer m_hosts, m_switches;
    std::vector<Ptr<PointToPointNetDevice>> m_devices; //!< by link of fabric.h: of the sender
    std::vector<Ptr<IwarpLinkChannel>> m_links, m_hostLinks;
};

} // namespace ns3

#endif
