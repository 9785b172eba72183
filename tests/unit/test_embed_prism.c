/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_embed_prism.c - grids on a torus with holes: on what Topaware would
 * select, at least as good as Topaware's own order */
#include "config.h"

#include "gridfixture.h"

#include "base/array.h"
#include "map/embed/embed_internal.h"

#define X 4
#define Y 3
#define Z 5

/* Of a torus of 7x5x6 routers, two hosts each: for every line of a prism of
 * X x Y x Z along z five routers of the six, without one that varies; row x = 4
 * and plane y = 2 are service nodes. host[cell * 2 + k] is cell (i, j, k)'s,
 * number (j X + i) Z + k. */
static void take_prism(uint32_t *host)
{
    static const uint32_t xs[X] = {2, 3, 5, 6}, ys[Y] = {0, 1, 3};
    uint32_t n = 0;

    for (uint32_t j = 0; j < Y; j++)
        for (uint32_t i = 0; i < X; i++)
            for (uint32_t z = 0; z < 6; z++)
                for (uint32_t k = 0; k < 2 && z != (i + 2 * j) % 4 + 1; k++)
                    host[n++] = ((z * 5 + ys[j]) * 7 + xs[i]) * 2 + k;
    assert_int_equal(n, X * Y * Z * 2);
}

/* Hosts of an allocation are any, in any order. */
static struct machine shuffled(uint32_t *of, const uint32_t *host, uint32_t n)
{
    uint32_t *list = calloc(n, sizeof(*list)),
             *slots = calloc(n, sizeof(*list));
    struct machine machine;
    struct rng rng;

    assert_non_null(list);
    assert_non_null(slots);
    rng_init(&rng, 3, 0, 0);
    for (uint32_t i = 0; i < n; i++)
        of[i] = i;
    shuffle(of, n, &rng);
    for (uint32_t i = 0; i < n; i++) {
        list[of[i]] = host[i];
        slots[i] = 4;
    }
    machine = part_of("torus:7x5x6/2", n, list, slots);
    free(list);
    free(slots);
    return machine;
}

static struct mapcore_metrics lay_all(uint32_t *host,
                                      const struct mapcore_graph *graph,
                                      const struct machine *machine,
                                      bool by_link)
{
    struct mapper_end end;
    struct mapcore_metrics metrics =
        lay(host, &end, graph, machine, by_link, 0);

    assert_false(end.timed_out);
    return metrics;
}

/* The grid is laid out no worse than Topaware does: place(t) is the host of the
 * prism where the paper has rank t. */
static void check_layout(const struct grid_spec *spec,
                         uint32_t (*place)(uint32_t))
{
    struct mapcore_graph *graph = spec_graph(spec, 1);
    uint32_t list[X * Y * Z * 2], of[X * Y * Z * 2];
    uint32_t own[X * Y * Z * 8], host[X * Y * Z * 8];
    struct mapcore_metrics select;
    struct machine machine;

    take_prism(list);
    machine = shuffled(of, list, X * Y * Z * 2);
    for (uint32_t t = 0; t < graph->ntasks; t++)
        own[t] = of[place(t)];
    select = metrics_of(graph, machine.alloc, own);
    assert_true(lay_all(host, graph, &machine, false).hops_per_byte <=
                select.hops_per_byte);
    assert_true(lay_all(host, graph, &machine, true).max_link_time <=
                select.max_link_time);
    machine_graph_end(&machine, graph);
}

/* Blocks of 2x2x2, each half on a host. */
static uint32_t place_block(uint32_t t)
{
    uint32_t x = t % (2 * X), y = t / (2 * X) % (2 * Y);
    uint32_t z = t / (2 * X) / (2 * Y);

    return ((y / 2 * X + x / 2) * Z + z / 2) * 2 + x % 2;
}

/* Three sheets of X x Z blocks of 4x2, folded accordion style. */
static uint32_t place_sheet(uint32_t t)
{
    uint32_t x = t % (4 * X * Y), z = t / (4 * X * Y), j = x / (4 * X);
    uint32_t i = x / 4 % X;

    i = j % 2 == 1 ? X - 1 - i : i;
    return ((j * X + i) * Z + z / 2) * 2 + x % 4 / 2;
}

static void test_layouts(void **state)
{
    check_layout(&(struct grid_spec){.ndims = 3,
                                     .dims = {2 * X, 2 * Y, 2 * Z},
                                     .bytes = {1}},
                 place_block);
    check_layout(&(struct grid_spec){.ndims = 2,
                                     .dims = {4 * X * Y, 2 * Z},
                                     .bytes = {1}},
                 place_sheet);
}

/* The portfolio has it among its candidates. */
static void test_portfolio(void **state)
{
    const struct grid_spec spec = {
        .ndims = 3, .dims = {4 * X, 2 * Y, 2 * Z}, .bytes = {1}};
    struct mapcore_graph *graph = spec_graph(&spec, 1);
    const struct mapcore_search options = {.work = 4};
    struct mapcore_result result;
    uint32_t list[X * Y * Z * 2], slots[X * Y * Z * 2], host[X * Y * Z * 16];
    struct machine machine;

    take_prism(list);
    for (uint32_t i = 0; i < X * Y * Z * 2; i++)
        slots[i] = 8;
    machine = part_of("torus:7x5x6/2", X * Y * Z * 2, list, slots);
    result = search_on(&machine, graph, &options);
    assert_int_equal(strncmp(result.candidate, "grid:", 5), 0);
    assert_true(result.metrics.hops_per_byte <=
                lay_all(host, graph, &machine, false).hops_per_byte);
    mapcore_result_clear(&result);
    machine_graph_end(&machine, graph);
}

