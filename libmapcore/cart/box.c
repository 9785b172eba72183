/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* box.c - the widest gap of each ring is left out */
#include "config.h"

#include "cart/box.h"

#include "base/array.h"

#include <stdbool.h>
#include <stdlib.h>

/* Along one axis: of a ring all but the widest gap. sorted: [n], changed. */
static void span(uint32_t *first,
                 uint32_t *extent,
                 uint32_t *sorted,
                 uint32_t n,
                 uint32_t ring)
{
    uint32_t widest;
    bool inside = false;

    array_sort_u32(sorted, n);
    *first = sorted[0];
    *extent = sorted[n - 1] - sorted[0] + 1;
    if (ring <= sorted[n - 1])
        return;
    widest = ring - *extent;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t gap = sorted[i] - sorted[i - 1];

        if (gap > widest + 1 || (gap == widest + 1 && gap > 1 && !inside)) {
            inside = true;
            widest = gap - 1;
            *first = sorted[i];
            *extent = ring - widest;
        }
    }
}

int box_around(uint32_t (*at)[3],
               uint32_t extent[3],
               uint32_t n,
               const uint32_t ring[3],
               struct mapcore_error *err)
{
    uint32_t *sorted = array_alloc(n, sizeof(*sorted), err);

    if (!sorted)
        return MAPCORE_ENOMEM;
    for (int i = 0; i < 3; i++) {
        uint32_t low;

        for (uint32_t k = 0; k < n; k++)
            sorted[k] = at[k][i];
        span(&low, &extent[i], sorted, n, ring[i]);
        for (uint32_t k = 0; k < n; k++)
            at[k][i] += at[k][i] < low ? ring[i] - low : 0 - low;
    }
    free(sorted);
    return 0;
}
