/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ns3_fat_tree.cc -- a fat tree of RNICs: CPU time of set-up and per packet and link, memory per host and connection,
 * and what many connections on one host cost. Each case is a process of its own: ns3_fat_tree CASE.
 * ns3_fat_tree once:N runs N connections on one host once, to be counted by valgrind.
 * Bounds: k=8, 128 hosts, a permutation of 1 MB, MTU 9000: 200,000 packet-hops per CPU second, set-up 0.2 s, 60 kB per
 * host and connection idle, 120 kB at the peak. k=16, 1024 hosts: 150 MB. 127 connections cost as much per segment as 1,
 * within 30 %.
 */
#include "ns3/iwarp-rnic.h"
#include "ns3/iwarp-topology.h"
#include "validation/bench/ns3_flow.h"

#include "ns3/core-module.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>

using namespace ns3;

namespace
{

constexpr uint64_t MEGABYTE = 1000000;

bool Bound(const char *what, double value, double limit, bool atLeast)
{
    const bool good = atLeast ? value >= limit : value <= limit;
    std::printf("  %-44s %12.3f  (%s %g)%s\n", what, value, atLeast ? "at least" : "at most", limit,
                good ? "" : "   MISSED");
    return good;
}

/// So that the program's own pages are there before memory is measured.
void WarmUp()
{
    IwarpTopology::Configuration configuration;
    configuration.kind = FABRIC_STAR;
    IwarpTopology topology(configuration);
    Ns3Flow flow(topology, 0, 1, MEGABYTE, "none");
    Simulator::Run();
    Simulator::Destroy();
}

/// Every host sends to the one that is half the tree and a bit further.
bool Permutation(uint32_t k)
{
    UseFastScheduler();
    WarmUp();
    UseFastScheduler();
    const double before = ResidentOctets(), start = CpuSeconds();
    const uint32_t warm = Ns3Flow::Connected();
    IwarpTopology::Configuration configuration;
    configuration.kind = FABRIC_FAT_TREE;
    configuration.fat_tree.k = k;
    configuration.buffer = 4 << 20;
    IwarpTopology topology(configuration);
    const uint32_t hosts = topology.GetHosts().GetN();
    const double network = CpuSeconds();
    std::vector<std::unique_ptr<Ns3Flow>> flows;
    for (uint32_t i = 0; i < hosts; i++)
        flows.push_back(
            std::make_unique<Ns3Flow>(topology, i, (i + hosts / 2 + 7) % hosts, MEGABYTE, "none"));
    const double ready = CpuSeconds(), idle = ResidentOctets();
    Simulator::Run();
    const double seconds = CpuSeconds() - ready, peak = ResidentOctets();
    std::printf("k=%u, %u hosts, %u connections; sim %.0f us, %llu events\n", k, hosts,
                (Ns3Flow::Connected() - warm) / 2, Simulator::Now().GetSeconds() * 1e6,
                static_cast<unsigned long long>(Simulator::GetEventCount()));
    bool good = Ns3Flow::Connected() - warm == 2 * hosts;
    const double hops = static_cast<double>(topology.GetPacketHops());
    if (k == 8) {
        good &= Bound("packet-hops per CPU second", hops / seconds, 200000, true);
        good &= Bound("set-up, CPU s", ready - start, 0.2, false);
        good &= Bound("kB per host and connection, idle", (idle - before) / hosts / 1e3, 60, false);
        good &= Bound("kB per host and connection, peak", (peak - before) / hosts / 1e3, 120, false);
    } else {
        good &= Bound("MB in all", peak / 1e6, 150, false);
        std::printf("  packet-hops per CPU second %.0f, set-up %.3f CPU s (network %.3f)\n", hops / seconds,
                    ready - start, network - start);
    }
    flows.clear();
    Simulator::Destroy();
    return good;
}

/// CPU microseconds per data segment of 127 connections from one host to another, or of one; without set-up.
double PerSegment(uint32_t connections)
{
    UseFastScheduler();
    IwarpTopology topology((IwarpTopology::Configuration()));
    std::vector<std::unique_ptr<Ns3Flow>> flows;
    const uint64_t octets = 127 * MEGABYTE / connections;
    for (uint32_t i = 0; i < connections; i++)
        flows.push_back(
            std::make_unique<Ns3Flow>(topology, 0, 1, octets, "none", 127)); // 127: the same adapter for both
    Simulator::Stop(MicroSeconds(200)); // all are up, and one fiftieth is sent
    Simulator::Run();
    const double start = CpuSeconds(), from = Simulator::Now().GetSeconds();
    Simulator::Run();
    const double seconds = CpuSeconds() - start, share = 1 - from / Simulator::Now().GetSeconds();
    const double segments = static_cast<double>(127 * MEGABYTE) / 8940 * share;
    flows.clear();
    Simulator::Destroy();
    return seconds / segments * 1e6;
}

/// The median over pairs of runs, one right after the other: others use the machine too.
bool ManyConnections()
{
    constexpr size_t ROUNDS = 9;
    std::vector<double> one, many, ratio;
    PerSegment(1);
    for (size_t round = 0; round < ROUNDS; round++) {
        one.push_back(PerSegment(1));
        many.push_back(PerSegment(127));
        ratio.push_back(many.back() / one.back());
    }
    for (std::vector<double> *values : {&one, &many, &ratio})
        std::sort(values->begin(), values->end());
    std::printf("1 connection %.2f us per segment, 127 connections %.2f; %zu pairs: %.2f .. %.2f\n",
                one[ROUNDS / 2], many[ROUNDS / 2], ROUNDS, ratio.front(), ratio.back());
    return Bound("127 connections over 1, median of the pairs", ratio[ROUNDS / 2], 1.3, false);
}

/// One run, for valgrind: instructions do not depend on who else uses the machine.
bool Once(const char *connections)
{
    return PerSegment(static_cast<uint32_t>(std::atoi(connections))) > 0;
}

bool Run(const char *what)
{
    Time::SetResolution(Time::PS);
    if (!std::strcmp(what, "connections"))
        return ManyConnections();
    if (!std::strncmp(what, "once:", 5))
        return Once(what + 5);
    return Permutation(static_cast<uint32_t>(std::atoi(what)));
}

} // namespace

int main(int argc, char **argv)
{
    if (argc > 1)
        return Run(argv[1]) ? 0 : 1;
    int worst = 0;
    std::printf("%s\n", IwarpNs3Version().c_str());
    for (const char *what : {"8", "16", "connections"}) {
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            const bool good = Run(what);
            std::fflush(stdout);
            _exit(good ? 0 : 1);
        }
        int status = 1;
        waitpid(child, &status, 0);
        worst |= status;
    }
    return worst ? 1 : 0;
}
