/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_results.c - what counts in a search: its best, its work, and whose hosts
 * stay in memory */
#include "config.h"

#include "mapfixture.h"

#include "map/portfolio/search.h"

#define N 40

static struct results results_of(enum mapcore_choice choice)
{
    return (struct results){.rule = {.choice = choice, .alpha = 1.05},
                            .best = SIZE_MAX};
}

/* Few values, so that there are ties. */
static struct mapcore_metrics draw(struct rng *rng)
{
    return (struct mapcore_metrics){.avg_hop_bytes = 100 + rng_below(rng, 9),
                                    .max_hop_bytes = 1 + rng_below(rng, 5),
                                    .max_link_time = 1 + rng_below(rng, 5)};
}

static uint32_t *hosts(uint32_t value)
{
    uint32_t *host = malloc(sizeof(*host));

    assert_non_null(host);
    *host = value;
    return host;
}

/* The best is that of the rule; hosts are there just where that may still be or
 * where they are kept, and are those that were given. */
static void test_add(void **state)
{
    static const enum mapcore_choice choices[] = {
        MAPCORE_CHOOSE_HOP_BYTES, MAPCORE_CHOOSE_PARETO, MAPCORE_CHOOSE_LINK};
    struct rng rng;

    rng_init(&rng, 1, 0, 0);
    for (uint32_t round = 0; round < 30; round++) {
        struct results results = results_of(choices[round % 3]);

        for (uint32_t i = 0; i < N; i++) {
            struct mapcore_metrics metrics = draw(&rng);
            struct result result = {.candidate = i,
                                    .is_kept = rng_below(&rng, 4) == 0,
                                    .host = hosts(i)};

            assert_ok(results_reserve(&results, 1, NULL));
            results_add(&results, &result, &metrics);
            assert_int_equal(results.n, i + 1);
            assert_int_equal(
                results.best,
                choose_best(&results.rule, results.metrics, results.n));
            assert_non_null(results.result[results.best].host);
            for (size_t j = 0; j < results.n; j++) {
                const struct result *old = &results.result[j];

                assert_int_equal(old->candidate, j);
                if (old->host)
                    assert_int_equal(*old->host, j);
                else
                    assert_false(old->is_kept);
                if (choose_may_win(&results.rule, results.metrics, results.n,
                                   j))
                    assert_non_null(old->host);
            }
        }
        results_clear(&results);
        assert_true(results.n == 0 && results.best == SIZE_MAX);
    }
}

/* Of those whose hosts are gone none is gone on with, and ties go to the first.
 */
static void test_least_average(void **state)
{
    static const double average[] = {9, 7, 7, 8};
    struct results results = results_of(MAPCORE_CHOOSE_HOP_BYTES);

    assert_int_equal(results_least_average(&results), SIZE_MAX);
    assert_ok(results_reserve(&results, 4, NULL));
    for (uint32_t i = 0; i < 4; i++) {
        struct mapcore_metrics metrics = {.avg_hop_bytes = average[i]};
        struct result result = {
            .candidate = i, .is_kept = true, .host = hosts(i)};

        results_add(&results, &result, &metrics);
    }
    assert_int_equal(results_least_average(&results), 1);
    free(results.result[1].host);
    results.result[1].host = NULL;
    assert_int_equal(results_least_average(&results), 2);
    results_clear(&results);
}

static void test_perfect(void **state)
{
    struct results results = results_of(MAPCORE_CHOOSE_PARETO);
    struct mapcore_metrics metrics = {.avg_hop_bytes = 1};
    struct result result = {.host = hosts(0)};

    assert_false(results_are_perfect(&results));
    assert_ok(results_reserve(&results, 2, NULL));
    results_add(&results, &result, &metrics);
    assert_false(results_are_perfect(&results));
    metrics.avg_hop_bytes = 0;
    result.host = hosts(1);
    results_add(&results, &result, &metrics);
    assert_true(results_are_perfect(&results));
    results_clear(&results);
}

struct seen {
    uint64_t work;
    bool has_best;
    double best; /* hop-bytes */
};

static void note(void *arg, uint64_t work, const struct mapcore_metrics *best)
{
    struct seen *seen = arg;

    assert_true(work > seen->work);
    seen->work = work;
    seen->has_best = best != NULL;
    if (best)
        seen->best = best->avg_hop_bytes;
}

static void test_work(void **state)
{
    struct results results = results_of(MAPCORE_CHOOSE_HOP_BYTES);
    struct seen seen = {0};

    results_count(&results, 2);
    assert_int_equal(results.work, 2);
    results.progress = note;
    results.progress_arg = &seen;
    results_count(&results, 1);
    assert_int_equal(seen.work, 3);
    assert_false(seen.has_best);
    results_count(&results, 40);
    assert_int_equal(seen.work, 43);
    for (uint32_t i = 0; i < 2; i++) {
        struct mapcore_metrics metrics = {.avg_hop_bytes = 7 + i};
        struct result result = {.candidate = i, .host = hosts(i)};

        assert_ok(results_reserve(&results, 1, NULL));
        results_add(&results, &result, &metrics);
        results_count(&results, 1);
        assert_true(seen.has_best && seen.best == 7);
    }
    results_clear(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_least_average),
        cmocka_unit_test(test_perfect),
        cmocka_unit_test(test_work),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
