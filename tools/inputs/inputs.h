/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* inputs.h - what map, eval, estimate and play start from: graph, network,
 * nodes and slots */
#ifndef TOOLS_INPUTS_H
#define TOOLS_INPUTS_H

#include "alloc/alloc.h"
#include "metric/estimate.h"
#include "tools/inputs/graphs.h"
#include "tools/table/quantity.h"
#include "topo/hwnode.h"

struct site_file;

struct inputs {
    /* As typed, borrowed. */
    struct graph_source source;
    const char *topology, *tasks_per_node;
    const char *nodelist, *nodefile; /* at most one: else all nodes */
    const char *node;                /* NULL: not said */
    double imbalance; /* by how many per cent more tasks than that on a node */
    /* As typed, else of the site file that topology is; 0: no limit. What
     * messages take is the site file's alone. */
    struct mapcore_host_rates rates;
    double nic_rate; /* as it was stated; rates are in the network's unit */
    /* Made by inputs_open. */
    struct mapcore_graph *graph;
    struct mapcore_topo *topo;
    struct mapcore_alloc *alloc;
    struct mapcore_hwnode *hwnode; /* NULL without node */
};

/* --topology, --tasks-per-node, --imbalance, --nodelist, --nodefile and --node
 * of a struct inputs; graphs_rows go with its source. */
extern const struct option_row inputs_rows[];
/* --nic and --memory, for commands that tell times. */
extern const struct option_row inputs_rates_rows[];

/* Opens all of them and checks that every task finds a slot. After a failure
 * inputs_close is due all the same. Errors: as the readers'; EINVAL (more
 * tasks than slots, with the numbers). */
int inputs_open(struct inputs *inputs, struct mapcore_error *err);
void inputs_close(struct inputs *inputs);

/* What times that are estimated or played are: recorded ones are seconds, and
 * so are those of capacities in bytes per second; a note where interfaces alone
 * state such. */
enum quantity_time inputs_time_unit(const struct inputs *inputs,
                                    bool is_recorded);
/* The same of a port, before it is weighed by what was recorded. */
enum quantity_time inputs_port_unit(const struct inputs *inputs);

/* Whether a file's first character, blanks aside, is that of a JSON object. */
bool inputs_is_site_file(const char *path);

/* mapcore_topo_open, but a file that begins with { is a site file, whose
 * topology is taken. */
int inputs_open_topology(struct mapcore_topo **out,
                         const char *spec,
                         struct mapcore_error *err);

/* The nodes of Slurm's expression, in its order, into *out[*n], the caller's;
 * what: what begins a message. Errors: EINVAL (one named twice), ENOENT (not of
 * the topology), those of hosts_expand. */
int inputs_find_nodes(uint32_t **out,
                      uint32_t *n,
                      const struct mapcore_topo *topo,
                      const char *list,
                      const char *what,
                      struct mapcore_error *err);

/* The inside of a node: mapcore_hwnode_create of a description, or of what
 * stands in a file of that name. Errors: as that one's; EIO. */
int inputs_open_node(struct mapcore_hwnode **out,
                     const char *node,
                     struct mapcore_error *err);

/* As the site file says it, where only an absolute path is a file: srun runs
 * anywhere. */
int inputs_open_site_node(struct mapcore_hwnode **out,
                          const struct site_file *site,
                          struct mapcore_error *err);

#endif
