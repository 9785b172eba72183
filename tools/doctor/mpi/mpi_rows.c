/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_rows.c - reads what mpi_probe.c has printed, and compares what MPI, Slurm
 * and the kernel say */
#include "config.h"

#include "tools/doctor/mpi/mpi_rows.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

static const char mark[] = "topomap-mpi-probe ";

/* The next word of a line; its length, 0 at the end. */
static size_t take_word(const char **out, const char **cursor)
{
    size_t n;

    *cursor += strspn(*cursor, " ");
    n = strcspn(*cursor, " ");
    *out = *cursor;
    *cursor += n;
    return n;
}

static bool take_number(uint32_t *out, const char **cursor)
{
    const char *word;
    size_t n = take_word(&word, cursor);
    char digits[16];
    uint64_t value;

    if (n == 0 || n >= sizeof(digits))
        return false;
    memcpy(digits, word, n);
    digits[n] = '\0';
    *out = MAPCORE_NONE;
    if (strcmp(digits, "-") == 0)
        return true;
    if (!text_parse_u64(digits, &value) || value >= MAPCORE_NONE)
        return false;
    *out = (uint32_t)value;
    return true;
}

static bool take_name(char out[MPI_ROWS_NAME], const char **cursor)
{
    const char *word;
    size_t n = take_word(&word, cursor);

    if (n == 0 || n >= MPI_ROWS_NAME)
        return false;
    memcpy(out, word, n);
    out[n] = '\0';
    return true;
}

static bool take_row(struct mpi_row *out, const char *line)
{
    return take_number(&out->rank, &line) && take_number(&out->size, &line) &&
           take_number(&out->procid, &line) && take_name(out->node, &line) &&
           take_name(out->host, &line) && take_number(&out->first, &line) &&
           line[strspn(line, " ")] == '\0';
}

/* By rank, stable: of programs of one rank each all are 0. */
static void insert(struct mpi_rows *rows, const struct mpi_row *row)
{
    uint32_t i = rows->n++;

    for (; i > 0 && rows->row[i - 1].rank > row->rank; i--)
        rows->row[i] = rows->row[i - 1];
    rows->row[i] = *row;
}

int mpi_rows_parse(struct mpi_rows *out,
                   const char *text,
                   struct mapcore_error *err)
{
    char line[3 * MPI_ROWS_NAME];
    struct mpi_row row;

    *out = (struct mpi_rows){0};
    for (const char *end; *text != '\0'; text = end + (*end != '\0')) {
        size_t n;

        end = text + strcspn(text, "\n");
        if (strncmp(text, mark, sizeof(mark) - 1) != 0)
            continue;
        text += sizeof(mark) - 1;
        n = (size_t)(end - text);
        if (n >= sizeof(line))
            n = sizeof(line) - 1;
        memcpy(line, text, n);
        line[n] = '\0';
        if (!take_row(&row, line))
            return error_set(err, MAPCORE_EPARSE,
                             "the program says '%.200s', which is no row of "
                             "mpi_probe.c's",
                             line);
        if (out->n == MPI_ROWS_TASKS)
            return error_set(err, MAPCORE_EPARSE, "more than %d ranks answer",
                             MPI_ROWS_TASKS);
        insert(out, &row);
    }
    return 0;
}

int mpi_rows_check_world(const struct mpi_rows *rows, struct mapcore_error *err)
{
    if (rows->n == 0)
        return error_set(err, MAPCORE_ENOENT, "no rank answers");
    if (rows->n == MPI_ROWS_TASKS && rows->row[MPI_ROWS_TASKS - 1].rank == 0)
        return error_set(err, MAPCORE_EINVAL,
                         "it starts as %d programs of one rank each",
                         MPI_ROWS_TASKS);
    for (uint32_t i = 0; i < rows->n; i++)
        if (rows->row[i].rank != i || rows->row[i].size != MPI_ROWS_TASKS)
            return error_set(err, MAPCORE_EINVAL,
                             "a rank %" PRIu32 " of %" PRIu32
                             " answers where %d were started",
                             rows->row[i].rank, rows->row[i].size,
                             MPI_ROWS_TASKS);
    if (rows->n < MPI_ROWS_TASKS)
        return error_set(err, MAPCORE_ENOENT, "%" PRIu32 " of %d ranks answer",
                         rows->n, MPI_ROWS_TASKS);
    return 0;
}

static int compare_pair(struct buffer *out,
                        const struct mpi_row *a,
                        const struct mpi_row *b,
                        struct mapcore_error *err)
{
    bool same_node = strcmp(a->node, b->node) == 0;

    if (a->first == b->first && !same_node)
        return buffer_printf(out, err,
                             "MPI takes ranks %" PRIu32 " and %" PRIu32
                             " to share memory; Slurm runs them on %s and %s\n",
                             a->rank, b->rank, a->node, b->node);
    if (a->first != b->first && same_node)
        return buffer_printf(out, err,
                             "MPI takes ranks %" PRIu32 " and %" PRIu32
                             " to share no memory; Slurm runs both on %s\n",
                             a->rank, b->rank, a->node);
    if (same_node && strcmp(a->host, b->host) != 0)
        return buffer_printf(out, err,
                             "ranks %" PRIu32 " and %" PRIu32
                             " are both on %s for Slurm, and on %s and %s for "
                             "the kernel\n",
                             a->rank, b->rank, a->node, a->host, b->host);
    return 0;
}

int mpi_rows_compare(struct buffer *out,
                     const struct mpi_rows *rows,
                     struct mapcore_error *err)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < rows->n; i++) {
        const struct mpi_row *row = &rows->row[i];

        if (row->procid == MAPCORE_NONE)
            error = buffer_printf(
                out, err, "rank %" PRIu32 " has no SLURM_PROCID\n", row->rank);
        else if (row->procid != row->rank)
            error = buffer_printf(out, err,
                                  "rank %" PRIu32 " of MPI is rank %" PRIu32
                                  " of Slurm\n",
                                  row->rank, row->procid);
    }
    for (uint32_t i = 0; error == 0 && i < rows->n; i++)
        for (uint32_t j = i + 1; error == 0 && j < rows->n; j++)
            error = compare_pair(out, &rows->row[i], &rows->row[j], err);
    return error;
}

static bool is_first_on_node(const struct mpi_rows *rows, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++)
        if (strcmp(rows->row[j].node, rows->row[i].node) == 0)
            return false;
    return true;
}

bool mpi_rows_are_pair(const struct mpi_rows *rows, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < rows->n; i++)
        if ((strcmp(rows->row[i].node, rows->row[a].node) == 0) !=
            (i == a || i == b))
            return false;
    return true;
}

int mpi_rows_describe(struct buffer *out,
                      const struct mpi_rows *rows,
                      struct mapcore_error *err)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < rows->n; i++) {
        if (!is_first_on_node(rows, i))
            continue;
        error = buffer_printf(out, err, "%s%" PRIu32, i > 0 ? ", " : "",
                              rows->row[i].rank);
        for (uint32_t j = i + 1; error == 0 && j < rows->n; j++)
            if (strcmp(rows->row[j].node, rows->row[i].node) == 0)
                error = buffer_printf(out, err, " %" PRIu32, rows->row[j].rank);
        if (error == 0)
            error = buffer_printf(out, err, " on %s", rows->row[i].node);
    }
    return error;
}
