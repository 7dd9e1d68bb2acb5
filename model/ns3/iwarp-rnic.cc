/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-rnic.h"

#include "channel/channel.h"
#include "iwarp-parameters.h"
#include "rnic/window.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpRnic);

namespace
{

void *Configuration(ObjectBase *object)
{
    return const_cast<rnic_conf *>(&static_cast<IwarpRnic *>(object)->GetConfiguration());
}

iw_time Picoseconds(const Time &time)
{
    return static_cast<iw_time>(time.GetPicoSeconds());
}

} // namespace

TypeId IwarpRnic::GetTypeId()
{
    static TypeId tid = AddTraceSources(AddParameters(
        AddAttributes(
            TypeId("ns3::IwarpRnic").SetParent<Object>().SetGroupName("Iwarp").AddConstructor<IwarpRnic>()),
        rnic_parameters, &Configuration));
    return tid;
}

IwarpRnic::IwarpRnic() = default;
IwarpRnic::~IwarpRnic() = default;

void IwarpRnic::DoDispose()
{
    m_connections.clear();
    m_device = nullptr;
    m_port = nullptr;
    Object::DoDispose();
}

// ---- configuration ----------------------------------------------------------------------------------------

void IwarpRnic::SetConfiguration(const rnic_conf &conf)
{
    m_conf = conf;
}

const rnic_conf &IwarpRnic::GetConfiguration() const
{
    return m_conf;
}

void IwarpRnic::SetPreset(std::string preset)
{
    for (unsigned i = 0; i < rnic_presets_count; i++) {
        if (preset != rnic_presets[i].name)
            continue;
        rnic_preset_load(&m_conf, &rnic_presets[i]);
        m_preset = preset;
        return;
    }
    NS_FATAL_ERROR("rnic.preset: there is no preset \"" << preset << "\"");
}

std::string IwarpRnic::GetPreset() const
{
    return m_preset;
}

void IwarpRnic::SetCongestion(std::string congestion)
{
    std::string words;
    for (int i = 0; i < TCP_CONGESTIONS; i++) {
        const std::string word = tcp_congestion_words[i];
        const bool takesOctets = word.back() == ':';
        words += (i ? ", " : "") + word + (takesOctets ? "OCTETS" : "");
        if (takesOctets ? congestion.compare(0, word.size(), word) != 0 : congestion != word)
            continue;
        m_congestion = i;
        m_fixedWindow =
            takesOctets ? static_cast<uint32_t>(std::strtoul(congestion.c_str() + word.size(), nullptr, 10))
                        : 0;
        NS_ABORT_MSG_IF(takesOctets && !m_fixedWindow,
                        "llp.congestion: " << word << "OCTETS needs a number of octets");
        return;
    }
    NS_FATAL_ERROR("llp.congestion: one of " << words << ", not " << congestion);
}

std::string IwarpRnic::GetCongestion() const
{
    return tcp_congestion_words[m_congestion] + (m_fixedWindow ? std::to_string(m_fixedWindow) : "");
}

void IwarpRnic::SetPort(const Ptr<NetDevice> &port)
{
    NS_ABORT_MSG_IF(m_node, "IwarpRnic: call SetPort() before registering memory and connecting");
    m_device = port;
    m_port = IwarpPort::Install(GetObject<Node>(), port, &TABLE, this);
}

Ipv4Address IwarpRnic::GetAddress() const
{
    NS_ABORT_MSG_UNLESS(m_port, "IwarpRnic: call SetPort() before connecting");
    return m_port->GetAddress();
}

// ---- the node ---------------------------------------------------------------------------------------------

void *IwarpRnic::More(void *rnic, size_t octets)
{
    IwarpRnic *r = static_cast<IwarpRnic *>(rnic);
    r->m_more.emplace_back();
    return r->m_more.back().Allocate(octets);
}

void IwarpRnic::Ensure()
{
    if (m_node)
        return;
    NS_ABORT_MSG_UNLESS(Time::GetResolution() == Time::PS, "IwarpRnic needs Time::SetResolution(Time::PS)");
    NS_ABORT_MSG_UNLESS(m_port, "IwarpRnic: call SetPort() before registering memory and connecting");
    DataRateValue rate(DataRate("100Gbps"));
    m_device->GetAttributeFailSafe("DataRate", rate);
    node_conf c{};
    c.rnic = &m_conf;
    c.connections = m_connectionsMax;
    c.streams = std::max(m_streamsMax, m_connectionsMax);
    c.regions_max = m_regionsMax;
    c.cq_entries = m_completionsMax;
    c.stag_key = m_drawKey | 1;
    c.stall_key = m_drawKey;
    c.line_rate = rate.Get().GetBitRate();
    c.mtu = m_device->GetMtu();
    c.consume_rate = m_consumeRate.GetBitRate();
    c.profile = m_profile;
    c.memory = {More, this};
    c.listener = Heard;
    c.user = this;
    const parameter *which = nullptr;
    const char *error = rnic_conf_error(&m_conf, c.mtu, &which);
    NS_ABORT_MSG_IF(error, (which ? std::string("rnic.") + which->name + ": " : std::string()) << error);
    error = node_conf_error(&c);
    NS_ABORT_MSG_IF(error, "IwarpRnic: " << error);
    m_node = node_init(m_memory.Allocate(node_size(&c)), &c);
}

