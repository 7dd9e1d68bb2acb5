/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-sctp-association.h -- DDP streams of an RNIC over one SCTP association (RFC 5043), with the adapter's time between. */
#ifndef IWARP_SCTP_ASSOCIATION_H
#define IWARP_SCTP_ASSOCIATION_H

#include "engine/iw.h"
#include "iwarp-block.h"
#include "iwarp-rnic.h"
#include "iwarp-sctp-protocol.h"
#include "llp/sctp_ddp.h"
#include "rnic/window.h"

#include "ns3/event-id.h"
#include "ns3/simple-ref-count.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{

/// Who hears what happens. `user`: of the stream, as it was given.
class IwarpSctpOwner
{
  public:
    virtual ~IwarpSctpOwner() = default;
    virtual void Opened(uint64_t user) = 0; //!< the session is open at this end
    virtual void Failed(uint64_t user) = 0; //!< the association went before that
    virtual void Sent(uint64_t user, const iw_seg &segment) = 0;
    virtual void Left(uint64_t, uint64_t, uint32_t) {
    } //!< user, key, octets of a segment's chunk, for the first time
    virtual void Resent(uint64_t user, uint64_t key) = 0;
    virtual void Lost(uint64_t, uint64_t, uint32_t) {} //!< TellLost() found it
    virtual void Arrived(uint64_t user, uint64_t key, uint32_t octets, bool ooo) = 0;
    virtual void Placed(uint64_t user, uint64_t key, const iw_place &place, bool ooo) = 0;
    virtual void Delivered(uint64_t user, const iw_message &message) = 0;
    virtual void Edge(uint64_t user, uint64_t edge) = 0;
    virtual void Event(uint64_t user, const struct iw_event &event) = 0;
    virtual void Window(uint64_t user, uint64_t received, uint64_t window) = 0; //!< user of the first stream
};

/**
 * \brief One end: several endpoints, their sessions, the association; the stages are those of the IwarpRnic.
 *
 *   transmit   iw_transmit -> rnic_read -> iw_accepted -> rnic_send -> sctp_ddp_send -> sctp_transmit -> IPv4
 *   receive    IPv4 -> rnic_arrive -> sctp_receive -> sctp_ddp -> iw_check -> rnic_place -> iw_commit -> iw_deliver
 *
 *   rnic.receive   a segment ahead of its turn in its stream
 *   place          is placed at once
 *   hold           waits in NIC memory; full: refused before SCTP acknowledges it
 *   copy           is a message like any other: SCTP hands unordered chunks up as they come. DMA into the kernel's
 *                  buffer, then the CPU copies it to where it belongs
 *   discard        is not offered: a loss is found by gap reports, and there would be none
 *
 * Law: what SCTP has acknowledged is placed, or will be: nothing is reneged on. a_rwnd follows the window policy.
 */
class IwarpSctpAssociation : public SimpleRefCount<IwarpSctpAssociation>
{
  public:
    struct Configuration {
        uint16_t localPort, remotePort;
        Ipv4Address local, remote;
        bool active; //!< connects, and asks for the sessions
        Time minRto, sackDelay;
        uint32_t sackEvery;
        uint32_t sendBuffer; //!< octets
        uint64_t secret;
        std::vector<uint64_t> users;   //!< of the streams: as many as there are
        std::vector<uint32_t> streams; //!< their names for STag checks
    };
    IwarpSctpAssociation(const Ptr<IwarpRnic> &rnic, const Configuration &configuration,
                         IwarpSctpOwner *owner);
    void Start();
    void Dispose();

    int Post(uint16_t stream, const iw_work &work);
    int Close(uint16_t stream, iw_close_how how);
    int Terminate(uint16_t stream, int term);
    /// The association is gone without a word.
    void Lose();
    iw_ep *GetEndpoint(uint16_t stream) const;
    const sctp_stats *GetStatistics() const;
    uint64_t GetChecksumErrors() const;
    /// Tells the owner of each segment in a packet that left here, its SCTP header in front: Lost().
    void TellLost(const Ptr<const Packet> &packet);

