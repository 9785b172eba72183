/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_files.c - graphs, messages with their order, and collectives as text
 */
#include "config.h"

#include "commprof/write/profile_files.h"

#include "commprof/count/first_use.h"

#include "base/array.h"
#include "base/error_set.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail(struct mapcore_error *err, const char *path)
{
    return error_set(err, MAPCORE_EIO, "cannot write %s: %s", path,
                     strerror(errno));
}

FILE *output_create(const char *path, struct mapcore_error *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (!file) {
        fail(err, path);
        if (fd >= 0)
            close(fd);
    }
    return file;
}

int output_finish(FILE *file, const char *path, struct mapcore_error *err)
{
    const int failed = ferror(file) | fflush(file), held = errno;

    if (fclose(file) == 0 && !failed)
        return 0;
    if (failed)
        errno = held;
    return fail(err, path);
}

void output_number(FILE *file, uint64_t number, char after)
{
    char text[24];
    size_t at = sizeof(text);

    text[--at] = after;
    do {
        text[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    fwrite(text + at, 1, sizeof(text) - at, file);
}

/* Messages by sender stand in order; those by receiver are found by
 * incoming[from_in[v]..from_in[v + 1] - 1], in order of the sender. */
struct ends {
    const struct message *message;
    size_t *from_out, *from_in, *incoming;
};

static int find_ends(struct ends *ends,
                     const struct message *message,
                     size_t n,
                     uint32_t ntasks,
                     struct mapcore_error *err)
{
    ends->message = message;
    ends->from_out = array_alloc((size_t)ntasks + 1, sizeof(size_t), err);
    ends->from_in = array_alloc((size_t)ntasks + 2, sizeof(size_t), err);
    ends->incoming = array_alloc(n, sizeof(size_t), err);
    if (!ends->from_out || !ends->from_in || !ends->incoming)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        ends->from_out[message[i].from + 1]++;
        ends->from_in[message[i].to + 2]++;
    }
    for (size_t v = 1; v <= ntasks; v++) {
        ends->from_out[v] += ends->from_out[v - 1];
        ends->from_in[v + 1] += ends->from_in[v];
    }
    for (size_t i = 0; i < n; i++)
        ends->incoming[ends->from_in[message[i].to + 1]++] = i;
    return 0;
}

/* One row: both sorted lists merged, size classes and directions added up.
 * Without a file it only counts. */
static size_t put_row(FILE *file, const struct ends *ends, size_t v)
{
    size_t out = ends->from_out[v], in = ends->from_in[v], n = 0;

    while (out < ends->from_out[v + 1] || in < ends->from_in[v + 1]) {
        uint32_t neighbour = MAPCORE_NONE;
        uint64_t bytes = 0;
        if (out < ends->from_out[v + 1])
            neighbour = ends->message[out].to;
        if (in < ends->from_in[v + 1] &&
            ends->message[ends->incoming[in]].from < neighbour)
            neighbour = ends->message[ends->incoming[in]].from;
        for (;
             out < ends->from_out[v + 1] && ends->message[out].to == neighbour;
             out++)
            bytes = record_sum(bytes, ends->message[out].bytes);
        for (; in < ends->from_in[v + 1] &&
               ends->message[ends->incoming[in]].from == neighbour;
             in++)
            bytes = record_sum(bytes, ends->message[ends->incoming[in]].bytes);
        if (bytes == 0)
            continue;
        if (file) {
            if (n > 0)
                putc(' ', file);
            output_number(file, (uint64_t)neighbour + 1, ' ');
            fprintf(file, "%" PRIu64, bytes);
        }
        n++;
    }
    return n;
}

int profile_files_write_graph(const char *path,
                              const struct message *message,
                              size_t n,
                              uint32_t ntasks,
                              struct mapcore_error *err)
{
    struct ends ends = {0};
    size_t nends = 0;
    FILE *file = NULL;
    int error = find_ends(&ends, message, n, ntasks, err);

    if (error < 0)
        goto out;
    for (size_t v = 0; v < ntasks; v++)
        nends += put_row(NULL, &ends, v);
    error = MAPCORE_EIO;
    file = output_create(path, err);
    if (!file)
        goto out;
    fprintf(file, "%" PRIu32 " %zu 001\n", ntasks, nends / 2);
    for (size_t v = 0; v < ntasks; v++) {
        put_row(file, &ends, v);
        putc('\n', file);
    }
    error = output_finish(file, path, err);
out:
    free(ends.from_out);
    free(ends.from_in);
    free(ends.incoming);
    return error;
}

void write_order_find(struct write_order *out, const struct messages *messages)
{
    bool unknown[NTYPES][PHASES_MOST] = {{false}};

    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < messages->n; i++) {
        const struct message *m = &messages->message[i];
        uint16_t *stages = &out->stages[m->type][m->phase];

        if (m->order == FIRST_USE_UNKNOWN)
            unknown[m->type][m->phase] = true;
        if (m->order > *stages)
            *stages = m->order;
        if (unknown[m->type][m->phase])
            *stages = 0;
    }
}

