/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed_links.c - bytes along the dimensions of a grid, and what is left of
 * them when a dimension is cut into parts; and from that alone the time of the
 * slowest link under a plan */
#include "config.h"

#include "map/embed/embed_internal.h"

#include "base/array.h"
#include "graph/csr.h"
#include "grid/tally.h"

#include <math.h>
#include <string.h>

/* The cells of a table of pairs of parts, a * m + b. */
static int take_pairs(struct embed_traffic *out,
                      struct tally *tally,
                      uint32_t m,
                      struct arena *arena)
{
    double *part = arena_alloc(arena, m, sizeof(*part));

    tally_sort(tally);
    out->m = m;
    out->pair = arena_alloc(arena, tally->n, sizeof(*out->pair));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < tally->n; i++) {
        out->pair[i].a = (uint32_t)(tally->cell[i].key / m);
        out->pair[i].b = (uint32_t)(tally->cell[i].key % m);
        out->pair[i].bytes = tally->cell[i].bytes;
        out->cross += (double)tally->cell[i].bytes;
        part[out->pair[i].a] += (double)tally->cell[i].bytes;
        part[out->pair[i].b] += (double)tally->cell[i].bytes;
    }
    for (uint32_t k = 0; k < m; k++)
        if (part[k] > out->most)
            out->most = part[k];
    out->n = tally->n;
    return 0;
}

static int add_pair(struct tally *tally,
                    uint32_t m,
                    uint32_t a,
                    uint32_t b,
                    uint64_t bytes,
                    struct mapcore_error *err)
{
    if (a == b)
        return 0;
    return tally_add(tally, a < b ? (uint64_t)a * m + b : (uint64_t)b * m + a,
                     bytes, err);
}

int embed_traffics_open(struct embed_traffics *out,
                        const struct mapcore_grid *grid,
                        const struct mapcore_graph *graph,
                        struct arena *arena)
{
    struct tally tally[MAPCORE_GRID_MAX_DIMS] = {{0}};
    int error = 0;

    *out = (struct embed_traffics){.grid = grid, .arena = arena};
    for (uint32_t a = 0; a < graph->ntasks && error == 0; a++) {
        const uint32_t *x = &grid->coordinates[(size_t)a * grid->ndims];

        for (size_t e = graph->row[a]; e < graph->row[a + 1]; e++) {
            const uint32_t *y =
                &grid->coordinates[(size_t)graph->task[e] * grid->ndims];

            if (graph->task[e] < a)
                continue;
            for (uint32_t i = 0; i < grid->ndims && error == 0; i++)
                error = add_pair(&tally[i], grid->dims[i], x[i], y[i],
                                 graph->bytes[e], arena->err);
        }
    }
    for (uint32_t i = 0; i < grid->ndims; i++) {
        if (error == 0)
            error = take_pairs(&out->uncut[i], &tally[i], grid->dims[i], arena);
        out->cut[i] =
            arena_alloc(arena, (size_t)grid->dims[i] + 1, sizeof(*out->cut[i]));
        tally_clear(&tally[i]);
    }
    return error < 0 ? error : arena->error;
}

const struct embed_traffic *embed_traffic_get(struct embed_traffics *traffics,
                                              uint32_t i,
                                              uint32_t m)
{
    const struct embed_traffic *uncut = &traffics->uncut[i];
    struct embed_traffic *cut = traffics->cut[i][m];
    struct tally tally = {0};
    int error = 0;

    if (cut)
        return cut;
    cut = arena_alloc(traffics->arena, 1, sizeof(*cut));
    if (!cut)
        return NULL;
    for (size_t k = 0; k < uncut->n && error == 0; k++)
        error = add_pair(&tally, m,
                         (uint32_t)((uint64_t)uncut->pair[k].a * m / uncut->m),
                         (uint32_t)((uint64_t)uncut->pair[k].b * m / uncut->m),
                         uncut->pair[k].bytes, traffics->arena->err);
    if (error == 0)
        error = take_pairs(cut, &tally, m, traffics->arena);
    tally_clear(&tally);
    if (error == 0)
        traffics->cut[i][m] = cut;
    return error == 0 ? cut : NULL;
}

/* The links of an axis: link p leads from position p on, in the positive
 * direction; on a ring the last one closes it. The negative ones carry the
 * same. */
