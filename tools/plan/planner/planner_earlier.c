/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_earlier.c - the earlier runs of a program, read from the history */
#include "config.h"

#include "tools/plan/planner/planner_earlier.h"

#include "base/array.h"
#include "base/fnv.h"
#include "base/rng.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/history/history_write.h"
#include "tools/plan/plan_history.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs that the history has no longer. */
static void read_kept(struct planner_earlier *out,
                      const struct own_folder *folder)
{
    int error =
        history_evaluation_read(&out->kept, folder, &out->launch, &out->broken);

    if (error == MAPCORE_ENOENT || error == 0)
        out->broken.text[0] = '\0';
    if (error < 0)
        history_evaluation_begin(&out->kept);
    else
        (void)history_add_forgotten(&out->history, &out->kept);
}

static void read_earlier(struct planner_earlier *out,
                         const struct planner *planner)
{
    struct own_folder *folder = NULL;
    char *root = NULL, needle[512];
    struct history_filter filter = {.needle = needle};
    struct mapcore_error ignored;

    *out = (struct planner_earlier){.history = {.n = 0}};
    history_evaluation_begin(&out->kept);
    if (plan_history_begin(&out->launch, planner, planner->request.learn,
                           &ignored) < 0 ||
        history_line_stamp(&out->launch, &ignored) < 0 ||
        !out->launch.program || catalogue_user_root(&root, &ignored) < 0)
        return;
    /* Names of programs that JSON would write otherwise are read all. */
    snprintf(needle, sizeof(needle), "\"program\": \"%s\"",
             out->launch.program);
    if (strpbrk(out->launch.program, "\"\\/"))
        filter.needle = NULL;
    if (catalogue_beside(&folder, root, HISTORY_FOLDER, &ignored) == 0 &&
        history_add_folder(&out->history, folder, &filter) == 0) {
        history_join(&out->history);
        read_kept(out, folder);
    }
    free(root);
    own_folder_close(folder);
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
    history_evaluation_clear(&earlier->kept);
    history_line_clear(&earlier->launch);
    free(earlier);
}

bool planner_earlier_run(struct learn_run *out,
                         const struct history_line *step,
                         const struct planner *planner)
{
    const char *profile = planner->sources.entry.version;

    return history_line_order(step, &planner->earlier->launch) == 0 &&
           learn_run_take(out, step) &&
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

size_t planner_earlier_others(const struct planner *planner)
{
    const struct planner_earlier *earlier = planner->earlier;
    const double oldest = earlier->launch.at_s - 86400.0 * LEARN_DAYS;
    struct learn_run run;
    size_t n = 0;

    for (size_t i = 0; i < earlier->history.n; i++) {
        struct history_line like = earlier->history.step[i];

        like.arguments = earlier->launch.arguments;
        n += like.at_s >= oldest &&
             history_line_order(&earlier->history.step[i], &earlier->launch) !=
                 0 &&
             planner_earlier_run(&run, &like, planner);
    }
    return n;
}

/* A shared file server is not asked to sync at each launch of an array. */
#define FRESH_FEW 4

/* The newest runs, of those that count; and how many of them the file lacks.
 * Errors: ENOMEM. */
static int choose_runs(struct history_evaluation *out,
                       size_t *nfresh,
                       const struct planner *planner)
{
    const struct planner_earlier *earlier = planner->earlier;
    const struct history *history = &earlier->history;
    const double oldest = earlier->launch.at_s - 86400.0 * LEARN_DAYS;
    struct learn_run run;

    *nfresh = 0;
    out->run = array_alloc(HISTORY_EVALUATION_RUNS, sizeof(*out->run), NULL);
    if (!out->run)
        return MAPCORE_ENOMEM;
    /* What is forgotten is older than what is not; each in the order of time.
     */
    for (int forgotten = 0; forgotten < 2; forgotten++)
        for (size_t i = history->n; i-- > 0;) {
            const struct history_line *step = &history->step[i];

            if (out->n == HISTORY_EVALUATION_RUNS ||
                step->forgotten != forgotten || step->at_s < oldest ||
                !planner_earlier_run(&run, step, planner))
                continue;
            out->run[out->n++] = *step;
            *nfresh +=
                !forgotten && !history_evaluation_has(&earlier->kept, step);
        }
    return 0;
}

bool planner_earlier_evaluate(struct history_evaluation *out,
                              const struct planner *planner)
{
    const struct planner_earlier *earlier = planner->earlier;
    const struct learn_decision *decision;
    const char *was;
    size_t nfresh;

    history_evaluation_begin(out);
    if (!earlier || !earlier->is_decided ||
        choose_runs(out, &nfresh, planner) < 0)
        return false;
    decision = &earlier->decision;
    out->of = earlier->launch;
    out->verdict = (char *)(uintptr_t)learn_verdict_name(decision->verdict);
    out->graph = (char *)(uintptr_t)earlier->holder;
    out->pairs = (uint32_t)decision->npairs;
    if (decision->shift.n > 0) {
        out->gain = exp(decision->shift.estimate) - 1;
        out->low = exp(decision->shift.low) - 1;
        out->high = exp(decision->shift.high) - 1;
    }
    was = earlier->kept.verdict ? earlier->kept.verdict : out->verdict;
    return nfresh >= FRESH_FEW ||
           (nfresh > 0 && strcmp(out->verdict, was) != 0);
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
