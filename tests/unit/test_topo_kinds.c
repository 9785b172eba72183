/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_topo_kinds.c - what must hold on every kind of network, and the same
 * machine described in several ways */
#include "config.h"

#include "base/rng.h"
#include "metric/metric.h"
#include "topo/create.h"
#include "topo/kind/fabric.h"
#include "topo/shape.h"
#include "topo/walk.h"

#include "topofixture.h"

/* Written as a list of links and read again. */
static struct mapcore_topo *rewritten(const struct mapcore_topo *topo,
                                      const char *path)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_ok(mapcore_topo_write_links(topo, file, NULL));
    fclose(file);
    return opened(path);
}

static const char *const words[] = {
    "torus:4x3x5",
    "torus:5x4x2/2:wrap=1x0x1",
    "torus:4x4:capacity=2x0.5",
    "mesh:3x4x2/2",
    "ring:9/2",
    "hypercube:4",
    "hypercube:3/2",
    "tree:3,2,4",
    "tree:2,3,2:capacity=8,4,1",
    "tree:4,4:uplinks=3,1",
    "flat:9",
    "dragonfly:5,2,2",
    "dragonfly:9,4,2",
    "dragonfly:4,3,1:capacity=1,2,4",
    "dragonfly:3,4,1:global=2",
    "dragonfly:4,5,2:global=3",
    "dragonfly:2,1,3",
    "dragonfly:1,5,1",
};

/* Networks that only a list of links can describe. */
static const char *const files[] = {
    /* leaves and spines, unequal capacities */
    "links\nswitch leaf[0-3] spine[0-1]\nhost n[0-7]\n"
    "link n[0-1] leaf0 1\nlink n[2-3] leaf1 1\nlink n[4-5] leaf2 1\n"
    "link n[6-7] leaf3 1\nlink leaf[0-3] spine0 2\n"
    "link leaf[0-3] spine1 1 x3\n",
    /* two rails, without a link between them */
    "links\nswitch a b\nhost n[0-4]\nlink n[0-4] a\nlink n[0-4] b\n",
    /* no order at all: a graph of routers, and hosts of both sorts */
    "links\nnode r[0-9]\nlink r0 r1\nlink r1 r2\nlink r2 r3\nlink r3 r0\n"
    "link r0 r5\nlink r5 r6\nlink r6 r7\nlink r7 r3\nlink r4 r9\nlink r9 r8\n"
    "link r8 r4\nlink r4 r6\nlink r2 r9\nhost x[0-2]\nlink x0 r4\nlink x1 r7\n"
    "link x2 r7\nhost y at r8\n",
    /* one switch, one host */
    "links\nswitch s\nhost n\nlink n s\n",
};

/* Links by breadth-first search over the cables; hosts forward nothing. */
static uint32_t search(const struct mapcore_topo *topo, uint32_t a, uint32_t b)
{
    uint32_t n = mapcore_topo_nhosts(topo) + topo_nswitches(topo), end[2],
             best = UINT32_MAX;
    uint32_t *far = malloc(n * sizeof(*far));
    bool moved = true, is_attached = false;

    memset(far, 0xff, n * sizeof(*far));
    for (int i = 0; i < 2; i++) {
        uint32_t h = i == 0 ? a : b;

        is_attached = topo_is_attached(topo, h);
        if (is_attached && i == 0)
            far[topo_host_vertex(topo, h)] = 0;
        else if (i == 0)
            far[h] = 0;
    }
    for (uint32_t step = 0; moved; step++) {
        moved = false;
        for (uint32_t l = 0; l < 2 * mapcore_topo_nlinks(topo); l++) {
            bool back = l >= mapcore_topo_nlinks(topo);

            if (!topo_link_ends(topo, l % mapcore_topo_nlinks(topo), end))
                continue;
            uint32_t from = end[back], to = end[!back];
            if (far[from] == step && far[to] == UINT32_MAX &&
                (from == a || from >= mapcore_topo_nhosts(topo))) {
                far[to] = step + 1;
                moved = true;
            }
        }
    }
    best = far[is_attached ? topo_host_vertex(topo, b) : b];
    free(far);
    return a == b ? 0 : best;
}

