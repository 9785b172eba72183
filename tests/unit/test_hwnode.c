/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_hwnode.c - steps inside a host, and what a mapping spends on them */
#include "config.h"

#include "mapfixture.h"

#include <hwloc.h>

static void steps_count_levels_that_part_something(void **state)
{
    static const struct {
        const char *node;
        uint32_t nslots, a, b, distance;
    } cases[] = {
        {"package:2 core:8", 16, 0, 7, 2},
        {"package:2 core:8", 16, 7, 8, 4},
        {"package:2 core:8", 16, 3, 3, 0},
        /* Two slots: the first core of each package. */
        {"package:2 core:8", 2, 0, 1, 4},
        {"package:2 core:8", 4, 0, 1, 2},
        {"package:2 core:8", 4, 1, 2, 4},
        /* One cache a package parts nothing. */
        {"package:2 l3:1 core:4 pu:2", 8, 0, 3, 2},
        {"package:2 l3:2 core:4 pu:2", 16, 0, 3, 2},
        {"package:2 l3:2 core:4 pu:2", 16, 0, 4, 4},
        {"package:2 l3:2 core:4 pu:2", 16, 0, 8, 6},
        /* More slots than cores: threads. */
        {"package:2 core:4 pu:2", 16, 0, 1, 2},
        {"package:2 core:4 pu:2", 16, 0, 2, 4},
        {"package:2 core:4 pu:2", 16, 7, 8, 6},
        /* More than threads: round again. */
        {"package:2 core:2 pu:1", 8, 0, 4, 0},
        {"package:2 core:2 pu:1", 8, 0, 5, 2},
        {"core:1", 1, 0, 0, 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_hwnode *node = node_of(cases[i].node);

        assert_int_equal(mapcore_hwnode_distance(node, cases[i].nslots,
                                                 cases[i].a, cases[i].b),
                         cases[i].distance);
        mapcore_hwnode_destroy(node);
    }
}

static void steps_are_a_metric(void **state)
{
    static const char *const nodes[] = {"package:2 core:8",
                                        "package:2 l3:3 core:2 pu:2", "pu:5"};
    static const uint32_t counts[] = {1, 3, 7, 12, 24, 30};

    for (size_t i = 0; i < COUNT(nodes) * COUNT(counts); i++) {
        struct mapcore_hwnode *node = node_of(nodes[i / COUNT(counts)]);
        uint32_t n = counts[i % COUNT(counts)];

        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++) {
                uint32_t d = mapcore_hwnode_distance(node, n, a, b);

                assert_int_equal(d, mapcore_hwnode_distance(node, n, b, a));
                assert_true(a != b || d == 0);
                for (uint32_t c = 0; c < n; c++)
                    assert_true(d <=
                                mapcore_hwnode_distance(node, n, a, c) +
                                    mapcore_hwnode_distance(node, n, c, b));
            }
        mapcore_hwnode_destroy(node);
    }
}

static void bad_nodes_are_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "core:0",
                                      "what:3",
                                      "<xml/>",
                                      "package:2 core",
                                      "core:-2",
                                      "core: 2",
                                      "core:2x",
                                      "core:",
                                      ":3",
                                      "core:8 package:2",
                                      "core:2 core:2",
                                      "l3:2 l3cache:2 core:2",
                                      "package:2,core:2"};
    struct mapcore_hwnode *node = NULL;
    struct mapcore_error err;

    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(mapcore_hwnode_create(&node, bad[i], &err),
                         MAPCORE_EINVAL);
        assert_null(node);
    }
    assert_int_equal(mapcore_hwnode_create(&node, "core:4097", &err),
                     MAPCORE_ERANGE);
    assert_null(node);
    assert_ok(
        mapcore_hwnode_create(&node, "core:2 pu:2(indexes=3,2,1,0)", &err));
    mapcore_hwnode_destroy(node);
}

/* The same tree by hwloc, through XML. */
static struct mapcore_hwnode *by_hwloc(const char *description)
{
    struct mapcore_hwnode *node;
    hwloc_topology_t topology;
    char *xml = NULL;
    int length;

