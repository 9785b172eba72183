/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation.h - evaluation.json: how long a program ran with each task graph
 * of its profile, and which graph is best */
#ifndef PROFILES_EVALUATION_H
#define PROFILES_EVALUATION_H

#include "base/error.h"
#include "profiles/evaluation_phases.h"

#include <stdbool.h>
#include <stdio.h>

#define EVALUATION_FILE   "evaluation.json"
#define EVALUATION_FORMAT 1
enum {
    EVALUATION_FEW_RUNS = 3,
};
/* What stands in place of a graph's name for the runs in Slurm's own layout. */
#define EVALUATION_UNMAPPED "unmapped"

/* What one run says of single tasks: their seconds in point-to-point calls, on
 * average and of the longest, and of the longest in MPI altogether. */
struct evaluation_tasks {
    double p2p, most_p2p, most_mpi;
};

/* The runs with one graph, in the order in which they were made. */
struct evaluation_graph {
    char *name;
    size_t nruns, capacity;
    double *seconds;     /* [nruns], MPI_Init to MPI_Finalize */
    double *mpi_seconds; /* [nruns], in MPI, a task on average */
    /* [ntasks]: of every run, or else of some that are not to be used. */
    size_t ntasks;
    struct evaluation_tasks *tasks;
    struct evaluation_phases phases;
    double hops_per_byte, before; /* on this graph; -1: not known */
    /* The same of the task with most hop-bytes, over the bytes of one. */
    double max_hops_per_byte, max_before;
};

struct evaluation {
    char *evaluated; /* ISO 8601 UTC; NULL: not yet */
    char *nodes;     /* Slurm's expression; NULL: not known */
    uint32_t repeat; /* runs that were asked for of each */
    size_t ngraphs;
    struct evaluation_graph *graphs; /* the first is EVALUATION_UNMAPPED */
    /* By evaluation_judge, or as read. */
    char *best;            /* of the graphs; NULL: none was run */
    bool unmapped_is_best; /* beyond the noise */
    double noise_seconds;
};

/* One that holds `unmapped` and the names given, without runs. Errors: ENOMEM.
 */
int evaluation_create(struct evaluation **out,
                      const char *const *names,
                      size_t nnames,
                      uint32_t repeat,
                      struct mapcore_error *err);
void evaluation_destroy(struct evaluation *evaluation);

/* Adds a run of graphs[graph]. Errors: ENOMEM. */
int evaluation_add(struct evaluation *evaluation,
                   size_t graph,
                   double seconds,
                   double mpi_seconds,
                   struct mapcore_error *err);
/* Says that of the last run of graphs[graph]; nothing
 * when it was not said of one before it. Errors: ENOMEM. */
int evaluation_add_tasks(struct evaluation *evaluation,
                         size_t graph,
                         const struct evaluation_tasks *tasks,
                         struct mapcore_error *err);
/* Every graph was run as often as asked for. */
bool evaluation_is_complete(const struct evaluation *evaluation);

/* Every run of that graph, and there is one, says what single tasks spent. */
bool evaluation_knows_tasks(const struct evaluation_graph *graph);

/* The median of values[n]: of an even number the mean of the middle two; n > 0.
 * Errors: ENOMEM. */
int evaluation_median(double *out,
                      const double *values,
                      size_t n,
                      struct mapcore_error *err);

/* Sets best: the graph of the least median seconds, the first of equal ones.
 * The noise is the larger of the spreads (longest less shortest run) of the
 * best graph and of the unmapped runs, and at least 1% of the unmapped median,
 * or 5% where one of them has fewer than EVALUATION_FEW_RUNS. unmapped_is_best:
 * all runs were made, and so many, and its median is below the best graph's by
 * more than the noise.
 * Errors: ENOMEM. */
int evaluation_judge(struct evaluation *evaluation, struct mapcore_error *err);

/* Whether Slurm's own layout and the best graph were each run often enough to
 * go by: EVALUATION_FEW_RUNS times. With fewer it is as if nothing was
 * measured.
 */
bool evaluation_decides(const struct evaluation *evaluation);
/* Whether they differ by more than the noise. */
bool evaluation_is_sure(const struct evaluation *evaluation);

/* Reads FOLDER/evaluation.json. Errors: ENOENT (never evaluated), EIO, EPARSE
 * (file and key), EVERSION, ERANGE, ENOMEM. */
int evaluation_read(struct evaluation **out,
                    const char *folder,
                    struct mapcore_error *err);
/* The same from n bytes in memory, under a name for messages. */
int evaluation_parse(struct evaluation **out,
                     const char *name,
                     const char *bytes,
                     size_t n,
                     struct mapcore_error *err);
/* Writes it beside its name, synced, and renames it: readers see the old one or
 * the new. Errors: EIO, ENOMEM. */
int evaluation_write(const struct evaluation *evaluation,
                     const char *folder,
                     struct mapcore_error *err);
/* The same as JSON on a stream. Errors: EIO, ENOMEM. */
int evaluation_print(const struct evaluation *evaluation,
                     FILE *stream,
                     struct mapcore_error *err);

#endif
