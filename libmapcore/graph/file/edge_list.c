/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* edge_list.c - lists of edges, one a line, and matrices of all numbers, a row
 * a line, as scripts, spreadsheets and numpy.savetxt write them */
#include "config.h"

#include "graph/file/formats.h"

#include "base/array.h"
#include "graph/file/edges.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    PAIRS_MOST = 1 << 24, /* no mapping has more tasks */
};

enum column { COLUMN_FROM, COLUMN_TO, COLUMN_BYTES, COLUMN_OTHER };

/* Which words of a line say what. */
struct edge_columns {
    unsigned column[3]; /* from, to, bytes */
    unsigned most;      /* words a line; 0: any */
};
static const struct edge_columns plain_columns = {{0, 1, 2}, 3};

/* What has been read so far. */
struct edge_reader {
    struct text *text;
    struct edges edges;
    /* The same lines, node << 32 | slot, as long as they may be a mapping. */
    uint64_t *pair; /* [npairs] */
    size_t npairs, capacity;
    bool is_no_mapping;
    uint32_t seen;  /* tasks: the largest number and 1 */
    uint32_t limit; /* tasks there may be, or 0 */
    struct edge_columns columns;
    bool is_first;
    size_t first; /* line of edges */
};

static int add_pair(struct edge_reader *reader, uint32_t node, uint32_t slot)
{
    int error;

    reader->is_no_mapping =
        reader->is_no_mapping || reader->npairs == PAIRS_MOST;
    if (reader->is_no_mapping)
        return 0;
    error = array_reserve(&reader->pair, &reader->capacity, reader->npairs + 1,
                          sizeof(*reader->pair), text_err(reader->text));
    if (error == 0)
        reader->pair[reader->npairs++] = (uint64_t)node << 32 | slot;
    return error;
}

/* Whether the lines can only be a mapping: each node has the slots 0 to k - 1,
 * each once, and some pair is twice the same number. As a graph that would be
 * tasks that all talk alike with the first ones and with themselves. */
static bool is_mapping(struct edge_reader *reader)
{
    const uint64_t *pair = reader->pair;
    bool is_one_twice = false;
    uint32_t expected = 0;

    if (reader->is_no_mapping || reader->npairs == 0)
        return false;
    array_sort_u64(reader->pair, reader->npairs);
    for (size_t i = 0; i < reader->npairs; i++) {
        if (i == 0 || pair[i - 1] >> 32 != pair[i] >> 32)
            expected = 0;
        if ((uint32_t)pair[i] != expected++)
            return false;
        is_one_twice = is_one_twice || pair[i] >> 32 == (uint32_t)pair[i];
    }
    return is_one_twice;
}

/* A line of numbers that may be a node and a slot: commas are not ours. */
static bool may_be_slot(const char *line)
{
    return line[strspn(line, "0123456789 \t\r\v\f")] == '\0' ||
           line[strspn(line, "0123456789 \t\r\v\f")] == '#';
}

/* A line of its own, "tasks N". */
static int read_tasks(struct edge_reader *reader, char *cursor)
{
    int error =
        text_read_u32(&reader->limit, reader->text, &cursor, "number of tasks");

    if (error < 0)
        return error;
    if (!text_at_end(cursor))
        return text_error(reader->text, MAPCORE_EPARSE,
                          "more than the number of tasks");
    if (reader->limit == 0)
        return text_error(reader->text, MAPCORE_EPARSE,
                          "a graph without tasks");
    return 0;
}

/* By its name, in any case. *rank: where several columns say the same, the
 * one of the lowest is meant ("src" before "rank", "bytes" before "size"). */
static enum column find_column(const char *word, unsigned *rank)
{
    static const char *const names[COLUMN_OTHER][12] = {
        [COLUMN_FROM] = {"src", "source", "from", "sender", "a", "rank", "task",
                         "i"},
        [COLUMN_TO] = {"dst", "dest", "destination", "target", "to", "receiver",
                       "b", "peer", "partner", "j"},
        [COLUMN_BYTES] = {"bytes", "byte", "nbytes", "volume", "size", "weight",
                          "data", "value", "total_bytes", "bytes_sent"},
    };

