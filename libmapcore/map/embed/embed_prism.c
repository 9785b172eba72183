/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed_prism.c - routers of a torus with holes as a box of cells: rows and
 * planes that are dislocated around the holes */
#include "config.h"

#include "map/embed/embed_internal.h"

#include "base/array.h"
#include "base/bucket.h"
#include "topo/shape.h"

#include <string.h>

/* Lines, rows of lines, planes: axes of the torus in which hosts differ. */
#define DIMS 3

/* The routers of the allocation. */
struct holed_torus {
    uint32_t ndims;
    uint32_t dim[DIMS];  /* of the torus */
    uint32_t size[DIMS]; /* 1 behind ndims */
    uint32_t ring[DIMS];
    double capacity[DIMS];
    const double *along[DIMS]; /* by coordinate, or NULL; borrowed
                                              from the topology */
    uint32_t start[DIMS];      /* behind the longest stretch of unused ones */
    uint32_t nrouters;
    uint32_t *slots; /* [nrouters], the first dimension fastest */
    uint32_t *of;    /* [nhosts] */
    uint32_t least;  /* slots of a router that is taken */
    uint32_t needed; /* routers */
};

/* Lines along axis[0], rows of them along axis[1], planes along axis[2]. */
struct holed_prism {
    uint32_t axis[DIMS], size[DIMS], start[DIMS];
    uint64_t spare; /* routers more than are needed */
    uint64_t hops;  /* between neighbours */
};

/* Prisms that are looked at, besides what only starts elsewhere. */
#define PRISMS EMBED_PRISMS
/* Routers that are visited for starts, at most. */
#define MOST_VISITS 4000000

/* The dimensions in which the hosts differ; 1 where these are too many. */
static int take_dims(struct holed_torus *out,
                     const struct topo_shape *shape,
                     const struct mapcore_alloc *alloc,
                     struct arena *arena)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);

    for (uint32_t d = 0; d < shape->ndims; d++) {
        uint32_t size = shape->dims[d], n = 0;
        uint32_t *used = arena_alloc(arena, size, sizeof(*used));

        if (!used)
            return MAPCORE_ENOMEM;
        for (uint32_t h = 0; h < nhosts; h++)
            used[map_coordinate(alloc, shape, h, d)] = 1;
        for (uint32_t k = 0; k < size; k++)
            n += used[k];
        if (n < 2)
            continue;
        if (out->ndims == DIMS)
            return 1;
        out->dim[out->ndims] = d;
        out->size[out->ndims] = shape->dims[d];
        out->ring[out->ndims] = shape->ring[d];
        out->capacity[out->ndims] = shape->capacity[d];
        out->along[out->ndims] = shape->along[d];
        out->start[out->ndims++] =
            shape->ring[d] == size ? embed_ring_start(used, size) : 0;
    }
    for (uint32_t i = out->ndims; i < DIMS; i++)
        out->size[i] = 1;
    return out->ndims > 1 ? 0 : 1;
}

/* Which number of slots most routers have, of equally common ones the larger:
 * routers with fewer are left out. */
static int choose_least(struct holed_torus *torus, struct arena *arena)
{
    uint64_t *key = arena_alloc(arena, torus->nrouters, sizeof(*key));
    size_t n = 0;

    if (!key)
        return MAPCORE_ENOMEM;
    for (uint32_t r = 0; r < torus->nrouters; r++)
        if (torus->slots[r] > 0)
            key[n++] = torus->slots[r];
    torus->least = (uint32_t)map_most_common(key, n);
    return 0;
}

/* All is the arena's. 1 where it is no torus, or the hosts differ in one
 * dimension only or in more than DIMS. Errors: ENOMEM. */
static int open_holes(struct holed_torus *out,
                      const struct mapcore_alloc *alloc,
                      uint32_t ntasks,
                      struct arena *arena)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint64_t nrouters = 1;
    struct topo_shape shape;
    int error;

    topo_shape(&shape, mapcore_alloc_topo(alloc));
    if (shape.kind != TOPO_TORUS)
        return 1;
    if ((error = take_dims(out, &shape, alloc, arena)) != 0)
        return error;
    for (uint32_t i = 0; i < DIMS; i++)
        nrouters *= out->size[i];
    if (nrouters > INT32_MAX)
        return 1;
    out->nrouters = (uint32_t)nrouters;
    out->slots = arena_alloc(arena, out->nrouters, sizeof(*out->slots));
    out->of = arena_alloc(arena, nhosts, sizeof(*out->of));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < nhosts; h++) {
        for (uint32_t i = out->ndims; i-- > 0;)
            out->of[h] = out->of[h] * out->size[i] +
                         map_coordinate(alloc, &shape, h, out->dim[i]);
        out->slots[out->of[h]] += mapcore_alloc_slots(alloc, h);
    }
    if ((error = choose_least(out, arena)) < 0)
        return error;
    if (out->least == 0)
        return 1;
    out->needed = (ntasks - 1) / out->least + 1;
    return 0;
}

