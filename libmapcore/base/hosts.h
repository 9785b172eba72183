/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hosts.h - Slurm's host list expressions: n[0-7,9],login */
#ifndef MAPCORE_BASE_HOSTS_H
#define MAPCORE_BASE_HOSTS_H

#include "base/error_set.h"

/* Names in the order written, duplicates kept. */
struct hosts {
    size_t n;
    char **name; /* [n], owned */
};

/* Expands an expression such as "n[000-127],gpu[1,3-5]r[0-1]" (several
 * brackets in one name multiply, the last one fastest; leading zeros keep
 * their width). At most 1,048,576 names. out is set only on success and is
 * ended by hosts_clear. Errors: EPARSE, ERANGE, ENOMEM. */
int hosts_expand(struct hosts *out,
                 const char *expression,
                 struct mapcore_error *err);

/* Likewise for the nodes of a job: EINVAL when a name stands there twice, which
 * would give one node the slots of two. O(n log n). */
int hosts_expand_distinct(struct hosts *out,
                          const char *expression,
                          struct mapcore_error *err);
/* Likewise of a file, whose lists together have at most HOSTS_FILE_MOST names
 * (each of 2^20 nodes on four levels of switches, as scontrol prints them):
 * *n is how many there were before, 0 at first. Errors: also ERANGE. */
#define HOSTS_FILE_MOST ((size_t)1 << 22)
int hosts_expand_counted(struct hosts *out,
                         size_t *n,
                         const char *expression,
                         struct mapcore_error *err);
void hosts_clear(struct hosts *hosts);

/* The reverse: n names as a short expression, "n[000-127,200],gpu1", that
 * hosts_expand makes the same names of, in the same order. Only numbers at the
 * end of names go into brackets, for Slurm reads no others everywhere. *out:
 * owned; "" for no names. Errors: ENOMEM. */
int hosts_compress(char **out,
                   size_t n,
                   const char *const *name,
                   struct mapcore_error *err);

#endif
