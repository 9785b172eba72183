/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_more.h - what is done with the time that is left when refinement for
 * the slowest link is through */
#ifndef MAPCORE_MAP_REFINE_MORE_H
#define MAPCORE_MAP_REFINE_MORE_H

#include "map/portfolio/search.h"

/* Iterated local search (Lourenco, Martin and Stuetzle 2003): rounds of CHAINS
 * chains that warm the best mapping so far, each to a temperature of its own,
 * and cool it by the loads of links (map/refine/bottleneck.h). A round goes on
 * from the best of the one before where that was better, in the slowest link or
 * in what all links weigh. Ends with time or work, or once half of the rounds,
 * schedule_more.idle at least, have gained nothing. Errors: ENOMEM. */
int refine_more(struct search *search, struct mapcore_error *err);

#endif
