/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dual.c - cuts of the tasks of one or two parts of a machine */
#include "config.h"

#include "map/bisection/dual.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/rng_streams.h"
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

/* What the weights of all edges, each once, may add up to. */
#define MAX_WEIGHT ((uint64_t)1 << 30)
/* First cuts of the coarsest graph: 8 took a quarter more time for the same
 * hop-bytes, 3 gave 1% more of them. */
#define TRIES 5

static unsigned weight_shift(const struct mapcore_graph *graph)
{
    uint64_t edges = graph->row[graph->ntasks] / 2;
    unsigned shift = 0;

    while ((graph->total >> shift) + edges > MAX_WEIGHT)
        shift++;
    return shift;
}

static int make_arrays(struct dual *dual, struct mapcore_error *err)
{
    size_t n = dual->problem->graph->ntasks, nparts = dual->machine->nparts;

    dual->at = array_alloc(n, sizeof(*dual->at), err);
    dual->task = array_alloc(n, sizeof(*dual->task), err);
    dual->place = array_alloc(n, sizeof(*dual->place), err);
    dual->spare = array_alloc(n, sizeof(*dual->spare), err);
    dual->begin = array_alloc(nparts, sizeof(*dual->begin), err);
    dual->count = array_alloc(nparts, sizeof(*dual->count), err);
    dual->next = array_alloc(nparts, sizeof(*dual->next), err);
    if (!dual->at || !dual->task || !dual->place || !dual->spare ||
        !dual->begin || !dual->count || !dual->next)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < n; t++)
        dual->task[t] = dual->place[t] = t;
    dual->count[0] = (uint32_t)n;
    return 0;
}

int dual_create(struct dual **out,
                const struct map_problem *problem,
                uint64_t seed,
                uint32_t variant,
                struct mapcore_error *err)
{
    const struct mapcore_graph *graph = problem->graph;
    struct dual *dual;
    int error;

    if (graph->row[graph->ntasks] / 2 > MAX_WEIGHT / 2)
        return error_set(err, MAPCORE_ERANGE,
                         "a task graph of %zu edges is too large to be cut: at "
                         "most 2^29",
                         graph->row[graph->ntasks] / 2);
    dual = array_alloc(1, sizeof(*dual), err);
    if (!dual)
        return MAPCORE_ENOMEM;
    dual->problem = problem;
    dual->seed = seed;
    dual->shift = weight_shift(graph);
    if ((error = machine_create(&dual->machine, problem->alloc, graph->ntasks,
                                variant, err)) < 0 ||
        (error = make_arrays(dual, err)) < 0) {
        dual_destroy(dual);
        return error;
    }
    *out = dual;
    return 0;
}

void dual_destroy(struct dual *dual)
{
    if (!dual)
        return;
    free(dual->at);
    free(dual->task);
    free(dual->place);
    free(dual->spare);
    free(dual->begin);
    free(dual->count);
    free(dual->next);
    for (uint32_t i = 0; i < DUAL_DESKS; i++) {
        free(dual->desk[i].known);
        free(dual->desk[i].pull);
        bisect_destroy(dual->desk[i].bisect);
    }
    machine_destroy(dual->machine);
    free(dual);
}

static int32_t pull_of(const struct dual *dual,
                       struct dual_desk *desk,
                       uint32_t part)
{
    const struct machine_tree *machine = dual->machine;

    if (desk->known[part] != desk->number) {
        desk->known[part] = desk->number;
        desk->pull[part] =
            2 * ((int32_t)machine_distance(machine, desk->side[1], part) -
                 (int32_t)machine_distance(machine, desk->side[0], part));
    }
    return desk->pull[part];
}

static uint32_t task_of(const struct dual *dual,
                        const struct dual_desk *desk,
                        uint32_t v)
{
    return v < desk->np ? dual->task[dual->begin[desk->p] + v]
                        : dual->task[dual->begin[desk->q] + v - desk->np];
}

/* Which cut is the next one of a desk: numbers are given in the order of the
 * calls, whatever runs first. */
static void take_cut(struct dual *dual,
                     struct dual_desk *desk,
                     uint32_t p,
                     uint32_t q)
{
    uint32_t half = dual->machine->part[p].half;

    desk->p = p;
    desk->q = q;
    desk->side[0] = q == MAPCORE_NONE ? half : p;
    desk->side[1] = q == MAPCORE_NONE ? half + 1 : q;
    desk->number = ++dual->ncuts;
    desk->cut = false;
    desk->code = 0;
}

