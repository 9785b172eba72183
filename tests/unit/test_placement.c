/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_placement.c - what refinement works on: the coarse graph, its placement,
 * and the regions that are cut out of it and put back */
#include "config.h"

#include "mapfixture.h"

#include "base/array.h"
#include "map/refine/anneal.h"

/* Of what a test makes; the test clears it. */
static struct arena arena;

static struct coarse_graph *coarse_of(const struct mapcore_graph *graph)
{
    struct coarse_graph *coarse =
        coarse_graph_make(graph, NULL, graph->ntasks, &arena);

    assert_non_null(coarse);
    return coarse;
}

static int64_t bytes_between(const struct coarse_graph *graph,
                             uint32_t a,
                             uint32_t b)
{
    for (size_t k = graph->row[a]; k < graph->row[a + 1]; k++)
        if (graph->edge[k].to == b)
            return graph->edge[k].bytes;
    return 0;
}

/* Symmetric, no loops, positive, the heaviest edges of a row first. */
static void assert_coarse(const struct coarse_graph *graph)
{
    for (uint32_t v = 0; v < graph->n; v++)
        for (size_t k = graph->row[v]; k < graph->row[v + 1]; k++) {
            const struct coarse_edge *edge = &graph->edge[k];

            assert_true(edge->to < graph->n && edge->to != v);
            assert_true(edge->bytes > 0);
            assert_int_equal(bytes_between(graph, edge->to, v), edge->bytes);
            assert_true(k == graph->row[v] || edge[-1].bytes >= edge->bytes);
        }
}

/* Light edges are kept as they are; heavy ones are all divided by one power of
 * two, stay below 2^30 and never vanish. */
static void test_scale(void **state)
{
    static const struct {
        uint64_t bytes[3]; /* of a ring of three tasks */
        int32_t scaled[3];
    } cases[] = {
        {{1, 2, 3}, {1, 2, 3}},
        {{(1 << 30) - 1, 7, 1}, {(1 << 30) - 1, 7, 1}},
        /* one bit too many: that and one for rounding up */
        {{1 << 30, 7, 1}, {1 << 28, 2, 1}},
        {{UINT64_C(1) << 60, UINT64_C(1) << 40, 1}, {1 << 28, 256, 1}},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const uint64_t *bytes = cases[i].bytes;
        const struct mapcore_edge edges[] = {
            {0, 1, bytes[0]}, {1, 2, bytes[1]}, {0, 2, bytes[2]}};
        struct mapcore_graph *graph = graph_of(3, edges, 3);
        struct coarse_graph *coarse = coarse_of(graph);

        assert_coarse(coarse);
        assert_int_equal(bytes_between(coarse, 0, 1), cases[i].scaled[0]);
        assert_int_equal(bytes_between(coarse, 1, 2), cases[i].scaled[1]);
        assert_int_equal(bytes_between(coarse, 0, 2), cases[i].scaled[2]);
        arena_clear(&arena);
        mapcore_graph_destroy(graph);
    }
}

/* An edge between two clusters has the bytes of all edges between their
 * vertices; one cluster alone has none. */
static void test_contract(void **state)
{
    struct rng rng;

    rng_init(&rng, 1, 0, 0);
    for (uint32_t trial = 0; trial < 30; trial++) {
        uint32_t n = 1 + rng_below(&rng, 60), nclusters = 1 + trial % 9;
        struct mapcore_graph *graph = random_graph(n, 5, trial);
        struct coarse_graph *fine = coarse_of(graph), *coarse = NULL;
        uint32_t cluster[60];
        int64_t between[9][9] = {{0}};

        for (uint32_t v = 0; v < n; v++)
            cluster[v] = rng_below(&rng, nclusters);
        for (uint32_t v = 0; v < n; v++)
            for (size_t k = fine->row[v]; k < fine->row[v + 1]; k++)
                between[cluster[v]][cluster[fine->edge[k].to]] +=
                    fine->edge[k].bytes;
        coarse = coarse_graph_make(graph, cluster, nclusters, &arena);
        assert_non_null(coarse);
        assert_int_equal(coarse->n, nclusters);
        assert_coarse(coarse);
        for (uint32_t a = 0; a < nclusters; a++)
            for (uint32_t b = 0; b < nclusters; b++)
                assert_int_equal(bytes_between(coarse, a, b),
                                 a == b ? 0 : between[a][b]);
        arena_clear(&arena);
        mapcore_graph_destroy(graph);
    }
}

/* A region as it should be: what each vertex and column stands for, occupants
 * and places the inverse of each other, entries in the region. */
