/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_bisect.c - multilevel bisection with biases, and its gains */
#include "config.h"

#include "mapfixture.h"

#include "map/bisection/bisect.h"

/* A graph, biases drawn from -bias .. bias, as the caller's level. */
static struct bisect *bisect_of(const struct mapcore_graph *graph,
                                uint32_t bias,
                                struct rng *rng)
{
    size_t edges = graph->row[graph->ntasks];
    struct bisect *bisect = calloc(1, sizeof(*bisect));
    struct bisect_level *level;

    assert_non_null(bisect);
    assert_ok(bisect_begin(bisect, graph->ntasks, edges, NULL));
    level = bisect->graph;
    memcpy(level->row, graph->row, (graph->ntasks + 1) * sizeof(*level->row));
    memcpy(level->vertex, graph->task, edges * sizeof(*level->vertex));
    for (size_t k = 0; k < edges; k++)
        level->weight[k] = (uint32_t)graph->bytes[k];
    for (uint32_t v = 0; v < graph->ntasks; v++) {
        level->size[v] = 1;
        level->bias[v] = (int64_t)rng_below(rng, 2 * bias + 1) - (int64_t)bias;
    }
    return bisect;
}

static void end(struct bisect *bisect)
{
    bisect_clear(bisect);
    free(bisect);
}

static uint64_t side0(const struct bisect_level *level)
{
    uint64_t size = 0;

    for (uint32_t v = 0; v < level->n; v++)
        size += level->side[v] == 0 ? level->size[v] : 0;
    return size;
}

/* What refinement says that it gained is what the cost fell by, for
 * all sizes, and within bounds it never loses. */
static void test_gains_are_exact(void **state)
{
    struct rng rng;

    rng_init(&rng, 1, 0, 0);
    for (uint32_t round = 0; round < 300; round++) {
        uint32_t n = 2 + rng_below(&rng, 80);
        struct mapcore_graph *graph =
            random_graph(n, 1 + rng_below(&rng, 8), round);
        struct bisect *bisect =
            bisect_of(graph, rng_below(&rng, 3) * 500, &rng);
        struct bisect_level *level = bisect->graph;
        struct bisect_gains_bounds bounds = {.slack = 1};
        struct bisect_gains_effort effort = {1 + rng_below(&rng, 200),
                                             1 + rng_below(&rng, 8)};
        bool unequal = rng_below(&rng, 2) == 1;
        int64_t before, gained;
        uint64_t size;

        for (uint32_t v = 0; v < n; v++) {
            level->side[v] = (uint8_t)rng_below(&rng, 2);
            level->size[v] = unequal ? 1 + rng_below(&rng, 5) : 1;
        }
        size = side0(level);
        bounds.low = bounds.high = size;
        if (unequal)
            bounds.slack = 5;
        before = bisect_level_cost(level);
        assert_ok(bisect_gains_reserve(&bisect->gains, n, &bisect->kept));
        gained = bisect_gains_refine(&bisect->gains, level, &bounds, &effort);
        assert_int_equal(before - gained, bisect_level_cost(level));
        assert_true(gained >= 0);
        assert_int_equal(side0(level), size);
        end(bisect);
        mapcore_graph_destroy(graph);
    }
}

/* The lists rise with the gains, and never put far ones together. */
static void test_lists_rise(void **state)
{
    uint32_t last = bisect_gains_list_of(-((int64_t)1 << 62));

    assert_true(last > 0);
    for (int64_t gain = -((int64_t)1 << 62); gain < -16;
         gain += -gain / 37 + 1) {
        uint32_t list = bisect_gains_list_of(gain);

        assert_true(list >= last &&
                    list < bisect_gains_list_of(gain - gain / 16 + 1));
        assert_int_equal(bisect_gains_list_of(-gain) - GAINS_LISTS / 2,
                         GAINS_LISTS / 2 - list);
        last = list;
    }
    for (int64_t gain = -16; gain < 16; gain++)
        assert_true(bisect_gains_list_of(gain) <
                    bisect_gains_list_of(gain + 1));
    assert_true(bisect_gains_list_of((int64_t)1 << 62) < GAINS_LISTS);
}

/* The least cost with count tasks on side 0, of all ways there are. */
static int64_t exhaust(struct bisect_level *level, uint32_t count)
{
    int64_t least = INT64_MAX;

    for (uint32_t set = 0; set < (uint32_t)1 << level->n; set++) {
        if ((uint32_t)__builtin_popcount(set) != count)
            continue;
        for (uint32_t v = 0; v < level->n; v++)
            level->side[v] = (set >> v & 1) ? 0 : 1;
        if (bisect_level_cost(level) < least)
            least = bisect_level_cost(level);
    }
    return least;
}

