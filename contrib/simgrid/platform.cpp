// SPDX-License-Identifier: LGPL-2.1-or-later
/* platform.cpp - one of libmapcore's networks as a platform of SimGrid: the
 * same links, capacities and routes, for smpirun -platform simgrid-platform.so
 */
#include <simgrid/s4u.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "topo/topo.h"

namespace sg4 = simgrid::s4u;

namespace
{

/* Shares of a link are weighted by one over a route's latency, so all routes
 * have this one, and it is a link's that nobody waits for. */
constexpr double latency_s = 1e-6;
constexpr double boundless = 1e18;
constexpr double speed = 1e9; // flop/s of a core, and smpi/host-speed

[[noreturn]] void fail(const std::string &why)
{
    std::fprintf(stderr, "simgrid-platform: %s\n", why.c_str());
    std::exit(1);
}

/* SIMGRID_NETWORK and the like: what the environment says, or what is assumed.
 */
std::string word(const char *name, const char *otherwise)
{
    const char *value = std::getenv(name);
    if (!value && !otherwise)
        fail(std::string(name) + " is not set");
    return value ? value : otherwise;
}

double rate(const char *name)
{
    const std::string text = word(name, "0");
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (*end || !std::isfinite(value) || value < 0)
        fail(std::string(name) + "=" + text +
             " is no rate in bytes per second");
    return value;
}

struct TopoDeleter {
    void operator()(mapcore_topo *topo) const
    {
        mapcore_topo_destroy(topo);
    }
};
using Topo = std::unique_ptr<mapcore_topo, TopoDeleter>;

Topo open_topo(const std::string &spec)
{
    mapcore_topo *topo = nullptr;
    mapcore_error err;
    if (mapcore_topo_open(&topo, spec.c_str(), &err) < 0)
        fail(err.text);
    return Topo(topo);
}

/* What a host has of its own; a rate of 0 is none, and bounds nothing. */
struct Port {
    sg4::Link *out, *in, *memory;
};

class Platform
{
  public:
    Platform() : topo_(open_topo(word("SIMGRID_NETWORK", nullptr)))
    {
        nic_ = rate("SIMGRID_NIC");
        memory_ = rate("SIMGRID_MEMORY");
        zone_ = sg4::create_full_zone("network");
        find_used();
        make_links();
        make_hosts();
        make_routes();
        zone_->seal();
    }

  private:
    sg4::Link *link(const std::string &name, double capacity)
    {
        return zone_->create_link(name, capacity)->set_latency(0)->seal();
    }

    /* A tree's link has one number for both of its directions. */
    void make_links()
    {
        const uint32_t ndirections = mapcore_topo_link_directions(topo_.get());
        const uint32_t n = mapcore_topo_nlinks(topo_.get());
        wire_ = zone_->create_link("wire", boundless)
                    ->set_latency(latency_s)
                    ->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE)
                    ->seal();
        for (uint32_t i = 0; i < n; i++) {
            const double capacity = mapcore_topo_link_capacity(topo_.get(), i);
            const std::string name = "link" + std::to_string(i);
            forth_.push_back(link(name, capacity));
            back_.push_back(ndirections == 2 ? link(name + "-down", capacity)
                                             : forth_.back());
        }
    }

    void make_hosts()
    {
        const uint32_t n = mapcore_topo_nhosts(topo_.get());
        for (uint32_t i = 0; i < n; i++) {
            const std::string name = std::to_string(i);
            hosts_.push_back(
                zone_->create_host(name, speed)->set_core_count(1024)->seal());
            ports_.push_back(
                {nic_ > 0 ? link("out" + name, nic_) : nullptr,
                 nic_ > 0 ? link("in" + name, nic_) : nullptr,
                 memory_ > 0 ? link("memory" + name, memory_) : nullptr});
        }
    }

    std::vector<sg4::LinkInRoute> route(uint32_t a,
                                        uint32_t b,
                                        std::vector<uint32_t> &links)
    {
        std::vector<sg4::LinkInRoute> out = {sg4::LinkInRoute(wire_)};
        if (a == b) {
            if (ports_[a].memory)
                out.emplace_back(ports_[a].memory);
            return out;
        }
        const uint32_t n = mapcore_topo_route(topo_.get(), a, b, links.data());
        if (ports_[a].out)
            out.emplace_back(ports_[a].out);
        for (uint32_t i = 0; i < n; i++)
            out.emplace_back(i < n / 2 ? forth_[links[i]] : back_[links[i]]);
        if (ports_[b].in)
            out.emplace_back(ports_[b].in);
        return out;
    }

    /* Those that have ranks: a network's other hosts need no routes. */
    void find_used()
    {
        const uint32_t n = mapcore_topo_nhosts(topo_.get());
        const std::string name = word("SIMGRID_HOSTS", nullptr);
        std::ifstream file(name);
        std::set<uint32_t> used;
        for (uint32_t host; file >> host;) {
            if (host >= n)
                fail(name + ": the network has no host " +
                     std::to_string(host));
            used.insert(host);
        }
        if (!file.eof() || used.empty())
            fail(name + ": no list of hosts by number");
        used_.assign(used.begin(), used.end());
    }

    void make_routes()
    {
        std::vector<uint32_t> links(mapcore_topo_diameter(topo_.get()) + 1);
        for (uint32_t a : used_)
            for (uint32_t b : used_)
                zone_->add_route(hosts_[a]->get_netpoint(),
                                 hosts_[b]->get_netpoint(), nullptr, nullptr,
                                 route(a, b, links), false);
    }

    Topo topo_;
    double nic_, memory_;
    sg4::NetZone *zone_;
    std::vector<uint32_t> used_;
    sg4::Link *wire_;
    std::vector<sg4::Link *> forth_, back_;
    std::vector<sg4::Host *> hosts_;
    std::vector<Port> ports_;
};

} // namespace

/* What SimGrid looks up in a platform that is a library. */
extern "C" void load_platform(const sg4::Engine &engine);
extern "C" void load_platform(const sg4::Engine &)
{
    Platform platform;
}
