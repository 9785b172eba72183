/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_lookup.c - what srun asks of files, and of a standard error, without
 * waiting for them */
#include "config.h"

#include "plugin/srun/lookup.h"

#include "plugin/handoff/recorder_file.h"
#include "plugin/say.h"
#include "plugin/srun/child.h"

#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "scratch.h"

static void text_goes_where_somebody_reads(void **state)
{
    const struct sockaddr_un any = {.sun_family = AF_UNIX};
    int listening = socket(AF_UNIX, SOCK_STREAM, 0), pair[2], ends[2];
    int null = open("/dev/null", O_WRONLY), in = open("/dev/null", O_RDONLY);

    /* An abstract name that the kernel chooses. */
    assert_ok(
        bind(listening, (const struct sockaddr *)&any, sizeof(any.sun_family)));
    assert_ok(listen(listening, 1));
    assert_ok(pipe(ends));
    assert_ok(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    assert_true(say_takes_text(null));
    assert_true(say_takes_text(ends[1]));
    assert_true(say_takes_text(pair[0]));
    assert_false(say_takes_text(listening));
    assert_false(say_takes_text(ends[0]));
    assert_false(say_takes_text(in));
    close(in);
    assert_false(say_takes_text(in));
    close(null);
    close(listening);
    for (int i = 0; i < 2; i++) {
        close(pair[i]);
        close(ends[i]);
    }
}

static int wait_for_ever(FILE *out,
                         const void *subject,
                         struct mapcore_error *err)
{
    (void)out;
    (void)err;
    child_asks("/quick");
    child_asks(subject);
    pause();
    return 0;
}

static int say_no(FILE *out, const void *subject, struct mapcore_error *err)
{
    child_asks(subject);
    fputs("no answer", out);
    snprintf(err->text, sizeof(err->text), "%s: no", (const char *)subject);
    return MAPCORE_ENOENT;
}

static int say_yes(FILE *out, const void *subject, struct mapcore_error *err)
{
    (void)err;
    /* Nothing of the caller's is open. */
    fprintf(out, "%s %d %d", (const char *)subject, fcntl(2, F_GETFD) >= 0,
            fcntl(3, F_GETFD) >= 0);
    return 0;
}

static void who_does_not_answer_is_named(void **state)
{
    struct child_question question = {
        .answer = wait_for_ever, .subject = "/slow", .seconds = 0.05};
    struct mapcore_error err;
    char *out = NULL;
    size_t n = 0;

    /* Until it has had the time to come to what it waits for. */
    do {
        assert_int_equal(child_ask(&out, &n, &question, &err), MAPCORE_EIO);
        question.seconds *= 2;
    } while (strcmp(err.text, "/slow does not answer") != 0 &&
             question.seconds < 60);
    assert_string_equal(err.text, "/slow does not answer");
    question.seconds = 60;
    question.answer = say_no;
    assert_int_equal(child_ask(&out, &n, &question, &err), MAPCORE_EIO);
    assert_string_equal(err.text, "/slow: no");
    question.answer = say_yes;
    assert_ok(child_ask(&out, &n, &question, &err));
    assert_string_equal(out, "/slow 1 0");
    free(out);
}

/* What srun blocks, ignores and has open is not the program's. */
static void a_program_starts_afresh(void **state)
{
    static const struct {
        const char *command, *says;
    } cases[] = {
        {"kill -USR1 $$", "topomap was ended by signal 10"},
        {"kill -USR2 $$", "topomap was ended by signal 12"},
        {"exec 2>/dev/null; : <&3 || exit 7", "topomap ended with status "},
    };
    sigset_t some, before, after;

    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    signal(SIGUSR2, SIG_IGN);
    sigprocmask(SIG_BLOCK, &some, &before);
    assert_int_equal(dup2(STDERR_FILENO, 3), 3);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *argv[] = {"/bin/sh", "-c", cases[i].command, NULL};
        const struct child_question question = {.argv = argv, .seconds = 60};
        struct mapcore_error err;
        char *out = NULL;
        size_t n = 0;

        assert_int_equal(child_ask(&out, &n, &question, &err), MAPCORE_EIO);
        assert_non_null(strstr(err.text, cases[i].says));
    }
    close(3);
    sigprocmask(SIG_SETMASK, &before, &after);
    assert_true(sigismember(&after, SIGUSR1));
    assert_false(sigismember(&after, SIGTERM));
    signal(SIGUSR2, SIG_DFL);
}

static void what_cannot_be_executed_is_named(void **state)
{
    const char *argv[] = {"/no/such", NULL};
    const struct child_question question = {.argv = argv, .seconds = 60};
    struct mapcore_error err;
    char *out = NULL;
    size_t n = 0;

    assert_int_equal(child_ask(&out, &n, &question, &err), MAPCORE_ENOENT);
    assert_string_equal(
        err.text, "/no/such cannot be started: No such file or directory");
    argv[0] = "/dev/null";
    assert_int_equal(child_ask(&out, &n, &question, &err), MAPCORE_ENOENT);
    assert_string_equal(err.text,
                        "/dev/null cannot be started: Permission denied");
}

/* Some library, as this very program has it mapped. */
static int find_library(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    if (!strstr(info->dlpi_name, "cmocka"))
        return 0;
    snprintf(out, 512, "%s", info->dlpi_name);
    return 1;
}

