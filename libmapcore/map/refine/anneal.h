/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* anneal.h - random moves and swaps of vertices, uphill with the probability
 * that a temperature allows, and what they work on: a graph, its placement, a
 * region of that, and a table of costs */
#ifndef MAPCORE_MAP_ANNEAL_H
#define MAPCORE_MAP_ANNEAL_H

#include "base/rng.h"
#include "graph/graph.h"
#include "map/problem.h"

#include <stdbool.h>

struct arena;

struct coarse_edge {
    uint32_t to;
    int32_t bytes; /* > 0, scaled */
};

/* Symmetric, without loops; every row has its heaviest edges first. */
struct coarse_graph {
    uint32_t n;
    size_t *row; /* [n + 1] */
    struct coarse_edge *edge;
};

/* The quotient graph of clusters 0 .. n-1 of tasks, cluster[ntasks], or of the
 * ntasks tasks themselves where that is NULL; bytes inside a cluster are left
 * out. Bytes are divided by the power of two that brings the heaviest edge
 * below 2^30 and each row below 2^44, and rounded up: with edges that light
 * nothing is lost. O(E log d). The arena's, or NULL without memory. */
struct coarse_graph *coarse_graph_make(const struct mapcore_graph *graph,
                                       const uint32_t *cluster,
                                       uint32_t n,
                                       struct arena *arena);

/* The vertices of a graph on hosts. The graph, size, is_fixed and the
 * allocation are borrowed, all else is the arena's that it was made with. */
struct placement {
    const struct coarse_graph *graph;
    const struct mapcore_alloc *alloc;
    uint32_t nhosts;
    uint32_t *host;       /* [graph->n] */
    uint32_t *capacity;   /* [nhosts], vertices that a host takes */
    const uint32_t *size; /* [graph->n] tasks of each vertex, which must fit the
                             slots of its host; NULL: 1 */
    const bool *is_fixed; /* [graph->n] vertices that stay where they are, and
                             take no capacity; NULL: none */

    /* The split at hand. */
    uint32_t nregions;
    uint32_t *begin;  /* [nregions + 1] into order */
    uint32_t *order;  /* [nhosts], hosts region by region */
    uint32_t *first;  /* [nhosts + 1] into member */
    uint32_t *member; /* [graph->n], vertices host by host, ascending */
    uint32_t *local;  /* [graph->n], number among the vertices of its region
                         that are not fixed; of a fixed one MAPCORE_NONE */
    uint32_t *spare;  /* [nhosts] */
    uint32_t *count;  /* [diameter + 2], hosts by distance */
};

/* host[graph->n] is copied. Capacities are the slots; with size (clusters, one
 * a host) 1. A host that has more slots than there are vertices, or far more
 * than it can need (over 16 times as many slots as vertices in all), counts as
 * smaller. NULL without memory. */
struct placement *placement_make(const struct coarse_graph *graph,
                                 const struct mapcore_alloc *alloc,
                                 const uint32_t *host,
                                 const uint32_t *size,
                                 const bool *is_fixed,
                                 struct arena *arena);

/* Splits the hosts anew: each time the hosts are sorted by their distance from
 * a random one, and the nearer share is split on by itself, as is the rest. So
 * regions are compact on any network, and different with every index. */
void placement_split(struct placement *placement,
                     uint64_t seed,
                     uint64_t index);

/* Hosts are columns 0 .. nhosts-1; the hosts outside to which vertices of the
 * region have edges are the columns behind, and do not change. An edge leads to
 * a vertex of the region, or to n + i for one that does not move, on column i:
 * it is outside, or fixed. The places of host h are place_begin[h] ..
 * place_begin[h + 1] - 1; one without a vertex holds MAPCORE_NONE. Fixed
 * vertices are not among the n, and have no place. */
