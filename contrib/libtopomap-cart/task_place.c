/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task_place.c - the package, NUMA node and L3 cache that a task is bound to;
 * hwloc stays behind this door */
#include "config.h"

#include "libtopomap-cart/task_place.h"

#include <hwloc.h>

/* The smallest object of a type that holds the set; of equal ones, such as
 * memories of two kinds beside the same cores, the first. */
static int find(hwloc_topology_t topology,
                hwloc_obj_type_t type,
                hwloc_const_cpuset_t set)
{
    hwloc_obj_t object = NULL;
    int number = -1, least = 0;

    while ((object = hwloc_get_next_obj_by_type(topology, type, object))) {
        int n = hwloc_bitmap_weight(object->cpuset);

        if (hwloc_bitmap_isincluded(set, object->cpuset) &&
            (number < 0 || n < least)) {
            number = (int)object->logical_index;
            least = n;
        }
    }
    return number;
}

/* Little is discovered, for this runs at the start of every program: no device,
 * so that no library of one is asked, and no core. */
static int load(hwloc_topology_t topology)
{
#if HWLOC_API_VERSION >= 0x00020100
    /* It would bind this thread to one CPU after the other. */
    hwloc_topology_set_components(
        topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
#endif
#if HWLOC_API_VERSION >= 0x00020800
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                                           HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                                           HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
#endif
    if (hwloc_topology_set_all_types_filter(topology,
                                            HWLOC_TYPE_FILTER_KEEP_NONE) != 0 ||
        hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PACKAGE,
                                       HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
        hwloc_topology_set_type_filter(topology, HWLOC_OBJ_L3CACHE,
                                       HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
        /* Without groups NUMA nodes take the cores of what is around them. */
        hwloc_topology_set_type_filter(topology, HWLOC_OBJ_GROUP,
                                       HWLOC_TYPE_FILTER_KEEP_STRUCTURE) != 0)
        return -1;
    return hwloc_topology_load(topology);
}

void task_place_find(struct levels_place *out)
{
    static const hwloc_obj_type_t types[LEVELS_KINDS] = {
        [LEVELS_PACKAGE] = HWLOC_OBJ_PACKAGE,
        [LEVELS_NUMA] = HWLOC_OBJ_NUMANODE,
        [LEVELS_L3] = HWLOC_OBJ_L3CACHE,
    };
    hwloc_cpuset_t set = hwloc_bitmap_alloc();
    hwloc_topology_t topology;

    for (int k = LEVELS_PACKAGE; k < LEVELS_KINDS; k++)
        out->in[k] = -1;
    if (set && hwloc_topology_init(&topology) == 0) {
        if (load(topology) == 0 &&
            hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_THREAD) == 0)
            for (int k = LEVELS_PACKAGE; k < LEVELS_KINDS; k++)
                out->in[k] = find(topology, types[k], set);
        hwloc_topology_destroy(topology);
    }
    hwloc_bitmap_free(set);
}
