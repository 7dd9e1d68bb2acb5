/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-sctp-receive.cc -- the receive side of an association: staging -> SCTP -> DDP -> DMA write -> delivery. */
#include "iwarp-channel.h"
#include "iwarp-sctp-association.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Has the packet DATA? `packet` is what an association takes.
bool HasData(const std::vector<uint8_t> &packet)
{
    uint32_t at = SCTP_HEAD;
    while (at + 4 <= packet.size()) {
        const uint32_t len = static_cast<uint32_t>(packet[at + 2] << 8 | packet[at + 3]);
        if (packet[at] == SCTP_DATA && len > SCTP_DATA_HEAD)
            return true;
        if (len < 4)
            return false;
        at += (len + 3) & ~3u;
    }
    return false;
}

uint8_t MarksOf(const Ptr<const Packet> &packet)
{
    IwarpMarkTag tag;
    return packet->PeekPacketTag(tag) ? tag.GetMarks() : uint8_t{0};
}

/// Octets of the chunk's user data, as SCTP counts them.
uint32_t UserData(const iw_seg &seg)
{
    return SCTP_DDP_HEAD + seg.head_len + seg.payload_len;
}

} // namespace

// ---- before SCTP ------------------------------------------------------------------------------------------

void IwarpSctpAssociation::Arrived(const Ptr<const Packet> &packet)
{
    if (m_dead)
        return;
    LandingPtr landing = std::make_shared<Landing>();
    landing->octets.resize(packet->GetSize());
    packet->CopyData(landing->octets.data(), packet->GetSize());
    const uint32_t octets = HasData(landing->octets) ? packet->GetSize() - SCTP_HEAD : 0;
    const iw_time now = Now(), ready = rnic_arrive(m_rnic->m_nic, now, m_lane[0]->number, octets);
    if (ready == IW_NEVER)
        return;
    landing->staged = octets;
    m_backlog += octets;
    m_rnic->ReportStaging();
    m_staged.emplace_back(landing, !IsReal() && (MarksOf(packet) & IwarpMarkTag::CORRUPTED));
    if (ready <= now && m_staged.size() == 1)
        AcceptNext();
    else
        Simulator::Schedule(TimeStep(ready - now), &IwarpSctpAssociation::AcceptNext,
                            Ptr<IwarpSctpAssociation>(this));
}

void IwarpSctpAssociation::AcceptNext()
{
    if (m_dead)
        return;
    const LandingPtr landing = m_staged.front().first;
    const bool bad = m_staged.front().second;
    m_staged.pop_front();
    sctp_in in;
    const uint64_t dropped = sctp_statistics(m_sctp)->dropped;
    const int result = bad ? IW_EINVAL
                           : sctp_receive(m_sctp, Now(), landing->octets.data(),
                                          static_cast<uint32_t>(landing->octets.size()));
    m_checksumErrors += bad || (landing->staged && sctp_statistics(m_sctp)->dropped != dropped);
    if (result == IW_OK && landing->staged && m_rnic->m_conf.receive == RNIC_COPY)
        IntoKernel(landing);
    while (result == IW_OK && sctp_next(m_sctp, &in))
        if (!Take(in, landing))
            sctp_refuse(m_sctp);
    if (!landing->waiting)
        Release(landing);
    After();
}

void IwarpSctpAssociation::Release(const LandingPtr &landing)
{
    if (!landing->staged)
        return;
    rnic_release(m_rnic->m_nic, landing->staged);
    m_backlog -= landing->staged;
    landing->staged = 0;
    m_rnic->ReportStaging();
}

// ---- a chunk, and what it lets through --------------------------------------------------------------------

bool IwarpSctpAssociation::Take(const sctp_in &in, const LandingPtr &landing)
{
    sctp_ddp_told told;
    if (in.stream >= m_lane.size())
        return true;
    switch (sctp_ddp_receive(m_ddp, Now(), &in, &told)) {
    case SCTP_DDP_REFUSED: return false;
    case SCTP_DDP_INITIATED:
        if (m_lane[in.stream]->up || sctp_ddp_accept(m_ddp, Now(), in.stream, nullptr, 0) != IW_OK)
            sctp_ddp_reject(m_ddp, Now(), in.stream, nullptr, 0); // the endpoint has had its session
        else
            Open(in.stream);
        break;
    case SCTP_DDP_ACCEPTED: Open(in.stream); break;
    default: break;
    }
    return Drain(in.stream, landing);
}

