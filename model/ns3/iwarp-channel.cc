/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-channel.h"

#include "iwarp-parameters.h"
#include "iwarp-ranks.h"
#include "iwarp-scheduler.h"

#include "fabric/fabric.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/ppp-header.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpLinkChannel");

NS_OBJECT_ENSURE_REGISTERED(IwarpLinkChannel);

TypeId IwarpLinkChannel::GetTypeId()
{
    static TypeId tid = [] {
        TypeId made =
            TypeId("ns3::IwarpLinkChannel")
                .SetParent<PointToPointChannel>()
                .SetGroupName("Iwarp")
                .AddConstructor<IwarpLinkChannel>()
                .AddTraceSource("Drop", "The channel lost a packet.",
                                MakeTraceSourceAccessor(&IwarpLinkChannel::m_drop),
                                "ns3::IwarpLinkChannel::PacketTracedCallback")
                .AddTraceSource("Fail", "The link was down for a while, and the packet was on it.",
                                MakeTraceSourceAccessor(&IwarpLinkChannel::m_fail),
                                "ns3::IwarpLinkChannel::PacketTracedCallback")
                .AddTraceSource("Duplicate", "A copy of a packet follows it.",
                                MakeTraceSourceAccessor(&IwarpLinkChannel::m_duplicate),
                                "ns3::IwarpLinkChannel::PacketTracedCallback")
                .AddTraceSource("Alter", "Octets of a packet were corrupted, unnoticed by TCP.",
                                MakeTraceSourceAccessor(&IwarpLinkChannel::m_alter),
                                "ns3::IwarpLinkChannel::PacketTracedCallback")
                .AddTraceSource("Delay", "A packet is delayed beyond the link's own delay.",
                                MakeTraceSourceAccessor(&IwarpLinkChannel::m_delay),
                                "ns3::IwarpLinkChannel::DelayTracedCallback")
                .AddAttribute("ImpairData", "Packets with user data meet the channel.", BooleanValue(true),
                              MakeBooleanAccessor(&IwarpLinkChannel::m_data), MakeBooleanChecker())
                .AddAttribute("ImpairAcks", "Packets without user data meet the channel.",
                              BooleanValue(false), MakeBooleanAccessor(&IwarpLinkChannel::m_acks),
                              MakeBooleanChecker())
                .AddAttribute("Seed", "Names the draws, with Repeat and the link.", UintegerValue(1),
                              MakeUintegerAccessor(&IwarpLinkChannel::m_seed),
                              MakeUintegerChecker<uint64_t>())
                .AddAttribute("Repeat", "Names the draws, with Seed and the link.", UintegerValue(0),
                              MakeUintegerAccessor(&IwarpLinkChannel::m_repeat),
                              MakeUintegerChecker<uint32_t>())
                .AddAttribute("PacketHead", "llp.kind packet: octets of its header, as DDP follows it.",
                              UintegerValue(0), MakeUintegerAccessor(&IwarpLinkChannel::m_packetHead),
                              MakeUintegerChecker<uint32_t>());
        AddParameters(made, channel_parameters, Configuration, false,
                      {"trace.by", "trace.start", "delay.order", "delay.hold"}); // nothing without its file
        return made;
    }();
    return tid;
}

namespace
{

iw_time Clock()
{
    return static_cast<iw_time>(Simulator::Now().GetTimeStep());
}

/// The packet on the link as a node would take it. Without a tag all its octets are real.
IwarpPacketView ViewOf(const Ptr<const Packet> &packet)
{
    Ptr<Packet> copy = packet->Copy();
    PppHeader link;
    Ipv4Header ip;
    IwarpPacketTag tag;
    copy->RemoveHeader(link);
    copy->RemoveHeader(ip);
    if (!copy->PeekPacketTag(tag))
        tag.head = ip.GetPayloadSize();
    return IwarpPacketView(copy, ip, tag);
}

} // namespace

void IwarpLinkChannel::SetFraming(uint64_t rate, uint32_t framing)
{
    m_framing = framing;
    for (std::size_t i = 0; i < GetNDevices(); i++) {
        Ptr<PointToPointNetDevice> device = GetPointToPointDevice(i);
        SetRate(device, rate);
        device->TraceConnectWithoutContext(
            "PhyTxBegin", MakeBoundCallback(&IwarpLinkChannel::SetGap, this, SideOf(device)));
    }
}

/// Of the direction that leads away from a device.
int IwarpLinkChannel::SideOf(const Ptr<NetDevice> &sender) const
{
    return GetDevice(0) == sender ? 1 : 0;
}

