/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* critical.c - the critical types C*, from the times of all types alone */
#include "config.h"

#include "graph/critical.h"

#include "base/error_set.h"

#include <math.h>

/* What sums of decimal fractions may lack: 0.6 + 0.3 is a share of 0.9. */
static const double ROUNDING = 1e-12;

static int check(const double *seconds,
                 size_t n,
                 double share,
                 struct mapcore_error *err)
{
    if (!(share > 0 && share <= 1))
        return error_set(err, MAPCORE_EINVAL,
                         "a share of %g: it must be above 0 and at most 1",
                         share);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(seconds[i]) || seconds[i] < 0)
            return error_set(err, MAPCORE_EINVAL,
                             "type %zu: %g is no time in seconds", i,
                             seconds[i]);
    return 0;
}

/* The heaviest type that is neither large nor taken; n when there is none. */
static size_t find_heaviest(const bool *critical,
                            const double *seconds,
                            const bool *is_large,
                            size_t n)
{
    size_t best = n;

    for (size_t i = 0; i < n; i++)
        if (!is_large[i] && !critical[i] &&
            (best == n || seconds[i] > seconds[best]))
            best = i;
    return best;
}

int mapcore_critical_select(bool *critical,
                            const double *seconds,
                            const bool *is_large,
                            size_t n,
                            double share,
                            struct mapcore_error *err)
{
    double total = 0, taken = 0;
    int error = check(seconds, n, share, err);

    if (error < 0)
        return error;
    for (size_t i = 0; i < n; i++) {
        critical[i] = false;
        if (!is_large[i])
            total += seconds[i];
    }
    /* Sums of finite times may not be. */
    if (!isfinite(total))
        return error_set(err, MAPCORE_EINVAL,
                         "the times of all types add up to infinity");
    for (;;) {
        size_t i = find_heaviest(critical, seconds, is_large, n);

        if (i == n || (total > 0 && taken >= share * total * (1 - ROUNDING)))
            return 0;
        critical[i] = true;
        taken += seconds[i];
    }
}
