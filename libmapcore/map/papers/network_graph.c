/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network_graph.c - the network as a graph */
#include "config.h"

#include "map/papers/network_graph.h"

#include "base/array.h"
#include "map/problem.h"
#include "topo/shape.h"
#include "topo/walk.h"

#include <stdbool.h>
#include <stdlib.h>

#define CLOSE_TIES 64
#define NEAREST    8

/* Edges as they are found. */
struct network_draft {
    const struct mapcore_alloc *alloc;
    struct network_graph *out;
    uint32_t nvertices;
    struct mapcore_edge *edge;
    size_t nedges;
};

static void join(struct network_draft *draft,
                 uint32_t a,
                 uint32_t b,
                 uint64_t bytes)
{
    draft->edge[draft->nedges++] = (struct mapcore_edge){a, b, bytes};
}

/* Cables between switches or routers, each once, also where the links of both
 * its directions are two, or a ring of two has two. */
static void draw_cables(struct network_draft *draft,
                        const struct mapcore_topo *topo)
{
    uint32_t nhosts = mapcore_topo_nhosts(topo), last[2] = {0, 0}, end[2];
    bool is_two_links = mapcore_topo_link_directions(topo) == 1;

    for (uint32_t link = 0; link < mapcore_topo_nlinks(topo); link++) {
        if (!topo_link_ends(topo, link, end) || end[0] < nhosts ||
            (is_two_links &&
             (end[0] >= end[1] || (end[0] == last[0] && end[1] == last[1]))))
            continue;
        join(draft, end[0] - nhosts, end[1] - nhosts, 1);
        last[0] = end[0];
        last[1] = end[1];
    }
}

static void draw_network(struct network_draft *draft,
                         const struct mapcore_topo *topo)
{
    uint32_t *host = draft->out->host;

    draft->nvertices = topo_nswitches(topo);
    draw_cables(draft, topo);
    for (uint32_t h = 0; h < mapcore_alloc_nhosts(draft->alloc); h++) {
        uint32_t there = mapcore_alloc_host(draft->alloc, h);
        uint32_t at = topo_host_vertex(topo, there) - mapcore_topo_nhosts(topo);
        bool is_attached = topo_is_attached(topo, there);

        if (!is_attached || host[at] != MAPCORE_NONE) {
            join(draft, at, draft->nvertices, is_attached ? CLOSE_TIES : 1);
            at = draft->nvertices++;
        }
        host[at] = h;
    }
}

static void draw_others(struct network_draft *draft,
                        struct distances *rows,
                        uint16_t *scratch)
{
    uint32_t n = mapcore_alloc_nhosts(draft->alloc), near[NEAREST];

    draft->nvertices = n;
    for (uint32_t h = 0; h < n; h++) {
        uint32_t count = map_nearest(near, NEAREST,
                                     distances_row(rows, h, scratch), n, h, 0);

        draft->out->host[h] = h;
        for (uint32_t k = 0; k < count; k++)
            join(draft, h, near[k], 1);
    }
}

int network_graph_create(struct network_graph *out,
                         const struct mapcore_alloc *alloc,
                         struct arena *arena)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint32_t n = mapcore_alloc_nhosts(alloc), most = n + topo_nswitches(topo);
    struct network_draft draft = {.alloc = alloc, .out = out};
    uint16_t *scratch = arena_alloc(arena, n, sizeof(*scratch));
    struct topo_shape shape;

    out->host = arena_alloc(arena, most, sizeof(*out->host));
    draft.edge =
        arena_alloc(arena, mapcore_topo_nlinks(topo) + (size_t)NEAREST * n,
                    sizeof(*draft.edge));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t v = 0; v < most; v++)
        out->host[v] = MAPCORE_NONE;
    topo_shape(&shape, topo);
    if (shape.kind == TOPO_TORUS || shape.kind == TOPO_TREE)
        draw_network(&draft, topo);
    else
        draw_others(&draft, alloc_distances(alloc), scratch);
    return mapcore_graph_create(&out->graph, draft.nvertices, draft.edge,
                                draft.nedges, arena->err);
}
