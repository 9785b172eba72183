/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapfixture.h - small graphs and machines for the tests of the mappers */
#ifndef TESTS_MAPFIXTURE_H
#define TESTS_MAPFIXTURE_H

#include "unit.h"

#include "alloc/alloc.h"
#include "base/rng.h"
#include "graph/csr.h"
#include "graph/file/file.h"
#include "graph/graph.h"
#include "map/map.h"
#include "metric/metric.h"
#include "play/play.h"
#include "topo/hwnode.h"
#include "topo/topo.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>

/* A machine and the job's part of it. */
struct machine {
    struct mapcore_topo *topo;
    struct mapcore_alloc *alloc;
};

static inline bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(a, b);
}

static inline struct mapcore_graph *graph_of(uint32_t ntasks,
                                             const struct mapcore_edge *edges,
                                             size_t nedges)
{
    struct mapcore_error err = {""};
    struct mapcore_graph *graph = NULL;

    if (mapcore_graph_create(&graph, ntasks, edges, nedges, &err) < 0)
        fail_msg("%s", err.text);
    return graph;
}

/* ntasks x degree / 2 random edges of 1 .. 1000 bytes. */
static inline struct mapcore_graph *random_graph(uint32_t ntasks,
                                                 uint32_t degree,
                                                 uint64_t seed)
{
    size_t n = (size_t)ntasks * degree / 2;
    struct mapcore_edge *edges = calloc(n + 1, sizeof(*edges));
    struct mapcore_graph *graph;
    struct rng rng;

    assert_non_null(edges);
    rng_init(&rng, seed, 1, 0);
    for (size_t i = 0; i < n; i++) {
        edges[i].a = rng_below(&rng, ntasks);
        edges[i].b = rng_below(&rng, ntasks);
        edges[i].bytes = 1 + rng_below(&rng, 1000);
    }
    graph = graph_of(ntasks, edges, n);
    free(edges);
    return graph;
}

/* The graph as a METIS file, in a buffer of the caller. */
static inline const char *text_of(const struct mapcore_graph *graph,
                                  char *text,
                                  size_t size)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    assert_ok(mapcore_graph_write(graph, MAPCORE_GRAPH_METIS, file, NULL));
    rewind(file);
    size_t n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    fclose(file);
    return text;
}

static inline void assert_same_graph(const struct mapcore_graph *a,
                                     const struct mapcore_graph *b)
{
    assert_int_equal(a->ntasks, b->ntasks);
    assert_int_equal(a->total, b->total);
    assert_memory_equal(a->row, b->row, (a->ntasks + 1) * sizeof(*a->row));
    if (a->row[a->ntasks] == 0)
        return;
    assert_memory_equal(a->task, b->task, a->row[a->ntasks] * sizeof(*a->task));
    assert_memory_equal(a->bytes, b->bytes,
                        a->row[a->ntasks] * sizeof(*a->bytes));
}

static inline uint64_t edge_bytes(const struct mapcore_graph *graph,
                                  uint32_t a,
                                  uint32_t b)
{
    for (size_t e = graph->row[a]; e < graph->row[a + 1]; e++)
        if (graph->task[e] == b)
            return graph->bytes[e];
    return 0;
}

/* nx x ny x nz tasks, 100 bytes between neighbours. */
static inline struct mapcore_graph *box_graph(uint32_t nx,
                                              uint32_t ny,
                                              uint32_t nz)
{
    struct mapcore_edge *edges =
        calloc((size_t)3 * nx * ny * nz, sizeof(*edges));
    struct mapcore_graph *graph;
    uint32_t t = 0;
    size_t n = 0;

    assert_non_null(edges);
    for (uint32_t z = 0; z < nz; z++)
        for (uint32_t y = 0; y < ny; y++)
            for (uint32_t x = 0; x < nx; x++, t++) {
                if (x + 1 < nx)
                    edges[n++] = (struct mapcore_edge){t, t + 1, 100};
                if (y + 1 < ny)
                    edges[n++] = (struct mapcore_edge){t, t + nx, 100};
                if (z + 1 < nz)
                    edges[n++] = (struct mapcore_edge){t, t + nx * ny, 100};
            }
    graph = graph_of(t, edges, n);
    free(edges);
    return graph;
}

