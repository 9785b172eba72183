/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_metric.c - equations 1 to 5 of ICS'17, by hand and against sums over
 * single edges */
#include "config.h"

#include "mapfixture.h"

#include "metric/link_loads.h"
#include "metric/workload.h"
#include "topo/walk.h"

/* Doubles that must be exact. */
#define assert_exact(a, b) assert_true((a) == (b))

struct world {
    struct machine on;
    struct mapcore_graph *graph;
};

static struct world world(const char *spec,
                          uint32_t nhosts,
                          const uint32_t *host,
                          uint32_t slots,
                          uint32_t ntasks,
                          const struct mapcore_edge *edges,
                          size_t nedges)
{
    struct world w = {.graph = graph_of(ntasks, edges, nedges)};
    uint32_t *each = calloc(nhosts, sizeof(*each));

    for (uint32_t i = 0; i < nhosts; i++)
        each[i] = slots;
    w.on = part_of(spec, nhosts, host, each);
    free(each);
    return w;
}

static void end(struct world *w)
{
    machine_graph_end(&w->on, w->graph);
}

/* A ring of four hosts, one task each: 0 -10- 1 -20- 2, 0 -7- 2.
 * Eq. 1: HB(0) = 10*1 + 7*2 = 24, HB(1) = 10 + 20 = 30, HB(2) = 14 + 20 = 34,
 * HB(3) = 0. Eq. 2: 88 / 4. Eq. 3: 34. Of what 0 and 2 send each other half
 * goes over 1 and half over 3. Link (0) +x: 5 + 1.75, (1) +x: 10 + 1.75. */
static void a_ring_by_hand(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 10}, {1, 2, 20}, {0, 2, 7}};
    const uint32_t host[] = {0, 1, 2, 3};
    struct world w = world("torus:4", 4, NULL, 1, 4, edges, 3);
    struct mapcore_metrics m;
    char name[20];

    assert_ok(mapcore_metrics_compute(&m, w.graph, w.on.alloc, host, NULL));
    assert_exact(m.avg_hop_bytes, 22);
    assert_exact(m.max_hop_bytes, 34);
    assert_exact(m.hops_per_byte, 44.0 / 37);
    assert_int_equal(m.off_node_bytes, 37);
    assert_exact(m.max_link_bytes, 11.75);
    mapcore_topo_link_name(w.on.topo, m.max_link, name, sizeof(name));
    assert_string_equal(name, "(1) +x");

    /* Tasks 1 and 2 swapped: 0-1 is now the edge of two links, half of it
     * through each neighbour. */
    const uint32_t swapped[] = {0, 2, 1, 3};
    mapcore_metrics_compute(&m, w.graph, w.on.alloc, swapped, NULL);
    assert_exact(m.avg_hop_bytes, (27 + 40 + 27) / 4.0);
    assert_exact(m.max_hop_bytes, 40);
    assert_exact(m.max_link_bytes, 12.5); /* (1) +x: 10 + 2.5 */
    end(&w);
}

/* Leaves {0,1} and {2,3}. 0-1: 8 bytes, 2 links; 0-2: 3 bytes, 4 links; 1-3:
 * 5 bytes, 4 links. The cable above each leaf carries 3 + 5, both directions
 * together; that of host 1 8 + 5, of host 0 8 + 3. */
static void a_tree_by_hand(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 8}, {0, 2, 3}, {1, 3, 5}};
    const uint32_t host[] = {0, 1, 2, 3};
    struct world w = world("tree:2,2", 4, NULL, 1, 4, edges, 3);
    struct mapcore_metrics m;
    char name[20];

    mapcore_metrics_compute(&m, w.graph, w.on.alloc, host, NULL);
    assert_exact(m.avg_hop_bytes, 2 * (16 + 12 + 20) / 4.0);
    assert_exact(m.max_hop_bytes, 16 + 20);
    assert_exact(m.hops_per_byte, 48.0 / 16);
    assert_int_equal(m.off_node_bytes, 16);
    assert_exact(m.max_link_bytes, 13);
    mapcore_topo_link_name(w.on.topo, m.max_link, name, sizeof(name));
    assert_string_equal(name, "host 1 - s1");
    end(&w);
}

