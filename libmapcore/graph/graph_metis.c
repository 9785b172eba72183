/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_metis.c - METIS graph files, which every mapper and partitioner can
 * read (METIS 5 manual, section 4.5) */
#include "config.h"

#include "base/array.h"
#include "base/text.h"
#include "graph/csr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The first line that is no comment: n m [fmt [ncon]]. Nothing is allocated on
 * its word: arrays grow with the rows that really come. */
struct header {
    uint32_t ntasks;
    uint64_t nedges;
    bool has_sizes, has_vertex_weights, has_edge_weights;
    uint32_t nweights; /* per vertex */
    size_t line;       /* where it stands */
};

/* Rows of neighbours, in any order inside a row. */
struct rows {
    size_t *row; /* [ntasks + 1] */
    size_t nrow; /* capacity */
    uint32_t *task;
    size_t ntask; /* capacity */
    uint64_t *bytes;
    size_t nbytes; /* capacity */
};

struct reader {
    struct text *text;
    struct mapcore_error *err;
    struct header header;
    struct rows rows;
    size_t *line; /* [ntasks], where row t stands */
    size_t nline; /* capacity */
};

static void rows_clear(struct rows *rows)
{
    free(rows->row);
    free(rows->task);
    free(rows->bytes);
    *rows = (struct rows){0};
}

/* The sentence for a number that text_take_* refused. */
static int bad_number(struct reader *r,
                      char *cursor,
                      bool overflow,
                      const char *what)
{
    char *word = text_take_word(&cursor);

    if (word == NULL)
        return text_error(r->text, r->err, MAPCORE_EPARSE, "%s is missing",
                          what);
    if (overflow)
        return text_error(r->text, r->err, MAPCORE_ERANGE,
                          "%s %.40s is too large", what, word);
    if (*word == '-')
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "%s %.40s is negative", what, word);
    return text_error(r->text, r->err, MAPCORE_EPARSE,
                      "%s '%.40s' is not a whole number", what, word);
}

static bool at_end(const char *cursor)
{
    return cursor[strspn(cursor, " \t\r\v\f")] == '\0';
}

/* Next line that is no comment. */
static int next_line(struct reader *r, char **line)
{
    int code;

    do
        code = text_line(r->text, line, r->err);
    while (code == 0 && *line != NULL && **line == '%');
    return code;
}

static int read_format(struct reader *r, const char *word)
{
    size_t n = strlen(word);

    if (n > 3 || strspn(word, "01") != n)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "format '%.40s' is not made of up to three digits 0 "
                          "or 1",
                          word);
    r->header.has_edge_weights = word[n - 1] == '1';
    r->header.has_vertex_weights = n >= 2 && word[n - 2] == '1';
    r->header.has_sizes = n == 3 && word[0] == '1';
    r->header.nweights = r->header.has_vertex_weights;
    return 0;
}

static int read_header(struct reader *r)
{
    struct header *h = &r->header;
    bool overflow;
    char *cursor, *word;
    int code = next_line(r, &cursor);

    if (code < 0)
        return code;
    if (cursor == NULL)
        return error_set(r->err, MAPCORE_EPARSE,
                         "%s: empty, not a METIS graph file",
                         text_name(r->text));
    h->line = text_line_number(r->text);
    if (!text_take_u32(&cursor, &h->ntasks, &overflow))
        return bad_number(r, cursor, overflow, "number of tasks");
    if (h->ntasks == 0)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "a graph without tasks");
    if (h->ntasks == MAPCORE_NONE)
        return text_error(r->text, r->err, MAPCORE_ERANGE, "too many tasks");
    if (!text_take_u64(&cursor, &h->nedges, &overflow))
        return bad_number(r, cursor, overflow, "number of edges");
    word = text_take_word(&cursor);
    if (word == NULL)
        return 0;
    code = read_format(r, word);
    if (code < 0)
        return code;
    if (!at_end(cursor)) {
        uint32_t n;

        if (!text_take_u32(&cursor, &n, &overflow))
            return bad_number(r, cursor, overflow, "number of vertex weights");
        if (!h->has_vertex_weights && n > 0)
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "%u weights per vertex, but the format says that "
                              "there are none",
                              n);
        h->nweights = n;
    }
    if (!at_end(cursor))
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "more than four numbers in the header");
    return 0;
}

static int add_neighbour(struct reader *r,
                         size_t at,
                         uint32_t task,
                         uint64_t bytes)
{
    struct rows *rows = &r->rows;
    int code = array_reserve(&rows->task, &rows->ntask, at + 1,
                             sizeof *rows->task, r->err);

    if (code == 0)
        code = array_reserve(&rows->bytes, &rows->nbytes, at + 1,
                             sizeof *rows->bytes, r->err);
    if (code < 0)
        return code;
    rows->task[at] = task;
    rows->bytes[at] = bytes;
    return 0;
}

