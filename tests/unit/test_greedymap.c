/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_greedymap.c - Algorithm 1 by hand, its cost functions, its text */
#include "config.h"

#include "mapfixture.h"

#include "base/array.h"
#include "map/greedy/greedymap.h"
#include "map/mapper.h"
#include "metric/link_loads.h"

/* A run as a test wants it. */
struct trial {
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    const char *mapper;
    const uint32_t *list; /* NULL: 0, 1, ... */
    uint64_t seed;
    struct mapper_end end;
    struct map_deadline deadline;
};

static void run(uint32_t *host, struct trial *trial)
{
    struct map_problem problem = {.graph = trial->graph,
                                  .alloc = trial->alloc,
                                  .deadline = trial->deadline};
    uint32_t n = trial->graph->ntasks, *list = calloc(n, sizeof(*list));
    struct mapper_setting setting;
    struct greedymap_config config;
    struct mapcore_error err;
    struct arena arena = {.err = &err};
    struct rng rng;

    assert_non_null(list);
    for (uint32_t t = 0; t < n; t++)
        list[t] = trial->list ? trial->list[t] : t;
    rng_init(&rng, trial->seed, 0, 0);
    if (mapper_parse(&setting, &mapper_greedymap, trial->mapper, &err) < 0)
        fail_msg("%s", err.text);
    greedymap_take(&config, setting.value);
    config.list = list;
    assert_ok(
        greedymap_place(host, &trial->end, &problem, &config, &rng, &arena));
    if (!trial->end.timed_out)
        assert_fits(trial->alloc, host, n);
    arena_clear(&arena);
    free(list);
}

static void assert_hosts(const uint32_t *host,
                         const uint32_t *expected,
                         uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(host[i], expected[i]);
}

/* delta=1 by hand. A ring of 5 hosts, one slot each; n_l is host 0 at first.
 * Task 3 goes to the closest free host to host 0: itself. Task 1: hosts 1 and
 * 4 are one link from host 0: the first, 1. Task 4: closest to 1 is 2 (0 is
 * full). Then 3, then 4. No two hosts are ever compared, so the graph does
 * not matter and nothing is drawn. */
static void test_delta_one(void **state)
{
    const uint32_t list[] = {3, 1, 4, 0, 2};
    struct machine machine = machine_of("torus:5", 1);
    struct mapcore_graph *graph = random_graph(5, 4, 1);
    uint32_t host[5];

    for (int pack = 0; pack < 2; pack++) {
        struct trial trial = {.graph = graph,
                              .alloc = machine.alloc,
                              .mapper = pack ? "greedymap:delta=1,pack=1"
                                             : "greedymap:delta=1,pack=0",
                              .list = list};

        run(host, &trial);
        assert_hosts(host, (const uint32_t[]){3, 1, 4, 0, 2}, 5);
        assert_false(trial.end.is_random);
    }
    machine_graph_end(&machine, graph);
}

/* Two slots a host on a line of 4. With delta=1 and without pack the closest
 * free host to n_l is n_l itself until it is full, so both ways of packing
 * agree. */
static void test_delta_one_two_slots(void **state)
{
    struct machine machine = machine_of("mesh:4", 2);
    struct mapcore_graph *graph = random_graph(8, 4, 1);
    uint32_t host[8];

    for (int pack = 0; pack < 2; pack++) {
        struct trial trial = {.graph = graph,
                              .alloc = machine.alloc,
                              .mapper = pack ? "greedymap:delta=1,pack=1"
                                             : "greedymap:delta=1,pack=0"};

        run(host, &trial);
        assert_hosts(host, (const uint32_t[]){0, 0, 1, 1, 2, 2, 3, 3}, 8);
    }
    machine_graph_end(&machine, graph);
}

/* By hand on a line of 5 hosts, one slot each, delta=2:
 * t0 -> 0 (pack: n_l has a free processor). t1, 1 byte to t0: hosts 1 and 2
 * cost 1 and 2 -> 1. t2, 5 bytes to t0: closest to host 1 are 2 and 3, cost 10
 * and 15 -> 2. t3, 2 bytes to t1: hosts 3, 4 cost 4, 6 -> 3. t4 -> 4. */
