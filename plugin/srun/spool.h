/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spool.h - the folder beside a catalogue where a recording that is cut short
 * leaves what it has, made before anything starts */
#ifndef PLUGIN_SRUN_SPOOL_H
#define PLUGIN_SRUN_SPOOL_H

#include "base/error.h"

#include <stdbool.h>

struct spool_request {
    const char *catalogue; /* NULL: the user's own, as the environment has it */
    const char *every;     /* seconds between two states, or NULL */
    uint32_t job, step, nhosts, ntasks;
    bool times; /* for some bytes a node: its name begins with "time-" */
};

/* Makes the catalogue's folder and in it .spool-UID/JOB.STEP, and writes as
 * much there as a small recording needs, so that what cannot be filed is not
 * recorded either; within so many seconds. *out owned. Errors: EIO (cannot be
 * written, has no room, belongs to somebody else, does not answer), ENOENT (no
 * home), ENOMEM. */
int spool_make(char **out,
               const struct spool_request *request,
               double seconds,
               struct mapcore_error *err);

#endif
