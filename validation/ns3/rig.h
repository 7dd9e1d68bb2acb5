/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rig.h -- hosts with RNICs on one network, and a flow of operations whose end is checked octet by octet. */
#ifndef VALIDATION_NS3_RIG_H
#define VALIDATION_NS3_RIG_H

#include "ns3/iwarp-rnic.h"
#include "ns3/iwarp-topology.h"

#include "ns3/core-module.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// One connection from host 0 to host 1 and `count` operations of `size` octets over it, in order.
class Rig
{
  public:
    struct Options {
        IwarpTopology::Configuration network;
        std::map<std::string, std::string> attributes; //!< of both adapters
        iw_op op{IW_WRITE};
        uint32_t size{20000}, count{10}, depth{4};
        Time limit{Seconds(2)};
    };
    explicit Rig(const Options &options);
    ~Rig();

    /// Until everything is complete and placed, the stream ended, or the limit. Then simulated time may go on.
    void Run();
    void RunFor(Time more);

    Ptr<IwarpRnic> GetAdapter(int side) const;
    Ptr<IwarpConnection> GetConnection(int side) const;
    IwarpTopology &GetTopology();
    int Post(int side, const iw_work &work);
    iw_stag GetStag(int side) const;
    uint8_t *GetMemory(int side);

    // what happened
    bool IsDone() const;   //!< every operation complete, without error
    bool IsIntact() const; //!< the octets are where they should be
    /// Each octet is the one that was there or the right one; what a receive or a Read reported is right.
    bool IsSound() const;
    std::string GetLaws() const; //!< the first law that was broken; "" is none
    uint64_t GetPlaced() const;
    double GetSteadyGbps() const; //!< slope over the second half of the octets
    Time GetLastPost() const, GetLastPlaced() const, GetLastDelivered() const, GetLastCompleted() const;
    Time GetLastReceived() const; //!< completion of a receive
    uint32_t GetDrops(const std::string &why) const;
    uint64_t GetOutOfOrder() const, GetMinWindow() const;
    bool SawEvent(int side, iw_event_kind kind) const;
    int GetTerminate(int side) const; //!< received; 0: none
    int GetFatal(int side) const;     //!< the error that ended the stream there; 0: none
    int GetStatus() const;            //!< of the first completion that failed; 0: none

  private:
    void Connected(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Completed(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Placed(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Delivered(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Window(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Event(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Dropped(Ptr<IwarpConnection> connection, uint16_t stream, const node_event &event);
    void Attach(const Ptr<IwarpRnic> &adapter);
    void PostMore();
    int SideOf(const Ptr<IwarpConnection> &connection) const;
    void Broken(const std::string &law);

    Options m_options;
    IwarpTopology m_topology;
    Ptr<IwarpRnic> m_adapter[2];
    Ptr<IwarpConnection> m_connection[2];
    std::vector<uint8_t> m_memory[2];
    iw_stag m_stag[2]{};
    uint32_t m_up{0}, m_posted{0}, m_completed{0}, m_delivered{0};
    uint32_t m_good[2]{}; //!< completions without error, by side
    uint64_t m_placed{0}, m_outOfOrder{0}, m_edge[2]{}, m_minWindow{UINT64_MAX};
    int m_status{0}, m_terminate[2]{}, m_fatal[2]{};
    Time m_lastPost, m_lastPlaced, m_lastDelivered, m_lastCompleted, m_lastReceived;
    std::vector<std::pair<Time, uint64_t>> m_progress;
    std::map<std::string, uint32_t> m_drops;
    bool m_events[2][IW_EV_KINDS]{};
    std::string m_laws;
};

} // namespace ns3

#endif
