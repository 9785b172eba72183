/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rows.c - files that list each task's neighbours: METIS's, which every mapper
 * and partitioner can read (METIS 5 manual, section 4.5), a line a task; and
 * Scotch's source graphs, .grf (Scotch 7 user's guide, section 5.1), whose
 * numbers stand in that order, however they are divided into lines */
#include "config.h"

#include "graph/file/formats.h"

#include "base/array.h"
#include "graph/csr.h"
#include "graph/file/adjacency.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the header says first. Nothing is allocated on its word: arrays grow
 * with the rows that really come. */
struct row_reader {
    struct text *text;
    struct mapcore_error *err;
    char *cursor; /* in the line read last; NULL: there was none */
    bool is_scotch;
    uint32_t ntasks, first; /* tasks are numbered from there on */
    uint64_t nedges, narcs; /* Scotch counts both ends */
    bool has_labels, has_sizes, has_edge_weights;
    uint32_t nweights;     /* of each task; the first is its load */
    struct adjacency rows; /* neighbours by label, or from 0 without labels */
    uint32_t *label;       /* [ntasks] in the order of the file */
    uint32_t *task;        /* [ntasks] of each row, where there are labels */
    size_t nlabel;         /* capacity */
};

static const char *noun(const struct row_reader *r, bool is_one)
{
    return r->is_scotch ? (is_one ? "vertex" : "vertices")
                        : (is_one ? "task" : "tasks");
}

/* METIS has comments. */
static int next_line(struct row_reader *r)
{
    int error;

    do
        error = text_line(r->text, &r->cursor, r->err);
    while (error == 0 && r->cursor && *r->cursor == '%' && !r->is_scotch);
    return error;
}

/* Moves to the line with Scotch's next number. */
static int seek(struct row_reader *r, const char *what)
{
    int error = 0;

    while (r->is_scotch && (!r->cursor || text_at_end(r->cursor))) {
        if ((error = next_line(r)) < 0)
            return error;
        if (!r->cursor)
            return error_set(r->err, MAPCORE_EPARSE,
                             "%s: the file ends where the %s should be",
                             text_name(r->text), what);
    }
    return 0;
}

static int take_u64(struct row_reader *r, uint64_t *out, const char *what)
{
    int error = seek(r, what);

    return error < 0 ? error
                     : text_read_u64(out, r->text, &r->cursor, what, r->err);
}

static int take_u32(struct row_reader *r, uint32_t *out, const char *what)
{
    int error = seek(r, what);

    return error < 0 ? error
                     : text_read_u32(out, r->text, &r->cursor, what, r->err);
}

static int check_tasks(struct row_reader *r)
{
    if (r->ntasks == 0)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "a graph without tasks");
    if (r->ntasks >= MAPCORE_NONE - 1)
        return text_error(r->text, r->err, MAPCORE_ERANGE, "too many tasks");
    return 0;
}

/* Which of sizes, weights of tasks, weights of edges there are. */
static int read_metis_format(struct row_reader *r, const char *word)
{
    size_t n = strlen(word);

    if (n > 3 || strspn(word, "01") != n)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "format '%.40s' is not made of up to three digits 0 "
                          "or 1",
                          word);
    r->has_edge_weights = word[n - 1] == '1';
    r->nweights = n >= 2 && word[n - 2] == '1';
    r->has_sizes = n == 3 && word[0] == '1';
    return 0;
}

/* The first line that is no comment: n m [fmt [ncon]]. */
static int read_metis_header(struct row_reader *r)
{
    bool has_weights;
    char *word;
    int error = next_line(r);

    if (error < 0)
        return error;
    if (!r->cursor)
        return error_set(r->err, MAPCORE_EPARSE,
                         "%s: empty, not a METIS graph file",
                         text_name(r->text));
    r->first = 1;
    if ((error = take_u32(r, &r->ntasks, "number of tasks")) < 0 ||
        (error = check_tasks(r)) < 0 ||
        (error = take_u64(r, &r->nedges, "number of edges")) < 0)
        return error;
    if (!(word = text_take_word(&r->cursor)))
        return 0;
    if ((error = read_metis_format(r, word)) < 0)
        return error;
    has_weights = r->nweights > 0;
    if (!text_at_end(r->cursor) &&
        (error = take_u32(r, &r->nweights, "number of vertex weights")) < 0)
        return error;
    if (!has_weights && r->nweights > 0)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "%u weights per vertex, but the format says that "
                          "there are none",
                          r->nweights);
    if (!text_at_end(r->cursor))
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "more than four numbers in the header");
    return 0;
}

