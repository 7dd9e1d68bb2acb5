/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3.cc -- a trial on ns-3 (trial.h), and the program that runs one: iwarpsim-ns3. */
#include "helpers/world_ns3.h"

#include "helpers/world_ns3_sctp.h"

#include "ns3/iwarp-rnic.h"
#include "ns3/iwarp-topology.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/enum.h"
#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 4791;        // hosts listen here
constexpr uint16_t FIRST_PORT = 10000; // of the connections that a host initiates
constexpr uint32_t CHECKS_PER_LIMIT = 16;

uint64_t Clock()
{
    return static_cast<uint64_t>(Simulator::Now().GetTimeStep());
}

/// Which connection of the workload, and which side of it: what IwarpConnection::GetUser() says.
struct End {
    uint32_t conn;
    int side;
    static uint64_t Name(uint32_t conn, int side)
    {
        return static_cast<uint64_t>(conn) << 1 | static_cast<unsigned>(side);
    }
    explicit End(uint64_t name) : conn(static_cast<uint32_t>(name >> 1)), side(static_cast<int>(name & 1)) {}
};

/// One point: hosts, connections, and everything that happens told to the trial.
class Ns3World
{
  public:
    Ns3World(const scenario_point &point, trial *t);
    bool Prepare();
    void Run();

  private:
    void MakeAdapter(uint32_t host);
    void MakeConnections();
    void ConnectTraces(const Ptr<IwarpRnic> &adapter);
    void EnableCapture();
    void Connected(Ptr<IwarpConnection> connection);
    void Failed(Ptr<IwarpConnection> connection);
    void Start();
    void Wake();
    void Check();
    void StopWhenOver();
    void Finish();
    Ptr<IwarpConnection> At(uint32_t conn, int side) const;

    // what happens
    void Sent(Ptr<IwarpConnection> connection, const iw_seg &segment);
    void Resent(Ptr<IwarpConnection> connection, uint64_t key, uint64_t end);
    void Arrived(Ptr<IwarpConnection> connection, uint64_t key, uint32_t octets, bool ooo);
    void Placed(Ptr<IwarpConnection> connection, uint64_t key, const iw_place &place, bool ooo);
    void Delivered(Ptr<IwarpConnection> connection, const iw_message &message);
    void Edge(Ptr<IwarpConnection> connection, uint64_t edge);
    void Event(Ptr<IwarpConnection> connection, const struct iw_event &event);
    void Done(const iw_done &done);
    void Window(Ptr<IwarpConnection> connection, uint64_t acknowledged, uint64_t window);
    void Dropped(Ptr<IwarpConnection> connection, const std::string &why, uint32_t octets);

    // what the workload asks for
    static int Memory(void *world, uint32_t host, iw_region *region, iw_stag *stag);
    static int Rebind(void *world, uint32_t host, iw_stag stag, const iw_region *region);
    static int Invalidate(void *world, uint32_t host, iw_stag stag);
    static int Post(void *world, uint64_t now, uint32_t conn, int side, const iw_work *work);
    static int Close(void *world, uint64_t now, uint32_t conn, int side, iw_close_how how);
    static void SetWake(void *world, uint64_t at);
    static int Inject(void *world, uint64_t now, uint32_t conn, int side, const workload_wrong *wrong);

    const scenario_point &m_point;
    trial *m_trial;
    std::unique_ptr<IwarpTopology> m_topology;
    std::vector<Ptr<IwarpRnic>> m_adapters;
    std::vector<Ptr<IwarpConnection>> m_connections; //!< by End::Name()
    std::vector<std::vector<uint8_t>> m_memory;
    EventId m_wake;
    uint32_t m_connected{0};
};

Ns3World::Ns3World(const scenario_point &point, trial *t) : m_point(point), m_trial(t) {}

// ---- what the workload asks for ---------------------------------------------------------------------------

int Ns3World::Memory(void *world, uint32_t host, iw_region *region, iw_stag *stag)
{
    Ns3World *w = static_cast<Ns3World *>(world);
    if (!region->base && w->m_point.payload == PAYLOAD_REAL) {
        w->m_memory.emplace_back(region->len, 0);
        region->base = w->m_memory.back().data();
    }
    return w->m_adapters[host]->RegisterMemory(*region, stag);
}

