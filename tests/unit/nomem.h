/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nomem.h - allocations that fail, on any thread; for tests linked with --wrap
 * for malloc, calloc, realloc and free */
#ifndef TEST_NOMEM_H
#define TEST_NOMEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);

static atomic_long granted = -1; /* allocations left; -1: all of them */
static atomic_long live;         /* not freed yet */
static atomic_bool failed;

/* One fails, and what comes after it does not, so as not to hide it. */
static bool is_granted(void)
{
    long left = granted;

    while (left >= 0)
        if (atomic_compare_exchange_weak(&granted, &left, left - 1)) {
            if (left == 0)
                failed = true;
            return left > 0;
        }
    return true;
}

void *__wrap_malloc(size_t size)
{
    void *fresh = is_granted() ? __real_malloc(size) : NULL;

    live += fresh != NULL;
    return fresh;
}

void *__wrap_calloc(size_t n, size_t size)
{
    void *fresh = is_granted() ? __real_calloc(n, size) : NULL;

    live += fresh != NULL;
    return fresh;
}

void *__wrap_realloc(void *old, size_t size)
{
    void *fresh = is_granted() ? __real_realloc(old, size) : NULL;

    live += fresh != NULL && !old;
    return fresh;
}

void __wrap_free(void *old)
{
    live -= old != NULL;
    __real_free(old);
}

#endif
