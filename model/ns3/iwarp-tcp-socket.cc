/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-tcp-socket.h"

#include "iwarp-block.h"
#include "iwarp-tcp-l4-protocol.h"

#include "ns3/boolean.h"
#include "ns3/ipv4-end-point.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-prr-recovery.h"
#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpTcpSocket");
NS_OBJECT_ENSURE_REGISTERED(IwarpTcpSocket);

namespace
{

// TCP may take whatever the window allows; the window, not this, is what protects memory.
constexpr uint32_t RECEIVE_BUFFER = 1u << 30;
constexpr uint32_t DATA_RETRIES = 15; // of one segment, before the connection is given up

} // namespace

TypeId IwarpTcpSocket::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpTcpSocket")
                            .SetParent<TcpSocketBase>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpTcpSocket>();
    return tid;
}

TypeId IwarpTcpSocket::GetInstanceTypeId() const
{
    return IwarpTcpSocket::GetTypeId();
}

IwarpTcpSocket::IwarpTcpSocket() = default;

// What a listener hands on; its own stream is none of the new socket's.
IwarpTcpSocket::IwarpTcpSocket(const IwarpTcpSocket &listener)
    : IwarpTcpSocketBase(listener), m_settings(listener.m_settings), m_threshold(listener.m_threshold)
{
}

IwarpTcpSocket::~IwarpTcpSocket()
{
    if (m_table)
        m_table->Deregister(m_key, this);
}

Ptr<IwarpTcpSocket> IwarpTcpSocket::Make(const Ptr<Node> &node, const Settings &settings)
{
    Ptr<IwarpTcpSocket> s = CreateObject<IwarpTcpSocket>();
    Ptr<RttMeanDeviation> rtt = CreateObject<RttMeanDeviation>();
    rtt->SetAttribute("InitialEstimation", TimeValue(settings.initialRtt));
    ObjectFactory congestion;
    congestion.SetTypeId(settings.congestion);
    s->SetNode(node);
    s->SetTcp(node->GetObject<TcpL4Protocol>());
    s->SetRtt(rtt);
    s->Configure(settings);
    s->SetCongestionControlAlgorithm(congestion.Create<TcpCongestionOps>());
    s->SetRecoveryAlgorithm(CreateObject<TcpPrrRecovery>());
    return s;
}

// Every value that matters is set here: ns-3's defaults are those of another kind of network.
void IwarpTcpSocket::Configure(const Settings &settings)
{
    m_settings = settings;
    m_threshold = settings.dupackThreshold ? settings.dupackThreshold : 3;
    m_sackEnabled = settings.sack;
    m_txBuffer->SetSackEnabled(settings.sack);
    m_timestampEnabled = false; // a clock of 1 ms, and 12 octets that the segment size does not count
    m_winScalingEnabled = true;
    SetSegSize(settings.emss);
    SetSndBufSize(settings.sendBuffer);
    SetRcvBufSize(RECEIVE_BUFFER);
    SetInitialCwnd(settings.initialWindow);
    SetTcpNoDelay(true);
    SetRetxThresh(m_threshold);
    SetClockGranularity(MicroSeconds(1));
    SetMinRto(settings.minRto);
    SetDelAckTimeout(settings.delayedAckTimeout);
    SetDelAckMaxCount(settings.delayedAck);
    SetConnTimeout(settings.minRto * 4);
    SetPersistTimeout(settings.minRto);
    SetDataRetries(DATA_RETRIES);
    SetUseEcn(settings.ecn ? TcpSocketState::On : TcpSocketState::Off);
}

void IwarpTcpSocket::SetOwner(IwarpTcpOwner *owner)
{
    m_owner = owner;
    SetSendCallback(owner ? MakeCallback(&IwarpTcpSocket::AskOwner, this)
                          : MakeNullCallback<void, Ptr<Socket>, uint32_t>());
}

