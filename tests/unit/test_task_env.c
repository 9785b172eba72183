/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_task_env.c - variables are written over where there is room, and nothing
 * changes where there is none */
#include "config.h"

#include "unit.h"

#include "plugin/handoff/handoff.h"

#include <stdbool.h>

static void test_write_over(void **state)
{
    static const struct {
        const char *name, *value;
        const char *after[2]; /* NULL: nothing has changed */
    } rows[] = {
        {"MASKS", "0x2,0x1", {"MASKS=0x2,0x1", "X="}},
        {"MASKS", "", {"MASKS=", "X="}},
        {"MASKS", "0x10,0x20", {NULL}},
        {"MASK", "1", {NULL}},
        {"MASKSS", "1", {NULL}},
        {"X", "1", {NULL}},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[2][16] = {"MASKS=0x1,0x2", "X="};
        char *const env[] = {text[0], text[1], NULL};
        const bool fits = rows[i].after[0] != NULL;
        char before[sizeof(text)];

        memcpy(before, text, sizeof(text));
        assert_int_equal(
            handoff_env_write_over(env, rows[i].name, rows[i].value), fits);
        for (size_t k = 0; fits && k < 2; k++)
            assert_string_equal(env[k], rows[i].after[k]);
        if (!fits)
            assert_memory_equal(text, before, sizeof(text));
    }
}

static void test_read(void **state)
{
    static const char *const names[] = {"OUR_A", "OUR_AB", "OUR_C", "OUR_D"};
    char text[][16] = {"A=no",  "OUR_AB=2=3",   "OUR_A=1", "OUR_",
                       "OUR_D", "OUR_A=second", "OUR_C="};
    const char *values[4];
    char *env[8] = {NULL};

    for (size_t i = 0; i < 7; i++)
        env[i] = text[i];
    handoff_env_read(values, names, 4, "OUR_", env);
    assert_string_equal(values[0], "1");
    assert_string_equal(values[1], "2=3");
    assert_string_equal(values[2], "");
    assert_null(values[3]);
    handoff_env_read(values, names, 4, "OUR_", env + 7);
    assert_null(values[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_over),
        cmocka_unit_test(test_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
