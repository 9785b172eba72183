/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_machine.c - the stages of a plan that say where its tasks may run:
 * nodes, network, allocation, what a node is inside */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "base/array.h"
#include "base/buffer.h"
#include "launch/wire.h"
#include "profiles/catalogue/catalogue.h"
#include "tools/common/subprocess.h"
#include "tools/inputs/foreign.h"
#include "tools/inputs/inputs.h"
#include "tools/inputs/partitions.h"
#include "tools/plan/launch_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What was reported before. */
struct before {
    char *lines; /* owned; NULL: nothing, or nothing for these nodes */
    double age_s;
    struct mapcore_topo *topo; /* NULL: Slurm has none */
};

/* What network-readers.py made of them is kept for the next launch. */
static int open_lines(struct mapcore_topo **out,
                      char **lines,
                      struct mapcore_error *err)
{
    int error = foreign_network_read(out, lines, "Slurm's topology", err);

    return error == MAPCORE_ENOTSUP ? 0 : error;
}

/* A node that has come since has to be asked for. */
static bool has_hosts(const struct mapcore_topo *topo,
                      const struct hosts *hosts)
{
    struct mapcore_error ignored;
    uint32_t host;

    for (size_t i = 0; topo && i < hosts->n; i++)
        if (mapcore_topo_find_host(&host, topo, hosts->name[i], &ignored) ==
            MAPCORE_ENOENT)
            return false;
    return true;
}

/* Slurm's lines and one more, of a switch or block of the nodes that stand in
 * none: Slurm loses them while they are down (25.11), and a site may leave them
 * out. *out: owned, or NULL where all stand there or the lines are of another
 * kind. Errors: ENOMEM. */
static int add_strays(char **out,
                      struct planner *planner,
                      const struct mapcore_topo *topo,
                      const char *lines)
{
    static const char *const kinds[] = {"SwitchName=", "BlockName="};
    const struct hosts *hosts = &planner->machine.hosts;
    const char **stray = array_alloc(hosts->n, sizeof(*stray), planner->err),
               *kind;
    struct buffer text = {.err = planner->err};
    char *list = NULL;
    size_t n = 0;
    uint32_t host;
    int error = stray ? 0 : MAPCORE_ENOMEM;

    *out = NULL;
    kind = strncmp(lines, kinds[0], strlen(kinds[0])) == 0   ? kinds[0]
           : strncmp(lines, kinds[1], strlen(kinds[1])) == 0 ? kinds[1]
                                                             : NULL;
    for (size_t i = 0; error == 0 && kind && i < hosts->n; i++)
        if (mapcore_topo_find_host(&host, topo, hosts->name[i], NULL) ==
            MAPCORE_ENOENT)
            stray[n++] = hosts->name[i];
    if (error == 0 && n > 0 && n < hosts->n &&
        (error = hosts_compress(&list, n, stray, planner->err)) == 0 &&
        (error = buffer_printf(&text, "%s\n%stopomap-stray Nodes=%s\n", lines,
                               kind, list)) == 0) {
        *out = text.bytes;
        text.bytes = NULL;
        planner->machine.nstray = n;
    }
    buffer_clear(&text);
    free(list);
    free(stray);
    return error;
}

/* The network of the facts' lines, with all nodes of the step. */
static int open_told(struct planner *planner)
{
    struct mapcore_topo *topo = NULL;
    char *more = NULL;
    int error = open_lines(&topo, &planner->facts->topology, planner->err);

    if (error == 0 && topo && !has_hosts(topo, &planner->machine.hosts))
        error = add_strays(&more, planner, topo, planner->facts->topology);
    if (more) {
        mapcore_topo_destroy(topo);
        topo = NULL;
        error = open_lines(&topo, &more, planner->err);
    }
    if (error == 0)
        planner->machine.topo = topo;
    else
        mapcore_topo_destroy(topo);
    free(more);
    return error;
}

static void forget(struct before *before)
{
    mapcore_topo_destroy(before->topo);
    free(before->lines);
    *before = (struct before){.lines = NULL};
}

static void look_back(struct before *before,
                      struct planner *planner,
                      const char *of)
{
    struct plan_sources *sources = &planner->sources;
    struct mapcore_error ignored;

    if ((!sources->own_root &&
         catalogue_user_root(&sources->own_root, &ignored) < 0) ||
        network_cache_read(&before->lines, &before->age_s, sources->own_root,
                           of, &ignored) < 0)
        return;
    if ((double)time(NULL) - before->age_s < sources->site->networks_since ||
        open_lines(&before->topo, &before->lines, &ignored) < 0 ||
        !has_hosts(before->topo, &planner->machine.hosts))
        forget(before);
}

/* At most this much of the time for a scontrol that does not answer. */
static const double SCONTROL_SHARE = 0.5;

static double time_left(const struct planner *planner)
{
    double left = planner->sources.deadline - tool_now();

    if (planner->sources.deadline <= 0)
        return CHILD_SECONDS;
    return left > 0 ? left : 0;
}

/* srun, or scontrol where srun has its answer; *lines stays NULL where
 * slurmctld does not answer. */
