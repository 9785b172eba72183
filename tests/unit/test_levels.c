/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_levels.c - machines that are described, cut level by level for
 * Cartesian grids; and the words of libtopomap-cart */
#include "config.h"

#include "unit.h"

#include "libtopomap-cart/cart_grid.h"
#include "libtopomap-cart/switches.h"

enum { TASKS = 256 };

/* Task r of a machine with these numbers of switches, nodes a switch, packages,
 * NUMA nodes, caches and cores; in rank order, or dealt: rank r is task 37 r.
 */
static void describe(struct levels_place *place,
                     const uint32_t *count,
                     bool dealt)
{
    uint32_t n = 1;

    for (int i = 0; i <= LEVELS_KINDS; i++)
        n *= count[i];
    assert_true(n <= TASKS);
    for (uint32_t r = 0; r < n; r++) {
        uint32_t rest = (dealt ? r * 37 % n : r) / count[LEVELS_KINDS];

        for (int k = LEVELS_KINDS - 1; k >= 0; k--) {
            place[r].in[k] = (int)rest; /* over the machine */
            rest /= count[k];
        }
    }
}

static const struct levels_wish all = {.kinds = LEVELS_ALL};

/* The least and the most of each part: whether its cells are a box of a grid
 * of two dimensions. */
static void assert_boxes(const struct levels *levels,
                         const uint32_t *cell,
                         const int *dims,
                         uint32_t l)
{
    uint32_t tasks = levels_tasks(levels, l);

    for (uint32_t part = 0; part < levels->ntasks / tasks; part++) {
        uint32_t low[2] = {UINT32_MAX, UINT32_MAX}, high[2] = {0, 0};

        for (uint32_t r = 0; r < levels->ntasks; r++) {
            uint32_t at[2] = {cell[r] / (uint32_t)dims[1],
                              cell[r] % (uint32_t)dims[1]};

            if (levels->position[r] / tasks != part)
                continue;
            for (int i = 0; i < 2; i++) {
                low[i] = at[i] < low[i] ? at[i] : low[i];
                high[i] = at[i] > high[i] ? at[i] : high[i];
            }
        }
        assert_int_equal((high[0] - low[0] + 1) * (high[1] - low[1] + 1),
                         tasks);
    }
}

/* A node of 2 x 4 x 8 cores, by packages and NUMA nodes or by numbers, is cut
 * at all three levels, on two and more nodes too. */
static void test_node_of_three_levels(void **state)
{
    static const uint32_t machines[][LEVELS_KINDS + 1] = {
        {1, 1, 2, 4, 1, 8}, {1, 1, 2, 1, 4, 8}, {1, 4, 2, 4, 1, 8}};
    struct levels_place place[TASKS];
    static const struct levels_wish given = {
        .kinds = 1u << LEVELS_NODE, .ngiven = 2, .given = {2, 4}};

    for (size_t m = 0; m < 6; m++) {
        uint32_t n = machines[m / 2][1] * 64, cell[TASKS];
        bool by_number = m / 2 == 0 && m % 2 == 1, moves;
        struct levels levels;
        int dims[2] = {0, 0}, periods[2] = {0, 0};
        const struct cart_grid grid = {
            .ndims = 2, .dims = dims, .periods = periods};
        uint32_t outer = n > 64 ? 1 : 0;

        describe(place, machines[m / 2], !by_number && m % 2 == 1);
        assert_ok(levels_arrange(&levels, place, n, by_number ? &given : &all));
        assert_int_equal(levels.nlevels, 3 + outer);
        assert_int_equal(levels.counts[outer], 2);
        assert_int_equal(levels.counts[outer + 1], 4);
        assert_int_equal(levels.counts[outer + 2], 8);
        assert_ok(grid_choose(cell, &moves, &grid, &levels));
        assert_int_equal(dims[0] * dims[1], (int)n);
        assert_int_equal(dims[0], outer ? 16 : 8);
        assert_true(moves);
        for (uint32_t l = 0; l < levels.nlevels; l++)
            assert_boxes(&levels, cell, dims, l);
        levels_clear(&levels);
    }
}