static void a_recorder_is_a_library_of_this_machine(void **state)
{
    struct scratch *scratch = *state;
    char library[512] = "", bytes[4096];
    const char *path;
    struct mapcore_error err;
    FILE *file;

    assert_int_equal(dl_iterate_phdr(find_library, library), 1);
    assert_ok(recorder_file_check(library, &err));
    assert_int_equal(recorder_file_check("/proc/self/exe", NULL),
                     MAPCORE_EINVAL);
    assert_int_equal(recorder_file_check("/dev/zero", NULL), MAPCORE_EINVAL);
    assert_int_equal(recorder_file_check("/", NULL), MAPCORE_EINVAL);
    assert_int_equal(recorder_file_check("/no/such", NULL), MAPCORE_EIO);
    assert_int_equal(recorder_file_check("/a:b", NULL), MAPCORE_EINVAL);
    assert_int_equal(recorder_file_check_path("/a b", NULL), MAPCORE_EINVAL);
    assert_int_equal(recorder_file_check_path("/a\nb", NULL), MAPCORE_EINVAL);
    assert_ok(recorder_file_check_path("/a.so", NULL));

    path = at(scratch, "fifo");
    assert_ok(mkfifo(path, 0600));
    assert_int_equal(recorder_file_check(path, &err), MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "not a regular file"));
    path = at(scratch, "text");
    put_file(path, "no library\n", 11);
    assert_int_equal(recorder_file_check(path, &err), MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "not a shared object"));

    file = fopen(library, "r");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof(bytes), file), sizeof(bytes));
    fclose(file);
    for (size_t n = 0; n < sizeof(bytes); n += 97) {
        put_file(path, bytes, n);
        assert_int_equal(recorder_file_check(path, NULL), MAPCORE_EINVAL);
    }
    ((ElfW(Ehdr) *)(void *)bytes)->e_machine ^= 1;
    put_file(path, bytes, sizeof(bytes));
    assert_int_equal(recorder_file_check(path, &err), MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "another machine"));
}

static void a_program_of_somebody_else_is_not_recorded(void **state)
{
    struct scratch *scratch = *state;
    const char *path;

    assert_ok(recorder_file_check_program("/no/such", NULL));
    assert_ok(recorder_file_check_program("/proc/self/exe", NULL));
    path = at(scratch, "program");
    put_file(path, "", 0);
    assert_ok(chmod(path, 04755));
    assert_ok(recorder_file_check_program(path, NULL));
    if (geteuid() != 0 || chown(path, 1, 1) < 0)
        return;
    assert_ok(chmod(path, 04755));
    assert_int_equal(recorder_file_check_program(path, NULL), MAPCORE_ENOTSUP);
    assert_ok(chmod(path, 02755));
    assert_int_equal(recorder_file_check_program(path, NULL), MAPCORE_ENOTSUP);
    assert_ok(chmod(path, 02745));
    assert_ok(recorder_file_check_program(path, NULL));
}

static void a_launch_names_its_files(void **state)
{
    static const struct {
        struct lookup_request request;
        int error;
        const char *program;
        const char *refusal; /* a part of it */
    } cases[] = {
        {{.command = "sh", .path = "/bin"}, 0, "/", NULL},
        {{.command = "/no/such"}, MAPCORE_EIO, NULL, NULL},
        {{.command = "no-such", .path = "/bin", .need_not_be = true},
         0,
         "no-such",
         NULL},
        {{.command = "/bin/sh", .records = true}, 0, "/", NULL},
        {{.command = "/bin/sh", .records = true, .recorder = "/no/such"},
         0,
         "/",
         "/no/such: No such file"},
        {{.command = "/bin/sh", .records = true, .recorder = "/dev/zero"},
         0,
         "/",
         "not a regular file"},
        {{.command = "/bin/sh", .recorder = "/dev/zero"}, 0, "/", NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lookup files = {0};

        assert_int_equal(lookup_launch(&files, &cases[i].request, 60, NULL),
                         cases[i].error);
        if (cases[i].program)
            assert_memory_equal(files.program, cases[i].program,
                                strlen(cases[i].program));
        if (cases[i].refusal)
            assert_non_null(strstr(files.refusal, cases[i].refusal));
        else
            assert_null(files.refusal);
        lookup_clear(&files);
    }
}

static void files_of_a_step_are_written_and_removed(void **state)
{
    struct scratch *scratch = *state;
    const struct lookup_file file = {"slots", "1 2", 1, 2};
    char *path = NULL, *none = NULL;
    struct stat status;

    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", scratch->root, 1);
    assert_ok(lookup_write(&path, &file, 60, NULL));
    assert_ok(stat(path, &status));
    assert_int_equal(status.st_size, 3);
    lookup_remove((const char *const[]){path}, 1, 60);
    assert_int_equal(access(path, F_OK), -1);
    free(path);
    setenv("HOME", "/dev/null", 1);
    assert_int_equal(lookup_write(&none, &file, 60, NULL), MAPCORE_EIO);
    assert_null(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_goes_where_somebody_reads),
        cmocka_unit_test(who_does_not_answer_is_named),
        cmocka_unit_test(a_program_starts_afresh),
        cmocka_unit_test(what_cannot_be_executed_is_named),
        ON_DISK(a_recorder_is_a_library_of_this_machine),
        ON_DISK(a_program_of_somebody_else_is_not_recorded),
        cmocka_unit_test(a_launch_names_its_files),
        ON_DISK(files_of_a_step_are_written_and_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
