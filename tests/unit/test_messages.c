/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_messages.c - what latency and the number of messages make of the time of
 * a phase, by hand, and in searches and plays */
#include "config.h"

#include "mapfixture.h"

#include "metric/workload.h"

#include "map/refine/phase_descent.h"

static struct mapcore_phases *phases_of(uint32_t ntasks,
                                        const struct mapcore_flow *flow,
                                        const uint32_t *phase,
                                        size_t n)
{
    struct mapcore_phases *out = NULL;

    assert_ok(mapcore_phases_create(&out, ntasks, flow, phase, n, NULL));
    return out;
}

static struct mapcore_estimate estimate(const struct machine *m,
                                        const struct mapcore_work_type *type,
                                        const uint32_t *host,
                                        struct mapcore_host_rates rates)
{
    struct mapcore_estimate out;

    assert_ok(
        mapcore_work_type_estimate(&out, type, m->alloc, host, &rates, NULL));
    return out;
}

/* A ring of four with links of 2, a task a node but for 0 and 4. Phase 0: from
 * 0 go 10 messages of 8 bytes to 1 and 3 of 6 to 2, half of them each way
 * round: over (0) +x 89 bytes, 44.5 seconds. Phase 1: 4 sends 0, beside it, 5
 * of 20. */
static const struct mapcore_flow ring_flow[] = {{0, 1, 80, 10},
                                                {0, 2, 18, 3},
                                                {4, 0, 100, 5}};
static const uint32_t ring_phase[] = {0, 0, 1};
static const uint32_t ring_host[] = {0, 1, 2, 3, 0};

static void phases_by_hand(void **state)
{
    struct mapcore_phases *phases = phases_of(5, ring_flow, ring_phase, 3);
    const struct mapcore_work_type type = {.phases = phases, .scale = 1};
    struct mapcore_estimate e;
    struct machine m;

    m = machine_of("torus:4:capacity=2", 2);
    e = estimate(&m, &type, ring_host, (struct mapcore_host_rates){.nic = 0});
    assert_true(e.time == 44.5 && e.latency == 0 && e.messages == 0);
    /* The interface of 0: 98 bytes at 4 a second, 13 messages of 2 seconds. */
    e = estimate(&m, &type, ring_host,
                 (struct mapcore_host_rates){.nic = 4, .message = {.nic = 2}});
    assert_true(e.time == 24.5 + 26);
    assert_true(e.messages == 26);
    assert_true(e.next_time == 44.5);
    assert_int_equal(e.port.kind, MAPCORE_PORT_NIC);
    assert_int_equal(e.port.number, 0);
    /* Without a rate its messages alone are less than the link's bytes. */
    e = estimate(&m, &type, ring_host,
                 (struct mapcore_host_rates){.message = {.nic = 2}});
    assert_true(e.time == 44.5 && e.messages == 0 && e.next_time == 26);
    assert_int_equal(e.port.kind, MAPCORE_PORT_LINK);
    /* Task 0 sends 13 and gets 5, tasks are slower than links; in the second
     * phase both have 5. */
    e = estimate(&m, &type, ring_host,
                 (struct mapcore_host_rates){.message = {.task = 4}});
    assert_true(e.time == 52 + 20 && e.messages == 72);
    assert_int_equal(e.port.kind, MAPCORE_PORT_TASK);
    assert_int_equal(e.port.number, 0);
    assert_true(e.next_time == 44.5 + 20);
    /* 10 messages over one link, 3 over two; 5 within a node. */
    e = estimate(&m, &type, ring_host,
                 (struct mapcore_host_rates){
                     .message = {.nic_latency = 1, .hop_latency = 2}});
    assert_true(e.time == 44.5 + 30 && e.latency == 30);
    assert_true(e.next_time == 4.5 + 30); /* (1) +x, 9 bytes */
    e = estimate(&m, &type, ring_host,
                 (struct mapcore_host_rates){.memory = 10,
                                             .message = {.nic_latency = 1,
                                                         .hop_latency = 16,
                                                         .memory_latency = 3}});
    /* 10 x 17 is more than 3 x 33; 100 / 10 + 5 x 3. */
    assert_true(e.time == 44.5 + 170 + 10 + 15 && e.latency == 185);
    mapcore_phases_destroy(phases);
    machine_end(&m);
}

