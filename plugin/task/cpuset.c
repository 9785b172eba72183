/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpuset.c - the only file of launch/ that includes hwloc */
#include "config.h"

#include "plugin/task/cpuset.h"

#include "base/array.h"

#include <errno.h>
#include <hwloc.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Hexadecimal digits of a mask: four times the CPUs of the largest kernels. */
#define MASK_MAX 8192

struct cpuset_machine {
    hwloc_topology_t topology;
};

static int describe(hwloc_topology_t topology,
                    const char *description,
                    struct mapcore_error *err)
{
    int failed;

    if (!description) {
#if HWLOC_API_VERSION >= 0x00020100
        /* It would bind this thread to one CPU after the other. */
        hwloc_topology_set_components(
            topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
#endif
        return 0;
    }
    if (description[0] == '<')
        failed = hwloc_topology_set_xmlbuffer(topology, description,
                                              (int)strlen(description) + 1);
    else
        failed = hwloc_topology_set_synthetic(topology, description);
    if (failed)
        return error_set(err, MAPCORE_EINVAL,
                         "hwloc does not understand the machine \"%.64s\"",
                         description);
    return 0;
}

int cpuset_machine_open(struct cpuset_machine **out,
                        const char *description,
                        struct mapcore_error *err)
{
    struct cpuset_machine *machine = array_alloc(1, sizeof(*machine), err);
    int error;

    if (!machine)
        return MAPCORE_ENOMEM;
    if (hwloc_topology_init(&machine->topology) < 0) {
        free(machine);
        return error_set(err, MAPCORE_ENOMEM, "no memory for hwloc");
    }
    /* Core numbers count the cores that this task may not use, too. */
    hwloc_topology_set_flags(machine->topology,
                             HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_io_types_filter(machine->topology,
                                       HWLOC_TYPE_FILTER_KEEP_NONE);
    error = describe(machine->topology, description, err);
    if (error == 0 && hwloc_topology_load(machine->topology) < 0)
        error =
            error_set(err, MAPCORE_EIO, "hwloc cannot read this machine: %s",
                      strerror(errno));
    if (error < 0) {
        cpuset_machine_close(machine);
        return error;
    }
    *out = machine;
    return 0;
}

void cpuset_machine_close(struct cpuset_machine *machine)
{
    if (!machine)
        return;
    hwloc_topology_destroy(machine->topology);
    free(machine);
}

/* hwloc's own reader takes more than plain hexadecimal ("0xf...f" is infinite)
 * and Slurm writes nothing else. */
static int read_mask(hwloc_bitmap_t *out,
                     const char *mask,
                     struct mapcore_error *err)
{
    const char *digits = mask;
    size_t n;
    hwloc_bitmap_t set;

    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        digits += 2;
    n = strspn(digits, "0123456789abcdefABCDEF");
    if (n == 0 || n > MASK_MAX || digits[n] != '\0')
        return error_set(err, MAPCORE_EPARSE, "\"%.32s\" is no CPU mask", mask);
    if (!(set = hwloc_bitmap_alloc()))
        return error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
    if (hwloc_bitmap_taskset_sscanf(set, mask) < 0 ||
        hwloc_bitmap_iszero(set)) {
        hwloc_bitmap_free(set);
        return error_set(err, MAPCORE_EPARSE, "the CPU mask %.32s is empty",
                         mask);
    }
    *out = set;
    return 0;
}

static int write_mask(char **out,
                      hwloc_const_bitmap_t set,
                      struct mapcore_error *err)
{
    char *text = NULL;

    if (hwloc_bitmap_taskset_asprintf(&text, set) < 0)
        return error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
    *out = text;
    return 0;
}

/* A mask in the order of the tree: bit = depth-first number of a PU. */
static int read_logical(hwloc_bitmap_t *out,
                        hwloc_topology_t topology,
                        const char *mask,
                        struct mapcore_error *err)
{
    hwloc_bitmap_t set = NULL, logical = NULL;
    hwloc_obj_t pu = NULL;
    int error = read_mask(&set, mask, err);

    if (error < 0)
        return error;
    if (!(logical = hwloc_bitmap_alloc()))
        error = error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
    while (error == 0 &&
           (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)))
        if (hwloc_bitmap_isset(set, pu->os_index))
            hwloc_bitmap_set(logical, pu->logical_index);
    if (error == 0 && hwloc_bitmap_iszero(logical))
        error =
            error_set(err, MAPCORE_EPARSE,
                      "the CPU mask %.32s holds no CPU of this machine", mask);
    hwloc_bitmap_free(set);
    if (error < 0) {
        hwloc_bitmap_free(logical);
        return error;
    }
    *out = logical;
    return 0;
}

struct placed_mask {
    hwloc_bitmap_t logical;
    uint32_t index;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed_mask *a = left, *b = right;
    int i = -1, j = -1;

