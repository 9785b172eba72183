/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_portfolio.c - the search: the same answer on any number of threads,
 * however it was cut short, and never worse than the baseline */
#include "config.h"

#include "mapfixture.h"

#include "base/array.h"
#include "map/portfolio/candidates.h"

#include <unistd.h>

/* Slots are in range and taken once. */
static void assert_injective(const struct mapcore_mapping *mapping,
                             const struct mapcore_alloc *alloc)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint32_t *first = calloc(nhosts + 1, sizeof(*first));
    bool *taken = calloc(mapcore_alloc_nslots(alloc) + 1, sizeof(*taken));

    assert_true(first && taken);
    assert_fits(alloc, mapping->host, mapping->ntasks);
    for (uint32_t i = 0; i < nhosts; i++)
        first[i + 1] = first[i] + mapcore_alloc_slots(alloc, i);
    for (uint32_t t = 0; t < mapping->ntasks; t++) {
        uint32_t host = mapping->host[t], slot = mapping->slot[t];

        assert_true(slot < mapcore_alloc_slots(alloc, host));
        assert_false(taken[first[host] + slot]);
        taken[first[host] + slot] = true;
    }
    free(first);
    free(taken);
}

static void assert_same(const struct mapcore_result *a,
                        const struct mapcore_result *b)
{
    size_t size = a->mapping->ntasks * sizeof(uint32_t);

    assert_int_equal(a->mapping->ntasks, b->mapping->ntasks);
    assert_memory_equal(a->mapping->host, b->mapping->host, size);
    assert_memory_equal(a->mapping->slot, b->mapping->slot, size);
    assert_string_equal(a->candidate, b->candidate);
    assert_int_equal(a->work, b->work);
    assert_int_equal(a->is_baseline, b->is_baseline);
    assert_true(a->metrics.avg_hop_bytes <= b->metrics.avg_hop_bytes &&
                a->metrics.avg_hop_bytes >= b->metrics.avg_hop_bytes);
}

static const char *const machines[] = {"torus:3x2x2", "torus:3x2/2", "mesh:4x3",
                                       "tree:3,4", "flat:12"};
#define NMACHINES (sizeof(machines) / sizeof(*machines))

static const uint32_t uneven[] = {0, 3, 1, 5, 2, 0, 4, 1, 1, 6, 2, 2}; /* 27 */

/* Every configuration, more slots than tasks and exactly as many, hosts with
 * none among them. */
static void test_all_configurations(void **state)
{
    for (size_t m = 0; m < NMACHINES; m++)
        for (uint32_t ntasks = 25; ntasks <= 27; ntasks += 2) {
            struct machine machine = part_of(machines[m], 12, NULL, uneven);
            struct mapcore_graph *graph = random_graph(ntasks, 4, m);
            struct arena arena = {0};
            struct candidate *list;
            char name[96];
            size_t n;

            assert_ok(candidates_list(&list, &n, machine.alloc, false, false,
                                      &arena));
            for (size_t i = 0; i < n; i++) {
                const struct mapcore_search options = {0};
                struct mapcore_result result;

                candidate_print(&list[i], name, sizeof(name));
                result = search_by(&machine, graph, name, &options);
                assert_injective(result.mapping, machine.alloc);
                assert_string_equal(result.candidate, name);
                assert_int_equal(result.work, 1);
                assert_false(result.interrupted);
                mapcore_result_clear(&result);
            }
            arena_clear(&arena);
            machine_graph_end(&machine, graph);
        }
}

/* From one bound of work to the next smaller one. All are tried by check
 * --extended; else the smallest, where each unit is of another kind, and of the
 * others a few, with all three choices: 5 and 37 are no multiples of 3. Every
 * one takes half an hour under TSan, which sees in a few what it sees in all.
 */
static uint64_t work_step(uint64_t work)
{
    const char *extended = getenv("TOPOMAP_CHECK_EXTENDED");

#ifdef __SANITIZE_THREAD__
    return 37;
#endif
    return work <= 24 || (extended && *extended) ? 1 : 5;
}

/* One thread and four agree under any bound, and the work reported is the work
 * allowed. */
