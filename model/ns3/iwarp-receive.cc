/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-receive.cc -- the receive side of a connection: staging -> TCP -> MPA -> DMA write -> delivery. */
#include "iwarp-channel.h"
#include "iwarp-connection.h"
#include "iwarp-fpdu-header.h"
#include "iwarp-rnic.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// What a TCP segment, header included, has of the stream.
struct Data {
    SequenceNumber32 seq;
    uint32_t octets;
};

Data DataIn(const Ptr<const Packet> &segment)
{
    uint8_t head[13];
    if (segment->CopyData(head, sizeof head) != sizeof head)
        return {SequenceNumber32(0), 0};
    const uint32_t header = (head[12] >> 4) * 4u;
    const uint32_t seq = static_cast<uint32_t>(head[4]) << 24 | static_cast<uint32_t>(head[5]) << 16 |
                         static_cast<uint32_t>(head[6]) << 8 | head[7];
    return {SequenceNumber32(seq), segment->GetSize() > header ? segment->GetSize() - header : 0};
}

uint8_t MarksOf(const Ptr<const Packet> &packet)
{
    IwarpMarkTag tag;
    return packet->PeekPacketTag(tag) ? tag.GetMarks() : uint8_t{0};
}

} // namespace

// ---- before TCP -------------------------------------------------------------------------------------------

void IwarpConnection::Arrived(IwarpTcpArrival &arrival)
{
    if (!m_rnic)
        return;
    const Data data = DataIn(arrival.packet);
    const uint64_t key = data.octets ? GetReceivedKey(data.seq) : IW_NEVER;
    if (key != IW_NEVER)
        m_rnic->m_landedTrace(this, key, key + data.octets);
    const iw_time now = GetNow(), ready = rnic_arrive(m_rnic->m_nic, now, m_number, data.octets);
    if (ready == IW_NEVER) {
        m_rnic->m_dropTrace(this, "staging", key, data.octets);
        return;
    }
    m_rnic->ReportStaging();
    m_staged.push_back(std::move(arrival));
    if (ready == now && m_staged.size() == 1)
        AcceptNext();
    else
        Simulator::Schedule(TimeStep(ready - now), &IwarpConnection::AcceptNext, Ptr<IwarpConnection>(this));
}

void IwarpConnection::AcceptNext()
{
    if (!m_rnic)
        return;
    Ptr<IwarpConnection> alive(this);
    const IwarpTcpArrival arrival = std::move(m_staged.front());
    m_staged.pop_front();
    m_arriving = DataIn(arrival.packet).octets;
    const uint64_t known = m_socket->GetCounts().known;
    m_socket->Accept(arrival);
    if (!m_rnic)
        return;
    if (m_socket->GetCounts().known != known && !(MarksOf(arrival.packet) & IwarpMarkTag::DUPLICATED))
        m_spurious++;
    if (m_arriving)
        rnic_release(m_rnic->m_nic, m_arriving); // TCP had no use for it, or it was refused
    if (m_arriving)
        m_rnic->ReportStaging();
    m_arriving = 0;
}

// ---- TCP accepts ------------------------------------------------------------------------------------------

uint32_t IwarpConnection::Take(uint64_t offset, const Ptr<const Packet> &octets, bool inOrder)
{
    if (m_state == STARTING)
        return StartUpInput(octets);
    if (m_state != OPEN || offset < m_rxBase)
        return octets->GetSize();
    if (!inOrder && HoldBack(offset - m_rxBase, octets->GetSize()))
        return 0;
    mpa_arrival in{};
    mpa_mark mark{};
    in.offset = offset - m_rxBase;
    LandingPtr landing = Land(octets, in, mark);
    if (!inOrder && m_rnic->m_conf.receive == RNIC_HOLD && !Hold(landing, in))
        return 0;
    const uint64_t bad = mpa_statistics(m_rx)->crc_bad;
    const uint32_t taken = mpa_arrive(m_rx, &in);
    if (!taken) {
        const bool crc = mpa_statistics(m_rx)->crc_bad != bad;
        m_rnic->m_dropTrace(this, crc ? "crc" : "room", in.offset, in.len);
        Release(landing);
        return crc ? SILENT : 0;
    }
    m_taking = true;
    if (!inOrder)
        m_late.insert(in.offset);
    if (m_rnic->m_conf.receive == RNIC_COPY)
        IntoKernel(landing);
    Drain(landing);
    m_taking = false;
    return taken;
}

// A segment ahead of its turn that this adapter never keeps.
bool IwarpConnection::HoldBack(uint64_t key, uint32_t size)
{
    if (m_rnic->m_conf.receive != RNIC_DISCARD)
        return false;
    m_rnic->m_dropTrace(this, "order", key, size);
    return true;
}

