/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_anytime.c - what a search does with little time, and that more is no
 * worse: by a clock of our own and by work */
#include "config.h"

#include "mapfixture.h"

/* Points on a square, each with those at most a step away in both directions:
 * a grid with diagonals, whose vertices have numbers at random. */
static struct mapcore_graph *shuffled_mesh(uint32_t side, uint64_t seed)
{
    uint32_t n = side * side, *name = calloc(n, sizeof(*name));
    struct mapcore_edge *edges = calloc((size_t)n * 4, sizeof(*edges));
    struct mapcore_graph *graph;
    size_t count = 0;
    struct rng rng;

    assert_true(name && edges);
    rng_init(&rng, seed, 1, 0);
    for (uint32_t t = 0; t < n; t++) {
        uint32_t u = rng_below(&rng, t + 1);

        name[t] = name[u];
        name[u] = t;
    }
    for (uint32_t t = 0; t < n; t++)
        for (int i = 0; i < 4; i++) {
            static const int step[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
            int64_t x = (int64_t)(t % side) + step[i][0];
            int64_t y = (int64_t)(t / side) + step[i][1];

            if (x < side && y >= 0 && y < side)
                edges[count++] = (struct mapcore_edge){
                    name[t], name[y * side + x], 100 + rng_below(&rng, 900)};
        }
    assert_ok(mapcore_graph_create(&graph, n, edges, count, NULL));
    free(name);
    free(edges);
    return graph;
}

/* Time that hardly passes. */
static double spent_already(void *arg)
{
    double *share = arg;

    return *share += 1e-7;
}

/* Where the layouts have taken so long that the first good mapping is not
 * begun, what refinement takes is not known from that, and not begun either. */
static void test_not_begun(void **state)
{
    double share = 0.46;
    struct machine machine = machine_of("torus:4x4x4", 16);
    struct mapcore_graph *graph = shuffled_mesh(32, 1);
    struct mapcore_search options = {.spent = spent_already,
                                     .expired_arg = &share};
    struct mapcore_result result = search_on(&machine, graph, &options);

    assert_true(result.interrupted);
    assert_false(result.is_refined);
    assert_int_equal(result.schedule.tasks, 0);
    assert_int_equal(result.work, result.schedule.starts);
    mapcore_result_clear(&result);
    machine_graph_end(&machine, graph);
}

/* More work is no worse, but for the noise of refinement. */
static void test_more_work(void **state)
{
    static const struct {
        const char *spec;
        uint32_t slots;
    } on[] = {{"torus:4x4x4", 16}, {"tree:4,4,4", 17}, {"dragonfly:4,4,1", 64}};

    for (size_t i = 0; i < sizeof(on) / sizeof(*on); i++) {
        struct machine machine = machine_of(on[i].spec, on[i].slots);
        struct mapcore_graph *graph[] = {shuffled_mesh(32, 2 + i),
                                         random_graph(1024, 6, 3),
                                         grid_graph(64, 16)};

        for (size_t k = 0; k < sizeof(graph) / sizeof(*graph); k++) {
            double before = -1;

            for (uint64_t work = 1; work <= 12; work++) {
                struct mapcore_search options = {.work = work};
                struct mapcore_result result =
                    search_on(&machine, graph[k], &options);
                double now = result.metrics.avg_hop_bytes;

                assert_true(result.work <= work);
                if (before >= 0 && now > 1.01 * before)
                    fail_msg("%s, graph %zu: %g at %u units, %g before",
                             on[i].spec, k, now, (unsigned)work, before);
                before = now;
                mapcore_result_clear(&result);
            }
            mapcore_graph_destroy(graph[k]);
        }
        machine_end(&machine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_begun),
        cmocka_unit_test(test_more_work),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
