/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_node_answer.c - what the tasks of a node work out once, with forks in
 * their places */
#include "config.h"

#include "unit.h"

#include "plugin/task/node_answer.h"

#include "base/error_set.h"

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
    if (kind == LONG && (*out = malloc(NODE_ANSWER_MOST + 2))) {
        memset(*out, 'f', NODE_ANSWER_MOST + 1);
        (*out)[NODE_ANSWER_MOST + 1] = '\0';
    }
    return 0;
}

/* What one task finds: 0 when it is as its kind wants. */
static int ask(struct node_answer *shared,
               enum kind kind,
               uint64_t question,
               double seconds)
{
    struct mapcore_error err = {.text = ""};
    struct node_answer_text answer;
    int error =
        node_answer_ask(&answer, shared, question, seconds, make, &kind, &err);
    const char *text = answer.text;
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
        good = error == 0 && text && strlen(text) == NODE_ANSWER_MOST + 1;
        break;
    case HANGS:
        good = error == MAPCORE_EIO && !text && strlen(err.text) > 0;
        break;
    }
    free(answer.own);
    return good ? 0 : 1;
}

/* How often the answer was made when so many tasks asked at once. */
static int run_tasks(struct node_answer *shared, enum kind kind, double seconds)
{
    atomic_store(&seen->made, 0);
    atomic_store(&seen->may_end, false);
    for (int i = 0; i < TASKS; i++) {
        const pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0)
            _exit(ask(shared, kind, 5, seconds));
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

static void it_is_made_once(void **state)
{
    static const struct {
        enum kind kind;
        int times;
    } cases[] = {{ANSWERS, 1}, {NOTHING, 1}, {FAILS, 1}, {LONG, TASKS}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct node_answer *shared = node_answer_open();

        assert_non_null(shared);
        assert_int_equal(run_tasks(shared, cases[i].kind, SECONDS),
                         cases[i].times);
        node_answer_close(shared);
    }
}

static void without_memory_each_makes_it(void **state)
{
    assert_int_equal(run_tasks(NULL, ANSWERS, SECONDS), TASKS);
    node_answer_close(NULL);
}

static void another_question_has_another_answer(void **state)
{
    struct node_answer *shared = node_answer_open();

    atomic_store(&seen->made, 0);
    assert_int_equal(ask(shared, ANSWERS, 1, SECONDS), 0);
    assert_int_equal(ask(shared, ANSWERS, 1, SECONDS), 0);
    assert_int_equal(atomic_load(&seen->made), 1);
    assert_int_equal(ask(shared, FAILS, 2, SECONDS), 0);
    assert_int_equal(atomic_load(&seen->made), 2);
    node_answer_close(shared);
}

/* All or none: the one that makes it does not use it, either. */
static void who_waits_too_long_speaks_for_all(void **state)
{
    struct node_answer *shared = node_answer_open();

    assert_int_equal(run_tasks(shared, HANGS, 0.2), 1);
    node_answer_close(shared);
}

static void who_makes_it_may_die(void **state)
{
    struct node_answer *shared = node_answer_open();
    enum kind kind = HANGS;
    pid_t pid;

    atomic_store(&seen->made, 0);
    atomic_store(&seen->may_end, false);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(ask(shared, kind, 5, SECONDS));
    while (atomic_load(&seen->made) == 0)
        usleep(1000);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    atomic_store(&seen->may_end, true);
    assert_int_equal(ask(shared, HANGS, 5, 0.1), 0);
    assert_int_equal(atomic_load(&seen->made), 1);
    node_answer_close(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_made_once),
        cmocka_unit_test(without_memory_each_makes_it),
        cmocka_unit_test(another_question_has_another_answer),
        cmocka_unit_test(who_waits_too_long_speaks_for_all),
        cmocka_unit_test(who_makes_it_may_die),
    };

    seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
