/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_adjacency.c - rows of neighbours in any order become a graph, or are
 * refused with the line of the row that is wrong */
#include "config.h"

#include "mapfixture.h"

#include "graph/csr.h"
#include "graph/file/adjacency.h"

/* Neighbours as a file would list them: a row ends at task MAPCORE_NONE. */
struct entry {
    uint32_t task;
    uint64_t bytes;
};
#define END                                                                    \
    {                                                                          \
        MAPCORE_NONE, 0                                                        \
    }

/* Row i stands on line 10 + 3 i of "f". */
static int graph_from(struct mapcore_graph **out,
                      const struct entry *entry,
                      uint32_t nrows,
                      uint64_t nedges,
                      const struct adjacency_names *names,
                      struct mapcore_error *err)
{
    struct adjacency rows = {0};
    struct text *text = NULL;
    int error = text_open_memory(&text, "f", "", 0, err);

    for (uint32_t t = 0; error == 0 && t < nrows; t++, entry++) {
        for (; error == 0 && entry->task != MAPCORE_NONE; entry++)
            error = adjacency_add(&rows, entry->task, entry->bytes, err);
        if (error == 0)
            error = adjacency_end_row(&rows, 10 + 3 * (size_t)t, err);
    }
    assert_int_equal(error, 0);
    assert_int_equal(rows.of.ntasks, nrows);
    error = adjacency_to_graph(out, &rows, nedges, names, text, err);
    adjacency_clear(&rows);
    assert_null(rows.line);
    text_close(text);
    return error;
}

static void assert_row(const struct mapcore_graph *graph,
                       uint32_t t,
                       size_t n,
                       const struct entry *entry)
{
    assert_int_equal(graph->row[t + 1] - graph->row[t], n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(graph->task[graph->row[t] + i], entry[i].task);
        assert_int_equal(graph->bytes[graph->row[t] + i], entry[i].bytes);
    }
}

static void rows_are_sorted(void **state)
{
    static const struct entry rows[] = {
        {3, 30}, {1, 10}, {2, 20}, END, /* 0 */
        {2, 7},  {0, 10}, END,          /* 1 */
        {0, 20}, {1, 7},  END,          /* 2 */
        {0, 30}, END,                   /* 3 */
        END,                            /* 4: nobody */
    };
    static const struct entry first[] = {{1, 10}, {2, 20}, {3, 30}};
    static const struct entry second[] = {{0, 10}, {2, 7}};
    const struct adjacency_names names = {.first = 1};
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err = {""};

    if (graph_from(&graph, rows, 5, 4, &names, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(mapcore_graph_ntasks(graph), 5);
    assert_int_equal(mapcore_graph_nedges(graph), 4);
    assert_int_equal(mapcore_graph_bytes(graph), 67);
    assert_row(graph, 0, 3, first);
    assert_row(graph, 1, 2, second);
    assert_row(graph, 4, 0, NULL);
    mapcore_graph_destroy(graph);
}

/* The header counts them, the graph has them not. */
static void edges_without_weight_are_left_out(void **state)
{
    static const struct entry rows[] = {
        {1, 0}, {2, 4}, END, {0, 0}, {2, 0}, END, {0, 4}, {1, 0}, END,
    };
    static const struct entry left[] = {{2, 4}}, back[] = {{0, 4}};
    const struct adjacency_names names = {0};
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err = {""};

    if (graph_from(&graph, rows, 3, 3, &names, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(mapcore_graph_nedges(graph), 1);
    assert_int_equal(mapcore_graph_bytes(graph), 4);
    assert_row(graph, 0, 1, left);
    assert_row(graph, 1, 0, NULL);
    assert_row(graph, 2, 1, back);
    mapcore_graph_destroy(graph);
}

static void what_is_no_graph_is_refused(void **state)
{
    static const uint32_t labels[] = {70, 80, 90};
    static const struct {
        struct entry rows[9];
        uint64_t nedges;
        struct adjacency_names names;
        int error;
        const char *says;
    } bad[] = {
        {{{1, 5}, END, END, END},
         1,
         {.first = 1},
         MAPCORE_EPARSE,
         "f:10: task 1 names 2 as its neighbour, but 2 does not name 1"},
        {{END, END, {0, 5}, END},
         1,
         {.first = 0},
         MAPCORE_EPARSE,
         "f:16: task 2 names 0 as its neighbour, but 0 does not name 2"},
        {{{1, 5}, END, {2, 5}, END, {1, 5}, END},
         2,
         {.label = labels},
         MAPCORE_EPARSE,
         "f:10: task 70 names 80 as its neighbour, but 80 does not name 70"},
        {{{1, 5}, {1, 5}, END, {0, 5}, {0, 5}, END, END},
         2,
         {.first = 1},
         MAPCORE_EPARSE,
         "f:10: task 1 names its neighbour 2 twice"},
        {{{2, 5}, END, END, {0, 6}, END},
         1,
         {.first = 1},
         MAPCORE_EPARSE,
         "f:10: the edge between 1 and 3 weighs 5 here, but 6 in line 16"},
        {{{1, 5}, END, {0, 5}, END, END},
         2,
         {.first = 1},
         MAPCORE_EPARSE,
         "the header speaks of 2 edges, the rows hold 1"},
        {{{1, INT64_MAX}, END, {0, INT64_MAX}, {2, 1}, END, {1, 1}, END},
         2,
         {.first = 1},
         MAPCORE_ERANGE,
         "f:13: with this row the weights of all edges exceed 2^63"},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct mapcore_graph *graph = NULL;
        struct mapcore_error err = {""};

        assert_int_equal(graph_from(&graph, bad[i].rows, 3, bad[i].nedges,
                                    &bad[i].names, &err),
                         bad[i].error);
        assert_null(graph);
        if (!strstr(err.text, bad[i].says))
            fail_msg("%zu: %s", i, err.text);
    }
}

/* The weights of a graph may add up to just below 2^63. */
static void the_most_that_fits(void **state)
{
    static const struct entry rows[] = {
        {1, INT64_MAX - 1}, END, {0, INT64_MAX - 1}, {2, 1}, END, {1, 1}, END};
    const struct adjacency_names names = {0};
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err = {""};

    if (graph_from(&graph, rows, 3, 2, &names, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(mapcore_graph_bytes(graph) == INT64_MAX);
    mapcore_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted),
        cmocka_unit_test(edges_without_weight_are_left_out),
        cmocka_unit_test(what_is_no_graph_is_refused),
        cmocka_unit_test(the_most_that_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
