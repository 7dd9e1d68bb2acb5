/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-test-suite.cc -- the RNIC on ns-3: octets, order, windows, closed forms, the end of streams. */
#include "laws.h"
#include "rig.h"
#include "test-case.h"

#include "llp/mpa.h"

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/iwarp-parameters.h"

#include <algorithm>
#include <cmath>

using namespace ns3;

namespace
{

std::string Near(double value, double expected, double share, const std::string &what)
{
    return Wrong(std::fabs(value - expected) <= share * expected,
                 what + ": " + std::to_string(value) + " instead of " + std::to_string(expected));
}

Rig::Options Bad(uint64_t seed)
{
    Rig::Options o;
    o.network.mtu = 1500;
    o.network.seed = seed;
    channel_conf &c = o.network.channel;
    c.loss = 0.01;
    c.duplicate = 0.01;
    c.corrupt = 0.005;
    c.reorder.probability = 0.1;
    c.reorder.delay = 5000000;
    c.jitter = 100000;
    o.network.data = o.network.acks = true;
    o.attributes["llp.crc_error"] = "drop";
    return o;
}

std::string Whole(Rig &rig)
{
    return First(
        {rig.GetLaws(), Wrong(!rig.GetStatus(), "the stream ended: " + std::to_string(rig.GetStatus())),
         Wrong(rig.IsDone(), "not every operation is complete"), Wrong(rig.IsIntact(), "octets are wrong")});
}

// ---- octets and order -------------------------------------------------------------------------------------

std::string CleanOperations()
{
    for (iw_op op : {IW_WRITE, IW_SEND, IW_READ}) {
        Rig::Options o;
        o.op = op;
        Rig rig(o);
        rig.Run();
        const std::string wrong = Whole(rig);
        if (!wrong.empty())
            return wrong;
    }
    return "";
}

/// Bad segments are dropped and sent again: everything arrives.
/* checks: DDP-5.3-7 MPA-5.1-1 MPA-6-1 */
std::string BadLink(const std::string &receive, bool markers)
{
    constexpr uint64_t SEEDS = 12;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Rig::Options o = Bad(seed);
        o.op = seed % 3 == 0 ? IW_WRITE : seed % 3 == 1 ? IW_SEND : IW_READ;
        o.attributes["rnic.receive"] = receive;
        o.attributes["llp.markers"] = markers ? "true" : "false";
        if (receive == "copy")
            o.attributes["rnic.window.policy"] = "buffer";
        Rig rig(o);
        rig.Run();
        const std::string wrong = Whole(rig);
        if (!wrong.empty())
            return wrong + ", seed " + std::to_string(seed);
    }
    return "";
}

/// A corrupted FPDU ends the stream, and nothing wrong is ever placed. The last Write may be complete all the same: its
/// completion says that TCP has it (RFC 5040 5.1).
/* checks: MPA-4.4-3 MPA-8-2 */
std::string CorruptionTerminates()
{
    uint32_t ended = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        Rig::Options o = Bad(seed);
        o.count = 40;
        o.network.channel.corrupt = 0.01;
        o.attributes["llp.crc_error"] = "terminate";
        Rig rig(o);
        rig.Run();
        if (!rig.IsSound())
            return "wrong octets were placed";
        if (rig.IsDone() && rig.IsIntact())
            continue;
        rig.RunFor(MilliSeconds(50)); // until the Terminate is there
        ended++;
        if (!rig.SawEvent(1, IW_EV_TERMINATE_SENT))
            return "no Terminate for a bad CRC";
        if (rig.GetTerminate(0) != IW_T_LLP_CRC)
            return "the peer was told something else";
    }
    return Wrong(ended > 0, "no packet was corrupted");
}

template <typename... Arguments> void CountOne(uint64_t *count, Arguments...)
{
    ++*count;
}

/// A callback that counts how often it is called.
template <typename... Arguments> Callback<void, Arguments...> Each(uint64_t &count)
{
    return MakeBoundCallback(&CountOne<Arguments...>, &count);
}

