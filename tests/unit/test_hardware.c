/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_hardware.c - from slots to CPU masks, on machines that hwloc makes up */
#include "config.h"

#include "unit.h"

#include "fakecpus.h"

#include "plugin/task/affinity.h"
#include "plugin/task/hardware.h"

#include "base/buffer.h"
#include "base/file_read.h"

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

enum { TASKS_MOST = 256, FILE_MOST = 1 << 20 };

/* Task i in slot i. */
static int make(char **out,
                const char *list,
                const char *cores,
                uint32_t n,
                struct mapcore_error *err)
{
    uint32_t slot[TASKS_MOST];
    const struct binding binding = {
        .nlocal = n, .slot = slot, .list = list, .cores = cores};

    for (uint32_t i = 0; i < n; i++)
        slot[i] = i;
    *out = NULL;
    return topomap_hardware.make(out, NULL, &binding, err);
}

/* The CPUs of task 0, 1, ... as describe() has them. */
static char *describe(const char *list, uint32_t n)
{
    uint32_t rank[TASKS_MOST];
    char *text = NULL;

    for (uint32_t i = 0; i < n; i++)
        rank[i] = i;
    assert_int_equal(
        topomap_hardware.describe(&text, list, rank, n, FILE_MOST, NULL), 0);
    return text;
}

static void masks_are_put_or_divided_by_slot(void **state)
{
    static const struct {
        const char *machine, *list;
        uint32_t n;
        const char *masks;
    } cases[] = {
        /* Slurm's cyclic order over sockets, put along the tree */
        {PLAIN, "0x01,0x10,0x02,0x20", 4, "0x01,0x02,0x10,0x20"},
        {ACROSS, "0x1,0x2,0x4,0x8", 4, "0x1,0x4,0x2,0x8"},
        {THREADS, "0x0101,0x1010,0x0202,0x2020", 4, "101,202,1010,2020"},
        /* one mask for all: whole sockets, cores, threads, then all of it */
        {PLAIN, "0xff", 2, "0x0f,0xf0"},
        {PLAIN, "ff", 4, "0x03,0x0c,0x30,0xc0"},
        {ACROSS, "0xff", 2, "0x55,0xaa"},
        {PLAIN, "0xff,0xff", 2, "0xff,0xff"},
        {PLAIN, "0x3c", 2, "0x0c,0x30"},
        {PLAIN, "0x7", 3, "0x01,0x02,0x04"},
        {THREADS, "0x0303", 2, "0x101,0x202"},
        {THREADS, "0x0303", 3, "0x01,0x100,0x202"},
        {THREADS, "0x0303", 4, "0x01,0x100,0x02,0x200"},
        {THREADS, "0x0303", 5, "0x303,0x303,0x303,0x303,0x303"},
        {PLAIN, "0x1", 3, "0x01,0x01,0x01"},
        {CACHES, "0xfff", 4, "0x07,0x38,0x1c0,0xe00"},
        /* what the machine has not is left out */
        {PLAIN, "0xf0f", 2, "0x03,0x0c"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *list, *made, *wanted = describe(cases[i].masks, cases[i].n);

        fake_machine(cases[i].machine, NULL, 16);
        assert_ok(make(&list, cases[i].list, NULL, cases[i].n, NULL));
        made = describe(list, cases[i].n);
        assert_string_equal(made, wanted);
        free(list);
        free(made);
        free(wanted);
    }
}

/* Every PU of the mask is in a piece, none is in two while there are enough,
 * and pieces of whole cores stay whole. */
static void a_division_covers_its_mask(void **state)
{
    fake_machine(THREADS, NULL, 16);
    for (unsigned mask = 1; mask < 65536; mask += 397)
        for (uint32_t n = 1; n <= 18; n++) {
            char text[16], *list;
            unsigned all = 0, sum = 0, pus = 0;

            for (unsigned bit = mask; bit; bit &= bit - 1)
                pus++;
            snprintf(text, sizeof(text), "0x%x", mask);
            assert_ok(make(&list, text, NULL, n, NULL));
            for (char *piece = strtok(list, ","); piece;
                 piece = strtok(NULL, ",")) {
                unsigned bits = (unsigned)strtoul(piece, NULL, 16);

                assert_true(bits != 0);
                all |= bits;
                sum += bits;
            }
            free(list);
            assert_int_equal(all, mask);
            if (n <= pus)
                assert_int_equal(sum, mask);
        }
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
    char *list, absurd[20001];

    fake_machine(PLAIN, NULL, 8);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_error err = {.text = ""};

        assert_int_equal(make(&list, cases[i].list, NULL, cases[i].n, &err),
                         MAPCORE_EPARSE);
        assert_true(strlen(err.text) > 0);
        assert_null(list);
    }
    memset(absurd, 'f', sizeof(absurd));
    absurd[sizeof(absurd) - 1] = '\0';
    assert_int_equal(make(&list, absurd, NULL, 2, NULL), MAPCORE_EPARSE);
}

