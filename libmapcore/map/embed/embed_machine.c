/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed_machine.c - an allocation as a box of equal cells, if it is one */
#include "config.h"

#include "map/embed/embed_internal.h"

#include "base/array.h"
#include "base/bucket.h"
#include "topo/shape.h"

#include <math.h>
#include <string.h>

double embed_distance(const struct embed_machine *machine,
                      uint32_t axis,
                      uint32_t a,
                      uint32_t b)
{
    if (machine->is_prism)
        return machine->hops[axis][(size_t)a * machine->size[axis] + b];

    uint32_t x = machine->place[axis][a], y = machine->place[axis][b];
    uint32_t direct = x < y ? y - x : x - y;
    uint32_t round = machine->ring[axis] - direct;

    return direct < round ? direct : round;
}

double embed_share_up(const struct embed_machine *machine,
                      uint32_t axis,
                      uint32_t a,
                      uint32_t b)
{
    uint32_t x = machine->place[axis][a], y = machine->place[axis][b];
    uint32_t ring = machine->ring[axis];

    return topo_ring_is_tied(x, y, ring)             ? 0.5
           : x != y && topo_ring_goes_up(x, y, ring) ? 1
                                                     : 0;
}

/* The links between two positions carry what the least of those between their
 * coordinates does, in the positive direction; the last position's lead round
 * the end, and count only where nothing is left out there. */
int embed_set_links(struct embed_machine *machine,
                    uint32_t axis,
                    double capacity,
                    const double *along,
                    uint32_t dim_size,
                    struct arena *arena)
{
    uint32_t n = machine->size[axis];
    double *link;

    machine->carries[axis] = capacity;
    if (!along || n < 2)
        return 0;
    link = machine->link[axis] = arena_alloc(arena, n, sizeof(*link));
    if (!link)
        return MAPCORE_ENOMEM;
    machine->carries[axis] = INFINITY;
    for (uint32_t p = 0; p < n; p++) {
        uint32_t x = machine->place[axis][p];
        uint32_t end = machine->place[axis][(p + 1) % n];

        link[p] = along[x];
        /* Rounded means may fall together. */
        for (; x != end; x = (x + 1) % dim_size)
            link[p] = fmin(link[p], along[x]);
        if (p + 1 < n || machine->ring[axis] == n)
            machine->carries[axis] = fmin(machine->carries[axis], link[p]);
    }
    return 0;
}

double embed_widest(const struct embed_machine *machine, uint32_t axis)
{
    double most = machine->carries[axis];

    for (uint32_t p = 0; machine->link[axis] && p < machine->size[axis]; p++)
        most = fmax(most, machine->link[axis][p]);
    return most;
}

double embed_mean_cost(const struct embed_machine *machine, uint32_t axis)
{
    bool closes = machine->ring[axis] == machine->size[axis];
    uint32_t n = machine->size[axis] - !closes;
    double sum = 0;

    if (!machine->link[axis])
        return 1 / machine->carries[axis];
    for (uint32_t p = 0; p < n; p++)
        sum += 1 / machine->link[axis][p];
    return sum / n;
}

uint32_t embed_ring_start(const uint32_t *used, uint32_t size)
{
    uint32_t start = 0, gap = 0, longest = 0;

    /* Twice round, so that a stretch across the end is seen whole. */
    for (uint32_t k = 0; k < 2 * size; k++) {
        if (!used[k % size]) {
            gap++;
            continue;
        }
        if (gap > longest && gap < size) {
            longest = gap;
            start = k % size;
        }
        gap = 0;
    }
    return start;
}

/* The position of every coordinate that the hosts use, in order of the
 * coordinates, on a ring from behind the longest stretch of unused ones. */
static int number_positions(uint32_t *position,
                            struct embed_machine *machine,
                            const struct topo_shape *shape,
                            uint32_t dim,
                            const struct mapcore_alloc *alloc,
                            struct arena *arena)
{
    uint32_t size = shape->dims[dim], n = 0, start = 0;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), axis = machine->naxes;

    for (uint32_t h = 0; h < nhosts; h++)
        position[map_coordinate(alloc, shape, h, dim)] = 1;
    for (uint32_t k = 0; k < size; k++)
        n += position[k];
    if (n == 1 || axis == EMBED_AXES) {
        memset(position, 0, size * sizeof(*position));
        return n == 1 ? 0 : 1;
    }
    if (shape->ring[dim] == size)
        start = embed_ring_start(position, size);
    machine->place[axis] = arena_alloc(arena, n, sizeof(**machine->place));
    if (!machine->place[axis])
        return MAPCORE_ENOMEM;
    machine->size[axis] = n;
    machine->ring[axis] = shape->ring[dim];
    machine->naxes++;
    n = 0;
    for (uint32_t k = 0; k < size; k++) {
        uint32_t x = (start + k) % size;

        if (position[x]) {
            machine->place[axis][n] = x;
            position[x] = n++;
        }
    }
    return embed_set_links(machine, axis, shape->capacity[dim],
                           shape->along[dim], size, arena);
}

