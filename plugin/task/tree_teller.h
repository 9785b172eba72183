/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tree_teller.h - what a node is inside, told for later plans
 * (launch/told_tree.h) */
#ifndef PLUGIN_TASK_TREE_TELLER_H
#define PLUGIN_TASK_TREE_TELLER_H

#include <slurm/spank.h>

/* In slurmstepd, before it forks the tasks: if srun asks this node, or names
 * the tree that it has planned for. */
void tree_teller_open(spank_t spank);
/* In the node's first task: by this name it is known. */
void tree_teller_name(spank_t spank);
/* The levels that were planned for; NULL: nobody says. */
const char *tree_teller_planned(void);
/* In any task: this node is not that. */
void tree_teller_differs(void);
/* In slurmstepd, when the step has ended: tells, if it was asked or is not what
 * was planned for, by a fork that is the user, reads the tree, and is not
 * waited for long. */
void tree_teller_close(void);

#endif