    for (int c = 0; c < COLUMN_OTHER; c++)
        for (unsigned i = 0; i < 12 && names[c][i]; i++)
            if (strcasecmp(word, names[c][i]) == 0) {
                *rank = i;
                return (enum column)c;
            }
    return COLUMN_OTHER;
}

/* Names of columns. Where they name both tasks and the bytes, they say where
 * these stand, and others may stand between; else they are passed over. */
static void read_names(struct edge_columns *out, char *line)
{
    struct edge_columns columns = {0};
    bool found[3] = {false, false, false};
    unsigned best[3] = {0};
    char *word;

    for (unsigned i = 0; (word = text_take_word(&line)); i++) {
        enum column c;
        unsigned rank;

        word += *word == '"' || *word == '\'';
        word[strcspn(word, "\"'")] = '\0';
        c = find_column(word, &rank);
        if (c != COLUMN_OTHER && (!found[c] || rank < best[c])) {
            found[c] = true;
            best[c] = rank;
            columns.column[c] = i;
        }
    }
    if (found[0] && found[1] && found[2])
        *out = columns;
}

static int add_edge(struct edge_reader *reader, char *const words[3])
{
    uint32_t task[2];
    uint64_t bytes = 1;
    int error;

    for (int i = 0; i < 2; i++) {
        char *cursor = words[i];

        if ((error = text_read_u32(&task[i], reader->text, &cursor, "task")) <
            0)
            return error;
        if (task[i] >= MAPCORE_NONE - 1)
            return text_error(reader->text, MAPCORE_ERANGE,
                              "task %u is too large", task[i]);
        if (task[i] >= reader->seen)
            reader->seen = task[i] + 1;
    }
    if (words[2] && !edges_take_bytes(&bytes, words[2])) {
        char *cursor = words[2];

        return text_read_u64(&bytes, reader->text, &cursor, "number of bytes");
    }
    if (words[2])
        reader->is_no_mapping = true;
    else if (add_pair(reader, task[0], task[1]) < 0)
        return MAPCORE_ENOMEM;
    return edges_add(&reader->edges, task[0], task[1], bytes);
}

static int read_edge(struct edge_reader *reader, char *cursor)
{
    const struct edge_columns *columns = &reader->columns;
    char *words[3] = {NULL, NULL, NULL}, *word, nothing[] = "";
    const char first = cursor[strspn(cursor, " \t\r\v\f")];

    /* Of an edge, not of a source file or another text. */
    if (columns->most > 0 && reader->seen == 0 && reader->limit == 0 &&
        !isdigit((unsigned char)first) && first != '-')
        return text_error(reader->text, MAPCORE_EPARSE,
                          "no number: no task graph of a format that "
                          "mapcore-graph(5) has");
    for (unsigned i = 0; (word = text_take_word(&cursor)); i++) {
        if (columns->most > 0 && i >= columns->most)
            return text_error(reader->text, MAPCORE_EPARSE,
                              "more than two tasks and their bytes (a matrix "
                              "of all numbers is the format dense)");
        for (int c = 0; c < 3; c++)
            if (columns->column[c] == i)
                words[c] = word;
    }
    for (int i = 0; i < 2; i++)
        if (!words[i])
            words[i] = nothing;
    return add_edge(reader, words);
}

static bool is_header(const char *line)
{
    line += strspn(line, " \t\"'");
    return isalpha((unsigned char)*line);
}

static int read_words(struct edge_reader *reader, char *line)
{
    bool is_first = reader->is_first;
    char *cursor = line;

    reader->is_first = false;
    if (is_first && is_header(line)) {
        reader->is_no_mapping = true;
        if (strncmp(line + strspn(line, " \t"), "tasks", 5) == 0 &&
            strcmp(text_take_word(&cursor), "tasks") == 0)
            return read_tasks(reader, cursor);
        read_names(&reader->columns, line);
        return 0;
    }
    return read_edge(reader, line);
}

