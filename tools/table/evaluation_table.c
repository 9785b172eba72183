/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation_table.c - what topomap tune measured, for people: a row a graph,
 * and what --topomap=auto makes of it */
#include "config.h"

#include "tools/table/evaluation_table.h"

#include "tools/common/tool.h"
#include "tools/table/table.h"

#include <math.h>

static double median_of(const struct evaluation_graph *graph, size_t kind)
{
    return evaluation_median(graph, &graph->series[kind]);
}

/* "best" for one alone, and only when it was measured well enough. */
static const char *mark(const struct evaluation *evaluation, size_t i)
{
    const struct evaluation_graph *graph = &evaluation->graphs[i];
    const double seconds = median_of(graph, EVALUATION_SECONDS),
                 plain = median_of(evaluation->graphs, EVALUATION_SECONDS);

    if (!evaluation_decides(evaluation) || seconds < 0)
        return "";
    if (i > 0 && plain > 0 &&
        fabs(seconds - plain) <= evaluation->noise_seconds)
        return "  within noise";
    return (evaluation->unmapped_is_best ? i == 0
                                         : evaluation->best == graph->name)
               ? "  best"
               : "";
}

static void get_hops(struct table_value *out, const struct table_place *place)
{
    const struct evaluation_graph *graph = place->row;

    if (graph->hops_per_byte >= 0)
        table_printf(out, "%.4g -> %.4g", graph->before, graph->hops_per_byte);
}

static void get_amount(struct table_value *out, const struct table_place *place)
{
    const double amount = *(const double *)place->member;

    if (amount >= 0)
        table_set_number(out, amount);
}

/* The member is a series. */
static void get_median(struct table_value *out, const struct table_place *place)
{
    const double median = evaluation_median(place->row, place->member);

    if (median >= 0)
        table_set_number(out, median);
}

static void get_seconds(struct table_value *out,
                        const struct table_place *place)
{
    const double median = evaluation_median(place->row, place->member);

    if (median >= 0)
        table_printf(out, "%.4f", median);
}

static void get_change(struct table_value *out, const struct table_place *place)
{
    const struct evaluation *evaluation = place->arg;
    const double seconds = median_of(place->row, EVALUATION_SECONDS),
                 plain = median_of(evaluation->graphs, EVALUATION_SECONDS);

    if (place->i > 0 && plain > 0 && seconds >= 0)
        table_printf(out, "%+.1f%%%s", 100 * (seconds / plain - 1),
                     mark(evaluation, place->i));
    else
        table_printf(out, "-%s", mark(evaluation, place->i));
}

#define MEMBER(member) TABLE_MEMBER(struct evaluation_graph, member)
#define SERIES(kind)   .offset = offsetof(struct evaluation_graph, series[kind])
static const struct table_column columns[] = {
    {NULL, "GRAPH", .left = true, MEMBER(name)},
    {NULL, "HOPS PER BYTE", .get = get_hops},
    {NULL, "RUNS", MEMBER(nruns)},
    {NULL, "SECONDS", .get = get_seconds, SERIES(EVALUATION_SECONDS)},
    {NULL, "MPI SECONDS", .get = get_seconds, SERIES(EVALUATION_MPI)},
    {NULL, "vs SLURM", .left = true, .get = get_change},
    {0},
};

/* Table 1 of the paper that the manual names: whether the mean and the largest
 * hop-bytes of a task say how long tasks are in MPI on average and at most. */
static const struct table_column task_columns[] = {
    {NULL, "BY TASK", .left = true, MEMBER(name)},
    {NULL, "HOPS PER BYTE", .get = get_amount, MEMBER(hops_per_byte)},
    {NULL, "MOST", .get = get_amount, MEMBER(max_hops_per_byte)},
    {NULL, "P2P SECONDS", .get = get_median, SERIES(EVALUATION_P2P)},
    {NULL, "MOST", .get = get_median, SERIES(EVALUATION_MOST_P2P)},
    {NULL, "MPI SECONDS", .get = get_median, SERIES(EVALUATION_MPI)},
    {NULL, "MOST", .get = get_median, SERIES(EVALUATION_MOST_MPI)},
    {0},
};

