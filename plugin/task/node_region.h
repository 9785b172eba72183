/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_region.h - the memory that slurmstepd shares with the tasks of a step:
 * what they report, and what one of them works out for all */
#ifndef PLUGIN_TASK_NODE_REGION_H
#define PLUGIN_TASK_NODE_REGION_H

#include "base/error.h"
#include "launch/step_files.h"

#include <stdbool.h>
#include <stddef.h>

/* The masks of two thousand tasks on as many CPUs. */
#define NODE_MASKS_MOST ((size_t)1 << 20)
/* Who waits longer for the one that makes them does without, and so do all. */
#define NODE_MASKS_SECONDS 10

/* slurmstepd, which is root, reads `differs` alone of it. */
struct node_head {
    _Atomic uint32_t differs; /* from the tree that was planned for */
    _Atomic uint32_t state;   /* of the masks */
    int32_t error; /* these three are written while masks are being made */
    char err[sizeof(((struct mapcore_error *)NULL)->text)];
    char masks[NODE_MASKS_MOST];
    char name[NODE_NAME];        /* of the node */
    char line[][STEP_CPUS_LINE]; /* [ntasks] */
};

/* One file in memory, without a name: counters (launch/kept.h), a region a
 * task, and the head behind them. */
struct node_region {
    int fd; /* -1: there is none */
    uint32_t ntasks;
    uint64_t ncounters; /* of ntasks and of what uses NCCL in them; 0: none */
    struct node_head *head; /* NULL: there is none */
};

/* Its size cannot change: nothing that a task does to it can harm its reader.
 * Without memory there is none. */
void node_region_open(struct node_region *out, uint32_t ntasks, bool counts);
void node_region_close(struct node_region *region);

/* Makes the masks of all tasks, owned text, or NULL where nothing is bound. */
typedef int node_masks_make(char **out, void *with, struct mapcore_error *err);

/* The masks that the first caller made, or its failure: all callers get the
 * same. The caller makes them when it is the first one, and when head is NULL.
 * *out is owned. Errors: of make, EIO (they did not come within seconds),
 * ERANGE (longer than NODE_MASKS_MOST), ENOMEM. */
int node_masks_ask(char **out,
                   struct node_head *head,
                   unsigned seconds,
                   node_masks_make *make,
                   void *with,
                   struct mapcore_error *err);

#endif
