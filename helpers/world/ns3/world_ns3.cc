/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3.cc -- a trial on ns-3 (trial.h) whose connections are DDP streams over MPA and TCP. */
#include "helpers/world/ns3/world_ns3.h"

#include "helpers/world/ns3/world_ns3_hosts.h"
#include "helpers/world/ns3/world_ns3_sctp.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/ipv4-header.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 4791;        // hosts listen here
constexpr uint16_t FIRST_PORT = 10000; // of the connections that a host initiates

class TcpWorld : public Ns3Hosts
{
  public:
    using Ns3Hosts::Ns3Hosts;

  private:
    void MakeConnections() override;
    void ConnectTraces(const Ptr<IwarpRnic> &adapter) override;
    void Finish(struct trial_counters *c) override;
    int Post(uint32_t conn, int side, const iw_work &work) override;
    int Close(uint32_t conn, int side, iw_close_how how) override;
    int Inject(uint32_t conn, int side, const workload_wrong &wrong) override;
    Ptr<IwarpConnection> At(uint32_t conn, int side) const;

    // what happens
    void Connected(Ptr<IwarpConnection> connection);
    void Failed(Ptr<IwarpConnection> connection);
    void Sent(Ptr<IwarpConnection> connection, const iw_seg &segment);
    void Left(Ptr<IwarpConnection> connection, uint64_t key, uint64_t end);
    void LostOnTheWay(const Ptr<Packet> &packet, const char *where) override;
    void Resent(Ptr<IwarpConnection> connection, uint64_t key, uint64_t end);
    void Landed(Ptr<IwarpConnection> connection, uint64_t key, uint64_t end);
    void Arrived(Ptr<IwarpConnection> connection, uint64_t key, uint32_t octets, bool ahead, bool late);
    void Placed(Ptr<IwarpConnection> connection, uint64_t key, const iw_place &place, bool ooo);
    void Delivered(Ptr<IwarpConnection> connection, const iw_message &message);
    void Edge(Ptr<IwarpConnection> connection, uint64_t edge);
    void Event(Ptr<IwarpConnection> connection, const struct iw_event &event);
    void Window(Ptr<IwarpConnection> connection, uint64_t acknowledged, uint64_t window);
    void Dropped(Ptr<IwarpConnection> connection, const std::string &why, uint64_t key, uint32_t octets);

    std::vector<Ptr<IwarpConnection>> m_connections;                //!< by End::Name()
    std::map<std::pair<uint32_t, uint16_t>, uint32_t> m_initiators; //!< address and port: of which connection
    uint32_t m_connected{0};
};

Ptr<IwarpConnection> TcpWorld::At(uint32_t conn, int side) const
{
    return m_connections[End::Name(conn, side)];
}

// ---- what the workload asks for ---------------------------------------------------------------------------

int TcpWorld::Post(uint32_t conn, int side, const iw_work &work)
{
    return At(conn, side)->Post(work);
}

int TcpWorld::Close(uint32_t conn, int side, iw_close_how how)
{
    return At(conn, side)->Close(how);
}

int TcpWorld::Inject(uint32_t conn, int side, const workload_wrong &wrong)
{
    Ptr<IwarpConnection> connection = At(conn, side);
    switch (wrong.kind) {
    case WRONG_TERMINATE: return connection->Terminate(wrong.term);
    case WRONG_LOST:
        connection->Lose();
        At(conn, 1 - side)->Lose();
        return IW_OK;
    case WRONG_ULPDU:
    case WRONG_CRC:
    case WRONG_MARKER: {
        static const IwarpConnection::Wrong kinds[] = {
            IwarpConnection::WRONG_ULPDU, IwarpConnection::WRONG_CRC, IwarpConnection::WRONG_MARKER};
        const bool done = connection->Inject(kinds[wrong.kind - WRONG_ULPDU], wrong.ulpdu, wrong.len);
        return done ? IW_OK : IW_EINVAL;
    }
    default: return IW_EINVAL;
    }
}

// ---- building ---------------------------------------------------------------------------------------------

void TcpWorld::ConnectTraces(const Ptr<IwarpRnic> &a)
{
    a->TraceConnectWithoutContext("Connected", MakeCallback(&TcpWorld::Connected, this));
    a->TraceConnectWithoutContext("Failed", MakeCallback(&TcpWorld::Failed, this));
    a->TraceConnectWithoutContext("SegmentSent", MakeCallback(&TcpWorld::Sent, this));
    a->TraceConnectWithoutContext("SegmentResent", MakeCallback(&TcpWorld::Resent, this));
    a->TraceConnectWithoutContext("SegmentArrived", MakeCallback(&TcpWorld::Arrived, this));
    a->TraceConnectWithoutContext("SegmentPlaced", MakeCallback(&TcpWorld::Placed, this));
    a->TraceConnectWithoutContext("MessageDelivered", MakeCallback(&TcpWorld::Delivered, this));
    a->TraceConnectWithoutContext("Edge", MakeCallback(&TcpWorld::Edge, this));
    a->TraceConnectWithoutContext("Event", MakeCallback(&TcpWorld::Event, this));
    a->TraceConnectWithoutContext("Window", MakeCallback(&TcpWorld::Window, this));
    if (!trial_tracing(m_trial))
        return;
    a->TraceConnectWithoutContext("SegmentLeft", MakeCallback(&TcpWorld::Left, this));
    a->TraceConnectWithoutContext("SegmentLanded", MakeCallback(&TcpWorld::Landed, this));
    a->TraceConnectWithoutContext("Drop", MakeCallback(&TcpWorld::Dropped, this));
}