/// Each fate that a channel gives a packet has a trace source; octets that leave land, unless it lost them.
std::string FatesAreTraced()
{
    Rig::Options o = Bad(3);
    o.op = IW_WRITE;
    o.count = 60;
    o.network.channel.corrupt = 0.02;
    o.network.channel.duplicate = 0;
    o.network.acks = false;
    uint64_t lost = 0, altered = 0, delayed = 0, duplicated = 0, left = 0, again = 0, landed = 0;
    Rig rig(o);
    for (const Ptr<IwarpLinkChannel> &link : rig.GetTopology().GetHostLinks()) {
        link->TraceConnectWithoutContext("Drop", Each<Ptr<const Packet>>(lost));
        link->TraceConnectWithoutContext("Alter", Each<Ptr<const Packet>>(altered));
        link->TraceConnectWithoutContext("Delay", Each<Ptr<const Packet>, Time>(delayed));
        link->TraceConnectWithoutContext("Duplicate", Each<Ptr<const Packet>>(duplicated));
    }
    const auto octets = [&rig](const char *source, int side, uint64_t &count) {
        rig.GetAdapter(side)->TraceConnectWithoutContext(
            source, Each<Ptr<IwarpConnection>, uint16_t, const node_event &>(count));
    };
    octets("SegmentSent", 0, left);
    octets("SegmentRetransmitted", 0, again);
    octets("PacketArrived", 1, landed);
    rig.Run();
    rig.RunFor(MilliSeconds(50)); // what is under way when all is done lands, too
    uint64_t drops = 0;
    for (const Ptr<IwarpLinkChannel> &link : rig.GetTopology().GetHostLinks())
        drops += link->GetDrops();
    return First({Wrong(rig.IsDone(), "not complete"), Wrong(lost > 0 && lost == drops, "Drop"),
                  Wrong(altered > 0 && altered >= rig.GetDrops("crc"), "Alter"), Wrong(delayed > 0, "Delay"),
                  Wrong(duplicated == 0, "Duplicate"),
                  Wrong(left > 100 && landed == left + again - lost, "Left")});
}

/// Length-only and real octets: the same events at the same instants.
std::string PayloadNoneIsTheSame()
{
    Time last[2];
    uint64_t placed[2], events[2];
    for (int i = 0; i < 2; i++) {
        Rig::Options o = Bad(7);
        o.attributes["payload"] = i ? "none" : "real";
        Rig rig(o);
        rig.Run();
        if (!rig.IsDone())
            return "not every operation is complete";
        last[i] = rig.GetLastPlaced();
        placed[i] = rig.GetPlaced();
        events[i] = Simulator::GetEventCount();
    }
    return Wrong(last[0] == last[1] && placed[0] == placed[1] && events[0] == events[1],
                 "payload none differs");
}

/// Reordering shows early placement, and with a tolerant transport nothing is sent again.
std::string ReorderingIsPlacedEarly()
{
    Rig::Options o;
    o.size = 1 << 20;
    o.network.data = true;
    o.network.channel.reorder.probability = 0.1;
    o.network.channel.reorder.displacement = 10;
    o.attributes["llp.loss_detection"] = "dupack";
    o.attributes["llp.dupack_threshold"] = "300";
    Rig rig(o);
    rig.Run();
    const llp_stats counts = rig.GetConnection(0)->GetStatistics();
    return First({Whole(rig), Wrong(rig.GetOutOfOrder() > 300, "hardly anything came out of order"),
                  Wrong(counts.retransmits == 0, "a tolerant transport sent again"),
                  Near(rig.GetSteadyGbps(), 98.91, 0.01, "steady Gb/s")});
}

/// Three duplicates take reordering for loss; RACK does so a few times and then no more.
std::string RackToleratesReordering()
{
    double gbps[3];
    uint64_t again[3];
    const char *const detections[] = {"dupack", "rack", "dupack"}, *const thresholds[] = {"3", "3", "300"};
    for (int i = 0; i < 3; i++) {
        Rig::Options o;
        o.size = 1 << 20;
        o.count = 40;
        o.network.delay =
            10000000; // RACK waits at most a round trip (RFC 8985 6.2), which is 3 times the displacement
        o.network.data = true;
        o.network.channel.reorder.probability = 0.1;
        o.network.channel.reorder.displacement = 10;
        o.attributes["payload"] = "none";
        o.attributes["llp.loss_detection"] = detections[i];
        o.attributes["llp.dupack_threshold"] = thresholds[i];
        Rig rig(o);
        rig.Run();
        if (!rig.IsDone())
            return "not complete";
        gbps[i] = rig.GetSteadyGbps();
        again[i] = rig.GetConnection(0)->GetStatistics().retransmits;
    }
    UintegerValue standard;
    CreateObject<IwarpRnic>()->GetAttribute("llp.dupack_threshold", standard);
    return First({Wrong(standard.Get() == 3, "the default is not 3"), Wrong(again[2] == 0, "300 sent again"),
                  Wrong(again[0] > 100, "3 hardly sent again"),
                  Wrong(again[1] * 5 < again[0], "RACK sent again " + std::to_string(again[1]) +
                                                     " times, three duplicates " + std::to_string(again[0]) +
                                                     "; Gb/s " + std::to_string(gbps[0]) + " " +
                                                     std::to_string(gbps[1]) + " " + std::to_string(gbps[2])),
                  Near(gbps[1], gbps[2], 0.02, "steady Gb/s, RACK"),
                  Wrong(gbps[0] < 0.8 * gbps[2], "3 lost nothing by it")});
}

// ---- closed forms -----------------------------------------------------------------------------------------

double LineGbps(uint16_t mtu, bool markers, double rateGbps)
{
    const uint32_t mulpdu = mpa_mulpdu(mtu - 40u, markers);
    double fpdus = 0, octets = 0;
    uint64_t key = 0;
    for (int i = 0; i < 1000; i++) { // markers fall differently into each FPDU
        const uint32_t size = mpa_fpdu_size(key, mulpdu, markers);
        key += size;
        fpdus += mulpdu - IW_HEAD_TAGGED;
        octets += size + 40 + 38;
    }
    return rateGbps * fpdus / octets;
}

