/* SPDX-License-Identifier: GPL-2.0-or-later */
/* application-test-suite.cc -- clients, listening servers and their helpers: who asks is answered, octets arrive, wrong values end it. */
#include "test-case.h"

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/iwarp-application-helper.h"
#include "ns3/iwarp-client.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-server.h"
#include "ns3/iwarp-topology.h"
#include "ns3/network-module.h"

#include <map>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 4800;
constexpr uint32_t SIZE = 30000, COUNT = 8;

/// Hosts of a star, each with an adapter; a server on host 0, clients on the others.
class Star
{
  public:
    explicit Star(uint32_t hosts, const std::map<std::string, std::string> &attributes = {})
        : m_topology(Shape(hosts)), m_client(InetSocketAddress(m_topology.GetAddress(0), PORT)),
          m_server(PORT)
    {
        IwarpHelper helper;
        for (const auto &[name, value] : attributes)
            helper.Set(name, StringValue(value));
        m_adapters = helper.Install(m_topology.GetHosts());
        m_client.SetAttribute("Size", UintegerValue(SIZE));
        m_client.SetAttribute("Count", UintegerValue(COUNT));
    }

    ~Star()
    {
        Simulator::Destroy();
    }

    /// Clients start at `start`, the server at once.
    void Run(Time start = MicroSeconds(10))
    {
        m_servers = m_server.Install(m_topology.GetHosts().Get(0));
        for (uint32_t i = 1; i < m_topology.GetHosts().GetN(); i++)
            m_clients.Add(m_client.Install(m_topology.GetHosts().Get(i)));
        m_clients.Start(start);
        GetServer()->TraceConnectWithoutContext("Rx", MakeCallback(&Star::Received, this));
        Simulator::Stop(Seconds(2));
        Simulator::Run();
    }

    Ptr<IwarpServer> GetServer() const
    {
        return m_servers.Get(0)->GetObject<IwarpServer>();
    }

    uint64_t GetSent() const
    {
        uint64_t octets = 0;
        for (uint32_t i = 0; i < m_clients.GetN(); i++)
            octets += m_clients.Get(i)->GetObject<IwarpClient>()->GetTotalTx();
        return octets;
    }

    IwarpTopology m_topology;
    std::vector<Ptr<IwarpRnic>> m_adapters;
    IwarpClientHelper m_client;
    IwarpServerHelper m_server;
    std::map<Address, uint64_t> m_received; //!< octets, by who sent them

  private:
    static IwarpTopology::Configuration Shape(uint32_t hosts)
    {
        IwarpTopology::Configuration shape;
        shape.kind = FABRIC_STAR;
        shape.hosts = hosts;
        return shape;
    }

    void Received(Ptr<const Packet> packet, const Address &from)
    {
        m_received[from] += packet->GetSize();
    }

    ApplicationContainer m_servers, m_clients;
};

/// Three clients ask one server: each is answered, and its octets are told of with its address.
std::string EachClientIsAnswered(const std::string &operation, const std::string &kind)
{
    Star star(4, {{"llp.kind", kind}});
    star.m_client.SetAttribute("Operation", StringValue(operation));
    star.Run();
    const uint64_t all = 3ull * SIZE * COUNT, there = operation == "Read" ? 0 : all;
    for (const auto &[from, octets] : star.m_received)
        if (octets != there / 3)
            return "one client sent " + std::to_string(octets);
    return First({Wrong(star.GetServer()->GetAccepted().size() == 3, "not every client was answered"),
                  Wrong(star.GetSent() == all, "complete: " + std::to_string(star.GetSent())),
                  Wrong(star.GetServer()->GetTotalRx() == there,
                        "delivered: " + std::to_string(star.GetServer()->GetTotalRx())),
                  Wrong(star.m_received.size() == (there ? 3 : 0), "not three addresses")});
}

/// A SYN before anybody listens is lost; TCP asks again.
std::string ServerMayComeLate()
{
    Star star(2);
    star.m_server.SetAttribute("StartTime", TimeValue(MilliSeconds(300)));
    star.Run();
    return Wrong(star.GetSent() == SIZE * COUNT, "complete: " + std::to_string(star.GetSent()));
}

/// Without octets there is no advertisement to read, and Sends need none.
std::string SendsWithoutOctets()
{
    Star star(2, {{"payload", "none"}});
    star.m_client.SetAttribute("Operation", StringValue("Send"));
    star.Run();
    return First({Wrong(star.GetSent() == SIZE * COUNT, "not complete"),
                  Wrong(star.GetServer()->GetTotalRx() == SIZE * COUNT, "not delivered")});
}

/// A server whose adapter is full answers nobody any more, and who was answered goes on.
std::string FullIsSilent()
{
    Star star(4, {});
    star.m_adapters[0]->SetAttribute("Connections", UintegerValue(2));
    star.m_adapters[0]->SetAttribute("Streams", UintegerValue(2));
    star.Run();
    return First({Wrong(star.GetServer()->GetAccepted().size() == 2, "not two were answered"),
                  Wrong(star.GetSent() == 2ull * SIZE * COUNT, "not two were served")});
}

/// Nobody listens on the port next to it.
std::string OtherPortsAreSilent()
{
    Star star(2);
    star.m_client.SetAttribute("Remote",
                               AddressValue(InetSocketAddress(star.m_topology.GetAddress(0), PORT + 1)));
    star.Run();
    return Wrong(star.GetServer()->GetAccepted().empty() && !star.GetSent(), "somebody answered");
}

/// Defaults hold for applications, and a wrong value is none.
std::string DefaultsOfApplications()
{
    const char *size = "ns3::IwarpClient::Size", *operation = "ns3::IwarpClient::Operation";
    Config::SetDefault(operation, StringValue("Read"));
    StringValue held;
    CreateObject<IwarpClient>()->GetAttribute("Operation", held);
    Config::SetDefault(operation, StringValue("Write"));
    return First(
        {Wrong(held.Get() == "Read", "another operation"),
         Wrong(!Config::SetDefaultFailSafe(size, UintegerValue(0)), "no octets"),
         Wrong(!Config::SetDefaultFailSafe(operation, EnumValue(99)), "an operation of no name"),
         Wrong(!CreateObject<IwarpServer>()->SetAttributeFailSafe("Port", UintegerValue(0)), "port 0")});
}

class IwarpApplicationTestSuite : public Suite
{
  public:
    IwarpApplicationTestSuite() : Suite("iwarp-applications")
    {
        for (const char *operation : {"Write", "Send", "Read"})
            for (const char *kind : {"mpa", "sctp"}) {
                const std::string what = operation, below = kind;
                Add("clients and a server, " + what + ", " + below,
                    [what, below]() { return EachClientIsAnswered(what, below); });
            }
        Add("a server may come late", ServerMayComeLate);
        Add("Sends without octets", SendsWithoutOctets);
        Add("an adapter that is full is silent", FullIsSilent);
        Add("other ports are silent", OtherPortsAreSilent);
        Add("defaults of applications", DefaultsOfApplications);
    }
};

IwarpApplicationTestSuite g_iwarpApplicationTestSuite; //!< registers itself

} // namespace
