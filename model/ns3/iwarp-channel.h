/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-channel.h -- a point-to-point link with Ethernet's framing and the impairments of model/channel. */
#ifndef IWARP_CHANNEL_H
#define IWARP_CHANNEL_H

#include "channel/channel.h"
#include "engine/iw.h"
#include "iwarp-packet.h"

#include "ns3/point-to-point-channel.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * \brief PointToPointChannel that keeps the laws of a link of fabric/fabric.h and impairs what it is told to.
 *
 * A packet takes floor(8e12 x (IP octets + framing) / rate) ps: ns-3's devices put 2 octets (PPP) around IP, Ethernet takes
 * 38 (14 + 4 + preamble 8 + gap 12). Its fate meets a packet when it would arrive.
 */
class IwarpLinkChannel : public PointToPointChannel
{
  public:
    static TypeId GetTypeId();
    static constexpr uint32_t ETHERNET = 38, PPP = 2;

    /// Both devices are attached, run at `rate` bits per second, and count `framing` octets around IP from now on.
    void SetFraming(uint64_t rate, uint32_t framing);

    /// What the attributes channel.* say, whole; and which packets meet it: with user data, without.
    void SetChannel(const channel_conf &conf, bool data, bool acks);
    /// What names the draws, with the link.
    void SetDraws(uint64_t seed, uint32_t repeat);
    /// Octets of the header of IP protocol 253, as `llp.kind: packet` has it.
    void SetPacketHead(uint32_t octets);
    /// Packets towards `device` whose transmission starts from Start() on meet the channel as it is said by now. `link`
    /// names the draws, with seed and repeat.
    void Impair(const Ptr<NetDevice> &device, uint32_t link);
    /// Connections are set up: impair from `at` on, which may be past.
    void Start(iw_time at);
    /// The device on `side` is a stand-in for the port `port` of that node in another process.
    void SetElsewhere(int side, uint32_t port);
    uint64_t GetDrops() const;
    /// What a device sends from now on has this rate.
    void SetRate(const Ptr<NetDevice> &sender, uint64_t rate);
    /// The link from that device fails now: what is on it is lost when it would arrive.
    void Fail(const Ptr<NetDevice> &sender);
    /// Packets that were lost so.
    uint64_t GetFailed() const;
    /// Packets that entered the channel, either way.
    uint64_t GetPackets() const;
    /// IP octets of those that a device sent.
    uint64_t GetOctets(const Ptr<NetDevice> &sender) const;
    /// How long the packet that a device sends is still on its way out.
    iw_time GetBusy(const Ptr<NetDevice> &sender) const;
    /// Those that came from elsewhere.
    uint64_t GetCrossed() const;

    bool TransmitStart(Ptr<const Packet> packet, Ptr<PointToPointNetDevice> source, Time txTime) override;

    typedef void (*PacketTracedCallback)(Ptr<const Packet> packet);
    typedef void (*DelayTracedCallback)(Ptr<const Packet> packet, Time extra);

  private:
    struct Direction {
        bool elsewhere{false};
        uint32_t port{0}; //!< there
        uint64_t octets{0};
        iw_time freeAt{0}; //!< the last bit of what was sent has left
        uint64_t rate{0};
        bool fell{false};
        iw_time fellAt{0}; //!< when it failed last
        bool impaired{false};
        channel state{};
    };
    static void *Configuration(ObjectBase *link);
    iw_time Serialization(int side, const Ptr<const Packet> &packet) const;
    int SideOf(const Ptr<NetDevice> &sender) const;
    static void SetGap(IwarpLinkChannel *link, int side, Ptr<const Packet> packet);
    static void ArriveFromElsewhere(IwarpLinkChannel *link, int side, Ptr<Packet> packet);
    void Deliver(int side, const Ptr<Packet> &packet, iw_time after) const;
    void Arrive(int side, const Ptr<Packet> &packet, iw_time start);
    void Suffer(int side, const Ptr<Packet> &packet, const IwarpPacketView &view);
    Ptr<Packet> Alter(const Ptr<const Packet> &packet, const IwarpPacketView &view, uint32_t from,
                      uint64_t entropy) const;
    void Hand(int side, const Ptr<Packet> &packet) const;

    channel_conf m_conf{};
    bool m_data{true}, m_acks{false};
    uint32_t m_packetHead{0}, m_repeat{0};
    uint64_t m_seed{1};
    Direction m_direction[2]; //!< towards device 0, 1
    uint32_t m_framing{PPP};
    iw_time m_from{IW_NEVER};
    uint64_t m_drops{0}, m_packets{0}, m_crossed{0}, m_failed{0};
    TracedCallback<Ptr<const Packet>> m_drop, m_duplicate, m_alter, m_fail;
    TracedCallback<Ptr<const Packet>, Time> m_delay;
};

} // namespace ns3

#endif
