/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-tcp-socket.h -- ns-3's TCP as an RNIC needs it, on an unpatched ns-3. */
#ifndef IWARP_TCP_SOCKET_H
#define IWARP_TCP_SOCKET_H

#include "iwarp-tcp-l4-protocol.h"
#include "iwarp-version.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-interface.h"
#include "ns3/tcp-socket-base.h"

#include <deque>

namespace ns3
{

class IwarpTcpSocket;

/// A segment as it came from the network, TCP header included; IP has been removed.
struct IwarpTcpArrival {
    Ptr<Packet> packet;
    Ipv4Header header;
    uint16_t port; //!< of the sender
    Ptr<Ipv4Interface> interface;
};

/**
 * Whoever drives the socket: the RNIC's connection. Offsets count the octets of one direction of the stream from the
 * first one after SYN, in 64 bits.
 */
class IwarpTcpOwner
{
  public:
    virtual ~IwarpTcpOwner() = default;
    /// A segment came in; TCP has not seen it. Give it to IwarpTcpSocket::Accept() now or later, or drop it.
    virtual void Arrived(IwarpTcpArrival &arrival) = 0;
    /// TCP is about to accept octets that are new to it, in order or not. Returns how many, from the first on, are
    /// taken; the others are not acknowledged. SILENT: none, and the peer is not told.
    static constexpr uint32_t SILENT = UINT32_MAX;
    virtual uint32_t Take(uint64_t offset, const Ptr<const Packet> &octets, bool inOrder) = 0;
    /// An acknowledgement of everything below `next` leaves: the window field for it, in units of 2^shift.
    virtual uint64_t WindowField(uint64_t next) = 0;
    /// The peer has acknowledged every octet below `offset`.
    virtual void Acknowledged(uint64_t offset) = 0;
    /// Is there more to send than TCP holds?
    virtual bool HasMore() const = 0;
    /// TCP could send more than it holds.
    virtual void Room() = 0;
    /// The peer's FIN is in order: the stream ends at `offset`.
    virtual void Finished(uint64_t offset) = 0;
    /// The connection is over. `graceful`: a FIN each way, acknowledged.
    virtual void Down(bool graceful) = 0;
    /// Memory that the owner is about to work with (Warm()).
    virtual void Warm() const = 0;
    /// A data segment is about to leave.
    virtual void Leaving(uint64_t offset, uint32_t octets, bool again) = 0;
    /// It left, for the first time.
    virtual void Sent() = 0;
};

/**
 * \brief TcpSocketBase that shows every accepted segment, keeps records whole and lets the owner set the window.
 *
 * Laws: one segment carries octets of one record, and all of it unless the peer's window was cut inside by somebody
 * else; the right edge that the wire carries, ack + (window << shift), never moves left; what Take() took is never
 * offered again.
 *
 * What stock ns-3 gets wrong here, and is put right: zero-length new segments after SACK (a crash), data that rides
 * on a stale acknowledgement (dropped), without SACK data and window updates that count as duplicate acknowledgements,
 * probes that split a record, a congestion window that wraps at 2^32.
 */
class IwarpTcpSocket : public IwarpTcpSocketBase
{
  public:
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    IwarpTcpSocket();
    IwarpTcpSocket(const IwarpTcpSocket &listener);
    ~IwarpTcpSocket() override;

    /// What an RNIC's TCP is set to; a socket takes it when it is made.
    struct Settings {
        TypeId congestion{};     //!< a TcpCongestionOps
        uint32_t fixedWindow{0}; //!< octets in flight whatever happens; 0: the congestion control decides
        uint32_t emss{1460};     //!< octets per segment
        uint32_t sendBuffer{1 << 20}; //!< octets
        uint32_t window{1 << 20};     //!< the receive window at the start
        uint8_t shift{5};             //!< window scale: what the largest window needs
        uint32_t initialWindow{10};   //!< segments
        Time minRto{}, delayedAckTimeout{}, initialRtt{};
        uint32_t delayedAck{2};      //!< segments per acknowledgement
        uint32_t dupackThreshold{3}; //!< 0: adapts to the reordering that is measured
        bool sack{true};
        bool goBackN{false}; //!< the receiver keeps nothing out of order: send everything again
        bool ecn{false};
    };
    /// A socket on `node`, without the stock factory.
    static Ptr<IwarpTcpSocket> Make(const Ptr<Node> &node, const Settings &settings);

