/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-server.h -- an application that listens on an adapter and takes what comes, as PacketSink does of sockets. */
#ifndef IWARP_SERVER_H
#define IWARP_SERVER_H

#include "iwarp-rnic.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <map>
#include <vector>

namespace ns3
{

/// What a server tells a client in its first Send, in octets of network order: the memory that it may write and read from TO 0 on,
/// and the size of the buffers that wait for its Sends.
struct IwarpAdvertisement {
    static constexpr uint32_t OCTETS = 16;
    iw_stag stag;
    uint32_t receiveSize;
    uint64_t memory;

    void Put(uint8_t *octets) const;
    static IwarpAdvertisement Get(const uint8_t *octets);
};

/**
 * \ingroup iwarp
 * \brief Listens on a port of its node's IwarpRnic; Writes, Reads and Sends of any number of clients.
 *
 * All clients share one region of memory. Each has receive buffers of its own, which wait again as soon as a Send has been taken. A
 * Send that finds none ends its connection, unless llp.missing_buffer says otherwise.
 */
class IwarpServer : public Application
{
  public:
    /// \return the type, with its attributes and trace sources
    static TypeId GetTypeId();

    /// \return octets of Sends that were delivered and of Writes that were placed
    uint64_t GetTotalRx() const;
    /// \return the connections that came, in their order
    std::vector<Ptr<IwarpConnection>> GetAccepted() const;

    /// Signature of the trace source Accept.
    typedef void (*AcceptTracedCallback)(Ptr<IwarpConnection> connection, const Address &from);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void Accept(Ptr<IwarpConnection> connection, Ipv4Address from, uint16_t port);
    void Connected(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Placed(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Completed(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);

    /// A connection, and the buffers for its Sends; behind them the octets of the advertisement.
    struct Client {
        Ptr<IwarpConnection> connection;
        Address from;
        std::vector<uint8_t> memory;
        iw_stag stag;
        bool greeted{false}; //!< its first Send is there, which is empty
    };
    void PostReceive(const Client &client, uint64_t buffer) const;
    void Count(const Client &client, uint32_t octets, const uint8_t *at);

    uint16_t m_port;
    uint64_t m_memoryOctets;
    uint32_t m_receives, m_receiveSize;
    Ptr<IwarpRnic> m_rnic;
    std::vector<uint8_t> m_memory;
    iw_stag m_stag{0};
    std::map<uint32_t, Client> m_clients; //!< by number of the connection
    std::vector<Ptr<IwarpConnection>> m_accepted;
    uint64_t m_total{0};
    TracedCallback<Ptr<const Packet>, const Address &> m_rx;
    TracedCallback<Ptr<IwarpConnection>, const Address &> m_accept;
};

} // namespace ns3

#endif