struct axis_flows {
    const struct embed_machine *machine;
    const struct embed_split *split;
    uint32_t digit, axis, n;
    uint32_t ncombos; /* values that the split's other digits have together */
    double *flow;     /* [ncombos * (n + 1)]: what more link p carries than link
                         p - 1 */
};

/* Which lines a flow from digits a to digits b uses: routes go axis by axis. */
static uint32_t combo(const struct axis_flows *flows,
                      const uint32_t *a,
                      const uint32_t *b)
{
    uint32_t index = 0;

    for (uint32_t i = 0; i < flows->split->ndigits; i++) {
        const struct embed_digit *digit = &flows->split->digit[i];

        if (i != flows->digit)
            index = index * digit->radix +
                    (digit->axis < flows->axis ? b[i] : a[i]);
    }
    return index;
}

static void add_flow(const struct axis_flows *flows,
                     const uint32_t *a,
                     const uint32_t *b,
                     double bytes)
{
    const struct embed_machine *machine = flows->machine;
    uint32_t below = flows->split->digit[flows->digit].below;
    double *flow = flows->flow + (size_t)combo(flows, a, b) * (flows->n + 1);

    for (uint32_t low = 0; low < below; low++) {
        uint32_t p = embed_position(a[flows->digit], below, low);
        uint32_t q = embed_position(b[flows->digit], below, low);

        double up = bytes * embed_share_up(machine, flows->axis, p, q);

        flow[p] += up;
        flow[q] -= up;
        if (p > q)
            flow[0] += up;
    }
}

/* The busiest of parallel links, at each position: into most[n]. */
static void find_most(double *most, const struct axis_flows *flows)
{
    memset(most, 0, flows->n * sizeof(*most));
    for (uint32_t c = 0; c < flows->ncombos; c++) {
        const double *flow = flows->flow + (size_t)c * (flows->n + 1);
        double load = 0;

        for (uint32_t p = 0; p < flows->n; p++) {
            load += flow[p];
            if (load > most[p])
                most[p] = load;
        }
    }
}

/* Adds a digit's loads to the axis: those of its block, again for each value of
 * the digits above it, every other time backwards. */
static void add_blocks(double *load,
                       const double *most,
                       uint32_t n,
                       uint32_t block,
                       uint32_t copies,
                       double share)
{
    if (copies < 2) {
        for (uint32_t p = 0; p < n; p++)
            load[p] += share * most[p];
        return;
    }
    for (uint32_t k = 0; k < copies; k++)
        for (uint32_t p = 0; p + 1 < block; p++)
            load[k * block + p] += share * most[k % 2 == 1 ? block - 2 - p : p];
}

/* Values that the digits above this one on its axis have together. */
static uint32_t copies_of(const struct embed_plan *plan,
                          uint32_t ndims,
                          const struct embed_digit *digit)
{
    uint32_t copies = 1;

    for (uint32_t i = 0; i < ndims; i++)
        for (uint32_t d = 0; d < plan->split[i].ndigits; d++)
            if (plan->split[i].digit[d].axis == digit->axis &&
                plan->split[i].digit[d].below > digit->below)
                copies *= plan->split[i].digit[d].radix;
    return copies;
}

/* The share of a dimension's bytes that is between two tiles next to each
 * other, when m[] parts are made: the tile's face. */
static double face(const struct mapcore_grid *grid,
                   const struct embed_split *split,
                   uint32_t dim)
{
    double share = 1;

    for (uint32_t i = 0; i < grid->ndims; i++)
        if (i != dim)
            share *=
                (double)((grid->dims[i] - 1) / split[i].m + 1) / grid->dims[i];
    return share;
}

/* What the links of each axis carry under a plan. */
struct plan_loads {
    const struct embed_machine *machine;
    const struct mapcore_grid *grid;
    const struct embed_plan *plan;
    double *load[EMBED_AXES]; /* [size of the axis] */
    struct arena arena;
};

