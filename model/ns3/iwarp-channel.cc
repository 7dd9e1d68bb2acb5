/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-channel.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpLinkChannel");
NS_OBJECT_ENSURE_REGISTERED(IwarpMarkTag);
NS_OBJECT_ENSURE_REGISTERED(IwarpLinkChannel);

TypeId IwarpMarkTag::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpMarkTag").SetParent<Tag>().SetGroupName("Iwarp").AddConstructor<IwarpMarkTag>();
    return tid;
}

TypeId IwarpMarkTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

IwarpMarkTag::IwarpMarkTag(uint8_t marks) : m_marks(marks) {}

uint8_t IwarpMarkTag::GetMarks() const
{
    return m_marks;
}

uint32_t IwarpMarkTag::GetSerializedSize() const
{
    return 1;
}

void IwarpMarkTag::Serialize(TagBuffer buffer) const
{
    buffer.WriteU8(m_marks);
}

void IwarpMarkTag::Deserialize(TagBuffer buffer)
{
    m_marks = buffer.ReadU8();
}

void IwarpMarkTag::Print(std::ostream &os) const
{
    os << "marks=" << static_cast<unsigned>(m_marks);
}

TypeId IwarpLinkChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpLinkChannel")
                            .SetParent<PointToPointChannel>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpLinkChannel>()
                            .AddTraceSource("Drop", "The channel lost a packet.",
                                            MakeTraceSourceAccessor(&IwarpLinkChannel::m_drop),
                                            "ns3::IwarpLinkChannel::PacketTracedCallback")
                            .AddTraceSource("Duplicate", "A copy of a packet follows it.",
                                            MakeTraceSourceAccessor(&IwarpLinkChannel::m_duplicate),
                                            "ns3::IwarpLinkChannel::PacketTracedCallback")
                            .AddTraceSource("Alter", "Octets of a packet were altered, unseen by TCP.",
                                            MakeTraceSourceAccessor(&IwarpLinkChannel::m_alter),
                                            "ns3::IwarpLinkChannel::PacketTracedCallback")
                            .AddTraceSource("Delay", "A packet takes longer than the link does.",
                                            MakeTraceSourceAccessor(&IwarpLinkChannel::m_delay),
                                            "ns3::IwarpLinkChannel::DelayTracedCallback");
    return tid;
}

namespace
{

/// Where the octets of the TCP stream lie in a packet on the link.
struct Payload {
    uint32_t from, to;
};

constexpr uint32_t LINK_HEAD = 2, IP_HEAD = 20, TCP_HEAD = 20;

constexpr uint32_t SCTP = 132, SCTP_HEAD = 12;

/// Everything behind the common header, if there is a DATA chunk: the first, or behind a SACK or FORWARD-TSN.
Payload FindSctpPayload(const Ptr<const Packet> &packet)
{
    uint8_t octets[512];
    const uint32_t size = packet->CopyData(octets, sizeof octets);
    for (uint32_t at = LINK_HEAD + IP_HEAD + SCTP_HEAD; at + 4 <= size;) {
        const uint32_t length = static_cast<uint32_t>(octets[at + 2] << 8 | octets[at + 3]);
        if (octets[at] == 0)
            return {LINK_HEAD + IP_HEAD + SCTP_HEAD, packet->GetSize()};
        if (length < 4)
            break;
        at += (length + 3) & ~3u;
    }
    return {0, 0};
}

Payload FindPayload(const Ptr<const Packet> &packet)
{
    uint8_t head[LINK_HEAD + IP_HEAD + TCP_HEAD];
    if (packet->CopyData(head, sizeof head) != sizeof head)
        return {0, 0};
    const uint8_t *ip = head + LINK_HEAD, *tcp = ip + IP_HEAD;
    if (ip[0] == 0x45 && ip[9] == SCTP)
        return FindSctpPayload(packet);
    if (ip[0] != 0x45 || ip[9] != 6)
        return {0, 0};
    const uint32_t from = LINK_HEAD + IP_HEAD + (tcp[12] >> 4) * 4u;
    const uint32_t to = LINK_HEAD + static_cast<uint32_t>(ip[2] << 8 | ip[3]);
    return from < to && to <= packet->GetSize() ? Payload{from, to} : Payload{0, 0};
}

/// Flip one bit, and the same bit where it is the other way round a multiple of 16 bits further: TCP's checksum does
/// not see it, CRC32c does (any two bits).
Ptr<Packet> Alter(const Ptr<const Packet> &packet, Payload payload, uint64_t entropy)
{
    std::vector<uint8_t> octets(packet->GetSize());
    packet->CopyData(octets.data(), packet->GetSize());
    const uint32_t length = payload.to - payload.from, at = static_cast<uint32_t>(entropy % length);
    const uint8_t bit = static_cast<uint8_t>(1u << (entropy >> 32) % 8);
    uint8_t *octet = octets.data() + payload.from;
    for (uint32_t step = 2; step < length; step += 2) {
        const uint32_t other = (at % 2) + ((at / 2 + step / 2) % ((length - at % 2 + 1) / 2)) * 2;
        if (other == at || ((octet[at] ^ octet[other]) & bit) == 0)
            continue;
        octet[other] ^= bit;
        break;
    }
    octet[at] ^= bit;
    return Create<Packet>(octets.data(), packet->GetSize());
}

} // namespace