/* What each direction carries over what it can carry. On the tree above all
 * loads are cables': halved. On the ring of the first test with an x of
 * capacity 4, 11.75 / 4. */
static void time_is_load_over_capacity(void **state)
{
    const struct mapcore_edge ring[] = {{0, 1, 10}, {1, 2, 20}, {0, 2, 7}};
    const struct mapcore_edge edges[] = {{0, 1, 8}, {0, 2, 3}, {1, 3, 5}};
    const uint32_t host[] = {0, 1, 2, 3}, arity[] = {2, 2}, one[] = {4, 1};
    const double capacity[] = {0.5, 4}, x[] = {4, 1};
    struct world w = world("tree:2,2", 4, NULL, 1, 4, edges, 3);
    struct mapcore_torus torus = {
        .ndims = 2, .dims = one, .hosts_per_router = 1, .capacity = x};
    struct mapcore_metrics m;
    char name[20];

    mapcore_metrics_compute(&m, w.graph, w.on.alloc, host, NULL);
    assert_exact(m.max_link_bytes, 13);
    assert_exact(m.max_link_time, 6.5);
    assert_int_equal(m.max_time_link, m.max_link);
    mapcore_topo_destroy(w.on.topo);
    mapcore_alloc_destroy(w.on.alloc);

    /* Two thin cables of 0.5 above each leaf: 8 / 2 / 1 against 13 / 2 / 4. */
    assert_ok(mapcore_topo_create_fat_tree(
        &w.on.topo, 2, arity, (uint32_t[]){2, 1}, capacity, NULL, NULL));
    assert_true(mapcore_topo_has_capacities(w.on.topo));
    assert_ok(mapcore_alloc_create(&w.on.alloc, w.on.topo, 4, NULL,
                                   (uint32_t[]){1, 1, 1, 1}, NULL));
    mapcore_metrics_compute(&m, w.graph, w.on.alloc, host, NULL);
    assert_exact(m.max_link_bytes, 13);
    assert_exact(m.max_link_time, 4);
    mapcore_topo_link_name(w.on.topo, m.max_time_link, name, sizeof(name));
    assert_string_equal(name, "s1 - root");
    end(&w);

    w = world("torus:4", 4, NULL, 1, 4, ring, 3);
    mapcore_topo_destroy(w.on.topo);
    mapcore_alloc_destroy(w.on.alloc);
    assert_ok(mapcore_topo_create_torus(&w.on.topo, &torus, NULL));
    assert_ok(mapcore_alloc_create(&w.on.alloc, w.on.topo, 4, NULL,
                                   (uint32_t[]){1, 1, 1, 1}, NULL));
    mapcore_metrics_compute(&m, w.graph, w.on.alloc, host, NULL);
    assert_exact(m.max_link_bytes, 11.75);
    assert_exact(m.max_link_time, 11.75 / 4);
    end(&w);
}

static void capacities_are_positive_numbers(void **state)
{
    const double bad[] = {0, -1, NAN, INFINITY};
    const uint32_t two[] = {2, 2};
    struct mapcore_topo *topo = NULL;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const double capacity[] = {1, bad[i]};
        struct mapcore_torus torus = {.ndims = 2,
                                      .dims = two,
                                      .hosts_per_router = 1,
                                      .capacity = capacity};

        assert_int_equal(mapcore_topo_create_torus(&topo, &torus, NULL),
                         MAPCORE_EINVAL);
        assert_int_equal(mapcore_topo_create_fat_tree(&topo, 2, two, NULL,
                                                      capacity, NULL, NULL),
                         MAPCORE_EINVAL);
    }
    assert_int_equal(mapcore_topo_create_fat_tree(
                         &topo, 2, two, (uint32_t[]){1, 0}, NULL, NULL, NULL),
                     MAPCORE_EINVAL);
    assert_null(topo);
}

/* On a 3x3 mesh corner 0 talks with corner 8: there are six shortest paths.
 * Four edges of 10 bytes: dimension order puts 5 each way of all four on the
 * same links; the heuristic parts them between the two links out of the
 * corner. */
