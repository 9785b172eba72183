/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_show.c - the history, a line a step, and where the ranks of a step
 * were */
#include "config.h"

#include "tools/history/history_tool.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/hosts.h"
#include "base/printable.h"
#include "launch/facts.h"
#include "launch/plan.h"
#include "launch/wire.h"
#include "profiles/history/history_file.h"
#include "tools/common/tool.h"
#include "tools/plan/plan_file.h"
#include "tools/table/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int history_show(FILE *file,
                 struct history_line *step,
                 size_t *broken,
                 struct mapcore_error *err)
{
    char *text = NULL;
    int error;

    step->origin = 0;
    error = history_line_format(&text, step, err);
    if (error == 0)
        fputs(text, file);
    free(text);
    /* topomap has not written it. */
    *broken += error == MAPCORE_ERANGE;
    return error == MAPCORE_ERANGE ? 0 : error;
}

static const char *cell(char *text)
{
    if (text)
        printable_clean(text);
    return text && *text ? text : "-";
}

void history_put_cells(FILE *file, const struct history_line *step)
{
    fprintf(file, "%u.%u\t%.0f\t%s\t%u\t%u\t%s\t%.3g\t%.3g\t%.1f\t%s\n",
            step->job, step->step, floor(step->at_s / 60), cell(step->program),
            step->ntasks, step->nnodes, cell(step->outcome), step->links_before,
            step->links_after, step->seconds, cell(step->why));
}

/* Why the CPUs of a step are not known. */
static const char *why_no_cpus(const struct history_line *step)
{
    return step->nnodes > HISTORY_CPUS_NODES
               ? "its nodes are too many to be asked"
           : step->seconds < 0 ? "nodes report them when the step has ended"
           : step->cpus
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

/* The plan of a step, as what came of it leaves it, and its text. Errors:
 * ENOENT (none, or others came after it), EIO, ETRUST, EPARSE, ENOMEM. */
static int read_map(struct mapcore_plan **plan,
                    struct mapcore_facts **facts,
                    char **text,
                    const struct history_line *step,
                    const struct own_folder *folder,
                    struct mapcore_error *err)
{
    size_t n = 0;
    int error;

    if (!step->map)
        return error_set(
            err, MAPCORE_ENOENT, "no map of step %u.%u was kept: %s", step->job,
            step->step,
            step->outcome && strcmp(step->outcome, HISTORY_UNSUPPORTED) == 0
                ? (step->why ? step->why : "-")
                : "nothing was planned, or it was too large");
    error = history_read_map(text, &n, folder, step->map, err);
    if (error == MAPCORE_ENOENT)
        return error_set(err, error,
                         "the map of step %u.%u is no longer kept: others came "
                         "after it",
                         step->job, step->step);
    if (error == 0)
        error = plan_file_parse(plan, facts, step->map, *text, n, err);
    /* What was planned did not arrive. */
    if (error == 0 && (*plan)->outcome == MAPCORE_PLAN_PLACED &&
        step->outcome && strcmp(step->outcome, HISTORY_PLACED) != 0)
        (*plan)->outcome = MAPCORE_PLAN_UNCHANGED;
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
    int error = read_map(&plan, &facts, &text, step, folder, err);

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

/* Slurm's own layout as a plan. Errors: ENOMEM. */
static int plan_baseline(struct mapcore_plan *plan,
                         const struct mapcore_facts *facts,
                         const struct history_line *step,
                         struct mapcore_error *err)
{
    struct buffer reason = {.err = err};
    int error =
        buffer_printf(&reason, "ranks as in step %u.%u", step->job, step->step);

    free(plan->host);
    free(plan->slot);
    free(plan->reason);
    plan->reason = buffer_steal(&reason);
    plan->outcome = MAPCORE_PLAN_PLACED;
    plan->host =
        array_copy(facts->baseline, facts->ntasks, sizeof(*plan->host), err);
    plan->slot = NULL;
    if (error == 0)
        error = plan_own_slots(&plan->slot, facts, err);
    return plan->host ? error : MAPCORE_ENOMEM;
}

int history_show_plan(const struct history *history,
                      const struct own_folder *folder)
{
    /* Numbers of jobs come again: the newest. */
    const struct history_line *step = &history->step[history->n - 1];
    struct mapcore_plan *plan = NULL;
    struct mapcore_facts *facts = NULL;
    char *text = NULL;
    int error = read_map(&plan, &facts, &text, step, folder, history->err);

    if (error == 0 && plan->outcome != MAPCORE_PLAN_PLACED) {
        free(text);
        text = NULL;
        error = plan_baseline(plan, facts, step, history->err);
        if (error == 0)
            error = plan_file_format(&text, facts, plan, history->err);
    }
    if (error == 0)
        fputs(text, stdout);
    mapcore_plan_destroy(plan);
    mapcore_facts_destroy(facts);
    free(text);
    return error;
}

int history_show_maps(const struct history *history,
                      const struct own_folder *folder)
{
    struct answer answer;
    struct json_writer *writer = answer_open(
        &answer, stdout, &(struct answer_form){false}, "ranks", NULL);
    int error, status = TOOL_OK;

    json_begin_array(writer, NULL);
    for (size_t i = 0; i < history->n; i++)
        if (put_map(writer, &history->step[i], folder, history->err) < 0)
            status = tool_fail("%s", history->err->text);
    error = answer_end(&answer, 0, history->err);
    return error < 0 ? error : status;
}
