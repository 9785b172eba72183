/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rb.c - the mappers that halve the task graph and the hosts together, level by
 * level; and the blocks of tasks, paired again and again, that one of them
 * begins with */
#include "config.h"

#include "map/bisection/rb.h"

#include "map/rng_streams.h"

#include <string.h>

/* First cuts: 8 took a quarter more time than 5 for the same hop-bytes, 3 gave
 * 1% more of them. */
static const struct dual_effort full = {5, {150, 8}, true, false};
/* The first good mapping of many tasks, in a third of that time for 1 to 10%
 * more hop-bytes (a fifth where grids are numbered along, but those are found
 * otherwise). Clusters give as many hop-bytes as pairs, in a tenth less time;
 * a second first cut, or a patience of 50, 1 to 2% fewer in a fifth more. */
static const struct dual_effort quick = {1, BISECT_QUICK, false, true};

/* Graphs of fewer than MAP_LARGE tasks are halved part by part: each then knows
 * how those before it were halved. With more there is more to do than one
 * thread should, and refinement makes up for the 1% of hop-bytes that it costs;
 * what is quick shall be so on all threads (a quarter of a level at once gave 3
 * to 4% more hop-bytes on tori). */
#define APART       8
#define APART_QUICK 16

/* A descent under way. A step of it halves parts of a level together. */
struct descent {
    struct dual *dual;
    const struct rb_how *how;
    struct pool *pool;
    uint32_t steps, most; /* made, and that may be made */
    bool timed_out;
};

static int halve_level(struct descent *descent,
                       uint32_t begin,
                       uint32_t end,
                       struct mapcore_error *err)
{
    struct dual *dual = descent->dual;
    uint32_t apart = descent->how->apart;
    uint32_t together = apart > 0 ? (end - begin) / apart : 1, stride;

    together = together > DUAL_CUTS ? DUAL_CUTS : together;
    together = together < 1 ? 1 : together;
    stride = (end - begin + together - 1) / together;
    for (uint32_t first = begin;
         first < begin + stride && descent->steps < descent->most; first++) {
        uint32_t part[DUAL_CUTS], n = 0;
        int error;

        for (uint32_t p = first; p < end; p += stride)
            if (dual->tree->part[p].half != MAPCORE_NONE)
                part[n++] = p;
        if (n == 0)
            continue;
        error =
            dual_halve(dual, &descent->timed_out, part, n, descent->pool, err);
        if (error < 0 || descent->timed_out)
            return error;
        descent->steps++;
    }
    return 0;
}

/* Breadth first: so what is outside of a part is known as exactly as what is
 * inside. When a level is through its parts exchange tasks, before any of them
 * is halved. */
static int descend(struct descent *descent, struct mapcore_error *err)
{
    const struct host_tree *tree = descent->dual->tree;
    const struct rb_how *how = descent->how;

    for (uint32_t p = 0, end; p < tree->nparts; p = end) {
        int error = 0;

        for (end = p; end < tree->nparts &&
                      tree->part[end].level == tree->part[p].level;)
            end++;
        if (how->rounds > 0 && tree->part[p].level > 1)
            error = dual_exchange(descent->dual, &descent->timed_out,
                                  how->partners, how->rounds, err);
        if (error == 0 && !descent->timed_out)
            error = halve_level(descent, p, end, err);
        if (error < 0 || descent->timed_out)
            return error;
    }
    return 0;
}

int rb_run(uint32_t *steps,
           const struct mapper_call *call,
           const struct rb_how *how)
{
    struct mapper_end *end = call->end;
    const struct dual_how dual = {.effort = how->effort,
                                  .seed = call->seed ^ (uint64_t)call->pass
                                                           << 32,
                                  .drafts = how->drafts,
                                  .unit = how->unit,
                                  .variant = call->pass,
                                  .cut = how->cut,
                                  .arg = how->arg};
    struct descent descent = {.how = how,
                              .pool = call->pool,
                              .most =
                                  call->steps > 0 ? call->steps : UINT32_MAX};
    int error;

    end->is_random = true;
    if ((error = dual_create(&descent.dual, call->problem, &dual,
                             call->arena)) < 0 ||
        (error = descend(&descent, call->arena->err)) < 0)
        goto out;
    *steps = descent.steps;
    if (descent.timed_out ? call->may_cut : descent.steps == descent.most)
        end->steps = descent.steps;
    end->timed_out = descent.timed_out && end->steps == 0;
    if (!end->timed_out)
        error = dual_fill(call->host, descent.dual);
out:
    dual_end(descent.dual);
    return error;
}

static uint32_t apart_of(const struct map_problem *problem)
{
    return problem->graph->ntasks < MAP_LARGE ? 0 : APART;
}

uint32_t task_blocks_unit(const struct mapcore_alloc *alloc)
{
    uint32_t bits = 0;

    for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++)
        bits |= mapcore_alloc_slots(alloc, h);
    return bits & ~(bits - 1);
}

/* The tasks, and vertices without edges that make their number a multiple of
 * unit. */
static struct bisect_level *take_tasks(const struct mapcore_graph *graph,
                                       uint32_t unit,
                                       struct arena *arena)
{
    uint32_t n = (graph->ntasks + unit - 1) / unit * unit;
    size_t nedges = graph->row[graph->ntasks];
    unsigned shift = bisect_weight_shift(graph->total, nedges / 2);
    uint64_t rounding = ((uint64_t)1 << shift) - 1;
    struct bisect_level *level = bisect_level_make(n, nedges, arena);

