/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gridfixture.h - Cartesian task graphs of all kinds for the tests of grids */
#ifndef TESTS_GRIDFIXTURE_H
#define TESTS_GRIDFIXTURE_H

#include "mapfixture.h"

#include "grid/grid.h"
#include "map/mapper.h"

/* What a program's grid may look like. */
struct grid_spec {
    uint32_t ndims, dims[6];
    bool periodic;
    bool box;          /* else star: one dimension at a time */
    uint64_t bytes[6]; /* by number of dimensions that an edge moves in, less
                          one */
    bool permuted;     /* tasks numbered at random */
    uint32_t missing;  /* of 1,000 edges */
    uint32_t extra;    /* random edges, of 1,000 of the others */
    uint32_t uneven;   /* by how many of 1,000 bytes vary, up and down */
    uint64_t hub;      /* bytes between task 0 and all others */
};

static inline uint32_t spec_tasks(const struct grid_spec *spec)
{
    uint32_t n = 1;

    for (uint32_t i = 0; i < spec->ndims; i++)
        n *= spec->dims[i];
    return n;
}

/* The neighbour of x by the ternary number step (0, 1, 2 for -1, 0, +1), or
 * MAPCORE_NONE. */
static inline uint32_t spec_neighbour(const struct grid_spec *spec,
                                      uint32_t x,
                                      uint32_t step,
                                      uint32_t *moved)
{
    uint32_t stride = 1, y = 0;

    *moved = 0;
    for (uint32_t i = 0; i < spec->ndims; i++) {
        uint32_t d = spec->dims[i], at = x % d + d + step % 3 - 1;

        *moved += step % 3 != 1;
        if ((at < d || at >= 2 * d) && !spec->periodic)
            return MAPCORE_NONE;
        y += at % d * stride;
        stride *= d;
        x /= d;
        step /= 3;
    }
    return y;
}

/* number[]: the task at each place, first dimension fastest. */
static inline uint32_t *spec_numbering(const struct grid_spec *spec,
                                       struct rng *rng)
{
    uint32_t n = spec_tasks(spec);
    uint32_t *number = calloc(n, sizeof(*number));

    assert_non_null(number);
    for (uint32_t i = 0; i < n; i++)
        number[i] = i;
    if (spec->permuted)
        shuffle(number, n, rng);
    return number;
}

static inline struct mapcore_graph *spec_graph(const struct grid_spec *spec,
                                               uint64_t seed)
{
    uint32_t n = spec_tasks(spec), steps = 1, *number;
    struct mapcore_edge *edges;
    struct mapcore_graph *graph;
    struct rng rng;
    size_t count = 0, kept;

    for (uint32_t i = 0; i < spec->ndims; i++)
        steps *= 3;
    edges = calloc((size_t)n * (steps * 2 + 1), sizeof(*edges));
    assert_non_null(edges);
    rng_init(&rng, seed, 2, 0);
    number = spec_numbering(spec, &rng);
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t step = 0; step < steps; step++) {
            uint32_t moved, y = spec_neighbour(spec, x, step, &moved);

            if (y == MAPCORE_NONE || y <= x || moved == 0 ||
                (moved > 1 && !spec->box) ||
                rng_below(&rng, 1000) < spec->missing)
                continue;
            edges[count++] = (struct mapcore_edge){number[x], number[y],
                                                   spec->bytes[moved - 1]};
        }
    kept = count;
    for (size_t i = 0; i < kept * spec->extra / 1000; i++)
        edges[count++] = (struct mapcore_edge){
            rng_below(&rng, n), rng_below(&rng, n), spec->bytes[0]};
    for (size_t i = 0; i < count && spec->uneven > 0; i++)
        edges[i].bytes =
            edges[i].bytes *
            (1000 - spec->uneven + rng_below(&rng, 2 * spec->uneven + 1)) /
            1000;
    for (uint32_t t = 1; t < n && spec->hub > 0; t++)
        edges[count++] = (struct mapcore_edge){0, t, spec->hub};
    graph = graph_of(n, edges, count);
    free(edges);
    free(number);
    return graph;
}

/* Columns of rows tasks, alltoall in each; along the rows a ring and a binomial
 * tree. */
static inline struct mapcore_graph *qbox_graph(uint32_t rows,
                                               uint32_t columns,
                                               bool permuted)
{
    const struct grid_spec spec = {
        .ndims = 2, .dims = {rows, columns}, .permuted = permuted};
    struct mapcore_edge *edges =
        calloc((size_t)rows * columns * (rows + 4), sizeof(*edges));
    struct mapcore_graph *graph;
    struct rng rng;
    uint32_t *number;
    size_t n = 0;

    assert_non_null(edges);
    rng_init(&rng, 1, 3, 0);
    number = spec_numbering(&spec, &rng);
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t r = 0; r < rows; r++) {
            uint32_t t = number[c * rows + r];

            for (uint32_t s = r + 1; s < rows; s++)
                edges[n++] =
                    (struct mapcore_edge){t, number[c * rows + s], 8192};
            edges[n++] = (struct mapcore_edge){
                t, number[(c + 1) % columns * rows + r], 262144};
            if (c > 0)
                edges[n++] = (struct mapcore_edge){
                    t, number[(c & (c - 1)) * rows + r], 65536};
        }
    graph = graph_of(rows * columns, edges, n);
    free(edges);
    free(number);
    return graph;
}

/* The mapper `grid` by hops (0) or links (1); its metrics. */
static inline struct mapcore_metrics lay(uint32_t *host,
                                         struct mapper_end *end,
                                         const struct mapcore_graph *graph,
                                         const struct machine *machine,
                                         uint8_t by,
                                         uint32_t pass)
{
    struct map_problem problem = {.graph = graph, .alloc = machine->alloc};
    const uint32_t value[MAPPER_PARAMETERS] = {by};
    const struct mapper_call call = {.value = value, .seed = 1, .pass = pass};
    struct mapcore_error err = {""};

    *end = (struct mapper_end){0};
    if (mapper_run(host, end, &mapper_grid, &problem, &call, &err) < 0)
        fail_msg("%s", err.text);
    assert_fits(machine->alloc, host, graph->ntasks);
    return metrics_of(graph, machine->alloc, host);
}

#endif
