/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simgrid/shim.h"

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <map>
#include <string>
#include <vector>

using namespace simgrid::s4u;

namespace
{

namespace routing = simgrid::kernel::routing;
using LinkImpl = simgrid::kernel::resource::StandardLinkImpl;

constexpr double Endless = 1e18;

Link *MakeLink(NetZone *zone, uint32_t number, double rate)
{
    return zone->create_link("l" + std::to_string(number), rate > 0 ? rate : Endless)->set_latency(0.0);
}

// Hosts, and the links of whatever flow starts next. What has no octets takes a link that holds nobody up.
class PathZone : public routing::NetZoneImpl
{
    struct Path {
        const uint32_t *links;
        uint32_t count;
        double weight;
    };
    std::vector<LinkImpl *> links_;
    std::vector<Path> next_; // by host
    LinkImpl *free_ = nullptr;

  public:
    explicit PathZone(const grid_platform *p) : NetZoneImpl("cluster"), next_(p->hosts)
    {
#if SIMGRID_VERSION >= 40000
        set_parent(Engine::get_instance()->get_netzone_root()->get_impl());
#endif
    }

    void Fill(const grid_platform *p)
    {
        NetZone *zone = get_iface();
        for (uint32_t i = 0; i < p->hosts; i++)
            zone->create_host("h" + std::to_string(i), 1e9);
        for (uint32_t i = 0; i < p->links; i++)
            links_.push_back(MakeLink(zone, i, p->rate[i])->get_impl());
        free_ = MakeLink(zone, p->links, 0)->get_impl();
        zone->seal();
    }

    void SetPath(uint32_t host, const uint32_t *links, uint32_t count, double weight)
    {
        next_[host] = {links, count, weight};
    }

    void get_local_route(const routing::NetPoint *from, const routing::NetPoint *, routing::Route *into,
                         double *latency) override
    {
        const Path &path = next_[from->id()];
        if (!path.count)
            into->link_list_.push_back(free_);
        *latency = path.weight > 1 ? path.weight : 0; // none: SimGrid takes a weight of 1, and one event less
        for (uint32_t i = 0; i < path.count; i++)
            into->link_list_.push_back(links_[path.links[i]]);
    }

    void get_graph(const s_xbt_graph_t *, std::map<std::string, xbt_node_t, std::less<>> *,
                   std::map<std::string, xbt_edge_t, std::less<>> *) override
    {
    }
};

PathZone *zone; // SimGrid's, and there is one SimGrid

} // namespace

void grid_platform_build(const struct grid_platform *p)
{
    zone = new PathZone(p);
    zone->Fill(p);
}

void grid_platform_path(uint32_t host, const uint32_t *links, uint32_t count, double weight)
{
    zone->SetPath(host, links, count, weight);
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
