/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_graph_sums.c - critical types, Weighted-sum, scaling and thinning: the
 * paper's examples and what the headers promise */
#include "config.h"

#include "mapfixture.h"

/* Each case: times, which are large, the share, and what is critical. */
static void critical_types_are_the_heaviest(void **state)
{
    static const struct {
        double seconds[5];
        const char *large, *critical; /* one letter a type */
        double share;
    } cases[] = {
        /* The paper: p2p and alltoall are 85% of the time. */
        {{60, 25, 8, 7}, "....", "xx..", 0.85},
        {{60, 25, 8, 7}, "....", "xxx.", 0.9},
        {{60, 25, 8, 7}, "....", "xxxx", 1},
        /* Qbox: global alltoalls are out, however long they take. */
        {{10, 500, 5, 1}, ".L..", "x.x.", 0.9},
        /* Sums of decimals. */
        {{0.6, 0.3, 0.1}, "...", "xx.", 0.9},
        {{0.1, 0.3, 0.6}, "...", ".xx", 0.9},
        /* Ties by index; exactly what is needed. */
        {{1, 1, 1, 1}, "....", "xx..", 0.5},
        {{1, 1, 1, 1}, "....", "x...", 0.1},
        /* A type without time is never needed, but when none has any. */
        {{3, 0}, "..", "x.", 1},
        {{0, 0, 0}, "..L", "xx.", 0.9},
        {{3, 2}, "LL", "..", 0.9},
    };
    bool critical[5], large[5];

    for (size_t c = 0; c < COUNT(cases); c++) {
        size_t n = strlen(cases[c].large);
        char found[6] = "";

        for (size_t i = 0; i < n; i++)
            large[i] = cases[c].large[i] == 'L';
        assert_ok(mapcore_critical_select(critical, cases[c].seconds, large, n,
                                          cases[c].share, NULL));
        for (size_t i = 0; i < n; i++)
            found[i] = critical[i] ? 'x' : '.';
        assert_string_equal(found, cases[c].critical);
    }
    assert_ok(mapcore_critical_select(NULL, NULL, NULL, 0, 0.9, NULL));
}

static void critical_types_want_times(void **state)
{
    const double bad[][2] = {
        {1, -1}, {NAN, 1}, {INFINITY, 1}, {1.7e308, 1.7e308}};
    const double shares[] = {0, -1, 1.01, NAN};
    const double good[] = {1, 2};
    const bool large[2] = {false};
    struct mapcore_error err;
    bool critical[2];

    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(
            mapcore_critical_select(critical, bad[i], large, 2, 0.9, &err),
            MAPCORE_EINVAL);
    for (size_t i = 0; i < COUNT(shares); i++)
        assert_int_equal(
            mapcore_critical_select(critical, good, large, 2, shares[i], &err),
            MAPCORE_EINVAL);
}

/* "if p2p represents 60% of the communication time and Alltoall 40%, the edge
 * weights of the former are multiplied by 0.6 while the edge weights of the
 * latter are multiplied by 0.4" */
static void weighted_sum_as_in_the_paper(void **state)
{
    const struct mapcore_edge p2p[] = {{0, 1, 1000}, {1, 2, 500}};
    const struct mapcore_edge a2a[] = {{0, 2, 2000}, {1, 2, 1000}, {2, 3, 10}};
    const struct mapcore_graph *graphs[] = {graph_of(4, p2p, 2),
                                            graph_of(4, a2a, 3)};
    const double seconds[] = {6, 4};
    struct mapcore_graph *sum;

    assert_ok(mapcore_graph_sum(&sum, graphs, seconds, 2, NULL));
    assert_int_equal(mapcore_graph_nedges(sum), 4);
    assert_int_equal(edge_bytes(sum, 0, 1), 600);
    assert_int_equal(edge_bytes(sum, 0, 2), 800);
    assert_int_equal(edge_bytes(sum, 2, 1), 300 + 400);
    assert_int_equal(edge_bytes(sum, 3, 2), 4);
    assert_int_equal(mapcore_graph_bytes(sum), 2104);
    mapcore_graph_destroy(sum);
    for (int i = 0; i < 2; i++)
        mapcore_graph_destroy((struct mapcore_graph *)(uintptr_t)graphs[i]);
}

