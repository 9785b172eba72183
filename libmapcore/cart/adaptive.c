/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* adaptive.c - Adaptive Layout: claim, deal, rebalance, measure */
#include "config.h"

#include "cart/adaptive.h"

#include "base/array.h"
#include "base/bucket.h"
#include "cart/box.h"

#include <stdlib.h>
#include <string.h>

enum {
    PARTS = MAPCORE_ADAPTIVE_PARTS,
    /* How far rebalancing looks for a lighter task. */
    NEAR = 2,
    /* Rounds of rebalancing; the last ones move nothing. */
    ROUNDS = 8,
};

struct adaptive_layout {
    const struct mapcore_adaptive_problem *problem;
    struct mapcore_adaptive *out;
    bool wraps[3]; /* the box is all of a ring of the torus */
    /* Tasks are numbered router by router of the box, x + S_x (y + S_y z). */
    uint32_t nrouters;
    uint32_t *first;  /* [nrouters + 1] first task at each router */
    uint32_t *router; /* [ntasks] of each task, */
    uint32_t *rank;   /* [ntasks] its number in the problem, */
    uint64_t *sites;  /* [ntasks] and its lattice sites */
    uint32_t most;    /* hops that a move may come to */
};

/* Where the block of a sub-block is. */
static void find_block(uint32_t at[4],
                       const struct mapcore_adaptive *layout,
                       uint32_t part)
{
    part /= PARTS;
    for (int i = 0; i < 4; i++) {
        at[i] = part % layout->blocks[i];
        part /= layout->blocks[i];
    }
}

uint64_t mapcore_adaptive_sites(uint32_t range[4][2],
                                const struct mapcore_adaptive *layout,
                                const struct mapcore_adaptive_problem *problem,
                                uint32_t part,
                                uint32_t n)
{
    uint32_t at[4];
    uint64_t sites = 1;

    find_block(at, layout, part);
    for (int i = 0; i < 4; i++) {
        uint64_t all = problem->lattice[i];
        uint32_t from = (uint32_t)(at[i] * all / layout->blocks[i]);
        uint32_t to = (uint32_t)((at[i] + 1) * all / layout->blocks[i]);
        uint32_t size = to - from;

        if (i == 1) {
            to = from + size * (part % PARTS + n) / PARTS;
            from += size * (part % PARTS) / PARTS;
        }
        range[i][0] = from;
        range[i][1] = to;
        sites *= to - from;
    }
    return sites;
}

uint32_t mapcore_adaptive_next(const struct mapcore_adaptive *layout,
                               const struct mapcore_adaptive_problem *problem,
                               uint32_t part,
                               int i,
                               int way)
{
    const uint32_t *blocks = layout->blocks;
    uint32_t at[4], n = blocks[i] * (i == 1 ? PARTS : 1), p = part % PARTS;

    find_block(at, layout, part);
    /* Along y the next may be in the same block. */
    if (i == 1)
        at[1] = at[1] * PARTS + p;
    if (at[i] == (way > 0 ? n - 1 : 0)) {
        if (!problem->periodic[i])
            return MAPCORE_NONE;
        at[i] = way > 0 ? 0 : n - 1;
    } else {
        at[i] += way > 0 ? 1 : UINT32_MAX;
    }
    if (i == 1) {
        p = at[1] % PARTS;
        at[1] /= PARTS;
    }
    return (at[0] +
            blocks[0] * (at[1] + blocks[1] * (at[2] + blocks[2] * at[3]))) *
               PARTS +
           p;
}

static uint32_t router_at(const struct adaptive_layout *layout,
                          const uint32_t *at)
{
    const uint32_t *extent = layout->out->blocks;

    return at[0] + extent[0] * (at[1] + extent[1] * at[2]);
}

static uint32_t tasks_at(const struct adaptive_layout *layout, uint32_t router)
{
    return layout->first[router + 1] - layout->first[router];
}

/* One step along an axis; false at an end. */
static bool step(uint32_t *at,
                 const struct adaptive_layout *layout,
                 int axis,
                 int way)
{
    uint32_t n = layout->out->blocks[axis];

    if (way > 0 ? at[axis] + 1 < n : at[axis] > 0) {
        at[axis] += way > 0 ? 1 : UINT32_MAX;
        return true;
    }
    if (!layout->wraps[axis] || n < 2)
        return false;
    at[axis] = way > 0 ? 0 : n - 1;
    return true;
}

