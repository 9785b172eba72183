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
    const char *log, *config, *program;
    double since;
    enum history_summary summary;
    bool map, json, csv, prometheus, sacct;
};

/* For srun: notes the end of a step. Exit statuses. */
int history_note_end(const struct history_options *options);
/* The table, by a view of tools/tables, or (NULL) JSON Lines. Errors: EIO,
 * ENOMEM, ENOTSUP. */
int history_show(struct history *history,
                 const char *view,
                 struct mapcore_error *err);
/* The steps added up, a row a program or a user, by a view of tools/tables.
 * Steps of programs without MPI do not count. The history becomes sorted, and
 * its names printable. Errors: EIO, ENOMEM, ENOTSUP. */
int history_sum_up(struct history *history,
                   bool by_user,
                   const char *view,
                   struct mapcore_error *err);
/* Where the ranks of the steps were. Exit statuses. */
int history_show_maps(const struct history *history,
                      const struct own_folder *folder);

/* Seconds in MPI, of the tasks that tell on average; the folder, ROOT/.spool-
 * UID/time-JOB.STEP-N, goes with what lies in it, and others like it that are
 * older than a week, whose srun was killed. Errors: EINVAL (no such folder),
 * ETRUST (not the user's own), ENOENT (no task tells), EIO, ENOMEM. */
int mpi_time_take(double *out, const char *folder, struct mapcore_error *err);

#endif
