/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_lines.h - a mapping as a file says it, before it is held against an
 * allocation */
#ifndef MAPCORE_ALLOC_MAPPING_LINES_H
#define MAPCORE_ALLOC_MAPPING_LINES_H

#include "alloc/mapping.h"
#include "base/text.h"

/* All zero at first. */
struct mapping_lines {
    uint32_t n;                 /* tasks */
    uint32_t *host;             /* [n] */
    uint32_t *slot;             /* [n]; MAPCORE_NONE: the host's next */
    size_t *line;               /* [n], where each stands */
    size_t nhost, nslot, nline; /* capacities */
    /* Where no names were given: those of the file, in the order in which they
     * come. */
    char **name;
    uint32_t nnames;
    size_t name_capacity;
};
void mapping_lines_clear(struct mapping_lines *lines);

/* Reads lines of hosts and slots, mapcore_mapping_read; every host is one of
 * nhosts, unless that is 0. After a failure mapping_lines_clear is due all the
 * same. Errors: EPARSE, EINVAL and ERANGE with the line, ENOMEM. */
int mapping_lines_read(struct mapping_lines *out,
                       struct text *text,
                       uint32_t nhosts,
                       struct mapcore_error *err);

/* Adds a task. Errors: ERANGE, ENOMEM. */
int mapping_lines_add(struct mapping_lines *out,
                      uint32_t host,
                      uint32_t slot,
                      size_t line,
                      struct mapcore_error *err);

/* As mapcore_mapping_create, but errors name the line. */
int mapping_lines_place(struct mapcore_mapping **out,
                        const struct mapping_lines *lines,
                        const struct mapcore_alloc *alloc,
                        const char *name,
                        struct mapcore_error *err);

#endif