/* A task that may use just the step's cores is bound; any other is not. */
static void core_numbers_run_along_the_tree(void **state)
{
    static const struct {
        const char *machine, *cores, *mask;
        bool is_bound;
    } cases[] = {
        {PLAIN, "0-3", "0x0f", true},
        {ACROSS, "0-3", "0x55", true},
        {THREADS, "0,7", "0x8181", true},
        {THREADS, "0-1,4", "0x1313", true},
        {PLAIN, "0-3", "0x0e", false},
        {PLAIN, "0-8", "0xff", false},
        {PLAIN, "0-7,8", "0xff", false},
        {PLAIN, "", "0xff", false},
        {PLAIN, "0-7,3-1", "0xff", false},
        {PLAIN, "0-", "0x01", false},
        {PLAIN, "0-7,", "0xff", false},
        {PLAIN, "0-7a", "0xff", false},
        {PLAIN, "0-4294967295", "0xff", false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *list, *made, *wanted;

        fake_machine(cases[i].machine, NULL, 16);
        assert_ok(affinity_apply(cases[i].mask, strlen(cases[i].mask), NULL));
        assert_ok(make(&list, NULL, cases[i].cores, 1, NULL));
        assert_int_equal(list != NULL, cases[i].is_bound);
        if (!list)
            continue;
        made = describe(list, 1);
        wanted = describe(cases[i].mask, 1);
        assert_string_equal(made, wanted);
        free(list);
        free(made);
        free(wanted);
    }
}

static void a_node_is_described_in_a_line(void **state)
{
    const uint32_t rank[] = {1, 5, 12};
    char *text = NULL;

    assert_int_equal(topomap_hardware.describe(&text, "0x1,0x1000100,f0", rank,
                                               3, 100, NULL),
                     0);
    assert_string_equal(text, "1 on 0; 5 on 8,24; 12 on 4-7");
    free(text);
    assert_int_equal(
        topomap_hardware.describe(&text, "0x1,0x1000100,f0", rank, 3, 4, NULL),
        0);
    assert_string_equal(text, "1 on 0; and 2 more");
    free(text);
    assert_int_equal(
        topomap_hardware.describe(&text, "0x1,cores", rank, 2, 100, NULL),
        MAPCORE_EPARSE);
}

/* Its levels in words that hwloc takes back; a machine whose packages differ
 * has none. */
static void levels_are_described(void **state)
{
    static const char *const described[][2] = {
        {"pack:2 l3:4 core:8 pu:2", "Package:2 L3Cache:4 Core:8 PU:2"},
        {"core:3 pu:1", "Core:3 PU:1"},
        {"pack:1 core:1 pu:1", "Package:1 Core:1 PU:1"},
        {"Package:2 L3Cache:4 Core:8 PU:2", "Package:2 L3Cache:4 Core:8 PU:2"},
    };
    struct mapcore_error err = {""};
    char *text = NULL;

    for (size_t i = 0; i < COUNT(described); i++) {
        fake_machine(described[i][0], NULL, 8);
        assert_int_equal(topomap_hardware.levels(&text, &err), 0);
        assert_string_equal(text, described[i][1]);
        free(text);
        text = NULL;
    }
    fake_machine(NULL, TEST_DATA "/machines/hybrid.xml", 24);
    assert_int_equal(topomap_hardware.levels(&text, &err), MAPCORE_ENOTSUP);
    assert_null(text);
}

/* The tree that was planned for, and another one. */
static void another_machine_is_bound_as_slurm_chose(void **state)
{
    static const uint32_t slot[] = {1, 0};
    struct binding binding = {.nlocal = 2, .slot = slot, .list = "0x1,0x2"};
    bool is_other = false;
    char *list = NULL;

    fake_machine(PLAIN, NULL, 8);
    binding.tree = "Package:2 Core:4 PU:1";
    assert_int_equal(topomap_hardware.make(&list, &is_other, &binding, NULL),
                     0);
    assert_string_equal(list, "0x2,0x1");
    assert_false(is_other);
    free(list);
    list = NULL;
    binding.tree = "Package:2 Core:4 PU:2";
    assert_int_equal(topomap_hardware.make(&list, &is_other, &binding, NULL),
                     0);
    assert_true(is_other && !list);
}

/* On the real machine: what the kernel would refuse one by one is found among
 * what it takes as one. */
static void masks_are_tried_all_at_once(void **state)
{
    static const char far[] = "0x1000000000000000000000000000000000000000000";
    char *before = NULL, *after = NULL, list[9000];
    struct mapcore_error err;

    has_true_cpus = true;
    assert_ok(affinity_current(&before, NULL));
    assert_ok(affinity_try_all(before, &err));
    snprintf(list, sizeof(list), "%s,%s,%s", before, before, before);
    assert_ok(affinity_try_all(list, &err));
    snprintf(list, sizeof(list), "%s,%s", before, far);
    assert_int_equal(affinity_try_all(list, &err), MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "CPU mask 1000000"));
    snprintf(list, sizeof(list), "%s,%s", far, before);
    assert_int_equal(affinity_try_all(list, &err), MAPCORE_EINVAL);
    assert_int_equal(
        affinity_try_all("0x1", NULL),
        strchr("13579bdf", before[strlen(before) - 1]) ? 0 : MAPCORE_EINVAL);
    assert_int_equal(affinity_try_all("0x0", &err), MAPCORE_EINVAL);
    assert_int_equal(affinity_try_all("", &err), MAPCORE_EPARSE);
    snprintf(list, sizeof(list), "%s,", before);
    assert_int_equal(affinity_try_all(list, &err), MAPCORE_EPARSE);
    snprintf(list, sizeof(list), "%s,x", before);
    assert_int_equal(affinity_try_all(list, &err), MAPCORE_EPARSE);
    assert_ok(affinity_current(&after, NULL));
    assert_string_equal(before, after);
    free(before);
    free(after);
    has_true_cpus = false;
}

