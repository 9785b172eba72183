/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_wrappers.c - what shells and interpreters are given to run, by their
 * words alone, and the commands of a script's text */
#include "config.h"

#include "unit.h"

#include "launch/command/wrappers.h"
#include "profiles/program/command_file.h"

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

static const struct {
    const char *line; /* words, divided by | */
    enum wrapper_operand operand;
    const char *word, *next; /* what is run, and its first argument */
} operands[] = {
    {"bash|-c|./app 3", WRAPPER_TEXT, "./app 3", NULL},
    {"bash|-lc|./app \"$@\"|x|1", WRAPPER_TEXT, "./app \"$@\"", "x"},
    {"sh|-e|-c|./app", WRAPPER_TEXT, "./app", NULL},
    {"bash|-o|pipefail|-c|./app", WRAPPER_TEXT, "./app", NULL},
    {"bash|--norc|+x|-c|--|./app", WRAPPER_TEXT, "./app", NULL},
    {"bash|run.sh|-c|x", WRAPPER_FILE, "run.sh", "-c"},
    {"/bin/bash|-x|run.sh", WRAPPER_FILE, "run.sh", NULL},
    {"bash|-s|x", WRAPPER_NOTHING, NULL, NULL},
    {"bash|-c", WRAPPER_NOTHING, NULL, NULL},
    {"bash", WRAPPER_NOTHING, NULL, NULL},
    {"python3|x.py|-m|y", WRAPPER_FILE, "x.py", "-m"},
    {"python3.11|-u|-W|ignore|-X|dev|x.py", WRAPPER_FILE, "x.py", NULL},
    {"/opt/venv/bin/python|-Wignore|x.py", WRAPPER_FILE, "x.py", NULL},
    {"python3|-m|pkg.mod|3", WRAPPER_MODULE, "pkg.mod", "3"},
    {"python3|-um|pkg.mod", WRAPPER_MODULE, "pkg.mod", NULL},
    {"python3|-mpkg.mod", WRAPPER_MODULE, "pkg.mod", NULL},
    {"python3|-m", WRAPPER_NOTHING, NULL, NULL},
    {"python3|-c|import x", WRAPPER_NOTHING, NULL, NULL},
    {"python3|-|x", WRAPPER_NOTHING, NULL, NULL},
    {"python3|-m|mpi4py|x.py|3", WRAPPER_FILE, "x.py", "3"},
    {"python3|-m|mpi4py|-m|pkg.mod", WRAPPER_MODULE, "pkg.mod", NULL},
    {"python3|-m|mpi4py", WRAPPER_MODULE, "mpi4py", NULL},
    {"julia|--project=.|-t|4|x.jl", WRAPPER_FILE, "x.jl", NULL},
    {"Rscript|--vanilla|x.R", WRAPPER_FILE, "x.R", NULL},
    {"perl|-w|x.pl", WRAPPER_FILE, "x.pl", NULL},
    {"perl|-e|print", WRAPPER_NOTHING, NULL, NULL},
    {"env|x", WRAPPER_NOTHING, NULL, NULL},
    {"./app|x", WRAPPER_NOTHING, NULL, NULL},
};

static void interpreters_are_given_a_file_text_or_module(void **state)
{
    for (size_t i = 0; i < COUNT(operands); i++) {
        const char *argv[WORDS_MAX], *word = NULL;
        char *line = strdup(operands[i].line);
        int argc = divide(argv, line), at = 0;

        if (wrapper_operand(&word, &at, argc, argv) != operands[i].operand)
            fail_msg("%s: another kind", operands[i].line);
        if (operands[i].operand != WRAPPER_NOTHING) {
            assert_string_equal(word, operands[i].word);
            if (operands[i].next)
                assert_string_equal(argv[at], operands[i].next);
            else
                assert_int_equal(at, argc);
        }
        free(line);
    }
}

static void wrappers_are_known_by_their_names(void **state)
{
    assert_int_equal(wrapper_find("/usr/bin/python3.11")->kind,
                     WRAPPER_INTERPRETER);
    assert_int_equal(wrapper_find("bash")->kind, WRAPPER_SHELL);
    assert_int_equal(wrapper_find("perf_5.10")->operands, 1);
    assert_true(wrapper_find("/lib64/ld-linux-x86-64.so.2")->hides_exe);
    assert_int_equal(wrapper_find("podman-hpc")->kind, WRAPPER_CONTAINER);
    assert_null(wrapper_find("./bashful"));
    assert_null(wrapper_find("3.11"));
    assert_null(wrapper_find(""));
    assert_null(wrapper_find("env nice"));
}

static const struct {
    const char *text, *commands; /* words divided by |, commands by / */
} texts[] = {
    {"./app 3", "./app|3"},
    {"a; b&& c||d | e &\nf", "a/b/c/d/e/f"},
    {"#!/bin/sh\n# no\na # no\nb#c", "a/b#c"},
    {"exec './a b' \"c 'd'\" e\\ f g'h'\"i\" ''", "exec|./a b|c 'd'|e f|ghi|"},
    {"./app 2>&1 &>x >>y", "./app|2>&1|&>x|>>y"},
    {"a \\\n b\\\nc", "a|bc"},
    {"x=$(b c); (d `e`)", "x=$/b|c/d/e"},
    {"if [ \"$X\" ]; then ./a; fi", "if|[|$X|]/then|./a/fi"},
    {"a 'b", "a|b"},
    {"a \"b\\\"c\\", "a|b\"c\\"},
    {"", ""},
};

static void a_text_has_commands(void **state)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *text = texts[i].text, *end = text + strlen(text);
        char said[256] = "";

        while (text < end) {
            struct command_words words = {.n = 0};

            assert_ok(command_words_shell(&words, &text, end, NULL));
            for (int k = 0; k < words.n; k++)
                snprintf(said + strlen(said), sizeof(said) - strlen(said),
                         "%s%s",
                         k       ? "|"
                         : *said ? "/"
                                 : "",
                         words.word[k]);
            command_words_clear(&words);
        }
        assert_string_equal(said, texts[i].commands);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpreters_are_given_a_file_text_or_module),
        cmocka_unit_test(wrappers_are_known_by_their_names),
        cmocka_unit_test(a_text_has_commands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
