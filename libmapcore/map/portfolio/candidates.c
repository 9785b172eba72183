/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* candidates.c - the fixed list of what the portfolio tries */
#include "config.h"

#include "map/portfolio/candidates.h"

#include "base/array.h"
#include "map/greedy/greedymap.h"
#include "map/map.h"

#include <stdio.h>
#include <string.h>

/* GPART last of those of the paper: METIS takes a while on its one thread, and
 * the others have the next row of the list to go on with meanwhile. */
static const enum order_kind orders[] = {ORDER_OO, ORDER_BFS, ORDER_BFS_DFS,
                                         ORDER_GPART, ORDER_GRID};

static const enum cost_kind costs[] = {COST_HOP, COST_MAX, COST_LINK};

/* GreedyMap's configurations: for each of the first costs and each search one
 * of each order. */
struct configurations {
    size_t ncosts, first_order, norders, nsearches;
    struct {
        enum greedymap_word pack;
        uint32_t delta;
        enum greedymap_word wrap;
    } search[6];
};

/* How hosts are searched, from cheap to dear: with pack there are as many
 * searches as hosts, without it as many as tasks. */
static const struct configurations all = {
    3,
    0,
    4,
    6,
    {
        {GREEDYMAP_YES, GREEDYMAP_DELTA_ALL, GREEDYMAP_YES},
        {GREEDYMAP_YES, GREEDYMAP_DELTA_SQRT, GREEDYMAP_YES},
        {GREEDYMAP_YES, GREEDYMAP_DELTA_SQRT, GREEDYMAP_NO},
        {GREEDYMAP_NO, GREEDYMAP_DELTA_SQRT, GREEDYMAP_YES},
        {GREEDYMAP_NO, GREEDYMAP_DELTA_ALL, GREEDYMAP_YES},
        {GREEDYMAP_NO, GREEDYMAP_DELTA_SQRT, GREEDYMAP_NO},
    }};

/* A few of the nearest hosts: "lower delta can result in better solutions by
 * keeping the partial solution constrained". Not with cost link, to stay below
 * the paper's 100. */
static const struct configurations narrow = {
    2,
    0,
    4,
    3,
    {{GREEDYMAP_YES, GREEDYMAP_DELTA_NUMBER(4), GREEDYMAP_YES},
     {GREEDYMAP_NO, GREEDYMAP_DELTA_NUMBER(4), GREEDYMAP_YES},
     {GREEDYMAP_YES, GREEDYMAP_DELTA_NUMBER(16), GREEDYMAP_YES}}};

/* The grid's dimensions in other orders than the ranks': few, to stay below the
 * paper's 100 with them, too. */
static const struct configurations walks = {
    1,
    4,
    1,
    3,
    {{GREEDYMAP_YES, GREEDYMAP_DELTA_ALL, GREEDYMAP_YES},
     {GREEDYMAP_YES, GREEDYMAP_DELTA_SQRT, GREEDYMAP_YES},
     {GREEDYMAP_NO, GREEDYMAP_DELTA_NUMBER(4), GREEDYMAP_YES}}};

static size_t count(const struct configurations *of)
{
    return of->ncosts * of->nsearches * of->norders;
}

/* Those that differ on the allocation, into list[count(of)]; returns how
 * many. */
static size_t list_greedymap(struct candidate *list,
                             const struct configurations *of,
                             const struct mapcore_alloc *alloc,
                             bool links)
{
    const bool torus = mapcore_topo_is_torus(mapcore_alloc_topo(alloc));
    const uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    size_t n = 0;

    for (size_t i = 0; i < count(of); i++) {
        size_t search = i / of->norders % of->nsearches;
        uint32_t delta = of->search[search].delta;
        enum cost_kind cost = costs[i / of->norders / of->nsearches];
        uint32_t *value = list[n].setting.value;

        /* The root, rounded up, is less than all from three hosts on. */
        if ((of->search[search].wrap == GREEDYMAP_NO && !torus) ||
            (delta == GREEDYMAP_DELTA_SQRT && nhosts < 3) ||
            delta >= GREEDYMAP_DELTA_NUMBER(nhosts))
            continue;
        list[n].mapper = &mapper_greedymap;
        list[n].group = cost == COST_LINK && !links ? CANDIDATE_GREEDYMAP_LINK
                                                    : CANDIDATE_GREEDYMAP;
        value[GREEDYMAP_ORDER] = orders[of->first_order + i % of->norders];
        value[GREEDYMAP_DELTA] = delta;
        value[GREEDYMAP_PACK] = of->search[search].pack;
        value[GREEDYMAP_COST] = cost;
        value[GREEDYMAP_WRAP] = of->search[search].wrap;
        n++;
    }
    return n;
}

/* The layouts, and those whose results are the best starts, from what is there
 * first to what is best, for time cuts the list behind some of them; the last
 * where links are what counts. */
static const struct {
    const char *text;
    enum candidate_group group;
} starters[] = {
    {"default", CANDIDATE_CERTAIN},
    {"block", CANDIDATE_CERTAIN},
    {"cyclic", CANDIDATE_CERTAIN},
    {"grid:find=ranks", CANDIDATE_LEADER},
    {"rb:effort=blocks", CANDIDATE_SKETCH},
    {"rb:effort=quick", CANDIDATE_FIRST},
    {"rb", CANDIDATE_BETTER},
    {"grid:find=structure", CANDIDATE_STRUCTURE},
    {"list:order=GPART", CANDIDATE_CLUSTERS},
    {"multilevel", CANDIDATE_BEST},
    {"grid:by=link", CANDIDATE_OTHER},
};
#define NSTARTERS (sizeof(starters) / sizeof(*starters))

