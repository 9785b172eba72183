/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_launch_rules.c - the rules that srun, `topomap` and the recorder must
 * share: the program that is meant, the user's catalogue, what names are */
#include "config.h"

#include "launch/catalogue_root.h"
#include "launch/command/program_path.h"
#include "launch/plain_name.h"
#include "plugin/srun/lookup.h"
#include "profiles/catalogue/catalogue.h"

#include "scratch.h"

static void programs_are_found_as_a_shell_finds_them(void **state)
{
    char *sh = realpath("/bin/sh", NULL), *out = NULL;

    assert_non_null(sh);
    assert_ok(program_path_find(&out, "sh", "/x::/bin", NULL));
    assert_string_equal(out, sh);
    free(out);
    /* A folder is no program. */
    assert_int_equal(program_path_find(&out, "bin", "/:/usr", NULL),
                     MAPCORE_ENOENT);
    assert_ok(program_path_find(&out, "/bin/sh", "/x", NULL));
    assert_string_equal(out, sh);
    free(out);
    free(sh);
    assert_int_equal(program_path_find(&out, "no-such-program", "/bin", NULL),
                     MAPCORE_ENOENT);
    assert_int_equal(program_path_find(&out, "no-such-program", NULL, NULL),
                     MAPCORE_ENOENT);
}

/* A folder before PATH's end that has the name, but no program. */
static void what_cannot_run_is_passed_over(void **state)
{
    const struct scratch *scratch = *state;
    struct mapcore_error err;
    char *out = NULL, *cwd = realpath(".", NULL), path[2048];

    assert_non_null(cwd);
    assert_ok(mkdir(at(scratch, "a"), 0755));
    assert_ok(mkdir(at(scratch, "b"), 0755));
    assert_ok(mkdir(at(scratch, "a/app"), 0755));
    put_text(at(scratch, "b/real"), "");
    assert_ok(chmod(at(scratch, "b/real"), 0755));
    assert_ok(symlink("real", at(scratch, "b/app")));
    snprintf(path, sizeof(path), "%s:%s", at(scratch, "a"), at(scratch, "b"));
    assert_ok(program_path_find(&out, "app", path, &err));
    assert_string_equal(strrchr(out, '/'), "/real");
    free(out);

    /* The file of --multi-prog stands in the current folder. */
    put_text(at(scratch, "ranks.conf"), "0 a");
    assert_ok(chdir(scratch->root));
    assert_ok(program_path_find(&out, "ranks.conf", path, &err));
    assert_true(out[0] == '/');
    assert_string_equal(strrchr(out, '/'), "/ranks.conf");
    free(out);
    assert_int_equal(program_path_find(&out, "a", path, &err), MAPCORE_ENOENT);
    assert_string_equal(err.text, "no program a in PATH or here");
    assert_int_equal(program_path_find(&out, "./x", path, &err),
                     MAPCORE_ENOENT);
    assert_string_equal(err.text, "./x: No such file or directory");
    assert_ok(chdir(cwd));
    free(cwd);
}

/* What TOPOMAP_CATALOGUE, XDG_DATA_HOME and HOME are; NULL: unset. */
struct env {
    const char *own, *data, *home;
};

