/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rotation.c - the routers of an allocation, the graph of what they hold, and
 * the annealing of rotation.h */
#include "config.h"

#include "map/refine/rotation.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "base/bucket.h"
#include "graph/csr.h"
#include "map/refine/anneal.h"
#include "topo/shape.h"

/* Rectangles above one another, at most. */
#define MOST_HIGH 4
/* Proposals at one temperature, and before time is asked for. */
#define STEP 1024
/* One proposal in this number is an exchange. */
#define EXCHANGES 8

/* Dimensions of more than one router, and routers of the network, at most. */
#define MOST_DIMS    8
#define MOST_ROUTERS (1u << 22)

/* Dimensions of one router are left out. A router's number is the sum of its
 * coordinates times strides. */
struct rotation {
    const struct map_problem *problem;
    uint32_t ndims, size[MOST_DIMS], stride[MOST_DIMS];
    bool wraps[MOST_DIMS];
    uint32_t nrouters;
    uint32_t *of;         /* [nhosts] router */
    uint32_t *first;      /* [nrouters + 1] */
    uint32_t *member;     /* [nhosts] hosts, by router: member[first[r]] .. */
    uint32_t *index;      /* [nhosts] which of its router's */
    bool *may_turn;       /* [nrouters] */
    uint32_t n, nturning; /* cells: one a router that has hosts */
    uint32_t *turning;    /* [nturning] cells that may turn */
    uint32_t *cell;       /* [ntasks] */
    uint32_t *home;       /* [n] router that a cell was made of */
    struct coarse_graph *graph; /* of cells */
    double mean;                /* bytes of an edge of it */
};

/* The dimensions that have more than one router; false: fewer than two. */
static bool take_dims(struct rotation *out, const struct topo_shape *shape)
{
    uint64_t nrouters = 1;

    for (uint32_t d = 0; d < shape->ndims; d++) {
        if (shape->dims[d] < 2)
            continue;
        if (out->ndims == MOST_DIMS || nrouters * shape->dims[d] > MOST_ROUTERS)
            return false;
        out->size[out->ndims] = shape->dims[d];
        out->wraps[out->ndims] = shape->ring[d] == shape->dims[d];
        out->stride[out->ndims++] = (uint32_t)nrouters;
        nrouters *= shape->dims[d];
    }
    out->nrouters = (uint32_t)nrouters;
    return out->ndims > 1;
}

/* Which hosts are at which router. */
static void find_members(struct rotation *out,
                         const struct topo_shape *shape,
                         struct arena *arena)
{
    const struct mapcore_alloc *alloc = out->problem->alloc;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), n = out->nrouters;

    out->of = arena_alloc(arena, nhosts, sizeof(*out->of));
    out->member = arena_alloc(arena, nhosts, sizeof(*out->member));
    out->index = arena_alloc(arena, nhosts, sizeof(*out->index));
    out->first = arena_alloc(arena, (size_t)n + 1, sizeof(*out->first));
    if (arena->error)
        return;
    for (uint32_t h = 0; h < nhosts; h++)
        for (uint32_t d = 0, i = 0; d < shape->ndims; d++)
            if (shape->dims[d] > 1)
                out->of[h] +=
                    map_coordinate(alloc, shape, h, d) * out->stride[i++];
    bucket_items(out->first, out->member, out->of, nhosts, n);
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t k = out->first[r]; k < out->first[r + 1]; k++)
            out->index[out->member[k]] = k - out->first[r];
}

/* Along an axis. */
static uint32_t coordinate(const struct rotation *rotation,
                           uint32_t router,
                           uint32_t axis)
{
    return router / rotation->stride[axis] % rotation->size[axis];
}

/* Whether the routers that have hosts fill the box of their coordinates. */
static bool is_box(const struct rotation *cells, struct arena *arena)
{
    uint64_t box = 1, have = 0;

    for (uint32_t r = 0; r < cells->nrouters; r++)
        have += cells->first[r + 1] > cells->first[r];
    for (uint32_t i = 0; i < cells->ndims; i++) {
        bool *used = arena_alloc(arena, cells->size[i], sizeof(*used));
        uint32_t n = 0;

        if (!used)
            return true;
        for (uint32_t r = 0; r < cells->nrouters; r++)
            if (cells->first[r + 1] > cells->first[r])
                used[coordinate(cells, r, i)] = true;
        for (uint32_t k = 0; k < cells->size[i]; k++)
            n += used[k];
        box *= n;
    }
    return have == box;
}

/* How many hosts of how many slots, the same number each; 0 where these
 * differ. */
