/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_dims.c - the numbers of Niethammer and Rabenseifner and of Fiedler and
 * Whalen, and every factorization tried on small counts */
#include "config.h"

#include "unit.h"

#include "cart/dims.h"
#include "cart/divisors.h"

#include <math.h>
#include <stdbool.h>

static int solve(uint32_t nlevels,
                 const uint32_t *counts,
                 uint32_t ndims,
                 const double *extent,
                 const double *width,
                 uint32_t *dims,
                 struct mapcore_error *err)
{
    const struct mapcore_dims problem = {.nlevels = nlevels,
                                         .counts = counts,
                                         .ndims = ndims,
                                         .extent = extent,
                                         .width = width};

    return mapcore_dims_solve(dims, NULL, &problem, err);
}

static void assert_close(double a, double b)
{
    assert_true(fabs(a - b) < 1e-9);
}

/* Slide 11: 625 nodes of 24 cores. */
static void test_example(void **state)
{
    static const uint32_t counts[] = {625, 24};
    static const uint32_t expected[] = {25, 5, 5, 1, 6, 4};
    struct mapcore_dims problem = {.nlevels = 2, .counts = counts, .ndims = 3};
    uint32_t dims[6];
    double sum[2];

    assert_ok(solve(2, counts, 3, NULL, NULL, dims, NULL));
    assert_memory_equal(dims, expected, sizeof(dims));
    assert_ok(mapcore_dims_solve(dims, sum, &problem, NULL));
    assert_memory_equal(dims, expected, sizeof(dims));
    assert_close(sum[0], 35);
    assert_close(sum[1], 75);
}

/* Slide 21: where the sum leads elsewhere than the difference alone. */
static void test_differences(void **state)
{
    static const struct {
        uint32_t count, ndims, dims[4];
    } rows[] = {
        {360, 3, {9, 8, 5}},
        {35200, 3, {44, 32, 25}},
        {37044, 3, {49, 28, 27}},
        {22 * 14 * 12, 3, {21, 16, 11}},
        {21 * 16 * 15, 3, {20, 18, 14}},
        {26 * 16 * 15, 3, {24, 20, 13}},
        {10 * 6 * 6 * 6, 4, {9, 8, 6, 5}},
        {10 * 7 * 6 * 6, 4, {9, 8, 7, 5}},
        {10 * 8 * 6 * 6, 4, {9, 8, 8, 5}},
        {10 * 9 * 6 * 6, 4, {9, 9, 8, 5}},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        uint32_t dims[4];

        assert_ok(
            solve(1, &rows[i].count, rows[i].ndims, NULL, NULL, dims, NULL));
        assert_memory_equal(dims, rows[i].dims, rows[i].ndims * sizeof(*dims));
    }
}

/* Every ordered factorization of count: the least sum, or maximum, of a n. */
static double least(const double *a,
                    const double *limit,
                    uint32_t ndims,
                    uint32_t count,
                    bool together)
{
    double best = INFINITY;

    if (ndims == 1)
        return count <= limit[0] ? a[0] * count : INFINITY;
    for (uint32_t n = 1; n <= count; n++) {
        double rest, now;

        if (count % n != 0 || n > limit[0])
            continue;
        rest = least(a + 1, limit + 1, ndims - 1, count / n, together);
        now = together ? fmax(a[0] * n, rest) : a[0] * n + rest;
        best = now < best ? now : best;
    }
    return best;
}

static void check_optimum(uint32_t count,
                          uint32_t ndims,
                          const double *extent,
                          const double *width,
                          const double *bandwidth,
                          enum mapcore_exchange exchange)
{
    struct mapcore_dims problem = {.nlevels = 1,
                                   .counts = &count,
                                   .ndims = ndims,
                                   .extent = extent,
                                   .width = width,
                                   .bandwidth = bandwidth,
                                   .exchange = exchange};
    double a[8], limit[8], sum, best;
    uint32_t dims[8], product = 1;
    int code = mapcore_dims_solve(dims, &sum, &problem, NULL);