/* Each link of a route begins where the last one ended, between the places of
 * a and b. */
static void check_route(const struct mapcore_topo *topo, uint32_t a, uint32_t b)
{
    uint32_t *links =
        malloc((mapcore_topo_diameter(topo) + 1) * sizeof(*links));
    uint32_t n = mapcore_topo_route(topo, a, b, links), end[2], at = a;
    bool cable = mapcore_topo_link_directions(topo) == 2;
    char name[700];

    assert_int_equal(n, mapcore_topo_distance(topo, a, b));
    assert_in_range(n, 0, mapcore_topo_diameter(topo));
    for (uint32_t i = 0; i < n; i++) {
        assert_in_range(links[i], 0, mapcore_topo_nlinks(topo) - 1);
        assert_true(mapcore_topo_link_capacity(topo, links[i]) > 0);
        assert_true(mapcore_topo_link_name(topo, links[i], name, sizeof(name)) >
                    0);
        assert_true(topo_link_ends(topo, links[i], end));
        if (i == 0 && end[0] != a && !cable)
            at = topo_host_vertex(topo, a);
        if (cable && end[1] == at) {
            end[1] = end[0];
            end[0] = at;
        }
        assert_int_equal(end[0], at);
        at = end[1];
    }
    if (n > 0 && at != b)
        assert_int_equal(at, topo_host_vertex(topo, b));
    free(links);
}

/* Any way along the steps is as long as the distance. */
static void check_steps(const struct mapcore_topo *topo,
                        struct rng *rng,
                        uint32_t a,
                        uint32_t b)
{
    uint32_t *link = malloc(topo_max_next_hops(topo) * sizeof(*link)), end[2];
    uint32_t *to = malloc(topo_max_next_hops(topo) * sizeof(*to));
    uint32_t at = a, n, walked = 0;

    while ((n = topo_next_hops(topo, at, b, link, to)) > 0) {
        assert_in_range(n, 1, topo_max_next_hops(topo));
        uint32_t i = rng_below(rng, n);

        assert_true(topo_link_ends(topo, link[i], end));
        assert_true(
            end[1] == to[i] ||
            (mapcore_topo_link_directions(topo) == 2 && end[0] == to[i]));
        at = to[i];
        walked++;
        assert_in_range(walked, 1, mapcore_topo_diameter(topo));
    }
    assert_int_equal(walked, mapcore_topo_distance(topo, a, b));
    free(link);
    free(to);
}

static void check_table(const struct mapcore_topo *topo, struct rng *rng)
{
    uint32_t total = mapcore_topo_nhosts(topo), n = 1 + total / 2;
    uint32_t *host = malloc(total * sizeof(*host));
    uint16_t *table = malloc((size_t)n * n * sizeof(*table));

    for (uint32_t h = 0; h < total; h++)
        host[h] = h;
    for (uint32_t h = total - 1; h > 0; h--) {
        uint32_t other = rng_below(rng, h + 1), kept = host[h];

        host[h] = host[other];
        host[other] = kept;
    }
    assert_int_equal(topo_distance_block(
                         table, topo, &(struct topo_rows){n, host, 0, n}, NULL),
                     0);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            assert_int_equal(table[i * n + j],
                             mapcore_topo_distance(topo, host[i], host[j]));
    if (n > 2) {
        uint32_t end = n - 1;

        assert_int_equal(
            topo_distance_block(table, topo,
                                &(struct topo_rows){n, host, 1, end}, NULL),
            0);
        for (uint32_t i = 1; i < end; i++)
            for (uint32_t j = 0; j < n; j++)
                assert_int_equal(table[(i - 1) * n + j],
                                 mapcore_topo_distance(topo, host[i], host[j]));
    }
    free(host);
    free(table);
}

/* exact: a dragonfly's minimal routes cross at most one global link, and there
 * may be shorter ones over two. */
