/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-client.h -- an application that connects to an IwarpServer and sends, writes or reads, as BulkSendApplication does over sockets. */
#ifndef IWARP_CLIENT_H
#define IWARP_CLIENT_H

#include "iwarp-server.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <vector>

namespace ns3
{

/**
 * \ingroup iwarp
 * \brief Operations of one size to one IwarpServer, some outstanding at a time.
 *
 * It speaks first, as MPA wants it (RFC 5044 7.1), with an empty Send, and begins when the server's advertisement is there. Writes and Reads go round in the server's memory. After the last one, or when it is
 * stopped, it closes the connection gracefully.
 */
class IwarpClient : public Application
{
  public:
    /// \return the type, with its attributes and trace sources
    static TypeId GetTypeId();

    /// \return octets of operations that are complete
    uint64_t GetTotalTx() const;
    /// \return the connection; nullptr before the application has started
    Ptr<IwarpConnection> GetConnection() const;

    /// Signature of the trace source Completion.
    typedef void (*CompletionTracedCallback)(Ptr<const Packet> packet, Time latency);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void Connected(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Completed(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Begin(uint32_t octets);
    void PostMore();
    bool PostOne();
    Ptr<Packet> MakePacket() const;

    Address m_remote;
    int m_operation;
    uint32_t m_size, m_depth;
    uint64_t m_count;
    Ptr<IwarpRnic> m_rnic;
    Ptr<IwarpConnection> m_connection;
    std::vector<uint8_t> m_memory; //!< of every operation; behind it the advertisement
    iw_stag m_stag{0};
    IwarpAdvertisement m_server{};
    uint64_t m_posted{0}, m_completed{0};
    std::deque<Time> m_since; //!< when those outstanding were posted
    bool m_running{false};
    TracedCallback<Ptr<const Packet>> m_tx;
    TracedCallback<Ptr<const Packet>, Time> m_completion;
};

} // namespace ns3

#endif
