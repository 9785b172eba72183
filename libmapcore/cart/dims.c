/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dims.c - weighted, multi-level dims of Niethammer and Rabenseifner, and their
 * renumbering of ranks */
#include "config.h"

#include "cart/dims.h"

#include "base/error_set.h"
#include "cart/divisors.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Sums this close to each other are the same. */
static const double SAME = 1e-12;

/* By what factorizations are ordered, the most important one first. */
struct dims_key {
    double cost[2];
    uint32_t delta, largest;
};

/* One level: dimensions in ascending order of a_i, factors descending, unless
 * limits ask for every order. */
struct level {
    uint32_t ndims;
    enum mapcore_exchange exchange;
    double a[MAPCORE_DIMS_MAX];
    double product[MAPCORE_DIMS_MAX + 1]; /* of a[i] .. a[ndims - 1] */
    /* With free_order: what a factor may be at most, divides (0: anything), and
     * is (0: anything). */
    double limit[MAPCORE_DIMS_MAX];
    uint32_t left[MAPCORE_DIMS_MAX], exact[MAPCORE_DIMS_MAX];
    bool free_order;
    struct divisors divisors;
    uint32_t now[MAPCORE_DIMS_MAX], best[MAPCORE_DIMS_MAX];
    struct dims_key best_key;
    bool found;
};

static bool less(const struct dims_key *x, const struct dims_key *y)
{
    for (int i = 0; i < 2; i++) {
        double slack = SAME * fabs(y->cost[i]);

        if (x->cost[i] < y->cost[i] - slack)
            return true;
        if (x->cost[i] > y->cost[i] + slack)
            return false;
    }
    if (x->delta != y->delta)
        return x->delta < y->delta;
    return x->largest < y->largest;
}

static void settle(struct level *level)
{
    double sum = 0, most = 0;
    uint32_t largest = 0, smallest = UINT32_MAX;
    struct dims_key key;

    for (uint32_t i = 0; i < level->ndims; i++) {
        double time = level->a[i] * level->now[i];

        sum += time;
        most = time > most ? time : most;
        largest = level->now[i] > largest ? level->now[i] : largest;
        smallest = level->now[i] < smallest ? level->now[i] : smallest;
    }
    key.cost[0] = level->exchange == MAPCORE_EXCHANGE_TOGETHER ? most : sum;
    key.cost[1] = sum;
    key.delta = largest - smallest;
    key.largest = largest;
    if (level->found && !less(&key, &level->best_key))
        return;
    level->found = true;
    level->best_key = key;
    memcpy(level->best, level->now, sizeof(level->best));
}

/* What the dimensions from i on cost at least when they share rest: no numbers
 * of that product have a smaller sum, or maximum, than equal ones. */
static double bound(const struct level *level, uint32_t i, uint32_t rest)
{
    uint32_t left = level->ndims - i;
    double mean;

    if (left == 0)
        return 0;
    mean = pow(level->product[i] * rest, 1.0 / left);
    return level->exchange == MAPCORE_EXCHANGE_TOGETHER ? mean : left * mean;
}

static bool hopeless(const struct level *level,
                     uint32_t i,
                     uint32_t rest,
                     double cost)
{
    double least = bound(level, i, rest);

    if (!level->found)
        return false;
    if (level->exchange == MAPCORE_EXCHANGE_TOGETHER)
        least = cost > least ? cost : least;
    else
        least += cost;
    return least > level->best_key.cost[0] * (1 + 1e-9);
}

/* Whether left factors of at most n can make rest. */
static bool reaches(uint32_t n, uint32_t left, uint32_t rest)
{
    uint64_t most = 1;

    for (uint32_t i = 0; i < left && most < rest; i++)
        most *= n;
    return most >= rest;
}

static bool may_be(const struct level *level, uint32_t i, uint32_t n)
{
    if (!level->free_order)
        return true;
    return n <= level->limit[i] &&
           (level->left[i] == 0 || level->left[i] % n == 0) &&
           (level->exact[i] == 0 || level->exact[i] == n);
}

