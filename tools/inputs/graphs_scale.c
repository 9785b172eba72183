/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graphs_scale.c - which of the recorded seconds a mapping changes, and how */
#include "config.h"

#include "tools/inputs/graphs_scale.h"

#include "profiles/profile.h"

#include <math.h>
#include <string.h>

/* What has less than this share of all bytes takes nothing for them anywhere.
 */
static const double LEAST_BYTES = 0.001;
/* Latency follows messages, and these bytes: where far more was recorded than
 * bytes need, simulated sweeps gained a third of what they would have if all
 * had been for bytes, 0.31 on average. */
static const double LATENCY_SHARE = 1.0 / 3;
/* An estimate that is further off than that says nothing. */
static const double LEAST_REACHED = 0.5;

static double bytes_of(const struct graph_types *types, size_t i)
{
    const struct mapcore_work_type type = graphs_work_type(types, i);
    double sum = 0;

    if (!type.phases)
        return (double)mapcore_graph_bytes(type.graph);
    for (size_t k = 0; k < type.phases->first[type.phases->n]; k++)
        sum += (double)type.phases->flow[k].bytes;
    return sum;
}

static bool has_bytes(const struct graph_type *type, double of)
{
    return type->bytes >= LEAST_BYTES * of;
}

/* Seconds of the task that was longest in a type; 0: not known. */
static double longest_of(const struct graph_types *types, size_t i)
{
    const struct graph_type *type = &types->type[i];

    for (size_t k = 0; !type->phase && k < types->profile->ntypes; k++) {
        const struct profile_type *recorded = &types->profile->types[k];

        if (strcmp(recorded->name, type->type) == 0 &&
            recorded->task_seconds.is_known && recorded->seconds > 0)
            return type->seconds * recorded->task_seconds.max /
                   (recorded->seconds / types->profile->ntasks);
    }
    return 0;
}

/* What a type without bytes took beyond what it needs. */
static double waited(const struct graph_type *type,
                     const struct graphs_scaling *how)
{
    return fmax(type->seconds - (how->counts_messages ? type->block : 0), 0);
}

/* Of types without bytes as many seconds of waiting as the longest tasks of the
 * others explain become those of these, which divide theirs by their longest
 * tasks: in the next type the others wait for those. */
static void move_waiting(struct graph_types *types,
                         const struct graphs_scaling *how,
                         double bytes)
{
    double all_waited = 0, all_longest = 0, seconds = 0, moved;

    for (size_t i = 0; i < types->n; i++) {
        const struct graph_type *type = &types->type[i];

        if (!has_bytes(type, bytes))
            all_waited += waited(type, how);
        else if (type->longest > 0)
            seconds += type->seconds;
        all_longest += has_bytes(type, bytes) ? type->longest : 0;
    }
    moved = fmin(all_waited, fmax(all_longest - seconds, 0));
    for (size_t i = 0; i < types->n; i++) {
        struct graph_type *type = &types->type[i];

        if (has_bytes(type, bytes) && type->longest > 0)
            type->seconds = (seconds + moved) * type->longest / all_longest;
        else if (moved > 0 && !has_bytes(type, bytes))
            type->seconds -= moved / all_waited * waited(type, how);
    }
}

void graphs_scale(struct graph_types *types,
                  const double *block,
                  const struct graphs_scaling *how)
{
    double seconds = 0, estimated = 0, bytes = 0, most;

    for (size_t i = 0; i < types->n; i++) {
        struct graph_type *type = &types->type[i];

        type->block = block[i];
        type->longest = types->is_profile ? longest_of(types, i) : 0;
        type->reached =
            how->in_seconds && type->longest > 0 && block[i] > 0
                ? fmin(fmax(type->longest / block[i], LEAST_REACHED), 1)
                : 1;
        seconds += type->seconds;
        estimated += block[i];
        type->bytes = bytes_of(types, i);
        bytes += type->bytes;
    }
    if (types->is_profile)
        move_waiting(types, how, bytes);
    most = estimated > 0 ? seconds / estimated : 0;
    if (how->in_seconds &&
        most > (how->counts_messages ? 1 : GRAPHS_SCALE_MOST)) {
        most = how->counts_messages ? 1 : fmax(1, most * LATENCY_SHARE);
        types->is_latent = !how->counts_messages;
    }
    for (size_t i = 0; i < types->n; i++) {
        struct graph_type *type = &types->type[i];

        type->scale = 1;
        if (!types->is_profile)
            continue;
        type->scale =
            block[i] > 0 ? fmin(type->seconds / block[i], most) : most;
        if (!how->counts_messages && !has_bytes(type, bytes))
            type->scale = 0;
        type->rest = type->seconds - type->scale * block[i];
    }
}

double graphs_scale_seconds(const struct graph_types *types,
                            size_t i,
                            double estimated)
{
    const struct graph_type *type = &types->type[i];
    const double over = 1 - type->reached;
    double correction = 1;

    /* The largest power by which what takes longer never has less seconds. */
    if (over > 0 && estimated < type->block)
        correction =
            (1 - over * pow(estimated / type->block, type->reached / over)) /
            type->reached;
    return type->scale * correction * estimated + type->rest;
}
