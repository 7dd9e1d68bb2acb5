/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sctp-rig.h"

#include "llp/sctp_ddp.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint16_t PORT = 10000;
constexpr uint32_t PAST = 1 << 30; // beyond every region

uint8_t Pattern(uint16_t stream, int side, uint64_t at)
{
    return static_cast<uint8_t>((static_cast<uint32_t>(at) * 2654435761u >> 13) + side * 101u + stream * 37u);
}

int Sink(iw_op op)
{
    return op == IW_READ ? 0 : 1;
}

bool IsRealPayload(const std::map<std::string, std::string> &attributes)
{
    const auto payload = attributes.find("payload");
    return payload == attributes.end() || payload->second == "real";
}

} // namespace

// ---- building ---------------------------------------------------------------------------------------------

SctpRig::SctpRig(const Options &options)
    : m_options(options), m_topology(options.network),
      m_watch(IsRealPayload(options.attributes) ? 0 : uint32_t(SCTP_DATA_HEAD) + SCTP_DDP_HEAD_MAX),
      m_stream(options.flows.size())
{
    for (int side = 0; side < 2; side++) {
        MakeAdapter(side);
        MakeStreams(side);
        m_watch.Attach(m_topology.GetDevice(static_cast<uint32_t>(side)), side);
    }
    PostReceives();
    if (options.early)
        m_topology.StartImpairment();
    m_association[1]->Open();
    m_association[0]->Open();
}

SctpRig::~SctpRig()
{
    Simulator::Destroy();
}

void SctpRig::MakeAdapter(int side)
{
    Ptr<IwarpRnic> a = CreateObject<IwarpRnic>();
    const auto preset = m_options.attributes.find("rnic.preset");
    if (preset != m_options.attributes.end())
        a->SetAttribute("rnic.preset", StringValue(preset->second));
    for (const auto &[name, value] : m_options.attributes)
        if (name != "rnic.preset") // which would undo the others
            a->SetAttribute(name, StringValue(value));
    uint32_t most = 1;
    for (const Flow &flow : m_options.flows)
        most = std::max(most, flow.count + 1);
    a->SetAttribute("ReceiveQueue", UintegerValue(most));
    a->SetAttribute("llp.kind", StringValue("sctp"));
    a->SetAttribute("llp.min_rto", TimeValue(m_options.minRto));
    a->SetAttribute("llp.delayed_ack_timeout", TimeValue(m_options.sackDelay));
    a->SetAttribute("llp.delayed_ack", UintegerValue(m_options.sackEvery));
    a->SetAttribute("llp.send_buffer", UintegerValue(m_options.sendBuffer));
    a->SetAttribute("DrawKey", UintegerValue(m_options.network.seed));
    m_topology.GetHosts().Get(static_cast<uint32_t>(side))->AggregateObject(a);
    a->SetPort(m_topology.GetDevice(static_cast<uint32_t>(side)));
    Attach(a);
    m_adapter[side] = a;
}

void SctpRig::Attach(const Ptr<IwarpRnic> &a)
{
    a->TraceConnectWithoutContext("Connected", MakeCallback(&SctpRig::Opened, this));
    a->TraceConnectWithoutContext("Failed", MakeCallback(&SctpRig::Failed, this));
    a->TraceConnectWithoutContext("SegmentTaken", MakeCallback(&SctpRig::Taken, this));
    a->TraceConnectWithoutContext("Drop", MakeCallback(&SctpRig::Refused, this));
    a->TraceConnectWithoutContext("SegmentPlaced", MakeCallback(&SctpRig::Placed, this));
    a->TraceConnectWithoutContext("MessageDelivered", MakeCallback(&SctpRig::Delivered, this));
    a->TraceConnectWithoutContext("Edge", MakeCallback(&SctpRig::Edge, this));
    a->TraceConnectWithoutContext("Event", MakeCallback(&SctpRig::Event, this));
    a->TraceConnectWithoutContext("Window", MakeCallback(&SctpRig::Window, this));
    a->TraceConnectWithoutContext("Completion", MakeCallback(&SctpRig::Completed, this));
}

void SctpRig::MakeStreams(int side)
{
    for (uint16_t i = 0; i < m_stream.size(); i++) {
        const Flow &flow = m_options.flows[i];
        End &end = m_stream[i].end[side];
        const uint64_t octets = std::max<uint64_t>(static_cast<uint64_t>(flow.size) * flow.count, 64);
        end.memory.resize(IsReal() ? octets : 0);
        for (uint64_t at = 0; at < end.memory.size(); at++)
            end.memory[at] = Pattern(i, side, at);
        iw_region region{};
        region.base = IsReal() ? end.memory.data() : nullptr;
        region.len = octets;
        region.pd = 1;
        region.rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE;
        NS_ABORT_MSG_IF(m_adapter[side]->RegisterMemory(region, &end.stag), "registration");
    }
    m_association[side] = m_adapter[side]->CreateConnection(
        {0, side == 0, m_topology.GetAddress(1u - static_cast<uint32_t>(side)), PORT, PORT,
         static_cast<uint16_t>(m_stream.size())});
}

