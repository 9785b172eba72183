/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_layers.c - lists of links that are nearly trees: what mappers see of
 * them, and that they map as well on them as on the trees */
#include "config.h"

#include "alloc/alloc.h"
#include "base/rng.h"
#include "graph/graph.h"
#include "map/map.h"
#include "topo/shape.h"

#include <math.h>

#include "topofixture.h"

enum { LEAVES = 8, PER_LEAF = 8, SLOTS = 4, SPINES = 4, RANKS = 256 };

static void leaves_and_spines_are_a_tree(void **state)
{
    struct mapcore_topo *topo =
        opened_text(at(*state, "x.links"), "links\n"
                                           "switch leaf[0-1] spine[0-1]\n"
                                           "host n[0-4]\n"
                                           "link n[0-2] leaf0 25e9\n"
                                           "link n[3-4] leaf1 25e9\n"
                                           "link leaf[0-1] spine0 100e9 x2\n"
                                           "link leaf[0-1] spine1 100e9\n");
    struct topo_shape shape;

    topo_shape(&shape, topo);
    assert_int_equal(shape.kind, TOPO_LAYERS);
    assert_int_equal(shape.nswitches, 3);
    assert_int_equal(shape.parent[0], MAPCORE_NONE);
    for (uint32_t s = 1; s < 3; s++) {
        assert_int_equal(shape.parent[s], 0);
        assert_int_equal(shape.depth[s], 1);
        assert_true(shape.up[s] == 300e9);
    }
    assert_true(isinf(shape.up[0]));
    for (uint32_t h = 0; h < 5; h++) {
        assert_int_equal(shape.leaf[h], h < 3 ? 1 : 2);
        assert_true(shape.down[h] == 25e9);
    }
    mapcore_topo_destroy(topo);
}

/* Two pods of two leaves and two switches above them; two core switches. */
static const char pods[] = "links\n"
                           "switch l[0-3] a[0-3] c[0-1]\n"
                           "host n[0-7]\n"
                           "link n[0-1] l0\nlink n[2-3] l1\n"
                           "link n[4-5] l2\nlink n[6-7] l3\n"
                           "link l[0-1] a0\nlink l[0-1] a1\n"
                           "link l[2-3] a2\nlink l[2-3] a3\n"
                           "link a[0-3] c0\nlink a[0-3] c1\n";

static void pods_are_a_level(void **state)
{
    struct mapcore_topo *topo = opened_text(at(*state, "x.links"), pods);
    struct topo_shape shape;

    topo_shape(&shape, topo);
    assert_int_equal(shape.kind, TOPO_LAYERS);
    assert_int_equal(shape.nswitches, 7);
    for (uint32_t h = 0; h < 8; h++) {
        uint32_t leaf = shape.leaf[h], pod = shape.parent[leaf];

        assert_int_equal(shape.depth[leaf], 2);
        assert_int_equal(shape.parent[pod], 0);
        assert_int_equal(leaf, shape.leaf[h ^ 1]);
        assert_int_equal(pod, shape.parent[shape.leaf[h ^ 2]]);
        assert_int_not_equal(pod, shape.parent[shape.leaf[h ^ 4]]);
        assert_true(shape.up[leaf] == 2);
        assert_true(shape.up[pod] == 4);
    }
    mapcore_topo_destroy(topo);
}

/* A node at a spine switch is nearer to the others than they are to each other;
 * that is not to take the tree from them. */
static void a_host_out_of_line_is_tolerated(void **state)
{
    char text[4096], *end = text;
    struct mapcore_topo *topo;
    struct topo_shape shape;

    end += sprintf(end, "links\nswitch leaf[0-7] spine[0-1]\nhost n[0-63] io\n"
                        "link leaf[0-7] spine0\nlink leaf[0-7] spine1\n"
                        "link io spine0\n");
    for (int i = 0; i < 8; i++)
        end += sprintf(end, "link n[%d-%d] leaf%d\n", 8 * i, 8 * i + 7, i);
    topo = opened_text(at(*state, "x.links"), text);
    topo_shape(&shape, topo);
    assert_int_equal(shape.kind, TOPO_LAYERS);
    for (uint32_t h = 0; h < 64; h++)
        for (uint32_t k = 0; k < 64; k++)
            assert_int_equal(shape.leaf[h] == shape.leaf[k], h / 8 == k / 8);
    mapcore_topo_destroy(topo);
}

static void rings_and_tori_are_none(void **state)
{
    char text[4096], *end = text;
    struct mapcore_topo *topo;
    struct topo_shape shape;

    topo =
        opened_text(at(*state, "x.links"),
                    "links\nnode r[0-5]\nlink r0 r1\nlink r1 r2\nlink r2 r3\n"
                    "link r3 r4\nlink r4 r5\nlink r5 r0\n");
    topo_shape(&shape, topo);
    assert_int_equal(shape.kind, TOPO_OTHER);
    assert_int_equal(shape.nswitches, 0);
    mapcore_topo_destroy(topo);
    end += sprintf(end, "links\nnode r[0-24]\n");
    for (int i = 0; i < 25; i++)
        end += sprintf(end, "link r%d r%d\nlink r%d r%d\n", i,
                       i / 5 * 5 + (i + 1) % 5, i, (i + 5) % 25);
    topo = opened_text(at(*state, "x.links"), text);
    topo_shape(&shape, topo);
    assert_int_equal(shape.kind, TOPO_OTHER);
    mapcore_topo_destroy(topo);
}

