/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec.h - a regular network as a person writes it in one word,
 * torus:16x8x16/2:wrap=1x1x0, and its hosts */
#ifndef MAPCORE_TOPO_SPEC_H
#define MAPCORE_TOPO_SPEC_H

#include "base/error.h"
#include "base/name_set.h"

#include <stdbool.h>

struct mapcore_topo;

enum {
    TOPO_SPEC_MAX_NUMBERS = 32, /* more dimensions or levels than are used */
    TOPO_SPEC_MAX_POSITIONS = 1024, /* capacities by position, in all */
    TOPO_SPEC_WORDS = 128,
};

struct topo_spec {
    const struct topo_spec_kind *kind;
    uint32_t n;
    uint32_t number[TOPO_SPEC_MAX_NUMBERS]; /* dimensions, arity per level, or
                                               G, R, H */
    uint32_t per_router;
    uint32_t wraps[TOPO_SPEC_MAX_NUMBERS]; /* 0 or 1 */
    bool has_capacity, has_uplinks;
    double capacity[TOPO_SPEC_MAX_NUMBERS];
    /* Dimensions whose links differ: along[first_along[i]], nalong[i] numbers
     * over and over, of the link from each position on; nalong 0: capacity. */
    uint32_t nalong[TOPO_SPEC_MAX_NUMBERS];
    uint32_t first_along[TOPO_SPEC_MAX_NUMBERS];
    uint32_t npositions;
    double along[TOPO_SPEC_MAX_POSITIONS];
    uint32_t uplinks[TOPO_SPEC_MAX_NUMBERS];
    uint32_t rails;
    uint32_t global; /* global links a router, 0: as many as hosts */
};

struct topo_spec_hosts {
    struct name_set names;
    uint32_t *coordinates; /* [names.n * n], or NULL: in the order of numbers */
    uint32_t *absent;      /* [nabsent * n] */
    size_t nabsent;
};

/* Whether a word begins as one of the kinds. */
bool topo_spec_begins(const char *word);
/* What kinds begin with, "torus:, mesh:, ...", into text[TOPO_SPEC_WORDS]. */
void topo_spec_words(char *text);
/* Errors: EINVAL. */
int topo_spec_parse(struct topo_spec *out,
                    const char *word,
                    struct mapcore_error *err);
/* Whether hosts have coordinates, and routers may be absent. */
bool topo_spec_has_coordinates(const struct topo_spec *spec);

/* hosts may be NULL; without names hosts have numbers. Nothing is kept.
 * Errors: EINVAL (also not as many names as hosts), ERANGE, ENOMEM. */
int topo_spec_create(struct mapcore_topo **out,
                     const struct topo_spec *spec,
                     const struct topo_spec_hosts *hosts,
                     struct mapcore_error *err);

#endif