static void run(struct bisect *bisect,
                uint64_t low,
                uint64_t high,
                uint32_t drafts)
{
    struct bisect_task task = {.low = low,
                               .high = high,
                               .tries = 8,
                               .drafts = drafts,
                               .effort = {150, 8}};
    struct map_deadline deadline = {0};
    struct rng rng;
    bool timed_out = true;

    rng_init(&rng, 7, 0, 0);
    assert_ok(bisect_run(bisect, &timed_out, &task, &rng, &deadline, NULL));
    assert_false(timed_out);
    assert_true(side0(bisect->graph) >= low && side0(bisect->graph) <= high);
}

/* Small graphs have a proven optimum; nine in ten are found. */
static void test_optimum(void **state)
{
    uint32_t found = 0;
    struct rng rng;

    rng_init(&rng, 2, 0, 0);
    for (uint32_t round = 0; round < 100; round++) {
        uint32_t n = 2 + rng_below(&rng, 10), count = rng_below(&rng, n + 1);
        struct mapcore_graph *graph = random_graph(n, 4, round);
        struct bisect *bisect = bisect_of(graph, 700, &rng);
        int64_t least = exhaust(bisect->graph, count);

        run(bisect, count, count, round % 2);
        assert_true(bisect_level_cost(bisect->graph) >= least);
        found += bisect_level_cost(bisect->graph) == least;
        end(bisect);
        mapcore_graph_destroy(graph);
    }
    assert_true(found >= 90);
}

/* A grid of 32 x 8 has a cut of 8 edges, which needs coarsening to be seen. */
static void test_grid(void **state)
{
    struct mapcore_graph *graph = grid_graph(32, 8);
    struct bisect *bisect;
    struct rng rng;

    rng_init(&rng, 3, 0, 0);
    bisect = bisect_of(graph, 0, &rng);
    run(bisect, 128, 128, 0);
    assert_int_equal(bisect_level_cost(bisect->graph), 800);
    end(bisect);
    mapcore_graph_destroy(graph);
}

/* All bounds are kept on stars, on graphs without edges and in pieces. */
static void test_bounds(void **state)
{
    struct rng rng;

    rng_init(&rng, 4, 0, 0);
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t n = 100 + rng_below(&rng, 400), low, high, nedges = 0;
        struct mapcore_edge edges[512];
        struct mapcore_graph *graph;
        struct bisect *bisect;

        for (uint32_t v = 1; v < n && round % 3 > 0; v++) {
            uint32_t hub = round % 3 == 1 ? 0 : v / 50 * 50;

            edges[nedges++] = (struct mapcore_edge){hub, v, 10};
        }
        graph = graph_of(n, edges, nedges);
        bisect = bisect_of(graph, round % 2 * 20, &rng);
        low = rng_below(&rng, n + 1);
        high = low + rng_below(&rng, n - low + 1);
        run(bisect, low, high, round % 4);
        end(bisect);
        mapcore_graph_destroy(graph);
    }
}

/* The best of drafts is better than a cut alone, most of the time. */
static void test_drafts(void **state)
{
    int64_t without = 0, with = 0;
    struct rng rng;

    rng_init(&rng, 6, 0, 0);
    for (uint32_t round = 0; round < 10; round++) {
        struct mapcore_graph *graph = random_graph(600, 3, round);
        struct bisect *bisect = bisect_of(graph, 0, &rng);

        run(bisect, 300, 300, 0);
        without += bisect_level_cost(bisect->graph);
        run(bisect, 300, 300, 8);
        with += bisect_level_cost(bisect->graph);
        end(bisect);
        mapcore_graph_destroy(graph);
    }
    assert_true(with < without - without / 50);
}

/* A cut that is given is only made better. */
static void test_keeps(void **state)
{
    struct bisect_task task = {.keeps = true, .tries = 1, .effort = {150, 8}};
    struct map_deadline deadline = {0};
    struct rng rng;
    bool timed_out;

    rng_init(&rng, 5, 0, 0);
    for (uint32_t round = 0; round < 30; round++) {
        uint32_t n = 200 + rng_below(&rng, 200);
        struct mapcore_graph *graph = random_graph(n, 5, round);
        struct bisect *bisect = bisect_of(graph, 100, &rng);
        struct bisect_level *level = bisect->graph;
        int64_t before;

        for (uint32_t v = 0; v < n; v++)
            level->side[v] = v % 3 == 0;
        before = bisect_level_cost(level);
        task.low = task.high = side0(level);
        assert_ok(bisect_run(bisect, &timed_out, &task, &rng, &deadline, NULL));
        level = bisect->graph;
        assert_true(bisect_level_cost(level) < before);
        assert_int_equal(side0(level), task.low);
        end(bisect);
        mapcore_graph_destroy(graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gains_are_exact),
        cmocka_unit_test(test_lists_rise),
        cmocka_unit_test(test_optimum),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_drafts),
        cmocka_unit_test(test_keeps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
