/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_rules.c - dimensions of a grid from a number of tasks, as MPI libraries
 * and programs make them */
#include "config.h"

#include "grid/predict/grid_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PRIMES 32

static int descending(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? 1 : *x > *y ? -1 : 0;
}

static void create_openmpi(uint32_t *dims, uint32_t ndims, uint32_t rest)
{
    uint32_t prime[MOST_PRIMES], n = 0;

    for (uint32_t p = 2; p <= rest / p; p++)
        for (; rest % p == 0; rest /= p)
            prime[n++] = p;
    if (rest > 1)
        prime[n++] = rest;
    for (uint32_t i = 0; i < ndims; i++)
        dims[i] = 1;
    while (n-- > 0) {
        uint32_t least = 0;

        for (uint32_t i = 1; i < ndims; i++)
            if (dims[i] < dims[least])
                least = i;
        dims[least] *= prime[n];
    }
    qsort(dims, ndims, sizeof(*dims), descending);
}

struct balance {
    uint32_t ndims;
    uint32_t now[MAPCORE_GRID_MAX_DIMS], best[MAPCORE_GRID_MAX_DIMS];
    uint32_t delta, sum; /* of the best */
};

static void balance_settle(struct balance *balance)
{
    uint32_t sum = 0;
    uint32_t delta = balance->now[0] - balance->now[balance->ndims - 1];

    for (uint32_t i = 0; i < balance->ndims; i++)
        sum += balance->now[i];
    /* Of the same difference, the largest goes with the largest smallest. */
    if (delta < balance->delta ||
        (delta == balance->delta &&
         (balance->now[0] > balance->best[0] ||
          (balance->now[0] == balance->best[0] && sum < balance->sum)))) {
        balance->delta = delta;
        balance->sum = sum;
        memcpy(balance->best, balance->now, sizeof(balance->best));
    }
}

/* The largest of left numbers with this product is at least this. */
static uint32_t least_largest(uint32_t rest, uint32_t left)
{
    uint32_t low = 1, high = rest;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t power = 1;

        for (uint32_t i = 0; i < left && power < rest; i++)
            power *= middle;
        if (power >= rest)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Dimension i and those behind it share rest, none larger than most. The
 * largest of all, now[0], and the best so far bound the rest from below. */
static void balance_descend(struct balance *balance,
                            uint32_t i,
                            uint32_t rest,
                            uint32_t most)
{
    uint32_t left = balance->ndims - i, low;

    if (left == 1) {
        if (rest <= most) {
            balance->now[i] = rest;
            balance_settle(balance);
        }
        return;
    }
    low = least_largest(rest, left);
    for (uint32_t n = low; n <= most && n <= rest; n++) {
        /* The smallest is at most the mean, which low is not below. */
        if (i == 0 && n - low > balance->delta)
            break;
        if (rest % n != 0 ||
            (i > 0 && balance->now[0] > n + (uint64_t)balance->delta))
            continue;
        balance->now[i] = n;
        balance_descend(balance, i + 1, rest / n, n);
    }
}

static void create_mpich(uint32_t *dims, uint32_t ndims, uint32_t ntasks)
{
    struct balance balance = {
        .ndims = ndims, .delta = UINT32_MAX, .sum = UINT32_MAX};

    balance_descend(&balance, 0, ntasks, ntasks);
    memcpy(dims, balance.best, ndims * sizeof(*dims));
}

void grid_dims_create(uint32_t *dims,
                      uint32_t ndims,
                      uint32_t ntasks,
                      enum mapcore_scale_mpi mpi)
{
    if (mpi == MAPCORE_SCALE_OPENMPI)
        create_openmpi(dims, ndims, ntasks);
    else
        create_mpich(dims, ndims, ntasks);
}

static bool apply_balanced(uint32_t *dims,
                           const struct grid_rule *rule,
                           uint32_t ntasks)
{
    uint32_t made[MAPCORE_GRID_MAX_DIMS], free_dims = 0, next = 0;

    for (uint32_t i = 0; i < rule->ndims; i++) {
        if (rule->fixed[i] == 0) {
            free_dims++;
            continue;
        }
        if (ntasks % rule->fixed[i] != 0)
            return false;
        ntasks /= rule->fixed[i];
    }
    if (free_dims == 0)
        return false;
    grid_dims_create(made, free_dims, ntasks, rule->mpi);
    for (uint32_t i = 0; i < rule->ndims; i++) {
        dims[i] = rule->fixed[i];
        if (dims[i] == 0) {
            dims[i] =
                made[rule->largest_is_fastest ? next : free_dims - 1 - next];
            next++;
        }
    }
    return true;
}

static bool apply_aspect(uint32_t *dims,
                         const struct grid_rule *rule,
                         uint32_t ntasks)
{
    for (uint32_t m = 1;; m++) {
        uint64_t product = 1;

        for (uint32_t i = 0; i < rule->ndims && product <= ntasks; i++) {
            uint64_t d = (uint64_t)rule->aspect[i] * m;

            product *= d;
            dims[i] = (uint32_t)d;
        }
        if (product == ntasks)
            return true;
        if (product > ntasks)
            return false;
    }
}

bool grid_rule_apply(uint32_t *dims,
                     const struct grid_rule *rule,
                     uint32_t ntasks)
{
    return rule->kind == GRID_RULE_ASPECT ? apply_aspect(dims, rule, ntasks)
                                          : apply_balanced(dims, rule, ntasks);
}

static void set_aspect(struct grid_rule *rule, const uint32_t *dims)
{
    uint32_t common = 0;

    for (uint32_t i = 0; i < rule->ndims; i++)
        for (uint32_t d = dims[i]; d != 0;) {
            uint32_t rest = common % d;

            common = d;
            d = rest;
        }
    for (uint32_t i = 0; i < rule->ndims; i++)
        rule->aspect[i] = dims[i] / common;
}

bool grid_rule_get(struct grid_rule *out,
                   uint32_t i,
                   uint32_t most,
                   uint32_t ndims,
                   const uint32_t *dims,
                   enum mapcore_scale_mpi mpi)
{
    uint32_t which = i / GRID_RULES_BALANCED;

    if (i >= most)
        return false;
    memset(out, 0, sizeof(*out));
    out->ndims = ndims;
    out->largest_is_fastest = i / 2 % 2 != 0;
    /* The recorded library first. */
    out->mpi = (i % 2 == 0) == (mpi == MAPCORE_SCALE_OPENMPI)
                   ? MAPCORE_SCALE_OPENMPI
                   : MAPCORE_SCALE_MPICH;
    if (which == 0)
        return true;
    if (ndims < 2 || which > ndims + 1)
        return false;
    if (which <= ndims) {
        out->fixed[which - 1] = dims[which - 1];
        return true;
    }
    out->kind = GRID_RULE_ASPECT;
    set_aspect(out, dims);
    return i % GRID_RULES_BALANCED == 0;
}

int grid_rule_describe(const struct grid_rule *rule, char *buffer, size_t size)
{
    uint32_t fixed = 0;

    if (rule->kind == GRID_RULE_ASPECT)
        return snprintf(buffer, size, "a fixed aspect");
    while (fixed < rule->ndims && rule->fixed[fixed] == 0)
        fixed++;
    if (fixed < rule->ndims)
        return snprintf(buffer, size, "one dimension of %u, MPI_Dims_create",
                        rule->fixed[fixed]);
    return snprintf(buffer, size, "%s%s", "MPI_Dims_create",
                    rule->largest_is_fastest && rule->ndims > 1 ? ", reversed"
                                                                : "");
}
