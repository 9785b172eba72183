/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stats_print.c - what steps come to: for people, as JSON Lines, as comma
 * separated values, and for Prometheus */
#include "config.h"

#include "tools/history/stats.h"

#include "base/printable.h"
#include "tools/common/csv.h"
#include "tools/common/tool.h"
#include "json/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static double share(const struct stats_row *row, int outcome)
{
    return row->steps > 0 ? (double)row->count[outcome] / (double)row->steps
                          : 0;
}

static bool is_known(const struct stats_row *row)
{
    return row->npairs > 0;
}

static bool is_sure(const struct stats_row *row)
{
    return is_known(row) && !isinf(row->low) && !isinf(row->high);
}

/* "-6.1% (31 pairs, -7.9 to -4.4%)" */
static void put_measured(char *text, size_t size, const struct stats_row *row)
{
    if (!is_known(row))
        snprintf(text, size, "-");
    else if (!is_sure(row))
        snprintf(text, size, "%+.1f%% (%zu pair%s: too few)", 100 * row->gain,
                 row->npairs, row->npairs == 1 ? "" : "s");
    else
        snprintf(text, size, "%+.1f%% (%zu pairs, %+.1f to %+.1f%%)",
                 100 * row->gain, row->npairs, 100 * row->low, 100 * row->high);
}

void stats_print_table(const struct stats *stats)
{
    if (stats->n == 0)
        return;
    printf("%-16s %6s %7s %11s %7s %11s %7s  %-14s %s\n",
           stats->by_user ? "USER" : "PROGRAM", "USERS", "STEPS", "NODE-HOURS",
           "PLACED", "NO PROFILE", "IN MPI", "LINKS/BYTE", "MEASURED");
    for (size_t i = 0; i < stats->n; i++) {
        const struct stats_row *row = &stats->row[i];
        char links[48] = "-", measured[80], mpi[16] = "-";

        if (row->links_before >= 0)
            snprintf(links, sizeof(links), "%.3g -> %.3g", row->links_before,
                     row->links_after);
        if (row->ran > 0)
            snprintf(mpi, sizeof(mpi), "%.0f%%", 100 * row->mpi / row->ran);
        put_measured(measured, sizeof(measured), row);
        tool_print("%-16s %6zu %7zu %11.1f %6.0f%% %10.0f%% %7s  %-14s %s%s\n",
                   row->name, row->users, row->steps, row->node_hours,
                   100 * share(row, STATS_PLACED),
                   100 * share(row, STATS_NOTHING), mpi, links, measured,
                   row->is_next ? "  <- record this one first" : "");
    }
}

void stats_print_csv(const struct stats *stats)
{
    printf("%s,users,steps,node_hours,placed_node_hours",
           stats->by_user ? "user" : "program");
    for (int i = 0; i < STATS_OUTCOMES; i++)
        printf(",%s", stats_outcomes[i]);
    printf(",links_per_byte_before,links_per_byte_after,pairs,gain,gain_low,"
           "gain_high,record_first,mpi_share\n");
    for (size_t i = 0; i < stats->n; i++) {
        const struct stats_row *row = &stats->row[i];

        csv_put_name(row->name);
        printf(",%zu,%zu,%.6g,%.6g", row->users, row->steps, row->node_hours,
               row->placed_hours);
        for (int k = 0; k < STATS_OUTCOMES; k++)
            printf(",%zu", row->count[k]);
        csv_put_number(row->links_before >= 0, row->links_before);
        csv_put_number(row->links_after >= 0, row->links_after);
        printf(",%zu", row->npairs);
        csv_put_number(is_known(row), row->gain);
        csv_put_number(is_sure(row), row->low);
        csv_put_number(is_sure(row), row->high);
        printf(",%d", row->is_next);
        csv_put_number(row->ran > 0, row->mpi / row->ran);
        putchar('\n');
    }
}

