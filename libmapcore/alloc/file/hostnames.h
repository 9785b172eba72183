/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hostnames.h - the hosts that a launcher's file names, found or collected */
#ifndef MAPCORE_ALLOC_HOSTNAMES_H
#define MAPCORE_ALLOC_HOSTNAMES_H

#include "alloc/file/mapping_lines.h"
#include "base/name_set.h"

/* Starts as all zero; ended by hostnames_clear. */
struct hostnames {
    struct mapping_lines *lines; /* to which new names go */
    const struct mapping_hosts *hosts;
    struct name_set known;
};

/* Errors: EINVAL (hosts without names), ENOMEM. */
int hostnames_init(struct hostnames *out,
                   struct mapping_lines *lines,
                   const struct mapping_hosts *hosts,
                   const struct text *text,
                   struct mapcore_error *err);
/* The host of that name; where no hosts were given, a new one if need be.
 * Errors: EINVAL with the line (not of the allocation), ENOMEM. */
int hostnames_find(uint32_t *out,
                   struct hostnames *names,
                   const char *name,
                   const struct text *text,
                   struct mapcore_error *err);
void hostnames_clear(struct hostnames *names);

#endif
