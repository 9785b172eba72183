/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network_graph.c - the network as a graph */
#include "config.h"

#include "map/papers/network_graph.h"

#include "base/array.h"
#include "topo/shape.h"

#include <stdbool.h>
#include <stdlib.h>

#define CLOSE_TIES 64
#define NEAREST    8

/* Edges and vertices as they are found. */
struct network_draft {
    const struct mapcore_alloc *alloc;
    uint32_t nvertices;
    uint32_t *vertex; /* [nhosts] */
    struct mapcore_edge *edge;
    size_t nedges, capacity;
    struct mapcore_error *err;
};

static int join(struct network_draft *draft,
                uint32_t a,
                uint32_t b,
                uint64_t bytes)
{
    int error = array_reserve(&draft->edge, &draft->capacity, draft->nedges + 1,
                              sizeof(*draft->edge), draft->err);

    if (error == 0)
        draft->edge[draft->nedges++] = (struct mapcore_edge){a, b, bytes};
    return error;
}

/* Links in positive direction from every router; those around a ring of two
 * are the same cables as those between, once more. */
static int draw_links(struct network_draft *draft,
                      const struct topo_shape *shape)
{
    for (uint32_t r = 0; r < draft->nvertices; r++)
        for (uint32_t i = 0; i < shape->ndims; i++) {
            uint32_t x = r / shape->stride[i] % shape->dims[i];
            uint32_t next = r + shape->stride[i];
            int error;

            if (x + 1 == shape->dims[i]) {
                if (x < 2 || shape->ring[i] != shape->dims[i])
                    continue;
                next = r - x * shape->stride[i];
            }
            if ((error = join(draft, r, next, 1)) < 0)
                return error;
        }
    return 0;
}

static int draw_torus(struct network_draft *draft,
                      const struct topo_shape *shape)
{
    uint32_t n = mapcore_alloc_nhosts(draft->alloc), last = shape->ndims - 1;
    uint32_t nrouters = shape->stride[last] * shape->dims[last];
    bool *taken = array_alloc(nrouters, sizeof(*taken), draft->err);
    int error = MAPCORE_ENOMEM;

    if (!taken)
        return error;
    draft->nvertices = nrouters;
    error = draw_links(draft, shape);
    for (uint32_t h = 0; h < n && error == 0; h++) {
        const uint32_t *x =
            shape->coordinates +
            (size_t)mapcore_alloc_host(draft->alloc, h) * shape->ndims;
        uint32_t router = 0;

        for (uint32_t i = 0; i < shape->ndims; i++)
            router += x[i] * shape->stride[i];
        draft->vertex[h] = router;
        if (taken[router]) {
            draft->vertex[h] = draft->nvertices++;
            error = join(draft, router, draft->vertex[h], CLOSE_TIES);
        }
        taken[router] = true;
    }
    free(taken);
    return error;
}

static int draw_tree(struct network_draft *draft,
                     const struct topo_shape *shape)
{
    uint32_t n = mapcore_alloc_nhosts(draft->alloc);
    int error = 0;

    draft->nvertices = shape->nswitches;
    for (uint32_t s = 1; s < shape->nswitches && error == 0; s++)
        error = join(draft, s, shape->parent[s], 1);
    for (uint32_t h = 0; h < n && error == 0; h++) {
        draft->vertex[h] = draft->nvertices++;
        error = join(draft, draft->vertex[h],
                     shape->leaf[mapcore_alloc_host(draft->alloc, h)], 1);
    }
    return error;
}

/* The nearest hosts but itself, by (distance, index), into near[]; returns how
 * many. */
static uint32_t nearest(uint32_t *near,
                        const uint16_t *row,
                        uint32_t n,
                        uint32_t self)
{
    uint32_t count = 0;

    for (uint32_t h = 0; h < n; h++) {
        uint32_t k;

        if (h == self || (count == NEAREST && row[h] >= row[near[NEAREST - 1]]))
            continue;
        k = count < NEAREST ? count++ : NEAREST - 1;
        for (; k > 0 && row[near[k - 1]] > row[h]; k--)
            near[k] = near[k - 1];
        near[k] = h;
    }
    return count;
}

static int draw_others(struct network_draft *draft, struct distances *rows)
{
    uint32_t n = mapcore_alloc_nhosts(draft->alloc), near[NEAREST];
    uint16_t *scratch = array_alloc(n, sizeof(*scratch), draft->err);
    int error = scratch ? 0 : MAPCORE_ENOMEM;

    draft->nvertices = n;
    for (uint32_t h = 0; h < n && error == 0; h++) {
        uint32_t count = nearest(near, distances_row(rows, h, scratch), n, h);

        draft->vertex[h] = h;
        for (uint32_t k = 0; k < count && error == 0; k++)
            error = join(draft, h, near[k], 1);
    }
    free(scratch);
    return error;
}

int network_graph_create(struct network_graph *out,
                         const struct mapcore_alloc *alloc,
                         struct distances *near,
                         struct mapcore_error *err)
{
    struct network_draft draft = {.alloc = alloc, .err = err};
    struct topo_shape shape;
    int error = MAPCORE_ENOMEM;

    topo_shape(&shape, mapcore_alloc_topo(alloc));
    draft.vertex =
        array_alloc(mapcore_alloc_nhosts(alloc), sizeof(*draft.vertex), err);
    if (!draft.vertex)
        goto out;
    if (shape.kind == TOPO_TORUS)
        error = draw_torus(&draft, &shape);
    else if (shape.kind == TOPO_TREE)
        error = draw_tree(&draft, &shape);
    else
        error = draw_others(&draft, near);
    if (error == 0)
        error = mapcore_graph_create(&out->graph, draft.nvertices, draft.edge,
                                     draft.nedges, err);
    if (error < 0)
        goto out;
    out->vertex = draft.vertex;
    draft.vertex = NULL;
out:
    free(draft.vertex);
    free(draft.edge);
    return error;
}

void network_graph_clear(struct network_graph *network)
{
    mapcore_graph_destroy(network->graph);
    free(network->vertex);
    *network = (struct network_graph){0};
}
