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

/* One after the other: all that the macros and the kernel want. */
struct cpus {
    cpu_set_t set[4 * MASK_MAX / CPU_SETSIZE];
};

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

static int read_current(struct cpus *out, struct mapcore_error *err)
{
    memset(out, 0, sizeof(*out));
    return sched_getaffinity(0, sizeof(out->set), out->set) == 0
               ? 0
               : error_set(err, MAPCORE_EINVAL, "sched_getaffinity: %s",
                           strerror(errno));
}

int affinity_current(char **out, struct mapcore_error *err)
{
    size_t n = 2, nsets = sizeof(struct cpus) / sizeof(cpu_set_t), ndigits;
    struct cpus cpus;
    char *text;
    int error = read_current(&cpus, err);

    if (error < 0)
        return error;
    while (nsets > 1 && CPU_COUNT(&cpus.set[nsets - 1]) == 0)
        nsets--;
    ndigits = nsets * CPU_SETSIZE / 4;
    if (!(text = malloc(ndigits + 3)))
        return error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
    for (size_t i = ndigits; i-- > 0;) {
        unsigned digit = 0;

        for (size_t bit = 0; bit < 4; bit++)
            if (CPU_ISSET_S(4 * i + bit, sizeof(cpus.set), cpus.set))
                digit |= 1U << bit;
        if (digit > 0 || n > 2 || i == 0)
            text[n++] = "0123456789abcdef"[digit];
    }
    memcpy(text, "0x", 2);
    text[n] = '\0';
    *out = text;
    return 0;
}

/* Reads mask[n], with or without its 0x. */
static int read_mask(struct cpus *out,
                     const char *mask,
                     size_t n,
                     struct mapcore_error *err)
{
    int error = affinity_mask_check(&mask, &n, err);

    memset(out, 0, sizeof(*out));
    for (size_t cpu = 0; error == 0 && cpu < 4 * n; cpu++)
        if (hex_digit(mask[n - 1 - cpu / 4]) >> cpu % 4 & 1)
            CPU_SET_S(cpu, sizeof(out->set), out->set);
    return error;
}

static int refuse(const char *mask,
                  size_t n,
                  int number,
                  struct mapcore_error *err)
{
    affinity_mask_check(&mask, &n, NULL);
    return error_set(err, MAPCORE_EINVAL, "CPU mask %.*s: %s",
                     n < 32 ? (int)n : 32, mask, strerror(number));
}

int affinity_apply(const char *mask, size_t n, struct mapcore_error *err)
{
    struct cpus cpus;
    int error = read_mask(&cpus, mask, n, err);

    if (error == 0 && sched_setaffinity(0, sizeof(cpus.set), cpus.set) < 0)
        error = refuse(mask, n, errno, err);
    return error;
}

/* The kernel leaves of a mask what the thread may use, and refuses one of which
 * nothing is left. One pass joins the masks, the other one looks at what is
 * left of each. */
static int find_refused(const char *list, struct mapcore_error *err)
{
    struct cpus all = {0}, left, one;
    int error = 0;

    for (int pass = 0; error == 0 && pass < 2; pass++) {
        for (const char *mask = list, *end; error == 0 && mask;
             mask = *end ? end + 1 : NULL) {
            end = mask + strcspn(mask, ",");
            error = read_mask(&one, mask, (size_t)(end - mask), err);
            if (pass == 0)
                CPU_OR_S(sizeof(all.set), all.set, all.set, one.set);
            else
                CPU_AND_S(sizeof(one.set), one.set, one.set, left.set);
            if (error == 0 && pass == 1 &&
                CPU_COUNT_S(sizeof(one.set), one.set) == 0)
                error = refuse(mask, (size_t)(end - mask), EINVAL, err);
        }
        if (error == 0 && pass == 0 &&
            sched_setaffinity(0, sizeof(all.set), all.set) < 0)
            error = refuse(list, strcspn(list, ","), errno, err);
        if (error == 0 && pass == 0)
            error = read_current(&left, err);
    }
    return error;
}

int affinity_try_all(const char *list, struct mapcore_error *err)
{
    struct cpus before;
    int error = read_current(&before, err);

    if (error < 0)
        return error;
    error = find_refused(list, err);
    if (sched_setaffinity(0, sizeof(before.set), before.set) < 0 && error == 0)
        error = error_set(err, MAPCORE_EINVAL, "sched_setaffinity: %s",
                          strerror(errno));
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
