/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* faq.c - Fast Approximate Quadratic assignment of groups to hosts: Frank and
 * Wolfe's method on doubly stochastic matrices */
#include "config.h"

#include "map/mapper.h"

#include "base/array.h"
#include "base/rng.h"
#include "graph/csr.h"
#include "map/papers/assignment.h"
#include "map/partition/partition.h"
#include "map/rng_streams.h"

#include <string.h>

/* Three matrices of 18 bytes an element together: 300 MB. */
#define MOST_HOSTS 4096
/* Of the authors' program. */
#define MOST_STEPS 30
/* The objective must fall by this part of it, or that was the last step. */
#define LEAST_GAIN 1e-6
/* Largest cost of an assignment problem that the gradient is scaled to. */
#define SCALE ((double)((int64_t)1 << 40))

/* The point P of the polytope is never stored: it is the barycentre and the
 * permutations of the steps, each with its weight, and only the gradient is
 * needed as a matrix. A is the graph of the groups, D the distances; the
 * objective is f(P) = trace(A P D P'). */
struct faq_state {
    const struct host_groups *groups;
    const struct map_deadline *deadline;
    struct arena *arena;
    bool timed_out;
    double *gradient; /* [n * n], A P D: half the gradient of f */
    double value;     /* f(P) */
    double scale;     /* of the gradient to integers */
    uint32_t nvertices;
    double weight[MOST_STEPS + 1];
    uint32_t *vertex; /* [(MOST_STEPS + 1) * n] places of each permutation */
    int64_t *cost;    /* [n * n], of a class */
    int64_t *price;   /* [n], of places, kept from step to step */
    uint32_t *column; /* [n] */
    uint32_t *place;  /* [n], the answer */
    double *mean;     /* [n], of distances */
};

static int begin(struct faq_state *s)
{
    size_t n = s->groups->n;

    s->gradient = arena_alloc(s->arena, n * n, sizeof(*s->gradient));
    s->vertex = arena_alloc(s->arena, (MOST_STEPS + 1) * n, sizeof(*s->vertex));
    s->cost = arena_alloc(s->arena, n * n, sizeof(*s->cost));
    s->price = arena_alloc(s->arena, n, sizeof(*s->price));
    s->column = arena_alloc(s->arena, n, sizeof(*s->column));
    s->place = arena_alloc(s->arena, n, sizeof(*s->place));
    s->mean = arena_alloc(s->arena, n, sizeof(*s->mean));
    return s->arena->error;
}

/* row += share * (row t of A Q D), Q being the permutation place[n]. */
static void add_row(double *row,
                    const struct host_groups *groups,
                    const uint32_t *place,
                    uint32_t t,
                    double share)
{
    const struct mapcore_graph *graph = groups->graph;
    uint32_t n = groups->n;

    for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
        double bytes = share * (double)graph->bytes[k];
        const uint16_t *d =
            groups->distance + (size_t)place[graph->task[k]] * n;

        for (uint32_t p = 0; p < n; p++)
            row[p] += bytes * d[p];
    }
}

/* The sum of the distances between each place and those of a class, over how
 * many they are: mean[n]. */
static void mean_distance(double *mean,
                          const struct host_groups *groups,
                          uint32_t size_class)
{
    uint32_t n = groups->n, first = groups->first[size_class];
    uint32_t count = groups->first[size_class + 1] - first;

    memset(mean, 0, n * sizeof(*mean));
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t *d =
            groups->distance + (size_t)groups->member[first + i] * n;

        for (uint32_t p = 0; p < n; p++)
            mean[p] += d[p];
    }
    for (uint32_t p = 0; p < n; p++)
        mean[p] /= count;
}

/* The gradient at the barycentre, where every group is spread evenly over the
 * places that it fits, and f there. */
