/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* single.c - a task on every host of a mesh: a quadratic assignment problem,
 * for which mappings are annealed, crossed and annealed again */
#include "config.h"

#include "map/portfolio/rounds.h"

#include "alloc/distances.h"
#include "graph/csr.h"
#include "map/refine/anneal.h"
#include "topo/shape.h"

#include <math.h>
#include <string.h>

/* Measured on QAPLIB's dense graphs of 36 to 150 tasks on meshes of two
 * dimensions. On other networks, where more mappings are the same turned round,
 * crossing is up to 0.3% behind rounds of refinements. */
enum {
    MEMBERS = 12,  /* of a population */
    SWEEPS = 2048, /* proposals a task, in the first; each has twice as many as
                      the one before */
    AGREEING = 3,  /* populations in a row that come to the same: it ends */
    MOST_HOSTS = 256,
    DENSE = 20, /* see single_is */
    STEP = 1024 /* proposals at one temperature */
};
/* As shares of the standard deviation of what an exchange adds in a mapping at
 * random; in the last part of a run nothing gets worse. */
static const struct refine_temperatures fresh = {0.08, 0.0056};
static const struct refine_temperatures crossed = {0.048, 0.0056};
#define LAST 0.9375

/* What a task costs on a host at most, scaled: floats are exact then. */
#define MOST_COST (1 << 21)
typedef float quad __attribute__((vector_size(16)));
#define LANES (sizeof(quad) / sizeof(float))

struct population {
    struct search *search;
    struct anneal anneal;
    uint32_t n; /* tasks and hosts */
    uint32_t nmembers;
    uint64_t proposals;
    double deviation;
    size_t stride;
    float *bytes;    /* [n * stride] between tasks */
    float *distance; /* [n * stride] between hosts */
    uint32_t *host;  /* [(MEMBERS + CHAINS) * n], children of a round last */
    double cost[MEMBERS + CHAINS];
};

static uint32_t *mapping_of(const struct population *p, uint32_t i)
{
    return p->host + (size_t)i * p->n;
}

/* cost: [n * stride], of every task on every host. */
static void fill(float *cost, const struct population *p, const uint32_t *host)
{
    for (uint32_t t = 0; t < p->n; t++)
        for (uint32_t u = 0; u < p->n; u++) {
            const float *way = p->distance + host[u] * p->stride;
            const float bytes = p->bytes[t * p->stride + u];

            for (uint32_t h = 0; bytes > 0 && h < p->n; h++)
                cost[t * p->stride + h] += bytes * way[h];
        }
}

static void exchange(float *cost,
                     const struct population *p,
                     uint32_t *host,
                     uint32_t t,
                     uint32_t u)
{
    const float *of_t = p->bytes + t * p->stride;
    const float *of_u = p->bytes + u * p->stride;
    const uint32_t a = host[t], b = host[u];
    const quad *from =
        (const quad *)(const void *)(p->distance + a * p->stride);
    const quad *to = (const quad *)(const void *)(p->distance + b * p->stride);

    host[t] = b;
    host[u] = a;
    for (uint32_t v = 0; v < p->n; v++) {
        quad *sum = (quad *)(void *)(cost + v * p->stride);

        if (of_t[v] < of_u[v] || of_t[v] > of_u[v])
            for (size_t i = 0; i < p->stride / LANES; i++)
                sum[i] += (of_t[v] - of_u[v]) * (to[i] - from[i]);
    }
}

/* Anneals child number i by exchanges of any two tasks, looked up in a table of
 * costs as for quadratic assignment since Taillard (1991). */
static int anneal(struct population *p,
                  uint32_t child,
                  struct refine_temperatures range,
                  struct rounds_chain *chain)
{
    struct arena arena = {.err = chain->err};
    const size_t stride = p->stride;
    const double rate = anneal_log(range.cold / range.hot);
    float *cost = arena_alloc(&arena, p->n * stride, sizeof(*cost));
    float heat = 0;
    uint32_t *host = mapping_of(p, child);