/* Tasks that all send to each other, size in a row after the other. */
static inline struct mapcore_graph *groups_graph(uint32_t ntasks, uint32_t size)
{
    struct mapcore_edge *edges = calloc((size_t)ntasks * size, sizeof(*edges));
    struct mapcore_graph *graph;
    size_t n = 0;

    assert_non_null(edges);
    for (uint32_t t = 0; t < ntasks; t++)
        for (uint32_t u = t + 1; u < ntasks && u / size == t / size; u++)
            edges[n++] = (struct mapcore_edge){t, u, 1000};
    graph = graph_of(ntasks, edges, n);
    free(edges);
    return graph;
}

static inline struct mapcore_graph *grid_graph(uint32_t nx, uint32_t ny)
{
    return box_graph(nx, ny, 1);
}

static inline void take_alloc(struct machine *machine,
                              uint32_t nhosts,
                              const uint32_t *host,
                              const uint32_t *slots)
{
    struct mapcore_error err = {""};

    if (mapcore_alloc_create(&machine->alloc, machine->topo, nhosts, host,
                             slots, &err) < 0)
        fail_msg("%s", err.text);
}

/* The whole of a topology as a person types it, slots on each host. */
static inline struct machine machine_of(const char *spec, uint32_t slots)
{
    struct mapcore_error err = {""};
    struct machine machine = {NULL, NULL};
    uint32_t n, *each;

    if (mapcore_topo_open(&machine.topo, spec, &err) < 0)
        fail_msg("%s", err.text);
    n = mapcore_topo_nhosts(machine.topo);
    each = calloc(n, sizeof(*each));
    assert_non_null(each);
    for (uint32_t i = 0; i < n; i++)
        each[i] = slots;
    take_alloc(&machine, n, NULL, each);
    free(each);
    return machine;
}

/* nhosts of a topology, with slots of each. */
static inline struct machine part_of(const char *spec,
                                     uint32_t nhosts,
                                     const uint32_t *host,
                                     const uint32_t *slots)
{
    struct mapcore_error err = {""};
    struct machine machine = {NULL, NULL};

    if (mapcore_topo_open(&machine.topo, spec, &err) < 0)
        fail_msg("%s", err.text);
    take_alloc(&machine, nhosts, host, slots);
    return machine;
}

static inline void machine_end(struct machine *machine)
{
    mapcore_alloc_destroy(machine->alloc);
    mapcore_topo_destroy(machine->topo);
}

static inline void machine_graph_end(struct machine *machine,
                                     struct mapcore_graph *graph)
{
    mapcore_graph_destroy(graph);
    machine_end(machine);
}

static inline struct mapcore_hwnode *node_of(const char *description)
{
    struct mapcore_error err = {""};
    struct mapcore_hwnode *node = NULL;

    if (mapcore_hwnode_create(&node, description, &err) < 0)
        fail_msg("%s", err.text);
    return node;
}

/* No host gets more tasks than it has slots. */
static inline void assert_fits(const struct mapcore_alloc *alloc,
                               const uint32_t *host,
                               uint32_t ntasks)
{
    uint32_t n = mapcore_alloc_nhosts(alloc);
    uint32_t *count = calloc(n, sizeof(*count));

    assert_non_null(count);
    for (uint32_t t = 0; t < ntasks; t++) {
        assert_true(host[t] < n);
        count[host[t]]++;
    }
    for (uint32_t i = 0; i < n; i++)
        assert_true(count[i] <= mapcore_alloc_slots(alloc, i));
    free(count);
}

static inline struct mapcore_metrics metrics_of(
    const struct mapcore_graph *graph,
    const struct mapcore_alloc *alloc,
    const uint32_t *host)
{
    struct mapcore_metrics metrics;

    assert_ok(mapcore_metrics_compute(&metrics, graph, alloc, host, NULL));
    return metrics;
}

/* Hop-bytes of a task to those of lower numbers. */
static inline uint64_t hop_bytes_below(const struct mapcore_graph *graph,
                                       const struct mapcore_alloc *alloc,
                                       const uint32_t *host,
                                       uint32_t t)
{
    uint64_t sum = 0;

    for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
        if (graph->task[k] < t)
            sum += graph->bytes[k] *
                   mapcore_alloc_distance(alloc, host[t], host[graph->task[k]]);
    return sum;
}

static inline uint64_t hop_bytes(const struct mapcore_graph *graph,
                                 const struct mapcore_alloc *alloc,
                                 const uint32_t *host)
{
    uint64_t sum = 0;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        sum += hop_bytes_below(graph, alloc, host, t);
    return sum;
}

