/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_known.c - a search that is the same as before, one that is not in each
 * of all ways, and its result from the mapping that was kept */
#include "config.h"

#include "mapfixture.h"

#define NTASKS 24
static const uint32_t picked[] = {0, 1, 2, 3, 5, 6, 8, 9};
static const uint32_t counts[] = {3, 3, 3, 3, 3, 3, 3, 3};

/* What a step may be. */
struct step {
    const char *spec;
    const uint32_t *hosts, *slots;
    const char *node;
    uint64_t bytes;   /* of the first edge */
    uint32_t partner; /* its other end */
    struct mapcore_search search;
};

static struct mapcore_graph *make_graph(const struct step *step)
{
    struct mapcore_edge edges[NTASKS];

    for (uint32_t t = 0; t < NTASKS; t++)
        edges[t] = (struct mapcore_edge){t, (t + 5) % NTASKS, 100 + t};
    edges[0] = (struct mapcore_edge){0, step->partner, step->bytes};
    return graph_of(NTASKS, edges, NTASKS);
}

static void digest(char *out, const struct step *step)
{
    struct machine machine = part_of(step->spec, 8, step->hosts, step->slots);
    struct mapcore_graph *graph = make_graph(step);
    struct mapcore_search search = step->search;
    struct mapcore_hwnode *node = NULL;

    if (step->node)
        assert_ok(mapcore_hwnode_create(&node, step->node, NULL));
    search.node = node;
    assert_ok(mapcore_search_digest(out, graph, machine.alloc, &search, NULL));
    assert_int_equal(strlen(out), MAPCORE_DIGEST - 1);
    mapcore_hwnode_destroy(node);
    machine_graph_end(&machine, graph);
}

#define NSTEPS 22

/* Each differs from the first in one thing. */
static size_t make_steps(struct step *step)
{
    static const uint32_t others[] = {0, 1, 2, 3, 5, 6, 8, 10};
    static const uint32_t order[] = {1, 0, 2, 3, 5, 6, 8, 9};
    static const uint32_t more[] = {4, 2, 3, 3, 3, 3, 3, 3};
    static uint32_t cyclic[NTASKS], pin[NTASKS], pins[NTASKS];
    size_t n = 0;

    for (uint32_t t = 0; t < NTASKS; t++) {
        cyclic[t] = t % 8;
        pin[t] = pins[t] = MAPCORE_NONE;
    }
    pin[0] = 0;
    pins[0] = 1;
    for (size_t i = 0; i < NSTEPS; i++)
        step[i] = (struct step){.spec = "torus:4x3x2",
                                .hosts = picked,
                                .slots = counts,
                                .bytes = 100,
                                .partner = 5,
                                .search = {.work = 50}};
    n = 1;
    step[n++].spec = "torus:4x6";
    step[n++].spec = "torus:4x3x2:capacity=2x1x1";
    step[n++].spec = "torus:4x3x2:capacity.y=2,1,1";
    step[n++].spec = "torus:4x3x2:capacity.y=1,2,1";
    step[n++].spec = "mesh:4x3x2";
    step[n++].hosts = others;
    step[n++].hosts = order;
    step[n++].slots = more;
    step[n++].node = "package:2 core:8";
    step[n++].node = "package:8 core:2";
    step[n++].bytes = 101;
    step[n++].partner = 6;
    step[n++].search.choose = MAPCORE_CHOOSE_TIME;
    step[n++].search.alpha = 1.1;
    step[n++].search.seed = 2;
    step[n++].search.work = 51;
    step[n++].search.schedule.starts = 7;
    step[n++].search.unit = 3;
    step[n++].search.baseline = cyclic;
    step[n++].search.pin = pin;
    step[n++].search.pin = pins;
    return n;
}

static void test_digests(void **state)
{
    struct step step[NSTEPS], same;
    char digests[NSTEPS][MAPCORE_DIGEST], again[MAPCORE_DIGEST];
    size_t n = make_steps(step);

    assert_int_equal(n, NSTEPS);
    for (size_t i = 0; i < n; i++) {
        digest(digests[i], &step[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(digests[i], digests[j]);
    }
    same = step[0];
    same.search.threads = 4;
    same.search.seed = 1;
    same.search.alpha = 1.05;
    digest(again, &same);
    assert_string_equal(again, digests[0]);
}

/* To the last bit, but not what stands between members. */
static void assert_same_metrics(const struct mapcore_metrics *a,
                                const struct mapcore_metrics *b)
{
    const double of_a[] = {a->avg_hop_bytes, a->max_hop_bytes, a->hops_per_byte,
                           a->max_link_bytes, a->max_link_time};
    const double of_b[] = {b->avg_hop_bytes, b->max_hop_bytes, b->hops_per_byte,
                           b->max_link_bytes, b->max_link_time};

    assert_memory_equal(of_a, of_b, sizeof(of_a));
    assert_true(a->off_node_bytes == b->off_node_bytes);
    assert_int_equal(a->max_link, b->max_link);
    assert_int_equal(a->max_time_link, b->max_time_link);
}

/* The result of a search is that of its mapping, of units and pinned tasks,
 * too. */
static void test_known(void **state)
{
    struct step step[NSTEPS];
    size_t n = make_steps(step);

    for (size_t i = 0; i < n; i++) {
        struct machine machine =
            part_of(step[i].spec, 8, step[i].hosts, step[i].slots);
        struct mapcore_graph *graph = make_graph(&step[i]);
        struct mapcore_search *search = &step[i].search;
        struct mapcore_result found = {0}, known = {0};
        struct mapcore_hwnode *node = NULL;

        if (search->unit == 3 && step[i].slots != counts)
            search->unit = 0;
        search->schedule = (struct mapcore_schedule){0};
        if (step[i].node)
            assert_ok(mapcore_hwnode_create(&node, step[i].node, NULL));
        search->node = node;
        found = search_on(&machine, graph, search);
        assert_ok(mapcore_search_known(&known, graph, machine.alloc, search,
                                       found.mapping->host, found.mapping->slot,
                                       NULL));
        assert_same_metrics(&known.metrics, &found.metrics);
        assert_same_metrics(&known.baseline, &found.baseline);
        assert_memory_equal(&known.inside, &found.inside, sizeof(known.inside));
        assert_int_equal(known.is_baseline, found.is_baseline);
        assert_memory_equal(known.mapping->slot, found.mapping->slot,
                            NTASKS * sizeof(uint32_t));
        mapcore_result_clear(&known);
        mapcore_result_clear(&found);
        mapcore_hwnode_destroy(node);
        machine_graph_end(&machine, graph);
    }
}

/* What is no mapping is none, and leaves nothing. */
static void test_refused(void **state)
{
    struct step step[NSTEPS];
    uint32_t host[NTASKS], slot[NTASKS], pin[NTASKS];
    struct mapcore_search search = {.pin = pin};
    struct mapcore_result result = {0};
    struct machine machine = part_of("torus:4x3x2", 8, picked, counts);
    struct mapcore_graph *graph;

    make_steps(step);
    graph = make_graph(&step[0]);
    for (uint32_t t = 0; t < NTASKS; t++) {
        host[t] = t / 3;
        slot[t] = t % 3;
        pin[t] = MAPCORE_NONE;
    }
    pin[1] = 1;
    assert_int_equal(mapcore_search_known(&result, graph, machine.alloc,
                                          &search, host, slot, NULL),
                     MAPCORE_EINVAL);
    pin[1] = 0;
    slot[2] = 1;
    assert_true(mapcore_search_known(&result, graph, machine.alloc, &search,
                                     host, slot, NULL) < 0);
    assert_null(result.mapping);
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digests),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
