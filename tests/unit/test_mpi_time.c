/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_mpi_time.c - seconds in MPI of a step, from what its nodes have kept of
 * their tasks: the average over those that tell, and nothing of what cannot be
 */
#include "config.h"

#include "scratch.h"

#include "launch/kept.h"
#include "profiles/commprof/count/messages.h"
#include "tools/history/history_tool.h"

#include <utime.h>

#define SECOND UINT64_C(1000000000)

/* A region as a task leaves it that only counts its time. */
struct region {
    struct kept_head head;
    struct kept_block block;
    struct call_stats stats;
};

static struct region region_of(uint64_t ran_ns, uint64_t mpi_ns)
{
    return (struct region){
        .head = {.magic = KEPT_MAGIC,
                 .state = KEPT_COUNTING,
                 .used = sizeof(struct region),
                 .began_ns = 5 * SECOND,
                 .last_ns = 5 * SECOND + ran_ns},
        .block = {.kind = KEPT_STATS, .size = sizeof(struct call_stats)},
        .stats = {.ns = mpi_ns}};
}

struct step {
    void *scratch;
    char spools[300], folder[320];
};

static int make_step(void **state)
{
    static struct step step;

    if (scratch_setup(&step.scratch) < 0)
        return -1;
    snprintf(step.spools, sizeof(step.spools), "%.280s",
             at(step.scratch, ".spool-1"));
    snprintf(step.folder, sizeof(step.folder), "%s/time-1.0-1", step.spools);
    *state = &step;
    return mkdir(step.spools, 0700) < 0 ? -1 : mkdir(step.folder, 0700);
}

static int remove_step(void **state)
{
    return scratch_teardown(&((struct step *)*state)->scratch);
}

static void leave(const struct step *step,
                  const char *name,
                  const struct region *region,
                  size_t n,
                  size_t cut)
{
    char path[400];

    snprintf(path, sizeof(path), "%s/%s", step->folder, name);
    put_file(path, (const char *)region, n > 0 ? n * sizeof(*region) - cut : 0);
}

static void expect(const struct step *step, double seconds)
{
    double found = -1;

    assert_ok(mpi_time_take(&found, step->folder, NULL));
    assert_true(found > seconds - 1e-9 && found < seconds + 1e-9);
    assert_int_equal(access(step->folder, F_OK), -1);
}

static void test_average_of_tasks(void **state)
{
    const struct step *step = *state;
    const struct region nodes[2][2] = {
        {region_of(10 * SECOND, 1 * SECOND), region_of(10 * SECOND, SECOND)},
        {region_of(10 * SECOND, 4 * SECOND), region_of(10 * SECOND, 0)}};

    leave(step, "node-0.kept", nodes[0], 2, 0);
    leave(step, "node-1.kept", nodes[1], 2, 0);
    /* Of a task that went on: what it had before. */
    leave(step, "node-1.sofar", nodes[0], 2, 0);
    expect(step, 1.5);
}

/* Those tasks do not count; their neighbours do. */
static void test_what_cannot_be_is_left_out(void **state)
{
    const struct step *step = *state;
    struct region region[6];

    for (size_t i = 0; i < 6; i++)
        region[i] = region_of(SECOND, SECOND / 4);
    region[0].stats.ns = UINT64_MAX;   /* more than a thousand threads */
    region[1].head.last_ns = SECOND;   /* before it began */
    region[2].block.kind = KEPT_ROWS;  /* no counter */
    region[3].block.size = 8;          /* half of one */
    region[4].stats.ns = 900 * SECOND; /* nine hundred threads */
    region[5].stats.ns = 2 * SECOND;
    leave(step, "node-0.kept", region, 6, 0);
    expect(step, 451);
}

/* Up to there what a node has left counts. */
static void test_half_a_file(void **state)
{
    const struct step *step = *state;
    struct region region[3];

    for (size_t i = 0; i < 3; i++)
        region[i] = region_of(SECOND, (i + 1) * SECOND / 8);
    leave(step, "node-0.kept", region, 3, sizeof(struct call_stats));
    region[1].head.magic++;
    leave(step, "node-1.kept", region, 3, 0);
    region[1].head.magic--;
    region[1].head.used = 8;
    leave(step, "node-2.kept", region, 3, 0);
    expect(step, (0.125 + 0.25 + 0.125 + 0.125) / 4);
}

static void test_nobody_tells(void **state)
{
    const struct step *step = *state;
    double found = -1;

    leave(step, "node-0.kept", NULL, 0, 0);
    assert_int_equal(mpi_time_take(&found, step->folder, NULL), MAPCORE_ENOENT);
    assert_true(found == -1);
    assert_int_equal(mpi_time_take(&found, step->spools, NULL), MAPCORE_EINVAL);
    assert_int_equal(mpi_time_take(&found, "time-1.0-1", NULL), MAPCORE_EINVAL);
}

/* What an srun that was killed has left goes after a week, no sooner. */
static void test_others_stay_a_week(void **state)
{
    const struct step *step = *state;
    const struct region region = region_of(SECOND, SECOND);
    const struct utimbuf old = {1000000000, 1000000000};
    char other[2][320];
    double found;

    for (int i = 0; i < 2; i++) {
        snprintf(other[i], sizeof(other[i]), "%s/time-%d.0-1", step->spools,
                 i + 2);
        assert_ok(mkdir(other[i], 0700));
    }
    assert_ok(utime(other[0], &old));
    leave(step, "node-0.kept", &region, 1, 0);
    assert_ok(mpi_time_take(&found, step->folder, NULL));
    assert_int_equal(access(other[0], F_OK), -1);
    assert_ok(access(other[1], F_OK));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, make_step, remove_step)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_average_of_tasks),   TEST(test_what_cannot_be_is_left_out),
        TEST(test_half_a_file),        TEST(test_nobody_tells),
        TEST(test_others_stay_a_week),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
