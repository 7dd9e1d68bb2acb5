/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-connection.h -- one end of a connection of an RNIC: a TCP connection or an SCTP association, and its DDP streams. */
#ifndef IWARP_CONNECTION_H
#define IWARP_CONNECTION_H

#include "node/node.h"

#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

namespace ns3
{

class IwarpRnic;

/**
 * \brief A handle; the connection is the node's (node/node.h). Streams are numbered from 0.
 *
 * In callbacks of trace sources these calls are allowed only where IwarpRnic says so.
 */
class IwarpConnection : public SimpleRefCount<IwarpConnection>
{
  public:
    /// Made by IwarpRnic::CreateConnection().
    IwarpConnection(IwarpRnic *rnic, uint32_t number, uint32_t connection, uint32_t stream, uint16_t streams);

    /// Begin: the initiator sends, the listening end takes packets from now on.
    void Open();
    /// iw_post(), and the doorbell. Receives may be posted before the connection is up.
    int Post(const iw_work &work, uint16_t stream = 0);
    int Close(iw_close_how how, uint16_t stream = 0);
    /// iw_terminate(): the host reports an error of its own.
    int Terminate(int term, uint16_t stream = 0);
    /// The connection is cut without a word.
    void Lose();
    /// For tests, node_inject(): what no honest RNIC sends, behind everything posted.
    int Inject(llp_wrong how, const uint8_t *ulpdu, uint32_t len, uint16_t stream = 0);

    /// The same at both ends: IwarpPacketTag has it.
    uint32_t GetNumber() const;
    uint16_t GetStreams() const;
    iw_ep *GetEndpoint(uint16_t stream = 0) const;
    llp_stats GetStatistics() const;
    /// What carries it: `l` is the first argument of its calls.
    const llp *GetLowerLayer(void **l) const;

  private:
    IwarpRnic *m_rnic;
    uint32_t m_number, m_connection, m_stream;
    uint16_t m_streams;
};

} // namespace ns3

#endif