bool IwarpSctpAssociation::Drain(uint16_t stream, const LandingPtr &landing)
{
    sctp_ddp_segment in;
    bool taken = true;
    while (taken && sctp_ddp_next(m_ddp, stream, &in)) {
        const size_t before = m_placing.size();
        taken = Accept(stream, in, landing);
        const uint64_t edge = sctp_ddp_edge(m_ddp, stream);
        if (m_placing.size() != before)
            m_placing.back().edge = edge;
        else if (!m_lane[stream]->placing)
            Deliver(stream, edge);
    }
    if (!m_lane[stream]->placing)
        Deliver(stream, sctp_ddp_edge(m_ddp, stream));
    return taken;
}

// False: there is no room to keep it.
bool IwarpSctpAssociation::Accept(uint16_t stream, const sctp_ddp_segment &in, const LandingPtr &landing)
{
    Lane &lane = *m_lane[stream];
    const uint64_t key = in.seg.key;
    const uint32_t octets = UserData(in.seg);
    const bool waits = m_rnic->m_conf.receive == RNIC_HOLD && !in.in_order;
    const bool taken = waits ? Hold(stream, in, landing) : Place(stream, in, landing);
    if (taken && !in.again && m_rnic->m_conf.window.policy == RNIC_BUFFER) {
        lane.unread[key] = octets;
        m_unread += octets;
    }
    return taken;
}

// Ahead of its turn: into NIC memory, if there is room.
bool IwarpSctpAssociation::Hold(uint16_t stream, const sctp_ddp_segment &in, const LandingPtr &landing)
{
    Lane &lane = *m_lane[stream];
    const uint64_t key = in.seg.key;
    const uint32_t octets = std::min(landing->staged, SCTP_DATA_HEAD + UserData(in.seg));
    if (!rnic_hold(m_rnic->m_nic, octets)) {
        sctp_ddp_refuse(m_ddp, stream);
        return false;
    }
    lane.held[key] = octets;
    landing->staged -= octets;
    m_backlog -= octets;
    m_heldOctets += octets;
    m_rnic->ReportStaging();
    m_rnic->m_heldTrace(rnic_statistics(m_rnic->m_nic)->held);
    m_owner->Arrived(lane.user, key, in.seg.payload_len, true);
    if (sctp_ddp_keep(m_ddp, stream) == IW_OK)
        return true;
    Unhold(lane, lane.held.find(key));
    return false;
}

void IwarpSctpAssociation::Unhold(Lane &lane, std::map<uint64_t, uint32_t>::iterator one)
{
    rnic_unhold(m_rnic->m_nic, one->second);
    m_heldOctets -= one->second;
    lane.held.erase(one);
    m_rnic->m_heldTrace(rnic_statistics(m_rnic->m_nic)->held);
}

// ---- placing ----------------------------------------------------------------------------------------------

// False: there is no room to keep it.
bool IwarpSctpAssociation::Place(uint16_t stream, const sctp_ddp_segment &in, const LandingPtr &landing)
{
    Lane &lane = *m_lane[stream];
    const iw_time now = Now();
    Placement p{};
    p.seg = in.seg;
    p.stream = stream;
    p.ooo = !in.in_order;
    if (!in.again)
        m_owner->Arrived(lane.user, in.seg.key, in.seg.payload_len, p.ooo);
    const int verdict = iw_check(lane.ep, now, &p.seg, &p.place);
    if (verdict == IW_LATER) {
        lane.kept = true;
        return sctp_ddp_keep(m_ddp, stream) == IW_OK;
    }
    if (verdict != IW_OK)
        return true;
    if (m_rnic->m_conf.receive == RNIC_COPY) {
        p.after = in.again ? 0 : m_kernelIssued;
        Keep(std::move(p), in.again, landing);
        CopyNext();
        return true;
    }
    const bool toMemory = p.place.stag && p.seg.payload_len;
    const iw_time done = toMemory ? rnic_place(m_rnic->m_nic, now, p.place.stag, p.seg.payload_len) : now;
    m_lastPlaced = std::max(m_lastPlaced, done);
    if (m_lastPlaced <= now && m_placing.empty()) {
        Commit(p);
        return true;
    }
    if (landing && !in.again)
        landing->waiting++;
    Keep(std::move(p), in.again, landing);
    Simulator::Schedule(TimeStep(std::max(m_lastPlaced, now) - now), &IwarpSctpAssociation::PlaceDone,
                        Ptr<IwarpSctpAssociation>(this));
    return true;
}

