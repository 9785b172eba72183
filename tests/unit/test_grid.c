/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_grid.c - the Cartesian grid is found in a task graph, and none where
 * there is none */
#include "config.h"

#include "gridfixture.h"

#include "grid/find/grid_find.h"
#include "grid/grid_measure.h"

/* Half way round is the same place both ways. */
static void test_places(void **state)
{
    const struct mapcore_grid grid = {
        .ndims = 2, .dims = {6, 5}, .periodic = {true, false}};

    assert_true(grid_places(&grid, (const int32_t[]){3, 0}, 0) == 15);
    assert_true(grid_places(&grid, (const int32_t[]){2, 0}, 0) == 30);
    assert_true(grid_places(&grid, (const int32_t[]){3, -1}, 0) == 24);
    assert_true(grid_places(&grid, (const int32_t[]){2, 0}, 1) == 9);
}

static struct mapcore_grid *find(const struct mapcore_graph *graph)
{
    struct mapcore_error err = {""};
    struct mapcore_grid *grid = NULL;

    if (mapcore_grid_find(&grid, graph, &err) < 0)
        fail_msg("%s", err.text);
    return grid;
}

static double share_of(const struct mapcore_grid *grid)
{
    return (double)grid->explained / (double)grid->total;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Every task has a place inside the box, and no two the same. */
static void assert_places(const struct mapcore_grid *grid)
{
    uint32_t *place = calloc(grid->ntasks, sizeof(*place));

    assert_non_null(place);
    for (uint32_t t = 0; t < grid->ntasks; t++)
        for (uint32_t i = 0; i < grid->ndims; i++) {
            uint32_t x = grid->coordinates[t * grid->ndims + i];

            assert_true(x < grid->dims[i]);
            place[t] = place[t] * grid->dims[i] + x;
        }
    qsort(place, grid->ntasks, sizeof(*place), ascending);
    for (uint32_t t = 1; t < grid->ntasks; t++)
        assert_true(place[t - 1] < place[t]);
    free(place);
}

/* The same dimensions in any order. */
static bool same_dims(const struct mapcore_grid *grid,
                      const struct grid_spec *spec)
{
    uint32_t a[MAPCORE_GRID_MAX_DIMS], b[6];

    if (grid->ndims != spec->ndims)
        return false;
    memcpy(a, grid->dims, sizeof(a));
    memcpy(b, spec->dims, sizeof(b));
    qsort(a, spec->ndims, sizeof(*a), ascending);
    qsort(b, spec->ndims, sizeof(*b), ascending);
    return memcmp(a, b, spec->ndims * sizeof(*a)) == 0;
}

static void check_spec(const struct grid_spec *spec)
{
    struct mapcore_graph *graph = spec_graph(spec, 7);
    struct mapcore_grid *grid = find(graph);
    double least = 1 - (spec->missing + 1.5 * spec->extra) / 1000.0;
    char text[80];

    /* A few tasks may be out of place where neither ranks nor edges say it. */
    if (spec->permuted && spec->missing > 0)
        least -= 0.02;
    mapcore_grid_describe(grid, text, sizeof(text));
    if (!same_dims(grid, spec) || share_of(grid) < least - 1e-9)
        fail_msg("%ux%ux%u.. of %u dimensions, %s: found %s, %.4f of the bytes",
                 spec->dims[0], spec->dims[1], spec->dims[2], spec->ndims,
                 spec->permuted ? "permuted" : "by rank", text, share_of(grid));
    assert_places(grid);
    for (uint32_t i = 0; i < grid->ndims; i++) {
        assert_int_equal(grid->kind[i], MAPCORE_GRID_LINE);
        assert_true(grid->periodic[i] == (spec->periodic && grid->dims[i] > 2));
    }
    mapcore_grid_destroy(grid);
    mapcore_graph_destroy(graph);
}

static const struct grid_spec by_rank[] = {
    {.ndims = 1, .dims = {64}, .bytes = {10}},
    {.ndims = 1, .dims = {101}, .periodic = true, .bytes = {10}},
    {.ndims = 2, .dims = {16, 16}, .bytes = {10}},
    {.ndims = 2, .dims = {3, 50}, .bytes = {10}},
    {.ndims = 2, .dims = {7, 11}, .periodic = true, .bytes = {10}},
    {.ndims = 2, .dims = {13, 17}, .box = true, .bytes = {10, 10}},
    /* Short dimensions, which in a row of ranks look like far neighbours. */
    {.ndims = 2, .dims = {3, 50}, .box = true, .bytes = {10, 10}},
    {.ndims = 3, .dims = {3, 4, 5}, .box = true, .bytes = {10, 10, 10}},
    {.ndims = 3, .dims = {3, 3, 3}, .box = true, .bytes = {10, 10, 10}},
    {.ndims = 3, .dims = {5, 6, 7}, .bytes = {10}},
    {.ndims = 3, .dims = {10, 15, 24}, .bytes = {10}},
    {.ndims = 3, .dims = {8, 8, 8}, .box = true, .bytes = {64, 8, 1}},
    {.ndims = 3,
     .dims = {4, 5, 6},
     .box = true,
     .periodic = true,
     .bytes = {64, 8, 1}},
    {.ndims = 4, .dims = {4, 8, 4, 8}, .periodic = true, .bytes = {10}},
    {.ndims = 4, .dims = {12, 12, 12, 9}, .periodic = true, .bytes = {10}},
    {.ndims = 5, .dims = {3, 3, 4, 5, 3}, .periodic = true, .bytes = {10}},
    {.ndims = 6, .dims = {3, 3, 4, 3, 5, 3}, .bytes = {10}},
    {.ndims = 2, .dims = {32, 32}, .bytes = {10}, .missing = 30},
    {.ndims = 3, .dims = {8, 16, 8}, .bytes = {10}, .missing = 30, .extra = 30},
    {.ndims = 4,
     .dims = {8, 4, 4, 8},
     .periodic = true,
     .bytes = {10},
     .missing = 20,
     .extra = 30},
};

static void test_by_rank(void **state)
{
    for (size_t i = 0; i < sizeof(by_rank) / sizeof(*by_rank); i++)
        check_spec(&by_rank[i]);
}

/* Ranks that count through tiles of 4 x 4 first: two digits a dimension. */
static void test_blocked_ranks(void **state)
{
    const struct grid_spec spec = {.ndims = 2, .dims = {16, 24}, .bytes = {10}};
    struct mapcore_edge edges[2 * 16 * 24];
    struct mapcore_graph *graph;
    struct mapcore_grid *grid;
    size_t n = 0;

    for (uint32_t y = 0; y < 24; y++)
        for (uint32_t x = 0; x < 16; x++)
            for (uint32_t way = 0; way < 2; way++) {
                uint32_t u = x + (way == 0), v = y + (way == 1);

                if (u == 16 || v == 24)
                    continue;
                edges[n++] = (struct mapcore_edge){
                    (y / 4 * 4 + x / 4) * 16 + y % 4 * 4 + x % 4,
                    (v / 4 * 4 + u / 4) * 16 + v % 4 * 4 + u % 4, 10};
            }
    graph = graph_of(16 * 24, edges, n);
    grid = find(graph);
    assert_true(same_dims(grid, &spec));
    assert_true(share_of(grid) == 1);
    assert_places(grid);
    mapcore_grid_destroy(grid);
    mapcore_graph_destroy(graph);
}

static void test_permuted(void **state)
{
    static const struct grid_spec more[] = {
        {.ndims = 3,
         .dims = {8, 16, 9},
         .bytes = {10},
         .missing = 30,
         .extra = 30},
        {.ndims = 3,
         .dims = {10, 12, 8},
         .box = true,
         .bytes = {640, 80, 10},
         .missing = 20},
        {.ndims = 4,
         .dims = {7, 5, 6, 8},
         .periodic = true,
         .bytes = {10},
         .missing = 20,
         .extra = 30},
        {.ndims = 2,
         .dims = {41, 25},
         .bytes = {10},
         .missing = 30,
         .extra = 30},
        {.ndims = 2,
         .dims = {32, 31},
         .periodic = true,
         .bytes = {10},
         .missing = 30,
         .extra = 30},
        {.ndims = 2,
         .dims = {20, 30},
         .box = true,
         .bytes = {10, 10},
         .missing = 30,
         .extra = 30},
        {.ndims = 3,
         .dims = {8, 9, 10},
         .box = true,
         .bytes = {10, 10, 10},
         .missing = 20},
        {.ndims = 3,
         .dims = {7, 8, 9},
         .box = true,
         .periodic = true,
         .bytes = {10, 10, 10},
         .missing = 30,
         .extra = 30},
        /* Parts of the work of unequal size. */
        {.ndims = 2, .dims = {25, 40}, .bytes = {1000}, .uneven = 200},
        {.ndims = 3, .dims = {10, 11, 12}, .bytes = {1000}, .uneven = 200},
        {.ndims = 3,
         .dims = {9, 10, 11},
         .box = true,
         .bytes = {9000, 900, 90},
         .uneven = 200},
        {.ndims = 4,
         .dims = {6, 6, 6, 7},
         .periodic = true,
         .bytes = {1000},
         .uneven = 100,
         .missing = 20},
    };

    for (size_t i = 0; i < sizeof(by_rank) / sizeof(*by_rank); i++) {
        struct grid_spec spec = by_rank[i];

        spec.permuted = true;
        /* In three places everybody is beside everybody: a box of them looks
         * the same from everywhere. */
        if (spec.box && spec.bytes[0] == spec.bytes[1] && spec.dims[0] == 3)
            continue;
        check_spec(&spec);
    }
    for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
        struct grid_spec spec = more[i];

        spec.permuted = true;
        check_spec(&spec);
    }
}

