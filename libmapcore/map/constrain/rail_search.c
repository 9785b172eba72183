/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rail_search.c - a search over the network interfaces of nodes, and back */
#include "config.h"

#include "map/constrain/rail_search.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/constrain/pins.h"
#include "topo/walk.h"

/* The tasks of a node take its slots in turn. */
static uint32_t *pin_by_rail(const struct units_request *request,
                             struct arena *arena)
{
    const uint32_t n = request->graph->ntasks, *pin = request->search->pin;
    uint32_t *by_rail = arena_alloc(arena, n, sizeof(*by_rail));
    uint32_t *taken = arena_alloc(arena, mapcore_alloc_nhosts(request->alloc),
                                  sizeof(*taken));

    for (uint32_t t = 0; arena->error == 0 && t < n; t++)
        by_rail[t] = pin[t] == MAPCORE_NONE
                         ? MAPCORE_NONE
                         : mapcore_alloc_rail_host(request->alloc, pin[t],
                                                   taken[pin[t]]++);
    return by_rail;
}

/* result is that of the interfaces, and becomes that of the nodes. */
static int collapse(struct mapcore_result *result,
                    const struct units_request *request,
                    struct arena *arena)
{
    const struct mapcore_alloc *by_rail = mapcore_alloc_by_rail(request->alloc);
    const uint32_t parts = topo_interfaces(mapcore_alloc_topo(by_rail));
    const uint32_t n = result->mapping->ntasks;
    uint32_t *host = arena_copy(arena, result->mapping->host, n, sizeof(*host));
    uint32_t *slot = arena_copy(arena, result->mapping->slot, n, sizeof(*slot));

    for (uint32_t t = 0; arena->error == 0 && t < n; t++) {
        while (host[t] % parts > 0)
            slot[t] += mapcore_alloc_slots(by_rail, --host[t]);
        host[t] /= parts;
    }
    return arena->error < 0
               ? arena->error
               : result_replace(result, request,
                                &(struct result_places){host, slot, NULL, NULL},
                                arena->err);
}

int rail_search(struct mapcore_result *out,
                const struct units_request *request,
                units_run *run,
                struct mapcore_error *err)
{
    const struct mapcore_search *search = request->search;
    struct units_request by_rail = *request;
    struct mapcore_search inner = *search;
    struct mapcore_workload work;
    struct mapcore_mapping *own = NULL;
    struct mapcore_result result = {0};
    struct arena arena = {.err = err};
    struct mapcore_places at = {0};
    int error = baseline_mapping(&own, request->alloc, request->graph->ntasks,
                                 search->baseline, err);

    if (error == 0)
        error = mapcore_places_open(&at, request->alloc, own, err);
    if (error == 0 && search->pin &&
        (error = pins_check(search->pin, request->alloc, own->ntasks, err)) ==
            0) {
        inner.pin = pin_by_rail(request, &arena);
        error = arena.error;
    }
    if (search->workload) {
        work = *search->workload;
        work.rates = mapcore_rates_by_rail(&work.rates, request->alloc);
        inner.workload = &work;
    }
    inner.node = NULL;
    inner.baseline = at.host;
    by_rail.search = &inner;
    by_rail.alloc = at.alloc;
    if (error == 0 && (error = run(&result, &by_rail, err)) == 0)
        error = collapse(&result, request, &arena);
    if (error == 0)
        *out = result;
    else
        mapcore_result_clear(&result);
    mapcore_places_close(&at);
    mapcore_mapping_destroy(own);
    arena_clear(&arena);
    return error;
}
