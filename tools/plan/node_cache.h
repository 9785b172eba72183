/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_cache.h - what earlier steps have told of the nodes' hardware trees,
 * beside the user's own catalogue (launch/step_files.h) */
#ifndef TOOLS_NODE_CACHE_H
#define TOOLS_NODE_CACHE_H

#include "base/hosts.h"
#include "launch/step_files.h"

#include <stdbool.h>
#include <stddef.h>

struct node_tree {
    char kind[NODE_NAME];        /* of this job's nodes, or NODE_UNKNOWN */
    char levels[NODE_FILE_MOST]; /* "": not known, or not the same of all */
    char node[NODE_NAME];        /* that has told it, with levels */
    bool is_due; /* nobody has told it, or not for a week: nodes are to be
                    asked */
};

/* A node's file into node and levels; false: it is none. */
bool node_tree_parse(struct node_tree *out, const char *text);
/* What is known of these nodes: what some of them have told, else what one of
 * their kind has. What is not the user's or root's own, and what is no such
 * file, counts as not there. */
void node_cache_find(struct node_tree *out,
                     const char *root,
                     const struct hosts *hosts);
/* The folder that nodes write to, and room in it. Errors: EIO, ETRUST, ENOMEM.
 */
int node_cache_make(const char *root, struct mapcore_error *err);

#endif