/* Eight leaves of eight hosts, 2:1, as four spine switches. */
static struct mapcore_topo *spine_list(const char *path)
{
    char text[4096], *end = text;

    end += sprintf(end, "links\nswitch leaf[0-7] spine[0-3]\nhost n[0-63]\n");
    for (int i = 0; i < LEAVES; i++)
        end += sprintf(end, "link n[%d-%d] leaf%d 4\n", PER_LEAF * i,
                       PER_LEAF * i + PER_LEAF - 1, i);
    for (int i = 0; i < SPINES; i++)
        end += sprintf(end, "link leaf[0-7] spine%d 4\n", i);
    return opened_text(path, text);
}

static struct mapcore_graph *stencil(void)
{
    struct mapcore_edge edge[2 * RANKS];
    struct mapcore_graph *graph = NULL;
    uint32_t n = 0;

    for (uint32_t r = 0; r < RANKS; r++) {
        if (r % 16 < 15)
            edge[n++] = (struct mapcore_edge){r, r + 1, 700};
        if (r + 16 < RANKS)
            edge[n++] = (struct mapcore_edge){r, r + 16, 1000};
    }
    assert_ok(mapcore_graph_create(&graph, RANKS, edge, n, NULL));
    return graph;
}

/* Each task talks to some that lie near it on a line, and to few anywhere. */
static struct mapcore_graph *irregular(uint64_t seed)
{
    struct mapcore_edge edge[8 * RANKS];
    struct mapcore_graph *graph = NULL;
    uint32_t n = 0, at[RANKS];
    struct rng rng;

    rng_init(&rng, seed, 0, 0);
    for (uint32_t r = 0; r < RANKS; r++)
        at[r] = r;
    for (uint32_t r = RANKS; r > 1; r--) {
        uint32_t k = rng_below(&rng, r), other = at[k];

        at[k] = at[r - 1];
        at[r - 1] = other;
    }
    for (uint32_t r = 0; r < RANKS; r++)
        for (int i = 0; i < 5; i++) {
            uint32_t far =
                i < 4 ? 1 + rng_below(&rng, 9) : 1 + rng_below(&rng, RANKS - 1);

            edge[n++] = (struct mapcore_edge){at[r], at[(r + far) % RANKS],
                                              1 + rng_below(&rng, 1000)};
        }
    assert_ok(mapcore_graph_create(&graph, RANKS, edge, n, NULL));
    return graph;
}

static double hops(const struct mapcore_graph *graph,
                   const struct mapcore_topo *topo,
                   const char *mapper)
{
    struct mapcore_search search = {
        .choose = MAPCORE_CHOOSE_HOP_BYTES, .work = 1, .threads = 1, .seed = 1};
    struct mapcore_alloc *alloc = NULL;
    struct mapcore_result result = {0};
    double hops;

    uint32_t host[LEAVES * PER_LEAF], slots[LEAVES * PER_LEAF];

    for (uint32_t h = 0; h < LEAVES * PER_LEAF; h++) {
        host[h] = h;
        slots[h] = SLOTS;
    }
    assert_ok(mapcore_alloc_create(&alloc, topo, LEAVES * PER_LEAF, host, slots,
                                   NULL));
    assert_ok(mapcore_search_run(&result, graph, alloc, mapper, &search, NULL));
    hops = result.metrics.hops_per_byte;
    mapcore_result_clear(&result);
    mapcore_alloc_destroy(alloc);
    return hops;
}

/* What only knows distances halves the hosts anywhere, and finds no box. */
static void a_list_maps_as_well_as_the_tree(void **state)
{
    struct mapcore_topo *list = spine_list(at(*state, "x.links")), *tree = NULL;
    struct mapcore_graph *graph[] = {stencil(), irregular(1), irregular(2)};

    assert_ok(mapcore_topo_open(&tree, "tree:8,8:capacity=4,16", NULL));
    for (size_t i = 0; i < sizeof(graph) / sizeof(*graph); i++) {
        assert_true(hops(graph[i], list, "rb") == hops(graph[i], tree, "rb"));
        if (i == 0)
            assert_true(hops(graph[i], list, "grid") ==
                        hops(graph[i], tree, "grid"));
        mapcore_graph_destroy(graph[i]);
    }
    mapcore_topo_destroy(list);
    mapcore_topo_destroy(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(leaves_and_spines_are_a_tree),
        ON_DISK(pods_are_a_level),
        ON_DISK(a_host_out_of_line_is_tolerated),
        ON_DISK(rings_and_tori_are_none),
        ON_DISK(a_list_maps_as_well_as_the_tree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