static uint32_t hops(const struct adaptive_layout *layout,
                     uint32_t a,
                     uint32_t b)
{
    uint32_t sum = 0;

    for (int i = 0; i < 3; i++) {
        uint32_t n = layout->out->blocks[i], x = a % n, y = b % n;
        uint32_t d = x > y ? x - y : y - x;

        sum += layout->wraps[i] && n - d < d ? n - d : d;
        a /= n;
        b /= n;
    }
    return sum;
}

static uint64_t sites_of(const struct adaptive_layout *layout, uint32_t part)
{
    uint32_t range[4][2];

    return mapcore_adaptive_sites(range, layout->out, layout->problem, part, 1);
}

/* The nearest task along an axis whose place has the same t. */
static uint32_t look_along(const struct adaptive_layout *layout,
                           const uint32_t *place,
                           int axis,
                           int way)
{
    uint32_t at[3];

    memcpy(at, place, sizeof(at));
    for (uint32_t i = 1; i < layout->out->blocks[axis]; i++) {
        uint32_t router;

        if (!step(at, layout, axis, way))
            break;
        router = router_at(layout, at);
        if (place[3] < tasks_at(layout, router))
            return layout->first[router] + place[3];
    }
    return MAPCORE_NONE;
}

/* The nearest task of all, of that t where its router has that many. */
static uint32_t look_around(const struct adaptive_layout *layout,
                            const uint32_t *place)
{
    uint32_t from = router_at(layout, place), best = 0, least = UINT32_MAX;

    for (uint32_t r = 0; r < layout->nrouters; r++) {
        uint32_t n = tasks_at(layout, r), d;

        if (n == 0 || (d = hops(layout, from, r)) >= least)
            continue;
        least = d;
        best = layout->first[r] + place[3] % n;
    }
    return best;
}

/* Who takes the parts of a block: the task that is there, or, where none is,
 * those of its router, or the nearest; returns how many. */
static uint32_t find_takers(uint32_t taker[PARTS],
                            const struct adaptive_layout *layout,
                            const uint32_t *place)
{
    static const int axes[PARTS] = {0, 0, 2, 2}, ways[PARTS] = {1, -1, 1, -1};
    uint32_t router = router_at(layout, place), n = 0;
    uint32_t here = tasks_at(layout, router);

    if (place[3] < here) {
        taker[0] = layout->first[router] + place[3];
        return 1;
    }
    layout->out->unclaimed++;
    for (uint32_t i = 0; i < PARTS; i++) {
        uint32_t task =
            here > 0 ? layout->first[router] + (place[3] * PARTS + i) % here
                     : look_along(layout, place, axes[i], ways[i]);

        if (task != MAPCORE_NONE)
            taker[n++] = task;
    }
    if (n == 0)
        taker[n++] = look_around(layout, place);
    return n;
}

static void claim(struct adaptive_layout *layout)
{
    struct mapcore_adaptive *out = layout->out;

    for (uint32_t block = 0; block < out->nparts; block += PARTS) {
        uint32_t at[4], taker[PARTS], n;

        find_block(at, out, block);
        n = find_takers(taker, layout, at);
        for (uint32_t p = 0; p < PARTS; p++) {
            out->owner[block + p] = taker[p % n];
            layout->sites[taker[p % n]] += sites_of(layout, block + p);
        }
    }
}

/* Whether a task is near enough to all that a sub-block touches. */
static bool is_near(const struct adaptive_layout *layout,
                    uint32_t part,
                    uint32_t task)
{
    for (int i = 0; i < 8; i++) {
        uint32_t other = mapcore_adaptive_next(layout->out, layout->problem,
                                               part, i / 2, i % 2 ? -1 : 1);

        if (other != MAPCORE_NONE &&
            hops(layout, layout->router[task],
                 layout->router[layout->out->owner[other]]) > layout->most)
            return false;
    }
    return true;
}

/* The lightest task within NEAR hops along x and z, then y, of a place that is
 * near enough. */