static int ask(char **lines, const struct planner *planner)
{
    struct buffer text = {0};
    int error = 0;

    if (planner->answered_s > 0) {
        (void)partitions_ask_topology(lines, NULL, CHILD_SECONDS, planner->err);
        return 0;
    }
    if (fputs(FACTS_REQUEST, stdout) < 0 || fflush(stdout) != 0)
        return error_set(planner->err, MAPCORE_EIO, "srun cannot be asked");
    error = launch_facts_read_lines(&text, planner->err);
    if (error == 0)
        error = facts_parse_answer(lines, text.bytes ? text.bytes : "", text.n,
                                   planner->err);
    buffer_clear(&text);
    return error;
}

static void describe_age(struct planner *planner, double age_s, const char *why)
{
    struct plan_machine *machine = &planner->machine;
    const double age = fabs(age_s);

    snprintf(machine->network_from, sizeof(machine->network_from),
             "Slurm's topology as of %.0f %s ago%s", age < 120 ? age : age / 60,
             age < 120 ? "s" : "min", why);
    machine->source = machine->network_from;
}

/* Sets machine.topo, which stays NULL where Slurm has none or does not answer.
 * What is kept is as old as the site file allows, older only where slurmctld
 * does not answer. Errors: EPARSE (what it says), EIO, ENOMEM. */
static int ask_network(struct planner *planner)
{
    struct plan_machine *machine = &planner->machine;
    const double most = planner->sources.site->topology_kept_s;
    struct before before = {.lines = NULL};
    char of[NETWORK_CACHE_OF];
    bool is_known = network_cache_of(of);
    int error = 0;

    if (is_known)
        look_back(&before, planner, of);
    if (!before.lines || fabs(before.age_s) >= most)
        error = ask(&planner->facts->topology, planner);
    if (error == 0 && planner->facts->topology) {
        error = open_told(planner);
        machine->is_told_now = error == 0 && is_known && most > 0;
    } else if (error == 0 && before.lines) {
        machine->topo = before.topo;
        before.topo = NULL;
        describe_age(planner, before.age_s,
                     fabs(before.age_s) >= most ? ": slurmctld does not answer"
                                                : "");
    }
    forget(&before);
    return error;
}

void planner_keep_network(const struct planner *planner)
{
    char of[NETWORK_CACHE_OF];

    if (planner->machine.is_told_now && planner->sources.own_root &&
        network_cache_of(of))
        (void)network_cache_write(planner->sources.own_root, of,
                                  planner->facts->topology, NULL);
}

int planner_expand_nodes(struct planner *planner)
{
    int error = hosts_expand(&planner->machine.hosts, planner->facts->nodelist,
                             planner->err);

    if (error < 0)
        return error;
    if (planner->machine.hosts.n == 1)
        return planner_stop(planner, MESSAGE_SINGLE);
    return planner_order_nodes(planner);
}

/* All nodes on one switch. */
static int assume_flat(struct planner *planner)
{
    uint32_t nhosts = planner->facts->nhosts;

    planner->machine.is_flat = true;
    planner->machine.source = "the network is not described";
    return mapcore_topo_create_fat_tree(
        &planner->machine.topo, 1, &nhosts, NULL, NULL,
        (const char *const *)planner->machine.hosts.name, planner->err);
}

/* What Slurm knows: in the facts, or asked of scontrol. A Slurm without
 * switches, or none at all, leaves *out NULL. */
static int open_slurm_topology(struct planner *planner)
{
    struct mapcore_error why;
    int error;

    planner->machine.source = "Slurm's topology";
    if (planner->facts->topology)
        return open_told(planner);
    if (!planner->request.ask_slurm)
        return planner->facts->on_request ? ask_network(planner) : 0;
    error = partitions_open_topology(&planner->machine.topo,
                                     planner->request.partition,
                                     SCONTROL_SHARE * time_left(planner), &why);
    if (error == MAPCORE_ENOENT && planner->request.partition)
        return error_set(planner->err, error, "%s", why.text);
    if (error == MAPCORE_EPARSE || error == MAPCORE_ENOMEM)
        return error_set(planner->err, error, "%s", why.text);
    return 0;
}

int planner_open_topology(struct planner *planner)
{
    int error;

    if (planner->request.topology) {
        planner->machine.source = planner->request.topology;
        return inputs_open_topology(&planner->machine.topo,
                                    planner->request.topology, planner->err);
    }
    planner->machine.source = site_topology_file(planner->sources.site);
    error = site_open_topology(&planner->machine.topo, planner->sources.site,
                               planner->err);
    if (error == 0 && !planner->machine.topo)
        error = open_slurm_topology(planner);
    if (error == 0 && !planner->machine.topo)
        error = assume_flat(planner);
    return error;
}

/* Topology numbers of the nodes into host[]. A network without names, typed
 * as --topology, has its hosts taken in the order of the nodelist. */
