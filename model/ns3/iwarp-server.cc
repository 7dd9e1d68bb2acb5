/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-server.h"

#include "ns3/inet-socket-address.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpServer");
NS_OBJECT_ENSURE_REGISTERED(IwarpServer);

// ---- what it tells a client -------------------------------------------------------------------------------

namespace
{

void PutBig(uint8_t *octets, uint64_t value, int count)
{
    for (int i = count; i-- > 0; value >>= 8)
        octets[i] = static_cast<uint8_t>(value);
}

uint64_t GetBig(const uint8_t *octets, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | octets[i];
    return value;
}

} // namespace

void IwarpAdvertisement::Put(uint8_t *octets) const
{
    PutBig(octets, stag, 4);
    PutBig(octets + 4, receiveSize, 4);
    PutBig(octets + 8, memory, 8);
}

IwarpAdvertisement IwarpAdvertisement::Get(const uint8_t *octets)
{
    return {static_cast<iw_stag>(GetBig(octets, 4)), static_cast<uint32_t>(GetBig(octets + 4, 4)),
            GetBig(octets + 8, 8)};
}

// ---- the application --------------------------------------------------------------------------------------

TypeId IwarpServer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpServer")
            .SetParent<Application>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpServer>()
            .AddAttribute("Port", "On which it listens.", UintegerValue(4791),
                          MakeUintegerAccessor(&IwarpServer::m_port), MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("Memory", "Octets that clients may write and read.", UintegerValue(1 << 20),
                          MakeUintegerAccessor(&IwarpServer::m_memoryOctets),
                          MakeUintegerChecker<uint64_t>(1, uint64_t{1} << 40))
            .AddAttribute("Receives", "Buffers that wait for Sends, of each client.", UintegerValue(16),
                          MakeUintegerAccessor(&IwarpServer::m_receives),
                          MakeUintegerChecker<uint32_t>(1, 32768))
            .AddAttribute("ReceiveSize", "Octets of such a buffer.", UintegerValue(1 << 16),
                          MakeUintegerAccessor(&IwarpServer::m_receiveSize),
                          MakeUintegerChecker<uint32_t>(1, 1u << 30))
            .AddTraceSource("Rx", "A Send was delivered, or a segment of a Write placed, in whatever order.",
                            MakeTraceSourceAccessor(&IwarpServer::m_rx), "ns3::Packet::AddressTracedCallback")
            .AddTraceSource("Accept", "A client has asked, and is answered.",
                            MakeTraceSourceAccessor(&IwarpServer::m_accept),
                            "ns3::IwarpServer::AcceptTracedCallback");
    return tid;
}

uint64_t IwarpServer::GetTotalRx() const
{
    return m_total;
}

std::vector<Ptr<IwarpConnection>> IwarpServer::GetAccepted() const
{
    return m_accepted;
}

void IwarpServer::DoDispose()
{
    m_rnic = nullptr;
    m_clients.clear();
    m_accepted.clear();
    Application::DoDispose();
}

void IwarpServer::StartApplication()
{
    NS_LOG_FUNCTION(this << m_port);
    m_rnic = GetNode()->GetObject<IwarpRnic>();
    NS_ABORT_MSG_UNLESS(m_rnic, "IwarpServer: the node has no adapter; IwarpHelper::Install() comes first");
    m_memory.resize(m_rnic->HasOctets() ? m_memoryOctets : 0);
    m_stag = m_rnic->Register(m_memory, m_memoryOctets, IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE);
    m_rnic->TraceConnectWithoutContext("Connected", MakeCallback(&IwarpServer::Connected, this));
    m_rnic->TraceConnectWithoutContext("SegmentPlaced", MakeCallback(&IwarpServer::Placed, this));
    m_rnic->TraceConnectWithoutContext("Completion", MakeCallback(&IwarpServer::Completed, this));
    m_rnic->Listen(m_port, MakeCallback(&IwarpServer::Accept, this));
}

void IwarpServer::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_rnic->StopListening(m_port);
    for (const auto &[number, client] : m_clients)
        client.connection->Close(IW_CLOSE);
}

void IwarpServer::Accept(Ptr<IwarpConnection> connection, Ipv4Address from, uint16_t port)
{
    NS_LOG_FUNCTION(this << from << port);
    const uint64_t octets = static_cast<uint64_t>(m_receives) * m_receiveSize + IwarpAdvertisement::OCTETS;
    Client &client = m_clients[connection->GetNumber()];
    client = {connection, InetSocketAddress(from, port), {}, 0, false};
    client.memory.resize(m_rnic->HasOctets() ? octets : 0);
    client.stag = m_rnic->Register(client.memory, octets, IW_LOCAL_WRITE);
    for (uint64_t i = 0; i < m_receives; i++)
        PostReceive(client, i);
    m_accepted.push_back(connection);
    m_accept(connection, client.from);
}

void IwarpServer::PostReceive(const Client &client, uint64_t buffer) const
{
    iw_work receive{};
    receive.id = buffer;
    receive.op = IW_RECV;
    receive.sges = 1;
    receive.sge[0] = {client.stag, m_receiveSize, buffer * m_receiveSize};
    client.connection->Post(receive); // of a stream that has ended: refused, and nothing will come
}

void IwarpServer::Connected(Ptr<IwarpConnection> connection, uint16_t, const node_event &)
{
    const auto found = m_clients.find(connection->GetNumber());
    if (found == m_clients.end())
        return;
    const uint64_t at = static_cast<uint64_t>(m_receives) * m_receiveSize;
    if (m_rnic->HasOctets())
        IwarpAdvertisement{m_stag, m_receiveSize, m_memoryOctets}.Put(found->second.memory.data() + at);
    iw_work send{};
    send.op = IW_SEND;
    send.sges = 1;
    send.sge[0] = {found->second.stag, IwarpAdvertisement::OCTETS, at};
    connection->Post(send);
}

// ---- what comes -------------------------------------------------------------------------------------------

void IwarpServer::Count(const Client &client, uint32_t octets, const uint8_t *at)
{
    m_total += octets;
    if (!m_rx.IsEmpty())
        m_rx(at ? Create<Packet>(at, octets) : Create<Packet>(octets), client.from);
}

/// Segments of Writes: no completion tells of them.
void IwarpServer::Placed(Ptr<IwarpConnection> connection, uint16_t, const node_event &event)
{
    const auto found = m_clients.find(connection->GetNumber());
    const node_place &place = event.place;
    if (found == m_clients.end() || place.stag != m_stag)
        return; // not into the memory of this server
    Count(found->second, place.len, m_memory.empty() ? nullptr : m_memory.data() + place.to);
}

void IwarpServer::Completed(Ptr<IwarpConnection> connection, uint16_t, const node_event &event)
{
    const auto found = m_clients.find(connection->GetNumber());
    if (found == m_clients.end() || event.done.op != IW_RECV || event.done.status)
        return;
    Client &client = found->second;
    const uint64_t at = event.done.id * m_receiveSize;
    if (client.greeted)
        Count(client, event.done.len, client.memory.empty() ? nullptr : client.memory.data() + at);
    client.greeted = true;
    PostReceive(client, event.done.id);
}

} // namespace ns3
