/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_edge_classes.c - parallel edges of grids, of products with cliques, of
 * grids with noise, and of graphs that have none */
#include "config.h"

#include "gridfixture.h"

#include "grid/find/edge_classes.h"

static struct edge_classes classes_of(const struct mapcore_graph *graph,
                                      uint64_t least)
{
    struct mapcore_error err = {""};
    struct edge_classes classes;

    if (edge_classes_open(&classes, graph, least, &err) < 0)
        fail_msg("%s", err.text);
    return classes;
}

/* What the header promises of every one. */
static void assert_sound(const struct edge_classes *classes)
{
    uint32_t *size = calloc((size_t)classes->nclasses + 1, sizeof(*size));

    assert_non_null(size);
    assert_int_equal(classes->row[classes->n], 2 * (size_t)classes->nedges);
    for (uint32_t e = 0; e < classes->nedges; e++) {
        uint32_t a = classes->end[0][e], b = classes->end[1][e];

        assert_true(a < b && b < classes->n);
        assert_int_equal(edge_classes_of(classes, a, b),
                         classes->edge_class[e]);
        assert_int_equal(edge_classes_of(classes, b, a),
                         classes->edge_class[e]);
        if (classes->edge_class[e] != MAPCORE_NONE) {
            assert_true(classes->edge_class[e] < classes->nclasses);
            size[classes->edge_class[e]]++;
        }
    }
    for (uint32_t t = 0; t < classes->n; t++)
        for (size_t k = classes->row[t]; k < classes->row[t + 1]; k++) {
            uint32_t e = classes->edge[k], u = classes->task[k];

            assert_true(k == classes->row[t] || classes->task[k - 1] < u);
            assert_int_equal(classes->end[t > u][e], t);
            assert_int_equal(classes->end[t < u][e], u);
        }
    if (classes->nclasses > 0)
        assert_memory_equal(size, classes->size,
                            classes->nclasses * sizeof(*size));
    free(size);
}

/* Tasks x + 5 y: the edges between two columns are one class, and those between
 * two rows; no two of the seven classes are one. */
static void a_class_lies_between_two_layers(void **state)
{
    const struct grid_spec spec = {.ndims = 2, .dims = {5, 4}, .bytes = {8, 8}};
    struct mapcore_graph *graph = spec_graph(&spec, 1);
    struct edge_classes classes = classes_of(graph, 1);
    uint32_t column[4], row[3];

    (void)state;
    assert_sound(&classes);
    assert_int_equal(classes.nedges, 4 * 4 + 5 * 3);
    assert_int_equal(classes.nclasses, 4 + 3);
    for (uint32_t x = 0; x < 4; x++) {
        column[x] = edge_classes_of(&classes, x, x + 1);
        assert_int_equal(classes.size[column[x]], 4);
        for (uint32_t y = 1; y < 4; y++)
            assert_int_equal(
                edge_classes_of(&classes, x + 5 * y, x + 1 + 5 * y), column[x]);
        for (uint32_t i = 0; i < x; i++)
            assert_int_not_equal(column[i], column[x]);
    }
    for (uint32_t y = 0; y < 3; y++) {
        row[y] = edge_classes_of(&classes, 5 * y, 5 * y + 5);
        assert_int_equal(classes.size[row[y]], 5);
        for (uint32_t x = 1; x < 5; x++)
            assert_int_equal(
                edge_classes_of(&classes, x + 5 * y, x + 5 * y + 5), row[y]);
        for (uint32_t x = 0; x < 4; x++)
            assert_int_not_equal(column[x], row[y]);
    }
    /* No edge, on a diagonal and far away. */
    assert_int_equal(edge_classes_of(&classes, 0, 6), MAPCORE_NONE);
    assert_int_equal(edge_classes_of(&classes, 0, 19), MAPCORE_NONE);
    edge_classes_clear(&classes);
    assert_null(classes.row);
    mapcore_graph_destroy(graph);
}

/* The edges of a clique are triangles, hence one class; in its product with a
 * chain every clique is that same class. */
static void triangles_are_one_class(void **state)
{
    struct mapcore_edge edges[64];
    struct mapcore_graph *graph;
    struct edge_classes classes;
    uint32_t clique;
    size_t n = 0;

    (void)state;
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t a = 0; a < 4; a++) {
            for (uint32_t b = a + 1; b < 4; b++)
                edges[n++] = (struct mapcore_edge){4 * y + a, 4 * y + b, 5};
            if (y < 3)
                edges[n++] = (struct mapcore_edge){4 * y + a, 4 * y + a + 4, 5};
        }
    graph = graph_of(16, edges, n);
    classes = classes_of(graph, 1);
    assert_sound(&classes);
    assert_int_equal(classes.nclasses, 1 + 3);
    clique = edge_classes_of(&classes, 0, 1);
    assert_int_equal(classes.size[clique], 4 * 6);
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t a = 0; a < 4; a++)
            for (uint32_t b = a + 1; b < 4; b++)
                assert_int_equal(
                    edge_classes_of(&classes, 4 * y + a, 4 * y + b), clique);
    for (uint32_t y = 0; y < 3; y++)
        assert_int_equal(
            classes.size[edge_classes_of(&classes, 4 * y, 4 * y + 4)], 4);
    edge_classes_clear(&classes);
    mapcore_graph_destroy(graph);
}

