/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* least_loaded.c - the second load model of ICS'17: shortest paths chosen one
 * after the other by what their links carry already */
#include "config.h"

#include "metric/least_loaded.h"

#include "base/array.h"
#include "graph/csr.h"
#include "metric/link_loads.h"
#include "topo/walk.h"

#include <stdlib.h>

/* How a vertex is best reached in the walk at hand. */
struct reach {
    uint64_t walk; /* number of the walk that reached it */
    double most, sum;
    uint32_t from, link;
};

struct least_loaded {
    const struct mapcore_topo *topo;
    uint64_t *load;      /* [nlinks], in the caller's unit */
    struct reach *reach; /* [nhosts + nswitches] */
    uint32_t *front[2];  /* [nhosts + nswitches] */
    uint32_t *link, *to; /* [topo_max_next_hops] */
    uint64_t walk;
};

static bool is_better(const struct reach *a, const struct reach *b)
{
    if (a->most < b->most)
        return true;
    return a->most <= b->most && a->sum < b->sum;
}

/* Goes one step on from all of front[0]; front[1] takes what is reached. */
static uint32_t spread(struct least_loaded *w,
                       uint32_t n,
                       uint32_t b,
                       uint32_t *end)
{
    uint32_t reached = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = w->front[0][i];
        uint32_t nhops = topo_next_hops(w->topo, at, b, w->link, w->to);

        if (nhops == 0)
            *end = at;
        for (uint32_t k = 0; k < nhops; k++) {
            struct reach *reach = &w->reach[w->to[k]];
            double time = (double)w->load[w->link[k]] /
                          mapcore_topo_link_capacity(w->topo, w->link[k]);
            double most = w->reach[at].most;
            struct reach next = {w->walk, time > most ? time : most,
                                 w->reach[at].sum + time, at, w->link[k]};

            if (reach->walk != w->walk)
                w->front[1][reached++] = w->to[k];
            if (reach->walk != w->walk || is_better(&next, reach))
                *reach = next;
        }
    }
    return reached;
}

uint32_t least_loaded_walk(struct least_loaded *w,
                           uint32_t a,
                           uint32_t b,
                           uint64_t amount,
                           uint32_t *links)
{
    uint32_t n = 1, end = a, length = 0;

    w->reach[a] = (struct reach){.walk = ++w->walk, .from = MAPCORE_NONE};
    w->front[0][0] = a;
    while (n > 0) {
        uint32_t *kept = w->front[0];

        n = spread(w, n, b, &end);
        w->front[0] = w->front[1];
        w->front[1] = kept;
    }
    for (uint32_t at = end; w->reach[at].from != MAPCORE_NONE;
         at = w->reach[at].from)
        length++;
    for (uint32_t i = length; i-- > 0; end = w->reach[end].from) {
        w->load[w->reach[end].link] += amount;
        if (links)
            links[i] = w->reach[end].link;
    }
    return length;
}

void least_loaded_close(struct least_loaded *w)
{
    if (!w)
        return;
    free(w->reach);
    free(w->front[0]);
    free(w->front[1]);
    free(w->link);
    free(w->to);
    free(w);
}

int least_loaded_open(struct least_loaded **out,
                      const struct mapcore_topo *topo,
                      uint64_t *load,
                      struct mapcore_error *err)
{
    size_t n = (size_t)mapcore_topo_nhosts(topo) + topo_nswitches(topo);
    struct least_loaded *w = array_alloc(1, sizeof(*w), err);

    if (!w)
        return MAPCORE_ENOMEM;
    w->topo = topo;
    w->load = load;
    w->reach = array_alloc(n, sizeof(*w->reach), err);
    w->front[0] = array_alloc(n, sizeof(*w->front[0]), err);
    w->front[1] = array_alloc(n, sizeof(*w->front[1]), err);
    w->link = array_alloc(topo_max_next_hops(topo), sizeof(*w->link), err);
    w->to = array_alloc(topo_max_next_hops(topo), sizeof(*w->to), err);
    if (!w->reach || !w->front[0] || !w->front[1] || !w->link || !w->to) {
        least_loaded_close(w);
        return MAPCORE_ENOMEM;
    }
    *out = w;
    return 0;
}

int least_loaded_add(uint64_t *load,
                     const struct mapcore_graph *graph,
                     const struct mapcore_alloc *alloc,
                     const uint32_t *host,
                     struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    /* Each way takes half of an edge. */
    const uint32_t units =
        LINK_LOADS_UNITS / 2 / mapcore_topo_link_directions(topo);
    struct least_loaded *w;
    int error = least_loaded_open(&w, topo, load, err);

    if (error < 0)
        return error;
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++) {
            uint32_t u = graph->task[i];

            if (u <= t || host[u] == host[t] || graph->bytes[i] == 0)
                continue;
            uint32_t a = mapcore_alloc_host(alloc, host[t]);
            uint32_t b = mapcore_alloc_host(alloc, host[u]);
            least_loaded_walk(w, a, b, units * graph->bytes[i], NULL);
            least_loaded_walk(w, b, a, units * graph->bytes[i], NULL);
        }
    }
    least_loaded_close(w);
    return 0;
}
