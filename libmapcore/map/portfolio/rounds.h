/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rounds.h - what is made of the results of the list, by the engines of
 * map/refine: rounds of several runs side by side, each round from the best of
 * the one before; and what a search for the least time goes by in the end, all
 * types and phases of a workload, where the rest of it knows one graph. Errors:
 * ENOMEM, all of them. */
#ifndef MAPCORE_MAP_ROUNDS_H
#define MAPCORE_MAP_ROUNDS_H

#include "base/rng.h"
#include "map/portfolio/search.h"
#include "map/refine/refine.h"
#include "map/rng_streams.h"

/* Runs at once, on however many threads. */
#define CHAINS 4

/* One of them. */
struct rounds_chain {
    uint32_t *host; /* [ntasks], in the beginning that of the round */
    void *arg;
    uint32_t i; /* its number in the round */
    struct rng *rng;
    bool timed_out; /* host does not count */
    struct mapcore_error *err;
};

struct rounds {
    struct search *search;
    const struct schedule_rounds *row;
    int (*run)(struct rounds_chain *chain); /* changes host */
    void *arg;
    /* Before each round; NULL: nothing. */
    int (*prepare)(struct rounds *rounds, struct mapcore_error *err);
    /* What is to become less, of a result whose hosts are there; NULL:
     * hop-bytes on average. */
    int (*measure)(double *out,
                   struct search *search,
                   size_t result,
                   struct mapcore_error *err);
    const double *tie; /* [CHAINS] set by run: of equals the least is better;
                          NULL: hop-bytes on average */
    enum rng_stream stream; /* of random numbers */
    uint32_t first;         /* which of them the first round has */
    bool are_short;         /* chains are not worth a thread each */
    double end;  /* no round is begun that would go on behind this share of the
                    time; 0: all of the time */
    size_t from; /* the result that the first one begins with */

    /* All else is set by rounds_run. */
    uint32_t round, idle, stuck, agreed; /* this one; the last in a row */
    uint32_t *host; /* [ntasks] what the next one begins with */
    double least, least_tie;
    size_t candidate; /* what it comes from */
    double average;   /* hop-bytes of it */
};

/* Runs rounds until the row says that it is enough, or time or work are up
 * (search->interrupted), and adds what chains come to to the results, in their
 * order. Errors: those of run, prepare and measure, too. */
int rounds_run(struct rounds *rounds, struct mapcore_error *err);

/* Adds what was made of a candidate: takes host[ntasks] over, also where it
 * fails. */
int refined_take(struct search *search,
                 uint32_t *host,
                 size_t candidate,
                 bool is_kept,
                 struct mapcore_error *err);
/* Ends a refinement that began with result number from, and adds what it has
 * come to. */
int refined_add(struct search *search,
                struct refine *refine,
                size_t from,
                struct mapcore_error *err);

/* Rounds of whole refinements of result number start, each twice as long as the
 * one before; very few tasks begin with short rounds and, chosen by hop-bytes,
 * end with warm ones from the best. */
int refine_small(struct search *search,
                 const struct refine_base *base,
                 size_t start,
                 struct mapcore_error *err);

/* Whether the next is for the search; and the same for dense graphs with a task
 * on every host of a mesh: populations of mappings, until some have come to the
 * same. */
bool single_is(const struct search *search);
int refine_single(struct search *search, struct mapcore_error *err);

/* Refines result number start, or one with better clusters, once, on all
 * threads, in as many epochs as the schedule says, or else as time or work
 * allow. A grid laid out as one only ends with a greedy descent. */
int refine_large(struct search *search,
                 const struct refine_base *base,
                 size_t start,
                 struct mapcore_error *err);

/* On a torus with holes: rounds of map/refine/rotation.h from the least average
 * so far, each chain from a temperature of its own, and longer from round to
 * round; in the end single tasks descend. Does nothing without a bound. Its
 * units are the schedule's tasks. */
int refine_rotation(struct search *search,
                    const struct refine_base *base,
                    struct mapcore_error *err);

/* For the least time of the slowest link, or, by the rule of Pareto, for the
 * least maximum of hop-bytes within alpha of the average: rounds of
 * map/refine/bottleneck.h from result number from on. first: which random
 * numbers, 0 or any that no other call of the search comes to. */
int refine_bottleneck(struct search *search,
                      size_t from,
                      uint32_t first,
                      struct mapcore_error *err);

/* Iterated local search (Lourenco, Martin and Stuetzle 2003) in the time that
 * is left when links are through: such rounds whose chains warm the best
 * mapping so far, each to a temperature of its own, and cool it by the loads of
 * links. */
int refine_more(struct search *search, struct mapcore_error *err);

/* Sets how many results stay to choose from, and makes the tables of
 * last_choice_refine; below 1,024 tasks the graph alone is a workload where the
 * search has none. Does nothing by another rule. last_choice_end is due in any
 * case. Errors: ENOMEM. */
int last_choice_begin(struct search *search, struct mapcore_error *err);
void last_choice_end(struct search *search);

/* Whether a workload decides that the search was given: then a slower link of
 * its graph is no reason to leave out what takes less. */
bool last_choice_goes_by_types(const struct search *search);

/* Goes on from the result that takes least: turns of chains of
 * map/refine/phase_descent.h, until as many as patience says have gained
 * little, one after the other. first: the number of the first turn; before 0
 * come starts of its own for collectives by node. Nothing where there are no
 * tables. Errors: ENOMEM. */
int last_choice_refine(struct search *search,
                       uint32_t first,
                       uint32_t patience,
                       struct mapcore_error *err);

/* Makes the result that takes least the best, of equals the one that the rule
 * prefers; or keeps it, even if another is better by the graph alone.
 * Errors: ENOMEM. */
int last_choice(struct search *search, bool keeps, struct mapcore_error *err);

#endif
