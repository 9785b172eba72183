/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_embed.c - the mapper `grid`: as good as trying everything where that is
 * possible, and as the best known layouts elsewhere */
#include "config.h"

#include "gridfixture.h"

#include "base/array.h"
#include "grid/find/grid_find.h"
#include "map/embed/embed_internal.h"

static void test_as_good_as_everything_tried(void **state)
{
    static const struct {
        struct grid_spec grid;
        const char *topology;
        uint32_t slots;
    } cases[] = {
        {{.ndims = 1, .dims = {8}, .bytes = {10}}, "mesh:4", 2},
        {{.ndims = 1, .dims = {8}, .periodic = true, .bytes = {10}},
         "torus:4",
         2},
        {{.ndims = 1, .dims = {8}, .periodic = true, .bytes = {10}},
         "mesh:2x2",
         2},
        {{.ndims = 1, .dims = {12}, .periodic = true, .bytes = {10}},
         "torus:3x2",
         2},
        {{.ndims = 1, .dims = {9}, .periodic = true, .bytes = {10}},
         "torus:3x3",
         1},
        {{.ndims = 2, .dims = {4, 2}, .bytes = {10}}, "mesh:2x2", 2},
        {{.ndims = 2, .dims = {3, 3}, .bytes = {10}}, "mesh:3", 3},
        {{.ndims = 2, .dims = {4, 3}, .bytes = {10}}, "torus:2x2", 3},
        {{.ndims = 2, .dims = {4, 3}, .bytes = {10}}, "mesh:2x3", 2},
        {{.ndims = 2, .dims = {4, 3}, .periodic = true, .bytes = {10}},
         "tree:2,3",
         2},
        {{.ndims = 2, .dims = {5, 2}, .box = true, .bytes = {10, 1}},
         "mesh:5",
         2},
        {{.ndims = 3, .dims = {3, 2, 2}, .bytes = {10}}, "tree:3,2", 2},
        {{.ndims = 3, .dims = {3, 2, 2}, .bytes = {10}}, "torus:3x2", 2},
        {{.ndims = 3, .dims = {3, 2, 2}, .bytes = {10}}, "flat:4", 3},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct machine machine = machine_of(cases[i].topology, cases[i].slots);
        struct mapcore_graph *graph = spec_graph(&cases[i].grid, 1);
        struct mapper_end end;
        uint32_t host[16];
        uint64_t reached, least = least_hop_bytes(graph, machine.alloc);

        lay(host, &end, graph, &machine, 0, 0);
        reached = hop_bytes(graph, machine.alloc, host);
        if (reached != least)
            fail_msg("case %zu, %s: %ju, and %ju is possible", i,
                     cases[i].topology, (uintmax_t)reached, (uintmax_t)least);
        machine_graph_end(&machine, graph);
    }
}

