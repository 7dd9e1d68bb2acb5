/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-scheduler.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <ctime>
#include <tuple>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpScheduler);

// ---- IwarpEvent -------------------------------------------------------------------------------------------

IwarpEvent::IwarpEvent(Kind kind, uint32_t node, Function function)
    : m_order(static_cast<uint64_t>(kind) << 32 | node), m_function(std::move(function))
{
}

void IwarpEvent::Schedule(Kind kind, uint32_t node, Time delay, Function function)
{
    Simulator::ScheduleWithContext(node, delay, new IwarpEvent(kind, node, std::move(function)));
}

void IwarpEvent::ScheduleAt(Kind kind, uint32_t node, uint32_t port, Time delay, Function function)
{
    IwarpEvent *event = new IwarpEvent(kind, node, std::move(function));
    event->m_port = port;
    Simulator::ScheduleWithContext(node, delay, event);
}

void IwarpEvent::ScheduleArrival(uint32_t node, uint32_t port, const IwarpPacketTag &packet, Time delay,
                                 Function function)
{
    IwarpEvent *event = new IwarpEvent(ARRIVAL, node, std::move(function));
    event->m_port = port;
    event->m_packet = packet;
    Simulator::ScheduleWithContext(node, delay, event);
}

uint64_t IwarpEvent::GetOrder() const
{
    return m_order;
}

bool IwarpEvent::IsBefore(const IwarpEvent &other) const
{
    const auto content = [](const IwarpEvent &e) {
        return std::make_tuple(e.m_port, e.m_packet.connection - PAUSE, e.m_packet.direction,
                               e.m_packet.number, e.m_packet.copy);
    };
    return content(*this) < content(other);
}

void IwarpEvent::Notify()
{
    m_function();
}

// ---- IwarpScheduler ---------------------------------------------------------------------------------------

namespace
{

double CpuSeconds()
{
    constexpr double NANO = 1e-9;
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + NANO * static_cast<double>(now.tv_nsec);
}

const IwarpEvent *Ours(const Scheduler::Event &event)
{
    return dynamic_cast<const IwarpEvent *>(event.impl);
}

uint64_t OrderOf(const Scheduler::Event &event)
{
    const IwarpEvent *ours = Ours(event);
    return ours ? ours->GetOrder() : static_cast<uint64_t>(IwarpEvent::DEPARTURE) << 32 | event.key.m_context;
}

} // namespace

IwarpScheduler::Key IwarpScheduler::g_current = {0, 0, 0};
IwarpScheduler::Key IwarpScheduler::g_end = IwarpScheduler::NEVER;
std::vector<IwarpScheduler::Entry> *IwarpScheduler::g_heap = nullptr;
bool IwarpScheduler::g_busy = false;
double IwarpScheduler::g_since = 0, IwarpScheduler::g_work = 0;

TypeId IwarpScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpScheduler>();
    return tid;
}

// A heap of the standard library has its greatest element first.
bool IwarpScheduler::IsLater(const Entry &a, const Entry &b)
{
    if (a.at != b.at)
        return a.at > b.at;
    if (a.order != b.order)
        return a.order > b.order;
    const IwarpEvent *x = Ours(a.event), *y = Ours(b.event);
    if (x && y && (x->IsBefore(*y) || y->IsBefore(*x)))
        return y->IsBefore(*x);
    return a.event.key.m_uid > b.event.key.m_uid;
}

void IwarpScheduler::Insert(const Event &event)
{
    g_heap = &m_heap;
    m_heap.push_back({event.key.m_ts, OrderOf(event), event});
    std::push_heap(m_heap.begin(), m_heap.end(), IsLater);
}

bool IwarpScheduler::IsEmpty() const
{
    if (g_end.at == NEVER.at)
        return m_heap.empty();
    const bool empty = m_heap.empty() || !(KeyOf(m_heap.front()) < g_end);
    if (empty)
        Pause();
    return empty;
}

Scheduler::Event IwarpScheduler::PeekNext() const
{
    return m_heap.front().event;
}

Scheduler::Event IwarpScheduler::RemoveNext()
{
    if (g_end.at != NEVER.at && !g_busy) {
        g_busy = true;
        g_since = CpuSeconds();
    }
    g_current = KeyOf(m_heap.front());
    std::pop_heap(m_heap.begin(), m_heap.end(), IsLater);
    const Event event = m_heap.back().event;
    m_heap.pop_back();
    return event;
}

void IwarpScheduler::Remove(const Event &event)
{
    const auto found = std::find_if(m_heap.begin(), m_heap.end(), [&event](const Entry &entry) {
        return entry.event.key.m_uid == event.key.m_uid;
    });
    if (found == m_heap.end())
        return;
    m_heap.erase(found);
    std::make_heap(m_heap.begin(), m_heap.end(), IsLater);
}

// ---- keys -------------------------------------------------------------------------------------------------

bool IwarpScheduler::Key::operator<(const Key &other) const
{
    return std::tie(at, order, kick) < std::tie(other.at, other.order, other.kick);
}

IwarpScheduler::Key IwarpScheduler::MakeKey(uint64_t at, IwarpEvent::Kind kind, uint32_t node)
{
    constexpr uint32_t NODES = 1 << 28;
    return {at, static_cast<uint32_t>(kind) * NODES + std::min(node, NODES - 1), 0};
}

// A kick has the place of what kicked, which came before it at the same instant.
IwarpScheduler::Key IwarpScheduler::KeyOf(const Entry &entry)
{
    const auto kind = static_cast<IwarpEvent::Kind>(entry.order >> 32);
    const auto node = static_cast<uint32_t>(entry.order);
    if (kind == IwarpEvent::KICK && g_current.at == entry.at)
        return {entry.at, g_current.order, node + 1};
    return MakeKey(entry.at, kind, node);
}

IwarpScheduler::Key IwarpScheduler::GetCurrent()
{
    return g_current;
}

void IwarpScheduler::SetCurrent(const Key &key)
{
    g_current = key;
}

void IwarpScheduler::SetEnd(const Key &end)
{
    g_end = end;
}

void IwarpScheduler::Pause()
{
    if (g_busy)
        g_work += CpuSeconds() - g_since;
    g_busy = false;
}

double IwarpScheduler::TakeWork()
{
    return std::exchange(g_work, 0);
}

IwarpScheduler::Key IwarpScheduler::GetNext()
{
    return g_heap && !g_heap->empty() ? KeyOf(g_heap->front()) : NEVER;
}

} // namespace ns3
