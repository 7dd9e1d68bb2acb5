/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-flows.cc -- a Write from a host on a CSMA network over a router to a host behind a link, beside UDP that goes the same way, as
 * FlowMonitor sees both. Ends with 1 unless the octets are the same and FlowMonitor has a flow of the adapter each way. */
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/csma-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/internet-module.h"
#include "ns3/iwarp-helper.h"
#include "ns3/point-to-point-module.h"

#include <iostream>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t OCTETS = 4 << 20;

iw_stag Register(const Ptr<IwarpRnic> &rnic, std::vector<uint8_t> &memory)
{
    iw_region region{};
    iw_stag stag = 0;
    region.base = memory.data();
    region.len = memory.size();
    region.pd = 1;
    region.rights = IW_LOCAL_WRITE | IW_REMOTE_WRITE;
    NS_ABORT_MSG_IF(rnic->RegisterMemory(region, &stag), "the memory cannot be registered");
    return stag;
}

void SendUdp(const Ptr<Node> &from, const Ptr<Node> &to, Ipv4Address address, const std::string &rate)
{
    constexpr uint16_t PORT = 9;
    PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
    OnOffHelper source("ns3::UdpSocketFactory", InetSocketAddress(address, PORT));
    source.SetConstantRate(DataRate(rate), 1000);
    sink.Install(to);
    source.Install(from).Stop(MilliSeconds(50));
}

/// How many flows of TCP, the adapters', FlowMonitor saw.
uint32_t Print(const Ptr<FlowMonitor> &monitor, FlowMonitorHelper &helper)
{
    Ptr<Ipv4FlowClassifier> classifier = DynamicCast<Ipv4FlowClassifier>(helper.GetClassifier());
    uint32_t adapters = 0;
    monitor->CheckForLostPackets();
    for (const auto &[id, flow] : monitor->GetFlowStats()) {
        const Ipv4FlowClassifier::FiveTuple tuple = classifier->FindFlow(id);
        adapters += tuple.protocol == 6;
        std::cout << (tuple.protocol == 6 ? "iWARP " : "UDP   ") << tuple.sourceAddress << ":"
                  << tuple.sourcePort << " to " << tuple.destinationAddress << ":" << tuple.destinationPort
                  << ": " << flow.txPackets << " packets sent, " << flow.rxPackets << " came, "
                  << flow.rxBytes << " octets" << std::endl;
    }
    return adapters;
}

} // namespace

int main(int argc, char **argv)
{
    Time::SetResolution(Time::PS);
    std::string udp = "300Mbps";
    CommandLine cmd(__FILE__);
    cmd.AddValue("udp", "rate of the UDP beside it", udp);
    cmd.Parse(argc, argv);

    NodeContainer hosts(3), router(1); // 0 and 1 share the CSMA network with the router, 2 is behind it
    CsmaHelper csma;
    csma.SetChannelAttribute("DataRate", StringValue("1Gbps"));
    csma.SetChannelAttribute("Delay", StringValue("1us"));
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetChannelAttribute("Delay", StringValue("5us"));
    NetDeviceContainer lan = csma.Install(NodeContainer(hosts.Get(0), hosts.Get(1), router.Get(0)));
    NetDeviceContainer far = link.Install(router.Get(0), hosts.Get(2));
    InternetStackHelper().Install(NodeContainer(hosts, router));
    Ipv4AddressHelper("10.0.1.0", "255.255.255.0").Assign(lan);
    Ipv4InterfaceContainer there = Ipv4AddressHelper("10.0.2.0", "255.255.255.0").Assign(far);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    IwarpHelper iwarp;
    iwarp.Set("rnic.preset", StringValue("t6"));
    std::vector<Ptr<IwarpRnic>> rnic = iwarp.Install(NodeContainer(hosts.Get(0), hosts.Get(2)));
    std::vector<uint8_t> source(OCTETS, 0x5a), sink(OCTETS);
    const iw_stag from = Register(rnic[0], source), to = Register(rnic[1], sink);
    Ptr<IwarpConnection> client = iwarp.Connect(rnic[0], rnic[1]).first;
    SendUdp(hosts.Get(1), hosts.Get(2), there.GetAddress(1), udp);

    FlowMonitorHelper helper;
    Ptr<FlowMonitor> monitor = helper.InstallAll();
    Simulator::Schedule(MilliSeconds(1), [client, from, to]() {
        iw_work write{};
        write.op = IW_WRITE;
        write.sges = 1;
        write.sge[0] = {from, OCTETS, 0};
        write.remote_stag = to;
        client->Post(write);
    });
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    const uint32_t flows = Print(monitor, helper);
    const bool same = source == sink;
    std::cout << (same ? "the octets are the same" : "the octets differ") << std::endl;
    Simulator::Destroy();
    return same && flows == 2 ? 0 : 1;
}
