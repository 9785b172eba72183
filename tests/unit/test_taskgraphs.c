/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_taskgraphs.c - the critical types of a profile, the graphs made of them,
 * and evaluation.json */
#include "config.h"

#include "profiles/evaluation.h"
#include "profiles/taskgraphs.h"

#include "scratch.h"

/* p2p 6 s, alltoall 40 s of which 4 s on communicators of 2 of the 4 tasks,
 * bcast 1 s, a large allreduce 50 s, a barrier. */
static const char text[] =
    "{ \"format\": 1, \"program\": \"app\", \"identity\": \"01\",\n"
    "  \"ntasks\": 4, \"recorded\": \"2026-11-21T02:30:00Z\",\n"
    "  \"seconds\": 30, \"types\": [\n"
    "    { \"type\": \"p2p\", \"calls\": 1, \"bytes\": 24, \"seconds\": 6,\n"
    "      \"paired_bytes\": 24, \"graph\": \"p2p.graph\" },\n"
    "    { \"type\": \"allreduce\", \"calls\": 8, \"bytes\": 64,\n"
    "      \"seconds\": 50, \"paired_bytes\": 0, \"graph\": null,\n"
    "      \"why\": \"over more than half of the tasks\" },\n"
    "    { \"type\": \"alltoall\", \"calls\": 9, \"bytes\": 900,\n"
    "      \"seconds\": 40, \"paired_bytes\": 100, \"graph\": \"a2a.graph\",\n"
    "      \"large_bytes\": 800,\n"
    "      \"communicators\": [ { \"size\": 2, \"communicators\": 2,\n"
    "        \"calls\": 8, \"bytes\": 100, \"seconds\": 4 }, { \"size\": 4,\n"
    "        \"communicators\": 1, \"calls\": 1, \"bytes\": 800,\n"
    "        \"seconds\": 36 } ] },\n"
    "    { \"type\": \"barrier\", \"calls\": 1, \"bytes\": 0,\n"
    "      \"seconds\": 2, \"paired_bytes\": 0, \"graph\": null },\n"
    "    { \"type\": \"bcast\", \"calls\": 2, \"bytes\": 6,\n"
    "      \"seconds\": 1, \"paired_bytes\": 6, \"graph\": \"b.graph\" } ] }\n";

static struct profile *put_and_read(const struct scratch *scratch,
                                    const char *json)
{
    struct profile *profile = NULL;
    struct mapcore_error err;

    put_text(at(scratch, "profile.json"), json);
    put_text(at(scratch, "p2p.graph"), "4 1 001\n2 1000\n1 1000\n\n\n");
    put_text(at(scratch, "a2a.graph"), "4 1 001\n3 500\n\n1 500\n\n");
    put_text(at(scratch, "b.graph"), "4 1 001\n4 6\n\n\n1 6\n");
    if (profile_read(&profile, scratch->root, &err) < 0)
        fail_msg("%s", err.text);
    return profile;
}

