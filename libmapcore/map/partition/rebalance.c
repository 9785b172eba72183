/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rebalance.c - parts of nearly the right sizes made exactly so */
#include "config.h"

#include "map/partition/partition.h"

#include "base/array.h"
#include "graph/csr.h"

#define STEPS_BETWEEN_LOOKS ((size_t)1 << 20)

struct rebalancing {
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

static void take_in(struct rebalancing *r, uint32_t task, uint32_t part)
{
    uint32_t first = r->head[part];

    r->part[task] = part;
    r->count[part]++;
    r->next[task] = first;
    r->last[task] = MAPCORE_NONE;
    if (first != MAPCORE_NONE)
        r->last[first] = task;
    r->head[part] = task;
}

static void let_go(struct rebalancing *r, uint32_t task)
{
    uint32_t part = r->part[task], next = r->next[task], last = r->last[task];

    r->count[part]--;
    if (next != MAPCORE_NONE)
        r->last[next] = last;
    if (last != MAPCORE_NONE)
        r->next[last] = next;
    else
        r->head[part] = next;
}

static int begin(struct rebalancing *r, struct arena *arena)
{
    uint32_t n = r->graph->ntasks;

    r->count = arena_alloc(arena, r->nparts, sizeof(*r->count));
    r->head = arena_alloc(arena, r->nparts, sizeof(*r->head));
    r->next = arena_alloc(arena, n, sizeof(*r->next));
    r->last = arena_alloc(arena, n, sizeof(*r->last));
    r->queue = arena_alloc(arena, r->nparts, sizeof(*r->queue));
    r->from = arena_alloc(arena, r->nparts, sizeof(*r->from));
    r->seen = arena_alloc(arena, r->nparts, sizeof(*r->seen));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t p = 0; p < r->nparts; p++)
        r->head[p] = MAPCORE_NONE;
    for (uint32_t t = n; t-- > 0;)
        take_in(r, t, r->part[t]);
    return 0;
}

/* Walks from a part to the nearest one below its size, from[] leading back;
 * MAPCORE_NONE when none can be reached. */
static uint32_t find_taker(struct rebalancing *r,
                           uint32_t start,
                           const uint32_t *size)
{
    const struct mapcore_graph *graph = r->graph;
    uint32_t n = 0;

    r->seen[start] = ++r->walk;
    r->queue[n++] = start;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t t = r->head[r->queue[i]]; t != MAPCORE_NONE;
             t = r->next[t]) {
            r->steps += graph->row[t + 1] - graph->row[t];
            for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
                uint32_t p = r->part[graph->task[k]];

                if (r->seen[p] == r->walk)
                    continue;
                r->seen[p] = r->walk;
                r->from[p] = r->queue[i];
                if (r->count[p] < size[p])
                    return p;
                r->queue[n++] = p;
            }
        }
    return MAPCORE_NONE;
}

/* Moves the task of part a whose move to part b costs least. */
static void move_over(struct rebalancing *r, uint32_t a, uint32_t b)
{
    const struct mapcore_graph *graph = r->graph;
    uint32_t best = MAPCORE_NONE;
    int64_t most = 0;

    for (uint32_t t = r->head[a]; t != MAPCORE_NONE; t = r->next[t]) {
        int64_t gain = 0;

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t p = r->part[graph->task[k]];

            if (p == a)
                gain -= (int64_t)graph->bytes[k];
            else if (p == b)
                gain += (int64_t)graph->bytes[k];
        }
        if (best == MAPCORE_NONE || gain > most) {
            best = t;
            most = gain;
        }
        r->steps += graph->row[t + 1] - graph->row[t];
    }
    let_go(r, best);
    take_in(r, best, b);
}

int partition_rebalance(uint32_t *part,
                        bool *timed_out,
                        const struct partition_problem *problem,
                        struct mapcore_error *err)
{
    const uint32_t nparts = problem->nparts, *size = problem->size;
    struct rebalancing r = {
        .graph = problem->graph, .nparts = nparts, .part = part};
    uint32_t low = 0; /* all parts below have their size at least */
    struct arena arena = {.err = err};
    int error = begin(&r, &arena);

    *timed_out = false;
    for (uint32_t p = 0; error == 0 && p < nparts && !*timed_out; p++)
        while (r.count[p] > size[p] && !*timed_out) {
            uint32_t to = find_taker(&r, p, size);

            if (to == MAPCORE_NONE) {
                while (r.count[low] >= size[low])
                    low++;
                to = low;
                r.from[to] = p;
            }
            for (; to != p; to = r.from[to])
                move_over(&r, r.from[to], to);
            if (r.steps >= STEPS_BETWEEN_LOOKS) {
                r.steps = 0;
                *timed_out = map_deadline_passed(problem->deadline);
            }
        }
    arena_clear(&arena);
    return error;
}
