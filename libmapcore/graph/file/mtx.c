/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mtx.c - matrices in the Matrix Market's format as task graphs: blocks
 * of rows are tasks (Boisvert, Pozo, Remington, NISTIR 5935, 1996) */
#include "config.h"

#include "graph/file/formats.h"

#include "graph/file/edges.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* An element of a vector of doubles. */
enum { ELEMENT_BYTES = 8 };

enum field { FIELD_REAL, FIELD_INTEGER, FIELD_COMPLEX, FIELD_PATTERN };
/* Which half is written; the mirror of an entry may differ in sign, which is no
 * matter here. */
enum half { HALF_NONE, HALF_WITH_DIAGONAL, HALF_STRICT };

struct mtx_reader {
    struct text *text;
    bool is_array;
    enum field field;
    enum half half;
    uint64_t n;        /* rows, and columns */
    uint64_t nentries; /* lines to come */
    uint32_t ntasks;
    struct edges edges;
};

static bool is_word(const char *word, const char *expected)
{
    return word && strcasecmp(word, expected) == 0;
}

/* %%MatrixMarket matrix coordinate|array real|... general|... */
static int read_banner(struct mtx_reader *r)
{
    static const struct {
        const char *what, *words[6];
    } parts[] = {
        {"object", {"matrix"}},
        {"format", {"coordinate", "array"}},
        {"field", {"real", "double", "integer", "complex", "pattern"}},
        {"symmetry", {"general", "symmetric", "hermitian", "skew-symmetric"}},
    };
    static const enum field fields[] = {FIELD_REAL, FIELD_REAL, FIELD_INTEGER,
                                        FIELD_COMPLEX, FIELD_PATTERN};
    static const enum half halves[] = {HALF_NONE, HALF_WITH_DIAGONAL,
                                       HALF_WITH_DIAGONAL, HALF_STRICT};
    size_t found[4] = {0};
    char *cursor, *word;
    int error = text_line(r->text, &cursor);

    if (error < 0)
        return error;
    if (!cursor || !is_word(text_take_word(&cursor), "%%MatrixMarket"))
        return text_error_line(r->text, 0, MAPCORE_EPARSE,
                               "the first line does not begin with "
                               "%%%%MatrixMarket");
    for (size_t i = 0; i < 4; i++) {
        const char *const *words = parts[i].words;
        size_t k = 0;

        word = text_take_word(&cursor);
        while (words[k] && !is_word(word, words[k]))
            k++;
        if (!words[k] ||
            (i == 2 && found[1] == 1 && fields[k] == FIELD_PATTERN))
            return text_error(r->text, MAPCORE_EPARSE,
                              "this Matrix Market file's %s is '%.40s'",
                              parts[i].what, word ? word : "");
        found[i] = k;
    }
    r->is_array = found[1] == 1;
    r->field = fields[found[2]];
    r->half = halves[found[3]];
    return 0;
}

/* The next line that is neither empty nor a comment; NULL at the end. */
static int next_line(struct mtx_reader *r, char **line)
{
    int error;

    do
        error = text_line(r->text, line);
    while (error == 0 && *line && (**line == '%' || text_at_end(*line)));
    return error;
}

static int take_size(struct mtx_reader *r,
                     char **cursor,
                     uint64_t *out,
                     const char *what)
{
    return text_read_u64(out, r->text, cursor, what);
}

static int set_tasks(struct mtx_reader *r, uint32_t ntasks)
{
    if (r->n == 0)
        return text_error(r->text, MAPCORE_EPARSE, "a matrix without rows");
    if (ntasks > r->n)
        return text_error(r->text, MAPCORE_EINVAL,
                          "%u tasks cannot share %" PRIu64 " rows", ntasks,
                          r->n);
    /* So that i * ntasks fits. */
    if (r->n >= MAPCORE_NONE - 1)
        return text_error(r->text, MAPCORE_ERANGE, "too many rows");
    r->ntasks = ntasks > 0 ? ntasks : (uint32_t)r->n;
    return 0;
}

static int read_sizes(struct mtx_reader *r, uint32_t ntasks)
{
    uint64_t columns;
    char *cursor;
    int error = next_line(r, &cursor);

    if (error < 0)
        return error;
    if (!cursor)
        return text_error_line(r->text, 0, MAPCORE_EPARSE,
                               "the file ends before the size of the matrix");
    if ((error = take_size(r, &cursor, &r->n, "number of rows")) < 0 ||
        (error = take_size(r, &cursor, &columns, "number of columns")) < 0 ||
        (!r->is_array && (error = take_size(r, &cursor, &r->nentries,
                                            "number of entries")) < 0))
        return error;
    if (!text_at_end(cursor))
        return text_error(r->text, MAPCORE_EPARSE,
                          "more numbers than the size of the matrix");
    if (r->n != columns)
        return text_error(r->text, MAPCORE_EPARSE,
                          "a matrix of %" PRIu64 " rows and %" PRIu64
                          " columns is no graph of tasks",
                          r->n, columns);
    return set_tasks(r, ntasks);
}

static size_t count_digits(const char *p)
{
    return strspn(p, "0123456789");
}

/* A number as C or Fortran writes it, up to a blank or the end; moves *cursor
 * behind it. False when it is none. */
