/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner.c - the stages from the facts of a launch to its plan */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "base/array.h"
#include "launch/defaults.h"
#include "launch/plan_words.h"
#include "tools/common/bounds.h"
#include "tools/plan/gain.h"
#include "tools/plan/plan_file.h"
#include "tools/profile/recorded/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A plan that was made before needs nothing but to be for this launch. */
static int take_plan(struct planner *planner)
{
    const char *path =
        planner->request.graph ? graph_word_plan(planner->request.graph) : NULL;
    struct mapcore_plan *plan = NULL;
    int error;

    if (!path)
        return 0;
    if ((error = plan_file_read(&plan, path, planner->facts, planner->err)) < 0)
        return error;
    if (plan->outcome != MAPCORE_PLAN_PLACED)
        plan->outcome = MAPCORE_PLAN_UNCHANGED;
    planner->plan = *plan;
    free(plan);
    /* As the plan was made for, unless the user says otherwise. */
    if (planner->request.env == PLAN_ENV_OFF) {
        free(planner->plan.env);
        planner->plan.env = NULL;
    }
    error = planner_say(planner, MESSAGE_OF_FILE, path, planner->plan.reason);
    return error < 0 ? error : PLANNER_DONE;
}

static int read_site(struct planner *planner)
{
    double seconds = planner->request.search.time.s;
    struct mapcore_error why;
    int error =
        site_read(&planner->sources.site, planner->request.config, &why);

    /* srun hands on the site's; a person has typed it. */
    if (error < 0)
        return error_set(planner->err, error, "%s%s",
                         planner->request.config && planner->request.ask_slurm
                             ? ""
                             : "a bad site file, tell those who keep it: ",
                         why.text);
    if (seconds <= 0 && planner->request.search.time.settles)
        seconds = timed_search_auto(planner->sources.site->time_s > 0
                                        ? planner->sources.site->time_s
                                        : DEFAULTS_SECONDS,
                                    planner->sources.site->time_auto_most_s);
    if (seconds <= 0 && planner->request.search.work == 0)
        seconds = planner->sources.site->time_s > 0
                      ? planner->sources.site->time_s
                      : DEFAULTS_SECONDS;
    planner->sources.deadline =
        seconds > 0 ? planner->request.start + seconds : 0;
    bounds_begin_reading(planner->request.start, seconds);
    if (planner->request.bounds_memory &&
        planner->sources.site->plan_memory_mb > 0)
        bounds_set_memory(planner->sources.site->plan_memory_mb);
    site_root_export(planner->sources.site);
    return 0;
}

/* The user's own first, then --catalogue, then the site's. */
static int list_roots(struct planner *planner)
{
    const struct site_file *site = planner->sources.site;
    int error = catalogue_user_root(&planner->sources.own_root, planner->err);

    if (error == 0) {
        collect_left_here(planner->sources.own_root);
        error = tool_list_add(&planner->sources.roots,
                              planner->sources.own_root, planner->err);
    } else if (error == MAPCORE_ENOENT) {
        error = 0; /* no home */
    }
    for (size_t i = 0; error == 0 && i < planner->request.catalogues.n; i++)
        error =
            tool_list_add(&planner->sources.roots,
                          planner->request.catalogues.item[i], planner->err);
    for (size_t i = 0; error == 0 && i < planner->request.site_catalogues.n;
         i++)
        error = tool_list_add(&planner->sources.roots,
                              planner->request.site_catalogues.item[i],
                              planner->err);
    for (size_t i = 0; error == 0 && i < site->ncatalogues; i++)
        error = tool_list_add(&planner->sources.roots, site->catalogues[i],
                              planner->err);
    return error;
}

static int find_profile(struct planner *planner)
{
    struct mapcore_error *why = &planner->sources.no_entry;
    int error;

    if (planner_graph_is_file(&planner->request))
        return 0;
    if ((error = list_roots(planner)) < 0)
        return error;
    error = planner_find_entry(&planner->sources.entry, planner,
                               planner->facts->ntasks, why);
    planner->sources.is_missing = error == MAPCORE_ENOENT;
    if (error < 0 && error != MAPCORE_ENOENT)
        return planner_stop(planner, MESSAGE_FAILED, why->text);
    return 0;
}