/* The row of task t, which begins at *at; moves *at behind it. */
static int read_row(struct reader *r, uint32_t t, char *cursor, size_t *at)
{
    const struct header *h = &r->header;
    uint64_t ignored, bytes = 1;
    uint32_t task;
    bool overflow;

    if (h->has_sizes && !text_take_u64(&cursor, &ignored, &overflow))
        return bad_number(r, cursor, overflow, "size of the vertex");
    for (uint32_t i = 0; i < h->nweights; i++) {
        if (!text_take_u64(&cursor, &ignored, &overflow))
            return bad_number(r, cursor, overflow, "weight of the vertex");
    }
    while (!at_end(cursor)) {
        if (!text_take_u32(&cursor, &task, &overflow))
            return bad_number(r, cursor, overflow, "neighbour");
        if (task == 0 || task > h->ntasks)
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "neighbour %u is not one of the tasks 1 to %u",
                              task, h->ntasks);
        if (task == t + 1)
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "task %u is its own neighbour", task);
        if (h->has_edge_weights && !text_take_u64(&cursor, &bytes, &overflow))
            return bad_number(r, cursor, overflow, "weight of the edge");
        int code = add_neighbour(r, (*at)++, task - 1, bytes);
        if (code < 0)
            return code;
    }
    return 0;
}

static int read_rows(struct reader *r)
{
    struct rows *rows = &r->rows;
    size_t at = 0;
    char *line;
    int code = add_neighbour(r, 0, 0, 0); /* so that no array stays NULL */

    if (code < 0)
        return code;
    for (uint32_t t = 0;; t++) {
        code = next_line(r, &line);
        if (code < 0)
            return code;
        if (t == r->header.ntasks || line == NULL) {
            if (line == NULL && t < r->header.ntasks)
                return text_error(r->text, r->err, MAPCORE_EPARSE,
                                  "the header speaks of %u tasks, the file "
                                  "ends after %u",
                                  r->header.ntasks, t);
            break;
        }
        code = array_reserve(&rows->row, &rows->nrow, (size_t)t + 2,
                             sizeof *rows->row, r->err);
        if (code == 0)
            code = array_reserve(&r->line, &r->nline, (size_t)t + 1,
                                 sizeof *r->line, r->err);
        if (code < 0)
            return code;
        rows->row[t] = at;
        r->line[t] = text_line_number(r->text);
        code = read_row(r, t, line, &at);
        if (code < 0)
            return code;
        rows->row[t + 1] = at;
    }
    for (; line != NULL; code = next_line(r, &line)) {
        if (code < 0)
            return code;
        if (!at_end(line))
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "a line behind the last of %u tasks",
                              r->header.ntasks);
    }
    return code;
}

/* The same neighbours, each in the row of its other end. Rows come out
 * ascending. */
static int transpose(struct rows *out,
                     const struct rows *rows,
                     uint32_t ntasks,
                     struct mapcore_error *err)
{
    size_t n = rows->row[ntasks], start = 0;

    if (out->row == NULL) {
        out->row = array_alloc((size_t)ntasks + 1, sizeof *out->row, err);
        out->task = array_alloc(n, sizeof *out->task, err);
        out->bytes = array_alloc(n, sizeof *out->bytes, err);
        if (out->row == NULL || out->task == NULL || out->bytes == NULL)
            return MAPCORE_ENOMEM;
    } else {
        memset(out->row, 0, ((size_t)ntasks + 1) * sizeof *out->row);
    }
    for (size_t i = 0; i < n; i++)
        out->row[rows->task[i]]++;
    for (uint32_t t = 0; t < ntasks; t++) {
        size_t count = out->row[t];

        out->row[t] = start;
        start += count;
    }
    for (uint32_t t = 0; t < ntasks; t++) {
        for (size_t i = rows->row[t]; i < rows->row[t + 1]; i++) {
            size_t at = out->row[rows->task[i]]++;

            out->task[at] = t;
            out->bytes[at] = rows->bytes[i];
        }
    }
    for (uint32_t t = ntasks; t > 0; t--)
        out->row[t] = out->row[t - 1];
    out->row[0] = 0;
    return 0;
}

static int row_error(const struct reader *r,
                     uint32_t t,
                     const char *format,
                     ...) __attribute__((format(printf, 3, 4)));

static int row_error(const struct reader *r,
                     uint32_t t,
                     const char *format,
                     ...)
{
    char what[256];
    va_list ap;

    va_start(ap, format);
    if (vsnprintf(what, sizeof what, format, ap) < 0)
        what[0] = '\0';
    va_end(ap);
    return error_set(r->err, MAPCORE_EPARSE, "%s:%zu: %s", text_name(r->text),
                     r->line[t], what);
}

static int not_named_back(const struct reader *r, uint32_t t, uint32_t u)
{
    return row_error(r, t,
                     "task %u names %u as its neighbour, but %u does not name "
                     "%u",
                     t + 1, u + 1, u + 1, t + 1);
}

/* First task that stands twice in row t, or MAPCORE_NONE. */
static uint32_t find_twin(const struct rows *rows, uint32_t t)
{
    for (size_t i = rows->row[t] + 1; i < rows->row[t + 1]; i++) {
        if (rows->task[i] == rows->task[i - 1])
            return rows->task[i];
    }
    return MAPCORE_NONE;
}

