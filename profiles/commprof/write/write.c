/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* write.c - the files of a profile, and profile.json itself; reads nothing but
 * its arguments, and writes the same in any locale */
#include "config.h"

#include "commprof/write/write.h"

#include "base/printable.h"
#include "base/text.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/catalogue/catalogue_below.h"
#include "profiles/catalogue/remembered.h"
#include "profiles/program/identity.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    fprintf(file, ", \"max_task\": %u", times->span[i].most_task);
    put_number(file, ", ", "min", times->span[i].least_ns);
    fprintf(file, ", \"min_task\": %u }", times->span[i].least_task);
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
                "%s{ \"size\": %u, \"communicators\": %" PRIu64
                ", \"calls\": %" PRIu64 ", \"bytes\": %" PRIu64,
                separator, all.size, all.communicators, all.calls, all.bytes);
        put_seconds(file, ", ", all.ns);
        fputs(" }", file);
        separator = ", ";
    }
    if (separator[2] == '\0')
        putc(']', file);
}

/* What is written, and what it is written to. */
struct profile_json {
    FILE *file;
    const struct gathered *all;
    const struct subject *subject;
    uint64_t phases; /* that there are, a bit each; 0: none was named */
    /* Of each type's messages, in phases and in all of them. */
    uint16_t stages[PHASES_ALL + 1][NTYPES];
};

/* The counters of a type, added up, and where they stand. */
static struct call_stats find_type(size_t *begin,
                                   size_t *end,
                                   const struct gathered *all,
                                   uint8_t type,
                                   uint32_t phase)
{
    struct call_stats total = {.type = type};

    for (*begin = 0; *begin < all->nstats && all->stats[*begin].type < type;)
        ++*begin;
    for (*end = *begin; *end < all->nstats && all->stats[*end].type == type;
         ++*end)
        if (phase == PHASES_ALL || all->stats[*end].phase == phase)
            call_stats_add(&total, &all->stats[*end]);
    return total;
}

static void put_why(FILE *file, const struct call_stats *total, uint32_t ppm)
{
    char share[16];

    share_text(share, sizeof(share), ppm);
    if (total->large > 0)
        fprintf(file, ", \"why\": \"over more than %s of the tasks\"", share);
    else
        fprintf(file, ", \"why\": \"%s\"",
                total->bytes == 0 ? "no bytes"
                                  : "to no other task of MPI_COMM_WORLD");
}

/* The types that there are in a phase, whose files have a word in their names,
 * or in all of them. */
