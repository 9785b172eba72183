/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_best_of.c - which of several searches has found the best */
#include "config.h"

#include "tools/plan/best_of.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { N = 4 };

static void by_each_rule(void **state)
{
    static const struct {
        enum mapcore_choice choose;
        double link[N], average[N], most[N];
        size_t best;
    } rows[] = {
        {MAPCORE_CHOOSE_TIME, {4, 3, 3, 5}, {1, 9, 8, 1}, {1, 1, 1, 1}, 2},
        {MAPCORE_CHOOSE_AUTO, {4, 3, 3, 5}, {1, 9, 8, 1}, {1, 1, 1, 1}, 2},
        {MAPCORE_CHOOSE_HOP_BYTES, {4, 3, 9, 5}, {2, 1, 1, 3}, {1, 7, 6, 1}, 2},
        /* Averages from 105% of the least on are left out. */
        {MAPCORE_CHOOSE_PARETO,
         {1, 1, 1, 1},
         {100, 104, 105, 101},
         {9, 5, 1, 6},
         1},
        /* The first of equal ones. */
        {MAPCORE_CHOOSE_TIME, {3, 2, 2, 2}, {1, 1, 1, 1}, {1, 1, 1, 1}, 1},
        {MAPCORE_CHOOSE_PARETO, {3, 2, 2, 2}, {0, 0, 0, 0}, {0, 0, 0, 0}, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct mapcore_metrics metrics[N] = {{0}};

        for (int k = 0; k < N; k++) {
            metrics[k].max_link_time = rows[i].link[k];
            metrics[k].avg_hop_bytes = rows[i].average[k];
            metrics[k].max_hop_bytes = rows[i].most[k];
        }
        assert_int_equal(best_of(metrics, N, rows[i].choose, 1.05),
                         rows[i].best);
        assert_int_equal(best_of(metrics, 1, rows[i].choose, 1.05), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_each_rule)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
