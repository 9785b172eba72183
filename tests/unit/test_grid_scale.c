/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_grid_scale.c - grids made from a description, written as patterns, and
 * predicted from other sizes */
#include "config.h"

#include "gridfixture.h"

#include "grid/grid_make.h"
#include "grid/predict/grid_rules.h"
#include "grid/predict/grid_scale.h"

static struct mapcore_graph *pattern(const char *text)
{
    struct mapcore_error err = {""};
    struct mapcore_graph *graph = NULL;

    if (mapcore_pattern_graph(&graph, text, 0, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return graph;
}

static void test_pattern_edges(void **state)
{
    struct mapcore_graph *graph = pattern("grid:2x3:weights=5/7");

    /* 0 1 2 / 3 4 5: the last dimension is the fastest. */
    assert_int_equal(mapcore_graph_nedges(graph), 7);
    assert_int_equal(edge_bytes(graph, 0, 1), 7);
    assert_int_equal(edge_bytes(graph, 0, 3), 5);
    assert_int_equal(edge_bytes(graph, 2, 0), 0);
    mapcore_graph_destroy(graph);
    graph = pattern("grid:2x3:weights=5/7:order=first");
    assert_int_equal(edge_bytes(graph, 0, 1), 5);
    assert_int_equal(edge_bytes(graph, 0, 2), 7);
    mapcore_graph_destroy(graph);
    /* Round a dimension of two both ways are one. */
    graph = pattern("grid:2x3:periodic:weights=5/7");
    assert_int_equal(edge_bytes(graph, 0, 3), 10);
    assert_int_equal(edge_bytes(graph, 2, 0), 7);
    mapcore_graph_destroy(graph);
    graph = pattern("grid:2x3:periodic=01:weights=5/7");
    assert_int_equal(edge_bytes(graph, 0, 3), 5);
    assert_int_equal(edge_bytes(graph, 2, 0), 7);
    mapcore_graph_destroy(graph);
    graph = pattern("grid:3x3:stencil=box:weights=5/7");
    assert_int_equal(mapcore_graph_nedges(graph), 12 + 8);
    assert_int_equal(edge_bytes(graph, 4, 0), 5);
    assert_int_equal(edge_bytes(graph, 4, 2), 5);
    mapcore_graph_destroy(graph);
    graph = pattern("grid:1x1x4:periodic");
    assert_int_equal(mapcore_graph_nedges(graph), 4);
    mapcore_graph_destroy(graph);
    graph = pattern("grid:1");
    assert_int_equal(mapcore_graph_nedges(graph), 0);
    mapcore_graph_destroy(graph);
}

/* The generator of the tests of detection agrees. */
static void test_pattern_fixture(void **state)
{
    const struct grid_spec star = {
        .ndims = 3, .dims = {5, 4, 3}, .periodic = true, .bytes = {9}};
    const struct grid_spec box = {
        .ndims = 3, .dims = {5, 4, 3}, .box = true, .bytes = {3, 3, 3}};
    struct mapcore_graph *x = spec_graph(&star, 1);
    struct mapcore_graph *y = pattern("grid:3x4x5:periodic:weights=9/9/9");

    assert_same_graph(x, y);
    mapcore_graph_destroy(x);
    mapcore_graph_destroy(y);
    x = spec_graph(&box, 1);
    y = pattern("grid:3x4x5:stencil=box:weights=3/3/3");
    assert_same_graph(x, y);
    mapcore_graph_destroy(x);
    mapcore_graph_destroy(y);
}

static void test_pattern_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"grid:", "grid:: dimension 1 of the grid has no number"},
        {"grid:4x0x4", "dimension 2 of the grid is '0'"},
        {"grid:4x-4", "dimension 2 of the grid is '-4'"},
        {"grid:4xx4", "grid:4xx4: dimension 2 of the grid has no number"},
        {"grid:4x4x", "grid:4x4x: dimension 3 of the grid has no number"},
        {"grid:99999999999999999999999x4", "dimension 1 of the grid"},
        {"grid:65536x65536", "more than 1073741824 tasks"},
        {"grid:4294967296x4294967296x2", "more than 1073741824 tasks"},
        {"grid:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", "more than 16 dimensions"},
        {"grid:4x4:weights=1", "1 weights for the 2 dimensions"},
        {"grid:4x4:weights=1/2/3", "3 weights for the 2 dimensions"},
        {"grid:4x4:weights=1/0", "weight 2 of the grid is '0'"},
        {"grid:4x4:weights=1/-2", "weight 2 of the grid is '-2'"},
        {"grid:4x4:weights", "'weights' in a grid is not one of"},
        {"grid:4x4:periodic=101", "a 0 or 1 for each of the 2 dimensions"},
        {"grid:4x4:periodic=1x", "a 0 or 1 for each of the 2 dimensions"},
        {"grid:4x4:order=middle", "'order=middle' in a grid is not one of"},
        {"grid:4x4:stencil=ball", "'stencil=ball' in a grid is not one of"},
        {"grid:4x4:colour=red", "'colour=red' in a grid is not one of"},
        {"grid:4x4:", "'' in a grid is not one of"},
        {"grid:1x1x1x1x1x1x1x1x2:stencil=box", "stencil=box of 9 dimensions"},
        {"rings:4", "does not begin with grid:"},
        {"ring:some", "is not how many ranks"},
        {"grid:32768x32768", "grid of 2147483648 edges: 67108864 are possible"},
        {"grid:4x4:weights=18446744073709551615/1", ""},
    };
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        err.text[0] = '\0';
        if (mapcore_pattern_graph(&graph, bad[i].text, 0, &err) >= 0)
            fail_msg("%s is taken", bad[i].text);
        if (!strstr(err.text, bad[i].says))
            fail_msg("%s: %s", bad[i].text, err.text);
    }
    assert_int_equal(mapcore_pattern_graph(&graph, "grid:4x8x4", 64, &err),
                     MAPCORE_EINVAL);
    assert_string_equal(err.text,
                        "grid:4x8x4 is a grid of 128 tasks, and there are 64");
    assert_null(graph);
}

