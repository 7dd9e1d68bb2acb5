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
#define SOURCE(kind, traced, word, source, says, traits) {NODE_##kind, source, says},
    NODE_EVENT_TABLE(SOURCE)
#undef SOURCE
};

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
