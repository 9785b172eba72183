/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_task_blocks.c - blocks have the tasks that fit a place, and their graph
 * what these send to each other; hosts are filled however little was halved */
#include "config.h"

#include "mapfixture.h"

#include "map/bisection/dual.h"
#include "map/bisection/rb.h"

static uint64_t bytes_across(const struct mapcore_graph *graph,
                             const uint32_t *block)
{
    uint64_t sum = 0;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            if (block[graph->task[k]] != block[t])
                sum += graph->bytes[k];
    return sum / 2;
}

static void check_blocks(const struct mapcore_graph *graph, uint32_t unit)
{
    uint32_t n = (graph->ntasks + unit - 1) / unit, count[256] = {0};
    struct map_deadline never = {0};
    struct task_blocks blocks;
    struct arena arena = {0};
    uint32_t nless = 0;
    bool timed_out;
    struct rng rng;

    rng_init(&rng, 1, 2, 3);
    assert_ok(task_blocks_make(&blocks, &timed_out, graph, unit, &rng, &never,
                               &arena));
    assert_false(timed_out);
    assert_int_equal(blocks.graph.ntasks, n);
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        assert_true(blocks.block[t] < n);
        count[blocks.block[t]]++;
    }
    for (uint32_t b = 0; b < n; b++) {
        assert_true(count[b] <= unit);
        nless += unit - count[b];
    }
    assert_int_equal(nless, n * unit - graph->ntasks);
    assert_int_equal(blocks.graph.total, bytes_across(graph, blocks.block));
    arena_clear(&arena);
}

static void test_sizes(void **state)
{
    static const uint32_t ntasks[] = {1, 2, 63, 64, 65, 200, 256};

    for (size_t i = 0; i < sizeof(ntasks) / sizeof(*ntasks); i++)
        for (uint32_t unit = 1; unit <= 32; unit *= 2) {
            struct mapcore_graph *graph = random_graph(ntasks[i], 5, i);

            check_blocks(graph, unit);
            mapcore_graph_destroy(graph);
        }
}

static void test_unit(void **state)
{
    static const struct {
        uint32_t slots[3], unit;
    } cases[] = {{{16, 16, 16}, 16}, {{16, 24, 8}, 8}, {{48, 0, 96}, 16},
                 {{4, 6, 4}, 2},     {{7, 8, 8}, 1},   {{0, 12, 0}, 4}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct machine machine = part_of("flat:3", 3, NULL, cases[i].slots);

        assert_int_equal(task_blocks_unit(machine.alloc), cases[i].unit);
        machine_end(&machine);
    }
}

static void test_late(void **state)
{
    struct mapcore_graph *graph = random_graph(64, 5, 1);
    struct map_deadline past = {.expired = always};
    struct task_blocks blocks;
    struct arena arena = {0};
    bool timed_out;
    struct rng rng;

    rng_init(&rng, 1, 2, 3);
    assert_ok(
        task_blocks_make(&blocks, &timed_out, graph, 4, &rng, &past, &arena));
    assert_true(timed_out);
    arena_clear(&arena);
    mapcore_graph_destroy(graph);
}

static double hops(const struct machine *machine,
                   const struct mapcore_graph *graph,
                   const uint32_t *host)
{
    struct mapcore_metrics metrics;

    assert_fits(machine->alloc, host, graph->ntasks);
    metrics = metrics_of(graph, machine->alloc, host);
    return metrics.hops_per_byte;
}

/* Without a single cut: a grid numbered along is filled as it is numbered, a
 * ring with numbers at random along its edges. */
static void test_fill(void **state)
{
    static const struct dual_effort effort = {1, {16, 3}, false, true};
    struct machine machine = machine_of("mesh:16", 16);
    struct mapcore_graph *grid = grid_graph(16, 16), *ring, *graph[2];
    struct mapcore_edge edges[256];
    uint32_t name[256], host[256];
    struct rng rng;

    rng_init(&rng, 1, 2, 3);
    for (uint32_t t = 0; t < 256; t++) {
        uint32_t u = rng_below(&rng, t + 1);

        name[t] = name[u];
        name[u] = t;
    }
    for (uint32_t t = 0; t < 256; t++)
        edges[t] = (struct mapcore_edge){name[t], name[(t + 1) % 256], 10};
    ring = graph_of(256, edges, 256);
    graph[0] = grid;
    graph[1] = ring;
    for (size_t i = 0; i < 2; i++) {
        struct map_problem problem = {.graph = graph[i],
                                      .alloc = machine.alloc};
        struct arena arena = {0};
        struct dual *dual = NULL;

        assert_ok(dual_create(
            &dual, &problem,
            &(struct dual_how){.effort = &effort, .seed = 1, .unit = 1},
            &arena));
        assert_ok(dual_fill(host, dual));
        /* Breadth first round a ring two tasks come in turn. */
        assert_true(hops(&machine, graph[i], host) < (i == 0 ? 0.6 : 0.2));
        dual_end(dual);
        arena_clear(&arena);
        mapcore_graph_destroy(graph[i]);
    }
    machine_end(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_unit),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_fill),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