static void test_work_and_threads(void **state)
{
    struct machine machine = part_of("torus:3x2x2", 12, NULL, uneven);
    struct mapcore_graph *graph = random_graph(27, 3, 7);
    struct mapcore_search options = {.choose = MAPCORE_CHOOSE_PARETO};
    struct mapcore_result whole = search_on(&machine, graph, &options);

    assert_false(whole.interrupted);
    assert_true(whole.work > 75);
    for (uint64_t work = whole.work; work > 0;
         work -= work < work_step(work) ? work : work_step(work)) {
        struct mapcore_result one, four;

        options.work = work;
        options.choose = (enum mapcore_choice)(work % 3);
        if (work == whole.work)
            options.choose = MAPCORE_CHOOSE_PARETO;
        options.threads = 1;
        one = search_on(&machine, graph, &options);
        options.threads = 4;
        four = search_on(&machine, graph, &options);
        assert_same(&one, &four);
        assert_injective(one.mapping, machine.alloc);
        if (work == whole.work)
            assert_same(&one, &whole);
        mapcore_result_clear(&one);
        mapcore_result_clear(&four);
    }
    mapcore_result_clear(&whole);
    machine_graph_end(&machine, graph);
}

/* A dense graph with a task on every host of a mesh: under any bound the same
 * on one thread and four, and more work is no worse; without one it ends. */
static void test_single(void **state)
{
    const uint64_t works[] = {0, 30, 61, 130, 200};
    struct machine machine = machine_of("mesh:10x7", 1);
    struct mapcore_graph *graph = random_graph(70, 30, 3);
    double least = INFINITY;

    for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++) {
        struct mapcore_search options = {.work = works[i], .ends_early = true};
        struct mapcore_result one = search_on(&machine, graph, &options), four;

        options.threads = 4;
        four = search_on(&machine, graph, &options);
        assert_same(&one, &four);
        assert_injective(one.mapping, machine.alloc);
        assert_int_equal(one.interrupted, works[i] > 0);
        if (works[i] > 0) {
            assert_true(one.metrics.avg_hop_bytes <= least);
            least = one.metrics.avg_hop_bytes;
        }
        mapcore_result_clear(&one);
        mapcore_result_clear(&four);
    }
    machine_graph_end(&machine, graph);
}

/* Very many tasks: the best starts run one by one, on all threads. */
static void test_large(void **state)
{
    struct machine machine = machine_of("torus:4x4x2", 2048);
    struct mapcore_graph *graph = random_graph(65536, 2, 5);
    struct mapcore_search options = {.work = CANDIDATE_LAYOUTS + 3};
    struct mapcore_result one, four;

    one = search_on(&machine, graph, &options);
    options.threads = 4;
    four = search_on(&machine, graph, &options);
    assert_string_equal(one.candidate, "rb:effort=quick");
    assert_same(&one, &four);
    mapcore_result_clear(&one);
    mapcore_result_clear(&four);
    machine_graph_end(&machine, graph);
}

/* A grid of 8 x 16 x 16 tasks, of which some have lost their place in the
 * numbering, with one more edge for every tenth of them. */
static struct mapcore_graph *noisy_grid(uint64_t seed)
{
    enum { N = 8 * 16 * 16 };
    static const uint32_t dims[] = {8, 16, 16};
    static struct mapcore_edge edges[4 * N];
    static uint32_t name[N];
    struct mapcore_graph *graph;
    struct rng rng;
    size_t n = 0;

    rng_init(&rng, seed, 1, 0);
    for (uint32_t t = 0; t < N; t++)
        name[t] = t;
    for (uint32_t t = 0; t < N; t += 100) {
        uint32_t u = rng_below(&rng, N), old = name[t];

        name[t] = name[u];
        name[u] = old;
    }
    for (uint32_t t = 0; t < N; t++) {
        for (uint32_t i = 0, stride = 1; i < 3; stride *= dims[i++])
            if (t / stride % dims[i] + 1 < dims[i])
                edges[n++] =
                    (struct mapcore_edge){name[t], name[t + stride], 1000};
        if (t % 10 == 0)
            edges[n++] = (struct mapcore_edge){t, rng_below(&rng, N), 1000};
    }
    assert_ok(mapcore_graph_create(&graph, N, edges, n, NULL));
    return graph;
}

