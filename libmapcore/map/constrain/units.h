/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* units.h - a search whose units are several tasks each: on the quotient graph,
 * expanded at the end; and what such units communicate */
#ifndef MAPCORE_MAP_UNITS_H
#define MAPCORE_MAP_UNITS_H

#include "map/map.h"
#include "metric/workload.h"

/* A search: of one mapper, with its parameters, or, without, of the portfolio
 * or, where it does not refine, of ParMapper's list. Borrows all. */
struct units_request {
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    const struct mapcore_search *search;
    const char *mapper;
    bool refines;
    bool is_part; /* of another search, which goes on itself */
};

/* A search in which every task goes by itself, pinned or not. */
typedef int units_run(struct mapcore_result *out,
                      const struct units_request *request,
                      struct mapcore_error *err);

/* Calls run with the request where search->unit is 0 or 1; else with the graph
 * contracted by units, hosts whose slots are units, and the baseline and pins
 * of units, and makes of what that gives a result of the tasks, its metrics
 * those of the graph. Errors: EINVAL (mapcore_search), those of run. */
int units_search(struct mapcore_result *out,
                 const struct units_request *request,
                 units_run *run,
                 struct mapcore_error *err);

/* The mapping that a search is compared with: the baseline's [ntasks] hosts, or
 * block where that is NULL. Errors: those of mapcore_mapping_create. */
int baseline_mapping(struct mapcore_mapping **out,
                     const struct mapcore_alloc *alloc,
                     uint32_t ntasks,
                     const uint32_t *baseline,
                     struct mapcore_error *err);

/* Where tasks are, and what is known of it. */
struct result_places {
    const uint32_t *host, *slot; /* [ntasks]; slot NULL: ascending */
    /* Of the mapping and of the search's baseline; NULL: they are computed. */
    const struct mapcore_metrics *metrics, *baseline;
};

/* The result that these places are, beside the search's baseline; what says how
 * it was found is left 0. Errors: those of mapcore_mapping_create, ENOMEM. */
int result_make(struct mapcore_result *out,
                const struct mapcore_graph *graph,
                const struct mapcore_alloc *alloc,
                const struct mapcore_search *search,
                const struct result_places *places,
                struct mapcore_error *err);

/* Makes a result of the request of one of other places, whose words of how it
 * was found stay. Errors: as above. */
int result_replace(struct mapcore_result *result,
                   const struct units_request *request,
                   const struct result_places *places,
                   struct mapcore_error *err);

struct unit_work {
    struct mapcore_workload work;
    struct mapcore_phases **phases; /* [work.n] */
};

/* The workload of nunits units, of which unit[t] has task t: wherever units
 * are, it takes as long as work does with their tasks there. Flows between the
 * same two units in one phase are one; those inside a unit stay, since they use
 * the memory of its host. Stages that depend on who shares a host are those of
 * units that have one each. Latency, and what messages take of tasks, is left
 * out. out is to be cleared in any case. O(flows + phases x nunits). Errors:
 * ENOMEM. */
int unit_work_create(struct unit_work *out,
                     const struct mapcore_workload *work,
                     const uint32_t *unit,
                     uint32_t nunits,
                     struct mapcore_error *err);
void unit_work_clear(struct unit_work *work);

#endif
