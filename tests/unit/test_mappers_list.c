/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_mappers_list.c - layouts that look at no bytes: curves through boxes,
 * list mappings, plane, random */
#include "config.h"

#include "mapfixture.h"

#include "cart/curve.h"

static uint32_t volume(uint32_t ndims, const uint32_t *dims)
{
    uint32_t n = 1;

    for (uint32_t i = 0; i < ndims; i++)
        n *= dims[i];
    return n;
}

/* Steps between two cells of a box, without wrapping. */
static uint32_t steps(uint32_t a,
                      uint32_t b,
                      uint32_t ndims,
                      const uint32_t *dims)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < ndims; i++) {
        uint32_t x = a % dims[i], y = b % dims[i];

        sum += x > y ? x - y : y - x;
        a /= dims[i];
        b /= dims[i];
    }
    return sum;
}

static void check_box(uint32_t ndims, const uint32_t *dims)
{
    uint32_t n = volume(ndims, dims);
    uint32_t *cell = calloc(n, sizeof(*cell));

    assert_non_null(cell);
    for (int kind = CURVE_PLANAR; kind <= CURVE_SNAKE; kind++) {
        curve_cells(cell, ndims, dims, (enum curve_kind)kind);
        assert_permutation(cell, n);
        for (uint32_t i = 0; i + 1 < n; i++) {
            uint32_t d = steps(cell[i], cell[i + 1], ndims, dims);

            if (kind != CURVE_PLANAR && d != 1)
                fail_msg("curve %d, %u dims %u x %u ...: step %u of %u", kind,
                         ndims, dims[0], ndims > 1 ? dims[1] : 1, i, n);
        }
        for (uint32_t i = 0; kind == CURVE_PLANAR && i < n; i++)
            assert_int_equal(cell[i], i);
    }
    free(cell);
}

/* All boxes of up to four dimensions of 1 to 7, and odd ones. */
static void test_curves_are_connected(void **state)
{
    static const uint32_t special[][5] = {
        {4, 4, 4, 8, 2},  {3, 3, 3, 3, 3}, {16, 2, 16, 1, 1}, {24, 23, 5, 1, 2},
        {1, 97, 1, 1, 1}, {2, 2, 2, 2, 2}, {15, 1, 9, 1, 11}, {64, 3, 1, 1, 7}};

    for (uint32_t i = 0; i < 7 * 7 * 7 * 7; i++) {
        uint32_t dims[4] = {1 + i % 7, 1 + i / 7 % 7, 1 + i / 49 % 7,
                            1 + i / 343};

        for (uint32_t ndims = 1; ndims <= 4; ndims++)
            if (ndims == 4 || volume(4 - ndims, dims + ndims) == 1)
                check_box(ndims, dims);
    }
    for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
        check_box(5, special[i]);
}

/* Hilbert's own figure of 1891 on 4 x 4, up to a reflection. */
static void test_hilbert_square(void **state)
{
    static const uint32_t hilbert[16] = {0,  1,  5,  4,  8, 12, 13, 9,
                                         10, 14, 15, 11, 7, 6,  2,  3};
    static const uint32_t dims[2] = {4, 4};
    uint32_t cell[16];

    curve_cells(cell, 2, dims, CURVE_HILBERT);
    assert_memory_equal(cell, hilbert, sizeof(hilbert));
}

/* A window of cells along the curve stays near: within 16 x 16 any 16
 * consecutive ones lie in a box of 8 x 8, in planar order they span 16. */
static void test_hilbert_is_local(void **state)
{
    static const uint32_t dims[2] = {16, 16};
    uint32_t cell[256];

    curve_cells(cell, 2, dims, CURVE_HILBERT);
    for (uint32_t i = 0; i + 16 <= 256; i++)
        for (uint32_t k = 1; k < 16; k++) {
            uint32_t a = cell[i], b = cell[i + k];
            int dx = (int)(a % 16) - (int)(b % 16);
            int dy = (int)(a / 16) - (int)(b / 16);

            assert_true(dx > -8 && dx < 8 && dy > -8 && dy < 8);
        }
}

static void expect(const char *mapper,
                   const struct machine *machine,
                   const struct mapcore_graph *graph,
                   const uint32_t *host)
{
    struct mapcore_search options = {.work = 1};
    struct mapcore_result result = search_by(machine, graph, mapper, &options);

    for (uint32_t t = 0; t < result.mapping->ntasks; t++)
        if (result.mapping->host[t] != host[t])
            fail_msg("%s: task %u on host %u, not %u", mapper, t,
                     result.mapping->host[t], host[t]);
    mapcore_result_clear(&result);
}

/* Switches of 3, 4, 4 and 5 nodes, groups of 8: the first group ends where the
 * second switch does that is taken, 5 nodes behind 3; but not where those are
 * of two pods, one of which is gone through first. */
static void test_walk(void **state)
{
    static const uint32_t nodes[16] = {0,  1,  2,  8,  9,  10, 11, 16,
                                       17, 18, 19, 24, 25, 26, 27, 28};
    static const uint32_t slots[16] = {1, 1, 1, 1, 1, 1, 1, 1,
                                       1, 1, 1, 1, 1, 1, 1, 1};
    static const uint32_t flat[16] = {0, 1, 2, 11, 12, 13, 14, 15,
                                      3, 4, 5, 6,  7,  8,  9,  10};
    static const uint32_t pods[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                      8, 9, 10, 11, 12, 13, 14, 15};
    const uint32_t *expected[] = {flat, pods};
    const char *specs[] = {"tree:4,8", "tree:2,2,8"};

    for (size_t i = 0; i < 2; i++) {
        struct machine machine = part_of(specs[i], 16, nodes, slots);
        struct mapcore_graph *graph = groups_graph(16, 8);

        expect("walk", &machine, graph, expected[i]);
        machine_graph_end(&machine, graph);
    }
}

