/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rb.c - dual recursive bisection: the tasks and the machine are halved
 * together */
#include "config.h"

#include "map/rb.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/purpose.h"

#include <stdlib.h>
#include <string.h>

/* Weights over both directions must stay below 2^31. */
#define MAX_WEIGHT ((uint64_t)1 << 30)

struct rb {
    const struct map_problem *problem;
    const struct machine_tree *machine;
    struct bisect *bisect;
    struct mapcore_error *err;
    uint64_t seed;
    unsigned shift;  /* bytes are divided by 2^shift, rounded up */
    uint32_t *at;    /* [ntasks] the part where a task is */
    uint32_t *task;  /* [ntasks] those of a part next to each other */
    uint32_t *place; /* [ntasks] where each stands in task[] */
    uint32_t *spare; /* [ntasks] */
    uint32_t *begin; /* [nparts] where the tasks of a part begin in task[] */
    uint32_t *count; /* [nparts] and how many there are */
    uint32_t *known; /* [nparts] the part for which pull[] was found, plus 1 */
    int32_t *pull;   /* [nparts] what a unit of weight to that part costs more
                        on the second half than on the first */
};

static unsigned weight_shift(const struct mapcore_graph *graph)
{
    uint64_t edges = graph->row[graph->ntasks] / 2;
    unsigned shift = 0;

    while ((graph->total >> shift) + edges > MAX_WEIGHT &&
           graph->total >> shift > 0)
        shift++;
    return shift;
}

static int begin_rb(struct rb *rb)
{
    const struct mapcore_graph *graph = rb->problem->graph;
    size_t n = graph->ntasks, nparts = rb->machine->nparts;

    rb->shift = weight_shift(graph);
    rb->at = array_alloc(n, sizeof(*rb->at), rb->err);
    rb->task = array_alloc(n, sizeof(*rb->task), rb->err);
    rb->place = array_alloc(n, sizeof(*rb->place), rb->err);
    rb->spare = array_alloc(n, sizeof(*rb->spare), rb->err);
    rb->begin = array_alloc(nparts, sizeof(*rb->begin), rb->err);
    rb->count = array_alloc(nparts, sizeof(*rb->count), rb->err);
    rb->known = array_alloc(nparts, sizeof(*rb->known), rb->err);
    rb->pull = array_alloc(nparts, sizeof(*rb->pull), rb->err);
    if (!rb->at || !rb->task || !rb->place || !rb->spare || !rb->begin ||
        !rb->count || !rb->known || !rb->pull)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < n; t++)
        rb->task[t] = rb->place[t] = t;
    rb->count[0] = (uint32_t)n;
    return bisect_create(&rb->bisect, rb->err);
}

static void end_rb(struct rb *rb)
{
    free(rb->at);
    free(rb->task);
    free(rb->place);
    free(rb->spare);
    free(rb->begin);
    free(rb->count);
    free(rb->known);
    free(rb->pull);
    bisect_destroy(rb->bisect);
}

/* What a unit of weight from a task of part p to part q costs more on the
 * second half of p. */
static int32_t pull_of(struct rb *rb, uint32_t p, uint32_t q)
{
    uint32_t half = rb->machine->part[p].half;

    if (rb->known[q] != p + 1) {
        rb->known[q] = p + 1;
        rb->pull[q] = (int32_t)machine_distance(rb->machine, half + 1, q) -
                      (int32_t)machine_distance(rb->machine, half, q);
    }
    return rb->pull[q];
}

/* The graph of the tasks of part p: edges to other parts are biases, in units
 * of the distance between the halves. */