static void least_loaded_paths_part(void **state)
{
    const struct mapcore_edge edges[] = {
        {0, 4, 10}, {1, 5, 10}, {2, 6, 10}, {3, 7, 10}};
    const uint32_t host[] = {0, 0, 0, 0, 8, 8, 8, 8};
    const uint32_t dims[] = {3, 3};
    struct world w = world("mesh:3x3", 9, NULL, 4, 8, edges, 4);
    struct mapcore_torus torus = {.ndims = 2,
                                  .dims = dims,
                                  .wraps = (bool[]){false, false},
                                  .hosts_per_router = 1,
                                  .capacity = (double[]){3, 1}};
    struct mapcore_metrics m;

    mapcore_metrics_compute(&m, w.graph, w.on.alloc, host, NULL);
    assert_exact(m.max_link_bytes, 20);
    assert_ok(mapcore_metrics_compute_routes(
        &m, w.graph, w.on.alloc, host,
        &(struct mapcore_metrics_how){MAPCORE_ROUTES_LEAST_LOADED, NULL},
        NULL));
    assert_exact(m.max_link_bytes, 10);
    assert_exact(m.hops_per_byte, 4);
    assert_int_equal(m.off_node_bytes, 40);
    mapcore_topo_destroy(w.on.topo);
    mapcore_alloc_destroy(w.on.alloc);

    /* Links of the second dimension carry a third: the four cross on all three
     * columns, and one of these takes two. */
    assert_ok(mapcore_topo_create_torus(&w.on.topo, &torus, NULL));
    assert_ok(mapcore_alloc_create(&w.on.alloc, w.on.topo, 9, NULL,
                                   (uint32_t[]){4, 4, 4, 4, 4, 4, 4, 4, 4},
                                   NULL));
    mapcore_metrics_compute(&m, w.graph, w.on.alloc, host, NULL);
    assert_exact(m.max_link_time, 20);
    mapcore_metrics_compute_routes(
        &m, w.graph, w.on.alloc, host,
        &(struct mapcore_metrics_how){MAPCORE_ROUTES_LEAST_LOADED, NULL}, NULL);
    assert_exact(m.max_link_time, 10);
    end(&w);
}

/* Four bytes go one link along x and one along y; six go one along y. */
static void loads_of_links_add_up(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 4}, {1, 2, 6}};
    const uint32_t host[] = {0, 4, 1};
    struct world w = world("mesh:3x3", 9, NULL, 1, 3, edges, 2);
    struct mapcore_metrics m, alone;
    double bytes[64], sum = 0, largest = 0;
    uint32_t nlinks = mapcore_topo_nlinks(w.on.topo);

    assert_true(nlinks <= 64);
    assert_ok(mapcore_metrics_compute_routes(
        &m, w.graph, w.on.alloc, host,
        &(struct mapcore_metrics_how){MAPCORE_ROUTES_STATIC, bytes}, NULL));
    mapcore_metrics_compute(&alone, w.graph, w.on.alloc, host, NULL);
    assert_exact(m.max_link_bytes, alone.max_link_bytes);
    assert_exact(m.hops_per_byte, alone.hops_per_byte);
    for (uint32_t l = 0; l < nlinks; l++) {
        sum += bytes[l];
        largest = bytes[l] > largest ? bytes[l] : largest;
    }
    assert_exact(sum, 4 * 2 + 6);
    assert_exact(largest, m.max_link_bytes);
    assert_exact(bytes[m.max_link], largest);
    end(&w);
}