/* Whom one task, whose messages of one type these are, first sent to in that
 * phase in that stage; all sizes of a pair together. */
static void put_stage(FILE *file,
                      const struct message *message,
                      size_t n,
                      uint32_t phase,
                      uint16_t order)
{
    bool has_begun = false;

    for (size_t i = 0; i < n;) {
        const uint32_t to = message[i].to;
        uint16_t first = UINT16_MAX;

        for (; i < n && message[i].to == to; i++)
            if (message[i].phase == phase && message[i].order < first)
                first = message[i].order;
        if (first != order)
            continue;
        if (!has_begun)
            fprintf(file, "#order %s %" PRIu32 " %d", type_names[message->type],
                    message->from, order - 1);
        fprintf(file, " %" PRIu32, to);
        has_begun = true;
    }
    if (has_begun)
        putc('\n', file);
}

void write_order_put(FILE *file,
                     const struct write_order *order,
                     const struct messages *messages,
                     uint32_t phase)
{
    for (size_t i = 0, end; i < messages->n; i = end) {
        const struct message *m = &messages->message[i];

        for (end = i + 1; end < messages->n &&
                          messages->message[end].type == m->type &&
                          messages->message[end].from == m->from;)
            end++;
        for (uint16_t o = 1; o <= order->stages[m->type][phase]; o++)
            put_stage(file, m, end - i, phase, o);
    }
}

/* The same but for the phase. */
static bool is_of_phase(const struct message *one, const struct message *other)
{
    struct message same = *other;

    same.phase = one->phase;
    return message_compare(one, &same) == 0;
}

int profile_files_write_messages(const char *path,
                                 const struct messages *messages,
                                 const struct write_order *order,
                                 uint32_t phase,
                                 struct mapcore_error *err)
{
    FILE *file = output_create(path, err);

    if (!file)
        return MAPCORE_EIO;
    fputs("# messages 1: type from to smallest-size count bytes\n", file);
    if (order)
        write_order_put(file, order, messages, phase == PHASES_ALL ? 0 : phase);
    for (size_t i = 0, end; i < messages->n; i = end) {
        const struct message *m = &messages->message[i];
        uint64_t count = m->count, bytes = m->bytes;

        end = i + 1;
        if (phase != PHASES_ALL && m->phase != phase)
            continue;
        for (; phase == PHASES_ALL && end < messages->n &&
               is_of_phase(m, &messages->message[end]);
             end++) {
            count = record_sum(count, messages->message[end].count);
            bytes = record_sum(bytes, messages->message[end].bytes);
        }
        fputs(type_names[m->type], file);
        putc(' ', file);
        output_number(file, m->from, ' ');
        output_number(file, m->to, ' ');
        output_number(
            file, m->size_class ? UINT64_C(1) << (m->size_class - 1) : 0, ' ');
        output_number(file, count, ' ');
        output_number(file, bytes, '\n');
    }
    return output_finish(file, path, err);
}

/* One task's collectives over one set of tasks, inside the words. */
struct message_piece {
    uint32_t n, ncollectives;
    const uint32_t *member, *collective;
    uint32_t ntasks; /* of MPI_COMM_WORLD, which n 0 stands for */
};

static int compare_pieces(const void *one, const void *other)
{
    const struct message_piece *x = one, *y = other;

    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    for (uint32_t i = 0; i < x->n; i++)
        if (x->member[i] != y->member[i])
            return x->member[i] < y->member[i] ? -1 : 1;
    return 0;
}

