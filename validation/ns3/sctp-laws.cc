/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp-laws.cc -- many small associations, everything about them drawn from a seed; in every second one octets are altered.
 *
 *   every operation completes, once and in order; each message is delivered once, in order, when its octets are there
 *   a stream that ends for what its peer did wrong ends alone
 *   both sides close, the sessions end, the association goes down
 *   what SACK acknowledged stays acknowledged; the window's right edge never moves left
 */
#include "sctp-laws.h"

#include "sctp-rig.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace ns3
{

namespace
{

constexpr uint64_t SEEDS = 300, SEEDS_AT_NIGHT = 10000;

/// A draw of its own for each question.
class Draws
{
  public:
    explicit Draws(uint64_t seed) : m_key(channel_key(seed, 0, 132, 0)) {}

    uint64_t Below(uint64_t n)
    {
        return channel_draw(m_key, m_next++) % n;
    }

    uint32_t From(uint32_t low, uint32_t high)
    {
        return low + static_cast<uint32_t>(Below(high - low + 1));
    }

    double Upto(double most)
    {
        return most * static_cast<double>(Below(1001)) / 1000;
    }

    std::string One(std::initializer_list<const char *> of)
    {
        return of.begin()[Below(of.size())];
    }

  private:
    uint64_t m_key, m_next{0};
};

/// What all seeds together have met: a law that nothing tries does not count.
struct Met {
    uint64_t seeds, altered, ooo, again, timeouts, duplicates, gaps, ended;
    uint64_t held, notHeld, copied, probes, closed; //!< closed: ends that told a window below a packet
};

SctpRig::Flow DrawFlow(Draws &d)
{
    SctpRig::Flow f;
    const iw_op ops[] = {IW_WRITE, IW_SEND, IW_READ};
    f.op = ops[d.Below(3)];
    f.size = d.Below(4) ? d.From(1, 12000) : d.From(0, 63);
    f.count = d.From(1, 8);
    f.depth = d.From(1, 4);
    return f;
}

// Eight INITs in vain end an association, and so do ten retransmissions: that is not what is tested.
void DrawChannel(Draws &d, bool altered, bool early, IwarpTopology::Configuration &network)
{
    network.data = true;
    network.acks = d.Below(3) > 0;
    channel_conf &c = network.channel;
    c.loss = d.Upto(early || d.Below(4) ? 0.05 : 0.1);
    c.duplicate = d.Upto(0.05);
    c.corrupt = altered ? d.Upto(0.05) : 0;
    c.reorder.probability = d.Below(4) ? d.Upto(0.4) : 0;
    c.reorder.delay = d.Below(20000000);
    c.jitter = d.Below(2) * d.Below(300000);
}

std::string Packets(uint32_t count, const IwarpTopology::Configuration &network)
{
    return std::to_string(count * network.mtu) + "B";
}

SctpRig::Options Draw(uint64_t seed)
{
    Draws d(seed);
    SctpRig::Options o;
    const bool altered = seed % 2 == 0;
    o.flows.clear();
    for (uint32_t n = d.Below(8) ? d.From(1, 4) : 16; n; n--)
        o.flows.push_back(DrawFlow(d));
    o.flows[d.Below(o.flows.size())].wrong = o.flows.size() > 1 && d.Below(4) == 0;
    o.network.mtu = d.Below(3) ? 1500 : d.Below(2) ? 9000 : 600;
    o.network.delay = 1000 * d.From(200, 10000);
    o.network.seed = seed;
    o.early = d.Below(3) == 0;
    DrawChannel(d, altered, o.early, o.network);
    const std::string payload = d.One({"real", "real", "real", "none"});
    o.attributes["payload"] = payload;
    o.attributes["rnic.preset"] = d.One({"ideal", "t6"});
    const std::string path = d.One({"place", "place", "hold", "copy"});
    const std::string policy =
        path == "copy" ? "buffer" : d.One({"constant", "placed", "held", "buffer", "bdp", "retire"});
    o.attributes["rnic.receive"] = path;
    o.attributes["rnic.hold_bytes"] = Packets(d.Below(2) ? 100 : d.From(1, 4), o.network);
    if (policy == "buffer" && d.Below(2))
        o.attributes["workload.consume_rate"] = d.One({"10Mbps", "1Gbps", "20Gbps"});
    o.attributes["rnic.window.policy"] = policy;
    o.attributes["rnic.window.bytes"] = Packets(d.Below(2) ? 100 : d.From(2, 6), o.network);
    if (d.Below(4) == 0 && policy != "retire") // whose mark lies far above
        o.attributes["rnic.staging_bytes"] = Packets(d.From(2, 5), o.network);
    o.minRto = MicroSeconds(d.From(30, 200));
    o.sackDelay = MicroSeconds(d.From(1, 50));
    o.sackEvery = d.From(1, 4);
    o.sendBuffer = d.Below(3) ? 1 << 20 : std::max<uint32_t>(1 << 14, 4 * o.network.mtu);
    return o;
}

void Note(const SctpRig &rig, Met &met)
{
    met.seeds++;
    met.altered += rig.GetChecksumErrors();
    met.ooo += rig.GetOutOfOrder();
    for (int side : {0, 1}) {
        const llp_stats s = rig.GetStatistics(side);
        met.again += s.retransmits;
        met.timeouts += s.timeouts;
        met.duplicates += rig.GetWatch().GetDuplicates(side);
        met.gaps += rig.GetWatch().GetGapReports(side);
        met.probes += rig.GetWatch().GetProbes(side);
        met.closed += rig.GetWatch().GetLeastWindow(side) < 576;
        const rnic_stats *nic = rnic_statistics(rig.GetAdapter(side)->GetAdapter());
        met.held += nic->held_peak > 0;
        met.notHeld += rig.GetRefused(side);
        met.copied += nic->copied > 0;
    }
}

/* checks: DDP-3-4 DDP-3-8a DDP-3-10 DDP-5.3-7 RDMAP-7-1a RDMAP-7-2 SCTP-10-2 SCTP-11.3-3 */
std::string Broken(uint64_t seed, Met &met)
{
    const SctpRig::Options options = Draw(seed);
    SctpRig rig(options);
    rig.Run();
    Note(rig, met);
    for (const SctpRig::Flow &flow : options.flows)
        met.ended += flow.wrong;
    if (!rig.GetLaws().empty())
        return rig.GetLaws();
    if (!rig.IsDone())
        return "not every operation is complete and delivered";
    if (!rig.IsWrongEnded())
        return "a stream with a Write out of bounds did not end at both sides";
    rig.Close();
    if (!rig.GetLaws().empty())
        return rig.GetLaws() + ", at the end";
    return rig.IsClosed() ? "" : "not every stream is closed";
}

/// Seeds as IWARPSIM_SEED has them.
void Range(uint64_t &first, uint64_t &last)
{
    const char *asked = std::getenv("IWARPSIM_SEED");
    first = 1;
    last = std::getenv("IWARPSIM_NIGHTLY") ? SEEDS_AT_NIGHT : SEEDS;
    if (!asked)
        return;
    char *rest = nullptr;
    first = last = std::strtoull(asked, &rest, 10);
    if (*rest == '-')
        last = std::strtoull(rest + 1, nullptr, 10);
}

} // namespace

std::string SctpLawsHold()
{
    Met met{};
    uint64_t first, last;
    Range(first, last);
    for (uint64_t seed = first; seed <= last; seed++) {
        const std::string wrong = Broken(seed, met);
        if (!wrong.empty())
            return wrong + "; again: IWARPSIM_SEED=" + std::to_string(seed) +
                   " build/ns3/iwarp_ns3_test --suite=iwarp-sctp";
    }
    std::cout << "SCTP: " << met.seeds << " seeds, " << met.altered << " packets with altered octets, "
              << met.ooo << " segments placed ahead of their turn, " << met.again << " chunks sent again, "
              << met.timeouts << " timeouts, " << met.duplicates << " duplicates, " << met.gaps
              << " gap reports, " << met.ended << " streams ended for a wrong Write; " << met.held
              << " ends held, " << met.notHeld << " times without room, " << met.copied << " copied, "
              << met.closed << " closed their window, " << met.probes << " probes\n";
    const bool tried = met.altered && met.ooo && met.again && met.timeouts && met.duplicates && met.ended &&
                       met.held && met.notHeld && met.copied && met.closed && met.probes;
    return first == last || tried ? "" : "the channel did nothing";
}

} // namespace ns3
