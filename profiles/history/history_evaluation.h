/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_evaluation.h - what production runs have shown of a program, and the
 * runs that showed it, kept when the history has forgotten them */
#ifndef PROFILES_HISTORY_EVALUATION_H
#define PROFILES_HISTORY_EVALUATION_H

#include "profiles/history/history_file.h"

/* FOLDER/evaluation-<digest>.json in the folder of a history: a file for each
 * program, build, arguments, tasks, nodes and kind of node, format 1. */
#define HISTORY_EVALUATION_FORMAT 1
#define HISTORY_EVALUATIONS       "evaluation-"
/* Of one of them; and of them all: the oldest go. */
#define HISTORY_EVALUATION_RUNS   400
#define HISTORY_EVALUATION_MOST   ((size_t)1 << 20)
#define HISTORY_EVALUATIONS_FILES 512
#define HISTORY_EVALUATIONS_BYTES ((uint64_t)16 << 20)

struct history_evaluation {
    uint64_t format;
    /* program, identity, arguments, node_type, ntasks and nnodes, which tell
     * whose it is; time and at_s, when it was written. */
    struct history_line of;
    char *verdict; /* a word of tools/learn/verdict.h */
    uint32_t pairs;
    double gain, low, high; /* shares of the time; not a number: not known */
    char *graph;            /* by which placed runs are laid out; or NULL */
    size_t n;
    struct history_line *run; /* at_s, job, step, outcome, graph, profile and
                                 seconds of each; owned */
};

void history_evaluation_begin(struct history_evaluation *out);
void history_evaluation_clear(struct history_evaluation *evaluation);

/* Reads that of a launch. Errors: ENOENT (there is none), ETRUST (not the
 * user's own), EIO, EPARSE, EVERSION, ERANGE, ENOMEM. */
int history_evaluation_read(struct history_evaluation *out,
                            const struct own_folder *folder,
                            const struct history_line *of,
                            struct mapcore_error *err);
/* Reads the n bytes of such a file; name is for messages. Errors: EPARSE,
 * EVERSION, ERANGE, ENOMEM. */
int history_evaluation_parse(struct history_evaluation *out,
                             const char *name,
                             const char *bytes,
                             size_t n,
                             struct mapcore_error *err);
/* Writes it beside its name, synced, and renames it: of many who write at once
 * the last one counts, and what its runs lack the history still has. Errors:
 * EIO, ENOMEM. */
int history_evaluation_write(const struct history_evaluation *evaluation,
                             const struct own_folder *folder,
                             struct mapcore_error *err);

/* Every one of a folder, (*out)[*n], owned, by name; what cannot be read is
 * passed over. Errors: EIO, ENOMEM. */
int history_evaluations_read(struct history_evaluation **out,
                             size_t *n,
                             const struct own_folder *folder,
                             struct mapcore_error *err);
void history_evaluations_clear(struct history_evaluation *evaluations,
                               size_t n);

/* Whether a step is one of its runs. */
bool history_evaluation_has(const struct history_evaluation *evaluation,
                            const struct history_line *step);

/* Adds, marked as forgotten, those of its runs that the history has not, each
 * with all that tells whose it is. history is joined. Errors: ENOMEM. */
int history_add_forgotten(struct history *history,
                          const struct history_evaluation *evaluation);

#endif
