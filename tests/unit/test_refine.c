/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_refine.c - annealing: exact about what it adds, within the slots, the
 * same on any number of threads, and as good as trying everything where that
 * can be done */
#include "config.h"

#include "mapfixture.h"

#include "base/array.h"
#include "map/refine/anneal.h"
#include "map/refine/refine.h"
#include "pool/pool.h"

static const char *const machines[] = {"torus:4x3x2", "torus:4x3/2",
                                       "mesh:6x4",    "tree:4,6",
                                       "flat:24",     "torus:5x5"};
#define NMACHINES (sizeof(machines) / sizeof(*machines))

/* 24 hosts, some with no slot. */
static const uint32_t uneven[] = {0, 3, 1, 5, 2, 0, 4, 1, 1, 6, 2, 2,
                                  3, 1, 0, 2, 2, 9, 1, 1, 4, 2, 0, 3}; /* 55 */

/* A random mapping that fits. */
static void scatter(uint32_t *host,
                    uint32_t ntasks,
                    const struct mapcore_alloc *alloc,
                    uint64_t seed)
{
    uint32_t nslots = mapcore_alloc_nslots(alloc), n = 0;
    uint32_t *slot = calloc(nslots, sizeof(*slot));
    struct rng rng;

    assert_non_null(slot);
    rng_init(&rng, seed, 2, 0);
    for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++)
        for (uint32_t s = 0; s < mapcore_alloc_slots(alloc, h); s++)
            slot[n++] = h;
    for (uint32_t t = 0; t < ntasks; t++) {
        uint32_t other = t + rng_below(&rng, nslots - t), h = slot[t];

        slot[t] = slot[other];
        slot[other] = h;
        host[t] = slot[t];
    }
    free(slot);
}

/* Of what a test makes; the test clears it. */
static struct arena arena;

static struct coarse_graph *coarse_of(const struct mapcore_graph *graph)
{
    struct coarse_graph *coarse =
        coarse_graph_make(graph, NULL, graph->ntasks, &arena);

    assert_non_null(coarse);
    return coarse;
}

static struct placement *placement_of(const struct mapcore_graph *graph,
                                      const struct mapcore_alloc *alloc,
                                      const uint32_t *host,
                                      const bool *is_fixed)
{
    struct placement *placement =
        placement_make(coarse_of(graph), alloc, host, NULL, is_fixed, &arena);

    assert_non_null(placement);
    return placement;
}

static struct region *region_of(const struct placement *placement)
{
    struct region *region = region_make(placement, 0, &arena);

    assert_non_null(region);
    return region;
}

/* What annealing says it added is what the hop-bytes say, in one region and,
 * where the others stand still, in one of several; cold it never adds. */
static void test_exact(void **state)
{
    static struct anneal anneal;

    anneal_init(&anneal);
    for (uint32_t trial = 0; trial < 4 * NMACHINES; trial++) {
        const char *spec = machines[trial % NMACHINES];
        struct machine machine = part_of(spec, 24, NULL, uneven);
        uint32_t ntasks = trial % 2 ? 55 : 40, host[55];
        struct mapcore_graph *graph = random_graph(ntasks, 6, trial);
        struct placement *placement;
        struct rng rng;

        scatter(host, ntasks, machine.alloc, trial);
        placement = placement_of(graph, machine.alloc, host, NULL);
        rng_init(&rng, trial, 3, 0);
        for (uint32_t i = 0; i < 20; i++) {
            uint64_t before = hop_bytes(graph, machine.alloc, placement->host);
            double hot = i < 10 ? 3000.0 / (i + 1) : 0;
            struct region *region;
            int64_t added;

            placement_split(placement, 1, i);
            region = region_of(placement);
            added = anneal_run(region, NULL, &anneal, (double[]){hot, hot / 2},
                               500, &rng);
            region_store(region, placement);
            assert_fits(machine.alloc, placement->host, ntasks);
            assert_true(
                (int64_t)hop_bytes(graph, machine.alloc, placement->host) -
                    (int64_t)before ==
                added);
            if (i >= 10)
                assert_true(added <= 0);
        }
        arena_clear(&arena);
        machine_graph_end(&machine, graph);
    }
}

/* Fails unless the table says what the hop-bytes of each vertex are on each
 * host as the others are. */
static void assert_true_costs(const struct cost_table *table,
                              const struct region *region)
{
    for (uint32_t t = 0; t < region->n; t++)
        for (uint32_t h = 0; h < region->nhosts; h++) {
            int64_t sum = 0;

            for (uint32_t k = region->row[t]; k < region->row[t + 1]; k++) {
                uint32_t to = region->host[region->edge[k].to];

                sum += (int64_t)region->edge[k].bytes *
                       region->distance[(size_t)h * region->ncolumns + to];
            }
            assert_true(table->cost[(size_t)t * table->stride + h] ==
                        (double)sum);
        }
}

