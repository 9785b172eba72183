/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_show.c - the history, a line a step, and where the ranks of a step
 * were */
#include "config.h"

#include "tools/history/history_tool.h"

#include "base/hosts.h"
#include "launch/facts.h"
#include "launch/plan.h"
#include "launch/runs.h"
#include "profiles/history/history_file.h"
#include "tools/common/tool.h"
#include "tools/plan/plan_file.h"
#include "tools/table/answer.h"

#include <stdlib.h>
#include <string.h>

int history_show(struct history *history,
                 const char *view,
                 struct mapcore_error *err)
{
    struct answer answer;
    int error = 0;

    if (view && !answer_begin_view(&answer, stdout, view, NULL, err))
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < history->n; i++) {
        char *text = NULL;

        error = history_line_format(&text, &history->step[i], err);
        if (error == 0)
            fputs(text, view ? answer.memory : stdout);
        if (error == MAPCORE_ERANGE) { /* topomap has not written it */
            history->broken++;
            error = 0;
        }
        free(text);
    }
    return view ? answer_end(&answer, error, err) : error;
}

/* Why the CPUs of a step are not known. */
static const char *why_no_cpus(const struct history_line *step)
{
    if (step->nnodes > HISTORY_CPUS_NODES)
        return "its nodes are too many to be asked";
    if (step->seconds < 0)
        return "nodes report them when the step has ended";
    return step->cpus
               ? "others came after it"
               : "not asked for (--topomap=...,cpus), or no node reported";
}

/* cpus: the file of them, or NULL. */
static int put_places(struct json_writer *writer,
                      const struct history_line *step,
                      const struct mapcore_plan *plan,
                      const struct mapcore_facts *facts,
                      const char *cpus,
                      struct mapcore_error *err)
{
    const bool is_placed = plan->outcome == MAPCORE_PLAN_PLACED;
    struct hosts hosts = {0};
    int error = hosts_expand(&hosts, facts->nodelist, err);

    if (error == 0 && hosts.n != facts->nhosts)
        error = error_set(err, MAPCORE_EPARSE, "%zu nodes, not %u", hosts.n,
                          facts->nhosts);
    if (error == 0) {
        json_begin_object(writer, NULL);
        json_put_u64(writer, "job", step->job);
        json_put_u64(writer, "step", step->step);
        json_begin_array(writer, "nodes");
        for (size_t i = 0; i < hosts.n; i++)
            json_put_string(writer, NULL, hosts.name[i]);
        json_end_array(writer);
        json_put_numbers(writer, "node",
                         is_placed ? plan->host : facts->baseline,
                         facts->ntasks);
        if (is_placed)
            json_put_numbers(writer, "place", plan->slot, facts->ntasks);
        json_put_string(writer, "cpus", cpus);
        json_put_string(writer, "why", why_no_cpus(step));
        json_end_object(writer);
    }
    hosts_clear(&hosts);
    return error;
}

static int put_map(struct json_writer *writer,
                   const struct history_line *step,
                   const struct own_folder *folder,
                   struct mapcore_error *err)
{
    struct mapcore_plan *plan = NULL;
    struct mapcore_facts *facts = NULL;
    char *text = NULL, *cpus = NULL;
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
        error = history_read_map(&cpus, &n, folder, step->cpus, err);
        if (error == MAPCORE_ENOENT)
            error = 0;
    }
    if (error == 0)
        error = put_places(writer, step, plan, facts, cpus, err);
    free(cpus);
    mapcore_plan_destroy(plan);
    mapcore_facts_destroy(facts);
    free(text);
    return error;
}

int history_show_maps(const struct history *history,
                      const struct own_folder *folder)
{
    struct answer answer;
    struct mapcore_error err;
    struct json_writer *writer =
        answer_begin_view(&answer, stdout, "ranks", NULL, &err);
    int status = TOOL_OK;

    if (!writer)
        return tool_fail("%s", err.text);
    json_begin_array(writer, NULL);
    for (size_t i = 0; i < history->n; i++)
        if (put_map(writer, &history->step[i], folder, &err) < 0)
            status = tool_fail("%s", err.text);
    return answer_end(&answer, 0, &err) < 0 ? tool_fail("%s", err.text)
                                            : status;
}
