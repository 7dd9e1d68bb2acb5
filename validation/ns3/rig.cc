/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint16_t PORT = 4791, LOCAL_PORT = 10000;

uint8_t Pattern(int side, uint32_t at)
{
    return static_cast<uint8_t>((at * 2654435761u >> 13) + static_cast<uint32_t>(side) * 101);
}

} // namespace

// Sends and Writes use the memory from its start, operation after operation; a Read fetches the peer's to the same place.
Rig::Rig(const Options &options) : m_options(options), m_topology(options.network)
{
    const uint64_t octets = std::max<uint64_t>(static_cast<uint64_t>(options.size) * options.count, 64);
    for (int side = 0; side < 2; side++) {
        Ptr<IwarpRnic> a = CreateObject<IwarpRnic>();
        auto preset = options.attributes.find("rnic.preset");
        if (preset != options.attributes.end())
            a->SetAttribute("rnic.preset", StringValue(preset->second));
        for (const auto &[name, value] : options.attributes)
            if (name != "rnic.preset") // which would undo the others
                a->SetAttribute(name, StringValue(value));
        a->SetAttribute("ReceiveQueue", UintegerValue(std::max(options.count, 1u)));
        m_topology.GetHosts().Get(static_cast<uint32_t>(side))->AggregateObject(a);
        a->SetPort(m_topology.GetDevice(static_cast<uint32_t>(side)));
        Attach(a);
        StringValue payload;
        a->GetAttribute("payload", payload);
        m_memory[side].resize(payload.Get() == "real" ? octets : 0);
        for (uint32_t i = 0; i < m_memory[side].size(); i++)
            m_memory[side][i] = Pattern(side, i);
        iw_region region{};
        region.base = payload.Get() == "real" ? m_memory[side].data() : nullptr;
        region.len = octets;
        region.pd = 1;
        region.rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE;
        NS_ABORT_MSG_IF(a->RegisterMemory(region, &m_stag[side]), "registration");
        m_adapter[side] = a;
        m_connection[side] =
            a->CreateConnection({0, side == 0, m_topology.GetAddress(1u - static_cast<uint32_t>(side)),
                                 side ? PORT : LOCAL_PORT, side ? LOCAL_PORT : PORT});
    }
    for (uint32_t i = 0; i < (options.op == IW_SEND ? options.count : 0); i++) {
        iw_work receive{};
        receive.op = IW_RECV;
        receive.sges = 1;
        receive.sge[0] = {m_stag[1], options.size, static_cast<uint64_t>(i) * options.size};
        NS_ABORT_MSG_IF(Post(1, receive), "receive");
    }
    m_connection[1]->Open();
    m_connection[0]->Open();
}

void Rig::Attach(const Ptr<IwarpRnic> &a)
{
    a->TraceConnectWithoutContext("Connected", MakeCallback(&Rig::Connected, this));
    a->TraceConnectWithoutContext("Completion", MakeCallback(&Rig::Completed, this));
    a->TraceConnectWithoutContext("SegmentPlaced", MakeCallback(&Rig::Placed, this));
    a->TraceConnectWithoutContext("MessageDelivered", MakeCallback(&Rig::Delivered, this));
    a->TraceConnectWithoutContext("Window", MakeCallback(&Rig::Window, this));
    a->TraceConnectWithoutContext("Event", MakeCallback(&Rig::Event, this));
    a->TraceConnectWithoutContext("Drop", MakeCallback(&Rig::Dropped, this));
}

Rig::~Rig()
{
    Simulator::Destroy();
}

void Rig::Run()
{
    RunFor(m_options.limit);
}

void Rig::RunFor(Time more)
{
    const EventId stop = Simulator::Schedule(more, static_cast<void (*)()>(&Simulator::Stop));
    Simulator::Run();
    Simulator::Cancel(stop);
}

int Rig::Post(int side, const iw_work &work)
{
    return m_connection[side]->Post(work);
}

void Rig::PostMore()
{
    while (m_posted < m_options.count && m_posted - m_completed < m_options.depth) {
        iw_work work{};
        const uint64_t at = static_cast<uint64_t>(m_posted) * m_options.size;
        work.id = m_posted;
        work.op = m_options.op;
        work.sges = 1;
        work.sge[0] = {m_stag[0], m_options.size, at};
        work.remote_stag = m_options.op == IW_SEND ? 0 : m_stag[1];
        work.remote_to = at;
        if (Post(0, work))
            return; // the stream has ended
        m_posted++;
        m_lastPost = Simulator::Now();
    }
}

// ---- what happens -----------------------------------------------------------------------------------------

int Rig::SideOf(const Ptr<IwarpConnection> &connection) const
{
    return connection == m_connection[1] ? 1 : 0;
}

void Rig::Broken(const std::string &law)
{
    if (m_laws.empty())
        m_laws = law;
}

void Rig::Connected(Ptr<IwarpConnection>, uint16_t, const node_event &)
{
    if (++m_up < 2)
        return;
    m_topology.StartImpairment();
    PostMore();
}