/* All mappings, task by task from t on; a branch ends where it cannot get below
 * best. host, left: room for 16 tasks and hosts. */
static inline uint64_t least_hop_bytes_from(uint64_t best,
                                            const struct mapcore_graph *graph,
                                            const struct mapcore_alloc *alloc,
                                            uint32_t *host,
                                            uint32_t *used,
                                            uint32_t t,
                                            uint64_t sum)
{
    if (t == graph->ntasks || sum >= best)
        return sum < best ? sum : best;
    for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++) {
        if (used[h] == mapcore_alloc_slots(alloc, h))
            continue;
        used[h]++;
        host[t] = h;
        best =
            least_hop_bytes_from(best, graph, alloc, host, used, t + 1,
                                 sum + hop_bytes_below(graph, alloc, host, t));
        used[h]--;
    }
    return best;
}

/* The least of all mappings. */
static inline uint64_t least_hop_bytes(const struct mapcore_graph *graph,
                                       const struct mapcore_alloc *alloc)
{
    uint32_t host[16], used[16] = {0};

    return least_hop_bytes_from(UINT64_MAX, graph, alloc, host, used, 0, 0);
}

/* Time that is up at once, or after a number of questions (an atomic_long). */
static inline bool always(void *arg)
{
    (void)arg;
    return true;
}

static inline bool count_down(void *arg)
{
    atomic_long *left = arg;

    return (*left)-- <= 0;
}

/* What a search finds, a mapping that fits. */
static inline struct mapcore_result search_by(
    const struct machine *machine,
    const struct mapcore_graph *graph,
    const char *mapper,
    const struct mapcore_search *options)
{
    struct mapcore_result result = {0};
    struct mapcore_error err = {""};

    if (mapcore_search_run(&result, graph, machine->alloc, mapper, options,
                           &err) < 0)
        fail_msg("%s: %s", mapper ? mapper : "portfolio", err.text);
    assert_fits(machine->alloc, result.mapping->host, graph->ntasks);
    return result;
}

static inline struct mapcore_result search_on(
    const struct machine *machine,
    const struct mapcore_graph *graph,
    const struct mapcore_search *options)
{
    return search_by(machine, graph, NULL, options);
}

/* stage: of each edge, or NULL. */
static inline struct mapcore_play play_stages(
    const struct machine *machine,
    const struct mapcore_graph *graph,
    const uint8_t *stage,
    const uint32_t *host,
    const struct mapcore_play_how *how)
{
    struct mapcore_error err = {""};
    const struct mapcore_play_source source = {
        .graph = graph, .stage = stage, .alloc = machine->alloc, .host = host};
    struct mapcore_play out;

    if (mapcore_play_flows(&out, &source, how, &err) < 0)
        fail_msg("%s", err.text);
    return out;
}

static inline void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * fabs(b)))
        fail_msg("%.17g is not %.17g", a, b);
}

static inline void assert_permutation(const uint32_t *list, uint32_t n)
{
    bool *seen = calloc(n, sizeof(*seen));

    assert_non_null(seen);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(list[i] < n);
        assert_false(seen[list[i]]);
        seen[list[i]] = true;
    }
    free(seen);
}

static inline void shuffle(uint32_t *list, uint32_t n, struct rng *rng)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = rng_below(rng, i), last = list[i - 1];

        list[i - 1] = list[k];
        list[k] = last;
    }
}

/* 64 tasks on 16 hosts at random, four on each. */
static inline void spread_64(uint32_t *host, uint64_t seed)
{
    struct rng rng;

    rng_init(&rng, seed, 1, 1);
    for (uint32_t t = 0; t < 64; t++)
        host[t] = t / 4;
    for (uint32_t t = 0; t < 64; t++) {
        uint32_t other = t + rng_below(&rng, 64 - t), at = host[t];

        host[t] = host[other];
        host[other] = at;
    }
}

/* The next permutation in lexicographic order, or false after the last. */
static inline bool permute(uint32_t *list, uint32_t n)
{
    uint32_t i = n - 1, k = n - 1, first;

    while (i > 0 && list[i - 1] > list[i])
        i--;
    if (i == 0 || n < 2)
        return false;
    while (list[k] < list[i - 1])
        k--;
    first = list[i - 1];
    list[i - 1] = list[k];
    list[k] = first;
    for (k = n - 1; i < k; i++, k--) {
        uint32_t swap = list[i];

        list[i] = list[k];
        list[k] = swap;
    }
    return true;
}

#endif
