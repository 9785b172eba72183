/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_time.c - the time of phases: what each port carries in each of them */
#include "config.h"

#include "metric/phase_time.h"

#include "base/array.h"
#include "metric/estimate_check.h"
#include "metric/message_use.h"
#include "topo/walk.h"

#include <stdlib.h>

/* Sums of half bytes. */
__extension__ typedef unsigned __int128 wide;

/* Ports are numbered: the directions of links, then of network interfaces, then
 * memories. Only those that a phase uses are looked at in it. */
struct port_use {
    const struct mapcore_alloc *alloc;
    const struct mapcore_host_rates *rates;
    uint32_t directions;
    size_t nic, memory, n; /* number of the first; of all */
    wide *halves;          /* [n], half bytes */
    size_t *used, nused;   /* [n] those that carry something */
    uint32_t *route;       /* [2 * diameter] */
};

static int open_use(struct port_use *use,
                    const struct mapcore_alloc *alloc,
                    const struct mapcore_host_rates *rates,
                    struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    const size_t nhosts = mapcore_alloc_nhosts(alloc);

    *use = (struct port_use){.alloc = alloc, .rates = rates};
    use->directions = mapcore_topo_link_directions(topo);
    use->nic = (size_t)mapcore_topo_nlinks(topo) * use->directions;
    use->memory = use->nic + 2 * nhosts;
    use->n = use->memory + nhosts;
    use->halves = array_alloc(use->n, sizeof(*use->halves), err);
    use->used = array_alloc(use->n, sizeof(*use->used), err);
    use->route =
        array_alloc(mapcore_topo_diameter(topo), 2 * sizeof(*use->route), err);
    return use->halves && use->used && use->route ? 0 : MAPCORE_ENOMEM;
}

static void close_use(struct port_use *use)
{
    free(use->halves);
    free(use->used);
    free(use->route);
}

static void carry(struct port_use *use, size_t port, wide halves)
{
    if (use->halves[port] == 0)
        use->used[use->nused++] = port;
    use->halves[port] += halves;
}

static void add_flow(struct port_use *use,
                     uint32_t from,
                     uint32_t to,
                     uint64_t bytes)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(use->alloc);
    const uint32_t a = mapcore_alloc_host(use->alloc, from);
    const uint32_t b = mapcore_alloc_host(use->alloc, to);
    const wide all = 2 * (wide)bytes;
    uint32_t n, whole, at = a;

    if (bytes == 0)
        return;
    if (from == to) {
        if (use->rates->memory > 0)
            carry(use, use->memory + from, all);
        return;
    }
    if (use->rates->nic > 0) {
        carry(use, use->nic + 2 * (size_t)from, all);
        carry(use, use->nic + 2 * (size_t)to + 1, all);
    }
    n = topo_split_route(topo, a, b, use->route, &whole);
    for (uint32_t i = 0; i < n; i++) {
        size_t port = use->route[i];

        if (use->directions == 2) {
            uint32_t end[2], goes_down;

            topo_link_ends(topo, use->route[i], end);
            goes_down = end[0] != at;
            at = end[!goes_down];
            port = 2 * port + goes_down;
        }
        carry(use, port, i < whole ? all : bytes);
    }
}

static double time_of(const struct port_use *use, size_t port)
{
    double bytes = (double)use->halves[port] / 2;

    if (port >= use->memory)
        return bytes / use->rates->memory;
    if (port >= use->nic)
        return bytes / use->rates->nic;
    return bytes /
           mapcore_topo_link_capacity(mapcore_alloc_topo(use->alloc),
                                      (uint32_t)(port / use->directions));
}

static struct mapcore_port name(const struct port_use *use, size_t port)
{
    if (port >= use->memory)
        return (struct mapcore_port){.kind = MAPCORE_PORT_MEMORY,
                                     .number = (uint32_t)(port - use->memory)};
    if (port >= use->nic)
        return (struct mapcore_port){.kind = MAPCORE_PORT_NIC,
                                     .number =
                                         (uint32_t)((port - use->nic) / 2)};
    return (struct mapcore_port){.kind = MAPCORE_PORT_LINK,
                                 .number = (uint32_t)(port / use->directions)};
}

/* The slowest port of a phase; of equals the lowest number. All carry nothing
 * afterwards. */
static struct mapcore_estimate end_bytes(struct port_use *use)
{
    struct mapcore_estimate out = {0};
    size_t slowest = use->n;

    for (size_t i = 0; i < use->nused; i++) {
        size_t port = use->used[i];
        double time = time_of(use, port);

        use->halves[port] = 0;
        if (time > out.time || (time == out.time && port < slowest)) {
            out.next_time = out.time;
            out.time = time;
            slowest = port;
        } else if (time > out.next_time)
            out.next_time = time;
    }
    use->nused = 0;
    if (slowest < use->n)
        out.port = name(use, slowest);
    return out;
}

/* Messages: NULL where they take nothing beside their bytes. */
static struct mapcore_estimate estimate_phase(struct port_use *use,
                                              struct message_use *messages,
                                              const uint32_t *host,
                                              const struct mapcore_phases *all,
                                              size_t phase)
{
    struct mapcore_estimate out;

    for (size_t k = all->first[phase]; k < all->first[phase + 1]; k++) {
        const struct mapcore_flow *flow = &all->flow[k];

        add_flow(use, host[flow->from], host[flow->to], flow->bytes);
        if (messages)
            message_use_add(messages, flow->from, flow->to, (double)flow->bytes,
                            flow->messages);
    }
    out = end_bytes(use);
    if (messages) {
        const struct mapcore_message_time time = message_use_end(messages);

        message_time_join(&out, &time);
    }
    return out;
}

int mapcore_estimate_phases(struct mapcore_estimate *out,
                            const struct mapcore_phases *phases,
                            const struct mapcore_alloc *alloc,
                            const uint32_t *host,
                            const struct mapcore_host_rates *rates,
                            struct mapcore_error *err)
{
    struct mapcore_estimate longest = {0}, sum = {0};
    struct message_use *messages = NULL;
    struct port_use use = {0};
    int error = estimate_check(alloc, phases->ntasks, host, rates->nic,
                               rates->memory, err);

    if (error == 0)
        error = open_use(&use, alloc, rates, err);
    if (error == 0)
        error = message_use_open(&messages, alloc, phases->ntasks, host, rates,
                                 err);
    for (size_t p = 0; error == 0 && p < phases->n; p++) {
        const struct mapcore_estimate phase =
            estimate_phase(&use, messages, host, phases, p);

        sum.time += phase.time;
        sum.latency += phase.latency;
        sum.messages += phase.messages;
        if (phase.time > longest.time)
            longest = phase;
    }
    message_use_close(messages);
    close_use(&use);
    if (error < 0)
        return error;
    sum.port = longest.port;
    sum.next_time = sum.time - longest.time + longest.next_time;
    *out = sum;
    return 0;
}
