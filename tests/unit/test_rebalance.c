/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_rebalance.c - parts of the sizes asked for */
#include "config.h"

#include "mapfixture.h"

#include "map/partition/partition.h"

static const struct map_deadline never = {NULL, NULL};

/* Five tasks of a chain in the first part: two move on, the second of them by
 * way of the part between. */
static void test_chain(void **state)
{
    static const uint32_t size[3] = {3, 3, 3};
    static const uint32_t expected[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    uint32_t part[9] = {0, 0, 0, 0, 0, 1, 1, 2, 2};
    uint32_t apart[9] = {0, 0, 0, 0, 0, 0, 0, 0, 2}, count[3] = {0};
    struct mapcore_graph *chain = grid_graph(9, 1), *empty;
    bool timed_out;

    assert_int_equal(
        partition_rebalance(
            part, &timed_out,
            &(struct partition_problem){chain, 3, size, NULL, 0, &never}, NULL),
        0);
    assert_false(timed_out);
    assert_memory_equal(part, expected, sizeof(part));
    empty = graph_of(9, NULL, 0);
    assert_int_equal(
        partition_rebalance(
            apart, &timed_out,
            &(struct partition_problem){empty, 3, size, NULL, 0, &never}, NULL),
        0);
    for (uint32_t t = 0; t < 9; t++)
        count[apart[t]]++;
    assert_memory_equal(count, size, sizeof(size));
    mapcore_graph_destroy(empty);
    mapcore_graph_destroy(chain);
}

/* Any parts get the sizes asked for, and parts that have them stay. */
static void test_sizes(void **state)
{
    struct rng rng;

    rng_init(&rng, 1, 0, 0);
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t nparts = 1 + rng_below(&rng, 9), n = 60;
        struct mapcore_graph *graph = random_graph(n, 1 + round % 5, round);
        uint32_t part[60], before[60], size[9] = {0}, count[9] = {0};
        const struct partition_problem problem = {graph, nparts, size,
                                                  NULL,  0,      &never};
        bool timed_out = false;

        for (uint32_t t = 0; t < n; t++) {
            part[t] = rng_below(&rng, nparts);
            size[rng_below(&rng, nparts)]++;
        }
        assert_int_equal(partition_rebalance(part, &timed_out, &problem, NULL),
                         0);
        assert_false(timed_out);
        for (uint32_t t = 0; t < n; t++) {
            assert_true(part[t] < nparts);
            count[part[t]]++;
        }
        assert_memory_equal(count, size, sizeof(size));
        memcpy(before, part, sizeof(before));
        assert_int_equal(partition_rebalance(part, &timed_out, &problem, NULL),
                         0);
        assert_memory_equal(part, before, sizeof(before));
        mapcore_graph_destroy(graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
