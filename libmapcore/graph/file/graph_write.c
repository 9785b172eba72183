/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_write.c - task graphs written for other tools */
#include "config.h"

#include "graph/file/file.h"

#include "base/error_set.h"
#include "graph/csr.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

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
static void write_edges(const struct mapcore_graph *graph,
                        uint32_t base,
                        FILE *file)
{
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++)
            if (graph->task[i] > t)
                fprintf(file, "%u %u %" PRIu64 "\n", t + base,
                        graph->task[i] + base, graph->bytes[i]);
}

/* Half of an edge's bytes each way, which add up to it again: TreeMatch and
 * scripts look at both triangles. An odd byte goes upwards. */
static uint64_t half_of(uint64_t bytes, uint32_t from, uint32_t to)
{
    return from < to ? bytes - bytes / 2 : bytes / 2;
}

static void put_u64(uint64_t value, FILE *file)
{
    for (int i = 0; i < 8; i++)
        putc((int)(value >> 8 * i & 0xff), file);
}

/* Calls put for each element, row by row; bytes of a pair are halved. */
static void walk_matrix(const struct mapcore_graph *graph,
                        void (*put)(uint64_t bytes,
                                    uint32_t column,
                                    FILE *file),
                        FILE *file)
{
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        size_t i = graph->row[t], end = graph->row[t + 1];

        for (uint32_t u = 0; u < graph->ntasks; u++) {
            while (i < end && graph->task[i] < u)
                i++;
            put(i < end && graph->task[i] == u ? half_of(graph->bytes[i], t, u)
                                               : 0,
                u + 1 == graph->ntasks ? MAPCORE_NONE : u, file);
        }
    }
}

static void put_binary(uint64_t bytes, uint32_t column, FILE *file)
{
    (void)column;
    put_u64(bytes, file);
}

static void put_blank(uint64_t bytes, uint32_t column, FILE *file)
{
    fprintf(file, "%" PRIu64 "%c", bytes, column == MAPCORE_NONE ? '\n' : ' ');
}

/* Version 1.0; the header ends at a multiple of 64 bytes, as NumPy's do. */
static void write_npy(const struct mapcore_graph *graph, FILE *file)
{
    char header[118 + 1];
    int n = snprintf(header, sizeof(header),
                     "{'descr': '<i8', 'fortran_order': False, 'shape': (%u, "
                     "%u), }",
                     graph->ntasks, graph->ntasks);

    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fprintf(file, "%s%*s\n", header, 117 - n, "");
    walk_matrix(graph, put_binary, file);
}

static void write_graphml(const struct mapcore_graph *graph, FILE *file)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
          "<key id=\"bytes\" for=\"edge\" attr.name=\"bytes\" "
          "attr.type=\"long\"/>\n"
          "<graph edgedefault=\"undirected\">\n",
          file);
    for (uint32_t t = 0; t < graph->ntasks; t++)
        fprintf(file, "<node id=\"%u\"/>\n", t);
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++)
            if (graph->task[i] > t)
                fprintf(file,
                        "<edge source=\"%u\" target=\"%u\"><data "
                        "key=\"bytes\">%" PRIu64 "</data></edge>\n",
                        t, graph->task[i], graph->bytes[i]);
    fputs("</graph>\n</graphml>\n", file);
}

/* One triangle, since both would be added. */
static void write_dense(const struct mapcore_graph *graph, FILE *file)
{
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        size_t i = graph->row[t];

        for (uint32_t u = 0; u < graph->ntasks; u++) {
            uint64_t bytes = 0;

            while (i < graph->row[t + 1] && graph->task[i] < u)
                i++;
            if (u > t && i < graph->row[t + 1] && graph->task[i] == u)
                bytes = graph->bytes[i];
            fprintf(file, "%s%" PRIu64, u > 0 ? "," : "", bytes);
        }
        putc('\n', file);
    }
}

int mapcore_graph_write(const struct mapcore_graph *graph,
                        enum mapcore_graph_format format,
                        FILE *file,
                        struct mapcore_error *err)
{
    errno = 0;
    switch (format) {
    case MAPCORE_GRAPH_ANY:
    case MAPCORE_GRAPH_METIS:
        return mapcore_graph_write_metis(graph, file, err);
    case MAPCORE_GRAPH_SCOTCH:
        write_scotch(graph, file);
        break;
    case MAPCORE_GRAPH_MTX:
        /* One triangle of a general matrix: the other would be added. */
        fprintf(file,
                "%%%%MatrixMarket matrix coordinate integer general\n"
                "%% bytes between tasks, both directions together\n"
                "%u %u %zu\n",
                graph->ntasks, graph->ntasks, mapcore_graph_nedges(graph));
        write_edges(graph, 1, file);
        break;
    case MAPCORE_GRAPH_EDGES:
        fprintf(file,
                "# a b bytes: tasks from 0, both directions together\n"
                "tasks %u\n",
                graph->ntasks);
        write_edges(graph, 0, file);
        break;
    case MAPCORE_GRAPH_DENSE:
        fputs("# dense: bytes between tasks, both directions together\n", file);
        write_dense(graph, file);
        break;
    case MAPCORE_GRAPH_NPY:
        write_npy(graph, file);
        break;
    case MAPCORE_GRAPH_GRAPHML:
        write_graphml(graph, file);
        break;
    case MAPCORE_GRAPH_TREEMATCH:
        walk_matrix(graph, put_blank, file);
        break;
    }
    if (fflush(file) != 0 || ferror(file))
        return error_set(err, MAPCORE_EIO, "the graph cannot be written: %s",
                         errno != 0 ? strerror(errno) : "write error");
    return 0;
}
