/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-connection.h"

#include "iwarp-rnic.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpConnection");

namespace
{

iw_time Clock()
{
    return static_cast<iw_time>(Simulator::Now().GetTimeStep());
}

} // namespace

IwarpConnection::IwarpConnection(IwarpRnic *rnic, uint32_t number, uint32_t connection, uint32_t stream,
                                 uint16_t streams)
    : m_rnic(rnic), m_number(number), m_connection(connection), m_stream(stream), m_streams(streams)
{
}

void IwarpConnection::Open()
{
    NS_LOG_FUNCTION(this << m_number);
    node_open(m_rnic->Act(), Clock(), m_connection);
}

int IwarpConnection::Post(const iw_work &work, uint16_t stream)
{
    NS_LOG_FUNCTION(this << m_number << static_cast<int>(work.op) << stream);
    return node_post(m_rnic->Act(), Clock(), m_stream + stream, &work);
}

int IwarpConnection::Close(iw_close_how how, uint16_t stream)
{
    NS_LOG_FUNCTION(this << m_number << static_cast<int>(how) << stream);
    return node_close(m_rnic->Act(), Clock(), m_stream + stream, how);
}

int IwarpConnection::Terminate(int term, uint16_t stream)
{
    NS_LOG_FUNCTION(this << m_number << term << stream);
    return node_terminate(m_rnic->Act(), Clock(), m_stream + stream, term);
}

void IwarpConnection::Lose()
{
    NS_LOG_FUNCTION(this << m_number);
    node_lose(m_rnic->Act(), Clock(), m_connection);
}

int IwarpConnection::Inject(llp_wrong how, const uint8_t *ulpdu, uint32_t len, uint16_t stream)
{
    return node_inject(m_rnic->Act(), Clock(), m_stream + stream, how, ulpdu, len);
}

uint32_t IwarpConnection::GetNumber() const
{
    return m_number;
}

uint16_t IwarpConnection::GetStreams() const
{
    return m_streams;
}

iw_ep *IwarpConnection::GetEndpoint(uint16_t stream) const
{
    return node_endpoint(m_rnic->m_node, m_stream + stream);
}

llp_stats IwarpConnection::GetStatistics() const
{
    llp_stats stats{};
    void *l;
    GetLowerLayer(&l)->statistics(l, &stats);
    return stats;
}

const llp *IwarpConnection::GetLowerLayer(void **l) const
{
    return node_llp(m_rnic->m_node, m_connection, l);
}

} // namespace ns3
