/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation.h - evaluation.json, which tools/tune.py writes: how long a
 * program ran with each task graph of its profile, and which graph is best */
#ifndef PROFILES_EVALUATION_H
#define PROFILES_EVALUATION_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define EVALUATION_FILE   "evaluation.json"
#define EVALUATION_FORMAT 1
enum {
    EVALUATION_FEW_RUNS = 3,
    EVALUATION_RUNS_MOST = 1000, /* of a graph */
};
/* What stands in place of a graph's name for the runs in Slurm's own layout. */
#define EVALUATION_UNMAPPED "unmapped"

/* What a launch goes by; all that was measured tools/tables prints. */
struct evaluation {
    char *best;            /* name of one of the graphs; NULL: none was run */
    bool unmapped_is_best; /* beyond the noise */
    /* Slurm's own layout and the best graph were each run often enough to go
     * by: EVALUATION_FEW_RUNS times. With fewer it is as if nothing was
     * measured. */
    bool decides;
    bool is_sure; /* and they differ by more than the noise */
};

void evaluation_destroy(struct evaluation *evaluation);

/* Reads FOLDER/evaluation.json. Errors: ENOENT (never evaluated), EIO, EPARSE
 * (file and key), EVERSION, ERANGE, ENOMEM. */
int evaluation_read(struct evaluation **out,
                    const char *folder,
                    struct mapcore_error *err);
/* The same from n bytes in memory, under a name for messages. */
int evaluation_parse(struct evaluation **out,
                     const char *name,
                     const char *bytes,
                     size_t n,
                     struct mapcore_error *err);

#endif
