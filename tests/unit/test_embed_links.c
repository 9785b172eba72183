/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_embed_links.c - the mapper `grid` on links of unequal speed: tiles as
 * Fiedler and Whalen shape them, ties broken by the slowest link */
#include "config.h"

#include "gridfixture.h"

#include "map/embed/embed_internal.h"

enum { BY_HOPS, BY_LINK };

/* What pass number `pass` comes to; *more: whether others follow. */
static struct mapcore_metrics measure(uint32_t *host,
                                      bool *more,
                                      const struct mapcore_graph *graph,
                                      const struct machine *machine,
                                      uint8_t by,
                                      uint32_t pass)
{
    struct mapper_end end;
    struct mapcore_metrics metrics = lay(host, &end, graph, machine, by, pass);

    *more = end.is_random;
    return metrics;
}

static uint32_t tiles_along(uint32_t length, uint32_t width)
{
    return (length - 1) / width + 1;
}

/* Every box of at most `slots` tasks as a tile, dimension i along axis i; the
 * grid is a cube, so that turned tiles are the other tiles. Bytes of a message
 * times the face, half each way, over the capacity. */
static double best_tile(uint32_t *shape,
                        uint32_t length,
                        const uint32_t *size,
                        const double *capacity,
                        uint32_t slots,
                        double bytes)
{
    double least = INFINITY;

    for (uint32_t x = 1; x <= length; x++)
        for (uint32_t y = 1; y <= length && x * y <= slots; y++)
            for (uint32_t z = 1; z <= length && x * y * z <= slots; z++) {
                double time = 0;

                if (tiles_along(length, x) > size[0] ||
                    tiles_along(length, y) > size[1] ||
                    tiles_along(length, z) > size[2])
                    continue;
                time = fmax(x < length ? y * z / capacity[0] : 0,
                            y < length ? x * z / capacity[1] : 0);
                time = fmax(time, z < length ? x * y / capacity[2] : 0);
                if (time * bytes / 2 >= least)
                    continue;
                least = time * bytes / 2;
                shape[0] = x;
                shape[1] = y;
                shape[2] = z;
            }
    return least;
}

/* The box of the grid that shares the host of task 0; the longest side last,
 * for any dimension of the grid may go where the links are slow. */
static void read_tile(uint32_t *shape, const uint32_t *host, uint32_t length)
{
    uint32_t stride = 1;

    for (uint32_t i = 0; i < 3; i++) {
        shape[i] = 1;
        while (shape[i] < length && host[shape[i] * stride] == host[0])
            shape[i]++;
        stride *= length;
    }
    for (uint32_t i = 0; i < 2; i++)
        if (shape[i] > shape[2]) {
            uint32_t side = shape[i];

            shape[i] = shape[2];
            shape[2] = side;
        }
}

/* Fiedler and Whalen, section II.A: B_x = B_z = 2 B_y. The face across y is to
 * be half as large as the others, the tile twice as long, and the time 2^(2/3)
 * shorter than with a cube of the same volume. */
