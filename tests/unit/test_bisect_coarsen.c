/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_bisect_coarsen.c - a coarse graph has the tasks, the biases and the cuts
 * of the fine one */
#include "config.h"

#include "mapfixture.h"

#include "base/array.h"
#include "map/bisection/bisect.h"

/* Level 0: the graph, sizes of 1 .. most, biases and sides at random. */
static struct bisect_level *fill(struct arena *arena,
                                 const struct mapcore_graph *graph,
                                 uint32_t most,
                                 struct rng *rng)
{
    uint32_t n = graph->ntasks;
    size_t nedges = graph->row[n];
    struct bisect_level *level = bisect_level_make(n, nedges, arena);

    assert_non_null(level);
    memcpy(level->row, graph->row, (n + 1) * sizeof(*level->row));
    memcpy(level->vertex, graph->task, nedges * sizeof(*level->vertex));
    for (size_t k = 0; k < nedges; k++)
        level->weight[k] = (uint32_t)graph->bytes[k];
    for (uint32_t v = 0; v < n; v++) {
        level->size[v] = 1 + rng_below(rng, most);
        level->bias[v] = (int64_t)rng_below(rng, 2001) - 1000;
        level->side[v] = (uint8_t)rng_below(rng, 2);
    }
    return level;
}

static uint32_t weight_between(const struct bisect_level *level,
                               uint32_t v,
                               uint32_t u)
{
    uint32_t weight = 0;

    for (size_t k = level->row[v]; k < level->row[v + 1]; k++)
        if (level->vertex[k] == u) {
            assert_int_equal(weight, 0); /* no edge stands twice */
            weight = level->weight[k];
        }
    return weight;
}

/* One or two vertices become one, or, by clusters, up to four times the mean of
 * them, and nothing gets lost. */
static void assert_coarser(const struct bisect_level *fine,
                           const struct bisect_level *coarse,
                           const struct bisect_coarsening *how)
{
    uint32_t *members = calloc(coarse->n, sizeof(*members));
    uint32_t *size = calloc(coarse->n, sizeof(*size));
    int64_t *bias = calloc(coarse->n, sizeof(*bias));

    assert_true(members && size && bias);
    assert_true(coarse->n <= fine->n &&
                (how->by_clusters || 2 * coarse->n >= fine->n));
    if (how->pairs_all)
        assert_int_equal(coarse->n, (fine->n + 1) / 2);
    for (uint32_t v = 0; v < fine->n; v++) {
        uint32_t c = fine->coarse[v];

        assert_true(c < coarse->n);
        members[c]++;
        size[c] += fine->size[v];
        bias[c] += fine->bias[v];
        if (how->keeps)
            assert_int_equal(coarse->side[c], fine->side[v]);
    }
    for (uint32_t c = 0; c < coarse->n; c++) {
        assert_true(members[c] == 1 || size[c] <= how->largest);
        assert_true(members[c] <= 2 || how->by_clusters);
        assert_int_equal(coarse->size[c], size[c]);
        assert_int_equal(coarse->bias[c], bias[c]);
        for (size_t k = coarse->row[c]; k < coarse->row[c + 1]; k++) {
            assert_true(coarse->vertex[k] != c &&
                        coarse->vertex[k] < coarse->n);
            assert_int_equal(weight_between(coarse, coarse->vertex[k], c),
                             coarse->weight[k]);
        }
    }
    free(members);
    free(size);
    free(bias);
}

/* Sides of the coarse vertices cost there what they cost in the fine graph. */
static void assert_same_costs(struct bisect_level *fine,
                              struct bisect_level *coarse,
                              struct rng *rng)
{
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t c = 0; c < coarse->n; c++)
            coarse->side[c] = (uint8_t)rng_below(rng, 2);
        for (uint32_t v = 0; v < fine->n; v++)
            fine->side[v] = coarse->side[fine->coarse[v]];
        assert_int_equal(bisect_level_cost(coarse), bisect_level_cost(fine));
    }
}

