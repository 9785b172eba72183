/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* formats.c - the one entry for graph files: which format this is, its reader,
 * and the writers */
#include "config.h"

#include "graph/file/formats.h"

#include "base/array.h"
#include "base/text.h"
#include "graph/csr.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

static const char *const names[] = {
    [MAPCORE_GRAPH_ANY] = "any",       [MAPCORE_GRAPH_METIS] = "metis",
    [MAPCORE_GRAPH_SCOTCH] = "scotch", [MAPCORE_GRAPH_MTX] = "mtx",
    [MAPCORE_GRAPH_EDGES] = "edges",   [MAPCORE_GRAPH_DENSE] = "dense",
};

int mapcore_graph_format_find(enum mapcore_graph_format *out,
                              const char *name,
                              struct mapcore_error *err)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (enum mapcore_graph_format)i;
            return 0;
        }
    }
    return error_set(err, MAPCORE_EINVAL,
                     "there is no graph format '%.40s': metis, scotch, mtx, "
                     "edges, dense, any",
                     name);
}

/* Whether the line begins with five numbers: nothing but a matrix does. */
static bool begins_a_matrix(const char *line)
{
    static const char between[] = " \t\r\v\f,;";
    char word[64];
    double value;

    for (int i = 0; i < 5; i++) {
        line += strspn(line, between);
        size_t n = strcspn(line, between);

        if (n == 0 || n >= sizeof(word))
            return false;
        memcpy(word, line, n);
        word[n] = '\0';
        if (!text_parse_double(word, &value))
            return false;
        line += n;
    }
    return true;
}

/* Whether a word can be the third number of a METIS header; nobody writes bytes
 * as 001. */
static bool is_metis_format(const char *word, size_t n, bool is_possible)
{
    return n <= 3 && strspn(word, "01") >= n &&
           (is_possible || (n == 3 && *word == '0'));
}

/* What a line of numbers begins: see file.h. */
static enum mapcore_graph_format guess_by_numbers(char *line)
{
    uint64_t number[2], more;
    char *cursor = line;
    const char *third;

    if (!text_take_u64(&cursor, &number[0], NULL))
        return MAPCORE_GRAPH_EDGES;
    if (text_at_end(cursor))
        return MAPCORE_GRAPH_SCOTCH;
    if (number[0] == 0)
        return MAPCORE_GRAPH_EDGES;
    if (!text_take_u64(&cursor, &number[1], NULL))
        return strpbrk(cursor, ",;") ? MAPCORE_GRAPH_EDGES
                                     : MAPCORE_GRAPH_METIS;
    /* A graph of n tasks has at most n (n - 1) / 2 edges. */
    bool is_possible =
        (unsigned __int128)number[0] * (number[0] - 1) / 2 >= number[1];
    if (text_at_end(cursor))
        return is_possible ? MAPCORE_GRAPH_METIS : MAPCORE_GRAPH_EDGES;
    third = cursor + strspn(cursor, " \t\r\v\f");
    if (!text_take_u64(&cursor, &more, NULL))
        return is_possible ? MAPCORE_GRAPH_METIS : MAPCORE_GRAPH_EDGES;
    if (text_at_end(cursor) &&
        !is_metis_format(third, (size_t)(cursor - third), is_possible))
        return MAPCORE_GRAPH_EDGES;
    return MAPCORE_GRAPH_METIS;
}

/* Reads up to the first line that tells the format, and gives it back. */
static int guess(enum mapcore_graph_format *out,
                 struct text *text,
                 struct mapcore_error *err)
{
    static const char banner[] = "%%MatrixMarket";
    static const char mapping[] = "# topomap map: ", dense[] = "# dense";
    char *line;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line) {
        if (strncasecmp(line, banner, sizeof(banner) - 1) == 0)
            *out = MAPCORE_GRAPH_MTX;
        else if (strncmp(line, mapping, sizeof(mapping) - 1) == 0)
            return text_error(text, err, MAPCORE_EPARSE,
                              "a mapping, as topomap map writes it, and not a "
                              "task graph");
        else if (*line == '%' || text_at_end(line))
            continue;
        else if (strncmp(line, dense, sizeof(dense) - 1) == 0 ||
                 begins_a_matrix(line))
            *out = MAPCORE_GRAPH_DENSE;
        else if (strpbrk(line, "#,;"))
            *out = MAPCORE_GRAPH_EDGES;
        else
            *out = guess_by_numbers(line);
        text_unread(text);
        return 0;
    }
    return error < 0
               ? error
               : error_set(err, MAPCORE_EPARSE, "%s: empty, not a task graph",
                           text_name(text));
}

static int check_tasks(struct mapcore_graph *graph,
                       uint32_t ntasks,
                       const char *name,
                       struct mapcore_error *err)
{
    if (ntasks == 0 || graph->ntasks == ntasks)
        return 0;
    return error_set(err, MAPCORE_EINVAL, "%s has %u task%s, not %u", name,
                     graph->ntasks, text_plural(graph->ntasks), ntasks);
}

static int read_text(struct mapcore_graph **out,
                     struct text *text,
                     const struct mapcore_graph_reading *how,
                     struct mapcore_error *err)
{
    enum mapcore_graph_format format = how ? how->format : 0;
    uint32_t ntasks = how ? how->ntasks : 0;
    struct mapcore_graph *graph = NULL;
    int error = 0;

    if (format == MAPCORE_GRAPH_ANY)
        error = guess(&format, text, err);
    if (error < 0)
        return error;
    switch (format) {
    case MAPCORE_GRAPH_ANY:
    case MAPCORE_GRAPH_METIS:
        error = graph_read_metis(&graph, text, err);
        break;
    case MAPCORE_GRAPH_SCOTCH:
        error = graph_read_scotch(&graph, text, err);
        break;
    case MAPCORE_GRAPH_MTX:
        error = graph_read_mtx(&graph, text, ntasks, err);
        break;
    case MAPCORE_GRAPH_EDGES:
        error = graph_read_edges(&graph, text, ntasks, err);
        break;
    case MAPCORE_GRAPH_DENSE:
        error = graph_read_dense(&graph, text, err);
        break;
    }
    if (error == 0)
        error = check_tasks(graph, ntasks, text_name(text), err);
    if (error == 0)
        *out = graph;
    else
        mapcore_graph_destroy(graph);
    return error;
}

int mapcore_graph_read(struct mapcore_graph **out,
                       const char *path,
                       const struct mapcore_graph_reading *how,
                       struct mapcore_error *err)
{
    struct text *text;
    int error = text_open(&text, path, err);

    if (error < 0)
        return error;
    error = read_text(out, text, how, err);
    text_close(text);
    return error;
}

int mapcore_graph_parse(struct mapcore_graph **out,
                        const char *name,
                        const char *bytes,
                        size_t n,
                        const struct mapcore_graph_reading *how,
                        struct mapcore_error *err)
{
    struct text *text;
    int error = text_open_memory(&text, name, bytes, n, err);

    if (error < 0)
        return error;
    error = read_text(out, text, how, err);
    text_close(text);
    return error;
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
    }
    if (fflush(file) != 0 || ferror(file))
        return error_set(err, MAPCORE_EIO, "the graph cannot be written: %s",
                         errno != 0 ? strerror(errno) : "write error");
    return 0;
}