static void assert_region(const struct region *region,
                          const struct placement *placement,
                          uint32_t index)
{
    const struct coarse_graph *graph = placement->graph;

    for (uint32_t i = 0; i < region->ncolumns; i++) {
        uint32_t h = region->global_host[i], entry = region->entry[i];

        if (i < region->nhosts)
            assert_int_equal(placement->order[placement->begin[index] + i], h);
        assert_true(entry < region->nhosts);
        assert_true(i >= region->nhosts || entry == i);
        for (uint32_t a = 0; a < region->nhosts; a++) {
            uint32_t far = region->distance[a * region->ncolumns + i];

            assert_int_equal(far,
                             mapcore_alloc_distance(placement->alloc,
                                                    region->global_host[a], h));
            assert_true(region->distance[entry * region->ncolumns + i] <= far);
        }
    }
    for (uint32_t t = 0; t < region->n; t++) {
        uint32_t v = region->global_vertex[t];
        size_t degree = region->row[t + 1] - region->row[t];

        assert_int_equal(region->occupant[region->place[t]], t);
        assert_int_equal(region->global_host[region->host[t]],
                         placement->host[v]);
        assert_int_equal(degree, graph->row[v + 1] - graph->row[v]);
        for (size_t k = 0; k < degree; k++) {
            const struct coarse_edge *here =
                &region->edge[region->row[t] + (uint32_t)k];
            const struct coarse_edge *there = &graph->edge[graph->row[v] + k];

            assert_int_equal(here->bytes, there->bytes);
            assert_int_equal(region->global_host[region->host[here->to]],
                             placement->host[there->to]);
        }
    }
    for (uint32_t h = 0; h < region->nhosts; h++)
        assert_int_equal(region->place_begin[h + 1] - region->place_begin[h],
                         placement->capacity[region->global_host[h]]);
}

/* Regions have every vertex once; written back unchanged they change nothing,
 * and with two occupants exchanged they exchange just these. */
static void test_regions(void **state)
{
    static const char *const specs[] = {"torus:8x8x4", "tree:4,8,8",
                                        "dragonfly:8,8,4"};

    for (size_t s = 0; s < sizeof(specs) / sizeof(*specs); s++) {
        struct machine machine = machine_of(specs[s], 9);
        uint32_t ntasks = 2000, nhosts = mapcore_alloc_nhosts(machine.alloc);
        struct mapcore_graph *graph = random_graph(ntasks, 4, s);
        struct coarse_graph *coarse = coarse_of(graph);
        struct placement *placement;
        uint32_t *host = calloc(ntasks, sizeof(*host)), seen = 0;

        assert_non_null(host);
        for (uint32_t t = 0; t < ntasks; t++)
            host[t] = t % nhosts;
        placement =
            placement_make(coarse, machine.alloc, host, NULL, NULL, &arena);
        assert_non_null(placement);
        assert_int_equal(placement->nregions, 2);
        placement_split(placement, 1, s);
        for (uint32_t r = 0; r < placement->nregions; r++) {
            struct region *region = region_make(placement, r, &arena);
            uint32_t u, v, last;

            assert_non_null(region);
            assert_region(region, placement, r);
            seen += region->n;
            region_store(region, placement);
            assert_memory_equal(placement->host, host, ntasks * sizeof(*host));
            last = region->n - 1;
            u = region->global_vertex[0];
            v = region->global_vertex[last];
            last = region->host[last];
            region->host[region->n - 1] = region->host[0];
            region->host[0] = last;
            region_store(region, placement);
            assert_int_equal(placement->host[u], host[v]);
            assert_int_equal(placement->host[v], host[u]);
            host[u] = placement->host[u];
            host[v] = placement->host[v];
            assert_memory_equal(placement->host, host, ntasks * sizeof(*host));
        }
        assert_int_equal(seen, ntasks);
        arena_clear(&arena);
        machine_graph_end(&machine, graph);
        free(host);
    }
}

/* A host's capacity: its slots, 1 for clusters, and never more than vertices,
 * nor far more than can be needed. */
static void test_capacities(void **state)
{
    static const uint32_t slots[] = {0, 3, 100000, 1};
    static const uint32_t host[] = {1, 1, 2, 3}, size[] = {1, 2, 1, 1};
    struct machine machine = part_of("flat:4", 4, NULL, slots);
    struct mapcore_graph *graph = random_graph(4, 2, 1);
    struct coarse_graph *coarse = coarse_of(graph);
    struct placement *placement =
        placement_make(coarse, machine.alloc, host, NULL, NULL, &arena);

    assert_non_null(placement);
    assert_int_equal(placement->capacity[0], 0);
    assert_int_equal(placement->capacity[1], 3);
    assert_int_equal(placement->capacity[2], 4);
    assert_int_equal(placement->capacity[3], 1);
    placement = placement_make(coarse, machine.alloc, host, size, NULL, &arena);
    assert_non_null(placement);
    for (uint32_t h = 0; h < 4; h++)
        assert_int_equal(placement->capacity[h], slots[h] > 0);
    arena_clear(&arena);
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_contract),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_capacities),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
