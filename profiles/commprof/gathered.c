/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gathered.c - adds up what tasks have counted */
#include "config.h"

#include "commprof/gathered.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void gathered_clear(struct gathered *all)
{
    free(all->use);
    free(all->kept);
    messages_clear(&all->messages);
    memset(all, 0, sizeof(*all));
}

int gathered_add_uses(struct gathered *all, const struct use *use, size_t n)
{
    struct use *both = array_alloc(all->nuses + n, sizeof(*both), NULL);
    size_t last = 0, total = all->nuses + n;

    if (!both)
        return MAPCORE_ENOMEM;
    if (all->nuses > 0)
        memcpy(both, all->use, all->nuses * sizeof(*both));
    if (n > 0)
        memcpy(both + all->nuses, use, n * sizeof(*both));
    qsort(both, total, sizeof(*both), use_compare);
    for (size_t i = 1; i < total; i++)
        if (use_compare(&both[last], &both[i]) == 0)
            use_add(&both[last], &both[i]);
        else
            both[++last] = both[i];
    free(all->use);
    all->use = both;
    all->nuses = total > 0 ? last + 1 : 0;
    return 0;
}

int gathered_add_kept(struct gathered *all, const uint32_t *kept, size_t n)
{
    if (n > KEPT_MOST - all->nkept) {
        all->kept_lost++;
        return 0;
    }
    if (n == 0)
        return 0;
    uint32_t *both = array_alloc(all->nkept + n, sizeof(*both), NULL);
    if (!both)
        return MAPCORE_ENOMEM;
    if (all->nkept > 0)
        memcpy(both, all->kept, all->nkept * sizeof(*both));
    memcpy(both + all->nkept, kept, n * sizeof(*both));
    free(all->kept);
    all->kept = both;
    all->nkept += n;
    return 0;
}
