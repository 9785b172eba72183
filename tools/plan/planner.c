/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner.c - the stages from the facts of a launch to its plan */
#include "config.h"

#include "tools/plan/planner.h"

#include "base/array.h"
#include "base/text.h"
#include "launch/defaults.h"
#include "tools/common/bounds.h"
#include "tools/common/inputs.h"
#include "tools/common/partitions.h"
#include "tools/common/subprocess.h"
#include "tools/plan/gain.h"
#include "tools/profile/profile_tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* At most this much of it for a scontrol that does not answer. */
static const double SCONTROL_SHARE = 0.5;
enum {
    MAX_THREADS = 8,
};

int planner_stop(struct planner *planner,
                 struct mapcore_error *err,
                 const char *format,
                 ...)
{
    char reason[2 * sizeof(err->text)];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    if (!planner_keep(planner, reason))
        return error_set(err, MAPCORE_ENOMEM, "no memory");
    return PLANNER_DONE;
}

const char *planner_subject(const struct planner *planner)
{
    if (planner->name)
        return planner->name;
    if (planner->executable)
        return text_last_part(planner->executable);
    if (planner->program)
        return text_last_part(planner->program);
    return planner->facts->program ? text_last_part(planner->facts->program)
                                   : "a program";
}

static int read_site(struct planner *planner, struct mapcore_error *err)
{
    double seconds = planner->search.time_s;
    struct mapcore_error why;
    int error = site_read(&planner->site, planner->config, &why);

    /* srun hands on the site's; a person has typed it. */
    if (error < 0)
        return error_set(err, error, "%s%s",
                         planner->config && planner->ask_slurm
                             ? ""
                             : "a bad site file, tell those who keep it: ",
                         why.text);
    if (seconds <= 0 && planner->search.work == 0)
        seconds = site_time(planner->site) > 0 ? site_time(planner->site)
                                               : DEFAULTS_SECONDS;
    planner->deadline = seconds > 0 ? planner->start + seconds : 0;
    bounds_begin_reading(planner->start, seconds);
    if (planner->bounds_memory && site_memory(planner->site) > 0)
        bounds_set_memory(site_memory(planner->site));
    return 0;
}

static int expand_nodes(struct planner *planner, struct mapcore_error *err)
{
    int error = hosts_expand(&planner->hosts, planner->facts->nodelist, err);

    if (error < 0)
        return error;
    if (planner->hosts.n == 1)
        return planner_stop(planner, err, "all tasks are on one node");
    return 0;
}

/* The user's own first, then --catalogue, then the site's. */
static int list_roots(struct planner *planner, struct mapcore_error *err)
{
    struct mapcore_error no_home;
    const char *const *site;
    size_t n;
    int error = 0;

    if (catalogue_user_root(&planner->own_root, &no_home) == 0) {
        profile_collect_left(planner->own_root);
        error = tool_list_add(&planner->roots, planner->own_root, err);
    }
    for (size_t i = 0; error == 0 && i < planner->catalogues.n; i++)
        error =
            tool_list_add(&planner->roots, planner->catalogues.item[i], err);
    site = site_catalogues(planner->site, &n);
    for (size_t i = 0; error == 0 && i < n; i++)
        error = tool_list_add(&planner->roots, site[i], err);
    return error;
}

static int find_profile(struct planner *planner, struct mapcore_error *err)
{
    bool named = planner->name != NULL;
    struct mapcore_error why;
    int error;

    if (planner_graph_is_file(planner))
        return 0;
    if ((error = list_roots(planner, err)) < 0)
        return error;
    error = catalogue_find(
        &planner->entry, planner->roots.item, planner->roots.n,
        planner->own_root != NULL, planner_subject(planner),
        named ? NULL : planner->identity, planner->facts->ntasks, &why);
    if (error == MAPCORE_ENOENT &&
        planner_scale(planner, &planner->no_prediction) == 0)
        return 0;
    if (error == MAPCORE_ENOENT)
        return planner_stop_unrecorded(planner, why.text, err);
    if (error < 0)
        return planner_stop(planner, err, "%s", why.text);
    return 0;
}

static int read_graph(struct planner *planner, struct mapcore_error *err)
{
    int error = planner->task_graph ? 0 : planner_read_graph(planner, err);

    planner->plan.milliseconds[0] = 1e3 * (tool_now() - planner->start);
    return error;
}

static double time_left(const struct planner *planner)
{
    double left = planner->deadline - tool_now();

    if (planner->deadline <= 0)
        return CHILD_SECONDS;
    return left > 0 ? left : 0;
}