    if (!level)
        return NULL;
    for (uint32_t t = 0; t <= n; t++)
        level->row[t] = t < graph->ntasks ? graph->row[t] : nedges;
    for (uint32_t t = 0; t < n; t++)
        level->size[t] = 1;
    memcpy(level->vertex, graph->task, nedges * sizeof(*level->vertex));
    for (size_t k = 0; k < nedges; k++)
        level->weight[k] = (uint32_t)((graph->bytes[k] + rounding) >> shift);
    return level;
}

int task_blocks_make(struct task_blocks *out,
                     bool *timed_out,
                     const struct mapcore_graph *graph,
                     uint32_t unit,
                     struct rng *rng,
                     const struct map_deadline *deadline,
                     struct arena *arena)
{
    struct bisect_coarsening how = {.largest = UINT32_MAX, .pairs_all = true};
    struct bisect_level *level = take_tasks(graph, unit, arena);
    size_t nedges;

    *timed_out = false;
    for (uint32_t size = 1; level && size < unit; size *= 2) {
        *timed_out = map_deadline_passed(deadline);
        if (*timed_out)
            return 0;
        level = bisect_coarsen(level, &how, rng, arena);
    }
    if (!level)
        return MAPCORE_ENOMEM;
    nedges = level->row[level->n];
    out->graph = (struct mapcore_graph){
        .ntasks = level->n,
        .row = level->row,
        .task = level->vertex,
        .bytes = arena_alloc(arena, nedges, sizeof(*out->graph.bytes)),
    };
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (size_t k = 0; k < nedges; k++) {
        out->graph.bytes[k] = level->weight[k];
        out->graph.total += level->weight[k];
    }
    out->graph.total /= 2;
    /* The vertex of the last level that each one has become part of. */
    for (uint32_t v = 0; v < level->n; v++)
        level->coarse[v] = v;
    for (; level->finer; level = level->finer)
        for (uint32_t v = 0; v < level->finer->n; v++)
            level->finer->coarse[v] = level->coarse[level->finer->coarse[v]];
    out->block = level->coarse;
    return 0;
}

/* The tasks of a host, or the largest power of two of them that fits all hosts,
 * are put together first, and only then does it begin. */
static int run_blocks(const struct mapper_call *call, struct rb_how *how)
{
    const struct mapcore_graph *graph = call->problem->graph;
    struct map_problem problem = *call->problem;
    struct mapper_call inner = *call;
    struct mapper_end *end = call->end;
    struct task_blocks blocks = {0};
    uint32_t steps;
    struct rng rng;
    int error;

    how->unit = task_blocks_unit(problem.alloc);
    rng_init(&rng, call->seed, RNG_STREAM_BLOCKS, call->pass);
    error = task_blocks_make(&blocks, &end->timed_out, graph, how->unit, &rng,
                             &problem.deadline, call->arena);
    end->is_random = true;
    if (error < 0 || end->timed_out)
        return error;
    problem.graph = &blocks.graph;
    inner.problem = &problem;
    inner.host =
        arena_alloc(call->arena, blocks.graph.ntasks, sizeof(*inner.host));
    error = inner.host ? rb_run(&steps, &inner, how) : MAPCORE_ENOMEM;
    for (uint32_t t = 0; error == 0 && !end->timed_out && t < graph->ntasks;
         t++)
        call->host[t] = inner.host[blocks.block[t]];
    return error;
}

/* Of a part, in a pass. Seeds of a whole mapping differ by 1 to 3%; the best of
 * as many drafts of each part come to far less than the best of as many
 * mappings: fem16k, delaunay_n15 and rgg_n_2_15_s0 on levels 1, 10, 100 apart
 * to 3 to 8% fewer hop-bytes with 4 drafts, in the time of none (5 first cuts),
 * to 4 to 12% with 16 in twice that, and 5 to 13% with 32 in 3.5 times that;
 * 1.5 to 2.5% where levels are alike. On tori refinement gains as much. */
static uint32_t drafts_of(uint32_t pass)
{
    static const uint32_t drafts[] = {0, 4, 16, 32};

    return drafts[pass < 3 ? pass : 3];
}

enum { EFFORT_FULL, EFFORT_QUICK, EFFORT_BLOCKS };

static int run_rb(const struct mapper_call *call)
{
    struct rb_how how = {
        .effort = &full, .unit = 1, .apart = apart_of(call->problem)};
    uint32_t steps;

    if (call->value[0] == EFFORT_FULL) {
        /* Sooner: 2 take a fifth longer than none, for 1 to 8% less. */
        how.drafts = drafts_of(call->pass) / 2;
    } else {
        how.effort = &quick;
        how.apart = APART_QUICK;
    }
    return call->value[0] == EFFORT_BLOCKS ? run_blocks(call, &how)
                                           : rb_run(&steps, call, &how);
}

const struct mapper mapper_rb = {
    .name = "rb",
    .summary = "graph and machine are halved together, down to nodes; "
               ":effort=full|quick|blocks",
    .source = "Pellegrini, Roman, HPCN 1996 (dual recursive bipartitioning)",
    .parameters = "effort=full|quick|blocks",
    .run = run_rb,
};

static int run_multilevel(const struct mapper_call *call)
{
    static const uint32_t partners[] = {6, 3, 10}, rounds[] = {1, 2, 4};
    const struct rb_how how = {.effort = &full,
                               .unit = 1,
                               .partners = partners[call->value[0]],
                               .rounds = rounds[call->value[1]],
                               .drafts = drafts_of(call->pass),
                               .apart = apart_of(call->problem)};
    uint32_t steps;

    return rb_run(&steps, call, &how);
}

const struct mapper mapper_multilevel = {
    .name = "multilevel",
    .summary = "as rb, and the parts of every level exchange tasks; "
               ":partners=6|3|10,rounds=1|2|4",
    .source = "topomap",
    .parameters = "partners=6|3|10,rounds=1|2|4",
    .run = run_multilevel,
};
