/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_map.c - the choice among candidates, slots, distance rows, names */
#include "config.h"

#include "mapfixture.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "map/choose.h"
#include "map/portfolio/candidates.h"
#include "map/slots/slots.h"

/* average, maximum, busiest link */
#define ROW(a, m, l)                                                           \
    {                                                                          \
        .avg_hop_bytes = (a), .max_hop_bytes = (m), .max_link_time = (l)       \
    }

static void test_choose_hop_bytes(void **state)
{
    const struct mapcore_metrics metrics[] = {
        ROW(10, 20, 5), ROW(9, 30, 5), ROW(9, 25, 7),
        ROW(9, 25, 6),  ROW(9, 25, 6),
    };
    const struct choose_rule rule = {.choice = MAPCORE_CHOOSE_HOP_BYTES,
                                     .alpha = 1.05,
                                     .baseline = &metrics[0]};
    const size_t best[] = {0, 1, 2, 3, 3};

    for (size_t n = 1; n <= 5; n++) {
        assert_int_equal(choose_best(&rule, metrics, n), best[n - 1]);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(choose_may_win(&rule, metrics, n, i),
                             i == best[n - 1]);
    }
}

static void test_choose_settled(void **state)
{
    assert_int_equal(choose_settled(MAPCORE_CHOOSE_AUTO), MAPCORE_CHOOSE_TIME);
    assert_int_equal(choose_settled(MAPCORE_CHOOSE_TIME), MAPCORE_CHOOSE_TIME);
    assert_int_equal(choose_settled(MAPCORE_CHOOSE_PARETO),
                     MAPCORE_CHOOSE_PARETO);
    assert_int_equal(choose_settled(MAPCORE_CHOOSE_HOP_BYTES),
                     MAPCORE_CHOOSE_HOP_BYTES);
}

static void test_choose_link(void **state)
{
    const struct mapcore_metrics metrics[] = {
        ROW(10, 20, 5), ROW(5, 5, 6),  ROW(9, 25, 4),
        ROW(8, 25, 4),  ROW(8, 24, 4), ROW(8, 24, 4),
    };
    struct choose_rule rule = {
        .choice = MAPCORE_CHOOSE_LINK, .alpha = 1.05, .baseline = &metrics[0]};
    const size_t best[] = {0, 0, 2, 3, 4, 4};

    for (size_t n = 1; n <= 6; n++)
        assert_int_equal(choose_best(&rule, metrics, n), best[n - 1]);
    /* Busier than the baseline's is left out, even where it is alone. */
    assert_int_equal(choose_best(&rule, metrics + 1, 1), SIZE_MAX);
    rule.baseline = NULL;
    assert_ok(choose_best(&rule, metrics + 1, 1));
    /* With a limit to the average: 8 is not below 1.6 x 5. */
    rule.link_alpha = 1.6;
    assert_int_equal(choose_best(&rule, metrics, 6), 1);
    assert_true(choose_most_average(&rule, metrics, 6) == 1.6 * 5);
    assert_true(choose_may_win(&rule, metrics, 6, 1));
    assert_false(choose_may_win(&rule, metrics, 6, 4));
    rule.link_alpha = 1.7;
    assert_int_equal(choose_best(&rule, metrics, 6), 4);
    /* The least average may become less, so what is not the best may win. */
    assert_true(choose_may_win(&rule, metrics, 6, 1));
    /* What is left out is no average to compare with. */
    rule.baseline = &metrics[0];
    assert_int_equal(choose_best(&rule, metrics, 6), 4);
}