/* Version, vertices and arcs, base and flags. */
static int read_scotch_header(struct row_reader *r)
{
    uint32_t version, flags;
    int error;

    if ((error = take_u32(r, &version, "version")) < 0 ||
        (error = take_u32(r, &r->ntasks, "number of vertices")) < 0 ||
        (error = take_u64(r, &r->narcs, "number of arcs")) < 0 ||
        (error = take_u32(r, &r->first, "number of the first vertex")) < 0 ||
        (error = take_u32(r, &flags, "three digits of what there is")) < 0)
        return error;
    if (version != 0)
        return text_error(r->text, r->err, MAPCORE_EVERSION,
                          "a Scotch graph of version %u, and this program "
                          "knows version 0",
                          version);
    if (r->first > 1)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "vertices are numbered from 0 or 1, not from %u",
                          r->first);
    if (flags > 999)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "%u is not made of three digits 0 or 1", flags);
    r->nedges = r->narcs / 2;
    /* Any digit but 0 counts. */
    r->has_labels = flags / 100 != 0;
    r->has_edge_weights = flags / 10 % 10 != 0;
    r->nweights = flags % 10 != 0;
    return check_tasks(r);
}

/* A neighbour of self and the weight of their edge, which Scotch has in front
 * of it. Labels may be any numbers. */
static int read_end(struct row_reader *r, uint32_t self)
{
    uint64_t bytes = 1;
    uint32_t end;
    int error;

    if ((r->has_edge_weights && r->is_scotch &&
         (error = take_u64(r, &bytes, "load of the edge")) < 0) ||
        (error = take_u32(r, &end, "neighbour")) < 0)
        return error;
    if (!r->has_labels && (end < r->first || end - r->first >= r->ntasks))
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "neighbour %u is not one of the %s %u to %u", end,
                          noun(r, false), r->first, r->first + (r->ntasks - 1));
    if (end == self)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "%s %u is its own neighbour", noun(r, true), end);
    if (r->has_edge_weights && !r->is_scotch &&
        (error = take_u64(r, &bytes, "weight of the edge")) < 0)
        return error;
    return adjacency_add(&r->rows, r->has_labels ? end : end - r->first, bytes,
                         r->err);
}

static int read_label(struct row_reader *r, uint32_t *self, uint32_t t)
{
    int error = take_u32(r, self, "label of the vertex");

    if (error == 0)
        error = array_reserve(&r->label, &r->nlabel, (size_t)t + 1,
                              sizeof(*r->label), r->err);
    if (error == 0)
        r->label[t] = *self;
    return error;
}

/* The row of task t: what it is, how many neighbours Scotch has of it, they. */
static int read_row(struct row_reader *r, uint32_t t)
{
    const char *weight =
        r->is_scotch ? "load of the vertex" : "weight of the vertex";
    uint32_t self = r->first + t;
    uint64_t number, degree = 0;
    size_t line;
    int error;

    if ((r->has_labels && (error = read_label(r, &self, t)) < 0) ||
        (r->has_sizes &&
         (error = take_u64(r, &number, "size of the vertex")) < 0))
        return error;
    for (uint32_t i = 0; i < r->nweights; i++)
        if ((error = take_u64(r, &number, weight)) < 0 ||
            (i == 0 &&
             (error = adjacency_set_load(&r->rows, number, r->err)) < 0))
            return error;
    if (r->is_scotch &&
        (error = take_u64(r, &degree, "degree of the vertex")) < 0)
        return error;
    line = text_line_number(r->text);
    for (uint64_t i = 0; r->is_scotch ? i < degree : !text_at_end(r->cursor);
         i++)
        if ((error = read_end(r, self)) < 0)
            return error;
    return adjacency_end_row(&r->rows, line, r->err);
}

static int read_rows(struct row_reader *r)
{
    int error;

    for (uint32_t t = 0; t < r->ntasks; t++) {
        if (!r->is_scotch && (error = next_line(r)) < 0)
            return error;
        if (!r->is_scotch && !r->cursor)
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "the header speaks of %u task%s, the file ends "
                              "after %u",
                              r->ntasks, text_plural(r->ntasks), t);
        if ((error = read_row(r, t)) < 0)
            return error;
    }
    if (!text_at_end(r->cursor))
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "more numbers than the degree of the last of %u "
                          "vertices",
                          r->ntasks);
    while ((error = next_line(r)) == 0 && r->cursor)
        if (!text_at_end(r->cursor))
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "a line behind the last of %u %s", r->ntasks,
                              noun(r, r->ntasks == 1));
    if (error == 0 && r->is_scotch && r->rows.length != r->narcs)
        error = text_error(r->text, r->err, MAPCORE_EPARSE,
                           "the header speaks of %" PRIu64
                           " arcs, the rows hold %zu",
                           r->narcs, r->rows.length);
    return error;
}

