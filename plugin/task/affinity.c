/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* affinity.c - the kernel's side of binding; no hwloc, whose bitmaps would be
 * the most of what each task does */
#include "config.h"

#include "plugin/task/affinity.h"

#include "base/error_set.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Hexadecimal digits of a mask: four times the CPUs of the largest kernels. */
#define MASK_MAX 8192

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int affinity_mask_check(const char **mask, size_t *n, struct mapcore_error *err)
{
    const char *digits = *mask;
    size_t left = *n, i = 0;

    if (left >= 2 && digits[0] == '0' && (digits[1] | 32) == 'x') {
        digits += 2;
        left -= 2;
    }
    while (i < left && hex_digit(digits[i]) >= 0)
        i++;
    if (left == 0 || left > MASK_MAX || i < left)
        return error_set(err, MAPCORE_EPARSE, "\"%.*s\" is no CPU mask",
                         *n < 32 ? (int)*n : 32, *mask);
    *mask = digits;
    *n = left;
    return 0;
}

static const char no_memory[] = "no memory for a CPU mask";

static char *write_mask(const cpu_set_t *kernel, size_t size, size_t ncpus)
{
    size_t ndigits = ncpus / 4, n = 2;
    char *text = malloc(ndigits + 3);

    for (size_t i = ndigits; text && i-- > 0;) {
        unsigned digit = 0;

        for (size_t bit = 0; bit < 4; bit++)
            if (CPU_ISSET_S(4 * i + bit, size, kernel))
                digit |= 1U << bit;
        if (digit > 0 || n > 2 || i == 0)
            text[n++] = "0123456789abcdef"[digit];
    }
    if (text) {
        memcpy(text, "0x", 2);
        text[n] = '\0';
    }
    return text;
}

/* The thread's mask in *out (CPU_FREE), of *ncpus. */
static int read_current(cpu_set_t **out,
                        size_t *ncpus,
                        struct mapcore_error *err)
{
    /* The kernel refuses a mask shorter than its own with EINVAL. */
    for (*ncpus = 1024;; *ncpus *= 4) {
        cpu_set_t *kernel = CPU_ALLOC(*ncpus);
        size_t size = CPU_ALLOC_SIZE(*ncpus);

        if (!kernel)
            return error_set(err, MAPCORE_ENOMEM, no_memory);
        CPU_ZERO_S(size, kernel);
        if (sched_getaffinity(0, size, kernel) == 0) {
            *out = kernel;
            return 0;
        }
        CPU_FREE(kernel);
        if (errno != EINVAL || *ncpus > 4 * MASK_MAX)
            return error_set(err, MAPCORE_EINVAL, "sched_getaffinity: %s",
                             strerror(errno));
    }
}

int affinity_current(char **out, struct mapcore_error *err)
{
    cpu_set_t *kernel;
    size_t ncpus;
    int error = read_current(&kernel, &ncpus, err);

    if (error < 0)
        return error;
    *out = write_mask(kernel, CPU_ALLOC_SIZE(ncpus), ncpus);
    CPU_FREE(kernel);
    return *out ? 0 : error_set(err, MAPCORE_ENOMEM, no_memory);
}

/* Digits as affinity_mask_check leaves them; cpu < 4 n. */
static bool has_cpu(const char *digits, size_t n, size_t cpu)
{
    return hex_digit(digits[n - 1 - cpu / 4]) >> cpu % 4 & 1;
}

static void add_digits(cpu_set_t *set,
                       size_t size,
                       const char *digits,
                       size_t n)
{
    for (size_t cpu = 0; cpu < 4 * n; cpu++)
        if (has_cpu(digits, n, cpu))
            CPU_SET_S(cpu, size, set);
}

static bool any_digit_in(const cpu_set_t *set,
                         size_t size,
                         const char *digits,
                         size_t n)
{
    for (size_t cpu = 0; cpu < 4 * n; cpu++)
        if (has_cpu(digits, n, cpu) && CPU_ISSET_S(cpu, size, set))
            return true;
    return false;
}

