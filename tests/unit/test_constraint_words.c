/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_constraint_words.c - what unit= and pin= may say */
#include "unit.h"

#include "launch/plan_words.h"

static void test_units(void **state)
{
    static const char *const bad[] = {
        "",   "0",  "-1",         "nodes",
        "4x", " 2", "4294967295", "99999999999999999999"};
    uint32_t unit = 0;

    assert_true(unit_word_parse(&unit, "node") && unit == UNIT_NODE);
    assert_true(unit_word_parse(&unit, "rank") && unit == 1);
    assert_true(unit_word_parse(&unit, "48") && unit == 48);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        if (unit_word_parse(&unit, bad[i]))
            fail_msg("'%s' is taken", bad[i]);
}

static void test_pins(void **state)
{
    static const char *const bad[] = {
        "",   "-1",  "1-",         "3-2", "0@",  "0@+1", "x",    "0 1",
        "0-", "@n0", "4294967295", "on",  "0x1", "0++1", "1-2-3"};
    const char *cursor = "0-7+12@n5,3@rack-1.x";
    struct pin_words words;

    assert_int_equal(pin_words_next(&words, &cursor, NULL), 1);
    assert_true(words.first == 0 && words.last == 7 && !words.node);
    assert_int_equal(pin_words_next(&words, &cursor, NULL), 1);
    assert_true(words.first == 12 && words.last == 12 && words.nnode == 2);
    assert_memory_equal(words.node, "n5", 2);
    assert_int_equal(pin_words_next(&words, &cursor, NULL), 1);
    assert_true(words.first == 3 && words.nnode == strlen("rack-1.x"));
    assert_ok(pin_words_next(&words, &cursor, NULL));
    assert_true(pin_words_check("off") && pin_words_check("0") &&
                pin_words_check("4294967294"));
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        if (pin_words_check(bad[i]))
            fail_msg("'%s' is taken", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_pins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
