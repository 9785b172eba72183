/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_cpuset.c - from slots to CPU masks, on machines that hwloc makes up */
#include "config.h"

#include "unit.h"

#include "plugin/task/affinity.h"
#include "plugin/task/binding.h"
#include "plugin/task/cpuset.h"

#include <hwloc.h>

/* Two sockets of four cores, one thread each, PUs numbered along the tree. */
#define PLAIN "pack:2 core:4 pu:1"
/* The same with two threads a core: PU p and p + 8 share a core. */
#define THREADS                                                                \
    "pack:2 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)"
/* Numbered across the sockets: even PUs on the first one, odd on the other. */
#define ACROSS "pack:2 core:4 pu:1(indexes=0,2,4,6,1,3,5,7)"
/* Two sockets of two L3 caches of three cores. */
#define CACHES "pack:2 l3:2 core:3 pu:1"

static void masks_are_put_or_divided_by_slot(void **state)
{
    static const struct {
        const char *machine, *list;
        uint32_t n;
        const char *masks[8];
    } cases[] = {
        /* Slurm's cyclic order over sockets, put along the tree */
        {PLAIN, "0x01,0x10,0x02,0x20", 4, {"0x01", "0x02", "0x10", "0x20"}},
        {ACROSS, "0x1,0x2,0x4,0x8", 4, {"0x1", "0x4", "0x2", "0x8"}},
        {THREADS,
         "0x0101,0x1010,0x0202,0x2020",
         4,
         {"0x0101", "0x0202", "0x1010", "0x2020"}},
        /* one mask for all: whole sockets, cores, threads, then all of it */
        {PLAIN, "0xff", 2, {"0x0f", "0xf0"}},
        {PLAIN, "ff", 4, {"0x03", "0x0c", "0x30", "0xc0"}},
        {ACROSS, "0xff", 2, {"0x55", "0xaa"}},
        {PLAIN, "0xff,0xff", 2, {"0xff", "0xff"}},
        {PLAIN, "0x3c", 2, {"0x0c", "0x30"}},
        {PLAIN, "0x7", 3, {"0x01", "0x02", "0x04"}},
        {THREADS, "0x0303", 2, {"0x101", "0x202"}},
        {THREADS, "0x0303", 3, {"0x01", "0x100", "0x202"}},
        {THREADS, "0x0303", 4, {"0x01", "0x100", "0x02", "0x200"}},
        {THREADS, "0x0303", 5, {"0x303", "0x303", "0x303", "0x303", "0x303"}},
        {PLAIN, "0x1", 3, {"0x01", "0x01", "0x01"}},
        {CACHES, "0xfff", 4, {"0x07", "0x38", "0x1c0", "0xe00"}},
        /* what the machine has not is left out */
        {PLAIN, "0xf0f", 2, {"0x03", "0x0c"}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuset_machine *machine = NULL;
        char *out[8];

        assert_int_equal(cpuset_machine_open(&machine, cases[i].machine, NULL),
                         0);
        assert_int_equal(
            binding_by_slot(out, machine, cases[i].list, cases[i].n, NULL), 0);
        for (uint32_t slot = 0; slot < cases[i].n; slot++) {
            assert_true(cpuset_equal(out[slot], cases[i].masks[slot]));
            free(out[slot]);
        }
        cpuset_machine_close(machine);
    }
}

/* Every PU of the mask is in a piece, none is in two while there are enough,
 * and pieces of whole cores stay whole. */
static void a_division_covers_its_mask(void **state)
{
    struct cpuset_machine *machine = NULL;

    assert_int_equal(cpuset_machine_open(&machine, THREADS, NULL), 0);
    for (unsigned mask = 1; mask < 65536; mask += 97)
        for (uint32_t n = 1; n <= 18; n++) {
            char text[16], *out[18];
            unsigned all = 0, sum = 0, pus = 0;

            for (unsigned bit = mask; bit; bit &= bit - 1)
                pus++;
            snprintf(text, sizeof(text), "0x%x", mask);
            assert_int_equal(cpuset_divide(out, machine, text, n, NULL), 0);
            for (uint32_t i = 0; i < n; i++) {
                unsigned piece = (unsigned)strtoul(out[i], NULL, 16);

                assert_true(piece != 0);
                all |= piece;
                sum += piece;
                free(out[i]);
            }
            assert_int_equal(all, mask);
            if (n <= pus)
                assert_int_equal(sum, mask);
        }
    cpuset_machine_close(machine);
}

static void wrong_masks_are_refused(void **state)
{
    static const struct {
        const char *list;
        uint32_t n;
    } cases[] = {
        {"0x1,0x2,0x4", 2}, {"0x1,0x2", 3},  {"", 2},      {"0x", 2},
        {"0x0", 2},         {"0x1,0x0", 2},  {"0x1,", 2},  {"0xg", 2},
        {"0xf...f", 2},     {"cores", 2},    {"0x100", 2}, {"0x1,0x100", 2},
        {"-1", 2},          {" 0x1,0x2", 2},
    };
    struct cpuset_machine *machine = NULL;

    assert_int_equal(cpuset_machine_open(&machine, PLAIN, NULL), 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_error err = {.text = ""};
        char *out[8];

        assert_int_equal(
            binding_by_slot(out, machine, cases[i].list, cases[i].n, &err),
            MAPCORE_EPARSE);
        assert_true(strlen(err.text) > 0);
        for (uint32_t slot = 0; slot < cases[i].n; slot++)
            assert_null(out[slot]);
    }
    cpuset_machine_close(machine);
}

static void a_mask_of_absurd_length_is_refused(void **state)
{
    struct cpuset_machine *machine = NULL;
    char *out[2], *mask = malloc(20001);

    assert_non_null(mask);
    memset(mask, 'f', 20000);
    mask[20000] = '\0';
    assert_int_equal(cpuset_machine_open(&machine, PLAIN, NULL), 0);
    assert_int_equal(cpuset_divide(out, machine, mask, 2, NULL),
                     MAPCORE_EPARSE);
    cpuset_machine_close(machine);
    free(mask);
}

static void core_numbers_run_along_the_tree(void **state)
{
    static const struct {
        const char *machine, *cores;
        int error;
        const char *mask;
    } cases[] = {
        {PLAIN, "0-3", 0, "0x0f"},
        {ACROSS, "0-3", 0, "0x55"},
        {THREADS, "0,7", 0, "0x00008181"},
        {THREADS, "0-1,4", 0, "0x00001313"},
        {PLAIN, "8", MAPCORE_ERANGE, NULL},
        {PLAIN, "0-8", MAPCORE_ERANGE, NULL},
        {PLAIN, "", MAPCORE_EPARSE, NULL},
        {PLAIN, "3-1", MAPCORE_EPARSE, NULL},
        {PLAIN, "0-", MAPCORE_EPARSE, NULL},
        {PLAIN, "0,", MAPCORE_EPARSE, NULL},
        {PLAIN, "a", MAPCORE_EPARSE, NULL},
        {PLAIN, "0-4294967295", MAPCORE_EPARSE, NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuset_machine *machine = NULL;
        char *out = NULL;

        assert_int_equal(cpuset_machine_open(&machine, cases[i].machine, NULL),
                         0);
        assert_int_equal(cpuset_of_cores(&out, machine, cases[i].cores, NULL),
                         cases[i].error);
        if (cases[i].mask)
            assert_true(cpuset_equal(out, cases[i].mask));
        free(out);
        cpuset_machine_close(machine);
    }
}

static void masks_are_equal_by_what_they_hold(void **state)
{
    assert_true(cpuset_equal("0x3", "0x0000000000000003"));
    assert_true(cpuset_equal("3", "0x3"));
    assert_false(cpuset_equal("0x3", "0x1"));
    assert_false(cpuset_equal("cores", "cores"));
}

static void a_node_is_described_in_a_line(void **state)
{
    const uint32_t rank[] = {1, 5, 12};
    char *text = NULL;

    assert_int_equal(
        binding_describe(&text, "0x1,0x1000100,f0", rank, 3, 100, NULL), 0);
    assert_string_equal(text, "1 on 0; 5 on 8,24; 12 on 4-7");
    free(text);
    assert_int_equal(
        binding_describe(&text, "0x1,0x1000100,f0", rank, 3, 4, NULL), 0);
    assert_string_equal(text, "1 on 0; and 2 more");
    free(text);
    assert_int_equal(binding_describe(&text, "0x1,cores", rank, 2, 100, NULL),
                     MAPCORE_EPARSE);
}

static void machines_that_are_none_are_refused(void **state)
{
    struct cpuset_machine *machine = NULL;
    struct mapcore_error err;

    assert_true(cpuset_machine_open(&machine, "no machine", &err) < 0);
    assert_true(cpuset_machine_open(&machine, "<xml", &err) < 0);
    assert_null(machine);
}

/* Its levels in words that hwloc takes back; a machine whose packages differ
 * has none. */
static void levels_are_described(void **state)
{
    static const char *const described[][2] = {
        {"pack:2 l3:4 core:8 pu:2", "Package:2 L3Cache:4 Core:8 PU:2"},
        {"core:3 pu:1", "Core:3 PU:1"},
        {"pack:1 core:1 pu:1", "Package:1 Core:1 PU:1"},
    };
    struct cpuset_machine *machine = NULL;
    struct mapcore_error err = {""};
    hwloc_bitmap_t some = hwloc_bitmap_alloc();
    hwloc_topology_t topology;
    char *text = NULL, *xml;
    int length;

    for (size_t i = 0; i < COUNT(described); i++) {
        struct cpuset_machine *same = NULL;

        assert_int_equal(cpuset_machine_open(&machine, described[i][0], NULL),
                         0);
        assert_int_equal(cpuset_machine_describe(&text, machine, &err), 0);
        assert_string_equal(text, described[i][1]);
        assert_int_equal(cpuset_machine_open(&same, text, NULL), 0);
        cpuset_machine_close(same);
        cpuset_machine_close(machine);
        free(text);
        text = NULL;
    }
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, "core:3 pu:2"), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    hwloc_bitmap_set_range(some, 0, 4);
    assert_int_equal(hwloc_topology_restrict(topology, some, 0), 0);
    assert_int_equal(
        hwloc_topology_export_xmlbuffer(topology, &xml, &length, 0), 0);
    assert_int_equal(cpuset_machine_open(&machine, xml, NULL), 0);
    assert_int_equal(cpuset_machine_describe(&text, machine, &err),
                     MAPCORE_ENOTSUP);
    assert_null(text);
    cpuset_machine_close(machine);
    hwloc_free_xmlbuffer(topology, xml);
    hwloc_topology_destroy(topology);
    hwloc_bitmap_free(some);
}

/* On the real machine: what the kernel would refuse one by one is found among
 * what it takes as one. */
static void masks_are_tried_all_at_once(void **state)
{
    static const char far[] = "0x1000000000000000000000000000000000000000000";
    char *before = NULL, *after = NULL, list[9000];
    struct mapcore_error err;

    assert_int_equal(affinity_current(&before, NULL), 0);
    assert_int_equal(affinity_try_all(before, &err), 0);
    snprintf(list, sizeof(list), "%s,%s,%s", before, before, before);
    assert_int_equal(affinity_try_all(list, &err), 0);
    snprintf(list, sizeof(list), "%s,%s", before, far);
    assert_int_equal(affinity_try_all(list, &err), MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "CPU mask 1000000"));
    snprintf(list, sizeof(list), "%s,%s", far, before);
    assert_int_equal(affinity_try_all(list, &err), MAPCORE_EINVAL);
    assert_int_equal(affinity_try_all("0x0", &err), MAPCORE_EINVAL);
    assert_int_equal(affinity_try_all("", &err), MAPCORE_EPARSE);
    snprintf(list, sizeof(list), "%s,", before);
    assert_int_equal(affinity_try_all(list, &err), MAPCORE_EPARSE);
    snprintf(list, sizeof(list), "%s,x", before);
    assert_int_equal(affinity_try_all(list, &err), MAPCORE_EPARSE);
    assert_int_equal(affinity_current(&after, NULL), 0);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* On the real machine: the own mask is what a single task is bound to, and a
 * mask without any CPU of it changes nothing. */
static void a_task_is_bound_or_left_as_it_was(void **state)
{
    static const char far[] = "0x1000000000000000000000000000000000000000000";
    const uint32_t slot[] = {0};
    char *before = NULL, *after = NULL, *list = NULL;
    struct binding binding = {.nlocal = 1, .slot = slot};
    struct mapcore_error err;

    assert_int_equal(affinity_current(&before, NULL), 0);
    binding.list = before;
    assert_int_equal(binding_make(&list, NULL, &binding, NULL), 0);
    assert_true(cpuset_equal(list, before));
    assert_int_equal(affinity_take(list, 0, NULL), 0);
    assert_int_equal(affinity_take(list, 1, &err), MAPCORE_EPARSE);
    free(list);
    list = NULL;
    binding.list = "0x1000000000000000000000000000000000000000000000000000000";
    assert_int_equal(binding_make(&list, NULL, &binding, &err), MAPCORE_EPARSE);
    assert_null(list);
    binding.list = NULL; /* neither bound nor confined */
    assert_int_equal(binding_make(&list, NULL, &binding, NULL), 0);
    assert_null(list);
    assert_int_equal(affinity_apply(far, strlen(far), &err), MAPCORE_EINVAL);
    assert_int_equal(affinity_apply("0x0", 3, &err), MAPCORE_EINVAL);
    assert_int_equal(affinity_apply("0x", 2, &err), MAPCORE_EPARSE);
    assert_int_equal(affinity_apply("1g", 2, &err), MAPCORE_EPARSE);
    assert_int_equal(affinity_apply("", 0, &err), MAPCORE_EPARSE);
    assert_int_equal(affinity_current(&after, NULL), 0);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_are_put_or_divided_by_slot),
        cmocka_unit_test(a_division_covers_its_mask),
        cmocka_unit_test(wrong_masks_are_refused),
        cmocka_unit_test(a_mask_of_absurd_length_is_refused),
        cmocka_unit_test(core_numbers_run_along_the_tree),
        cmocka_unit_test(masks_are_equal_by_what_they_hold),
        cmocka_unit_test(a_node_is_described_in_a_line),
        cmocka_unit_test(levels_are_described),
        cmocka_unit_test(machines_that_are_none_are_refused),
        cmocka_unit_test(masks_are_tried_all_at_once),
        cmocka_unit_test(a_task_is_bound_or_left_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