/* Answers of MPICH 4.0.2 and Open MPI 4.1.4, where they differ and where they
 * do not. */
static void test_dims_create(void **state)
{
    static const struct {
        uint32_t ntasks, ndims, mpich[5], openmpi[5];
    } known[] = {
        {1, 3, {1, 1, 1}, {1, 1, 1}},
        {8, 3, {2, 2, 2}, {2, 2, 2}},
        {16, 3, {4, 2, 2}, {4, 2, 2}},
        {32, 3, {4, 4, 2}, {4, 4, 2}},
        {27, 3, {3, 3, 3}, {3, 3, 3}},
        {31, 2, {31, 1}, {31, 1}},
        {360, 3, {10, 6, 6}, {10, 6, 6}},
        {20, 4, {5, 2, 2, 1}, {5, 2, 2, 1}},
        {5040, 3, {21, 16, 15}, {20, 18, 14}},
        {1048576, 5, {16, 16, 16, 16, 16}, {16, 16, 16, 16, 16}},
    };
    uint32_t dims[MAPCORE_GRID_MAX_DIMS];

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        size_t bytes = known[i].ndims * sizeof(*dims);

        grid_dims_create(dims, known[i].ndims, known[i].ntasks,
                         MAPCORE_SCALE_MPICH);
        assert_memory_equal(dims, known[i].mpich, bytes);
        grid_dims_create(dims, known[i].ndims, known[i].ntasks,
                         MAPCORE_SCALE_OPENMPI);
        assert_memory_equal(dims, known[i].openmpi, bytes);
    }
}

/* A few sizes as patterns, the one asked for, and what comes of it; expected
 * NULL: no prediction. */
static const struct {
    const char *name, *recorded[4], *expected, *rule;
    uint32_t ntasks;
} scaled[] = {
    {"weak, periodic",
     {"grid:2x2x2:periodic:weights=1000/700/500",
      "grid:4x2x2:periodic:weights=1000/700/500",
      "grid:3x3x3:periodic:weights=1000/700/500"},
     "grid:4x4x2:periodic:weights=1000/700/500",
     "MPI_Dims_create",
     32},
    {"mixed periods",
     {"grid:2x2x2:periodic=101:weights=1000/700/500",
      "grid:4x2x2:periodic=101:weights=1000/700/500",
      "grid:3x3x3:periodic=101:weights=1000/700/500"},
     "grid:4x4x4:periodic=101:weights=1000/700/500",
     "MPI_Dims_create",
     64},
    {"strong: faces of 3600 x 7200 x 14400 cells",
     {"grid:3x2:weights=7200/1200", "grid:4x3:weights=4800/900",
      "grid:5x4:weights=3600/720"},
     "grid:8x8:weights=1800/450",
     "MPI_Dims_create",
     64},
    {"one dimension grows, other runs longer",
     {"grid:4x2:weights=900/600", "grid:6x4:weights=1350/1800"},
     "grid:8x8:weights=675/1800",
     "MPI_Dims_create",
     64},
    {"reversed",
     {"grid:2x4:weights=5/7", "grid:3x6:weights=5/7", "grid:4x4:weights=5/7"},
     NULL,
     NULL,
     32},
    {"reversed, with sizes that are alike",
     {"grid:2x4:weights=5/7", "grid:3x4:weights=5/7", "grid:3x5:weights=5/7"},
     "grid:4x8:weights=5/7",
     "MPI_Dims_create, reversed",
     32},
    {"one dimension fixed",
     {"grid:8x2:weights=5/7", "grid:16x2:weights=5/7"},
     "grid:50x2:weights=5/7",
     "one dimension of 2, MPI_Dims_create",
     100},
    {"one dimension fixed that does not divide",
     {"grid:8x2:weights=5/7", "grid:16x2:weights=5/7"},
     NULL,
     NULL,
     101},
    {"aspect",
     {"grid:2x8:weights=5/7", "grid:3x12:weights=5/7", "grid:4x16:weights=5/7"},
     "grid:8x32:weights=5/7",
     "a fixed aspect",
     256},
    {"box",
     {"grid:4x3:stencil=box:weights=9/9", "grid:5x4:stencil=box:weights=9/9"},
     "grid:8x8:stencil=box:weights=9/9",
     "MPI_Dims_create",
     64},
    {"a ring", {"grid:16:periodic"}, "grid:64:periodic", "MPI_Dims_create", 64},
    {"a cube alone",
     {"grid:4x4x4:periodic"},
     "grid:8x4x4:periodic",
     "MPI_Dims_create",
     128},
    {"one size, not as MPI_Dims_create", {"grid:2x8"}, NULL, NULL, 64},
    {"too small to see periods", {"grid:2x2x2"}, NULL, NULL, 64},
    {"too few tasks", {"grid:3x2:periodic"}, NULL, NULL, 64},
    {"periods that change are believed of the largest only",
     {"grid:4x4:periodic", "grid:8x4"},
     NULL,
     NULL,
     64},
};

