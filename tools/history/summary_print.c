/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* summary_print.c - what steps come to: for people, as JSON Lines, as comma
 * separated values, and for Prometheus */
#include "config.h"

#include "tools/history/summary.h"

#include "base/printable.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

static bool is_by_user(const void *arg)
{
    return ((const struct summary *)arg)->by_user;
}

static bool is_by_program(const void *arg)
{
    return !is_by_user(arg);
}

static void get_placed(struct table_value *out, const struct table_place *place)
{
    const struct summary_row *row = place->row;

    if (row->steps > 0)
        table_set_number(out, (double)row->count[SUMMARY_PLACED] /
                                  (double)row->steps);
}

static void get_nothing(struct table_value *out,
                        const struct table_place *place)
{
    const struct summary_row *row = place->row;

    if (row->steps > 0)
        table_set_number(out, (double)row->count[SUMMARY_NOTHING] /
                                  (double)row->steps);
}

static void get_hours(struct table_value *out, const struct table_place *place)
{
    table_printf(out, "%.1f", *(const double *)place->member);
}

static void get_links(struct table_value *out, const struct table_place *place)
{
    const struct summary_row *row = place->row;

    if (!isnan(row->links_before))
        table_printf(out, "%.3g -> %.3g", row->links_before, row->links_after);
}

/* Where there are enough pairs for one. */
static void get_bound(struct table_value *out, const struct table_place *place)
{
    const double bound = *(const double *)place->member;

    if (isfinite(bound))
        table_set_number(out, bound);
}

/* "-6.1% (31 pairs, -7.9 to -4.4%)" */
static void get_measured(struct table_value *out,
                         const struct table_place *place)
{
    const struct summary_row *row = place->row;

    if (row->npairs == 0 && row->is_next)
        table_set_text(out, "-  <- record this one first");
    else if (row->npairs > 0 && isinf(row->low))
        table_printf(out, "%+.1f%% (%zu pair%s: too few)", 100 * row->gain,
                     row->npairs, row->npairs == 1 ? "" : "s");
    else if (row->npairs > 0)
        table_printf(out, "%+.1f%% (%zu pairs, %+.1f to %+.1f%%)",
                     100 * row->gain, row->npairs, 100 * row->low,
                     100 * row->high);
}

#define MEMBER(member) TABLE_MEMBER(struct summary_row, member)
static const struct table_column columns[] = {
    {"program", "PROGRAM", .left = true, .shown = is_by_program, MEMBER(name)},
    {"user", "USER", .left = true, .shown = is_by_user, MEMBER(name)},
    {"users", "USERS", MEMBER(users)},
    {"steps", "STEPS", MEMBER(steps)},
    {"node_hours", NULL, MEMBER(node_hours)},
    {NULL, "NODE-HOURS", .get = get_hours, MEMBER(node_hours)},
    {"placed_node_hours", NULL, MEMBER(placed_hours)},
    {NULL, "PLACED", TABLE_SHARE, .get = get_placed},
    {NULL, "NO PROFILE", TABLE_SHARE, .get = get_nothing},
    {"outcomes.placed", NULL, MEMBER(count[SUMMARY_PLACED])},
    {"outcomes.kept", NULL, MEMBER(count[SUMMARY_KEPT])},
    {"outcomes.nothing", NULL, MEMBER(count[SUMMARY_NOTHING])},
    {"outcomes.control", NULL, MEMBER(count[SUMMARY_CONTROL])},
    {"outcomes.recorded", NULL, MEMBER(count[SUMMARY_RECORDED])},
    {"outcomes.left", NULL, MEMBER(count[SUMMARY_LEFT])},
    {"outcomes.failed", NULL, MEMBER(count[SUMMARY_FAILED])},
    {"mpi_share", "IN MPI", TABLE_SHARE, MEMBER(mpi_share)},
    {NULL, "LINKS/BYTE", .left = true, .get = get_links},
    {"links_per_byte_before", NULL, MEMBER(links_before)},
    {"links_per_byte_after", NULL, MEMBER(links_after)},
    {"pairs", NULL, MEMBER(npairs)},
    {"gain", NULL, MEMBER(gain)},
    {"gain_low", NULL, .get = get_bound, MEMBER(low)},
    {"gain_high", NULL, .get = get_bound, MEMBER(high)},
    {NULL, "MEASURED", .left = true, .get = get_measured},
    {"record_first", NULL, MEMBER(is_next)},
    {0},
};

