/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lattice_parts.c - one rank's share of an Adaptive Layout */
#include "config.h"

#include "libtopomap-cart/lattice_parts.h"

#include "base/array.h"
#include "base/bucket.h"
#include "cart/adaptive.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = MAPCORE_ADAPTIVE_PARTS };

struct lattice_work {
    const struct lattice_problem *problem;
    struct mapcore_adaptive_problem box;
    struct mapcore_adaptive layout;
    uint32_t *tasks; /* [box] at each router */
    uint32_t *rank;  /* [ntasks] by mapcore_adaptive's numbers */
    struct lattice_parts *out;
    uint32_t mine;
};

static int ascending(const void *a, const void *b)
{
    const int *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The first router and how many, along an axis: of a ring all but the widest
 * gap. sorted: [n] coordinates, changed. */
static void span(int *first,
                 uint32_t *extent,
                 int *sorted,
                 uint32_t n,
                 int ring)
{
    int widest;

    qsort(sorted, n, sizeof(*sorted), ascending);
    *first = sorted[0];
    *extent = (uint32_t)(sorted[n - 1] - sorted[0]) + 1;
    if (ring <= sorted[n - 1])
        return;
    widest = ring - (int)*extent;
    for (uint32_t i = 1; i < n; i++)
        if (sorted[i] - sorted[i - 1] - 1 > widest) {
            widest = sorted[i] - sorted[i - 1] - 1;
            *first = sorted[i];
            *extent = (uint32_t)(ring - widest);
        }
}

/* The box, the tasks at each router in it, and the ranks router by router. */
static int make_box(struct lattice_work *work)
{
    const struct lattice_problem *problem = work->problem;
    uint32_t n = problem->ntasks, *first = NULL, *extent = work->box.extent;
    uint32_t ncells = 1, *cell = array_alloc(n, sizeof(*cell), NULL);
    int *sorted = array_alloc(n, sizeof(*sorted), NULL), low[LATTICE_AXES];
    int error = sorted && cell ? 0 : MAPCORE_ENOMEM;

    for (int i = 0; error == 0 && i < LATTICE_AXES; i++) {
        for (uint32_t r = 0; r < n; r++)
            sorted[r] = problem->at[r][i];
        span(&low[i], &extent[i], sorted, n, (int)problem->torus[i]);
        work->box.wraps[i] = extent[i] == problem->torus[i];
        if (__builtin_mul_overflow(ncells, extent[i], &ncells) ||
            ncells > INT32_MAX / PARTS)
            error = MAPCORE_ERANGE;
    }
    if (error < 0)
        goto out;
    for (uint32_t r = 0; r < n; r++)
        for (int i = LATTICE_AXES; i-- > 0;) {
            int x = problem->at[r][i] - low[i];

            if (x < 0)
                x += (int)problem->torus[i];
            cell[r] = cell[r] * extent[i] + (uint32_t)x;
        }
    first = array_alloc((size_t)ncells + 1, sizeof(*first), NULL);
    work->tasks = array_alloc(ncells, sizeof(*work->tasks), NULL);
    work->rank = array_alloc(n, sizeof(*work->rank), NULL);
    error = first && work->tasks && work->rank ? 0 : MAPCORE_ENOMEM;
    if (error < 0)
        goto out;
    bucket_items(first, work->rank, cell, n, ncells);
    for (uint32_t c = 0; c < ncells; c++)
        work->tasks[c] = first[c + 1] - first[c];
    work->box.tasks = work->tasks;
out:
    free(first);
    free(cell);
    free(sorted);
    return error;
}

static uint32_t owner_of(const struct lattice_work *work, uint32_t part)
{
    return work->rank[work->layout.owner[part]];
}

/* Sites of n parts; false: none. */
static bool box_of(struct lattice_box *out,
                   const struct lattice_work *work,
                   uint32_t part,
                   uint32_t n)
{
    uint32_t range[LATTICE_DIMS][2];
    uint64_t sites =
        mapcore_adaptive_sites(range, &work->layout, &work->box, part, n);

    for (int i = 0; i < LATTICE_DIMS; i++) {
        out->begin[i] = (int)range[i][0];
        out->end[i] = (int)range[i][1];
    }
    return sites > 0;
}

/* The layer that touches of the part one step away from one of ours, unless
 * there is none or it is ours, too; joined to the last face when it goes on
 * with that along y. Parts of no site are stepped over. */
static int add_face(const struct lattice_work *work,
                    uint32_t part,
                    int dimension,
                    int way)
{
    struct lattice_parts *out = work->out;
    struct lattice_face face = {.dimension = dimension, .direction = way};
    struct lattice_face *last;
    int error;

    do {
        part = mapcore_adaptive_next(&work->layout, &work->box, part, dimension,
                                     way);
        if (part == MAPCORE_NONE)
            return 0;
    } while (!box_of(&face.box, work, part, 1));
    face.rank = (int)owner_of(work, part);
    if ((uint32_t)face.rank == work->mine)
        return 0;
    if (way > 0)
        face.box.end[dimension] = face.box.begin[dimension] + 1;
    else
        face.box.begin[dimension] = face.box.end[dimension] - 1;
    last = out->nfaces > 0 ? &out->face[out->nfaces - 1] : NULL;
    if (last && dimension != 1 && last->rank == face.rank &&
        last->dimension == dimension && last->direction == way &&
        last->box.end[1] == face.box.begin[1] &&
        last->box.begin[0] == face.box.begin[0] &&
        last->box.begin[2] == face.box.begin[2] &&
        last->box.begin[3] == face.box.begin[3]) {
        last->box.end[1] = face.box.end[1];
        return 0;
    }
    if ((error = array_reserve(&out->face, &out->faces_room, out->nfaces + 1,
                               sizeof(*out->face), NULL)) < 0)
        return error;
    out->face[out->nfaces++] = face;
    return 0;
}

/* n parts of a block, which are ours. */
static int add_parts(const struct lattice_work *work, uint32_t part, uint32_t n)
{
    struct lattice_parts *out = work->out;
    struct lattice_box box, ignored;
    int error;

    if (!box_of(&box, work, part, n))
        return 0;
    if ((error = array_reserve(&out->part, &out->parts_room, out->nparts + 1,
                               sizeof(*out->part), NULL)) < 0)
        return error;
    out->part[out->nparts++] = box;
    for (int i = 0; i < 2 * LATTICE_DIMS && error == 0; i++)
        for (uint32_t p = part; p < part + n && error == 0; p++)
            if (box_of(&ignored, work, p, 1))
                error = add_face(work, p, i / 2, i % 2 ? -1 : 1);
    return error;
}

static int by_rank(const void *a, const void *b)
{
    const struct lattice_face *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->dimension != y->dimension)
        return x->dimension < y->dimension ? -1 : 1;
    if (x->direction != y->direction)
        return x->direction < y->direction ? -1 : 1;
    return memcmp(&x->box, &y->box, sizeof(x->box));
}