/* Two nodes, a cable of 1 between them and their switch: 0 - 2 is 40 bytes both
 * ways, in 7 messages there and 1 back; 0 - 1 stays inside, in 9 of any size.
 */
static void a_graph_by_hand(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 60}, {0, 2, 40}};
    const struct mapcore_flow flow[] = {
        {0, 1, 0, 9}, {0, 2, 0, 7}, {2, 0, 0, 1}};
    const uint32_t none[] = {0, 0, 0}, host[] = {0, 0, 1};
    struct mapcore_phases *messages = phases_of(3, flow, none, 3);
    struct mapcore_work_type type = {.scale = 1};
    struct mapcore_host_rates rates = {
        .nic = 2, .message = {.nic = 3, .nic_latency = 5, .hop_latency = 0.5}};
    struct mapcore_graph *graph = NULL;
    struct mapcore_estimate e;
    struct machine m;

    m = machine_of("tree:2", 2);
    assert_ok(mapcore_graph_create(&graph, 3, edges, 2, NULL));
    type.graph = graph;
    /* Of what is not known nothing is said. */
    e = estimate(&m, &type, host, rates);
    assert_true(e.time == 20 && e.latency == 0 && e.messages == 0);
    type.messages = messages;
    e = estimate(&m, &type, host, rates);
    assert_true(e.messages == 21 && e.latency == 7 * 6);
    assert_true(e.time == 10 + 21 + 42);
    /* The way in of the other node is as busy. */
    assert_true(e.next_time == 31 + 42);
    assert_int_equal(e.port.kind, MAPCORE_PORT_NIC);
    mapcore_phases_destroy(messages);
    machine_graph_end(&m, graph);
}

static void nonsense(void **state)
{
    static const struct mapcore_host_rates bad[] = {
        {.message = {.nic = -1}},
        {.message = {.task = (double)NAN}},
        {.message = {.hop_latency = (double)INFINITY}},
        {.message = {.nic = 1, .memory_latency = -1e-9}}};
    struct mapcore_phases *phases = phases_of(5, ring_flow, ring_phase, 3);
    const struct mapcore_work_type type = {.phases = phases, .scale = 1};
    struct mapcore_estimate time;
    struct mapcore_estimate e;
    struct machine m;

    m = machine_of("torus:4", 2);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(mapcore_work_type_estimate(&e, &type, m.alloc,
                                                    ring_host, &bad[i], NULL),
                         MAPCORE_EINVAL);
        assert_int_equal(mapcore_work_type_messages(&time, &type, 0, m.alloc,
                                                    ring_host, &bad[i], NULL),
                         MAPCORE_EINVAL);
    }
    mapcore_phases_destroy(phases);
    machine_end(&m);
}

/* 64 tasks, by chance; two phases, and a graph at once whose messages are
 * known. */
struct made {
    struct mapcore_graph *graph;
    struct mapcore_phases *phases, *messages;
    struct mapcore_work_type type[2];
    struct mapcore_workload work;
};

static void make(struct made *made, struct mapcore_message_costs costs)
{
    struct mapcore_flow flow[400], count[200];
    struct mapcore_edge edge[200];
    uint32_t phase[400] = {0}, none[200] = {0};
    struct rng rng;

    rng_init(&rng, 3, 1, 4);
    for (uint32_t i = 0; i < 400; i++) {
        const uint32_t a = rng_below(&rng, 64);
        const uint32_t b = (a + 1 + rng_below(&rng, 63)) % 64;

        flow[i] = (struct mapcore_flow){a, b, 1 + rng_below(&rng, 300),
                                        1 + rng_below(&rng, 20)};
        phase[i] = i % 2;
        if (i >= 200)
            continue;
        edge[i] = (struct mapcore_edge){a, b, flow[i].bytes};
        count[i] = (struct mapcore_flow){a, b, 0, flow[i].messages};
    }
    *made = (struct made){0};
    assert_ok(mapcore_graph_create(&made->graph, 64, edge, 200, NULL));
    made->phases = phases_of(64, flow, phase, 400);
    made->messages = phases_of(64, count, none, 200);
    made->type[0] =
        (struct mapcore_work_type){.phases = made->phases, .scale = 2};
    made->type[1] = (struct mapcore_work_type){
        .graph = made->graph, .messages = made->messages, .scale = 1};
    made->work = (struct mapcore_workload){
        made->type, 2, {.nic = 3, .memory = 11, .message = costs}, 0};
}