/* Section 4.2: the least maximum among averages below alpha x the least. */
static void test_choose_pareto(void **state)
{
    const struct mapcore_metrics metrics[] = {
        ROW(120, 90, 1), /* baseline */
        ROW(100, 50, 1), ROW(104, 40, 1), ROW(105, 30, 1),
        ROW(119, 20, 1), ROW(121, 1, 1), /* above the baseline */
        ROW(103, 41, 1), ROW(104, 40, 1),
    };
    static const struct {
        double alpha;
        size_t best;
    } cases[] = {
        {1, 1}, /* nothing is below 1 x the least but the least */
        {1.01, 1},      {1.035, 6}, {1.041, 2},
        {1.05, 2},                          /* 105 is not below 105 */
        {1.0500001, 3}, {1.2, 4},   {9, 4}, /* 121 never */
    };
    struct choose_rule rule = {.choice = MAPCORE_CHOOSE_PARETO,
                               .baseline = &metrics[0]};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        rule.alpha = cases[i].alpha;
        assert_int_equal(choose_best(&rule, metrics, 8), cases[i].best);
    }
    rule.alpha = 1.1;
    assert_true(choose_most_average(&rule, metrics, 8) == 1.1 * 100);
    rule.alpha = 9;
    assert_true(choose_most_average(&rule, metrics, 8) == 120);
    rule.baseline = NULL;
    assert_int_equal(choose_best(&rule, metrics, 8), 5);
    assert_true(choose_most_average(&rule, metrics, 8) == 900);
    rule.choice = MAPCORE_CHOOSE_LINK;
    assert_true(isinf(choose_most_average(&rule, metrics, 8)));
}

/* Fewer hops do not make up for a slowest link that is slower than the
 * baseline's: neither for the choice nor as the least average that others are
 * compared with. */
static void test_choose_pareto_slower_link(void **state)
{
    const struct mapcore_metrics metrics[] = {ROW(100, 90, 5), ROW(50, 20, 5.5),
                                              ROW(80, 60, 5), ROW(82, 40, 5)};
    struct choose_rule rule = {.choice = MAPCORE_CHOOSE_PARETO,
                               .alpha = 1.05,
                               .baseline = &metrics[0]};

    assert_ok(choose_best(&rule, metrics, 2));
    assert_false(choose_may_win(&rule, metrics, 2, 1));
    assert_int_equal(choose_best(&rule, metrics, 4), 3);
    rule.baseline = NULL;
    assert_int_equal(choose_best(&rule, metrics, 4), 1);
}

/* With the same average and maximum, the link decides, then the index. */
static void test_choose_pareto_ties(void **state)
{
    const struct mapcore_metrics metrics[] = {ROW(10, 10, 9), ROW(10, 10, 8),
                                              ROW(10, 10, 8), ROW(9.9, 10, 9)};
    const struct choose_rule rule = {.choice = MAPCORE_CHOOSE_PARETO,
                                     .alpha = 1.05,
                                     .baseline = &metrics[0]};

    assert_int_equal(choose_best(&rule, metrics, 3), 1);
    assert_int_equal(choose_best(&rule, metrics, 4), 3);
    assert_false(choose_may_win(&rule, metrics, 3, 0));
    assert_true(choose_may_win(&rule, metrics, 3, 1));
    assert_false(choose_may_win(&rule, metrics, 3, 2));
}

/* What cannot win any more never does, also after later candidates; and the
 * best of all is on the Pareto front of those that count. */
static void test_may_win(void **state)
{
    struct mapcore_metrics metrics[40];
    struct rng rng;

    rng_init(&rng, 5, 0, 0);
    for (int trial = 0; trial < 300; trial++) {
        struct choose_rule rule = {.choice = (enum mapcore_choice)(trial % 3),
                                   .alpha = 1 + (double)rng_below(&rng, 4) / 10,
                                   .baseline = &metrics[0]};
        bool dead[40] = {false};

        for (size_t n = 1; n <= 40; n++) {
            size_t best;

            metrics[n - 1] = (struct mapcore_metrics)ROW(
                10 + rng_below(&rng, 8), 10 + rng_below(&rng, 8),
                10 + rng_below(&rng, 3));
            best = choose_best(&rule, metrics, n);
            assert_true(best < n);
            assert_false(dead[best]);
            for (size_t i = 0; i < n; i++) {
                dead[i] = dead[i] || !choose_may_win(&rule, metrics, n, i);
                assert_false(
                    rule.choice == MAPCORE_CHOOSE_PARETO &&
                    metrics[i].max_link_time <= metrics[0].max_link_time &&
                    metrics[i].avg_hop_bytes < metrics[best].avg_hop_bytes &&
                    metrics[i].max_hop_bytes < metrics[best].max_hop_bytes);
            }
            assert_false(dead[best]);
            assert_false(rule.choice != MAPCORE_CHOOSE_HOP_BYTES &&
                         metrics[best].max_link_time >
                             metrics[0].max_link_time);
            assert_false(rule.choice != MAPCORE_CHOOSE_LINK &&
                         metrics[best].avg_hop_bytes >
                             metrics[0].avg_hop_bytes);
        }
    }
}

