/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec.h - a regular network by its numbers, and its hosts: what a word, a file
 * of lines and the site file's JSON are three spellings of */
#ifndef MAPCORE_TOPO_SPEC_H
#define MAPCORE_TOPO_SPEC_H

#include "base/error.h"
#include "base/name_set.h"

#include <stdbool.h>

struct mapcore_topo;

enum {
    TOPO_SPEC_MAX_NUMBERS = 32,  /* more dimensions or levels than are used */
    TOPO_SPEC_MAX_ROW = 1 << 20, /* routers in a row whose links differ */
    TOPO_SPEC_MAX_POSITIONS = 1024, /* capacities by position, in all */
};

enum topo_spec_kind {
    TOPO_SPEC_TORUS,
    TOPO_SPEC_MESH,
    TOPO_SPEC_RING,
    TOPO_SPEC_HYPERCUBE,
    TOPO_SPEC_TREE,
    TOPO_SPEC_FLAT,
    TOPO_SPEC_DRAGONFLY,
};

struct topo_spec {
    enum topo_spec_kind kind;
    uint32_t n;
    uint32_t
        number[TOPO_SPEC_MAX_NUMBERS]; /* dimensions, arity per level, or G, R,
                                     H; a ring is a torus of one dimension,
                                     a hypercube a mesh of twos */
    uint32_t per_router;
    bool wraps[TOPO_SPEC_MAX_NUMBERS];
    bool has_capacity, has_uplinks;
    double capacity[TOPO_SPEC_MAX_NUMBERS];
    /* Dimensions whose links differ: along[first_along[i]], nalong[i] numbers
     * over and over, of the link from each position on; nalong 0: capacity. */
    uint32_t nalong[TOPO_SPEC_MAX_NUMBERS];
    uint32_t first_along[TOPO_SPEC_MAX_NUMBERS];
    double along[TOPO_SPEC_MAX_POSITIONS];
    uint32_t uplinks[TOPO_SPEC_MAX_NUMBERS];
    uint32_t global; /* global links a router, 0: as many as hosts */
};

/* Starts as all zero; ended by topo_spec_hosts_clear. */
struct topo_spec_hosts {
    struct name_set names;
    uint32_t *coordinates; /* [names.n * n], or NULL: in the order of numbers */
    uint32_t *absent;      /* [nabsent * n] */
    size_t nabsent;
};

/* Whether hosts have coordinates, and routers may be absent. */
bool topo_spec_has_coordinates(const struct topo_spec *spec);
/* Errors: EINVAL (x[spec->n] is no router of the network). */
int topo_spec_check_coordinates(const struct topo_spec *spec,
                                const uint32_t *x,
                                struct mapcore_error *err);
/* The dimension of a letter, x, y and z or with more than three a, b, ..., as
 * names of links have it; MAPCORE_NONE: of none. */
uint32_t topo_spec_dimension(const struct topo_spec *spec, char letter);
/* Links along a dimension, as `number` and `wraps` say. */
uint32_t topo_spec_links_along(const struct topo_spec *spec,
                               uint32_t dimension);
/* Adds a capacity to those by position of a dimension, the last that has any.
 * Errors: EINVAL (no capacity), ERANGE (more than TOPO_SPEC_MAX_POSITIONS). */
int topo_spec_add_along(struct topo_spec *spec,
                        uint32_t dimension,
                        double capacity,
                        struct mapcore_error *err);
/* Errors: EINVAL (more of them than links), ERANGE (too long a row). */
int topo_spec_check_along(const struct topo_spec *spec,
                          uint32_t dimension,
                          struct mapcore_error *err);
void topo_spec_hosts_clear(struct topo_spec_hosts *hosts);

/* hosts may be NULL; without names hosts have numbers. Nothing is kept.
 * Errors: EINVAL (also not as many names as hosts), ERANGE, ENOMEM. */
int topo_spec_create(struct mapcore_topo **out,
                     const struct topo_spec *spec,
                     const struct topo_spec_hosts *hosts,
                     struct mapcore_error *err);

#endif
