/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_grow.c - a grid grown from one task and its neighbours, task by task to
 * where most of those that have a place already want it: finds what missing
 * edges have broken the classes of */
#include "config.h"

#include "grid/find/grid_parts.h"

#include "base/array.h"
#include "base/fnv.h"
#include "base/table64.h"
#include "grid/find/grid_skeleton.h"
#include "grid/grid_measure.h"
#include "grid/tally.h"

#include <stdlib.h>
#include <string.h>

/* An outermost layer with less than this share of what the others have is of
 * tasks that are elsewhere. */
#define THIN_SHARE 0.2
/* A dimension is a ring when at least this share of its lines close. */
#define RING_SHARE 0.3

enum { MAX_DIMS = MAPCORE_GRID_MAX_DIMS, MAX_DEGREE = 4 * MAX_DIMS };

struct growth {
    struct mapcore_error *err; /* of the caller */
    struct grid_skeleton skeleton;
    uint32_t ndims;
    bool has_both[MAX_DIMS]; /* sides of an axis at the first task: a ring of
                                four is two axes that have one each */
    int32_t *at;             /* [n * MAX_DIMS], places, not wrapped */
    bool *placed;            /* [n] */
    struct table64 table;    /* tasks by hash of their places */
    /* Tasks that a neighbour got a place beside, and tasks with a place that
     * something changed around. */
    struct list {
        uint32_t *task;
        size_t n, capacity, head;
    } open, edge;
};

static int32_t *place_of(const struct growth *growth, uint32_t t)
{
    return &growth->at[(size_t)t * MAX_DIMS];
}

static uint64_t hash(const struct growth *growth, const int32_t *at)
{
    return fnv1a(at, growth->ndims * sizeof(*at));
}

static bool is_free(const struct growth *growth, const int32_t *at)
{
    size_t size = growth->ndims * sizeof(*at), cursor = 0;
    uint64_t key = hash(growth, at);
    uint32_t t;

    while ((t = table64_next(&growth->table, key, &cursor)) != MAPCORE_NONE)
        if (memcmp(place_of(growth, t), at, size) == 0)
            return false;
    return true;
}

static int push(struct list *list, uint32_t t, struct mapcore_error *err)
{
    if (array_reserve(&list->task, &list->capacity, list->n + 1,
                      sizeof(*list->task), err) < 0)
        return MAPCORE_ENOMEM;
    list->task[list->n++] = t;
    return 0;
}

static int place(struct growth *growth, uint32_t t, const int32_t *at)
{
    const struct grid_skeleton *skeleton = &growth->skeleton;
    int error = push(&growth->edge, t, growth->err);

    memcpy(place_of(growth, t), at, growth->ndims * sizeof(*at));
    growth->placed[t] = true;
    if (error == 0)
        error = table64_add(&growth->table, hash(growth, at), t, growth->err);
    for (size_t e = skeleton->row[t]; e < skeleton->row[t + 1] && error == 0;
         e++)
        error = push(growth->placed[skeleton->task[e]] ? &growth->edge
                                                       : &growth->open,
                     skeleton->task[e], growth->err);
    return error;
}

/* Neighbours of x and y both, x and y and t aside. */
static uint32_t count_shared(const struct grid_skeleton *skeleton,
                             uint32_t x,
                             uint32_t y,
                             uint32_t t)
{
    size_t i = skeleton->row[x], k = skeleton->row[y];
    uint32_t n = 0;

    for (; grid_skeleton_common(skeleton, x, y, &i, &k); i++, k++)
        n += skeleton->task[i] != t;
    return n;
}

/* The neighbours of t as ends of axes: axis[] of each, two to an axis where
 * they share no other neighbour. False where t's surroundings are not whole. */
