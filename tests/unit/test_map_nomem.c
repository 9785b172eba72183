/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_map_nomem.c - a search with its first, second, ... allocation failing;
 * linked with --wrap for malloc, calloc, realloc and free */
#include "config.h"

#include "gridfixture.h"
#include "nomem.h"

#include "alloc/distances.h"
#include "map/refine/bottleneck.h"

/* How many allocations may succeed until one fails, the next time. All are
 * tried by check --extended; else the first ones, and then one in eight, drawn,
 * so that no loop of a search keeps step with it. */
static long after(long n, struct rng *rng)
{
    const char *extended = getenv("TOPOMAP_CHECK_EXTENDED");
    bool all = n < 24 || (extended && *extended);

    return n + 1 + (all ? 0 : (long)rng_below(rng, 15));
}

/* Fails one allocation after the other until a search needs no more. Either
 * the search says that memory is short, or it did without: then its answer is
 * the usual one. */
static void check_machine(struct mapcore_graph *graph,
                          struct machine machine,
                          const char *mapper,
                          const struct mapcore_search *options)
{
    struct mapcore_result usual, result;
    struct mapcore_error err;
    struct rng rng;
    long before;

    rng_init(&rng, mapcore_graph_bytes(graph), 1, 0);
    usual = search_by(&machine, graph, mapper, options);
    before = live;
    for (long n = 0;; n = after(n, &rng)) {
        int code;

        result = (struct mapcore_result){0};
        err.text[0] = '\0';
        failed = false;
        granted = n;
        code = mapcore_search_run(&result, graph, machine.alloc, mapper,
                                  options, &err);
        granted = -1;
        if (code < 0) {
            assert_int_equal(code, MAPCORE_ENOMEM);
            assert_true(err.text[0] != '\0');
            assert_null(result.mapping);
        } else {
            assert_memory_equal(result.mapping->host, usual.mapping->host,
                                36 * sizeof(uint32_t));
            assert_memory_equal(result.mapping->slot, usual.mapping->slot,
                                36 * sizeof(uint32_t));
            assert_int_equal(result.work, usual.work);
            mapcore_result_clear(&result);
        }
        assert_int_equal(live, before);
        if (!failed)
            break;
    }
    mapcore_result_clear(&usual);
    machine_graph_end(&machine, graph);
}

static void check_graph(struct mapcore_graph *graph,
                        const char *spec,
                        const char *mapper,
                        const struct mapcore_search *options)
{
    check_machine(graph, machine_of(spec, 3), mapper, options);
}

static void check(const char *spec,
                  const char *mapper,
                  const struct mapcore_search *options)
{
    check_graph(random_graph(36, 4, 1), spec, mapper, options);
}

static void test_portfolio(void **state)
{
    struct mapcore_search options = {.schedule.starts = 14, .work = 19};

    check("tree:3,4", NULL, &options);
    options.threads = 3;
    check("torus:3x4", NULL, &options);
    check("tree:3,4:rails=3", NULL, &options);
}

static void test_one_mapper(void **state)
{
    const struct mapcore_search options = {.work = 4};

    check("torus:3x4", "greedymap:order=GPART,delta=sqrt,cost=link,wrap=0",
          &options);
    check("torus:3x4", "multilevel", &options);
    check("tree:3,4", "multilevel", &options);
    check("torus:3x4", "greedymap:order=BFS-DFS,cost=max", &options);
}

static void test_papers_mappers(void **state)
{
    static const char *const mappers[] = {"plane",
                                          "list:order=OO,curve=hilbert",
                                          "list:order=GPART,curve=snake",
                                          "topolb:order=third",
                                          "faq",
                                          "hs-greedy",
                                          "hs-rb",
                                          "hs-rcm",
                                          "random",
                                          "random:of=groups"};
    const struct mapcore_search options = {.work = 2};

    for (size_t i = 0; i < sizeof(mappers) / sizeof(*mappers); i++) {
        check("torus:3x4", mappers[i], &options);
        check("tree:3,4", mappers[i], &options);
    }
}