static uint64_t bytes_of(const struct taskgraphs *graphs,
                         const struct scratch *scratch,
                         const char *name)
{
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err;
    uint64_t bytes;

    if (taskgraphs_make(&graph, graphs, scratch->root, name, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    bytes = mapcore_graph_bytes(graph);
    mapcore_graph_destroy(graph);
    return bytes;
}

static void test_critical_types(void **state)
{
    struct profile *profile = put_and_read(*state, text);
    struct taskgraphs graphs;
    struct mapcore_error err;

    assert_ok(taskgraphs_select(&graphs, profile, 0.9, &err));
    assert_true(graphs.total == 99);
    assert_true(graphs.counted == 11);
    assert_int_equal(graphs.ncritical, 2);
    assert_null(taskgraphs_why_not(&graphs, 0));
    assert_string_equal(taskgraphs_why_not(&graphs, 1),
                        "over more than half of the tasks");
    assert_null(taskgraphs_why_not(&graphs, 2));
    assert_string_equal(taskgraphs_why_not(&graphs, 3), "sends no bytes");
    assert_string_equal(taskgraphs_why_not(&graphs, 4), "too little time");

    /* 0.6 of p2p and 0.4 of what is not large in alltoall, as in the paper. */
    assert_int_equal(bytes_of(&graphs, *state, "weighted-sum"), 600 + 200);
    assert_int_equal(bytes_of(&graphs, *state, "sum"), 1500);
    assert_int_equal(bytes_of(&graphs, *state, "all"), 1506);
    assert_int_equal(bytes_of(&graphs, *state, "bcast"), 6);
    taskgraphs_clear(&graphs);

    assert_ok(taskgraphs_select(&graphs, profile, 0.5, &err));
    assert_int_equal(graphs.ncritical, 1);
    assert_int_equal(bytes_of(&graphs, *state, "weighted-sum"), 1000);
    taskgraphs_clear(&graphs);
    assert_int_equal(taskgraphs_select(&graphs, profile, 0, &err),
                     MAPCORE_EINVAL);
    profile_destroy(profile);
}

/* Sizes that are written are read. */
/* Of 20 tasks 14 are no more than 0.7 of them, as the recorder saw it. */
static void test_large_share(void **state)
{
    static const char share[] =
        "{ \"format\": 1, \"program\": \"app\", \"identity\": \"01\",\n"
        "  \"ntasks\": 20, \"recorded\": \"2026-11-21T02:30:00Z\",\n"
        "  \"seconds\": 30, \"large_share\": %s, \"types\": [\n"
        "    { \"type\": \"alltoall\", \"calls\": 9, \"bytes\": 900,\n"
        "      \"seconds\": 40, \"paired_bytes\": 100, \"graph\": \"a.graph\",\n"
        "      \"large_bytes\": 800,\n"
        "      \"communicators\": [ { \"size\": 14, \"communicators\": 2,\n"
        "        \"calls\": 8, \"bytes\": 100, \"seconds\": 4 }, { \"size\": 15,\n"
        "        \"communicators\": 1, \"calls\": 1, \"bytes\": 800,\n"
        "        \"seconds\": 36 } ] } ] }\n";
    const struct {
        const char *share;
        double counted;
    } rows[] = {{"0.700000", 4}, {"0.69", 0}, {"0.750000", 40}, {"null", 0}};
    struct taskgraphs graphs;
    struct mapcore_error err;
    char json[1000];

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        snprintf(json, sizeof(json), share, rows[i].share);
        struct profile *profile = put_and_read(*state, json);
        assert_ok(taskgraphs_select(&graphs, profile, 0.9, &err));
        assert_true(graphs.counted == rows[i].counted);
        taskgraphs_clear(&graphs);
        profile_destroy(profile);
    }
    snprintf(json, sizeof(json), share, "1.5");
    put_text(at(*state, "profile.json"), json);
    struct profile *none = NULL;
    assert_int_equal(
        profile_read(&none, ((const struct scratch *)*state)->root, &err),
        MAPCORE_EPARSE);
    assert_non_null(strstr(err.text, "large_share: not from 0 to 1"));
}

static void test_communicators(void **state)
{
    struct profile *profile = put_and_read(*state, text);
    struct mapcore_error err;

    assert_ok(profile_write(profile, at(*state, ""), &err));
    profile_destroy(profile);
    assert_ok(profile_read(&profile, at(*state, ""), &err));
    assert_int_equal(profile->types[0].ncommunicators, 0);
    assert_int_equal(profile->types[2].ncommunicators, 2);
    assert_int_equal(profile->types[2].communicators[1].size, 4);
    assert_int_equal(profile->types[2].communicators[1].bytes, 800);
    assert_true(profile->types[2].communicators[0].seconds == 4);
    profile_destroy(profile);
}

static void test_nothing_critical(void **state)
{
    static const char large[] =
        "{ \"format\": 1, \"program\": \"app\", \"identity\": \"01\",\n"
        "  \"ntasks\": 4, \"recorded\": \"x\", \"seconds\": 3, \"types\": [\n"
        "    { \"type\": \"allreduce\", \"calls\": 8, \"bytes\": 64,\n"
        "      \"seconds\": 2, \"graph\": null, \"why\": \"over half\" } ] }";
    static const char *const sums[] = {"sum", "weighted-sum", "all"};
    struct profile *profile = put_and_read(*state, large);
    struct mapcore_graph *graph = NULL;
    struct taskgraphs graphs;
    struct mapcore_error err;

    assert_ok(taskgraphs_select(&graphs, profile, 0.9, &err));
    assert_int_equal(graphs.ncritical, 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(taskgraphs_make(&graph, &graphs,
                                         ((struct scratch *)*state)->root,
                                         sums[i], &err),
                         MAPCORE_ENOENT);
        assert_string_equal(
            err.text, "app communicates only by collectives of most of its "
                      "tasks (allreduce): no layout is better for them than "
                      "another");
    }
    assert_null(graph);
    taskgraphs_clear(&graphs);
    profile_destroy(profile);
}

/* Which graph a launch goes by, and whether it does. */
static void test_evaluation_is_read(void **state)
{
    static const char written[] =
        "{ \"format\": 1, \"nodes\": \"n[0-7]\", \"repeat\": 3,\n"
        "  \"best\": \"p2p\", \"unmapped_is_best\": false,\n"
        "  \"noise_seconds\": %s, \"graphs\": [\n"
        "  { \"graph\": \"unmapped\", \"run_seconds\": [10, 11, 10, 12] },\n"
        "  { \"graph\": \"p2p\", \"hops_per_byte\": 0.75,\n"
        "    \"run_seconds\": [9, %s], \"run_mpi_seconds\": [5, 5.5] } ] }";
    static const struct {
        const char *noise, *runs;
        bool decides, is_sure;
    } rows[] = {
        {"0", "11", false, false}, /* two runs are too few */
        {"1.4", "11, 8.5", true, true},
        {"1.6", "11, 8.5", true, false},
        {"0.5", "11", false, false},
        {"0.9", "11, 8", true, true}, /* medians: 10.5, 9 */
    };
    struct evaluation *read = NULL;
    struct mapcore_error err;
    char file[1024];

    assert_int_equal(evaluation_read(&read, at(*state, ""), &err),
                     MAPCORE_ENOENT);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        snprintf(file, sizeof(file), written, rows[i].noise, rows[i].runs);
        put_text(at(*state, EVALUATION_FILE), file);
        assert_ok(evaluation_read(&read, at(*state, ""), &err));
        assert_string_equal(read->best, "p2p");
        assert_false(read->unmapped_is_best);
        assert_int_equal(read->decides, rows[i].decides);
        assert_int_equal(read->is_sure, rows[i].is_sure);
        evaluation_destroy(read);
        read = NULL;
    }
}