static bool take_real(char **cursor, bool *is_zero)
{
    char *p = *cursor + strspn(*cursor, " \t\r\v\f");
    size_t whole, fraction = 0;
    char *digits;

    p += *p == '-' || *p == '+';
    digits = p;
    p += whole = count_digits(p);
    if (*p == '.')
        p += 1 + (fraction = count_digits(p + 1));
    if (whole + fraction == 0)
        return false;
    *is_zero = strspn(digits, "0.") >= (size_t)(p - digits);
    if (*p != '\0' && strchr("eEdD", *p)) {
        p++;
        p += *p == '-' || *p == '+';
        if (count_digits(p) == 0)
            return false;
        p += count_digits(p);
    }
    if (*p != '\0' && !strchr(" \t\r\v\f", *p))
        return false;
    *cursor = p;
    return true;
}

/* The bytes that an entry stands for. */
static int take_value(struct mtx_reader *r, char **cursor, uint64_t *bytes)
{
    bool is_zero = false, is_zero_too = true;

    *bytes = ELEMENT_BYTES;
    if (r->field == FIELD_PATTERN)
        return 0;
    if (r->field == FIELD_INTEGER) {
        *cursor += strspn(*cursor, " \t\r\v\f");
        *cursor += **cursor == '-' || **cursor == '+';
        return take_size(r, cursor, bytes, "entry");
    }
    if (!take_real(cursor, &is_zero) ||
        (r->field == FIELD_COMPLEX && !take_real(cursor, &is_zero_too)))
        return text_error(r->text, MAPCORE_EPARSE,
                          "'%.40s' is no entry of the matrix",
                          *cursor + strspn(*cursor, " \t"));
    if (is_zero && is_zero_too)
        *bytes = 0;
    return 0;
}

static int add_entry(struct mtx_reader *r,
                     uint64_t row,
                     uint64_t column,
                     uint64_t bytes)
{
    uint32_t a = (uint32_t)(row * r->ntasks / r->n);
    uint32_t b = (uint32_t)(column * r->ntasks / r->n);

    /* Both triangles of a matrix of which one is written. */
    if (r->half != HALF_NONE && row != column && a != b &&
        __builtin_mul_overflow(bytes, (uint64_t)2, &bytes))
        return text_error(r->text, MAPCORE_ERANGE,
                          "with this line the bytes of all edges exceed 2^63");
    return edges_add(&r->edges, a, b, bytes);
}

static int read_coordinates(struct mtx_reader *r)
{
    uint64_t row, column, bytes;
    char *cursor;
    int error;

    for (uint64_t i = 0; i < r->nentries; i++) {
        if ((error = next_line(r, &cursor)) < 0)
            return error;
        if (!cursor)
            return text_error(r->text, MAPCORE_EPARSE,
                              "the header speaks of %" PRIu64
                              " entries, the file ends after %" PRIu64,
                              r->nentries, i);
        if ((error = take_size(r, &cursor, &row, "row")) < 0 ||
            (error = take_size(r, &cursor, &column, "column")) < 0 ||
            (error = take_value(r, &cursor, &bytes)) < 0)
            return error;
        if (!text_at_end(cursor))
            return text_error(r->text, MAPCORE_EPARSE,
                              "more than one entry of the matrix");
        if (row < 1 || row > r->n || column < 1 || column > r->n)
            return text_error(r->text, MAPCORE_EPARSE,
                              "entry (%" PRIu64 ", %" PRIu64
                              ") of a matrix of %" PRIu64 " rows",
                              row, column, r->n);
        error = add_entry(r, row - 1, column - 1, bytes);
        if (error < 0)
            return error;
    }
    return 0;
}

/* Column by column, of one triangle where that says all. */
static int read_array(struct mtx_reader *r)
{
    uint64_t found = 0, bytes;
    char *cursor = NULL;
    int error;

    for (uint64_t column = 0; column < r->n; column++) {
        uint64_t row = r->half == HALF_NONE ? 0 : column;

        for (row += r->half == HALF_STRICT; row < r->n; row++, found++) {
            while (!cursor || text_at_end(cursor)) {
                if ((error = next_line(r, &cursor)) < 0)
                    return error;
                if (!cursor)
                    return text_error_line(r->text, 0, MAPCORE_EPARSE,
                                           "the file ends after %" PRIu64
                                           " entries, in column %" PRIu64
                                           " of %" PRIu64,
                                           found, column + 1, r->n);
            }
            if ((error = take_value(r, &cursor, &bytes)) < 0 ||
                (error = add_entry(r, row, column, bytes)) < 0)
                return error;
        }
    }
    if (cursor && !text_at_end(cursor))
        return text_error(r->text, MAPCORE_EPARSE,
                          "more entries than the matrix has");
    return 0;
}

int graph_read_mtx(struct mapcore_graph **out,
                   struct text *text,
                   const struct mapcore_graph_reading *how)
{
    struct mtx_reader r = {.text = text, .edges = {.text = text}};
    char *line;
    int error;

    if ((error = read_banner(&r)) < 0 ||
        (error = read_sizes(&r, how->ntasks)) < 0 ||
        (error = r.is_array ? read_array(&r) : read_coordinates(&r)) < 0 ||
        (error = next_line(&r, &line)) < 0)
        goto out;
    if (line)
        error = text_error(text, MAPCORE_EPARSE,
                           "a line behind the last entry of the matrix");
    else
        error = edges_to_graph(out, &r.edges, r.ntasks, how->ntasks > 0);
out:
    edges_clear(&r.edges);
    return error;
}
