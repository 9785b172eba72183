/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_wrappers.c - what stands behind bash -c, env, numactl and the like, by
 * their words alone */
#include "config.h"

#include "launch/command/shell_text.h"
#include "launch/command/wrappers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define WORDS_MAX 64

/* Divides at '|'; an empty piece is an empty word. */
static int divide(const char *argv[WORDS_MAX], char *line)
{
    int n = 0;

    for (char *bar; n < WORDS_MAX - 1; line = bar + 1) {
        argv[n++] = line;
        if (!(bar = strchr(line, '|')))
            break;
        *bar = '\0';
    }
    argv[n] = NULL;
    return n;
}

struct wrapper_case {
    const char *line; /* words, divided by | */
    enum wrapper_kind kind;
    const char *behind; /* argv[at], or NULL */
    const char *text;   /* or NULL */
};

static const struct wrapper_case cases[] = {
    {"./app|3", WRAPPER_NONE, NULL, NULL},
    {"", WRAPPER_NONE, NULL, NULL},
    {"env|A=1|./app", WRAPPER_COMMAND, "A=1", NULL},
    {"/usr/bin/env|./app", WRAPPER_COMMAND, "./app", NULL},
    {"env|-S python3 -u|x.py", WRAPPER_WORDS, "x.py", " python3 -u"},
    {"env|-C|/d|prog", WRAPPER_UNKNOWN, NULL, NULL},
    {"env", WRAPPER_NONE, NULL, NULL},
    {"nice|-n|5|./app", WRAPPER_COMMAND, "-n", NULL},
    {"numactl|--localalloc|--|./app", WRAPPER_COMMAND, "--localalloc", NULL},
    {"conda|run|-n|env|python|x.py", WRAPPER_COMMAND, "-n", NULL},
    {"conda|info", WRAPPER_NONE, NULL, NULL},
    {"perf_5.10|record|-g|./app", WRAPPER_COMMAND, "-g", NULL},
    {"/lib64/ld-linux-x86-64.so.2|./app", WRAPPER_COMMAND, "./app", NULL},
    {"nsys|profile|-o|out|./app", WRAPPER_COMMAND, "profile", NULL},
    /* Shells */
    {"bash|-c|./app 3", WRAPPER_TEXT, NULL, "./app 3"},
    {"bash|-c|./app $1|x|3", WRAPPER_TEXT, "x", "./app $1"},
    {"sh|-ec|./app", WRAPPER_TEXT, NULL, "./app"},
    {"bash|-lc|./app", WRAPPER_TEXT, NULL, "./app"},
    {"/bin/bash|--login|-c|./app", WRAPPER_TEXT, NULL, "./app"},
    {"bash|-euo|pipefail|-c|./app", WRAPPER_TEXT, NULL, "./app"},
    {"bash|-c|--|./app", WRAPPER_TEXT, NULL, "./app"},
    {"bash|run.sh|-c|x", WRAPPER_SHELL_SCRIPT, "run.sh", NULL},
    {"bash|-x|run.sh", WRAPPER_SHELL_SCRIPT, "run.sh", NULL},
    {"bash", WRAPPER_NONE, NULL, NULL},
    {"bash|-c", WRAPPER_NONE, NULL, NULL},
    /* Interpreters */
    {"python3|x.py|-m|y", WRAPPER_SCRIPT, "x.py", NULL},
    {"python3.11|-u|-W|ignore|-X|dev|x.py", WRAPPER_SCRIPT, "x.py", NULL},
    {"/opt/venv/bin/python|-Wignore|x.py", WRAPPER_SCRIPT, "x.py", NULL},
    {"python3|-m|pkg.mod|3", WRAPPER_MODULE, "3", "pkg.mod"},
    {"python3|-um|pkg.mod", WRAPPER_MODULE, NULL, "pkg.mod"},
    {"python3|-mpkg.mod", WRAPPER_MODULE, NULL, "pkg.mod"},
    {"python3|-c|import x", WRAPPER_UNKNOWN, NULL, NULL},
    {"python3|-", WRAPPER_UNKNOWN, NULL, NULL},
    {"python3", WRAPPER_NONE, NULL, NULL},
    {"python3|-m|mpi4py|x.py|3", WRAPPER_SCRIPT, "x.py", NULL},
    {"python3|-m|mpi4py|-m|pkg.mod", WRAPPER_MODULE, NULL, "pkg.mod"},
    {"python3|-m|coverage|run|x.py", WRAPPER_UNKNOWN, NULL, NULL},
    {"Rscript|--vanilla|x.R", WRAPPER_SCRIPT, "x.R", NULL},
    {"perl|-w|x.pl", WRAPPER_SCRIPT, "x.pl", NULL},
    {"apptainer|exec|i.sif|./app|3", WRAPPER_UNKNOWN, NULL, NULL},
};

static void each_wrapper_says_what_is_behind_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct wrapper_case *c = &cases[i];
        const char *argv[WORDS_MAX];
        char *line = strdup(c->line);
        int argc = divide(argv, line);
        struct wrapper found;

        wrapper_look(&found, argc, argv);
        if (found.kind != c->kind)
            fail_msg("%s: kind %d, not %d", c->line, (int)found.kind,
                     (int)c->kind);
        if (c->behind && strcmp(argv[found.at], c->behind) != 0)
            fail_msg("%s: %s, not %s", c->line, argv[found.at], c->behind);
        if (c->text && (!found.text || strcmp(found.text, c->text) != 0))
            fail_msg("%s: text %s", c->line, found.text);
        if (found.kind == WRAPPER_TEXT && !c->behind)
            assert_int_equal(found.at, argc);
        free(line);
    }
}

