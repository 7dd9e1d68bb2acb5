/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp-watch.h -- reads the SCTP packets that two hosts put on the wire, with nothing of the model's own decoder. */
#ifndef VALIDATION_NS3_SCTP_WATCH_H
#define VALIDATION_NS3_SCTP_WATCH_H

#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"

#include <cstdint>
#include <set>
#include <string>

namespace ns3
{

/**
 * \brief The laws of what SACK says (RFC 9260 6.2).
 *
 * The cumulative TSN never moves back; what a gap report acknowledged stays acknowledged; nothing is acknowledged that
 * the peer has not sent. A SACK that rides with data sent again may be old, and is not looked at.
 */
class SctpWatch
{
  public:
    /// `dataMost`: octets that a DATA chunk has at most, whatever its length says; 0: all.
    explicit SctpWatch(uint32_t dataMost);
    void Attach(const Ptr<PointToPointNetDevice> &device, int side);

    std::string GetLaws() const; //!< the first that was broken; "" is none
    uint64_t GetSacks(int side) const;
    uint64_t GetGapReports(int side) const;
    uint64_t GetDuplicates(int side) const;  //!< TSNs that it reports as received twice
    uint64_t GetProbes(int side) const;      //!< DATA that it sent into a window without room for it
    uint32_t GetLeastWindow(int side) const; //!< a_rwnd of its SACKs
    uint32_t GetMostWindow(int side) const;

  private:
    struct Side {
        bool sends{false}, hears{false};
        uint32_t first{0}; //!< TSN it sent first: they are counted from it
        int64_t sent{-1};  //!< the last one
        int64_t cumulative{-1};
        std::set<int64_t> reported; //!< beyond the cumulative one
        uint64_t sacks{0}, gaps{0}, probes{0}, duplicates{0};
        uint32_t window{UINT32_MAX}, least{UINT32_MAX}, most{0};
    };
    static void Left(SctpWatch *watch, int side, Ptr<const Packet> packet);
    template <typename Take> void Walk(const uint8_t *chunks, uint32_t len, Take take) const;
    void Read(int side, const uint8_t *chunks, uint32_t len);
    void ReadData(int side, const uint8_t *chunk, uint32_t len);
    void ReadSack(int side, const uint8_t *chunk, uint32_t len);
    int64_t Count(const Side &sender, uint32_t tsn) const;
    void Broken(const std::string &law);

    uint32_t m_dataMost;
    Side m_side[2];
    std::string m_laws;
};

} // namespace ns3

#endif