static void test_plane(void **state)
{
    static const uint32_t slots[4] = {4, 0, 3, 6};
    static const uint32_t two[13] = {0, 0, 2, 2, 3, 3, 0, 0, 2, 3, 3, 3, 3};
    static const uint32_t half[13] = {0, 0, 2, 2, 3, 3, 3, 0, 0, 2, 3, 3, 3};
    static const uint32_t one[13] = {0, 2, 3, 0, 2, 3, 0, 2, 3, 0, 3, 3, 3};
    static const uint32_t all[13] = {0, 0, 0, 0, 2, 2, 2, 3, 3, 3, 3, 3, 3};
    struct machine machine = part_of("flat:4", 4, NULL, slots);
    struct mapcore_graph *graph = random_graph(13, 3, 1);

    expect("plane:size=2", &machine, graph, two);
    expect("plane", &machine, graph, half);
    expect("plane:size=half", &machine, graph, half);
    expect("plane:size=1", &machine, graph, one);
    expect("plane:size=64", &machine, graph, all);
    machine_graph_end(&machine, graph);
}

/* Along the curve, for any order and any gaps of the allocation. */
static void test_list(void **state)
{
    /* Routers of a 3 x 3 mesh; host 4 of it is not ours. */
    static const uint32_t hosts[8] = {8, 7, 6, 5, 3, 2, 1, 0};
    static const uint32_t slots[8] = {1, 1, 1, 1, 1, 1, 1, 0};
    static const uint32_t planar[7] = {6, 5, 4, 3, 2, 1, 0};
    static const uint32_t snake[7] = {6, 5, 3, 4, 2, 1, 0};
    static const uint32_t tree[7] = {0, 1, 2, 3, 4, 5, 6};
    struct mapcore_edge chain[3] = {{0, 6, 5}, {6, 3, 4}, {3, 1, 3}};
    static const uint32_t bfs[7] = {6, 3, 2, 4, 1, 0, 5};
    struct machine machine = part_of("mesh:3x3", 8, hosts, slots);
    struct machine flat = part_of("flat:9", 8, hosts, slots);
    struct mapcore_graph *graph = graph_of(7, chain, 3);

    expect("list", &machine, graph, planar);
    expect("list:curve=planar,order=OO", &machine, graph, planar);
    expect("list:curve=snake", &machine, graph, snake);
    expect("list:curve=snake", &flat, graph, tree);
    expect("list:curve=hilbert", &flat, graph, tree);
    expect("list:order=BFS", &machine, graph, bfs);
    machine_graph_end(&flat, graph);
    machine_end(&machine);
}

static void place(uint32_t *host,
                  const struct machine *machine,
                  const struct mapcore_graph *graph,
                  const char *mapper,
                  uint64_t seed,
                  uint64_t work)
{
    const struct mapcore_search options = {.seed = seed, .work = work};
    struct mapcore_result result = search_by(machine, graph, mapper, &options);

    assert_int_equal(result.work, 1);
    memcpy(host, result.mapping->host, graph->ntasks * sizeof(*host));
    mapcore_result_clear(&result);
}

/* Every task is on every node about as often, and a seed is one mapping,
 * however much work there may be. */
static void test_random(void **state)
{
    struct machine machine = machine_of("torus:4", 3);
    struct mapcore_graph *graph = grid_graph(5, 2);
    uint32_t host[10], again[10], count[10][4] = {{0}};

    for (uint64_t seed = 1; seed <= 400; seed++) {
        place(host, &machine, graph, "random", seed, 100);
        assert_fits(machine.alloc, host, 10);
        for (uint32_t t = 0; t < 10; t++)
            count[t][host[t]]++;
    }
    for (uint32_t t = 0; t < 10; t++)
        for (uint32_t h = 0; h < 4; h++)
            assert_in_range(count[t][h], 65, 135); /* four sigma of 100 */
    place(again, &machine, graph, "random", 400, 100);
    assert_memory_equal(host, again, sizeof(host));
    machine_graph_end(&machine, graph);
}

/* What topolb places, elsewhere: tasks that it puts together stay so. */
static void test_random_groups(void **state)
{
    static const uint32_t slots[4] = {4, 2, 4, 2};
    struct machine machine = part_of("torus:4", 4, NULL, slots);
    struct mapcore_graph *graph = grid_graph(4, 3);
    uint32_t host[12], other[12];
    bool differs = false;

    for (uint64_t seed = 1; seed <= 20; seed++) {
        place(host, &machine, graph, "random:of=groups", seed, 100);
        place(other, &machine, graph, "topolb", seed, 1);
        assert_fits(machine.alloc, host, 12);
        for (uint32_t t = 0; t < 12; t++) {
            differs |= host[t] != other[t];
            for (uint32_t u = 0; u < t; u++)
                assert_int_equal(host[t] == host[u], other[t] == other[u]);
        }
    }
    assert_true(differs);
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves_are_connected),
        cmocka_unit_test(test_hilbert_square),
        cmocka_unit_test(test_hilbert_is_local),
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_random_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
