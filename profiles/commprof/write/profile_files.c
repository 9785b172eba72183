/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_files.c - graphs, messages with their order, and collectives as text
 */
#include "config.h"

#include "commprof/write/write.h"

#include "commprof/count/first_use.h"
#include "profiles/collectives/algorithm.h"

#include "base/array.h"
#include "base/error_set.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* A number and what comes after it: most of a profile is numbers. */
static void output_number(FILE *file, uint64_t number, char after)
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

/* FOLDER/STEM.EXT, FOLDER/STEM.phase2.EXT; returns path[PATH_MAX]. */
static const char *name_file(char *path,
                             const struct profile_part *part,
                             const char *stem,
                             const char *extension)
{
    if (part->phase == PHASES_ALL)
        snprintf(path, PATH_MAX, "%s/%s%s", part->folder, stem, extension);
    else
        snprintf(path, PATH_MAX, "%s/%s.phase%u%s", part->folder, stem,
                 phase_number(part->phase), extension);
    return path;
}

/* Where the messages of the type at i end; from: of the same sender. */
static size_t find_end(const struct messages *messages, size_t i, bool from)
{
    const struct message *m = &messages->message[i];

    while (i < messages->n && messages->message[i].type == m->type &&
           (!from || messages->message[i].from == m->from))
        i++;
    return i;
}

/* Messages that have bytes, in both directions, each pair of tasks once. */
static int find_edges(struct messages *out,
                      const struct message *message,
                      size_t n,
                      uint32_t ntasks,
                      struct mapcore_error *err)
{
    size_t *at = array_alloc((size_t)ntasks + 1, sizeof(*at), err);
    struct message *back = array_alloc(n, sizeof(*back), err);
    int error = MAPCORE_ENOMEM;

    out->message = array_alloc(n, sizeof(*out->message), err);
    if (!at || !back || !out->message)
        goto out;
    for (size_t i = 0; i < n; i++)
        if (message[i].bytes > 0)
            messages_append(out, (struct message){.from = message[i].from,
                                                  .to = message[i].to,
                                                  .bytes = message[i].bytes});
    for (size_t i = 0; i < out->n; i++)
        at[out->message[i].to + 1]++;
    for (size_t v = 1; v <= ntasks; v++)
        at[v] += at[v - 1];
    for (size_t i = 0; i < out->n; i++) {
        struct message m = out->message[i];

        m.from = out->message[i].to;
        m.to = out->message[i].from;
        back[at[m.from]++] = m;
    }
    error = messages_merge(out, back, out->n);
out:
    free(at);
    free(back);
    return error;
}

/* A METIS graph of message[n], all of one type: the weight of an edge is the
 * bytes of both directions. O(n + ntasks). */
static int write_graph(const struct profile_part *part,
                       const struct message *message,
                       size_t n,
                       struct mapcore_error *err)
{
    struct messages edges = {NULL, 0};
    char path[PATH_MAX];
    FILE *file = NULL;
    size_t i = 0;
    int error = find_edges(&edges, message, n, part->ntasks, err);

    if (error == 0 && edges.n > 0 &&
        !(file = output_create(
              name_file(path, part, type_names[message->type], ".graph"), err)))
        error = MAPCORE_EIO;
    if (file) {
        fprintf(file, "%u %zu 001\n", part->ntasks, edges.n / 2);
        for (uint32_t v = 0; v < part->ntasks; v++) {
            if (i == edges.n || edges.message[i].from != v)
                putc('\n', file);
            for (; i < edges.n && edges.message[i].from == v; i++) {
                const bool last =
                    i + 1 == edges.n || edges.message[i + 1].from != v;

                output_number(file, (uint64_t)edges.message[i].to + 1, ' ');
                output_number(file, edges.message[i].bytes, last ? '\n' : ' ');
            }
        }
        error = output_finish(file, path, err);
    }
    messages_clear(&edges);
    return error;
}