static void test_scale(void **state)
{
    for (size_t i = 0; i < sizeof(scaled) / sizeof(scaled[0]); i++) {
        struct mapcore_graph *graphs[4], *expected;
        struct mapcore_error err = {""};
        struct mapcore_scaled out = {0};
        size_t n = 0;
        int code;

        for (; n < 4 && scaled[i].recorded[n]; n++)
            graphs[n] = pattern(scaled[i].recorded[n]);
        code = mapcore_grid_scale(
            &out, (const struct mapcore_graph *const *)graphs, n,
            scaled[i].ntasks, MAPCORE_SCALE_MPICH, &err);
        if (!scaled[i].expected && code == 0)
            fail_msg("%s: predicted by %s", scaled[i].name, out.rule);
        if (scaled[i].expected) {
            if (code < 0)
                fail_msg("%s: %s", scaled[i].name, err.text);
            expected = pattern(scaled[i].expected);
            if (strcmp(out.rule, scaled[i].rule) != 0 ||
                out.graph->total != expected->total)
                fail_msg("%s: by %s, %llu bytes, not %llu", scaled[i].name,
                         out.rule, (unsigned long long)out.graph->total,
                         (unsigned long long)expected->total);
            assert_same_graph(out.graph, expected);
            mapcore_graph_destroy(expected);
        }
        mapcore_graph_destroy(out.graph);
        while (n-- > 0)
            mapcore_graph_destroy(graphs[n]);
    }
}

/* Columns of 8 with alltoall, rows a ring: made, found, predicted. */
static struct mapcore_graph *columns(uint32_t rows, uint64_t bytes)
{
    const struct mapcore_stencil_offset along = {.step = {1, 0}, .bytes = 1000};
    const struct mapcore_grid_design design = {
        .ndims = 2,
        .dims = {rows, 8},
        .periodic = {true, false},
        .group_bytes = {0, bytes},
        .noffsets = 1,
        .offset = &along,
    };
    struct mapcore_graph *graph = NULL;

    assert_ok(mapcore_grid_make(&graph, &design, NULL));
    return graph;
}

static void test_groups(void **state)
{
    struct mapcore_graph *graphs[] = {columns(5, 60), columns(10, 60)};
    struct mapcore_graph *expected = columns(32, 60);
    struct mapcore_scaled out = {0};
    struct mapcore_error err = {""};

    if (mapcore_grid_scale(&out, (const struct mapcore_graph *const *)graphs, 2,
                           256, MAPCORE_SCALE_MPICH, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(out.rule, "one dimension of 8, MPI_Dims_create");
    assert_same_graph(out.graph, expected);
    mapcore_graph_destroy(out.graph);
    mapcore_graph_destroy(expected);
    mapcore_graph_destroy(graphs[0]);
    mapcore_graph_destroy(graphs[1]);
}

/* What is no grid, or has another numbering, is not made one. */
static void test_no_prediction(void **state)
{
    const struct grid_spec permuted = {
        .ndims = 2, .dims = {6, 6}, .bytes = {9}, .permuted = true};
    const struct grid_spec noisy = {
        .ndims = 2, .dims = {8, 8}, .bytes = {9}, .extra = 300};
    struct mapcore_graph *graphs[] = {spec_graph(&permuted, 3),
                                      spec_graph(&noisy, 3)};
    struct mapcore_scaled out = {0};
    struct mapcore_error err = {""};

    for (size_t i = 0; i < 2; i++) {
        const struct mapcore_graph *one[] = {graphs[i]};

        assert_int_equal(
            mapcore_grid_scale(&out, one, 1, 100, MAPCORE_SCALE_MPICH, &err),
            MAPCORE_ENOENT);
        assert_null(out.graph);
        mapcore_graph_destroy(graphs[i]);
    }
    assert_int_equal(
        mapcore_grid_scale(&out, NULL, 0, 4, MAPCORE_SCALE_MPICH, &err),
        MAPCORE_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pattern_edges),
        cmocka_unit_test(test_pattern_fixture),
        cmocka_unit_test(test_pattern_refused),
        cmocka_unit_test(test_dims_create),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_no_prediction),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
