/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* write.c - the files of a profile, and profile.json itself; reads nothing but
 * its arguments, and writes the same whatever the program's locale is */
#include "config.h"

#include "commprof/write/write.h"

#include "commprof/write/profile_files.h"

#include "base/array.h"
#include "base/printable.h"
#include "base/text.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/catalogue/remembered.h"
#include "profiles/program/identity.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Static_assert(NTYPES <= CATALOGUE_TYPES_MOST,
               "what is recorded can be read back");

/* A JSON string, in ASCII alone: json-c 0.18 takes nothing else in its strict
 * mode. Bytes that are no UTF-8 become ?. */
static void put_string(FILE *file, const char *text)
{
    char escape[UTF8_ESCAPE];

    putc('"', file);
    while (*text) {
        const size_t n = utf8_length(text);
        const unsigned char c = (unsigned char)*text;
        if (n == 0) {
            putc('?', file);
        } else if (c < 0x20 || c >= 0x7F) {
            utf8_escape(escape, text, n);
            fputs(escape, file);
        } else {
            if (c == '"' || c == '\\')
                putc('\\', file);
            putc(c, file);
        }
        text += n ? n : 1;
    }
    putc('"', file);
}

static void put_member(FILE *file, const char *key, const char *text)
{
    fprintf(file, ",\n  \"%s\": ", key);
    put_string(file, text);
}

static void put_number(FILE *file,
                       const char *before,
                       const char *key,
                       uint64_t ns)
{
    fprintf(file, "%s\"%s\": %" PRIu64 ".%09" PRIu64, before, key,
            ns / 1000000000, ns % 1000000000);
}

static void put_seconds(FILE *file, const char *before, uint64_t ns)
{
    put_number(file, before, "seconds", ns);
}

/* The longest and the shortest task. */
static void put_span(FILE *file,
                     const char *before,
                     const struct task_times *times,
                     size_t i)
{
    if (times->ntasks == 0)
        return;
    fprintf(file, "%s\"task_seconds\": {", before);
    put_number(file, " ", "max", times->span[i].most_ns);
    fprintf(file, ", \"max_task\": %" PRIu32, times->span[i].most_task);
    put_number(file, ", ", "min", times->span[i].least_ns);
    fprintf(file, ", \"min_task\": %" PRIu32 " }", times->span[i].least_task);
}

/* "half", "0.25", ... */
static void share_text(char *out, size_t size, uint32_t ppm)
{
    if (ppm == 500000) {
        snprintf(out, size, "half");
        return;
    }
    snprintf(out, size, "%u.%06u", (unsigned)(ppm / 1000000),
             (unsigned)(ppm % 1000000));
    for (size_t n = strlen(out); out[n - 1] == '0' && out[n - 2] != '.'; n--)
        out[n - 1] = '\0';
}

/* The communicators that the type was used over, by size. */
static void put_sizes(FILE *file, const struct call_stats *stats, size_t n)
{
    const char *separator = ", \"communicators\": [";

    for (size_t i = 0, end; i < n; i = end) {
        struct call_stats all = stats[i];

        for (end = i + 1; end < n && stats[end].size == stats[i].size; end++)
            call_stats_add(&all, &stats[end]);
        if (all.size == 0)
            continue;
        fprintf(file,
                "%s{ \"size\": %" PRIu32 ", \"communicators\": %" PRIu64
                ", \"calls\": %" PRIu64 ", \"bytes\": %" PRIu64,
                separator, all.size, all.communicators, all.calls, all.bytes);
        put_seconds(file, ", ", all.ns);
        fputs(" }", file);
        separator = ", ";
    }
    if (separator[2] == '\0')
        putc(']', file);
}

/* What is said of a type in all phases and in one, whose files have that word
 * in their names. */
static void put_totals(FILE *file,
                       const struct call_stats *total,
                       const char *phase)
{
    fprintf(file,
            "{ \"type\": \"%s\", \"calls\": %" PRIu64 ", \"bytes\": %" PRIu64,
            type_names[total->type], total->calls, total->bytes);
    put_seconds(file, ", ", total->ns);
    fprintf(file, ", \"paired_bytes\": %" PRIu64, total->paired);
    if (total->paired > 0)
        fprintf(file, ", \"graph\": \"%s%s.graph\"", type_names[total->type],
                phase);
    else
        fputs(", \"graph\": null", file);
}

static void put_end(FILE *file, const struct call_stats *total, uint16_t stages)
{
    if (total->large > 0)
        fprintf(file, ", \"large_bytes\": %" PRIu64, total->large);
    if (stages > 0)
        fprintf(file, ", \"stages\": %u", (unsigned)stages);
}

