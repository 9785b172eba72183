/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_subject.c - the recorded program whose grid is to be ordered */
#include "config.h"

#include "tools/grid/grid_subject.h"

#include "base/array.h"
#include "grid/find/grid_find.h"
#include "grid/grid.h"
#include "tools/inputs/graphs.h"

#include <inttypes.h>
#include <stdlib.h>

/* The graph; of a profile the bytes as they were recorded. */
static int open_graph(struct grid_subject *subject, struct mapcore_error *err)
{
    struct graph_source source = {.path = subject->words,
                                  .name = subject->graph_name,
                                  .catalogues = &subject->catalogues,
                                  .config = subject->config};
    char *folder = NULL;
    int error = graphs_find_profile(&folder, &source, err);

    if (error == 0 && folder) {
        source.path = folder;
        source.name = source.name ? source.name : "all";
        error = profile_read(&subject->profile, folder, err);
    }
    if (error == 0)
        error = graphs_open(&subject->graph, &source, err);
    free(folder);
    return error;
}

/* The grid in the order of people: the last dimension runs fastest. */
static int take_grid(struct grid_subject *subject,
                     struct mapcore_blocks *layout,
                     const struct mapcore_grid *grid,
                     struct mapcore_error *err)
{
    uint32_t n = grid->ndims, ncells = 1;

    if (n > MAPCORE_BLOCKS_DIMS)
        return error_set(err, MAPCORE_EINVAL,
                         "the grid that was found has %" PRIu32
                         " dimensions: there may be %d",
                         n, MAPCORE_BLOCKS_DIMS);
    layout->ndims = n;
    layout->first_fastest = false;
    for (uint32_t i = 0; i < n; i++) {
        layout->grid[i] = grid->dims[n - 1 - i];
        if (__builtin_mul_overflow(ncells, layout->grid[i], &ncells) ||
            ncells > INT32_MAX)
            return error_set(err, MAPCORE_ERANGE,
                             "a grid of more than %d tasks", INT32_MAX);
    }
    subject->explained =
        grid->total > 0 ? (double)grid->explained / (double)grid->total : 0;
    subject->at = array_alloc(ncells, sizeof(*subject->at), err);
    if (!subject->at)
        return MAPCORE_ENOMEM;
    for (uint32_t c = 0; c < ncells; c++)
        subject->at[c] = MAPCORE_NONE;
    for (uint32_t t = 0; t < grid->ntasks; t++) {
        uint32_t cell = 0;

        for (uint32_t i = n; i > 0; i--)
            cell = cell * grid->dims[i - 1] +
                   grid->coordinates[(size_t)t * n + i - 1];
        subject->at[cell] = t;
    }
    return 0;
}

static int check_tasks(const struct grid_subject *subject,
                       const struct mapcore_blocks *layout,
                       struct mapcore_error *err)
{
    uint64_t cells = 1;

    for (uint32_t i = 0; i < layout->ndims && cells <= INT32_MAX; i++)
        cells *= layout->grid[i];
    if (cells == mapcore_graph_ntasks(subject->graph))
        return 0;
    return error_set(err, MAPCORE_EINVAL,
                     "a grid of %" PRIu64 " tasks, but %.200s has %" PRIu32,
                     cells, subject->words,
                     mapcore_graph_ntasks(subject->graph));
}

int grid_subject_open(struct grid_subject *subject,
                      struct mapcore_blocks *layout,
                      struct mapcore_error *err)
{
    struct mapcore_grid *grid = NULL;
    int error = open_graph(subject, err);

    subject->explained = -1;
    if (error < 0)
        return error;
    if (layout->ndims > 0)
        return check_tasks(subject, layout, err);
    if ((error = mapcore_grid_find(&grid, subject->graph, err)) == 0)
        error = take_grid(subject, layout, grid, err);
    mapcore_grid_destroy(grid);
    return error;
}

void grid_subject_close(struct grid_subject *subject)
{
    free(subject->at);
    mapcore_graph_destroy(subject->graph);
    profile_destroy(subject->profile);
    free(subject->catalogues.item);
}
