/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ns3_flow.h -- what the ns-3 benchmarks share: one flow of Writes between two hosts, the clock, which ns-3 it is. */
#ifndef VALIDATION_BENCH_NS3_FLOW_H
#define VALIDATION_BENCH_NS3_FLOW_H

#include "ns3/iwarp-rnic.h"
#include "ns3/iwarp-topology.h"
#include "ns3/iwarp-version.h"

#include "ns3/core-module.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

namespace ns3
{

inline double CpuSeconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Resident octets of this process.
inline double ResidentOctets()
{
    std::ifstream statm("/proc/self/statm");
    double all = 0, resident = 0;
    statm >> all >> resident;
    return resident * 4096;
}

/// Before each run: a Simulator::Destroy() forgets it.
inline void UseFastScheduler()
{
    Simulator::SetScheduler(ObjectFactory("ns3::PriorityQueueScheduler"));
}

/// `octets` in Writes of 1 MiB at most, from one host to the other; an adapter is made where there is none yet.
class Ns3Flow
{
  public:
    Ns3Flow(IwarpTopology &topology, uint32_t from, uint32_t to, uint64_t octets, const std::string &payload,
            uint32_t connections = 1)
        : m_left(octets)
    {
        m_from = Adapter(topology, from, payload, connections);
        m_to = Adapter(topology, to, payload, connections);
        m_size = static_cast<uint32_t>(std::min<uint64_t>(octets, 1 << 20));
        m_source = Register(m_from, payload);
        m_sink = Register(m_to, payload);
        const uint32_t number = static_cast<uint32_t>(s_flows.size());
        const uint16_t port = static_cast<uint16_t>(10000 + number % 50000);
        s_flows.push_back(this);
        m_connection = m_from->CreateConnection({number, true, topology.GetAddress(to), port, 4791});
        m_to->CreateConnection({number, false, topology.GetAddress(from), 4791, port})->Open();
        m_connection->Open();
        s_running++;
    }

    bool IsDone() const
    {
        return m_done;
    }

    /// Connections that are up.
    static uint32_t Connected()
    {
        return s_connected;
    }

    void Start()
    {
        Post();
    }

  private:
    static constexpr uint32_t DEPTH = 4;

    static Ptr<IwarpRnic> Adapter(IwarpTopology &topology, uint32_t host, const std::string &payload,
                                  uint32_t connections)
    {
        Ptr<Node> node = topology.GetHosts().Get(host);
        Ptr<IwarpRnic> adapter = node->GetObject<IwarpRnic>();
        if (adapter)
            return adapter;
        adapter = CreateObject<IwarpRnic>();
        adapter->SetAttribute("payload", StringValue(payload));
        adapter->SetAttribute("rnic.window.bytes", StringValue("1MiB"));
        if (connections > 1)
            adapter->SetAttribute("llp.delayed_ack", UintegerValue(1));
        adapter->SetAttribute("Connections", UintegerValue(2 * connections));
        adapter->SetAttribute("SendQueue", UintegerValue(DEPTH));
        adapter->SetAttribute("ReceiveQueue", UintegerValue(1));
        adapter->SetAttribute("Completions", UintegerValue(2 * DEPTH * connections));
        adapter->SetAttribute("Regions", UintegerValue(4 * connections));
        node->AggregateObject(adapter);
        adapter->SetPort(topology.GetDevice(host));
        adapter->TraceConnectWithoutContext("Completion", MakeCallback(&Ns3Flow::Completed));
        adapter->TraceConnectWithoutContext("Connected", MakeCallback(&Ns3Flow::Up));
        return adapter;
    }

    iw_stag Register(const Ptr<IwarpRnic> &adapter, const std::string &payload)
    {
        iw_region region{};
        iw_stag stag = 0;
        if (payload == "real") {
            m_memory.emplace_back(m_size);
            region.base = m_memory.back().data();
        }
        region.len = m_size;
        region.pd = 1;
        region.rights = IW_LOCAL_WRITE | IW_REMOTE_WRITE;
        NS_ABORT_MSG_IF(adapter->RegisterMemory(region, &stag), "memory");
        return stag;
    }

    static void Up(Ptr<IwarpConnection> connection, uint16_t, const node_event &)
    {
        Ns3Flow *flow = s_flows[connection->GetNumber()];
        s_connected++;
        if (connection == flow->m_connection)
            flow->Post();
    }

    void Post()
    {
        while (m_left && m_outstanding < DEPTH) {
            iw_work work{};
            const uint32_t n = static_cast<uint32_t>(std::min<uint64_t>(m_left, m_size));
            work.op = IW_WRITE;
            work.sges = 1;
            work.sge[0] = {m_source, n, 0};
            work.remote_stag = m_sink;
            NS_ABORT_MSG_IF(m_connection->Post(work), "post");
            m_left -= n;
            m_outstanding++;
        }
    }

    static void Completed(Ptr<IwarpConnection> connection, uint16_t, const node_event &event)
    {
        Ns3Flow *flow = s_flows[connection->GetNumber()];
        NS_ABORT_MSG_IF(event.done.status, "a Write failed");
        flow->m_outstanding--;
        flow->Post();
        if (flow->m_outstanding)
            return;
        flow->m_done = true;
        if (--s_running == 0)
            Simulator::Stop();
    }

    Ptr<IwarpRnic> m_from, m_to;
    Ptr<IwarpConnection> m_connection;
    std::vector<std::vector<uint8_t>> m_memory;
    uint64_t m_left;
    uint32_t m_size{0}, m_outstanding{0};
    iw_stag m_source{0}, m_sink{0};
    bool m_done{false};
    static inline uint32_t s_running = 0, s_connected = 0;
    static inline std::vector<Ns3Flow *>
        s_flows; //!< by number of the connection; those of earlier runs are gone
};

} // namespace ns3

#endif
