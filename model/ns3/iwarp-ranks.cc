/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-ranks.h"

#include "ns3/abort.h"

#ifdef IWARP_RANKS
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#endif

namespace ns3
{

#ifdef IWARP_RANKS

namespace
{

constexpr uint32_t ROOM = 2000 - 16; // octets of ns-3's messages, without time, node and device

} // namespace

void IwarpRanks::Send(const Ptr<const Packet> &packet, Time at, uint32_t node, uint32_t port)
{
    NS_ABORT_MSG_IF(packet->GetSerializedSize() > ROOM,
                    "a packet has too many octets to cross between processes");
    MpiInterface::SendPacket(packet->Copy(), at, node, port);
}

void IwarpRanks::Receive(const Ptr<NetDevice> &device, Callback<void, Ptr<Packet>> receive)
{
    Ptr<MpiReceiver> receiver = CreateObject<MpiReceiver>();
    receiver->SetReceiveCallback(receive);
    device->AggregateObject(receiver);
}

#else

void IwarpRanks::Send(const Ptr<const Packet> &, Time, uint32_t, uint32_t)
{
    NS_ABORT_MSG("ns-3 was built without MPI");
}

void IwarpRanks::Receive(const Ptr<NetDevice> &, Callback<void, Ptr<Packet>>)
{
    NS_ABORT_MSG("ns-3 was built without MPI");
}

#endif

} // namespace ns3
