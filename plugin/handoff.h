/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handoff.h - how srun tells the tasks what to do: by environment variables
 * whose names begin with SLURM, which reach them whatever --export says */
#ifndef MAPCORE_LAUNCH_TRAVEL_H
#define MAPCORE_LAUNCH_TRAVEL_H

#include "base/error.h"

#include <stdbool.h>

/* The others count only when TRAVEL_STEP is of the task's own step: a step
 * that is started inside a step inherits them. */
enum travel_name {
    TRAVEL_STEP, /* travel_format */
    TRAVEL_PLAN, /* slots_format, or a file of it: spill_write */
    TRAVEL_RECORDER,
    TRAVEL_CATALOGUE,
    TRAVEL_NAME,
    TRAVEL_EXE,
    TRAVEL_COUNT,
};
extern const char *const travel_names[TRAVEL_COUNT];

/* One environment string ends at 128 KiB; Slurm drops longer ones silently. */
#define TRAVEL_MOST (100U << 10)

struct travel {
    bool typed, verbose, strict;
    const char *failure; /* strict: the tasks are to end, and why; or NULL.
                            Borrowed from the text that was parsed */
};

/* Cuts what does not fit into out[n]. */
void travel_format(char *out,
                   size_t n,
                   const struct travel *travel,
                   uint32_t job,
                   uint32_t step);
/* False when text is not of that step. */
bool travel_parse(struct travel *out,
                  const char *text,
                  uint32_t job,
                  uint32_t step);

/* The value of the line `word VALUE` in text, owned; NULL without one, or
 * without memory. */
char *travel_value(const char *text, const char *word);

/* What to put into TRAVEL_PLAN (*out, owned): the slots themselves or, when
 * they are longer than TRAVEL_MOST, the name and digest of a new file of mode
 * 0600, topomap/slots-JOB.STEP in cache (the user's XDG_CACHE_HOME, may be
 * NULL) or home/.cache, which must be shared with the nodes. *path (owned):
 * that file, for the caller to remove after the step; else NULL. Errors: EIO,
 * ENOMEM. */
int spill_write(char **out,
                char **path,
                const char *slots,
                const char *cache,
                const char *home,
                uint32_t job,
                uint32_t step,
                struct mapcore_error *err);
/* *out (owned): the slots that plan stands for; a file must be the caller's own
 * and the one that was written. Errors: EIO, EPARSE, ETRUST, ENOMEM. */
int spill_read(char **out, const char *plan, struct mapcore_error *err);

#endif
