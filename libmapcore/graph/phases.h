/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phases.h - communication in phases: who sends how much to whom at once, and
 * then, and then */
#ifndef MAPCORE_GRAPH_PHASES_H
#define MAPCORE_GRAPH_PHASES_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* What a task sends another one in a phase; or itself, where it stands for
 * several that are on one host. */
struct mapcore_flow {
    uint32_t from, to;
    uint64_t bytes;
    uint64_t messages; /* that these bytes are; 0: not known */
};

/* The flows of phase p, which go on at once, are flow[first[p]] to
 * flow[first[p + 1] - 1]. Never changed once it is made. */
struct mapcore_phases {
    uint32_t ntasks;
    size_t n;
    size_t *first;             /* [n + 1] */
    struct mapcore_flow *flow; /* [first[n]] */
};

/* flow[nflows], phase[nflows]: the phase of each, in any order; both are
 * copied. Flows keep their order within a phase; phases that have none are left
 * out. Errors: EINVAL (a task that is not there), ENOMEM. O(nflows + most
 * phase). */
MAPCORE_API int mapcore_phases_create(struct mapcore_phases **out,
                                      uint32_t ntasks,
                                      const struct mapcore_flow *flow,
                                      const uint32_t *phase,
                                      size_t nflows,
                                      struct mapcore_error *err);
MAPCORE_API void mapcore_phases_destroy(struct mapcore_phases *phases);

/* How to make the phases under a mapping, where they depend on who shares a
 * host. make NULL: they do not. */
struct mapcore_staging {
    /* host: [ntasks]. *out owned. Errors: ERANGE, ENOMEM. */
    int (*make)(struct mapcore_phases **out,
                const void *of,
                const uint32_t *host,
                struct mapcore_error *err);
    const void *of; /* borrowed */
    uint64_t kind;  /* not 0; others where the same hosts make other phases */
};

#endif
