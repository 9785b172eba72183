/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_refine_more.c - time that is left is used: by rounds of warming and
 * cooling for links, by slower cooling for hop-bytes; never without a bound */
#include "config.h"

#include "mapfixture.h"

#include "map/portfolio/candidates.h"

enum { NTASKS = 1024 };

static void assert_same(const struct mapcore_result *a,
                        const struct mapcore_result *b)
{
    assert_int_equal(a->mapping->ntasks, b->mapping->ntasks);
    assert_memory_equal(a->mapping->host, b->mapping->host,
                        a->mapping->ntasks * sizeof(uint32_t));
    assert_int_equal(a->work, b->work);
}

/* A bound of work beyond what a search needs is used, with a faster slowest
 * link, the same on any number of threads; and a smaller one gives no more. */
static void test_links(void **state)
{
    struct machine machine = machine_of("torus:3x3", 114);
    struct mapcore_graph *graph = random_graph(NTASKS, 3, 8);
    struct mapcore_search options = {
        .choose = MAPCORE_CHOOSE_TIME,
        .schedule = {.starts = CANDIDATE_LAYOUTS + 3, .tasks = 8}};
    struct mapcore_result plain, half, one, four;

    plain = search_on(&machine, graph, &options);
    options.work = plain.work + 6; /* a round, and half of one */
    half = search_on(&machine, graph, &options);
    options.work = plain.work + 8;
    one = search_on(&machine, graph, &options);
    options.threads = 4;
    four = search_on(&machine, graph, &options);
    assert_true(one.interrupted);
    assert_int_equal(one.work, plain.work + 8);
    assert_same(&one, &four);
    assert_true(half.metrics.max_link_time <= plain.metrics.max_link_time);
    assert_true(one.metrics.max_link_time <= half.metrics.max_link_time);
    assert_true(one.metrics.max_link_time < 0.99 * plain.metrics.max_link_time);
    mapcore_result_clear(&plain);
    mapcore_result_clear(&half);
    mapcore_result_clear(&one);
    mapcore_result_clear(&four);
    machine_graph_end(&machine, graph);
}

/* So does one of less than a thousand tasks. */
static void test_small(void **state)
{
    struct machine machine = machine_of("torus:3x4", 6);
    struct mapcore_graph *graph = random_graph(72, 2, 1);
    struct mapcore_search options = {
        .choose = MAPCORE_CHOOSE_TIME,
        .schedule = {.starts = CANDIDATE_LAYOUTS + 2}};
    struct mapcore_result plain, one, four;

    plain = search_on(&machine, graph, &options);
    options.work = plain.work + 8;
    one = search_on(&machine, graph, &options);
    options.threads = 4;
    four = search_on(&machine, graph, &options);
    assert_int_equal(one.work, plain.work + 8);
    assert_same(&one, &four);
    assert_true(one.metrics.max_link_time <= plain.metrics.max_link_time);
    mapcore_result_clear(&plain);
    mapcore_result_clear(&one);
    mapcore_result_clear(&four);
    machine_graph_end(&machine, graph);
}

/* What gains no more ends by itself, before time or work do: a ring around a
 * ring, where no link can have less. */
static void test_flat(void **state)
{
    struct machine machine = machine_of("torus:64", 16);
    struct mapcore_edge edges[NTASKS];
    struct mapcore_graph *graph;
    struct mapcore_search options = {.choose = MAPCORE_CHOOSE_TIME,
                                     .work = 1000000};
    struct mapcore_result result;

    for (uint32_t t = 0; t < NTASKS; t++)
        edges[t] = (struct mapcore_edge){t, (t + 1) % NTASKS, 1000};
    assert_ok(mapcore_graph_create(&graph, NTASKS, edges, NTASKS, NULL));
    result = search_on(&machine, graph, &options);
    assert_false(result.interrupted);
    assert_true(result.work < 1000);
    assert_true(result.metrics.max_link_bytes <= 500);
    mapcore_result_clear(&result);
    machine_graph_end(&machine, graph);
}

