/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_blocks.c - Topaware's prisms, rank orders and folds, and Adaptive
 * Layout, by the numbers of Fiedler and Whalen and by hand */
#include "config.h"

#include "unit.h"

#include "base/rng.h"
#include "cart/adaptive.h"
#include "cart/blocks.h"
#include "cart/prism.h"

#include <math.h>
#include <stdbool.h>

/* The torus of the paper: 23 x 24 x 24 routers, `permille` of them
 * taken by service nodes, in pairs along y (a blade) or alone. */
static struct mapcore_prism_search blue_waters(bool *usable,
                                               uint32_t permille,
                                               bool blades,
                                               uint64_t seed)
{
    struct mapcore_prism_search search = {
        .dims = {23, 24, 24}, .wraps = {true, true, true}, .usable = usable};
    uint32_t n = 23 * 24 * 24, taken = 0;
    struct rng rng;

    rng_init(&rng, seed, 1, 0);
    for (uint32_t i = 0; i < n; i++)
        usable[i] = true;
    while (taken < n * permille / 1000) {
        uint32_t i = rng_below(&rng, n);

        if (blades)
            i -= i / 23 % 2 * 23;
        taken += usable[i];
        usable[i] = false;
        if (blades) {
            taken += usable[i + 23];
            usable[i + 23] = false;
        }
    }
    return search;
}

/* Section III.A: 14 x 7 x 21 pairs of nodes, 4,116 nodes x 16 = 65,856 tasks,
 * at most 3 hops between neighbours; 4 when service nodes are many. */
static void test_paper(void **state)
{
    static const struct mapcore_blocks milc = {.ndims = 4,
                                               .grid = {14, 14, 21, 16},
                                               .block = {1, 2, 1, 16},
                                               .axis = {0, 1, 2, 9}};
    static bool usable[23 * 24 * 24], seen[23 * 24 * 24];
    uint32_t nplaces, nper;

    assert_ok(mapcore_blocks_check(&nplaces, &nper, &milc, NULL));
    assert_int_equal(nplaces, 2058);
    assert_int_equal(nplaces * nper, 65856);
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (int many = 0; many < 2; many++) {
            struct mapcore_prism_search search =
                blue_waters(usable, many ? 60 : 30, seed % 2, seed);
            struct mapcore_prism best[2];
            size_t n = 2;

            search.layout = &milc;
            assert_ok(mapcore_prism_find(best, &n, &search, NULL));
            assert_int_equal(n, 2);
            assert_true(best[0].longest <= (many ? 4 : 3));
            assert_true(best[0].longest <= best[1].longest);
            memset(seen, 0, sizeof(seen));
            for (uint32_t i = 0; i < nplaces; i++) {
                assert_true(usable[best[0].router[i]]);
                assert_false(seen[best[0].router[i]]);
                seen[best[0].router[i]] = true;
            }
            for (size_t i = 0; i < n; i++)
                free(best[i].router);
        }
}

/* Figure 2: lines of 7 of 8, one row is skipped. */
static void test_skips(void **state)
{
    bool usable[64];
    struct mapcore_blocks layout = {
        .ndims = 3, .grid = {7, 1, 7}, .block = {1, 1, 1}, .axis = {0, 1, 2}};
    struct mapcore_prism_search search = {
        .dims = {8, 1, 8}, .usable = usable, .layout = &layout};
    struct mapcore_prism best;
    struct mapcore_error err = {""};
    size_t n = 1;

    memset(usable, 1, sizeof(usable));
    usable[1 * 8 + 0] = usable[3 * 8 + 2] = false;
    usable[2 * 8 + 5] = usable[6 * 8 + 5] = false;
    assert_ok(mapcore_prism_find(&best, &n, &search, NULL));
    assert_int_equal(best.skipped_rows, 1);
    /* Row 0 steps over z = 1. */
    assert_int_equal(best.router[0], 0);
    assert_int_equal(best.router[1], 2 * 8);
    free(best.router);
    usable[0 * 8 + 0] = false;
    n = 1;
    assert_int_equal(mapcore_prism_find(&best, &n, &search, &err),
                     MAPCORE_ENOENT);
    assert_non_null(strstr(err.text, "at most 0 of 1 planes"));
    layout.grid[1] = 2;
    assert_int_equal(mapcore_prism_find(&best, &n, &search, &err),
                     MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "2 routers along y in a torus of 1"));
}