/* Task 0 also talks with everybody, by as many bytes as neighbours do. */
static void test_hub(void **state)
{
    static const struct grid_spec specs[] = {
        {.ndims = 2, .dims = {32, 30}, .bytes = {10}, .hub = 10},
        {.ndims = 3, .dims = {9, 10, 12}, .bytes = {10}, .hub = 10},
        {.ndims = 3,
         .dims = {9, 10, 8},
         .box = true,
         .bytes = {10, 10, 10},
         .hub = 10},
    };

    for (size_t i = 0; i < 2 * sizeof(specs) / sizeof(*specs); i++) {
        struct grid_spec spec = specs[i / 2];
        struct mapcore_graph *graph;
        struct mapcore_grid *grid;

        spec.permuted = i % 2 == 1;
        graph = spec_graph(&spec, 3);
        grid = find(graph);
        assert_true(same_dims(grid, &spec));
        assert_true(grid->total - grid->explained <=
                    (spec_tasks(&spec) + 60) * spec.hub);
        assert_places(grid);
        mapcore_grid_destroy(grid);
        mapcore_graph_destroy(graph);
    }
}

static void test_offsets_have_weights(void **state)
{
    const struct grid_spec spec = {
        .ndims = 2, .dims = {8, 10}, .box = true, .bytes = {100, 3}};
    struct mapcore_graph *graph = spec_graph(&spec, 1);
    struct mapcore_grid *grid = find(graph);

    assert_int_equal(grid->noffsets, 4);
    assert_true(grid->by_rank);
    /* 8 x 9 steps along the second dimension, 7 x 10 along the first, then 7 x
     * 9 on each diagonal. */
    assert_int_equal(grid->offset[0].step[1], 1);
    assert_int_equal(grid->offset[0].edges, 72);
    assert_int_equal(grid->offset[0].bytes, 7200);
    assert_int_equal(grid->offset[1].step[0], 1);
    assert_int_equal(grid->offset[1].edges, 70);
    assert_int_equal(grid->offset[2].edges, 63);
    assert_int_equal(grid->offset[3].bytes, 189);
    mapcore_grid_destroy(grid);
    mapcore_graph_destroy(graph);
}

