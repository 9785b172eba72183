/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dual.c - cuts of the tasks of one or two parts of a tree of hosts */
#include "config.h"

#include "map/bisection/dual.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/rng_streams.h"
#include "pool/pool.h"

#include <string.h>

/* So that weights of 1 add up to less than 2^30. */
#define MAX_EDGES ((uint64_t)1 << 29)

int dual_create(struct dual **out,
                const struct map_problem *problem,
                const struct dual_how *how,
                struct arena *arena)
{
    const struct mapcore_graph *graph = problem->graph;
    size_t n = graph->ntasks, nedges = graph->row[n] / 2, nparts;
    struct dual *dual;

    if (nedges > MAX_EDGES)
        return error_set(arena->err, MAPCORE_ERANGE,
                         "a task graph of %zu edges is too large to be cut: at "
                         "most 2^29",
                         nedges);
    dual = arena_alloc(arena, 1, sizeof(*dual));
    if (!dual)
        return MAPCORE_ENOMEM;
    dual->problem = problem;
    dual->effort = how->effort;
    dual->drafts = how->drafts;
    dual->cut_by = how->cut;
    dual->arg = how->arg;
    dual->seed = how->seed;
    dual->arena = arena;
    dual->shift = bisect_weight_shift(graph->total, nedges);
    dual->tree = host_tree_create(problem->alloc, graph->ntasks, how->unit,
                                  how->variant, arena);
    nparts = dual->tree ? dual->tree->nparts : 0;
    dual->where = arena_alloc(arena, n, sizeof(*dual->where));
    dual->task = arena_alloc(arena, n, sizeof(*dual->task));
    dual->spare = arena_alloc(arena, n, sizeof(*dual->spare));
    dual->begin = arena_alloc(arena, nparts, sizeof(*dual->begin));
    dual->count = arena_alloc(arena, nparts, sizeof(*dual->count));
    dual->next = arena_alloc(arena, nparts, sizeof(*dual->next));
    dual->traffic = arena_alloc(arena, nparts, sizeof(*dual->traffic));
    dual->partner = arena_alloc(arena, nparts, sizeof(*dual->partner));
    dual->changed = arena_alloc(arena, nparts, sizeof(*dual->changed));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < n; t++)
        dual->task[t] = dual->where[t].place = t;
    dual->count[0] = (uint32_t)n;
    *out = dual;
    return 0;
}

void dual_end(struct dual *dual)
{
    for (uint32_t i = 0; dual && i < DUAL_CUTS; i++)
        bisect_clear(&dual->cut[i].bisect);
}

static int32_t external_gain(const struct dual *dual,
                             struct cut_context *cut,
                             uint32_t part)
{
    const struct host_tree *tree = dual->tree;

    if (cut->known[part] != cut->number) {
        cut->known[part] = cut->number;
        cut->external_gain[part] =
            2 * ((int32_t)host_tree_distance(tree, cut->side[1], part) -
                 (int32_t)host_tree_distance(tree, cut->side[0], part));
    }
    return cut->external_gain[part];
}

static uint32_t task_of(const struct dual *dual,
                        const struct cut_context *cut,
                        uint32_t v)
{
    return v < cut->np ? dual->task[dual->begin[cut->p] + v]
                       : dual->task[dual->begin[cut->q] + v - cut->np];
}

/* Begins cut number n in a context: numbers are given in the order of the
 * calls, not of the runs. */
static int take_cut(struct dual *dual,
                    struct cut_context *cut,
                    uint32_t p,
                    uint32_t q)
{
    uint32_t half = dual->tree->part[p].half, n = dual->tree->nparts;

    cut->p = p;
    cut->q = q;
    cut->side[0] = q == MAPCORE_NONE ? half : p;
    cut->side[1] = q == MAPCORE_NONE ? half + 1 : q;
    cut->number = ++dual->ncuts;
    cut->timed_out = false;
    cut->error = 0;
    if (cut->known)
        return 0;
    cut->known = arena_alloc(dual->arena, n, sizeof(*cut->known));
    cut->external_gain =
        arena_alloc(dual->arena, n, sizeof(*cut->external_gain));
    return dual->arena->error;
}

