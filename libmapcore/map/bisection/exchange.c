/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exchange.c - which parts exchange tasks, and in which order */
#include "config.h"

#include "map/bisection/exchange.h"

#include "base/array.h"
#include "graph/csr.h"

#include <stdlib.h>

struct exchange {
    struct dual *dual;
    uint32_t nparts;
    uint64_t *traffic; /* [nparts] bytes of the part at hand to others; zero
                          between calls */
    uint32_t *partner; /* [nparts] those with traffic */
    uint32_t *changed; /* [nparts] the last round in which a part changed */
};

int exchange_create(struct exchange **out,
                    struct dual *dual,
                    struct mapcore_error *err)
{
    struct exchange *exchange = array_alloc(1, sizeof(*exchange), err);

    if (!exchange)
        return MAPCORE_ENOMEM;
    exchange->dual = dual;
    exchange->nparts = dual->tree->nparts;
    exchange->traffic =
        array_alloc(exchange->nparts, sizeof(*exchange->traffic), err);
    exchange->partner =
        array_alloc(exchange->nparts, sizeof(*exchange->partner), err);
    exchange->changed =
        array_alloc(exchange->nparts, sizeof(*exchange->changed), err);
    if (!exchange->traffic || !exchange->partner || !exchange->changed) {
        exchange_destroy(exchange);
        return MAPCORE_ENOMEM;
    }
    *out = exchange;
    return 0;
}

void exchange_destroy(struct exchange *exchange)
{
    if (!exchange)
        return;
    free(exchange->traffic);
    free(exchange->partner);
    free(exchange->changed);
    free(exchange);
}

/* The parts to which p sends most, at most n, into partner[]. */
static uint32_t find_partners(struct exchange *exchange, uint32_t p, uint32_t n)
{
    const struct dual *dual = exchange->dual;
    const struct mapcore_graph *graph = dual->problem->graph;
    uint32_t *partner = exchange->partner, found = 0, kept;
    uint64_t *traffic = exchange->traffic;

    for (uint32_t i = 0; i < dual->count[p]; i++) {
        uint32_t t = dual->task[dual->begin[p] + i];

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t q = dual->where[graph->task[k]].part;

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
static bool is_due(const struct exchange *exchange,
                   uint32_t p,
                   uint32_t q,
                   uint32_t round)
{
    return exchange->changed[p] + 1 >= round ||
           exchange->changed[q] + 1 >= round;
}

/* Exchanges tasks of p with those behind it in the list, for the others have
 * had their turn. */
static int exchange_part(struct exchange *exchange,
                         bool *timed_out,
                         uint32_t p,
                         uint32_t partners,
                         uint32_t round,
                         struct mapcore_error *err)
{
    uint32_t n = find_partners(exchange, p, partners);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t q = exchange->partner[i];
        bool changed;
        int error;

        if (q < p || !is_due(exchange, p, q, round))
            continue;
        error = dual_exchange(exchange->dual, timed_out, &changed, p, q, err);
        if (error < 0 || *timed_out)
            return error;
        if (changed)
            exchange->changed[p] = exchange->changed[q] = round;
    }
    return 0;
}

int exchange_run(struct exchange *exchange,
                 bool *timed_out,
                 uint32_t partners,
                 uint32_t rounds,
                 struct mapcore_error *err)
{
    struct dual *dual = exchange->dual;
    bool any = true;

    for (uint32_t p = 0; p < exchange->nparts; p++)
        exchange->changed[p] = 0;
    for (uint32_t round = 1; round <= rounds && any; round++) {
        any = false;
        for (uint32_t p = 0; p < exchange->nparts; p++) {
            int error;

            if (dual->count[p] == 0)
                continue;
            error = exchange_part(exchange, timed_out, p, partners, round, err);
            if (error < 0 || *timed_out)
                return error;
            any = any || exchange->changed[p] == round;
        }
    }
    dual_sort(dual);
    return 0;
}
