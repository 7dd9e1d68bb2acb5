/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-ranks.h -- a network in several processes (ranks): packets that cross between them, over ns-3's MPI. */
#ifndef IWARP_RANKS_H
#define IWARP_RANKS_H

#include "ns3/callback.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"

namespace ns3
{

/**
 * \brief What of ns-3's distributed simulator a network needs.
 *
 * A packet crosses as its headers and its tag; payload that is not real takes no octets. ns-3 has room for 2,000 octets.
 */
class IwarpRanks
{
  public:
    /// `packet` reaches the port `port` of `node`, which is elsewhere, at `at`.
    static void Send(const Ptr<const Packet> &packet, Time at, uint32_t node, uint32_t port);
    /// Packets that others sent to `device` go to `receive`, at their time.
    static void Receive(const Ptr<NetDevice> &device, Callback<void, Ptr<Packet>> receive);
};

} // namespace ns3

#endif
