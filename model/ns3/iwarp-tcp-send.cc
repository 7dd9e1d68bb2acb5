/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-tcp-send.cc -- the sending side of IwarpTcpSocket: records, retransmission, probes. */
#include "iwarp-tcp-socket.h"

#include "ns3/ipv4-end-point.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t THRESHOLD_MAX = 1024; // adaptive: no reordering goes beyond it

} // namespace

bool IwarpTcpSocket::SendRecord(const Ptr<Packet> &record)
{
    const uint32_t size = record->GetSize();
    if (GetTxAvailable() < size || m_finishing)
        return false;
    if (!IsOpen() || !m_txBuffer->Add(record))
        return false;
    m_recordEnds.push_back(m_written + size);
    m_written += size;
    // Stock Send() would schedule an event for this. While TCP works on something else it comes to it by itself.
    if (!m_busy && AvailableWindow() > 0)
        SendPendingData(m_connected);
    return true;
}

uint64_t IwarpTcpSocket::TxOffset(SequenceNumber32 seq) const
{
    const SequenceNumber32 una = m_txBuffer->HeadSequence();
    if (!m_txStarted)
        m_unaSeq = una;
    m_txStarted = true;
    m_una = Unwrap(m_una, m_unaSeq, una);
    m_unaSeq = una;
    return Unwrap(m_una, una, seq);
}

uint32_t IwarpTcpSocket::RecordLeft(uint64_t offset) const
{
    auto end = std::upper_bound(m_recordEnds.begin(), m_recordEnds.end(), offset);
    return end == m_recordEnds.end() ? m_tcb->m_segmentSize : static_cast<uint32_t>(*end - offset);
}

// One record per segment, whatever base code asks for. Base code may ask for a piece of a new record, or for none of
// it, when the peer's window ends inside (DoRetransmit after SACK): then what it wants is a retransmission.
uint32_t IwarpTcpSocket::SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck)
{
    bool again = seq < m_tcb->m_highTxMark.Get();
    if (!again && maxSize < RecordLeft(TxOffset(seq)) && maxSize < m_tcb->m_segmentSize) {
        seq = m_txBuffer->HeadSequence();
        again = seq < m_tcb->m_highTxMark.Get();
        if (!again)
            return 0;
        maxSize = m_tcb->m_segmentSize;
    }
    const uint64_t offset = TxOffset(seq);
    const bool busy = m_busy;
    m_busy = true;
    maxSize = std::min({maxSize, RecordLeft(offset), m_txBuffer->SizeFromSequence(seq)});
    if (m_owner)
        m_owner->Leaving(offset, maxSize, again);
    const uint32_t size = TcpSocketBase::SendDataPacket(seq, maxSize, withAck);
    m_counts.segments++;
    m_counts.retransmits += again;
    if (again && offset == m_una)
        m_headSentAgain = Simulator::Now();
    if (m_owner && !again)
        m_owner->Sent();
    m_busy = busy;
    return size;
}

uint32_t IwarpTcpSocket::Window() const
{
    // Base code insists that one segment and no more follows a timeout; a fixed window fills up after that.
    const bool fixed = m_settings.fixedWindow && !m_restarting;
    const uint32_t window = fixed ? m_settings.fixedWindow : m_tcb->m_cWnd.Get();
    return std::min(m_rWnd.Get(), window);
}

// With holes in what was sent, NextSeg() offers new segments cut at the peer's window, even empty ones, on which
// stock code crashes. Say that there is no window, then. Nor is it time to send again what may well have arrived
// (RFC 6675 NextSeg rule 3) while the owner has something new, only not here yet.
uint32_t IwarpTcpSocket::AvailableWindow() const
{
    const uint32_t window = TcpSocketBase::AvailableWindow();
    if (!window || m_txBuffer->GetSacked() + m_txBuffer->GetLost() == 0)
        return window;
    SequenceNumber32 from, to;
    const bool recovering = m_sackEnabled && m_tcb->m_congState == TcpSocketState::CA_RECOVERY;
    const bool more = m_owner && m_owner->HasMore();
    if (!m_txBuffer->NextSeg(&from, &to, recovering && !more))
        return recovering && more ? 0 : window;
    const uint32_t want =
        std::min({m_tcb->m_segmentSize, RecordLeft(TxOffset(from)), m_txBuffer->SizeFromSequence(from)});
    return static_cast<uint32_t>(to - from) < want ? 0 : window;
}