    int Connect(const Address &address) override;
    /// `owner` outlives the socket's last event or sets nullptr. Before Connect(), or from the new-connection callback.
    void SetOwner(IwarpTcpOwner *owner);
    /// It is about to work: bring what it works with into the processor's cache, all at once. With many connections it
    /// is cold, and TCP would fetch one line after the other.
    void Warm() const;
    /// A segment that Arrived() handed out enters TCP.
    void Accept(const IwarpTcpArrival &arrival);
    /// Queue one record: one FPDU. False when the send buffer has no room or the connection is gone.
    bool SendRecord(const Ptr<Packet> &record);
    /// FIN after everything queued.
    void Finish();
    /// RST now.
    void Reset();
    /// The owner's window has opened and nothing else is there to say so: a pure acknowledgement.
    void UpdateWindow();

    uint64_t GetWritten() const; //!< octets queued since SYN
    uint64_t GetUnsent() const;  //!< of those: not yet sent for the first time
    uint64_t GetAcknowledged() const;
    uint64_t GetNextReceived() const; //!< the octet that is in order next
    /// Offsets of sequence numbers less than 2^31 octets from what is at hand: of octets sent, of octets received.
    uint64_t TxOffset(SequenceNumber32 seq) const;
    uint64_t RxOffset(SequenceNumber32 seq) const;
    uint32_t GetCongestionWindow() const;
    uint32_t GetFlight() const;
    Time GetSmoothedRtt() const;
    uint8_t GetShift() const;
    bool IsOpen() const; //!< established, or half closed

    struct Counts {
        uint64_t segments, retransmits, timeouts; //!< sent; of those again; RTOs
        uint64_t arrivals, known, staleAcks; //!< data received; nothing new in it; on stale acknowledgements
        uint64_t ecnMarks;                   //!< arrivals with CE
    };
    const Counts &GetCounts() const;

  protected:
    Ptr<TcpSocketBase> Fork() override;
    void CompleteFork(Ptr<Packet> p, const TcpHeader &h, const Address &from, const Address &to) override;
    void DoForwardUp(Ptr<Packet> packet, const Address &from, const Address &to) override;
    void ReceivedData(Ptr<Packet> packet, const TcpHeader &header) override;
    void ReceivedAck(Ptr<Packet> packet, const TcpHeader &header) override;
    bool TakesAck(const SequenceNumber32 &ackNumber, const SequenceNumber32 &oldHead) const override;
    uint32_t SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck) override;
    void SendEmptyPacket(uint8_t flags) override;
    uint16_t AdvertisedWindowSize(bool scale) const override;
    uint32_t Window() const override;
    uint32_t AvailableWindow() const override;
    void ReTxTimeout() override;
    void PersistTimeout() override;

  private:
    void Arrive(Ptr<Packet> packet, Ipv4Header header, uint16_t port, Ptr<Ipv4Interface> interface);
    friend class IwarpTcpL4Protocol;
    void Configure(const Settings &settings);
    void TakeArrivals(); //!< this socket's segments come to Arrive(), not to TcpSocketBase
    bool EndsBelowNext(const Ptr<const Packet> &segment) const;
    void AskOwner(Ptr<Socket> socket, uint32_t octets);
    void FreshenAck(const Ptr<Packet> &packet) const;
    void GoBack();
    void CountAfterGoBack();
    void LimitCongestionWindow();
    void ProbeIfStuck();
    void TellOwner();
    void AdaptThreshold(uint32_t dupacks, bool headSentAgain);
    /// The offset of `seq`, given that of `nearSeq`, less than 2^31 octets away.
    static uint64_t Unwrap(uint64_t near, SequenceNumber32 nearSeq, SequenceNumber32 seq);
    uint32_t RecordLeft(uint64_t offset) const; //!< octets up to the end of the record

    IwarpTcpOwner *m_owner{nullptr};
    Ptr<IwarpTcpL4Protocol> m_table; //!< where it is registered as m_key
    IwarpTcpL4Protocol::Key m_key{};
    Settings m_settings;
    std::deque<uint64_t> m_recordEnds; //!< of records not wholly acknowledged, ascending
    uint64_t m_written{0};
    mutable uint64_t m_una{0}, m_next{0}; //!< where SND.UNA and RCV.NXT stood last, as offsets
    mutable SequenceNumber32 m_unaSeq, m_nextSeq;
    mutable bool m_txStarted{false}, m_rxStarted{false};
    bool m_busy{false}; //!< inside TCP: it looks for something to send by itself
    bool m_bare{false}; //!< the segment at hand has no octets and leaves the window as it was
    uint32_t m_windowBefore{0};
    bool m_restarting{false}; //!< inside base code's ReTxTimeout()
    bool m_finishing{false}, m_finished{false}, m_down{false};
    uint32_t m_threshold{3}; //!< duplicate acknowledgements
    Time m_headSentAgain{};  //!< when SND.UNA was last sent again
    uint32_t m_undoWindow{0};
    uint32_t m_repeats{0},
        m_repeatsDue{0}; //!< duplicates since the last going back, and those to be expected
    Counts m_counts{};
};

} // namespace ns3

#endif
