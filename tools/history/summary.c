/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* summary.c - the steps of a history for tools/tables, which adds them up, and
 * what placing them gains, which it asks for */
#include "config.h"

#include "tools/history/history_tool.h"

#include "base/array.h"
#include "base/printable.h"
#include "tools/common/script.h"
#include "tools/learn/learn.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int history_put(FILE *file,
                struct history_line *step,
                size_t source,
                uint64_t offset,
                struct mapcore_error *err)
{
    const char *outcome = step->outcome ? step->outcome : "-";
    struct json_writer writer;
    struct learn_run run;
    char *text = NULL;
    int error;

    /* Its end may come. */
    if (step->seconds < 0 && strcmp(step->event, HISTORY_LAUNCH) == 0 &&
        (error = history_line_format(&text, step, err)) < 0)
        return error == MAPCORE_ERANGE ? 0 : error;
    /* Names that are shown alike are one, for a metric has each name once. */
    if (step->program)
        printable_clean(step->program);
    if (step->user)
        printable_clean(step->user);
    json_writer_start_lines(&writer, file);
    json_begin_array(&writer, NULL);
    json_put_string(&writer, NULL, step->user);
    json_put_string(&writer, NULL, step->program);
    json_put_u64(&writer, NULL, step->ntasks);
    json_put_string(&writer, NULL, step->identity);
    json_put_string(&writer, NULL, step->arguments);
    json_put_string(&writer, NULL, step->node_type);
    json_put_u64(&writer, NULL, step->nnodes);
    error = json_writer_end(&writer, err);
    /* An outcome that topomap has not written is none. */
    fprintf(file,
            "\t%zu %" PRIu64
            " %u %u %.6f %s %d %.9g %.9g %.9g %.9g %.9g %.9g %.9g %s%s%s",
            source, offset, step->job, step->step, step->at_s,
            strpbrk(outcome, " \t\n") || *outcome == '\0' ? "-" : outcome,
            step->forgotten, step->seconds, step->mpi_seconds,
            step->links_before, step->links_after, step->profile_s,
            step->mpi_before_s, step->mpi_after_s,
            !learn_run_take(&run, step) ? "-"
            : run.placed                ? "1"
                                        : "0",
            text ? "\t" : "\n", text ? text : "");
    free(text);
    return error;
}

int history_put_marks(FILE *file,
                      const struct history *history,
                      const struct history_options *options)
{
    const struct history_mark *mark;
    struct json_writer writer;
    char name[20];

    json_writer_start_lines(&writer, file);
    json_begin_object(&writer, NULL);
    json_put_string(&writer, "by",
                    options->summary == SUMMARY_BY_USER ? "user" : "program");
    json_put_u64(&writer, "top", options->top);
    json_put_string(&writer, "fold", options->fold);
    json_put_bool(&writer, "is_stream",
                  options->log && strcmp(options->log, "-") == 0);
    json_begin_array(&writer, "files");
    for (size_t i = 0; (mark = history_marks(history, i)); i++) {
        snprintf(name, sizeof(name), "%016" PRIx64, mark->first);
        json_begin_array(&writer, NULL);
        json_put_string(&writer, NULL, name);
        json_put_u64(&writer, NULL, mark->bytes);
        json_put_double(&writer, NULL, mark->newest_s);
        json_end_array(&writer);
    }
    json_end_line(&writer);
    return json_writer_end(&writer, history->err);
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

/* One row: shares of the time, below 0 when placed is faster. */
static int put_row(size_t row,
                   const double *difference,
                   size_t npairs,
                   struct mapcore_error *err)
{
    struct json_writer writer;
    struct learn_shift shift;
    int error = learn_shift_find(&shift, difference, npairs, LEARN_ALPHA, err);

    if (error < 0)
        return error;
    json_writer_start_lines(&writer, stdout);
    json_begin_array(&writer, NULL);
    json_put_u64(&writer, NULL, row);
    json_put_u64(&writer, NULL, npairs);
    json_put_double(&writer, NULL, npairs > 0 ? exp(shift.estimate) - 1 : NAN);
    /* Infinite: too few for a bound. */
    json_put_double(&writer, NULL, isinf(shift.low) ? NAN : exp(shift.low) - 1);
    json_put_double(&writer, NULL,
                    isinf(shift.high) ? NAN : exp(shift.high) - 1);
    json_end_line(&writer);
    return json_writer_end(&writer, err);
}

int history_put_gains(struct mapcore_error *err)
{
    struct learn_run *runs = NULL;
    double difference[LEARN_PAIRS_MOST];
    size_t capacity = 0, n = 0, npairs = 0, row = 0, group = 0;
    int error = 0;

    for (;;) {
        struct learn_run run;
        size_t of[2] = {0, 0};
        int placed;
        const bool more = scanf("%zu %zu %lf %lf %d", &of[0], &of[1], &run.at_s,
                                &run.seconds, &placed) == 5;

        if (n > 0 && (!more || of[0] != row || of[1] != group)) {
            error = add_pairs(difference, &npairs, runs, n, err);
            n = 0;
            if (error == 0 && (!more || of[0] != row)) {
                error = put_row(row, difference, npairs, err);
                npairs = 0;
            }
        }
        if (!more || error < 0 ||
            (error = array_reserve(&runs, &capacity, n + 1, sizeof(*runs),
                                   err)) < 0)
            break;
        run.placed = placed != 0;
        runs[n++] = run;
        row = of[0];
        group = of[1];
    }
    free(runs);
    return error;
}