/* Adds what digit d of a dimension brings to the links of its axis. */
static int add_digit(struct plan_loads *loads,
                     const struct embed_traffic *traffic,
                     uint32_t dim,
                     uint32_t d)
{
    const struct embed_machine *machine = loads->machine;
    const struct embed_split *split = &loads->plan->split[dim];
    const struct embed_digit *digit = &split->digit[d];
    struct axis_flows flows = {.machine = machine,
                               .split = split,
                               .digit = d,
                               .axis = digit->axis,
                               .n = machine->size[digit->axis],
                               .ncombos = 1};
    double *most;

    for (uint32_t i = 0; i < split->ndigits; i++)
        flows.ncombos *= i != d ? split->digit[i].radix : 1;
    flows.flow =
        arena_alloc(&loads->arena, (size_t)flows.ncombos * (flows.n + 1),
                    sizeof(*flows.flow));
    most = arena_alloc(&loads->arena, flows.n, sizeof(*most));
    if (loads->arena.error)
        return MAPCORE_ENOMEM;
    for (size_t k = 0; k < traffic->n; k++) {
        double half = (double)traffic->pair[k].bytes / 2;
        uint32_t a[EMBED_DIGITS], b[EMBED_DIGITS];

        embed_digits(a, split, traffic->pair[k].a);
        embed_digits(b, split, traffic->pair[k].b);
        if (a[d] == b[d])
            continue;
        add_flow(&flows, a, b, half);
        add_flow(&flows, b, a, half);
    }
    find_most(most, &flows);
    add_blocks(loads->load[digit->axis], most, flows.n,
               digit->below * digit->radix,
               copies_of(loads->plan, loads->grid->ndims, digit),
               face(loads->grid, loads->plan->split, dim));
    return 0;
}

int embed_time_torus(double *out,
                     const struct embed_machine *machine,
                     struct embed_traffics *traffics,
                     const struct embed_plan *plan,
                     struct mapcore_error *err)
{
    const struct mapcore_grid *grid = traffics->grid;
    struct plan_loads loads = {
        .machine = machine, .grid = grid, .plan = plan, .arena = {.err = err}};
    double **load = loads.load, time = 0;
    int error = 0;

    for (uint32_t a = 0; a < machine->naxes; a++)
        load[a] = arena_alloc(&loads.arena, machine->size[a], sizeof(**load));
    for (uint32_t i = 0; i < grid->ndims && error == 0; i++) {
        const struct embed_traffic *traffic =
            embed_traffic_get(traffics, i, plan->split[i].m);

        error = traffic ? loads.arena.error : MAPCORE_ENOMEM;
        for (uint32_t d = 0; d < plan->split[i].ndigits && error == 0; d++)
            error = add_digit(&loads, traffic, i, d);
    }
    for (uint32_t a = 0; a < machine->naxes && error == 0; a++)
        for (uint32_t p = 0; p < machine->size[a]; p++)
            time = fmax(time,
                        load[a][p] / (machine->link[a] ? machine->link[a][p]
                                                       : machine->carries[a]));
    arena_clear(&loads.arena);
    *out = embed_rounded(time);
    return error;
}

int embed_surface(double *out,
                  struct embed_traffics *traffics,
                  const struct embed_split *split)
{
    const struct mapcore_grid *grid = traffics->grid;

    *out = 0;
    for (uint32_t i = 0; i < grid->ndims; i++) {
        const struct embed_traffic *traffic =
            embed_traffic_get(traffics, i, split[i].m);

        if (!traffic)
            return MAPCORE_ENOMEM;
        *out += traffic->most * face(grid, split, i);
    }
    return 0;
}

int embed_time_tree(double *out,
                    const struct embed_machine *machine,
                    struct embed_traffics *traffics,
                    const struct embed_plan *plan)
{
    struct embed_split split[MAPCORE_GRID_MAX_DIMS];
    double surface;

    *out = 0;
    for (uint32_t axis = 0; axis < machine->naxes; axis++) {
        for (uint32_t i = 0; i < traffics->grid->ndims; i++) {
            const struct embed_split *all = &plan->split[i];

            split[i].m = 1;
            for (uint32_t d = 0; d < all->ndigits; d++)
                if (all->digit[d].axis >= axis)
                    split[i].m *= all->digit[d].radix;
            split[i].m = split[i].m < all->m ? split[i].m : all->m;
        }
        if (embed_surface(&surface, traffics, split) < 0)
            return MAPCORE_ENOMEM;
        *out = fmax(*out, embed_rounded(surface / 2 / machine->carries[axis]));
    }
    return 0;
}
