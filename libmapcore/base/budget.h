/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* budget.h - how many more of something may be kept, counted by threads
 * together */
#ifndef MAPCORE_BASE_BUDGET_H
#define MAPCORE_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Takes one of what is left; false when nothing is. */
static inline bool budget_take(atomic_size_t *budget)
{
    size_t left = atomic_load(budget);

    while (left > 0)
        if (atomic_compare_exchange_weak(budget, &left, left - 1))
            return true;
    return false;
}

static inline void budget_give_back(atomic_size_t *budget)
{
    atomic_fetch_add(budget, 1);
}

#endif