// Into NIC memory, if there is room; what is there already stays.
bool IwarpConnection::Hold(const LandingPtr &landing, const mpa_arrival &in)
{
    if (m_held.count(in.offset))
        return true;
    if (mpa_would_take(m_rx, &in) < in.len || !rnic_hold(m_rnic->m_nic, landing->staged)) {
        m_rnic->m_dropTrace(this, "hold", in.offset, in.len);
        Release(landing);
        return false;
    }
    m_held[in.offset] = landing->staged;
    m_heldOctets += landing->staged;
    m_backlog -= landing->staged;
    landing->staged = 0;
    m_rnic->ReportStaging();
    m_rnic->m_heldTrace(rnic_statistics(m_rnic->m_nic)->held);
    return true;
}

// The octets of a segment, or its mark, as MPA takes them; the staging that they take passes to the landing.
IwarpConnection::LandingPtr IwarpConnection::Land(const Ptr<const Packet> &octets, mpa_arrival &in,
                                                  mpa_mark &mark)
{
    LandingPtr landing = std::make_shared<Landing>();
    in.len = octets->GetSize();
    landing->from = in.offset;
    landing->to = in.offset + in.len;
    landing->staged = m_arriving;
    m_backlog += m_arriving;
    m_arriving = 0;
    if (IsReal()) {
        landing->octets.resize(in.len);
        octets->CopyData(landing->octets.data(), in.len);
        in.octets = landing->octets.data();
        return landing;
    }
    const bool whole = IwarpFpduHeader::Peek(octets, &mark) &&
                       mpa_fpdu_size(in.offset, mark.ulpdu_len, m_start->agreed.markers_rx) == in.len;
    NS_ABORT_MSG_UNLESS(whole, "payload none: a TCP segment that is not one FPDU");
    mark.key = in.offset;
    mark.bad = MarksOf(octets) & IwarpMarkTag::CORRUPTED;
    in.marks = 1;
    in.mark = &mark;
    return landing;
}

void IwarpConnection::Release(const LandingPtr &landing)
{
    if (!landing->staged)
        return;
    rnic_release(m_rnic->m_nic, landing->staged);
    m_backlog -= landing->staged;
    landing->staged = 0;
    m_rnic->ReportStaging();
}

// ---- placing ----------------------------------------------------------------------------------------------

// Every FPDU that MPA has now. What is in order afterwards may be delivered when the last placement under way ends.
void IwarpConnection::Drain(const LandingPtr &landing)
{
    mpa_fpdu fpdu;
    int result;
    while ((result = mpa_next(m_rx, &fpdu)) == 1) {
        const bool here = landing && fpdu.key < landing->to && fpdu.end > landing->from;
        Place(fpdu, here ? landing : nullptr);
    }
    if (result > 1)
        m_failure = result;
    if (landing && !landing->waiting)
        Release(landing);
    ReportState();
    const uint64_t edge = mpa_edge(m_rx);
    if (m_rnic->m_conf.receive == RNIC_COPY)
        CheckEnd();
    else if (m_placing.empty())
        Deliver(edge);
    else
        m_placing.back().edge = edge;
}

void IwarpConnection::Place(const mpa_fpdu &fpdu, const LandingPtr &landing)
{
    Placement p{};
    mpa_seg(&fpdu, &p.seg);
    p.ahead = !fpdu.in_order;
    p.landing = landing;
    if (!fpdu.again)
        m_rnic->m_arrivedTrace(this, fpdu.key, p.seg.payload_len, p.ahead, m_late.count(fpdu.key) > 0);
    if (m_rnic->m_conf.receive == RNIC_COPY) {
        p.edge = fpdu.end;
        Keep(p, fpdu);
        p.after = m_kernelIssued;
        m_reads.push_back(std::move(p));
        CopyNext();
        return;
    }
    const iw_time now = GetNow();
    const int verdict = iw_check(m_ep, now, &p.seg, &p.place);
    if (verdict == IW_LATER) {
        mpa_keep(m_rx);
        m_kept = true;
    }
    if (verdict != IW_OK)
        return;
    const bool toMemory = p.place.stag && p.seg.payload_len; // a header that RDMAP keeps stays on the adapter
    const iw_time done = toMemory ? rnic_place(m_rnic->m_nic, now, p.place.stag, p.seg.payload_len) : now;
    m_lastPlaced = std::max(m_lastPlaced, done);
    if (m_lastPlaced <= now && m_placing.empty()) {
        Commit(p);
        return;
    }
    Keep(p, fpdu);
    if (landing)
        landing->waiting++;
    m_placing.push_back(std::move(p));
    Simulator::Schedule(TimeStep(std::max(m_lastPlaced, now) - now), &IwarpConnection::PlaceDone,
                        Ptr<IwarpConnection>(this));
}

