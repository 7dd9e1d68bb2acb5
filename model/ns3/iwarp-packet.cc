/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-packet.h"

#include "ns3/abort.h"
#include "ns3/header.h"
#include "ns3/node.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpPacketTag);

// ---- the tag ----------------------------------------------------------------------------------------------

TypeId IwarpPacketTag::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpPacketTag").SetParent<Tag>().SetGroupName("Iwarp").AddConstructor<IwarpPacketTag>();
    return tid;
}

TypeId IwarpPacketTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t IwarpPacketTag::GetSerializedSize() const
{
    return 4 + 4 + 2 + 2 + 2 + 1;
}

void IwarpPacketTag::Serialize(TagBuffer buffer) const
{
    buffer.WriteU32(connection);
    buffer.WriteU32(number);
    buffer.WriteU16(head);
    buffer.WriteU16(sealed);
    buffer.WriteU16(entropy);
    buffer.WriteU8(static_cast<uint8_t>(direction | altered << 1 | trimmed << 2 | copy << 3));
}

void IwarpPacketTag::Deserialize(TagBuffer buffer)
{
    connection = buffer.ReadU32();
    number = buffer.ReadU32();
    head = buffer.ReadU16();
    sealed = buffer.ReadU16();
    entropy = buffer.ReadU16();
    const uint8_t marks = buffer.ReadU8();
    direction = marks & 1;
    altered = marks & 2;
    trimmed = marks & 4;
    copy = marks & 8;
}

void IwarpPacketTag::Print(std::ostream &os) const
{
    os << "connection=" << connection << " direction=" << static_cast<unsigned>(direction)
       << " number=" << number;
}

// ---- packets ----------------------------------------------------------------------------------------------

namespace
{

/// Octets in front of a packet.
class OctetsHeader : public Header
{
  public:
    OctetsHeader() = default; // ns-3 makes one to print it
    OctetsHeader(const uint8_t *octets, uint32_t count) : m_octets(octets), m_count(count) {}

    TypeId GetInstanceTypeId() const override
    {
        static TypeId tid = TypeId("ns3::IwarpOctetsHeader")
                                .SetParent<Header>()
                                .SetGroupName("Iwarp")
                                .AddConstructor<OctetsHeader>();
        return tid;
    }

    uint32_t GetSerializedSize() const override
    {
        return m_count;
    }

    void Serialize(Buffer::Iterator start) const override
    {
        start.Write(m_octets, m_count);
    }

    uint32_t Deserialize(Buffer::Iterator) override
    {
        return m_count;
    }

    void Print(std::ostream &os) const override
    {
        os << m_count << " octets";
    }

  private:
    const uint8_t *m_octets{nullptr};
    uint32_t m_count{0};
};

} // namespace

Ptr<Packet> IwarpMakePacket(const ip_packet &p)
{
    NS_ABORT_MSG_IF(p.size < IP_HEAD || p.head > p.size - IP_HEAD, "a packet has more octets than its size");
    Ptr<Packet> made = Create<Packet>(p.size - IP_HEAD - p.head);
    if (p.head)
        made->AddHeader(OctetsHeader(p.octets, p.head));
    IwarpPacketTag tag;
    tag.connection = p.connection;
    tag.number = p.number;
    tag.head = p.head;
    tag.sealed = p.sealed;
    tag.entropy = p.entropy;
    tag.direction = p.direction;
    tag.altered = p.altered;
    tag.trimmed = p.trimmed;
    made->AddPacketTag(tag);
    return made;
}

Ipv4Header IwarpMakeHeader(const ip_packet &p, Ipv4Address from, Ipv4Address to)
{
    constexpr uint8_t TTL = 64;
    Ipv4Header header;
    header.SetSource(from);
    header.SetDestination(to);
    header.SetProtocol(p.protocol);
    header.SetPayloadSize(static_cast<uint16_t>(p.size - IP_HEAD));
    header.SetIdentification(static_cast<uint16_t>(p.number));
    header.SetDontFragment();
    header.SetTtl(TTL);
    header.SetEcn(static_cast<Ipv4Header::EcnType>(p.ecn));
    if (Node::ChecksumEnabled())
        header.EnableChecksum();
    return header;
}

IwarpPacketView::IwarpPacketView(const Ptr<const Packet> &payload, const Ipv4Header &header,
                                 const IwarpPacketTag &tag)
    : packet{}, m_octets(tag.head)
{
    payload->CopyData(m_octets.data(), tag.head);
    packet.size = IP_HEAD + header.GetPayloadSize();
    packet.connection = tag.connection;
    packet.direction = tag.direction;
    packet.protocol = header.GetProtocol();
    packet.ecn = header.GetEcn();
    packet.altered = tag.altered;
    packet.trimmed = tag.trimmed;
    packet.copied = tag.copy;
    packet.head = tag.head;
    packet.sealed = tag.sealed;
    packet.entropy = tag.entropy;
    packet.number = tag.number;
    packet.octets = m_octets.data();
}

} // namespace ns3
