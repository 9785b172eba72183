/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_inside.c - slots chosen by the inside of a host */
#include "config.h"

#include "mapfixture.h"

#include "map/slots/slots.h"

/* Inside hop-bytes as the metric has them, which also refuses slots that are
 * not there or taken twice. */
static double inside_of(const struct mapcore_graph *graph,
                        const struct mapcore_alloc *alloc,
                        const struct mapcore_hwnode *node,
                        const uint32_t *host,
                        const uint32_t *slot)
{
    struct mapcore_mapping *mapping = NULL;
    struct mapcore_error err = {""};
    struct mapcore_inside inside = {0};

    if (mapcore_mapping_create(&mapping, alloc, graph->ntasks, host, slot,
                               &err) < 0 ||
        mapcore_inside_compute(&inside, graph, alloc, mapping, node, &err) < 0)
        fail_msg("%s", err.text);
    mapcore_mapping_destroy(mapping);
    return inside.avg_inside_hop_bytes;
}

/* The least over all ways to give tasks from t on the slots that are left. */
static uint64_t least_from(const struct mapcore_graph *graph,
                           const struct mapcore_hwnode *node,
                           uint32_t nslots,
                           uint32_t *slot,
                           uint32_t t,
                           uint64_t sum,
                           uint64_t least)
{
    if (sum >= least)
        return least;
    if (t == graph->ntasks)
        return sum;
    for (uint32_t s = 0; s < nslots; s++) {
        uint64_t more = 0;
        bool taken = false;

        for (uint32_t u = 0; u < t; u++)
            taken = taken || slot[u] == s;
        if (taken)
            continue;
        slot[t] = s;
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            if (graph->task[k] < t)
                more += graph->bytes[k] *
                        mapcore_hwnode_distance(node, nslots, s,
                                                slot[graph->task[k]]);
        least = least_from(graph, node, nslots, slot, t + 1, sum + more, least);
    }
    return least;
}

static void small_hosts_get_the_optimum(void **state)
{
    static const struct {
        const char *node;
        uint32_t ntasks, nslots;
    } cases[] = {
        {"package:2 core:2", 4, 4},           {"package:2 core:4", 8, 8},
        {"package:2 core:4", 6, 8},           {"package:2 l3:2 core:2", 7, 8},
        {"package:2 core:2 pu:2", 8, 8},      {"package:3 core:2", 6, 6},
        {"package:2 core:1", 6, 6},           {"package:2 core:8", 5, 7},
        {"package:2 l3:2 core:2 pu:2", 2, 8}, {"pu:3", 7, 8},
    };

    for (size_t i = 0; i < COUNT(cases) * 20; i++) {
        uint32_t n = cases[i / 20].ntasks, nslots = cases[i / 20].nslots;
        struct mapcore_hwnode *node = node_of(cases[i / 20].node);
        struct machine machine = machine_of("flat:1", nslots);
        struct mapcore_graph *graph =
            random_graph(n, 1 + (uint32_t)i % 5, i + 1);
        uint32_t host[8] = {0}, slot[8], scratch[8];
        double found;

        assert_ok(slots_assign(slot, graph, machine.alloc, host, node, NULL));
        found = inside_of(graph, machine.alloc, node, host, slot);
        assert_int_equal(
            llround(found * n / 2),
            least_from(graph, node, nslots, scratch, 0, 0, UINT64_MAX));
        machine_graph_end(&machine, graph);
        mapcore_hwnode_destroy(node);
    }
}

/* Eight groups of four tasks, numbered round robin, on two hosts: each group
 * gets a cache of its own. */
static void groups_get_caches(void **state)
{
    struct mapcore_hwnode *node = node_of("package:2 l3:2 core:4");
    struct machine machine = machine_of("flat:2", 16);
    struct mapcore_edge edges[8 * 6 + 32];
    struct mapcore_graph *graph;
    uint32_t host[32], slot[32];
    size_t n = 0;

    for (uint32_t a = 0; a < 32; a++) {
        host[a] = a % 8 / 4;
        for (uint32_t b = a + 8; b < 32; b += 8)
            edges[n++] = (struct mapcore_edge){a, b, 100};
        edges[n++] = (struct mapcore_edge){a, (a + 1) % 32, 1};
    }
    graph = graph_of(32, edges, n);
    assert_ok(slots_assign(slot, graph, machine.alloc, host, node, NULL));
    for (uint32_t a = 0; a < 32; a++)
        assert_int_equal(slot[a] / 4, slot[a % 8] / 4);
    machine_graph_end(&machine, graph);
    mapcore_hwnode_destroy(node);
}

/* Paths whose tasks have any numbers: from an end to the other along the slots,
 * where there are too many hosts for much to be mended. */
static void paths_are_not_cut(void **state)
{
    enum { PATHS = 40, LONG = 24, TASKS = PATHS * LONG };
    struct mapcore_hwnode *node = node_of("package:2 l3:2 core:6");
    struct machine machine = machine_of("flat:40", LONG);
    struct mapcore_edge edges[TASKS];
    struct mapcore_graph *graph;
    uint32_t name[TASKS], host[TASKS], slot[TASKS];
    struct rng rng;
    double least;
    size_t n = 0;

    rng_init(&rng, 1, 0, 0);
    for (uint32_t t = 0; t < TASKS; t++)
        name[t] = t;
    for (uint32_t p = 0; p < PATHS; p++)
        shuffle(name + p * LONG, LONG, &rng);
    for (uint32_t t = 0; t < TASKS; t++) {
        host[name[t]] = t / LONG;
        slot[name[t]] = t % LONG;
        if (t % LONG > 0)
            edges[n++] = (struct mapcore_edge){name[t - 1], name[t], 10};
    }
    graph = graph_of(TASKS, edges, n);
    least = inside_of(graph, machine.alloc, node, host, slot);
    assert_ok(slots_assign(slot, graph, machine.alloc, host, node, NULL));
    assert_true(inside_of(graph, machine.alloc, node, host, slot) <= least);
    machine_graph_end(&machine, graph);
    mapcore_hwnode_destroy(node);
}

