/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* workload.c - what each port carries in a phase, how long that takes, and the
 * sum over the types of a program */
#include "config.h"

#include "metric/workload.h"

#include "base/array.h"
#include "graph/csr.h"
#include "metric/estimate_check.h"
#include "metric/link_loads.h"
#include "metric/link_ports.h"
#include "topo/walk.h"

#include <math.h>

/* Sums of LINK_LOADS_UNITS a byte. */
__extension__ typedef unsigned __int128 wide;

/* Ports are numbered: those of links (link_ports.h), then of network
 * interfaces, then memories, then tasks. Only those that a phase uses are
 * looked at in it. */
struct port_use {
    const struct mapcore_alloc *alloc;
    const uint32_t *host;
    const struct mapcore_host_rates *rates;
    struct link_ports links;
    uint32_t interfaces; /* hosts in a row that are one node */
    bool has_links;
    bool has_nics; /* they have a rate, or messages take time in them */
    bool is_even;  /* as much goes as comes: one direction stands for both */
    struct port_load {
        wide load;
        double messages;
        bool is_used;
    } * port;            /* [links.task + ntasks] */
    size_t *used, nused; /* those of this phase */
    uint32_t *route;     /* [2 * diameter] */
    double latency;
    struct arena arena;
};

static int open_use(struct port_use *use,
                    const struct mapcore_work_type *type,
                    const struct mapcore_alloc *alloc,
                    const uint32_t *host,
                    const struct mapcore_host_rates *rates,
                    struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    const uint32_t ntasks =
        type->phases ? type->phases->ntasks : type->graph->ntasks;
    int error = 0;
    size_t n;

    if (!type->phases && type->messages && type->messages->ntasks != ntasks)
        error =
            error_set(err, MAPCORE_EINVAL, "messages of %u tasks, not of %u",
                      type->messages->ntasks, ntasks);
    if (error == 0)
        error = estimate_check(alloc, ntasks, host, rates, err);
    if (error < 0)
        return error;
    *use = (struct port_use){
        .alloc = alloc, .host = host, .rates = rates, .arena = {.err = err}};
    use->has_links = true;
    use->has_nics = rates->nic > 0 || rates->message.nic > 0;
    use->interfaces = topo_interfaces(topo);
    use->links = link_ports_of(topo, rates->routing);
    link_ports_behind(&use->links, mapcore_alloc_nhosts(alloc), true, true);
    n = use->links.task + ntasks;
    use->port = arena_alloc(&use->arena, n, sizeof(*use->port));
    use->used = arena_alloc(&use->arena, n, sizeof(*use->used));
    use->route = arena_alloc(&use->arena, mapcore_topo_diameter(topo),
                             2 * sizeof(*use->route));
    return use->arena.error;
}

static void carry(struct port_use *use, size_t number, wide load, double n)
{
    struct port_load *port = &use->port[number];

    if (!port->is_used)
        use->used[use->nused++] = number;
    port->is_used = true;
    port->load += load;
    port->messages += n;
}

/* One direction: what it puts on links. */
static void add_route(struct port_use *use,
                      uint32_t from,
                      uint32_t to,
                      wide load)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(use->alloc);
    const uint32_t a = mapcore_alloc_host(use->alloc, use->host[from]);
    const uint32_t b = mapcore_alloc_host(use->alloc, use->host[to]);
    uint32_t n, whole;

    if (a == b || load == 0)
        return;
    n = topo_split_route(topo, a, b, use->route, &whole);
    link_ports_take(&use->links, a, b, use->route, n);
    for (uint32_t i = 0; i < n; i++)
        carry(use, use->route[i],
              i < whole || use->rates->ties_are_whole ? load : load / 2, 0);
}

/* What it puts on the memory of its node, or on network interfaces; on tasks;
 * and its latency. */
static void add_ends(struct port_use *use,
                     uint32_t from,
                     uint32_t to,
                     wide load,
                     uint64_t messages)
{
    const struct mapcore_message_costs *costs = &use->rates->message;
    const uint32_t a = use->host[from], b = use->host[to];
    const bool is_inside = topo_is_one_node(use->interfaces, a, b);
    const double n = (double)messages;

    if (is_inside && load > 0 && use->rates->memory > 0)
        carry(use, use->links.memory + a - a % use->interfaces, load, 0);
    if (!is_inside && use->has_nics) {
        carry(use, use->links.nic + 2 * (size_t)a, load, n);
        if (!use->is_even)
            carry(use, use->links.nic + 2 * (size_t)b + 1, load, n);
    }
    if (messages == 0)
        return;
    if (costs->task > 0) {
        carry(use, use->links.task + from, 0, n);
        carry(use, use->links.task + to, 0, n);
    }
    use->latency =
        fmax(use->latency,
             n * (is_inside ? costs->memory_latency
                            : costs->nic_latency +
                                  costs->hop_latency * mapcore_alloc_distance(
                                                           use->alloc, a, b)));
}

