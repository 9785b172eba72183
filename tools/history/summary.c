/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* summary.c - the steps of a history in groups, and what placing them gains in
 * each; tools/tables adds up the rest */
#include "config.h"

#include "tools/history/history_tool.h"

#include "base/array.h"
#include "base/printable.h"
#include "tools/learn/learn.h"
#include "tools/table/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Steps [n] of one row, those that can be compared beside each other: shares of
 * the time, below 0 when placed is faster. */
static int put_gain(struct json_writer *writer,
                    const struct history_line *step,
                    size_t n,
                    struct mapcore_error *err)
{
    struct learn_run *runs = array_alloc(n, sizeof(*runs), err);
    double difference[LEARN_PAIRS_MOST];
    struct learn_shift shift;
    size_t nruns = 0, npairs = 0;
    int error = runs ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < n; i++) {
        nruns += learn_run_take(&runs[nruns], &step[i]);
        if (i + 1 == n || history_line_order(&step[i], &step[i + 1]) != 0) {
            error = add_pairs(difference, &npairs, runs, nruns, err);
            nruns = 0;
        }
    }
    if (error == 0)
        error = learn_shift_find(&shift, difference, npairs, LEARN_ALPHA, err);
    if (error == 0) {
        json_put_u64(writer, "pairs", npairs);
        json_put_double(writer, "gain",
                        npairs > 0 ? exp(shift.estimate) - 1 : NAN);
        /* Infinite: too few for a bound. */
        json_put_double(writer, "gain_low",
                        isinf(shift.low) ? NAN : exp(shift.low) - 1);
        json_put_double(writer, "gain_high",
                        isinf(shift.high) ? NAN : exp(shift.high) - 1);
    }
    free(runs);
    return error;
}

static void put_step(struct json_writer *writer,
                     const struct history_line *step)
{
    json_begin_object(writer, NULL);
    json_put_string(writer, "user", step->user);
    json_put_string(writer, "program", name_of(step, false));
    json_put_u64(writer, "ntasks", step->ntasks);
    json_put_u64(writer, "nnodes", step->nnodes);
    json_put_double(writer, "at_s", step->at_s);
    json_put_string(writer, "outcome", step->outcome);
    json_put_bool(writer, "forgotten", step->forgotten);
    json_put_double(writer, "seconds", step->seconds);
    json_put_double(writer, "mpi_seconds", step->mpi_seconds);
    json_put_double(writer, "links_before", step->links_before);
    json_put_double(writer, "links_after", step->links_after);
    json_end_object(writer);
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

int history_sum_up(struct history *history,
                   bool by_user,
                   const char *view,
                   struct mapcore_error *err)
{
    const struct history_line *step = history->step;
    const size_t n = choose_steps(history);
    struct answer answer;
    struct json_writer *writer = answer_begin_view(
        &answer, stdout, view, by_user ? "user" : "program", err);
    int error = writer ? 0 : MAPCORE_ENOMEM;

    if (error < 0)
        return error;
    if (n > 0)
        qsort(history->step, n, sizeof(*step),
              by_user ? by_user_first : by_program);
    json_begin_array(writer, NULL);
    for (size_t i = 0, end; error == 0 && i < n; i = end) {
        const char *name = name_of(&step[i], by_user);

        for (end = i;
             end < n && strcmp(name_of(&step[end], by_user), name) == 0;)
            end++;
        json_begin_object(writer, NULL);
        json_put_string(writer, "name", name);
        error = put_gain(writer, &step[i], end - i, err);
        json_begin_array(writer, "all");
        for (size_t k = i; k < end; k++)
            put_step(writer, &step[k]);
        json_end_array(writer);
        json_end_object(writer);
    }
    return answer_end(&answer, error, err);
}