/* Below that, the first good mapping takes no longer than 20 ms, and what the
 * sketch takes is worth more for refinement. */
enum { SKETCHED = 8192 };

static bool has_blocks(const struct mapcore_alloc *alloc)
{
    for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++)
        if (mapcore_alloc_slots(alloc, h) % CANDIDATE_BLOCK > 0)
            return false;
    return mapcore_alloc_nslots(alloc) >= SKETCHED;
}

int candidates_list(struct candidate **list,
                    size_t *n,
                    const struct mapcore_alloc *alloc,
                    bool links,
                    bool has_walk,
                    struct arena *arena)
{
    struct candidate *out =
        arena_alloc(arena, 1 + NSTARTERS + count(&all), sizeof(*out));
    int error = arena->error;

    *n = 0;
    for (size_t i = 0; error == 0 && i < NSTARTERS - !links; i++) {
        if (starters[i].group == CANDIDATE_SKETCH && !has_blocks(alloc))
            continue;
        error = candidate_parse(&out[*n], starters[i].text, arena->err);
        out[(*n)++].group = starters[i].group;
    }
    if (error < 0)
        return error;
    *n += list_greedymap(out + *n, &all, alloc, links);
    if (has_walk)
        out[(*n)++] =
            (struct candidate){.mapper = &mapper_walk, .group = CANDIDATE_LAST};
    *list = out;
    return 0;
}

/* A configuration that takes a hundred times as long is as good as any other
 * for a seed or two; not so with cost link, where it takes thousands. */
#define EVERY_MOST 128

static void share_time(struct candidate *list,
                       size_t n,
                       const struct mapcore_graph *graph,
                       const struct mapcore_alloc *alloc)
{
    double least = 0;

    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < n; i++) {
            struct greedymap_config config;
            double cost;

            greedymap_take(&config, list[i].setting.value);
            cost = greedymap_cost(&config, graph, alloc);
            if (turn == 0)
                least = i == 0 || cost < least ? cost : least;
            else
                list[i].every =
                    cost < EVERY_MOST * least || config.cost == COST_LINK
                        ? (uint32_t)(cost / least + 0.5)
                        : EVERY_MOST;
        }
}

static void move_back(struct candidate *list, size_t from, size_t to)
{
    struct candidate moved = list[from];

    memmove(list + from, list + from + 1, (to - from) * sizeof(*list));
    list[to] = moved;
}

/* Those of the busiest link last; and the others begin elsewhere for each seed,
 * a sixteenth of them further on, and then one by one: so searches of several
 * seeds side by side divide the configurations. */
static void rotate(struct candidate *list, size_t n, uint64_t seed)
{
    size_t first = n, i = 0;

    while (i < first)
        if (list[i].group == CANDIDATE_GREEDYMAP_LINK) {
            move_back(list, i, n - 1);
            first--;
        } else {
            i++;
        }
    for (i = (size_t)((seed - 1) % 16 * first / 16 + (seed - 1) / 16 % first);
         i > 0; i--)
        move_back(list, 0, first - 1);
}

int candidates_parmapper(struct candidate **list,
                         size_t *n,
                         const struct mapcore_graph *graph,
                         const struct mapcore_alloc *alloc,
                         uint64_t seed,
                         struct arena *arena)
{
    struct candidate *out = arena_alloc(
        arena, count(&all) + count(&narrow) + count(&walks), sizeof(*out));
    bool has_grid;
    int error =
        out ? order_has_grid(&has_grid, graph, arena->err) : MAPCORE_ENOMEM;

    if (error < 0)
        return error;
    *n = has_grid && mapcore_alloc_nhosts(alloc) > 4
             ? list_greedymap(out, &walks, alloc, false)
             : 0;
    *n += list_greedymap(out + *n, &all, alloc, false);
    *n += list_greedymap(out + *n, &narrow, alloc, false);
    share_time(out, *n, graph, alloc);
    rotate(out, *n, seed);
    out[0].group = CANDIDATE_CERTAIN;
    *list = out;
    return 0;
}

static int refuse(const char *text, struct mapcore_error *err)
{
    struct mapcore_mapper mapper;
    char known[448] = "";
    size_t n = 0;

    for (size_t i = 0; mapcore_mapper_get(&mapper, i); i++)
        if (n < sizeof(known)) {
            int added = snprintf(known + n, sizeof(known) - n, "%s%s",
                                 i > 0 ? ", " : "", mapper.name);

            n += added > 0 ? (size_t)added : 0;
        }
    return error_set(err, MAPCORE_EINVAL,
                     "unknown mapper \"%.80s\": there are %s", text, known);
}

int candidate_parse(struct candidate *out,
                    const char *text,
                    struct mapcore_error *err)
{
    const struct mapper *mapper = mapper_find(text);

    if (!mapper)
        return refuse(text, err);
    if (!mapper->run)
        return error_set(err, MAPCORE_EINVAL,
                         "%s is a list of its own, no mapper", mapper->name);
    *out = (struct candidate){.mapper = mapper};
    return mapper_parse(&out->setting, mapper, text, err);
}

int candidates_one(struct candidate **list,
                   size_t *n,
                   const char *text,
                   struct arena *arena)
{
    *list = arena_alloc(arena, 1, sizeof(**list));
    *n = 1;
    return *list ? candidate_parse(*list, text, arena->err) : MAPCORE_ENOMEM;
}

int candidate_print(const struct candidate *candidate,
                    char *buffer,
                    size_t size)
{
    return mapper_print(candidate->mapper, &candidate->setting, buffer, size);
}
