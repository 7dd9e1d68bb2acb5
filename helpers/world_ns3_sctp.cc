/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3_sctp.cc -- a trial on ns-3 whose connections are DDP streams over SCTP (trial.h, RFC 5043). The connections of one
 * pair of hosts share associations, llp.streams on each. */
#include "helpers/world_ns3_sctp.h"

#include "ns3/iwarp-rnic.h"
#include "ns3/iwarp-sctp-association.h"

#include "ns3/boolean.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint16_t FIRST_PORT = 10000;
constexpr uint32_t CHECKS_PER_LIMIT = 16;

uint64_t Clock()
{
    return static_cast<uint64_t>(Simulator::Now().GetTimeStep());
}

uint64_t Name(uint32_t conn, int side)
{
    return static_cast<uint64_t>(conn) << 1 | static_cast<unsigned>(side);
}

uint32_t Conn(uint64_t user)
{
    return static_cast<uint32_t>(user >> 1);
}

int Side(uint64_t user)
{
    return static_cast<int>(user & 1);
}

/// One point: hosts, associations, and everything that happens told to the trial.
class SctpWorld : public IwarpSctpOwner
{
  public:
    SctpWorld(const scenario_point &point, trial *t, const IwarpTopology::Configuration &topology,
              const std::function<Ptr<IwarpRnic>(uint32_t host, uint32_t ends)> &adapter);
    ~SctpWorld() override;
    bool Prepare();
    void Run();

    // IwarpSctpOwner
    void Opened(uint64_t user) override;
    void Failed(uint64_t user) override;
    void Sent(uint64_t user, const iw_seg &segment) override;
    void Resent(uint64_t user, uint64_t key) override;
    void Arrived(uint64_t user, uint64_t key, uint32_t octets, bool ooo) override;
    void Placed(uint64_t user, uint64_t key, const iw_place &place, bool ooo) override;
    void Delivered(uint64_t user, const iw_message &message) override;
    void Edge(uint64_t user, uint64_t edge) override;
    void Event(uint64_t user, const struct iw_event &event) override;
    void Window(uint64_t user, uint64_t received, uint64_t window) override;

  private:
    struct Place {
        Ptr<IwarpSctpAssociation> association;
        uint16_t stream;
    };
    void MakeHosts();
    void MakeAssociations();
    void MakeAssociation(const std::vector<uint32_t> &connections, uint16_t port);
    void EnableCapture();
    void Begin();
    void Start();
    void Wake();
    void Check();
    void StopWhenOver();
    void Done(const iw_done &done);
    void Finish();
    const Place &At(uint32_t conn, int side) const;

    static int Memory(void *world, uint32_t host, iw_region *region, iw_stag *stag);
    static int Rebind(void *world, uint32_t host, iw_stag stag, const iw_region *region);
    static int Invalidate(void *world, uint32_t host, iw_stag stag);
    static int Post(void *world, uint64_t now, uint32_t conn, int side, const iw_work *work);
    static int Close(void *world, uint64_t now, uint32_t conn, int side, iw_close_how how);
    static void SetWake(void *world, uint64_t at);
    static int Inject(void *world, uint64_t now, uint32_t conn, int side, const workload_wrong *wrong);

    const scenario_point &m_point;
    trial *m_trial;
    IwarpTopology m_topology;
    std::function<Ptr<IwarpRnic>(uint32_t, uint32_t)> m_makeAdapter;
    std::vector<Ptr<IwarpRnic>> m_adapters;
    std::vector<Ptr<IwarpSctpAssociation>> m_associations;
    std::vector<Place> m_at; //!< by Name()
    std::vector<std::vector<uint8_t>> m_memory;
    EventId m_wake;
    size_t m_opened{0};
    bool m_failed{false};
};

SctpWorld::SctpWorld(const scenario_point &point, trial *t, const IwarpTopology::Configuration &topology,
                     const std::function<Ptr<IwarpRnic>(uint32_t, uint32_t)> &adapter)
    : m_point(point), m_trial(t), m_topology(topology), m_makeAdapter(adapter)
{
}

SctpWorld::~SctpWorld()
{
    for (const Ptr<IwarpSctpAssociation> &association : m_associations)
        association->Dispose();
}

// ---- what the workload asks for ---------------------------------------------------------------------------

int SctpWorld::Memory(void *world, uint32_t host, iw_region *region, iw_stag *stag)
{
    SctpWorld *w = static_cast<SctpWorld *>(world);
    if (!region->base && w->m_point.payload == PAYLOAD_REAL) {
        w->m_memory.emplace_back(region->len, 0);
        region->base = w->m_memory.back().data();
    }
    return w->m_adapters[host]->RegisterMemory(*region, stag);
}

int SctpWorld::Rebind(void *world, uint32_t host, iw_stag stag, const iw_region *region)
{
    return iw_rebind(static_cast<SctpWorld *>(world)->m_adapters[host]->GetStags(), stag, region);
}

int SctpWorld::Invalidate(void *world, uint32_t host, iw_stag stag)
{
    return iw_invalidate(static_cast<SctpWorld *>(world)->m_adapters[host]->GetStags(), stag);
}

