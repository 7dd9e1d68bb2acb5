/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-sctp-association.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstring>

namespace ns3
{

namespace
{

constexpr uint32_t IP_HEAD = 20, RESERVE = 16;
constexpr uint16_t SLOTS = 256; // segments that wait for a receive buffer
constexpr int64_t LINGER =
    1 << 11; // smallest timeouts: the association itself gives up before (10 of them, doubling)

uint16_t PowerOfTwo(uint64_t least, uint64_t most)
{
    uint64_t n = SCTP_CHUNKS_MIN;
    while (n < least && n < most)
        n *= 2;
    return static_cast<uint16_t>(std::min(n, most));
}

} // namespace

// ---- building ---------------------------------------------------------------------------------------------

IwarpSctpAssociation::IwarpSctpAssociation(const Ptr<IwarpRnic> &rnic, const Configuration &configuration,
                                           IwarpSctpOwner *owner)
    : m_rnic(rnic), m_configuration(configuration), m_owner(owner)
{
    const Configuration &c = configuration;
    const uint32_t mtu = (rnic->m_mtu - IP_HEAD) & ~3u;
    const auto ps = [](Time t) { return static_cast<iw_time>(t.GetTimeStep()); };
    rnic->Ensure();
    sctp_conf conf;
    sctp_defaults(&conf);
    conf.local_port = c.localPort;
    conf.remote_port = c.remotePort;
    conf.mtu = mtu;
    conf.streams = static_cast<uint16_t>(c.users.size());
    conf.chunks = PowerOfTwo(2 * (rnic->m_conf.window.bytes + c.sendBuffer) / mtu + 2 * c.users.size(),
                             SCTP_CHUNKS_MAX);
    conf.head_max = IsReal() ? 0 : SCTP_DDP_HEAD_MAX;
    conf.store =
        IsReal() ? std::max(c.sendBuffer, 2 * mtu) : static_cast<uint32_t>(conf.chunks) * SCTP_DDP_HEAD_MAX;
    conf.hold = 0; // of SCTP's own: all is unordered
    conf.rwnd = static_cast<uint32_t>(rnic->m_conf.window.bytes);
    conf.adapts = true;
    conf.adaptation = SCTP_DDP_INDICATION;
    conf.secret[0] = c.secret;
    conf.secret[1] = c.active;
    conf.rto_min = ps(c.minRto);
    conf.rto_initial = std::max(conf.rto_initial, conf.rto_min);
    conf.rto_max = std::max(conf.rto_max, conf.rto_initial);
    conf.sack_delay = ps(c.sackDelay);
    conf.sack_every = c.sackEvery;
    const char *error = sctp_conf_error(&conf);
    NS_ABORT_MSG_IF(error, "IwarpSctpAssociation: " << error);
    m_sctp = sctp_init(m_sctpMemory.Allocate(sctp_size(&conf)), &conf);
    sctp_ddp_conf ddp{};
    ddp.streams = conf.streams;
    ddp.reorder = conf.chunks;
    ddp.keep = rnic->m_conf.receive == RNIC_HOLD ? std::max(conf.chunks, SLOTS) : SLOTS;
    ddp.pending = conf.streams;
    ddp.reserve = RESERVE;
    ddp.shut_down = true;
    m_ddp = sctp_ddp_init(m_ddpMemory.Allocate(sctp_ddp_size(&ddp, &conf)), &ddp, &conf, m_sctp);
    m_packet.resize(mtu);
    m_head = conf.head_max;
    rnic_window_init(&m_window, &rnic->m_conf.window, mtu, 0);
    for (size_t i = 0; i < c.users.size(); i++) {
        m_lane.push_back(std::make_unique<Lane>());
        Lane &lane = *m_lane.back();
        lane.user = c.users[i];
        MakeEndpoint(lane, c.streams[i]);
        const std::function<void()> free = i ? std::function<void()>() : [this] { PortFree(); };
        lane.number = rnic->AddSender([this, i] { return SendOne(static_cast<uint16_t>(i)); }, free);
    }
    m_protocol = IwarpSctpProtocol::Of(rnic->GetObject<Node>());
    m_protocol->Bind(c.remote, c.remotePort, c.localPort, [this](const Ptr<const Packet> &p) { Arrived(p); });
}

void IwarpSctpAssociation::MakeEndpoint(Lane &lane, uint32_t stream)
{
    iw_conf conf{};
    conf.stags = m_rnic->m_stags;
    conf.send_cq = m_rnic->m_sendCq;
    conf.recv_cq = m_rnic->m_recvCq;
    conf.user = lane.user;
    conf.trust = 1;
    conf.pd = m_rnic->m_protectionDomain;
    conf.stream = stream;
    conf.mulpdu = sctp_ddp_mulpdu(m_ddp);
    conf.llp = IW_LLP_ALL;
    conf.profile = m_rnic->m_profile;
    conf.complete_on = static_cast<iw_complete_on>(m_rnic->m_completeOn);
    conf.sq_max = m_rnic->m_sendQueue;
    conf.rq_max = m_rnic->m_receiveQueue;
    conf.ord = m_rnic->m_ord;
    conf.ird = m_rnic->m_ird;
    conf.reorder_max = PowerOfTwo(2 * m_rnic->m_conf.window.bytes / conf.mulpdu, SCTP_CHUNKS_MAX);
    conf.linger = static_cast<iw_time>((m_configuration.minRto * LINGER).GetTimeStep());
    const char *error = iw_conf_error(&conf);
    NS_ABORT_MSG_IF(error, "IwarpSctpAssociation: " << error);
    lane.ep = iw_ep_init(lane.memory.Allocate(iw_ep_size(&conf)), &conf);
}

void IwarpSctpAssociation::Start()
{
    if (m_configuration.active)
        sctp_connect(m_sctp, Now());
    After();
}

void IwarpSctpAssociation::Dispose()
{
    m_dead = true;
    m_timer.Cancel();
    m_transmitTimer.Cancel();
    for (const std::unique_ptr<Lane> &lane : m_lane)
        lane->timer.Cancel();
    m_owner = nullptr;
}

iw_time IwarpSctpAssociation::Now() const
{
    return static_cast<iw_time>(Simulator::Now().GetTimeStep());
}

bool IwarpSctpAssociation::IsReal() const
{
    return m_rnic->m_payload == IwarpRnic::REAL;
}

iw_ep *IwarpSctpAssociation::GetEndpoint(uint16_t stream) const
{
    return m_lane[stream]->ep;
}

const sctp_stats *IwarpSctpAssociation::GetStatistics() const
{
    return sctp_statistics(m_sctp);
}

uint64_t IwarpSctpAssociation::GetChecksumErrors() const
{
    return m_checksumErrors;
}

// ---- the ULP ----------------------------------------------------------------------------------------------

int IwarpSctpAssociation::Post(uint16_t stream, const iw_work &work)
{
    Lane &lane = *m_lane[stream];
    const iw_time now = Now();
    const int result = iw_post(lane.ep, now, &work);
    if (result != IW_OK)
        return result;
    if (work.op == IW_RECV) {
        rnic_post_recv(m_rnic->m_nic, now);
        if (lane.kept)
            Simulator::ScheduleNow(&IwarpSctpAssociation::Deliver, Ptr<IwarpSctpAssociation>(this), stream,
                                   lane.edge);
        return result;
    }
    uint32_t octets = 0;
    for (uint8_t i = 0; i < work.sges; i++)
        octets += work.op == IW_READ ? 0 : work.sge[i].len;
    lane.lastHeard = std::max(lane.lastHeard, rnic_post(m_rnic->m_nic, now, octets));
    Simulator::Schedule(TimeStep(lane.lastHeard - now), &IwarpSctpAssociation::Fetch,
                        Ptr<IwarpSctpAssociation>(this), stream, octets);
    return result;
}

// Requests are heard and known in the order they were posted.
void IwarpSctpAssociation::Fetch(uint16_t stream, uint32_t octets)
{
    if (m_dead)
        return;
    Lane &lane = *m_lane[stream];
    const iw_time now = Now();
    lane.lastKnown = std::max(lane.lastKnown, rnic_fetch(m_rnic->m_nic, now, octets));
    if (lane.lastKnown <= now)
        Known(stream);
    else
        Simulator::Schedule(TimeStep(lane.lastKnown - now), &IwarpSctpAssociation::Known,
                            Ptr<IwarpSctpAssociation>(this), stream);
}

void IwarpSctpAssociation::Known(uint16_t stream)
{
    if (m_dead)
        return;
    Lane &lane = *m_lane[stream];
    lane.known++;
    if (!lane.unheard.empty() && lane.unheard.front().request < lane.known) {
        Departure d = std::move(lane.unheard.front());
        lane.unheard.pop_front();
        StartReading(std::move(d));
    }
    m_rnic->Ready(lane.number);
}

int IwarpSctpAssociation::Close(uint16_t stream, iw_close_how how)
{
    const int result = iw_close(m_lane[stream]->ep, Now(), how);
    Simulator::ScheduleNow(&IwarpSctpAssociation::Settle, Ptr<IwarpSctpAssociation>(this), stream);
    return result;
}

int IwarpSctpAssociation::Terminate(uint16_t stream, int term)
{
    const int result = iw_terminate(m_lane[stream]->ep, Now(), term);
    Simulator::ScheduleNow(&IwarpSctpAssociation::Settle, Ptr<IwarpSctpAssociation>(this), stream);
    return result;
}

void IwarpSctpAssociation::Lose()
{
    LoseAll(false);
    m_dead = true;
}

// ---- out --------------------------------------------------------------------------------------------------

// What the adapter sees in the header of a segment that it sends.
void IwarpSctpAssociation::Count(Lane &lane, Departure &d)
{
    ddp_head head{};
    rdmap_ctl control{};
    control.opcode = RDMAP_SEND;
    ddp_head_get(d.seg.head, d.seg.head_len, &head);
    if (!(m_rnic->m_profile & IW_DDP_ONLY))
        rdmap_ctl_get(head.rsvdulp, head.tagged, &control);
    const bool own = control.opcode == RDMAP_READ_REQ || control.opcode == RDMAP_TERMINATE;
    bool &open = lane.open[control.opcode & 15];
    const bool whole = head.last && !open;
    open = !head.last;
    d.asked = control.opcode != RDMAP_READ_RESP && control.opcode != RDMAP_TERMINATE;
    d.request = lane.pulled;
    lane.pulled += d.asked && head.last;
    d.inMemory =
        d.seg.payload_len && !own && !(d.asked && whole && rnic_inlined(m_rnic->m_nic, d.seg.payload_len));
}

// One segment of this stream, if SCTP has less than a packet of them. True: it may have more.
bool IwarpSctpAssociation::SendOne(uint16_t stream)
{
    Lane &lane = *m_lane[stream];
    if (m_dead || !lane.up || lane.finWanted || !lane.unheard.empty())
        return false;
    if (sctp_unsent(m_sctp) >= m_packet.size() || !m_ready.empty() || !sctp_ddp_can_send(m_ddp, stream))
        return false; // After() says when there is room
    Departure d{};
    if (!iw_transmit(lane.ep, Now(), lane.nextKey, &d.seg)) {
        Settle(stream);
        return false;
    }
    d.stream = stream;
    m_turn = stream + 1u;
    Count(lane, d);
    lane.nextKey++;
    lane.inPipeline++;
    if (d.asked && d.request >= lane.known) {
        lane.unheard.push_back(std::move(d));
        return false; // Known() comes
    }
    StartReading(std::move(d));
    return true;
}

void IwarpSctpAssociation::StartReading(Departure &&d)
{
    const iw_time now = Now();
    m_rnic->m_pipeline += d.seg.payload_len;
    if (d.inMemory)
        m_lastRead = std::max(m_lastRead, rnic_read(m_rnic->m_nic, now, d.seg.payload_len));
    m_reading.push_back(std::move(d));
    if (m_lastRead <= now && m_reading.size() == 1)
        ReadDone();
    else
        Simulator::Schedule(TimeStep(std::max(m_lastRead, now) - now), &IwarpSctpAssociation::ReadDone,
                            Ptr<IwarpSctpAssociation>(this));
}

// The snapshot is complete.
void IwarpSctpAssociation::ReadDone()
{
    if (m_dead)
        return;
    Departure d = std::move(m_reading.front());
    m_reading.pop_front();
    const bool stored = IsReal() || d.seg.payload_len <= IW_TERM_MAX;
    if (stored && d.seg.payload_len) {
        d.octets.resize(d.seg.payload_len);
        uint8_t *p = d.octets.data();
        for (uint8_t i = 0; i < d.seg.frags; p += d.seg.frag[i++].len)
            if (d.seg.frag[i].octets)
                std::memcpy(p, d.seg.frag[i].octets, d.seg.frag[i].len);
    }
    d.seg.frags = 1;
    d.seg.frag[0].octets = nullptr;
    d.seg.frag[0].len = d.seg.payload_len;
    iw_accepted(m_lane[d.stream]->ep, Now(), d.seg.key + 1);
    const uint32_t size = d.seg.head_len + d.seg.payload_len + SCTP_DDP_HEAD + SCTP_DATA_HEAD;
    const iw_time out = rnic_send(m_rnic->m_nic, Now(), m_lane[d.stream]->number, size);
    m_sending.push_back(std::move(d));
    if (out <= Now() && m_sending.size() == 1)
        SendDone();
    else
        Simulator::Schedule(TimeStep(out - Now()), &IwarpSctpAssociation::SendDone,
                            Ptr<IwarpSctpAssociation>(this));
}

void IwarpSctpAssociation::SendDone()
{
    if (m_dead)
        return;
    m_ready.push_back(std::move(m_sending.front()));
    m_sending.pop_front();
    m_rnic->m_pipeline -= m_ready.back().seg.payload_len;
    m_owner->Sent(m_lane[m_ready.back().stream]->user, m_ready.back().seg);
    After();
}

// What has come through the pipeline goes to SCTP, as far as there is room.
void IwarpSctpAssociation::Flush()
{
    while (!m_ready.empty()) {
        Departure &d = m_ready.front();
        d.seg.frag[0].octets = d.octets.empty() ? nullptr : d.octets.data();
        const int result = sctp_ddp_send(m_ddp, Now(), d.stream, &d.seg);
        if (result == IW_EFULL)
            return;
        m_lane[d.stream]->inPipeline--;
        m_ready.pop_front();
    }
}

bool IwarpSctpAssociation::PortIsBusy() const
{
    return m_rnic->m_portQueue && m_rnic->m_portQueue->GetNBytes() >= 2 * m_packet.size();
}

void IwarpSctpAssociation::PortFree()
{
    if (!m_dead && !m_busy && (!m_ready.empty() || sctp_wants_to_transmit(m_sctp)))
        After();
}

// The segments in a packet that leaves or left: the stream of each, its key, the size of its chunk.
void IwarpSctpAssociation::ForSegments(
    const uint8_t *packet, uint32_t len,
    const std::function<void(Lane &lane, uint64_t key, uint32_t size)> &tell)
{
    for (uint32_t at = SCTP_HEAD; at + SCTP_DATA_HEAD + SCTP_DDP_HEAD <= len;) {
        const uint8_t *p = packet + at;
        const uint32_t size = static_cast<uint32_t>(p[2] << 8 | p[3]);
        if (size < 4)
            return;
        if (p[0] == SCTP_DATA && p[15] == SCTP_DDP_PPID_SEGMENT) {
            const uint16_t stream = static_cast<uint16_t>(p[8] << 8 | p[9]);
            const uint16_t ssn = static_cast<uint16_t>(p[16] << 8 | p[17]);
            Lane &lane = *m_lane[stream];
            const int16_t ahead = static_cast<int16_t>(ssn - static_cast<uint16_t>(lane.sent));
            tell(lane, lane.sent + static_cast<uint64_t>(static_cast<int64_t>(ahead)), size);
        }
        const uint32_t carried = p[0] == SCTP_DATA && m_head ? std::min(size, SCTP_DATA_HEAD + m_head) : size;
        at += (carried + 3) & ~3u;
    }
}

// Data that leaves, for whoever counts.
void IwarpSctpAssociation::NoteData(const uint8_t *packet, uint32_t len)
{
    ForSegments(packet, len, [this](Lane &lane, uint64_t key, uint32_t size) {
        if (key < lane.sent) {
            rnic_resend(m_rnic->m_nic, Now(), size);
            m_owner->Resent(lane.user, key);
        } else {
            lane.sent = key + 1;
            m_owner->Left(lane.user, key, size);
        }
    });
}

void IwarpSctpAssociation::TellLost(const Ptr<const Packet> &packet)
{
    std::vector<uint8_t> octets(packet->GetSize());
    packet->CopyData(octets.data(), packet->GetSize());
    ForSegments(octets.data(), packet->GetSize(), [this](Lane &lane, uint64_t key, uint32_t size) {
        if (key < lane.sent)
            m_owner->Lost(lane.user, key, size);
    });
}

void IwarpSctpAssociation::Transmit()
{
    uint32_t wire, len;
    while (!PortIsBusy() && (len = sctp_transmit(m_sctp, Now(), m_packet.data(), &wire))) {
        NoteData(m_packet.data(), len);
        Ptr<Packet> packet = Create<Packet>(m_packet.data(), len);
        if (wire > len)
            packet->AddAtEnd(Create<Packet>(wire - len)); // octets that nobody stores
        m_protocol->Send(packet, m_configuration.local, m_configuration.remote);
    }
}

// ---- life -------------------------------------------------------------------------------------------------

void IwarpSctpAssociation::Open(uint16_t stream)
{
    Lane &lane = *m_lane[stream];
    lane.up = true;
    lane.nextKey = lane.sent = sctp_ddp_key(m_ddp, stream);
    iw_enable(lane.ep, Now(), 0);
    rnic_connected(m_rnic->m_nic, lane.number);
    m_owner->Opened(lane.user);
}

void IwarpSctpAssociation::LoseAll(bool graceful)
{
    for (const std::unique_ptr<Lane> &lane : m_lane) {
        if (lane->down)
            continue;
        lane->down = true;
        if (!lane->up && m_owner)
            m_owner->Failed(lane->user);
        iw_llp(lane->ep, Now(), graceful ? IW_LLP_DOWN : IW_LLP_LOST);
    }
    for (uint16_t i = 0; i < m_lane.size(); i++)
        Simulator::ScheduleNow(&IwarpSctpAssociation::Settle, Ptr<IwarpSctpAssociation>(this), i);
}

void IwarpSctpAssociation::HearAssociation()
{
    struct sctp_event event;
    while (sctp_event(m_sctp, &event)) {
        if (event.kind == SCTP_EV_UP && sctp_ddp_usable(m_ddp, Now()) && m_configuration.active)
            for (uint16_t i = 0; i < m_lane.size(); i++)
                sctp_ddp_initiate(m_ddp, Now(), i, nullptr, 0);
        if (event.kind >= SCTP_EV_DOWN)
            LoseAll(event.kind == SCTP_EV_DOWN);
    }
}

// The endpoint's events, its wishes to the LLP, its deadline.
void IwarpSctpAssociation::Settle(uint16_t stream)
{
    Lane &lane = *m_lane[stream];
    if (!m_owner)
        return;
    struct iw_event event;
    if (iw_llp_request(lane.ep) != IW_LLP_NOTHING)
        lane.finWanted = true;
    if (lane.finWanted && !lane.inPipeline && lane.up && !lane.down &&
        sctp_ddp_terminate(m_ddp, Now(), stream) == IW_OK)
        Simulator::ScheduleNow(&IwarpSctpAssociation::After, Ptr<IwarpSctpAssociation>(this));
    m_rnic->Collect();
    while (iw_event(lane.ep, &event))
        m_owner->Event(lane.user, event);
    const iw_time deadline = iw_deadline(lane.ep);
    if (deadline != IW_NEVER && lane.timer.IsExpired())
        lane.timer = Simulator::Schedule(TimeStep(deadline > Now() ? deadline - Now() : 0),
                                         &IwarpSctpAssociation::LaneTimer, this, stream);
    if (!lane.finWanted && iw_has_work(lane.ep))
        m_rnic->Ready(lane.number);
}

void IwarpSctpAssociation::LaneTimer(uint16_t stream)
{
    iw_expire(m_lane[stream]->ep, Now());
    Settle(stream);
}

// After anything: what the association says, what it may send, when it wants to be called.
void IwarpSctpAssociation::After()
{
    if (m_dead)
        return;
    m_again = true;
    if (m_busy)
        return;
    m_busy = true;
    while (m_again) {
        m_again = false;
        HearAssociation();
        sctp_ddp_poll(m_ddp, Now());
        for (uint16_t i = 0; i < m_lane.size(); i++) {
            Lane &lane = *m_lane[i];
            const uint64_t acked = sctp_ddp_acked(m_ddp, i);
            if (lane.up && !lane.down && acked != lane.acked) {
                lane.acked = acked;
                iw_acked(lane.ep, Now(), acked);
                Settle(i);
            }
            if (lane.up && !lane.down && sctp_ddp_state(m_ddp, i) == SCTP_DDP_CLOSED) {
                lane.down = true;
                Forget(lane);
                iw_llp(lane.ep, Now(), IW_LLP_DOWN);
                Settle(i);
            }
        }
        Flush();
        Credit();
        Transmit();
        for (size_t i = 0, first = m_turn; i < m_lane.size() && sctp_unsent(m_sctp) < m_packet.size(); i++) {
            const Lane &lane = *m_lane[(first + i) % m_lane.size()];
            if (lane.up && !lane.down && iw_has_work(lane.ep))
                m_rnic->Ready(lane.number);
        }
    }
    m_busy = false;
    const iw_time deadline = sctp_deadline(m_sctp);
    if (deadline == m_timerAt && !m_timer.IsExpired())
        return;
    m_timer.Cancel();
    m_timerAt = deadline;
    if (deadline != IW_NEVER)
        m_timer = Simulator::Schedule(TimeStep(deadline > Now() ? deadline - Now() : 0),
                                      &IwarpSctpAssociation::Timer, this);
}

void IwarpSctpAssociation::Timer()
{
    m_timerAt = IW_NEVER;
    sctp_expire(m_sctp, Now());
    After();
}

} // namespace ns3