static bool find_axes(uint32_t *axis,
                      uint32_t *ndims,
                      const struct grid_skeleton *skeleton,
                      uint32_t t)
{
    size_t first = skeleton->row[t], degree = skeleton->row[t + 1] - first;

    *ndims = 0;
    if (degree == 0 || degree > MAX_DEGREE)
        return false;
    for (size_t i = 0; i < degree; i++)
        axis[i] = MAPCORE_NONE;
    for (size_t i = 0; i < degree; i++) {
        bool has_opposite = axis[i] != MAPCORE_NONE;

        if (!has_opposite)
            axis[i] = (*ndims)++;
        for (size_t k = i + 1; k < degree; k++) {
            uint32_t shared = count_shared(skeleton, skeleton->task[first + i],
                                           skeleton->task[first + k], t);

            if (shared == 1)
                continue;
            if (shared > 1 || has_opposite || axis[k] != MAPCORE_NONE)
                return false;
            axis[k] = axis[i];
            has_opposite = true;
        }
    }
    return *ndims <= MAX_DIMS;
}

/* The first task with most neighbours among those whose surroundings are whole;
 * it and its neighbours get places. */
static int sow(struct growth *growth, bool *found)
{
    const struct grid_skeleton *skeleton = &growth->skeleton;
    uint32_t best = MAPCORE_NONE, axis[MAX_DEGREE], ndims;
    int32_t at[MAX_DIMS] = {0};
    bool used[MAX_DIMS] = {false};
    size_t most = 0;
    int error;

    *found = false;
    for (uint32_t t = 0; t < skeleton->n; t++)
        if (skeleton->row[t + 1] - skeleton->row[t] > most &&
            find_axes(axis, &ndims, skeleton, t)) {
            most = skeleton->row[t + 1] - skeleton->row[t];
            best = t;
        }
    if (best == MAPCORE_NONE)
        return 0;
    *found = true;
    find_axes(axis, &growth->ndims, skeleton, best);
    error = place(growth, best, at);
    for (size_t i = 0; i < most && error == 0; i++) {
        at[axis[i]] = used[axis[i]] ? -1 : 1;
        growth->has_both[axis[i]] = used[axis[i]];
        used[axis[i]] = true;
        error = place(growth, skeleton->task[skeleton->row[best] + i], at);
        at[axis[i]] = 0;
    }
    return error;
}

/* How many of t's neighbours have a place one step from at. */
static uint32_t count_votes(const struct growth *growth,
                            uint32_t t,
                            const int32_t *at)
{
    const struct grid_skeleton *skeleton = &growth->skeleton;
    uint32_t votes = 0;

    for (size_t e = skeleton->row[t]; e < skeleton->row[t + 1]; e++) {
        const int32_t *other = place_of(growth, skeleton->task[e]);
        int64_t far = 0;

        if (!growth->placed[skeleton->task[e]])
            continue;
        for (uint32_t i = 0; i < growth->ndims; i++)
            far += llabs((int64_t)other[i] - at[i]);
        votes += far == 1;
    }
    return votes;
}

/* The free place beside neighbours of t that most of them are beside; *votes is
 * 0 without any, and where two places are equal *alone is false. */
static void find_place(int32_t *best,
                       uint32_t *votes,
                       bool *alone,
                       const struct growth *growth,
                       uint32_t t)
{
    const struct grid_skeleton *skeleton = &growth->skeleton;

    *votes = 0;
    *alone = true;
    for (size_t e = skeleton->row[t]; e < skeleton->row[t + 1]; e++) {
        int32_t at[MAX_DIMS];

        if (!growth->placed[skeleton->task[e]])
            continue;
        memcpy(at, place_of(growth, skeleton->task[e]), sizeof(at));
        for (uint32_t i = 0; i < 2 * growth->ndims; i++) {
            int32_t step = i % 2 == 0 ? 1 : -1;
            uint32_t n;

            at[i / 2] += step;
            n = is_free(growth, at) ? count_votes(growth, t, at) : 0;
            if (n > *votes) {
                *votes = n;
                *alone = true;
                memcpy(best, at, sizeof(at));
            } else if (n > 0 && n == *votes &&
                       memcmp(best, at, growth->ndims * sizeof(*at)) != 0) {
                *alone = false;
            }
            at[i / 2] -= step;
        }
    }
}

/* A task all of whose neighbours but one have a place, and that has a
 * neighbour's place on all sides but one, of axes with two, says where that one
 * is. */
