/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3.h -- the world of ns-3: a trial_world. One point per process: ns-3's counters are global.
 *
 *   world_ns3.cc       hosts on ns-3's nodes, and the run of one process
 *   world_ranks.cc     the run of several; processes.cc: what they exchange
 *   world_ns3_main.cc  the program: iwarpsim-ns3
 */
#ifndef HELPERS_WORLD_NS3_WORLD_NS3_H
#define HELPERS_WORLD_NS3_WORLD_NS3_H

#include "helpers/trial/trial.h"
#include "helpers/world/hosts.h"

#include "ns3/iwarp-port.h"
#include "ns3/iwarp-topology.h"

#include <memory>
#include <vector>

extern "C" trial_world world_ns3;

/// Hosts on ns-3's nodes; what runs them is derived from it.
class World
{
  public:
    World(const struct scenario_point &point, trial *t, const ns3::IwarpTopology::Configuration &network);
    virtual ~World();
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    /// Makes hosts and connections. False: trial_refuse() said why.
    bool Prepare();
    virtual void Run() = 0;

  protected:
    virtual uint64_t GetNow() const = 0;
    /// As hosts_world says.
    virtual void Kick(uint32_t host) = 0;
    virtual void Wake(uint64_t at) = 0;
    virtual void Offer(hosts_world *) {}
    /// A host was concerned: is it over?
    virtual void Acted() {}
    /// Counters and statistics into the results.
    void Count(uint64_t events);

    const struct scenario_point &m_point;
    trial *m_trial;
    ns3::IwarpTopology m_topology;
    hosts *m_hosts{nullptr};
    std::vector<ns3::Ptr<ns3::IwarpPort>> m_port;
    uint64_t m_last{0}; //!< when a host was last concerned

  private:
    void InstallPorts();
    void EnableCapture();
    void TraceTheWay();
    void Lost(ns3::Ptr<const ns3::Packet> packet);
    void Severed(ns3::Ptr<const ns3::Packet> packet);
    void Stranded(ns3::Ptr<const ns3::Packet> packet);
    void Overflowed(ns3::Ptr<const ns3::Packet> packet);
    void Trimmed(ns3::Ptr<const ns3::Packet> packet);
    void LinkChanged(fabric_event_kind kind, uint32_t link);
    void TellLost(const ns3::Ptr<ns3::Packet> &packet, const char *why);
};

/// How a trial is run.
struct WorldWay {
    /// NULL, or why this point cannot be run so; cuts the network.
    const char *(*Cut)(const struct scenario_point &point, ns3::IwarpTopology::Configuration *network);
    std::unique_ptr<World> (*Make)(const struct scenario_point &point, trial *t,
                                   const ns3::IwarpTopology::Configuration &network);
};
/// Else in one process.
void SetWorldWay(const WorldWay &way);

#endif
