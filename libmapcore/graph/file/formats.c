/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* formats.c - the one entry for graph files: which format this is, and its
 * reader */
#include "config.h"

#include "graph/file/formats.h"

#include "base/text.h"
#include "graph/csr.h"
#include "graph/file/no_graph.h"
#include "graph/file/run.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char *const names[] = {
    [MAPCORE_GRAPH_ANY] = "any",
    [MAPCORE_GRAPH_METIS] = "metis",
    [MAPCORE_GRAPH_SCOTCH] = "scotch",
    [MAPCORE_GRAPH_MTX] = "mtx",
    [MAPCORE_GRAPH_EDGES] = "edges",
    [MAPCORE_GRAPH_DENSE] = "dense",
    [MAPCORE_GRAPH_NPY] = "npy",
    [MAPCORE_GRAPH_GRAPHML] = "graphml",
    [MAPCORE_GRAPH_IPM] = "ipm",
    [MAPCORE_GRAPH_TAU] = "tau",
    [MAPCORE_GRAPH_MPIP] = "mpip",
    [MAPCORE_GRAPH_NCCL] = "nccl-inspector",
    [MAPCORE_GRAPH_OTF2] = "otf2",
    [MAPCORE_GRAPH_INTEL] = "intel",
    [MAPCORE_GRAPH_MONITORING] = "ompi-monitoring",
    [MAPCORE_GRAPH_TREEMATCH] = "treematch",
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
                     "edges, dense, npy, graphml, treematch, ompi-monitoring, "
                     "ipm, tau, nccl-inspector, otf2, intel, any",
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

/* E 0 1 4096 bytes ...: of Open MPI's monitoring. */
static bool is_monitored(const char *line)
{
    static const char first[] = "# POINT TO POINT";

    if (strncmp(line, first, sizeof(first) - 1) == 0)
        return true;
    return *line != '\0' && strchr("EISR", *line) &&
           (line[1] == ' ' || line[1] == '\t') && strstr(line, " bytes");
}

static enum mapcore_graph_format guess_by_line(char *line)
{
    static const char banner[] = "%%MatrixMarket", dense[] = "# dense";
    static const char mpip[] = "@ mpiP", otf2[] = "=== OTF2-PRINT ===";

    if (strncasecmp(line, banner, sizeof(banner) - 1) == 0)
        return MAPCORE_GRAPH_MTX;
    if (strncmp(line, mpip, sizeof(mpip) - 1) == 0)
        return MAPCORE_GRAPH_MPIP;
    if (strncmp(line, otf2, sizeof(otf2) - 1) == 0)
        return MAPCORE_GRAPH_OTF2;
    if (*line == '{')
        return MAPCORE_GRAPH_NCCL;
    if (is_monitored(line))
        return MAPCORE_GRAPH_MONITORING;
    if (strstr(line, " templated_functions"))
        return MAPCORE_GRAPH_TAU;
    if (strncmp(line, dense, sizeof(dense) - 1) == 0 || begins_a_matrix(line))
        return MAPCORE_GRAPH_DENSE;
    if (strpbrk(line, "#,;"))
        return MAPCORE_GRAPH_EDGES;
    return guess_by_numbers(line);
}

/* Which command of ours writes that line above a mapping, or NULL. */
static const char *find_writer(const char *line)
{
    static const char first[] = "# topomap ";
    static const char *const writers[] = {"map", "compare", "convert"};

    if (strncmp(line, first, sizeof(first) - 1) != 0)
        return NULL;
    line += sizeof(first) - 1;
    for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++)
        if (strncmp(line, writers[i], strlen(writers[i])) == 0 &&
            line[strlen(writers[i])] == ':')
            return writers[i];
    return NULL;
}

