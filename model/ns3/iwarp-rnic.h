/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-rnic.h -- the adapter of a node: model/node as an object of ns-3. */
#ifndef IWARP_RNIC_H
#define IWARP_RNIC_H

#include "iwarp-block.h"
#include "iwarp-connection.h"
#include "iwarp-port.h"
#include "node/factory.h"

#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \brief An iWARP RNIC, aggregated to a node that has an IP stack.
 *
 * Attributes carry the names of the scenario keys: `llp.markers`, `rnic.window.bytes`, ... (`iwarpsim keys` tells their
 * units, ranges and defaults; `rnic.preset` goes before the other rnic.* attributes). Simulated time must have
 * picosecond resolution: Time::SetResolution(Time::PS) before anything else. All attributes count until the first memory is
 * registered or connection made.
 *
 * There is a trace source for each kind of node_event; all have one signature. In callbacks of Connected, Failed,
 * SegmentPlaced, MessageDelivered, Edge, Completion, Closed and Event anything may be done; in those of the others the
 * node is in the middle of something, and they may only look.
 */
class IwarpRnic : public Object
{
  public:
    static TypeId GetTypeId();
    IwarpRnic();
    ~IwarpRnic() override;

    enum Payload { REAL, NONE };

    /// All rnic.* parameters at once.
    void SetConfiguration(const rnic_conf &conf);
    const rnic_conf &GetConfiguration() const;
    /// The device it sends by; this object is aggregated to its node, and the device has an IPv4 address.
    void SetPort(const Ptr<NetDevice> &port);
    Ipv4Address GetAddress() const;

    /// Register memory; region.base stays the caller's.
    int RegisterMemory(const iw_region &region, iw_stag *stag);
    /// The same in the protection domain of all connections, from TO 0 on; `memory` is empty when there is no payload. A table that is
    /// full ends the program.
    iw_stag Register(std::vector<uint8_t> &memory, uint64_t octets, unsigned rights);
    iw_stags *GetStags();
    /// Its stages, for statistics.
    const struct rnic *GetAdapter();
    struct node *GetNode();

    struct End {
        uint32_t number; //!< of the connection: the same at both ends, and no other's
        bool initiator;  //!< one end is
        Ipv4Address peer;
        uint16_t localPort, peerPort;
        uint16_t streams{1}; //!< llp.kind sctp: DDP streams
        uint32_t name{1};    //!< of the first stream, for STags
    };
    /// One end of a connection; the peer makes the other. Receives may be posted before Open().
    Ptr<IwarpConnection> CreateConnection(const End &end);

    /// An end that initiates, opened: from a port of its own, to one where somebody listens.
    Ptr<IwarpConnection> Connect(Ipv4Address peer, uint16_t port, uint16_t streams = 1);
    /// Called with an end that answers who asks for `port`, and the asker's address and port: receives may be posted.
    typedef Callback<void, Ptr<IwarpConnection>, Ipv4Address, uint16_t> AcceptCallback;
    /// llp.kind mpa and sctp, whose packets name ports. Who asks when the adapter is full gets no answer.
    void Listen(uint16_t port, const AcceptCallback &accept);
    void StopListening(uint16_t port);
    /// payload real: octets are there.
    bool HasOctets() const;

    /// `event` has no pointers: it may be kept.
    typedef void (*EventTracedCallback)(Ptr<IwarpConnection> connection, uint16_t stream,
                                        const node_event &event);

  protected:
    void DoDispose() override;

  private:
    friend class IwarpConnection;
    friend class IwarpTraceAccessor;

    static TypeId AddAttributes(TypeId tid); // iwarp-rnic-type.cc
    static TypeId AddTraceSources(TypeId tid);
    void Ensure(); //!< make the node, once
    uint64_t LineRate() const;
    static void *LowerLayer(ObjectBase *rnic); //!< what attributes llp.* and rnic.* are members of
    static void *Configuration(ObjectBase *rnic);
    void SetPreset(std::string preset);
    std::string GetPreset() const;
    void KeepDefaults();

    // the host of IwarpPort
    static const fabric_host TABLE;
    static bool Transmit(void *rnic, iw_time now, ip_packet *out);
    static void Arrive(void *rnic, iw_time now, const ip_packet *in);
    static iw_time Deadline(const void *rnic);
    static void Expire(void *rnic, iw_time now);
    void Asked(const ip_packet &packet, Ipv4Address from);
    struct node *Act(); //!< on whom something will be done from outside

    // what happens
    static void Heard(void *rnic, const node_event *event);
    static void *More(void *rnic, size_t octets);
    void Tell();
    void Trace(const node_event &event);

    llp_keys m_llp;
    Time m_idealTimeout;
    // rnic.*, payload and the sizes of tables
    rnic_conf m_conf;
    std::string m_preset;
    Payload m_payload;
    DataRate m_consumeRate;
    uint32_t m_connectionsMax, m_streamsMax, m_regionsMax, m_completionsMax, m_protectionDomain, m_profile;
    uint16_t m_sendQueue, m_receiveQueue;
    uint64_t m_drawKey;
    Time m_startTimeout;
    int m_completeOn;

    Ptr<NetDevice> m_device;
    Ptr<IwarpPort> m_port;
    IwarpBlock m_memory;
    std::vector<IwarpBlock> m_more;
    struct node *m_node{nullptr};
    std::vector<Ptr<IwarpConnection>> m_connections;  //!< by the node's number,
    std::unordered_map<uint32_t, uint32_t> m_numbers; //!< by the number that both ends have
    std::vector<std::pair<uint32_t, uint16_t>>
        m_streams; //!< by the node's stream: connection, and stream of it
    std::unordered_map<uint16_t, AcceptCallback> m_listeners; //!< by port
    uint32_t m_opened{0};                                     //!< by Connect()
    std::vector<node_event> m_told;
    bool m_inside{false}; //!< the node is in the middle of something
    TracedCallback<Ptr<IwarpConnection>, uint16_t, const node_event &> m_trace[NODE_EVENTS];
};

} // namespace ns3

#endif
