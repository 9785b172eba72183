/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bucket.c - items by owner, by a counting sort */
#include "config.h"

#include "base/bucket.h"

#include <stddef.h>
#include <string.h>

void bucket_ends(uint32_t *first, uint32_t nowners)
{
    uint32_t sum = 0;

    for (uint32_t k = 0; k < nowners; k++)
        first[k] = sum += first[k];
    first[nowners] = sum;
}

static void count(uint32_t *first,
                  const uint32_t *owner,
                  uint32_t n,
                  uint32_t nowners)
{
    memset(first, 0, nowners * sizeof(*first));
    for (uint32_t i = 0; i < n; i++)
        first[owner[i]]++;
}

void bucket_items(uint32_t *first,
                  uint32_t *item,
                  const uint32_t *owner,
                  uint32_t n,
                  uint32_t nowners)
{
    count(first, owner, n, nowners);
    bucket_ends(first, nowners);
    for (uint32_t i = n; i-- > 0;)
        item[--first[owner[i]]] = i;
}

void bucket_starts(uint32_t *first,
                   const uint32_t *owner,
                   uint32_t n,
                   uint32_t nowners)
{
    uint32_t sum = 0;

    count(first, owner, n, nowners);
    for (uint32_t k = 0; k < nowners; k++) {
        uint32_t items = first[k];

        first[k] = sum;
        sum += items;
    }
    first[nowners] = sum;
}