/* Each phase in Slurm's own layout, and with the graph that is fastest for it:
 * a phase may want another layout than the rest. */
struct phase_row {
    const char *name, *with;
    double plain, least; /* seconds; NAN: not known */
};

static void get_phase_seconds(struct table_value *out,
                              const struct table_place *place)
{
    const double seconds = *(const double *)place->member;

    if (!isnan(seconds))
        table_printf(out, "%.4f", seconds);
}

static void get_phase_change(struct table_value *out,
                             const struct table_place *place)
{
    const struct phase_row *row = place->row;

    if (row->plain > 0)
        table_set_number(out, row->least / row->plain - 1);
}

#define PHASE(member) TABLE_MEMBER(struct phase_row, member)
static const struct table_column phase_columns[] = {
    {NULL, "MPI SECONDS BY PHASE", .left = true, PHASE(name)},
    {NULL, "SLURM", .get = get_phase_seconds, PHASE(plain)},
    {NULL, "LEAST", .get = get_phase_seconds, PHASE(least)},
    {NULL, "vs SLURM", TABLE_CHANGE, .get = get_phase_change},
    {NULL, "WITH GRAPH", .left = true, PHASE(with)},
    {0},
};

static void print_phases(const struct evaluation *evaluation)
{
    const struct evaluation_graph *unmapped = &evaluation->graphs[0];
    struct phase_row rows[PROFILE_PHASES_MOST], *row = rows;

    for (size_t p = 0; p < unmapped->nphases; p++) {
        const double plain = evaluation_median(unmapped, &unmapped->phase[p]);

        if (plain < 0)
            continue;
        *row = (struct phase_row){unmapped->phase[p].name, NULL, plain, NAN};
        for (size_t i = 1; i < evaluation->ngraphs; i++) {
            const struct evaluation_graph *graph = &evaluation->graphs[i];
            const struct evaluation_series *phase =
                evaluation_phase(graph, row->name);
            const double seconds = phase ? evaluation_median(graph, phase) : -1;

            if (seconds >= 0 && !(row->least <= seconds)) {
                row->least = seconds;
                row->with = graph->name;
            }
        }
        row++;
    }
    if (row == rows)
        return;
    putchar('\n');
    table_print(&(struct table){.columns = phase_columns,
                                .rows = rows,
                                .size = sizeof(*rows),
                                .n = (size_t)(row - rows)});
}

static void print_verdict(const struct evaluation *evaluation)
{
    putchar('\n');
    if (!evaluation->best)
        puts("no graph was run yet: --topomap=auto uses weighted-sum");
    else if (!evaluation_decides(evaluation))
        printf("fewer than %d runs decide nothing: --topomap=auto uses "
               "weighted-sum\n",
               EVALUATION_FEW_RUNS);
    else if (evaluation->unmapped_is_best)
        printf("--topomap=auto will leave this program alone: Slurm's own "
               "layout is faster\nthan with any graph, by more than the noise "
               "of %.3g s\n",
               evaluation->noise_seconds);
    else
        tool_print("--topomap=auto will use the graph %s (%snoise %.3g s)\n",
                   evaluation->best,
                   evaluation_is_sure(evaluation)
                       ? ""
                       : "no faster than Slurm's own layout beyond the ",
                   evaluation->noise_seconds);
    if (!evaluation_is_complete(evaluation))
        puts("not all runs were made: the same command goes on");
}

void evaluation_table_print(const struct evaluation *evaluation)
{
    struct table table = {.columns = columns,
                          .rows = evaluation->graphs,
                          .size = sizeof(*evaluation->graphs),
                          .n = evaluation->ngraphs,
                          .arg = evaluation};

    table_print(&table);
    for (size_t i = 0; i < evaluation->ngraphs; i++)
        if (median_of(&evaluation->graphs[i], EVALUATION_P2P) >= 0) {
            putchar('\n');
            table.columns = task_columns;
            table_print(&table);
            break;
        }
    print_phases(evaluation);
    print_verdict(evaluation);
}
