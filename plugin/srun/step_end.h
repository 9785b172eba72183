/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* step_end.h - what srun knows of a step and has made for it, until the step is
 * over; then the history gets it, and the files go */
#ifndef PLUGIN_SRUN_STEP_END_H
#define PLUGIN_SRUN_STEP_END_H

#include "plugin/options.h"

#include <stdint.h>

/* All zero: the step was not looked at, and nothing is reported. */
struct step_note {
    uint32_t job, step, ntasks, nhosts;
    bool looked_at, by_site;
    char outcome[16]; /* a word of profiles/history/history_line.h */
    double launched;  /* child_clock() */
    char program[256];
    char why[256];
};

/* Each owned, NULL where there is none. */
struct step_files {
    char *handoff; /* a file for the tasks, to be removed */
    char *ranks;   /* plugin/srun/rank_list.h, to be removed */
    char *spool;   /* the folder of a recording, to be collected */
    char *times;   /* the same of time in MPI alone */
    struct step_note note;
};

/* Outcome and why (a line, which may be cut off). */
void step_end_outcome(struct step_note *note,
                      const char *outcome,
                      const char *why);

/* The step has ended: `topomap profile collect` files what is left of its
 * recording, `topomap history --ended -` takes the note down and removes the
 * files, and a child of srun removes those that are left. What goes wrong with
 * the history is not said. */
void step_end_run(struct step_files *files, const struct plugstack *plugstack);

#endif