/* A grid that is not all there is to a graph is refined, not only laid out. */
static void test_noisy_grid(void **state)
{
    struct machine machine = machine_of("torus:8x4x4", 16);
    struct mapcore_graph *graph = noisy_grid(3);
    struct mapcore_search options = {
        .work = 20, .schedule = {.starts = CANDIDATE_LAYOUTS + 1, .tasks = 10}};
    struct mapcore_result refined, again, laid_out;

    refined = search_on(&machine, graph, &options);
    assert_int_equal(strncmp(refined.candidate, "grid:", 5), 0);
    options.threads = 2;
    again = search_on(&machine, graph, &options);
    assert_same(&refined, &again);
    options.schedule.tasks = 0;
    laid_out = search_on(&machine, graph, &options);
    assert_true(refined.metrics.avg_hop_bytes <
                0.98 * laid_out.metrics.avg_hop_bytes);
    mapcore_result_clear(&refined);
    mapcore_result_clear(&again);
    mapcore_result_clear(&laid_out);
    machine_graph_end(&machine, graph);
}

/* ParMapper is a list: GreedyMap's configurations and nothing else, more than
 * one of them, chosen by Pareto; its first unit always counts. */
static void test_parmapper(void **state)
{
    struct machine machine = part_of("torus:3x2x2", 12, NULL, uneven);
    struct mapcore_graph *graph = random_graph(27, 5, 3);
    struct mapcore_search options = {.expired = always,
                                     .choose = MAPCORE_CHOOSE_HOP_BYTES};
    struct mapcore_result first =
                              search_by(&machine, graph, "parmapper", &options),
                          whole, pareto, few, more, again;

    assert_true(first.work == 1 && first.interrupted);
    options.expired = NULL;
    whole = search_by(&machine, graph, "parmapper", &options);
    assert_true(whole.work >= 72 && !whole.interrupted);
    assert_int_equal(strncmp(whole.candidate, "greedymap:", 10), 0);
    assert_true(whole.metrics.avg_hop_bytes <=
                1.05 * first.metrics.avg_hop_bytes);
    options.choose = MAPCORE_CHOOSE_PARETO;
    pareto = search_by(&machine, graph, "parmapper", &options);
    assert_same(&whole, &pareto);
    /* Under a bound it goes on with new seeds, good or bad; and more
     * of them, the same ones first, are no worse but for Pareto's alpha. */
    options.work = 500;
    few = search_by(&machine, graph, "parmapper", &options);
    options.work = 5000;
    more = search_by(&machine, graph, "parmapper", &options);
    assert_true(more.work == 5000 && more.interrupted);
    assert_true(more.metrics.avg_hop_bytes <= 1.05 * few.metrics.avg_hop_bytes);
    options.threads = 2;
    again = search_by(&machine, graph, "parmapper", &options);
    assert_same(&more, &again);
    mapcore_result_clear(&few);
    mapcore_result_clear(&more);
    mapcore_result_clear(&again);
    mapcore_result_clear(&first);
    mapcore_result_clear(&whole);
    mapcore_result_clear(&pareto);
    machine_graph_end(&machine, graph);
}

/* Candidates that are far behind leave the others their time, which gains 5% of
 * the hop-bytes of eight graphs. */
static void test_parmapper_fair(void **state)
{
    struct machine machine = part_of("torus:3x2x2", 12, NULL, uneven);
    const struct mapcore_search options = {.work = 1000};
    double sum = 0;

    for (uint64_t seed = 10; seed < 18; seed++) {
        struct mapcore_graph *graph = random_graph(27, 5, seed);
        struct mapcore_result result =
            search_by(&machine, graph, "parmapper", &options);

        sum += result.metrics.avg_hop_bytes;
        mapcore_result_clear(&result);
        mapcore_graph_destroy(graph);
    }
    assert_true(sum < 14400);
    machine_end(&machine);
}

/* A periodic grid of four dimensions, the first the fastest. */
static struct mapcore_graph *grid_4d(const uint32_t *dims)
{
    uint32_t n = dims[0] * dims[1] * dims[2] * dims[3], nedges = 0;
    struct mapcore_edge *edges = calloc((size_t)n * 4, sizeof(*edges));
    struct mapcore_graph *graph;

