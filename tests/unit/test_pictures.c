/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_pictures.c - what pictures are made of: escaped text, amounts as people
 * write them, steps of colours, cells of matrices */
#include "config.h"

#include "tools/draw/matrix/matrix_cells.h"
#include "tools/draw/search_trace.h"
#include "tools/draw/svg/amount.h"
#include "tools/draw/svg/look.h"
#include "tools/draw/svg/xml_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *raw, *shown;
} texts[] = {
    {"", ""},
    {"n0 - s1, \xc3\xa9\xe2\x82\xac", "n0 - s1, \xc3\xa9\xe2\x82\xac"},
    {"<script>\"'&", "&lt;script&gt;&quot;&#39;&amp;"},
    {"a\x01\n\t\x7f\xc2\x9b"
     "b",
     "a?????b"},
    {"\xff\xc3", "??"},
    {"\xed\xa0\x80", "???"},            /* a surrogate */
    {"\xe2\x80\xae\xe2\x81\xa6", "??"}, /* turns text round */
    {"\xef\xbf\xbe\xef\xbf\xbf", "??"}, /* U+FFFE and U+FFFF */
    {"\xe2\x80\xa8\xf0\x9f\x98\x80", "?\xf0\x9f\x98\x80"},
};

static void test_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        char *shown = NULL;
        size_t n;
        FILE *file = open_memstream(&shown, &n);

        assert_non_null(file);
        xml_text_write(file, texts[i].raw);
        fclose(file);
        assert_string_equal(shown, texts[i].shown);
        free(shown);
    }
}

static const struct {
    double value;
    enum amount_unit unit;
    const char *text;
} amounts[] = {
    {0, AMOUNT_BYTES, "0 B"},
    {1, AMOUNT_BYTES, "1 B"},
    {999, AMOUNT_BYTES, "999 B"},
    {999.6, AMOUNT_BYTES, "1 kB"},
    {123456, AMOUNT_BYTES, "123 kB"},
    {999999, AMOUNT_BYTES, "1 MB"},
    {1.234e9, AMOUNT_BYTES, "1.23 GB"},
    {9.2e18, AMOUNT_BYTES, "9.2 EB"},
    {42, AMOUNT_MESSAGES, "42"},
    {4200, AMOUNT_MESSAGES, "4.2 k"},
    {0, AMOUNT_SECONDS, "0 s"},
    {2.5e-8, AMOUNT_SECONDS, "25 ns"},
    {2.5e-6, AMOUNT_SECONDS, "2.5 us"},
    {0.9999, AMOUNT_SECONDS, "1 s"},
    {0.0451, AMOUNT_SECONDS, "45.1 ms"},
    {1234, AMOUNT_SECONDS, "1234 s"},
    {72000, AMOUNT_SECONDS, "20 h"},
    {0.5, AMOUNT_PLAIN, "0.5"},
};

static void test_amounts(void **state)
{
    char text[AMOUNT_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof(amounts) / sizeof(*amounts); i++)
        assert_string_equal(
            amount_text(text, amounts[i].value, amounts[i].unit),
            amounts[i].text);
}

static void test_steps(void **state)
{
    (void)state;
    assert_int_equal(look_log_step(1, 1, 65536), 0);
    assert_int_equal(look_log_step(256, 1, 65536), 8);
    assert_int_equal(look_log_step(65536, 1, 65536), LOOK_STEPS - 1);
    assert_int_equal(look_log_step(7, 7, 7), LOOK_STEPS - 1);
    assert_int_equal(look_even_step(0, 10), 0);
    assert_int_equal(look_even_step(5, 10), 8);
    assert_int_equal(look_even_step(10, 10), LOOK_STEPS - 1);
    assert_int_equal(look_even_step(0, 0), 0);
}

/* Six tasks; 0-1 twice over, once either way. */
static struct traffic_pair pairs[] = {{0, 1, 3},
                                      {0, 1, 4},
                                      {0, 5, 10},
                                      {2, 3, 100},
                                      {4, 5, 1000}};
static const struct traffic traffic = {.ntasks = 6,
                                       .n = 5,
                                       .pair = pairs,
                                       .unit = AMOUNT_BYTES};

static double sum(const struct matrix_cells *cells)
{
    double total = 0;

    for (uint32_t i = 0; i < cells->n; i++)
        for (uint32_t j = 0; j <= i; j++)
            total += cells->value[i * cells->n + j];
    return total;
}

static void test_cells(void **state)
{
    static const uint32_t turned[] = {5, 4, 3, 2, 1, 0};
    struct matrix_cells cells;
    struct mapcore_error err;

    (void)state;
    assert_int_equal(matrix_cells_make(&cells, &traffic, NULL, 512, &err), 0);
    assert_int_equal(cells.n, 6);
    assert_int_equal(cells.per, 1);
    assert_int_equal(cells.nfilled, 8);
    assert_true(cells.value[1] == 7 && cells.value[6] == 7);
    assert_true(cells.least == 7 && cells.most == 1000);
    matrix_cells_clear(&cells);

    assert_int_equal(matrix_cells_make(&cells, &traffic, turned, 512, &err), 0);
    assert_true(cells.value[5 * 6 + 4] == 7 && cells.value[1] == 1000);
    matrix_cells_clear(&cells);

    /* Cells of two, and of four: nothing is lost, nothing counts twice. */
    assert_int_equal(matrix_cells_make(&cells, &traffic, NULL, 3, &err), 0);
    assert_int_equal(cells.n, 3);
    assert_int_equal(cells.per, 2);
    assert_true(cells.value[0] == 7 && cells.value[2] == 10 &&
                cells.value[6] == 10 && cells.value[8] == 1000);
    assert_true(sum(&cells) == 1117);
    matrix_cells_halve(&cells);
    assert_int_equal(cells.n, 2);
    assert_true(cells.value[0] == 107 && cells.value[1] == 10 &&
                cells.value[2] == 10 && cells.value[3] == 1000);
    matrix_cells_clear(&cells);

    /* Halved, it is what it were if made so. */
    assert_int_equal(matrix_cells_make(&cells, &traffic, NULL, 512, &err), 0);
    assert_int_equal(matrix_cells_strokes(&cells, 7, 1000), 8);
    matrix_cells_halve(&cells);
    assert_true(cells.n == 3 && cells.per == 2 && sum(&cells) == 1117);
    assert_true(cells.value[0] == 7 && cells.value[2] == 10);
    matrix_cells_clear(&cells);
}

/* Only what got better is kept, the first and the last of it always. */
static void test_trace(void **state)
{
    static struct search_trace trace;
    struct mapcore_metrics best = {.hops_per_byte = 5};

    (void)state;
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

    (void)state;
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
        cmocka_unit_test(test_text),  cmocka_unit_test(test_amounts),
        cmocka_unit_test(test_steps), cmocka_unit_test(test_cells),
        cmocka_unit_test(test_trace), cmocka_unit_test(test_lanes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
