/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-rnic.h"

#include "iwarp-parameters.h"

#include "ns3/data-rate.h"
#include "ns3/inet-socket-address.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-dctcp.h"
#include "ns3/tcp-linux-reno.h"

#include <algorithm>
#include <cstdlib>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpRnic");
NS_OBJECT_ENSURE_REGISTERED(IwarpRnic);

namespace
{

constexpr uint32_t IP_AND_TCP = 40; // octets of the headers, no options on data

rnic_conf &Configuration(ObjectBase *object)
{
    return const_cast<rnic_conf &>(static_cast<IwarpRnic *>(object)->GetConfiguration());
}

} // namespace

TypeId IwarpRnic::GetTypeId()
{
    static TypeId tid = AddTraceSources(AddRnicParameters(
        AddAttributes(
            TypeId("ns3::IwarpRnic").SetParent<Object>().SetGroupName("Iwarp").AddConstructor<IwarpRnic>()),
        &Configuration));
    return tid;
}

IwarpRnic::IwarpRnic() = default;
IwarpRnic::~IwarpRnic() = default;

void IwarpRnic::DoDispose()
{
    for (const Ptr<IwarpConnection> &connection : m_connections)
        connection->Dispose();
    m_connections.clear();
    m_senders.clear();
    m_portFree.clear();
    m_expected.clear();
    m_listeners.clear();
    m_port = nullptr;
    m_portQueue = nullptr;
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
    static const std::map<std::string, TypeId> controls = {{"cubic", TcpCubic::GetTypeId()},
                                                           {"dctcp", TcpDctcp::GetTypeId()},
                                                           {"newreno", TcpLinuxReno::GetTypeId()}};
    const std::string fixed = "fixed:";
    m_fixedWindow = 0;
    m_ecn = congestion == "dctcp";
    if (congestion.compare(0, fixed.size(), fixed) == 0) {
        m_fixedWindow = static_cast<uint32_t>(std::strtoul(congestion.c_str() + fixed.size(), nullptr, 10));
        NS_ABORT_MSG_UNLESS(m_fixedWindow, "llp.congestion: fixed:OCTETS needs a number of octets");
        congestion = "newreno";
    }
    auto found = controls.find(congestion);
    NS_ABORT_MSG_IF(found == controls.end(),
                    "llp.congestion: cubic, dctcp, newreno or fixed:OCTETS, not " << congestion);
    m_congestion = found->second;
}

std::string IwarpRnic::GetCongestion() const
{
    if (m_fixedWindow)
        return "fixed:" + std::to_string(m_fixedWindow);
    if (m_congestion == TcpDctcp::GetTypeId())
        return "dctcp";
    return m_congestion == TcpCubic::GetTypeId() ? "cubic" : "newreno";
}

void IwarpRnic::SetPort(const Ptr<PointToPointNetDevice> &port)
{
    m_port = port;
    m_portQueue = port->GetQueue();
    m_mtu = port->GetMtu();
    port->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&IwarpRnic::PortFree, this));
}

uint32_t IwarpRnic::GetEmss() const
{
    return m_mtu - IP_AND_TCP;
}

IwarpTcpSocket::Settings IwarpRnic::SocketSettings() const
{
    IwarpTcpSocket::Settings s;
    s.congestion = m_congestion;
    s.fixedWindow = m_fixedWindow;
    s.emss = GetEmss();
    s.sendBuffer = m_sendBuffer;
    s.window = static_cast<uint32_t>(m_conf.window.bytes);
    s.shift = static_cast<uint8_t>(rnic_window_shift(m_conf.window.bytes));
    s.initialWindow = m_initialWindow;
    s.minRto = m_minRto;
    s.delayedAckTimeout = m_delayedAckTimeout;
    s.initialRtt = m_minRto;
    s.delayedAck = m_delayedAck;
    s.dupackThreshold = m_dupackThreshold;
    s.sack = m_conf.receive != RNIC_DISCARD;
    s.goBackN = m_conf.receive == RNIC_DISCARD;
    s.ecn = m_ecn;
    return s;
}