/* Chains of four that send each other most, and a few light edges between:
 * hosts that hold a chain each change places as a whole, as with unit=node, and
 * their tasks may still do better. */
static void test_hosts(void **state)
{
    enum { HOSTS = 18, EACH = 4, LIGHT = 40 };
    struct machine machine = machine_of("torus:3x3x2", EACH);
    struct mapcore_edge edge[HOSTS * (EACH - 1) + LIGHT];
    struct mapcore_search options = {.choose = MAPCORE_CHOOSE_TIME};

    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct mapcore_result alone, whole;
        struct mapcore_graph *graph;
        struct rng rng;
        size_t n = 0;

        rng_init(&rng, seed, 0, 0);
        for (uint32_t t = 0; t < HOSTS * EACH; t++)
            if (t % EACH != 0)
                edge[n++] = (struct mapcore_edge){t - 1, t, 5000};
        while (n < HOSTS * (EACH - 1) + LIGHT) {
            const uint32_t a = rng_below(&rng, HOSTS * EACH);
            const uint32_t b = rng_below(&rng, HOSTS * EACH);

            if (a / EACH != b / EACH)
                edge[n++] =
                    (struct mapcore_edge){a, b, 10u << rng_below(&rng, 6)};
        }
        graph = graph_of(HOSTS * EACH, edge, n);
        options.unit = 0;
        alone = search_on(&machine, graph, &options);
        options.unit = MAPCORE_UNIT_HOST;
        whole = search_on(&machine, graph, &options);
        assert_true(alone.metrics.max_link_time <=
                    1.1 * whole.metrics.max_link_time);
        mapcore_result_clear(&alone);
        mapcore_result_clear(&whole);
        mapcore_graph_destroy(graph);
    }
    machine_end(&machine);
}

/* A clock that goes by units of work. */
struct clock {
    _Atomic uint64_t work;
    uint64_t most;
};

static void count(void *arg, uint64_t work, const struct mapcore_metrics *best)
{
    struct clock *clock = arg;

    (void)best;
    atomic_store(&clock->work, work);
}

static bool is_over(void *arg)
{
    struct clock *clock = arg;

    return atomic_load(&clock->work) >= clock->most;
}

static double spent(void *arg)
{
    struct clock *clock = arg;

    return (double)atomic_load(&clock->work) / (double)clock->most;
}

/* With more time than the temperatures need to fall they fall more slowly,
 * until it is over; work and schedule repeat that without a clock. */
static void test_slow(void **state)
{
    struct machine machine = machine_of("torus:4x4", 64);
    struct mapcore_graph *graph = random_graph(NTASKS, 3, 7);
    struct mapcore_search options = {0};
    struct mapcore_result plain, timed, worked;
    struct clock clock = {0};

    plain = search_on(&machine, graph, &options);
    assert_false(plain.interrupted);
    clock.most = plain.work * 3 / 2;
    options = (struct mapcore_search){.expired = is_over,
                                      .spent = spent,
                                      .expired_arg = &clock,
                                      .progress = count,
                                      .progress_arg = &clock};
    timed = search_on(&machine, graph, &options);
    assert_true(timed.schedule.tasks > plain.schedule.tasks);
    assert_true(timed.work > plain.work && timed.work <= clock.most);
    options = (struct mapcore_search){
        .work = timed.work, .schedule = timed.schedule, .threads = 2};
    worked = search_on(&machine, graph, &options);
    assert_same(&timed, &worked);
    mapcore_result_clear(&plain);
    mapcore_result_clear(&timed);
    mapcore_result_clear(&worked);
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links), cmocka_unit_test(test_small),
        cmocka_unit_test(test_hosts), cmocka_unit_test(test_flat),
        cmocka_unit_test(test_slow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
