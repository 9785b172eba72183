/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_detached.c - a process that outlives the group of who started it */
#include "config.h"

#include "profiles/detached.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

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
    (void)state;
    for (int i = 0; i < 300; i++) {
        int ends[2], status;
        char byte = 0;
        pid_t child;

        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outlives_its_group),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
