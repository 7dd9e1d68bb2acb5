/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-rnic.h -- the adapter of a node: memory, completion queues, connections, the stages they share. */
#ifndef IWARP_RNIC_H
#define IWARP_RNIC_H

#include "engine/iw.h"
#include "iwarp-connection.h"
#include "rnic/rnic.h"

#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/net-device.h"
#include "ns3/object.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \brief An iWARP RNIC, aggregated to a node that has an IP stack.
 *
 * Attributes carry the names of the scenario keys: `llp.markers`, `rnic.window.bytes`, ... (`iwarpsim keys` tells their
 * units, ranges and defaults; `rnic.preset` goes before the other rnic.* attributes). Simulated time must have
 * picosecond resolution: Time::SetResolution(Time::PS) before anything else.
 *
 * All attributes and SetConfiguration() count until the first memory is registered or connection made.
 */
class IwarpRnic : public Object
{
  public:
    static TypeId GetTypeId();
    IwarpRnic();
    ~IwarpRnic() override;

    enum Payload { REAL, NONE };
    enum CrcError { TERMINATE, DROP };

    /// All rnic.* parameters at once.
    void SetConfiguration(const rnic_conf &conf);
    const rnic_conf &GetConfiguration() const;
    /// The device whose port the adapter feeds: segments are made when it can take them. Without one, when TCP can.
    void SetPort(const Ptr<PointToPointNetDevice> &port);

    /// Register memory; region.base stays the caller's.
    int RegisterMemory(const iw_region &region, iw_stag *stag);
    iw_stags *GetStags();
    /// Its stages, for statistics.
    const struct rnic *GetAdapter();

    /// A connection that is neither connected nor accepted yet: receives may be posted to it. `stream`: its name for
    /// STags, not 0; 0 takes the next free one.
    Ptr<IwarpConnection> CreateConnection(uint64_t user = 0, uint32_t stream = 0);
    /// Connect: TCP, then the MPA start-up as initiator. `localPort` 0: any.
    void Connect(const Ptr<IwarpConnection> &connection, Ipv4Address peer, uint16_t port,
                 uint16_t localPort = 0);
    /// Accept connections to `port`, as MPA responder.
    void Listen(uint16_t port);
    /// The connection from there becomes this one, instead of a new one for the AcceptCallback.
    void Expect(Ipv4Address peer, uint16_t peerPort, const Ptr<IwarpConnection> &connection);
    /// A connection nobody expected was accepted by TCP; post receives, connect traces.
    void SetAcceptCallback(Callback<void, Ptr<IwarpConnection>> accepted);

    typedef void (*ConnectionTracedCallback)(Ptr<IwarpConnection> connection);
    typedef void (*SegmentSentTracedCallback)(Ptr<IwarpConnection> connection, const iw_seg &segment);
    typedef void (*OctetsOfStreamTracedCallback)(Ptr<IwarpConnection> connection, uint64_t key, uint64_t end);
    typedef void (*SegmentArrivedTracedCallback)(Ptr<IwarpConnection> connection, uint64_t key,
                                                 uint32_t octets, bool ahead, bool late);
    typedef void (*SegmentPlacedTracedCallback)(Ptr<IwarpConnection> connection, uint64_t key,
                                                const iw_place &place, bool outOfOrder);
    typedef void (*MessageDeliveredTracedCallback)(Ptr<IwarpConnection> connection,
                                                   const iw_message &message);
    typedef void (*EdgeTracedCallback)(Ptr<IwarpConnection> connection, uint64_t edge);
    typedef void (*EventTracedCallback)(Ptr<IwarpConnection> connection, const struct iw_event &event);
    typedef void (*CompletionTracedCallback)(const iw_done &done);
    typedef void (*WindowTracedCallback)(Ptr<IwarpConnection> connection, uint64_t acknowledged,
                                         uint64_t window);
    typedef void (*OctetsTracedCallback)(uint64_t octets);
    typedef void (*DropTracedCallback)(Ptr<IwarpConnection> connection, const std::string &why, uint64_t key,
                                       uint32_t octets);

  protected:
    void DoDispose() override;

  private:
    friend class IwarpConnection;
    friend class IwarpSctpAssociation;