/* Where there is one shortest path, both models agree. */
static void least_loaded_agrees_where_there_is_no_choice(void **state)
{
    static const char *const specs[] = {"tree:3,2,4", "mesh:24", "ring:9",
                                        "flat:24", "tree:2,12:capacity=3,2"};
    enum { TASKS = 40, EDGES = 200 };
    struct rng rng;

    rng_init(&rng, 9, 0, 0);
    for (size_t s = 0; s < sizeof(specs) / sizeof(specs[0]); s++) {
        uint32_t nhosts = s == 2 ? 9 : 24, host[TASKS];
        struct mapcore_edge edges[EDGES];
        struct mapcore_metrics m, k;

        for (uint32_t i = 0; i < EDGES; i++)
            edges[i] = (struct mapcore_edge){rng_below(&rng, TASKS),
                                             rng_below(&rng, TASKS),
                                             rng_below(&rng, 1000)};
        for (uint32_t t = 0; t < TASKS; t++)
            host[t] = rng_below(&rng, nhosts);
        struct world w =
            world(specs[s], nhosts, NULL, TASKS, TASKS, edges, EDGES);
        mapcore_metrics_compute(&m, w.graph, w.on.alloc, host, NULL);
        mapcore_metrics_compute_routes(
            &k, w.graph, w.on.alloc, host,
            &(struct mapcore_metrics_how){MAPCORE_ROUTES_LEAST_LOADED, NULL},
            NULL);
        assert_exact(m.max_link_bytes, k.max_link_bytes);
        assert_exact(m.max_link_time, k.max_link_time);
        assert_int_equal(m.max_link, k.max_link);
        assert_int_equal(m.max_time_link, k.max_time_link);
        assert_exact(m.hops_per_byte, k.hops_per_byte);
        end(&w);
    }
}

/* Nothing inside a host counts; two hosts of one router are different hosts at
 * distance 0. */
static void inside_costs_nothing(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 8}, {0, 2, 3}};
    const uint32_t same[] = {1, 1, 1}, router[] = {0, 0, 1};
    struct world w = world("torus:2/2", 4, NULL, 4, 3, edges, 2);
    struct mapcore_metrics m;

    mapcore_metrics_compute(&m, w.graph, w.on.alloc, same, NULL);
    assert_exact(m.avg_hop_bytes, 0);
    assert_exact(m.max_hop_bytes, 0);
    assert_exact(m.hops_per_byte, 0);
    assert_int_equal(m.off_node_bytes, 0);
    assert_exact(m.max_link_bytes, 0);
    assert_int_equal(m.max_link, MAPCORE_NONE);
    mapcore_metrics_compute(&m, w.graph, w.on.alloc, router, NULL);
    assert_int_equal(m.off_node_bytes, 3);
    assert_exact(m.hops_per_byte, 0);
    assert_int_equal(m.max_link, MAPCORE_NONE);
    end(&w);

    w = world("flat:2", 2, NULL, 1, 2, NULL, 0);
    mapcore_metrics_compute(&m, w.graph, w.on.alloc, (uint32_t[]){0, 1}, NULL);
    assert_exact(m.hops_per_byte, 0);
    assert_int_equal(m.max_link, MAPCORE_NONE);
    end(&w);
}

static void sums_do_not_overflow(void **state)
{
    const struct mapcore_edge edge = {0, 1, INT64_MAX};
    const uint32_t ends[] = {0, 99999}, host[] = {0, 1};
    struct world w = world("mesh:100000", 2, ends, 1, 2, &edge, 1);
    struct mapcore_metrics m;

    mapcore_metrics_compute(&m, w.graph, w.on.alloc, host, NULL);
    assert_exact(m.hops_per_byte, 99999);
    assert_exact(m.max_hop_bytes, 99999.0 * 0x1p63);
    assert_int_equal(m.off_node_bytes, INT64_MAX);
    assert_exact(m.max_link_bytes, 0x1p62);
    end(&w);

    w = world("flat:2", 2, NULL, 1, 2, &edge, 1);
    mapcore_metrics_compute(&m, w.graph, w.on.alloc, host, NULL);
    assert_exact(m.max_link_bytes, 0x1p63);
    end(&w);
}

static void hosts_must_be_there(void **state)
{
    const struct mapcore_edge edge = {0, 1, 1};
    struct world w = world("flat:2", 2, NULL, 1, 2, &edge, 1);
    struct mapcore_metrics m = {.max_link = 77};
    struct mapcore_error err;

    assert_int_equal(mapcore_metrics_compute(&m, w.graph, w.on.alloc,
                                             (uint32_t[]){0, 2}, &err),
                     MAPCORE_EINVAL);
    assert_string_equal(err.text, "task 1 is on node 2 of an allocation of 2");
    assert_int_equal(m.max_link, 77);
    end(&w);
}

