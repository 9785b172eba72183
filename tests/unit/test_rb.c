/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_rb.c - dual recursive bisection on machines and graphs of all kinds */
#include "config.h"

#include "mapfixture.h"

#include "map/mapper.h"

static const char *const mappers[] = {"rb", "multilevel",
                                      "multilevel:partners=3,rounds=2",
                                      "rb:effort=quick", "rb:effort=blocks"};
#define NMAPPERS (sizeof(mappers) / sizeof(*mappers))
/* The first NTHOROUGH find what is best on small regular graphs. */
#define NTHOROUGH 3

/* Runs a mapper as a search would, and checks that everything fits. */
static bool run(uint32_t *host,
                const char *text,
                const struct machine *machine,
                const struct mapcore_graph *graph,
                uint32_t pass,
                const struct map_deadline *deadline)
{
    const struct mapper *mapper = mapper_find(text);
    struct map_problem problem = {.graph = graph, .alloc = machine->alloc};
    struct mapper_setting setting;
    struct mapper_call call = {.value = setting.value, .seed = 1, .pass = pass};
    struct mapper_end end = {0};
    struct mapcore_error err = {""};

    if (deadline)
        problem.deadline = *deadline;
    assert_non_null(mapper);
    assert_ok(mapper_parse(&setting, mapper, text, &err));
    if (mapper_run(host, &end, mapper, &problem, &call, &err) < 0)
        fail_msg("%s", err.text);
    if (!end.timed_out)
        assert_fits(machine->alloc, host, graph->ntasks);
    return !end.timed_out;
}

static double hops(const struct machine *machine,
                   const struct mapcore_graph *graph,
                   const uint32_t *host)
{
    return metrics_of(graph, machine->alloc, host).hops_per_byte;
}

/* Random graphs, in pieces too, on parts of machines with any slots, full or
 * not: everything fits, twice the same. */
static void test_fits(void **state)
{
    static const char *const spec[] = {"torus:4x3x2/2", "mesh:5x4",
                                       "tree:3,2,4", "flat:13"};
    struct rng rng;

    rng_init(&rng, 1, 0, 0);
    for (uint32_t round = 0; round < 200; round++) {
        struct machine whole = machine_of(spec[round % 4], 1), machine;
        uint32_t all = mapcore_alloc_nhosts(whole.alloc), n = 0, ntasks;
        uint32_t picked[64], slots[64], host[512], again[512];
        const char *mapper = mappers[round / 4 % NMAPPERS];
        struct mapcore_graph *graph;

        for (uint32_t h = 0; h < all; h++)
            if (rng_below(&rng, 3) > 0) {
                slots[n] = rng_below(&rng, 7);
                picked[n++] = h;
            }
        slots[n - 1] = 3;
        machine = part_of(spec[round % 4], n, picked, slots);
        ntasks = mapcore_alloc_nslots(machine.alloc);
        if (round % 3 > 0)
            ntasks = 1 + rng_below(&rng, ntasks);
        graph = random_graph(ntasks, rng_below(&rng, 7), round);
        assert_true(run(host, mapper, &machine, graph, round % 5, NULL));
        assert_true(run(again, mapper, &machine, graph, round % 5, NULL));
        assert_memory_equal(host, again, ntasks * sizeof(*host));
        machine_graph_end(&machine, graph);
        machine_end(&whole);
    }
}

/* A ring on a ring of hosts with four slots each: every host has four tasks
 * in a row, and four edges of 64 cross, one link each. */
static void test_ring(void **state)
{
    struct machine machine = machine_of("torus:16", 4);
    struct mapcore_edge edges[64];
    struct mapcore_graph *graph;
    uint32_t host[64];

    for (uint32_t t = 0; t < 64; t++)
        edges[t] = (struct mapcore_edge){t, (t + 1) % 64, 10};
    graph = graph_of(64, edges, 64);
    for (size_t i = 0; i < NTHOROUGH; i++) {
        assert_true(run(host, mappers[i], &machine, graph, 0, NULL));
        assert_true(hops(&machine, graph, host) <= 16.0 / 64 + 1e-9);
    }
    machine_graph_end(&machine, graph);
}