static uint64_t kind_of(const struct rotation *cells, uint32_t r)
{
    const struct mapcore_alloc *alloc = cells->problem->alloc;
    uint32_t first = cells->first[r], end = cells->first[r + 1];

    for (uint32_t k = first; k < end; k++)
        if (mapcore_alloc_slots(alloc, cells->member[k]) !=
            mapcore_alloc_slots(alloc, cells->member[first]))
            return 0;
    return first == end ? 0
                        : (uint64_t)(end - first) << 32 |
                              mapcore_alloc_slots(alloc, cells->member[first]);
}

/* Routers that may exchange what they hold. */
static void choose_turning(struct rotation *cells, struct arena *arena)
{
    const uint32_t *pin = cells->problem->pin;
    uint64_t *key = arena_alloc(arena, cells->nrouters, sizeof(*key)), most = 0;
    size_t n = 0;

    cells->may_turn =
        arena_alloc(arena, cells->nrouters, sizeof(*cells->may_turn));
    if (arena->error)
        return;
    for (uint32_t r = 0; r < cells->nrouters; r++)
        if ((key[n] = kind_of(cells, r)) != 0)
            n++;
    most = map_most_common(key, n);
    for (uint32_t r = 0; r < cells->nrouters; r++)
        cells->may_turn[r] = most != 0 && kind_of(cells, r) == most;
    for (uint32_t t = 0; pin && t < cells->problem->graph->ntasks; t++)
        if (pin[t] != MAPCORE_NONE)
            cells->may_turn[cells->of[pin[t]]] = false;
}

/* The graph of what the routers hold. */
static void make_cells(struct rotation *cells,
                       const uint32_t *host,
                       struct arena *arena)
{
    const struct mapcore_graph *graph = cells->problem->graph;
    uint32_t n = cells->nrouters, *at = arena_alloc(arena, n, sizeof(*at));

    cells->home = arena_alloc(arena, n, sizeof(*cells->home));
    cells->turning = arena_alloc(arena, n, sizeof(*cells->turning));
    cells->cell = arena_alloc(arena, graph->ntasks, sizeof(*cells->cell));
    if (arena->error)
        return;
    for (uint32_t r = 0; r < cells->nrouters; r++)
        if (cells->first[r + 1] > cells->first[r]) {
            if (cells->may_turn[r])
                cells->turning[cells->nturning++] = cells->n;
            at[r] = cells->n;
            cells->home[cells->n++] = r;
        }
    for (uint32_t t = 0; t < graph->ntasks; t++)
        cells->cell[t] = at[cells->of[host[t]]];
    cells->graph = coarse_graph_make(graph, cells->cell, cells->n, arena);
    if (!cells->graph)
        return;
    for (size_t k = 0; k < cells->graph->row[cells->n]; k++)
        cells->mean += cells->graph->edge[k].bytes;
    if (cells->mean > 0)
        cells->mean /= (double)cells->graph->row[cells->n];
}

struct rotation *rotation_make(const struct map_problem *problem,
                               const uint32_t *host,
                               struct arena *arena)
{
    struct rotation *cells = arena_alloc(arena, 1, sizeof(*cells));
    struct topo_shape shape;

    topo_shape(&shape, mapcore_alloc_topo(problem->alloc));
    if (!cells || shape.kind != TOPO_TORUS || !take_dims(cells, &shape))
        return NULL;
    cells->problem = problem;
    find_members(cells, &shape, arena);
    if (arena->error || is_box(cells, arena))
        return NULL;
    choose_turning(cells, arena);
    if (!arena->error)
        make_cells(cells, host, arena);
    return !arena->error && cells->nturning > 3 && cells->mean > 0 ? cells
                                                                   : NULL;
}

uint32_t rotation_cells(const struct rotation *rotation)
{
    return rotation->nturning;
}

/* A mapping being annealed. */
struct turning {
    const struct rotation *cells;
    struct rng rng;
    uint32_t *at; /* [nrouters] the cell there, MAPCORE_NONE: none that turns */
    uint32_t *pos;  /* [n] router of each cell */
    uint32_t *next; /* [n] the same after the change, of those in it */
    uint32_t *mark; /* [n] the change that a cell was last in */
    uint32_t change;
    uint32_t count; /* cells of the change */
    uint32_t *in;   /* [count], room for the longest */
};

/* Cells without tasks are all the same, and take what is left. */
static int turn_begin(struct turning *turn,
                      const uint32_t *host,
                      struct arena *arena)
{
    const struct rotation *cells = turn->cells;
    uint32_t n = cells->n, longest = 0, r = 0;

