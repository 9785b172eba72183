/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hardware_hwloc.c - topomap-hwloc.so, the only file of the plugin that
 * includes hwloc: from slots and Slurm's own masks to the CPUs of tasks */
#include "config.h"

#include "plugin/task/hardware.h"

#include "plugin/task/affinity.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"

#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Ten levels and more. */
enum { LEVELS_MOST = 256 };

static int no_memory(struct mapcore_error *err)
{
    return error_set(err, MAPCORE_ENOMEM, "no memory for CPU masks");
}

/* Nothing is asked that the order of PUs does not depend on. I/O objects are
 * left out: their discovery has hung inside slurmstepd. */
static int open_machine(hwloc_topology_t *out, struct mapcore_error *err)
{
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
    hwloc_topology_t machine;

    if (hwloc_topology_init(&machine) < 0)
        return no_memory(err);
        /* Core numbers count the cores that this task may not use, too. */
#if HWLOC_API_VERSION >= 0x00020800
    flags |= HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
             HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
#endif
    hwloc_topology_set_flags(machine, flags);
    hwloc_topology_set_io_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_NONE);
    /* Of a core's own caches none divides anything: those that can be no others
     * are not even read. */
    hwloc_topology_set_cache_types_filter(machine,
                                          HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    hwloc_topology_set_icache_types_filter(machine,
                                           HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(machine, HWLOC_OBJ_L1CACHE,
                                   HWLOC_TYPE_FILTER_KEEP_NONE);
#if HWLOC_API_VERSION >= 0x00020100
    /* It would bind this thread to one CPU after the other. */
    hwloc_topology_set_components(
        machine, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
#endif
    if (hwloc_topology_load(machine) < 0) {
        int error = errno;

        hwloc_topology_destroy(machine);
        return error_set(err, MAPCORE_EIO, "hwloc cannot read this machine: %s",
                         strerror(error));
    }
    *out = machine;
    return 0;
}

static int write_levels(char **out,
                        hwloc_topology_t machine,
                        struct mapcore_error *err)
{
    char text[LEVELS_MOST];
    int n = hwloc_topology_export_synthetic(
        machine, text, sizeof(text),
        HWLOC_TOPOLOGY_EXPORT_SYNTHETIC_FLAG_NO_ATTRS |
            HWLOC_TOPOLOGY_EXPORT_SYNTHETIC_FLAG_IGNORE_MEMORY);

    if (n <= 0 || (size_t)n >= sizeof(text))
        return error_set(err, MAPCORE_ENOTSUP,
                         "the objects of this machine differ inside");
    *out = strdup(text);
    return *out ? 0 : no_memory(err);
}

static int describe_levels(char **out, struct mapcore_error *err)
{
    hwloc_topology_t machine;
    int error = open_machine(&machine, err);

    if (error < 0)
        return error;
    error = write_levels(out, machine, err);
    hwloc_topology_destroy(machine);
    return error;
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
        return no_memory(err);
    if (hwloc_bitmap_taskset_sscanf(set, mask) < 0 ||
        hwloc_bitmap_iszero(set)) {
        hwloc_bitmap_free(set);
        return error_set(err, MAPCORE_EPARSE, "the CPU mask %.32s is empty",
                         mask);
    }
    *out = set;
    return 0;
}

static int refuse_foreign(const char *mask, struct mapcore_error *err)
{
    return error_set(err, MAPCORE_EPARSE,
                     "the CPU mask %.32s holds no CPU of this machine", mask);
}

struct placed_mask {
    const char *mask;
    unsigned place; /* of its first PU in the tree, from 1 */
    uint32_t index;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed_mask *a = left, *b = right;

    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static int place_mask(struct placed_mask *out,
                      const unsigned *place,
                      int last,
                      struct mapcore_error *err)
{
    hwloc_bitmap_t set = NULL;
    int error = read_mask(&set, out->mask, err);

    if (error < 0)
        return error;
    for (int i = hwloc_bitmap_first(set); i >= 0 && i <= last;
         i = hwloc_bitmap_next(set, i))
        if (place[i] > 0 && (out->place == 0 || place[i] < out->place))
            out->place = place[i];
    hwloc_bitmap_free(set);
    return out->place > 0 ? 0 : refuse_foreign(out->mask, err);
}

/* mask[n] */
static int put_in_order(const char **mask,
                        uint32_t n,
                        hwloc_topology_t machine,
                        struct mapcore_error *err)
{
    const int last =
        hwloc_bitmap_last(hwloc_topology_get_complete_cpuset(machine));
    struct placed_mask *placed = array_alloc(n, sizeof(*placed), err);
    unsigned *place = array_alloc((size_t)last + 1, sizeof(*place),
                                  err); /* of a PU, from 1 */
    int error = placed && place ? 0 : MAPCORE_ENOMEM;
    hwloc_obj_t pu = NULL;

    while (error == 0 &&
           (pu = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, pu)))
        place[pu->os_index] = 1 + pu->logical_index;
    for (uint32_t i = 0; error == 0 && i < n; i++) {
        placed[i] = (struct placed_mask){.mask = mask[i], .index = i};
        error = place_mask(&placed[i], place, last, err);
    }
    if (error == 0) {
        qsort(placed, n, sizeof(*placed), compare_placed);
        for (uint32_t i = 0; i < n; i++)
            mask[i] = placed[i].mask;
    }
    free(placed);
    free(place);
    return error;
}

/* The pieces of a machine that was cut down to the mask. */
static int distribute(hwloc_bitmap_t *pieces,
                      hwloc_topology_t machine,
                      hwloc_const_bitmap_t set,
                      uint32_t n,
                      struct mapcore_error *err)
{
    hwloc_topology_t part = NULL;
    hwloc_obj_t root;
    int error = 0;

    if (hwloc_topology_dup(&part, machine) < 0)
        return no_memory(err);
    root = hwloc_get_root_obj(part);
    if (hwloc_topology_restrict(part, set, 0) < 0)
        error = error_set(err, MAPCORE_EPARSE,
                          "hwloc cannot cut the machine down to a CPU mask");
    else if (hwloc_distrib(part, &root, 1, pieces, n, INT_MAX, 0) < 0)
        error = no_memory(err);
    hwloc_topology_destroy(part);
    return error;
}

/* One PU of each core of the set; returns how many there are. */
static uint32_t pick_cores(hwloc_bitmap_t out,
                           hwloc_topology_t machine,
                           hwloc_const_bitmap_t set)
{
    hwloc_obj_t core = NULL;
    uint32_t n = 0;

    while ((core = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_CORE, core)))
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
                       hwloc_topology_t machine,
                       hwloc_const_bitmap_t set)
{
    hwloc_obj_t core = NULL;

    while ((core = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_CORE, core)))
        if (hwloc_bitmap_intersects(piece, core->cpuset))
            hwloc_bitmap_or(piece, piece, core->cpuset);
    hwloc_bitmap_and(piece, piece, set);
}

