/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tune.h - the parts of topomap tune: one run, the profile, the report */
#ifndef TOOLS_TUNE_H
#define TOOLS_TUNE_H

#include "profiles/catalogue/catalogue.h"
#include "profiles/evaluation.h"
#include "profiles/profile_phase.h"
#include "profiles/taskgraphs.h"
#include "tools/common/tool.h"

enum { TUNE_PHASES = 4 };

struct tune {
    /* As typed, borrowed. */
    const char *name, *exe; /* NULL: not said */
    const char *config;     /* NULL: the default site file */
    struct tool_list catalogues;
    const char *log;    /* where the runs' output goes, too; NULL: nowhere */
    const char *budget; /* SECONDS of each plan, NULL: the site's */
    double budget_s;    /* the same, or what a plan takes at most by default */
    double share;
    uint32_t repeat;
    bool fresh, json, csv;
    const char *forget; /* a profile, as topomap profile takes it; or NULL */
    char **words;       /* srun and its words, NULL behind them */

    char *own;         /* the user's catalogue, absolute */
    char *scratch;     /* a folder of ours in it */
    char *nodes;       /* of the last mapped run; NULL: not known */
    int signal;        /* what ended us; 0: nothing */
    unsigned attempts; /* runs begun */

    char *folder; /* the version that is evaluated */
    struct profile *profile;
    struct taskgraphs graphs;
    struct evaluation *evaluation;
    char *phase_graph[TUNE_PHASES]; /* "all@solve", owned; NULL: no more */
    unsigned done, planned;         /* runs */
    /* Wall time of runs in Slurm's own layout, and of those with a graph. */
    double wall[2];
    unsigned nwall[2];
};

/* A stage's answer beside 0 and a negative code: a signal came. */
enum {
    TUNE_INTERRUPTED = 1,
};

struct tune_run {
    struct evaluation_run of;
    double hops_per_byte, before; /* -1: not mapped */
    double max_hops_per_byte, max_before;
    double wall;                      /* all of srun */
    struct catalogue_entry recording; /* in scratch, until the next run */
};

/* Starts the user's srun with a graph of evaluation, or in Slurm's own layout
 * (graph 0), and records it. Prints the end of what it wrote when it fails.
 * Errors: EIO (with the reason); TUNE_INTERRUPTED. tune_run_clear is due after
 * success. */
int tune_run(struct tune_run *out,
             struct tune *tune,
             size_t graph,
             struct mapcore_error *err);
void tune_run_clear(struct tune_run *run);

/* Finds the profile of what has run, or files that recording as one; sets
 * folder and profile. A profile that the user cannot write to (the site's) is
 * copied into the user's own catalogue first. Errors: the catalogue's. */
int tune_find_profile(struct tune *tune,
                      const struct catalogue_entry *recording,
                      struct mapcore_error *err);

/* Removes the evaluation of the profile that forget means. Errors: ENOENT
 * (never evaluated), EIO, those of profile_select. */
int tune_forget(const struct tune *tune, struct mapcore_error *err);

/* Lists the graphs that are tried, and writes each into scratch. Errors: ENOENT
 * (no type is critical, with the reason), those of taskgraphs_make, EIO,
 * ENOMEM. */
int tune_list_graphs(struct tool_list *names,
                     struct tune *tune,
                     struct mapcore_error *err);
/* "SCRATCH/NAME" and the ending, owned; NULL and err without memory. */
char *tune_below(const struct tune *tune,
                 const char *name,
                 const char *ending,
                 struct mapcore_error *err);

/* Where we are and how long it will take, on a terminal only. */
void tune_progress(const struct tune *tune, const char *graph);
void tune_progress_end(void);
/* The table, or JSON, on stdout. Errors: EIO, ENOMEM. */
int tune_report(const struct tune *tune, struct mapcore_error *err);

#endif
