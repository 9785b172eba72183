/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fair_share.c - progressive filling, port by port in the order in which they
 * fill */
#include "config.h"

#include "play/fair_share.h"

#include "base/array.h"

#include <stdlib.h>

int fair_share_init(struct fair_share *s,
                    const struct flows *flows,
                    struct mapcore_error *err)
{
    s->rate = array_alloc(flows->n, sizeof(*s->rate), err);
    s->settled = array_alloc(flows->n, sizeof(*s->settled), err);
    s->port = array_alloc(flows->nports, sizeof(*s->port), err);
    s->heap = array_alloc(flows->nports, sizeof(*s->heap), err);
    return s->rate && s->settled && s->port && s->heap ? 0 : MAPCORE_ENOMEM;
}

void fair_share_clear(struct fair_share *s)
{
    free(s->rate);
    free(s->settled);
    free(s->port);
    free(s->heap);
}

static bool is_before(const struct fair_key *a, const struct fair_key *b)
{
    return a->share < b->share || (a->share <= b->share && a->port < b->port);
}

static void sift_down(struct fair_share *s, uint32_t i)
{
    struct fair_key key = s->heap[i];

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= s->nheap)
            break;
        if (child + 1 < s->nheap &&
            is_before(&s->heap[child + 1], &s->heap[child]))
            child++;
        if (!is_before(&s->heap[child], &key))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = key;
}

static void begin(struct fair_share *s, const struct flows *flows)
{
    s->round++;
    for (uint32_t p = 0; p < flows->nports; p++)
        s->port[p] = (struct fair_port){flows->capacity[p], 0};
    for (uint32_t n = 0; n < flows->nactive; n++) {
        const uint32_t i = flows->active[n];

        if (flows->left[i] <= 0)
            continue;
        size_t k = flows->first[i], half = k + flows->whole[i];
        double members = flows->members[i];

        for (; k < half; k++)
            s->port[flows->port[k]].members += members;
        for (; k < flows->first[i + 1]; k++)
            s->port[flows->port[k]].members += members / 2;
    }
    s->nheap = 0;
    for (uint32_t p = 0; p < flows->nports; p++)
        if (s->port[p].members > 0)
            s->heap[s->nheap++] =
                (struct fair_key){s->port[p].left / s->port[p].members, p};
    for (uint32_t i = s->nheap / 2; i-- > 0;)
        sift_down(s, i);
}

/* Takes what flows have from their ports. */
static void take(struct fair_share *s,
                 const uint32_t *port,
                 const uint32_t *end,
                 double rate,
                 double members)
{
    for (; port < end; port++) {
        s->port[*port].left -= rate * members;
        s->port[*port].members -= members;
    }
}

/* All flows of a full port keep this rate. */
static void settle(struct fair_share *s,
                   const struct flows *flows,
                   uint32_t port,
                   double rate)
{
    for (size_t j = flows->port_first[port]; j < flows->port_first[port + 1];
         j++) {
        uint32_t i = flows->flow[j];
        double members = flows->members[i];
        const uint32_t *first = flows->port + flows->first[i];
        const uint32_t *half = first + flows->whole[i];

        if (s->settled[i] == s->round || flows->left[i] <= 0)
            continue;
        s->settled[i] = s->round;
        s->rate[i] = rate;
        take(s, first, half, rate, members);
        take(s, half, flows->port + flows->first[i + 1], rate, members / 2);
    }
}

void fair_share_find(struct fair_share *s, const struct flows *flows)
{
    double level = 0;

    begin(s, flows);
    while (s->nheap > 0) {
        struct fair_key *top = &s->heap[0];
        const struct fair_port *port = &s->port[top->port];
        double share;

        if (port->members <= 0) {
            *top = s->heap[--s->nheap];
            sift_down(s, 0);
            continue;
        }
        share = port->left / port->members;
        if (share > top->share) {
            top->share = share;
            sift_down(s, 0);
            continue;
        }
        /* It never falls, but for rounding. */
        if (top->share > level)
            level = top->share;
        settle(s, flows, top->port, level);
    }
}
