/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_dual.c - cuts of parts of a machine against the true hop-bytes */
#include "config.h"

#include "mapfixture.h"

#include "map/bisection/dual.h"
#include "pool/pool.h"

static const struct dual_effort effort = {5, {150, 8}, true, false};

static struct arena arena;

static struct dual *dual_of(struct map_problem *problem,
                            const struct machine *machine,
                            const struct mapcore_graph *graph)
{
    struct dual *dual = NULL;

    *problem = (struct map_problem){.graph = graph, .alloc = machine->alloc};
    assert_ok(dual_create(
        &dual, problem,
        &(struct dual_how){.effort = &effort, .seed = 1, .unit = 1}, &arena));
    return dual;
}

/* Halves everything; tasks of a part stand together, sorted. */
static void descend(struct dual *dual)
{
    const struct host_tree *tree = dual->tree;

    for (uint32_t p = 0; p < tree->nparts; p++) {
        bool cut = false;

        if (tree->part[p].half == MAPCORE_NONE)
            continue;
        assert_ok(dual_halve(dual, &cut, &p, 1, NULL, NULL));
        assert_false(cut);
        assert_int_equal(dual->count[p], 0);
    }
}

static void assert_sorted(const struct dual *dual)
{
    for (uint32_t p = 0; p < dual->tree->nparts; p++)
        for (uint32_t i = 0; i < dual->count[p]; i++) {
            uint32_t t = dual->task[dual->begin[p] + i];

            assert_int_equal(dual->where[t].part, p);
            assert_int_equal(dual->where[t].place, dual->begin[p] + i);
            assert_true(i == 0 || dual->task[dual->begin[p] + i - 1] < t);
        }
}

static double average(const struct dual *dual)
{
    const struct mapcore_graph *graph = dual->problem->graph;
    uint32_t host[512];

    for (uint32_t t = 0; t < graph->ntasks; t++)
        host[t] = dual->tree->host[dual->tree->part[dual->where[t].part].begin];
    assert_fits(dual->problem->alloc, host, graph->ntasks);
    return metrics_of(graph, dual->problem->alloc, host).avg_hop_bytes;
}

/* Between two hosts all distances are exact: what an exchange calls better is
 * fewer hop-bytes, and else nothing moves. Weights are multiples of every
 * distance, so that nothing is rounded. */
static void test_exchange_is_exact(void **state)
{
    static const char *const spec[] = {"torus:4x3/2", "mesh:5x2", "tree:3,4"};
    uint32_t nchanged = 0;

    for (uint32_t round = 0; round < 9; round++) {
        struct machine machine = machine_of(spec[round % 3], 5);
        uint32_t n = mapcore_alloc_nslots(machine.alloc);
        struct mapcore_edge edges[360];
        struct mapcore_graph *graph;
        struct map_problem problem;
        struct dual *dual;
        struct rng rng;

        rng_init(&rng, 5, 0, round);
        for (uint32_t i = 0; i < 360; i++)
            edges[i] =
                (struct mapcore_edge){rng_below(&rng, n), rng_below(&rng, n),
                                      60 * (1 + rng_below(&rng, 9))};
        graph = graph_of(n, edges, 360);
        dual = dual_of(&problem, &machine, graph);
        descend(dual);
        assert_sorted(dual);
        for (uint32_t p = 0; p < dual->tree->nparts; p++)
            for (uint32_t q = 0; q < dual->tree->nparts; q++) {
                double before = average(dual);
                bool cut, changed;

                if (p == q)
                    continue;
                assert_ok(dual_exchange_pair(dual, &cut, &changed, p, q, NULL));
                if (changed)
                    assert_true(average(dual) < before);
                else
                    assert_true(average(dual) <= before &&
                                average(dual) >= before);
                nchanged += changed;
            }
        dual_sort(dual);
        assert_sorted(dual);
        dual_end(dual);
        arena_clear(&arena);
        machine_graph_end(&machine, graph);
    }
    assert_true(nchanged > 20);
}

/* Parts of a level that are halved together: on one thread and on four the
 * same, and every task ends in a half of its part. */
static void test_together(void **state)
{
    struct machine machine = machine_of("torus:8x8", 8);
    struct mapcore_graph *graph = random_graph(500, 6, 3);
    const struct dual_where *at[2];
    struct dual *dual[2];
    struct pool *pool = pool_create(4);

    for (uint32_t i = 0; i < 2; i++) {
        struct map_problem problem;
        struct dual_where before[500];
        uint32_t end;

        dual[i] = dual_of(&problem, &machine, graph);
        at[i] = dual[i]->where;
        for (uint32_t p = 0; p < dual[i]->tree->nparts; p = end) {
            const struct host_part *part = dual[i]->tree->part;
            uint32_t all[DUAL_CUTS], n = 0;
            bool cut = true;

            for (end = p; end < dual[i]->tree->nparts &&
                          part[end].level == part[p].level;
                 end++)
                if (part[end].half != MAPCORE_NONE)
                    all[n++] = end;
            memcpy(before, at[i], sizeof(before));
            assert_ok(
                dual_halve(dual[i], &cut, all, n, i == 0 ? NULL : pool, NULL));
            assert_false(cut);
            for (uint32_t t = 0; t < 500; t++) {
                uint32_t half = part[before[t].part].half;

                assert_true(half == MAPCORE_NONE
                                ? at[i][t].part == before[t].part
                                : at[i][t].part - half < 2);
            }
        }
        assert_sorted(dual[i]);
    }
    assert_memory_equal(at[0], at[1], 500 * sizeof(*at[0]));
    pool_destroy(pool);
    dual_end(dual[0]);
    dual_end(dual[1]);
    arena_clear(&arena);
    machine_graph_end(&machine, graph);
}

/* Rounds end where a round changes nothing, and never make it worse. */
static void test_sweep(void **state)
{
    struct machine machine = machine_of("torus:4x4", 8);
    struct mapcore_graph *graph = random_graph(128, 6, 3);
    struct map_problem problem;
    struct dual *dual = dual_of(&problem, &machine, graph);
    double before, after;
    bool cut = false;

    descend(dual);
    before = average(dual);
    assert_ok(dual_exchange(dual, &cut, 15, 1000, NULL));
    after = average(dual);
    assert_true(after < before);
    assert_sorted(dual);
    assert_ok(dual_exchange(dual, &cut, 15, 1, NULL));
    assert_true(average(dual) <= after);
    assert_false(cut);
    dual_end(dual);
    arena_clear(&arena);
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange_is_exact),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_sweep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