/* Compares row t with what the other ends say of t: other is the transpose. */
static int compare_row(const struct reader *r,
                       const struct rows *other,
                       uint32_t t)
{
    const struct rows *rows = &r->rows;
    size_t i = rows->row[t], j = other->row[t];
    size_t iend = rows->row[t + 1], jend = other->row[t + 1];

    for (; i < iend || j < jend; i++, j++) {
        if (j == jend || (i < iend && rows->task[i] < other->task[j]))
            return not_named_back(r, t, rows->task[i]);
        if (i == iend || rows->task[i] > other->task[j])
            return not_named_back(r, other->task[j], t);
        if (rows->bytes[i] != other->bytes[j])
            return row_error(r, t,
                             "the edge between %u and %u weighs %" PRIu64
                             " here, but %" PRIu64 " in line %zu",
                             t + 1, rows->task[i] + 1, rows->bytes[i],
                             other->bytes[j], r->line[rows->task[i]]);
    }
    return 0;
}

/* Sorts the rows (by transposing them twice) and checks that both ends of
 * every edge say the same. */
static int sort_and_check(struct reader *r)
{
    uint32_t ntasks = r->header.ntasks;
    struct rows other = {0};
    int code = transpose(&other, &r->rows, ntasks, r->err);

    if (code == 0)
        code = transpose(&r->rows, &other, ntasks, r->err);
    for (uint32_t t = 0; code == 0 && t < ntasks; t++) {
        uint32_t twin = find_twin(&r->rows, t);

        if (twin != MAPCORE_NONE)
            code = row_error(r, t, "task %u names its neighbour %u twice",
                             t + 1, twin + 1);
    }
    for (uint32_t t = 0; code == 0 && t < ntasks; t++)
        code = compare_row(r, &other, t);
    rows_clear(&other);
    if (code < 0)
        return code;
    if (r->rows.row[ntasks] / 2 != r->header.nedges)
        return error_set(r->err, MAPCORE_EPARSE,
                         "%s:%zu: the header speaks of %" PRIu64
                         " edges, the rows hold %zu",
                         text_name(r->text), r->header.line, r->header.nedges,
                         r->rows.row[ntasks] / 2);
    return 0;
}

/* Leaves out the edges of weight 0 and adds up the others. */
static int drop_zeros(struct reader *r, uint64_t *total)
{
    struct rows *rows = &r->rows;
    size_t n = 0, begin = 0;

    *total = 0;
    for (uint32_t t = 0; t < r->header.ntasks; t++) {
        size_t end = rows->row[t + 1];

        for (size_t i = begin; i < end; i++) {
            if (rows->bytes[i] == 0)
                continue;
            if (rows->task[i] > t &&
                (__builtin_add_overflow(*total, rows->bytes[i], total) ||
                 *total > INT64_MAX))
                return error_set(r->err, MAPCORE_ERANGE,
                                 "%s:%zu: the weights of all edges exceed 2^63",
                                 text_name(r->text), r->line[t]);
            rows->task[n] = rows->task[i];
            rows->bytes[n++] = rows->bytes[i];
        }
        begin = end;
        rows->row[t + 1] = n;
    }
    return 0;
}

int mapcore_graph_read_metis(struct mapcore_graph **out,
                             const char *path,
                             struct mapcore_error *err)
{
    struct reader r = {.err = err};
    struct mapcore_graph *graph = NULL;
    uint64_t total;
    int code;

    if ((code = text_open(&r.text, path, err)) < 0 ||
        (code = read_header(&r)) < 0 || (code = read_rows(&r)) < 0 ||
        (code = sort_and_check(&r)) < 0 || (code = drop_zeros(&r, &total)) < 0)
        goto out;
    graph = array_alloc(1, sizeof *graph, err);
    if (graph == NULL) {
        code = MAPCORE_ENOMEM;
        goto out;
    }
    graph->ntasks = r.header.ntasks;
    graph->total = total;
    graph->row = r.rows.row;
    graph->task = r.rows.task;
    graph->bytes = r.rows.bytes;
    r.rows = (struct rows){0};
    *out = graph;
out:
    rows_clear(&r.rows);
    free(r.line);
    text_close(r.text);
    return code;
}

int mapcore_graph_write_metis(const struct mapcore_graph *graph,
                              FILE *file,
                              struct mapcore_error *err)
{
    errno = 0;
    fprintf(file, "%u %zu 001\n", graph->ntasks, mapcore_graph_nedges(graph));
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++)
            fprintf(file, "%s%u %" PRIu64, i > graph->row[t] ? " " : "",
                    graph->task[i] + 1, graph->bytes[i]);
        putc('\n', file);
    }
    if (fflush(file) != 0 || ferror(file))
        return error_set(err, MAPCORE_EIO, "the graph cannot be written: %s",
                         errno != 0 ? strerror(errno) : "write error");
    return 0;
}
