/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ops.h - what every kind of network does in its own way; inside topo, but for
 * topo_distance_table, which the allocation and mappers use, and the graph
 * (ends, steps), which the metrics and tools use */
#ifndef MAPCORE_TOPO_OPS_H
#define MAPCORE_TOPO_OPS_H

#include "base/text.h"
#include "topo/name_set.h"
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
    /* NULL: "s0 - s2", by the names of the ends. */
    int (*link_name)(const struct mapcore_topo *topo,
                     uint32_t link,
                     char *buffer,
                     size_t size);
    int (*table)(uint16_t *out,
                 const struct mapcore_topo *topo,
                 uint32_t n,
                 const uint32_t *host,
                 uint32_t begin,
                 uint32_t end,
                 struct mapcore_error *err);
    /* The host at a place written otherwise than by its name, or
     * MAPCORE_NONE; NULL where there is no such notation. */
    uint32_t (*find_place)(const struct mapcore_topo *topo, const char *place);
    /* The graph. Vertices: host h is h, switch s is nhosts + s. The ends of a
     * link in its direction (on a tree lower end first); false where there is
     * no cable (the edge of a mesh). */
    bool (*ends)(const struct mapcore_topo *topo,
                 uint32_t link,
                 uint32_t end[2]);
    /* The switch that a host sits at or has its first cable to. */
    uint32_t (*host_vertex)(const struct mapcore_topo *topo, uint32_t host);
    /* Whether a host is at its switch without a link of its own; NULL: all are
     * on a torus, none on others. */
    bool (*sits)(const struct mapcore_topo *topo, uint32_t host);
    /* Name of a switch's vertex; like snprintf. */
    int (*vertex_name)(const struct mapcore_topo *topo,
                       uint32_t vertex,
                       char *buffer,
                       size_t size);
    /* The links from a vertex that lie on minimal routes to host b, and where
     * they lead: link and to have space for max_steps. 0 when nothing is left
     * to go. */
    uint32_t (*steps)(const struct mapcore_topo *topo,
                      uint32_t vertex,
                      uint32_t b,
                      uint32_t *link,
                      uint32_t *to);
    double (*link_capacity)(const struct mapcore_topo *topo, uint32_t link);
    void (*shape)(struct topo_shape *out, const struct mapcore_topo *topo);
    uint32_t link_directions;
    enum topo_kind kind;
};

/* The beginning of every kind's own structure. */
struct mapcore_topo {
    const struct topo_ops *ops;
    uint32_t nhosts, nswitches, nlinks, diameter;
    uint32_t max_steps; /* minimal ways to go on from a vertex */
    bool has_capacities;
    char *description;
    struct name_set names; /* n = nhosts, or 0: hosts have no names */
};

/* Every distance from hosts host[begin] .. host[end - 1] to each of the n, into
 * out[(end - begin) * n]: much faster than one by one. The diameter must fit 16
 * bits. Errors: ENOMEM. */
int topo_distance_table(uint16_t *out,
                        const struct mapcore_topo *topo,
                        uint32_t n,
                        const uint32_t *host,
                        uint32_t begin,
                        uint32_t end,
                        struct mapcore_error *err);

/* Name of any vertex; like snprintf. */
int topo_vertex_name(const struct mapcore_topo *topo,
                     uint32_t vertex,
                     char *buffer,
                     size_t size);

/* More hosts than any machine has, and few enough for arrays of them. */
enum { TOPO_MAX_HOSTS = 1 << 24 };

/* Gives the hosts of a network that have no names theirs, in the order of
 * numbers. Errors: EINVAL (not as many as hosts, a name given twice), ENOMEM.
 */
int topo_name_hosts(struct mapcore_topo *topo,
                    const char *const *name,
                    size_t n,
                    struct mapcore_error *err);

/* A dragonfly: groups of routers, each router with a link to every other of
 * its group, and to other groups; hosts at each router, numbered in a row. */
struct topo_dragonfly {
    uint32_t ngroups, nrouters; /* routers a group */
    uint32_t nhosts;            /* hosts a router */
    uint32_t nglobal;           /* global links a router */
    const double *capacity;     /* [3], of host, local and global links, or
                                   NULL: not known */
};

/* Errors: EINVAL, ERANGE, ENOMEM. */
int topo_create_dragonfly(struct mapcore_topo **out,
                          const struct topo_dragonfly *spec,
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

/* A network of any shape. Hosts forward nothing. */
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

/* Readers of files, from the line behind the one that was read; rest: of that,
 * behind the word links; first_line: that itself. Errors: EPARSE with file and
 * line, EINVAL, ERANGE, ENOMEM; topo_read_yaml also ENOTSUP. */
int topo_read_links(struct mapcore_topo **out,
                    struct text *text,
                    const char *rest,
                    struct mapcore_error *err);
bool topo_is_ibnetdiscover(const char *first_line);
int topo_read_ibnetdiscover(struct mapcore_topo **out,
                            struct text *text,
                            struct mapcore_error *err);
int topo_read_yaml(struct mapcore_topo **out,
                   struct text *text,
                   const char *first_line,
                   struct mapcore_error *err);

/* The next line that holds a word, without its comment and the blanks before
 * it; NULL at the end. */
int topo_next_line(struct text *text, char **line, struct mapcore_error *err);

/* Reads Slurm's lines to the end of text, beginning with a line that was read
 * from it already (NULL: none was). Errors as mapcore_topo_parse_slurm. */
int topo_read_slurm(struct mapcore_topo **out,
                    struct text *text,
                    char *first_line,
                    struct mapcore_error *err);

#endif
