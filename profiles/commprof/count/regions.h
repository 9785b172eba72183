/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* regions.h - which region of the program a task is in, as commprof.h says it;
 * one inside another counts for itself */
#ifndef COMMPROF_REGIONS_H
#define COMMPROF_REGIONS_H

#include "commprof/count/region_names.h"

/* A region begins: what is counted from now on is of it, until it ends or
 * another one begins. name: bytes of the program's; where they cannot be read
 * nothing happens, and false is returned. Of more than REGIONS_MOST names, and
 * of more than 64 inside one another, the others count where they begin. */
bool regions_begin(const char *name);
/* The last one of that name that began ends, with all that have begun since;
 * what is counted then is of the phase in which it began. Of no such one:
 * nothing. name NULL, or empty: the last one. */
bool regions_end(const char *name);
/* What this task has named; NULL: nothing. Borrowed until regions_clear. */
const struct region_names *regions_names(void);
void regions_clear(void);

#endif