/* hwloc counts hardware threads, and would split cores of two threads where
 * others have one: so whole cores are counted while there are enough. */
static int distribute_cores(hwloc_bitmap_t *pieces,
                            hwloc_topology_t machine,
                            hwloc_const_bitmap_t set,
                            uint32_t n,
                            struct mapcore_error *err)
{
    hwloc_bitmap_t one = hwloc_bitmap_alloc();
    int error;

    if (!one)
        return no_memory(err);
    if (pick_cores(one, machine, set) < n)
        error = distribute(pieces, machine, set, n, err);
    else if ((error = distribute(pieces, machine, one, n, err)) == 0)
        for (uint32_t i = 0; i < n; i++)
            fill_cores(pieces[i], machine, set);
    hwloc_bitmap_free(one);
    return error;
}

/* *list (owned): n masks. */
static int divide(char **list,
                  hwloc_topology_t machine,
                  const char *mask,
                  uint32_t n,
                  struct mapcore_error *err)
{
    hwloc_bitmap_t set = NULL;
    hwloc_bitmap_t *pieces = array_alloc(n, sizeof(hwloc_bitmap_t), err);
    struct buffer text = {.err = err};
    int error = pieces ? read_mask(&set, mask, err) : MAPCORE_ENOMEM;
    bool is_enough;

    if (error == 0)
        hwloc_bitmap_and(set, set, hwloc_topology_get_complete_cpuset(machine));
    if (error == 0 && hwloc_bitmap_iszero(set))
        error = refuse_foreign(mask, err);
    is_enough = error == 0 && n <= (uint32_t)hwloc_bitmap_weight(set);
    if (is_enough)
        error = distribute_cores(pieces, machine, set, n, err);
    for (uint32_t i = 0; error == 0 && i < n; i++) {
        char *piece = NULL;

        error = hwloc_bitmap_taskset_asprintf(&piece,
                                              is_enough ? pieces[i] : set) < 0
                    ? no_memory(err)
                    : buffer_printf(&text, "%s%s", i > 0 ? "," : "", piece);
        free(piece);
    }
    for (uint32_t i = 0; pieces && i < n; i++)
        hwloc_bitmap_free(pieces[i]);
    free(pieces);
    hwloc_bitmap_free(set);
    return buffer_finish(list, &text, error);
}

/* Cuts list at its commas into at most most items; returns how many there are.
 */