int stats_print_json(const struct stats *stats, struct mapcore_error *err)
{
    struct json_writer writer;

    json_writer_start_lines(&writer, stdout);
    for (size_t i = 0; i < stats->n; i++) {
        const struct stats_row *row = &stats->row[i];

        json_begin_object(&writer, NULL);
        json_put_string(&writer, stats->by_user ? "user" : "program",
                        row->name);
        json_put_u64(&writer, "users", row->users);
        json_put_u64(&writer, "steps", row->steps);
        json_put_double(&writer, "node_hours", row->node_hours);
        json_put_double(&writer, "placed_node_hours", row->placed_hours);
        json_begin_object(&writer, "outcomes");
        for (int k = 0; k < STATS_OUTCOMES; k++)
            json_put_u64(&writer, stats_outcomes[k], row->count[k]);
        json_end_object(&writer);
        json_put_double(&writer, "links_per_byte_before",
                        row->links_before >= 0 ? row->links_before : NAN);
        json_put_double(&writer, "links_per_byte_after",
                        row->links_after >= 0 ? row->links_after : NAN);
        json_put_u64(&writer, "pairs", row->npairs);
        json_put_double(&writer, "gain", is_known(row) ? row->gain : NAN);
        json_put_double(&writer, "gain_low", row->npairs ? row->low : NAN);
        json_put_double(&writer, "gain_high", row->npairs ? row->high : NAN);
        json_put_bool(&writer, "record_first", row->is_next);
        json_put_double(&writer, "mpi_share",
                        row->ran > 0 ? row->mpi / row->ran : NAN);
        json_end_object(&writer);
        json_end_line(&writer);
    }
    return json_writer_end(&writer, err);
}

static void put_sample(const struct stats *stats,
                       const struct stats_row *row,
                       const char *metric,
                       const char *label,
                       const char *word,
                       double number)
{
    printf("%s{%s=\"", metric, stats->by_user ? "user" : "program");
    printable_write_escaped(stdout, row->name, "\"\\", '\\');
    if (label)
        printf("\",%s=\"%s", label, word);
    printf("\"} %.10g\n", number);
}

static void head(const char *metric, const char *help)
{
    printf("# HELP %s %s\n# TYPE %s gauge\n", metric, help, metric);
}

static void print_gains(const struct stats *stats)
{
    head("topomap_gain_ratio",
         "Time of placed runs less that of unplaced ones, a share of it.");
    for (size_t i = 0; i < stats->n; i++) {
        const struct stats_row *row = &stats->row[i];

        if (is_known(row))
            put_sample(stats, row, "topomap_gain_ratio", "bound", "estimate",
                       row->gain);
        if (!is_sure(row))
            continue;
        put_sample(stats, row, "topomap_gain_ratio", "bound", "low", row->low);
        put_sample(stats, row, "topomap_gain_ratio", "bound", "high",
                   row->high);
    }
    head("topomap_gain_pairs", "Pairs of runs behind topomap_gain_ratio.");
    for (size_t i = 0; i < stats->n; i++)
        put_sample(stats, &stats->row[i], "topomap_gain_pairs", NULL, NULL,
                   (double)stats->row[i].npairs);
}

void stats_print_prometheus(const struct stats *stats)
{
    head("topomap_steps", "Steps that the history still has, by outcome.");
    for (size_t i = 0; i < stats->n; i++)
        for (int k = 0; k < STATS_OUTCOMES; k++)
            put_sample(stats, &stats->row[i], "topomap_steps", "outcome",
                       stats_outcomes[k], (double)stats->row[i].count[k]);
    head("topomap_node_seconds", "Node-seconds of these steps.");
    for (size_t i = 0; i < stats->n; i++) {
        const struct stats_row *row = &stats->row[i];

        put_sample(stats, row, "topomap_node_seconds", "placed", "true",
                   3600 * row->placed_hours);
        put_sample(stats, row, "topomap_node_seconds", "placed", "false",
                   3600 * (row->node_hours - row->placed_hours));
    }
    head("topomap_links_per_byte",
         "Links that a byte of placed steps crosses.");
    for (size_t i = 0; i < stats->n; i++) {
        const struct stats_row *row = &stats->row[i];

        if (row->links_before < 0)
            continue;
        put_sample(stats, row, "topomap_links_per_byte", "layout", "slurm",
                   row->links_before);
        put_sample(stats, row, "topomap_links_per_byte", "layout", "topomap",
                   row->links_after);
    }
    head("topomap_mpi_ratio", "Share of their time that steps are in MPI.");
    for (size_t i = 0; i < stats->n; i++)
        if (stats->row[i].ran > 0)
            put_sample(stats, &stats->row[i], "topomap_mpi_ratio", NULL, NULL,
                       stats->row[i].mpi / stats->row[i].ran);
    print_gains(stats);
    head("topomap_stats_timestamp_seconds", "When this was written.");
    printf("topomap_stats_timestamp_seconds %.0f\n", stats->now_s);
}
