/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_nodes.c - programs that number nodes by Slurm's variables or by
 * themselves: what a placement does for them */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include <stdlib.h>
#include <string.h>

static bool is_one_a_node(const struct mapcore_facts *facts)
{
    return facts->ntasks == facts->nhosts;
}

int planner_number_nodes(struct planner *planner)
{
    const struct mapcore_facts *facts = planner->facts;
    struct plan_request *request = &planner->request;
    struct framework *framework = &planner->sources.framework;
    int error = 0;

    if (request->by_place)
        return 0;
    if (is_one_a_node(facts) && facts->nwords > 0)
        error = framework_find(
            framework, facts->nwords, (const char *const *)facts->words,
            getenv("PATH"), getenv("PET_RDZV_BACKEND"), planner->err);
    if (error < 0 || request->env == PLAN_ENV_OFF ||
        (request->env == PLAN_ENV_AUTO && !framework->name))
        return error;
    if (!(planner->plan.env = strdup(MAPCORE_PLAN_ENV_NODES)))
        return error_set(planner->err, MAPCORE_ENOMEM, "no memory for a plan");
    /* Batch scripts take MASTER_ADDR from the first name of the job's list,
     * where Slurm 26.05 may not put rank 0. */
    if (!request->search.constraints.pin) {
        snprintf(planner->first, sizeof(planner->first), "0@%s",
                 planner->machine.hosts.name[0]);
        request->search.constraints.pin =
            facts->baseline[0] == 0 ? "0" : planner->first;
    }
    if (request->env == PLAN_ENV_NODES)
        request->search.constraints.unit = MAPCORE_UNIT_HOST;
    return 0;
}

int planner_check_order(struct planner *planner)
{
    const struct framework *framework = &planner->sources.framework;

    if (!framework->name || framework->order == FRAMEWORK_GIVEN)
        return 0;
    if (framework->order == FRAMEWORK_OWN)
        return planner_stop(planner, MESSAGE_OWN_ORDER, framework->name);
    return planner_stop(planner, MESSAGE_SORTED, framework->name,
                        framework->instead);
}
