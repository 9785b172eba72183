/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slots_tree.h - the tasks of a host on the slots of its hardware tree */
#ifndef MAPCORE_MAP_SLOTS_TREE_H
#define MAPCORE_MAP_SLOTS_TREE_H

#include "graph/graph.h"
#include "topo/hwnode.h"

/* On hosts of more slots ascending ones and those as they are are compared,
 * and nothing is searched: the quadratic tables would take longer than they
 * are worth. */
#define SLOTS_TREE_MAX 512

/* Room to work in, for one host after the other. */
struct slots_tree;

/* host: [ntasks] of each task; largest: the most slots of a host that will be
 * laid out. graph, host and node are borrowed. Errors:
 * ENOMEM. */
int slots_tree_create(struct slots_tree **out,
                      const struct mapcore_graph *graph,
                      const uint32_t *host,
                      const struct mapcore_hwnode *node,
                      uint32_t largest,
                      struct mapcore_error *err);
void slots_tree_destroy(struct slots_tree *tree);

/* Told of every host that will be laid out, before the first: the more they
 * are, and the larger, the less is spent on each. */
void slots_tree_expect(struct slots_tree *tree, uint32_t nslots);

/* Changes slot[task[0 .. n-1]] of the n tasks of one host, task ascending, to
 * slots below nslots with fewer inside hop-bytes (bytes x
 * mapcore_hwnode_distance), if it finds any; ascending slots win ties. Ours, no
 * paper's: from the slots as they are, from ascending ones and from a partition
 * of the tasks level by level down the tree (parts grown around a task of few
 * bytes, each time by the task with the most bytes into the part less those out
 * of it), tasks change places with each other or move to free slots as long as
 * that gains, then iterated local search: the best is perturbed a few times by
 * random exchanges, from a stream of its own, and descended from again. n <=
 * nslots <= largest. O(nslots^2) a pass and in memory, O(n + edges) above
 * SLOTS_TREE_MAX. Where there are many hosts they are perturbed less, and begun
 * from the slots as they are alone. */
void slots_tree_lay_out(struct slots_tree *tree,
                        uint32_t *slot,
                        const uint32_t *task,
                        uint32_t n,
                        uint32_t nslots);

#endif
