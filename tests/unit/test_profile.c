/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_profile.c - profile.json and its graphs: what the recorder writes is
 * read, what is broken is refused with file and key */
#include "config.h"

#include "profiles/profile.h"

#include "scratch.h"

static const char head[] =
    "{ \"format\": 1, \"program\": \"app\", \"path\": \"/x/app\",\n"
    "  \"identity\": \"0123456789abcdef\", \"ntasks\": 4,\n"
    "  \"recorded\": \"2026-11-21T02:30:00Z\", \"seconds\": 1.25,\n"
    "  \"job\": \"12.0\", \"user\": \"name\", \"hosts\": 2,\n"
    "  \"mpi\": \"MPICH 4.0.2\", \"mpi_type\": \"pmi2\",\n";
static const char spans[] =
    "  \"task_seconds\": { \"max\": 0.25, \"max_task\": 3, \"min\": 0.125,\n"
    "    \"min_task\": 1 },\n"
    "  \"types\": [ { \"type\": \"p2p\", \"calls\": 100, \"bytes\": 24,\n"
    "    \"seconds\": 0.5, \"task_seconds\": { \"max\": 0.5, \"max_task\": 2,\n"
    "    \"min\": 0, \"min_task\": 0 } },\n"
    "  { \"type\": \"scan\", \"calls\": 1, \"bytes\": 1, \"seconds\": 0 } ] }\n";
static const char types[] =
    "  \"types\": [\n"
    "    { \"type\": \"p2p\", \"calls\": 100, \"bytes\": 24,\n"
    "      \"seconds\": 0.5, \"paired_bytes\": 24, \"graph\": \"p2p.graph\" },\n"
    "    { \"type\": \"allreduce\", \"calls\": 8, \"bytes\": 64,\n"
    "      \"seconds\": 0.25, \"paired_bytes\": 0, \"graph\": null,\n"
    "      \"why\": \"over more than half of the tasks\" },\n"
    "    { \"type\": \"bcast\", \"calls\": 2, \"bytes\": 6,\n"
    "      \"seconds\": 0, \"paired_bytes\": 6, \"graph\": \"b.graph\" } ] }\n";
static const char ring[] = "4 4 001\n2 5 4 5\n1 5 3 7\n2 7 4 7\n1 5 3 7\n";
static const char pair[] = "4 1 001\n2 6\n1 6\n\n\n";

static void put_profile(const struct scratch *scratch)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s", head, types);
    put_text(at(scratch, "profile.json"), text);
    put_text(at(scratch, "p2p.graph"), ring);
    put_text(at(scratch, "b.graph"), pair);
}

static struct profile *read_good(const struct scratch *scratch)
{
    struct profile *profile = NULL;
    struct mapcore_error err;

    if (profile_read(&profile, scratch->root, &err) < 0)
        fail_msg("%s", err.text);
    return profile;
}

static void expect_same(const struct profile *profile)
{
    assert_int_equal(profile->ntasks, 4);
    /* 0.5 + 0.25 + 0 of 4 times 1.25 s */
    assert_true(profile_mpi_share(profile) > 0.1499 &&
                profile_mpi_share(profile) < 0.1501);
    assert_string_equal(profile->program, "app");
    assert_string_equal(profile->path, "/x/app");
    assert_string_equal(profile->identity, "0123456789abcdef");
    assert_string_equal(profile->recorded, "2026-11-21T02:30:00Z");
    assert_string_equal(profile->job, "12.0");
    assert_string_equal(profile->user, "name");
    assert_string_equal(profile->mpi, "MPICH 4.0.2");
    assert_string_equal(profile->mpi_type, "pmi2");
    assert_int_equal(profile->hosts, 2);
    assert_true(profile->seconds == 1.25);
    assert_int_equal(profile->ntypes, 3);
    assert_string_equal(profile->types[0].name, "p2p");
    assert_int_equal(profile->types[0].calls, 100);
    assert_int_equal(profile->types[0].bytes, 24);
    assert_true(profile->types[0].seconds == 0.5);
    assert_int_equal(profile->types[0].paired_bytes, 24);
    assert_string_equal(profile->types[0].graph, "p2p.graph");
    assert_null(profile->types[0].why);
    assert_null(profile->types[1].graph);
    assert_string_equal(profile->types[1].why,
                        "over more than half of the tasks");
}

static void test_read(void **state)
{
    struct profile *profile;

    put_profile(*state);
    profile = read_good(*state);
    expect_same(profile);
    profile_destroy(profile);
}

static void test_written_is_read(void **state)
{
    struct profile *profile;
    struct mapcore_error err;

    put_profile(*state);
    profile = read_good(*state);
    assert_ok(unlink(at(*state, "profile.json")));
    assert_ok(profile_write(profile, at(*state, ""), &err));
    profile_destroy(profile);
    profile = read_good(*state);
    expect_same(profile);
    assert_int_equal(profile_write(profile, at(*state, "none"), &err),
                     MAPCORE_EIO);
    profile_destroy(profile);
}

