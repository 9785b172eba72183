/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_calibrate_write.c - what was measured as a table, and as the site file's
 * ports */
#define _GNU_SOURCE
#include "mpi_calibrate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

const char *const level_names[NLEVELS] = {
    "one cache", "one NUMA node", "one package",
    "one node",  "one leaf",      "across",
};

const int lengths[NLENGTHS] = {1,     64,     512,     4096,   16384,
                               65536, 262144, 1048576, 4194304};

/* Bytes a second in one direction of all pairs: alone there and back took two
 * messages' time, and both ways at once one. */
static double rate(const struct timing *row, int i)
{
    const double messages = row->pairs == 1 ? 2 : row->pairs;

    return row->pairs == 0 || row->round_trip[i] <= 0
               ? 0
               : messages * lengths[i] / row->round_trip[i];
}

/* What a way carries: of the two longest messages, since buffers on the way
 * swallow a few short ones faster than it goes on. */
static double best(const struct timing *row)
{
    enum { LONG = 2 };
    double most = 0;
    int n = 0;

    for (int i = NLENGTHS; i-- > 0 && n < LONG;)
        if (rate(row, i) > 0) {
            most = rate(row, i) > most ? rate(row, i) : most;
            n++;
        }
    return most;
}

static void print_row(const char *what, const struct timing *row)
{
    if (row->pairs == 0)
        return;
    for (int i = 0; i < NLENGTHS && row->round_trip[i] > 0; i++)
        printf("%-14s %5d %9d %12.2f %12.4g\n", what, row->pairs, lengths[i],
               1e6 * row->round_trip[i] / (row->pairs == 1 ? 2 : 1),
               rate(row, i));
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* A port as topomap.json(5) has it: no length carries more than all together,
 * which went both ways at once; 0: that was not measured. */
static void write_port(FILE *file,
                       const char *inside,
                       const struct timing *alone,
                       double most,
                       double through,
                       bool last)
{
    const char *comma = "";

    fprintf(file, "    {");
    if (inside)
        fprintf(file, " \"inside\": \"%s\",", inside);
    if (alone && alone->pairs > 0) {
        most = most > 0 ? most : best(alone);
        fprintf(file, " \"bandwidth\": [");
        for (int i = 0; i < NLENGTHS && alone->round_trip[i] > 0;
             i++, comma = ", ")
            fprintf(file, "%s[%d, %.6g]", comma, lengths[i],
                    least(rate(alone, i), most));
        fprintf(file, "]");
        comma = ",";
        /* Printed with as many digits as what it bounds. */
        fprintf(file, ", \"most\": %.6g", most);
    }
    if (through > 0)
        fprintf(file, "%s \"switch\": %.6g", comma, through);
    fprintf(file, " }%s\n", last ? "" : ",");
}

static const struct timing *nearest(const struct calibration *results)
{
    for (int level = CACHE; level <= NODE; level++)
        if (results->alone[level].pairs > 0)
            return &results->alone[level];
    return NULL;
}

/* Of several pairs both ways at once, where there were several. */
static double most_of(const struct timing *rows, int n)
{
    double most = 0;

    for (int i = n > 1 ? 1 : 0; i < n; i++)
        most = best(&rows[i]) > most ? best(&rows[i]) : most;
    return most > 0 || n == 0 ? most : best(&rows[0]);
}

/* Each pair goes through the ports of two parts. */
static double most_of_part(const struct timing *row)
{
    return row->parts > 0 ? best(row) * 2 / row->parts : 0;
}

/* Pairs of a level leave what holds those of the level below. Ports of tasks
 * have what the nearest pairs got. */
static void write_inside(FILE *file, const struct calibration *results)
{
    static const char *const left[] = {
        [NUMA] = "L3", [PACKAGE] = "NUMA", [NODE] = "package"};

    write_port(file, NULL, nearest(results), 0, 0, false);
    for (int level = NUMA; level <= NODE; level++)
        if (results->alone[level].pairs > 0 &&
            nearest(results) != &results->alone[level])
            write_port(file, left[level], &results->alone[level],
                       most_of_part(&results->all[level]), 0, false);
}

int results_write(const char *path, const struct calibration *results)
{
    const bool leaves = results->alone[ACROSS].pairs > 0;
    const double memory = most_of(results->inside, results->ncounts);
    const double nic = most_of(results->between, results->ncounts);
    const struct message_costs costs = costs_of(results);
    char fresh[PATHS + 8];

    snprintf(fresh, sizeof(fresh), "%s.new", path);
    unlink(fresh); /* of a run that was killed */
    FILE *file = fopen(fresh, "wxe");
    if (!file)
        return -1;
    fprintf(file,
            "{\n  \"format\": 1,\n  \"topology\": { \"type\": \"slurm\" },\n");
    if (nic > 0)
        fprintf(file, "  \"nic_rate\": %.6g,\n", nic);
    if (memory > 0)
        fprintf(file, "  \"memory_rate\": %.6g,\n", memory);
    costs_print(file, &costs, "  \"", "\": ", ",\n");
    fprintf(file, "  \"ports\": [\n");
    write_inside(file, results);
    write_port(file, NULL,
               results->alone[LEAF].pairs > 0 ? &results->alone[LEAF]
                                              : &results->alone[ACROSS],
               nic, 2 * memory, false);
    if (leaves)
        write_port(file, NULL, &results->alone[ACROSS],
                   most_of_part(&results->all[ACROSS]), 0, false);
    fprintf(file, "    { }\n  ]\n}\n");
    const bool whole = fflush(file) == 0 && fsync(fileno(file)) == 0;
    if ((fclose(file) != 0 || !whole || rename(fresh, path) != 0)) {
        const int error = errno;
        unlink(fresh);
        errno = error;
        return -1;
    }
    return 0;
}

static void put_row(const char *what, const struct timing *row)
{
    static const char *comma = "";

    for (int i = 0; row->pairs > 0 && i < NLENGTHS && row->round_trip[i] > 0;
         i++, comma = ",")
        printf("%s\n    { \"apart\": \"%s\", \"pairs\": %d, \"bytes\": %d, "
               "\"seconds\": %.9g, \"bytes_per_second\": %.9g }",
               comma, what, row->pairs, lengths[i],
               row->round_trip[i] / (row->pairs == 1 ? 2 : 1), rate(row, i));
}

void results_print_json(const struct calibration *results)
{
    const struct message_costs costs = costs_of(results);

    printf("{\n  \"measured\": [");
    for (int level = 0; level < NLEVELS; level++) {
        put_row(level_names[level], &results->alone[level]);
        put_row(level_names[level], &results->all[level]);
    }
    for (int i = 0; i < results->ncounts; i++) {
        put_row("in a node", &results->inside[i]);
        put_row("of a node", &results->between[i]);
    }
    printf("\n  ],\n  \"memory_rate\": %.9g,\n  \"nic_rate\": %.9g",
           most_of(results->inside, results->ncounts),
           most_of(results->between, results->ncounts));
    costs_print(stdout, &costs, ",\n  \"", "\": ", "");
    printf("\n}\n");
}

static void print_csv_row(const char *what, const struct timing *row)
{
    for (int i = 0; row->pairs > 0 && i < NLENGTHS && row->round_trip[i] > 0;
         i++)
        printf("\"%s\",%d,%d,%.9g,%.9g\n", what, row->pairs, lengths[i],
               row->round_trip[i] / (row->pairs == 1 ? 2 : 1), rate(row, i));
}

void results_print_csv(const struct calibration *results)
{
    puts("apart,pairs,bytes,seconds,bytes_per_second");
    for (int level = 0; level < NLEVELS; level++) {
        print_csv_row(level_names[level], &results->alone[level]);
        print_csv_row(level_names[level], &results->all[level]);
    }
    for (int i = 0; i < results->ncounts; i++) {
        print_csv_row("in a node", &results->inside[i]);
        print_csv_row("of a node", &results->between[i]);
    }
}

void results_print(const struct calibration *results)
{
    const struct message_costs costs = costs_of(results);
    char what[64];

    printf("%-14s %5s %9s %12s %12s\n", "apart", "pairs", "bytes", "us",
           "bytes/s");
    for (int level = 0; level < NLEVELS; level++) {
        print_row(level_names[level], &results->alone[level]);
        print_row(level_names[level], &results->all[level]);
    }
    for (int i = 0; i < results->ncounts; i++) {
        snprintf(what, sizeof(what), "in a node");
        print_row(what, &results->inside[i]);
        snprintf(what, sizeof(what), "of a node");
        print_row(what, &results->between[i]);
    }
    printf("memory_rate %.6g\nnic_rate %.6g\n",
           most_of(results->inside, results->ncounts),
           most_of(results->between, results->ncounts));
    costs_print(stdout, &costs, "", " ", "\n");
}
