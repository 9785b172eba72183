/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* npy.c - arrays as numpy.save writes them: the NPY format, versions 1.0 to
 * 3.0, of NumPy's reference (numpy.lib.format) */
#include "config.h"

#include "graph/file/formats.h"

#include "graph/file/edges.h"

#include "base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_MOST = 1 << 16, /* NumPy pads a header of a matrix to 128 */
    CHUNK = 1 << 16,       /* bytes read at a time, a multiple of 8 */
};

struct npy_reader {
    const char *name; /* for messages */
    FILE *file;
    struct mapcore_error *err;
    char *header;    /* owned; the text of a Python dictionary */
    char kind;       /* 'i', 'u', 'f', 'b' */
    unsigned size;   /* bytes of an element */
    bool is_big;     /* the most significant byte first */
    bool by_columns; /* Fortran's order */
    uint64_t n;      /* rows, and columns */
    struct edges edges;
};

static int bad_header(const struct npy_reader *r, const char *what)
{
    return error_set(r->err, MAPCORE_EPARSE, "%s: an array of NumPy %s",
                     r->name, what);
}

/* Up to n bytes, fewer only where the file ends. */
static int take(const struct npy_reader *r, size_t *got, void *out, size_t n)
{
    errno = 0;
    *got = fread(out, 1, n, r->file);
    return *got < n && ferror(r->file)
               ? error_set(r->err, MAPCORE_EIO, "%s: %s", r->name,
                           strerror(errno))
               : 0;
}

/* Magic, version, length, and the text of the header. */
static int read_header(struct npy_reader *r)
{
    unsigned char lead[12];
    size_t got, n, nlength;
    int error = take(r, &got, lead, 8);

    if (error < 0)
        return error;
    if (got < 8 || memcmp(lead, GRAPH_NPY_MAGIC, 6) != 0)
        return error_set(r->err, MAPCORE_EPARSE,
                         "%s: not an array as numpy.save writes it", r->name);
    if (lead[6] < 1 || lead[6] > 3)
        return error_set(r->err, MAPCORE_EVERSION,
                         "%s: an array in version %u of NumPy's format, and "
                         "this program knows 1 to 3",
                         r->name, lead[6]);
    nlength = lead[6] == 1 ? 2 : 4;
    if ((error = take(r, &got, lead + 8, nlength)) < 0)
        return error;
    if (got < nlength)
        return bad_header(r, "that ends in its header");
    n = (size_t)lead[8] | (size_t)lead[9] << 8;
    if (nlength == 4)
        n |= (size_t)lead[10] << 16 | (size_t)lead[11] << 24;
    if (n > HEADER_MOST)
        return bad_header(r, "with a header longer than 64 KiB");
    r->header = array_alloc(n + 1, 1, r->err);
    if (!r->header)
        return MAPCORE_ENOMEM;
    if ((error = take(r, &got, r->header, n)) < 0)
        return error;
    return got == n ? 0 : bad_header(r, "that ends in its header");
}

/* What stands behind 'key': in the dictionary, or NULL. */
static char *find_value(const struct npy_reader *r, const char *key)
{
    char *at = strstr(r->header, key);

    if (!at)
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    if (*at != ':')
        return NULL;
    at++;
    return at + strspn(at, " ");
}

/* '<f8': byte order, kind, bytes of an element. */
static int read_descr(struct npy_reader *r)
{
    const char *at = find_value(r, "'descr'");
    char type[16] = "";
    bool is_known;

    if (!at || (*at != '\'' && *at != '"'))
        return bad_header(r, "of records, which is no matrix of bytes");
    for (size_t i = 0; i + 1 < sizeof(type) && at[i + 1] > ' ' &&
                       at[i + 1] < 0x7f && at[i + 1] != *at;
         i++)
        type[i] = at[i + 1];
    r->kind = type[0] == '\0' ? '\0' : type[1];
    r->size =
        r->kind != '\0' && type[2] > '0' && type[2] <= '9' && type[3] == '\0'
            ? (unsigned)(type[2] - '0')
            : 0;
    r->is_big = type[0] == '>';
    is_known =
        (r->kind == 'f' && (r->size == 4 || r->size == 8)) ||
        ((r->kind == 'i' || r->kind == 'u') &&
         (r->size == 1 || r->size == 2 || r->size == 4 || r->size == 8)) ||
        (r->kind == 'b' && r->size == 1);
    if (!is_known || !strchr("<>|=", type[0]))
        return error_set(r->err, MAPCORE_EPARSE,
                         "%s: an array of '%s': only whole numbers of 1 to 8 "
                         "bytes and floats of 4 or 8 are read",
                         r->name, type);
    return 0;
}