/* On the real machine: the own mask is what a single task is bound to, and a
 * mask without any CPU of it changes nothing. */
static void a_task_is_bound_or_left_as_it_was(void **state)
{
    static const char far[] = "0x1000000000000000000000000000000000000000000";
    char *before = NULL, *after = NULL, *list = NULL;
    struct mapcore_error err;

    has_true_cpus = true;
    fake_machine(NULL, NULL, 0);
    assert_ok(affinity_current(&before, NULL));
    assert_ok(make(&list, before, NULL, 1, NULL));
    assert_int_equal(strtoul(list, NULL, 16), strtoul(before, NULL, 16));
    assert_ok(affinity_take(list, 0, NULL));
    assert_int_equal(affinity_take(list, 1, &err), MAPCORE_EPARSE);
    free(list);
    assert_int_equal(make(&list, far, NULL, 1, &err), MAPCORE_EPARSE);
    assert_null(list);
    /* neither bound nor confined */
    assert_ok(make(&list, NULL, NULL, 1, NULL));
    assert_null(list);
    assert_int_equal(affinity_apply(far, strlen(far), &err), MAPCORE_EINVAL);
    assert_int_equal(affinity_apply("0x0", 3, &err), MAPCORE_EINVAL);
    assert_int_equal(affinity_apply("0x", 2, &err), MAPCORE_EPARSE);
    assert_int_equal(affinity_apply("1g", 2, &err), MAPCORE_EPARSE);
    assert_int_equal(affinity_apply("", 0, &err), MAPCORE_EPARSE);
    assert_ok(affinity_current(&after, NULL));
    assert_string_equal(before, after);
    free(before);
    free(after);
    has_true_cpus = false;
}

/* No kernel has that CPU, and it is not asked. */
static void two_tasks_in_their_order_keep_their_masks(void **state)
{
    static const uint32_t order[] = {0, 1}, other[] = {1, 0};
    char masks[300];

    snprintf(masks, sizeof(masks), "0x1,0x1%0280d", 0);
    assert_true(affinity_is_settled(masks, order, 2));
    assert_false(affinity_is_settled(masks, other, 2));
    assert_false(affinity_is_settled("0x1", order, 2));
    assert_false(affinity_is_settled("0x1,0x2,0x4", order, 2));
    assert_false(affinity_is_settled(NULL, order, 2));
}

/* Cores of several threads; Linux numbers the first threads of all cores before
 * the second ones, which the text of hwloc's synthetic form says by indexes. A
 * golden file, golden/machines/NAME.txt, has a line for each number of tasks
 * and each kind of masks that Slurm makes: the CPUs of slot 0, 1, ... With
 * UPDATE=yes in the environment they are written anew: read their diff. */