static void test_known_layouts(void **state)
{
    static const struct {
        struct grid_spec grid;
        const char *topology;
        uint32_t slots;
        double hops;
    } cases[] = {
        {{.ndims = 4, .dims = {4, 8, 4, 8}, .periodic = true, .bytes = {1}},
         "torus:4x4x4",
         16,
         0.5},
        {{.ndims = 4, .dims = {8, 8, 16, 16}, .periodic = true, .bytes = {1}},
         "torus:8x8x16",
         16,
         0.625},
        {{.ndims = 4, .dims = {8, 8, 16, 16}, .periodic = true, .bytes = {1}},
         "torus:16x2x16",
         32,
         0.5625},
        {{.ndims = 4, .dims = {8, 8, 16, 16}, .periodic = true, .bytes = {1}},
         "torus:4x4x4x8x2",
         16,
         0.5},
        {{.ndims = 4, .dims = {8, 8, 16, 16}, .periodic = true, .bytes = {1}},
         "tree:8,16,8",
         16,
         1.8125},
        {{.ndims = 3,
          .dims = {16, 32, 32},
          .box = true,
          .bytes = {6400, 800, 100}},
         "torus:8x8x16",
         16,
         0.479},
        {{.ndims = 2, .dims = {128, 128}, .bytes = {1}},
         "torus:8x8x16",
         16,
         0.2481},
        {{.ndims = 4, .dims = {16, 16, 16, 16}, .periodic = true, .bytes = {1}},
         "torus:16x8x16",
         32,
         0.625},
        {{.ndims = 4, .dims = {16, 16, 16, 16}, .periodic = true, .bytes = {1}},
         "tree:16,16,8",
         32,
         1.625},
        {{.ndims = 3, .dims = {32, 32, 64}, .bytes = {1}},
         "torus:16x8x16",
         32,
         0.3156},
        {{.ndims = 4, .dims = {12, 12, 12, 9}, .periodic = true, .bytes = {1}},
         "torus:12x9x9",
         16,
         0.757},
        /* Tiles of 2 x 3 x 3: 4 of 9 steps, 4 of 14 and 7 of 23 go one hop. */
        {{.ndims = 3, .dims = {10, 15, 24}, .bytes = {1}},
         "torus:5x5x8",
         18,
         0.3433},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct machine machine = machine_of(cases[i].topology, cases[i].slots);
        struct mapcore_graph *graph = spec_graph(&cases[i].grid, 1);
        uint32_t *host = calloc(graph->ntasks, sizeof(*host));
        struct mapper_end end;
        double reached;

        assert_non_null(host);
        lay(host, &end, graph, &machine, 0, 0);
        reached = metrics_of(graph, machine.alloc, host).hops_per_byte;
        if (reached > cases[i].hops + 1e-9)
            fail_msg("case %zu, %s: %g hops per byte, and %g is known", i,
                     cases[i].topology, reached, cases[i].hops);
        free(host);
        machine_graph_end(&machine, graph);
    }
}

/* The price of a plan is what its layout costs, where edges move in one
 * dimension each. */
static void test_prices_are_exact(void **state)
{
    static const char *const topologies[] = {
        "torus:4x6",  "mesh:8x3", "torus:2x2x6", "torus:3x4x2",
        "tree:4,3,2", "tree:24",  "torus:24"};
    const struct grid_spec spec = {
        .ndims = 3, .dims = {4, 6, 8}, .periodic = true, .bytes = {3}};
    struct mapcore_graph *graph = spec_graph(&spec, 1);
    struct mapcore_error err = {""};
    struct mapcore_grid *grid = NULL;
    uint32_t host[192];

    assert_ok(mapcore_grid_find(&grid, graph, &err));
    for (size_t i = 0; i < sizeof(topologies) / sizeof(*topologies); i++) {
        struct machine machine = machine_of(topologies[i], 8);
        const struct map_deadline deadline = {0};
        struct embed_traffics traffics;
        struct embed_machine box;
        struct embed_plans plans = {0};
        struct arena arena = {.err = &err};
        bool fits, timed_out;

        assert_ok(embed_machine_open(&box, &fits, machine.alloc, &arena));
        assert_true(fits);
        assert_ok(embed_traffics_open(&traffics, grid, graph, &arena));
        for (uint32_t axis = 0; axis < box.naxes; axis++)
            box.weight[axis] = 1;
        assert_ok(
            embed_search(&plans, &timed_out, &box, &traffics, &deadline, &err));
        assert_true(plans.n > 0 && !timed_out);
        for (size_t p = 0; p < plans.n; p++) {
            double cost;

            assert_ok(embed_lay(host, &box, grid, &plans.plan[p], machine.alloc,
                                &err));
            assert_fits(machine.alloc, host, 192);
            cost = metrics_of(graph, machine.alloc, host).hops_per_byte *
                   (double)graph->total;
            assert_true(fabs(cost - plans.plan[p].cost) < 1e-6);
            assert_true(p == 0 || plans.plan[p].cost >= plans.plan[p - 1].cost);
        }
        arena_clear(&arena);
        machine_end(&machine);
    }
    mapcore_grid_destroy(grid);
    mapcore_graph_destroy(graph);
}