static void add_flows(struct port_use *use,
                      const struct mapcore_phases *phases,
                      size_t phase)
{
    for (size_t k = phases->first[phase]; k < phases->first[phase + 1]; k++) {
        const struct mapcore_flow *flow = &phases->flow[k];
        const wide load = LINK_LOADS_UNITS * (wide)flow->bytes;

        if (use->has_links)
            add_route(use, flow->from, flow->to, load);
        add_ends(use, flow->from, flow->to, load, flow->messages);
    }
}

/* Each edge is there from both ends, of which each sends a half; the flows of
 * messages have no bytes of their own. */
static int add_graph(struct port_use *use, const struct mapcore_work_type *type)
{
    const struct mapcore_phases *messages = type->messages;
    const struct mapcore_graph *graph = type->graph;
    const struct mapcore_topo *topo = mapcore_alloc_topo(use->alloc);
    /* Of cables each route counts by itself. */
    const bool adds_up = use->has_links && use->links.cables == 1;
    const uint32_t nlinks = adds_up ? mapcore_topo_nlinks(topo) : 0;
    uint64_t *load = arena_alloc(&use->arena, nlinks, sizeof(*load));
    struct link_loads *routes =
        adds_up ? link_loads_open(&use->arena, topo, load,
                                  graph->row[graph->ntasks],
                                  use->rates->ties_are_whole)
                : NULL;

    if (use->arena.error < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            const uint32_t u = graph->task[k];

            add_ends(use, t, u, LINK_LOADS_UNITS / 2 * (wide)graph->bytes[k],
                     0);
            if (routes && use->host[t] != use->host[u])
                link_loads_add(routes,
                               mapcore_alloc_host(use->alloc, use->host[u]),
                               mapcore_alloc_host(use->alloc, use->host[t]),
                               graph->bytes[k]);
            else if (use->has_links && !adds_up)
                add_route(use, t, u,
                          LINK_LOADS_UNITS / 2 * (wide)graph->bytes[k]);
        }
    if (routes)
        link_loads_end(routes);
    for (uint32_t l = 0; l < nlinks; l++)
        if (load[l] > 0)
            carry(use, (size_t)l * use->links.directions, load[l], 0);
    for (size_t k = 0; messages && k < messages->first[messages->n]; k++)
        add_ends(use, messages->flow[k].from, messages->flow[k].to, 0,
                 messages->flow[k].messages);
    return 0;
}

static double message_time(const struct port_use *use, size_t number)
{
    const struct mapcore_message_costs *costs = &use->rates->message;

    return use->port[number].messages *
           (number >= use->links.task ? costs->task : costs->nic);
}

static double byte_time(const struct port_use *use, size_t number)
{
    const struct mapcore_host_rates *rates = use->rates;
    const double bytes = (double)use->port[number].load / LINK_LOADS_UNITS;

    if (number >= use->links.memory)
        return number >= use->links.task ? 0 : bytes / rates->memory;
    if (number >= use->links.nic)
        return rates->nic > 0 ? bytes / rates->nic : 0;
    return bytes / link_ports_capacity(&use->links, number);
}

/* Both directions of a link or of an interface, and all cables, are one. */
static bool is_one(const struct port_use *use, size_t a, size_t b)
{
    const struct mapcore_port x = link_ports_name(&use->links, a);
    const struct mapcore_port y = link_ports_name(&use->links, b);

    return x.kind == y.kind && x.number == y.number;
}

/* The slowest port of a phase; of equals the lowest number. All carry nothing
 * afterwards. *most: what messages take where they take most. */
static struct mapcore_estimate end_phase(struct port_use *use, double *most)
{
    struct mapcore_estimate out = {.latency = use->latency};
    size_t slowest = SIZE_MAX;

    *most = 0;
    for (size_t i = 0; i < use->nused; i++) {
        const size_t number = use->used[i];
        const double messages = message_time(use, number);
        const double time = messages + byte_time(use, number);

        use->port[number] = (struct port_load){.messages = 0};
        *most = fmax(*most, messages);
        out.traffic += number < use->links.nic ? time : 0;
        if (time > out.time ||
            (time > 0 && time == out.time && number < slowest)) {
            if (slowest == SIZE_MAX || !is_one(use, number, slowest))
                out.next_time = out.time;
            out.time = time;
            out.messages = messages;
            slowest = number;
        } else if (time > out.next_time && !is_one(use, number, slowest))
            out.next_time = time;
    }
    use->nused = 0;
    use->latency = 0;
    if (slowest != SIZE_MAX)
        out.port = link_ports_name(&use->links, slowest);
    return out;
}