/* In how many stages each type's messages are; 0: not known of all of them. */
static void find_stages(uint16_t stages[NTYPES],
                        const struct messages *messages)
{
    bool unknown[NTYPES] = {false};

    memset(stages, 0, NTYPES * sizeof(*stages));
    for (size_t i = 0; i < messages->n; i++) {
        const struct message *m = &messages->message[i];

        if (m->order == FIRST_USE_UNKNOWN)
            unknown[m->type] = true;
        if (unknown[m->type])
            stages[m->type] = 0;
        else if (m->order > stages[m->type])
            stages[m->type] = m->order;
    }
}

/* Whom one task, whose messages of one type these are, first sent to in that
 * stage; all sizes of a pair together. */
static void put_stage(FILE *file,
                      const struct message *message,
                      size_t n,
                      uint16_t order)
{
    bool has_begun = false;

    for (size_t i = 0; i < n;) {
        const uint32_t to = message[i].to;
        uint16_t first = UINT16_MAX;

        for (; i < n && message[i].to == to; i++)
            if (message[i].order < first)
                first = message[i].order;
        if (first != order)
            continue;
        if (!has_begun)
            fprintf(file, "#order %s %u %d", type_names[message->type],
                    message->from, order - 1);
        fprintf(file, " %u", to);
        has_begun = true;
    }
    if (has_begun)
        putc('\n', file);
}

/* Lines "#order type from stage to ..." of the types whose order is known, and
 * "type from to smallest-size count bytes". O(n x stages). */
static int write_messages(const struct profile_part *part,
                          const struct messages *messages,
                          const uint16_t stages[NTYPES],
                          struct mapcore_error *err)
{
    char path[PATH_MAX];
    FILE *file = output_create(name_file(path, part, "messages", ""), err);

    if (!file)
        return MAPCORE_EIO;
    fputs("# messages 1: type from to smallest-size count bytes\n", file);
    for (size_t i = 0, end; i < messages->n; i = end) {
        const struct message *m = &messages->message[i];

        end = find_end(messages, i, true);
        for (uint16_t o = 1; o <= stages[m->type]; o++)
            put_stage(file, m, end - i, o);
    }
    for (size_t i = 0; i < messages->n; i++) {
        const struct message *m = &messages->message[i];

        fputs(type_names[m->type], file);
        putc(' ', file);
        output_number(file, m->from, ' ');
        output_number(file, m->to, ' ');
        output_number(
            file, m->size_class ? UINT64_C(1) << (m->size_class - 1) : 0, ' ');
        output_number(file, m->count, ' ');
        output_number(file, m->bytes, '\n');
    }
    return output_finish(file, path, err);
}

/* What one task kept of a collective, and over which set of tasks. */
struct kept_collective {
    const uint32_t *member;
    uint32_t n; /* 0: MPI_COMM_WORLD */
    struct collective sum;
};

static int compare_sets(const struct kept_collective *x,
                        const struct kept_collective *y)
{
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    for (uint32_t i = 0; i < x->n; i++)
        if (x->member[i] != y->member[i])
            return x->member[i] < y->member[i] ? -1 : 1;
    return 0;
}

static int compare_collectives(const void *one, const void *other)
{
    const struct kept_collective *x = one, *y = other;
    const int order = compare_sets(x, y);

    if (order != 0)
        return order;
    if (x->sum.type != y->sum.type)
        return x->sum.type < y->sum.type ? -1 : 1;
    if (x->sum.algorithm != y->sum.algorithm)
        return x->sum.algorithm < y->sum.algorithm ? -1 : 1;
    return x->sum.root < y->sum.root ? -1 : x->sum.root > y->sum.root;
}

