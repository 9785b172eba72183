/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* travel.h - the names under which srun tells the tasks what to do; names that
 * begin with SLURM reach them whatever --export says. SLURM_TOPOMAP_STEP is
 * "JOB.STEP WORDS" (typed, verbose, strict) or "JOB.STEP fail REASON"; the
 * others count only when it is of the task's own step, for a step that is
 * started inside a step inherits them */
#ifndef PLUGIN_TRAVEL_H
#define PLUGIN_TRAVEL_H

/* "JOB.STEP WORDS", or "JOB.STEP fail REASON". The other names count only when
 * this one is of the task's own step: a step started inside a step inherits
 * them. WORDS: typed, verbose, strict. */
enum {
    TRAVEL_AT_STEP,
    TRAVEL_AT_PLAN, /* the text of launch/slots.h; or "file DIGEST PATH" when
                       it is longer than TRAVEL_MOST, DIGEST its last word */
    TRAVEL_AT_RECORDER,
    TRAVEL_AT_CATALOGUE,
    TRAVEL_AT_NAME,
    TRAVEL_AT_EXE,
    TRAVEL_COUNT,
};

#define TRAVEL_NAMES                                                           \
    {                                                                          \
        "SLURM_TOPOMAP_STEP", "SLURM_TOPOMAP_PLAN", "SLURM_TOPOMAP_RECORDER",  \
            "SLURM_TOPOMAP_CATALOGUE", "SLURM_TOPOMAP_NAME",                   \
            "SLURM_TOPOMAP_EXE",                                               \
    }

/* One environment string ends at 128 KiB; Slurm drops longer ones silently. */
#define TRAVEL_MOST (100U << 10)

#endif