static void start_in_middle(struct faq_state *s)
{
    const struct host_groups *groups = s->groups;
    const struct mapcore_graph *graph = groups->graph;
    uint32_t n = groups->n;
    double *mean = s->mean;

    for (uint32_t c = 0; c < groups->nclasses; c++) {
        mean_distance(mean, groups, c);
        for (uint32_t t = 0; t < n; t++) {
            double bytes = 0;

            for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
                if (groups->size_class[graph->task[k]] == c)
                    bytes += (double)graph->bytes[k];
            for (uint32_t p = 0; bytes > 0 && p < n; p++)
                s->gradient[(size_t)t * n + p] += bytes * mean[p];
        }
    }
    for (uint32_t t = 0; t < n; t++) {
        uint32_t first = groups->first[groups->size_class[t]];
        uint32_t end = groups->first[groups->size_class[t] + 1];
        double sum = 0;

        for (uint32_t i = first; i < end; i++)
            sum += s->gradient[(size_t)t * n + groups->member[i]];
        s->value += sum / (end - first);
    }
}

/* The sum over all groups of the gradient at their places. */
static double along(const struct faq_state *s, const uint32_t *place)
{
    uint32_t n = s->groups->n;
    double sum = 0;

    for (uint32_t t = 0; t < n; t++)
        sum += s->gradient[(size_t)t * n + place[t]];
    return sum;
}

/* f of a permutation. */
static double objective(const struct host_groups *groups, const uint32_t *place)
{
    const struct mapcore_graph *graph = groups->graph;
    double sum = 0;

    for (uint32_t t = 0; t < groups->n; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            sum += (double)graph->bytes[k] *
                   groups->distance[(size_t)place[t] * groups->n +
                                    place[graph->task[k]]];
    return sum;
}

/* P = (1 - share) P + share Q for the vertex Q behind the last. */
static void step(struct faq_state *s, double share, double slope, double there)
{
    uint32_t n = s->groups->n;
    const uint32_t *place = s->vertex + (size_t)s->nvertices * n;
    double rest = 1 - share;

    for (uint32_t t = 0; t < n; t++) {
        double *row = s->gradient + (size_t)t * n;

        for (uint32_t p = 0; p < n; p++)
            row[p] *= rest;
        add_row(row, s->groups, place, t, share);
    }
    for (uint32_t i = 0; i < s->nvertices; i++)
        s->weight[i] *= rest;
    s->weight[s->nvertices++] = share;
    s->value = rest * rest * s->value + 2 * share * rest * slope +
               share * share * there;
}

/* Solves the assignment of each class's groups to its places, cost[] having
 * been filled by fill. */
static int assign(struct faq_state *s,
                  uint32_t *place,
                  void (*fill)(struct faq_state *s, uint32_t size_class))
{
    const struct host_groups *groups = s->groups;

    for (uint32_t c = 0; c < groups->nclasses && !s->timed_out; c++) {
        uint32_t first = groups->first[c], n = groups->first[c + 1] - first;
        const uint32_t *member = groups->member + first;
        int error;

        fill(s, c);
        error = assignment_solve(s->column, &s->timed_out, s->price + first, n,
                                 s->cost, s->deadline, s->arena->err);
        if (error < 0)
            return error;
        for (uint32_t i = 0; i < n && !s->timed_out; i++)
            place[member[i]] = member[s->column[i]];
    }
    return 0;
}

static void fill_gradient(struct faq_state *s, uint32_t size_class)
{
    const struct host_groups *groups = s->groups;
    uint32_t first = groups->first[size_class];
    uint32_t n = groups->first[size_class + 1] - first;
    const uint32_t *member = groups->member + first;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            s->cost[(size_t)i * n + k] =
                (int64_t)(0.5 +
                          s->scale * s->gradient[(size_t)member[i] * groups->n +
                                                 member[k]]);
}

/* -P but for the barycentre, which prefers nothing. */
static void fill_point(struct faq_state *s, uint32_t size_class)
{
    const struct host_groups *groups = s->groups;
    uint32_t first = groups->first[size_class];
    uint32_t n = groups->first[size_class + 1] - first;
    const uint32_t *member = groups->member + first;

    memset(s->cost, 0, (size_t)n * n * sizeof(*s->cost));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t v = 0; v < s->nvertices; v++) {
            uint32_t p = s->vertex[(size_t)v * groups->n + member[i]];

            s->cost[(size_t)i * n + groups->rank[p]] -=
                (int64_t)(0.5 + SCALE * s->weight[v]);
        }
}