static int make_desk(struct dual_desk *desk,
                     uint32_t nparts,
                     struct mapcore_error *err)
{
    desk->known = array_alloc(nparts, sizeof(*desk->known), err);
    desk->pull = array_alloc(nparts, sizeof(*desk->pull), err);
    if (!desk->known || !desk->pull)
        return MAPCORE_ENOMEM;
    return bisect_create(&desk->bisect, err);
}

/* Begins a cut: the sides' distance, and room for the graph. */
static int begin_cut(const struct dual *dual,
                     struct dual_desk *desk,
                     struct mapcore_error *err)
{
    const struct mapcore_graph *graph = dual->problem->graph;
    const struct machine_tree *machine = dual->machine;
    uint32_t a = desk->side[0], b = desk->side[1];
    uint32_t across = 2 * machine_distance(machine, a, b);
    uint32_t within =
        machine_distance(machine, a, a) + machine_distance(machine, b, b);
    size_t nedges = 0;
    int error;

    if (!desk->bisect && (error = make_desk(desk, machine->nparts, err)) < 0)
        return error;
    desk->apart = across > within ? across - within : 0;
    desk->np = desk->n = dual->count[desk->p];
    if (desk->q != MAPCORE_NONE)
        desk->n += dual->count[desk->q];
    for (uint32_t v = 0; v < desk->n; v++) {
        uint32_t t = task_of(dual, desk, v);

        nedges += graph->row[t + 1] - graph->row[t];
    }
    return bisect_reserve(desk->bisect, 0, desk->n, nedges, err);
}

/* The graph of the tasks: edges to other parts are biases, in units of what it
 * costs to be apart. Where that is nothing, weights alone count: fewer bytes
 * between hosts of one router are as good, and never worse. */
static void take_graph(const struct dual *dual, struct dual_desk *desk)
{
    const struct mapcore_graph *graph = dual->problem->graph;
    struct bisect_level *level = &desk->bisect->level[0];
    uint64_t rounding = ((uint64_t)1 << dual->shift) - 1;
    int64_t apart = desk->apart > 0 ? desk->apart : 2 * MACHINE_LINK;
    size_t nedges = 0;

    for (uint32_t v = 0; v < desk->n; v++) {
        uint32_t t = task_of(dual, desk, v);
        int64_t bias = 0;

        level->row[v] = nedges;
        level->size[v] = 1;
        level->side[v] = v >= desk->np;
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t u = graph->task[k], part = dual->at[u];
            uint32_t weight =
                (uint32_t)((graph->bytes[k] + rounding) >> dual->shift);

            if (part == desk->p || part == desk->q) {
                level->vertex[nedges] = dual->place[u] - dual->begin[part] +
                                        (part == desk->p ? 0 : desk->np);
                level->weight[nedges++] = weight;
            } else {
                bias += (int64_t)weight * pull_of(dual, desk, part);
            }
        }
        level->bias[v] = bias / apart;
    }
    level->row[desk->n] = nedges;
}

/* Puts the tasks of side 0 where part p's begin, those of side 1 where part q's
 * begin or, without q, behind them. */