/* Begins a cut: the sides' distance, and memory for the graph. */
static int begin_cut(const struct dual *dual,
                     struct cut_context *cut,
                     struct mapcore_error *err)
{
    const struct mapcore_graph *graph = dual->problem->graph;
    const struct host_tree *tree = dual->tree;
    uint32_t a = cut->side[0], b = cut->side[1];
    uint32_t across = 2 * host_tree_distance(tree, a, b);
    uint32_t within =
        host_tree_distance(tree, a, a) + host_tree_distance(tree, b, b);
    size_t nedges = 0;

    cut->apart = across > within ? across - within : 0;
    cut->np = cut->n = dual->count[cut->p];
    if (cut->q != MAPCORE_NONE)
        cut->n += dual->count[cut->q];
    for (uint32_t v = 0; v < cut->n; v++) {
        uint32_t t = task_of(dual, cut, v);

        nedges += graph->row[t + 1] - graph->row[t];
    }
    return bisect_begin(&cut->bisect, cut->n, nedges, err);
}

/* The graph of the tasks: edges to other parts are biases, in units of what it
 * costs to be apart. Where that is nothing, weights alone count: fewer bytes
 * between hosts of one router are as good, and never worse. */
static void take_graph(const struct dual *dual, struct cut_context *cut)
{
    const struct mapcore_graph *graph = dual->problem->graph;
    struct bisect_level *level = cut->bisect.graph;
    uint64_t rounding = ((uint64_t)1 << dual->shift) - 1;
    int64_t apart = cut->apart > 0 ? cut->apart : 2 * HOST_TREE_LINK;
    size_t nedges = 0;

    for (uint32_t v = 0; v < cut->n; v++) {
        uint32_t t = task_of(dual, cut, v);
        int64_t bias = 0;

        level->row[v] = nedges;
        level->size[v] = 1;
        level->side[v] = v >= cut->np;
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            const struct dual_where *u = &dual->where[graph->task[k]];
            uint32_t part = u->part;
            uint32_t weight =
                (uint32_t)((graph->bytes[k] + rounding) >> dual->shift);

            if (part == cut->p || part == cut->q) {
                level->vertex[nedges] = u->place - dual->begin[part] +
                                        (part == cut->p ? 0 : cut->np);
                level->weight[nedges++] = weight;
            } else {
                bias += (int64_t)weight * external_gain(dual, cut, part);
            }
        }
        level->bias[v] = bias / apart;
    }
    level->row[cut->n] = nedges;
}

/* Puts the tasks of side 0 where part p's begin, those of side 1 where part q's
 * begin or, without q, behind them. */
static void apply(struct dual *dual, const struct cut_context *cut)
{
    const uint8_t *side = cut->bisect.graph->side;
    uint32_t from = cut->q == MAPCORE_NONE ? dual->begin[cut->p] : 0;
    uint32_t *spare = dual->spare + from, first = 0, next[2];

    for (uint32_t v = 0; v < cut->n; v++) {
        spare[v] = task_of(dual, cut, v);
        first += side[v] == 0;
    }
    next[0] = dual->begin[cut->p];
    next[1] = cut->q == MAPCORE_NONE ? next[0] + first : dual->begin[cut->q];
    dual->count[cut->p] = 0;
    for (uint32_t i = 0; i < 2; i++) {
        dual->begin[cut->side[i]] = next[i];
        dual->count[cut->side[i]] = i == 0 ? first : cut->n - first;
    }
    for (uint32_t v = 0; v < cut->n; v++) {
        uint32_t t = spare[v];

        dual->where[t].place = next[side[v]]++;
        dual->task[dual->where[t].place] = t;
        dual->where[t].part = cut->side[side[v]];
    }
}

/* Side 0 takes the first tasks by number, or the last ones; returns the cost.
 */
