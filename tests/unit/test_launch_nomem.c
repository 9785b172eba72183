/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_launch_nomem.c - what is loaded into srun and slurmstepd, with its
 * first, second, ... allocation failing; linked with --wrap for malloc, calloc
 * and realloc */
#include "config.h"

#include "unit.h"

#include "fakecpus.h"
#include "nomem.h"

#include "launch/facts.h"
#include "launch/plan.h"
#include "launch/wire.h"
#include "plugin/handoff/handoff_file.h"
#include "plugin/task/hardware.h"

static uint32_t counts[] = {2, 3};
static uint32_t host[] = {1, 0, 1, 0, 1}, slot[] = {2, 1, 0, 0, 1};
static char reason[] = "x", program[] = "/a", nodelist[] = "n[0-1]",
            topology[] = "SwitchName=s0 Nodes=n[0-1]";

static struct mapcore_plan plan = {
    .ntasks = 5,
    .nhosts = 2,
    .outcome = MAPCORE_PLAN_PLACED,
    .reason = reason,
    .host = host,
    .slot = slot,
};

static int plan_there_and_back(struct mapcore_error *err)
{
    struct mapcore_plan *back = NULL;
    char *text = NULL;
    int error = mapcore_plan_format(&text, &plan, err);

    if (error == 0)
        error =
            mapcore_plan_parse(&back, text, strlen(text), 5, 2, counts, err);
    assert_int_equal(back != NULL, error == 0);
    mapcore_plan_destroy(back);
    free(text);
    return error;
}

static int facts_there_and_back(struct mapcore_error *err)
{
    const struct mapcore_facts facts = {
        .program = program,
        .ntasks = 5,
        .nhosts = 2,
        .nodelist = nodelist,
        .counts = counts,
        .baseline = (uint32_t[]){0, 0, 1, 1, 1},
        .topology = topology,
    };
    static const char *const words[] = {"a b", NULL};
    struct mapcore_facts *back = NULL;
    char *text = NULL, *command = NULL;
    int error = mapcore_facts_format(&text, &facts, err);

    if (error == 0)
        error = mapcore_facts_parse(&back, "f", text, strlen(text), err);
    if (error == 0)
        error = plan_command(&command, &facts, words, err);
    mapcore_facts_destroy(back);
    free(text);
    free(command);
    return error;
}

static int slots_there_and_back(struct mapcore_error *err)
{
    char *text = NULL, *name = NULL, *got = NULL;
    uint32_t mine[3];
    int error = slot_text_format(&text, &plan, err);

    if (error == 0)
        error = handoff_file_name(&name, text, "/x", err);
    if (error == 0)
        error = handoff_file_read(&got, text, err);
    if (error == 0)
        error = slot_text_parse(mine, 3, got, strlen(got), 2, 1, err);
    free(text);
    free(name);
    free(got);
    return error;
}

static int masks_by_slot(struct mapcore_error *err)
{
    static const char *const lists[] = {"0x10,0x1,0x2", "0xff"};
    struct binding binding = {.nlocal = 3, .slot = slot + 1};
    char *out = NULL;
    int error = 0;

    for (size_t i = 0; error == 0 && i < COUNT(lists); i++) {
        fake_machine("pack:2 core:4 pu:1", NULL, 8);
        binding.list = lists[i];
        error = topomap_hardware.make(&out, NULL, &binding, err);
        free(out);
        out = NULL;
    }
    return error;
}

static int descriptions(struct mapcore_error *err)
{
    static const char *const names[] = {"n0", "n1"};
    char *map = NULL;
    FILE *file = tmpfile();
    int error = plan_describe(&map, &plan, nodelist, err);

    assert_non_null(file);
    if (error == 0)
        error = mapcore_plan_write(&plan, MAPCORE_PLAN_MPICH, names, file, err);
    fclose(file);
    free(map);
    return error;
}

static void every_failed_allocation_is_told(void **state)
{
    static int (*const cases[])(struct mapcore_error *) = {
        plan_there_and_back, facts_there_and_back, slots_there_and_back,
        masks_by_slot, descriptions};

    for (size_t i = 0; i < COUNT(cases); i++) {
        long n = 0;

        do {
            struct mapcore_error err = {.text = ""};
            int error;

            failed = false;
            granted = n++;
            error = cases[i](&err);
            granted = -1;
            assert_int_equal(error, failed ? MAPCORE_ENOMEM : 0);
            assert_int_equal(strlen(err.text) > 0, failed);
        } while (failed);
        assert_true(n > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