int mapcore_work_type_messages(struct mapcore_estimate *out,
                               const struct mapcore_work_type *type,
                               size_t phase,
                               const struct mapcore_alloc *alloc,
                               const uint32_t *host,
                               const struct mapcore_host_rates *rates,
                               struct mapcore_error *err)
{
    struct port_use use = {.nused = 0};
    double most = 0;
    int error = 0;

    *out = (struct mapcore_estimate){0};
    if (!type->phases && !type->messages)
        return 0;
    error = open_use(&use, type, alloc, host, rates, err);
    use.has_links = false;
    use.has_nics = rates->message.nic > 0;
    use.is_even = false;
    if (error == 0 && mapcore_message_costs_known(&rates->message)) {
        if (type->phases)
            add_flows(&use, type->phases, phase);
        else
            error = add_graph(&use, type);
        *out = end_phase(&use, &most);
        out->messages = most;
    }
    arena_clear(&use.arena);
    return error;
}

int mapcore_work_type_under(struct mapcore_work_type *out,
                            struct mapcore_phases **phases,
                            const struct mapcore_work_type *type,
                            const uint32_t *host,
                            struct mapcore_error *err)
{
    int error;

    *phases = NULL;
    *out = *type;
    if (!type->phases || !type->staging.make)
        return 0;
    error = type->staging.make(phases, type->staging.of, host, err);
    if (error < 0)
        return error;
    out->phases = *phases;
    out->staging = (struct mapcore_staging){0};
    return 0;
}

/* Phases follow each other; port and next_time are those of the longest. */
static struct mapcore_estimate estimate_phases(
    struct port_use *use,
    const struct mapcore_phases *phases)
{
    struct mapcore_estimate longest = {0}, sum = {0};
    double most;

    for (size_t p = 0; p < phases->n; p++) {
        struct mapcore_estimate phase;

        add_flows(use, phases, p);
        phase = end_phase(use, &most);
        phase.time += phase.latency;
        phase.next_time += phase.latency;
        sum.time += phase.time;
        sum.latency += phase.latency;
        sum.messages += phase.messages;
        sum.traffic += phase.traffic;
        if (phase.time > longest.time)
            longest = phase;
    }
    sum.port = longest.port;
    sum.next_time = sum.time - longest.time + longest.next_time;
    return sum;
}

int mapcore_work_type_estimate(struct mapcore_estimate *out,
                               const struct mapcore_work_type *type,
                               const struct mapcore_alloc *alloc,
                               const uint32_t *host,
                               const struct mapcore_host_rates *rates,
                               struct mapcore_error *err)
{
    struct mapcore_phases *phases = NULL;
    struct mapcore_work_type under;
    struct port_use use = {.nused = 0};
    double most;
    int error = open_use(&use, type, alloc, host, rates, err);

    if (error == 0)
        error = mapcore_work_type_under(&under, &phases, type, host, err);
    if (error == 0 && under.phases) {
        *out = estimate_phases(&use, under.phases);
    } else if (error == 0) {
        use.is_even = !under.messages || !(rates->message.nic > 0);
        if ((error = add_graph(&use, &under)) == 0) {
            *out = end_phase(&use, &most);
            if (use.links.cables == 1) /* one direction stands for both */
                out->traffic *= use.links.directions;
            out->time += out->latency;
            out->next_time += out->latency;
        }
    }
    mapcore_phases_destroy(phases);
    arena_clear(&use.arena);
    return error;
}

int mapcore_workload_cost(double *out,
                          const struct mapcore_workload *work,
                          const struct mapcore_alloc *alloc,
                          const uint32_t *host,
                          struct mapcore_error *err)
{
    double sum = 0;

    for (size_t i = 0; i < work->n; i++) {
        struct mapcore_estimate estimate;
        int error;

        if (!(work->type[i].scale > 0))
            continue;
        error = mapcore_work_type_estimate(&estimate, &work->type[i], alloc,
                                           host, &work->rates, err);
        if (error < 0)
            return error;
        sum += work->type[i].scale *
               (estimate.time + work->traffic * estimate.traffic);
    }
    *out = sum;
    return 0;
}
