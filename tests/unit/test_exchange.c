/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_exchange.c - exchange of tasks between the hosts of a machine: fewer
 * hop-bytes, and as many tasks on each */
#include "config.h"

#include "mapfixture.h"

#include "map/bisection/dual.h"

#define NTASKS 48

static const struct dual_effort effort = {5, {150, 8}, true, false};

struct run {
    struct machine machine;
    struct mapcore_graph *graph;
    struct map_problem problem;
    struct dual *dual;
    struct arena arena;
};

/* Halved until each part is a host, whose distances are exact. */
static void begin(struct run *run, const char *spec, uint64_t seed)
{
    struct rng rng;
    struct mapcore_edge edges[150];

    rng_init(&rng, seed, 0, 0);
    for (uint32_t i = 0; i < 150; i++)
        edges[i] = (struct mapcore_edge){rng_below(&rng, NTASKS),
                                         rng_below(&rng, NTASKS),
                                         60 * (1 + rng_below(&rng, 9))};
    run->arena = (struct arena){0};
    run->machine = machine_of(spec, 4);
    run->graph = graph_of(NTASKS, edges, 150);
    run->problem =
        (struct map_problem){.graph = run->graph, .alloc = run->machine.alloc};
    assert_ok(dual_create(
        &run->dual, &run->problem,
        &(struct dual_how){.effort = &effort, .seed = seed, .unit = 1},
        &run->arena));
    for (uint32_t p = 0; p < run->dual->tree->nparts; p++) {
        bool timed_out = false;

        if (run->dual->tree->part[p].half == MAPCORE_NONE)
            continue;
        assert_ok(dual_halve(run->dual, &timed_out, &p, 1, NULL, NULL));
        assert_false(timed_out);
    }
}

static void end(struct run *run)
{
    dual_end(run->dual);
    arena_clear(&run->arena);
    machine_graph_end(&run->machine, run->graph);
}

static double average(const struct run *run)
{
    const struct dual *dual = run->dual;
    uint32_t host[NTASKS];

    for (uint32_t t = 0; t < NTASKS; t++)
        host[t] = dual->tree->host[dual->tree->part[dual->where[t].part].begin];
    assert_fits(run->machine.alloc, host, NTASKS);
    return metrics_of(run->graph, run->machine.alloc, host).avg_hop_bytes;
}

/* More rounds and more partners only add gains; at the end nothing is left that
 * a further run finds, counts are as before, and tasks of a part are sorted. */
static void test_gains(void **state)
{
    static const char *const specs[] = {"torus:4x3", "mesh:6x2", "tree:3,4"};
    uint32_t nbetter = 0;

    for (uint32_t i = 0; i < 9; i++) {
        struct run run;
        bool timed_out = false;
        double first, before;
        uint32_t *count;
        size_t size;

        begin(&run, specs[i % 3], i);
        size = run.dual->tree->nparts * sizeof(*count);
        count = malloc(size);
        assert_non_null(count);
        memcpy(count, run.dual->count, size);
        first = before = average(&run);
        for (uint32_t rounds = 1; rounds <= 4; rounds++) {
            assert_ok(
                dual_exchange(run.dual, &timed_out, 2 * rounds, rounds, NULL));
            assert_false(timed_out);
            assert_true(average(&run) <= before);
            before = average(&run);
        }
        nbetter += before < first;
        assert_memory_equal(run.dual->count, count, size);
        for (uint32_t p = 0; p < run.dual->tree->nparts; p++)
            for (uint32_t k = 1; k < run.dual->count[p]; k++)
                assert_true(run.dual->task[run.dual->begin[p] + k - 1] <
                            run.dual->task[run.dual->begin[p] + k]);
        free(count);
        end(&run);
    }
    assert_true(nbetter >= 5);
}

/* No partners or no rounds: nothing moves. Same seed: the same. */
static void test_same(void **state)
{
    struct run one, two;
    struct dual_where at[NTASKS];
    bool timed_out = false;

    begin(&one, "torus:4x3", 5);
    begin(&two, "torus:4x3", 5);
    memcpy(at, one.dual->where, sizeof(at));
    assert_ok(dual_exchange(one.dual, &timed_out, 0, 3, NULL));
    assert_ok(dual_exchange(one.dual, &timed_out, 3, 0, NULL));
    assert_memory_equal(one.dual->where, at, sizeof(at));
    assert_ok(dual_exchange(one.dual, &timed_out, 3, 4, NULL));
    assert_ok(dual_exchange(two.dual, &timed_out, 3, 4, NULL));
    assert_memory_equal(one.dual->where, two.dual->where, sizeof(at));
    end(&one);
    end(&two);
}

/* Time that is up is said, and every task is still in a part. */
static void test_deadline(void **state)
{
    bool timed_out = false;
    struct run run;

    begin(&run, "mesh:6x2", 1);
    run.problem.deadline.expired = always;
    assert_ok(dual_exchange(run.dual, &timed_out, 4, 4, NULL));
    assert_true(timed_out);
    assert_true(average(&run) > 0);
    end(&run);
    dual_end(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gains),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_deadline),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
