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
        .AddAttribute("IdealTimeout", "llp.kind ideal: time until a packet is retransmitted.",
                      TimeValue(MilliSeconds(1)), MakeTimeAccessor(&IwarpRnic::m_idealTimeout),
                      MakeTimeChecker(MicroSeconds(1)))
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
