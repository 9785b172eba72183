/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_mappers_hs.c - Hoefler and Snir's mappers where the answer is known, and
 * the network as a graph */
#include "config.h"

#include "mapfixture.h"

#include "base/array.h"
#include "map/papers/network_graph.h"

/* Links of the network, each cable once. */
static void test_network_graph(void **state)
{
    static const struct {
        const char *spec;
        uint32_t vertices;
        size_t edges;
    } cases[] = {
        {"torus:3x4", 12, 24},  {"mesh:3x4", 12, 17}, {"torus:2x3", 6, 9},
        {"torus:1x5", 5, 5},    {"tree:2,3", 9, 8},   {"flat:5", 6, 5},
        {"mesh:2x2/3", 12, 12},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct machine machine = machine_of(cases[i].spec, 1);
        struct network_graph network = {0};
        struct arena arena = {0};
        bool seen[16] = {false};

        assert_ok(network_graph_create(&network, machine.alloc, &arena));
        assert_int_equal(network.graph->ntasks, cases[i].vertices);
        assert_int_equal(mapcore_graph_nedges(network.graph), cases[i].edges);
        for (uint32_t v = 0; v < cases[i].vertices; v++)
            if (network.host[v] != MAPCORE_NONE) {
                assert_false(seen[network.host[v]]);
                seen[network.host[v]] = true;
            }
        for (uint32_t h = 0; h < mapcore_alloc_nhosts(machine.alloc); h++)
            assert_true(seen[h]);
        mapcore_graph_destroy(network.graph);
        arena_clear(&arena);
        machine_end(&machine);
    }
}

static struct mapcore_result map(const char *mapper,
                                 const struct machine *machine,
                                 const struct mapcore_graph *graph)
{
    return search_by(machine, graph, mapper,
                     &(struct mapcore_search){.work = 1});
}

/* A chain of tasks in any numbering along a chain of hosts: all neighbours
 * are. */
static void test_rcm_chain(void **state)
{
    static const uint32_t chain[12] = {7, 0, 11, 3, 9, 5, 1, 10, 2, 6, 4, 8};
    struct machine machine = machine_of("mesh:12", 1);
    struct mapcore_edge edges[11];
    struct mapcore_graph *graph;
    struct mapcore_result result;

    for (uint32_t i = 0; i < 11; i++)
        edges[i] = (struct mapcore_edge){chain[i], chain[i + 1], 1 + i};
    graph = graph_of(12, edges, 11);
    result = map("hs-rcm", &machine, graph);
    assert_true(result.metrics.hops_per_byte >= 1 &&
                result.metrics.hops_per_byte <= 1);
    mapcore_result_clear(&result);
    machine_graph_end(&machine, graph);
}

/* A star: the centre first, its neighbours by bytes; hosts of two slots, each
 * time the nearest to the last: 0 1 2 3 along a line that begins at host 0. */
static void test_greedy_star(void **state)
{
    struct mapcore_edge edges[6] = {{0, 3, 10}, {1, 3, 60}, {2, 3, 30},
                                    {3, 4, 50}, {3, 5, 20}, {3, 6, 40}};
    static const uint32_t expected[7] = {3, 0, 2, 0, 1, 2, 1};
    struct machine machine = machine_of("mesh:4", 2);
    struct mapcore_graph *graph = graph_of(7, edges, 6);
    struct mapcore_result result = map("hs-greedy", &machine, graph);

    assert_memory_equal(result.mapping->host, expected, sizeof(expected));
    mapcore_result_clear(&result);
    machine_graph_end(&machine, graph);
}

/* Two pairs of heavy edges hang at a light one: `last' follows the host that
 * was filled last, `partner' the edge. */
static void test_greedy_near(void **state)
{
    /* 0-1 heavy, 0-2, 1-3, then 2-4 and 3-5: in a ring of 6. */
    struct mapcore_edge edges[5] = {
        {0, 1, 100}, {0, 2, 90}, {1, 3, 80}, {2, 4, 70}, {3, 5, 60}};
    static const uint32_t last[6] = {0, 1, 2, 3, 4, 5};
    static const uint32_t partner[6] = {0, 1, 5, 2, 4, 3};
    struct machine machine = machine_of("torus:6", 1);
    struct mapcore_graph *graph = graph_of(6, edges, 5);
    struct mapcore_result result = map("hs-greedy", &machine, graph);

    assert_memory_equal(result.mapping->host, last, sizeof(last));
    mapcore_result_clear(&result);
    result = map("hs-greedy:near=partner", &machine, graph);
    assert_memory_equal(result.mapping->host, partner, sizeof(partner));
    mapcore_result_clear(&result);
    machine_graph_end(&machine, graph);
}

/* Cliques of as many tasks as a host has slots, numbered across, in pairs that
 * talk a little: each on a host, each pair below one switch. */
static void test_bisection_of_cliques(void **state)
{
    struct machine machine = machine_of("tree:2,2", 4);
    struct mapcore_edge edges[40];
    struct mapcore_graph *graph;
    struct mapcore_result result;
    const uint32_t *host;
    size_t n = 0;

    for (uint32_t t = 0; t < 16; t++)
        for (uint32_t u = t + 1; u < 16; u++)
            if (t % 4 == u % 4)
                edges[n++] = (struct mapcore_edge){t, u, 100};
    edges[n++] = (struct mapcore_edge){0, 2, 50};
    edges[n++] = (struct mapcore_edge){1, 3, 50};
    graph = graph_of(16, edges, n);
    result = map("hs-rb", &machine, graph);
    host = result.mapping->host;
    for (uint32_t t = 4; t < 16; t++)
        assert_int_equal(host[t], host[t % 4]);
    assert_int_equal(mapcore_alloc_distance(machine.alloc, host[0], host[2]),
                     2);
    assert_int_equal(mapcore_alloc_distance(machine.alloc, host[1], host[3]),
                     2);
    mapcore_result_clear(&result);
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_network_graph),
        cmocka_unit_test(test_rcm_chain),
        cmocka_unit_test(test_greedy_star),
        cmocka_unit_test(test_greedy_near),
        cmocka_unit_test(test_bisection_of_cliques),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