int SctpWorld::Post(void *world, uint64_t, uint32_t conn, int side, const iw_work *work)
{
    const Place &p = static_cast<SctpWorld *>(world)->At(conn, side);
    return p.association->Post(p.stream, *work);
}

int SctpWorld::Close(void *world, uint64_t, uint32_t conn, int side, iw_close_how how)
{
    const Place &p = static_cast<SctpWorld *>(world)->At(conn, side);
    return p.association->Close(p.stream, how);
}

void SctpWorld::SetWake(void *world, uint64_t at)
{
    SctpWorld *w = static_cast<SctpWorld *>(world);
    w->m_wake.Cancel();
    if (at == IW_NEVER)
        return;
    const uint64_t now = Clock();
    w->m_wake = Simulator::Schedule(TimeStep(at > now ? at - now : 0), &SctpWorld::Wake, w);
}

int SctpWorld::Inject(void *world, uint64_t, uint32_t conn, int side, const workload_wrong *wrong)
{
    const Place &p = static_cast<SctpWorld *>(world)->At(conn, side);
    if (wrong->kind != WRONG_TERMINATE)
        return IW_EINVAL;
    return p.association->Terminate(p.stream, wrong->term);
}

// ---- building ---------------------------------------------------------------------------------------------

void SctpWorld::MakeHosts()
{
    const uint32_t connections = workload_connections(&m_point.workload);
    for (uint32_t host = 0; host < m_topology.GetHosts().GetN(); host++) {
        uint32_t ends = 0;
        for (uint32_t i = 0; i < connections; i++) {
            const struct workload_pair pair = workload_pair(&m_point.workload, i);
            ends += (pair.from == host) + (pair.to == host);
        }
        Ptr<IwarpRnic> adapter = m_makeAdapter(host, ends ? ends : 1);
        m_topology.GetHosts().Get(host)->AggregateObject(adapter);
        adapter->SetPort(m_topology.GetDevice(host));
        adapter->TraceConnectWithoutContext("Completion", MakeCallback(&SctpWorld::Done, this));
        m_adapters.push_back(adapter);
    }
}

// Connections of the same two hosts fill one association after the other.
void SctpWorld::MakeAssociations()
{
    const uint32_t count = workload_connections(&m_point.workload);
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> pairs;
    uint16_t port = FIRST_PORT;
    m_at.resize(2 * static_cast<size_t>(count));
    for (uint32_t i = 0; i < count; i++) {
        const struct workload_pair pair = workload_pair(&m_point.workload, i);
        std::vector<uint32_t> &open = pairs[{pair.from, pair.to}];
        open.push_back(i);
        if (open.size() < m_point.llp.streams)
            continue;
        MakeAssociation(open, port++);
        open.clear();
    }
    for (const auto &rest : pairs)
        if (!rest.second.empty())
            MakeAssociation(rest.second, port++);
}

void SctpWorld::MakeAssociation(const std::vector<uint32_t> &connections, uint16_t port)
{
    const struct workload_pair pair = workload_pair(&m_point.workload, connections[0]);
    const uint32_t host[2] = {pair.from, pair.to};
    const auto time = [](uint64_t ps) { return PicoSeconds(static_cast<int64_t>(ps)); };
    for (int side = 0; side < 2; side++) {
        IwarpSctpAssociation::Configuration c;
        c.localPort = c.remotePort = port;
        c.local = m_topology.GetAddress(host[side]);
        c.remote = m_topology.GetAddress(host[1 - side]);
        c.active = side == 0;
        c.minRto = time(m_point.llp.min_rto);
        c.sackDelay = time(m_point.llp.delayed_ack_timeout);
        c.sackEvery = m_point.llp.delayed_ack;
        c.sendBuffer = static_cast<uint32_t>(m_point.llp.send_buffer);
        c.secret = channel_key(m_point.seed, m_point.repeat, port, 1u << 29);
        for (uint32_t conn : connections) {
            c.users.push_back(Name(conn, side));
            c.streams.push_back(workload_stream(conn));
        }
        Ptr<IwarpSctpAssociation> association = Create<IwarpSctpAssociation>(m_adapters[host[side]], c, this);
        for (size_t i = 0; i < connections.size(); i++)
            m_at[Name(connections[i], side)] = {association, static_cast<uint16_t>(i)};
        m_associations.push_back(association);
    }
    Simulator::ScheduleWithContext(m_topology.GetHosts().Get(pair.from)->GetId(), Time(0),
                                   &IwarpSctpAssociation::Start, m_associations[m_associations.size() - 2]);
}

void SctpWorld::EnableCapture()
{
    PointToPointHelper helper;
    for (uint32_t i = 0; i < m_adapters.size(); i++)
        helper.EnablePcap(std::string(trial_pcap(m_trial)) + "-h" + std::to_string(i) + ".pcap",
                          m_topology.GetDevice(i), true, true);
}