static void weighted_sum_of_equals(void **state)
{
    struct mapcore_graph *a = random_graph(40, 10, 7),
                         *b = random_graph(40, 5, 8);
    const struct mapcore_graph *one[] = {a}, *same[] = {a, a}, *both[] = {a, b};
    const double equal[] = {3, 3}, none[] = {0, 0}, only[] = {5, 0};
    struct mapcore_graph *sum, *other;

    assert_ok(mapcore_graph_sum(&sum, one, equal, 1, NULL));
    assert_same_graph(sum, a);
    mapcore_graph_destroy(sum);
    assert_ok(mapcore_graph_sum(&sum, same, equal, 2, NULL));
    assert_same_graph(sum, a);
    mapcore_graph_destroy(sum);
    assert_ok(mapcore_graph_sum(&sum, both, only, 2, NULL));
    assert_same_graph(sum, a);
    mapcore_graph_destroy(sum);
    assert_ok(mapcore_graph_sum(&sum, both, none, 2, NULL));
    assert_ok(mapcore_graph_sum(&other, both, equal, 2, NULL));
    assert_same_graph(sum, other);
    mapcore_graph_destroy(sum);
    mapcore_graph_destroy(other);
    mapcore_graph_destroy(a);
    mapcore_graph_destroy(b);
}