/* Those of the part's phase, sorted; only counts where out is NULL. */
static size_t find_collectives(struct kept_collective *out,
                               const struct profile_part *part)
{
    struct kept_collective one;
    size_t n = 0;

    for (size_t at = 0; at < part->all->nrecords;) {
        at += gathered_read_record(&one.sum, &one.member, &one.n,
                                   part->all->records + at);
        if (part->phase != PHASES_ALL && one.sum.phase != part->phase)
            continue;
        if (out)
            out[n] = one;
        n++;
    }
    if (out)
        qsort(out, n, sizeof(*out), compare_collectives);
    return n;
}

static void put_communicator(FILE *file,
                             size_t number,
                             const struct kept_collective *one,
                             uint32_t ntasks)
{
    fprintf(file, "communicator %zu %u", number, one->n ? one->n : ntasks);
    for (uint32_t m = 0; m < one->n; m++)
        fprintf(file, " %u", one->member[m]);
    fputs(one->n ? "\n" : " all\n", file);
}

/* Sets of tasks and their collectives. */
static int write_collectives(const struct profile_part *part,
                             struct mapcore_error *err)
{
    const size_t n = find_collectives(NULL, part);
    struct kept_collective *all = array_alloc(n, sizeof(*all), err);
    char path[PATH_MAX];
    size_t nsets = 0, set = 0; /* the first of its set */
    const char *word;
    FILE *file = NULL;

    if (!all || !(file = output_create(name_file(path, part, "collectives", ""),
                                       err))) {
        free(all);
        return all ? MAPCORE_EIO : MAPCORE_ENOMEM;
    }
    find_collectives(all, part);
    fputs("# collectives 1: communicator number size ranks...; type "
          "communicator root calls bytes\n",
          file);
    for (size_t i = 0; i < n; i++) {
        const struct collective *one = &all[i].sum;

        if (i + 1 < n && compare_collectives(&all[i], &all[i + 1]) == 0) {
            struct collective *next = &all[i + 1].sum;

            next->calls = record_sum(next->calls, one->calls);
            next->bytes = record_sum(next->bytes, one->bytes);
            continue;
        }
        if (nsets == 0 || compare_sets(&all[set], &all[i]) != 0) {
            put_communicator(file, nsets++, &all[i], part->ntasks);
            set = i;
        }
        fputs(type_names[one->type], file);
        putc(' ', file);
        output_number(file, nsets - 1, ' ');
        output_number(file, one->root, ' ');
        output_number(file, one->calls, ' ');
        word = algorithm_word(one->algorithm);
        output_number(file, one->bytes, word ? ' ' : '\n');
        if (word)
            fprintf(file, "%s\n", word);
    }
    free(all);
    return output_finish(file, path, err);
}

/* Of the part's phase, or all phases' added up, in no order; owned. */
static int select_messages(struct messages *out,
                           const struct profile_part *part,
                           struct mapcore_error *err)
{
    const struct messages *all = &part->all->messages;

    if (!(out->message = array_alloc(all->n, sizeof(*out->message), err)))
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < all->n; i++) {
        struct message message = all->message[i];

        if (part->phase == PHASES_ALL)
            message.order = FIRST_USE_UNKNOWN;
        else if (message.phase != part->phase)
            continue;
        message.phase = 0;
        messages_append(out, message);
    }
    return 0;
}

int profile_part_write(uint16_t stages[NTYPES],
                       const struct profile_part *part,
                       struct mapcore_error *err)
{
    struct messages selected = {NULL, 0};
    const struct messages *messages =
        part->has_phases ? &selected : &part->all->messages;
    int error = part->has_phases ? select_messages(&selected, part, err) : 0;

    find_stages(stages, messages);
    for (size_t i = 0, end; error == 0 && i < messages->n; i = end) {
        end = find_end(messages, i, false);
        error = write_graph(part, &messages->message[i], end - i, err);
    }
    if (error == 0 && part->all->messages.n > 0)
        error = write_messages(part, messages, stages, err);
    if (error == 0 && part->all->nrecords > 0 && !part->all->records_lost)
        error = write_collectives(part, err);
    messages_clear(&selected);
    return error;
}