    for (uint32_t i = 0; i < cells->ndims; i++)
        if (cells->size[i] > longest)
            longest = cells->size[i];
    turn->at = arena_alloc(arena, cells->nrouters, sizeof(*turn->at));
    turn->pos = arena_alloc(arena, n, sizeof(*turn->pos));
    turn->next = arena_alloc(arena, n, sizeof(*turn->next));
    turn->mark = arena_alloc(arena, n, sizeof(*turn->mark));
    turn->in =
        arena_alloc(arena, (size_t)4 * MOST_HIGH * longest, sizeof(*turn->in));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t k = 0; k < cells->nrouters; k++)
        turn->at[k] = MAPCORE_NONE;
    for (uint32_t c = 0; c < n; c++)
        turn->pos[c] = MAPCORE_NONE;
    for (uint32_t t = 0; t < cells->problem->graph->ntasks; t++) {
        turn->pos[cells->cell[t]] = cells->of[host[t]];
        turn->at[cells->of[host[t]]] = cells->cell[t];
    }
    for (uint32_t c = 0; c < n; c++)
        if (turn->pos[c] == MAPCORE_NONE && !cells->may_turn[cells->home[c]])
            turn->pos[c] = cells->home[c];
    for (uint32_t c = 0; c < n; c++) {
        if (turn->pos[c] != MAPCORE_NONE)
            continue;
        while (!cells->may_turn[r] || turn->at[r] != MAPCORE_NONE)
            r++;
        turn->pos[c] = r;
        turn->at[r] = c;
    }
    for (uint32_t k = 0; k < cells->nrouters; k++)
        if (!cells->may_turn[k])
            turn->at[k] = MAPCORE_NONE;
    return 0;
}

/* One step along an axis; false: there the mesh ends. */
static bool step(uint32_t *router,
                 const struct rotation *cells,
                 uint32_t axis,
                 bool up)
{
    uint32_t last = cells->size[axis] - 1, stride = cells->stride[axis];

    if (coordinate(cells, *router, axis) == (up ? last : 0)) {
        if (!cells->wraps[axis])
            return false;
        *router = up ? *router - last * stride : *router + last * stride;
        return true;
    }
    *router = up ? *router + stride : *router - stride;
    return true;
}

/* Adds the rim of a rectangle to the change; false: it leaves the mesh. */
static bool add_rim(struct turning *turn,
                    uint32_t router,
                    const uint32_t axis[2],
                    const uint32_t length[2])
{
    const struct rotation *cells = turn->cells;
    uint32_t begin = turn->count;

    for (uint32_t side = 0; side < 4; side++)
        for (uint32_t i = 0; i < length[side & 1]; i++) {
            uint32_t cell = turn->at[router];

            if (cell != MAPCORE_NONE && turn->mark[cell] != turn->change) {
                turn->mark[cell] = turn->change;
                turn->in[turn->count++] = cell;
            }
            if (!step(&router, cells, axis[side & 1], side < 2))
                return false;
        }
    for (uint32_t k = begin; k < turn->count; k++)
        turn->next[turn->in[k]] =
            turn->pos[turn->in[k + 1 < turn->count ? k + 1 : begin]];
    return true;
}

/* Short sides half of the time, the second one rather than the first. */
static uint32_t draw_length(struct turning *turn,
                            uint32_t axis,
                            uint32_t little)
{
    uint32_t most = turn->cells->size[axis] - 1;

    if (rng_next(&turn->rng) & 1)
        return 1 + rng_below(&turn->rng, most);
    return 1 + rng_below(&turn->rng, most < little ? most : little);
}

static uint32_t draw_axis(struct turning *turn, uint32_t a, uint32_t b)
{
    uint32_t axis;

    do
        axis = rng_below(&turn->rng, turn->cells->ndims);
    while (axis == a || axis == b);
    return axis;
}

/* Two cells that are at most two steps apart along each of two axes. */
static bool propose_exchange(struct turning *turn, uint32_t router)
{
    const struct rotation *cells = turn->cells;
    uint32_t a = turn->at[router], b, to = router;
    uint32_t axis = draw_axis(turn, MAPCORE_NONE, MAPCORE_NONE);

    for (int k = 0; k < 2; k++) {
        uint32_t n = rng_below(&turn->rng, 5);

        for (uint32_t i = n < 2 ? n : 2; i < (n > 2 ? n : 2); i++)
            if (!step(&to, cells, axis, n > 2))
                return false;
        axis = draw_axis(turn, axis, MAPCORE_NONE);
    }
    b = turn->at[to];
    if (b == MAPCORE_NONE || b == a)
        return false;
    turn->mark[a] = turn->mark[b] = turn->change;
    turn->next[a] = to;
    turn->next[b] = router;
    turn->in[0] = a;
    turn->in[1] = b;
    turn->count = 2;
    return true;
}

