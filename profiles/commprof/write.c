/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* write.c - profile.json and METIS graphs as text; reads nothing but its
 * arguments, and writes the same whatever the program's locale is */
#include "config.h"

#include "commprof/write.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RECORD_NAME(name, text) text,
static const char *const type_names[NTYPES] = {RECORD_TYPES(RECORD_NAME)};

static int fail(struct mapcore_error *err, const char *path)
{
    return error_set(err, MAPCORE_EIO, "cannot write %s: %s", path,
                     strerror(errno));
}

/* A new file, writable by its owner alone even when the umask is 0. */
static FILE *create(const char *path, struct mapcore_error *err)
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

static int finish(FILE *file, const char *path, struct mapcore_error *err)
{
    const int failed = ferror(file) | fflush(file), held = errno;

    if (fclose(file) == 0 && !failed)
        return 0;
    if (failed)
        errno = held;
    return fail(err, path);
}

/* Length of the UTF-8 sequence at s, 0 when it is none. */
static size_t utf8_length(const unsigned char *s)
{
    const size_t n = s[0] >= 0xF0 && s[0] < 0xF5   ? 4
                     : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                     : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                                                   : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return n;
}

/* A JSON string; bytes that are no UTF-8 become ?. */
static void put_string(FILE *file, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    putc('"', file);
    while (*s) {
        const size_t n = *s < 0x80 ? 1 : utf8_length(s);
        if (n == 0)
            putc('?', file);
        else if (*s < 0x20 || *s == 0x7F)
            fprintf(file, "\\u%04x", *s);
        else if (*s == '"' || *s == '\\')
            fprintf(file, "\\%c", *s);
        else
            fwrite(s, 1, n, file);
        s += n ? n : 1;
    }
    putc('"', file);
}

static void put_member(FILE *file, const char *key, const char *text)
{
    fprintf(file, ",\n  \"%s\": ", key);
    put_string(file, text);
}

static void put_seconds(FILE *file, const char *before, uint64_t ns)
{
    fprintf(file, "%s\"seconds\": %" PRIu64 ".%09" PRIu64, before,
            ns / 1000000000, ns % 1000000000);
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

static void put_type(FILE *file,
                     size_t type,
                     const struct totals *totals,
                     uint32_t large_ppm)
{
    char share[16];

    fprintf(file,
            "    { \"type\": \"%s\", \"calls\": %" PRIu64
            ", \"bytes\": %" PRIu64,
            type_names[type], totals->calls, totals->bytes);
    put_seconds(file, ", ", totals->ns);
    fprintf(file, ", \"paired_bytes\": %" PRIu64, totals->paired);
    if (totals->paired > 0) {
        fprintf(file, ", \"graph\": \"%s.graph\" }", type_names[type]);
        return;
    }
    fprintf(file, ", \"graph\": null, \"why\": ");
    share_text(share, sizeof share, large_ppm);
    if (totals->large > 0)
        fprintf(file, "\"over more than %s of the tasks\" }", share);
    else if (totals->bytes == 0)
        fprintf(file, "\"no bytes\" }");
    else
        fprintf(file, "\"to no other task of MPI_COMM_WORLD\" }");
}

static int write_json(const char *path,
                      const struct gathered *all,
                      const struct subject *subject,
                      struct mapcore_error *err)
{
    char recorded[32] = "";
    struct tm utc;
    const time_t now = (time_t)subject->time;
    const char *separator = "\n";

    FILE *file = create(path, err);
    if (!file)
        return MAPCORE_EIO;
    if (gmtime_r(&now, &utc))
        strftime(recorded, sizeof recorded, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(file, "{\n  \"format\": 1");
    put_member(file, "program", subject->program);
    put_member(file, "path", subject->path);
    put_member(file, "identity", subject->identity);
    fprintf(file, ",\n  \"ntasks\": %" PRIu32, subject->ntasks);
    put_member(file, "recorded", recorded);
    put_seconds(file, ",\n  ", subject->elapsed_ns);
    put_member(file, "job", subject->job);
    put_member(file, "user", subject->user);
    fprintf(file, ",\n  \"hosts\": %" PRIu32, all->hosts);
    put_member(file, "mpi", subject->mpi);
    fprintf(file, ",\n  \"types\": [");
    for (size_t type = 0; type < NTYPES; type++) {
        const struct totals *totals = &all->totals[type];
        if (totals->calls == 0 && totals->ns == 0)
            continue;
        fputs(separator, file);
        put_type(file, type, totals, subject->large_ppm);
        separator = ",\n";
    }
    fprintf(file, "\n  ]\n}\n");
    return finish(file, path, err);
}

/* One graph from edge[n], all of one type. METIS wants every edge with both of
 * its ends, so each is put into the row of a and into that of b first; sorted
 * edges give sorted rows: all smaller neighbours of v come as (a, v) before the
 * larger ones come as (v, b). */
static int write_graph(const char *path,
                       const struct edge *edge,
                       size_t n,
                       uint32_t ntasks,
                       struct mapcore_error *err)
{
    int status = MAPCORE_ENOMEM;
    FILE *file = NULL;
    struct end {
        uint64_t bytes;
        uint32_t neighbour;
    } *ends = array_alloc(2 * n, sizeof *ends, err);
    size_t *from = array_alloc((size_t)ntasks + 2, sizeof *from, err);

    if (!ends || !from)
        goto out;
    for (size_t i = 0; i < n; i++) {
        from[edge[i].a + 2]++;
        from[edge[i].b + 2]++;
    }
    for (size_t v = 2; v < (size_t)ntasks + 2; v++)
        from[v] += from[v - 1];
    /* from[v + 1] is where the row of v goes on; in the end, where it ends. */
    for (size_t i = 0; i < n; i++) {
        ends[from[edge[i].a + 1]++] = (struct end){edge[i].bytes, edge[i].b};
        ends[from[edge[i].b + 1]++] = (struct end){edge[i].bytes, edge[i].a};
    }

    status = MAPCORE_EIO;
    file = create(path, err);
    if (!file)
        goto out;
    fprintf(file, "%" PRIu32 " %zu 001\n", ntasks, n);
    for (size_t v = 0; v < ntasks; v++) {
        for (size_t i = from[v]; i < from[v + 1]; i++)
            fprintf(file, "%s%" PRIu32 " %" PRIu64, i > from[v] ? " " : "",
                    ends[i].neighbour + 1, ends[i].bytes);
        putc('\n', file);
    }
    status = finish(file, path, err);
out:
    free(ends);
    free(from);
    return status;
}

int write_profile(const char *folder,
                  const struct gathered *all,
                  const struct subject *subject,
                  struct mapcore_error *err)
{
    const struct edges *edges = &all->edges;
    char path[PATH_MAX];
    size_t i = 0;

    while (i < edges->n) {
        const uint32_t type = edges->edge[i].type;
        size_t end = i;
        while (end < edges->n && edges->edge[end].type == type)
            end++;
        snprintf(path, sizeof path, "%s/%s.graph", folder, type_names[type]);
        const int status =
            write_graph(path, &edges->edge[i], end - i, subject->ntasks, err);
        if (status < 0)
            return status;
        i = end;
    }
    snprintf(path, sizeof path, "%s/profile.json", folder);
    return write_json(path, all, subject, err);
}
