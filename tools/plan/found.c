/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* found.c - what a search has found, as text and back: for the cache, and from
 * one process to another */
#include "config.h"

#include "tools/plan/found.h"

#include "launch/plan.h"
#include "tools/search/timed_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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
    time_t now = time(NULL);
    struct tm tm;

    if (!gmtime_r(&now, &tm) ||
        strftime(made, sizeof(made), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        return error_set(err, MAPCORE_EIO, "cannot read the system clock");
    timed_search_print_schedule(schedule, &result->schedule);
    timed_search_print_mapper(mapper, result);
    snprintf(line, sizeof(line),
             "%s work %" PRIu64 " schedule %s interrupted %d %s", made,
             result->work, schedule[0] ? schedule : "-", result->interrupted,
             mapper);
    return mapcore_plan_format(out, &plan, err);
}