  private:
    /// The octets of a packet, while a placement needs them; its staging until the last of them ended.
    struct Landing {
        std::vector<uint8_t> octets;
        uint32_t staged{0}, waiting{0};
    };
    typedef std::shared_ptr<Landing> LandingPtr;
    struct Placement {
        iw_seg seg;
        iw_place place;
        LandingPtr landing;
        std::vector<uint8_t> own; //!< octets that do not lie in the landing
        uint16_t stream;
        uint64_t edge;  //!< what may be delivered once it ended; 0: nothing new
        uint64_t after; //!< copy: DMA writes into the kernel's buffer that go before
        bool ooo;
    };
    struct Departure {
        iw_seg seg;
        uint16_t stream;
        std::vector<uint8_t> octets; //!< the snapshot
        uint64_t request;            //!< which of those posted
        bool asked, inMemory;        //!< it belongs to one; its payload is read from memory
    };
    struct Lane {
        uint64_t user;
        uint32_t number; //!< whose turn it is, at the adapter
        IwarpBlock memory;
        iw_ep *ep;
        uint64_t nextKey{0}, acked{0}, edge{0}, sent{0};
        uint32_t placing{0};
        bool up{false}, down{false}, toldFin{false}, finWanted{false}, kept{false};
        uint32_t inPipeline{0};
        uint64_t known{0}, pulled{0};
        bool open[16]{};
        iw_time lastHeard{0}, lastKnown{0};
        std::deque<Departure> unheard;       //!< one at most: made before the adapter knew of its request
        std::map<uint64_t, uint32_t> held;   //!< hold: octets in NIC memory, by key
        std::map<uint64_t, uint32_t> unread; //!< policy buffer: user data not yet delivered, by key
        uint64_t unconsumed{0};              //!< delivered
        bool consuming{false};
        EventId timer;
    };

    iw_time Now() const;
    bool IsReal() const;
    void MakeEndpoint(Lane &lane, uint32_t stream);
    // transmit
    bool SendOne(uint16_t stream);
    void Count(Lane &lane, Departure &departure);
    void Fetch(uint16_t stream, uint32_t octets);
    void Known(uint16_t stream);
    void StartReading(Departure &&departure);
    void PortFree();
    void ReadDone();
    void SendDone();
    void Flush();
    void Transmit();
    void NoteData(const uint8_t *packet, uint32_t len);
    void ForSegments(const uint8_t *packet, uint32_t len,
                     const std::function<void(Lane &lane, uint64_t key, uint32_t size)> &tell);
    bool PortIsBusy() const;
    // receive (iwarp-sctp-receive.cc)
    void Arrived(const Ptr<const Packet> &packet);
    void AcceptNext();
    void Release(const LandingPtr &landing);
    bool Take(const sctp_in &in, const LandingPtr &landing);
    bool Drain(uint16_t stream, const LandingPtr &landing);
    bool Accept(uint16_t stream, const sctp_ddp_segment &in, const LandingPtr &landing);
    bool Hold(uint16_t stream, const sctp_ddp_segment &in, const LandingPtr &landing);
    void Unhold(Lane &lane, std::map<uint64_t, uint32_t>::iterator one);
    bool Place(uint16_t stream, const sctp_ddp_segment &in, const LandingPtr &landing);
    void Keep(Placement &&placement, bool again, const LandingPtr &landing);
    void Commit(const Placement &placement);
    void PlaceDone();
    void Placed();
    void Deliver(uint16_t stream, uint64_t edge);
    void Forget(Lane &lane);
    void IntoKernel(const LandingPtr &landing);
    void KernelDone();
    void CopyNext();
    void CopyStart();
    void CopyDone();
    void Consume(uint16_t stream);
    void ConsumeDone(uint16_t stream, uint64_t octets);
    void Credit();
    // life
    void After();
    void HearAssociation();
    void Open(uint16_t stream);
    void Settle(uint16_t stream);
    void LaneTimer(uint16_t stream);
    void Timer();
    void LoseAll(bool graceful);

    Ptr<IwarpRnic> m_rnic;
    Configuration m_configuration;
    IwarpSctpOwner *m_owner;
    Ptr<IwarpSctpProtocol> m_protocol;
    IwarpBlock m_sctpMemory, m_ddpMemory;
    sctp *m_sctp;
    sctp_ddp *m_ddp;
    std::vector<std::unique_ptr<Lane>> m_lane;
    std::deque<Departure> m_reading, m_sending, m_ready;
    iw_time m_lastRead{0}, m_lastPlaced{0};
    std::deque<std::pair<LandingPtr, bool>> m_staged; //!< and: altered on the way
    std::deque<Placement> m_placing; //!< DMA writes, or (copy) messages in the kernel, under way
    std::deque<LandingPtr> m_kernel; //!< copy: DMA writes into the kernel's buffer under way
    uint64_t m_kernelIssued{0}, m_kernelFinished{0};
    uint64_t m_heldOctets{0}, m_unread{0}, m_unconsumed{0}; //!< of all streams
    bool m_copying{false};
    rnic_window m_window{};
    uint64_t m_backlog{0}, m_checksumErrors{0};
    rnic_window_state m_credit{UINT64_MAX, 0, 0, 0, 0}; //!< what the window was last made of
    std::vector<uint8_t> m_packet;
    EventId m_timer, m_transmitTimer;
    iw_time m_timerAt{IW_NEVER};
    size_t m_turn{0}; //!< the stream that is asked first when SCTP has room
    uint32_t m_head{0};
    bool m_busy{false}, m_again{false}, m_dead{false};
};

} // namespace ns3

#endif
