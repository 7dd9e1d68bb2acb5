/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-reorder.cc -- a link that reorders one packet in ten: goodput of a placing and a discarding RNIC, with three
 * duplicate acknowledgements, with a tolerant threshold, and with RACK. */
#include "ns3/core-module.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-topology.h"

#include <iostream>

using namespace ns3;

namespace
{

constexpr uint32_t SIZE = 1 << 20, COUNT = 32;

IwarpTopology *g_network;
uint32_t g_left;
Time g_start, g_end;

void Post(Ptr<IwarpConnection> connection, iw_stag stag)
{
    iw_work write{};
    write.op = IW_WRITE;
    write.sges = 1;
    write.sge[0] = {stag, SIZE, 0};
    write.remote_stag = stag; // both sides registered the same, in the same order, with the same key
    for (uint32_t i = 0; i < COUNT; i++)
        connection->Post(write);
    g_network->StartImpairment();
    g_start = Simulator::Now();
}

void Completed(Ptr<IwarpConnection>, uint16_t, const node_event &)
{
    if (--g_left == 0) {
        g_end = Simulator::Now();
        Simulator::Stop();
    }
}

double Goodput(const std::string &receive, const std::string &detection, uint32_t threshold)
{
    IwarpTopology::Configuration configuration;
    configuration.data = true;
    configuration.channel.reorder.probability = 0.1;
    configuration.channel.reorder.displacement = 10;
    IwarpTopology network(configuration);
    IwarpHelper iwarp;
    iwarp.Set("payload", StringValue("none"));
    iwarp.Set("rnic.receive", StringValue(receive));
    iwarp.Set("llp.loss_detection", StringValue(detection));
    iwarp.Set("llp.dupack_threshold", UintegerValue(threshold));
    std::vector<Ptr<IwarpRnic>> rnic = iwarp.Install(network.GetHosts());
    iw_region region{};
    iw_stag stag[2];
    region.len = SIZE;
    region.pd = 1;
    region.rights = IW_LOCAL_WRITE | IW_REMOTE_WRITE;
    for (int i = 0; i < 2; i++)
        NS_ABORT_MSG_IF(rnic[i]->RegisterMemory(region, &stag[i]), "registration");
    auto connection = iwarp.Connect(rnic[0], rnic[1]).first;
    rnic[0]->TraceConnectWithoutContext("Completion", MakeCallback(&Completed));
    g_network = &network;
    g_left = COUNT;
    Simulator::Schedule(MicroSeconds(100), &Post, connection, stag[0]);
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    Simulator::Destroy();
    return g_left ? 0 : 8.0 * SIZE * COUNT / static_cast<double>((g_end - g_start).GetNanoSeconds());
}

} // namespace

int main(int argc, char **argv)
{
    Time::SetResolution(Time::PS);
    CommandLine cmd(__FILE__);
    cmd.Parse(argc, argv);
    std::cout << "receive  loss detection  goodput Gb/s" << std::endl;
    for (const char *receive : {"place", "discard"}) {
        for (uint32_t threshold : {3u, 300u})
            std::cout << receive << "  dupack, " << threshold << "  " << Goodput(receive, "dupack", threshold)
                      << std::endl;
        std::cout << receive << "  rack  " << Goodput(receive, "rack", 3) << std::endl;
    }
    return 0;
}
