/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_node_region.c - what the tasks of a node work out once, with forks in
 * their places */
#include "config.h"

#include "unit.h"

#include "plugin/task/node_region.h"

#include "base/error_set.h"
#include "launch/kept.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 32, SECONDS = 20 };

/* What all tasks of a test can see. */
static struct {
    _Atomic int made;
    _Atomic bool may_end; /* who hangs */
} * seen;

enum kind { ANSWERS, NOTHING, FAILS, LONG, HANGS };

static int make(char **out, void *with, struct mapcore_error *err)
{
    const enum kind kind = *(const enum kind *)with;

    atomic_fetch_add(&seen->made, 1);
    usleep(20000); /* the others come meanwhile */
    if (kind == FAILS)
        return error_set(err, MAPCORE_EINVAL, "no such machine");
    /* Not for ever: the test itself may have failed. */
    for (int ms = 0; kind == HANGS && ms < 60000; ms++) {
        if (atomic_load(&seen->may_end))
            break;
        usleep(1000);
    }
    if (kind == ANSWERS || kind == HANGS)
        *out = strdup("0x1,0x2");
    if (kind == LONG && (*out = malloc(NODE_MASKS_MOST + 1))) {
        memset(*out, 'f', NODE_MASKS_MOST);
        (*out)[NODE_MASKS_MOST] = '\0';
    }
    return 0;
}

/* What one task finds: 0 when it is as its kind wants. */
static int ask(struct node_head *head, enum kind kind, unsigned seconds)
{
    struct mapcore_error err = {.text = ""};
    char *text = NULL;
    int error = node_masks_ask(&text, head, seconds, make, &kind, &err);
    bool good = false;

    switch (kind) {
    case ANSWERS:
        good = error == 0 && text && strcmp(text, "0x1,0x2") == 0;
        break;
    case NOTHING:
        good = error == 0 && !text;
        break;
    case FAILS:
        good =
            error == MAPCORE_EINVAL && strcmp(err.text, "no such machine") == 0;
        break;
    case LONG:
        good = error == MAPCORE_ERANGE && strlen(err.text) > 0;
        break;
    case HANGS:
        good = error == MAPCORE_EIO && !text && strlen(err.text) > 0;
        break;
    }
    free(text);
    return good ? 0 : 1;
}

/* How often the answer was made when several tasks asked at once. */
static int run_tasks(struct node_head *head, enum kind kind, unsigned seconds)
{
    atomic_store(&seen->made, 0);
    atomic_store(&seen->may_end, false);
    for (int i = 0; i < TASKS; i++) {
        const pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0)
            _exit(ask(head, kind, seconds));
    }
    for (int i = 0; i < TASKS; i++) {
        int status;

        /* Who hangs does until all others have waited for it. */
        if (i == TASKS - 1)
            atomic_store(&seen->may_end, true);
        assert_true(waitpid(-1, &status, 0) > 0);
        assert_int_equal(status, 0);
    }
    return atomic_load(&seen->made);
}

static void they_are_made_once(void **state)
{
    static const enum kind kinds[] = {ANSWERS, NOTHING, FAILS, LONG};

    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct node_region region;

        node_region_open(&region, TASKS, i % 2);
        assert_non_null(region.head);
        assert_int_equal(region.ncounters,
                         i % 2 ? TASKS * (1 + KEPT_NCCL_REGIONS) : 0);
        region.head->line[TASKS - 1][STEP_CPUS_LINE - 1] = 'x';
        assert_int_equal(run_tasks(region.head, kinds[i], SECONDS), 1);
        assert_int_equal(region.head->line[TASKS - 1][STEP_CPUS_LINE - 1], 'x');
        assert_int_equal(ftruncate(region.fd, 0), -1);
        node_region_close(&region);
        assert_null(region.head);
    }
}

static void without_memory_each_makes_them(void **state)
{
    assert_int_equal(run_tasks(NULL, ANSWERS, SECONDS), TASKS);
}

/* All or none: the one that makes them does not use them, either. */
static void who_waits_too_long_speaks_for_all(void **state)
{
    struct node_region region;

    node_region_open(&region, 1, false);
    assert_int_equal(run_tasks(region.head, HANGS, 1), 1);
    node_region_close(&region);
}

static void who_makes_them_may_die(void **state)
{
    struct node_region region;
    pid_t pid;

    node_region_open(&region, 1, false);
    atomic_store(&seen->made, 0);
    atomic_store(&seen->may_end, false);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(ask(region.head, HANGS, SECONDS));
    while (atomic_load(&seen->made) == 0)
        usleep(1000);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    atomic_store(&seen->may_end, true);
    assert_ok(ask(region.head, HANGS, 1));
    assert_int_equal(atomic_load(&seen->made), 1);
    node_region_close(&region);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_made_once),
        cmocka_unit_test(without_memory_each_makes_them),
        cmocka_unit_test(who_waits_too_long_speaks_for_all),
        cmocka_unit_test(who_makes_them_may_die),
    };

    seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
