/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_binding_machines.c - which CPUs the slots of whole machines get, held
 * against golden files */

/* A golden file, golden/machines/NAME.txt, has a line for each number of tasks
 * and each kind of masks that Slurm makes: the CPUs of slot 0, 1, ... With
 * UPDATE=yes in the environment they are written anew: read their diff. */
#include "config.h"

#include "unit.h"

#include "plugin/task/affinity.h"
#include "plugin/task/binding.h"
#include "plugin/task/cpuset.h"

#include "base/buffer.h"
#include "base/file_read.h"

#include <stdbool.h>

#define FOLDER TEST_DATA "/machines/"
enum { TASKS_MOST = 256, FILE_MOST = 1 << 20 };

/* Cores of so many threads; Linux numbers the first threads of all cores before
 * the second ones, which the text of hwloc's synthetic form says by indexes. */
struct machine {
    const char *name;
    const char *tree; /* down to the cores; NULL: NAME.xml */
    unsigned ncores, nthreads;
    unsigned tasks[8];
};

static const struct machine machines[] = {
    {"two-sockets-l3", "pack:2 l3:8 core:8", 128, 2, {2, 3, 16, 20, 128, 256}},
    {"four-numa", "pack:2 numa:4 l3:2 core:6", 96, 1, {2, 5, 8, 16, 96}},
    {"one-socket", "pack:1 l3:1 core:8", 8, 2, {2, 3, 4, 8, 12, 16, 17}},
    {"hybrid", NULL, 16, 0, {2, 4, 8, 12, 16, 24}},
    {"gpus", NULL, 32, 1, {2, 4, 8, 12, 32}},
};

static char *describe(const struct machine *machine)
{
    struct buffer text = {0};

    if (!machine->tree) {
        char path[512];

        snprintf(path, sizeof(path), FOLDER "%s.xml", machine->name);
        assert_int_equal(
            file_read_all(&text, path, FILE_REGULAR, FILE_MOST, NULL), 0);
        return buffer_steal(&text);
    }
    buffer_printf(&text, NULL, "%s pu:%u(indexes=", machine->tree,
                  machine->nthreads);
    for (unsigned core = 0; core < machine->ncores; core++)
        for (unsigned thread = 0; thread < machine->nthreads; thread++)
            buffer_printf(&text, NULL, "%s%u", core + thread > 0 ? "," : "",
                          thread * machine->ncores + core);
    assert_int_equal(buffer_printf(&text, NULL, ")"), 0);
    return buffer_steal(&text);
}

/* All CPUs, as Slurm writes a mask. */
static void add_all(struct buffer *out,
                    const struct cpuset_machine *machine,
                    unsigned ncores)
{
    char cores[16], *mask = NULL;

    snprintf(cores, sizeof(cores), "0-%u", ncores);
    assert_int_not_equal(cpuset_of_cores(&mask, machine, cores, NULL), 0);
    snprintf(cores, sizeof(cores), "0-%u", ncores - 1);
    assert_int_equal(cpuset_of_cores(&mask, machine, cores, NULL), 0);
    buffer_printf(out, NULL, "%s", mask);
    free(mask);
}

/* A core for each of n tasks, dealt to the halves of the machine in turn, as
 * -m block:cyclic deals them to two sockets; with threads one thread each. */
static bool add_cyclic(struct buffer *out,
                       const struct cpuset_machine *machine,
                       unsigned ncores,
                       unsigned n)
{
    if (n > ncores)
        return false;
    for (unsigned i = 0; i < n; i++) {
        char core[16], *mask = NULL;

        snprintf(core, sizeof(core), "%u", i % 2 * (ncores / 2) + i / 2);
        assert_int_equal(cpuset_of_cores(&mask, machine, core, NULL), 0);
        buffer_printf(out, NULL, "%s%s", i > 0 ? "," : "", mask);
        free(mask);
    }
    return true;
}