static void unmake(struct made *made)
{
    mapcore_phases_destroy(made->phases);
    mapcore_phases_destroy(made->messages);
    mapcore_graph_destroy(made->graph);
}

static const char *const networks[] = {
    "torus:4x4:capacity=2x1", "tree:4,4:capacity=4,7",
    "dragonfly:3,2,3:global=1:capacity=4,2,1"};

/* What a descent goes by is the estimate where messages take interfaces
 * alone. */
static void loads_are_exact(void **state)
{
    struct made made;

    make(&made, (struct mapcore_message_costs){.nic = 25});
    for (size_t i = 0; i < 6; i++) {
        struct machine m;
        struct map_problem problem = {.graph = made.graph};
        struct phase_tables *tables = NULL;
        struct arena arena = {0};
        struct phase_loads loads;
        uint32_t host[64];
        double time;
        struct rng rng;

        made.work.rates.nic = i % 2 ? 0 : 3;
        m = machine_of(networks[i / 2], 4);
        problem.alloc = m.alloc;
        spread_64(host, i + 1);
        assert_ok(phase_tables_create(&tables, &problem, &made.work, NULL));
        assert_non_null(tables);
        assert_ok(phase_loads_begin(&loads, tables, host, &arena));
        rng_init(&rng, 5, 5, i);
        for (uint32_t k = 0; k < 100; k++) {
            const uint32_t a = rng_below(&rng, 64), b = rng_below(&rng, 64);
            const uint32_t from = host[a], to = host[b];

            phase_loads_move(&loads, a, to);
            phase_loads_move(&loads, b, from);
            phase_loads_settle(&loads);
            phase_loads_end(&loads, k % 3 > 0);
            assert_ok(
                mapcore_workload_cost(&time, &made.work, m.alloc, host, NULL));
            assert_true(is_close(time, phase_loads_time(&loads, INFINITY)));
        }
        arena_clear(&arena);
        phase_tables_destroy(tables);
        machine_end(&m);
    }
    unmake(&made);
}

/* What is played, and on top of it what messages take, is never below the
 * estimate. */
static void plays_are_no_shorter(void **state)
{
    static const struct mapcore_message_costs costs[] = {
        {.nic = 25},
        {.task = 40},
        {.nic_latency = 3, .hop_latency = 2, .memory_latency = 1},
        {.nic = 9, .task = 5, .nic_latency = 2, .memory_latency = 4}};

    for (size_t i = 0; i < 12; i++) {
        struct mapcore_play_how how = {0};
        struct made made;
        struct machine m;
        uint32_t host[64];

        make(&made, costs[i % 4]);
        how.rates = made.work.rates;
        m = machine_of(networks[i / 4], 4);
        spread_64(host, i + 1);
        for (size_t t = 0; t < 2; t++) {
            const struct mapcore_work_type *type = &made.type[t];
            struct mapcore_estimate e;
            struct mapcore_estimate time;
            struct mapcore_play play;
            double played = 0, bound = 0;

            assert_ok(mapcore_work_type_estimate(&e, type, m.alloc, host,
                                                 &how.rates, NULL));
            for (size_t p = 0; p < (type->phases ? type->phases->n : 1); p++) {
                const struct mapcore_play_source source = {
                    .graph = type->phases ? NULL : type->graph,
                    .phases = type->phases,
                    .phase = p,
                    .alloc = m.alloc,
                    .host = host};

                assert_ok(mapcore_play_flows(&play, &source, &how, NULL));
                assert_ok(mapcore_work_type_messages(&time, type, p, m.alloc,
                                                     host, &how.rates, NULL));
                played += play.time + time.messages + time.latency;
                bound += fmax(play.bound, time.time) + time.latency;
            }
            assert_true(e.latency + e.messages > 0);
            assert_true(is_close(bound, e.time));
            assert_true(played >= e.time * (1 - 1e-9));
        }
        machine_end(&m);
        unmake(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_by_hand),
        cmocka_unit_test(a_graph_by_hand),
        cmocka_unit_test(nonsense),
        cmocka_unit_test(loads_are_exact),
        cmocka_unit_test(plays_are_no_shorter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
