/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* partitions.h - Slurm's partitions, each of which may have a topology of its
 * own (from Slurm 25.05 on), and the topology that a launch in one has */
#ifndef TOOLS_PARTITIONS_H
#define TOOLS_PARTITIONS_H

#include "topo/topo.h"

#include <stdbool.h>

struct partition {
    const char *name;
    const char *topology; /* "": the cluster's default one */
};

/* Strings stand in text. Starts as all zero. */
struct partitions {
    size_t n, capacity;
    struct partition *item;
    char *text;
};

/* What `scontrol show partition` lists. Errors: those of subprocess_read. */
int partitions_read(struct partitions *out,
                    double seconds,
                    struct mapcore_error *err);
void partitions_clear(struct partitions *partitions);
/* Whether some have another topology than others. */
bool partitions_differ(const struct partitions *partitions);

/* The lines of Slurm's own topology, owned, as below. Errors: those of
 * subprocess_read; ENOENT (no such partition). */
int partitions_ask_topology(char **out,
                            const char *partition,
                            double seconds,
                            struct mapcore_error *err);
/* Slurm's own topology, as a launch in that partition would have it. NULL: in
 * the partition of this job, or, outside of one, the cluster's default. Errors:
 * those of subprocess_read and foreign_network_read (ENOTSUP: Slurm knows no
 * switches); ENOENT (no such partition). */
int partitions_open_topology(struct mapcore_topo **out,
                             const char *partition,
                             double seconds,
                             struct mapcore_error *err);

#endif