/* Eight groups of eight that talk among themselves only, on eight hosts: no
 * byte crosses a link. */
static void test_pieces(void **state)
{
    struct machine machine = machine_of("torus:4x2", 8);
    struct mapcore_edge edges[64 * 7];
    struct mapcore_graph *graph;
    uint32_t host[64];
    size_t n = 0;

    /* Task t is of group t % 8, so that numbers say nothing. */
    for (uint32_t a = 0; a < 64; a++)
        for (uint32_t b = a + 8; b < 64; b += 8)
            edges[n++] = (struct mapcore_edge){a, b, 5};
    graph = graph_of(64, edges, n);
    for (size_t i = 0; i < NTHOROUGH; i++) {
        assert_true(run(host, mappers[i], &machine, graph, 0, NULL));
        assert_true(hops(&machine, graph, host) < 1e-12);
    }
    machine_graph_end(&machine, graph);
}

/* 64 rows of 64 tasks, as QBox: everybody in a row talks a little, and each
 * task much with the same task of the next row, and along a binomial tree over
 * the rows. Merging pairs only sees the latter; numbers tell the rows. On a
 * tree a row a host, as in block, is good. */
static void test_rows(void **state)
{
    enum { N = 64 };
    struct machine machine = machine_of("tree:8,8", N);
    struct mapcore_edge *edges = calloc(N * N * N, sizeof(*edges));
    struct mapcore_graph *graph;
    uint32_t host[N * N], block[N * N];
    size_t n = 0;

    assert_non_null(edges);
    for (uint32_t t = 0; t < N * N; t++) {
        uint32_t row = t / N;

        block[t] = row;
        for (uint32_t u = t + 1; u % N != 0; u++)
            edges[n++] = (struct mapcore_edge){t, u, 1};
        edges[n++] = (struct mapcore_edge){t, (t + N) % (N * N), 32};
        if (row > 0)
            edges[n++] =
                (struct mapcore_edge){t, (row & (row - 1)) * N + t % N, 8};
    }
    graph = graph_of(N * N, edges, n);
    for (size_t i = 0; i < NTHOROUGH; i++) {
        assert_true(run(host, mappers[i], &machine, graph, 0, NULL));
        assert_true(hops(&machine, graph, host) <=
                    hops(&machine, graph, block) + 1e-9);
    }
    free(edges);
    machine_graph_end(&machine, graph);
}

/* One task, one host, no edges, a star with weights that add up to almost
 * 2^63. */
static void test_odd(void **state)
{
    struct machine one = machine_of("flat:1", 40),
                   torus = machine_of("torus:8", 5);
    struct mapcore_graph *alone = graph_of(1, NULL, 0);
    struct mapcore_graph *none = graph_of(40, NULL, 0), *star;
    struct mapcore_edge edges[39];
    uint32_t host[40];

    for (uint32_t t = 1; t < 40; t++)
        edges[t - 1] = (struct mapcore_edge){0, t, (uint64_t)5 << 55};
    star = graph_of(40, edges, 39);
    for (size_t i = 0; i < NTHOROUGH; i++) {
        const char *mapper = mappers[i];

        assert_true(run(host, mapper, &one, alone, 0, NULL));
        assert_true(run(host, mapper, &torus, alone, 0, NULL));
        assert_true(run(host, mapper, &one, none, 0, NULL));
        assert_true(run(host, mapper, &torus, none, 0, NULL));
        assert_true(run(host, mapper, &one, star, 0, NULL));
        assert_true(run(host, mapper, &torus, star, 0, NULL));
        /* 4 tasks with the hub, 10 one, 10 two, 10 three, 5 four links off. */
        assert_true(hops(&torus, star, host) <= (10 + 20 + 30 + 20) / 39.0);
    }
    mapcore_graph_destroy(alone);
    mapcore_graph_destroy(none);
    machine_graph_end(&one, star);
    machine_end(&torus);
}

