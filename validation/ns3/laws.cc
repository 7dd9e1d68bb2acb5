/* SPDX-License-Identifier: GPL-2.0-or-later */
/* laws.cc -- many small streams, everything about them drawn from a seed.
 *
 *   crc_error: drop        every operation completes, and every octet is where it should be
 *   crc_error: terminate   so it is, or the stream ends for a bad CRC or marker, which the peer is told, or it waits for
 *                          the rest of an FPDU whose altered length nobody else saw; what was reported is right
 *
 * and in both the rig's own: the window's right edge never moves left, requests complete in order, no octet that is
 * not the right one is ever placed.
 */
#include "laws.h"

#include "rig.h"

#include <cstdlib>
#include <iostream>

namespace ns3
{

namespace
{

constexpr uint64_t SEEDS = 250, SEEDS_AT_NIGHT = 10000;
const char *const PATHS[] = {"place", "hold", "discard", "copy"};
const char *const MODES[] = {"drop", "terminate"};
const char *const POLICIES[] = {"constant", "placed", "held", "bdp", "retire"};
const char *const CONTROLS[] = {"cubic", "dctcp", "newreno", "fixed:100000"};

/// A draw of its own for each question.
class Draws
{
  public:
    explicit Draws(uint64_t seed) : m_key(channel_key(seed, 0, 77, 0)) {}

    uint64_t Below(uint64_t n)
    {
        return channel_draw(m_key, m_next++) % n;
    }

    double Upto(double most)
    {
        return most * static_cast<double>(Below(1001)) / 1000;
    }

  private:
    uint64_t m_key, m_next{0};
};

std::string Attribute(bool value)
{
    return value ? "true" : "false";
}

Rig::Options Draw(uint64_t seed, CrcMode mode)
{
    Draws d(seed);
    Rig::Options o;
    const std::string path = PATHS[d.Below(4)];
    const iw_op ops[] = {IW_WRITE, IW_SEND, IW_READ};
    o.op = ops[d.Below(3)];
    o.size = static_cast<uint32_t>(d.Below(4) ? 1 + d.Below(20000) : d.Below(64));
    o.count = static_cast<uint32_t>(3 + d.Below(10));
    o.depth = static_cast<uint32_t>(1 + d.Below(4));
    o.network.mtu = d.Below(3) ? 1500 : 9000;
    o.network.delay = 1000 * (200 + d.Below(10000));
    o.network.seed = seed;
    o.limit = Seconds(10000); // TCP waits twice as long each time that a burst takes its one packet
    o.network.data = true;
    o.network.acks = d.Below(2);
    channel_conf &c = o.network.channel;
    c.loss = d.Upto(0.03);
    c.duplicate = d.Upto(0.03);
    c.corrupt = d.Upto(0.02);
    c.reorder.probability = d.Upto(0.3);
    c.reorder.delay = d.Below(10000000);
    c.reorder.displacement = static_cast<uint32_t>(d.Below(2) * d.Below(20));
    if (!d.Below(4)) {
        c.burst.p = d.Upto(0.01);
        c.burst.r = 0.6; // 16 losses of one packet in a row, and TCP would give up
        c.burst.loss_bad = 1;
    }
    c.jitter = d.Below(2) * d.Below(300000);
    o.attributes["rnic.preset"] = d.Below(2) ? "ideal" : "t6";
    o.attributes["rnic.receive"] = path;
    o.attributes["rnic.window.policy"] = path == "copy" ? "buffer" : POLICIES[d.Below(5)];
    o.attributes["rnic.window.bytes"] = d.Below(3) ? "1MiB" : "40000B";
    o.attributes["rnic.hold_bytes"] = d.Below(2) ? "unlimited" : "20000B";
    o.attributes["rnic.staging_bytes"] = d.Below(3) ? "unlimited" : "30000B";
    o.attributes["rnic.window.mark"] = "10000B";
    o.attributes["llp.congestion"] = CONTROLS[d.Below(4)];
    o.attributes["llp.delayed_ack"] = d.Below(2) ? "1" : "2";
    o.attributes["llp.markers"] = Attribute(d.Below(2));
    o.attributes["llp.loss_detection"] = d.Below(2) ? "rack" : "dupack";
    o.attributes["llp.dupack_threshold"] = d.Below(3) ? "3" : "10";
    o.attributes["llp.crc_error"] = MODES[mode];
    return o;
}

std::string Complete(const Rig &rig)
{
    if (rig.GetStatus())
        return "the stream ended: " + std::to_string(rig.GetStatus());
    if (!rig.IsDone())
        return "not every operation is complete";
    return rig.IsIntact() ? "" : "octets are missing";
}

/// MPA has told the endpoint, and a Terminate says so unless it was lost with the connection.
bool EndedForMpa(const Rig &rig, int side)
{
    for (int said : {rig.GetFatal(side), rig.GetTerminate(side)})
        if (said == IW_T_LLP_CRC || said == IW_T_LLP_MARKER)
            return true;
    return false;
}

/// What came last is part of an FPDU that says it is longer: TCP has it, and nobody above.
bool Waits(const Rig &rig)
{
    for (int side : {0, 1}) {
        void *l;
        const llp *lower = rig.GetConnection(side)->GetLowerLayer(&l);
        if (lower->received(l) > lower->edge(l, 0)) // keys of MPA count octets
            return true;
    }
    return false;
}

/* checks: DDP-5.3-7 MPA-4.4-3 MPA-5.1-1 MPA-6-1 MPA-8-2 */
std::string Broken(uint64_t seed, CrcMode mode, uint64_t &ended)
{
    Rig rig(Draw(seed, mode));
    rig.Run();
    rig.RunFor(MilliSeconds(50)); // acknowledged: being placed, or found to be bad
    if (!rig.GetLaws().empty())
        return rig.GetLaws();
    if (!rig.IsSound())
        return "wrong octets were placed, or reported before they were there";
    const std::string wrong = Complete(rig);
    if (wrong.empty() || mode == CRC_DROP)
        return wrong;
    ended++;
    return EndedForMpa(rig, 0) || EndedForMpa(rig, 1) || Waits(rig) ? "" : wrong + ", and MPA found nothing";
}

} // namespace

std::string LawsHold(CrcMode mode)
{
    const char *alone = std::getenv("IWARPSIM_SEED");
    const uint64_t first = alone ? std::strtoull(alone, nullptr, 10) : 1;
    const uint64_t seeds = alone ? 1 : std::getenv("IWARPSIM_NIGHTLY") ? SEEDS_AT_NIGHT : SEEDS;
    uint64_t ended = 0;
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        const std::string wrong = Broken(seed, mode, ended);
        if (!wrong.empty())
            return wrong + "; again: IWARPSIM_SEED=" + std::to_string(seed) +
                   " build/ns3/iwarp_ns3_test --suite=iwarp";
    }
    std::cout << "crc_error " << MODES[mode] << ": " << seeds << " seeds, " << ended
              << " streams ended by what was altered\n";
    if (!alone && mode == CRC_TERMINATE && !ended)
        return "no stream met an altered octet";
    return "";
}

} // namespace ns3
