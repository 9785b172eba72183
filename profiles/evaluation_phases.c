/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation_phases.c - how long runs were in each phase of the program */
#include "config.h"

#include "profiles/evaluation_phases.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void evaluation_phases_clear(struct evaluation_phases *phases)
{
    for (size_t i = 0; i < phases->n; i++) {
        free(phases->phase[i].name);
        free(phases->phase[i].seconds);
    }
    free(phases->phase);
    phases->phase = NULL;
    phases->n = 0;
}

const struct evaluation_phase *evaluation_phases_find(
    const struct evaluation_phases *phases,
    size_t nruns,
    const char *name)
{
    for (size_t i = 0; i < phases->n; i++)
        if (strcmp(phases->phase[i].name, name) == 0)
            return phases->phase[i].nruns >= nruns && nruns > 0
                       ? &phases->phase[i]
                       : NULL;
    return NULL;
}

/* Errors: ERANGE (without a text: there are too many), ENOMEM. */
static int add(struct evaluation_phase **out,
               struct evaluation_phases *phases,
               const char *name,
               struct mapcore_error *err)
{
    size_t capacity = phases->n;
    struct evaluation_phase *phase;
    int error = 0;

    for (size_t i = 0; i < phases->n; i++)
        if (strcmp(phases->phase[i].name, name) == 0) {
            *out = &phases->phase[i];
            return 0;
        }
    if (phases->n == EVALUATION_PHASES_MOST)
        return MAPCORE_ERANGE;
    error = array_reserve(&phases->phase, &capacity, phases->n + 1,
                          sizeof(*phases->phase), err);
    if (error < 0)
        return error;
    phase = &phases->phase[phases->n];
    *phase = (struct evaluation_phase){
        .name = array_copy(name, strlen(name) + 1, 1, err)};
    if (!phase->name)
        return MAPCORE_ENOMEM;
    phases->n++;
    *out = phase;
    return 0;
}

int evaluation_phases_add(struct evaluation_phases *phases,
                          size_t nruns,
                          const char *name,
                          double seconds,
                          struct mapcore_error *err)
{
    struct evaluation_phase *phase;
    int error = add(&phase, phases, name, err);

    if (error == MAPCORE_ERANGE || (error == 0 && phase->nruns + 1 < nruns))
        return 0;
    if (error == 0)
        error = array_reserve(&phase->seconds, &phase->capacity, nruns,
                              sizeof(*phase->seconds), err);
    if (error < 0)
        return error;
    phase->seconds[nruns - 1] = seconds;
    phase->nruns = nruns;
    return 0;
}
