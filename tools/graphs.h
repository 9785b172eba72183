/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graphs.h - a task graph as a command line names it: a file of any format, a
 * profile, or a pattern */
#ifndef TOOLS_GRAPHS_H
#define TOOLS_GRAPHS_H

#include "graph/file/file.h"

#include <stdbool.h>

/* As typed. path: a graph file, a profile's folder or profile.json, or a
 * pattern (graph/grid_make.h). */
struct graph_source {
    const char *path;
    const char *name; /* of a profile's graphs; NULL: weighted-sum */
    struct mapcore_graph_reading how;
};
/* Values for getopt_long; no characters, so that they clash with none. */
enum {
    GRAPHS_FORMAT = 1100,
    GRAPHS_TASKS,
    GRAPHS_NAME,
};
/* clang-format off */
#define GRAPHS_LONG_OPTIONS                                                    \
    {"format", required_argument, NULL, GRAPHS_FORMAT},                        \
    {"tasks", required_argument, NULL, GRAPHS_TASKS},                          \
    {"graph", required_argument, NULL, GRAPHS_NAME}
/* clang-format on */
#define GRAPHS_HELP                                                             \
    "  --format FORMAT    of GRAPH: metis, scotch, mtx or edges, where the\n"   \
    "                     file itself does not tell\n"                          \
    "  --tasks N          blocks of rows of a matrix; tasks of a list of "      \
    "edges\n"                                                                   \
    "  --graph NAME       which graph of a profile: p2p, alltoall, ..., sum,\n" \
    "                     weighted-sum (default), all\n"

/* Takes one of them; false when c is none of them, or after a usage error. */
bool graphs_take_option(struct graph_source *out,
                        const char *command,
                        int c,
                        const char *argument);

/* Reads it. Errors: as mapcore_graph_read, profile_read, taskgraphs_make;
 * EINVAL (an option that means nothing for what the path is). */
int graphs_open(struct mapcore_graph **out,
                const struct graph_source *source,
                struct mapcore_error *err);

#endif
