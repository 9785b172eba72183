/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* convert.h - a mapping on its way from form to form */
#ifndef TOOLS_CONVERT_H
#define TOOLS_CONVERT_H

#include "alloc/file/mapping_lines.h"
#include "base/hosts.h"

/* As typed; nodelist and slots may be NULL. */
struct conversion_source {
    const char *path, *nodelist, *slots;
    enum mapcore_mapping_form form;
};

/* A mapping on its way from form to form. */
struct conversion {
    struct hosts nodes; /* of --nodelist */
    struct mapping_lines lines;
    uint32_t nhosts;
    const char *const *names; /* [nhosts], borrowed, or NULL */
    uint32_t *slots;          /* [nhosts], NULL: not said */
    uint32_t slots_each;      /* the same on all hosts, whose number is not yet
                                 known; 0: not said */
    struct mapcore_topo *topo;
    struct mapcore_alloc *alloc;
    struct mapcore_mapping *mapping;
};

/* Reads the mapping; c is all zero before, and conversion_clear is due in any
 * case. Errors: as foreign_mapping_read; EINVAL (a host listed twice). */
int conversion_read(struct conversion *c,
                    const struct conversion_source *source,
                    struct mapcore_error *err);
/* Writes it. Errors: EINVAL (the form cannot say it), EIO, ENOMEM. */
int conversion_write(const struct conversion *c,
                     enum mapcore_mapping_form form,
                     FILE *file,
                     struct mapcore_error *err);
void conversion_clear(struct conversion *c);

#endif