static void expect_spans(const struct profile *profile)
{
    const struct profile_span *all = &profile->task_seconds, *p2p;

    assert_true(all->is_known && all->max == 0.25 && all->min == 0.125);
    assert_true(all->max_task == 3 && all->min_task == 1);
    /* 0.125 of 1.25 s */
    assert_true(profile_least_mpi_share(profile) > 0.0999 &&
                profile_least_mpi_share(profile) < 0.1001);
    p2p = &profile_find_type(profile, "p2p")->task_seconds;
    assert_true(p2p->is_known && p2p->max == 0.5 && p2p->min == 0);
    assert_true(p2p->max_task == 2 && p2p->min_task == 0);
    assert_false(profile_find_type(profile, "scan")->task_seconds.is_known);
    assert_null(profile_find_type(profile, "bcast"));
}

/* The longest and the shortest task, where the recorder knew them. */
static void test_task_seconds(void **state)
{
    const struct scratch *scratch = *state;
    struct profile *profile = NULL;
    struct mapcore_error err;
    char text[4096];

    put_profile(scratch);
    profile = read_good(scratch);
    assert_false(profile->task_seconds.is_known);
    assert_true(profile_least_mpi_share(profile) < 0);
    assert_false(profile->types[0].task_seconds.is_known);
    profile_destroy(profile);
    snprintf(text, sizeof(text), "%s%s", head, spans);
    put_text(at(scratch, "profile.json"), text);
    profile = read_good(scratch);
    expect_spans(profile);
    assert_ok(profile_write(profile, at(scratch, ""), &err));
    profile_destroy(profile);
    profile = read_good(scratch);
    expect_spans(profile);
    profile_destroy(profile);
    put_text(
        at(scratch, "profile.json"),
        "{ \"format\": 1, \"program\": \"a\","
        "\"identity\": \"b\", \"ntasks\": 1, \"recorded\": \"c\","
        "\"seconds\": 1, \"task_seconds\": { \"max\": 1 }, \"types\": [] }");
    assert_int_equal(profile_read(&profile, scratch->root, &err),
                     MAPCORE_EPARSE);
    assert_non_null(strstr(err.text, "max_task"));
}

static void expect_bad_graph(const struct scratch *scratch,
                             const char *name,
                             const char *part)
{
    struct profile *profile = read_good(scratch);
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err = {.text = ""};

    assert_true(profile_graph(&graph, profile, scratch->root, name, &err) < 0);
    if (!strstr(err.text, part))
        fail_msg("'%s' lacks '%s'", err.text, part);
    assert_null(graph);
    profile_destroy(profile);
}

static void test_graphs(void **state)
{
    const struct scratch *scratch = *state;
    struct mapcore_graph *graph = NULL;
    struct profile *profile;
    struct mapcore_error err;
    char text[4096];

    put_profile(scratch);
    profile = read_good(scratch);
    assert_ok(profile_graph(&graph, profile, scratch->root, "p2p", &err));
    assert_int_equal(mapcore_graph_bytes(graph), 24);
    mapcore_graph_destroy(graph);
    profile_destroy(profile);
    expect_bad_graph(scratch, "allreduce",
                     "the profile of app has no graph of allreduce: over more "
                     "than half of the tasks");
    expect_bad_graph(scratch, "scan",
                     "the profile of app has no graph 'scan'; it has p2p, "
                     "bcast, sum, weighted-sum, all");
    snprintf(text, sizeof(text), "%s \"types\": [] }", head);
    put_text(at(scratch, "profile.json"), text);
    expect_bad_graph(scratch, "p2p", "has no graph 'p2p'");
}

static void test_bad_graphs(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"5 1 001\n2 6\n1 6\n\n\n\n", "a graph of 5 tasks in a profile of 4"},
        {"1000000000 1 001\n2 6\n1 6\n", "p2p.graph"},
        {"", "p2p.graph"},
        {"4 1 001\n2 nan\n1 nan\n\n\n", "p2p.graph:2"},
    };
    const struct scratch *scratch = *state;
    const char *path = at(scratch, "p2p.graph");

    put_profile(scratch);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        put_text(path, bad[i].text);
        expect_bad_graph(scratch, "p2p", bad[i].says);
    }
    assert_ok(unlink(path));
    expect_bad_graph(scratch, "p2p", "No such file");
    assert_ok(symlink("b.graph", path));
    expect_bad_graph(scratch, "p2p", "not a regular file");
    assert_ok(unlink(path));
    assert_ok(mkdir(path, 0755));
    expect_bad_graph(scratch, "p2p", "is a folder");
}

/* code 0: any. */
static void expect_bad(const struct scratch *scratch,
                       int code,
                       const char *part)
{
    struct profile *profile = NULL;
    struct mapcore_error err = {.text = ""};
    int rc = profile_read(&profile, scratch->root, &err);

    if (rc >= 0 || (code != 0 && rc != code) || profile ||
        !strstr(err.text, part))
        fail_msg("%d '%s', not %d '%s'", rc, err.text, code, part);
    assert_non_null(strstr(err.text, "profile.json"));
}