/* Hosts of any number of slots, 0 among them, and more than the trees take. */
static void never_worse_than_without(void **state)
{
    static const char *const nodes[] = {
        "package:2 core:8", "package:2 l3:3 core:4 pu:2", "pu:7", "core:1"};
    const uint32_t slots[] = {0, 16, 1, 24, 2, 0, 33, 7, SLOTS_MOST + 1};
    uint32_t free_slots[COUNT(slots)];
    struct machine machine = part_of("flat:9", COUNT(slots), NULL, slots);
    uint64_t better = 0;
    struct rng rng;

    rng_init(&rng, 5, 0, 0);
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct mapcore_hwnode *node = node_of(nodes[seed % COUNT(nodes)]);
        struct mapcore_graph *graph =
            random_graph(90, 2 + (uint32_t)seed % 7, seed);
        uint32_t host[90], slot[90], again[90];
        double with, ascending;

        memcpy(free_slots, slots, sizeof(slots));
        for (uint32_t t = 0; t < 90; t++) {
            do
                host[t] = rng_below(&rng, COUNT(slots));
            while (free_slots[host[t]] == 0);
            free_slots[host[t]]--;
        }
        assert_ok(slots_assign(slot, graph, machine.alloc, host, node, NULL));
        assert_ok(slots_assign(again, graph, machine.alloc, host, node, NULL));
        assert_memory_equal(slot, again, sizeof(slot));
        with = inside_of(graph, machine.alloc, node, host, slot);
        ascending = inside_of(graph, machine.alloc, node, host, NULL);
        assert_true(with <= ascending);
        better += with < ascending;
        mapcore_graph_destroy(graph);
        mapcore_hwnode_destroy(node);
    }
    assert_true(better >= 25);
    machine_end(&machine);
}

/* Sums of weight x distance beyond 64 bits. */
static void huge_weights_do_not_overflow(void **state)
{
    const uint64_t huge = UINT64_C(1) << 60;
    const struct mapcore_edge edges[] = {
        {0, 2, huge}, {1, 3, huge}, {0, 1, 3}, {0, 3, huge / 2}};
    struct mapcore_hwnode *node = node_of("package:2 core:2");
    struct machine machine = machine_of("flat:1", 4);
    struct mapcore_graph *graph = graph_of(4, edges, 4);
    uint32_t host[4] = {0}, slot[4];

    assert_ok(slots_assign(slot, graph, machine.alloc, host, node, NULL));
    assert_int_equal(slot[0] / 2, slot[2] / 2);
    assert_int_equal(slot[1] / 2, slot[3] / 2);
    machine_graph_end(&machine, graph);
    mapcore_hwnode_destroy(node);
}

/* Slots that cannot be bettered stay as the launcher numbers them. */
static void ascending_wins_ties(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 7}, {2, 3, 7}, {4, 5, 7}};
    struct mapcore_hwnode *node = node_of("package:3 core:2");
    struct machine machine = machine_of("flat:1", 6);
    struct mapcore_graph *graph = graph_of(6, edges, 3);
    uint32_t host[6] = {0}, slot[6];

    assert_ok(slots_assign(slot, graph, machine.alloc, host, node, NULL));
    for (uint32_t t = 0; t < 6; t++)
        assert_int_equal(slot[t], t);
    machine_graph_end(&machine, graph);
    mapcore_hwnode_destroy(node);
}

/* A search with the node has the same hosts, and says what it found inside. */
static void a_search_takes_the_node(void **state)
{
    struct mapcore_hwnode *node = node_of("package:2 core:4");
    struct machine machine = machine_of("torus:2x2", 8);
    struct mapcore_graph *graph = random_graph(32, 6, 9);
    struct mapcore_search search = {.work = 6};
    struct mapcore_result plain = {0}, result = {0};

    plain = search_on(&machine, graph, &search);
    assert_true(plain.inside.avg_inside_hop_bytes == 0 &&
                plain.inside.inside_bytes == 0);
    search.node = node;
    result = search_on(&machine, graph, &search);
    assert_memory_equal(plain.mapping->host, result.mapping->host,
                        32 * sizeof(uint32_t));
    assert_true(result.inside.avg_inside_hop_bytes ==
                inside_of(graph, machine.alloc, node, result.mapping->host,
                          result.mapping->slot));
    assert_true(result.inside.avg_inside_hop_bytes <
                inside_of(graph, machine.alloc, node, plain.mapping->host,
                          plain.mapping->slot));
    for (uint32_t t = 0; t < 32; t++)
        plain.mapping->host[t] = t / 8;
    assert_true(
        result.baseline_inside.avg_inside_hop_bytes ==
        inside_of(graph, machine.alloc, node, plain.mapping->host, NULL));
    mapcore_result_clear(&plain);
    mapcore_result_clear(&result);
    machine_graph_end(&machine, graph);
    mapcore_hwnode_destroy(node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_hosts_get_the_optimum),
        cmocka_unit_test(groups_get_caches),
        cmocka_unit_test(paths_are_not_cut),
        cmocka_unit_test(never_worse_than_without),
        cmocka_unit_test(huge_weights_do_not_overflow),
        cmocka_unit_test(ascending_wins_ties),
        cmocka_unit_test(a_search_takes_the_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