static int read_lines(struct edge_reader *reader)
{
    char *line;
    int error;

    while ((error = text_line(reader->text, &line)) == 0 && line) {
        if (!may_be_slot(line))
            reader->is_no_mapping = true;
        edges_clean_line(line);
        if (text_at_end(line))
            continue;
        if (reader->first == 0)
            reader->first = text_line_number(reader->text);
        if ((error = read_words(reader, line)) < 0)
            return error;
        if (reader->limit > 0 && reader->seen > reader->limit)
            return text_error(reader->text, MAPCORE_EINVAL,
                              "task %u, but the tasks are 0 to %u",
                              reader->seen - 1, reader->limit - 1);
    }
    return error;
}

int graph_read_edges(struct mapcore_graph **out,
                     struct text *text,
                     const struct mapcore_graph_reading *how)
{
    struct edge_reader reader = {
        .text = text,
        .edges = {.text = text},
        .is_no_mapping = how->format != MAPCORE_GRAPH_ANY,
        .limit = how->ntasks,
        .columns = plain_columns,
        .is_first = true,
    };
    int error = read_lines(&reader);
    const uint32_t limit = reader.limit, seen = reader.seen;

    if (error == 0 && is_mapping(&reader))
        error = text_error_line(text, reader.first, MAPCORE_EPARSE,
                                "nodes and slots, each once: a mapping, not a "
                                "task graph (an option says that it is edges)");
    free(reader.pair); /* before the graph needs as much */
    if (error == 0 && limit == 0 && seen == 0)
        error = text_error_line(text, 0, MAPCORE_EPARSE, "no edges in it");
    if (error == 0)
        error = edges_to_graph(out, &reader.edges, limit > 0 ? limit : seen,
                               how->ntasks > 0 && limit == how->ntasks);
    edges_clear(&reader.edges);
    return error;
}

/* Adds a row; *n: how many numbers it has. */
static int read_row(struct edges *edges,
                    uint32_t *n,
                    uint32_t row,
                    const struct text *text,
                    char *cursor)
{
    char *word;
    int error = 0;

    for (*n = 0; error == 0 && (word = text_take_word(&cursor)); ++*n) {
        uint64_t bytes;

        if (*n == MAPCORE_NONE)
            return text_error(text, MAPCORE_ERANGE, "too long a row");
        if (!edges_take_bytes(&bytes, word))
            return text_error(text, MAPCORE_EPARSE,
                              "'%.40s' is no number of bytes", word);
        error = edges_add(edges, row, *n, bytes);
    }
    return error;
}

static int read_rows(struct edges *edges, uint32_t *ntasks, struct text *text)
{
    uint32_t nrows = 0, n;
    char *line;
    int error;

    *ntasks = 0;
    while ((error = text_line(text, &line)) == 0 && line) {
        edges_clean_line(line);
        if (text_at_end(line))
            continue;
        if ((error = read_row(edges, &n, nrows, text, line)) < 0)
            return error;
        if (nrows == 0)
            *ntasks = n;
        if (n != *ntasks)
            return text_error(text, MAPCORE_EPARSE,
                              "%u number%s in a row, but the first row has %u",
                              n, text_plural(n), *ntasks);
        if (nrows++ == *ntasks)
            return text_error(text, MAPCORE_EPARSE,
                              "more rows than the %u numbers in each", n);
    }
    if (error == 0 && nrows < *ntasks)
        error = text_error_line(text, 0, MAPCORE_EPARSE,
                                "%u row%s of %u numbers: no square matrix",
                                nrows, text_plural(nrows), *ntasks);
    if (error == 0 && nrows == 0)
        error = text_error_line(text, 0, MAPCORE_EPARSE, "no numbers in it");
    return error;
}

int graph_read_dense(struct mapcore_graph **out,
                     struct text *text,
                     const struct mapcore_graph_reading *how)
{
    struct edges edges = {.text = text};
    uint32_t ntasks;
    int error = read_rows(&edges, &ntasks, text);

    (void)how;
    if (error == 0)
        error = edges_to_graph(out, &edges, ntasks, true);
    edges_clear(&edges);
    return error;
}