int Ns3World::Rebind(void *world, uint32_t host, iw_stag stag, const iw_region *region)
{
    return iw_rebind(static_cast<Ns3World *>(world)->m_adapters[host]->GetStags(), stag, region);
}

int Ns3World::Invalidate(void *world, uint32_t host, iw_stag stag)
{
    return iw_invalidate(static_cast<Ns3World *>(world)->m_adapters[host]->GetStags(), stag);
}

int Ns3World::Post(void *world, uint64_t, uint32_t conn, int side, const iw_work *work)
{
    return static_cast<Ns3World *>(world)->At(conn, side)->Post(*work);
}

int Ns3World::Close(void *world, uint64_t, uint32_t conn, int side, iw_close_how how)
{
    return static_cast<Ns3World *>(world)->At(conn, side)->Close(how);
}

void Ns3World::SetWake(void *world, uint64_t at)
{
    Ns3World *w = static_cast<Ns3World *>(world);
    w->m_wake.Cancel();
    if (at == IW_NEVER)
        return;
    const uint64_t now = Clock();
    w->m_wake = Simulator::Schedule(TimeStep(at > now ? at - now : 0), &Ns3World::Wake, w);
}

int Ns3World::Inject(void *world, uint64_t, uint32_t conn, int side, const workload_wrong *wrong)
{
    Ns3World *w = static_cast<Ns3World *>(world);
    Ptr<IwarpConnection> connection = w->At(conn, side);
    switch (wrong->kind) {
    case WRONG_TERMINATE: return connection->Terminate(wrong->term);
    case WRONG_LOST:
        connection->Lose();
        w->At(conn, 1 - side)->Lose();
        return IW_OK;
    case WRONG_ULPDU:
    case WRONG_CRC:
    case WRONG_MARKER: {
        static const IwarpConnection::Wrong kinds[] = {
            IwarpConnection::WRONG_ULPDU, IwarpConnection::WRONG_CRC, IwarpConnection::WRONG_MARKER};
        const bool done = connection->Inject(kinds[wrong->kind - WRONG_ULPDU], wrong->ulpdu, wrong->len);
        return done ? IW_OK : IW_EINVAL;
    }
    default: return IW_EINVAL;
    }
}

// ---- building ---------------------------------------------------------------------------------------------

IwarpTopology::Configuration TopologyOf(const scenario_point &point)
{
    const point_topology_conf &t = point.topology;
    static const IwarpTopology::Kind kinds[] = {IwarpTopology::LINK, IwarpTopology::STAR,
                                                IwarpTopology::FAT_TREE};
    IwarpTopology::Configuration c;
    c.kind = kinds[t.kind];
    c.hosts = t.hosts;
    c.k = t.k;
    c.spray = t.routing == ROUTING_SPRAY;
    c.oversubscription = t.oversubscription;
    c.rate = t.rate;
    c.delay = PicoSeconds(static_cast<int64_t>(t.delay));
    c.mtu = static_cast<uint16_t>(t.mtu);
    c.buffer = t.buffer;
    c.ecnThreshold = t.ecn_threshold;
    c.framing = t.framing == FRAMING_PPP ? IwarpLinkChannel::PPP : IwarpLinkChannel::ETHERNET;
    c.impaired = true;
    c.impairment.conf = point.channel;
    c.impairment.data = point.channel_direction != DIRECTION_ACKS;
    c.impairment.acks = point.channel_direction != DIRECTION_DATA;
    c.impairment.realPayload = point.payload == PAYLOAD_REAL;
    c.seed = point.seed;
    c.repeat = point.repeat;
    return c;
}

std::string CongestionName(const point_llp_conf &llp)
{
    static const char *const names[] = {"cubic", "dctcp", "newreno"};
    if (llp.congestion == CONGESTION_FIXED)
        return "fixed:" + std::to_string(llp.congestion_window);
    return names[llp.congestion];
}

