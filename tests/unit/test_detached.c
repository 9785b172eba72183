/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_detached.c - a process that outlives the group of who started it */
#include "config.h"

#include "unit.h"

#include "profiles/detached.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts one, and ends itself with its whole group at once, as srun ends a
 * planner that has answered. */
static _Noreturn void start_and_die(int fd)
{
    setpgid(0, 0);
    if (detached_fork(60) == 0) {
        char byte = (char)('0' + (getsid(0) == getpid()));

        _exit(write(fd, &byte, 1) == 1 ? 0 : 1);
    }
    kill(0, SIGKILL);
    _exit(1);
}

static void test_outlives_its_group(void **state)
{
    for (int i = 0; i < 300; i++) {
        int ends[2], status;
        char byte = 0;
        pid_t child;

        assert_ok(pipe2(ends, O_CLOEXEC));
        child = fork();
        assert_true(child >= 0);
        if (child == 0)
            start_and_die(ends[1]);
        close(ends[1]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(read(ends[0], &byte, 1), 1);
        assert_int_equal(byte, '1');
        close(ends[0]);
    }
}

/* Tells whether it has left, then waits for a word and tells that it lives. */
static _Noreturn void leave_and_live(int fd, bool leads)
{
    char byte;

    if (leads)
        setpgid(0, 0);
    byte = (char)('0' + detached_leave());
    _exit(write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1 &&
                  write(fd, &byte, 1) == 1
              ? 0
              : 1);
}

static void test_leaves_its_group(void **state)
{
    /* One that began outside of this namespace of processes has no number. */
    if (getpgrp() == 0)
        assert_ok(setpgid(0, 0));
    for (int leads = 0; leads < 2; leads++) {
        int ends[2], status;
        char byte = 0;
        pid_t child;

        assert_ok(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            close(ends[0]);
            leave_and_live(ends[1], leads);
        }
        close(ends[1]);
        assert_int_equal(read(ends[0], &byte, 1), 1);
        assert_int_equal(byte, '0' + leads);
        /* There is no such group any more, nor does a signal to ours end it. */
        if (leads) {
            assert_int_equal(kill(-child, SIGKILL), -1);
            assert_ok(kill(child, SIGTERM));
        }
        assert_int_equal(write(ends[0], "x", 1), 1);
        assert_int_equal(read(ends[0], &byte, 1), 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        close(ends[0]);
    }
}

/* Everybody else comes first. */
static void test_runs_last(void **state)
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        detached_last();
        _exit(getpriority(PRIO_PROCESS, 0) == 19 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outlives_its_group),
        cmocka_unit_test(test_leaves_its_group),
        cmocka_unit_test(test_runs_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