struct region {
    uint32_t n, nhosts, ncolumns, nnear;
    uint32_t *row;            /* [n + 1] */
    struct coarse_edge *edge; /* heaviest first in every row */
    int64_t *bytes;           /* [n], of all edges of a vertex */
    uint32_t *host;           /* [n + ncolumns], its column */
    uint32_t *place;          /* [n] */
    uint32_t *occupant;       /* [place_begin[nhosts]], the vertex there */
    uint32_t *place_begin;    /* [nhosts + 1] */
    uint16_t *distance;       /* [nhosts * ncolumns] */
    uint32_t *near;           /* [nhosts * REGION_NEAR], of which nnear */
    uint32_t *entry;          /* [ncolumns], the nearest host of the region */
    uint32_t *size;           /* [n], or NULL: every vertex fits everywhere */
    uint32_t *slots;          /* [nhosts], with size */
    uint32_t *global_vertex;  /* [n], number in the placement */
    uint32_t *global_host;    /* [ncolumns], host of the allocation */
};

/* How many of the nearest other hosts are known of each. */
#define REGION_NEAR 8

/* Reads the placement; several regions may be made at once. Distances above
 * 65,535 count as that. O(edges + nhosts * ncolumns). The arena's, or NULL
 * without memory. */
struct region *region_make(const struct placement *placement,
                           uint32_t index,
                           struct arena *arena);
/* Puts the vertices back on the placement; no region may be made meanwhile. */
void region_store(const struct region *region, struct placement *placement);

/* As for quadratic assignment since Taillard (1991) and Connolly (1990). All
 * numbers are integers below 2^53, so that doubles, of which processors add
 * several at once, are exact. */
struct cost_table {
    uint32_t n, stride; /* hosts, rounded up to a multiple of COST_STRIDE */
    bool is_valid;      /* cost is of the hosts as they are */
    double *cost;       /* [n * stride] hop-bytes of a vertex on a host */
    double *distance;   /* [nhosts * stride] */
    double *way;        /* [stride], spare */
    int32_t *bytes;     /* [n * n], of the edge between two */
};
#define COST_STRIDE 8

/* The arena's; NULL for a region that has too many vertices or hosts, or too
 * many bytes to be exact, or without memory. Not valid in the beginning. */
struct cost_table *cost_table_make(const struct region *region,
                                   struct arena *arena);

/* A table of -ln u over the middles of this many equal parts of 0 .. 1. */
#define ANNEAL_DRAWS 4096

struct anneal {
    double draw[ANNEAL_DRAWS];
};

/* Fills the table; by additions, multiplications and divisions alone, so the
 * same everywhere. */
void anneal_init(struct anneal *anneal);

/* e^x for x in -64 .. 64, likewise. */
double anneal_exp(double x);
/* ln x for x > 0, likewise. */
double anneal_log(double x);

/* Proposes changes, and makes those that add no more hop-bytes
 * than temperature (which goes evenly from heat[0] to heat[1], 2^58 at most)
 * times an exponential random number: the rule of Metropolis (1953), which
 * Kirkpatrick, Gelatt and Vecchi (1983) anneal with. A change takes a random
 * vertex to the host of one of its neighbours, heavy edges first, or to one of
 * the nearest hosts of that one, and the occupant of the place there, if any,
 * to where it came from. Only hop-bytes between the region and what it sees of
 * the others count. Returns what was added (negative: gained). Temperature 0
 * never adds. table: of the region, or NULL; it is filled, and kept true, while
 * few changes are made, which are the same with it and without. O(degree) a
 * proposal; with a table O(1), and O(degree * hosts) a change that is made. */
int64_t anneal_run(struct region *region,
                   struct cost_table *table,
                   const struct anneal *anneal,
                   const double heat[2],
                   uint64_t proposals,
                   struct rng *rng);

/* The mean of |added hop-bytes| over these proposals; 0 when there is no
 * change to propose. */
double anneal_spread(const struct region *region,
                     uint32_t proposals,
                     struct rng *rng);

#endif
