/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dims_counts.c - counts where the least sum and the least difference of the
 * factors choose differently, as slide 21 of Niethammer and Rabenseifner does:
 * for n = 2 .. LIMIT and 2 to 10 dimensions, "same better": how often the
 * choice has the same sum and difference but another largest factor, and how
 * often it has a smaller sum. Not a test by itself: it takes minutes. */
#include "config.h"

#include "base/text.h"
#include "cart/dims.h"
#include "cart/divisors.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MOST_DIMS 10

/* The older criterion: the least difference of the largest and the smallest
 * factor. The slides do not say how it breaks ties: of ten rules that were
 * tried, one gives all the examples that they name and both of their counts:
 * the largest last factor, then the largest last but one, and so on. */
struct older {
    uint32_t ndims;
    struct divisors divisors;
    uint32_t now[MOST_DIMS], best[MOST_DIMS];
    uint32_t delta;
    bool found;
};

static uint64_t sum_of(const uint32_t *n, uint32_t ndims)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < ndims; i++)
        sum += n[i];
    return sum;
}

/* Whether a is the larger one, read from the last factor. */
static bool is_larger(const uint32_t *a, const uint32_t *b, uint32_t ndims)
{
    for (uint32_t i = ndims; i-- > 0;)
        if (a[i] != b[i])
            return a[i] > b[i];
    return false;
}

static void settle(struct older *older)
{
    uint32_t delta = older->now[0] - older->now[older->ndims - 1];

    if (older->found && (delta > older->delta ||
                         (delta == older->delta &&
                          !is_larger(older->now, older->best, older->ndims))))
        return;
    older->found = true;
    older->delta = delta;
    memcpy(older->best, older->now, sizeof(older->best));
}

/* n^k, or something above rest. */
static uint64_t power(uint64_t n, uint32_t k, uint64_t rest)
{
    uint64_t product = 1;

    for (uint32_t i = 0; i < k && product <= rest; i++)
        product *= n;
    return product;
}

static void descend(struct older *older,
                    uint32_t i,
                    uint32_t rest,
                    uint32_t last)
{
    uint32_t left = older->ndims - i;

    if (left == 0) {
        settle(older);
        return;
    }
    for (uint32_t k = 0; k < older->divisors.n; k++) {
        uint32_t n = older->divisors.divisor[k], least = 1;

        if (n > last || n > rest)
            break;
        if (rest % n != 0 || power(n, left, rest) < rest)
            continue;
        older->now[i] = n;
        if (older->found && older->now[0] > older->delta)
            least = older->now[0] - older->delta;
        if (n < least || power(least, left - 1, rest / n) > rest / n)
            continue;
        descend(older, i + 1, rest / n, n);
    }
}

int main(int argc, char **argv)
{
    uint64_t same = 0, better = 0, limit;
    struct older older;

    if (argc != 2 || !text_parse_u64(argv[1], &limit) || limit > INT32_MAX)
        return 2;
    for (older.ndims = 2; older.ndims <= MOST_DIMS; older.ndims++)
        for (uint32_t n = 2; n <= limit; n++) {
            uint32_t dims[MOST_DIMS];
            uint64_t least, sum;

            divisors_of(&older.divisors, n);
            older.found = false;
            memset(older.now, 0, sizeof(older.now));
            descend(&older, 0, n, n);
            if (mapcore_dims_solve(dims, NULL,
                                   &(struct mapcore_dims){.nlevels = 1,
                                                          .counts = &n,
                                                          .ndims = older.ndims},
                                   NULL) < 0)
                return 1;
            least = sum_of(dims, older.ndims);
            sum = sum_of(older.best, older.ndims);
            if (least < sum)
                better++;
            else if (memcmp(dims, older.best, older.ndims * sizeof(*dims)) != 0)
                same++;
        }
    printf("%llu %llu\n", (unsigned long long)same, (unsigned long long)better);
    return 0;
}
