/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_cache.c - mappings that were found before, a file each (found.h), and
 * the last one of each graph (plan_file.h) */
#include "config.h"

#include "tools/plan/plan_cache.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/fnv.h"
#include "base/text.h"
#include "launch/step_files.h"
#include "launch/wire.h"
#include "profiles/bounded_folder.h"
#include "profiles/catalogue/catalogue.h"
#include "tools/plan/plan_file.h"
#include "tools/search/timed_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PREFIX "plan-"
#define GRAPH  PREFIX "graph-"
/* Files that are kept, and their bytes; the least recently used go first. */
#define FILES 64
#define BYTES ((uint64_t)64 << 20)
#define MOST  ((size_t)16 << 20) /* bytes of a file */

#define FOUND "%20s work %" PRIu64 " schedule %47s interrupted %d %n"

static int parse_found(struct mapcore_result *result,
                       char *made,
                       const char *line,
                       struct mapcore_error *err)
{
    char schedule[SEARCH_SCHEDULE_TEXT];
    int interrupted = 0, at = 0;

    if (!line ||
        sscanf(line, FOUND, made, &result->work, schedule, &interrupted, &at) <
            4 ||
        at == 0 ||
        (strcmp(schedule, "-") != 0 &&
         !timed_search_parse_schedule(&result->schedule, schedule)) ||
        !timed_search_parse_mapper(result, line + at))
        return error_set(err, MAPCORE_EPARSE, "no plan that was found");
    result->interrupted = interrupted != 0;
    return 0;
}

int found_parse(struct mapcore_result *out,
                char *made,
                const struct found_query *query,
                const char *text,
                size_t n,
                struct mapcore_error *err)
{
    struct mapcore_result found = {0}, result = {0};
    struct mapcore_plan *plan = NULL;
    int error = mapcore_plan_parse(&plan, text, n, query->ntasks, query->nhosts,
                                   query->counts, err);

    if (error == 0 && plan->outcome != MAPCORE_PLAN_PLACED)
        error = error_set(err, MAPCORE_EPARSE, "a plan without places");
    if (error == 0)
        error = parse_found(&found, made, plan->found, err);
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

int found_format(char **out,
                 const struct found_query *query,
                 const struct mapcore_result *result,
                 struct mapcore_error *err)
{
    char schedule[SEARCH_SCHEDULE_TEXT], mapper[SEARCH_MAPPER_TEXT];
    char made[FOUND_DATE], line[320];
    const struct mapcore_plan plan = {.ntasks = query->ntasks,
                                      .nhosts = query->nhosts,
                                      .outcome = MAPCORE_PLAN_PLACED,
                                      .found = line,
                                      .host = result->mapping->host,
                                      .slot = result->mapping->slot};

    text_time(made, (double)time(NULL));
    timed_search_print_schedule(schedule, &result->schedule);
    timed_search_print_mapper(mapper, result);
    snprintf(line, sizeof(line),
             "%s work %" PRIu64 " schedule %s interrupted %d %s", made,
             result->work, schedule[0] ? schedule : "-", result->interrupted,
             mapper);
    return mapcore_plan_format(out, &plan, err);
}

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
    int error = mapcore_search_digest(digest, query->of.graph, query->of.alloc,
                                      query->of.search, err);

    if (error < 0)
        return error;
    snprintf(text, sizeof(text), "%s %u", PACKAGE_VERSION,
             time_class(query->time_s));
    snprintf(query->key, sizeof(query->key), PREFIX "%s-%016" PRIx64, digest,
             fnv1a(text, strlen(text)));
    return 0;
}

int plan_cache_find(struct mapcore_result *out,
                    char *made,
                    const struct plan_cache_query *query,
                    struct mapcore_error *err)
{
    struct buffer text = {0};
    struct own_folder *cache = NULL;
    int error = catalogue_beside(&cache, query->root, CACHE_FOLDER, err);

    if (error == 0)
        error = own_folder_read(&text, NULL, cache, query->key, MOST, err);
    if (error == 0)
        error = found_parse(out, made, &query->of, text.bytes, text.n, err);
    if (error == 0)
        own_folder_touch(cache, query->key);
    buffer_clear(&text);
    own_folder_close(cache);
    return error;
}

/* The graph's own name: the digest of a search for which all tasks are on one
 * host. */
static int name_graph(char name[PLAN_CACHE_KEY],
                      const struct plan_cache_query *query,
                      struct mapcore_error *err)
{
    const uint32_t one = 1, ntasks = query->of.ntasks;
    const struct mapcore_search nothing = {0};
    struct mapcore_topo *topo = NULL;
    struct mapcore_alloc *alloc = NULL;
    char digest[MAPCORE_DIGEST];
    int error =
        mapcore_topo_create_fat_tree(&topo, 1, &one, NULL, NULL, NULL, err);