int summary_print(const struct summary *summary,
                  enum table_form form,
                  struct mapcore_error *err)
{
    const struct table table = {.columns = columns,
                                .rows = summary->row,
                                .size = sizeof(*summary->row),
                                .n = summary->n,
                                .arg = summary};

    struct json_writer writer;

    if (form == TABLE_AS_TEXT && summary->n == 0)
        return 0;
    if (form != TABLE_AS_JSON)
        return table_write(&table, form, NULL, err);
    json_writer_start_lines(&writer, stdout);
    for (size_t i = 0; i < summary->n; i++) {
        json_begin_object(&writer, NULL);
        table_put_row(&writer, &table, i);
        json_end_object(&writer);
        json_end_line(&writer);
    }
    return json_writer_end(&writer, err);
}

static double steps(const struct summary_row *row, size_t k)
{
    return (double)row->count[k];
}

static double node_seconds(const struct summary_row *row, size_t k)
{
    return 3600 *
           (k == 0 ? row->placed_hours : row->node_hours - row->placed_hours);
}

static double links(const struct summary_row *row, size_t k)
{
    return k == 0 ? row->links_before : row->links_after;
}

static double mpi_share(const struct summary_row *row, size_t k)
{
    return k == 0 ? row->mpi_share : NAN;
}

static double gain(const struct summary_row *row, size_t k)
{
    const double of[] = {row->gain, row->low, row->high};

    return of[k];
}

static double pairs(const struct summary_row *row, size_t k)
{
    return k == 0 ? (double)row->npairs : NAN;
}

/* A sample for each word of the label, or one without a label. */
static const struct metric {
    const char *name, *help, *label;
    size_t n;
    const char *const *words; /* [n] */
    double (*value)(const struct summary_row *row, size_t k);
} metrics[] = {
    {"topomap_steps", "Steps that the history still has, by outcome.",
     "outcome", SUMMARY_OUTCOMES, summary_outcomes, steps},
    {"topomap_node_seconds", "Node-seconds of these steps.", "placed", 2,
     (const char *const[]){"true", "false"}, node_seconds},
    {"topomap_links_per_byte", "Links that a byte of placed steps crosses.",
     "layout", 2, (const char *const[]){"slurm", "topomap"}, links},
    {"topomap_mpi_ratio", "Share of their time that steps are in MPI.", NULL, 1,
     NULL, mpi_share},
    {"topomap_gain_ratio",
     "Time of placed runs less that of unplaced ones, a share of it.", "bound",
     3, (const char *const[]){"estimate", "low", "high"}, gain},
    {"topomap_gain_pairs", "Pairs of runs behind topomap_gain_ratio.", NULL, 1,
     NULL, pairs},
};

static void print_metric(const struct metric *metric,
                         const struct summary *summary)
{
    printf("# HELP %s %s\n# TYPE %s gauge\n", metric->name, metric->help,
           metric->name);
    for (size_t i = 0; i < summary->n; i++)
        for (size_t k = 0; k < metric->n; k++) {
            const double value = metric->value(&summary->row[i], k);

            if (!isfinite(value))
                continue;
            printf("%s{%s=\"", metric->name,
                   summary->by_user ? "user" : "program");
            printable_write_escaped(stdout, summary->row[i].name, "\"\\", '\\');
            if (metric->label)
                printf("\",%s=\"%s", metric->label, metric->words[k]);
            printf("\"} %.10g\n", value);
        }
}

void summary_print_prometheus(const struct summary *summary)
{
    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
        print_metric(&metrics[i], summary);
    printf("# HELP topomap_stats_timestamp_seconds When this was written.\n"
           "# TYPE topomap_stats_timestamp_seconds gauge\n"
           "topomap_stats_timestamp_seconds %lld\n",
           (long long)time(NULL));
}
