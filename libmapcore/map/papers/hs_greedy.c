/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hs_greedy.c - Hoefler and Snir's greedy embedding: along the heaviest edge,
 * to the nearest host */
#include "config.h"

#include "map/mapper.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "base/rng.h"
#include "graph/csr.h"
#include "map/rng_streams.h"

#include <stdlib.h>

/* Hosts and edges looked at between two looks at the deadline. */
#define STEPS_BETWEEN_LOOKS ((size_t)1 << 20)

enum near { LAST, PARTNER };

/* An edge from a task that is placed to one that perhaps is not. */
struct heap_entry {
    uint64_t bytes;
    uint32_t from, to;
};

/* The bytes of a task and its number, so that sorting puts heavy ones first. */
struct weight {
    uint64_t bytes;
    uint32_t task;
};

struct greedy {
    const struct map_problem *problem;
    uint32_t *host;   /* [ntasks], MAPCORE_NONE before */
    uint32_t *vacant; /* [nhosts] slots */
    uint32_t *open;   /* [nopen] hosts that are not full, ascending */
    uint32_t nopen;
    uint32_t current;        /* s of the paper */
    uint16_t *scratch;       /* [nhosts] */
    struct heap_entry *heap; /* [nheap], Q */
    size_t nheap;
    struct weight *heavy; /* [ntasks] by bytes to all others, falling */
    size_t steps;
};

static bool is_before(const struct heap_entry *a, const struct heap_entry *b)
{
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes;
    return a->to != b->to ? a->to < b->to : a->from < b->from;
}

static void push(struct greedy *g, struct heap_entry entry)
{
    size_t i = g->nheap++;

    for (; i > 0 && is_before(&entry, &g->heap[(i - 1) / 2]); i = (i - 1) / 2)
        g->heap[i] = g->heap[(i - 1) / 2];
    g->heap[i] = entry;
}

static struct heap_entry pop(struct greedy *g)
{
    struct heap_entry top = g->heap[0], last = g->heap[--g->nheap];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= g->nheap)
            break;
        if (child + 1 < g->nheap &&
            is_before(&g->heap[child + 1], &g->heap[child]))
            child++;
        if (!is_before(&g->heap[child], &last))
            break;
        g->heap[i] = g->heap[child];
        i = child;
    }
    if (g->nheap > 0)
        g->heap[i] = last;
    return top;
}

static int compare(const void *left, const void *right)
{
    const struct weight *a = left, *b = right;

    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

static int begin(struct greedy *g, struct arena *arena)
{
    const struct mapcore_graph *graph = g->problem->graph;
    uint32_t nhosts = mapcore_alloc_nhosts(g->problem->alloc);
    uint32_t ntasks = graph->ntasks;

    g->vacant = arena_alloc(arena, nhosts, sizeof(*g->vacant));
    g->open = arena_alloc(arena, nhosts, sizeof(*g->open));
    g->scratch = arena_alloc(arena, nhosts, sizeof(*g->scratch));
    g->heap = arena_alloc(arena, graph->row[ntasks], sizeof(*g->heap));
    g->heavy = arena_alloc(arena, ntasks, sizeof(*g->heavy));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < nhosts; h++) {
        g->vacant[h] = mapcore_alloc_slots(g->problem->alloc, h);
        if (g->vacant[h] > 0)
            g->open[g->nopen++] = h;
    }
    for (uint32_t t = 0; t < ntasks; t++) {
        g->host[t] = MAPCORE_NONE;
        g->heavy[t].task = t;
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            g->heavy[t].bytes += graph->bytes[k];
    }
    qsort(g->heavy, ntasks, sizeof(*g->heavy), compare);
    return 0;
}

/* The open host at the least distance from another, ties: the first; drops
 * hosts that are full on the way. */
static uint32_t nearest(struct greedy *g, uint32_t from)
{
    const uint16_t *row =
        distances_row(alloc_distances(g->problem->alloc), from, g->scratch);
    uint32_t best = MAPCORE_NONE, kept = 0;

    g->steps += g->nopen;
    for (uint32_t i = 0; i < g->nopen; i++) {
        uint32_t h = g->open[i];

        if (g->vacant[h] == 0)
            continue;
        g->open[kept++] = h;
        if (best == MAPCORE_NONE || row[h] < row[best])
            best = h;
    }
    g->nopen = kept;
    return best;
}

/* Places a task on the current host and queues its edges. */
static void place(struct greedy *g, uint32_t task)
{
    const struct mapcore_graph *graph = g->problem->graph;

    g->host[task] = g->current;
    g->vacant[g->current]--;
    for (size_t k = graph->row[task]; k < graph->row[task + 1]; k++)
        if (g->host[graph->task[k]] == MAPCORE_NONE)
            push(g, (struct heap_entry){graph->bytes[k], task, graph->task[k]});
    g->steps += graph->row[task + 1] - graph->row[task] + 1;
}

/* The paper's loop. False: time was up. */
static bool embed(struct greedy *g, enum near near)
{
    const struct map_deadline *deadline = &g->problem->deadline;
    uint32_t n = g->problem->graph->ntasks;

    for (uint32_t i = 0; i < n; i++) {
        if (g->host[g->heavy[i].task] != MAPCORE_NONE)
            continue;
        if (g->vacant[g->current] == 0)
            g->current = nearest(g, g->current);
        place(g, g->heavy[i].task);
        while (g->nheap > 0) {
            struct heap_entry edge = pop(g);

            if (g->host[edge.to] != MAPCORE_NONE)
                continue;
            if (near == PARTNER)
                g->current = g->host[edge.from];
            if (g->vacant[g->current] == 0)
                g->current = nearest(g, g->current);
            place(g, edge.to);
            if (map_deadline_look(deadline, &g->steps, STEPS_BETWEEN_LOOKS))
                return false;
        }
        if (map_deadline_look(deadline, &g->steps, STEPS_BETWEEN_LOOKS))
            return false;
    }
    return true;
}

static int run(const struct mapper_call *call)
{
    struct greedy greedy = {.problem = call->problem, .host = call->host};
    struct rng rng;

    if (begin(&greedy, call->arena) < 0)
        return MAPCORE_ENOMEM;
    rng_init(&rng, call->seed, RNG_STREAM_HS_GREEDY, call->pass);
    greedy.current = greedy.open[0];
    if (call->pass > 0)
        greedy.current = greedy.open[rng_below(&rng, greedy.nopen)];
    call->end->is_random = greedy.nopen > 1;
    call->end->timed_out = !embed(&greedy, (enum near)call->value[0]);
    return 0;
}

const struct mapper mapper_hs_greedy = {
    .name = "hs-greedy",
    .summary = "tasks along the heaviest edges to the nearest free node; "
               ":near=last|partner: near the node filled last or that of the "
               "edge's other end",
    .source = "Hoefler, Snir, ICS 2011, greedy graph embedding",
    .parameters = "near=last|partner",
    .run = run,
};