static bool go_straight(int32_t *at,
                        uint32_t *next,
                        const struct growth *growth,
                        uint32_t t)
{
    const struct grid_skeleton *skeleton = &growth->skeleton;
    uint32_t open = 0, sides = 0, axis = 0;
    int32_t step = 0;

    for (size_t e = skeleton->row[t]; e < skeleton->row[t + 1]; e++)
        if (!growth->placed[skeleton->task[e]]) {
            *next = skeleton->task[e];
            open++;
        }
    if (open != 1)
        return false;
    memcpy(at, place_of(growth, t), MAX_DIMS * sizeof(*at));
    for (uint32_t i = 0; i < 2 * growth->ndims; i++) {
        int32_t way = i % 2 == 0 ? 1 : -1;

        if (!growth->has_both[i / 2])
            continue;
        at[i / 2] += way;
        if (is_free(growth, at)) {
            sides++;
            axis = i / 2;
            step = way;
        }
        at[i / 2] -= way;
    }
    at[axis] += step;
    return sides == 1;
}

/* Places that two neighbours agree on first; a straight step when there are
 * none. */
static int grow(struct growth *growth)
{
    int error = 0;

    while (error == 0) {
        int32_t at[MAX_DIMS] = {0};
        uint32_t t, votes;
        bool alone;

        if (growth->open.head < growth->open.n) {
            t = growth->open.task[growth->open.head++];
            if (growth->placed[t])
                continue;
            find_place(at, &votes, &alone, growth, t);
            if (votes >= 2 && alone)
                error = place(growth, t, at);
        } else if (growth->edge.head < growth->edge.n) {
            uint32_t next = 0;

            t = growth->edge.task[growth->edge.head++];
            if (go_straight(at, &next, growth, t))
                error = place(growth, next, at);
        } else {
            break;
        }
    }
    /* What stays open: the best that there is. */
    for (uint32_t t = 0; t < growth->skeleton.n && error == 0; t++) {
        int32_t at[MAX_DIMS] = {0};
        uint32_t votes;
        bool alone;

        if (growth->placed[t])
            continue;
        find_place(at, &votes, &alone, growth, t);
        if (votes > 1 || (votes == 1 && alone))
            error = place(growth, t, at);
    }
    return error;
}

/* Edges between places that are far apart in one dimension close rings: the
 * most frequent length is the ring's. 0: it does not close. */
static int find_ring(uint32_t *ring, const struct growth *growth, uint32_t axis)
{
    const struct grid_skeleton *skeleton = &growth->skeleton;
    struct tally tally = {0};
    size_t most = 0;
    int error = 0;

    *ring = 0;
    for (uint32_t t = 0; t < skeleton->n && error == 0; t++)
        for (size_t e = skeleton->row[t];
             e < skeleton->row[t + 1] && error == 0; e++) {
            const int32_t *x = place_of(growth, t);
            const int32_t *y = place_of(growth, skeleton->task[e]);
            int64_t far = (int64_t)x[axis] - y[axis];
            uint32_t moved = 0;

            if (!growth->placed[t] || !growth->placed[skeleton->task[e]] ||
                far < 2)
                continue;
            for (uint32_t i = 0; i < growth->ndims; i++)
                moved += x[i] != y[i];
            if (moved == 1)
                error = tally_add(&tally, (uint64_t)far + 1, 1, growth->err);
        }
    tally_sort(&tally);
    for (size_t c = 0; c < tally.n && error == 0; c++)
        if (tally.cell[c].edges > most &&
            (double)tally.cell[c].edges * (double)tally.cell[c].key >=
                RING_SHARE * skeleton->n) {
            most = tally.cell[c].edges;
            *ring = (uint32_t)tally.cell[c].key;
        }
    tally_clear(&tally);
    return error;
}

/* The first layer and the number of layers of a dimension that is no ring,
 * without those at its ends that are nearly empty. */
