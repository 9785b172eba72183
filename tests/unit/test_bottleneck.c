/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_bottleneck.c - refinement of the slowest links and tasks: never more,
 * within the slots, the same again, and real where there is something to gain
 */
#include "config.h"

#include "mapfixture.h"

#include "map/refine/bottleneck.h"

static const char *const machines[] = {"torus:4x3x2", "torus:4x3/2",
                                       "mesh:6x4",    "tree:4,6:capacity=3,1",
                                       "flat:24",     "torus:5x5:capacity=4x1"};
#define NMACHINES (sizeof(machines) / sizeof(*machines))

static const uint32_t uneven[] = {0, 3, 1, 5, 2, 0, 4, 1, 1, 6, 2, 2,
                                  3, 1, 0, 2, 2, 9, 1, 1, 4, 2, 0, 3}; /* 55 */

static struct mapcore_metrics run_bottleneck(uint32_t *host,
                                             const struct mapcore_graph *graph,
                                             const struct mapcore_alloc *alloc,
                                             enum bottleneck_goal goal,
                                             double slack,
                                             uint32_t rounds)
{
    const struct bottleneck_how how = {
        .goal = goal, .slack = slack, .rounds = rounds};
    struct map_problem problem = {.graph = graph, .alloc = alloc};
    struct mapcore_metrics metrics;
    struct rng rng;
    bool timed_out;

    rng_init(&rng, 1, 2, 3);
    assert_ok(bottleneck_run(host, &timed_out, &problem, &how, &rng, NULL));
    assert_false(timed_out);
    assert_fits(alloc, host, graph->ntasks);
    metrics = metrics_of(graph, alloc, host);
    return metrics;
}

/* Rounds only take load off the slowest link or the task with most, with
 * any slots, and hop-bytes stay within the slack. */
static void check_never_more(enum bottleneck_goal goal, double slack)
{
    for (uint32_t trial = 0; trial < 2 * NMACHINES; trial++) {
        const char *spec = machines[trial % NMACHINES];
        struct machine machine = part_of(spec, 24, NULL, uneven);
        uint32_t ntasks = trial < NMACHINES ? 55 : 40, n = 0;
        uint32_t host[55], first[55], again[55];
        struct mapcore_graph *graph = random_graph(ntasks, 5, trial);
        struct mapcore_metrics last;

        for (uint32_t h = 0; h < 24; h++)
            for (uint32_t s = 0; s < uneven[h] && n < ntasks; s++)
                host[n++] = h;
        memcpy(first, host, sizeof(host));
        last = run_bottleneck(host, graph, machine.alloc, goal, slack, 0);
        for (uint32_t i = 1; i < 5; i++) {
            struct mapcore_metrics metrics =
                run_bottleneck(host, graph, machine.alloc, goal, slack, i);

            if (goal == BOTTLENECK_LINKS)
                assert_true(metrics.max_link_time <= last.max_link_time);
            else
                assert_true(metrics.max_hop_bytes <= last.max_hop_bytes);
            assert_true(metrics.avg_hop_bytes <=
                        last.avg_hop_bytes * (1 + slack) * (1 + 1e-9));
            last = metrics;
        }
        memcpy(again, first, sizeof(again));
        for (uint32_t i = 1; i < 5; i++)
            run_bottleneck(again, graph, machine.alloc, goal, slack, i);
        assert_memory_equal(again, host, ntasks * sizeof(*host));
        machine_graph_end(&machine, graph);
    }
}

static void test_never_slower(void **state)
{
    check_never_more(BOTTLENECK_LINKS, INFINITY);
    check_never_more(BOTTLENECK_LINKS, 0.02);
}

static void test_never_more_of_a_task(void **state)
{
    check_never_more(BOTTLENECK_TASKS, INFINITY);
    check_never_more(BOTTLENECK_TASKS, 0.02);
}

/* A chain of hosts: the middle of a star of three at one end can be in the
 * middle. With no slack and as many hop-bytes nothing else may change. */