/* All nodes on one switch. */
static int assume_flat(struct planner *planner, struct mapcore_error *err)
{
    uint32_t nhosts = planner->facts->nhosts;

    planner->is_flat = true;
    planner->topology_source = "nobody described the network";
    return mapcore_topo_create_tree(&planner->topo, 1, &nhosts,
                                    (const char *const *)planner->hosts.name,
                                    err);
}

/* What Slurm knows: in the facts, or asked of scontrol. A Slurm without
 * switches, or none at all, leaves *out NULL. */
static int open_slurm_topology(struct planner *planner,
                               struct mapcore_error *err)
{
    const char *lines = planner->facts->topology;
    struct mapcore_error why;
    int error;

    planner->topology_source = "Slurm's topology";
    if (lines) {
        error = mapcore_topo_parse_slurm(&planner->topo, "Slurm's topology",
                                         lines, strlen(lines), err);
        return error == MAPCORE_ENOTSUP ? 0 : error;
    }
    if (!planner->ask_slurm)
        return 0;
    error = partitions_open_topology(&planner->topo, planner->partition,
                                     SCONTROL_SHARE * time_left(planner), &why);
    if (error == MAPCORE_ENOENT && planner->partition)
        return error_set(err, error, "%s", why.text);
    if (error == MAPCORE_EPARSE || error == MAPCORE_ENOMEM)
        return error_set(err, error, "%s", why.text);
    return 0;
}

static int open_topology(struct planner *planner, struct mapcore_error *err)
{
    int error;

    if (planner->topology) {
        planner->topology_source = planner->topology;
        return inputs_open_topology(&planner->topo, planner->topology, err);
    }
    planner->topology_source = site_path(planner->site);
    error = site_open_topology(&planner->topo, planner->site, err);
    if (error == 0 && !planner->topo)
        error = open_slurm_topology(planner, err);
    if (error == 0 && !planner->topo)
        error = assume_flat(planner, err);
    return error;
}

/* Topology numbers of the nodes into host[]. A network without names, typed
 * as --topology, has its hosts taken in the order of the nodelist. */
static int find_hosts(struct planner *planner,
                      uint32_t *host,
                      struct mapcore_error *err)
{
    const struct mapcore_topo *topo = planner->topo;
    const struct hosts *hosts = &planner->hosts;
    struct mapcore_error ignored;

    planner->in_order = planner->topology && !mapcore_topo_host_name(topo, 0) &&
                        mapcore_topo_nhosts(topo) >= hosts->n;
    for (uint32_t i = 0; i < hosts->n; i++) {
        if (planner->in_order)
            host[i] = i;
        else if (mapcore_topo_find_host(&host[i], topo, hosts->name[i],
                                        &ignored) < 0)
            return planner_stop(planner, err,
                                "node %s is not in the topology (%s)",
                                hosts->name[i], planner->topology_source);
    }
    return 0;
}

static int allocate(struct planner *planner, struct mapcore_error *err)
{
    const struct mapcore_facts *facts = planner->facts;
    uint32_t *host = array_alloc(facts->nhosts, sizeof(*host), err);
    int error;

    if (!host)
        return MAPCORE_ENOMEM;
    error = find_hosts(planner, host, err);
    if (error == 0)
        error = mapcore_alloc_create(&planner->alloc, planner->topo,
                                     facts->nhosts, host, facts->counts, err);
    free(host);
    planner->plan.milliseconds[1] =
        1e3 * (tool_now() - planner->start) - planner->plan.milliseconds[0];
    return error;
}

/* The site's is a file only by an absolute path: srun runs anywhere. */
static int open_node(struct planner *planner, struct mapcore_error *err)
{
    const char *site = site_node(planner->site);
    struct mapcore_error why;
    int error;

    if (planner->node)
        return inputs_open_node(&planner->hwnode, planner->node, err);
    if (!site)
        return 0;
    error = site[0] == '/'
                ? inputs_open_node(&planner->hwnode, site, &why)
                : mapcore_hwnode_create(&planner->hwnode, site, &why);
    if (error < 0)
        return error_set(err, error, "%s: node: %s", site_path(planner->site),
                         why.text);
    return 0;
}

static int search(struct planner *planner, struct mapcore_error *err)
{
    const struct timed_search_options *options = &planner->search;
    struct timed_search which = {.deadline = planner->deadline};
    double start = tool_now();
    int error;

    bounds_end_reading();
    planner->parameters = (struct mapcore_search){
        .choose = options->choose,
        .alpha = options->alpha,
        .seed = options->seed != 0 ? options->seed : 1,
        .work = options->work,
        .schedule = options->schedule,
        .threads =
            options->threads != 0 ? options->threads : tool_cpus(MAX_THREADS),
        .baseline = planner->facts->baseline,
        .node = planner->hwnode,
    };
    error = constraints_apply(&planner->parameters, &planner->pin,
                              &options->constraints, planner->alloc,
                              (const char *const *)planner->hosts.name,
                              planner->facts->ntasks, err);
    if (error < 0)
        return error;
    error = timed_search_run(&planner->result, NULL, planner->task_graph,
                             planner->alloc, &which, &planner->parameters, err);
    planner->has_result = error == 0;
    planner->plan.milliseconds[2] = 1e3 * (tool_now() - start);
    return error;
}