std::string SteadyIsTheClosedForm()
{
    for (double rate : {10., 25., 40., 100.}) {
        for (uint16_t mtu : {1500, 9000}) {
            for (bool markers : {false, true}) {
                Rig::Options o;
                o.network.mtu = mtu;
                o.network.rate = static_cast<uint64_t>(rate * 1e9);
                o.size = 1 << 20;
                o.count = 8;
                o.attributes["payload"] = "none";
                o.attributes["llp.markers"] = markers ? "true" : "false";
                Rig rig(o);
                rig.Run();
                const std::string wrong = Near(rig.GetSteadyGbps(), LineGbps(mtu, markers, rate), 0.003,
                                               "steady Gb/s at MTU " + std::to_string(mtu));
                if (!wrong.empty())
                    return wrong;
            }
        }
    }
    return "";
}

/// Only whole FPDUs fly: floor(W / FPDU) x payload / (RTT + serialization + ACK).
std::string WindowBoundIsTheClosedForm()
{
    for (uint32_t fpdus : {2, 3, 5, 7}) {
        Rig::Options o;
        o.network.delay = 50000000;
        o.size = 8940 * 1000; // whole FPDUs
        o.count = 4;
        o.limit = Seconds(5);
        o.attributes["payload"] = "none";
        o.attributes["llp.delayed_ack"] = "1";
        o.attributes["rnic.window.bytes"] = std::to_string(fpdus * 8960 + 100) + "B";
        Rig rig(o);
        rig.Run();
        const double data = (9000 + 38) * 8e-2, ack = (40 + 38) * 8e-2; // ns at 100 Gb/s
        const double round = 100000 + data + ack;
        const std::string wrong =
            Near(rig.GetSteadyGbps(), fpdus * 8940 * 8 / round, 0.01, "window-bound Gb/s");
        if (!wrong.empty())
            return wrong;
    }
    return "";
}

/// Where a message spends its time, stage by stage (rnic.h), on an idle link of 100 Gb/s and 1 us.
class Stages
{
  public:
    explicit Stages(Rig &rig) : m_nic(rig.GetAdapter(0)->GetAdapter()), m_conf(*rnic_configuration(m_nic)) {}

    iw_time Sum(iw_op op, uint32_t size) const
    {
        if (op == IW_READ)
            return Read(size);
        const uint32_t message =
            mpa_fpdu_size(0, (op == IW_SEND ? IW_HEAD_UNTAGGED : IW_HEAD_TAGGED) + size, false);
        return WayOut(message, size) + IntoMemory(message, size) + (op == IW_SEND ? Completion() : 0);
    }

  private:
    iw_time Step(rnic_step step, uint32_t octets) const
    {
        return rnic_step_time(m_nic, step, octets);
    }

    static iw_time Line(uint32_t octets)
    {
        return 1000000 + (octets + 40 + 38) * 80;
    }

    /// From the request to its segment at the other adapter's transport.
    iw_time WayOut(uint32_t message, uint32_t size) const
    {
        const iw_time read = rnic_inlined(m_nic, size) ? 0 : Step(RNIC_STEP_READ, size);
        return Step(RNIC_STEP_POST, size) + Step(RNIC_STEP_FETCH, size) + read +
               Step(RNIC_STEP_SEND, message) + Line(message) + Step(RNIC_STEP_ARRIVE, message);
    }

    /// From acceptance until the payload is where the ULP wants it.
    iw_time IntoMemory(uint32_t message, uint32_t size) const
    {
        if (m_conf.receive != RNIC_COPY)
            return Step(RNIC_STEP_PLACE, size);
        return Step(RNIC_STEP_PLACE, message) + m_conf.cpu.syscall + Step(RNIC_STEP_COPY, size);
    }

    /// Adapters make the request and keep it; only its answer comes from memory and goes there.
    iw_time Read(uint32_t size) const
    {
        const uint32_t request = mpa_fpdu_size(0, IW_HEAD_UNTAGGED + READ_REQUEST, false);
        const uint32_t answer = mpa_fpdu_size(0, IW_HEAD_TAGGED + size, false);
        const iw_time kept = m_conf.receive == RNIC_COPY ? IntoMemory(request, READ_REQUEST) : 0;
        return WayOut(request, 0) + kept + Step(RNIC_STEP_READ, size) + Step(RNIC_STEP_SEND, answer) +
               Line(answer) + Step(RNIC_STEP_ARRIVE, answer) + IntoMemory(answer, size) + Completion();
    }

    iw_time Completion() const
    {
        return Step(RNIC_STEP_COMPLETE, 0) + Step(RNIC_STEP_NOTIFY, 0);
    }

    static constexpr uint32_t READ_REQUEST = 28;
    const struct rnic *m_nic;
    rnic_conf m_conf;
};

