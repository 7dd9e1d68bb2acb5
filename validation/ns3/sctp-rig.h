/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp-rig.h -- two hosts with RNICs, one SCTP association, a flow of operations on each of its DDP streams; every octet,
 * every delivery and every SACK is looked at. */
#ifndef VALIDATION_NS3_SCTP_RIG_H
#define VALIDATION_NS3_SCTP_RIG_H

#include "sctp-watch.h"

#include "ns3/iwarp-rnic.h"
#include "ns3/iwarp-topology.h"

#include "ns3/core-module.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// Host 0 asks host 1 for one DDP stream for each flow; `count` operations of `size` octets over it, in order.
class SctpRig
{
  public:
    struct Flow {
        iw_op op{IW_WRITE};
        uint32_t size{20000}, count{10}, depth{4};
        bool wrong{false}; //!< one Write out of bounds follows, which ends the stream
    };
    struct Options {
        IwarpTopology::Configuration network;
        std::map<std::string, std::string> attributes; //!< of both adapters
        std::vector<Flow> flows{1};
        Time minRto{MicroSeconds(100)}, sackDelay{MicroSeconds(50)};
        uint32_t sackEvery{2}, sendBuffer{1 << 20};
        bool early{false}; //!< the channel impairs from the first packet on, not only after set-up
        Time limit{Seconds(5)};
    };
    explicit SctpRig(const Options &options);
    ~SctpRig();

    /// Until all flows are complete and delivered, or the limit.
    void Run();
    /// All streams are closed by both sides, then the association; until it is gone, or the limit.
    void Close();

    std::string GetLaws() const; //!< the first law that was broken; "" is none
    bool IsDone() const;         //!< but for the flows with something wrong
    bool IsClosed() const;
    bool IsWrongEnded() const; //!< the streams with something wrong were told so
    llp_stats GetStatistics(int side) const;
    uint64_t GetRefused(int side) const; //!< packets for which there was no room
    uint64_t GetChecksumErrors() const;
    const SctpWatch &GetWatch() const;
    Ptr<IwarpRnic> GetAdapter(int side) const;
    uint64_t GetOutOfOrder() const; //!< segments placed ahead of their turn
    Time GetLastDelivered() const;

  private:
    /// One end of a stream.
    struct End {
        std::vector<uint8_t> memory;
        iw_stag stag{0};
        uint32_t delivered{0};
        uint64_t placed{0}, edge{0}, lastKey{0};
        std::set<uint64_t> arrived, committed; //!< keys
        bool closed{false}, ended{false};
    };
    struct Stream {
        End end[2];
        uint32_t posted{0}, completed{0};
        bool wrongPosted{false};
    };
    void MakeAdapter(int side);
    void MakeStreams(int side);
    void PostReceives();
    void PostMore(uint16_t stream);
    void PostWrong(uint16_t stream);
    void Attach(const Ptr<IwarpRnic> &adapter);
    void Opened(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Failed(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Taken(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Refused(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Placed(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Delivered(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Edge(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Event(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Window(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Completed(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    int SideOf(const Ptr<IwarpConnection> &connection) const;
    void StopWhenDone();
    void RunFor(Time most);
    bool IsRight(uint16_t stream, int side, uint64_t from, uint64_t len) const;
    bool IsReal() const;
    void Broken(const std::string &law);

    Options m_options;
    IwarpTopology m_topology;
    SctpWatch m_watch;
    Ptr<IwarpRnic> m_adapter[2];
    Ptr<IwarpConnection> m_association[2];
    std::vector<Stream> m_stream;
    uint64_t m_edge[2]{}, m_refused[2]{}, m_outOfOrder{0};
    size_t m_opened{0};
    bool m_closing{false};
    Time m_lastDelivered;
    std::string m_laws;
};

} // namespace ns3

#endif
