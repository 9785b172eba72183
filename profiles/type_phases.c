/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* type_phases.c - the phases of a type: what its calls send, and when */
#include "config.h"

#include "profiles/type_phases.h"

#include "profiles/call_rounds.h"
#include "profiles/expand.h"

int type_phases(struct mapcore_phases **out,
                struct type_stages **stages,
                const struct profile *profile,
                const char *folder,
                const struct profile_phase *phase,
                const char *type,
                const struct mapcore_graph *recorded,
                struct mapcore_error *err)
{
    struct mapcore_phases *phases = NULL;
    struct expanded expanded = {0};
    int error =
        expand_flows(&expanded, profile, folder, phase, type, recorded, err);

    if (error == 0)
        error = call_rounds_phases(&phases, profile->ntasks, &expanded, err);
    if (error == 0 && stages)
        error = type_stages_create(stages, &expanded, profile, type, err);
    expanded_clear(&expanded);
    if (error < 0) {
        mapcore_phases_destroy(phases);
        return error;
    }
    *out = phases;
    return 0;
}
