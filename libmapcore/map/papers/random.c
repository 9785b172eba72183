/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* random.c - tasks, or groups of tasks, anywhere: what all papers compare with
 */
#include "config.h"

#include "map/mapper.h"

#include "base/array.h"
#include "base/rng.h"
#include "graph/csr.h"
#include "map/partition/partition.h"
#include "map/rng_streams.h"

#include <string.h>

/* Of the groups' table of distances, as topolb has it. */
#define MOST_HOSTS 8192

enum what { WHAT_TASKS, WHAT_GROUPS };

/* Knuth's algorithm P (1969, section 3.4.2): every order equally likely. */
static void shuffle(uint32_t *list, uint32_t n, struct rng *rng)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t other = rng_below(rng, i), kept = list[i - 1];

        list[i - 1] = list[other];
        list[other] = kept;
    }
}

/* Each task on a slot of its own; with fewer tasks some slots stay free. */
static int run_tasks(const struct mapper_call *call, struct rng *rng)
{
    const struct mapcore_alloc *alloc = call->problem->alloc;
    uint32_t nslots = mapcore_alloc_nslots(alloc), n = 0;
    uint32_t *slot = arena_alloc(call->arena, nslots, sizeof(*slot));

    if (!slot)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++)
        for (uint32_t i = 0; i < mapcore_alloc_slots(alloc, h); i++)
            slot[n++] = h;
    shuffle(slot, nslots, rng);
    memcpy(call->host, slot, call->problem->graph->ntasks * sizeof(*slot));
    return 0;
}

/* Each group on a place that has as many slots as the one it was cut for. */
static int run_groups(const struct mapper_call *call, struct rng *rng)
{
    struct host_groups groups;
    uint32_t *place = NULL, *list = NULL;
    int error =
        host_groups_create(&groups, call, "random:of=groups", MOST_HOSTS);

    if (error == 0 && !call->end->timed_out) {
        place = arena_alloc(call->arena, groups.n, sizeof(*place));
        list = arena_copy(call->arena, groups.member, groups.n, sizeof(*list));
        error = call->arena->error;
    }
    for (uint32_t c = 0; place && error == 0 && c < groups.nclasses; c++) {
        uint32_t first = groups.first[c], n = groups.first[c + 1] - first;

        shuffle(list + first, n, rng);
        for (uint32_t i = first; i < first + n; i++)
            place[groups.member[i]] = list[i];
    }
    if (place && error == 0)
        host_groups_place(call->host, &groups, call->problem->graph->ntasks,
                          place);
    host_groups_clear(&groups);
    return error;
}

/* One run in any time, so not is_random: the best of many would be no
 * baseline. Another seed is another mapping. */
static int run(const struct mapper_call *call)
{
    struct mapper_call first = *call;
    struct rng rng;

    first.pass = 0;
    rng_init(&rng, call->seed, RNG_STREAM_RANDOM, 0);
    if (call->value[0] == WHAT_GROUPS)
        return run_groups(&first, &rng);
    return run_tasks(call, &rng);
}

const struct mapper mapper_random = {
    .name = "random",
    .summary = "anywhere, to compare with; :of=tasks|groups (one for each "
               "node)",
    .source = "the baseline of all papers",
    .parameters = "of=tasks|groups",
    .run = run,
};
