/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-helper.h"

#include "iwarp-port.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpHelper");

namespace
{

constexpr uint16_t FIRST_PORT = 10000, PORTS = 50000;

Ptr<NetDevice> PortOf(const Ptr<Node> &node)
{
    Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
    for (uint32_t i = 1; ipv4 && i < ipv4->GetNInterfaces(); i++) // 0 is the loopback
        if (ipv4->GetNAddresses(i))
            return ipv4->GetNetDevice(i);
    NS_FATAL_ERROR("IwarpHelper: the node has no device with an IPv4 address");
    return nullptr;
}

} // namespace

void IwarpHelper::Set(const std::string &name, const AttributeValue &value)
{
    m_attributes.emplace_back(name, value.Copy());
}

std::vector<Ptr<IwarpRnic>> IwarpHelper::Install(const NodeContainer &nodes) const
{
    std::vector<Ptr<IwarpRnic>> adapters;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node) {
        Ptr<IwarpRnic> rnic = CreateObject<IwarpRnic>();
        for (const auto &[name, value] : m_attributes)
            rnic->SetAttribute(name, *value);
        NS_LOG_INFO("an adapter on node " << (*node)->GetId());
        (*node)->AggregateObject(rnic);
        rnic->SetPort(PortOf(*node));
        adapters.push_back(rnic);
    }
    return adapters;
}

int64_t IwarpHelper::AssignStreams(const std::vector<Ptr<IwarpRnic>> &adapters, int64_t stream)
{
    for (const Ptr<IwarpRnic> &rnic : adapters)
        rnic->SetAttribute("DrawKey", UintegerValue(static_cast<uint64_t>(stream++)));
    return static_cast<int64_t>(adapters.size());
}

std::pair<Ptr<IwarpConnection>, Ptr<IwarpConnection>> IwarpHelper::Connect(const Ptr<IwarpRnic> &from,
                                                                           const Ptr<IwarpRnic> &to,
                                                                           uint16_t port, uint16_t streams)
{
    const uint16_t local = static_cast<uint16_t>(FIRST_PORT + m_number % PORTS);
    const uint32_t name = 1 + m_number * 4096; // STags carry the names of their streams
    NS_LOG_INFO("a connection from " << from->GetAddress() << " to " << to->GetAddress() << ":" << port);
    const IwarpRnic::End initiates = {m_number, true, to->GetAddress(), local, port, streams, name};
    const IwarpRnic::End listens = {m_number, false, from->GetAddress(), port, local, streams, name};
    m_number++;
    Ptr<IwarpConnection> initiator = from->CreateConnection(initiates);
    Ptr<IwarpConnection> responder = to->CreateConnection(listens);
    responder->Open();
    initiator->Open();
    return {initiator, responder};
}

// ---- captures ---------------------------------------------------------------------------------------------

namespace
{

constexpr uint16_t LINK_RAW = 101; // of pcap files: packets begin with their IP header

/// nullptr: the device is no adapter's.
Ptr<IwarpPort> PortBehind(const Ptr<NetDevice> &device)
{
    Ptr<IwarpPort> port = device->GetNode()->GetObject<IwarpPort>();
    return port && port->Has(device) ? port : nullptr;
}

void Capture(Ptr<PcapFileWrapper> file, Ptr<const Packet> packet)
{
    file->Write(Simulator::Now(), packet);
}

/// "t 0.0001 /NodeList/0/$ns3::IwarpPort/Tx (IP header) (TCP header) connection=... ..."
void Line(Ptr<OutputStreamWrapper> stream, std::string path, Ptr<const Packet> packet)
{
    std::ostream &out = *stream->GetStream();
    Ptr<Packet> rest = packet->Copy();
    Ipv4Header ip;
    TcpHeader tcp;
    IwarpPacketTag tag;
    rest->RemoveHeader(ip);
    rest->PeekPacketTag(tag);
    out << (path[path.size() - 2] == 'T' ? 't' : 'r') << " " << Simulator::Now().GetSeconds() << " " << path
        << " (" << ip << ")";
    if (ip.GetProtocol() == IP_PROTOCOL_TCP && rest->PeekHeader(tcp))
        out << " (" << tcp << ")";
    tag.Print(out << " ");
    out << std::endl;
}

} // namespace

void IwarpHelper::EnablePcapInternal(std::string prefix, Ptr<NetDevice> device, bool, bool explicitFilename)
{
    Ptr<IwarpPort> port = PortBehind(device);
    if (!port) {
        NS_LOG_INFO("device " << device << " is no adapter's: no capture");
        return;
    }
    PcapHelper pcap;
    const std::string name = explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device);
    Ptr<PcapFileWrapper> file =
        pcap.CreateFile(name, std::ios::out, static_cast<PcapHelper::DataLinkType>(LINK_RAW));
    for (const char *source : {"Tx", "Rx"})
        port->TraceConnectWithoutContext(source, MakeBoundCallback(&Capture, file));
}

void IwarpHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream, std::string prefix,
                                      Ptr<NetDevice> device, bool explicitFilename)
{
    Ptr<IwarpPort> port = PortBehind(device);
    if (!port) {
        NS_LOG_INFO("device " << device << " is no adapter's: no trace");
        return;
    }
    AsciiTraceHelper ascii;
    if (!stream)
        stream =
            ascii.CreateFileStream(explicitFilename ? prefix : ascii.GetFilenameFromDevice(prefix, device));
    const std::string path = "/NodeList/" + std::to_string(device->GetNode()->GetId()) + "/$ns3::IwarpPort/";
    for (const char *source : {"Tx", "Rx"})
        port->TraceConnect(source, path + source, MakeBoundCallback(&Line, stream));
}

} // namespace ns3
