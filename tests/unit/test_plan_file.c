/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_plan_file.c - a plan in a file: whole or refused, and for its own launch
 * alone */
#include "config.h"

#include "unit.h"

#include "tools/plan/plan_file.h"

#include <unistd.h>

static uint32_t counts[] = {2, 1, 1}, baseline[] = {0, 0, 1, 2};
static uint32_t host[] = {1, 0, 2, 0}, slot[] = {0, 1, 0, 0};

static struct mapcore_facts facts_of(const char *nodes)
{
    return (struct mapcore_facts){.program = (char *)(uintptr_t) "/x/app",
                                  .ntasks = 4,
                                  .nhosts = 3,
                                  .nodelist = (char *)(uintptr_t)nodes,
                                  .counts = counts,
                                  .baseline = baseline};
}

static char *text_of(enum mapcore_plan_outcome outcome)
{
    const struct mapcore_facts facts = facts_of("n[0-2]");
    const struct mapcore_plan plan = {
        .ntasks = 4,
        .nhosts = 3,
        .outcome = outcome,
        .reason = (char *)(uintptr_t) "app's 4 ranks",
        .host = host,
        .slot = slot,
        .hops_per_byte = {3, 1.5},
    };
    char *text = NULL;

    assert_ok(plan_file_format(&text, &facts, &plan, NULL));
    return text;
}

/* read(launch): its status, from a file with that text; *plan as found. */
static int read_text(struct mapcore_plan **plan,
                     const char *text,
                     const struct mapcore_facts *launch,
                     struct mapcore_error *err)
{
    char path[] = "/tmp/test_plan_file.XXXXXX";
    int fd = mkstemp(path), error;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
    error = plan_file_read(plan, path, launch, err);
    unlink(path);
    return error;
}

static void there_and_back(void **state)
{
    /* The same list, as Slurm may write it, too. */
    static const char *const lists[] = {"n[0-2]", "n0,n1,n2", "n[0-1],n2"};
    char *text = text_of(MAPCORE_PLAN_PLACED);

    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        const struct mapcore_facts launch = facts_of(lists[i]);
        struct mapcore_plan *plan = NULL;

        assert_ok(read_text(&plan, text, &launch, NULL));
        assert_true(plan->outcome == MAPCORE_PLAN_PLACED);
        assert_memory_equal(plan->host, host, sizeof(host));
        assert_memory_equal(plan->slot, slot, sizeof(slot));
        assert_string_equal(plan->reason, "app's 4 ranks");
        assert_true(plan->hops_per_byte[1] == 1.5);
        mapcore_plan_destroy(plan);
    }
    free(text);
}

static void kept_layouts(void **state)
{
    const struct mapcore_facts launch = facts_of("n[0-2]");
    struct mapcore_plan *plan = NULL;
    char *text = text_of(MAPCORE_PLAN_FAILED);

    assert_ok(read_text(&plan, text, &launch, NULL));
    assert_false(plan->outcome == MAPCORE_PLAN_PLACED);
    mapcore_plan_destroy(plan);
    free(text);
}

static void other_launches(void **state)
{
    uint32_t other_counts[] = {1, 2, 1}, more_counts[] = {2, 1, 2};
    uint32_t more_baseline[] = {0, 0, 1, 2, 2};
    struct {
        struct mapcore_facts launch;
        const char *says;
    } rows[] = {
        {facts_of("n[0-1],n3"), "for the nodes n[0-2], and this step has "
                                "n[0-1],n3"},
        {facts_of("n1,n0,n2"), "for the nodes n[0-2]"},
        {facts_of("n[0-2]"), "for other numbers of tasks"},
        {facts_of("n[0-2]"), "for 4 tasks, and this step has 5"},
    };
    char *text = text_of(MAPCORE_PLAN_PLACED);

    rows[2].launch.counts = other_counts;
    rows[3].launch.ntasks = 5;
    rows[3].launch.counts = more_counts;
    rows[3].launch.baseline = more_baseline;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct mapcore_plan *plan = NULL;
        struct mapcore_error err;

        assert_int_equal(read_text(&plan, text, &rows[i].launch, &err),
                         MAPCORE_EINVAL);
        assert_non_null(strstr(err.text, rows[i].says));
        assert_null(plan);
    }
    free(text);
}

/* All that may be cut off or changed anywhere, but for the digits of a number
 * that no checksum is about. */
static void damaged(void **state)
{
    const struct mapcore_facts launch = facts_of("n[0-2]");
    char *text = text_of(MAPCORE_PLAN_PLACED);
    size_t n = strlen(text);

    for (size_t i = 0; i < n; i++) {
        struct mapcore_plan *plan = NULL;
        struct mapcore_facts *facts = NULL;
        char *copy = strdup(text);

        assert_non_null(copy);
        assert_true(plan_file_parse(&plan, &facts, "f", copy, i, NULL) < 0);
        copy[i] ^= 1;
        assert_true(plan_file_parse(&plan, &facts, "f", copy, n, NULL) < 0);
        assert_null(plan);
        assert_null(facts);
        free(copy);
    }
    assert_true(read_text(&(struct mapcore_plan *){NULL}, "", &launch, NULL) <
                0);
    assert_true(read_text(&(struct mapcore_plan *){NULL},
                          "topomap-plan-file 2 "
                          "0000000000000000\n",
                          &launch, NULL) == MAPCORE_EVERSION);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(kept_layouts),
        cmocka_unit_test(other_launches),
        cmocka_unit_test(damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