void IwarpRnic::Ensure()
{
    if (m_nic)
        return;
    NS_ABORT_MSG_UNLESS(Time::GetResolution() == Time::PS, "IwarpRnic needs Time::SetResolution(Time::PS)");
    const rnic_parameter *which = nullptr;
    const char *error =
        rnic_conf_error(&m_conf, mpa_fpdu_size(0, mpa_mulpdu(GetEmss(), m_markers), m_markers), &which);
    NS_ABORT_MSG_IF(error, (which ? std::string("rnic.") + which->name + ": " : std::string()) << error);
    m_nic = rnic_init(m_nicMemory.Allocate(rnic_size(&m_conf, m_connectionsMax)), &m_conf, m_connectionsMax,
                      m_drawKey);
    m_stags = iw_stags_init(m_stagMemory.Allocate(iw_stags_size(m_regionsMax)), m_regionsMax, m_drawKey | 1);
    m_sendCq = iw_cq_init(m_sendCqMemory.Allocate(iw_cq_size(m_completionsMax)), m_completionsMax, 1);
    m_recvCq = iw_cq_init(m_recvCqMemory.Allocate(iw_cq_size(m_completionsMax)), m_completionsMax, 1);
    NS_ABORT_MSG_UNLESS(m_nic && m_stags && m_sendCq && m_recvCq, "IwarpRnic: a table has no entries");
    // What keeps the port busy: the pipeline's depth at the port's rate, and two segments.
    const iw_time depth =
        rnic_step_time(m_nic, RNIC_STEP_READ, GetEmss()) + rnic_step_time(m_nic, RNIC_STEP_SEND, GetEmss());
    DataRateValue rate(DataRate("100Gbps"));
    if (m_port)
        m_port->GetAttribute("DataRate", rate);
    m_pipelineMax = 2 * GetEmss() + static_cast<uint64_t>(static_cast<double>(depth) * 1e-12 *
                                                          static_cast<double>(rate.Get().GetBitRate()) / 8);
}

// ---- memory and connections -------------------------------------------------------------------------------

int IwarpRnic::RegisterMemory(const iw_region &region, iw_stag *stag)
{
    Ensure();
    return iw_register(m_stags, &region, stag);
}

iw_stags *IwarpRnic::GetStags()
{
    Ensure();
    return m_stags;
}

const struct rnic *IwarpRnic::GetAdapter()
{
    Ensure();
    return m_nic;
}

Ptr<IwarpConnection> IwarpRnic::CreateConnection(uint64_t user, uint32_t stream)
{
    Ensure();
    const uint32_t number = static_cast<uint32_t>(m_connections.size());
    NS_ABORT_MSG_UNLESS(number < m_connectionsMax, "IwarpRnic: more than Connections = " << m_connectionsMax);
    m_connections.push_back(Create<IwarpConnection>(this, number, user, stream ? stream : number + 1));
    return m_connections.back();
}

void IwarpRnic::Connect(const Ptr<IwarpConnection> &connection, Ipv4Address peer, uint16_t port,
                        uint16_t localPort)
{
    connection->Initiate(InetSocketAddress(peer, port), localPort);
}

void IwarpRnic::Listen(uint16_t port)
{
    Ensure();
    Ptr<IwarpTcpSocket> listener = IwarpTcpSocket::Make(GetObject<Node>(), SocketSettings());
    const int bound = listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    NS_ABORT_MSG_IF(bound || listener->Listen(), "IwarpRnic: port " << port << " is taken");
    listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address &>(),
                                MakeCallback(&IwarpRnic::Accepted, this));
    m_listeners.push_back(listener);
}

void IwarpRnic::Expect(Ipv4Address peer, uint16_t peerPort, const Ptr<IwarpConnection> &connection)
{
    m_expected[{peer.Get(), peerPort}] = connection;
}

void IwarpRnic::SetAcceptCallback(Callback<void, Ptr<IwarpConnection>> accepted)
{
    m_accepted = accepted;
}

