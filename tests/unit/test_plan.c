/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_plan.c - the wire form of a plan, believed only when all of it fits,
 * and the forms for other launchers */
#include "config.h"

#include "unit.h"

#include "base/fnv.h"
#include "launch/plan.h"
#include "launch/runs.h"
#include "launch/step_files.h"
#include "launch/wire.h"

#include <inttypes.h>

static const uint32_t counts[] = {2, 3};

/* Five ranks on two hosts. */
static struct mapcore_plan make_plan(uint32_t *host, uint32_t *slot)
{
    static char reason[] = "profile of app";
    struct mapcore_plan plan = {
        .ntasks = 5,
        .nhosts = 2,
        .outcome = MAPCORE_PLAN_PLACED,
        .reason = reason,
        .host = host,
        .slot = slot,
        .hops_per_byte = {1.5, 0.75},
        .off_node_bytes = {100, 50},
        .max_link_bytes = {10, 5},
        .decided_by = MAPCORE_PLAN_BY_LINK_TIME,
        .decided = {0.1, 0.03},
        .milliseconds = {1.25, 0.5, 3},
    };

    return plan;
}

static void runs_are_short_and_read_back(void **state)
{
    static const struct {
        uint32_t values[6];
        uint32_t n;
        const char *text;
    } cases[] = {
        {{0}, 0, ""},
        {{7}, 1, "7"},
        {{3, 3}, 2, "3*2"},
        {{1, 2}, 2, "1,2"},
        {{1, 2, 3}, 3, "1..3"},
        {{0, 0, 1, 1, 2, 2}, 6, "0*2,1*2,2*2"},
        {{5, 4, 3, 2, 1, 0}, 6, "5,4,3,2,1,0"},
        {{UINT32_MAX, 0, 1, 2, 9, 9}, 6, "4294967295,0..2,9*2"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t values[6] = {0};
        char *text = NULL;

        assert_ok(runs_format(&text, cases[i].values, cases[i].n, NULL));
        assert_string_equal(text, cases[i].text);
        assert_ok(runs_parse(values, cases[i].n, text, NULL));
        assert_memory_equal(values, cases[i].values, 4 * cases[i].n);
        free(text);
    }
}

static void wrong_runs_are_refused(void **state)
{
    static const struct {
        const char *text;
        int error;
    } cases[] = {
        {"1,2", MAPCORE_ERANGE},
        {"1,2,3,4", MAPCORE_ERANGE},
        {"1*4", MAPCORE_ERANGE},
        {"1*4294967295", MAPCORE_ERANGE},
        {"0..4294967295", MAPCORE_ERANGE},
        {"1,2,", MAPCORE_EPARSE},
        {",1,2,3", MAPCORE_EPARSE},
        {"1,,2,3", MAPCORE_EPARSE},
        {"3..1", MAPCORE_EPARSE},
        {"1*0,1,1,1", MAPCORE_EPARSE},
        {"1 ,2,3", MAPCORE_EPARSE},
        {"-1,2,3", MAPCORE_EPARSE},
        {"+1,2,3", MAPCORE_EPARSE},
        {"4294967296,1,2", MAPCORE_EPARSE},
        {"1.2,2", MAPCORE_EPARSE},
        {"x", MAPCORE_EPARSE},
        {"", MAPCORE_ERANGE},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_error err;
        uint32_t values[3];

        assert_int_equal(runs_parse(values, 3, cases[i].text, &err),
                         cases[i].error);
        assert_true(strlen(err.text) > 0);
    }
}

static void a_plan_comes_back_as_it_was(void **state)
{
    uint32_t host[] = {1, 0, 1, 0, 1}, slot[] = {2, 1, 0, 0, 1};
    struct mapcore_plan plan = make_plan(host, slot), *back = NULL;
    char *text = NULL;

    assert_ok(mapcore_plan_format(&text, &plan, NULL));
    assert_int_equal(mapcore_plan_complete(text, strlen(text)), strlen(text));
    assert_ok(
        mapcore_plan_parse(&back, text, strlen(text), 5, 2, counts, NULL));
    assert_true(back->outcome == MAPCORE_PLAN_PLACED);
    assert_string_equal(back->reason, "profile of app");
    assert_memory_equal(back->host, host, sizeof(host));
    assert_memory_equal(back->slot, slot, sizeof(slot));
    assert_true(back->hops_per_byte[0] == 1.5 &&
                back->hops_per_byte[1] == 0.75);
    assert_int_equal(back->off_node_bytes[1], 50);
    assert_true(back->max_link_bytes[0] == 10 && back->milliseconds[0] == 1.25);
    assert_int_equal(back->decided_by, MAPCORE_PLAN_BY_LINK_TIME);
    assert_true(back->decided[0] == 0.1 && back->decided[1] == 0.03);
    assert_string_equal(mapcore_plan_decision_name(back->decided_by),
                        "slowest-link");
    mapcore_plan_destroy(back);
    free(text);
}

static void a_reason_is_one_line_and_keep_has_no_places(void **state)
{
    char reason[] = "line one\nend 0123456789abcdef\nx";
    struct mapcore_plan plan = make_plan(NULL, NULL), *back = NULL;
    char *text = NULL;

    plan.outcome = MAPCORE_PLAN_UNRECORDED;
    plan.reason = reason;
    assert_ok(mapcore_plan_format(&text, &plan, NULL));
    assert_ok(
        mapcore_plan_parse(&back, text, strlen(text), 5, 2, counts, NULL));
    assert_int_equal(back->outcome, MAPCORE_PLAN_UNRECORDED);
    assert_string_equal(back->reason, "line one?end 0123456789abcdef?x");
    assert_null(back->host);
    mapcore_plan_destroy(back);
    free(text);
}

static void what_nodes_are_asked_is_one_line(void **state)
{
    char reason[] = "x", tree[] = "check p-8 Package:2 Core:2\nntasks 9";
    char endless[NODE_FILE_MOST + 1];
    uint32_t host[] = {1, 0, 1, 0, 1}, slot[] = {2, 1, 0, 0, 1};
    struct mapcore_plan plan = make_plan(host, slot), *back = NULL;
    char *text = NULL;

    plan.reason = reason;
    plan.tree = tree;
    assert_ok(mapcore_plan_format(&text, &plan, NULL));
    assert_ok(
        mapcore_plan_parse(&back, text, strlen(text), 5, 2, counts, NULL));
    assert_string_equal(back->tree, "check p-8 Package:2 Core:2?ntasks 9");
    assert_memory_equal(back->host, host, sizeof(host));
    mapcore_plan_destroy(back);
    free(text);
    memset(endless, 'x', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    plan.tree = endless;
    assert_ok(mapcore_plan_format(&text, &plan, NULL));
    assert_int_equal(
        mapcore_plan_parse(&back, text, strlen(text), 5, 2, counts, NULL),
        MAPCORE_ERANGE);
    free(text);
}

static void a_missing_or_changed_byte_is_noticed(void **state)
{
    uint32_t host[] = {1, 0, 1, 0, 1}, slot[] = {2, 1, 0, 0, 1};
    struct mapcore_plan plan = make_plan(host, slot), *back = NULL;
    char *text = NULL;

    assert_ok(mapcore_plan_format(&text, &plan, NULL));
    size_t n = strlen(text);
    for (size_t cut = 0; cut < n; cut++) {
        assert_int_equal(mapcore_plan_complete(text, cut), 0);
        assert_int_equal(
            mapcore_plan_parse(&back, text, cut, 5, 2, counts, NULL),
            MAPCORE_EPARSE);
    }
    for (size_t i = 0; i < n; i++) {
        text[i] ^= 1;
        assert_true(mapcore_plan_parse(&back, text, n, 5, 2, counts, NULL) < 0);
        text[i] ^= 1;
    }
    assert_null(back);
    free(text);
}

/* body with a right checksum behind it. */
static int parse_signed(const char *body,
                        struct mapcore_plan **out,
                        struct mapcore_error *err)
{
    char text[1024];

    snprintf(text, sizeof(text), "%send %016" PRIx64 "\n", body,
             fnv1a(body, strlen(body)));
    return mapcore_plan_parse(out, text, strlen(text), 5, 2, counts, err);
}

#define HEAD   "topomap-plan 2\noutcome placed\nreason x\n"
#define COUNTS "ntasks 5\nnhosts 2\nhops-per-byte 1 1\noff-node-bytes 1 1\n"
#define NUMBERS_BY(decision)                                                   \
    COUNTS "max-link-bytes 1 1\n" decision "milliseconds 1 1 1\n"
#define NUMBERS NUMBERS_BY("decided-by nothing 0 0\n")
#define PLACES  "hosts 0*2,1*3\nslots 0,1,0..2\n"

/* A newer `topomap` beside an older plugin, until both have been replaced. */
static void lines_of_later_versions_are_passed_over(void **state)
{
    static const char head[] = "topomap-plan 2\noutcome failed\nreason r\n",
                      tail[] = "ntasks 5\nnhosts 2\nhops-per-byte 0 0\n"
                               "off-node-bytes 0 0\nmax-link-bytes 0 0\n"
                               "decided-by nothing 0 0\nmilliseconds 0 0 0\n";
    struct mapcore_plan *plan = NULL;
    char body[512];

    snprintf(body, sizeof(body), "%sweather fine\ntree ask b-8\nx\n%s", head,
             tail);
    assert_ok(parse_signed(body, &plan, NULL));
    assert_string_equal(plan->tree, "ask b-8");
    assert_int_equal(plan->outcome, MAPCORE_PLAN_FAILED);
    mapcore_plan_destroy(plan);
    plan = NULL;
    /* Of one that could not read the launch. */
    snprintf(body, sizeof(body), "%sntasks 0\nnhosts 0\n%s", head,
             strstr(tail, "hops-per-byte"));
    assert_ok(parse_signed(body, &plan, NULL));
    assert_string_equal(plan->reason, "r");
    mapcore_plan_destroy(plan);
    plan = NULL;
    snprintf(body, sizeof(body), "%stree ask b-8\ntree ask c-8\n%s", head,
             tail);
    assert_int_equal(parse_signed(body, &plan, NULL), MAPCORE_ERANGE);
    snprintf(body, sizeof(body), "%sweather fine\n", head);
    assert_int_equal(parse_signed(body, &plan, NULL), MAPCORE_EPARSE);
    snprintf(body, sizeof(body), "%s%sweather fine\n", head, tail);
    assert_int_equal(parse_signed(body, &plan, NULL), MAPCORE_EPARSE);
    assert_null(plan);
}

static void a_reason_of_another_process_is_clean(void **state)
{
    struct mapcore_plan *plan = NULL;
    struct mapcore_error err;

    assert_ok(parse_signed("topomap-plan 2\noutcome unchanged\nreason "
                           "\x1b[31m\xc2\x9b\xc3\xa9\n" NUMBERS,
                           &plan, &err));
    assert_string_equal(plan->reason, "?[31m?\xc3\xa9");
    assert_int_equal(plan->outcome, MAPCORE_PLAN_UNCHANGED);
    mapcore_plan_destroy(plan);
}

static void what_does_not_fit_the_step_is_refused(void **state)
{
    static const struct {
        const char *body;
        int error;
    } cases[] = {
        {HEAD NUMBERS PLACES, 0},
        {"topomap-plan 1\n", MAPCORE_EVERSION},
        {"topomap-plan 3\n", MAPCORE_EVERSION},
        {HEAD NUMBERS_BY("decided-by hop-bytes 2 1\n") PLACES, 0},
        {HEAD NUMBERS_BY("") PLACES, MAPCORE_EPARSE},
        {HEAD NUMBERS_BY("decided-by luck 2 1\n") PLACES, MAPCORE_EPARSE},
        {HEAD NUMBERS_BY("decided-by hop-bytes 2\n") PLACES, MAPCORE_EPARSE},
        {"topomap-plan x\n", MAPCORE_EPARSE},
        {"hello\n", MAPCORE_EPARSE},
        {"", MAPCORE_EPARSE},
        {"topomap-plan 2\noutcome map\n", MAPCORE_EPARSE},
        {"topomap-plan 2\noutcome perhaps\n", MAPCORE_EPARSE},
        {HEAD, MAPCORE_EPARSE},
        {HEAD "ntasks 6\n", MAPCORE_ERANGE},
        {HEAD "ntasks 5\nnhosts 3\n", MAPCORE_ERANGE},
        {HEAD "ntasks 5 5\n", MAPCORE_EPARSE},
        {HEAD "ntasks 5\nnhosts 2\nhops-per-byte 1\n", MAPCORE_EPARSE},
        {HEAD "ntasks 5\nnhosts 2\nhops-per-byte nan 1\n", MAPCORE_EPARSE},
        {HEAD "ntasks 5\nnhosts 2\nhops-per-byte -1 1\n", MAPCORE_EPARSE},
        {HEAD NUMBERS "hosts 0*2,1*3\n", MAPCORE_EPARSE},
        {HEAD NUMBERS "hosts 0*2,1*2\nslots 0,1,0..2\n", MAPCORE_ERANGE},
        {HEAD NUMBERS "hosts 0*2,1*4\nslots 0,1,0..2\n", MAPCORE_ERANGE},
        {HEAD NUMBERS "hosts 0*3,1*2\nslots 0,1,0..2\n", MAPCORE_EPARSE},
        {HEAD NUMBERS "hosts 0*3,1*2\nslots 0..2,0,1\n", MAPCORE_ERANGE},
        {HEAD NUMBERS "hosts 0*2,2*3\nslots 0,1,0..2\n", MAPCORE_ERANGE},
        {HEAD NUMBERS "hosts 0*2,1*3\nslots 0,0,0..2\n", MAPCORE_EPARSE},
        {HEAD NUMBERS "hosts 0*2,1*3\nslots 0,1,0,1,3\n", MAPCORE_ERANGE},
        {HEAD NUMBERS PLACES "more 1\n", MAPCORE_EPARSE},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_plan *plan = NULL;
        struct mapcore_error err = {.text = ""};

        assert_int_equal(parse_signed(cases[i].body, &plan, &err),
                         cases[i].error);
        assert_int_equal(plan != NULL, cases[i].error == 0);
        assert_int_equal(strlen(err.text) > 0, cases[i].error != 0);
        mapcore_plan_destroy(plan);
    }
}

static const char *written(enum mapcore_plan_form form,
                           const struct mapcore_plan *plan,
                           char *text,
                           size_t size)
{
    static const char *const names[] = {"n0", "n7"};
    FILE *file = tmpfile();

    assert_non_null(file);
    assert_ok(mapcore_plan_write(plan, form, names, file, NULL));
    rewind(file);
    size_t n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    fclose(file);
    return text;
}

static void other_launchers_get_their_forms(void **state)
{
    uint32_t host[] = {1, 0, 1, 0, 1}, slot[] = {2, 1, 0, 0, 1};
    struct mapcore_plan plan = make_plan(host, slot);
    char text[256], *map = NULL;

    assert_string_equal(written(MAPCORE_PLAN_HOSTFILE, &plan, text, 256),
                        "n7\nn0\nn7\nn0\nn7\n");
    assert_string_equal(written(MAPCORE_PLAN_RANKFILE, &plan, text, 256),
                        "rank 0=n7 slot=2\nrank 1=n0 slot=1\n"
                        "rank 2=n7 slot=0\nrank 3=n0 slot=0\n"
                        "rank 4=n7 slot=1\n");
    assert_string_equal(written(MAPCORE_PLAN_MPICH, &plan, text, 256),
                        "3,1,2,4,0\n");
    assert_ok(plan_describe(&map, &plan, "n[0,7]", NULL));
    assert_string_equal(map, "n0: ranks 3,1\nn7: ranks 2,4,0\n"
                             "catalogue 1.25 ms, topology 0.50 ms, "
                             "mapping 3.00 ms\n");
    free(map);
    assert_int_equal(plan_describe(&map, &plan, "n[0-7]", NULL),
                     MAPCORE_EPARSE);
}

static void a_plan_that_keeps_has_no_form(void **state)
{
    static const char *const names[] = {"n0", "n7"};
    struct mapcore_plan plan = make_plan(NULL, NULL);
    struct mapcore_error err;

    plan.outcome = MAPCORE_PLAN_FAILED;
    assert_int_equal(
        mapcore_plan_write(&plan, MAPCORE_PLAN_MPICH, names, stdout, &err),
        MAPCORE_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_short_and_read_back),
        cmocka_unit_test(wrong_runs_are_refused),
        cmocka_unit_test(a_plan_comes_back_as_it_was),
        cmocka_unit_test(a_reason_is_one_line_and_keep_has_no_places),
        cmocka_unit_test(what_nodes_are_asked_is_one_line),
        cmocka_unit_test(a_missing_or_changed_byte_is_noticed),
        cmocka_unit_test(lines_of_later_versions_are_passed_over),
        cmocka_unit_test(a_reason_of_another_process_is_clean),
        cmocka_unit_test(what_does_not_fit_the_step_is_refused),
        cmocka_unit_test(other_launchers_get_their_forms),
        cmocka_unit_test(a_plan_that_keeps_has_no_form),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