namespace
{

TcpHeader WithoutOptions(const TcpHeader &header)
{
    TcpHeader bare;
    bare.SetSourcePort(header.GetSourcePort());
    bare.SetDestinationPort(header.GetDestinationPort());
    bare.SetSequenceNumber(header.GetSequenceNumber());
    bare.SetAckNumber(header.GetAckNumber());
    bare.SetFlags(header.GetFlags());
    bare.SetWindowSize(header.GetWindowSize());
    return bare;
}

} // namespace

// A late acknowledgement may find nothing under way; base code's assertions crash on its SACK blocks, then.
void IwarpTcpSocket::ReceivedAck(Ptr<Packet> packet, const TcpHeader &header)
{
    const bool idle = m_tcb->m_highTxMark.Get() <= m_txBuffer->HeadSequence();
    const uint64_t before = TxOffset(m_txBuffer->HeadSequence());
    const uint32_t dupacks = m_dupAckCount;
    const bool headSentAgain = m_txBuffer->IsHeadRetransmitted();
    m_bare = packet->GetSize() == 0 && m_rWnd.Get() == m_windowBefore;
    const bool bare = m_bare;
    TcpSocketBase::ReceivedAck(packet, idle ? WithoutOptions(header) : header);
    const uint64_t una = TxOffset(m_txBuffer->HeadSequence());
    if (una == before) {
        if (bare && m_settings.goBackN && m_tcb->m_congState == TcpSocketState::CA_LOSS)
            CountAfterGoBack();
        return;
    }
    m_repeats = m_repeatsDue =
        0; // the head that went again left behind all that could be answered by duplicates
    while (!m_recordEnds.empty() && m_recordEnds.front() <= una)
        m_recordEnds.pop_front();
    if (!m_settings.dupackThreshold)
        AdaptThreshold(dupacks, headSentAgain);
    if (m_owner)
        m_owner->Acknowledged(una);
}

// RFC 5681: what brings data or another window is no duplicate. Where SACK tells, base code knows by itself.
bool IwarpTcpSocket::TakesAck(const SequenceNumber32 &ackNumber, const SequenceNumber32 &oldHead) const
{
    return m_sackEnabled || m_bare || ackNumber != oldHead;
}

// A hole that filled by itself shows how far segments are reordered; an acknowledgement that comes too soon after a
// retransmission to be its answer shows that the threshold is too small (Eifel, RFC 3522, with the clock for a stamp).
void IwarpTcpSocket::AdaptThreshold(uint32_t dupacks, bool headSentAgain)
{
    if (!headSentAgain) {
        m_threshold = std::max(m_threshold, std::min(dupacks + dupacks / 4 + 1, THRESHOLD_MAX));
    } else if (Simulator::Now() - m_headSentAgain < m_tcb->m_minRtt) {
        m_threshold = std::min(2 * m_threshold, THRESHOLD_MAX);
        m_tcb->m_cWnd = std::max(m_tcb->m_cWnd.Get(), m_undoWindow);
        m_tcb->m_ssThresh = std::max(m_tcb->m_ssThresh.Get(), m_undoWindow);
    } else {
        return;
    }
    if (m_tcb->m_congState == TcpSocketState::CA_OPEN)
        m_undoWindow = m_tcb->m_cWnd;
    SetRetxThresh(m_threshold);
}

