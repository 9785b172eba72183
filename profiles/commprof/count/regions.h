/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* regions.h - names of regions, the phases that they stand for, and the region
 * that a task is in, as commprof.h says it; one inside another counts for
 * itself. Knows nothing of MPI. */
#ifndef COMMPROF_REGIONS_H
#define COMMPROF_REGIONS_H

#include "commprof/count/messages.h"

#include <stdbool.h>

/* Name i is that of phase PHASES_LEVELS + i. Without holes; "": no more of
 * them. Starts as all zero. */
enum { REGION_NAME = 41 };
struct region_names {
    char name[REGIONS_MOST][REGION_NAME];
    uint32_t refused; /* not 0: there were more */
};

/* A name as it is kept, of bytes of the program's: other bytes than those of
 * launch/plain_name.h, a dot in front, and more of them than there is room for,
 * are _ or cut off; one of digits alone, or of nothing, gets a _ in front. */
void region_names_clean(char out[REGION_NAME], const char *text);
/* The phase of a name that is clean, added when it is new; PHASES_ALL: there
 * are too many. */
uint32_t region_names_phase(struct region_names *names, const char *name);
/* The same without adding it. */
uint32_t region_names_find(const struct region_names *names, const char *name);
/* NULL: the phase is no region's. */
const char *region_names_get(const struct region_names *names, uint32_t phase);
/* Adds another task's names; phase[PHASES_MOST]: what its phases are here, the
 * first where there was no room. Whether any has another number here. */
bool region_names_add(struct region_names *names,
                      uint32_t phase[PHASES_MOST],
                      const struct region_names *more);

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