    for (uint32_t i = 0; i < ndims; i++) {
        a[i] = (width ? width[i] : 1) / (extent ? extent[i] : 1) /
               (bandwidth ? bandwidth[i] : 1);
        limit[i] = extent ? extent[i] : INFINITY;
    }
    best = least(a, limit, ndims, count, exchange == MAPCORE_EXCHANGE_TOGETHER);
    if (isinf(best)) {
        assert_int_equal(code, MAPCORE_EINVAL);
        return;
    }
    assert_int_equal(code, 0);
    for (uint32_t i = 0; i < ndims; i++) {
        product *= dims[i];
        assert_true(dims[i] <= limit[i]);
    }
    assert_int_equal(product, count);
    assert_true(fabs(sum - best) <= 1e-9 * best);
}

static void test_brute_force(void **state)
{
    static const double extent[] = {100, 7, 64, 12}, width[] = {1, 3, 2, 1};
    static const double bandwidth[] = {2, 1, 2, 4};

    for (uint32_t count = 1; count <= 240; count++)
        for (uint32_t ndims = 1; ndims <= 4; ndims++)
            for (int which = 0; which < 16; which++)
                check_optimum(count, ndims, which & 1 ? extent : NULL,
                              which & 2 ? width : NULL,
                              which & 4 ? bandwidth : NULL,
                              which & 8 ? MAPCORE_EXCHANGE_TOGETHER
                                        : MAPCORE_EXCHANGE_ONE_BY_ONE);
}

/* Three levels: what is outside stays as it was without what is inside. */
static void test_levels(void **state)
{
    static const uint32_t counts[] = {48, 2, 12};
    static const double extent[] = {4096, 1024, 512};
    uint32_t all[9], outer[3];

    assert_ok(solve(3, counts, 3, extent, NULL, all, NULL));
    assert_ok(solve(1, counts, 3, extent, NULL, outer, NULL));
    assert_memory_equal(all, outer, sizeof(outer));
    for (uint32_t l = 0; l < 3; l++)
        assert_int_equal(all[3 * l] * all[3 * l + 1] * all[3 * l + 2],
                         counts[l]);
    /* The long side is cut most. */
    assert_true(all[0] > all[1] && all[1] >= all[2]);
}

/* Section II.A: half the bandwidth in y, halos at once or one by one. */
static void test_tile(void **state)
{
    static const double bandwidth[] = {2, 1, 2};
    double shape[3], gain;

    assert_ok(mapcore_dims_tile(shape, &gain, 3, NULL, bandwidth,
                                MAPCORE_EXCHANGE_TOGETHER, NULL));
    assert_close(gain, pow(2, 2.0 / 3));
    assert_close(shape[0], shape[1] / 2);
    assert_close(shape[2], shape[1] / 2);
    assert_close(shape[0], pow(2, -1.0 / 3));
    assert_ok(mapcore_dims_tile(shape, &gain, 3, NULL, bandwidth,
                                MAPCORE_EXCHANGE_ONE_BY_ONE, NULL));
    assert_close(gain, 4 / (3 * pow(2, 1.0 / 3)));
    assert_ok(mapcore_dims_tile(shape, &gain, 3, NULL, NULL,
                                MAPCORE_EXCHANGE_TOGETHER, NULL));
    assert_close(gain, 1);
}

/* What MPI_Dims_create takes: some dimensions are given. Every factor of the
 * outer level against all that there are. */