    assert_ok(hwloc_topology_init(&topology));
    assert_ok(hwloc_topology_set_synthetic(topology, description));
    assert_ok(hwloc_topology_load(topology));
    assert_ok(hwloc_topology_export_xmlbuffer(topology, &xml, &length, 0));
    node = node_of(xml);
    hwloc_free_xmlbuffer(topology, xml);
    hwloc_topology_destroy(topology);
    return node;
}

/* Levels are those of hwloc's XML of them. */
static void levels_are_as_hwloc_says(void **state)
{
    static const char *const plain[] = {
        "pu:5",
        "core:3 pu:1",
        "core:3 pu:4",
        "package:2 pu:4",
        "package:1 core:1 pu:1",
        "Package:2 L3Cache:4 L2Cache:8 L1dCache:1 L1iCache:1 Core:1 PU:2",
        "pack:2 die:2 l3:3 core:2 pu:2",
        "socket:1 l3:1 l2:2 core:2 pu:1",
        "l3:2 l1d:3 core:1 pu:2",
        "Package:1 Core:6 PU:3",
        "numa:2 core:2 pu:1",
        "group:2 core:2\npu:1",
        "package:2 [NUMANode] core:2 pu:1",
        "package:2(memory=1) numa:2 l3:2 core:2 pu:2(indexes=0,4,8)",
    };

    for (size_t i = 0; i < COUNT(plain); i++) {
        struct mapcore_hwnode *node = node_of(plain[i]);
        struct mapcore_hwnode *same = by_hwloc(plain[i]);

        for (uint32_t n = 1; n < 140; n += n < 40 ? 1 : 13)
            for (uint32_t a = 0; a < n; a++)
                for (uint32_t b = 0; b < n; b++)
                    assert_int_equal(mapcore_hwnode_distance(node, n, a, b),
                                     mapcore_hwnode_distance(same, n, a, b));
        mapcore_hwnode_destroy(node);
        mapcore_hwnode_destroy(same);
    }
}

static void long_xml_is_refused(void **state)
{
    const size_t n = MAPCORE_HWNODE_XML_MOST + 1;
    struct mapcore_hwnode *node = NULL;
    struct mapcore_error err;
    char *xml = malloc(n + 1);

    assert_non_null(xml);
    memset(xml, ' ', n);
    xml[0] = '<';
    xml[n] = '\0';
    assert_int_equal(mapcore_hwnode_create(&node, xml, &err), MAPCORE_ERANGE);
    assert_string_equal(err.text, "the node's XML has more than 16 MiB");
    free(xml);
}

/* The same tree, and broken XML does no harm. */
static void xml_is_read(void **state)
{
    char *xml = NULL;
    int length, error;
    hwloc_topology_t topology;
    struct mapcore_hwnode *node, *same = node_of("package:2 core:4 pu:2");
    struct mapcore_error err;

    assert_ok(hwloc_topology_init(&topology));
    assert_ok(hwloc_topology_set_synthetic(topology, "package:2 core:4 pu:2"));
    assert_ok(hwloc_topology_load(topology));
    assert_ok(hwloc_topology_export_xmlbuffer(topology, &xml, &length, 0));
    node = node_of(xml);
    for (uint32_t n = 1; n < 20; n++)
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++)
                assert_int_equal(mapcore_hwnode_distance(node, n, a, b),
                                 mapcore_hwnode_distance(same, n, a, b));
    mapcore_hwnode_destroy(node);
    mapcore_hwnode_destroy(same);
    /* Each digit in turn another: none may end this process. */
    for (char *p = xml; *p; p++)
        if (*p >= '0' && *p <= '9' && p[1] == '"') {
            char held = *p;

            *p = held == '9' ? '0' : '9';
            error = mapcore_hwnode_create(&node, xml, &err);
            assert_true(error <= 0);
            if (error == 0)
                mapcore_hwnode_destroy(node);
            *p = held;
        }
    hwloc_free_xmlbuffer(topology, xml);
    hwloc_topology_destroy(topology);
}

/* hwloc would take a minute for the first, and hours for the second. */
static void large_nodes_are_refused(void **state)
{
    static const char *const large[] = {
        "package:4096 core:4", "core:2147483648", "core:99999999999999999999",
        "l3:3 [numa] core:2 (indexes=7) pu:1024"};
    struct mapcore_hwnode *node = NULL;
    struct mapcore_error err;

    for (size_t i = 0; i < COUNT(large); i++) {
        assert_int_equal(mapcore_hwnode_create(&node, large[i], &err),
                         MAPCORE_ERANGE);
        assert_non_null(strstr(err.text, "more than 4096 hardware threads"));
        assert_null(node);
    }
    assert_ok(
        mapcore_hwnode_create(&node, "package:4 l3:16 core:32 pu:2", &err));
    mapcore_hwnode_destroy(node);
}