static bool propose(struct turning *turn)
{
    const struct rotation *cells = turn->cells;
    uint32_t router =
        turn->pos[cells->turning[rng_below(&turn->rng, cells->nturning)]];
    uint32_t axis[2], length[2], above, high = 1;

    turn->change++;
    turn->count = 0;
    if (rng_below(&turn->rng, EXCHANGES) == 0)
        return propose_exchange(turn, router);
    axis[0] = draw_axis(turn, MAPCORE_NONE, MAPCORE_NONE);
    axis[1] = draw_axis(turn, axis[0], MAPCORE_NONE);
    length[0] = draw_length(turn, axis[0], 3);
    length[1] = 1;
    if (rng_next(&turn->rng) & 1)
        length[1] +=
            rng_below(&turn->rng,
                      cells->size[axis[1]] < 4 ? cells->size[axis[1]] - 1 : 3);
    if (cells->ndims > 2) {
        above = draw_axis(turn, axis[0], axis[1]);
        if (rng_next(&turn->rng) & 1)
            high += rng_below(&turn->rng, MOST_HIGH);
        if (high > cells->size[above])
            high = cells->size[above];
    } else {
        above = axis[0];
    }
    for (uint32_t k = 0; k < high; k++)
        if (!add_rim(turn, router, axis, length) ||
            (k + 1 < high && !step(&router, cells, above, true)))
            return false;
    return turn->count > 1;
}

static uint32_t host_at(const struct rotation *cells, uint32_t router)
{
    return cells->member[cells->first[router]];
}

/* Between the hosts of two routers; row: of the first one's, or NULL. */
static inline int64_t hops(const struct rotation *cells,
                           const uint16_t *row,
                           uint32_t a,
                           uint32_t b)
{
    return row ? row[host_at(cells, b)]
               : mapcore_alloc_distance(cells->problem->alloc,
                                        host_at(cells, a), host_at(cells, b));
}

/* What the change at hand adds, twice. */
static int64_t evaluate(const struct turning *turn)
{
    const struct rotation *cells = turn->cells;
    const struct coarse_graph *graph = cells->graph;
    struct distances *rows = alloc_distances(cells->problem->alloc);
    int64_t sum = 0;

    for (uint32_t k = 0; k < turn->count; k++) {
        uint32_t c = turn->in[k], from = turn->pos[c], to = turn->next[c];
        const uint16_t *near = distances_find_row(rows, host_at(cells, from));
        const uint16_t *far = distances_find_row(rows, host_at(cells, to));

        for (size_t e = graph->row[c]; e < graph->row[c + 1]; e++) {
            uint32_t other = graph->edge[e].to, is = turn->pos[other];
            bool moves = turn->mark[other] == turn->change;
            uint32_t will = moves ? turn->next[other] : is;

            sum += (hops(cells, far, to, will) - hops(cells, near, from, is)) *
                   graph->edge[e].bytes * (moves ? 1 : 2);
        }
    }
    return sum;
}

static void make(struct turning *turn)
{
    for (uint32_t k = 0; k < turn->count; k++) {
        turn->pos[turn->in[k]] = turn->next[turn->in[k]];
        turn->at[turn->pos[turn->in[k]]] = turn->in[k];
    }
}

/* Everybody goes to the host of the same number at the cell's router. */
static void turn_end(uint32_t *host, const struct turning *turn)
{
    const struct rotation *cells = turn->cells;

    for (uint32_t t = 0; t < cells->problem->graph->ntasks; t++)
        host[t] = cells->member[cells->first[turn->pos[cells->cell[t]]] +
                                cells->index[host[t]]];
}

int rotation_run(uint32_t *host,
                 bool *timed_out,
                 const struct rotation *cells,
                 const struct rotation_how *how,
                 struct rng *rng,
                 struct mapcore_error *err)
{
    /* Changes are numbered. */
    const uint64_t proposals =
        how->proposals < UINT32_MAX - 1 ? how->proposals : UINT32_MAX - 1;
    struct turning turn = {.cells = cells, .rng = *rng};
    struct arena arena = {.err = err};
    struct anneal anneal;
    int error = turn_begin(&turn, host, &arena);
    double temperature = 0;

    *timed_out = false;
    anneal_init(&anneal);
    for (uint64_t i = 0; i < proposals && error == 0; i++) {
        if (i % STEP == 0) {
            *timed_out = map_deadline_passed(&cells->problem->deadline);
            if (*timed_out)
                break;
            temperature = 2 * how->hot * cells->mean *
                          (1 - (double)i / (double)proposals);
        }
        if (!propose(&turn))
            continue;
        if (evaluate(&turn) <=
            (int64_t)(temperature *
                      anneal.draw[rng_next(&turn.rng) % ANNEAL_DRAWS]))
            make(&turn);
    }
    if (error == 0 && !*timed_out)
        turn_end(host, &turn);
    *rng = turn.rng;
    arena_clear(&arena);
    return error;
}