    assert_non_null(edges);
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t d = 0, stride = 1; d < 4; stride *= dims[d++]) {
            uint32_t x = t / stride % dims[d];
            uint32_t next = t - x * stride + (x + 1) % dims[d] * stride;

            edges[nedges++] = (struct mapcore_edge){t, next, 1000};
        }
    graph = graph_of(n, edges, nedges);
    free(edges);
    return graph;
}

/* ParMapper comes early to what is good on a grid, however its ranks are
 * numbered: below the ranks in order, which random draws alone left it behind.
 */
static void test_parmapper_grid(void **state)
{
    const uint32_t dims[2][4] = {{4, 4, 8, 8}, {8, 8, 4, 4}};
    struct machine machine = machine_of("torus:8x2x8", 8);
    const struct mapcore_search options = {.work = 300};

    for (int i = 0; i < 2; i++) {
        struct mapcore_graph *graph = grid_4d(dims[i]);
        struct mapcore_result result =
            search_by(&machine, graph, "parmapper", &options);

        assert_true(result.metrics.avg_hop_bytes <
                    0.8 * result.baseline.avg_hop_bytes);
        mapcore_result_clear(&result);
        mapcore_graph_destroy(graph);
    }
    machine_end(&machine);
}

/* Time that is up after any number of questions gives a beginning of the
 * list, which the reported work repeats on one thread. */
static void check_time(const char *mapper, enum mapcore_choice choose)
{
    struct machine machine = machine_of("tree:3,4", 3);
    struct mapcore_graph *graph = grid_graph(6, 6);

    for (int patience = 0; patience < 70; patience++) {
        atomic_long left = patience;
        struct mapcore_search options = {.choose = choose,
                                         .threads = 1 + (unsigned)patience % 4,
                                         .expired = count_down,
                                         .expired_arg = &left};
        struct mapcore_result timed, worked;

        timed = search_by(&machine, graph, mapper, &options);
        options.expired = NULL;
        options.threads = 1;
        options.work = timed.work;
        worked = search_by(&machine, graph, mapper, &options);
        assert_same(&timed, &worked);
        assert_true(timed.work >= (mapper ? 1 : CANDIDATE_LAYOUTS));
        assert_true(timed.interrupted);
        mapcore_result_clear(&timed);
        mapcore_result_clear(&worked);
    }
    machine_graph_end(&machine, graph);
}

static void test_time(void **state)
{
    check_time(NULL, MAPCORE_CHOOSE_PARETO);
    check_time(NULL, MAPCORE_CHOOSE_HOP_BYTES);
    check_time("greedymap:order=GPART", MAPCORE_CHOOSE_LINK);
}

/* Time that is up inside a run throws that run away, but for the first good
 * mapping, which is cut short then; work and schedule repeat that, too. */
static void test_time_inside(void **state)
{
    struct machine machine = machine_of("torus:16x16", 4);
    struct mapcore_graph *graph = random_graph(1024, 4, 9);
    int cut = 0, whole = 0;

    for (int patience = 40; patience < 2400; patience += 190) {
        atomic_long left = patience;
        struct mapcore_search options = {
            .threads = 3, .expired = count_down, .expired_arg = &left};
        struct mapcore_result timed = search_on(&machine, graph, &options);
        struct mapcore_result worked;

        assert_true(timed.interrupted);
        options.expired = NULL;
        options.work = timed.work;
        options.schedule = timed.schedule;
        worked = search_on(&machine, graph, &options);
        assert_same(&timed, &worked);
        assert_int_equal(worked.schedule.cut, timed.schedule.cut);
        cut += timed.schedule.cut > 0;
        whole += timed.schedule.cut == 0;
        mapcore_result_clear(&timed);
        mapcore_result_clear(&worked);
    }
    assert_true(cut > 0 && whole > 0);
    machine_graph_end(&machine, graph);
}

