/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-connection.h -- one stream of an RNIC: an endpoint, its MPA and its TCP, with the adapter's time between. */
#ifndef IWARP_CONNECTION_H
#define IWARP_CONNECTION_H

#include "engine/iw.h"
#include "iwarp-block.h"
#include "iwarp-tcp-socket.h"
#include "llp/mpa.h"
#include "rnic/rnic.h"
#include "rnic/window.h"

#include "ns3/event-id.h"
#include "ns3/simple-ref-count.h"

#include <list>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

class IwarpRnic;

/**
 * \brief Carries octets and time between the endpoint, MPA, the adapter's stages and TCP. No rule of a protocol.
 *
 *   transmit   iw_transmit -> rnic_read -> iw_accepted, mpa_put -> rnic_send -> TCP
 *   receive    rnic_arrive -> TCP accepts -> mpa_arrive -> iw_check -> rnic_place -> iw_commit -> iw_deliver
 *
 * Law: what TCP has accepted is placed; drops for want of room come before, in Arrived(), or at the latest as a refusal
 * in Take(), which acknowledges nothing.
 */
class IwarpConnection : public SimpleRefCount<IwarpConnection>, public IwarpTcpOwner
{
  public:
    enum State { IDLE, CONNECTING, STARTING, OPEN, ENDED };

    /// Made by IwarpRnic. `number`: below the adapter's Connections; `user` is handed back in completions.
    IwarpConnection(IwarpRnic *rnic, uint32_t number, uint64_t user, uint32_t stream);
    ~IwarpConnection() override;
    IwarpConnection(const IwarpConnection &) = delete;
    IwarpConnection &operator=(const IwarpConnection &) = delete;

    // ---- for the ULP ----
    /// iw_post(), and the doorbell. Receives may be posted before the connection is up.
    int Post(const iw_work &work);
    int Close(iw_close_how how);
    /// iw_terminate(): the host reports an error of its own.
    int Terminate(int term);
    uint32_t GetNumber() const;
    uint64_t GetUser() const;
    State GetState() const;
    iw_ep *GetEndpoint() const;
    Ptr<IwarpTcpSocket> GetSocket() const; //!< null before the connection
    const struct mpa_start &GetStart() const;
    const mpa_stats *GetMpaStatistics() const; //!< null before full operation
    /// Data segments that brought nothing new and were not the channel's copies.
    uint64_t GetSpurious() const;
    iw_time GetNow() const;
    /// The key of an octet of the stream, sent from here or received here, by its TCP sequence number; IW_NEVER: it is
    /// not of full operation.
    uint64_t GetSentKey(SequenceNumber32 seq) const;
    uint64_t GetReceivedKey(SequenceNumber32 seq) const;

    // ---- for tests: what no honest RNIC sends ----
    enum Wrong { WRONG_ULPDU, WRONG_CRC, WRONG_MARKER };
    /// One FPDU of these octets, after everything posted. False: not on this stream.
    bool Inject(Wrong wrong, const uint8_t *ulpdu, uint32_t len);
    /// The LLP is gone without a word.
    void Lose();

    // ---- for IwarpRnic ----
    void Initiate(const Address &peer, uint16_t localPort);
    void Respond(const Ptr<IwarpTcpSocket> &socket);
    /// It is this connection's turn: one segment. True: it may have more.
    bool SendOne();
    /// Its event queue, LLP requests and deadline, after anything happened to the endpoint.
    void Settle();
    void Dispose();

    // ---- IwarpTcpOwner ----
    void Arrived(IwarpTcpArrival &arrival) override;
    uint32_t Take(uint64_t offset, const Ptr<const Packet> &octets, bool inOrder) override;
    uint64_t WindowField(uint64_t next) override;
    void Acknowledged(uint64_t offset) override;
    bool HasMore() const override;
    void Room() override;
    void Warm() const override;
    void Finished(uint64_t offset) override;
    void Down(bool graceful) override;
    void Leaving(uint64_t offset, uint32_t octets, bool again) override;
    void Sent() override;

  private:
    /// One TCP segment: its octets while they are needed, and those in staging until the last placement ended.
    struct Landing {
        uint64_t from, to; //!< offsets
        std::vector<uint8_t> octets;
        uint32_t staged{0}, waiting{0};
    };
    typedef std::shared_ptr<Landing> LandingPtr;
    /// A DMA write or copy under way.
    struct Placement {
        iw_seg seg;
        iw_place place;
        LandingPtr landing;
        std::vector<uint8_t> own; //!< octets that do not lie in the landing
        uint64_t edge;            //!< what may be delivered once it ended; 0: nothing new
        uint64_t after;           //!< copy: DMA writes into the kernel's buffer that go before
        bool ahead;               //!< of its turn
    };
    /// An FPDU between the endpoint and TCP.
    struct Departure {
        iw_seg seg;
        uint32_t size;
        uint64_t request; //!< which of those posted
        bool inMemory;    //!< its payload is read from there
        bool bad;         //!< Inject(): its CRC or marker is wrong
        Wrong wrong;
        std::vector<uint8_t> octets; //!< Inject(): the ULPDU
    };

