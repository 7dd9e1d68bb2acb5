/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-connection.cc -- a connection's life: set-up, start-up, the ULP's calls, the end. */
#include "iwarp-connection.h"

#include "iwarp-rnic.h"

#include "ns3/inet-socket-address.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpConnection");

namespace
{

unsigned If(bool wanted, unsigned flag)
{
    return wanted ? flag : 0;
}

constexpr int64_t LINGER = 16; // shortest timeouts for a Terminate or FIN to get through, before RST
constexpr uint32_t REMEMBERED_MAX = 16384; // segments beyond the delivered edge
constexpr uint32_t RANGES_MAX = 65535;     // runs of octets out of order

} // namespace

IwarpConnection::IwarpConnection(IwarpRnic *rnic, uint32_t number, uint64_t user, uint32_t stream)
    : m_rnic(rnic), m_number(number), m_user(user), m_start(std::make_unique<struct mpa_start>())
{
    const rnic_window_conf &window = rnic->m_conf.window;
    const uint32_t emss = rnic->GetEmss();
    iw_conf conf{};
    conf.stags = rnic->m_stags;
    conf.send_cq = rnic->m_sendCq;
    conf.recv_cq = rnic->m_recvCq;
    conf.user = user;
    conf.trust = 1;
    conf.pd = rnic->m_protectionDomain;
    conf.stream = stream;
    conf.mulpdu = mpa_mulpdu(emss, true); // until start-up says what this direction carries
    conf.llp = IW_LLP_ALL & ~If(!rnic->m_crc, IW_LLP_DIGEST);
    conf.profile = rnic->m_profile | If(!rnic->m_crc, IW_NO_DIGEST);
    conf.complete_on = static_cast<iw_complete_on>(rnic->m_completeOn);
    conf.sq_max = rnic->m_sendQueue;
    conf.rq_max = rnic->m_receiveQueue;
    conf.ord = rnic->m_ord;
    conf.ird = rnic->m_ird;
    conf.reorder_max =
        static_cast<uint16_t>(std::min<uint64_t>(64 + 2 * window.bytes / emss, REMEMBERED_MAX));
    conf.linger = static_cast<iw_time>((rnic->m_minRto * LINGER).GetTimeStep());
    const char *error = iw_conf_error(&conf);
    NS_ABORT_MSG_IF(error, "IwarpConnection: " << error);
    m_ep = iw_ep_init(m_memory.Allocate(iw_ep_size(&conf)), &conf);
    const uint32_t fpdu = mpa_fpdu_size(0, mpa_mulpdu(emss, rnic->m_markers), rnic->m_markers);
    rnic_window_init(&m_window, &window, fpdu, rnic_window_shift(window.bytes));
}

IwarpConnection::~IwarpConnection()
{
    Dispose();
}

void IwarpConnection::Dispose()
{
    m_startTimer.Cancel();
    m_expireTimer.Cancel();
    if (m_socket)
        m_socket->SetOwner(nullptr);
    m_socket = nullptr;
    m_rnic = nullptr;
    m_state = ENDED;
}

uint32_t IwarpConnection::GetNumber() const
{
    return m_number;
}

uint64_t IwarpConnection::GetUser() const
{
    return m_user;
}

IwarpConnection::State IwarpConnection::GetState() const
{
    return m_state;
}

iw_ep *IwarpConnection::GetEndpoint() const
{
    return m_ep;
}

Ptr<IwarpTcpSocket> IwarpConnection::GetSocket() const
{
    return m_socket;
}

const struct mpa_start &IwarpConnection::GetStart() const
{
    return *m_start;
}

const mpa_stats *IwarpConnection::GetMpaStatistics() const
{
    return m_rx ? mpa_statistics(m_rx) : nullptr;
}

uint64_t IwarpConnection::GetSpurious() const
{
    return m_spurious;
}

uint64_t IwarpConnection::GetSentKey(SequenceNumber32 seq) const
{
    if (m_state < OPEN || !m_socket)
        return IW_NEVER;
    const uint64_t offset = m_socket->TxOffset(seq);
    return offset < m_txBase ? IW_NEVER : offset - m_txBase;
}

uint64_t IwarpConnection::GetReceivedKey(SequenceNumber32 seq) const
{
    if (m_state < OPEN || !m_socket)
        return IW_NEVER;
    const uint64_t offset = m_socket->RxOffset(seq);
    return offset < m_rxBase ? IW_NEVER : offset - m_rxBase;
}

iw_time IwarpConnection::GetNow() const
{
    return static_cast<iw_time>(Simulator::Now().GetTimeStep());
}

bool IwarpConnection::IsReal() const
{
    return m_rnic->m_payload == IwarpRnic::REAL;
}

// ---- set-up -----------------------------------------------------------------------------------------------

void IwarpConnection::AttachSocket(const Ptr<IwarpTcpSocket> &socket)
{
    m_socket = socket;
    m_socket->SetOwner(this);
}

