/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* formats.c - the one entry for graph files: which format this is, its reader,
 * and graphs written for other tools */
#include "config.h"

#include "graph/file/formats.h"

#include "graph/csr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

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

/* Those without a reader tools/graph-readers.py reads. */
static const struct {
    graph_reader *read;
    void (*write)(const struct mapcore_graph *graph, FILE *file);
} formats[] = {
    [MAPCORE_GRAPH_ANY] = {NULL, write_metis},
    [MAPCORE_GRAPH_METIS] = {graph_read_metis, write_metis},
    [MAPCORE_GRAPH_SCOTCH] = {NULL, write_scotch},
    [MAPCORE_GRAPH_MTX] = {graph_read_mtx, write_mtx},
    [MAPCORE_GRAPH_EDGES] = {graph_read_edges, write_edges},
    [MAPCORE_GRAPH_DENSE] = {graph_read_dense, write_dense},
    [MAPCORE_GRAPH_NPY] = {NULL, write_npy},
};

static int refuse_foreign(const char *name, struct mapcore_error *err)
{
    return error_set(err, MAPCORE_ENOTSUP,
                     "%s: of another tool: topomap convert --to metis makes a "
                     "task graph of it",
                     name);
}

/* Whether a first line is that of a file of another tool, which its
 * graph-readers.py reads: mpiP's and TAU's profiles, JSON, XML, Open MPI's
 * monitoring (E 0 1 4096 bytes ...). */
static bool is_foreign(const char *line)
{
    static const char *const first[] = {
        "@ mpiP", "CrayPat", "=== OTF2-PRINT ===", "# POINT TO POINT", "{"};
    const char *marked = text_after(line, "\xef\xbb\xbf");
    const char *xml = marked ? marked : line;

    if (xml[strspn(xml, " \t")] == '<')
        return true;
    for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
        if (text_after(line, first[i]))
            return true;
    return strstr(line, " templated_functions") ||
           (*line != '\0' && strchr("EISR", *line) &&
            (line[1] == ' ' || line[1] == '\t') && strstr(line, " bytes"));
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

/* Whether a word can be the third number of a METIS header; no tool writes
 * bytes as 001. */
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

static enum mapcore_graph_format guess_by_line(char *line)
{
    static const char banner[] = "%%MatrixMarket";

    if (strncasecmp(line, banner, sizeof(banner) - 1) == 0)
        return MAPCORE_GRAPH_MTX;
    if (text_after(line, "# dense") || begins_a_matrix(line))
        return MAPCORE_GRAPH_DENSE;
    if (strpbrk(line, "#,;"))
        return MAPCORE_GRAPH_EDGES;
    return guess_by_numbers(line);
}

/* Which command of ours writes that line above a mapping, or NULL. */
static const char *find_writer(const char *line)
{
    static const char *const writers[] = {"map", "eval", "convert"};
    const char *writer = text_after(line, "# topomap "), *rest;

    for (size_t i = 0; writer && i < sizeof(writers) / sizeof(*writers); i++)
        if ((rest = text_after(writer, writers[i])) && *rest == ':')
            return writers[i];
    return NULL;
}

/* Reads up to the first line that tells the format, and gives it back. */
static int guess(enum mapcore_graph_format *out, struct text *text)
{
    static const char banner[] = "%%MatrixMarket";
    char *line;
    int error;

    while ((error = text_line(text, &line)) == 0 && line) {
        if (find_writer(line))
            return text_error(text, MAPCORE_EPARSE,
                              "a mapping, as topomap %s writes it, and not a "
                              "task graph",
                              find_writer(line));
        /* Or it would be a list of edges whose first line names columns. */
        if (text_after(line, "rank ") && strchr(line, '='))
            return text_error(text, MAPCORE_EPARSE,
                              "a rankfile, which is a mapping and not a task "
                              "graph");
        if (text_at_end(line) ||
            (*line == '%' &&
             strncasecmp(line, banner, sizeof(banner) - 1) != 0))
            continue;
        if (is_foreign(line))
            return refuse_foreign(text_name(text), text_err(text));
        *out = guess_by_line(line);
        text_unread(text);
        return 0;
    }
    return error < 0 ? error
                     : text_error_line(text, 0, MAPCORE_EPARSE,
                                       "empty, not a task graph");
}

static const struct mapcore_graph_reading plain = {.ntasks = 0};

/* By its first bytes: a matrix as numpy.save writes it, or a program. Of a pipe
 * nothing can be read twice. */
static int check_head(const char *path, struct mapcore_error *err)
{
    char head[6] = "";
    struct stat st;
    FILE *file =
        stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rbe") : NULL;
    size_t n = file ? fread(head, 1, sizeof(head), file) : 0;

    if (file)
        fclose(file);
    if (n == sizeof(head) && memcmp(head, "\x93NUMPY", n) == 0)
        return refuse_foreign(path, err);
    return memcmp(head, "\177ELF", 4) == 0 || memcmp(head, "#!", 2) == 0
               ? error_set(err, MAPCORE_EPARSE,
                           "%s is a program, not a task graph: was "
                           "--topomap=auto meant, or NAME:NTASKS of a profile?",
                           path)
               : 0;
}

/* Whether it may be read here. */
static int check_format(const struct mapcore_graph_reading *how,
                        const char *name,
                        struct mapcore_error *err)
{
    return how->format == MAPCORE_GRAPH_ANY ||
                   ((unsigned)how->format <= MAPCORE_GRAPH_NPY &&
                    formats[how->format].read)
               ? 0
               : refuse_foreign(name, err);
}

/* Closes the text. */
static int read_text(struct mapcore_graph **out,
                     struct text *text,
                     const struct mapcore_graph_reading *how)
{
    struct mapcore_graph_reading as = *how;
    struct mapcore_graph *graph = NULL;
    int error = how->format == MAPCORE_GRAPH_ANY ? guess(&as.format, text) : 0;

    if (error == 0 &&
        (error = check_format(&as, text_name(text), text_err(text))) == 0 &&
        (error = formats[as.format].read(&graph, text, how)) == 0 &&
        how->ntasks > 0 && graph->ntasks != how->ntasks)
        error =
            error_set(text_err(text), MAPCORE_EINVAL,
                      "%s has %u task%s, not %u", text_name(text),
                      graph->ntasks, text_plural(graph->ntasks), how->ntasks);
    text_close(text);
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
    int error;

    how = how ? how : &plain;
    if ((how->format == MAPCORE_GRAPH_ANY &&
         (error = check_head(path, err)) < 0) ||
        (error = check_format(how, path, err)) < 0 ||
        (error = text_open(&text, path, err)) < 0)
        return error;
    return read_text(out, text, how);
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

    return error < 0 ? error : read_text(out, text, how ? how : &plain);
}

int mapcore_graph_write(const struct mapcore_graph *graph,
                        enum mapcore_graph_format format,
                        FILE *file,
                        struct mapcore_error *err)
{
    errno = 0;
    formats[format].write(graph, file);
    if (fflush(file) != 0 || ferror(file))
        return error_set(err, MAPCORE_EIO, "the graph cannot be written: %s",
                         errno != 0 ? strerror(errno) : "write error");
    return 0;
}
