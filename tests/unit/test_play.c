/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_play.c - flows that share a network fairly: times by hand, and what must
 * hold for any */
#include "config.h"

#include "metric/workload.h"

#include "mapfixture.h"

/* Exact, by static routes. */
static struct mapcore_play play_edges(const char *spec,
                                      uint32_t slots,
                                      uint32_t ntasks,
                                      const uint32_t *host,
                                      const struct mapcore_edge *edges,
                                      size_t nedges,
                                      struct mapcore_host_rates rates)
{
    const struct mapcore_play_how how = {.rates = rates};
    struct machine machine = machine_of(spec, slots);
    struct mapcore_graph *graph = graph_of(ntasks, edges, nedges);
    struct mapcore_play out = play_stages(&machine, graph, NULL, host, &how);

    machine_graph_end(&machine, graph);
    return out;
}

static const struct mapcore_host_rates no_rates = {.nic = 0};

/* 100 and 50 bytes come to host 2 over its cable of 1: half each until the
 * short one ends at 100, then the rest of the other alone. */
static void two_flows_on_a_link(void **state)
{
    const struct mapcore_edge edges[] = {{0, 2, 200}, {1, 2, 100}};
    const uint32_t host[] = {0, 1, 2};
    struct mapcore_play p =
        play_edges("tree:3", 1, 3, host, edges, 2, no_rates);

    assert_near(p.time, 150);
    assert_near(p.bound, 150);
    assert_int_equal(p.flows, 4);
    assert_int_equal(p.steps, 2);
}

/* The classical line: 0-2 over both links, 0-1 and 1-2 over one each, of 10, 5
 * and 20 bytes each way. Halves until 0-1 ends at 10; 0-2 still has half of
 * the second link, and ends at 20; 1-2 has 10 left, and a link for itself. */
static void three_flows_on_a_line(void **state)
{
    const struct mapcore_edge edges[] = {{0, 2, 20}, {0, 1, 10}, {1, 2, 40}};
    const uint32_t host[] = {0, 1, 2};
    struct mapcore_play p =
        play_edges("mesh:3", 1, 3, host, edges, 3, no_rates);

    assert_near(p.time, 30);
    assert_int_equal(p.steps, 3);
    assert_int_equal(p.flows, 6);
}

/* Max-min shares that differ: on the line 0-1-2, three flows over the first
 * link, one of which goes on over the second, where another one is: a third
 * each for the three, two thirds for the other (30 bytes each way all). It ends
 * at 45, the others at 90; with 60 bytes at 90, as they; of 90, 30 are left
 * then and have the link alone. */
static void max_min_shares(void **state)
{
    static const struct {
        uint64_t bytes;
        double time;
        uint64_t steps;
    } cases[] = {{60, 90, 2}, {120, 90, 1}, {180, 120, 2}};
    const uint32_t host[] = {0, 0, 0, 1, 1, 2, 1, 2};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct mapcore_edge edges[] = {
            {0, 3, 60}, {1, 4, 60}, {2, 5, 60}, {6, 7, cases[i].bytes}};
        struct mapcore_play p =
            play_edges("mesh:3", 8, 8, host, edges, 4, no_rates);

        assert_near(p.time, cases[i].time);
        assert_int_equal(p.steps, cases[i].steps);
        assert_int_equal(p.flows, 8);
    }
}

/* A parking lot: 1, 2 and 3 send 30 bytes each to 0 along a line, where the
 * first link is shared by all: a third each, until 90. Without 1's, which is
 * shorter (6 bytes, until 18), 24 are left of the others' at a half: 66. */
static void a_parking_lot(void **state)
{
    const struct mapcore_edge equal[] = {{0, 1, 60}, {0, 2, 60}, {0, 3, 60}};
    const struct mapcore_edge shorter[] = {{0, 1, 12}, {0, 2, 60}, {0, 3, 60}};
    const uint32_t host[] = {0, 1, 2, 3};
    struct mapcore_play p =
        play_edges("mesh:4", 1, 4, host, equal, 3, no_rates);

    assert_near(p.time, 90);
    assert_int_equal(p.steps, 1);
    p = play_edges("mesh:4", 1, 4, host, shorter, 3, no_rates);
    assert_near(p.time, 66);
    assert_int_equal(p.steps, 2);
}

/* Where the slowest link alone says too little: on 0-1-2-3 flows 0-2 and 1-3 of
 * 20 bytes share the middle link, and each a side with three of 10. A quarter
 * each on the sides until 40, with the middle link half used; then the two
 * share the middle: 60, and no link carries more than 50. */