static void test_random(void **state)
{
    struct rng rng;

    rng_init(&rng, 1, 0, 0);
    for (uint32_t round = 0; round < 100; round++) {
        struct arena arena = {0};
        struct bisect_level *level;
        struct mapcore_graph *graph =
            random_graph(1 + rng_below(&rng, 120), rng_below(&rng, 8), round);
        struct bisect_coarsening how = {.largest = 2 + rng_below(&rng, 9),
                                        .keeps = round % 2 == 1,
                                        .by_clusters = round % 4 > 1,
                                        .pairs_all = round % 20 == 0};

        if (how.pairs_all)
            how.largest = UINT32_MAX;

        level = fill(&arena, graph, 1 + round % 3, &rng);
        for (size_t i = 0; i < 3; i++) {
            struct bisect_level *coarse =
                bisect_coarsen(level, &how, &rng, &arena);

            assert_non_null(coarse);
            assert_ptr_equal(coarse->finer, level);
            assert_coarser(level, coarse, &how);
            assert_same_costs(level, coarse, &rng);
            level = coarse;
        }
        arena_clear(&arena);
        mapcore_graph_destroy(graph);
    }
}

/* Leaves of one hub are joined with one another: a star is coarsened, too. */
static void test_star(void **state)
{
    struct mapcore_edge edges[32];
    const struct bisect_coarsening how = {.largest = 4};
    struct bisect_level *level, *coarse;
    struct arena arena = {0};
    struct mapcore_graph *graph;
    struct rng rng;

    rng_init(&rng, 1, 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        edges[i] = (struct mapcore_edge){0, i + 1, 10};
    graph = graph_of(33, edges, 32);
    level = fill(&arena, graph, 1, &rng);
    coarse = bisect_coarsen(level, &how, &rng, &arena);
    assert_int_equal(coarse->n, 17);
    assert_coarser(level, coarse, &how);
    mapcore_graph_destroy(graph);
    arena_clear(&arena);
}

/* A pair across a heavy edge is one vertex. */
static void test_heavy_edges(void **state)
{
    const struct mapcore_edge edges[] = {
        {0, 1, 1000}, {1, 2, 1}, {2, 3, 1000}, {3, 0, 1}};
    const struct bisect_coarsening how = {.largest = 2};
    struct mapcore_graph *graph = graph_of(4, edges, 4);

    for (uint64_t seed = 0; seed < 20; seed++) {
        struct bisect_level *level, *coarse;
        struct arena arena = {0};
        struct rng rng;

        rng_init(&rng, seed, 0, 0);
        level = fill(&arena, graph, 1, &rng);
        coarse = bisect_coarsen(level, &how, &rng, &arena);
        assert_int_equal(coarse->n, 2);
        assert_int_equal(level->coarse[0], level->coarse[1]);
        assert_int_equal(level->coarse[2], level->coarse[3]);
        assert_int_equal(weight_between(coarse, 0, 1), 2);
        arena_clear(&arena);
    }
    mapcore_graph_destroy(graph);
}

/* Vectors of the cost: weights across once, biases of side 1. */
static void test_cost(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 5}, {1, 2, 7}};
    static const struct {
        uint8_t side[3];
        int64_t cost;
    } cases[] = {{{0, 0, 0}, 0},   {{1, 0, 0}, 15}, {{0, 1, 0}, -8},
                 {{0, 0, 1}, 107}, {{1, 1, 1}, 90}, {{1, 1, 0}, -3}};
    struct mapcore_graph *graph = graph_of(3, edges, 2);
    struct arena arena = {0};
    struct bisect_level *level;
    struct rng rng;

    rng_init(&rng, 1, 0, 0);
    level = fill(&arena, graph, 1, &rng);
    level->bias[0] = 10;
    level->bias[1] = -20;
    level->bias[2] = 100;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        memcpy(level->side, cases[i].side, 3);
        assert_int_equal(bisect_level_cost(level), cases[i].cost);
    }
    arena_clear(&arena);
    mapcore_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_star),
        cmocka_unit_test(test_heavy_edges),
        cmocka_unit_test(test_cost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
