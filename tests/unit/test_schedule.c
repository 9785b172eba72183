/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_schedule.c - the tables of what a search does when hold together */
#include "config.h"

#include "mapfixture.h"

#include "base/array.h"
#include "map/portfolio/schedule.h"

static const enum schedule_kind kinds[] = {
    SCHEDULE_PORTFOLIO, SCHEDULE_PORTFOLIO_LARGE, SCHEDULE_PARMAPPER,
    SCHEDULE_MAPPER, SCHEDULE_MAPPER_REFINED};
#define NKINDS (sizeof(kinds) / sizeof(*kinds))

/* What must count comes first and alone; nothing ends before it may begin; rows
 * of one stage have one name and no group in common. */
static void test_rows(void **state)
{
    for (size_t k = 0; k < NKINDS; k++) {
        const struct schedule_stage *stages;
        unsigned groups = 0;
        size_t n;

        stages = schedule_stages(&n, kinds[k]);
        assert_true(n >= 1);
        assert_true(stages[0].is_certain && !stages[0].is_joined &&
                    stages[0].first_pass == 0);
        for (size_t i = 0; i < n; i++) {
            const struct schedule_stage *row = &stages[i];

            assert_true(row->groups != 0);
            assert_int_equal(row->is_certain, i == 0);
            if (row->is_joined) {
                assert_int_equal(row->groups & groups, 0);
            } else {
                groups = 0;
            }
            groups |= row->groups;
            /* 1 and 1: as long as there is time. */
            assert_true(row->begin == SHARE_OPEN || row->begin <= row->end ||
                        row->begin == SHARE_CLUSTERS);
        }
    }
}

static unsigned groups_of(enum schedule_kind kind)
{
    const struct schedule_stage *stages;
    unsigned groups = 0;
    size_t n;

    stages = schedule_stages(&n, kind);
    for (size_t i = 0; i < n; i++)
        groups |= stages[i].groups;
    return groups;
}

/* Every candidate of a list has a row in which it runs; but the portfolio
 * leaves out GreedyMap's slowest cost where that is not what it chooses by. */
static void test_lists_are_run(void **state)
{
    static const char *const specs[] = {"torus:4x4x4", "tree:4,4,4",
                                        "dragonfly:5,2,2"};

    for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++)
        for (int links = 0; links < 2; links++) {
            struct machine machine = machine_of(specs[i], 2);
            struct mapcore_graph *graph = random_graph(40, 5, 3);
            bool cheapest = false;
            struct arena arena = {0};
            struct candidate *list;
            size_t n;

            assert_ok(candidates_list(&list, &n, machine.alloc, links == 1,
                                      false, &arena));
            for (size_t c = 0; c < n; c++) {
                unsigned group = 1u << list[c].group;

                if (list[c].group == CANDIDATE_GREEDYMAP_LINK) {
                    assert_true(links == 0);
                    continue;
                }
                assert_true(groups_of(SCHEDULE_PORTFOLIO) & group);
                assert_true(groups_of(SCHEDULE_PORTFOLIO_LARGE) & group);
            }
            assert_ok(candidates_parmapper(&list, &n, graph, machine.alloc, 1,
                                           &arena));
            assert_true(n <= 100);
            for (size_t c = 0; c < n; c++) {
                assert_true(groups_of(SCHEDULE_PARMAPPER) &
                            1u << list[c].group);
                assert_in_range(list[c].every, 1, 128);
                cheapest |= list[c].every == 1;
            }
            assert_true(cheapest);
            mapcore_graph_destroy(graph);
            assert_ok(candidates_one(&list, &n, "rb", &arena));
            assert_int_equal(n, 1);
            assert_true(groups_of(SCHEDULE_MAPPER) & 1u << list->group);
            assert_true(groups_of(SCHEDULE_MAPPER_REFINED) & 1u << list->group);
            arena_clear(&arena);
            machine_end(&machine);
        }
}

/* A batch holds the whole list, or one mapper with many seeds. */
static void test_most_runs(void **state)
{
    const struct schedule_stage *stages;
    size_t n;

    stages = schedule_stages(&n, SCHEDULE_PORTFOLIO);
    assert_int_equal(schedule_most_runs(stages, n, 80), 80);
    stages = schedule_stages(&n, SCHEDULE_MAPPER);
    assert_int_equal(schedule_most_runs(stages, n, 1), 64);
    stages = schedule_stages(&n, SCHEDULE_MAPPER_REFINED);
    assert_int_equal(n, 1);
    assert_int_equal(schedule_most_runs(stages, n, 1), 1);
}

static void assert_range(const struct refine_temperatures *range)
{
    assert_true(range->hot >= range->cold && range->cold > 0);
}

/* Temperatures fall, and refinement has time to end in. */
static void test_refinement(void **state)
{
    const struct schedule_temperatures *t = &schedule_temperatures;

    assert_range(&t->clusters);
    assert_range(&t->tasks);
    assert_range(&t->start);
    assert_range(&t->tree);
    assert_range(&t->all);
    assert_true(REFINEMENT_LATE < REFINEMENT_END && REFINEMENT_END < 1);
    assert_true(REFINEMENT_END_LINKS <= REFINEMENT_END_TASKS &&
                REFINEMENT_END_TASKS <= REFINEMENT_END);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_lists_are_run),
        cmocka_unit_test(test_most_runs),
        cmocka_unit_test(test_refinement),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