static void test_delta_two(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 1}, {0, 2, 5}, {1, 3, 2}};
    struct machine machine = machine_of("mesh:5", 1);
    struct mapcore_graph *graph = graph_of(5, edges, 3);
    struct trial trial = {
        .graph = graph, .alloc = machine.alloc, .mapper = "greedymap:delta=2"};
    uint32_t host[5];

    run(host, &trial);
    assert_hosts(host, (const uint32_t[]){0, 1, 2, 3, 4}, 5);
    assert_false(trial.end.is_random);
    machine_graph_end(&machine, graph);
}

/* delta=all by hand on a ring of 6: t0 -> 0; t1 (3 bytes to t0): hosts 1 and 5
 * cost 3, so it draws; t2 (1 to t0, 4 to t1) goes between or beyond: if t1 is
 * on 1, host 2 costs 2 + 4 = 6 and host 5 costs 1 + 8 = 9 -> 2; mirrored, if
 * t1 is on 5, -> 4. */
static void test_ties(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 3}, {0, 2, 1}, {1, 2, 4}};
    struct machine machine = machine_of("torus:6", 1);
    struct mapcore_graph *graph = graph_of(3, edges, 3);
    uint32_t host[3], right = 0;

    for (uint64_t seed = 0; seed < 200; seed++) {
        struct trial trial = {.graph = graph,
                              .alloc = machine.alloc,
                              .mapper = "greedymap",
                              .seed = seed};

        run(host, &trial);
        assert_true(trial.end.is_random);
        assert_int_equal(host[0], 0);
        assert_true(host[1] == 1 || host[1] == 5);
        assert_int_equal(host[2], host[1] == 1 ? 2 : 4);
        right += host[1] == 1;
    }
    assert_in_range(right, 60, 140);
    machine_graph_end(&machine, graph);
}

/* Line 10 draws a processor, not a host: with 3 and 1 free, 3 to 1. */
static void test_draw_is_of_processors(void **state)
{
    const uint32_t slots[] = {0, 3, 1};
    struct machine machine = part_of("flat:3", 3, NULL, slots);
    struct mapcore_graph *graph = graph_of(1, NULL, 0);
    uint32_t host[1], first = 0;

    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct trial trial = {.graph = graph,
                              .alloc = machine.alloc,
                              .mapper = "greedymap:pack=0",
                              .seed = seed};

        run(host, &trial);
        assert_int_not_equal(host[0], 0);
        first += host[0] == 1;
    }
    assert_in_range(first, 680, 820);
    machine_graph_end(&machine, graph);
}

/* Torus_Wrap: from router 4 of a ring of 5, router 0 is one link away, but
 * four when dimensions are not wrapped; then router 3 is closer. Hosts of the
 * allocation: 4, 0, 3. */
static void test_wrap(void **state)
{
    const uint32_t part[] = {4, 0, 3}, slots[] = {1, 1, 1};
    struct machine machine = part_of("torus:5", 3, part, slots);
    struct mapcore_graph *graph = graph_of(3, NULL, 0);
    struct trial trial = {.graph = graph,
                          .alloc = machine.alloc,
                          .mapper = "greedymap:delta=1,wrap=1"};
    uint32_t host[3];

    run(host, &trial);
    assert_hosts(host, (const uint32_t[]){0, 1, 2}, 3);
    trial.mapper = "greedymap:delta=1,wrap=0";
    run(host, &trial);
    assert_hosts(host, (const uint32_t[]){0, 2, 1}, 3);
    machine_graph_end(&machine, graph);
}

/* The closest hosts by count, against sorting them all: with delta=k and a
 * graph without edges the draws may only fall on the k closest. */
