/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-transmit.cc -- the transmit side of a connection: endpoint -> DMA read -> MPA -> transmit pipeline -> TCP. */
#include "iwarp-channel.h"
#include "iwarp-connection.h"
#include "iwarp-fpdu-header.h"
#include "iwarp-rnic.h"
#include "llp/crc32c.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t CRC = 4;

} // namespace

// ---- doorbells --------------------------------------------------------------------------------------------

// Requests are heard and known in the order they were posted.
void IwarpConnection::Ring(uint32_t octets)
{
    const iw_time now = GetNow();
    m_lastHeard = std::max(m_lastHeard, rnic_post(m_rnic->m_nic, now, octets));
    Simulator::Schedule(TimeStep(m_lastHeard - now), &IwarpConnection::Fetch, Ptr<IwarpConnection>(this),
                        octets);
}

void IwarpConnection::Fetch(uint32_t octets)
{
    if (m_state == ENDED)
        return;
    const iw_time now = GetNow();
    m_lastKnown = std::max(m_lastKnown, rnic_fetch(m_rnic->m_nic, now, octets));
    if (m_lastKnown <= now)
        Known();
    else
        Simulator::Schedule(TimeStep(m_lastKnown - now), &IwarpConnection::Known, Ptr<IwarpConnection>(this));
}

void IwarpConnection::Known()
{
    if (m_state == ENDED)
        return;
    m_known++;
    if (!m_unheard.empty() && m_unheard.front().request < m_known)
        StartReading();
    MakeReady();
}

// ---- endpoint -> DMA read -> MPA --------------------------------------------------------------------------

// The next FPDU: what the endpoint says, else what a test wants said.
bool IwarpConnection::NextDeparture(Departure &departure)
{
    departure.bad = false;
    if (!iw_transmit(m_ep, GetNow(), m_nextKey, &departure.seg)) {
        if (m_wrong.empty())
            return false;
        departure = std::move(m_wrong.front());
        m_wrong.pop_front();
        iw_seg_view(&departure.seg, m_nextKey, departure.octets.data(),
                    static_cast<uint32_t>(departure.octets.size()));
    }
    const uint32_t ulpdu = departure.seg.head_len + departure.seg.payload_len;
    departure.size = mpa_fpdu_size(m_nextKey, ulpdu, m_tx.flags & MPA_MARKERS);
    m_nextKey += departure.size;
    return true;
}

IwarpConnection::Kind IwarpConnection::KindOf(const iw_seg &seg)
{
    ddp_head head{};
    rdmap_ctl control{};
    control.opcode = RDMAP_SEND;
    if (!ddp_head_get(seg.head, seg.head_len, &head))
        return {true, false, true, true};
    if (!(m_rnic->m_profile & IW_DDP_ONLY))
        rdmap_ctl_get(head.rsvdulp, head.tagged, &control);
    bool &open = m_messageOpen[control.opcode & 15];
    const bool whole = head.last && !open;
    open = !head.last;
    return {control.opcode == RDMAP_READ_REQ || control.opcode == RDMAP_TERMINATE,
            control.opcode != RDMAP_READ_RESP && control.opcode != RDMAP_TERMINATE, whole, head.last};
}

// A segment that the endpoint makes before the adapter knows of its request waits for it, and what follows it too.
bool IwarpConnection::SendOne()
{
    if (m_socket)
        m_socket->Warm();
    if (m_state != OPEN || m_finWanted || !m_unheard.empty())
        return false;
    const uint32_t full = m_rnic->GetEmss();
    if (m_socket->GetUnsent() >= full || m_socket->GetTxAvailable() < m_inPipeline + full)
        return false; // Room() comes
    m_unheard.emplace_back();
    Departure &departure = m_unheard.back();
    if (!NextDeparture(departure)) {
        m_unheard.pop_back();
        Settle();
        return false;
    }
    const Kind kind = departure.octets.empty() ? KindOf(departure.seg) : Kind{false, false, true, true};
    departure.request = m_pulled;
    const bool inlined = kind.asked && kind.whole && rnic_inlined(m_rnic->m_nic, departure.seg.payload_len);
    departure.inMemory = departure.seg.payload_len && !kind.own && !inlined;
    m_inPipeline += departure.size;
    m_pulled += kind.asked && kind.last;
    if (kind.asked && departure.request >= m_known)
        return false; // Known() comes
    StartReading();
    return true;
}

void IwarpConnection::StartReading()
{
    const iw_time now = GetNow();
    m_reading.splice(m_reading.end(), m_unheard);
    const Departure &departure = m_reading.back();
    m_rnic->m_pipeline += departure.size;
    if (departure.inMemory)
        m_lastRead = std::max(m_lastRead, rnic_read(m_rnic->m_nic, now, departure.seg.payload_len));
    if (m_lastRead <= now && m_reading.size() == 1)
        ReadDone();
    else
        Simulator::Schedule(TimeStep(std::max(m_lastRead, now) - now), &IwarpConnection::ReadDone,
                            Ptr<IwarpConnection>(this));
}