    do {
        i = hwloc_bitmap_next(a->logical, i);
        j = hwloc_bitmap_next(b->logical, j);
    } while (i >= 0 && i == j);
    if (i != j)
        return i < j ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

int cpuset_order(uint32_t *order,
                 const struct cpuset_machine *machine,
                 const char *const *masks,
                 uint32_t n,
                 struct mapcore_error *err)
{
    struct placed_mask *placed = array_alloc(n, sizeof(*placed), err);
    int error = placed ? 0 : MAPCORE_ENOMEM;

    for (uint32_t i = 0; error == 0 && i < n; i++) {
        placed[i].index = i;
        error =
            read_logical(&placed[i].logical, machine->topology, masks[i], err);
    }
    if (error == 0) {
        qsort(placed, n, sizeof(*placed), compare_placed);
        for (uint32_t i = 0; i < n; i++)
            order[i] = placed[i].index;
    }
    for (uint32_t i = 0; placed && i < n; i++)
        hwloc_bitmap_free(placed[i].logical);
    free(placed);
    return error;
}

/* The pieces of a machine that was cut down to the mask. */
static int distribute(hwloc_bitmap_t *pieces,
                      hwloc_topology_t topology,
                      hwloc_const_bitmap_t set,
                      uint32_t n,
                      struct mapcore_error *err)
{
    hwloc_topology_t part = NULL;
    hwloc_obj_t root;
    int error = 0;

    if (hwloc_topology_dup(&part, topology) < 0)
        return error_set(err, MAPCORE_ENOMEM, "no memory for hwloc");
    root = hwloc_get_root_obj(part);
    if (hwloc_topology_restrict(part, set, 0) < 0)
        error = error_set(err, MAPCORE_EPARSE,
                          "hwloc cannot cut the machine down to a CPU mask");
    else if (hwloc_distrib(part, &root, 1, pieces, n, INT_MAX, 0) < 0)
        error = error_set(err, MAPCORE_ENOMEM, "no memory for hwloc");
    hwloc_topology_destroy(part);
    return error;
}

static int write_pieces(char **out,
                        hwloc_bitmap_t *pieces,
                        uint32_t n,
                        struct mapcore_error *err)
{
    int error = 0;
    uint32_t written = 0;

    while (error == 0 && written < n) {
        error = write_mask(&out[written], pieces[written], err);
        if (error == 0)
            written++;
    }
    while (error < 0 && written > 0) {
        free(out[--written]);
        out[written] = NULL;
    }
    return error;
}

int cpuset_divide(char **out,
                  const struct cpuset_machine *machine,
                  const char *mask,
                  uint32_t n,
                  struct mapcore_error *err)
{
    hwloc_bitmap_t set = NULL;
    hwloc_bitmap_t *pieces = array_alloc(n, sizeof(hwloc_bitmap_t), err);
    int error = pieces ? 0 : MAPCORE_ENOMEM;

    if (error < 0 || (error = read_mask(&set, mask, err)) < 0)
        goto out;
    hwloc_bitmap_and(set, set,
                     hwloc_topology_get_complete_cpuset(machine->topology));
    if (hwloc_bitmap_iszero(set)) {
        error =
            error_set(err, MAPCORE_EPARSE,
                      "the CPU mask %.32s holds no CPU of this machine", mask);
        goto out;
    }
    if (n <= (uint32_t)hwloc_bitmap_weight(set)) {
        error = distribute(pieces, machine->topology, set, n, err);
    } else {
        for (uint32_t i = 0; error == 0 && i < n; i++)
            if (!(pieces[i] = hwloc_bitmap_dup(set)))
                error = error_set(err, MAPCORE_ENOMEM, "no memory for a mask");
    }
    if (error == 0)
        error = write_pieces(out, pieces, n, err);
out:
    for (uint32_t i = 0; pieces && i < n; i++)
        hwloc_bitmap_free(pieces[i]);
    free(pieces);
    hwloc_bitmap_free(set);
    return error;
}

_Bool cpuset_equal(const char *a, const char *b)
{
    hwloc_bitmap_t left = NULL, right = NULL;
    bool equal = read_mask(&left, a, NULL) == 0 &&
                 read_mask(&right, b, NULL) == 0 &&
                 hwloc_bitmap_isequal(left, right);

    hwloc_bitmap_free(left);
    hwloc_bitmap_free(right);
    return equal;
}

/* Cuts list at its commas into at most most items; returns how many there are.
 */
static uint32_t split(char *list, const char **items, uint32_t most)
{
    uint32_t n = 0;

    for (char *item = list; item;) {
        char *comma = strchr(item, ',');

        if (comma)
            *comma++ = '\0';
        if (n < most)
            items[n] = item;
        n++;
        item = comma;
    }
    return n;
}

static int put_in_order(char **out,
                        const struct cpuset_machine *machine,
                        const char *const *masks,
                        uint32_t n,
                        struct mapcore_error *err)
{
    uint32_t *order = array_alloc(n, sizeof(*order), err);
    int error =
        order ? cpuset_order(order, machine, masks, n, err) : MAPCORE_ENOMEM;