static void test_closest(void **state)
{
    struct machine machine = machine_of("torus:5x4", 1);
    struct mapcore_graph *graph = graph_of(2, NULL, 0);

    for (uint32_t delta = 1; delta <= 20; delta++) {
        bool seen[20] = {false};
        char mapper[64];
        uint32_t host[2], nseen = 0;

        snprintf(mapper, sizeof(mapper), "greedymap:delta=%u", delta);
        for (uint64_t seed = 0; seed < 400; seed++) {
            struct trial trial = {.graph = graph,
                                  .alloc = machine.alloc,
                                  .mapper = mapper,
                                  .seed = seed};

            run(host, &trial);
            assert_int_equal(host[0], 0);
            nseen += !seen[host[1]];
            seen[host[1]] = true;
        }
        assert_int_equal(nseen, delta < 19 ? delta : 19);
        for (uint32_t a = 1; a < 20; a++)
            for (uint32_t b = 1; b < 20; b++) {
                uint32_t da = mapcore_alloc_distance(machine.alloc, 0, a);
                uint32_t db = mapcore_alloc_distance(machine.alloc, 0, b);

                if (seen[b] && (da < db || (da == db && a < b)))
                    assert_true(seen[a]);
            }
    }
    machine_graph_end(&machine, graph);
}

/* The edges among the first n placed tasks and one more. */
static struct mapcore_graph *placed_part(const struct mapcore_graph *graph,
                                         uint32_t n)
{
    struct mapcore_edge *edges =
        calloc(graph->row[graph->ntasks] + 1, sizeof(*edges));
    struct mapcore_graph *part;
    size_t count = 0;

    assert_non_null(edges);
    for (uint32_t t = 0; t < n; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            if (graph->task[k] < t)
                edges[count++] =
                    (struct mapcore_edge){t, graph->task[k], graph->bytes[k]};
    part = graph_of(graph->ntasks, edges, count);
    free(edges);
    return part;
}

/* Every cost function against the metrics of the partial solution. */
static void check_costs(const char *spec)
{
    struct machine machine = machine_of(spec, 3);
    uint32_t n = mapcore_alloc_nhosts(machine.alloc), *candidate, *host, *full;
    struct mapcore_graph *graph = random_graph(24, 5, 11);
    struct map_problem problem = {.graph = graph, .alloc = machine.alloc};
    uint64_t *price = calloc(n, sizeof(*price));
    double added = 0;

    candidate = calloc(n, sizeof(*candidate));
    host = calloc(24, sizeof(*host));
    full = calloc(24, sizeof(*full));
    assert_true(price && candidate && host && full);
    for (uint32_t i = 0; i < n; i++)
        candidate[i] = i;
    for (int kind = COST_HOP; kind <= COST_LINK; kind++) {
        struct arena arena = {0};
        struct cost *cost =
            cost_create(&problem, (enum cost_kind)kind, host, &arena);

        added = 0;
        assert_non_null(cost);
        for (uint32_t t = 0; t < 24; t++) {
            struct mapcore_graph *part = placed_part(graph, t + 1);
            struct mapcore_metrics metrics;
            uint64_t least = UINT64_MAX;

            cost_evaluate(price, cost, t, candidate, n);
            for (uint32_t i = 0; i < n; i++)
                if (price[i] < least)
                    least = price[i];
            for (uint32_t i = 0; i < n; i++) {
                double true_cost = 0;

                for (uint32_t u = 0; u < 24; u++)
                    full[u] = u < t ? host[u] : i;
                metrics = metrics_of(part, machine.alloc, full);
                if (kind == COST_HOP)
                    true_cost = metrics.avg_hop_bytes * 24 / 2 - added;
                else if (kind == COST_MAX)
                    true_cost = metrics.max_hop_bytes;
                else
                    true_cost = metrics.max_link_bytes * LINK_LOADS_UNITS /
                                mapcore_topo_link_directions(machine.topo);
                if (price[i] == UINT64_MAX)
                    assert_true(true_cost > (double)least);
                else
                    assert_true(true_cost > (double)price[i] - 0.01 &&
                                true_cost < (double)price[i] + 0.01);
            }
            added += kind == COST_HOP ? (double)price[t * 7 % n] : 0;
            cost_place(cost, t, t * 7 % n);
            mapcore_graph_destroy(part);
        }
        arena_clear(&arena);
    }
    free(price);
    free(candidate);
    free(host);
    free(full);
    machine_graph_end(&machine, graph);
}

static void test_costs(void **state)
{
    check_costs("torus:4x3");
    check_costs("torus:3x2x2/2");
    check_costs("mesh:4x3");
    check_costs("tree:3,4");
    check_costs("flat:9");
}

/* Bytes near 2^63 with long routes neither wrap nor hang. */
static void test_huge_bytes(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, (uint64_t)1 << 61},
                                         {1, 2, (uint64_t)1 << 61},
                                         {2, 3, (uint64_t)1 << 61}};
    struct machine machine = machine_of("mesh:100", 1);
    struct mapcore_graph *graph = graph_of(4, edges, 3);
    uint32_t host[4];

    for (int kind = 0; kind < 3; kind++) {
        struct trial trial = {.graph = graph,
                              .alloc = machine.alloc,
                              .mapper = kind == 0   ? "greedymap:cost=hop"
                                        : kind == 1 ? "greedymap:cost=max"
                                                    : "greedymap:cost=link"};

        run(host, &trial);
        if (kind == 0)
            assert_hosts(host, (const uint32_t[]){0, 1, 2, 3}, 4);
    }
    machine_graph_end(&machine, graph);
}

