/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ns3_segments.cc -- what a data segment costs on a link: stock ns-3 TCP sockets, the RNIC without octets, the RNIC
 * with octets and CRC. CPU time of this process, the median of alternating rounds. Bounds: 1.25 and 1.6 times stock.
 */
#include "ns3/iwarp-rnic.h"
#include "ns3/iwarp-topology.h"
#include "validation/bench/ns3_flow.h"

#include "ns3/core-module.h"
#include "ns3/internet-module.h"

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t OCTETS = 200000000;
constexpr uint32_t BUFFER = 1 << 20, ROUNDS = 5;

struct Stock {
    Ptr<Socket> sender;
    uint64_t left{OCTETS}, got{0};
    uint32_t chunk;

    void Fill(Ptr<Socket>, uint32_t)
    {
        while (left) {
            const uint32_t n = static_cast<uint32_t>(std::min<uint64_t>(chunk, left));
            if (sender->GetTxAvailable() < n)
                return;
            left -= n;
            sender->Send(Create<Packet>(n));
        }
    }

    void Connected(Ptr<Socket> socket)
    {
        socket->SetSendCallback(MakeCallback(&Stock::Fill, this));
        Fill(socket, 0);
    }

    void Drain(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv()) {
            if (!packet->GetSize())
                break;
            got += packet->GetSize();
        }
        if (got >= OCTETS)
            Simulator::Stop();
    }

    void Accepted(Ptr<Socket> socket, const Address &)
    {
        socket->SetRecvCallback(MakeCallback(&Stock::Drain, this));
    }
};

double StockSeconds(uint16_t mtu)
{
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mtu - 40));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(BUFFER));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(BUFFER));
    Config::SetDefault("ns3::TcpSocket::TcpNoDelay", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(1)));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MicroSeconds(50)));
    UseFastScheduler();
    IwarpTopology::Configuration configuration;
    configuration.mtu = mtu;
    IwarpTopology topology(configuration);
    Stock flow;
    flow.chunk = mtu - 40u;
    Ptr<Socket> listener = Socket::CreateSocket(topology.GetHosts().Get(1), TcpSocketFactory::GetTypeId());
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 5000));
    listener->Listen();
    listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address &>(),
                                MakeCallback(&Stock::Accepted, &flow));
    flow.sender = Socket::CreateSocket(topology.GetHosts().Get(0), TcpSocketFactory::GetTypeId());
    flow.sender->SetConnectCallback(MakeCallback(&Stock::Connected, &flow),
                                    MakeNullCallback<void, Ptr<Socket>>());
    const Address to = InetSocketAddress(topology.GetAddress(1), 5000);
    Simulator::ScheduleWithContext(0, Time(0), [&flow, to]() { flow.sender->Connect(to); });
    const double start = CpuSeconds();
    Simulator::Run();
    const double seconds = CpuSeconds() - start;
    flow.sender = nullptr;
    Simulator::Destroy();
    return seconds;
}

double RnicSeconds(uint16_t mtu, const char *payload)
{
    UseFastScheduler();
    IwarpTopology::Configuration configuration;
    configuration.mtu = mtu;
    IwarpTopology topology(configuration);
    Ns3Flow flow(topology, 0, 1, OCTETS, payload);
    const double start = CpuSeconds();
    Simulator::Run();
    const double seconds = CpuSeconds() - start;
    Simulator::Destroy();
    return flow.IsDone() ? seconds : 0;
}

double Median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

bool Compare(uint16_t mtu)
{
    std::vector<double> stock, none, real;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        stock.push_back(StockSeconds(mtu));
        none.push_back(RnicSeconds(mtu, "none"));
        real.push_back(RnicSeconds(mtu, "real"));
    }
    const double segments = static_cast<double>(OCTETS) / (mtu - 40);
    const double base = Median(stock), without = Median(none), with = Median(real);
    const bool good = without <= 1.25 * base && with <= 1.6 * base && without > 0 && with > 0;
    std::printf(
        "mtu %u: stock %.2f us per segment; payload none %.2f (x %.2f, at most 1.25); payload real with CRC "
        "%.2f (x %.2f, at most 1.6)%s\n",
        mtu, base / segments * 1e6, without / segments * 1e6, without / base, with / segments * 1e6,
        with / base, good ? "" : "   TOO MUCH");
    return good;
}

} // namespace

int main()
{
    Time::SetResolution(Time::PS);
    std::printf("%s\n", IwarpNs3Version().c_str());
    const bool jumbo = Compare(9000), small = Compare(1500);
    return jumbo && small ? 0 : 1;
}
