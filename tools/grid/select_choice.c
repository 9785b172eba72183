/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_choice.c - choices of nodes: measured, the best kept, and nodes near
 * one to spare for those that fail */
#include "config.h"

#include "tools/grid/select.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

int select_measure(struct select_paths *out,
                   struct selection *selection,
                   const struct mapcore_blocks *layout,
                   const uint32_t *router)
{
    struct torus_loads *loads = &selection->loads;
    struct mapcore_blocks_pair *pair;
    size_t n;
    int error = mapcore_blocks_pairs(&pair, &n, layout, selection->err);

    if (error < 0)
        return error;
    *out = (struct select_paths){.longest = 0};
    for (size_t k = 0; k < n; k++) {
        uint32_t a = router[pair[k].a], b = router[pair[k].b];
        uint32_t hops = torus_loads_hops(loads, a, b);

        out->hops += hops;
        out->apart += hops > 0;
        out->longest = hops > out->longest ? hops : out->longest;
        out->hop_bytes += hops * pair[k].bytes;
        torus_loads_add(loads, a, b, pair[k].bytes);
    }
    out->slowest = loads->slowest;
    torus_loads_reset(loads);
    free(pair);
    return 0;
}

/* Bytes between all tasks. */
static double sum_bytes(const struct mapcore_blocks *layout)
{
    double bytes = 0;

    for (uint32_t i = 0; i < layout->ndims; i++) {
        double pairs = layout->grid[i] -
                       (layout->periodic[i] && layout->grid[i] > 2 ? 0.0 : 1.0);

        for (uint32_t k = 0; k < layout->ndims; k++)
            if (k != i)
                pairs *= layout->grid[k];
        bytes += layout->weight[i] * pairs;
    }
    return bytes;
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

/* Among the best, in order; takes its nodes over in any case. */
static int insert(struct selection *selection,
                  const struct select_choice *choice)
{
    size_t at = selection->n;

    if (!selection->choice)
        selection->choice = array_alloc(
            selection->best, sizeof(*selection->choice), selection->err);
    while (at > 0 && better(choice, &selection->choice[at - 1]))
        at--;
    if (!selection->choice || at == selection->best) {
        free(choice->node);
        return selection->choice ? 0 : MAPCORE_ENOMEM;
    }
    if (selection->n == selection->best)
        free(selection->choice[--selection->n].node);
    memmove(&selection->choice[at + 1], &selection->choice[at],
            (selection->n - at) * sizeof(*choice));
    selection->choice[at] = *choice;
    selection->n++;
    return 0;
}

int select_keep(struct selection *selection,
                struct select_choice choice,
                const uint32_t *node)
{
    const struct mapcore_blocks *layout = &selection->node;
    uint32_t n = selection->nplaces;
    uint32_t *place = array_alloc(n, sizeof(*place), selection->err);
    /* Places are nodes, and those of a router a block of them. */
    struct mapcore_blocks places = {.ndims = layout->ndims,
                                    .first_fastest = layout->first_fastest};
    struct select_paths paths;
    double bytes = sum_bytes(layout);
    int error = MAPCORE_ENOMEM;

    choice.prism.router = NULL;
    choice.node = array_alloc(n, sizeof(*choice.node), selection->err);
    if (!place || !choice.node)
        goto out;
    for (uint32_t i = 0; i < layout->ndims; i++) {
        places.grid[i] = mapcore_blocks_along(layout, i);
        places.block[i] = i == selection->split ? selection->per_router : 1;
    }
    mapcore_blocks_order(place, &places);
    for (uint32_t i = 0; i < n; i++)
        choice.node[place[i]] = node[i];
    for (uint32_t i = 0; i < n; i++)
        place[i] = selection->routers->router[choice.node[i]];
    if ((error = select_measure(&paths, selection, layout, place)) < 0)
        goto out;
    choice.longest = paths.longest;
    choice.slowest = paths.slowest;
    choice.mean =
        paths.apart > 0 ? (double)paths.hops / (double)paths.apart : 0;
    choice.hops_per_byte = bytes > 0 ? paths.hop_bytes / bytes : 0;
    error = insert(selection, &choice);
    choice.node = NULL;
out:
    free(place);
    free(choice.node);
    return error;
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

/* The routers that the choice has not, with enough nodes, nearest first. box:
 * [nrouters], scratch. */
static uint32_t list_spares(struct spare *out,
                            const struct selection *selection,
                            const struct select_choice *choice,
                            bool *taken,
                            uint32_t *box)
{
    uint32_t n = 0, nbox = 0;

    for (uint32_t i = 0; i < selection->nplaces; i++) {
        uint32_t r = selection->routers->router[choice->node[i]];

        if (!taken[r])
            box[nbox++] = r;
        taken[r] = true;
    }
    for (uint32_t r = 0; r < selection->routers->nrouters; r++) {
        struct spare now = {r, UINT32_MAX, 0};

        for (uint32_t i = 0; !taken[r] && selection->usable[r] && i < nbox;
             i++) {
            uint32_t hops = torus_loads_hops(&selection->loads, r, box[i]);

            now.nearest = hops < now.nearest ? hops : now.nearest;
            now.hops += hops;
        }
        if (now.nearest < UINT32_MAX)
            out[n++] = now;
    }
    qsort(out, n, sizeof(*out), compare_spares);
    return n;
}

int select_spare(struct select_choice *choice,
                 const struct selection *selection)
{
    const struct routers *routers = selection->routers;
    uint32_t per = selection->per_router, n = (selection->spare - 1) / per + 1;
    struct arena arena = {.err = selection->err};
    bool *taken = arena_alloc(&arena, routers->nrouters, sizeof(*taken));
    struct spare *spare =
        arena_alloc(&arena, routers->nrouters, sizeof(*spare));
    uint32_t *box = arena_alloc(&arena, routers->nrouters, sizeof(*box));
    uint32_t *node = NULL, have;
    int error = arena.error;

    if (error < 0)
        goto out;
    have = list_spares(spare, selection, choice, taken, box);
    if (have < n)
        error = error_set(selection->err, MAPCORE_ENOENT,
                          "--spare %u: %zu nodes are left", selection->spare,
                          (size_t)have * per);
    else if (!(node = array_alloc(selection->nplaces + (size_t)n * per,
                                  sizeof(*node), selection->err)))
        error = MAPCORE_ENOMEM;
    if (error < 0)
        goto out;
    memcpy(node, choice->node, selection->nplaces * sizeof(*node));
    for (uint32_t i = 0; i < n * per; i++)
        node[selection->nplaces + i] =
            routers->node[routers->first[spare[i / per].router] + i % per];
    free(choice->node);
    choice->node = node;
    choice->nspare = n * per;
out:
    arena_clear(&arena);
    return error;
}
