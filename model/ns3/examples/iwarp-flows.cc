/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-flows.cc -- an IwarpClient on a CSMA network writes over a router to an IwarpServer behind a link, beside UDP that goes the same way,
 * as FlowMonitor sees both. Ends with 1 unless every octet arrived and FlowMonitor has a flow of the adapters each way. */
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/csma-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/internet-module.h"
#include "ns3/iwarp-application-helper.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-server.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;

namespace
{

constexpr uint32_t SIZE = 1 << 16, COUNT = 64;
constexpr uint16_t SERVER = 4791;

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
    iwarp.Install(NodeContainer(hosts.Get(0), hosts.Get(2)));
    Ptr<IwarpServer> server =
        IwarpServerHelper(SERVER).Install(hosts.Get(2)).Get(0)->GetObject<IwarpServer>();
    IwarpClientHelper client(InetSocketAddress(there.GetAddress(1), SERVER));
    client.SetAttribute("Operation", StringValue("Write"));
    client.SetAttribute("Size", UintegerValue(SIZE));
    client.SetAttribute("Count", UintegerValue(COUNT));
    client.Install(hosts.Get(0)).Start(MilliSeconds(1));
    SendUdp(hosts.Get(1), hosts.Get(2), there.GetAddress(1), udp);

    FlowMonitorHelper helper;
    Ptr<FlowMonitor> monitor = helper.InstallAll();
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    const uint32_t flows = Print(monitor, helper);
    const bool all = server->GetTotalRx() == uint64_t{SIZE} * COUNT;
    std::cout << (all ? "every octet arrived" : "octets are missing") << std::endl;
    Simulator::Destroy();
    return all && flows == 2 ? 0 : 1;
}