void IwarpLinkChannel::SetFraming(Time extra)
{
    m_extra = extra;
}

void IwarpLinkChannel::SetImpairment(const Ptr<NetDevice> &device, const Impairment &impairment,
                                     uint64_t seed, uint32_t repeat, uint32_t link)
{
    Direction &d = m_direction[GetDevice(0) == device ? 0 : 1];
    d.impaired = true;
    d.impairment = impairment;
    channel_init(&d.state, &impairment.conf, seed, repeat, link, 0);
}

void IwarpLinkChannel::Start()
{
    m_started = true;
}

uint64_t IwarpLinkChannel::GetDrops() const
{
    return m_drops;
}

uint64_t IwarpLinkChannel::GetPackets() const
{
    return m_packets;
}

void IwarpLinkChannel::Carry(const Ptr<PointToPointNetDevice> &to, Time after,
                             const Ptr<Packet> &packet) const
{
    Simulator::ScheduleWithContext(to->GetNode()->GetId(), after, &PointToPointNetDevice::Receive, to,
                                   packet);
}

bool IwarpLinkChannel::Meets(const Direction &direction, const Ptr<const Packet> &packet) const
{
    if (!m_started || !direction.impaired)
        return false;
    const Impairment &i = direction.impairment;
    return (i.data && i.acks) || (FindPayload(packet).to ? i.data : i.acks);
}

/// The packet as it arrives: altered where it has octets of the stream, or marked as such.
Ptr<Packet> IwarpLinkChannel::Corrupt(const Ptr<const Packet> &packet, const Direction &direction,
                                      uint64_t entropy) const
{
    const Payload payload = FindPayload(packet);
    if (!payload.to)
        return nullptr;
    if (direction.impairment.realPayload)
        return Alter(packet, payload, entropy);
    Ptr<Packet> marked = packet->Copy();
    marked->AddPacketTag(IwarpMarkTag(IwarpMarkTag::CORRUPTED));
    return marked;
}

void IwarpLinkChannel::Trace(const Ptr<const Packet> &packet, const channel_fate &fate, bool altered) const
{
    if (fate.lost)
        m_drop(packet);
    if (altered && !fate.lost)
        m_alter(packet);
    if (fate.delay && !fate.lost)
        m_delay(packet, PicoSeconds(fate.delay));
    if (fate.duplicated)
        m_duplicate(packet);
}

bool IwarpLinkChannel::TransmitStart(Ptr<const Packet> packet, Ptr<PointToPointNetDevice> source, Time txTime)
{
    const int side = GetPointToPointDevice(0) == source ? 1 : 0;
    Ptr<PointToPointNetDevice> to = GetPointToPointDevice(side);
    Direction &d = m_direction[side];
    const Time serialization = txTime + m_extra;
    Time after = serialization + GetDelay();
    m_packets++;
    if (!Meets(d, packet)) {
        Carry(to, after, ConstCast<Packet>(packet)); // the sender is done with it when it arrives
        return true;
    }
    const channel_fate fate = channel_next(&d.state, static_cast<uint64_t>(serialization.GetPicoSeconds()));
    after += PicoSeconds(fate.delay);
    const Ptr<Packet> altered = fate.corrupted ? Corrupt(packet, d, fate.entropy) : nullptr;
    m_drops += fate.lost;
    Trace(packet, fate, altered != nullptr);
    if (!fate.lost)
        Carry(to, after, altered ? altered : packet->Copy());
    if (fate.duplicated) {
        Ptr<Packet> again = packet->Copy();
        again->AddPacketTag(IwarpMarkTag(IwarpMarkTag::DUPLICATED));
        Carry(to, after + serialization, again);
    }
    return true;
}

} // namespace ns3