/* A box of the torus, across the end of a ring; two hosts a router. */
static void test_part_of_a_torus(void **state)
{
    const struct grid_spec spec = {.ndims = 2, .dims = {8, 8}, .bytes = {1}};
    struct mapcore_graph *graph = spec_graph(&spec, 1);
    uint32_t hosts[16], slots[16], n = 0, host[64];
    struct mapper_end end;
    struct machine machine;

    /* Columns 7, 0 of 8 and rows 2 .. 5 of 8, two hosts each. */
    for (uint32_t y = 2; y < 6; y++)
        for (uint32_t k = 0; k < 4; k++) {
            hosts[n] = (y * 8 + (k < 2 ? 7 : 0)) * 2 + k % 2;
            slots[n++] = 4;
        }
    machine = part_of("torus:8x8/2", 16, hosts, slots);
    lay(host, &end, graph, &machine, 0, 0);
    /* Tiles of 4 x 2: (8 + 3 * 8) of 112 edges go one hop. */
    assert_true(fabs(metrics_of(graph, machine.alloc, host).hops_per_byte -
                     32.0 / 112) < 1e-9);
    machine_graph_end(&machine, graph);
}

/* Where nothing fits evenly there is a layout all the same. */
static void test_odd_machines(void **state)
{
    static const struct grid_spec grids[] = {
        {.ndims = 3, .dims = {5, 7, 3}, .bytes = {1}},
        {.ndims = 2, .dims = {10, 10}, .periodic = true, .bytes = {1}},
        {.ndims = 4, .dims = {3, 3, 3, 3}, .periodic = true, .bytes = {1}},
    };
    static const char *const topologies[] = {"torus:4x3x3", "mesh:6x6",
                                             "tree:3,4,3", "flat:36"};
    uint32_t host[128];
    struct mapper_end end;

    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 4; k++) {
            struct machine machine = machine_of(topologies[k], 3);
            struct mapcore_graph *graph = spec_graph(&grids[i], 1);

            lay(host, &end, graph, &machine, 0, 0);
            machine_graph_end(&machine, graph);
        }
}

/* The first pass is the best plan, and the passes end. */
static void test_passes(void **state)
{
    const struct grid_spec spec = {
        .ndims = 2, .dims = {8, 8}, .periodic = true, .bytes = {1}};
    struct mapcore_graph *graph = spec_graph(&spec, 1);
    struct machine machine = machine_of("torus:4x4", 4);
    struct mapper_end end = {.is_random = true};
    uint32_t host[64], pass = 0;
    double first = 0;

    while (end.is_random) {
        double reached;

        lay(host, &end, graph, &machine, 0, pass++);
        reached = metrics_of(graph, machine.alloc, host).hops_per_byte;
        if (pass == 1)
            first = reached;
        assert_true(reached >= first - 1e-9);
    }
    assert_true(first == 0.5);
    assert_true(pass > 1 && pass <= 16);
    machine_graph_end(&machine, graph);
}

/* A torus with holes: no box, and still better than by rank. */
static void test_holes(void **state)
{
    const struct grid_spec spec = {.ndims = 3, .dims = {8, 8, 6}, .bytes = {1}};
    struct mapcore_graph *graph = spec_graph(&spec, 1);
    uint32_t hosts[200], slots[200], n = 0, host[384], by_rank[384];
    struct mapper_end end;
    struct machine machine;

    for (uint32_t h = 0; h < 125 && n < 100; h++)
        if (h % 6 != 4) {
            hosts[n] = h;
            slots[n++] = 4;
        }
    machine = part_of("torus:5x5x5", n, hosts, slots);
    lay(host, &end, graph, &machine, 0, 0);
    for (uint32_t t = 0; t < 384; t++)
        by_rank[t] = t / 4;
    assert_true(metrics_of(graph, machine.alloc, host).hops_per_byte <
                0.8 * metrics_of(graph, machine.alloc, by_rank).hops_per_byte);
    machine_graph_end(&machine, graph);
}

static void test_no_grid_is_laid_by_rank(void **state)
{
    struct mapcore_graph *graph = random_graph(60, 6, 1);
    struct machine machine = machine_of("torus:4x4", 4);
    struct mapper_end end;
    uint32_t host[60];

    lay(host, &end, graph, &machine, 0, 0);
    assert_false(end.is_random);
    for (uint32_t t = 0; t < 60; t++)
        assert_int_equal(host[t], t / 4);
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_good_as_everything_tried),
        cmocka_unit_test(test_known_layouts),
        cmocka_unit_test(test_prices_are_exact),
        cmocka_unit_test(test_part_of_a_torus),
        cmocka_unit_test(test_odd_machines),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_holes),
        cmocka_unit_test(test_no_grid_is_laid_by_rank),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
