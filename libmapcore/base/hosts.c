/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hosts.c - Slurm's host list expressions */
#include "config.h"

#include "base/hosts.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/name_set.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_HOSTS = 1 << 20,
    MAX_NAME = 255,  /* HOST_NAME_MAX of POSIX systems, and a bound on what a
                        short expression can make */
    MAX_DIGITS = 18, /* fits 64 bits */
};

struct expansion {
    struct hosts hosts;
    size_t capacity;
    const char *expression; /* the whole, for messages */
    char name[MAX_NAME + 1];
    struct mapcore_error *err;
};

static int bad(const struct expansion *e, const char *why)
{
    return error_set(e->err, MAPCORE_EPARSE, "host list '%.200s': %s",
                     e->expression, why);
}

static int add_name(struct expansion *e, size_t n)
{
    int error;

    if (n == 0)
        return bad(e, "an empty name");
    if (e->hosts.n == MAX_HOSTS)
        return error_set(e->err, MAPCORE_ERANGE,
                         "host list '%.200s': more than %d names",
                         e->expression, (int)MAX_HOSTS);
    error = array_reserve(&e->hosts.name, &e->capacity, e->hosts.n + 1,
                          sizeof(*e->hosts.name), e->err);
    if (error < 0)
        return error;
    e->name[n] = '\0';
    char *copy = array_copy(e->name, n + 1, 1, e->err);
    if (!copy)
        return MAPCORE_ENOMEM;
    e->hosts.name[e->hosts.n++] = copy;
    return 0;
}

/* Decimal digits at p; returns how many, at most MAX_DIGITS are looked at. */
static int take_number(const char *p, uint64_t *value)
{
    int n = 0;

    *value = 0;
    for (; isdigit((unsigned char)p[n]) && n <= MAX_DIGITS; n++)
        *value = *value * 10 + (uint64_t)(p[n] - '0');
    return n;
}

/* One item of a bracket, "3" or "000-127", at *p: its ends, and the width that
 * leading zeros ask for. */
static int take_range(const struct expansion *e,
                      const char **p,
                      uint64_t *low,
                      uint64_t *high,
                      int *width)
{
    const char *q = *p;
    int n = take_number(q, low);

    if (n == 0)
        return bad(e, "a number is missing between the brackets");
    *width = n;
    *high = *low;
    q += n;
    if (*q == '-') {
        n = take_number(++q, high);
        if (n == 0)
            return bad(e, "a range without an end");
        q += n;
    }
    if (n > MAX_DIGITS || *width > MAX_DIGITS)
        return bad(e, "a number with too many digits");
    if (*high < *low)
        return bad(e, "a range that runs backwards");
    if (*q != ',' && *q != ']')
        return bad(e, "only numbers, commas and ranges go between brackets");
    *p = q;
    return 0;
}

/* U+0080 to U+009F, which some terminals obey (base/printable.h). */
static bool is_c1(const char *text, const char *end)
{
    return (unsigned char)text[0] == 0xc2 && text + 1 < end &&
           ((unsigned char)text[1] & 0xe0) == 0x80;
}

/* Every name that begins with e->name[0..n) and goes on as rest says, up to
 * end, the comma or NUL behind this name. Deep as there are brackets: at most
 * MAX_NAME, for each adds a digit. */
static int expand_name(struct expansion *e,
                       size_t n,
                       const char *rest,
                       const char *end)
{
    int error = 0;

    for (; rest < end && *rest != '['; rest++) {
        if (*rest == ']')
            return bad(e, "a bracket is closed that was not opened");
        if (isspace((unsigned char)*rest) || iscntrl((unsigned char)*rest) ||
            is_c1(rest, end))
            return bad(e, "a blank or control character in a name");
        if (n == MAX_NAME)
            return bad(e, "a name longer than 255 characters");
        e->name[n++] = *rest;
    }
    if (rest == end)
        return add_name(e, n);

    const char *item = rest + 1;
    const char *close = memchr(item, ']', (size_t)(end - item));
    if (!close)
        return bad(e, "a bracket is not closed");
    while (error == 0 && item <= close) {
        uint64_t low = 0, high = 0;
        int width = 0;

        error = take_range(e, &item, &low, &high, &width);
        if (error < 0)
            return error;
        item++;
        for (uint64_t i = low; error == 0 && i <= high; i++) {
            char digits[MAX_DIGITS + 2];
            int len = snprintf(digits, sizeof(digits), "%0*" PRIu64, width, i);

            if (len < 0 || n + (size_t)len > MAX_NAME)
                return bad(e, "a name longer than 255 characters");
            memcpy(e->name + n, digits, (size_t)len);
            error = expand_name(e, n + (size_t)len, close + 1, end);
        }
    }
    return error;
}

/* The comma or NUL behind the name that starts here. */
static const char *end_of_name(const char *p)
{
    bool inside = false;

    for (; *p != '\0' && (*p != ',' || inside); p++) {
        if (*p == '[' || *p == ']')
            inside = *p == '[';
    }
    return p;
}