/// The adapter of a host with so many ends of connections.
Ptr<IwarpRnic> NewAdapter(const scenario_point &point, uint32_t host, uint32_t ends)
{
    const point_llp_conf &llp = point.llp;
    const struct workload_needs needs = workload_needs(&point.workload);
    const auto time = [](uint64_t ps) { return TimeValue(PicoSeconds(static_cast<int64_t>(ps))); };
    Ptr<IwarpRnic> a = CreateObject<IwarpRnic>();
    a->SetConfiguration(point.rnic);
    a->SetAttribute("llp.markers", BooleanValue(llp.markers));
    a->SetAttribute("llp.crc", BooleanValue(llp.crc));
    a->SetAttribute("llp.crc_error", StringValue(llp.crc_error == CRC_ERROR_DROP ? "drop" : "terminate"));
    a->SetAttribute("llp.trust_alignment", BooleanValue(llp.trust_alignment));
    a->SetAttribute("llp.congestion", StringValue(CongestionName(llp)));
    a->SetAttribute("llp.initial_window", UintegerValue(llp.initial_window));
    a->SetAttribute("llp.min_rto", time(llp.min_rto));
    a->SetAttribute("llp.delayed_ack", UintegerValue(llp.delayed_ack));
    a->SetAttribute("llp.delayed_ack_timeout", time(llp.delayed_ack_timeout));
    a->SetAttribute("llp.dupack_threshold", UintegerValue(llp.dupack_threshold));
    a->SetAttribute("llp.send_buffer", UintegerValue(llp.send_buffer));
    a->SetAttribute("llp.ord", UintegerValue(llp.ord));
    a->SetAttribute("llp.ird", UintegerValue(llp.ird));
    a->SetAttribute("payload", StringValue(point.payload == PAYLOAD_REAL ? "real" : "none"));
    a->SetAttribute("workload.consume_rate", DataRateValue(DataRate(point.consume_rate)));
    a->SetAttribute("Connections", UintegerValue(ends));
    a->SetAttribute("Regions", UintegerValue(needs.regions_max));
    a->SetAttribute("Completions", UintegerValue(needs.cq_entries));
    a->SetAttribute("SendQueue", UintegerValue(needs.sq_max));
    a->SetAttribute("ReceiveQueue", UintegerValue(needs.rq_max));
    a->SetAttribute("ProtectionDomain", UintegerValue(WORKLOAD_PD));
    a->SetAttribute("Profile", UintegerValue(needs.profile));
    a->SetAttribute("DrawKey", UintegerValue(channel_key(point.seed, point.repeat, host, 1u << 30)));
    return a;
}

void Ns3World::MakeAdapter(uint32_t host)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < workload_connections(&m_point.workload); i++) {
        const struct workload_pair pair = workload_pair(&m_point.workload, i);
        ends += (pair.from == host) + (pair.to == host);
    }
    Ptr<IwarpRnic> a = NewAdapter(m_point, host, ends ? ends : 1);
    m_topology->GetHosts().Get(host)->AggregateObject(a);
    a->SetPort(m_topology->GetDevice(host));
    ConnectTraces(a);
    m_adapters.push_back(a);
}

void Ns3World::ConnectTraces(const Ptr<IwarpRnic> &a)
{
    a->TraceConnectWithoutContext("Connected", MakeCallback(&Ns3World::Connected, this));
    a->TraceConnectWithoutContext("Failed", MakeCallback(&Ns3World::Failed, this));
    a->TraceConnectWithoutContext("SegmentSent", MakeCallback(&Ns3World::Sent, this));
    a->TraceConnectWithoutContext("SegmentResent", MakeCallback(&Ns3World::Resent, this));
    a->TraceConnectWithoutContext("SegmentArrived", MakeCallback(&Ns3World::Arrived, this));
    a->TraceConnectWithoutContext("SegmentPlaced", MakeCallback(&Ns3World::Placed, this));
    a->TraceConnectWithoutContext("MessageDelivered", MakeCallback(&Ns3World::Delivered, this));
    a->TraceConnectWithoutContext("Edge", MakeCallback(&Ns3World::Edge, this));
    a->TraceConnectWithoutContext("Event", MakeCallback(&Ns3World::Event, this));
    a->TraceConnectWithoutContext("Completion", MakeCallback(&Ns3World::Done, this));
    a->TraceConnectWithoutContext("Window", MakeCallback(&Ns3World::Window, this));
    if (trial_tracing(m_trial))
        a->TraceConnectWithoutContext("Drop", MakeCallback(&Ns3World::Dropped, this));
}