static void what_changes_for_the_command_is_told(void **state)
{
    static const char *const box[] = {"apptainer", "exec", "i.sif", "prog"};
    static const char *const memcheck[] = {"valgrind", "prog"};
    struct wrapper found;

    (void)state;
    wrapper_look(&found, COUNT(box), box);
    assert_true(found.is_container);
    wrapper_look(&found, COUNT(memcheck), memcheck);
    assert_true(found.hides_exe);
    assert_true(wrapper_is_known("/usr/bin/python3.11"));
    assert_true(wrapper_is_known("bash"));
    assert_false(wrapper_is_known("./bashful"));
    assert_false(wrapper_is_known("3.11"));
    assert_false(wrapper_is_known(""));
    assert_false(wrapper_is_known("a b"));
}

struct text_case {
    const char *text;
    const char *args; /* $0|$1|..., or NULL */
    bool is_plain;
    const char *commands; /* their words by |, and ; between them; a folder
                             as @folder in front */
};

static const struct text_case texts[] = {
    {"./app 3", NULL, true, "./app|3"},
    {"cd x && exec ./app 3", NULL, true, "@x ./app|3"},
    {"cd /x; cd 'y z'; ./app", NULL, true, "@/x/y z ./app"},
    {"cd $NOWHERE; ./app", NULL, true, "@ ./app"},
    {"a; b", NULL, true, "a;b"},
    {"A=1 B='2 3' ./app", NULL, true, "./app"},
    {"export OMP_NUM_THREADS=4; ulimit -s unlimited\n./app", NULL, true,
     "./app"},
    {"./app > out.$SLURM_PROCID 2>&1 < in", NULL, true, "./app"},
    {"./app 3 &> out; echo done", NULL, true, "./app|3"},
    {"./app || exit 1", NULL, true, "./app"},
    {"# ./no\nset -e\n./app # or not", NULL, true, "./app"},
    {"./app \"a b\" 'c d' e\\ f", NULL, true, "./app|a b|c d|e f"},
    {"./a\\\npp", NULL, true, "./app"},
    {"exec \"$@\"", "x|./app|a b", true, "./app|a b"},
    {"export G=$1; shift; exec $@", "x|0|./app|3", true, "./app|3"},
    {"exec 2>err; ./app", NULL, true, "./app"},
    {"module load gromacs; gmx mdrun", NULL, false, "gmx|mdrun"},
    {"PATH=/x:$PATH; gmx", NULL, false, "gmx"},
    {"if [ $SLURM_PROCID = 0 ]; then perf stat ./app; else ./app; fi", NULL,
     false, "perf|stat|./app;./app"},
    {"for i in 1 2; do ./app $i; done", NULL, false, "i|in|1|2;./app|$i"},
    {"(cd x; ./app)", NULL, false, "@x ./app"},
    {"$UNKNOWN 3", NULL, true, "$UNKNOWN|3"},
    {"`which app` 3", NULL, true, "`which|app`|3"},
    {"f() { ./app; }; f", NULL, false, "f;./app;f"},
    {"", NULL, true, ""},
    {"'unended", NULL, true, "unended"},
};

static void describe(char *out, size_t size, const struct shell_text *text)
{
    size_t n = 0;

    *out = '\0';
    for (size_t i = 0; i < text->n; i++) {
        const struct shell_command *command = &text->command[i];

        n += (size_t)snprintf(out + n, size - n, "%s", i > 0 ? ";" : "");
        if (command->folder)
            n += (size_t)snprintf(out + n, size - n, "@%s ", command->folder);
        for (int k = 0; k < command->argc; k++)
            n += (size_t)snprintf(out + n, size - n, "%s%s", k > 0 ? "|" : "",
                                  command->argv[k]);
        assert_null(command->argv[command->argc]);
    }
}

static void a_shells_text_is_read_for_its_commands(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        const struct text_case *c = &texts[i];
        const char *argv[WORDS_MAX];
        char *args = c->args ? strdup(c->args) : NULL, said[512];
        int argc = args ? divide(argv, args) : 0;
        struct shell_text text;

        assert_int_equal(
            shell_text_read(&text, c->text, strlen(c->text), argc, argv, NULL),
            0);
        describe(said, sizeof(said), &text);
        if (strcmp(said, c->commands) != 0 || text.is_plain != c->is_plain)
            fail_msg("%s: %s, plain %d", c->text, said, text.is_plain);
        shell_text_clear(&text);
        free(args);
    }
}

/* So many commands and words are read, and what is left out is told. */
static void long_texts_are_cut(void **state)
{
    char many[4096] = "";
    struct shell_text text;

    (void)state;
    for (int i = 0; i < 100; i++)
        memcpy(many + 4 * i, "./a;", 5);
    assert_int_equal(shell_text_read(&text, many, strlen(many), 0, NULL, NULL),
                     0);
    assert_int_equal(text.n, 64);
    assert_false(text.is_plain);
    shell_text_clear(&text);
    for (int i = 0; i < 1000; i++)
        memcpy(many + 2 * i, "a ", 3);
    assert_int_equal(shell_text_read(&text, many, strlen(many), 0, NULL, NULL),
                     0);
    assert_int_equal(text.n, 1);
    assert_int_equal(text.command[0].argc, 256);
    assert_false(text.is_plain);
    shell_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_wrapper_says_what_is_behind_it),
        cmocka_unit_test(what_changes_for_the_command_is_told),
        cmocka_unit_test(a_shells_text_is_read_for_its_commands),
        cmocka_unit_test(long_texts_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