static void check(const struct mapcore_topo *topo, bool exact)
{
    uint32_t n = mapcore_topo_nhosts(topo), longest = 0;
    struct rng rng;
    char place[300];

    rng_init(&rng, 11, 0, 0);
    for (uint32_t a = 0; a < n; a++) {
        assert_true(mapcore_topo_host_place(topo, a, place, sizeof(place)) > 0);
        for (uint32_t b = 0; b < n; b++) {
            uint32_t d = mapcore_topo_distance(topo, a, b);

            longest = d > longest ? d : longest;
            assert_int_equal(d, mapcore_topo_distance(topo, b, a));
            if (exact)
                assert_int_equal(d, search(topo, a, b));
            else
                assert_true(d >= search(topo, a, b));
            check_route(topo, a, b);
            check_steps(topo, &rng, a, b);
            for (uint32_t c = 0; c < n; c++)
                assert_true(d <= mapcore_topo_distance(topo, a, c) +
                                     mapcore_topo_distance(topo, c, b));
        }
        assert_int_equal(mapcore_topo_distance(topo, a, a), 0);
    }
    assert_int_equal(longest, mapcore_topo_diameter(topo));
    check_table(topo, &rng);
}

static void every_kind_keeps_the_rules(void **state)
{
    for (size_t i = 0; i < COUNT(words) + COUNT(files); i++) {
        struct mapcore_topo *topo;

        if (i >= COUNT(words))
            put_text(at(*state, "links"), files[i - COUNT(words)]);
        topo = opened(i < COUNT(words) ? words[i] : at(*state, "links"));
        check(topo,
              i >= COUNT(words) || strncmp(words[i], "dragonfly", 9) != 0);
        mapcore_topo_destroy(topo);
    }
}

/* Hops per byte and the slowest link of a random graph, laid out in order. */
static struct mapcore_metrics measure(const struct mapcore_topo *topo)
{
    enum { TASKS = 64, EDGES = 300 };
    uint32_t n = mapcore_topo_nhosts(topo), slots[512], host[TASKS];
    struct mapcore_edge edges[EDGES];
    struct mapcore_graph *graph;
    struct mapcore_alloc *alloc;
    struct mapcore_metrics metrics;
    struct rng rng;

    rng_init(&rng, 3, 0, 0);
    for (uint32_t i = 0; i < EDGES; i++)
        edges[i] = (struct mapcore_edge){rng_below(&rng, TASKS),
                                         rng_below(&rng, TASKS),
                                         rng_below(&rng, 1000)};
    for (uint32_t t = 0; t < TASKS; t++)
        host[t] = rng_below(&rng, n);
    for (uint32_t h = 0; h < n; h++)
        slots[h] = TASKS;
    assert_in_range(n, 1, 512);
    assert_ok(mapcore_graph_create(&graph, TASKS, edges, EDGES, NULL));
    assert_ok(mapcore_alloc_create(&alloc, topo, n, NULL, slots, NULL));
    assert_ok(mapcore_metrics_compute(&metrics, graph, alloc, host, NULL));
    mapcore_alloc_destroy(alloc);
    mapcore_graph_destroy(graph);
    return metrics;
}

static void same_distances(const struct mapcore_topo *a,
                           const struct mapcore_topo *b)
{
    uint32_t n = mapcore_topo_nhosts(a);
    struct mapcore_metrics m = measure(a), k = measure(b);

    assert_int_equal(n, mapcore_topo_nhosts(b));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            assert_int_equal(mapcore_topo_distance(a, i, j),
                             mapcore_topo_distance(b, i, j));
    assert_true(m.avg_hop_bytes == k.avg_hop_bytes);
    assert_true(m.max_hop_bytes == k.max_hop_bytes);
    assert_true(m.hops_per_byte == k.hops_per_byte);
    assert_int_equal(m.off_node_bytes, k.off_node_bytes);
}