static uint32_t router_at(const struct holed_torus *torus,
                          const struct holed_prism *prism,
                          const uint32_t steps[DIMS])
{
    uint32_t x[DIMS];

    for (uint32_t k = 0; k < DIMS; k++)
        x[prism->axis[k]] =
            (prism->start[k] + steps[k]) % torus->size[prism->axis[k]];
    return x[0] + torus->size[0] * (x[1] + torus->size[1] * x[2]);
}

/* Takes lines, rows and planes that have enough, one after the other, as
 * Topaware does from a start; router[size[0] * size[1] * size[2]], lines
 * fastest. False: there are fewer. */
static bool take(uint32_t *router,
                 const struct holed_torus *torus,
                 const struct holed_prism *prism)
{
    uint32_t steps[DIMS], planes = 0;
    size_t per_plane = (size_t)prism->size[0] * prism->size[1];

    for (steps[2] = 0;
         steps[2] < torus->size[prism->axis[2]] && planes < prism->size[2];
         steps[2]++) {
        uint32_t *plane = router + planes * per_plane, lines = 0;

        for (steps[1] = 0;
             steps[1] < torus->size[prism->axis[1]] && lines < prism->size[1];
             steps[1]++) {
            uint32_t *line = plane + (size_t)lines * prism->size[0], n = 0;

            for (steps[0] = 0;
                 steps[0] < torus->size[prism->axis[0]] && n < prism->size[0];
                 steps[0]++) {
                uint32_t r = router_at(torus, prism, steps);

                if (torus->slots[r] >= torus->least)
                    line[n++] = r;
            }
            lines += n == prism->size[0];
        }
        planes += lines == prism->size[1];
    }
    return planes == prism->size[2];
}

static uint32_t hops_between(const struct holed_torus *torus,
                             uint32_t a,
                             uint32_t b)
{
    uint32_t hops = 0;

    for (uint32_t i = 0; i < torus->ndims; i++) {
        uint32_t x = a % torus->size[i], y = b % torus->size[i];
        uint32_t d = x > y ? x - y : y - x;

        hops += torus->ring[i] - d < d ? torus->ring[i] - d : d;
        a /= torus->size[i];
        b /= torus->size[i];
    }
    return hops;
}

/* Hops between neighbours in a prism, the longer ones counted more. */
static uint64_t sum_hops(const uint32_t *router,
                         const struct holed_torus *torus,
                         const struct holed_prism *prism)
{
    uint32_t ncells = prism->size[0] * prism->size[1] * prism->size[2];
    uint64_t sum = 0;

    for (uint32_t stride = 1, k = 0; k < DIMS; stride *= prism->size[k++])
        for (uint32_t c = 0; c < ncells; c++)
            if (c / stride % prism->size[k] + 1 < prism->size[k]) {
                uint64_t hops =
                    hops_between(torus, router[c], router[c + stride]);

                sum += hops * hops;
            }
    return sum;
}

/* The best start along each axis in turn, into prism; router as take() has
 * it, of that start. False: time was up, or nothing fits. */
static bool choose_start(struct holed_prism *prism,
                         uint32_t *router,
                         const struct holed_torus *torus,
                         const struct map_deadline *deadline)
{
    uint64_t visits = 0;

    prism->hops = UINT64_MAX;
    if (take(router, torus, prism))
        prism->hops = sum_hops(router, torus, prism);
    for (uint32_t k = 0; k < DIMS; k++) {
        uint32_t axis = prism->axis[k];
        struct holed_prism best = *prism;

        for (uint32_t s = 0;
             s < torus->size[axis] && torus->ring[axis] != UINT32_MAX &&
             visits < MOST_VISITS;
             s++) {
            struct holed_prism now = *prism;

            if (map_deadline_passed(deadline))
                return false;
            now.start[k] = s;
            visits += torus->nrouters;
            if (!take(router, torus, &now))
                continue;
            now.hops = sum_hops(router, torus, &now);
            if (now.hops < best.hops)
                best = now;
        }
        *prism = best;
    }
    return prism->hops != UINT64_MAX && take(router, torus, prism);
}

