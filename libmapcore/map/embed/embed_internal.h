/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed_internal.h - what the files that lay a grid into a network share */
#ifndef MAPCORE_MAP_EMBED_INTERNAL_H
#define MAPCORE_MAP_EMBED_INTERNAL_H

#include "grid/grid.h"
#include "map/mapper.h"

#include <stdbool.h>

/* Dimensions of the network that take part, and parts into which one dimension
 * of the grid is split among them. */
#define EMBED_AXES   8
#define EMBED_DIGITS 5
/* Plans kept. */
#define EMBED_PLANS 8

/* The allocation as a box of cells. Torus: a cell is a router with all its
 * hosts, an axis a dimension; tree: a cell is a host, axis 0 the hosts of a
 * leaf switch, axis 1 the leaf switches below one switch, and so on. Axes of
 * size 1 are left out. */
struct embed_machine {
    bool tree;
    bool is_prism; /* one around holes: coordinates are the mean ones */
    uint32_t naxes;
    uint32_t size[EMBED_AXES];
    uint32_t *place[EMBED_AXES]; /* torus: coordinate of each position */
    uint32_t ring[EMBED_AXES];   /* torus: the ring's length, UINT32_MAX where
                                    nothing wraps */
    double *hops[EMBED_AXES];    /* prism: [size * size] mean links between two
                                    positions, all else being the same */
    uint32_t far[EMBED_AXES];    /* tree: distance of hosts that differ in this
                                    axis and in none above it */
    double carries[EMBED_AXES];  /* a direction of a link of the axis, on a tree
                                    of an uplink of its parts: the least */
    double *link[EMBED_AXES];    /* torus: [size], the same from each position
                                    to the next; NULL: all are alike */
    double weight[EMBED_AXES];   /* torus: what a byte costs on a link; 1 */
    uint32_t ncells, capacity;   /* slots that every cell has */
    uint32_t *first;             /* [ncells + 1] */
    uint32_t *host;              /* [nhosts], by cell: host[first[c]] .. */
};

/* *fits: whether the allocation is such a box. All is the arena's. Errors:
 * ENOMEM. */
int embed_machine_open(struct embed_machine *out,
                       bool *fits,
                       const struct mapcore_alloc *alloc,
                       struct arena *arena);

/* Prisms that are tried. */
#define EMBED_PRISMS 4
/* The same for routers of a torus that are no box: out[0 .. *n-1] are prisms of
 * routers of equally many slots, as Topaware selects them (Fiedler and Whalen,
 * CUG 2013, section II.D): lines of the first N_a routers along one axis, rows
 * of the first N_b lines that have as many along another, planes of rows along
 * the third, so that each is dislocated around what is missing. All three axes
 * in all orders, all sizes; those with fewest routers more than the tasks need,
 * from the starts where neighbours are nearest. Axes are lines, rows and
 * planes. *timed_out: time was up. All is the arena's. Errors: ENOMEM. */
int embed_prisms_open(struct embed_machine out[EMBED_PRISMS],
                      size_t *n,
                      bool *timed_out,
                      const struct map_problem *problem,
                      struct arena *arena);
/* Where the coordinates of a ring begin that are used: used[size], behind the
 * longest stretch of those that are not. */
uint32_t embed_ring_start(const uint32_t *used, uint32_t size);
/* What the links between positions of an axis carry, from place[axis] and the
 * capacities by coordinate, along[dim size], or NULL. Errors: ENOMEM. */
int embed_set_links(struct embed_machine *machine,
                    uint32_t axis,
                    double capacity,
                    const double *along,
                    uint32_t dim_size,
                    struct arena *arena);
/* The most that a direction of a link of the axis carries, and what a byte
 * costs on one: the mean of 1 / that. */
double embed_widest(const struct embed_machine *machine, uint32_t axis);
double embed_mean_cost(const struct embed_machine *machine, uint32_t axis);
/* Links between two positions of an axis of a torus; on a prism the mean. */
double embed_distance(const struct embed_machine *machine,
                      uint32_t axis,
                      uint32_t a,
                      uint32_t b);
/* What share of the bytes from a to b goes in the positive direction: of ties
 * half. */
double embed_share_up(const struct embed_machine *machine,
                      uint32_t axis,
                      uint32_t a,
                      uint32_t b);

/* Traffic between the parts of one dimension that is cut into m parts. */
struct embed_traffic {
    uint32_t m;
    size_t n;
    struct mapcore_edge *pair; /* [n], parts a < b */
    double cross;              /* bytes of all pairs */
    double most;               /* bytes of the part that has most of them */
};
/* The traffic along every dimension of the grid: an edge that moves in several
 * counts in each, which is exact where distances add up. */
struct embed_traffics {
    const struct mapcore_grid *grid;
    /* uncut[i]: dimension i with every coordinate a part */
    struct embed_traffic uncut[MAPCORE_GRID_MAX_DIMS];
    /* cut[i][m]: made when asked for; NULL until then */
    struct embed_traffic **cut[MAPCORE_GRID_MAX_DIMS];
    struct arena *arena;
};

