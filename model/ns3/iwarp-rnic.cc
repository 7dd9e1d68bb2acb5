/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-rnic.h"

#include "iwarp-parameters.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpRnic");

NS_OBJECT_ENSURE_REGISTERED(IwarpRnic);

namespace
{

iw_time Picoseconds(const Time &time)
{
    return static_cast<iw_time>(time.GetPicoSeconds());
}

} // namespace

TypeId IwarpRnic::GetTypeId()
{
    static TypeId tid = [] {
        TypeId made =
            TypeId("ns3::IwarpRnic").SetParent<Object>().SetGroupName("Iwarp").AddConstructor<IwarpRnic>();
        AddParameters(made, llp_parameters, LowerLayer, false, {"streams"}); // End::streams says it
        AddAttributes(made);
        AddParameters(made, rnic_parameters, Configuration, true);
        return AddTraceSources(made);
    }();
    return tid;
}

IwarpRnic::IwarpRnic()
{
    parameter_defaults(&m_llp, &llp_parameters);
}

IwarpRnic::~IwarpRnic() = default;

void IwarpRnic::DoDispose()
{
    m_connections.clear();
    m_listeners.clear();
    m_device = nullptr;
    m_port = nullptr;
    Object::DoDispose();
}

// ---- configuration ----------------------------------------------------------------------------------------

void *IwarpRnic::LowerLayer(ObjectBase *rnic)
{
    return &static_cast<IwarpRnic *>(rnic)->m_llp;
}

void *IwarpRnic::Configuration(ObjectBase *rnic)
{
    return &static_cast<IwarpRnic *>(rnic)->m_conf;
}

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
    NS_LOG_FUNCTION(this << preset);
    for (unsigned i = 0; i < rnic_presets_count; i++) {
        if (preset != rnic_presets[i].name)
            continue;
        rnic_preset_load(&m_conf, &rnic_presets[i]);
        m_preset = preset;
        KeepDefaults();
        return;
    }
    NS_FATAL_ERROR("rnic.preset: there is no preset \"" << preset << "\"");
}

// What Config::SetDefault() or the command line said of an attribute holds, whatever the preset has.
void IwarpRnic::KeepDefaults()
{
    const TypeId tid = GetTypeId();
    for (std::size_t i = 0; i < tid.GetAttributeN(); i++) {
        const TypeId::AttributeInformation info = tid.GetAttribute(i);
        const auto *text = dynamic_cast<const StringValue *>(PeekPointer(info.initialValue));
        if (info.name.rfind("rnic.", 0) == 0 && info.name != "rnic.preset" && text && !text->Get().empty())
            SetAttribute(info.name, *text);
    }
}

std::string IwarpRnic::GetPreset() const
{
    return m_preset;
}

