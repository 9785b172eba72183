/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* package.c - the package that a task is bound to; hwloc stays behind this
 * door */
#include "config.h"

#include "libtopomap-cart/package.h"

#include <hwloc.h>

static int find(hwloc_topology_t topology)
{
    hwloc_cpuset_t set = hwloc_bitmap_alloc();
    hwloc_obj_t package = NULL;
    int number = -1;

    if (set && hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_THREAD) == 0)
        while ((package = hwloc_get_next_obj_by_type(
                    topology, HWLOC_OBJ_PACKAGE, package)))
            if (hwloc_bitmap_isincluded(set, package->cpuset))
                number = (int)package->logical_index;
    hwloc_bitmap_free(set);
    return number;
}

int package_of_task(void)
{
    hwloc_topology_t topology;
    int number = -1;

    if (hwloc_topology_init(&topology) != 0)
        return -1;
    /* Packages alone: less to discover, at the start of every program. */
    if (hwloc_topology_set_all_types_filter(topology,
                                            HWLOC_TYPE_FILTER_KEEP_NONE) == 0 &&
        hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PACKAGE,
                                       HWLOC_TYPE_FILTER_KEEP_ALL) == 0 &&
        hwloc_topology_load(topology) == 0)
        number = find(topology);
    hwloc_topology_destroy(topology);
    return number;
}
