/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_subject.h - the recorded program whose grid is to be ordered */
#ifndef TOOLS_GRID_SUBJECT_H
#define TOOLS_GRID_SUBJECT_H

#include "cart/blocks.h"
#include "graph/graph.h"
#include "profiles/profile.h"
#include "tools/common/tool.h"

struct grid_subject {
    /* As typed, borrowed. */
    const char *words, *graph_name, *config;
    struct tool_list catalogues;
    /* Made by grid_subject_open. */
    struct profile *profile; /* NULL: words are a graph */
    struct mapcore_graph *graph;
    double explained; /* share of the bytes that the found grid explains;
                         negative: the grid was given */
    uint32_t *at;     /* [cells] the rank in each cell of the grid that was
                         found, MAPCORE_NONE for none; NULL: by rank */
};

/* Opens the profile, or the graph, that words mean. layout->ndims 0: finds its
 * grid and fills grid and ndims, the last dimension being the fastest, whatever
 * the order of its ranks. After a failure grid_subject_close is due all the
 * same. Errors: those of profile_select and reading; ENOENT (no grid in it);
 * EINVAL (another number of tasks, more than MAPCORE_BLOCKS_DIMS dimensions).
 */
int grid_subject_open(struct grid_subject *subject,
                      struct mapcore_blocks *layout,
                      struct mapcore_error *err);
void grid_subject_close(struct grid_subject *subject);

#endif