void IwarpRnic::SetPort(const Ptr<NetDevice> &port)
{
    NS_LOG_FUNCTION(this << port);
    NS_ABORT_MSG_IF(m_node, "IwarpRnic: call SetPort() before registering memory and connecting");
    m_device = port;
    m_port = IwarpPort::Install(GetObject<Node>(), port, &TABLE, this);
    m_port->SetTraced(true);
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

uint64_t IwarpRnic::LineRate() const
{
    DataRateValue rate(DataRate("100Gbps"));
    m_device->GetAttributeFailSafe("DataRate", rate);
    return rate.Get().GetBitRate();
}

void IwarpRnic::Ensure()
{
    if (m_node)
        return;
    NS_ABORT_MSG_UNLESS(Time::GetResolution() == Time::PS, "IwarpRnic needs Time::SetResolution(Time::PS)");
    NS_ABORT_MSG_UNLESS(m_port, "IwarpRnic: call SetPort() before registering memory and connecting");
    node_conf c{};
    c.rnic = &m_conf;
    c.connections = m_connectionsMax;
    c.streams = std::max(m_streamsMax, m_connectionsMax);
    c.regions_max = m_regionsMax;
    c.cq_entries = m_completionsMax;
    c.stag_key = m_drawKey | 1;
    c.stall_key = m_drawKey;
    c.line_rate = LineRate();
    c.security = m_llp.security;
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

iw_stag IwarpRnic::Register(std::vector<uint8_t> &memory, uint64_t octets, unsigned rights)
{
    iw_region region{};
    iw_stag stag = 0;
    region.base = memory.empty() ? nullptr : memory.data();
    region.len = octets;
    region.pd = m_protectionDomain;
    region.rights = rights;
    NS_ABORT_MSG_IF(RegisterMemory(region, &stag), "IwarpRnic: Regions: the table is full");
    return stag;
}

struct node *IwarpRnic::Act()
{
    NS_ABORT_MSG_IF(m_inside, "IwarpRnic: a callback of this trace source must not call the adapter");
    m_port->Kick();
    return m_node;
}

// ---- connections ------------------------------------------------------------------------------------------

Ptr<IwarpConnection> IwarpRnic::CreateConnection(const End &end)
{
    NS_LOG_FUNCTION(this << end.number);
    Ensure();
    NS_ABORT_MSG_IF(m_numbers.count(end.number),
                    "IwarpRnic: there is a connection " << end.number << "; each has a number of its own");
    const uint32_t flight = llp_flight(&m_llp, 0);
    NS_ABORT_MSG_IF(
        m_llp.kind == LLP_PACKET && !flight,
        "IwarpRnic: llp.flight: a number or unlimited here: only `run` knows what the path holds");
    const packet_congestion *control = m_llp.kind == LLP_PACKET ? llp_packet_congestion(&m_llp) : nullptr;
    NS_ABORT_MSG_IF(control && control->answered_each && !m_llp.rtt,
                    "IwarpRnic: llp.rtt: a time here: only `run` knows the round trip of the path");
    factory_conf conf{};
    conf.llp = &m_llp;
    conf.rnic = &m_conf;
    conf.real = m_payload == REAL;
    conf.mtu = security_mtu(m_llp.security, m_device->GetMtu());
    conf.segment = conf.mtu - IP_HEAD;
    conf.rate = LineRate();
    conf.flight = flight;
    conf.track = m_llp.kind == LLP_PACKET ? llp_track(&m_llp, 0) : m_llp.track;
    conf.max_rto = m_llp.max_rto;
    conf.timeout = Picoseconds(m_idealTimeout);
    conf.start_timeout = Picoseconds(m_startTimeout);
    conf.pd = m_protectionDomain;
    conf.sq_max = m_sendQueue;
    conf.rq_max = m_receiveQueue;
    factory common;
    factory_init(&common, &conf);
    const factory_end here = {end.number,    end.initiator, end.streams, GetAddress().Get(), end.peer.Get(),
                              end.localPort, end.peerPort,  0,           m_drawKey,          0};
    node_connection_conf c = factory_connection(&common, &here);
    c.ep.complete_on = static_cast<iw_complete_on>(m_completeOn);
    c.ep.ord = m_llp.ord; // the peer's IRD may be another
    c.ep.stream = end.name;
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

// ---- who calls, and who listens ---------------------------------------------------------------------------

namespace
{

constexpr uint16_t FIRST_PORT = 49152, PORTS = 16384; // RFC 6335 section 6
constexpr uint32_t OWN = 1u << 31;                    // numbers and names that no script gives
constexpr uint8_t TCP_SYN = 2, TCP_ACK = 16, SCTP_INIT = 1;

uint16_t Short(const uint8_t *octets)
{
    return static_cast<uint16_t>(octets[0] << 8 | octets[1]);
}

/// A SYN (RFC 9293 3.1) or an INIT (RFC 9260 3.3.2): how many streams it asks for; 0: neither.
uint16_t StreamsAsked(const ip_packet &p)
{
    constexpr uint16_t TCP_HEAD = 20, INIT_HEAD = 32;
    if (p.protocol == IP_PROTOCOL_TCP && p.head >= TCP_HEAD)
        return (p.octets[13] & (TCP_SYN | TCP_ACK)) == TCP_SYN;
    if (p.protocol == IP_PROTOCOL_SCTP && p.head >= INIT_HEAD && p.octets[12] == SCTP_INIT)
        return Short(p.octets + 24);
    return 0;
}

} // namespace

Ptr<IwarpConnection> IwarpRnic::Connect(Ipv4Address peer, uint16_t port, uint16_t streams)
{
    const uint32_t node = GetObject<Node>()->GetId();
    NS_ABORT_MSG_IF(m_opened == PORTS || node >= OWN >> 16, "IwarpRnic: no port is left to connect from");
    const uint16_t local = static_cast<uint16_t>(FIRST_PORT + m_opened++);
    const uint32_t name = OWN | static_cast<uint32_t>(m_streams.size());
    Ptr<IwarpConnection> made =
        CreateConnection({OWN | node << 16 | local, true, peer, local, port, streams, name});
    made->Open();
    return made;
}

void IwarpRnic::Listen(uint16_t port, const AcceptCallback &accept)
{
    NS_LOG_FUNCTION(this << port);
    NS_ABORT_MSG_UNLESS(m_llp.kind == LLP_MPA || m_llp.kind == LLP_SCTP,
                        "IwarpRnic: llp.kind: mpa or sctp; packets of the others name no port");
    NS_ABORT_MSG_UNLESS(m_listeners.emplace(port, accept).second,
                        "IwarpRnic: somebody listens on port " << port);
    Ensure();
    m_port->SetStranger([this](const ip_packet &packet, Ipv4Address from) { Asked(packet, from); });
}

void IwarpRnic::StopListening(uint16_t port)
{
    NS_LOG_FUNCTION(this << port);
    m_listeners.erase(port);
}

void IwarpRnic::Asked(const ip_packet &packet, Ipv4Address from)
{
    const uint16_t streams = StreamsAsked(packet);
    if (!streams)
        return;
    const uint16_t port = Short(packet.octets + 2), peer = Short(packet.octets);
    const auto listener = m_listeners.find(port);
    if (listener == m_listeners.end() || m_connections.size() == m_connectionsMax ||
        m_streams.size() + streams > std::max(m_streamsMax, m_connectionsMax)) {
        NS_LOG_WARN("nobody answers " << from << " on port " << port);
        return;
    }
    const uint32_t name = OWN | static_cast<uint32_t>(m_streams.size());
    Ptr<IwarpConnection> made = CreateConnection({packet.connection, false, from, port, peer, streams, name});
    made->Open();
    AcceptCallback(listener->second)(made, from, peer); // which may stop listening
}

bool IwarpRnic::HasOctets() const
{
    return m_payload == REAL;
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

void IwarpRnic::Heard(void *rnic, const node_event *event)
{
    IwarpRnic *r = static_cast<IwarpRnic *>(rnic);
    if (r->m_trace[event->kind].IsEmpty() && event->kind != NODE_COMPLETED)
        return;
    if (node_event_traits[event->kind] & NODE_AFTER) { // so that callbacks may do something about it
        r->m_told.push_back(*event);
        return;
    }
    r->m_inside = true;
    r->Trace(*event);
    r->m_inside = false;
}

void IwarpRnic::Tell()
{
    for (size_t i = 0; i < m_told.size(); i++) {
        node_event e = m_told[i]; // the list may grow, and move
        if (e.kind != NODE_COMPLETED) {
            Trace(e);
            continue;
        }
        while (node_poll(m_node, &e.done)) {
            e.stream = static_cast<uint32_t>(e.done.user);
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
