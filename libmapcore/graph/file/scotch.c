/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scotch.c - Scotch's source graphs, .grf (Scotch 7 user's guide, section
 * 5.1) */
#include "config.h"

#include "graph/file/formats.h"

#include "base/array.h"
#include "graph/csr.h"
#include "graph/file/adjacency.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Numbers stand in the order that Scotch wants them, however they are divided
 * into lines. */
struct scotch_reader {
    struct text *text;
    struct mapcore_error *err;
    char *cursor; /* in the line read last */
    uint32_t ntasks, base;
    uint64_t narcs;
    bool has_labels, has_edge_loads, has_vertex_loads;
    struct adjacency rows; /* neighbours by label, or from 0 without labels */
    uint32_t *label;       /* [ntasks] in the order of the file */
    uint32_t *task;        /* [ntasks] of each row, where there are labels */
    size_t nlabel;         /* capacity */
};

/* Moves to the line with the next number. */
static int seek(struct scotch_reader *r, const char *what)
{
    int error;

    while (!r->cursor || text_at_end(r->cursor)) {
        error = text_line(r->text, &r->cursor, r->err);
        if (error < 0)
            return error;
        if (!r->cursor)
            return error_set(r->err, MAPCORE_EPARSE,
                             "%s: the file ends where the %s should be",
                             text_name(r->text), what);
    }
    return 0;
}

static int take_u64(struct scotch_reader *r, uint64_t *out, const char *what)
{
    int error = seek(r, what);

    return error < 0 ? error
                     : text_read_u64(out, r->text, &r->cursor, what, r->err);
}

static int take_u32(struct scotch_reader *r, uint32_t *out, const char *what)
{
    int error = seek(r, what);

    return error < 0 ? error
                     : text_read_u32(out, r->text, &r->cursor, what, r->err);
}

static int check_header(struct scotch_reader *r,
                        uint32_t version,
                        uint32_t flags)
{
    if (version != 0)
        return text_error(r->text, r->err, MAPCORE_EVERSION,
                          "a Scotch graph of version %u, and this program "
                          "knows version 0",
                          version);
    if (r->ntasks == 0)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "a graph without tasks");
    if (r->base > 1)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "vertices are numbered from 0 or 1, not from %u",
                          r->base);
    if (r->ntasks >= MAPCORE_NONE - 1)
        return text_error(r->text, r->err, MAPCORE_ERANGE, "too many tasks");
    if (flags > 999)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "%u is not made of three digits 0 or 1", flags);
    return 0;
}

/* version, vertices and arcs, base and flags. */
static int read_header(struct scotch_reader *r)
{
    uint32_t version, flags;
    int error;

    if ((error = take_u32(r, &version, "version")) < 0 ||
        (error = take_u32(r, &r->ntasks, "number of vertices")) < 0 ||
        (error = take_u64(r, &r->narcs, "number of arcs")) < 0 ||
        (error = take_u32(r, &r->base, "number of the first vertex")) < 0 ||
        (error = take_u32(r, &flags, "three digits of what there is")) < 0 ||
        (error = check_header(r, version, flags)) < 0)
        return error;
    /* Any digit but 0 counts. */
    r->has_labels = flags / 100 != 0;
    r->has_edge_loads = flags / 10 % 10 != 0;
    r->has_vertex_loads = flags % 10 != 0;
    return 0;
}

/* Labels may be any numbers; without them a vertex is its place. */
static int read_end(struct scotch_reader *r, uint32_t self)
{
    uint64_t bytes = 1;
    uint32_t end;
    int error;

    if ((r->has_edge_loads &&
         (error = take_u64(r, &bytes, "load of the edge")) < 0) ||
        (error = take_u32(r, &end, "neighbour")) < 0)
        return error;
    if (!r->has_labels && (end < r->base || end - r->base >= r->ntasks))
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "neighbour %u is not one of the vertices %u to %u",
                          end, r->base, r->base + (r->ntasks - 1));
    if (end == self)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "vertex %u is its own neighbour", end);
    return adjacency_add(&r->rows, r->has_labels ? end : end - r->base, bytes,
                         r->err);
}

static int read_vertex(struct scotch_reader *r, uint32_t t)
{
    uint32_t self = r->base + t;
    uint64_t load, degree;
    size_t line;
    int error;

    if (r->has_labels) {
        if ((error = take_u32(r, &self, "label of the vertex")) < 0 ||
            (error = array_reserve(&r->label, &r->nlabel, (size_t)t + 1,
                                   sizeof(*r->label), r->err)) < 0)
            return error;
        r->label[t] = self;
    }
    if ((r->has_vertex_loads &&
         ((error = take_u64(r, &load, "load of the vertex")) < 0 ||
          (error = adjacency_set_load(&r->rows, load, r->err)) < 0)) ||
        (error = take_u64(r, &degree, "degree of the vertex")) < 0)
        return error;
    line = text_line_number(r->text);
    for (uint64_t i = 0; i < degree; i++) {
        error = read_end(r, self);
        if (error < 0)
            return error;
    }
    return adjacency_end_row(&r->rows, line, r->err);
}

static int read_vertices(struct scotch_reader *r)
{
    char *line;
    int error;

    for (uint32_t t = 0; t < r->ntasks; t++) {
        error = read_vertex(r, t);
        if (error < 0)
            return error;
    }
    if (!text_at_end(r->cursor))
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "more numbers than the degree of the last of %u "
                          "vertices",
                          r->ntasks);
    while ((error = text_line(r->text, &line, r->err)) == 0 && line) {
        if (!text_at_end(line))
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "a line behind the last of %u vertices",
                              r->ntasks);
    }
    if (error == 0 && r->rows.length != r->narcs)
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
static int order_rows(struct scotch_reader *r, const uint64_t *places)
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
static int resolve_labels(struct scotch_reader *r)
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

int graph_read_scotch(struct mapcore_graph **out,
                      struct text *text,
                      const struct mapcore_graph_reading *how,
                      struct mapcore_error *err)
{
    struct scotch_reader r = {.text = text, .err = err};
    int error;

    (void)how;
    if ((error = read_header(&r)) < 0 || (error = read_vertices(&r)) < 0 ||
        (r.has_labels && (error = resolve_labels(&r)) < 0))
        goto out;
    struct adjacency_names names = {
        .label = r.label, .task = r.task, .first = r.base};
    error = adjacency_to_graph(out, &r.rows, r.narcs / 2, &names, text, err);
out:
    adjacency_clear(&r.rows);
    free(r.label);
    free(r.task);
    return error;
}
