/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_play_ordered.c - flows that wait for others of their tasks: times by
 * hand, and what must hold for any */
#include "config.h"

#include "metric/workload.h"

#include "mapfixture.h"

/* The flow of half an edge's bytes from one to the other. */
struct staged {
    uint32_t from, to;
    uint8_t stage;
};

static uint8_t *stages_of(const struct mapcore_graph *graph,
                          const struct staged *staged,
                          size_t n)
{
    uint8_t *stage = calloc(graph->row[graph->ntasks] + 1, 1);

    assert_non_null(stage);
    for (size_t i = 0; i < n; i++)
        for (size_t k = graph->row[staged[i].from];
             k < graph->row[staged[i].from + 1]; k++)
            if (graph->task[k] == staged[i].to)
                stage[k] = staged[i].stage;
    return stage;
}

/* Both ways of an edge alike. */
static uint8_t *stages_of_edges(const struct mapcore_graph *graph,
                                const struct mapcore_edge *edges,
                                const uint8_t *of_edge,
                                size_t n)
{
    struct staged staged[32];

    assert_true(2 * n <= 32);
    for (size_t i = 0; i < n; i++) {
        staged[2 * i] = (struct staged){edges[i].a, edges[i].b, of_edge[i]};
        staged[2 * i + 1] = (struct staged){edges[i].b, edges[i].a, of_edge[i]};
    }
    return stages_of(graph, staged, 2 * n);
}

static const uint32_t in_order[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const struct mapcore_play_how exact = {.merge = 0};

/* 10 bytes each way on the first link of a line, and then 20 on the second:
 * 10 and 20, where the slowest link alone takes 20. */
static void one_after_the_other(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 20}, {1, 2, 40}};
    const uint8_t first[] = {0, 1}, last[] = {9, 3}, together[] = {7, 7};
    struct machine machine = machine_of("mesh:3", 1);
    struct mapcore_graph *graph = graph_of(3, edges, 2);
    const uint8_t *orders[] = {first, last, together};
    const double time[] = {30, 30, 20};

    for (int i = 0; i < 3; i++) {
        uint8_t *stage = stages_of_edges(graph, edges, orders[i], 2);
        struct mapcore_play p =
            play_stages(&machine, graph, stage, in_order, &exact);

        assert_near(p.time, time[i]);
        assert_near(p.bound, 20);
        assert_int_equal(p.flows, 4);
        assert_int_equal(p.steps, 2);
        assert_int_equal(p.stages, i < 2 ? 2 : 1);
        free(stage);
    }
    machine_graph_end(&machine, graph);
}

/* Each on a cable of its own. 0 and 1 take 10, 2 and 3 take 30. Then 0 and 4,
 * which need not wait for 2 and 3, until 20; 1 and 2 from 30 to 40. At last 4
 * and 5 from 20 to 30, and 0 and 3 from 30 to 40. Without the two pairs of 2:
 * until 10, 20 and 30. */
static void each_as_it_can(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 20}, {0, 4, 20}, {4, 5, 20},
                                         {2, 3, 60}, {1, 2, 20}, {0, 3, 20}};
    const uint8_t order[] = {0, 1, 2, 0, 1, 2};
    static const struct {
        size_t nedges;
        double time, bound; /* 2 sends 30 and 10 */
        uint64_t steps;
    } cases[] = {{6, 40, 40, 4}, {3, 30, 20, 3}};
    struct machine machine = machine_of("tree:6", 1);

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct mapcore_graph *graph = graph_of(6, edges, cases[i].nedges);
        uint8_t *stage = stages_of_edges(graph, edges, order, cases[i].nedges);
        struct mapcore_play p =
            play_stages(&machine, graph, stage, in_order, &exact);

        assert_near(p.time, cases[i].time);
        assert_near(p.bound, cases[i].bound);
        assert_int_equal(p.stages, 3);
        assert_int_equal(p.steps, cases[i].steps);
        free(stage);
        mapcore_graph_destroy(graph);
    }
    machine_end(&machine);
}

/* All tasks of a ring send east, and then west: 10 and 10, not 10 at once;
 * where two share each host's interface of 1 it is 20 and 20 either way. */
