/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_collective_pattern.c - rings, all-to-alls and language models, against
 * numbers worked out by hand */
#include "mapfixture.h"

#include "grid/collective_pattern.h"
#include "grid/grid_make.h"

static struct mapcore_graph *pattern(const char *text, uint32_t ntasks)
{
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err = {""};

    /* By the door that every caller uses. */
    assert_true(mapcore_pattern_is(text));
    if (mapcore_pattern_graph(&graph, text, ntasks, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return graph;
}

static uint64_t bytes_of(const struct mapcore_graph *graph,
                         uint32_t a,
                         uint32_t b)
{
    for (size_t k = graph->row[a]; k < graph->row[a + 1]; k++)
        if (graph->task[k] == b)
            return graph->bytes[k];
    return 0;
}

static void test_rings(void **state)
{
    struct mapcore_graph *all = pattern("ring", 8);
    struct mapcore_graph *groups = pattern("ring:4:stride=2", 16);

    assert_int_equal(mapcore_graph_nedges(all), 8);
    assert_int_equal(bytes_of(all, 7, 0), 2 * 7 * (1 << 20) / 8);
    /* 0 2 4 6, 1 3 5 7, and the same from 8 on. */
    assert_int_equal(mapcore_graph_nedges(groups), 16);
    assert_int_equal(bytes_of(groups, 0, 2), 2 * 3 * (1 << 20) / 4);
    assert_true(bytes_of(groups, 6, 0) > 0 && bytes_of(groups, 9, 15) > 0);
    assert_true(bytes_of(groups, 6, 8) == 0 && bytes_of(groups, 0, 1) == 0);
    mapcore_graph_destroy(all);
    mapcore_graph_destroy(groups);
}

static void test_alltoall(void **state)
{
    struct mapcore_graph *graph = pattern("alltoall:4", 8);

    assert_int_equal(mapcore_graph_nedges(graph), 12);
    assert_int_equal(bytes_of(graph, 1, 3), 2 * (1 << 20) / 4);
    assert_int_equal(bytes_of(graph, 3, 4), 0);
    mapcore_graph_destroy(graph);
}

/* b s h of a micro-batch is 1000 numbers of 2 bytes, one layer a stage, one
 * micro-batch: every rule by itself. */
#define SMALL ",layers=1,hidden=10,seq=100,batches=1"
static void test_rules(void **state)
{
    static const struct {
        const char *text;
        uint32_t a, b;
        uint64_t bytes;
    } rules[] = {
        {"llm:tp=4" SMALL, 0, 1, 8 * 2000 * 3 / 4},
        {"llm:tp=4" SMALL, 0, 3, 8 * 2000 * 3 / 4},
        {"llm:tp=4" SMALL, 0, 2, 0},
        /* two ranks send both ways */
        {"llm:tp=2" SMALL, 0, 1, 2 * 8 * 2000 / 2},
        {"llm:pp=3" SMALL, 0, 1, 2 * 2000},
        {"llm:pp=3" SMALL, 0, 2, 0},
        {"llm:pp=2:tp=2" SMALL, 1, 3, 2 * 2000 / 2},
        {"llm:dp=4" SMALL, 3, 0, 4 * 1200 * 2 * 3 / 4},
        /* keys and values, and gradients of the same four */
        {"llm:cp=4" SMALL, 1, 2, 6 * 500 * 3 + 4 * 1200 * 2 * 3 / 4},
        /* gradients, and two experts' tokens both ways */
        {"llm:dp=4,ep=2" SMALL, 0, 1, 7200 + 16 * 2000 / 2},
        {"llm:dp=4,ep=2" SMALL, 1, 2, 7200},
    };

    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
        struct mapcore_graph *graph = pattern(rules[i].text, 0);
        uint64_t got = bytes_of(graph, rules[i].a, rules[i].b);

        if (got != rules[i].bytes)
            fail_msg("%s: %llu bytes", rules[i].text, (unsigned long long)got);
        mapcore_graph_destroy(graph);
    }
}

/* torchrun: a task starts the ranks of a node. */
static void test_tasks_of_several(void **state)
{
    struct mapcore_graph *graph = pattern("llm:tp=8,pp=2,dp=4", 8);

    assert_int_equal(mapcore_graph_ntasks(graph), 8);
    assert_true(bytes_of(graph, 0, 1) > 0); /* dp */
    assert_true(bytes_of(graph, 0, 3) > 0);
    assert_true(bytes_of(graph, 0, 4) > 0); /* pp */
    assert_int_equal(bytes_of(graph, 0, 5), 0);
    mapcore_graph_destroy(graph);
}

/* Of ranks, and of tasks of several: what exchanges more comes first, and
 * groups inside a task are none. */
static void test_groups(void **state)
{
    static const struct {
        const char *text;
        uint32_t ntasks;
        const char *groups; /* name size stride; ... */
    } cases[] = {
        {"ring:8", 8, ""},
        {"llm:tp=8", 8, "tensor 8 1;"},
        {"llm:tp=8,pp=2,dp=4", 8, "data 4 1;"},
        {"llm:tp=8,pp=2,dp=4,ep=4", 8, "data 4 1;expert 4 1;"},
        {"llm:tp=8,dp=16,ep=8,batches=64", 16, "expert 8 1;"},
        {"llm:tp=8,pp=2,dp=4", 64, "tensor 8 1;"},
        {"llm:tp=2,dp=4,batches=1", 8, "data 4 2;"},
        {"llm:tp=4,dp=16", 8, "data 8 1;"}, /* two shards a task */
        {"llm:tp=16,dp=2", 4, "tensor 2 1;data 2 2;"},
        {"llm:tp=3,dp=4", 6, ""}, /* 2 ranks a task do not part 3 */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct collective_groups groups[COLLECTIVE_KINDS];
        char text[256] = "";

        assert_ok(collective_pattern_graph(NULL, groups, cases[i].text,
                                           cases[i].ntasks, NULL));
        for (size_t k = 0; k < COLLECTIVE_KINDS && groups[k].size > 0; k++)
            snprintf(text + strlen(text), sizeof(text) - strlen(text),
                     "%s %u %u;", groups[k].name, groups[k].size,
                     groups[k].stride);
        assert_string_equal(text, cases[i].groups);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *text;
        uint32_t ntasks;
        const char *what;
    } bad[] = {
        {"ring", 0, "not said"},
        {"ring:0", 8, "'0'"},
        {"ring:3", 8, "no groups of 3"},
        {"alltoall:4:stride=0", 8, "stride=N"},
        {"alltoall:4:x", 8, "stride=N"},
        {"llm:tp=8,np=2", 8, "'np=2' in llm:"},
        {"llm:tp=0", 8, "'tp=0'"},
        {"llm:tp", 8, "'tp'"},
        {"llm:", 8, "'' in llm:"},
        {"llm:tp=8,pp=2", 3, "has 16 ranks, and there are 3"},
        {"llm:dp=4,ep=3", 4, "ep=3 does not divide"},
        {"llm:tp=1000000,dp=1000000", 0, "2^22"},
        /* Before any of them is drawn, for this would take days. */
        {"alltoall:4194304", 0, "more than 2^26 edges"},
        {"llm:dp=1048576,ep=1048576,pp=4", 1, "more than 2^26 edges"},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct mapcore_graph *graph = NULL;
        struct mapcore_error err = {""};

        assert_true(mapcore_pattern_graph(&graph, bad[i].text, bad[i].ntasks,
                                          &err) < 0);
        if (!strstr(err.text, bad[i].what))
            fail_msg("%s: '%s'", bad[i].text, err.text);
    }
    assert_false(mapcore_pattern_is("rings") || mapcore_pattern_is("llm") ||
                 mapcore_pattern_is("alltoall.graph"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rings),  cmocka_unit_test(test_alltoall),
        cmocka_unit_test(test_rules),  cmocka_unit_test(test_tasks_of_several),
        cmocka_unit_test(test_groups), cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
