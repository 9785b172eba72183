/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phases.c - flows put in the order of their phases */
#include "config.h"

#include "graph/phases.h"

#include "base/array.h"

#include <stdlib.h>

int mapcore_phases_create(struct mapcore_phases **out,
                          uint32_t ntasks,
                          const struct mapcore_flow *flow,
                          const uint32_t *phase,
                          size_t nflows,
                          struct mapcore_error *err)
{
    struct mapcore_phases *phases;
    size_t most = 0, *next;

    for (size_t i = 0; i < nflows; i++) {
        if (flow[i].from >= ntasks || flow[i].to >= ntasks)
            return error_set(err, MAPCORE_EINVAL,
                             "a message from task %u to %u of %u", flow[i].from,
                             flow[i].to, ntasks);
        most = phase[i] >= most ? (size_t)phase[i] + 1 : most;
    }
    phases = array_alloc(1, sizeof(*phases), err);
    next = array_alloc(most + 1, sizeof(*next), err);
    if (phases) {
        phases->ntasks = ntasks;
        phases->first = array_alloc(most + 1, sizeof(*phases->first), err);
        phases->flow = array_alloc(nflows, sizeof(*phases->flow), err);
    }
    if (!phases || !next || !phases->first || !phases->flow) {
        free(next);
        mapcore_phases_destroy(phases);
        return MAPCORE_ENOMEM;
    }
    for (size_t i = 0; i < nflows; i++)
        next[phase[i] + 1]++;
    for (size_t p = 0; p < most; p++)
        next[p + 1] += next[p];
    for (size_t i = 0; i < nflows; i++)
        phases->flow[next[phase[i]]++] = flow[i];
    /* Now each is the end of its phase. */
    for (size_t p = 0; p < most; p++)
        if (next[p] > phases->first[phases->n])
            phases->first[++phases->n] = next[p];
    free(next);
    *out = phases;
    return 0;
}

void mapcore_phases_destroy(struct mapcore_phases *phases)
{
    if (!phases)
        return;
    free(phases->first);
    free(phases->flow);
    free(phases);
}