/* With any baseline, nothing worse is chosen by the measure asked for. */
static void test_never_worse(void **state)
{
    struct rng rng;

    rng_init(&rng, 9, 0, 0);
    for (int trial = 0; trial < 30; trial++) {
        struct machine machine =
            machine_of(machines[trial % (int)NMACHINES], 2);
        uint32_t baseline[24];
        struct mapcore_graph *graph = random_graph(24, 3, (uint64_t)trial);
        struct mapcore_search options = {.choose =
                                             (enum mapcore_choice)(trial % 3),
                                         .alpha = 3,
                                         .work = 1 + rng_below(&rng, 60),
                                         .baseline = baseline};
        struct mapcore_result result;

        for (uint32_t t = 0; t < 24; t++)
            baseline[t] = t / 2;
        shuffle(baseline, 24, &rng);
        result = search_on(&machine, graph, &options);
        if (options.choose == MAPCORE_CHOOSE_LINK)
            assert_true(result.metrics.max_link_time <=
                        result.baseline.max_link_time);
        else
            assert_true(result.metrics.avg_hop_bytes <=
                        result.baseline.avg_hop_bytes);
        assert_int_equal(
            result.is_baseline,
            memcmp(baseline, result.mapping->host, sizeof(baseline)) == 0);
        mapcore_result_clear(&result);
        machine_graph_end(&machine, graph);
    }
}

/* An explicit mapper is what the result is of, even where it is worse. */
static void test_one_mapper(void **state)
{
    struct machine machine = machine_of("torus:8", 1);
    uint32_t baseline[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct mapcore_graph *graph = grid_graph(8, 1);
    struct mapcore_search options = {.choose = MAPCORE_CHOOSE_PARETO,
                                     .baseline = baseline};
    struct mapcore_result result, again;
    char path[] = "list-XXXXXX", mapper[64];
    static const char order[] = "7\n0\n6\n1\n5\n2\n4\n3\n";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, order, sizeof(order) - 1), sizeof(order) - 1);
    close(fd);
    snprintf(mapper, sizeof(mapper), "greedymap:delta=1,order=%s", path);
    options.work = 50;
    result = search_by(&machine, graph, mapper, &options);
    assert_true(result.metrics.avg_hop_bytes > result.baseline.avg_hop_bytes);
    assert_false(result.is_baseline);
    /* It is not random: other seeds are not tried. */
    assert_int_equal(result.work, 1);
    assert_false(result.interrupted);
    mapcore_result_clear(&result);
    unlink(path);

    result = search_by(&machine, graph, "default", &options);
    assert_string_equal(result.candidate, "default");
    assert_true(result.is_baseline);
    mapcore_result_clear(&result);

    /* More seeds: as good or better, and the work is what was allowed. */
    options.choose = MAPCORE_CHOOSE_HOP_BYTES;
    options.work = 1;
    result = search_by(&machine, graph, "greedymap:order=BFS,pack=0", &options);
    options.work = 200;
    options.threads = 4;
    again = search_by(&machine, graph, "greedymap:order=BFS,pack=0", &options);
    assert_int_equal(again.work, 200);
    assert_true(again.interrupted);
    assert_true(again.metrics.avg_hop_bytes <= result.metrics.avg_hop_bytes);
    mapcore_result_clear(&result);
    mapcore_result_clear(&again);
    machine_graph_end(&machine, graph);
}

/* The winner of the first pass is found again under its own name. */
static void test_name_repeats(void **state)
{
    struct machine machine = machine_of("torus:4x4", 2);
    struct mapcore_graph *graph = random_graph(32, 4, 1);
    struct mapcore_search options = {.work = 40};
    struct mapcore_result whole = search_on(&machine, graph, &options), one;

    options.work = 1;
    assert_false(whole.is_refined);
    one = search_by(&machine, graph, whole.candidate, &options);
    assert_memory_equal(one.mapping->host, whole.mapping->host,
                        32 * sizeof(uint32_t));
    mapcore_result_clear(&whole);
    mapcore_result_clear(&one);
    machine_graph_end(&machine, graph);
}

static void test_seeds(void **state)
{
    struct machine machine = machine_of("torus:4x4", 2);
    struct mapcore_graph *graph = random_graph(32, 4, 1);
    struct mapcore_search options = {0};
    struct mapcore_result zero = search_by(&machine, graph,
                                           "greedymap:order=GPART", &options),
                          one, two;

    options.seed = 1;
    one = search_by(&machine, graph, "greedymap:order=GPART", &options);
    options.seed = 2;
    two = search_by(&machine, graph, "greedymap:order=GPART", &options);
    assert_same(&zero, &one);
    assert_memory_not_equal(one.mapping->host, two.mapping->host,
                            32 * sizeof(uint32_t));
    mapcore_result_clear(&zero);
    mapcore_result_clear(&one);
    mapcore_result_clear(&two);
    machine_graph_end(&machine, graph);
}

