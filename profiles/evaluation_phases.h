/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation_phases.h - how long an evaluation's runs were in each phase of the
 * program */
#ifndef PROFILES_EVALUATION_PHASES_H
#define PROFILES_EVALUATION_PHASES_H

#include "base/error.h"

#include <stddef.h>

/* More are passed over. */
enum { EVALUATION_PHASES_MOST = 64 };

/* Starts as all zero. */
struct evaluation_phases {
    size_t n;
    struct evaluation_phase {
        char *name; /* as profiles have it */
        size_t nruns, capacity;
        double *seconds; /* [nruns], in MPI, a task on average */
    } * phase;           /* [n] */
};

void evaluation_phases_clear(struct evaluation_phases *phases);
/* Says it of the last one of nruns; nothing when it was not said of one before
 * it. Errors: ENOMEM. */
int evaluation_phases_add(struct evaluation_phases *phases,
                          size_t nruns,
                          const char *name,
                          double seconds,
                          struct mapcore_error *err);
/* Its seconds of nruns; NULL: not known of every one. */
const struct evaluation_phase *evaluation_phases_find(
    const struct evaluation_phases *phases,
    size_t nruns,
    const char *name);

#endif