void IwarpTcpSocket::Warm() const
{
    IwarpPrefetch(this, sizeof *this);
    if (m_owner)
        m_owner->Warm();
    IwarpPrefetch(PeekPointer(m_tcb), sizeof(TcpSocketState));
    IwarpPrefetch(PeekPointer(m_txBuffer), sizeof(TcpTxBuffer));
    IwarpPrefetch(PeekPointer(m_tcb->m_rxBuffer), sizeof(TcpRxBuffer));
    IwarpPrefetch(PeekPointer(m_congestionControl), sizeof(TcpCubic));
    IwarpPrefetch(PeekPointer(m_rateOps), sizeof(TcpRateLinux));
    IwarpPrefetch(PeekPointer(m_rtt), sizeof(RttMeanDeviation));
    IwarpPrefetch(m_endPoint, sizeof(Ipv4EndPoint));
}

void IwarpTcpSocket::AskOwner(Ptr<Socket>, uint32_t)
{
    if (m_owner)
        m_owner->Room();
}

// ---- connection -------------------------------------------------------------------------------------------

int IwarpTcpSocket::Connect(const Address &address)
{
    int result = TcpSocketBase::Connect(address);
    TakeArrivals();
    return result;
}

Ptr<TcpSocketBase> IwarpTcpSocket::Fork()
{
    return CopyObject<IwarpTcpSocket>(Ptr<IwarpTcpSocket>(this));
}

void IwarpTcpSocket::CompleteFork(Ptr<Packet> p, const TcpHeader &h, const Address &from, const Address &to)
{
    TcpSocketBase::CompleteFork(p, h, from, to);
    TakeArrivals();
}

void IwarpTcpSocket::TakeArrivals()
{
    if (!m_endPoint)
        return;
    m_endPoint->SetRxCallback(MakeCallback(&IwarpTcpSocket::Arrive, Ptr<IwarpTcpSocket>(this)));
    m_table = DynamicCast<IwarpTcpL4Protocol>(m_tcp);
    if (!m_table)
        return;
    m_key = IwarpTcpL4Protocol::MakeKey(m_endPoint->GetLocalAddress(), m_endPoint->GetLocalPort(),
                                        m_endPoint->GetPeerAddress(), m_endPoint->GetPeerPort());
    m_table->Register(m_key, this);
}

void IwarpTcpSocket::Finish()
{
    if (m_finishing || !IsOpen())
        return;
    m_finishing = true;
    if (GetUnsent()) {
        m_closeOnEmpty = true;
        return;
    }
    m_tcb->m_nextTxSequence = m_tcb->m_highTxMark.Get(); // a retransmission may have moved it back
    DoClose();
}

void IwarpTcpSocket::Reset()
{
    if (m_endPoint)
        SendRST();
    m_state = CLOSED;
    TellOwner();
}

bool IwarpTcpSocket::IsOpen() const
{
    return m_endPoint && (m_state == ESTABLISHED || m_state == CLOSE_WAIT);
}

// Base code tells nobody when a FIN falls due or a reset comes: look at what became of the connection.
void IwarpTcpSocket::TellOwner()
{
    if (!m_owner || m_down)
        return;
    if (!m_finished && m_tcb->m_rxBuffer->Finished()) {
        m_finished = true;
        m_owner->Finished(GetNextReceived() - 1); // the FIN counts one
        if (!m_owner)
            return;
    }
    if (m_state != CLOSED && m_state != TIME_WAIT)
        return;
    m_down = true;
    m_owner->Down(m_finishing && m_finished);
}

// ---- receiving --------------------------------------------------------------------------------------------

void IwarpTcpSocket::Arrive(Ptr<Packet> packet, Ipv4Header header, uint16_t port,
                            Ptr<Ipv4Interface> interface)
{
    IwarpTcpArrival arrival{packet, header, port, interface};
    if (header.GetEcn() == Ipv4Header::ECN_CE)
        m_counts.ecnMarks++;
    if (m_owner)
        m_owner->Arrived(arrival);
    else
        Accept(arrival);
}

