/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapper.h - the door of a mapper: a problem in, a host for every task out */
#ifndef MAPCORE_MAP_MAPPER_H
#define MAPCORE_MAP_MAPPER_H

#include "map/problem.h"

#include <stdbool.h>

/* Parameters that a mapper may have, and the longest name of a file. */
#define MAPPER_PARAMETERS 5
#define MAPPER_PATH       1024

/* The parameters of a mapper as they are set. All 0: the defaults. */
struct mapper_setting {
    /* Index into the words; a number n is n + 1 (behind two words), a file the
     * number of the words. */
    uint32_t value[MAPPER_PARAMETERS];
    char path[MAPPER_PATH];
};

struct arena;
struct pool;

/* How a run ended. */
struct mapper_end {
    bool timed_out; /* time was up: host is not complete */
    bool is_random; /* another seed or pass may give another result */
    uint32_t steps; /* that were made, where these were not all; else 0 */
};

/* One run of a mapper. */
struct mapper_call {
    /* Set by mapper_run. */
    const struct map_problem *problem;
    uint32_t *host; /* [ntasks], to be filled */
    struct mapper_end *end;
    struct arena *arena; /* what a mapper takes from it ends with the run, and
                            its err is that of the run */

    const uint32_t *value; /* of a setting */
    const char *path;      /* where a FILE was named, else not read */
    uint64_t seed;         /* of the search */
    uint32_t pass;         /* runs of higher passes differ, if they can */
    struct pool *pool;     /* of threads that it may use; NULL: none */
    /* The steps of a mapper that works in steps: after them it fills in the
     * rest at once; 0: all. */
    uint32_t steps;
    bool may_cut; /* where time is up, the same instead of timing out */
};

/* A mapper whose result depends on (problem, call) alone: on no deadline but
 * for timing out or being cut, and on no thread. */
struct mapper {
    const char *name;    /* as in --mapper */
    const char *summary; /* one line for people, the parameters in it */
    const char *source;  /* authors, year, equation or algorithm number */
    /* "key=word|word|N,key=word|FILE", or NULL: the first word of each is the
     * default. N: a number, 1 .. UINT32_MAX - 1, behind two words; FILE: the
     * name of a file, without commas; one such parameter a mapper. */
    const char *parameters;
    bool is_layout; /* a launcher's own: slots of a host are taken in the order
                       of the tasks, and not chosen afterwards */
    /* Fills host[ntasks] with indices of the allocation, no host with more
     * tasks than slots; it asks for its deadline about every millisecond.
     * Called by mapper_run. NULL: a list of mappers, no mapper itself. Errors:
     * ENOMEM, and what the mapper names. */
    int (*run)(const struct mapper_call *call);
};

/* Runs a mapper; end is all its own. */
int mapper_run(uint32_t *host,
               struct mapper_end *end,
               const struct mapper *mapper,
               const struct map_problem *problem,
               const struct mapper_call *call,
               struct mapcore_error *err);

/* The mapper of that name ("topolb" of "topolb:order=second"), or NULL. */
const struct mapper *mapper_find(const char *text);

/* Parses what follows the name, ":key=value,key=value" in any order, or
 * nothing. Errors: EINVAL, naming what is allowed. */
int mapper_parse(struct mapper_setting *out,
                 const struct mapper *mapper,
                 const char *text,
                 struct mapcore_error *err);
/* The same in full; like snprintf. */
int mapper_print(const struct mapper *mapper,
                 const struct mapper_setting *setting,
                 char *buffer,
                 size_t size);

/* The registered mappers, up to NULL, in the order in which people see them. */
extern const struct mapper *const mapper_list[];

/* Every mapper, for the registry; no other file knows families of mappers. */
extern const struct mapper mapper_rb;
extern const struct mapper mapper_multilevel;
extern const struct mapper mapper_grid;
extern const struct mapper mapper_default;
extern const struct mapper mapper_block;
extern const struct mapper mapper_cyclic;
extern const struct mapper mapper_greedymap;
extern const struct mapper mapper_plane;
/* Up to that many tasks a walk looks ahead, and is one of a search by time. */
#define WALK_MOST 8192
extern const struct mapper mapper_walk;
extern const struct mapper mapper_list_curve;
extern const struct mapper mapper_topolb;
extern const struct mapper mapper_hs_greedy;
extern const struct mapper mapper_hs_rb;
extern const struct mapper mapper_hs_rcm;
extern const struct mapper mapper_faq;
extern const struct mapper mapper_bottom_up;
extern const struct mapper mapper_random;

#endif
