/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* array.c - flat arrays whose sizes are checked before they are multiplied, and
 * arrays of numbers sorted */
#include "config.h"

#include "base/array.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT = 32 };

void *array_alloc(size_t n, size_t size, struct mapcore_error *err)
{
    void *array = NULL;
    size_t bytes;

    if (!__builtin_mul_overflow(n, size, &bytes) && bytes <= PTRDIFF_MAX)
        array = calloc(bytes > 0 ? bytes : 1, 1);
    if (!array)
        error_set(err, MAPCORE_ENOMEM,
                  "out of memory (%zu elements of %zu bytes)", n, size);
    return array;
}

int array_reserve(void *array_pointer,
                  size_t *capacity,
                  size_t n,
                  size_t size,
                  struct mapcore_error *err)
{
    if (n <= *capacity && *capacity > 0)
        return 0;

    /* Doubling, from 16 on; when that overflows, exactly what is asked. */
    size_t larger = *capacity < 8 ? 16 : *capacity, bytes;
    if (__builtin_mul_overflow(larger, (size_t)2, &larger) || larger < n)
        larger = n;
    if (__builtin_mul_overflow(larger, size, &bytes))
        bytes = SIZE_MAX;

    /* array_pointer is the address of a T *, whose type is not known here. */
    void *array;
    memcpy(&array, array_pointer, sizeof(array));
    array = bytes <= PTRDIFF_MAX ? realloc(array, bytes > 0 ? bytes : 1) : NULL;
    if (!array)
        return error_set(err, MAPCORE_ENOMEM,
                         "out of memory (%zu elements of %zu bytes)", n, size);
    memcpy(array_pointer, &array, sizeof(array));
    *capacity = larger;
    return 0;
}

void *array_copy(const void *array,
                 size_t n,
                 size_t size,
                 struct mapcore_error *err)
{
    void *copy = array_alloc(n, size, err);

    if (copy && n > 0 && size > 0)
        memcpy(copy, array, n * size);
    return copy;
}

/* Blocks begin with the address of the one before. */
#define ARENA_HEAD sizeof(max_align_t)

void *arena_alloc(struct arena *arena, size_t n, size_t size)
{
    size_t more = n < PTRDIFF_MAX ? n + ARENA_HEAD / size + 1 : SIZE_MAX;
    void **block = arena->error ? NULL : array_alloc(more, size, arena->err);

    if (!block) {
        arena->error = MAPCORE_ENOMEM;
        return NULL;
    }
    *block = arena->last;
    arena->last = block;
    return (char *)block + ARENA_HEAD;
}

void *arena_copy(struct arena *arena, const void *array, size_t n, size_t size)
{
    void *copy = arena_alloc(arena, n, size);

    if (copy && n > 0)
        memcpy(copy, array, n * size);
    return copy;
}

void arena_clear(struct arena *arena)
{
    while (arena->last) {
        void **block = arena->last;

        arena->last = *block;
        free(block);
    }
}

static int compare_u32(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

void array_sort_u32(uint32_t *a, size_t n)
{
    if (n > 1)
        qsort(a, n, sizeof(*a), compare_u32);
}

static int compare_u64(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

void array_sort_u64(uint64_t *a, size_t n)
{
    /* Rows of most graphs are that short, where qsort takes far longer. */
    for (size_t i = 1; i < n && n <= SHORT; i++)
        for (size_t k = i; k > 0 && a[k - 1] > a[k]; k--) {
            uint64_t more = a[k - 1];

            a[k - 1] = a[k];
            a[k] = more;
        }
    if (n > SHORT)
        qsort(a, n, sizeof(*a), compare_u64);
}

static int compare_double(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

void array_sort_double(double *a, size_t n)
{
    if (n > 1)
        qsort(a, n, sizeof(*a), compare_double);
}
