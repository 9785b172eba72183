/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_gain.c - which number decides that ranks move, and when they stay */
#include "config.h"

#include "unit.h"

#include "tools/plan/gain.h"

/* Before: a slowest link of 100, hop-bytes of 50 and 80 at most, 20 inside. */
static struct mapcore_result result_of(double link,
                                       double average,
                                       double maximum,
                                       double inside)
{
    return (struct mapcore_result){
        .baseline = {.max_link_time = 100,
                     .avg_hop_bytes = 50,
                     .max_hop_bytes = 80},
        .baseline_inside = {.avg_inside_hop_bytes = 20},
        .metrics = {.max_link_time = link,
                    .avg_hop_bytes = average,
                    .max_hop_bytes = maximum},
        .inside = {.avg_inside_hop_bytes = inside},
    };
}

static void the_first_that_matters(void **state)
{
    static const struct {
        double link, average, maximum, inside;
        enum mapcore_choice choice;
        enum mapcore_plan_decision by;
        double before, after;
    } rows[] = {
        {50, 60, 90, 30, MAPCORE_CHOOSE_TIME, MAPCORE_PLAN_BY_LINK_TIME, 100,
         50},
        /* Exactly 1% counts, less does not. */
        {99, 50, 80, 20, MAPCORE_CHOOSE_TIME, MAPCORE_PLAN_BY_LINK_TIME, 100,
         99},
        {99.5, 50, 80, 20, MAPCORE_CHOOSE_TIME, MAPCORE_PLAN_BY_NOTHING, 100,
         99.5},
        {100, 40, 80, 20, MAPCORE_CHOOSE_TIME, MAPCORE_PLAN_BY_HOP_BYTES, 50,
         40},
        {100, 49.9, 40, 20, MAPCORE_CHOOSE_TIME, MAPCORE_PLAN_BY_NOTHING, 100,
         100},
        /* The maximum counts by Pareto's rule alone. */
        {100, 49.9, 40, 20, MAPCORE_CHOOSE_PARETO,
         MAPCORE_PLAN_BY_MAX_HOP_BYTES, 80, 40},
        {100, 50, 80, 10, MAPCORE_CHOOSE_TIME, MAPCORE_PLAN_BY_INSIDE, 20, 10},
        /* More hop-bytes for less inside, or for a lower maximum, are none. */
        {100, 51, 40, 10, MAPCORE_CHOOSE_PARETO, MAPCORE_PLAN_BY_NOTHING, 100,
         100},
        /* Nothing is better than a slowest link that is slower. */
        {100.1, 10, 10, 1, MAPCORE_CHOOSE_PARETO, MAPCORE_PLAN_BY_NOTHING, 100,
         100.1},
    };
    const double same[2] = {7, 7};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct mapcore_result result = result_of(
            rows[i].link, rows[i].average, rows[i].maximum, rows[i].inside);
        struct gain gain = gain_find(&result, rows[i].choice, same);

        assert_int_equal(gain.by, rows[i].by);
        assert_true(gain.before == rows[i].before);
        assert_true(gain.after == rows[i].after);
        assert_true(gain.is_slower == (rows[i].link > 100));
    }
}

/* All types together take longer: nothing else is looked at. */
static void slower_by_types(void **state)
{
    const double longer[2] = {7, 7.1}, rounding[2] = {7, 7 * (1 + 1e-12)};
    struct mapcore_result result = result_of(50, 40, 40, 10);
    struct gain gain = gain_find(&result, MAPCORE_CHOOSE_TIME, longer);

    assert_int_equal(gain.by, MAPCORE_PLAN_BY_NOTHING);
    assert_true(gain.is_slower);
    gain = gain_find(&result, MAPCORE_CHOOSE_TIME, rounding);
    assert_int_equal(gain.by, MAPCORE_PLAN_BY_LINK_TIME);
    assert_false(gain.is_slower);
}