/* Edges below the bound are not there. */
static void light_edges_do_not_count(void **state)
{
    const struct grid_spec spec = {
        .ndims = 2, .dims = {4, 4}, .bytes = {100}, .hub = 3};
    struct mapcore_graph *graph = spec_graph(&spec, 1);
    struct edge_classes classes = classes_of(graph, 4);

    (void)state;
    assert_sound(&classes);
    assert_int_equal(classes.nedges, 24);
    assert_int_equal(classes.nclasses, 6);
    edge_classes_clear(&classes);
    classes = classes_of(graph, 104);
    assert_int_equal(classes.nedges, 0);
    assert_int_equal(classes.nclasses, 0);
    edge_classes_clear(&classes);
    mapcore_graph_destroy(graph);
}

/* A few wrong edges across a grid are in no class, and join none. */
static void noise_joins_nothing(void **state)
{
    enum { SIDE = 12 };
    const struct grid_spec spec = {
        .ndims = 2, .dims = {SIDE, SIDE}, .bytes = {8}};
    struct mapcore_graph *clean = spec_graph(&spec, 1), *graph;
    struct mapcore_edge edges[2 * SIDE * SIDE + 3];
    struct edge_classes classes;
    size_t n = 0;

    (void)state;
    for (uint32_t t = 0; t < clean->ntasks; t++)
        for (size_t k = clean->row[t]; k < clean->row[t + 1]; k++)
            if (clean->task[k] > t)
                edges[n++] =
                    (struct mapcore_edge){t, clean->task[k], clean->bytes[k]};
    edges[n++] = (struct mapcore_edge){0, 77, 8};
    edges[n++] = (struct mapcore_edge){17, 140, 8};
    edges[n++] = (struct mapcore_edge){30, 99, 8};
    graph = graph_of(SIDE * SIDE, edges, n);
    classes = classes_of(graph, 1);
    assert_sound(&classes);
    assert_int_equal(classes.nclasses, 2 * (SIDE - 1));
    for (uint32_t c = 0; c < classes.nclasses; c++)
        assert_int_equal(classes.size[c], SIDE);
    assert_int_equal(edge_classes_of(&classes, 0, 77), MAPCORE_NONE);
    assert_int_equal(edge_classes_of(&classes, 17, 140), MAPCORE_NONE);
    assert_int_equal(edge_classes_of(&classes, 30, 99), MAPCORE_NONE);
    edge_classes_clear(&classes);
    mapcore_graph_destroy(graph);
    mapcore_graph_destroy(clean);
}

/* Without squares every edge stands alone. */
static void a_ring_has_no_parallel_edges(void **state)
{
    struct mapcore_edge edges[7];
    struct mapcore_graph *graph;
    struct edge_classes classes;

    (void)state;
    for (uint32_t t = 0; t < 7; t++)
        edges[t] = (struct mapcore_edge){t, (t + 1) % 7, 1};
    graph = graph_of(7, edges, 7);
    classes = classes_of(graph, 1);
    assert_sound(&classes);
    assert_int_equal(classes.nclasses, 7);
    edge_classes_clear(&classes);
    mapcore_graph_destroy(graph);
    graph = graph_of(3, NULL, 0);
    classes = classes_of(graph, 1);
    assert_int_equal(classes.nclasses, 0);
    edge_classes_clear(&classes);
    mapcore_graph_destroy(graph);
}

/* Numbers of tasks say nothing: the sizes of classes are those of the grid. */
static void numbering_does_not_matter(void **state)
{
    struct grid_spec spec = {
        .ndims = 3, .dims = {4, 3, 5}, .bytes = {9}, .permuted = true};

    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct mapcore_graph *graph = spec_graph(&spec, seed);
        struct edge_classes classes = classes_of(graph, 1);
        uint32_t of_size[21] = {0};

        assert_sound(&classes);
        assert_int_equal(classes.nclasses, 3 + 2 + 4);
        for (uint32_t c = 0; c < classes.nclasses; c++)
            of_size[classes.size[c] < 21 ? classes.size[c] : 0]++;
        assert_int_equal(of_size[3 * 5], 3);
        assert_int_equal(of_size[4 * 5], 2);
        assert_int_equal(of_size[4 * 3], 4);
        edge_classes_clear(&classes);
        mapcore_graph_destroy(graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_lies_between_two_layers),
        cmocka_unit_test(triangles_are_one_class),
        cmocka_unit_test(light_edges_do_not_count),
        cmocka_unit_test(noise_joins_nothing),
        cmocka_unit_test(a_ring_has_no_parallel_edges),
        cmocka_unit_test(numbering_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
