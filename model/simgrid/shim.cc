/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simgrid/shim.h"

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <unordered_map>
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

// SimGrid's, and there is one SimGrid. No zone: a platform file has its own.
PathZone *zone;
std::vector<Host *> hosts;
std::vector<Link *> links;
std::unordered_map<const Link *, uint32_t> numbers;

uint32_t NumberOf(Link *link)
{
    auto found = numbers.emplace(link, links.size());
    if (found.second)
        links.push_back(link);
    return found.first->second;
}

// SimGrid reads nothing but files: this one is in no folder, and goes with the process.
class Unnamed
{
    int fd_;

  public:
    explicit Unnamed(const char *text) : fd_(memfd_create("platform", MFD_CLOEXEC))
    {
        for (size_t left = strlen(text); fd_ >= 0 && left;) {
            ssize_t n = write(fd_, text, left);
            if (n < 0)
                throw std::runtime_error(strerror(errno));
            text += n;
            left -= static_cast<size_t>(n);
        }
    }
    ~Unnamed()
    {
        close(fd_);
    }
    Unnamed(const Unnamed &) = delete;
    Unnamed &operator=(const Unnamed &) = delete;
    std::string Path() const
    {
        return "/proc/self/fd/" + std::to_string(fd_);
    }
};

// In place of a file that nobody knows SimGrid's sentences name the line alone.
std::string WithoutPath(std::string what, const std::string &path)
{
    size_t at = what.find(path + ":");
    return at == std::string::npos ? what : what.replace(at, path.size() + 1, "line ");
}

bool Refuse(char *why, size_t size, const char *text)
{
    snprintf(why, size, "%s", text);
    return false;
}

} // namespace

void grid_platform_build(const struct grid_platform *p)
{
    zone = new PathZone(p);
    zone->Fill(p);
    for (uint32_t i = 0; i < p->hosts; i++)
        hosts.push_back(Host::by_name("h" + std::to_string(i)));
}

bool grid_platform_load(const char *text, char *const *names, uint32_t count, char *why, size_t size)
{
    std::string path;
    try {
        Unnamed file(text);
        path = file.Path();
        Engine::get_instance()->load_platform(path);
        Engine::get_instance()
            ->seal_platform(); // Floyd counts its routes, and stars take what has no link, only now
        for (uint32_t i = 0; i < count; i++) {
            Host *host = Host::by_name_or_null(names[i]);
            if (!host)
                return Refuse(why, size, (std::string("it has no host ") + names[i]).c_str());
            hosts.push_back(host);
        }
    } catch (const std::exception &e) {
        return Refuse(why, size, WithoutPath(e.what(), path).c_str());
    }
    return true;
}

bool grid_platform_route(uint32_t from, uint32_t to, struct grid_route *route, char *why, size_t size)
{
    static std::vector<uint32_t> way;
    std::vector<Link *> taken;
    *route = {};
    try {
        hosts[from]->route_to(hosts[to], taken, &route->latency);
    } catch (const std::exception &e) {
        return Refuse(why, size, e.what());
    }
    if (taken.empty())
        return Refuse(
            why, size,
            ("there is no route from " + hosts[from]->get_name() + " to " + hosts[to]->get_name()).c_str());
    way.clear();
    for (Link *link : taken)
        way.push_back(NumberOf(link));
    route->link = way.data();
    route->links = static_cast<uint32_t>(way.size());
    return true;
}

uint32_t grid_platform_links(void)
{
    return static_cast<uint32_t>(links.size());
}

struct grid_platform_link grid_platform_link(uint32_t link)
{
    return {links[link]->get_bandwidth(), links[link]->get_sharing_policy() == Link::SharingPolicy::FATPIPE};
}

void grid_platform_seal(void)
{
    for (Link *link : links)
        link->set_latency(0);
}

sg_host_t grid_platform_host(uint32_t host)
{
    return hosts[host];
}

void grid_platform_path(uint32_t host, const uint32_t *path, uint32_t count, double weight)
{
    if (zone)
        zone->SetPath(host, path, count, weight);
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
