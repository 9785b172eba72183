/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_subject.c - the program behind wrappers, shells, interpreters and
 * scripts, found among files that are made for it */
#include "config.h"

#include "profiles/program/subject.h"

#include "scratch.h"

#include "elfimage.h"

#define WORDS_MAX 32

/* In bin, which is all that PATH has: programs without MPI. */
static const char *const tools[] = {
    "bash",   "sh",       "env",       "numactl", "taskset", "time",
    "nice",   "stdbuf",   "valgrind",  "perf",    "python3", "conda",
    "nsys",   "hostname", "apptainer", "timeout", "nohup",   "strace",
    "ionice", "chrt",     "setsid",    "Rscript", "julia",   "hwloc-bind",
    "podman", "ch-run",   "gdb",       "perl",    "mpi4run", "date",
};

static const struct {
    const char *name, *text;
} scripts[] = {
    {"run.sh", "#!/bin/sh\nexport OMP_NUM_THREADS=2\nexec ./app \"$@\" >out\n"},
    {"env.sh", "#!/usr/bin/env bash\n./app\n"},
    {"bind.sh", "#!/bin/sh\nexport G=$SLURM_LOCALID; shift\nexec \"$@\"\n"},
    {"if.sh", "#!/bin/sh -e\nif [ -n \"$X\" ]; then perf stat ./app; else "
              "./app; fi\nhostname\n"},
    {"two.sh", "#!/bin/sh\n./app; ./other\n"},
    {"asks.sh", "#!/bin/sh\n$NOBODY_KNOWS 3\n"},
    {"no.sh", "#!/bin/sh\nhostname; date; numactl -l hostname\n"},
    {"loop.sh", "#!/bin/sh\nexec ./loop.sh\n"},
    {"pairs.py", "#!/usr/bin/env python3\nimport mpi4py\n"},
    {"words.py", "#!/usr/bin/env -S python3 -u\n"},
    {"plain.py", "import mpi4py\n"},
    {"ranks.conf", "# who is who\n0 ./master -x\n1-3,5 ./app %t\n* hostname\n"},
    {"quiet.conf", "0-3 hostname\n"},
    {"noise", "neither this nor that\n"},
    {"empty", ""},
};

static const struct {
    const char *name, *needed;
} programs[] = {
    {"app", "libmpich.so.12"}, {"d/app", "libmpi.so.40"},
    {"other", "libmpi.so.40"}, {"time", "libmpi.so.40"},
    {"master", NULL},          {"launcher", NULL},
};

static int make_files(void **state)
{
    char path[300];
    struct scratch *scratch;

    if (scratch_setup(state) < 0)
        return -1;
    scratch = *state;
    mkdir(at(scratch, "bin"), 0755);
    mkdir(at(scratch, "d"), 0755);
    for (size_t i = 0; i < COUNT(tools); i++) {
        snprintf(path, sizeof(path), "bin/%s", tools[i]);
        put_needing(at(scratch, path), NULL, 0, NULL);
        chmod(at(scratch, path), 0755);
    }
    for (size_t i = 0; i < COUNT(scripts); i++)
        put_text(at(scratch, scripts[i].name), scripts[i].text);
    for (size_t i = 0; i < COUNT(programs); i++) {
        put_needing(at(scratch, programs[i].name), programs[i].needed, 0, NULL);
        chmod(at(scratch, programs[i].name), 0755);
    }
    return 0;
}

struct subject_case {
    const char *line;  /* words, divided by | */
    const char *found; /* below the scratch folder; "=NAME" for a name */
    bool is_unknown;
    enum program_kind kind;
    bool hides_exe;
};

#define MPICH   false, PROGRAM_MPICH_ABI
#define OPENMPI false, PROGRAM_OPENMPI_ABI
#define SCRIPT  false, PROGRAM_SCRIPT
#define NO_MPI  false, PROGRAM_NO_MPI
#define UNKNOWN true, PROGRAM_SCRIPT

