/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lattice_parts.c - one rank's share of an Adaptive Layout */
#include "config.h"

#include "libtopomap-cart/lattice_parts.h"

#include "base/array.h"
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

static uint32_t cell_of(const struct lattice_work *work,
                        const int *first,
                        uint32_t r)
{
    const struct lattice_problem *problem = work->problem;
    uint32_t cell = 0;

    for (int i = LATTICE_AXES; i-- > 0;) {
        int x = problem->at[r][i] - first[i];

        if (x < 0)
            x += (int)problem->torus[i];
        cell = cell * work->box.extent[i] + (uint32_t)x;
    }
    return cell;
}

/* The box, the tasks at each router in it, and the ranks router by router. */
static int make_box(struct lattice_work *work)
{
    const struct lattice_problem *problem = work->problem;
    uint32_t n = problem->ntasks, *start = NULL, cells = 1;
    int *sorted = array_alloc(n, sizeof(*sorted), NULL);
    int first[LATTICE_AXES], error = sorted ? 0 : MAPCORE_ENOMEM;

    for (int i = 0; error == 0 && i < LATTICE_AXES; i++) {
        for (uint32_t r = 0; r < n; r++)
            sorted[r] = problem->at[r][i];
        span(&first[i], &work->box.extent[i], sorted, n,
             (int)problem->torus[i]);
        work->box.wraps[i] = work->box.extent[i] == problem->torus[i];
        if (__builtin_mul_overflow(cells, work->box.extent[i], &cells) ||
            cells > INT32_MAX / PARTS)
            error = MAPCORE_ERANGE;
    }
    free(sorted);
    if (error < 0)
        return error;
    work->tasks = array_alloc(cells, sizeof(*work->tasks), NULL);
    work->rank = array_alloc(n, sizeof(*work->rank), NULL);
    start = array_alloc(cells, sizeof(*start), NULL);
    if (!work->tasks || !work->rank || !start) {
        free(start);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t r = 0; r < n; r++)
        work->tasks[cell_of(work, first, r)]++;
    for (uint32_t c = 1; c < cells; c++)
        start[c] = start[c - 1] + work->tasks[c - 1];
    for (uint32_t r = 0; r < n; r++)
        work->rank[start[cell_of(work, first, r)]++] = r;
    free(start);
    work->box.tasks = work->tasks;
    return 0;
}

/* Block numbers along each dimension. */
struct lattice_block {
    uint32_t at[LATTICE_DIMS];
};

static uint32_t owner_of(const struct lattice_work *work,
                         const struct lattice_block *block,
                         int part)
{
    const uint32_t *n = work->layout.blocks;
    uint32_t number =
        block->at[0] +
        n[0] * (block->at[1] + n[1] * (block->at[2] + n[2] * block->at[3]));

    return work
        ->rank[work->layout.owner[(size_t)number * PARTS + (uint32_t)part]];
}

/* Sites of the parts [from, to) of a block; false: none. */
static bool box_of(struct lattice_box *out,
                   const struct lattice_work *work,
                   const struct lattice_block *block,
                   int from,
                   int to)
{
    for (int i = 0; i < LATTICE_DIMS; i++) {
        uint32_t low[2], high[2];

        mapcore_adaptive_range(low, work->problem->sites[i],
                               work->layout.blocks[i], block->at[i],
                               i == 1 ? from : PARTS);
        mapcore_adaptive_range(high, work->problem->sites[i],
                               work->layout.blocks[i], block->at[i],
                               i == 1 ? to - 1 : PARTS);
        out->begin[i] = (int)low[0];
        out->end[i] = (int)high[1];
        if (out->begin[i] >= out->end[i])
            return false;
    }
    return true;
}

/* The part one step away; false at an end, or round it to itself. Parts of no
 * site are stepped over. */
static bool step_to(struct lattice_block *block,
                    int *part,
                    const struct lattice_work *work,
                    int dimension,
                    int way)
{
    uint32_t n = work->layout.blocks[dimension];
    struct lattice_box ignored;

    do {
        if (dimension == 1 && *part + way >= 0 && *part + way < PARTS) {
            *part += way;
            continue;
        }
        if (block->at[dimension] == (way > 0 ? n - 1 : 0)) {
            if (!work->problem->periodic[dimension])
                return false;
            block->at[dimension] = way > 0 ? 0 : n - 1;
        } else {
            block->at[dimension] += way > 0 ? 1 : UINT32_MAX;
        }
        if (dimension == 1)
            *part = way > 0 ? 0 : PARTS - 1;
    } while (!box_of(&ignored, work, block, *part, *part + 1));
    return true;
}

/* The layer of a neighbour's part that touches; joined to the last face when it
 * goes on with that along y. */
static int add_face(const struct lattice_work *work,
                    const struct lattice_block *block,
                    int part,
                    int dimension,
                    int way)
{
    struct lattice_parts *out = work->out;
    struct lattice_face face = {.rank = (int)owner_of(work, block, part),
                                .dimension = dimension,
                                .direction = way};
    struct lattice_face *last;
    int error;

    if ((uint32_t)face.rank == work->mine)
        return 0;
    box_of(&face.box, work, block, part, part + 1);
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

/* The parts [from, to) of a block, which are ours. */
static int add_part(const struct lattice_work *work,
                    const struct lattice_block *block,
                    int from,
                    int to)
{
    struct lattice_parts *out = work->out;
    struct lattice_box box, ignored;
    int error;

    if (!box_of(&box, work, block, from, to))
        return 0;
    if ((error = array_reserve(&out->part, &out->parts_room, out->nparts + 1,
                               sizeof(*out->part), NULL)) < 0)
        return error;
    out->part[out->nparts++] = box;
    for (int i = 0; i < 2 * LATTICE_DIMS; i++)
        for (int p = from; p < to; p++) {
            struct lattice_block beside = *block;
            int dimension = i / 2, way = i % 2 ? -1 : 1, part = p;

            if (!box_of(&ignored, work, block, p, p + 1))
                continue;
            if (step_to(&beside, &part, work, dimension, way) &&
                (error = add_face(work, &beside, part, dimension, way)) < 0)
                return error;
        }
    return 0;
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
    const uint32_t *n = work->layout.blocks;
    uint32_t nblocks = n[0] * n[1] * n[2] * n[3];

    for (uint32_t b = 0; b < nblocks; b++) {
        struct lattice_block block;
        uint32_t rest = b;

        for (int i = 0; i < LATTICE_DIMS; i++) {
            block.at[i] = rest % n[i];
            rest /= n[i];
        }
        for (int from = 0, to; from < PARTS; from = to) {
            bool is_mine = owner_of(work, &block, from) == work->mine;
            int error;

            for (to = from + 1; to < PARTS; to++)
                if ((owner_of(work, &block, to) == work->mine) != is_mine)
                    break;
            if (is_mine && (error = add_part(work, &block, from, to)) < 0)
                return error;
        }
    }
    if (work->out->nfaces > 0)
        qsort(work->out->face, work->out->nfaces, sizeof(*work->out->face),
              by_rank);
    return 0;
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