void IwarpTcpSocket::Accept(const IwarpTcpArrival &arrival)
{
    if (!m_endPoint)
        return; // closed while the segment waited
    Ptr<IwarpTcpSocket> alive(this);
    if (EndsBelowNext(arrival.packet))
        m_counts.known++; // base code answers it and shows it to nobody
    ForwardUp(arrival.packet, arrival.header, arrival.port, arrival.interface);
}

bool IwarpTcpSocket::EndsBelowNext(const Ptr<const Packet> &segment) const
{
    uint8_t head[13];
    if (m_state < ESTABLISHED || segment->CopyData(head, sizeof head) != sizeof head)
        return false;
    const uint32_t seq = static_cast<uint32_t>(head[4]) << 24 | static_cast<uint32_t>(head[5]) << 16 |
                         static_cast<uint32_t>(head[6]) << 8 | head[7];
    const uint32_t header = (head[12] >> 4) * 4u, size = segment->GetSize();
    return size > header && SequenceNumber32(seq + size - header) < m_tcb->m_rxBuffer->NextRxSequence();
}

void IwarpTcpSocket::DoForwardUp(Ptr<Packet> packet, const Address &from, const Address &to)
{
    FreshenAck(packet);
    const TcpSocketState::TcpCongState_t before = m_tcb->m_congState;
    m_windowBefore = m_rWnd;
    m_busy = true;
    TcpSocketBase::DoForwardUp(packet, from, to);
    m_busy = false;
    if (before != TcpSocketState::CA_RECOVERY && m_tcb->m_congState == TcpSocketState::CA_RECOVERY &&
        m_settings.goBackN)
        GoBack();
    LimitCongestionWindow();
    if (GetUnsent() && IsOpen() && AvailableWindow() > 0)
        SendPendingData(m_connected);
    ProbeIfStuck();
    TellOwner();
}

// Stock TCP ignores a whole segment whose acknowledgement is old, data included. Such a segment says nothing new about
// our octets: let it acknowledge, and offer as window, what we know already.
void IwarpTcpSocket::FreshenAck(const Ptr<Packet> &packet) const
{
    if (m_state != ESTABLISHED)
        return;
    uint8_t fixed[20];
    if (packet->CopyData(fixed, sizeof fixed) != sizeof fixed)
        return;
    const uint32_t ack = static_cast<uint32_t>(fixed[8]) << 24 | static_cast<uint32_t>(fixed[9]) << 16 |
                         static_cast<uint32_t>(fixed[10]) << 8 | fixed[11];
    const uint8_t flags = fixed[13] & (TcpHeader::FIN | TcpHeader::SYN | TcpHeader::RST | TcpHeader::ACK);
    const bool hasData = packet->GetSize() > (fixed[12] >> 4) * 4u;
    if (flags != TcpHeader::ACK || !hasData || SequenceNumber32(ack) >= m_txBuffer->HeadSequence())
        return;
    TcpHeader header;
    packet->RemoveHeader(header);
    header.SetAckNumber(m_txBuffer->HeadSequence());
    header.SetWindowSize(static_cast<uint16_t>(m_rWnd.Get() >> m_sndWindShift));
    packet->AddHeader(header);
}

