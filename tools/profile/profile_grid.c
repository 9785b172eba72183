/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_grid.c - topomap profile grid: the Cartesian grid in a task graph, a
 * profile's or any other, and how much of the traffic it explains */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "grid/find/grid_find.h"
#include "grid/grid.h"
#include "grid/grid_make.h"
#include "tools/inputs/graphs.h"
#include "json/json.h"

#include <sys/stat.h>

/* What moves between tasks that talk: STAR by one in one dimension, BOX also
 * diagonally, MULTIGRID as a star, at several strides. */
enum stencil { NONE, STAR, BOX, MULTIGRID, OTHER };

static enum stencil stencil_of(const struct mapcore_grid *grid)
{
    uint32_t lines = 0, farthest = 0, most = 0;
    double box = 1;

    for (uint32_t i = 0; i < grid->ndims; i++)
        lines += grid->kind[i] == MAPCORE_GRID_LINE;
    for (uint32_t i = 0; i < lines; i++)
        box *= 3;
    for (size_t o = 0; o < grid->noffsets; o++) {
        uint32_t moved = 0;

        for (uint32_t i = 0; i < grid->ndims; i++) {
            int32_t step = grid->offset[o].step[i];
            uint32_t far = (uint32_t)(step < 0 ? -step : step);

            moved += far > 0;
            if ((far & (far - 1)) != 0)
                return OTHER;
            farthest = far > farthest ? far : farthest;
        }
        most = moved > most ? moved : most;
    }
    if (grid->noffsets == 0)
        return NONE;
    if (most == 1)
        return farthest == 1 ? STAR : MULTIGRID;
    return farthest == 1 && (double)grid->noffsets == (box - 1) / 2 ? BOX
                                                                    : OTHER;
}

static const char *const stencil_names[] = {
    [NONE] = "none",           [STAR] = "star",   [BOX] = "box",
    [MULTIGRID] = "multigrid", [OTHER] = "other",
};

static void put_offset(struct json_writer *writer,
                       const struct mapcore_grid *grid,
                       const struct mapcore_grid_offset *offset)
{
    json_begin_object(writer, NULL);
    json_begin_array(writer, "step");
    for (uint32_t i = 0; i < grid->ndims; i++)
        json_put_double(writer, NULL, offset->step[i]);
    json_end_array(writer);
    json_put_u64(writer, "edges", offset->edges);
    json_put_u64(writer, "bytes", offset->bytes);
    json_end_object(writer);
}

static void put_grid(struct json_writer *writer,
                     const struct mapcore_grid *grid)
{
    json_begin_object(writer, "grid");
    json_begin_array(writer, "dimensions");
    for (uint32_t i = 0; i < grid->ndims; i++) {
        json_begin_object(writer, NULL);
        json_put_u64(writer, "size", grid->dims[i]);
        json_put_string(writer, "kind",
                        grid->kind[i] == MAPCORE_GRID_GROUP ? "group" : "line");
        json_put_bool(writer, "periodic", grid->periodic[i]);
        json_end_object(writer);
    }
    json_end_array(writer);
    json_put_bool(writer, "by_rank", grid->by_rank);
    json_put_string(writer, "stencil", stencil_names[stencil_of(grid)]);
    json_put_u64(writer, "explained_bytes", grid->explained);
    json_begin_array(writer, "offsets");
    for (size_t o = 0; o < grid->noffsets; o++)
        put_offset(writer, grid, &grid->offset[o]);
    json_end_array(writer);
    json_end_object(writer);
}

static int print(const struct mapcore_grid *grid,
                 const struct mapcore_graph *graph,
                 const struct profile_options *options)
{
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, stdout, &options->form, "grid", ANSWER_ONE_ROW);

    json_put_u64(writer, "ntasks", mapcore_graph_ntasks(graph));
    json_put_u64(writer, "bytes", mapcore_graph_bytes(graph));
    if (grid)
        put_grid(writer, grid);
    else
        json_put_null(writer, "grid");
    return answer_end(&answer, 0, options->err);
}

/* Whether the words are no profile's but a task graph themselves: a pattern, or
 * a file that is no program. */
static bool is_graph(const char *operand)
{
    struct stat st;

    return mapcore_pattern_is(operand) ||
           (stat(operand, &st) == 0 && S_ISREG(st.st_mode) &&
            (st.st_mode & 0111) == 0);
}

static int open_graph(struct mapcore_graph **out,
                      const struct profile_options *options)
{
    struct graph_source source = {.path = options->operand,
                                  .name = options->graph,
                                  .how = {.format = options->format}};

    if (!is_graph(options->operand))
        return profile_graph_open(out, options);
    return graphs_open(out, &source, options->err);
}

int profile_grid_run(const struct profile_options *options)
{
    struct mapcore_graph *graph = NULL;
    struct mapcore_grid *grid = NULL;
    int error = open_graph(&graph, options);

    if (error == 0) {
        error = mapcore_grid_find(&grid, graph, options->err);
        /* That there is none is an answer. */
        if (error == MAPCORE_ENOENT) {
            error = 0;
            if (!answer_word(&options->form))
                puts(options->err->text);
        }
    }
    if (error == 0 && (answer_word(&options->form) || grid))
        error = print(grid, graph, options);
    mapcore_grid_destroy(grid);
    mapcore_graph_destroy(graph);
    return error;
}