/* Levels that are not known of all, or not even, are left out; those inside
 * them are not. */
static void test_left_out(void **state)
{
    static const uint32_t machine[] = {1, 2, 2, 2, 2, 2};
    struct levels_place place[TASKS];
    struct levels levels;

    describe(place, machine, false);
    place[3].in[LEVELS_PACKAGE] = -1;
    assert_ok(levels_arrange(&levels, place, 32, &all));
    assert_int_equal(levels.nlevels, 2);
    assert_int_equal(levels.kind[0], LEVELS_NODE);
    assert_int_equal(levels.counts[1], 16);
    levels_clear(&levels);

    /* One task of an L3 sits at the other. */
    describe(place, machine, false);
    place[0].in[LEVELS_L3] = 1;
    assert_ok(levels_arrange(&levels, place, 32, &all));
    assert_int_equal(levels.nlevels, 4);
    assert_int_equal(levels.kind[2], LEVELS_NUMA);
    assert_int_equal(levels.counts[3], 4);
    levels_clear(&levels);

    /* NUMA nodes and no packages wanted. */
    describe(place, machine, false);
    assert_ok(levels_arrange(
        &levels, place, 32,
        &(struct levels_wish){.kinds = 1u << LEVELS_NODE | 1u << LEVELS_NUMA}));
    assert_int_equal(levels.nlevels, 3);
    assert_int_equal(levels.counts[1], 4);
    levels_clear(&levels);

    /* Nodes of 15 and 17: one level, and each node is still known. */
    place[0].in[LEVELS_NODE] = 1;
    assert_ok(levels_arrange(&levels, place, 32, &all));
    assert_int_equal(levels.nlevels, 1);
    assert_int_equal(levels.node[0], levels.node[31]);
    assert_int_not_equal(levels.node[1], levels.node[31]);
    levels_clear(&levels);

    /* Numbers that do not divide. */
    describe(place, machine, false);
    assert_int_equal(
        levels_arrange(&levels, place, 32,
                       &(struct levels_wish){.kinds = 1u << LEVELS_NODE,
                                             .ngiven = 1,
                                             .given = {3}}),
        MAPCORE_EINVAL);
}

/* What neighbours weigh between parts of a kind. */
static double cut_between(const struct levels *levels,
                          const struct levels_place *place,
                          int kind,
                          const uint32_t *cell,
                          int *dims)
{
    static const int periods[3] = {0, 0, 0};
    const struct cart_grid grid = {
        .ndims = 2, .dims = dims, .periods = periods};
    uint32_t where[TASKS];
    double cut;

    for (uint32_t r = 0; r < levels->ntasks; r++)
        where[r] = (uint32_t)place[r].in[kind];
    assert_ok(grid_cut(&cut, &grid, where, cell, levels->ntasks));
    return cut;
}

static int lay_out(int *dims,
                   uint32_t *cell,
                   const struct levels *levels,
                   const double *weights,
                   const double *elements)
{
    return grid_lay_out(
        cell,
        &(struct cart_grid){
            .ndims = 2, .dims = dims, .weights = weights, .elements = elements},
        levels);
}

/* 4 switches of 4 nodes of 4 tasks: blocks of nodes as without switches, and a
 * switch has 2 x 2 of them, where nodes in a row would be 4 x 1. */
static void test_switches(void **state)
{
    static const uint32_t machine[] = {4, 4, 1, 1, 1, 4};
    static const struct levels_wish nodes = {.kinds = 1u << LEVELS_NODE};
    struct levels_place place[TASKS];
    uint32_t with[TASKS], without[TASKS];
    int dims[2] = {0, 0}, plain[2] = {0, 0};
    struct levels levels;

    describe(place, machine, true);
    assert_ok(levels_arrange(&levels, place, 64, &nodes));
    assert_ok(lay_out(plain, without, &levels, NULL, NULL));
    levels_clear(&levels);
    assert_ok(levels_arrange(&levels, place, 64, &all));
    assert_int_equal(levels.kind[0], LEVELS_SWITCH);
    assert_ok(lay_out(dims, with, &levels, NULL, NULL));
    assert_memory_equal(dims, plain, sizeof(dims));
    assert_true(cut_between(&levels, place, LEVELS_NODE, with, dims) <=
                cut_between(&levels, place, LEVELS_NODE, without, dims));
    assert_true(cut_between(&levels, place, LEVELS_SWITCH, with, dims) <= 16);
    assert_true(cut_between(&levels, place, LEVELS_SWITCH, without, dims) > 16);
    assert_boxes(&levels, with, dims, 0);
    assert_boxes(&levels, with, dims, 1);
    levels_clear(&levels);
}