static void descend(struct level *level,
                    uint32_t i,
                    uint32_t rest,
                    uint32_t last,
                    double cost)
{
    const struct divisors *divisors = &level->divisors;

    if (i == level->ndims) {
        if (rest == 1)
            settle(level);
        return;
    }
    for (uint32_t k = 0; k < divisors->n; k++) {
        uint32_t n = divisors->divisor[k];
        double time = level->a[i] * n, now;

        if (n > rest || (!level->free_order && n > last))
            break;
        if (rest % n != 0 || !may_be(level, i, n) ||
            (!level->free_order && !reaches(n, level->ndims - i, rest)))
            continue;
        if (level->exchange == MAPCORE_EXCHANGE_TOGETHER)
            now = time > cost ? time : cost;
        else
            now = cost + time;
        if (hopeless(level, i + 1, rest / n, now))
            continue;
        level->now[i] = n;
        descend(level, i + 1, rest / n, n, now);
    }
}

/* order[i]: the dimension with the i-th smallest a. */
static void sort(uint32_t *order, const double *a, uint32_t ndims)
{
    for (uint32_t i = 0; i < ndims; i++) {
        uint32_t k = i;

        for (; k > 0 && a[order[k - 1]] > a[i] * (1 + SAME); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

/* What a level is asked, by dimension. */
struct demand {
    uint32_t count;
    double a[MAPCORE_DIMS_MAX];
    double limit[MAPCORE_DIMS_MAX];  /* most pieces there may be */
    uint32_t left[MAPCORE_DIMS_MAX]; /* what the pieces must divide, or 0 */
    bool last;                       /* they must be all of it */
};

static bool meets(const struct demand *demand, uint32_t i, uint32_t n)
{
    return n <= demand->limit[i] &&
           (demand->left[i] == 0 || demand->left[i] % n == 0) &&
           (demand->left[i] == 0 || !demand->last || demand->left[i] == n);
}

/* Factors of the count into dims[ndims]. The paper's search comes first; where
 * its answer is not allowed, every order of factors is tried. */
static int solve_level(uint32_t *dims,
                       double *sum,
                       struct level *level,
                       const struct demand *demand,
                       struct mapcore_error *err)
{
    uint32_t order[MAPCORE_DIMS_MAX], count = demand->count;
    bool fits = true;

    sort(order, demand->a, level->ndims);
    level->found = false;
    level->product[level->ndims] = 1;
    for (uint32_t i = level->ndims; i-- > 0;) {
        uint32_t d = order[i];

        level->a[i] = demand->a[d];
        level->limit[i] = demand->limit[d];
        level->left[i] = demand->left[d];
        level->exact[i] = demand->last ? demand->left[d] : 0;
        level->product[i] = level->product[i + 1] * level->a[i];
    }
    divisors_of(&level->divisors, count);
    level->free_order = false;
    descend(level, 0, count, count, 0);
    for (uint32_t i = 0; i < level->ndims; i++)
        fits = fits && meets(demand, order[i], level->best[i]);
    if (!fits) {
        level->found = false;
        level->free_order = true;
        descend(level, 0, count, count, 0);
        if (!level->found)
            return error_set(err, MAPCORE_EINVAL,
                             "%u pieces cannot be made along %u dimensions "
                             "within the extents and fixed dimensions",
                             count, level->ndims);
    }
    for (uint32_t i = 0; i < level->ndims; i++)
        dims[order[i]] = level->best[i];
    *sum = level->best_key.cost[0];
    return 0;
}

/* x[ndims], or NULL, must be numbers above 0. */
static int check_numbers(const double *x,
                         uint32_t ndims,
                         const char *what,
                         struct mapcore_error *err)
{
    for (uint32_t i = 0; x && i < ndims; i++)
        if (!(x[i] > 0) || isinf(x[i]))
            return error_set(err, MAPCORE_EINVAL,
                             "%s of dimension %u is %g, but must be above 0",
                             what, i + 1, x[i]);
    return 0;
}

static int check(const struct mapcore_dims *problem, struct mapcore_error *err)
{
    uint32_t product = 1;
    int error;

    if (problem->ndims < 1 || problem->ndims > MAPCORE_DIMS_MAX)
        return error_set(err, MAPCORE_EINVAL,
                         "%u dimensions: there may be 1 to %d", problem->ndims,
                         MAPCORE_DIMS_MAX);
    if (problem->nlevels < 1)
        return error_set(err, MAPCORE_EINVAL, "no level");
    for (uint32_t l = 0; l < problem->nlevels; l++) {
        if (problem->counts[l] < 1)
            return error_set(err, MAPCORE_EINVAL,
                             "the count of level %u is 0, but must be 1 or "
                             "more",
                             l + 1);
        if (__builtin_mul_overflow(product, problem->counts[l], &product) ||
            product > INT32_MAX)
            return error_set(err, MAPCORE_ERANGE,
                             "the counts of all levels multiply to more than "
                             "%d",
                             INT32_MAX);
    }
    if ((error = check_numbers(problem->extent, problem->ndims, "the extent",
                               err)) < 0 ||
        (error = check_numbers(problem->width, problem->ndims, "the width",
                               err)) < 0 ||
        (error = check_numbers(problem->bandwidth, problem->ndims,
                               "the bandwidth", err)) < 0)
        return error;
    return 0;
}

/* What level l is asked when the levels above have made pieces[ndims]. */
static void demand_of(struct demand *out,
                      const struct mapcore_dims *problem,
                      uint32_t l,
                      const uint32_t *pieces)
{
    out->count = problem->counts[l];
    out->last = l + 1 == problem->nlevels;
    for (uint32_t i = 0; i < problem->ndims; i++) {
        double t = problem->extent ? problem->extent[i] : 1;
        double w = problem->width ? problem->width[i] : 1;

        out->a[i] = w * pieces[i] / t;
        if (l == 0 && problem->bandwidth)
            out->a[i] /= problem->bandwidth[i];
        out->limit[i] = problem->extent ? floor(t / pieces[i]) : INFINITY;
        out->left[i] = problem->fixed ? problem->fixed[i] / pieces[i] : 0;
    }
}

int mapcore_dims_solve(uint32_t *dims,
                       double *sum,
                       const struct mapcore_dims *problem,
                       struct mapcore_error *err)
{
    uint32_t pieces[MAPCORE_DIMS_MAX];
    struct level level = {.ndims = problem->ndims};
    int error;

    if ((error = check(problem, err)) < 0)
        return error;
    for (uint32_t i = 0; i < problem->ndims; i++)
        pieces[i] = 1;
    for (uint32_t l = 0; l < problem->nlevels; l++) {
        uint32_t *n = dims + (size_t)l * problem->ndims;
        struct demand demand;
        double least = 0;

        demand_of(&demand, problem, l, pieces);
        level.exchange =
            l == 0 ? problem->exchange : MAPCORE_EXCHANGE_ONE_BY_ONE;
        if ((error = solve_level(n, &least, &level, &demand, err)) < 0)
            return error;
        if (sum)
            sum[l] = least;
        for (uint32_t i = 0; i < problem->ndims; i++)
            pieces[i] *= n[i];
    }
    return 0;
}

int mapcore_dims_tile(double *shape,
                      double *gain,
                      uint32_t ndims,
                      const double *width,
                      const double *bandwidth,
                      enum mapcore_exchange exchange,
                      struct mapcore_error *err)
{
    double logs = 0, cube = 0, mean;
    int error;

    if (ndims < 1 || ndims > MAPCORE_DIMS_MAX)
        return error_set(err, MAPCORE_EINVAL,
                         "%u dimensions: there may be 1 to %d", ndims,
                         MAPCORE_DIMS_MAX);
    if ((error = check_numbers(width, ndims, "the width", err)) < 0 ||
        (error = check_numbers(bandwidth, ndims, "the bandwidth", err)) < 0)
        return error;
    for (uint32_t i = 0; i < ndims; i++) {
        shape[i] = (width ? width[i] : 1) / (bandwidth ? bandwidth[i] : 1);
        logs += log(shape[i]);
        if (exchange == MAPCORE_EXCHANGE_TOGETHER)
            cube = shape[i] > cube ? shape[i] : cube;
        else
            cube += shape[i] / ndims;
    }
    mean = exp(logs / ndims);
    for (uint32_t i = 0; i < ndims; i++)
        shape[i] /= mean;
    *gain = cube / mean;
    return 0;
}

uint32_t mapcore_dims_renumber(uint32_t position,
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
