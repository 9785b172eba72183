/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rebalance.c - parts of nearly the right sizes made exactly so */
#include "config.h"

#include "map/partition/rebalance.h"

#include "base/array.h"
#include "graph/csr.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_BETWEEN_LOOKS ((size_t)1 << 20)

struct even {
    const struct mapcore_graph *graph;
    uint32_t nparts;
    uint32_t *part;  /* [ntasks], the caller's */
    uint32_t *count; /* [nparts] */
    uint32_t *head;  /* [nparts] tasks of a part, MAPCORE_NONE at the end */
    uint32_t *next, *last; /* [ntasks] */
    uint32_t *queue;       /* [nparts] of the walk */
    uint32_t *from;        /* [nparts] the part before it on the walk */
    uint32_t *seen;        /* [nparts] number of the last walk there */
    uint32_t walk;
    size_t steps;
};

static void take_in(struct even *e, uint32_t task, uint32_t part)
{
    uint32_t first = e->head[part];

    e->part[task] = part;
    e->count[part]++;
    e->next[task] = first;
    e->last[task] = MAPCORE_NONE;
    if (first != MAPCORE_NONE)
        e->last[first] = task;
    e->head[part] = task;
}

static void let_go(struct even *e, uint32_t task)
{
    uint32_t part = e->part[task], next = e->next[task], last = e->last[task];

    e->count[part]--;
    if (next != MAPCORE_NONE)
        e->last[next] = last;
    if (last != MAPCORE_NONE)
        e->next[last] = next;
    else
        e->head[part] = next;
}

static int begin(struct even *e, struct mapcore_error *err)
{
    uint32_t n = e->graph->ntasks;

    e->count = array_alloc(e->nparts, sizeof(*e->count), err);
    e->head = array_alloc(e->nparts, sizeof(*e->head), err);
    e->next = array_alloc(n, sizeof(*e->next), err);
    e->last = array_alloc(n, sizeof(*e->last), err);
    e->queue = array_alloc(e->nparts, sizeof(*e->queue), err);
    e->from = array_alloc(e->nparts, sizeof(*e->from), err);
    e->seen = array_alloc(e->nparts, sizeof(*e->seen), err);
    if (!e->count || !e->head || !e->next || !e->last || !e->queue ||
        !e->from || !e->seen)
        return MAPCORE_ENOMEM;
    for (uint32_t p = 0; p < e->nparts; p++)
        e->head[p] = MAPCORE_NONE;
    for (uint32_t t = n; t-- > 0;)
        take_in(e, t, e->part[t]);
    return 0;
}

static void finish(struct even *e)
{
    free(e->count);
    free(e->head);
    free(e->next);
    free(e->last);
    free(e->queue);
    free(e->from);
    free(e->seen);
}

/* Walks from a part to the nearest one below its size, from[] leading back;
 * MAPCORE_NONE when none can be reached. */
static uint32_t find_room(struct even *e, uint32_t start, const uint32_t *size)
{
    const struct mapcore_graph *graph = e->graph;
    uint32_t n = 0;

    e->seen[start] = ++e->walk;
    e->queue[n++] = start;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t t = e->head[e->queue[i]]; t != MAPCORE_NONE;
             t = e->next[t]) {
            e->steps += graph->row[t + 1] - graph->row[t];
            for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
                uint32_t p = e->part[graph->task[k]];

                if (e->seen[p] == e->walk)
                    continue;
                e->seen[p] = e->walk;
                e->from[p] = e->queue[i];
                if (e->count[p] < size[p])
                    return p;
                e->queue[n++] = p;
            }
        }
    return MAPCORE_NONE;
}

/* Moves the task of part a whose move to part b costs least. */
static void move_over(struct even *e, uint32_t a, uint32_t b)
{
    const struct mapcore_graph *graph = e->graph;
    uint32_t best = MAPCORE_NONE;
    int64_t most = 0;

    for (uint32_t t = e->head[a]; t != MAPCORE_NONE; t = e->next[t]) {
        int64_t gain = 0;

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t p = e->part[graph->task[k]];

            if (p == a)
                gain -= (int64_t)graph->bytes[k];
            else if (p == b)
                gain += (int64_t)graph->bytes[k];
        }
        if (best == MAPCORE_NONE || gain > most) {
            best = t;
            most = gain;
        }
        e->steps += graph->row[t + 1] - graph->row[t];
    }
    let_go(e, best);
    take_in(e, best, b);
}

int even_parts(uint32_t *part,
               bool *cut,
               const struct mapcore_graph *graph,
               uint32_t nparts,
               const uint32_t *size,
               const struct map_clock *clock,
               struct mapcore_error *err)
{
    struct even e = {.graph = graph, .nparts = nparts, .part = part};
    uint32_t low = 0; /* all parts below have their size at least */
    int error;

    *cut = false;
    if ((error = begin(&e, err)) < 0)
        goto out;
    for (uint32_t p = 0; p < nparts && !*cut; p++)
        while (e.count[p] > size[p] && !*cut) {
            uint32_t to = find_room(&e, p, size);

            if (to == MAPCORE_NONE) {
                while (e.count[low] >= size[low])
                    low++;
                to = low;
                e.from[to] = p;
            }
            for (; to != p; to = e.from[to])
                move_over(&e, e.from[to], to);
            if (e.steps >= STEPS_BETWEEN_LOOKS) {
                e.steps = 0;
                *cut = map_clock_expired(clock);
            }
        }
out:
    finish(&e);
    return error;
}
