/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_cache.c - mappings that were found before: a plan a file, whose reason
 * says how and when it was found */
#include "config.h"

#include "tools/plan/plan_cache.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/file_read.h"
#include "base/file_replace.h"
#include "base/fnv.h"
#include "launch/plan.h"
#include "profiles/catalogue/catalogue_names.h"
#include "profiles/catalogue/catalogue_trust.h"
#include "tools/common/timed_search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What a plan's reason says here. */
#define FOUND "found %20s work %" PRIu64 " schedule %47s interrupted %d %n"

/* srun says how much is left of its time, which is never the same: 1.5 to 2
 * seconds are one class, 2 to 3 the next one. */
static unsigned time_class(double seconds)
{
    unsigned steps = 1;

    if (!(seconds > 0))
        return 0;
    for (double least = 1.0 / 1024; least < seconds; least *= 2)
        steps += seconds > 1.5 * least ? 2 : 1;
    return steps;
}

int plan_cache_key(struct plan_cache_query *query, struct mapcore_error *err)
{
    char digest[MAPCORE_DIGEST], text[128];
    int error = mapcore_search_digest(digest, query->graph, query->alloc,
                                      query->search, err);

    if (error < 0)
        return error;
    snprintf(text, sizeof(text), "%s %u", PACKAGE_VERSION,
             time_class(query->time_s));
    snprintf(query->key, sizeof(query->key), "%s-%016" PRIx64, digest,
             fnv1a(text, strlen(text)));
    return 0;
}

/* ROOT/.plans, checked; *out is owned. */
static int open_folder(char **out, const char *root, struct mapcore_error *err)
{
    char *folder = catalogue_join(root, PLAN_CACHE_FOLDER, err);
    int error = folder ? 0 : MAPCORE_ENOMEM;

    if (error == 0)
        error = catalogue_check_folder(root, true, true, err);
    if (error == 0)
        error = catalogue_check_folder(folder, false, true, err);
    if (error == 0)
        *out = folder;
    else
        free(folder);
    return error;
}

/* Text of a file that only its owner can have written. */
static int read_file(struct buffer *out,
                     const char *path,
                     struct mapcore_error *err)
{
    struct stat st;
    int error;

    if (lstat(path, &st) < 0)
        return error_set(err, errno == ENOENT ? MAPCORE_ENOENT : MAPCORE_EIO,
                         "%.400s: %s", path, strerror(errno));
    if ((error = catalogue_check_trust(&st, path, true, err)) < 0)
        return error;
    return file_read_all(out, path, FILE_REGULAR | FILE_NO_LINK,
                         PLAN_CACHE_MOST, err);
}

/* How the mapping was found, from the reason of its plan. */
static int parse_found(struct mapcore_result *result,
                       char *made,
                       const char *reason,
                       struct mapcore_error *err)
{
    char schedule[SEARCH_SCHEDULE_TEXT];
    int interrupted = 0, at = 0;

    if (sscanf(reason, FOUND, made, &result->work, schedule, &interrupted,
               &at) < 4 ||
        at == 0 ||
        (strcmp(schedule, "-") != 0 &&
         !timed_search_parse_schedule(&result->schedule, schedule)) ||
        !timed_search_parse_mapper(result, reason + at))
        return error_set(err, MAPCORE_EPARSE, "no plan that was found");
    result->interrupted = interrupted != 0;
    return 0;
}

static int read_result(struct mapcore_result *out,
                       char *made,
                       const struct plan_cache_query *query,
                       const struct buffer *text,
                       struct mapcore_error *err)
{
    struct mapcore_result found = {0}, result = {0};
    struct mapcore_plan *plan = NULL;
    int error =
        mapcore_plan_parse(&plan, text->bytes ? text->bytes : "", text->n,
                           query->ntasks, query->nhosts, query->counts, err);

    if (error == 0 && !plan->applies)
        error = error_set(err, MAPCORE_EPARSE, "a plan without places");
    if (error == 0)
        error = parse_found(&found, made, plan->reason, err);
    if (error == 0)
        error =
            mapcore_search_known(&result, query->graph, query->alloc,
                                 query->search, plan->host, plan->slot, err);
    if (error == 0) {
        memcpy(result.candidate, found.candidate, sizeof(result.candidate));
        result.is_refined = found.is_refined;
        result.work = found.work;
        result.schedule = found.schedule;
        result.interrupted = found.interrupted;
        *out = result;
    }
    mapcore_plan_destroy(plan);
    return error;
}

int plan_cache_find(struct mapcore_result *out,
                    char *made,
                    const struct plan_cache_query *query,
                    struct mapcore_error *err)
{
    struct buffer text = {0};
    char *folder = NULL, *path = NULL;
    int error = open_folder(&folder, query->root, err);