/* The task of a label, its place among all in ascending order, or NONE. */
static uint32_t find(const uint64_t *places, uint32_t n, uint32_t label)
{
    uint32_t low = 0, high = n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (places[middle] >> 32 < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && places[low] >> 32 == label ? low : MAPCORE_NONE;
}

/* Lines, loads and labels in the order of the tasks, label << 32 | row; labels
 * of neighbours become tasks. */
static int order_rows(struct row_reader *r, const uint64_t *places)
{
    struct adjacency *rows = &r->rows;
    struct mapcore_graph *of = &rows->of;
    const uint32_t n = of->ntasks;
    size_t *line = array_copy(rows->line, n, sizeof(*line), r->err);
    uint32_t *load =
        of->load ? array_copy(of->load, n, sizeof(*load), r->err) : NULL;
    int error = line && (load || !of->load) ? 0 : MAPCORE_ENOMEM;

    for (uint32_t t = 0; error == 0 && t < n; t++)
        for (size_t i = of->row[t]; error == 0 && i < of->row[t + 1]; i++) {
            const uint32_t u = find(places, n, of->task[i]);

            if (u == MAPCORE_NONE)
                error = error_set(r->err, MAPCORE_EPARSE,
                                  "%s:%zu: neighbour %u is no vertex's label",
                                  text_name(r->text), line[t], of->task[i]);
            of->task[i] = u;
        }
    for (uint32_t t = 0; error == 0 && t < n; t++) {
        const uint32_t at = (uint32_t)places[t];

        r->task[at] = t;
        r->label[t] = (uint32_t)(places[t] >> 32);
        rows->line[t] = line[at];
        if (load)
            of->load[t] = load[at];
    }
    free(line);
    free(load);
    return error;
}

/* Tasks are numbered in the ascending order of their labels. */
static int resolve_labels(struct row_reader *r)
{
    uint64_t *places = array_alloc(r->ntasks, sizeof(*places), r->err);
    int error = 0;

    r->task = array_alloc(r->ntasks, sizeof(*r->task), r->err);
    if (!places || !r->task)
        error = MAPCORE_ENOMEM;
    for (uint32_t t = 0; error == 0 && t < r->ntasks; t++)
        places[t] = (uint64_t)r->label[t] << 32 | t;
    if (error == 0)
        array_sort_u64(places, r->ntasks);
    for (uint32_t t = 1; error == 0 && t < r->ntasks; t++)
        if (places[t] >> 32 == places[t - 1] >> 32)
            error =
                error_set(r->err, MAPCORE_EPARSE,
                          "%s:%zu: label %u stands in line %zu already",
                          text_name(r->text), r->rows.line[(uint32_t)places[t]],
                          (uint32_t)(places[t] >> 32),
                          r->rows.line[(uint32_t)places[t - 1]]);
    if (error == 0)
        error = order_rows(r, places);
    free(places);
    return error;
}

static int read_graph(struct mapcore_graph **out,
                      struct text *text,
                      bool is_scotch,
                      struct mapcore_error *err)
{
    struct row_reader r = {.text = text, .err = err, .is_scotch = is_scotch};
    int error = is_scotch ? read_scotch_header(&r) : read_metis_header(&r);

    if (error == 0)
        error = read_rows(&r);
    if (error == 0 && r.has_labels)
        error = resolve_labels(&r);
    if (error == 0)
        error = adjacency_to_graph(
            out, &r.rows, r.nedges,
            &(struct adjacency_names){r.label, r.task, r.first}, text, err);
    adjacency_clear(&r.rows);
    free(r.label);
    free(r.task);
    return error;
}

int graph_read_metis(struct mapcore_graph **out,
                     struct text *text,
                     const struct mapcore_graph_reading *how,
                     struct mapcore_error *err)
{
    (void)how;
    return read_graph(out, text, false, err);
}

int graph_read_scotch(struct mapcore_graph **out,
                      struct text *text,
                      const struct mapcore_graph_reading *how,
                      struct mapcore_error *err)
{
    (void)how;
    return read_graph(out, text, true, err);
}