// Its octets live as long as it is under way: in the landing, or (what was kept) in its own.
void IwarpSctpAssociation::Keep(Placement &&p, bool again, const LandingPtr &landing)
{
    const uint8_t *octets = p.seg.frags ? static_cast<const uint8_t *>(p.seg.frag[0].octets) : nullptr;
    if (again && octets) {
        p.own.assign(octets, octets + p.seg.payload_len);
        p.seg.frag[0].octets = p.own.data();
    } else if (!again) {
        p.landing = landing;
    }
    m_lane[p.stream]->placing++;
    m_placing.push_back(std::move(p));
}

void IwarpSctpAssociation::Commit(const Placement &p)
{
    if (iw_commit(m_lane[p.stream]->ep, Now(), &p.seg, &p.place) == IW_OK)
        m_owner->Placed(m_lane[p.stream]->user, p.seg.key, p.place, p.ooo);
}

void IwarpSctpAssociation::PlaceDone()
{
    if (m_dead)
        return;
    const LandingPtr landing = m_placing.front().landing;
    if (landing && --landing->waiting == 0)
        Release(landing);
    Placed();
}

// The first of those under way is in place.
void IwarpSctpAssociation::Placed()
{
    const Placement p = std::move(m_placing.front());
    m_placing.pop_front();
    m_lane[p.stream]->placing--;
    Commit(p);
    if (p.edge)
        Deliver(p.stream, p.edge);
    After();
}

void IwarpSctpAssociation::Deliver(uint16_t stream, uint64_t edge)
{
    if (m_dead || !m_owner)
        return;
    Lane &lane = *m_lane[stream];
    const bool advanced = edge > lane.edge;
    iw_message message;
    int result = 0;
    while (advanced && (result = iw_deliver(lane.ep, Now(), edge, &message)) == 1)
        m_owner->Delivered(lane.user, message);
    if (advanced) {
        lane.edge = edge;
        if (result == 0)
            m_owner->Edge(lane.user, edge);
    }
    while (!lane.held.empty() && lane.held.begin()->first < edge)
        Unhold(lane, lane.held.begin());
    for (; !lane.unread.empty() && lane.unread.begin()->first < edge;
         lane.unread.erase(lane.unread.begin())) {
        m_unread -= lane.unread.begin()->second;
        lane.unconsumed += lane.unread.begin()->second;
        m_unconsumed += lane.unread.begin()->second;
    }
    Consume(stream);
    if (lane.kept) { // in its turn now, or there is a buffer for it
        lane.kept = false;
        sctp_ddp_again(m_ddp, stream);
        Drain(stream, nullptr);
    }
    if (!lane.toldFin && !lane.placing && sctp_ddp_peer_ended(m_ddp, stream)) {
        lane.toldFin = true;
        iw_llp(lane.ep, Now(), IW_LLP_FIN);
    }
    Settle(stream);
    if (iw_has_work(lane.ep))
        m_rnic->Ready(lane.number);
}

// The stream is no more: nobody will read what waits in it.
void IwarpSctpAssociation::Forget(Lane &lane)
{
    while (!lane.held.empty())
        Unhold(lane, lane.held.begin());
    for (const auto &[key, octets] : lane.unread)
        m_unread -= octets;
    lane.unread.clear();
}

// ---- copy: the kernel's buffer first, then the CPU --------------------------------------------------------

