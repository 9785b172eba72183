/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec.h - a network in one word, torus:16x8x16/2:wrap=1x1x0, taken apart;
 * between the word and the file that may stand around it */
#ifndef MAPCORE_TOPO_SPEC_H
#define MAPCORE_TOPO_SPEC_H

#include "topo/name_set.h"

#include <stdbool.h>

struct mapcore_topo;

enum { SPEC_MAX_NUMBERS = 32 }; /* more dimensions or levels than can be used */

enum spec_kind {
    SPEC_TORUS,
    SPEC_MESH,
    SPEC_RING,
    SPEC_HYPERCUBE,
    SPEC_TREE,
    SPEC_FLAT,
    SPEC_DRAGONFLY,
};

struct spec {
    enum spec_kind kind;
    uint32_t n;
    uint32_t number[SPEC_MAX_NUMBERS]; /* dimensions, arity per level, or G, R,
                                          H; a ring is a torus of one dimension,
                                          a hypercube a mesh of twos */
    uint32_t per_router;
    bool wraps[SPEC_MAX_NUMBERS];
    bool has_capacity, has_uplinks;
    double capacity[SPEC_MAX_NUMBERS];
    uint32_t uplinks[SPEC_MAX_NUMBERS];
    uint32_t global; /* global links a router, 0: as many as hosts */
};

/* What the lines of a file add. */
struct spec_hosts {
    struct name_set names;
    uint32_t *coordinates; /* [names.n * n], or NULL: in the order of numbers */
    uint32_t *absent;      /* [nabsent * n] */
    size_t nabsent;
};

/* Whether a word begins as one of the kinds. */
bool spec_begins(const char *word);
/* Errors: EINVAL. */
int spec_parse(struct spec *out, const char *word, struct mapcore_error *err);
/* Whether hosts have coordinates. */
bool spec_has_places(const struct spec *spec);
/* hosts may be NULL. Errors: EINVAL, ERANGE, ENOMEM. */
int spec_create(struct mapcore_topo **out,
                const struct spec *spec,
                const struct spec_hosts *hosts,
                struct mapcore_error *err);

#endif