static bool at_once(void *arg)
{
    (void)arg;
    return true;
}

static void test_expired(void **state)
{
    struct machine machine = machine_of("torus:16x16", 4);
    struct mapcore_graph *graph = grid_graph(32, 32);
    struct trial trial = {.graph = graph,
                          .alloc = machine.alloc,
                          .mapper = "greedymap:pack=0,cost=max",
                          .deadline = {at_once, NULL}};
    uint32_t *host = calloc(1024, sizeof(*host));

    run(host, &trial);
    assert_true(trial.end.timed_out);
    free(host);
    machine_graph_end(&machine, graph);
}

static void test_parse(void **state)
{
    static const char *const good[][2] = {
        {"greedymap", "greedymap:order=OO,delta=all,pack=1,cost=hop,wrap=1"},
        {"greedymap:", "greedymap:order=OO,delta=all,pack=1,cost=hop,wrap=1"},
        {"greedymap:wrap=0,order=BFS-DFS,cost=link,delta=17,pack=0",
         "greedymap:order=BFS-DFS,delta=17,pack=0,cost=link,wrap=0"},
        {"greedymap:order=GPART,delta=sqrt,cost=max",
         "greedymap:order=GPART,delta=sqrt,pack=1,cost=max,wrap=1"},
        {"greedymap:order=my/list.txt",
         "greedymap:order=my/list.txt,delta=all,pack=1,cost=hop,wrap=1"},
    };
    static const char *const bad[] = {
        "greedymap:order=",    "greedymap:delta=0",
        "greedymap:delta=-3",  "greedymap:delta=99999999999",
        "greedymap:pack=yes",  "greedymap:wrap=",
        "greedymap:cost=time", "greedymap:speed=9",
        "greedymap:fast",      "greedymap:pack=1,",
    };
    struct mapper_setting setting;
    struct mapcore_error err;
    char text[128];

    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        assert_ok(mapper_parse(&setting, &mapper_greedymap, good[i][0], &err));
        mapper_print(&mapper_greedymap, &setting, text, sizeof(text));
        assert_string_equal(text, good[i][1]);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(
            mapper_parse(&setting, &mapper_greedymap, bad[i], &err),
            MAPCORE_EINVAL);
        if (!strstr(err.text,
                    "order=OO|BFS|BFS-DFS|GPART|GRID|FILE,delta=all|sqrt|"
                    "N,pack=1|0,cost=hop|max|link,wrap=1|0"))
            fail_msg("%s: %s", bad[i], err.text);
    }
    assert_null(mapper_find("greedymap,pack=1"));
    assert_null(mapper_find("greedy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delta_one),
        cmocka_unit_test(test_delta_one_two_slots),
        cmocka_unit_test(test_delta_two),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_draw_is_of_processors),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_closest),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_huge_bytes),
        cmocka_unit_test(test_expired),
        cmocka_unit_test(test_parse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