/* Whether Slurm itself would have put every task just there. Tasks of a host
 * take its slots in ascending order. */
static int is_slurms_own(bool *out,
                         const struct planner *planner,
                         struct mapcore_error *err)
{
    const struct mapcore_mapping *found = planner->result.mapping;
    struct mapcore_mapping *own = NULL;
    int error = mapcore_mapping_create(&own, planner->alloc, found->ntasks,
                                       planner->facts->baseline, NULL, err);

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

/* Whether a rank must be elsewhere than Slurm puts it, whatever that costs. */
static bool moves_a_pin(const struct planner *planner)
{
    const struct mapcore_facts *facts = planner->facts;

    for (uint32_t t = 0; planner->pin && t < facts->ntasks; t++)
        if (planner->pin[t] != MAPCORE_NONE &&
            planner->pin[t] != facts->baseline[t])
            return true;
    return false;
}

static int make_plan(struct planner *planner, struct mapcore_error *err)
{
    const struct mapcore_mapping *mapping = planner->result.mapping;
    struct gain gain = gain_find(&planner->result, planner->parameters.choose);
    struct mapcore_plan *plan = &planner->plan;
    char *sentence = NULL;
    bool own, keeps;
    int error = is_slurms_own(&own, planner, err);

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
        return planner_stop(planner, err,
                            "Slurm's own layout is better than any that keeps "
                            "%u consecutive ranks together",
                            planner->parameters.unit);
    if ((error = planner_sentence(&sentence, planner, keeps, err)) < 0)
        return error;
    if (keeps) {
        error = planner_stop(planner, err, "%s", sentence);
        free(sentence);
        return error;
    }
    plan->reason = sentence;
    plan->ntasks = mapping->ntasks;
    plan->nhosts = planner->facts->nhosts;
    plan->host =
        array_copy(mapping->host, plan->ntasks, sizeof(*plan->host), err);
    plan->slot =
        array_copy(mapping->slot, plan->ntasks, sizeof(*plan->slot), err);
    if (!plan->host || !plan->slot)
        return MAPCORE_ENOMEM;
    plan->applies = true;
    return 0;
}

int planner_run(struct planner *planner, struct mapcore_error *err)
{
    static int (*const stages[])(struct planner *, struct mapcore_error *) = {
        expand_nodes,  read_site, planner_identify, find_profile, read_graph,
        open_topology, allocate,  open_node,        search,       make_plan,
    };
    int error = 0;

    for (size_t i = 0; error == 0 && i < sizeof(stages) / sizeof(*stages); i++)
        error = stages[i](planner, err);
    return error == PLANNER_DONE ? 0 : error;
}

bool planner_keep(struct planner *planner, const char *reason)
{
    struct mapcore_plan *plan = &planner->plan;
    char *copy = strdup(reason);

    if (!copy)
        return false;
    free(plan->reason);
    free(plan->host);
    free(plan->slot);
    plan->reason = copy;
    plan->host = plan->slot = NULL;
    plan->applies = false;
    plan->ntasks = planner->facts ? planner->facts->ntasks : 0;
    plan->nhosts = planner->facts ? planner->facts->nhosts : 0;
    return true;
}

void planner_clear(struct planner *planner)
{
    free(planner->pin);
    free(planner->prediction);
    free(planner->prediction_rule);
    free(planner->plan.reason);
    free(planner->plan.host);
    free(planner->plan.slot);
    if (planner->has_result)
        mapcore_result_clear(&planner->result);
    mapcore_hwnode_destroy(planner->hwnode);
    mapcore_alloc_destroy(planner->alloc);
    mapcore_topo_destroy(planner->topo);
    mapcore_graph_destroy(planner->task_graph);
    evaluation_destroy(planner->evaluation);
    profile_destroy(planner->profile);
    catalogue_entry_clear(&planner->entry);
    free(planner->roots.item);
    free(planner->own_root);
    free(planner->executable);
    subject_clear(&planner->subject);
    site_close(planner->site);
    hosts_clear(&planner->hosts);
    mapcore_facts_destroy(planner->facts);
    free(planner->catalogues.item);
}
