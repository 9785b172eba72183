/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_spare.c - nodes near a choice that are kept for those that fail */
#include "config.h"

#include "tools/grid/select.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdlib.h>

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