// The receiver has kept nothing behind the hole: as after a timeout, but with the window of a fast recovery. Duplicate
// acknowledgements do not count in this state, and no segment is guessed to have arrived.
void IwarpTcpSocket::GoBack()
{
    m_txBuffer->SetSentListLost(true);
    m_txBuffer->CopyFromSequence(RecordLeft(m_una),
                                 m_txBuffer->HeadSequence()); // the head has just left again
    m_tcb->m_congState = TcpSocketState::CA_LOSS;
    m_tcb->m_cWnd = m_tcb->m_ssThresh.Get();
    m_recover = m_tcb->m_highTxMark; // all that was sent goes again, and ends this
    m_dupAckCount = 0;
    m_repeats = 0;
    m_repeatsDue = UnAckDataCount() / m_tcb->m_segmentSize;
    SendPendingData(m_connected);
}

// What was in flight at the last going back is answered by duplicates; more of them tell of another loss.
void IwarpTcpSocket::CountAfterGoBack()
{
    if (++m_repeats < m_repeatsDue + m_threshold)
        return;
    m_tcb->m_ssThresh = m_congestionControl->GetSsThresh(m_tcb, BytesInFlight());
    m_txBuffer->SetSentListLost(true);
    DoRetransmit();
    GoBack();
}

// ns-3 raises the congestion window even when it is not what limits; it would pass 2^32 and start again.
void IwarpTcpSocket::LimitCongestionWindow()
{
    const uint32_t limit = 2 * std::max(m_rWnd.Get(), m_tcb->m_segmentSize * m_settings.initialWindow);
    if (m_tcb->m_cWnd.Get() > limit && limit > m_tcb->m_segmentSize)
        m_tcb->m_cWnd = limit;
}

void IwarpTcpSocket::ReTxTimeout()
{
    if (m_txBuffer->Size())
        m_counts.timeouts++;
    m_restarting = true;
    TcpSocketBase::ReTxTimeout();
    m_restarting = false;
    if (!m_endPoint)
        m_state = CLOSED; // it has given up
    else if (m_settings.fixedWindow)
        SendPendingData(m_connected);
    TellOwner();
}

// A window smaller than the next record, and nothing in flight to bring the next acknowledgement: ask from time to
// time. Base code would ask with one octet of the record, which cuts it in two, and only at a window of zero.
void IwarpTcpSocket::ProbeIfStuck()
{
    if (m_state != ESTABLISHED && m_state != CLOSE_WAIT)
        return;
    if (UnAckDataCount() > 0) { // base code stops this timer at a window of zero
        if (m_retxEvent.IsExpired() && m_rWnd.Get() > 0)
            m_retxEvent = Simulator::Schedule(m_rto.Get(), &IwarpTcpSocket::ReTxTimeout, this);
    } else if (GetUnsent() > 0 && m_persistEvent.IsExpired() && AvailableWindow() < RecordLeft(m_una)) {
        m_persistEvent = Simulator::Schedule(m_persistTimeout, &IwarpTcpSocket::PersistTimeout, this);
    }
}

// An octet that the peer has already: it answers with its window (RFC 9293 3.8.6.1).
void IwarpTcpSocket::PersistTimeout()
{
    if (!m_endPoint)
        return;
    TcpHeader header;
    header.SetFlags(TcpHeader::ACK);
    header.SetSequenceNumber(m_txBuffer->HeadSequence() - 1);
    header.SetAckNumber(m_tcb->m_rxBuffer->NextRxSequence());
    header.SetWindowSize(AdvertisedWindowSize(true));
    header.SetSourcePort(m_endPoint->GetLocalPort());
    header.SetDestinationPort(m_endPoint->GetPeerPort());
    Ptr<Packet> probe = Create<Packet>(1);
    m_txTrace(probe, header, this);
    m_tcp->SendPacket(probe, header, m_endPoint->GetLocalAddress(), m_endPoint->GetPeerAddress(),
                      m_boundnetdevice);
    m_persistEvent = Simulator::Schedule(m_persistTimeout, &IwarpTcpSocket::PersistTimeout, this);
}

} // namespace ns3
