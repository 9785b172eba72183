/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handoff.h - how srun tells the tasks what to do: by environment variables
 * whose names begin with SLURM, which reach them with any --export */
#ifndef PLUGIN_HANDOFF_H
#define PLUGIN_HANDOFF_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The others count only when HANDOFF_STEP is of the task's own step: a step
 * that is started inside a step inherits them. */
enum handoff_name {
    HANDOFF_STEP, /* handoff_format */
    HANDOFF_PLAN, /* slot_text_format, or a file of it: handoff_file.h */
    HANDOFF_RECORDER,
    HANDOFF_VARIABLES, /* for the recorder, a line NAME=VALUE each */
    HANDOFF_SPOOL,     /* the folder of counters */
    HANDOFF_EVERY,     /* every=: how often slurmstepd saves it */
    HANDOFF_MASTER,    /* these three: plugin/srun/rank_list.h */
    HANDOFF_NODES,
    HANDOFF_RANKS, /* the path of a file of the ranks */
    HANDOFF_LIST,  /* the nodes in that order, where Slurm's variables are to
                      say it */
    HANDOFF_CPUS,  /* the folder of launch/step_files.h */
    HANDOFF_TREE,  /* what nodes are asked, a newline, and the folder, of
                      launch/step_files.h */
    HANDOFF_COUNT,
};
/* The variables, where no recording was asked for, and none is mentioned:
 * time in MPI alone is counted. */
#define HANDOFF_TIME_ALONE "COMMPROF_TIME=1\n"
/* Of the variables: the profiler that NCCL and RCCL load; not the first. */
#define HANDOFF_NCCL   "NCCL_PROFILER_PLUGIN"
#define HANDOFF_PREFIX "SLURM_TOPOMAP_" /* of all of them */
extern const char *const handoff_names[HANDOFF_COUNT];

struct handoff {
    bool typed, verbose, strict;
    bool dry_run;        /* the tasks are to end, as if they had run */
    const char *failure; /* strict: the tasks are to end, and why; or NULL.
                            Borrowed from the text that was parsed */
};

/* Cuts what does not fit into out[n]. */
void handoff_format(char *out,
                    size_t n,
                    const struct handoff *handoff,
                    uint32_t job,
                    uint32_t step);
/* False when text is not of that step. */
bool handoff_parse(struct handoff *out,
                   const char *text,
                   uint32_t job,
                   uint32_t step);

/* Variables of a task: Slurm looks through all of them for each, and clears a
 * quarter of a megabyte for each one that is set. */
/* Writes name=value over the string of that name in env (ends with NULL; its
 * strings can be written to). False, and nothing is changed, where there is
 * none or it is too short. */
bool handoff_env_write_over(char *const *env,
                            const char *name,
                            const char *value);

/* values[n]: of the variables of those names in env, borrowed until one is
 * unset or written over; NULL where there is none. All names begin with prefix;
 * one pass over env. */
void handoff_env_read(const char **values,
                      const char *const *names,
                      size_t n,
                      const char *prefix,
                      char *const *env);

#endif