static void put_types(const struct profile_json *json, uint32_t phase)
{
    FILE *file = json->file;
    const bool is_whole = phase == PHASES_ALL;
    const char *separator = is_whole ? "\n    " : "\n      ";
    char word[16] = "";

    if (!is_whole)
        snprintf(word, sizeof(word), ".phase%u", phase_number(phase));
    for (uint8_t type = 0; type < NTYPES; type++) {
        size_t begin, end;
        const struct call_stats total =
            find_type(&begin, &end, json->all, type, phase);

        if (total.calls == 0 && total.ns == 0)
            continue;
        fprintf(file,
                "%s{ \"type\": \"%s\", \"calls\": %" PRIu64
                ", \"bytes\": %" PRIu64,
                separator, type_names[type], total.calls, total.bytes);
        put_seconds(file, ", ", total.ns);
        fprintf(file, ", \"paired_bytes\": %" PRIu64, total.paired);
        if (total.paired > 0)
            fprintf(file, ", \"graph\": \"%s%s.graph\"", type_names[type],
                    word);
        else
            fputs(", \"graph\": null", file);
        if (is_whole && total.paired == 0)
            put_why(file, &total, json->subject->large_ppm);
        if (total.large > 0)
            fprintf(file, ", \"large_bytes\": %" PRIu64, total.large);
        if (is_whole && json->all->nccl_calls[type] > 0)
            fprintf(file, ", \"nccl_calls\": %" PRIu64,
                    json->all->nccl_calls[type]);
        if (json->stages[phase][type] > 0)
            fprintf(file, ", \"stages\": %u",
                    (unsigned)json->stages[phase][type]);
        if (is_whole) {
            put_span(file, ", ", &json->all->times, type);
            put_sizes(file, &json->all->stats[begin], end - begin);
        }
        fputs(" }", file);
        separator = is_whole ? ",\n    " : ",\n      ";
    }
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

static void put_phases(const struct profile_json *json)
{
    const char *separator = ",\n  \"phases\": [\n";

    for (uint32_t phase = 0; phase < PHASES_MOST; phase++) {
        const char *name = region_names_get(&json->all->regions, phase);

        if (!(json->phases >> phase & 1))
            continue;
        fprintf(json->file, "%s    { \"phase\": %u", separator,
                phase_number(phase));
        if (name)
            fprintf(json->file, ", \"name\": \"%s\"", name);
        fputs(", \"types\": [", json->file);
        put_types(json, phase);
        fputs(" ] }", json->file);
        separator = ",\n";
    }
    if (json->phases)
        fputs("\n  ]", json->file);
}

static void put_date(FILE *file, const char *key, int64_t seconds)
{
    char text[TEXT_TIME];

    put_member(file, key, text_time(text, (double)seconds));
}

static void put_profile(const struct profile_json *json)
{
    const struct subject *subject = json->subject;
    FILE *file = json->file;

    fprintf(file, "{\n  \"format\": 1");
    put_member(file, "program", subject->program);
    put_member(file, "path", subject->path);
    put_member(file, "identity", subject->identity);
    fprintf(file, ",\n  \"ntasks\": %u", subject->ntasks);
    put_date(file, "recorded", subject->time);
    put_seconds(file, ",\n  ", subject->elapsed_ns);
    put_span(file, ",\n  ", &json->all->times, TASK_TIMES_ALL);
    put_number(file, ",\n  ", "counted_seconds", subject->active_ns);
    fprintf(file, ",\n  \"large_share\": %u.%06u",
            (unsigned)(subject->large_ppm / 1000000),
            (unsigned)(subject->large_ppm % 1000000));
    put_member(file, "job", subject->job);
    put_member(file, "user", subject->user);
    fprintf(file, ",\n  \"hosts\": %u", json->all->hosts);
    put_member(file, "mpi", subject->mpi);
    if (subject->mpi_type)
        put_member(file, "mpi_type", subject->mpi_type);
    if (subject->node)
        put_member(file, "node", subject->node);
    if (subject->nrecorded > 0)
        fprintf(file, ",\n  \"tasks_recorded\": %u", subject->nrecorded);
    if (subject->until > 0)
        put_date(file, "until", subject->until);
    fprintf(file, ",\n  \"types\": [");
    put_types(json, PHASES_ALL);
    fprintf(file, "\n  ]");
    put_phases(json);
    fprintf(file, "\n}\n");
}

int write_profile(const char *folder,
                  const struct gathered *all,
                  const struct subject *subject,
                  struct mapcore_error *err)
{
    struct profile_json json = {
        .all = all, .subject = subject, .phases = find_phases(all)};
    struct profile_part part = {folder, all, subject->ntasks, PHASES_ALL,
                                json.phases != 0};
    char path[PATH_MAX];
    int error = profile_part_write(json.stages[PHASES_ALL], &part, err);

    for (part.phase = 0; error == 0 && part.phase < PHASES_MOST; part.phase++)
        if (json.phases >> part.phase & 1)
            error = profile_part_write(json.stages[part.phase], &part, err);
    snprintf(path, sizeof(path), "%s/profile.json", folder);
    if (error == 0 && !(json.file = output_create(path, err)))
        error = MAPCORE_EIO;
    if (error < 0)
        return error;
    put_profile(&json);
    return output_finish(json.file, path, err);
}

static int file_version(char **filed,
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

int write_version(char **filed,
                  const char *root,
                  const struct gathered *all,
                  const struct subject *subject,
                  struct mapcore_error *err)
{
    const mode_t own = umask(077);
    int error;

    umask(catalogue_umask(own));
    error = file_version(filed, root, all, subject, err);
    umask(own);
    return error;
}
