/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* summary.c - the steps of a history added up */
#include "config.h"

#include "tools/history/summary.h"

#include "base/array.h"
#include "base/printable.h"
#include "tools/learn/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const summary_outcomes[SUMMARY_OUTCOMES] = {
    [SUMMARY_PLACED] = HISTORY_PLACED,     [SUMMARY_KEPT] = HISTORY_KEPT,
    [SUMMARY_NOTHING] = HISTORY_NOTHING,   [SUMMARY_CONTROL] = HISTORY_CONTROL,
    [SUMMARY_RECORDED] = HISTORY_RECORDED, [SUMMARY_LEFT] = HISTORY_LEFT,
    [SUMMARY_FAILED] = HISTORY_FAILED,
};

static const char *name_of(const struct history_line *step, bool by_user)
{
    const char *name = by_user ? step->user : step->program;

    return name && *name != '\0' ? name : "-";
}

static int by_time(const struct history_line *x, const struct history_line *y)
{
    return (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

static int by_program(const void *a, const void *b)
{
    int order = history_line_order(a, b);

    return order != 0 ? order : by_time(a, b);
}

/* Users are compared within their own runs. */
static int by_user_first(const void *a, const void *b)
{
    int order = strcmp(name_of(a, true), name_of(b, true));

    return order != 0 ? order : by_program(a, b);
}

static double hours_of(const struct history_line *step)
{
    return step->seconds > 0 ? step->seconds * step->nnodes / 3600 : 0;
}

static bool is_outcome(const struct history_line *step, int outcome)
{
    return strcmp(step->outcome, summary_outcomes[outcome]) == 0;
}

static void add_steps(struct summary_row *row,
                      const struct history_line *step,
                      size_t n)
{
    double mpi = 0, ran = 0, before = 0, after = 0;
    size_t nlinks = 0;

    for (size_t i = 0; i < n; i++, step++) {
        const bool is_placed = is_outcome(step, SUMMARY_PLACED);

        if (step->forgotten)
            continue;
        row->steps++;
        row->node_hours += hours_of(step);
        row->placed_hours += is_placed ? hours_of(step) : 0;
        for (int k = 0; k < SUMMARY_OUTCOMES; k++)
            row->count[k] += is_outcome(step, k);
        if (step->mpi_seconds >= 0 && step->seconds > 0) {
            mpi += step->mpi_seconds;
            ran += step->seconds;
        }
        if (is_placed && step->links_before >= 0) {
            before += step->links_before;
            after += step->links_after;
            nlinks++;
        }
    }
    row->mpi_share = ran > 0 ? mpi / ran : NAN;
    row->links_before = nlinks > 0 ? before / (double)nlinks : NAN;
    row->links_after = nlinks > 0 ? after / (double)nlinks : NAN;
}

/* Adds the differences of the newest pairs of one group of runs. */
static int add_pairs(double difference[LEARN_PAIRS_MOST],
                     size_t *n,
                     const struct learn_run *runs,
                     size_t nruns,
                     struct mapcore_error *err)
{
    double *more = NULL;
    size_t nmore, take;
    int error = learn_pair(&more, &nmore, runs, nruns, err);

    if (error < 0)
        return error;
    take = nmore < LEARN_PAIRS_MOST - *n ? nmore : LEARN_PAIRS_MOST - *n;
    if (take > 0)
        memcpy(difference + *n, more + (nmore - take), take * sizeof(*more));
    *n += take;
    free(more);
    return 0;
}

/* Steps [n] of one row, those that can be compared beside each other. */
static int compare(struct summary_row *row,
                   const struct history_line *step,
                   size_t n,
                   struct mapcore_error *err)
{
    struct learn_run *runs = array_alloc(n, sizeof(*runs), err);
    double difference[LEARN_PAIRS_MOST];
    struct learn_shift shift;
    size_t nruns = 0;
    int error = runs ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < n; i++) {
        nruns += learn_run_take(&runs[nruns], &step[i]);
        if (i + 1 == n || history_line_order(&step[i], &step[i + 1]) != 0) {
            error = add_pairs(difference, &row->npairs, runs, nruns, err);
            nruns = 0;
        }
    }
    if (error == 0)
        error =
            learn_shift_find(&shift, difference, row->npairs, LEARN_ALPHA, err);
    if (error == 0) {
        row->gain = row->npairs > 0 ? exp(shift.estimate) - 1 : NAN;
        row->low = isinf(shift.low) ? shift.low : exp(shift.low) - 1;
        row->high = isinf(shift.high) ? shift.high : exp(shift.high) - 1;
    }
    free(runs);
    return error;
}

/* Whose catalogue it is, and which size of a program. */
static int by_subject(const struct history_line *x,
                      const struct history_line *y)
{
    int order = strcmp(name_of(x, true), name_of(y, true));

    if (order == 0)
        order = strcmp(name_of(x, false), name_of(y, false));
    return order != 0 ? order
                      : (x->ntasks > y->ntasks) - (x->ntasks < y->ntasks);
}

static int by_subject_and_time(const void *a, const void *b)
{
    const struct history_line *x = *(const struct history_line *const *)a,
                              *y = *(const struct history_line *const *)b;
    int order = by_subject(x, y);

    return order != 0 ? order : by_time(x, y);
}

/* Counts users, and the steps without a profile until there was one. */
static int add_subjects(struct summary_row *row,
                        const struct history_line *step,
                        size_t n,
                        struct mapcore_error *err)
{
    const struct history_line **at = array_alloc(n, sizeof(*at), err);
    const char *user = NULL;
    bool is_known = false;

    if (!at)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        at[i] = &step[i];
    qsort(at, n, sizeof(*at), by_subject_and_time);
    for (size_t i = n; i-- > 0;) {
        if (i + 1 == n || by_subject(at[i], at[i + 1]) != 0)
            is_known = false;
        if (at[i]->user && (!user || strcmp(user, at[i]->user) != 0)) {
            user = at[i]->user;
            row->users++;
        }
        if (at[i]->forgotten)
            continue;
        if (is_outcome(at[i], SUMMARY_PLACED) ||
            is_outcome(at[i], SUMMARY_KEPT) ||
            is_outcome(at[i], SUMMARY_CONTROL)) {
            is_known = true;
        } else if (is_outcome(at[i], SUMMARY_NOTHING) && !is_known) {
            row->nunknown++;
            row->unknown_hours += hours_of(at[i]);
        }
    }
    free(at);
    return 0;
}

static int by_hours(const void *a, const void *b)
{
    const struct summary_row *x = a, *y = b;

    if (x->node_hours > y->node_hours || x->node_hours < y->node_hours)
        return x->node_hours < y->node_hours ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void mark_next(struct summary *summary)
{
    struct summary_row *next = NULL;

    for (size_t i = 0; i < summary->n; i++)
        if (summary->row[i].nunknown > 0 &&
            (!next || summary->row[i].unknown_hours > next->unknown_hours))
            next = &summary->row[i];
    if (next && !summary->by_user)
        next->is_next = true;
}

/* Names that are shown alike become equal, for a metric has each name once. */
static void clean_name(char *name)
{
    if (!name)
        return;
    printable_clean(name);
    if (strcmp(name, "-") == 0)
        name[0] = '\0';
}

/* The steps that count, first; how many they are. */
static size_t choose_steps(struct history *history)
{
    size_t n = 0;

    for (size_t i = 0; i < history->n; i++) {
        struct history_line step = history->step[i];

        clean_name(step.program);
        clean_name(step.user);
        if (!step.outcome || strcmp(step.outcome, HISTORY_NO_MPI) == 0)
            continue;
        history->step[i] = history->step[n];
        history->step[n++] = step;
    }
    return n;
}

int summary_make(struct summary *out,
                 struct history *history,
                 bool by_user,
                 struct mapcore_error *err)
{
    const struct history_line *step = history->step;
    const size_t n = choose_steps(history);
    struct summary_row *rows = array_alloc(n, sizeof(*rows), err);
    size_t nrows = 0;
    int error = rows ? 0 : MAPCORE_ENOMEM;

    if (n > 0)
        qsort(history->step, n, sizeof(*step),
              by_user ? by_user_first : by_program);
    for (size_t i = 0, end; error == 0 && i < n; i = end) {
        struct summary_row *row = &rows[nrows];

        row->name = name_of(&step[i], by_user);
        for (end = i;
             end < n && strcmp(name_of(&step[end], by_user), row->name) == 0;)
            end++;
        add_steps(row, &step[i], end - i);
        if ((error = add_subjects(row, &step[i], end - i, err)) == 0)
            error = compare(row, &step[i], end - i, err);
        if (row->steps > 0 || row->npairs > 0)
            nrows++;
        else
            *row = (struct summary_row){.name = NULL};
    }
    if (error < 0) {
        free(rows);
        return error;
    }
    if (nrows > 0)
        qsort(rows, nrows, sizeof(*rows), by_hours);
    *out = (struct summary){.n = nrows, .row = rows, .by_user = by_user};
    mark_next(out);
    return 0;
}