static void test_tiles_of_fiedler_and_whalen(void **state)
{
    static const struct {
        const char *topology;
        uint32_t size[3], length, slots;
        uint32_t cube; /* what is best by hop-bytes */
        uint32_t shape[3];
    } cases[] = {
        /* 3 x 6 x 3 is what 64 tasks have room for; a cube of 4. */
        {"mesh:8x6x8:capacity=2x1x2", {8, 6, 8}, 24, 64, 4, {3, 3, 6}},
        {"torus:8x6x8:capacity=2x1x2", {8, 6, 8}, 24, 64, 4, {3, 3, 6}},
        {"mesh:12x9x12:capacity=2x1x2", {12, 9, 12}, 24, 27, 3, {2, 2, 4}},
        /* Only cubes fill this one. */
        {"torus:8x8x8:capacity=2x1x2", {8, 8, 8}, 32, 64, 4, {4, 4, 4}},
    };
    const double capacity[3] = {2, 1, 2};

    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        const struct grid_spec spec = {
            .ndims = 3,
            .dims = {cases[c].length, cases[c].length, cases[c].length},
            .bytes = {1000}};
        struct machine machine = machine_of(cases[c].topology, cases[c].slots);
        struct mapcore_graph *graph = spec_graph(&spec, 1);
        uint32_t *host = calloc(graph->ntasks, sizeof(*host));
        uint32_t shape[3] = {0}, least[3] = {0};
        double cube = cases[c].cube * cases[c].cube * 500.0, factor, volume;
        struct mapcore_metrics by_hops, by_link;
        bool more;

        assert_non_null(host);
        by_hops = measure(host, &more, graph, &machine, BY_HOPS, 0);
        assert_true(by_hops.max_link_time == cube);
        by_link = measure(host, &more, graph, &machine, BY_LINK, 0);
        assert_true(by_link.max_link_time == best_tile(least, cases[c].length,
                                                       cases[c].size, capacity,
                                                       cases[c].slots, 1000));
        read_tile(shape, host, cases[c].length);
        volume = 1;
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(shape[i], cases[c].shape[i]);
            volume *= shape[i];
        }
        factor = by_hops.max_link_time / by_link.max_link_time;
        if (shape[2] == 2 * shape[0])
            assert_true(
                fabs(factor * pow(volume, 2.0 / 3) / pow(cases[c].cube, 2) -
                     pow(2, 2.0 / 3)) < 1e-9);
        free(host);
        machine_graph_end(&machine, graph);
    }
}

/* One link of each column is half as wide as those of the rows, the others four
 * times as wide. A layout for columns that are wide all along is twice as slow
 * there as one that knows. */
static void test_links_differ_along_an_axis(void **state)
{
    static const char *const repeats[] = {"mesh:8x8:capacity.y=4,4,4,0.5,4,4,4",
                                          "mesh:8x8:capacity.y=4,4,4,0.5"};
    static uint32_t host[64];
    const struct grid_spec spec = {.ndims = 2, .dims = {16, 4}, .bytes = {10}};
    struct mapcore_graph *graph = spec_graph(&spec, 1);
    struct machine wide = machine_of("mesh:8x8:capacity=1x4", 1);
    bool more;

    for (size_t i = 0; i < 2; i++) {
        struct machine machine = machine_of(repeats[i], 1);
        struct mapcore_metrics known, unknown;

        known = measure(host, &more, graph, &machine, BY_LINK, 0);
        measure(host, &more, graph, &wide, BY_LINK, 0);
        mapcore_metrics_compute(&unknown, graph, machine.alloc, host, NULL);
        assert_true(2 * known.max_link_time <= unknown.max_link_time);
        machine_end(&machine);
    }
    machine_graph_end(&wide, graph);
}

/* Where the longest dimension of the grid goes makes no difference to
 * hop-bytes, and one of 2 to the slow links. */
static void test_ties_are_broken_by_the_link(void **state)
{
    static const char *const topologies[] = {"torus:8x8x8:capacity=1x2x2",
                                             "torus:8x8x8:capacity=2x1x2",
                                             "torus:8x8x8:capacity=2x2x1"};
    static uint32_t host[8192];
    const struct grid_spec spec = {
        .ndims = 3, .dims = {16, 16, 32}, .periodic = true, .bytes = {1000}};
    struct mapcore_graph *graph = spec_graph(&spec, 1);
    bool more;

    for (size_t i = 0; i < 3; i++) {
        struct machine machine = machine_of(topologies[i], 16);
        struct mapcore_metrics metrics =
            measure(host, &more, graph, &machine, BY_HOPS, 0);

        assert_true(fabs(metrics.hops_per_byte - 5.0 / 12) < 1e-9);
        assert_true(metrics.max_link_time == 2000);
        machine_end(&machine);
    }
    mapcore_graph_destroy(graph);
}

/* 36 x 4 tasks on 36 hosts of 4 below 4 switches. By hop-bytes tiles of 2 x 2
 * are best, which fit into quarters of 18 x 2 with 20 edges out. No 36 tasks
 * have fewer than the 8 of a strip of 9 x 4, and into that go tiles of 1 x 4.
 */
