/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-rnic-type.cc -- IwarpRnic's attributes and trace sources. */
#include "iwarp-rnic.h"
#include "iwarp-version.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/enum.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{

TypeId IwarpRnic::AddAttributes(TypeId tid)
{
    return tid
        .AddAttribute("llp.markers", "MPA markers in both directions.", BooleanValue(false),
                      MakeBooleanAccessor(&IwarpRnic::m_markers), MakeBooleanChecker())
        .AddAttribute("llp.crc", "MPA CRC32c, generated and checked.", BooleanValue(true),
                      MakeBooleanAccessor(&IwarpRnic::m_crc), MakeBooleanChecker())
        .AddAttribute("llp.crc_error",
                      "A bad CRC ends the stream, or the segment is dropped before TCP has it.",
                      EnumValue(TERMINATE), IwarpMakeEnumAccessor(&IwarpRnic::m_crcError),
                      MakeEnumChecker(TERMINATE, "terminate", DROP, "drop"))
        .AddAttribute("llp.trust_alignment", "Without CRC: believe that each segment starts with an FPDU.",
                      BooleanValue(false), MakeBooleanAccessor(&IwarpRnic::m_trustAlignment),
                      MakeBooleanChecker())
        .AddAttribute("llp.congestion", "cubic, dctcp, newreno, or fixed:OCTETS.", StringValue("cubic"),
                      MakeStringAccessor(&IwarpRnic::SetCongestion, &IwarpRnic::GetCongestion),
                      MakeStringChecker())
        .AddAttribute("llp.initial_window", "Congestion window at the start, segments.", UintegerValue(10),
                      MakeUintegerAccessor(&IwarpRnic::m_initialWindow),
                      MakeUintegerChecker<uint32_t>(1, 100000))
        .AddAttribute("llp.min_rto", "Shortest retransmission timeout.", TimeValue(MilliSeconds(1)),
                      MakeTimeAccessor(&IwarpRnic::m_minRto), MakeTimeChecker(MicroSeconds(1), Seconds(60)))
        .AddAttribute("llp.delayed_ack", "In-order segments that one acknowledgement answers.",
                      UintegerValue(2), MakeUintegerAccessor(&IwarpRnic::m_delayedAck),
                      MakeUintegerChecker<uint32_t>(1, 64))
        .AddAttribute("llp.delayed_ack_timeout", "Longest wait of a delayed acknowledgement.",
                      TimeValue(MicroSeconds(50)), MakeTimeAccessor(&IwarpRnic::m_delayedAckTimeout),
                      MakeTimeChecker(MicroSeconds(1), Seconds(1)))
        .AddAttribute("llp.dupack_threshold",
                      "Duplicate acknowledgements of a loss; 0 adapts to the reordering seen.",
                      UintegerValue(3), MakeUintegerAccessor(&IwarpRnic::m_dupackThreshold),
                      MakeUintegerChecker<uint32_t>(0, 100000))
        .AddAttribute("llp.send_buffer", "Octets not yet acknowledged, per connection.",
                      UintegerValue(4 << 20), MakeUintegerAccessor(&IwarpRnic::m_sendBuffer),
                      MakeUintegerChecker<uint32_t>(16384, 1u << 30))
        .AddAttribute("llp.ord", "RDMA Reads outstanding, out.", UintegerValue(16),
                      MakeUintegerAccessor(&IwarpRnic::m_ord), MakeUintegerChecker<uint16_t>(0, 16383))
        .AddAttribute("llp.ird", "RDMA Reads outstanding, in.", UintegerValue(16),
                      MakeUintegerAccessor(&IwarpRnic::m_ird), MakeUintegerChecker<uint16_t>(0, 16383))
        .AddAttribute("payload", "real octets, or none: sizes, headers and marks only.", EnumValue(REAL),
                      IwarpMakeEnumAccessor(&IwarpRnic::m_payload),
                      MakeEnumChecker(REAL, "real", NONE, "none"))
        .AddAttribute("workload.consume_rate", "How fast the ULP consumes what is in order; 0bps: at once.",
                      DataRateValue(DataRate(0)), MakeDataRateAccessor(&IwarpRnic::m_consumeRate),
                      MakeDataRateChecker())
        .AddAttribute("Mtu", "IP octets per packet; SetPort() takes it from the device.", UintegerValue(1500),
                      MakeUintegerAccessor(&IwarpRnic::m_mtu), MakeUintegerChecker<uint32_t>(300, 65535))
        .AddAttribute("Connections", "Most connections of the adapter.", UintegerValue(64),
                      MakeUintegerAccessor(&IwarpRnic::m_connectionsMax),
                      MakeUintegerChecker<uint32_t>(1, 1u << 20))
        .AddAttribute("Regions", "Most memory regions registered at a time.", UintegerValue(256),
                      MakeUintegerAccessor(&IwarpRnic::m_regionsMax),
                      MakeUintegerChecker<uint32_t>(1, 1u << 24))
        .AddAttribute("Completions", "Entries of each completion queue.", UintegerValue(4096),
                      MakeUintegerAccessor(&IwarpRnic::m_completionsMax),
                      MakeUintegerChecker<uint32_t>(1, 1u << 24))
        .AddAttribute("SendQueue", "Requests outstanding per connection.", UintegerValue(128),
                      MakeUintegerAccessor(&IwarpRnic::m_sendQueue), MakeUintegerChecker<uint16_t>(1, 32768))
        .AddAttribute("ReceiveQueue", "Receive buffers outstanding per connection.", UintegerValue(128),
                      MakeUintegerAccessor(&IwarpRnic::m_receiveQueue),
                      MakeUintegerChecker<uint16_t>(1, 32768))
        .AddAttribute("ProtectionDomain", "Of all connections.", UintegerValue(1),
                      MakeUintegerAccessor(&IwarpRnic::m_protectionDomain), MakeUintegerChecker<uint32_t>())
        .AddAttribute("Profile", "IW_* flags of the endpoints (iw.h).", UintegerValue(0),
                      MakeUintegerAccessor(&IwarpRnic::m_profile), MakeUintegerChecker<uint32_t>())
        .AddAttribute(
            "CompleteOn",
            "A Send or Write is complete when the peer has acknowledged it, or when TCP has it.",
            EnumValue(static_cast<int>(IW_ON_ACK)), IwarpMakeEnumAccessor(&IwarpRnic::m_completeOn),
            MakeEnumChecker(static_cast<int>(IW_ON_ACK), "ack", static_cast<int>(IW_ON_ACCEPT), "accept"))
        .AddAttribute("StartTimeout", "Longest MPA start-up.", TimeValue(Seconds(10)),
                      MakeTimeAccessor(&IwarpRnic::m_startTimeout), MakeTimeChecker(MicroSeconds(1)))
        .AddAttribute("DrawKey", "Key of the draws: jitter of stalls, values of STags.", UintegerValue(1),
                      MakeUintegerAccessor(&IwarpRnic::m_drawKey), MakeUintegerChecker<uint64_t>())
        .AddAttribute("rnic.preset", "A named adapter; before the other rnic.* attributes.",
                      StringValue("ideal"), MakeStringAccessor(&IwarpRnic::SetPreset, &IwarpRnic::GetPreset),
                      MakeStringChecker());
}