struct node *IwarpRnic::GetNode()
{
    Ensure();
    return m_node;
}

const struct rnic *IwarpRnic::GetAdapter()
{
    return node_adapter(GetNode());
}

iw_stags *IwarpRnic::GetStags()
{
    return node_stags(GetNode());
}

int IwarpRnic::RegisterMemory(const iw_region &region, iw_stag *stag)
{
    return iw_register(GetStags(), &region, stag);
}

struct node *IwarpRnic::Act()
{
    NS_ABORT_MSG_IF(m_inside, "IwarpRnic: a callback of this trace source must not call the adapter");
    m_port->Kick();
    return m_node;
}

// ---- connections ------------------------------------------------------------------------------------------

tcp_conf IwarpRnic::TcpConfiguration() const
{
    tcp_conf c;
    tcp_defaults(&c);
    c.mtu = m_device->GetMtu();
    c.congestion = tcp_congestions[m_congestion];
    c.fixed_window = m_fixedWindow;
    static_assert(TCP_DETECTIONS == 2, "those of the attribute");
    c.detection = tcp_detections[m_detection];
    c.window_shift = static_cast<uint8_t>(rnic_window_shift(m_conf.window.bytes));
    c.ecn = m_ecn == ON || (m_ecn == AUTO && c.congestion->ecn);
    c.timestamps = m_timestamps;
    c.pacing = m_pacing;
    c.idle_restart = m_idleRestart;
    c.delayed_ack = static_cast<uint8_t>(m_delayedAck);
    c.dupack_threshold = static_cast<uint16_t>(m_dupackThreshold);
    c.initial_window = m_initialWindow;
    c.delayed_ack_timeout = Picoseconds(m_delayedAckTimeout);
    c.min_rto = Picoseconds(m_minRto);
    c.initial_rto = Picoseconds(std::max(m_initialRto, m_minRto));
    c.msl = Picoseconds(m_msl);
    return c;
}

llp_conf IwarpRnic::LlpConfiguration() const
{
    constexpr uint64_t REMEMBERED_MIN = 64, REMEMBERED_MAX = 16384; // segments ahead of a hole
    const bool drop = m_crc && m_crcError == DROP;
    llp_conf c{};
    c.real = m_payload == REAL;
    c.mtu = m_device->GetMtu();
    c.window = m_conf.window.bytes;
    c.reorder = static_cast<uint32_t>(
        std::min(REMEMBERED_MAX, REMEMBERED_MIN + 2 * m_conf.window.bytes / (c.mtu - IP_HEAD)));
    c.markers = m_markers;
    c.crc = m_crc;
    c.crc_drop = drop;
    c.trust_alignment = drop || m_trustAlignment; // every packet is one FPDU here
    c.ord = m_kind == MPA ? m_ord : std::min(m_ord, m_ird);
    c.ird = m_ird;
    c.start_timeout = Picoseconds(m_startTimeout);
    c.delayed_ack_timeout = Picoseconds(m_delayedAckTimeout);
    c.min_rto = Picoseconds(m_minRto);
    c.delayed_ack = m_delayedAck;
    c.send_buffer = m_sendBuffer;
    c.timeout = Picoseconds(m_idealTimeout);
    return c;
}