static int64_t cut_by_number(struct bisect_level *level,
                             uint32_t count,
                             bool is_last)
{
    for (uint32_t v = 0; v < level->n; v++)
        level->side[v] = is_last ? v < level->n - count : v >= count;
    return bisect_level_cost(level);
}

/* Programs number their tasks along their grids, which merging pairs knows
 * nothing of: where the cut by number is better than the one found, refines
 * that and takes it. */
static int heed_numbers(const struct dual *dual,
                        struct cut_context *cut,
                        const struct bisect_task *task,
                        struct rng *rng,
                        struct mapcore_error *err)
{
    struct bisect *bisect = &cut->bisect;
    struct bisect_level *level = bisect->graph;
    struct bisect_task better = {.low = task->low,
                                 .high = task->high,
                                 .keeps = true,
                                 .effort = task->effort};
    uint32_t first = (uint32_t)task->high;
    int64_t cost = bisect_level_cost(level), by_first, by_last;

    memcpy(bisect->best, level->side, level->n);
    by_first = cut_by_number(level, first, false);
    by_last = cut_by_number(level, first, true);
    if (by_first >= cost && by_last >= cost) {
        memcpy(level->side, bisect->best, level->n);
        return 0;
    }
    if (by_first <= by_last)
        cut_by_number(level, first, false);
    return bisect_run(bisect, &cut->timed_out, &better, rng,
                      &dual->problem->deadline, err);
}

void dual_sort(struct dual *dual)
{
    for (uint32_t p = 0; p < dual->tree->nparts; p++)
        dual->next[p] = dual->begin[p];
    for (uint32_t t = 0; t < dual->problem->graph->ntasks; t++) {
        dual->where[t].place = dual->next[dual->where[t].part]++;
        dual->task[dual->where[t].place] = t;
    }
}

/* Cuts the graph of a context for the halves of its part. */
static int halve(const struct dual *dual,
                 struct cut_context *cut,
                 struct mapcore_error *err)
{
    const struct host_part *halves = &dual->tree->part[cut->side[0]];
    uint32_t n = dual->count[cut->p];
    struct bisect_task task = {
        .low = n > halves[1].slots ? n - halves[1].slots : 0,
        .high = n < halves[0].slots ? n : halves[0].slots,
        .tries = dual->effort->tries,
        .drafts = dual->drafts,
        .by_clusters = dual->effort->by_clusters,
        .effort = dual->effort->moves};
    struct rng rng;
    int error;

    if ((error = begin_cut(dual, cut, err)) < 0)
        return error;
    take_graph(dual, cut);
    if (dual->cut_by) {
        uint64_t slots = (uint64_t)halves[0].slots + halves[1].slots;
        uint64_t first = ((uint64_t)n * halves[0].slots + slots / 2) / slots;

        first = first < task.low ? task.low : first;
        first = first > task.high ? task.high : first;
        cut->timed_out = map_deadline_passed(&dual->problem->deadline);
        if (!cut->timed_out)
            dual->cut_by(dual->arg, cut->bisect.graph,
                         dual->task + dual->begin[cut->p], (uint32_t)first);
        return 0;
    }
    rng_init(&rng, dual->seed, RNG_STREAM_DUAL, cut->number);
    error = bisect_run(&cut->bisect, &cut->timed_out, &task, &rng,
                       &dual->problem->deadline, err);
    if (error == 0 && !cut->timed_out && dual->effort->heeds_numbers)
        error = heed_numbers(dual, cut, &task, &rng, err);
    return error;
}

static bool halve_one(void *arg, size_t i)
{
    struct dual *dual = arg;
    struct cut_context *cut = &dual->cut[i];

    cut->error = halve(dual, cut, &cut->err);
    return cut->error == 0 && !cut->timed_out;
}

/* What is written belongs to the tasks of the part and to its halves alone. */
static bool apply_one(void *arg, size_t i)
{
    struct dual *dual = arg;

    apply(dual, &dual->cut[i]);
    return true;
}