static void test_takes_off_a_task(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 10}, {0, 2, 10}, {0, 3, 10}};
    struct machine machine = machine_of("mesh:4", 1);
    struct mapcore_graph *graph = graph_of(4, edges, 3);
    uint32_t host[] = {0, 1, 2, 3};
    struct mapcore_metrics metrics = run_bottleneck(
        host, graph, machine.alloc, BOTTLENECK_TASKS, INFINITY, 0);

    assert_true(metrics.max_hop_bytes == 60);
    metrics =
        run_bottleneck(host, graph, machine.alloc, BOTTLENECK_TASKS, 0, 4);
    assert_true(metrics.max_hop_bytes == 40);
    machine_graph_end(&machine, graph);
}

/* Hop-bytes that might not fit are left alone. */
static void test_too_many_bytes(void **state)
{
    const struct mapcore_edge edges[] = {
        {0, 1, UINT64_MAX / 8}, {0, 2, UINT64_MAX / 8}, {0, 3, 10}};
    struct machine machine = machine_of("mesh:4", 1);
    struct mapcore_graph *graph = graph_of(4, edges, 3);
    uint32_t host[] = {0, 1, 2, 3}, before[] = {0, 1, 2, 3};

    run_bottleneck(host, graph, machine.alloc, BOTTLENECK_TASKS, INFINITY, 4);
    assert_memory_equal(host, before, sizeof(host));
    machine_graph_end(&machine, graph);
}

/* Two pairs that talk over the one link between two routers, when each could
 * have a router to itself. */
static void test_takes_off_a_link(void **state)
{
    const struct mapcore_edge edges[] = {{0, 2, 100}, {1, 3, 100}};
    struct machine machine = machine_of("mesh:2", 2);
    struct mapcore_graph *graph = graph_of(4, edges, 2);
    uint32_t host[] = {0, 0, 1, 1};
    struct mapcore_metrics metrics = run_bottleneck(
        host, graph, machine.alloc, BOTTLENECK_LINKS, INFINITY, 0);

    assert_true(metrics.max_link_time > 99);
    metrics = run_bottleneck(host, graph, machine.alloc, BOTTLENECK_LINKS,
                             INFINITY, 2);
    assert_false(metrics.max_link_time > 0);
    machine_graph_end(&machine, graph);
}

/* Time that is up leaves the mapping alone. */
static void test_clock(void **state)
{
    struct machine machine = machine_of("mesh:4", 2);
    struct mapcore_graph *graph = random_graph(8, 4, 1);
    uint32_t host[] = {0, 0, 1, 1, 2, 2, 3, 3}, before[8];
    struct map_problem problem = {
        .graph = graph, .alloc = machine.alloc, .deadline.expired = always};
    const struct bottleneck_how how = {.slack = INFINITY, .rounds = 3};
    struct rng rng;
    bool timed_out;

    memcpy(before, host, sizeof(host));
    rng_init(&rng, 1, 2, 3);
    assert_ok(bottleneck_run(host, &timed_out, &problem, &how, &rng, NULL));
    assert_true(timed_out);
    assert_memory_equal(before, host, sizeof(host));
    machine_graph_end(&machine, graph);
}

/* What is warmed and cooled comes out of where a descent is stuck: in all, for
 * some descents end where nothing is better. It still fits, and weighs what its
 * links do. */
