/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* name_set.h - a set of names, numbered in the order in which they came */
#ifndef MAPCORE_BASE_NAME_SET_H
#define MAPCORE_BASE_NAME_SET_H

#include "base/table64.h"

/* Starts as all zero; ended by name_set_clear. */
struct name_set {
    size_t n, capacity;
    char **name;          /* [n], owned */
    struct table64 table; /* numbers of the names, by their hashes */
};

/* The number of a name, or MAPCORE_NONE. O(1) expected. */
uint32_t name_set_find(const struct name_set *names, const char *name);
/* The same, adding a copy of the name when it is new. Errors: ERANGE (more than
 * 2^31 names), ENOMEM. */
int name_set_add(uint32_t *out,
                 struct name_set *names,
                 const char *name,
                 struct mapcore_error *err);
/* Adds n names of hosts, each of which must be new. Errors: EINVAL (a name
 * given twice, an empty one), ERANGE, ENOMEM; the set is as far as it came. */
int name_set_add_all(struct name_set *names,
                     const char *const *name,
                     size_t n,
                     struct mapcore_error *err);
void name_set_clear(struct name_set *names);

#endif