int dual_halve(struct dual *dual,
               bool *timed_out,
               const uint32_t *part,
               uint32_t n,
               struct pool *pool,
               struct mapcore_error *err)
{
    struct pool_job job = {.n = n, .work = halve_one, .arg = dual};
    size_t done;

    for (uint32_t i = 0; i < n; i++)
        if (take_cut(dual, &dual->cut[i], part[i], MAPCORE_NONE) < 0)
            return MAPCORE_ENOMEM;
    done = pool_run(pool, &job);
    *timed_out = done < n && dual->cut[done].error == 0;
    if (done < n && !*timed_out && err)
        *err = dual->cut[done].err;
    if (done < n)
        return dual->cut[done].error;
    job.work = apply_one;
    if (dual->problem->graph->ntasks < MAP_LARGE)
        pool = NULL; /* sooner done than a thread is there */
    pool_run(pool, &job);
    return 0;
}

int dual_exchange_pair(struct dual *dual,
                       bool *timed_out,
                       bool *changed,
                       uint32_t p,
                       uint32_t q,
                       struct mapcore_error *err)
{
    struct cut_context *cut = dual->cut;
    struct bisect_task task = {.keeps = true, .effort = dual->effort->moves};
    struct rng rng;
    int64_t before;
    int error;

    *changed = false;
    if (dual->count[p] == 0 || dual->count[q] == 0)
        return 0;
    if ((error = take_cut(dual, cut, p, q)) < 0 ||
        (error = begin_cut(dual, cut, err)) < 0 || cut->apart == 0)
        return error;
    take_graph(dual, cut);
    task.low = task.high = cut->np;
    before = bisect_level_cost(cut->bisect.graph);
    rng_init(&rng, dual->seed, RNG_STREAM_DUAL, cut->number);
    error = bisect_run(&cut->bisect, timed_out, &task, &rng,
                       &dual->problem->deadline, err);
    if (error < 0 || *timed_out ||
        bisect_level_cost(cut->bisect.graph) >= before)
        return error;
    *changed = true;
    apply(dual, cut);
    return 0;
}

/* The parts to which p sends most, at most n, into partner[]. */
static uint32_t find_partners(struct dual *dual, uint32_t p, uint32_t n)
{
    const struct mapcore_graph *graph = dual->problem->graph;
    uint32_t *partner = dual->partner, found = 0, kept;
    uint64_t *traffic = dual->traffic;

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

/* Exchanges tasks of p with those behind it in the list, for the others have
 * had their turn. */
static int exchange_part(struct dual *dual,
                         bool *timed_out,
                         uint32_t p,
                         uint32_t partners,
                         uint32_t round,
                         struct mapcore_error *err)
{
    uint32_t n = find_partners(dual, p, partners);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t q = dual->partner[i];
        bool changed;
        int error;

        /* One of the two changed in this round or the one before. */
        if (q < p ||
            (dual->changed[p] + 1 < round && dual->changed[q] + 1 < round))
            continue;
        error = dual_exchange_pair(dual, timed_out, &changed, p, q, err);
        if (error < 0 || *timed_out)
            return error;
        if (changed)
            dual->changed[p] = dual->changed[q] = round;
    }
    return 0;
}

int dual_exchange(struct dual *dual,
                  bool *timed_out,
                  uint32_t partners,
                  uint32_t rounds,
                  struct mapcore_error *err)
{
    bool any = true;

    for (uint32_t p = 0; p < dual->tree->nparts; p++)
        dual->changed[p] = 0;
    for (uint32_t round = 1; round <= rounds && any; round++) {
        any = false;
        for (uint32_t p = 0; p < dual->tree->nparts; p++) {
            int error;

            if (dual->count[p] == 0)
                continue;
            error = exchange_part(dual, timed_out, p, partners, round, err);
            if (error < 0 || *timed_out)
                return error;
            any = any || dual->changed[p] == round;
        }
    }
    dual_sort(dual);
    return 0;
}