/* All is the arena's. Errors: ENOMEM. */
int embed_traffics_open(struct embed_traffics *out,
                        const struct mapcore_grid *grid,
                        const struct mapcore_graph *graph,
                        struct arena *arena);
/* Dimension i cut into m <= dims[i] parts: coordinate x is in part x * m /
 * dims[i]. NULL without memory. */
const struct embed_traffic *embed_traffic_get(struct embed_traffics *traffics,
                                              uint32_t i,
                                              uint32_t m);

/* A part of a dimension's coordinate that one axis carries. */
struct embed_digit {
    uint32_t axis, radix;
    uint32_t below; /* positions of the axis that digits of other dimensions,
                       lower on it, make */
};

/* How a dimension is cut and where its parts go. The digits stand from the
 * lowest to the highest, so that part k is their mixed-radix number; each runs
 * forth and back (reflected Gray code), or round and round where `round` says
 * so (modular Gray code: for whole rings), so that consecutive parts are
 * neighbours. */
struct embed_split {
    uint32_t m; /* parts */
    uint32_t ndigits;
    struct embed_digit digit[EMBED_DIGITS];
    bool round;
};

/* A layout of the whole grid. The digits of an axis from lowest to highest by
 * `below`; lower ones run backwards where the next higher digit is odd. */
struct embed_plan {
    double cost; /* bytes times hops, weighted as the axes are */
    double time; /* of the slowest link: bytes of a direction / capacity */
    struct embed_split split[MAPCORE_GRID_MAX_DIMS];
};

/* The best plans, by cost, then time, or the other way round, then by which was
 * found first. */
struct embed_plans {
    bool by_time;
    size_t n;
    struct embed_plan plan[EMBED_PLANS];
};
void embed_plans_add(struct embed_plans *plans, const struct embed_plan *plan);

/* Position of a digit that stands on `below` positions of which low is taken.
 */
uint32_t embed_position(uint32_t digit, uint32_t below, uint32_t low);
/* Digits of part k of a split. */
void embed_digits(uint32_t *out, const struct embed_split *split, uint32_t k);
/* Bytes times hops, weighted, of a dimension's traffic under a split, averaged
 * over the positions of the other dimensions. */
double embed_split_cost(const struct embed_machine *machine,
                        const struct embed_traffic *traffic,
                        const struct embed_split *split);

/* Estimates of times that are the same but for errors of floating point are
 * equal, so that ties are seen. */
static inline double embed_rounded(double time)
{
    return (double)(float)time;
}

/* The time of a plan's slowest link on a torus: at each position of an axis
 * what the dimensions bring to the busiest of the parallel links there, added
 * up; at most too much where dimensions crowd different ones of them. Tiles are
 * taken to be as large as the largest. Errors: ENOMEM. */
int embed_time_torus(double *out,
                     const struct embed_machine *machine,
                     struct embed_traffics *traffics,
                     const struct embed_plan *plan,
                     struct mapcore_error *err);
/* The same on a tree: of boxes in boxes, what leaves the largest of a level
 * goes up one cable of it. */
int embed_time_tree(double *out,
                    const struct embed_machine *machine,
                    struct embed_traffics *traffics,
                    const struct embed_plan *plan);
/* Bytes, both ways, that leave the busiest box when dimension i is cut into
 * split[i].m parts. Errors: ENOMEM. */
int embed_surface(double *out,
                  struct embed_traffics *traffics,
                  const struct embed_split *split);

/* Bounds on both searches, so that they end on any input within about 0.2 s:
 * steps in all, steps where links are what counts and a plan costs more, and
 * those spent on plans no cheaper than the best, for their links. */
#define EMBED_MAX_STEPS      2000000
#define EMBED_MAX_LINK_STEPS 200000
#define EMBED_MAX_TIES       5000

/* Fills plans with the best ways to lay the grid into the machine; none where
 * nothing fits. *timed_out: time was up. Errors: ENOMEM. */
int embed_search(struct embed_plans *out,
                 bool *timed_out,
                 const struct embed_machine *machine,
                 struct embed_traffics *traffics,
                 const struct map_deadline *deadline,
                 struct mapcore_error *err);

/* Hosts of all tasks under a plan; false if a cell would overflow. */
int embed_lay(uint32_t *host,
              const struct embed_machine *machine,
              const struct mapcore_grid *grid,
              const struct embed_plan *plan,
              const struct mapcore_alloc *alloc,
              struct mapcore_error *err);

/* Lays a grid into any hosts, a mapper's run: halves the machine again and
 * again (rb.h), and the tasks of each part by that plane through the grid, in
 * that order, which costs least; dual recursive bisection (Pellegrini, Roman,
 * 1996) with planes as the only cuts. What is not halved down to single hosts
 * fills them. variant: others cut the machine otherwise; *steps: parts halved.
 * Errors: ENOMEM. O(E ndims log hosts). */
int embed_halves(uint32_t *steps,
                 const struct mapcore_grid *grid,
                 const struct mapper_call *call,
                 uint32_t variant);

#endif