    for (uint32_t i = 0; error == 0 && i < n; i++)
        if (!(out[i] = strdup(masks[order[i]])))
            error = error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
    for (uint32_t i = 0; error < 0 && i < n; i++) {
        free(out[i]);
        out[i] = NULL;
    }
    free(order);
    return error;
}

int cpuset_by_slot(char **out,
                   const struct cpuset_machine *machine,
                   const char *list,
                   uint32_t n,
                   struct mapcore_error *err)
{
    char *copy = array_copy(list, strlen(list) + 1, 1, err);
    const char **masks = array_alloc(n, sizeof(*masks), err);
    uint32_t count;
    int error = MAPCORE_ENOMEM;

    if (!copy || !masks)
        goto out;
    memset(out, 0, n * sizeof(*out));
    count = split(copy, masks, n);
    if (count == 1)
        error = cpuset_divide(out, machine, masks[0], n, err);
    else if (count == n)
        error = put_in_order(out, machine, masks, n, err);
    else
        error =
            error_set(err, MAPCORE_EPARSE,
                      "%" PRIu32 " CPU masks for %" PRIu32 " tasks", count, n);
out:
    free(copy);
    free(masks);
    return error;
}

/* One item of a list of cores: "3" or "0-3". */
static bool take_range(const char **cursor, unsigned *first, unsigned *last)
{
    char *behind;
    unsigned long low, high;

    if (**cursor < '0' || **cursor > '9')
        return false;
    high = low = strtoul(*cursor, &behind, 10);
    if (behind[0] == '-' && behind[1] >= '0' && behind[1] <= '9')
        high = strtoul(behind + 1, &behind, 10);
    if (low > high || high > INT_MAX || (*behind != '\0' && *behind != ','))
        return false;
    *cursor = behind;
    *first = (unsigned)low;
    *last = (unsigned)high;
    return true;
}

int cpuset_of_cores(char **out,
                    const struct cpuset_machine *machine,
                    const char *cores,
                    struct mapcore_error *err)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int error = 0;

    if (!set)
        return error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
    for (const char *cursor = cores;;) {
        unsigned first, last;

        if (!take_range(&cursor, &first, &last)) {
            error = error_set(err, MAPCORE_EPARSE,
                              "\"%.32s\" is no list of cores", cores);
            break;
        }
        for (unsigned i = first; error == 0 && i <= last; i++) {
            hwloc_obj_t core =
                hwloc_get_obj_by_type(machine->topology, HWLOC_OBJ_CORE, i);

            if (core)
                hwloc_bitmap_or(set, set, core->cpuset);
            else
                error = error_set(err, MAPCORE_ERANGE,
                                  "this machine has no core %u", i);
        }
        if (error < 0 || *cursor == '\0')
            break;
        cursor++;
    }
    if (error == 0)
        error = write_mask(out, set, err);
    hwloc_bitmap_free(set);
    return error;
}

int cpuset_current(char **out, struct mapcore_error *err)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int error = 0;

    if (!set)
        return error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
    /* The kernel refuses a mask shorter than its own with EINVAL. */
    for (size_t cpus = 1024;; cpus *= 4) {
        cpu_set_t *kernel = CPU_ALLOC(cpus);
        size_t size = CPU_ALLOC_SIZE(cpus);

        if (!kernel) {
            error = error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
            break;
        }
        CPU_ZERO_S(size, kernel);
        if (sched_getaffinity(0, size, kernel) == 0) {
            for (unsigned cpu = 0; cpu < cpus; cpu++)
                if (CPU_ISSET_S(cpu, size, kernel))
                    hwloc_bitmap_set(set, cpu);
            CPU_FREE(kernel);
            error = write_mask(out, set, err);
            break;
        }
        CPU_FREE(kernel);
        if (errno != EINVAL || cpus > 4 * MASK_MAX) {
            error = error_set(err, MAPCORE_EINVAL, "sched_getaffinity: %s",
                              strerror(errno));
            break;
        }
    }
    hwloc_bitmap_free(set);
    return error;
}

int cpuset_apply(const char *mask, struct mapcore_error *err)
{
    hwloc_bitmap_t set = NULL;
    cpu_set_t *kernel;
    size_t size, ncpus;
    int error = read_mask(&set, mask, err);

    if (error < 0)
        return error;
    ncpus = (size_t)hwloc_bitmap_last(set) + 1;
    kernel = CPU_ALLOC(ncpus);
    size = CPU_ALLOC_SIZE(ncpus);
    if (!kernel) {
        hwloc_bitmap_free(set);
        return error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
    }
    CPU_ZERO_S(size, kernel);
    for (int cpu = hwloc_bitmap_first(set); cpu >= 0;
         cpu = hwloc_bitmap_next(set, cpu))
        CPU_SET_S((size_t)cpu, size, kernel);
    if (sched_setaffinity(0, size, kernel) < 0)
        error = error_set(err, MAPCORE_EINVAL, "CPU mask %.32s: %s", mask,
                          strerror(errno));
    CPU_FREE(kernel);
    hwloc_bitmap_free(set);
    return error;
}
