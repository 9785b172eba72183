/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stats.c - the steps of a history added up */
#include "config.h"

#include "tools/history/stats.h"

#include "base/array.h"
#include "base/printable.h"
#include "tools/learn/comparable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const stats_outcomes[STATS_OUTCOMES] = {
    [STATS_PLACED] = HISTORY_PLACED,     [STATS_KEPT] = HISTORY_KEPT,
    [STATS_NOTHING] = HISTORY_NOTHING,   [STATS_CONTROL] = HISTORY_CONTROL,
    [STATS_RECORDED] = HISTORY_RECORDED, [STATS_LEFT] = HISTORY_LEFT,
    [STATS_FAILED] = HISTORY_FAILED,
};

static const char *name_of(const struct history_line *step, bool by_user)
{
    const char *name = by_user ? step->user : step->program;

    return name && *name != '\0' ? name : "-";
}

static int by_program(const void *a, const void *b)
{
    const struct history_line *x = a, *y = b;
    int order = comparable_order(x, y);

    return order != 0 ? order : (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

/* Users are compared within their own runs. */
static int by_user_first(const void *a, const void *b)
{
    const struct history_line *x = a, *y = b;
    int order = strcmp(name_of(x, true), name_of(y, true));

    return order != 0 ? order : by_program(a, b);
}

static bool counts(const struct history_line *step, double since)
{
    return step->at_s >= since && step->outcome &&
           strcmp(step->outcome, HISTORY_NO_MPI) != 0;
}

static double hours_of(const struct history_line *step)
{
    return step->seconds > 0 ? step->seconds * step->nnodes / 3600 : 0;
}

static void add_step(struct stats_row *row, const struct history_line *step)
{
    double hours = hours_of(step);
    int outcome = 0;

    row->steps++;
    row->node_hours += hours;
    while (outcome < STATS_OUTCOMES &&
           strcmp(step->outcome, stats_outcomes[outcome]) != 0)
        outcome++;
    if (outcome == STATS_OUTCOMES)
        return; /* of a later release */
    row->count[outcome]++;
    if (step->mpi_seconds >= 0 && step->seconds > 0) {
        row->mpi += step->mpi_seconds;
        row->ran += step->seconds;
    }
    if (outcome == STATS_PLACED)
        row->placed_hours += hours;
    if (outcome == STATS_PLACED && step->links_before >= 0) {
        row->links_before += step->links_before;
        row->links_after += step->links_after;
        row->users++; /* until the end: how many these are */
    }
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
static int compare(struct stats_row *row,
                   const struct history_line *step,
                   size_t n,
                   double since,
                   struct mapcore_error *err)
{
    struct learn_run *runs = array_alloc(n, sizeof(*runs), err);
    double difference[LEARN_PAIRS_MOST];
    struct learn_shift shift;
    size_t nruns = 0, npairs = 0;
    int error = runs ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < n; i++) {
        if (counts(&step[i], since) && comparable_run(&runs[nruns], &step[i]))
            nruns++;
        if (i + 1 == n || comparable_order(&step[i], &step[i + 1]) != 0) {
            error = add_pairs(difference, &npairs, runs, nruns, err);
            nruns = 0;
        }
    }
    if (error == 0)
        error = learn_shift_find(&shift, difference, npairs, LEARN_ALPHA, err);
    if (error == 0) {
        row->npairs = npairs;
        row->gain = exp(shift.estimate) - 1;
        row->low = isinf(shift.low) ? shift.low : exp(shift.low) - 1;
        row->high = isinf(shift.high) ? shift.high : exp(shift.high) - 1;
    }
    free(runs);
    return error;
}

static int by_word(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* How many different users steps [n] are of. */
static int count_users(size_t *out,
                       const struct history_line *step,
                       size_t n,
                       double since,
                       struct mapcore_error *err)
{
    const char **name = array_alloc(n, sizeof(*name), err);
    size_t nnames = 0;

    *out = 0;
    if (!name)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (counts(&step[i], since) && step[i].user)
            name[nnames++] = step[i].user;
    if (nnames > 0)
        qsort(name, nnames, sizeof(*name), by_word);
    for (size_t i = 0; i < nnames; i++)
        *out += i == 0 || strcmp(name[i], name[i - 1]) != 0;
    free(name);
    return 0;
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

    return order != 0 ? order : (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

static bool is_outcome(const struct history_line *step, int outcome)
{
    return strcmp(step->outcome, stats_outcomes[outcome]) == 0;
}

/* Steps without a profile count until there was one. */
static int add_unknown(struct stats_row *row,
                       const struct history_line *step,
                       size_t n,
                       double since,
                       struct mapcore_error *err)
{
    const struct history_line **at = array_alloc(n, sizeof(*at), err);
    bool is_known = false;

    if (!at)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        at[i] = &step[i];
    qsort(at, n, sizeof(*at), by_subject_and_time);
    for (size_t i = n; i-- > 0;) {
        if (i + 1 == n || by_subject(at[i], at[i + 1]) != 0)
            is_known = false;
        if (!counts(at[i], since) || at[i]->forgotten)
            continue;
        if (is_outcome(at[i], STATS_PLACED) || is_outcome(at[i], STATS_KEPT) ||
            is_outcome(at[i], STATS_CONTROL))
            is_known = true;
        else if (is_outcome(at[i], STATS_NOTHING) && !is_known) {
            row->nunknown++;
            row->unknown_hours += hours_of(at[i]);
        }
    }
    free(at);
    return 0;
}

static int make_row(struct stats_row *row,
                    const struct history_line *step,
                    size_t n,
                    double since,
                    struct mapcore_error *err)
{
    int error;

    for (size_t i = 0; i < n; i++)
        if (counts(&step[i], since) && !step[i].forgotten)
            add_step(row, &step[i]);
    row->links_before =
        row->users > 0 ? row->links_before / (double)row->users : -1;
    row->links_after =
        row->users > 0 ? row->links_after / (double)row->users : -1;
    if ((error = count_users(&row->users, step, n, since, err)) < 0 ||
        (error = add_unknown(row, step, n, since, err)) < 0)
        return error;
    return compare(row, step, n, since, err);
}

static int by_hours(const void *a, const void *b)
{
    const struct stats_row *x = a, *y = b;

    if (x->node_hours > y->node_hours || x->node_hours < y->node_hours)
        return x->node_hours < y->node_hours ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* Of those that nothing is known of the one that takes most. */
static void name_next(struct stats *stats)
{
    struct stats_row *next = NULL;

    for (size_t i = 0; i < stats->n; i++)
        if (stats->row[i].nunknown > 0 &&
            (!next || stats->row[i].unknown_hours > next->unknown_hours))
            next = &stats->row[i];
    if (next && !stats->by_user)
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

int stats_make(struct stats *out,
               struct history *history,
               double since,
               bool by_user,
               double now_s,
               struct mapcore_error *err)
{
    struct stats_row *rows = array_alloc(history->n, sizeof(*rows), err);
    size_t nrows = 0;
    int error = rows ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; i < history->n; i++) {
        clean_name(history->step[i].program);
        clean_name(history->step[i].user);
    }
    if (error == 0 && history->n > 0)
        qsort(history->step, history->n, sizeof(*history->step),
              by_user ? by_user_first : by_program);
    for (size_t i = 0, end; error == 0 && i < history->n; i = end) {
        const struct history_line *step = &history->step[i];
        struct stats_row row = {.name = name_of(step, by_user)};

        for (end = i;
             end < history->n &&
             strcmp(name_of(&history->step[end], by_user), row.name) == 0;)
            end++;
        error = make_row(&row, step, end - i, since, err);
        if (error == 0 && (row.steps > 0 || row.npairs > 0))
            rows[nrows++] = row;
    }
    if (error < 0) {
        free(rows);
        return error;
    }
    if (nrows > 0)
        qsort(rows, nrows, sizeof(*rows), by_hours);
    *out = (struct stats){
        .n = nrows, .row = rows, .by_user = by_user, .now_s = now_s};
    name_next(out);
    return 0;
}

void stats_clear(struct stats *stats)
{
    free(stats->row);
    stats->row = NULL;
}