/* With a table annealing makes the same changes as without, and leaves it
 * true: hot, where it is not used, and cold; also where some vertices stand
 * still. */
static void test_table(void **state)
{
    static struct anneal anneal;

    anneal_init(&anneal);
    for (uint32_t trial = 0; trial < 4 * NMACHINES; trial++) {
        struct machine machine =
            part_of(machines[trial % NMACHINES], 24, NULL, uneven);
        uint32_t ntasks = trial % 2 ? 55 : 40, host[55];
        bool is_fixed[55] = {false}, was_used = false;
        struct mapcore_graph *graph = random_graph(ntasks, 6, trial);
        struct placement *placement;
        struct region *region[2];
        struct cost_table *table;
        struct rng rng[2];

        scatter(host, ntasks, machine.alloc, trial);
        for (uint32_t t = 0; t < ntasks; t += 5)
            is_fixed[t] = trial % 2;
        placement = placement_of(graph, machine.alloc, host, is_fixed);
        placement_split(placement, 1, 0);
        for (int i = 0; i < 2; i++) {
            region[i] = region_of(placement);
            rng_init(&rng[i], trial, 4, 0);
        }
        table = cost_table_make(region[0], &arena);
        assert_non_null(table);
        for (double hot = 1000000; hot > 1; hot /= 4) {
            int64_t added[2];

            for (int i = 0; i < 2; i++)
                added[i] = anneal_run(region[i], i == 0 ? table : NULL, &anneal,
                                      (double[]){hot, hot / 4}, 2500, &rng[i]);
            assert_true(added[0] == added[1]);
            assert_memory_equal(region[0]->host, region[1]->host,
                                region[0]->n * sizeof(*region[0]->host));
            assert_memory_equal(&rng[0], &rng[1], sizeof(rng[0]));
            if (table->is_valid)
                assert_true_costs(table, region[0]);
            was_used = was_used || table->is_valid;
        }
        assert_true(was_used);
        arena_clear(&arena);
        machine_graph_end(&machine, graph);
    }
}

/* Every host is in one region, and every vertex has a number there. */
static void test_regions(void **state)
{
    struct machine machine = machine_of("torus:8x8x4", 20);
    uint32_t ntasks = 5000, *host = calloc(ntasks, sizeof(*host));
    struct mapcore_graph *graph = random_graph(ntasks, 4, 1);
    struct placement *placement;
    bool *seen = calloc(ntasks, sizeof(*seen));

    assert_true(host && seen);
    scatter(host, ntasks, machine.alloc, 1);
    placement = placement_of(graph, machine.alloc, host, NULL);
    assert_int_equal(placement->nregions, 4);
    for (uint32_t i = 0; i < 5; i++) {
        placement_split(placement, 7, i);
        assert_permutation(placement->order, 256);
        for (uint32_t r = 0; r < placement->nregions; r++) {
            uint32_t n = 0;

            assert_int_equal(placement->begin[r + 1] - placement->begin[r], 64);
            memset(seen, 0, ntasks * sizeof(*seen));
            for (uint32_t k = r * 64; k < r * 64 + 64; k++)
                for (uint32_t t = 0; t < ntasks; t++)
                    if (host[t] == placement->order[k]) {
                        assert_false(seen[placement->local[t]]);
                        seen[placement->local[t]] = true;
                        n++;
                    }
            for (uint32_t t = 0; t < n; t++)
                assert_true(seen[t]);
        }
    }
    arena_clear(&arena);
    machine_graph_end(&machine, graph);
    free(host);
    free(seen);
}

/* Runs all stages of a refinement on several threads. */
static void refine(uint32_t *host,
                   const struct mapcore_graph *graph,
                   const struct mapcore_alloc *alloc,
                   unsigned threads)
{
    struct map_problem problem = {.graph = graph, .alloc = alloc};
    static const uint32_t epochs[] = {3, 6, 100};
    struct refine_base *base = refine_base_make(&problem, 1, &arena);
    struct refine *refine = NULL;
    struct pool *pool = pool_create(threads);

    assert_non_null(base);
    assert_ok(refine_create(&refine, base, host, 0, NULL));
    for (int stage = REFINE_CLUSTERS; stage <= REFINE_DESCENT; stage++) {
        uint32_t most;

        assert_ok(refine_begin(&most, refine, (enum refine_stage)stage,
                               (struct refine_temperatures){0.3, 0.02}, NULL));
        if (most > epochs[stage])
            most = epochs[stage];
        for (uint32_t i = 0; i < most; i++) {
            bool done;

            assert_ok(refine_epoch(&done, refine, i, most, pool, NULL));
            assert_true(done);
            refine_get_mapping(host, refine);
            assert_fits(alloc, host, graph->ntasks);
        }
    }
    refine_destroy(refine);
    arena_clear(&arena);
    pool_destroy(pool);
}

