/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* links_file.h - the nodes and cables of a network while a file is read */
#ifndef MAPCORE_TOPO_LINKS_FILE_H
#define MAPCORE_TOPO_LINKS_FILE_H

#include "topo/ops.h"

/* Starts as all zero; ended by links_clear. */
struct links {
    struct name_set hosts, switches;
    uint32_t *at; /* [hosts.n], switch or MAPCORE_NONE */
    size_t nat;   /* capacity */
    /* Ends as links_vertex has them. */
    struct topo_cable *cable;
    size_t ncables, capacity;
    bool has_capacities;
};

/* Host h is vertex 2h, switch s 2s + 1, until their numbers are known. */
static inline uint32_t links_host(uint32_t host)
{
    return 2 * host;
}
static inline uint32_t links_switch(uint32_t number)
{
    return 2 * number + 1;
}

/* Adds a name that is new; *is_new false when it is there already. Errors:
 * ERANGE, ENOMEM. */
int links_add_switch(struct links *links,
                     uint32_t *out,
                     const char *name,
                     bool *is_new,
                     struct mapcore_error *err);
/* at: a switch, or MAPCORE_NONE. */
int links_add_host(struct links *links,
                   uint32_t *out,
                   const char *name,
                   uint32_t at,
                   bool *is_new,
                   struct mapcore_error *err);
int links_add_cable(struct links *links,
                    uint32_t a,
                    uint32_t b,
                    double capacity,
                    struct mapcore_error *err);

/* Errors as topo_create_fabric, with the name of the file. */
int links_create(struct mapcore_topo **out,
                 const struct links *links,
                 const char *name,
                 struct mapcore_error *err);
void links_clear(struct links *links);

#endif
