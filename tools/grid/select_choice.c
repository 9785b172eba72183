/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_choice.c - choices of nodes: measured, the best kept, and nodes near
 * one to spare for those that fail */
#include "config.h"

#include "tools/grid/select.h"

#include "base/array.h"
#include "cart/torus_loads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Coordinates of a place among the blocks. */
static void unfold(uint32_t *x,
                   uint32_t place,
                   const struct mapcore_blocks *layout)
{
    for (uint32_t k = 0; k < layout->ndims; k++) {
        uint32_t i = layout->first_fastest ? k : layout->ndims - 1 - k;

        x[i] = place % mapcore_blocks_along(layout, i);
        place /= mapcore_blocks_along(layout, i);
    }
}

static uint32_t fold(const uint32_t *x, const struct mapcore_blocks *layout)
{
    uint32_t place = 0;

    for (uint32_t k = 0; k < layout->ndims; k++) {
        uint32_t i = layout->first_fastest ? layout->ndims - 1 - k : k;

        place = place * mapcore_blocks_along(layout, i) + x[i];
    }
    return place;
}

int select_places(uint32_t **place,
                  const struct selection *selection,
                  const struct mapcore_blocks *layout,
                  struct mapcore_error *err)
{
    uint32_t *made = array_alloc(selection->nplaces, sizeof(*made), err);

    if (!made)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < selection->nplaces; i++) {
        uint32_t x[MAPCORE_BLOCKS_DIMS], n = selection->per_router;

        unfold(x, i / n, layout);
        if (n > 1)
            x[selection->split] = x[selection->split] * n + i % n;
        made[i] = fold(x, &selection->layout);
    }
    *place = made;
    return 0;
}

double select_traffic(const struct mapcore_blocks *layout,
                      const double *weight,
                      uint32_t i)
{
    double bytes = weight[i];

    for (uint32_t k = 0; k < layout->ndims; k++)
        if (k != i)
            bytes *= layout->block[k];
    return bytes;
}

/* Pairs of tasks that talk along dimension i, on the whole grid. */
static double pairs_along(const struct mapcore_blocks *layout, uint32_t i)
{
    double pairs = layout->grid[i] -
                   (layout->periodic[i] && layout->grid[i] > 2 ? 0.0 : 1.0);

    for (uint32_t k = 0; k < layout->ndims; k++)
        if (k != i)
            pairs *= layout->grid[k];
    return pairs;
}

double select_pair_bytes(const struct mapcore_blocks *layout,
                         const double *weight,
                         const uint32_t pair[2])
{
    uint32_t x[MAPCORE_BLOCKS_DIMS], y[MAPCORE_BLOCKS_DIMS], i = 0;

    unfold(x, pair[0], layout);
    unfold(y, pair[1], layout);
    while (i + 1 < layout->ndims && x[i] == y[i])
        i++;
    /* Two blocks on a ring meet on both sides. */
    return select_traffic(layout, weight, i) *
           (layout->periodic[i] && mapcore_blocks_along(layout, i) == 2 &&
                    layout->grid[i] > 2
                ? 2
                : 1);
}

int select_measure(struct select_choice *choice,
                   const struct selection *selection,
                   const struct select_query *query,
                   const struct routers *routers,
                   struct mapcore_error *err)
{
    const struct mapcore_blocks *layout = &selection->layout;
    uint32_t(*pair)[2];
    uint64_t sum = 0, apart = 0;
    double bytes = 0, hop_bytes = 0;
    struct torus_loads loads;
    size_t n;
    int error = mapcore_blocks_pairs(&pair, &n, layout, err);

    if (error < 0)
        return error;
    if ((error = torus_loads_open(&loads, routers->dims, routers->wraps,
                                  routers->capacity, routers->along, err)) <
        0) {
        torus_loads_clear(&loads);
        free(pair);
        return error;
    }
    choice->longest = 0;
    for (size_t k = 0; k < n; k++) {
        uint32_t a = routers->router[choice->node[pair[k][0]]];
        uint32_t b = routers->router[choice->node[pair[k][1]]];
        uint32_t hops = a == b ? 0 : routers_hops(routers, a, b);
        double said = select_pair_bytes(layout, query->weight, pair[k]);

        sum += hops;
        apart += hops > 0;
        choice->longest = hops > choice->longest ? hops : choice->longest;
        hop_bytes += hops * said;
        torus_loads_add(&loads, a, b, said);
    }
    free(pair);
    choice->slowest = loads.slowest;
    torus_loads_clear(&loads);
    for (uint32_t i = 0; i < layout->ndims; i++)
        bytes += query->weight[i] * pairs_along(layout, i);
    choice->mean = apart > 0 ? (double)sum / (double)apart : 0;
    choice->hops_per_byte = bytes > 0 ? hop_bytes / bytes : 0;
    return 0;
}