/* True from the n-th question on. */
static bool expires(void *arg)
{
    uint32_t *left = arg;

    if (*left == 0)
        return true;
    --*left;
    return false;
}

/* However early time is up, the run ends, and once it is not, with the usual
 * result. */
static void test_clock(void **state)
{
    struct machine machine = machine_of("torus:4x4", 16);
    struct mapcore_graph *graph = random_graph(256, 6, 1);
    uint32_t usual[256], host[256], left, n;
    struct map_deadline deadline = {expires, &left};

    for (size_t i = 0; i < NMAPPERS; i++) {
        assert_true(run(usual, mappers[i], &machine, graph, 0, NULL));
        for (n = 0; n < 100000; n++) {
            left = n;
            if (run(host, mappers[i], &machine, graph, 0, &deadline))
                break;
        }
        assert_true(n > 16 && n < 100000);
        assert_memory_equal(host, usual, sizeof(host));
    }
    machine_graph_end(&machine, graph);
}

/* Cut short, a run still has a place for every task, as many steps repeat it,
 * and more of them are better. */
static void check_cut(const char *name,
                      const char *spec,
                      const struct mapcore_graph *graph)
{
    struct machine machine = machine_of(spec, 16);
    struct map_problem problem = {.graph = graph, .alloc = machine.alloc};
    const struct mapper *mapper = mapper_find(name);
    struct mapper_setting setting = {.path = ""};
    struct mapper_call call = {.value = setting.value, .seed = 1};
    uint32_t host[256], again[256], whole[256], left;
    double first = 0, last;
    uint32_t cuts = 0;

    assert_true(run(whole, name, &machine, graph, 0, NULL));
    problem.deadline = (struct map_deadline){expires, &left};
    for (uint32_t n = 0;; n++) {
        struct mapper_end end = {0}, repeated = {0};

        left = n;
        call.may_cut = true;
        call.steps = 0;
        assert_ok(mapper_run(host, &end, mapper, &problem, &call, NULL));
        if (end.timed_out)
            continue;
        assert_fits(machine.alloc, host, 256);
        if (end.steps == 0)
            break;
        call.may_cut = false;
        call.steps = end.steps;
        left = UINT32_MAX;
        assert_ok(mapper_run(again, &repeated, mapper, &problem, &call, NULL));
        assert_false(repeated.timed_out);
        assert_int_equal(repeated.steps, end.steps);
        assert_memory_equal(again, host, sizeof(host));
        last = hops(&machine, graph, host);
        first = cuts++ == 0 ? last : first;
    }
    assert_memory_equal(host, whole, sizeof(host));
    assert_true(cuts > 12);
    assert_true(hops(&machine, graph, whole) < 0.8 * first);
    assert_true(last < 0.9 * first);
    machine_end(&machine);
}

static void test_cut(void **state)
{
    struct mapcore_graph *irregular = random_graph(256, 2, 1);
    struct mapcore_graph *grid = grid_graph(16, 16);

    check_cut("rb", "torus:4x4", irregular);
    /* No box, so it is halved. */
    check_cut("grid", "dragonfly:4,4,1", grid);
    mapcore_graph_destroy(irregular);
    mapcore_graph_destroy(grid);
}

/* Other passes give other mappings. */
static void test_passes(void **state)
{
    struct machine machine = machine_of("torus:4x4", 4);
    struct mapcore_graph *graph = random_graph(64, 6, 1);
    uint32_t first[64], second[64];

    for (size_t i = 0; i < NMAPPERS; i++) {
        assert_true(run(first, mappers[i], &machine, graph, 0, NULL));
        assert_true(run(second, mappers[i], &machine, graph, 1, NULL));
        assert_memory_not_equal(first, second, sizeof(first));
    }
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),   cmocka_unit_test(test_ring),
        cmocka_unit_test(test_pieces), cmocka_unit_test(test_odd),
        cmocka_unit_test(test_clock),  cmocka_unit_test(test_passes),
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