static void test_fixed(void **state)
{
    static const uint32_t counts[] = {6, 4};
    static const uint32_t given[] = {2, 0, 4};

    for (uint32_t mask = 0; mask < 8; mask++) {
        uint32_t fixed[3], dims[6];
        struct mapcore_dims problem = {
            .nlevels = 2, .counts = counts, .ndims = 3, .fixed = fixed};
        double sum[2], best = INFINITY;

        for (uint32_t i = 0; i < 3; i++)
            fixed[i] = mask >> i & 1 ? given[i] : 0;
        for (uint32_t x = 1; x <= 6; x++)
            for (uint32_t y = 1; y <= 6; y++)
                for (uint32_t z = 1; z <= 6; z++)
                    if (x * y * z == 6 && (!fixed[0] || fixed[0] % x == 0) &&
                        (!fixed[2] || fixed[2] % z == 0))
                        best = fmin(best, x + y + z);
        assert_ok(mapcore_dims_solve(dims, sum, &problem, NULL));
        assert_close(sum[0], best);
        for (uint32_t i = 0; i < 3; i++)
            if (fixed[i])
                assert_int_equal(dims[i] * dims[3 + i], fixed[i]);
        assert_int_equal(dims[0] * dims[1] * dims[2], 6);
        assert_int_equal(dims[3] * dims[4] * dims[5], 4);
    }
}

static void test_fixed_errors(void **state)
{
    static const uint32_t wrong[] = {5, 0}, all[] = {2, 4}, too_few[] = {2, 2};
    uint32_t count = 8, dims[2];
    struct mapcore_dims problem = {
        .nlevels = 1, .counts = &count, .ndims = 2, .fixed = wrong};

    assert_int_equal(mapcore_dims_solve(dims, NULL, &problem, NULL),
                     MAPCORE_EINVAL);
    problem.fixed = too_few;
    assert_int_equal(mapcore_dims_solve(dims, NULL, &problem, NULL),
                     MAPCORE_EINVAL);
    problem.fixed = all;
    assert_ok(mapcore_dims_solve(dims, NULL, &problem, NULL));
    assert_true(dims[0] == 2 && dims[1] == 4);
}

static void test_divisors(void **state)
{
    static const uint32_t numbers[] = {
        1, 2, 12, 97, 4096, 720720, 2147483647, 65536, 9699690, 2095133040};
    struct divisors divisors;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        uint32_t n = 0;

        divisors_of(&divisors, numbers[i]);
        for (uint32_t k = 0; k < divisors.n; k++) {
            assert_int_equal(numbers[i] % divisors.divisor[k], 0);
            assert_true(k == 0 ||
                        divisors.divisor[k] > divisors.divisor[k - 1]);
        }
        for (uint32_t d = 1; (uint64_t)d * d <= numbers[i]; d++)
            if (numbers[i] % d == 0)
                n += (uint64_t)d * d == numbers[i] ? 1 : 2;
        assert_int_equal(divisors.n, n);
    }
}

static void test_errors(void **state)
{
    static const uint32_t none[] = {4, 0}, many[] = {65536, 65536};
    static const double zero[] = {1, 0}, nan_width[] = {NAN, 1};
    static const double small[] = {3, 2};
    uint32_t dims[4], eight = 8;
    struct mapcore_error err = {""};

    assert_int_equal(solve(2, none, 2, NULL, NULL, dims, &err), MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "level 2 is 0"));
    assert_int_equal(solve(2, many, 2, NULL, NULL, dims, &err), MAPCORE_ERANGE);
    assert_int_equal(solve(0, none, 2, NULL, NULL, dims, &err), MAPCORE_EINVAL);
    assert_int_equal(solve(1, none, 0, NULL, NULL, dims, &err), MAPCORE_EINVAL);
    assert_int_equal(
        solve(1, none, MAPCORE_DIMS_MAX + 1, NULL, NULL, dims, &err),
        MAPCORE_EINVAL);
    assert_int_equal(solve(1, none, 2, zero, NULL, dims, &err), MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "extent of dimension 2 is 0"));
    assert_int_equal(solve(1, none, 2, NULL, nan_width, dims, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(solve(1, &eight, 2, small, NULL, dims, &err),
                     MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "8 pieces"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),      cmocka_unit_test(test_differences),
        cmocka_unit_test(test_brute_force),  cmocka_unit_test(test_levels),
        cmocka_unit_test(test_tile),         cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_fixed_errors), cmocka_unit_test(test_divisors),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
