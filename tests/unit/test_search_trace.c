/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_search_trace.c - the moments of a search that a picture shows */
#include "config.h"

#include "unit.h"

#include "tools/draw/search_trace.h"

/* Only what got better is kept, the first and the last of it always. */
static void test_trace(void **state)
{
    static struct search_trace trace;
    struct mapcore_metrics best = {.hops_per_byte = 5};

    trace.start = 100;
    search_trace_add(&trace, 101, 1, NULL);
    assert_int_equal(trace.n, 0);
    search_trace_add(&trace, 102, 2, &best);
    search_trace_add(&trace, 103, 3, &best);
    assert_int_equal(trace.n, 1);
    assert_true(trace.moment[0].seconds == 2 && trace.moment[0].work == 2);
    for (uint64_t i = 0; i < 3 * SEARCH_MOMENTS; i++) {
        best.hops_per_byte = 4 - (double)i / SEARCH_MOMENTS;
        search_trace_add(&trace, 104 + (double)i, 4 + i, &best);
        assert_true(trace.n <= SEARCH_MOMENTS);
        assert_true(trace.moment[trace.n - 1].work == 4 + i);
    }
    assert_true(trace.moment[0].work == 2);
    for (size_t i = 1; i < trace.n; i++)
        assert_true(trace.moment[i].work > trace.moment[i - 1].work &&
                    trace.moment[i].hops_per_byte <
                        trace.moment[i - 1].hops_per_byte);
}

/* A lane a mapper, whose best is there, whenever it came; and whose the best of
 * all is. */
static void test_lanes(void **state)
{
    static struct search_trace trace;
    struct mapcore_metrics metrics = {.hops_per_byte = 5};

    search_trace_came(&trace, 1, "rb:quick=1", false, &metrics);
    search_trace_add(&trace, 1, 1, &metrics);
    metrics.hops_per_byte = 4;
    search_trace_came(&trace, 2, "rb:quick=1", true, &metrics);
    for (int i = 0; i < 2 * SEARCH_TICKS; i++) {
        metrics.hops_per_byte = 6 - (double)i / SEARCH_TICKS;
        search_trace_came(&trace, 3 + i, "greedymap:order=OO", false, &metrics);
    }
    search_trace_add(&trace, 900, 9,
                     &(struct mapcore_metrics){.hops_per_byte = 4.5});
    search_trace_add(&trace, 901, 10, &metrics);
    assert_int_equal(trace.nlanes, 3);
    assert_string_equal(trace.lane[0].mapper, "rb");
    assert_string_equal(trace.lane[1].mapper, "rb, refined");
    assert_string_equal(trace.lane[2].mapper, "greedymap");
    assert_true(trace.lane[0].n == 1 && trace.lane[2].n == 2 * SEARCH_TICKS);
    assert_int_equal(trace.lane[2].nticks, SEARCH_TICKS);
    assert_true(trace.lane[2].tick[SEARCH_TICKS - 1].hops_per_byte <=
                trace.lane[2].best);
    assert_string_equal(trace.moment[0].mapper, "rb");
    assert_string_equal(trace.moment[1].mapper, "");
    assert_string_equal(trace.moment[2].mapper, "greedymap");
    for (int i = 0; i < 2 * SEARCH_LANES; i++) {
        char name[2] = {(char)('A' + i), '\0'};

        search_trace_came(&trace, 1000, name, false, &metrics);
    }
    assert_int_equal(trace.nlanes, SEARCH_LANES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_lanes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