/// One message on an idle link takes the sum of its stages. ns-3 rounds each transmission to its unit of time, 1 ps here.
std::string LatencyIsTheSumOfStages()
{
    constexpr double ROUNDING = 2; // ps: there, and with a Read back
    for (unsigned preset = 0; preset < rnic_presets_count; preset++) {
        for (iw_op op : {IW_WRITE, IW_SEND, IW_READ}) {
            for (uint32_t size : {1u, 24u, 25u, 64u, 1024u, 4096u, 8000u}) {
                Rig::Options o;
                o.op = op;
                o.count = 2; // the second finds the caches warm
                o.depth = 1;
                o.size = size;
                o.attributes["rnic.preset"] = rnic_presets[preset].name;
                Rig rig(o);
                rig.Run();
                rig.RunFor(MilliSeconds(1));
                const Time end = op == IW_WRITE  ? rig.GetLastPlaced()
                                 : op == IW_SEND ? rig.GetLastReceived()
                                                 : rig.GetLastCompleted();
                const double off = static_cast<double>((end - rig.GetLastPost()).GetPicoSeconds()) -
                                   static_cast<double>(Stages(rig).Sum(op, size));
                if (std::fabs(off) > ROUNDING)
                    return std::string(rnic_presets[preset].name) + ", operation " + std::to_string(op) +
                           ", " + std::to_string(size) + " octets: " + std::to_string(off) +
                           " ps off the sum of its stages";
            }
        }
    }
    return "";
}

// ---- windows ----------------------------------------------------------------------------------------------

std::string WindowsNeverMoveLeft()
{
    for (const char *policy : {"constant", "placed", "held", "buffer", "bdp", "retire"}) {
        for (const char *bytes : {"20000B", "100001B", "1MiB", "7000001B"}) {
            Rig::Options o = Bad(3);
            o.network.channel.corrupt = 0;
            o.size = 100000;
            o.attributes["rnic.preset"] = "t6";
            o.attributes["rnic.window.policy"] = policy;
            o.attributes["rnic.window.bytes"] = bytes;
            o.attributes["rnic.receive"] = std::string(policy) == "held" ? "hold" : "place";
            Rig rig(o);
            rig.Run();
            const std::string wrong = Whole(rig);
            if (!wrong.empty())
                return wrong + ": " + policy + " " + bytes;
        }
    }
    return "";
}

/// A consumer slower than the link closes the window; it opens again by an update of our own, not by a probe.
std::string SlowConsumer()
{
    Rig::Options o;
    o.size = 500000;
    o.attributes["rnic.window.policy"] = "buffer";
    o.attributes["rnic.window.bytes"] = "100000B";
    o.attributes["workload.consume_rate"] = "5Gbps";
    Rig rig(o);
    rig.Run();
    const llp_stats counts = rig.GetConnection(0)->GetStatistics();
    return First({Whole(rig), Near(rig.GetSteadyGbps(), 5, 0.02, "steady Gb/s of a slow consumer"),
                  Wrong(counts.timeouts == 0, "a window that opens needed a timeout"),
                  Wrong(rig.GetMinWindow() < 20000, "the window never got small")});
}

/// Staging too small: dropped before TCP had it, sent again, and in the end all is there.
std::string StagingOverflows()
{
    Rig::Options o;
    o.size = 1 << 20;
    o.attributes["rnic.preset"] = "t6";
    o.attributes["rnic.staging_bytes"] = "30000B";
    o.attributes["rnic.window.policy"] = "constant";
    o.attributes["rnic.stall.every"] = "500us";
    o.attributes["rnic.stall.for"] = "20us";
    Rig rig(o);
    rig.Run();
    return First({Whole(rig), Wrong(rig.GetDrops("staging") > 0, "nothing was dropped")});
}

std::string HoldIsBounded()
{
    Rig::Options o = Bad(5);
    o.network.channel.corrupt = 0;
    o.size = 200000;
    o.attributes["rnic.receive"] = "hold";
    o.attributes["rnic.hold_bytes"] = "6000B";
    Rig rig(o);
    rig.Run();
    const rnic_stats *stats = rnic_statistics(rig.GetAdapter(1)->GetAdapter());
    return First({Whole(rig), Wrong(stats->held_peak <= 6000, "more was held than there is room"),
                  Wrong(stats->held == 0, "something is held for ever"),
                  Wrong(rig.GetDrops("hold") > 0, "nothing was refused")});
}

// ---- the end of a stream ----------------------------------------------------------------------------------

std::string ClosesBothWays()
{
    Rig::Options o;
    Rig rig(o);
    rig.Run();
    const std::string wrong = Whole(rig);
    rig.GetConnection(0)->Close(IW_CLOSE);
    rig.RunFor(MilliSeconds(1));
    if (!rig.SawEvent(1, IW_EV_HALF_CLOSED))
        return "the peer was not told of FIN";
    rig.GetConnection(1)->Close(IW_CLOSE);
    rig.RunFor(MilliSeconds(50));
    return First({wrong, Wrong(rig.SawEvent(0, IW_EV_CLOSED) && rig.SawEvent(1, IW_EV_CLOSED), "not closed"),
                  Wrong(!rig.SawEvent(0, IW_EV_FATAL) && !rig.SawEvent(1, IW_EV_FATAL),
                        "a graceful close is no error")});
}

