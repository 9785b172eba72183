/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* expanded.h - what the calls of a type of collective come to: flows in stages,
 * as the MPI library runs them */
#ifndef PROFILES_EXPANDED_H
#define PROFILES_EXPANDED_H

#include "graph/phases.h"
#include "profiles/collectives/algorithm.h"

#include <stddef.h>
#include <stdint.h>

/* What the library sends for one line of the file. */
struct expanded_call {
    uint32_t size;           /* of the communicator */
    const uint32_t *members; /* [size]; NULL: all tasks in order */
    uint32_t root;           /* a rank in it */
    uint64_t calls, bytes;   /* as in the file */
    enum algorithm_library library;
    size_t end; /* its flows end before that one */
};

/* All of them for a type, in the order of the file. */
struct expanded {
    struct mapcore_error *err;  /* of the caller */
    struct expanded_call *call; /* [ncalls] */
    size_t ncalls, calls_capacity;
    struct mapcore_flow *flow; /* [nflows], by calls */
    uint32_t *stage;           /* [nflows], below ALGORITHM_MOST_STAGES */
    size_t nflows, flows_capacity, stages_capacity;
    uint32_t **members; /* [ncommunicators], owned */
    size_t ncommunicators;
};

/* Adds what goes between two members, NULL: all tasks, of the call at hand.
 * Errors: ENOMEM. */
int expanded_add_flow(struct expanded *flows,
                      const uint32_t *members,
                      const struct algorithm_flow *flow);
/* A call whose flows have been added. Errors: ENOMEM. */
int expanded_add_call(struct expanded *flows, const struct expanded_call *call);

/* Releases all but calls and members; all of it. */
void expanded_clear_flows(struct expanded *expanded);
void expanded_clear(struct expanded *expanded);

/* Calls that are alike, on communicators that share no task, go on at once;
 * those on others, such as the rows and the columns of a grid, follow each
 * other. Which are which is seen by their sizes, by how far apart their tasks
 * are numbered, and by what they send. A stage of all calls on a communicator
 * is one phase; of several stages half of the bytes go in step, half at any
 * time. Flows and stages of expanded become those of the phases. Errors:
 * EINVAL, ENOMEM. */
int expanded_phases(struct mapcore_phases **out,
                    uint32_t ntasks,
                    struct expanded *expanded);

#endif
