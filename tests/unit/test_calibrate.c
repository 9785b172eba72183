/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_calibrate.c - what calibrate makes of measured times, by hand */
/* Without config.h, as it is built at a site: PACKAGE is a level there. */
#include "unit.h"

#include "tools/calibrate/mpi_calibrate.h"

#include <math.h>

static int is_close(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

static void links(void **state)
{
    static const struct {
        const char *a, *b;
        int hops;
    } rows[] = {
        {"", "", 2},
        {"s0", "s0", 2},
        {"top.s1", "top.s10", 4},
        {"top.s1", "top.s1", 2},
        {"top.row0.s1", "top.row1.s1", 6},
        {"top.row0.s1", "top.row0.s2", 4},
        {"top.s1", "top.row0.s2", 5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct rank_place a = {.node = "n0"}, b = {.node = "n1"};

        strcpy(a.leaf, rows[i].a);
        strcpy(b.leaf, rows[i].b);
        assert_int_equal(hops_between(&a, &b), rows[i].hops);
        assert_int_equal(hops_between(&a, &a), 0);
    }
}

/* There and back of the shortest message: 2 us in a cache, 3 in a node; 12 at a
 * leaf, two links away, 20 across, four away. */
static void all_levels(void **state)
{
    struct timing inside[2] = {{.pairs = 1, .message = 0.5e-6}, {.pairs = 2}};
    struct timing between[2] = {{.pairs = 1, .message = 0.8e-6},
                                {.pairs = 2, .message = 1.2e-6}};
    struct calibration results = {
        .ncounts = 2, .inside = inside, .between = between};
    struct message_costs costs;

    (void)state;
    results.alone[CACHE] = (struct timing){.pairs = 1, .round_trip = {2e-6}};
    results.alone[NODE] = (struct timing){.pairs = 1, .round_trip = {3e-6}};
    results.alone[LEAF] =
        (struct timing){.pairs = 1, .hops = 2, .round_trip = {12e-6}};
    results.alone[ACROSS] =
        (struct timing){.pairs = 1, .hops = 4, .round_trip = {20e-6}};
    costs = costs_of(&results);
    assert_true(is_close(costs.task, 0.5e-6));
    assert_true(is_close(costs.nic, 0.6e-6));
    assert_true(is_close(costs.memory_latency, 1.0e-6));
    assert_true(is_close(costs.hop_latency, 2e-6));
    assert_true(is_close(costs.nic_latency, 6e-6 - 4e-6 - 0.5e-6));
    /* Nearer across than at the leaf: no link took anything. */
    results.alone[ACROSS].round_trip[0] = 11e-6;
    costs = costs_of(&results);
    assert_true(costs.hop_latency == 0);
    assert_true(is_close(costs.nic_latency, 5.5e-6));
}

/* A rank a node, far apart. */
static void one_pair(void **state)
{
    struct timing inside = {0}, between = {.pairs = 1, .message = 4e-6};
    struct calibration results = {
        .ncounts = 1, .inside = &inside, .between = &between};
    struct message_costs costs;

    (void)state;
    results.alone[ACROSS] =
        (struct timing){.pairs = 1, .hops = 4, .round_trip = {20e-6}};
    costs = costs_of(&results);
    assert_true(is_close(costs.task, 4e-6) && is_close(costs.nic, 4e-6));
    assert_true(costs.memory_latency == 0 && costs.hop_latency == 0);
    assert_true(is_close(costs.nic_latency, 6e-6));
    memset(&results, 0, sizeof(results));
    costs = costs_of(&results);
    assert_true(costs.task == 0 && costs.nic == 0 && costs.nic_latency == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links),
        cmocka_unit_test(all_levels),
        cmocka_unit_test(one_pair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
