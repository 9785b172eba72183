/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bucket.h - items by owner, by a counting sort */
#ifndef MAPCORE_BASE_BUCKET_H
#define MAPCORE_BASE_BUCKET_H

#include <stddef.h>
#include <stdint.h>

/* first[nowners + 1] from numbers of items, first[k] of owner k, to where each
 * owner's items end. Who then takes the items from the last to the first, each
 * to --first[its owner], has them in order, and in first where they start. For
 * owners that stand in no array. */
static inline void bucket_ends(uint32_t *first, uint32_t nowners)
{
    uint32_t sum = 0;

    for (uint32_t k = 0; k < nowners; k++)
        first[k] = sum += first[k];
    first[nowners] = sum;
}

/* first[k]: how many items owner k has. */
static inline void bucket_count(uint32_t *first,
                                const uint32_t *owner,
                                uint32_t n,
                                uint32_t nowners)
{
    for (uint32_t k = 0; k < nowners; k++)
        first[k] = 0;
    for (uint32_t i = 0; i < n; i++)
        first[owner[i]]++;
}

/* Lists the items 0 .. n-1 by owner: those of owner k are item[first[k]] ..
 * item[first[k + 1] - 1], ascending. first: [nowners + 1], with any content;
 * item: [n]; owner: [n], each below nowners. Time and memory touched: n +
 * nowners. */
static inline void bucket_items(uint32_t *first,
                                uint32_t *item,
                                const uint32_t *owner,
                                uint32_t n,
                                uint32_t nowners)
{
    bucket_count(first, owner, n, nowners);
    bucket_ends(first, nowners);
    for (uint32_t i = n; i-- > 0;)
        item[--first[owner[i]]] = i;
}

/* first[nowners + 1] alone, for callers that know the order inside. */
static inline void bucket_starts(uint32_t *first,
                                 const uint32_t *owner,
                                 uint32_t n,
                                 uint32_t nowners)
{
    uint32_t sum = 0;

    bucket_count(first, owner, n, nowners);
    for (uint32_t k = 0; k < nowners; k++) {
        uint32_t items = first[k];

        first[k] = sum;
        sum += items;
    }
    first[nowners] = sum;
}

#endif