static int take_parts(const struct lattice_work *work)
{
    int error = 0;

    for (uint32_t p = 0, next; p < work->layout.nparts && error == 0;
         p = next) {
        bool is_mine = owner_of(work, p) == work->mine;

        for (next = p + 1; next % PARTS > 0 &&
                           (owner_of(work, next) == work->mine) == is_mine;)
            next++;
        if (is_mine)
            error = add_parts(work, p, next - p);
    }
    if (work->out->nfaces > 0)
        qsort(work->out->face, work->out->nfaces, sizeof(*work->out->face),
              by_rank);
    return error;
}

int lattice_lay_out(struct lattice_parts *out,
                    const struct lattice_problem *problem,
                    uint32_t rank)
{
    struct lattice_parts made = {0};
    struct lattice_work work = {.problem = problem, .out = &made, .mine = rank};
    int error;

    for (int i = 0; i < LATTICE_DIMS; i++) {
        work.box.lattice[i] = problem->sites[i];
        work.box.periodic[i] = problem->periodic[i];
    }
    work.box.most_hops = problem->most_hops;
    if ((error = make_box(&work)) == 0 &&
        (error = mapcore_adaptive_layout(&work.layout, &work.box, NULL)) == 0)
        error = take_parts(&work);
    if (error == 0) {
        made.imbalance = work.layout.imbalance;
        made.mean_path = work.layout.mean_path;
        made.longest_path = (int)work.layout.longest;
        *out = made;
        made = (struct lattice_parts){0};
    }
    lattice_parts_clear(&made);
    mapcore_adaptive_clear(&work.layout);
    free(work.tasks);
    free(work.rank);
    return error;
}

void lattice_parts_clear(struct lattice_parts *parts)
{
    free(parts->part);
    free(parts->face);
    *parts = (struct lattice_parts){0};
}
