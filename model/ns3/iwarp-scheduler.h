/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-scheduler.h -- events of one instant in the order that fabric/fabric.h documents, whatever order made them. */
#ifndef IWARP_SCHEDULER_H
#define IWARP_SCHEDULER_H

#include "iwarp-packet.h"

#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/scheduler.h"

#include <functional>
#include <vector>

namespace ns3
{

/// An event that says what it is about, so that IwarpScheduler knows its place; any other scheduler takes it, too.
class IwarpEvent final : public EventImpl
{
  public:
    /// In this order at one instant. What is not an IwarpEvent counts as DEPARTURE of the node in whose context it runs.
    enum Kind {
        KICK,      //!< the rest of the event before: a host's port and deadline are asked again
        STOP,      //!< of the run, when that rest is done
        DEPARTURE, //!< a port is free again
        ARRIVAL,   //!< of a packet: node and port receive
        TIMER,     //!< of a node
        WORKLOAD,
        CHECK //!< nothing else happens at this instant
    };
    typedef std::function<void()> Function;

    /// Calls `function` after `delay`, in the context of `node`.
    static void Schedule(Kind kind, uint32_t node, Time delay, Function function);
    static void ScheduleArrival(uint32_t node, uint32_t port, const IwarpPacketTag &packet, Time delay,
                                Function function);
    /// Kind, then node.
    uint64_t GetOrder() const;
    /// At one instant, in one order: port, connection, direction, packet number, copy.
    bool IsBefore(const IwarpEvent &other) const;

  private:
    IwarpEvent(Kind kind, uint32_t node, Function function);
    void Notify() override;

    uint64_t m_order;
    uint32_t m_port{0};
    IwarpPacketTag m_packet;
    Function m_function;
};

/**
 * \brief Orders events by time, then by content (IwarpEvent), then as they were made.
 *
 * With it a network of IwarpTopology gives the same results as world `fabric`, packet for packet. A heap.
 */
class IwarpScheduler : public Scheduler
{
  public:
    static TypeId GetTypeId();

    void Insert(const Event &event) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event &event) override;

  private:
    struct Entry {
        uint64_t at, order;
        Event event;
    };
    static bool IsLater(const Entry &a, const Entry &b);
    std::vector<Entry> m_heap;
};

} // namespace ns3

#endif
