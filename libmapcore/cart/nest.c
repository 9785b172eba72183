/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nest.c - cells of a grid that is cut up level by level */
#include "config.h"

#include "cart/nest.h"

uint32_t mapcore_dims_cell(uint32_t position,
                           uint32_t nlevels,
                           const uint32_t *counts,
                           uint32_t ndims,
                           const uint32_t *dims)
{
    uint32_t cell = 0, cells = 1;

    /* The last dimension first: it has the smallest stride. */
    for (uint32_t i = ndims; i-- > 0;) {
        uint32_t rest = position, coordinate = 0, stride = 1;

        /* The innermost level first, for the same reason. */
        for (uint32_t l = nlevels; l-- > 0;) {
            const uint32_t *n = dims + (size_t)l * ndims;
            uint32_t piece = rest % counts[l];

            rest /= counts[l];
            for (uint32_t k = ndims; k-- > i + 1;)
                piece /= n[k];
            coordinate += piece % n[i] * stride;
            stride *= n[i];
        }
        cell += coordinate * cells;
        cells *= stride;
    }
    return cell;
}