static int stop_without(struct planner *planner)
{
    struct mapcore_error why = planner->sources.no_entry;
    const char *missing = planner_missing_catalogue(planner);
    size_t n = strlen(why.text);

    if (missing)
        snprintf(why.text + n, sizeof(why.text) - n, "; catalogue %.256s: %s",
                 missing, strerror(errno));
    return planner_stop_unrecorded(planner, why.text);
}

static int answer_first(struct planner *planner)
{
    int error = 0;

    if (!planner->request.answer)
        return 0;
    if (planner->sources.is_missing &&
        (error = stop_without(planner)) != PLANNER_DONE)
        return error;
    return planner->request.answer(planner);
}

static int predict(struct planner *planner)
{
    if (!planner->sources.is_missing ||
        planner_scale(planner, &planner->graph.no_prediction) == 0)
        return 0;
    return planner->request.answer ? PLANNER_DONE : stop_without(planner);
}

static int read_graph(struct planner *planner)
{
    int error = planner->graph.task_graph ? 0 : planner_read_graph(planner);

    planner->plan.milliseconds[0] = 1e3 * (tool_now() - planner->request.start);
    return error;
}

/* No place is better than another for programs that do not know of each other.
 */
static int check_mpi_type(struct planner *planner)
{
    const struct profile *profile = planner->sources.profile;
    const char *now = planner->request.mpi_type,
               *then = profile ? profile->mpi_type
                               : planner->graph.recorded_mpi_type;

    planner->lost_mpi = mpi_type_is_lost(then, now);
    if (!planner->lost_mpi)
        return 0;
    return planner_stop(planner, MESSAGE_LOST_MPI, planner_subject(planner),
                        planner->facts->ntasks, planner->facts->ntasks, then,
                        now);
}

/* Whether Slurm itself would have put every task just there. Tasks of a host
 * take its slots in ascending order. */
static int is_slurms_own(bool *out, const struct planner *planner)
{
    const struct mapcore_mapping *found = planner->result.mapping;
    struct mapcore_mapping *own = NULL;
    int error =
        mapcore_mapping_create(&own, planner->machine.alloc, found->ntasks,
                               planner->facts->baseline, NULL, planner->err);

    if (error < 0)
        return error;
    *out =
        memcmp(own->host, found->host, own->ntasks * sizeof(*own->host)) == 0 &&
        memcmp(own->slot, found->slot, own->ntasks * sizeof(*own->slot)) == 0;
    mapcore_mapping_destroy(own);
    return 0;
}

static void set_metrics(struct mapcore_plan *plan,
                        int i,
                        const struct mapcore_metrics *metrics)
{
    plan->hops_per_byte[i] = metrics->hops_per_byte;
    plan->off_node_bytes[i] = metrics->off_node_bytes;
    plan->max_link_bytes[i] = metrics->max_link_bytes;
}

/* Whether a rank must be elsewhere than Slurm puts it, at any cost. */
static bool moves_a_pin(const struct planner *planner)
{
    const struct mapcore_facts *facts = planner->facts;

    for (uint32_t t = 0; planner->pin && t < facts->ntasks; t++)
        if (planner->pin[t] != MAPCORE_NONE &&
            planner->pin[t] != facts->baseline[t])
            return true;
    return false;
}

