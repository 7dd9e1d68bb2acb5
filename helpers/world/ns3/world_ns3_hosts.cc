/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3_hosts.cc -- hosts, adapters, memory and the clock of a trial on ns-3. */
#include "helpers/world/ns3/world_ns3_hosts.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/ppp-header.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

namespace
{

constexpr uint32_t CHECKS_PER_LIMIT = 16;

IwarpTopology::Configuration TopologyOf(const scenario_point &point)
{
    const point_topology_conf &t = point.topology;
    static const IwarpTopology::Kind kinds[] = {IwarpTopology::LINK, IwarpTopology::STAR,
                                                IwarpTopology::FAT_TREE};
    IwarpTopology::Configuration c;
    c.kind = kinds[t.kind];
    c.hosts = t.hosts;
    c.k = t.k;
    c.spray = t.routing == ROUTING_SPRAY;
    c.oversubscription = t.oversubscription;
    c.rate = t.rate;
    c.delay = PicoSeconds(static_cast<int64_t>(t.delay));
    c.mtu = static_cast<uint16_t>(t.mtu);
    c.buffer = t.buffer;
    c.ecnThreshold = t.ecn_threshold;
    c.framing = t.framing == FRAMING_PPP ? IwarpLinkChannel::PPP : IwarpLinkChannel::ETHERNET;
    c.impaired = true;
    c.impairment.conf = point.channel;
    c.impairment.data = point.channel_direction != DIRECTION_ACKS;
    c.impairment.acks = point.channel_direction != DIRECTION_DATA;
    c.impairment.realPayload = point.payload == PAYLOAD_REAL;
    c.seed = point.seed;
    c.repeat = point.repeat;
    return c;
}

std::string CongestionName(const point_llp_conf &llp)
{
    static const char *const names[] = {"cubic", "dctcp", "newreno"};
    if (llp.congestion == CONGESTION_FIXED)
        return "fixed:" + std::to_string(llp.congestion_window);
    return names[llp.congestion];
}

/// The adapter of a host with so many ends of connections.
Ptr<IwarpRnic> NewAdapter(const scenario_point &point, uint32_t host, uint32_t ends)
{
    const point_llp_conf &llp = point.llp;
    const struct workload_needs needs = workload_needs(&point.workload);
    const auto time = [](uint64_t ps) { return TimeValue(PicoSeconds(static_cast<int64_t>(ps))); };
    Ptr<IwarpRnic> a = CreateObject<IwarpRnic>();
    a->SetConfiguration(point.rnic);
    a->SetAttribute("llp.markers", BooleanValue(llp.markers));
    a->SetAttribute("llp.crc", BooleanValue(llp.crc));
    a->SetAttribute("llp.crc_error", StringValue(llp.crc_error == CRC_ERROR_DROP ? "drop" : "terminate"));
    a->SetAttribute("llp.trust_alignment", BooleanValue(llp.trust_alignment));
    a->SetAttribute("llp.congestion", StringValue(CongestionName(llp)));
    a->SetAttribute("llp.initial_window", UintegerValue(llp.initial_window));
    a->SetAttribute("llp.min_rto", time(llp.min_rto));
    a->SetAttribute("llp.delayed_ack", UintegerValue(llp.delayed_ack));
    a->SetAttribute("llp.delayed_ack_timeout", time(llp.delayed_ack_timeout));
    a->SetAttribute("llp.dupack_threshold", UintegerValue(llp.dupack_threshold));
    a->SetAttribute("llp.send_buffer", UintegerValue(llp.send_buffer));
    a->SetAttribute("llp.ord", UintegerValue(llp.ord));
    a->SetAttribute("llp.ird", UintegerValue(llp.ird));
    a->SetAttribute("payload", StringValue(point.payload == PAYLOAD_REAL ? "real" : "none"));
    a->SetAttribute("workload.consume_rate", DataRateValue(DataRate(point.consume_rate)));
    a->SetAttribute("Connections", UintegerValue(ends));
    a->SetAttribute("Regions", UintegerValue(needs.regions_max));
    a->SetAttribute("Completions", UintegerValue(needs.cq_entries));
    a->SetAttribute("SendQueue", UintegerValue(needs.sq_max));
    a->SetAttribute("ReceiveQueue", UintegerValue(needs.rq_max));
    a->SetAttribute("ProtectionDomain", UintegerValue(WORKLOAD_PD));
    a->SetAttribute("Profile", UintegerValue(needs.profile));
    a->SetAttribute("DrawKey", UintegerValue(channel_key(point.seed, point.repeat, host, 1u << 30)));
    return a;
}

} // namespace

