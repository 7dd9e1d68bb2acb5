/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-fpdu-header.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpFpduHeader);

namespace
{

constexpr uint32_t LENGTH = 2;   // octets of ULPDU_Length
constexpr uint8_t TAGGED = 0x80; // RFC 5041 4.1

// A short ULPDU is carried whole: it may be a Read Request or a Terminate (mpa_mark).
uint8_t HeadLength(uint8_t control, uint16_t ulpdu)
{
    const uint16_t head = control & TAGGED ? IW_HEAD_TAGGED : IW_HEAD_UNTAGGED;
    return static_cast<uint8_t>(ulpdu <= MPA_HEAD_MAX ? ulpdu : head);
}

} // namespace

TypeId IwarpFpduHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpFpduHeader")
                            .SetParent<Header>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpFpduHeader>();
    return tid;
}

TypeId IwarpFpduHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

IwarpFpduHeader::IwarpFpduHeader() : m_mark{} {}

IwarpFpduHeader::IwarpFpduHeader(const mpa_mark &mark) : m_mark(mark) {}

uint32_t IwarpFpduHeader::GetSerializedSize() const
{
    return LENGTH + m_mark.head_len;
}

void IwarpFpduHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(m_mark.ulpdu_len);
    start.Write(m_mark.head, m_mark.head_len);
}

uint32_t IwarpFpduHeader::Deserialize(Buffer::Iterator start)
{
    m_mark = {};
    m_mark.ulpdu_len = start.ReadNtohU16();
    if (!m_mark.ulpdu_len)
        return LENGTH;
    Buffer::Iterator control = start;
    m_mark.head_len = HeadLength(control.ReadU8(), m_mark.ulpdu_len);
    start.Read(m_mark.head, m_mark.head_len);
    return GetSerializedSize();
}

void IwarpFpduHeader::Print(std::ostream &os) const
{
    os << "ulpdu=" << m_mark.ulpdu_len;
}

bool IwarpFpduHeader::Peek(const Ptr<const Packet> &packet, mpa_mark *mark)
{
    uint8_t octets[LENGTH + MPA_HEAD_MAX];
    const uint32_t n = packet->CopyData(octets, sizeof octets);
    if (n < LENGTH + 1)
        return false;
    mark->ulpdu_len = static_cast<uint16_t>(octets[0] << 8 | octets[1]);
    mark->head_len = HeadLength(octets[LENGTH], mark->ulpdu_len);
    if (n < LENGTH + mark->head_len)
        return false;
    std::copy_n(octets + LENGTH, mark->head_len, mark->head);
    return true;
}

} // namespace ns3