static void add_line(struct buffer *out,
                     const struct cpuset_machine *machine,
                     const char *kind,
                     const char *masks,
                     unsigned n)
{
    uint32_t slot[TASKS_MOST];
    struct binding binding = {.nlocal = n, .slot = slot};
    char *list = NULL;

    for (uint32_t i = 0; i < n; i++)
        slot[i] = i;
    assert_int_equal(binding_masks(&list, machine, masks, &binding, NULL), 0);
    buffer_printf(out, NULL, "%u tasks, %s:", n, kind);
    for (char *mask = strtok(list, ","); mask; mask = strtok(NULL, ",")) {
        char *cpus = NULL;

        assert_int_equal(cpuset_list(&cpus, mask, NULL), 0);
        buffer_printf(out, NULL, " %s", cpus);
        free(cpus);
    }
    assert_int_equal(buffer_printf(out, NULL, "\n"), 0);
    free(list);
}

static void slots_get_their_cpus(const struct machine *machine)
{
    struct buffer found = {0}, golden = {0}, masks = {0};
    struct cpuset_machine *opened = NULL;
    char *description = describe(machine), path[512];
    const char *update = getenv("UPDATE");

    assert_int_equal(cpuset_machine_open(&opened, description, NULL), 0);
    for (size_t i = 0; i < 8 && machine->tasks[i] > 0; i++) {
        masks.n = 0;
        add_all(&masks, opened, machine->ncores);
        add_line(&found, opened, "one mask", masks.bytes, machine->tasks[i]);
        masks.n = 0;
        if (add_cyclic(&masks, opened, machine->ncores, machine->tasks[i]))
            add_line(&found, opened, "cyclic", masks.bytes, machine->tasks[i]);
    }
    snprintf(path, sizeof(path), FOLDER "%s.txt", machine->name);
    if (update && *update) {
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        fputs(found.bytes, file);
        assert_int_equal(fclose(file), 0);
    }
    assert_int_equal(
        file_read_all(&golden, path, FILE_REGULAR, FILE_MOST, NULL), 0);
    assert_string_equal(found.bytes, golden.bytes);
    buffer_clear(&found);
    buffer_clear(&golden);
    buffer_clear(&masks);
    cpuset_machine_close(opened);
    free(description);
}

static void two_sockets_of_eight_caches(void **state)
{
    slots_get_their_cpus(&machines[0]);
}

static void four_numa_nodes_a_socket(void **state)
{
    slots_get_their_cpus(&machines[1]);
}

static void one_socket(void **state)
{
    slots_get_their_cpus(&machines[2]);
}

static void fast_cores_of_two_threads_and_slow_ones_of_one(void **state)
{
    slots_get_their_cpus(&machines[3]);
}

static void gpus_and_nics_do_not_count(void **state)
{
    slots_get_their_cpus(&machines[4]);
}

/* On the machine that this is: no kernel has that CPU, and nobody asks. */
static void two_tasks_in_their_order_keep_their_masks(void **state)
{
    const char masks[] = "0x1,0x1000000000000000000000000000000000000000000000"
                         "00000000000000000000000000000000000000000000000000000"
                         "00000000000000000000000000000000000000000000000000000"
                         "00000000000000000000000000000000000000000000000000000"
                         "00000000000000000000000000000000000000000000000000000"
                         "00000000000000000000000000000000000000000000000000000"
                         "0000000000000000000000000000000000000000000000";
    static const uint32_t order[] = {0, 1}, other[] = {1, 0};
    struct binding binding = {.nlocal = 2, .slot = order, .list = masks};
    char *list = NULL;

    assert_true(affinity_is_settled(masks, order, 2));
    assert_false(affinity_is_settled(masks, other, 2));
    assert_false(affinity_is_settled("0x1", order, 2));
    assert_false(affinity_is_settled("0x1,0x2,0x4", order, 2));
    assert_false(affinity_is_settled(NULL, order, 2));
    binding.slot = other;
    assert_int_equal(binding_make(&list, NULL, &binding, NULL), MAPCORE_EPARSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sockets_of_eight_caches),
        cmocka_unit_test(four_numa_nodes_a_socket),
        cmocka_unit_test(one_socket),
        cmocka_unit_test(fast_cores_of_two_threads_and_slow_ones_of_one),
        cmocka_unit_test(gpus_and_nics_do_not_count),
        cmocka_unit_test(two_tasks_in_their_order_keep_their_masks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
