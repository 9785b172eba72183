/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* candidates.h - what the portfolio tries, and in which order */
#ifndef MAPCORE_MAP_CANDIDATES_H
#define MAPCORE_MAP_CANDIDATES_H

#include "map/mapper.h"

struct arena;

/* What the schedule (schedule.h) tells apart. */
enum candidate_group {
    CANDIDATE_CERTAIN,        /* always counts: layouts, the first of a list */
    CANDIDATE_LEADER,         /* grids that the ranks show: found at once */
    CANDIDATE_SKETCH,         /* a rough one of any graph, in a quarter of the
                                 time of the next */
    CANDIDATE_FIRST,          /* the first good mapping of any graph */
    CANDIDATE_BETTER,         /* a better one, in twice the time */
    CANDIDATE_STRUCTURE,      /* grids that the ranks do not show */
    CANDIDATE_CLUSTERS,       /* what its hosts hold has few bytes to others,
                                 wherever it is: where refinement begins with
                                 clusters */
    CANDIDATE_BEST,           /* the best start of an irregular graph, in five
                                 times that of the first */
    CANDIDATE_OTHER,          /* a start that is not often the best */
    CANDIDATE_GREEDYMAP,      /* one of many, and slow for many tasks */
    CANDIDATE_GREEDYMAP_LINK, /* with cost link where that is not what counts:
                                 slower than all others together */
    CANDIDATE_LAST,           /* compared with what all others come to */
};

struct candidate {
    const struct mapper *mapper;
    struct mapper_setting setting;
    enum candidate_group group;
    uint32_t every; /* where time is shared: in one of this number of passes; 0:
                       in each */
};

/* Smaller blocks take nearly as long as no blocks. */
#define CANDIDATE_BLOCK 4

/* The layouts at the head of the list. */
#define CANDIDATE_LAYOUTS 3

/* The list for an allocation: default, block, cyclic, the mappers grid (by the
 * ranks), rb of blocks where there are many slots, on all hosts a multiple of
 * CANDIDATE_BLOCK, quick rb, rb, grid (by the structure), list and multilevel,
 * with links also the grid by its slowest link, then GreedyMap's configurations
 * (4 orders x delta {all, sqrt} x pack {1, 0} x cost {hop, max, link} x wrap
 * {1, 0}). Wrap is for tori and only with delta sqrt, since with all hosts
 * examined closeness says nothing; sqrt only where it is less than all. Cheap
 * and often best ones come first, those with cost link last; behind them a
 * walk, where it is wanted. list: [*n], the arena's. Errors: ENOMEM. */
int candidates_list(struct candidate **list,
                    size_t *n,
                    const struct mapcore_alloc *alloc,
                    bool links,
                    bool has_walk,
                    struct arena *arena);

/* The list of ParMapper (Galvez, Jain, Kale, ICS'17 section 4.2): GreedyMap's
 * of these, more of them with delta 4 and 16 where that is not all, and before
 * them three with order GRID where the ranks show one: 99 at most. Those
 * with cost link are last; of the others each seed begins a sixteenth further
 * on, and the first one is certain. Every: by what a run costs beside the
 * cheapest (greedymap_cost), 128 at most. */
int candidates_parmapper(struct candidate **list,
                         size_t *n,
                         const struct mapcore_graph *graph,
                         const struct mapcore_alloc *alloc,
                         uint64_t seed,
                         struct arena *arena);

/* The list of one mapper and its parameters, as text. Errors: those of
 * candidate_parse, ENOMEM. */
int candidates_one(struct candidate **list,
                   size_t *n,
                   const char *text,
                   struct arena *arena);

/* Parses a mapper of the registry and its parameters. Errors: EINVAL. */
int candidate_parse(struct candidate *out,
                    const char *text,
                    struct mapcore_error *err);
/* The same as text; like snprintf. */
int candidate_print(const struct candidate *candidate,
                    char *buffer,
                    size_t size);

#endif
