/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* routers.h - the routers of a 3-D torus, and the nodes at each that may be
 * used */
#ifndef TOOLS_ROUTERS_H
#define TOOLS_ROUTERS_H

#include "tools/common/command_line.h"
#include "topo/shape.h"
#include "topo/topo.h"

/* As typed, borrowed; of nodefile, nodelist and from_job at most one: else all
 * nodes of the topology. */
struct routers_source {
    const char *topology;
    const char *nodefile; /* a file, one a line */
    const char *nodelist; /* Slurm's expression */
    const char *exclude;  /* Slurm's expression */
    bool from_job;        /* SLURM_JOB_NODELIST */
};

struct routers {
    struct mapcore_error *err; /* of the caller */
    struct mapcore_topo *topo;
    uint32_t dims[3];
    bool wraps[3];
    uint32_t ring[3];       /* dims where it wraps, else 0 */
    double capacity[3];     /* of links along each axis, the least; 1 where not
                               known */
    const double *along[3]; /* where they differ, of the link from each position
                               on, or NULL; the topology's */
    uint32_t nrouters;      /* of the whole torus; x is fastest, then y */
    uint32_t nnodes;
    uint32_t *host;   /* [nnodes], hosts of the topology in the list's order */
    uint32_t *router; /* [nnodes] */
    uint32_t *first;  /* [nrouters + 1], into node */
    uint32_t *node;   /* [nnodes], 0 .. nnodes - 1 router by router, ascending
                         at each */
    uint32_t most;    /* nodes at a router */
};

/* --topology, --nodelist, --nodefile, --from-job and --exclude of a struct
 * routers_source. */
extern const struct option_row routers_rows[];
/* Prints the usage error; the exit status. */
int routers_check_options(const struct routers_source *source,
                          const char *command);

/* 1,1,0 or 110, a digit for each of n dimensions; false when it is neither. */
bool routers_take_periodic(bool *periodic, uint32_t n, const char *text);

/* Errors: EINVAL (no torus of three dimensions, a host named twice, none left),
 * ENOENT (no such host, no job), and those of mapcore_topo_open,
 * hosts_file_read and hosts_expand. out is ended by routers_clear. */
int routers_open(struct routers *out, const struct routers_source *source);
void routers_clear(struct routers *routers);

/* The most that all links in a row of n routers along an axis carry, wherever
 * that row is best. */
double routers_carry(const struct routers *routers, uint32_t axis, uint32_t n);

void routers_place(uint32_t at[3],
                   const struct routers *routers,
                   uint32_t router);

#endif
