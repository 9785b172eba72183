/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* units.c - tasks that stay together: the problem of their units, and back */
#include "config.h"

#include "map/constrain/units.h"

#include "base/array.h"
#include "base/text.h"
#include "graph/csr.h"
#include "map/constrain/pins.h"

#include <string.h>

/* The problem of the units. */
struct units {
    struct mapcore_error *err; /* of the caller */
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    const struct mapcore_search *search;
    uint32_t *tasks_baseline; /* [ntasks], the search's or block */

    uint32_t n;
    uint32_t *unit;     /* [ntasks] */
    uint32_t *baseline; /* [n] host of each, or NULL: block */
    uint32_t *pin;      /* [n] */
    uint32_t *slots;    /* [nhosts] units that a host takes */
    struct mapcore_graph *quotient;
    struct mapcore_alloc *hosts;
    struct unit_work work; /* of the search's workload, if it has one */
    struct arena arena;
};

static void units_clear(struct units *units)
{
    mapcore_graph_destroy(units->quotient);
    mapcore_alloc_destroy(units->hosts);
    unit_work_clear(&units->work);
    arena_clear(&units->arena);
}

int baseline_mapping(struct mapcore_mapping **out,
                     const struct mapcore_alloc *alloc,
                     uint32_t ntasks,
                     const uint32_t *baseline,
                     struct mapcore_error *err)
{
    return baseline
               ? mapcore_mapping_create(out, alloc, ntasks, baseline, NULL, err)
               : mapcore_mapping_block(out, alloc, ntasks, err);
}

static int take_baseline(struct units *units)
{
    struct arena *arena = &units->arena;
    uint32_t ntasks = units->graph->ntasks;
    uint32_t nhosts = mapcore_alloc_nhosts(units->alloc);
    struct mapcore_mapping *mapping = NULL;
    int error = baseline_mapping(&mapping, units->alloc, ntasks,
                                 units->search->baseline, arena->err);

    if (error < 0)
        return error;
    units->tasks_baseline =
        arena_copy(arena, mapping->host, ntasks, sizeof(*mapping->host));
    mapcore_mapping_destroy(mapping);
    units->unit = arena_alloc(arena, ntasks, sizeof(*units->unit));
    units->baseline = arena_alloc(arena, ntasks, sizeof(*units->baseline));
    units->pin = arena_alloc(arena, ntasks, sizeof(*units->pin));
    units->slots = arena_alloc(arena, nhosts, sizeof(*units->slots));
    for (uint32_t u = 0; !arena->error && u < ntasks; u++)
        units->pin[u] = MAPCORE_NONE;
    return arena->error;
}

/* The host that a unit is pinned to, by whichever of its tasks. */
static int take_pins(struct units *units)
{
    const uint32_t *pin = units->search->pin;

    for (uint32_t t = 0; pin && t < units->graph->ntasks; t++) {
        uint32_t *to = &units->pin[units->unit[t]];

        if (pin[t] == MAPCORE_NONE)
            continue;
        if (*to != MAPCORE_NONE && *to != pin[t])
            return error_set(units->err, MAPCORE_EINVAL,
                             "task %u is pinned to node %u, and another one of "
                             "its unit to node %u",
                             t, pin[t], *to);
        *to = pin[t];
    }
    return 0;
}

/* Blocks of consecutive tasks. */
static int make_blocks(struct units *units)
{
    uint32_t size = units->search->unit, ntasks = units->graph->ntasks;
    bool together = true;

    if (ntasks % size != 0)
        return error_set(units->err, MAPCORE_EINVAL,
                         "%u tasks are no blocks of %u", ntasks, size);
    for (uint32_t h = 0; h < mapcore_alloc_nhosts(units->alloc); h++) {
        uint32_t slots = mapcore_alloc_slots(units->alloc, h);

        if (slots % size != 0)
            return error_set(units->err, MAPCORE_EINVAL,
                             "node %u has %u slot%s, no multiple of the %u "
                             "tasks of a block",
                             h, slots, text_plural(slots), size);
        units->slots[h] = slots / size;
    }
    units->n = ntasks / size;
    for (uint32_t t = 0; t < ntasks; t++) {
        uint32_t host = units->tasks_baseline[t];

        units->unit[t] = t / size;
        if (t % size == 0)
            units->baseline[t / size] = host;
        together = together && units->baseline[t / size] == host;
    }
    if (!together)
        units->baseline = NULL;
    return take_pins(units);
}

/* The number of slots that most hosts have which have a unit. */
static int most_common(uint32_t *out, struct units *units)
{
    uint64_t *slots = arena_alloc(&units->arena, units->n, sizeof(*slots));

    for (uint32_t u = 0; slots && u < units->n; u++)
        slots[u] = mapcore_alloc_slots(units->alloc, units->baseline[u]);
    if (slots)
        *out = (uint32_t)map_most_common(slots, units->n);
    return units->arena.error;
}

