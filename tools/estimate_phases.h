/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate_phases.h - the phases that a program has named, and how long each
 * takes under a mapping */
#ifndef TOOLS_ESTIMATE_PHASES_H
#define TOOLS_ESTIMATE_PHASES_H

#include "profiles/profile.h"
#include "tools/common/graphs.h"
#include "tools/common/quantity.h"
#include "json/json.h"

/* Time by phase, a line each, of seconds[types->n]; none where the program has
 * named none. Behind the profile's phases comes, where there is such a thing,
 * what is known of all of them together only, as "any". */
void estimate_phases_print(const struct graph_types *types,
                           const double *seconds,
                           enum quantity_time unit);
/* "phases" of the object that is open, where there are any. */
void estimate_phases_put(struct json_writer *writer,
                         const struct graph_types *types,
                         const double *seconds,
                         enum quantity_time unit);

#endif