static int compare_collectives(const void *one, const void *other)
{
    const struct collective *x = one, *y = other;

    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return x->root < y->root ? -1 : x->root > y->root;
}

/* The words as pieces, sorted by their members; piece NULL only counts. */
static size_t find_pieces(struct message_piece *piece,
                          const struct gathered *all,
                          uint32_t ntasks)
{
    enum { WORDS = sizeof(struct collective) / sizeof(*all->records) };
    const uint32_t *records = all->records;
    size_t npieces = 0;

    for (size_t at = 0; at < all->nrecords; npieces++) {
        const uint32_t members = records[at], ncollectives = records[at + 1];
        if (piece)
            piece[npieces] =
                (struct message_piece){members, ncollectives, records + at + 2,
                                       records + at + 2 + members, ntasks};
        at += 2 + (size_t)members + (size_t)ncollectives * WORDS;
    }
    if (piece)
        qsort(piece, npieces, sizeof(*piece), compare_pieces);
    return npieces;
}

static void put_communicator(FILE *file,
                             size_t number,
                             const struct message_piece *piece)
{
    fprintf(file, "communicator %zu %" PRIu32, number,
            piece->n ? piece->n : piece->ntasks);
    for (uint32_t m = 0; m < piece->n; m++)
        fprintf(file, " %" PRIu32, piece->member[m]);
    fputs(piece->n ? "\n" : " all\n", file);
}

/* Those of one phase go to the front; how many. */
static size_t keep_phase(struct collective *all, size_t n, uint32_t phase)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (phase == PHASES_ALL || all[i].phase == phase)
            all[kept++] = all[i];
    return kept;
}

/* Of one set of tasks, which gets *number when there is anything to say of it.
 */
static int put_collectives(FILE *file,
                           size_t *number,
                           const struct message_piece *piece,
                           size_t npieces,
                           uint32_t phase,
                           struct mapcore_error *err)
{
    size_t n = 0, last = 0;
    for (size_t i = 0; i < npieces; i++)
        n += piece[i].ncollectives;
    struct collective *all = array_alloc(n, sizeof(*all), err);
    if (!all)
        return MAPCORE_ENOMEM;
    n = 0;
    for (size_t i = 0; i < npieces; i++) {
        memcpy(all + n, piece[i].collective,
               piece[i].ncollectives * sizeof(*all));
        n += piece[i].ncollectives;
    }
    n = keep_phase(all, n, phase);
    qsort(all, n, sizeof(*all), compare_collectives);
    if (n > 0)
        put_communicator(file, *number, piece);
    for (size_t i = 1; i < n; i++)
        if (compare_collectives(&all[last], &all[i]) == 0) {
            all[last].calls = record_sum(all[last].calls, all[i].calls);
            all[last].bytes = record_sum(all[last].bytes, all[i].bytes);
        } else {
            all[++last] = all[i];
        }
    for (size_t i = 0; n > 0 && i <= last; i++) {
        fputs(type_names[all[i].type], file);
        putc(' ', file);
        output_number(file, *number, ' ');
        output_number(file, all[i].root, ' ');
        output_number(file, all[i].calls, ' ');
        output_number(file, all[i].bytes, '\n');
    }
    *number += n > 0;
    free(all);
    return 0;
}

int profile_files_write_collectives(const char *path,
                                    const struct gathered *all,
                                    uint32_t phase,
                                    uint32_t ntasks,
                                    struct mapcore_error *err)
{
    const size_t npieces = find_pieces(NULL, all, ntasks);
    struct message_piece *piece = array_alloc(npieces, sizeof(*piece), err);
    FILE *file;
    int error = 0;

    if (!piece)
        return MAPCORE_ENOMEM;
    if (!(file = output_create(path, err))) {
        free(piece);
        return MAPCORE_EIO;
    }
    find_pieces(piece, all, ntasks);
    fputs("# collectives 1: communicator number size ranks...; type "
          "communicator root calls bytes\n",
          file);
    for (size_t i = 0, end, number = 0; error == 0 && i < npieces; i = end) {
        for (end = i + 1;
             end < npieces && compare_pieces(&piece[i], &piece[end]) == 0;)
            end++;
        error = put_collectives(file, &number, &piece[i], end - i, phase, err);
    }
    const int closed = output_finish(file, path, error < 0 ? NULL : err);
    free(piece);
    return error < 0 ? error : closed;
}