Ns3Hosts::Ns3Hosts(const scenario_point &point, trial *t)
    : m_point(point), m_trial(t), m_topology(TopologyOf(point))
{
}

uint64_t Ns3Hosts::Clock()
{
    return static_cast<uint64_t>(Simulator::Now().GetTimeStep());
}

// ---- what the workload asks for ---------------------------------------------------------------------------

int Ns3Hosts::AskMemory(void *world, uint32_t host, iw_region *region, iw_stag *stag)
{
    Ns3Hosts *w = static_cast<Ns3Hosts *>(world);
    if (!region->base && w->m_point.payload == PAYLOAD_REAL) {
        w->m_memory.emplace_back(region->len, 0);
        region->base = w->m_memory.back().data();
    }
    return w->m_adapters[host]->RegisterMemory(*region, stag);
}

int Ns3Hosts::AskRebind(void *world, uint32_t host, iw_stag stag, const iw_region *region)
{
    return iw_rebind(static_cast<Ns3Hosts *>(world)->m_adapters[host]->GetStags(), stag, region);
}

int Ns3Hosts::AskInvalidate(void *world, uint32_t host, iw_stag stag)
{
    return iw_invalidate(static_cast<Ns3Hosts *>(world)->m_adapters[host]->GetStags(), stag);
}

int Ns3Hosts::AskPost(void *world, uint64_t, uint32_t conn, int side, const iw_work *work)
{
    return static_cast<Ns3Hosts *>(world)->Post(conn, side, *work);
}

int Ns3Hosts::AskClose(void *world, uint64_t, uint32_t conn, int side, iw_close_how how)
{
    return static_cast<Ns3Hosts *>(world)->Close(conn, side, how);
}

void Ns3Hosts::AskWake(void *world, uint64_t at)
{
    Ns3Hosts *w = static_cast<Ns3Hosts *>(world);
    w->m_wake.Cancel();
    if (at == IW_NEVER)
        return;
    const uint64_t now = Clock();
    w->m_wake = Simulator::Schedule(TimeStep(at > now ? at - now : 0), &Ns3Hosts::Wake, w);
}

int Ns3Hosts::AskInject(void *world, uint64_t, uint32_t conn, int side, const workload_wrong *wrong)
{
    return static_cast<Ns3Hosts *>(world)->Inject(conn, side, *wrong);
}

// ---- building ---------------------------------------------------------------------------------------------

void Ns3Hosts::MakeAdapter(uint32_t host)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < workload_connections(&m_point.workload); i++) {
        const struct workload_pair pair = workload_pair(&m_point.workload, i);
        ends += (pair.from == host) + (pair.to == host);
    }
    Ptr<IwarpRnic> a = NewAdapter(m_point, host, ends ? ends : 1);
    m_topology.GetHosts().Get(host)->AggregateObject(a);
    a->SetPort(m_topology.GetDevice(host));
    a->TraceConnectWithoutContext("Completion", MakeCallback(&Ns3Hosts::Done, this));
    ConnectTraces(a);
    m_adapters.push_back(a);
}

void Ns3Hosts::EnableCapture()
{
    PointToPointHelper helper;
    for (uint32_t i = 0; i < m_adapters.size(); i++)
        helper.EnablePcap(std::string(trial_pcap(m_trial)) + "-h" + std::to_string(i) + ".pcap",
                          m_topology.GetDevice(i), true, true);
}

