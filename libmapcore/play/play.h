/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* play.h - how long a phase of communication takes when its messages flow at
 * once and share the network fairly */
#ifndef MAPCORE_PLAY_PLAY_H
#define MAPCORE_PLAY_PLAY_H

#include "graph/phases.h"
#include "metric/estimate.h"

struct mapcore_play_how {
    uint64_t seed; /* of what ECMP and UGAL draw */
    double merge;  /* flows that end within this share of the bound after the
                      next one end together, at the time of the last of them;
                      0: only those that rounding alone tells apart */
    struct mapcore_host_rates rates; /* and which way flows go */
};

struct mapcore_play {
    double time;  /* until all flows have ended */
    double bound; /* the most over all ports of bytes / capacity, by the ways
                     that the flows took: time is never less, but for rounding;
                     with static routes mapcore_work_type_estimate says
                     the same, unless ties are whole */
    struct mapcore_port port; /* that one */
    uint64_t flows;           /* that cross any port */
    uint64_t steps;
    uint32_t stages; /* that these are of; 0: they have no order */
};

/* What flows, and between which hosts. All is borrowed. */
struct mapcore_play_source {
    /* Every edge is two flows, of half its bytes each way; or, where it is
     * NULL, the flows of one of the phases, below phases->n, each in its own
     * direction. */
    const struct mapcore_graph *graph;
    const struct mapcore_phases *phases;
    size_t phase;
    /* NULL: all begin at once. Of a graph [2 * edges], of the flows from each
     * task to its neighbours, task after task, in the order of
     * mapcore_graph_neighbours; else of each flow of the phase. A flow begins
     * when its two tasks have ended all their flows of lower stages, out and
     * in; each task goes from stage to stage when it can, and none waits for
     * ever. */
    const uint8_t *stage;
    const struct mapcore_alloc *alloc;
    const uint32_t *host; /* [ntasks], as for mapcore_metrics_compute */
};

/* At any time flows share the ports by max-min fairness: no flow could have
 * more without one that has no more than it having less (Bertsekas and
 * Gallager, Data Networks, 1992, section 6.5.2), by progressive filling. What
 * tasks of one host send each other takes its memory alone.
 * With stages merge is divided by the square root of their
 * number, since what ends late makes later ones late. Time: for each step the
 * links of all flows that are left; there are at most as many steps as flows,
 * and with merge > 0 and no stages at most time / (merge x bound) + 1.
 * Errors: EINVAL (a host that is not there; a rate or merge that is no number
 * from 0 on), ERANGE (2^32 ports or flows; 2^63 bytes of a flow), ENOMEM. */
MAPCORE_API int mapcore_play_flows(struct mapcore_play *out,
                                   const struct mapcore_play_source *source,
                                   const struct mapcore_play_how *how,
                                   struct mapcore_error *err);

#endif