static void test_warm(void **state)
{
    double descended = 0, warmed = 0;

    for (uint32_t trial = 0; trial < 8; trial++) {
        struct machine machine = machine_of("torus:3x4", 4);
        struct mapcore_graph *graph = random_graph(48, 4, trial);
        struct map_problem problem = {.graph = graph, .alloc = machine.alloc};
        struct bottleneck_how how = {.slack = INFINITY, .rounds = 32};
        struct mapcore_metrics descent, warm;
        double weight[2] = {0};
        uint32_t host[48];
        struct rng rng;
        bool timed_out;

        for (uint32_t t = 0; t < 48; t++)
            host[t] = t / 4;
        for (int i = 0; i < 2; i++) {
            how.hot = i * 0.01;
            how.weight = &weight[i];
            rng_init(&rng, 1, 2, trial);
            assert_ok(
                bottleneck_run(host, &timed_out, &problem, &how, &rng, NULL));
            assert_false(timed_out);
            assert_fits(machine.alloc, host, 48);
            assert_ok(mapcore_metrics_compute(i == 0 ? &descent : &warm, graph,
                                              machine.alloc, host, NULL));
            /* From one link at the slowest to all of them, two ways each. */
            assert_true(weight[i] >= 1 && weight[i] <= 48);
        }
        descended += descent.max_link_time;
        warmed += warm.max_link_time;
        machine_graph_end(&machine, graph);
    }
    assert_true(warmed < 0.995 * descended);
}

static bool is_last_look(void *arg)
{
    uint32_t *looks = arg;

    return *looks == 0 || --*looks == 0;
}

/* Nor does a look at many tasks last until it has seen them all. */
static void test_clock_of_many(void **state)
{
    enum { NTASKS = 20000 };
    struct machine machine = machine_of("torus:8x8x8", 40);
    struct mapcore_graph *graph = random_graph(NTASKS, 4, 1);
    uint32_t *host = malloc(NTASKS * sizeof(*host));

    assert_non_null(host);
    for (uint32_t t = 0; t < NTASKS; t++)
        host[t] = t / 40;
    for (uint32_t looks = 1; looks < 12; looks++) {
        uint32_t left = looks;
        struct map_problem problem = {
            .graph = graph,
            .alloc = machine.alloc,
            .deadline = {.expired = is_last_look, .arg = &left}};
        const struct bottleneck_how how = {.slack = INFINITY, .rounds = 1};
        struct rng rng;
        bool timed_out;

        rng_init(&rng, 1, 2, 3);
        assert_ok(bottleneck_run(host, &timed_out, &problem, &how, &rng, NULL));
        assert_true(timed_out);
        /* Four looks before all tasks are placed, four at their edges. */
        for (uint32_t t = 0; t < NTASKS && looks <= 8; t++)
            assert_int_equal(host[t], t / 40);
        assert_fits(machine.alloc, host, NTASKS);
    }
    free(host);
    machine_graph_end(&machine, graph);
}

/* `auto` goes by the time of links, whether capacities are stated or not. */
static void test_auto(void **state)
{
    static const struct {
        const char *spec;
        enum mapcore_choice same;
    } cases[] = {{"torus:4x3:capacity=5x1", MAPCORE_CHOOSE_TIME},
                 {"torus:4x3", MAPCORE_CHOOSE_TIME},
                 {"dragonfly:4,2,2", MAPCORE_CHOOSE_TIME}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct machine machine = machine_of(cases[i].spec, 3);
        struct mapcore_graph *graph = random_graph(36, 5, 4);
        struct mapcore_search options = {
            .choose = MAPCORE_CHOOSE_AUTO, .schedule.starts = 20, .work = 42};
        struct mapcore_result result = {0}, same = {0};

        result = search_on(&machine, graph, &options);
        options.choose = cases[i].same;
        options.threads = 3;
        same = search_on(&machine, graph, &options);
        assert_memory_equal(result.mapping->host, same.mapping->host,
                            36 * sizeof(uint32_t));
        assert_true(result.metrics.max_link_time <=
                    result.baseline.max_link_time);
        mapcore_result_clear(&result);
        mapcore_result_clear(&same);
        machine_graph_end(&machine, graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_slower),
        cmocka_unit_test(test_never_more_of_a_task),
        cmocka_unit_test(test_takes_off_a_task),
        cmocka_unit_test(test_too_many_bytes),
        cmocka_unit_test(test_takes_off_a_link),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_clock_of_many),
        cmocka_unit_test(test_warm),
        cmocka_unit_test(test_auto)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