void IwarpRnic::Accepted(Ptr<Socket> socket, const Address &from)
{
    const InetSocketAddress peer = InetSocketAddress::ConvertFrom(from);
    auto expected = m_expected.find({peer.GetIpv4().Get(), peer.GetPort()});
    Ptr<IwarpConnection> connection;
    if (expected != m_expected.end()) {
        connection = expected->second;
        m_expected.erase(expected);
    } else {
        connection = CreateConnection();
        if (!m_accepted.IsNull())
            m_accepted(connection);
    }
    connection->Respond(DynamicCast<IwarpTcpSocket>(socket));
}

// ---- the transmit side: connections take turns at the port ------------------------------------------------

bool IwarpRnic::PortHasRoom() const
{
    return m_pipeline + (m_portQueue ? m_portQueue->GetNBytes() : 0) < m_pipelineMax;
}

void IwarpRnic::PortFree(Ptr<const Packet>)
{
    Pump();
    for (const std::function<void()> &free : m_portFree)
        free();
}

uint32_t IwarpRnic::AddSender(const std::function<bool()> &send, const std::function<void()> &free)
{
    Ensure();
    const uint32_t number = static_cast<uint32_t>(m_connections.size() + m_senders.size());
    NS_ABORT_MSG_UNLESS(number < m_connectionsMax, "IwarpRnic: more than Connections = " << m_connectionsMax);
    m_senders[number] = send;
    if (free)
        m_portFree.push_back(free);
    return number;
}

void IwarpRnic::Ready(uint32_t number)
{
    rnic_ready(m_nic, number);
    Pump();
}

void IwarpRnic::Pump()
{
    if (m_pumping || !m_nic)
        return; // TCP asked for more while it was being given some
    m_pumping = true;
    uint32_t turn;
    while (PortHasRoom() && rnic_turn(m_nic, &turn)) {
        auto sender = m_senders.find(turn);
        if (sender == m_senders.end() ? m_connections[turn]->SendOne() : sender->second())
            rnic_ready(m_nic, turn);
    }
    m_pumping = false;
}

// ---- completions ------------------------------------------------------------------------------------------

// Out of the endpoints' queues, into host memory, to the ULP: three instants.
void IwarpRnic::Collect()
{
    const iw_time now = static_cast<iw_time>(Simulator::Now().GetTimeStep());
    iw_done done;
    while (iw_poll(m_sendCq, &done) || iw_poll(m_recvCq, &done)) {
        const iw_time visible = rnic_complete(m_nic, now);
        m_written.push_back(done);
        Simulator::Schedule(TimeStep(visible - now), &IwarpRnic::EntriesVisible, this);
    }
}

void IwarpRnic::EntriesVisible()
{
    const iw_time now = static_cast<iw_time>(Simulator::Now().GetTimeStep());
    m_visible.push_back(m_written.front());
    m_written.pop_front();
    const iw_time look = rnic_notify(m_nic, now, true);
    if (look == now)
        Wakeup();
    else if (look != IW_NEVER)
        Simulator::Schedule(TimeStep(look - now), &IwarpRnic::Wakeup, this);
}

void IwarpRnic::Wakeup()
{
    const iw_time now = static_cast<iw_time>(Simulator::Now().GetTimeStep());
    const uint32_t entries = static_cast<uint32_t>(m_visible.size()) - m_taken;
    if (!entries)
        return;
    const iw_time taken = rnic_wakeup(m_nic, now, entries);
    if (taken == IW_NEVER)
        return;
    m_taken += entries;
    m_taking.push_back(entries);
    if (taken == now)
        Taken();
    else
        Simulator::Schedule(TimeStep(taken - now), &IwarpRnic::Taken, this);
}

void IwarpRnic::Taken()
{
    uint32_t entries = m_taking.front();
    m_taking.pop_front();
    m_taken -= entries;
    while (entries--) {
        Simulator::ScheduleNow(&IwarpRnic::Told, this, m_visible.front());
        m_visible.pop_front();
    }
}

// What the ULP does about it comes after what the adapter does at the same instant.
void IwarpRnic::Told(iw_done done)
{
    m_completionTrace(done);
}

void IwarpRnic::ReportStaging()
{
    const rnic_stats *stats = rnic_statistics(m_nic);
    m_stagingTrace(stats->staging);
}

} // namespace ns3
