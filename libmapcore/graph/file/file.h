/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* file.h - task graphs in the files of other tools: METIS, Matrix Market, lists
 * of edges, matrices; mapcore-graph(5) describes them */
#ifndef MAPCORE_GRAPH_FILE_H
#define MAPCORE_GRAPH_FILE_H

#include "graph/graph.h"

enum mapcore_graph_format {
    MAPCORE_GRAPH_ANY, /* found by the content, see mapcore_graph_read */
    /* METIS 5 manual, section 4.5: every fmt code; without edge weights an
     * edge counts 1 byte; the first vertex weight is the task's load
     * (UINT32_MAX at most), by which topolb and faq cut; sizes are read over.
     * An edge that only one end names, or with two weights, is an error. */
    MAPCORE_GRAPH_METIS,
    MAPCORE_GRAPH_SCOTCH, /* Scotch 7 user's guide, section 5.1; only written */
    MAPCORE_GRAPH_MTX,    /* Matrix Market: Boisvert, Pozo, Remington, The
                             Matrix Market Exchange Formats, NISTIR 5935, 1996 */
    MAPCORE_GRAPH_EDGES,  /* one edge a line: a b [bytes], or named columns */
    MAPCORE_GRAPH_DENSE,  /* a matrix, all its numbers: a line a row, as
                             numpy.savetxt and spreadsheets write it */
    MAPCORE_GRAPH_NPY,    /* a matrix as numpy.save writes it; only written */
};

/* How a file is read; all zero, or NULL, is a good default. */
struct mapcore_graph_reading {
    enum mapcore_graph_format format;
    /* Tasks that the graph must have. 0: as many as the file says. A matrix of
     * n rows is cut into that many blocks of consecutive rows, row i to task
     * i * ntasks / n; a list of edges gets isolated tasks up to it; any other
     * file must have exactly as many. */
    uint32_t ntasks;
};

/* Reads a graph of any format. Where the content decides, it is the first line
 * that is neither empty nor begins with %, but for %%MatrixMarket: #
 * dense...                    dense \x93NUMPY, <..., {..., and first lines of
 * other tools' files: ENOTSUP, topomap convert reads them
 *   #...                          edges
 *   five numbers or more          dense
 *   one number                    Scotch (its version, 0): ENOTSUP
 *   0 and more                    edges
 *   two or three numbers          edges when the first two cannot be METIS's
 *                                 tasks and edges (but for a third such as
 *                                 001), or the third not its format (three
 *                                 digits 0 or 1); else METIS
 *   four numbers                  METIS
 *   anything else                 edges
 * Edges of no named format are refused when their lines are the nodes and slots
 * of a mapping: two numbers, the second ones of each first one 0 to k - 1 once,
 * and one line twice the same number.
 * A matrix is read as A + A^T without its diagonal: each entry of a whole-
 * number ("integer") matrix is that many bytes (without its sign) from the task
 * of its row to that of its column; of any other, each entry that is not 0 is
 * 8 bytes, the element of a vector of doubles that the product of matrix and
 * vector moves. Both triangles of a symmetric matrix count.
 * A dense matrix has in row i and column j the bytes from task i to task j.
 * In a list of edges and there, both directions and repetitions are added up,
 * and an edge without a number counts 1 byte. A task that sends to itself is an
 * error in METIS files, which forbid it, and left out elsewhere; edges of 0
 * bytes are left out. Memory is in proportion to the file, not
 * to its header. Errors: EIO, EPARSE and ERANGE (with file and line), EINVAL
 * (not ntasks), ENOTSUP (a file of another tool), ENOMEM. O(V + E). */
MAPCORE_API int mapcore_graph_read(struct mapcore_graph **out,
                                   const char *path,
                                   const struct mapcore_graph_reading *how,
                                   struct mapcore_error *err);
/* The same from n bytes in memory, under a name for messages. */
MAPCORE_API int mapcore_graph_parse(struct mapcore_graph **out,
                                    const char *name,
                                    const char *bytes,
                                    size_t n,
                                    const struct mapcore_graph_reading *how,
                                    struct mapcore_error *err);

/* Writes it so that the same graph is read again, also where no format is
 * named, but for matrices of four rows and less. ANY writes METIS, of fmt 001:
 * byte weights, rows ascending. Errors: EIO. */
MAPCORE_API int mapcore_graph_write(const struct mapcore_graph *graph,
                                    enum mapcore_graph_format format,
                                    FILE *file,
                                    struct mapcore_error *err);

#endif