/* A torus without holes: neighbours are neighbours. */
static void test_whole(void **state)
{
    static bool usable[23 * 24 * 24];
    static const struct mapcore_blocks cube = {.ndims = 3,
                                               .grid = {8, 12, 24},
                                               .block = {2, 2, 1},
                                               .periodic = {false, false, true},
                                               .axis = {0, 1, 2}};
    struct mapcore_prism_search search = blue_waters(usable, 0, false, 1);
    struct mapcore_prism best;
    size_t n = 1;

    search.layout = &cube;
    assert_ok(mapcore_prism_find(&best, &n, &search, NULL));
    assert_int_equal(best.size[0], 4);
    assert_int_equal(best.size[1], 6);
    assert_int_equal(best.size[2], 24);
    assert_int_equal(best.longest, 1);
    assert_int_equal(best.hops, (3 * 6 + 4 * 5 + 4 * 6) * 24);
    free(best.router);
}

/* grid_order -C -g 4,4 -c 2,2 and its row-major sister. */
static void test_order(void **state)
{
    static const uint32_t last[] = {0, 1, 4,  5,  2,  3,  6,  7,
                                    8, 9, 12, 13, 10, 11, 14, 15};
    struct mapcore_blocks layout = {
        .ndims = 2, .grid = {4, 4}, .block = {2, 2}};
    static const uint32_t first[] = {0, 1, 2, 3, 8,  9,  10, 11,
                                     4, 5, 6, 7, 12, 13, 14, 15};
    uint32_t rank[16];

    mapcore_blocks_order(rank, &layout);
    assert_memory_equal(rank, last, sizeof(rank));
    /* 4 x 4 in blocks of 4 x 1, ranks along the first dimension: rows. */
    layout.first_fastest = true;
    mapcore_blocks_order(rank, &layout);
    assert_memory_equal(rank, last, sizeof(rank));
    layout.block[0] = 4;
    layout.block[1] = 1;
    mapcore_blocks_order(rank, &layout);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(rank[i], i);
    layout.first_fastest = false;
    layout.block[0] = 2;
    layout.block[1] = 4;
    layout.grid[0] = 4;
    mapcore_blocks_order(rank, &layout);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(rank[i], i);
    (void)first;
}

/* Figure 3: a strip of 2 x 4 super-tiles. Neighbours inside a tile are
 * neighbours; across a fold they lie on each other: no x or z hop. */
static void test_folds(void **state)
{
    struct mapcore_blocks layout = {.ndims = 2,
                                    .grid = {12, 32},
                                    .block = {1, 1},
                                    .axis = {0, 2},
                                    .tiled = true,
                                    .tiles = {2, 4}};
    uint32_t size[3], cell[12 * 32];
    struct mapcore_blocks_pair *pair;
    bool seen[12 * 32] = {false};
    size_t n;

    assert_ok(mapcore_blocks_check(NULL, NULL, &layout, NULL));
    assert_ok(mapcore_blocks_prism(size, &layout, NULL));
    assert_true(size[0] == 6 && size[1] == 8 && size[2] == 8);
    mapcore_blocks_cells(cell, &layout);
    for (uint32_t i = 0; i < 12 * 32; i++) {
        assert_false(seen[cell[i]]);
        seen[cell[i]] = true;
    }
    assert_ok(mapcore_blocks_pairs(&pair, &n, &layout, NULL));
    assert_int_equal(n, 11 * 32 + 12 * 31);
    for (size_t i = 0; i < n; i++) {
        uint32_t a = cell[pair[i].a], b = cell[pair[i].b];
        int x = (int)(a % 6) - (int)(b % 6),
            y = (int)(a / 6 % 8) - (int)(b / 6 % 8);
        int z = (int)(a / 48) - (int)(b / 48);

        /* In a tile one hop; across a fold planes alone, at most 3 of them. */
        if (y == 0)
            assert_int_equal(abs(x) + abs(z), 1);
        else
            assert_true(x == 0 && z == 0 && abs(y) <= 3);
    }
    free(pair);
    layout.staggers = true;
    assert_ok(mapcore_blocks_prism(size, &layout, NULL));
    assert_true(size[0] == 6 && size[1] == 8 && size[2] == 9);
    /* Planes of z and y, stacked along x. */
    layout.axis[0] = 2;
    layout.axis[1] = 1;
    assert_ok(mapcore_blocks_prism(size, &layout, NULL));
    assert_true(size[0] == 8 && size[1] == 9 && size[2] == 6);
}

