/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* constraints.h - --unit and --pin as a search takes them */
#ifndef TOOLS_CONSTRAINTS_H
#define TOOLS_CONSTRAINTS_H

#include "map/map.h"

struct constraints {
    uint32_t unit;
    const char *pin; /* as typed, or NULL */
};

/* Sets unit and pin of search, of ntasks tasks; *pin: the array behind that,
 * the caller's, or NULL. Tasks that no node is named for stay where search's
 * baseline has them. names: [nhosts of alloc], as a person knows the hosts, or
 * NULL: as the topology names them, and by their numbers. Errors: EINVAL (a
 * rank that is not there, or pinned twice), ENOENT (no such node), ENOMEM. */
int constraints_apply(struct mapcore_search *search,
                      uint32_t **pin,
                      const struct constraints *constraints,
                      const struct mapcore_alloc *alloc,
                      const char *const *names,
                      uint32_t ntasks,
                      struct mapcore_error *err);

#endif
