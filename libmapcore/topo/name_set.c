/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* name_set.c - a set of names: open addressing beside a list in order */
#include "config.h"

#include "topo/name_set.h"

#include "base/array.h"
#include "base/fnv.h"

#include <stdlib.h>
#include <string.h>

/* The bucket that holds the name, or the free one where it would go. */
static size_t find_bucket(const struct name_set *names, const char *name)
{
    size_t mask = names->nbuckets - 1;
    size_t at = (size_t)fnv1a(name, strlen(name)) & mask;

    while (names->bucket[at] != MAPCORE_NONE &&
           strcmp(names->name[names->bucket[at]], name) != 0)
        at = (at + 1) & mask;
    return at;
}

uint32_t name_set_find(const struct name_set *names, const char *name)
{
    if (names->nbuckets == 0)
        return MAPCORE_NONE;
    return names->bucket[find_bucket(names, name)];
}

/* Keeps at least half of the buckets free for one name more. */
static int grow(struct name_set *names, struct mapcore_error *err)
{
    if (names->nbuckets >= 2 * (names->n + 1))
        return 0;

    size_t larger = names->nbuckets > 0 ? 2 * names->nbuckets : 64;
    uint32_t *bucket = array_alloc(larger, sizeof(*bucket), err);
    if (!bucket)
        return MAPCORE_ENOMEM;
    memset(bucket, 0xff, larger * sizeof(*bucket));
    free(names->bucket);
    names->bucket = bucket;
    names->nbuckets = larger;
    for (size_t i = 0; i < names->n; i++)
        bucket[find_bucket(names, names->name[i])] = (uint32_t)i;
    return 0;
}

int name_set_add(uint32_t *out,
                 struct name_set *names,
                 const char *name,
                 struct mapcore_error *err)
{
    uint32_t found = name_set_find(names, name);
    int error;

    if (found != MAPCORE_NONE) {
        *out = found;
        return 0;
    }
    if (names->n >= INT32_MAX)
        return error_set(err, MAPCORE_ERANGE, "more than 2^31 names");
    if ((error = grow(names, err)) < 0 ||
        (error = array_reserve(&names->name, &names->capacity, names->n + 1,
                               sizeof(*names->name), err)) < 0)
        return error;
    char *copy = array_copy(name, strlen(name) + 1, 1, err);
    if (!copy)
        return MAPCORE_ENOMEM;
    *out = (uint32_t)names->n;
    names->bucket[find_bucket(names, name)] = *out;
    names->name[names->n++] = copy;
    return 0;
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
    }
    return 0;
}

void name_set_clear(struct name_set *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->name[i]);
    free(names->name);
    free(names->bucket);
    *names = (struct name_set){0};
}