/* Halfway from the barycentre to a random vertex: another start for another
 * pass (Vogelstein and others, section on multiple restarts). */
static void start_elsewhere(struct faq_state *s, const struct mapper_call *call)
{
    const struct host_groups *groups = s->groups;
    uint32_t *place = s->vertex;
    struct rng rng;

    rng_init(&rng, call->seed, RNG_STREAM_FAQ, call->pass);
    for (uint32_t c = 0; c < groups->nclasses; c++) {
        const uint32_t *member = groups->member + groups->first[c];
        uint32_t n = groups->first[c + 1] - groups->first[c];

        for (uint32_t i = 0; i < n; i++) {
            uint32_t k = rng_below(&rng, i + 1);

            place[member[i]] = k < i ? place[member[k]] : member[i];
            place[member[k]] = member[i];
        }
    }
    step(s, 0.5, along(s, place), objective(groups, place));
}

static double largest(const struct faq_state *s)
{
    size_t n = s->groups->n;
    double most = 0;

    for (size_t i = 0; i < n * n; i++)
        if (s->gradient[i] > most)
            most = s->gradient[i];
    return most;
}

/* The steps: to the vertex that the gradient points to, as far as f falls. */
static int descend(struct faq_state *s)
{
    const struct host_groups *groups = s->groups;
    int error;

    while (s->nvertices <= MOST_STEPS) {
        uint32_t *place = s->vertex + (size_t)s->nvertices * groups->n;
        double slope, there, bend, share, before = s->value;
        double most = largest(s);

        s->scale = most > 0 ? SCALE / most : 1;
        if ((error = assign(s, place, fill_gradient)) < 0 || s->timed_out)
            return error;
        slope = along(s, place);
        there = objective(groups, place);
        bend = s->value - 2 * slope + there;
        share = bend > 0 ? (s->value - slope) / bend : there < s->value;
        if (share > 1)
            share = 1;
        if (!(share > 0))
            break;
        step(s, share, slope, there);
        if (!(before - s->value > LEAST_GAIN * before))
            break;
    }
    return 0;
}

static int solve(struct faq_state *s, const struct mapper_call *call)
{
    int error = begin(s);

    if (error < 0)
        return error;
    start_in_middle(s);
    if (call->pass > 0 && s->groups->graph->total > 0)
        start_elsewhere(s, call);
    if ((error = descend(s)) < 0 || s->timed_out)
        return error;
    memset(s->price, 0, s->groups->n * sizeof(*s->price));
    return assign(s, s->place, fill_point);
}

static int run(const struct mapper_call *call)
{
    const struct map_problem *problem = call->problem;
    struct host_groups groups;
    struct faq_state state = {.groups = &groups,
                              .deadline = &problem->deadline,
                              .arena = call->arena};
    struct mapper_end *end = call->end;
    int error = host_groups_create(&groups, call, "faq", MOST_HOSTS);

    if (error < 0 || end->timed_out || (error = solve(&state, call)) < 0)
        goto out;
    end->is_random = groups.n > 1 && problem->graph->total > 0;
    end->timed_out = state.timed_out;
    if (!end->timed_out)
        host_groups_place(call->host, &groups, problem->graph->ntasks,
                          state.place);
out:
    host_groups_clear(&groups);
    return error;
}

const struct mapper mapper_faq = {
    .name = "faq",
    .summary = "a group of tasks for each node, placed by Frank and Wolfe's "
               "method; at most 4,096 nodes",
    .source = "Vogelstein and others, Fast Approximate Quadratic Programming, "
              "PLoS ONE 10(4), 2015",
    .run = run,
};