static void check_qbox(bool permuted)
{
    struct mapcore_graph *graph = qbox_graph(16, 32, permuted);
    struct mapcore_grid *grid = find(graph);
    uint32_t group = grid->dims[0] == 16 ? 0 : 1;

    assert_int_equal(grid->ndims, 2);
    assert_int_equal(grid->dims[group], 16);
    assert_int_equal(grid->dims[1 - group], 32);
    assert_int_equal(grid->kind[group], MAPCORE_GRID_GROUP);
    assert_int_equal(grid->kind[1 - group], MAPCORE_GRID_LINE);
    assert_true(grid->periodic[1 - group]);
    assert_true(share_of(grid) == 1);
    assert_places(grid);
    mapcore_grid_destroy(grid);
    mapcore_graph_destroy(graph);
}

static void test_columns_with_alltoall(void **state)
{
    check_qbox(false);
    check_qbox(true);
}

/* Levels of strides 1, 2, 4 and 8; place t is rank t * step mod 1024. */
static struct mapcore_graph *multigrid(uint32_t step)
{
    struct mapcore_edge *edges = calloc(4096, sizeof(*edges));
    struct mapcore_graph *graph;
    size_t n = 0;

    assert_non_null(edges);
    for (uint32_t s = 1; s <= 8; s *= 2)
        for (uint32_t y = 0; y < 32; y += s)
            for (uint32_t x = 0; x < 32; x += s) {
                if (x + s < 32)
                    edges[n++] = (struct mapcore_edge){
                        y * 32 + x, y * 32 + x + s, 1000 / s};
                if (y + s < 32)
                    edges[n++] = (struct mapcore_edge){
                        y * 32 + x, (y + s) * 32 + x, 1000 / s};
            }
    for (size_t e = 0; e < n; e++) {
        edges[e].a = edges[e].a * step % 1024;
        edges[e].b = edges[e].b * step % 1024;
    }
    graph = graph_of(1024, edges, n);
    free(edges);
    return graph;
}