/* Links along y that carry more than one pair of blocks. */
static uint32_t count_shared(const struct mapcore_blocks *layout)
{
    static uint32_t load[8][8][16];
    uint32_t size[3], cell[20 * 22], shared = 0;
    struct mapcore_blocks_pair *pair;
    size_t n;

    memset(load, 0, sizeof(load));
    assert_ok(mapcore_blocks_prism(size, layout, NULL));
    mapcore_blocks_cells(cell, layout);
    assert_ok(mapcore_blocks_pairs(&pair, &n, layout, NULL));
    for (size_t i = 0; i < n; i++) {
        uint32_t a = cell[pair[i].a], b = cell[pair[i].b];
        uint32_t from = a / size[0] % size[1], to = b / size[0] % size[1];
        uint32_t high = from < to ? b : a;

        /* Routes go along x first, so they take the y links of the end. */
        for (uint32_t y = from < to ? from : to; y < (from < to ? to : from);
             y++)
            shared += ++load[y][high % size[0]][high / size[0] / size[1]] == 2;
    }
    free(pair);
    return shared;
}

/* Figure 4: eight super-tiles. Where pairs of them talk across others, all
 * links of an edge are shared; staggered, those at corners alone. */
static void test_staggers(void **state)
{
    struct mapcore_blocks layout = {.ndims = 2,
                                    .grid = {20, 22},
                                    .block = {1, 1},
                                    .axis = {0, 2},
                                    .tiled = true,
                                    .tiles = {4, 2}};
    uint32_t flat = count_shared(&layout), staggered;

    layout.staggers = true;
    staggered = count_shared(&layout);
    /* Three folds of 11 routers. */
    assert_true(flat >= 3 * 11);
    assert_true(staggered <= 3 * 2 * 2);
}

static void test_refusals(void **state)
{
    struct mapcore_blocks layout = {
        .ndims = 3, .grid = {8, 8, 6}, .block = {2, 2, 4}, .axis = {0, 1, 1}};
    struct mapcore_error err = {""};
    uint32_t size[3];

    assert_int_equal(mapcore_blocks_check(NULL, NULL, &layout, &err),
                     MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "6 tasks along dimension 3"));
    layout.block[2] = 2;
    assert_ok(mapcore_blocks_check(NULL, NULL, &layout, &err));
    assert_int_equal(mapcore_blocks_prism(size, &layout, &err), MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "dimension 3 has 3 blocks"));
    layout.tiled = true;
    assert_int_equal(mapcore_blocks_check(NULL, NULL, &layout, &err),
                     MAPCORE_EINVAL);
    layout.ndims = 2;
    layout.tiles[0] = 3;
    assert_int_equal(mapcore_blocks_check(NULL, NULL, &layout, &err),
                     MAPCORE_EINVAL);
    layout.grid[0] = 0;
    assert_int_equal(mapcore_blocks_check(NULL, NULL, &layout, &err),
                     MAPCORE_EINVAL);
    layout.grid[0] = layout.grid[1] = 1u << 20;
    layout.tiled = false;
    assert_int_equal(mapcore_blocks_check(NULL, NULL, &layout, &err),
                     MAPCORE_ERANGE);
    layout.ndims = 7;
    assert_int_equal(mapcore_blocks_check(NULL, NULL, &layout, &err),
                     MAPCORE_EINVAL);
}