static void weighted_sum_at_the_limits(void **state)
{
    const struct mapcore_edge most[] = {{0, 1, INT64_MAX}};
    const struct mapcore_edge least[] = {{0, 2, 1}, {1, 2, 7}};
    struct mapcore_graph *a = graph_of(3, most, 1), *b = graph_of(3, least, 2);
    struct mapcore_graph *c = graph_of(4, least, 2), *sum = NULL;
    const struct mapcore_graph *both[] = {a, b}, *sizes[] = {a, c};
    const double tiny[] = {1, 1e-300}, negative[] = {1, -1}, nan[] = {NAN, 1};
    const double huge[] = {1.7e308, 1.7e308};
    struct mapcore_error err;

    /* The share of b is below 2^-20; its edges stay, as 1 byte. What the
     * largest graph lacks for that is not there: */
    assert_int_equal(mapcore_graph_sum(&sum, both, tiny, 2, &err),
                     MAPCORE_ERANGE);
    assert_ok(mapcore_graph_sum(&sum, both, (double[]){3, 1}, 2, &err));
    assert_int_equal(edge_bytes(sum, 0, 2), 1);
    assert_int_equal(edge_bytes(sum, 1, 2), 2);
    mapcore_graph_destroy(sum);
    sum = NULL;
    assert_int_equal(mapcore_graph_sum(&sum, both, negative, 2, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(mapcore_graph_sum(&sum, both, nan, 2, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(mapcore_graph_sum(&sum, both, huge, 2, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(mapcore_graph_sum(&sum, sizes, tiny, 2, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(mapcore_graph_sum(&sum, both, tiny, 0, &err),
                     MAPCORE_EINVAL);
    assert_null(sum);
    mapcore_graph_destroy(a);
    mapcore_graph_destroy(b);
    mapcore_graph_destroy(c);
}

static void scaled_weights_fit(void **state)
{
    const struct mapcore_edge edges[] = {
        {0, 1, UINT64_C(1) << 60}, {1, 2, UINT64_C(1) << 59}, {2, 3, 1}};
    struct mapcore_graph *large = graph_of(4, edges, 3), *scaled;
    struct mapcore_graph *small = random_graph(50, 12, 7);
    struct mapcore_error err;

    assert_ok(mapcore_graph_scale(&scaled, large, 31, NULL));
    assert_int_equal(mapcore_graph_nedges(scaled), 3);
    assert_in_range(mapcore_graph_bytes(scaled), (1u << 30) - 4,
                    (1u << 30) - 1);
    assert_int_equal(edge_bytes(scaled, 2, 3), 1);
    assert_in_range(edge_bytes(scaled, 0, 1), 2 * edge_bytes(scaled, 1, 2) - 2,
                    2 * edge_bytes(scaled, 1, 2) + 2);
    mapcore_graph_destroy(scaled);
    assert_ok(mapcore_graph_scale(&scaled, small, 31, NULL));
    assert_same_graph(scaled, small);
    mapcore_graph_destroy(scaled);
    for (unsigned bits = 12; bits < 32; bits++) {
        assert_ok(mapcore_graph_scale(&scaled, small, bits, NULL));
        assert_int_equal(mapcore_graph_nedges(scaled),
                         mapcore_graph_nedges(small));
        assert_in_range(2 * mapcore_graph_bytes(scaled), 0,
                        (UINT64_C(1) << bits) - 1);
        mapcore_graph_destroy(scaled);
    }
    assert_int_equal(mapcore_graph_scale(&scaled, small, 6, &err),
                     MAPCORE_ERANGE);
    assert_int_equal(mapcore_graph_scale(&scaled, small, 0, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(mapcore_graph_scale(&scaled, small, 64, &err),
                     MAPCORE_EINVAL);
    mapcore_graph_destroy(large);
    mapcore_graph_destroy(small);
}

static void thinning_keeps_the_heaviest(void **state)
{
    /* 0 is a hub: each of the others needs it most. */
    const struct mapcore_edge edges[] = {{0, 1, 50}, {0, 2, 40}, {0, 3, 30},
                                         {1, 2, 20}, {2, 3, 20}, {1, 3, 5}};
    struct mapcore_graph *graph = graph_of(4, edges, COUNT(edges)), *thin;
    struct mapcore_thinned dropped;

    assert_ok(mapcore_graph_thin(&thin, &dropped, graph,
                                 &(struct mapcore_thinning){1, 0}, NULL));
    assert_int_equal(mapcore_graph_nedges(thin), 3);
    assert_int_equal(edge_bytes(thin, 0, 3), 30);
    assert_int_equal(dropped.edges, 3);
    assert_int_equal(dropped.bytes, 45);
    mapcore_graph_destroy(thin);
    /* Two each: of the equal edges of 2, the one to the lower task. */
    assert_ok(mapcore_graph_thin(&thin, &dropped, graph,
                                 &(struct mapcore_thinning){2, 0}, NULL));
    assert_int_equal(dropped.edges, 1);
    assert_int_equal(edge_bytes(thin, 1, 3), 0);
    mapcore_graph_destroy(thin);
    assert_ok(mapcore_graph_thin(&thin, &dropped, graph,
                                 &(struct mapcore_thinning){0, 21}, NULL));
    assert_int_equal(mapcore_graph_nedges(thin), 3);
    assert_int_equal(dropped.bytes, 45);
    mapcore_graph_destroy(thin);
    assert_ok(mapcore_graph_thin(&thin, NULL, graph,
                                 &(struct mapcore_thinning){0, 51}, NULL));
    assert_int_equal(mapcore_graph_nedges(thin), 0);
    mapcore_graph_destroy(thin);
    mapcore_graph_destroy(graph);
}

static void thinning_loses_nothing_unsaid(void **state)
{
    struct mapcore_graph *graph = random_graph(60, 50, 7), *thin;
    struct mapcore_thinned dropped;

    for (uint32_t k = 0; k < 60; k++) {
        assert_ok(mapcore_graph_thin(&thin, &dropped, graph,
                                     &(struct mapcore_thinning){k, k}, NULL));
        assert_int_equal(mapcore_graph_nedges(thin) + dropped.edges,
                         mapcore_graph_nedges(graph));
        assert_int_equal(mapcore_graph_bytes(thin) + dropped.bytes,
                         mapcore_graph_bytes(graph));
        assert_in_range(mapcore_graph_nedges(thin), 0,
                        k == 0 ? SIZE_MAX : (size_t)k * 60);
        if (k == 0)
            assert_same_graph(thin, graph);
        mapcore_graph_destroy(thin);
    }
    mapcore_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_types_are_the_heaviest),
        cmocka_unit_test(critical_types_want_times),
        cmocka_unit_test(weighted_sum_as_in_the_paper),
        cmocka_unit_test(weighted_sum_of_equals),
        cmocka_unit_test(weighted_sum_at_the_limits),
        cmocka_unit_test(scaled_weights_fit),
        cmocka_unit_test(thinning_keeps_the_heaviest),
        cmocka_unit_test(thinning_loses_nothing_unsaid),
    };

    return cmocka_run_group_tests_name("graph_sums", tests, NULL, NULL);
}
