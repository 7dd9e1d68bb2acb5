/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-write.cc -- two nodes, one RDMA Write of 1 MiB, then a Send that says so. */
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/iwarp-helper.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <cstring>
#include <iostream>
#include <vector>

using namespace ns3;

namespace
{

uint64_t g_placed;
Time g_last;

void Placed(Ptr<IwarpConnection>, uint16_t, const node_event &event)
{
    g_placed += event.place.len;
    g_last = Simulator::Now();
}

void Delivered(Ptr<IwarpConnection>, uint16_t, const node_event &event)
{
    const node_message &message = event.message;
    if (message.tagged)
        return; // a segment of the Write
    std::cout << "placed " << g_placed << " octets, the last at " << g_last.As(Time::US) << "; a message of "
              << message.length << " octets delivered at " << Simulator::Now().As(Time::US) << std::endl;
}

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

} // namespace

int main(int argc, char **argv)
{
    Time::SetResolution(Time::PS);
    std::string preset = "t6", receive = "place", trace;
    CommandLine cmd(__FILE__);
    cmd.AddValue("preset", "the adapter: ideal, t5, t6, e810, ne010, siw", preset);
    cmd.AddValue("receive", "place, hold, discard or copy", receive);
    cmd.AddValue("trace", "write PREFIX-*.pcap and PREFIX-*.tr of the adapters, and PREFIX-link-*.tr", trace);
    cmd.Parse(argc, argv);

    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    link.SetDeviceAttribute("Mtu", UintegerValue(9000));
    link.SetChannelAttribute("Delay", StringValue("1us"));
    NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);

    IwarpHelper iwarp;
    iwarp.Set("rnic.preset", StringValue(preset));
    iwarp.Set("rnic.receive", StringValue(receive));
    if (receive == "copy")
        iwarp.Set("rnic.window.policy", StringValue("buffer"));
    std::vector<Ptr<IwarpRnic>> rnic = iwarp.Install(nodes);
    std::vector<uint8_t> source(1 << 20, 0x5a), sink(1 << 20), mailbox(64);
    const iw_stag from = Register(rnic[0], source), to = Register(rnic[1], sink),
                  mail = Register(rnic[1], mailbox);
    auto [client, server] = iwarp.Connect(rnic[0], rnic[1]);
    if (!trace.empty()) {
        iwarp.EnablePcapAll(trace);
        iwarp.EnableAsciiAll(trace);
        link.EnableAsciiAll(trace + "-link");
    }
    rnic[1]->TraceConnectWithoutContext("SegmentPlaced", MakeCallback(&Placed));
    rnic[1]->TraceConnectWithoutContext("MessageDelivered", MakeCallback(&Delivered));

    iw_work receiveWork{};
    receiveWork.op = IW_RECV;
    receiveWork.sges = 1;
    receiveWork.sge[0] = {mail, 64, 0};
    server->Post(receiveWork);
    Simulator::Schedule(MicroSeconds(100), [client = client, from, to]() {
        iw_work write{}, send{};
        write.op = IW_WRITE;
        write.sges = 1;
        write.sge[0] = {from, 1 << 20, 0};
        write.remote_stag = to;
        client->Post(write);
        send.op = IW_SEND;
        send.sges = 1;
        send.sge[0] = {from, 64, 0};
        client->Post(send);
    });
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    std::cout << (source == sink ? "the octets are the same" : "the octets differ") << std::endl;
    Simulator::Destroy();
    return source == sink ? 0 : 1;
}
