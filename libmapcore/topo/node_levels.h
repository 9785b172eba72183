/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_levels.h - the plain ones of hwloc's synthetic descriptions, read
 * without hwloc, which takes milliseconds for a node of 128 cores */
#ifndef MAPCORE_TOPO_NODE_LEVELS_H
#define MAPCORE_TOPO_NODE_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

/* Levels from the root down: count[l] objects in each of the level above. The
 * last level is that of cores or of hardware threads. */
struct node_levels {
    uint32_t n, count[16];
    uint32_t core;        /* its level; n - 1 when there is none of cores */
    const char *name[16]; /* hwloc's, "Package" */
};

/* description: "package:2 l3:4 core:8 pu:2": packages, dies, groups, caches,
 * cores and threads by their names in hwloc, each once, from large to small.
 * False for all else, which is left to hwloc: attributes, memory, more than
 * most threads, mistakes. */
bool node_levels_read(struct node_levels *out,
                      const char *description,
                      uint32_t most);

#endif
