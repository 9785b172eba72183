/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_tool.h - topomap history: its options, and what is done by them */
#ifndef TOOLS_HISTORY_TOOL_H
#define TOOLS_HISTORY_TOOL_H

#include "profiles/history/history_file.h"

#include <stdbool.h>

enum history_summary { SUMMARY_NONE, SUMMARY_BY_PROGRAM, SUMMARY_BY_USER };

struct history_options {
    const char *operand; /* JOB or JOB.STEP, or NULL */
    const char *ended;   /* a file; NULL: none has */
    const char *log, *config, *program, *fold;
    const char *report; /* a file for what placing would gain, or NULL */
    double since;
    enum history_summary summary;
    uint32_t top; /* rows of a summary; 0: all */
    bool map, plan, json, csv, prometheus, sacct, gains;
};

/* For srun: notes the end of a step. Returns an exit status, or an error. */
int history_note_end(const struct history_options *options,
                     struct mapcore_error *err);
/* A step as a line of JSON; one too long is counted as broken. Errors:
 * ENOMEM. */
int history_show(FILE *file,
                 struct history_line *step,
                 size_t *broken,
                 struct mapcore_error *err);
/* Cells of the table, between tabs; its time in minutes since 1970. */
void history_put_cells(FILE *file, const struct history_line *step);
/* For tools/tables, which adds steps up: first what is asked of them, and how
 * far each file was read; then each step, whose it is as JSON, its numbers, and
 * its line where its end may come, with tabs between the three. Errors:
 * ENOMEM. */
int history_put(FILE *file,
                struct history_line *step,
                size_t source,
                uint64_t offset,
                struct mapcore_error *err);
int history_put_marks(FILE *file,
                      const struct history *history,
                      const struct history_options *options);
/* For tools/tables: of runs on stdin, lines `ROW GROUP AT SECONDS PLACED`, what
 * placing gains in each row, as lines of JSON [ROW, PAIRS, GAIN, LOW, HIGH];
 * only runs of one group are compared. Returns an exit status, or an error. */
int history_put_gains(struct mapcore_error *err);
/* Where the ranks of the steps were. Returns an exit status, or an error. */
int history_show_maps(const struct history *history,
                      const struct own_folder *folder);
/* The plan of the last of the steps, for --topomap=plan:FILE. Returns an exit
 * status, or an error. */
int history_show_plan(const struct history *history,
                      const struct own_folder *folder);

/* Seconds in MPI, of the tasks that tell on average; the folder, ROOT/.spool-
 * UID/time-JOB.STEP-N, goes with what lies in it, and others like it that are
 * older than a week, whose srun was killed. Errors: EINVAL (no such folder),
 * ETRUST (not the user's own), ENOENT (no task tells), EIO, ENOMEM. */
int mpi_time_take(double *out, const char *folder, struct mapcore_error *err);

#endif
