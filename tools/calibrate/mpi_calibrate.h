/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_calibrate.h - where ranks are, and what their messages took: what the
 * files of topomap calibrate's MPI program share */
#ifndef MPI_CALIBRATE_H
#define MPI_CALIBRATE_H

#include <stdio.h>

/* How far apart two ranks are, the nearest first. */
enum apart { CACHE, NUMA, PACKAGE, NODE, LEAF, ACROSS, NLEVELS };

enum {
    NLENGTHS = 9,
    NAME = 256,
    PATHS = 4096,
};

extern const char *const level_names[NLEVELS];
extern const int lengths[NLENGTHS];

/* Where a rank is; -1: not bound to one such place, or not known. */
struct rank_place {
    char node[NAME], leaf[NAME];
    int cache, numa, package;
};

/* What one set of pairs came to; median seconds of an exchange there and back,
 * over the slowest pair, by length. */
struct timing {
    int pairs;
    int parts; /* caches, packages, nodes or leaf switches that pairs so far
                  apart as the first one come from */
    int hops;  /* links between the ranks of the first pair, by Slurm's tree */
    double round_trip[NLENGTHS];
    double message; /* seconds for each of many of a byte that are under way
                       from the lower rank of a pair to the other; 0: not
                       measured */
};

struct calibration {
    struct timing alone[NLEVELS], all[NLEVELS];
    int ncounts;
    struct timing *inside, *between; /* [ncounts]: 1, 2, 4 ... pairs in a node,
                                     and from one to another */
};

/* Where this rank is. */
void place_find(struct rank_place *place);
enum apart level_of(const struct rank_place *a, const struct rank_place *b);
/* Links between two nodes: up to the switch that both are below, and down. */
int hops_between(const struct rank_place *a, const struct rank_place *b);

/* What a message takes beside its bytes, in seconds, as topomap.json(5) has it;
 * 0: not measured. */
struct message_costs {
    double nic, task, memory_latency, nic_latency, hop_latency;
};
struct message_costs costs_of(const struct calibration *results);
/* Those that were: before, the key, between, the number, after. */
void costs_print(FILE *file,
                 const struct message_costs *costs,
                 const char *before,
                 const char *between,
                 const char *after);

/* The table, on stdout. */
void results_print(const struct calibration *results);
/* The same as an object: measured, an array of its lines, memory_rate and
 * nic_rate (bytes a second), and what messages take. */
void results_print_json(const struct calibration *results);
/* Its lines as comma-separated values. */
void results_print_csv(const struct calibration *results);
/* The site file's ports, whole or not at all; -1 with errno. */
int results_write(const char *path, const struct calibration *results);

#endif
