/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mappers.h - every mapper, for the registry; families of mappers are known to
 * nobody else */
#ifndef MAPCORE_MAP_MAPPERS_H
#define MAPCORE_MAP_MAPPERS_H

#include "map/mapper.h"

extern const struct mapper mapper_rb;
extern const struct mapper mapper_multilevel;
extern const struct mapper mapper_grid;
extern const struct mapper mapper_default;
extern const struct mapper mapper_block;
extern const struct mapper mapper_cyclic;
extern const struct mapper mapper_greedymap;
extern const struct mapper mapper_plane;
extern const struct mapper mapper_list_curve;
extern const struct mapper mapper_topolb;
extern const struct mapper mapper_hs_greedy;
extern const struct mapper mapper_hs_rb;
extern const struct mapper mapper_hs_rcm;
extern const struct mapper mapper_faq;
extern const struct mapper mapper_bottom_up;
extern const struct mapper mapper_random;

#endif