/* cell[nhosts]; 1 when there are too many axes. */
static int cells_of_torus(uint32_t *cell,
                          struct embed_machine *machine,
                          const struct topo_shape *shape,
                          const struct mapcore_alloc *alloc,
                          struct arena *arena)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint64_t stride = 1;

    for (uint32_t d = 0; d < shape->ndims; d++) {
        uint32_t *position =
            arena_alloc(arena, shape->dims[d], sizeof(*position));
        uint32_t before = machine->naxes;
        int error;

        if (!position)
            return MAPCORE_ENOMEM;
        error = number_positions(position, machine, shape, d, alloc, arena);
        for (uint32_t h = 0; h < nhosts && error == 0; h++)
            cell[h] +=
                (uint32_t)stride * position[map_coordinate(alloc, shape, h, d)];
        if (error != 0)
            return error;
        if (machine->naxes > before)
            stride *= machine->size[before];
        if (stride > nhosts)
            return 1;
    }
    machine->ncells = (uint32_t)stride;
    return 0;
}

/* What leads up from a switch, or where that is MAPCORE_NONE from a host. */
static double carried_from(const struct mapcore_alloc *alloc,
                           const struct topo_shape *shape,
                           uint32_t h,
                           uint32_t s)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint32_t host = mapcore_alloc_host(alloc, h);

    if (shape->up)
        return s == MAPCORE_NONE ? shape->down[host] : shape->up[s];
    return mapcore_topo_link_capacity(
        topo, s == MAPCORE_NONE ? host : mapcore_topo_nhosts(topo) + s - 1);
}

/* Numbers switches and hosts among their used brothers and sisters; child[0 ..
 * nswitches-1] counts the children of a switch. 1 when the used part is not
 * regular. */
static int cells_of_tree(uint32_t *cell,
                         uint32_t *child,
                         uint32_t *rank,
                         struct embed_machine *machine,
                         const struct topo_shape *shape,
                         const struct mapcore_alloc *alloc)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), stride = 1;
    uint32_t depth =
        shape->depth[shape->leaf[mapcore_alloc_host(alloc, 0)]] + 1;
    /* A single child passes on all that its brothers would share. */
    double carries = INFINITY;

    for (uint32_t h = 0; h < nhosts; h++) {
        uint32_t s = shape->leaf[mapcore_alloc_host(alloc, h)];

        if (shape->depth[s] + 1 != depth)
            return 1;
        cell[h] = child[s]++;
        for (; s != 0 && rank[s] == MAPCORE_NONE; s = shape->parent[s])
            rank[s] = child[shape->parent[s]]++;
    }
    for (uint32_t level = 0; level < depth; level++) {
        uint32_t size = 0;

        for (uint32_t h = 0; h < nhosts; h++) {
            uint32_t s = shape->leaf[mapcore_alloc_host(alloc, h)];
            uint32_t from = MAPCORE_NONE;

            for (uint32_t up = 0; up < level; up++) {
                from = s;
                s = shape->parent[s];
            }
            carries = fmin(carries, carried_from(alloc, shape, h, from));
            if (size == 0)
                size = child[s];
            if (child[s] != size)
                return 1;
            if (level + 1 < depth)
                cell[h] += stride * size * rank[s];
        }
        stride *= size;
        if (size == 1)
            continue;
        if (machine->naxes == EMBED_AXES)
            return 1;
        machine->size[machine->naxes] = size;
        machine->carries[machine->naxes] = carries;
        carries = INFINITY;
        machine->far[machine->naxes++] = 2 * (level + 1);
    }
    machine->ncells = stride;
    return 0;
}

static int find_cells(uint32_t *cell,
                      struct embed_machine *machine,
                      const struct mapcore_alloc *alloc,
                      struct arena *arena)
{
    struct topo_shape shape;
    uint32_t *child, *rank;

    topo_shape(&shape, mapcore_alloc_topo(alloc));
    if (shape.kind == TOPO_TORUS)
        return cells_of_torus(cell, machine, &shape, alloc, arena);
    if (shape.kind != TOPO_TREE && shape.kind != TOPO_LAYERS)
        return 1;
    machine->tree = true;
    child = arena_alloc(arena, shape.nswitches, sizeof(*child));
    rank = arena_alloc(arena, shape.nswitches, sizeof(*rank));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t s = 0; s < shape.nswitches; s++)
        rank[s] = MAPCORE_NONE;
    return cells_of_tree(cell, child, rank, machine, &shape, alloc);
}

/* Hosts by cell; 1 when a cell is empty. */
static int group_hosts(struct embed_machine *machine,
                       const uint32_t *cell,
                       const struct mapcore_alloc *alloc,
                       struct arena *arena)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), n = machine->ncells;

    machine->first = arena_alloc(arena, (size_t)n + 1, sizeof(*machine->first));
    machine->host = arena_alloc(arena, nhosts, sizeof(*machine->host));
    if (arena->error)
        return MAPCORE_ENOMEM;
    bucket_items(machine->first, machine->host, cell, nhosts, n);
    machine->capacity = UINT32_MAX;
    for (uint32_t c = 0; c < machine->ncells; c++) {
        uint32_t slots = 0;

        for (uint32_t k = machine->first[c]; k < machine->first[c + 1]; k++)
            slots += mapcore_alloc_slots(alloc, machine->host[k]);
        if (slots < machine->capacity)
            machine->capacity = slots;
    }
    return machine->capacity > 0 ? 0 : 1;
}

int embed_machine_open(struct embed_machine *out,
                       bool *fits,
                       const struct mapcore_alloc *alloc,
                       struct arena *arena)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint32_t *cell = arena_alloc(arena, nhosts, sizeof(*cell));
    int error;

    *out = (struct embed_machine){0};
    *fits = false;
    if (!cell)
        return MAPCORE_ENOMEM;
    error = nhosts > 0 ? find_cells(cell, out, alloc, arena) : 1;
    if (error == 0)
        error = group_hosts(out, cell, alloc, arena);
    *fits = error == 0;
    return error < 0 ? error : 0;
}
