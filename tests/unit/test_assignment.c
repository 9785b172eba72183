/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_assignment.c - linear assignment against all there are, and its own
 * proof */
#include "config.h"

#include "mapfixture.h"

#include "map/papers/assignment.h"

static const struct map_deadline never = {NULL, NULL};

static int64_t cost_of(const int64_t *cost, const uint32_t *column, uint32_t n)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += cost[(size_t)i * n + column[i]];
    return sum;
}

static void solve(uint32_t *column,
                  int64_t *price,
                  uint32_t n,
                  const int64_t *cost)
{
    bool timed_out;

    assert_ok(
        assignment_solve(column, &timed_out, price, n, cost, &never, NULL));
    assert_false(timed_out);
    assert_permutation(column, n);
    /* The prices prove the answer. */
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            assert_true(cost[(size_t)i * n + column[i]] - price[column[i]] <=
                        cost[(size_t)i * n + j] - price[j]);
}

static void fill(int64_t *cost, uint32_t n, uint32_t bound, struct rng *rng)
{
    for (size_t i = 0; i < (size_t)n * n; i++)
        cost[i] = (int64_t)rng_below(rng, bound) - bound / 3;
}

static void test_exhaustive(void **state)
{
    static const uint32_t bounds[] = {1, 3, 10, 1000};
    struct rng rng;

    rng_init(&rng, 1, 1, 0);
    for (uint32_t n = 1; n <= 6; n++)
        for (uint32_t round = 0; round < 100; round++) {
            uint32_t column[6], list[6] = {0, 1, 2, 3, 4, 5};
            int64_t cost[36], price[6] = {0}, best = INT64_MAX;

            fill(cost, n, bounds[round % 4], &rng);
            solve(column, price, n, cost);
            do
                if (cost_of(cost, list, n) < best)
                    best = cost_of(cost, list, n);
            while (permute(list, n));
            assert_int_equal(cost_of(cost, column, n), best);
        }
}

/* Larger ones, whose prices prove them, and once more after some costs have
 * changed, from those prices. */
static void test_prices(void **state)
{
    enum { N = 150 };
    static const uint32_t bounds[] = {2, 50, 1 << 30};
    int64_t *cost = calloc((size_t)N * N, sizeof(*cost)), price[N];
    uint32_t column[N];
    struct rng rng;

    assert_non_null(cost);
    rng_init(&rng, 2, 1, 0);
    for (uint32_t round = 0; round < 9; round++) {
        memset(price, 0, sizeof(price));
        fill(cost, N, bounds[round % 3], &rng);
        if (round >= 6)
            for (uint32_t i = 0; i < N; i++)
                for (uint32_t j = 0; j < N; j++)
                    cost[i * N + j] = (int64_t)i * j; /* worst for greed */
        solve(column, price, N, cost);
        for (uint32_t k = 0; k < N; k++)
            cost[rng_below(&rng, N * N)] += rng_below(&rng, 100);
        solve(column, price, N, cost);
    }
    free(cost);
}

static void test_deadline(void **state)
{
    enum { N = 1500 };
    int64_t *cost = calloc((size_t)N * N, sizeof(*cost));
    int64_t *price = calloc(N, sizeof(*price));
    uint32_t *column = calloc(N, sizeof(*column));
    atomic_long left = 0;
    struct map_deadline deadline = {count_down, &left};
    bool timed_out;

    assert_true(cost && price && column);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++)
            cost[(size_t)i * N + j] = (int64_t)i * j;
    assert_ok(
        assignment_solve(column, &timed_out, price, N, cost, &deadline, NULL));
    assert_true(timed_out);
    free(cost);
    free(price);
    free(column);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exhaustive),
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_deadline),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
