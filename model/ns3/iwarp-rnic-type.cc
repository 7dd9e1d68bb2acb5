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
        .AddAttribute("llp.kind", "mpa: over TCP; sctp; ideal: MPA over an ideal byte stream.",
                      EnumValue(MPA), IwarpMakeEnumAccessor(&IwarpRnic::m_kind),
                      MakeEnumChecker(MPA, "mpa", SCTP, "sctp", IDEAL, "ideal"))
        .AddAttribute("llp.markers", "MPA markers in both directions.", BooleanValue(false),
                      MakeBooleanAccessor(&IwarpRnic::m_markers), MakeBooleanChecker())
        .AddAttribute("llp.crc", "MPA CRC32c, generated and checked.", BooleanValue(true),
                      MakeBooleanAccessor(&IwarpRnic::m_crc), MakeBooleanChecker())
        .AddAttribute("llp.crc_error",
                      "A bad CRC ends the stream, or the adapter drops the segment before TCP accepts it.",
                      EnumValue(TERMINATE), IwarpMakeEnumAccessor(&IwarpRnic::m_crcError),
                      MakeEnumChecker(TERMINATE, "terminate", DROP, "drop"))
        .AddAttribute("llp.trust_alignment", "Without CRC: assume that each segment starts with an FPDU.",
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
        .AddAttribute("llp.delayed_ack", "In-order segments per acknowledgement.", UintegerValue(2),
                      MakeUintegerAccessor(&IwarpRnic::m_delayedAck), MakeUintegerChecker<uint32_t>(1, 64))
        .AddAttribute("llp.delayed_ack_timeout", "Longest delay of an acknowledgement.",
                      TimeValue(MicroSeconds(50)), MakeTimeAccessor(&IwarpRnic::m_delayedAckTimeout),
                      MakeTimeChecker(MicroSeconds(1), Seconds(1)))
        .AddAttribute("llp.loss_detection", "rack (RFC 8985), or dupack: duplicate acknowledgements.",
                      EnumValue(static_cast<int>(DETECTION_RACK)),
                      IwarpMakeEnumAccessor(&IwarpRnic::m_detection),
                      MakeEnumChecker(static_cast<int>(DETECTION_RACK), "rack",
                                      static_cast<int>(DETECTION_DUPACK), "dupack"))
        .AddAttribute("llp.dupack_threshold",
                      "Duplicate acknowledgements that mean a loss, with loss_detection dupack.",
                      UintegerValue(3), MakeUintegerAccessor(&IwarpRnic::m_dupackThreshold),
                      MakeUintegerChecker<uint32_t>(1, 65535))
        .AddAttribute("llp.ecn", "Explicit Congestion Notification; auto: only with dctcp.", EnumValue(AUTO),
                      IwarpMakeEnumAccessor(&IwarpRnic::m_ecn),
                      MakeEnumChecker(AUTO, "auto", ON, "on", OFF, "off"))
        .AddAttribute("llp.initial_rto", "Retransmission timeout until a round trip has been measured.",
                      TimeValue(MilliSeconds(10)), MakeTimeAccessor(&IwarpRnic::m_initialRto),
                      MakeTimeChecker(MicroSeconds(10), Seconds(60)))
        .AddAttribute("llp.timestamps", "TCP timestamps (RFC 7323).", BooleanValue(false),
                      MakeBooleanAccessor(&IwarpRnic::m_timestamps), MakeBooleanChecker())
        .AddAttribute("llp.pacing", "Spread the packets of a window over the round trip.",
                      BooleanValue(false), MakeBooleanAccessor(&IwarpRnic::m_pacing), MakeBooleanChecker())
        .AddAttribute("llp.idle_restart", "Restart the congestion window after an idle timeout.",
                      BooleanValue(false), MakeBooleanAccessor(&IwarpRnic::m_idleRestart),
                      MakeBooleanChecker())
        .AddAttribute("llp.msl", "Maximum segment lifetime; TIME-WAIT lasts two of them.",
                      TimeValue(MilliSeconds(1)), MakeTimeAccessor(&IwarpRnic::m_msl),
                      MakeTimeChecker(MicroSeconds(1), Seconds(120)))
        .AddAttribute("llp.send_buffer", "Octets not yet acknowledged, per connection; 0: never the limit.",
                      UintegerValue(0), MakeUintegerAccessor(&IwarpRnic::m_sendBuffer),
                      MakeUintegerChecker<uint64_t>(0, 1u << 30))
        .AddAttribute("IdealTimeout", "llp.kind ideal: time until a packet is retransmitted.",
                      TimeValue(MilliSeconds(1)), MakeTimeAccessor(&IwarpRnic::m_idealTimeout),
                      MakeTimeChecker(MicroSeconds(1)))
        .AddAttribute("llp.ord", "Outbound RDMA Reads outstanding (ORD).", UintegerValue(16),
                      MakeUintegerAccessor(&IwarpRnic::m_ord), MakeUintegerChecker<uint16_t>(0, 16383))
        .AddAttribute("llp.ird", "Inbound RDMA Reads outstanding (IRD).", UintegerValue(16),
                      MakeUintegerAccessor(&IwarpRnic::m_ird), MakeUintegerChecker<uint16_t>(0, 16383))
        .AddAttribute("payload", "real octets, or none: sizes, headers and marks only.", EnumValue(REAL),
                      IwarpMakeEnumAccessor(&IwarpRnic::m_payload),
                      MakeEnumChecker(REAL, "real", NONE, "none"))
        .AddAttribute("workload.consume_rate",
                      "Rate at which the ULP consumes in-order octets; 0bps: at once.",
                      DataRateValue(DataRate(0)), MakeDataRateAccessor(&IwarpRnic::m_consumeRate),
                      MakeDataRateChecker())
        .AddAttribute("Connections", "Most connections of the adapter.", UintegerValue(64),
                      MakeUintegerAccessor(&IwarpRnic::m_connectionsMax),
                      MakeUintegerChecker<uint32_t>(1, 1u << 20))
        .AddAttribute("Streams", "Most DDP streams of all connections; at least one of each.",
                      UintegerValue(64), MakeUintegerAccessor(&IwarpRnic::m_streamsMax),
                      MakeUintegerChecker<uint32_t>(1, 1u << 20))
        .AddAttribute("Regions", "Most memory regions registered at a time.", UintegerValue(256),
                      MakeUintegerAccessor(&IwarpRnic::m_regionsMax),
                      MakeUintegerChecker<uint32_t>(1, 1u << 24))
        .AddAttribute("Completions", "Entries of the completion queue.", UintegerValue(4096),
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

namespace
{

/// One of the array of trace sources.
struct Source {
    node_event_kind kind;
    const char *name, *what;
};

constexpr Source SOURCES[] = {
    {NODE_PULLED, "SegmentPulled", "The engine made a DDP segment: seg, key .. end."},
    {NODE_SNAPSHOT, "SegmentRead", "Its octets have left host memory: key .. end."},
    {NODE_SENT, "SegmentSent",
     "Octets were sent for the first time, into the transmit pipeline: key .. end."},
    {NODE_RETRANSMITTED, "SegmentRetransmitted", "Octets were retransmitted: key .. end, reason."},
    {NODE_SPURIOUS, "SpuriousRetransmission", "A retransmission proved unnecessary: key .. end."},
    {NODE_UNDONE, "Undone", "A reduction of the congestion window was needless, and was undone."},
    {NODE_TIMEOUT, "Timeout", "The retransmission timer expired: spurious or not."},
    {NODE_STALLED, "Stall", "Nothing could leave for a whole timeout although nothing was lost."},
    {NODE_PROBED, "WindowProbe", "A closed window was probed."},
    {NODE_ARRIVED, "PacketArrived", "A packet is at the adapter: key .. end, len; altered."},
    {NODE_DROPPED, "Drop",
     "The adapter dropped a packet, as if lost: why is staging, order, hold, crc or room."},
    {NODE_TAKEN, "SegmentTaken", "The lower layer hands up a segment: seg, in_order, late."},
    {NODE_HELD, "SegmentHeld", "Octets wait in NIC memory: key .. end."},
    {NODE_PLACED, "SegmentPlaced", "The payload of a segment is in memory: place, in_order."},
    {NODE_KEPT, "SegmentKept", "A segment waits for its turn or for a buffer: seg."},
    {NODE_DELIVERED, "MessageDelivered", "A message is complete, in order: message."},
    {NODE_EDGE, "Edge", "Everything below key is delivered."},
    {NODE_WINDOW, "Window", "An acknowledgement of everything below key leaves: edge of the window."},
    {NODE_COMPLETED, "Completion", "The ULP has taken a completion: done."},
    {NODE_FAULT, "Fault", "The stream ended here: term."},
    {NODE_CLOSED, "Closed", "The endpoint requested FIN or RST: term is an iw_llp_want."},
    {NODE_UP, "Connected", "The stream carries DDP."},
    {NODE_FAILED, "Failed", "The connection could not be set up: term."},
    {NODE_ENDPOINT, "Event", "Terminate, half closed, closed, fatal: event."},
    {NODE_BOUND, "Bound", "What holds the next octet of the stream back has changed: bound."},
};
static_assert(sizeof SOURCES / sizeof SOURCES[0] == NODE_EVENTS, "each kind of event has a trace source");

} // namespace

/// MakeTraceSourceAccessor() knows members, but not their elements.
class IwarpTraceAccessor : public TraceSourceAccessor
{
  public:
    explicit IwarpTraceAccessor(int kind) : m_kind(kind) {}

    bool ConnectWithoutContext(ObjectBase *object, const CallbackBase &callback) const override
    {
        return With(object, [&](auto &trace) { trace.ConnectWithoutContext(callback); });
    }

    bool Connect(ObjectBase *object, std::string context, const CallbackBase &callback) const override
    {
        return With(object, [&](auto &trace) { trace.Connect(callback, context); });
    }

    bool DisconnectWithoutContext(ObjectBase *object, const CallbackBase &callback) const override
    {
        return With(object, [&](auto &trace) { trace.DisconnectWithoutContext(callback); });
    }

    bool Disconnect(ObjectBase *object, std::string context, const CallbackBase &callback) const override
    {
        return With(object, [&](auto &trace) { trace.Disconnect(callback, context); });
    }

  private:
    template <typename Function> bool With(ObjectBase *object, Function function) const
    {
        IwarpRnic *rnic = dynamic_cast<IwarpRnic *>(object);
        if (rnic)
            function(rnic->m_trace[m_kind]);
        return rnic != nullptr;
    }

    int m_kind;
};

TypeId IwarpRnic::AddTraceSources(TypeId tid)
{
    for (const Source &source : SOURCES)
        tid.AddTraceSource(source.name, source.what, Create<IwarpTraceAccessor>(source.kind),
                           "ns3::IwarpRnic::EventTracedCallback");
    return tid;
}

} // namespace ns3
