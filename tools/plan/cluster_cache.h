/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cluster_cache.h - the cluster's network, as slurmctld had it, and the
 * hardware trees of nodes, as earlier steps had them (launch/step_files.h), in
 * files beside the user's own catalogue, so that few launches ask for them */
#ifndef TOOLS_CLUSTER_CACHE_H
#define TOOLS_CLUSTER_CACHE_H

#include "base/hosts.h"
#include "launch/step_files.h"

#include <stdbool.h>
#include <stddef.h>

/* "private:127.0.0.1:6817:9728:109 all", "private all" */
#define NETWORK_CACHE_OF 512

/* The network of this process's job, as srun's environment names it: cluster
 * (before Slurm 24.11 also host and port of its slurmctld, and its protocol),
 * and the partition, of which each may have a network of its own. False: it is
 * not named, and so not to be distinguished from others. */
bool network_cache_of(char of[NETWORK_CACHE_OF]);

/* Slurm's lines in n bytes of such a file, borrowed, "" where it has none; NULL
 * where it is no whole file, or one of another network. text[n] is NUL. */
const char *network_cache_parse(const char *text, size_t n, const char *of);

/* *out (owned) is what was said, *age_s seconds ago, below 0 where clocks
 * differ. Errors: ENOENT, ETRUST, EPARSE and others: there is none to be had.
 */
int network_cache_read(char **out,
                       double *age_s,
                       const char *root,
                       const char *of,
                       struct mapcore_error *err);

/* Errors: ERANGE (too large to be kept), ETRUST, EIO, ENOMEM. */
int network_cache_write(const char *root,
                        const char *of,
                        const char *lines,
                        struct mapcore_error *err);

struct node_tree {
    char kind[NODE_NAME];        /* of this job's nodes, or NODE_UNKNOWN */
    char levels[NODE_FILE_MOST]; /* "": not known, or not the same of all */
    char node[NODE_NAME];        /* that has reported it, with levels */
    bool is_due; /* none has reported it, or not for a week: nodes are to be
                    asked */
};

/* A node's file into node and levels; false: it is none. */
bool node_tree_parse(struct node_tree *out, const char *text);
/* What is known of these nodes: what some of them have reported, else what one
 * of their kind has. What is not the user's or root's own, and what is no such
 * file, counts as not there. */
void node_cache_find(struct node_tree *out,
                     const char *root,
                     const struct hosts *hosts);
/* The folder that nodes write to, and room in it. Errors: EIO, ETRUST, ENOMEM.
 */
int node_cache_make(const char *root, struct mapcore_error *err);

#endif