static void settle(struct dual *dual, const struct dual_desk *desk)
{
    const uint8_t *side = desk->bisect->level[0].side;
    uint32_t from = desk->q == MAPCORE_NONE ? dual->begin[desk->p] : 0;
    uint32_t *spare = dual->spare + from, first = 0, next[2];

    for (uint32_t v = 0; v < desk->n; v++) {
        spare[v] = task_of(dual, desk, v);
        first += side[v] == 0;
    }
    next[0] = dual->begin[desk->p];
    next[1] = desk->q == MAPCORE_NONE ? next[0] + first : dual->begin[desk->q];
    dual->count[desk->p] = 0;
    for (uint32_t i = 0; i < 2; i++) {
        dual->begin[desk->side[i]] = next[i];
        dual->count[desk->side[i]] = i == 0 ? first : desk->n - first;
    }
    for (uint32_t v = 0; v < desk->n; v++) {
        uint32_t t = spare[v];

        dual->place[t] = next[side[v]]++;
        dual->task[dual->place[t]] = t;
        dual->at[t] = desk->side[side[v]];
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
    return bisect_cost(level);
}

/* Programs number their tasks along their grids, which merging pairs knows
 * nothing of: where the cut by number is better than the one found, refines
 * that and takes it. */
static int heed_numbers(const struct dual *dual,
                        struct dual_desk *desk,
                        const struct bisect_task *task,
                        struct rng *rng,
                        struct mapcore_error *err)
{
    struct bisect *bisect = desk->bisect;
    struct bisect_level *level = &bisect->level[0];
    struct bisect_task better = {
        .low = task->low, .high = task->high, .keeps = true};
    uint32_t first = (uint32_t)task->high;
    int64_t cost = bisect_cost(level), by_first, by_last;

    memcpy(bisect->best, level->side, level->n);
    by_first = cut_by_number(level, first, false);
    by_last = cut_by_number(level, first, true);
    if (by_first >= cost && by_last >= cost) {
        memcpy(level->side, bisect->best, level->n);
        return 0;
    }
    if (by_first <= by_last)
        cut_by_number(level, first, false);
    return bisect_run(bisect, &desk->cut, &better, rng,
                      &dual->problem->deadline, err);
}

void dual_sort(struct dual *dual)
{
    for (uint32_t p = 0; p < dual->machine->nparts; p++)
        dual->next[p] = dual->begin[p];
    for (uint32_t t = 0; t < dual->problem->graph->ntasks; t++) {
        dual->place[t] = dual->next[dual->at[t]]++;
        dual->task[dual->place[t]] = t;
    }
}

/* Cuts the graph of a desk for the halves of its part. */
static int halve(const struct dual *dual,
                 struct dual_desk *desk,
                 struct mapcore_error *err)
{
    const struct machine_part *halves = &dual->machine->part[desk->side[0]];
    uint32_t n = dual->count[desk->p];
    struct bisect_task task = {
        .low = n > halves[1].slots ? n - halves[1].slots : 0,
        .high = n < halves[0].slots ? n : halves[0].slots,
        .tries = TRIES};
    struct rng rng;
    int error;

    if ((error = begin_cut(dual, desk, err)) < 0)
        return error;
    take_graph(dual, desk);
    rng_init(&rng, dual->seed, RNG_STREAM_DUAL, desk->number);
    error = bisect_run(desk->bisect, &desk->cut, &task, &rng,
                       &dual->problem->deadline, err);
    if (error == 0 && !desk->cut)
        error = heed_numbers(dual, desk, &task, &rng, err);
    return error;
}

static bool halve_one(void *arg, size_t i)
{
    struct dual *dual = arg;
    struct dual_desk *desk = &dual->desk[i];

    desk->code = halve(dual, desk, &desk->error);
    return desk->code == 0 && !desk->cut;
}

/* What is written belongs to the tasks of the part and to its halves alone. */
static bool settle_one(void *arg, size_t i)
{
    struct dual *dual = arg;

    settle(dual, &dual->desk[i]);
    return true;
}

int dual_halve(struct dual *dual,
               bool *cut,
               const uint32_t *part,
               uint32_t n,
               unsigned threads,
               struct mapcore_error *err)
{
    struct pool_job job = {
        .n = n, .threads = threads, .work = halve_one, .arg = dual};
    size_t done;

    for (uint32_t i = 0; i < n; i++)
        take_cut(dual, &dual->desk[i], part[i], MAPCORE_NONE);
    done = pool_run(&job);
    *cut = done < n && dual->desk[done].code == 0;
    if (done < n && !*cut && err)
        *err = dual->desk[done].error;
    if (done < n)
        return dual->desk[done].code;
    job.work = settle_one;
    pool_run(&job);
    return 0;
}

int dual_exchange(struct dual *dual,
                  bool *cut,
                  bool *changed,
                  uint32_t p,
                  uint32_t q,
                  struct mapcore_error *err)
{
    struct dual_desk *desk = dual->desk;
    struct bisect_task task = {.keeps = true};
    struct rng rng;
    int64_t before;
    int error;

    *changed = false;
    if (dual->count[p] == 0 || dual->count[q] == 0)
        return 0;
    take_cut(dual, desk, p, q);
    if ((error = begin_cut(dual, desk, err)) < 0 || desk->apart == 0)
        return error;
    take_graph(dual, desk);
    task.low = task.high = desk->np;
    before = bisect_cost(&desk->bisect->level[0]);
    rng_init(&rng, dual->seed, RNG_STREAM_DUAL, desk->number);
    error = bisect_run(desk->bisect, cut, &task, &rng, &dual->problem->deadline,
                       err);
    if (error < 0 || *cut || bisect_cost(&desk->bisect->level[0]) >= before)
        return error;
    *changed = true;
    settle(dual, desk);
    return 0;
}
