/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rotation.c - the annealing of rotation.h */
#include "config.h"

#include "map/refine/rotation.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/refine/anneal.h"

#include <stdlib.h>

/* Rectangles above one another, at most. */
#define MOST_HIGH 4
/* Proposals at one temperature, and before time is asked for. */
#define STEP 1024
/* One proposal in so many is an exchange. */
#define EXCHANGES 8

/* A mapping being annealed. */
struct turning {
    const struct router_cells *cells;
    struct rng rng;
    uint32_t *at; /* [nrouters] the cell there, MAPCORE_NONE: none that turns */
    uint32_t *pos;  /* [n] router of each cell */
    uint32_t *next; /* [n] the same after the change, of those in it */
    uint32_t *mark; /* [n] the change that a cell was last in */
    uint32_t change;
    uint32_t count; /* cells of the change */
    uint32_t *in;   /* [count], room for the longest */
};

static void turn_clear(struct turning *turn)
{
    free(turn->at);
    free(turn->pos);
    free(turn->next);
    free(turn->mark);
    free(turn->in);
}

/* Cells without tasks are all the same, and take what is left. */
static int turn_begin(struct turning *turn,
                      const uint32_t *host,
                      struct mapcore_error *err)
{
    const struct router_cells *cells = turn->cells;
    uint32_t n = cells->n, longest = 0, r = 0;

    for (uint32_t i = 0; i < cells->ndims; i++)
        if (cells->size[i] > longest)
            longest = cells->size[i];
    turn->at = array_alloc(cells->nrouters, sizeof(*turn->at), err);
    turn->pos = array_alloc(n, sizeof(*turn->pos), err);
    turn->next = array_alloc(n, sizeof(*turn->next), err);
    turn->mark = array_alloc(n, sizeof(*turn->mark), err);
    turn->in =
        array_alloc((size_t)4 * MOST_HIGH * longest, sizeof(*turn->in), err);
    if (!turn->at || !turn->pos || !turn->next || !turn->mark || !turn->in)
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
                 uint32_t *x,
                 const struct router_cells *cells,
                 uint32_t axis,
                 bool up)
{
    uint32_t last = cells->size[axis] - 1, stride = cells->stride[axis];

    if (*x == (up ? last : 0)) {
        if (!cells->wraps[axis])
            return false;
        *router = up ? *router - last * stride : *router + last * stride;
        *x = up ? 0 : last;
        return true;
    }
    *router = up ? *router + stride : *router - stride;
    *x = up ? *x + 1 : *x - 1;
    return true;
}

/* Adds the rim of a rectangle to the change; false: it leaves the mesh. */
static bool add_rim(struct turning *turn,
                    uint32_t router,
                    const uint32_t axis[2],
                    const uint32_t length[2])
{
    const struct router_cells *cells = turn->cells;
    const uint32_t *x0 = cells->x + (size_t)router * cells->ndims;
    uint32_t x[2] = {x0[axis[0]], x0[axis[1]]}, begin = turn->count;

    for (uint32_t side = 0; side < 4; side++)
        for (uint32_t i = 0; i < length[side & 1]; i++) {
            uint32_t cell = turn->at[router];

            if (cell != MAPCORE_NONE && turn->mark[cell] != turn->change) {
                turn->mark[cell] = turn->change;
                turn->in[turn->count++] = cell;
            }
            if (!step(&router, &x[side & 1], cells, axis[side & 1], side < 2))
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
    const struct router_cells *cells = turn->cells;
    uint32_t a = turn->at[router], b, to = router;
    uint32_t axis = draw_axis(turn, MAPCORE_NONE, MAPCORE_NONE);

    for (int k = 0; k < 2; k++) {
        uint32_t x = cells->x[(size_t)to * cells->ndims + axis];
        uint32_t n = rng_below(&turn->rng, 5);

        for (uint32_t i = 2; i < n; i++)
            if (!step(&to, &x, cells, axis, true))
                return false;
        for (uint32_t i = n; i < 2; i++)
            if (!step(&to, &x, cells, axis, false))
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
    const struct router_cells *cells = turn->cells;
    uint32_t router =
        turn->pos[cells->turning[rng_below(&turn->rng, cells->nturning)]];
    uint32_t axis[2], length[2], above, high = 1, x;

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
    x = cells->x[(size_t)router * cells->ndims + above];
    for (uint32_t k = 0; k < high; k++)
        if (!add_rim(turn, router, axis, length) ||
            (k + 1 < high && !step(&router, &x, cells, above, true)))
            return false;
    return turn->count > 1;
}

/* What the change at hand adds, twice. */
static int64_t evaluate(const struct turning *turn)
{
    const struct router_cells *cells = turn->cells;
    const struct coarse_graph *graph = cells->graph;
    int64_t sum = 0;

    for (uint32_t k = 0; k < turn->count; k++) {
        uint32_t c = turn->in[k], ndims = cells->ndims;
        const uint32_t *from = cells->x + (size_t)turn->pos[c] * ndims;
        const uint32_t *to = cells->x + (size_t)turn->next[c] * ndims;

        for (size_t e = graph->row[c]; e < graph->row[c + 1]; e++) {
            uint32_t other = graph->edge[e].to;
            bool moves = turn->mark[other] == turn->change;
            const uint32_t *is = cells->x + (size_t)turn->pos[other] * ndims;
            const uint32_t *will =
                moves ? cells->x + (size_t)turn->next[other] * ndims : is;
            int64_t more = 0;

            for (uint32_t i = 0; i < ndims; i++) {
                uint32_t size = cells->size[i];

                more += (int64_t)cells->hops[i][to[i] * size + will[i]] -
                        (int64_t)cells->hops[i][from[i] * size + is[i]];
            }
            sum += more * graph->edge[e].bytes * (moves ? 1 : 2);
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
    const struct router_cells *cells = turn->cells;

    for (uint32_t t = 0; t < cells->problem->graph->ntasks; t++)
        host[t] = cells->member[cells->first[turn->pos[cells->cell[t]]] +
                                cells->index[host[t]]];
}

int rotation_run(uint32_t *host,
                 bool *timed_out,
                 const struct rotation_how *how,
                 struct rng *rng,
                 struct mapcore_error *err)
{
    const struct router_cells *cells = how->cells;
    /* Changes are numbered. */
    const uint64_t proposals =
        how->proposals < UINT32_MAX - 1 ? how->proposals : UINT32_MAX - 1;
    struct turning turn = {.cells = cells, .rng = *rng};
    struct anneal anneal;
    int error = turn_begin(&turn, host, err);
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
    turn_clear(&turn);
    return error;
}
