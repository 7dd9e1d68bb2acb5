/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3_sctp.cc -- a trial on ns-3 whose connections are DDP streams over SCTP (trial.h, RFC 5043). The connections of one
 * pair of hosts share associations, llp.streams on each. */
#include "helpers/world/ns3/world_ns3_sctp.h"

#include "ns3/ipv4-header.h"
#include "ns3/iwarp-sctp-association.h"
#include "ns3/simulator.h"

#include <map>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint16_t FIRST_PORT = 10000;

class SctpWorld : public Ns3Hosts, public IwarpSctpOwner
{
  public:
    using Ns3Hosts::Ns3Hosts;
    ~SctpWorld() override;

    // IwarpSctpOwner
    void Opened(uint64_t user) override;
    void Failed(uint64_t user) override;
    void Sent(uint64_t user, const iw_seg &segment) override;
    void Left(uint64_t user, uint64_t key, uint32_t octets) override;
    void Resent(uint64_t user, uint64_t key) override;
    void Lost(uint64_t user, uint64_t key, uint32_t octets) override;
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
    void MakeConnections() override;
    void MakeAssociation(const std::vector<uint32_t> &connections, uint16_t port);
    void ConnectTraces(const Ptr<IwarpRnic> &) override {}
    void Finish(struct trial_counters *c) override;
    int Post(uint32_t conn, int side, const iw_work &work) override;
    int Close(uint32_t conn, int side, iw_close_how how) override;
    int Inject(uint32_t conn, int side, const workload_wrong &wrong) override;
    const Place &At(uint32_t conn, int side) const;
    void LostOnTheWay(const Ptr<Packet> &packet, const char *where) override;

    std::vector<Ptr<IwarpSctpAssociation>> m_associations;
    std::map<std::pair<uint32_t, uint16_t>, size_t> m_byName; //!< address and port here: which association
    const char *m_where{nullptr};                             //!< packets are lost, while TellLost() tells
    std::vector<Place> m_at;                                  //!< by End::Name()
    size_t m_opened{0};
};

SctpWorld::~SctpWorld()
{
    for (const Ptr<IwarpSctpAssociation> &association : m_associations)
        association->Dispose();
}

const SctpWorld::Place &SctpWorld::At(uint32_t conn, int side) const
{
    return m_at[End::Name(conn, side)];
}

// ---- what the workload asks for ---------------------------------------------------------------------------

int SctpWorld::Post(uint32_t conn, int side, const iw_work &work)
{
    const Place &p = At(conn, side);
    return p.association->Post(p.stream, work);
}

int SctpWorld::Close(uint32_t conn, int side, iw_close_how how)
{
    const Place &p = At(conn, side);
    return p.association->Close(p.stream, how);
}

int SctpWorld::Inject(uint32_t conn, int side, const workload_wrong &wrong)
{
    const Place &p = At(conn, side);
    return wrong.kind == WRONG_TERMINATE ? p.association->Terminate(p.stream, wrong.term) : IW_EINVAL;
}

// ---- building ---------------------------------------------------------------------------------------------

// Connections of the same two hosts fill one association after the other.
void SctpWorld::MakeConnections()
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
            c.users.push_back(End::Name(conn, side));
            c.streams.push_back(workload_stream(conn));
        }
        Ptr<IwarpSctpAssociation> association = Create<IwarpSctpAssociation>(m_adapters[host[side]], c, this);
        for (size_t i = 0; i < connections.size(); i++)
            m_at[End::Name(connections[i], side)] = {association, static_cast<uint16_t>(i)};
        m_byName[{c.local.Get(), c.localPort}] = m_associations.size();
        m_associations.push_back(association);
    }
    Simulator::ScheduleWithContext(m_topology.GetHosts().Get(pair.from)->GetId(), Time(0),
                                   &IwarpSctpAssociation::Start, m_associations[m_associations.size() - 2]);
}

// ---- running ----------------------------------------------------------------------------------------------

void SctpWorld::Opened(uint64_t)
{
    if (++m_opened == m_at.size())
        Simulator::ScheduleNow(&SctpWorld::Begin, this);
}

void SctpWorld::Failed(uint64_t user)
{
    SetupFailed(End(user).conn, "the association was not established");
}

void SctpWorld::Finish(struct trial_counters *c)
{
    for (const Ptr<IwarpSctpAssociation> &association : m_associations) {
        c->timeouts += association->GetStatistics()->timeouts;
        c->retransmits_spurious += association->GetStatistics()->duplicates;
        c->crc_errors += association->GetChecksumErrors();
    }
    for (size_t i = 0; i < m_at.size(); i++)
        trial_endpoint(m_trial, End(i).conn, End(i).side, m_at[i].association->GetEndpoint(m_at[i].stream));
}

// ---- what happens -----------------------------------------------------------------------------------------

void SctpWorld::Sent(uint64_t user, const iw_seg &segment)
{
    trial_sent(m_trial, Clock(), End(user).conn, End(user).side, &segment);
}

void SctpWorld::Left(uint64_t user, uint64_t key, uint32_t octets)
{
    if (trial_tracing(m_trial))
        trial_note(m_trial, Clock(), End(user).conn, End(user).side, "left", key, key + 1, octets, nullptr);
}

void SctpWorld::Lost(uint64_t user, uint64_t key, uint32_t octets)
{
    trial_note(m_trial, Clock(), End(user).conn, End(user).side, "lost", key, key + 1, octets, m_where);
}

void SctpWorld::LostOnTheWay(const Ptr<Packet> &packet, const char *where)
{
    Ipv4Header ip;
    uint8_t port[2];
    packet->RemoveHeader(ip);
    if (packet->CopyData(port, sizeof port) != sizeof port)
        return;
    const auto found = m_byName.find({ip.GetSource().Get(), static_cast<uint16_t>(port[0] << 8 | port[1])});
    m_where = where;
    if (found != m_byName.end())
        m_associations[found->second]->TellLost(packet);
}

void SctpWorld::Resent(uint64_t user, uint64_t key)
{
    trial_resent(m_trial, Clock(), End(user).conn, End(user).side, key, key + 1);
}

void SctpWorld::Arrived(uint64_t user, uint64_t key, uint32_t octets, bool ooo)
{
    trial_arrived(m_trial, Clock(), End(user).conn, End(user).side, key, octets, ooo);
}

void SctpWorld::Placed(uint64_t user, uint64_t key, const iw_place &place, bool ooo)
{
    trial_placed(m_trial, Clock(), End(user).conn, End(user).side, key, &place, ooo);
    StopWhenOver();
}

void SctpWorld::Delivered(uint64_t user, const iw_message &message)
{
    trial_delivered(m_trial, Clock(), End(user).conn, End(user).side, &message);
    StopWhenOver();
}

void SctpWorld::Edge(uint64_t user, uint64_t edge)
{
    trial_edge(m_trial, Clock(), End(user).conn, End(user).side, edge);
}

void SctpWorld::Event(uint64_t user, const struct iw_event &event)
{
    trial_event(m_trial, Clock(), End(user).conn, End(user).side, &event);
    StopWhenOver();
}

void SctpWorld::Window(uint64_t user, uint64_t received, uint64_t window)
{
    trial_window(m_trial, Clock(), End(user).conn, End(user).side, received, window);
}

} // namespace

std::unique_ptr<Ns3Hosts> world_ns3_sctp(const scenario_point &point, trial *t)
{
    return std::make_unique<SctpWorld>(point, t);
}
