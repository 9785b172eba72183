/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* affinity.c - the kernel's side of binding; no hwloc, whose bitmaps would be
 * the most of what each task does */
#include "config.h"

#include "plugin/task/affinity.h"

#include "base/error_set.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
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

int affinity_current(char **out, struct mapcore_error *err)
{
    /* The kernel refuses a mask shorter than its own with EINVAL. */
    for (size_t ncpus = 1024;; ncpus *= 4) {
        cpu_set_t *kernel = CPU_ALLOC(ncpus);
        size_t size = CPU_ALLOC_SIZE(ncpus);
        bool is_known;

        if (!kernel)
            break;
        CPU_ZERO_S(size, kernel);
        is_known = sched_getaffinity(0, size, kernel) == 0;
        if (is_known)
            *out = write_mask(kernel, size, ncpus);
        CPU_FREE(kernel);
        if (is_known && *out)
            return 0;
        if (is_known)
            break;
        if (errno != EINVAL || ncpus > 4 * MASK_MAX)
            return error_set(err, MAPCORE_EINVAL, "sched_getaffinity: %s",
                             strerror(errno));
    }
    return error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
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
        return error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
    CPU_ZERO_S(size, kernel);
    for (size_t i = 0; i < n; i++) {
        unsigned digit = (unsigned)hex_digit(mask[n - 1 - i]);

        for (size_t bit = 0; bit < 4; bit++)
            if (digit & 1U << bit)
                CPU_SET_S(4 * i + bit, size, kernel);
    }
    if (sched_setaffinity(0, size, kernel) < 0)
        error = error_set(err, MAPCORE_EINVAL, "CPU mask %.*s: %s",
                          n < 32 ? (int)n : 32, mask, strerror(errno));
    CPU_FREE(kernel);
    return error;
}