void SctpRig::PostReceives()
{
    for (uint16_t i = 0; i < m_stream.size(); i++) {
        const Flow &flow = m_options.flows[i];
        for (uint32_t n = 0; n < (flow.op == IW_SEND ? flow.count : 0); n++) {
            iw_work receive{};
            receive.op = IW_RECV;
            receive.sges = 1;
            receive.sge[0] = {m_stream[i].end[1].stag, flow.size, static_cast<uint64_t>(n) * flow.size};
            NS_ABORT_MSG_IF(m_association[1]->Post(receive, i), "receive");
        }
    }
}

bool SctpRig::IsReal() const
{
    return IsRealPayload(m_options.attributes);
}

// ---- running ----------------------------------------------------------------------------------------------

void SctpRig::RunFor(Time most)
{
    const EventId stop = Simulator::Schedule(most, static_cast<void (*)()>(&Simulator::Stop));
    Simulator::Run();
    Simulator::Cancel(stop);
}

void SctpRig::Run()
{
    RunFor(m_options.limit);
}

void SctpRig::Close()
{
    m_closing = true;
    for (uint16_t i = 0; i < m_stream.size(); i++)
        for (int side = 0; side < 2; side++)
            if (!m_stream[i].end[side].ended)
                m_association[side]->Close(IW_CLOSE, i);
    RunFor(m_options.limit);
}

void SctpRig::PostMore(uint16_t stream)
{
    Stream &s = m_stream[stream];
    const Flow &flow = m_options.flows[stream];
    while (s.posted < flow.count && s.posted - s.completed < flow.depth) {
        iw_work work{};
        const uint64_t at = static_cast<uint64_t>(s.posted) * flow.size;
        work.id = s.posted;
        work.op = flow.op;
        work.sges = 1;
        work.sge[0] = {s.end[0].stag, flow.size, at};
        work.remote_stag = flow.op == IW_SEND ? 0 : s.end[1].stag;
        work.remote_to = at;
        if (m_association[0]->Post(work, stream))
            return; // the stream has ended
        s.posted++;
    }
    if (flow.wrong && s.posted == flow.count && !s.wrongPosted)
        PostWrong(stream);
}

void SctpRig::PostWrong(uint16_t stream)
{
    Stream &s = m_stream[stream];
    iw_work work{};
    work.id = s.posted;
    work.op = IW_WRITE;
    work.sges = 1;
    work.sge[0] = {s.end[0].stag, 8, 0};
    work.remote_stag = s.end[1].stag;
    work.remote_to = PAST;
    s.wrongPosted = m_association[0]->Post(work, stream) == 0;
}

// ---- what happens -----------------------------------------------------------------------------------------

void SctpRig::Broken(const std::string &law)
{
    if (m_laws.empty())
        m_laws = law;
}

bool SctpRig::IsRight(uint16_t stream, int side, uint64_t from, uint64_t len) const
{
    const std::vector<uint8_t> &memory = m_stream[stream].end[side].memory;
    for (uint64_t at = from; at < from + len; at++)
        if (at >= memory.size() || memory[at] != Pattern(stream, 1 - side, at))
            return false;
    return true;
}

int SctpRig::SideOf(const Ptr<IwarpConnection> &connection) const
{
    return connection == m_association[1] ? 1 : 0;
}

void SctpRig::Opened(Ptr<IwarpConnection>, uint16_t, const node_event &)
{
    if (++m_opened < 2 * m_stream.size())
        return;
    m_topology.StartImpairment();
    for (uint16_t i = 0; i < m_stream.size(); i++)
        PostMore(i);
}

void SctpRig::Failed(Ptr<IwarpConnection>, uint16_t stream, const node_event &)
{
    Broken("stream " + std::to_string(stream) + " did not open");
    Simulator::Stop();
}

void SctpRig::Taken(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event)
{
    if (!m_stream[stream].end[SideOf(connection)].arrived.insert(event.key).second)
        Broken("a segment was handed up twice");
}

void SctpRig::Refused(Ptr<IwarpConnection> connection, uint16_t, const node_event &event)
{
    m_refused[SideOf(connection)] += event.why != NODE_FOR_CRC;
}