/* checks: RDMAP-4.8-1 */
std::string WrongOctetsTerminate()
{
    Rig::Options o;
    o.count = 1;
    Rig rig(o);
    rig.Run();
    const uint8_t ulpdu[32] = {0xc1, 0x40, 0xde, 0xad, 0xbe, 0xef}; // a Write to an STag that nobody has
    if (rig.GetConnection(0)->Inject(LLP_RIGHT, ulpdu, sizeof ulpdu))
        return "not injected";
    rig.RunFor(MilliSeconds(20));
    return First({Whole(rig), Wrong(rig.SawEvent(1, IW_EV_TERMINATE_SENT), "no Terminate"),
                  Wrong(rig.GetTerminate(0) == IW_TERM(1, 1, 0), "another code")});
}

std::string WrongCrcTerminates()
{
    for (const char *payload : {"real", "none"}) {
        Rig::Options o;
        o.count = 1;
        o.attributes["payload"] = payload;
        Rig rig(o);
        rig.Run();
        const uint8_t ulpdu[32] = {0xc1, 0x40};
        if (rig.GetConnection(0)->Inject(LLP_WRONG_CRC, ulpdu, sizeof ulpdu))
            return "not injected";
        rig.RunFor(MilliSeconds(20));
        if (rig.GetTerminate(0) != IW_T_LLP_CRC)
            return std::string("payload ") + payload + ": no Terminate for the CRC";
    }
    return "";
}

std::string WrongMarkerTerminates()
{
    Rig::Options o;
    o.count = 1;
    o.size = 512;
    o.attributes["llp.markers"] = "true";
    Rig rig(o);
    rig.Run();
    const std::vector<uint8_t> ulpdu(256, 0);
    for (int i = 0; i < 3; i++) // one of them holds a marker
        if (rig.GetConnection(0)->Inject(LLP_WRONG_MARKER, ulpdu.data(), 256))
            return "not injected";
    rig.RunFor(MilliSeconds(20));
    return Wrong(rig.GetTerminate(0) == IW_T_LLP_MARKER || rig.GetTerminate(0) > 0, "no Terminate");
}

// ---- the pieces -------------------------------------------------------------------------------------------

/// Each row but those of `without` is an attribute, and what is written of its default reads back.
std::string TableIsThere(TypeId type, const parameter_table &table, void *structure,
                         const std::set<std::string> &without)
{
    for (unsigned i = 0; i < table.count; i++) {
        const parameter &p = table.rows[i];
        const std::string name = std::string(table.group) + "." + p.name;
        TypeId::AttributeInformation information;
        if (type.LookupAttributeByName(name, &information) == (without.count(name) > 0))
            return (without.count(name) ? "an attribute " : "no attribute ") + name;
        parameter_defaults(structure, &table);
        const uint64_t value = parameter_get(structure, &p);
        const std::string text = FormatParameter(p, structure);
        parameter_set(structure, &p, value + 1);
        if (!ParseParameter(p, text, structure) || parameter_get(structure, &p) != value)
            return name + " does not read back";
    }
    return "";
}

std::string AttributesAreTheKeys()
{
    rnic_conf adapter;
    llp_keys keys;
    channel_conf channel;
    return First({TableIsThere(IwarpRnic::GetTypeId(), rnic_parameters, &adapter, {}),
                  TableIsThere(IwarpRnic::GetTypeId(), llp_parameters, &keys, {"llp.streams"}),
                  TableIsThere(IwarpLinkChannel::GetTypeId(), channel_parameters, &channel,
                               {"channel.trace.by", "channel.trace.start", "channel.delay.order",
                                "channel.delay.hold"})});
}