    if (!arena.error)
        fill(cost, p, host);
    for (uint64_t i = 0; !arena.error && i < p->proposals; i++) {
        const uint64_t r = rng_next(chain->rng);
        const uint32_t t = (uint32_t)((r & UINT32_MAX) * p->n >> 32);
        const uint32_t u = (uint32_t)((r >> 32) * p->n >> 32);
        const uint32_t a = host[t], b = host[u];
        const float added =
            cost[t * stride + b] - cost[t * stride + a] +
            (cost[u * stride + a] - cost[u * stride + b]) +
            2 * p->bytes[t * stride + u] * p->distance[a * stride + b];

        if (i % STEP == 0) {
            double x = (double)i / (double)p->proposals;

            chain->timed_out =
                map_deadline_passed(&p->search->problem.deadline);
            if (chain->timed_out)
                break;
            heat = (float)(x < LAST
                               ? p->deviation * range.hot * anneal_exp(x * rate)
                               : 0);
        }
        if (t != u &&
            added <=
                heat *
                    (float)p->anneal.draw[rng_next(chain->rng) % ANNEAL_DRAWS])
            exchange(cost, p, host, t, u);
    }
    p->cost[child] = 0;
    for (uint32_t t = 0; !arena.error && t < p->n; t++)
        p->cost[child] += (double)cost[t * stride + host[t]];
    arena_clear(&arena);
    return arena.error;
}

static void move_to(uint32_t *host, uint32_t n, uint32_t t, uint32_t to)
{
    uint32_t u = 0;

    while (u < n && host[u] != to)
        u++;
    host[u] = host[t];
    host[t] = to;
}

/* A mapping at random, or that of one member in which half of the tasks have
 * exchanged their hosts for those of another. */
static int run_child(struct rounds_chain *chain)
{
    struct population *p = chain->arg;
    const uint32_t n = p->n, child = MEMBERS + chain->i;
    const bool is_full = p->nmembers == MEMBERS;
    const uint32_t a = rng_below(chain->rng, MEMBERS);
    const uint32_t b = rng_below(chain->rng, MEMBERS - 1);
    const uint32_t *other = mapping_of(p, b + (b >= a));
    uint32_t *host = mapping_of(p, child);
    int error;

    memcpy(host, is_full ? mapping_of(p, a) : chain->host, n * sizeof(*host));
    for (uint32_t t = 0; t < n; t++)
        if (!is_full)
            move_to(host, n, t, host[rng_below(chain->rng, t + 1)]);
        else if (rng_below(chain->rng, 2))
            move_to(host, n, t, other[t]);
    error = anneal(p, child, is_full ? crossed : fresh, chain);
    memcpy(chain->host, host, n * sizeof(*host));
    return error;
}

/* What the round before has come to replaces the worst, but where that is
 * better, or another costs the same. */
static int take_children(struct rounds *rounds, struct mapcore_error *err)
{
    struct population *p = rounds->arg;

    (void)err;
    if (rounds->round == 0) {
        p->nmembers = 0;
        rounds->least = INFINITY;
        return 0;
    }
    for (uint32_t child = MEMBERS; child < MEMBERS + CHAINS; child++) {
        const double cost = p->cost[child];
        uint32_t to = 0, same = 0;

        for (uint32_t i = 0; i < p->nmembers; i++) {
            same += p->cost[i] >= cost && p->cost[i] <= cost;
            to = p->cost[i] > p->cost[to] ? i : to;
        }
        if (p->nmembers < MEMBERS && !same)
            to = p->nmembers++;
        else if (same || cost > p->cost[to])
            continue;
        memcpy(mapping_of(p, to), mapping_of(p, child),
               p->n * sizeof(*p->host));
        p->cost[to] = cost;
    }
    return 0;
}

/* The deviation is that of a sum over n tasks of products of differences, each
 * of which has twice the variance of the numbers. */