TypeId IwarpRnic::AddTraceSources(TypeId tid)
{
    return tid
        .AddTraceSource("Connected", "The MPA start-up is over: full operation.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_connectedTrace),
                        "ns3::IwarpRnic::ConnectionTracedCallback")
        .AddTraceSource("Failed", "No connection: TCP or the MPA start-up failed.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_failedTrace),
                        "ns3::IwarpRnic::ConnectionTracedCallback")
        .AddTraceSource("SegmentSent", "A DDP segment went to TCP.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_sentTrace),
                        "ns3::IwarpRnic::SegmentSentTracedCallback")
        .AddTraceSource("SegmentResent", "TCP sent octets again: the key of the first and of the next.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_resentTrace),
                        "ns3::IwarpRnic::OctetsOfStreamTracedCallback")
        .AddTraceSource(
            "SegmentLeft", "TCP sent octets for the first time: the key of the first and of the next.",
            MakeTraceSourceAccessor(&IwarpRnic::m_leftTrace), "ns3::IwarpRnic::OctetsOfStreamTracedCallback")
        .AddTraceSource("SegmentLanded", "Octets came to the port, before staging and TCP.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_landedTrace),
                        "ns3::IwarpRnic::OctetsOfStreamTracedCallback")
        .AddTraceSource("SegmentArrived",
                        "A DDP segment was accepted: key, payload; handed up before its turn; came while an "
                        "earlier octet was missing.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_arrivedTrace),
                        "ns3::IwarpRnic::SegmentArrivedTracedCallback")
        .AddTraceSource("SegmentPlaced", "The payload of a segment is in memory.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_placedTrace),
                        "ns3::IwarpRnic::SegmentPlacedTracedCallback")
        .AddTraceSource("MessageDelivered", "A message is complete, in order.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_deliveredTrace),
                        "ns3::IwarpRnic::MessageDeliveredTracedCallback")
        .AddTraceSource("Edge", "Everything below this key is delivered.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_edgeTrace),
                        "ns3::IwarpRnic::EdgeTracedCallback")
        .AddTraceSource("Event", "Terminate, half closed, closed, fatal.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_eventTrace),
                        "ns3::IwarpRnic::EventTracedCallback")
        .AddTraceSource("Completion", "The ULP has taken a completion.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_completionTrace),
                        "ns3::IwarpRnic::CompletionTracedCallback")
        .AddTraceSource("Window", "A window was advertised: stream offset acknowledged, octets from there.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_windowTrace),
                        "ns3::IwarpRnic::WindowTracedCallback")
        .AddTraceSource("Staging", "Octets in the staging buffer.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_stagingTrace),
                        "ns3::IwarpRnic::OctetsTracedCallback")
        .AddTraceSource("Held", "Octets held out of order.", MakeTraceSourceAccessor(&IwarpRnic::m_heldTrace),
                        "ns3::IwarpRnic::OctetsTracedCallback")
        .AddTraceSource("State", "Octets that tracking out-of-order segments costs.",
                        MakeTraceSourceAccessor(&IwarpRnic::m_stateTrace),
                        "ns3::IwarpRnic::OctetsTracedCallback")
        .AddTraceSource(
            "Drop",
            "Octets were dropped before TCP had them, or refused: why, the key of the first, how many.",
            MakeTraceSourceAccessor(&IwarpRnic::m_dropTrace), "ns3::IwarpRnic::DropTracedCallback");
}

} // namespace ns3
