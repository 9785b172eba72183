/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_show.c - the history, a line a step, and where the ranks of a step
 * were */
#include "config.h"

#include "tools/history/history_tool.h"

#include "base/array.h"
#include "base/hosts.h"
#include "launch/facts.h"
#include "launch/plan.h"
#include "launch/runs.h"
#include "profiles/history/history_cpus.h"
#include "tools/common/tool.h"
#include "tools/plan/plan_file.h"
#include "tools/table/told.h"

#include <stdlib.h>
#include <string.h>

int history_show(struct history *history,
                 const char *view,
                 struct mapcore_error *err)
{
    struct told_answer told;
    int error = 0;

    if (view && !told_begin_view(&told, stdout, view, NULL, err))
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < history->n; i++) {
        char *text = NULL;

        error = history_line_format(&text, &history->step[i], err);
        if (error == 0)
            fputs(text, view ? told.memory : stdout);
        if (error == MAPCORE_ERANGE) { /* topomap has not written it */
            history->broken++;
            error = 0;
        }
        free(text);
    }
    return view ? told_end(&told, error, err) : error;
}

/* Why the CPUs of a step are not known. */
static const char *why_no_cpus(const struct history_line *step)
{
    if (step->nnodes > HISTORY_CPUS_NODES)
        return "its nodes are too many to be asked";
    if (step->seconds < 0)
        return "they are told when the step has ended";
    return step->cpus
               ? "others came after it"
               : "nobody asked (--topomap=...,cpus), or no node has told";
}

static void print_head(const struct history_line *step,
                       const struct mapcore_plan *plan,
                       char **cpus)
{
    tool_print("job %u.%u: rank, node%s", step->job, step->step,
               plan->outcome == MAPCORE_PLAN_PLACED
                   ? ", place in the node"
                   : " as Slurm put them, its order of places");
    if (cpus)
        puts(" and CPUs");
    else
        tool_print("; its CPUs are not known: %s\n", why_no_cpus(step));
}

/* In Slurm's own layout the ranks of a node have its slots in their order. */
static int print_places(const struct history_line *step,
                        const struct mapcore_plan *plan,
                        const struct mapcore_facts *facts,
                        char **cpus,
                        struct mapcore_error *err)
{
    struct hosts hosts = {0};
    uint32_t *taken = array_alloc(facts->nhosts, sizeof(*taken), err);
    int error =
        taken ? hosts_expand(&hosts, facts->nodelist, err) : MAPCORE_ENOMEM;

    if (error == 0 && hosts.n != facts->nhosts)
        error = error_set(err, MAPCORE_EPARSE, "%zu nodes, not %u", hosts.n,
                          facts->nhosts);
    if (error == 0)
        print_head(step, plan, cpus);
    for (uint32_t t = 0; error == 0 && t < facts->ntasks; t++) {
        const uint32_t host = plan->outcome == MAPCORE_PLAN_PLACED
                                  ? plan->host[t]
                                  : facts->baseline[t];

        tool_print("%u %s %u %s\n", t, hosts.name[host],
                   plan->outcome == MAPCORE_PLAN_PLACED ? plan->slot[t]
                                                        : taken[host]++,
                   cpus && cpus[t] ? cpus[t] : "-");
    }
    free(taken);
    hosts_clear(&hosts);
    return error;
}

static int show_map(const struct history_line *step,
                    const struct own_folder *folder,
                    struct mapcore_error *err)
{
    struct mapcore_plan *plan = NULL;
    struct mapcore_facts *facts = NULL;
    char *text = NULL, **cpus = NULL;
    size_t n = 0;
    int error;

    if (!step->map)
        return error_set(
            err, MAPCORE_ENOENT, "no map of step %u.%u was kept: %s", step->job,
            step->step,
            step->outcome && strcmp(step->outcome, HISTORY_LEFT) == 0
                ? (step->why ? step->why : "-")
                : "nothing was planned, or it was too large");
    error = history_read_map(&text, &n, folder, step->map, err);
    if (error == MAPCORE_ENOENT)
        return error_set(err, error,
                         "the map of step %u.%u is no longer kept: others came "
                         "after it",
                         step->job, step->step);
    if (error == 0)
        error = plan_file_parse(&plan, &facts, step->map, text, n, err);
    if (error == 0 && step->cpus) {
        error =
            history_cpus_read(&cpus, folder, step->cpus, facts->ntasks, err);
        if (error == MAPCORE_ENOENT)
            error = 0;
    }
    if (error == 0)
        error = print_places(step, plan, facts, cpus, err);
    if (facts)
        history_cpus_free(cpus, facts->ntasks);
    mapcore_plan_destroy(plan);
    mapcore_facts_destroy(facts);
    free(text);
    return error;
}

int history_show_maps(const struct history *history,
                      const struct own_folder *folder)
{
    int status = TOOL_OK;

    for (size_t i = 0; i < history->n; i++) {
        struct mapcore_error err;

        if (show_map(&history->step[i], folder, &err) < 0)
            status = tool_fail("%s", err.text);
    }
    return status;
}
