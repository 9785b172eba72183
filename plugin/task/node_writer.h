/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_writer.h - a fork of slurmstepd that writes a node's report as the user
 * of the step, and is left alone when storage does not answer */
#ifndef PLUGIN_TASK_NODE_WRITER_H
#define PLUGIN_TASK_NODE_WRITER_H

#include "plugin/task/node_region.h"

#include <sys/types.h>

/* What srun asks of a node. */
struct node_report {
    uint32_t ntasks; /* 0: nothing */
    uint32_t node, nended;
    struct node_region region;
    uid_t uid;
    gid_t gid, *groups; /* owned */
    int ngroups;
    char *spool;        /* folder of counters; these are owned, NULL: none */
    char *cpus;         /* folder of CPUs */
    char *tree;         /* srun's text, cut into: */
    const char *kind;   /* NULL: no tree */
    const char *levels; /* planned for; NULL: the tree is asked for */
    const char *tree_folder;
    int every; /* seconds between two states of the counters; 0: the end alone
                */
    int writer_fd; /* a socket, as long as it runs; -1 */
    pid_t writer;
};

/* Starts it. It saves the counters again and again, until
 * node_writer_end() or the end of slurmstepd; then it writes all. */
void node_writer_begin(struct node_report *report);
/* Has it write what there is, and waits for its end, at most these seconds. */
void node_writer_end(struct node_report *report, bool has_tree, int seconds);

/* The bytes of a task's counters to write; 0: none. */
uint64_t node_writer_used(const struct node_region *region, uint32_t task);

#endif
