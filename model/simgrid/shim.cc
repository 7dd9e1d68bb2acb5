/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simgrid/shim.h"

#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <limits>
#include <string>
#include <vector>

using namespace simgrid::s4u;

namespace
{

constexpr double Endless = 1e18;

/* From SimGrid 4 on there is a root zone, and a platform is built in it. */
#if SIMGRID_VERSION >= 40000
NetZone *Root()
{
    return Engine::get_instance()->get_netzone_root();
}

NetZone *StarZone()
{
    return Root()->add_netzone_star("cluster");
}

using Leaf = Host *;

Leaf AsLeaf(Host *host)
{
    return host;
}
#else
NetZone *Root()
{
    return nullptr;
}

NetZone *StarZone()
{
    return create_star_zone("cluster");
}

using Leaf = std::pair<simgrid::kernel::routing::NetPoint *, simgrid::kernel::routing::NetPoint *>;

Leaf AsLeaf(Host *host)
{
    return {host->get_netpoint(), nullptr};
}
#endif

Host *MakeHost(NetZone *zone, uint64_t number)
{
    return zone->create_host("h" + std::to_string(number), 1e9);
}

Link *MakeLink(NetZone *zone, const char *kind, uint64_t number, double rate)
{
    return zone->create_link(kind + std::to_string(number), rate > 0 ? rate : Endless)->set_latency(0.0);
}

void Star(const grid_platform *p)
{
    NetZone *zone = StarZone();
    for (uint32_t i = 0; i < p->hosts; i++) {
        auto *point = MakeHost(zone, i)->get_netpoint();
        std::vector<LinkInRoute> up{LinkInRoute(MakeLink(zone, "u", i, p->up))};
        std::vector<LinkInRoute> down{LinkInRoute(MakeLink(zone, "d", i, p->down))};
        if (p->bus > 0) {
            Link *bus = MakeLink(zone, "b", i, p->bus);
            up.emplace_back(bus);
            down.emplace_back(bus);
        }
        zone->add_route(point, nullptr, nullptr, nullptr, up, false);
        zone->add_route(nullptr, point, nullptr, nullptr, down, false);
    }
    zone->seal();
}

/* A cluster's leaves: hosts in the order of their numbers, a link of their own to themselves, and their bus. SimGrid asks
 * for the buses of all hosts first, and then for those of its switches, which have none. */
ClusterCallbacks Leaves(const grid_platform *p)
{
    auto host = [](NetZone *zone, const std::vector<unsigned long> &, unsigned long id) {
        return AsLeaf(MakeHost(zone, id));
    };
    auto loopback = [](NetZone *zone, const std::vector<unsigned long> &, unsigned long id) {
        return MakeLink(zone, "l", id, 0);
    };
    double bus = p->bus;
    auto limiter = [bus, hosts = p->hosts, n = uint64_t{0}](NetZone *zone, const std::vector<unsigned long> &,
                                                            unsigned long) mutable {
        const bool of_a_host = n < hosts;
        return MakeLink(zone, "b", n++, of_a_host ? bus : 0);
    };
    return bus > 0 ? ClusterCallbacks(host, loopback, limiter) : ClusterCallbacks(host, loopback, {});
}

void FatTree(const grid_platform *p)
{
    unsigned half = p->k / 2;
    FatTreeParams params(3, {half, half, p->k}, {1, p->up_links, half}, {1, 1, 1});
    create_fatTree_zone("cluster", Root(), params, Leaves(p), p->fabric, 0.0,
                        Link::SharingPolicy::SPLITDUPLEX)
        ->seal();
}

void Dragonfly(const grid_platform *p)
{
    DragonflyParams params({p->groups, 1}, {p->chassis, 1}, {p->routers, 1}, p->nodes);
    create_dragonfly_zone("cluster", Root(), params, Leaves(p), p->fabric, 0.0,
                          Link::SharingPolicy::SPLITDUPLEX)
        ->seal();
}

} // namespace

void grid_platform_build(const struct grid_platform *p)
{
    static void (*const builders[])(const grid_platform *) = {Star, FatTree, Dragonfly};
    builders[p->kind](p);
}

void grid_comm_start(sg_comm_t comm, double rate)
{
    if (rate > 0)
        comm->set_rate(rate);
    comm->start();
}

size_t grid_comm_wait_any(sg_comm_t *comms, size_t count)
{
    std::vector<CommPtr> all;
    all.reserve(count);
    for (size_t i = 0; i < count; i++)
        all.emplace_back(comms[i]);
    ssize_t ended = Comm::wait_any(all);
    all.clear();
    sg_comm_unref(comms[ended]);
    return static_cast<size_t>(ended);
}

void grid_mailbox_receiver(sg_mailbox_t box, sg_actor_t actor)
{
    box->set_receiver(actor);
}
