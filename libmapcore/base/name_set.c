/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* name_set.c - a set of names: a list in order beside a table of their hashes
 */
#include "config.h"

#include "base/name_set.h"

#include "base/array.h"
#include "base/fnv.h"

#include <stdlib.h>
#include <string.h>

static uint32_t find(const struct name_set *names,
                     const char *name,
                     uint64_t key)
{
    uint32_t i;

    for (size_t at = 0;
         (i = table64_next(&names->table, key, &at)) != MAPCORE_NONE;)
        if (strcmp(names->name[i], name) == 0)
            break;
    return i;
}

uint32_t name_set_find(const struct name_set *names, const char *name)
{
    return find(names, name, fnv1a(name, strlen(name)));
}

int name_set_add(uint32_t *out,
                 struct name_set *names,
                 const char *name,
                 struct mapcore_error *err)
{
    size_t length = strlen(name);
    uint64_t key = fnv1a(name, length);
    uint32_t found = find(names, name, key);
    int error;

    if (found != MAPCORE_NONE) {
        *out = found;
        return 0;
    }
    if (names->n >= INT32_MAX)
        return error_set(err, MAPCORE_ERANGE, "more than 2^31 names");
    if ((error = array_reserve(&names->name, &names->capacity, names->n + 1,
                               sizeof(*names->name), err)) < 0)
        return error;
    char *copy = array_copy(name, length + 1, 1, err);
    if (!copy)
        return MAPCORE_ENOMEM;
    *out = (uint32_t)names->n;
    if ((error = table64_add(&names->table, key, *out, err)) < 0) {
        free(copy);
        return error;
    }
    names->name[names->n++] = copy;
    return 0;
}

size_t name_set_first_part(const char *name)
{
    const size_t n = strcspn(name, ".");

    return name[n] == '\0' || (name[0] >= '0' && name[0] <= '9') ? 0 : n;
}

static uint32_t find_first(const struct name_set *names,
                           const char *first,
                           size_t n,
                           uint32_t *other)
{
    const uint64_t key = fnv1a(first, n);
    uint32_t found = MAPCORE_NONE, i;

    *other = MAPCORE_NONE;
    for (size_t at = 0;
         (i = table64_next(&names->firsts, key, &at)) != MAPCORE_NONE;) {
        if (name_set_first_part(names->name[i]) != n ||
            strncmp(names->name[i], first, n) != 0)
            continue;
        if (found != MAPCORE_NONE) {
            *other = i;
            break;
        }
        found = i;
    }
    return found;
}

uint32_t name_set_find_first(const struct name_set *names,
                             const char *first,
                             uint32_t *other)
{
    return find_first(names, first, strlen(first), other);
}

/* A third one would tell nothing more, and many with one key take long. */
static int add_first(struct name_set *names,
                     uint32_t number,
                     struct mapcore_error *err)
{
    const char *name = names->name[number];
    const size_t n = name_set_first_part(name);
    uint32_t other;

    if (n == 0)
        return 0;
    (void)find_first(names, name, n, &other);
    return other != MAPCORE_NONE
               ? 0
               : table64_add(&names->firsts, fnv1a(name, n), number, err);
}

int name_set_add_all(struct name_set *names,
                     const char *const *name,
                     size_t n,
                     struct mapcore_error *err)
{
    for (size_t i = 0; i < n; i++) {
        size_t before = names->n;
        uint32_t number;

        if (!name[i] || name[i][0] == '\0')
            return error_set(err, MAPCORE_EINVAL, "host %zu has an empty name",
                             i);
        int error = name_set_add(&number, names, name[i], err);
        if (error < 0)
            return error;
        if (names->n == before)
            return error_set(err, MAPCORE_EINVAL, "host %.100s is there twice",
                             name[i]);
        error = add_first(names, number, err);
        if (error < 0)
            return error;
    }
    return 0;
}

void name_set_clear(struct name_set *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->name[i]);
    free(names->name);
    table64_clear(&names->table);
    table64_clear(&names->firsts);
    *names = (struct name_set){0};
}
