/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3_hosts.h -- what the trials on ns-3 have in common, whatever carries DDP: hosts with an adapter each,
 * their memory, and the clock of the workload (trial.h). */
#ifndef HELPERS_WORLD_NS3_WORLD_NS3_HOSTS_H
#define HELPERS_WORLD_NS3_WORLD_NS3_HOSTS_H

#include "helpers/trial/trial.h"

#include "ns3/event-id.h"
#include "ns3/iwarp-rnic.h"
#include "ns3/iwarp-topology.h"

#include <cstdint>
#include <vector>

/// Which connection of the workload, and which side of it: the name that an end of a connection carries.
struct End {
    uint32_t conn;
    int side;
    static uint64_t Name(uint32_t conn, int side)
    {
        return static_cast<uint64_t>(conn) << 1 | static_cast<unsigned>(side);
    }
    explicit End(uint64_t name) : conn(static_cast<uint32_t>(name >> 1)), side(static_cast<int>(name & 1)) {}
};

/// One point. What carries DDP derives from it, makes the connections, and tells the trial what happens.
class Ns3Hosts
{
  public:
    Ns3Hosts(const scenario_point &point, trial *t);
    virtual ~Ns3Hosts() = default;
    Ns3Hosts(const Ns3Hosts &) = delete;
    Ns3Hosts &operator=(const Ns3Hosts &) = delete;

    /// Makes hosts and connections. False: trial_refuse() said why.
    bool Prepare();
    void Run();

  protected:
    static uint64_t Clock(); //!< now, in picoseconds
    void Begin();            //!< every connection is open: the ULPs start as soon as their CPUs have time
    void SetupFailed(uint32_t conn, const char *why);
    void StopWhenOver();
    void Done(const iw_done &done);

    const scenario_point &m_point;
    trial *m_trial;
    ns3::IwarpTopology m_topology;
    std::vector<ns3::Ptr<ns3::IwarpRnic>> m_adapters; //!< by host

  private:
    virtual void MakeConnections() = 0;
    virtual void ConnectTraces(const ns3::Ptr<ns3::IwarpRnic> &adapter) = 0;
    virtual void Finish(struct trial_counters *c) = 0; //!< at the end: what connections have counted
    virtual int Post(uint32_t conn, int side, const iw_work &work) = 0;
    virtual int Close(uint32_t conn, int side, iw_close_how how) = 0;
    virtual int Inject(uint32_t conn, int side, const workload_wrong &wrong) = 0;
    /// A packet, from IP on, did not get through; `where` says why, or nullptr: the channel lost it.
    virtual void LostOnTheWay(const ns3::Ptr<ns3::Packet> &packet, const char *where) = 0;

    void MakeAdapter(uint32_t host);
    void EnableCapture();
    void TraceTheWay();
    void Lost(ns3::Ptr<const ns3::Packet> packet);
    void Overflowed(ns3::Ptr<const ns3::Packet> packet);
    void Start();
    void Wake();
    void Check();

    // what the workload asks for
    static int AskMemory(void *world, uint32_t host, iw_region *region, iw_stag *stag);
    static int AskRebind(void *world, uint32_t host, iw_stag stag, const iw_region *region);
    static int AskInvalidate(void *world, uint32_t host, iw_stag stag);
    static int AskPost(void *world, uint64_t now, uint32_t conn, int side, const iw_work *work);
    static int AskClose(void *world, uint64_t now, uint32_t conn, int side, iw_close_how how);
    static void AskWake(void *world, uint64_t at);
    static int AskInject(void *world, uint64_t now, uint32_t conn, int side, const workload_wrong *wrong);

    std::vector<std::vector<uint8_t>> m_memory;
    ns3::EventId m_wake;
};

#endif