static void test_bad_evaluations(void **state)
{
    static const char good[] =
        "{ \"format\": 1, \"repeat\": 2, \"best\": \"p2p\",\n"
        "  \"unmapped_is_best\": false, \"graphs\": [\n"
        "  { \"graph\": \"unmapped\", \"run_seconds\": [1.5],\n"
        "    \"run_mpi_seconds\": [0.5] },\n"
        "  { \"graph\": \"p2p\", \"hops_per_byte\": 1.25,\n"
        "    \"run_seconds\": [1.25], \"run_mpi_seconds\": [0.25] } ] }";
    static const struct {
        const char *from, *to, *says;
        int code;
    } bad[] = {
        {"\"format\": 1", "\"format\": 2", "format 2 is later",
         MAPCORE_EVERSION},
        {"\"format\": 1", "\"format\": 0", "no format 0", MAPCORE_EPARSE},
        {"1.5", "-1.5", "key graphs[0].run_seconds", MAPCORE_EPARSE},
        {"[1.25]", "[\"x\"]", "run_seconds", MAPCORE_EPARSE},
        {"\"best\": \"p2p\"", "\"best\": \"scan\"", "'scan' is none",
         MAPCORE_EPARSE},
        {"\"graph\": \"unmapped\"", "\"graph\": \"sum\"", "'sum' cannot be",
         MAPCORE_EPARSE},
        {"\"graph\": \"p2p\"", "\"graph\": \"../p\"", "cannot be",
         MAPCORE_EPARSE},
        {"\"repeat\": 2", "\"repeat\": 5000000000", "key repeat",
         MAPCORE_ERANGE},
        {"} ] }", "} ]", "", MAPCORE_EPARSE},
    };
    struct evaluation *evaluation = NULL;
    struct mapcore_error err;
    char changed[1024];

    put_text(at(*state, EVALUATION_FILE), good);
    assert_ok(evaluation_read(&evaluation, at(*state, ""), &err));
    evaluation_destroy(evaluation);
    evaluation = NULL;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        const char *where = strstr(good, bad[i].from);
        int rc;

        assert_non_null(where);
        snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(where - good),
                 good, bad[i].to, where + strlen(bad[i].from));
        put_text(at(*state, EVALUATION_FILE), changed);
        rc = evaluation_read(&evaluation, at(*state, ""), &err);
        if (rc != bad[i].code || evaluation || !strstr(err.text, bad[i].says) ||
            !strstr(err.text, EVALUATION_FILE))
            fail_msg("%d '%s', not %d '%s'", rc, err.text, bad[i].code,
                     bad[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(test_critical_types),     ON_DISK(test_large_share),
        ON_DISK(test_communicators),      ON_DISK(test_nothing_critical),
        ON_DISK(test_evaluation_is_read), ON_DISK(test_bad_evaluations),
    };

    return cmocka_run_group_tests_name("taskgraphs", tests, NULL, NULL);
}