/* Reads up to the first line that tells the format, and gives it back. */
static int guess(enum mapcore_graph_format *out,
                 struct text *text,
                 struct mapcore_error *err)
{
    static const char banner[] = "%%MatrixMarket";
    char *line;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line) {
        if (find_writer(line))
            return text_error(text, err, MAPCORE_EPARSE,
                              "a mapping, as topomap %s writes it, and not a "
                              "task graph",
                              find_writer(line));
        if (strncmp(line, "CrayPat", 7) == 0)
            return text_error(text, err, MAPCORE_EPARSE,
                              "CrayPat's report does not say who sends to "
                              "whom: no task graph can be made of it; a grid "
                              "that it has found is a pattern, grid:NxM");
        /* Or it would be a list of edges whose first line names columns. */
        if (strncmp(line, "rank ", 5) == 0 && strchr(line, '='))
            return text_error(text, err, MAPCORE_EPARSE,
                              "a rankfile, which is a mapping and not a task "
                              "graph");
        if (text_at_end(line) ||
            (*line == '%' &&
             strncasecmp(line, banner, sizeof(banner) - 1) != 0))
            continue;
        if (*line == '<')
            return text_error(text, err, MAPCORE_EPARSE,
                              "XML, of which must be told here whether it is "
                              "graphml or ipm");
        *out = guess_by_line(line);
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

static bool is_stream(enum mapcore_graph_format format)
{
    return format == MAPCORE_GRAPH_NPY || format == MAPCORE_GRAPH_GRAPHML ||
           format == MAPCORE_GRAPH_IPM;
}

/* The tool of which a run leaves several files, or NULL. */
static const struct run_format *find_run(enum mapcore_graph_format format)
{
    if (format == MAPCORE_GRAPH_MONITORING)
        return &run_monitoring;
    if (format == MAPCORE_GRAPH_TAU)
        return &run_tau;
    if (format == MAPCORE_GRAPH_OTF2)
        return &run_otf2;
    if (format == MAPCORE_GRAPH_INTEL)
        return &run_intel;
    return format == MAPCORE_GRAPH_NCCL ? &run_nccl : NULL;
}

/* Of what is no text: by the first bytes, ANY where these do not tell. */
static int sniff(enum mapcore_graph_format *out,
                 const struct stream *stream,
                 struct mapcore_error *err)
{
    char head[4096 + 1];
    size_t n = stream_peek(stream, head, sizeof(head) - 1);
    const char *at = head;

    head[n] = '\0';
    *out = MAPCORE_GRAPH_ANY;
    if (n >= 6 && memcmp(head, "\x93NUMPY", 6) == 0) {
        *out = MAPCORE_GRAPH_NPY;
        return 0;
    }
    at += strncmp(at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    at += strspn(at, " \t\r\n");
    if (*at != '<')
        return 0;
    *out = strstr(at, "<graphml") ? MAPCORE_GRAPH_GRAPHML
           : strstr(at, "<ipm")   ? MAPCORE_GRAPH_IPM
                                  : MAPCORE_GRAPH_ANY;
    return *out != MAPCORE_GRAPH_ANY
               ? 0
               : error_set(err, MAPCORE_EPARSE,
                           "%s: XML, but neither GraphML nor a report of IPM",
                           stream->name);
}

static int read_stream(struct mapcore_graph **out,
                       enum mapcore_graph_format format,
                       struct stream *stream,
                       struct mapcore_error *err)
{
    if (format == MAPCORE_GRAPH_NPY)
        return graph_read_npy(out, stream, err);
    if (format == MAPCORE_GRAPH_GRAPHML)
        return graph_read_graphml(out, stream, err);
    return graph_read_ipm(out, stream, err);
}

static int read_text(struct mapcore_graph **out,
                     enum mapcore_graph_format format,
                     struct text *text,
                     uint32_t ntasks,
                     struct mapcore_error *err)
{
    const bool is_told = format != MAPCORE_GRAPH_ANY;
    int error = 0;

    if (!is_told)
        error = guess(&format, text, err);
    if (error < 0)
        return error;
    if (find_run(format))
        return run_read_text(out, find_run(format), text, err);
    if (format == MAPCORE_GRAPH_SCOTCH)
        return graph_read_scotch(out, text, err);
    if (format == MAPCORE_GRAPH_MTX)
        return graph_read_mtx(out, text, ntasks, err);
    if (format == MAPCORE_GRAPH_EDGES)
        return graph_read_edges(out, text, ntasks, is_told, err);
    if (format == MAPCORE_GRAPH_DENSE || format == MAPCORE_GRAPH_TREEMATCH)
        return graph_read_dense(out, text, err);
    if (format == MAPCORE_GRAPH_MPIP)
        return error_set(err, MAPCORE_EPARSE,
                         "%s: mpiP's report says how much each task sends, but "
                         "not to whom: no task graph can be made of it",
                         text_name(text));
    return graph_read_metis(out, text, err);
}

/* Checks what was read, and hands it over. */
static int hand_over(struct mapcore_graph **out,
                     struct mapcore_graph *graph,
                     int error,
                     uint32_t ntasks,
                     const char *name,
                     struct mapcore_error *err)
{
    if (error == 0)
        error = check_tasks(graph, ntasks, name, err);
    if (error == 0)
        *out = graph;
    else
        mapcore_graph_destroy(graph);
    return error;
}

static int read_folder(struct mapcore_graph **out,
                       enum mapcore_graph_format format,
                       const char *path,
                       struct mapcore_error *err)
{
    if (find_run(format))
        return run_read_folder(out, find_run(format), path, err);
    return error_set(err, MAPCORE_EIO, "%.400s: is a folder", path);
}

static int read_file(struct mapcore_graph **out,
                     enum mapcore_graph_format format,
                     const char *path,
                     const struct stat *st,
                     uint32_t ntasks,
                     struct mapcore_error *err)
{
    struct stream stream = {.fd = -1};
    struct text *text = NULL, *again = NULL;
    struct mapcore_error ignored;
    int error = 0;

    if (is_stream(format) ||
        (format == MAPCORE_GRAPH_ANY && S_ISREG(st->st_mode))) {
        error = stream_open(&stream, path, err);
        if (error == 0 && format == MAPCORE_GRAPH_ANY)
            error = sniff(&format, &stream, err);
        if (error == 0 && is_stream(format))
            error = read_stream(out, format, &stream, err);
        stream_close(&stream);
        if (error < 0 || is_stream(format))
            return error;
    }
    if ((error = text_open(&text, path, err)) == 0)
        error = read_text(out, format, text, ntasks, err);
    text_close(text);
    /* A pipe cannot be read again. */
    if (error == MAPCORE_EPARSE && format == MAPCORE_GRAPH_ANY &&
        S_ISREG(st->st_mode) && text_open(&again, path, &ignored) == 0) {
        error = no_graph_explain(error, again, err);
        text_close(again);
    }
    return error;
}

int mapcore_graph_read(struct mapcore_graph **out,
                       const char *path,
                       const struct mapcore_graph_reading *how,
                       struct mapcore_error *err)
{
    const struct mapcore_graph_reading plain = {.ntasks = 0};
    struct mapcore_graph *graph = NULL;
    struct stat st = {.st_mode = 0};
    int error;

    if (!how)
        how = &plain;
    error = stat(path, &st) == 0 && S_ISDIR(st.st_mode)
                ? read_folder(&graph, how->format, path, err)
                : read_file(&graph, how->format, path, &st, how->ntasks, err);
    return hand_over(out, graph, error, how->ntasks, path, err);
}

int mapcore_graph_parse(struct mapcore_graph **out,
                        const char *name,
                        const char *bytes,
                        size_t n,
                        const struct mapcore_graph_reading *how,
                        struct mapcore_error *err)
{
    const struct mapcore_graph_reading plain = {.ntasks = 0};
    struct stream stream = {.name = name, .fd = -1, .bytes = bytes, .n = n};
    enum mapcore_graph_format format;
    struct mapcore_graph *graph = NULL;
    struct mapcore_error ignored;
    struct text *text = NULL;
    int error = 0;

    if (!how)
        how = &plain;
    format = how->format;
    if (format == MAPCORE_GRAPH_ANY)
        error = sniff(&format, &stream, err);
    if (error == 0 && is_stream(format)) {
        error = read_stream(&graph, format, &stream, err);
    } else if (error == 0 &&
               (error = text_open_memory(&text, name, bytes, n, err)) == 0) {
        error = read_text(&graph, format, text, how->ntasks, err);
        text_close(text);
        if (error == MAPCORE_EPARSE && format == MAPCORE_GRAPH_ANY &&
            text_open_memory(&text, name, bytes, n, &ignored) == 0) {
            error = no_graph_explain(error, text, err);
            text_close(text);
        }
    }
    return hand_over(out, graph, error, how->ntasks, name, err);
}