    if (error == 0 && !(path = catalogue_join(folder, query->key, err)))
        error = MAPCORE_ENOMEM;
    if (error == 0 && (error = read_file(&text, path, err)) == 0)
        error = read_result(out, made, query, &text, err);
    /* Used just now; where that cannot be noted it goes a little earlier. */
    if (error == 0)
        (void)utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
    buffer_clear(&text);
    free(path);
    free(folder);
    return error;
}

static int format_result(struct buffer *out,
                         const struct plan_cache_query *query,
                         const struct mapcore_result *result,
                         struct mapcore_error *err)
{
    char schedule[SEARCH_SCHEDULE_TEXT], mapper[SEARCH_MAPPER_TEXT];
    char made[PLAN_CACHE_DATE], *text = NULL, reason[320];
    struct mapcore_plan plan = {.ntasks = query->ntasks,
                                .nhosts = query->nhosts,
                                .applies = true,
                                .reason = reason,
                                .host = result->mapping->host,
                                .slot = result->mapping->slot};
    time_t now = time(NULL);
    struct tm tm;
    int error;

    if (!gmtime_r(&now, &tm) ||
        strftime(made, sizeof(made), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        return error_set(err, MAPCORE_EIO, "what day is it?");
    timed_search_print_schedule(schedule, &result->schedule);
    timed_search_print_mapper(mapper, result);
    snprintf(reason, sizeof(reason),
             "found %s work %" PRIu64 " schedule %s interrupted %d %s", made,
             result->work, schedule[0] ? schedule : "-", result->interrupted,
             mapper);
    error = mapcore_plan_format(&text, &plan, err);
    if (error == 0)
        error = buffer_append(out, err, text, strlen(text));
    free(text);
    if (error == 0 && out->n > PLAN_CACHE_MOST)
        error = error_set(err, MAPCORE_ERANGE, "a plan too large to be kept");
    return error;
}

/* Files of the folder that are looked at. */
#define SEEN ((size_t)4 * PLAN_CACHE_FILES)

/* A file of the folder. */
struct kept {
    struct timespec used;
    uint64_t bytes;
    char name[256];
};

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct kept *)a)->used;
    const struct timespec *y = &((const struct kept *)b)->used;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? 1 : -1;
    return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

/* Removes what was used least recently, be it whole or left by somebody who was
 * killed, until the rest is within bounds. Another process may do the same. */
static void let_go(const char *folder)
{
    struct kept *kept = array_alloc(SEEN, sizeof(*kept), NULL);
    DIR *dir = kept ? opendir(folder) : NULL;
    const struct dirent *entry;
    uint64_t bytes = 0;
    size_t n = 0;

    while (dir && (entry = readdir(dir)) && n < SEEN) {
        struct stat st;

        if (entry->d_name[0] == '.' ||
            strlen(entry->d_name) >= sizeof(kept[n].name) ||
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG(st.st_mode))
            continue;
        kept[n].used = st.st_mtim;
        kept[n].bytes = (uint64_t)st.st_size;
        snprintf(kept[n].name, sizeof(kept[n].name), "%s", entry->d_name);
        n++;
    }
    if (n > 0)
        qsort(kept, n, sizeof(*kept), by_use);
    for (size_t i = 0; i < n; i++) {
        bytes += kept[i].bytes;
        if (i >= PLAN_CACHE_FILES || bytes > PLAN_CACHE_BYTES)
            (void)unlinkat(dirfd(dir), kept[i].name, 0);
    }
    if (dir)
        closedir(dir);
    free(kept);
}

static int make_folder(char **out, const char *root, struct mapcore_error *err)
{
    char *folder = catalogue_join(root, PLAN_CACHE_FOLDER, err);

    if (!folder)
        return MAPCORE_ENOMEM;
    /* What else may be wrong with it is seen when it is opened. */
    (void)mkdir(folder, 0700);
    free(folder);
    return open_folder(out, root, err);
}

int plan_cache_store(const struct plan_cache_query *query,
                     const struct mapcore_result *result,
                     struct mapcore_error *err)
{
    struct file_replace file = {0};
    struct buffer text = {0};
    char *folder = NULL, *path = NULL;
    int error = format_result(&text, query, result, err);

    if (error == 0)
        error = make_folder(&folder, query->root, err);
    if (error == 0 && !(path = catalogue_join(folder, query->key, err)))
        error = MAPCORE_ENOMEM;
    if (error == 0)
        error = file_replace_open(&file, path, 0600, err);
    if (error == 0) {
        /* The commit sees what could not be written. */
        (void)fwrite(text.bytes, 1, text.n, file.file);
        error = file_replace_commit(&file, err);
    }
    if (error == 0)
        let_go(folder);
    file_replace_abandon(&file);
    buffer_clear(&text);
    free(path);
    free(folder);
    return error;
}