/* The slowest link by estimate.h, from loads as link_loads.h counts. */
static void check_estimate(const struct world *w,
                           const uint32_t *host,
                           const uint64_t *load)
{
    const struct mapcore_host_rates rates = {.nic = 0};
    struct mapcore_estimate estimate;
    double slowest = 0;

    for (uint32_t l = 0; l < mapcore_topo_nlinks(w->on.topo); l++) {
        double time = (double)load[l] / LINK_LOADS_UNITS /
                      mapcore_topo_link_capacity(w->on.topo, l);

        slowest = time > slowest ? time : slowest;
    }
    assert_ok(mapcore_work_type_estimate(
        &estimate, &(struct mapcore_work_type){.graph = w->graph}, w->on.alloc,
        host, &rates, NULL));
    assert_exact(estimate.time, slowest);
}

/* Every definition as it stands, edge by edge. */
static void check(const struct world *w, const uint32_t *host)
{
    uint32_t nlinks = mapcore_topo_nlinks(w->on.topo), busiest = MAPCORE_NONE;
    uint32_t directions = mapcore_topo_link_directions(w->on.topo);
    uint64_t *load = calloc(nlinks, sizeof(*load));
    uint32_t *links =
        calloc(2 * mapcore_topo_diameter(w->on.topo) + 1, sizeof(*links));
    uint64_t total = 0, largest = 0, off = 0;
    struct mapcore_metrics m;

    for (uint32_t t = 0; t < w->graph->ntasks; t++) {
        uint64_t mine = 0;

        for (size_t i = w->graph->row[t]; i < w->graph->row[t + 1]; i++) {
            uint32_t a = mapcore_alloc_host(w->on.alloc, host[t]);
            uint32_t b =
                mapcore_alloc_host(w->on.alloc, host[w->graph->task[i]]);
            uint32_t whole,
                n = topo_split_route(w->on.topo, a, b, links, &whole);

            mine += (whole + n) * w->graph->bytes[i] / 2;
            off += a != b ? w->graph->bytes[i] : 0;
            for (uint32_t k = 0; k < n; k++)
                load[links[k]] +=
                    (k < whole ? 2 / directions : 1) * w->graph->bytes[i];
        }
        total += mine;
        largest = mine > largest ? mine : largest;
    }
    double *bytes = calloc(nlinks, sizeof(*bytes));
    assert_ok(mapcore_metrics_compute_routes(
        &m, w->graph, w->on.alloc, host,
        &(struct mapcore_metrics_how){MAPCORE_ROUTES_STATIC, bytes}, NULL));
    assert_exact(m.avg_hop_bytes, (double)total / w->graph->ntasks);
    assert_exact(m.max_hop_bytes, (double)largest);
    for (uint32_t l = 0; l < nlinks; l++)
        assert_exact(bytes[l], (double)load[l] / 4 * directions);
    free(bytes);
    assert_exact(
        m.hops_per_byte,
        w->graph->total > 0 ? (double)total / 2 / (double)w->graph->total : 0);
    assert_int_equal(m.off_node_bytes, off / 2);
    for (uint32_t l = 0; l < nlinks; l++) {
        if (load[l] > 0 && (busiest == MAPCORE_NONE || load[l] > load[busiest]))
            busiest = l;
    }
    assert_int_equal(m.max_link, busiest);
    assert_exact(
        m.max_link_bytes,
        busiest == MAPCORE_NONE ? 0 : (double)load[busiest] / 4 * directions);
    check_estimate(w, host, load);
    free(load);
    free(links);
}

/* Few edges and many: tori add up loads in two ways. Rings of 1 to 9 routers,
 * meshes, two hosts a router, tasks that share a host, edges of no bytes. */