static int open_prisms(struct embed_machine *prism,
                       size_t *n,
                       const struct mapcore_alloc *alloc,
                       uint32_t ntasks,
                       struct arena *arena)
{
    struct mapcore_graph *graph = random_graph(ntasks, 0, 1);
    const struct map_problem problem = {.graph = graph, .alloc = alloc};
    bool timed_out;
    int error = embed_prisms_open(prism, n, &timed_out, &problem, arena);

    assert_false(timed_out);
    mapcore_graph_destroy(graph);
    return error;
}

/* Cells are routers of equally many slots, each once, whose hosts are its
 * alone; coordinates ascend along each axis. */
static void test_machines(void **state)
{
    struct embed_machine prism[EMBED_PRISMS];
    struct arena arena = {0};
    uint32_t list[X * Y * Z * 2], of[X * Y * Z * 2];
    struct machine machine;
    size_t n;

    take_prism(list);
    machine = shuffled(of, list, X * Y * Z * 2);
    assert_ok(open_prisms(prism, &n, machine.alloc, X * Y * Z * 8, &arena));
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(prism[i].ncells, X * Y * Z);
        assert_int_equal(prism[i].capacity, 8);
        assert_permutation(prism[i].host, X * Y * Z * 2);
        for (uint32_t c = 0; c < prism[i].ncells; c++) {
            uint32_t first = prism[i].first[c];

            assert_int_equal(prism[i].first[c + 1], first + 2);
            assert_int_equal(mapcore_alloc_distance(machine.alloc,
                                                    prism[i].host[first],
                                                    prism[i].host[first + 1]),
                             0);
        }
        for (uint32_t a = 0; a < prism[i].naxes; a++)
            for (uint32_t k = 1; k < prism[i].size[a]; k++)
                assert_true(embed_distance(&prism[i], a, k - 1, k) >= 1 &&
                            embed_distance(&prism[i], a, k - 1, k) <= 3);
    }
    /* Not one more than there are. */
    assert_ok(open_prisms(prism, &n, machine.alloc, X * Y * Z * 8 + 1, &arena));
    assert_int_equal(n, 0);
    arena_clear(&arena);
    machine_end(&machine);
}

/* Time that is up after some questions. */
/* However early time is up behind the first questions, something better than
 * the layouts is there, and its work and schedule repeat it. Returns how many
 * were cut within the grid. */
static int check_cut_short(const struct machine *machine,
                           const struct mapcore_graph *graph,
                           int first)
{
    struct mapcore_result layouts =
        search_on(machine, graph, &(struct mapcore_search){.work = 3});
    int cut = 0;

    for (int patience = first; patience < 1500; patience += 1 + patience / 4) {
        atomic_long left = patience;
        struct mapcore_search options = {.expired = count_down,
                                         .expired_arg = &left};
        struct mapcore_result timed = search_on(machine, graph, &options);
        struct mapcore_result worked;

        if (timed.metrics.avg_hop_bytes > 0.9 * layouts.metrics.avg_hop_bytes)
            fail_msg("after %d questions %g, layouts %g", patience,
                     timed.metrics.avg_hop_bytes,
                     layouts.metrics.avg_hop_bytes);
        cut += timed.work == 4 && timed.schedule.cut > 0;
        options = (struct mapcore_search){.work = timed.work,
                                          .schedule = timed.schedule};
        worked = search_on(machine, graph, &options);
        assert_memory_equal(worked.mapping->host, timed.mapping->host,
                            graph->ntasks * sizeof(*timed.mapping->host));
        mapcore_result_clear(&worked);
        mapcore_result_clear(&timed);
    }
    mapcore_result_clear(&layouts);
    return cut;
}

/* A grid on routers around holes, and with diagonals on a whole torus. */
static void test_cut_short(void **state)
{
    struct grid_spec spec = {
        .ndims = 3, .dims = {16, 16, 16}, .bytes = {9, 3, 1}, .box = true};
    struct mapcore_graph *box = spec_graph(&spec, 1), *star;
    uint32_t list[512], slots[512], n = 0;
    struct machine whole = machine_of("torus:8x8x8", 8), holed;

    spec.box = false;
    star = spec_graph(&spec, 1);
    for (uint32_t h = 0; n < 512; h++)
        if (h % 41 != 3) {
            slots[n] = 8;
            list[n++] = h;
        }
    holed = part_of("torus:9x9x9", n, list, slots);
    assert_true(check_cut_short(&holed, star, 6) > 0);
    assert_true(check_cut_short(&whole, box, 6) > 0);
    mapcore_graph_destroy(star);
    machine_graph_end(&holed, box);
    machine_end(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_portfolio),
        cmocka_unit_test(test_cut_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
