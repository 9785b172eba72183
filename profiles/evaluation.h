/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation.h - evaluation.json: how long a program ran with each task graph
 * of its profile, and which graph is best */
#ifndef PROFILES_EVALUATION_H
#define PROFILES_EVALUATION_H

#include "base/error.h"
#include "profiles/profile.h"

#include <stdbool.h>
#include <stdio.h>

#define EVALUATION_FILE   "evaluation.json"
#define EVALUATION_FORMAT 1
enum {
    EVALUATION_FEW_RUNS = 3,
    EVALUATION_RUNS_MOST = 1000, /* of a graph */
};
/* What stands in place of a graph's name for the runs in Slurm's own layout. */
#define EVALUATION_UNMAPPED "unmapped"

/* Seconds of a run; the first two are always known. */
enum {
    EVALUATION_SECONDS,  /* MPI_Init to MPI_Finalize */
    EVALUATION_MPI,      /* in MPI, a task on average */
    EVALUATION_P2P,      /* in point-to-point calls, a task on average */
    EVALUATION_MOST_P2P, /* the same of the longest task */
    EVALUATION_MOST_MPI, /* in MPI, of the longest task */
    EVALUATION_KINDS,
};

/* One kind of seconds: of every run, or else of some that are not to be used.
 */
struct evaluation_series {
    char *name; /* of a phase, as profiles have it */
    size_t n;
    double *seconds; /* [n], of the first n runs */
};

/* The runs with one graph, in the order in which they were made. */
struct evaluation_graph {
    char *name;
    size_t nruns;
    struct evaluation_series series[EVALUATION_KINDS];
    size_t nphases; /* more than PROFILE_PHASES_MOST are passed over */
    struct evaluation_series *phase;
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
    /* As tune.py judged them. */
    const char *best;      /* name of one of graphs; NULL: none was run */
    bool unmapped_is_best; /* beyond the noise */
    double noise_seconds;
};

void evaluation_destroy(struct evaluation *evaluation);

/* Every graph was run as often as asked for. */
bool evaluation_is_complete(const struct evaluation *evaluation);

/* The median of a series of that graph, of an even number of runs the mean of
 * the middle two; -1: not known of every run, or there is none. O(n^2). */
double evaluation_median(const struct evaluation_graph *graph,
                         const struct evaluation_series *series);
/* A phase of that name; NULL: no run has it. */
struct evaluation_series *evaluation_phase(const struct evaluation_graph *graph,
                                           const char *name);
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
/* As JSON on a stream. Errors: EIO, ENOMEM. */
int evaluation_print(const struct evaluation *evaluation,
                     FILE *stream,
                     struct mapcore_error *err);

#endif