/* Bottleneck refinement by itself. */
static void test_bottleneck_alone(void **state)
{
    struct machine machine = machine_of("mesh:3x4", 3);
    struct mapcore_graph *graph = random_graph(36, 4, 1);
    struct map_problem problem = {.graph = graph, .alloc = machine.alloc};
    uint32_t host[36];
    uint16_t row[12];
    struct mapcore_error err;
    long before;

    /* Rows stay with the allocation: they are made before it is counted. */
    for (uint32_t h = 0; h < 12; h++)
        distances_row(alloc_distances(machine.alloc), h, row);
    before = live;
    for (long n = 0;; n++) {
        const struct bottleneck_how how = {
            .goal = BOTTLENECK_TASKS, .slack = 0.1, .rounds = 2};
        struct rng rng;
        bool timed_out;
        int code;

        for (uint32_t t = 0; t < 36; t++)
            host[t] = t % 12;
        rng_init(&rng, 1, 1, 1);
        failed = false;
        granted = n;
        code = bottleneck_run(host, &timed_out, &problem, &how, &rng, &err);
        granted = -1;
        assert_fits(machine.alloc, host, 36);
        assert_int_equal(live, before);
        if (!failed) {
            assert_int_equal(code, 0);
            break;
        }
        assert_int_equal(code, MAPCORE_ENOMEM);
    }
    machine_graph_end(&machine, graph);
}

static void test_inside_of_hosts(void **state)
{
    struct mapcore_search options = {.work = 2};
    struct mapcore_hwnode *node;

    assert_ok(mapcore_hwnode_create(&node, "package:2 core:2", NULL));
    options.node = node;
    check("torus:3x4", "greedymap", &options);
    mapcore_hwnode_destroy(node);
}

/* By all types of a program, of whole hosts. */
static void test_units(void **state)
{
    struct mapcore_graph *graph = random_graph(36, 4, 1);
    const struct mapcore_flow flow[] = {
        {0, 5, 10, 1}, {5, 9, 10, 1}, {7, 8, 30, 1}};
    const uint32_t phase[] = {0, 1, 1};
    struct mapcore_phases *phases = NULL;
    struct mapcore_work_type types[2] = {{.graph = graph, .scale = 1}};
    const struct mapcore_workload work = {
        types, 2, {.nic = 1, .message = {.nic = 1}}, 0.1};
    const struct mapcore_search options = {.choose = MAPCORE_CHOOSE_TIME,
                                           .work = 12,
                                           .unit = MAPCORE_UNIT_HOST,
                                           .workload = &work};

    assert_ok(mapcore_phases_create(&phases, 36, flow, phase, 3, NULL));
    types[1] = (struct mapcore_work_type){.phases = phases, .scale = 1};
    check("torus:3x4", NULL, &options);
    mapcore_phases_destroy(phases);
    mapcore_graph_destroy(graph);
}

/* A grid by rank, one that only its squares tell, one that has to be grown, and
 * columns with alltoall; a box that they fit into, a tree, and hosts that are
 * too many. */
static void test_grids(void **state)
{
    static const struct grid_spec specs[] = {
        {.ndims = 2, .dims = {6, 6}, .periodic = true, .bytes = {10}},
        {.ndims = 3,
         .dims = {4, 3, 3},
         .box = true,
         .bytes = {64, 8, 1},
         .permuted = true},
        {.ndims = 2,
         .dims = {6, 6},
         .box = true,
         .bytes = {9, 9},
         .missing = 30,
         .permuted = true},
    };
    static const char *const topologies[] = {"torus:3x4", "tree:3,4",
                                             "torus:13"};
    const struct mapcore_search options = {.work = 1};

    for (size_t t = 0; t < 3; t++) {
        for (size_t i = 0; i < 3; i++)
            check_graph(spec_graph(&specs[i], 1), topologies[t], "grid",
                        &options);
        check_graph(spec_graph(&specs[0], 1), topologies[t], "grid:by=link",
                    &options);
        check_graph(qbox_graph(4, 9, true), topologies[t], "grid", &options);
    }
}

/* Three lines of four routers each, around holes. */
static void test_prism(void **state)
{
    static const struct grid_spec spec = {
        .ndims = 2, .dims = {6, 6}, .bytes = {10}};
    static const uint32_t host[12] = {0, 1, 3, 4, 6, 8, 9, 10, 13, 14, 15, 17};
    static const uint32_t slots[12] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
    const struct mapcore_search options = {.work = 1};

    check_machine(spec_graph(&spec, 1), part_of("torus:6x4", 12, host, slots),
                  "grid", &options);
    check_machine(spec_graph(&spec, 1), part_of("torus:6x4", 12, host, slots),
                  "grid:by=link", &options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bottleneck_alone),
        cmocka_unit_test(test_portfolio),
        cmocka_unit_test(test_one_mapper),
        cmocka_unit_test(test_papers_mappers),
        cmocka_unit_test(test_inside_of_hosts),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_prism),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