void IwarpSctpAssociation::IntoKernel(const LandingPtr &landing)
{
    const iw_time now = Now(), done = rnic_place(m_rnic->m_nic, now, 0, landing->staged);
    m_kernel.push_back(landing);
    m_kernelIssued++;
    landing->waiting++;
    Simulator::Schedule(TimeStep(done - now), &IwarpSctpAssociation::KernelDone,
                        Ptr<IwarpSctpAssociation>(this));
}

void IwarpSctpAssociation::KernelDone()
{
    if (m_dead)
        return;
    const LandingPtr landing = std::move(m_kernel.front());
    m_kernel.pop_front();
    m_kernelFinished++;
    landing->waiting--;
    Release(landing);
    CopyNext();
    After();
}

// The ULP sleeps until there is a message to read, and then reads until there is none.
void IwarpSctpAssociation::CopyNext()
{
    if (m_dead || m_copying || m_placing.empty() || m_placing.front().after > m_kernelFinished)
        return;
    const iw_time now = Now(), inside = rnic_syscall(m_rnic->m_nic, now);
    m_copying = true;
    Simulator::Schedule(TimeStep(inside - now), &IwarpSctpAssociation::CopyStart,
                        Ptr<IwarpSctpAssociation>(this));
}

void IwarpSctpAssociation::CopyStart()
{
    if (m_dead)
        return;
    const iw_time now = Now(), done = rnic_copy(m_rnic->m_nic, now, m_placing.front().seg.payload_len);
    Simulator::Schedule(TimeStep(done - now), &IwarpSctpAssociation::CopyDone,
                        Ptr<IwarpSctpAssociation>(this));
}

void IwarpSctpAssociation::CopyDone()
{
    if (m_dead)
        return;
    m_copying = false;
    Placed();
    if (m_copying || m_placing.empty() || m_placing.front().after > m_kernelFinished)
        return;
    m_copying = true;
    CopyStart();
}

// ---- the ULP consumes, the window opens -------------------------------------------------------------------

// What is delivered on a stream is read at the stream's own rate.
void IwarpSctpAssociation::Consume(uint16_t stream)
{
    Lane &lane = *m_lane[stream];
    if (lane.consuming || !lane.unconsumed)
        return;
    if (!m_rnic->m_consumeRate.GetBitRate()) {
        m_unconsumed -= lane.unconsumed;
        lane.unconsumed = 0;
        return;
    }
    const uint64_t octets = std::min<uint64_t>(lane.unconsumed, m_packet.size());
    lane.consuming = true;
    Simulator::Schedule(m_rnic->m_consumeRate.CalculateBytesTxTime(static_cast<uint32_t>(octets)),
                        &IwarpSctpAssociation::ConsumeDone, Ptr<IwarpSctpAssociation>(this), stream, octets);
}

void IwarpSctpAssociation::ConsumeDone(uint16_t stream, uint64_t octets)
{
    if (m_dead)
        return;
    Lane &lane = *m_lane[stream];
    lane.consuming = false;
    lane.unconsumed -= octets;
    m_unconsumed -= octets;
    Consume(stream);
    After();
}

// a_rwnd follows the policy. What has been received, in whatever order, is N: credit is for what is not here yet.
void IwarpSctpAssociation::Credit()
{
    rnic_window_state state{};
    state.next = sctp_statistics(m_sctp)->octets_rx;
    state.consumed = state.next - std::min(state.next, m_unread + m_unconsumed);
    state.backlog = std::min<uint64_t>(m_backlog, m_rnic->m_conf.window.bytes);
    state.held = m_heldOctets;
    state.staging = rnic_statistics(m_rnic->m_nic)->staging;
    if (state.next == m_credit.next && state.backlog == m_credit.backlog && state.held == m_credit.held &&
        state.consumed == m_credit.consumed)
        return;
    m_credit = state;
    const uint64_t window = rnic_window_advertise(&m_window, Now(), &state);
    sctp_credit(m_sctp, Now(), static_cast<uint32_t>(std::min<uint64_t>(window, UINT32_MAX)));
    m_owner->Window(m_lane[0]->user, state.next, window);
}

} // namespace ns3