/* A unit that is pinned elsewhere changes homes with who is there: so the
 * others know where to stay. */
static int move_pinned(struct units *units, uint32_t *home, uint32_t *owner)
{
    for (uint32_t u = 0; u < units->n; u++) {
        uint32_t to = units->pin[u], from = home[u], other;

        if (to == MAPCORE_NONE || to == from)
            continue;
        if (mapcore_alloc_slots(units->alloc, to) !=
            mapcore_alloc_slots(units->alloc, from))
            return error_set(units->err, MAPCORE_EINVAL,
                             "the tasks of node %u are pinned to node %u, "
                             "which has %u slot%s, not %u",
                             units->baseline[u], to,
                             mapcore_alloc_slots(units->alloc, to),
                             text_plural(mapcore_alloc_slots(units->alloc, to)),
                             mapcore_alloc_slots(units->alloc, from));
        other = owner[to];
        if (other != MAPCORE_NONE)
            home[other] = from;
        owner[from] = other;
        owner[to] = u;
        home[u] = to;
    }
    return 0;
}

/* What the baseline puts on a host. */
static int make_hosts(struct units *units)
{
    uint32_t nhosts = mapcore_alloc_nhosts(units->alloc), width = 0;
    uint32_t *owner = arena_alloc(&units->arena, nhosts, sizeof(*owner));
    uint32_t *home =
        arena_alloc(&units->arena, units->graph->ntasks, sizeof(*home));
    int error;

    if (units->arena.error)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < nhosts; h++)
        owner[h] = MAPCORE_NONE;
    for (uint32_t t = 0; t < units->graph->ntasks; t++) {
        uint32_t h = units->tasks_baseline[t];

        if (owner[h] == MAPCORE_NONE) {
            home[units->n] = units->baseline[units->n] = h;
            owner[h] = units->n++;
        }
        units->unit[t] = owner[h];
    }
    if ((error = take_pins(units)) < 0 ||
        (error = most_common(&width, units)) < 0 ||
        (error = move_pinned(units, home, owner)) < 0)
        return error;
    for (uint32_t h = 0; h < nhosts; h++)
        units->slots[h] = owner[h] != MAPCORE_NONE ||
                          mapcore_alloc_slots(units->alloc, h) == width;
    for (uint32_t u = 0; u < units->n; u++)
        if (mapcore_alloc_slots(units->alloc, home[u]) != width)
            units->pin[u] = home[u];
    return 0;
}

static int contract(struct units *units)
{
    const struct mapcore_graph *graph = units->graph;
    uint32_t nhosts = mapcore_alloc_nhosts(units->alloc);
    struct arena arena = {.err = units->err};
    uint32_t *host = arena_alloc(&arena, nhosts, sizeof(*host));
    struct mapcore_edge *edge =
        arena_alloc(&arena, graph->row[graph->ntasks] / 2, sizeof(*edge));
    size_t n = 0;
    int error = arena.error;

    if (error < 0)
        goto out;
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t a = units->unit[t], b = units->unit[graph->task[k]];

            if (graph->task[k] > t && a != b)
                edge[n++] = (struct mapcore_edge){a, b, graph->bytes[k]};
        }
    for (uint32_t h = 0; h < nhosts; h++)
        host[h] = mapcore_alloc_host(units->alloc, h);
    error =
        mapcore_graph_create(&units->quotient, units->n, edge, n, units->err);
    if (error == 0)
        error = mapcore_alloc_create(&units->hosts,
                                     mapcore_alloc_topo(units->alloc), nhosts,
                                     host, units->slots, units->err);
out:
    arena_clear(&arena);
    return error;
}

static int make_units(struct units *units)
{
    int error;

    if ((error = pins_check(units->search->pin, units->alloc,
                            units->graph->ntasks, units->err)) < 0 ||
        (error = take_baseline(units)) < 0 ||
        (error = (units->search->unit == MAPCORE_UNIT_HOST
                      ? make_hosts
                      : make_blocks)(units)) < 0 ||
        (error = contract(units)) < 0 || !units->search->workload)
        return error;
    return unit_work_create(&units->work, units->search->workload, units->unit,
                            units->n, units->err);
}

/* What is known counts no rails. */
static int measure(struct mapcore_metrics *out,
                   const struct mapcore_metrics *known,
                   const struct mapcore_graph *graph,
                   const struct mapcore_alloc *alloc,
                   const struct mapcore_mapping *mapping,
                   struct mapcore_error *err)
{
    struct mapcore_places at;
    int error = 0;