/* Nothing to gain: no traffic, one host, one task. The baseline stays, after
 * the layouts alone. */
static void test_nothing_to_do(void **state)
{
    static const struct {
        const char *spec;
        uint32_t slots, ntasks;
    } cases[] = {{"flat:1", 30, 30}, {"torus:4x4", 2, 1}, {"tree:2,2", 9, 36}};

    for (size_t i = 0; i < 3; i++) {
        struct machine machine = machine_of(cases[i].spec, cases[i].slots);
        struct mapcore_graph *graph = i == 0
                                          ? random_graph(30, 4, 1)
                                          : graph_of(cases[i].ntasks, NULL, 0);
        struct mapcore_search options = {.choose = MAPCORE_CHOOSE_PARETO,
                                         .threads = 2};
        struct mapcore_result result = search_on(&machine, graph, &options);

        assert_true(result.is_baseline);
        assert_string_equal(result.candidate, "default");
        assert_int_equal(result.work, CANDIDATE_LAYOUTS);
        assert_false(result.interrupted);
        assert_injective(result.mapping, machine.alloc);
        mapcore_result_clear(&result);
        machine_graph_end(&machine, graph);
    }
}

/* At the least hop-bytes that there can be a search is through, in any time;
 * and where mappers agree it ends early if it may, with the same result. */
static void test_through(void **state)
{
    static const struct {
        const char *spec;
        enum mapcore_choice choose;
        bool ends_early, ends;
    } cases[] = {
        {"torus:4x4", MAPCORE_CHOOSE_HOP_BYTES, false, true},
        {"tree:4,4", MAPCORE_CHOOSE_HOP_BYTES, false, false},
        {"tree:4,4", MAPCORE_CHOOSE_HOP_BYTES, true, true},
        {"tree:4,4", MAPCORE_CHOOSE_TIME, true, true},
        {"dragonfly:4,2,2", MAPCORE_CHOOSE_TIME, true, false},
    };
    const uint32_t one_round = 4;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct machine machine = machine_of(cases[i].spec, 1);
        struct mapcore_graph *graph = grid_graph(4, 4);
        struct mapcore_search options = {.choose = cases[i].choose};
        struct mapcore_result whole = search_on(&machine, graph, &options);
        struct mapcore_result result;

        options.ends_early = cases[i].ends_early;
        result = search_on(&machine, graph, &options);
        assert_false(result.interrupted);
        assert_true(result.metrics.avg_hop_bytes <=
                    whole.metrics.avg_hop_bytes);
        assert_true(result.metrics.max_link_time <=
                        whole.metrics.max_link_time ||
                    options.choose != MAPCORE_CHOOSE_TIME);
        assert_int_equal(result.work <= result.schedule.starts + one_round,
                         cases[i].ends);
        mapcore_result_clear(&whole);
        mapcore_result_clear(&result);
        machine_graph_end(&machine, graph);
    }
}

/* Where groups of tasks that stand side by side talk, and the job has parts of
 * switches, a walk is looked at by time, however a search ends, and also of
 * whole nodes. */
static void test_walk(void **state)
{
    static const uint32_t nodes[16] = {0,  1,  2,  8,  9,  10, 11, 16,
                                       17, 18, 19, 24, 25, 26, 27, 28};
    static const uint32_t slots[16] = {2, 2, 2, 2, 2, 2, 2, 2,
                                       2, 2, 2, 2, 2, 2, 2, 2};
    const uint32_t units[] = {1, MAPCORE_UNIT_HOST};
    struct machine machine = part_of("tree:4,8", 16, nodes, slots);
    struct mapcore_graph *graph = groups_graph(32, 16);

    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        struct mapcore_search options = {.choose = MAPCORE_CHOOSE_TIME,
                                         .unit = units[i],
                                         .work = CANDIDATE_LAYOUTS};
        struct mapcore_result short_one = search_on(&machine, graph, &options);
        struct mapcore_result whole;

        options.work = 0;
        whole = search_on(&machine, graph, &options);
        assert_string_equal(short_one.candidate, "walk");
        assert_true(short_one.metrics.max_link_time <
                    0.95 * short_one.baseline.max_link_time);
        assert_false(whole.interrupted);
        assert_true(whole.metrics.max_link_time <=
                    short_one.metrics.max_link_time);
        mapcore_result_clear(&short_one);
        mapcore_result_clear(&whole);
    }
    machine_graph_end(&machine, graph);
}