static void later_than_the_slowest_link(void **state)
{
    const struct mapcore_edge edges[] = {
        {0, 4, 40}, {1, 5, 40},   {2, 6, 20},   {3, 7, 20},
        {8, 9, 20}, {10, 11, 20}, {12, 13, 20}, {14, 15, 20}};
    const uint32_t host[] = {0, 1, 0, 0, 2, 3, 1, 1, 0, 1, 2, 3, 2, 3, 2, 3};
    struct mapcore_play p =
        play_edges("mesh:4", 8, 16, host, edges, 8, no_rates);

    assert_near(p.bound, 50);
    assert_near(p.time, 60);
}

/* 0 sends 40 and 20 through an interface of 2: 30; what stays on the host, 60
 * both ways together, takes its memory of 1. */
static void interfaces_and_memories(void **state)
{
    const struct mapcore_edge edges[] = {{0, 2, 80}, {0, 3, 40}, {0, 1, 60}};
    const uint32_t host[] = {0, 0, 1, 3};
    const struct mapcore_host_rates nic = {.nic = 2}, memory = {.memory = 1};
    struct mapcore_play p =
        play_edges("torus:4:capacity=9", 2, 4, host, edges, 3, nic);

    assert_near(p.time, 30);
    assert_int_equal(p.port.kind, MAPCORE_PORT_NIC);
    assert_int_equal(p.port.number, 0);
    p = play_edges("torus:4:capacity=9", 2, 4, host, edges, 3, memory);
    assert_near(p.time, 60);
    assert_int_equal(p.port.kind, MAPCORE_PORT_MEMORY);
    /* Without rates neither takes time. */
    p = play_edges("torus:4:capacity=8", 2, 4, host, edges, 3, no_rates);
    assert_near(p.time, 5);
    assert_int_equal(p.flows, 4);
}

/* Two of 10 bytes each way from corner to corner of a square: one way for both
 * by dimensions, one for each by load, and by chance now this, now that. */
static void ways(void **state)
{
    const struct mapcore_edge edges[] = {{0, 2, 20}, {1, 3, 20}};
    const uint32_t host[] = {0, 0, 3, 3};
    struct mapcore_play_how how = {.rates.routing = MAPCORE_ROUTING_STATIC};
    struct machine machine = machine_of("mesh:2x2", 2);
    struct mapcore_graph *graph = graph_of(4, edges, 2);
    bool seen[2] = {false, false};

    assert_near(play_stages(&machine, graph, NULL, host, &how).time, 20);
    how.rates.routing = MAPCORE_ROUTING_ADAPTIVE;
    assert_near(play_stages(&machine, graph, NULL, host, &how).time, 10);
    how.rates.routing = MAPCORE_ROUTING_ECMP;
    for (how.seed = 1; how.seed <= 32; how.seed++) {
        struct mapcore_play p = play_stages(&machine, graph, NULL, host, &how);

        assert_near(p.time, p.bound);
        seen[p.time > 15] = true;
        assert_near(p.time, p.time > 15 ? 20 : 10);
        assert_true(p.time ==
                    play_stages(&machine, graph, NULL, host, &how).time);
    }
    assert_true(seen[0] && seen[1]);
    machine_graph_end(&machine, graph);
}

/* All of a group to all of another: one cable between two groups by minimal
 * ways, many by detours; and on a tree, where there are none, what static
 * does. */
static void detours(void **state)
{
    struct mapcore_play_how how = {.seed = 1};
    struct machine machine = machine_of("dragonfly:9,4,2", 1);
    struct mapcore_edge edges[8];
    uint32_t host[16];
    struct mapcore_graph *graph;
    struct mapcore_play direct, around;

    for (uint32_t i = 0; i < 16; i++)
        host[i] = i;
    for (uint32_t i = 0; i < 8; i++)
        edges[i] = (struct mapcore_edge){i, i + 8, 1000};
    graph = graph_of(16, edges, 8);
    direct = play_stages(&machine, graph, NULL, host, &how);
    how.rates.routing = MAPCORE_ROUTING_UGAL;
    around = play_stages(&machine, graph, NULL, host, &how);
    assert_true(around.time < 0.7 * direct.time);
    assert_true(around.time >= around.bound * (1 - 1e-9));
    machine_end(&machine);
    machine = machine_of("tree:4,4", 1);
    around = play_stages(&machine, graph, NULL, host, &how);
    how.rates.routing = MAPCORE_ROUTING_STATIC;
    direct = play_stages(&machine, graph, NULL, host, &how);
    assert_near(around.time, direct.time);
    machine_graph_end(&machine, graph);
}

