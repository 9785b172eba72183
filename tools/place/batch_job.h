/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* batch_job.h - the job that this process runs in, whatever system it is of:
 * its nodes, and how many ranks each takes */
#ifndef TOOLS_BATCH_JOB_H
#define TOOLS_BATCH_JOB_H

#include "base/name_set.h"

struct batch_job {
    char *what;           /* "PBS job 881", owned */
    uint32_t number;      /* 881; 0: none that is a number */
    struct name_set node; /* in the job's order */
    uint32_t *slots;      /* [capacity], ranks that a node takes */
    size_t capacity;
};

/* hosts: a file of nodes, or NULL: Slurm, PBS, LSF, Flux and OAR are asked for,
 * in this order, by their variables; of a job in a job that is the inner one's
 * for Flux. An empty job (all 0) is no failure: there is none. batch_job_clear
 * is due in any case. Errors: EIO, EPARSE, ENOMEM. */
int batch_job_find(struct batch_job *out,
                   const char *hosts,
                   struct mapcore_error *err);
void batch_job_clear(struct batch_job *job);

/* Where jsrun starts ranks, LSF's first node, with one place where others have
 * many, is that on which the job's script runs: it is taken out. Errors:
 * ENOMEM. */
int batch_job_drop_launch_node(struct batch_job *job,
                               struct mapcore_error *err);

/* A line a node: NAME, NAME:SLOTS, NAME slots=SLOTS or NAME SLOTS; a name that
 * stands there again adds to it; # begins a comment. Errors: EIO, EPARSE with
 * file and line, ENOMEM. */
int batch_job_read_hosts(struct batch_job *job,
                         const char *path,
                         struct mapcore_error *err);

#endif
