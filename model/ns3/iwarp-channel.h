/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-channel.h -- a point-to-point link with Ethernet's framing and the impairments of model/channel. */
#ifndef IWARP_CHANNEL_H
#define IWARP_CHANNEL_H

#include "channel/channel.h"

#include "ns3/point-to-point-channel.h"
#include "ns3/tag.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/// What the channel did to a packet, for whoever counts: not on the wire.
class IwarpMarkTag : public Tag
{
  public:
    static constexpr uint8_t CORRUPTED = 1;  //!< payload none: the CRC of what is inside does not match
    static constexpr uint8_t DUPLICATED = 2; //!< the channel's copy, not the sender's

    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    explicit IwarpMarkTag(uint8_t marks = 0);
    uint8_t GetMarks() const;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream &os) const override;

  private:
    uint8_t m_marks;
};

/**
 * \brief PointToPointChannel whose packets take their framing's time, and which impairs what it is told to.
 *
 * ns-3's point-to-point devices put 2 octets (PPP) around IP; Ethernet takes 38 (14 + 4 + preamble 8 + gap 12). The
 * device's InterframeGap and SetFraming() make up the difference.
 */
class IwarpLinkChannel : public PointToPointChannel
{
  public:
    static TypeId GetTypeId();
    static constexpr uint32_t ETHERNET = 38, PPP = 2;

    /// Time per packet beyond what the device counts.
    void SetFraming(Time extra);

    struct Impairment {
        channel_conf conf;
        bool data, acks;  //!< which packets meet it: with octets of the stream, without
        bool realPayload; //!< corruption alters octets; else it is a mark
    };
    /// Packets towards `device` meet the channel from Start() on. `link`: names the draws, with seed and repeat.
    void SetImpairment(const Ptr<NetDevice> &device, const Impairment &impairment, uint64_t seed,
                       uint32_t repeat, uint32_t link);
    /// Connections are set up: impair from now on.
    void Start();
    uint64_t GetDrops() const;
    /// Packets that entered the channel, either way.
    uint64_t GetPackets() const;

    bool TransmitStart(Ptr<const Packet> packet, Ptr<PointToPointNetDevice> source, Time txTime) override;

    typedef void (*PacketTracedCallback)(Ptr<const Packet> packet);
    typedef void (*DelayTracedCallback)(Ptr<const Packet> packet, Time extra);

  private:
    struct Direction {
        bool impaired{false};
        Impairment impairment{};
        channel state{};
    };
    void Carry(const Ptr<PointToPointNetDevice> &to, Time after, const Ptr<Packet> &packet) const;
    Ptr<Packet> Corrupt(const Ptr<const Packet> &packet, const Direction &direction, uint64_t entropy) const;
    void Trace(const Ptr<const Packet> &packet, const channel_fate &fate, bool altered) const;
    bool Meets(const Direction &direction, const Ptr<const Packet> &packet) const;

    Direction m_direction[2]; //!< towards device 0, 1
    Time m_extra;
    bool m_started{false};
    uint64_t m_drops{0}, m_packets{0};
    TracedCallback<Ptr<const Packet>> m_drop, m_duplicate, m_alter;
    TracedCallback<Ptr<const Packet>, Time> m_delay;
};

} // namespace ns3

#endif
