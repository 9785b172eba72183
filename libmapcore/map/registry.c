/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* registry.c - the mappers that there are */
#include "config.h"

#include "map/map.h"
#include "map/mappers.h"

static const struct mapper parmapper = {
    .name = "parmapper",
    .summary = "all of GreedyMap's configurations, chosen among by Pareto",
    .source = "Galvez, Jain, Kale, ICS 2017, section 4.2",
};

const struct mapper *const mapper_list[] = {
    &mapper_default, &mapper_block, &mapper_cyclic,     &mapper_greedymap,
    &parmapper,      &mapper_rb,    &mapper_plane,      &mapper_list_curve,
    &mapper_topolb,  &mapper_faq,   &mapper_hs_greedy,  &mapper_hs_rb,
    &mapper_hs_rcm,  &mapper_grid,  &mapper_multilevel, &mapper_bottom_up,
    &mapper_random,  NULL,
};

bool mapcore_mapper_get(struct mapcore_mapper *out, size_t index)
{
    for (size_t i = 0; mapper_list[i]; i++)
        if (i == index) {
            *out = (struct mapcore_mapper){mapper_list[i]->name,
                                           mapper_list[i]->summary,
                                           mapper_list[i]->source};
            return true;
        }
    return false;
}