static void make_matrices(struct population *p)
{
    const struct mapcore_graph *graph = p->search->problem.graph;
    const struct mapcore_alloc *alloc = p->search->problem.alloc;
    const double npairs = (double)p->n * p->n;
    double most = 1, sum[4] = {0};
    uint16_t row[MOST_HOSTS];

    for (uint32_t t = 0; t < p->n; t++) {
        double bytes = 0;

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            bytes += (double)graph->bytes[k];
        most = bytes > most ? bytes : most;
    }
    most *= mapcore_topo_diameter(mapcore_alloc_topo(alloc));
    for (uint32_t t = 0; t < p->n; t++) {
        const uint16_t *way = distances_row(alloc_distances(alloc), t, row);

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            double bytes = (double)graph->bytes[k];

            if (most > MOST_COST)
                bytes = floor(bytes / most * MOST_COST);
            p->bytes[t * p->stride + graph->task[k]] = (float)bytes;
            sum[0] += bytes;
            sum[1] += bytes * bytes;
        }
        for (uint32_t h = 0; h < p->n; h++) {
            p->distance[t * p->stride + h] = way[h];
            sum[2] += way[h];
            sum[3] += (double)way[h] * way[h];
        }
    }
    p->deviation =
        2 * sqrt(p->n * (sum[1] - sum[0] / npairs * sum[0]) / npairs *
                 (sum[3] - sum[2] / npairs * sum[2]) / npairs);
}

/* Dense is what has the bytes of as many edges of one weight as one of DENSE
 * pairs: with fewer and a few heavy ones, rounds of refinements are up to 2%
 * better. */
bool single_is(const struct search *search)
{
    const struct mapcore_graph *graph = search->problem.graph;
    const struct mapcore_alloc *alloc = search->problem.alloc;
    const uint32_t n = graph->ntasks;
    double bytes = 0, squares = 0;
    struct topo_shape shape;

    for (size_t k = 0; k < graph->row[n]; k++) {
        bytes += (double)graph->bytes[k];
        squares += (double)graph->bytes[k] * (double)graph->bytes[k];
    }
    topo_shape(&shape, mapcore_alloc_topo(alloc));
    for (uint32_t i = 0; i < shape.ndims; i++)
        if (shape.ring[i] != UINT32_MAX)
            return false;
    return shape.kind == TOPO_TORUS && shape.ndims == 2 &&
           !search->problem.pin &&
           search->results.rule.choice == MAPCORE_CHOOSE_HOP_BYTES &&
           mapcore_alloc_nhosts(alloc) == n && n <= MOST_HOSTS &&
           mapcore_alloc_nslots(alloc) == n &&
           bytes * bytes * DENSE >= squares * n * n;
}

int refine_single(struct search *search, struct mapcore_error *err)
{
    const uint32_t n = search->problem.graph->ntasks;
    const bool was_interrupted = search->interrupted;
    struct arena arena = {.err = err};
    struct population p = {
        .search = search, .n = n, .stride = (n + LANES - 1) / LANES * LANES};
    struct rounds rounds = {.search = search,
                            .row = &schedule_rounds[ROUNDS_SINGLE],
                            .run = run_child,
                            .arg = &p,
                            .prepare = take_children,
                            .stream = RNG_STREAM_SINGLE};
    double least = INFINITY;
    int error;

    p.bytes = arena_alloc(&arena, n * p.stride, sizeof(*p.bytes));
    p.distance = arena_alloc(&arena, n * p.stride, sizeof(*p.distance));
    p.host =
        arena_alloc(&arena, (size_t)(MEMBERS + CHAINS) * n, sizeof(*p.host));
    error = arena.error;
    if (error == 0) {
        anneal_init(&p.anneal);
        make_matrices(&p);
    }
    search->interrupted = false;
    for (uint32_t i = 0, agreed = 0;
         error == 0 && !search->interrupted && agreed < AGREEING; i++) {
        rounds.first = i << 20;
        rounds.idle = 0;
        rounds.from = results_least_average(&search->results);
        p.proposals = (uint64_t)SWEEPS * n << (i < 32 ? i : 32);
        error = rounds_run(&rounds, err);
        agreed = rounds.least < least || rounds.least > least ? 1 : agreed + 1;
        least = fmin(least, rounds.least);
    }
    search->interrupted |= was_interrupted;
    arena_clear(&arena);
    return error;
}