static int take_graph(struct rb *rb, uint32_t p)
{
    const struct mapcore_graph *graph = rb->problem->graph;
    uint32_t begin = rb->begin[p], n = rb->count[p];
    uint32_t half = rb->machine->part[p].half;
    int64_t apart = machine_distance(rb->machine, half, half + 1);
    uint64_t rounding = ((uint64_t)1 << rb->shift) - 1;
    struct bisect_level *level;
    size_t nedges = 0;
    int code;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = rb->task[begin + i];

        nedges += graph->row[t + 1] - graph->row[t];
    }
    if ((code = bisect_reserve(rb->bisect, 0, n, nedges, rb->err)) < 0)
        return code;
    level = &rb->bisect->level[0];
    apart = apart > 0 ? apart : MACHINE_LINK;
    nedges = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = rb->task[begin + i];
        int64_t bias = 0;

        level->row[i] = nedges;
        level->size[i] = 1;
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t u = graph->task[k];
            uint32_t weight =
                (uint32_t)((graph->bytes[k] + rounding) >> rb->shift);

            if (rb->at[u] == p) {
                level->vertex[nedges] = rb->place[u] - begin;
                level->weight[nedges++] = weight;
            } else {
                bias += (int64_t)weight * pull_of(rb, p, rb->at[u]);
            }
        }
        level->bias[i] = bias / apart;
    }
    level->row[n] = nedges;
    return 0;
}

/* Puts the tasks of side 0 in front of those of side 1. */
static void sort_sides(struct rb *rb, uint32_t p)
{
    const uint8_t *side = rb->bisect->level[0].side;
    uint32_t begin = rb->begin[p], n = rb->count[p];
    uint32_t half = rb->machine->part[p].half, first = 0, next[2];

    for (uint32_t i = 0; i < n; i++)
        first += side[i] == 0;
    rb->begin[half] = next[0] = begin;
    rb->begin[half + 1] = next[1] = begin + first;
    rb->count[half] = first;
    rb->count[half + 1] = n - first;
    memcpy(rb->spare, rb->task + begin, n * sizeof(*rb->spare));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = rb->spare[i];

        rb->place[t] = next[side[i]]++;
        rb->task[rb->place[t]] = t;
        rb->at[t] = half + side[i];
    }
}

static int halve(struct rb *rb, bool *cut, uint32_t p)
{
    const struct machine_part *part = &rb->machine->part[p];
    uint64_t n = rb->count[p];
    uint64_t slots[2] = {rb->machine->part[part->half].slots,
                         rb->machine->part[part->half + 1].slots};
    struct bisect_task task = {.low = n > slots[1] ? n - slots[1] : 0,
                               .high = n < slots[0] ? n : slots[0],
                               .tries = 8};
    struct rng rng;
    int code;

    if ((code = take_graph(rb, p)) < 0)
        return code;
    rng_init(&rng, rb->seed, PURPOSE_RB, p);
    code =
        bisect_run(rb->bisect, cut, &task, &rng, &rb->problem->clock, rb->err);
    if (code == 0 && !*cut)
        sort_sides(rb, p);
    return code;
}

static int run(uint32_t *host,
               struct mapper_end *end,
               const struct map_problem *problem,
               const struct mapper_call *call,
               struct mapcore_error *err)
{
    struct rb rb = {.problem = problem, .err = err};
    uint32_t ntasks = problem->graph->ntasks;
    struct machine_tree *machine = NULL;
    int code;

    end->drew = true;
    rb.seed = call->seed ^ (uint64_t)call->pass << 32;
    if ((code = machine_create(&machine, problem->alloc, ntasks, call->pass,
                               err)) < 0)
        goto out;
    rb.machine = machine;
    if ((code = begin_rb(&rb)) < 0)
        goto out;
    for (uint32_t p = 0; p < machine->nparts && !end->cut; p++)
        if (machine->part[p].half != MAPCORE_NONE &&
            (code = halve(&rb, &end->cut, p)) < 0)
            goto out;
    for (uint32_t t = 0; t < ntasks && !end->cut; t++)
        host[t] = machine->host[machine->part[rb.at[t]].begin];
out:
    end_rb(&rb);
    machine_destroy(machine);
    return code;
}

const struct mapper rb_mapper = {
    .name = "rb",
    .summary = "graph and machine are halved together, down to hosts",
    .source = "Pellegrini, Roman, HPCN 1996 (dual recursive bipartitioning)",
    .run = run,
};
