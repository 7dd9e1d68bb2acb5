/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-client.h"

#include "iwarp-version.h"

#include "ns3/inet-socket-address.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpClient");
NS_OBJECT_ENSURE_REGISTERED(IwarpClient);

TypeId IwarpClient::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpClient")
            .SetParent<Application>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpClient>()
            .AddAttribute("Remote", "Where the server listens: an InetSocketAddress.", AddressValue(),
                          MakeAddressAccessor(&IwarpClient::m_remote), MakeAddressChecker())
            .AddAttribute("Operation", "Which operations.", EnumValue(static_cast<int>(IW_WRITE)),
                          IwarpMakeEnumAccessor(&IwarpClient::m_operation),
                          MakeEnumChecker(static_cast<int>(IW_WRITE), "Write", static_cast<int>(IW_SEND),
                                          "Send", static_cast<int>(IW_READ), "Read"))
            .AddAttribute("Size", "Octets of an operation.", UintegerValue(1 << 16),
                          MakeUintegerAccessor(&IwarpClient::m_size),
                          MakeUintegerChecker<uint32_t>(1, 1u << 30))
            .AddAttribute("Count", "How many operations; 0: until it is stopped.", UintegerValue(0),
                          MakeUintegerAccessor(&IwarpClient::m_count), MakeUintegerChecker<uint64_t>())
            .AddAttribute("Depth", "Most operations outstanding.", UintegerValue(4),
                          MakeUintegerAccessor(&IwarpClient::m_depth),
                          MakeUintegerChecker<uint32_t>(1, 32768))
            .AddTraceSource("Tx", "An operation was posted; of a Read: as many octets were asked for.",
                            MakeTraceSourceAccessor(&IwarpClient::m_tx), "ns3::Packet::TracedCallback")
            .AddTraceSource("Completion", "An operation is complete, so long after it was posted.",
                            MakeTraceSourceAccessor(&IwarpClient::m_completion),
                            "ns3::IwarpClient::CompletionTracedCallback");
    return tid;
}

uint64_t IwarpClient::GetTotalTx() const
{
    return m_completed * m_size;
}

Ptr<IwarpConnection> IwarpClient::GetConnection() const
{
    return m_connection;
}

void IwarpClient::DoDispose()
{
    m_rnic = nullptr;
    m_connection = nullptr;
    Application::DoDispose();
}

// The advertisement needs a buffer before the server can send it.
void IwarpClient::StartApplication()
{
    NS_LOG_FUNCTION(this);
    m_rnic = GetNode()->GetObject<IwarpRnic>();
    NS_ABORT_MSG_UNLESS(m_rnic, "IwarpClient: the node has no adapter; IwarpHelper::Install() comes first");
    NS_ABORT_MSG_UNLESS(InetSocketAddress::IsMatchingType(m_remote),
                        "IwarpClient: Remote: an InetSocketAddress; adapters speak IPv4 only");
    NS_ABORT_MSG_UNLESS(m_rnic->HasOctets() || m_operation == IW_SEND,
                        "IwarpClient: payload none carries no advertisement; Writes and Reads need real");
    const uint64_t octets = static_cast<uint64_t>(m_size) + IwarpAdvertisement::OCTETS;
    const InetSocketAddress server = InetSocketAddress::ConvertFrom(m_remote);
    m_memory.resize(m_rnic->HasOctets() ? octets : 0);
    m_stag = m_rnic->Register(m_memory, octets, IW_LOCAL_WRITE);
    m_rnic->TraceConnectWithoutContext("Connected", MakeCallback(&IwarpClient::Connected, this));
    m_rnic->TraceConnectWithoutContext("Completion", MakeCallback(&IwarpClient::Completed, this));
    m_running = true;
    m_connection = m_rnic->Connect(server.GetIpv4(), server.GetPort());
    iw_work receive{};
    receive.op = IW_RECV;
    receive.sges = 1;
    receive.sge[0] = {m_stag, IwarpAdvertisement::OCTETS, m_size};
    m_connection->Post(receive);
}

void IwarpClient::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_running)
        m_connection->Close(IW_CLOSE);
    m_running = false;
}

void IwarpClient::Connected(Ptr<IwarpConnection> connection, uint16_t, const node_event &)
{
    iw_work greeting{};
    greeting.op = IW_SEND;
    greeting.flags = IW_UNSIGNALLED;
    if (connection == m_connection)
        connection->Post(greeting);
}

// ---- operations -------------------------------------------------------------------------------------------

/// The server's first words are here.
void IwarpClient::Begin(uint32_t octets)
{
    if (m_rnic->HasOctets() && octets == IwarpAdvertisement::OCTETS) {
        m_server = IwarpAdvertisement::Get(m_memory.data() + m_size);
        NS_ABORT_MSG_IF(m_operation == IW_SEND && m_size > m_server.receiveSize,
                        "IwarpClient: Size " << m_size << ": the server's ReceiveSize is "
                                             << m_server.receiveSize);
        NS_ABORT_MSG_IF(m_operation != IW_SEND && m_size > m_server.memory,
                        "IwarpClient: Size " << m_size << ": the server's Memory is " << m_server.memory);
    } else if (m_rnic->HasOctets()) {
        NS_LOG_WARN("no IwarpServer: it said " << octets << " octets");
        StopApplication();
    }
    PostMore();
}

Ptr<Packet> IwarpClient::MakePacket() const
{
    return m_memory.empty() ? Create<Packet>(m_size) : Create<Packet>(m_memory.data(), m_size);
}

bool IwarpClient::PostOne()
{
    iw_work work{};
    work.op = static_cast<iw_op>(m_operation);
    work.sges = 1;
    work.sge[0] = {m_stag, m_size, 0};
    if (m_operation != IW_SEND) {
        work.remote_stag = m_server.stag;
        work.remote_to = m_posted % (m_server.memory / m_size) * m_size;
    }
    if (m_connection->Post(work))
        return false; // the queue is full, or the stream has ended
    m_posted++;
    m_since.push_back(Simulator::Now());
    if (!m_tx.IsEmpty())
        m_tx(MakePacket());
    return true;
}

void IwarpClient::PostMore()
{
    while (m_running && m_since.size() < m_depth && (!m_count || m_posted < m_count) && PostOne()) {
    }
    if (m_count && m_completed == m_count)
        StopApplication();
}

void IwarpClient::Completed(Ptr<IwarpConnection> connection, uint16_t, const node_event &event)
{
    if (connection != m_connection)
        return;
    if (event.done.status) {
        NS_LOG_WARN("the stream ended: " << event.done.status);
        m_running = false;
        return;
    }
    if (event.done.op == IW_RECV) {
        Begin(event.done.len);
        return;
    }
    m_completed++;
    const Time latency = Simulator::Now() - m_since.front();
    m_since.pop_front();
    if (!m_completion.IsEmpty())
        m_completion(MakePacket(), latency);
    PostMore();
}

} // namespace ns3
