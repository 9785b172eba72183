/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_descent.h - how a refinement ends */
#ifndef MAPCORE_MAP_REFINE_DESCENT_H
#define MAPCORE_MAP_REFINE_DESCENT_H

#include "map/refine/refine.h"
#include "pool/pool.h"

/* Greedy descent: changes that gain, until few are left; pool: as of
 * refine_epoch(). Errors: ENOMEM. */
int refine_descend(struct refine *refine,
                   struct pool *pool,
                   struct mapcore_error *err);

#endif