/* Where nothing is known of the inside of a host its tasks take slots in their
 * order. */
static void test_slots_ascend(void **state)
{
    const uint32_t host[] = {1, 0, 1, 1, 0}, expected[] = {0, 0, 1, 2, 1};
    struct mapcore_graph *graph = random_graph(5, 3, 1);
    struct machine machine = machine_of("flat:2", 5);
    uint32_t slot[5];

    assert_ok(slots_assign(slot, graph, machine.alloc, host, NULL, NULL));
    assert_memory_equal(slot, expected, sizeof(slot));
    machine_graph_end(&machine, graph);
}

static void check_rows(const char *spec, bool flat)
{
    const uint32_t part[] = {7, 3, 0, 9, 11}, slots[] = {1, 1, 1, 1, 1};
    struct machine machine = part_of(spec, 5, part, slots);
    uint16_t scratch[5];
    struct distances *rows = flat ? alloc_distances_no_wrap(machine.alloc)
                                  : alloc_distances(machine.alloc);

    for (int again = 0; again < 2; again++)
        for (uint32_t a = 0; a < 5; a++) {
            const uint16_t *row = distances_row(rows, a, scratch);

            for (uint32_t b = 0; b < 5; b++)
                assert_int_equal(row[b], (flat ? mapcore_topo_distance_flat
                                               : mapcore_topo_distance)(
                                             machine.topo, part[a], part[b]));
        }
    machine_end(&machine);
}

static void test_rows(void **state)
{
    check_rows("torus:4x3", false);
    check_rows("torus:4x3", true);
    check_rows("tree:3,4", false);
    check_rows("tree:3,4", true);
}

/* Each name once; at most the paper's hundred; all can be typed. */
static void test_candidates(void **state)
{
    static const struct {
        const char *spec;
        size_t n;
    } cases[] = {{"torus:4x3", 9 + 72}, {"tree:3,4", 9 + 48}, {"flat:2", 33}};
    char name[2][96];

    for (size_t c = 0; c < 3; c++) {
        struct machine machine = machine_of(cases[c].spec, 2);
        struct arena arena = {0};
        struct candidate *list, same;
        size_t n;

        assert_ok(
            candidates_list(&list, &n, machine.alloc, false, false, &arena));
        assert_int_equal(n, cases[c].n);
        for (size_t i = 0; i < n; i++) {
            candidate_print(&list[i], name[0], sizeof(name[0]));
            assert_ok(candidate_parse(&same, name[0], NULL));
            candidate_print(&same, name[1], sizeof(name[1]));
            assert_string_equal(name[0], name[1]);
            for (size_t j = 0; j < i; j++) {
                candidate_print(&list[j], name[1], sizeof(name[1]));
                assert_string_not_equal(name[0], name[1]);
            }
        }
        arena_clear(&arena);
        machine_end(&machine);
    }
}

static void test_registry(void **state)
{
    struct mapcore_mapper mapper;
    struct candidate candidate;
    size_t n = 0;

    for (; mapcore_mapper_get(&mapper, n); n++) {
        if (strcmp(mapper.name, "parmapper") != 0)
            assert_ok(candidate_parse(&candidate, mapper.name, NULL));
        assert_true(*mapper.summary && *mapper.source);
    }
    assert_true(n >= 4);
    assert_false(mapcore_mapper_get(&mapper, n + 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choose_hop_bytes),
        cmocka_unit_test(test_choose_settled),
        cmocka_unit_test(test_choose_link),
        cmocka_unit_test(test_choose_pareto),
        cmocka_unit_test(test_choose_pareto_slower_link),
        cmocka_unit_test(test_choose_pareto_ties),
        cmocka_unit_test(test_may_win),
        cmocka_unit_test(test_slots_ascend),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_registry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
