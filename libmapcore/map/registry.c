/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* registry.c - the mappers that there are */
#include "config.h"

#include "map/map.h"
#include "map/mappers.h"

/* Those that are no struct mapper: layouts, and GreedyMap, whose parameters
 * are more than words. */
static const struct mapcore_mapper fixed[] = {
    {"default", "the layout without topomap (Slurm's own, or block)",
     "Slurm, --distribution"},
    {"block", "hosts filled one after the other",
     "Slurm, --distribution=block"},
    {"cyclic", "one task a host in turn", "Slurm, --distribution=cyclic"},
    {"greedymap",
     "greedy placement; :order=OO|BFS|BFS-DFS|GPART|FILE,delta=all|sqrt|N,"
     "pack=0|1,cost=hop|max|link,wrap=0|1",
     "Galvez, Jain, Kale, ICS 2017, Algorithm 1"},
    {"parmapper", "all of GreedyMap's configurations, chosen among by Pareto",
     "Galvez, Jain, Kale, ICS 2017, section 4.2"},
};
#define NFIXED (sizeof(fixed) / sizeof(*fixed))

const struct mapper *const mapper_list[] = {
    &mapper_rb,         &mapper_plane,  &mapper_list_curve,
    &mapper_topolb,     &mapper_faq,    &mapper_hs_greedy,
    &mapper_hs_rb,      &mapper_hs_rcm, &mapper_grid,
    &mapper_multilevel, NULL,
};

bool mapcore_mapper_get(struct mapcore_mapper *out, size_t index)
{
    const struct mapper *mapper;

    if (index < NFIXED) {
        *out = fixed[index];
        return true;
    }
    for (size_t i = 0; i <= index - NFIXED; i++)
        if (!mapper_list[i])
            return false;
    mapper = mapper_list[index - NFIXED];
    *out =
        (struct mapcore_mapper){mapper->name, mapper->summary, mapper->source};
    return true;
}
