/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topolb.c - TopoLB: the group that it matters most to place comes next, and
 * goes where it costs least */
#include "config.h"

#include "map/mapper.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/partition/partition.h"

#include <string.h>

/* A table of 8 bytes a group and place: 512 MiB. */
#define MOST_HOSTS 8192
/* Estimates looked at between two looks at the deadline. */
#define STEPS_BETWEEN_LOOKS ((size_t)1 << 20)

enum order { SECOND, FIRST, THIRD };

/* Tasks of the paper are groups here, its processors places. */
struct topolb_state {
    const struct host_groups *groups;
    enum order order;
    double *f;       /* [n * n], row t: f_est(t, p); with THIRD only the part of
                        neighbours that are placed. Times n with SECOND */
    double *spread;  /* [n] sum of distances of p: to all places, or with THIRD
                        to the free ones */
    double *waiting; /* [n] bytes to groups not yet placed */
    uint32_t *place; /* [n], MAPCORE_NONE before */
    uint32_t *open;  /* [n] free places of class c, ascending: from first[c] */
    uint32_t *nopen; /* [nclasses] */
    uint32_t left;   /* groups not yet placed */
    double *sum;     /* [n] of f over the free places of the class */
    double *least;   /* [n] the least of these, and where, the first */
    uint32_t *where;
    size_t steps;
};

static int begin(struct topolb_state *s,
                 const struct host_groups *groups,
                 enum order order,
                 struct arena *arena)
{
    const struct mapcore_graph *graph = groups->graph;
    uint32_t n = groups->n;

    *s = (struct topolb_state){
        .groups = groups,
        .order = order,
        .f = arena_alloc(arena, (size_t)n * n, sizeof(*s->f)),
        .spread = arena_alloc(arena, n, sizeof(*s->spread)),
        .waiting = arena_alloc(arena, n, sizeof(*s->waiting)),
        .place = arena_alloc(arena, n, sizeof(*s->place)),
        .open = arena_copy(arena, groups->member, n, sizeof(*s->open)),
        .nopen = arena_alloc(arena, groups->nclasses, sizeof(*s->nopen)),
        .left = n,
        .sum = arena_alloc(arena, n, sizeof(*s->sum)),
        .least = arena_alloc(arena, n, sizeof(*s->least)),
        .where = arena_alloc(arena, n, sizeof(*s->where)),
    };
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t c = 0; c < groups->nclasses; c++)
        s->nopen[c] = groups->first[c + 1] - groups->first[c];
    for (uint32_t i = 0; i < n; i++) {
        s->place[i] = MAPCORE_NONE;
        for (size_t k = graph->row[i]; k < graph->row[i + 1]; k++)
            s->waiting[i] += (double)graph->bytes[k];
        for (uint32_t p = 0; p < n; p++)
            s->spread[i] += groups->distance[(size_t)i * n + p];
    }
    return 0;
}

/* f_avg and f_min of a group over the free places of its class. */
static void estimate(struct topolb_state *s, uint32_t t)
{
    const struct host_groups *groups = s->groups;
    uint32_t size_class = groups->size_class[t], n = s->nopen[size_class];
    const uint32_t *open = s->open + groups->first[size_class];
    const double *f = s->f + (size_t)t * groups->n;
    double rest = s->order == THIRD ? s->waiting[t] / s->left : 0;

    s->sum[t] = 0;
    for (uint32_t i = 0; i < n; i++) {
        double cost = f[open[i]] + rest * s->spread[open[i]];

        s->sum[t] += cost;
        if (i == 0 || cost < s->least[t]) {
            s->least[t] = cost;
            s->where[t] = open[i];
        }
    }
    s->steps += n;
}

/* The most critical group; ties: the first. */
static uint32_t select_group(const struct topolb_state *s)
{
    const struct host_groups *groups = s->groups;
    uint32_t best = MAPCORE_NONE;
    double most = 0;

    for (uint32_t t = 0; t < groups->n; t++) {
        double gap;

        if (s->place[t] != MAPCORE_NONE)
            continue;
        gap = s->sum[t] / s->nopen[groups->size_class[t]] - s->least[t];
        if (best == MAPCORE_NONE || gap > most) {
            best = t;
            most = gap;
        }
    }
    return best;
}

