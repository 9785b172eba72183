/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lattice_parts.c - one rank's share of an Adaptive Layout */
#include "config.h"

#include "libtopomap-cart/lattice_parts.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = MAPCORE_ADAPTIVE_PARTS };

struct lattice_work {
    const struct mapcore_adaptive_problem *problem;
    struct mapcore_adaptive layout;
    struct lattice_parts *out;
    uint32_t mine;
};

/* Sites of n parts; false: none. */
static bool box_of(struct lattice_box *out,
                   const struct lattice_work *work,
                   uint32_t part,
                   uint32_t n)
{
    uint32_t range[LATTICE_DIMS][2];
    uint64_t sites =
        mapcore_adaptive_sites(range, &work->layout, work->problem, part, n);

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
        part = mapcore_adaptive_next(&work->layout, work->problem, part,
                                     dimension, way);
        if (part == MAPCORE_NONE)
            return 0;
    } while (!box_of(&face.box, work, part, 1));
    face.rank = (int)work->layout.owner[part];
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
    const uint32_t *owner = work->layout.owner;
    int error = 0;

    for (uint32_t p = 0, next; p < work->layout.nparts && error == 0;
         p = next) {
        bool is_mine = owner[p] == work->mine;

        for (next = p + 1;
             next % PARTS > 0 && (owner[next] == work->mine) == is_mine;)
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
                    const struct mapcore_adaptive_problem *problem,
                    uint32_t rank)
{
    struct lattice_parts made = {0};
    struct lattice_work work = {.problem = problem, .out = &made, .mine = rank};
    int error = mapcore_adaptive_layout(&work.layout, problem, NULL);

    if (error == 0)
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
    return error;
}

void lattice_parts_clear(struct lattice_parts *parts)
{
    free(parts->part);
    free(parts->face);
    *parts = (struct lattice_parts){0};
}