void Ns3World::MakeConnections()
{
    const uint32_t count = workload_connections(&m_point.workload);
    std::vector<uint16_t> ports(m_adapters.size(), FIRST_PORT);
    for (const Ptr<IwarpRnic> &adapter : m_adapters)
        adapter->Listen(PORT);
    for (uint32_t i = 0; i < count; i++) {
        const struct workload_pair pair = workload_pair(&m_point.workload, i);
        const uint16_t port = ports[pair.from]++;
        Ptr<IwarpRnic> from = m_adapters[pair.from];
        Ptr<IwarpConnection> initiator = from->CreateConnection(End::Name(i, 0), workload_stream(i));
        Ptr<IwarpConnection> responder =
            m_adapters[pair.to]->CreateConnection(End::Name(i, 1), workload_stream(i));
        m_connections.push_back(initiator);
        m_connections.push_back(responder);
        m_adapters[pair.to]->Expect(m_topology->GetAddress(pair.from), port, responder);
        Simulator::ScheduleWithContext(m_topology->GetHosts().Get(pair.from)->GetId(), Time(0),
                                       &IwarpRnic::Connect, from, initiator, m_topology->GetAddress(pair.to),
                                       PORT, port);
    }
}

void Ns3World::EnableCapture()
{
    PointToPointHelper helper;
    for (uint32_t i = 0; i < m_adapters.size(); i++)
        helper.EnablePcap(std::string(trial_pcap(m_trial)) + "-h" + std::to_string(i) + ".pcap",
                          m_topology->GetDevice(i), true, true);
}

bool Ns3World::Prepare()
{
    const workload_world offers = {this, Memory, Rebind, Invalidate, Post, Close, SetWake, Inject};
    m_topology = std::make_unique<IwarpTopology>(TopologyOf(m_point));
    for (uint32_t i = 0; i < m_topology->GetHosts().GetN(); i++)
        MakeAdapter(i);
    MakeConnections();
    if (trial_pcap(m_trial))
        EnableCapture();
    return trial_prepare(m_trial, &offers) == IW_OK;
}

Ptr<IwarpConnection> Ns3World::At(uint32_t conn, int side) const
{
    return m_connections[End::Name(conn, side)];
}

// ---- running ----------------------------------------------------------------------------------------------

// Receives were posted: the ULPs start when the CPUs have done with it.
void Ns3World::Connected(Ptr<IwarpConnection>)
{
    if (++m_connected < m_connections.size())
        return;
    uint64_t ready = Clock();
    for (const Ptr<IwarpRnic> &adapter : m_adapters)
        ready = std::max<uint64_t>(ready, rnic_cpu_free(adapter->GetAdapter()));
    Simulator::Schedule(TimeStep(ready - Clock()), &Ns3World::Start, this);
}

void Ns3World::Failed(Ptr<IwarpConnection> connection)
{
    const End end(connection->GetUser());
    trial_broken(m_trial, Clock(), "connection %u: set-up failed: %s", end.conn,
                 mpa_why_text(connection->GetStart().why));
    Simulator::Stop();
}

void Ns3World::Start()
{
    m_topology->StartImpairment();
    trial_start(m_trial, Clock());
    StopWhenOver();
}

void Ns3World::Wake()
{
    trial_wake(m_trial, Clock());
    StopWhenOver();
}

void Ns3World::StopWhenOver()
{
    if (trial_over(m_trial, Clock()))
        Simulator::Stop();
}

// Limits are looked at in between too, and the last event of all is noticed.
void Ns3World::Check()
{
    if (Simulator::IsFinished())
        trial_stalled(m_trial, Clock());
    StopWhenOver();
    const uint64_t shortest = std::min(m_point.limit.idle, m_point.limit.sim);
    Simulator::Schedule(TimeStep(shortest / CHECKS_PER_LIMIT + 1), &Ns3World::Check, this);
}

void Ns3World::Run()
{
    Simulator::ScheduleNow(&Ns3World::Check, this);
    Simulator::Run();
    Finish();
}

