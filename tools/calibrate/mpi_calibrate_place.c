/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_calibrate_place.c - node, leaf switch, package, NUMA node and cache of a
 * rank, by Slurm and the kernel */
#define _GNU_SOURCE
#include "mpi_calibrate.h"

#include <mpi.h>

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first number in a file of the kernel about a CPU. */
static int number_of(int cpu, const char *file)
{
    char path[160];
    int number = -1;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu, file);
    FILE *stream = fopen(path, "re");
    if (!stream)
        return -1;
    if (fscanf(stream, "%d", &number) != 1)
        number = -1;
    fclose(stream);
    return number;
}

static int numa_of(int cpu)
{
    char path[96];

    for (int node = 0; node < 1024; node++) {
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/node%d",
                 cpu, node);
        if (access(path, F_OK) == 0)
            return node;
    }
    return -1;
}

/* What all CPUs of the rank have in common. */
static void find_cpus(struct rank_place *place)
{
    cpu_set_t set;
    bool first = true;

    place->cache = place->numa = place->package = -1;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &set))
            continue;
        const int cache = number_of(cpu, "cache/index3/shared_cpu_list");
        const int package = number_of(cpu, "topology/physical_package_id");
        const int numa = numa_of(cpu);
        place->cache = first || place->cache == cache ? cache : -1;
        place->package = first || place->package == package ? package : -1;
        place->numa = first || place->numa == numa ? numa : -1;
        first = false;
    }
}

/* Slurm's words where there are any: s0.s2.n7 is under the leaf switch s0.s2.
 * Nodes of a simulated cluster share their host's name. */
void place_find(struct rank_place *place)
{
    const char *node = getenv("SLURMD_NODENAME");
    const char *address = getenv("SLURM_TOPOLOGY_ADDR");
    int n;

    memset(place, 0, sizeof(*place));
    if (node)
        snprintf(place->node, NAME, "%s", node);
    else
        MPI_Get_processor_name(place->node, &n);
    if (address && strrchr(address, '.'))
        snprintf(place->leaf, NAME, "%.*s",
                 (int)(strrchr(address, '.') - address), address);
    find_cpus(place);
}

static bool same(int a, int b)
{
    return a >= 0 && a == b;
}

enum apart level_of(const struct rank_place *a, const struct rank_place *b)
{
    if (strcmp(a->node, b->node) != 0)
        return strcmp(a->leaf, b->leaf) == 0 ? LEAF : ACROSS;
    if (same(a->cache, b->cache))
        return CACHE;
    if (same(a->numa, b->numa))
        return NUMA;
    return same(a->package, b->package) ? PACKAGE : NODE;
}
