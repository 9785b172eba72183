/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* registry.c - the mappers that there are, for people */
#include "config.h"

#include "map/map.h"

static const struct mapcore_mapper mappers[] = {
    {"default", "the layout without topomap (Slurm's own, or block)",
     "Slurm, --distribution"},
    {"block", "hosts filled one after the other",
     "Slurm, --distribution=block"},
    {"cyclic", "one task a host in turn", "Slurm, --distribution=cyclic"},
    {"greedymap",
     "greedy placement; :order=OO|BFS|BFS-DFS|GPART|FILE,delta=all|sqrt|N,"
     "pack=0|1,cost=hop|max|link,wrap=0|1",
     "Galvez, Jain, Kale, ICS 2017, Algorithm 1"},
};

const struct mapcore_mapper *mapcore_mappers(size_t *n)
{
    *n = sizeof(mappers) / sizeof(*mappers);
    return mappers;
}