static const struct machine {
    const char *name;
    const char *tree; /* down to the cores; NULL: golden/machines/NAME.xml */
    unsigned ncores, nthreads, npus;
    unsigned tasks[8];
} machines[] = {
    {"two-sockets-l3",
     "pack:2 l3:8 core:8",
     128,
     2,
     256,
     {2, 3, 16, 20, 128, 256}},
    {"four-numa", "pack:2 numa:4 l3:2 core:6", 96, 1, 96, {2, 5, 8, 16, 96}},
    {"one-socket", "pack:1 l3:1 core:8", 8, 2, 16, {2, 3, 4, 8, 12, 16, 17}},
    /* fast cores of two threads, numbered together, and slow ones of one */
    {"hybrid", NULL, 16, 0, 24, {2, 4, 8, 12, 16, 24}},
    /* GPUs and NICs do not count */
    {"gpus", NULL, 32, 1, 32, {2, 4, 8, 12, 32}},
};

static void open_machine(const struct machine *machine)
{
    struct buffer text = {0};

    if (!machine->tree) {
        buffer_printf(&text, TEST_DATA "/machines/%s.xml", machine->name);
        fake_machine(NULL, text.bytes, machine->npus);
    } else {
        buffer_printf(&text, "%s pu:%u(indexes=", machine->tree,
                      machine->nthreads);
        for (unsigned i = 0; i < machine->npus; i++)
            buffer_printf(&text, "%s%u", i > 0 ? "," : "",
                          i % machine->nthreads * machine->ncores +
                              i / machine->nthreads);
        assert_ok(buffer_printf(&text, ")"));
        fake_machine(text.bytes, NULL, machine->npus);
    }
    buffer_clear(&text);
}

static bool has_pu(const struct machine *machine, unsigned core, unsigned pu)
{
    if (machine->nthreads > 0)
        return pu % machine->ncores == core;
    return core < 8 ? pu / 2 == core : pu == core + 8;
}

/* A core for each of n tasks, dealt to the halves of the machine in turn, as
 * -m block:cyclic deals them to two sockets. */
static void add_cyclic(struct buffer *out,
                       const struct machine *machine,
                       unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const unsigned core = i % 2 * (machine->ncores / 2) + i / 2;

        buffer_printf(out, "%s0x", i > 0 ? "," : "");
        for (unsigned pu = machine->npus; pu >= 4; pu -= 4)
            buffer_printf(out, "%x",
                          has_pu(machine, core, pu - 1) * 8 +
                              has_pu(machine, core, pu - 2) * 4 +
                              has_pu(machine, core, pu - 3) * 2 +
                              has_pu(machine, core, pu - 4));
    }
}

static void add_line(struct buffer *out,
                     const char *kind,
                     const char *masks,
                     const char *cores,
                     unsigned n)
{
    char *list, *text;

    assert_ok(make(&list, masks, cores, n, NULL));
    text = describe(list, n);
    assert_ok(buffer_printf(out, "%u tasks, %s: %s\n", n, kind, text));
    free(list);
    free(text);
}

static void slots_get_their_cpus(const struct machine *machine)
{
    struct buffer found = {0}, golden = {0}, masks = {0};
    const char *update = getenv("UPDATE");
    char path[512], cores[16];

    open_machine(machine);
    snprintf(cores, sizeof(cores), "0-%u", machine->ncores - 1);
    for (size_t i = 0; i < 8 && machine->tasks[i] > 0; i++) {
        add_line(&found, "one mask", NULL, cores, machine->tasks[i]);
        masks.n = 0;
        add_cyclic(&masks, machine, machine->tasks[i]);
        if (machine->tasks[i] <= machine->ncores)
            add_line(&found, "cyclic", masks.bytes, NULL, machine->tasks[i]);
    }
    snprintf(path, sizeof(path), TEST_DATA "/machines/%s.txt", machine->name);
    if (update && *update) {
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        fputs(found.bytes, file);
        assert_ok(fclose(file));
    }
    assert_ok(file_read_all(&golden, path, FILE_REGULAR, FILE_MOST, NULL));
    assert_string_equal(found.bytes, golden.bytes);
    buffer_clear(&found);
    buffer_clear(&golden);
    buffer_clear(&masks);
}

static void slots_of_whole_machines(void **state)
{
    for (size_t i = 0; i < COUNT(machines); i++)
        slots_get_their_cpus(&machines[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_are_put_or_divided_by_slot),
        cmocka_unit_test(a_division_covers_its_mask),
        cmocka_unit_test(wrong_masks_are_refused),
        cmocka_unit_test(core_numbers_run_along_the_tree),
        cmocka_unit_test(a_node_is_described_in_a_line),
        cmocka_unit_test(levels_are_described),
        cmocka_unit_test(another_machine_is_bound_as_slurm_chose),
        cmocka_unit_test(masks_are_tried_all_at_once),
        cmocka_unit_test(a_task_is_bound_or_left_as_it_was),
        cmocka_unit_test(two_tasks_in_their_order_keep_their_masks),
        cmocka_unit_test(slots_of_whole_machines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
