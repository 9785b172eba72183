/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_line.h - what the history says of a step: a line of JSON when it is
 * launched, and one when it has ended */
#ifndef PROFILES_HISTORY_LINE_H
#define PROFILES_HISTORY_LINE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_FORMAT 1
#define HISTORY_LAUNCH "launch"
#define HISTORY_END    "end"
/* With its newline. What goes to syslog may not be longer everywhere. */
#define HISTORY_LINE_MOST ((size_t)4096)
/* Of a text in it; more is cut off, marked by three dots. */
#define HISTORY_TEXT_MOST ((size_t)400)

/* Strings are owned; NULL, 0 or a negative amount: not known. */
struct history_line {
    uint64_t format;
    char *event; /* HISTORY_LAUNCH, HISTORY_END; the launch's when merged */
    char *time;  /* ISO 8601 UTC */
    double at_s; /* the same, since 1970 */
    char *user;  /* a name; of what others wrote the owner of the file */
    uint32_t job, step;
    char *program;   /* as the catalogue calls it */
    char *identity;  /* of that executable */
    char *arguments; /* a digest of the command as typed */
    char *node_type; /* partition and CPUs: what runs can be compared by */
    uint32_t ntasks, nnodes;
    char *nodelist; /* Slurm's expression */
    char *outcome;  /* history_outcome() */
    char *why;      /* one line */
    char *asked;    /* "user" or "site" */
    char *graph;    /* of the profile, by which it was placed */
    char *profile;  /* its version */
    bool recorded;  /* to learn from it */
    double links_before, links_after;     /* that a byte crosses on average */
    double busiest_before, busiest_after; /* bytes, of the busiest link */
    double offnode_before, offnode_after; /* bytes between nodes */
    double plan_ms, seconds;              /* seconds: of the run */
    double mpi_seconds; /* of them in MPI, a task on average */
    /* Seconds of the recorded run, and of a task of it in MPI: as it was, and
     * as it would be estimated to be if placed. */
    double profile_s, mpi_before_s, mpi_after_s;
    char *state;     /* how it ended, "COMPLETED", where Slurm's accounting said
                        the seconds; never written by topomap itself */
    uint64_t origin; /* the host whose file has it, as a number below 2^53; 0:
                        of no file of a history; written where sums are kept */
    bool
        forgotten; /* by the history, and known by an evaluation; not written */
    char *map;     /* the file beside the history with the place of each rank */
    char *cpus;    /* and that with its CPUs */
};

/* Words for outcome. */
#define HISTORY_PLACED      "placed"
#define HISTORY_UNCHANGED   "unchanged"   /* nothing was to be gained */
#define HISTORY_NO_PROFILE  "no-profile"  /* no profile, or no plan */
#define HISTORY_NO_MPI      "no-mpi"      /* it is no program for MPI */
#define HISTORY_UNSUPPORTED "unsupported" /* srun had nothing to ask */
#define HISTORY_FAILED      "failed"   /* there was to be a plan, and is none */
#define HISTORY_RECORDED    "recorded" /* and not placed */
#define HISTORY_CONTROL     "control"  /* in Slurm's layout, to compare with */
#define HISTORY_OBSERVED    "observed" /* the same, with a plan's amounts */

/* One whose amounts are not known. */
void history_line_begin(struct history_line *out);
void history_line_clear(struct history_line *line);

/* The line, *out owned, with its newline, less than HISTORY_LINE_MOST bytes.
 * Errors: ENOMEM, ERANGE. */
int history_line_format(char **out,
                        const struct history_line *line,
                        struct mapcore_error *err);
/* Reads one of n bytes without its newline. Errors: EPARSE, EVERSION, ERANGE,
 * ENOMEM. */
int history_line_parse(struct history_line *out,
                       const char *bytes,
                       size_t n,
                       struct mapcore_error *err);
/* The same up to event, at_s, user, job and step alone, where those come first:
 * what is wrong behind them is not seen. */
int history_line_head(struct history_line *out,
                      const char *bytes,
                      size_t n,
                      struct mapcore_error *err);

/* Takes over what the end of a step knows, which srun said, and the launch does
 * not; end is empty afterwards. An outcome of srun's counts where the one at
 * the launch was another: what was planned did not arrive. */
void history_line_merge(struct history_line *launch, struct history_line *end);

/* An order of steps in which those come together that can be compared, which
 * are equal in it: the same program and build, arguments, tasks, nodes and kind
 * of node. */
int history_line_order(const struct history_line *a,
                       const struct history_line *b);

#endif
