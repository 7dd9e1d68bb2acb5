/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp-test-suite.cc -- DDP streams over SCTP on ns-3: receive paths, windows, the laws. */
#include "sctp-laws.h"
#include "sctp-rig.h"
#include "test-case.h"

#include "ns3/core-module.h"

#include <cmath>

using namespace ns3;

namespace
{

std::string Whole(SctpRig &rig)
{
    rig.Run();
    return First({rig.GetLaws(), Wrong(rig.IsDone(), "not every operation is complete")});
}

const rnic_stats *Adapter(const SctpRig &rig, int side)
{
    return rnic_statistics(rig.GetAdapter(side)->GetAdapter());
}

/// One stream of Writes at 100 Gb/s.
SctpRig::Options Stream(uint32_t size, uint32_t count)
{
    SctpRig::Options o;
    o.network.mtu = 1500;
    o.flows[0].size = size;
    o.flows[0].count = count;
    return o;
}

/// The ULP reads slowly, the kernel's buffer fills, a_rwnd closes and opens: its rate is that of the ULP.
std::string SlowConsumer(const std::string &path)
{
    SctpRig::Options o = Stream(500000, 10);
    o.attributes["rnic.receive"] = path;
    o.attributes["rnic.window.policy"] = "buffer";
    o.attributes["rnic.window.bytes"] = "100000B";
    o.attributes["workload.consume_rate"] = "5Gbps";
    SctpRig rig(o);
    const std::string wrong = Whole(rig);
    const double gbps = 10 * 500000 * 8.0 / rig.GetLastDelivered().GetNanoSeconds();
    return First({wrong,
                  Wrong(std::fabs(gbps - 5) < 0.15, "Gb/s of a slow consumer: " + std::to_string(gbps)),
                  Wrong(rig.GetStatistics(0).timeouts == 0, "a window that opens needed a timeout"),
                  Wrong(rig.GetStatistics(0).retransmits == 0, "a chunk was sent again on a clean link"),
                  Wrong(rig.GetWatch().GetLeastWindow(1) < 3000, "the window never closed"),
                  Wrong(rig.GetWatch().GetMostWindow(1) > 95000, "the window was never open")});
}

/// Each stream's ULP has the rate to itself; they share the window.
std::string SlowConsumersOfTwoStreams()
{
    SctpRig::Options o = Stream(500000, 5);
    o.flows.push_back(o.flows[0]);
    o.attributes["rnic.window.policy"] = "buffer";
    o.attributes["rnic.window.bytes"] = "100000B";
    o.attributes["workload.consume_rate"] = "5Gbps";
    SctpRig rig(o);
    const std::string wrong = Whole(rig);
    const double gbps = 10 * 500000 * 8.0 / rig.GetLastDelivered().GetNanoSeconds();
    return First(
        {wrong, Wrong(std::fabs(gbps - 10) < 0.5, "Gb/s of two slow consumers: " + std::to_string(gbps))});
}

/// A consumer that takes longer than an RTO over one packet: the window is probed, and nothing is lost for it.
std::string ClosedWindowIsProbed()
{
    SctpRig::Options o = Stream(20000, 4);
    o.attributes["rnic.window.policy"] = "buffer";
    o.attributes["rnic.window.bytes"] = "4000B";
    o.attributes["workload.consume_rate"] = "20Mbps";
    SctpRig rig(o);
    const std::string wrong = Whole(rig);
    return First({wrong, Wrong(rig.GetWatch().GetProbes(0) > 20, "a closed window was not probed"),
                  Wrong(rig.GetRefused(1) > 20, "a probe found room in a closed window"),
                  Wrong(rig.GetStatistics(0).timeouts == 0, "a probe counts as a loss")});
}

SctpRig::Options Disordered()
{
    SctpRig::Options o = Stream(200000, 10);
    o.network.data = true;
    o.network.channel.reorder.probability = 0.05;
    o.network.channel.reorder.delay = 5000000;
    return o;
}

/// Policy held: what waits in NIC memory is off the window, to the octet when nothing is in staging.
std::string HeldOctetsCloseTheWindow()
{
    SctpRig::Options o = Disordered();
    o.attributes["rnic.receive"] = "hold";
    o.attributes["rnic.window.policy"] = "held";
    o.attributes["rnic.window.bytes"] = "1000000B";
    SctpRig rig(o);
    const std::string wrong = Whole(rig);
    const rnic_stats *nic = Adapter(rig, 1);
    // The chunk that fills a hole makes N larger before what waited behind it is placed.
    return First({wrong, Wrong(nic->held == 0, "something is held for ever"),
                  Wrong(nic->held_peak > 20000, "nothing was held"),
                  Wrong(rig.GetRefused(1) == 0, "it was refused"),
                  Wrong(rig.GetOutOfOrder() == 0, "hold placed ahead of its turn"),
                  Wrong(rig.GetWatch().GetLeastWindow(1) < 1000000 - nic->held_peak + 3000,
                        "what is held is not off the window"),
                  Wrong(rig.GetWatch().GetLeastWindow(1) >= 1000000 - nic->held_peak - nic->staging_peak,
                        "more than what is held is off the window")});
}

/// NIC memory that is full refuses before SCTP acknowledges: it comes again, and nothing was reneged on.
std::string HoldIsBounded()
{
    SctpRig::Options o = Disordered();
    o.attributes["rnic.receive"] = "hold";
    o.attributes["rnic.hold_bytes"] = "6000B";
    SctpRig rig(o);
    const std::string wrong = Whole(rig);
    const rnic_stats *nic = Adapter(rig, 1);
    return First(
        {wrong, Wrong(nic->held_peak <= 6000, "more was held than there is room"),
         Wrong(nic->held == 0, "something is held for ever"),
         Wrong(rig.GetRefused(1) > 0 && rig.GetStatistics(0).retransmits > 0, "nothing was refused")});
}

/// copy: octets cross memory into the kernel's buffer (headers too), then out of it and to where they belong.
std::string CopyCrossesThreeTimes()
{
    SctpRig::Options o = Disordered();
    o.attributes["rnic.receive"] = "copy";
    o.attributes["rnic.window.policy"] = "buffer";
    SctpRig rig(o);
    const std::string wrong = Whole(rig);
    const rnic_stats *nic = Adapter(rig, 1);
    const uint64_t octets = 10 * 200000;
    return First({wrong, Wrong(nic->copied == octets, "not every octet was copied once"),
                  Wrong(nic->crossings == nic->placed + 2 * octets && nic->placed > octets,
                        "octets do not cross memory three times"),
                  Wrong(rig.GetOutOfOrder() == 0, "the CPU copied ahead of its turn"),
                  Wrong(nic->staging == 0, "something stays in staging")});
}

/// place, the same network: no octet waits on the adapter, each crosses memory once.
std::string PlaceCrossesOnce()
{
    SctpRig rig(Disordered());
    const std::string wrong = Whole(rig);
    const rnic_stats *nic = Adapter(rig, 1);
    return First({wrong, Wrong(nic->crossings == 10 * 200000 && nic->held_peak == 0, "not once"),
                  Wrong(rig.GetOutOfOrder() > 0, "nothing was placed ahead of its turn")});
}

class IwarpSctpTestSuite : public Suite
{
  public:
    IwarpSctpTestSuite() : Suite("iwarp-sctp")
    {
        for (const char *path : {"place", "hold", "copy"})
            Add(std::string("a slow consumer, receive ") + path, [path]() { return SlowConsumer(path); });
        Add("slow consumers of two streams", SlowConsumersOfTwoStreams);
        Add("a closed window is probed", ClosedWindowIsProbed);
        Add("held octets close the window", HeldOctetsCloseTheWindow);
        Add("hold is bounded", HoldIsBounded);
        Add("copy crosses memory three times", CopyCrossesThreeTimes);
        Add("place crosses memory once", PlaceCrossesOnce);
        Add("laws, many seeds", SctpLawsHold);
    }
};

IwarpSctpTestSuite g_iwarpSctpTestSuite; //!< registers itself

} // namespace
