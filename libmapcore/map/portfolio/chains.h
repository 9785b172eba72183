/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* chains.h - several runs from one mapping, side by side */
#ifndef MAPCORE_MAP_CHAINS_H
#define MAPCORE_MAP_CHAINS_H

#include "base/rng.h"
#include "map/portfolio/search.h"
#include "map/refine/refine.h"
#include "map/rng_streams.h"

/* Runs at once, on however many threads. */
#define CHAINS 4

struct chains {
    struct search *search;
    size_t from;           /* the result that they go on from */
    const uint32_t *start; /* [ntasks], a copy of its hosts: the result may be
                              forgotten meanwhile */
    /* Changes host[ntasks], in the beginning a copy of start, as chain number
     * i has it. *timed_out, false in the beginning: host does not count. */
    int (*run)(uint32_t *host,
               bool *timed_out,
               const void *arg,
               uint32_t i,
               struct rng *rng,
               struct mapcore_error *err);
    const void *arg;
    enum rng_stream stream; /* of their random numbers */
    uint32_t number;        /* which of them: of the round or turn */
    bool are_short;         /* not worth a thread each */
    bool keeps; /* the hosts of what comes out, even of what cannot win */
};

/* Runs CHAINS of them, or as many as work is left for, and adds what they
 * come to to the results, in their order; *ran: how many counted, which are the
 * last results then. Errors: ENOMEM, those of run. */
int chains_run(size_t *ran,
               const struct chains *chains,
               struct mapcore_error *err);

/* Ends a refinement that began with result number from, and adds what it has
 * come to. Errors: ENOMEM. */
int refined_add(struct search *search,
                struct refine *refine,
                size_t from,
                struct mapcore_error *err);

#endif