/* The routers of a box, as nodes. */
static const uint32_t (*fill_box(uint32_t x, uint32_t y, uint32_t z))[3]
{
    static uint32_t at[23 * 4 * 24][3];

    for (uint32_t i = 0; i < x * y * z; i++) {
        at[i][0] = i % x;
        at[i][1] = i / x % y;
        at[i][2] = i / x / y;
    }
    return (const uint32_t(*)[3])at;
}

/* Every site is somebody's, once. */
static void check_sites(const struct mapcore_adaptive *layout,
                        const struct mapcore_adaptive_problem *problem)
{
    uint64_t all = 1, sum = 0, *sites = calloc(layout->ntasks, sizeof(*sites));
    uint32_t range[4][2];

    for (int i = 0; i < 4; i++)
        all *= problem->lattice[i];
    for (uint32_t i = 0; i < layout->nparts; i++) {
        assert_true(layout->owner[i] < layout->ntasks);
        sites[layout->owner[i]] +=
            mapcore_adaptive_sites(range, layout, problem, i, 1);
    }
    for (uint32_t t = 0; t < layout->ntasks; t++) {
        assert_true(sites[t] > 0);
        sum += sites[t];
    }
    assert_true(sum == all);
    free(sites);
}

/* One hole: its block goes to the four neighbours, a quarter each. */
static void test_adaptive_hole(void **state)
{
    uint32_t tasks[5 * 1 * 5];
    struct mapcore_adaptive_problem problem = {.lattice = {20, 8, 20, 4},
                                               .nnodes = 25,
                                               .at = fill_box(5, 1, 5),
                                               .tasks = tasks};
    struct mapcore_adaptive layout;
    uint32_t hole = 2 + 5 * 2, takers[4] = {12, 11, 17, 7};

    for (uint32_t i = 0; i < 25; i++)
        tasks[i] = 1;
    tasks[hole] = 0;
    assert_ok(mapcore_adaptive_layout(&layout, &problem, NULL));
    assert_int_equal(layout.unclaimed, 1);
    check_sites(&layout, &problem);
    /* The neighbours at +x, -x, +z, -z; behind the hole numbers are 1 less. */
    takers[2]--;
    for (int part = 0; part < 4; part++)
        assert_int_equal(layout.owner[hole * 4 + (uint32_t)part], takers[part]);
    assert_true(fabs(layout.imbalance - 1.25 * 24 / 25) < 1e-9);
    assert_int_equal(layout.longest, 2);
    mapcore_adaptive_clear(&layout);
    tasks[hole] = 1;
    assert_ok(mapcore_adaptive_layout(&layout, &problem, NULL));
    assert_true(fabs(layout.imbalance - 1) < 1e-9);
    assert_int_equal(layout.longest, 1);
    assert_int_equal(layout.unclaimed, 0);
    mapcore_adaptive_clear(&layout);
}

/* The benchmark's size: 84 x 84 x 84 x 144 on 23 x 4 x 24 routers of 32. */
static void test_adaptive_large(void **state)
{
    static uint32_t tasks[23 * 4 * 24];
    struct mapcore_adaptive_problem problem = {
        .lattice = {84, 84, 84, 144},
        .periodic = {true, true, true, true},
        .ring = {23, 0, 24},
        .nnodes = 23 * 4 * 24,
        .at = fill_box(23, 4, 24),
        .tasks = tasks};
    struct mapcore_adaptive layout;
    struct rng rng;

    rng_init(&rng, 7, 1, 0);
    for (uint32_t i = 0; i < 23 * 4 * 24; i++)
        tasks[i] = rng_below(&rng, 100) < 3 ? 0 : 32;
    tasks[5] = 7;
    assert_ok(mapcore_adaptive_layout(&layout, &problem, NULL));
    check_sites(&layout, &problem);
    assert_true(layout.ntasks > 65000);
    /* Blocks of 4 x 21 x 4 x 5 sites beside smaller ones are 1.35 already. */
    assert_true(layout.imbalance < 1.6);
    assert_true(layout.longest <= 8);
    mapcore_adaptive_clear(&layout);
}