    if (error == 0)
        error = mapcore_alloc_create(&alloc, topo, 1, NULL, &ntasks, err);
    if (error == 0)
        error = mapcore_search_digest(digest, query->of.graph, alloc, &nothing,
                                      err);
    if (error == 0)
        snprintf(name, PLAN_CACHE_KEY, GRAPH "%s", digest);
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);
    return error;
}

/* The ranks of a plan, node by node and slot by slot, onto these nodes. */
static int carry_over(struct mapcore_result *out,
                      const struct plan_cache_query *query,
                      const struct mapcore_plan *plan,
                      struct mapcore_error *err)
{
    uint32_t n = query->of.ntasks, at = 0, *ranks = NULL, *first = NULL;
    uint32_t *host = array_alloc(n, sizeof(*host), err);
    uint32_t *slot = array_alloc(n, sizeof(*slot), err);
    int error =
        host && slot ? plan_order(&ranks, &first, plan, err) : MAPCORE_ENOMEM;

    for (uint32_t h = 0; error == 0 && h < query->of.nhosts; h++)
        for (uint32_t s = 0; s < query->of.counts[h] && at < n; s++) {
            host[ranks[at]] = h;
            slot[ranks[at++]] = s;
        }
    if (error == 0 && at < n)
        error = error_set(err, MAPCORE_EINVAL, "fewer slots than tasks");
    if (error == 0)
        error = mapcore_search_known(out, query->of.graph, query->of.alloc,
                                     query->of.search, host, slot, err);
    free(host);
    free(slot);
    free(ranks);
    free(first);
    return error;
}

int plan_cache_find_warm(struct mapcore_result *out,
                         char *from,
                         const struct plan_cache_query *query,
                         struct mapcore_error *err)
{
    struct mapcore_facts *facts = NULL;
    struct mapcore_plan *plan = NULL;
    struct buffer text = {0};
    struct own_folder *cache = NULL;
    char name[PLAN_CACHE_KEY];
    int error = name_graph(name, query, err);

    if (error == 0)
        error = catalogue_beside(&cache, query->root, CACHE_FOLDER, err);
    if (error == 0)
        error = own_folder_read(&text, NULL, cache, name, MOST, err);
    if (error == 0)
        error = plan_file_parse(&plan, &facts, name, text.bytes, text.n, err);
    if (error == 0 && (plan->outcome != MAPCORE_PLAN_PLACED ||
                       plan->ntasks != query->of.ntasks))
        error = error_set(err, MAPCORE_EPARSE, "%.400s: no plan for it", name);
    if (error == 0)
        error = carry_over(out, query, plan, err);
    if (error == 0) {
        snprintf(out->candidate, sizeof(out->candidate), "carried-over");
        snprintf(from, PLAN_CACHE_FROM, "%s", facts->nodelist);
        own_folder_touch(cache, name);
    }
    mapcore_plan_destroy(plan);
    mapcore_facts_destroy(facts);
    buffer_clear(&text);
    own_folder_close(cache);
    return error;
}

/* The same as a plan in a file, and its name: for other nodes. */
static int format_warm(char **out,
                       char name[PLAN_CACHE_KEY],
                       const struct plan_cache_query *query,
                       const struct mapcore_result *result,
                       struct mapcore_error *err)
{
    const struct mapcore_plan plan = {.ntasks = query->of.ntasks,
                                      .nhosts = query->of.nhosts,
                                      .outcome = MAPCORE_PLAN_PLACED,
                                      .host = result->mapping->host,
                                      .slot = result->mapping->slot};
    int error = name_graph(name, query, err);

    return error == 0 ? plan_file_format(out, query->facts, &plan, err) : error;
}

static int write_file(const struct own_folder *cache,
                      const char *name,
                      const char *text,
                      struct mapcore_error *err)
{
    return strlen(text) > MOST
               ? error_set(err, MAPCORE_ERANGE, "a plan too large to be kept")
               : own_folder_write(cache, name, text, err);
}

/* Room is made first: on slow storage the writer is ended before it could
 * do so afterwards. */
int plan_cache_store(const struct plan_cache_query *query,
                     const struct mapcore_result *result,
                     struct mapcore_error *err)
{
    struct bounded_folder bounds = {PREFIX, FILES - 2, BYTES};
    char *text = NULL, *warm = NULL, name[PLAN_CACHE_KEY];
    struct own_folder *cache = NULL;
    uint64_t bytes;
    int error = found_format(&text, &query->of, result, err);

    if (error == 0 && query->for_others)
        error = format_warm(&warm, name, query, result, err);
    if (error == 0)
        error =
            catalogue_make_beside(&cache, query->root, CACHE_FOLDER, 0700, err);
    if (error == 0) {
        bytes = strlen(text) + (warm ? strlen(warm) : 0);
        bounds.bytes -= bytes < BYTES ? bytes : BYTES;
        bounded_folder_make_room(cache, &bounds);
        error = write_file(cache, query->key, text, err);
    }
    if (error == 0 && warm)
        error = write_file(cache, name, warm, err);
    free(warm);
    free(text);
    own_folder_close(cache);
    return error;
}