static uint32_t find_lighter(const struct adaptive_layout *layout,
                             const uint32_t *place,
                             uint32_t part,
                             uint64_t below)
{
    static const int axes[3] = {0, 2, 1};
    uint32_t best = MAPCORE_NONE;

    for (int i = 0; i < 6; i++) {
        uint32_t at[3];

        memcpy(at, place, sizeof(at));
        for (int d = 0; d < NEAR; d++) {
            uint32_t router;

            if (!step(at, layout, axes[i / 2], i % 2 ? -1 : 1))
                break;
            router = router_at(layout, at);
            for (uint32_t k = layout->first[router];
                 k < layout->first[router + 1]; k++)
                if (layout->sites[k] < below &&
                    (layout->most == UINT32_MAX || is_near(layout, part, k))) {
                    below = layout->sites[k];
                    best = k;
                }
        }
    }
    return best;
}

/* The most sites of a task, and all of them. */
static uint64_t find_most(const struct adaptive_layout *layout, uint64_t *all)
{
    uint64_t most = 0;

    *all = 0;
    for (uint32_t t = 0; t < layout->out->ntasks; t++) {
        most = layout->sites[t] > most ? layout->sites[t] : most;
        *all += layout->sites[t];
    }
    return most;
}

/* Sub-blocks whose owner is not where they are may go elsewhere, when their
 * owner has more than the taker would have. Heavy ones first: owners above a
 * limit that falls from round to round. */
static void rebalance(struct adaptive_layout *layout)
{
    struct mapcore_adaptive *out = layout->out;
    uint64_t all, most = find_most(layout, &all), mean = all / out->ntasks;

    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t limit = most - (most - mean) * round / ROUNDS;

        for (uint32_t i = 0; i < out->nparts; i++) {
            uint32_t at[4], from = out->owner[i], to;
            uint64_t sites;

            find_block(at, out, i);
            if (at[3] < tasks_at(layout, router_at(layout, at)) ||
                layout->sites[from] <= limit)
                continue;
            sites = sites_of(layout, i);
            if (sites == 0 || layout->sites[from] <= sites)
                continue;
            to = find_lighter(layout, at, i, layout->sites[from] - sites);
            if (to == MAPCORE_NONE)
                continue;
            layout->sites[from] -= sites;
            layout->sites[to] += sites;
            out->owner[i] = to;
            out->moved++;
        }
    }
}

/* The longest and the mean path between owners of sub-blocks that touch. */
static void measure_paths(const struct adaptive_layout *layout,
                          uint32_t *longest,
                          double *mean)
{
    const struct mapcore_adaptive *out = layout->out;
    uint64_t sum = 0, n = 0;

    *longest = 0;
    for (uint32_t i = 0; i < out->nparts; i++)
        for (int d = 0; d < 4; d++) {
            uint32_t other =
                mapcore_adaptive_next(out, layout->problem, i, d, 1);
            uint32_t path;

            if (other == MAPCORE_NONE)
                continue;
            path = hops(layout, layout->router[out->owner[i]],
                        layout->router[out->owner[other]]);
            *longest = path > *longest ? path : *longest;
            sum += path;
            n++;
        }
    *mean = n > 0 ? (double)sum / (double)n : 0;
}

/* How far rebalancing may go. */
static void set_bound(struct adaptive_layout *layout)
{
    double mean;

    layout->most = UINT32_MAX;
    if (layout->problem->most_hops == 0)
        return;
    measure_paths(layout, &layout->most, &mean);
    if (layout->most < layout->problem->most_hops)
        layout->most = layout->problem->most_hops;
}

/* Counts, and refuses what has no layout. */
static int count(struct adaptive_layout *layout, struct mapcore_error *err)
{
    const struct mapcore_adaptive_problem *problem = layout->problem;
    struct mapcore_adaptive *out = layout->out;
    uint64_t routers = 1, tasks = 0;

    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(routers, out->blocks[i], &routers) ||
            routers > INT32_MAX / PARTS)
            return error_set(err, MAPCORE_ERANGE,
                             "a box of more than %d routers",
                             INT32_MAX / PARTS);
    for (uint32_t k = 0; k < problem->nnodes; k++)
        tasks += problem->tasks ? problem->tasks[k] : 1;
    if (tasks == 0)
        return error_set(err, MAPCORE_EINVAL, "no task on any router");
    if (tasks > INT32_MAX / PARTS)
        return error_set(err, MAPCORE_ERANGE, "more than %d blocks",
                         INT32_MAX / PARTS);
    layout->nrouters = (uint32_t)routers;
    out->ntasks = (uint32_t)tasks;
    return 0;
}

