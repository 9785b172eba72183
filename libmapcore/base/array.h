/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* array.h - flat arrays whose sizes are checked before they are multiplied, and
 * arrays of numbers sorted */
#ifndef MAPCORE_BASE_ARRAY_H
#define MAPCORE_BASE_ARRAY_H

#include "base/error_set.h"

/* A zeroed array of n elements of the given size, owned by the caller and
 * ended by free(). n = 0 gives a valid pointer. NULL and err on failure
 * (ENOMEM, also when the product overflows). */
void *array_alloc(size_t n, size_t size, struct mapcore_error *err);

/* Makes *array (of *capacity elements, NULL and 0 at first) hold at least n;
 * grows by doubling, new elements are not set. Returns 0, or ENOMEM with
 * *array and *capacity as they were. */
int array_reserve(void *array_pointer,
                  size_t *capacity,
                  size_t n,
                  size_t size,
                  struct mapcore_error *err);

/* A copy of n elements, owned by the caller; NULL and err on failure. */
void *array_copy(const void *array,
                 size_t n,
                 size_t size,
                 struct mapcore_error *err);

/* Arrays that end together. All zero at first but for err; one thread. */
struct arena {
    struct mapcore_error *err; /* or NULL */
    int error; /* MAPCORE_ENOMEM once there was no memory, so that one look does
                  for many arrays; else 0 */
    void *last; /* block */
};

/* As array_alloc and array_copy, but the arena's own; NULL once one failed. */
void *arena_alloc(struct arena *arena, size_t n, size_t size);
void *arena_copy(struct arena *arena, const void *array, size_t n, size_t size);
void arena_clear(struct arena *arena);

/* Sorts ascending: a[n]. */
void array_sort_u32(uint32_t *a, size_t n);
void array_sort_u64(uint64_t *a, size_t n);
void array_sort_double(double *a, size_t n);

#endif
