/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graphs_scale.h - from what is estimated of types to their seconds, by what a
 * profile has recorded */
#ifndef TOOLS_GRAPHS_SCALE_H
#define TOOLS_GRAPHS_SCALE_H

#include "tools/inputs/graphs.h"

/* What is known of the times that are estimated. */
struct graphs_scaling {
    bool in_seconds;      /* capacities are bytes per second */
    bool counts_messages; /* not bytes alone take time */
};
/* Sets type[].scale, rest, block and reached by what is estimated of each type
 * under the block layout, block[n]: its seconds grow and shrink with that. But
 * what it took beyond the time that its bytes need, compared with all types
 * together, was waiting or latency, which no mapping helps, and is rest; so is
 * all of what has hardly any bytes. In seconds bytes need what is estimated,
 * or a third of the recorded time, where that is GRAPHS_SCALE_MOST as long.
 * Seconds of types with hardly any bytes are those of others as far as these
 * kept some tasks longer: there the first to be done waited for the last.
 * Where nothing was recorded, what is estimated is its time. Once. */
#define GRAPHS_SCALE_MOST 1.2 /* where links reach 5/6 of their capacities */
void graphs_scale(struct graph_types *types,
                  const double *block,
                  const struct graphs_scaling *how);
/* Where no task took as long under the block layout as is estimated of its
 * slowest port, the estimate counted what went on at once. That is not known of
 * what is shorter, which has the more of its own seconds the shorter it is. */
double graphs_scale_seconds(const struct graph_types *types,
                            size_t i,
                            double estimated);

#endif
