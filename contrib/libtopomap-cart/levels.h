/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* levels.h - the levels of the machine under the tasks of a communicator, from
 * where each task is; no MPI in it */
#ifndef TOPOMAP_CART_LEVELS_H
#define TOPOMAP_CART_LEVELS_H

#include "base/error.h"

/* What a task can be in, the outermost first: the leaf switch of its node, the
 * node, and of that a package, a NUMA node, an L3 cache. */
enum levels_kind {
    LEVELS_SWITCH,
    LEVELS_NODE,
    LEVELS_PACKAGE,
    LEVELS_NUMA,
    LEVELS_L3,
    LEVELS_KINDS,
};

/* Levels that are described by numbers alone. */
#define LEVELS_GIVEN 8
/* All kinds, those, and what is left. */
#define LEVELS_MOST (LEVELS_KINDS + LEVELS_GIVEN + 1)

/* Where a task is, as all tell each other: numbers that are the same for tasks
 * of one switch, node, package of the node and so on; -1: not known, or in no
 * single one. */
struct levels_place {
    int in[LEVELS_KINDS];
};

/* Which levels are wanted: a bit 1 << kind for each, and, inside of those, the
 * number of parts of each part, by rank. */
struct levels_wish {
    uint32_t kinds;
    uint32_t ngiven;
    uint32_t given[LEVELS_GIVEN]; /* each >= 1 */
};

/* All kinds, and nothing given. */
#define LEVELS_ALL ((1u << LEVELS_KINDS) - 1)

struct levels {
    uint32_t nlevels;
    uint32_t counts[LEVELS_MOST]; /* [nlevels], outermost first; their product
                                     is ntasks */
    int kind[LEVELS_MOST];        /* [nlevels] a levels_kind, or LEVELS_KINDS:
                                     given, or single tasks */
    uint32_t ntasks;
    uint32_t *position; /* [ntasks] of each rank, tasks of a part of each level
                           in a row, by rank */
    uint32_t *node;     /* [ntasks] the node of each rank, whether or not nodes
                           are a level */
};

/* Finds the levels of ntasks >= 1 tasks. A kind is a level when all tasks are
 * in one, in equal numbers, and it parts what the level outside it left
 * together; otherwise it is left out, and those inside it are looked at all the
 * same. Nodes with unequal numbers of tasks: one level of all tasks. Places
 * follow each other by their numbers, tasks of one by rank. out is ended by
 * levels_clear. Errors: EINVAL (what is given does not divide the
 * tasks of a part), ENOMEM. */
int levels_arrange(struct levels *out,
                   const struct levels_place *place,
                   uint32_t ntasks,
                   const struct levels_wish *wish);
void levels_clear(struct levels *levels);

/* Tasks in each part of level l. */
uint32_t levels_tasks(const struct levels *levels, uint32_t l);

/* "switch", "node", "package", "numa", "l3"; of LEVELS_KINDS "task". */
const char *levels_word(int kind);

/* What a program asks of its grid in an MPI_Info, or who starts it in the
 * environment. */

/* Reads a list such as node,package,2,4 : words of levels_word, outermost
 * first, and behind them numbers, the parts of each part. Errors: EINVAL (other
 * words, a word behind a number, a number that is not 1 to INT32_MAX, more than
 * LEVELS_GIVEN numbers). */
int levels_read_wish(struct levels_wish *out, const char *text);

/* Reads n positive numbers with commas between them. Errors: EINVAL. */
int levels_read_numbers(double *out, int n, const char *text);

#endif
