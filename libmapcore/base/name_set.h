/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* name_set.h - a set of names, numbered in the order in which they came */
#ifndef MAPCORE_BASE_NAME_SET_H
#define MAPCORE_BASE_NAME_SET_H

#include "base/table64.h"

/* Starts as all zero; ended by name_set_clear. */
struct name_set {
    size_t n, capacity;
    char **name;           /* [n], owned */
    struct table64 table;  /* numbers of the names, by their hashes */
    struct table64 firsts; /* of hosts' names with a domain, by their first
                              parts' hashes: two at most of each part */
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
/* Length of the first part of a host's name with a domain, n1.site.org; 0 where
 * it has none, and for an address of numbers. */
size_t name_set_first_part(const char *name);
/* Of the names that came by name_set_add_all, the number of one with a domain
 * and that first part, or MAPCORE_NONE; *other is another such one or
 * MAPCORE_NONE. O(1) expected. */
uint32_t name_set_find_first(const struct name_set *names,
                             const char *first,
                             uint32_t *other);
void name_set_clear(struct name_set *names);

#endif