/// The port is busy for as long as its packet is on the link, framing and all.
void IwarpLinkChannel::SetGap(IwarpLinkChannel *link, int side, Ptr<const Packet> packet)
{
    const Time counted = DataRate(link->m_direction[side].rate).CalculateBytesTxTime(packet->GetSize());
    link->GetPointToPointDevice(static_cast<std::size_t>(!side))
        ->SetInterframeGap(TimeStep(link->Serialization(side, packet)) - counted);
}

void IwarpLinkChannel::SetRate(const Ptr<NetDevice> &sender, uint64_t rate)
{
    NS_LOG_FUNCTION(this << sender << rate);
    const int side = SideOf(sender);
    m_direction[side].rate = rate;
    GetPointToPointDevice(static_cast<std::size_t>(!side))->SetDataRate(DataRate(rate));
}

void IwarpLinkChannel::Fail(const Ptr<NetDevice> &sender)
{
    NS_LOG_FUNCTION(this << sender);
    Direction &d = m_direction[SideOf(sender)];
    d.fell = true;
    d.fellAt = Clock();
}

uint64_t IwarpLinkChannel::GetFailed() const
{
    return m_failed;
}

void *IwarpLinkChannel::Configuration(ObjectBase *link)
{
    return &static_cast<IwarpLinkChannel *>(link)->m_conf;
}

void IwarpLinkChannel::SetChannel(const channel_conf &conf, bool data, bool acks)
{
    m_conf = conf;
    m_data = data;
    m_acks = acks;
}

void IwarpLinkChannel::SetDraws(uint64_t seed, uint32_t repeat)
{
    m_seed = seed;
    m_repeat = repeat;
}

void IwarpLinkChannel::SetPacketHead(uint32_t octets)
{
    m_packetHead = octets;
}

void IwarpLinkChannel::Impair(const Ptr<NetDevice> &device, uint32_t link)
{
    Direction &d = m_direction[GetDevice(0) == device ? 0 : 1];
    const char *wrong = channel_conf_error(&m_conf);
    NS_ABORT_MSG_IF(wrong, "IwarpLinkChannel: " << wrong);
    d.impaired = channel_impairs(&m_conf);
    channel_init(&d.state, &m_conf, m_seed, m_repeat, link, 0);
}

void IwarpLinkChannel::Start(iw_time at)
{
    m_from = std::min(m_from, at);
}

void IwarpLinkChannel::SetElsewhere(int side, uint32_t port)
{
    m_direction[side].elsewhere = true;
    m_direction[side].port = port;
    IwarpRanks::Receive(GetPointToPointDevice(static_cast<std::size_t>(!side)),
                        MakeBoundCallback(&IwarpLinkChannel::ArriveFromElsewhere, this, 1 - side));
}

uint64_t IwarpLinkChannel::GetDrops() const
{
    return m_drops;
}

uint64_t IwarpLinkChannel::GetOctets(const Ptr<NetDevice> &sender) const
{
    return m_direction[SideOf(sender)].octets;
}

iw_time IwarpLinkChannel::GetBusy(const Ptr<NetDevice> &sender) const
{
    const iw_time freeAt = m_direction[GetDevice(0) == sender ? 1 : 0].freeAt, now = Clock();
    return freeAt > now ? freeAt - now : 0;
}

uint64_t IwarpLinkChannel::GetPackets() const
{
    return m_packets;
}

uint64_t IwarpLinkChannel::GetCrossed() const
{
    return m_crossed;
}

// ---- on the way -------------------------------------------------------------------------------------------

iw_time IwarpLinkChannel::Serialization(int side, const Ptr<const Packet> &packet) const
{
    return fabric_serialization(packet->GetSize() - PPP + m_framing, m_direction[side].rate);
}

bool IwarpLinkChannel::TransmitStart(Ptr<const Packet> packet, Ptr<PointToPointNetDevice> source, Time)
{
    const int side = SideOf(source);
    const iw_time start = Clock();
    const Ptr<PointToPointNetDevice> to = GetPointToPointDevice(static_cast<std::size_t>(side));
    IwarpPacketTag tag;
    packet->PeekPacketTag(tag);
    m_packets++;
    m_direction[side].octets += packet->GetSize() - PPP;
    m_direction[side].freeAt = start + Serialization(side, packet);
    if (m_direction[side].elsewhere) {
        IwarpRanks::Send(packet, TimeStep(start + Serialization(side, packet)) + GetDelay(),
                         to->GetNode()->GetId(), m_direction[side].port);
        return true;
    }
    IwarpEvent::ScheduleArrival(to->GetNode()->GetId(), to->GetIfIndex(), tag,
                                TimeStep(Serialization(side, packet)) + GetDelay(),
                                [this, side, start, packet]() {
                                    Arrive(side, ConstCast<Packet>(packet), start);
                                }); // the sender is done with it
    return true;
}

