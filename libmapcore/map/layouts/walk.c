/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* walk.c - the tasks in order along the leaf switches of a tree, which are
 * taken in the order that cuts the fewest bytes: where groups of tasks that
 * stand side by side talk, groups end where switches do */
#include "config.h"

#include "map/mapper.h"

#include "base/array.h"
#include "graph/csr.h"
#include "topo/shape.h"

#include <math.h>
#include <string.h>

struct switch_walk {
    const struct map_problem *problem;
    struct topo_shape shape;
    uint32_t *room; /* [nswitches] slots below a leaf switch, 0: it is taken */
    uint32_t most;  /* the most of these */
    double *cut;    /* [most + 1], by the number of tasks: what leaves them */
    double *ahead;  /* [most + 1], the same of those behind, or less than 0 */
    double *next;   /* [most + 1] */
};

/* out[i], for 1 <= i <= most: the bytes between the i tasks from first on and
 * all others. */
static void count_cuts(double *out,
                       const struct switch_walk *walk,
                       uint32_t first)
{
    const struct mapcore_graph *graph = walk->problem->graph;
    double sum = 0;

    for (uint32_t i = 1; i <= walk->most; i++) {
        const uint32_t t = first + i - 1;

        if (t < graph->ntasks)
            for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
                sum += graph->task[k] >= first && graph->task[k] < t
                           ? -(double)graph->bytes[k]
                           : (double)graph->bytes[k];
        out[i] = sum;
    }
}

/* How deep the last switch is that two have above them. */
static uint32_t common_depth(const struct topo_shape *shape,
                             uint32_t a,
                             uint32_t b)
{
    while (a != b)
        if (shape->depth[a] > shape->depth[b])
            a = shape->parent[a];
        else
            b = shape->parent[b];
    return shape->depth[a];
}

/* The least that the switch behind the next one, s, can cut. */
static double look_ahead(const struct switch_walk *walk,
                         uint32_t first,
                         uint32_t s)
{
    double *least = &walk->ahead[walk->room[s]];

    if (walk->problem->graph->ntasks > WALK_MOST)
        return 0;
    if (*least < 0) {
        *least = INFINITY;
        count_cuts(walk->next, walk, first + walk->room[s]);
        for (uint32_t i = 0; i < walk->shape.nswitches; i++)
            if (i != s && walk->room[i] > 0)
                *least = fmin(*least, walk->next[walk->room[i]]);
    }
    return isinf(*least) ? 0 : *least;
}

/* The next switch for the tasks from first on, as near to the last one as there
 * is one; MAPCORE_NONE: none is left. */
static uint32_t choose(const struct switch_walk *walk,
                       uint32_t first,
                       uint32_t last)
{
    uint32_t best = MAPCORE_NONE, near = 0;
    double least = INFINITY;

    count_cuts(walk->cut, walk, first);
    for (uint32_t i = 0; i <= walk->most; i++)
        walk->ahead[i] = -1;
    for (uint32_t s = 0; s < walk->shape.nswitches; s++) {
        uint32_t depth;
        double cost;

        if (walk->room[s] == 0)
            continue;
        depth = common_depth(&walk->shape, s, last);
        if (best != MAPCORE_NONE && depth < near)
            continue;
        cost = walk->cut[walk->room[s]] + look_ahead(walk, first, s);
        if (depth > near || cost < least) {
            best = s;
            near = depth;
            least = cost;
        }
    }
    return best;
}

static int lay(struct switch_walk *walk, const struct mapper_call *call)
{
    const struct mapcore_alloc *alloc = walk->problem->alloc;
    const uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    const uint32_t ntasks = walk->problem->graph->ntasks;
    const uint32_t *leaf = walk->shape.leaf;
    uint32_t at = leaf[mapcore_alloc_host(alloc, 0)], t = 0;

    while (at != MAPCORE_NONE && t < ntasks) {
        if (map_deadline_passed(&walk->problem->deadline)) {
            call->end->timed_out = true;
            return 0;
        }
        for (uint32_t h = 0; h < nhosts; h++)
            if (leaf[mapcore_alloc_host(alloc, h)] == at)
                for (uint32_t i = mapcore_alloc_slots(alloc, h);
                     i > 0 && t < ntasks; i--)
                    call->host[t++] = h;
        walk->room[at] = 0;
        at = choose(walk, t, at);
    }
    return 0;
}

static int run_walk(const struct mapper_call *call)
{
    struct switch_walk walk = {.problem = call->problem};
    const struct mapcore_alloc *alloc = walk.problem->alloc;
    struct arena *arena = call->arena;

    topo_shape(&walk.shape, mapcore_alloc_topo(alloc));
    if (!walk.shape.leaf)
        return mapper_block.run(call);
    walk.room = arena_alloc(arena, walk.shape.nswitches, sizeof(*walk.room));
    for (uint32_t h = 0; walk.room && h < mapcore_alloc_nhosts(alloc); h++) {
        uint32_t *room =
            &walk.room[walk.shape.leaf[mapcore_alloc_host(alloc, h)]];

        *room += mapcore_alloc_slots(alloc, h);
        walk.most = *room > walk.most ? *room : walk.most;
    }
    walk.cut = arena_alloc(arena, (size_t)walk.most + 1, sizeof(*walk.cut));
    walk.ahead = arena_alloc(arena, (size_t)walk.most + 1, sizeof(*walk.ahead));
    walk.next = arena_alloc(arena, (size_t)walk.most + 1, sizeof(*walk.next));
    return arena->error ? arena->error : lay(&walk, call);
}

const struct mapper mapper_walk = {
    .name = "walk",
    .summary = "the tasks in order along leaf switches, in the order that cuts "
               "the fewest bytes",
    .source = "topomap",
    .run = run_walk,
};