    static TypeId AddAttributes(TypeId tid); // iwarp-rnic-type.cc
    static TypeId AddTraceSources(TypeId tid);
    void Ensure(); //!< make the blocks, once
    IwarpTcpSocket::Settings SocketSettings() const;
    uint32_t GetEmss() const;
    void Accepted(Ptr<Socket> socket, const Address &from);
    bool PortHasRoom() const;
    void PortFree(Ptr<const Packet> packet);
    /// Something else than an IwarpConnection that takes turns at the port: its number. `send` is its SendOne(),
    /// `free` is called when the port may take another packet.
    uint32_t AddSender(const std::function<bool()> &send, const std::function<void()> &free);
    void Pump();
    void Ready(uint32_t number);
    void Collect();
    void EntriesVisible();
    void Wakeup();
    void Taken();
    void Told(iw_done done);
    void ReportStaging();
    void SetCongestion(std::string congestion);
    std::string GetCongestion() const;
    void SetPreset(std::string preset);
    std::string GetPreset() const;

    // llp.*
    bool m_markers, m_crc, m_trustAlignment;
    CrcError m_crcError;
    TypeId m_congestion;
    uint32_t m_fixedWindow;
    bool m_ecn;
    uint32_t m_initialWindow, m_delayedAck, m_dupackThreshold, m_sendBuffer;
    Time m_minRto, m_delayedAckTimeout;
    uint16_t m_ord, m_ird;
    // rnic.*, payload and the sizes of tables
    rnic_conf m_conf;
    std::string m_preset;
    Payload m_payload;
    uint64_t m_stateOctets{0}; //!< of tracking, all connections
    DataRate m_consumeRate;
    uint32_t m_connectionsMax, m_regionsMax, m_completionsMax, m_protectionDomain, m_profile, m_mtu;
    uint16_t m_sendQueue, m_receiveQueue;
    uint64_t m_drawKey;
    Time m_startTimeout;
    int m_completeOn;

    IwarpBlock m_nicMemory, m_stagMemory, m_sendCqMemory, m_recvCqMemory;
    struct rnic *m_nic{nullptr};
    iw_stags *m_stags{nullptr};
    iw_cq *m_sendCq{nullptr}, *m_recvCq{nullptr};
    std::vector<Ptr<IwarpConnection>> m_connections;
    std::map<uint32_t, std::function<bool()>> m_senders; //!< by number: a connection has one or the other
    std::vector<std::function<void()>> m_portFree;
    std::map<std::pair<uint32_t, uint16_t>, Ptr<IwarpConnection>> m_expected;
    std::vector<Ptr<IwarpTcpSocket>> m_listeners;
    Callback<void, Ptr<IwarpConnection>> m_accepted;
    Ptr<PointToPointNetDevice> m_port;
    Ptr<Queue<Packet>> m_portQueue;
    uint64_t m_pipeline{0}, m_pipelineMax{0}; //!< octets between the endpoints and TCP, and how many it takes
    bool m_pumping{false};
    std::deque<iw_done> m_written, m_visible; //!< completions on their way to the host's memory, and there
    std::deque<uint32_t> m_taking;            //!< entries of each wake-up under way
    uint32_t m_taken{0};

    TracedCallback<Ptr<IwarpConnection>> m_connectedTrace, m_failedTrace;
    TracedCallback<Ptr<IwarpConnection>, const iw_seg &> m_sentTrace;
    TracedCallback<Ptr<IwarpConnection>, uint64_t, uint64_t> m_leftTrace, m_resentTrace, m_landedTrace,
        m_windowTrace;
    TracedCallback<Ptr<IwarpConnection>, uint64_t, uint32_t, bool, bool> m_arrivedTrace;
    TracedCallback<Ptr<IwarpConnection>, uint64_t, const iw_place &, bool> m_placedTrace;
    TracedCallback<Ptr<IwarpConnection>, const iw_message &> m_deliveredTrace;
    TracedCallback<Ptr<IwarpConnection>, uint64_t> m_edgeTrace;
    TracedCallback<Ptr<IwarpConnection>, const struct iw_event &> m_eventTrace;
    TracedCallback<const iw_done &> m_completionTrace;
    TracedCallback<uint64_t> m_stagingTrace, m_heldTrace, m_stateTrace;
    TracedCallback<Ptr<IwarpConnection>, const std::string &, uint64_t, uint32_t> m_dropTrace;
};

} // namespace ns3

#endif
