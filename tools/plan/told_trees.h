/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* told_trees.h - what earlier steps have told of the nodes' hardware trees,
 * beside the user's own catalogue (launch/step_files.h) */
#ifndef TOOLS_TOLD_TREES_H
#define TOOLS_TOLD_TREES_H

#include "base/hosts.h"
#include "launch/step_files.h"

#include <stdbool.h>
#include <stddef.h>

struct told_tree {
    char kind[TOLD_TREE_NAME];   /* of this job's nodes, or TOLD_TREE_NOTHING */
    char levels[TOLD_TREE_MOST]; /* "": not known, or not the same of all */
    char node[TOLD_TREE_NAME];   /* that has told it, with levels */
    bool is_due; /* nobody has told it, or not for a week: nodes are to be
                    asked */
};

/* A node's file into node and levels; false: it is none. */
bool told_tree_parse(struct told_tree *out, const char *text);
/* What is known of these nodes: what some of them have told, else what one of
 * their kind has. What is not the user's or root's own, and what is no such
 * file, counts as not there. */
void told_trees_find(struct told_tree *out,
                     const char *root,
                     const struct hosts *hosts);
/* The folder that nodes write to, and room in it. Errors: EIO, ETRUST, ENOMEM.
 */
int told_trees_make_folder(const char *root, struct mapcore_error *err);

#endif