void Ns3World::Finish()
{
    struct trial_counters *c = trial_counters(m_trial);
    for (const Ptr<IwarpConnection> &connection : m_connections) {
        const End end(connection->GetUser());
        c->retransmits_spurious += connection->GetSpurious();
        if (connection->GetMpaStatistics())
            c->crc_errors += connection->GetMpaStatistics()->crc_bad;
        if (connection->GetSocket()) {
            c->timeouts += connection->GetSocket()->GetCounts().timeouts;
            c->ecn_marks += connection->GetSocket()->GetCounts().ecnMarks;
        }
        trial_endpoint(m_trial, end.conn, end.side, connection->GetEndpoint());
    }
    for (uint32_t i = 0; i < m_adapters.size(); i++)
        trial_adapter(m_trial, i, m_adapters[i]->GetAdapter());
    c->drops_channel = m_topology->GetChannelDrops();
    c->drops_switch = m_topology->GetSwitchDrops();
    c->events = Simulator::GetEventCount();
}

// ---- what happens -----------------------------------------------------------------------------------------

void Ns3World::Sent(Ptr<IwarpConnection> connection, const iw_seg &segment)
{
    const End end(connection->GetUser());
    trial_sent(m_trial, Clock(), end.conn, end.side, &segment);
}

void Ns3World::Resent(Ptr<IwarpConnection> connection, uint64_t key, uint64_t last)
{
    const End end(connection->GetUser());
    trial_resent(m_trial, Clock(), end.conn, end.side, key, last);
}

void Ns3World::Arrived(Ptr<IwarpConnection> connection, uint64_t key, uint32_t octets, bool ooo)
{
    const End end(connection->GetUser());
    trial_arrived(m_trial, Clock(), end.conn, end.side, key, octets, ooo);
}

void Ns3World::Placed(Ptr<IwarpConnection> connection, uint64_t key, const iw_place &place, bool ooo)
{
    const End end(connection->GetUser());
    trial_placed(m_trial, Clock(), end.conn, end.side, key, &place, ooo);
    StopWhenOver();
}

void Ns3World::Delivered(Ptr<IwarpConnection> connection, const iw_message &message)
{
    const End end(connection->GetUser());
    trial_delivered(m_trial, Clock(), end.conn, end.side, &message);
    StopWhenOver();
}

void Ns3World::Edge(Ptr<IwarpConnection> connection, uint64_t edge)
{
    const End end(connection->GetUser());
    trial_edge(m_trial, Clock(), end.conn, end.side, edge);
}

void Ns3World::Event(Ptr<IwarpConnection> connection, const struct iw_event &event)
{
    const End end(connection->GetUser());
    trial_event(m_trial, Clock(), end.conn, end.side, &event);
    StopWhenOver();
}

void Ns3World::Done(const iw_done &done)
{
    const End end(done.user);
    trial_done(m_trial, Clock(), end.conn, end.side, &done);
    StopWhenOver();
}

void Ns3World::Window(Ptr<IwarpConnection> connection, uint64_t acknowledged, uint64_t window)
{
    const End end(connection->GetUser());
    trial_window(m_trial, Clock(), end.conn, end.side, acknowledged, window);
}

void Ns3World::Dropped(Ptr<IwarpConnection> connection, const std::string &why, uint32_t octets)
{
    const End end(connection->GetUser());
    const std::string event = "drop_" + why;
    trial_note(m_trial, Clock(), end.conn, end.side, event.c_str(), IW_NEVER, 0, octets, nullptr);
}

int RunPoint(const scenario_point *point, trial *t)
{
    Time::SetResolution(Time::PS);
    ObjectFactory scheduler("ns3::PriorityQueueScheduler");
    Simulator::SetScheduler(scheduler);
    if (trial_pcap(t)) {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    }
    if (point->llp.kind == LLP_SCTP) {
        const auto adapter = [point](uint32_t host, uint32_t ends) { return NewAdapter(*point, host, ends); };
        return world_ns3_sctp(*point, t, TopologyOf(*point), adapter) ? 0 : -1;
    }
    Ns3World world(*point, t);
    const bool prepared = world.Prepare();
    if (prepared)
        world.Run();
    Simulator::Destroy();
    return prepared ? 0 : -1;
}

} // namespace

int world_ns3(const struct scenario_point *point, struct trial *t)
{
    return RunPoint(point, t);
}
