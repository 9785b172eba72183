/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* create.h - networks that the public constructors of topo.h do not make: trees
 * and arbitrary networks as files describe them, dragonflies */
#ifndef MAPCORE_TOPO_CREATE_H
#define MAPCORE_TOPO_CREATE_H

#include "base/error.h"

#include <stdbool.h>

struct mapcore_topo;

/* More hosts than any machine has, and few enough for arrays of them. */
enum { TOPO_MAX_HOSTS = 1 << 24 };

/* Whether it is a capacity: TOPO_CAPACITY, for messages; far beyond any network
 * in any unit, and what is divided by it stays finite. */
#define TOPO_CAPACITY "a number from 1e-30 to 1e30"
bool topo_is_capacity(double capacity);

/* Gives the hosts of a network that have no names theirs, in the order of
 * numbers. Errors: EINVAL (not as many as hosts, a name given twice), ENOMEM.
 */
int topo_name_hosts(struct mapcore_topo *topo,
                    const char *const *name,
                    size_t n,
                    struct mapcore_error *err);

/* What mapcore_topo_describe says from now on. Errors: ENOMEM. */
int topo_set_description(struct mapcore_topo *topo,
                         struct mapcore_error *err,
                         const char *format,
                         ...) __attribute__((format(printf, 3, 4)));

/* Gives each node of a tree that many network interfaces (topo.h).
 * Errors: EINVAL (not 1 to TOPO_MOST_RAILS; no tree, or one without switches
 * above its leaf switches), ERANGE, ENOMEM. */
enum { TOPO_MOST_RAILS = 64 };
int topo_set_rails(struct mapcore_topo *topo,
                   uint32_t rails,
                   struct mapcore_error *err);

/* A network with rails as one of its interfaces, in as many parts as divide
 * those: interface r of host h is host h x parts + r, those of a node are at
 * distance 0, and a leaf switch is as many switches. They share what a node and
 * a leaf switch's link up carry. Borrows `of'. Errors: ERANGE, ENOMEM. */
int topo_create_by_rail(struct mapcore_topo **out,
                        const struct mapcore_topo *of,
                        uint32_t parts,
                        struct mapcore_error *err);

/* A dragonfly: groups of routers, each router with a link to every other of
 * its group, and to other groups; hosts at each router, numbered in a row.
 * number: of groups, of routers a group, of hosts and of global links a router.
 * capacity: [3], of host, local and global links, or NULL: not known. Errors:
 * EINVAL, ERANGE, ENOMEM. */
int topo_create_dragonfly(struct mapcore_topo **out,
                          const uint32_t number[4],
                          const double *capacity,
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

/* Nothing of spec is kept. Errors: EINVAL, ERANGE, ENOMEM. */
int topo_create_tree_of(struct mapcore_topo **out,
                        const struct topo_tree *spec,
                        struct mapcore_error *err);

/* An arbitrary network. Hosts forward nothing. */
struct topo_cable {
    uint32_t a, b;   /* vertices: host h, or switch s as nhosts + s; one of
                        them is a switch */
    double capacity; /* each direction */
};

struct topo_fabric {
    uint32_t nhosts, nswitches;
    const char *const *host_names;   /* [nhosts] */
    const char *const *switch_names; /* [nswitches] */
    const uint32_t *at; /* [nhosts], switch that a host sits at without a cable,
                           or MAPCORE_NONE: it has cables; or NULL: all have */
    size_t ncables;
    const struct topo_cable *cable; /* parallel ones become one link of their
                                       joint capacity */
    bool has_capacities;
    bool as_links; /* also where it is a tree, which else becomes one */
};

/* Nothing of spec is kept. Errors: EINVAL (also a network that is not
 * connected), ERANGE, ENOMEM. */
int topo_create_fabric(struct mapcore_topo **out,
                       const struct topo_fabric *spec,
                       struct mapcore_error *err);

#endif