static void test_multigrid(void **state)
{
    const struct grid_spec spec = {
        .ndims = 2, .dims = {32, 32}, .bytes = {1000}};
    struct mapcore_graph *graph = multigrid(1);
    struct mapcore_grid *grid = find(graph);

    assert_true(same_dims(grid, &spec));
    assert_true(share_of(grid) == 1);
    assert_int_equal(grid->noffsets, 8);
    mapcore_grid_destroy(grid);
    mapcore_graph_destroy(graph);
    graph = multigrid(377);
    grid = find(graph);
    assert_true(same_dims(grid, &spec));
    assert_true(share_of(grid) > 0.9);
    assert_places(grid);
    mapcore_grid_destroy(grid);
    mapcore_graph_destroy(graph);
}

/* 100 ranks in rows of 8: the last row is not full. */
static void test_unfilled_box(void **state)
{
    struct mapcore_edge edges[200];
    struct mapcore_graph *graph;
    struct mapcore_grid *grid;
    size_t n = 0;

    for (uint32_t t = 0; t < 100; t++) {
        if (t % 8 != 7 && t + 1 < 100)
            edges[n++] = (struct mapcore_edge){t, t + 1, 10};
        if (t + 8 < 100)
            edges[n++] = (struct mapcore_edge){t, t + 8, 10};
    }
    graph = graph_of(100, edges, n);
    grid = find(graph);
    assert_int_equal(grid->ndims, 2);
    assert_int_equal(grid->dims[0], 8);
    assert_int_equal(grid->dims[1], 13);
    assert_true(share_of(grid) == 1);
    assert_places(grid);
    mapcore_grid_destroy(grid);
    mapcore_graph_destroy(graph);
}

static void assert_no_grid(struct mapcore_graph *graph)
{
    struct mapcore_error err = {""};
    struct mapcore_grid *grid = NULL;

    assert_int_equal(mapcore_grid_find(&grid, graph, &err), MAPCORE_ENOENT);
    assert_null(grid);
    assert_non_null(strstr(err.text, "no Cartesian grid"));
    mapcore_graph_destroy(graph);
}

static void test_no_grid(void **state)
{
    struct mapcore_edge tree[511], star[100];

    assert_no_grid(random_graph(500, 4, 1));
    assert_no_grid(random_graph(1024, 12, 2));
    for (uint32_t t = 1; t < 512; t++)
        tree[t - 1] = (struct mapcore_edge){t, (t - 1) / 2, 10};
    assert_no_grid(graph_of(512, tree, 511));
    for (uint32_t t = 1; t <= 100; t++)
        star[t - 1] = (struct mapcore_edge){0, t, 10};
    assert_no_grid(graph_of(101, star, 100));
    assert_no_grid(graph_of(1, NULL, 0));
    assert_no_grid(graph_of(64, NULL, 0));
}

static void test_of_dims(void **state)
{
    const struct grid_spec spec = {
        .ndims = 2, .dims = {4, 6}, .periodic = true, .bytes = {10}};
    struct mapcore_graph *graph = spec_graph(&spec, 1);
    struct mapcore_error err = {""};
    struct mapcore_grid *grid = NULL;
    const uint32_t one = 1, large[2] = {4, 5}, *dims = spec.dims;

    assert_ok(mapcore_grid_of_dims(&grid, graph, 2, dims, &err));
    assert_true(share_of(grid) == 1);
    assert_true(grid->periodic[0] && grid->periodic[1]);
    mapcore_grid_destroy(grid);
    assert_int_equal(mapcore_grid_of_dims(&grid, graph, 2, large, &err),
                     MAPCORE_EINVAL);
    assert_string_equal(err.text, "a grid of 20 places for 24 tasks");
    assert_int_equal(mapcore_grid_of_dims(&grid, graph, 1, &one, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(mapcore_grid_of_dims(&grid, graph, 0, dims, &err),
                     MAPCORE_EINVAL);
    mapcore_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_by_rank),
        cmocka_unit_test(test_blocked_ranks),
        cmocka_unit_test(test_permuted),
        cmocka_unit_test(test_hub),
        cmocka_unit_test(test_offsets_have_weights),
        cmocka_unit_test(test_columns_with_alltoall),
        cmocka_unit_test(test_multigrid),
        cmocka_unit_test(test_unfilled_box),
        cmocka_unit_test(test_no_grid),
        cmocka_unit_test(test_of_dims),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