// MPA's octets are borrowed; those of the landing live as long as the placement.
void IwarpConnection::Keep(Placement &p, const mpa_fpdu &fpdu) const
{
    if (!fpdu.ulpdu)
        return;
    if (!IsReal()) {
        const uint8_t *octets = static_cast<const uint8_t *>(p.seg.frag[0].octets);
        if (!octets)
            return;
        p.own.assign(octets, octets + p.seg.payload_len); // a Read Request's, a Terminate's
        p.seg.frag[0].octets = p.own.data();
        return;
    }
    const std::vector<uint8_t> *landed = p.landing ? &p.landing->octets : nullptr;
    if (landed && !landed->empty() && fpdu.ulpdu >= landed->data() &&
        fpdu.ulpdu < landed->data() + landed->size())
        return;
    p.own.assign(fpdu.ulpdu, fpdu.ulpdu + fpdu.octets);
    iw_seg_view(&p.seg, fpdu.key, p.own.data(), fpdu.octets);
}

void IwarpConnection::Commit(const Placement &p)
{
    if (iw_commit(m_ep, GetNow(), &p.seg, &p.place) == IW_OK)
        m_rnic->m_placedTrace(this, p.seg.key, p.place, p.ahead);
}

void IwarpConnection::PlaceDone()
{
    if (!m_rnic)
        return;
    const Placement p = std::move(m_placing.front());
    m_placing.pop_front();
    Commit(p);
    if (p.landing && --p.landing->waiting == 0)
        Release(p.landing);
    if (p.edge)
        Deliver(p.edge);
    else
        OpenWindow();
}

void IwarpConnection::Deliver(uint64_t edge)
{
    iw_message message;
    int result;
    const bool advanced = m_rxBase + edge > m_inPlace;
    while ((result = iw_deliver(m_ep, GetNow(), edge, &message)) == 1)
        m_rnic->m_deliveredTrace(this, message);
    if (result == 0 && advanced)
        m_rnic->m_edgeTrace(this, edge);
    m_inPlace = std::max(m_inPlace, m_rxBase + edge);
    m_late.erase(m_late.begin(), m_late.lower_bound(edge));
    Unhold(edge);
    Consume();
    ReportState();
    if (m_kept && advanced)
        Again();
    OpenWindow();
    CheckEnd();
    Settle();
    if (m_rnic && iw_has_work(m_ep))
        MakeReady();
}

// What the endpoint wanted later: now it may be in order, or its buffer is there.
void IwarpConnection::Again()
{
    if (!m_rnic || !m_rx)
        return;
    if (m_rnic->m_conf.receive == RNIC_COPY) {
        CopyNext();
        return;
    }
    if (!m_kept)
        return;
    m_kept = false;
    mpa_again(m_rx);
    Drain(nullptr);
}

void IwarpConnection::Unhold(uint64_t edge)
{
    if (m_held.empty() || m_held.begin()->first >= edge)
        return;
    for (auto it = m_held.begin(); it != m_held.end() && it->first < edge; it = m_held.erase(it)) {
        rnic_unhold(m_rnic->m_nic, it->second);
        m_heldOctets -= it->second;
    }
    m_rnic->m_heldTrace(rnic_statistics(m_rnic->m_nic)->held);
}

void IwarpConnection::ReportState()
{
    const uint64_t octets = static_cast<uint64_t>(iw_statistics(m_ep)->remembered) * iw_ooo_state_octets();
    if (octets == m_stateOctets)
        return;
    m_rnic->m_stateOctets += octets - m_stateOctets;
    m_stateOctets = octets;
    m_rnic->m_stateTrace(m_rnic->m_stateOctets);
}

// ---- copy: the kernel's buffer first, then the CPU --------------------------------------------------------

void IwarpConnection::IntoKernel(const LandingPtr &landing)
{
    const iw_time now = GetNow(), done = rnic_place(m_rnic->m_nic, now, 0, landing->staged);
    m_kernel.push_back(landing);
    m_kernelIssued++;
    landing->waiting++;
    Simulator::Schedule(TimeStep(done - now), &IwarpConnection::KernelDone, Ptr<IwarpConnection>(this));
}

void IwarpConnection::KernelDone()
{
    if (!m_rnic)
        return;
    const LandingPtr landing = std::move(m_kernel.front());
    m_kernel.pop_front();
    m_kernelFinished++;
    landing->waiting--;
    Release(landing);
    CopyNext();
    OpenWindow();
}