/* Each good text with one piece replaced. */
static void test_bad_values(void **state)
{
    static const struct {
        const char *from, *to, *says;
        int code;
    } bad[] = {
        {"\"format\": 1", "\"format\": 2", "format 2 is later",
         MAPCORE_EVERSION},
        {"\"format\": 1", "\"format\": 0", "no format 0", MAPCORE_EPARSE},
        {"\"format\": 1", "\"format\": \"1\"", "key format: expected a number",
         MAPCORE_EPARSE},
        {"\"format\": 1,", "", "key format: missing", MAPCORE_EPARSE},
        {"\"program\": \"app\",", "", "key program: missing", MAPCORE_EPARSE},
        {"\"ntasks\": 4", "\"ntasks\": 0", "key ntasks", MAPCORE_ERANGE},
        {"\"ntasks\": 4", "\"ntasks\": -4", "key ntasks", MAPCORE_EPARSE},
        {"\"ntasks\": 4", "\"ntasks\": 4.5", "key ntasks", MAPCORE_EPARSE},
        {"\"ntasks\": 4", "\"ntasks\": 4294967295", "key ntasks",
         MAPCORE_ERANGE},
        {"\"ntasks\": 4", "\"ntasks\": 99999999999", "key ntasks",
         MAPCORE_ERANGE},
        {"\"ntasks\": 4,", "", "key ntasks: missing", MAPCORE_EPARSE},
        {"1.25", "NaN", "key seconds", MAPCORE_EPARSE},
        {"1.25", "-1", "key seconds: expected a number that is not negative",
         MAPCORE_EPARSE},
        {"1.25", "1e999", "key seconds", MAPCORE_EPARSE},
        {"\"user\": \"name\"", "\"user\": 5", "key user: expected a string",
         MAPCORE_EPARSE},
        {"\"calls\": 100", "\"calls\": -1", "key types[0].calls",
         MAPCORE_EPARSE},
        /* A json-c of 0.18 or later takes it for no JSON. */
        {"\"bytes\": 24", "\"bytes\": 99999999999999999999", "", 0},
        {"\"type\": \"bcast\"", "\"type\": \"p2p\"", "twice", MAPCORE_EPARSE},
        {"\"type\": \"bcast\"", "\"type\": \"../x\"", "not a plain name",
         MAPCORE_EPARSE},
        {"b.graph", "../b.graph", "key types[2].graph: not a plain name",
         MAPCORE_EPARSE},
        {"b.graph", ".hidden", "not a plain name", MAPCORE_EPARSE},
        {"\"types\": [", "\"types\": [ 7,", "types[0]", MAPCORE_EPARSE},
        {"\"types\": [", "\"other\": [", "key types: missing", MAPCORE_EPARSE},
    };
    char good[4096], text[8192];

    snprintf(good, sizeof(good), "%s%s", head, types);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        const char *where = strstr(good, bad[i].from);

        assert_non_null(where);
        snprintf(text, sizeof(text), "%.*s%s%s", (int)(where - good), good,
                 bad[i].to, where + strlen(bad[i].from));
        put_text(at(*state, "profile.json"), text);
        expect_bad(*state, bad[i].code, bad[i].says);
    }
}

/* Cut at every byte, and what never was a profile. */
static void test_truncated_and_garbage(void **state)
{
    char good[4096];
    size_t length;

    expect_bad(*state, MAPCORE_EIO, "No such file");
    snprintf(good, sizeof(good), "%s%s", head, types);
    length = strlen(good) - 2; /* the last brace and newline */
    for (size_t n = 0; n < length; n++) {
        put_file(at(*state, "profile.json"), good, n);
        expect_bad(*state, MAPCORE_EPARSE, "profile.json:");
    }
    put_text(at(*state, "profile.json"), "\177ELF\002\001\001");
    expect_bad(*state, MAPCORE_EPARSE, "not JSON");
    put_text(at(*state, "profile.json"), "[]");
    expect_bad(*state, MAPCORE_EPARSE, "expected an object");
    assert_ok(unlink(at(*state, "profile.json")));
    assert_ok(symlink("profile.json", at(*state, "profile.json")));
    expect_bad(*state, MAPCORE_EIO, "symbolic links");
    assert_ok(unlink(at(*state, "profile.json")));
    assert_ok(mkdir(at(*state, "profile.json"), 0755));
    expect_bad(*state, MAPCORE_EIO, "is a folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(test_read),
        ON_DISK(test_written_is_read),
        ON_DISK(test_task_seconds),
        ON_DISK(test_graphs),
        ON_DISK(test_bad_graphs),
        ON_DISK(test_bad_values),
        ON_DISK(test_truncated_and_garbage),
    };

    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