/* One type, of stats[n]. */
static void put_type(FILE *file,
                     const struct call_stats *stats,
                     size_t n,
                     const struct task_times *times,
                     uint16_t stages,
                     uint32_t large_ppm)
{
    struct call_stats total = {.type = stats->type};
    char share[16];

    for (size_t i = 0; i < n; i++)
        call_stats_add(&total, &stats[i]);
    fputs("    ", file);
    put_totals(file, &total, "");
    share_text(share, sizeof(share), large_ppm);
    if (total.paired == 0 && total.large > 0)
        fprintf(file, ", \"why\": \"over more than %s of the tasks\"", share);
    else if (total.paired == 0)
        fprintf(file, ", \"why\": \"%s\"",
                total.bytes == 0 ? "no bytes"
                                 : "to no other task of MPI_COMM_WORLD");
    put_end(file, &total, stages);
    put_span(file, ", ", times, total.type);
    put_sizes(file, stats, n);
    fputs(" }", file);
}

/* What phases there are, a bit each; 0: the program has named none. */
static uint64_t find_phases(const struct gathered *all)
{
    uint64_t found = 0;

    for (size_t i = 0; i < all->nstats; i++)
        found |= UINT64_C(1) << all->stats[i].phase;
    for (size_t i = 0; i < all->messages.n; i++)
        found |= UINT64_C(1) << all->messages.message[i].phase;
    return found > 1 ? found : 0;
}

static void put_phase(FILE *file,
                      const struct gathered *all,
                      const struct write_order *order,
                      uint32_t phase)
{
    const char *separator = "\n      ";
    const char *name = region_names_get(&all->regions, phase);
    char word[16];

    snprintf(word, sizeof(word), ".phase%" PRIu32, phase_number(phase));
    fprintf(file, "    { \"phase\": %" PRIu32, phase_number(phase));
    if (name)
        fprintf(file, ", \"name\": \"%s\"", name);
    fputs(", \"types\": [", file);
    for (uint8_t type = 0; type < NTYPES; type++) {
        struct call_stats total = {.type = type, .phase = (uint8_t)phase};

        for (size_t i = 0; i < all->nstats; i++)
            if (all->stats[i].type == type && all->stats[i].phase == phase)
                call_stats_add(&total, &all->stats[i]);
        if (total.calls == 0 && total.ns == 0)
            continue;
        fputs(separator, file);
        put_totals(file, &total, word);
        put_end(file, &total, order->stages[type][phase]);
        fputs(" }", file);
        separator = ",\n      ";
    }
    fputs(" ] }", file);
}

static void put_phases(FILE *file,
                       const struct gathered *all,
                       const struct write_order *order)
{
    const uint64_t found = find_phases(all);
    const char *separator = ",\n  \"phases\": [\n";

    for (uint32_t phase = 0; phase < PHASES_MOST; phase++)
        if (found >> phase & 1) {
            fputs(separator, file);
            put_phase(file, all, order, phase);
            separator = ",\n";
        }
    if (found)
        fputs("\n  ]", file);
}

static int write_json(const char *path,
                      const struct gathered *all,
                      const struct write_order *order,
                      const struct subject *subject,
                      struct mapcore_error *err)
{
    char recorded[32] = "";
    struct tm utc;
    const time_t now = (time_t)subject->time;
    const char *separator = "\n";

    FILE *file = output_create(path, err);
    if (!file)
        return MAPCORE_EIO;
    if (gmtime_r(&now, &utc))
        strftime(recorded, sizeof(recorded), "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(file, "{\n  \"format\": 1");
    put_member(file, "program", subject->program);
    put_member(file, "path", subject->path);
    put_member(file, "identity", subject->identity);
    fprintf(file, ",\n  \"ntasks\": %" PRIu32, subject->ntasks);
    put_member(file, "recorded", recorded);
    put_seconds(file, ",\n  ", subject->elapsed_ns);
    put_span(file, ",\n  ", &all->times, TASK_TIMES_ALL);
    fprintf(file, ",\n  \"counted_seconds\": %" PRIu64 ".%09" PRIu64,
            subject->active_ns / 1000000000, subject->active_ns % 1000000000);
    fprintf(file, ",\n  \"large_share\": %u.%06u",
            (unsigned)(subject->large_ppm / 1000000),
            (unsigned)(subject->large_ppm % 1000000));
    put_member(file, "job", subject->job);
    put_member(file, "user", subject->user);
    fprintf(file, ",\n  \"hosts\": %" PRIu32, all->hosts);
    put_member(file, "mpi", subject->mpi);
    if (subject->mpi_type)
        put_member(file, "mpi_type", subject->mpi_type);
    if (subject->node)
        put_member(file, "node", subject->node);
    if (subject->nrecorded > 0)
        fprintf(file, ",\n  \"tasks_recorded\": %" PRIu32, subject->nrecorded);
    if (subject->until > 0) {
        const time_t until = (time_t)subject->until;
        if (gmtime_r(&until, &utc))
            strftime(recorded, sizeof(recorded), "%Y-%m-%dT%H:%M:%SZ", &utc);
        put_member(file, "until", recorded);
    }
    fprintf(file, ",\n  \"types\": [");
    for (size_t i = 0, end; i < all->nstats; i = end) {
        for (end = i + 1;
             end < all->nstats && all->stats[end].type == all->stats[i].type;)
            end++;
        fputs(separator, file);
        put_type(file, &all->stats[i], end - i, &all->times,
                 find_phases(all) ? 0 : order->stages[all->stats[i].type][0],
                 subject->large_ppm);
        separator = ",\n";
    }
    fprintf(file, "\n  ]");
    put_phases(file, all, order);
    fprintf(file, "\n}\n");
    return output_finish(file, path, err);
}

/* What is written of one phase, or of PHASES_ALL. */
struct profile_part {
    const char *folder;
    const struct gathered *all;
    const struct write_order *order; /* NULL: none is written */
    uint32_t ntasks, phase;
    struct mapcore_error *err;
};

/* FOLDER/STEM.EXT, FOLDER/STEM.phase2.EXT; returns path[PATH_MAX]. */
static const char *name_file(char *path,
                             const struct profile_part *part,
                             const char *stem,
                             const char *extension)
{
    if (part->phase == PHASES_ALL)
        snprintf(path, PATH_MAX, "%s/%s%s", part->folder, stem, extension);
    else
        snprintf(path, PATH_MAX, "%s/%s.phase%" PRIu32 "%s", part->folder, stem,
                 phase_number(part->phase), extension);
    return path;
}

/* Of one type, of message[n]. */
static int write_graph(const struct profile_part *part,
                       const struct message *message,
                       size_t n)
{
    const bool is_whole = part->phase == PHASES_ALL;
    struct message *own =
        is_whole ? NULL : array_alloc(n, sizeof(*own), part->err);
    char path[PATH_MAX];
    bool bytes = false;
    size_t m = 0;
    int error = own || is_whole ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < n; i++)
        if (is_whole || message[i].phase == part->phase) {
            bytes = bytes || message[i].bytes > 0;
            if (own)
                own[m] = message[i];
            m++;
        }
    if (bytes)
        error = profile_files_write_graph(
            name_file(path, part, type_names[message->type], ".graph"),
            own ? own : message, m, part->ntasks, part->err);
    free(own);
    return error;
}

