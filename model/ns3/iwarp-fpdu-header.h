/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-fpdu-header.h -- what travels of an FPDU when payload is none: ULPDU_Length and the segment's header, then
 * octets that nobody stores, as many as the FPDU has. */
#ifndef IWARP_FPDU_HEADER_H
#define IWARP_FPDU_HEADER_H

#include "llp/mpa.h"

#include "ns3/header.h"
#include "ns3/packet.h"

namespace ns3
{

/// \brief The head of a length-only FPDU.
class IwarpFpduHeader : public Header
{
  public:
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    IwarpFpduHeader();
    explicit IwarpFpduHeader(const mpa_mark &mark);
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream &os) const override;

    /// The mark at the front of `packet`, key and `bad` left alone; false when there is none.
    static bool Peek(const Ptr<const Packet> &packet, mpa_mark *mark);

  private:
    mpa_mark m_mark;
};

} // namespace ns3

#endif