static void directions(void **state)
{
    enum { N = 5 };
    struct mapcore_edge edges[N];
    struct staged staged[2 * N];
    struct machine machine = machine_of("torus:5", 1);
    struct mapcore_play_how how = {.merge = 0};
    struct mapcore_graph *graph;
    uint8_t *stage, *none;

    for (uint32_t i = 0; i < N; i++) {
        const uint32_t east = (i + 1) % N;

        edges[i] = (struct mapcore_edge){i, east, 20};
        staged[2 * i] = (struct staged){i, east, 0};
        staged[2 * i + 1] = (struct staged){east, i, 1};
    }
    graph = graph_of(N, edges, N);
    stage = stages_of(graph, staged, 2 * N);
    none = stages_of(graph, NULL, 0);
    assert_near(play_stages(&machine, graph, none, in_order, &how).time, 10);
    assert_near(play_stages(&machine, graph, stage, in_order, &how).time, 20);
    how.rates.nic = 1;
    assert_near(play_stages(&machine, graph, none, in_order, &how).time, 20);
    assert_near(play_stages(&machine, graph, stage, in_order, &how).time, 20);
    free(stage);
    free(none);
    machine_graph_end(&machine, graph);
}

/* Never before what the estimate says; with one stage for all as without any;
 * and not much later where ends are merged. */
static void of_any(void **state)
{
    static const char *const specs[] = {"torus:4x3x2:capacity=1x2x1",
                                        "mesh:5x5", "tree:2,3,4:capacity=4,2,1",
                                        "dragonfly:5,4,2", "torus:3x3/2"};
    static const struct mapcore_host_rates rates[] = {
        {.nic = 0}, {.nic = 1.5}, {.nic = 3, .memory = 0.7}};

    for (uint64_t i = 0; i < 5 * 3 * 2; i++) {
        struct machine machine = machine_of(specs[i % 5], 3);
        uint32_t nhosts = mapcore_alloc_nhosts(machine.alloc), host[40];
        struct mapcore_graph *graph = random_graph(40, 5, i);
        const size_t n = graph->row[40];
        uint8_t *stage = calloc(n, 1);
        struct mapcore_play_how how = {.rates = rates[i % 3], .seed = i};
        struct mapcore_estimate estimate;
        struct mapcore_play free_play, ordered, merged;
        struct rng rng;

        assert_non_null(stage);
        rng_init(&rng, i, 2, 0);
        for (uint32_t t = 0; t < 40; t++)
            host[t] = rng_below(&rng, nhosts);
        assert_ok(mapcore_work_type_estimate(
            &estimate, &(struct mapcore_work_type){.graph = graph},
            machine.alloc, host, &how.rates, NULL));
        free_play = play_stages(&machine, graph, NULL, host, &how);
        ordered = play_stages(&machine, graph, stage, host, &how);
        assert_near(ordered.time, free_play.time);
        assert_near(ordered.bound, estimate.time);
        assert_int_equal(ordered.flows, free_play.flows);
        assert_int_equal(ordered.stages, 1);
        for (size_t k = 0; k < n; k++)
            stage[k] = (uint8_t)rng_below(&rng, i % 2 ? 4 : 255);
        for (how.rates.routing = MAPCORE_ROUTING_STATIC;
             how.rates.routing <= MAPCORE_ROUTING_UGAL; how.rates.routing++) {
            how.merge = 0;
            ordered = play_stages(&machine, graph, stage, host, &how);
            assert_int_equal(ordered.flows, free_play.flows);
            assert_true(ordered.time >= ordered.bound * (1 - 1e-9));
            assert_true(ordered.steps <= ordered.flows);
            how.merge = 0.05;
            merged = play_stages(&machine, graph, stage, host, &how);
            assert_true(merged.time >= merged.bound * (1 - 1e-9));
            assert_true(merged.steps <= ordered.steps);
            assert_true(fabs(merged.time - ordered.time) < 0.2 * ordered.time);
        }
        free(stage);
        machine_graph_end(&machine, graph);
    }
}

static void nothing_and_nonsense(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 60}};
    const uint32_t together[] = {0, 0}, bad[] = {0, 9};
    struct machine machine = machine_of("torus:2", 2);
    struct mapcore_graph *graph = graph_of(2, edges, 1);
    const uint8_t stage[] = {254, 255};
    struct mapcore_play p;
    struct mapcore_play_source source;

    p = play_stages(&machine, graph, stage, together, &exact);
    assert_true(p.time == 0 && p.bound == 0 && p.flows == 0 && p.steps == 0);
    p = play_stages(&machine, graph, stage, in_order, &exact);
    assert_near(p.time, 60 / 2.0); /* two links each way, two stages */
    source = (struct mapcore_play_source){.graph = graph,
                                          .stage = stage,
                                          .alloc = machine.alloc,
                                          .host = in_order};
    source.host = bad;
    assert_int_equal(mapcore_play_flows(&p, &source, &exact, NULL),
                     MAPCORE_EINVAL);
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(each_as_it_can),
        cmocka_unit_test(directions),
        cmocka_unit_test(of_any),
        cmocka_unit_test(nothing_and_nonsense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