static void lists_of_links_are_the_same_network(void **state)
{
    const char *path = at(*state, "copy");

    for (size_t i = 0; i < COUNT(words); i++) {
        struct mapcore_topo *topo = opened(words[i]);
        struct mapcore_topo *copy = rewritten(topo, path);

        /* With more than one global link a router there may be ways over two
         * that are shorter than minimal routes. */
        if (strncmp(words[i], "dragonfly", 9) != 0 || strstr(words[i], ",1")) {
            same_distances(topo, copy);
            check(copy, true);
        }
        mapcore_topo_destroy(copy);
        mapcore_topo_destroy(topo);
    }
    for (size_t i = 0; i < COUNT(files); i++) {
        put_text(at(*state, "links"), files[i]);
        struct mapcore_topo *topo = opened(at(*state, "links"));
        struct mapcore_topo *copy = rewritten(topo, path);
        struct mapcore_metrics m = measure(topo), k = measure(copy);

        same_distances(topo, copy);
        assert_true(m.max_link_bytes == k.max_link_bytes);
        assert_true(m.max_link_time == k.max_link_time);
        mapcore_topo_destroy(copy);
        mapcore_topo_destroy(topo);
    }
}

/* As in a network too large to keep any row of distances: each is searched for,
 * as far as it must be. */
static void searches_find_what_rows_say(void **state)
{
    const char *path = at(*state, "links");

    for (size_t i = 0; i < COUNT(words) + COUNT(files); i++) {
        struct mapcore_topo *topo, *copy;
        struct mapcore_metrics m, k;

        if (i < COUNT(words)) {
            topo = opened(words[i]);
            mapcore_topo_destroy(rewritten(topo, path));
            mapcore_topo_destroy(topo);
        } else {
            put_text(path, files[i - COUNT(words)]);
        }
        topo = opened(path);
        copy = opened(path);
        if (topo->ops == &fabric_ops) {
            atomic_store(&((struct fabric *)(void *)copy)->rows->budget, 0);
            check(copy, true);
            m = measure(topo);
            k = measure(copy);
            assert_memory_equal(&m, &k, sizeof(m));
        }
        mapcore_topo_destroy(copy);
        mapcore_topo_destroy(topo);
    }
}

/* Where there is only one shortest route, loads agree too. */
static void same_loads(const char *one, const char *other)
{
    struct mapcore_topo *a = opened(one), *b = opened(other);
    struct mapcore_metrics m = measure(a), k = measure(b);
    char name[2][100];

    same_distances(a, b);
    assert_true(m.max_link_time == k.max_link_time);
    if (mapcore_topo_is_torus(a) == mapcore_topo_is_torus(b)) {
        assert_true(m.max_link_bytes == k.max_link_bytes);
        mapcore_topo_link_name(a, m.max_link, name[0], sizeof(name[0]));
        mapcore_topo_link_name(b, k.max_link, name[1], sizeof(name[1]));
        assert_string_equal(name[0], name[1]);
    }
    mapcore_topo_destroy(a);
    mapcore_topo_destroy(b);
}

static void one_machine_many_words(void **state)
{
    const char *path = at(*state, "copy");
    struct mapcore_topo *topo;

    same_loads("ring:9", "torus:9");
    same_loads("ring:7/2:capacity=3", "torus:7/2:capacity=3");
    same_loads("hypercube:4", "mesh:2x2x2x2");
    same_loads("hypercube:2/2:capacity=1x2", "mesh:2x2/2:capacity=1x2");
    same_loads("flat:9", "tree:9");
    same_loads("tree:4,4:uplinks=3,1", "tree:4,4:capacity=3,1");
    put_text(path, "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[0-3]\n"
                   "SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[4-7]\n"
                   "SwitchName=root Level=1 LinkSpeed=1 Nodes=n[0-7] "
                   "Switches=s[1-2]\n");
    put_text(at(*state, "word"), "tree:2,4\nhosts n[0-7]\n");
    same_loads(path, at(*state, "word"));
    topo = opened(at(*state, "word"));
    assert_string_equal(mapcore_topo_host_name(topo, 5), "n5");
    mapcore_topo_destroy(topo);

    /* An odd ring and a mesh of one dimension have unique routes. */
    topo = opened("ring:9");
    mapcore_topo_destroy(rewritten(topo, path));
    same_loads(path, "ring:9");
    mapcore_topo_destroy(topo);
    topo = opened("mesh:11/2:capacity=4");
    mapcore_topo_destroy(rewritten(topo, path));
    same_loads(path, "mesh:11/2:capacity=4");
    mapcore_topo_destroy(topo);
}