/* Takes a place from the free ones of its class. */
static void occupy(struct topolb_state *s, uint32_t t, uint32_t p)
{
    const struct host_groups *groups = s->groups;
    uint32_t n = groups->n, size_class = groups->size_class[p], i = 0;
    uint32_t *open = s->open + groups->first[size_class];

    s->place[t] = p;
    s->left--;
    while (open[i] != p)
        i++;
    memmove(open + i, open + i + 1,
            (--s->nopen[size_class] - i) * sizeof(*open));
    for (uint32_t q = 0; s->order == THIRD && q < n; q++)
        s->spread[q] -= groups->distance[(size_t)p * n + q];
}

/* A neighbour's row: the distance to t is known now, and no more estimated. */
static void learn(struct topolb_state *s,
                  uint32_t t,
                  uint32_t neighbour,
                  double bytes)
{
    const struct host_groups *groups = s->groups;
    uint32_t n = groups->n, size_class = groups->size_class[neighbour];
    const uint32_t *open = s->open + groups->first[size_class];
    const uint16_t *d = groups->distance + (size_t)s->place[t] * n;
    double *f = s->f + (size_t)neighbour * n;

    for (uint32_t i = 0; i < s->nopen[size_class]; i++) {
        uint32_t p = open[i];

        f[p] += s->order == SECOND ? bytes * (n * (double)d[p] - s->spread[p])
                                   : bytes * d[p];
    }
    s->waiting[neighbour] -= bytes;
    s->steps += s->nopen[size_class];
}

static void put(struct topolb_state *s, uint32_t t)
{
    const struct host_groups *groups = s->groups;
    const struct mapcore_graph *graph = groups->graph;
    uint32_t p = s->where[t];

    occupy(s, t, p);
    for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
        if (s->place[graph->task[k]] == MAPCORE_NONE) {
            learn(s, t, graph->task[k], (double)graph->bytes[k]);
            if (s->order != THIRD)
                estimate(s, graph->task[k]);
        }
    for (uint32_t u = 0; u < groups->n; u++) {
        if (s->place[u] != MAPCORE_NONE)
            continue;
        if (s->order == THIRD)
            estimate(s, u);
        else if (groups->size_class[u] == groups->size_class[t] &&
                 s->where[u] == p)
            estimate(s, u);
    }
}

/* Those whose free places are one fewer lose their estimate for p from the
 * sum; neighbours were summed up afresh. */
static void forget(struct topolb_state *s, uint32_t t)
{
    const struct host_groups *groups = s->groups;
    uint32_t p = s->where[t];

    for (uint32_t u = 0; s->order != THIRD && u < groups->n; u++)
        if (u != t && s->place[u] == MAPCORE_NONE &&
            groups->size_class[u] == groups->size_class[t])
            s->sum[u] -= s->f[(size_t)u * groups->n + p];
}

/* The heuristic of the slides, "Mapping Heuristic". */
static bool place_groups(struct topolb_state *s,
                         const struct map_deadline *deadline)
{
    uint32_t n = s->groups->n;

    for (uint32_t t = 0; t < n; t++) {
        for (uint32_t p = 0; s->order == SECOND && p < n; p++)
            s->f[(size_t)t * n + p] = s->waiting[t] * s->spread[p];
        estimate(s, t);
        if (map_deadline_look(deadline, &s->steps, STEPS_BETWEEN_LOOKS))
            return false;
    }
    while (s->left > 0) {
        uint32_t t = select_group(s);

        forget(s, t);
        put(s, t);
        s->steps += n;
        if (map_deadline_look(deadline, &s->steps, STEPS_BETWEEN_LOOKS))
            return false;
    }
    return true;
}

static int run(const struct mapper_call *call)
{
    const struct map_problem *problem = call->problem;
    struct host_groups groups;
    struct topolb_state state;
    struct mapper_end *end = call->end;
    int error = host_groups_create(&groups, call, "topolb", MOST_HOSTS);

    if (error < 0 || end->timed_out ||
        (error = begin(&state, &groups, (enum order)call->value[0],
                       call->arena)) < 0)
        goto out;
    end->is_random = groups.n > 1 && problem->graph->total > 0;
    end->timed_out = !place_groups(&state, &problem->deadline);
    if (!end->timed_out)
        host_groups_place(call->host, &groups, problem->graph->ntasks,
                          state.place);
out:
    host_groups_clear(&groups);
    return error;
}

const struct mapper mapper_topolb = {
    .name = "topolb",
    .summary = "a group of tasks for each node, the most critical placed "
               "first; :order=second|first|third of the estimate",
    .source = "Agarwal, Sharma, Kale, IPDPS 2006",
    .parameters = "order=second|first|third",
    .run = run,
};
