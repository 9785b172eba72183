/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* adaptive.c - Adaptive Layout: claim, deal, rebalance, measure */
#include "config.h"

#include "cart/adaptive.h"

#include "base/array.h"

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
    uint32_t nrouters;
    uint32_t *first;  /* [nrouters + 1] first task at each router */
    uint32_t *router; /* [ntasks] of each task */
    uint32_t most;    /* hops that a move may come to */
};

void mapcore_adaptive_range(uint32_t range[2],
                            uint32_t sites,
                            uint32_t blocks,
                            uint32_t b,
                            int part)
{
    uint32_t from = (uint32_t)((uint64_t)b * sites / blocks);
    uint32_t to = (uint32_t)((uint64_t)(b + 1) * sites / blocks);

    range[0] = from;
    range[1] = to;
    if (part >= PARTS)
        return;
    range[0] = from + (to - from) * (uint32_t)part / PARTS;
    range[1] = from + (to - from) * ((uint32_t)part + 1) / PARTS;
}

/* Where a block is. */
struct adaptive_place {
    uint32_t at[4];
};

static struct adaptive_place place_of(const struct adaptive_layout *layout,
                                      uint32_t block)
{
    struct adaptive_place place;

    for (int i = 0; i < 4; i++) {
        place.at[i] = block % layout->out->blocks[i];
        block /= layout->out->blocks[i];
    }
    return place;
}

static uint32_t router_at(const struct adaptive_layout *layout,
                          const uint32_t *at)
{
    const uint32_t *extent = layout->problem->extent;

    return at[0] + extent[0] * (at[1] + extent[1] * at[2]);
}

/* One step along an axis; false at an end. */
static bool step(uint32_t *at,
                 const struct adaptive_layout *layout,
                 int axis,
                 int way)
{
    uint32_t n = layout->problem->extent[axis];

    if (way > 0 ? at[axis] + 1 < n : at[axis] > 0) {
        at[axis] += way > 0 ? 1 : UINT32_MAX;
        return true;
    }
    if (!layout->problem->wraps[axis] || n < 2)
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
        uint32_t n = layout->problem->extent[i], x = a % n, y = b % n;
        uint32_t d = x > y ? x - y : y - x;

        sum += layout->problem->wraps[i] && n - d < d ? n - d : d;
        a /= n;
        b /= n;
    }
    return sum;
}

static uint64_t sites_of(const struct adaptive_layout *layout,
                         const struct adaptive_place *place,
                         int part)
{
    uint64_t sites = 1;

    for (int i = 0; i < 4; i++) {
        uint32_t range[2];

        mapcore_adaptive_range(range, layout->problem->lattice[i],
                               layout->out->blocks[i], place->at[i],
                               i == 1 ? part : PARTS);
        sites *= range[1] - range[0];
    }
    return sites;
}

static void give(struct adaptive_layout *layout,
                 uint32_t block,
                 const struct adaptive_place *place,
                 int part,
                 uint32_t task)
{
    layout->out->owner[block * PARTS + (uint32_t)part] = task;
    layout->out->sites[task] += sites_of(layout, place, part);
}

/* The nearest task along an axis whose place has the same t. */
static uint32_t look_along(const struct adaptive_layout *layout,
                           const struct adaptive_place *place,
                           int axis,
                           int way)
{
    uint32_t at[3];

    memcpy(at, place->at, sizeof(at));
    for (uint32_t i = 1; i < layout->problem->extent[axis]; i++) {
        uint32_t router;

        if (!step(at, layout, axis, way))
            break;
        router = router_at(layout, at);
        if (place->at[3] < layout->problem->tasks[router])
            return layout->first[router] + place->at[3];
    }
    return MAPCORE_NONE;
}

/* The nearest task of all, of that t where its router has so many. */
static uint32_t look_around(const struct adaptive_layout *layout,
                            const struct adaptive_place *place)
{
    uint32_t from = router_at(layout, place->at), best = 0, least = UINT32_MAX;

    for (uint32_t r = 0; r < layout->nrouters; r++) {
        uint32_t n = layout->problem->tasks[r], d;

        if (n == 0 || (d = hops(layout, from, r)) >= least)
            continue;
        least = d;
        best = layout->first[r] + place->at[3] % n;
    }
    return best;
}

/* The parts of a block where no task is. */
static void deal(struct adaptive_layout *layout,
                 uint32_t block,
                 const struct adaptive_place *place)
{
    static const int axes[PARTS] = {0, 0, 2, 2}, ways[PARTS] = {1, -1, 1, -1};
    uint32_t router = router_at(layout, place->at);
    uint32_t here = layout->problem->tasks[router];
    uint32_t taker[PARTS], n = 0;

    for (uint32_t i = 0; i < PARTS && here > 0; i++)
        taker[n++] = layout->first[router] + (place->at[3] * PARTS + i) % here;
    for (int i = 0; i < PARTS && here == 0; i++) {
        uint32_t task = look_along(layout, place, axes[i], ways[i]);

        if (task != MAPCORE_NONE)
            taker[n++] = task;
    }
    if (n == 0)
        taker[n++] = look_around(layout, place);
    for (int part = 0; part < PARTS; part++)
        give(layout, block, place, part, taker[(uint32_t)part % n]);
    layout->out->unclaimed++;
}