int hosts_expand(struct hosts *out,
                 const char *expression,
                 struct mapcore_error *err)
{
    struct expansion e = {.expression = expression, .err = err};
    const char *name = expression;
    int error;

    for (;;) {
        const char *end = end_of_name(name);

        error = expand_name(&e, 0, name, end);
        if (error < 0 || *end == '\0')
            break;
        name = end + 1;
    }
    if (error < 0) {
        hosts_clear(&e.hosts);
        return error;
    }
    *out = e.hosts;
    return 0;
}

int hosts_expand_counted(struct hosts *out,
                         size_t *n,
                         const char *expression,
                         struct mapcore_error *err)
{
    struct hosts hosts;
    int error = hosts_expand(&hosts, expression, err);

    if (error < 0)
        return error;
    *n += hosts.n;
    if (*n > HOSTS_FILE_MOST) {
        hosts_clear(&hosts);
        return error_set(err, MAPCORE_ERANGE,
                         "more than 2^22 names in the host lists of a file");
    }
    *out = hosts;
    return 0;
}

static int check_distinct(const struct hosts *hosts,
                          const char *expression,
                          struct mapcore_error *err)
{
    struct name_set names = {0};
    uint32_t number;
    int error = 0;

    for (size_t i = 0; error == 0 && i < hosts->n; i++)
        if ((error = name_set_add(&number, &names, hosts->name[i], err)) == 0 &&
            number < i)
            error = error_set(err, MAPCORE_EINVAL,
                              "host list '%.200s': host %s stands there twice",
                              expression, hosts->name[i]);
    name_set_clear(&names);
    return error;
}

int hosts_expand_distinct(struct hosts *out,
                          const char *expression,
                          struct mapcore_error *err)
{
    struct hosts hosts = {0};
    int error = hosts_expand(&hosts, expression, err);

    if (error == 0)
        error = check_distinct(&hosts, expression, err);
    if (error < 0) {
        hosts_clear(&hosts);
        return error;
    }
    *out = hosts;
    return 0;
}

void hosts_clear(struct hosts *hosts)
{
    for (size_t i = 0; i < hosts->n; i++)
        free(hosts->name[i]);
    free(hosts->name);
    *hosts = (struct hosts){0};
}

/* A name taken apart: the length of its text, then a number and its digits;
 * no digits: none, or too many to count with. */
struct numbered {
    const char *name;
    size_t prefix;
    int digits;
    uint64_t value;
};

static struct numbered take_apart(const char *name)
{
    struct numbered out = {.name = name, .prefix = strlen(name)};
    size_t end = out.prefix;

    while (out.prefix > 0 && isdigit((unsigned char)name[out.prefix - 1]))
        out.prefix--;
    if (end - out.prefix > MAX_DIGITS)
        out.prefix = end;
    out.digits = take_number(name + out.prefix, &out.value);
    return out;
}

/* b goes on where a, of width digits at least, ended. */
static bool is_next(const struct numbered *a,
                    const struct numbered *b,
                    int width)
{
    char digits[MAX_DIGITS + 3];

    if (b->value != a->value + 1)
        return false;
    snprintf(digits, sizeof(digits), "%0*" PRIu64, width, b->value);
    return strcmp(digits, b->name + b->prefix) == 0;
}

static bool is_sister(const struct numbered *a, const struct numbered *b)
{
    return a->digits > 0 && b->digits > 0 && a->prefix == b->prefix &&
           memcmp(a->name, b->name, a->prefix) == 0;
}

/* The names from *at on that one pair of brackets can hold; moves *at behind
 * them. */
static void put_group(struct buffer *text,
                      size_t *at,
                      size_t n,
                      const char *const *name)
{
    struct numbered low = take_apart(name[*at]), last = low, now = low;
    bool brackets = false, more;

    buffer_append(text, name[*at], low.prefix);
    do {
        bool range;

        for (last = low, more = false; ++*at < n; last = now) {
            now = take_apart(name[*at]);
            more = is_sister(&low, &now);
            if (!more || !is_next(&last, &now, low.digits))
                break;
            more = false;
        }
        range = last.name != low.name;
        if (!brackets && (more || range)) {
            buffer_append(text, "[", 1);
            brackets = true;
        }
        buffer_printf(text, "%s%s%s%s", low.name + low.prefix, range ? "-" : "",
                      range ? last.name + last.prefix : "",
                      more       ? ","
                      : brackets ? "]"
                                 : "");
        low = now;
    } while (more);
}

int hosts_compress(char **out,
                   size_t n,
                   const char *const *name,
                   struct mapcore_error *err)
{
    struct buffer text = {.err = err};

    buffer_append(&text, "", 0);
    for (size_t i = 0; i < n;) {
        buffer_append(&text, ",", i > 0);
        put_group(&text, &i, n, name);
    }
    return buffer_finish(out, &text, 0);
}