void Ns3Hosts::TraceTheWay()
{
    for (const Ptr<IwarpLinkChannel> &link : m_topology.GetHostLinks())
        link->TraceConnectWithoutContext("Drop", MakeCallback(&Ns3Hosts::Lost, this));
    for (uint32_t i = 0; i < m_topology.GetSwitches().GetN(); i++)
        m_topology.GetSwitches().Get(i)->GetObject<IwarpSwitch>()->TraceConnectWithoutContext(
            "Drop", MakeCallback(&Ns3Hosts::Overflowed, this));
}

void Ns3Hosts::Lost(Ptr<const Packet> packet)
{
    Ptr<Packet> copy = packet->Copy();
    PppHeader link;
    copy->RemoveHeader(link);
    LostOnTheWay(copy, nullptr);
}

void Ns3Hosts::Overflowed(Ptr<const Packet> packet)
{
    LostOnTheWay(packet->Copy(), "a switch's queue is full");
}

bool Ns3Hosts::Prepare()
{
    const workload_world offers = {this,    AskMemory, AskRebind, AskInvalidate,
                                   AskPost, AskClose,  AskWake,   AskInject};
    for (uint32_t i = 0; i < m_topology.GetHosts().GetN(); i++)
        MakeAdapter(i);
    MakeConnections();
    if (trial_tracing(m_trial))
        TraceTheWay();
    if (trial_pcap(m_trial))
        EnableCapture();
    return trial_prepare(m_trial, &offers) == IW_OK;
}

// ---- running ----------------------------------------------------------------------------------------------

// Receives were posted: the ULPs start when the CPUs have done with it.
void Ns3Hosts::Begin()
{
    uint64_t ready = Clock();
    for (const Ptr<IwarpRnic> &adapter : m_adapters)
        ready = std::max<uint64_t>(ready, rnic_cpu_free(adapter->GetAdapter()));
    Simulator::Schedule(TimeStep(ready - Clock()), &Ns3Hosts::Start, this);
}

void Ns3Hosts::SetupFailed(uint32_t conn, const char *why)
{
    trial_broken(m_trial, Clock(), "connection %u: set-up failed: %s", conn, why);
    Simulator::Stop();
}

void Ns3Hosts::Start()
{
    m_topology.StartImpairment();
    trial_start(m_trial, Clock());
    StopWhenOver();
}

void Ns3Hosts::Wake()
{
    trial_wake(m_trial, Clock());
    StopWhenOver();
}

void Ns3Hosts::Done(const iw_done &done)
{
    const End end(done.user);
    trial_done(m_trial, Clock(), end.conn, end.side, &done);
    StopWhenOver();
}

void Ns3Hosts::StopWhenOver()
{
    if (trial_over(m_trial, Clock()))
        Simulator::Stop();
}

// Limits are looked at in between too, and the last event of all is noticed.
void Ns3Hosts::Check()
{
    if (Simulator::IsFinished())
        trial_stalled(m_trial, Clock());
    StopWhenOver();
    const uint64_t shortest = std::min(m_point.limit.idle, m_point.limit.sim);
    Simulator::Schedule(TimeStep(shortest / CHECKS_PER_LIMIT + 1), &Ns3Hosts::Check, this);
}

void Ns3Hosts::Run()
{
    Simulator::ScheduleNow(&Ns3Hosts::Check, this);
    Simulator::Run();
    struct trial_counters *c = trial_counters(m_trial);
    Finish(c);
    for (uint32_t i = 0; i < m_adapters.size(); i++)
        trial_adapter(m_trial, i, m_adapters[i]->GetAdapter());
    c->drops_channel = m_topology.GetChannelDrops();
    c->drops_switch = m_topology.GetSwitchDrops();
    c->events = Simulator::GetEventCount();
}