void TcpWorld::MakeConnections()
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
        m_initiators[{m_topology.GetAddress(pair.from).Get(), port}] = i;
        m_adapters[pair.to]->Expect(m_topology.GetAddress(pair.from), port, responder);
        Simulator::ScheduleWithContext(m_topology.GetHosts().Get(pair.from)->GetId(), Time(0),
                                       &IwarpRnic::Connect, from, initiator, m_topology.GetAddress(pair.to),
                                       PORT, port);
    }
}

void TcpWorld::Connected(Ptr<IwarpConnection>)
{
    if (++m_connected == m_connections.size())
        Begin();
}

void TcpWorld::Failed(Ptr<IwarpConnection> connection)
{
    SetupFailed(End(connection->GetUser()).conn, mpa_why_text(connection->GetStart().why));
}

void TcpWorld::Finish(struct trial_counters *c)
{
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
}

// ---- what happens -----------------------------------------------------------------------------------------

void TcpWorld::Sent(Ptr<IwarpConnection> connection, const iw_seg &segment)
{
    const End end(connection->GetUser());
    trial_sent(m_trial, Clock(), end.conn, end.side, &segment);
}

void TcpWorld::Resent(Ptr<IwarpConnection> connection, uint64_t key, uint64_t last)
{
    const End end(connection->GetUser());
    trial_resent(m_trial, Clock(), end.conn, end.side, key, last);
}

void TcpWorld::Left(Ptr<IwarpConnection> connection, uint64_t key, uint64_t last)
{
    const End end(connection->GetUser());
    trial_note(m_trial, Clock(), end.conn, end.side, "left", key, last, last - key, nullptr);
}

void TcpWorld::Landed(Ptr<IwarpConnection> connection, uint64_t key, uint64_t last)
{
    const End end(connection->GetUser());
    trial_note(m_trial, Clock(), end.conn, end.side, "landed", key, last, last - key, nullptr);
}

// Which octets of whose stream: a packet of full operation, from IP on.
void TcpWorld::LostOnTheWay(const Ptr<Packet> &packet, const char *where)
{
    Ipv4Header ip;
    TcpHeader tcp;
    packet->RemoveHeader(ip);
    packet->RemoveAtEnd(packet->GetSize() - ip.GetPayloadSize());
    packet->RemoveHeader(tcp);
    const int side = tcp.GetDestinationPort() == PORT ? 0 : 1;
    const auto found = side ? m_initiators.find({ip.GetDestination().Get(), tcp.GetDestinationPort()})
                            : m_initiators.find({ip.GetSource().Get(), tcp.GetSourcePort()});
    if (found == m_initiators.end())
        return;
    const uint64_t key = At(found->second, side)->GetSentKey(tcp.GetSequenceNumber());
    const uint32_t octets = packet->GetSize();
    if (octets && key != IW_NEVER)
        trial_note(m_trial, Clock(), found->second, side, "lost", key, key + octets, octets, where);
}

void TcpWorld::Arrived(Ptr<IwarpConnection> connection, uint64_t key, uint32_t octets, bool ahead, bool late)
{
    const End end(connection->GetUser());
    trial_counters(m_trial)->segments_late += late && !ahead;
    trial_arrived(m_trial, Clock(), end.conn, end.side, key, octets, ahead);
}

void TcpWorld::Placed(Ptr<IwarpConnection> connection, uint64_t key, const iw_place &place, bool ooo)
{
    const End end(connection->GetUser());
    trial_placed(m_trial, Clock(), end.conn, end.side, key, &place, ooo);
    StopWhenOver();
}

void TcpWorld::Delivered(Ptr<IwarpConnection> connection, const iw_message &message)
{
    const End end(connection->GetUser());
    trial_delivered(m_trial, Clock(), end.conn, end.side, &message);
    StopWhenOver();
}

void TcpWorld::Edge(Ptr<IwarpConnection> connection, uint64_t edge)
{
    const End end(connection->GetUser());
    trial_edge(m_trial, Clock(), end.conn, end.side, edge);
}

void TcpWorld::Event(Ptr<IwarpConnection> connection, const struct iw_event &event)
{
    const End end(connection->GetUser());
    trial_event(m_trial, Clock(), end.conn, end.side, &event);
    StopWhenOver();
}

void TcpWorld::Window(Ptr<IwarpConnection> connection, uint64_t acknowledged, uint64_t window)
{
    const End end(connection->GetUser());
    trial_window(m_trial, Clock(), end.conn, end.side, acknowledged, window);
}

void TcpWorld::Dropped(Ptr<IwarpConnection> connection, const std::string &why, uint64_t key, uint32_t octets)
{
    const End end(connection->GetUser());
    if (key != IW_NEVER && octets)
        trial_note(m_trial, Clock(), end.conn, end.side, why == "staging" ? "dropped" : "refused", key,
                   key + octets, octets, why == "crc" ? "altered on the way" : nullptr);
}

} // namespace

int world_ns3(const struct scenario_point *point, struct trial *t)
{
    Time::SetResolution(Time::PS);
    ObjectFactory scheduler("ns3::PriorityQueueScheduler");
    Simulator::SetScheduler(scheduler);
    if (trial_pcap(t)) {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    }
    std::unique_ptr<Ns3Hosts> world = point->llp.kind == LLP_SCTP
                                          ? world_ns3_sctp(*point, t)
                                          : std::unique_ptr<Ns3Hosts>(std::make_unique<TcpWorld>(*point, t));
    const bool prepared = world->Prepare();
    if (prepared)
        world->Run();
    world.reset();
    Simulator::Destroy();
    return prepared ? 0 : -1;
}
