/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* region_names.h - names of regions, and the phases that they stand for; knows
 * nothing of MPI */
#ifndef COMMPROF_REGION_NAMES_H
#define COMMPROF_REGION_NAMES_H

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

#endif
