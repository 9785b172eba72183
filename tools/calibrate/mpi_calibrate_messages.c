/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_calibrate_messages.c - what a message takes beside its bytes, of what was
 * measured: the site file's seconds. It needs no MPI. */
#include "mpi_calibrate.h"

#include <stdio.h>
#include <string.h>

/* top.leaf0 and top.leaf1 are both below top. */
int hops_between(const struct rank_place *a, const struct rank_place *b)
{
    const char *x = a->leaf, *y = b->leaf;
    int links = 2;

    if (strcmp(a->node, b->node) == 0)
        return 0;
    while (*x && *y) {
        const size_t n = strcspn(x, "."), m = strcspn(y, ".");

        if (n != m || strncmp(x, y, n) != 0)
            break;
        x += n + (x[n] == '.');
        y += m + (y[m] == '.');
    }
    for (; *x; x += strcspn(x, "."), x += *x == '.')
        links++;
    for (; *y; y += strcspn(y, "."), y += *y == '.')
        links++;
    return links;
}

static double at_least_nothing(double seconds)
{
    return seconds > 0 ? seconds : 0;
}

/* One way, of the shortest message; 0: not measured. */
static double one_way(const struct timing *alone)
{
    return alone->pairs > 0 ? alone->round_trip[0] / 2 : 0;
}

/* Of ranks that are as far apart as ranks of a node can be. */
static double within_node(const struct calibration *results)
{
    for (int level = NODE; level >= CACHE; level--)
        if (results->alone[level].pairs > 0)
            return one_way(&results->alone[level]);
    return 0;
}

/* A pair alone is as fast as its ranks. */
static double of_task(const struct calibration *results)
{
    if (results->ncounts == 0)
        return 0;
    return results->inside[0].pairs > 0 ? results->inside[0].message
                                        : results->between[0].message;
}

/* All pairs send through one interface: of so many it is the fastest. */
static double of_nic(const struct calibration *results)
{
    double least = 0;

    for (int i = 0; i < results->ncounts; i++) {
        const struct timing *row = &results->between[i];
        const double each = row->pairs > 0 ? row->message / row->pairs : 0;

        if (each > 0 && (least <= 0 || each < least))
            least = each;
    }
    return least;
}

struct message_costs costs_of(const struct calibration *results)
{
    const struct timing *leaf = &results->alone[LEAF];
    const struct timing *across = &results->alone[ACROSS];
    const struct timing *nearer = leaf->pairs > 0 ? leaf : across;
    struct message_costs out = {.nic = of_nic(results),
                                .task = of_task(results)};

    if (leaf->pairs > 0 && across->pairs > 0 && across->hops > leaf->hops)
        out.hop_latency = at_least_nothing((one_way(across) - one_way(leaf)) /
                                           (across->hops - leaf->hops));
    /* What a rank takes of it is counted by itself. */
    out.memory_latency = at_least_nothing(within_node(results) - out.task);
    out.nic_latency = at_least_nothing(
        one_way(nearer) - nearer->hops * out.hop_latency - out.task);
    return out;
}

void costs_print(FILE *file,
                 const struct message_costs *costs,
                 const char *before,
                 const char *between,
                 const char *after)
{
    const struct {
        const char *key;
        double seconds;
    } all[] = {{"nic_message_s", costs->nic},
               {"task_message_s", costs->task},
               {"memory_latency_s", costs->memory_latency},
               {"nic_latency_s", costs->nic_latency},
               {"hop_latency_s", costs->hop_latency}};

    for (int i = 0; i < (int)(sizeof(all) / sizeof(*all)); i++)
        if (all[i].seconds > 0)
            fprintf(file, "%s%s%s%.6g%s", before, all[i].key, between,
                    all[i].seconds, after);
}