static void test_errors(void **state)
{
    struct machine machine = machine_of("flat:2", 4);
    struct mapcore_graph *graph = random_graph(8, 2, 1);
    struct mapcore_graph *large = random_graph(9, 2, 1);
    const uint32_t crowded[8] = {0, 0, 0, 0, 0, 1, 1, 1};
    const uint32_t nowhere[8] = {0, 0, 0, 2, 0, 1, 1, 1};
    struct mapcore_search options = {0};
    struct mapcore_result result;
    struct mapcore_error err;

    assert_int_equal(
        mapcore_search_run(&result, large, machine.alloc, NULL, &options, &err),
        MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "9 tasks"));
    options.alpha = 0.9;
    assert_int_equal(
        mapcore_search_run(&result, graph, machine.alloc, NULL, &options, &err),
        MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "alpha"));
    options.alpha = 0;
    assert_int_equal(mapcore_search_run(&result, graph, machine.alloc,
                                        "annealing", &options, &err),
                     MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "default, block, cyclic, greedymap"));
    assert_int_equal(mapcore_search_run(&result, graph, machine.alloc,
                                        "greedymap:order=no/such/list",
                                        &options, &err),
                     MAPCORE_EIO);
    assert_non_null(strstr(err.text, "no/such/list"));
    assert_non_null(strstr(err.text, "OO, BFS, BFS-DFS, GPART"));
    assert_int_equal(mapcore_search_run(&result, graph, machine.alloc,
                                        "parmapper+refine", &options, &err),
                     MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "parmapper is a list"));
    options.baseline = crowded;
    assert_int_equal(
        mapcore_search_run(&result, graph, machine.alloc, NULL, &options, &err),
        MAPCORE_EINVAL);
    options.baseline = nowhere;
    assert_int_equal(
        mapcore_search_run(&result, graph, machine.alloc, NULL, &options, NULL),
        MAPCORE_EINVAL);
    mapcore_result_clear(NULL);
    mapcore_graph_destroy(graph);
    machine_graph_end(&machine, large);
}

struct told {
    uint64_t came, work;
    double least;
    char mapper[96];
};

static void note_mapping(void *arg,
                         const char *candidate,
                         bool is_refined,
                         const struct mapcore_metrics *metrics)
{
    struct told *told = arg;

    (void)is_refined;
    assert_true(strlen(candidate) > 0);
    if (told->came++ == 0 || metrics->avg_hop_bytes < told->least) {
        told->least = metrics->avg_hop_bytes;
        snprintf(told->mapper, sizeof(told->mapper), "%s", candidate);
    }
}

static void note_work(void *arg,
                      uint64_t work,
                      const struct mapcore_metrics *best)
{
    struct told *told = arg;

    assert_true(told->came > 0 && best);
    told->work = work;
}

/* Each mapping that counts is reported with the mapper that it is of, the best
 * of them as the result has it. */
static void test_told(void **state)
{
    struct machine machine = machine_of("torus:3x2x2", 4);
    struct mapcore_graph *graph = random_graph(48, 4, 1);
    struct told told = {0};
    const struct mapcore_search options = {.choose = MAPCORE_CHOOSE_HOP_BYTES,
                                           .threads = 2,
                                           .work = 40,
                                           .came = note_mapping,
                                           .progress = note_work,
                                           .progress_arg = &told};
    struct mapcore_result result = search_on(&machine, graph, &options);

    assert_int_equal(told.work, result.work);
    assert_true(told.came >= 10 && told.came <= result.work + 3);
    assert_true(!(told.least < result.metrics.avg_hop_bytes));
    assert_string_equal(told.mapper, result.candidate);
    mapcore_result_clear(&result);
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_configurations),
        cmocka_unit_test(test_parmapper),
        cmocka_unit_test(test_parmapper_fair),
        cmocka_unit_test(test_parmapper_grid),
        cmocka_unit_test(test_work_and_threads),
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_noisy_grid),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_time_inside),
        cmocka_unit_test(test_never_worse),
        cmocka_unit_test(test_one_mapper),
        cmocka_unit_test(test_name_repeats),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_through),
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
