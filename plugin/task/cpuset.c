/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpuset.c - the only file of the plugin that includes hwloc */
#include "config.h"

#include "plugin/task/cpuset.h"

#include "plugin/task/affinity.h"

#include "base/array.h"

#include <errno.h>
#include <hwloc.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Ten levels and more. */
enum { DESCRIPTION_MOST = 256 };

struct cpuset_machine {
    hwloc_topology_t topology;
    unsigned *place; /* [nplaces]: by the number of a PU, 1 + its depth-first
                        one; 0: there is no such PU */
    unsigned nplaces;
};

/* Nothing is asked that the order of PUs does not depend on. */
static void ask_little(hwloc_topology_t topology)
{
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;

    /* Core numbers count the cores that this task may not use, too. */
#if HWLOC_API_VERSION >= 0x00020800
    flags |= HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
             HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
#endif
    hwloc_topology_set_flags(topology, flags);
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    /* Of a core's own caches none divides anything: those that can be no others
     * are not even read. */
    hwloc_topology_set_cache_types_filter(topology,
                                          HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    hwloc_topology_set_icache_types_filter(topology,
                                           HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_L1CACHE,
                                   HWLOC_TYPE_FILTER_KEEP_NONE);
}

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

static int number_places(struct cpuset_machine *machine,
                         struct mapcore_error *err)
{
    int last = hwloc_bitmap_last(
        hwloc_topology_get_complete_cpuset(machine->topology));
    hwloc_obj_t pu = NULL;

    machine->nplaces = last < 0 ? 0 : (unsigned)last + 1;
    machine->place = array_alloc(machine->nplaces, sizeof(unsigned), err);
    while (machine->place && (pu = hwloc_get_next_obj_by_type(
                                  machine->topology, HWLOC_OBJ_PU, pu)))
        if (pu->os_index < machine->nplaces)
            machine->place[pu->os_index] = 1 + pu->logical_index;
    return machine->place ? 0 : MAPCORE_ENOMEM;
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
    ask_little(machine->topology);
    error = describe(machine->topology, description, err);
    if (error == 0 && hwloc_topology_load(machine->topology) < 0)
        error =
            error_set(err, MAPCORE_EIO, "hwloc cannot read this machine: %s",
                      strerror(errno));
    if (error == 0)
        error = number_places(machine, err);
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
    free(machine->place);
    free(machine);
}

int cpuset_machine_describe(char **out,
                            const struct cpuset_machine *machine,
                            struct mapcore_error *err)
{
    char text[DESCRIPTION_MOST];
    int n = hwloc_topology_export_synthetic(
        machine->topology, text, sizeof(text),
        HWLOC_TOPOLOGY_EXPORT_SYNTHETIC_FLAG_NO_ATTRS |
            HWLOC_TOPOLOGY_EXPORT_SYNTHETIC_FLAG_IGNORE_MEMORY);

    if (n <= 0 || (size_t)n >= sizeof(text))
        return error_set(err, MAPCORE_ENOTSUP,
                         "the objects of this machine differ inside");
    *out = strdup(text);
    return *out ? 0 : error_set(err, MAPCORE_ENOMEM, "no memory");
}

/* hwloc's own reader takes more than plain hexadecimal ("0xf...f" is infinite)
 * and Slurm writes nothing else. */
static int read_mask(hwloc_bitmap_t *out,
                     const char *mask,
                     struct mapcore_error *err)
{
    const char *digits = mask;
    size_t n = strlen(mask);
    hwloc_bitmap_t set;

    if (affinity_mask_check(&digits, &n, err) < 0)
        return MAPCORE_EPARSE;
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
                        const struct cpuset_machine *machine,
                        const char *mask,
                        struct mapcore_error *err)
{
    hwloc_bitmap_t set = NULL, logical = NULL;
    int error = read_mask(&set, mask, err);

    if (error < 0)
        return error;
    if (!(logical = hwloc_bitmap_alloc()))
        error = error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
    for (int i = hwloc_bitmap_first(set);
         error == 0 && i >= 0 && (unsigned)i < machine->nplaces;
         i = hwloc_bitmap_next(set, i))
        if (machine->place[i] > 0)
            hwloc_bitmap_set(logical, machine->place[i] - 1);
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
        error = read_logical(&placed[i].logical, machine, masks[i], err);
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

/* One PU of each core of the set; returns how many there are. */
static uint32_t pick_cores(hwloc_bitmap_t out,
                           hwloc_topology_t topology,
                           hwloc_const_bitmap_t set)
{
    hwloc_obj_t core = NULL;
    uint32_t n = 0;

    while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)))
        for (int pu = hwloc_bitmap_first(core->cpuset); pu >= 0;
             pu = hwloc_bitmap_next(core->cpuset, pu))
            if (hwloc_bitmap_isset(set, (unsigned)pu)) {
                hwloc_bitmap_set(out, (unsigned)pu);
                n++;
                break;
            }
    return n;
}

/* What else of the set is in the cores of a piece. */
static void fill_cores(hwloc_bitmap_t piece,
                       hwloc_topology_t topology,
                       hwloc_const_bitmap_t set)
{
    hwloc_obj_t core = NULL;

    while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)))
        if (hwloc_bitmap_intersects(piece, core->cpuset))
            hwloc_bitmap_or(piece, piece, core->cpuset);
    hwloc_bitmap_and(piece, piece, set);
}

/* hwloc counts hardware threads, and would split cores of two threads where
 * others have one: so whole cores are counted while there are enough. */
static int distribute_cores(hwloc_bitmap_t *pieces,
                            hwloc_topology_t topology,
                            hwloc_const_bitmap_t set,
                            uint32_t n,
                            struct mapcore_error *err)
{
    hwloc_bitmap_t one = hwloc_bitmap_alloc();
    int error;

    if (!one)
        return error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
    if (pick_cores(one, topology, set) < n)
        error = distribute(pieces, topology, set, n, err);
    else if ((error = distribute(pieces, topology, one, n, err)) == 0)
        for (uint32_t i = 0; i < n; i++)
            fill_cores(pieces[i], topology, set);
    hwloc_bitmap_free(one);
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
        error = distribute_cores(pieces, machine->topology, set, n, err);
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

int cpuset_list(char **out, const char *mask, struct mapcore_error *err)
{
    hwloc_bitmap_t set = NULL;
    int error = read_mask(&set, mask, err);

    if (error == 0 && hwloc_bitmap_list_asprintf(out, set) < 0)
        error = error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
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