static int write_part(const struct profile_part *part)
{
    const struct gathered *all = part->all;
    const struct message *message = all->messages.message;
    char path[PATH_MAX];
    int error = 0;

    for (size_t i = 0, end; error == 0 && i < all->messages.n; i = end) {
        for (end = i + 1;
             end < all->messages.n && message[end].type == message[i].type;)
            end++;
        error = write_graph(part, &message[i], end - i);
    }
    if (error == 0 && all->messages.n > 0)
        error = profile_files_write_messages(
            name_file(path, part, "messages", ""), &all->messages, part->order,
            part->phase, part->err);
    if (error == 0 && all->nrecords > 0 && !all->records_lost)
        error = profile_files_write_collectives(
            name_file(path, part, "collectives", ""), all, part->phase,
            part->ntasks, part->err);
    return error;
}

static int write_files(const char *folder,
                       const struct gathered *all,
                       const struct write_order *order,
                       const struct subject *subject,
                       struct mapcore_error *err)
{
    const uint64_t found = find_phases(all);
    struct profile_part part = {.folder = folder,
                                .all = all,
                                .order = found ? NULL : order,
                                .ntasks = subject->ntasks,
                                .phase = PHASES_ALL,
                                .err = err};
    char path[PATH_MAX];
    int error = write_part(&part);

    part.order = order;
    for (part.phase = 0; error == 0 && part.phase < PHASES_MOST; part.phase++)
        if (found >> part.phase & 1)
            error = write_part(&part);
    snprintf(path, sizeof(path), "%s/profile.json", folder);
    return error < 0 ? error : write_json(path, all, order, subject, err);
}

int write_profile(const char *folder,
                  const struct gathered *all,
                  const struct subject *subject,
                  struct mapcore_error *err)
{
    struct write_order *order = array_alloc(1, sizeof(*order), err);
    int error = MAPCORE_ENOMEM;

    if (order) {
        write_order_find(order, &all->messages);
        error = write_files(folder, all, order, subject, err);
    }
    free(order);
    return error;
}

int write_version(char **filed,
                  const char *root,
                  const struct gathered *all,
                  const struct subject *given,
                  struct mapcore_error *err)
{
    char identity[IDENTITY_MAX] = CATALOGUE_NAMED, *folder = NULL;
    struct subject subject = *given;
    const bool is_named = subject.program != NULL;
    int error = is_named ? 0 : identity_of_file(identity, subject.file, err);

    if (!is_named)
        subject.program = text_last_part(subject.path);
    subject.identity = identity;
    if (error < 0 || (error = catalogue_begin(&folder, root, subject.program,
                                              is_named ? NULL : identity,
                                              subject.ntasks, err)) < 0)
        return error;
    if ((error = write_profile(folder, all, &subject, err)) < 0)
        catalogue_abandon(folder);
    else
        error = catalogue_commit(filed, folder, subject.time, subject.job,
                                 subject.partial, err);
    free(folder);
    if (error == 0 && subject.commands && !is_named)
        (void)remembered_write(root, subject.commands, subject.path, identity,
                               NULL);
    return error;
}