static const struct subject_case cases[] = {
    {"./app|3", "app", MPICH, false},
    {"hostname", "bin/hostname", NO_MPI, false},
    {"bash", "bin/bash", NO_MPI, false},
    {"bash|-c|./app 3", "app", MPICH, false},
    {"sh|-c|cd d && exec ./app 3", "bin/sh", UNKNOWN, false},
    {"bash|-c|a; b", "bin/bash", UNKNOWN, false},
    {"bash|-c|hostname; date", "bin/bash", NO_MPI, false},
    {"bash|-c|./app; ./other", "bin/bash", UNKNOWN, false},
    {"bash|-c|hostname; ./app; hostname", "app", MPICH, false},
    {"bash|-c|./master; ./app", "app", MPICH, false},
    {"bash|-c|cd $X; ./app", "bin/bash", UNKNOWN, false},
    {"bash|-c|exec \"$@\"|x|./app|3", "app", MPICH, false},
    {"bash|if.sh", "app", MPICH, false},
    {"bash|nowhere.sh", "bin/bash", UNKNOWN, false},
    {"env|-i|A=b|-u|X|./app", "app", MPICH, false},
    {"env|-C|d|./app", "bin/env", UNKNOWN, false},
    {"env|PATH=d|app", "bin/env", UNKNOWN, false},
    {"env|-i|numactl-of-ours|-l", "bin/env", UNKNOWN, false},
    {"timeout|-s|hostname|60|./app", "app", MPICH, false},
    {"numactl|--localalloc|--|./app", "app", MPICH, false},
    {"taskset|-c|0-3|./app", "app", MPICH, false},
    {"time|-v|./app", "app", MPICH, false},
    {"nice|-n|5|./app", "app", MPICH, false},
    {"stdbuf|-oL|./app", "app", MPICH, false},
    {"timeout|60|./app", "app", MPICH, false},
    {"nohup|./app", "app", MPICH, false},
    {"setsid|./app", "app", MPICH, false},
    {"strace|-f|-o|x|./app", "app", MPICH, false},
    {"ionice|-c|3|./app", "app", MPICH, false},
    {"chrt|-r|1|./app", "app", MPICH, false},
    {"hwloc-bind|core:0|./app", "app", MPICH, false},
    {"valgrind|-q|./app", "app", MPICH, true},
    {"perf|stat|-e|cycles|--|./app", "app", MPICH, false},
    {"nsys|profile|-o|out|./app", "app", MPICH, false},
    {"gdb|-batch|-ex|run|--args|./app", "app", MPICH, false},
    {"nsys|status", "bin/nsys", UNKNOWN, false},
    {"numactl|-l|taskset|1|env|A=1|bash|-c|nice ./app", "app", MPICH, false},
    {"python3|pairs.py|3", "pairs.py", SCRIPT, true},
    {"python3|-m|pkg.mod|3", "=pkg.mod", SCRIPT, false},
    {"python3|-m|mpi4py|pairs.py", "pairs.py", SCRIPT, true},
    {"python3|-c|import mpi4py", "bin/python3", UNKNOWN, false},
    {"python3|d", "=d", SCRIPT, false},
    {"conda|run|-n|x|python3|pairs.py", "pairs.py", SCRIPT, true},
    {"bash|-c|source x; python3 pairs.py", "pairs.py", SCRIPT, true},
    {"Rscript|plain.py", "plain.py", SCRIPT, true},
    {"./pairs.py|3", "pairs.py", SCRIPT, true},
    {"./words.py", "words.py", SCRIPT, true},
    {"./plain.py", "plain.py", SCRIPT, true},
    {"./run.sh|3", "app", MPICH, false},
    {"./env.sh", "app", MPICH, false},
    {"./bind.sh|0|./app|3", "app", MPICH, false},
    {"./bind.sh|0|hostname", "bind.sh", NO_MPI, false},
    {"./if.sh", "app", MPICH, false},
    {"./two.sh", "two.sh", UNKNOWN, false},
    {"./asks.sh", "asks.sh", UNKNOWN, false},
    {"./no.sh", "no.sh", NO_MPI, false},
    {"./loop.sh", "loop.sh", UNKNOWN, false},
    {"ranks.conf", "ranks.conf", MPICH, true},
    {"quiet.conf", "quiet.conf", NO_MPI, true},
    {"./noise", "noise", SCRIPT, true},
    {"./empty", "empty", SCRIPT, true},
    {"./launcher|-x|./app|3", "app", MPICH, false},
    {"./launcher|./master", "launcher", NO_MPI, false},
    /* Somebody's own program may be called so. */
    {"./time|./app", "time", OPENMPI, false},
    {"apptainer|exec|i.sif|./app", "bin/apptainer", UNKNOWN, false},
    {"podman|run|image|bash|-c|./app", "bin/podman", UNKNOWN, false},
    {"ch-run|/img|--|python3|pairs.py", "bin/ch-run", UNKNOWN, false},
};

