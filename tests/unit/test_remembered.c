/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_remembered.c - which program a command line led to, and whom to believe
 * about it */
#include "config.h"

#include "profiles/catalogue/remembered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"

#define IDENTITY "0123456789abcdef0123456789abcdef01234567"

static char program[] = "/home/u/my app", identity[] = IDENTITY;
static const char *const words[] = {"bash", "-c", "a; b"};

static void keys_tell_commands_apart(void **state)
{
    char a[REMEMBERED_KEYS][REMEMBERED_KEY], b[REMEMBERED_KEYS][REMEMBERED_KEY];
    static const char *const joined[] = {"bash", "-ca; b"};

    (void)state;
    remembered_make_keys(a, 3, words, "/x", NULL);
    remembered_make_keys(b, 3, words, "/y", NULL);
    assert_int_equal(strlen(a[0]), REMEMBERED_KEY - 1);
    assert_string_not_equal(a[REMEMBERED_EXACT], b[REMEMBERED_EXACT]);
    assert_string_equal(a[REMEMBERED_LOOSE], b[REMEMBERED_LOOSE]);
    remembered_make_keys(b, 2, joined, "/x", NULL);
    assert_string_not_equal(a[REMEMBERED_EXACT], b[REMEMBERED_EXACT]);
    assert_string_not_equal(a[REMEMBERED_LOOSE], b[REMEMBERED_LOOSE]);
    /* A script with other arguments is the same script. */
    remembered_make_keys(a, 3, words, "/x", "/r.sh");
    remembered_make_keys(b, 2, joined, "/x", "/r.sh");
    assert_string_equal(a[REMEMBERED_LOOSE], b[REMEMBERED_LOOSE]);
    remembered_make_keys(b, 2, joined, "/x", "/s.sh");
    assert_string_not_equal(a[REMEMBERED_LOOSE], b[REMEMBERED_LOOSE]);
}

static void programs_are_remembered(void **state)
{
    const struct remembered what = {program, identity};
    char keys[REMEMBERED_KEYS][REMEMBERED_KEY], both[2 * REMEMBERED_KEY + 8];
    const char *root = at(*state, "c");
    struct remembered back;
    struct mapcore_error err;

    assert_int_equal(mkdir(root, 0755), 0);
    remembered_make_keys(keys, 3, words, "/x", NULL);
    assert_int_equal(remembered_read(&back, root, keys[0], &err),
                     MAPCORE_ENOENT);
    snprintf(both, sizeof(both), "%s x/../y %s", keys[0], keys[1]);
    assert_int_equal(remembered_write(root, both, &what, &err), 0);
    assert_int_equal(remembered_write(root, both, &what, &err), 0);
    for (int i = 0; i < REMEMBERED_KEYS; i++) {
        assert_int_equal(remembered_read(&back, root, keys[i], &err), 0);
        assert_string_equal(back.program, program);
        assert_string_equal(back.identity, identity);
        remembered_clear(&back);
    }
    assert_int_equal(remembered_read(&back, root, "../../etc/passwd", &err),
                     MAPCORE_ENOENT);
}

static void what_others_could_write_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "topomap-command 1\n",
        "topomap-command 2\nprogram /x\nidentity " IDENTITY "\n",
        "topomap-command 1\nprogram x\nidentity " IDENTITY "\n",
        "topomap-command 1\nprogram /x\nidentity ../../x\n",
    };
    const struct remembered what = {program, identity};
    char keys[REMEMBERED_KEYS][REMEMBERED_KEY], file[200];
    const char *root = at(*state, "d");
    struct remembered back;
    struct mapcore_error err;

    assert_int_equal(mkdir(root, 0755), 0);
    remembered_make_keys(keys, 3, words, "/x", NULL);
    assert_int_equal(remembered_write(root, keys[0], &what, &err), 0);
    snprintf(file, sizeof(file), "d/" REMEMBERED_FOLDER "/%s", keys[0]);
    assert_int_equal(chmod(at(*state, file), 0666), 0);
    assert_int_equal(remembered_read(&back, root, keys[0], &err),
                     MAPCORE_ETRUST);
    assert_int_equal(chmod(at(*state, file), 0644), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        put_text(at(*state, file), bad[i]);
        assert_int_equal(remembered_read(&back, root, keys[0], &err),
                         MAPCORE_EPARSE);
        assert_null(back.program);
    }
}

static void what_no_line_can_hold_is_not_written(void **state)
{
    char line[] = "/x\nidentity y";
    const struct remembered what = {line, identity};
    char keys[REMEMBERED_KEYS][REMEMBERED_KEY];

    remembered_make_keys(keys, 3, words, "/x", NULL);
    assert_int_equal(remembered_write(at(*state, ""), keys[0], &what, NULL),
                     MAPCORE_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_tell_commands_apart),
        cmocka_unit_test_setup_teardown(programs_are_remembered, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(what_others_could_write_is_refused,
                                        scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(what_no_line_can_hold_is_not_written,
                                        scratch_setup, scratch_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
