/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bucket.h - items by owner, by a counting sort */
#ifndef MAPCORE_BASE_BUCKET_H
#define MAPCORE_BASE_BUCKET_H

#include <stdint.h>

/* Lists the items 0 .. n-1 by owner: those of owner k are item[first[k]] ..
 * item[first[k + 1] - 1], ascending. first: [nowners + 1], whatever is in it;
 * item: [n]; owner: [n], each below nowners. Time and memory touched: n +
 * nowners. */
void bucket_items(uint32_t *first,
                  uint32_t *item,
                  const uint32_t *owner,
                  uint32_t n,
                  uint32_t nowners);

/* first[nowners + 1] alone, for callers that know the order inside. */
void bucket_starts(uint32_t *first,
                   const uint32_t *owner,
                   uint32_t n,
                   uint32_t nowners);

/* first[nowners + 1] from numbers of items, first[k] of owner k, to where each
 * owner's items end. Who then takes the items from the last to the first, each
 * to --first[its owner], has them in order, and in first where they start. For
 * owners that stand in no array. */
void bucket_ends(uint32_t *first, uint32_t nowners);

#endif