static void test_tapered_tree(void **state)
{
    static const struct {
        const char *topology;
        uint32_t slots;
        struct grid_spec grid;
        double hops, link;
    } cases[] = {
        {"tree:4,9:capacity=1,1",
         4,
         {.ndims = 2, .dims = {36, 4}, .bytes = {1000}},
         10000,
         4000},
        {"tree:4,9:capacity=1,4",
         4,
         {.ndims = 2, .dims = {36, 4}, .bytes = {1000}},
         10000,
         4000},
        /* Here one layout is best for both. */
        {"tree:8,8,8:capacity=4,2,1",
         64,
         {.ndims = 3, .dims = {32, 32, 32}, .periodic = true, .bytes = {1000}},
         192000,
         192000},
    };

    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        struct machine machine = machine_of(cases[c].topology, cases[c].slots);
        struct mapcore_graph *graph = spec_graph(&cases[c].grid, 1);
        uint32_t *host = calloc(graph->ntasks, sizeof(*host));
        bool more;

        assert_non_null(host);
        assert_true(
            measure(host, &more, graph, &machine, BY_HOPS, 0).max_link_time ==
            cases[c].hops);
        assert_true(
            measure(host, &more, graph, &machine, BY_LINK, 0).max_link_time ==
            cases[c].link);
        free(host);
        machine_graph_end(&machine, graph);
    }
}

/* By link no pass is slower than the best by hop-bytes, and among the passes by
 * hop-bytes are those by link where capacities are known; the portfolio asked
 * for links comes to the same. */
static void test_passes(void **state)
{
    static const struct {
        const char *topology;
        struct grid_spec grid;
        uint32_t slots;
        bool capacities;
    } cases[] = {
        {"mesh:8x6x8:capacity=2x1x2",
         {.ndims = 3, .dims = {24, 24, 24}, .bytes = {10}},
         64,
         true},
        {"torus:4x4x4:capacity=2x1x2",
         {.ndims = 4, .dims = {4, 8, 4, 8}, .periodic = true, .bytes = {10}},
         16,
         true},
        {"torus:8x4",
         {.ndims = 2, .dims = {16, 16}, .periodic = true, .bytes = {10}},
         8,
         false},
        {"tree:4,9:capacity=1,1",
         {.ndims = 2, .dims = {36, 4}, .bytes = {1000}},
         4,
         true},
    };

    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        struct machine machine = machine_of(cases[c].topology, cases[c].slots);
        struct mapcore_graph *graph = spec_graph(&cases[c].grid, 1);
        uint32_t *host = calloc(graph->ntasks, sizeof(*host));
        double best, first, least = INFINITY;
        bool more = true;

        assert_non_null(host);
        best = measure(host, &more, graph, &machine, BY_LINK, 0).max_link_time;
        first = measure(host, &more, graph, &machine, BY_HOPS, 0).max_link_time;
        assert_true(best <= first);
        for (uint32_t pass = 0; more; pass++) {
            least =
                fmin(least, measure(host, &more, graph, &machine, BY_HOPS, pass)
                                .max_link_time);
            assert_true(pass <= 2 * EMBED_PLANS + 4);
        }
        if (cases[c].capacities)
            assert_true(least <= best);
        free(host);
        machine_graph_end(&machine, graph);
    }
}

static void test_portfolio_finds_it(void **state)
{
    const struct grid_spec spec = {
        .ndims = 3, .dims = {12, 12, 12}, .bytes = {1000}};
    const struct mapcore_search options = {.choose = MAPCORE_CHOOSE_LINK,
                                           .work = 8};
    struct machine machine = machine_of("mesh:4x2x4:capacity=2x1x2", 54);
    struct mapcore_graph *graph = spec_graph(&spec, 1);
    struct mapcore_result result = search_on(&machine, graph, &options);

    assert_true(result.metrics.max_link_time == 4500);
    mapcore_result_clear(&result);
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles_of_fiedler_and_whalen),
        cmocka_unit_test(test_ties_are_broken_by_the_link),
        cmocka_unit_test(test_links_differ_along_an_axis),
        cmocka_unit_test(test_tapered_tree),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_portfolio_finds_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