/* On any network, graph and placement: never faster than the estimate of the
 * same routes; with ends merged not faster either, in fewer steps, and not much
 * later. */
static void never_below_the_estimate(void **state)
{
    static const char *const specs[] = {
        "torus:4x3x2:capacity=1x2x1",
        "mesh:5x5",
        "ring:7",
        "tree:2,3,4:capacity=4,2,1",
        "flat:20",
        "dragonfly:5,4,2",
        "torus:3x3/2",
        "hypercube:4",
    };
    const struct mapcore_host_rates rates[] = {
        {.nic = 0}, {.nic = 1.5}, {.nic = 3, .memory = 0.7}};

    for (uint64_t i = 0; i < 8 * 3 * 4; i++) {
        struct machine machine = machine_of(specs[i % 8], 3);
        uint32_t nhosts = mapcore_alloc_nhosts(machine.alloc), host[40];
        struct mapcore_graph *graph = random_graph(40, 5, i);
        struct mapcore_play_how how = {.rates = rates[i / 8 % 3], .seed = i};
        struct mapcore_estimate estimate;
        struct mapcore_play exact, merged;
        struct rng rng;

        rng_init(&rng, i, 2, 0);
        for (uint32_t t = 0; t < 40; t++)
            host[t] = rng_below(&rng, nhosts);
        assert_ok(mapcore_work_type_estimate(
            &estimate, &(struct mapcore_work_type){.graph = graph},
            machine.alloc, host, &how.rates, NULL));
        exact = play_stages(&machine, graph, NULL, host, &how);
        assert_near(exact.bound, estimate.time);
        assert_int_equal(exact.port.kind, estimate.port.kind);
        assert_int_equal(exact.port.number, estimate.port.number);
        assert_true(exact.time >= estimate.time * (1 - 1e-9));
        how.merge = 0.05;
        merged = play_stages(&machine, graph, NULL, host, &how);
        assert_true(merged.time >= estimate.time * (1 - 1e-9));
        assert_true(merged.steps < exact.steps / 2);
        assert_true(merged.steps <= merged.time / 0.05 / merged.bound + 1);
        assert_true(fabs(merged.time - exact.time) < 0.1 * exact.time);
        how.merge = 0;
        for (how.rates.routing = MAPCORE_ROUTING_ECMP;
             how.rates.routing <= MAPCORE_ROUTING_UGAL; how.rates.routing++) {
            exact = play_stages(&machine, graph, NULL, host, &how);
            assert_true(exact.time >= exact.bound * (1 - 1e-9));
            assert_true(exact.bound > 0);
        }
        machine_graph_end(&machine, graph);
    }
}

static void nothing_and_nonsense(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 60}};
    const uint32_t together[] = {0, 0}, apart[] = {0, 1}, bad[] = {0, 9};
    struct mapcore_play_how how = {0};
    struct machine machine = machine_of("torus:2", 2);
    struct mapcore_graph *graph = graph_of(2, edges, 1);
    struct mapcore_play p;
    struct mapcore_play_source source = {
        .graph = graph, .alloc = machine.alloc, .host = apart};

    p = play_stages(&machine, graph, NULL, together, &how);
    assert_true(p.time == 0 && p.bound == 0 && p.flows == 0 && p.steps == 0);
    assert_int_equal(p.port.kind, MAPCORE_PORT_NONE);
    source.host = bad;
    assert_int_equal(mapcore_play_flows(&p, &source, &how, NULL),
                     MAPCORE_EINVAL);
    source.host = apart;
    how.merge = -1;
    assert_int_equal(mapcore_play_flows(&p, &source, &how, NULL),
                     MAPCORE_EINVAL);
    how = (struct mapcore_play_how){.rates = {.nic = (double)NAN}};
    assert_int_equal(mapcore_play_flows(&p, &source, &how, NULL),
                     MAPCORE_EINVAL);
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_flows_on_a_link),
        cmocka_unit_test(three_flows_on_a_line),
        cmocka_unit_test(max_min_shares),
        cmocka_unit_test(a_parking_lot),
        cmocka_unit_test(later_than_the_slowest_link),
        cmocka_unit_test(interfaces_and_memories),
        cmocka_unit_test(ways),
        cmocka_unit_test(detours),
        cmocka_unit_test(never_below_the_estimate),
        cmocka_unit_test(nothing_and_nonsense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