static int find_hosts(struct planner *planner, uint32_t *host)
{
    const struct mapcore_topo *topo = planner->machine.topo;
    const struct hosts *hosts = &planner->machine.hosts;
    uint32_t *seen = NULL; /* [hosts of the topology], and 1 */
    struct mapcore_error why;
    int error = 0;

    planner->machine.in_order = planner->request.topology &&
                                !mapcore_topo_host_name(topo, 0) &&
                                mapcore_topo_nhosts(topo) >= hosts->n;
    if (!planner->machine.in_order &&
        !(seen = array_alloc(mapcore_topo_nhosts(topo), sizeof(*seen),
                             planner->err)))
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; error == 0 && i < hosts->n; i++) {
        if (!seen) {
            host[i] = i;
            continue;
        }
        error = mapcore_topo_find_host(&host[i], topo, hosts->name[i], &why);
        if (error == MAPCORE_EINVAL)
            error = planner_stop(planner, MESSAGE_FAILED, why.text);
        else if (error < 0)
            error = planner_stop(planner, MESSAGE_STRANGE_NODE, hosts->name[i],
                                 planner->machine.source);
        else if (seen[host[i]] > 0)
            error = planner_stop(planner, MESSAGE_SAME_NODE,
                                 hosts->name[seen[host[i]] - 1], hosts->name[i],
                                 planner->machine.source);
        else
            seen[host[i]] = i + 1;
    }
    free(seen);
    return error;
}

int planner_allocate(struct planner *planner)
{
    const struct mapcore_facts *facts = planner->facts;
    uint32_t *host = array_alloc(facts->nhosts, sizeof(*host), planner->err);
    int error;

    if (!host)
        return MAPCORE_ENOMEM;
    error = find_hosts(planner, host);
    if (error == 0)
        error = mapcore_alloc_create(&planner->machine.alloc,
                                     planner->machine.topo, facts->nhosts, host,
                                     facts->counts, planner->err);
    free(host);
    planner->plan.milliseconds[1] =
        1e3 * (tool_now() - planner->request.start) -
        planner->plan.milliseconds[0];
    return error;
}

/* The node on which the program was recorded may be of another kind, or stand
 * in a profile that was written by hand: what cannot be read is not known,
 * which is no error. XML would cost a process. */
static void open_recorded_node(struct planner *planner)
{
    const struct profile *profile = planner->sources.profile;
    struct plan_machine *machine = &planner->machine;
    const char *node = profile ? profile->node : planner->graph.recorded_node;
    struct mapcore_error ignored;

    if (!node || node[0] == '<' ||
        mapcore_hwnode_create(&machine->hwnode, node, &ignored) < 0)
        return;
    machine->inside = node;
    machine->inside_from = "where it was recorded";
}

/* Two tasks are as far from each other wherever they are. */
static bool some_are_far(const struct mapcore_facts *facts)
{
    for (uint32_t h = 0; h < facts->nhosts; h++)
        if (facts->counts[h] > 2)
            return true;
    return false;
}

/* What a node of the job, or another of its kind, has reported is truer
 * than where the program was recorded once. */
static bool open_told_node(struct planner *planner)
{
    struct plan_machine *machine = &planner->machine;
    struct plan_sources *sources = &planner->sources;
    struct node_tree *told = &machine->told;
    struct mapcore_error ignored;

    if (!some_are_far(planner->facts) ||
        (!sources->own_root &&
         catalogue_user_root(&sources->own_root, NULL) < 0))
        return false;
    machine->asks_nodes = true;
    node_cache_find(told, sources->own_root, &machine->hosts);
    if (told->levels[0] == '\0' || told->levels[0] == '<' ||
        mapcore_hwnode_create(&machine->hwnode, told->levels, &ignored) < 0)
        return false;
    snprintf(machine->told_from, sizeof(machine->told_from),
             "as reported by node %s", told->node);
    machine->inside = told->levels;
    machine->inside_from = machine->told_from;
    return true;
}

void planner_ask_nodes(struct planner *planner)
{
    struct plan_machine *machine = &planner->machine;
    const struct node_tree *told = &machine->told;
    char **tree = &planner->plan.tree;
    struct buffer text = {0};
    int error = 0;

    /* An older plugin would refuse the line, and with it the plan. */
    if (!machine->asks_nodes || !planner->facts->on_request)
        return;
    if (told->is_due && node_cache_make(planner->sources.own_root, NULL) == 0)
        error = buffer_printf(&text, NODE_ASK "%s", told->kind);
    else if (machine->inside == told->levels)
        error =
            buffer_printf(&text, NODE_CHECK "%s %s", told->kind, told->levels);
    if (error == 0 && text.n > 0 && !*tree)
        *tree = buffer_steal(&text);
    buffer_clear(&text);
}

int planner_open_node(struct planner *planner)
{
    struct plan_machine *machine = &planner->machine;

    if (planner->request.node) {
        machine->inside = planner->request.node;
        machine->inside_from = "--node";
        return inputs_open_node(&machine->hwnode, machine->inside,
                                planner->err);
    }
    if (planner->sources.site->node) {
        machine->inside = planner->sources.site->node;
        machine->inside_from = planner->sources.site->path;
        return inputs_open_site_node(&machine->hwnode, planner->sources.site,
                                     planner->err);
    }
    if (!open_told_node(planner))
        open_recorded_node(planner);
    return 0;
}
