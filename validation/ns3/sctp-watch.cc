/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sctp-watch.h"

#include "ns3/callback.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t LINK_HEAD = 2, IP_HEAD = 20, SCTP_COMMON = 12, CHUNK = 4;
constexpr uint8_t PROTOCOL = 132, DATA = 0, SACK = 3;

uint32_t Get16(const uint8_t *p)
{
    return static_cast<uint32_t>(p[0] << 8 | p[1]);
}

uint32_t Get32(const uint8_t *p)
{
    return Get16(p) << 16 | Get16(p + 2);
}

} // namespace

SctpWatch::SctpWatch(uint32_t dataMost) : m_dataMost(dataMost) {}

void SctpWatch::Attach(const Ptr<PointToPointNetDevice> &device, int side)
{
    device->TraceConnectWithoutContext("PhyTxBegin", MakeBoundCallback(&SctpWatch::Left, this, side));
}

std::string SctpWatch::GetLaws() const
{
    return m_laws;
}

uint64_t SctpWatch::GetSacks(int side) const
{
    return m_side[side].sacks;
}

uint64_t SctpWatch::GetGapReports(int side) const
{
    return m_side[side].gaps;
}

uint64_t SctpWatch::GetDuplicates(int side) const
{
    return m_side[side].duplicates;
}

uint64_t SctpWatch::GetProbes(int side) const
{
    return m_side[side].probes;
}

uint32_t SctpWatch::GetLeastWindow(int side) const
{
    return m_side[side].least;
}

uint32_t SctpWatch::GetMostWindow(int side) const
{
    return m_side[side].most;
}

void SctpWatch::Broken(const std::string &law)
{
    if (m_laws.empty())
        m_laws = law;
}

void SctpWatch::Left(SctpWatch *watch, int side, Ptr<const Packet> packet)
{
    std::vector<uint8_t> octets(packet->GetSize());
    packet->CopyData(octets.data(), packet->GetSize());
    const uint32_t head = LINK_HEAD + IP_HEAD + SCTP_COMMON;
    if (octets.size() > head && octets[LINK_HEAD + 9] == PROTOCOL)
        watch->Read(side, octets.data() + head, static_cast<uint32_t>(octets.size()) - head);
}

/// Calls `take` with each chunk and its length.
template <typename Take> void SctpWatch::Walk(const uint8_t *p, uint32_t len, Take take) const
{
    while (len >= CHUNK) {
        const uint32_t size = Get16(p + 2);
        const uint32_t carried = p[0] == DATA && m_dataMost ? std::min(size, m_dataMost) : size;
        const uint32_t took = (carried + 3) & ~3u;
        if (size < CHUNK || took > len)
            return;
        take(p, size);
        p += took;
        len -= took;
    }
}

// What repeats data was made before the adapter read it again: its SACK may be older than those that left meanwhile.
void SctpWatch::Read(int side, const uint8_t *chunks, uint32_t len)
{
    const Side &s = m_side[side];
    bool repeats = false;
    Walk(chunks, len, [&](const uint8_t *p, uint32_t) {
        repeats |= p[0] == DATA && s.sends && Count(s, Get32(p + 4)) <= s.sent;
    });
    Walk(chunks, len, [&](const uint8_t *p, uint32_t size) {
        if (p[0] == DATA)
            ReadData(side, p, size);
        if (p[0] == SACK && !repeats)
            ReadSack(side, p, size);
    });
}

int64_t SctpWatch::Count(const Side &sender, uint32_t tsn) const
{
    return static_cast<int32_t>(tsn - sender.first);
}

void SctpWatch::ReadData(int side, const uint8_t *chunk, uint32_t len)
{
    Side &s = m_side[side];
    const uint32_t tsn = Get32(chunk + 4);
    if (!s.sends)
        s.first = tsn;
    s.sends = true;
    s.probes += len > m_side[1 - side].window;
    s.sent = std::max(s.sent, Count(s, tsn));
}

void SctpWatch::ReadSack(int side, const uint8_t *chunk, uint32_t len)
{
    Side &s = m_side[side];
    const Side &peer = m_side[1 - side];
    if (!peer.sends)
        return;
    const int64_t cumulative = Count(peer, Get32(chunk + 4));
    const uint32_t window = Get32(chunk + 8), gaps = Get16(chunk + 12), duplicates = Get16(chunk + 14);
    if (len != 16 + 4 * (gaps + duplicates))
        Broken("a SACK is not as long as its counts say");
    if (s.hears && cumulative < s.cumulative)
        Broken("the cumulative TSN of SACK moved back");
    std::set<int64_t> reported;
    for (uint32_t i = 0; i < gaps; i++)
        for (uint32_t n = Get16(chunk + 16 + 4 * i); n <= Get16(chunk + 18 + 4 * i); n++)
            reported.insert(cumulative + n);
    if (std::max(cumulative, reported.empty() ? cumulative : *reported.rbegin()) > peer.sent)
        Broken("SACK acknowledges what was not sent");
    for (int64_t tsn : s.reported)
        if (tsn > cumulative && !reported.count(tsn))
            Broken("a chunk that a gap report acknowledged was reneged on");
    s.reported = std::move(reported);
    s.cumulative = cumulative;
    s.hears = true;
    s.sacks++;
    s.gaps += gaps;
    s.duplicates += duplicates;
    s.window = window;
    s.least = std::min(s.least, window);
    s.most = std::max(s.most, window);
}

} // namespace ns3