/* Router by router, node by node at each. */
static int number_tasks(struct adaptive_layout *layout,
                        uint32_t (*at)[3],
                        struct arena *arena)
{
    const struct mapcore_adaptive_problem *problem = layout->problem;
    struct mapcore_adaptive *out = layout->out;
    uint32_t n = problem->nnodes, routers = layout->nrouters, next = 0;
    uint32_t *node = arena_alloc(arena, n, sizeof(*node));
    uint32_t *cell = arena_alloc(arena, n, sizeof(*cell));
    uint32_t *base = arena_alloc(arena, (size_t)n + 1, sizeof(*base));
    uint32_t *nodes = arena_alloc(arena, (size_t)routers + 1, sizeof(*nodes));

    layout->first =
        arena_alloc(arena, (size_t)routers + 1, sizeof(*layout->first));
    layout->router = arena_alloc(arena, out->ntasks, sizeof(*layout->router));
    layout->rank = arena_alloc(arena, out->ntasks, sizeof(*layout->rank));
    layout->sites = arena_alloc(arena, out->ntasks, sizeof(*layout->sites));
    if (arena->error)
        return arena->error;
    for (uint32_t k = 0; k < n; k++) {
        cell[k] = router_at(layout, at[k]);
        base[k + 1] = base[k] + (problem->tasks ? problem->tasks[k] : 1);
    }
    bucket_items(nodes, node, cell, n, routers);
    for (uint32_t r = 0; r < routers; r++) {
        for (uint32_t i = nodes[r]; i < nodes[r + 1]; i++)
            for (uint32_t t = base[node[i]]; t < base[node[i] + 1]; t++) {
                layout->router[next] = r;
                layout->rank[next++] = t;
            }
        layout->first[r + 1] = next;
        if (tasks_at(layout, r) > out->blocks[3])
            out->blocks[3] = tasks_at(layout, r);
    }
    return 0;
}

/* Cuts the lattice up. */
static int open_blocks(struct adaptive_layout *layout,
                       struct mapcore_error *err)
{
    struct mapcore_adaptive *out = layout->out;

    if ((uint64_t)layout->nrouters * out->blocks[3] > INT32_MAX / PARTS)
        return error_set(err, MAPCORE_ERANGE, "more than %d blocks",
                         INT32_MAX / PARTS);
    for (int i = 0; i < 4; i++)
        if (layout->problem->lattice[i] < out->blocks[i])
            return error_set(err, MAPCORE_EINVAL,
                             "a lattice of %u sites along %c cannot be cut "
                             "into %u blocks",
                             layout->problem->lattice[i], "xyzt"[i],
                             out -> blocks[i]);
    out->nparts = layout->nrouters * out->blocks[3] * PARTS;
    out->owner = array_alloc(out->nparts, sizeof(*out->owner), err);
    return out->owner ? 0 : MAPCORE_ENOMEM;
}

int mapcore_adaptive_layout(struct mapcore_adaptive *out,
                            const struct mapcore_adaptive_problem *problem,
                            struct mapcore_error *err)
{
    struct mapcore_adaptive made = {.owner = NULL};
    struct adaptive_layout layout = {.problem = problem, .out = &made};
    uint32_t n = problem->nnodes;
    struct arena arena = {.err = err};
    uint32_t(*at)[3] = arena_copy(&arena, problem->at, n, sizeof(*at));
    uint64_t all;
    int error = at ? box_around(at, made.blocks, n, problem->ring, err)
                   : MAPCORE_ENOMEM;

    for (int i = 0; i < 3; i++)
        layout.wraps[i] = made.blocks[i] == problem->ring[i];
    if (error < 0 || (error = count(&layout, err)) < 0 ||
        (error = number_tasks(&layout, at, &arena)) < 0 ||
        (error = open_blocks(&layout, err)) < 0)
        goto out;
    claim(&layout);
    set_bound(&layout);
    rebalance(&layout);
    made.imbalance = (double)find_most(&layout, &all) * made.ntasks;
    made.imbalance /= (double)all;
    measure_paths(&layout, &made.longest, &made.mean_path);
    for (uint32_t p = 0; p < made.nparts; p++)
        made.owner[p] = layout.rank[made.owner[p]];
    *out = made;
    made.owner = NULL;
out:
    arena_clear(&arena);
    mapcore_adaptive_clear(&made);
    return error;
}

void mapcore_adaptive_clear(struct mapcore_adaptive *layout)
{
    free(layout->owner);
    layout->owner = NULL;
}
