/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ops.h - what every kind of network does in its own way; inside topo, but for
 * topo_distance_table, which the allocation uses */
#ifndef MAPCORE_TOPO_OPS_H
#define MAPCORE_TOPO_OPS_H

#include "base/text.h"
#include "topo/names.h"
#include "topo/shape.h"
#include "topo/topo.h"

/* Hosts and links are in range; see topo.h for the meaning of each. */
struct topo_ops {
    void (*destroy)(struct mapcore_topo *topo); /* what is not in the base */
    uint32_t (*distance)(const struct mapcore_topo *topo,
                         uint32_t a,
                         uint32_t b);
    uint32_t (*distance_flat)(const struct mapcore_topo *topo,
                              uint32_t a,
                              uint32_t b);
    uint32_t (*route)(const struct mapcore_topo *topo,
                      uint32_t a,
                      uint32_t b,
                      uint32_t *links);
    int (*link_name)(const struct mapcore_topo *topo,
                     uint32_t link,
                     char *buffer,
                     size_t size);
    int (*table)(uint16_t *out,
                 const struct mapcore_topo *topo,
                 uint32_t n,
                 const uint32_t *host,
                 struct mapcore_error *err);
    /* The host at a place written otherwise than by its name, or
     * MAPCORE_NONE; NULL where there is no such notation. */
    uint32_t (*find_place)(const struct mapcore_topo *topo, const char *place);
    double (*link_capacity)(const struct mapcore_topo *topo, uint32_t link);
    void (*shape)(struct topo_shape *out, const struct mapcore_topo *topo);
    uint32_t link_directions;
    enum topo_kind kind;
};

/* The beginning of every kind's own structure. */
struct mapcore_topo {
    const struct topo_ops *ops;
    uint32_t nhosts, nlinks, diameter;
    bool has_capacities;
    char *description;
    struct names names; /* n = nhosts, or 0: hosts have no names */
};

/* Every distance between n hosts into out[n * n]: much faster than one by one.
 * The diameter must fit 16 bits. Errors: ENOMEM. */
int topo_distance_table(uint16_t *out,
                        const struct mapcore_topo *topo,
                        uint32_t n,
                        const uint32_t *host,
                        struct mapcore_error *err);

/* A tree of any shape. */
struct topo_tree {
    uint32_t nswitches;
    const uint32_t *parent;          /* [nswitches], parent[s] < s; switch 0 is
                                        the root and its parent MAPCORE_NONE */
    const char *const *switch_names; /* [nswitches], an element NULL: nameless;
                                        or NULL */
    uint32_t nhosts;                 /* >= 1 */
    const uint32_t *leaf;            /* [nhosts], switch of each host */
    const char *const *host_names;   /* [nhosts] or NULL */
    const double *host_capacity;     /* [nhosts], of the cable of each host */
    const double *up_capacity;       /* [nswitches], of the cable above each
                                        switch, the root's not used; both or
                                        neither may be NULL: not known */
};

/* Whether it is a capacity: positive and finite. */
bool topo_is_capacity(double capacity);

/* Nothing of spec is kept. Errors: EINVAL, ERANGE, ENOMEM. */
int topo_create_tree_of(struct mapcore_topo **out,
                        const struct topo_tree *spec,
                        struct mapcore_error *err);

/* Reads Slurm's lines to the end of text, beginning with a line that was read
 * from it already (NULL: none was). Errors as mapcore_topo_parse_slurm. */
int topo_read_slurm(struct mapcore_topo **out,
                    struct text *text,
                    char *first_line,
                    struct mapcore_error *err);

#endif