/// What attributes say of a channel, impairs as what a scenario says; in a script, link by link.
std::string ChannelByAttributes()
{
    uint64_t drops[2], delayed[2];
    for (int i = 0; i < 2; i++) {
        Rig::Options o = Bad(5);
        o.network.channel = {};
        o.network.data = true;
        o.network.acks = false;
        if (!i) {
            o.network.channel.loss = 0.02;
            o.network.channel.reorder.probability = 0.1;
            o.network.channel.reorder.delay = 3000000;
        }
        Rig rig(o);
        delayed[i] = drops[i] = 0;
        for (const Ptr<IwarpLinkChannel> &link : rig.GetTopology().GetHostLinks()) {
            if (i) {
                link->SetAttribute("channel.loss", DoubleValue(0.02));
                link->SetAttribute("channel.reorder.probability", StringValue("0.1"));
                link->SetAttribute("channel.reorder.delay", TimeValue(MicroSeconds(3)));
                for (std::size_t side = 0; side < 2; side++)
                    if (link->GetDevice(side)->GetNode()->GetId() < 2)
                        link->Impair(link->GetDevice(side), link->GetDevice(side)->GetNode()->GetId());
            }
            link->TraceConnectWithoutContext("Delay", Each<Ptr<const Packet>, Time>(delayed[i]));
        }
        rig.Run();
        for (const Ptr<IwarpLinkChannel> &link : rig.GetTopology().GetHostLinks())
            drops[i] += link->GetDrops();
        if (!rig.IsDone())
            return "not complete";
    }
    StringValue loss;
    Ptr<IwarpLinkChannel> link = CreateObject<IwarpLinkChannel>();
    link->SetAttribute("channel.loss", StringValue("0.02"));
    link->GetAttribute("channel.loss", loss);
    return First({Wrong(drops[0] > 0 && delayed[0] > 0, "nothing was impaired"),
                  Wrong(drops[0] == drops[1] && delayed[0] == delayed[1], "other packets met the channel"),
                  Wrong(std::stod(loss.Get()) == 0.02, "loss is " + loss.Get()),
                  Wrong(!link->SetAttributeFailSafe("channel.loss", StringValue("1.5")), "a loss of 1.5"),
                  Wrong(!link->SetAttributeFailSafe("channel.loss", StringValue("2x")), "a loss of 2x")});
}

/// What a table does not allow is refused, as a scenario's is.
std::string WrongValuesAreRefused()
{
    static const std::pair<const char *, const char *> WRONG[] = {{"llp.kind", "udp"},
                                                                  {"llp.kind", ""},
                                                                  {"llp.congestion", "fixed:"},
                                                                  {"llp.congestion", "fixed:x"},
                                                                  {"llp.congestion", "cubic "},
                                                                  {"llp.delayed_ack", "0"},
                                                                  {"llp.delayed_ack", "1.5"},
                                                                  {"llp.delayed_ack", "65"},
                                                                  {"llp.delayed_ack", "-1"},
                                                                  {"llp.delayed_ack", "2us"},
                                                                  {"llp.min_rto", "0.5ps"},
                                                                  {"llp.min_rto", "61s"},
                                                                  {"llp.send_buffer", "15KiB"},
                                                                  {"llp.send_buffer", "1e30B"},
                                                                  {"llp.markers", "maybe"},
                                                                  {"llp.initial_window", "16385"},
                                                                  {"llp.dupack_threshold", "never"}};
    llp_keys keys;
    parameter_defaults(&keys, &llp_parameters);
    for (const auto &[name, text] : WRONG)
        if (ParseParameter(*parameter_find(&llp_parameters, name + sizeof "llp"), text, &keys))
            return std::string(name) + ": \"" + text + "\" is a value";
    return "";
}

/// Packet transports go by the words of scenarios: only what the path holds is not known to a script.
std::string PacketTransportsByWords()
{
    for (const auto &[recovery, flight] :
         {std::pair{"go_back_n", "auto"}, {"irn", "unlimited"}, {"rud", "unlimited"}}) {
        Rig::Options o;
        o.attributes["llp.kind"] = "packet";
        o.attributes["llp.recovery"] = recovery;
        o.attributes["llp.flight"] = flight;
        Rig rig(o);
        rig.Run();
        if (!rig.IsDone())
            return std::string(recovery) + ": not complete";
    }
    Ptr<IwarpRnic> rnic = CreateObject<IwarpRnic>();
    rnic->SetAttribute("llp.flight", StringValue("unlimited"));
    StringValue flight, timeout;
    rnic->GetAttribute("llp.flight", flight);
    rnic->GetAttribute("llp.min_rto", timeout);
    return First({Wrong(flight.Get() == "unlimited", "flight is " + flight.Get()),
                  Wrong(timeout.Get() == "auto", "the timeout is " + timeout.Get())});
}

/// The second preset differs from the first, and attributes set after it stay.
std::string PresetsAndAttributes()
{
    Ptr<IwarpRnic> a = CreateObject<IwarpRnic>();
    a->SetAttribute("rnic.preset", StringValue("t6"));
    a->SetAttribute("rnic.window.bytes", StringValue("64KiB"));
    StringValue preset, bytes;
    a->GetAttribute("rnic.preset", preset);
    a->GetAttribute("rnic.window.bytes", bytes);
    return First(
        {Wrong(preset.Get() == "t6", "the preset is " + preset.Get()),
         Wrong(bytes.Get() == "65536B", "the window is " + bytes.Get()),
         Wrong(a->GetConfiguration().tx.latency + a->GetConfiguration().rx.latency > 0, "t6 takes no time")});
}