void Rig::Completed(Ptr<IwarpConnection> connection, uint16_t, const node_event &event)
{
    const iw_done &done = event.done;
    m_good[SideOf(connection)] += !done.status;
    if (SideOf(connection) == 1) {
        m_lastReceived = Simulator::Now();
        return;
    }
    m_lastCompleted = Simulator::Now();
    if (done.status && !m_status)
        m_status = done.status;
    if (!done.status && done.id != m_completed)
        Broken("requests complete in the order posted");
    m_completed++;
    PostMore();
    if (m_completed == m_options.count)
        Simulator::Stop();
}

void Rig::Placed(Ptr<IwarpConnection>, uint16_t, const node_event &event)
{
    m_placed += event.place.len;
    m_outOfOrder += !event.in_order;
    m_lastPlaced = Simulator::Now();
    m_progress.emplace_back(m_lastPlaced, m_placed);
}

void Rig::Delivered(Ptr<IwarpConnection>, uint16_t, const node_event &)
{
    m_delivered++;
    m_lastDelivered = Simulator::Now();
}

void Rig::Window(Ptr<IwarpConnection> connection, uint16_t, const node_event &event)
{
    uint64_t &edge = m_edge[SideOf(connection)];
    if (event.edge < edge)
        Broken("the window's right edge moved left on the wire");
    edge = event.edge;
    m_minWindow = std::min(m_minWindow, event.edge - event.key);
}

void Rig::Event(Ptr<IwarpConnection> connection, uint16_t, const node_event &event)
{
    const int side = SideOf(connection);
    m_events[side][event.event.kind] = true;
    if (event.event.kind == IW_EV_TERMINATE_RECEIVED)
        m_terminate[side] = event.event.term;
    if (event.event.kind == IW_EV_FATAL)
        m_fatal[side] = event.event.term;
    if (m_events[0][IW_EV_CLOSED] && m_events[1][IW_EV_CLOSED])
        Simulator::Stop();
}

void Rig::Dropped(Ptr<IwarpConnection>, uint16_t, const node_event &event)
{
    m_drops[node_drop_names[event.why]]++;
}

// ---- looking on -------------------------------------------------------------------------------------------

Ptr<IwarpRnic> Rig::GetAdapter(int side) const
{
    return m_adapter[side];
}

Ptr<IwarpConnection> Rig::GetConnection(int side) const
{
    return m_connection[side];
}

IwarpTopology &Rig::GetTopology()
{
    return m_topology;
}

iw_stag Rig::GetStag(int side) const
{
    return m_stag[side];
}

uint8_t *Rig::GetMemory(int side)
{
    return m_memory[side].data();
}

bool Rig::IsDone() const
{
    return m_completed == m_options.count && !m_status;
}

bool Rig::IsIntact() const
{
    const int source = m_options.op == IW_READ ? 1 : 0;
    for (uint32_t i = 0; i < m_options.size * m_options.count; i++) {
        if (m_memory[1 - source][i] != Pattern(source, i))
            return false;
    }
    return true;
}

bool Rig::IsSound() const
{
    const int source = m_options.op == IW_READ ? 1 : 0, sink = 1 - source;
    const uint32_t reported = m_options.op == IW_WRITE ? 0 : m_good[sink] * m_options.size;
    for (uint32_t i = 0; i < m_options.size * m_options.count; i++) {
        const uint8_t found = m_memory[sink][i];
        if (found != Pattern(source, i) && (i < reported || found != Pattern(sink, i)))
            return false;
    }
    return true;
}

std::string Rig::GetLaws() const
{
    return m_laws;
}

uint64_t Rig::GetPlaced() const
{
    return m_placed;
}

double Rig::GetSteadyGbps() const
{
    if (m_progress.size() < 4)
        return 0;
    const auto last = m_progress.back();
    const auto half = std::find_if(m_progress.begin(), m_progress.end(),
                                   [&last](const auto &p) { return p.second >= last.second / 2; });
    return static_cast<double>(last.second - half->second) * 8e3 /
           static_cast<double>((last.first - half->first).GetPicoSeconds());
}

Time Rig::GetLastPost() const
{
    return m_lastPost;
}

Time Rig::GetLastPlaced() const
{
    return m_lastPlaced;
}

Time Rig::GetLastDelivered() const
{
    return m_lastDelivered;
}

Time Rig::GetLastCompleted() const
{
    return m_lastCompleted;
}

Time Rig::GetLastReceived() const
{
    return m_lastReceived;
}

uint32_t Rig::GetDrops(const std::string &why) const
{
    auto found = m_drops.find(why);
    return found == m_drops.end() ? 0 : found->second;
}

uint64_t Rig::GetOutOfOrder() const
{
    return m_outOfOrder;
}

uint64_t Rig::GetMinWindow() const
{
    return m_minWindow;
}

bool Rig::SawEvent(int side, iw_event_kind kind) const
{
    return m_events[side][kind];
}

int Rig::GetTerminate(int side) const
{
    return m_terminate[side];
}

int Rig::GetFatal(int side) const
{
    return m_fatal[side];
}

int Rig::GetStatus() const
{
    return m_status;
}

} // namespace ns3