/* Where nothing was sent before there is nothing to gain. */
static void nothing_before(void **state)
{
    const double none[2] = {0, 0};
    struct mapcore_result result = {.metrics = {0}};
    struct gain gain = gain_find(&result, MAPCORE_CHOOSE_PARETO, none);

    assert_int_equal(gain.by, MAPCORE_PLAN_BY_NOTHING);
    assert_false(gain.is_slower);
}

/* With messages the estimate knows more than the slowest link. */
static void by_time_alone(void **state)
{
    static const struct {
        double link, inside, after;
        enum mapcore_plan_decision by;
        bool is_slower;
    } rows[] = {
        {300, 30, 6.93, MAPCORE_PLAN_BY_TIME, false},
        {50, 30, 6.94, MAPCORE_PLAN_BY_NOTHING, false},
        {50, 10, 7, MAPCORE_PLAN_BY_INSIDE, false},
        {50, 10, 7.1, MAPCORE_PLAN_BY_NOTHING, true},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct mapcore_result result =
            result_of(rows[i].link, 40, 40, rows[i].inside);
        const double estimate[2] = {7, rows[i].after};
        struct gain gain = gain_find_by_time(&result, estimate, 0.01);

        assert_int_equal(gain.by, rows[i].by);
        assert_true(gain.is_slower == rows[i].is_slower);
    }
}

/* Fat trees ask for more than other networks, and so do routes that are not
 * static; one switch is no tree. */
static void by_network(void **state)
{
    static const struct {
        const char *network;
        enum mapcore_routing routing;
        double least;
    } rows[] = {
        {"torus:4x4", MAPCORE_ROUTING_STATIC, 0.01},
        {"dragonfly:5,2,2", MAPCORE_ROUTING_STATIC, 0.01},
        {"dragonfly:5,2,2", MAPCORE_ROUTING_UGAL, 0.1},
        {"flat:8", MAPCORE_ROUTING_STATIC, 0.01},
        {"tree:4,4", MAPCORE_ROUTING_STATIC, 0.15},
        {"tree:4,4", MAPCORE_ROUTING_ECMP, 0.15},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const double estimate[2] = {7, 6.2};
        struct mapcore_result result = result_of(50, 40, 40, 20);
        struct mapcore_topo *topo;
        double least;

        assert_ok(mapcore_topo_open(&topo, rows[i].network, NULL));
        least = gain_least_on(topo, rows[i].routing, false);
        assert_true(least >= rows[i].least && least <= rows[i].least);
        assert_int_equal(gain_find_by_time(&result, estimate, least).by,
                         least < 0.15 ? MAPCORE_PLAN_BY_TIME
                                      : MAPCORE_PLAN_BY_NOTHING);
        assert_true(gain_least_on(topo, rows[i].routing, true) ==
                    (least < 0.15 ? least : 0.3));
        mapcore_topo_destroy(topo);
    }
}

/* Recorded under pmi2 or pmix, started under none. */
static void test_lost_mpi(void **state)
{
    static const struct {
        const char *recorded, *now;
        bool lost;
    } types[] = {
        {"pmi2", "none", true},    {"pmix", "none", true},
        {"pmix_v4", "none", true}, {"pmi2", "openmpi", true},
        {"pmi2", "", true},        {"pmi2", "pmi2", false},
        {"pmi2", "pmix", false},   {"pmix", "weird", false},
        {"none", "none", false},   {"weird", "none", false},
        {"pmixed", "none", false}, {"pmix_v4\n", "none", false},
        {NULL, "none", false},     {"pmi2", NULL, false},
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        assert_int_equal(mpi_type_is_lost(types[i].recorded, types[i].now),
                         types[i].lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_mpi),
        cmocka_unit_test(the_first_that_matters),
        cmocka_unit_test(slower_by_types),
        cmocka_unit_test(by_time_alone),
        cmocka_unit_test(by_network),
        cmocka_unit_test(nothing_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