// The snapshot is complete: the octets leave the host's memory for good.
void IwarpConnection::ReadDone()
{
    if (!m_rnic)
        return;
    const Departure departure = std::move(m_reading.front());
    m_reading.pop_front();
    m_sending.emplace_back(departure.seg, MakeFpdu(departure));
    iw_accepted(m_ep, GetNow(), departure.seg.key + departure.size);
    const iw_time out = rnic_send(m_rnic->m_nic, GetNow(), m_number, departure.size);
    if (out == GetNow() && m_sending.size() == 1)
        SendDone();
    else
        Simulator::Schedule(TimeStep(out - GetNow()), &IwarpConnection::SendDone, Ptr<IwarpConnection>(this));
}

void IwarpConnection::SendDone()
{
    if (!m_rnic)
        return;
    const std::pair<iw_seg, Ptr<Packet>> fpdu = std::move(m_sending.front());
    const uint32_t size = fpdu.second->GetSize();
    m_sending.pop_front();
    m_inPipeline -= size;
    m_rnic->m_pipeline -= size;
    m_rnic->m_sentTrace(this, fpdu.first);
    if (m_state == OPEN)
        m_socket->SendRecord(fpdu.second);
    if (m_finWanted)
        FinishIfDrained();
    if (!iw_has_work(m_ep))
        Settle(); // after the last segment the endpoint may want FIN
    m_rnic->Pump();
}

void IwarpConnection::FinishIfDrained()
{
    if (m_unheard.empty() && m_reading.empty() && m_sending.empty() && m_socket)
        m_socket->Finish();
}

Ptr<Packet> IwarpConnection::MakeFpdu(const Departure &departure)
{
    if (IsReal()) {
        std::vector<uint8_t> octets(departure.size);
        mpa_put(&m_tx, &departure.seg, octets.data());
        if (departure.bad)
            Spoil(departure, octets);
        return Create<Packet>(octets.data(), departure.size);
    }
    mpa_mark mark;
    mpa_advance(&m_tx, &departure.seg, &mark);
    IwarpFpduHeader head(mark);
    Ptr<Packet> packet = Create<Packet>(departure.size - head.GetSerializedSize());
    packet->AddHeader(head);
    if (departure.bad)
        packet->AddPacketTag(IwarpMarkTag(IwarpMarkTag::CORRUPTED));
    return packet;
}

// ---- wrong on purpose -------------------------------------------------------------------------------------

bool IwarpConnection::Inject(Wrong wrong, const uint8_t *ulpdu, uint32_t len)
{
    const bool markers = m_start->agreed.markers_tx;
    if (m_state != OPEN || !len || (wrong == WRONG_MARKER && (!markers || !IsReal())))
        return false;
    Departure departure{};
    departure.bad = wrong != WRONG_ULPDU;
    departure.wrong = wrong;
    departure.octets.assign(ulpdu, ulpdu + len);
    m_wrong.push_back(std::move(departure));
    Simulator::ScheduleNow(&IwarpConnection::MakeReady, Ptr<IwarpConnection>(this));
    return true;
}

// A CRC that does not match; or a first marker that points elsewhere under a CRC that does.
void IwarpConnection::Spoil(const Departure &departure, std::vector<uint8_t> &fpdu) const
{
    const size_t body = fpdu.size() - CRC;
    if (departure.wrong == WRONG_CRC) {
        fpdu[body] ^= 0xff;
        return;
    }
    const size_t marker = static_cast<size_t>(-departure.seg.key % MPA_MARKER_EVERY);
    if (marker + MPA_MARKER <= body)
        fpdu[marker + 3] ^= 8; // FPDUPTR, a multiple of 4
    const uint32_t crc = crc32c(0, fpdu.data(), body);
    for (size_t i = 0; i < CRC; i++)
        fpdu[body + i] = static_cast<uint8_t>(crc >> 8 * i);
}

// ---- what TCP says ----------------------------------------------------------------------------------------

bool IwarpConnection::HasMore() const
{
    return m_inPipeline || !m_wrong.empty() || iw_has_work(m_ep);
}

void IwarpConnection::Warm() const
{
    constexpr size_t ENDPOINT = 1024; // octets at its start that every segment needs
    IwarpPrefetch(this, sizeof *this);
    IwarpPrefetch(m_ep, ENDPOINT);
    IwarpPrefetch(m_rx, ENDPOINT / 2);
}

void IwarpConnection::Room()
{
    if (m_state == OPEN && (iw_has_work(m_ep) || !m_wrong.empty()) &&
        m_socket->GetUnsent() < m_rnic->GetEmss())
        m_rnic->Ready(m_number);
}

void IwarpConnection::Acknowledged(uint64_t offset)
{
    if (!m_rnic || m_state < OPEN || offset <= m_txBase)
        return;
    iw_acked(m_ep, GetNow(), std::min(offset - m_txBase, m_nextKey));
    Room();
    Settle();
}

void IwarpConnection::Leaving(uint64_t offset, uint32_t octets, bool again)
{
    if (!m_rnic || m_state < OPEN || offset < m_txBase)
        return;
    const uint64_t key = offset - m_txBase;
    if (again)
        rnic_resend(m_rnic->m_nic, GetNow(),
                    octets); // TCP does not wait for it; the bus and PCIe are busy all the same
    (again ? m_rnic->m_resentTrace : m_rnic->m_leftTrace)(this, key, key + octets);
}

void IwarpConnection::Sent()
{
    if (m_rnic)
        Room();
}

} // namespace ns3