void IwarpConnection::Initiate(const Address &peer, uint16_t localPort)
{
    AttachSocket(IwarpTcpSocket::Make(m_rnic->GetObject<Node>(), m_rnic->SocketSettings()));
    m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), localPort));
    m_socket->SetConnectCallback(MakeCallback(&IwarpConnection::Connected, this),
                                 MakeCallback(&IwarpConnection::Failed, this));
    m_state = CONNECTING;
    if (m_socket->Connect(peer))
        Failed(m_socket);
}

void IwarpConnection::Respond(const Ptr<IwarpTcpSocket> &socket)
{
    AttachSocket(socket);
    StartUp(MPA_RESPONDER);
}

void IwarpConnection::Connected(Ptr<Socket>)
{
    StartUp(MPA_INITIATOR);
}

void IwarpConnection::Failed(Ptr<Socket>)
{
    m_state = ENDED;
    m_rnic->m_failedTrace(this);
}

mpa_start_conf IwarpConnection::StartConfiguration(mpa_role role) const
{
    mpa_start_conf conf{};
    conf.role = role;
    conf.kind = MPA_IETF;
    conf.markers = m_rnic->m_markers;
    conf.no_crc = !m_rnic->m_crc;
    conf.ird = conf.ird_max = m_rnic->m_ird;
    conf.ord = m_rnic->m_ord;
    conf.timeout = static_cast<iw_time>(m_rnic->m_startTimeout.GetTimeStep());
    return conf;
}

void IwarpConnection::StartUp(mpa_role role)
{
    const mpa_start_conf conf = StartConfiguration(role);
    const char *error = mpa_start_conf_error(&conf);
    NS_ABORT_MSG_IF(error, "IwarpConnection: " << error);
    mpa_start(m_start.get(), GetNow(), &conf);
    m_state = STARTING;
    m_startTimer = Simulator::Schedule(TimeStep(mpa_start_deadline(m_start.get()) - GetNow()),
                                       &IwarpConnection::StartUpExpired, this);
    StartUpOutput();
}

void IwarpConnection::StartUpOutput()
{
    uint8_t frame[MPA_FRAME_MAX];
    const uint32_t size = mpa_start_out(m_start.get(), frame);
    if (size)
        m_socket->SendRecord(Create<Packet>(frame, size));
}

void IwarpConnection::StartUpExpired()
{
    mpa_start_expire(m_start.get(), GetNow());
    if (m_start->state != MPA_FAILED)
        return;
    Failed(m_socket);
    m_socket->Reset();
}

// A frame or part of it; the responder of this RNIC accepts whoever asks.
uint32_t IwarpConnection::StartUpInput(const Ptr<const Packet> &octets)
{
    std::vector<uint8_t> in(octets->GetSize());
    octets->CopyData(in.data(), octets->GetSize());
    const uint32_t used = mpa_start_in(m_start.get(), GetNow(), in.data(), octets->GetSize());
    m_started += used;
    if (m_start->state == MPA_DECIDE)
        mpa_accept(m_start.get(), nullptr, 0);
    StartUpOutput();
    if (m_start->state == MPA_FULL) {
        EnterFullOperation();
    } else if (m_start->state == MPA_FAILED || m_start->state == MPA_REJECTED) {
        m_startTimer.Cancel();
        Failed(m_socket);
        m_socket->Finish();
    }
    return octets->GetSize();
}

void IwarpConnection::EnterFullOperation()
{
    const mpa_agreement &agreed = m_start->agreed;
    const uint32_t emss = m_rnic->GetEmss(), window = static_cast<uint32_t>(m_rnic->m_conf.window.bytes);
    const bool inOrder = m_rnic->m_conf.receive == RNIC_HOLD || m_rnic->m_conf.receive == RNIC_COPY;
    m_startTimer.Cancel();
    m_state = OPEN;
    rnic_connected(m_rnic->m_nic, m_number);
    m_rxBase = m_inPlace = m_consumed = m_started;
    m_txBase = m_socket->GetWritten();
    mpa_tx_init(&m_tx, If(agreed.markers_tx, MPA_MARKERS) | If(agreed.crc, MPA_CRC), emss);
    iw_set_mulpdu(m_ep, mpa_mulpdu(emss, agreed.markers_tx));
    iw_set_read_depth(m_ep, std::min(agreed.ord, m_rnic->m_ord), std::min(agreed.ird, m_rnic->m_ird));

    mpa_rx_conf conf{};
    const bool drop = agreed.crc && m_rnic->m_crcError == IwarpRnic::DROP;
    conf.flags = If(agreed.markers_rx, MPA_MARKERS) | If(agreed.crc, MPA_CRC) |
                 If(drop || m_rnic->m_trustAlignment, MPA_TRUST_ALIGNMENT) | If(drop, MPA_CRC_DROP) |
                 If(inOrder, MPA_IN_ORDER);
    conf.ulpdu_max = std::max<uint32_t>(emss, MPA_MULPDU_MIN);
    conf.store =
        window + (1u << m_socket->GetShift()) + 2 * mpa_fpdu_size(0, conf.ulpdu_max, agreed.markers_rx);
    const uint32_t segments = std::min<uint32_t>(conf.store / emss + 2, RANGES_MAX);
    conf.ranges = m_rnic->m_conf.receive == RNIC_DISCARD ? 0 : segments;
    conf.fpdus = IsReal() ? 0 : segments;
    const char *error = mpa_rx_conf_error(&conf);
    NS_ABORT_MSG_IF(error, "IwarpConnection: " << error);
    m_rx = mpa_rx_init(m_rxMemory.Allocate(mpa_rx_size(&conf)), &conf);
    iw_enable(m_ep, GetNow(), m_start->conf.role == MPA_RESPONDER ? IW_WAIT_FIRST : 0);
    m_rnic->m_connectedTrace(this);
    MakeReady();
}

