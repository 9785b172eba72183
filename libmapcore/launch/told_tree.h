/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* told_tree.h - the hardware tree of a node, as it tells it for later plans:
 * how srun, slurmstepd and `topomap` see it */
#ifndef MAPCORE_LAUNCH_TOLD_TREE_H
#define MAPCORE_LAUNCH_TOLD_TREE_H

/* CATALOGUE/.nodes is made by `topomap`, which asks. In it slurmstepd writes,
 * as the user and when the step has ended, node-NAME of the node of that name
 * and, with the same in it, kind-KIND of those that are taken for alike:
 *   topomap-node 1
 *   node NAME
 *   levels LEVELS   (hwloc's words, "Package:2 L3Cache:4 Core:8 PU:2", or
 *                    TOLD_TREE_NOTHING where it has none for that node) */
#define TOLD_TREE_FOLDER  ".nodes"
#define TOLD_TREE_NODE    "node-"
#define TOLD_TREE_KIND    "kind-"
#define TOLD_TREE_HEAD    "topomap-node 1\n"
#define TOLD_TREE_NOTHING "-"

/* Of a file, and of a KIND or NAME, which are plain names. */
enum {
    TOLD_TREE_MOST = 512,
    TOLD_TREE_NAME = 80,
};

/* What a plan says of it (launch/plan.h): the first node is to tell; or each
 * that is not so, and nobody is bound by a tree that it does not have. KIND is
 * TOLD_TREE_NOTHING where nobody knows it. */
#define TOLD_TREE_ASK   "ask "   /* KIND */
#define TOLD_TREE_CHECK "check " /* KIND LEVELS */

#endif
