/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_write.c - task graphs written for other tools */
#include "config.h"

#include "graph/file/file.h"

#include "base/error_set.h"
#include "graph/csr.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void write_metis(const struct mapcore_graph *graph, FILE *file)
{
    fprintf(file, "%u %zu 001\n", graph->ntasks, mapcore_graph_nedges(graph));
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++)
            fprintf(file, "%s%u %" PRIu64, i > graph->row[t] ? " " : "",
                    graph->task[i] + 1, graph->bytes[i]);
        putc('\n', file);
    }
}

static void write_scotch(const struct mapcore_graph *graph, FILE *file)
{
    fprintf(file, "0\n%u %zu\n0 010\n", graph->ntasks,
            graph->row[graph->ntasks]);
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        fprintf(file, "%zu", graph->row[t + 1] - graph->row[t]);
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++)
            fprintf(file, " %" PRIu64 " %u", graph->bytes[i], graph->task[i]);
        putc('\n', file);
    }
}

/* Every edge once, in ascending order; numbers from base on. */
static void write_pairs(const struct mapcore_graph *graph,
                        uint32_t base,
                        FILE *file)
{
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++)
            if (graph->task[i] > t)
                fprintf(file, "%u %u %" PRIu64 "\n", t + base,
                        graph->task[i] + base, graph->bytes[i]);
}

static void put_u64(uint64_t value, FILE *file)
{
    for (int i = 0; i < 8; i++)
        putc((int)(value >> 8 * i & 0xff), file);
}

/* Version 1.0; the header ends at a multiple of 64 bytes, as NumPy's do. Half
 * of an edge's bytes stand in each triangle, the odd byte in the upper one. */
static void write_npy(const struct mapcore_graph *graph, FILE *file)
{
    char header[118 + 1];
    int n = snprintf(header, sizeof(header),
                     "{'descr': '<i8', 'fortran_order': False, 'shape': (%u, "
                     "%u), }",
                     graph->ntasks, graph->ntasks);

    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fprintf(file, "%s%*s\n", header, 117 - n, "");
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        size_t i = graph->row[t], end = graph->row[t + 1];

        for (uint32_t u = 0; u < graph->ntasks; u++) {
            const bool is_edge = i < end && graph->task[i] == u;
            const uint64_t bytes = is_edge ? graph->bytes[i++] : 0;

            put_u64(t < u ? bytes - bytes / 2 : bytes / 2, file);
        }
    }
}

/* One triangle, since both would be added. */
static void write_dense(const struct mapcore_graph *graph, FILE *file)
{
    fputs("# dense: bytes between tasks, both directions together\n", file);
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        size_t i = graph->row[t], end = graph->row[t + 1];

        for (uint32_t u = 0; u < graph->ntasks; u++) {
            const bool is_edge = i < end && graph->task[i] == u;
            const uint64_t bytes = is_edge ? graph->bytes[i++] : 0;

            fprintf(file, "%s%" PRIu64, u > 0 ? "," : "", u > t ? bytes : 0);
        }
        putc('\n', file);
    }
}

/* One triangle of a general matrix: the other would be added. */
static void write_mtx(const struct mapcore_graph *graph, FILE *file)
{
    fprintf(file,
            "%%%%MatrixMarket matrix coordinate integer general\n"
            "%% bytes between tasks, both directions together\n"
            "%u %u %zu\n",
            graph->ntasks, graph->ntasks, mapcore_graph_nedges(graph));
    write_pairs(graph, 1, file);
}

static void write_edges(const struct mapcore_graph *graph, FILE *file)
{
    fprintf(file,
            "# a b bytes: tasks from 0, both directions together\n"
            "tasks %u\n",
            graph->ntasks);
    write_pairs(graph, 0, file);
}

int mapcore_graph_write(const struct mapcore_graph *graph,
                        enum mapcore_graph_format format,
                        FILE *file,
                        struct mapcore_error *err)
{
    static void (*const writers[])(const struct mapcore_graph *graph,
                                   FILE *file) = {
        [MAPCORE_GRAPH_ANY] = write_metis,
        [MAPCORE_GRAPH_METIS] = write_metis,
        [MAPCORE_GRAPH_SCOTCH] = write_scotch,
        [MAPCORE_GRAPH_MTX] = write_mtx,
        [MAPCORE_GRAPH_EDGES] = write_edges,
        [MAPCORE_GRAPH_DENSE] = write_dense,
        [MAPCORE_GRAPH_NPY] = write_npy,
    };

    errno = 0;
    writers[format](graph, file);
    if (fflush(file) != 0 || ferror(file))
        return error_set(err, MAPCORE_EIO, "the graph cannot be written: %s",
                         errno != 0 ? strerror(errno) : "write error");
    return 0;
}
