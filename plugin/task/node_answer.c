/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_answer.c - a page that slurmstepd maps and its tasks inherit: reading
 * the hardware tree costs milliseconds, which a node of 256 tasks need not pay
 * 256 times. slurmstepd, which is root, never reads it */
#include "config.h"

#include "plugin/task/node_answer.h"

#include "base/error_set.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum state {
    ANSWER_NONE,
    ANSWER_BEING_MADE,
    ANSWER_READY,
    ANSWER_OWN,  /* too long to be shared: each makes it */
    ANSWER_LATE, /* somebody has given up: nobody gets it */
};

struct node_answer {
    _Atomic uint32_t state;
    int32_t error; /* these four are written while it is being made */
    uint32_t has_text;
    uint64_t question;
    char err[sizeof(((struct mapcore_error *)NULL)->text)];
    char text[NODE_ANSWER_MOST];
};

struct node_answer *node_answer_open(void)
{
    void *shared =
        mmap(NULL, sizeof(struct node_answer), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return shared == MAP_FAILED ? NULL : shared;
}

void node_answer_close(struct node_answer *shared)
{
    if (shared)
        munmap(shared, sizeof(*shared));
}

/* True when this caller has brought it from one state to the other. */
static bool advance(struct node_answer *shared, enum state from, enum state to)
{
    uint32_t expected = from;

    return atomic_compare_exchange_strong(&shared->state, &expected, to);
}

static void wake_all(struct node_answer *shared)
{
    syscall(SYS_futex, &shared->state, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static int late(struct mapcore_error *err)
{
    return error_set(err, MAPCORE_EIO,
                     "reading the node's hardware takes too long");
}

static int make_own(struct node_answer_text *out,
                    node_answer_make *make,
                    void *with,
                    struct mapcore_error *err)
{
    int error = make(&out->own, with, err);

    out->text = out->own;
    return error;
}

static int make_for_all(struct node_answer_text *out,
                        struct node_answer *shared,
                        node_answer_make *make,
                        void *with,
                        struct mapcore_error *err)
{
    struct mapcore_error own = {.text = ""};
    int error = make_own(out, make, with, &own);
    size_t n = out->own ? strlen(out->own) + 1 : 0;
    enum state end = n <= sizeof(shared->text) ? ANSWER_READY : ANSWER_OWN;

    if (end == ANSWER_READY) {
        shared->error = error;
        shared->has_text = n > 0;
        memcpy(shared->err, own.text, sizeof(shared->err));
        if (n > 0)
            memcpy(shared->text, out->own, n);
    }
    if (!advance(shared, ANSWER_BEING_MADE, end)) {
        free(out->own);
        memset(out, 0, sizeof(*out));
        return late(err);
    }
    wake_all(shared);
    return error < 0 ? error_set(err, error, "%s", own.text) : 0;
}

static int take(struct node_answer_text *out,
                const struct node_answer *shared,
                struct mapcore_error *err)
{
    if (shared->error < 0)
        return error_set(err, shared->error, "%s", shared->err);
    if (shared->has_text)
        out->text = shared->text;
    return 0;
}

/* Until it is no longer being made; false when the time is over, and then it is
 * so for everybody. */
static bool wait_for(struct node_answer *shared, double seconds)
{
    struct timespec now, until, left;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    while (atomic_load(&shared->state) == ANSWER_BEING_MADE) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        left.tv_sec = until.tv_sec - now.tv_sec;
        left.tv_nsec = until.tv_nsec - now.tv_nsec;
        for (; left.tv_nsec < 0; left.tv_nsec += 1000000000)
            left.tv_sec--;
        if (left.tv_sec < 0 && advance(shared, ANSWER_BEING_MADE, ANSWER_LATE))
            wake_all(shared);
        else if (left.tv_sec >= 0)
            syscall(SYS_futex, &shared->state, FUTEX_WAIT,
                    (uint32_t)ANSWER_BEING_MADE, &left, NULL, 0);
    }
    return atomic_load(&shared->state) != ANSWER_LATE;
}

int node_answer_ask(struct node_answer_text *out,
                    struct node_answer *shared,
                    uint64_t question,
                    double seconds,
                    node_answer_make *make,
                    void *with,
                    struct mapcore_error *err)
{
    memset(out, 0, sizeof(*out));
    if (!shared)
        return make_own(out, make, with, err);
    if (advance(shared, ANSWER_NONE, ANSWER_BEING_MADE)) {
        shared->question = question;
        return make_for_all(out, shared, make, with, err);
    }
    if (!wait_for(shared, seconds))
        return late(err);
    if (atomic_load(&shared->state) == ANSWER_OWN ||
        shared->question != question)
        return make_own(out, make, with, err);
    return take(out, shared, err);
}
