/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed_tree.c - the search for embeddings of a grid into a tree: a box of the
 * grid for every switch, boxes in boxes */
#include "config.h"

#include "map/embed/embed_internal.h"

#include <math.h>
#include <string.h>

struct tree_search {
    const struct embed_machine *machine;
    struct embed_traffics *traffics;
    const struct map_deadline *deadline;
    struct embed_plans *plans;
    bool timed_out;
    size_t steps, ties;
    struct embed_plan plan; /* digits from the highest to the lowest */
    double cost, time;      /* of the levels so far */
};

static int fill_level(struct tree_search *search,
                      uint32_t level,
                      uint32_t dim,
                      uint32_t below,
                      struct mapcore_error *err);

/* Bytes between boxes as they are cut now; negative without memory. */
static double cross_bytes(struct tree_search *search, struct mapcore_error *err)
{
    double sum = 0;

    for (uint32_t i = 0; i < search->traffics->grid->ndims; i++) {
        const struct embed_traffic *traffic = embed_traffic_get(
            search->traffics, i, search->plan.split[i].m, err);

        if (!traffic)
            return -1;
        sum += traffic->cross;
    }
    return sum;
}

/* Tasks of the largest box. */
static uint64_t box_size(const struct tree_search *search)
{
    const struct mapcore_grid *grid = search->traffics->grid;
    uint64_t size = 1;

    for (uint32_t i = 0; i < grid->ndims; i++)
        size *= (grid->dims[i] - 1) / search->plan.split[i].m + 1;
    return size;
}

/* The plan's digits the other way round, from the lowest. */
static void keep_plan(struct tree_search *search)
{
    struct embed_plan plan = search->plan;

    plan.cost = search->cost;
    plan.time = search->time;
    for (uint32_t i = 0; i < search->traffics->grid->ndims; i++) {
        struct embed_split *split = &plan.split[i];

        for (uint32_t d = 0; d < split->ndigits; d++)
            split->digit[d] =
                search->plan.split[i].digit[split->ndigits - 1 - d];
    }
    embed_plans_add(search->plans, &plan);
}

/* Whether plans of this cost at least can be worth it. */
static bool is_wanted(struct tree_search *search, double cost)
{
    const struct embed_plans *plans = search->plans;
    const struct embed_plan *last = &plans->plan[EMBED_PLANS - 1];

    if (plans->n < EMBED_PLANS)
        return true;
    if (plans->by_time && search->time != last->time)
        return search->time < last->time;
    if (cost < last->cost)
        return true;
    return !plans->by_time && cost <= plans->plan[0].cost &&
           search->ties++ < EMBED_MAX_TIES;
}

/* The boxes of a level are made: what does it cost that they are apart, and can
 * the levels below still be worth it? */
static int end_level(struct tree_search *search,
                     uint32_t level,
                     struct mapcore_error *err)
{
    const struct embed_machine *machine = search->machine;
    uint64_t capacity = machine->capacity;
    double cross, cost = search->cost, before = search->time, surface;
    uint32_t below = level > 0 ? machine->far[level - 1] : 0;
    int error = 0;

    for (uint32_t l = 0; l < level; l++)
        capacity *= machine->size[l];
    if (box_size(search) > capacity)
        return 0;
    if ((cross = cross_bytes(search, err)) < 0)
        return MAPCORE_ENOMEM;
    if (embed_surface(&surface, search->traffics, search->plan.split, err) < 0)
        return MAPCORE_ENOMEM;
    search->time =
        fmax(before, embed_rounded(surface / 2 / machine->carries[level]));
    search->cost += cross * (machine->far[level] - below);
    /* What is apart here is apart in all levels below. */
    if (is_wanted(search, search->cost + cross * below)) {
        if (level == 0)
            keep_plan(search);
        else
            error = fill_level(search, level - 1, 0, 1, err);
    }
    search->cost = cost;
    search->time = before;
    return error;
}

/* Cuts the boxes of the level above along dimension dim and those behind it;
 * below: into how many they are cut already. */
static int fill_level(struct tree_search *search,
                      uint32_t level,
                      uint32_t dim,
                      uint32_t below,
                      struct mapcore_error *err)
{
    const struct mapcore_grid *grid = search->traffics->grid;
    uint32_t capacity = search->machine->size[level] / below, m;
    struct embed_split *split;
    int error = 0;

    if (++search->steps % 256 == 0 && map_deadline_passed(search->deadline))
        search->timed_out = true;
    if (search->timed_out ||
        search->steps >
            (search->plans->by_time ? EMBED_MAX_LINK_STEPS : EMBED_MAX_STEPS))
        return 0;
    if (dim == grid->ndims)
        return end_level(search, level, err);
    split = &search->plan.split[dim];
    m = split->m;
    for (uint32_t radix = capacity; radix > 0 && error == 0; radix--) {
        if ((uint64_t)m * radix > grid->dims[dim] ||
            (radix > 1 && split->ndigits == EMBED_DIGITS))
            continue;
        /* Parts of unequal size only where nothing else is possible. */
        if (radix > 1 && grid->dims[dim] % (m * radix) != 0 &&
            radix != capacity)
            continue;
        if (radix > 1)
            split->digit[split->ndigits++] = (struct embed_digit){
                .axis = level, .radix = radix, .below = below};
        split->m = m * radix;
        error = fill_level(search, level, dim + 1, below * radix, err);
        split->m = m;
        if (radix > 1)
            split->ndigits--;
    }
    return error;
}

int embed_search_tree(struct embed_plans *out,
                      bool *timed_out,
                      const struct embed_machine *machine,
                      struct embed_traffics *traffics,
                      const struct map_deadline *deadline,
                      struct mapcore_error *err)
{
    struct tree_search search = {.machine = machine,
                                 .traffics = traffics,
                                 .deadline = deadline,
                                 .plans = out};
    int error = 0;

    for (uint32_t i = 0; i < traffics->grid->ndims; i++)
        search.plan.split[i].m = 1;
    if (machine->naxes > 0)
        error = fill_level(&search, machine->naxes - 1, 0, 1, err);
    else if (box_size(&search) <= machine->capacity)
        keep_plan(&search);
    *timed_out = search.timed_out;
    return error;
}