/* Holes in a torus: rebalancing lengthens the longest path, unless it is
 * bound; then it is what claiming made it. */
static void test_adaptive_bound(void **state)
{
    static const uint32_t holes[] = {3,  17, 18,  19,  20,  33,  77, 90,
                                     91, 92, 130, 200, 201, 202, 203};
    uint32_t tasks[256], longest[3];
    struct mapcore_adaptive_problem problem = {
        .lattice = {33, 17, 34, 20},
        .periodic = {true, true, true, true},
        .ring = {8, 4, 8},
        .nnodes = 256,
        .at = fill_box(8, 4, 8),
        .tasks = tasks};

    for (uint32_t r = 0; r < 256; r++)
        tasks[r] = 4;
    for (size_t i = 0; i < sizeof(holes) / sizeof(holes[0]); i++)
        tasks[holes[i]] = 0;
    for (uint32_t bound = 0; bound < 3; bound++) {
        struct mapcore_adaptive layout;

        problem.most_hops = bound == 2 ? 99 : bound;
        assert_ok(mapcore_adaptive_layout(&layout, &problem, NULL));
        check_sites(&layout, &problem);
        assert_true(layout.mean_path > 0 &&
                    layout.mean_path < (double)layout.longest);
        assert_true(layout.moved > 0);
        longest[bound] = layout.longest;
        mapcore_adaptive_clear(&layout);
    }
    assert_true(longest[1] < longest[0]);
    assert_int_equal(longest[2], longest[0]);
}

static void test_adaptive_refusals(void **state)
{
    uint32_t tasks[4] = {0, 0, 0, 0};
    struct mapcore_adaptive_problem problem = {.lattice = {4, 4, 4, 4},
                                               .nnodes = 4,
                                               .at = fill_box(2, 2, 1),
                                               .tasks = tasks};
    struct mapcore_adaptive layout;
    struct mapcore_error err = {""};

    assert_int_equal(mapcore_adaptive_layout(&layout, &problem, &err),
                     MAPCORE_EINVAL);
    tasks[0] = 5;
    assert_int_equal(mapcore_adaptive_layout(&layout, &problem, &err),
                     MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "4 sites along t"));
}

/* Blocks of 2 x 4 on 3 x 6: every task once, the ones at the ends smaller. */
static void test_clipped(void **state)
{
    static const uint32_t expected[] = {0, 1,  2,  3,  6,  7,  8,  9,  4,
                                        5, 10, 11, 12, 13, 14, 15, 16, 17};
    struct mapcore_blocks layout = {
        .ndims = 2, .grid = {3, 6}, .block = {2, 4}};
    uint32_t rank[18], nplaces, nper;

    assert_int_equal(mapcore_blocks_check(NULL, NULL, &layout, NULL),
                     MAPCORE_EINVAL);
    layout.clips = true;
    assert_ok(mapcore_blocks_check(&nplaces, &nper, &layout, NULL));
    assert_int_equal(nplaces, 3);
    assert_int_equal(nper, 8);
    mapcore_blocks_order(rank, &layout);
    assert_memory_equal(rank, expected, sizeof(rank));
    layout.block[0] = 4;
    assert_int_equal(mapcore_blocks_check(NULL, NULL, &layout, NULL),
                     MAPCORE_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clipped),
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_skips),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_folds),
        cmocka_unit_test(test_staggers),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_adaptive_hole),
        cmocka_unit_test(test_adaptive_large),
        cmocka_unit_test(test_adaptive_bound),
        cmocka_unit_test(test_adaptive_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