static void set(const char *name, const char *value)
{
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void set_all(const struct env *env)
{
    set("TOPOMAP_CATALOGUE", env->own);
    set("XDG_DATA_HOME", env->data);
    set("HOME", env->home);
}

static void the_root_is_the_first_that_is_set(void **state)
{
    static const struct {
        struct env env;
        const char *root; /* NULL: none */
    } cases[] = {
        {{"/own", "/data", "/home"}, "/own"},
        {{"own", "/data", "/home"}, "own"},
        {{"/site/./me/x", "/data", "/home"}, "/site/me/x"},
        {{"", "/data", "/home"}, "/data/topomap"},
        {{NULL, "data", "/home"}, "/home/.local/share/topomap"},
        {{NULL, "", "/home"}, "/home/.local/share/topomap"},
        {{NULL, NULL, "/home"}, "/home/.local/share/topomap"},
        {{NULL, "data", NULL}, NULL},
        {{NULL, "", ""}, NULL},
        {{NULL, NULL, NULL}, NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_error err = {.text = ""};
        char *root = NULL;
        int error;

        set_all(&cases[i].env);
        error = catalogue_root_find(&root, getenv, &err);
        assert_int_equal(error, cases[i].root ? 0 : MAPCORE_ENOENT);
        if (cases[i].root)
            assert_string_equal(root, cases[i].root);
        else
            assert_non_null(strstr(err.text, "TOPOMAP_CATALOGUE"));
        free(root);
    }
}

static void make_folders(const struct scratch *scratch, const char *below)
{
    char path[128];

    for (size_t n = 1; n <= strlen(below); n++)
        if (below[n] == '/' || below[n] == '\0') {
            snprintf(path, sizeof(path), "%.*s", (int)n, below);
            (void)mkdir(at(scratch, path), 0755);
        }
}

/* Whether the root that `topomap plan` would search first is there. */
static bool plan_has_one(void)
{
    struct stat st;
    char *root = NULL;
    bool found = catalogue_user_root(&root, NULL) == 0 && stat(root, &st) == 0;

    free(root);
    return found;
}

/* One environment, both entries: strict lets a launch begin if and only if the
 * folder that `topomap plan` searches first is there. */
static void srun_and_plan_mean_the_same_catalogue(void **state)
{
    static const char *const folders[] = {"own", "home/.local/share/topomap",
                                          "data/topomap", "cwd/data/topomap"};
    const struct scratch *scratch = *state;
    const struct env cases[] = {
        {at(scratch, "own"), at(scratch, "data"), at(scratch, "home")},
        {"", at(scratch, "data"), at(scratch, "home")},
        {NULL, "data", at(scratch, "home")},
        {NULL, "", at(scratch, "home")},
        {NULL, "data", NULL},
        {NULL, NULL, NULL},
    };
    const struct plugstack plugstack = {0};
    struct options options;
    const struct lookup_strict check = {&options, &plugstack, "/x"};

    assert_ok(options_parse(&options, "auto,strict", NULL));
    make_folders(scratch, "cwd");
    assert_ok(chdir(at(scratch, "cwd")));
    for (size_t there = 0; there < COUNT(folders); there++) {
        make_folders(scratch, folders[there]);
        for (size_t i = 0; i < COUNT(cases); i++) {
            set_all(&cases[i]);
            assert_int_equal(lookup_options(&check, 60, NULL) == 0,
                             plan_has_one());
        }
        assert_ok(rmdir(at(scratch, folders[there])));
    }
    assert_ok(chdir("/"));
}

static void names_are_plain(void **state)
{
    static const char *const good[] = {"a", "A.b_c+d-9", "-", "a."};
    static const char *const bad[] = {"",    ".a",       "a/b", "a b",
                                      "a%2", "\xc3\xa4", "a,b"};
    char longest[PLAIN_NAME_MOST + 2];

    for (size_t i = 0; i < COUNT(good); i++)
        assert_true(plain_name_check(good[i], PLAIN_NAME_MOST));
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(plain_name_check(bad[i], PLAIN_NAME_MOST));
    memset(longest, 'x', sizeof(longest));
    longest[PLAIN_NAME_MOST + 1] = '\0';
    assert_false(plain_name_check(longest, PLAIN_NAME_MOST));
    longest[PLAIN_NAME_MOST] = '\0';
    assert_true(plain_name_check(longest, PLAIN_NAME_MOST));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_found_as_a_shell_finds_them),
        ON_DISK(what_cannot_run_is_passed_over),
        cmocka_unit_test(the_root_is_the_first_that_is_set),
        ON_DISK(srun_and_plan_mean_the_same_catalogue),
        cmocka_unit_test(names_are_plain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
