/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sets.h - disjoint sets (union-find) */
#ifndef MAPCORE_BASE_SETS_H
#define MAPCORE_BASE_SETS_H

#include <stdint.h>

/* parent[n]; every element is alone at first. */
static inline void sets_init(uint32_t *parent, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        parent[i] = i;
}

/* The element that stands for i's set; halves the paths. */
static inline uint32_t sets_find(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* The lower one stands for both, so that the result depends on no order. */
static inline void sets_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = sets_find(parent, a);
    b = sets_find(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

/* Numbers the sets 0, 1, ... by their lowest elements into number[n]; returns
 * how many there are. */
static inline uint32_t sets_number(uint32_t *number,
                                   uint32_t *parent,
                                   uint32_t n)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t root = sets_find(parent, i);

        number[i] = root == i ? count++ : number[root];
    }
    return count;
}

#endif