    /// What the adapter sees in the header of a segment that it sends.
    struct Kind {
        bool own;   //!< its payload is the adapter's: a Read Request, a Terminate
        bool asked; //!< it belongs to a request in the send queue
        bool whole, last;
    };

    // iwarp-connection.cc
    bool IsReal() const;
    mpa_start_conf StartConfiguration(mpa_role role) const;
    void AttachSocket(const Ptr<IwarpTcpSocket> &socket);
    void Connected(Ptr<Socket> socket);
    void Failed(Ptr<Socket> socket);
    void StartUp(mpa_role role);
    void StartUpOutput();
    void StartUpExpired();
    uint32_t StartUpInput(const Ptr<const Packet> &octets);
    void EnterFullOperation();
    void Expire();
    void End();
    void MakeReady();
    // iwarp-transmit.cc
    void Ring(uint32_t octets);
    void Fetch(uint32_t octets);
    void Known();
    bool NextDeparture(Departure &departure);
    Kind KindOf(const iw_seg &seg);
    void StartReading();
    void ReadDone();
    void SendDone();
    Ptr<Packet> MakeFpdu(const Departure &departure);
    void Spoil(const Departure &departure, std::vector<uint8_t> &fpdu) const;
    void FinishIfDrained();
    // iwarp-receive.cc
    void AcceptNext();
    bool HoldBack(uint64_t key, uint32_t size);
    bool Hold(const LandingPtr &landing, const mpa_arrival &in);
    LandingPtr Land(const Ptr<const Packet> &octets, mpa_arrival &in, mpa_mark &mark);
    void Release(const LandingPtr &landing);
    void Drain(const LandingPtr &landing);
    void Place(const mpa_fpdu &fpdu, const LandingPtr &landing);
    void Keep(Placement &placement, const mpa_fpdu &fpdu) const;
    void Commit(const Placement &placement);
    void PlaceDone();
    void Deliver(uint64_t edge);
    void Again();
    void Unhold(uint64_t edge);
    void ReportState();
    void IntoKernel(const LandingPtr &landing);
    void KernelDone();
    void CopyNext();
    void CopyStart();
    void CopyDone();
    void Consume();
    void ConsumeDone(uint64_t octets);
    rnic_window_state WindowState(uint64_t next) const;
    void OpenWindow();
    void CheckEnd();

    IwarpRnic *m_rnic;
    uint32_t m_number;
    uint64_t m_user;
    State m_state{IDLE};
    IwarpBlock m_memory; //!< the endpoint's
    iw_ep *m_ep;
    Ptr<IwarpTcpSocket> m_socket;
    std::unique_ptr<struct mpa_start> m_start;
    uint32_t m_started{0}; //!< octets of start-up received
    EventId m_startTimer, m_expireTimer;

    // transmit
    mpa_tx m_tx{};
    uint64_t m_txBase{0},
        m_nextKey{0};         //!< where full operation starts in TCP's stream; the key of the next FPDU
    uint32_t m_inPipeline{0}; //!< octets in m_unheard, m_reading and m_sending
    uint64_t m_known{0}, m_pulled{0}; //!< requests fetched, and those all of whose segments are made
    iw_time m_lastHeard{0}, m_lastKnown{0}, m_lastRead{0}, m_lastPlaced{0};
    std::list<Departure> m_unheard; //!< one at most: made before the adapter knew of its request
    std::list<Departure> m_reading;
    std::list<std::pair<iw_seg, Ptr<Packet>>> m_sending;
    std::list<Departure> m_wrong;
    bool m_messageOpen[16]{}; //!< by opcode: the last segment was not the message's last
    bool m_finWanted{false};

    // receive
    IwarpBlock m_rxMemory;
    mpa_rx *m_rx{nullptr};
    uint64_t m_rxBase{0};
    std::list<IwarpTcpArrival> m_staged; //!< in the receive pipeline
    uint32_t m_arriving{0};              //!< octets in staging of the segment that TCP looks at
    bool m_taking{false};                //!< inside Take(): TCP will acknowledge by itself
    std::list<Placement> m_placing;
    std::set<uint64_t> m_late;           //!< keys of FPDUs that came while an earlier octet was missing
    std::map<uint64_t, uint32_t> m_held; //!< hold: segments in NIC memory, by offset
    bool m_kept{false};                  //!< MPA keeps FPDUs that the endpoint wants later
    std::list<LandingPtr> m_kernel;      //!< copy: DMA writes into the kernel's buffer under way
    std::list<Placement> m_reads;        //!< copy: FPDUs in order, for the CPU
    uint64_t m_kernelIssued{0}, m_kernelFinished{0};
    bool m_copying{false};
    uint64_t m_backlog{0}, m_heldOctets{0}, m_stateOctets{0};
    uint64_t m_inPlace{0}, m_consumed{0}; //!< stream offsets
    int m_failure{0};                     //!< MPA's, told to the endpoint in its turn
    bool m_consuming{false}, m_failed{false}, m_finSeen{false}, m_finTold{false};
    rnic_window m_window{};
    uint64_t m_field{0};
    uint64_t m_spurious{0};
};

} // namespace ns3

#endif