/// In its place among what arrives at this instant.
void IwarpLinkChannel::ArriveFromElsewhere(IwarpLinkChannel *link, int side, Ptr<Packet> packet)
{
    const Ptr<PointToPointNetDevice> to = link->GetPointToPointDevice(static_cast<std::size_t>(side));
    const iw_time way =
        link->Serialization(side, packet) + static_cast<iw_time>(link->GetDelay().GetTimeStep());
    IwarpPacketTag tag;
    link->m_crossed++;
    packet->PeekPacketTag(tag);
    IwarpEvent::ScheduleArrival(
        to->GetNode()->GetId(), to->GetIfIndex(), tag, Time(0),
        [link, side, packet, start = Clock() - way]() { link->Arrive(side, packet, start); });
}

void IwarpLinkChannel::Hand(int side, const Ptr<Packet> &packet) const
{
    GetPointToPointDevice(static_cast<std::size_t>(side))->Receive(packet);
}

/// An arrival of its own, later.
void IwarpLinkChannel::Deliver(int side, const Ptr<Packet> &packet, iw_time after) const
{
    const Ptr<PointToPointNetDevice> to = GetPointToPointDevice(static_cast<std::size_t>(side));
    IwarpPacketTag tag;
    packet->PeekPacketTag(tag);
    IwarpEvent::ScheduleArrival(to->GetNode()->GetId(), to->GetIfIndex(), tag, TimeStep(after),
                                [this, side, packet]() { Hand(side, packet); });
}

void IwarpLinkChannel::Arrive(int side, const Ptr<Packet> &packet, iw_time start)
{
    const Direction &d = m_direction[side];
    if (d.fell && start <= d.fellAt) {
        m_failed++;
        m_fail(packet);
        return;
    }
    if (!d.impaired || start < m_from) {
        Hand(side, packet);
        return;
    }
    const IwarpPacketView view = ViewOf(packet);
    const bool data = fabric_user_data(&view.packet, m_packetHead) != FABRIC_NO_DATA;
    if (data ? m_data : m_acks)
        Suffer(side, packet, view);
    else
        Hand(side, packet);
}

void IwarpLinkChannel::Suffer(int side, const Ptr<Packet> &packet, const IwarpPacketView &view)
{
    Direction &d = m_direction[side];
    const iw_time serialization = Serialization(side, packet);
    const channel_fate fate = channel_take(&d.state, serialization);
    const uint32_t from = fabric_user_data(&view.packet, m_packetHead);
    Ptr<Packet> arrives = packet;
    const bool comes = !fate.lost || fate.duplicated;
    const iw_time late = comes ? channel_arrival(&d.state, Clock(), serialization, &fate) - Clock() : 0;
    if (fate.duplicated) {
        Ptr<Packet> copy = packet->Copy();
        IwarpPacketTag tag;
        if (copy->RemovePacketTag(tag)) {
            tag.copy = true;
            copy->AddPacketTag(tag);
        }
        m_duplicate(packet);
        Deliver(side, copy, late + serialization);
    }
    if (fate.lost) {
        m_drops++;
        m_drop(packet);
        return;
    }
    if (fate.corrupted && from != FABRIC_NO_DATA) {
        m_alter(packet);
        arrives = Alter(packet, view, from, fate.entropy);
    }
    if (late) {
        m_delay(packet, TimeStep(late));
        Deliver(side, arrives, late);
    } else {
        Hand(side, arrives);
    }
}

/// A mark; and its octets, where they are carried.
Ptr<Packet> IwarpLinkChannel::Alter(const Ptr<const Packet> &packet, const IwarpPacketView &view,
                                    uint32_t from, uint64_t entropy) const
{
    Ptr<Packet> altered = packet->Copy();
    IwarpPacketTag tag;
    if (view.packet.head == view.packet.size - view.packet.sealed - IP_HEAD) {
        std::vector<uint8_t> octets(packet->GetSize());
        packet->CopyData(octets.data(), packet->GetSize());
        fabric_alter(octets.data() + PPP + IP_HEAD + from, view.packet.head - from, entropy);
        altered = Create<Packet>(octets.data(), packet->GetSize());
    }
    if (packet->PeekPacketTag(tag)) {
        altered->RemovePacketTag(tag);
        tag.altered = true;
        altered->AddPacketTag(tag);
    }
    return altered;
}

} // namespace ns3