bool SctpWorld::Prepare()
{
    const workload_world offers = {this, Memory, Rebind, Invalidate, Post, Close, SetWake, Inject};
    MakeHosts();
    MakeAssociations();
    if (trial_pcap(m_trial))
        EnableCapture();
    return trial_prepare(m_trial, &offers) == IW_OK;
}

const SctpWorld::Place &SctpWorld::At(uint32_t conn, int side) const
{
    return m_at[Name(conn, side)];
}

// ---- running ----------------------------------------------------------------------------------------------

void SctpWorld::Opened(uint64_t)
{
    if (++m_opened == m_at.size())
        Simulator::ScheduleNow(&SctpWorld::Begin, this);
}

void SctpWorld::Begin()
{
    uint64_t ready = Clock();
    for (const Ptr<IwarpRnic> &adapter : m_adapters)
        ready = std::max<uint64_t>(ready, rnic_cpu_free(adapter->GetAdapter()));
    Simulator::Schedule(TimeStep(ready - Clock()), &SctpWorld::Start, this);
}

void SctpWorld::Failed(uint64_t user)
{
    trial_broken(m_trial, Clock(), "connection %u: set-up failed: the association was not established",
                 Conn(user));
    Simulator::Stop();
}

void SctpWorld::Start()
{
    m_topology.StartImpairment();
    trial_start(m_trial, Clock());
    StopWhenOver();
}

void SctpWorld::Wake()
{
    trial_wake(m_trial, Clock());
    StopWhenOver();
}

void SctpWorld::StopWhenOver()
{
    if (trial_over(m_trial, Clock()))
        Simulator::Stop();
}

void SctpWorld::Check()
{
    if (Simulator::IsFinished())
        trial_stalled(m_trial, Clock());
    StopWhenOver();
    const uint64_t shortest = std::min(m_point.limit.idle, m_point.limit.sim);
    Simulator::Schedule(TimeStep(shortest / CHECKS_PER_LIMIT + 1), &SctpWorld::Check, this);
}

void SctpWorld::Run()
{
    Simulator::ScheduleNow(&SctpWorld::Check, this);
    Simulator::Run();
    Finish();
}

void SctpWorld::Finish()
{
    struct trial_counters *c = trial_counters(m_trial);
    for (const Ptr<IwarpSctpAssociation> &association : m_associations) {
        c->timeouts += association->GetStatistics()->timeouts;
        c->retransmits_spurious += association->GetStatistics()->duplicates;
        c->crc_errors += association->GetChecksumErrors();
    }
    for (size_t i = 0; i < m_at.size(); i++)
        trial_endpoint(m_trial, Conn(i), Side(i), m_at[i].association->GetEndpoint(m_at[i].stream));
    for (uint32_t i = 0; i < m_adapters.size(); i++)
        trial_adapter(m_trial, i, m_adapters[i]->GetAdapter());
    c->drops_channel = m_topology.GetChannelDrops();
    c->drops_switch = m_topology.GetSwitchDrops();
    c->events = Simulator::GetEventCount();
}

// ---- what happens -----------------------------------------------------------------------------------------

void SctpWorld::Sent(uint64_t user, const iw_seg &segment)
{
    trial_sent(m_trial, Clock(), Conn(user), Side(user), &segment);
}

void SctpWorld::Resent(uint64_t user, uint64_t key)
{
    trial_resent(m_trial, Clock(), Conn(user), Side(user), key, key + 1);
}

void SctpWorld::Arrived(uint64_t user, uint64_t key, uint32_t octets, bool ooo)
{
    trial_arrived(m_trial, Clock(), Conn(user), Side(user), key, octets, ooo);
}

void SctpWorld::Placed(uint64_t user, uint64_t key, const iw_place &place, bool ooo)
{
    trial_placed(m_trial, Clock(), Conn(user), Side(user), key, &place, ooo);
    StopWhenOver();
}

void SctpWorld::Delivered(uint64_t user, const iw_message &message)
{
    trial_delivered(m_trial, Clock(), Conn(user), Side(user), &message);
    StopWhenOver();
}

void SctpWorld::Edge(uint64_t user, uint64_t edge)
{
    trial_edge(m_trial, Clock(), Conn(user), Side(user), edge);
}

void SctpWorld::Event(uint64_t user, const struct iw_event &event)
{
    trial_event(m_trial, Clock(), Conn(user), Side(user), &event);
    StopWhenOver();
}

void SctpWorld::Done(const iw_done &done)
{
    trial_done(m_trial, Clock(), Conn(done.user), Side(done.user), &done);
    StopWhenOver();
}

void SctpWorld::Window(uint64_t user, uint64_t received, uint64_t window)
{
    trial_window(m_trial, Clock(), Conn(user), Side(user), received, window);
}

} // namespace

bool world_ns3_sctp(const scenario_point &point, trial *t, const IwarpTopology::Configuration &topology,
                    const std::function<Ptr<IwarpRnic>(uint32_t host, uint32_t ends)> &adapter)
{
    SctpWorld world(point, t, topology, adapter);
    const bool prepared = world.Prepare();
    if (prepared)
        world.Run();
    Simulator::Destroy();
    return prepared;
}