/* Widths of halos and elements: 12 tasks, a grid of 3 elements across. */
static void test_elements(void **state)
{
    static const uint32_t machine[] = {1, 1, 1, 1, 1, 12};
    static const double elements[] = {3, 400};
    double weights[] = {1.0 / 3, 1.0 / 400};
    struct levels_place place[TASKS];
    struct levels levels;
    int dims[2] = {0, 0}, free_dims[2] = {0, 0}, given[2] = {4, 3};

    describe(place, machine, false);
    assert_ok(levels_arrange(&levels, place, 12, &all));
    assert_ok(lay_out(dims, NULL, &levels, weights, elements));
    assert_int_equal(dims[0], 1);
    /* A halo 400 times as wide along the second. */
    weights[1] = 1;
    assert_ok(lay_out(free_dims, NULL, &levels, weights, elements));
    assert_int_equal(free_dims[0], 3);
    assert_int_equal(lay_out(given, NULL, &levels, weights, elements),
                     MAPCORE_ERANGE);
    levels_clear(&levels);
}

static void test_words(void **state)
{
    static const char *const bad[] = {
        "",          "node,",   ",node",
        "nodes",     "2,node",  "node,0",
        "node,-1",   "node, 2", "1,1,1,1,1,1,1,1,1",
        "9999999999"};
    struct levels_wish wish = {.kinds = 77};
    double numbers[3];

    assert_ok(levels_read_wish(&wish, "switch,node,package,numa,l3"));
    assert_int_equal(wish.kinds, LEVELS_ALL);
    assert_ok(levels_read_wish(&wish, "node,2,4,8"));
    assert_int_equal(wish.kinds, 1u << LEVELS_NODE);
    assert_int_equal(wish.ngiven, 3);
    assert_int_equal(wish.given[2], 8);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(levels_read_wish(&wish, bad[i]), MAPCORE_EINVAL);
    assert_int_equal(wish.ngiven, 3);
    assert_ok(levels_read_numbers(numbers, 3, "2,1.5,1e3"));
    assert_true(numbers[1] > 1.4 && numbers[2] > 999);
    assert_int_equal(levels_read_numbers(numbers, 3, "2,1"), MAPCORE_EINVAL);
    assert_int_equal(levels_read_numbers(numbers, 3, "2,1,3,4"),
                     MAPCORE_EINVAL);
    assert_int_equal(levels_read_numbers(numbers, 3, "2,0,3"), MAPCORE_EINVAL);
    assert_int_equal(levels_read_numbers(numbers, 3, "2,x,3"), MAPCORE_EINVAL);
}

/* What `topomap topology show` prints. */
static void test_switch_of_a_node(void **state)
{
    static const char text[] = "tree of 3 switches, 4 hosts\nhosts     4\n\n"
                               "       0  n0                s1\n"
                               "       2  n10               s2\n"
                               "       1  n1                s1\n"
                               "       3  n3                s 2\n";

    assert_ok(switches_find(text, "n0"));
    assert_ok(switches_find(text, "n1"));
    assert_int_equal(switches_find(text, "n10"), 1);
    assert_int_equal(switches_find(text, "n3"), 3);
    assert_int_equal(switches_find(text, "n2"), -1);
    assert_int_equal(switches_find("", "n0"), -1);
    assert_int_equal(switches_find("x\n\n", "n0"), -1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_node_of_three_levels),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_switch_of_a_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
