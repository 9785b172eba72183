/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cables.h - hosts, switches and the cables between them while a file is read
 */
#ifndef MAPCORE_TOPO_CABLES_H
#define MAPCORE_TOPO_CABLES_H

#include "base/name_set.h"
#include "topo/create.h"

/* Starts as all zero; ended by cables_clear. */
struct cables {
    struct name_set hosts, switches;
    uint32_t *at; /* [hosts.n], switch or MAPCORE_NONE */
    size_t nat;   /* capacity */
    /* Ends as cables_host and cables_switch have them. */
    struct topo_cable *cable;
    size_t ncables, capacity;
    bool has_capacities;
};

/* Host h is vertex 2h, switch s 2s + 1, until their numbers are known. */
static inline uint32_t cables_host(uint32_t host)
{
    return 2 * host;
}
static inline uint32_t cables_switch(uint32_t number)
{
    return 2 * number + 1;
}

/* Adds a name that is new; *is_new false when it is there already. Errors:
 * ERANGE, ENOMEM. */
int cables_add_switch(struct cables *cables,
                      uint32_t *out,
                      const char *name,
                      bool *is_new,
                      struct mapcore_error *err);
/* at: a switch, or MAPCORE_NONE. */
int cables_add_host(struct cables *cables,
                    uint32_t *out,
                    const char *name,
                    uint32_t at,
                    bool *is_new,
                    struct mapcore_error *err);
int cables_add(struct cables *cables,
               uint32_t a,
               uint32_t b,
               double capacity,
               struct mapcore_error *err);

/* Errors as topo_create_fabric, with the name of the file. */
int cables_create(struct mapcore_topo **out,
                  const struct cables *cables,
                  const char *name,
                  struct mapcore_error *err);
void cables_clear(struct cables *cables);

#endif
