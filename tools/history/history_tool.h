/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_tool.h - topomap history: its options, and what is done by them */
#ifndef TOOLS_HISTORY_TOOL_H
#define TOOLS_HISTORY_TOOL_H

#include "profiles/history/history_file.h"

#include <stdbool.h>

struct history_options {
    const char *operand; /* JOB or JOB.STEP, or NULL */
    const char *ended;   /* a file; NULL: none has */
    const char *log, *config, *program;
    double since;
    bool map, json, csv, sacct;
};

/* Reads the user's own history, or what --log names: a folder, or - for what
 * stands on stdin; joined. Errors: EIO, ETRUST, ENOMEM. */
int history_open(struct history *out,
                 struct own_folder **folder, /* to be closed; NULL: none */
                 const char *log,
                 struct mapcore_error *err);

/* With --sacct: seconds of steps that have none, of one job or (0) of all;
 * what stands against it is a note. Errors: ENOMEM. */
int history_complete(struct history *history,
                     double since,
                     uint32_t job,
                     struct mapcore_error *err);

/* For srun: notes the end of a step. Exit statuses. */
int history_note_end(const struct history_options *options);
/* The table, or JSON Lines. */
int history_show(const struct history *history,
                 const struct history_options *options);
/* Where the ranks of those steps were. */
int history_show_maps(const struct history *history,
                      const struct own_folder *folder,
                      const struct history_options *options);
/* Whether a step is one of those that are asked for. */
bool history_wants(const struct history_options *options,
                   const struct history_line *step);

#endif
