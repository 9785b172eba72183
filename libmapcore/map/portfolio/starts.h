/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starts.h - the first part of a search: its list of candidates */
#ifndef MAPCORE_MAP_STARTS_H
#define MAPCORE_MAP_STARTS_H

#include "map/portfolio/search.h"

/* Runs the stages of the list until they are through or interrupted, and adds
 * every run that counts to the results; there is one at least on success.
 * Errors: ENOMEM, and whatever METIS gives (partition.h). */
int starts_run(struct search *search, struct mapcore_error *err);

#endif
