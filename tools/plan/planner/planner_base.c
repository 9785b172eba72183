/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_base.c - what the stages of a plan share */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "base/error_set.h"
#include "base/text.h"
#include "launch/plan_words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

int planner_say(struct planner *planner, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    int n;

    va_start(args, format);
    n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        return error_set(planner->err, MAPCORE_ENOMEM, "no memory");
    free(planner->plan.reason);
    planner->plan.reason = text;
    return 0;
}

bool planner_keep(struct planner *planner, const char *reason)
{
    struct mapcore_plan *plan = &planner->plan;

    if (planner_say(planner, "%s", reason) < 0)
        return false;
    free(plan->host);
    free(plan->slot);
    plan->host = plan->slot = NULL;
    plan->outcome = MAPCORE_PLAN_FAILED;
    plan->ntasks = planner->facts ? planner->facts->ntasks : 0;
    plan->nhosts = planner->facts ? planner->facts->nhosts : 0;
    return true;
}

int planner_stop(struct planner *planner,
                 enum mapcore_plan_outcome outcome,
                 const char *format,
                 ...)
{
    char reason[2 * sizeof(planner->err->text)];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    if (!planner_keep(planner, reason))
        return error_set(planner->err, MAPCORE_ENOMEM, "no memory");
    planner->plan.outcome = outcome;
    return PLANNER_DONE;
}

const char *planner_subject(const struct planner *planner)
{
    if (planner->sources.name)
        return planner->sources.name;
    /* Of a copy, the program that was recorded. */
    if (planner->sources.entry.program)
        return planner->sources.entry.program;
    if (planner->sources.executable)
        return text_last_part(planner->sources.executable);
    if (planner->request.program)
        return text_last_part(planner->request.program);
    return planner->facts->program ? text_last_part(planner->facts->program)
                                   : "a program";
}

const char *planner_missing_catalogue(const struct planner *planner)
{
    const struct tool_list *named = &planner->request.catalogues;

    for (size_t i = 0; i < named->n; i++) {
        struct stat status;

        if (stat(named->item[i], &status) < 0)
            return named->item[i];
    }
    return NULL;
}

struct catalogue_query planner_query(const struct planner *planner)
{
    const struct plan_sources *sources = &planner->sources;

    return (struct catalogue_query){
        .roots = sources->roots.item,
        .nroots = sources->roots.n,
        .own_first = sources->own_root != NULL,
        .program = planner_subject(planner),
        .identity = sources->name ? NULL : sources->identity,
    };
}

int planner_find_entry(struct catalogue_entry *out,
                       const struct planner *planner,
                       uint32_t ntasks,
                       struct mapcore_error *err)
{
    const struct catalogue_query query = planner_query(planner);
    int error = catalogue_find(out, &query, ntasks, err);

    /* A name is that of all builds of a program. */
    if (error == 0 && planner->sources.name)
        out->other_build = false;
    return error;
}

bool planner_graph_is_file(const struct plan_request *request)
{
    /* As srun tells them apart. */
    return request->graph && graph_word_is_whole(request->graph);
}
