/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* noted.h - what srun knows of a step that it looked at, for the history: kept
 * until the step is over, and told then to `topomap history` */
#ifndef PLUGIN_SRUN_NOTED_H
#define PLUGIN_SRUN_NOTED_H

#include "plugin/options.h"

#include <limits.h>
#include <stdint.h>

struct child;

/* All zero: nothing was looked at, and nothing is told. */
struct noted {
    uint32_t job, step, ntasks, nhosts;
    bool looked_at, by_site;
    char outcome[16]; /* a word of profiles/history/history_line.h */
    double launched;  /* child_clock() */
    char program[256];
    char why[256];
};

/* Outcome and why (a line, which may be cut off). */
void noted_outcome(struct noted *noted, const char *outcome, const char *why);

/* What is told, while `topomap history` starts to listen. */
struct noted_telling {
    struct child *child; /* NULL: nothing */
    char text[1024 + 3 * PATH_MAX];
};

/* The step has ended: starts `topomap history --ended -`, which has so many
 * seconds before it goes on alone, if there is anything to tell; times: the
 * folder in which tasks have left their time in MPI, or NULL. What goes wrong
 * is not said. */
void noted_begin(struct noted_telling *out,
                 const struct noted *noted,
                 const char *times,
                 const struct plugstack *plugstack,
                 double seconds);
/* Who is told removes this file of the step, too, one of two at most. False:
 * it is not told. */
bool noted_remove(struct noted_telling *telling, const char *path);
/* Tells it, with outcome and program as they are known by now. False: who was
 * to be told does not say that it has removed them, and files may be left. */
bool noted_finish(struct noted_telling *telling, const struct noted *noted);

#endif
