/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_grid.c - topomap profile grid: the Cartesian grid in a task graph, a
 * profile's or any other, and how much of the traffic it explains */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "grid/find/grid_find.h"
#include "grid/grid.h"
#include "grid/grid_make.h"
#include "tools/inputs/graphs.h"
#include "tools/table/told.h"
#include "json/json.h"

#include <inttypes.h>
#include <sys/stat.h>

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

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

/* What is explained though no offset says it: inside groups, and what parallel
 * lines have in common. */
static uint64_t rest_of(const struct mapcore_grid *grid)
{
    uint64_t rest = grid->explained;

    for (size_t o = 0; o < grid->noffsets; o++)
        rest -= grid->offset[o].bytes;
    return rest;
}

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

static int print_json(const struct mapcore_grid *grid,
                      const struct mapcore_graph *graph,
                      bool csv,
                      struct mapcore_error *err)
{
    struct told_answer told;
    struct json_writer *writer =
        told_begin(&told, stdout, csv ? TOLD_ONE_ROW : NULL, err);

    if (!writer)
        return MAPCORE_ENOMEM;
    json_begin_object(writer, NULL);
    json_put_u64(writer, "ntasks", mapcore_graph_ntasks(graph));
    json_put_u64(writer, "bytes", mapcore_graph_bytes(graph));
    if (grid)
        put_grid(writer, grid);
    else
        json_put_null(writer, "grid");
    json_end_object(writer);
    return told_end(&told, 0, err);
}

/* In the order of MPI_Cart_create, of patterns (grid:3x4) and of topomap plan.
 */
static void print_text(const struct mapcore_grid *grid)
{
    uint32_t last = grid->ndims - 1;

    for (uint32_t i = 0; i < grid->ndims; i++)
        printf("%s%" PRIu32, i > 0 ? "x" : "grid ", grid->dims[last - i]);
    printf(" of %" PRIu32 " tasks, %s\n", grid->ntasks,
           grid->by_rank ? "ranks count through it, the last dimension fastest"
                         : "ranks are in another order");
    printf("explains %.1f%% of %" PRIu64 " bytes, stencil: %s\n\n",
           percent(grid->explained, grid->total), grid->total,
           stencil_names[stencil_of(grid)]);
    printf("%-10s%10s  %s\n", "DIMENSION", "SIZE", "KIND");
    for (uint32_t i = 0; i < grid->ndims; i++)
        printf("%-10" PRIu32 "%10" PRIu32 "  %s\n", i + 1, grid->dims[last - i],
               grid->kind[last - i] == MAPCORE_GRID_GROUP
                   ? "group: all with all"
               : grid->periodic[last - i] ? "line, periodic"
                                          : "line");
    printf("\n%14s%18s%8s  %s\n", "EDGES", "BYTES", "SHARE", "OFFSET");
    for (size_t o = 0; o < grid->noffsets; o++) {
        const struct mapcore_grid_offset *offset = &grid->offset[o];

        printf("%14zu%18" PRIu64 "%7.1f%%  ", offset->edges, offset->bytes,
               percent(offset->bytes, grid->total));
        for (uint32_t i = 0; i < grid->ndims; i++)
            printf("%s%" PRId32, i > 0 ? "," : "", offset->step[last - i]);
        putchar('\n');
    }
    if (rest_of(grid) > 0)
        printf("%14s%18" PRIu64 "%7.1f%%  %s\n", "", rest_of(grid),
               percent(rest_of(grid), grid->total),
               "inside groups, or alike in parallel lines");
}

bool profile_is_graph(const char *operand)
{
    struct stat st;

    return mapcore_pattern_is(operand) ||
           (stat(operand, &st) == 0 && S_ISREG(st.st_mode) &&
            (st.st_mode & 0111) == 0);
}

static int open_graph(struct mapcore_graph **out,
                      const struct profile_options *options,
                      struct mapcore_error *err)
{
    struct graph_source source = {.path = options->operand,
                                  .name = options->graph,
                                  .how = {.format = options->format}};

    if (!profile_is_graph(options->operand))
        return profile_graph_open(out, options, err);
    return graphs_open(out, &source, err);
}

int profile_grid_run(const struct profile_options *options)
{
    struct mapcore_graph *graph = NULL;
    struct mapcore_grid *grid = NULL;
    struct mapcore_error err;
    int error = open_graph(&graph, options, &err);

    if (error == 0) {
        error = mapcore_grid_find(&grid, graph, &err);
        /* That there is none is an answer. */
        if (error == MAPCORE_ENOENT) {
            error = 0;
            if (!options->json && !options->csv)
                puts(err.text);
        }
    }
    if (error == 0 && (options->json || options->csv))
        error = print_json(grid, graph, options->csv, &err);
    else if (error == 0 && grid)
        print_text(grid);
    mapcore_grid_destroy(grid);
    mapcore_graph_destroy(graph);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