/* (4, 4): a square of at least one task. */
static int read_shape(struct npy_reader *r)
{
    char *at = find_value(r, "'shape'");
    uint64_t dim[3];
    int n = 0;

    if (!at || *at++ != '(')
        return bad_header(r, "whose header tells no shape");
    for (; n < 3; n++) {
        char *end;

        at += strspn(at, " ,");
        if (*at < '0' || *at > '9')
            break;
        dim[n] = strtoull(at, &end, 10);
        at = end;
    }
    if (*at != ')')
        return bad_header(r, n == 3 ? "of more than two dimensions: a matrix "
                                      "of tasks by tasks is wanted"
                                    : "whose header tells no shape");
    if (n != 2)
        return error_set(r->err, MAPCORE_EPARSE,
                         "%s: an array of NumPy of %d dimension%s, not two: a "
                         "matrix of tasks by tasks is wanted",
                         r->name, n, text_plural((uint64_t)n));
    if (dim[0] != dim[1] || dim[0] == 0 || dim[0] >= MAPCORE_NONE - 1)
        return error_set(r->err, MAPCORE_EPARSE,
                         "%s: an array of NumPy of %" PRIu64 " by %" PRIu64
                         ": no square matrix of tasks",
                         r->name, dim[0], dim[1]);
    r->n = dim[0];
    return 0;
}

static int read_words(struct npy_reader *r)
{
    const char *order = find_value(r, "'fortran_order'");
    int error;

    if (!order || (*order != 'T' && *order != 'F'))
        return bad_header(r, "whose header tells no order");
    r->by_columns = *order == 'T';
    if ((error = read_descr(r)) < 0)
        return error;
    return read_shape(r);
}

static uint64_t take_bits(const struct npy_reader *r, const unsigned char *at)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < r->size; i++)
        bits = bits << 8 | at[r->is_big ? i : r->size - 1 - i];
    return bits;
}

static double take_float(const struct npy_reader *r, uint64_t bits)
{
    double value;

    if (r->size == 4) {
        uint32_t half = (uint32_t)bits;
        float single;

        memcpy(&single, &half, sizeof(single));
        return (double)single;
    }
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* An element as bytes. */
static int take_bytes(const struct npy_reader *r,
                      uint64_t *out,
                      const unsigned char *at,
                      uint64_t row,
                      uint64_t column)
{
    uint64_t bits = take_bits(r, at), sign = (uint64_t)1 << (8 * r->size - 1);
    double value = 0;

    if (r->kind == 'f') {
        value = take_float(r, bits);
        if (edges_round_bytes(out, value))
            return 0;
    } else if (r->kind != 'i' || !(bits & sign)) {
        *out = bits;
        return 0;
    } else {
        /* Two's complement, of fewer bits than 64 too. */
        value = -(double)(((sign << 1) - 1 - bits) + 1);
    }
    return error_set(
        r->err, isnan(value) || value < 0 ? MAPCORE_EPARSE : MAPCORE_ERANGE,
        "%s: element [%" PRIu64 ", %" PRIu64 "] is %g, and no number of bytes",
        r->name, row, column, value);
}

static int add_element(struct npy_reader *r,
                       const unsigned char *at,
                       uint64_t index)
{
    uint64_t row = index / r->n, column = index % r->n, bytes;
    int error;

    if (r->by_columns) {
        uint64_t swapped = row;

        row = column;
        column = swapped;
    }
    if ((error = take_bytes(r, &bytes, at, row, column)) < 0)
        return error;
    return edges_add(&r->edges, (uint32_t)row, (uint32_t)column, bytes, r->err);
}

static int too_long(const struct npy_reader *r)
{
    return error_set(r->err, MAPCORE_EPARSE,
                     "%s: longer than an array of %" PRIu64 " by %" PRIu64,
                     r->name, r->n, r->n);
}

static int read_elements(struct npy_reader *r)
{
    const uint64_t n = r->n * r->n; /* below 2^64: n is below 2^32 */
    unsigned char chunk[CHUNK];
    uint64_t index = 0;
    size_t got;
    int error;

    while ((error = take(r, &got, chunk, sizeof(chunk))) == 0 && got > 0) {
        for (size_t i = 0; error == 0 && i + r->size <= got; i += r->size) {
            if (index == n)
                return too_long(r);
            error = add_element(r, chunk + i, index++);
        }
        if (error == 0 && index == n && got % r->size != 0)
            error = too_long(r);
        if (error < 0)
            return error;
    }
    if (error == 0 && index < n)
        error = error_set(r->err, MAPCORE_EPARSE,
                          "%s: it ends after %" PRIu64 " of its %" PRIu64
                          " elements: cut short?",
                          r->name, index, n);
    return error;
}

int graph_read_npy(struct mapcore_graph **out,
                   FILE *file,
                   const char *name,
                   struct mapcore_error *err)
{
    struct npy_reader r = {
        .name = name, .file = file, .err = err, .edges.name = name};
    int error;

    if ((error = read_header(&r)) == 0 && (error = read_words(&r)) == 0 &&
        (error = read_elements(&r)) == 0)
        error = edges_to_graph(out, &r.edges, (uint32_t)r.n, true, err);
    edges_clear(&r.edges);
    free(r.header);
    return error;
}