static int refuse(const char *mask,
                  size_t n,
                  int number,
                  struct mapcore_error *err)
{
    return error_set(err, MAPCORE_EINVAL, "CPU mask %.*s: %s",
                     n < 32 ? (int)n : 32, mask, strerror(number));
}

int affinity_apply(const char *mask, size_t n, struct mapcore_error *err)
{
    size_t size;
    cpu_set_t *kernel;
    int error = affinity_mask_check(&mask, &n, err);

    if (error < 0)
        return error;
    kernel = CPU_ALLOC(4 * n);
    size = CPU_ALLOC_SIZE(4 * n);
    if (!kernel)
        return error_set(err, MAPCORE_ENOMEM, no_memory);
    CPU_ZERO_S(size, kernel);
    add_digits(kernel, size, mask, n);
    if (sched_setaffinity(0, size, kernel) < 0)
        error = refuse(mask, n, errno, err);
    CPU_FREE(kernel);
    return error;
}

/* The next one of a list with commas: its digits in *mask and *n. Returns 0 at
 * the end. */
static int next_mask(const char **list,
                     const char **mask,
                     size_t *n,
                     struct mapcore_error *err)
{
    int error;

    if (!*list)
        return 0;
    *mask = *list;
    *n = strcspn(*list, ",");
    *list = (*list)[*n] == ',' ? *list + *n + 1 : NULL;
    error = affinity_mask_check(mask, n, err);
    return error < 0 ? error : 1;
}

static int take_all(const char *list, struct mapcore_error *err)
{
    const size_t ncpus = 4 * strlen(list) + 1, size = CPU_ALLOC_SIZE(ncpus);
    cpu_set_t *all = CPU_ALLOC(ncpus);
    const char *rest = list, *mask;
    size_t n;
    int more;

    if (!all)
        return error_set(err, MAPCORE_ENOMEM, no_memory);
    CPU_ZERO_S(size, all);
    while ((more = next_mask(&rest, &mask, &n, err)) > 0)
        add_digits(all, size, mask, n);
    if (more == 0 && sched_setaffinity(0, size, all) < 0)
        more = refuse(list, strcspn(list, ","), errno, err);
    CPU_FREE(all);
    return more;
}

/* The kernel leaves of a mask what the thread may use, and refuses one of which
 * nothing is left. */
static int find_refused(const char *list, struct mapcore_error *err)
{
    cpu_set_t *left;
    const char *mask;
    size_t ncpus, n;
    int error = take_all(list, err);

    if (error == 0)
        error = read_current(&left, &ncpus, err);
    if (error < 0)
        return error;
    while ((error = next_mask(&list, &mask, &n, err)) > 0)
        if (!any_digit_in(left, CPU_ALLOC_SIZE(ncpus), mask, n)) {
            error = refuse(mask, n, EINVAL, err);
            break;
        }
    CPU_FREE(left);
    return error;
}

int affinity_try_all(const char *list, struct mapcore_error *err)
{
    cpu_set_t *before;
    size_t ncpus;
    int error = read_current(&before, &ncpus, err);

    if (error < 0)
        return error;
    error = find_refused(list, err);
    if (sched_setaffinity(0, CPU_ALLOC_SIZE(ncpus), before) < 0 && error == 0)
        error = error_set(err, MAPCORE_EINVAL, "sched_setaffinity: %s",
                          strerror(errno));
    CPU_FREE(before);
    return error;
}

bool affinity_is_settled(const char *list, const uint32_t *slot, uint32_t n)
{
    const char *comma = list ? strchr(list, ',') : NULL;

    return n == 2 && comma && !strchr(comma + 1, ',') && slot[0] < slot[1];
}

int affinity_take(const char *list, uint32_t local, struct mapcore_error *err)
{
    for (uint32_t i = 0; i < local; i++) {
        if (!(list = strchr(list, ',')))
            return error_set(err, MAPCORE_EPARSE, "too few CPU masks");
        list++;
    }
    return affinity_apply(list, strcspn(list, ","), err);
}
