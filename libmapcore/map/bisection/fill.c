/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fill.c - which tasks of a part go to which of its hosts, when it is not
 * halved any more */
#include "config.h"

#include "map/bisection/dual.h"

#include "base/array.h"
#include "graph/csr.h"

#include <string.h>

/* A part at hand. */
struct part_filling {
    const struct dual *dual;
    uint32_t part, n;
    uint32_t slots; /* of a host, about */
    uint32_t *task; /* [n], by number */
    uint32_t *walk; /* [n], breadth first */
    uint32_t *at;   /* [ntasks] where a task stands in walk; MAPCORE_NONE: not
                       there yet */
};

/* Adds the tasks that t leads to; returns how many there are then. */
static uint32_t visit(struct part_filling *f, uint32_t t, uint32_t count)
{
    const struct mapcore_graph *graph = f->dual->problem->graph;

    for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
        uint32_t u = graph->task[k];

        if (f->dual->where[u].part != f->part || f->at[u] != MAPCORE_NONE)
            continue;
        f->at[u] = count;
        f->walk[count++] = u;
    }
    return count;
}

/* The component of a task, then the others, each from its first task on;
 * returns the last task of that component: one far away. */
static uint32_t walk_from(struct part_filling *f, uint32_t from)
{
    uint32_t count = 0, next = 0, last = MAPCORE_NONE;

    for (uint32_t i = 0; i < f->n; i++)
        f->at[f->task[i]] = MAPCORE_NONE;
    for (uint32_t i = 0; i < f->n; i++) {
        if (i == count) {
            uint32_t t = from;

            if (i > 0 && last == MAPCORE_NONE)
                last = f->walk[i - 1];
            for (; i > 0 && f->at[t] != MAPCORE_NONE; next++)
                t = f->task[next];
            f->at[t] = count;
            f->walk[count++] = t;
        }
        count = visit(f, f->walk[i], count);
    }
    return last == MAPCORE_NONE ? f->walk[f->n - 1] : last;
}

/* Levels of a tree of hosts that two places of an order are apart. */
static uint32_t levels_between(const struct part_filling *f,
                               uint32_t a,
                               uint32_t b)
{
    uint32_t differing = a / f->slots ^ b / f->slots;

    return differing ? 32 - (uint32_t)__builtin_clz(differing) : 0;
}

/* Whether the walk has fewer bytes times levels than the numbers. */
static bool walk_is_shorter(const struct part_filling *f)
{
    const struct dual *dual = f->dual;
    const struct mapcore_graph *graph = dual->problem->graph;
    uint32_t begin = dual->begin[f->part];
    double by_walk = 0, by_number = 0;

    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t t = f->task[i];

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t u = graph->task[k];
            double bytes = (double)graph->bytes[k];

            if (dual->where[u].part != f->part)
                continue;
            by_walk += bytes * levels_between(f, f->at[t], f->at[u]);
            by_number +=
                bytes * levels_between(f, i, dual->where[u].place - begin);
        }
    }
    return by_walk < by_number;
}

static void order_part(struct part_filling *f)
{
    const struct dual *dual = f->dual;
    const struct host_part *part = &dual->tree->part[f->part];

    f->n = dual->count[f->part];
    f->task = dual->task + dual->begin[f->part];
    f->slots = part->slots / (part->end - part->begin);
    f->slots = f->slots > 0 ? f->slots : 1;
    if (f->n == 0 || part->end - part->begin < 2)
        return;
    walk_from(f, walk_from(f, f->task[0]));
    if (walk_is_shorter(f))
        memcpy(f->task, f->walk, f->n * sizeof(*f->task));
}

static void fill_part(uint32_t *host, const struct dual *dual, uint32_t p)
{
    const struct host_tree *tree = dual->tree;
    const uint32_t *task = dual->task + dual->begin[p];
    uint32_t at = tree->part[p].begin, left = 0;

    for (uint32_t i = 0; i < dual->count[p]; i++, left--) {
        while (left == 0)
            left = host_tree_slots(tree, tree->host[at++]);
        host[task[i]] = tree->host[at - 1];
    }
}

int dual_fill(uint32_t *host, struct dual *dual)
{
    struct part_filling f = {.dual = dual, .walk = dual->spare};

    f.at =
        arena_alloc(dual->arena, dual->problem->graph->ntasks, sizeof(*f.at));
    if (!f.at)
        return MAPCORE_ENOMEM;
    for (f.part = 0; f.part < dual->tree->nparts; f.part++) {
        order_part(&f);
        fill_part(host, dual, f.part);
    }
    return 0;
}