// Octets go to the owner; TCP keeps only their number, to acknowledge them.
void IwarpTcpSocket::ReceivedData(Ptr<Packet> packet, const TcpHeader &header)
{
    Ptr<TcpRxBuffer> buffer = m_tcb->m_rxBuffer;
    const uint32_t size = packet->GetSize();
    const SequenceNumber32 seq = header.GetSequenceNumber(), next = buffer->NextRxSequence();
    const bool news = seq + SequenceNumber32(size) > next;
    uint32_t taken = size;
    m_counts.arrivals++;
    if (m_owner && news)
        taken = m_owner->Take(RxOffset(seq), packet, seq <= next);
    if (taken == IwarpTcpOwner::SILENT)
        return;
    if (size && !taken) {
        SendEmptyPacket(TcpHeader::ACK);
        return;
    }
    const uint32_t before = buffer->Size();
    TcpSocketBase::ReceivedData(m_owner ? Create<Packet>(taken) : packet, header);
    if (buffer->Size() == before && buffer->NextRxSequence() == next)
        m_counts.known++;
    if (m_owner && buffer->Available())
        buffer->Extract(buffer->Available());
}

uint16_t IwarpTcpSocket::AdvertisedWindowSize(bool scale) const
{
    if (!m_owner)
        return TcpSocketBase::AdvertisedWindowSize(scale);
    if (!scale || m_state < SYN_RCVD)
        return static_cast<uint16_t>(
            std::min<uint32_t>(m_settings.window >> (scale ? m_rcvWindShift : 0), 65535));
    return static_cast<uint16_t>(std::min<uint64_t>(m_owner->WindowField(GetNextReceived()), 65535));
}

void IwarpTcpSocket::UpdateWindow()
{
    if (m_state == ESTABLISHED || m_state == FIN_WAIT_1 || m_state == FIN_WAIT_2)
        SendEmptyPacket(TcpHeader::ACK);
}

// Stock TCP takes the window scale from the size of the receive buffer, at the moment of the SYN.
void IwarpTcpSocket::SendEmptyPacket(uint8_t flags)
{
    const bool syn = flags & TcpHeader::SYN;
    if (syn)
        m_tcb->m_rxBuffer->SetMaxBufferSize(65535u << m_settings.shift);
    TcpSocketBase::SendEmptyPacket(flags);
    if (syn)
        m_tcb->m_rxBuffer->SetMaxBufferSize(RECEIVE_BUFFER);
}

uint64_t IwarpTcpSocket::Unwrap(uint64_t near, SequenceNumber32 nearSeq, SequenceNumber32 seq)
{
    return near + static_cast<uint64_t>(static_cast<int64_t>(seq - nearSeq));
}

uint64_t IwarpTcpSocket::RxOffset(SequenceNumber32 seq) const
{
    const SequenceNumber32 next = m_tcb->m_rxBuffer->NextRxSequence();
    if (!m_rxStarted)
        m_nextSeq = next;
    m_rxStarted = true;
    m_next = Unwrap(m_next, m_nextSeq, next);
    m_nextSeq = next;
    return Unwrap(m_next, next, seq);
}

uint64_t IwarpTcpSocket::GetNextReceived() const
{
    return RxOffset(m_tcb->m_rxBuffer->NextRxSequence());
}

// ---- looking on -------------------------------------------------------------------------------------------

uint64_t IwarpTcpSocket::GetWritten() const
{
    return m_written;
}

uint64_t IwarpTcpSocket::GetUnsent() const
{
    return m_state < ESTABLISHED ? m_written : m_written - TxOffset(m_tcb->m_highTxMark.Get());
}

uint64_t IwarpTcpSocket::GetAcknowledged() const
{
    return TxOffset(m_txBuffer->HeadSequence());
}

uint32_t IwarpTcpSocket::GetCongestionWindow() const
{
    return m_settings.fixedWindow ? m_settings.fixedWindow : m_tcb->m_cWnd.Get();
}

uint32_t IwarpTcpSocket::GetFlight() const
{
    return UnAckDataCount();
}

Time IwarpTcpSocket::GetSmoothedRtt() const
{
    return m_tcb->m_lastRtt.Get();
}

uint8_t IwarpTcpSocket::GetShift() const
{
    return m_winScalingEnabled ? m_rcvWindShift : 0;
}

const IwarpTcpSocket::Counts &IwarpTcpSocket::GetCounts() const
{
    return m_counts;
}

} // namespace ns3
