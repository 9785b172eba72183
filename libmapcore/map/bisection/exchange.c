/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exchange.c - which parts exchange tasks, and in which order */
#include "config.h"

#include "map/bisection/exchange.h"

#include "base/array.h"
#include "graph/csr.h"

#include <stdlib.h>

struct sweep {
    struct dual *dual;
    uint32_t nparts;
    uint64_t *traffic; /* [nparts] bytes of the part at hand to others; zero
                          between calls */
    uint32_t *partner; /* [nparts] those with traffic */
    uint32_t *changed; /* [nparts] the last round in which a part changed */
};

int sweep_create(struct sweep **out,
                 struct dual *dual,
                 struct mapcore_error *err)
{
    struct sweep *sweep = array_alloc(1, sizeof(*sweep), err);

    if (!sweep)
        return MAPCORE_ENOMEM;
    sweep->dual = dual;
    sweep->nparts = dual->machine->nparts;
    sweep->traffic = array_alloc(sweep->nparts, sizeof(*sweep->traffic), err);
    sweep->partner = array_alloc(sweep->nparts, sizeof(*sweep->partner), err);
    sweep->changed = array_alloc(sweep->nparts, sizeof(*sweep->changed), err);
    if (!sweep->traffic || !sweep->partner || !sweep->changed) {
        sweep_destroy(sweep);
        return MAPCORE_ENOMEM;
    }
    *out = sweep;
    return 0;
}

void sweep_destroy(struct sweep *sweep)
{
    if (!sweep)
        return;
    free(sweep->traffic);
    free(sweep->partner);
    free(sweep->changed);
    free(sweep);
}

/* The parts to which p sends most, at most n, into partner[]. */
static uint32_t find_partners(struct sweep *sweep, uint32_t p, uint32_t n)
{
    const struct dual *dual = sweep->dual;
    const struct mapcore_graph *graph = dual->problem->graph;
    uint32_t *partner = sweep->partner, found = 0, kept;
    uint64_t *traffic = sweep->traffic;

    for (uint32_t i = 0; i < dual->count[p]; i++) {
        uint32_t t = dual->task[dual->begin[p] + i];

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t q = dual->at[graph->task[k]];

            if (q == p)
                continue;
            if (traffic[q] == 0)
                partner[found++] = q;
            traffic[q] += graph->bytes[k];
        }
    }
    kept = found < n ? found : n;
    for (uint32_t i = 0; i < kept; i++) {
        uint32_t best = i, q;

        for (uint32_t j = i + 1; j < found; j++) {
            uint64_t more = traffic[partner[j]], most = traffic[partner[best]];

            if (more > most || (more == most && partner[j] < partner[best]))
                best = j;
        }
        q = partner[best];
        partner[best] = partner[i];
        partner[i] = q;
    }
    for (uint32_t i = 0; i < found; i++)
        traffic[partner[i]] = 0;
    return kept;
}

/* Whether one of the two changed in this round or the one before. */
static bool is_due(const struct sweep *sweep,
                   uint32_t p,
                   uint32_t q,
                   uint32_t round)
{
    return sweep->changed[p] + 1 >= round || sweep->changed[q] + 1 >= round;
}

/* Exchanges tasks of p with those behind it in the list, for the others have
 * had their turn. */
static int exchange(struct sweep *sweep,
                    bool *cut,
                    uint32_t p,
                    uint32_t partners,
                    uint32_t round,
                    struct mapcore_error *err)
{
    uint32_t n = find_partners(sweep, p, partners);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t q = sweep->partner[i];
        bool changed;
        int error;

        if (q < p || !is_due(sweep, p, q, round))
            continue;
        error = dual_exchange(sweep->dual, cut, &changed, p, q, err);
        if (error < 0 || *cut)
            return error;
        if (changed)
            sweep->changed[p] = sweep->changed[q] = round;
    }
    return 0;
}

int sweep_run(struct sweep *sweep,
              bool *cut,
              uint32_t partners,
              uint32_t rounds,
              struct mapcore_error *err)
{
    struct dual *dual = sweep->dual;
    bool any = true;

    for (uint32_t p = 0; p < sweep->nparts; p++)
        sweep->changed[p] = 0;
    for (uint32_t round = 1; round <= rounds && any; round++) {
        any = false;
        for (uint32_t p = 0; p < sweep->nparts; p++) {
            int error;

            if (dual->count[p] == 0)
                continue;
            error = exchange(sweep, cut, p, partners, round, err);
            if (error < 0 || *cut)
                return error;
            any = any || sweep->changed[p] == round;
        }
    }
    dual_sort(dual);
    return 0;
}
