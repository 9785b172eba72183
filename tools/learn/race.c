/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* race.c - a profile's task graphs race each other over production runs */
#include "config.h"

#include "tools/learn/race.h"

#include "base/array.h"

#include <stdlib.h>

/* What the runs of holder and challenger say; those of the challenger count as
 * placed. */
static int compare(struct learn_race *race,
                   struct learn_run *room,
                   const struct learn_graph_run *runs,
                   size_t n,
                   const struct learn_next *next,
                   struct mapcore_error *err)
{
    size_t chosen = 0;

    for (size_t i = 0; i < n; i++)
        if (runs[i].graph == race->holder || runs[i].graph == race->challenger)
            room[chosen++] = (struct learn_run){
                .at_s = runs[i].at_s,
                .seconds = runs[i].seconds,
                .placed = runs[i].graph == race->challenger,
            };
    return learn_decide(&race->open, room, chosen, next, err);
}

static bool is_over(const struct learn_decision *decision)
{
    return decision->verdict == LEARN_FASTER ||
           decision->verdict == LEARN_NO_GAIN ||
           (decision->verdict == LEARN_OPEN &&
            decision->npairs >= LEARN_RACE_PAIRS);
}

int learn_race_decide(struct learn_race *out,
                      const struct learn_graph_run *runs,
                      size_t n,
                      size_t ngraphs,
                      const struct learn_next *next,
                      struct mapcore_error *err)
{
    struct learn_run *room = array_alloc(n, sizeof(*room), err);
    struct learn_race race = {.holder = 0};
    int error = room ? 0 : MAPCORE_ENOMEM;

    for (size_t g = 1; error == 0 && g < ngraphs; g++) {
        race.challenger = g;
        error = compare(&race, room, runs, n, next, err);
        if (error < 0 || !is_over(&race.open))
            break;
        if (race.open.verdict == LEARN_FASTER) {
            race.won = race.open;
            race.beaten = race.holder;
            race.holder = g;
        }
        race.challenger = race.holder;
    }
    free(room);
    if (error < 0)
        return error;
    /* Neither is what a user would have without us: each gets every other run,
     * which makes most pairs of them. */
    race.graph = next->lot % 2 == 0 ? race.challenger : race.holder;
    *out = race;
    return 0;
}