void SctpRig::Placed(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event)
{
    const int side = SideOf(connection);
    const node_place &place = event.place;
    End &end = m_stream[stream].end[side];
    if (!end.committed.insert(event.key).second)
        Broken("a segment was placed twice");
    if (!end.arrived.count(event.key))
        Broken("a segment was placed that did not arrive");
    if (IsReal() && place.stag && place.len && !IsRight(stream, side, place.to, place.len))
        Broken("octets that are not the right ones were placed");
    end.placed += place.stag ? place.len : 0;
    m_outOfOrder += !event.in_order;
}

void SctpRig::Delivered(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event)
{
    const int side = SideOf(connection);
    const Flow &flow = m_options.flows[stream];
    End &end = m_stream[stream].end[side];
    if (end.delivered && event.message.key <= end.lastKey)
        Broken("messages are not delivered in order");
    end.lastKey = event.message.key;
    if (event.message.opcode == RDMAP_TERMINATE)
        return;
    const uint32_t number = end.delivered++;
    const bool counts = side == Sink(flow.op) && number < flow.count;
    if (counts && IsReal() && !IsRight(stream, side, static_cast<uint64_t>(number) * flow.size, flow.size))
        Broken("a message was delivered before its octets were there");
    m_lastDelivered = Simulator::Now();
    StopWhenDone();
}

void SctpRig::Edge(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event)
{
    End &end = m_stream[stream].end[SideOf(connection)];
    if (event.key < end.edge)
        Broken("the delivered edge moved back");
    end.edge = event.key;
}

void SctpRig::Event(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event)
{
    End &end = m_stream[stream].end[SideOf(connection)];
    const iw_event_kind kind = event.event.kind;
    end.closed |= kind == IW_EV_CLOSED;
    end.ended |= kind == IW_EV_TERMINATE_RECEIVED || kind == IW_EV_FATAL;
    if (end.ended && !m_options.flows[stream].wrong)
        Broken("stream " + std::to_string(stream) + " ended by itself");
    StopWhenDone();
}

// The credit that the peer has: what was received and what may still come. It never shrinks, and nobody takes more.
void SctpRig::Window(Ptr<IwarpConnection> connection, uint16_t, const node_event &event)
{
    uint64_t &edge = m_edge[SideOf(connection)];
    if (event.edge < edge)
        Broken("the window's right edge moved left");
    edge = event.edge;
}

void SctpRig::Completed(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event)
{
    Stream &s = m_stream[stream];
    const iw_done &done = event.done;
    if (done.status && !m_options.flows[stream].wrong && !m_closing)
        Broken("a request failed: " + std::to_string(done.status));
    if (SideOf(connection) || done.status)
        return;
    if (done.id != s.completed)
        Broken("requests complete in the order posted");
    s.completed++;
    PostMore(stream);
    StopWhenDone();
}

void SctpRig::StopWhenDone()
{
    if (m_closing ? IsClosed() : IsDone() && IsWrongEnded())
        Simulator::Stop();
}

// ---- looking on -------------------------------------------------------------------------------------------

std::string SctpRig::GetLaws() const
{
    return m_laws.empty() ? m_watch.GetLaws() : m_laws;
}

bool SctpRig::IsDone() const
{
    for (size_t i = 0; i < m_stream.size(); i++) {
        const Flow &flow = m_options.flows[i];
        const Stream &s = m_stream[i];
        const bool delivered =
            s.end[1].delivered == flow.count && s.end[0].delivered == (flow.op == IW_READ ? flow.count : 0);
        if (!flow.wrong && (s.completed != flow.count || !delivered))
            return false;
    }
    return true;
}

bool SctpRig::IsWrongEnded() const
{
    for (size_t i = 0; i < m_stream.size(); i++)
        if (m_options.flows[i].wrong && !(m_stream[i].end[0].ended && m_stream[i].end[1].ended))
            return false;
    return true;
}

bool SctpRig::IsClosed() const
{
    for (const Stream &s : m_stream)
        if (!s.end[0].closed || !s.end[1].closed)
            return false;
    return true;
}

llp_stats SctpRig::GetStatistics(int side) const
{
    return m_association[side]->GetStatistics();
}

uint64_t SctpRig::GetRefused(int side) const
{
    return m_refused[side];
}

uint64_t SctpRig::GetChecksumErrors() const
{
    return GetStatistics(0).crc_errors + GetStatistics(1).crc_errors;
}

const SctpWatch &SctpRig::GetWatch() const
{
    return m_watch;
}

Ptr<IwarpRnic> SctpRig::GetAdapter(int side) const
{
    return m_adapter[side];
}

uint64_t SctpRig::GetOutOfOrder() const
{
    return m_outOfOrder;
}

Time SctpRig::GetLastDelivered() const
{
    return m_lastDelivered;
}

} // namespace ns3
