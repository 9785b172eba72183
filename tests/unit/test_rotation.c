/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_rotation.c - what routers hold is turned round on a torus with holes:
 * who may, what it gains, and what a search makes of its rounds */
#include "config.h"

#include "mapfixture.h"

#include "base/array.h"
#include "map/refine/rotation.h"

enum { SIZE = 8, SLOTS = 4, MOST = SIZE * SIZE * SIZE };

/* 8x8x8 without some pairs of routers along y. */
static struct machine holed_machine(uint32_t slots)
{
    uint32_t host[MOST], each[MOST], n = 0;

    for (uint32_t r = 0; r < MOST; r++) {
        uint32_t x = r % SIZE, y = r / SIZE % SIZE, z = r / SIZE / SIZE;

        if ((x + 2 * (y / 2) + 3 * z) % 23 == 0)
            continue;
        host[n] = r;
        each[n++] = slots;
    }
    return part_of("torus:8x8x8", n, host, each);
}

static double average(const struct map_problem *problem, const uint32_t *host)
{
    return metrics_of(problem->graph, problem->alloc, host).avg_hop_bytes;
}

/* Tasks in the order of the hosts, all slots of one after the other. */
static void fill(uint32_t *host, uint32_t ntasks, uint32_t slots)
{
    for (uint32_t t = 0; t < ntasks; t++)
        host[t] = t / slots;
}

/* Cold it never loses; what was together stays together, and pinned tasks where
 * they are; the same numbers give the same. */
static void test_turns(void **state)
{
    struct machine machine = holed_machine(SLOTS);
    struct mapcore_graph *graph = box_graph(16, 14, 8);
    uint32_t n = graph->ntasks, *host = calloc(n, sizeof(*host)),
             *same = calloc(n, sizeof(*same)), *pin = calloc(n, sizeof(*pin));
    struct map_problem problem = {
        .graph = graph, .alloc = machine.alloc, .pin = pin};
    struct arena arena = {0};
    struct rotation *rotation;
    double before;

    assert_true(host && same && pin);
    memset(pin, 0xff, n * sizeof(*pin));
    fill(host, n, SLOTS);
    pin[100] = host[100];
    before = average(&problem, host);
    rotation = rotation_make(&problem, host, &arena);
    assert_non_null(rotation);
    assert_int_equal(rotation_cells(rotation),
                     mapcore_alloc_nhosts(machine.alloc) - 1);
    for (uint32_t run = 0; run < 3; run++) {
        const struct rotation_how how = {0, 20000};
        struct rng rng;
        bool timed_out;

        memcpy(same, host, n * sizeof(*host));
        for (int twice = 0; twice < 2; twice++) {
            rng_init(&rng, 1, 2, run);
            assert_ok(rotation_run(twice ? same : host, &timed_out, rotation,
                                   &how, &rng, NULL));
            assert_false(timed_out);
        }
        assert_memory_equal(host, same, n * sizeof(*host));
        assert_true(average(&problem, host) <= before);
        before = average(&problem, host);
    }
    fill(same, n, SLOTS);
    assert_true(before < 0.9 * average(&problem, same));
    assert_fits(machine.alloc, host, n);
    assert_int_equal(host[100], pin[100]);
    for (uint32_t t = 0; t < n; t++)
        assert_int_equal(host[t], host[t / SLOTS * SLOTS]);
    arena_clear(&arena);
    machine_graph_end(&machine, graph);
    free(host);
    free(same);
    free(pin);
}

/* Nothing to turn on what is a box, and on what is no torus. */
static void test_no_use(void **state)
{
    static const char *const specs[] = {"torus:4x4x4", "tree:8,8", "torus:64"};
    struct mapcore_graph *graph = box_graph(4, 4, 4);
    uint32_t host[64];

    fill(host, 64, 1);
    for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
        struct machine machine = machine_of(specs[i], 1);
        struct map_problem problem = {.graph = graph, .alloc = machine.alloc};
        struct arena arena = {0};

        assert_null(rotation_make(&problem, host, &arena));
        assert_int_equal(arena.error, 0);
        arena_clear(&arena);
        machine_end(&machine);
    }
    mapcore_graph_destroy(graph);
}

/* A search of a grid goes on with it as far as work goes: better, the same on
 * any number of threads, and again from work and schedule; without a bound it
 * ends as before. */
static void test_search(void **state)
{
    static const enum mapcore_choice choices[] = {MAPCORE_CHOOSE_HOP_BYTES,
                                                  MAPCORE_CHOOSE_PARETO};
    struct machine machine = holed_machine(SLOTS);
    struct mapcore_graph *graph = box_graph(16, 14, 8);

    for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
        struct mapcore_search options = {
            .choose = choices[i],
            .schedule = {.starts = 10, .clusters = 1, .tasks = 6}};
        struct mapcore_result plain = search_on(&machine, graph, &options), one,
                              four;

        assert_int_equal(plain.schedule.tasks, 0);
        options.work = 16; /* a round, and half of one */
        one = search_on(&machine, graph, &options);
        options.threads = 4;
        four = search_on(&machine, graph, &options);
        assert_int_equal(one.work, 16);
        assert_int_equal(one.schedule.tasks, 6);
        assert_memory_equal(one.mapping->host, four.mapping->host,
                            graph->ntasks * sizeof(uint32_t));
        assert_true(one.is_refined);
        assert_true(choices[i] != MAPCORE_CHOOSE_HOP_BYTES ||
                    one.metrics.avg_hop_bytes < plain.metrics.avg_hop_bytes);
        mapcore_result_clear(&plain);
        mapcore_result_clear(&one);
        mapcore_result_clear(&four);
    }
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_no_use),
        cmocka_unit_test(test_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
