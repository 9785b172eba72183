/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_earlier.c - the earlier runs of a program, read from the history */
#include "config.h"

#include "tools/plan/planner/planner_earlier.h"

#include "base/array.h"
#include "base/fnv.h"
#include "base/rng.h"
#include "profiles/history/history_write.h"
#include "tools/learn/comparable.h"
#include "tools/plan/plan_history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void read_earlier(struct planner_earlier *out,
                         const struct planner *planner)
{
    char *root = NULL, *folder = NULL, needle[512];
    struct mapcore_error ignored;

    *out = (struct planner_earlier){.history = {.n = 0}};
    if (plan_history_begin(&out->launch, planner, planner->request.learn,
                           &ignored) < 0 ||
        history_line_stamp(&out->launch, &ignored) < 0 ||
        !out->launch.program || catalogue_user_root(&root, &ignored) < 0)
        return;
    /* Names of programs that JSON would write otherwise are read all. */
    snprintf(needle, sizeof(needle), "\"program\": \"%s\"",
             out->launch.program);
    if (history_folder(&folder, root, false, &ignored) == 0 &&
        history_read_folder(&out->history, folder, true,
                            strpbrk(out->launch.program, "\"\\/") ? NULL
                                                                  : needle,
                            &ignored) == 0)
        history_join(&out->history);
    free(root);
    free(folder);
}

const struct planner_earlier *planner_earlier_know(struct planner *planner)
{
    if (!planner->earlier &&
        (planner->earlier = calloc(1, sizeof(*planner->earlier))))
        read_earlier(planner->earlier, planner);
    return planner->earlier;
}

void planner_earlier_forget(struct planner_earlier *earlier)
{
    if (!earlier)
        return;
    history_clear(&earlier->history);
    history_line_clear(&earlier->launch);
    free(earlier);
}

bool planner_earlier_run(struct learn_run *out,
                         const struct history_line *step,
                         const struct planner *planner)
{
    const char *profile = planner->sources.entry.version;

    return comparable_order(step, &planner->earlier->launch) == 0 &&
           comparable_run(out, step) &&
           (!out->placed || !profile || !step->profile ||
            strcmp(profile, step->profile) == 0);
}

int planner_earlier_runs(struct learn_run **runs,
                         size_t *n,
                         const struct planner *planner,
                         struct mapcore_error *err)
{
    const struct history *history = &planner->earlier->history;

    *n = 0;
    *runs = array_alloc(history->n, sizeof(**runs), err);
    if (!*runs)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < history->n; i++)
        *n += planner_earlier_run(&(*runs)[*n], &history->step[i], planner);
    return 0;
}

uint64_t planner_earlier_lot(const struct planner *planner, const char *purpose)
{
    char lot[80];
    struct rng rng;

    snprintf(lot, sizeof(lot), "%s%s %" PRIu64, purpose, planner->request.learn,
             planner->request.search.seed);
    /* The lowest bits of the sum alone are the parity of a few digits. */
    rng_init(&rng, fnv1a(lot, strlen(lot)), 0, 0);
    return rng_next(&rng);
}