static uint32_t split(const char **items, uint32_t most, char *list)
{
    uint32_t n = 0;

    for (const char *item; (item = strsep(&list, ",")); n++)
        if (n < most)
            items[n] = item;
    return n;
}

static int make_masks(char **out,
                      hwloc_topology_t machine,
                      const char *masks,
                      const struct binding *binding,
                      struct mapcore_error *err)
{
    const uint32_t n = binding->nlocal;
    char *list = array_copy(masks, strlen(masks) + 1, 1, err), *divided = NULL;
    const char **by_slot = array_alloc(n, sizeof(*by_slot), err);
    struct buffer by_task = {.err = err};
    uint32_t count;
    int error = MAPCORE_ENOMEM;

    if (!list || !by_slot)
        goto out;
    count = split(by_slot, n, list);
    if (count == 1 && (error = divide(&divided, machine, list, n, err)) == 0)
        split(by_slot, n, divided);
    else if (count == n)
        error = put_in_order(by_slot, n, machine, err);
    else if (count != 1)
        error = error_set(err, MAPCORE_EPARSE, "%u CPU masks for %u tasks",
                          count, n);
    for (uint32_t i = 0; error == 0 && i < n; i++)
        buffer_printf(&by_task, "%s%s", i > 0 ? "," : "",
                      by_slot[binding->slot[i]]);
out:
    free(list);
    free(divided);
    free(by_slot);
    return buffer_finish(out, &by_task, error);
}

/* The mask of the step's cores, owned, if this task may use just those: then
 * Slurm confines the tasks and has bound none of them. */
static char *own_cores(hwloc_topology_t machine, const char *cores)
{
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc(), own = NULL;
    bool are_own = allowed && cores;
    char *current = NULL;

    while (are_own) {
        uint64_t first, last;

        are_own = text_take_range(&cores, INT_MAX, &first, &last);
        for (; are_own && first <= last; first++) {
            hwloc_obj_t core =
                hwloc_get_obj_by_type(machine, HWLOC_OBJ_CORE, (unsigned)first);

            are_own =
                core && hwloc_bitmap_or(allowed, allowed, core->cpuset) == 0;
        }
        if (*cores != ',')
            break;
        cores++;
    }
    if (!are_own || *cores != '\0' || affinity_current(&current, NULL) < 0 ||
        read_mask(&own, current, NULL) < 0 ||
        !hwloc_bitmap_isequal(allowed, own)) {
        free(current);
        current = NULL;
    }
    hwloc_bitmap_free(allowed);
    hwloc_bitmap_free(own);
    return current;
}

static bool is_planned_for(hwloc_topology_t machine, const char *tree)
{
    char *levels = NULL;
    bool is_so = !tree || (write_levels(&levels, machine, NULL) == 0 &&
                           strcmp(levels, tree) == 0);

    free(levels);
    return is_so;
}

static int make(char **list,
                bool *is_other,
                const struct binding *binding,
                struct mapcore_error *err)
{
    const char *masks = binding->list;
    char *cores = NULL, *made = NULL;
    hwloc_topology_t machine;
    int error = open_machine(&machine, err);

    if (error < 0)
        return error;
    if (!is_planned_for(machine, binding->tree)) {
        *is_other = true;
        masks = NULL;
    } else if (!masks)
        masks = cores = own_cores(machine, binding->cores);
    if (masks && (error = make_masks(&made, machine, masks, binding, err)) == 0)
        error = affinity_try_all(made, err);
    if (error == 0) {
        *list = made;
        made = NULL;
    }
    free(made);
    free(cores);
    hwloc_topology_destroy(machine);
    return error;
}

static int describe(char **out,
                    const char *list,
                    const uint32_t *rank,
                    uint32_t nlocal,
                    size_t most,
                    struct mapcore_error *err)
{
    struct buffer line = {.err = err};
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < nlocal; i++) {
        size_t n = strcspn(list, ",");
        char *mask = strndup(list, n), *cpus = NULL;
        hwloc_bitmap_t set = NULL;

        if (line.n > most) {
            error = buffer_printf(&line, "; and %u more", nlocal - i);
            i = nlocal - 1;
        } else if (!mask)
            error = no_memory(err);
        else if ((error = read_mask(&set, mask, err)) == 0)
            error = hwloc_bitmap_list_asprintf(&cpus, set) < 0
                        ? no_memory(err)
                        : buffer_printf(&line, "%s%u on %s", i > 0 ? "; " : "",
                                        rank[i], cpus);
        free(mask);
        free(cpus);
        hwloc_bitmap_free(set);
        list += n + (list[n] != '\0');
    }
    return buffer_finish(out, &line, error);
}

const struct hardware topomap_hardware = {
    .version = PACKAGE_VERSION,
    .make = make,
    .describe = describe,
    .levels = describe_levels,
};