/* Tasks 0-1 5 bytes, 1-2 7, 2-3 11; 0, 1 and 2 on a host of two packages, 3 on
 * another. */
static void inside_hop_bytes_by_hand(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 5}, {1, 2, 7}, {2, 3, 11}};
    const uint32_t slots[] = {4, 4}, host[] = {0, 0, 0, 1};
    const uint32_t slot[] = {0, 1, 2, 0}, other[] = {0, 3, 2, 0};
    struct mapcore_hwnode *node = node_of("package:2 core:2");
    struct mapcore_mapping *mapping;
    struct mapcore_inside inside;
    struct mapcore_alloc *alloc;
    struct mapcore_graph *graph;
    struct mapcore_topo *topo;

    assert_ok(mapcore_topo_open(&topo, "flat:2", NULL));
    assert_ok(mapcore_alloc_create(&alloc, topo, 2, NULL, slots, NULL));
    assert_ok(mapcore_graph_create(&graph, 4, edges, 3, NULL));
    mapcore_mapping_create(&mapping, alloc, 4, host, slot, NULL);
    assert_ok(
        mapcore_inside_compute(&inside, graph, alloc, mapping, node, NULL));
    /* 5 x 2 within the package, 7 x 4 between packages, each for two tasks. */
    assert_true(inside.avg_inside_hop_bytes == 2 * (10 + 28) / 4.0);
    assert_true(inside.inside_hops_per_byte == 38.0 / 12);
    assert_int_equal(inside.inside_bytes, 12);
    mapcore_mapping_destroy(mapping);
    mapcore_mapping_create(&mapping, alloc, 4, host, other, NULL);
    mapcore_inside_compute(&inside, graph, alloc, mapping, node, NULL);
    assert_true(inside.avg_inside_hop_bytes == 2 * (20 + 14) / 4.0);
    mapcore_mapping_destroy(mapping);
    mapcore_graph_destroy(graph);
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);
    mapcore_hwnode_destroy(node);
}

static void objects_have_hwlocs_names(void **state)
{
    static const struct {
        const char *node;
        uint32_t nslots, slot, steps;
        const char *name;
    } cases[] = {
        {"package:2 core:8", 16, 9, 4, "Package 1"},
        {"package:2 core:8", 16, 9, 2, "Core 9"},
        /* Four slots lie on every fourth core. */
        {"package:2 core:8", 4, 1, 2, "Core 4"},
        /* What there is as many of is one. */
        {"package:2 l3:1 core:4", 8, 7, 4, "Package L3 1"},
        {"package:2 [numa] l3:2 core:2", 8, 5, 6, "Package NUMA 1"},
        {"package:2 numa:2 l3:2 core:2", 16, 6, 6, "NUMA 1"},
        {"package:2 numa:2 l3:2 core:2", 16, 6, 4, "L3 3"},
        /* More slots than cores: threads. */
        {"package:2 core:2 pu:2", 8, 3, 2, "PU 3"},
        {"package:2 core:2 pu:2", 8, 3, 4, "Core 1"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_hwnode *node = node_of(cases[i].node);
        char name[MAPCORE_HWNODE_TEXT];

        mapcore_hwnode_object(name, node, cases[i].nslots, cases[i].slot,
                              cases[i].steps);
        assert_string_equal(name, cases[i].name);
        mapcore_hwnode_destroy(node);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_count_levels_that_part_something),
        cmocka_unit_test(steps_are_a_metric),
        cmocka_unit_test(objects_have_hwlocs_names),
        cmocka_unit_test(bad_nodes_are_refused),
        cmocka_unit_test(levels_are_as_hwloc_says),
        cmocka_unit_test(xml_is_read),
        cmocka_unit_test(long_xml_is_refused),
        cmocka_unit_test(large_nodes_are_refused),
        cmocka_unit_test(inside_hop_bytes_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