/// What Config::SetDefault() says holds whatever the preset has, and a wrong value is none.
std::string DefaultsHold()
{
    const char *receive = "ns3::IwarpRnic::rnic.receive", *bytes = "ns3::IwarpRnic::rnic.window.bytes";
    Config::SetDefault(receive, StringValue("discard"));
    Ptr<IwarpRnic> a = CreateObject<IwarpRnic>();
    a->SetAttribute("rnic.preset", StringValue("t6"));
    StringValue path;
    a->GetAttribute("rnic.receive", path);
    Config::SetDefault(receive, StringValue(""));
    Ptr<IwarpRnic> b = CreateObject<IwarpRnic>();
    return First(
        {Wrong(path.Get() == "discard", "the preset's " + path.Get()),
         Wrong(b->GetConfiguration().receive == RNIC_PLACE, "a default that was taken back"),
         Wrong(!Config::SetDefaultFailSafe(receive, StringValue("bogus")), "a path of no name"),
         Wrong(!Config::SetDefaultFailSafe(bytes, StringValue("64Kb")), "a size of no unit"),
         Wrong(!a->SetAttributeFailSafe("rnic.receive", StringValue("bogus")), "set to a path of no name")});
}

/// What FlowMonitor listens to: packets that a node's IP sends and that it delivers.
struct Heard {
    uint64_t packets = 0, octets = 0, ports = 0;

    void Count(const Ipv4Header &header, Ptr<const Packet> payload, uint32_t)
    {
        uint8_t ports_there[4];
        ports += payload->CopyData(ports_there, 4) == 4 && header.GetProtocol() == 6;
        packets++;
        octets += header.GetPayloadSize() + header.GetSerializedSize();
    }
};

/// Each packet is sent and delivered once where FlowMonitor hears it, with its ports.
std::string FlowMonitorHears()
{
    Rig rig(Rig::Options{});
    Heard sent[2], came[2];
    for (uint32_t h = 0; h < 2; h++) {
        Ptr<Ipv4> ipv4 = rig.GetTopology().GetHosts().Get(h)->GetObject<Ipv4>();
        ipv4->TraceConnectWithoutContext("SendOutgoing", MakeCallback(&Heard::Count, &sent[h]));
        ipv4->TraceConnectWithoutContext("LocalDeliver", MakeCallback(&Heard::Count, &came[h]));
    }
    rig.Run();
    uint64_t placed = rig.GetPlaced();
    return First(
        {Whole(rig), Wrong(sent[0].packets && sent[1].packets, "nothing was heard"),
         Wrong(sent[0].packets == came[1].packets && sent[1].packets == came[0].packets,
               "sent and not delivered"),
         Wrong(sent[0].octets == came[1].octets, "other octets were delivered"),
         Wrong(sent[0].octets > placed && sent[0].octets < placed + placed / 5, "octets are missing"),
         Wrong(sent[0].ports == sent[0].packets, "a packet without ports")});
}

/// A host of 40 Gb/s sends to one of 10: DCTCP's marks keep the queue short, nothing is dropped.
std::string DctcpMarks()
{
    const fabric_line lines[] = {{0, 2, 40000000000, 1000000}, {1, 2, 10000000000, 1000000}};
    Rig::Options o;
    o.network.kind = FABRIC_FILE;
    o.network.file.hosts = 2;
    o.network.file.switches = 1;
    o.network.file.lines = 2;
    o.network.file.line = lines;
    o.network.ecn_threshold = 100000;
    o.size = 1 << 20;
    o.depth = 10;
    o.attributes["llp.congestion"] = "dctcp";
    o.attributes["payload"] = "none";
    Rig rig(o);
    rig.Run();
    return First({Wrong(rig.IsDone(), "not complete"),
                  Wrong(rig.GetTopology().GetSwitchDrops() == 0, "drops"),
                  Wrong(rig.GetConnection(1)->GetStatistics().ecn_marks > 0, "no packet was marked")});
}

/// Stock TCP on the hosts of an RNIC: a flow of each, over one port, and neither starves.
std::string StockTcpBeside()
{
    constexpr uint32_t OCTETS = 2000000;
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(OCTETS));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(OCTETS));
    Rig::Options o;
    o.network.mtu = 1500;
    o.size = 200000;
    o.limit = MilliSeconds(100);
    Rig rig(o);
    uint32_t got = 0;
    Ptr<Socket> listener =
        Socket::CreateSocket(rig.GetTopology().GetHosts().Get(1), TcpSocketFactory::GetTypeId());
    Ptr<Socket> sender =
        Socket::CreateSocket(rig.GetTopology().GetHosts().Get(0), TcpSocketFactory::GetTypeId());
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 5000));
    listener->Listen();
    Ptr<Socket> accepted;
    Time last;
    listener->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address &>(),
        Callback<void, Ptr<Socket>, const Address &>([&](Ptr<Socket> socket, const Address &) {
            accepted = socket;
            socket->SetRecvCallback(Callback<void, Ptr<Socket>>([&](Ptr<Socket> from) {
                while (Ptr<Packet> packet = from->Recv())
                    got += packet->GetSize();
                last = Simulator::Now();
            }));
        }));
    sender->SetConnectCallback(Callback<void, Ptr<Socket>>([](Ptr<Socket> socket) {
                                   for (uint32_t i = 0; i < OCTETS / 1000; i++)
                                       socket->Send(Create<Packet>(1000));
                               }),
                               MakeNullCallback<void, Ptr<Socket>>());
    const Address to = InetSocketAddress(rig.GetTopology().GetAddress(1), 5000);
    Simulator::ScheduleWithContext(rig.GetTopology().GetHosts().Get(0)->GetId(), Time(0),
                                   [sender, to]() { sender->Connect(to); });
    rig.Run();
    rig.RunFor(MilliSeconds(50));
    return First({Whole(rig), Wrong(got == OCTETS, "stock TCP delivered " + std::to_string(got)),
                  Wrong(rig.GetLastPlaced() < 2 * last && last < 3 * rig.GetLastPlaced(), "one starved")});
}