// The ULP sleeps until there is something to read, and then reads until there is nothing.
void IwarpConnection::CopyNext()
{
    if (!m_rnic || m_copying || m_reads.empty() || m_reads.front().after > m_kernelFinished)
        return;
    const iw_time now = GetNow(), inside = rnic_syscall(m_rnic->m_nic, now);
    m_copying = true;
    Simulator::Schedule(TimeStep(inside - now), &IwarpConnection::CopyStart, Ptr<IwarpConnection>(this));
}

void IwarpConnection::CopyStart()
{
    if (!m_rnic)
        return;
    const iw_time now = GetNow(), done = rnic_copy(m_rnic->m_nic, now, m_reads.front().seg.payload_len);
    Simulator::Schedule(TimeStep(done - now), &IwarpConnection::CopyDone, Ptr<IwarpConnection>(this));
}

void IwarpConnection::CopyDone()
{
    if (!m_rnic)
        return;
    Placement &p = m_reads.front();
    const int verdict = iw_check(m_ep, GetNow(), &p.seg, &p.place);
    m_copying = false;
    if (verdict == IW_LATER)
        return; // a receive that is posted calls Again()
    if (verdict == IW_OK)
        Commit(p);
    const uint64_t edge = p.edge;
    m_reads.pop_front();
    if (!m_reads.empty() && m_reads.front().after <= m_kernelFinished) {
        m_copying = true;
        CopyStart();
    }
    Deliver(edge);
}

// ---- the ULP consumes, the window opens -------------------------------------------------------------------

void IwarpConnection::Consume()
{
    const uint64_t rate = m_rnic->m_consumeRate.GetBitRate();
    if (!rate)
        m_consumed = m_inPlace;
    if (m_consuming || m_consumed == m_inPlace)
        return;
    const uint64_t octets = std::min<uint64_t>(m_inPlace - m_consumed, m_rnic->GetEmss());
    m_consuming = true;
    Simulator::Schedule(m_rnic->m_consumeRate.CalculateBytesTxTime(static_cast<uint32_t>(octets)),
                        &IwarpConnection::ConsumeDone, Ptr<IwarpConnection>(this), octets);
}

void IwarpConnection::ConsumeDone(uint64_t octets)
{
    if (!m_rnic)
        return;
    m_consuming = false;
    m_consumed += octets;
    Consume();
    OpenWindow();
}

rnic_window_state IwarpConnection::WindowState(uint64_t next) const
{
    rnic_window_state state{};
    state.next = next;
    state.backlog = m_backlog;
    state.held = m_heldOctets;
    state.consumed = m_state < OPEN ? next : m_consumed;
    state.staging = rnic_statistics(m_rnic->m_nic)->staging;
    return state;
}

uint64_t IwarpConnection::WindowField(uint64_t next)
{
    if (!m_rnic)
        return m_field;
    const rnic_window_state state = WindowState(next);
    m_field = rnic_window_advertise(&m_window, GetNow(), &state);
    m_rnic->m_windowTrace(this, next, m_field << m_socket->GetShift());
    return m_field;
}

// An acknowledgement that says nothing but the window; when TCP is about to send one anyway, that one will do.
void IwarpConnection::OpenWindow()
{
    if (m_taking || m_state != OPEN)
        return;
    const rnic_window_state state = WindowState(m_socket->GetNextReceived());
    if (rnic_window_opened(&m_window, &state))
        m_socket->UpdateWindow();
}

// ---- the end of the peer's stream -------------------------------------------------------------------------

void IwarpConnection::Finished(uint64_t offset)
{
    if (!m_rnic)
        return;
    if (!m_rx) {
        Down(false);
        return;
    }
    mpa_fin(m_rx, offset - m_rxBase);
    m_finSeen = true;
    CheckEnd();
    Settle();
}

// The stream's error, or its end, when everything before it is in place.
void IwarpConnection::CheckEnd()
{
    if (m_failure && !m_failed && m_placing.empty() && m_reads.empty()) {
        m_failed = true;
        iw_llp_failed(m_ep, GetNow(), m_failure);
        MakeReady();
        Settle();
    }
    if (!m_finSeen || m_finTold || !m_placing.empty() || !m_reads.empty())
        return;
    const mpa_end end = mpa_ended(m_rx);
    if (end == MPA_OPEN)
        return;
    m_finTold = true;
    iw_llp(m_ep, GetNow(), end == MPA_FIN ? IW_LLP_FIN : IW_LLP_LOST);
}

} // namespace ns3