/* Fewest routers to spare, then the most compact. */
static bool is_better(const struct holed_prism *a, const struct holed_prism *b)
{
    if (a->spare != b->spare)
        return a->spare < b->spare;
    return a->size[0] + a->size[1] + a->size[2] <
           b->size[0] + b->size[1] + b->size[2];
}

static void keep(struct holed_prism *best,
                 size_t *n,
                 const struct holed_prism *prism)
{
    size_t at = *n;

    while (at > 0 && is_better(prism, &best[at - 1]))
        at--;
    if (at == PRISMS)
        return;
    if (*n < PRISMS)
        ++*n;
    memmove(&best[at + 1], &best[at], (*n - 1 - at) * sizeof(*best));
    best[at] = *prism;
}

/* All sizes for one way to take lines, rows and planes: with lines of v routers
 * and rows of w lines as many planes as are needed. */
static int list_sizes(struct holed_prism *best,
                      size_t *n,
                      const struct holed_torus *torus,
                      const uint32_t axis[DIMS],
                      struct arena *arena)
{
    uint32_t a = torus->size[axis[0]], b = torus->size[axis[1]];
    uint32_t c = torus->size[axis[2]];
    struct holed_prism prism = {.size = {0}};
    uint32_t *count = arena_alloc(arena, (size_t)b * c, sizeof(*count));
    uint32_t *lines = arena_alloc(arena, c, sizeof(*lines));

    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t k = 0; k < DIMS; k++) {
        prism.axis[k] = axis[k];
        prism.start[k] = torus->start[axis[k]];
    }
    for (uint32_t r = 0; r < torus->nrouters; r++) {
        uint32_t x[DIMS] = {r % torus->size[0],
                            r / torus->size[0] % torus->size[1],
                            r / torus->size[0] / torus->size[1]};

        count[(size_t)x[axis[2]] * b + x[axis[1]]] +=
            torus->slots[r] >= torus->least;
    }
    for (uint32_t v = 1; v <= a; v++) {
        for (uint32_t p = 0; p < c; p++) {
            lines[p] = 0;
            for (uint32_t i = 0; i < b; i++)
                lines[p] += count[(size_t)p * b + i] >= v;
        }
        for (uint32_t w = 1; w <= b; w++) {
            uint32_t have = 0, planes = (torus->needed - 1) / (v * w) + 1;

            for (uint32_t p = 0; p < c; p++)
                have += lines[p] >= w;
            if (have < planes)
                continue;
            prism.size[0] = v;
            prism.size[1] = w;
            prism.size[2] = planes;
            prism.spare = (uint64_t)v * w * planes - torus->needed;
            keep(best, n, &prism);
        }
    }
    return 0;
}

/* From a cell to the next one along lines, rows or planes. */
static uint32_t stride_of(const struct holed_prism *prism, uint32_t k)
{
    uint32_t stride = 1;

    for (uint32_t i = 0; i < k; i++)
        stride *= prism->size[i];
    return stride;
}

/* Links between any two positions of an axis: the mean over its lines. */
static int measure_axis(double **hops,
                        const struct holed_torus *torus,
                        const struct holed_prism *prism,
                        const uint32_t *router,
                        uint32_t k,
                        struct arena *arena)
{
    const uint32_t ncells = stride_of(prism, DIMS), size = prism->size[k];
    const uint32_t stride = stride_of(prism, k);
    double *out = *hops = arena_alloc(arena, (size_t)size * size, sizeof(*out));

    if (!out)
        return MAPCORE_ENOMEM;
    for (uint32_t c = 0; c < ncells; c++) {
        uint32_t at = c / stride % size, first = c - at * stride;

        for (uint32_t i = 0; i < size; i++)
            out[(size_t)at * size + i] +=
                hops_between(torus, router[c], router[first + i * stride]);
    }
    for (size_t i = 0; i < (size_t)size * size; i++)
        out[i] /= ncells / size;
    return 0;
}

/* Coordinates along an axis of the torus: the mean of the cells at each
 * position, counted from the start, so that none is between two others'. */
