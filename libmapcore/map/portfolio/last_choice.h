/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* last_choice.h - what a search for the least time goes by in the end: all
 * types and phases of a workload, where the rest of it knows one graph */
#ifndef MAPCORE_MAP_LAST_CHOICE_H
#define MAPCORE_MAP_LAST_CHOICE_H

#include "map/portfolio/search.h"

/* Sets how many results stay to choose from, and makes the tables of
 * last_choice_refine. Does nothing where search has no workload or another
 * rule. last_choice_end is due in any case. Errors: ENOMEM. */
int last_choice_begin(struct search *search, struct mapcore_error *err);
void last_choice_end(struct search *search);

/* Whether latency, or what messages take, decides as well: then a slower link
 * is no reason to leave out what takes less. */
bool last_choice_counts_messages(const struct search *search);

/* Goes on from the result that takes least: turns of chains of
 * map/refine/phase_descent.h, until so many as patience says have gained
 * little, one after the other. first: the number of the first turn. Nothing
 * where there are no tables. Errors: ENOMEM. */
int last_choice_refine(struct search *search,
                       uint32_t first,
                       uint32_t patience,
                       struct mapcore_error *err);

/* Keeps the result that takes least by now, whatever comes that is better by
 * the graph alone. Errors: ENOMEM. */
int last_choice_keep(struct search *search, struct mapcore_error *err);

/* Makes the result that takes least the best; of equals the one that the rule
 * prefers. Errors: ENOMEM. */
int last_choice(struct search *search, struct mapcore_error *err);

#endif
