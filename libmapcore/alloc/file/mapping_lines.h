/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_lines.h - a mapping as a file says it, before it is held against an
 * allocation */
#ifndef MAPCORE_ALLOC_MAPPING_LINES_H
#define MAPCORE_ALLOC_MAPPING_LINES_H

#include "alloc/mapping.h"
#include "base/text.h"

/* What is known of the hosts; n = 0: not even how many. */
struct mapping_hosts {
    uint32_t n;
    const char *const *name; /* [n], each once, or NULL: without names */
    const uint32_t *slots;   /* [n], or NULL */
    bool by_appearance; /* without names: hosts are those that the file names,
                           in the order in which they come, n at most */
};

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

/* Reads a file of that form; ANY is told by the content, and *form says what it
 * was. Every host is one of hosts->n, unless that is 0. Ranks on named hosts
 * need hosts->name or by_appearance; ranks in a launcher's order need
 * hosts->slots. After a failure mapping_lines_clear is due all the same.
 * Errors: EPARSE, EINVAL and ERANGE with the line, ENOMEM. */
int mapping_lines_read(struct mapping_lines *out,
                       enum mapcore_mapping_form *form,
                       struct text *text,
                       const struct mapping_hosts *hosts,
                       struct mapcore_error *err);
/* The readers behind it. */
int mapping_read_hostfile(struct mapping_lines *out,
                          struct text *text,
                          const struct mapping_hosts *hosts,
                          struct mapcore_error *err);
int mapping_read_rankfile(struct mapping_lines *out,
                          struct text *text,
                          const struct mapping_hosts *hosts,
                          struct mapcore_error *err);
int mapping_read_order(struct mapping_lines *out,
                       struct text *text,
                       const struct mapping_hosts *hosts,
                       struct mapcore_error *err);

/* Adds a task, which stands on the text's line. Errors: ERANGE, ENOMEM. */
int mapping_lines_add(struct mapping_lines *out,
                      uint32_t host,
                      uint32_t slot,
                      const struct text *text,
                      struct mapcore_error *err);
/* Digits alone, whatever follows; false when there are none, or too many. */
bool mapping_take_digits(char **cursor, uint32_t *out);

/* As mapcore_mapping_create, but errors name the line. */
int mapping_lines_place(struct mapcore_mapping **out,
                        const struct mapping_lines *lines,
                        const struct mapcore_alloc *alloc,
                        const char *name,
                        struct mapcore_error *err);

#endif