static int find_extent(int32_t *low,
                       uint32_t *layers,
                       const struct growth *growth,
                       uint32_t axis)
{
    uint32_t n = growth->skeleton.n, *count, first = 0, last;
    int32_t high = INT32_MIN;

    *low = INT32_MAX;
    for (uint32_t t = 0; t < n; t++) {
        int32_t x = place_of(growth, t)[axis];

        if (!growth->placed[t])
            continue;
        *low = x < *low ? x : *low;
        high = x > high ? x : high;
    }
    last = (uint32_t)(high - *low);
    count = array_alloc((size_t)last + 1, sizeof(*count), growth->err);
    if (!count)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < n; t++)
        if (growth->placed[t])
            count[place_of(growth, t)[axis] - *low]++;
    while (first < last &&
           count[first] * (double)(last - first) < THIN_SHARE * n)
        first++;
    while (first < last &&
           count[last] * (double)(last - first) < THIN_SHARE * n)
        last--;
    free(count);
    *low += (int32_t)first;
    *layers = last - first + 1;
    return 0;
}

/* The box that the places fill; its coordinates where taken[] says that the
 * task has one of its own. NULL where they fill none. */
static int close_box(struct mapcore_grid **out, struct growth *growth)
{
    uint32_t n = growth->skeleton.n, dims[MAX_DIMS], ndims = 0, axis[MAX_DIMS];
    int32_t low[MAX_DIMS];
    uint64_t places = 1;
    int error = 0;

    for (uint32_t i = 0; i < growth->ndims && places <= 2 * (uint64_t)n; i++) {
        uint32_t layers;

        low[ndims] = 0;
        if ((error = find_ring(&layers, growth, i)) < 0 ||
            (layers == 0 &&
             (error = find_extent(&low[ndims], &layers, growth, i)) < 0))
            return error;
        if (layers < 2)
            continue;
        places *= layers;
        axis[ndims] = i;
        dims[ndims++] = layers;
    }
    if (ndims == 0 || places < n || places > 2 * (uint64_t)n)
        return 0;
    if ((error = grid_alloc(out, n, ndims, growth->err)) < 0)
        return error;
    memcpy((*out)->dims, dims, ndims * sizeof(*dims));
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t i = 0; i < ndims; i++) {
            int64_t d = dims[i];
            int64_t x = (int64_t)place_of(growth, t)[axis[i]] - low[i];

            x = (x % d + d) % d;
            (*out)->coordinates[(size_t)t * ndims + i] = (uint32_t)x;
        }
    return 0;
}

static int open_growth(struct growth *out,
                       const struct mapcore_graph *graph,
                       uint64_t least)
{
    size_t n = graph->ntasks;
    int error = grid_skeleton_open(&out->skeleton, graph, least, out->err);

    if (error < 0)
        return error;
    out->at = array_alloc(n * MAX_DIMS, sizeof(*out->at), out->err);
    out->placed = array_alloc(n, sizeof(*out->placed), out->err);
    if (!out->at || !out->placed)
        return MAPCORE_ENOMEM;
    return table64_reserve(&out->table, n, out->err);
}

static void close_growth(struct growth *growth)
{
    grid_skeleton_clear(&growth->skeleton);
    free(growth->at);
    free(growth->placed);
    table64_clear(&growth->table);
    free(growth->open.task);
    free(growth->edge.task);
}

int grid_from_growth(struct mapcore_grid **out,
                     const struct mapcore_graph *graph,
                     uint64_t least,
                     struct mapcore_error *err)
{
    struct growth growth = {.err = err, .ndims = 0};
    struct mapcore_grid *grid = NULL;
    bool settled = false, found;
    int error;

    *out = NULL;
    if ((error = open_growth(&growth, graph, least)) < 0 ||
        (error = sow(&growth, &found)) < 0 || !found ||
        (error = grow(&growth)) < 0 ||
        (error = close_box(&grid, &growth)) < 0 || !grid)
        goto out;
    error = grid_settle(&settled, grid, growth.placed, err);
    if (settled) {
        *out = grid;
        grid = NULL;
    }
out:
    mapcore_grid_destroy(grid);
    close_growth(&growth);
    return error;
}