static int make_plan(struct planner *planner)
{
    const struct mapcore_mapping *mapping = planner->result.mapping;
    struct gain gain =
        planner->goes_by_types
            ? gain_find_by_time(&planner->result, planner->estimate,
                                planner_least_gain(planner))
            : gain_find(&planner->result, planner->parameters.choose,
                        planner->estimate);
    struct mapcore_plan *plan = &planner->plan;
    char *sentence = NULL;
    bool own, keeps;
    int error = is_slurms_own(&own, planner);

    if (error < 0)
        return error;
    set_metrics(plan, 0, &planner->result.baseline);
    set_metrics(plan, 1, &planner->result.metrics);
    plan->decided_by = own ? MAPCORE_PLAN_BY_NOTHING : gain.by;
    plan->decided[0] = gain.before;
    plan->decided[1] = gain.after;
    keeps =
        plan->decided_by == MAPCORE_PLAN_BY_NOTHING && !moves_a_pin(planner);
    if (keeps && !own && planner->parameters.unit > 1 &&
        planner->parameters.unit != MAPCORE_UNIT_HOST &&
        planner->result.metrics.avg_hop_bytes >
            planner->result.baseline.avg_hop_bytes)
        return planner_stop(planner, MESSAGE_UNIT, planner->parameters.unit);
    if ((error = planner_sentence(&sentence, planner, keeps)) < 0)
        return error;
    if (keeps) {
        error = planner_stop(planner, MESSAGE_KEPT, sentence);
        free(sentence);
        return error;
    }
    if ((error = planner_check_order(planner)) != 0) {
        free(sentence);
        return error;
    }
    free(plan->reason);
    plan->reason = sentence;
    plan->ntasks = mapping->ntasks;
    plan->nhosts = planner->facts->nhosts;
    plan->host = array_copy(mapping->host, plan->ntasks, sizeof(*plan->host),
                            planner->err);
    plan->slot = array_copy(mapping->slot, plan->ntasks, sizeof(*plan->slot),
                            planner->err);
    if (!plan->host || !plan->slot)
        return MAPCORE_ENOMEM;
    plan->outcome = MAPCORE_PLAN_PLACED;
    return 0;
}

/* For any outcome: it is of a run that failed. */
static int say_partial(struct planner *planner)
{
    const struct profile *profile = planner->sources.profile;

    return profile && profile->partial && planner->plan.reason
               ? planner_say(planner, MESSAGE_PARTIAL, planner->plan.reason,
                             profile->partial)
               : 0;
}

int planner_run(struct planner *planner)
{
    static int (*const stages[])(struct planner *) = {
        planner_expand_nodes,
        read_site,
        take_plan,
        planner_number_nodes,
        planner_identify,
        find_profile,
        answer_first,
        predict,
        read_graph,
        check_mpi_type,
        planner_open_topology,
        planner_allocate,
        planner_open_node,
        planner_search,
        make_plan,
    };
    int error = 0;

    planner->sources.name = planner->request.name;
    for (size_t i = 0; error == 0 && i < sizeof(stages) / sizeof(*stages); i++)
        error = stages[i](planner);
    return error == 0 || error == PLANNER_DONE ? say_partial(planner) : error;
}

void planner_clear(struct planner *planner)
{
    planner_earlier_forget(planner->earlier);
    free(planner->pin);
    free(planner->graph.prediction);
    free(planner->graph.recorded_node);
    free(planner->graph.recorded_mpi_type);
    free(planner->plan.reason);
    free(planner->plan.tree);
    free(planner->plan.env);
    free(planner->plan.advice);
    free(planner->plan.host);
    free(planner->plan.slot);
    if (planner->has_result)
        mapcore_result_clear(&planner->result);
    mapcore_hwnode_destroy(planner->machine.hwnode);
    mapcore_alloc_destroy(planner->machine.alloc);
    mapcore_topo_destroy(planner->machine.topo);
    mapcore_graph_destroy(planner->graph.task_graph);
    evaluation_destroy(planner->sources.evaluation);
    profile_destroy(planner->sources.profile);
    catalogue_entry_clear(&planner->sources.entry);
    free(planner->sources.roots.item);
    free(planner->sources.own_root);
    free(planner->sources.executable);
    subject_clear(&planner->sources.subject);
    site_close(planner->sources.site);
    hosts_clear(&planner->machine.hosts);
    mapcore_facts_destroy(planner->facts);
    free(planner->request.catalogues.item);
    free(planner->request.site_catalogues.item);
}
