/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_report.h - what a node reports of its step: what recorded tasks counted
 * (launch/kept.h), their CPUs and the node's hardware tree
 * (launch/step_files.h) */
#ifndef PLUGIN_TASK_NODE_REPORT_H
#define PLUGIN_TASK_NODE_REPORT_H

#include "plugin/task/node_region.h"

#include <slurm/spank.h>

/* In slurmstepd, before it forks the tasks: makes the memory for what srun asks
 * of this node, handoff[HANDOFF_COUNT]. A step runs as well without. */
void node_report_open(spank_t spank, const char *const *handoff);

/* In a task, the local one of that number, before its program. The recorder
 * learns where its memory is; has_nccl: that of NCCL, too. */
void node_report_give(spank_t spank, uint32_t local, bool has_nccl);
/* The task is bound. */
void node_report_cpus(spank_t spank, uint32_t local, uint32_t rank);
/* The levels that the plan took the node for; NULL: it does not say. */
const char *node_report_planned(void);
/* Where the tasks of the node meet, or NULL. */
struct node_head *node_report_head(void);

/* In slurmstepd. After the last task a fork writes the report as the user, and
 * is left alone when storage does not answer. */
void node_report_task_ended(spank_t spank);
/* The step ends, whether or not the end of each task was seen. */
void node_report_close(void);

#endif
