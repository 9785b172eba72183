/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_forked.c - work in a copy of the process: what comes back, what the
 * program sees of it, and what is left behind */
#include "config.h"

#include "unit.h"

#include "profiles/commprof/forked.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t nchildren;
static volatile int nprepared;

static void note_child(int number)
{
    (void)number;
    nchildren++;
}

static void note_fork(void)
{
    nprepared++;
}

static int tell(struct forked_result *out, const void *subject)
{
    int open_ones = 0;

    for (int fd = STDERR_FILENO + 1; fd < 64; fd++)
        open_ones += fcntl(fd, F_GETFD) >= 0;
    snprintf(out->text, sizeof(out->text), "%s, %d open", (const char *)subject,
             open_ones);
    return -3;
}

static void what_it_says_comes_back(void **state)
{
    struct forked_result result = {.status = 1};

    signal(SIGCHLD, note_child);
    pthread_atfork(note_fork, NULL, NULL);
    assert_int_equal(forked_run(&result, tell, "word", 60), FORKED_DONE);
    assert_int_equal(result.status, -3);
    assert_string_equal(result.text, "word, 0 open");
    assert_int_equal(nchildren, 0);
    assert_int_equal(nprepared, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(forked_run(&result, tell, "word", 60), FORKED_DONE);
    signal(SIGCHLD, SIG_DFL);
}

static int hang(struct forked_result *out, const void *subject)
{
    (void)out;
    (void)subject;
    return pause();
}

static int die(struct forked_result *out, const void *subject)
{
    (void)out;
    (void)subject;
    raise(SIGKILL);
    return 0;
}

static void what_is_late_is_left_behind(void **state)
{
    struct forked_result result;

    assert_int_equal(forked_run(&result, hang, NULL, 0), FORKED_LATE);
    assert_int_equal(forked_run(&result, die, NULL, 60), FORKED_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_says_comes_back),
        cmocka_unit_test(what_is_late_is_left_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