/* Slots that differ, fewer tasks than slots: it fits, and gets better. */
static void test_stages(void **state)
{
    for (uint32_t trial = 0; trial < 2 * NMACHINES; trial++) {
        const char *spec = machines[trial % NMACHINES];
        struct machine machine = part_of(spec, 24, NULL, uneven);
        uint32_t ntasks = trial < NMACHINES ? 55 : 30, host[55];
        struct mapcore_graph *graph = random_graph(ntasks, 4, trial);
        uint64_t before;

        scatter(host, ntasks, machine.alloc, trial);
        before = hop_bytes(graph, machine.alloc, host);
        refine(host, graph, machine.alloc, 1);
        assert_true(hop_bytes(graph, machine.alloc, host) < before);
        machine_graph_end(&machine, graph);
    }
}

/* Several regions: the same on one thread, two and five. */
static void test_threads(void **state)
{
    static const struct {
        const char *spec;
        uint32_t slots, ntasks;
    } cases[] = {{"torus:8x8x4", 17, 4300}, {"tree:5,8,8", 4, 1200}};

    for (size_t i = 0; i < 2; i++) {
        struct machine machine = machine_of(cases[i].spec, cases[i].slots);
        uint32_t n = cases[i].ntasks, *host[3];
        static const unsigned threads[] = {1, 2, 5};
        struct mapcore_graph *graph = grid_graph(n / 10, 10);

        for (size_t k = 0; k < 3; k++) {
            host[k] = calloc(n, sizeof(uint32_t));
            assert_non_null(host[k]);
            scatter(host[k], n, machine.alloc, 5);
            refine(host[k], graph, machine.alloc, threads[k]);
            assert_memory_equal(host[k], host[0], n * sizeof(uint32_t));
        }
        for (size_t k = 0; k < 3; k++)
            free(host[k]);
        machine_graph_end(&machine, graph);
    }
}

/* The portfolio finds what trying everything proves to be the least. */
static void test_optimum(void **state)
{
    static const struct {
        const char *spec;
        uint32_t slots, ntasks, degree;
    } cases[] = {
        {"mesh:3x3", 1, 9, 4},  {"mesh:3x3", 1, 9, 5},  {"mesh:3x3", 1, 9, 8},
        {"mesh:2x4", 1, 8, 7},  {"torus:4x2", 1, 8, 4}, {"torus:3x3", 1, 8, 6},
        {"mesh:5x2", 1, 10, 4}, {"tree:3,3", 1, 9, 4},  {"mesh:2x2", 2, 8, 4},
        {"torus:5", 2, 10, 4},  {"mesh:3x2", 2, 10, 4}, {"tree:3,2", 2, 10, 5},
        {"tree:2,2", 3, 12, 4}, {"mesh:4", 3, 10, 4},   {"flat:3", 4, 11, 5}};

    for (uint32_t i = 0; i < COUNT(cases); i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct machine machine = machine_of(cases[i].spec, cases[i].slots);
            struct mapcore_graph *graph =
                random_graph(cases[i].ntasks, cases[i].degree, seed);
            const struct mapcore_search options = {.seed = seed};
            struct mapcore_result result = search_on(&machine, graph, &options);

            if (hop_bytes(graph, machine.alloc, result.mapping->host) !=
                least_hop_bytes(graph, machine.alloc))
                fail_msg("%u tasks on %s, graph %u", cases[i].ntasks,
                         cases[i].spec, (unsigned)seed);
            mapcore_result_clear(&result);
            machine_graph_end(&machine, graph);
        }
}

/* Weights that would overflow are scaled, alike at both ends. */
static void test_heavy(void **state)
{
    const struct mapcore_edge edges[] = {
        {0, 1, UINT64_C(1) << 60}, {1, 2, 1}, {2, 3, UINT64_C(1) << 61}};
    struct mapcore_graph *graph = graph_of(4, edges, 3);
    struct coarse_graph *coarse = coarse_of(graph), *clusters;
    const uint32_t cluster[] = {0, 1, 1, 0};

    for (size_t k = 0; k < coarse->row[4]; k++) {
        assert_true(coarse->edge[k].bytes > 0);
        assert_true(coarse->edge[k].bytes < 1 << 30);
    }
    assert_int_equal(coarse->edge[coarse->row[2]].to, 3);
    assert_int_equal(coarse->edge[coarse->row[2] + 1].bytes, 1);
    clusters = coarse_graph_make(graph, cluster, 2, &arena);
    assert_non_null(clusters);
    assert_int_equal(clusters->row[2], 2);
    assert_int_equal(clusters->edge[0].bytes, clusters->edge[1].bytes);
    arena_clear(&arena);
    mapcore_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),   cmocka_unit_test(test_table),
        cmocka_unit_test(test_regions), cmocka_unit_test(test_stages),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_optimum),
        cmocka_unit_test(test_heavy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