static uint32_t count_blocks(const struct adaptive_layout *layout)
{
    const uint32_t *blocks = layout->out->blocks;

    return blocks[0] * blocks[1] * blocks[2] * blocks[3];
}

/* Blocks go to the tasks that are there; then the others are dealt. */
static void claim(struct adaptive_layout *layout)
{
    uint32_t nblocks = count_blocks(layout);

    for (int pass = 0; pass < 2; pass++)
        for (uint32_t block = 0; block < nblocks; block++) {
            struct adaptive_place place = place_of(layout, block);
            uint32_t router = router_at(layout, place.at);
            bool is_there = place.at[3] < layout->problem->tasks[router];

            if (pass == 1 && !is_there)
                deal(layout, block, &place);
            for (int part = 0; pass == 0 && is_there && part < PARTS; part++)
                give(layout, block, &place, part,
                     layout->first[router] + place.at[3]);
        }
}

/* The number of a sub-block. */
static uint32_t number_of(const struct adaptive_layout *layout,
                          const struct adaptive_place *place,
                          uint32_t part)
{
    const uint32_t *blocks = layout->out->blocks;

    return (place->at[0] +
            blocks[0] *
                (place->at[1] +
                 blocks[1] * (place->at[2] + blocks[2] * place->at[3]))) *
               PARTS +
           part;
}

/* The sub-block behind this one (way 1) or before it (-1) along dimension i, or
 * MAPCORE_NONE. */
static uint32_t next_part(const struct adaptive_layout *layout,
                          const struct adaptive_place *place,
                          uint32_t part,
                          int i,
                          int way)
{
    struct adaptive_place next = *place;
    uint32_t n = layout->out->blocks[i];

    if (i == 1 && (way > 0 ? part + 1 < PARTS : part > 0))
        return number_of(layout, place, way > 0 ? part + 1 : part - 1);
    if (next.at[i] == (way > 0 ? n - 1 : 0)) {
        if (!layout->problem->periodic[i])
            return MAPCORE_NONE;
        next.at[i] = way > 0 ? 0 : n - 1;
    } else {
        next.at[i] += way > 0 ? 1 : UINT32_MAX;
    }
    if (i == 1)
        part = way > 0 ? 0 : PARTS - 1;
    return number_of(layout, &next, part);
}

