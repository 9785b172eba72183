/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* through.c - when a search has nothing left to gain: at the hop-bytes that no
 * mapping is below, and where mappers agree */
#include "config.h"

#include "map/portfolio/search.h"

#include "alloc/distances.h"
#include "graph/csr.h"
#include "map/mapper.h"
#include "map/portfolio/rounds.h"
#include "topo/shape.h"

#include <string.h>

enum {
    MOST_HOSTS = 1024, /* whose distances are looked at */
    AGREEING = 3,      /* mappers */
    AGREEING_TIME = 2, /* by time, where fewer are tried: one lays out grids */
};

int through_bound(struct search *search, struct mapcore_error *err)
{
    const struct mapcore_alloc *alloc = search->problem.alloc;
    const struct mapcore_graph *graph = search->problem.graph;
    const uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    const uint32_t most = mapcore_topo_diameter(mapcore_alloc_topo(alloc));
    struct arena arena = {.err = err};
    /* The most slots within a distance of a host, its own as well. */
    uint32_t *within = arena_alloc(&arena, (size_t)most + 1, sizeof(*within));
    uint32_t *count = arena_alloc(&arena, (size_t)most + 1, sizeof(*count));
    uint16_t *scratch = arena_alloc(&arena, nhosts, sizeof(*scratch));
    double sum = 0;

    if (nhosts > MOST_HOSTS || graph->ntasks >= MAP_LARGE)
        goto out;
    for (uint32_t h = 0; !arena.error && h < nhosts; h++) {
        const uint16_t *row = distances_row(alloc_distances(alloc), h, scratch);

        memset(count, 0, ((size_t)most + 1) * sizeof(*count));
        for (uint32_t g = 0; g < nhosts; g++)
            count[row[g] < most ? row[g] : most] +=
                mapcore_alloc_slots(alloc, g);
        for (uint32_t d = 0, n = 0; d <= most; d++) {
            n += count[d];
            within[d] = n > within[d] ? n : within[d];
        }
    }
    for (uint32_t t = 0; !arena.error && t < graph->ntasks; t++) {
        const size_t n = graph->row[t + 1] - graph->row[t];
        uint64_t *bytes =
            arena_copy(&arena, graph->bytes + graph->row[t], n, sizeof(*bytes));
        uint32_t d = 0;

        if (bytes)
            array_sort_u64(bytes, n);
        for (size_t i = 1; bytes && i <= n; i++) {
            while (i >= within[d])
                d++;
            sum += (double)bytes[n - i] * d;
        }
    }
    search->results.least_average = sum / graph->ntasks;
out:
    arena_clear(&arena);
    return arena.error;
}

/* Of 1,067 graphs of 8 to 64 tasks on trees and tori, of 13 kinds, one was 1.2%
 * worse by hop-bytes for ending where mappers agree and the first round gains
 * nothing, and of 400 by time none by 1%. On dragonflies mappers agree on what
 * is 4% worse, and by time below one switch on what is 14% worse. */
bool through_agree(struct search *search)
{
    const struct results *results = &search->results;
    const struct mapcore_metrics *best = &results->metrics[results->best];
    const bool by_time = results->rule.choice == MAPCORE_CHOOSE_TIME;
    const struct mapper *found[AGREEING];
    bool has_grid = !by_time;
    struct topo_shape shape;
    uint32_t n = 0, k;

    topo_shape(&shape, mapcore_alloc_topo(search->problem.alloc));
    if (search->options->work > 0 || !search->options->ends_early ||
        search->problem.graph->ntasks > REFINEMENT_SHORT_TASKS ||
        (shape.kind != TOPO_TREE && shape.kind != TOPO_TORUS) ||
        results->rule.choice == MAPCORE_CHOOSE_PARETO ||
        (by_time && (!search->tables || last_choice_goes_by_types(search) ||
                     shape.nswitches == 1)))
        return false;
    for (size_t i = 0; i < results->n; i++) {
        const struct mapcore_metrics *metrics = &results->metrics[i];
        const struct mapper *mapper =
            search->list[results->result[i].candidate].mapper;

        if (metrics->avg_hop_bytes < best->avg_hop_bytes)
            return false;
        if (mapper->is_layout || metrics->avg_hop_bytes > best->avg_hop_bytes ||
            (by_time && metrics->max_link_time > best->max_link_time))
            continue;
        has_grid |= mapper == &mapper_grid;
        for (k = 0; k < n && found[k] != mapper;)
            k++;
        if (k == n && n < AGREEING)
            found[n++] = mapper;
    }
    search->agreed_time = best->max_link_time;
    return has_grid && n >= (by_time ? AGREEING_TIME : AGREEING);
}