    if (known && mapcore_alloc_by_rail(alloc) == alloc) {
        *out = *known;
        return 0;
    }
    if ((error = mapcore_places_open(&at, alloc, mapping, err)) == 0)
        error = mapcore_metrics_compute(out, graph, at.alloc, at.host, err);
    mapcore_places_close(&at);
    return error;
}

int result_make(struct mapcore_result *out,
                const struct mapcore_graph *graph,
                const struct mapcore_alloc *alloc,
                const struct mapcore_search *search,
                const struct result_places *places,
                struct mapcore_error *err)
{
    const uint32_t ntasks = graph->ntasks;
    struct mapcore_result result = {0};
    struct mapcore_mapping *own = NULL;
    int error;

    if ((error = mapcore_mapping_create(&result.mapping, alloc, ntasks,
                                        places->host, places->slot, err)) < 0 ||
        (error = baseline_mapping(&own, alloc, ntasks, search->baseline, err)) <
            0 ||
        (error = measure(&result.metrics, places->metrics, graph, alloc,
                         result.mapping, err)) < 0 ||
        (error = measure(&result.baseline, places->baseline, graph, alloc, own,
                         err)) < 0)
        goto out;
    if (search->node)
        error = mapcore_inside_compute(&result.baseline_inside, graph, alloc,
                                       own, search->node, err);
    if (error == 0 && search->node)
        error = mapcore_inside_compute(&result.inside, graph, alloc,
                                       result.mapping, search->node, err);
    result.is_baseline = memcmp(own->host, result.mapping->host,
                                ntasks * sizeof(*own->host)) == 0 &&
                         (mapcore_alloc_by_rail(alloc) == alloc ||
                          memcmp(own->slot, result.mapping->slot,
                                 ntasks * sizeof(*own->slot)) == 0);
    if (error == 0) {
        *out = result;
        result.mapping = NULL;
    }
out:
    mapcore_mapping_destroy(own);
    mapcore_mapping_destroy(result.mapping);
    return error;
}

int result_replace(struct mapcore_result *result,
                   const struct units_request *request,
                   const struct result_places *places,
                   struct mapcore_error *err)
{
    struct mapcore_result made;
    int error = result_make(&made, request->graph, request->alloc,
                            request->search, places, err);

    if (error < 0)
        return error;
    mapcore_mapping_destroy(result->mapping);
    result->mapping = made.mapping;
    result->metrics = made.metrics;
    result->baseline = made.baseline;
    result->inside = made.inside;
    result->baseline_inside = made.baseline_inside;
    result->is_baseline = made.is_baseline;
    return 0;
}

/* result is that of the units, and becomes that of the tasks: a host's only
 * unit has its slots in order, a block those of its slot. */
static int expand(struct mapcore_result *result,
                  const struct units_request *request,
                  struct units *units)
{
    const struct mapcore_mapping *found = result->mapping;
    uint32_t ntasks = units->graph->ntasks, size = units->search->unit;
    uint32_t *host = arena_alloc(&units->arena, ntasks, sizeof(*host));
    uint32_t *slot = arena_alloc(&units->arena, ntasks, sizeof(*slot));
    int error = units->arena.error;

    for (uint32_t t = 0; error == 0 && t < ntasks; t++) {
        host[t] = found->host[units->unit[t]];
        slot[t] = found->slot[units->unit[t]] * size + t % size;
    }
    return error < 0 ? error
                     : result_replace(
                           result, request,
                           &(struct result_places){
                               host, size == MAPCORE_UNIT_HOST ? NULL : slot,
                               NULL, NULL},
                           units->err);
}

int units_search(struct mapcore_result *out,
                 const struct units_request *request,
                 units_run *run,
                 struct mapcore_error *err)
{
    const struct mapcore_search *search = request->search;
    struct units units = {.err = err,
                          .graph = request->graph,
                          .alloc = request->alloc,
                          .search = search,
                          .arena = {.err = err}};
    struct units_request of_units = *request;
    struct mapcore_search inner = *search;
    struct mapcore_result result = {0};
    int error;

    if (search->unit < 2)
        return run(out, request, err);
    error = make_units(&units);
    inner.unit = 0;
    inner.node = NULL;
    inner.workload = search->workload ? &units.work.work : NULL;
    inner.baseline = units.baseline;
    inner.pin = units.pin;
    of_units.search = &inner;
    of_units.graph = units.quotient;
    of_units.alloc = units.hosts;
    if (error == 0)
        error = run(&result, &of_units, err);
    if (error == 0)
        error = expand(&result, request, &units);
    if (error == 0)
        *out = result;
    else
        mapcore_result_clear(&result);
    units_clear(&units);
    return error;
}