std::string FatTreeRoutes()
{
    for (const fabric_routing routing : {FABRIC_FLOW_HASH, FABRIC_ENTROPY, FABRIC_SPRAY}) {
        Rig::Options o;
        o.network.kind = FABRIC_FAT_TREE;
        o.network.fat_tree.k = 4;
        o.network.routing = routing;
        o.size = 100000;
        Rig rig(o);
        rig.Run();
        const std::string wrong = Whole(rig);
        if (!wrong.empty())
            return wrong;
        if (rig.GetTopology().GetHosts().GetN() != 16)
            return "k = 4 has 16 hosts";
    }
    return "";
}

/// Above 4 GiB: sequence numbers wrap, offsets do not.
std::string Wraps()
{
    Rig::Options o = Bad(11);
    o.network.mtu = 9000;
    o.network.channel.loss = 1e-4;
    o.network.channel.corrupt = o.network.channel.duplicate = 0;
    o.network.channel.reorder.probability = 0.001;
    o.network.channel.jitter = 0;
    o.attributes["payload"] = "none";
    o.attributes["llp.loss_detection"] = "dupack";
    o.attributes["llp.dupack_threshold"] = "300";
    o.size = 1 << 30;
    o.count = 5;
    o.limit = Seconds(100);
    Rig rig(o);
    rig.Run();
    return First({rig.GetLaws(), Wrong(rig.IsDone(), "not complete"),
                  Wrong(rig.GetPlaced() == 5ull << 30, "octets are missing")});
}

class IwarpTestSuite : public Suite
{
  public:
    IwarpTestSuite() : Suite("iwarp")
    {
        Add("Writes, Sends and Reads on a clean link", CleanOperations);
        for (const char *receive : {"place", "hold", "discard", "copy"}) {
            for (bool markers : {false, true}) {
                const std::string name =
                    std::string("a bad link, receive ") + receive + (markers ? ", markers" : "");
                const std::string path = receive;
                Add(name, [path, markers]() { return BadLink(path, markers); });
            }
        }
        Add("a bad CRC ends the stream", CorruptionTerminates);
        Add("what the channel does is traced", FatesAreTraced);
        Add("payload none: the same events", PayloadNoneIsTheSame);
        Add("what comes early is placed early", ReorderingIsPlacedEarly);
        Add("RACK tolerates reordering", RackToleratesReordering);
        Add("steady goodput is the closed form", SteadyIsTheClosedForm);
        Add("window-bound goodput is the closed form", WindowBoundIsTheClosedForm);
        Add("latency is the sum of its stages", LatencyIsTheSumOfStages);
        Add("the right edge never moves left", WindowsNeverMoveLeft);
        Add("a slow consumer", SlowConsumer);
        Add("staging overflows", StagingOverflows);
        Add("hold is bounded", HoldIsBounded);
        Add("graceful close", ClosesBothWays);
        Add("wrong octets end in a Terminate", WrongOctetsTerminate);
        Add("a wrong CRC ends in a Terminate", WrongCrcTerminates);
        Add("a wrong marker ends in a Terminate", WrongMarkerTerminates);
        Add("attributes are the scenario's keys", AttributesAreTheKeys);
        Add("a channel by attributes", ChannelByAttributes);
        Add("wrong values are refused", WrongValuesAreRefused);
        Add("packet transports go by the words of scenarios", PacketTransportsByWords);
        Add("presets", PresetsAndAttributes);
        Add("defaults hold with a preset, wrong ones are refused", DefaultsHold);
        Add("FlowMonitor's trace sources hear it", FlowMonitorHears);
        Add("DCTCP", DctcpMarks);
        Add("fat tree, flow hash and spray", FatTreeRoutes);
        Add("stock TCP beside it", StockTcpBeside);
        Add("laws, many seeds, crc_error drop", []() { return LawsHold(CRC_DROP); });
        Add("laws, many seeds, crc_error terminate", []() { return LawsHold(CRC_TERMINATE); });
        AddTestCase(new Case("more than 4 GiB", Wraps), Duration::EXTENSIVE);
    }
};

IwarpTestSuite g_iwarpTestSuite; //!< registers itself

} // namespace
