/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_remembered.c - which program a command line led to, and whom to believe
 * about it */
#include "config.h"

#include "profiles/catalogue/remembered.h"

#include "scratch.h"

#define IDENTITY "0123456789abcdef0123456789abcdef01234567"

static char program[] = "/home/u/my app", identity[] = IDENTITY;
static const char *const words[] = {"/bash", "-c", "a; b"};

/* Commands before and after something changed; words divided by |. */
static const struct {
    const char *before, *after;
    const char *folder, *script; /* then; NULL: as before */
    bool exact, loose;           /* whether the keys are the same */
} changes[] = {
    {"bash|-c|a; b", "bash|-c|a; b", NULL, NULL, true, true},
    {"bash|-c|a; b", "bash|-ca; b", NULL, NULL, false, false},
    {"bash|-c|a; b", "bash|-c|a; b", "d", NULL, false, true},
    {"./run.sh", "./run.sh", NULL, NULL, true, true},
    {"./run.sh", "./run.sh|3", NULL, NULL, false, true},
    {"./run.sh", "../run.sh", "d", NULL, false, true},
    {"./run.sh", "run.sh", NULL, NULL, true, true}, /* as PATH has it */
    {"./run.sh", "./run.sh", NULL, "#!/bin/sh\nother\n", false, true},
    {"bash|run.sh|3", "bash|run.sh|4", NULL, NULL, false, true},
    {"env|A=1|./run.sh", "./run.sh", NULL, NULL, false, true},
    {"./run.sh", "./two.sh", NULL, NULL, false, false},
    {"./app|run.sh|3", "./app|run.sh|4", NULL, NULL, false, false},
    {"./apptainer|exec|i.sif|a", "./apptainer|exec|i.sif|b", NULL, NULL, false,
     false},
};

/* As started in the current folder, with the scratch folder as PATH. */
static void make_keys(char keys[REMEMBERED_KEYS][REMEMBERED_KEY],
                      const char *line,
                      const char *path)
{
    const char *argv[8];
    char *copy = strdup(line), *rest = NULL;
    int argc = 0;

    for (char *word = strtok_r(copy, "|", &rest); word;
         word = strtok_r(NULL, "|", &rest))
        argv[argc++] = word;
    assert_true(remembered_make_keys(keys, argc, argv, path));
    assert_int_equal(strlen(keys[REMEMBERED_EXACT]), REMEMBERED_KEY - 1);
    free(copy);
}

static void keys_tell_commands_apart(void **state)
{
    static const char *const scripts[] = {"run.sh", "two.sh", "apptainer"};
    char a[REMEMBERED_KEYS][REMEMBERED_KEY], b[REMEMBERED_KEYS][REMEMBERED_KEY];
    const struct scratch *scratch = *state;
    char path[300];

    snprintf(path, sizeof(path), "%s", scratch->root);
    mkdir(at(scratch, "d"), 0755);
    put_text(at(scratch, "app"), "\177ELF");
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        for (size_t k = 0; k < sizeof(scripts) / sizeof(scripts[0]); k++) {
            put_text(at(scratch, scripts[k]), "#!/bin/sh\nlmp\n");
            chmod(at(scratch, scripts[k]), 0755);
        }
        assert_ok(chdir(path));
        make_keys(a, changes[i].before, path);
        if (changes[i].folder)
            assert_ok(chdir(changes[i].folder));
        if (changes[i].script)
            put_text(at(scratch, "run.sh"), changes[i].script);
        make_keys(b, changes[i].after, path);
        if (!strcmp(a[REMEMBERED_EXACT], b[REMEMBERED_EXACT]) !=
                changes[i].exact ||
            !strcmp(a[REMEMBERED_LOOSE], b[REMEMBERED_LOOSE]) !=
                changes[i].loose)
            fail_msg("%s, then %s", changes[i].before, changes[i].after);
        assert_ok(chdir("/"));
    }
}

static void programs_are_remembered(void **state)
{
    const struct remembered what = {program, identity};
    char keys[REMEMBERED_KEYS][REMEMBERED_KEY], both[2 * REMEMBERED_KEY + 8];
    const char *root = at(*state, "c");
    struct remembered back;
    struct mapcore_error err;

    assert_ok(mkdir(root, 0755));
    assert_true(remembered_make_keys(keys, 3, words, NULL));
    assert_int_equal(remembered_read(&back, root, keys[0], &err),
                     MAPCORE_ENOENT);
    snprintf(both, sizeof(both), "%s x/../y %s", keys[0], keys[1]);
    assert_ok(remembered_write(root, both, what.program, what.identity, &err));
    assert_ok(remembered_write(root, both, what.program, what.identity, &err));
    for (int i = 0; i < REMEMBERED_KEYS; i++) {
        assert_ok(remembered_read(&back, root, keys[i], &err));
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

    assert_ok(mkdir(root, 0755));
    assert_true(remembered_make_keys(keys, 3, words, NULL));
    assert_ok(
        remembered_write(root, keys[0], what.program, what.identity, &err));
    snprintf(file, sizeof(file), "d/" REMEMBERED_FOLDER "/%s", keys[0]);
    assert_ok(chmod(at(*state, file), 0666));
    assert_int_equal(remembered_read(&back, root, keys[0], &err),
                     MAPCORE_ETRUST);
    assert_ok(chmod(at(*state, file), 0644));
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

    assert_true(remembered_make_keys(keys, 3, words, NULL));
    assert_int_equal(remembered_write(at(*state, ""), keys[0], what.program,
                                      what.identity, NULL),
                     MAPCORE_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(keys_tell_commands_apart),
        ON_DISK(programs_are_remembered),
        ON_DISK(what_others_could_write_is_refused),
        ON_DISK(what_no_line_can_hold_is_not_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