static int place_axis(struct embed_machine *machine,
                      const struct holed_torus *torus,
                      const struct holed_prism *prism,
                      const uint32_t *router,
                      uint32_t k,
                      struct arena *arena)
{
    const uint32_t ncells = stride_of(prism, DIMS);
    const uint32_t stride = stride_of(prism, k), axis = prism->axis[k];
    uint32_t below = 1, at = machine->naxes;
    uint64_t *sum = arena_alloc(arena, prism->size[k], sizeof(*sum));
    uint32_t *place = arena_alloc(arena, prism->size[k], sizeof(*place));

    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < axis; i++)
        below *= torus->size[i];
    for (uint32_t c = 0; c < ncells; c++)
        sum[c / stride % prism->size[k]] +=
            (router[c] / below + torus->size[axis] - prism->start[k]) %
            torus->size[axis];
    for (uint32_t i = 0; i < prism->size[k]; i++) {
        uint64_t cells = ncells / prism->size[k];

        place[i] = (uint32_t)((sum[i] + cells / 2) / cells + prism->start[k]) %
                   torus->size[axis];
    }
    machine->place[at] = place;
    machine->size[at] = prism->size[k];
    machine->ring[at] = torus->ring[axis];
    machine->naxes++;
    if (embed_set_links(machine, at, torus->capacity[axis], torus->along[axis],
                        torus->size[axis], arena) < 0)
        return MAPCORE_ENOMEM;
    return measure_axis(&machine->hops[at], torus, prism, router, k, arena);
}

/* The machine that a prism is. */
static int make_machine(struct embed_machine *out,
                        const struct holed_torus *torus,
                        const struct holed_prism *prism,
                        const uint32_t *router,
                        uint32_t nhosts,
                        struct arena *arena)
{
    uint32_t *cell = arena_alloc(arena, torus->nrouters, sizeof(*cell));
    uint32_t *of = arena_alloc(arena, nhosts, sizeof(*of));
    uint32_t n = stride_of(prism, DIMS);

    *out = (struct embed_machine){
        .is_prism = true,
        .ncells = n,
        .capacity = torus->least,
        .first = arena_alloc(arena, (size_t)n + 2, sizeof(*out->first)),
        .host = arena_alloc(arena, nhosts, sizeof(*out->host)),
    };
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t k = 0; k < DIMS; k++)
        if (prism->size[k] > 1 &&
            place_axis(out, torus, prism, router, k, arena) < 0)
            return MAPCORE_ENOMEM;
    for (uint32_t r = 0; r < torus->nrouters; r++)
        cell[r] = n; /* outside */
    for (uint32_t c = 0; c < n; c++)
        cell[router[c]] = c;
    for (uint32_t h = 0; h < nhosts; h++)
        of[h] = cell[torus->of[h]];
    bucket_items(out->first, out->host, of, nhosts, n + 1);
    return 0;
}

int embed_prisms_open(struct embed_machine out[EMBED_PRISMS],
                      size_t *n,
                      bool *timed_out,
                      const struct map_problem *problem,
                      struct arena *arena)
{
    static const uint32_t axes[][DIMS] = {{2, 0, 1}, {1, 0, 2}, {2, 1, 0},
                                          {0, 1, 2}, {1, 2, 0}, {0, 2, 1}};
    struct holed_torus torus = {0};
    struct holed_prism best[PRISMS + 1];
    uint32_t *router;
    size_t count = 0;
    int error = open_holes(&torus, problem->alloc,
                           mapcore_graph_ntasks(problem->graph), arena);

    *n = 0;
    *timed_out = false;
    if (error != 0)
        return error < 0 ? error : 0;
    router = arena_alloc(arena, torus.nrouters, sizeof(*router));
    for (size_t i = 0; i < sizeof(axes) / sizeof(*axes); i++)
        if ((torus.ndims == DIMS || axes[i][2] == 2) &&
            list_sizes(best, &count, &torus, axes[i], arena) < 0)
            return MAPCORE_ENOMEM;
    for (size_t i = 0; i < count && !*timed_out; i++)
        if (!choose_start(&best[i], router, &torus, &problem->deadline))
            *timed_out = map_deadline_passed(&problem->deadline);
        else if (make_machine(&out[(*n)++], &torus, &best[i], router,
                              mapcore_alloc_nhosts(problem->alloc), arena) < 0)
            return MAPCORE_ENOMEM;
    return 0;
}