static bool better(const struct select_choice *a, const struct select_choice *b)
{
    if (a->longest != b->longest)
        return a->longest < b->longest;
    if (a->slowest < b->slowest * (1 - 1e-9) ||
        b->slowest < a->slowest * (1 - 1e-9))
        return a->slowest < b->slowest;
    return a->hops_per_byte < b->hops_per_byte;
}

int select_keep(struct selection *selection,
                struct select_choice *choice,
                size_t capacity,
                struct mapcore_error *err)
{
    size_t at = selection->n;

    if (!selection->choice)
        selection->choice =
            array_alloc(capacity, sizeof(*selection->choice), err);
    if (!selection->choice) {
        free(choice->node);
        return MAPCORE_ENOMEM;
    }
    while (at > 0 && better(choice, &selection->choice[at - 1]))
        at--;
    if (at == capacity) {
        free(choice->node);
        return 0;
    }
    if (selection->n == capacity)
        free(selection->choice[--selection->n].node);
    memmove(&selection->choice[at + 1], &selection->choice[at],
            (selection->n - at) * sizeof(*choice));
    selection->choice[at] = *choice;
    selection->n++;
    return 0;
}

struct spare {
    uint32_t router, nearest; /* hops to the nearest router of the choice */
    uint64_t hops;            /* to all of them */
};

static int compare_spares(const void *a, const void *b)
{
    const struct spare *x = a, *y = b;

    if (x->nearest != y->nearest)
        return x->nearest < y->nearest ? -1 : 1;
    if (x->hops != y->hops)
        return x->hops < y->hops ? -1 : 1;
    return (x->router > y->router) - (x->router < y->router);
}

/* The routers that the choice has not, with enough nodes, nearest first. */
static size_t list_spares(struct spare *out,
                          const struct selection *selection,
                          const struct select_choice *choice,
                          const struct routers *routers,
                          bool *taken,
                          uint32_t *box)
{
    size_t n = 0, nbox = 0;

    for (uint32_t i = 0; i < selection->nplaces; i++) {
        uint32_t r = routers->router[choice->node[i]];

        if (!taken[r])
            box[nbox++] = r;
        taken[r] = true;
    }
    for (uint32_t r = 0; r < routers->nrouters; r++) {
        struct spare now = {r, UINT32_MAX, 0};

        if (taken[r] ||
            routers->first[r + 1] - routers->first[r] < selection->per_router)
            continue;
        for (size_t i = 0; i < nbox; i++) {
            uint32_t hops = routers_hops(routers, r, box[i]);

            now.nearest = hops < now.nearest ? hops : now.nearest;
            now.hops += hops;
        }
        out[n++] = now;
    }
    qsort(out, n, sizeof(*out), compare_spares);
    return n;
}

int select_spare(struct select_choice *choice,
                 const struct selection *selection,
                 uint32_t wanted,
                 const struct routers *routers,
                 struct mapcore_error *err)
{
    uint32_t per = selection->per_router, n = (wanted - 1) / per + 1;
    bool *taken = array_alloc(routers->nrouters, sizeof(*taken), err);
    struct spare *spare = array_alloc(routers->nrouters, sizeof(*spare), err);
    uint32_t *box = array_alloc(routers->nrouters, sizeof(*box), err);
    int error = MAPCORE_ENOMEM;
    size_t have;

    if (!taken || !spare || !box)
        goto out;
    have = list_spares(spare, selection, choice, routers, taken, box);
    if (have < n) {
        error = error_set(err, MAPCORE_ENOENT,
                          "--spare %" PRIu32 ": %zu nodes are left", wanted,
                          have * per);
        goto out;
    }
    choice->spare = array_alloc((size_t)n * per, sizeof(*choice->spare), err);
    if (!choice->spare)
        goto out;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < per; k++)
            choice->spare[choice->nspare++] =
                routers->node[routers->first[spare[i].router] + k];
    error = 0;
out:
    free(box);
    free(taken);
    free(spare);
    return error;
}

void select_clear(struct selection *selection)
{
    for (size_t i = 0; i < selection->n; i++) {
        free(selection->choice[i].node);
        free(selection->choice[i].spare);
    }
    free(selection->choice);
    *selection = (struct selection){0};
}