static void random_mappings_agree_with_the_definitions(void **state)
{
    static const char *const specs[] = {
        "torus:4x3x5",     "torus:4x4/2:wrap=1x0",
        "torus:2x3x2x2x2", "mesh:6x5",
        "tree:2,3,4",      "flat:24",
        "torus:3x9",       "ring:25",
        "torus:1x5x1x7",   "torus:2x2x7:capacity=3x1x2",
        "mesh:2x3x5",      "torus:3x3x3/2:wrap=0x1x1",
        "dragonfly:4,3,2"};
    static const uint32_t nedges[] = {600, 40, 0};
    enum { HOSTS = 20, TASKS = 100, EDGES = 600 };
    struct rng rng;

    rng_init(&rng, 5, 0, 0);
    for (size_t s = 0; s < 3 * sizeof(specs) / sizeof(specs[0]); s++) {
        struct mapcore_edge edges[EDGES];
        uint32_t chosen[HOSTS], host[TASKS];

        for (uint32_t i = 0; i < EDGES; i++)
            edges[i] = (struct mapcore_edge){
                rng_below(&rng, TASKS), rng_below(&rng, TASKS),
                i % 7 == 0 ? 0 : rng_below(&rng, 1000)};
        for (uint32_t i = 0; i < HOSTS; i++)
            chosen[i] = (i * 7 + 3) % 24; /* 7 and 24 have no common factor */
        struct world w = world(specs[s / 3], HOSTS, chosen, TASKS, TASKS, edges,
                               nedges[s % 3]);
        for (int round = 0; round < 5; round++) {
            for (uint32_t t = 0; t < TASKS; t++)
                host[t] = rng_below(&rng, HOSTS);
            check(&w, host);
        }
        end(&w);
    }
}

/* The four-dimensional stencil of the ICS'17 evaluation (MILC): 1,024 tasks of
 * 4x8x4x8, first dimension fastest, 10,000 bytes to each neighbour, on a 4x4x4
 * torus with 16 slots a host. Values of an independent program. */
static void stencil_on_a_torus_has_its_known_values(void **state)
{
    enum { TASKS = 1024 };
    static const uint32_t dims[] = {4, 8, 4, 8};
    static struct mapcore_edge edges[4 * TASKS];
    struct mapcore_mapping *mapping;
    struct mapcore_metrics m;

    for (uint32_t t = 0, n = 0; t < TASKS; t++) {
        for (uint32_t i = 0, stride = 1; i < 4; stride *= dims[i++]) {
            uint32_t x = t / stride % dims[i];

            edges[n++] = (struct mapcore_edge){
                t, t - x * stride + (x + 1) % dims[i] * stride, 10000};
        }
    }
    struct world w =
        world("torus:4x4x4", 64, NULL, 16, TASKS, edges, 4 * TASKS);
    mapcore_mapping_block(&mapping, w.on.alloc, TASKS, NULL);
    mapcore_metrics_compute(&m, w.graph, w.on.alloc, mapping->host, NULL);
    mapcore_mapping_destroy(mapping);
    assert_exact(m.avg_hop_bytes, 105000);
    assert_exact(m.max_hop_bytes, 110000);
    assert_exact(m.hops_per_byte, 1.3125);
    assert_int_equal(m.off_node_bytes, 23040000);
    assert_exact(m.max_link_bytes, 240000);
    mapcore_mapping_cyclic(&mapping, w.on.alloc, TASKS, NULL);
    mapcore_metrics_compute(&m, w.graph, w.on.alloc, mapping->host, NULL);
    mapcore_mapping_destroy(mapping);
    assert_exact(m.hops_per_byte, 1.0625);
    assert_int_equal(m.off_node_bytes, 30720000);
    assert_exact(m.max_link_bytes, 240000);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_by_hand),
        cmocka_unit_test(a_tree_by_hand),
        cmocka_unit_test(time_is_load_over_capacity),
        cmocka_unit_test(capacities_are_positive_numbers),
        cmocka_unit_test(least_loaded_paths_part),
        cmocka_unit_test(loads_of_links_add_up),
        cmocka_unit_test(least_loaded_agrees_where_there_is_no_choice),
        cmocka_unit_test(inside_costs_nothing),
        cmocka_unit_test(sums_do_not_overflow),
        cmocka_unit_test(hosts_must_be_there),
        cmocka_unit_test(random_mappings_agree_with_the_definitions),
        cmocka_unit_test(stencil_on_a_torus_has_its_known_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
