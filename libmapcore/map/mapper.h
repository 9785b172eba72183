/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapper.h - the door of a mapper: a problem in, a host for every task out */
#ifndef MAPCORE_MAP_MAPPER_H
#define MAPCORE_MAP_MAPPER_H

#include "map/problem.h"

#include <stdbool.h>

/* Parameters that a mapper may have: each one word of a fixed list. */
#define MAPPER_PARAMETERS 4

struct mapper_parameter {
    const char *key;
    const char *const *words; /* up to NULL; the first is the default */
};

/* One run of a mapper. */
struct mapper_call {
    const uint8_t *value; /* [MAPPER_PARAMETERS], index into words */
    uint64_t seed;        /* of the search */
    uint32_t pass;        /* runs of higher passes differ, if they can */
    unsigned threads;     /* that it may use; 0 stands for 1 */
};

/* How it ended. */
struct mapper_end {
    bool timed_out; /* time was up: host is not complete */
    bool is_random; /* another seed or pass may give another result */
};

/* A mapper whose result depends on (problem, call) alone: on no deadline but
 * for timing out, and on no thread. */
struct mapper {
    const char *name;    /* as in --mapper */
    const char *summary; /* one line for people, the parameters in it */
    const char *source;  /* authors, year, equation or algorithm number */
    const struct mapper_parameter *parameters; /* up to key NULL; or NULL */
    /* Fills host[ntasks] with indices of the allocation, no host with more
     * tasks than slots; it asks for its deadline about every millisecond. end
     * is zeroed before. Errors: ENOMEM, and what the mapper names. */
    int (*run)(uint32_t *host,
               struct mapper_end *end,
               const struct map_problem *problem,
               const struct mapper_call *call,
               struct mapcore_error *err);
};

/* The mapper of that name ("topolb" of "topolb:order=second"), or NULL. */
const struct mapper *mapper_find(const char *text);

/* Parses what follows the name, ":key=word,key=word" or nothing, into
 * value[MAPPER_PARAMETERS]. Errors: EINVAL, naming what is allowed. */
int mapper_parse(uint8_t *value,
                 const struct mapper *mapper,
                 const char *text,
                 struct mapcore_error *err);
/* The same in full; like snprintf. */
int mapper_print(const struct mapper *mapper,
                 const uint8_t *value,
                 char *buffer,
                 size_t size);
/* A number that no other mapper and values have: above 2^40, where
 * GreedyMap's numbers end, and below 2^48, for random streams. */
uint64_t mapper_number(const struct mapper *mapper, const uint8_t *value);

/* The registered mappers, up to NULL. A mapper's place in the list is part of
 * what a seed means: new ones go to its end. */
extern const struct mapper *const mapper_list[];

#endif