// ---- the ULP ----------------------------------------------------------------------------------------------

int IwarpConnection::Post(const iw_work &work)
{
    if (m_state == ENDED)
        return IW_ESTATE;
    const iw_time now = GetNow();
    const int result = iw_post(m_ep, now, &work);
    if (result != IW_OK)
        return result;
    if (work.op == IW_RECV) {
        rnic_post_recv(m_rnic->m_nic, now);
        if (m_kept || !m_reads.empty())
            Simulator::ScheduleNow(&IwarpConnection::Again, Ptr<IwarpConnection>(this));
        return result;
    }
    uint32_t octets = 0;
    for (uint8_t i = 0; i < work.sges; i++)
        octets += work.op == IW_READ ? 0 : work.sge[i].len;
    Ring(octets);
    return result;
}

void IwarpConnection::MakeReady()
{
    if (m_state == OPEN)
        m_rnic->Ready(m_number);
}

int IwarpConnection::Close(iw_close_how how)
{
    const int result = iw_close(m_ep, GetNow(), how);
    Simulator::ScheduleNow(&IwarpConnection::MakeReady, Ptr<IwarpConnection>(this));
    Simulator::ScheduleNow(&IwarpConnection::Settle, Ptr<IwarpConnection>(this));
    return result;
}

int IwarpConnection::Terminate(int term)
{
    const int result = iw_terminate(m_ep, GetNow(), term);
    Simulator::ScheduleNow(&IwarpConnection::MakeReady, Ptr<IwarpConnection>(this));
    Simulator::ScheduleNow(&IwarpConnection::Settle, Ptr<IwarpConnection>(this));
    return result;
}

void IwarpConnection::Lose()
{
    if (m_socket)
        m_socket->SetOwner(nullptr);
    m_state = ENDED;
    iw_llp(m_ep, GetNow(), IW_LLP_LOST);
    Simulator::ScheduleNow(&IwarpConnection::Settle, Ptr<IwarpConnection>(this));
}

// ---- what the endpoint wants ------------------------------------------------------------------------------

void IwarpConnection::Settle()
{
    if (!m_rnic)
        return;
    struct iw_event event;
    switch (iw_llp_request(m_ep)) {
    case IW_LLP_NOTHING: break;
    case IW_LLP_SEND_FIN:
        m_finWanted = true;
        FinishIfDrained();
        break;
    case IW_LLP_SEND_RST: Simulator::ScheduleNow(&IwarpConnection::End, Ptr<IwarpConnection>(this)); break;
    }
    m_rnic->Collect();
    while (iw_event(m_ep, &event))
        m_rnic->m_eventTrace(this, event);
    const iw_time deadline = iw_deadline(m_ep);
    if (deadline == IW_NEVER || !m_expireTimer.IsExpired())
        return;
    const iw_time now = GetNow();
    m_expireTimer =
        Simulator::Schedule(TimeStep(deadline > now ? deadline - now : 0), &IwarpConnection::Expire, this);
}

void IwarpConnection::Expire()
{
    iw_expire(m_ep, GetNow());
    MakeReady();
    Settle();
}

void IwarpConnection::End()
{
    if (!m_rnic || m_state == ENDED)
        return;
    m_state = ENDED;
    if (m_socket)
        m_socket->Reset();
}

void IwarpConnection::Down(bool graceful)
{
    if (!m_rnic)
        return;
    if (m_state == CONNECTING || m_state == STARTING) {
        mpa_start_lost(m_start.get());
        m_startTimer.Cancel();
        Failed(m_socket);
        return;
    }
    iw_llp(m_ep, GetNow(), graceful || m_state == ENDED ? IW_LLP_DOWN : IW_LLP_LOST);
    m_state = ENDED;
    Simulator::ScheduleNow(&IwarpConnection::Settle, Ptr<IwarpConnection>(this));
}

} // namespace ns3