/* Finds each in the scratch folder, with bin as PATH. */
static void expect_subject(const struct scratch *scratch,
                           const struct subject_case *c)
{
    const char *argv[WORDS_MAX], *path = at(scratch, "bin"), *found;
    char *line = strdup(c->line), *word = line;
    struct subject_found subject;
    struct mapcore_error err;
    size_t root = strlen(scratch->root);
    int argc = 0;

    for (char *bar; argc < WORDS_MAX; word = bar + 1) {
        argv[argc++] = word;
        if (!(bar = strchr(word, '|')))
            break;
        *bar = '\0';
    }
    if (subject_find(&subject, argc, argv, path, &err) < 0)
        fail_msg("%s: %s", c->line, err.text);
    found =
        subject.name
            ? subject.name
            : subject.program + strlen("/") +
                  (strncmp(subject.program, scratch->root, root) ? 0 : root);
    if (strcmp(found, c->found + (c->found[0] == '=')) != 0 ||
        (c->found[0] == '=') != (subject.name != NULL))
        fail_msg("%s: found %s", c->line, found);
    if (subject.is_unknown != c->is_unknown || subject.kind != c->kind ||
        subject.hides_exe != c->hides_exe)
        fail_msg("%s: unknown %d, kind %d, hides %d", c->line,
                 subject.is_unknown, (int)subject.kind, subject.hides_exe);
    if (subject_may_use_mpi(&subject) != (c->kind != PROGRAM_NO_MPI))
        fail_msg("%s: may use MPI", c->line);
    subject_clear(&subject);
    free(line);
}

/* #! names /bin/sh and /usr/bin/env, which every system has. */
static void programs_are_found_behind_wrappers(void **state)
{
    const struct scratch *scratch = *state;
    char *cwd = realpath(".", NULL);

    assert_non_null(cwd);
    for (size_t i = 0; i < COUNT(scripts); i++)
        assert_ok(chmod(at(scratch, scripts[i].name), 0755));
    assert_ok(chdir(scratch->root));
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_subject(scratch, &cases[i]);
    assert_ok(chdir(cwd));
    free(cwd);
}

static void what_was_typed_is_told(void **state)
{
    static const struct {
        const char *argv[5], *behind;
        bool is_container;
    } lines[] = {
        {{"bash", "-c", "nice ./app"}, "bash", false},
        {{"./run.sh"}, "run.sh", false},
        {{"./app"}, "", false},
        {{"apptainer", "exec", "i.sif", "./app"}, "apptainer", true},
    };
    const struct scratch *scratch = *state;
    char *cwd = realpath(".", NULL);

    assert_non_null(cwd);
    assert_ok(chdir(scratch->root));
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct subject_found subject;
        int argc = 0;

        while (lines[i].argv[argc])
            argc++;
        assert_ok(subject_find(&subject, argc, lines[i].argv,
                               at(scratch, "bin"), NULL));
        assert_string_equal(subject.behind, lines[i].behind);
        assert_int_equal(subject.is_container, lines[i].is_container);
        subject_clear(&subject);
    }
    assert_ok(chdir(cwd));
    free(cwd);
}

static void no_program_is_an_error(void **state)
{
    const char *const argv[] = {"no-such-program", NULL};
    const struct scratch *scratch = *state;
    struct subject_found subject;
    struct mapcore_error err;

    assert_int_equal(subject_find(&subject, 1, argv, at(scratch, "bin"), &err),
                     MAPCORE_ENOENT);
    assert_null(subject.program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_found_behind_wrappers),
        cmocka_unit_test(what_was_typed_is_told),
        cmocka_unit_test(no_program_is_an_error),
    };

    return cmocka_run_group_tests(tests, make_files, scratch_teardown);
}