/* Whether a task is near enough to all that a sub-block touches. */
static bool is_near(const struct adaptive_layout *layout,
                    const struct adaptive_place *place,
                    uint32_t part,
                    uint32_t task)
{
    for (int i = 0; i < 8; i++) {
        uint32_t other = next_part(layout, place, part, i / 2, i % 2 ? -1 : 1);

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
                             const struct adaptive_place *place,
                             uint32_t part,
                             uint64_t below)
{
    static const int axes[3] = {0, 2, 1};
    uint32_t best = MAPCORE_NONE;

    for (int i = 0; i < 6; i++) {
        uint32_t at[3];

        memcpy(at, place->at, sizeof(at));
        for (int d = 0; d < NEAR; d++) {
            uint32_t router;

            if (!step(at, layout, axes[i / 2], i % 2 ? -1 : 1))
                break;
            router = router_at(layout, at);
            for (uint32_t k = layout->first[router];
                 k < layout->first[router + 1]; k++)
                if (layout->out->sites[k] < below &&
                    (layout->most == UINT32_MAX ||
                     is_near(layout, place, part, k))) {
                    below = layout->out->sites[k];
                    best = k;
                }
        }
    }
    return best;
}

/* Sub-blocks whose owner is not where they are may go elsewhere, when their
 * owner has more than the taker would have. Heavy ones first: owners above a
 * limit that falls from round to round. */
static void rebalance(struct adaptive_layout *layout)
{
    struct mapcore_adaptive *out = layout->out;
    uint32_t nblocks = count_blocks(layout);
    uint64_t most = 0, mean = 0;

    for (uint32_t t = 0; t < out->ntasks; t++) {
        most = out->sites[t] > most ? out->sites[t] : most;
        mean += out->sites[t];
    }
    mean /= out->ntasks;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t limit = most - (most - mean) * round / ROUNDS;

        for (uint32_t i = 0; i < nblocks * PARTS; i++) {
            struct adaptive_place place = place_of(layout, i / PARTS);
            uint32_t from = out->owner[i], to;
            uint64_t sites;

            if (place.at[3] <
                    layout->problem->tasks[router_at(layout, place.at)] ||
                out->sites[from] <= limit)
                continue;
            sites = sites_of(layout, &place, (int)(i % PARTS));
            if (out->sites[from] <= sites)
                continue;
            to = find_lighter(layout, &place, i % PARTS,
                              out->sites[from] - sites);
            if (to == MAPCORE_NONE || sites == 0)
                continue;
            out->sites[from] -= sites;
            out->sites[to] += sites;
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
    uint32_t nparts = count_blocks(layout) * PARTS;
    uint64_t sum = 0, n = 0;

    *longest = 0;
    for (uint32_t i = 0; i < nparts; i++) {
        struct adaptive_place place = place_of(layout, i / PARTS);

        for (int d = 0; d < 4; d++) {
            uint32_t other = next_part(layout, &place, i % PARTS, d, 1), path;

            if (other == MAPCORE_NONE)
                continue;
            path = hops(layout, layout->router[layout->out->owner[i]],
                        layout->router[layout->out->owner[other]]);
            *longest = path > *longest ? path : *longest;
            sum += path;
            n++;
        }
    }
    *mean = n > 0 ? (double)sum / (double)n : 0;
}

static void measure(struct adaptive_layout *layout)
{
    struct mapcore_adaptive *out = layout->out;
    uint64_t most = 0, all = 0;

    for (uint32_t t = 0; t < out->ntasks; t++) {
        most = out->sites[t] > most ? out->sites[t] : most;
        all += out->sites[t];
    }
    out->imbalance = (double)most * out->ntasks / (double)all;
    measure_paths(layout, &out->longest, &out->mean_path);
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
static int count(struct mapcore_adaptive *out,
                 const struct mapcore_adaptive_problem *problem,
                 struct mapcore_error *err)
{
    uint64_t routers = 1, tasks = 0;

    for (int i = 0; i < 3; i++) {
        out->blocks[i] = problem->extent[i];
        if (problem->extent[i] == 0)
            return error_set(err, MAPCORE_EINVAL, "a box of no router");
        if (__builtin_mul_overflow(routers, problem->extent[i], &routers) ||
            routers > INT32_MAX / PARTS)
            return error_set(err, MAPCORE_ERANGE,
                             "a box of more than %d routers",
                             INT32_MAX / PARTS);
    }
    for (uint64_t r = 0; r < routers; r++) {
        tasks += problem->tasks[r];
        if (problem->tasks[r] > out->blocks[3])
            out->blocks[3] = problem->tasks[r];
    }
    if (tasks == 0)
        return error_set(err, MAPCORE_EINVAL, "no task on any router");
    if (routers * out->blocks[3] > INT32_MAX / PARTS)
        return error_set(err, MAPCORE_ERANGE, "more than %d blocks",
                         INT32_MAX / PARTS);
    for (int i = 0; i < 4; i++)
        if (problem->lattice[i] < out->blocks[i])
            return error_set(err, MAPCORE_EINVAL,
                             "a lattice of %u sites along %c cannot be cut "
                             "into %u blocks",
                             problem->lattice[i], "xyzt"[i], out -> blocks[i]);
    out->ntasks = (uint32_t)tasks;
    return 0;
}

static int number_tasks(struct adaptive_layout *layout,
                        struct mapcore_error *err)
{
    const struct mapcore_adaptive_problem *problem = layout->problem;
    uint32_t next = 0;

    layout->nrouters =
        problem->extent[0] * problem->extent[1] * problem->extent[2];
    layout->first =
        array_alloc((size_t)layout->nrouters + 1, sizeof(*layout->first), err);
    layout->router =
        array_alloc(layout->out->ntasks, sizeof(*layout->router), err);
    if (!layout->first || !layout->router)
        return MAPCORE_ENOMEM;
    for (uint32_t r = 0; r < layout->nrouters; r++) {
        layout->first[r] = next;
        for (uint32_t i = 0; i < problem->tasks[r]; i++)
            layout->router[next++] = r;
    }
    layout->first[layout->nrouters] = next;
    return 0;
}

int mapcore_adaptive_layout(struct mapcore_adaptive *out,
                            const struct mapcore_adaptive_problem *problem,
                            struct mapcore_error *err)
{
    struct mapcore_adaptive made = {.owner = NULL};
    struct adaptive_layout layout = {.problem = problem, .out = &made};
    int error;

    if ((error = count(&made, problem, err)) < 0 ||
        (error = number_tasks(&layout, err)) < 0)
        goto out;
    made.owner = array_alloc((size_t)count_blocks(&layout) * PARTS,
                             sizeof(*made.owner), err);
    made.sites = array_alloc(made.ntasks, sizeof(*made.sites), err);
    error = made.owner && made.sites ? 0 : MAPCORE_ENOMEM;
    if (error < 0)
        goto out;
    claim(&layout);
    set_bound(&layout);
    rebalance(&layout);
    measure(&layout);
    *out = made;
    made = (struct mapcore_adaptive){.owner = NULL};
out:
    free(layout.first);
    free(layout.router);
    mapcore_adaptive_clear(&made);
    return error;
}

void mapcore_adaptive_clear(struct mapcore_adaptive *layout)
{
    free(layout->owner);
    free(layout->sites);
    layout->owner = NULL;
    layout->sites = NULL;
}