/* The code for any network, given trees: the same cables and loads. */
static void trees_as_links_too(void **state)
{
    const struct topo_cable cable[] = {{0, 5, 1}, {1, 5, 1}, {2, 6, 2},
                                       {3, 7, 4}, {4, 7, 1}, {5, 8, 1.5},
                                       {6, 8, 3}, {6, 8, 1}, {7, 6, 1}};
    const char *const hosts[] = {"a", "b", "c", "d", "e"};
    const char *const switches[] = {"s", "t", "u", "v"};
    struct topo_fabric spec = {.nhosts = 5,
                               .nswitches = 4,
                               .host_names = hosts,
                               .switch_names = switches,
                               .ncables = COUNT(cable),
                               .cable = cable,
                               .has_capacities = true};
    struct mapcore_topo *tree, *links;
    struct mapcore_metrics m, k;

    assert_ok(topo_create_fabric(&tree, &spec, NULL));
    spec.as_links = true;
    assert_ok(topo_create_fabric(&links, &spec, NULL));
    assert_int_equal(mapcore_topo_link_directions(tree), 2);
    assert_int_equal(mapcore_topo_link_directions(links), 1);
    same_distances(tree, links);
    check(tree, true);
    check(links, true);
    m = measure(tree);
    k = measure(links);
    assert_true(m.max_link_bytes == 2 * k.max_link_bytes);
    assert_true(m.max_link_time == k.max_link_time);
    mapcore_topo_destroy(tree);
    mapcore_topo_destroy(links);
}

/* Numbers of links between two groups differ by at most one. */
static void global_links_are_dealt_evenly(void **state)
{
    static const char *const specs[] = {
        "dragonfly:5,2,2", "dragonfly:9,4,2", "dragonfly:4,5,2:global=3",
        "dragonfly:6,3,3:global=4", "dragonfly:7,5,1:global=2"};

    for (size_t i = 0; i < COUNT(specs); i++) {
        struct mapcore_topo *topo = opened(specs[i]);
        uint32_t between[16][16] = {{0}}, least = UINT32_MAX, most = 0, end[2];
        struct topo_shape shape;

        topo_shape(&shape, topo);
        assert_int_equal(shape.kind, TOPO_DRAGONFLY);
        for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
            topo_link_ends(topo, l, end);
            if (end[0] < mapcore_topo_nhosts(topo) ||
                end[1] < mapcore_topo_nhosts(topo))
                continue;
            between[(end[0] - mapcore_topo_nhosts(topo)) / shape.nrouters]
                   [(end[1] - mapcore_topo_nhosts(topo)) / shape.nrouters]++;
        }
        for (uint32_t g = 0; g < shape.ngroups; g++) {
            for (uint32_t h = 0; h < shape.ngroups; h++) {
                if (g == h)
                    continue;
                assert_int_equal(between[g][h], between[h][g]);
                least = between[g][h] < least ? between[g][h] : least;
                most = between[g][h] > most ? between[g][h] : most;
            }
        }
        assert_in_range(least, 1, most);
        assert_in_range(most - least, 0, 1);
        mapcore_topo_destroy(topo);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(every_kind_keeps_the_rules),
        ON_DISK(lists_of_links_are_the_same_network),
        ON_DISK(searches_find_what_rows_say),
        ON_DISK(one_machine_many_words),
        cmocka_unit_test(trees_as_links_too),
        cmocka_unit_test(global_links_are_dealt_evenly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