Ptr<IwarpConnection> IwarpRnic::CreateConnection(const End &end)
{
    static const llp *const TABLES[] = {&llp_tcp, &llp_sctp, &llp_ideal};
    constexpr uint32_t DRAWS = 1 << 29;            // beside those of links
    constexpr int LINGER = 16, LINGER_SCTP = 2048; // shortest timeouts for a Terminate or FIN to get through
    Ensure();
    const tcp_conf tcp = TcpConfiguration();
    node_connection_conf c{};
    c.llp = TABLES[m_kind];
    c.conf = LlpConfiguration();
    c.conf.tcp = &tcp;
    c.conf.initiator = end.initiator;
    c.conf.streams = end.streams;
    c.conf.source = GetAddress().Get();
    c.conf.destination = end.peer.Get();
    c.conf.local_port = end.localPort;
    c.conf.remote_port = end.peerPort;
    c.conf.secret = channel_key(m_drawKey, 0, end.number, DRAWS + (m_kind == SCTP ? 0 : !end.initiator));
    c.ep.pd = m_protectionDomain;
    c.ep.complete_on = static_cast<iw_complete_on>(m_completeOn);
    c.ep.sq_max = m_sendQueue;
    c.ep.rq_max = m_receiveQueue;
    c.ep.ord = m_ord;
    c.ep.ird = m_ird;
    c.ep.reorder_max = static_cast<uint16_t>(c.conf.reorder);
    c.ep.linger = c.conf.min_rto * (m_kind == SCTP ? LINGER_SCTP : LINGER);
    c.ep.stream = end.name;
    c.number = end.number;
    std::vector<uint64_t> user(end.streams);
    std::iota(user.begin(), user.end(), m_streams.size()); // the node's number of each stream
    c.user = user.data();
    // The node counts its own from 0, and tells of them before it returns.
    uint32_t connection = static_cast<uint32_t>(m_connections.size());
    uint32_t stream = static_cast<uint32_t>(m_streams.size());
    Ptr<IwarpConnection> made = Create<IwarpConnection>(this, end.number, connection, stream, end.streams);
    m_connections.push_back(made);
    m_numbers[end.number] = connection;
    for (uint16_t i = 0; i < end.streams; i++)
        m_streams.emplace_back(connection, i);
    m_port->Connect(end.number, end.peer);
    const char *why;
    const int result = node_connect(m_node, &c, &connection, &stream, &why);
    NS_ABORT_MSG_IF(result != IW_OK, "IwarpRnic: a connection is refused: " << why);
    return made;
}

// ---- the host of IwarpPort --------------------------------------------------------------------------------

const fabric_host IwarpRnic::TABLE = {Transmit, Arrive, Deadline, Expire};

bool IwarpRnic::Transmit(void *rnic, iw_time now, ip_packet *out)
{
    IwarpRnic *r = static_cast<IwarpRnic *>(rnic);
    if (!r->m_node)
        return false;
    const bool some = node_transmit(r->m_node, now, out);
    r->Tell();
    return some;
}

void IwarpRnic::Arrive(void *rnic, iw_time now, const ip_packet *in)
{
    IwarpRnic *r = static_cast<IwarpRnic *>(rnic);
    const auto found = r->m_numbers.find(in->connection);
    if (found == r->m_numbers.end())
        return; // nobody is here: as a port that is closed, but without a word
    node_arrive(r->m_node, now, found->second, in);
    r->Tell();
}

iw_time IwarpRnic::Deadline(const void *rnic)
{
    const IwarpRnic *r = static_cast<const IwarpRnic *>(rnic);
    return r->m_node ? node_deadline(r->m_node) : IW_NEVER;
}

void IwarpRnic::Expire(void *rnic, iw_time now)
{
    IwarpRnic *r = static_cast<IwarpRnic *>(rnic);
    node_expire(r->m_node, now);
    r->Tell();
}

// ---- what happens -----------------------------------------------------------------------------------------

namespace
{

/// Told when the node has returned, so that callbacks may do something about it.
bool IsForLater(node_event_kind kind)
{
    switch (kind) {
    case NODE_PLACED:
    case NODE_DELIVERED:
    case NODE_EDGE:
    case NODE_COMPLETED:
    case NODE_CLOSED:
    case NODE_ENDPOINT:
    case NODE_UP:
    case NODE_FAILED: return true;
    default: return false;
    }
}

} // namespace

void IwarpRnic::Heard(void *rnic, const node_event *event)
{
    IwarpRnic *r = static_cast<IwarpRnic *>(rnic);
    if (r->m_trace[event->kind].IsEmpty() && event->kind != NODE_COMPLETED)
        return;
    if (IsForLater(event->kind)) {
        r->Keep(*event);
        return;
    }
    r->m_inside = true;
    r->Trace(*event);
    r->m_inside = false;
}

void IwarpRnic::Keep(const node_event &event)
{
    Told told{};
    told.event = event;
    if (event.place)
        told.place = *event.place;
    if (event.message)
        told.message = *event.message;
    if (event.event)
        told.endpoint = *event.event;
    m_told.push_back(told);
}

void IwarpRnic::Tell()
{
    for (size_t i = 0; i < m_told.size(); i++) {
        Told told = m_told[i]; // the list may grow, and move
        node_event &e = told.event;
        e.place = e.place ? &told.place : nullptr;
        e.message = e.message ? &told.message : nullptr;
        e.event = e.event ? &told.endpoint : nullptr;
        if (e.kind != NODE_COMPLETED) {
            Trace(e);
            continue;
        }
        iw_done done;
        while (node_poll(m_node, &done)) {
            e.done = &done;
            e.stream = static_cast<uint32_t>(done.user);
            Trace(e);
        }
    }
    m_told.clear();
}

void IwarpRnic::Trace(const node_event &event)
{
    const auto [connection, stream] = m_streams[event.stream];
    m_trace[event.kind](m_connections[connection], stream, event);
}

} // namespace ns3
