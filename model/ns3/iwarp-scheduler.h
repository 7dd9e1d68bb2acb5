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
        DEPARTURE, //!< a port is free again: node and port send
        ARRIVAL,   //!< of a packet: node and port receive
        TIMER,     //!< of a node
        WORKLOAD,
        CHANGE, //!< of a link
        CHECK   //!< nothing else happens at this instant
    };
    typedef std::function<void()> Function;
    /// The connection of a pause frame, which arrives before any packet.
    static constexpr uint32_t PAUSE = UINT32_MAX;

    /// Calls `function` after `delay`, in the context of `node`.
    static void Schedule(Kind kind, uint32_t node, Time delay, Function function);
    /// Of a port of the node.
    static void ScheduleAt(Kind kind, uint32_t node, uint32_t port, Time delay, Function function);
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

    /// The place of an event among those of all processes of a simulation: time, kind and node, and behind it the hosts that it
    /// kicked, by node.
    struct Key {
        uint64_t at;
        uint32_t order, kick;
        bool operator<(const Key &other) const;
    };
    static constexpr Key NEVER = {UINT64_MAX, UINT32_MAX, UINT32_MAX};
    static Key MakeKey(uint64_t at, IwarpEvent::Kind kind, uint32_t node);
    /// Of the event under way, or the last one; what it kicks belongs to it. SetCurrent(): kicks that follow belong to `key`.
    static Key GetCurrent();
    static void SetCurrent(const Key &key);
    /// Events from `end` on are not there for the simulator.
    static void SetEnd(const Key &end);
    /// The first of all, behind the end or not; NEVER: there is none.
    static Key GetNext();
    /// Seconds of CPU that events took since the last call, of those that had an end to run to.
    static double TakeWork();

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
    static Key KeyOf(const Entry &entry);
    static Key g_current, g_end;
    static bool g_busy;
    static double g_since, g_work;
    static void Pause();
    static std::vector<Entry> *g_heap; //!< of the scheduler in use
    std::vector<Entry> m_heap;
};

} // namespace ns3

#endif
